//! Descriptors in both directions: neither a descriptor that hangs in `close` nor a lack of
//! descriptors delays the loop's knowledge of a client's death.

use super::{hanging::hanging, hanging::lingering, *};
use hapticd_sys::socket::MAX_PASSED_FDS;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::{
    io::IoSlice,
    mem::MaybeUninit,
    os::fd::{BorrowedFd, OwnedFd},
};

/// Sends messages that the client library would not.
fn pass(to: &Connection, bytes: &[u8], fds: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PASSED_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    assert!(ancillary.push(SendAncillaryMessage::ScmRights(fds)));
    sendmsg(
        to,
        &[IoSlice::new(bytes)],
        &mut ancillary,
        SendFlags::empty(),
    )
    .unwrap();
}

/// Passes files that hang in `close`, so that the server holds the last descriptors of them.
fn pass_hanging(fixture: &Fixture, to: &Connection, bytes: &[u8], count: usize) {
    fixture.held(|| {
        let files: Vec<OwnedFd> = (0..count).map(|_| hanging()).collect();
        let fds: Vec<BorrowedFd<'_>> = files.iter().map(AsFd::as_fd).collect();
        pass(to, bytes, &fds);
    });
}

fn list(id: u64) -> Vec<u8> {
    Request::from(request::ListArms {}).encode(id)
}

fn add_body() -> Vec<u8> {
    let add = request::AddBody {
        name: Name::new("x").unwrap(),
        world_from_body: Pose::IDENTITY,
        stiffness_n_per_m: hapticd_protocol::wire::NonNegative(1.0),
        damping_n_s_per_m: hapticd_protocol::wire::NonNegative(1.0),
        friction: hapticd_protocol::wire::NonNegative(0.0),
        restitution: hapticd_protocol::wire::NonNegative(0.0),
        density_kg_m3: hapticd_protocol::wire::NonNegative(1000.0),
        kind: BodyKind::Static,
        solid: false,
    };
    Request::from(add).encode(5)
}

/// Waits for the answer to request `id`.
fn await_answer(connection: &Connection, id: u64) -> Reply {
    let mut buffer = [0; 4096];
    loop {
        wait(&[(connection.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
        match connection.receive(&mut buffer) {
            Ok(received) => {
                let (of, reply) =
                    Reply::decode(&buffer[..received.length], received.fds.len()).unwrap();
                if of == id {
                    return reply;
                }
            }
            Err(ReceiveError::WouldBlock) => panic!("no answer to {id} within a minute"),
            Err(error) => panic!("{error}"),
        }
    }
}

/// A client that has said hello, and its number.
fn greeted(fixture: &Fixture) -> (Connection, u32) {
    let raw = fixture.raw();
    raw.send(&hello(), &[]).unwrap();
    match await_answer(&raw, 1) {
        Reply::Welcome(welcome) => (raw, welcome.client),
        other => panic!("{other:?}"),
    }
}

/// The client's death is noticed, and another client is served and gets a mesh into the scene.
fn all_is_well(fixture: &Fixture, name: &str) {
    let mut victim = fixture.client("victim");
    victim.set_timeout(PATIENCE);
    fixture.add(&mut victim, 7);
    assert_eq!(victim.arms().unwrap().len(), 1, "after {name}");
    let number = victim.welcome().client;
    drop(victim);
    assert_eq!(fixture.expect_gone(number).1, [7], "after {name}");
}

fn to_close(technician: &mut Client) -> usize {
    let status = technician.status().unwrap();
    let (_, number) = status.split_once("\"to_close\":").unwrap();
    number.trim_end_matches('}').parse().unwrap()
}

/// Waits until this many descriptors hang, so that a test cannot pass without proving anything.
fn await_hanging(fixture: &Fixture, count: usize) {
    let mut technician = fixture.technician();
    while to_close(&mut technician) < count {
        thread::yield_now();
    }
}

#[test]
fn a_passed_lingering_socket_stalls_no_thread() {
    let fixture = Fixture::new("lingering", patient());
    let (raw, _) = greeted(&fixture);
    fixture.held(|| {
        raw.send(&list(2), &[lingering().as_fd()]).unwrap();
        raw.send(&[1; 5000], &[lingering().as_fd()]).unwrap();
        raw.send(&add_body(), &[lingering().as_fd()]).unwrap();
    });
    all_is_well(&fixture, "all of them");
}

#[test]
fn a_close_that_hangs_stalls_no_thread_however_passed() {
    let fixture = Fixture::new("hanging", patient());
    let mut hung = 0;
    let mut passed = |raw: &Connection, bytes: &[u8], count: usize| {
        pass_hanging(&fixture, raw, bytes, count);
        hung += count;
        hung
    };
    let (raw, _) = greeted(&fixture);
    for (name, bytes) in [
        ("a message without descriptors", list(2)),
        ("a mesh", add_body()),
        ("a message of no kind", vec![0xff; 16]),
        ("a message that is too long", vec![1; 5000]),
    ] {
        await_hanging(&fixture, passed(&raw, &bytes, 1));
        all_is_well(&fixture, name);
    }
    // More than a message may have: the kernel closes none of them on the receiving thread.
    await_hanging(&fixture, passed(&raw, &list(3), 20));
    all_is_well(&fixture, "too many");

    let (raw, number) = greeted(&fixture);
    await_hanging(&fixture, passed(&raw, &[], 1));
    assert_eq!(fixture.expect_gone(number).0, GoneWhy::Closed);
    all_is_well(&fixture, "a message of no bytes");

    let stranger = fixture.raw();
    await_hanging(&fixture, passed(&stranger, &[0xff; 16], 1));
    all_is_well(&fixture, "no hello");

    // Descriptors that were never read are closed with the connection.
    let (raw, number) = greeted(&fixture);
    fixture.held(|| {
        let goodbye = Request::from(request::Goodbye {}).encode(2);
        raw.send(&goodbye, &[]).unwrap();
        raw.send(&list(2), &[hanging().as_fd()]).unwrap();
    });
    await_hanging(&fixture, hung + 1);
    assert_eq!(fixture.expect_gone(number).0, GoneWhy::Goodbye);
    all_is_well(&fixture, "a goodbye");
}

#[test]
fn a_client_writing_to_its_wake_line_stalls_no_thread() {
    let fixture = Fixture::new("line", patient());
    let (raw, number) = greeted(&fixture);
    let topics = topic::WAKE;
    let subscribe = Request::from(request::Subscribe { arm: 0, topics }).encode(2);
    raw.send(&subscribe, &[]).unwrap();
    wait(&[(raw.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
    let mut received = raw.receive(&mut [0; 4096]).unwrap();
    let line = Connection::from(received.fds.remove(0));
    // Whether or not it is refused, its descriptor must not delay the closing of the line. If
    // refused, it stays with the sender.
    let file = hanging();
    if line.send(b"x", &[file.as_fd()]).is_err() {
        std::mem::forget(file);
    }
    drop(raw);
    assert_eq!(fixture.expect_gone(number).0, GoneWhy::Closed);
    all_is_well(&fixture, "a wake line");
}

#[test]
fn a_daemon_that_ends_waits_for_no_close() {
    let mut fixture = Fixture::new("end-hanging", patient());
    let (raw, _) = greeted(&fixture);
    pass_hanging(&fixture, &raw, &list(2), 1);
    await_hanging(&fixture, 1);
    // Neither is read any more; the second client is not even accepted.
    let stranger = fixture.raw();
    fixture.held(|| {
        raw.send(&list(3), &[hanging().as_fd()]).unwrap();
        stranger.send(&hello(), &[hanging().as_fd()]).unwrap();
        fixture.handle.stop();
    });
    let server = fixture.thread.take().unwrap();
    let (done, ended) = crossbeam::channel::bounded(1);
    thread::spawn(move || done.send(server.join().is_ok()));
    assert_eq!(ended.recv_timeout(PATIENCE), Ok(true));
}

/// A client that passes hundreds of descriptors that hang loses its connection; the others still
/// add bodies.
#[test]
fn a_client_passing_hundreds_is_closed() {
    let fixture = Fixture::new("hundreds", patient());
    let (raw, number) = greeted(&fixture);
    pass_hanging(&fixture, &raw, &list(2), 20);
    await_hanging(&fixture, 20);
    let file = std::mem::ManuallyDrop::new(hanging());
    for _ in 0..3 {
        pass(&raw, &list(3), &[file.as_fd(); MAX_PASSED_FDS]);
    }
    let gone = fixture.expect_gone(number).0;
    let is_for_descriptors = matches!(
        gone,
        GoneWhy::Expelled(Expulsion::OpenDescriptors {
            open: 513..,
            limit: 512
        })
    );
    assert!(is_for_descriptors, "{gone:?}");
    all_is_well(&fixture, "hundreds");
}

/// Several clients together fill the closer: then messages with descriptors wait, and so do new
/// clients, but no one else.
#[test]
fn a_full_closer_stalls_only_senders_of_descriptors() {
    let fixture = Fixture::new("full-closer", patient());
    let mut other = fixture.client("other");
    other.set_timeout(PATIENCE);
    fixture.add(&mut other, 7);
    let (first, _) = greeted(&fixture);
    let mut full: Vec<_> = (0..4).map(|_| greeted(&fixture)).collect();
    pass_hanging(&fixture, &first, &list(2), 20);
    await_hanging(&fixture, 20);
    let file = std::mem::ManuallyDrop::new(hanging());
    let mut technician = fixture.technician();
    for (raw, _) in &full {
        for _ in 0..2 {
            pass(raw, &list(3), &[file.as_fd(); MAX_PASSED_FDS]);
        }
    }
    // With the second of them 1024 wait, and messages of the last one are no longer taken.
    while to_close(&mut technician) < 1024 {
        thread::yield_now();
    }
    for step in 0..1000 {
        assert_eq!(other.arms().unwrap().len(), 1, "{step}");
    }
    // A new client is not accepted.
    let newcomer = fixture.raw();
    newcomer.send(&hello(), &[]).unwrap();
    let number = other.welcome().client;
    drop(other);
    assert_eq!(fixture.expect_gone(number).1, [7]);
    let answer = newcomer.receive(&mut [0; 64]);
    assert!(matches!(answer, Err(ReceiveError::WouldBlock)));
    // The end of a client that waits to be read is noticed.
    let (parked, number) = full.remove(3);
    drop(parked);
    assert_eq!(fixture.expect_gone(number).0, GoneWhy::Closed);
}

/// Number of open descriptors of this process.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn replies_that_nobody_reads_cost_no_descriptors() {
    let fixture = Fixture::new("unread", patient());
    let mut technician = fixture.technician();
    let readers: Vec<_> = (0..2).map(|_| greeted(&fixture)).collect();
    let before = open_files();
    let topics = topic::STATE | topic::CONTACTS | topic::BODIES;
    for (raw, _) in &readers {
        for id in 0..200 {
            let subscribe = request::Subscribe { arm: 0, topics };
            raw.send(&Request::from(subscribe).encode(100 + id), &[])
                .unwrap();
        }
    }
    // Their packets of each round come before the technician's next one.
    for _ in 0..20 {
        to_close(&mut technician);
    }
    assert!(open_files() < before + 20, "{before}, {}", open_files());
    let mut newcomer = fixture.client("newcomer");
    newcomer.subscribe(0, topics).unwrap();
    // Few are in flight, or the kernel would allow this user's programs none; a client that reads
    // gets all in the end.
    let (raw, _) = &readers[0];
    let under_way = fixture.held(|| {
        let mut fds = 0;
        while let Ok(received) = raw.receive(&mut [0; 4096]) {
            fds += received.fds.len();
        }
        fds
    });
    assert!((3..=32).contains(&under_way), "{under_way}");
    assert!(matches!(await_answer(raw, 299), Reply::Subscribed(_)));
}

#[test]
fn unread_wake_up_lines_are_limited() {
    let fixture = Fixture::new("lines", patient());
    let (raw, _) = greeted(&fixture);
    let topics = topic::WAKE;
    fixture.held(|| {
        for id in 0..200 {
            let subscribe = request::Subscribe { arm: 0, topics };
            raw.send(&Request::from(subscribe).encode(100 + id), &[])
                .unwrap();
        }
    });
    let mut technician = fixture.technician();
    for _ in 0..20 {
        to_close(&mut technician);
    }
    let before = open_files();
    let Reply::Error(refused) = await_answer(&raw, 299) else {
        panic!("a line for each of 200 requests of which none was read");
    };
    assert_eq!(refused.code, ErrorCode::Busy);
    assert!(open_files() <= before, "those that were held are gone");
    // A client that reads gets a line again.
    let subscribe = request::Subscribe { arm: 0, topics };
    raw.send(&Request::from(subscribe).encode(9), &[]).unwrap();
    assert!(matches!(await_answer(&raw, 9), Reply::Subscribed(_)));
}

/// No descriptor is left: connected clients are served, new ones wait until there are some again.
#[test]
fn without_descriptors_newcomers_wait_and_others_are_served() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let fixture = Fixture::new("no-descriptors", patient());
    let mut other = fixture.client("other");
    other.set_timeout(PATIENCE);
    let newcomer = fixture.raw();
    other.arms().unwrap();
    let limit = getrlimit(Resource::Nofile);
    // All numbers below are taken, and `poll` may still have a list of this length.
    let none = Rlimit {
        current: Some(10),
        ..limit
    };
    setrlimit(Resource::Nofile, none).unwrap();
    let late = newcomer.send(&hello(), &[]);
    let served: Vec<_> = (0..100)
        .map(|_| other.arms().map(|arms| arms.len()))
        .collect();
    setrlimit(Resource::Nofile, limit).unwrap();
    late.unwrap();
    assert!(
        served.iter().all(|arms| matches!(arms, Ok(1))),
        "{served:?}"
    );
    assert!(matches!(await_answer(&newcomer, 1), Reply::Welcome(_)));
}
