//! Tests of the hand-over, with a device that only records its calls.

use hapticd_ccd::{MidPhase, MidPhaseQuery};
use hapticd_geometry::shapes;

use super::super::{GpuMidPhase, Limits, Patience};
use super::*;

/// Names shapes by their places, and renames them whenever some are removed, as a device does.
#[derive(Debug, Default)]
struct Books {
    /// Number of triangles of each shape.
    shapes: Vec<usize>,
    answers: VecDeque<Candidates>,
    sent: u64,
}

impl Sweeper for Books {
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        self.shapes.push(shape.mesh()?.triangles().len());
        Some(ShapeId::nth(self.shapes.len() as u32 - 1))
    }
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        let kept = shapes.iter().map(|id| self.shapes[id.number() as usize]);
        self.shapes = kept.collect();
        (0..shapes.len() as u32).map(ShapeId::nth).collect()
    }
    /// Answers with one pair: the last triangles of both.
    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        self.sent += 1;
        let ticket = Ticket {
            generation: 1,
            number: self.sent,
        };
        let last = |id: ShapeId| self.shapes[id.number() as usize] as u32 - 1;
        let pair = |(query, sweep): (usize, &Sweep)| crate::Candidate {
            query: query as u32,
            a: last(sweep.a),
            b: last(sweep.b),
            pad: 0,
        };
        let pairs = sweeps.iter().enumerate().map(pair).collect();
        let answer = Candidates::whole(ticket, sweeps.len(), pairs);
        self.answers.push_back(answer);
        Ok(ticket)
    }
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError> {
        let answer = self.answers.pop_front();
        Ok(answer.map(|answer| *found = answer).is_some())
    }
    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

type Asking = GpuMidPhase<QueryEnd>;

fn ends(patience: Patience) -> (Asking, DeviceEnd<Books>) {
    let limits = Limits {
        triangles: 0,
        patience,
        ..Limits::DEFAULT
    };
    GpuMidPhase::on(Books::default(), limits).beside()
}

/// A ball of `20 * 4^n` triangles.
fn ball(n: u32) -> Arc<MeshIndex> {
    Arc::new(MeshIndex::new(shapes::icosphere(0.01, n).unwrap()))
}

fn ask(midphase: &mut Asking, a: &Arc<MeshIndex>, b: &Arc<MeshIndex>) -> Option<Vec<[u32; 2]>> {
    let ask = MidPhaseQuery {
        a,
        b,
        b_from_a: Pose::identity(),
        reach_m: 0.01,
    };
    midphase.ask(&mut std::iter::once(ask));
    midphase.candidates(0).map(<[_]>::to_vec)
}

#[test]
fn nothing_is_asked_until_shapes_are_ready() {
    let (mut midphase, mut device) = ends(Limits::DEFAULT.patience);
    let ball = ball(0);
    midphase.prepare(&ball);
    assert_eq!(ask(&mut midphase, &ball, &ball), None);
    let facts = midphase.facts();
    assert_eq!((facts.sent, facts.refused, facts.late), (0, 1, 0));
    // One round takes the order, the next reports it as done.
    let mut unsaid = 1;
    for _ in 0..2 {
        assert!(device.round(&mut unsaid).is_ok());
    }
    let thread = std::thread::spawn(|| device.serve());
    midphase.limits.patience = Patience::Answer;
    assert_eq!(ask(&mut midphase, &ball, &ball), Some(vec![[19, 19]]));
    assert_eq!(midphase.facts().sent, 1);
    drop(midphase);
    thread.join().unwrap();
}

#[test]
fn shapes_keep_their_names_whatever_the_device_calls_them() {
    let (mut midphase, device) = ends(Patience::Answer);
    let thread = std::thread::spawn(|| device.serve());
    let kept = ball(2);
    for n in [0, 1, 0, 2, 1] {
        let passing = ball(n);
        midphase.prepare(&passing);
        midphase.prepare(&kept);
        let last = 20 * 4_u32.pow(n) - 1;
        assert_eq!(ask(&mut midphase, &passing, &kept), Some(vec![[last, 319]]));
        assert_eq!(midphase.shapes(), 2);
    }
    drop(midphase);
    thread.join().unwrap();
}

#[test]
fn no_mesh_is_held_by_what_waits() {
    let (mut midphase, device) = ends(Patience::Answer);
    let (kept, gone) = (ball(1), ball(0));
    for shape in [&kept, &gone] {
        midphase.prepare(shape);
        assert_eq!(Arc::strong_count(shape), 1);
    }
    drop(gone);
    let thread = std::thread::spawn(|| device.serve());
    assert_eq!(ask(&mut midphase, &kept, &kept), Some(vec![[79, 79]]));
    assert_eq!(Arc::strong_count(&kept), 1);
    drop(midphase);
    thread.join().unwrap();
}

#[test]
fn more_shapes_than_the_shelf_holds_are_the_end() {
    let (mut midphase, _device) = ends(Limits::DEFAULT.patience);
    let balls: Vec<_> = (0..=SHELF).map(|_| ball(0)).collect();
    balls.iter().for_each(|ball| midphase.prepare(ball));
    assert_eq!(ask(&mut midphase, &balls[0], &balls[1]), None);
    let facts = midphase.facts();
    assert!(facts.given_up.contains("256 shapes wait"), "{facts:?}");
}

#[test]
fn a_thread_that_has_ended_is_given_up() {
    let (mut midphase, device) = ends(Limits::DEFAULT.patience);
    let ball = ball(0);
    midphase.prepare(&ball);
    drop(device);
    assert_eq!(ask(&mut midphase, &ball, &ball), None);
    let facts = midphase.facts();
    assert!(facts.given_up.contains("has ended"), "{facts:?}");
}
