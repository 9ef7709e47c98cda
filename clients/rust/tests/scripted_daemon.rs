//! The client against a scripted peer: versions, errors, silence, death.

use hapticd_client::{
    ArmState, Client, ConnectError, ErrorCode, Event, Notification, Pose, ReadError,
    ReadStateError, RequestError, WaitTickError, topic,
};
use hapticd_protocol::{
    block::{BlockHeader, SEQUENCE_WORD, STATE_WORDS, SurfaceHeader, block_words},
    event,
    frame::{MAX_MESSAGE, Message},
    reply::{self, BlockInfo, BlockKind, RefusalReason, Reply, Welcome},
    request::Request,
    text::{Name, Text},
    wire::{Limit, List},
};
use hapticd_sync::{seqlock::Writer, words::WritableWords};
use hapticd_sys::{
    block::SharedBlock,
    sealed_file::create_sealed,
    socket::{Connection, Listener},
    wake::{Interest, wait},
};
use std::{
    os::fd::{AsFd, BorrowedFd},
    path::Path,
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};

/// The daemon's end of the connection.
struct Daemon(Connection);

impl Daemon {
    fn expect(&self) -> (u64, Request) {
        wait(&[(self.0.as_fd(), Interest::Read)], None).unwrap();
        let mut packet = [0; MAX_MESSAGE];
        let received = self.0.receive(&mut packet).unwrap();
        Request::decode(&packet[..received.length], received.fds.len()).unwrap()
    }

    fn answer(&self, id: u64, reply: impl Into<Reply>, fds: &[BorrowedFd<'_>]) {
        self.0.send(&reply.into().encode(id), fds).unwrap();
    }

    fn welcome(&self) {
        let (id, hello) = self.expect();
        assert!(matches!(hello, Request::Hello(hello) if hello.name.as_str() == "test"));
        let welcome = Welcome {
            magic: hapticd_protocol::MAGIC,
            major: hapticd_protocol::MAJOR,
            minor: hapticd_protocol::MINOR,
            client: 4,
            lease_ms: 200,
            messages_per_s: 1000,
            max_bodies: 8,
            technician: false,
        };
        self.answer(id, welcome, &[]);
    }
}

/// Runs `script` as the daemon while `test` runs with the client's connection.
fn play<R>(script: impl FnOnce(Daemon) + Send, test: impl FnOnce(Connection) -> R) -> R {
    let (client, daemon) = Connection::pair().unwrap();
    thread::scope(|scope| {
        let playing = scope.spawn(move || script(Daemon(daemon)));
        let result = test(client);
        playing.join().unwrap();
        result
    })
}

fn greet(connection: Connection) -> Result<Client, ConnectError> {
    Client::greet(connection, Name::new("test").unwrap())
}

#[test]
fn a_version_mismatch_is_an_error_with_both_versions() {
    let script = |daemon: Daemon| {
        let (id, _) = daemon.expect();
        let refused = reply::Refused {
            reason: RefusalReason::VersionMismatch,
            major: 7,
            minor: 3,
            client_major: 1,
            client_minor: 0,
            limit: 0,
        };
        daemon.answer(id, refused, &[]);
    };
    let error = play(script, |connection| greet(connection).unwrap_err());
    assert!(matches!(error, ConnectError::Refused(_)));
    let text = error.to_string();
    assert!(
        text.contains("7.3") && text.contains("1.0") && text.contains("build the client again"),
        "{text}"
    );
}

#[test]
fn a_refusal_that_came_before_the_hello_is_understood() {
    let (client, daemon) = Connection::pair().unwrap();
    let refused = reply::Refused {
        reason: RefusalReason::TooManyClients,
        major: 1,
        minor: 0,
        client_major: 0,
        client_minor: 0,
        limit: 16,
    };
    daemon
        .send(&Reply::from(refused.clone()).encode(0), &[])
        .unwrap();
    drop(daemon);
    let error = greet(client).unwrap_err();
    assert!(
        matches!(&error, ConnectError::Refused(got) if *got == refused),
        "{error}"
    );
}

#[test]
fn the_error_names_the_socket_where_nobody_listens() {
    let path = Path::new("/nowhere/hapticd/app.sock");
    let error = Client::connect_to(path, "test").unwrap_err();
    assert!(
        error.to_string().contains("/nowhere/hapticd/app.sock"),
        "{error}"
    );
    assert!(matches!(
        Client::connect_until(path, "test", Duration::ZERO),
        Err(ConnectError::NoDaemon { .. })
    ));
    assert!(matches!(
        Client::connect_to(path, ""),
        Err(ConnectError::InvalidName("empty"))
    ));
}

#[test]
fn a_daemon_that_goes_away_is_told_by_every_call() {
    play(
        |daemon| daemon.welcome(),
        |connection| {
            let mut client = greet(connection).unwrap();
            assert_eq!(client.welcome().client, 4);
            assert!(matches!(
                client.poll(Duration::from_secs(60)),
                Err(RequestError::Disconnected)
            ));
            assert!(matches!(client.arms(), Err(RequestError::Disconnected)));
            assert!(matches!(
                client.renew_leases(100),
                Err(RequestError::Disconnected)
            ));
        },
    );
}

#[test]
fn events_between_request_and_answer_are_kept_in_order() {
    let script = |daemon: Daemon| {
        daemon.welcome();
        let (id, _) = daemon.expect();
        for body in [1, 2] {
            daemon
                .0
                .send(&Event::from(event::LeaseExpired { body }).encode(0), &[])
                .unwrap();
        }
        daemon.answer(id, reply::Arms { arms: List(vec![]) }, &[]);
    };
    play(script, |connection| {
        let mut client = greet(connection).unwrap();
        assert_eq!(client.arms().unwrap(), vec![]);
        for body in [1, 2] {
            let news = client.poll(Duration::ZERO).unwrap();
            assert_eq!(
                news,
                Some(Notification::Event(event::LeaseExpired { body }.into()))
            );
        }
    });
}

#[test]
fn a_refusal_carries_its_code_numbers_and_sentence() {
    let error = reply::Error {
        number: 9,
        limit: 0,
        detail: Text::lossy("gone since tick 5"),
        code: ErrorCode::NoSuchBody,
        request: 0x0107,
    };
    let sent = error.clone();
    let script = |daemon: Daemon| {
        daemon.welcome();
        let (id, request) = daemon.expect();
        assert!(matches!(request, Request::RemoveBody(remove) if remove.body == 9));
        daemon.answer(id, sent, &[]);
    };
    play(script, |connection| {
        let refused = greet(connection).unwrap().remove_body(9).unwrap_err();
        assert_eq!(refused.to_string(), "there is no body 9: gone since tick 5");
        assert!(matches!(refused, RequestError::Refused(got) if *got == error));
    });
}

#[test]
fn a_posted_command_does_not_wait_and_its_refusal_comes_with_the_news() {
    let script = |daemon: Daemon| {
        daemon.welcome();
        let ids: Vec<u64> = (0..3).map(|_| daemon.expect().0).collect();
        let error = reply::Error {
            number: 3,
            limit: 0,
            detail: Text::lossy(""),
            code: ErrorCode::StaticBody,
            request: 0x0105,
        };
        daemon.answer(ids[0], reply::Done {}, &[]);
        daemon.answer(ids[2], reply::Done {}, &[]);
        // Last, because the client leaves when it has this.
        daemon.answer(ids[1], error, &[]);
    };
    play(script, |connection| {
        let mut client = greet(connection).unwrap();
        for body in [1, 3, 5] {
            client
                .post_body_pose(body, Pose::IDENTITY, 1.0, 100)
                .unwrap();
        }
        let news = client.poll(Duration::from_secs(60)).unwrap();
        assert!(
            matches!(news, Some(Notification::Refused(error)) if error.code == ErrorCode::StaticBody && error.number == 3)
        );
    });
}

#[test]
fn a_daemon_that_does_not_answer_is_a_timeout_and_its_late_answer_harms_nobody() {
    let (send, late) = std::sync::mpsc::channel();
    let script = move |daemon: Daemon| {
        daemon.welcome();
        let (first, _) = daemon.expect();
        late.recv().unwrap();
        daemon.answer(first, reply::Done {}, &[]);
        let (second, _) = daemon.expect();
        daemon.answer(second, reply::Arms { arms: List(vec![]) }, &[]);
    };
    play(script, |connection| {
        let mut client = greet(connection).unwrap();
        client.set_timeout(Duration::ZERO);
        assert!(matches!(
            client.halt_body(1),
            Err(RequestError::Timeout(Duration::ZERO))
        ));
        send.send(()).unwrap();
        client.set_timeout(Duration::from_secs(60));
        assert_eq!(client.arms().unwrap(), vec![]);
    });
}

/// Answers a subscription to the state with a block whose header `spoil` has changed.
fn subscribe_to(spoil: impl FnOnce(&SharedBlock) + Send) -> Result<ArmState, String> {
    let script = |daemon: Daemon| {
        daemon.welcome();
        let (id, _) = daemon.expect();
        let (block, fd) = SharedBlock::create("hapticd-test", block_words(STATE_WORDS)).unwrap();
        let header = BlockHeader::new(BlockKind::State, 0, STATE_WORDS, 1).to_words();
        for (word, value) in block.words().iter().zip(header) {
            word.store(value, Relaxed);
        }
        spoil(&block);
        let blocks = List(vec![BlockInfo {
            kind: BlockKind::State,
            arm: 0,
        }]);
        let mut writer = Writer::<_, STATE_WORDS>::new(block, SEQUENCE_WORD).unwrap();
        writer.write(
            &ArmState {
                tick: 77,
                ..ArmState::EMPTY
            }
            .to_words(),
        );
        daemon.answer(id, reply::Subscribed { blocks }, &[fd.as_fd()]);
    };
    play(script, |connection| {
        let mut client = greet(connection).unwrap();
        let subscription = client
            .subscribe(0, topic::STATE)
            .map_err(|error| error.to_string())?;
        drop(client);
        assert_eq!(subscription.contacts(), Err(ReadStateError::NotSubscribed));
        assert_eq!(subscription.state_version(), 1);
        subscription.state().map_err(|error| error.to_string())
    })
}

#[test]
fn a_subscribed_state_is_read_from_the_mapped_block_also_when_the_client_is_gone() {
    assert_eq!(subscribe_to(|_| {}).unwrap().tick, 77);
}

#[test]
fn a_block_of_another_version_is_refused_with_both_versions() {
    let error = subscribe_to(|block| block.words()[1].store(1 | 9 << 16, Relaxed)).unwrap_err();
    assert!(error.contains("9.0") && error.contains("3.0"), "{error}");
}

#[test]
fn the_surface_of_another_body_than_was_asked_for_is_an_error() {
    // Announced as another body's, and another body's under the right name.
    for (announced, inside) in [(8, 7), (7, 8)] {
        let script = |daemon: Daemon| {
            daemon.welcome();
            let (id, request) = daemon.expect();
            assert!(matches!(request, Request::OpenSurface(open) if open.body == 7));
            let header = SurfaceHeader::new(inside, 0, 0, 1);
            let words = header.triangle_words().end;
            let (block, fd) = SharedBlock::create("hapticd-test", words).unwrap();
            for (word, value) in block.words().iter().zip(header.to_words()) {
                word.store(value, Relaxed);
            }
            daemon.answer(id, reply::Surface { body: announced }, &[fd.as_fd()]);
        };
        let error = play(script, |connection| {
            greet(connection).unwrap().surface(7).unwrap_err()
        });
        assert!(
            matches!(&error, RequestError::Block(text) if text.contains("body 7") && text.contains("body 8")),
            "{error}"
        );
    }
}

#[test]
fn a_server_that_ends_at_once_is_waited_for() {
    let folder = std::env::temp_dir().join(format!("hapticd-ending-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("app.sock");
    let listener = Listener::bind(&path, 0o600).unwrap();
    let serving = thread::spawn(move || {
        let accept = || {
            wait(&[(listener.as_fd(), Interest::Read)], None).unwrap();
            listener.accept().unwrap().unwrap()
        };
        for _ in 0..3 {
            drop(accept());
        }
        Daemon(accept()).welcome();
    });
    let client = Client::connect_until(&path, "test", Duration::from_secs(60)).unwrap();
    assert_eq!(client.welcome().client, 4);
    serving.join().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_limits_of_another_arm_than_was_asked_for_are_an_error() {
    let of_arm = |arm| reply::Limits {
        peak_force_n: Limit(4.0),
        continuous_force_n: Limit(3.0),
        peak_torque_nm: Limit(0.2),
        continuous_torque_nm: Limit(0.1),
        slew_n_per_s: Limit(900.0),
        slew_nm_per_s: Limit(40.0),
        velocity_m_s: Limit(1.2),
        angular_velocity_rad_s: Limit(15.0),
        arm,
    };
    for told in [1, 2] {
        let script = |daemon: Daemon| {
            daemon.welcome();
            let (id, request) = daemon.expect();
            assert!(matches!(request, Request::GetLimits(get) if get.arm == 1));
            daemon.answer(id, of_arm(told), &[]);
        };
        let answer = play(script, |connection| greet(connection).unwrap().limits(1));
        match answer {
            Ok(limits) => assert_eq!((told, limits), (1, of_arm(1))),
            Err(error) => {
                let text = error.to_string();
                assert_eq!(told, 2);
                assert!(text.contains("`arm` is 2"), "{text}");
            }
        }
    }
}

/// Returns what the client says to a shape of body 7 that is announced as the shape of `announced`
/// and has these bytes.
fn shape_of(announced: u32, bytes: &[u8]) -> Result<hapticd_client::Mesh, String> {
    let script = |daemon: Daemon| {
        daemon.welcome();
        let (id, request) = daemon.expect();
        assert!(matches!(request, Request::OpenShape(open) if open.body == 7));
        let file = create_sealed("hapticd-test", bytes).unwrap();
        daemon.answer(id, reply::Shape { body: announced }, &[file.as_fd()]);
    };
    play(script, |connection| {
        let shape = greet(connection).unwrap().shape(7);
        shape.map_err(|error| error.to_string())
    })
}

#[test]
fn a_shape_is_the_mesh_that_was_asked_for_or_an_error_that_names_the_body() {
    let mesh = hapticd_client::Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.5, 0.25]],
        triangles: vec![[0, 1, 2]],
    };
    let bytes = mesh.encode(hapticd_client::Precision::Single).unwrap();
    assert_eq!(shape_of(7, &bytes), Ok(mesh));
    for (announced, bytes, says) in [
        (8, &bytes[..], "got that of body 8"),
        (7, &bytes[..40], "3 vertices and 1 triangles"),
        (7, &[], "not a mesh file"),
    ] {
        let error = shape_of(announced, bytes).unwrap_err();
        assert!(
            error.contains("shape of 7") && error.contains(says),
            "{error}"
        );
    }
}

#[test]
fn a_surface_among_what_was_subscribed_to_is_an_error() {
    let script = |daemon: Daemon| {
        daemon.welcome();
        let (id, _) = daemon.expect();
        let (_block, fd) = SharedBlock::create("hapticd-test", 12).unwrap();
        let kind = BlockKind::Surface;
        let blocks = List(vec![BlockInfo { kind, arm: 0 }]);
        daemon.answer(id, reply::Subscribed { blocks }, &[fd.as_fd()]);
    };
    let error = play(script, |connection| {
        let mut client = greet(connection).unwrap();
        client.subscribe(0, topic::STATE).unwrap_err()
    });
    assert!(matches!(error, RequestError::Block(_)), "{error}");
}

#[test]
fn a_block_that_nobody_has_written_is_empty() {
    let error = ReadStateError::from(ReadError::Empty);
    assert_eq!(error.to_string(), "nothing has been published yet");
}

#[test]
fn polling_renews_when_half_of_the_lease_is_over_and_not_before() {
    let script = |daemon: Daemon| {
        daemon.welcome();
        // Two renewals within one long poll, then an event that ends it.
        for _ in 0..2 {
            let (id, request) = daemon.expect();
            assert!(
                matches!(&request, Request::RenewLeases(renew) if renew.lease_ms == 200),
                "{request:?}"
            );
            daemon.answer(id, reply::Done {}, &[]);
        }
        let event = Event::from(event::ArmLost { arm: 1 });
        daemon.0.send(&event.encode(0), &[]).unwrap();
    };
    play(script, |connection| {
        let mut client = greet(connection).unwrap();
        let start = Instant::now();
        let news = client.poll_renewing(Duration::from_secs(60)).unwrap();
        let lost = Event::from(event::ArmLost { arm: 1 });
        assert_eq!(news, Some(Notification::Event(lost)));
        assert!(start.elapsed() >= Duration::from_millis(200));
        assert!(matches!(
            client.poll_renewing(Duration::from_secs(60)),
            Err(RequestError::Disconnected)
        ));
    });
}

/// Plays a daemon that publishes ticks 1, 2, 3 and is gone, each when the test says so.
#[test]
fn waiting_for_a_tick_returns_it_or_says_why_none_came() {
    let (say, told) = std::sync::mpsc::channel::<()>();
    let script = move |daemon: Daemon| {
        daemon.welcome();
        let (id, _) = daemon.expect();
        let (block, fd) = SharedBlock::create("hapticd-test", block_words(STATE_WORDS)).unwrap();
        let header = BlockHeader::new(BlockKind::State, 0, STATE_WORDS, 1);
        for (place, word) in block.words().iter().zip(header.to_words()) {
            place.store(word, Relaxed);
        }
        let (ours, theirs) = Connection::pair().unwrap();
        let of = |kind| BlockInfo { kind, arm: 0 };
        let blocks = List(vec![of(BlockKind::State), of(BlockKind::Wake)]);
        let subscribed = reply::Subscribed { blocks };
        daemon.answer(id, subscribed, &[fd.as_fd(), theirs.as_fd()]);
        drop(theirs);
        let mut writer = Writer::<_, STATE_WORDS>::new(block, SEQUENCE_WORD).unwrap();
        for tick in 1..=3 {
            told.recv().unwrap();
            let state = ArmState {
                tick,
                ..ArmState::EMPTY
            };
            writer.write(&state.to_words());
            ours.send(b"x", &[]).unwrap();
        }
        told.recv().unwrap();
    };
    play(script, |connection| {
        let mut client = greet(connection).unwrap();
        let patience = Duration::from_secs(60);
        let arm = client.subscribe(0, topic::STATE | topic::WAKE).unwrap();
        assert!(matches!(
            arm.wait_tick(0, Duration::ZERO),
            Err(WaitTickError::Timeout(Duration::ZERO))
        ));
        for tick in 1..=3 {
            say.send(()).unwrap();
            assert_eq!(arm.wait_tick(tick - 1, patience).unwrap().tick, tick);
        }
        // What is there already is returned without a ring.
        assert_eq!(arm.wait_tick(1, Duration::ZERO).unwrap().tick, 3);
        let short = Duration::from_millis(5);
        let late = arm.wait_tick(3, short).unwrap_err();
        assert_eq!(late.to_string(), "no later tick within 5ms");
        say.send(()).unwrap();
        assert!(matches!(
            arm.wait_tick(3, Duration::MAX),
            Err(WaitTickError::Gone)
        ));
        assert!(arm.shared_wake().unwrap().is_closed());
        assert_eq!(arm.wait_tick(2, Duration::MAX).unwrap().tick, 3);
    });
}
