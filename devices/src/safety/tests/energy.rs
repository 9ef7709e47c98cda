//! The governor with a spring behind the force: when a debt of energy is acted on, and what is
//! forgotten.

use super::*;

/// A hand that is pushed along by a constant wrench, out of nothing.
struct Pushed {
    bench: Bench,
    wrench: Wrench,
    /// How far hand and spring go in a tick, m and rad.
    step: (Vec3, Vec3),
    ticks: u32,
}

impl Pushed {
    /// Of an arm that takes nothing by itself, and at the wrench already.
    fn new(arm: &ArmSpec, limits: &Limits, wrench: Wrench, step: (Vec3, Vec3)) -> Self {
        let mut bench = Bench::new();
        let frictionless = ArmSpec {
            damping_n_s_per_m: 0.0,
            coulomb_friction_n: 0.0,
            angular_damping_nm_s_per_rad: 0.0,
            angular_coulomb_friction_nm: 0.0,
            native_period_ns: 0,
            ..arm.clone()
        };
        bench.governor = Governor::new(limits, &frictionless).expect("valid limits");
        while bench.tick().state != S::Active {}
        bench.wanted = wrench;
        bench.ticks(20);
        Pushed {
            bench,
            wrench,
            step,
            ticks: 0,
        }
    }

    fn tick(&mut self) -> Governed {
        let bench = &mut self.bench;
        bench.now_ns += MS;
        let mut sample = sample(bench.now_ns);
        let gone = f64::from(self.ticks);
        self.ticks += 1;
        sample.pose = Pose::new(self.step.0 * gone, self.step.1 * gone);
        bench.governor.step(&GovernorInput {
            now_ns: bench.now_ns,
            wanted: self.wrench,
            sample: &sample,
            contact_age_ns: 0,
            spring: Some(Spring {
                far_end: sample.pose,
                centre: Vec3::zeros(),
                stored_j: [0.0; 2],
                stiffness: [1000.0, 1.0],
                before: Ends::default(),
                held_by_movers: false,
            }),
            faults: bench.faults,
            enable: true,
        })
    }

    /// What the hand has been given when the gain falls, J.
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

fn wrench(force_n: f64, torque_nm: f64) -> Wrench {
    Wrench {
        force_n: Vec3::x() * force_n,
        torque_nm: Vec3::x() * torque_nm,
    }
}

/// Four swings of the smallest noticeable force over the smallest noticeable way, which is four
/// encoder steps at least; and what an encoder step hides of the work of the wrench.
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
        // A millionth of a joule in each tick.
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
fn where_the_pose_may_have_jumped_the_ledger_begins_anew() {
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
    // Where the hand is known it goes on, with or without force.
    let step = (Vec3::x() * 1e-6, Vec3::zeros());
    let mut pushed = Pushed::new(&spec(), &Limits::default(), wrench(5.0, 0.0), step);
    (0..10).for_each(|_| _ = pushed.tick());
    pushed.bench.faults = ReasonSet::of(R::ClientLost);
    pushed.tick();
    let given_j = pushed.bench.governor.energy().given_j;
    assert!((given_j - 10.0 * 5e-6).abs() < 1e-12, "{given_j}");
}
