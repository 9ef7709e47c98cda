//! Effects as an application asks for them and a hand feels them: the real daemon, its socket, and
//! the force that it recorded.

use super::*;
use std::time::Instant;

use hapticd_client::{
    Client, EffectKind, Event, Limit, NonNegative, Notification, SetEffect, Subscription, Waveform,
    effect, topic,
};

/// Bound that counts as a failure, above what a busy machine needs.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
const SAFETY: &str = "peak_force_n = 4.0\ncontinuous_force_n = 4.0\nramp_s = 0.2\n\
                      stale_input_ms = 60.0\nstale_contact_ms = 60.0\nstall_ms = 60.0\n";
/// A hand above the floor that holds still.
const REST: &str = "kind = \"rest\"\nat = [0.0, 0.0, 0.05]\n";
const ACTIVE: u8 = 3;

/// A recording daemon with one arm, and an application that only looks on.
pub(super) struct Fixture {
    folder: Folder,
    process: Child,
    pub(super) arm: Subscription,
    _watcher: Client,
}

impl Fixture {
    pub(super) fn new(name: &str, hand: &str) -> Self {
        Self::with_bodies(name, hand, "")
    }

    /// With more sections in the scene.
    pub(super) fn with_bodies(name: &str, hand: &str, bodies: &str) -> Self {
        let folder = Folder::new(name);
        folder.scene(SAFETY, hand, &[0.0]);
        let scene = folder.0.join("scene.toml");
        let text = std::fs::read_to_string(&scene).unwrap();
        std::fs::write(&scene, text + bodies).unwrap();
        let process = folder
            .command(&["run", "scene.toml", "--plain", "--record", "run.mcap"])
            .stderr(std::fs::File::create(folder.0.join("log")).unwrap())
            .spawn()
            .unwrap();
        let socket = folder.0.join("hapticd/app.sock");
        let mut watcher = Client::connect_until(&socket, "watcher", PATIENCE).unwrap();
        watcher.set_timeout(PATIENCE);
        let arm = watcher.subscribe(0, topic::STATE).unwrap();
        let fixture = Fixture {
            folder,
            process,
            arm,
            _watcher: watcher,
        };
        fixture.until("force is on", None, |state| state.governor == ACTIVE);
        fixture
    }

    pub(super) fn app(&self) -> Client {
        let socket = self.folder.0.join("hapticd/app.sock");
        let mut app = Client::connect_until(&socket, "effects", PATIENCE).unwrap();
        app.set_timeout(PATIENCE);
        app.subscribe(0, topic::EVENTS).unwrap();
        app.renew_leases(10_000).unwrap();
        app
    }

    /// Waits until the arm's state is like that; meanwhile `app` stays alive.
    pub(super) fn until(
        &self,
        what: &str,
        mut app: Option<&mut Client>,
        is_it: impl Fn(&hapticd_client::ArmState) -> bool,
    ) {
        let begun = Instant::now();
        loop {
            if self.arm.state().is_ok_and(|state| is_it(&state)) {
                return;
            }
            if let Some(app) = app.as_mut() {
                app.renew_leases(10_000).unwrap();
            }
            let log = || std::fs::read_to_string(self.folder.0.join("log")).unwrap();
            assert!(begun.elapsed() < PATIENCE, "never: {what}\n{}", log());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the daemon, replays what it recorded, and returns the ticks.
    pub(super) fn end(mut self) -> Vec<Tick> {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.unwrap().success());
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
        // A scribe that a busy machine held up may have lost ticks: what is there is compared.
        let mut replay = self.folder.command(&["replay", "run.mcap", "--json"]);
        let told = replay.stdout(Stdio::piped()).output().unwrap();
        let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
        assert!(told["ticks"].as_u64().unwrap() > 500, "{told}");
        assert_eq!(told["differing_ticks"], 0, "{told}");
        self.folder.read()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn push(axis: [f64; 3], newtons: f64) -> SetEffect {
    SetEffect {
        axis,
        magnitude_n: newtons,
        ..effect(0, EffectKind::Constant)
    }
}

fn is(force_n: &[f64; 3], wanted_n: [f64; 3]) -> bool {
    force_n
        .iter()
        .zip(wanted_n)
        .all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn a_push_is_felt_and_ends_with_its_reason() {
    let fixture = Fixture::new("effect-ends", REST);
    let mut app = fixture.app();
    let zero = |state: &hapticd_client::ArmState| is(&state.force_n, [0.0; 3]);
    // Stopped by its client.
    let running = app.set_effect(push([2.0, 0.0, 0.0], 1.5)).unwrap();
    fixture.until("1.5 N", Some(&mut app), |s| is(&s.force_n, [1.5, 0.0, 0.0]));
    let other_way = SetEffect {
        effect: running,
        ..push([0.0, -1.0, 0.0], 0.5)
    };
    assert_eq!(app.set_effect(other_way).unwrap(), running);
    fixture.until("0.5 N", Some(&mut app), |s| {
        is(&s.force_n, [0.0, -0.5, 0.0])
    });
    app.stop_effect(running).unwrap();
    fixture.until("nothing", Some(&mut app), zero);
    // Over by itself, and the client is told.
    let pulse = SetEffect {
        duration_s: Limit(0.2),
        ..push([1.0, 0.0, 0.0], 1.0)
    };
    let pulse = app.set_effect(pulse).unwrap();
    loop {
        match app.poll(PATIENCE).unwrap() {
            Some(Notification::Event(Event::EffectEnded(ended))) => {
                assert_eq!(ended.effect, pulse);
                break;
            }
            Some(_) => {}
            None => panic!("never told"),
        }
    }
    // Ended by its client's end.
    app.set_effect(push([0.0, 0.0, 1.0], 1.0)).unwrap();
    fixture.until("1 N", Some(&mut app), |s| is(&s.force_n, [0.0, 0.0, 1.0]));
    drop(app);
    fixture.until("nothing", None, zero);
    // Ended by its client's silence.
    let mut app = fixture.app();
    app.set_effect(push([0.0, 0.0, 1.0], 1.0)).unwrap();
    app.renew_leases(300).unwrap();
    fixture.until("1 N", None, |s| is(&s.force_n, [0.0, 0.0, 1.0]));
    fixture.until("nothing", None, zero);
    drop(app);
    let ticks = fixture.end();
    let felt = arm(&ticks);
    assert!((longest(&felt) - 1.5).abs() < 1e-9, "{}", longest(&felt));
    for two in ticks.windows(2) {
        let [from, to] = [0, 1].map(|k| two[k].arms[0].force_n);
        let change = recording::length(&[0, 1, 2].map(|k| to[k] - from[k]));
        let ms = (two[1].now_ns - two[0].now_ns) as f64 * 1e-6;
        assert!(change <= ms + 1e-9, "the slew limit: {change} N in {ms} ms");
    }
}

#[test]
fn effects_never_take_the_force_of_contact() {
    let hand = "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.06\nmove_s = 0.4\n\
                hold_s = 1.0\n";
    let fixture = Fixture::new("effect-contact", hand);
    let mut app = fixture.app();
    for axis in [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]] {
        app.set_effect(push(axis, 50.0)).unwrap();
    }
    app.set_effect(push([1.0, 0.0, 0.0], 100.0)).unwrap();
    // Faster than the slew limit: what that holds back is no work of contact.
    let knock = SetEffect {
        magnitude_n: 2.0,
        frequency_hz: NonNegative(30.0),
        waveform: Waveform::Square,
        ..effect(0, EffectKind::Periodic)
    };
    app.set_effect(knock).unwrap();
    for _ in 0..3 {
        fixture.until("a press", Some(&mut app), |s| s.force_n[2] > 2.0);
        fixture.until("free air", Some(&mut app), |s| {
            s.contacts == 0 && s.force_n[0] > 0.5
        });
    }
    let ticks = fixture.end();
    let (mut in_contact, mut is_on_time) = (0, true);
    for two in ticks.windows(2) {
        let [before, now] = [0, 1].map(|k| &two[k].arms[0]);
        // A loop that is held up holds a force for longer, which may truly feed the hand.
        is_on_time &= two[1].now_ns - two[0].now_ns < 3_000_000;
        assert!(now.length_n() <= 4.0 + 1e-9, "the peak");
        assert!(
            now.gain == 1.0 || !is_on_time,
            "the ledger took an effect for contact"
        );
        let change = [0, 1, 2].map(|k| now.force_n[k] - before.force_n[k]);
        if now.state != ACTIVE || recording::length(&change) >= 0.999 || now.wanted_n > 4.0 {
            continue;
        }
        let added = [0, 1, 2].map(|k| now.force_n[k] - now.wanted_force_n[k]);
        // At most what is configured, along x and z.
        assert!(recording::length(&added) <= 2.0 + 1e-9, "{added:?}");
        assert!(added[1].abs() < 1e-9, "{added:?}");
        in_contact += u32::from(now.wanted_n > 0.5);
    }
    assert!(in_contact > 100, "{in_contact}");
}
