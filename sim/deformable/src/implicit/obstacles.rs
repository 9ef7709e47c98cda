//! Rigid bodies as obstacles of the spheres: the plane through the nearest point of each body.

use std::sync::Arc;

use hapticd_ccd::{MeshIndex, NearestWork};
use hapticd_geometry::{Pose, transform};
use hapticd_particles::{Obstacle, SphereWorld};
use hapticd_proxy::{BodyKey, Query};

use hapticd_scene::{BodyKind, BodySpec};

/// Largest speed of a point of a rigid body among spheres, m/s, as among soft bodies.
const FASTEST_M_S: f64 = 20.0;
/// Distance beyond its radius and its displacement in a step at which a sphere is tested, m.
const MARGIN_M: f64 = 1e-3;

/// A rigid body.
#[derive(Clone, Debug)]
struct Rigid {
    key: BodyKey,
    fixed: bool,
    solid: bool,
    index: Arc<MeshIndex>,
    bound_m: f64,
    friction: f64,
    now: Pose,
    before: Pose,
}

/// All rigid bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Rigids {
    bodies: Vec<Rigid>,
    work: NearestWork,
    pub list: Vec<Obstacle>,
}

impl Rigids {
    /// Adds a body. A point is ignored.
    pub fn add(&mut self, key: BodyKey, spec: &BodySpec) {
        if spec.shape.index.mesh().is_none() {
            return;
        }
        self.bodies.push(Rigid {
            key,
            fixed: spec.kind == BodyKind::Static,
            solid: spec.solid,
            index: spec.shape.index.clone(),
            bound_m: spec.shape.bound_m,
            friction: spec.material.friction,
            now: spec.world_from_body,
            before: spec.world_from_body,
        });
    }

    /// Removes a body.
    pub fn remove(&mut self, key: BodyKey) {
        self.bodies.retain(|body| body.key != key);
    }

    /// Moves the bodies, before a step, to where the loop has them. A pose that is not finite
    /// leaves a body where it was.
    pub fn follow(&mut self, query: &Query) {
        for body in &mut self.bodies {
            body.before = body.now;
            let goal = query.pose_of(body.key).filter(|_| !body.fixed);
            if let Some(goal) = goal
                && goal.to_homogeneous().iter().all(|x| x.is_finite())
            {
                body.now = goal;
            }
        }
    }

    /// Finds the planes near the spheres before a step of `dt_s`, in order of bodies and spheres.
    pub fn find(&mut self, world: &SphereWorld, dt_s: f64) {
        self.list.clear();
        for body in &self.bodies {
            let inverse = body.before.inverse();
            let motion = body.now * inverse;
            for (sphere, (at, radius)) in (0..).zip(world.positions().iter().zip(world.radii())) {
                let local = transform(&inverse, at);
                let speed = world.velocities()[sphere as usize].norm();
                let moved = (transform(&motion, at) - at).norm().min(FASTEST_M_S * dt_s);
                let reach = radius + MARGIN_M + speed * dt_s + moved;
                if local.norm() > body.bound_m + reach {
                    continue;
                }
                let Some(near) = self.work.query(&body.index, &local, reach) else {
                    continue;
                };
                let away = local - near.point;
                let side = if body.solid {
                    away.dot(&near.normal)
                } else {
                    1.0
                };
                // Inside a solid, the exit is back through the surface. On the surface, use its
                // normal.
                let normal = match away.try_normalize(1e-12) {
                    Some(away) if side < 0.0 => -away,
                    Some(away) => away,
                    None => near.normal,
                };
                let Some(normal) = (body.before.rotation * normal).try_normalize(0.0) else {
                    continue;
                };
                let point = transform(&body.before, &near.point);
                let step = transform(&motion, &point) - point;
                let velocity = (step / dt_s).cap_magnitude(FASTEST_M_S);
                self.list.push(Obstacle {
                    sphere,
                    point,
                    normal,
                    velocity,
                    friction: body.friction,
                });
            }
        }
    }
}
