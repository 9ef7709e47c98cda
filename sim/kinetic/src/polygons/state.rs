//! What structures of moving polygons share: bodies, time, the queue of failures, contacts,
//! counters.
//!
//! A structure adds its own subdivision of the space between the bodies, says which corners have
//! certificates, and repairs the subdivision at an event. Nothing here allocates after
//! construction, except for the slots of certificates that come later.

use super::{Contact, Contacts, Failure, PolygonBody, Polygons};
use crate::kinetic::{Advanced, Inconsistent, Kinetic, Livelock, MAX_STALLED_EVENTS, PlanError};
use crate::motion::Rigid2;
use crate::queue::EventQueue;
use crate::stats::{EventCost, Stats};

/// A structure that tells when moving polygons touch.
pub trait PolygonStructure: Kinetic<Plan = Rigid2> {
    /// Returns what all structures of polygons share.
    fn state(&self) -> &PolygonState;

    /// Returns the bodies, with their current motions.
    #[must_use]
    fn bodies(&self) -> &[PolygonBody] {
        &self.state().polygons.bodies
    }

    /// Returns the positions of a body's vertices at `t`, m; none if there is no such body.
    /// Allocates.
    #[must_use]
    fn polygon(&self, body: u32, t: f64) -> Vec<[f64; 2]> {
        (self.bodies().get(body as usize)).map_or_else(Vec::new, |b| b.polygon(t))
    }

    /// Returns the contact at which time has stopped, until the plan of one of its bodies changes.
    #[must_use]
    fn contact(&self) -> Option<&Contact> {
        self.state().contact.as_ref()
    }

    /// Returns the number of bounces so far.
    #[must_use]
    fn impacts(&self) -> u64 {
        self.state().impacts
    }
}

/// Bodies, time, events, contacts and counters of a structure. See [`PolygonStructure`].
#[derive(Clone, Debug)]
pub struct PolygonState {
    pub(crate) polygons: Polygons,
    contacts: Contacts,
    /// The contact at which time has stopped.
    pub(crate) contact: Option<Contact>,
    impacts: u64,
    pub(crate) queue: EventQueue,
    /// Current time, s.
    pub(crate) now: f64,
    /// Failures at this time or later are not searched, s.
    pub(crate) horizon: f64,
    livelock: Livelock,
    /// Number of live certificates.
    pub(crate) live: u64,
    /// Cost of the current event.
    pub(crate) cost: EventCost,
    pub(crate) stats: Stats,
}

impl PolygonState {
    /// Starts without certificates. `kinds` holds the names of the types of events.
    pub(crate) fn new(
        polygons: Polygons,
        [now, horizon]: [f64; 2],
        contacts: Contacts,
        kinds: &'static [&'static str],
    ) -> Self {
        Self {
            polygons,
            contacts,
            contact: None,
            impacts: 0,
            queue: EventQueue::default(),
            now,
            horizon,
            livelock: Livelock::new(now),
            live: 0,
            cost: EventCost::default(),
            stats: Stats::new(kinds),
        }
    }

    /// Goes to `now` without a contact, before a step or a rebuild.
    pub(crate) fn restart(&mut self, now: f64) {
        self.now = now;
        self.livelock = Livelock::new(now);
        self.contact = None;
    }

    /// Fails at a vertex now.
    pub(crate) fn fault<T>(&self, vertex: u32, what: &'static str) -> Result<T, Inconsistent> {
        self.polygons.fault(vertex, self.now, what)
    }

    /// Returns the time of the next event, s; infinite if there is none.
    pub(crate) fn next_time(&self) -> f64 {
        self.queue.first().map_or(f64::INFINITY, |e| e.0)
    }

    /// Goes to the next event if it is due at `t` or before, and returns its slot. `None` at a
    /// contact at which time has stopped.
    ///
    /// # Errors
    /// Time stands still, at the vertex that `vertex` gives for the slot.
    pub(crate) fn next_event(
        &mut self,
        t: f64,
        vertex: impl Fn(u32) -> u32,
    ) -> Result<Option<u32>, Inconsistent> {
        let due = self.queue.first().filter(|e| e.0 <= t);
        let Some((time, slot)) = due.filter(|_| self.contact.is_none()) else {
            return Ok(None);
        };
        self.now = self.now.max(time);
        if self.livelock.event(self.now, MAX_STALLED_EVENTS) {
            return self.fault(vertex(slot), "time stands still");
        }
        Ok(Some(slot))
    }

    /// Starts to count the cost of an event that changes so many levels. Returns the queue's
    /// operations so far, for [`Self::end_event`].
    pub(crate) fn start_event(&mut self, levels: u32) -> u64 {
        self.cost = EventCost {
            levels,
            ..EventCost::default()
        };
        self.queue.operations()
    }

    /// Counts the event that has just been processed.
    pub(crate) fn end_event(&mut self, kind: usize, external: bool, operations_before: u64) {
        self.cost.queue_operations = (self.queue.operations() - operations_before) as u32;
        self.stats.event(kind, external, self.cost);
        self.count_sizes();
    }

    /// Counts live certificates and the queue.
    pub(crate) fn count_sizes(&mut self) {
        self.stats.sizes(self.live, self.queue.len());
    }

    /// Issues the certificate of a slot, which fails then; drops it if there is no `failure`. `had`
    /// tells whether it was live. Returns whether it is.
    pub(crate) fn issue(&mut self, slot: u32, failure: Option<Failure>, had: bool) -> bool {
        let has = failure.is_some();
        let (time, was_false) = failure.map_or((f64::INFINITY, false), |f| (f.time, f.was_false));
        self.stats.false_at_start += u64::from(was_false);
        self.live = self.live + u64::from(has) - u64::from(had);
        self.cost.destroyed += u32::from(had);
        self.cost.created += u32::from(has);
        self.queue.schedule(slot, time);
        has
    }

    /// Handles a vertex that has reached a polygon's edge between these two ends, with free space
    /// on its left: the failure of the slot's certificate.
    ///
    /// Returns the two bodies if they have bounced, so that their certificates must be reissued.
    ///
    /// # Errors
    /// Neither of the bodies can be pushed.
    pub(crate) fn meet(
        &mut self,
        slot: u32,
        vertex: u32,
        ends: [u32; 2],
    ) -> Result<Option<[u32; 2]>, Inconsistent> {
        let contact = self.polygons.contact(vertex, ends, self.now);
        match self.contacts {
            Contacts::Stop => {
                self.contact = Some(contact);
                self.queue.remove(slot);
                Ok(None)
            }
            Contacts::Bounce(bounce) => {
                self.polygons.bounce(&contact, bounce)?;
                self.impacts += 1;
                Ok(Some(contact.bodies))
            }
        }
    }

    /// Gives the body this motion from now on, and lets time go on if it stopped at its contact.
    /// The caller then reissues the certificates: [`Self::count_plan_change`].
    ///
    /// # Errors
    /// The plan is invalid, or begins elsewhere; then nothing has changed.
    pub(crate) fn change_plan(&mut self, body: u32, plan: Rigid2) -> Result<(), PlanError> {
        self.polygons.change_plan(body, plan, self.now)?;
        self.contact = self.contact.filter(|c| !c.bodies.contains(&body));
        Ok(())
    }

    /// Counts a changed plan that reissued this many certificates.
    pub(crate) fn count_plan_change(&mut self, reissued: u64) {
        self.stats.plan_change(reissued);
        self.count_sizes();
    }

    /// Ends an advance to `t`, after the last event that was due.
    pub(crate) fn end_advance(&mut self, t: f64, before: Advanced) -> Advanced {
        if self.contact.is_none() {
            self.now = self.now.max(t);
        }
        Advanced::total(&self.stats).since(before)
    }
}
