//! Largest stiffness of a spring before an arm oscillates, by virtual damping and delay, compared
//! with theory.

use hapticd_devices::arm::{ArmCommand, ArmSpec, Pose, Vec3, Wrench};
use hapticd_devices::sim::{SimArm, SimArmParams};
use hapticd_proxy::{Coupling, Damping, Gains};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-zwidth",
    title: "the stiffest spring that calms down, by delay and virtual damping, beside theory",
    judges: Judges::Counts(&[]),
    run,
};

/// Mass of the arm, kg, and its damping, N s/m.
const MASS_KG: f64 = 0.2;
const DAMPING: f64 = 2.0;
/// Duration of a tick and of a step of the arm, ns.
const TICK_NS: u64 = 1_000_000;
const STEP_NS: u64 = 50_000;
/// Force with which the arm leans on the spring, N.
const LEAN_N: f64 = 3.0;
/// Duration of the observation, ticks.
const TICKS: usize = 2000;
/// Relative accuracy of the search for the largest stiffness.
const NEAR: f64 = 5e-3;
/// Largest relative deviation from theory.
const BAR: f64 = 0.03;

/// Stability limits by exact discretisation of arm, hold, delay and an eight-sample damper: delay
/// (ms), virtual damping (N s/m), stiffness (N/m).
const EXACT: [(u64, f64, f64); 10] = [
    (0, 0.0, 4004.0),
    (0, 0.5, 4729.0),
    (0, 1.0, 5363.0),
    (0, 2.0, 6491.0),
    (1, 0.0, 1332.0),
    (1, 0.5, 1625.0),
    (1, 1.0, 1896.0),
    (1, 2.0, 2390.0),
    (2, 0.0, 802.0),
    (4, 0.0, 447.0),
];

/// Returns true if an arm that leans on the spring, slightly off its rest position, calms down. The
/// spring is `stale` ticks older than declared.
fn calms(stiffness: f64, damping: f64, delay_ms: u64, stale: u64) -> Result<bool, Failure> {
    let mut params = SimArmParams::desktop();
    params.spec = ArmSpec {
        mass_kg: MASS_KG,
        damping_n_s_per_m: DAMPING,
        coulomb_friction_n: 0.0,
        resolution_m: 0.0,
        peak_force_n: 1e9,
        transport_delay_ns: delay_ms * TICK_NS,
        ..params.spec
    };
    params.input_delay_ns = 0;
    params.output_delay_ns = (delay_ms + stale) * TICK_NS;
    let start = Pose::translation(0.0, 0.0, -LEAN_N / stiffness * 1.02);
    let mut arm = SimArm::new(params, start, 0).map_err(|e| Failure::Run(e.to_string()))?;
    let gains = Gains {
        stiffness_n_per_m: stiffness,
        damping_n_s_per_m: damping,
        ..Gains::default()
    };
    let mut coupling = Coupling::new(gains, Damping::Relative);
    let lean = Wrench {
        force_n: Vec3::new(0.0, 0.0, -LEAN_N),
        torque_nm: Vec3::zeros(),
    };
    let mut fastest = [0.0_f64; 10];
    for tick in 0..TICKS {
        if let Some(sample) = arm.read_newest() {
            let wall = Pose::identity();
            let wrench = coupling.wrench(&sample.pose, &wall, &Vec3::zeros(), None, 1e-3);
            arm.send(&ArmCommand {
                sequence: tick as u64,
                wrench: Wrench {
                    force_n: wrench.force_n,
                    torque_nm: Vec3::zeros(),
                },
            });
        }
        for _ in 0..TICK_NS / STEP_NS {
            arm.step(STEP_NS, &lean);
        }
        let speed = &mut fastest[tick * 10 / TICKS];
        *speed = speed.max(arm.body().linear_velocity.norm());
    }
    // Not `fastest[9] >= ...`, so that a NaN speed counts as unstable.
    Ok(fastest[9] < fastest[4] || fastest[9] < 1e-9)
}

fn stiffest(damping: f64, delay_ms: u64, stale: u64) -> Result<f64, Failure> {
    let (mut calm, mut wild) = (50.0, 50_000.0);
    while wild > calm * (1.0 + NEAR) {
        let middle = f64::sqrt(calm * wild);
        if calms(middle, damping, delay_ms, stale)? {
            calm = middle;
        } else {
            wild = middle;
        }
    }
    Ok(calm)
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut rows = Vec::new();
    let mut furthest: f64 = 0.0;
    let stale = u64::from(context.mutant);
    for (delay_ms, damping, exact) in EXACT {
        if context.quick && (delay_ms > 1 || damping > 0.0) {
            continue;
        }
        let ours = stiffest(damping, delay_ms, stale)?;
        let off = (ours / exact - 1.0).abs();
        furthest = furthest.max(off);
        let delay_s = delay_ms as f64 * 1e-3;
        let passive = (DAMPING - damping).max(0.0) / (0.5e-3 + delay_s);
        let name = format!("delay {delay_ms} ms, virtual damping {damping} N s/m");
        rows.push(
            Row::new(name, "N/m", exact, ours)
                .with(
                    "(b + B) / (T/2 + td)",
                    (DAMPING + damping) / (0.5e-3 + delay_s),
                )
                .with("passive, closed form", passive),
        );
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            furthest < BAR,
            format!(
                "at most {:.1} % from exact discretisation (3 % allowed)",
                1e2 * furthest
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "{MASS_KG} kg, {DAMPING} N s/m, 1 kHz, no friction, no encoder steps; the coupling's own damper \
             of eight samples; published: exact discretisation"
        )],
    })
}
