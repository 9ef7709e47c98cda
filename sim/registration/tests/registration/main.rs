//! Registrations against brute force, in volumes, planes and on curved surfaces.

mod cases;
#[path = "../common/mod.rs"]
mod common;
mod curved;
mod ops;
mod oracle;

use hapticd_counting::Counting;
use hapticd_registration::registration::Policy;
use proptest::prelude::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of sequences, or as many as the environment requests.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// The central property: after any sequence of moves, refinements, mergers, deformations,
    /// insertions and removals, all lists equal those built from scratch.
    #[test]
    fn boxes_17_25_26_lists_equal_those_made_from_scratch(
        kind in 0_usize..ops::SPACES,
        exact in any::<bool>(),
        deforms in any::<bool>(),
        seed in any::<u64>(),
        steps in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let policy = if exact { Policy::Exact } else { Policy::Tolerate };
        let mut world = ops::World::new(kind, policy, deforms, seed);
        for _ in 0..6 {
            world.insert();
        }
        for (i, &op) in steps.iter().enumerate() {
            world.step(op);
            if (i % 4 == 3 || i + 1 == steps.len()) && world.is_valid() {
                oracle::check(&world.r, &world.scene);
            }
        }
    }
}

/// Found by chance: a side of a triangle that runs along the rim of a hole. The plane through it
/// passes just outside the surface there, and cuts cells beyond, where the side is not.
#[test]
fn boxes_17_25_26_a_side_along_the_boundary_crosses_nothing_beyond() {
    let steps = [
        93, 10, 220, 168, 133, 227, 22, 96, 93, 97, 92, 76, 54, 215, 202, 17, 123, 225, 254, 57,
        191, 138, 100, 159, 72, 128, 216, 30, 53, 157, 43, 19, 232, 249, 2, 247, 245, 196, 231, 28,
    ];
    let mut world = ops::World::new(5, Policy::Exact, true, 14_054_389_280_857_331_512);
    for _ in 0..6 {
        world.insert();
    }
    for op in steps {
        world.step(op);
        if world.is_valid() {
            oracle::check(&world.r, &world.scene);
        }
    }
}

/// The same with fixed seeds, longer, and with a count of what happened: sequences without events
/// prove nothing.
#[test]
fn boxes_17_25_26_long_sequences_with_everything_in_them() {
    for kind in 0..ops::SPACES {
        for (deforms, policy) in [
            (false, Policy::Tolerate),
            (true, Policy::Tolerate),
            (true, Policy::Exact),
        ] {
            let mut world = ops::World::new(kind, policy, deforms, 1000 + kind as u64);
            let (mut finest, mut most, mut checks) = (0, [0; 3], 0);
            for i in 0..200_u32 {
                let op = world.random.below(12) as u8;
                world.step(op);
                if i % 8 == 7 && world.is_valid() {
                    checks += 1;
                    oracle::check(&world.r, &world.scene);
                }
                finest = finest.max(
                    world
                        .r
                        .map()
                        .leaves()
                        .map(|c| world.r.map().cell_level(c))
                        .max()
                        .unwrap(),
                );
                for k in hapticd_registration::registration::Kind::ALL {
                    most[k as usize] = most[k as usize].max(world.count(k));
                }
            }
            assert!(
                finest >= 2 && most.iter().all(|&m| m > 3),
                "{finest} {most:?}"
            );
            assert!(checks > 20, "{kind} {deforms} {policy:?}: {checks}");
            world.r.map().validate().unwrap();
        }
    }
}
