//! Between loop and scene: answers that come late, in bursts, or never.

use std::collections::VecDeque;

use hapticd_proxy::Snapshot;

use crate::random::Random;

/// How answers travel.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Least ticks from a query to the use of its answer, beyond the one that it always takes.
    pub least: u64,
    /// Most ticks.
    pub most: u64,
    /// Share of answers that get lost.
    pub lost: f64,
    /// Share of the ticks at which the post stops for up to 20 ticks and then delivers everything
    /// at once.
    pub stalls: f64,
    /// False: the next query is only put when the answer to the last one is there, as the
    /// free-running collision thread does. True: one every tick.
    pub pipelined: bool,
    /// Answers may overtake each other.
    pub overtaking: bool,
}

impl Manner {
    /// Every query answered this many ticks late.
    #[must_use]
    pub fn fixed(ticks: u64) -> Self {
        Manner {
            least: ticks,
            most: ticks,
            lost: 0.0,
            stalls: 0.0,
            pipelined: false,
            overtaking: false,
        }
    }

    /// Anything goes.
    #[must_use]
    pub fn wild() -> Self {
        Manner {
            least: 0,
            most: 20,
            lost: 0.1,
            stalls: 0.01,
            pipelined: true,
            overtaking: true,
        }
    }
}

/// See the module page.
#[derive(Debug)]
pub struct Courier {
    manner: Manner,
    under_way: VecDeque<(u64, Option<Box<Snapshot>>)>,
    stalled_until: u64,
}

impl Courier {
    /// With nothing under way.
    #[must_use]
    pub fn new(manner: Manner) -> Self {
        Courier {
            manner,
            under_way: VecDeque::new(),
            stalled_until: 0,
        }
    }

    /// Changes the manners from now on.
    pub fn set_manner(&mut self, manner: Manner) {
        self.manner = manner;
    }

    /// Whether the scene takes a question after tick `tick`.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.manner.pipelined || self.under_way.is_empty()
    }

    /// Takes an answer to the query of `tick`.
    pub fn post(&mut self, tick: u64, answer: Box<Snapshot>, random: &mut Random) {
        let spread = (self.manner.most - self.manner.least + 1) as usize;
        let mut due = tick + 1 + self.manner.least + random.below(spread) as u64;
        if random.chance(self.manner.stalls) {
            self.stalled_until = tick + random.below(20) as u64;
        }
        due = due.max(self.stalled_until);
        if !self.manner.overtaking {
            due = due.max(self.under_way.back().map_or(0, |(d, _)| *d));
        }
        let lost = random.chance(self.manner.lost);
        self.under_way.push_back((due, (!lost).then_some(answer)));
    }

    /// What arrives before `tick`, in order of posting.
    pub fn deliver(&mut self, tick: u64) -> Vec<Box<Snapshot>> {
        let mut arrived = Vec::new();
        self.under_way.retain_mut(|(due, answer)| {
            if *due <= tick {
                arrived.extend(answer.take());
                return false;
            }
            true
        });
        arrived
    }
}
