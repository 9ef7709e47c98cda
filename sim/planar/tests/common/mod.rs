//! A planar scene without a daemon: its bodies are listed by hand, and every tick is checked by
//! comparing all edges, without any structure.

#![allow(dead_code)]

use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_planar::polygon::{Point, distance};
use hapticd_planar::{PlanarEngine, PlanarScene};
use hapticd_proxy::*;

pub const PERIOD_S: f64 = 1e-3;

pub struct Random(pub u64);

impl Random {
    /// Returns a number in [0, 1).
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
}

pub fn at(x: f64, y: f64, angle: f64) -> Pose {
    Pose::from_parts(
        Vec3::new(x, y, 0.0).into(),
        Quat::from_axis_angle(&Vec3::z_axis(), angle),
    )
}

pub fn placed(outline: &[Point], pose: &Pose) -> Vec<Point> {
    let p = |v: &Point| pose.rotation * Vec3::new(v[0], v[1], 0.0) + pose.translation.vector;
    outline.iter().map(p).map(|v| [v.x, v.y]).collect()
}

/// A body of the scene.
pub struct Polygon {
    pub outline: Vec<Point>,
    pub pose: Pose,
    pub target: Option<BodyTarget>,
}

pub fn fixed(outline: Vec<Point>, pose: Pose) -> Polygon {
    Polygon {
        outline,
        pose,
        target: None,
    }
}

pub struct Scene {
    pub engine: PlanarEngine,
    pub bodies: Vec<Polygon>,
    pub tools: Vec<Vec<Point>>,
    pub distances: Distances,
    pub friction: f64,
    sequence: u64,
    proxies: Vec<Option<Pose>>,
    pub least_m: f64,
    pub touched: u64,
    pub starved: u64,
    pub ticks: u64,
}

pub fn setup(outline: &[Point], turns: bool, distances: Distances, budget: usize) -> ArmSetup {
    let points: Vec<_> = outline.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect();
    ArmSetup {
        shape: ToolShape::mesh(&points, turns),
        distances,
        gains: Gains {
            stiffness_n_per_m: 500.0,
            damping_n_s_per_m: 0.5,
            rotational_stiffness_nm_per_rad: 0.5,
            rotational_damping_nm_s_per_rad: 0.001,
        },
        damping: Damping::Relative,
        interaction: Interaction::Spring,
        pair_budget: budget,
        reach_max_m: 0.1,
        reach_min_m: 0.01,
    }
}

impl Scene {
    pub fn new(
        tools: Vec<(Vec<Point>, bool)>,
        bodies: Vec<Polygon>,
        friction: f64,
        budget: usize,
    ) -> Self {
        let distances = Distances::for_width(0.2);
        let mut setups = [None; MAX_ARMS];
        let mut scene = PlanarScene::default();
        for (i, (outline, turns)) in tools.iter().enumerate() {
            setups[i] = Some(setup(outline, *turns, distances, budget));
            scene.tools[i] = Some(outline.clone());
        }
        for (i, body) in bodies.iter().enumerate() {
            scene.bodies.push((i as u32 + 1, body.outline.clone()));
        }
        let proxies = vec![None; tools.len()];
        Scene {
            engine: PlanarEngine::new(&setups, &scene).unwrap(),
            bodies,
            tools: tools.into_iter().map(|t| t.0).collect(),
            distances,
            friction,
            sequence: 0,
            proxies,
            least_m: f64::INFINITY,
            touched: 0,
            starved: 0,
            ticks: 0,
        }
    }

    /// Returns the collision thread's answer: the list of bodies.
    pub fn snapshot(&mut self) -> Box<Snapshot> {
        self.sequence += 1;
        let mut s = Box::new(Snapshot::new(1));
        s.sequence = self.sequence;
        s.scene_version = self.sequence;
        s.bodies
            .extend(self.bodies.iter().enumerate().map(|(i, body)| {
                BodyEntry {
                    key: BodyKey {
                        slot: i as u8,
                        generation: 1,
                    },
                    id: i as u32 + 1,
                    world_from_body: body.pose,
                    fixed: body.target.is_none(),
                    margin_m: 0.0,
                    first_pair: 0,
                    pair_count: 0,
                    full: false,
                    encloses_tool: false,
                    target: body.target,
                    by_trajectory: false,
                    dynamic: false,
                    centre: Vec3::zeros(),
                    bound_m: body
                        .outline
                        .iter()
                        .map(|p| p[0].hypot(p[1]))
                        .fold(0.0, f64::max),
                    radius_m: 0.0,
                    material: Material {
                        stiffness_n_per_m: 500.0,
                        damping_n_s_per_m: 0.5,
                        friction: self.friction,
                        force_shading: false,
                    },
                }
            }));
        s
    }

    pub fn tell(&mut self) {
        let snapshot = self.snapshot();
        self.engine.receive(snapshot);
    }

    /// Runs ticks until the structure is built, with the hands at rest.
    pub fn settle(&mut self, hands: &[Pose]) {
        self.tell();
        for _ in 0..200 {
            self.tick(hands);
            let solid = |i: usize| {
                self.engine.output().arms[i].solid != 0 && !self.engine.output().arms[i].starved
            };
            if (0..hands.len()).all(solid) {
                return;
            }
        }
        panic!("never solid: {:?}", self.engine.rebuilds());
    }

    /// Runs one tick and checks all of it: tools against bodies and each other, at their poses and
    /// on their paths.
    pub fn tick(&mut self, hands: &[Pose]) -> TickOutput {
        let mut devices = [None; MAX_ARMS];
        for (device, hand) in devices.iter_mut().zip(hands) {
            *device = Some(*hand);
        }
        let before: Vec<Pose> = self.engine.table().of_scene().map(|b| b.pose).collect();
        let out = *self.engine.tick(&TickInput {
            period_s: PERIOD_S,
            devices,
            anchor: 0,
        });
        self.ticks += 1;
        let now: Vec<(u32, Pose)> = self
            .engine
            .table()
            .of_scene()
            .map(|b| (b.id, b.pose))
            .collect();
        let tools = std::mem::take(&mut self.tools);
        let bodies = std::mem::take(&mut self.bodies);
        for (i, outline) in tools.iter().enumerate() {
            let arm = &out.arms[i];
            if !arm.present || arm.solid == 0 {
                self.proxies[i] = Some(arm.proxy).filter(|_| arm.present);
                continue;
            }
            assert!(arm.proxy.translation.z == 0.0, "{:?}", arm.proxy);
            self.touched += u64::from(arm.contact_count > 0);
            self.starved += u64::from(arm.starved);
            for (k, (id, pose)) in now.iter().enumerate() {
                let body = &bodies[*id as usize - 1].outline;
                // Tools moved first, past bodies at their earlier poses.
                let mut from = self.proxies[i].unwrap_or(arm.proxy);
                for to in &arm.path[..arm.path_len] {
                    for share in [0.25, 0.5, 0.75, 1.0] {
                        let t = from.translation.vector.lerp(&to.translation.vector, share);
                        let pose =
                            Pose::from_parts(t.into(), from.rotation.slerp(&to.rotation, share));
                        self.near(outline, &pose, body, &before[k], &out);
                    }
                    from = *to;
                }
                self.near(outline, &arm.proxy, body, pose, &out);
            }
            self.proxies[i] = Some(arm.proxy);
        }
        (self.tools, self.bodies) = (tools, bodies);
        if out.tick.is_multiple_of(64) {
            self.engine
                .audit()
                .unwrap_or_else(|fault| panic!("tick {}: {fault}", out.tick));
        }
        out
    }

    fn near(
        &mut self,
        tool: &[Point],
        pose: &Pose,
        body: &[Point],
        body_pose: &Pose,
        out: &TickOutput,
    ) {
        let d = distance(&placed(tool, pose), &placed(body, body_pose));
        self.least_m = self.least_m.min(d);
        assert!(
            d >= self.distances.clearance_m,
            "tick {}: {d:e} m at {pose} of {:?}",
            out.tick,
            out.arms[0]
        );
    }
}

/// Three quarters of a thick ring.
pub fn c_shape(outer: f64, inner: f64, n: usize) -> Vec<Point> {
    let at = |k: usize, r: f64| {
        let a = 0.4 + 4.9 * k as f64 / (n - 1) as f64;
        [r * a.cos(), r * a.sin()]
    };
    let rim = (0..n).map(|k| at(k, outer));
    rim.chain((0..n).rev().map(|k| at(k, inner))).collect()
}

pub fn rectangle(x: f64, y: f64) -> Vec<Point> {
    vec![[-x, -y], [x, -y], [x, y], [-x, y]]
}
