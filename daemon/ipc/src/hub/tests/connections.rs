//! Saying hello, listing, subscribing.

use super::*;

#[test]
fn the_welcome_tells_the_quotas_and_the_role() {
    let mut fixture = Fixture::new(Quotas {
        lease_ms: 150,
        bodies: 3,
        messages_per_s: 99,
        ..Quotas::default()
    });
    for (role, technician) in [(Role::App, false), (Role::Technician, true)] {
        let client = fixture.hub.connect(role, true, fixture.now_ns).unwrap();
        let Some(Reply::Welcome(welcome)) = fixture.ask(client, request::Hello::new(name("a")))
        else {
            panic!()
        };
        assert_eq!(welcome.magic, MAGIC);
        assert_eq!(
            (welcome.lease_ms, welcome.max_bodies, welcome.messages_per_s),
            (150, 3, 99)
        );
        assert_eq!((welcome.client, welcome.technician), (client.0, technician));
    }
    assert_eq!(
        fixture
            .hub
            .names()
            .map(|(_, _, name)| name.unwrap().to_owned())
            .collect::<Vec<_>>(),
        ["a", "a"]
    );
}

#[test]
fn another_major_version_is_refused_with_both_versions_and_closed() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture
        .hub
        .connect(Role::App, true, fixture.now_ns)
        .unwrap();
    let hello = request::Hello {
        major: 9,
        minor: 4,
        ..request::Hello::new(name("a"))
    };
    let Some(Reply::Refused(refused)) = fixture.ask(client, hello) else {
        panic!()
    };
    assert_eq!(refused.reason, RefusalReason::VersionMismatch);
    assert_eq!(
        [
            refused.major,
            refused.minor,
            refused.client_major,
            refused.client_minor
        ],
        [MAJOR, MINOR, 9, 4]
    );
    let says = refused.to_string();
    assert!(
        says.ends_with("install the release of hapticd that the client was built for"),
        "{says}"
    );
    assert_eq!(
        fixture.took(),
        ["1 close"],
        "it was never a client to anybody"
    );
    assert_eq!(fixture.hub.clients(), 0);
}

#[test]
fn a_newer_minor_version_is_welcome() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture
        .hub
        .connect(Role::App, true, fixture.now_ns)
        .unwrap();
    let hello = request::Hello {
        minor: MINOR + 3,
        ..request::Hello::new(name("a"))
    };
    assert!(
        matches!(fixture.ask(client, hello), Some(Reply::Welcome(welcome)) if welcome.minor == MINOR)
    );
}

#[test]
fn a_client_that_sends_no_hello_first_is_closed() {
    for packet in [
        Request::from(request::ListArms {}).encode(77),
        Request::from(request::Hello {
            magic: 1,
            ..request::Hello::new(name("a"))
        })
        .encode(77),
        Request::from(request::Hello {
            features: 1,
            ..request::Hello::new(name("a"))
        })
        .encode(77),
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![],
    ] {
        let mut fixture = Fixture::new(Quotas::default());
        let client = fixture
            .hub
            .connect(Role::App, true, fixture.now_ns)
            .unwrap();
        fixture
            .hub
            .receive(client, &packet, vec![], fixture.now_ns, &mut fixture.out);
        assert!(
            matches!(&fixture.out[0], Output::Reply { reply: Reply::Refused(refused), .. } if refused.reason == RefusalReason::NotHello)
        );
        fixture.out.remove(0);
        assert_eq!(fixture.took(), ["1 close"]);
    }
}

#[test]
fn a_mute_client_is_closed_after_a_second() {
    let mut fixture = Fixture::new(Quotas::default());
    fixture
        .hub
        .connect(Role::App, true, fixture.now_ns)
        .unwrap();
    assert_eq!(fixture.expire(), Some(2000 * MS));
    fixture.now_ns = 2000 * MS - 1;
    fixture.expire();
    assert!(fixture.took().is_empty());
    fixture.now_ns = 2000 * MS;
    assert_eq!(fixture.expire(), None);
    let took = fixture.took();
    assert_eq!(took.len(), 2);
    assert_eq!(took[1], "1 close");
}

#[test]
fn connections_over_the_quota_or_without_permission_are_refused() {
    let mut fixture = Fixture::new(Quotas {
        clients: 2,
        ..Quotas::default()
    });
    fixture.connect(Role::App);
    let refused = fixture
        .hub
        .connect(Role::Technician, false, fixture.now_ns)
        .unwrap_err();
    assert_eq!(refused.reason, RefusalReason::NotPermitted);
    let second = fixture.connect(Role::App);
    let refused = fixture
        .hub
        .connect(Role::App, true, fixture.now_ns)
        .unwrap_err();
    assert_eq!(
        (refused.reason, refused.limit),
        (RefusalReason::TooManyClients, 2)
    );
    // Applications take no place of a technician.
    for _ in 0..crate::hub::TECHNICIANS {
        fixture.connect(Role::Technician);
    }
    let refused = fixture.hub.connect(Role::Technician, true, fixture.now_ns);
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.reason, refused.limit),
        (RefusalReason::TooManyClients, 6)
    );
    for id in 3..7 {
        fixture
            .hub
            .disconnect(ClientId(id), GoneWhy::Closed, &mut fixture.out);
    }
    fixture
        .hub
        .disconnect(second, GoneWhy::Closed, &mut fixture.out);
    assert_eq!(
        fixture.connect(Role::App),
        ClientId(7),
        "numbers are never used twice"
    );
}

#[test]
fn arms_and_bodies_are_listed_in_pages() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let Some(Reply::Arms(arms)) = fixture.ask(client, request::ListArms {}) else {
        panic!()
    };
    assert_eq!(
        arms.arms.0.iter().map(|arm| arm.index).collect::<Vec<_>>(),
        [0, 1]
    );
    for body in 10..30 {
        fixture.add(client, body);
    }
    fixture.took();
    let mut seen = Vec::new();
    for skip in [0, 16, 32] {
        let Some(Reply::Bodies(page)) = fixture.ask(client, request::ListBodies { skip }) else {
            panic!()
        };
        assert_eq!((page.total, page.skipped), (22, skip));
        seen.extend(page.bodies.0.iter().map(|body| (body.body, body.owned)));
    }
    let expected: Vec<(u32, bool)> = [1, 2]
        .map(|body| (body, false))
        .into_iter()
        .chain((10..30).map(|body| (body, true)))
        .collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_subscription_names_its_blocks_and_one_arm() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let Some(Reply::Subscribed(reply)) = fixture.ask(
        client,
        request::Subscribe {
            arm: 1,
            topics: topic::ALL,
        },
    ) else {
        panic!()
    };
    let blocks: Vec<(u16, u16)> = reply
        .blocks
        .0
        .iter()
        .map(|block| (block.kind.code(), block.arm))
        .collect();
    assert_eq!(blocks, [(1, 1), (2, 1), (3, 0), (4, 1), (7, 1)]);
    for (arm, topics, code) in [
        (2, topic::STATE, ErrorCode::NoSuchArm),
        (255, topic::STATE, ErrorCode::NoSuchArm),
        (0, 128, ErrorCode::OutOfRange),
    ] {
        assert_eq!(
            fixture.refused(client, request::Subscribe { arm, topics }),
            code
        );
    }
    let reply = fixture.ask(
        client,
        request::Subscribe {
            arm: 255,
            topics: topic::EVENTS | topic::BODIES,
        },
    );
    assert!(matches!(reply, Some(Reply::Subscribed(reply)) if reply.blocks.0.len() == 1));
}

#[test]
fn events_go_only_to_subscribers_and_arms_remember_theirs() {
    let mut fixture = Fixture::new(Quotas::default());
    let (listening, deaf) = (fixture.connect(Role::App), fixture.connect(Role::App));
    fixture.ask(
        listening,
        request::Subscribe {
            arm: 0,
            topics: topic::EVENTS,
        },
    );
    fixture.hub.notice(
        Notice::Event(event::ArmAttached { arm: 1 }.into()),
        fixture.now_ns,
        &mut fixture.out,
    );
    assert_eq!(fixture.took(), ["1 ArmAttached(ArmAttached { arm: 1 })"]);
    let Some(Reply::Arms(arms)) = fixture.ask(deaf, request::ListArms {}) else {
        panic!()
    };
    assert_eq!(
        arms.arms
            .0
            .iter()
            .map(|arm| arm.attached)
            .collect::<Vec<_>>(),
        [false, true]
    );
}

#[test]
fn an_empty_configuration_gives_the_default_quotas() {
    let context = hapticd_config::Context::new("", |_| None);
    let loaded = hapticd_config::parse("empty.toml", "", &context).unwrap();
    let expected = Quotas {
        max_lease_ms: 1000,
        ..Quotas::default()
    };
    assert_eq!(Quotas::from(&loaded.config.ipc), expected);
}
