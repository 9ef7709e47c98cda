//! Which spheres blend, compared with the definition and its memory: every pair of every step, from
//! all pairs and their state in the step before.

use std::collections::BTreeSet;

use hapticd_particles::Vec3;
use hapticd_particles::{
    BlendEvent, Blending, FluidMaterial, Rest, Settings, SphereWorld, StrandMaterial, Walls,
};

const DROPS: u32 = 7;
const OTHERS: u32 = 2;
const WIRE: u32 = 5;
const WINDOW_M: f64 = 0.021;

/// Gaps at which a pair starts and stops blending, m, by the rules of its bodies; `None` if it
/// never blends.
fn limits(a: (u32, Option<Blending>), b: (u32, Option<Blending>)) -> Option<(f64, f64)> {
    let (one, other) = (a.1?, b.1?);
    if a.0 == b.0 {
        return Some((one.blend_at_m, one.part_at_m));
    }
    (one.others && other.others).then(|| {
        let blend_at_m = one.blend_at_m.min(other.blend_at_m);
        (blend_at_m, one.part_at_m.min(other.part_at_m))
    })
}

/// Two fluids and a wire fall into a cup and are shaken, and one fluid is set to stop blending and
/// to blend again. In each step the pairs are exactly those that touch, and those that have touched
/// and are not yet apart; the events are the difference.
#[test]
fn every_pair_has_the_memory_that_the_rule_says() {
    let mut world = SphereWorld::new(Settings::default()).unwrap();
    world
        .set_walls(&Walls {
            low: [Some(0.0); 3],
            high: [Some(0.08), Some(0.08), None],
            friction: 0.2,
        })
        .unwrap();
    let rule = |blend_at_m, part_at_m, others| Blending {
        blend_at_m,
        part_at_m,
        others,
    };
    let mut rules = [
        (DROPS, Some(rule(0.001, 0.004, true))),
        (OTHERS, Some(rule(0.0005, 0.002, true))),
        (WIRE, Some(rule(0.001, 0.003, false))),
    ];
    for (body, rule) in rules {
        world.set_blending(body, rule).unwrap();
    }
    let grid = |from: Vec3, count: [u32; 3]| -> Vec<Vec3> {
        (0..count.iter().product())
            .map(|k| {
                let at = [
                    k % count[0],
                    k / count[0] % count[1],
                    k / count[0] / count[1],
                ];
                let aside = Vec3::new(f64::from(k).sin(), f64::from(k).cos(), 0.0) * 1e-3;
                from + 0.0125 * Vec3::from(at.map(f64::from)) + aside
            })
            .collect()
    };
    let material = FluidMaterial::default();
    let drops = grid(Vec3::repeat(0.01), [5, 5, 3]);
    world.fluid(&drops, DROPS, 0.005, 0.001, &material).unwrap();
    let others = grid(Vec3::new(0.012, 0.012, 0.06), [4, 4, 3]);
    world
        .fluid(&others, OTHERS, 0.005, 0.001, &material)
        .unwrap();
    let course: Vec<Vec3> = (0..40)
        .map(|k| {
            let (sin, cos) = (0.35 * f64::from(k)).sin_cos();
            Vec3::new(
                0.04 + 0.02 * cos,
                0.04 + 0.02 * sin,
                0.11 + 5e-4 * f64::from(k),
            )
        })
        .collect();
    let wire = StrandMaterial {
        radius_m: 0.003,
        mass_kg: 0.05,
        stretch_n: 50.0,
        bend_n_m2: 0.0,
        damping_s: 0.002,
        rest: Rest::AsGiven,
        window_m: WINDOW_M,
    };
    let wire = world.strand(&course, WIRE, &wire).unwrap();
    let along: BTreeSet<(u32, u32)> = wire.blended.iter().copied().collect();

    let mut now = BTreeSet::new();
    let (mut come, mut gone, mut remembered, mut between) = (0, 0, 0, 0);
    for step in 0..500_u32 {
        // Every 125 steps throws the first 20 spheres upwards. Blending of one fluid is off from
        // step 200 to 260.
        if step % 125 == 60 {
            for k in 0..20 {
                let x = world.positions()[k as usize];
                world.place(k, x, Vec3::new(0.2, -0.1, 0.6)).unwrap();
            }
        }
        for (at, holds) in [(200, false), (260, true)] {
            if step == at {
                rules[0].1 = holds.then(|| rule(0.001, 0.004, true));
                world.set_blending(DROPS, rules[0].1).unwrap();
            }
        }
        let report = world.step(0.004, &[], &[]).unwrap();
        assert_eq!((report.pairs_left_out, report.spheres_held), (0, 0));
        let rule_of = |k: usize| {
            let body = world.bodies()[k];
            *rules.iter().find(|(of, _)| *of == body).unwrap()
        };
        let mut wanted = BTreeSet::new();
        let (x, r) = (world.positions(), world.radii());
        for b in 0..x.len() {
            for a in 0..b {
                let pair = (a as u32, b as u32);
                let Some((join, part)) = limits(rule_of(a), rule_of(b)) else {
                    continue;
                };
                if along.contains(&pair) {
                    continue;
                }
                let gap = (x[a] - x[b]).norm() - r[a] - r[b];
                // Cases decided by rounding are excluded.
                let rounding = 1e-12;
                assert!((gap - join).abs() > rounding && (gap - part).abs() > rounding);
                let was = now.contains(&pair);
                if gap <= join || (was && gap <= part) {
                    wanted.insert(pair);
                    remembered += usize::from(gap > join);
                }
                between += usize::from(gap <= join && world.bodies()[a] != world.bodies()[b]);
            }
        }
        assert!(world.blended().eq(wanted.iter().copied()), "step {step}");
        let mut events: Vec<BlendEvent> = Vec::new();
        for pair in now.union(&wanted) {
            match (now.contains(pair), wanted.contains(pair)) {
                (true, false) => events.push(BlendEvent::Removed(pair.0, pair.1)),
                (false, true) => events.push(BlendEvent::Added(pair.0, pair.1)),
                _ => {}
            }
        }
        assert_eq!(world.events(), events, "step {step}");
        for event in events {
            match event {
                BlendEvent::Added(..) => come += 1,
                BlendEvent::Removed(..) => gone += 1,
            }
        }
        now = wanted;
    }
    let about = format!("{come} {gone} {remembered} {between}");
    assert!(come > 300 && gone > 100, "{about}");
    assert!(remembered > 1000 && between > 100, "{about}");
}
