//! A smooth surface through the vertices of a coarse mesh, and the foot of a point on it.
//!
//! Built once, off any real-time thread, in `O(n log n)`. [`SmoothMesh::foot`] is real-time
//! callable: no allocation, no lock, bounded work. Deterministic. Lengths in metres, in the mesh's
//! own frame.
//!
//! # Theory
//!
//! Where faces meet at small angles, the mesh stands for a smooth surface; elsewhere it means a
//! crease ([`CREASE`]). Faces joined by edges other than creases form a *sheet*. The vertices of a
//! sheet have normals, weighted so that they are exact on spheres (Max 1999, "Weights for computing
//! vertex normals from facet normals"). Each triangle carries a patch that interpolates its corners
//! with these normals: Nielson's side-vertex blend (1987, "A transfinite, visually continuous,
//! triangular interpolant"), see `patch`. On an edge between two patches, position and tangent
//! plane follow from the edge alone. So the surface of a sheet has continuous normals, and so have
//! its offset surfaces.
//!
//! A sheet may end at a plane that turns away, as a cylinder does at its ends. For a point beyond
//! that rim the foot stays on the rim while the direction to the point lies between the two
//! normals, and is on the plane after that. The distance is continuous, and so is its gradient.
//! Beyond other ends of a sheet the foot reports that it is on a border.
//!
//! A sheet with a patch further than [`MAX_LIFT_M`] from its triangle is too coarse to tell which
//! surface was meant, and stays as it is. If only that triangle stayed flat, its sides would be
//! steps.

use std::sync::Arc;

use crate::adjacency::{Adjacency, NO_FACE};
use crate::mesh::TriMesh;
use crate::pose::Vec3;

mod nearest;
mod patch;

pub use nearest::Foot;
pub use patch::Patch;

/// Cosine of the angle between two faces at which their edge becomes a crease: 30 degrees.
pub const CREASE: f64 = 0.866_025_403_784_438_6;
/// Largest distance that the smooth surface may have from the mesh, m. It is below the resolution
/// of the hand for positions (1 to 2 mm), and 0.2 N at 800 N/m.
pub const MAX_LIFT_M: f64 = 0.25e-3;
/// A normal nearer than this to its face's normal counts as equal to it.
const FLAT: f64 = 1e-6;

/// A triangle of the surface.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Normals of its corners, as indices into [`SmoothMesh::normals`].
    normals: [u32; 3],
    /// The triangles smoothly joined across the sides 01, 12, 20; [`NO_FACE`] at a crease or a
    /// border.
    across: [u32; 3],
    /// The triangle of a plane that turns away, outwards, across such a side; else [`NO_FACE`].
    beyond: [u32; 3],
    /// The sheet that it belongs to.
    sheet: u32,
}

/// A smooth surface through the vertices of a mesh. See the [module](self).
#[derive(Clone, Debug)]
pub struct SmoothMesh {
    mesh: Arc<TriMesh>,
    faces: Vec<Face>,
    normals: Vec<Vec3>,
    /// For each sheet: true if it is a plane, hence the mesh itself.
    flat: Vec<bool>,
    /// For each sheet: the smallest radius of its concave parts, m.
    min_concave_radius_m: Vec<f64>,
    lift_m: f64,
}

impl SmoothMesh {
    /// Builds the surface through a mesh; `None` if it would be the mesh itself, with only planes
    /// and creases.
    #[must_use]
    pub fn new(mesh: &Arc<TriMesh>, adjacency: &Adjacency) -> Option<Self> {
        let facets: Vec<Vec3> = (0..mesh.triangles().len())
            .map(|t| facet(&mesh.triangle(t)))
            .collect();
        let joined = |e: usize| {
            let [f, g] = adjacency.edges[e].faces;
            g != NO_FACE && facets[f as usize].dot(&facets[g as usize]) > CREASE
        };
        let whole = manifold(mesh, adjacency);
        let mut smooth: Vec<bool> = (0..adjacency.edges.len())
            .map(|e| whole[e] && joined(e))
            .collect();
        let mut surface = Self::joined(mesh, adjacency, &facets, &smooth);
        let coarse = surface.coarse();
        if coarse.contains(&true) {
            for (face, edges) in surface.faces.iter().zip(&adjacency.triangle_edges) {
                for e in edges.iter().filter(|_| coarse[face.sheet as usize]) {
                    smooth[*e as usize] = false;
                }
            }
            surface = Self::joined(mesh, adjacency, &facets, &smooth);
        }
        if surface.flat.iter().all(|flat| *flat) {
            return None;
        }
        for t in 0..surface.faces.len() {
            surface.faces[t].beyond = surface.planes_beyond(adjacency, &whole, t);
        }
        Some(surface)
    }

    /// Builds the surface in which exactly these edges are smooth.
    fn joined(
        mesh: &Arc<TriMesh>,
        adjacency: &Adjacency,
        facets: &[Vec3],
        smooth: &[bool],
    ) -> Self {
        let triangles = mesh.triangles();
        let corner = |face: u32, vertex: u32| {
            let at = triangles[face as usize].iter().position(|v| *v == vertex);
            3 * face + at.unwrap_or(0) as u32
        };
        let mut corners = Groups::new(3 * triangles.len());
        let mut sheets = Groups::new(triangles.len());
        let mut across = vec![[NO_FACE; 3]; triangles.len()];
        for (t, edges) in adjacency.triangle_edges.iter().enumerate() {
            for (side, &e) in edges
                .iter()
                .enumerate()
                .filter(|(_, e)| smooth[**e as usize])
            {
                let edge = &adjacency.edges[e as usize];
                let [f, g] = edge.faces;
                across[t][side] = if f == t as u32 { g } else { f };
                for v in edge.vertices {
                    corners.join(corner(f, v), corner(g, v));
                }
                sheets.join(f, g);
            }
        }
        let mut sums = vec![Vec3::zeros(); 3 * triangles.len()];
        for t in 0..triangles.len() {
            let p = mesh.triangle(t);
            for k in 0..3 {
                let (a, b) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
                let weight = 1.0 / (a.norm_squared() * b.norm_squared());
                sums[corners.of(3 * t as u32 + k as u32) as usize] += a.cross(&b) * weight;
            }
        }
        let mut names = vec![u32::MAX; sums.len()];
        let mut normals = Vec::new();
        let mut numbers = vec![u32::MAX; triangles.len()];
        let (mut flat, mut faces) = (Vec::new(), Vec::with_capacity(triangles.len()));
        for t in 0..triangles.len() as u32 {
            let named = [0, 1, 2].map(|k| {
                let group = corners.of(3 * t + k) as usize;
                if names[group] == u32::MAX {
                    names[group] = normals.len() as u32;
                    let fallback = facets[t as usize];
                    normals.push(sums[group].try_normalize(0.0).unwrap_or(fallback));
                }
                names[group]
            });
            let sheet = sheets.of(t) as usize;
            if numbers[sheet] == u32::MAX {
                numbers[sheet] = flat.len() as u32;
                flat.push(true);
            }
            let off = named.map(|n| (normals[n as usize] - facets[t as usize]).norm());
            flat[numbers[sheet] as usize] &= off.iter().all(|off| *off < FLAT);
            faces.push(Face {
                normals: named,
                across: across[t as usize],
                beyond: [NO_FACE; 3],
                sheet: numbers[sheet],
            });
        }
        normals.shrink_to_fit();
        let mut surface = SmoothMesh {
            mesh: mesh.clone(),
            faces,
            normals,
            min_concave_radius_m: vec![f64::INFINITY; flat.len()],
            flat,
            lift_m: 0.0,
        };
        for face in 0..surface.faces.len() {
            let sheet = surface.faces[face].sheet as usize;
            let here_m = 1.0 / surface.concavity_per_m(face);
            surface.min_concave_radius_m[sheet] = surface.min_concave_radius_m[sheet].min(here_m);
        }
        let lifts = (0..surface.faces.len() as u32).map(|face| surface.lift_of(face));
        surface.lift_m = lifts.fold(0.0, f64::max);
        surface
    }

    /// Returns, across each side of a curved triangle, the triangle of a plane that turns away from
    /// it.
    fn planes_beyond(&self, adjacency: &Adjacency, whole: &[bool], t: usize) -> [u32; 3] {
        let mut beyond = [NO_FACE; 3];
        if self.is_flat(t as u32) {
            return beyond;
        }
        let here = self.mesh.triangle(t);
        let normal = facet(&here);
        for (side, &e) in adjacency.triangle_edges[t].iter().enumerate() {
            let edge = &adjacency.edges[e as usize];
            let other = edge.faces[usize::from(edge.faces[0] == t as u32)];
            // Where more than two triangles meet, the face beyond is ambiguous.
            if other == NO_FACE || !whole[e as usize] || !self.is_flat(other) {
                continue;
            }
            let corners = self.mesh.triangles()[other as usize];
            let third = corners.iter().position(|v| !edge.vertices.contains(v));
            let third = self.mesh.triangle(other as usize)[third.unwrap_or(0)];
            if (third - here[side]).dot(&normal) < 0.0 {
                beyond[side] = other;
            }
        }
        beyond
    }

    /// Returns, for each sheet, whether one of its patches is too far from its triangle.
    fn coarse(&self) -> Vec<bool> {
        let mut coarse = vec![false; self.flat.len()];
        for (t, face) in (0..).zip(&self.faces) {
            // Not `lift > ...`, so that NaN counts as too coarse.
            coarse[face.sheet as usize] |= !(self.lift_of(t) <= MAX_LIFT_M);
        }
        coarse
    }

    /// Returns how far a triangle's patch is from it, m: sampled at its middle and at the midpoints
    /// of its sides.
    fn lift_of(&self, face: u32) -> f64 {
        if self.is_flat(face) {
            return 0.0;
        }
        let (patch, corners) = (self.patch(face), self.mesh.triangle(face as usize));
        let third = 1.0 / 3.0;
        [
            [third; 3],
            [0.5, 0.5, 0.0],
            [0.0, 0.5, 0.5],
            [0.5, 0.0, 0.5],
        ]
        .iter()
        .map(|w| {
            let plain = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
            (patch.at(w) - plain).norm()
        })
        .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
    }

    /// Returns how concave a triangle is, 1/m: minus the smaller principal curvature, or 0 if that
    /// is positive. The normal is taken to vary over the triangle as between its corners.
    fn concavity_per_m(&self, face: usize) -> f64 {
        let [a, b, c] = self.mesh.triangle(face);
        let [na, nb, nc] = self.faces[face].normals.map(|n| self.normals[n as usize]);
        let (u, v) = (b - a, c - a);
        let (nu, nv) = (nb - na, nc - na);
        // First and second fundamental form in the two sides: the curvatures are the roots of
        // det(second - k first).
        let first = [u.dot(&u), u.dot(&v), v.dot(&v)];
        let second = [u.dot(&nu), 0.5 * (u.dot(&nv) + v.dot(&nu)), v.dot(&nv)];
        let det = |m: &[f64; 3]| m[0] * m[2] - m[1] * m[1];
        let mean = (first[0] * second[2] + first[2] * second[0] - 2.0 * first[1] * second[1])
            / (2.0 * det(&first));
        let least = mean - (mean * mean - det(&second) / det(&first)).max(0.0).sqrt();
        // NaN if the triangle has no area: it then counts as not concave.
        (-least).max(0.0)
    }

    /// Returns the smallest radius of the concave parts of a sheet, m: infinite if it has none, 0
    /// if there is no such sheet.
    ///
    /// The offset surface further than that outside of it has edges. Real-time safe.
    #[must_use]
    pub fn min_concave_radius_m(&self, sheet: u32) -> f64 {
        self.min_concave_radius_m
            .get(sheet as usize)
            .copied()
            .unwrap_or(0.0)
    }

    /// Returns the largest distance between the surface and the mesh, m: at most [`MAX_LIFT_M`].
    #[must_use]
    pub fn lift_m(&self) -> f64 {
        self.lift_m
    }

    /// Returns whether a triangle belongs to a planar sheet, or does not exist. Real-time safe.
    #[must_use]
    pub fn is_flat(&self, face: u32) -> bool {
        let face = self.faces.get(face as usize);
        face.is_none_or(|f| self.flat[f.sheet as usize])
    }

    /// Returns the sheet to which a triangle belongs. Real-time safe.
    #[must_use]
    pub fn sheet(&self, face: u32) -> Option<u32> {
        self.faces.get(face as usize).map(|f| f.sheet)
    }

    /// Returns the patch over a triangle, which must exist. Real-time safe.
    #[must_use]
    pub fn patch(&self, face: u32) -> Patch {
        let corners = self.mesh.triangle(face as usize);
        let normals = self.faces[face as usize].normals;
        Patch::new(corners, normals.map(|n| self.normals[n as usize]))
    }
}

fn facet([a, b, c]: &[Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(&(c - a));
    normal.try_normalize(0.0).unwrap_or_default()
}

/// Returns, for each edge, whether exactly two triangles meet there and face the same way, so that
/// the surface is a manifold.
fn manifold(mesh: &TriMesh, adjacency: &Adjacency) -> Vec<bool> {
    let mut along = vec![[0_u8; 2]; adjacency.edges.len()];
    for (t, corners) in mesh.triangles().iter().enumerate() {
        for side in 0..3 {
            let e = adjacency.triangle_edges[t][side] as usize;
            let forward = adjacency.edges[e].vertices[0] == corners[side];
            let count = &mut along[e][usize::from(!forward)];
            *count = count.saturating_add(1);
        }
    }
    along.iter().map(|along| *along == [1, 1]).collect()
}

/// Disjoint sets of numbers (union-find), each named by its least member.
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Groups((0..count as u32).collect())
    }

    fn of(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let up = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = up;
            i = up;
        }
        i
    }

    fn join(&mut self, i: u32, j: u32) {
        let (i, j) = (self.of(i), self.of(j));
        self.0[i.max(j) as usize] = i.min(j);
    }
}

#[cfg(test)]
mod tests;
