//! Soft bodies, cloth and crowds felt by a tool: soft scene, rigid scene and loop together, in
//! virtual time.

mod crowd;
mod guests;
mod implicit;
mod liquids;
mod neighbours;

use std::collections::VecDeque;

use hapticd_deformable::{
    DeformableScene, DeformableSettings, DeformableSpec, ImplicitSpec, Pinned, Substance,
};
use hapticd_geometry::{Pose, TriMesh, Vec3, refined, shapes};
use hapticd_proxy::{
    ArmOutcome, ArmSetup, Damping, DeformableSnapshot, Distances, Engine, Gains, Interaction,
    MAX_ARMS, Material, Snapshot, TickInput, ToolShape,
};
use hapticd_scene::{BodyKind, BodySpec, BroadPhaseKind, Scene, Shape};
use hapticd_xpbd::{ClothMaterial, SoftMaterial};

const RADIUS_M: f64 = 0.005;
const STIFFNESS: f64 = 500.0;
const PERIOD_S: f64 = 1e-3;

fn feel(friction: f64) -> Material {
    Material {
        stiffness_n_per_m: 1000.0,
        damping_n_s_per_m: 0.5,
        friction,
        force_shading: false,
    }
}

fn settings() -> DeformableSettings {
    DeformableSettings {
        step_ticks: 4,
        substeps: 8,
        gravity_m_s2: Vec3::new(0.0, 0.0, -9.81),
        period_s: PERIOD_S,
        broad_phase: BroadPhaseKind::default(),
    }
}

/// Tissue of 60 mm by 60 mm by 20 mm, its top at z = 0, held at its bottom.
fn slab(young_pa: f64) -> DeformableSpec {
    let mesh = shapes::cuboid(&Vec3::new(0.03, 0.03, 0.01)).unwrap();
    let mesh = refined(&mesh, 0.006).unwrap();
    DeformableSpec {
        name: "tissue".into(),
        id: 1 << 30,
        mesh: moved(&mesh, &Vec3::new(0.0, 0.0, -0.01)),
        substance: Substance::Soft {
            cells: 12,
            material: SoftMaterial {
                density_kg_m3: 1000.0,
                young_pa,
                poisson: 0.4,
                damping_s: 0.002,
                half_thickness_m: 0.0,
            },
        },
        pinned: Pinned::Bottom,
        surface: feel(0.3),
    }
}

/// A sheet of 100 mm by 100 mm at z = 0, held at its corners.
fn sheet() -> DeformableSpec {
    DeformableSpec {
        name: "leather".into(),
        id: (1 << 30) + 1,
        mesh: shapes::sheet(0.05, 12).unwrap(),
        substance: Substance::Cloth {
            material: ClothMaterial {
                density_kg_m2: 1.0,
                stretch_compliance_m_n: 1e-4,
                bending_compliance_1_nm: Some(1e4),
                damping_s: 0.001,
                half_thickness_m: 0.001,
            },
        },
        pinned: Pinned::Border,
        surface: feel(0.3),
    }
}

fn moved(mesh: &TriMesh, by: &Vec3) -> TriMesh {
    let positions = mesh.positions().iter().map(|p| p + by).collect();
    TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
}

struct Fixture {
    engine: Engine,
    world: Scene,
    soft: DeformableScene,
    late: u64,
    rigid_answers: VecDeque<(u64, Box<Snapshot>)>,
    soft_answers: VecDeque<(u64, Box<DeformableSnapshot>)>,
    tick: u64,
}

impl Fixture {
    fn new(specs: &[DeformableSpec], rigid: Vec<BodySpec>, late: u64) -> Fixture {
        let tool = ToolShape::sphere(RADIUS_M);
        Fixture::with(specs, rigid, late, tool, None)
    }

    fn with(
        specs: &[DeformableSpec],
        rigid: Vec<BodySpec>,
        late: u64,
        tool: ToolShape,
        mesh: Option<TriMesh>,
    ) -> Fixture {
        Fixture::of((specs, &[]), rigid, late, (tool, mesh))
    }

    fn of(
        (specs, implicit): (&[DeformableSpec], &[ImplicitSpec]),
        rigid: Vec<BodySpec>,
        late: u64,
        (tool, mesh): (ToolShape, Option<TriMesh>),
    ) -> Fixture {
        let distances = Distances::for_width(0.2);
        let mut world = Scene::new(distances.clearance_m, 1024);
        world.set_tool(
            0,
            mesh.map_or_else(Shape::point, |mesh| Shape::of(mesh).0),
            tool,
        );
        for body in rigid {
            world.add_body(body).unwrap();
        }
        let soft = DeformableScene::new(settings(), specs, implicit, &world).unwrap();
        let mut setups = [None; MAX_ARMS];
        setups[0] = Some(ArmSetup {
            shape: tool,
            distances,
            gains: Gains {
                stiffness_n_per_m: STIFFNESS,
                damping_n_s_per_m: 0.0,
                rotational_stiffness_nm_per_rad: 0.5,
                rotational_damping_nm_s_per_rad: 0.0,
            },
            damping: Damping::default(),
            interaction: Interaction::default(),
            pair_budget: 256,
            reach_max_m: 0.05,
            reach_min_m: 0.0008,
        });
        Fixture {
            engine: Engine::new(setups, 0.003),
            world,
            soft,
            late,
            rigid_answers: VecDeque::new(),
            soft_answers: VecDeque::new(),
            tick: 0,
        }
    }

    /// Runs a tick with the hand at that pose; soft answers come `late` ticks late.
    fn tick(&mut self, hand: &Pose) -> ArmOutcome {
        self.tick += 1;
        while self
            .rigid_answers
            .front()
            .is_some_and(|(due, _)| *due <= self.tick)
        {
            let (_, answer) = self.rigid_answers.pop_front().unwrap();
            self.engine.receive(answer);
        }
        while self
            .soft_answers
            .front()
            .is_some_and(|(due, _)| *due <= self.tick)
        {
            let (_, answer) = self.soft_answers.pop_front().unwrap();
            self.engine.receive_soft(answer);
        }
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(*hand);
        self.engine.tick(&TickInput {
            period_s: PERIOD_S,
            devices,
            anchor: 0,
        });
        let query = self.engine.query();
        let due = self.tick + 1 + self.late;
        let mut answer = Box::new(Snapshot::new(2048));
        if self.world.answer(&query, 0, &mut answer) {
            // A tool near a wall without answers for long stands still, whatever is soft.
            let due = self.tick + 1 + self.late.min(4);
            self.rigid_answers.push_back((due, answer));
        }
        if self.soft.step(&query) {
            let mut answer = Box::new(DeformableSnapshot::new());
            if self.soft.answer(&query, 0, &mut answer) {
                self.soft_answers.push_back((due, answer));
            }
        }
        self.engine.output().arms[0]
    }

    /// Moves the hand from one position to another in `ticks` ticks; returns the forces in order.
    fn go(&mut self, from: Vec3, to: Vec3, ticks: u32) -> Vec<Vec3> {
        let at = |k| from + (to - from) * (f64::from(k) / f64::from(ticks));
        (1..=ticks)
            .map(|k| {
                self.tick(&Pose::from_parts(
                    at(k).into(),
                    nalgebra::UnitQuaternion::identity(),
                ))
            })
            .map(|out| out.wrench.force_n)
            .collect()
    }

    fn proxy(&self) -> Vec3 {
        self.engine.output().arms[0].proxy.translation.vector
    }

    /// Distance of the ball's centre from the nearest point of a soft surface.
    fn nearest(&self) -> f64 {
        let (_, points) = self.soft.surfaces().next().unwrap();
        let distances = points.iter().map(|p| (p - self.proxy()).norm());
        distances.fold(f64::INFINITY, f64::min)
    }
}

fn largest_step(forces: &[Vec3]) -> f64 {
    let steps = forces.windows(2).map(|w| (w[1] - w[0]).norm());
    steps.fold(0.0, f64::max)
}

const ABOVE: Vec3 = Vec3::new(0.002, 0.001, 0.012);
const BELOW: Vec3 = Vec3::new(0.002, 0.001, -0.006);

/// A fixture whose ball is in the air and solid for all bodies.
fn begun(specs: &[DeformableSpec], rigid: Vec<BodySpec>, late: u64) -> Fixture {
    let mut fixture = Fixture::new(specs, rigid, late);
    fixture.go(ABOVE, ABOVE, 60);
    fixture
}

/// A pressed soft body is dented as far as it and the coupling, two springs in series, determine.
/// It springs back, and the hand feels the same force there and back, except for the damping of the
/// tissue.
#[test]
fn a_press_is_two_springs_in_series() {
    for young_pa in [20e3, 60e3] {
        let mut fixture = begun(&[slab(young_pa)], Vec::new(), 4);
        fixture.go(ABOVE, BELOW, 400);
        let held = fixture.go(BELOW, BELOW, 400);
        let last = held[held.len() - 1];
        let stretch = fixture.proxy().z - BELOW.z;
        assert!((last.z - STIFFNESS * stretch).abs() < 1e-9, "{last:?}");
        // The ball is on the surface, neither inside nor above it; triangles are up to 6 mm long.
        let nearest = fixture.nearest();
        assert!(
            nearest > 0.96 * RADIUS_M && nearest < 1.2 * RADIUS_M,
            "{nearest}"
        );
        // And the surface is where it was dented to.
        let dent = RADIUS_M - fixture.proxy().z;
        // Hertz, for a ball on a half-space. This dent is deeper than the ball's radius, in a slab
        // of four radii, with a lattice as fine as one.
        let hertz = 4.0 / 3.0 * young_pa / (1.0 - 0.4 * 0.4) * RADIUS_M.sqrt() * dent.powf(1.5);
        let ratio = last.z / hertz;
        assert!(
            (0.7..1.7).contains(&ratio),
            "{young_pa} Pa: {last:?}, Hertz {hertz} N"
        );
        assert!(dent > 1e-3 && last.z > 0.5, "{dent} {last:?}");
        // At rest.
        assert!(
            largest_step(&held[300..]) < 0.02,
            "{}",
            largest_step(&held[300..])
        );
        let out = fixture.go(BELOW, ABOVE, 400);
        assert_eq!(out[out.len() - 1], Vec3::zeros());
        fixture.go(ABOVE, ABOVE, 400);
        let (_, points) = fixture.soft.surfaces().next().unwrap();
        let top = points.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
        assert!(top.abs() < 5e-4, "it sprang back to {top} m");
    }
}

/// The promise to the hand: in one tick the force changes by the motion of the hand, and by the
/// speeds at which surfaces push and let fall.
#[test]
fn the_force_never_jumps() {
    let aside = Vec3::new(0.012, 0.001, -0.006);
    for (name, spec) in [
        ("tissue", slab(20e3)),
        ("rubber", slab(200e3)),
        ("leather", sheet()),
    ] {
        for late in [0, 4, 20] {
            let mut fixture = begun(std::slice::from_ref(&spec), Vec::new(), late);
            let mut forces = fixture.go(ABOVE, BELOW, 300);
            forces.extend(fixture.go(BELOW, aside, 300));
            forces.extend(fixture.go(aside, ABOVE, 200));
            // 60 mm/s of hand; pushed out at 0.1 m/s and let fall at 0.2 m/s, each plus the
            // surface's speed, which is at most the hand's here.
            let most = STIFFNESS * PERIOD_S * (2.0 * 0.06 + 0.1 + 0.2);
            let step = largest_step(&forces);
            assert!(
                step <= most,
                "{name}, {late} ticks late: {step} N in a tick, {most} allowed"
            );
            let largest = forces.iter().map(Vec3::norm).fold(0.0, f64::max);
            let allowed = STIFFNESS * (ABOVE - BELOW).norm();
            assert!(largest < allowed, "{name}: {largest}");
        }
    }
}

/// A sheet in a frame holds a ball, from either side.
#[test]
fn cloth_holds_a_ball_from_both_sides() {
    for side in [1.0, -1.0] {
        let near = Vec3::new(0.002, 0.001, 0.03 * side);
        let beyond = Vec3::new(0.002, 0.001, -0.03 * side);
        let mut fixture = Fixture::new(&[sheet()], Vec::new(), 4);
        fixture.go(near, near, 60);
        fixture.go(near, beyond, 600);
        let forces = fixture.go(beyond, beyond, 300);
        let last = forces[forces.len() - 1];
        assert!(last.z * side > 1.0, "{side}: {last:?}");
        // The centre of the ball is on the side that it came from, at the sheet's thickness.
        let nearest = fixture.nearest();
        assert!(
            nearest > RADIUS_M && nearest < RADIUS_M + 0.004,
            "{nearest}"
        );
    }
}

/// A mesh that rotates: its corners dent the tissue, its faces are stopped by the tissue's points.
#[test]
fn a_box_in_hand_rests_flat_on_tissue() {
    let mesh = shapes::cuboid(&Vec3::new(0.012, 0.012, 0.006)).unwrap();
    let mesh = refined(&mesh, 0.008).unwrap();
    let tool = ToolShape::mesh(mesh.positions(), true);
    let mut fixture = Fixture::with(&[slab(60e3)], Vec::new(), 4, tool, Some(mesh));
    let (above, below) = (Vec3::new(0.0, 0.0, 0.012), Vec3::new(0.0, 0.0, 0.001));
    fixture.go(above, above, 60);
    fixture.go(above, below, 400);
    let forces = fixture.go(below, below, 400);
    let last = forces[forces.len() - 1];
    assert!(last.z > 0.5, "{last:?}");
    assert!(last.xy().norm() < 0.3 * last.z, "{last:?}");
    let turned = fixture.engine.output().arms[0].proxy.rotation.angle();
    assert!(turned < 0.05, "{turned}");
}

/// A tool placed inside a body is not thrown out of it: nothing is felt until it has been outside.
#[test]
fn what_begins_inside_is_not_felt() {
    let inside = Vec3::new(0.0, 0.0, -0.004);
    let mut fixture = Fixture::new(&[slab(20e3)], Vec::new(), 4);
    let forces = fixture.go(inside, inside, 200);
    assert!(forces.iter().all(|f| *f == Vec3::zeros()));
    fixture.go(inside, ABOVE, 200);
    fixture.go(ABOVE, ABOVE, 60);
    fixture.go(ABOVE, BELOW, 300);
    assert!(fixture.go(BELOW, BELOW, 50)[49].z > 0.5);
}

/// From inside one body into the next, never clear of both: neither is felt until the tool was in
/// the air.
#[test]
fn what_begins_inside_feels_no_neighbour_either() {
    let aside = Vec3::new(0.062, 0.0, 0.0);
    let mut beside = slab(20e3);
    beside.name = "more tissue".into();
    beside.id += 2;
    beside.mesh = moved(&beside.mesh, &aside);
    let mut fixture = Fixture::new(&[slab(20e3), beside], Vec::new(), 4);
    let inside = Vec3::new(0.0, 0.0, -0.004);
    let mut forces = fixture.go(inside, inside, 100);
    forces.extend(fixture.go(inside, inside + aside, 300));
    forces.extend(fixture.go(inside + aside, inside + aside, 100));
    assert!(forces.iter().all(|f| *f == Vec3::zeros()));
    fixture.go(inside + aside, ABOVE + aside, 200);
    fixture.go(ABOVE + aside, ABOVE + aside, 60);
    fixture.go(ABOVE + aside, BELOW + aside, 300);
    assert!(fixture.go(BELOW + aside, BELOW + aside, 50)[49].z > 0.5);
}

/// The promise of rigid bodies is untouched: a wall under thin tissue stops the ball however hard
/// tissue and hand press.
#[test]
fn a_wall_beneath_tissue_is_not_entered() {
    let wall = BodySpec {
        name: "wall".into(),
        kind: BodyKind::Static,
        shape: Shape::of(shapes::cuboid(&Vec3::new(0.05, 0.05, 0.01)).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.0105 - 0.001),
        restitution: 0.0,
        density_kg_m3: 1000.0,
        material: feel(0.0),
    };
    let mut towel = sheet();
    towel.pinned = Pinned::None;
    let mut fixture = begun(&[towel], vec![wall], 4);
    let deep = Vec3::new(0.002, 0.001, -0.03);
    fixture.go(ABOVE, deep, 400);
    fixture.go(deep, deep, 200);
    assert!(
        fixture.proxy().z - RADIUS_M > -0.0015,
        "{:?}",
        fixture.proxy()
    );
}

#[test]
fn equal_queries_give_equal_forces() {
    let run = || {
        let mut fixture = begun(&[slab(20e3)], Vec::new(), 4);
        fixture.go(ABOVE, BELOW, 200)
    };
    assert_eq!(run(), run());
}

/// Answers that stop coming: the surface stays where it was last reported, and nothing grows.
#[test]
fn without_answers_the_last_surface_counts() {
    let mut fixture = begun(&[slab(20e3)], Vec::new(), 4);
    fixture.go(ABOVE, BELOW, 300);
    let before = fixture.go(BELOW, BELOW, 300)[299];
    fixture.late = 1_000_000;
    let after = fixture.go(BELOW, BELOW, 300);
    assert!(
        after.iter().all(|f| (f - before).norm() < 0.15),
        "{before:?} {:?}",
        after[299]
    );
    assert!(fixture.engine.output().arms[0].soft_age > 250);
}

#[test]
fn what_cannot_be_soft_is_refused() {
    let world = Scene::new(1e-5, 64);
    let new =
        |spec: DeformableSpec| DeformableScene::new(settings(), &[spec], &[], &world).map(|_| ());
    let mut open = slab(20e3);
    open.mesh = shapes::sheet(0.05, 4).unwrap();
    let mut held = slab(20e3);
    held.pinned = Pinned::Corners;
    let mut nothing = slab(f64::NAN);
    nothing.name = "nothing".into();
    let mut whole = sheet();
    whole.pinned = Pinned::Bottom;
    for spec in [open, held, nothing, whole] {
        let error = new(spec.clone()).unwrap_err().to_string();
        assert!(error.contains(&spec.name), "{error}");
    }
    assert_eq!(new(sheet()), Ok(()));
}
