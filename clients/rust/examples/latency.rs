//! How late an application is, in a running daemon: `hapticd run config/demo.toml`, then
//! `cargo run --release -p hapticd-client --example latency [SECONDS]`. Medians and 99th
//! percentiles.
//!
//! * *wake*: from a state's publication until `wait_tick` returns it.
//! * *pose*: from the arm's newest report until its state is in the block.
//! * *command*: from `set_body_pose` until the tick in which the body has moved.
//! * *instances*: bodies with a known mesh, added and removed one after the other.
#![allow(clippy::print_stdout)]

use hapticd_client::{BodyKind, BodySpec, Client, Mesh, Pose, Subscription, now_ns, topic};
use std::{error::Error, time::Duration};

/// A small box far from every tool.
const PLACE: [f64; 3] = [50.0, 50.0, 50.0];

fn at(x: f64) -> Pose {
    Pose {
        translation_m: [PLACE[0] + x, PLACE[1], PLACE[2]],
        ..Pose::IDENTITY
    }
}

fn spec(name: &str) -> BodySpec<'_> {
    BodySpec {
        name,
        kind: BodyKind::Kinematic,
        solid: true,
        world_from_body: at(0.0),
        stiffness_n_per_m: 500.0,
        damping_n_s_per_m: 1.0,
        friction: 0.3,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

fn cube() -> Mesh {
    let corner = |k: u32| [k & 1, k >> 1 & 1, k >> 2].map(|bit| f64::from(bit) * 0.02 - 0.01);
    Mesh {
        positions: (0..8).map(corner).collect(),
        triangles: vec![
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ],
    }
}

/// Prints median and 99th percentile, us.
fn say(what: &str, mut times_ns: Vec<i64>) {
    times_ns.sort_unstable();
    let at = |share: usize| times_ns[(times_ns.len() * share / 100).min(times_ns.len() - 1)];
    println!(
        "{what}: median {:.1} us, p99 {:.1} us, {} times",
        at(50) as f64 * 1e-3,
        at(99) as f64 * 1e-3,
        times_ns.len()
    );
}

/// Wakes at every tick. When a tick was done is in the state of the next one.
fn wakes(client: &mut Client, arm: &Subscription, ticks: usize) -> Result<(), Box<dyn Error>> {
    let (mut wake, mut pose) = (Vec::new(), Vec::new());
    let mut last: Option<(u64, i64, i64, i64)> = None;
    while wake.len() < ticks {
        let state = arm.wait_tick(last.map_or(0, |last| last.0), Duration::from_secs(1))?;
        let seen_ns = now_ns() as i64;
        if let Some((tick, time_ns, before_ns, input_age_ns)) = last
            && state.tick == tick + 1
        {
            let done_ns = (state.lateness_ns + state.compute_ns) as i64;
            wake.push(before_ns - (time_ns + done_ns));
            pose.push(input_age_ns + done_ns);
        }
        let time_ns = state.time_ns as i64;
        last = Some((state.tick, time_ns, seen_ns, state.input_age_ns as i64));
        client.poll_renewing(Duration::ZERO)?;
    }
    say("wake", wake);
    say("pose", pose);
    Ok(())
}

fn commands(client: &mut Client, scene: &Subscription, body: u32) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    let place = |scene: &Subscription| {
        let bodies = scene.bodies().ok()?;
        let found = bodies.as_slice().iter().find(|state| state.body == body)?;
        Some((bodies.time_ns, found.world_from_body.translation_m[0]))
    };
    for k in 0..400 {
        let from = place(scene).map_or(PLACE[0], |(_, x)| x);
        let asked_ns = now_ns();
        client.set_body_pose(body, at(if k % 2 == 0 { 0.1 } else { 0.0 }), 1.0, 100)?;
        let moved_ns = loop {
            match place(scene) {
                Some((time_ns, x)) if x != from => break time_ns,
                _ => std::hint::spin_loop(),
            }
        };
        times.push(moved_ns as i64 - asked_ns as i64);
        client.halt_body(body)?;
        // Until it stands.
        let mut before = place(scene);
        loop {
            std::thread::sleep(Duration::from_millis(5));
            let now = place(scene);
            if now.map(|(_, x)| x) == before.map(|(_, x)| x) {
                break;
            }
            before = now;
        }
    }
    say("command", times);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let seconds: usize = std::env::args().nth(1).as_deref().unwrap_or("5").parse()?;
    let mut client = Client::connect("latency")?;
    let arm = client.subscribe(0, topic::STATE | topic::WAKE | topic::BODIES)?;
    wakes(&mut client, &arm, 1000 * seconds)?;
    let mesh = cube();
    let body = client.add_body(&spec("latency"), &mesh)?;
    commands(&mut client, &arm, body)?;
    // The daemon takes 2,000 messages a second: these are half of them, at once.
    std::thread::sleep(Duration::from_secs(1));
    let start_ns = now_ns();
    for _ in 0..500 {
        let twin = client.add_instance(&spec("latency twin"), body)?;
        client.remove_body(twin)?;
    }
    let seconds = (now_ns() - start_ns) as f64 * 1e-9;
    println!(
        "instances: {:.0} added and removed a second",
        500.0 / seconds
    );
    Ok(())
}
