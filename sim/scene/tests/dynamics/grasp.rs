//! A tool that holds a block: nothing jumps, the hand feels its weight and what it touches, and it
//! keeps its velocity when it is let go.

use super::*;
use hapticd_geometry::TriMesh;
use hapticd_proxy::{LetGo, Passed};

/// Stiffness between hand and body: the coupling's and three times that in series.
const HELD: f64 = 0.75 * STIFFNESS;
/// Ticks in which everything settles.
const SETTLE: usize = 600;

/// Presses the ball on the top of a block on the floor.
fn pressing(lag: usize) -> (Fixture, Vec3) {
    let mut fixture = Fixture::new(lag, vec![block(Vec3::new(0.0, 0.0, 0.0201))]);
    let above = Vec3::new(0.0, 0.0, 0.06);
    let on = Vec3::new(0.0, 0.0, 0.0442);
    for k in 0..SETTLE {
        fixture.tick(above + (on - above) * (k as f64 / 300.0).min(1.0));
    }
    (fixture, on)
}

/// Takes the block, and moves the hand from `from` to `to` in this many ticks.
fn carry(fixture: &mut Fixture, from: Vec3, to: Vec3, ticks: usize) -> ArmOutcome {
    let mut last = None;
    for k in 1..=ticks {
        // Smooth at both ends.
        let s = k as f64 / ticks as f64;
        let share = s * s * (3.0 - 2.0 * s);
        last = Some(fixture.tick(from + (to - from) * share));
    }
    last.unwrap()
}

fn stay(fixture: &mut Fixture, at: Vec3, ticks: usize) -> ArmOutcome {
    carry(fixture, at, at, ticks)
}

#[test]
fn a_grasp_takes_what_presses_and_nothing_jumps() {
    for lag in [0, 1, 3] {
        let (mut fixture, on) = pressing(lag);
        let before = fixture.tick(on);
        assert!(before.wrench.force_n.z > 0.2, "{:?}", before.wrench);
        assert!(fixture.engine.grasp(0, 0));
        let mut last = before;
        for _ in 0..20 {
            let now = fixture.tick(on);
            assert_eq!(now.grasped, fixture.ids[1]);
            // It is no obstacle any more.
            assert_eq!(now.solid & 2, 0);
            let step = (now.wrench.force_n - last.wrench.force_n).norm();
            assert!(step < 1e-3, "lag {lag}: {step} N");
            last = now;
        }
    }
}

#[test]
fn the_hand_feels_the_weight_of_what_it_lifts() {
    for lag in [0, 1, 3] {
        let (mut fixture, on) = pressing(lag);
        let pressed = fixture.tick(on).wrench.force_n.z;
        assert!(fixture.engine.grasp(0, 0));
        let high = on + Vec3::z() * 0.05;
        let z = fixture.at(1).z;
        carry(&mut fixture, on, high, 300);
        let held = stay(&mut fixture, high, SETTLE);
        let weight = MASS_KG * G;
        let force = held.wrench.force_n;
        let off = (force + Vec3::z() * weight).norm();
        assert!(off < 1e-3 * weight, "lag {lag}: {force}");
        // The spring goes from what pressed to what hangs.
        let sag = 0.05 - (fixture.at(1).z - z);
        let wanted = (weight + pressed) / HELD;
        assert!((sag - wanted).abs() < 1e-5, "lag {lag}: {sag} m");
        // The tool is a quarter of the way from body to hand.
        let tool = held.proxy.translation.z;
        assert!(
            (high.z - tool - weight / STIFFNESS).abs() < 1e-5,
            "lag {lag}"
        );
    }
}

/// Also what does not touch can be taken, by its name.
#[test]
fn a_body_that_is_named_is_taken_where_it_is() {
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0201))]);
    let far = Vec3::new(0.05, 0.0, 0.05);
    stay(&mut fixture, far, 200);
    let block = fixture.ids[1];
    assert!(!fixture.engine.grasp(0, 0), "the tool touches nothing");
    let floor = fixture.ids[0];
    assert!(!fixture.engine.grasp(0, floor), "no force moves the floor");
    assert!(!fixture.engine.grasp(0, 1000), "no such body");
    assert!(!fixture.engine.grasp(1, block), "no such arm");
    assert!(fixture.engine.grasp(0, block));
    let there = far + Vec3::new(0.05, 0.05, 0.05);
    carry(&mut fixture, far, there, 300);
    stay(&mut fixture, there, SETTLE);
    let at = fixture.at(1);
    let sag = Vec3::z() * (MASS_KG * G / HELD);
    let wanted = Vec3::new(0.05, 0.05, 0.07) - sag;
    assert!((at - wanted).norm() < 2e-4, "{at}");
}

/// A hand that holds a bar at its end feels its weight and the torque of it.
#[test]
fn a_hand_that_turns_feels_the_torque_of_what_it_holds() {
    let corners = [[1.0, 1.0], [-1.0, 1.0], [0.0, -1.0]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, 0.0) * 1e-3);
    let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let tool = ToolShape::mesh(&corners, true);
    let gains = Gains {
        stiffness_n_per_m: STIFFNESS,
        damping_n_s_per_m: 0.5,
        rotational_stiffness_nm_per_rad: 1.0,
        rotational_damping_nm_s_per_rad: 1e-3,
    };
    let bar = spec(
        "bar",
        BodyKind::Dynamic,
        Vec3::new(0.05, 0.01, 0.01),
        Vec3::new(0.0, 0.0, 0.0101),
    );
    let mass = 0.1 * 0.02 * 0.02 * 2000.0;
    for lag in [0, 3] {
        let tool = ((Shape::of(mesh.clone()).0, tool), gains);
        let mut fixture =
            Fixture::with_tool(lag, vec![bar.clone()], None, Interaction::Spring, tool);
        let end = Vec3::new(-0.06, 0.0, 0.0101);
        stay(&mut fixture, end, SETTLE);
        assert!(fixture.engine.grasp(0, fixture.ids[1]));
        let high = end + Vec3::z() * 0.08;
        carry(&mut fixture, end, high, 400);
        let held = stay(&mut fixture, high, 2 * SETTLE);
        let weight = mass * G;
        let (force, torque) = (held.wrench.force_n, held.wrench.torque_nm);
        assert!(
            (force + Vec3::z() * weight).norm() < 1e-3 * weight,
            "lag {lag}: {force}"
        );
        let lever = fixture.at(1) - high;
        let wanted = lever.cross(&(Vec3::z() * -weight));
        assert!((0.05..0.06).contains(&lever.x), "{lever}");
        let off = (torque - wanted).norm();
        assert!(
            off < 2e-3 * wanted.norm(),
            "lag {lag}: {torque} of {wanted}"
        );
    }
}

#[test]
fn what_is_let_go_keeps_its_velocity_and_is_solid_once_the_tool_is_clear() {
    let (mut fixture, on) = pressing(1);
    assert!(fixture.engine.grasp(0, 0));
    let high = on + Vec3::z() * 0.06;
    carry(&mut fixture, on, high, 300);
    stay(&mut fixture, high, 300);
    // Up to 0.4 m/s along x.
    let speed = 0.4;
    let (mut hand, mut v) = (high, 0.0);
    for _ in 0..300 {
        v = (v + 0.002_f64).min(speed);
        hand.x += v * 1e-3;
        fixture.tick(hand);
    }
    fixture.engine.let_go(0, LetGo::Ordered);
    let (start, mut ended) = (fixture.at(1), None);
    for k in 0..50 {
        // The hand stops.
        let outcome = fixture.tick(hand);
        ended = ended.or(outcome.let_go);
        assert_eq!(outcome.grasped, 0, "{k}");
    }
    assert_eq!(ended, Some(LetGo::Ordered));
    let flew = (fixture.at(1).x - start.x) / 0.05;
    assert!((flew - speed).abs() < 0.06, "{flew} m/s");
    let outcome = stay(&mut fixture, hand, 300);
    assert_eq!(outcome.solid & 2, 2, "the block has flown away");
    assert!(outcome.wrench.force_n.norm() < 1e-9);
}

/// A held block that is pressed on the floor presses the hand as much, and goes through nothing.
#[test]
fn the_hand_feels_what_the_block_touches() {
    for lag in [0, 3] {
        let (mut fixture, on) = pressing(lag);
        let z = fixture.at(1).z;
        assert!(fixture.engine.grasp(0, 0));
        let (high, low) = (on + Vec3::z() * 0.03, on - Vec3::z() * 0.004);
        carry(&mut fixture, on, high, 200);
        carry(&mut fixture, high, low, 300);
        let pressed = stay(&mut fixture, low, SETTLE);
        let force = pressed.wrench.force_n;
        // The block rests as it did; when it was taken the tool was not stretched, the hand was.
        assert!(
            (fixture.at(1).z - z).abs() < 1e-5,
            "{}",
            fixture.at(1).z - z
        );
        let tool = pressed.proxy.translation.vector.z;
        assert!(
            (force.z - STIFFNESS * (tool - low.z)).abs() < 1e-6,
            "{force}"
        );
        assert!(
            (0.004 * HELD..0.006 * HELD).contains(&force.z),
            "lag {lag}: {force}"
        );
    }
}

/// Hands shake, at any frequency: the block follows or stays behind, but nothing builds up, and
/// what the hand feels is no more than springs between hand and block can make.
#[test]
fn nothing_builds_up_when_the_hand_shakes() {
    for lag in [0, 2, 4] {
        for hertz in [1.0, 3.0, 8.0, 15.0] {
            let (mut fixture, on) = pressing(lag);
            assert!(fixture.engine.grasp(0, 0));
            let high = on + Vec3::z() * 0.06;
            carry(&mut fixture, on, high, 300);
            let mut most = 0.0_f64;
            for k in 0..1500 {
                let phase = std::f64::consts::TAU * hertz * f64::from(k) * 1e-3;
                let outcome = fixture.tick(high + Vec3::x() * (0.004 * phase.sin()));
                most = most.max(outcome.wrench.force_n.x.abs());
            }
            // Once the block stood still against the hand, and once both were out of phase.
            assert!(
                most < 3.0 * 0.004 * STIFFNESS,
                "lag {lag}, {hertz} Hz: {most} N"
            );
            // When the hand rests, all is over after a tenth of a second.
            stay(&mut fixture, high, 150);
            let rest = stay(&mut fixture, high, 1);
            assert!(
                rest.wrench.force_n.x.abs() < 0.02,
                "lag {lag}, {hertz} Hz: {:?}",
                rest.wrench
            );
        }
    }
}

/// The hand gets no energy from a grasp: over whole periods it does work on the block, or none.
#[test]
fn a_hand_that_shakes_a_block_gets_no_energy() {
    for lag in [0, 2, 4] {
        for hertz in [1.0, 2.0, 4.0, 8.0] {
            let (mut fixture, on) = pressing(lag);
            assert!(fixture.engine.grasp(0, 0));
            let high = on + Vec3::z() * 0.06;
            carry(&mut fixture, on, high, 300);
            let (mut work_j, mut last) = (0.0, high);
            let mut force = Vec3::zeros();
            for k in 0..3000 {
                let phase = std::f64::consts::TAU * hertz * f64::from(k) * 1e-3;
                let hand = high + Vec3::x() * (0.004 * phase.sin());
                if k >= 1000 {
                    work_j += force.dot(&(hand - last));
                }
                (force, last) = (fixture.tick(hand).wrench.force_n, hand);
            }
            // 2 s of whole periods.
            let stored_j = 0.5 * STIFFNESS * 0.004_f64.powi(2);
            assert!(
                work_j < 0.02 * stored_j,
                "lag {lag}, {hertz} Hz: {work_j} J of {stored_j}"
            );
        }
    }
}

/// What the hand feels of a block that it shakes: mass in phase with its acceleration, and drag, as
/// parts of `mass omega^2 amplitude`.
fn felt(lag: usize, hertz: f64) -> [f64; 2] {
    let (mut fixture, on) = pressing(lag);
    assert!(fixture.engine.grasp(0, 0));
    let high = on + Vec3::z() * 0.06;
    carry(&mut fixture, on, high, 300);
    let omega = std::f64::consts::TAU * hertz;
    let amplitude = 0.6 / (omega * omega);
    let (mut mass, mut drag, mut ticks) = (0.0, 0.0, 0.0);
    let periods = (2.0 * hertz).ceil();
    let end = (1.0 + periods / hertz) * 1000.0;
    for k in 0..end.round() as u32 {
        let phase = omega * f64::from(k) * 1e-3;
        let outcome = fixture.tick(high + Vec3::x() * (amplitude * phase.sin()));
        if k >= 1000 {
            mass += outcome.wrench.force_n.x * phase.sin();
            drag -= outcome.wrench.force_n.x * phase.cos();
            ticks += 1.0;
        }
    }
    // The hand's acceleration is 0.6 m/s2 times minus the sine.
    [mass, drag].map(|sum| 2.0 * sum / ticks / (MASS_KG * 0.6))
}

#[test]
fn a_hand_feels_the_inertia_of_what_it_shakes() {
    for lag in [0, 1, 3] {
        for hertz in [1.0, 2.0, 4.0] {
            let omega = std::f64::consts::TAU * hertz;
            // A mass on a spring with half of critical damping, seen through the spring.
            let r = omega / (HELD / MASS_KG).sqrt();
            let whole = (1.0 - r * r).powi(2) + r * r;
            let wanted = [(1.0 - r * r) / whole, r / whole];
            let is = felt(lag, hertz);
            for (is, wanted) in is.iter().zip(wanted) {
                assert!(
                    (is - wanted).abs() < 0.2,
                    "lag {lag}, {hertz} Hz: {is} of {wanted}"
                );
            }
        }
    }
}

/// A body that falls past, or is far away, is not taken: it would pull with all its force at once.
#[test]
fn what_is_far_or_fast_is_not_taken() {
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.4))]);
    let block = fixture.ids[1];
    let hand = Vec3::new(0.03, 0.0, 0.3);
    fixture.tick(hand);
    // 10 cm above the hand, less the block's size, at rest; then it falls past at 1.4 m/s.
    assert!(!fixture.engine.grasp(0, block));
    while fixture.at(1).z > 0.29 {
        fixture.tick(hand);
    }
    assert!(!fixture.engine.grasp(0, block));
    // On the floor it is slow, and near a hand that follows.
    stay(&mut fixture, hand, SETTLE);
    carry(&mut fixture, hand, Vec3::new(0.03, 0.0, 0.06), 300);
    assert!(fixture.engine.grasp(0, block));
}

/// A tool that does not turn holds a body at its centre of mass: a body that spins far from the
/// tool does not draw the hand.
#[test]
fn a_body_that_spins_does_not_draw_a_hand_that_cannot_turn() {
    let mut bar = spec(
        "bar",
        BodyKind::Dynamic,
        Vec3::new(0.04, 0.01, 0.01),
        Vec3::new(0.0, 0.0, 0.0101),
    );
    bar.world_from_body.rotation = hapticd_geometry::Quat::from_scaled_axis(Vec3::z() * 0.3);
    let mut fixture = Fixture::new(1, vec![bar]);
    let end = Vec3::new(0.06, 0.0, 0.05);
    stay(&mut fixture, end, 200);
    assert!(fixture.engine.grasp(0, fixture.ids[1]));
    let high = end + Vec3::z() * 0.03;
    carry(&mut fixture, end, high, 300);
    stay(&mut fixture, high, SETTLE);
    // Now the hand of the ball turns it: 0.5 rad at once.
    let mut most = 0.0_f64;
    for k in 0..800 {
        let turn = hapticd_geometry::Quat::from_scaled_axis(Vec3::z() * 0.5);
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(Pose::from_parts(high.into(), turn));
        let outcome = fixture.tick_at(devices[0].unwrap());
        let force = outcome.wrench.force_n;
        // The target of its centre of mass swings by its lever: that is felt, and over soon.
        if k > 700 {
            most = most.max((force.x.hypot(force.y)).abs());
        }
        let at = fixture.pose(1);
        assert!(at.translation.vector.norm() < 0.2, "{at:?}");
    }
    assert!(most < 0.05, "{most} N");
}

/// A block that is caught under a shelf is let go when the hand pulls on.
#[test]
fn a_body_that_is_caught_is_let_go() {
    let shelf = spec(
        "shelf",
        BodyKind::Static,
        Vec3::new(0.05, 0.1, 0.01),
        Vec3::new(0.0, 0.0, 0.06),
    );
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0201)), shelf]);
    let far = Vec3::new(-0.06, 0.0, 0.03);
    stay(&mut fixture, far, 100);
    assert!(fixture.engine.grasp(0, fixture.ids[1]));
    let (mut ended, mut force) = (None, 0.0_f64);
    for k in 0..2000 {
        fixture.engine.set_passed(
            0,
            Passed {
                most_n: 3.0,
                ..Passed::default()
            },
        );
        let outcome = fixture.tick(far + Vec3::z() * (1e-4 * f64::from(k)));
        force = force.max(outcome.wrench.force_n.norm());
        if let Some(why) = outcome.let_go {
            ended = Some((k, why));
            break;
        }
    }
    // 3 x 3 N at 375 N/m are 24 mm beyond the shelf, 10 mm above the block.
    let (tick, why) = ended.unwrap();
    assert_eq!(why, LetGo::Stretched);
    assert!((300..600).contains(&tick), "{tick}");
    assert!(force > 8.0, "{force}");
}

/// A lost arm lets go.
#[test]
fn an_arm_that_is_placed_elsewhere_lets_go() {
    let (mut fixture, on) = pressing(1);
    assert!(fixture.engine.grasp(0, 0));
    let held = fixture.tick(on);
    assert_eq!(held.grasped, fixture.ids[1]);
    let input = TickInput {
        period_s: PERIOD_S,
        devices: [None; MAX_ARMS],
        anchor: 0,
    };
    let lost = fixture.engine.tick(&input).arms[0];
    assert_eq!((lost.grasped, lost.let_go), (0, Some(LetGo::ArmLost)));
    let next = fixture.engine.tick(&input).arms[0];
    assert_eq!(next.let_go, None);
}

/// Whatever the hand does, and whenever it takes and lets go: the fixture checks every tick that
/// nothing penetrates anything.
#[test]
fn nothing_penetrates_whatever_the_hand_does() {
    let mut seed = 3_u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for lag in [0, 1, 3, 5] {
        let blocks =
            [("left", -0.05), ("middle", 0.0), ("right", 0.05)].map(|(name, x)| BodySpec {
                name: name.into(),
                ..block(Vec3::new(x, 0.0, 0.0201))
            });
        let mut fixture = Fixture::new(lag, blocks.to_vec());
        let mut hand = Vec3::new(0.0, 0.0, 0.08);
        let (mut held, mut ended) = (0, 0);
        for k in 0..140 {
            let to = Vec3::new(0.06 * next(), 0.03 * next(), 0.045 + 0.03 * next());
            match k % 3 {
                0 if next() > 0.0 => {
                    fixture.engine.grasp(0, 0);
                }
                0 => {
                    let body = fixture.ids[1 + (next().abs() * 3.0) as usize];
                    fixture.engine.grasp(0, body);
                }
                1 if next() > 0.3 => fixture.engine.let_go(0, LetGo::Ordered),
                _ => {}
            }
            let ticks = (150.0 + 200.0 * next().abs()) as usize;
            for t in 1..=ticks {
                let at = hand + (to - hand) * (t as f64 / ticks as f64);
                let outcome = fixture.tick(at);
                held += usize::from(outcome.grasped > 0);
                ended += usize::from(outcome.let_go.is_some());
            }
            hand = to;
        }
        assert!(
            held > 500 && ended > 2,
            "lag {lag}: {held} ticks held, {ended} ends"
        );
    }
}
