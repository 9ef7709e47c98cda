//! The spheres' neighbours by registration: the same as by the hash, over whole runs; and cloth
//! that is held.

use super::*;
use hapticd_deformable::{Blending, Continuous, ImplicitModel, RegisteredSpheres, SkinStates};
use hapticd_particles::{FluidMaterial, NeighbourSearch};

fn spec(id: u32, points: Vec<Vec3>, radius_m: f64, model: ImplicitModel) -> ImplicitSpec {
    ImplicitSpec {
        name: format!("body {id}"),
        id: (1 << 30) + id,
        points,
        model,
        radius_m,
        mass_kg: 0.1,
        pinned: Vec::new(),
        blending: Blending::Controlled,
        cell_m: 0.003,
        surface: feel(0.3),
    }
}

fn strand(id: u32, points: impl Iterator<Item = Vec3>) -> ImplicitSpec {
    let model = ImplicitModel::Strand {
        stretch_n: 50.0,
        bend_n_m2: 1e-5,
        damping_s: 0.01,
    };
    spec(id, points.collect(), 0.005, model)
}

/// Turns that are close to each other.
fn coil(id: u32, at: Vec3, count: u32) -> ImplicitSpec {
    strand(
        id,
        (0..count).map(move |i| {
            let turn = 0.28 * f64::from(i);
            at + Vec3::new(0.02 * turn.cos(), 0.02 * turn.sin(), 0.0018 * turn)
        }),
    )
}

/// A long intestine laid to and fro.
fn gut(id: u32) -> ImplicitSpec {
    strand(
        id,
        (0..160).map(|i: u32| {
            let (row, k) = (i / 16, i % 16);
            let x = if row % 2 == 0 { k } else { 15 - k };
            Vec3::new(
                0.006 * f64::from(x) - 0.045,
                0.012 * f64::from(row) - 0.06,
                0.01 * f64::from(row % 3),
            )
        }),
    )
}

fn fluid(id: u32, side: u32) -> ImplicitSpec {
    let at = |i: u32| 0.008 * f64::from(i);
    let points = (0..side * side * side).map(|i| {
        Vec3::new(
            at(i % side),
            at(i / side % side),
            at(i / side / side) + 0.05,
        )
    });
    let model = ImplicitModel::Fluid(FluidMaterial::default());
    spec(id, points.collect(), 0.004, model)
}

fn floor() -> BodySpec {
    BodySpec {
        name: "floor".into(),
        kind: BodyKind::Static,
        shape: Shape::of(shapes::cuboid(&Vec3::new(0.2, 0.2, 0.01)).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.03),
        material: feel(0.3),
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

/// Counts the steps in which it was queried, and the pairs.
#[derive(Clone, Debug, Default)]
struct Told {
    by: RegisteredSpheres,
    seen: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl NeighbourSearch for Told {
    fn pairs(&mut self, x: &[Vec3], reach_m: f64, visit: &mut dyn FnMut(u32, u32, f64)) -> bool {
        let seen = &self.seen;
        self.by.pairs(x, reach_m, &mut |a, b, square| {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            visit(a, b, square);
        })
    }

    fn boxed_clone(&self) -> Box<dyn NeighbourSearch> {
        Box::new(self.clone())
    }
}

#[test]
fn coils_guts_and_fluids_are_the_same_to_the_bit_with_either_finder() {
    let scenes = [
        (
            "coil",
            vec![
                coil(1, Vec3::zeros(), 180),
                coil(2, Vec3::new(0.05, 0.0, 0.02), 60),
            ],
        ),
        ("gut", vec![gut(1)]),
        (
            "fluid",
            vec![fluid(1, 6), coil(2, Vec3::new(0.02, 0.02, 0.0), 40)],
        ),
    ];
    for (name, bodies) in scenes {
        let seen = std::sync::Arc::default();
        let run = |search: Option<Box<dyn NeighbourSearch>>| {
            let tool = ToolShape::sphere(RADIUS_M);
            let mut fixture = Fixture::of((&[], &bodies), vec![floor()], 2, (tool, None));
            fixture.soft.set_neighbour_search(search);
            // Through the centre of them.
            let force = fixture.go(Vec3::new(0.0, 0.0, 0.12), Vec3::new(0.01, 0.0, -0.02), 700);
            let mut states = SkinStates::default();
            fixture.soft.skin_states(&mut states);
            let all = states.bodies.iter();
            let places: Vec<_> = all
                .flat_map(|body| body.primitives.iter().zip(&body.velocities))
                .map(|(p, v)| (p.heart().map(f64::to_bits), v.map(f64::to_bits)))
                .collect();
            (force, places, fixture.soft.pairs_left_out())
        };
        let hash = run(None);
        let told = Told {
            seen: std::sync::Arc::clone(&seen),
            ..Told::default()
        };
        assert_eq!(hash, run(Some(Box::new(told))), "{name}");
        assert!(hash.0.iter().any(|f| f.norm() > 0.01), "{name} is not felt");
        let pairs = seen.load(std::sync::atomic::Ordering::Relaxed);
        assert!(pairs > 20_000, "{name}: {pairs} pairs by registration");
    }
}

/// Endlessly falling objects end beyond all maps: the hash takes over without any effect.
#[test]
fn what_is_too_far_for_a_map_is_left_to_the_hash() {
    let mut search = RegisteredSpheres::new();
    let far = [Vec3::repeat(1e300), Vec3::repeat(1e300)];
    assert!(!search.pairs(&far, 0.1, &mut |_, _, _| panic!("nobody can be seen there")));
    let mut met = 0;
    let near = [Vec3::zeros(), Vec3::repeat(0.01)];
    assert!(search.pairs(&near, 0.1, &mut |a, b, _| met +=
        u32::from((a, b) == (0, 1))));
    assert_eq!(met, 1);
}

/// A hand that strikes a sheet with a ball goes through it without continuous detection, and not
/// with it.
#[test]
fn a_struck_sheet_is_told_of_and_held() {
    let run = |mode: Continuous| {
        let mut fixture = Fixture::new(&[sheet()], Vec::new(), 0);
        fixture.soft.set_continuous(mode);
        let (from, to) = (
            Vec3::new(0.003, 0.002, 0.05),
            Vec3::new(0.003, 0.002, -0.05),
        );
        fixture.go(from, from, 40);
        fixture.go(from, to, 12);
        fixture.go(to, to, 40);
        fixture.soft.crossings()
    };
    assert_eq!(run(Continuous::Off), 0);
    let (counted, held) = (
        run(Continuous::Count),
        run(Continuous::Hold { attempts: 8 }),
    );
    assert!(
        counted > 0 && held < counted,
        "{counted} without, {held} with"
    );
}
