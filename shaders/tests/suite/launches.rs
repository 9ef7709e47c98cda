//! The launch methods compared with the product's: the same contacts, wherever the ray counts come
//! from, and in however many kernels.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use std::sync::Arc;

use common::gpu;
use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use hapticd_rays::layout::{Class, Contact, Ray, Record};
use hapticd_rays::{Plan, RayScene, Settings, Shape, Topology};
use hapticd_shaders::{Demand, Fault, Feed, Found, Launch, Narrow, Room, Step, StepError};

/// Rigid bodies that interpenetrate, and on them two cloths that wave through each other: all three
/// algorithms have work.
struct Stirred {
    scene: RayScene,
    settings: Settings,
    plan: Plan,
    feed: Feed,
    rest: Vec<Vec3>,
    bodies: Vec<Pose>,
    step: u32,
}

impl Stirred {
    fn new() -> Self {
        let solid = |mesh| Arc::new(Shape::new(&mesh, Topology::Volume, 32).unwrap());
        let ball = solid(shapes::icosphere(0.04, 3).unwrap());
        let torus = solid(shapes::torus(0.04, 0.015, 40, 18).unwrap());
        let mesh = shapes::sheet(0.1, 24).unwrap();
        let cloth = Topology::Sheet {
            half_thickness_m: 0.001,
        };
        let cloth = Arc::new(Shape::new(&mesh, cloth, 32).unwrap());
        let mut scene = RayScene::new();
        let bodies: Vec<Pose> = (0..6)
            .map(|k| {
                let [x, y] = [k % 3, k / 3].map(|i| 0.06 * f64::from(i) - 0.06);
                Pose::translation(x, y, -0.036)
            })
            .collect();
        for (shape, pose) in [ball, torus].iter().cycle().zip(&bodies) {
            scene.add_rigid(shape.clone(), pose, false).unwrap();
        }
        for _ in 0..2 {
            scene.add_deformable(cloth.clone());
        }
        let mut stirred = Self {
            scene,
            settings: Settings {
                prediction_m: 0.01,
                displacement_m: 0.005,
                ..Settings::for_edges(0.01)
            },
            plan: Plan::default(),
            feed: Feed::default(),
            rest: mesh.positions().to_vec(),
            bodies,
            step: 0,
        };
        // Twice, so that nothing has moved before the first step.
        stirred.put();
        stirred.put();
        stirred
    }

    fn put(&mut self) {
        self.scene.begin_step();
        let s = f64::from(self.step);
        for (k, pose) in (0..).zip(&self.bodies) {
            let way = Vec3::new((1.7 * f64::from(k)).sin(), (2.9 * f64::from(k)).cos(), 0.3);
            let turn = Quat::from_scaled_axis(way * 6e-3 * s);
            let by = Pose::from_parts((way * 4e-4 * s).into(), turn);
            self.scene.set_pose(k, &(by * pose)).unwrap();
        }
        for (k, lift) in [(0, 0.0), (1, 0.006 - 0.0004 * s)] {
            let s = s * (0.13 + 0.2 * f64::from(k));
            let bend = |p: &Vec3| 0.004 * (40.0 * p.x + s).sin() + 0.003 * (31.0 * p.y - s).cos();
            let wave = (self.rest.iter()).map(|p| Vec3::new(p.x, p.y, lift + bend(p)));
            let wave: Vec<Vec3> = wave.collect();
            let object = self.bodies.len() as u32 + k;
            self.scene.set_points(object, &wave).unwrap();
        }
    }

    fn narrow(&mut self, launch: Launch) -> Narrow {
        let mut narrow = Narrow::launched(gpu(), launch).unwrap();
        let packed = self.feed.pack(&self.scene, &self.settings).unwrap();
        narrow.set_scene(&packed).unwrap();
        narrow
    }

    /// Advances a step; returns the maximum number of rays.
    fn advance(&mut self, narrow: &Narrow) -> [usize; 3] {
        self.step += 1;
        self.put();
        self.plan.make(&mut self.scene, &self.settings);
        self.feed.advance(&self.scene, &self.settings);
        self.feed.list(&self.plan, &self.scene);
        Demand::new(&self.plan, self.feed.objects(), narrow, false).worst
    }

    fn found(&self, narrow: &mut Narrow, rays: [usize; 3]) -> Found {
        self.feed.place(narrow).unwrap();
        narrow.set_capacity(Room {
            rays,
            contacts: 1 << 14,
            near: 1 << 14,
        });
        let step = Step {
            records: true,
            ..self.feed.step(&self.settings)
        };
        narrow.send(&step).unwrap();
        narrow.wait().unwrap().unwrap()
    }
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 2e-6
}

fn same_record(a: &Record, b: &Record) -> bool {
    (a.triangle, a.target, a.bits) == (b.triangle, b.target, b.bits) && near(a.t, b.t)
}

fn same_contact(a: &Contact, b: &Contact) -> bool {
    let who = |c: &Contact| (c.source, c.point, c.target, c.triangle);
    who(a) == who(b) && near(a.t, b.t) && near(a.depth, b.depth)
}

/// Contacts of one list that are not in the other; both are sorted.
fn odd(a: &[Contact], b: &[Contact]) -> usize {
    let one_way = |a: &[Contact], b: &[Contact]| {
        let missing = a.iter().filter(|x| !b.iter().any(|y| same_contact(x, y)));
        missing.count()
    };
    one_way(a, b) + one_way(b, a)
}

#[test]
fn all_ways_give_the_same_contacts() {
    let others = [Launch::Exact, Launch::Reserved, Launch::AtOnce];
    let mut stirred = Stirred::new();
    let mut product = stirred.narrow(Launch::Indirect);
    let mut others = others.map(|launch| (launch, stirred.narrow(launch)));
    let mut rays = [0; 3];
    let (mut all, mut contacts, mut other) = (0, 0, [0; 3]);
    for step in 0..10 {
        let room = stirred.advance(&product);
        let expected = stirred.found(&mut product, room);
        assert!(!expected.overflow, "{:?}, room {room:?}", expected.wanted);
        for (sum, wanted) in rays.iter_mut().zip(expected.wanted) {
            *sum += wanted;
        }
        all += (expected.records.iter())
            .filter(|record| record.class() != Class::Nothing)
            .count();
        contacts += expected.contacts.len();
        for ((launch, narrow), other) in others.iter_mut().zip(&mut other) {
            let found = stirred.found(narrow, room);
            assert!(!found.overflow, "{launch:?}");
            if *launch != Launch::AtOnce {
                // The same kernels.
                assert_eq!(found.wanted, expected.wanted, "{launch:?}, step {step}");
                assert_eq!(found.contacts, expected.contacts, "{launch:?}, step {step}");
                assert_eq!(found.records, expected.records, "{launch:?}, step {step}");
                continue;
            }
            let records = found.records.iter().zip(&expected.records);
            let differ = records.filter(|(a, b)| !same_record(a, b)).count();
            let odd = odd(&found.contacts, &expected.contacts) + odd(&found.near, &expected.near);
            assert!(odd <= 2 * differ, "{odd} contacts, {differ} records");
            *other += differ;
        }
    }
    println!("rays {rays:?}; {all} records, {contacts} contacts; differ: {other:?}");
    assert!(
        contacts > 1000 && rays.iter().all(|&n| n > 3000),
        "{rays:?}"
    );
    // Another kernel may round differently.
    assert!(other[2] * 500 < all, "{other:?} of {all}");
}

/// Rays beyond a prediction that is too low are missed and counted; what is found is right.
#[test]
fn what_is_not_predicted_is_missed_and_counted() {
    let mut stirred = Stirred::new();
    let mut product = stirred.narrow(Launch::Indirect);
    let mut reserved = stirred.narrow(Launch::Reserved);
    let room = stirred.advance(&product);
    let expected = stirred.found(&mut product, room);
    let few = [expected.wanted[0] as usize / 2, room[1], room[2]];
    let short = stirred.found(&mut reserved, few);
    assert!(short.overflow);
    assert_eq!(short.wanted[..3], expected.wanted[..3]);
    let (there, here) = (&expected.contacts, &short.contacts);
    assert!(here.len() < there.len() && here.len() > there.len() / 4);
    // The next step has the capacity; all was traced in full, so nothing is missing any more.
    let enough = stirred.found(&mut reserved, room);
    assert!(!enough.overflow);
    assert_eq!(enough.contacts, expected.contacts);
}

#[test]
fn one_kernel_refuses_rays_that_are_given() {
    let mut stirred = Stirred::new();
    let mut narrow = stirred.narrow(Launch::AtOnce);
    let rays = [Ray::default(); 3];
    let step = Step {
        walk: &rays,
        ..Step::default()
    };
    match narrow.send(&step) {
        Err(StepError::Fault(Fault::Rejected(why))) => {
            assert_eq!(why, "3 rays are given to a kernel that finds its own");
        }
        other => panic!("{other:?}"),
    }
}

/// After reopening, each continues with its own method.
#[test]
fn every_way_outlives_a_lost_device() {
    for launch in [Launch::Exact, Launch::Reserved, Launch::AtOnce] {
        let mut stirred = Stirred::new();
        let mut narrow = stirred.narrow(launch);
        let room = stirred.advance(&narrow);
        let before = stirred.found(&mut narrow, room);
        narrow.gpu().lose();
        assert!(narrow.send(&Step::default()).is_err());
        narrow.recover().unwrap();
        let packed = stirred
            .feed
            .pack(&stirred.scene, &stirred.settings)
            .unwrap();
        narrow.set_scene(&packed).unwrap();
        stirred.feed.advance(&stirred.scene, &stirred.settings);
        let after = stirred.found(&mut narrow, room);
        assert!(!before.contacts.is_empty());
        assert_eq!(before.contacts, after.contacts, "{launch:?}");
    }
}
