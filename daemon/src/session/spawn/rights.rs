//! What the system grants to the process and to its threads, and what it refuses.

use std::sync::Mutex;
use std::sync::mpsc::Receiver;

use hapticd_monitor::scribe::Live;
use hapticd_sys::realtime::power::{self, LatencyHold};
use hapticd_sys::realtime::{self, Step};

use super::Spawner;
use super::haptic::Haptic;
use crate::priority;
use crate::service::Service;

impl Spawner<'_> {
    /// Asks for what holds for the whole process. Processors sleep lightly while the hold lives.
    pub(super) fn process_rights(&self) -> (realtime::Report, Option<LatencyHold>) {
        let mut granted = realtime::Report::default();
        if self.config.haptic_loop.lock_memory {
            granted.add(realtime::memory::tune_allocator());
            granted.add(realtime::memory::lock_all());
        }
        let (step, latency_hold) = power::forbid_deep_sleep();
        granted.add(step);
        (granted, latency_hold)
    }

    /// Adds what was granted to the loop and refused to the collision thread and the server; waits
    /// until the first two know. Asks for the priority of the calling thread, the supervisor.
    pub(super) fn thread_rights(
        &self,
        mut granted: realtime::Report,
        haptic: &Haptic,
        collision: &Receiver<Option<Step>>,
        service: Option<&mut Service>,
    ) -> realtime::Report {
        for step in haptic.steps.recv().unwrap_or_default() {
            granted.add(step);
        }
        if let Ok(Some(step)) = collision.recv() {
            granted.add(step);
        }
        // What it starts from now on does not inherit it.
        let of_loop = self.config.haptic_loop.rt_priority;
        let supervisor = priority::request(of_loop, priority::SUPERVISOR, "supervisor niceness");
        let server = service.and_then(Service::take_refused);
        for step in supervisor.into_iter().chain(server) {
            granted.add(step);
        }
        granted
    }
}

/// Shows and logs what was granted. Gives a line each, for the scribe.
pub(super) fn tell(granted: &realtime::Report, live: &Mutex<Live>) -> Vec<String> {
    let lines = granted.steps.iter().map(ToString::to_string).collect();
    if let Ok(mut live) = live.lock() {
        live.realtime.clone_from(&granted.steps);
    }
    for step in &granted.steps {
        if step.is_granted() {
            tracing::info!("{step}");
        } else {
            tracing::warn!("{step}");
        }
    }
    lines
}
