//! Difficult shapes. They are closed and oriented outward unless stated otherwise. Metres.

use hapticd_geometry::{MeshError, TriMesh, Vec3};

use crate::random::Random;

/// Triangles of 30 mm about the origin, unordered and open: all boxes of a tree over them overlap.
///
/// # Errors
/// If there are no triangles.
pub fn tangle(triangles: u32) -> Result<TriMesh, MeshError> {
    let mut random = Random::new(5);
    let mut positions = Vec::new();
    for _ in 0..triangles {
        let centre = random.vector() * 0.01;
        positions.extend((0..3).map(|_| centre + random.vector() * 0.03));
    }
    let triangles = (0..triangles).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
    TriMesh::new(positions, triangles.collect())
}

/// Triangles of 30 mm about one edge, open: all are equally near to it.
///
/// # Errors
/// If there are no triangles.
pub fn fan(triangles: u32) -> Result<TriMesh, MeshError> {
    let mut positions = vec![Vec3::new(0.0, 0.0, -0.03), Vec3::new(0.0, 0.0, 0.03)];
    positions.extend((0..triangles).map(|k| {
        let (s, c) = (std::f64::consts::TAU * f64::from(k) / f64::from(triangles)).sin_cos();
        Vec3::new(0.03 * c, 0.03 * s, 0.0)
    }));
    let triangles = (0..triangles).map(|k| [0, 1, 2 + k]);
    TriMesh::new(positions, triangles.collect())
}

/// A cone with its tip at the origin, opening towards +z.
///
/// # Errors
/// If a size is not finite.
pub fn spike(radius: f64, height: f64, segments: u32) -> Result<TriMesh, MeshError> {
    let n = segments.max(3);
    let mut positions = vec![Vec3::zeros(), Vec3::new(0.0, 0.0, height)];
    let mut triangles = Vec::new();
    for i in 0..n {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
        positions.push(Vec3::new(radius * c, radius * s, height));
        let (p, q) = (2 + i, 2 + (i + 1) % n);
        triangles.extend([[0, q, p], [1, p, q]]);
    }
    TriMesh::new(positions, triangles)
}

/// A box with faces that are grids of `n` by `n` cells: flat contact with another one makes
/// hundreds of pairs.
///
/// # Errors
/// If a size is not finite.
pub fn tiled_box(half: &Vec3, n: u32) -> Result<TriMesh, MeshError> {
    let n = n.max(1);
    let mut positions = Vec::new();
    let mut index = std::collections::HashMap::new();
    let mut at = |c: [u32; 3]| {
        *index.entry(c).or_insert_with(|| {
            let x = |k: usize| half[k] * (2.0 * f64::from(c[k]) / f64::from(n) - 1.0);
            positions.push(Vec3::new(x(0), x(1), x(2)));
            (positions.len() - 1) as u32
        })
    };
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, n] {
            for i in 0..n {
                for j in 0..n {
                    let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| {
                        let mut c = [0; 3];
                        c[axis] = side;
                        c[u] = i + a;
                        c[v] = j + b;
                        at(c)
                    });
                    let [a, b, c, d] = corners;
                    if side == n {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    } else {
                        triangles.extend([[a, c, b], [a, d, c]]);
                    }
                }
            }
        }
    }
    TriMesh::new(positions, triangles)
}

/// A box of slivers: its top is a fan of `n` needles from one corner region, with angles of about
/// 1/n^2.
///
/// # Errors
/// If a size is not finite.
pub fn sliver_box(half: &Vec3, n: u32) -> Result<TriMesh, MeshError> {
    // The two long top edges are cut into n parts, crowded towards one end; the top is a strip of
    // needles between them.
    let n = n.max(2);
    let mut positions = Vec::new();
    for k in 0..=n {
        let s = (f64::from(k) / f64::from(n)).powi(3);
        let x = half.x * (2.0 * s - 1.0);
        for (y, z) in [(-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
            positions.push(Vec3::new(x, y * half.y, z * half.z));
        }
    }
    let mut triangles = Vec::new();
    for k in 0..n {
        let (a, b) = (4 * k, 4 * (k + 1));
        // top (y- to y+), bottom, sides
        triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        triangles.extend([[a + 2, b + 3, b + 2], [a + 2, a + 3, b + 3]]);
        triangles.extend([[a, a + 2, b + 2], [a, b + 2, b]]);
        triangles.extend([[a + 1, b + 1, b + 3], [a + 1, b + 3, a + 3]]);
    }
    let e = 4 * n;
    triangles.extend([[0, 1, 3], [0, 3, 2], [e, e + 3, e + 1], [e, e + 2, e + 3]]);
    TriMesh::new(positions, triangles)
}

/// A mesh in which no two triangles share a vertex and every second one is flipped: vertices occur
/// three, six or more times, and no edge has two faces.
///
/// # Errors
/// If a size is not finite.
pub fn soup(mesh: &TriMesh) -> Result<TriMesh, MeshError> {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for k in 0..mesh.triangles().len() {
        let first = positions.len() as u32;
        positions.extend(mesh.triangle(k));
        let [b, c] = if k % 2 == 0 { [1, 2] } else { [2, 1] };
        triangles.push([first, first + b, first + c]);
    }
    TriMesh::new(positions, triangles)
}

/// A mesh with every face flipped: its inside is outside.
///
/// # Errors
/// None for a valid mesh.
pub fn inside_out(mesh: &TriMesh) -> Result<TriMesh, MeshError> {
    let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]);
    TriMesh::new(mesh.positions().to_vec(), turned.collect())
}

/// A mesh with every vertex moved a little: no face is flat on another any more.
///
/// # Errors
/// If a size is not finite.
pub fn shaken(mesh: &TriMesh, by: f64, seed: u64) -> Result<TriMesh, MeshError> {
    let mut random = Random::new(seed);
    let positions = mesh
        .positions()
        .iter()
        .map(|p| p + random.vector() * by)
        .collect();
    TriMesh::new(positions, mesh.triangles().to_vec())
}

/// Several meshes joined into one, each moved by its offset.
///
/// # Errors
/// If a size is not finite.
pub fn together(parts: &[(&TriMesh, Vec3)]) -> Result<TriMesh, MeshError> {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for (mesh, offset) in parts {
        let base = positions.len() as u32;
        positions.extend(mesh.positions().iter().map(|p| p + offset));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    TriMesh::new(positions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Adjacency, MeshReport};

    #[test]
    fn the_solids_are_closed_and_outward() {
        for (mesh, volume) in [
            (spike(0.01, 0.03, 12).unwrap(), 3e-6),
            (tiled_box(&Vec3::new(0.01, 0.02, 0.03), 5).unwrap(), 4.8e-5),
            (
                sliver_box(&Vec3::new(0.01, 0.02, 0.03), 40).unwrap(),
                4.8e-5,
            ),
        ] {
            let report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
            assert!(report.closed && report.oriented, "{report:?}");
            assert!(
                (report.signed_volume_m3 / volume - 1.0).abs() < 0.1,
                "{report:?}"
            );
        }
    }
}
