use hapticd_devices::sim::SimArmParams;
use hapticd_geometry::Pose;
use hapticd_proxy::{ArmSetup, Damping, Distances, Interaction, ToolShape};

use super::super::core::{ArmInput, LoopArm, LoopInput};
use super::super::frame::ArmFrame;
use super::super::record::ArmTick;
use super::super::watchdog::Silent;
use super::*;

#[test]
fn a_restriction_takes_the_smaller_of_each_and_nothing_else() {
    let one = Restriction {
        peak_force_n: 2.0,
        velocity_m_s: 0.5,
        ..Restriction::NONE
    };
    let other = Restriction {
        peak_force_n: 3.0,
        slew_n_per_s: 100.0,
        ..Restriction::NONE
    };
    let both = one.and(&other);
    assert_eq!(both, other.and(&one));
    assert_eq!(
        (both.peak_force_n, both.slew_n_per_s, both.velocity_m_s),
        (2.0, 100.0, 0.5)
    );
    let limits = Limits {
        peak_force_n: 1.0,
        slew_n_per_s: 500.0,
        velocity_limit_m_s: 1.5,
        ..Limits::default()
    };
    let expected = Limits {
        slew_n_per_s: 100.0,
        velocity_limit_m_s: 0.5,
        ..limits
    };
    assert_eq!(both.applied_to(&limits), expected);
    assert_eq!(Restriction::NONE.applied_to(&limits), limits);
}

/// The owner's value is whole however often the loop reads: the content of the mailbox's cells does
/// not matter.
#[test]
fn no_change_is_lost_whenever_the_loop_looks() {
    for looks in 0..64_u32 {
        let core = LoopCore::new([const { None }; MAX_ARMS], 1_000_000, 0.0);
        let mut core = core.unwrap();
        let (mut composer, mut configured, mut restrictions) = link(&core, Limits::default());
        for round in 0..6_u32 {
            restrictions.change(|all| all.clears[0] += 1);
            restrictions.change(|all| all.arms[1].peak_force_n = 6.0 - f64::from(round));
            configured.set_gains([Gains::default()].into_iter());
            if looks & (1 << round) != 0 {
                composer.take(&mut core);
                assert!(!configured.is_taken(u64::from(round) + 1), "before a tick");
                composer.acknowledge();
                assert!(configured.is_taken(u64::from(round) + 1));
                assert_eq!(composer.clears[0], u64::from(round) + 1);
            }
        }
        composer.take(&mut core);
        composer.acknowledge();
        assert_eq!(composer.clears[0], 6);
        assert_eq!(composer.restrictions.get().arms[1].peak_force_n, 1.0);
        let kept = restrictions.in_force();
        assert_eq!((kept.configured, kept.restrictions), (6, 12));
    }
}

/// The arm of [`one_arm`].
const ARM: usize = 1;

/// A loop with one desktop arm, which allows 10 N.
fn one_arm() -> LoopCore {
    let mut rigs = [const { None }; MAX_ARMS];
    rigs[ARM] = Some(LoopArm {
        frame: ArmFrame::new(Pose::identity(), 1.0),
        setup: ArmSetup {
            shape: ToolShape::sphere(0.005),
            distances: Distances::for_width(0.2),
            gains: Gains::default(),
            damping: Damping::default(),
            interaction: Interaction::default(),
            pair_budget: 100,
            reach_max_m: 0.05,
            reach_min_m: 0.001,
        },
        spec: SimArmParams::desktop().spec,
        answer_delay_ns: 1_000_000,
        limits: Limits::default(),
        grasp_button: None,
        clutch_button: None,
    });
    LoopCore::new(rigs, 1_000_000, 0.0).unwrap()
}

/// The loop and its owners, and what a tick of it records of the arm.
struct Bench {
    core: LoopCore,
    composer: Composer,
    configured: ConfiguredOwner,
    restrictions: RestrictionsOwner,
    now_ns: u64,
}

impl Bench {
    fn new() -> Self {
        let core = one_arm();
        let (composer, configured, restrictions) = link(&core, Limits::default());
        Bench {
            core,
            composer,
            configured,
            restrictions,
            now_ns: 0,
        }
    }

    fn tick(&mut self) -> ArmTick {
        self.composer.take(&mut self.core);
        self.now_ns += 1_000_000;
        let input = LoopInput {
            now_ns: self.now_ns,
            periods: 1,
            arms: [ArmInput::default(); MAX_ARMS],
            stopping: false,
            cut: false,
            silent: Silent::default(),
        };
        let of_arm = self.core.tick(&input).arms[ARM];
        self.composer.acknowledge();
        of_arm
    }

    fn in_force(&mut self) -> ArmLimits {
        self.restrictions.in_force().arms[ARM].expect("the arm")
    }
}

fn peak(peak_force_n: f64) -> Limits {
    Limits {
        peak_force_n,
        ..Limits::default()
    }
}

#[test]
fn each_magnitude_is_restricted_by_its_own() {
    let limits = |k: f64| Limits {
        peak_force_n: k,
        continuous_force_n: 2.0 * k,
        peak_torque_nm: 3.0 * k,
        continuous_torque_nm: 4.0 * k,
        slew_n_per_s: 5.0 * k,
        slew_nm_per_s: 6.0 * k,
        velocity_limit_m_s: 7.0 * k,
        angular_velocity_limit_rad_s: 8.0 * k,
        ..Limits::default()
    };
    let restriction = |k: f64| Restriction {
        peak_force_n: k,
        continuous_force_n: 2.0 * k,
        peak_torque_nm: 3.0 * k,
        continuous_torque_nm: 4.0 * k,
        slew_n_per_s: 5.0 * k,
        slew_nm_per_s: 6.0 * k,
        velocity_m_s: 7.0 * k,
        angular_velocity_rad_s: 8.0 * k,
    };
    assert_eq!(restriction(1.0).applied_to(&limits(9.0)), limits(1.0));
    assert_eq!(restriction(9.0).applied_to(&limits(1.0)), limits(1.0));
    assert_eq!(restriction(9.0).and(&restriction(1.0)), restriction(1.0));
    assert_eq!(restriction(1.0).and(&Restriction::NONE), restriction(1.0));
}

#[test]
fn before_the_first_tick_the_arms_own_limits_are_in_force() {
    let mut bench = Bench::new();
    let ceiling = Limits::for_arm(&SimArmParams::desktop().spec);
    let of_arm = ArmLimits {
        configured: ceiling,
        in_force: ceiling,
        is_taken: true,
    };
    assert_eq!(bench.in_force(), of_arm);
    assert_eq!(bench.restrictions.in_force().arms[0], None);
    assert!(bench.configured.is_taken(0));
}

#[test]
fn each_change_has_a_version_of_its_own() {
    let mut bench = Bench::new();
    assert_eq!(bench.configured.set_limits(peak(5.0), false), 1);
    assert_eq!(bench.configured.set_gains(std::iter::empty()), 2);
    assert_eq!(bench.configured.set_limits(peak(5.0), true), 3);
    assert_eq!(bench.restrictions.change(|all| all.clears[ARM] = 7), 1);
    assert_eq!(bench.restrictions.change(|_| ()), 2);
    assert_eq!(bench.restrictions.value().version, 2);
    assert_eq!(bench.restrictions.value().clears[ARM], 7);
    bench.tick();
    assert!(bench.configured.is_taken(1) && bench.configured.is_taken(3));
    assert!(!bench.configured.is_taken(4));
}

#[test]
fn the_tick_after_a_change_keeps_it() {
    let mut bench = Bench::new();
    let gains = Gains {
        stiffness_n_per_m: 300.0,
        ..Gains::default()
    };
    let nothing = Gains::default();
    bench.configured.set_limits(peak(5.0), false);
    bench.configured.set_gains([nothing, gains].into_iter());
    (bench.restrictions).change(|all| all.arms[ARM].peak_force_n = 2.0);
    let kept = bench.tick();
    assert_eq!((kept.limits.peak_force_n, kept.gains), (2.0, gains));
    let told = bench.in_force();
    assert_eq!(told.configured.peak_force_n, 5.0);
    assert_eq!((told.in_force, told.is_taken), (kept.limits, true));
    // Once released, the limit rises to the configured one, and never beyond what the arm allows.
    (bench.restrictions).change(|all| all.arms[ARM] = Restriction::NONE);
    assert_eq!(bench.tick().limits.peak_force_n, 5.0);
    bench.configured.set_limits(peak(50.0), false);
    assert_eq!(bench.tick().limits.peak_force_n, 10.0);
    assert_eq!(bench.in_force().configured.peak_force_n, 10.0);
}

#[test]
fn only_new_surfaces_ease_and_only_a_new_clear_clears() {
    let mut bench = Bench::new();
    let mut did = |change: &dyn Fn(&mut Bench)| {
        change(&mut bench);
        let tick = bench.tick();
        (tick.eased, tick.cleared)
    };
    let clear = |b: &mut Bench| _ = b.restrictions.change(|all| all.clears[ARM] += 1);
    let surfaces = |b: &mut Bench| _ = b.configured.set_limits(peak(5.0), true);
    assert_eq!(did(&|_| ()), (false, false));
    assert_eq!(did(&surfaces), (true, false));
    assert_eq!(did(&|_| ()), (false, false));
    assert_eq!(did(&clear), (false, true));
    let limits = |b: &mut Bench| _ = b.configured.set_limits(peak(4.0), false);
    assert_eq!(did(&limits), (false, false));
    assert_eq!(did(&surfaces), (true, false));
    let other_arm = |b: &mut Bench| _ = b.restrictions.change(|all| all.clears[0] += 1);
    assert_eq!(did(&other_arm), (false, false));
}

#[test]
fn limits_out_of_range_are_refused_and_reported() {
    let mut bench = Bench::new();
    bench.configured.set_limits(peak(5.0), false);
    bench.tick();
    let nonsense = Limits {
        edge_fade_m: -1.0,
        ..peak(1.0)
    };
    bench.configured.set_limits(nonsense, false);
    assert_eq!(bench.tick().limits.peak_force_n, 5.0);
    let told = bench.in_force();
    assert_eq!((told.in_force.peak_force_n, told.is_taken), (5.0, false));
}
