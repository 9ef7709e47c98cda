//! The real-time thread: wakes on absolute deadlines, runs [`LoopCore::tick`], hands everything over, sleeps.
//!
//! After the set-up nothing here allocates, locks or makes a system call but the sleep itself. Every hand-over is wait-free:
//! latest-value mailboxes to and from the arms, rings to and from the collision thread, a ring of records to the scribe. A full ring
//! loses the record, never the tick.
//!
//! # Time
//!
//! The computation sees the *deadline* as its time, not the moment of waking: the same inputs give the same force however late the
//! scheduler was, and a recording replays. An overrun skips whole periods, is counted and attributed; nothing is caught up.
//!
//! Two clocks pace the loop. *Host*: absolute deadlines on the monotonic clock, slept to `spin` before and spun from there
//! (pure spinning under SCHED_FIFO is throttled by the kernel). *Device*: the tick follows the arrival of a report of the first
//! arm; if none comes within two periods the host clock takes over for that tick and the device is blamed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hapticd_devices::arm::ArmCommand;
use hapticd_haptics::{Gains, MAX_ARMS, Query, Snapshot};
use hapticd_sync::{latest, ring};
use hapticd_sys::clock::now_ns;
use spin_sleep::{SpinSleeper, SpinStrategy};

use super::core::{ArmInput, LoopCore, LoopInput};
use super::record::TickRecord;

/// What paces the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The monotonic clock.
    Host,
    /// The reports of this arm.
    Device(usize),
}

/// Where the loop publishes its state; called at the end of each tick, on the real-time thread.
pub trait Publish: Send {
    /// Must neither allocate nor block.
    fn publish(&mut self, core: &LoopCore);
}

/// No clients.
impl Publish for () {
    fn publish(&mut self, _: &LoopCore) {}
}

/// Changes from the supervisor that take effect at a tick boundary.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuning {
    /// New coupling gains by arm.
    pub gains: [Option<Gains>; MAX_ARMS],
    /// Counts changes, so that each is applied once.
    pub version: u64,
}

/// The loop's ends of everything.
pub struct Links<P> {
    /// Newest input of each arm.
    pub inputs: [Option<latest::Reader<ArmInput>>; MAX_ARMS],
    /// Newest command to each arm.
    pub commands: [Option<latest::Writer<ArmCommand>>; MAX_ARMS],
    /// From the collision thread.
    pub snapshots: ring::Consumer<Box<Snapshot>>,
    /// Back to it.
    pub used: ring::Producer<Box<Snapshot>>,
    /// To it.
    pub queries: latest::Writer<Query>,
    /// To the scribe.
    pub records: ring::Producer<TickRecord>,
    /// From the supervisor.
    pub tuning: latest::Reader<Tuning>,
    /// To clients.
    pub publisher: P,
}

/// Flags shared with the supervisor.
pub struct Flags {
    /// Ramp all force to zero.
    pub stopping: AtomicBool,
    /// Return after the next tick.
    pub quit: AtomicBool,
    /// Counts ticks: the supervisor's sign of life.
    pub heartbeat: AtomicU64,
    /// All wrenches were exactly zero in the last tick.
    pub quiet: AtomicBool,
}

impl Flags {
    /// Running.
    pub fn new() -> Self {
        Flags {
            stopping: AtomicBool::new(false),
            quit: AtomicBool::new(false),
            heartbeat: AtomicU64::new(0),
            quiet: AtomicBool::new(true),
        }
    }
}

impl Default for Flags {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the loop until `flags.quit`. Gives core and links back for a last look.
pub fn run<P: Publish>(
    mut core: LoopCore,
    mut links: Links<P>,
    pace: Pace,
    spin_us: u32,
    flags: &Flags,
) -> (LoopCore, Links<P>) {
    let period = core.period_ns();
    // What SpinSleeper calls accuracy is how early it stops sleeping and starts to spin.
    let sleeper = SpinSleeper::new(spin_us.saturating_mul(1000))
        .with_spin_strategy(SpinStrategy::SpinLoopHint);
    let mut deadline = now_ns() + period;
    let mut inputs = [ArmInput::default(); MAX_ARMS];
    let mut tuned = 0;
    while !flags.quit.load(Ordering::Relaxed) {
        let mut device_late = false;
        match pace {
            Pace::Host => {
                sleeper.sleep_ns(deadline.saturating_sub(now_ns()));
            }
            Pace::Device(arm) => {
                device_late = !await_report(&sleeper, &mut links, arm, deadline, period);
                if !device_late {
                    // The report is the clock: the tick happens now.
                    deadline = now_ns();
                }
            }
        }
        let awake = now_ns();
        let behind = awake.saturating_sub(deadline) / period;
        // Whole periods that are gone are gone.
        let periods = 1 + u32::try_from(behind).unwrap_or(u32::MAX - 1);
        let signalled = deadline;
        deadline += behind * period;

        for (input, reader) in inputs.iter_mut().zip(&mut links.inputs) {
            if let Some(reader) = reader {
                *input = *reader.read().0;
            }
        }
        take_snapshots(&mut core, &mut links);
        let (tuning, _) = links.tuning.read();
        if tuning.version != tuned {
            tuned = tuning.version;
            for (i, gains) in tuning.gains.iter().enumerate() {
                if let Some(g) = gains {
                    core.set_gains(i, *g);
                }
            }
        }
        core.tick(&LoopInput {
            now_ns: deadline,
            periods,
            arms: inputs,
            stopping: flags.stopping.load(Ordering::Relaxed),
        });
        if device_late {
            core.blame_device();
        }
        for (i, writer) in links.commands.iter_mut().enumerate() {
            if let Some(writer) = writer {
                writer.write(core.command(i));
            }
        }
        while let Some(buffer) = core.take_retired() {
            // Cannot be full: it has room for every buffer there is.
            let _ = links.used.push(buffer);
        }
        links.queries.write(core.query());
        links.publisher.publish(&core);
        let record = core.stamp(signalled, awake, now_ns());
        // A scribe that cannot keep up loses records; the ring counts them.
        let _ = links.records.push(*record);
        flags.quiet.store(core.is_quiet(), Ordering::Relaxed);
        flags.heartbeat.fetch_add(1, Ordering::Relaxed);
        deadline += period;
    }
    (core, links)
}

/// Offers the newest snapshot of each arm, recycles the rest.
fn take_snapshots<P>(core: &mut LoopCore, links: &mut Links<P>) {
    let mut newest: [Option<Box<Snapshot>>; MAX_ARMS] = [const { None }; MAX_ARMS];
    while let Some(snapshot) = links.snapshots.pop() {
        let arm = snapshot.arm.min(MAX_ARMS - 1);
        if let Some(old) = newest[arm].replace(snapshot) {
            let _ = links.used.push(old);
        }
    }
    for snapshot in newest.into_iter().flatten() {
        if let Some(old) = core.offer(snapshot) {
            let _ = links.used.push(old);
        }
    }
}

/// Waits for a new report of an arm, at most until a period after `deadline`. True if one came.
fn await_report<P>(
    sleeper: &SpinSleeper,
    links: &mut Links<P>,
    arm: usize,
    deadline: u64,
    period: u64,
) -> bool {
    // Reports come a period apart: sleep most of it, then look often.
    sleeper.sleep(Duration::from_nanos(
        (deadline.saturating_sub(period / 4)).saturating_sub(now_ns()),
    ));
    let Some(reader) = links.inputs.get_mut(arm).and_then(Option::as_mut) else {
        sleeper.sleep_ns(deadline.saturating_sub(now_ns()));
        return true;
    };
    let before = reader.get().sample.sequence;
    loop {
        reader.update();
        if reader.get().sample.sequence != before {
            return true;
        }
        if now_ns() >= deadline + period {
            return false;
        }
        sleeper.sleep_ns(period / 50);
    }
}
