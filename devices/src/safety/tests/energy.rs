//! The governor with a spring behind the force: when it acts on a debt of energy, and what it
//! forgets.

use super::*;

/// A hand that a constant wrench pushes along, with energy from nothing.
pub(super) struct Pushed {
    pub(super) bench: Bench,
    pub(super) wrench: Wrench,
    /// Motion of hand and spring per tick, m and rad.
    step: (Vec3, Vec3),
    /// Energy stored in the spring throughout.
    stored_j: [f64; 2],
    pub(super) gone: (Vec3, Vec3),
    /// From the hand to the spring's far end, m.
    pub(super) far_end_ahead: Vec3,
    pub(super) held_by_movers: bool,
}

impl Pushed {
    /// For an arm that takes no energy; the wrench is already settled.
    pub(super) fn new(arm: &ArmSpec, limits: &Limits, wrench: Wrench, step: (Vec3, Vec3)) -> Self {
        let arm = ArmSpec {
            native_period_ns: 0,
            ..frictionless(arm)
        };
        Self::by(&arm, limits, wrench, step)
    }

    /// For this arm.
    pub(super) fn by(arm: &ArmSpec, limits: &Limits, wrench: Wrench, step: (Vec3, Vec3)) -> Self {
        let mut bench = Bench::new();
        bench.governor = Governor::new(limits, arm).expect("valid limits");
        bench.activate();
        bench.wanted = wrench;
        bench.ticks(20);
        Pushed {
            bench,
            wrench,
            step,
            stored_j: [0.0; 2],
            gone: (Vec3::zeros(), Vec3::zeros()),
            far_end_ahead: Vec3::zeros(),
            held_by_movers: false,
        }
    }

    pub(super) fn tick(&mut self) -> Governed {
        let bench = &mut self.bench;
        bench.now_ns += MS;
        let mut sample = sample(bench.now_ns);
        let (stored_j, stiffness) = (self.stored_j, [1000.0, 1.0]);
        sample.pose = Pose::new(self.gone.0, self.gone.1);
        let far_end = Pose::new(self.gone.0 + self.far_end_ahead, self.gone.1);
        self.gone.0 += self.step.0;
        self.gone.1 += self.step.1;
        bench.governor.step(&GovernorInput {
            now_ns: bench.now_ns,
            wanted: self.wrench,
            effects_n: Vec3::zeros(),
            reacting_n: Vec3::zeros(),
            sample: &sample,
            contact_age_ns: 0,
            spring: Some(Spring {
                far_end,
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
                held_by_movers: self.held_by_movers,
            }),
            faults: bench.faults,
            enable: true,
        })
    }

    /// Returns the energy that the hand was given when the gain falls, J.
    fn until_lowered(&mut self) -> f64 {
        for _ in 0..2000 {
            let before_j = self.bench.governor.energy().debt_j;
            self.tick();
            if self.bench.governor.energy().gain < 1.0 {
                return before_j;
            }
        }
        panic!("not lowered: {:?}", self.bench.governor.energy());
    }
}

/// Returns the same arm without damping and friction.
pub(super) fn frictionless(arm: &ArmSpec) -> ArmSpec {
    ArmSpec {
        damping_n_s_per_m: 0.0,
        coulomb_friction_n: 0.0,
        angular_damping_nm_s_per_rad: 0.0,
        angular_coulomb_friction_nm: 0.0,
        ..arm.clone()
    }
}

pub(super) fn wrench(force_n: f64, torque_nm: f64) -> Wrench {
    Wrench {
        force_n: Vec3::x() * force_n,
        torque_nm: Vec3::x() * torque_nm,
    }
}

/// The bound is four swings of the smallest noticeable force over the smallest noticeable motion
/// (at least four encoder steps), plus the work of the wrench that an encoder step hides.
#[test]
fn a_debt_is_acted_on_beyond_four_noticeable_swings_and_the_encoders_rounding() {
    let coarse = ArmSpec {
        resolution_m: 1e-4,
        resolution_rad: 1e-3,
        ..spec()
    };
    for (arm, force_n, torque_nm, bound_j) in [
        (spec(), 5.0, 0.0, 4.0 * 0.5 * 1e-4 + 5.0 * 2e-5),
        (spec(), 5.0, 0.1, 4.0 * 0.5 * 1e-4 + 5.0 * 2e-5 + 0.1 * 1e-4),
        (
            coarse,
            2.0,
            0.15,
            4.0 * 0.5 * 4e-4 + 2.0 * 1e-4 + 0.15 * 1e-3,
        ),
    ] {
        // 1e-6 J in each tick.
        let step = (Vec3::x() * (1e-6 / force_n), Vec3::zeros());
        let wrench = wrench(force_n, torque_nm);
        let mut pushed = Pushed::new(&arm, &Limits::default(), wrench, step);
        let debt_j = pushed.until_lowered();
        assert!(
            (bound_j - 1e-9..bound_j + 2.1e-6).contains(&debt_j),
            "{force_n} N: {debt_j} J, not {bound_j} J"
        );
    }
}

#[test]
fn where_the_pose_may_have_jumped_the_ledger_begins_again() {
    for reason in [R::DeviceLost, R::DeviceFault, R::PoseUnknown] {
        let step = (Vec3::x() * 1e-6, Vec3::zeros());
        let mut pushed = Pushed::new(&spec(), &Limits::default(), wrench(5.0, 0.0), step);
        (0..10).for_each(|_| _ = pushed.tick());
        let given_j = pushed.bench.governor.energy().given_j;
        assert!((given_j - 9.0 * 5e-6).abs() < 1e-12, "{given_j}");
        pushed.bench.faults = ReasonSet::of(reason);
        pushed.tick();
        let energy = pushed.bench.governor.energy();
        assert_eq!((energy.given_j, energy.debt_j), (0.0, 0.0), "{reason}");
    }
    // A wanted wrench that is not finite says nothing of a spring.
    let step = (Vec3::x() * 1e-6, Vec3::zeros());
    let mut pushed = Pushed::new(&spec(), &Limits::default(), wrench(5.0, 0.0), step);
    (0..10).for_each(|_| _ = pushed.tick());
    pushed.wrench.force_n.y = f64::NAN;
    pushed.tick();
    assert_eq!(pushed.bench.governor.energy().given_j, 0.0);
    // If the hand's pose is known, the ledger continues, with or without force.
    let step = (Vec3::x() * 1e-6, Vec3::zeros());
    let mut pushed = Pushed::new(&spec(), &Limits::default(), wrench(5.0, 0.0), step);
    (0..10).for_each(|_| _ = pushed.tick());
    pushed.bench.faults = ReasonSet::of(R::ClientLost);
    pushed.tick();
    let given_j = pushed.bench.governor.energy().given_j;
    assert!((given_j - 10.0 * 5e-6).abs() < 1e-12, "{given_j}");
}

#[test]
fn what_is_sent_and_what_counts_as_stored_fall_with_the_gain() {
    let step = (Vec3::x() * 2e-6, Vec3::zeros());
    let mut pushed = Pushed::new(&spec(), &Limits::default(), wrench(5.0, 0.1), step);
    pushed.stored_j = [1e-3, 2e-3];
    pushed.tick();
    assert!((pushed.bench.governor.energy().stored_j - 3e-3).abs() < 1e-12);
    pushed.until_lowered();
    let mut out = pushed.tick();
    // The force falls at the slew limit.
    (0..4).for_each(|_| out = pushed.tick());
    let energy = *pushed.bench.governor.energy();
    assert!((0.25..0.26).contains(&energy.gain), "{energy:?}");
    // Apart from what the gain recovers in a tick.
    for (is, was) in [
        (out.wrench.force_n.x, 5.0),
        (out.wrench.torque_nm.x, 0.1),
        (energy.stored_j, 3e-3),
    ] {
        assert!((is / was / energy.gain - 1.0).abs() < 1e-3, "{is} of {was}");
    }
}

/// Commands sent before the end of the fade give the hand energy, and then no more.
#[test]
fn what_is_under_way_after_a_fade_does_not_keep_force_off() {
    let late = ArmSpec {
        transport_delay_ns: 60 * MS,
        workspace: Workspace {
            center: Vec3::zeros(),
            half_extents: Vec3::repeat(1e3),
        },
        ..spec()
    };
    let step = (Vec3::x() * 1e-2, Vec3::zeros());
    let mut pushed = Pushed::new(&late, &Limits::default(), wrench(5.0, 0.0), step);
    while !pushed.tick().reasons.contains(R::Oscillation) {
        assert!(pushed.gone.0.x < 20.0, "gone by 20 m");
    }
    // The fade takes 50 ms, and its commands are under way for 60 ms.
    let acted = pushed.bench.governor.oscillations();
    (0..52).for_each(|_| _ = pushed.tick());
    assert_eq!(pushed.bench.governor.state(), S::Fault);
    let (given_j, scale) = (pushed.bench.governor.energy().given_j, pushed.tick().scale);
    assert!(pushed.bench.governor.energy().given_j > given_j && scale == 0.0);
    assert!(pushed.bench.governor.oscillations() > acted);
    pushed.step.0 = Vec3::zeros();
    pushed.wrench = Wrench::zero();
    let mut out = pushed.tick();
    (0..200).for_each(|_| out = pushed.tick());
    assert_eq!(out.reason, None);
    assert!(out.scale > 0.0, "{out:?}");
}

#[test]
fn what_passes_is_told_as_a_share_and_a_length() {
    let mut bench = Bench::new();
    assert_eq!(bench.tick().passed.share, 0.0);
    bench.wanted.force_n.x = 0.1;
    while bench.tick().state != S::Ramping {}
    for _ in 0..100 {
        let out = bench.tick();
        assert!((out.passed.share - out.scale).abs() < 1e-12, "{out:?}");
        assert_eq!(out.passed.most_n, bench.governor.limits().peak_force_n);
    }
    bench.activate();
    let peak_n = bench.governor.limits().peak_force_n;
    bench.wanted.force_n.x = 2.0 * peak_n;
    // As much as the slew limit passes in a tick, of what the peak leaves.
    let out = bench.tick();
    let step_n = bench.governor.limits().slew_n_per_s * 1e-3;
    assert!(
        (out.passed.share - (0.1 + step_n) / peak_n).abs() < 1e-9,
        "{out:?}"
    );
    let out = bench.ticks(20);
    let passed = PassedForce {
        share: 1.0,
        edge: 1.0,
        most_n: peak_n,
    };
    assert_eq!(out.passed, passed);
    // Half way through the fade outside the workspace, and beyond it: reported separately.
    bench.wanted.force_n.x = 0.1;
    bench.spoil = |sample| sample.pose.translation.vector.x = 0.105;
    let out = bench.ticks(20);
    assert!((out.passed.edge - 0.5).abs() < 1e-9 && (out.passed.share - 1.0).abs() < 1e-9);
    bench.spoil = |sample| sample.pose.translation.vector.x = 0.2;
    let out = bench.ticks(20);
    assert_eq!((out.passed.edge, out.passed.share), (0.0, 1.0));
    bench.faults = ReasonSet::of(R::DeviceLost);
    assert_eq!(bench.tick().passed.share, 0.0);
}
