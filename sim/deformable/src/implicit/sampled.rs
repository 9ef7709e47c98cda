//! Bodies of samples among spheres and meshes: the planes that spheres of others meet, and the
//! points of a tool's mesh that are nearest.
//!
//! Both ask [`Sampled`] for feet, as the loop does. Deterministic; allocates while its lists grow.

use hapticd_ccd::{MeshIndex, NearestWork};
use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_particles::{Obstacle, SphereWorld};
use hapticd_proxy::{Sampled, ToolShape};

use super::bodies::ImplicitBody;
use super::tools::AHEAD_M;

/// Spheres are looked at this far beyond their radius and their way in a step, m, as beside rigid
/// bodies.
const MARGIN_M: f64 = 1e-3;
/// From a place near a tool to the surface, to the tool, and so on, so many times: between smooth
/// things the points are then near their nearest.
const ROUNDS: usize = 3;

/// Before a step of `dt_s`: adds the planes of bodies of samples that the spheres of others are
/// near to, in order of bodies and spheres.
pub(super) fn obstacles(
    world: &SphereWorld,
    bodies: &[ImplicitBody],
    dt_s: f64,
    list: &mut Vec<Obstacle>,
) {
    for body in bodies {
        let Some(sampled) = &body.sampled else {
            continue;
        };
        let spheres = (0..).zip(world.positions().iter().zip(world.radii()));
        for (sphere, (at, radius)) in spheres {
            // Of those that are samples' only one holds tools, and nothing moves it.
            let other = |b: &ImplicitBody| b.sampled.is_some() && b.spheres.contains(&sphere);
            let speed = world.velocities()[sphere as usize].norm();
            let reach_m = radius + MARGIN_M + speed * dt_s;
            if sampled.clear_m(at) > reach_m || bodies.iter().any(other) {
                continue;
            }
            if let Some(foot) = sampled.foot(at).filter(|foot| foot.distance_m < reach_m) {
                list.push(Obstacle {
                    sphere,
                    point: foot.point,
                    normal: foot.normal,
                    velocity: Vec3::zeros(),
                    friction: body.surface.friction,
                });
            }
        }
    }
}

/// Adds points of a tool's mesh that are near a body's surface, tool frame, each with how far it
/// is: from all around the tool to the surface, to the mesh, and so on to where it is nearest.
pub(super) fn note(
    sampled: &Sampled,
    (mesh, nearest): (&MeshIndex, &mut NearestWork),
    (tool, pose): (&ToolShape, &Pose),
    noted: &mut Vec<(f64, Vec3)>,
) {
    let (centre, reach_m) = (transform(pose, &tool.centre), 0.5 * tool.size_m());
    if sampled.clear_m(&centre) > reach_m + AHEAD_M {
        return;
    }
    let inverse = pose.inverse();
    for k in (0..27).filter(|k| *k != 13) {
        let side = Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
        let mut place = centre + side.add_scalar(-1.0).normalize() * reach_m;
        let mut found = None;
        for _ in 0..ROUNDS {
            let Some(foot) = sampled.foot(&place) else {
                break;
            };
            let local = transform(&inverse, &foot.point);
            let Some(near) = nearest.query(mesh, &local, 4.0 * reach_m + AHEAD_M) else {
                break;
            };
            place = transform(pose, &near.point);
            found = Some((place - foot.point).dot(&foot.normal));
        }
        if let Some(distance_m) = found.filter(|distance| *distance < AHEAD_M) {
            noted.push((distance_m, transform(&inverse, &place)));
        }
    }
}
