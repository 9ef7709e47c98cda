//! A step does not allocate once its buffers have grown: counted by the allocator itself.

mod common;

use common::*;
use hapticd_counting::{Counting, counted};
use hapticd_rigid::{BodySpec, Settings};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn stepping_a_standing_pile_never_allocates() {
    let mut scene = Scene::new(Settings {
        sleep_after_s: f64::INFINITY,
        ..Settings::default()
    });
    scene.add(BodySpec::fixed(cuboid(5.0, 5.0, 0.5), at(0.0, 0.0, -0.5)));
    let shape = cube(0.1);
    for k in 0..5 {
        scene.add(BodySpec::dynamic(
            shape.clone(),
            at(0.01 * f64::from(k), 0.0, 0.1001 + 0.2001 * f64::from(k)),
            1000.0,
        ));
    }
    let step = |scene: &mut Scene, n: usize| {
        let mut contacts = 0;
        for _ in 0..n {
            contacts += scene.world.step(H).counters.contacts;
        }
        contacts
    };
    step(&mut scene, 200);
    let (contacts, calls) = counted(|| step(&mut scene, 200));
    assert!(contacts >= 200 * 20, "{contacts}");
    assert_eq!(calls, 0);
}
