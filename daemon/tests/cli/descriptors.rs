//! Descriptors: those that a client passes and that hang in `close`, and their maximum number. The
//! real daemon, real sockets.

use super::*;
use hapticd_protocol::{frame::Message, request, request::Request, text::Name};
use hapticd_sys::socket::Connection;
use rustix::net::sockopt::{set_socket_linger, set_socket_recv_buffer_size};
use std::{
    io::{ErrorKind, Write},
    net::{TcpListener, TcpStream},
    os::fd::{AsFd, OwnedFd},
};

/// Returns a TCP socket with data that nobody takes, and its other end: closing it waits for ten
/// hours.
fn lingering() -> (OwnedFd, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    set_socket_recv_buffer_size(&listener, 4096).unwrap();
    let mut socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (peer, _) = listener.accept().unwrap();
    socket.set_nonblocking(true).unwrap();
    loop {
        match socket.write(&[0; 65_536]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    set_socket_linger(&socket, Some(Duration::from_secs(36_000))).unwrap();
    (socket.into(), peer)
}

#[test]
fn the_force_ends_with_its_client_while_a_close_hangs() {
    let dir = folder("linger");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    let socket = dir.join("hapticd/app.sock");
    let patience = Duration::from_secs(60);
    let mut watcher = Client::connect_until(&socket, "watcher", patience).unwrap();
    let topics = topic::STATE | topic::WAKE | topic::EVENTS;
    let mut arm = watcher.subscribe(0, topics).unwrap();
    let mut app = Client::connect_to(&socket, "app").unwrap();
    let mesh = shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).unwrap();
    let table = Mesh {
        positions: mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: mesh.triangles().to_vec(),
    };
    let spec = BodySpec {
        friction: 0.0,
        ..hapticd_chaos::clients::spec("table", BodyKind::Static, [0.0, 0.0, 0.0])
    };
    let body = app.add_body(&spec, &table).unwrap();
    until_it_presses(&mut arm, &mut app, patience);
    app.renew_leases(600_000).unwrap();
    // Directly, and in the queue of another socket, where their own options have no effect. The
    // scheduler decides which process has the last descriptor and hangs. This process must not hang
    // here, and among many descriptors some are the daemon's.
    let attacker = Connection::connect(&socket).unwrap();
    let hello = Request::from(request::Hello::new(Name::new("attacker").unwrap()));
    attacker.send(&hello.encode(1), &[]).unwrap();
    let list = Request::from(request::ListArms {}).encode(2);
    let mut ends = Vec::new();
    for message in [list, vec![1; 5000]].iter().cycle().take(8) {
        let (file, peer) = lingering();
        attacker.send(message, &[file.as_fd()]).unwrap();
        std::thread::spawn(move || drop(file));
        let (file, other) = lingering();
        let (outer, sender) = Connection::pair().unwrap();
        sender.send(b"x", &[file.as_fd()]).unwrap();
        drop(file);
        attacker.send(message, &[outer.as_fd()]).unwrap();
        std::thread::spawn(move || drop(outer));
        ends.extend([peer, other]);
    }
    drop(app);
    loop {
        match watcher.poll(patience).unwrap() {
            Some(Notification::Event(Event::BodyLeft(left))) if left.body == body => break,
            Some(_) => {}
            None => panic!("nothing was heard of body {body} within a minute"),
        }
    }
    // The event is on its way when the loop is told.
    let seen = arm.state().unwrap().tick;
    while arm.state().unwrap().tick < seen + 100 {
        assert!(arm.wake().unwrap().wait(patience).unwrap());
    }
    assert_eq!(arm.state().unwrap().contacts, 0);
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    drop(ends);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_daemon_raises_its_soft_limit_on_descriptors() {
    let dir = folder("soft-limit");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut process = Command::new("sh")
        .args(["-c", "ulimit -Sn 256 && exec \"$0\" run rig.toml --plain"])
        .arg(env!("CARGO_BIN_EXE_hapticd"))
        .current_dir(&dir)
        .env("XDG_RUNTIME_DIR", &dir)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut daemon = Daemon { process, log };
    daemon.until("arm attached");
    let limits = format!("/proc/{}/limits", daemon.process.id());
    let limits = std::fs::read_to_string(limits).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let numbers: Vec<&str> = line.unwrap().split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers[0], numbers[1], "{limits}");
    assert_ne!(
        numbers[0], "256",
        "the hard limit was as low: nothing is shown"
    );
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}
