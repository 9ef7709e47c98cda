//! A tool among soft bodies: pulled by the hand, a ghost until it has been clear of all soft
//! bodies.

use std::sync::Arc;

use crate::world::{AddError, DeformableWorld, ObjectId};
use hapticd_geometry::{Pose, shapes};
use hapticd_proxy::{ArmQuery, ToolShape};
use hapticd_rays::{POINTS_PER_CLUSTER, Shape, Topology};

use super::spec::DeformableAddError;

/// Subdivisions of a ball's mesh: 162 points.
const ROUND: u32 = 2;
/// Stiffness for which the mass is chosen, N/m: with it, a tool follows its hand within a step.
const USUAL_N_M: f64 = 1000.0;
/// Damping ratio of a tool on its spring.
const DAMPING: f64 = 0.3;
/// Friction of a tool's surface; that of a contact is the geometric mean of both sides.
const FRICTION: f64 = 0.5;
/// Height at which tools wait while no arm holds them, m.
const AWAY_M: f64 = -500.0;

/// A tool. See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub object: ObjectId,
    pub shape: Arc<Shape>,
    /// Its shape in the loop.
    seen: ToolShape,
    mass_kg: f64,
    radius_m: f64,
    away: Pose,
    /// Placement that it follows; `None` if no arm holds it.
    pub epoch: Option<u32>,
    /// Whether it touches nothing yet.
    pub ghost: bool,
    /// Pose that it was pulled to in the last step.
    goal: Pose,
}

impl Tool {
    /// Adds the tool of an arm. `mesh` is `None` for a ball.
    pub fn add(
        world: &mut DeformableWorld,
        arm: usize,
        seen: &ToolShape,
        mesh: Option<&hapticd_geometry::TriMesh>,
        step_s: f64,
    ) -> Result<Tool, DeformableAddError> {
        let refused = |why: AddError| DeformableAddError::Body {
            name: format!("tool of arm {arm}"),
            why,
        };
        let ball;
        let mesh = match mesh {
            Some(mesh) => mesh,
            None => {
                let radius_m = seen.radius_m;
                let none = |why| DeformableAddError::Ball { arm, radius_m, why };
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

    /// Sets the pull towards the hand, before a step.
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
            // It rotates only with the hand.
            100.0 * inertia / (step_s * step_s)
        };
        let damped = |k: f64, m: f64| [k, 2.0 * DAMPING * (k * m).sqrt()];
        let frames = [&self.goal, &goal];
        world.pull(
            self.object,
            frames,
            damped(k, self.mass_kg),
            damped(turn, inertia),
        )?;
        self.goal = goal;
        Ok(())
    }

    /// Ends the ghost state, after a step, if it is out of all soft bodies. `touches`: whether it
    /// had a contact, rendered or not.
    pub fn clear(&mut self, world: &mut DeformableWorld, touches: bool) {
        if self.ghost && self.epoch.is_some() && !touches {
            self.ghost = false;
            world.set_ghost(self.object, false);
        }
    }
}
