//! Tree against tree: 200 large random sweeps of 200 with 2,000 triangles, all from apart.
//!
//! Every method has the same poses at the beginning and at the end. Ours moves along a screw between them; parry and FCL move the body's origin straight at
//! constant speed while it turns. Each is held against 2,000 samples of its own motion, overlap decided by one static test for all.

#[path = "../../../sim/ccd/tests/common/mod.rs"]
mod common;

use std::error::Error;
use std::time::Instant;

use common::SplitMix;
use hapticd_ccd::MeshIndex;
use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes};
use parry3d_f64::math::{Pose as PeerPose, Vector};
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d_f64::shape::TriMesh;
use serde_json::{Value, json};

use crate::{Row, Times, bar, fcl};

const CASES: usize = 200;
const SAMPLES: u32 = 2_000;

/// One body's motion: poses at the ends, and the rotation between them, less than half a turn.
struct Sweep {
    start: Pose,
    shift: Vec3,
    turn: Vec3,
}

impl Sweep {
    fn screw(&self) -> Motion {
        let at = self.start.translation.vector;
        Motion::screw(
            &self.start,
            &Screw::from_twist(&self.shift, &self.turn, &at),
        )
    }

    /// The peers' motion.
    fn straight(&self, t: f64) -> Pose {
        let turn = Quat::from_scaled_axis(self.turn * t) * self.start.rotation;
        Pose::from_parts(
            (self.start.translation.vector + self.shift * t).into(),
            turn,
        )
    }

    fn peer(&self) -> NonlinearRigidMotion {
        let v = |x: &Vec3| Vector::new(x.x, x.y, x.z);
        let start = PeerPose::new(
            v(&self.start.translation.vector),
            v(&self.start.rotation.scaled_axis()),
        );
        NonlinearRigidMotion::new(start, Vector::ZERO, v(&self.shift), v(&self.turn))
    }

    fn json(&self) -> Value {
        let pose = |p: &Pose| {
            let q = p.rotation.quaternion();
            json!({"t": p.translation.vector.as_slice(), "q": [q.w, q.i, q.j, q.k]})
        };
        json!([pose(&self.start), pose(&self.straight(1.0))])
    }
}

fn random(rng: &mut SplitMix) -> [Sweep; 2] {
    let at = rng.direction() * rng.range(0.35, 1.0);
    [at, -at].map(|at| {
        let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
        Sweep {
            start: Pose::from_parts(at.into(), turn),
            shift: (rng.point(0.1) - at) * rng.range(0.5, 3.0),
            turn: rng.point(1.7),
        }
    })
}

/// What a method says against the samples of its motion.
#[derive(Default)]
struct Tally {
    missed: usize,
    late: usize,
    touching: usize,
    times: Vec<f64>,
}

impl Tally {
    fn add(&mut self, said: Option<f64>, sampled: Option<f64>, seconds: f64) {
        self.times.push(seconds);
        if let Some(truth) = sampled {
            self.touching += 1;
            match said {
                None => self.missed += 1,
                Some(t) => self.late += usize::from(t > truth),
            }
        }
    }

    fn shown(&self) -> String {
        let ms = Times::of(&self.times).ms();
        format!(
            "of {} that touch {} missed, {} late; {ms}",
            self.touching, self.missed, self.late
        )
    }
}

fn peer_mesh(index: &MeshIndex) -> Result<TriMesh, Box<dyn Error>> {
    let mesh = index.mesh().ok_or("a point")?;
    let vertices = mesh
        .positions()
        .iter()
        .map(|p| Vector::new(p.x, p.y, p.z))
        .collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).map_err(|e| format!("{e:?}").into())
}

/// For the Python part.
pub fn mesh_json(index: &MeshIndex) -> Result<Value, Box<dyn Error>> {
    let mesh = index.mesh().ok_or("a point")?;
    let vertices: Vec<_> = mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect();
    Ok(json!({"vertices": vertices, "triangles": mesh.triangles()}))
}

/// All three.
pub fn sweeps(python: &str) -> Result<Vec<Row>, Box<dyn Error>> {
    let small = MeshIndex::new(shapes::torus(0.1, 0.04, 10, 10)?);
    let large = MeshIndex::new(shapes::torus(0.15, 0.06, 40, 25)?);
    let (peer_small, peer_large) = (peer_mesh(&small)?, peer_mesh(&large)?);
    let mut rng = SplitMix(1);
    let mut truth = Intersections::default();
    let mut search = MovingSearch::new(256);
    let (mut ours, mut parry, mut others) = (Tally::default(), Tally::default(), Tally::default());
    let (mut cases, mut straight) = (Vec::new(), Vec::new());
    for _ in 0..CASES {
        let [a, b] = loop {
            let case = random(&mut rng);
            if !truth.any(&small, &large, &(case[1].start.inverse() * case[0].start)) {
                break case;
            }
        };
        let mut first = |x: &dyn Fn(f64) -> Pose, y: &dyn Fn(f64) -> Pose| {
            (0..=SAMPLES)
                .map(|i| f64::from(i) / f64::from(SAMPLES))
                .find(|&t| truth.any(&small, &large, &(y(t).inverse() * x(t))))
        };
        let (ma, mb) = (a.screw(), b.screw());
        let on_screws = first(&|t| ma.pose_at(t), &|t| mb.pose_at(t));
        let on_lines = first(&|t| a.straight(t), &|t| b.straight(t));
        let body = |shape, motion| MovingBody {
            shape,
            motion,
            radius_m: 0.0,
        };
        let clock = Instant::now();
        let meeting = search.first_contact(&body(&small, &ma), &body(&large, &mb), 1e-5, 1.0);
        let seconds = clock.elapsed().as_secs_f64();
        ours.add(
            meeting.first.as_ref().map(|_| meeting.free_until),
            on_screws,
            seconds,
        );
        let clock = Instant::now();
        let hit = cast_shapes_nonlinear(
            &a.peer(),
            &peer_small,
            &b.peer(),
            &peer_large,
            0.0,
            1.0,
            true,
        )
        .map_err(|_| "parry does not support this pair")?;
        parry.add(
            hit.map(|h| h.time_of_impact),
            on_lines,
            clock.elapsed().as_secs_f64(),
        );
        cases.push(json!([a.json(), b.json()]));
        straight.push(on_lines);
    }
    let request = json!({"sweeps": {"small": mesh_json(&small)?, "large": mesh_json(&large)?, "cases": cases}});
    let answer = fcl(python, &request)?;
    for (answer, sampled) in answer["sweeps"]
        .as_array()
        .ok_or("no answer")?
        .iter()
        .zip(straight)
    {
        others.add(
            answer["time"].as_f64(),
            sampled,
            answer["seconds"].as_f64().ok_or("no time")?,
        );
    }
    let mean = |t: &Tally| Times::of(&t.times).mean;
    let row = |name: &str, peer: &Tally| {
        Row::new(
            &format!("200 large sweeps, 2,000 x 200 triangles; {name}"),
            ours.shown(),
            peer.shown(),
            bar(mean(&ours) / mean(peer), 1.0),
        )
    };
    Ok(vec![
        row("parry `cast_shapes_nonlinear`", &parry),
        row(
            "FCL, conservative advancement, OBBRSS, linear, 1,000 iterations, time error 1e-6",
            &others,
        ),
    ])
}
