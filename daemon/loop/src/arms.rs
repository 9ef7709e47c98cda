//! One thread per arm: everything that may block on a device, and nothing else.
//!
//! A USB write to hung firmware blocks for 5 s a call; so each arm has its own thread and the loop
//! talks to it through two latest-value mailboxes. A blocked arm's input grows stale, the governor
//! fades its force, and nobody else notices.
//!
//! An arm that goes is looked for again until the daemon stops: unplug and re-plug need no restart.
//! It is looked for at an ordinary priority: a search takes tens of milliseconds of processor time,
//! in which whoever the loop watches must go on.
//!
//! No command outlives its reason. However an arm's service ends (the stop, a failed read, writes
//! that keep failing, a panic in the transport), the loop is told that the arm is gone and the arm
//! is told to stop; where it could not be told, the log says so. While the loop is silent the arm
//! is told to make no force.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hapticd_devices::arm::{ArmCommand, Wrench};
use hapticd_devices::transport::{Transport, TransportError};
use hapticd_sync::latest;
use hapticd_sys::clock::now_ns;
use hapticd_sys::realtime::priority;

use crate::core::ArmInput;

/// How long to wait for input before looking at the command and the stop flag again.
const PATIENCE: Duration = Duration::from_millis(2);
/// Pause between two attempts to find an arm.
const RETRY: Duration = Duration::from_millis(200);
/// Pause between two looks at the stop flag while waiting to retry.
const NAP: Duration = Duration::from_millis(10);
/// An arm that refused so many commands in a row, for [`REFUSING_NS`], is lost: what it took last
/// is no longer what the loop wants.
const REFUSED_MAX: u32 = 3;
/// See [`REFUSED_MAX`].
const REFUSING_NS: u64 = 50_000_000;
/// A loop that has sent no command for so long, or for [`BEYOND_STALL_NS`] longer than what it
/// calls a stall, is silent: the arm must not hold what it was told last. A loop that comes back
/// then finds the stall, and its governor waits and ramps.
const SILENCE_NS: u64 = 50_000_000;
/// See [`SILENCE_NS`].
const BEYOND_STALL_NS: u64 = 20_000_000;

/// Finds and opens an arm; asked again after every loss.
pub trait Opener: Send {
    /// `Ok(None)`: it is not there (yet). `Err`: it is there and cannot be used, for a person to
    /// read.
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

/// Why an arm is no longer served.
#[derive(Debug, thiserror::Error)]
enum Loss {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("it refused {commands} commands in a row, in {ms} ms; the last time: {error}")]
    Refuses {
        commands: u32,
        ms: u64,
        error: TransportError,
    },
    #[error("its driver panicked, please report this: {0}")]
    Panic(String),
}

/// Which arm is served.
#[derive(Debug, Clone, Copy)]
pub struct Served<'a> {
    /// Its name, for the log.
    pub name: &'a str,
    /// A longer pause between two ticks is a stall to the governor, ms.
    pub stall_ms: f64,
    /// SCHED_FIFO that the thread asks for while the arm is there; 0: none.
    pub priority: u8,
}

impl Served<'_> {
    fn silence_ns(&self) -> u64 {
        SILENCE_NS.max((self.stall_ms * 1e6) as u64 + BEYOND_STALL_NS)
    }

    /// The loop waits for what the thread does from now on.
    fn is_urgent(&self) {
        if self.priority > 0 {
            let step = priority::request_fifo(self.priority);
            tracing::debug!(arm = self.name, "{step}");
        }
    }

    /// Nobody waits for what it does from now on.
    fn is_not_urgent(&self) {
        if self.priority > 0 {
            let step = priority::be_ordinary();
            tracing::debug!(arm = self.name, "{step}");
        }
    }
}

/// Serves one arm until `stop`; then sends no force and returns. A panic of the opener or the
/// transport is a loss of the arm.
pub fn serve(
    served: &Served<'_>,
    opener: &mut dyn Opener,
    mut input: latest::Writer<ArmInput>,
    mut commands: latest::Reader<ArmCommand>,
    state: &Arc<ArmState>,
    stop: &AtomicBool,
) {
    let name = served.name;
    let mut complaint = String::new();
    while !stop.load(Ordering::Relaxed) {
        let opened = caught(|| opener.open()).unwrap_or_else(|panic| {
            Err(format!("opening it panicked, please report this: {panic}"))
        });
        match opened {
            Ok(Some(mut arm)) => {
                state.opened.fetch_add(1, Ordering::Relaxed);
                complaint.clear();
                tracing::info!(arm = name, device = %arm.spec().name, "arm attached");
                served.is_urgent();
                let end =
                    caught(|| attend(served, &mut *arm, &mut input, &mut commands, state, stop));
                // The loop first: to stop the arm may take seconds.
                input.write(ArmInput {
                    attached: false,
                    ..ArmInput::default()
                });
                let loss = match end {
                    Ok(Ok(())) => None,
                    Ok(Err(loss)) => Some(loss),
                    Err(panic) => Some(Loss::Panic(panic)),
                };
                if let Some(error) = &loss {
                    state.lost.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(arm = name, %error, "arm lost");
                }
                let has_stopped = end_force(name, &mut *arm);
                if loss.is_none() {
                    return;
                }
                if has_stopped {
                    tracing::info!(arm = name, "the lost arm took its stop");
                }
                // Before it is closed, too.
                served.is_not_urgent();
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

/// Runs what may panic; then gives the panic's words.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned())
    })
}

/// Tells an arm to stop, whatever has happened to it, and the log if it did not take that. May
/// block for seconds.
fn end_force(arm: &str, transport: &mut dyn Transport) -> bool {
    let why = match caught(|| transport.stop()) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error.to_string(),
        Err(panic) => format!("its driver panicked: {panic}"),
    };
    tracing::warn!(
        arm,
        "the arm did not take its stop, its last command may still be in force: {why}"
    );
    false
}

fn say_once(last: &mut String, arm: &str, what: &str) {
    if last != what {
        tracing::warn!(arm, "{what}");
        what.clone_into(last);
    }
}

fn attend(
    served: &Served<'_>,
    arm: &mut dyn Transport,
    input: &mut latest::Writer<ArmInput>,
    commands: &mut latest::Reader<ArmCommand>,
    state: &ArmState,
    stop: &AtomicBool,
) -> Result<(), Loss> {
    let name = served.name;
    let mut sent = Sent::new(commands.read().0.sequence, now_ns());
    // An arm counts from zero each time that it is opened.
    let reports_before = state.reports.load(Ordering::Relaxed);
    let bad_before = state.bad_reports.load(Ordering::Relaxed);
    while !stop.load(Ordering::Relaxed) {
        state.heartbeat.fetch_add(1, Ordering::Relaxed);
        if arm.wait_input(PATIENCE)?
            && let Some(sample) = arm.read_newest(now_ns())?
        {
            input.write(ArmInput {
                sample,
                attached: true,
                truth: arm.truth(),
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
        if let Some(command) = sent.next(served, command, now_ns()) {
            let started = now_ns();
            let written = arm.write(&command);
            let ended = now_ns();
            state
                .longest_write_ns
                .fetch_max(ended - started, Ordering::Relaxed);
            if written.is_err() {
                state.failed_writes.fetch_add(1, Ordering::Relaxed);
            }
            sent.note(name, &command, written, [started, ended])?;
        }
    }
    Ok(())
}

/// What an arm was told last, and whether it took it.
struct Sent {
    sequence: u64,
    /// When the loop's last command was seen.
    heard_ns: u64,
    /// The arm holds, or may hold, a force.
    is_pressing: bool,
    /// Commands that it refused since it last took one, and when the first of those was begun.
    refused: u32,
    refused_from_ns: u64,
}

impl Sent {
    /// An arm that was just opened: it makes no force, and takes the first command after this one.
    fn new(sequence: u64, now_ns: u64) -> Self {
        Sent {
            sequence,
            heard_ns: now_ns,
            is_pressing: false,
            refused: 0,
            refused_from_ns: 0,
        }
    }

    /// What to send now, if anything: the loop's command if it is new, or no force if the loop has
    /// been silent.
    fn next(
        &mut self,
        served: &Served<'_>,
        newest: &ArmCommand,
        now_ns: u64,
    ) -> Option<ArmCommand> {
        if newest.sequence != self.sequence {
            self.sequence = newest.sequence;
            self.heard_ns = now_ns;
            self.is_pressing |= newest.wrench != Wrench::zero();
            return Some(*newest);
        }
        let silent_ns = now_ns.saturating_sub(self.heard_ns);
        if !self.is_pressing || silent_ns < served.silence_ns() {
            return None;
        }
        if self.refused == 0 {
            let silent_ms = silent_ns / 1_000_000;
            tracing::warn!(
                arm = served.name,
                silent_ms,
                "the loop sends no commands: no force is asked of the arm"
            );
        }
        Some(ArmCommand {
            sequence: newest.sequence,
            wrench: Wrench::zero(),
        })
    }

    /// The command of [`Sent::next`] was written, or was not, between two times. A write that fails
    /// may succeed the next time: the next command is due in a millisecond.
    fn note(
        &mut self,
        name: &str,
        command: &ArmCommand,
        written: Result<(), TransportError>,
        [started_ns, ended_ns]: [u64; 2],
    ) -> Result<(), Loss> {
        let Err(error) = written else {
            if self.refused > 0 {
                tracing::info!(arm = name, "the arm takes its commands again");
            }
            self.refused = 0;
            self.is_pressing = command.wrench != Wrench::zero();
            return Ok(());
        };
        if self.refused == 0 {
            self.refused_from_ns = started_ns;
            let took_ms = (ended_ns - started_ns) as f64 * 1e-6;
            tracing::warn!(arm = name, %error, took_ms, "the arm does not take its commands");
        }
        self.refused += 1;
        let refusing_ns = ended_ns.saturating_sub(self.refused_from_ns);
        if error == TransportError::Gone {
            Err(error.into())
        } else if self.refused >= REFUSED_MAX && refusing_ns >= REFUSING_NS {
            Err(Loss::Refuses {
                commands: self.refused,
                ms: refusing_ns / 1_000_000,
                error,
            })
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
