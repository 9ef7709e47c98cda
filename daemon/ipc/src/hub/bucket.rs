//! Message quota of a client: a bucket that fills at a constant rate.

/// Verdict on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The message is within the quota.
    Within,
    /// The message is over the quota: refuse it.
    Over,
    /// The sender is flooding: close its connection.
    Flood,
}

/// Holds at most one second's worth of messages. It may go as far below zero before the sender
/// counts as flooding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    per_s: u32,
    /// Level in units of 1e-9 messages, so that a nanosecond at `per_s` is `per_s` units.
    level: i64,
    last_ns: u64,
}

const MESSAGE: i64 = 1_000_000_000;

impl Bucket {
    pub(super) fn new(per_s: u32, now_ns: u64) -> Self {
        Self {
            per_s,
            level: i64::from(per_s) * MESSAGE,
            last_ns: now_ns,
        }
    }

    /// Counts one message.
    pub(super) fn take(&mut self, now_ns: u64) -> Verdict {
        let capacity = i64::from(self.per_s) * MESSAGE;
        let passed = now_ns
            .saturating_sub(self.last_ns)
            .min(MESSAGE.unsigned_abs());
        self.last_ns = self.last_ns.max(now_ns);
        // At most one second passed, so at most the capacity is added.
        let gained = i64::try_from(passed).unwrap_or(0) * i64::from(self.per_s);
        self.level = (self.level + gained).min(capacity) - MESSAGE;
        if self.level >= 0 {
            Verdict::Within
        } else if self.level >= -capacity {
            Verdict::Over
        } else {
            Verdict::Flood
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_one_seconds_worth_is_within_then_over_then_a_flood() {
        let mut bucket = Bucket::new(10, 5);
        let verdicts: Vec<Verdict> = (0..25).map(|_| bucket.take(5)).collect();
        assert!(
            verdicts[..10]
                .iter()
                .all(|verdict| *verdict == Verdict::Within)
        );
        assert!(
            verdicts[10..20]
                .iter()
                .all(|verdict| *verdict == Verdict::Over)
        );
        assert!(
            verdicts[20..]
                .iter()
                .all(|verdict| *verdict == Verdict::Flood)
        );
    }

    #[test]
    fn the_quotas_own_rate_can_be_kept_up_for_ever() {
        let mut bucket = Bucket::new(1000, 0);
        for tick in 0..100_000_u64 {
            assert_eq!(bucket.take(tick * 1_000_000), Verdict::Within);
        }
    }

    #[test]
    fn a_long_silence_saves_up_one_second_and_no_more_and_time_that_goes_back_is_harmless() {
        let mut bucket = Bucket::new(10, 0);
        assert_eq!(bucket.take(u64::MAX), Verdict::Within);
        assert_eq!(
            (0..20)
                .filter(|_| bucket.take(0) == Verdict::Within)
                .count(),
            9
        );
    }
}
