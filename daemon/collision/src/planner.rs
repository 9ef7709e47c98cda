//! The thread that computes what the dynamics need more time for than an answer has: courses of
//! bodies that pile up, and whether a newcomer has space ([`hapticd_scene::Work`]).
//!
//! One piece of work is under way at a time. The collision thread waits for it for a moment, in
//! which most of it is done, and then answers on without it. At the ordinary priority, below the
//! collision thread: which therefore never waits for the planner to finish handing over
//! ([`hapticd_sync::delivery`]).

use std::time::Duration;

use hapticd_scene::Work;
use hapticd_sync::delivery::{Receiver, Sender, Unsent, delivery};

/// How long an answer waits for the course that it could give: less than the loop's period by far.
const GRACE: Duration = Duration::from_micros(150);

/// The collision thread's end.
pub struct Planner {
    work: Sender<Box<Work>>,
    done: Receiver<Box<Work>>,
}

/// The thread's end.
pub struct Ends {
    work: Receiver<Box<Work>>,
    done: Sender<Box<Work>>,
}

/// Both ends.
pub fn planner() -> (Planner, Ends) {
    let (work_in, work_out) = delivery(1);
    let (done_in, done_out) = delivery(1);
    let planner = Planner {
        work: work_in,
        done: done_out,
    };
    let ends = Ends {
        work: work_out,
        done: done_in,
    };
    (planner, ends)
}

impl Planner {
    /// Gives work away; back if it was done within a moment. Without a thread it is done here.
    pub fn give(&mut self, work: Box<Work>) -> Option<Box<Work>> {
        match self.work.send(work) {
            Ok(()) => self.done.recv_timeout(GRACE).ok(),
            Err(Unsent::Gone(mut work) | Unsent::Full(mut work)) => {
                work.run();
                Some(work)
            }
        }
    }

    /// What was given away and is done. Does not wait.
    pub fn take(&mut self) -> Option<Box<Work>> {
        self.done.try_recv().ok()
    }
}

/// Does what is given until nobody gives any more.
pub fn serve(mut ends: Ends) {
    while let Some(mut work) = ends.work.recv() {
        work.run();
        // The collision thread has ended.
        if ends.done.send(work).is_err() {
            return;
        }
    }
}
