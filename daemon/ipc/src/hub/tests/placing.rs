//! Bodies placed elsewhere and pushed: which client may, what ends, which numbers are taken.

use super::*;
use hapticd_protocol::request::{PushBody, PushMode, TeleportBody};
use hapticd_protocol::wire;

fn place(body: u32, x: f64) -> TeleportBody {
    TeleportBody {
        world_from_body: wire::Pose {
            translation_m: [x, 0.0, 0.0],
            ..wire::Pose::IDENTITY
        },
        body,
    }
}

fn push(body: u32, mode: PushMode, linear: f64) -> PushBody {
    PushBody {
        linear: [linear, 0.0, 0.0],
        angular: [0.0; 3],
        point_m: [0.0; 3],
        body,
        mode,
    }
}

fn answer(fixture: &mut Fixture, answer: &Answer) {
    let token = fixture.out.iter().find_map(|output| match output {
        Output::Command(Command::PlaceBody { token, .. } | Command::PushBody { token, .. }) => {
            Some(*token)
        }
        _ => None,
    });
    let (hub, now_ns) = (&mut fixture.hub, fixture.now_ns);
    hub.answer(token.unwrap(), answer, now_ns, &mut fixture.out);
}

fn add_dynamic(fixture: &mut Fixture, client: ClientId, body: u32) {
    let asked = request::AddBody {
        kind: BodyKind::Dynamic,
        ..add("stone")
    };
    fixture.send(client, asked, vec![5]);
    let Some(Output::Import(import)) = fixture.out.pop() else {
        panic!("no import");
    };
    let token = fixture.finish_import(import.token, 1000);
    let (hub, now_ns) = (&mut fixture.hub, fixture.now_ns);
    hub.answer(token, &Answer::Added { body }, now_ns, &mut fixture.out);
    fixture.reply(client);
    fixture.took();
}

#[test]
fn only_its_owner_places_a_body_and_its_lease_ends() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    fixture.add(a, 10);
    for (client, body, code) in [
        (b, 10, ErrorCode::NotPermitted),
        (a, 2, ErrorCode::NotPermitted),
        (a, 99, ErrorCode::NoSuchBody),
    ] {
        assert_eq!(fixture.refused(client, place(body, 1.0)), code);
    }
    assert!(fixture.took().is_empty());
    // Without a lease nothing is halted.
    assert_eq!(fixture.ask(a, place(10, 1.0)), None);
    answer(&mut fixture, &Answer::Done);
    assert_eq!(fixture.reply(a), done());
    assert_eq!(fixture.took(), ["place 10 at 1"]);
    assert_eq!(fixture.ask(a, move_body(10, 100)), done());
    fixture.took();
    assert_eq!(fixture.ask(a, place(10, 2.0)), None);
    let refusal = Refusal::text(ErrorCode::InvalidBody, "there is another one");
    answer(&mut fixture, &Answer::Refused(refusal));
    assert!(matches!(fixture.reply(a), Some(Reply::Error(error))
        if error.code == ErrorCode::InvalidBody && error.request == TeleportBody::KIND));
    assert_eq!(fixture.took(), ["halt 10", "place 10 at 2"]);
    // The lease ended with the order, and a new one may follow before the answer.
    fixture.now_ns += 150 * MS;
    fixture.expire();
    assert!(fixture.took().is_empty());
    assert_eq!(fixture.ask(a, place(10, 2.0)), None);
    assert_eq!(fixture.ask(a, move_body(10, 100)), done());
    answer(&mut fixture, &Answer::Done);
    fixture.took();
    fixture.now_ns += 150 * MS;
    fixture.expire();
    assert_eq!(fixture.took(), ["halt 10"], "that one has its own end");
}

#[test]
fn only_its_owner_pushes_a_dynamic_body_within_bounds() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    fixture.add(a, 10);
    add_dynamic(&mut fixture, a, 11);
    let impulse = |body| push(body, PushMode::Impulse, 5000.0);
    for (client, body, code) in [
        (b, 11, ErrorCode::NotPermitted),
        (a, 10, ErrorCode::NotPermitted),
        (a, 2, ErrorCode::NotPermitted),
        (a, 99, ErrorCode::NoSuchBody),
    ] {
        assert_eq!(fixture.refused(client, impulse(body)), code);
    }
    for (bad, number) in [
        (push(11, PushMode::Velocity, 100.5), 100),
        (
            PushBody {
                angular: [0.0, 1001.0, 0.0],
                ..push(11, PushMode::Velocity, 1.0)
            },
            1001,
        ),
        (
            PushBody {
                point_m: [0.0, -20_000.0, 0.0],
                ..impulse(11)
            },
            20_000,
        ),
    ] {
        let Some(Reply::Error(error)) = fixture.ask(a, bad) else {
            panic!("not refused");
        };
        assert_eq!((error.code, error.number), (ErrorCode::OutOfRange, number));
    }
    let Some(Reply::Error(error)) = fixture.ask(a, push(11, PushMode::Impulse, f64::NAN)) else {
        panic!("not refused");
    };
    assert_eq!(error.code, ErrorCode::Malformed);
    assert!(fixture.took().is_empty());
    // What an impulse does depends on the mass, which the scene knows.
    assert_eq!(fixture.ask(a, impulse(11)), None);
    let why = hapticd_scene::CommandError::TooFast {
        body: 11,
        what: "the velocity (m/s)",
        value: 123.5,
        limit: 100.0,
    };
    answer(&mut fixture, &Answer::Refused(Refusal::from(&why)));
    let Some(Reply::Error(error)) = fixture.reply(a) else {
        panic!("not refused");
    };
    assert_eq!(
        (error.code, error.number, error.limit, error.detail.as_str()),
        (
            ErrorCode::OutOfRange,
            123,
            100,
            "body 11: the velocity (m/s) would change by 123.5, at most 100"
        )
    );
    assert_eq!(fixture.took().len(), 1);
    assert_eq!(fixture.ask(a, push(11, PushMode::Velocity, 100.0)), None);
    answer(&mut fixture, &Answer::Done);
    assert_eq!(fixture.reply(a), done());
}

/// While commands pile up, neither adds to them.
#[test]
fn a_busy_hub_places_and_pushes_nothing() {
    let mut fixture = Fixture::new(Quotas::default());
    let a = fixture.connect(Role::App);
    add_dynamic(&mut fixture, a, 11);
    fixture.hub.set_busy(true);
    assert_eq!(fixture.refused(a, place(11, 1.0)), ErrorCode::Busy);
    let push = push(11, PushMode::Velocity, 1.0);
    assert_eq!(fixture.refused(a, push), ErrorCode::Busy);
}
