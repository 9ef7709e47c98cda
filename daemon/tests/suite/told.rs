//! What a technician and a client are told when something ends: with the numbers that give the
//! reason.

use crate::running;

use std::process::Command;
use std::time::{Duration, Instant};

use hapticd_client::{BodyKind, ErrorCode, Event, Mesh, Notification, Pose, RequestError, topic};
use running::{Daemon, PATIENCE};

/// A hand that goes to and fro between two places.
const HAND: &str = "kind = \"script\"\nrepeat = true\n\
    track = [{ t_s = 0.0, position = [-0.05, 0.0, 0.0] }, \
    { t_s = 0.2, position = [0.05, 0.0, 0.0] }, \
    { t_s = 0.4, position = [-0.05, 0.0, 0.0] }]\n";

fn setup(sections: &str) -> String {
    format!(
        "{sections}[[arm]]\nname = \"right\"\nkind = \"simulated\"\n\
         intention = \"./hand.toml\"\n\
         tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n"
    )
}

fn start(name: &str, sections: &str) -> Daemon {
    let name = format!("told-{name}");
    Daemon::run(&name, &setup(sections), &[("hand.toml", HAND)], &[])
}

#[test]
fn a_force_off_for_speed_says_speed_and_limit() {
    let patient = "stall_ms = 500.0\nstale_input_ms = 500.0\nstale_contact_ms = 500.0\n";
    let safety = format!("[safety]\nvelocity_limit_m_s = 0.25\n{patient}");
    let mut daemon = start("speed", &safety);
    let words = "WARN arm=right force off: velocity limit exceeded (8): ";
    let line = daemon.until(words);
    let rest = line.split(words).nth(1).unwrap();
    let (speed, limit) = rest.split_once(" m/s, limit ").unwrap();
    let limit = limit.split([' ', ',']).next().unwrap();
    assert_eq!(limit, "0.25", "{line}");
    assert!(speed.parse::<f64>().unwrap() >= 0.25, "{line}");
    // The status says so as well.
    let mut technician = daemon.client("technician.sock");
    let last = loop {
        let status: serde_json::Value =
            serde_json::from_str(&technician.status().unwrap()).unwrap();
        let last = status["arms"][0]["last_force_off"].clone();
        if last["code"] == 8 {
            break last;
        }
    };
    let cause = last["cause"].as_str().unwrap();
    assert!(cause.ends_with(" m/s, limit 0.25"), "{last}");
    daemon.end();
}

#[test]
fn a_flood_is_told_its_numbers_before_it_is_closed() {
    let mut daemon = start("flood", "");
    let mut app = daemon.app();
    let per_s = app.welcome().messages_per_s;
    // Requests for a body that does not exist: each is refused, and counts.
    let end = loop {
        if let Err(error) = app.post_body_pose(77, Pose::IDENTITY, 0.1, 100) {
            break error;
        }
    };
    assert!(matches!(end, RequestError::Disconnected), "{end}");
    let mut last = None;
    while let Ok(Some(news)) = app.poll(PATIENCE) {
        last = Some(news);
    }
    let Some(Notification::Refused(error)) = last else {
        panic!("{last:?}");
    };
    assert_eq!(
        (error.code, error.limit),
        (ErrorCode::TooManyMessages, u64::from(per_s))
    );
    let why = format!(
        "it sent more than {per_s} messages a second, and then {per_s} more that were refused"
    );
    assert_eq!(error.detail.as_str(), format!("connection closed: {why}"));
    daemon.until(&format!("`test` cut off: {why}"));
    daemon.end();
}

fn signal(daemon: &Daemon, name: &str) {
    let pid = daemon.process.id().to_string();
    let sent = Command::new("kill").args([name, &pid]).status();
    assert!(sent.unwrap().success());
}

/// Returns whether the daemon's main thread is stopped.
fn is_stopped(daemon: &Daemon) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemon.process.id())).unwrap();
    stat.rsplit(") ").next().unwrap().starts_with('T')
}

/// The arm reports every millisecond; a loop that was kept from its work finds an old sample.
#[test]
fn a_sample_that_grew_old_while_the_loop_was_late_is_the_loops() {
    let patient = "stall_ms = 1000.0\nstale_contact_ms = 5000.0\ncontinuous_window_s = 600.0\n";
    let daemon = start(
        "loop",
        &format!("[safety]\nstale_input_ms = 5.0\n{patient}"),
    );
    let mut technician = daemon.client("technician.sock");
    let begun = Instant::now();
    let cause = loop {
        assert!(begun.elapsed() < PATIENCE, "the loop is never blamed");
        signal(&daemon, "-STOP");
        while !is_stopped(&daemon) {
            std::thread::yield_now();
        }
        // The lateness of the loop, with nothing to wait for: 12 periods and the time to go on.
        let stopped = Instant::now();
        while stopped.elapsed() < Duration::from_millis(12) {
            std::thread::yield_now();
        }
        signal(&daemon, "-CONT");
        let status: serde_json::Value =
            serde_json::from_str(&technician.status().unwrap()).unwrap();
        let last = status["arms"][0]["last_force_off"].clone();
        let cause = last["cause"].as_str().unwrap_or_default().to_owned();
        if last["code"] == 32 && cause.starts_with("the loop was late by ") {
            break cause;
        }
    };
    let (late, rest) = cause.split_once(" ms, the sample was ").unwrap();
    let late: f64 = late.rsplit(' ').next().unwrap().parse().unwrap();
    let (age, limit) = rest.split_once(" ms old, limit ").unwrap();
    let age: f64 = age.parse().unwrap();
    assert_eq!(limit, "5", "{cause}");
    assert!(age > 5.0 && age - late <= 5.0 + 1e-3 * age, "{cause}");
    daemon.end();
}

/// A stopped daemon stands in for one that is too slow.
#[test]
fn a_body_that_comes_late_is_announced_found_and_removed() {
    let daemon = start("late", "");
    let mut app = daemon.app();
    app.subscribe(0, topic::EVENTS).unwrap();
    signal(&daemon, "-STOP");
    while !is_stopped(&daemon) {
        std::thread::yield_now();
    }
    let mesh = Mesh {
        positions: vec![
            [0.0; 3],
            [0.01, 0.0, 0.0],
            [0.0, 0.01, 0.0],
            [0.0, 0.0, 0.01],
        ],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let spec = hapticd_chaos::clients::spec("late", BodyKind::Static, [0.0, 0.0, 0.5]);
    app.set_timeout(Duration::from_millis(1));
    let error = app.add_body(&spec, &mesh).unwrap_err();
    assert!(matches!(error, RequestError::BodyPending { .. }), "{error}");
    // 20 us for each of its triangles.
    let words = "no answer within 1.08ms: body `late` may still be added; look for it in the list \
        of bodies and remove it by its identity";
    assert!(error.to_string().starts_with(words), "{error}");
    app.set_timeout(PATIENCE);
    signal(&daemon, "-CONT");
    let joined = loop {
        match app.poll(PATIENCE).unwrap() {
            Some(Notification::Event(Event::BodyJoined(joined))) => break joined,
            Some(_) => {}
            None => panic!("no body came"),
        }
    };
    assert_eq!(joined.name.as_str(), "late");
    let bodies = app.bodies().unwrap();
    let found = bodies.iter().find(|body| body.name.as_str() == "late");
    assert_eq!(found.unwrap().body, joined.body);
    app.remove_body(joined.body).unwrap();
    assert!(app.bodies().unwrap().is_empty());
    daemon.end();
}
