//! The haptic loop's thread, and the watchdog that runs on it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use hapticd_ipc::publish::BlockPublisher;
use hapticd_loop::core::LoopCore;
use hapticd_loop::thread::{self as haptic_thread, Pace};
use hapticd_loop::watchdog::Guard;
use hapticd_sys::realtime::{self, Step};

use super::Spawner;
use crate::session::supervise::Signs;
use crate::session::wire::LoopHalf;
use crate::session::{SessionError, thread};

/// Time without a sign of life after which the loop notes that the collision thread or the scribe
/// is silent, ms. No force depends on it.
const SILENT_OTHERS_MS: u32 = 1000;

/// The thread, which waits to begin. Dropped, it ends before its first tick.
pub(super) struct Haptic {
    thread: JoinHandle<()>,
    /// What the system granted to it, once.
    pub(super) steps: Receiver<Vec<Step>>,
    go: Sender<()>,
}

impl Haptic {
    /// Lets the loop begin its first tick.
    pub(super) fn begin(self) -> JoinHandle<()> {
        // It waits for nothing else.
        let _ = self.go.send(());
        self.thread
    }
}

impl Spawner<'_> {
    /// Starts the loop's thread, which asks for its rights and then waits for [`Haptic::begin`].
    pub(super) fn haptic(
        &self,
        core: LoopCore,
        half: LoopHalf,
        guard: Guard,
        publisher: Option<BlockPublisher>,
    ) -> Result<Haptic, SessionError> {
        let (setup_in, steps) = channel();
        let (go, ready) = channel::<()>();
        let flags = self.brake.flags.clone();
        let keys = &self.config.haptic_loop;
        let spin_us = keys.spin_us;
        let priority = keys.rt_priority;
        let cpu = keys.cpu_affinity;
        let pace = Pace::from(self.config);
        let links = haptic_thread::Links {
            inputs: half.inputs,
            commands: half.commands,
            snapshots: half.snapshots,
            used: half.used,
            queries: half.queries,
            deformable: half.deformable,
            records: half.records,
            limits: half.limits,
            gone: half.gone,
            orders: half.orders,
            guard,
            publisher: (publisher, (half.events, half.contact_events)),
        };
        let thread = thread::spawn("haptic", move || {
            let mut steps = Vec::new();
            if let Some(cpu) = cpu {
                steps.push(realtime::priority::pin_to(cpu as usize));
            }
            if let Ok(priority) = u8::try_from(priority)
                && priority > 0
            {
                steps.push(realtime::priority::request_fifo(priority));
            }
            steps.push(realtime::memory::prefault_stack());
            // The supervisor reads it once; if it is gone there is nobody to tell.
            let _ = setup_in.send(steps);
            // The first tick is when everybody whom the loop watches is there.
            if ready.recv().is_ok() {
                haptic_thread::run(core, links, pace, spin_us, &flags);
            }
        })?;
        Ok(Haptic { thread, steps, go })
    }

    /// What the loop watches, each with its budget in ticks. In the order of
    /// [`Watched`](hapticd_loop::watchdog::Watched).
    pub(super) fn guard(&self, signs: &Signs) -> Guard {
        let keys = &self.config.haptic_loop;
        let beats = [
            Some(&signs.supervisor),
            signs.ipc.as_ref(),
            Some(&signs.collision),
            Some(&signs.scribe),
        ];
        let budgets_ms = [
            keys.silent_supervisor_ms,
            keys.silent_ipc_ms,
            SILENT_OTHERS_MS,
            SILENT_OTHERS_MS,
        ];
        let ticks = |ms: u32| u64::from(ms) * 1_000_000 / self.period_ns.max(1);
        let mut threads = beats.map(|beat| beat.map(|beat| (beat.clone(), 0)));
        for (thread, ms) in threads.iter_mut().zip(budgets_ms) {
            if let Some((_, budget)) = thread {
                *budget = u32::try_from(ticks(ms).max(1)).unwrap_or(u32::MAX);
            }
        }
        Guard::new(threads)
    }
}
