//! One thread per arm, with everything that may block on a device and nothing else.
//!
//! A USB write to hung firmware blocks for 5 s per call, so each arm has its own thread. The loop
//! talks to that thread through two latest-value mailboxes. The input of a blocked arm grows stale
//! and the governor fades its force; no other thread is affected.
//!
//! The thread searches for a lost arm until the daemon stops, so unplugging and re-plugging needs
//! no restart. It searches at ordinary priority: a search takes tens of milliseconds of processor
//! time, during which the threads that the loop watches must keep running.
//!
//! No command outlives its reason. An arm's service may end with the stop, a failed read, writes
//! that keep failing, or a panic in the transport. In each case the loop learns that the arm is
//! gone and the arm is told to stop; if the arm does not take the stop, the log says so. While the
//! loop is silent, the arm is commanded to zero force.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hapticd_devices::arm::{ArmCommand, Wrench};
use hapticd_devices::transport::{Transport, TransportError};
use hapticd_sync::latest;
use hapticd_sys::clock::now_ns;
use hapticd_sys::realtime::priority;

use crate::core::ArmInput;

/// Longest wait for input before the thread checks the command and the stop flag again.
const INPUT_WAIT: Duration = Duration::from_millis(2);
/// Pause between two attempts to find an arm.
const RETRY: Duration = Duration::from_millis(200);
/// Pause between two checks of the stop flag while waiting to retry.
const STOP_POLL: Duration = Duration::from_millis(10);
/// An arm that refuses this many commands in a row, over at least [`REFUSING_NS`], counts as lost:
/// the last command that it took is no longer what the loop wants.
const REFUSED_MAX: u32 = 3;
/// See [`REFUSED_MAX`].
const REFUSING_NS: u64 = 50_000_000;
/// Silence of the loop after which the arm must not keep its last command, ns. The limit in force
/// is the larger of this and the loop's stall limit plus [`BEYOND_STALL_NS`]. A loop that resumes
/// after that detects the stall itself, and its governor waits and ramps.
const SILENCE_NS: u64 = 50_000_000;
/// See [`SILENCE_NS`].
const BEYOND_STALL_NS: u64 = 20_000_000;

/// Finds and opens an arm. Called again after every loss.
pub trait Opener: Send {
    /// Opens the arm. `Ok(None)`: it is not present (yet). `Err`: it is present but unusable, with
    /// a message for people.
    fn open(&mut self) -> Result<Option<Box<dyn Transport>>, String>;
}

/// Counters of an arm's thread. All counts only grow.
#[derive(Debug, Default)]
pub struct ArmState {
    /// Times the arm was opened.
    pub opened: AtomicU64,
    /// Times the arm was lost.
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

/// Why the thread stopped serving an arm.
#[derive(Debug, thiserror::Error)]
enum Loss {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("it refused {commands} commands in a row in {ms} ms; last error: {error}")]
    Refuses {
        commands: u32,
        ms: u64,
        error: TransportError,
    },
    #[error("its driver panicked, please report this: {0}")]
    Panic(String),
}

/// The arm that a thread serves, and how.
#[derive(Debug, Clone, Copy)]
pub struct Served<'a> {
    /// Name of the arm, for the log.
    pub name: &'a str,
    /// Pause between two ticks beyond which the governor sees a stall, ms.
    pub stall_ms: f64,
    /// SCHED_FIFO priority that the thread requests while the arm is attached; 0 requests none.
    pub priority: u8,
    /// What the thread reports.
    pub state: &'a ArmState,
    /// Ends the thread.
    pub stop: &'a AtomicBool,
}

impl Served<'_> {
    fn silence_ns(&self) -> u64 {
        SILENCE_NS.max((self.stall_ms * 1e6) as u64 + BEYOND_STALL_NS)
    }

    /// Requests real-time priority: from now on the loop waits for this thread.
    fn raise_priority(&self) {
        if self.priority > 0 {
            let step = priority::request_fifo(self.priority);
            tracing::debug!(arm = self.name, "{step}");
        }
    }

    /// Returns to ordinary priority: from now on no thread waits for this one.
    fn lower_priority(&self) {
        if self.priority > 0 {
            let step = priority::be_ordinary();
            tracing::debug!(arm = self.name, "{step}");
        }
    }
}

/// Serves one arm until it is told to stop, then stops its force and returns. A panic of the opener
/// or the transport counts as a loss of the arm.
pub fn serve(
    served: &Served<'_>,
    opener: &mut dyn Opener,
    mut input: latest::Writer<ArmInput>,
    mut commands: latest::Reader<ArmCommand>,
) {
    let &Served {
        name, state, stop, ..
    } = served;
    let mut last_warning = String::new();
    while !stop.load(Ordering::Relaxed) {
        let opened = catch_panic(|| opener.open()).unwrap_or_else(|panic| {
            Err(format!("opening it panicked, please report this: {panic}"))
        });
        match opened {
            Ok(Some(mut arm)) => {
                state.opened.fetch_add(1, Ordering::Relaxed);
                last_warning.clear();
                tracing::info!(arm = name, device = %arm.spec().name, "arm attached");
                served.raise_priority();
                let end = catch_panic(|| attend(served, &mut *arm, &mut input, &mut commands));
                // Tell the loop first: stopping the arm may take seconds.
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
                    tracing::info!(arm = name, "lost arm accepted its stop");
                }
                // Before the transport is closed: closing it also runs at ordinary priority.
                served.lower_priority();
            }
            Ok(None) => warn_once(&mut last_warning, name, "arm not found, waiting for it"),
            Err(why) => warn_once(&mut last_warning, name, &why),
        }
        let mut waited = Duration::ZERO;
        while waited < RETRY && !stop.load(Ordering::Relaxed) {
            state.heartbeat.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(STOP_POLL);
            waited += STOP_POLL;
        }
    }
}

/// Runs `work` and returns the message of its panic as an error.
fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned())
    })
}

/// Tells an arm to stop, whatever happened to it, and returns whether the arm took the stop. Logs a
/// warning if it did not. May block for seconds.
fn end_force(arm: &str, transport: &mut dyn Transport) -> bool {
    let why = match catch_panic(|| transport.stop()) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error.to_string(),
        Err(panic) => format!("its driver panicked: {panic}"),
    };
    tracing::warn!(
        arm,
        "the arm did not accept its stop; its last command may still be in force: {why}"
    );
    false
}

fn warn_once(last: &mut String, arm: &str, what: &str) {
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
) -> Result<(), Loss> {
    let &Served {
        name, state, stop, ..
    } = served;
    let mut sent = Sent::new(commands.read().0.sequence, now_ns());
    // An arm counts from zero each time it is opened.
    let reports_before = state.reports.load(Ordering::Relaxed);
    let bad_before = state.bad_reports.load(Ordering::Relaxed);
    while !stop.load(Ordering::Relaxed) {
        state.heartbeat.fetch_add(1, Ordering::Relaxed);
        if arm.wait_input(INPUT_WAIT)?
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

/// The last command to an arm, and whether the arm took it.
struct Sent {
    sequence: u64,
    /// Time at which the loop's last new command was seen.
    last_command_ns: u64,
    /// The arm holds a force, or may hold one.
    may_hold_force: bool,
    /// Commands refused since the arm last took one, and the start time of the first refused write.
    refused: u32,
    refused_from_ns: u64,
}

impl Sent {
    /// State for an arm that was just opened: it makes no force and takes the first command after
    /// this sequence.
    fn new(sequence: u64, now_ns: u64) -> Self {
        Sent {
            sequence,
            last_command_ns: now_ns,
            may_hold_force: false,
            refused: 0,
            refused_from_ns: 0,
        }
    }

    /// Returns the command to send now, if any: the loop's command if it is new, or zero force if
    /// the loop has been silent too long.
    fn next(
        &mut self,
        served: &Served<'_>,
        newest: &ArmCommand,
        now_ns: u64,
    ) -> Option<ArmCommand> {
        if newest.sequence != self.sequence {
            self.sequence = newest.sequence;
            self.last_command_ns = now_ns;
            self.may_hold_force |= newest.wrench != Wrench::zero();
            return Some(*newest);
        }
        let silent_ns = now_ns.saturating_sub(self.last_command_ns);
        if !self.may_hold_force || silent_ns < served.silence_ns() {
            return None;
        }
        if self.refused == 0 {
            let silent_ms = silent_ns / 1_000_000;
            tracing::warn!(
                arm = served.name,
                silent_ms,
                "the loop sends no commands: the arm is set to zero force"
            );
        }
        Some(ArmCommand {
            sequence: newest.sequence,
            wrench: Wrench::zero(),
        })
    }

    /// Records the outcome of writing the command of [`Sent::next`], with the start and end times
    /// of the write. A failed write alone is no loss, as the next command is due in a millisecond.
    fn note(
        &mut self,
        name: &str,
        command: &ArmCommand,
        written: Result<(), TransportError>,
        [started_ns, ended_ns]: [u64; 2],
    ) -> Result<(), Loss> {
        let Err(error) = written else {
            if self.refused > 0 {
                tracing::info!(arm = name, "the arm accepts commands again");
            }
            self.refused = 0;
            self.may_hold_force = command.wrench != Wrench::zero();
            return Ok(());
        };
        if self.refused == 0 {
            self.refused_from_ns = started_ns;
            let took_ms = (ended_ns - started_ns) as f64 * 1e-6;
            tracing::warn!(arm = name, %error, took_ms, "the arm refuses its commands");
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
