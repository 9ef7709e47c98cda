//! Rights, quotas, and the handling of garbage.

use super::*;

#[test]
fn technicians_requests_are_refused_to_applications() {
    let mut fixture = Fixture::new(Quotas::default());
    let (app, technician) = (
        fixture.connect(Role::App),
        fixture.connect(Role::Technician),
    );
    let requests: [Request; 5] = [
        request::GetStatus {}.into(),
        request::Reload {}.into(),
        request::Shutdown {}.into(),
        request::ClearFault { arm: 1 }.into(),
        request::ReleaseLimits { arm: 255 }.into(),
    ];
    for request in &requests {
        assert_eq!(
            fixture.refused(app, request.clone()),
            ErrorCode::TechnicianOnly
        );
    }
    assert!(fixture.took().is_empty());
    for request in requests {
        fixture.send(technician, request, vec![]);
    }
    assert_eq!(
        fixture.took(),
        [
            "2 reply Status(Status { bytes: 0 })",
            "reload 1",
            "shutdown",
            "2 reply Done(Done)",
            "clear Some(1)",
            "release None"
        ]
    );
    fixture.hub.answer(
        1,
        &Answer::Refused(Refusal::text(ErrorCode::ConfigRefused, "line 3")),
        fixture.now_ns,
        &mut fixture.out,
    );
    assert!(
        matches!(fixture.reply(technician), Some(Reply::Error(error)) if error.detail.as_str() == "line 3")
    );
    assert_eq!(
        fixture.refused(technician, request::ClearFault { arm: 7 }),
        ErrorCode::NoSuchArm
    );
}

fn tighten(arm: u8, peak_force_n: f64) -> request::TightenLimits {
    request::TightenLimits {
        peak_force_n: Limit(peak_force_n),
        continuous_force_n: Limit::NONE,
        peak_torque_nm: Limit::NONE,
        continuous_torque_nm: Limit::NONE,
        slew_n_per_s: Limit::NONE,
        slew_nm_per_s: Limit::NONE,
        velocity_m_s: Limit::NONE,
        angular_velocity_rad_s: Limit::NONE,
        arm,
    }
}

#[test]
fn anybody_may_tighten_and_is_told_when_it_is_in_force() {
    let mut fixture = Fixture::new(Quotas::default());
    let (one, other) = (fixture.connect(Role::App), fixture.connect(Role::App));
    assert_eq!(fixture.ask(one, tighten(0, 2.0)), None);
    assert_eq!(fixture.ask(other, tighten(255, 2.0)), None);
    assert_eq!(fixture.took(), ["tighten Some(0) 2", "tighten None 2"]);
    fixture
        .hub
        .answer(2, &Answer::Done, fixture.now_ns, &mut fixture.out);
    assert_eq!((fixture.reply(one), fixture.reply(other)), (None, done()));
    let why = Refusal::new(ErrorCode::LimitsRefused, 0, 1);
    fixture
        .hub
        .answer(1, &Answer::Refused(why), fixture.now_ns, &mut fixture.out);
    assert!(
        matches!(fixture.reply(one), Some(Reply::Error(e)) if e.code == ErrorCode::LimitsRefused && e.request == 0x0109)
    );
    assert_eq!(fixture.refused(one, tighten(2, 2.0)), ErrorCode::NoSuchArm);
}

#[test]
fn anybody_may_ask_for_the_limits_of_one_arm_also_of_a_busy_daemon() {
    let mut fixture = Fixture::new(Quotas::default());
    for role in [Role::App, Role::Technician] {
        let client = fixture.connect(role);
        fixture.hub.set_busy(true);
        for arm in [0, 1] {
            let reply = fixture.ask(client, request::GetLimits { arm });
            assert!(
                matches!(&reply, Some(Reply::Limits(limits)) if limits.arm == arm),
                "{reply:?}"
            );
        }
        for (arm, says) in [
            (2, "there is no arm 2; there are 2"),
            (254, "there is no arm 254; there are 2"),
            (255, "ask for the limits of one arm at a time"),
        ] {
            let reply = fixture.ask(client, request::GetLimits { arm });
            let Some(Reply::Error(error)) = reply else {
                panic!("{reply:?}")
            };
            assert_eq!(
                (error.code, error.number, error.limit, error.request),
                (ErrorCode::NoSuchArm, u64::from(arm), 2, 0x0110)
            );
            assert!(error.to_string().contains(says), "{error}");
        }
    }
    assert!(fixture.took().is_empty(), "nothing is done for it");
}

#[test]
fn what_is_asked_of_the_governor_is_passed_on_when_busy_and_after_the_client_went() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::Technician);
    fixture.hub.set_busy(true);
    fixture.send(client, tighten(1, 0.5), vec![]);
    fixture.send(client, request::ClearFault { arm: 0 }, vec![]);
    fixture.send(client, request::ReleaseLimits { arm: 0 }, vec![]);
    assert_eq!(
        fixture.took(),
        ["tighten Some(1) 0.5", "clear Some(0)", "release Some(0)"]
    );
    fixture
        .hub
        .disconnect(client, GoneWhy::Closed, &mut fixture.out);
    fixture.took();
    for token in 1..=3 {
        fixture
            .hub
            .answer(token, &Answer::Done, fixture.now_ns, &mut fixture.out);
    }
    assert!(fixture.took().is_empty() && fixture.hub.pending.is_empty());
}

#[test]
fn messages_over_the_quota_are_refused_and_a_flood_is_closed() {
    let mut fixture = Fixture::new(Quotas {
        messages_per_s: 10,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    fixture.add(client, 5);
    fixture.took();
    // The hello and the addition were two of the ten.
    for _ in 0..8 {
        assert_eq!(
            fixture.ask(client, request::RenewLeases { lease_ms: 100 }),
            done()
        );
    }
    let Some(Reply::Error(error)) = fixture.ask(client, request::RenewLeases { lease_ms: 100 })
    else {
        panic!()
    };
    assert_eq!((error.code, error.limit), (ErrorCode::TooManyMessages, 10));
    fixture.now_ns += 100 * MS;
    assert_eq!(
        fixture.refused(client, request::RenewLeases { lease_ms: 100 }),
        ErrorCode::TooManyMessages
    );
    fixture.now_ns += 300 * MS;
    assert_eq!(
        fixture.ask(client, request::RenewLeases { lease_ms: 100 }),
        done()
    );
    fixture.took();
    for _ in 0..30 {
        fixture.send(client, request::RenewLeases { lease_ms: 100 }, vec![]);
    }
    let took = fixture.took();
    assert_eq!(
        took[took.len() - 2..],
        ["1 gone Expelled(Flood { per_s: 10 }) [5]", "1 close"]
    );
    assert_eq!(fixture.hub.clients(), 0);
}

#[test]
fn garbage_is_answered_with_its_id_and_the_connection_stays() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let mut packet = Request::from(request::ListArms {}).encode(77);
    packet[20] = 1;
    fixture
        .hub
        .receive(client, &packet, vec![], fixture.now_ns, &mut fixture.out);
    let Some(Reply::Error(error)) = fixture.reply(client) else {
        panic!()
    };
    assert_eq!((error.code, error.request), (ErrorCode::Malformed, 0x0102));
    // An unexpected descriptor.
    let packet = Request::from(request::ListArms {}).encode(77);
    fixture
        .hub
        .receive(client, &packet, vec![9], fixture.now_ns, &mut fixture.out);
    assert!(
        matches!(fixture.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::Malformed)
    );
    fixture
        .hub
        .oversize(client, fixture.now_ns, &mut fixture.out);
    assert!(matches!(
        fixture.out.pop(),
        Some(Output::Reply {
            id: 0,
            reply: Reply::Error(_),
            ..
        })
    ));
    assert_eq!(
        fixture.refused(client, request::Hello::new(name("again"))),
        ErrorCode::OutOfOrder
    );
    assert!(matches!(
        fixture.ask(client, request::ListArms {}),
        Some(Reply::Arms(_))
    ));
}

/// Both numbers, as for limits.
#[test]
fn a_subscription_to_all_arms_is_refused_with_its_numbers() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    for arm in [9, 255] {
        let topics = topic::STATE;
        let Some(Reply::Error(error)) = fixture.ask(client, request::Subscribe { arm, topics })
        else {
            panic!("no error");
        };
        let expected = (ErrorCode::NoSuchArm, u64::from(arm), 2);
        assert_eq!((error.code, error.number, error.limit), expected);
    }
}

#[test]
fn a_busy_daemon_refuses_what_makes_work_and_answers_the_rest() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.hub.set_busy(true);
    assert_eq!(fixture.refused(client, move_body(2, 100)), ErrorCode::Busy);
    assert_eq!(
        fixture.ask(client, request::RenewLeases { lease_ms: 100 }),
        done()
    );
    assert!(matches!(
        fixture.ask(client, request::ListArms {}),
        Some(Reply::Arms(_))
    ));
    fixture.hub.set_busy(false);
    assert_eq!(fixture.ask(client, move_body(2, 100)), done());
}

#[test]
fn an_ending_daemon_says_so_and_admits_no_client() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.ask(
        client,
        request::Subscribe {
            arm: 0,
            topics: topic::EVENTS,
        },
    );
    fixture.hub.stop(&mut fixture.out);
    fixture.hub.stop(&mut fixture.out);
    assert_eq!(fixture.took(), ["1 ShuttingDown(ShuttingDown)"]);
    assert_eq!(
        fixture
            .hub
            .connect(Role::App, true, fixture.now_ns)
            .unwrap_err()
            .reason,
        RefusalReason::ShuttingDown
    );
    fixture.send(client, add("cup"), vec![1]);
    assert!(
        matches!(fixture.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::ShuttingDown)
    );
}
