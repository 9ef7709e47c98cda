//! Implicit bodies felt by a tool: they carry it, yield, and are where the loop, the mechanics and
//! the skin say.

use std::sync::Arc;

use super::*;
use hapticd_deformable::{Blending, ImplicitModel, Inside, PlacedVolume, SkinMaker, SkinStates};
use hapticd_geometry::Volume;
use hapticd_particles::FluidMaterial;
use hapticd_proxy::Sampled;

const BODY: u32 = (1 << 30) + 7;

fn spec(points: Vec<Vec3>, model: ImplicitModel) -> ImplicitSpec {
    ImplicitSpec {
        name: "blob".into(),
        id: BODY,
        points,
        model,
        radius_m: 0.008,
        mass_kg: 0.1,
        pinned: Vec::new(),
        blending: Blending::Free,
        cell_m: 0.003,
        surface: feel(0.3),
    }
}

/// An elastic slab of 7 by 7 by 2 spheres around the origin, its lower layer held.
fn mat() -> ImplicitSpec {
    let mut points = Vec::new();
    for z in 0..2 {
        for y in -3..=3 {
            for x in -3..=3 {
                points.push(Vec3::new(f64::from(x), f64::from(y), f64::from(z) - 1.0) * 0.01);
            }
        }
    }
    ImplicitSpec {
        pinned: (0..49).collect(),
        ..spec(
            points,
            ImplicitModel::Springs {
                spacing_m: 0.01,
                stiffness_n_m: 400.0,
                damping_s: 0.01,
            },
        )
    }
}

fn fixture(bodies: &[ImplicitSpec], rigid: Vec<BodySpec>, late: u64) -> Fixture {
    let tool = ToolShape::sphere(RADIUS_M);
    Fixture::of((&[], bodies), rigid, late, (tool, None))
}

fn floor() -> BodySpec {
    let mesh = shapes::cuboid(&Vec3::new(0.2, 0.2, 0.01)).unwrap();
    BodySpec {
        name: "floor".into(),
        kind: BodyKind::Static,
        shape: Shape::of(mesh).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.03),
        material: feel(0.3),
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

fn states(fixture: &Fixture) -> SkinStates {
    let mut states = SkinStates::default();
    fixture.soft.skin_states(&mut states);
    states
}

/// Distance from the tool's ball to the visible skin, m.
fn seen_gap_m(fixture: &Fixture) -> f64 {
    let spec = fixture.soft.skin_specs().next().unwrap();
    let mut maker = SkinMaker::new(spec, 1_000_000, f64::INFINITY).unwrap();
    let made = maker.make(&states(fixture).bodies[0]).unwrap();
    assert!(made.check.is_sound() && made.rung == 0, "{made:?}");
    let centre = fixture.engine.output().arms[0].proxy.translation.vector;
    let mesh = maker.mesh();
    let points = mesh.points.iter().map(|p| Vec3::from(p.map(f64::from)));
    points
        .map(|p| (p - centre).norm())
        .fold(f64::INFINITY, f64::min)
        - RADIUS_M
}

#[test]
fn a_pressed_body_gives_way_and_pushes_back_and_lies_against_the_tool_where_it_is_seen() {
    for late in [0, 12] {
        let mut fixture = fixture(&[mat()], Vec::new(), late);
        fixture.go(Vec3::new(0.0, 0.0, 0.04), Vec3::new(0.0, 0.0, 0.02), 200);
        let down = fixture.go(Vec3::new(0.0, 0.0, 0.02), Vec3::new(0.0, 0.0, 0.006), 1500);
        let rest = fixture.go(Vec3::new(0.0, 0.0, 0.006), Vec3::new(0.0, 0.0, 0.006), 1000);
        let last = rest[rest.len() - 1];
        assert!(last.z > 0.5, "late {late}: {last:?}");
        assert!(last.xy().norm() < 0.05 * last.z, "straight up: {last:?}");
        // It rises as the hand goes down, and does not jump.
        let jump = down
            .windows(2)
            .map(|w| (w[1] - w[0]).norm())
            .fold(0.0, f64::max);
        assert!(jump < 0.06, "late {late}: {jump} N in a tick");
        let tail = &rest[rest.len() - 200..];
        let [low, high] = [f64::min, f64::max].map(|f| tail.iter().map(|v| v.z).fold(last.z, f));
        assert!(
            high - low < 0.01 * last.z,
            "late {late}: {low} to {high} N at rest"
        );
        let contact = fixture.engine.output().arms[0].contacts[0];
        assert_eq!(contact.body, BODY);
        // The mesh's points lie on both sides of the nearest place.
        let gap_m = seen_gap_m(&fixture);
        assert!(
            gap_m.abs() < 0.0003,
            "late {late}: {gap_m} m between tool and skin"
        );
        // The rest of the slab lies where it lay.
        let moved = states(&fixture).bodies[0].primitives[49 + 24].heart();
        assert!(moved.z < -0.001, "the middle has given way: {moved:?}");
    }
}

#[test]
fn a_tool_that_is_put_down_inside_feels_nothing_until_it_has_been_out() {
    let mut fixture = fixture(&[mat()], Vec::new(), 0);
    let inside = Vec3::new(0.0, 0.0, 0.0);
    let stays = fixture.go(inside, inside, 300);
    assert!(stays.iter().all(|f| f.norm() < 1e-9));
    fixture.go(inside, Vec3::new(0.0, 0.0, 0.03), 400);
    fixture.go(Vec3::new(0.0, 0.0, 0.03), Vec3::new(0.0, 0.0, 0.006), 800);
    let force = fixture.go(Vec3::new(0.0, 0.0, 0.006), Vec3::new(0.0, 0.0, 0.006), 400);
    assert!(force[399].z > 0.5, "{:?}", force[399]);
}

#[test]
fn a_strand_falls_on_a_rigid_floor_and_lies_there() {
    let points = (0..12).map(|i| Vec3::new(0.008 * f64::from(i) - 0.044, 0.0, 0.02));
    let strand = spec(
        points.collect(),
        ImplicitModel::Strand {
            stretch_n: 50.0,
            bend_n_m2: 1e-5,
            damping_s: 0.01,
        },
    );
    let mut fixture = fixture(&[strand], vec![floor()], 0);
    let away = Vec3::new(0.3, 0.0, 0.3);
    fixture.go(away, away, 3000);
    let state = &states(&fixture).bodies[0];
    for (primitive, velocity) in state.primitives.iter().zip(&state.velocities) {
        let z = primitive.heart().z;
        assert!((z - (-0.02 + 0.008)).abs() < 2e-4, "{z}");
        assert!(velocity.norm() < 2e-3, "{velocity:?}");
    }
}

#[test]
fn a_kinematic_floor_carries_what_lies_on_it_and_one_that_goes_lets_it_fall() {
    let points = (0..3).map(|i| Vec3::new(0.012 * f64::from(i), 0.0, -0.011));
    let drops = spec(
        points.collect(),
        ImplicitModel::Fluid(FluidMaterial::default()),
    );
    let mut fixture = fixture(&[drops], vec![floor()], 0);
    let away = Vec3::new(0.3, 0.0, 0.3);
    fixture.go(away, away, 1000);
    let height = |fixture: &Fixture| states(fixture).bodies[0].primitives[1].heart().z;
    assert!(
        (height(&fixture) + 0.012).abs() < 3e-4,
        "{}",
        height(&fixture)
    );
    let key = fixture.world.infos().next().unwrap().key;
    fixture.soft.remove_body(key);
    fixture.go(away, away, 200);
    assert!(height(&fixture) < -0.1, "{}", height(&fixture));
}

#[test]
fn a_box_in_the_hand_is_carried_by_what_its_points_do_not_reach() {
    // A face of 24 mm without a point in it, on one sphere.
    let ball = ImplicitSpec {
        pinned: vec![0],
        ..spec(vec![Vec3::zeros()], ImplicitModel::Fixed)
    };
    let mesh = shapes::cuboid(&Vec3::new(0.012, 0.012, 0.004)).unwrap();
    let tool = ToolShape::mesh(mesh.positions(), true);
    let mut fixture = Fixture::of((&[], &[ball]), Vec::new(), 0, (tool, Some(mesh)));
    fixture.go(Vec3::new(0.0, 0.0, 0.04), Vec3::new(0.0, 0.0, 0.007), 1000);
    let force = fixture.go(Vec3::new(0.0, 0.0, 0.007), Vec3::new(0.0, 0.0, 0.007), 500);
    let last = force[499];
    // A body that cannot yield holds the box 12 mm up: the coupling is stretched by 5 mm.
    assert!((last.z - 0.005 * STIFFNESS).abs() < 0.1, "{last:?}");
    let z = fixture.engine.output().arms[0].proxy.translation.z;
    assert!((z - 0.012).abs() < 2e-4, "{z}");
}

#[test]
fn the_same_queries_make_the_same_bodies_to_the_bit() {
    let run = || {
        let mut fixture = fixture(&[mat()], vec![floor()], 3);
        let force = fixture.go(
            Vec3::new(0.01, 0.0, 0.03),
            Vec3::new(-0.01, 0.0, 0.004),
            800,
        );
        let state = states(&fixture).bodies.remove(0);
        let places: Vec<Vec3> = state.primitives.iter().map(|p| p.heart()).collect();
        (force, places, state.velocities)
    };
    assert_eq!(run(), run());
}

#[test]
fn what_is_no_body_is_refused_with_its_name() {
    let (world, _) = (Scene::new(1e-5, 64), ());
    let refused = |spec: ImplicitSpec| {
        DeformableScene::new(settings(), &[], &[spec], &world)
            .unwrap_err()
            .to_string()
    };
    let springs = mat().model;
    let none = refused(spec(Vec::new(), springs.clone()));
    assert_eq!(none, "`blob`: no point");
    let nowhere = refused(spec(vec![Vec3::repeat(f64::NAN); 2], springs.clone()));
    assert!(nowhere.contains("not finite"), "{nowhere}");
    for spoil in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let radius = ImplicitSpec {
            radius_m: spoil,
            ..mat()
        };
        assert!(refused(radius).contains("radius_m"));
        let cell = ImplicitSpec {
            cell_m: spoil,
            ..mat()
        };
        assert!(refused(cell).contains("cell_m"));
    }
    let pinned = ImplicitSpec {
        pinned: vec![98],
        ..mat()
    };
    assert_eq!(refused(pinned), "`blob`: pinned sphere 98: there are 98");
}

#[test]
fn a_tool_in_the_middle_of_a_thick_body_is_not_out_of_it() {
    let at = |i: i32| Vec3::new(f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49));
    let points = (0..343).map(|i| 0.006 * (at(i).add_scalar(-3.0)));
    let block = spec(points.collect(), ImplicitModel::Fixed);
    let mut fixture = fixture(&[block], Vec::new(), 0);
    let inside = Vec3::zeros();
    let way = fixture.go(inside, Vec3::new(0.0, 0.0, 0.025), 800);
    let felt = way.iter().map(Vec3::norm).fold(0.0, f64::max);
    assert!(felt < 1e-9, "{felt} N on the way out");
}

#[test]
fn a_box_in_the_hand_is_carried_by_the_highest_of_many() {
    // All are near enough to be sent, and only the last one carries.
    let ring = |i: i32| {
        let (sin, cos) = (0.3 * f64::from(i)).sin_cos();
        let r = 0.006 + 0.0003 * f64::from(i % 20);
        Vec3::new(r * cos, r * sin, -0.016)
    };
    let points = (0..40).map(ring).chain([Vec3::new(0.0, 0.0, 0.0)]);
    let body = spec(points.collect(), ImplicitModel::Fixed);
    let mesh = shapes::cuboid(&Vec3::new(0.014, 0.014, 0.004)).unwrap();
    let tool = ToolShape::mesh(mesh.positions(), true);
    let mut fixture = Fixture::of((&[], &[body]), Vec::new(), 0, (tool, Some(mesh)));
    fixture.go(Vec3::new(0.0, 0.0, 0.04), Vec3::new(0.0, 0.0, 0.007), 1000);
    fixture.go(Vec3::new(0.0, 0.0, 0.007), Vec3::new(0.0, 0.0, 0.007), 300);
    let z = fixture.proxy().z;
    assert!((z - 0.012).abs() < 5e-4, "{z}");
}

/// Observation has no effect: forces and positions are the same bits whether skins are made or not.
#[test]
fn making_skins_changes_no_bit_of_what_is_felt() {
    let run = |look: bool| {
        let mut fixture = fixture(&[mat()], Vec::new(), 3);
        let spec = fixture.soft.skin_specs().next().unwrap();
        let mut maker = SkinMaker::new(spec, 1_000_000, f64::INFINITY).unwrap();
        let (mut forces, mut frames) = (Vec::new(), 0);
        for k in 0..40 {
            let at = |k: i32| Vec3::new(0.0005 * f64::from(k), 0.0, 0.03 - 0.0007 * f64::from(k));
            forces.extend(fixture.go(at(k), at(k + 1), 25));
            if look {
                let made = maker.make(&states(&fixture).bodies[0]).unwrap();
                frames += u32::from(made.check.is_sound());
            }
        }
        assert_eq!(frames, if look { 40 } else { 0 });
        let at: Vec<_> = (states(&fixture).bodies[0].primitives.iter())
            .map(|p| p.bounds().0.map(f64::to_bits))
            .collect();
        let forces: Vec<_> = forces.iter().map(|f| f.map(f64::to_bits)).collect();
        assert!(forces.iter().any(|f| f.z != 0));
        (forces, at)
    };
    assert_eq!(run(false), run(true));
}

/// A ball of 25 mm around the origin, in samples 2 mm apart that are flat from 4 mm on.
fn sampled_ball() -> ImplicitSpec {
    let frame = Pose::translation(-0.04, -0.04, -0.04);
    let mut samples = Vec::new();
    for k in 0..41 * 41 * 41 {
        let at = [k % 41, k / 41 % 41, k / 1681].map(|i| 0.002 * f64::from(i) - 0.04);
        let away = Vec3::from(at).norm() - 0.025;
        samples.push((0.5 - away / 0.008).clamp(0.0, 1.0) as f32);
    }
    let volume = Volume::new(frame, [0.002; 3], [41; 3], samples).unwrap();
    let inside = Inside {
        level: 0.5,
        below: false,
    };
    let named = ("ball".to_owned(), BODY);
    ImplicitSpec::of_volume(
        named,
        PlacedVolume {
            volume,
            world_from_volume: &Pose::identity(),
            unit_m: 1.0,
            inside,
        },
        None,
        feel(0.3),
    )
    .unwrap()
}

#[test]
fn samples_are_pressed_as_a_ball_of_their_shape_would_be_and_are_felt_where_they_are_seen() {
    for late in [0, 12] {
        let mut fixture = fixture(&[sampled_ball()], Vec::new(), late);
        let above = |z: f64| Vec3::new(0.0, 0.0, 0.025 + RADIUS_M + z);
        fixture.go(above(0.02), above(0.002), 300);
        let free = fixture.go(above(0.002), above(0.001), 100);
        assert!(
            free.iter().all(|f| f.norm() < 1e-9),
            "nothing is felt before it is touched"
        );
        let down = fixture.go(above(0.001), above(-0.004), 1000);
        let rest = fixture.go(above(-0.004), above(-0.004), 600);
        let last = rest[rest.len() - 1];
        // As deep as the hand, by whichever spring is softer.
        let spring = STIFFNESS.min(feel(0.3).stiffness_n_per_m);
        assert!(
            (last.z / (0.004 * spring) - 1.0).abs() < 0.1,
            "late {late}: {last:?}"
        );
        assert!(last.xy().norm() < 0.02 * last.z, "straight up: {last:?}");
        let jumps = down.windows(2).map(|w| (w[1] - w[0]).norm());
        let jump = jumps.fold(0.0, f64::max);
        assert!(jump < 0.06, "late {late}: {jump} N in a tick");
        let centre = fixture.engine.output().arms[0].proxy.translation.vector;
        assert!(
            (centre.norm() - 0.025 - RADIUS_M).abs() < 0.0002,
            "{centre:?}"
        );
        assert!(
            seen_gap_m(&fixture).abs() < 0.0003,
            "{}",
            seen_gap_m(&fixture)
        );
        // Around to the side, pressed in: never deeper than a tenth of a sample, and no ticks are
        // felt.
        let around = |k: u32| {
            let (sin, cos) = (0.001 * f64::from(k)).sin_cos();
            Vec3::new(sin, 0.0, cos) * (0.021 + RADIUS_M)
        };
        let mut forces = Vec::new();
        for k in 0..1000 {
            forces.extend(fixture.go(around(k), around(k + 1), 1));
            let centre = fixture.engine.output().arms[0].proxy.translation.vector;
            let deep_m = 0.025 + RADIUS_M - centre.norm();
            assert!(deep_m < 0.0002, "late {late}, {k}: {deep_m} m deep");
        }
        let jumps = forces.windows(2).map(|w| (w[1] - w[0]).norm());
        let jump = jumps.skip(20).fold(0.0, f64::max);
        assert!(
            jump < 0.06,
            "late {late}: {jump} N in a tick along the surface"
        );
    }
}

#[test]
fn a_box_lies_on_samples_at_its_side() {
    let mesh = shapes::cuboid(&Vec3::new(0.02, 0.02, 0.005)).unwrap();
    let tool = ToolShape::mesh(mesh.positions(), true);
    let mut fixture = Fixture::of((&[], &[sampled_ball()]), Vec::new(), 0, (tool, Some(mesh)));
    let above = |z: f64| Vec3::new(0.0, 0.0, 0.03 + z);
    fixture.go(above(0.02), above(0.002), 400);
    fixture.go(above(0.002), above(-0.003), 800);
    let rest = fixture.go(above(-0.003), above(-0.003), 600);
    let last = rest[rest.len() - 1];
    assert!(last.z > 1.0 && last.xy().norm() < 0.05 * last.z, "{last:?}");
    let z = fixture.engine.output().arms[0].proxy.translation.vector.z;
    assert!((z - 0.03).abs() < 0.0003, "{z}");
}

#[test]
fn drops_lie_on_samples_and_do_not_get_in() {
    let mut points = Vec::new();
    for k in 0..27 {
        let at = [k % 3, k / 3 % 3, k / 9].map(|i| 0.01 * f64::from(i) - 0.01);
        points.push(Vec3::from(at) + Vec3::new(0.0, 0.0, 0.05));
    }
    let material = FluidMaterial::default();
    let fluid = ImplicitSpec {
        name: "drops".into(),
        id: BODY + 1,
        radius_m: 0.005,
        ..spec(points, ImplicitModel::Fluid(material))
    };
    let mut fixture = fixture(&[sampled_ball(), fluid], Vec::new(), 0);
    let away = Vec3::new(0.3, 0.0, 0.3);
    let mut nearest = f64::INFINITY;
    for _ in 0..150 {
        fixture.go(away, away, 10);
        let drops = &states(&fixture).bodies[1].primitives;
        let far = drops.iter().map(|p| p.heart().norm());
        nearest = far.fold(nearest, f64::min);
    }
    // Down to it, along it and off, never into it.
    assert!((0.0285..0.0305).contains(&nearest), "{nearest}");
}

#[test]
fn a_tool_that_is_put_down_inside_samples_is_felt_when_it_has_been_out() {
    let mut fixture = fixture(&[sampled_ball()], Vec::new(), 0);
    let inside = Vec3::new(0.003, 0.0, 0.004);
    let stays = fixture.go(inside, inside, 300);
    assert!(stays.iter().all(|f| f.norm() < 1e-9));
    fixture.go(inside, Vec3::new(0.0, 0.0, 0.05), 400);
    fixture.go(Vec3::new(0.0, 0.0, 0.05), Vec3::new(0.0, 0.0, 0.027), 800);
    let force = fixture.go(Vec3::new(0.0, 0.0, 0.027), Vec3::new(0.0, 0.0, 0.027), 400);
    assert!(force[399].z > 0.5, "{:?}", force[399]);
}

#[test]
fn samples_of_another_level_are_refused_and_too_many_triangles_are_fewer_and_coarser() {
    let good = sampled_ball();
    let ImplicitModel::Sampled(sampled) = &good.model else {
        panic!("{:?}", good.model);
    };
    let other = Sampled::new(sampled.grid().clone(), 0.4).unwrap();
    let named = ("other".to_owned(), BODY);
    let bad = ImplicitSpec::of_samples(named, Arc::new(other), 0.002, feel(0.3));
    let world = Scene::new(1e-5, 64);
    let error = DeformableScene::new(settings(), &[], &[bad], &world)
        .err()
        .unwrap();
    assert!(
        error
            .to_string()
            .contains("its level is 0.4: it has to be 0.5"),
        "{error}"
    );
    let fixture = fixture(&[good], Vec::new(), 0);
    let spec = fixture.soft.skin_specs().next().unwrap();
    let state = &states(&fixture).bodies[0];
    let mut fine = SkinMaker::new(spec.clone(), 1_000_000, f64::INFINITY).unwrap();
    let made = fine.make(state).unwrap();
    assert!(
        made.check.is_sound() && made.rung == 0 && made.felt_m < 0.0001,
        "{made:?}"
    );
    let all = fine.mesh().triangles.len();
    // Made once, and unchanged from then on.
    let mesh = fine.mesh().clone();
    assert_eq!(fine.make(state).unwrap().report, made.report);
    assert_eq!(*fine.mesh(), mesh);
    let mut short = SkinMaker::new(spec, all / 3, 1e-9).unwrap();
    let made = short.make(state).unwrap();
    assert!(made.check.is_sound() && made.rung > 0, "{made:?}");
    assert!(short.mesh().triangles.len() <= all / 3);
}

/// The filling of the cup in `config/fluid.toml`: drops of 6 mm, as the daemon places them.
fn syrup() -> ImplicitSpec {
    let mut points = Vec::new();
    for z in 0..4 {
        for y in 0..9 {
            for x in 0..9 {
                let at = Vec3::new(f64::from(x) - 4.0, f64::from(y) - 4.0, 0.0) * 0.012;
                let z = -0.012 + (f64::from(z) - 1.5) * 0.012;
                // The centre of a drop is inside the cylinder.
                if at.norm() < 0.055 {
                    points.push(at + Vec3::new(0.0, 0.0, z));
                }
            }
        }
    }
    let volume_m3 = std::f64::consts::PI * 0.055 * 0.055 * 0.05;
    ImplicitSpec {
        radius_m: 0.006,
        mass_kg: 1300.0 * volume_m3,
        blending: Blending::Controlled,
        surface: Material {
            stiffness_n_per_m: 200.0,
            damping_n_s_per_m: 1.0,
            friction: 0.0,
            force_shading: false,
        },
        ..spec(
            points,
            ImplicitModel::Fluid(FluidMaterial {
                stiffness_n_m: 150.0,
                cohesion_n_m: 15.0,
                viscosity_1_s: 60.0,
                ..FluidMaterial::default()
            }),
        )
    }
}

/// The cup.
fn cup() -> Vec<BodySpec> {
    let glass = |name: &str, mesh: TriMesh, z: f64| BodySpec {
        name: name.into(),
        kind: BodyKind::Static,
        shape: Shape::of(mesh).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, z),
        material: feel(0.1),
        restitution: 0.0,
        density_kg_m3: 1000.0,
    };
    let bottom = shapes::cuboid(&Vec3::new(0.08, 0.08, 0.01)).unwrap();
    let wall = shapes::block_with_round_hole(&Vec3::new(0.08, 0.08, 0.03), 0.06, 48).unwrap();
    vec![glass("bottom", bottom, -0.05), glass("cup", wall, -0.0095)]
}

/// A hand stirs the syrup at 0.05 m/s; drops carry the tool at 0.3 m/s and let it fall as fast.
fn stirred(ticks: u32, mut each: impl FnMut(u32, &Vec3, &ArmOutcome)) {
    let tool = ToolShape::sphere(0.008);
    let mut fixture = Fixture::of((&[], &[syrup()]), cup(), 4, (tool, None));
    for k in 0..ticks {
        let t = f64::from(k) * PERIOD_S;
        let r = 0.03 * (t / 0.5).min(1.0);
        let z = (0.0432 - 0.1 * t).max(-0.018);
        let at = Vec3::new(r * (1.7 * t).sin(), r * (1.3 * t).cos(), z);
        let hand = Pose::from_parts(at.into(), nalgebra::UnitQuaternion::identity());
        each(k, &at, &fixture.tick(&hand));
    }
}

#[test]
fn a_liquid_that_carries_a_tool_does_not_outrun_its_answers() {
    let (mut starved, mut touched, mut fast) = (0, 0, 0);
    let mut before: Option<Vec3> = None;
    stirred(3000, |_, _, out| {
        let proxy = out.proxy.translation.vector;
        starved += u32::from(out.starved);
        touched += u32::from(out.contact_count > 0);
        fast += u32::from(before.is_some_and(|b| (proxy - b).norm() > 0.15 * PERIOD_S));
        before = Some(proxy);
    });
    assert!(
        touched > 1500 && fast > 500,
        "{touched} touched, {fast} fast"
    );
    assert!(starved < 15, "starved in {starved} of 3000 ticks");
}

#[test]
fn drops_that_close_on_a_tool_do_not_throw_it() {
    let mut last: Option<f64> = None;
    let mut grew = 0.0_f64;
    stirred(6000, |k, hand, out| {
        // From the time at which the liquid has settled.
        let stretch = (out.proxy.translation.vector - hand).norm();
        if k > 600
            && let Some(last) = last
        {
            grew = grew.max(stretch - last);
        }
        last = Some(stretch);
    });
    // The hand's step, that of the fastest drop, and the push out of drops.
    assert!(grew < 0.8e-3, "by {grew} m in a tick");
}
