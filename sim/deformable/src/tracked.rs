//! Converts the contacts around a tool into the features that the loop tracks.

use crate::world::DeformableWorld;
use hapticd_geometry::Vec3;
use hapticd_proxy::{DeformableSnapshot, DeformableSurface, MAX_TRACKED, Tracked};
use hapticd_rays::layout::Contact;
use hapticd_rays::{Topology, V3};

use super::resident::Resident;
use super::spec::DeformableKind;
use super::tool::Tool;

/// Scratch memory, kept between answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracking {
    found: Vec<Tracked>,
}

impl Tracking {
    /// Fills `out` with the tracked features and their surfaces. Does not allocate once it has seen
    /// as many contacts and filled as many buffers.
    pub fn fill(
        &mut self,
        world: &DeformableWorld,
        tool: &Tool,
        bodies: &[Resident],
        out: &mut DeformableSnapshot,
    ) {
        let detector = world.detector();
        self.found.clear();
        if !tool.ghost {
            let near = detector.contacts().iter().chain(detector.near());
            let tracked = near.filter_map(|contact| tracked(world, tool, bodies, contact));
            self.found.extend(tracked);
        }
        let key = |t: &Tracked| (t.from_tool, t.surface, t.point);
        if self.found.len() > MAX_TRACKED {
            // Keep the nearest; among equals, the order does not depend on the order of discovery.
            self.found.sort_unstable_by(|a, b| {
                (a.length_m.total_cmp(&b.length_m)).then_with(|| key(a).cmp(&key(b)))
            });
            self.found.truncate(MAX_TRACKED);
        }
        // Both sides of a sheet's point may be known: the nearer one counts.
        self.found.sort_unstable_by(|a, b| {
            (key(a).cmp(&key(b))).then_with(|| a.length_m.total_cmp(&b.length_m))
        });
        self.found.dedup_by_key(|t| key(t));
        out.tracked.clear();
        out.tracked.extend_from_slice(&self.found);
        for (place, body) in bodies.iter().enumerate() {
            let needed = self.found.iter().any(|t| usize::from(t.surface) == place);
            if out.surfaces.len() == place {
                out.surfaces.push(DeformableSurface {
                    id: body.id,
                    shape: body.shape.clone(),
                    material: body.surface,
                    points: Vec::new(),
                    normals: Vec::new(),
                    velocities: Vec::new(),
                });
            }
            let surface = &mut out.surfaces[place];
            surface.material = body.surface;
            surface.points.clear();
            surface.normals.clear();
            surface.velocities.clear();
            if needed {
                copy(world, body, surface);
            }
        }
        for tracked in &mut out.tracked {
            first_plane(tracked, &out.surfaces[usize::from(tracked.surface)]);
        }
    }
}

fn single(v: &Vec3) -> V3 {
    v.map(|x| x as f32)
}

/// Copies the surface after the step, and its velocities in it.
fn copy(world: &DeformableWorld, body: &Resident, surface: &mut DeformableSurface) {
    let now = body.points(world);
    surface.points.extend(now.iter().map(single));
    let velocity = |i: usize| single(&body.velocity(world, i));
    surface.velocities.extend((0..now.len()).map(velocity));
    surface.normals.resize(now.len(), V3::zeros());
    body.shape.normals_at(&surface.points, &mut surface.normals);
}

/// Converts a contact or prediction between this tool and a soft body.
fn tracked(
    world: &DeformableWorld,
    tool: &Tool,
    bodies: &[Resident],
    contact: &Contact,
) -> Option<Tracked> {
    let id = tool.object.0;
    let from_tool = contact.source == id;
    if !from_tool && contact.target != id {
        return None;
    }
    let other = if from_tool {
        contact.target
    } else {
        contact.source
    };
    let surface = bodies.iter().position(|body| body.object.0 == other)?;
    // The answer may be some steps old, but neither of these two is ever removed.
    let mut contact = *contact;
    world.scene().refresh(&mut contact);
    let body = &bodies[surface];
    let gap_m = match body.shape.topology() {
        Topology::Volume => 0.0,
        Topology::Sheet { half_thickness_m } => half_thickness_m,
    };
    let exit_m = world.scene().exit(contact.source, contact.point);
    let through_sheet = from_tool && body.kind == DeformableKind::Cloth;
    let x = Vec3::from(contact.x.map(f64::from));
    let n = Vec3::from(contact.n.map(f64::from));
    Some(Tracked {
        surface: u8::try_from(surface).ok()?,
        from_tool,
        point: contact.point,
        triangle: contact.triangle,
        // Side of the triangle at which it was found; determined from the contact's normal below.
        side: 1.0,
        length_m: contact.t.abs(),
        exit_m: if through_sheet { 0.5 * exit_m } else { exit_m },
        gap_m,
        plane: Some(if from_tool {
            (x, n)
        } else {
            (x + n * (f64::from(contact.depth) - gap_m), -n)
        }),
    })
}

/// Sets the plane of a tool's point after the step, which holds until the loop has found a newer
/// one, and its side of a sheet.
fn first_plane(tracked: &mut Tracked, surface: &DeformableSurface) {
    let Some((_, normal)) = tracked.plane.filter(|_| tracked.from_tool) else {
        return;
    };
    let corners = (surface.shape.triangles().get(tracked.triangle as usize))
        .map(|t| t.map(|v| surface.points[v as usize].map(f64::from)));
    let Some([a, b, c]) = corners else { return };
    let now = (b - a).cross(&(c - a)).try_normalize(0.0);
    let now = now.unwrap_or(normal);
    tracked.side = if now.dot(&normal) < 0.0 { -1.0 } else { 1.0 };
    tracked.plane = Some(((a + b + c) / 3.0, now * f64::from(tracked.side)));
}
