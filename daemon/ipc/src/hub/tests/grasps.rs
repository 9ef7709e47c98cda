//! Grasps: what may be held, which request holds, and when it ends.

use super::*;
use hapticd_protocol::request::{GraspBody, ReleaseBody, SetFocus};

/// A hub with a dynamic block (body 3).
fn fixture() -> Fixture {
    let mut fixture = Fixture::new(Quotas::default());
    let joined = Notice::BodyJoined(BodyRecord {
        body: 3,
        name: name("block"),
        kind: BodyKind::Dynamic,
        triangles: 12,
    });
    fixture.hub.notice(joined, fixture.now_ns, &mut fixture.out);
    fixture
}

/// Asks for a grasp that the loop takes.
fn take(fixture: &mut Fixture, client: ClientId, arm: u8, body: u32) {
    fixture.send(client, GraspBody { body, arm }, vec![]);
    let token = fixture.out.iter().rev().find_map(|output| match output {
        Output::Command(Command::Order { token, .. }) => *token,
        _ => None,
    });
    fixture.hub.answer(
        token.unwrap(),
        &Answer::Done,
        fixture.now_ns,
        &mut fixture.out,
    );
    assert_eq!(fixture.reply(client), done());
}

#[test]
fn only_dynamic_bodies_are_held_by_one_arm_and_in_focus() {
    let mut fixture = fixture();
    let app = fixture.connect(Role::App);
    let refused = |fixture: &mut Fixture, arm, body| {
        let code = fixture.refused(app, GraspBody { body, arm });
        assert!(fixture.took().is_empty());
        code
    };
    assert_eq!(refused(&mut fixture, 0, 1), ErrorCode::NotPermitted);
    assert_eq!(refused(&mut fixture, 0, 2), ErrorCode::NotPermitted);
    assert_eq!(refused(&mut fixture, 0, 99), ErrorCode::NoSuchBody);
    assert_eq!(refused(&mut fixture, 0, tool_id(1)), ErrorCode::NoSuchBody);
    assert_eq!(refused(&mut fixture, 7, 3), ErrorCode::NoSuchArm);
    assert_eq!(
        refused(&mut fixture, request::ALL_ARMS, 3),
        ErrorCode::NoSuchArm
    );
    assert_eq!(fixture.ask(app, SetFocus { focused: false }), done());
    fixture.took();
    assert_eq!(refused(&mut fixture, 0, 3), ErrorCode::NotPermitted);
    assert_eq!(refused(&mut fixture, 0, 0), ErrorCode::NotPermitted);
    fixture.ask(app, SetFocus { focused: true });
    fixture.took();
    take(&mut fixture, app, 0, 0);
    take(&mut fixture, app, 1, 3);
    assert_eq!(fixture.took(), ["0 Take(0)", "1 Take(3)"]);
}

#[test]
fn the_newest_request_holds_and_only_its_client_lets_go() {
    let mut fixture = fixture();
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    take(&mut fixture, a, 0, 3);
    take(&mut fixture, b, 0, 3);
    fixture.took();
    assert_eq!(fixture.ask(a, ReleaseBody { arm: 0 }), done());
    assert!(fixture.took().is_empty());
    assert_eq!(fixture.ask(b, ReleaseBody { arm: 0 }), done());
    assert_eq!(fixture.took(), ["0 LetGo"]);
    // Once is enough, and nothing is no error.
    assert_eq!(fixture.ask(b, ReleaseBody { arm: 0 }), done());
    assert!(fixture.took().is_empty());
    assert_eq!(
        fixture.refused(b, ReleaseBody { arm: 7 }),
        ErrorCode::NoSuchArm
    );
}

/// A request that the loop had no room for changes nothing: the grasp stays with its client.
#[test]
fn a_grasp_that_was_refused_as_busy_takes_nothing_from_another_client() {
    let mut fixture = fixture();
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    take(&mut fixture, a, 0, 3);
    fixture.send(b, GraspBody { body: 3, arm: 0 }, vec![]);
    let token = fixture.out.iter().rev().find_map(|output| match output {
        Output::Command(Command::Order { token, .. }) => *token,
        _ => None,
    });
    let busy = Answer::Refused(Refusal::new(ErrorCode::Busy, 0, 0));
    let now_ns = fixture.now_ns;
    fixture
        .hub
        .answer(token.unwrap(), &busy, now_ns, &mut fixture.out);
    fixture.took();
    fixture
        .hub
        .disconnect(b, GoneWhy::Goodbye, &mut fixture.out);
    assert!(!fixture.took().contains(&"0 Abandon".to_owned()));
    fixture
        .hub
        .disconnect(a, GoneWhy::Goodbye, &mut fixture.out);
    assert!(fixture.took().contains(&"0 Abandon".to_owned()));
}

#[test]
fn a_grasp_ends_with_focus_with_silence_and_with_its_client() {
    let mut fixture = fixture();
    let app = fixture.connect(Role::App);
    take(&mut fixture, app, 0, 3);
    fixture.took();
    fixture.ask(app, SetFocus { focused: false });
    assert!(fixture.took().contains(&"0 Abandon".to_owned()));
    fixture.ask(app, SetFocus { focused: true });
    // Silent: a client that lets an arm hold something must be heard.
    take(&mut fixture, app, 0, 3);
    fixture.took();
    fixture.now_ns += 60_000 * MS;
    fixture.hub.expire(fixture.now_ns, &mut fixture.out);
    assert!(fixture.took().contains(&"0 Abandon".to_owned()));
    // Gone, with both arms.
    take(&mut fixture, app, 0, 3);
    take(&mut fixture, app, 1, 0);
    fixture.took();
    fixture
        .hub
        .disconnect(app, GoneWhy::Goodbye, &mut fixture.out);
    let took = fixture.took();
    assert_eq!(took[..2], ["0 Abandon".to_owned(), "1 Abandon".to_owned()]);
}
