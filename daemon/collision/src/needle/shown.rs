//! Surfaces with which clients draw needles and their surroundings: the tissue as a frame of its
//! edges and layers, so that its inside stays visible; its structures; and each needle as a thin
//! tube that bends.
//!
//! Surfaces like those of soft bodies, of kind `soft`. The scribe writes them; they are a picture
//! and do not affect forces. Allocates when it is made.

use hapticd_geometry::{Pose, TriMesh, Vec3, shapes, transform};
use hapticd_needle::TissueSpec;
use hapticd_proxy::Insertion;
use hapticd_sys::clock::now_ns;

use crate::deformable;
use hapticd_ipc::surfaces::{SurfaceInfo, SurfaceKind, SurfaceWriter};

/// First id of these surfaces, beyond those of soft bodies.
const FIRST_ID: u32 = deformable::FIRST_ID + (1 << 24);
/// Rings of a tube, and points per ring.
const RINGS: usize = 96;
const SIDES: usize = 6;
/// Thickness of the frame, as a fraction of the tissue's longest edge.
const BEAM: f64 = 0.008;
/// Updates between two writes of static surfaces, for clients that read only at times.
const STATIC_EVERY: u64 = 50;

/// A surface without its writer.
struct Surface {
    name: String,
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// The surfaces: see the module documentation.
pub struct Shown {
    /// Static surfaces first, then one tube per needle.
    surfaces: Vec<Surface>,
    still: usize,
    writers: Vec<SurfaceWriter>,
    looks: u64,
}

impl Shown {
    /// Makes the surfaces of a tissue, its structures and needles, with their names.
    pub fn new(tissue: &TissueSpec, name: &str, structures: &[String], needles: &[String]) -> Self {
        let place = |mesh: &TriMesh, name: &str| Surface {
            name: name.to_owned(),
            points: (mesh.positions().iter())
                .map(|p| transform(&tissue.world_from_tissue, p))
                .collect(),
            triangles: mesh.triangles().to_vec(),
        };
        let mut surfaces = Vec::new();
        let (points, triangles) = frame(tissue);
        surfaces.push(Surface {
            name: name.to_owned(),
            points: (points.iter())
                .map(|p| transform(&tissue.world_from_tissue, p))
                .collect(),
            triangles,
        });
        for (structure, name) in tissue.structures.iter().zip(structures) {
            surfaces.push(place(&structure.mesh, name));
        }
        let still = surfaces.len();
        surfaces.extend(needles.iter().map(|name| Surface {
            name: name.clone(),
            points: vec![Vec3::zeros(); RINGS * SIDES],
            triangles: tube(),
        }));
        Shown {
            surfaces,
            still,
            writers: Vec::new(),
            looks: 0,
        }
    }

    /// Descriptions of the surfaces for clients.
    pub fn infos(&self) -> Vec<SurfaceInfo> {
        let info = |(id, s): (u32, &Surface)| SurfaceInfo {
            id,
            name: s.name.clone(),
            kind: SurfaceKind::Soft,
            points: s.points.len(),
            triangles: s.triangles.clone(),
        };
        (FIRST_ID..).zip(&self.surfaces).map(info).collect()
    }

    /// Sets the writers, in the order of [`Self::infos`]; without writers nothing is drawn.
    pub fn set_writers(&mut self, writers: Vec<SurfaceWriter>) {
        self.writers = writers;
    }

    /// Bends the tube of a needle along its centre line, hub first, world.
    pub fn bend(&mut self, needle: usize, line: &[Vec3], radius_m: f64) {
        if self.writers.is_empty() {
            return;
        }
        if let Some(surface) = self.surfaces.get_mut(self.still + needle) {
            around(line, radius_m, &mut surface.points);
        }
    }

    /// Publishes all tubes, and now and then the static surfaces.
    pub fn write(&mut self, tick: u64) {
        let from = if self.looks.is_multiple_of(STATIC_EVERY) {
            0
        } else {
            self.still
        };
        self.looks += 1;
        let time_ns = now_ns();
        let all = self.writers.iter_mut().zip(&self.surfaces);
        for (writer, surface) in all.skip(from) {
            let points = surface.points.iter();
            let points = points.map(|p| [p.x as f32, p.y as f32, p.z as f32]);
            // A surface that is not finite is not published: clients keep the last one.
            let _ = writer.write(tick, time_ns, points);
        }
    }
}

/// Computes the centre line of a needle, hub first, world: straight from the hub to the entry
/// point, then along its path.
pub fn line(hub: &Pose, reach_m: f64, told: &Insertion, nodes: &[Vec3], out: &mut Vec<Vec3>) {
    out.clear();
    out.push(hub.translation.vector);
    if nodes.is_empty() {
        out.push(transform(hub, &Vec3::new(0.0, 0.0, -reach_m)));
    } else {
        out.extend_from_slice(nodes);
        out.push(told.tip);
    }
}

/// The edges of the box and of every layer as thin beams.
fn frame(tissue: &TissueSpec) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let half = tissue.half_m;
    let thick = BEAM * half.max();
    let mut heights = vec![-half.z];
    let mut top = half.z;
    for layer in &tissue.layers {
        heights.push(top);
        top -= layer.thickness_m;
    }
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut beam = |middle: Vec3, half: Vec3| {
        // Three numbers above 0 always make a box.
        let Ok(mesh) = shapes::cuboid(&half) else {
            return;
        };
        let first = points.len() as u32;
        points.extend(mesh.positions().iter().map(|p| p + middle));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|i| i + first)));
    };
    for z in heights {
        for side in [-1.0, 1.0] {
            beam(
                Vec3::new(0.0, side * half.y, z),
                Vec3::new(half.x, thick, thick),
            );
            beam(
                Vec3::new(side * half.x, 0.0, z),
                Vec3::new(thick, half.y, thick),
            );
        }
    }
    for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        beam(
            Vec3::new(x * half.x, y * half.y, 0.0),
            Vec3::new(thick, thick, half.z),
        );
    }
    (points, triangles)
}

/// Triangles between the rings, and of both end caps.
fn tube() -> Vec<[u32; 3]> {
    let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
    let mut triangles = Vec::new();
    for ring in 0..RINGS - 1 {
        for side in 0..SIDES {
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            triangles.push([a, b, d]);
            triangles.push([a, d, c]);
        }
    }
    for side in 1..SIDES - 1 {
        triangles.push([at(0, 0), at(0, side + 1), at(0, side)]);
        let last = RINGS - 1;
        triangles.push([at(last, 0), at(last, side), at(last, side + 1)]);
    }
    triangles
}

/// Places rings around a line, evenly spaced along it; the last one is a point. Fills `out`, whose
/// length sets the number of rings.
fn around(line: &[Vec3], radius_m: f64, out: &mut [Vec3]) {
    let length: f64 = line.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
    let [.., before, last] = line else { return };
    let mut across = Vec3::x();
    let (mut k, mut gone) = (0, 0.0);
    for (ring, points) in out.chunks_mut(SIDES).enumerate() {
        let wanted = length * ring as f64 / (RINGS - 1) as f64;
        let piece = |k: usize| line[k + 1] - line[k];
        while k + 2 < line.len() && gone + piece(k).norm() < wanted {
            gone += piece(k).norm();
            k += 1;
        }
        let along = piece(k);
        let (centre, direction) = match along.try_normalize(1e-12) {
            Some(d) => (line[k] + d * (wanted - gone), d),
            None => (
                line[k],
                (last - before).try_normalize(1e-12).unwrap_or(Vec3::z()),
            ),
        };
        // The last ring's transverse direction, turned no more than the line turns.
        let swept = across - direction * across.dot(&direction);
        across = swept.try_normalize(1e-6).unwrap_or_else(|| {
            let other = if direction.x.abs() < 0.9 {
                Vec3::x()
            } else {
                Vec3::y()
            };
            direction.cross(&other).normalize()
        });
        let up = direction.cross(&across);
        let thick = if ring + 1 == RINGS { 0.0 } else { radius_m };
        for (side, p) in points.iter_mut().enumerate() {
            let (sin, cos) = (std::f64::consts::TAU * side as f64 / SIDES as f64).sin_cos();
            *p = centre + (across * cos + up * sin) * thick;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Adjacency, MeshReport};
    use hapticd_needle::Structure;

    #[test]
    fn a_tube_is_closed_goes_along_its_line_and_ends_at_the_tip() {
        let line: Vec<Vec3> = (0..30)
            .map(|i| {
                let t = 0.1 * f64::from(i);
                Vec3::new(0.05 * t.sin(), 0.01 * t, -0.05 * t)
            })
            .collect();
        let mut points = vec![Vec3::zeros(); RINGS * SIDES];
        around(&line, 0.001, &mut points);
        for p in &points {
            let apart = line
                .windows(2)
                .map(|s| (hapticd_geometry::closest::point_segment(p, &s[0], &s[1]).0 - p).norm())
                .fold(f64::INFINITY, f64::min);
            assert!(apart < 0.001 + 1e-9, "{apart}");
        }
        assert!((points[0] - line[0]).norm() < 0.001 + 1e-9);
        assert!((points[points.len() - 1] - line[29]).norm() < 1e-9);
        // Without its last ring, which shrinks to a point, it is a closed, oriented surface.
        let mut thick = points.clone();
        let last = (RINGS - 1) * SIDES;
        for side in 0..SIDES {
            thick[last + side] += (points[last - SIDES + side] - line[29]) * 0.1;
        }
        let mesh = TriMesh::new(thick, tube()).unwrap();
        let report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
        assert!(report.closed && report.oriented, "{report:?}");
    }

    #[test]
    fn degenerate_lines_do_no_harm() {
        let mut points = vec![Vec3::repeat(7.0); RINGS * SIDES];
        for line in [vec![], vec![Vec3::x()], vec![Vec3::x(); 3]] {
            around(&line, 0.001, &mut points);
            assert!(points.iter().all(|p| p.iter().all(|x| x.is_finite())));
        }
    }

    #[test]
    fn everything_has_a_name_and_an_identity_of_its_own() {
        let spec = TissueSpec {
            world_from_tissue: Pose::translation(0.0, 0.0, 1.0),
            half_m: Vec3::repeat(0.05),
            layers: vec![hapticd_needle::Layer::DEFAULT; 3],
            structures: vec![Structure {
                id: 3,
                mesh: shapes::icosphere(0.01, 1).unwrap(),
                puncture_force_n: None,
            }],
        };
        let words = |s: &str| vec![s.to_owned()];
        let shown = Shown::new(&spec, "flank", &words("rib"), &words("needle"));
        let infos = shown.infos();
        let names: Vec<&str> = infos.iter().map(|i| i.name.as_str()).collect();
        assert_eq!(names, ["flank", "rib", "needle"]);
        let (_, fds) = hapticd_ipc::surfaces::create(&infos).unwrap();
        drop(fds);
        assert!((shown.surfaces[1].points[0].z - 1.0).abs() < 0.011);
    }
}
