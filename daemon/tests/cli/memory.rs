//! Memory cost of clients' meshes in the real daemon, and what it refuses.

use super::*;
use hapticd_client::RequestError;
use std::time::Instant;

/// Longer than anything here takes on any machine.
const WATCHDOG: Duration = Duration::from_secs(240);

fn resident_bytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .unwrap();
    1024 * line
        .split_whitespace()
        .next()
        .unwrap()
        .parse::<u64>()
        .unwrap()
}

fn ball(level: u32) -> Mesh {
    let mesh = shapes::icosphere(0.05, level).unwrap();
    Mesh {
        positions: mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: mesh.triangles().to_vec(),
    }
}

fn far(name: &str) -> BodySpec<'_> {
    BodySpec {
        friction: 0.0,
        ..hapticd_chaos::clients::spec(name, BodyKind::Static, [0.5, 0.0, 0.0])
    }
}

#[test]
fn a_body_beyond_the_memory_for_clients_is_refused_with_numbers() {
    let dir = folder("memory");
    std::fs::write(
        dir.join("rig.toml"),
        format!("{ARM}[ipc]\nmemory_mb = 16\n"),
    )
    .unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    let socket = dir.join("hapticd/app.sock");
    let mut app = Client::connect_until(&socket, "app", WATCHDOG).unwrap();
    app.set_timeout(WATCHDOG);
    // 81,920 triangles: more than the 8 MB of one client.
    match app.add_body(&far("large"), &ball(6)) {
        Err(RequestError::Refused(error)) => {
            let said = error.to_string();
            assert!(error.number > 8 << 20 && error.limit == 8 << 20, "{said}");
            assert!(said.contains("memory_mb: 16 MB"), "{said}");
        }
        other => panic!("{other:?}"),
    }
    // A mesh that fits, again and again: its memory is freed each time.
    for _ in 0..4 {
        let started = Instant::now();
        let body = loop {
            match app.add_body(&far("small"), &ball(5)) {
                Ok(body) => break body,
                // The last one is not freed yet.
                Err(RequestError::Refused(_)) => assert!(started.elapsed() < WATCHDOG),
                Err(other) => panic!("{other}"),
            }
        };
        app.remove_body(body).unwrap();
    }
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_mesh_takes_a_bounded_share_of_memory_and_gives_it_back() {
    let dir = folder("resident");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    let socket = dir.join("hapticd/app.sock");
    let mut app = Client::connect_until(&socket, "app", WATCHDOG).unwrap();
    app.set_timeout(WATCHDOG);
    let process = daemon.process.id();
    let (mesh, before) = (ball(7), resident_bytes(process));
    // In single precision, the shorter encoding.
    let file = (12 * mesh.positions.len() + 12 * mesh.triangles.len()) as u64;
    let body = app.add_body(&far("large"), &mesh).unwrap();
    let started = Instant::now();
    let wait = |what: &str, done: &dyn Fn(u64) -> bool| {
        while !done(resident_bytes(process)) {
            let now = resident_bytes(process);
            assert!(
                started.elapsed() < WATCHDOG,
                "{what}: {before} to {now}, file {file}"
            );
            std::thread::yield_now();
        }
    };
    // The temporary memory of the import has been freed.
    wait("held", &|now| now < before + 12 * file);
    app.remove_body(body).unwrap();
    wait("given back", &|now| now < before + 4 * file);
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}
