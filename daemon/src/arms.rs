//! One thread per arm: everything that may block on a device, and nothing else.
//!
//! A USB write to hung firmware blocks for 5 s a call; so each arm has its own thread and the loop talks to it through two
//! latest-value mailboxes. A blocked arm's input grows stale, the governor fades its force, and nobody else notices.
//!
//! An arm that goes is looked for again until the daemon stops: unplug and re-plug need no restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hapticd_devices::arm::ArmCommand;
use hapticd_devices::transport::{Transport, TransportError};
use hapticd_sync::latest;
use hapticd_sys::clock::now_ns;

use crate::haptic::core::ArmInput;

/// How long to wait for input before looking at the command and the stop flag again.
const PATIENCE: Duration = Duration::from_millis(2);
/// Pause between two attempts to find an arm.
const RETRY: Duration = Duration::from_millis(200);
/// Pause between two looks at the stop flag while waiting to retry.
const NAP: Duration = Duration::from_millis(10);

/// Finds and opens an arm; asked again after every loss.
pub trait Opener: Send {
    /// `Ok(None)`: it is not there (yet). `Err`: it is there and cannot be used, for a person to read.
    fn open(&mut self) -> Result<Option<Box<dyn Transport>>, String>;
}

/// What an arm's thread says of itself; all counts only grow.
#[derive(Debug, Default)]
pub struct ArmState {
    /// Times that it was opened.
    pub opened: AtomicU64,
    /// Times that it was lost.
    pub lost: AtomicU64,
    /// Writes that failed or timed out.
    pub failed_writes: AtomicU64,
    /// Longest write, ns.
    pub longest_write_ns: AtomicU64,
    /// Reports read, good or bad.
    pub reports: AtomicU64,
    /// Reports that were too short, of unknown id, or gave no pose.
    pub bad_reports: AtomicU64,
    /// Rounds of the thread: its sign of life.
    pub heartbeat: AtomicU64,
}

/// Serves one arm until `stop`; then sends no force and returns.
pub fn serve(
    name: &str,
    opener: &mut dyn Opener,
    mut input: latest::Writer<ArmInput>,
    mut commands: latest::Reader<ArmCommand>,
    state: &Arc<ArmState>,
    stop: &AtomicBool,
) {
    let mut complaint = String::new();
    while !stop.load(Ordering::Relaxed) {
        match opener.open() {
            Ok(Some(mut arm)) => {
                state.opened.fetch_add(1, Ordering::Relaxed);
                complaint.clear();
                tracing::info!(arm = name, device = %arm.spec().name, "arm attached");
                let end = attend(name, &mut *arm, &mut input, &mut commands, state, stop);
                input.write(ArmInput {
                    attached: false,
                    ..ArmInput::default()
                });
                match end {
                    Ok(()) => {
                        if let Err(error) = arm.stop() {
                            tracing::warn!(arm = name, %error, "the last command did not reach the arm");
                        }
                        return;
                    }
                    Err(error) => {
                        state.lost.fetch_add(1, Ordering::Relaxed);
                        tracing::warn!(arm = name, %error, "arm lost");
                    }
                }
            }
            Ok(None) => say_once(&mut complaint, name, "arm not found, waiting for it"),
            Err(why) => say_once(&mut complaint, name, &why),
        }
        let mut waited = Duration::ZERO;
        while waited < RETRY && !stop.load(Ordering::Relaxed) {
            state.heartbeat.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(NAP);
            waited += NAP;
        }
    }
}

fn say_once(last: &mut String, arm: &str, what: &str) {
    if last != what {
        tracing::warn!(arm, "{what}");
        what.clone_into(last);
    }
}

fn attend(
    name: &str,
    arm: &mut dyn Transport,
    input: &mut latest::Writer<ArmInput>,
    commands: &mut latest::Reader<ArmCommand>,
    state: &ArmState,
    stop: &AtomicBool,
) -> Result<(), TransportError> {
    let mut sent = commands.read().0.sequence;
    // An arm counts from zero each time that it is opened.
    let reports_before = state.reports.load(Ordering::Relaxed);
    let bad_before = state.bad_reports.load(Ordering::Relaxed);
    let mut deaf = false;
    while !stop.load(Ordering::Relaxed) {
        state.heartbeat.fetch_add(1, Ordering::Relaxed);
        if arm.wait_input(PATIENCE)?
            && let Some(sample) = arm.read_newest(now_ns())?
        {
            input.write(ArmInput {
                sample,
                attached: true,
            });
        }
        let stats = arm.stats();
        state
            .reports
            .store(reports_before + stats.reports, Ordering::Relaxed);
        state.bad_reports.store(
            bad_before + stats.unknown + stats.short + stats.bad_poses,
            Ordering::Relaxed,
        );
        let (command, _) = commands.read();
        if command.sequence != sent {
            sent = command.sequence;
            let started = now_ns();
            let written = arm.write(command);
            let took = now_ns() - started;
            state.longest_write_ns.fetch_max(took, Ordering::Relaxed);
            match written {
                Ok(()) if deaf => {
                    deaf = false;
                    tracing::info!(arm = name, "the arm takes its commands again");
                }
                Ok(()) => {}
                Err(TransportError::Gone) => return Err(TransportError::Gone),
                // A write that fails may succeed the next time: the next command is due in a millisecond.
                Err(error) => {
                    state.failed_writes.fetch_add(1, Ordering::Relaxed);
                    if !deaf {
                        deaf = true;
                        let took_ms = took as f64 * 1e-6;
                        tracing::warn!(arm = name, %error, took_ms, "the arm does not take its commands");
                    }
                }
            }
        }
    }
    Ok(())
}
