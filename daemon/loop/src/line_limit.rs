//! Limits how many log lines of one kind are written per minute, and counts the rest.

/// Length of a minute, ns.
const MINUTE_NS: u64 = 60_000_000_000;

/// Admits the first lines of each minute. A minute begins with its first line.
#[derive(Clone, Debug)]
pub struct Limit {
    most: u64,
    began_ns: Option<u64>,
    seen: u64,
}

impl Limit {
    /// Admits `most` lines a minute.
    pub const fn new(most: u64) -> Self {
        Limit {
            most,
            began_ns: None,
            seen: 0,
        }
    }

    /// Counts one more line and returns whether to write it. Call it after [`ended`](Self::ended).
    pub fn admit(&mut self, now_ns: u64) -> bool {
        self.began_ns.get_or_insert(now_ns);
        self.seen += 1;
        self.seen <= self.most
    }

    /// Number of lines not written, once the minute is over. `None` if all were written or the
    /// minute is not over.
    pub fn ended(&mut self, now_ns: u64) -> Option<u64> {
        let began_ns = self.began_ns?;
        if now_ns.saturating_sub(began_ns) < MINUTE_NS {
            return None;
        }
        self.finish()
    }

    /// Same as [`ended`](Self::ended), for the end of the run: does not wait for the minute to
    /// pass.
    pub fn finish(&mut self) -> Option<u64> {
        let more = self.seen.saturating_sub(self.most);
        (self.began_ns, self.seen) = (None, 0);
        (more > 0).then_some(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_minute_pass_and_the_rest_are_counted() {
        let mut limit = Limit::new(3);
        let s = 1_000_000_000;
        assert_eq!(limit.ended(0), None);
        let told = (0..8).filter(|k| limit.admit(k * s)).count();
        assert_eq!((told, limit.ended(59 * s)), (3, None));
        assert_eq!(limit.ended(60 * s), Some(5));
        assert_eq!(limit.ended(61 * s), None);
        assert!(limit.admit(200 * s));
        assert_eq!((limit.ended(270 * s), limit.finish()), (None, None));
    }
}
