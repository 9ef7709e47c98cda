//! Loose rigid bodies in the soft scene: they fall, push and are pushed, are felt, and are told
//! apart.

use hapticd_deformable::{
    DeformableAddError, DeformableKind, DeformableScene, DeformableSpec, MAX_BODIES, Pinned,
    Substance,
};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::Material;
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

use crate::{Fixture, PERIOD_S, RADIUS_M, STIFFNESS, feel, largest_step, settings, slab};

const STONE_M: f64 = 0.01;
const DENSITY_KG_M3: f64 = 2500.0;
/// Weight of a stone, N.
const WEIGHT_N: f64 =
    9.81 * DENSITY_KG_M3 * 4.0 / 3.0 * std::f64::consts::PI * STONE_M * STONE_M * STONE_M;

fn stones(places: &[Vec3]) -> DeformableSpec {
    DeformableSpec {
        name: "stone".into(),
        id: 1 << 30,
        mesh: shapes::icosphere(STONE_M, 2).unwrap(),
        substance: Substance::Crowd {
            density_kg_m3: DENSITY_KG_M3,
            world_from_mesh: places
                .iter()
                .map(|p| Pose::translation(p.x, p.y, p.z))
                .collect(),
        },
        pinned: Pinned::None,
        surface: feel(0.5),
    }
}

/// A floor with its top at z = 0.
fn floor() -> BodySpec {
    BodySpec {
        name: "floor".into(),
        kind: BodyKind::Static,
        shape: Shape::of(shapes::cuboid(&Vec3::new(0.2, 0.2, 0.01)).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.01),
        restitution: 0.0,
        density_kg_m3: 1000.0,
        material: Material {
            friction: 0.5,
            ..feel(0.0)
        },
    }
}

/// Eight stones in two layers, slightly irregular.
fn heap() -> Vec<Vec3> {
    let at = |i: u32| {
        let bit = |k: u32| f64::from(i >> k & 1);
        Vec3::new(
            0.023 * (bit(0) - 0.5) + 0.004 * bit(2),
            0.023 * (bit(1) - 0.5) + 0.003 * bit(2),
            0.0105 + 0.021 * bit(2),
        )
    };
    (0..8).map(at).collect()
}

const AWAY: Vec3 = Vec3::new(-0.06, 0.001, 0.01);
const BEYOND: Vec3 = Vec3::new(0.06, 0.001, 0.01);

/// Centres of all bodies of the soft scene, from their points.
fn middles(fixture: &Fixture) -> Vec<Vec3> {
    fixture
        .soft
        .surfaces()
        .map(|(_, points)| points.iter().sum::<Vec3>() / points.len() as f64)
        .collect()
}

/// The stones are pushed aside all along the path, none gets under the floor, and the hand feels
/// them and then nothing.
#[test]
fn a_hand_goes_through_a_heap_and_pushes_it_aside() {
    for late in [0, 4, 20] {
        let mut fixture = Fixture::new(&[stones(&heap())], vec![floor()], late);
        fixture.go(AWAY, AWAY, 300);
        let before = middles(&fixture);
        // The upper layer has rolled off the lower.
        assert!(before.iter().all(|p| p.norm() < 0.12), "{before:?}");
        let forces = fixture.go(AWAY, BEYOND, 600);
        let against = forces.iter().map(|f| f.x).fold(f64::INFINITY, f64::min);
        // Friction and inertia of some stones; the coupling would hold the hand back with 0.12 m
        // times its stiffness before a wall.
        assert!(
            against < -0.3 * WEIGHT_N && against > -0.25 * 0.12 * STIFFNESS,
            "{late} late: {against} N, a stone weighs {WEIGHT_N}"
        );
        let most = STIFFNESS * PERIOD_S * (2.0 * 0.2 + 0.1 + 0.2);
        let step = largest_step(&forces);
        assert!(
            step <= most,
            "{late} late: {step} N in a tick, {most} allowed"
        );
        let moved = middles(&fixture);
        let farthest = (before.iter().zip(&moved)).map(|(a, b)| (b - a).x);
        let farthest = farthest.fold(0.0, f64::max);
        assert!(farthest > 0.02, "{late} late: {farthest} m");
        // No stone is in the floor by more than the sagitta of a facet, and none is thrown.
        for (_, points) in fixture.soft.surfaces() {
            let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            let high = points.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
            assert!(low > -1e-3 && high < 0.06, "{late} late: {low} to {high}");
        }
        let away = Vec3::new(0.06, 0.001, 0.05);
        fixture.go(BEYOND, away, 200);
        let free = fixture.go(away, away, 200);
        assert_eq!(free[199], Vec3::zeros());
    }
}

/// The upper layer falls off the lower, rolls, and then all lie still.
#[test]
fn a_heap_comes_to_rest() {
    let mut fixture = Fixture::new(&[stones(&heap())], vec![floor()], 0);
    let hand = Vec3::new(0.0, 0.0, 0.15);
    fixture.go(hand, hand, 1000);
    let before = middles(&fixture);
    fixture.go(hand, hand, 3000);
    let rest = middles(&fixture);
    fixture.go(hand, hand, 1000);
    let now = middles(&fixture);
    let way = |a: &[Vec3], b: &[Vec3]| {
        let ways = a.iter().zip(b).map(|(a, b)| (b - a).norm());
        ways.fold(0.0, f64::max)
    };
    assert!(way(&before, &rest) > 0.005, "nothing has rolled");
    assert!(
        way(&rest, &now) < 1e-4,
        "{} m in a second",
        way(&rest, &now)
    );
}

/// The loop extrapolates moving objects: a stone that falls onto the tool is reported with its
/// velocity.
#[test]
fn what_falls_is_told_with_its_speed() {
    let hand = Vec3::new(0.0, 0.0, 0.0);
    let mut fixture = Fixture::new(&[stones(&[Vec3::new(0.0, 0.0, 0.05)])], Vec::new(), 0);
    let falling = loop {
        fixture.go(hand, hand, 1);
        assert!(fixture.tick < 200, "it is never near");
        if let Some((_, answer)) = fixture.soft_answers.back()
            && !answer.tracked.is_empty()
        {
            break &answer.surfaces[0];
        }
    };
    // The tool's top is 35 mm below its lowest point, and it is near from 4 mm on.
    let fallen = 0.05 - middles(&fixture)[0].z;
    let speed = (2.0 * 9.81 * fallen).sqrt();
    assert!(!falling.velocities.is_empty());
    for v in &falling.velocities {
        let off = (v.cast::<f64>() + Vec3::new(0.0, 0.0, speed)).norm();
        assert!(off < 0.05 * speed, "{v:?}, fallen {fallen} m: {speed} m/s");
    }
}

/// Pressed onto the floor, a stone is a wall: hand, tool, stone and floor in a row.
#[test]
fn a_stone_between_tool_and_floor_holds() {
    let mut fixture = Fixture::new(&[stones(&[Vec3::new(0.0, 0.0, STONE_M)])], vec![floor()], 4);
    let above = Vec3::new(0.0, 0.0, 0.035);
    let below = Vec3::new(0.0, 0.0, 0.022);
    fixture.go(above, above, 100);
    fixture.go(above, below, 300);
    let held = fixture.go(below, below, 300);
    let last = held[299];
    let clear = fixture.proxy().z - RADIUS_M - 2.0 * STONE_M;
    assert!(clear.abs() < 5e-4, "{clear} m between tool and stone");
    assert!((last.z - STIFFNESS * (fixture.proxy().z - below.z)).abs() < 1e-9);
    assert!(last.z > 0.8, "{last:?}");
    assert!(largest_step(&held[200..]) < 0.02);
}

/// A stone sinks into soft tissue until the tissue carries it, and stays in contact.
#[test]
fn soft_bodies_push_and_are_pushed_by_a_crowd() {
    let young_pa = 4e3;
    let mut tissue = slab(young_pa);
    tissue.id = 1 << 29;
    let start = Vec3::new(0.001, 0.002, STONE_M + 0.001);
    let mut fixture = Fixture::new(&[tissue, stones(&[start])], Vec::new(), 0);
    let hand = Vec3::new(0.0, 0.0, 0.08);
    fixture.go(hand, hand, 1500);
    let dent = STONE_M - middles(&fixture)[1].z;
    // Hertz, as in the press of a tool.
    let stiffness = 4.0 / 3.0 * young_pa / (1.0 - 0.4 * 0.4) * STONE_M.sqrt();
    let hertz = (WEIGHT_N / stiffness).powf(2.0 / 3.0);
    assert!(
        (0.5..2.0).contains(&(dent / hertz)),
        "{dent} m, Hertz {hertz}"
    );
    let (_, surface) = fixture.soft.surfaces().next().unwrap();
    let under = surface.iter().filter(|p| p.xy().norm() < 0.004);
    let under = under
        .map(|p| p.z)
        .filter(|z| *z > -0.005)
        .fold(0.0, f64::min);
    assert!(
        under < -0.4 * dent,
        "the tissue went to {under}, the stone to {dent}"
    );
    let before = middles(&fixture)[1];
    fixture.go(hand, hand, 500);
    let crept = (middles(&fixture)[1] - before).norm();
    assert!(crept < 5e-4, "{crept} m in half a second");
}

#[test]
fn each_of_a_crowd_has_its_name_and_number() {
    let fixture = Fixture::new(&[stones(&heap())], vec![floor()], 0);
    let infos = fixture.soft.infos();
    let ids: Vec<u32> = infos.iter().map(|info| info.id).collect();
    assert_eq!(ids, ((1 << 30)..(1 << 30) + 8).collect::<Vec<u32>>());
    assert_eq!(
        (infos[0].name.as_str(), infos[7].name.as_str()),
        ("stone 1", "stone 8")
    );
    assert!(infos.iter().all(|info| info.kind == DeformableKind::Crowd));
    let surfaces: Vec<_> = fixture.soft.surfaces().collect();
    for ((id, points), (info, place)) in surfaces.iter().zip(infos.iter().zip(heap())) {
        assert_eq!((*id, points.len()), (info.id, info.points));
        let out = |p: &Vec3| ((p - place).norm() - STONE_M).abs();
        assert!(points.iter().map(out).fold(0.0, f64::max) < 1e-8);
    }
}

#[test]
fn equal_queries_give_equal_forces_among_stones() {
    let run = || {
        let mut fixture = Fixture::new(&[stones(&heap())], vec![floor()], 4);
        fixture.go(AWAY, Vec3::new(0.0, 0.001, 0.01), 400)
    };
    let forces = run();
    assert!(forces.iter().any(|f| f.norm() > 0.0));
    assert_eq!(forces, run());
}

#[test]
fn what_cannot_be_a_crowd_is_refused() {
    let world = Scene::new(1e-5, 64);
    let new =
        |specs: &[DeformableSpec]| DeformableScene::new(settings(), specs, &[], &world).map(|_| ());
    let mut open = stones(&heap());
    open.mesh = shapes::sheet(0.05, 4).unwrap();
    let mut held = stones(&heap());
    held.pinned = Pinned::Bottom;
    let mut nothing = stones(&heap());
    nothing.substance = Substance::Crowd {
        density_kg_m3: 0.0,
        world_from_mesh: vec![Pose::identity()],
    };
    for spec in [open, held, nothing] {
        let error = new(&[spec]).unwrap_err().to_string();
        assert!(error.contains("`stone`"), "{error}");
    }
    let many = vec![Vec3::zeros(); MAX_BODIES + 1];
    let count = MAX_BODIES + 1;
    assert_eq!(
        new(&[stones(&many)]),
        Err(DeformableAddError::TooMany { count })
    );
    assert_eq!(new(&[stones(&many[1..])]), Ok(()));
}
