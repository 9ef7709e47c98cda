//! Shapes: available to everybody for tools and for bodies that are shown by their pose, not for
//! others, and gone with their bodies.

use super::*;
use hapticd_proxy::tool_id;

#[test]
fn everybody_opens_the_shapes_of_rigid_bodies_and_tools_also_when_the_daemon_is_busy() {
    let mut fixture = Fixture::with_deformables(Quotas::default());
    let owner = fixture.connect(Role::App);
    fixture.add(owner, 10);
    fixture.took();
    fixture.hub.set_busy(true);
    for role in [Role::App, Role::Technician] {
        let client = fixture.connect(role);
        for body in [1, 2, 10, tool_id(0), tool_id(1)] {
            let opened = fixture.ask(client, request::OpenShape { body });
            assert_eq!(opened, Some(reply::Shape { body }.into()));
            assert!(fixture.hub.shape(body).is_some(), "{body}");
        }
    }
    assert!(fixture.took().is_empty());
}

#[test]
fn bodies_with_a_surface_and_missing_bodies_have_no_shape() {
    let mut fixture = Fixture::with_deformables(Quotas::default());
    let client = fixture.connect(Role::App);
    for (body, code) in [
        (3, ErrorCode::NoShape),
        (4, ErrorCode::NoShape),
        (0, ErrorCode::NoSuchBody),
        (10, ErrorCode::NoSuchBody),
        (tool_id(2), ErrorCode::NoSuchBody),
    ] {
        match fixture.ask(client, request::OpenShape { body }) {
            Some(Reply::Error(error)) => {
                let expected = (code, u64::from(body), request::OpenShape::KIND);
                assert_eq!((error.code, error.number, error.request), expected);
            }
            other => panic!("{body}: {other:?}"),
        }
    }
    let says = "body 3 has no constant shape";
    match fixture.ask(client, request::OpenShape { body: 3 }) {
        Some(Reply::Error(error)) => assert_eq!(error.to_string(), says),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_shape_of_a_clients_body_goes_with_the_body() {
    let mut fixture = Fixture::new(Quotas::default());
    let (owner, other) = (fixture.connect(Role::App), fixture.connect(Role::App));
    for body in [10, 11] {
        fixture.add(owner, body);
    }
    assert_eq!(fixture.ask(owner, request::RemoveBody { body: 10 }), done());
    fixture
        .hub
        .disconnect(owner, GoneWhy::Closed, &mut fixture.out);
    for body in [10, 11] {
        assert!(fixture.hub.shape(body).is_none());
        let refused = fixture.refused(other, request::OpenShape { body });
        assert_eq!(refused, ErrorCode::NoSuchBody);
    }
}

#[test]
fn requests_for_shapes_count_as_any_other() {
    let mut fixture = Fixture::new(Quotas {
        messages_per_s: 5,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    let opened = (0..5).filter(|_| {
        matches!(
            fixture.ask(client, request::OpenShape { body: 1 }),
            Some(Reply::Shape(_))
        )
    });
    // The hello was the first of the five.
    assert_eq!(opened.count(), 4);
}
