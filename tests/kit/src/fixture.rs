//! The driver: runs scene, loop, courier and checker, one tick at a time.

use hapticd_audit::{
    ScrewMotion, Solid, Sweep, SweepLimits, Tool, distance_m, penetration_depth_m, sweep_body,
    sweep_tool,
};
use hapticd_geometry::Pose;
use hapticd_proxy::{
    ArmOutcome, ArmSetup, BodyKey, Damping, Engine, Gains, Interaction, MAX_ARMS, MAX_CONTACTS,
    Material, Snapshot, TickInput, ToolShape,
};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

use crate::courier::{Courier, Delivery};
use crate::random::Random;
use crate::scene::{ScenePlan, ToolPlan};
use crate::tally::{Finding, Tally, Violation};

/// Relative tolerance of distance comparisons, for rounding.
const ROUNDING: f64 = 1e-6;
/// Ticks at rest without progress after which a tool that is not at the device pose and touches
/// nothing counts as held. After twice as many it is a violation. Answers that are 20 ticks late
/// and list as many pairs as fit release it only slowly.
const PATIENCE: u32 = 120;
/// A decrease of the remaining distance by less than this share is not progress.
const PROGRESS: f64 = 0.2;

enum Form {
    Ball(f64),
    Mesh(Box<Solid>),
}

impl Form {
    fn tool(&self) -> Tool<'_> {
        match self {
            Form::Ball(radius_m) => Tool::Sphere {
                radius_m: *radius_m,
            },
            Form::Mesh(solid) => Tool::Mesh(solid),
        }
    }
}

struct Resident {
    id: u32,
    key: BodyKey,
    solid: Solid,
    pose: Pose,
    stations: Vec<(Pose, f64)>,
    every: u64,
}

/// Findings of the checker about the last tick.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Smallest distance to a solid body, m; infinite on ticks without a measurement.
    pub gap_m: f64,
    /// Number of violations in this tick.
    pub violations: u64,
}

/// Changes an answer on its way, to plant errors.
pub type Tamper = Box<dyn FnMut(&mut Snapshot)>;

/// A scene under attack; see the module page.
pub struct Fixture {
    world: Scene,
    engine: Engine,
    form: Form,
    bodies: Vec<Resident>,
    courier: Courier,
    random: Random,
    // Boxes, because they travel to the engine and back.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Snapshot>>,
    capacity: usize,
    clearance_m: f64,
    previous: Option<Pose>,
    device: Option<Pose>,
    still: u32,
    /// Distance of the tool from the device when `still` began to count.
    remaining_m: f64,
    standing: u32,
    limits: SweepLimits,
    /// Number of ticks between distance measurements; 1 for every tick.
    pub measure_every: u64,
    /// Planted errors; see [`Tamper`].
    pub tamper: Option<Tamper>,
    /// Sums so far.
    pub tally: Tally,
}

impl Fixture {
    /// Builds scene and loop.
    ///
    /// # Errors
    /// If the scene refuses a body: the reason.
    pub fn new(scene: &ScenePlan, manner: Delivery, seed: u64) -> Result<Self, String> {
        let (form, tool_shape, world_shape) = match &scene.tool {
            ToolPlan::Ball { radius_m } => (
                Form::Ball(*radius_m),
                ToolShape::sphere(*radius_m),
                Shape::point(),
            ),
            ToolPlan::Mesh { mesh, turns } => (
                Form::Mesh(Box::new(Solid::new(mesh))),
                ToolShape::mesh(mesh.positions(), *turns),
                Shape::of(mesh.clone()).0,
            ),
        };
        let mut world = Scene::new(scene.distances.clearance_m, scene.pairs_per_body);
        world.set_tool(0, world_shape, tool_shape);
        let mut bodies = Vec::new();
        for (i, plan) in scene.bodies.iter().enumerate() {
            let id = world
                .add_body(BodySpec {
                    name: format!("body {i}"),
                    kind: if plan.stations.is_empty() {
                        BodyKind::Static
                    } else {
                        BodyKind::Kinematic
                    },
                    shape: Shape::of(plan.mesh.clone()).0,
                    solid: plan.solid,
                    world_from_body: plan.pose,
                    restitution: 0.0,
                    density_kg_m3: 1000.0,
                    material: Material {
                        stiffness_n_per_m: 1000.0,
                        damping_n_s_per_m: 1.0,
                        friction: scene.friction,
                        force_shading: false,
                    },
                })
                .map_err(|e| e.to_string())?;
            let key = world.infos().find(|b| b.id == id).map(|b| b.key);
            bodies.push(Resident {
                id,
                key: key.ok_or("the scene lost a body")?,
                solid: Solid::new(&plan.mesh),
                pose: plan.pose,
                stations: plan.stations.clone(),
                every: plan.every.max(1),
            });
        }
        let mut setups = [None; MAX_ARMS];
        setups[0] = Some(ArmSetup {
            shape: tool_shape,
            distances: scene.distances,
            gains: Gains {
                stiffness_n_per_m: 500.0,
                damping_n_s_per_m: 0.5,
                rotational_stiffness_nm_per_rad: 0.5,
                rotational_damping_nm_s_per_rad: 0.0005,
            },
            damping: Damping::default(),
            interaction: Interaction::default(),
            pair_budget: scene.pair_budget,
            reach_max_m: scene.reach_max_m,
            reach_min_m: (20.0 * scene.distances.safe_m).min(scene.reach_max_m),
        });
        Ok(Fixture {
            world,
            engine: Engine::new(setups, 0.003),
            form,
            bodies,
            courier: Courier::new(manner),
            random: Random::new(seed),
            spare: Vec::new(),
            capacity: 2 * scene.pairs_per_body,
            clearance_m: scene.distances.clearance_m,
            previous: None,
            device: None,
            still: 0,
            remaining_m: f64::INFINITY,
            standing: 0,
            limits: SweepLimits::default(),
            measure_every: 4,
            tamper: None,
            tally: Tally::default(),
        })
    }

    /// Returns the loop.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the courier, to change its behaviour.
    pub fn courier(&mut self) -> &mut Courier {
        &mut self.courier
    }

    /// Returns the pose of body `i`.
    #[must_use]
    pub fn body_pose(&self, i: usize) -> Pose {
        self.bodies[i].pose
    }

    /// Gives a kinematic body a target.
    pub fn send(&mut self, i: usize, pose: &Pose, speed_m_s: f64) {
        // A static body refuses and stays, as intended.
        let _ = self.world.set_target(self.bodies[i].id, pose, speed_m_s);
    }

    /// Returns the distance of the tool, at its current pose, from all bodies, solid or not, m.
    #[must_use]
    pub fn distance(&self) -> f64 {
        let proxy = self.engine.output().arms[0].proxy;
        self.bodies
            .iter()
            .map(|b| distance_m(&self.form.tool(), &proxy, &b.solid, &b.pose))
            .fold(f64::INFINITY, f64::min)
    }

    /// Runs and checks one tick with this device pose (`None`: no device).
    pub fn step(&mut self, device: Option<Pose>) -> (ArmOutcome, Verdict) {
        let tick = self.engine.output().tick + 1;
        for b in &self.bodies {
            if !b.stations.is_empty() && tick % b.every == 1 % b.every {
                let (pose, speed) = b.stations[(tick / b.every) as usize % b.stations.len()];
                let _ = self.world.set_target(b.id, &pose, speed);
            }
        }
        for answer in self.courier.deliver(tick) {
            if let Some(old) = self.engine.receive(answer) {
                self.spare.push(old);
            }
        }
        let mut devices = [None; MAX_ARMS];
        devices[0] = device;
        self.engine.tick(&TickInput {
            period_s: 1e-3,
            devices,
            anchor: 0,
        });
        while let Some(old) = self.engine.take_retired() {
            self.spare.push(old);
        }
        let outcome = self.engine.output().arms[0];
        self.tally.digest.word(tick);
        let wrench = &outcome.wrench;
        self.tally.digest.numbers(wrench.force_n.as_slice());
        self.tally.digest.numbers(wrench.torque_nm.as_slice());
        self.tally.digest.pose(&outcome.proxy);
        for body in self.engine.bodies() {
            self.tally.digest.pose(&body.pose);
        }
        let verdict = self.check(tick, device, &outcome);
        if self.courier.may_query() {
            let query = self.engine.query();
            let mut answer = self
                .spare
                .pop()
                .unwrap_or_else(|| Box::new(Snapshot::new(self.capacity)));
            if self.world.answer(&query, 0, &mut answer) {
                self.tally.pairs_listed = self.tally.pairs_listed.max(answer.pairs.len());
                if let Some(tamper) = &mut self.tamper {
                    tamper(&mut answer);
                }
                self.courier.post(tick, answer, &mut self.random);
            } else {
                self.spare.push(answer);
            }
        }
        (outcome, verdict)
    }

    fn check(&mut self, tick: u64, device: Option<Pose>, outcome: &ArmOutcome) -> Verdict {
        let before = self.tally.violations;
        let poses: Vec<Pose> = self
            .bodies
            .iter()
            .map(|b| {
                let now = self.engine.bodies().find(|e| e.key == b.key);
                now.map_or(b.pose, |e| e.pose)
            })
            .collect();
        let mut verdict = Verdict {
            gap_m: f64::INFINITY,
            violations: 0,
        };
        self.tally.ticks += 1;
        if outcome.present {
            self.count(device, outcome);
            self.check_sanity(tick, outcome);
            self.check_surfaces(tick, outcome, &poses, &mut verdict);
            self.check_patience(tick, device, outcome);
            self.previous = Some(outcome.proxy);
        } else {
            self.previous = None;
            self.still = 0;
        }
        self.device = device;
        for (b, pose) in self.bodies.iter_mut().zip(poses) {
            b.pose = pose;
        }
        verdict.violations = self.tally.violations - before;
        verdict
    }

    fn count(&mut self, device: Option<Pose>, outcome: &ArmOutcome) {
        let t = &mut self.tally;
        let touching = outcome.contacts[..outcome.contact_count]
            .iter()
            .any(|c| c.active);
        t.contact += u64::from(touching);
        t.starved += u64::from(outcome.starved);
        t.ghost += u64::from(outcome.solid == 0);
        t.pairs_tested = t.pairs_tested.max(outcome.pairs_tested);
        if let (Some(a), Some(b)) = (&self.device, &device) {
            let way = (a.translation.vector - b.translation.vector).norm();
            // A larger displacement is a jump, not a motion.
            if way < 0.0101 {
                t.fastest_m = t.fastest_m.max(way);
            }
        }
    }

    fn note(&mut self, tick: u64, body: Option<usize>, at: &Pose, violation: Violation) {
        self.tally.note(Finding {
            tick,
            body,
            at: at.translation.vector,
            violation,
        });
    }

    fn check_sanity(&mut self, tick: u64, outcome: &ArmOutcome) {
        let w = &outcome.wrench;
        let numbers = w
            .force_n
            .iter()
            .chain(w.torque_nm.iter())
            .chain(outcome.proxy.translation.vector.iter());
        let mut wrong = None;
        if !numbers
            .chain(outcome.proxy.rotation.coords.iter())
            .all(|x| x.is_finite())
        {
            wrong = Some("not finite");
        }
        if (outcome.proxy.rotation.coords.norm() - 1.0).abs() > 1e-9 {
            wrong = Some("rotation is not of length 1");
        }
        if outcome.contact_count > MAX_CONTACTS {
            wrong = Some("contact count");
        } else {
            for c in &outcome.contacts[..outcome.contact_count] {
                let unit = (c.normal.norm() - 1.0).abs() < 1e-9;
                let gap = c.gap_m.is_finite() && c.gap_m >= self.clearance_m * (1.0 - ROUNDING);
                if !(unit && gap && c.point.iter().all(|x| x.is_finite())) {
                    wrong = Some("contact");
                }
            }
        }
        if outcome.path_len > outcome.path.len() {
            wrong = Some("path length");
        } else if let Some(last) = outcome.path[..outcome.path_len].last()
            && *last != outcome.proxy
        {
            wrong = Some("the path does not end at the proxy");
        }
        if let Some(what) = wrong {
            self.note(tick, None, &outcome.proxy, Violation::Nonsense(what));
        }
    }

    fn check_surfaces(
        &mut self,
        tick: u64,
        outcome: &ArmOutcome,
        poses: &[Pose],
        verdict: &mut Verdict,
    ) {
        let path = &outcome.path[..outcome.path_len.min(outcome.path.len())];
        let mut found = Vec::new();
        let mut pieces = 0;
        for (i, (b, now)) in self.bodies.iter().zip(poses).enumerate() {
            if outcome.solid & (1 << b.key.slot) == 0 {
                continue;
            }
            let tool = self.form.tool();
            let mut judge = |sweep| match sweep {
                Sweep::Clear { .. } => {}
                Sweep::Crossing { t } => found.push((i, Violation::Crossing(t))),
                Sweep::Unresolved { t, distance_m } => {
                    found.push((i, Violation::Unresolved(t, distance_m)))
                }
            };
            // Tools move first, with bodies at their old poses; then bodies move, with tools at
            // their new poses.
            if let Some(mut from) = self.previous {
                // A ball turns in place before it moves, so its centre goes straight.
                if matches!(self.form, Form::Ball(_)) {
                    from.rotation = outcome.proxy.rotation;
                }
                for to in path {
                    judge(sweep_tool(
                        &tool,
                        ScrewMotion { from: &from, to },
                        &b.solid,
                        &b.pose,
                        &self.limits,
                    ));
                    pieces += 1;
                    from = *to;
                }
                if path.is_empty() && from != outcome.proxy {
                    judge(sweep_tool(
                        &tool,
                        ScrewMotion {
                            from: &from,
                            to: &outcome.proxy,
                        },
                        &b.solid,
                        &b.pose,
                        &self.limits,
                    ));
                    pieces += 1;
                }
            }
            if b.pose != *now {
                judge(sweep_body(
                    &tool,
                    &outcome.proxy,
                    &b.solid,
                    ScrewMotion {
                        from: &b.pose,
                        to: now,
                    },
                    &self.limits,
                ));
                pieces += 1;
            }
            let depth = penetration_depth_m(&tool, &outcome.proxy, &b.solid, now);
            if depth != 0.0 {
                found.push((i, Violation::Penetration(depth)));
            }
            if tick.is_multiple_of(self.measure_every) {
                let gap = distance_m(&tool, &outcome.proxy, &b.solid, now);
                verdict.gap_m = verdict.gap_m.min(gap);
                if !(gap >= self.clearance_m * (1.0 - ROUNDING)) {
                    found.push((i, Violation::TooNear(gap)));
                }
            }
        }
        self.tally.pieces += pieces;
        self.tally.least_gap_m = self.tally.least_gap_m.min(verdict.gap_m);
        for (i, violation) in found {
            self.note(tick, Some(i), &outcome.proxy, violation);
        }
    }

    /// Checks that at rest the tool is at the device pose, or that a contact holds it.
    fn check_patience(&mut self, tick: u64, device: Option<Pose>, outcome: &ArmOutcome) {
        let touching = outcome.contacts[..outcome.contact_count].iter();
        let holding = touching.filter(|c| c.active).count();
        let [here, before] = [device, self.device].map(|d| d.map(|d| d.translation));
        let waits = self.previous == Some(outcome.proxy) && here != before && holding < 3;
        self.standing = if waits { self.standing + 1 } else { 0 };
        self.tally.pinned += u64::from(self.standing > 30);
        let quiet =
            device.is_some() && device == self.device && self.engine.bodies().all(|b| !b.moved);
        let Some(device) = device else {
            self.still = 0;
            return;
        };
        let deflection = (device.translation.vector - outcome.proxy.translation.vector).norm();
        if quiet && deflection > (1.0 - PROGRESS) * self.remaining_m {
            self.still += 1;
        } else {
            self.still = 0;
            self.remaining_m = deflection;
        }
        if self.still < PATIENCE {
            return;
        }
        let touching = outcome.contacts[..outcome.contact_count]
            .iter()
            .any(|c| c.active);
        if deflection > 1e-7 && !touching {
            self.tally.held += 1;
            if self.still == 2 * PATIENCE {
                self.note(tick, None, &outcome.proxy, Violation::Held(deflection));
            }
        }
    }
}
