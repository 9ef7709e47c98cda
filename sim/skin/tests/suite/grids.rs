//! Grids of samples: alone as Marching Cubes of the samples, and as one term among primitives.

use hapticd_counting::counted;
use hapticd_geometry::{Pose, Quat, Vec3, Volume, transform};
use hapticd_skin::blend::{Blending, Bulge, Graph};
use hapticd_skin::table::{CORNERS, EDGES};
use hapticd_skin::{
    Ambiguity, Domain, Grid, GridError, Inside, MAX_SAMPLES, Mesh, Primitive, Report, Settings,
    Skin, SkinError, Table,
};
use proptest::prelude::*;

const LEVEL: f64 = 0.5;

fn settings(domain: Domain) -> Settings {
    Settings {
        domain,
        level: LEVEL,
        ambiguity: Ambiguity::Separate,
    }
}

fn made(skin: &mut Skin, settings: &Settings, primitives: &[Primitive]) -> (Mesh, Report) {
    let mut mesh = Mesh::default();
    let report = skin.polygonize(settings, primitives, &mut mesh).unwrap();
    (mesh, report)
}

fn balls() -> Vec<Primitive> {
    let at = |k: u32| {
        let s = f64::from(k) * 0.7;
        0.5 * Vec3::new(s.sin(), (1.7 * s).cos(), (0.6 * s).sin())
    };
    (0..12).map(|k| Primitive::point(at(k), 0.4)).collect()
}

/// Samples the sum of primitives on a grid.
fn sampled(primitives: &[Primitive], low: Vec3, spacing_m: f64, nodes: [u32; 3]) -> Grid {
    let mut values = Vec::new();
    for z in 0..nodes[2] {
        for y in 0..nodes[1] {
            for x in 0..nodes[0] {
                let at = low + spacing_m * Vec3::new(x.into(), y.into(), z.into());
                values.push(primitives.iter().map(|p| p.value(&at)).sum::<f64>() as f32);
            }
        }
    }
    Grid::new(low, spacing_m, nodes, values).unwrap()
}

/// Triangles as positions of their corners, sorted.
fn in_order(mut triangles: Vec<[[f32; 3]; 3]>) -> Vec<[[f32; 3]; 3]> {
    for t in &mut triangles {
        let lowest = (0..3)
            .min_by(|&i, &j| t[i].partial_cmp(&t[j]).unwrap())
            .unwrap();
        t.rotate_left(lowest);
    }
    triangles.sort_by(|a, b| a.partial_cmp(b).unwrap());
    triangles
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Arbitrary samples on the domain's nodes give, to the bit, what the table makes of every
    /// cube.
    #[test]
    fn a_grid_on_the_nodes_is_marching_cubes_of_its_samples(
        cells in 4_u32..16,
        cell_m in 0.01..0.3,
        low in [-3.0..3.0, -3.0..3.0, -3.0..3.0],
        values in proptest::collection::vec(-1.0_f32..2.0, 17 * 17 * 17),
        part in 0_u32..3,
    ) {
        let low = Vec3::from(low);
        let domain = Domain::new(low, cell_m, [cells; 3]).unwrap();
        // From some node of the domain, to its end or beyond.
        let shift = f64::from(part);
        let nodes = [cells + 1; 3];
        let values: Vec<f32> = values[..(cells as usize + 1).pow(3)].to_vec();
        let origin = low.add_scalar(shift * cell_m);
        let grid = Grid::new(origin, cell_m, nodes, values.clone()).unwrap();
        let mut skin = Skin::default();
        skin.set_grids(vec![grid]);
        let (mesh, _) = made(&mut skin, &settings(domain), &[]);
        let faults = mesh.faults();
        prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        let level = LEVEL as f32;
        let value = |node: [u32; 3]| {
            let at = node.map(|i| i.checked_sub(part).filter(|i| *i <= cells));
            let sample = match at {
                [Some(x), Some(y), Some(z)] => values[((z * nodes[1] + y) * nodes[0] + x) as usize],
                _ => 0.0,
            };
            let border = node.iter().any(|i| *i == 0 || *i == cells);
            if border { sample.min(level) } else { sample }
        };
        let mut triangles = Vec::new();
        for k in 0..cells.pow(3) {
            let low_node = [k % cells, k / cells % cells, k / cells / cells];
            let node = |c: u8| [0, 1, 2].map(|k| low_node[k] + u32::from(CORNERS[c as usize][k]));
            let bits = (0..8).fold(0, |all, c| all | usize::from(value(node(c)) > level) << c);
            for triangle in Table::of(Ambiguity::Separate).0[bits].triangles() {
                triangles.push(triangle.map(|edge| {
                    let [a, b] = EDGES[edge as usize].map(node);
                    let [from, to] = if a < b { [a, b] } else { [b, a] };
                    let share = (level - value(from)) / (value(to) - value(from));
                    [0, 1, 2].map(|k| {
                        let cell = cell_m as f32;
                        let [low, high] = [from, to].map(|n| n[k] as f32 * cell);
                        let local = low + share.clamp(0.0, 1.0) * (high - low);
                        (domain.low()[k] + f64::from(local)) as f32
                    })
                }));
            }
        }
        let places = mesh.triangles.iter().map(|t| t.map(|v| mesh.points[v as usize]));
        prop_assert_eq!(in_order(places.collect()), in_order(triangles));
    }

    /// Values on samples are the samples; gradients match differences; both are continuous from
    /// cube to cube for any samples, and stay within bounds.
    #[test]
    fn values_and_gradients_are_continuous(
        values in proptest::collection::vec(-1.0_f32..2.0, 5 * 6 * 4),
        turn in [-3.0..3.0, -1.5..1.5, -3.0..3.0],
        at in [0.001_f64..0.999, 0.001..0.999, 0.001..0.999],
        node in [0_u32..4, 0_u32..5, 0_u32..3],
        axis in 0_usize..3,
    ) {
        let spacing = [0.07, 0.05, 0.2];
        let [roll, pitch, yaw] = turn;
        let turn = Quat::from_euler_angles(roll, pitch, yaw);
        let frame = Pose::from_parts(Vec3::new(0.3, -0.7, 11.0).into(), turn);
        let grid = Grid::placed(&frame, spacing, [5, 6, 4], values.clone()).unwrap();
        let sample = |[x, y, z]: [u32; 3]| f64::from(values[((z * 6 + y) * 5 + x) as usize]);
        let place = |p: [f64; 3]| {
            let steps = Vec3::from(node.map(f64::from)) + Vec3::from(p);
            let local = steps.component_mul(&Vec3::from(spacing));
            transform(&frame, &local)
        };
        prop_assert_eq!(grid.value(&place([0.0; 3])), sample(node));
        prop_assert_eq!(grid.value(&place([1.0; 3])), sample(node.map(|i| i + 1)));
        let (value, gradient) = grid.with_gradient(&place(at));
        prop_assert!((-3.0..4.0).contains(&value));
        for k in 0..3 {
            let step = Vec3::ith(k, 1e-6);
            let slope = (grid.value(&(place(at) + step)) - grid.value(&(place(at) - step))) / 2e-6;
            prop_assert!(
                (gradient[k] - slope).abs() < 1e-4 * (1.0 + slope.abs()),
                "{k}: {} {slope}",
                gradient[k]
            );
        }
        // On both sides of a face between cubes.
        let mut beside = [at, at];
        (beside[0][axis], beside[1][axis]) = (1.0 - 1e-7, 1.0 + 1e-7);
        if node[axis] + 2 < [5, 6, 4][axis] {
            let [(a, before), (b, after)] = beside.map(|p| grid.with_gradient(&place(p)));
            prop_assert!(
                (a - b).abs() < 1e-5 && (before - after).norm() < 1e-3,
                "{a} {b} {before:?} {after:?}"
            );
        }
    }

    /// Planes are reproduced up to the border, and parabolas where samples lie on all sides.
    #[test]
    fn planes_and_parabolas_are_exact(
        slope in [-1.0..1.0, -1.0..1.0, -1.0..1.0],
        bend in [-1.0..1.0, -1.0..1.0, -1.0..1.0],
        at in [0.0_f64..5.0, 0.0..5.0, 0.0..5.0],
    ) {
        let (slope, bend, at) = (Vec3::from(slope), Vec3::from(bend), Vec3::from(at));
        for bend in [Vec3::zeros(), bend] {
            let value = |p: &Vec3| slope.dot(p) + bend.dot(&p.component_mul(p));
            let mut values = Vec::new();
            for z in 0..6 {
                for y in 0..6 {
                    for x in 0..6 {
                        values.push(value(&Vec3::from([x, y, z].map(f64::from))) as f32);
                    }
                }
            }
            let grid = Grid::new(Vec3::zeros(), 1.0, [6; 3], values).unwrap();
            if bend == Vec3::zeros() || at.iter().all(|x| (1.0..4.0).contains(x)) {
                let (found, gradient) = grid.with_gradient(&at);
                prop_assert!((found - value(&at)).abs() < 1e-4, "{found} {}", value(&at));
                let expected = slope + 2.0 * bend.component_mul(&at);
                prop_assert!((gradient - expected).norm() < 1e-4, "{gradient:?} {expected:?}");
            }
        }
    }
}

/// Samples of a sum of primitives, a third of a cube apart and off the nodes, give nearly the same
/// mesh; so does half in samples, half in primitives.
#[test]
fn samples_of_primitives_are_nearly_the_primitives() {
    let balls = balls();
    let domain = Domain::around(&balls, LEVEL, 0.06).unwrap();
    let settings = settings(domain);
    let low = domain.low().add_scalar(0.0137);
    let nodes = domain.cells().map(|n| 3 * n - 2);
    let mut skin = Skin::default();
    let (exact, _) = made(&mut skin, &settings, &balls);
    for in_grid in [12, 6] {
        skin.set_grids(vec![sampled(&balls[..in_grid], low, 0.02, nodes)]);
        let (mesh, report) = made(&mut skin, &settings, &balls[in_grid..]);
        assert_eq!((mesh.faults().open_edges, mesh.faults().pinched), (0, 0));
        assert_eq!(
            (mesh.pieces(), mesh.euler()),
            (exact.pieces(), exact.euler())
        );
        assert!(mesh.points.len().abs_diff(exact.points.len()) * 50 < exact.points.len());
        assert!(report.active < report.reached);
        for (p, n) in mesh.points.iter().zip(&mesh.normals) {
            let at = Vec3::from(p.map(f64::from));
            let (mut value, mut gradient) = (0.0, Vec3::zeros());
            for ball in &balls {
                let (f, g) = ball.with_gradient(&at);
                (value, gradient) = (value + f, gradient + g);
            }
            // Linear over cubes of 0.06: an error of some 1/R² times the square over 2.
            assert!((value - LEVEL).abs() < 0.06, "{at:?}: {value}");
            let n = Vec3::from(n.map(f64::from));
            assert!((n + gradient.normalize()).norm() < 0.3, "{at:?}");
        }
    }
}

/// A scan of heights: 2.5D, with a surface over all of it, closed at its border.
#[test]
fn a_field_of_heights_is_a_body() {
    let (n, h) = (40, 0.025);
    let height = |x: f64, y: f64| 0.3 + 0.1 * (7.0 * x).sin() * (5.0 * y).cos();
    let mut values = Vec::new();
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                let [x, y, z] = [x, y, z].map(|i| f64::from(i) * h);
                let border = [x, y, z].iter().any(|p| *p == 0.0 || *p > 0.97);
                values.push(if border {
                    0.0
                } else {
                    0.5 + (height(x, y) - z) as f32
                });
            }
        }
    }
    let grid = Grid::new(Vec3::zeros(), h, [n; 3], values).unwrap();
    let (low, high) = grid.bounds();
    let mut skin = Skin::default();
    skin.set_grids(vec![grid]);
    let settings = settings(Domain::holding(low, high, 0.02).unwrap());
    let (mesh, report) = made(&mut skin, &settings, &[]);
    assert_eq!((report.clipped, mesh.pieces(), mesh.euler()), (0, 1, 2));
    assert_eq!((mesh.faults().open_edges, mesh.faults().pinched), (0, 0));
    let inner = |p: &&[f32; 3]| p[..2].iter().all(|x| (0.1..0.9).contains(x)) && p[2] > 0.1;
    let top = mesh.points.iter().filter(inner);
    assert!(top.clone().count() > 1000);
    for p in top {
        let [x, y, z] = p.map(f64::from);
        assert!((z - height(x, y)).abs() < 0.005, "{p:?}");
    }
}

/// A grid is one more numbered term: it blends or does not, bulges, moves, and is reused like the
/// rest.
#[test]
fn a_grid_is_a_term_like_others() {
    let ball = |x: f64| Primitive::point(Vec3::new(x, 0.011, 0.003), 1.0);
    let grid = sampled(
        &[ball(0.42)],
        Vec3::new(-0.7, -1.1, -1.1),
        0.05,
        [50, 45, 45],
    );
    let domain = Domain::around(&[ball(-0.42), ball(0.42)], LEVEL, 0.06).unwrap();
    let settings = settings(domain);
    let mut skin = Skin::default();
    assert!(skin.set_grids(vec![grid.clone()]).is_empty());
    let (free, _) = made(&mut skin, &settings, &[ball(-0.42)]);
    assert_eq!(free.pieces(), 1);
    let (again, report) = made(&mut skin, &settings, &[ball(-0.42)]);
    assert!(again == free && report.reused == report.sampled);
    let mut mesh = Mesh::default();
    let bulge = Bulge::new(0.1, 0.3, 0.15, LEVEL).unwrap();
    let mut graph = Graph::new();
    let by = Blending::Bulging(&graph, bulge);
    let report = skin
        .polygonize_by(&settings, &[ball(-0.42)], by, &mut mesh)
        .unwrap();
    assert_eq!((report.control.dropped, mesh.pieces()), (0, 2));
    assert_eq!(skin.contacts(), [(0, 1)]);
    let mut out = Vec::new();
    skin.motions(&mesh, &[Vec3::x(), -Vec3::x()], &mut out)
        .unwrap();
    for (p, v) in mesh
        .points
        .iter()
        .zip(&out)
        .filter(|(p, _)| p[0].abs() > 0.3)
    {
        assert_eq!(v[0], -p[0].signum(), "{p:?}");
    }
    graph.allow(0, 1);
    skin.polygonize_controlled(&settings, &[ball(-0.42)], &graph, &mut mesh)
        .unwrap();
    assert_eq!(mesh, free);
    graph.allow(0, 2);
    let made_so = skin.polygonize_controlled(&settings, &[ball(-0.42)], &graph, &mut mesh);
    assert!(matches!(made_so, Err(SkinError::Graph(_))));
    // Another grid: nothing of the last mesh is left, nor can it be moved.
    made(&mut skin, &settings, &[ball(-0.42)]);
    let other = sampled(
        &[ball(0.3)],
        Vec3::new(-0.7, -1.1, -1.1),
        0.05,
        [50, 45, 45],
    );
    assert_eq!(skin.set_grids(vec![other.clone()]), [grid]);
    assert!(
        skin.motions(&free, &[Vec3::x(), Vec3::x()], &mut out)
            .is_err()
    );
    let (mesh, report) = made(&mut skin, &settings, &[ball(-0.42)]);
    assert_eq!(report.reused, 0);
    let mut fresh = Skin::default();
    fresh.set_grids(vec![other]);
    assert_eq!(mesh, made(&mut fresh, &settings, &[ball(-0.42)]).0);
    // No allocation once warm.
    let mut mesh = Mesh::default();
    let (here, there) = ([ball(-0.42)], [ball(-0.43)]);
    for ball in [&here, &there, &there, &here, &here] {
        skin.polygonize(&settings, ball, &mut mesh).unwrap();
    }
    let (report, calls) = counted(|| skin.polygonize(&settings, &there, &mut mesh));
    assert!(calls == 0 && report.unwrap().sampled > 0);
}

#[test]
fn what_is_no_grid_is_refused() {
    let new =
        |low: Vec3, h: f64, nodes: [u32; 3], values: Vec<f32>| Grid::new(low, h, nodes, values);
    let good = vec![0.0; 24];
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = new(Vec3::zeros(), h, [2, 3, 4], good.clone()).unwrap_err();
        assert!(matches!(error, GridError::Spacing(_)), "{error}");
    }
    for nodes in [[1, 3, 8], [2, 0, 4], [2, 3, MAX_SAMPLES + 1]] {
        let error = new(Vec3::zeros(), 0.1, nodes, good.clone()).unwrap_err();
        assert_eq!(error, GridError::Nodes(nodes));
    }
    for x in [f64::NAN, f64::INFINITY, 1e7] {
        let error = new(Vec3::new(0.0, x, 0.0), 0.1, [2, 3, 4], good.clone()).unwrap_err();
        assert!(matches!(error, GridError::Place { .. }), "{error}");
    }
    let error = new(Vec3::zeros(), 0.1, [2, 3, 5], good.clone()).unwrap_err();
    assert_eq!(
        error,
        GridError::Count {
            given: 24,
            nodes: [2, 3, 5]
        }
    );
    // The maximum along each axis overflows a 32-bit count.
    let error = new(Vec3::zeros(), 0.1, [MAX_SAMPLES; 3], Vec::new()).unwrap_err();
    assert!(
        matches!(error, GridError::Count { given: 0, .. }),
        "{error}"
    );
    for bad in [f32::NAN, f32::INFINITY] {
        let mut values = good.clone();
        values[17] = bad;
        let error = new(Vec3::zeros(), 0.1, [2, 3, 4], values).unwrap_err();
        assert!(
            matches!(error, GridError::NotFinite { at: [1, 2, 2], .. }),
            "{error}"
        );
    }
    let grid = new(Vec3::zeros(), 0.1, [2, 3, 4], good).unwrap();
    assert_eq!(grid.value(&Vec3::repeat(f64::NAN)), 0.0);
    // Sums that overflow single precision are no reason to stop.
    let huge = new(Vec3::zeros(), 0.1, [2, 2, 2], vec![f32::MAX; 8]).unwrap();
    let mut skin = Skin::default();
    skin.set_grids(vec![huge.clone(), huge, grid]);
    let domain = Domain::holding(Vec3::zeros(), Vec3::repeat(0.1), 0.02).unwrap();
    let (mesh, _) = made(&mut skin, &settings(domain), &[]);
    assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
    assert_eq!(mesh.faults().open_edges, 0);
}

/// A rotated volume in millimetres, placed in the world; closed at its border; linear between what
/// is furthest outside and the level.
#[test]
fn a_volume_is_a_potential_in_its_place() {
    let frame = Pose::from_parts(
        Vec3::new(10.0, -20.0, 5.0).into(),
        Quat::from_euler_angles(0.2, -0.4, 1.0),
    );
    let (nodes, spacing) = ([7, 8, 9], [2.0, 1.5, 1.0]);
    let sample = |k: usize| (k * 37 % 101) as f32 - 50.0;
    let count = 7 * 8 * 9;
    let volume = Volume::new(frame, spacing, nodes, (0..count).map(sample).collect()).unwrap();
    let world = Pose::from_parts(
        Vec3::new(1.0, 2.0, 3.0).into(),
        Quat::from_euler_angles(-1.0, 0.3, 0.1),
    );
    for below in [false, true] {
        let inside = Inside { level: 10.0, below };
        let grid = Grid::of_volume(volume.clone(), (&world, 0.001), inside, LEVEL).unwrap();
        let (low, high) = grid.bounds();
        for k in 0..count {
            let at = [k % 7, k / 7 % 8, k / 56];
            let local = Vec3::from([0, 1, 2].map(|i| at[i] as f64 * spacing[i]));
            let place = transform(&world, &(transform(&frame, &local) * 0.001));
            let border = (0..3).any(|i| at[i] == 0 || at[i] + 1 == nodes[i] as usize);
            let out = if below { 50.0 } else { -50.0 };
            let expected = match border {
                true => 0.0,
                false => LEVEL * (f64::from(sample(k)) - out) / (10.0 - out),
            };
            let found = grid.value(&place);
            assert!(
                (found - expected).abs() < 1e-5,
                "{at:?}: {found} {expected}"
            );
            assert!((0..3).all(|i| (low[i] - 1e-9..=high[i] + 1e-9).contains(&place[i])));
        }
        let mut skin = Skin::default();
        skin.set_grids(vec![grid]);
        let settings = settings(Domain::holding(low, high, 0.0004).unwrap());
        let (mesh, report) = made(&mut skin, &settings, &[]);
        assert_eq!((mesh.faults().open_edges, report.clipped), (0, 0));
        assert!(mesh.triangles.len() > 1000);
    }
    for level in [-60.0, -50.0, 51.0, f64::NAN, f64::INFINITY] {
        let inside = Inside {
            level,
            below: false,
        };
        let refused = Grid::of_volume(volume.clone(), (&world, 0.001), inside, LEVEL);
        let error = refused.unwrap_err();
        assert!(matches!(error, GridError::NoSurface { .. }), "{error}");
    }
}

/// The bounds of a box hold everything in it: no brick with surface is skipped. Compared with
/// sampling every brick, which a primitive without bounds in the domain forces.
#[test]
fn no_brick_of_a_turned_grid_is_left_out() {
    let frame = Pose::from_parts(
        Vec3::new(0.1, 0.2, -0.3).into(),
        Quat::from_euler_angles(0.5, 0.7, -0.2),
    );
    let values: Vec<f32> = (0..14 * 12 * 10)
        .map(|k| (k * 7919 % 1000) as f32 * 1e-3)
        .collect();
    let grid = Grid::placed(&frame, [0.03, 0.04, 0.05], [14, 12, 10], values).unwrap();
    let (low, high) = grid.bounds();
    let settings = settings(Domain::holding(low, high, 0.011).unwrap());
    let mut skin = Skin::default();
    skin.set_grids(vec![grid]);
    let (alone, report) = made(&mut skin, &settings, &[]);
    // Its amplitude is negligible, but a negative term makes every brick sampled.
    let nothing = Primitive {
        amplitude: -1e-30,
        ..Primitive::point(0.5 * (low + high), 10.0)
    };
    let nothing = Primitive {
        kernel: hapticd_skin::Kernel::Wyvill,
        ..nothing
    };
    let (all, looked_at) = made(&mut skin, &settings, &[nothing]);
    assert!(looked_at.sampled > report.sampled || report.sampled == report.reached);
    assert_eq!(alone.triangles.len(), all.triangles.len());
}
