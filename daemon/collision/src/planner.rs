//! The thread for computations of the dynamics that need more time than an answer has: trajectories
//! of bodies that pile up, and whether a new body has space ([`hapticd_scene::Work`]).
//!
//! One piece of work is in progress at a time. The collision thread waits for it briefly, in which
//! time most work is done, and then continues without it. The planner runs at ordinary priority,
//! below the collision thread. So the collision thread must never wait for the planner to finish a
//! hand-over ([`hapticd_sync::delivery`]).

use std::time::Duration;

use hapticd_scene::Work;
use hapticd_sync::delivery::{Receiver, Sender, Unsent, delivery};

/// How long an answer waits for its trajectory: far less than the loop's period.
const GRACE: Duration = Duration::from_micros(150);

/// The collision thread's end.
pub struct Planner {
    work: Sender<Box<Work>>,
    done: Receiver<Box<Work>>,
}

/// The planner thread's end.
pub struct Ends {
    work: Receiver<Box<Work>>,
    done: Sender<Box<Work>>,
}

/// Makes both ends.
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
    /// Hands work to the planner, and returns it if it was done within `GRACE`. Without a thread
    /// the work is done here.
    pub fn give(&mut self, work: Box<Work>) -> Option<Box<Work>> {
        match self.work.send(work) {
            Ok(()) => self.done.recv_timeout(GRACE).ok(),
            Err(Unsent::Gone(mut work) | Unsent::Full(mut work)) => {
                work.run();
                Some(work)
            }
        }
    }

    /// Takes completed work, if any. Does not wait.
    pub fn take(&mut self) -> Option<Box<Work>> {
        self.done.try_recv().ok()
    }
}

/// Does work until the giver is gone.
pub fn serve(mut ends: Ends) {
    while let Some(mut work) = ends.work.recv() {
        work.run();
        // The collision thread has ended.
        if ends.done.send(work).is_err() {
            return;
        }
    }
}
