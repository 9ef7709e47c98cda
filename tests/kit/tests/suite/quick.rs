//! Every scene of the catalogue for a short time: the quick version of the binary `adversary`.

use hapticd_testkit::courier::Delivery;
use hapticd_testkit::{Fixture, Hand, Tally, catalogue};

fn attack(share: usize, shares: usize) {
    let mut total = Tally::default();
    for (i, scene) in catalogue::scenes().unwrap().iter().enumerate() {
        if i % shares != share {
            continue;
        }
        for manner in [Delivery::fixed(2), Delivery::wild()] {
            let seed = 100 + i as u64;
            let mut fixture = Fixture::new(scene, manner, seed).unwrap();
            let mut hand = Hand::new(scene.playground(), seed);
            for _ in 0..(200.0 * scene.weight) as u32 + 60 {
                fixture.step(Some(hand.step()));
            }
            assert!(
                fixture.tally.is_clean(),
                "{}: {}\n{:?}",
                scene.name,
                fixture.tally,
                fixture.tally.findings
            );
            total.add(&fixture.tally);
        }
    }
    assert!(
        total.contact > 100,
        "too few contacts to mean anything: {total}"
    );
}

#[test]
fn the_first_third_of_the_scenes_holds() {
    attack(0, 3);
}

#[test]
fn the_second_third_of_the_scenes_holds() {
    attack(1, 3);
}

#[test]
fn the_last_third_of_the_scenes_holds() {
    attack(2, 3);
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let run = || {
        let scene = catalogue::scene("vice, block").unwrap().unwrap();
        let mut fixture = Fixture::new(&scene, Delivery::wild(), 9).unwrap();
        let mut hand = Hand::new(scene.playground(), 9);
        let mut bits = Vec::new();
        for _ in 0..300 {
            let (outcome, _) = fixture.step(Some(hand.step()));
            bits.extend(outcome.proxy.translation.vector.iter().map(|x| x.to_bits()));
            bits.extend(outcome.wrench.torque_nm.iter().map(|x| x.to_bits()));
        }
        bits
    };
    assert_eq!(run(), run());
}
