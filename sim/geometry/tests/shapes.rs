//! Procedural shapes over their parameters: closed, outward, of the right area, and with winding
//! number 1 around exactly the points inside.
//!
//! The winding number (the sum of signed solid angles, Van Oosterom and Strackee 1983) is
//! independent of how the shapes are made. The area shows what it cannot: faces that fold back on
//! themselves within a plane.

use std::f64::consts::{PI, TAU};

use hapticd_geometry::{Adjacency, MeshReport, TriMesh, Vec3, shapes};
use proptest::prelude::*;

/// Points this close to the surface are neither inside nor outside.
const MARGIN: f64 = 1e-6;

fn winding_number(mesh: &TriMesh, p: &Vec3) -> f64 {
    let solid_angle = |t| {
        let [a, b, c] = mesh.triangle(t).map(|q| q - p);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    (0..mesh.triangles().len()).map(solid_angle).sum::<f64>() / (2.0 * TAU)
}

fn area(mesh: &TriMesh) -> f64 {
    let doubled = |t| {
        let [a, b, c] = mesh.triangle(t);
        (b - a).cross(&(c - a)).norm()
    };
    (0..mesh.triangles().len()).map(doubled).sum::<f64>() / 2.0
}

/// `depth(p)` is roughly how far inside a point is; negative outside.
fn check(
    mesh: &TriMesh,
    expected_area: Option<f64>,
    holes: usize,
    samples: &[[f64; 3]],
    depth: impl Fn(&Vec3) -> f64,
) -> Result<(), TestCaseError> {
    let report = MeshReport::of(mesh, &Adjacency::new(mesh));
    prop_assert!(report.oriented, "{report:?}");
    prop_assert_eq!((report.components, report.degenerate_triangles), (1, 0));
    // Euler's formula for closed surfaces: V - E + F = 2 - 2 holes, with E = 3 F / 2.
    prop_assert_eq!(report.vertices + 2 * holes, report.triangles / 2 + 2);
    if let Some(expected) = expected_area {
        prop_assert!(
            (area(mesh) - expected).abs() < 1e-9 * expected,
            "{} {}",
            area(mesh),
            expected
        );
    }
    let (low, high) = report.bounds;
    for s in samples {
        // Over the bounding box and a little around it.
        let p = Vec3::from_fn(|i, _| low[i] + (1.2 * s[i] - 0.1) * (high[i] - low[i]));
        let inside = depth(&p);
        if inside.abs() > MARGIN * (high - low).norm() {
            let expected = if inside > 0.0 { 1.0 } else { 0.0 };
            let winding = winding_number(mesh, &p);
            prop_assert!((winding - expected).abs() < 1e-6, "{p} {winding} {inside}");
        }
    }
    Ok(())
}

/// Depth inside a box centred at 0.
fn within(p: &Vec3, half: &Vec3) -> f64 {
    (half - p.abs()).min()
}

/// Depth inside a regular polygon around z with its first corner on x.
fn within_polygon(p: &Vec3, radius: f64, sides: u32) -> f64 {
    let turn = TAU / f64::from(sides);
    let angle = p.y.atan2(p.x).rem_euclid(TAU);
    let middle = ((angle / turn).floor() + 0.5) * turn;
    radius * (turn / 2.0).cos() - (p.x * middle.cos() + p.y * middle.sin())
}

fn polygon(radius: f64, sides: u32) -> (f64, f64) {
    let n = f64::from(sides);
    let area = n * radius * radius * (TAU / n).sin() / 2.0;
    (area, 2.0 * n * radius * (PI / n).sin())
}

fn samples() -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(prop::array::uniform3(0.0..1.0f64), 24)
}

/// Centimetres to metres, flat to tall.
fn size() -> impl Strategy<Value = f64> {
    (-2.0..0.5f64).prop_map(|e| 10f64.powf(e))
}

fn sizes() -> impl Strategy<Value = Vec3> {
    [size(), size(), size()].prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cuboids(half in sizes(), samples in samples()) {
        let area = 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x);
        check(&shapes::cuboid(&half).unwrap(), Some(area), 0, &samples, |p| within(p, &half))?;
        let plate = shapes::plate(half.x, half.y, 2.0 * half.z).unwrap();
        check(&plate, Some(area), 0, &samples, |p| within(p, &half))?;
    }

    #[test]
    fn cylinders(radius in size(), half_height in size(), sides in 3u32..80, samples in samples()) {
        let (base, around) = polygon(radius, sides);
        let mesh = shapes::cylinder(radius, half_height, sides).unwrap();
        check(&mesh, Some(2.0 * base + 2.0 * half_height * around), 0, &samples, |p| {
            within_polygon(p, radius, sides).min(half_height - p.z.abs())
        })?;
    }

    #[test]
    fn spheres(radius in size(), level in 0u32..4, samples in samples()) {
        let mesh = shapes::icosphere(radius, level).unwrap();
        prop_assert_eq!(mesh.triangles().len(), 20 * 4usize.pow(level));
        prop_assert!(mesh.positions().iter().all(|p| (p.norm() - radius).abs() < 1e-12 * radius));
        // Convex: inside is behind every face.
        check(&mesh, None, 0, &samples, |p| {
            (0..mesh.triangles().len())
                .map(|t| {
                    let [a, b, c] = mesh.triangle(t);
                    (b - a).cross(&(c - a)).normalize().dot(&(a - p))
                })
                .fold(f64::INFINITY, f64::min)
        })?;
    }

    #[test]
    fn tori(major in size(), share in 0.05..0.95f64, around in 3u32..40, across in 3u32..40, samples in samples()) {
        let minor = share * major;
        let mesh = shapes::torus(major, minor, around, across).unwrap();
        // Points between the largest torus within and the smallest around it are not tested. The
        // corners lie on the round torus; a face is at most the two sagittas within it.
        let sagitta = (major + minor) * (1.0 - (PI / f64::from(around)).cos()) + minor * (1.0 - (PI / f64::from(across)).cos());
        check(&mesh, None, 1, &samples, |p| {
            let depth = minor - (p.xy().norm() - major).hypot(p.z);
            if depth.abs() < sagitta { 0.0 } else { depth }
        })?;
    }

    #[test]
    fn square_holes(half in sizes(), share in 0.02..0.98f64, samples in samples()) {
        let hole = share * half.x.min(half.y);
        let mesh = shapes::block_with_hole(&half, hole).unwrap();
        let faces = 8.0 * (half.x * half.y - hole * hole) + 8.0 * half.z * (half.x + half.y + 2.0 * hole);
        check(&mesh, Some(faces), 1, &samples, |p| {
            let in_hole = hole - p.x.abs().max(p.y.abs());
            within(p, &half).min(-in_hole)
        })?;
    }

    #[test]
    fn round_holes(half in sizes(), share in 0.02..0.98f64, sides in 8u32..80, samples in samples()) {
        let radius = share * half.x.min(half.y);
        let (base, around) = polygon(radius, sides);
        let mesh = shapes::block_with_round_hole(&half, radius, sides).unwrap();
        let faces = 2.0 * (4.0 * half.x * half.y - base) + 2.0 * half.z * (4.0 * (half.x + half.y) + around);
        check(&mesh, Some(faces), 1, &samples, |p| within(p, &half).min(-within_polygon(p, radius, sides)))?;
    }

    #[test]
    fn inner_corners(size in size(), wall in size(), samples in samples()) {
        let mesh = shapes::inner_corner(size, wall).unwrap();
        // A cube with a corner cut out of it has a cube's surface.
        check(&mesh, Some(6.0 * (size + wall).powi(2)), 0, &samples, |p| {
            let q = p.add_scalar(wall - (size + wall) / 2.0);
            within(&q, &Vec3::repeat((size + wall) / 2.0)).min(-p.min())
        })?;
    }

    #[test]
    fn grounds(half in [size(), size()], cells in 3u32..20, share in 0.0..0.3f64, seed: u64, samples in samples()) {
        let depth = half[0].min(half[1]);
        let amplitude = share * depth;
        let mesh = shapes::terrain(half, cells, amplitude, depth, seed).unwrap();
        prop_assert_eq!(mesh.triangles().len() as u32, 4 * cells * cells + 8 * cells);
        // The top is a graph over the ground plane: its faces cover it once.
        let cover: f64 = (0..mesh.triangles().len())
            .map(|t| {
                let [a, b, c] = mesh.triangle(t);
                (b - a).cross(&(c - a)).z.max(0.0) / 2.0
            })
            .sum();
        let ground = 4.0 * half[0] * half[1];
        prop_assert!((cover - ground).abs() < 1e-9 * ground);
        prop_assert!(mesh.positions().iter().all(|p| p.z == -depth || p.z.abs() <= amplitude));
        // Below the lowest valley is inside, above the highest hill is not.
        check(&mesh, None, 0, &samples, |p| {
            let inside = within(&(p + Vec3::new(0.0, 0.0, depth / 2.0)), &Vec3::new(half[0], half[1], depth / 2.0));
            if p.z.abs() <= amplitude && inside > -amplitude { 0.0 } else { inside }
        })?;
    }
}

#[test]
fn sheets_are_flat_and_face_up() {
    for cells in [1, 2, 7] {
        let mesh = shapes::sheet(0.5, cells).unwrap();
        let report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
        assert_eq!(report.boundary_edges as u32, 4 * cells);
        assert!(!report.closed && !report.oriented && report.misoriented_edges == 0);
        assert!((area(&mesh) - 1.0).abs() < 1e-12);
        for t in 0..report.triangles {
            let [a, b, c] = mesh.triangle(t);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }
}

#[test]
fn nonsense_is_an_error_or_a_mesh_but_no_panic() {
    for x in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300, -0.0] {
        for n in [0, 1, 2, 3] {
            let half = Vec3::repeat(x);
            let made = [
                shapes::cuboid(&half),
                shapes::plate(x, x, x),
                shapes::icosphere(x, n),
                shapes::cylinder(x, x, n),
                shapes::torus(x, x, n, n),
                shapes::terrain([x, x], n, x, x, 1),
                shapes::block_with_hole(&half, x),
                shapes::block_with_round_hole(&half, x, n),
                shapes::inner_corner(x, x),
                shapes::sheet(x, n),
            ];
            for mesh in made.into_iter().flatten() {
                let _ = MeshReport::of(&mesh, &Adjacency::new(&mesh));
            }
        }
    }
}
