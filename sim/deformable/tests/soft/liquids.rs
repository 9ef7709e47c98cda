//! Liquids are at rest when the scene begins, whatever their material.

use super::*;
use hapticd_deformable::{Blending, ImplicitModel, SkinStates};
use hapticd_particles::FluidMaterial;

const SYRUP: FluidMaterial = FluidMaterial {
    stiffness_n_m: 150.0,
    cohesion_n_m: 15.0,
    reach: 1.5,
    viscosity_1_s: 60.0,
};
/// A liquid that only the air slows, and that does not cohere.
const THIN: FluidMaterial = FluidMaterial {
    cohesion_n_m: 0.0,
    viscosity_1_s: 0.0,
    ..SYRUP
};

/// Drops side by side in a block of `count`, or in a cylinder of `round_m` inside it.
fn drops(count: [i32; 3], radius_m: f64, middle_z: f64, round_m: Option<f64>) -> Vec<Vec3> {
    let mut points = Vec::new();
    let at = |k: i32, n: i32| (f64::from(k) - 0.5 * f64::from(n - 1)) * 2.0 * radius_m;
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                let [x, y, z] = [at(x, count[0]), at(y, count[1]), at(z, count[2])];
                if round_m.is_none_or(|r| x.hypot(y) < r) {
                    points.push(Vec3::new(x, y, middle_z + z));
                }
            }
        }
    }
    points
}

fn liquid(points: Vec<Vec3>, radius_m: f64, mass_kg: f64, of: FluidMaterial) -> ImplicitSpec {
    ImplicitSpec {
        name: "liquid".into(),
        id: (1 << 30) + 7,
        points,
        model: ImplicitModel::Fluid(of),
        radius_m,
        mass_kg,
        pinned: Vec::new(),
        blending: Blending::Controlled,
        cell_m: 0.4 * radius_m,
        surface: feel(0.0),
    }
}

fn glass(name: &str, mesh: TriMesh, z: f64) -> BodySpec {
    BodySpec {
        name: name.into(),
        kind: BodyKind::Static,
        shape: Shape::of(mesh).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, z),
        material: feel(0.1),
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

/// As in `config/fluid.toml`: round, radius 60 mm, its floor at -40 mm.
fn cup() -> Vec<BodySpec> {
    let bottom = shapes::cuboid(&Vec3::new(0.08, 0.08, 0.01)).unwrap();
    let wall = shapes::block_with_round_hole(&Vec3::new(0.08, 0.08, 0.03), 0.06, 48).unwrap();
    vec![glass("bottom", bottom, -0.05), glass("cup", wall, -0.0095)]
}

/// A table with its top at 0.
fn table() -> Vec<BodySpec> {
    let mesh = shapes::cuboid(&Vec3::new(0.2, 0.2, 0.01)).unwrap();
    vec![glass("table", mesh, -0.01)]
}

fn in_cup(middle_z: f64, of: FluidMaterial) -> ImplicitSpec {
    liquid(
        drops([9, 9, 4], 0.006, middle_z, Some(0.055)),
        0.006,
        0.6,
        of,
    )
}

/// The scene as the daemon begins it, with a ball in the hand.
fn scene(bodies: &[ImplicitSpec], rigid: Vec<BodySpec>) -> Fixture {
    let tool = (ToolShape::sphere(RADIUS_M), None);
    let mut fixture = Fixture::of((&[], bodies), rigid, 0, tool);
    fixture.soft.settle();
    fixture
}

fn places(fixture: &Fixture, body: usize) -> Vec<Vec3> {
    let mut states = SkinStates::default();
    fixture.soft.skin_states(&mut states);
    let all = states.bodies[body].primitives.iter();
    all.map(|p| p.heart()).collect()
}

/// Height of the highest drop.
fn top(fixture: &Fixture) -> f64 {
    let heights = places(fixture, 0).into_iter().map(|at| at.z);
    heights.fold(f64::MIN, f64::max)
}

#[test]
fn a_liquid_is_at_rest_when_the_scene_begins() {
    let block = |of| liquid(drops([6, 6, 4], 0.006, 0.03, None), 0.006, 0.2, of);
    let fine = drops([14, 14, 6], 0.004, -0.014, Some(0.055));
    for (what, spec, rigid) in [
        ("syrup in a cup", in_cup(-0.012, SYRUP), cup()),
        ("a thin one", in_cup(-0.012, THIN), cup()),
        ("from 60 mm above", in_cup(0.05, SYRUP), cup()),
        ("smaller drops", liquid(fine, 0.004, 0.6, SYRUP), cup()),
        ("a puddle", block(SYRUP), table()),
    ] {
        let radius_m = spec.radius_m;
        let mut fixture = scene(std::slice::from_ref(&spec), rigid.clone());
        let away = Vec3::new(0.0, 0.0, 0.3);
        let mut highest = top(&fixture);
        for _ in 0..500 {
            fixture.go(away, away, 4);
            highest = highest.max(top(&fixture));
        }
        let level = top(&fixture);
        assert!(
            highest < level + 0.003,
            "{what}: up to {highest} m, at rest {level} m"
        );
        // 10 mm above it nothing is felt from the first tick on.
        let hover = Vec3::new(0.0, 0.0, level + radius_m + 0.01 + RADIUS_M);
        let mut fixture = scene(&[spec], rigid);
        let felt = fixture.go(hover, hover, 2000);
        let most_n = felt.iter().map(|f| f.norm()).fold(0.0, f64::max);
        assert!(most_n < 1e-9, "{what}: {most_n} N in the air");
        // The liquid is there: half way to the floor something yields.
        let ground = places(&fixture, 0)
            .iter()
            .map(|at| at.z)
            .fold(level, f64::min);
        let felt = fixture.go(hover, Vec3::new(0.0, 0.0, 0.5 * (level + ground)), 500);
        let most_n = felt.iter().map(|f| f.norm()).fold(0.0, f64::max);
        assert!(most_n > 0.02, "{what}: {most_n} N in it");
    }
}

#[test]
fn what_finds_no_ground_starts_where_it_was_put_and_nothing_else_moves() {
    let spring = ImplicitSpec {
        name: "jelly".into(),
        id: (1 << 30) + 8,
        model: ImplicitModel::Springs {
            spacing_m: 0.012,
            stiffness_n_m: 400.0,
            damping_s: 0.01,
        },
        ..in_cup(0.3, SYRUP)
    };
    let falls = in_cup(-0.3, SYRUP);
    for bodies in [
        [falls.clone(), spring.clone()],
        [in_cup(-0.012, SYRUP), spring.clone()],
    ] {
        let mut fixture = scene(&bodies, cup());
        let [now, jelly] = [places(&fixture, 0), places(&fixture, 1)];
        assert_eq!(jelly, spring.points);
        assert_eq!(now == bodies[0].points, bodies[0] == falls);
        // From then on it falls, as the jelly does.
        let away = Vec3::new(0.0, 0.0, 0.6);
        fixture.go(away, away, 100);
        assert!(places(&fixture, 1)[0].z < spring.points[0].z - 0.03);
        assert_eq!(top(&fixture) < -0.3, bodies[0] == falls);
    }
}

#[test]
fn liquids_settle_the_same_to_the_bit() {
    let [a, b] = [0, 1].map(|_| places(&scene(&[in_cup(-0.012, SYRUP)], cup()), 0));
    assert_eq!(a, b);
    assert!(a.iter().all(|at| at.iter().all(|x| x.is_finite())));
}
