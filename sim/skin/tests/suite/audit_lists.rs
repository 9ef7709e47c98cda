//! Lists of primitives by brick: the sums of bricks are those of all primitives, also where
//! supports begin and end on the sides of bricks, and no list outlives its date.

use hapticd_geometry::{Mat3, Vec3};
use hapticd_skin::blend::Graph;
use hapticd_skin::{
    Ambiguity, Domain, Faults, Kernel, Mesh, Primitive, Report, Settings, Skeleton, Skin,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Four bricks of seven cubes along each axis: sides at multiples of 0.7 m from the lowest corner.
const CELLS: u32 = 28;
const CELL: f64 = 0.1;

fn settings(low: f64) -> Settings {
    Settings {
        domain: Domain::new(Vec3::repeat(low), CELL, [CELLS; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

fn skin(skin: &mut Skin, settings: &Settings, of: &[Primitive]) -> (Mesh, Report) {
    let mut mesh = Mesh::default();
    let report = skin.polygonize(settings, of, &mut mesh).unwrap();
    (mesh, report)
}

/// Both kept meshes reach the end of the dates. The entries that their first lists left in a corner
/// then carry the first date again. If they were not cleared, the bricks of that corner would be
/// those of a mesh 65,535 frames ago.
#[test]
fn lists_of_the_same_date_before_the_end_are_forgotten() {
    let settings = settings(-1.4);
    let balls = |x: f64| {
        [
            Primitive::point(Vec3::new(x, -0.8, -0.8), 0.7),
            Primitive::point(Vec3::new(x, -0.6, -0.3), 0.6),
        ]
    };
    let mut kept = Skin::default();
    for k in 0..18 {
        if k == 2 {
            kept.set_date(65_530);
        }
        // Here with dates 1 and 2, away until the dates end, and here again.
        let away = (2..12).contains(&k);
        let x = if away { 0.7 } else { -0.7 } + 0.01 * f64::from(k);
        let (mesh, report) = skin(&mut kept, &settings, &balls(x));
        let (wanted, fresh) = skin(&mut Skin::default(), &settings, &balls(x));
        assert!(mesh == wanted && mesh.triangles.len() > 500, "{k}");
        assert_eq!(
            Report {
                reused: 0,
                ..report
            },
            fresh,
            "{k}"
        );
    }
}

/// Positions on the sides and corners of bricks, midway between them, and outside the domain.
fn place() -> impl Strategy<Value = Vec3> {
    [-2_i32..=10, -2_i32..=10, -2_i32..=10].prop_map(|at| Vec3::from(at.map(f64::from)) * 0.35)
}

fn on_the_sides() -> impl Strategy<Value = Primitive> {
    let skeleton = prop_oneof![
        4 => place().prop_map(Skeleton::Point),
        1 => place().prop_map(|c| Skeleton::Rounded(c, f64::INFINITY)),
        1 => [place(), place()].prop_map(Skeleton::Segment),
        1 => [place(), place()].prop_map(Skeleton::Convolved),
        1 => [place(), place(), place()].prop_map(Skeleton::Triangle),
        1 => (place(), select(vec![0.5, 1.0, 2.0]))
            .prop_map(|(c, x)| Skeleton::Ellipsoid(c, Mat3::from_diagonal(&Vec3::new(x, 1.0, 0.5)))),
        1 => [place(), place()].prop_map(|ends| Skeleton::Cylinder(ends, 0.1)),
    ];
    // Ends of supports on sides of bricks and cubes as well.
    let radius = select(vec![0.1, 0.35, 0.7, 1.05]);
    let kernel = select(vec![
        Kernel::Murakami,
        Kernel::Murakami,
        Kernel::Wyvill,
        Kernel::Step,
    ]);
    let amplitude = select(vec![1.0, 1.0, 0.6, 2.0, -0.5]);
    (skeleton, radius, amplitude, kernel).prop_map(|(skeleton, radius_m, amplitude, kernel)| {
        let convolved = matches!(skeleton, Skeleton::Convolved(_));
        Primitive {
            skeleton,
            radius_m,
            amplitude,
            kernel: if convolved { Kernel::Murakami } else { kernel },
        }
    })
}

/// Edges that the surface cuts by the plain sum in double precision: certainly, and possibly.
fn cut_edges(settings: &Settings, of: &[Primitive]) -> (usize, usize) {
    let side = CELLS + 1;
    let index = |n: [u32; 3]| ((n[2] * side + n[1]) * side + n[0]) as usize;
    // Inside, outside, or within the error of single precision.
    let value = |k: u32| {
        let node = [k % side, k / side % side, k / side / side];
        let at = settings.domain.low() + CELL * Vec3::from(node.map(f64::from));
        let border = node.iter().any(|i| *i == 0 || *i == CELLS);
        let steps = of.iter().any(|p| {
            p.kernel == Kernel::Step && {
                let near = [1.0 - 1e-5, 1.0 + 1e-5].map(|by| Primitive {
                    radius_m: by * p.radius_m,
                    ..*p
                });
                near[0].value(&at) != near[1].value(&at)
            }
        });
        let sum: f64 = of.iter().map(|p| p.value(&at)).sum();
        match sum - settings.level {
            _ if border => Some(false),
            _ if steps => None,
            over if over.abs() < 1e-4 => None,
            over => Some(over > 0.0),
        }
    };
    let values: Vec<Option<bool>> = (0..side.pow(3)).map(value).collect();
    let (mut sure, mut maybe) = (0, 0);
    for k in 0..side.pow(3) {
        let node = [k % side, k / side % side, k / side / side];
        for axis in 0..3 {
            let mut next = node;
            next[axis] += 1;
            if next[axis] > CELLS {
                continue;
            }
            match [node, next].map(|n| values[index(n)]) {
                [Some(a), Some(b)] => {
                    sure += usize::from(a != b);
                    maybe += usize::from(a != b);
                }
                _ => maybe += 1,
            }
        }
    }
    (sure, maybe)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// There are as many vertices as edges cut by the plain sum of all, and the mesh is closed. In
    /// a domain with a round number as lowest corner, and in one without.
    #[test]
    fn sums_are_those_of_all_wherever_bricks_end(
        some in proptest::collection::vec(on_the_sides(), 1..10),
        shift in select(vec![0.0, 0.1_f64.sqrt()]),
    ) {
        let settings = settings(shift);
        let moved: Vec<Primitive> = some.iter().map(|p| Primitive { skeleton: by(p.skeleton, shift), ..*p }).collect();
        let (mesh, report) = skin(&mut Skin::default(), &settings, &moved);
        let faults = mesh.faults();
        prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        let (sure, maybe) = cut_edges(&settings, &moved);
        let made = mesh.points.len();
        prop_assert!((sure..=maybe).contains(&made), "{sure} to {maybe}, and there are {made}: {report:?}");
        // A lone primitive that may blend with no other is the same with and without control.
        let (mut one, mut mesh) = (Skin::default(), Mesh::default());
        one.polygonize_controlled(&settings, &moved[..1], &Graph::new(), &mut mesh).unwrap();
        prop_assert_eq!(mesh, skin(&mut Skin::default(), &settings, &moved[..1]).0);
    }
}

fn by(skeleton: Skeleton, shift: f64) -> Skeleton {
    let to = |p: Vec3| p.add_scalar(shift);
    match skeleton {
        Skeleton::Point(c) => Skeleton::Point(to(c)),
        Skeleton::Rounded(c, n) => Skeleton::Rounded(to(c), n),
        Skeleton::Segment(ends) => Skeleton::Segment(ends.map(to)),
        Skeleton::Convolved(ends) => Skeleton::Convolved(ends.map(to)),
        Skeleton::Triangle(corners) => Skeleton::Triangle(corners.map(to)),
        Skeleton::Ellipsoid(c, axes) => Skeleton::Ellipsoid(to(c), axes),
        Skeleton::Cylinder(ends, r) => Skeleton::Cylinder(ends.map(to), r),
    }
}

/// A ball moves along each axis, from brick to brick: it is listed in the bricks that it meets and
/// in no other.
#[test]
fn a_ball_is_listed_in_the_bricks_that_it_meets() {
    let settings = settings(0.0);
    for axis in 0..3 {
        for k in 1..12 {
            let mut centre = Vec3::repeat(1.05);
            centre[axis] = 0.35 + 0.1 * f64::from(k);
            let ball = [Primitive::point(centre, 0.33)];
            let (mesh, report) = skin(&mut Skin::default(), &settings, &ball);
            assert_eq!((mesh.faults(), mesh.euler()), (Faults::default(), 2));
            let last = ((centre[axis] + 0.33) / 0.7).floor() as usize;
            let first = ((centre[axis] - 0.33) / 0.7).floor() as usize;
            assert_eq!(report.reached, last - first + 1, "{axis} {k}");
        }
    }
}
