//! Leases, silence, and the end of a client.

use super::*;
use hapticd_protocol::wire::List;

#[test]
fn a_pose_command_moves_the_body_until_its_lease_ends() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.ask(
        client,
        request::Subscribe {
            arm: 0,
            topics: topic::EVENTS,
        },
    );
    assert_eq!(fixture.ask(client, move_body(2, 100)), done());
    assert_eq!(fixture.took(), ["1 move 2 to 0.25 at 0.5 until 1100"]);
    assert_eq!(fixture.expire(), Some(1100 * MS));
    fixture.now_ns = 1100 * MS - 1;
    fixture.expire();
    assert!(fixture.took().is_empty());
    fixture.now_ns = 1100 * MS;
    fixture.expire();
    assert_eq!(
        fixture.took(),
        ["halt 2", "1 LeaseExpired(LeaseExpired { body: 2 })"]
    );
    fixture.expire();
    assert!(fixture.took().is_empty(), "once");
}

#[test]
fn a_body_that_nobody_owns_is_moved_by_one_client_at_a_time() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    assert_eq!(fixture.ask(a, move_body(2, 100)), done());
    assert_eq!(
        fixture.refused(b, move_body(2, 100)),
        ErrorCode::NotPermitted
    );
    assert_eq!(
        fixture.refused(b, request::HaltBody { body: 2 }),
        ErrorCode::NotPermitted
    );
    assert_eq!(fixture.ask(a, request::HaltBody { body: 2 }), done());
    assert_eq!(fixture.ask(b, move_body(2, 100)), done());
    assert_eq!(fixture.refused(a, move_body(1, 100)), ErrorCode::StaticBody);
    assert_eq!(
        fixture.refused(a, move_body(99, 100)),
        ErrorCode::NoSuchBody
    );
    assert_eq!(
        fixture.refused(a, request::RemoveBody { body: 2 }),
        ErrorCode::NotPermitted
    );
}

#[test]
fn a_client_with_bodies_that_says_nothing_is_silent_until_it_speaks() {
    let mut fixture = Fixture::new(Quotas {
        lease_ms: 200,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    fixture.ask(
        client,
        request::Subscribe {
            arm: 0,
            topics: topic::EVENTS,
        },
    );
    assert_eq!(
        fixture.expire(),
        None,
        "a client that makes no force may be as quiet as it likes"
    );
    fixture.add(client, 5);
    fixture.took();
    assert_eq!(fixture.expire(), Some(1200 * MS));
    fixture.now_ns = 1200 * MS;
    assert_eq!(fixture.expire(), None);
    assert_eq!(
        fixture.took(),
        [
            "1 silent [5]",
            "1 ClientSilent(ClientSilent { silent_ms: 200 })"
        ]
    );
    fixture.now_ns = 5000 * MS;
    fixture.expire();
    assert!(fixture.took().is_empty(), "once");
    // Even a refused message shows that it lives.
    assert_eq!(
        fixture.refused(client, request::RemoveBody { body: 99 }),
        ErrorCode::NoSuchBody
    );
    assert_eq!(fixture.took(), ["1 back [5]"]);
    assert_eq!(fixture.expire(), Some(5200 * MS));
}

#[test]
fn a_renewal_holds_silence_and_leases_off_for_as_long_as_it_says() {
    let mut fixture = Fixture::new(Quotas {
        lease_ms: 200,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    fixture.add(client, 5);
    fixture.ask(client, move_body(5, 100));
    assert_eq!(
        fixture.ask(client, request::RenewLeases { lease_ms: 1000 }),
        done()
    );
    fixture.took();
    assert_eq!(fixture.expire(), Some(2000 * MS));
    fixture.now_ns = 2000 * MS;
    fixture.expire();
    assert_eq!(fixture.took(), ["halt 5", "1 silent [5]"]);
}

#[test]
fn a_packet_after_a_renewal_does_not_shorten_it() {
    let mut fixture = Fixture::new(Quotas {
        lease_ms: 200,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    fixture.add(client, 5);
    assert_eq!(
        fixture.ask(client, request::RenewLeases { lease_ms: 1000 }),
        done()
    );
    fixture.now_ns = 1100 * MS;
    fixture.refused(client, request::RemoveBody { body: 99 });
    assert_eq!(fixture.expire(), Some(2000 * MS));
    // Near its end a packet extends it.
    fixture.now_ns = 1900 * MS;
    fixture.refused(client, request::RemoveBody { body: 99 });
    assert_eq!(fixture.expire(), Some(2100 * MS));
}

#[test]
fn a_client_that_waits_for_the_daemon_is_not_silent() {
    let mut fixture = Fixture::new(Quotas {
        lease_ms: 200,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    fixture.add(client, 5);
    let token = fixture.start_add(client, "large");
    fixture.now_ns = 9000 * MS;
    assert_eq!(fixture.expire(), None);
    let token = fixture.finish_import(token, 1);
    fixture.now_ns = 18_000 * MS;
    assert_eq!(fixture.expire(), None);
    fixture.hub.answer(
        token,
        &Answer::Added { body: 6 },
        fixture.now_ns,
        &mut fixture.out,
    );
    fixture.took();
    assert_eq!(fixture.expire(), Some(18_200 * MS));
}

#[test]
fn a_client_that_goes_takes_its_bodies_with_it_and_stops_what_it_moved() {
    for (why, text) in [
        (GoneWhy::Closed, "Closed"),
        (GoneWhy::ProcessEnded, "ProcessEnded"),
    ] {
        let mut fixture = Fixture::new(Quotas::default());
        let (client, other) = (fixture.connect(Role::App), fixture.connect(Role::App));
        fixture.ask(
            other,
            request::Subscribe {
                arm: 0,
                topics: topic::EVENTS,
            },
        );
        fixture.add(client, 5);
        fixture.ask(client, move_body(5, 100));
        fixture.ask(client, move_body(2, 100));
        fixture.took();
        fixture.hub.disconnect(client, why, &mut fixture.out);
        assert_eq!(
            fixture.took(),
            [
                "halt 2".to_owned(),
                "2 BodyLeft(BodyLeft { body: 5, reason: ClientGone })".to_owned(),
                format!("1 gone {text} [5]"),
            ]
        );
        fixture.hub.disconnect(client, why, &mut fixture.out);
        fixture.send(client, request::ListArms {}, vec![]);
        assert!(fixture.took().is_empty(), "it is gone once");
        assert_eq!(
            fixture.ask(other, move_body(2, 100)),
            done(),
            "what it moved is free"
        );
        assert_eq!(
            fixture.refused(other, move_body(5, 100)),
            ErrorCode::NoSuchBody
        );
    }
}

#[test]
fn goodbye_removes_the_bodies_too() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.add(client, 5);
    fixture.send(client, request::Goodbye {}, vec![]);
    assert_eq!(fixture.took(), ["1 gone Goodbye [5]", "1 close"]);
}

#[test]
fn focus_is_told_once_for_each_change() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.add(client, 5);
    for (focused, expected) in [
        (true, vec![]),
        (false, vec!["1 focus false [5]"]),
        (false, vec![]),
        (true, vec!["1 focus true [5]"]),
    ] {
        assert_eq!(fixture.ask(client, request::SetFocus { focused }), done());
        assert_eq!(fixture.took(), expected);
    }
}

fn batch(bodies: &[u32], lease_ms: u32) -> request::SetBodyPoses {
    let targets = bodies.iter().map(|body| {
        let one = move_body(*body, lease_ms);
        request::BodyTarget {
            world_from_body: one.world_from_body,
            speed_m_s: one.speed_m_s,
            body: one.body,
            lease_ms: one.lease_ms,
        }
    });
    request::SetBodyPoses {
        targets: List(targets.collect()),
    }
}

#[test]
fn a_batch_moves_all_of_its_bodies_or_none() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    fixture.add(a, 10);
    fixture.add(b, 11);
    assert_eq!(fixture.ask(a, batch(&[2, 10], 100)), done());
    let moves = [
        "1 move 2 to 0.25 at 0.5 until 1100",
        "1 move 10 to 0.25 at 0.5 until 1100",
    ];
    assert_eq!(fixture.took(), moves);
    // One that is not its own: nothing moves, and no lease becomes longer.
    let reply = fixture.ask(a, batch(&[2, 10, 11], 1000));
    let Some(Reply::Error(error)) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!((error.code, error.number), (ErrorCode::NotPermitted, 11));
    assert!(fixture.took().is_empty());
    fixture.now_ns = 1100 * MS;
    fixture.expire();
    assert_eq!(fixture.took(), ["halt 2", "halt 10"]);
    // The detail names a body whose code does not.
    let reply = fixture.ask(a, batch(&[2, 10], 0));
    let Some(Reply::Error(error)) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(error.code, ErrorCode::OutOfRange);
    assert!(
        error.detail.as_str().starts_with("body 2: lease_ms is 0"),
        "{}",
        error.detail
    );
    assert_eq!(fixture.ask(a, batch(&[], 100)), done());
    assert!(fixture.took().is_empty());
}

#[test]
fn only_the_surface_of_its_own_bodies_is_a_clients_to_change() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    fixture.add(a, 10);
    let soft = |body| request::SetMaterial {
        stiffness_n_per_m: NonNegative(200.0),
        damping_n_s_per_m: NonNegative(1.0),
        friction: NonNegative(0.1),
        body,
    };
    assert_eq!(fixture.refused(b, soft(10)), ErrorCode::NotPermitted);
    assert_eq!(fixture.refused(a, soft(2)), ErrorCode::NotPermitted);
    assert_eq!(fixture.refused(a, soft(99)), ErrorCode::NoSuchBody);
    assert!(fixture.took().is_empty());
    // Answered when the scene has it.
    assert_eq!(fixture.ask(a, soft(10)), None);
    let Some(Output::Command(Command::SetMaterial { token, .. })) = fixture.out.pop() else {
        panic!("no command");
    };
    fixture
        .hub
        .answer(token, &Answer::Done, fixture.now_ns, &mut fixture.out);
    assert_eq!(fixture.reply(a), done());
}
