//! E2 (section 2.7.2): open meshes that bounce on a floor, one at a time, from random states.

use std::sync::Arc;

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{MassProperties, Mat3, Pose, Quat, TriMesh, Vec3, shapes, transform};
use hapticd_rigid::{BodySpec, Mass, RigidWorld, Settings, Twist};
use hapticd_testkit::Random;
use serde_json::Value;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models;

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e2",
    title: "bouncing teapots: open meshes on a floor, random starts",
    judges: Judges::CountsAndTime(&[]),
    run,
};

const STARTS: u32 = 1000;
const STEPS: u32 = 45;
const STEP_S: f64 = 1.0 / 30.0;
/// Mass of the teapot, kg.
const MASS_KG: f64 = 0.8;
/// Relative rise of the energy that rounding may cause.
const ROUNDING: f64 = 1e-9;

/// Totals over all starts.
#[derive(Default)]
struct Outcome {
    below: u32,
    bad: u32,
    cut: u32,
    meetings: u32,
    rises: u32,
    /// Largest rise of the energy in a step, relative to that at the start.
    largest_rise: f64,
    lowest_m: f64,
    /// Time of each step, sorted.
    seconds: Vec<f64>,
}

impl Outcome {
    fn mean_s(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len() as f64
    }

    fn below_s(&self, share: f64) -> f64 {
        self.seconds[((self.seconds.len() - 1) as f64 * share) as usize]
    }
}

/// Lets the pot fall and bounce, each start for this many steps.
fn bounce(
    pot: &Arc<MeshIndex>,
    mass: &MassProperties,
    corners: &[Vec3],
    starts: u32,
    steps: u32,
    step_s: f64,
) -> Result<Outcome, Failure> {
    let failed = |e| Failure::Run(format!("the floor: {e}"));
    let refused = |e| Failure::Run(format!("a body: {e}"));
    let floor = Arc::new(MeshIndex::new(
        shapes::cuboid(&Vec3::new(20.0, 20.0, 0.5)).map_err(failed)?,
    ));
    let mut random = Random::new(2);
    let mut out = Outcome {
        lowest_m: f64::INFINITY,
        ..Outcome::default()
    };
    for _ in 0..starts {
        let mut world = RigidWorld::new(Settings::default()).map_err(refused)?;
        let mut ground = BodySpec::fixed(floor.clone(), Pose::translation(0.0, 0.0, -0.5));
        let turn = random.direction() * random.between(0.0, 3.0);
        let start = Pose::from_parts(
            Vec3::new(0.0, 0.0, random.between(0.25, 0.8)).into(),
            Quat::from_scaled_axis(turn),
        );
        let mut body = BodySpec::dynamic(pot.clone(), start, 1.0);
        body.mass = Some(Mass::Given(*mass));
        body.twist = Twist {
            linear: random.direction() * random.between(0.0, 4.0),
            angular: random.direction() * random.between(0.0, 12.0),
        };
        // The law of the source is Newton's, along the normal.
        body.material.restitution = random.between(0.0, 1.0);
        body.material.friction = 0.0;
        ground.material = body.material;
        world.add(&ground).map_err(refused)?;
        let id = world.add(&body).map_err(refused)?;
        let first = world.energy_j();
        let mut energy = first;
        for _ in 0..steps {
            let began = Moment::now();
            let plan = world.step(step_s);
            out.seconds.push(began.elapsed().as_secs_f64());
            out.cut += u32::from(plan.duration_s < step_s);
            out.meetings += u32::from(plan.segments().len() > 1);
            let pose = world.body(id).map_err(refused)?.world_from_body;
            let low = corners
                .iter()
                .map(|p| transform(&pose, p).z)
                .fold(f64::INFINITY, f64::min);
            let now = world.energy_j();
            out.bad += u32::from(!(low.is_finite() && now.is_finite()));
            out.below += u32::from(!(low > 0.0));
            out.lowest_m = out.lowest_m.min(low);
            let rise = (now - energy) / first;
            out.rises += u32::from(rise > ROUNDING);
            out.largest_rise = out.largest_rise.max(rise);
            energy = now;
        }
    }
    out.seconds.sort_by(f64::total_cmp);
    Ok(out)
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let pot = models::teapot()?;
    let (triangles, corners, mass) = (pot.triangles().len(), pot.positions().to_vec(), shell(&pot));
    let pot = Arc::new(MeshIndex::new(pot));
    let starts = if context.quick { STARTS / 20 } else { STARTS };
    let out = bounce(&pot, &mass, &corners, starts, STEPS, STEP_S)?;
    let finer = bounce(
        &pot,
        &mass,
        &corners,
        starts / 20,
        10 * STEPS,
        STEP_S / 10.0,
    )?;
    let slow = out.seconds.iter().filter(|&&s| s > STEP_S / 2.0).count();
    let most = out.below_s(0.99);
    let holds = out.below == 0 && out.bad == 0 && out.rises == 0;
    let why = format!(
        "{starts} starts of {STEPS} steps: below the floor {} times, not a number {} times; the energy rises in {} of {} steps, at most by {:.1e} of \
         that at the start (with steps a \
         tenth as long by {:.1e}); 99 % of the steps take less than {:.1} ms, on average {:.2} ms \
         (published: faster than the screen, no incoherence or instability)",
        out.below,
        out.bad,
        out.rises,
        out.seconds.len(),
        out.largest_rise,
        finer.largest_rise,
        1e3 * most,
        1e3 * out.mean_s()
    );
    Ok(Report {
        rows: vec![
            Row::new("random starts", "", Value::Null, STARTS),
            Row::new("steps in which it meets the floor", "", Value::Null, out.meetings),
            Row::new("steps that end below the floor", "", 0, out.below),
            Row::new("lowest corner over all steps", "m", Value::Null, out.lowest_m),
            Row::new("steps with a number that is not finite", "", 0, out.bad),
            Row::new("steps cut short", "", 0, out.cut),
            Row::new("steps in which the energy rises by more than rounding", "", 0, out.rises),
            Row::new("largest rise of the energy in a step, of that at the start", "", 0, out.largest_rise),
            Row::new("the same with steps a tenth as long", "", Value::Null, finer.largest_rise),
            Row::new("time of a step, mean", "s", "below 1/60", out.mean_s()),
            Row::new("time of a step, 99 % below", "s", "below 1/60", most),
            Row::new("steps that take longer than 1/60 s", "", 0, slow),
            Row::new("time of a step, worst", "s", "below 1/60", out.below_s(1.0)),
        ],
        verdict: Verdict::new(holds, why).and_time(most < STEP_S / 2.0),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!("a procedural teapot of {triangles} triangles in open patches; its mass is that of a thin shell; steps of 1/30 s, no friction, \
            restitution 0 to 1"),
            "the simulator's box trees stand for the source's sphere trees; a step goes on after a bounce, where the source's ended".into(),
            "processor time; the time of 99 % of the steps decides".into(),
        ],
    })
}

/// Returns the mass properties of a uniform shell: each triangle acts as masses at the midpoints of
/// its three edges.
fn shell(mesh: &TriMesh) -> MassProperties {
    let mut points = Vec::new();
    for t in 0..mesh.triangles().len() {
        let [p, q, r] = mesh.triangle(t);
        let third = (q - p).cross(&(r - p)).norm() / 6.0;
        // Exact for second moments.
        points.extend([(p + q) / 2.0, (q + r) / 2.0, (r + p) / 2.0].map(|m| (m, third)));
    }
    let area: f64 = points.iter().map(|p| p.1).sum();
    let center = points.iter().map(|(p, a)| p * *a).sum::<Vec3>() / area;
    let mut inertia = Mat3::zeros();
    for (p, a) in &points {
        let d = p - center;
        inertia += (Mat3::identity() * d.norm_squared() - d * d.transpose()) * (a / area * MASS_KG);
    }
    MassProperties {
        mass: MASS_KG,
        center,
        inertia,
    }
}
