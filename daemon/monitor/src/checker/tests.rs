//! Records and steps made by hand: every order of the two queues, every loss, and planted
//! penetrations.

use super::*;
use crate::stats::{ArmReport, Unchecked};
use hapticd_collision::step_log::{StepLog, WorkLog};
use hapticd_geometry::{Vec3, shapes};
use hapticd_proxy::Material;
use hapticd_scene::{BodySpec, Shape};

const RADIUS_M: f64 = 0.005;

fn key(slot: u8, generation: u32) -> BodyKey {
    BodyKey { slot, generation }
}

fn block(kind: BodyKind) -> BodySpec {
    BodySpec {
        name: "block".to_owned(),
        kind,
        shape: Shape::of(shapes::cuboid(&Vec3::repeat(0.05)).unwrap()).0,
        solid: true,
        world_from_body: Pose::identity(),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

/// The last tick of a run with one ball, which stands at the origin unless it is moved.
struct Run {
    checker: Checker,
    stats: Stats,
    record: TickRecord,
}

impl Run {
    fn new() -> Self {
        let mut checker = Checker::new();
        checker.set_tool(0, None, RADIUS_M);
        let mut record = TickRecord::new();
        record.arms[0].attached = true;
        Run {
            checker,
            stats: Stats::new(true, 1_000_000, &[Some("right".to_owned())]),
            record,
        }
    }

    /// Takes the step in which a block comes, around the origin, with the number of the loop's
    /// answer.
    fn add(&mut self, key: BodyKey, kind: BodyKind, answer: u64) {
        let command = SceneCommand::Add(Box::new(block(kind)));
        self.step(command, key, answer);
    }

    fn remove(&mut self, key: BodyKey, answer: u64) {
        self.step(SceneCommand::Remove { id: 7 }, key, answer);
    }

    fn step(&mut self, command: SceneCommand, key: BodyKey, last_sequence: u64) {
        let step = StepLog {
            step: 1,
            query_tick: 1,
            applied: vec![Applied {
                command,
                id: 7,
                key,
                placed: None,
            }],
            last_sequence,
            deformable: false,
            work: WorkLog::default(),
        };
        for applied in &step.applied {
            self.checker.follow(applied);
        }
        self.checker.answered(step.last_sequence);
    }

    /// Runs the next tick, as `then` changes it. Returns the arm's report.
    fn tick(&mut self, then: impl FnOnce(&mut TickRecord)) -> ArmReport {
        self.record.tick += 1;
        self.record.moved_count = 0;
        self.record.surveyed = None;
        self.record.arms[0].anchored = self.record.tick == 1;
        self.record.arms[0].path_len = 0;
        then(&mut self.record);
        self.checker.check(&self.record, &mut self.stats);
        self.stats.report(Vec::new()).arms[0].clone()
    }
}

/// Marks this body as one that the loop has and that is solid to the ball.
fn solid(record: &mut TickRecord, key: BodyKey) {
    record.bodies[usize::from(key.slot)] = key.generation;
    record.arms[0].solid |= 1 << key.slot;
}

fn moved(record: &mut TickRecord, key: BodyKey, z: f64) {
    record.moved[0] = MovedBody {
        key,
        id: 7,
        world_from_body: Pose::translation(0.0, 0.0, z),
    };
    record.moved_count = 1;
}

fn clean(report: &ArmReport) -> bool {
    report.max_penetration_m == 0.0 && report.crossings == 0
}

#[test]
fn a_body_that_follows_in_a_slot_is_not_the_one_before() {
    let (old, new) = (key(3, 1), key(3, 2));
    let mut run = Run::new();
    run.add(old, BodyKind::Kinematic, 1);
    // Touched from above.
    let away = |r: &mut TickRecord| moved(r, old, -0.1);
    run.tick(|r| {
        r.bodies[3] = 1;
        away(r);
    });
    assert!(clean(&run.tick(|r| solid(r, old))));
    // It goes, and another one comes around the tool: the checker is told long before the loop has
    // heard of it.
    run.remove(old, 2);
    run.add(new, BodyKind::Kinematic, 2);
    for _ in 0..10 {
        assert!(clean(&run.tick(|_| ())));
    }
    // Nor is it solid once the loop has heard of it.
    let report = run.tick(|r| {
        r.arms[0].offered = 2;
        r.arms[0].solid = 0;
        r.bodies[3] = 2;
    });
    assert!(clean(&report));
    assert_eq!((report.checked_ticks, report.unchecked_ticks), (13, 0));
    assert_eq!(run.checker.shapes(), 1, "the old one is forgotten");
}

#[test]
fn ticks_before_a_large_shape_is_ready_are_not_checked_and_then_penetration_is_found() {
    let (small, large) = (key(3, 1), key(4, 1));
    let (preparer, ends) = preparer::preparer();
    let mut run = Run::new();
    run.checker.preparer = Some(preparer);
    run.add(small, BodyKind::Static, 1);
    let ball = Arc::new(shapes::icosphere(0.05, 5).unwrap());
    run.checker
        .add_body(large, &ball, &Pose::identity(), BodyKind::Static);
    let both = |r: &mut TickRecord| {
        r.arms[0].world_from_proxy = Pose::translation(0.0, 0.0, 0.06);
        solid(r, small);
        solid(r, large);
    };
    let report = run.tick(both);
    assert_eq!((report.checked_ticks, report.unchecked_why.busy), (0, 1));
    assert!(clean(&report));
    // The ready shape is checked meanwhile: the block reaches up to 0.05 m.
    let report = run.tick(|r| {
        both(r);
        r.arms[0].world_from_proxy = Pose::translation(0.04, 0.04, 0.05);
    });
    assert_eq!((report.checked_ticks, report.unchecked_why.busy), (0, 2));
    assert!((report.max_penetration_m - RADIUS_M).abs() < 1e-9);
    // The large one is checked as soon as it is ready.
    assert!(ends.serve_one());
    let report = run.tick(|r| {
        both(r);
        r.arms[0].solid = 1 << large.slot;
        r.arms[0].world_from_proxy = Pose::translation(0.0, 0.0, 0.045);
    });
    assert_eq!((report.checked_ticks, report.unchecked_why.busy), (1, 2));
    assert!(report.max_penetration_m > 0.009);
}

#[test]
fn a_large_body_that_goes_before_it_is_ready_is_forgotten() {
    let large = key(4, 1);
    let (preparer, ends) = preparer::preparer();
    let mut run = Run::new();
    run.checker.preparer = Some(preparer);
    let ball = Arc::new(shapes::icosphere(0.05, 5).unwrap());
    run.checker
        .add_body(large, &ball, &Pose::identity(), BodyKind::Static);
    run.remove(large, 2);
    run.tick(|r| r.arms[0].offered = 2);
    assert!(ends.serve_one());
    run.tick(|_| ());
    assert_eq!(run.checker.shapes(), 0);
    // Its thread ends with the checker.
    drop(run);
    assert!(!ends.serve_one());
}

#[test]
fn penetration_that_is_planted_in_a_slot_used_again_is_found() {
    let (old, new) = (key(3, 1), key(3, 2));
    let mut run = Run::new();
    run.add(old, BodyKind::Kinematic, 1);
    run.tick(|r| {
        r.bodies[3] = 1;
        moved(r, old, -0.1);
    });
    assert!(clean(&run.tick(|r| solid(r, old))));
    run.remove(old, 2);
    run.add(new, BodyKind::Kinematic, 2);
    assert!(clean(&run.tick(|_| ())));
    // A loop that takes the one for the other.
    let report = run.tick(|r| solid(r, new));
    assert!(report.max_penetration_m > 0.05, "{report:?}");
}

#[test]
fn a_removed_body_is_checked_for_as_long_as_the_loop_has_it() {
    let body = key(0, 1);
    for listed_before in [true, false] {
        let mut run = Run::new();
        run.add(body, BodyKind::Static, 1);
        if listed_before {
            run.tick(|r| r.bodies[0] = 1);
        }
        // The step is read ahead of the ticks in which it is solid and around the tool.
        run.remove(body, 5);
        let report = run.tick(|r| {
            r.arms[0].offered = 4;
            solid(r, body);
        });
        assert!(report.max_penetration_m > 0.05, "listed: {listed_before}");
        run.tick(|r| {
            r.arms[0].offered = 5;
            r.arms[0].solid = 0;
            r.bodies[0] = 0;
        });
        assert_eq!(run.checker.shapes(), 0);
    }
}

#[test]
fn a_body_that_came_and_went_unknown_to_the_loop_is_not_kept() {
    let mut run = Run::new();
    run.add(key(0, 1), BodyKind::Static, 1);
    // Commands of a step without an answer: the next answer is the first without it.
    run.remove(key(0, 1), 0);
    run.tick(|r| r.arms[0].offered = 1);
    assert_eq!(run.checker.shapes(), 1, "answer 1 may have it");
    run.checker.answered(2);
    run.tick(|r| r.arms[0].offered = 2);
    assert_eq!(run.checker.shapes(), 0);
    // Its removal was lost: the next body in the slot implies it.
    run.add(key(0, 2), BodyKind::Static, 3);
    run.add(key(0, 3), BodyKind::Static, 4);
    run.tick(|r| r.bodies[0] = 3);
    assert_eq!(run.checker.shapes(), 1);
}

#[test]
fn a_body_whose_step_was_lost_is_reported_as_unchecked() {
    let mut run = Run::new();
    let report = run.tick(|r| solid(r, key(2, 1)));
    assert!(clean(&report));
    assert_eq!(report.checked_ticks, 0);
    let why = Unchecked {
        unknown_shape: 1,
        ..Unchecked::default()
    };
    assert_eq!((report.unchecked_ticks, report.unchecked_why), (1, why));
    // Known bodies are still checked.
    run.add(key(0, 1), BodyKind::Static, 1);
    let report = run.tick(|r| solid(r, key(0, 1)));
    assert!(report.max_penetration_m > 0.05);
    assert_eq!((report.checked_ticks, report.unchecked_ticks), (0, 2));
}

#[test]
fn a_place_from_before_lost_records_counts_for_nothing() {
    let (body, fixed) = (key(1, 1), key(2, 1));
    let mut run = Run::new();
    run.add(body, BodyKind::Kinematic, 1);
    run.tick(|r| {
        r.bodies[1] = 1;
        moved(r, body, -0.1);
    });
    assert!(clean(&run.tick(|r| solid(r, body))));
    // Ten ticks are lost, in which the body went around the tool, or the tool into the body.
    run.record.tick += 10;
    let report = run.tick(|_| ());
    assert!(clean(&report));
    let places = |report: &ArmReport| report.unchecked_why.unknown_place;
    assert_eq!(
        (
            places(&report),
            report.unchecked_ticks,
            report.checked_ticks
        ),
        (11, 11, 2)
    );
    assert_eq!(places(&run.tick(|_| ())), 12, "still not known");
    // Surveyed at the end of this tick; known from the next one on.
    let report = run.tick(|r| {
        r.surveyed = Some(MovedBody {
            key: body,
            id: 7,
            world_from_body: Pose::translation(0.0, 0.0, -0.2),
        });
    });
    assert_eq!(places(&report), 13);
    let report = run.tick(|_| ());
    assert_eq!((places(&report), report.checked_ticks), (13, 3));
    assert_eq!(run.checker.misplaced(), 0);
    // The pose of a fixed body is known throughout, but not the tool's path to it.
    run.add(fixed, BodyKind::Static, 2);
    run.record.tick += 1;
    let report = run.tick(|r| solid(r, fixed));
    assert!(report.max_penetration_m > 0.05, "{report:?}");
}

#[test]
fn what_moved_between_two_records_that_were_read_is_swept() {
    let body = key(1, 1);
    let mut run = Run::new();
    run.add(body, BodyKind::Kinematic, 1);
    run.tick(|r| {
        r.bodies[1] = 1;
        moved(r, body, -0.1);
    });
    assert!(clean(&run.tick(|r| solid(r, body))));
    // Skipped for lack of time, but still followed.
    run.record.tick += 1;
    moved(&mut run.record, body, -0.3);
    let (record, stats) = (run.record, &mut run.stats);
    run.checker.pass_over(&record, stats);
    let report = run.tick(|r| moved(r, body, -0.2));
    assert!(clean(&report), "{report:?}");
    assert_eq!(report.unchecked_why.busy, 1);
    // Through the tool, from one side to the other.
    let report = run.tick(|r| moved(r, body, 0.2));
    assert_eq!((report.max_penetration_m, report.crossings), (0.0, 1));
}

#[test]
fn a_tick_without_solid_bodies_is_checked_whatever_was_lost() {
    let mut run = Run::new();
    run.tick(|_| ());
    run.record.tick += 3;
    let report = run.tick(|_| ());
    assert_eq!((report.checked_ticks, report.unchecked_ticks), (2, 3));
}
