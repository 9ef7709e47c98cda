//! Who may do what, how much, and what garbage meets.

use super::*;

#[test]
fn technicians_requests_are_refused_to_applications() {
    let mut rig = Rig::new(Quotas::default());
    let (app, technician) = (rig.connect(Role::App), rig.connect(Role::Technician));
    let requests: [Request; 4] = [
        request::GetStatus {}.into(),
        request::Reload {}.into(),
        request::Shutdown {}.into(),
        request::ClearFault { arm: 1 }.into(),
    ];
    for request in &requests {
        assert_eq!(rig.refused(app, request.clone()), ErrorCode::TechnicianOnly);
    }
    assert!(rig.took().is_empty());
    for request in requests {
        rig.send(technician, request, vec![]);
    }
    assert_eq!(
        rig.took(),
        [
            "2 reply Status(Status { bytes: 0 })",
            "reload 1",
            "shutdown",
            "2 reply Done(Done)",
            "clear Some(1)",
            "2 reply Done(Done)"
        ]
    );
    rig.hub.answer(
        1,
        &Answer::Refused(Refusal::text(ErrorCode::ConfigRefused, "line 3")),
        rig.now_ns,
        &mut rig.out,
    );
    assert!(
        matches!(rig.reply(technician), Some(Reply::Error(error)) if error.detail.as_str() == "line 3")
    );
    assert_eq!(
        rig.refused(technician, request::ClearFault { arm: 7 }),
        ErrorCode::NoSuchArm
    );
}

#[test]
fn anybody_may_tighten_limits() {
    let mut rig = Rig::new(Quotas::default());
    let client = rig.connect(Role::App);
    let limits = request::TightenLimits {
        peak_force_n: Limit(2.0),
        continuous_force_n: Limit::NONE,
        peak_torque_nm: Limit::NONE,
        continuous_torque_nm: Limit::NONE,
        slew_n_per_s: Limit::NONE,
        slew_nm_per_s: Limit::NONE,
        velocity_m_s: Limit::NONE,
        angular_velocity_rad_s: Limit::NONE,
        arm: 0,
    };
    assert_eq!(rig.ask(client, limits.clone()), done());
    assert_eq!(
        rig.ask(
            client,
            request::TightenLimits {
                arm: 255,
                ..limits.clone()
            }
        ),
        done()
    );
    assert_eq!(rig.took(), ["tighten Some(0) 2", "tighten None 2"]);
    assert_eq!(
        rig.refused(client, request::TightenLimits { arm: 2, ..limits }),
        ErrorCode::NoSuchArm
    );
}

#[test]
fn messages_over_the_quota_are_refused_and_a_flood_is_closed() {
    let mut rig = Rig::new(Quotas {
        messages_per_s: 10,
        ..Quotas::default()
    });
    let client = rig.connect(Role::App);
    rig.add(client, 5);
    rig.took();
    // The hello and the addition were two of the ten.
    for _ in 0..8 {
        assert_eq!(rig.ask(client, request::Renew { lease_ms: 100 }), done());
    }
    let Some(Reply::Error(error)) = rig.ask(client, request::Renew { lease_ms: 100 }) else {
        panic!()
    };
    assert_eq!((error.code, error.limit), (ErrorCode::TooManyMessages, 10));
    rig.now_ns += 100 * MS;
    assert_eq!(
        rig.refused(client, request::Renew { lease_ms: 100 }),
        ErrorCode::TooManyMessages
    );
    rig.now_ns += 300 * MS;
    assert_eq!(rig.ask(client, request::Renew { lease_ms: 100 }), done());
    rig.took();
    for _ in 0..30 {
        rig.send(client, request::Renew { lease_ms: 100 }, vec![]);
    }
    let took = rig.took();
    assert_eq!(took[took.len() - 2..], ["1 gone Expelled [5]", "1 close"]);
    assert_eq!(rig.hub.clients(), 0);
}

#[test]
fn garbage_is_answered_with_its_id_and_the_connection_stays() {
    let mut rig = Rig::new(Quotas::default());
    let client = rig.connect(Role::App);
    let mut packet = Request::from(request::ListArms {}).encode(77);
    packet[20] = 1;
    rig.hub
        .receive(client, &packet, vec![], rig.now_ns, &mut rig.out);
    let Some(Reply::Error(error)) = rig.reply(client) else {
        panic!()
    };
    assert_eq!((error.code, error.request), (ErrorCode::Malformed, 0x0102));
    // A descriptor that nobody asked for.
    let packet = Request::from(request::ListArms {}).encode(77);
    rig.hub
        .receive(client, &packet, vec![9], rig.now_ns, &mut rig.out);
    assert!(
        matches!(rig.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::Malformed)
    );
    rig.hub.oversize(client, rig.now_ns, &mut rig.out);
    assert!(matches!(
        rig.out.pop(),
        Some(Output::Reply {
            id: 0,
            reply: Reply::Error(_),
            ..
        })
    ));
    assert_eq!(
        rig.refused(client, request::Hello::new(name("again"))),
        ErrorCode::OutOfOrder
    );
    assert!(matches!(
        rig.ask(client, request::ListArms {}),
        Some(Reply::Arms(_))
    ));
}

#[test]
fn a_busy_daemon_refuses_what_makes_work_and_answers_the_rest() {
    let mut rig = Rig::new(Quotas::default());
    let client = rig.connect(Role::App);
    rig.hub.set_busy(true);
    assert_eq!(rig.refused(client, move_body(2, 100)), ErrorCode::Busy);
    assert_eq!(rig.ask(client, request::Renew { lease_ms: 100 }), done());
    assert!(matches!(
        rig.ask(client, request::ListArms {}),
        Some(Reply::Arms(_))
    ));
    rig.hub.set_busy(false);
    assert_eq!(rig.ask(client, move_body(2, 100)), done());
}

#[test]
fn a_daemon_that_ends_says_so_and_takes_nobody_in() {
    let mut rig = Rig::new(Quotas::default());
    let client = rig.connect(Role::App);
    rig.ask(
        client,
        request::Subscribe {
            arm: 0,
            wants: want::EVENTS,
        },
    );
    rig.hub.stop(&mut rig.out);
    rig.hub.stop(&mut rig.out);
    assert_eq!(rig.took(), ["1 ShuttingDown(ShuttingDown)"]);
    assert_eq!(
        rig.hub
            .connect(Role::App, true, rig.now_ns)
            .unwrap_err()
            .code,
        RefusedCode::ShuttingDown
    );
    rig.send(client, add("cup"), vec![1]);
    assert!(
        matches!(rig.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::ShuttingDown)
    );
}
