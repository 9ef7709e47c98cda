//! A world of rigid bodies in which a user leads one of them, with an independent checker.
//!
//! The checker is `hapticd-audit`, which shares no code with the detection. It costs more than the
//! simulation, so it checks only some steps; counts over every step come from the world itself.

use std::sync::Arc;

use hapticd_audit::{Solid, Tool, distance_m, penetration_depth_m};
use hapticd_ccd::MeshIndex;
use hapticd_geometry::{MassProperties, Mat3, Pose, Quat, TriMesh, Vec3, transform};
use hapticd_rigid::{
    BodyError, BodyId, BodySpec, BodyView, Mass, Material, RigidWorld, Settings, Twist, Wrench,
};
use serde_json::Value;

use crate::clock::Moment;
use crate::experiment::{Failure, Row};

/// Sums over a run.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub steps: u64,
    /// Time of the steps alone, s.
    pub seconds: f64,
    pub slowest_s: f64,
    pub repositionings: u64,
    /// Steps that detection cut short for good.
    pub incomplete: u64,
    pub infeasible: u64,
    pub held: u64,
    pub audits: u64,
    pub overlaps: u64,
    pub least_m: f64,
}

/// A world with a checker; see the module page.
pub struct Stage {
    pub world: RigidWorld,
    bodies: Vec<(BodyId, Solid, bool)>,
    pub tally: Tally,
}

/// Leads the body of a first-order world: it rejoins its goal in `lag_s`, no faster than this.
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    pub lag_s: f64,
    pub most_m_s: f64,
    pub most_rad_s: f64,
}

/// A critically damped spring on a body of about this mass and inertia.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    pub rad_s: f64,
    pub mass_kg: f64,
    pub inertia_kg_m2: f64,
    pub most_n: f64,
}

fn refused(e: BodyError) -> Failure {
    Failure::Run(format!("a body: {e}"))
}

impl Stage {
    pub fn new(settings: Settings) -> Result<Self, Failure> {
        Ok(Self {
            world: RigidWorld::new(settings).map_err(refused)?,
            bodies: Vec::new(),
            tally: Tally {
                steps: 0,
                seconds: 0.0,
                slowest_s: 0.0,
                repositionings: 0,
                incomplete: 0,
                infeasible: 0,
                held: 0,
                audits: 0,
                overlaps: 0,
                least_m: f64::INFINITY,
            },
        })
    }

    /// Adds a body that never moves.
    pub fn fixed(
        &mut self,
        mesh: TriMesh,
        pose: Pose,
        material: Material,
    ) -> Result<BodyId, Failure> {
        let solid = Solid::new(&mesh);
        let spec = BodySpec::fixed(Arc::new(MeshIndex::new(mesh)), pose);
        let id = self
            .world
            .add(&BodySpec { material, ..spec })
            .map_err(refused)?;
        self.bodies.push((id, solid, false));
        Ok(id)
    }

    /// Adds a body that forces or goals move; an open mesh has the mass of a ball of its size.
    pub fn moving(
        &mut self,
        mesh: TriMesh,
        pose: Pose,
        density_kg_m3: f64,
        material: Material,
    ) -> Result<BodyId, Failure> {
        let solid = Solid::new(&mesh);
        let (low, high) = mesh.bounds();
        let open = !solid.is_closed();
        let mut spec = BodySpec::dynamic(Arc::new(MeshIndex::new(mesh)), pose, density_kg_m3);
        if open {
            let radius = 0.25 * (high - low).sum() / 1.5;
            let mass = density_kg_m3 * 4.2 * radius.powi(3);
            spec.mass = Some(Mass::Given(MassProperties {
                mass,
                center: (low + high) / 2.0,
                inertia: Mat3::identity() * (0.4 * mass * radius * radius),
            }));
        }
        let id = self
            .world
            .add(&BodySpec { material, ..spec })
            .map_err(refused)?;
        self.bodies.push((id, solid, true));
        Ok(id)
    }

    pub fn pose(&self, id: BodyId) -> Result<Pose, Failure> {
        self.world
            .body(id)
            .map(|b| b.world_from_body)
            .map_err(refused)
    }

    /// Runs a step; with `audit` the checker tests the result.
    pub fn step(&mut self, step_s: f64, audit: bool) -> Result<(), Failure> {
        let clock = Moment::now();
        let plan = self.world.step(step_s);
        let t = &mut self.tally;
        let took = clock.elapsed().as_secs_f64();
        t.steps += 1;
        t.seconds += took;
        t.slowest_s = t.slowest_s.max(took);
        t.repositionings += u64::from(plan.counters.repositionings);
        t.incomplete += u64::from(plan.duration_s < step_s * (1.0 - 1e-9));
        t.infeasible += u64::from(plan.counters.infeasible);
        t.held += u64::from(plan.counters.held);
        if audit {
            self.audit()?;
        }
        Ok(())
    }

    /// Checks every pair of which one body moves.
    pub fn audit(&mut self) -> Result<(), Failure> {
        self.tally.audits += 1;
        for (i, (a, a_solid, a_moves)) in self.bodies.iter().enumerate() {
            for (b, b_solid, b_moves) in &self.bodies[i + 1..] {
                if !(*a_moves || *b_moves) {
                    continue;
                }
                let tool = Tool::Mesh(a_solid);
                let (at, there) = (self.pose(*a)?, self.pose(*b)?);
                let depth = penetration_depth_m(&tool, &at, b_solid, &there);
                self.tally.overlaps += u64::from(depth != 0.0);
                let apart = distance_m(&tool, &at, b_solid, &there);
                self.tally.least_m = self.tally.least_m.min(apart);
            }
        }
        Ok(())
    }

    /// First order: sets the goal of the body.
    pub fn lead(&mut self, id: BodyId, goal: &Pose, lead: &Lead) -> Result<(), Failure> {
        let body = self.world.body(id).map_err(refused)?;
        let shift = shift_to(&body, goal);
        let turn = (goal.rotation * body.world_from_body.rotation.inverse()).scaled_axis();
        let twist = Twist {
            linear: (shift / lead.lag_s).cap_magnitude(lead.most_m_s),
            angular: (turn / lead.lag_s).cap_magnitude(lead.most_rad_s),
        };
        self.world.set_twist(id, &twist).map_err(refused)
    }

    /// Second order: applies a damped spring (6.3) from the body to its goal.
    pub fn pull(&mut self, id: BodyId, goal: &Pose, spring: &Spring) -> Result<(), Failure> {
        let body = self.world.body(id).map_err(refused)?;
        let turn = (goal.rotation * body.world_from_body.rotation.inverse()).scaled_axis();
        let (k, b) = (spring.rad_s * spring.rad_s, 2.0 * spring.rad_s);
        let force = (shift_to(&body, goal) * k - body.twist.linear * b) * spring.mass_kg;
        let wrench = Wrench {
            force: force.cap_magnitude(spring.most_n),
            torque: (turn * k - body.twist.angular * b) * spring.inertia_kg_m2,
        };
        self.world.set_wrench(id, &wrench).map_err(refused)
    }

    /// Returns true if bodies never overlapped or touched.
    pub fn is_clean(&self) -> bool {
        self.tally.overlaps == 0 && self.tally.least_m > 0.0 && self.tally.audits > 0
    }

    /// Returns the rows that every run reports.
    pub fn rows(&self, what: &str) -> Vec<Row> {
        let t = &self.tally;
        let name = |row: &str| {
            if what.is_empty() {
                row.to_owned()
            } else {
                format!("{what}: {row}")
            }
        };
        vec![
            Row::new(name("pairs found overlapping"), "", 0, t.overlaps),
            Row::new(name("least distance over the run"), "m", "> 0", t.least_m),
            Row::new(
                name("steps, and as many looked at by the checker"),
                "",
                Value::Null,
                format!("{}, {}", t.steps, t.audits),
            ),
            Row::new(
                name("repositioning cycles"),
                "",
                Value::Null,
                t.repositionings,
            ),
            Row::new(
                name("steps not made in full"),
                "",
                Value::Null,
                t.incomplete,
            ),
            Row::new(
                name("steps per second"),
                "1/s",
                Value::Null,
                t.steps as f64 / t.seconds,
            ),
            Row::new(name("slowest step"), "ms", Value::Null, 1e3 * t.slowest_s),
        ]
    }

    /// Returns a sentence for a verdict.
    pub fn words(&self) -> String {
        let t = &self.tally;
        format!(
            "{} overlaps and a least distance of {:.1e} m in {} audits of {} steps",
            t.overlaps, t.least_m, t.audits, t.steps
        )
    }
}

/// Returns the displacement of the centre of mass to its goal.
fn shift_to(body: &BodyView, goal: &Pose) -> Vec3 {
    let centre = transform(&body.world_from_body.inverse(), &body.centre);
    transform(goal, &centre) - body.centre
}

/// Returns a pose that turns the body about this point of its own by `turn` and then shifts it.
pub fn about(centre: &Vec3, turn: &Vec3, shift: &Vec3) -> Pose {
    let rotation = Quat::from_scaled_axis(*turn);
    Pose::from_parts((centre + shift - rotation * centre).into(), rotation)
}

/// No friction and no bounce, for parts that slide on their surroundings.
pub const SMOOTH: Material = Material {
    friction: 0.0,
    restitution: 0.0,
};
