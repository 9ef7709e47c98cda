//! Bodies that an application places and pushes at once, as a hand feels them: the real daemon, its
//! socket, and the force that it recorded.

use super::effects::Fixture;
use super::*;
use hapticd_chaos::clients::{cuboid, spec};
use hapticd_client::{BodyKind, Client, ErrorCode, Pose, RequestError, Subscription, topic};
use hapticd_protocol::request::{PushBody, PushMode, TeleportBody};

/// A hand that goes down and stays, 2 cm under where it began.
const HAND: &str = "kind = \"press\"\nfrom = [0.0, 0.0, 0.05]\ndepth_m = 0.02\nmove_s = 0.3\n\
                    hold_s = 1000.0\n";

/// Height of a block that lies on the floor, m: 0.2 mm above its rest.
const LOW_M: f64 = 0.0077;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        translation_m: [x, y, z],
        ..Pose::IDENTITY
    }
}

/// An application with one block, and what it reads of it.
struct App {
    client: Client,
    bodies: Subscription,
    block: u32,
}

impl App {
    /// Adds a block that lies on the floor, `x` beside the hand, and that is higher than the hand.
    fn new(fixture: &Fixture, kind: BodyKind, x: f64) -> Self {
        let mut client = fixture.app();
        let block = spec("block", kind, [x, 0.0, LOW_M]);
        let mesh = cuboid([0.03, 0.03, 0.0275], 1);
        let block = client.add_body(&block, &mesh).unwrap();
        let bodies = client.subscribe(0, topic::BODIES).unwrap();
        App {
            client,
            bodies,
            block,
        }
    }

    /// Where the loop has the block.
    fn pose(&self) -> [f64; 3] {
        let all = self.bodies.bodies().unwrap();
        let found = all.as_slice().iter().find(|state| state.body == self.block);
        found.map_or([f64::NAN; 3], |state| state.world_from_body.translation_m)
    }

    fn teleport(&mut self, to: [f64; 3]) -> Result<(), RequestError> {
        let world_from_body = at(to[0], to[1], to[2]);
        let body = self.block;
        self.client.request(TeleportBody {
            world_from_body,
            body,
        })
    }

    fn push(&mut self, mode: PushMode, linear: [f64; 3]) -> Result<(), RequestError> {
        let point_m = self.pose();
        let body = self.block;
        self.client.request(PushBody {
            linear,
            angular: [0.0; 3],
            point_m,
            body,
            mode,
        })
    }

    /// Waits until that holds, and does `again` every now and then.
    fn until(
        &mut self,
        what: &str,
        mut again: impl FnMut(&mut Self),
        is_it: impl Fn(&Self) -> bool,
    ) {
        let begun = std::time::Instant::now();
        while !is_it(self) {
            assert!(begun.elapsed() < Duration::from_secs(120), "never: {what}");
            self.client.renew_leases(10_000).unwrap();
            again(self);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn until_at(&mut self, x: f64) {
        let is_there = |app: &Self| (app.pose()[0] - x).abs() < 1e-3;
        self.until("the place", |_| {}, is_there);
    }
}

fn code(result: Result<(), RequestError>) -> ErrorCode {
    match result {
        Err(RequestError::Refused(error)) => error.code,
        other => panic!("not refused: {other:?}"),
    }
}

/// Checks that no force changes by more than the slew limit, 1 N in a millisecond.
fn check_slew(ticks: &[Tick]) {
    assert!(longest(&arm(ticks)) > 0.3, "{}", longest(&arm(ticks)));
    for two in ticks.windows(2) {
        let [from, to] = [0, 1].map(|k| two[k].arms[0].force_n);
        let change = recording::length(&[0, 1, 2].map(|k| to[k] - from[k]));
        let ms = (two[1].now_ns - two[0].now_ns) as f64 * 1e-6;
        assert!(change <= ms + 1e-9, "{change} N in {ms} ms");
    }
}

/// A block is placed around the tool, beside it, moved against it, and placed away while it
/// presses.
#[test]
fn a_teleported_body_never_sweeps_the_tool_and_its_force_fades() {
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        let fixture = Fixture::new(&format!("teleport-{}", kind.code()), HAND);
        let aside = [0.3, 0.0, LOW_M];
        let mut app = App::new(&fixture, kind, aside[0]);
        fixture.until("the hand is down", Some(&mut app.client), |s| {
            s.world_from_device.translation_m[2] < 0.032
        });
        for _ in 0..3 {
            app.teleport([0.0, 0.0, LOW_M]).unwrap();
            app.until_at(0.0);
            for _ in 0..50 {
                let state = fixture.arm.state().unwrap();
                assert_eq!(state.force_n, [0.0; 3], "it is a ghost");
                std::thread::sleep(Duration::from_millis(1));
            }
            app.teleport([-0.1, 0.0, LOW_M]).unwrap();
            app.until_at(-0.1);
            if kind == BodyKind::Kinematic {
                let (block, to) = (app.block, at(0.0, 0.0, LOW_M));
                app.client.set_body_pose(block, to, 0.3, 10_000).unwrap();
            }
            let against = |app: &mut App| {
                if kind == BodyKind::Dynamic {
                    app.push(PushMode::Velocity, [0.4, 0.0, 0.0]).unwrap();
                }
            };
            app.until("it presses", against, |_| {
                fixture.arm.state().unwrap().force_n[0].abs() > 0.3
            });
            app.teleport(aside).unwrap();
            app.until_at(aside[0]);
            fixture.until("no force", Some(&mut app.client), |s| s.force_n == [0.0; 3]);
            // Its target ended.
            std::thread::sleep(Duration::from_millis(20));
            app.until_at(aside[0]);
        }
        drop(app);
        check_slew(&fixture.end());
    }
}

#[test]
fn a_push_moves_a_body_of_the_application_and_bounds_are_told() {
    let fixture = Fixture::new("push", HAND);
    let mut app = App::new(&fixture, BodyKind::Dynamic, 0.3);
    fixture.until("the hand is down", Some(&mut app.client), |s| {
        s.world_from_device.translation_m[2] < 0.032
    });
    let in_the_floor = app.teleport([0.3, 0.0, -0.02]);
    assert_eq!(code(in_the_floor), ErrorCode::InvalidBody);
    let far = app.push(PushMode::Impulse, [1e6, 0.0, 0.0]);
    assert_eq!(code(far), ErrorCode::OutOfRange);
    // 0.198 kg at 0.5 m/s up, later the same as a velocity: 12.7 mm high.
    for (mode, z) in [(PushMode::Impulse, 0.099), (PushMode::Velocity, 0.5)] {
        let rests = |app: &App| (app.pose()[2] - LOW_M).abs() < 5e-4;
        app.until("it rests", |_| {}, rests);
        app.push(mode, [0.0, 0.0, z]).unwrap();
        app.until("it jumps", |_| {}, |app| app.pose()[2] > LOW_M + 0.005);
    }
    // Against the hand, which is not thrown.
    app.teleport([-0.1, 0.0, LOW_M]).unwrap();
    app.until_at(-0.1);
    app.until(
        "a knock",
        |app| app.push(PushMode::Velocity, [1.5, 0.0, 0.0]).unwrap(),
        |_| fixture.arm.state().unwrap().force_n[0].abs() > 0.3,
    );
    app.teleport([0.3, 0.0, LOW_M]).unwrap();
    fixture.until("no force", Some(&mut app.client), |s| s.force_n == [0.0; 3]);
    std::thread::sleep(Duration::from_millis(200));
    drop(app);
    check_slew(&fixture.end());
}
