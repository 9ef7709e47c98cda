//! The answers on the socket, word by word: the real daemon, asked for what it does not do.

use crate::running;

use std::time::Instant;

use hapticd_chaos::clients::cuboid;
use hapticd_client::{
    BodyKind, BodySpec, Client, ErrorCode, Event, Notification, Pose, RequestError, topic,
};
use hapticd_config as config;
use hapticd_frozen::Frozen;
use hapticd_protocol::{reply, request};
use running::{Daemon, PATIENCE};

const ARM: &str = "[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"press\"\n\
                   tool = { kind = \"sphere\", radius_m = 0.005 }\n";

/// Far from the tool: a floor, a lid, and a stone that lies on another floor.
const BODIES: &str = "
[[body]]
name = \"floor\"
position_m = [1.0, 0.0, 0.0]
shape = { kind = \"cuboid\", size_m = [0.2, 0.2, 0.02] }
[[body]]
name = \"lid\"
kind = \"kinematic\"
position_m = [1.0, 0.0, 0.5]
shape = { kind = \"cuboid\", size_m = [0.02, 0.02, 0.02] }
[[body]]
name = \"stone\"
kind = \"dynamic\"
position_m = [1.0, 0.0, 0.03]
shape = { kind = \"cuboid\", size_m = [0.02, 0.02, 0.02] }
";

/// A gate that moves to and fro next to a wall.
const PLANAR: &str = "
[[arm]]
name = \"right\"
kind = \"simulated\"
intention = \"wander\"
tool = { kind = \"disc\", radius_m = 0.003, sides = 16 }
[[body]]
name = \"gate\"
kind = \"kinematic\"
shape = { kind = \"star\", points = 5, outer_radius_m = 0.01, inner_radius_m = 0.005 }
position_m = [0.3, 0.0, 0.0]
";

/// Starts a daemon and reads its log until the arm is there.
fn start(name: &str, configuration: &str, args: &[&str]) -> Daemon {
    let mut daemon = Daemon::run(&format!("answers-{name}"), configuration, &[], args);
    daemon.until("arm attached");
    daemon
}

fn body(client: &mut Client, name: &str) -> u32 {
    let bodies = client.bodies().unwrap();
    let found = bodies.iter().find(|body| body.name.as_str() == name);
    found.unwrap_or_else(|| panic!("no {name}")).body
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        translation_m: [x, y, z],
        ..Pose::IDENTITY
    }
}

fn block(name: &str) -> BodySpec<'_> {
    hapticd_chaos::clients::spec(name, BodyKind::Kinematic, [5.0, 0.0, 0.0])
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, RequestError>) -> reply::Error {
    match result {
        Err(RequestError::Refused(error)) => *error,
        other => panic!("not refused: {other:?}"),
    }
}

/// Checks the code and the text of a refusal.
#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T, RequestError>, code: ErrorCode, words: &str) {
    let error = refused(result);
    assert_eq!((error.to_string(), error.code), (words.to_owned(), code));
}

#[test]
fn only_kinematic_bodies_are_moved_and_a_refusal_says_what_a_body_is() {
    let daemon = start("kinds", &format!("{ARM}{BODIES}"), &[]);
    let mut app = daemon.app();
    let stone = body(&mut app, "stone");
    let words =
        format!("body {stone} is dynamic: forces move it; clients can move only kinematic bodies");
    says(
        app.set_body_pose(stone, at(1.0, 0.0, 0.4), 0.1, 100),
        ErrorCode::NotPermitted,
        &words,
    );
    says(app.halt_body(stone), ErrorCode::NotPermitted, &words);
    let floor = body(&mut app, "floor");
    let words = format!("body {floor} is static; clients can move only kinematic bodies");
    says(
        app.set_body_pose(floor, at(1.0, 0.0, 0.4), 0.1, 100),
        ErrorCode::StaticBody,
        &words,
    );
    says(app.halt_body(floor), ErrorCode::StaticBody, &words);
    // A dynamic body that this client added itself is as dynamic as any other.
    let own = BodySpec {
        kind: BodyKind::Dynamic,
        ..block("own")
    };
    let own = app.add_body(&own, &cuboid([0.02; 3], 1)).unwrap();
    let error = refused(app.set_body_pose(own, at(5.0, 0.0, 1.0), 0.1, 100));
    assert!(error.to_string().contains("is dynamic"), "{error}");
    app.remove_body(own).unwrap();
    let lid = body(&mut app, "lid");
    app.set_body_pose(lid, at(1.0, 0.0, 0.4), 0.1, 100).unwrap();
    app.halt_body(lid).unwrap();
    daemon.end();
}

/// An answer comes straight from the thread that carries the request out.
#[test]
fn bodies_are_added_and_refused_while_the_supervisor_hangs() {
    let daemon = start("hangs", &format!("{ARM}{BODIES}"), &[]);
    let mut app = daemon.app();
    let supervisor = Frozen::first(daemon.process.id()).unwrap();
    let mesh = cuboid([0.02; 3], 1);
    let body = app.add_body(&block("guest"), &mesh).unwrap();
    let again = refused(app.add_body(&block("guest"), &mesh));
    assert_eq!(again.code, ErrorCode::NameTaken);
    app.remove_body(body).unwrap();
    drop(supervisor);
    daemon.end();
}

#[test]
fn a_pose_out_of_the_plane_is_refused_and_the_body_goes_on() {
    let text = format!("[ipc]\nmax_lease_ms = 10000\n{PLANAR}");
    let daemon = start("plane", &text, &[]);
    let mut app = daemon.app();
    let gate = body(&mut app, "gate");
    let bodies = app.subscribe(0, topic::BODIES).unwrap();
    app.set_body_pose(gate, at(0.4, 0.0, 0.0), 0.05, 10_000)
        .unwrap();
    says(
        app.set_body_pose(gate, at(0.3, 0.0, 0.1), 0.05, 10_000),
        ErrorCode::OutOfRange,
        "the scene is planar: a pose must be within 1e-6 m and 1e-5 rad of the plane z = 0; it is \
         0.1 m and 0 rad off",
    );
    let (sin, cos) = 0.2_f64.sin_cos();
    let tilted = Pose {
        rotation_xyzw: [sin, 0.0, 0.0, cos],
        ..at(0.3, 0.0, 0.0)
    };
    says(
        app.set_body_pose(gate, tilted, 0.05, 10_000),
        ErrorCode::OutOfRange,
        "the scene is planar: a pose must be within 1e-6 m and 1e-5 rad of the plane z = 0; it is \
         0 m and 0.4 rad off",
    );
    // It is still on its way to the earlier target.
    let begun = Instant::now();
    loop {
        // Torn reads are skipped.
        let x_m = bodies.bodies().ok().and_then(|all| {
            let gate = all.as_slice().iter().find(|b| b.body == gate);
            gate.map(|b| b.world_from_body.translation_m[0])
        });
        if x_m.is_some_and(|x| x > 0.39) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "it stays at {x_m:?}");
        std::thread::yield_now();
    }
    // A pose with rounding errors counts as not tilted, and a turn in the plane is allowed.
    let (sin, cos) = 0.3_f64.sin_cos();
    let turned = Pose {
        rotation_xyzw: [1e-8, 0.0, sin, cos],
        ..at(0.4, 0.0, 1e-8)
    };
    app.set_body_pose(gate, turned, 0.05, 10_000).unwrap();
    says(
        app.add_body(&block("x"), &cuboid([0.02; 3], 1)),
        ErrorCode::SceneFull,
        "`x`: a planar scene takes no bodies while it runs",
    );
    daemon.end();
}

/// The bit for a target that is not reached is a client's sign of arrival, long before the lease
/// ends.
#[test]
fn a_body_that_has_arrived_has_no_target_that_it_has_not_reached() {
    let ipc = "[ipc]\nmax_lease_ms = 10000\n";
    for (scene, name, x_m) in [
        // With a dynamic body: then trajectories move kinematic ones, too.
        (format!("{ipc}{ARM}{BODIES}"), "lid", 1.1),
        (format!("{ipc}{PLANAR}"), "gate", 0.4),
    ] {
        let daemon = start(&format!("arrival-{name}"), &scene, &[]);
        let mut app = daemon.app();
        let id = body(&mut app, name);
        let bodies = app.subscribe(0, topic::BODIES).unwrap();
        let (sin, cos) = 0.3_f64.sin_cos();
        let wanted = Pose {
            rotation_xyzw: [0.0, 0.0, sin, cos],
            ..at(x_m, 0.0, if name == "lid" { 0.4 } else { 0.0 })
        };
        app.set_body_pose(id, wanted, 0.1, 10_000).unwrap();
        let (mut was_moving, mut begun) = (false, Instant::now());
        loop {
            std::thread::yield_now();
            // Torn reads are skipped.
            let all = bodies.bodies().ok();
            let seen = all.and_then(|all| all.as_slice().iter().find(|b| b.body == id).copied());
            let Some(seen) = seen else { continue };
            was_moving |= seen.moving;
            let (now, to) = (seen.world_from_body.to_array(), wanted.to_array());
            let apart = now.iter().zip(to).map(|(a, b)| (a - b).abs());
            if was_moving && !seen.moving {
                assert!(apart.fold(0.0, f64::max) < 1e-6, "{now:?}");
                break;
            }
            if begun.elapsed().as_secs() > 3 {
                // Not silent: the lease goes on.
                app.renew_leases(10_000).unwrap();
                begun = Instant::now();
            }
        }
        daemon.end();
    }
}

#[test]
fn a_lease_out_of_range_is_told_once_with_the_bound_of_its_side() {
    let daemon = start("lease", &format!("{ARM}{BODIES}"), &[]);
    let mut app = daemon.app();
    let lid = body(&mut app, "lid");
    for (lease_ms, words) in [
        (0, "lease_ms is 0, at least 1"),
        (1001, "lease_ms is 1001, at most 1000"),
        (u32::MAX, "lease_ms is 4294967295, at most 1000"),
    ] {
        let renewed = app.request(request::RenewLeases { lease_ms });
        says(renewed, ErrorCode::OutOfRange, words);
        let error = refused(app.set_body_pose(lid, at(1.0, 0.0, 0.4), 0.1, lease_ms));
        // This number tells a client what the configuration allows.
        assert_eq!((error.to_string().as_str(), error.limit), (words, 1000));
    }
    app.request(request::RenewLeases { lease_ms: 1000 })
        .unwrap();
    daemon.end();
}

#[test]
fn a_refusal_names_the_bodys_owner() {
    let text = format!("[ipc]\nmax_lease_ms = 10000\n{ARM}{BODIES}");
    let daemon = start("whose", &text, &[]);
    let (mut app, mut other) = (daemon.app(), daemon.app());
    let lid = body(&mut app, "lid");
    says(
        app.remove_body(lid),
        ErrorCode::NotPermitted,
        &format!("body {lid} is from the configuration: not this client's"),
    );
    other
        .set_body_pose(lid, at(1.0, 0.0, 0.4), 0.001, 10_000)
        .unwrap();
    let error = refused(app.set_body_pose(lid, at(1.0, 0.0, 0.4), 0.1, 100));
    assert_eq!(
        error.to_string(),
        format!("body {lid} is from the configuration; another client moves it")
    );
    let theirs = other.add_body(&block("theirs"), &cuboid([0.02; 3], 1));
    let theirs = theirs.unwrap();
    let words = format!("body {theirs} is another client's");
    says(app.remove_body(theirs), ErrorCode::NotPermitted, &words);
    says(app.halt_body(theirs), ErrorCode::NotPermitted, &words);
    daemon.end();
}

/// Returns how often a client is told of the end before its connection closes.
fn times_told(client: &mut Client) -> usize {
    let mut times = 0;
    loop {
        match client.poll(PATIENCE) {
            Ok(Some(Notification::Event(Event::ShuttingDown(_)))) => times += 1,
            Ok(Some(_)) => {}
            Ok(None) => panic!("the daemon does not end"),
            Err(_) => return times,
        }
    }
}

#[test]
fn the_end_is_told_once_to_each_client() {
    for (name, args) in [("signal", &[][..]), ("time", &["--duration", "2"])] {
        let mut daemon = start(name, &format!("{ARM}{BODIES}"), args);
        let mut clients = [daemon.app(), daemon.app()];
        for client in &mut clients {
            client.subscribe(0, topic::EVENTS).unwrap();
        }
        if args.is_empty() {
            daemon.ask_to_end();
        }
        for client in &mut clients {
            assert_eq!(times_told(client), 1, "{name}");
        }
        assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_refused_connection_is_told_how_many_its_socket_takes() {
    let text = format!("[ipc]\nmax_clients = 2\n{ARM}{BODIES}");
    let daemon = start("places", &text, &[]);
    let connect = |socket| Client::connect_to(&daemon.socket(socket), "one more");
    let mut inside = vec![daemon.app(), daemon.app()];
    for _ in 0..4 {
        inside.push(connect("technician.sock").unwrap());
    }
    for (socket, places) in [("app.sock", 2), ("technician.sock", 6)] {
        let why = connect(socket).map(|_| ()).unwrap_err().to_string();
        let wanted = format!("all {places} places for clients are taken");
        assert!(why.contains(&wanted), "{why}");
    }
    drop(inside);
    daemon.end();
}

#[test]
fn the_memory_of_a_body_is_not_reported_as_its_mesh_size() {
    let text = format!("[ipc]\nmemory_mb = 16\n{ARM}{BODIES}");
    let daemon = start("memory", &text, &[]);
    let mut app = daemon.app();
    let mesh = cuboid([0.02; 3], 82);
    let triangles = mesh.triangles.len();
    let error = refused(app.add_body(&block("large"), &mesh));
    assert_eq!(error.code, ErrorCode::MeshTooLarge);
    assert!(
        error.number > 8 << 20 && error.limit == 8 << 20,
        "{triangles}: {error}"
    );
    let said = error.to_string();
    assert!(!said.contains("bytes of mesh"), "{said}");
    let resident = format!(
        "the body needs {} MB of memory, with everything built from its mesh; \
         8 MB are left",
        error.number.div_ceil(1 << 20)
    );
    assert!(said.starts_with(&resident), "{said}");
    daemon.end();
}

#[test]
fn a_body_is_refused_for_what_the_configuration_would_not_take() {
    let daemon = start("bounds", &format!("{ARM}{BODIES}"), &[]);
    let mut app = daemon.app();
    let mesh = cuboid([0.02; 3], 1);
    let dynamic = BodySpec {
        kind: BodyKind::Dynamic,
        ..block("x")
    };
    let stiffness = |stiffness_n_per_m| BodySpec {
        stiffness_n_per_m,
        ..block("x")
    };
    let density = |density_kg_m3| BodySpec {
        density_kg_m3,
        ..dynamic
    };
    for (spec, words) in [
        (stiffness(0.0), "stiffness_n_per_m is 0, at least 1"),
        (stiffness(0.999), "stiffness_n_per_m is 0.999, at least 1"),
        (
            stiffness(2e5),
            "stiffness_n_per_m is 200000, at most 100000",
        ),
        (density(1e-9), "density_kg_m3 is 0.000000001, at least 1"),
        (density(3e4 + 1.0), "density_kg_m3 is 30001, at most 30000"),
    ] {
        says(app.add_body(&spec, &mesh), ErrorCode::OutOfRange, words);
    }
    // Values at the bounds are accepted, and so is any density where it has no meaning.
    for (spec, place) in [(stiffness(1.0), 5.0), (density(1.0), 6.0)] {
        let spec = BodySpec {
            world_from_body: at(place, 0.0, 0.0),
            ..spec
        };
        let body = app.add_body(&spec, &mesh).unwrap();
        app.remove_body(body).unwrap();
    }
    let sheet = BodySpec {
        density_kg_m3: 0.0,
        ..block("x")
    };
    app.add_body(&sheet, &mesh).unwrap();
    daemon.end();
}

/// Returns what is wrong with a file in which one key of a table has this value.
fn fault_in_file(table: &str, key: &str, value: f64) -> Option<config::Problem> {
    let rest = match table {
        "body" => "kind = \"dynamic\"\nshape = { kind = \"icosphere\", radius_m = 0.01 }\n",
        _ => "",
    };
    let text = format!("[[{table}]]\nname = \"x\"\n{rest}{key} = {value:?}\n");
    let context = config::Context::new("", |_| None);
    let errors = config::parse("edge.toml", &text, &context).err()?;
    Some(errors.diagnostics()[0].problem.clone())
}

/// Sets one number of a body to add.
type Set = fn(&mut BodySpec<'_>, f64);

#[test]
fn file_and_socket_refuse_the_same_values_at_the_edges() {
    let daemon = start("edges", &format!("{ARM}{BODIES}"), &[]);
    let mut app = daemon.app();
    let mesh = cuboid([0.02; 3], 1);
    let keys: [(&str, &str, Set); 5] = [
        ("material", "stiffness_n_per_m", |b, x| {
            b.stiffness_n_per_m = x
        }),
        ("material", "damping_n_s_per_m", |b, x| {
            b.damping_n_s_per_m = x
        }),
        ("material", "friction_coefficient", |b, x| b.friction = x),
        ("material", "restitution", |b, x| b.restitution = x),
        ("body", "density_kg_m3", |b, x| b.density_kg_m3 = x),
    ];
    for (table, key, set) in keys {
        // The parser says where the edges are.
        let Some(config::Problem::OutOfRange { min, max, .. }) = fault_in_file(table, key, 1e300)
        else {
            panic!("{key}: 1e300 is in range");
        };
        let [least, most] = [min, max].map(|edge| edge.as_number().unwrap());
        let mut values = vec![(least, true), (most, true), (most.next_up(), false)];
        if least > 0.0 {
            // The protocol itself has nothing below zero.
            values.push((least.next_down(), false));
        }
        for (value, is_taken) in values {
            let in_file = fault_in_file(table, key, value);
            assert_eq!(in_file.is_none(), is_taken, "{key} = {value:?} in a file");
            let mut spec = BodySpec {
                kind: BodyKind::Dynamic,
                ..block("edge")
            };
            set(&mut spec, value);
            match app.add_body(&spec, &mesh) {
                Ok(body) if is_taken => app.remove_body(body).unwrap(),
                Err(RequestError::Refused(error)) if !is_taken => {
                    assert_eq!(error.code, ErrorCode::OutOfRange, "{key} = {value:?}");
                }
                other => panic!("{key} = {value:?}: {other:?}"),
            }
        }
    }
    daemon.end();
}
