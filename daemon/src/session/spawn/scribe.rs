//! The threads that write down and show what the others do.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use hapticd_collision::needle::Watch;
use hapticd_monitor::checker::Checker;
use hapticd_monitor::scribe::{self, Live, Scribe};
use hapticd_monitor::stats::{Report, Stats};
use hapticd_recording::Sink;

use super::Spawner;
use crate::session::news::{self, Copies, Present};
use crate::session::supervise::Signs;
use crate::session::wire::ScribeHalf;
use crate::session::{SessionError, thread};
use crate::session_setup::SessionSetup;

/// What the scribe needs, besides its channels.
pub(super) struct ScribeInputs {
    /// Names by arm index.
    names: Vec<Option<String>>,
    /// The rigid bodies that there are before the first step.
    bodies: Vec<(u32, String)>,
    needles: Option<Watch>,
    checker: Option<Checker>,
    sink: Option<Box<dyn Sink>>,
}

impl ScribeInputs {
    /// For a session that is not split yet. Takes the watch over needles.
    pub(super) fn of(
        setup: &mut SessionSetup,
        checker: Option<Checker>,
        sink: Option<Box<dyn Sink>>,
    ) -> Self {
        let bodies = setup.collider.world().infos();
        ScribeInputs {
            names: setup.names(),
            bodies: bodies.map(|body| (body.id, body.name)).collect(),
            needles: setup.watch.take(),
            checker,
            sink,
        }
    }
}

impl Spawner<'_> {
    /// Starts the scribe's thread. `realtime`: what the system granted, a line each.
    pub(super) fn scribe(
        &self,
        half: ScribeHalf,
        inputs: ScribeInputs,
        realtime: Vec<String>,
    ) -> Result<JoinHandle<Report>, SessionError> {
        let mut stats = Stats::new(false, self.period_ns, &inputs.names);
        stats.watch(&half.arms);
        let mut scribe = Scribe::new(stats, inputs.checker, inputs.sink, half.live, realtime);
        scribe.name_bodies(inputs.bodies.into_iter());
        scribe.watch_needles(inputs.needles);
        scribe.take_events_from(half.events);
        let (records, steps, beat) = (half.records, half.steps, half.beat);
        thread::spawn("scribe", move || {
            scribe::serve(scribe, records, steps, &beat)
        })
    }

    /// Starts the thread that gathers what the others say of themselves.
    pub(super) fn news(
        &self,
        signs: Arc<Signs>,
        present: Present,
        live: Arc<Mutex<Live>>,
        copies: Copies,
    ) -> Result<JoinHandle<()>, SessionError> {
        let stop = self.brake.stop.clone();
        thread::spawn("news", move || {
            news::gather(&signs, present, &live, copies, &stop);
        })
    }
}
