//! Transport between loop and scene: answers arrive late, in bursts, or never.

use std::collections::VecDeque;

use hapticd_proxy::Snapshot;

use crate::random::Random;

/// Behaviour of the transport.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Minimum number of ticks from a query to the use of its answer, beyond the one that it always
    /// takes.
    pub least: u64,
    /// Maximum of the same.
    pub most: u64,
    /// Probability that an answer gets lost.
    pub lost: f64,
    /// Probability, per answer, that delivery stops for up to 20 ticks and then resumes with
    /// everything at once.
    pub stalls: f64,
    /// If false, the next query is sent only when the answer to the last one has arrived, as in the
    /// free-running collision thread. If true, one query per tick.
    pub pipelined: bool,
    /// Answers may overtake each other.
    pub overtaking: bool,
}

impl Delivery {
    /// Every query is answered this many ticks late.
    #[must_use]
    pub fn fixed(ticks: u64) -> Self {
        Delivery {
            least: ticks,
            most: ticks,
            lost: 0.0,
            stalls: 0.0,
            pipelined: false,
            overtaking: false,
        }
    }

    /// Lost, stalled and overtaking answers, pipelined.
    #[must_use]
    pub fn wild() -> Self {
        Delivery {
            least: 0,
            most: 20,
            lost: 0.1,
            stalls: 0.01,
            pipelined: true,
            overtaking: true,
        }
    }
}

/// A queue of answers on their way; see the module page.
#[derive(Debug)]
pub struct Courier {
    manner: Delivery,
    in_transit: VecDeque<(u64, Option<Box<Snapshot>>)>,
    stalled_until: u64,
}

impl Courier {
    /// Returns a courier with no answers on their way.
    #[must_use]
    pub fn new(manner: Delivery) -> Self {
        Courier {
            manner,
            in_transit: VecDeque::new(),
            stalled_until: 0,
        }
    }

    /// Changes the behaviour from now on.
    pub fn set_delivery(&mut self, manner: Delivery) {
        self.manner = manner;
    }

    /// Returns true if the next query may be sent now.
    #[must_use]
    pub fn may_query(&self) -> bool {
        self.manner.pipelined || self.in_transit.is_empty()
    }

    /// Accepts an answer to the query of `tick`.
    pub fn post(&mut self, tick: u64, answer: Box<Snapshot>, random: &mut Random) {
        let spread = (self.manner.most - self.manner.least + 1) as usize;
        let mut due = tick + 1 + self.manner.least + random.below(spread) as u64;
        if random.chance(self.manner.stalls) {
            self.stalled_until = tick + random.below(20) as u64;
        }
        due = due.max(self.stalled_until);
        if !self.manner.overtaking {
            due = due.max(self.in_transit.back().map_or(0, |(d, _)| *d));
        }
        let lost = random.chance(self.manner.lost);
        self.in_transit.push_back((due, (!lost).then_some(answer)));
    }

    /// Returns the answers that have arrived by `tick`, in the order of posting.
    pub fn deliver(&mut self, tick: u64) -> Vec<Box<Snapshot>> {
        let mut arrived = Vec::new();
        self.in_transit.retain_mut(|(due, answer)| {
            if *due <= tick {
                arrived.extend(answer.take());
                return false;
            }
            true
        });
        arrived
    }
}
