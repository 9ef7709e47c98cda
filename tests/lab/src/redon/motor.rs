//! The common set-up of E6 to E9 and E12: the window motor led into the door and out again, 2,604
//! frames, recorded once per process.

use std::hint::black_box;
use std::sync::{Arc, OnceLock};

use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_ccd::{MeshIndex, PairKind};
use hapticd_geometry::Pose;
use hapticd_published::first_contact::{Counters, FirstContactOptions, first_contact};
use serde_json::Map;

use super::trajectory::{Hand, Recorded, Step, Trajectory, record, recorded};
use crate::clock::Moment;
use crate::experiment::{Context, Failure, Report, Row, Verdict};
use crate::models;

/// Number of frames, as in the source.
pub const FRAMES: u32 = 2604;

/// Fast and far from the door; in through the access hole; pressed on the outer plate and along it;
/// against the bar, the ribs and the inner plate, turning; out; fast around the opening. Inside,
/// its goal is one or two centimetres within the plates.
const HAND: Hand<'static> = Hand(&[
    (0.00, [0.56, 0.80, 0.30], [0.5, 1.0, 0.3]),
    (0.06, [0.20, 0.50, 0.60], [1.2, 0.2, 0.9]),
    (0.10, [0.56, 0.35, 0.24], [0.0, 0.0, 0.0]),
    (0.20, [0.56, -0.02, 0.24], [0.0, 0.0, 0.0]),
    (0.35, [0.25, -0.02, 0.22], [0.1, 0.2, 0.0]),
    (0.45, [0.20, -0.015, 0.38], [0.0, 0.1, 0.1]),
    (0.55, [0.30, 0.05, 0.20], [0.0, 0.6, 0.0]),
    (0.65, [0.50, 0.06, 0.15], [0.2, 0.0, 0.2]),
    (0.75, [0.75, 0.04, 0.20], [0.0, -0.5, 0.0]),
    (0.84, [0.56, 0.02, 0.24], [0.0, 0.0, 0.0]),
    (0.91, [0.58, 0.40, 0.30], [0.3, 0.0, 0.0]),
    (0.95, [0.30, 0.30, 0.50], [0.9, 0.4, 0.0]),
    (1.00, [0.56, 0.12, 0.24], [0.2, 0.3, 0.1]),
]);

/// The two bodies and the recording.
pub struct Scene {
    /// The moving body.
    pub motor: Arc<MeshIndex>,
    /// The static body.
    pub door: Arc<MeshIndex>,
    /// Trajectory of the motor.
    pub trajectory: Trajectory,
    /// One step in this many is replayed, and all that were stopped.
    pub every: usize,
}

/// A small run replays one step in this many, and all that were stopped.
const QUICK_EVERY: usize = 8;

/// Returns the scene; recorded at the first call and shared by all of the process, which are small
/// runs or none is.
pub fn scene(context: &Context) -> Result<&'static Scene, Failure> {
    static SCENE: Recorded<Scene> = OnceLock::new();
    let every = if context.quick { QUICK_EVERY } else { 1 };
    recorded(&SCENE, || Scene::new(every))
}

impl Scene {
    fn new(every: usize) -> Result<Self, Failure> {
        let motor = Arc::new(MeshIndex::new(models::window_motor()?));
        let door = Arc::new(MeshIndex::new(models::lift_door()?));
        let trajectory = record(&motor, &door, &HAND, FRAMES)?;
        Ok(Self {
            motor,
            door,
            trajectory,
            every,
        })
    }

    /// Replays the steps with these options.
    pub fn replay(&self, options: &FirstContactOptions) -> Replay {
        let mut replay = Replay::default();
        for Step { start, screw, .. } in self.trajectory.sample(self.every) {
            let began = Moment::now();
            let (found, c) = first_contact(&self.motor, &self.door, start, screw, options);
            replay.seconds.push(began.elapsed().as_secs_f64());
            let total = &mut replay.counters;
            total.boxes_final += c.boxes_final;
            total.boxes_initial += c.boxes_initial;
            total.boxes_continuous += c.boxes_continuous;
            total.sweeps += c.sweeps;
            total.edge_edge += c.edge_edge;
            total.vertex_face += c.vertex_face;
            total.face_vertex += c.face_vertex;
            replay
                .contacts
                .push(found.map(|c| (c.t.to_bits(), c.kind, c.feature_a, c.feature_b)));
        }
        replay
    }

    /// Returns the processor time of each step's detection, s, with the search that the dynamics
    /// use.
    pub fn moving_seconds(&self) -> Vec<f64> {
        let mut search = MovingSearch::new(256);
        let still = Motion::still(&Pose::identity());
        let door = MovingBody {
            shape: &self.door,
            motion: &still,
            radius_m: 0.0,
        };
        let time = |Step { start, screw, .. }: &Step| {
            let motion = Motion::screw(start, screw);
            let motor = MovingBody {
                shape: &self.motor,
                motion: &motion,
                radius_m: 0.0,
            };
            let began = Moment::now();
            black_box(search.first_contact(&motor, &door, 0.0, 1.0));
            began.elapsed().as_secs_f64()
        };
        self.trajectory.steps.iter().map(time).collect()
    }

    /// Makes a report with the statements that all experiments on this scene share.
    pub fn report(&self, rows: Vec<Row>, verdict: Verdict, notes: &[&str]) -> Report {
        let triangles = |m: &MeshIndex| m.mesh().map_or(0, |m| m.triangles().len());
        let Trajectory {
            frames,
            stopped,
            steps,
            ..
        } = &self.trajectory;
        let mut all = vec![
            format!(
                "a procedural motor of {} triangles and a procedural door of {} (plates of 0.8 to 1.5 mm) stand for the window-lift motor and the car \
                 door, about \
                 20,000 triangles in all",
                triangles(&self.motor),
                triangles(&self.door)
            ),
            format!(
                "a scripted hand leads the motor through frictionless first-order dynamics for {frames} frames (published: 2,604 by a person); {} \
                 steps, of which detection \
                 stops {stopped} at a new contact, recorded once and replayed by every variant",
                steps.len()
            ),
            "counts decide; seconds are of this machine and for information, detection only".into(),
        ];
        if self.every > 1 {
            all.push(format!(
                "every {}th step is replayed, and every one that was stopped",
                self.every
            ));
        }
        all.extend(notes.iter().map(|&n| n.to_owned()));
        Report {
            rows,
            verdict,
            more: Map::new(),
            details: Vec::new(),
            notes: all,
        }
    }
}

/// Results of one variant.
#[derive(Default)]
pub struct Replay {
    /// Sums over all steps.
    pub counters: Counters,
    /// Time and features of each step's contact.
    pub contacts: Vec<Option<(u64, PairKind, u32, u32)>>,
    /// Time of each step, s.
    pub seconds: Vec<f64>,
}

impl Replay {
    /// Returns the number of box pairs.
    pub fn boxes(&self) -> u64 {
        let c = &self.counters;
        c.boxes_final.max(c.boxes_initial).max(c.boxes_continuous)
    }

    /// Returns the number of tests of feature pairs.
    pub fn elementary(&self) -> u64 {
        self.counters.edge_edge + self.counters.vertex_face + self.counters.face_vertex
    }

    /// Returns the time of all steps, s.
    pub fn total_s(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Returns the number of steps with a contact.
    pub fn touching(&self) -> usize {
        self.contacts.iter().flatten().count()
    }
}

/// Returns true if all found the same contacts, to the last bit.
pub fn same(replays: &[Replay]) -> bool {
    replays.iter().all(|r| r.contacts == replays[0].contacts)
}
