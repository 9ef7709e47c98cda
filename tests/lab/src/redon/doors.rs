//! The common set-up of E13 and E14: one test door brought to another and slid along it, recorded
//! once per process.

use std::sync::{Arc, OnceLock};

use hapticd_ccd::MeshIndex;
use hapticd_geometry::TriMesh;
use hapticd_published::backface::{BackFaceCones, Strategy};
use hapticd_published::first_contact::{
    Counters, CullBoxes, Culling, FirstContactOptions, ShapeMotion, first_contact_culled,
};

use super::trajectory::{Hand, Recorded, Step, Trajectory, record, recorded};
use crate::clock::Moment;
use crate::experiment::Failure;
use crate::models;

/// Number of frames: derived from the published time and rate.
pub const FRAMES: u32 = 2390;

/// From above onto the other's upper sheet, then along it, turning; a centimetre deep wherever it
/// is in contact. The doors nest with 30 mm between them.
const HAND: Hand<'static> = Hand(&[
    (0.00, [0.05, -0.10, 0.40], [0.20, 0.10, 0.30]),
    (0.12, [0.02, 0.02, 0.02], [0.00, 0.00, 0.02]),
    (0.30, [0.15, 0.02, 0.02], [0.00, 0.00, 0.10]),
    (0.45, [0.10, 0.20, 0.03], [0.05, 0.02, -0.05]),
    (0.60, [-0.20, 0.10, 0.02], [0.00, -0.05, 0.20]),
    (0.75, [-0.10, -0.25, 0.02], [-0.05, 0.00, 0.50]),
    (0.90, [0.20, -0.10, 0.03], [0.00, 0.06, 0.20]),
    (1.00, [0.05, 0.05, 0.02], [0.00, 0.00, 0.00]),
]);

/// The two doors and the recording.
pub struct Scene {
    /// The door: a feature shared by triangles belongs to one of them.
    pub door: Arc<MeshIndex>,
    /// The same triangles, each with its own vertices and edges, as in the source: two triangles
    /// then have nine edge pairs and three pairs of each other kind.
    pub apart: MeshIndex,
    /// Trajectory of the moving door.
    pub trajectory: Trajectory,
}

/// Returns the scene; recorded at the first call and shared by all.
pub fn scene() -> Result<&'static Scene, Failure> {
    static SCENE: Recorded<Scene> = OnceLock::new();
    recorded(&SCENE, Scene::new)
}

impl Scene {
    fn new() -> Result<Self, Failure> {
        let mesh = models::test_door()?;
        let corners = (0..mesh.triangles().len())
            .flat_map(|t| mesh.triangle(t))
            .collect();
        let own = (0..mesh.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        let apart = TriMesh::new(corners, own.collect())
            .map_err(|e| Failure::Run(format!("the door: {e}")))?;
        let door = Arc::new(MeshIndex::new(mesh));
        let trajectory = record(&door, &door, &HAND, FRAMES)?;
        Ok(Self {
            door,
            apart: MeshIndex::new(apart),
            trajectory,
        })
    }

    /// Makes cones for the door.
    pub fn cones(&self, most: usize, strategy: Strategy) -> Result<BackFaceCones, Failure> {
        BackFaceCones::new(&self.door, most, strategy)
            .map_err(|e| Failure::Run(format!("the door: {e}")))
    }

    /// Replays all steps, or every `every`-th and all that were stopped, without culling.
    pub fn replay_whole(&self, every: usize) -> Replay {
        self.replay(&self.apart, &Culling::NONE, every)
    }

    /// The same with back faces of both doors culled.
    pub fn replay_culled(
        &self,
        cones: &BackFaceCones,
        boxes: CullBoxes,
        stamps: bool,
        every: usize,
    ) -> Replay {
        let culling = Culling {
            cones_a: Some(cones),
            cones_b: Some(cones),
            boxes,
            stamps,
        };
        self.replay(&self.door, &culling, every)
    }

    /// Replays all steps, or every `every`-th and all that were stopped, with this door along this
    /// door.
    pub fn replay(&self, door: &MeshIndex, culling: &Culling<'_>, every: usize) -> Replay {
        let mut replay = Replay::default();
        let options = FirstContactOptions::default();
        let began = Moment::now();
        for Step { start, screw, .. } in self.trajectory.sample(every) {
            let (found, c) = first_contact_culled(
                ShapeMotion {
                    a: door,
                    b: door,
                    b_from_a: start,
                    screw,
                },
                &options,
                culling,
            );
            let total = &mut replay.counters;
            total.boxes_final += c.boxes_final;
            total.edge_edge += c.edge_edge;
            total.vertex_face += c.vertex_face;
            total.face_vertex += c.face_vertex;
            total.back_faces += c.back_faces;
            replay.times.push(found.map(|c| c.t));
        }
        replay.seconds = began.elapsed().as_secs_f64();
        replay
    }

    /// Returns its description for reports.
    pub fn notes(&self, every: usize) -> Vec<String> {
        let Trajectory {
            frames,
            stopped,
            steps,
            ..
        } = &self.trajectory;
        let mut notes = vec![
            super::door::note(&self.door),
            format!(
                "a scripted hand brings one door to the other and slides it along, turning, through frictionless first-order dynamics for {frames} \
                 frames (published: about \
                 2,390 by a person); {} steps, of which detection stops {stopped} at a new contact, recorded once and replayed by every variant",
                steps.len()
            ),
            "as in the source, each triangle is tested with all its vertices and edges, even if a neighbour's test covered them".into(),
            "counts decide; seconds are of this machine and for information, detection only".into(),
        ];
        if every > 1 {
            notes.push(format!(
                "every {every}th step is replayed, and every one that was stopped"
            ));
        }
        notes
    }
}

/// Results of one variant.
#[derive(Default)]
pub struct Replay {
    /// Sums over all steps.
    pub counters: Counters,
    /// Contact times, by step.
    pub times: Vec<Option<f64>>,
    /// Total time, s.
    pub seconds: f64,
}

impl Replay {
    /// Returns the largest difference of a contact time from another replay's, in steps; infinite
    /// if only one has a contact.
    pub fn difference(&self, other: &Self) -> f64 {
        let pairs = self.times.iter().zip(&other.times);
        let of = pairs.map(|pair| match pair {
            (Some(s), Some(t)) => (s - t).abs(),
            (None, None) => 0.0,
            _ => f64::INFINITY,
        });
        of.fold(0.0, f64::max)
    }

    /// Returns the number of steps with a contact.
    pub fn touching(&self) -> usize {
        self.times.iter().flatten().count()
    }

    /// Returns the number of tests of feature pairs.
    pub fn elementary(&self) -> u64 {
        self.counters.edge_edge + self.counters.vertex_face + self.counters.face_vertex
    }
}
