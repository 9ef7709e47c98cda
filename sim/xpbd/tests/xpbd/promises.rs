//! No allocation, equal runs, and laws that hold from any start.

use hapticd_counting::counted;
use hapticd_xpbd::Vec3;
use hapticd_xpbd::{
    BodyId, BodyState, ClothMaterial, Contact, ContactPoint, DeformableId, SoftMaterial,
    StepReport, XpbdWorld, keep_four,
};
use nalgebra::UnitQuaternion;
use proptest::prelude::*;

use crate::{FRAME, ball, cuboid, earth, grid, on_plane, weightless};

/// A cloth over a soft ball next to a box, all on a plane.
fn scene() -> XpbdWorld {
    let mut world = earth();
    let (positions, triangles) = grid([10, 10], [0.3, 0.3]);
    let raised: Vec<Vec3> = positions.iter().map(|p| p + Vec3::z() * 0.12).collect();
    let cloth = ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-6,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 1e-3,
        half_thickness_m: 1e-3,
    };
    world.add_cloth(&raised, &triangles, &cloth).unwrap();
    let (positions, triangles) = ball(0.05, 2);
    let moved: Vec<Vec3> = positions
        .iter()
        .map(|p| p + Vec3::new(0.1, 0.1, 0.06))
        .collect();
    let soft = SoftMaterial {
        density_kg_m3: 500.0,
        young_pa: 1e4,
        poisson: 0.4,
        damping_s: 1e-3,
        half_thickness_m: 0.0,
    };
    world.add_soft(&moved, &triangles, 4, &soft).unwrap();
    let state = BodyState::at(Vec3::new(0.3, 0.3, 0.06));
    world
        .add_body(&cuboid(0.5, Vec3::repeat(0.05)), &state)
        .unwrap();
    world
}

fn contacts(world: &XpbdWorld, list: &mut Vec<Contact>) {
    list.clear();
    let floor = |a, at: &Vec3| Contact {
        a,
        b: ContactPoint::World(Vec3::new(at.x, at.y, 0.0)),
        normal: Vec3::z(),
        gap_m: 0.0,
        friction: 0.5,
        restitution: 0.1,
    };
    for deformable in [DeformableId(0), DeformableId(1)] {
        for (vertex, p) in world.surface(deformable).unwrap().iter().enumerate() {
            if p.z < 0.01 {
                let vertex = vertex as u32;
                list.push(floor(ContactPoint::Vertex { deformable, vertex }, p));
            }
        }
    }
    on_plane(
        world,
        BodyId(0),
        &Vec3::repeat(0.05),
        (&Vec3::zeros(), &Vec3::z()),
        0.5,
        0.01,
        list,
    );
    // The cloth on the ball: against the nearest of its triangles.
    let (cloth, ball) = (DeformableId(0), DeformableId(1));
    let (sheet, skin) = (world.surface(cloth).unwrap(), world.surface(ball).unwrap());
    let triangles = world.triangles(ball).unwrap();
    for (vertex, p) in sheet.iter().enumerate() {
        let middle = |t: &[u32; 3]| t.iter().map(|i| skin[*i as usize]).sum::<Vec3>() / 3.0;
        let nearest = (triangles.iter())
            .min_by(|s, t| (middle(s) - p).norm().total_cmp(&(middle(t) - p).norm()))
            .unwrap();
        if (middle(nearest) - p).norm() < 0.02 {
            let [a, b, c] = nearest.map(|i| skin[i as usize]);
            list.push(Contact {
                a: ContactPoint::Vertex {
                    deformable: cloth,
                    vertex: vertex as u32,
                },
                b: ContactPoint::Triangle {
                    deformable: ball,
                    vertices: *nearest,
                    weights: [1.0 / 3.0; 3],
                },
                normal: (b - a).cross(&(c - a)).normalize(),
                gap_m: 1e-3,
                friction: 0.3,
                restitution: 0.0,
            });
        }
    }
}

fn push(world: &mut XpbdWorld, i: u32) {
    let force = Vec3::new(0.1, 0.0, -0.2) * f64::from(i % 3);
    world
        .push_surface(DeformableId(0), [0, 1, 12], [0.2, 0.3, 0.5], force)
        .unwrap();
    world
        .push_body(BodyId(0), force, Vec3::new(0.3, 0.25, 0.1))
        .unwrap();
}

#[test]
fn stepping_does_not_allocate() {
    let mut world = scene();
    let mut list = Vec::new();
    world.reserve_contacts(600);
    let mut most = 0;
    for i in 0..90 {
        contacts(&world, &mut list);
        most = most.max(list.len());
        let (report, calls) = counted(|| {
            push(&mut world, i);
            world.step(FRAME, 10, &list)
        });
        assert_eq!(report, Ok(Default::default()));
        assert_eq!(calls, 0, "step {i}");
    }
    assert!((50..600).contains(&most), "{most} contacts");
}

#[test]
fn equal_runs_are_equal_to_the_bit() {
    let run = || {
        let mut world = scene();
        let mut list = Vec::new();
        for i in 0..60 {
            contacts(&world, &mut list);
            push(&mut world, i);
            world.step(FRAME, 10, &list).unwrap();
        }
        let mut bits: Vec<u64> = Vec::new();
        for v in world.positions().iter().chain(world.velocities()) {
            bits.extend(v.iter().map(|x| x.to_bits()));
        }
        let state = world.body(BodyId(0)).unwrap();
        bits.extend(
            state
                .position
                .iter()
                .chain(state.rotation.coords.iter())
                .map(|x| x.to_bits()),
        );
        bits
    };
    assert_eq!(run(), run());
}

/// Two bodies and a particle with three contacts between them that last for ten steps.
struct Thrown {
    va: Vec3,
    wa: Vec3,
    vb: Vec3,
    arms: [Vec3; 4],
    normal: Vec3,
    friction: f64,
    restitution: f64,
}

impl Thrown {
    /// Change of momentum (kg m/s), kinetic energy before and after (J).
    fn collide(&self) -> (f64, f64, f64) {
        let mut world = weightless();
        let moving = |v, w, x| BodyState {
            velocity: v,
            spin: w,
            ..BodyState::at(x)
        };
        let a = moving(self.va, self.wa, Vec3::zeros());
        let a = world
            .add_body(&cuboid(1.0, Vec3::new(0.1, 0.12, 0.2)), &a)
            .unwrap();
        let b = moving(self.vb, -self.wa, Vec3::x() * 0.15);
        let b = world.add_body(&cuboid(2.0, Vec3::repeat(0.1)), &b).unwrap();
        let p = world
            .add_particle(Vec3::y() * 0.1, self.vb - self.va, 0.3)
            .unwrap();
        let n = self.normal.normalize();
        let contact = |x: ContactPoint, y: ContactPoint, n: Vec3| Contact {
            a: x,
            b: y,
            normal: n,
            gap_m: 0.0,
            friction: self.friction,
            restitution: self.restitution,
        };
        let on = |body, local| ContactPoint::Body { body, local };
        let list = [
            contact(on(a, self.arms[0]), on(b, self.arms[1]), n),
            contact(on(a, self.arms[2]), on(b, self.arms[3]), n),
            contact(ContactPoint::Particle(p), on(a, self.arms[1]), -n),
        ];
        let (momentum, energy) = (world.momentum(), world.kinetic_energy());
        for _ in 0..10 {
            assert_eq!(world.step(FRAME, 10, &list), Ok(StepReport::default()));
        }
        let drift = (world.momentum() - momentum).norm();
        (drift, energy, world.kinetic_energy())
    }
}

/// Each bounce sets the other contacts going: Newton's law applied to each of them separately
/// created 15 % of energy here.
#[test]
fn bounces_that_set_each_other_going_make_no_energy() {
    let thrown = Thrown {
        va: Vec3::zeros(),
        wa: Vec3::zeros(),
        vb: Vec3::new(0.0, 1.580057706418832, 1.8869870840875091),
        arms: [
            Vec3::zeros(),
            Vec3::new(0.06894992355665934, 0.0, 0.04355869964245734),
            Vec3::zeros(),
            Vec3::new(0.0, 0.0, 0.01971375015833933),
        ],
        normal: Vec3::new(0.0, 0.7022744001492051, 0.8539125125860245),
        friction: 0.0,
        restitution: 0.981923522028124,
    };
    let (drift, before, after) = thrown.collide();
    assert!(drift < 1e-10, "{drift}");
    assert!(
        (0.5..1.0 + 1e-9).contains(&(after / before)),
        "{after} of {before}"
    );
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(|v| Vec3::new(v[0], v[1], v[2]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is between them, two bodies and a particle conserve their momentum, and contacts
    /// create no energy.
    #[test]
    fn contacts_between_movers_keep_momentum_and_make_no_energy(
        va in vector(2.0), wa in vector(5.0), vb in vector(2.0), arms in prop::array::uniform4(vector(0.1)),
        normal in vector(1.0).prop_filter("a direction", |n| n.norm() > 0.1),
        friction in 0.0..1.5_f64, restitution in 0.0..1.0_f64,
    ) {
        let thrown = Thrown { va, wa, vb, arms, normal, friction, restitution };
        let (drift, before, after) = thrown.collide();
        prop_assert!(drift < 1e-10);
        prop_assert!(after < 1.02 * before + 1e-9, "{after} of {before}");
    }

    /// Nothing leaves a depth faster than the push-out speed, whatever the number of substeps.
    #[test]
    fn no_depth_is_left_faster_than_the_push_out_speed(
        depth in 1e-4..0.2_f64, substeps in 1..30_u32, turn in vector(2.0),
    ) {
        let mut world = weightless();
        let state = BodyState {
            rotation: UnitQuaternion::from_scaled_axis(turn),
            ..BodyState::at(Vec3::z() * -depth)
        };
        let body = world.add_body(&cuboid(1.0, Vec3::repeat(0.1)), &state).unwrap();
        let contact = Contact {
            a: ContactPoint::Body { body, local: Vec3::zeros() },
            b: ContactPoint::World(Vec3::zeros()),
            normal: Vec3::z(), gap_m: 0.0, friction: 0.5, restitution: 0.5,
        };
        let mut last = -depth;
        for _ in 0..30 {
            world.step(FRAME, substeps, &[contact]).unwrap();
            let z = world.body(body).unwrap().position.z;
            prop_assert!(z - last <= 0.5 * FRAME * (1.0 + 1e-9));
            last = z;
        }
        prop_assert!(last.abs() < 1e-9 && world.kinetic_energy() == 0.0);
    }

    /// The kept contacts include the deepest and are at most four, each once.
    #[test]
    fn reduction_keeps_the_deepest(points in prop::collection::vec((vector(1.0), 0.0..1.0_f64), 1..40)) {
        let (at, depths): (Vec<Vec3>, Vec<f64>) = points.into_iter().unzip();
        let kept = keep_four(&at, &depths);
        let kept = kept.indices();
        prop_assert!(!kept.is_empty() && kept.len() <= 4.min(at.len()));
        prop_assert!(depths.iter().all(|d| *d <= depths[kept[0] as usize]));
        for (i, k) in kept.iter().enumerate() {
            prop_assert!(!kept[..i].contains(k));
        }
    }
}
