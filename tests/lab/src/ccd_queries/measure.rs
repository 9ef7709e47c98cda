//! Our timed answer to a query, and the totals of a set of answers.

use std::hint::black_box;
use std::time::Instant;

use hapticd_ccd::{LinearContact, LinearOptions, PairKind, first_contact_linear};
use hapticd_geometry::Vec3;
use hapticd_oracle::Features;
use serde_json::{Map, Value, json};

use super::file::Labelled;

/// Our answer.
pub struct Answer {
    /// `None`: proven free.
    pub contact: Option<LinearContact>,
    /// Shortest time of the repeats, minus the shortest reading of the clock.
    pub ns: f64,
}

/// Returns the least time of reading the clock, ns: as much as an easy query takes.
pub fn clock_ns() -> f64 {
    let reading = |_| {
        let start = Instant::now();
        start.elapsed().as_nanos() as f64
    };
    (0..10_000).map(reading).fold(f64::INFINITY, f64::min)
}

/// Answers a query `repeats` times, timing each one separately with a clock that takes `clock_ns`
/// to read.
pub fn answer(query: &Labelled, repeats: u32, clock_ns: f64) -> Answer {
    let [s, e] = [&query.start, &query.end].map(|points| points.map(Vec3::from));
    let o = Vec3::zeros();
    let (kind, a, b) = match query.features {
        Features::VertexFace => (
            PairKind::VertexFace,
            [[s[0], o, o], [e[0], o, o]],
            [[s[1], s[2], s[3]], [e[1], e[2], e[3]]],
        ),
        Features::EdgeEdge => (
            PairKind::EdgeEdge,
            [[s[0], s[1], o], [e[0], e[1], o]],
            [[s[2], s[3], o], [e[2], e[3], o]],
        ),
    };
    let options = LinearOptions::default();
    let mut answer = Answer {
        contact: None,
        ns: f64::INFINITY,
    };
    for _ in 0..repeats.max(1) {
        let start = Instant::now();
        let contact = first_contact_linear(
            black_box(kind),
            [black_box(&a[0]), &a[1]],
            [&b[0], black_box(&b[1])],
            &options,
        );
        let contact = black_box(contact);
        let ns = start.elapsed().as_nanos() as f64 - clock_ns;
        answer.ns = answer.ns.min(ns.max(0.0));
        answer.contact = contact;
    }
    answer
}

/// Totals of a set of answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Number of queries.
    pub queries: usize,
    /// Number of queries that truly touch.
    pub colliding: usize,
    /// Contacts reported as free.
    pub missed: usize,
    /// Free queries reported as contacts.
    pub false_alarms: usize,
    /// Contacts reported without a proof.
    pub uncertain: usize,
    /// Times in ascending order.
    times: Vec<f64>,
}

impl Totals {
    /// Makes totals of answers with their truth: touches, reported as touching, uncertain,
    /// nanoseconds.
    pub fn new(answers: impl Iterator<Item = (bool, bool, bool, f64)>) -> Self {
        let mut totals = Self::default();
        for (touch, said, uncertain, ns) in answers {
            totals.queries += 1;
            totals.colliding += usize::from(touch);
            totals.missed += usize::from(touch && !said);
            totals.false_alarms += usize::from(said && !touch);
            totals.uncertain += usize::from(uncertain);
            totals.times.push(ns);
        }
        totals.times.sort_by(f64::total_cmp);
        totals
    }

    /// Returns false alarms in percent of the queries that do not collide.
    pub fn false_alarm_percent(&self) -> f64 {
        100.0 * self.false_alarms as f64 / (self.queries - self.colliding).max(1) as f64
    }

    /// Returns the mean time, ns.
    pub fn mean_ns(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len().max(1) as f64
    }

    /// Returns the time, ns, that this fraction of the queries does not exceed; the longest for 1.
    pub fn quantile_ns(&self, part: f64) -> f64 {
        let rank = (part * self.times.len() as f64).ceil() as usize;
        let last = self.times.len().saturating_sub(1);
        self.times
            .get(rank.saturating_sub(1).min(last))
            .copied()
            .unwrap_or(0.0)
    }

    /// Returns the totals as keys of a JSON object.
    pub fn keys(&self) -> Map<String, Value> {
        let value = json!({
            "queries": self.queries,
            "colliding": self.colliding,
            "missed": self.missed,
            "false_alarms": self.false_alarms,
            "false_alarm_percent": self.false_alarm_percent(),
            "uncertain": self.uncertain,
            "mean_ns": self.mean_ns(),
            "median_ns": self.quantile_ns(0.5),
            "p99_ns": self.quantile_ns(0.99),
            "max_ns": self.quantile_ns(1.0),
        });
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_count_misses_and_false_alarms() {
        let answers = (1..=100).map(|i| (i <= 4, (3..=6).contains(&i), i == 5, f64::from(i)));
        let totals = Totals::new(answers);
        assert_eq!(
            (totals.queries, totals.colliding, totals.missed),
            (100, 4, 2)
        );
        assert_eq!((totals.false_alarms, totals.uncertain), (2, 1));
        assert!((totals.false_alarm_percent() - 100.0 * 2.0 / 96.0).abs() < 1e-12);
        assert_eq!((totals.mean_ns(), totals.quantile_ns(0.5)), (50.5, 50.0));
        assert_eq!(
            (totals.quantile_ns(0.99), totals.quantile_ns(1.0)),
            (99.0, 100.0)
        );
    }

    #[test]
    fn nothing_adds_up_to_nothing() {
        let totals = Totals::new(std::iter::empty());
        assert_eq!(
            (totals.queries, totals.mean_ns(), totals.quantile_ns(1.0)),
            (0, 0.0, 0.0)
        );
    }
}
