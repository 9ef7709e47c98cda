//! The real-time thread: wakes on absolute deadlines, runs [`LoopCore::tick`], hands over the
//! results, sleeps.
//!
//! After the set-up nothing here allocates, locks or makes a system call except the sleep itself.
//! Every hand-over is wait-free: latest-value mailboxes to and from the arms, rings to and from the
//! collision thread, a ring of records to the scribe. A full ring loses the record, never the tick.
//!
//! # Time
//!
//! The computation sees the *deadline* as its time, not the moment of waking. So the same inputs
//! give the same force however late the scheduler was, and a recording can be replayed. An overrun
//! skips whole periods, which are counted and attributed; the loop does not catch up.
//!
//! Two clocks pace the loop. *Host*: absolute deadlines on the monotonic clock; the thread sleeps
//! until `spin` before the deadline and spins from there (the kernel throttles pure spinning under
//! SCHED_FIFO). *Device*: the tick follows a report of the first arm of kind "hid". If none comes
//! within two periods, the host clock takes over for that tick and the device is blamed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hapticd_devices::arm::ArmCommand;
use hapticd_proxy::{DeformableSnapshot, MAX_ARMS, Query, Snapshot};
use hapticd_sync::{latest, ring};
use hapticd_sys::clock::now_ns;
use spin_sleep::{SpinSleeper, SpinStrategy};

use super::core::{ArmInput, LoopCore, LoopInput};
use super::limits::Composer;
use super::orders::{LoopOrder, MAX_ORDERS};
use super::record::{BodyOrder, MAX_GONE, TickRecord};
use super::watchdog::Guard;

/// Clock that paces the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The monotonic clock.
    Host,
    /// The reports of the arm with this index.
    Device(usize),
}

impl From<&hapticd_config::Config> for Pace {
    /// Takes the first arm of kind "hid" as the device: a simulated arm before it is no clock.
    fn from(config: &hapticd_config::Config) -> Self {
        let is_hid =
            |arm: &hapticd_config::Arm| matches!(arm.device, hapticd_config::Device::Hid { .. });
        match config.haptic_loop.clock {
            hapticd_config::Clock::Host => Pace::Host,
            // A configuration without such an arm is refused.
            hapticd_config::Clock::Device => {
                Pace::Device(config.arms.iter().position(is_hid).unwrap_or(0))
            }
        }
    }
}

/// Publishes the loop's state. Called at the end of each tick, on the real-time thread.
pub trait Publish: Send {
    /// Publishes the state of the last tick. Must neither allocate nor block.
    fn publish(&mut self, core: &LoopCore);
}

/// Publishes nothing.
impl Publish for () {
    fn publish(&mut self, _: &LoopCore) {}
}

/// Publishes if there is a publisher.
impl<P: Publish> Publish for Option<P> {
    fn publish(&mut self, core: &LoopCore) {
        if let Some(publisher) = self {
            publisher.publish(core);
        }
    }
}

/// Publishes through both, one after the other.
impl<A: Publish, B: Publish> Publish for (A, B) {
    fn publish(&mut self, core: &LoopCore) {
        self.0.publish(core);
        self.1.publish(core);
    }
}

/// The loop's ends of the links to the soft bodies' thread.
pub struct DeformableLinks {
    /// Answers of the soft bodies' thread.
    pub answers: ring::Consumer<Box<DeformableSnapshot>>,
    /// Used buffers, back to the soft bodies' thread.
    pub used: ring::Producer<Box<DeformableSnapshot>>,
    /// Queries to the soft bodies' thread.
    pub queries: latest::Writer<Query>,
}

/// The loop's ends of all links.
pub struct Links<P> {
    /// Newest input of each arm.
    pub inputs: [Option<latest::Reader<ArmInput>>; MAX_ARMS],
    /// Newest command to each arm.
    pub commands: [Option<latest::Writer<ArmCommand>>; MAX_ARMS],
    /// Snapshots of the collision thread.
    pub snapshots: ring::Consumer<Box<Snapshot>>,
    /// Used buffers, back to the collision thread.
    pub used: ring::Producer<Box<Snapshot>>,
    /// Queries to the collision thread.
    pub queries: latest::Writer<Query>,
    /// Links to the soft bodies' thread, where the scene has soft bodies.
    pub deformable: Option<DeformableLinks>,
    /// Records for the scribe.
    pub records: ring::Producer<TickRecord>,
    /// Limits, gains and clears, from the supervisor and the clients' server.
    pub limits: Composer,
    /// Orders of the clients' server: bodies that are gone, silent or back.
    pub gone: ring::Consumer<BodyOrder>,
    /// Orders of applications about effects and grasps.
    pub orders: ring::Consumer<LoopOrder>,
    /// Signs of life of the threads that the loop's guarantees depend on.
    pub guard: Guard,
    /// Publisher of the loop's state to clients.
    pub publisher: P,
}

/// Flags shared with the supervisor.
pub struct Flags {
    /// Ramp all force to zero.
    pub stopping: AtomicBool,
    /// Cut all force at once.
    pub cut: AtomicBool,
    /// Return after the next tick.
    pub quit: AtomicBool,
    /// Counts ticks: the loop's sign of life to the supervisor.
    pub heartbeat: AtomicU64,
    /// All wrenches were exactly zero in the last tick.
    pub quiet: AtomicBool,
}

impl Flags {
    /// Flags of a running loop.
    pub fn new() -> Self {
        Flags {
            stopping: AtomicBool::new(false),
            cut: AtomicBool::new(false),
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

/// The loop without its clock: everything between waking and sleeping.
pub struct Turns<P> {
    core: LoopCore,
    links: Links<P>,
    inputs: [ArmInput; MAX_ARMS],
}

/// Timing of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The tick's time, ns.
    pub deadline_ns: u64,
    /// Periods since the previous turn.
    pub periods: u32,
    /// When the loop asked to be woken, ns.
    pub signalled_ns: u64,
    /// When it woke, ns.
    pub awake_ns: u64,
    /// Whether the device's report, which is the clock, did not come.
    pub device_late: bool,
}

impl<P: Publish> Turns<P> {
    /// Takes over core and links.
    pub fn new(core: LoopCore, links: Links<P>) -> Self {
        Turns {
            core,
            links,
            inputs: [ArmInput::default(); MAX_ARMS],
        }
    }

    /// Runs one turn: takes the newest of all inputs, ticks, hands out all results. Real-time: no
    /// allocation, no lock, no system call except reading the clock.
    pub fn turn(&mut self, moment: Moment, flags: &Flags) {
        let (core, links) = (&mut self.core, &mut self.links);
        for (input, reader) in self.inputs.iter_mut().zip(&mut links.inputs) {
            if let Some(reader) = reader {
                *input = *reader.read().0;
            }
        }
        // Before the snapshots, which may list these bodies. At most as many as a tick's record can
        // hold; the rest is due in the next tick.
        for _ in 0..MAX_GONE {
            match links.gone.pop() {
                Some(BodyOrder::Forget(body)) => core.forget(body),
                Some(BodyOrder::Silence(order)) => core.silence(order),
                None => break,
            };
        }
        for _ in 0..MAX_ORDERS {
            match links.orders.pop() {
                Some(order) => core.order(order),
                None => break,
            };
        }
        take_snapshots(core, links);
        if let Some(deformable) = &mut links.deformable {
            while let Some(answer) = deformable.answers.pop() {
                if let Some(old) = core.offer_soft(answer) {
                    // Cannot be full: its capacity covers every buffer.
                    let _ = deformable.used.push(old);
                }
            }
        }
        links.limits.take(core);
        core.tick(&LoopInput {
            now_ns: moment.deadline_ns,
            periods: moment.periods,
            arms: self.inputs,
            stopping: flags.stopping.load(Ordering::Relaxed),
            cut: flags.cut.load(Ordering::Relaxed),
            silent: links.guard.tick(),
        });
        if moment.device_late {
            core.blame_device();
        }
        for (i, writer) in links.commands.iter_mut().enumerate() {
            if let Some(writer) = writer {
                writer.write(core.command(i));
            }
        }
        while let Some(buffer) = core.take_retired() {
            // Cannot be full: its capacity covers every buffer.
            let _ = links.used.push(buffer);
        }
        let query = core.query();
        if let Some(deformable) = &mut links.deformable {
            deformable.queries.write(query);
        }
        links.queries.write(query);
        links.publisher.publish(core);
        links.limits.acknowledge();
        let record = core.stamp(moment.signalled_ns, moment.awake_ns, now_ns());
        // A scribe that cannot keep up loses records; the ring counts them.
        let _ = links.records.push(*record);
        flags.quiet.store(core.is_quiet(), Ordering::Relaxed);
        flags.heartbeat.fetch_add(1, Ordering::Relaxed);
    }

    /// The loop, for inspection.
    pub fn core(&self) -> &LoopCore {
        &self.core
    }
}

/// Runs the loop until `flags.quit` is set. Returns everything, for a last inspection and to be
/// freed on another thread.
pub fn run<P: Publish>(
    core: LoopCore,
    links: Links<P>,
    pace: Pace,
    spin_us: u32,
    flags: &Flags,
) -> Turns<P> {
    let period = core.period_ns();
    let mut turns = Turns::new(core, links);
    // SpinSleeper's "accuracy" is how early it stops sleeping and starts to spin.
    let sleeper = SpinSleeper::new(spin_us.saturating_mul(1000))
        .with_spin_strategy(SpinStrategy::SpinLoopHint);
    let mut deadline = now_ns() + period;
    while !flags.quit.load(Ordering::Relaxed) {
        let mut device_late = false;
        match pace {
            Pace::Host => {
                sleeper.sleep_ns(deadline.saturating_sub(now_ns()));
            }
            Pace::Device(arm) => {
                device_late = !await_report(&sleeper, &mut turns.links, arm, deadline, period);
                if !device_late {
                    // The report is the clock: the tick happens now.
                    deadline = now_ns();
                }
            }
        }
        let awake_ns = now_ns();
        let behind = awake_ns.saturating_sub(deadline) / period;
        let signalled_ns = deadline;
        // Whole missed periods are skipped, not caught up.
        deadline += behind * period;
        let moment = Moment {
            deadline_ns: deadline,
            periods: 1 + u32::try_from(behind).unwrap_or(u32::MAX - 1),
            signalled_ns,
            awake_ns,
            device_late,
        };
        turns.turn(moment, flags);
        deadline += period;
    }
    turns
}

/// Offers the newest snapshot of each arm and recycles the rest.
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

/// Waits for a new report of an arm until at most one period after `deadline`. Returns whether one
/// came.
fn await_report<P>(
    sleeper: &SpinSleeper,
    links: &mut Links<P>,
    arm: usize,
    deadline: u64,
    period: u64,
) -> bool {
    // Reports come one period apart: sleep for most of it, then poll often.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(clock: &str, arms: &[&str]) -> Pace {
        let tool = "tool = { kind = \"sphere\", radius_m = 0.005 }";
        let arm =
            |(k, keys): (usize, &&str)| format!("[[arm]]\nname = \"arm{k}\"\n{keys}\n{tool}\n");
        let arms: String = arms.iter().enumerate().map(arm).collect();
        let text = format!("[loop]\nclock = \"{clock}\"\n{arms}");
        let context = hapticd_config::Context::new("", |_| None);
        let loaded = hapticd_config::parse("test.toml", &text, &context).unwrap();
        Pace::from(&loaded.config)
    }

    #[test]
    fn the_first_real_arm_is_the_clock_wherever_it_stands() {
        let simulated = "kind = \"simulated\"\nintention = \"rest\"";
        let real = "kind = \"hid\"\nprofile = \"openffboard\"";
        assert_eq!(pace("device", &[real, simulated]), Pace::Device(0));
        assert_eq!(pace("device", &[simulated, real, real]), Pace::Device(1));
        assert_eq!(pace("host", &[simulated, real]), Pace::Host);
    }
}
