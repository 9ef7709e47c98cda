use super::*;
use hapticd::session_setup;
use hapticd_loop::core::LoopCore;
use hapticd_loop::limits::{self, Composer};
use hapticd_protocol::wire::Limit;
use std::path::Path;

const TWO_ARMS: &str = "\
[[arm]]
name = \"left\"
kind = \"simulated\"
intention = \"press\"
tool = { kind = \"sphere\", radius_m = 0.005 }
[[arm]]
name = \"right\"
kind = \"simulated\"
intention = \"press\"
tool = { kind = \"sphere\", radius_m = 0.005 }
";

const MS: u64 = 1_000_000;

struct Fixture {
    core: LoopCore,
    composer: Composer,
    desk: RestrictionQueue,
    now_ns: u64,
}

impl Fixture {
    fn new() -> Self {
        let context = hapticd_config::Context::new("", |_| None);
        let loaded = hapticd_config::parse("limits.toml", TWO_ARMS, &context).unwrap();
        let setup = session_setup::build(&loaded.config, Path::new(""), true).unwrap();
        let base = Limits::from(&loaded.config.safety);
        let (composer, _, owner) = limits::link(&setup.core, base);
        Fixture {
            core: setup.core,
            composer,
            desk: RestrictionQueue::new(owner),
            now_ns: 0,
        }
    }

    /// The loop's steps around a tick.
    fn tick(&mut self) {
        self.composer.take(&mut self.core);
        self.composer.acknowledge();
    }

    fn settle(&mut self, after_ms: u64) -> (Vec<(u64, Answer)>, bool) {
        self.now_ns += after_ms * MS;
        let mut answers = Vec::new();
        let waits = self.desk.settle(self.now_ns, &mut answers);
        (answers, waits)
    }

    fn refusal(&mut self, wish: &TightenLimits) -> Option<Refusal> {
        self.desk.tighten(9, Some(0), wish);
        self.tick();
        match self.settle(1).0.pop()? {
            (9, Answer::Refused(why)) => Some(why),
            _ => None,
        }
    }
}

fn none() -> TightenLimits {
    TightenLimits {
        peak_force_n: Limit::NONE,
        continuous_force_n: Limit::NONE,
        peak_torque_nm: Limit::NONE,
        continuous_torque_nm: Limit::NONE,
        slew_n_per_s: Limit::NONE,
        slew_nm_per_s: Limit::NONE,
        velocity_m_s: Limit::NONE,
        angular_velocity_rad_s: Limit::NONE,
        arm: 255,
    }
}

#[test]
fn a_wish_is_answered_when_a_tick_has_kept_it() {
    let mut f = Fixture::new();
    let wish = TightenLimits {
        peak_force_n: Limit(1.0),
        ..none()
    };
    f.desk.tighten(7, Some(1), &wish);
    assert_eq!(f.settle(1), (vec![], true));
    f.composer.take(&mut f.core);
    assert_eq!(f.settle(1), (vec![], true), "the tick is under way");
    f.composer.acknowledge();
    assert_eq!(f.settle(1), (vec![(7, Answer::Done)], false));
    assert_eq!(f.core.governor(0).unwrap().limits().peak_force_n, 4.0);
    assert_eq!(f.core.governor(1).unwrap().limits().peak_force_n, 1.0);
    assert_eq!(f.desk.in_force(1).unwrap().peak_force_n, 1.0);
    f.desk.release(8, None);
    f.tick();
    assert_eq!(f.settle(1), (vec![(8, Answer::Done)], false));
    assert_eq!(f.desk.in_force(1).unwrap().peak_force_n, 4.0);
    assert_eq!(f.desk.in_force(2), None);
}

#[test]
fn limits_that_cannot_be_kept_are_refused_with_numbers() {
    let mut f = Fixture::new();
    let before = f.desk.in_force(0);
    let cold = TightenLimits {
        continuous_force_n: Limit(0.05),
        ..none()
    };
    let why = f.refusal(&cold).expect("too cold for a peak of 4 N");
    assert_eq!(why.code, ErrorCode::LimitsRefused);
    for part in [
        "arm 0: continuous_force_n is 0.05 N",
        "at least 0.2306",
        "peak of 4 N",
        "0.867",
    ] {
        assert!(
            why.detail.contains(part),
            "`{part}` is not in: {}",
            why.detail
        );
    }
    // A tiny number is written briefly, together with its bound.
    let tiny = TightenLimits {
        slew_n_per_s: Limit(5e-324),
        ..none()
    };
    let why = f.refusal(&tiny).expect("a force that does not fade");
    assert!(
        why.detail
            .contains("slew_n_per_s is 5e-324 N/s, at least 80: "),
        "{}",
        why.detail
    );
    for slew in [0.0, 79.0] {
        let stiff = TightenLimits {
            slew_n_per_s: Limit(slew),
            ..none()
        };
        let why = f.refusal(&stiff).expect("a force that does not fade");
        assert!(why.detail.contains("at least 80: "), "{}", why.detail);
        assert_eq!((why.number, why.limit), (slew as u64, 80));
    }
    assert_eq!(f.desk.in_force(0), before, "nothing has changed");
    // Both together can be kept, and so can the stated numbers.
    let both = TightenLimits {
        peak_force_n: Limit(0.86),
        slew_n_per_s: Limit(80.0),
        ..cold
    };
    assert_eq!(f.refusal(&both), None);
    assert_eq!(f.desk.in_force(0).unwrap().continuous_force_n, 0.05);
}

#[test]
fn if_one_arm_cannot_keep_it_none_is_restricted() {
    let mut f = Fixture::new();
    let low = TightenLimits {
        peak_force_n: Limit(0.8),
        ..none()
    };
    f.desk.tighten(1, Some(0), &low);
    f.tick();
    let cold = TightenLimits {
        continuous_force_n: Limit(0.05),
        ..none()
    };
    f.desk.tighten(2, None, &cold);
    f.tick();
    let (answers, _) = f.settle(1);
    assert!(
        matches!(&answers[..], [(2, Answer::Refused(why)), (1, Answer::Done)] if why.detail.starts_with("arm 1: ")),
        "{answers:?}"
    );
    assert_eq!(f.desk.in_force(0).unwrap().continuous_force_n, 2.0);
}

#[test]
fn a_stopped_loop_is_reported_and_a_paused_process_is_not() {
    let mut f = Fixture::new();
    f.desk.clear_faults(3, Some(0));
    // The process was stopped for an hour: no round, no tick.
    assert_eq!(f.settle(1), (vec![], true));
    assert_eq!(f.settle(3_600_000), (vec![], true));
    let mut answers = vec![];
    let mut rounds = 0;
    while answers.is_empty() {
        answers = f.settle(1).0;
        rounds += 1;
        assert!(rounds < 2000, "nobody is told");
    }
    assert!(rounds > 900, "after {rounds} ms");
    assert!(
        matches!(&answers[..], [(3, Answer::Refused(why))] if why.code == ErrorCode::Internal && why.detail.contains("haptic loop")),
        "{answers:?}"
    );
}
