//! Commands that wait for the dynamics: what a client sends in order takes effect in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hapticd_collision::collider::urgency::Urgency;
use hapticd_collision::collider::{self, Collider};
use hapticd_collision::command::{Request, SceneCommand, SceneReply};
use hapticd_collision::requests::ReplySender;
use hapticd_collision::{janitor, planner};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{Material, Query};
use hapticd_scene::{BodyKind, BodyPush, BodySpec, Scene, Shape};
use hapticd_sync::{latest, ring};
use hapticd_sys::wake::Wake;

/// A longer wait means a hang.
const WATCHDOG: Duration = Duration::from_secs(120);

fn cube(name: &str, kind: BodyKind, x: f64) -> BodySpec {
    BodySpec {
        name: name.to_owned(),
        kind,
        shape: Shape::of(shapes::cuboid(&Vec3::repeat(0.02)).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(x, 0.0, 0.0),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

/// Ends the collision thread when the test ends, however it does.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The check of a place takes as long as the planner does. A target that follows is one for the new
/// place: it is taken after it, and stays.
#[test]
fn a_target_never_overtakes_the_placing_of_its_body() {
    let mut world = Scene::new(1e-4, 256);
    let slider = (world.add_body(cube("slider", BodyKind::Kinematic, 0.0))).unwrap();
    let stone = world
        .add_body(cube("stone", BodyKind::Dynamic, 0.5))
        .unwrap();
    let (_query_in, queries) = latest::latest(Query::default());
    let (requests, requests_out) = crossbeam::channel::bounded(16);
    let (reply_in, mut replies) = hapticd_sync::delivery::delivery(16);
    let (planner, planner_ends) = planner::planner();
    let (janitor, garbage) = janitor::janitor();
    let links = collider::Links {
        pair_capacity: 256,
        queries,
        snapshots: ring::ring(collider::BUFFERS).0,
        used: ring::ring(1).1,
        requests: requests_out.clone(),
        replies: ReplySender::new(reply_in, Wake::new().unwrap()),
        deformable: None,
        log: None,
        log_lost: Arc::default(),
        near: Arc::default(),
        broad: Arc::default(),
        planner,
        janitor,
        supervisor: None,
        urgency: Urgency::none(),
    };
    let (stop, beat) = (AtomicBool::new(false), AtomicU64::new(0));
    let collider = Collider::new(world, Vec::new(), 1e-3);
    std::thread::scope(|threads| {
        threads.spawn(|| janitor::serve(&garbage));
        let thread = threads.spawn(|| collider::run(collider, links, &stop, &beat));
        let ends = Stop(&stop);
        let to = |x| Pose::translation(x, 0.0, 0.0);
        let commands = [
            SceneCommand::Place {
                id: slider,
                world_from_body: to(-0.5),
            },
            SceneCommand::Target {
                id: slider,
                world_from_body: to(-0.4),
                speed_m_s: 0.1,
            },
            SceneCommand::Push {
                id: stone,
                push: Box::new(BodyPush::Velocity {
                    linear_m_s: Vec3::z(),
                    angular_rad_s: Vec3::zeros(),
                }),
            },
            SceneCommand::Place {
                id: slider,
                world_from_body: to(0.5),
            },
        ];
        for (command, token) in commands.into_iter().zip(1..) {
            let token = Some(token);
            requests.send(Request { command, token }).unwrap();
        }
        // The first is being checked, the next one taken: nothing is answered before the planner
        // has looked at the place.
        while requests_out.len() > 2 {
            std::thread::yield_now();
        }
        let begun = beat.load(Ordering::Relaxed);
        while beat.load(Ordering::Relaxed) < begun + 3 {
            std::thread::yield_now();
        }
        assert!(replies.try_recv().is_err());
        threads.spawn(move || planner::serve(planner_ends));
        for wanted in 1..4 {
            let (token, reply) = replies.recv_timeout(WATCHDOG).expect("an answer");
            assert_eq!((token, reply), (wanted, SceneReply::Done));
        }
        // The stone is there.
        let (token, reply) = replies.recv_timeout(WATCHDOG).expect("an answer");
        assert!(token == 4 && matches!(reply, SceneReply::AddRefused(_)));
        drop(ends);
        let collider = thread.join().unwrap();
        let at = collider.world().spec(slider).unwrap().world_from_body;
        assert_eq!(at, to(-0.5));
    });
}
