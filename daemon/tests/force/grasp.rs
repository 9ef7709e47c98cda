//! Grasps as an application asks for them and a hand feels them: the real daemon, its socket, the
//! force that it recorded, and the replay of it.

use super::effects::{Fixture, PATIENCE};
use super::*;
use std::time::Instant;

use hapticd_client::{ArmState, Client, Event, Notification, RequestError, Subscription, topic};
use hapticd_protocol::event::LetGoReason;
use hapticd_protocol::reply::ErrorCode;

/// The hand goes down on the block, stays, goes up again, and stays.
const HAND: &str = "kind = \"press\"\nfrom = [0.0, 0.0, 0.05]\ndepth_m = 0.037\nmove_s = 0.4\n\
                    hold_s = 0.6\n";
const BLOCK: &str = "[[body]]\nname = \"block\"\nkind = \"dynamic\"\ndensity_kg_m3 = 2000\n\
                     position_m = [0.0, 0.0, -0.0049]\nmaterial = \"stone\"\n\
                     shape = { kind = \"cuboid\", size_m = [0.03, 0.03, 0.03] }\n";
/// Its weight: 3 cm cubed of 2000 kg/m3.
const WEIGHT_N: f64 = 0.027_f64 * 2.0 * 9.81;

/// An application that listens to the arm and looks at the block.
struct App {
    client: Client,
    scene: Subscription,
    block: u32,
}

impl App {
    fn new(fixture: &Fixture) -> Self {
        let mut client = fixture.app();
        let scene = client
            .subscribe(0, topic::BODIES | topic::EVENTS | topic::CONTACT_EVENTS)
            .unwrap();
        let bodies = client.bodies().unwrap();
        let block = bodies.iter().find(|body| body.name.as_str() == "block");
        let block = block.unwrap().body;
        App {
            client,
            scene,
            block,
        }
    }

    /// Waits for an event.
    fn event<T>(&mut self, is_it: impl Fn(&Event) -> Option<T>) -> T {
        loop {
            match self.client.poll(PATIENCE).unwrap() {
                Some(Notification::Event(event)) => {
                    if let Some(found) = is_it(&event) {
                        return found;
                    }
                }
                Some(_) => {}
                None => panic!("never told"),
            }
        }
    }

    fn touched(&mut self) {
        let block = self.block;
        self.event(|event| match event {
            Event::Touched(touched) if touched.body == block => Some(()),
            _ => None,
        });
    }

    fn grasped(&mut self) {
        let block = self.block;
        self.event(|event| match event {
            Event::Grasped(grasped) if grasped.arm == 0 => {
                assert_eq!(grasped.body, block);
                Some(())
            }
            _ => None,
        });
    }

    fn let_go(&mut self) -> (u32, LetGoReason) {
        self.event(|event| match event {
            Event::LetGo(let_go) if let_go.arm == 0 => Some((let_go.body, let_go.reason)),
            _ => None,
        })
    }

    /// Height of the block's centre, m.
    fn height_m(&self) -> f64 {
        loop {
            if let Ok(bodies) = self.scene.bodies() {
                let mut all = bodies.as_slice().iter();
                if let Some(block) = all.find(|body| body.body == self.block) {
                    return block.world_from_body.translation_m[2];
                }
            }
        }
    }

    /// Waits until the block's centre is at such a height, m.
    fn until_height(&mut self, is_it: impl Fn(f64) -> bool) {
        let begun = Instant::now();
        while !is_it(self.height_m()) {
            assert!(begun.elapsed() < PATIENCE, "it is at {} m", self.height_m());
            self.client.renew_leases(10_000).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Lets the arm take the block that it touches.
    fn take(&mut self) {
        self.touched();
        self.client.grasp_body(0, 0).unwrap();
        self.grasped();
    }
}

fn free(state: &ArmState) -> bool {
    state.grasped_body == 0
}

#[test]
fn a_block_is_lifted_and_let_go_and_the_hand_feels_it() {
    let fixture = Fixture::with_bodies("grasp", HAND, BLOCK);
    let mut app = App::new(&fixture);
    app.take();
    // Up: the block hangs from the hand, which feels its weight.
    app.until_height(|z| z > 0.02);
    let block = app.block;
    fixture.until("the weight", Some(&mut app.client), |state| {
        let z = state.force_n[2];
        state.grasped_body == block && state.contacts == 0 && (z + WEIGHT_N).abs() < 0.02
    });
    app.client.release_body(0).unwrap();
    assert_eq!(app.let_go(), (block, LetGoReason::Ordered));
    app.until_height(|z| z < 0.0);
    // Nothing is held any more: no error.
    app.client.release_body(0).unwrap();
    let ticks = fixture.end();
    let lifted = ticks.iter().filter(|tick| tick.arms[0].grasped == block);
    assert!(lifted.count() > 100);
    for two in ticks.windows(2) {
        let [from, to] = [0, 1].map(|k| two[k].arms[0].force_n);
        let change = recording::length(&[0, 1, 2].map(|k| to[k] - from[k]));
        let ms = (two[1].now_ns - two[0].now_ns) as f64 * 1e-6;
        assert!(change <= ms + 1e-9, "the slew limit: {change} N in {ms} ms");
    }
}

#[test]
fn a_grasp_ends_with_its_client_its_silence_and_its_focus() {
    let fixture = Fixture::with_bodies("grasp-ends", HAND, BLOCK);
    let mut watcher = App::new(&fixture);
    // Out of focus.
    let mut app = App::new(&fixture);
    app.take();
    app.client.set_focus(false).unwrap();
    assert_eq!(app.let_go(), (app.block, LetGoReason::HolderGone));
    match app.client.grasp_body(0, app.block) {
        Err(RequestError::Refused(error)) => assert_eq!(error.code, ErrorCode::NotPermitted),
        other => panic!("{other:?}"),
    }
    app.client.set_focus(true).unwrap();
    // A named body, wherever it is; and one that cannot be held.
    app.client.grasp_body(0, app.block).unwrap();
    app.grasped();
    let floor = app.client.bodies().unwrap();
    let floor = floor.iter().find(|body| body.name.as_str() == "floor");
    match app.client.grasp_body(0, floor.unwrap().body) {
        Err(RequestError::Refused(error)) => assert_eq!(error.code, ErrorCode::NotPermitted),
        other => panic!("{other:?}"),
    }
    match app.client.grasp_body(0, 999) {
        Err(RequestError::Refused(error)) => assert_eq!(error.code, ErrorCode::NoSuchBody),
        other => panic!("{other:?}"),
    }
    // Silent.
    app.client.renew_leases(300).unwrap();
    fixture.until("silence lets go", Some(&mut watcher.client), free);
    // Gone. Another client's release does nothing before.
    app.client.renew_leases(10_000).unwrap();
    app.client.grasp_body(0, app.block).unwrap();
    app.grasped();
    watcher.client.release_body(0).unwrap();
    for _ in 0..20 {
        app.client.renew_leases(10_000).unwrap();
        fixture.until("it still holds", Some(&mut watcher.client), |state| {
            !free(state)
        });
    }
    drop(app);
    fixture.until("its end lets go", Some(&mut watcher.client), free);
    // Nothing there: in the air.
    watcher.event(|event| match event {
        Event::Released(_) => Some(()),
        _ => None,
    });
    watcher.client.grasp_body(0, 0).unwrap();
    loop {
        match watcher.let_go() {
            (0, LetGoReason::NothingThere) => break,
            (body, reason) => assert!(body > 0, "{reason:?}"),
        }
    }
    fixture.end();
}
