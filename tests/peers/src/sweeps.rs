//! Tree against tree: large random sweeps of two rings that start apart: 200 sweeps of 200 against
//! 2,000 triangles, 100 of 20,000 against 20,000, and 100 of 80,000 against 80,000. In the latter
//! two the peers get as many as they finish in a minute.
//!
//! All methods have the same poses at the beginning and at the end. Ours moves along a screw
//! between them; parry and FCL move the body's origin straight at constant speed while it turns.
//! Each is checked against 2,000 samples of its own motion; the same static test decides overlap
//! for all.

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

use crate::{Row, Times, ask, bar};

const SAMPLES: u32 = 2_000;

/// Motion of one body: poses at the ends, and the rotation between them, less than half a turn.
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

    /// Returns the pose of the peers' motion.
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

/// Answers of a method compared with the samples of its motion.
struct Tally {
    missed: usize,
    late: usize,
    touching: usize,
    times: Vec<f64>,
}

impl Tally {
    const fn new() -> Self {
        Self {
            missed: 0,
            late: 0,
            touching: 0,
            times: Vec::new(),
        }
    }

    fn spent(&self) -> f64 {
        self.times.iter().sum()
    }

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
            "{} sweeps, of {} that touch {} missed, {} late; {ms}",
            self.times.len(),
            self.touching,
            self.missed,
            self.late
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

/// Returns a mesh as JSON for the Python part.
pub fn mesh_json(index: &MeshIndex) -> Result<Value, Box<dyn Error>> {
    let mesh = index.mesh().ok_or("a point")?;
    let vertices: Vec<_> = mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect();
    Ok(json!({"vertices": vertices, "triangles": mesh.triangles()}))
}

/// Two meshes and the number of their sweeps.
struct Size {
    name: &'static str,
    /// Facets around and across the rings.
    facets: [(u32, u32); 2],
    cases: usize,
    /// A peer that has spent this many seconds gets no further case.
    patience: f64,
}

const SIZES: [Size; 3] = [
    Size {
        name: "200 x 2,000",
        facets: [(10, 10), (40, 25)],
        cases: 200,
        patience: f64::INFINITY,
    },
    Size {
        name: "20,000 x 20,000",
        facets: [(125, 80), (125, 80)],
        cases: 100,
        patience: 60.0,
    },
    Size {
        name: "80,000 x 80,000",
        facets: [(250, 160), (250, 160)],
        cases: 100,
        patience: 60.0,
    },
];

/// Runs all sizes next to both peers.
pub fn sweeps(python: &str) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for size in &SIZES {
        eprintln!("  {} ...", size.name);
        rows.extend(size.run(python)?);
    }
    Ok(rows)
}

impl Size {
    fn run(&self, python: &str) -> Result<Vec<Row>, Box<dyn Error>> {
        let [(n, m), (k, l)] = self.facets;
        let shapes = [
            MeshIndex::new(shapes::torus(0.1, 0.04, n, m)?),
            MeshIndex::new(shapes::torus(0.15, 0.06, k, l)?),
        ];
        let peers = [peer_mesh(&shapes[0])?, peer_mesh(&shapes[1])?];
        let mut rng = SplitMix(1);
        let mut truth = Intersections::default();
        let mut search = MovingSearch::new(256);
        let [mut ours, mut parry, mut others] = [const { Tally::new() }; 3];
        let (mut cases, mut straight) = (Vec::new(), Vec::new());
        for _ in 0..self.cases {
            let [a, b] = loop {
                let case = random(&mut rng);
                let apart = case[1].start.inverse() * case[0].start;
                if !truth.any(&shapes[0], &shapes[1], &apart) {
                    break case;
                }
            };
            let mut first = |x: &dyn Fn(f64) -> Pose, y: &dyn Fn(f64) -> Pose| {
                (0..=SAMPLES)
                    .map(|i| f64::from(i) / f64::from(SAMPLES))
                    .find(|&t| truth.any(&shapes[0], &shapes[1], &(y(t).inverse() * x(t))))
            };
            let motions = [a.screw(), b.screw()];
            let on_screws = first(&|t| motions[0].pose_at(t), &|t| motions[1].pose_at(t));
            let on_lines = first(&|t| a.straight(t), &|t| b.straight(t));
            let body = |k: usize| MovingBody {
                shape: &shapes[k],
                motion: &motions[k],
                radius_m: 0.0,
            };
            let clock = Instant::now();
            let meeting = search.first_contact(&body(0), &body(1), 1e-5, 1.0);
            let seconds = clock.elapsed().as_secs_f64();
            ours.add(
                meeting.first.map(|_| meeting.free_until),
                on_screws,
                seconds,
            );
            if parry.spent() < self.patience {
                let clock = Instant::now();
                let hit = cast_shapes_nonlinear(
                    &a.peer(),
                    &peers[0],
                    &b.peer(),
                    &peers[1],
                    0.0,
                    1.0,
                    true,
                )
                .map_err(|_| "parry does not support this pair")?;
                let seconds = clock.elapsed().as_secs_f64();
                parry.add(hit.map(|h| h.time_of_impact), on_lines, seconds);
            }
            cases.push(json!([a.json(), b.json()]));
            straight.push(on_lines);
        }
        let request = json!({"sweeps": {
            "small": mesh_json(&shapes[0])?, "large": mesh_json(&shapes[1])?, "cases": cases,
            "patience_s": self.patience.min(1e9),
        }});
        let answer = ask(python, "fcl_queries.py", &request)?;
        let answers = answer["sweeps"].as_array().ok_or("no answer")?;
        for (answer, sampled) in answers.iter().zip(straight) {
            let seconds = answer["seconds"].as_f64().ok_or("no time")?;
            others.add(answer["time"].as_f64(), sampled, seconds);
        }
        let row = |name: &str, peer: &Tally| {
            // On the same sweeps.
            let same = Times::of(&ours.times[..peer.times.len()]).mean;
            Row::new(
                &format!("large sweeps, {} triangles; {name}", self.name),
                ours.shown(),
                peer.shown(),
                bar(same / Times::of(&peer.times).mean, 1.0),
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
}
