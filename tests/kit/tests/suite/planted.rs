//! Planted errors: the checker must notice answers that lie; otherwise its silence means nothing.

use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{BodyTarget, Snapshot};
use hapticd_testkit::courier::Delivery;
use hapticd_testkit::fixture::Tamper;
use hapticd_testkit::{BodyPlan, Fixture, ScenePlan, Tally, ToolPlan, Violation};

/// Shoots a tool through a plate of a tenth of a millimetre and back, repeatedly, with every answer
/// tampered with.
fn shots(tool: ToolPlan, tamper: Tamper) -> Tally {
    let plate = shapes::plate(0.04, 0.04, 1e-4).unwrap();
    let scene = ScenePlan::new("", tool, vec![BodyPlan::fixed(plate, Pose::identity())]);
    let mut fixture = Fixture::new(&scene, Delivery::fixed(3), 1).unwrap();
    fixture.tamper = Some(tamper);
    for k in 0..400 {
        let x = 0.01 * (f64::from(k) * 0.01).sin();
        fixture.step(Some(Pose::translation(
            x,
            0.0,
            0.04 * (f64::from(k) * 0.1).cos(),
        )));
    }
    fixture.tally
}

fn ball() -> ToolPlan {
    ToolPlan::Ball { radius_m: 0.003 }
}

fn block() -> ToolPlan {
    ToolPlan::Mesh {
        mesh: shapes::cuboid(&Vec3::repeat(0.003)).unwrap(),
        turns: true,
    }
}

#[test]
fn honest_answers_are_clean() {
    for tool in [ball(), block()] {
        let tally = shots(tool, Box::new(|_| {}));
        assert!(
            tally.is_clean() && tally.contact > 50,
            "{tally} {:?}",
            tally.findings
        );
    }
}

#[test]
fn an_inflated_margin_is_caught() {
    for tool in [ball(), block()] {
        let tally = shots(
            tool,
            Box::new(|s: &mut Snapshot| {
                // As if only 2 mm had been searched and 52 mm were promised.
                for b in &mut s.bodies {
                    let first = b.first_pair as usize;
                    let listed = &s.pairs[first..first + b.pair_count as usize];
                    b.pair_count = listed.iter().filter(|p| p.distance_m < 0.002).count() as u32;
                    b.margin_m = 0.052;
                }
            }),
        );
        assert!(tally.crossings > 0, "{tally}");
    }
}

#[test]
fn removed_pairs_are_caught() {
    for tool in [ball(), block()] {
        let tally = shots(
            tool,
            Box::new(|s: &mut Snapshot| {
                // Removes the nearest pairs of each body at the pose of the query. One vertex of a
                // flat side would not be enough: its neighbours make up for it.
                for b in &s.bodies {
                    let (first, count) = (b.first_pair as usize, b.pair_count as usize);
                    let gone = count.min(8);
                    let pairs = &mut s.pairs[first..first + count];
                    pairs.rotate_left(gone);
                    for pair in &mut pairs[count - gone..] {
                        pair.distance_m = f64::INFINITY;
                    }
                }
            }),
        );
        assert!(
            tally.crossings + u64::from(tally.penetration_m > 0.0) > 0,
            "{tally}"
        );
    }
}

#[test]
fn pairs_that_claim_to_be_far_are_caught() {
    let tally = shots(
        block(),
        Box::new(|s: &mut Snapshot| {
            for p in &mut s.pairs {
                p.distance_m += 0.02;
            }
        }),
    );
    assert!(tally.crossings > 0, "{tally}");
}

#[test]
fn a_pair_moved_by_a_fiftieth_of_a_millimetre_is_caught() {
    // No crossing, only a smaller distance than promised.
    let plate = shapes::plate(0.04, 0.04, 1e-4).unwrap();
    let scene = ScenePlan::new("", ball(), vec![BodyPlan::fixed(plate, Pose::identity())]);
    let mut fixture = Fixture::new(&scene, Delivery::fixed(1), 1).unwrap();
    fixture.measure_every = 1;
    fixture.tamper = Some(Box::new(|s: &mut Snapshot| {
        for p in &mut s.pairs {
            for q in &mut p.body {
                q.z -= 3.5e-5;
            }
        }
    }));
    for k in 0..200 {
        fixture.step(Some(Pose::translation(
            0.0,
            0.0,
            0.02 - 2e-4 * f64::from(k),
        )));
    }
    let near = |f: &hapticd_testkit::tally::Finding| matches!(f.violation, Violation::TooNear(_));
    assert!(
        fixture.tally.findings.iter().any(near),
        "{:?}",
        fixture.tally.findings
    );
    assert_eq!(fixture.tally.crossings, 0);
}

#[test]
fn a_body_that_jumps_is_caught() {
    // The answer has a wrong reference pose for a moving body: the loop takes it to be in another
    // place.
    let block = shapes::cuboid(&Vec3::repeat(0.01)).unwrap();
    let far = Pose::translation(0.0, 0.0, -0.05);
    let body = BodyPlan::moving(
        block,
        far,
        vec![(Pose::translation(0.0, 0.0, 0.05), 1.0)],
        1,
    );
    let scene = ScenePlan::new("", ball(), vec![body]);
    let mut fixture = Fixture::new(&scene, Delivery::fixed(1), 1).unwrap();
    fixture.tamper = Some(Box::new(|s: &mut Snapshot| {
        for b in &mut s.bodies {
            b.margin_m = 1.0;
            b.pair_count = 0;
            b.target = Some(BodyTarget {
                world_from_body: Pose::translation(0.0, 0.0, 0.05),
                speed_m_s: 2.0,
            });
        }
    }));
    for _ in 0..120 {
        fixture.step(Some(Pose::identity()));
    }
    assert!(fixture.tally.crossings > 0, "{}", fixture.tally);
    assert!(fixture.tally.penetration_m > 0.0, "{}", fixture.tally);
}

/// Moves over a plate without touching it and stays there, with answers treated by `late`.
fn crossing(late: impl Fn(&mut Fixture)) -> Tally {
    let plate = shapes::plate(0.04, 0.04, 1e-4).unwrap();
    let scene = ScenePlan::new("", ball(), vec![BodyPlan::fixed(plate, Pose::identity())]);
    let mut fixture = Fixture::new(&scene, Delivery::fixed(1), 1).unwrap();
    for k in 0..600 {
        let x = 0.02 * (f64::from(k) * 0.01).min(1.0);
        fixture.step(Some(Pose::translation(x, 0.0, 0.006)));
        if k == 50 {
            late(&mut fixture);
        }
    }
    fixture.tally
}

#[test]
fn a_tool_that_nothing_holds_back_is_caught() {
    let held = |tally: &Tally| {
        let violations = tally.findings.iter().map(|f| &f.violation);
        violations
            .filter(|v| matches!(v, Violation::Held(_)))
            .count()
    };
    let honest = crossing(|_| {});
    assert!(honest.is_clean(), "{:?}", honest.findings);
    // Answers stop, and the tool stops with them.
    let stopped = crossing(|fixture| {
        fixture.courier().set_delivery(Delivery {
            lost: 1.0,
            ..Delivery::fixed(1)
        });
    });
    assert!(held(&stopped) > 0, "{stopped}");
    // Every answer lets it creep by a hundredth of a millimetre.
    let creeping = crossing(|fixture| {
        fixture.tamper = Some(Box::new(|s: &mut Snapshot| {
            for b in &mut s.bodies {
                b.margin_m = b.margin_m.min(1e-5);
            }
        }));
    });
    assert!(held(&creeping) > 0, "{creeping}");
}
