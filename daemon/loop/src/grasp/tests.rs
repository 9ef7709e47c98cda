use hapticd_devices::arm::ArmSample;
use hapticd_devices::safety::Limits;
use hapticd_devices::sim::SimArmParams;
use hapticd_geometry::{Pose, Rigid, Vec3};
use hapticd_proxy::{
    ArmSetup, BodyEntry, BodyKey, Damping, Distances, FeaturePair, Gains, HINTS, Interaction,
    Material, Pair, PairKind, Snapshot, ToolShape,
};

use super::super::core::{ArmInput, LoopArm, LoopCore, LoopInput};
use super::super::frame::ArmFrame;
use super::super::orders::LoopOrder;
use super::super::record::Silencing;
use super::super::watchdog::{Silent, Watched};
use super::*;

const BODY: u32 = 7;
const BUTTON: u8 = 3;
/// On the body, pressing, and in the air.
const PRESS: f64 = 0.004;
const AIR: f64 = 0.02;

/// A loop with one arm, whose tool is a ball of 5 mm, over a dynamic body with its face at z = 0.
struct Bench {
    core: LoopCore,
    now_ns: u64,
    sequence: u64,
}

impl Bench {
    fn new() -> Self {
        let mut arms = [const { None }; MAX_ARMS];
        arms[0] = Some(LoopArm {
            frame: ArmFrame {
                world_from_base: Pose::identity(),
                scale: 1.0,
                hand_from_tool: None,
            },
            setup: ArmSetup {
                shape: ToolShape::sphere(0.005),
                distances: Distances::for_width(0.2),
                gains: Gains {
                    stiffness_n_per_m: 500.0,
                    ..Gains::default()
                },
                damping: Damping::default(),
                interaction: Interaction::default(),
                pair_budget: 100,
                reach_max_m: 0.05,
                reach_min_m: 0.001,
            },
            spec: SimArmParams::desktop().spec,
            answer_delay_ns: 1_000_000,
            limits: Limits::default(),
            grasp_button: Some(BUTTON),
            clutch_button: None,
        });
        let mut bench = Bench {
            core: LoopCore::new(arms, 1_000_000, 0.003).unwrap(),
            now_ns: 0,
            sequence: 0,
        };
        // In the air it becomes solid, then the tool presses on it.
        for k in 0..20 {
            bench.tick(AIR + (PRESS - AIR) * f64::from(k) / 19.0, 0, false);
        }
        // A hand that still moves fast takes nothing.
        for _ in 0..60 {
            bench.press(0);
        }
        assert!(bench.core.output().arms[0].contacts[0].active);
        bench
    }

    /// The collision thread's answer to the last query.
    fn answer(&mut self) {
        let query = self.core.query();
        let asked = &query.arms[0];
        let mut answer = Box::new(Snapshot::new(8));
        self.sequence += 1;
        answer.sequence = self.sequence;
        answer.query_tick = query.tick;
        answer.epoch = asked.epoch;
        answer.world_from_tool = asked.world_from_reference();
        answer.scene_version = 1;
        let face = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        answer.pairs.push(Pair::new(
            FeaturePair {
                kind: PairKind::VertexFace,
                a: &[Vec3::zeros(); 3],
                b: &face,
            },
            [Vec3::zeros(); HINTS],
            &Rigid::new(&answer.world_from_tool),
            0.005,
        ));
        answer.bodies.push(BodyEntry {
            key: BodyKey {
                slot: 0,
                generation: 1,
            },
            id: BODY,
            world_from_body: Pose::identity(),
            fixed: false,
            margin_m: 1.0,
            first_pair: 0,
            pair_count: 1,
            full: false,
            encloses_tool: false,
            target: None,
            by_trajectory: true,
            dynamic: true,
            centre: Vec3::zeros(),
            bound_m: 2.0,
            radius_m: 0.0,
            material: Material::DEFAULT,
        });
        self.core.offer(answer);
    }

    fn tick(&mut self, height_m: f64, buttons: u32, is_unserved: bool) -> u32 {
        self.now_ns += 1_000_000;
        let mut sample = ArmSample {
            sequence: self.now_ns,
            time_ns: self.now_ns,
            buttons,
            pose: Pose::translation(0.0, 0.0, height_m),
            ..ArmSample::default()
        };
        sample.status.calibrated = true;
        let mut arms = [ArmInput::default(); MAX_ARMS];
        arms[0] = ArmInput {
            sample,
            attached: true,
            truth: None,
        };
        let silent = match is_unserved {
            true => Silent::NONE.with(Watched::Ipc),
            false => Silent::NONE,
        };
        let input = LoopInput {
            now_ns: self.now_ns,
            periods: 1,
            arms,
            stopping: false,
            cut: false,
            silent,
        };
        let grasped = self.core.tick(&input).arms[0].grasped;
        self.answer();
        grasped
    }

    fn press(&mut self, buttons: u32) -> u32 {
        self.tick(PRESS, buttons, false)
    }

    fn order(&mut self, change: GraspChange) {
        let order = GraspOrder { arm: 0, change };
        assert!(self.core.order(LoopOrder::Grasp(order)));
    }

    fn ended(&self) -> Option<LetGo> {
        self.core.grasp_ended(0)
    }
}

#[test]
fn a_button_holds_what_the_tool_touches_while_it_is_pressed() {
    let mut bench = Bench::new();
    // Another button does nothing.
    assert_eq!(bench.press(1 << 2), 0);
    assert_eq!(bench.press(1 << BUTTON), BODY);
    assert_eq!(bench.press(1 << BUTTON | 1), BODY);
    assert_eq!(bench.press(1), 0);
    assert_eq!(bench.ended(), Some(LetGo::Ordered));
    bench.press(0);
    assert_eq!(bench.ended(), None);
}

#[test]
fn a_button_in_the_air_takes_nothing_and_says_nothing() {
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.tick(AIR, 0, false);
    }
    assert_eq!(bench.tick(AIR, 1 << BUTTON, false), 0);
    assert_eq!(bench.ended(), None);
    // Pressed all the while: a touch later takes nothing.
    for _ in 0..3 {
        assert_eq!(bench.press(1 << BUTTON), 0);
    }
}

#[test]
fn an_order_takes_by_touch_or_name_and_says_if_nothing_is_there() {
    for body in [0, BODY] {
        let mut bench = Bench::new();
        bench.order(GraspChange::Take(body));
        assert_eq!(bench.press(0), BODY);
        bench.order(GraspChange::LetGo);
        assert_eq!(bench.press(0), 0);
        assert_eq!(bench.ended(), Some(LetGo::Ordered));
    }
    let mut bench = Bench::new();
    bench.order(GraspChange::Take(BODY));
    assert_eq!(bench.press(0), BODY);
    bench.order(GraspChange::Abandon);
    assert_eq!(bench.press(0), 0);
    assert_eq!(bench.ended(), Some(LetGo::HolderGone));
    let mut bench = Bench::new();
    bench.order(GraspChange::Take(BODY + 1));
    assert_eq!(bench.press(0), 0);
    assert_eq!(bench.ended(), Some(LetGo::NothingThere));
    bench.press(0);
    assert_eq!(bench.ended(), None);
}

#[test]
fn a_pressed_button_holds_on_whatever_applications_order() {
    let mut bench = Bench::new();
    assert_eq!(bench.press(1 << BUTTON), BODY);
    bench.order(GraspChange::LetGo);
    assert_eq!(bench.press(1 << BUTTON), BODY);
    // An application's own lasts beyond the button.
    bench.order(GraspChange::Take(BODY));
    assert_eq!(bench.press(1 << BUTTON), BODY);
    assert_eq!(bench.press(0), BODY);
    bench.order(GraspChange::LetGo);
    assert_eq!(bench.press(0), 0);
}

#[test]
fn unserved_applications_hold_nothing_and_buttons_do() {
    let mut bench = Bench::new();
    bench.order(GraspChange::Take(BODY));
    assert_eq!(bench.press(0), BODY);
    assert_eq!(bench.tick(PRESS, 0, true), 0);
    assert_eq!(bench.ended(), Some(LetGo::ClientsUnserved));
    let mut bench = Bench::new();
    assert_eq!(bench.press(1 << BUTTON), BODY);
    assert_eq!(bench.tick(PRESS, 1 << BUTTON, true), BODY);
}

/// Nobody answers for it: it makes no force, held or not.
#[test]
fn a_silenced_body_is_not_taken() {
    for by_button in [false, true] {
        let mut bench = Bench::new();
        let silent = Silencing {
            body: BODY,
            silent: true,
        };
        assert!(bench.core.silence(silent));
        let buttons = match by_button {
            true => 1 << BUTTON,
            false => {
                bench.order(GraspChange::Take(BODY));
                0
            }
        };
        assert_eq!(bench.press(buttons), 0);
        assert_eq!(bench.ended(), Some(LetGo::BodySilent));
    }
}

#[test]
fn a_silenced_body_is_let_go_and_a_forgotten_one_takes_the_force_with_it() {
    let mut bench = Bench::new();
    bench.order(GraspChange::Take(BODY));
    bench.press(0);
    let silent = Silencing {
        body: BODY,
        silent: true,
    };
    assert!(bench.core.silence(silent));
    assert_eq!(bench.press(0), 0);
    assert_eq!(bench.ended(), Some(LetGo::BodySilent));
    let mut bench = Bench::new();
    bench.order(GraspChange::Take(BODY));
    bench.press(0);
    assert!(bench.core.forget(BODY));
    assert_eq!(bench.press(0), 0);
    assert_eq!(bench.ended(), Some(LetGo::BodyGone));
    // The force goes off as for a body that was touched.
    assert_eq!(bench.core.record().arms[0].removed_body, Some(BODY));
}
