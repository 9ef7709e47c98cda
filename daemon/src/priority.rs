//! Priorities of the threads that others rely on, and how a thread asks for its own. See
//! `docs/design/threads.md` for the order of all threads.

use hapticd_sys::realtime;

/// The thread of signals. Like [`SUPERVISOR`] and [`IPC`] it is above every thread that computes
/// at length, so that none of the three waits for one, and below every thread with a deadline. A
/// round of any of them is short.
pub(crate) const SIGNALS: u8 = 4;
/// Supervisor thread.
pub(crate) const SUPERVISOR: u8 = 3;
/// The thread that serves clients.
pub(crate) const IPC: u8 = 2;
/// The collision thread. Below all of those, since an answer may take long, and for a share of
/// the time only ([`Urgency`](hapticd_collision::collider::urgency::Urgency)). Above ordinary
/// threads, since a niceness counts within one session or control group only: beside another
/// group's busy programs the thread waited seconds for its turn at -10, and a late answer fades
/// force.
pub(crate) const COLLISION: u8 = 1;
/// Where there is no SCHED_FIFO, the collision thread and the threads that the loop watches go
/// before ordinary ones.
pub(crate) const NICENESS: i32 = -10;
/// Time slices of such a thread where there is no SCHED_FIFO, us: a round needs no more.
pub(crate) const SLICE_US: u32 = 200;

/// SCHED_FIFO priority of a thread if the loop asks for `of_loop`: less than that, and none
/// where the loop asks for none.
pub(crate) fn below_loop(of_loop: u32, wanted: u8) -> u8 {
    u8::try_from(of_loop.saturating_sub(1)).map_or(wanted, |below| wanted.min(below))
}

/// Asks for SCHED_FIFO for the calling thread, see [`below_loop`]. Without it, asks to go before
/// ordinary threads and to be run soon after it wakes. Returns what a person should know if
/// neither priority is granted; `what` names the thread's niceness.
pub(crate) fn request(of_loop: u32, wanted: u8, what: &'static str) -> Option<realtime::Step> {
    let priority = below_loop(of_loop, wanted);
    if priority > 0 {
        let step = realtime::priority::request_fifo(priority);
        tracing::debug!("{step}");
        if step.is_granted() {
            return None;
        }
    }
    let raised = realtime::priority::raise(what, NICENESS);
    let step = realtime::priority::ask_for_short_slices(SLICE_US);
    tracing::debug!("{raised}; {step}");
    (!raised.is_granted()).then_some(raised)
}
