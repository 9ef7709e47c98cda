//! Sampled bodies among spheres and meshes: the planes that spheres of other bodies meet, and the
//! nearest points of a tool's mesh.
//!
//! Both query [`Sampled`] for feet, as the loop does. Deterministic; allocates while its lists
//! grow.

use hapticd_ccd::{MeshIndex, NearestWork};
use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_particles::{Obstacle, SphereWorld};
use hapticd_proxy::{Sampled, ToolShape};

use super::bodies::ImplicitBody;
use super::tools::AHEAD_M;

/// Distance beyond its radius and its displacement in a step at which a sphere is tested, m, as
/// near rigid bodies.
const MARGIN_M: f64 = 1e-3;
/// Number of alternating projections from a point near a tool to the surface and back to the tool.
/// Between smooth shapes the points are then close to the nearest ones.
const ROUNDS: usize = 3;

/// Adds the planes of sampled bodies near the spheres of other bodies, before a step of `dt_s`, in
/// order of bodies and spheres.
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
            // A sampled body's only sphere holds tools, and nothing moves it.
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

/// Adds points of a tool's mesh that are near a body's surface, tool frame, each with its distance.
/// Starts from all around the tool and projects alternately to the surface and to the mesh.
pub(super) fn note(
    sampled: &Sampled,
    (mesh, nearest): (&MeshIndex, &mut NearestWork),
    (tool, pose): (&ToolShape, &Pose),
    candidates: &mut Vec<(f64, Vec3)>,
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
            candidates.push((distance_m, transform(&inverse, &place)));
        }
    }
}
