//! The pause: a factor that takes all force away for a while and brings it back, without a cause.
//!
//! Constant time, no allocation.

/// Time in which the force goes to zero, s.
pub const PAUSE_S: f64 = 0.02;
/// Time in which it comes back, s.
pub const RESUME_S: f64 = 0.2;

/// The factor of a pause, and whether it is ordered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    factor: f64,
    is_ordered: bool,
}

impl Pause {
    pub fn new() -> Self {
        Pause {
            factor: 1.0,
            is_ordered: false,
        }
    }

    pub fn order(&mut self, is_ordered: bool) {
        self.is_ordered = is_ordered;
    }

    /// Moves the factor by a tick.
    #[inline]
    pub fn advance(&mut self, dt_s: f64) {
        self.factor = match self.is_ordered {
            true => (self.factor - dt_s / PAUSE_S).max(0.0),
            false => (self.factor + dt_s / RESUME_S).min(1.0),
        };
    }

    /// Returns the factor of all force, 0 to 1.
    #[inline]
    pub fn factor(&self) -> f64 {
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use crate::arm::{Vec3, Wrench};
    use crate::safety::testing::{sample, spec};
    use crate::safety::{Governor, GovernorInput, GovernorState, Limits, ReasonSet};

    /// A governor that lets 2 N of contact and 1 N of effects through.
    struct Bench {
        governor: Governor,
        now_ns: u64,
        wanted_n: f64,
    }

    impl Bench {
        fn active() -> Self {
            let mut bench = Bench {
                governor: Governor::new(&Limits::default(), &spec()).unwrap(),
                now_ns: 0,
                wanted_n: 0.0,
            };
            while bench.governor.state() != GovernorState::Active {
                bench.step();
            }
            bench.wanted_n = 2.0;
            for _ in 0..100 {
                bench.step();
            }
            bench
        }

        fn step(&mut self) -> f64 {
            self.now_ns += 1_000_000;
            let sample = sample(self.now_ns);
            let input = GovernorInput {
                now_ns: self.now_ns,
                wanted: Wrench {
                    force_n: Vec3::x() * self.wanted_n,
                    torque_nm: Vec3::zeros(),
                },
                effects_n: Vec3::y() * 0.5 * self.wanted_n,
                reacting_n: Vec3::zeros(),
                sample: &sample,
                contact_age_ns: 0,
                spring: None,
                faults: ReasonSet::EMPTY,
                enable: true,
            };
            self.governor.step(&input).wrench.force_n.norm()
        }
    }

    #[test]
    fn a_pause_takes_all_force_and_gives_it_back_without_a_jump() {
        let mut bench = Bench::active();
        let whole = bench.step();
        assert!((whole - 5_f64.sqrt()).abs() < 1e-9, "{whole}");
        bench.governor.pause(true);
        let mut before = whole;
        for k in 1..=20 {
            let now = bench.step();
            assert!(before - now < 0.06 * whole, "{before} to {now}");
            before = now;
            assert!(!bench.governor.has_full_authority(), "tick {k}");
        }
        (0..300).for_each(|_| assert_eq!(bench.step(), 0.0));
        assert_eq!(bench.governor.state(), GovernorState::Active, "no cause");
        bench.governor.pause(false);
        let mut before = 0.0;
        for _ in 0..201 {
            let now = bench.step();
            assert!(now - before < 0.0051 * whole, "{before} to {now}");
            before = now;
        }
        assert_eq!(before, whole);
        assert!(bench.governor.has_full_authority());
    }
}
