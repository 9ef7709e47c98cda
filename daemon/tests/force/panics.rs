//! Threads of the real daemon that panic under force, one by one: commands to the arms, messages
//! and end of the process.
//!
//! A thread panics because the test stops it and overwrites the first instruction of a function
//! that only this thread calls. The binary is the shipped one.

use super::threads::{Fixture, HOLD};
use super::*;
use hapticd_sys::clock::now_ns;

/// Published codes of reasons. [`SUPERVISOR`] is also that of an order to cut.
const DEVICE_LOST: u8 = 2;
const SUPERVISOR: u8 = 11;
const STALE_CONTACT: u8 = 34;
const SHUTDOWN: u8 = 39;
/// Ticks from the order to stop to a force of exactly zero, at default keys.
const ZERO_TICKS: u64 = 100;

/// Outcome of a panic.
struct End {
    /// The ticks after it was planted.
    ticks: Vec<Tick>,
    log: String,
    status: Option<i32>,
    /// The last published state of each arm.
    last: [hapticd_client::ArmState; 2],
}

/// Makes a thread of a daemon under force panic; the daemon ends without further action. `None`:
/// the first thread.
fn panics(thread: Option<&str>, function: &[&str]) -> End {
    let name = format!("panics-{}", thread.unwrap_or("first"));
    let mut fixture = Fixture::press(&name, HOLD);
    let process = fixture.process.id();
    let at_ns = now_ns();
    hapticd_frozen::panic_in(process, thread, function).unwrap();
    let status = fixture.process.wait().unwrap().code();
    let mut ticks = recording::read(&fixture.folder.0.join("run.mcap"))
        .unwrap()
        .ticks;
    ticks.retain(|tick| tick.now_ns > at_ns);
    End {
        ticks,
        log: std::fs::read_to_string(fixture.folder.0.join("log")).unwrap(),
        status,
        last: [0, 1].map(|arm| fixture.arms[arm].state().unwrap()),
    }
}

impl End {
    /// Checks that the panic was reported, and that each arm took its last command.
    fn is_told(&self, thread: &str) {
        let log = &self.log;
        assert!(
            log.contains(&format!("thread `{thread}` panicked")),
            "{log}"
        );
        assert!(log.contains("capacity overflow"), "{log}");
        assert!(!log.contains("it may still exert force"), "{log}");
        assert!(!log.contains("may still be in force"), "{log}");
    }

    /// Checks that the run ended in order because of this thread.
    fn ends_the_run(&self, thread: &str) {
        self.is_told(thread);
        let died = format!("thread {thread} died; force is off");
        assert!(self.log.contains(&died), "{}", self.log);
        assert_eq!(self.status, Some(1), "{}", self.log);
    }

    /// Checks that the last command of the loop to each arm is exactly zero, for one of these
    /// reasons.
    fn asks_nothing_in_the_end(&self, reasons: &[u8]) {
        for state in &self.last {
            assert_eq!(state.force_n, [0.0; 3], "{state:?}");
            assert!(reasons.contains(&state.reason), "{state:?}");
        }
    }

    /// Checks that force was there, and fades once one of these reasons holds, as recorded.
    fn fades(&self, reasons: &[u8]) {
        let ends = |tick: &Tick| tick.arms.iter().any(|arm| reasons.contains(&arm.reason));
        let asked = self.ticks.iter().position(ends).expect("a stop");
        let (before, after) = self.ticks.split_at(asked);
        let pressed = before.iter().any(|tick| tick.arms[0].length_n() > 0.1);
        assert!(pressed, "there was no force to end");
        let is_late = |tick: &&Tick| tick.tick >= after[0].tick + ZERO_TICKS;
        let last = after.last();
        for tick in after.iter().filter(is_late).chain(last) {
            for arm in &tick.arms {
                assert_eq!(arm.force_n, [0.0; 3], "{tick:?}");
            }
        }
    }
}

#[test]
fn a_supervisor_that_panics_leaves_no_force() {
    let end = panics(
        None,
        &["hapticd", "supervise", "Supervisor", "serve_clients"],
    );
    end.is_told("main");
    // Rust's exit status when the first thread panics.
    assert_eq!(end.status, Some(101), "{}", end.log);
    // The loop may tick once more after an arm's thread has sent its last zero and ended.
    end.asks_nothing_in_the_end(&[DEVICE_LOST, SUPERVISOR, SHUTDOWN]);
}

#[test]
fn a_collision_thread_that_panics_ends_force_and_run() {
    let end = panics(
        Some("collision"),
        &["hapticd_collision", "urgency", "Urgency", "attend"],
    );
    end.ends_the_run("collision");
    // Answers that stop coming end force as well.
    end.asks_nothing_in_the_end(&[STALE_CONTACT, SHUTDOWN]);
    end.fades(&[STALE_CONTACT, SHUTDOWN]);
}

#[test]
fn an_ipc_thread_that_panics_ends_force_and_run() {
    let end = panics(
        Some("ipc"),
        &["hapticd_ipc", "server", "Server", "queue_loop_events"],
    );
    end.ends_the_run("ipc");
    end.asks_nothing_in_the_end(&[SHUTDOWN]);
    end.fades(&[SHUTDOWN]);
}

/// The loop commands nothing in the end: the arms' own threads send zero.
#[test]
fn a_loop_that_panics_ends_the_run_and_each_arm_is_sent_zero() {
    let end = panics(
        Some("haptic"),
        &["hapticd_loop", "limits", "Composer", "take"],
    );
    end.ends_the_run("haptic");
}
