//! Bodies on trajectories: they follow them together, stop together when a tool blocks one, start
//! only a trajectory that begins where they are, and report the pushes of tools.
use crate::common;
use common::*;
use hapticd_geometry::{Pose, Screw, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};
const BALL_M: f64 = 0.005;

/// Creates a ball as the tool, a floor block at z = -0.03..-0.01 that is on trajectories, another
/// one far off that is as well, and a fixed ceiling.
fn rig() -> (Scene, Engine) {
    let block = |h: Vec3, at: Vec3, fixed| {
        let pose = Pose::translation(at.x, at.y, at.z);
        (Part::new(cuboid(h)), pose, fixed, None)
    };
    let scene = Scene {
        tool: Tool::Ball(BALL_M),
        bodies: vec![
            block(
                Vec3::new(0.02, 0.02, 0.01),
                Vec3::new(0.0, 0.0, -0.02),
                false,
            ),
            block(Vec3::repeat(0.01), Vec3::new(0.3, 0.0, 0.0), false),
            block(Vec3::new(0.05, 0.05, 0.01), Vec3::new(0.0, 0.0, 0.02), true),
        ],
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction: 0.0,
        trajectory: Some(Trajectory::new()),
    };
    (
        scene,
        Engine::new(setup(ToolShape::sphere(BALL_M), D), 0.003),
    )
}

fn trajectory(number: u64, after: Followed, segments: &[(f64, [Vec3; 2])]) -> Trajectory {
    let mut c = Trajectory::new();
    c.number = number;
    c.after = after;
    c.segments = segments.len();
    c.bodies = vec![Scene::key(0), Scene::key(1)];
    for (k, (duration_s, shifts)) in segments.iter().enumerate() {
        c.durations_s[k] = *duration_s;
        for shift in shifts {
            c.screws
                .push(Screw::from_twist(shift, &Vec3::zeros(), &Vec3::zeros()));
        }
    }
    c
}

/// Runs one tick with an answer that is not late.
fn tick(scene: &mut Scene, engine: &mut Engine, device: Pose) -> ArmOutcome {
    let answer = scene.answer(&engine.query());
    engine.receive(answer);
    let mut devices = [None; MAX_ARMS];
    devices[0] = Some(device);
    let input = TickInput {
        period_s: 1e-3,
        devices,
        anchor: 0,
    };
    engine.tick(&input).arms[0]
}

fn at(engine: &Engine, body: usize) -> Vec3 {
    let mut bodies = engine.bodies();
    bodies
        .find(|b| b.key == Scene::key(body))
        .unwrap()
        .pose
        .translation
        .vector
}

fn start(scene: &mut Scene, engine: &mut Engine) {
    for _ in 0..5 {
        tick(scene, engine, Pose::translation(0.1, 0.0, 0.0));
    }
    assert_eq!(engine.output().arms[0].solid, 7);
}

#[test]
fn segments_are_followed_in_time_one_after_the_other() {
    let (mut s, mut e) = rig();
    start(&mut s, &mut e);
    let (up, side) = (Vec3::z() * 1e-3, Vec3::y() * 2e-3);
    s.trajectory = Some(trajectory(
        1,
        Followed::START,
        &[
            (2e-3, [up, side]),
            (0.0, [side, Vec3::zeros()]),
            (1.5e-3, [up, up]),
        ],
    ));
    let (a, b) = (at(&e, 0), at(&e, 1));
    let far = Pose::translation(0.1, 0.0, 0.0);
    let mut ways = Vec::new();
    for _ in 0..5 {
        tick(&mut s, &mut e, far);
        ways.push((at(&e, 0) - a, at(&e, 1) - b, e.query().followed.ended));
    }
    let expected = [
        (up / 2.0, side / 2.0, false),
        // The second segment takes no time, and the third starts with the next tick: the period is
        // used up.
        (up + side, side, false),
        (up + side + up * (1.0 / 1.5), side + up * (1.0 / 1.5), false),
        (up * 2.0 + side, side + up, true),
        (up * 2.0 + side, side + up, true),
    ];
    for (k, (way, expected)) in ways.iter().zip(&expected).enumerate() {
        assert!((way.0 - expected.0).norm() < 1e-12, "tick {k}: {way:?}");
        assert!((way.1 - expected.1).norm() < 1e-12, "tick {k}: {way:?}");
        assert_eq!(way.2, expected.2, "tick {k}");
    }
    // The next trajectory starts at this one's end; one that starts elsewhere is void.
    let end = e.query().followed;
    assert_eq!((end.trajectory, end.segments, end.share), (1, 3, 0.0));
    s.trajectory = Some(trajectory(
        2,
        Followed { share: 0.5, ..end },
        &[(1e-3, [up, up])],
    ));
    tick(&mut s, &mut e, far);
    tick(&mut s, &mut e, far);
    assert_eq!(e.query().followed, end);
    s.trajectory = Some(trajectory(3, end, &[(1e-3, [up, up])]));
    tick(&mut s, &mut e, far);
    assert_eq!(e.query().followed.trajectory, 3);
    assert!((at(&e, 0) - a - up * 3.0 - side).norm() < 1e-12);
}

/// Creates the scene with the tool at the origin, between block and ceiling.
fn under_the_ceiling() -> (Scene, Engine) {
    let (mut s, mut e) = rig();
    start(&mut s, &mut e);
    for k in 1..=100 {
        let x = 0.1 - 1e-3 * f64::from(k);
        tick(&mut s, &mut e, Pose::translation(x, 0.0, 0.0));
    }
    (s, e)
}

#[test]
fn all_stop_where_a_tool_is_in_the_way() {
    let (mut s, mut e) = under_the_ceiling();
    // The floor wants to rise 20 mm at 0.5 m/s; the ball leaves it 10 under the ceiling.
    let way = Vec3::z() * 0.02;
    s.trajectory = Some(trajectory(
        1,
        Followed::START,
        &[(0.04, [way, Vec3::y() * 0.04])],
    ));
    let (a, b) = (at(&e, 0), at(&e, 1));
    let mut least = f64::INFINITY;
    for _ in 0..60 {
        let out = tick(&mut s, &mut e, Pose::translation(0.0, 0.0, 0.0));
        let poses: Vec<Pose> = (0..2)
            .map(|i| {
                let p = at(&e, i);
                Pose::translation(p.x, p.y, p.z)
            })
            .chain([s.bodies[2].1])
            .collect();
        least = least.min(s.distance(&out.proxy, &poses));
    }
    assert!(least >= D.clearance_m * (1.0 - 1e-6), "{least}");
    let stopped = e.query().followed;
    assert!(stopped.ended && stopped.segments == 0, "{stopped:?}");
    // Within one tick's path (0.5 mm of 20) of where the ball fills the gap: the rest is for the
    // next trajectory.
    assert!((0.47..=0.5).contains(&stopped.share), "{stopped:?}");
    assert_eq!(e.output().blocked_bodies, 0, "nobody goes on");
    // All bodies are at one point of the trajectory.
    assert!((at(&e, 0) - a - way * stopped.share).norm() < 1e-12);
    assert!((at(&e, 1) - b - Vec3::y() * 0.04 * stopped.share).norm() < 1e-12);
    // From there a new one leads back.
    s.trajectory = Some(trajectory(
        2,
        stopped,
        &[(5e-3, [-way * 0.1, Vec3::zeros()])],
    ));
    for _ in 0..6 {
        tick(&mut s, &mut e, Pose::translation(0.0, 0.0, 0.0));
    }
    assert!((at(&e, 0) - a - way * (stopped.share - 0.1)).norm() < 1e-12);
}

#[test]
fn what_a_tool_pushes_with_is_reported() {
    let (mut s, mut e) = under_the_ceiling();
    assert_eq!(e.query().push_count, 0);
    // 8 mm into the block below, 4 mm off its centre.
    for k in 0..200 {
        let z = -0.013 * (f64::from(k) / 100.0).min(1.0);
        tick(&mut s, &mut e, Pose::translation(4e-3, 0.0, z));
    }
    let before = e.query();
    assert_eq!(before.push_count, 1);
    let push = before.pushes[0];
    let out = e.output().arms[0];
    assert_eq!(push.key, Scene::key(0));
    assert!(
        (push.force_n + out.wrench.force_n).norm() < 1e-6,
        "{push:?}"
    );
    assert!((push.force_n.z + 500.0 * 0.008).abs() < 0.05, "{push:?}");
    assert!(
        (push.point - Vec3::new(4e-3, 0.0, -0.01)).norm() < 1e-9,
        "{push:?}"
    );
    assert!(push.hand_m_s.norm() < 1e-5 && push.stiffness_n_per_m == 500.0);
    for _ in 0..100 {
        tick(&mut s, &mut e, Pose::translation(4e-3, 0.0, -0.013));
    }
    let after = e.query().pushes[0];
    let impulse = after.impulse_n_s - push.impulse_n_s;
    assert!((impulse - push.force_n * 0.1).norm() < 1e-6, "{impulse:?}");
    let moment = after.moment_nm_s - push.moment_nm_s;
    let expected = Vec3::new(4e-3, 0.0, 0.01).cross(&impulse);
    assert!((moment - expected).norm() < 1e-9, "{moment:?}");
    // Released: the sum stays, the force is gone.
    for _ in 0..20 {
        tick(&mut s, &mut e, Pose::translation(4e-3, 0.0, 0.0));
    }
    let left = e.query().pushes[0];
    assert_eq!(left.force_n, Vec3::zeros());
    assert!((left.impulse_n_s.z) <= after.impulse_n_s.z);
}
