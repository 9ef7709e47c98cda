//! Fields built to break a mesh: every face ambiguous, samples on the level, both signs, sums
//! decided by rounding. The meshes are closed, manifold and wound outwards.

use hapticd_geometry::Vec3;
use hapticd_skin::blend::Graph;
use hapticd_skin::{
    Ambiguity, Checker, Domain, Grid, Mesh, Primitive, Settings, Skin, visible_radius_m,
};
use proptest::prelude::*;
use proptest::sample::select;

const BOTH: [Ambiguity; 2] = [Ambiguity::Separate, Ambiguity::Join];
const LEVEL: f64 = 0.5;

fn settings(domain: Domain, ambiguity: Ambiguity) -> Settings {
    Settings {
        domain,
        level: LEVEL,
        ambiguity,
    }
}

fn volume(mesh: &Mesh) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| Vec3::from(mesh.points[v as usize].map(f64::from)));
        a.dot(&b.cross(&c)) / 6.0
    };
    mesh.triangles.iter().map(of).sum()
}

/// Meshes samples from the lowest corner of a domain of `cells` cubes of 1 m along each axis.
fn made(cells: u32, values: Vec<f32>, ambiguity: Ambiguity) -> Mesh {
    let domain = Domain::new(Vec3::zeros(), 1.0, [cells; 3]).unwrap();
    let mut skin = Skin::default();
    skin.set_grids(vec![
        Grid::new(Vec3::zeros(), 1.0, [cells + 1; 3], values).unwrap(),
    ]);
    let mut mesh = Mesh::default();
    skin.polygonize(&settings(domain, ambiguity), &[], &mut mesh)
        .unwrap();
    mesh
}

/// True if a node of a grid of `cells` is within `within` nodes of its border.
fn is_rim(k: u32, cells: u32, within: u32) -> bool {
    let side = cells + 1;
    let node = [k % side, k / side % side, k / side / side];
    node.iter().any(|i| *i < within || *i + within > cells)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// Samples on the level, one ulp below and above it, and at the limits of single precision,
    /// next to each other. With both tables.
    #[test]
    fn samples_on_the_level_and_at_the_ends_of_numbers_close(
        cells in 3_u32..18,
        some in proptest::collection::vec(
            select(vec![0.5_f32, 0.5_f32.next_up(), 0.5_f32.next_down(), 0.0, 1.0, -1e-38, f32::MAX, f32::MIN]),
            19 * 19 * 19,
        ),
        join in any::<bool>(),
    ) {
        let values = some[..(cells as usize + 1).pow(3)].to_vec();
        let mesh = made(cells, values, BOTH[usize::from(join)]);
        let check = Checker::default().check(&mesh);
        prop_assert!(check.is_sound() && check.crowded + check.same_way == 0, "{check:?}");
        let faults = mesh.faults();
        prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        // Needed for the capacity of a block of frames: no closed piece is smaller than an
        // octahedron.
        prop_assert!(4 * mesh.points.len() <= 3 * mesh.triangles.len());
        let unit = |n: &[f32; 3]| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5;
        prop_assert!(mesh.normals.iter().all(unit));
    }

    /// Random nodes are in or out, and vertices lie midway: the mesh encloses what is inside. Each
    /// inside node owns its own corner of every cube around it, a sixth of a cube in all; so does
    /// each outside node. Inside out and with the other table it is the same surface, seen from
    /// behind.
    #[test]
    fn what_is_inside_is_what_the_mesh_is_wound_around(
        cells in 7_u32..16,
        bits in proptest::collection::vec(any::<bool>(), 17 * 17 * 17),
        join in any::<bool>(),
    ) {
        let [one, other] = [usize::from(join), 1 - usize::from(join)].map(|k| BOTH[k]);
        let count = (cells + 1).pow(3);
        let is_in = |k: u32| bits[k as usize] && !is_rim(k, cells, 2);
        let sample = |is: bool| if is { 1.0 } else { 0.0 };
        let mesh = made(cells, (0..count).map(|k| sample(is_in(k))).collect(), one);
        let inside = (0..count).filter(|k| is_in(*k)).count() as f64;
        let all = f64::from(cells - 3).powi(3);
        let v = volume(&mesh);
        prop_assert!(v >= inside / 6.0 - 1e-3, "{v} about {inside} nodes");
        // If all allowed nodes are in, the surface is a box half a cube larger, without its edges;
        // subtract what is out.
        prop_assert!(v <= f64::from(cells - 2).powi(3) - (all - inside) / 6.0 + 1e-3, "{v} about {inside} of {all}");
        let behind = made(cells, (0..count).map(|k| sample(!is_in(k))).collect(), other);
        for mesh in [&mesh, &behind] {
            let faults = mesh.faults();
            prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        }
        // Where it is cut off at the border, a box surrounds it all.
        let within = |p: &&[f32; 3]| p.iter().all(|x| *x > 1.25 && *x < cells as f32 - 1.25);
        let places = |mesh: &Mesh| {
            let mut all: Vec<[u32; 3]> = mesh.points.iter().filter(within).map(|p| p.map(f32::to_bits)).collect();
            all.sort_unstable();
            all
        };
        prop_assert_eq!(places(&mesh), places(&behind));
        prop_assert_eq!(behind.pieces(), mesh.pieces() + 1);
        prop_assert_eq!(behind.euler(), mesh.euler() + 2);
    }
}

/// Random numbers for scenes, the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn place(&mut self, half: f64) -> Vec3 {
        Vec3::from([(); 3].map(|()| (2.0 * self.next() - 1.0) * half))
    }
}

/// A heap of balls of both signs, at the source's normal precision (1.29 cubes to the visible
/// radius) and finer, with both tables, with and without control. The mesh is closed and has a
/// volume; of a thousand triangles none faces against the normals of its corners.
#[test]
fn heaps_of_both_signs_are_wound_as_their_normals_say() {
    let mut dice = Dice(7);
    let (mut triangles, mut flipped, mut pieces) = (0, 0, 0);
    for round in 0..60 {
        let radius_m = 0.25 + 0.2 * dice.next();
        let count = 5 + round;
        let balls: Vec<Primitive> = (0..count)
            .map(|k| Primitive {
                amplitude: if k % 5 == 4 { -0.6 } else { 1.0 },
                ..Primitive::point(dice.place(1.0), radius_m)
            })
            .collect();
        let mut graph = Graph::new();
        for b in 0..count {
            for a in (0..b).filter(|a| a % 3 == b % 3) {
                graph.allow(a, b);
            }
        }
        let cell = visible_radius_m(&balls[0], LEVEL) / [1.29, 2.0, 3.585][round as usize % 3];
        let ambiguity = BOTH[round as usize % 2];
        let settings = settings(Domain::around(&balls, LEVEL, cell).unwrap(), ambiguity);
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        for controlled in [false, true] {
            let report = if controlled {
                skin.polygonize_controlled(&settings, &balls, &graph, &mut mesh)
            } else {
                skin.polygonize(&settings, &balls, &mut mesh)
            };
            let report = report.unwrap();
            assert_eq!((report.control.torn, report.clipped), (0, 0));
            let faults = mesh.faults();
            assert_eq!((faults.open_edges, faults.pinched), (0, 0), "{round}");
            assert!(volume(&mesh) > 0.0);
            if !controlled {
                triangles += mesh.triangles.len();
                flipped += faults.flipped;
                pieces += mesh.pieces();
            }
        }
    }
    assert!(
        triangles > 100_000 && pieces > 200,
        "{triangles} in {pieces}"
    );
    assert!(1000 * flipped < triangles, "{flipped} of {triangles}");
}

/// The amplitudes are so large that the surface is where the kernel ends, and the ends are on
/// corners of bricks. Only rounding decides on which side a node is; all bricks that share the node
/// must agree.
#[test]
fn where_rounding_decides_all_bricks_decide_alike() {
    let domain = Domain::new(Vec3::repeat(-1.4), 0.1, [28; 3]).unwrap();
    let settings = settings(domain, Ambiguity::Separate);
    let mut dice = Dice(11);
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    for round in 0..400 {
        // To a corner of bricks, from anywhere.
        let corner = Vec3::from([(); 3].map(|()| 0.7 * (4.0 * dice.next()).floor() - 0.7));
        let centre = dice.place(1.3);
        let away = (corner - centre).norm();
        let amplitude = [1e4, 1e7, 1e10, 1e20, 1e38][round % 5];
        let by = (dice.next() - 0.5) * 4e-7;
        let mut balls = vec![Primitive {
            amplitude,
            ..Primitive::point(centre, away * (1.0 + by) + 1e-12)
        }];
        if round % 3 == 0 {
            // And a negative one that cancels nearly all of it.
            balls.push(Primitive {
                amplitude: -0.999 * amplitude,
                ..Primitive::point(centre + dice.place(1e-3), away)
            });
        }
        skin.polygonize(&settings, &balls, &mut mesh).unwrap();
        let faults = mesh.faults();
        let sound = (faults.open_edges, faults.pinched) == (0, 0);
        assert!(sound, "{round}: {faults:?} {balls:?}");
    }
}

/// At the far end of the largest domain, where single precision resolves some ten thousandths of a
/// cube.
#[test]
fn the_far_end_of_a_long_domain_is_as_good_as_the_near_one() {
    let domain = Domain::new(Vec3::zeros(), 1.0, [4096, 14, 14]).unwrap();
    let settings = settings(domain, Ambiguity::Separate);
    let mut dice = Dice(13);
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    for round in 0..600 {
        let radius_m = [0.6, 2.0, 3.0][round % 3] * (1.0 + 1e-3 * dice.next());
        let amplitude = [1.0, 1e6, 1e20, 3e38][round % 4];
        // The support ends within a few roundings of a side of bricks, which is a layer of nodes.
        let side = 7.0 * (580.0 + (4.0 * dice.next()).floor());
        let x = side - radius_m + (dice.next() - 0.5) * 1e-3;
        let ball = [Primitive {
            amplitude,
            ..Primitive::point(Vec3::new(x, 7.0, 7.0), radius_m)
        }];
        let report = skin.polygonize(&settings, &ball, &mut mesh).unwrap();
        let faults = mesh.faults();
        let sound = (faults.open_edges, faults.pinched) == (0, 0);
        assert!(sound, "{round}: {faults:?} {ball:?} {report:?}");
    }
}
