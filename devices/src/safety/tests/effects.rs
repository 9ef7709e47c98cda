//! The governor with effects: what they may do to contact's ledger, and how one that oscillates is
//! calmed.

use super::*;

/// A governor at full authority, and its time.
fn active() -> (Governor, u64) {
    let mut bench = Bench::new();
    bench.activate();
    (bench.governor, bench.now_ns)
}

/// A tick with the hand at `x` against a wall at 0 of 1000 N/m.
fn press(governor: &mut Governor, now_ns: u64, x: f64, effects_n: Vec3) -> Governed {
    let mut sample = sample(now_ns);
    sample.pose.translation.vector.x = x;
    let stretch = x.min(0.0);
    let stored_j = [500.0 * stretch * stretch, 0.0];
    let stiffness = [1000.0, 1.0];
    governor.step(&GovernorInput {
        now_ns,
        wanted: Wrench {
            force_n: Vec3::x() * (-1000.0 * stretch),
            torque_nm: Vec3::zeros(),
        },
        effects_n,
        reacting_n: Vec3::zeros(),
        sample: &sample,
        contact_age_ns: 0,
        spring: Some(Spring {
            far_end: Pose::translation(x.max(0.0), 0.0, 0.0),
            centre: Vec3::zeros(),
            stored_j,
            stiffness,
            before: Ends {
                stiffness,
                none_j: stored_j,
                hand_j: stored_j,
                far_j: stored_j,
                both_j: stored_j,
            },
            held_by_movers: false,
        }),
        faults: ReasonSet::EMPTY,
        enable: true,
    })
}

/// A square of 30 Hz, faster than the slew limit, beside a hand that presses to and fro.
#[test]
fn contact_is_accounted_for_as_if_there_were_no_effects() {
    let (mut plain, mut now_ns) = active();
    let mut with = plain.clone();
    let mut differing = 0;
    for tick in 0..2000u32 {
        now_ns += MS;
        let x = 0.002 * (f64::from(tick) * 0.01).cos();
        let effect = Vec3::x() * if tick % 33 < 16 { 2.0 } else { -2.0 };
        let a = press(&mut plain, now_ns, x, Vec3::zeros());
        let b = press(&mut with, now_ns, x, effect);
        assert_eq!(plain.energy(), with.energy(), "tick {tick}");
        assert_eq!((a.passed, a.scale, a.state), (b.passed, b.scale, b.state));
        differing += u32::from(a.wrench != b.wrench);
    }
    assert!(differing > 1900, "{differing}");
}

/// The same swing of force and hand: one that answers the hand, one that follows time alone.
#[test]
fn an_effect_that_answers_the_hand_is_watched_and_one_that_follows_time_is_not() {
    for answers in [true, false] {
        let (mut governor, mut now_ns) = active();
        for tick in 0..500u32 {
            now_ns += MS;
            let force_n = Vec3::x() * (std::f64::consts::TAU * f64::from(tick) / 12.0).sin();
            let mut sample = sample(now_ns);
            sample.pose.translation.vector.x = if tick % 12 < 6 { 5e-4 } else { 0.0 };
            governor.step(&GovernorInput {
                now_ns,
                wanted: Wrench::zero(),
                effects_n: force_n,
                reacting_n: if answers { force_n } else { Vec3::zeros() },
                sample: &sample,
                contact_age_ns: 0,
                spring: None,
                faults: ReasonSet::EMPTY,
                enable: true,
            });
        }
        assert_eq!(governor.oscillations() > 0, answers);
    }
}
