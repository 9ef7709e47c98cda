//! Six degrees of freedom: the wrench on the hand matches the contact force.
//!
//! A cube is pressed on a floor and slid along it, on a corner and on an edge. The expected torque
//! follows from the force and from the position of the corner or edge, by the tool's pose alone.

use hapticd_geometry::{Quat, Vec3};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::feel::stage::{
    LIMITS, SETTLED_S, STIFFNESS, Stage, body, corners, cube, eased, forced_arm, lowest, posed,
};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-wrench",
    title: "boxes of 10 to 120 mm on a floor: torque beside lever times force, and lateral force",
    judges: Judges::Counts(&[]),
    run,
};

/// Bars: torque that differs from lever times force, as a fraction of it; lateral force, as a
/// fraction of the force.
const TORQUE: f64 = 0.01;
const LATERAL: f64 = 1e-3;
/// Stiffness of materials, N/m, and damping of the damped ones, N s/m.
const MATERIALS: [f64; 4] = [50.0, 300.0, 1000.0, 1e5];
const DAMPED: f64 = 1.5;
/// Damper of the coupling, N s/m: its automatic value on such an arm.
const DAMPER: f64 = 0.4;
/// Forces below this count as zero, N: those of the damper when a touch begins.
const MIN_N: f64 = 0.05;

/// Attitude of the cube.
#[derive(Clone, Copy, PartialEq)]
enum Stand {
    Corner,
    Edge,
}

/// Largest deviations of torque and of lateral force, and the largest force, N.
#[derive(Clone, Copy, Default)]
struct Off {
    torque: f64,
    lateral: f64,
    most_n: f64,
    /// Deviation of the torque while the hand is at rest.
    resting: f64,
}

impl Off {
    fn or(self, other: Self) -> Self {
        Off {
            torque: self.torque.max(other.torque),
            lateral: self.lateral.max(other.lateral),
            most_n: self.most_n.max(other.most_n),
            resting: self.resting.max(other.resting),
        }
    }
}

fn measured(
    half: f64,
    stand: Stand,
    (stiffness, damping): (f64, f64),
    friction: f64,
    mutant: bool,
) -> Result<Off, Failure> {
    let rotation = match stand {
        Stand::Corner => {
            Quat::from_scaled_axis(Vec3::x() * 0.5) * Quat::from_scaled_axis(Vec3::y() * -0.4)
        }
        Stand::Edge => Quat::from_scaled_axis(Vec3::y() * 0.4),
    };
    let points = corners(half);
    let up = -lowest(&points, &rotation).z;
    // As deep as turns it by about 0.02 rad, and at most 3 mm.
    let soft = stiffness.min(STIFFNESS);
    let depth = (0.01 / (half * soft)).min(0.003);
    let top = -up - 0.001;
    let way = move |t: f64| {
        let down = eased(t, SETTLED_S, SETTLED_S + 0.15);
        let along = eased(t, 0.5, 0.8) * Vec3::new(1e-3, 5e-4, 0.0);
        let turn = Quat::from_scaled_axis(Vec3::new(0.01, -0.02, 0.03) * eased(t, 0.9, 1.1));
        posed(along - Vec3::z() * (0.001 + depth) * down, turn * rotation)
    };
    let floor = "{ kind = \"cuboid\", size_m = [0.8, 0.8, 0.02] }";
    let text = forced_arm(&cube(half), STIFFNESS, DAMPER)
        + LIMITS
        + &body(floor, [0.0, 0.0, top - 0.01], stiffness, damping, friction);
    let mut off = Off::default();
    for (k, tick) in Stage::led(&text, 4, way)?.run(1300).iter().enumerate() {
        let (force, mut torque) = (tick.wanted.force_n, tick.wanted.torque_nm);
        if mutant {
            torque *= 1.02;
        }
        if force.norm() < MIN_N {
            continue;
        }
        let (hand, proxy) = (tick.world_from_device, tick.world_from_proxy);
        let contact = proxy.translation.vector + lowest(&points, &proxy.rotation);
        let lever = contact - hand.translation.vector;
        let rest = torque - lever.cross(&force);
        let share = match stand {
            Stand::Corner => rest.norm() / lever.cross(&force).norm(),
            // The force may act anywhere on the edge: only the torque about the edge can be tested,
            // relative to the largest that the cube allows.
            Stand::Edge => rest.dot(&(proxy.rotation * Vec3::y())).abs() / (half * force.norm()),
        };
        let lateral = (force.xy().norm() - friction * force.z).max(0.0);
        let still = (300..500).contains(&k) || k > 1200;
        off = off.or(Off {
            torque: share,
            lateral: lateral / force.norm(),
            most_n: force.norm(),
            resting: if still { share } else { 0.0 },
        });
    }
    Ok(off)
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut rows = Vec::new();
    let (mut worst, mut damped) = (Off::default(), Off::default());
    for damping in [0.0, DAMPED] {
        for (stand, name) in [(Stand::Corner, "corner"), (Stand::Edge, "edge")] {
            for friction in [0.0, 0.5] {
                for half in [0.005, 0.01, 0.02, 0.04, 0.06] {
                    // A damped material misses its bar.
                    if context.quick && (half != 0.01 || damping > 0.0) {
                        continue;
                    }
                    let mut off = Off::default();
                    for stiffness in MATERIALS {
                        let one =
                            measured(half, stand, (stiffness, damping), friction, context.mutant)?;
                        if one.most_n < MIN_N {
                            return Err(Failure::Run(format!("{half} m: nothing was pressed")));
                        }
                        off = off.or(one);
                    }
                    let of = if damping > 0.0 {
                        &mut damped
                    } else {
                        &mut worst
                    };
                    *of = of.or(off);
                    let title = format!(
                        "{:.0} mm on its {name}, friction {friction}, damping {damping}",
                        2e3 * half
                    );
                    rows.push(
                        Row::new(title, "", TORQUE, off.torque)
                            .with("at rest", off.resting)
                            .with("lateral beyond friction", off.lateral)
                            .with("most, N", off.most_n),
                    );
                }
            }
        }
    }
    let within = |off: &Off| off.torque <= TORQUE && off.lateral <= LATERAL;
    let said = |off: &Off| {
        format!(
            "torque that is not lever times force at most {:.4} %, at rest {:.1e} %, lateral force beyond \
             friction {:.4} %",
            1e2 * off.torque,
            1e2 * off.resting,
            1e2 * off.lateral
        )
    };
    Ok(Report {
        rows,
        verdict: Verdict::new(
            within(&worst) && within(&damped),
            format!(
                "1 % and 0.1 % allowed; materials without damping: {}; with {} N s/m: {}",
                said(&worst),
                DAMPED,
                said(&damped)
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "largest share in any tick with more than {MIN_N} N, over materials of 50 to 100,000 N/m; \
                 published: the bar; coupling {STIFFNESS} N/m, {DAMPER} N s/m; answers 4 ticks late"
            ),
            "on an edge: torque about the edge, beside half the cube's edge times the force".into(),
        ],
    })
}
