//! Tests of the patience, on a clock that advances with the calls.

use std::cell::Cell;

use hapticd_geometry::{Pose, shapes};

use super::*;

/// Time that every poll of the device takes.
const LOOK: Duration = Duration::from_micros(50);
const TICK: Duration = Duration::from_millis(1);

/// Answers this long after a query, or never.
#[derive(Debug)]
struct Slow {
    now: Cell<Duration>,
    after: Option<Duration>,
    /// Steps under way, and their times.
    sent: Vec<(Ticket, Duration)>,
    questions: u64,
}

impl Slow {
    fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
    }
}

impl Sweeper for Slow {
    fn add(&mut self, _: &Arc<MeshIndex>) -> Option<ShapeId> {
        Some(ShapeId::nth(0))
    }
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        shapes.to_vec()
    }
    fn send(&mut self, _: &[Sweep]) -> Result<Ticket, SweepError> {
        self.questions += 1;
        let ticket = Ticket {
            generation: 1,
            number: self.questions,
        };
        self.sent.push((ticket, self.now.get()));
        Ok(ticket)
    }
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError> {
        self.pass(LOOK);
        let (Some(after), Some(&(ticket, at))) = (self.after, self.sent.first()) else {
            return Ok(false);
        };
        if self.now.get() < at + after {
            return Ok(false);
        }
        self.sent.remove(0);
        *found = Candidates::default();
        found.ticket = ticket;
        Ok(true)
    }
    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn now(&self) -> Duration {
        self.now.get()
    }
}

fn asked(after: Option<Duration>) -> (GpuMidPhase<Slow>, Arc<MeshIndex>) {
    let limits = Limits {
        triangles: 0,
        ..Limits::DEFAULT
    };
    let device = Slow {
        now: Cell::default(),
        after,
        sent: Vec::new(),
        questions: 0,
    };
    let mut midphase = GpuMidPhase::on(device, limits);
    let ball = shapes::icosphere(0.01, 1).unwrap();
    let ball = Arc::new(MeshIndex::new(ball));
    midphase.prepare(&ball);
    (midphase, ball)
}

/// Queries once per tick. Returns the duration of every call.
fn ticks(midphase: &mut GpuMidPhase<Slow>, ball: &Arc<MeshIndex>, count: u32) -> Vec<Duration> {
    let ask = MidPhaseQuery {
        a: ball,
        b: ball,
        b_from_a: Pose::identity(),
        reach_m: 0.01,
    };
    let each = (0..count).map(|_| {
        let before = midphase.midphase.now();
        midphase.ask(&mut std::iter::once(ask));
        let _ = midphase.candidates(0);
        let took = midphase.midphase.now() - before;
        midphase.midphase.pass(TICK.saturating_sub(took));
        took
    });
    each.collect()
}

fn due() -> Duration {
    match Limits::DEFAULT.patience {
        Patience::Within(within) => within,
        other => panic!("{other:?} bounds no time"),
    }
}

#[test]
fn a_device_that_hangs_costs_one_wait_and_is_given_up() {
    let (mut midphase, ball) = asked(None);
    let took = ticks(&mut midphase, &ball, 1000);
    let total: Duration = took.iter().sum();
    let long = took.iter().filter(|took| **took > 2 * LOOK).count();
    assert_eq!(long, 1, "{took:?}");
    assert!(
        took[0] >= due() && took[0] <= due() + 2 * LOOK,
        "{:?}",
        took[0]
    );
    // Otherwise one poll per tick until it is given up, and none after.
    let looked = took.iter().filter(|took| !took.is_zero()).count();
    assert!(looked <= 502, "{looked} looks, {total:?}");
    assert_eq!(midphase.midphase.questions, 1);
    assert_eq!(midphase.facts().late, 1);
    assert!(midphase.facts().given_up.contains("has not answered"));
}

#[test]
fn one_slow_answer_is_dropped_and_forgiven() {
    let (mut midphase, ball) = asked(Some(10 * TICK));
    ticks(&mut midphase, &ball, 5);
    midphase.midphase.after = Some(2 * LOOK);
    let took = ticks(&mut midphase, &ball, 1000);
    assert!(took.iter().all(|took| *took <= due()), "{took:?}");
    let facts = midphase.facts();
    assert_eq!((facts.late, facts.given_up.as_str()), (1, ""));
    // All others arrived, without capacity for candidates.
    assert!(
        facts.sent > 900 && facts.short == facts.sent - 1,
        "{facts:?}"
    );
}

#[test]
fn what_is_late_now_and_then_is_given_up() {
    let (mut midphase, ball) = asked(Some(LOOK));
    for round in 0.. {
        if !midphase.facts().given_up.is_empty() {
            break;
        }
        assert!(round < 6, "{:?}", midphase.facts());
        midphase.midphase.after = Some(3 * TICK);
        ticks(&mut midphase, &ball, 4);
        midphase.midphase.after = Some(LOOK);
        ticks(&mut midphase, &ball, 8);
    }
    assert_eq!(midphase.facts().given_up, "the GPU was late 4 times");
}
