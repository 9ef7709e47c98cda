//! The collision thread itself: answers come first, whatever the dynamics and clients' meshes need.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd::session_setup::{self, SessionSetup};
use hapticd_collision::collider;
use hapticd_collision::collider::urgency::Urgency;
use hapticd_collision::command::{Request, SceneCommand, SceneReply};
use hapticd_collision::requests::ReplySender;
use hapticd_collision::step_log::StepLog;
use hapticd_collision::{janitor, planner};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{Material, Query, Snapshot};
use hapticd_scene::{BodyKind, BodySpec, Shape};
use hapticd_sync::{delivery, latest, ring};
use hapticd_sys::wake::Wake;

/// Longer than anything here takes on any machine: a longer wait means a hang.
const WATCHDOG: Duration = Duration::from_secs(120);

struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn blocks() -> SessionSetup {
    let context = hapticd_config::Context::new(".", |_| None);
    let text = include_str!("../../../config/blocks.toml");
    let loaded = hapticd_config::parse("blocks.toml", text, &context).unwrap();
    session_setup::build(&loaded.config, std::path::Path::new("."), true).unwrap()
}

fn body(name: &str, kind: BodyKind, at: Vec3) -> BodySpec {
    BodySpec {
        name: name.to_owned(),
        kind,
        shape: Shape::of(shapes::icosphere(0.01, 3).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(at.x, at.y, at.z),
        material: Material {
            stiffness_n_per_m: 500.0,
            damping_n_s_per_m: 0.5,
            friction: 0.3,
            force_shading: false,
        },
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

/// The thread, with the loop's ends of its queues.
struct Side {
    core: hapticd_loop::core::LoopCore,
    queries: latest::Writer<Query>,
    snapshots: ring::Consumer<Box<Snapshot>>,
    used: ring::Producer<Box<Snapshot>>,
    requests: Sender<Request>,
    replies: delivery::Receiver<(u64, SceneReply)>,
    steps: Receiver<StepLog>,
    garbage: Receiver<BodySpec>,
    ends: Option<planner::Ends>,
    tick: u64,
    _stop: Stop,
}

impl Side {
    fn new() -> Self {
        let setup = blocks();
        let (query_in, queries) = latest::latest(Query::default());
        let (snapshot_in, snapshots) = ring::ring(collider::BUFFERS);
        let (used, used_out) = ring::ring(2 * collider::BUFFERS);
        let (requests, requests_out) = bounded(64);
        let (replies_in, replies) = delivery::delivery(64);
        let (log, steps) = crossbeam::channel::unbounded();
        let (planner, ends) = planner::planner();
        let (janitor, garbage) = janitor::janitor();
        let links = collider::Links {
            pair_capacity: setup.pair_capacity,
            queries,
            snapshots: snapshot_in,
            used: used_out,
            requests: requests_out,
            replies: ReplySender::new(replies_in, Wake::new().unwrap()),
            deformable: None,
            log: Some(log),
            log_lost: Arc::default(),
            near: Arc::default(),
            broad: Arc::default(),
            planner,
            janitor,
            supervisor: None,
            urgency: Urgency::none(),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, collider) = (stop.clone(), setup.collider);
        std::thread::spawn(move || {
            let beat = AtomicU64::new(0);
            drop(collider::run(collider, links, &stopped, &beat));
        });
        Side {
            core: setup.core,
            queries: query_in,
            snapshots,
            used,
            requests,
            replies,
            steps,
            garbage,
            ends: Some(ends),
            tick: 0,
            _stop: Stop(stop),
        }
    }

    /// Sends queries, tick after tick, until `count` were answered. Returns the steps.
    fn answers(&mut self, count: usize) -> Vec<StepLog> {
        let (started, mut steps) = (Instant::now(), Vec::new());
        while steps
            .iter()
            .filter(|s: &&StepLog| s.last_sequence > 0)
            .count()
            < count
        {
            self.tick += 1;
            let mut query = self.core.query();
            query.tick = self.tick;
            query.arms[0].present = true;
            self.queries.write(query);
            while let Some(snapshot) = self.snapshots.pop() {
                let _ = self.used.push(snapshot);
            }
            steps.extend(self.steps.try_iter());
            assert!(started.elapsed() < WATCHDOG, "{} answers", steps.len());
            std::thread::yield_now();
        }
        steps
    }

    fn ask(&self, token: u64, command: SceneCommand) {
        self.requests
            .send(Request {
                command,
                token: Some(token),
            })
            .unwrap();
    }

    fn reply(&mut self) -> (u64, SceneReply) {
        self.replies.recv_timeout(WATCHDOG).unwrap()
    }
}

#[test]
fn answers_come_while_the_dynamics_never_do() {
    let mut side = Side::new();
    // Nobody computes. The first trajectory is empty and is not taken up, so one piece of work may
    // be all there ever is.
    let far = Vec3::new(0.1, 0.1, 0.3);
    side.ask(
        1,
        SceneCommand::Add(Box::new(body("late", BodyKind::Dynamic, far))),
    );
    let steps = side.answers(500);
    assert!(steps.iter().any(|s| s.work.away), "no work was away");
    assert!(side.replies.try_recv().is_err(), "nobody can know yet");
    // Commands that need no dynamics go on. Commands that do wait behind it, and all come in their
    // order.
    side.ask(2, SceneCommand::Remove { id: 1 });
    side.ask(3, SceneCommand::Halt { id: 2 });
    side.answers(50);
    assert!(side.replies.try_recv().is_err());
    let ends = side.ends.take().unwrap();
    std::thread::spawn(move || planner::serve(ends));
    side.answers(50);
    let replies: Vec<_> = (0..3).map(|_| side.reply()).collect();
    assert!(
        matches!(replies[0], (1, SceneReply::Added(_))),
        "{replies:?}"
    );
    assert_eq!(replies[1], (2, SceneReply::Done));
    assert_eq!(replies[2].0, 3);
}

#[test]
fn what_leaves_the_scene_is_freed_elsewhere() {
    let mut side = Side::new();
    let ends = side.ends.take().unwrap();
    std::thread::spawn(move || planner::serve(ends));
    let far = Vec3::new(0.1, 0.1, 0.3);
    for round in 0..5 {
        let spec = body("guest", BodyKind::Static, far);
        let index = Arc::downgrade(&spec.shape.index);
        side.ask(1, SceneCommand::Add(Box::new(spec)));
        side.answers(5);
        let (_, SceneReply::Added(id)) = side.reply() else {
            panic!("round {round}");
        };
        // A refused command waits as well: the name is taken.
        let twin = body("guest", BodyKind::Static, -far);
        let refused = Arc::downgrade(&twin.shape.index);
        side.ask(2, SceneCommand::Add(Box::new(twin)));
        side.ask(3, SceneCommand::Remove { id });
        side.answers(5);
        assert!(matches!(side.reply(), (2, SceneReply::AddRefused(_))));
        assert_eq!(side.reply(), (3, SceneReply::Done));
        drop(side.steps.try_iter().collect::<Vec<_>>());
        // Both still exist: the receiver frees them.
        assert!(index.strong_count() > 0 && refused.strong_count() > 0);
        let gone = [0, 1].map(|_| side.garbage.recv_timeout(WATCHDOG).unwrap());
        side.answers(5);
        assert!(
            gone.iter().all(|body| body.shape.is_last()),
            "round {round}"
        );
        drop(gone);
        assert_eq!((index.strong_count(), refused.strong_count()), (0, 0));
    }
}
