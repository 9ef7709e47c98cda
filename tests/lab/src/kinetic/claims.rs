//! Claims compared with results, and the oracle's verdict: builds the reports of these experiments.

use serde_json::{Map, Value};

use crate::experiment::{Report, Row, Verdict};

/// Counts answers that were compared with ones computed without the structure.
#[derive(Default)]
pub struct Oracle {
    checks: u64,
    wrong: u64,
    first: Option<String>,
}

impl Oracle {
    /// Records a comparison; `what` describes it if it is the first wrong one.
    pub fn check(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !right {
            self.wrong += 1;
            self.first.get_or_insert_with(what);
        }
    }
}

/// Rows of a report, with a verdict each.
#[derive(Default)]
pub struct Claims {
    rows: Vec<Row>,
    short: Vec<String>,
    claims: usize,
    /// Whether all claims about times of this machine hold; `None` without any.
    in_time: Option<bool>,
    /// Number of other claims that do not hold.
    wrong: usize,
}

impl Claims {
    /// Adds a claim of the source, of what it cites, or a bar of our own, and whether it holds.
    pub fn claim(
        &mut self,
        name: impl Into<String>,
        unit: &'static str,
        published: impl Into<Value>,
        ours: impl Into<Value>,
        holds: bool,
    ) {
        self.wrong += usize::from(!holds);
        self.add(name.into(), unit, published.into(), ours.into(), holds);
    }

    /// Adds a claim about times of this machine, without a unit.
    pub fn claim_time(
        &mut self,
        name: impl Into<String>,
        published: impl Into<Value>,
        ours: impl Into<Value>,
        holds: bool,
    ) {
        self.in_time = Some(holds && self.in_time != Some(false));
        self.add(name.into(), "", published.into(), ours.into(), holds);
    }

    fn add(
        &mut self,
        name: String,
        unit: &'static str,
        published: Value,
        ours: Value,
        holds: bool,
    ) {
        self.claims += 1;
        let word = Verdict::new(holds, "").word();
        if !holds {
            self.short.push(name.clone());
        }
        self.rows
            .push(Row::new(name, unit, published, ours).with("verdict", word));
    }

    /// Adds a figure without a claim.
    pub fn figure(&mut self, name: impl Into<String>, unit: &'static str, ours: impl Into<Value>) {
        self.rows
            .push(Row::new(name, unit, Value::Null, ours).with("verdict", Value::Null));
    }

    /// Makes the report: it holds if the oracle found no error and all claims hold. There must have
    /// been comparisons.
    pub fn report(self, oracle: &Oracle, notes: Vec<String>) -> Report {
        let ok = oracle.wrong == 0 && oracle.checks > 0;
        let mut why = if ok {
            format!("oracle: ok ({} comparisons)", oracle.checks)
        } else {
            let first = oracle.first.as_deref().unwrap_or("nothing was compared");
            format!(
                "oracle: FAIL ({} of {} comparisons; {first})",
                oracle.wrong, oracle.checks
            )
        };
        why += &format!(
            "; {} of {} statements hold",
            self.claims - self.short.len(),
            self.claims
        );
        if !self.short.is_empty() {
            why += &format!("; not: {}", self.short.join(", "));
        }
        let word = if ok { "ok" } else { "FAIL" };
        let mut more = Map::new();
        more.insert("oracle".into(), word.into());
        more.insert("comparisons".into(), oracle.checks.into());
        let mut verdict = Verdict::new(ok && self.wrong == 0, why);
        if let Some(holds) = self.in_time {
            verdict = verdict.and_time(holds);
        }
        Report {
            rows: self.rows,
            verdict,
            more,
            notes,
            details: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_answer_or_one_statement_is_enough() {
        let (mut claims, mut oracle) = (Claims::default(), Oracle::default());
        oracle.check(true, || unreachable!());
        claims.claim("a", "", "<= 2", 2, true);
        claims.figure("b", "us", 3.5);
        let report = claims.report(&oracle, Vec::new());
        assert!(report.verdict.holds);
        assert_eq!(
            report.verdict.why,
            "oracle: ok (1 comparisons); 1 of 1 statements hold"
        );
        let mut claims = Claims::default();
        claims.claim("a", "", "<= 2", 3, false);
        let report = claims.report(&oracle, Vec::new());
        assert!(!report.verdict.holds && report.verdict.why.ends_with("; not: a"));
        let mut claims = Claims::default();
        claims.claim_time("a", ">= 2", 1, false);
        claims.claim_time("b", ">= 2", 3, true);
        let verdict = claims.report(&oracle, Vec::new()).verdict;
        assert_eq!((verdict.holds, verdict.untimed), (false, Some(true)));
        oracle.check(false, || "at 2 s".into());
        let report = Claims::default().report(&oracle, Vec::new());
        assert!(!report.verdict.holds && report.more["oracle"] == "FAIL");
        assert!(report.verdict.why.contains("1 of 2 comparisons; at 2 s"));
        let nothing = Claims::default().report(&Oracle::default(), Vec::new());
        assert!(!nothing.verdict.holds);
    }
}
