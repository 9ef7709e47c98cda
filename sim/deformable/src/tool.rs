//! A tool among soft bodies: drawn by the hand, a ghost until it has been clear of everything soft.

use std::sync::Arc;

use crate::world::{AddError, DeformableWorld, ObjectId};
use hapticd_geometry::{Pose, shapes};
use hapticd_proxy::{ArmQuery, ToolShape};
use hapticd_rays::{POINTS_PER_CLUSTER, Shape, Topology};

use super::spec::SoftAddError;

/// How round a ball's mesh is: 162 points.
const ROUND: u32 = 2;
/// Stiffness that the mass is chosen for, N/m: with it a tool follows its hand within a step.
const USUAL_N_M: f64 = 1000.0;
/// Damping ratio of a tool on its spring.
const DAMPING: f64 = 0.3;
/// Of a tool's surface; that of a contact is the geometric mean of both sides'.
const FRICTION: f64 = 0.5;
/// Where tools are that nobody holds, m.
const AWAY_M: f64 = -500.0;

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub object: ObjectId,
    pub shape: Arc<Shape>,
    /// As the loop sees it.
    seen: ToolShape,
    mass_kg: f64,
    radius_m: f64,
    away: Pose,
    /// Placement that it follows; `None`: nobody holds it.
    pub epoch: Option<u32>,
    /// Touches nothing yet.
    pub ghost: bool,
    /// Where it was drawn to in the last step.
    goal: Pose,
}

impl Tool {
    /// `mesh`: of a tool that is no ball.
    pub fn add(
        world: &mut DeformableWorld,
        arm: usize,
        seen: &ToolShape,
        mesh: Option<&hapticd_geometry::TriMesh>,
        step_s: f64,
    ) -> Result<Tool, SoftAddError> {
        let refused = |why: AddError| SoftAddError::Body {
            name: format!("tool of arm {arm}"),
            why,
        };
        let ball;
        let mesh = match mesh {
            Some(mesh) => mesh,
            None => {
                let radius_m = seen.radius_m;
                let none = |why| SoftAddError::Ball { arm, radius_m, why };
                ball = shapes::icosphere(radius_m, ROUND).map_err(none)?;
                &ball
            }
        };
        let shape = Shape::new(mesh, Topology::Volume, POINTS_PER_CLUSTER);
        let shape = Arc::new(shape.map_err(|why| refused(why.into()))?);
        let mass_kg = USUAL_N_M * step_s * step_s;
        let radius_m = (seen.bound_m + seen.radius_m).max(1e-3);
        let away = Pose::translation(0.0, 0.0, AWAY_M - 10.0 * arm as f64);
        let object = world
            .add_tool(
                shape.clone(),
                (mass_kg, radius_m, seen.centre),
                &away,
                FRICTION,
            )
            .map_err(refused)?;
        world.set_ghost(object, true);
        Ok(Tool {
            object,
            shape,
            seen: *seen,
            mass_kg,
            radius_m,
            away,
            epoch: None,
            ghost: true,
            goal: away,
        })
    }

    /// Before a step: where the hand draws it.
    pub fn follow(
        &mut self,
        world: &mut DeformableWorld,
        query: &ArmQuery,
        step_s: f64,
    ) -> Result<(), AddError> {
        let held = query.present.then_some(query.epoch);
        if held != self.epoch {
            self.epoch = held;
            self.ghost = true;
            world.set_ghost(self.object, true);
            self.goal = match held {
                Some(_) => self.seen.seen_at(&query.world_from_tool),
                None => self.away,
            };
            world.place(self.object, &self.goal)?;
        }
        let goal = match held {
            Some(_) => self.seen.seen_at(&query.world_from_goal),
            None => self.away,
        };
        let inertia = 0.4 * self.mass_kg * self.radius_m * self.radius_m;
        let k = query.stiffness_n_per_m.max(0.0);
        let turn = if query.stiffness_nm_per_rad > 0.0 {
            query.stiffness_nm_per_rad
        } else {
            // It does not turn but with the hand.
            100.0 * inertia / (step_s * step_s)
        };
        let damped = |k: f64, m: f64| [k, 2.0 * DAMPING * (k * m).sqrt()];
        let course = [&self.goal, &goal];
        world.pull(
            self.object,
            course,
            damped(k, self.mass_kg),
            damped(turn, inertia),
        )?;
        self.goal = goal;
        Ok(())
    }

    /// After a step: out of everything soft it is a ghost no more. `touches`: whether it had a
    /// contact, felt or not.
    pub fn clear(&mut self, world: &mut DeformableWorld, touches: bool) {
        if self.ghost && self.epoch.is_some() && !touches {
            self.ghost = false;
            world.set_ghost(self.object, false);
        }
    }
}
