//! A scene small enough to be answered by brute force: every feature pair, without a tree. It is
//! the reference for the answers of the collision thread, and the checker of the engine.

// Each test program uses only a part of it.
#![allow(dead_code)]

use hapticd_ccd::{FeaturePair, MeshIndex};
use hapticd_geometry::{Adjacency, NO_FACE, Pose, Rigid, TriMesh, Vec3, transform};
use hapticd_proxy::*;

/// Deterministic numbers in [0, 1).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

pub fn cuboid(h: Vec3) -> TriMesh {
    let p = (0..8)
        .map(|i| {
            let s = |b: i32| if i & b != 0 { 1.0 } else { -1.0 };
            Vec3::new(s(1) * h.x, s(2) * h.y, s(4) * h.z)
        })
        .collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let t = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    TriMesh::new(p, t).unwrap()
}

/// A flat sheet in z = 0 of n x n quads, split in triangles.
pub fn sheet(half: f64, n: u32) -> TriMesh {
    let mut p = Vec::new();
    let mut t = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let at = |k: u32| half * (2.0 * f64::from(k) / f64::from(n) - 1.0);
            p.push(Vec3::new(at(i), at(j), 0.0));
        }
    }
    for j in 0..n {
        for i in 0..n {
            let v = j * (n + 1) + i;
            t.push([v, v + 1, v + n + 2]);
            t.push([v, v + n + 2, v + n + 1]);
        }
    }
    TriMesh::new(p, t).unwrap()
}

pub struct Part {
    pub mesh: TriMesh,
    pub adjacency: Adjacency,
    pub index: MeshIndex,
}

impl Part {
    pub fn new(mesh: TriMesh) -> Self {
        let adjacency = Adjacency::new(&mesh);
        Part {
            index: MeshIndex::new(mesh.clone()),
            mesh,
            adjacency,
        }
    }
    fn edge(&self, e: usize) -> [Vec3; 3] {
        let [p, q] = self.adjacency.edges[e].vertices;
        [
            self.mesh.positions()[p as usize],
            self.mesh.positions()[q as usize],
            Vec3::zeros(),
        ]
    }
    fn faces_at(&self, e: usize) -> [Vec3; 2] {
        let edge = self.adjacency.edges[e];
        edge.faces.map(|f| self.face_at(edge.vertices, f))
    }
    fn face_at(&self, edge: [u32; 2], face: u32) -> Vec3 {
        if face == NO_FACE {
            return Vec3::zeros();
        }
        let [p, q] = edge.map(|v| self.mesh.positions()[v as usize]);
        let c = self.mesh.triangles()[face as usize]
            .into_iter()
            .find(|v| !edge.contains(v))
            .unwrap();
        let up = self.mesh.positions()[c as usize] - p;
        let along = q - p;
        (up - along * (up.dot(&along) / along.norm_squared())).normalize()
    }
    fn across(&self, face: usize) -> [Vec3; 3] {
        let c = self.mesh.triangles()[face];
        let mut out = [Vec3::zeros(); 3];
        for k in 0..3 {
            let e = self.adjacency.triangle_edges[face][k];
            let other = self.adjacency.edges[e as usize]
                .faces
                .into_iter()
                .find(|&f| f != face as u32 && f != NO_FACE);
            if let Some(f) = other {
                out[k] = self.face_at([c[k], c[(k + 1) % 3]], f);
            }
        }
        out
    }
}

fn vertex_hints([p, q, r]: [Vec3; 3], [a, b, c, d]: [Vec3; 4]) -> [Vec3; HINTS] {
    [p, q, r, a, b, c, d]
}

#[allow(clippy::large_enum_variant)]
pub enum Tool {
    Ball(f64),
    Mesh(Part),
}

pub struct Scene {
    pub tool: Tool,
    pub bodies: Vec<(Part, Pose, bool, Option<BodyTarget>)>, // mesh, initial pose, fixed, target
    pub capacity: usize,
    pub sequence: u64,
    pub clearance: f64,
    pub friction: f64,
    /// Trajectory of the dynamics, if there are any; they then move all bodies that are not fixed.
    pub trajectory: Option<Trajectory>,
}

impl Scene {
    pub fn pairs(&self, tool: &Pose, body: &Part, pose: &Pose, fixed: bool) -> Vec<Pair> {
        let place = |p: &Vec3| if fixed { transform(pose, p) } else { *p };
        let turn = |v: Vec3| if fixed { pose.rotation * v } else { v };
        let frame_from_tool = Rigid::new(&if fixed { *tool } else { pose.inverse() * tool });
        let mut out = Vec::new();
        let mut push =
            |kind: PairKind, a: [Vec3; 3], b: [Vec3; 3], hints: [Vec3; HINTS], radius: f64| {
                let pair = Pair::new(
                    FeaturePair {
                        kind,
                        a: &a,
                        b: &b.map(|p| place(&p)),
                    },
                    hints,
                    &frame_from_tool,
                    radius,
                );
                // Identifies the pair, though not its features.
                let tool_feature = out.len() as u32;
                out.push(Pair {
                    tool_feature,
                    ..pair
                });
            };
        let zero = Vec3::zeros();
        match &self.tool {
            Tool::Ball(r) => {
                for f in 0..body.mesh.triangles().len() {
                    push(
                        PairKind::VertexFace,
                        [zero; 3],
                        body.mesh.triangle(f),
                        vertex_hints(body.across(f).map(turn), [zero; 4]),
                        *r,
                    );
                }
            }
            Tool::Mesh(t) => {
                for (i, v) in t.mesh.positions().iter().enumerate() {
                    let along = t.index.along_edges(i as u32);
                    for f in 0..body.mesh.triangles().len() {
                        push(
                            PairKind::VertexFace,
                            [*v, zero, zero],
                            body.mesh.triangle(f),
                            vertex_hints(body.across(f).map(turn), along),
                            0.0,
                        );
                    }
                }
                for f in 0..t.mesh.triangles().len() {
                    for (i, v) in body.mesh.positions().iter().enumerate() {
                        let along = body.index.along_edges(i as u32).map(turn);
                        push(
                            PairKind::FaceVertex,
                            t.mesh.triangle(f),
                            [*v, zero, zero],
                            vertex_hints(t.across(f), along),
                            0.0,
                        );
                    }
                }
                for e in 0..t.adjacency.edges.len() {
                    let g = t.faces_at(e);
                    for k in 0..body.adjacency.edges.len() {
                        let h = body.faces_at(k);
                        push(
                            PairKind::EdgeEdge,
                            t.edge(e),
                            body.edge(k),
                            [g[0], g[1], turn(h[0]), turn(h[1]), zero, zero, zero],
                            0.0,
                        );
                    }
                }
            }
        }
        out.sort_by(|x, y| x.distance_m.total_cmp(&y.distance_m));
        out
    }

    pub fn key(i: usize) -> BodyKey {
        BodyKey {
            slot: i as u8,
            generation: 1,
        }
    }

    pub fn answer(&mut self, q: &Query) -> Box<Snapshot> {
        let mut s = Box::new(Snapshot::new(4096));
        self.sequence += 1;
        s.sequence = self.sequence;
        s.query_tick = q.tick;
        s.epoch = q.arms[0].epoch;
        s.world_from_tool = q.arms[0].world_from_reference();
        s.scene_version = 1;
        if let Some(trajectory) = &self.trajectory {
            s.trajectory.copy_from(trajectory);
        }
        for (i, (part, initial, fixed, target)) in self.bodies.iter().enumerate() {
            let pose = q.pose_of(Self::key(i)).unwrap_or(*initial);
            let reach = q.arms[0].reach_m;
            let all = self.pairs(&q.arms[0].world_from_reference(), part, &pose, *fixed);
            let inside = all.iter().take_while(|p| p.distance_m < reach).count();
            let n = inside.min(self.capacity);
            let complete = all.get(n).map_or(reach, |p| p.distance_m.min(reach));
            s.bodies.push(BodyEntry {
                key: Self::key(i),
                id: i as u32 + 1,
                world_from_body: pose,
                fixed: *fixed,
                margin_m: complete - self.clearance,
                first_pair: s.pairs.len() as u32,
                pair_count: n as u32,
                full: n < inside,
                encloses_tool: false,
                target: *target,
                by_trajectory: !fixed && self.trajectory.is_some(),
                dynamic: !fixed && self.trajectory.is_some(),
                centre: Vec3::zeros(),
                bound_m: part
                    .mesh
                    .positions()
                    .iter()
                    .map(|p| p.norm())
                    .fold(0.0, f64::max),
                radius_m: 0.0,
                material: Material {
                    stiffness_n_per_m: 1e9,
                    damping_n_s_per_m: 1e9,
                    friction: self.friction,
                    force_shading: false,
                },
            });
            s.pairs.extend_from_slice(&all[..n]);
        }
        s
    }

    /// Returns the exact surface distance over all bodies by brute force.
    pub fn distance(&self, tool: &Pose, poses: &[Pose]) -> f64 {
        self.bodies
            .iter()
            .zip(poses)
            .map(|((part, ..), pose)| {
                self.pairs(tool, part, pose, false)
                    .first()
                    .unwrap()
                    .distance_m
            })
            .fold(f64::INFINITY, f64::min)
    }
}

pub fn setup(shape: ToolShape, distances: Distances) -> [Option<ArmSetup>; MAX_ARMS] {
    let mut s = [None; MAX_ARMS];
    s[0] = Some(arm_setup(shape, distances));
    s
}

pub fn arm_setup(shape: ToolShape, distances: Distances) -> ArmSetup {
    ArmSetup {
        shape,
        distances,
        gains: Gains {
            stiffness_n_per_m: 500.0,
            damping_n_s_per_m: 0.5,
            rotational_stiffness_nm_per_rad: 0.5,
            rotational_damping_nm_s_per_rad: 0.0,
        },
        damping: Damping::default(),
        interaction: Interaction::default(),
        pair_budget: 512,
        reach_max_m: 0.1,
        reach_min_m: 0.005,
    }
}

/// Runs `ticks`, answers each query `lag` ticks late, and passes each tick's device pose, output
/// and distance to `check`.
pub fn run(
    scene: &mut Scene,
    engine: &mut Engine,
    ticks: usize,
    lag: usize,
    mut device: impl FnMut(usize) -> Pose,
    mut check: impl FnMut(usize, &Pose, &ArmOutcome, f64),
) {
    let mut waiting = std::collections::VecDeque::new();
    for k in 0..ticks {
        if waiting.len() > lag {
            let q: Query = waiting.pop_front().unwrap();
            engine.receive(scene.answer(&q));
        }
        let pose = device(k);
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(pose);
        let out = engine
            .tick(&TickInput {
                period_s: 1e-3,
                devices,
                anchor: 0,
            })
            .arms[0];
        let poses: Vec<Pose> = (0..scene.bodies.len())
            .map(|i| {
                engine
                    .bodies()
                    .find(|b| b.key == Scene::key(i))
                    .map_or(scene.bodies[i].1, |b| b.pose)
            })
            .collect();
        let d = if out.solid == (1 << scene.bodies.len()) - 1 {
            scene.distance(&out.proxy, &poses)
        } else {
            f64::INFINITY
        };
        check(k, &pose, &out, d);
        waiting.push_back(engine.query());
    }
}
