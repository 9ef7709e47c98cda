//! Soft bodies and cloth: listed, opened, and neither moved, removed nor added by any client.

use super::*;

fn error(reply: Option<Reply>) -> reply::Error {
    match reply {
        Some(Reply::Error(error)) => error,
        other => panic!("not refused: {other:?}"),
    }
}

fn listed(fixture: &mut Fixture, client: ClientId) -> (u32, Vec<(u32, BodyKind, u32)>) {
    match fixture.ask(client, request::ListBodies { skip: 0 }) {
        Some(Reply::Bodies(page)) => {
            let bodies = page.bodies.0.iter();
            let bodies = bodies.map(|body| (body.body, body.kind, body.triangles));
            (page.total, bodies.collect())
        }
        other => panic!("{other:?}"),
    }
}

const RIGID: [(u32, BodyKind, u32); 2] = [(1, BodyKind::Static, 12), (2, BodyKind::Kinematic, 12)];
const DEFORMABLE: [(u32, BodyKind, u32); 2] = [(3, BodyKind::Soft, 40), (4, BodyKind::Cloth, 40)];

#[test]
fn deformables_are_listed_by_kind_and_open_to_all() {
    let mut fixture = Fixture::with_deformables(Quotas::default());
    for role in [Role::App, Role::Technician] {
        let client = fixture.connect(role);
        let all = [RIGID, DEFORMABLE].concat();
        assert_eq!(listed(&mut fixture, client), (4, all));
        for body in [3, 4] {
            let opened = fixture.ask(client, request::OpenSurface { body });
            assert_eq!(opened, Some(reply::Surface { body }.into()));
        }
        // It makes no work: a busy daemon answers it.
        fixture.hub.set_busy(true);
        let opened = fixture.ask(client, request::OpenSurface { body: 3 });
        assert_eq!(opened, Some(reply::Surface { body: 3 }.into()));
        fixture.hub.set_busy(false);
    }
    assert!(fixture.took().is_empty());
}

#[test]
fn rigid_and_missing_bodies_have_no_surface() {
    let mut fixture = Fixture::with_deformables(Quotas::default());
    let client = fixture.connect(Role::App);
    fixture.add(client, 10);
    for (body, code) in [
        (1, ErrorCode::NoSurface),
        (2, ErrorCode::NoSurface),
        (10, ErrorCode::NoSurface),
        (0, ErrorCode::NoSuchBody),
        (u32::MAX, ErrorCode::NoSuchBody),
    ] {
        let refused = error(fixture.ask(client, request::OpenSurface { body }));
        let expected = (code, u64::from(body), request::OpenSurface::KIND);
        assert_eq!((refused.code, refused.number, refused.request), expected);
    }
}

#[test]
fn clients_cannot_move_halt_or_remove_deformables() {
    let mut fixture = Fixture::with_deformables(Quotas::default());
    for role in [Role::App, Role::Technician] {
        let client = fixture.connect(role);
        for (body, kind) in [(3, "soft"), (4, "cloth")] {
            let requests: [Request; 3] = [
                move_body(body, 100).into(),
                request::HaltBody { body }.into(),
                request::RemoveBody { body }.into(),
            ];
            let moved = format!("body {body} is {kind}; clients can move only kinematic bodies");
            let removed = format!("body {body} is deformable: clients neither move nor remove it");
            for (request, why) in requests.into_iter().zip([&moved, &moved, &removed]) {
                let asked = request.kind();
                let refused = error(fixture.ask(client, request));
                let expected = (ErrorCode::DeformableBody, u64::from(body), asked);
                assert_eq!((refused.code, refused.number, refused.request), expected);
                assert_eq!(&refused.to_string(), why);
            }
        }
        assert_eq!(listed(&mut fixture, client).0, 4);
        // The client answers for no body, so it can neither fall silent nor leave anything behind.
        fixture.now_ns += 60_000 * MS;
        assert_eq!(fixture.expire(), None);
        fixture
            .hub
            .disconnect(client, GoneWhy::Closed, &mut fixture.out);
        assert_eq!(fixture.took(), [format!("{} gone Closed []", client.0)]);
    }
}

#[test]
fn nobody_adds_one() {
    let mut fixture = Fixture::with_deformables(Quotas::default());
    let client = fixture.connect(Role::App);
    for (kind, code) in [
        (BodyKind::Soft, 3),
        (BodyKind::Cloth, 4),
        (BodyKind::Crowd, 5),
    ] {
        let add = request::AddBody { kind, ..add("x") };
        fixture.send(client, add, vec![1]);
        let refused = error(fixture.reply(client));
        let expected = (ErrorCode::OutOfRange, code, 2);
        assert_eq!((refused.code, refused.number, refused.limit), expected);
        let says = format!("only the configuration can add {} bodies", kind.text());
        assert_eq!(refused.detail.as_str(), says);
    }
    assert!(fixture.took().is_empty(), "no mesh is read");
    fixture.add(client, 10);
}
