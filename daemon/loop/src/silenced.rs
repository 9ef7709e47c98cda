//! Bodies that make no force because their clients are silent or out of focus.
//!
//! Such bodies stay as stiff as before. Only the governor of an arm that touches one takes the
//! arm's force away, and returns it as after any fault, once little force is wanted. So the wanted
//! force is never zero while the hand is inside, and nothing can jump when the client is back.
//! Real-time callable: no allocation, bounded. Deterministic.

use hapticd_proxy::{ArmOutcome, MAX_ARMS, MAX_BODIES};

use super::record::{MAX_GONE, Silencing};

/// What an arm's governor has to do in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// The arm touches no silenced body.
    None,
    /// The arm touched a body when it was silenced: the force fades.
    Fading,
    /// The arm touches a silenced body: no force.
    Forceless,
}

/// The set of silenced bodies: see the module documentation.
#[derive(Clone, Debug)]
pub struct Silenced {
    bodies: [u32; MAX_BODIES],
    count: usize,
    /// By arm: it pressed on a body when that was silenced, and its force has not reached zero.
    fading: [bool; MAX_ARMS],
    /// Orders since the last tick, for its record.
    told: [Silencing; MAX_GONE],
    order_count: u8,
}

impl Silenced {
    /// An empty set.
    pub fn new() -> Self {
        Silenced {
            bodies: [0; MAX_BODIES],
            count: 0,
            fading: [false; MAX_ARMS],
            told: [Silencing::default(); MAX_GONE],
            order_count: 0,
        }
    }

    /// Silences or restores a body before a tick. `last` is the outcome of the last tick by arm.
    /// Returns false, with nothing done, if too many orders came since; the next tick must run
    /// first.
    pub fn tell(&mut self, order: Silencing, last: &[ArmOutcome; MAX_ARMS]) -> bool {
        let Some(slot) = self.told.get_mut(usize::from(self.order_count)) else {
            return false;
        };
        *slot = order;
        self.order_count += 1;
        let known = self.bodies().iter().position(|body| *body == order.body);
        match (order.silent, known) {
            (true, None) => {
                for (fading, arm) in self.fading.iter_mut().zip(last) {
                    *fading |= presses(arm, &[order.body]);
                }
                // Bodies beyond a scene's capacity belong to scenes long gone: drop the oldest.
                if self.count == MAX_BODIES {
                    self.bodies.copy_within(1.., 0);
                    self.count -= 1;
                }
                self.bodies[self.count] = order.body;
                self.count += 1;
            }
            (false, Some(at)) => self.remove(at),
            (true, Some(_)) | (false, None) => {}
        }
        true
    }

    /// Removes a body that is gone for good.
    pub fn forget(&mut self, body: u32) {
        if let Some(at) = self.bodies().iter().position(|other| *other == body) {
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        self.bodies.copy_within(at + 1..self.count, at);
        self.count -= 1;
    }

    /// Whether a body is silenced.
    pub fn contains(&self, body: u32) -> bool {
        self.bodies().contains(&body)
    }

    fn bodies(&self) -> &[u32] {
        &self.bodies[..self.count]
    }

    /// Takes the orders since the last tick, and their number.
    pub fn take_orders(&mut self) -> ([Silencing; MAX_GONE], u8) {
        (self.told, std::mem::take(&mut self.order_count))
    }

    /// Returns what an arm's governor has to do after this outcome.
    pub fn touch(&mut self, arm: usize, outcome: &ArmOutcome) -> Touch {
        let touches = self.count > 0 && presses(outcome, self.bodies());
        self.fading[arm] &= touches;
        match (touches, self.fading[arm]) {
            (false, _) => Touch::None,
            (true, true) => Touch::Fading,
            (true, false) => Touch::Forceless,
        }
    }

    /// Notes that the factor of an arm's force has reached zero: nothing is left to fade.
    pub fn faded(&mut self, arm: usize) {
        self.fading[arm] = false;
    }
}

impl Default for Silenced {
    fn default() -> Self {
        Self::new()
    }
}

fn presses(arm: &ArmOutcome, bodies: &[u32]) -> bool {
    let contacts = arm.contacts.iter().take(arm.contact_count);
    let mut pressed = contacts.filter(|contact| contact.active);
    pressed.any(|contact| bodies.contains(&contact.body))
}
