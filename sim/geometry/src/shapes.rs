//! Procedural shapes for demos, tests and benchmarks. Closed and outward except [`sheet`] and
//! [`trough`]. Metres, about the origin.
//!
//! The caller answers for sizes, which must be finite and positive, and for counts, which must be
//! at least 3. Other values give a mesh with meaningless coordinates or a [`MeshError`]; nothing
//! panics.

use std::collections::HashMap;

use crate::mesh::{MeshError, TriMesh, compact};
use crate::pose::Vec3;

/// A box with these half sizes; 12 triangles.
///
/// # Errors
/// If a size is not finite.
pub fn cuboid(half: &Vec3) -> Result<TriMesh, MeshError> {
    let corner = |i: usize| {
        let side = |bit: usize| if i & bit != 0 { 1.0 } else { -1.0 };
        Vec3::new(side(1) * half.x, side(2) * half.y, side(4) * half.z)
    };
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    TriMesh::new((0..8).map(corner).collect(), split(&quads))
}

/// A thin box centred on z = 0.
///
/// # Errors
/// If a size is not finite.
pub fn plate(half_x: f64, half_y: f64, thickness: f64) -> Result<TriMesh, MeshError> {
    cuboid(&Vec3::new(half_x, half_y, thickness / 2.0))
}

/// A sphere from an icosahedron with triangles quartered `level` times; `20 * 4^level` triangles.
///
/// # Errors
/// If the radius is not finite or the level gives too many triangles.
pub fn icosphere(radius: f64, level: u32) -> Result<TriMesh, MeshError> {
    if level > 9 {
        return Err(MeshError::TooMany {
            what: "triangles",
            count: usize::MAX,
            limit: crate::mesh::MAX_TRIANGLES,
        });
    }
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut unit: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        unit.push(Vec3::new(a, b, 0.0).normalize());
        unit.push(Vec3::new(0.0, a, b).normalize());
        unit.push(Vec3::new(b, 0.0, a).normalize());
    }
    // The faces are the triples of mutual neighbours.
    let near = |a: &Vec3, b: &Vec3| a.dot(b) > 0.4 && a != b;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..12u32 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let [a, b, c] = [i, j, k].map(|v| unit[v as usize]);
                if near(&a, &b) && near(&b, &c) && near(&a, &c) {
                    let outward = a.dot(&b.cross(&c)) > 0.0;
                    triangles.push(if outward { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    for _ in 0..level {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |p: u32, q: u32| {
                *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    unit.push((unit[p as usize] + unit[q as usize]).normalize());
                    (unit.len() - 1) as u32
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    TriMesh::new(unit.into_iter().map(|p| p * radius).collect(), triangles)
}

/// A cylinder along z; `4 * segments` triangles.
///
/// # Errors
/// If a size is not finite.
pub fn cylinder(radius: f64, half_height: f64, segments: u32) -> Result<TriMesh, MeshError> {
    let n = segments.clamp(3, 1 << 20);
    let mut positions = Vec::new();
    for i in 0..n {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
        positions.push(Vec3::new(radius * c, radius * s, -half_height));
        positions.push(Vec3::new(radius * c, radius * s, half_height));
    }
    positions.push(Vec3::new(0.0, 0.0, -half_height));
    positions.push(Vec3::new(0.0, 0.0, half_height));
    let mut triangles = Vec::new();
    for i in 0..n {
        let (a, b) = (2 * i, 2 * ((i + 1) % n));
        triangles.extend([
            [a, b, b + 1],
            [a, b + 1, a + 1],
            [2 * n, b, a],
            [2 * n + 1, a + 1, b + 1],
        ]);
    }
    TriMesh::new(positions, triangles)
}

/// A torus around z; `2 * around * across` triangles.
///
/// # Errors
/// If a size is not finite.
pub fn torus(major: f64, minor: f64, around: u32, across: u32) -> Result<TriMesh, MeshError> {
    let (n, m) = (around.clamp(3, 4096), across.clamp(3, 4096));
    let mut positions = Vec::new();
    let mut quads = Vec::new();
    for i in 0..n {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
        for j in 0..m {
            let (sj, cj) = (std::f64::consts::TAU * f64::from(j) / f64::from(m)).sin_cos();
            let r = major + minor * cj;
            positions.push(Vec3::new(r * c, r * s, minor * sj));
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            quads.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    TriMesh::new(positions, split(&quads))
}

/// A closed block with a bumpy top; the same seed gives the same ground.
///
/// `depth` of material lies below z = 0. Waves of at most `amplitude` rise above and fall below it,
/// over `2 * half` along x and y. The grid has `cells` squares a side (72 give more than 10,000
/// triangles).
///
/// # Errors
/// If a size is not finite.
pub fn terrain(
    half: [f64; 2],
    cells: u32,
    amplitude: f64,
    depth: f64,
    seed: u64,
) -> Result<TriMesh, MeshError> {
    let n = cells.clamp(3, 2048);
    let waves = waves(seed);
    let at = |k: u32, half: f64| half * (2.0 * f64::from(k) / f64::from(n) - 1.0);
    let height = |x: f64, y: f64| {
        let sum: f64 = waves
            .iter()
            .map(|w| w.share * (w.kx * x / half[0] + w.ky * y / half[1] + w.phase).sin())
            .sum();
        amplitude * sum
    };
    let row = n + 1;
    let mut positions = Vec::new();
    for top in [true, false] {
        for j in 0..row {
            for i in 0..row {
                let (x, y) = (at(i, half[0]), at(j, half[1]));
                positions.push(Vec3::new(x, y, if top { height(x, y) } else { -depth }));
            }
        }
    }
    let under = row * row;
    let mut quads = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let v = j * row + i;
            quads.push([v, v + 1, v + row + 1, v + row]);
            quads.push([
                under + v,
                under + v + row,
                under + v + row + 1,
                under + v + 1,
            ]);
        }
    }
    for k in 0..n {
        let (front, back, left, right) = (k, n * row + k, k * row, k * row + n);
        quads.push([front, under + front, under + front + 1, front + 1]);
        quads.push([back + 1, under + back + 1, under + back, back]);
        quads.push([left + row, under + left + row, under + left, left]);
        quads.push([right, under + right, under + right + row, right + row]);
    }
    TriMesh::new(positions, split(&quads))
}

struct Wave {
    kx: f64,
    ky: f64,
    phase: f64,
    share: f64,
}

/// Six waves with shares that add up to 1, drawn by splitmix64.
fn waves(seed: u64) -> Vec<Wave> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..6)
        .map(|i| {
            let frequency = 2.0 + 1.5 * f64::from(i);
            let direction = std::f64::consts::TAU * next();
            Wave {
                kx: frequency * direction.cos(),
                ky: frequency * direction.sin(),
                phase: std::f64::consts::TAU * next(),
                share: [0.3, 0.22, 0.18, 0.13, 0.1, 0.07][i as usize],
            }
        })
        .collect()
}

/// A block with a square hole of half width `hole_half` all the way through along z.
///
/// # Errors
/// If a size is not finite.
pub fn block_with_hole(half: &Vec3, hole_half: f64) -> Result<TriMesh, MeshError> {
    let ring = |x: f64, y: f64, z: f64| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(a, b)| Vec3::new(a * x, b * y, z))
    };
    let mut positions = Vec::new();
    positions.extend(ring(half.x, half.y, half.z)); // 0..4 outer top
    positions.extend(ring(hole_half, hole_half, half.z)); // 4..8 inner top
    positions.extend(ring(half.x, half.y, -half.z)); // 8..12 outer bottom
    positions.extend(ring(hole_half, hole_half, -half.z)); // 12..16 inner bottom
    let mut quads = Vec::new();
    for k in 0..4 {
        let l = (k + 1) % 4;
        quads.push([k, l, 4 + l, 4 + k]);
        quads.push([8 + l, 8 + k, 12 + k, 12 + l]);
        quads.push([8 + k, 8 + l, l, k]);
        quads.push([4 + k, 4 + l, 12 + l, 12 + k]);
    }
    TriMesh::new(positions, split(&quads))
}

/// A block with a round hole all the way through along z, with `segments` sides to the circle.
/// `hole_radius` must be below both half widths.
///
/// # Errors
/// If a size is not finite.
pub fn block_with_round_hole(
    half: &Vec3,
    hole_radius: f64,
    segments: u32,
) -> Result<TriMesh, MeshError> {
    let n = segments.clamp(8, 1 << 16);
    let mut positions = Vec::new();
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    for z in [half.z, -half.z] {
        positions.extend(corners.map(|(x, y)| Vec3::new(x * half.x, y * half.y, z)));
    }
    for i in 0..n {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
        for z in [half.z, -half.z] {
            positions.push(Vec3::new(hole_radius * c, hole_radius * s, z));
        }
    }
    let rim = |i: u32, bottom: u32| 8 + 2 * (i % n) + bottom;
    // The corner to which a side of the circle is joined: that of its quadrant.
    let corner = |i: u32| (8 * (i % n) + 4) / (2 * n) % 4;
    let mut triangles = Vec::new();
    for i in 0..n {
        let q = corner(i);
        triangles.push([rim(i, 0), q, rim(i + 1, 0)]);
        triangles.push([rim(i, 1), rim(i + 1, 1), 4 + q]);
        triangles.push([rim(i, 0), rim(i + 1, 0), rim(i + 1, 1)]);
        triangles.push([rim(i, 0), rim(i + 1, 1), rim(i, 1)]);
        let before = corner((i + n - 1) % n);
        if before != q {
            triangles.push([rim(i, 0), before, q]);
            triangles.push([rim(i, 1), 4 + q, 4 + before]);
        }
    }
    for k in 0..4 {
        let l = (k + 1) % 4;
        triangles.push([k, 4 + k, 4 + l]);
        triangles.push([k, 4 + l, l]);
    }
    TriMesh::new(positions, triangles)
}

/// Three walls of thickness `wall` that meet in a corner at the origin and open towards +x, +y, +z
/// up to `size`.
///
/// # Errors
/// If a size is not finite.
pub fn inner_corner(size: f64, wall: f64) -> Result<TriMesh, MeshError> {
    // A cube of side size + wall with a cube of side size removed from its + + + corner: seven of
    // the eight cells of a 2 x 2 x 2 grid, of which only the outer faces stay.
    let at = [-wall, 0.0, size];
    let full = |c: [i32; 3]| c.iter().all(|&k| (0..2).contains(&k)) && c != [1, 1, 1];
    let index = |c: [usize; 3]| (c[0] * 9 + c[1] * 3 + c[2]) as u32;
    let mut positions = Vec::new();
    for x in at {
        for y in at {
            for z in at {
                positions.push(Vec3::new(x, y, z));
            }
        }
    }
    let mut quads = Vec::new();
    for cell in 0..8 {
        let c = [cell & 1, cell >> 1 & 1, cell >> 2 & 1];
        if !full(c) {
            continue;
        }
        for axis in 0..3 {
            for side in 0..2 {
                let mut neighbour = c;
                neighbour[axis] += 2 * side - 1;
                if full(neighbour) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let corner = |du: i32, dv: i32| {
                    let mut p = c;
                    p[axis] += side;
                    p[u] += du;
                    p[v] += dv;
                    index(p.map(|k| k as usize))
                };
                let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                quads.push(if side == 1 {
                    quad
                } else {
                    [quad[3], quad[2], quad[1], quad[0]]
                });
            }
        }
    }
    compact(&positions, split(&quads))
}

/// An open square sheet in z = 0, facing +z: not a solid.
///
/// # Errors
/// If the size is not finite.
pub fn sheet(half: f64, cells: u32) -> Result<TriMesh, MeshError> {
    let n = cells.clamp(1, 2048);
    let at = |k: u32| half * (2.0 * f64::from(k) / f64::from(n) - 1.0);
    let mut positions = Vec::new();
    let mut quads = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            positions.push(Vec3::new(at(i), at(j), 0.0));
            if i < n && j < n {
                let v = j * (n + 1) + i;
                quads.push([v, v + 1, v + n + 2, v + n + 1]);
            }
        }
    }
    TriMesh::new(positions, split(&quads))
}

/// An open trough along y, from -`half_y` to `half_y`.
///
/// Walls of length `wall` rise by 34 degrees on both sides. The bottom between them has this
/// radius, in facets that turn by 8.6 degrees.
pub fn trough(radius: f64, wall: f64, half_y: f64) -> Result<TriMesh, MeshError> {
    const TURN: f64 = 0.15;
    let mut profile = vec![Vec3::zeros()];
    let mut lead = |angle: f64, length: f64| {
        let last = profile[profile.len() - 1];
        profile.push(last + Vec3::new(angle.cos(), 0.0, angle.sin()) * length);
    };
    for k in 0..4 {
        lead(TURN * (f64::from(k) + 0.5), TURN * radius);
    }
    for _ in 0..8 {
        lead(4.0 * TURN, wall / 8.0);
    }
    let left = profile[1..].iter().rev().map(|p| Vec3::new(-p.x, 0.0, p.z));
    let profile: Vec<Vec3> = left.chain(profile.iter().copied()).collect();
    let (mut positions, mut quads) = (Vec::new(), Vec::new());
    for (k, p) in (0..).zip(&profile) {
        let across = Vec3::y() * half_y;
        positions.extend([p - across, p + across]);
        if k + 1 < profile.len() as u32 {
            let v = 2 * k;
            quads.push([v, v + 2, v + 3, v + 1]);
        }
    }
    TriMesh::new(positions, split(&quads))
}

fn split(quads: &[[u32; 4]]) -> Vec<[u32; 3]> {
    quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjacency::Adjacency;
    use crate::report::MeshReport;

    fn report(mesh: &TriMesh) -> MeshReport {
        MeshReport::of(mesh, &Adjacency::new(mesh))
    }

    #[test]
    fn solids_are_closed_outward_and_of_the_right_volume() {
        let cases = [
            ("cuboid", cuboid(&Vec3::new(1.0, 2.0, 3.0)), 48.0, 1e-12),
            ("plate", plate(0.1, 0.1, 1e-4), 4e-6, 1e-15),
            (
                "icosphere",
                icosphere(1.0, 4),
                4.0 / 3.0 * std::f64::consts::PI,
                0.02,
            ),
            (
                "cylinder",
                cylinder(1.0, 0.5, 256),
                std::f64::consts::PI,
                1e-3,
            ),
            (
                "torus",
                torus(2.0, 0.5, 128, 64),
                2.0 * std::f64::consts::PI.powi(2) * 0.5,
                0.02,
            ),
            (
                "block_with_hole",
                block_with_hole(&Vec3::new(2.0, 2.0, 1.0), 0.5),
                32.0 - 2.0,
                1e-12,
            ),
            (
                "inner_corner",
                inner_corner(1.0, 0.5),
                1.5f64.powi(3) - 1.0,
                1e-12,
            ),
        ];
        for (name, mesh, volume, tolerance) in cases {
            let r = report(&mesh.unwrap());
            assert!(r.oriented, "{name}: {r:?}");
            assert_eq!(
                (r.components, r.degenerate_triangles),
                (1, 0),
                "{name}: {r:?}"
            );
            assert!(
                (r.signed_volume_m3 - volume).abs() <= tolerance,
                "{name}: {r:?}"
            );
        }
    }

    #[test]
    fn round_holes_of_any_number_of_sides_in_any_block() {
        for n in [8, 9, 10, 11, 13, 64, 257] {
            for half in [Vec3::new(2.0, 2.0, 1.0), Vec3::new(0.5, 3.0, 0.1)] {
                let radius = 0.4;
                let r = report(&block_with_round_hole(&half, radius, n).unwrap());
                let turn = std::f64::consts::TAU / f64::from(n);
                let hole = f64::from(n) * 0.5 * radius * radius * turn.sin() * 2.0 * half.z;
                let volume = 8.0 * half.x * half.y * half.z - hole;
                assert!(r.oriented && r.degenerate_triangles == 0, "{n}: {r:?}");
                assert!((r.signed_volume_m3 - volume).abs() < 1e-13, "{n}: {r:?}");
                // Euler: a solid with one hole.
                let edges = 3 * r.triangles / 2;
                assert_eq!(r.vertices + r.triangles, edges, "{n}");
            }
        }
    }

    #[test]
    fn thin_plates_are_solids() {
        for thickness in [1e-4, 1e-6] {
            let r = report(&plate(0.1, 0.2, thickness).unwrap());
            assert!(r.oriented && r.degenerate_triangles == 0, "{r:?}");
            assert!((r.signed_volume_m3 - 0.08 * thickness).abs() < 1e-12 * thickness);
        }
    }

    #[test]
    fn the_same_numbers_give_the_same_ground() {
        let ground = |seed| terrain([0.1, 0.2], 12, 0.01, 0.05, seed).unwrap();
        assert_eq!(ground(7), ground(7));
        assert_ne!(ground(7), ground(8));
        assert_eq!(icosphere(1.0, 3).unwrap(), icosphere(1.0, 3).unwrap());
    }

    #[test]
    fn terrain_is_a_solid_of_ten_thousand_triangles_and_a_sheet_is_open() {
        let ground = report(&terrain([0.1, 0.1], 72, 0.01, 0.05, 7).unwrap());
        assert!(ground.oriented && ground.triangles >= 10_000, "{ground:?}");
        assert!(ground.bounds.1.z <= 0.01 && ground.bounds.0.z == -0.05);
        let sheet = report(&sheet(1.0, 4).unwrap());
        assert!(!sheet.closed && sheet.boundary_edges == 16, "{sheet:?}");
    }

    #[test]
    fn a_flipped_triangle_is_noticed() {
        let good = cuboid(&Vec3::repeat(1.0)).unwrap();
        let mut triangles = good.triangles().to_vec();
        triangles[0].swap(1, 2);
        let r = report(&TriMesh::new(good.positions().to_vec(), triangles).unwrap());
        assert!(r.closed && !r.oriented && r.misoriented_edges == 3, "{r:?}");
    }

    #[test]
    fn nonsense_sizes_are_errors() {
        assert!(matches!(
            cuboid(&Vec3::repeat(f64::NAN)),
            Err(MeshError::NotFinite { .. })
        ));
        assert!(matches!(icosphere(1.0, 40), Err(MeshError::TooMany { .. })));
    }
}
