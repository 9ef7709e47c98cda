//! Bodies on their way into the scene, and out of it.

use super::*;
use hapticd_protocol::{
    frame::{HEADER_BYTES, Message},
    layout::{FieldLayout, Type},
};

#[test]
fn a_body_goes_from_file_to_scene_and_is_answered_when_it_is_there() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.ask(
        client,
        request::Subscribe {
            arm: 0,
            topics: topic::EVENTS,
        },
    );
    fixture.send(client, add("cup"), vec![42]);
    assert!(matches!(
        &fixture.out[..],
        [Output::Import(Import { file: 42, .. })]
    ));
    let Some(Output::Import(import)) = fixture.out.pop() else {
        panic!()
    };
    assert_eq!(import.limit_bytes, Quotas::default().mesh_bytes);
    let token = fixture.finish_import(import.token, 600);
    assert_eq!(fixture.reply(client), None, "not before the scene has it");
    fixture.hub.answer(
        token,
        &Answer::Added { body: 7 },
        fixture.now_ns,
        &mut fixture.out,
    );
    assert_eq!(
        fixture.took(),
        [
            "1 BodyJoined(BodyJoined { name: \"cup\", body: 7, kind: Kinematic })",
            "1 reply BodyAdded(BodyAdded { body: 7, triangles: 12 })",
        ]
    );
    fixture.hub.answer(
        token,
        &Answer::Added { body: 8 },
        fixture.now_ns,
        &mut fixture.out,
    );
    assert!(fixture.took().is_empty(), "an answer counts once");
}

#[test]
fn a_refused_body_is_answered_with_the_reason_and_frees_its_place() {
    let mut fixture = Fixture::new(Quotas {
        bodies: 1,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    let token = fixture.start_add(client, "cup");
    assert_eq!(
        fixture.refused(client, request::ListArms {}.into_add()),
        ErrorCode::Malformed
    );
    fixture.hub.imported(
        token,
        Err(Refusal::text(ErrorCode::InvalidMesh, "12 boundary edges")),
        fixture.now_ns,
        &mut fixture.out,
    );
    let Some(Reply::Error(error)) = fixture.reply(client) else {
        panic!()
    };
    assert_eq!(
        (error.code, error.detail.as_str(), error.request),
        (ErrorCode::InvalidMesh, "12 boundary edges", 0x0106)
    );

    let token = fixture.start_add(client, "cup");
    let token = fixture.finish_import(token, 1);
    let refusal = Refusal::from(&AddError::NameTaken("cup".to_owned()));
    fixture.hub.answer(
        token,
        &Answer::Refused(refusal),
        fixture.now_ns,
        &mut fixture.out,
    );
    assert!(
        matches!(fixture.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::NameTaken)
    );
    fixture.add(client, 9);
}

/// A request whose packet claims no descriptor although its kind has one.
trait IntoAdd {
    fn into_add(self) -> Request;
}

impl IntoAdd for request::ListArms {
    fn into_add(self) -> Request {
        add("no file").into()
    }
}

#[test]
fn quotas_of_bodies_meshes_and_imports_hold() {
    let mut fixture = Fixture::new(Quotas {
        bodies: 2,
        mesh_bytes: 2500,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    let token = fixture.start_add(client, "a");
    fixture.send(client, add("b"), vec![6]);
    assert!(
        matches!(fixture.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::Busy),
        "one at a time"
    );
    let token = fixture.finish_import(token, 1000);
    fixture.send(client, add("b"), vec![6]);
    let Some(Output::Import(import)) = fixture.out.pop() else {
        panic!()
    };
    assert_eq!(import.limit_bytes, 1500, "what is on its way counts");
    fixture.hub.answer(
        token,
        &Answer::Added { body: 10 },
        fixture.now_ns,
        &mut fixture.out,
    );
    let token = fixture.finish_import(import.token, 1500);
    fixture.hub.answer(
        token,
        &Answer::Added { body: 11 },
        fixture.now_ns,
        &mut fixture.out,
    );
    fixture.took();
    fixture.send(client, add("c"), vec![7]);
    let Some(Reply::Error(error)) = fixture.reply(client) else {
        panic!()
    };
    assert_eq!(
        (error.code, error.number, error.limit),
        (ErrorCode::TooManyBodies, 2, 2)
    );
    assert_eq!(
        fixture.ask(client, request::RemoveBody { body: 10 }),
        done()
    );
    fixture.took();
    fixture.send(client, add("c"), vec![7]);
    assert_eq!(fixture.took(), ["import 7 limit 1000"]);
}

#[test]
fn a_body_whose_client_went_while_it_was_on_its_way_is_removed() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let token = fixture.start_add(client, "cup");
    let token = fixture.finish_import(token, 1);
    fixture
        .hub
        .disconnect(client, GoneWhy::Closed, &mut fixture.out);
    assert_eq!(fixture.took(), ["1 gone Closed []"]);
    fixture.hub.answer(
        token,
        &Answer::Added { body: 7 },
        fixture.now_ns,
        &mut fixture.out,
    );
    assert_eq!(fixture.took(), ["orphaned 7"]);

    let client = fixture.connect(Role::App);
    let token = fixture.start_add(client, "cup");
    fixture
        .hub
        .disconnect(client, GoneWhy::Closed, &mut fixture.out);
    fixture.took();
    fixture.hub.imported(
        token,
        Err(Refusal::new(ErrorCode::InvalidMesh, 0, 0)),
        fixture.now_ns,
        &mut fixture.out,
    );
    assert!(fixture.took().is_empty());
}

#[test]
fn values_out_of_range_are_refused() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    for spoil in [
        |add: &mut request::AddBody| add.stiffness_n_per_m.0 = 1e6,
        |add: &mut request::AddBody| add.damping_n_s_per_m.0 = 1e4,
        |add: &mut request::AddBody| add.friction.0 = 3.0,
    ] {
        let mut request = add("cup");
        spoil(&mut request);
        fixture.send(client, request, vec![1]);
        assert!(
            matches!(fixture.reply(client), Some(Reply::Error(error)) if error.code == ErrorCode::OutOfRange)
        );
    }
    for lease_ms in [0, 10_001, u32::MAX] {
        assert_eq!(
            fixture.refused(client, move_body(2, lease_ms)),
            ErrorCode::OutOfRange
        );
        assert_eq!(
            fixture.refused(client, request::RenewLeases { lease_ms }),
            ErrorCode::OutOfRange
        );
    }
    // The configuration may allow less.
    let mut brief = Fixture::new(Quotas {
        max_lease_ms: 300,
        ..Quotas::default()
    });
    let client = brief.connect(Role::App);
    assert_eq!(
        brief.refused(client, request::RenewLeases { lease_ms: 301 }),
        ErrorCode::OutOfRange
    );
    assert_eq!(
        brief.ask(client, request::RenewLeases { lease_ms: 300 }),
        done()
    );
    let client = fixture.connect(Role::App);
    let mut fast = move_body(2, 100);
    fast.speed_m_s.0 = 20.1;
    assert_eq!(fixture.refused(client, fast), ErrorCode::OutOfRange);
    assert!(fixture.took().is_empty(), "nothing was done");
}

/// The message with another value in one of its numbers.
fn with(message: &Request, field: &FieldLayout, offset: usize, value: f64) -> Request {
    let mut packet = message.encode(7);
    let at = HEADER_BYTES + offset;
    match field.of {
        Type::Unsigned(32) => packet[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        _ => packet[at..at + 8].copy_from_slice(&value.to_le_bytes()),
    }
    let (_, changed) = Request::decode(&packet, message.descriptors().into()).unwrap();
    changed
}

#[test]
fn ranges_of_the_layout_are_those_that_are_taken() {
    let mut tried = 0;
    for message in [
        Request::from(request::AddBody {
            kind: BodyKind::Dynamic,
            ..add("cup")
        }),
        move_body(2, 100).into(),
        request::RenewLeases { lease_ms: 100 }.into(),
    ] {
        let layout = Request::layout();
        let layout = layout.iter().find(|layout| layout.kind == message.kind());
        let mut offset = 0;
        for field in &layout.unwrap().body.fields {
            let here = offset;
            offset += field.of.bytes().unwrap();
            let Some((least, most)) = field.range else {
                continue;
            };
            tried += 1;
            // A number below zero is no message at all.
            let beyond = [least - 1.0, most + 1.0];
            for value in beyond.into_iter().filter(|value| *value >= 0.0) {
                let mut fixture = Fixture::new(Quotas::default());
                let client = fixture.connect(Role::App);
                let descriptors = vec![1; message.descriptors().into()];
                fixture.send(client, with(&message, field, here, value), descriptors);
                let reply = fixture.reply(client);
                assert!(
                    matches!(&reply, Some(Reply::Error(error)) if error.code == ErrorCode::OutOfRange),
                    "{} = {value}: {reply:?}",
                    field.name
                );
            }
            for value in [least, most] {
                let mut fixture = Fixture::new(Quotas::default());
                let client = fixture.connect(Role::App);
                let descriptors = vec![1; message.descriptors().into()];
                fixture.send(client, with(&message, field, here, value), descriptors);
                let reply = fixture.reply(client);
                assert!(
                    !matches!(reply, Some(Reply::Error(_))),
                    "{} = {value}: {reply:?}",
                    field.name
                );
            }
        }
    }
    assert_eq!(tried, 8);
}

fn instance(text: &str, of: u32) -> request::AddInstance {
    request::AddInstance {
        name: name(text),
        world_from_body: WirePose::IDENTITY,
        stiffness_n_per_m: NonNegative(500.0),
        damping_n_s_per_m: NonNegative(1.0),
        friction: NonNegative(0.3),
        restitution: NonNegative(0.0),
        density_kg_m3: NonNegative(1000.0),
        of,
        kind: BodyKind::Dynamic,
    }
}

#[test]
fn an_instance_needs_no_mesh_and_is_a_body_of_its_client() {
    let mut fixture = Fixture::new(Quotas {
        bodies: 3,
        ..Quotas::default()
    });
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    fixture.add(a, 10);
    assert_eq!(fixture.refused(a, instance("x", 99)), ErrorCode::NoSuchBody);
    assert_eq!(fixture.refused(a, instance("x", 2)), ErrorCode::NoShape);
    let bad = request::AddInstance {
        stiffness_n_per_m: NonNegative(1e9),
        ..instance("x", 10)
    };
    assert_eq!(fixture.refused(a, bad), ErrorCode::OutOfRange);
    let soft = request::AddInstance {
        kind: BodyKind::Soft,
        ..instance("x", 10)
    };
    assert_eq!(fixture.refused(a, soft), ErrorCode::OutOfRange);
    // Of another client's body, and it outlives that one.
    for (client, body) in [(b, 11), (b, 12), (a, 13)] {
        assert_eq!(fixture.ask(client, instance("again", 10)), None);
        let Some(Output::Command(Command::AddBody { token, spec, .. })) = fixture.out.pop() else {
            panic!("no command");
        };
        assert_eq!(spec.shape.triangles(), 12);
        assert!(spec.solid && spec.kind == hapticd_scene::BodyKind::Dynamic);
        let answer = Answer::Added { body };
        fixture
            .hub
            .answer(token, &answer, fixture.now_ns, &mut fixture.out);
        let triangles = 12;
        let added = reply::BodyAdded { body, triangles };
        assert_eq!(fixture.reply(client), Some(added.into()));
        assert!(fixture.hub.shape(body).is_some());
    }
    assert_eq!(fixture.ask(a, request::RemoveBody { body: 10 }), done());
    assert_eq!(fixture.ask(b, instance("of an instance", 11)), None);
    let too_many = fixture.refused(b, instance("one more", 11));
    assert_eq!(too_many, ErrorCode::TooManyBodies);
    // What the scene refuses is told with the request's kind.
    let Some(Output::Command(Command::AddBody { token, .. })) = fixture.out.pop() else {
        panic!("no command");
    };
    let full = Answer::Refused(Refusal::new(ErrorCode::SceneFull, 60, 60));
    fixture
        .hub
        .answer(token, &full, fixture.now_ns, &mut fixture.out);
    let Some(Reply::Error(error)) = fixture.reply(b) else {
        panic!("no error");
    };
    let kind = request::AddInstance::KIND;
    assert_eq!((error.code, error.request), (ErrorCode::SceneFull, kind));
}

#[test]
fn a_mesh_counts_once_for_its_client() {
    let mut fixture = Fixture::new(Quotas {
        mesh_bytes: 1500,
        ..Quotas::default()
    });
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    // A mesh of 1,000 bytes each.
    fixture.add(a, 10);
    fixture.add(b, 11);
    let too_large = fixture.refused(b, instance("x", 10));
    assert_eq!(too_large, ErrorCode::MeshTooLarge);
    assert_eq!(fixture.ask(a, instance("x", 10)), None);
}
