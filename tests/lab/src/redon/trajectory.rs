//! Command trajectories: recorded once, deterministic, and replayed identically for every variant
//! of a query.
//!
//! A scripted hand leads a body through the dynamics of a first-order world without friction, in
//! which it stops at contacts and slides along them. The recording holds the queries of the steps
//! to detection: the start of the body, and the screw to follow *for the whole rest of the frame*.
//! So a step that a contact cut short meets that contact again in every replay.

use std::sync::{Arc, OnceLock};

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Pose, Quat, Screw, Vec3};
use hapticd_rigid::{BodySpec, Order, RigidWorld, SegmentKind, Settings, Twist};

use crate::clock::Moment;
use crate::experiment::Failure;

/// Length of a frame, s.
const FRAME_S: f64 = 1.0 / 30.0;
/// In a first-order world the mass does not matter, but its distribution does.
const DENSITY_KG_M3: f64 = 2700.0;

/// One query to detection, in the frame of the static body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Start of the moving body.
    pub start: Pose,
    /// Its intended motion.
    pub screw: Screw,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// A value that is computed once and shared by all callers.
pub type Recorded<T> = OnceLock<Result<T, String>>;

/// Returns the value in the cell; computes it at the first call.
pub fn recorded<T>(
    cell: &'static Recorded<T>,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<&'static T, Failure> {
    let made = cell.get_or_init(|| make().map_err(|e| format!("{e:?}")));
    made.as_ref().map_err(|why| Failure::Run(why.clone()))
}

/// A recording.
pub struct Trajectory {
    /// Steps in order; a frame has one or more, or none if nothing moves.
    pub steps: Vec<Step>,
    /// Number of frames.
    pub frames: u32,
    /// Number of steps that detection cut short.
    pub stopped: usize,
    /// Time of each frame's step, dynamics and detection, s, on this machine.
    pub seconds: Vec<f64>,
}

impl Trajectory {
    /// Returns every `every`-th step and all that were stopped.
    pub fn sample(&self, every: usize) -> impl Iterator<Item = &Step> {
        let chosen = self
            .steps
            .iter()
            .enumerate()
            .filter(move |(i, step)| i % every == 0 || step.stopped);
        chosen.map(|(_, step)| step)
    }
}

/// A scripted hand: positions and rotation vectors that it passes smoothly at given fractions of
/// the path.
pub struct Hand<'a>(pub &'a [(f64, [f64; 3], [f64; 3])]);

impl Hand<'_> {
    /// Returns its pose at this fraction of the path.
    pub fn at(&self, share: f64) -> Pose {
        let next = self
            .0
            .iter()
            .position(|key| key.0 > share)
            .unwrap_or(self.0.len() - 1)
            .max(1);
        let ((t0, p0, r0), (t1, p1, r1)) = (self.0[next - 1], self.0[next]);
        let s = ((share - t0) / (t1 - t0)).clamp(0.0, 1.0);
        // At rest at every key.
        let s = s * s * (3.0 - 2.0 * s);
        let mix = |p: [f64; 3], q: [f64; 3]| Vec3::from(p).lerp(&Vec3::from(q), s);
        Pose::from_parts(mix(p0, p1).into(), Quat::from_scaled_axis(mix(r0, r1)))
    }
}

/// Leads `mobile` around `standing` along the hand's path.
pub fn record(
    mobile: &Arc<MeshIndex>,
    standing: &Arc<MeshIndex>,
    hand: &Hand<'_>,
    frames: u32,
) -> Result<Trajectory, Failure> {
    let refused = |e| Failure::Run(format!("a body of the trajectory: {e}"));
    let mut world = RigidWorld::new(Settings {
        order: Order::First,
        ..Settings::default()
    })
    .map_err(refused)?;
    let mut fixed = BodySpec::fixed(standing.clone(), Pose::identity());
    let mut led = BodySpec::dynamic(mobile.clone(), hand.at(0.0), DENSITY_KG_M3);
    for spec in [&mut fixed, &mut led] {
        spec.material.friction = 0.0;
    }
    world.add(&fixed).map_err(refused)?;
    let led = world.add(&led).map_err(refused)?;
    let mut out = Trajectory {
        steps: Vec::new(),
        frames,
        stopped: 0,
        seconds: Vec::new(),
    };
    for frame in 1..=frames {
        let body = world.body(led).map_err(refused)?;
        let mut pose = body.world_from_body;
        let wanted = hand.at(f64::from(frame) / f64::from(frames));
        let turn = (wanted.rotation * pose.rotation.inverse()).scaled_axis();
        let centre_in_body = pose.inverse_transform_point(&body.centre.into());
        let way = (wanted * centre_in_body).coords - body.centre;
        let twist = Twist {
            linear: way / FRAME_S,
            angular: turn / FRAME_S,
        };
        world.set_twist(led, &twist).map_err(refused)?;
        let start = Moment::now();
        let plan = world.step(FRAME_S);
        out.seconds.push(start.elapsed().as_secs_f64());
        let mut left = FRAME_S;
        for segment in plan.segments() {
            let Some(made) = plan.screws(segment).get(led.slot as usize) else {
                continue;
            };
            if segment.kind == SegmentKind::Motion {
                let whole = if segment.duration_s > 0.0 {
                    left / segment.duration_s
                } else {
                    1.0
                };
                if *made != Screw::identity() {
                    out.steps.push(Step {
                        start: pose,
                        screw: made.part(whole),
                        stopped: whole > 1.0 + 1e-9,
                    });
                }
                left -= segment.duration_s;
            }
            pose = made.pose_at(&pose, 1.0);
            pose.rotation.renormalize();
        }
    }
    out.stopped = out.steps.iter().filter(|s| s.stopped).count();
    Ok(out)
}
