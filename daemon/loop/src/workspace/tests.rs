//! The frame of an arm in random hands and under random orders: pure, without an engine.

use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::Contact;
use proptest::prelude::*;

use super::*;

const DT_S: f64 = 0.001;

fn pose(place: [f64; 3], turn: [f64; 3]) -> Pose {
    let turn = Quat::from_scaled_axis(Vec3::from(turn));
    Pose::from_parts(Vec3::from(place).into(), turn)
}

fn configured() -> ArmFrame {
    ArmFrame::new(pose([0.1, -0.2, 0.3], [0.0, 0.0, 0.7]), 1.5)
}

fn mapping(world_from_base: Pose) -> Mapping {
    Mapping {
        world_from_base,
        scale: 1.5,
        max_speed_m_s: 0.5,
        recentre: false,
        bubble: None,
    }
}

fn bubble() -> Bubble {
    Bubble {
        centre_m: Vec3::new(0.01, 0.0, 0.0),
        radius_m: 0.05,
        width_m: 0.03,
        max_speed_m_s: 0.4,
        stiffness_n_per_m: 100.0,
        cap_n: 1.0,
    }
}

/// A workspace with a hand, a tool in free air, and the frame's motion checked in every tick.
struct Bench {
    workspace: Workspace,
    outcome: ArmOutcome,
    hand: Pose,
    buttons: u32,
    has_authority: bool,
    is_placed: bool,
}

impl Bench {
    fn new() -> Self {
        let mut outcome = ArmOutcome::absent();
        outcome.present = true;
        let mut bench = Bench {
            workspace: Workspace::new(configured(), Some(3)),
            outcome,
            hand: pose([0.02, 0.01, -0.03], [0.1, 0.2, -0.3]),
            buttons: 0,
            has_authority: true,
            is_placed: false,
        };
        bench.outcome.spring.far_end = bench.device();
        bench
    }

    fn device(&self) -> Pose {
        self.workspace.frame().to_world(&self.hand)
    }

    /// Runs a tick. In free air the tool is where the hand's end of the spring is.
    fn tick(&mut self) -> Option<FrameChange> {
        let change = self.workspace.tick(&WorkspaceInput {
            hand: &self.hand,
            buttons: self.buttons,
            dt_s: DT_S,
            outcome: &self.outcome,
            has_authority: self.has_authority,
            is_placed: self.is_placed,
        });
        if self.outcome.contact_count == 0 {
            self.outcome.spring.far_end = self.device();
        }
        change
    }

    fn map(&mut self, mapping: Mapping) {
        self.workspace.order(WorkspaceChange::Map(mapping));
    }

    fn clutch(&mut self, engaged: bool) {
        self.workspace.order(WorkspaceChange::Clutch(engaged));
    }

    fn touch(&mut self, touches: bool) {
        self.outcome.contact_count = usize::from(touches);
        self.outcome.contacts[0] = Contact::NONE;
    }
}

/// Distance, m, and angle, rad, between two poses.
fn between(a: &Pose, b: &Pose) -> [f64; 2] {
    let shift = a.translation.vector - b.translation.vector;
    [shift.norm(), a.rotation.angle_to(&b.rotation)]
}

fn assert_near(a: &Pose, b: &Pose) {
    let [shift_m, turn_rad] = between(a, b);
    assert!(shift_m < 1e-9 && turn_rad < 1e-7, "{shift_m} {turn_rad}");
}

#[test]
fn without_an_order_a_frame_keeps_its_bits() {
    let mut bench = Bench::new();
    for k in 0..100 {
        bench.hand.translation.vector.x = 1e-3 * f64::from(k);
        bench.buttons = 0b10111;
        bench.is_placed = k == 50;
        assert!(bench.tick().is_none());
        assert_eq!(*bench.workspace.frame(), configured());
        assert_eq!(bench.workspace.moved_frame(), None);
    }
}

#[test]
fn a_frame_arrives_at_its_mapping_exactly_and_then_rests() {
    let mut bench = Bench::new();
    let there = pose([0.3, -0.1, 0.25], [0.4, -0.2, 1.0]);
    bench.map(mapping(there));
    let ticks = (0..2000).take_while(|_| bench.tick().is_some()).count();
    // 0.3 m at 0.5 m/s, and the smooth end.
    assert!((500..1500).contains(&ticks), "{ticks}");
    assert_eq!(*bench.workspace.frame(), ArmFrame::new(there, 1.5));
}

/// Where the scale changes the tool stays in that tick, and then goes where the mapping puts it.
#[test]
fn the_scale_waits_for_a_free_tool_and_leaves_it_where_it_is() {
    let mut bench = Bench::new();
    let asked = Mapping {
        scale: 4.0,
        ..mapping(configured().world_from_base)
    };
    bench.map(asked);
    let before = bench.device();
    bench.touch(true);
    for _ in 0..50 {
        bench.tick();
        assert_eq!(bench.workspace.frame().scale, 1.5);
    }
    assert_near(&bench.device(), &before);
    bench.touch(false);
    bench.outcome.grasped = 7;
    bench.tick();
    assert_eq!(bench.workspace.frame().scale, 1.5);
    bench.outcome.grasped = 0;
    let change = bench.tick().unwrap();
    assert_eq!(change.ratio, 4.0 / 1.5);
    assert_eq!(bench.workspace.frame().scale, 4.0);
    let [shift_m, _] = between(&bench.device(), &before);
    assert!(shift_m <= 0.5 * DT_S + 1e-12, "{shift_m}");
    while bench.tick().is_some() {}
    let there = ArmFrame::new(asked.world_from_base, 4.0);
    assert_eq!(*bench.workspace.frame(), there);
}

#[test]
fn a_clutch_lets_the_tool_stand_and_go_on_from_there() {
    let mut bench = Bench::new();
    for by_button in [false, true] {
        bench.tick();
        let stands = bench.device();
        match by_button {
            true => bench.buttons = 1 << 3,
            false => bench.clutch(true),
        }
        for k in 0..200 {
            bench.hand = pose(
                [0.001 * f64::from(k), 0.05, -0.02],
                [0.2, 0.01 * f64::from(k), 0.3],
            );
            bench.tick();
            assert!(bench.workspace.is_clutched());
            assert_near(&bench.device(), &stands);
        }
        bench.buttons = 0;
        bench.clutch(false);
        let frame = *bench.workspace.frame();
        for _ in 0..100 {
            assert!(bench.tick().is_none(), "the frame rests");
        }
        assert_eq!(*bench.workspace.frame(), frame);
        assert_near(&bench.device(), &stands);
        // The directions are those of before: right stays right, and the tool turns with the hand.
        let turn = Quat::from_scaled_axis(Vec3::new(0.0, 0.1, 0.0));
        bench.hand.translation.vector.x += 0.01;
        bench.hand.rotation = turn * bench.hand.rotation;
        bench.tick();
        let base = configured().world_from_base.rotation;
        let shift = bench.device().translation.vector - stands.translation.vector;
        assert!((shift - base * Vec3::x() * 0.015).norm() < 1e-9);
        let turned = bench.device().rotation * stands.rotation.inverse();
        assert!(turned.angle_to(&(base * turn * base.inverse())) < 1e-7);
    }
    // Back to the configured frame, at a bounded speed.
    let recentre = Mapping {
        recentre: true,
        ..mapping(configured().world_from_base)
    };
    bench.map(recentre);
    while bench.tick().is_some() {}
    assert_eq!(*bench.workspace.frame(), configured());
}

/// A tool that presses when the clutch is engaged: the hand's end of the spring goes to the far
/// end, which stands, and no step is longer than before.
#[test]
fn a_clutch_relaxes_the_spring() {
    let mut bench = Bench::new();
    bench.tick();
    bench.touch(true);
    let far_end = pose([0.11, -0.19, 0.30], [0.1, 0.1, 0.2]);
    bench.outcome.spring.far_end = far_end;
    bench.outcome.wrench.force_n.z = 1.0;
    bench.clutch(true);
    let mut last = f64::INFINITY;
    for _ in 0..1000 {
        bench.hand.translation.vector.z += 1e-4;
        bench.tick();
        let [stretch_m, _] = between(&bench.device(), &far_end);
        assert!(stretch_m <= last + 1e-12, "{stretch_m} after {last}");
        last = stretch_m;
    }
    assert!(last < 1e-9, "{last}");
}

/// A tool that follows by increments has no spring: its hand is anywhere, and stays there.
#[test]
fn a_clutch_does_not_draw_the_hand_of_a_tool_without_a_spring() {
    let mut bench = Bench::new();
    bench.tick();
    let stands = bench.device();
    bench.outcome.spring.far_end = pose([0.5, 0.0, 0.0], [0.0; 3]);
    bench.clutch(true);
    for _ in 0..100 {
        bench.outcome.spring.far_end = pose([0.5, 0.0, 0.0], [0.0; 3]);
        bench.tick();
        assert_near(&bench.device(), &stands);
    }
}

#[test]
fn a_frame_that_turns_under_a_clutch_does_not_move_the_tool() {
    let mut bench = Bench::new();
    bench.tick();
    let stands = bench.device();
    bench.clutch(true);
    bench.map(mapping(pose([2.0, 1.0, 0.0], [0.0, 1.2, 0.0])));
    for k in 0..1000 {
        bench.hand.translation.vector.y = 1e-4 * f64::from(k);
        bench.tick();
        assert_near(&bench.device(), &stands);
    }
    let turned = bench.workspace.frame().world_from_base.rotation;
    assert!(turned.angle_to(&Quat::from_scaled_axis(Vec3::y() * 1.2)) < 1e-7);
    bench.clutch(false);
    for _ in 0..100 {
        bench.tick();
        assert_near(&bench.device(), &stands);
    }
}

/// The law of the bubble, against its formula.
#[test]
fn a_hand_outside_of_the_bubble_drives_the_frame_and_one_inside_does_not() {
    let mut bench = Bench::new();
    let bubble = bubble();
    bench.map(Mapping {
        bubble: Some(bubble),
        ..mapping(configured().world_from_base)
    });
    let base = configured().world_from_base.rotation;
    let out = Vec3::new(0.6, 0.0, 0.8);
    for (d, share) in [
        (0.0, 0.0),
        (0.05, 0.0),
        (0.065, 0.125),
        (0.08, 1.0),
        (0.2, 1.0),
    ] {
        bench.hand.translation.vector = bubble.centre_m + out * d;
        for _ in 0..300 {
            bench.tick();
        }
        let before = bench.device().translation.vector;
        for _ in 0..100 {
            bench.tick();
        }
        let way = bench.device().translation.vector - before;
        let expected = base * out * (0.4 * share * 0.1);
        assert!(
            (way - expected).norm() < 1e-9,
            "{d}: {way} and not {expected}"
        );
        assert_eq!(bench.workspace.is_driven(), share > 0.0);
    }
}

#[test]
fn a_bubble_rests_in_contact_without_force_and_under_a_clutch() {
    let mut bench = Bench::new();
    let with_bubble = Mapping {
        bubble: Some(bubble()),
        ..mapping(configured().world_from_base)
    };
    bench.map(with_bubble);
    bench.hand.translation.vector.x = 0.2;
    let rests: [fn(&mut Bench, bool); 5] = [
        |bench, on| bench.touch(on),
        |bench, on| bench.outcome.soft_rows = u32::from(on),
        |bench, on| bench.has_authority = !on,
        |bench, on| bench.clutch(on),
        |bench, on| bench.outcome.wrench.force_n.x = if on { 2.1 } else { 0.0 },
    ];
    for (k, rest) in rests.into_iter().enumerate() {
        for _ in 0..300 {
            bench.tick();
        }
        assert!(bench.workspace.is_driven(), "case {k}");
        rest(&mut bench, true);
        bench.tick();
        let before = bench.device();
        for _ in 0..100 {
            bench.tick();
            assert!(!bench.workspace.is_driven(), "case {k}");
            assert_near(&bench.device(), &before);
        }
        rest(&mut bench, false);
        // And it does not begin at full speed.
        let before = bench.device();
        bench.tick();
        let [shift_m, _] = between(&bench.device(), &before);
        assert!(
            k == 4 || shift_m < 0.4 * DT_S * 0.0051,
            "case {k}: {shift_m}"
        );
    }
}

#[test]
fn what_applications_ordered_ends_and_the_tool_stays() {
    for ends in [0, 1] {
        let mut bench = Bench::new();
        bench.hand.translation.vector.x = 0.2;
        bench.map(Mapping {
            bubble: Some(bubble()),
            ..mapping(pose([5.0, 0.0, 0.0], [0.0, 0.5, 0.0]))
        });
        for _ in 0..300 {
            bench.tick();
        }
        bench.clutch(true);
        bench.tick();
        let before = bench.device();
        match ends {
            0 => {
                bench.workspace.order(WorkspaceChange::Stop);
                bench.clutch(false);
            }
            _ => assert!(bench.workspace.end_unserved()),
        }
        for _ in 0..100 {
            bench.tick();
            assert!(!bench.workspace.is_driven() && !bench.workspace.is_clutched());
            assert_near(&bench.device(), &before);
        }
        // The next arm that comes back finds the configured frame.
        bench.is_placed = true;
        bench.tick();
        assert_eq!(*bench.workspace.frame(), configured());
    }
}

#[test]
fn an_arm_that_is_back_finds_the_frame_that_an_application_holds() {
    let mut bench = Bench::new();
    let there = pose([0.3, 0.0, 0.0], [0.0; 3]);
    bench.map(mapping(there));
    while bench.tick().is_some() {}
    bench.is_placed = true;
    bench.tick();
    assert_eq!(*bench.workspace.frame(), ArmFrame::new(there, 1.5));
}

/// One thing that happens to a workspace before a tick.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Map(Mapping),
    Stop,
    Clutch(bool),
    Buttons(u32),
    Touch(bool),
    Force(bool),
    Hand([f64; 6]),
    Nothing,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let six = || prop::array::uniform6(-1.0..1.0_f64);
    let map = (
        six(),
        0.1..10.0_f64,
        0.001..2.0_f64,
        any::<bool>(),
        any::<bool>(),
    );
    let map = map.prop_map(|(at, scale, max_speed_m_s, recentre, has_bubble)| {
        Deed::Map(Mapping {
            world_from_base: pose(
                [at[0], at[1], at[2]],
                [at[3] * 3.0, at[4] * 3.0, at[5] * 3.0],
            ),
            scale,
            max_speed_m_s,
            recentre,
            bubble: has_bubble.then(bubble),
        })
    });
    let deed = prop_oneof![
        2 => map,
        1 => Just(Deed::Stop),
        2 => any::<bool>().prop_map(Deed::Clutch),
        1 => (0..16_u32).prop_map(Deed::Buttons),
        1 => any::<bool>().prop_map(Deed::Touch),
        1 => any::<bool>().prop_map(Deed::Force),
        4 => six().prop_map(Deed::Hand),
        20 => Just(Deed::Nothing),
    ];
    prop::collection::vec(deed, 1..300)
}

proptest! {
    /// Whatever applications order, the frame alone moves the tool no faster than mapping and
    /// bubble say, and turns it no faster than a frame may.
    #[test]
    fn a_frame_never_moves_the_tool_faster_than_it_may(deeds in deeds()) {
        let mut bench = Bench::new();
        bench.tick();
        let mut speed_m_s: f64 = 0.0;
        for deed in deeds {
            let before_deed = bench.device();
            match deed {
                Deed::Map(mapping) => {
                    speed_m_s = speed_m_s.max(mapping.max_speed_m_s);
                    bench.map(mapping);
                }
                Deed::Stop => bench.workspace.order(WorkspaceChange::Stop),
                Deed::Clutch(engaged) => bench.clutch(engaged),
                Deed::Buttons(buttons) => bench.buttons = buttons,
                Deed::Touch(touches) => bench.touch(touches),
                Deed::Force(on) => bench.has_authority = on,
                Deed::Hand(at) => {
                    let [x, y, z, a, b, c] = at.map(|part| 0.1 * part);
                    bench.hand = pose([x, y, z], [a, b, c]);
                }
                Deed::Nothing => {}
            }
            // What the hand alone would have done.
            let before = bench.device();
            let was_clutched = bench.workspace.clutch.is_some();
            let held = before_deed;
            let rest = bench.workspace.clutch.map(|clutch| clutch.rest);
            bench.tick();
            let now = bench.device();
            prop_assert!(now.translation.vector.iter().all(|x| x.is_finite()));
            let is_held = was_clutched && bench.workspace.is_clutched();
            let [shift_m, turn_rad] = match bench.workspace.is_clutched() {
                true => between(&now, &held),
                false => between(&now, &before),
            };
            // A clutch takes the hand's end to the far end, a twentieth of the way in each tick.
            let relaxes = match (is_held, rest) {
                (true, Some(rest)) => between(&held, &rest),
                _ => between(&held, &bench.outcome.spring.far_end),
            };
            let way_m = (speed_m_s + 0.4) * DT_S + 0.05 * relaxes[0];
            prop_assert!(shift_m <= way_m + 1e-9, "{} of {}", shift_m, way_m);
            let angle_rad = 4.0 * DT_S + 0.05 * relaxes[1];
            prop_assert!(turn_rad <= angle_rad + 1e-6, "{} of {}", turn_rad, angle_rad);
        }
    }

    /// What stands still for the hand is carried with the frame: a point keeps its place in the
    /// base frame, and so does a tool's rotation in the hand.
    #[test]
    fn a_change_carries_poses_along_with_the_frame(deeds in deeds()) {
        let mut bench = Bench::new();
        let other = pose([0.05, 0.02, -0.04], [0.4, -0.3, 0.2]);
        for deed in deeds {
            match deed {
                Deed::Map(mapping) => bench.map(mapping),
                Deed::Clutch(engaged) => bench.clutch(engaged),
                Deed::Hand(at) => bench.hand = pose([at[0], at[1], at[2]], [at[3], at[4], at[5]]),
                _ => {}
            }
            let before = bench.workspace.frame().to_world(&other);
            let carried = match bench.tick() {
                Some(change) => change.carry(&before),
                None => before,
            };
            let [shift_m, turn_rad] = between(&carried, &bench.workspace.frame().to_world(&other));
            prop_assert!(shift_m < 1e-9 && turn_rad < 1e-6, "{} {}", shift_m, turn_rad);
        }
    }
}
