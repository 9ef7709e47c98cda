//! Workspaces: which mapping and clutch hold, their numbers, and when they end.

use super::*;
use hapticd_protocol::request::{ALL_ARMS, SetClutch, SetFocus, SetWorkspace};

fn mapping(scale: f64) -> SetWorkspace {
    SetWorkspace {
        world_from_base: WirePose::IDENTITY,
        scale: NonNegative(scale),
        max_speed_m_s: NonNegative(0.5),
        bubble_center_m: [0.0; 3],
        bubble_radius_m: NonNegative(0.05),
        bubble_width_m: NonNegative(0.03),
        bubble_speed_m_s: NonNegative(0.5),
        bubble_stiffness_n_per_m: NonNegative(100.0),
        bubble_cap_n: NonNegative(1.0),
        arm: 0,
        recentre: false,
    }
}

fn clutch(engaged: bool) -> SetClutch {
    SetClutch { arm: 0, engaged }
}

/// Asks for a mapping, which the loop takes.
fn map(fixture: &mut Fixture, client: ClientId, asked: SetWorkspace) {
    fixture.send(client, asked, vec![]);
    let token = fixture.out.iter().rev().find_map(|output| match output {
        Output::Command(Command::Order { token, .. }) => *token,
        _ => None,
    });
    let now_ns = fixture.now_ns;
    let answer = Answer::Done;
    (fixture.hub).answer(token.unwrap(), &answer, now_ns, &mut fixture.out);
    assert_eq!(fixture.reply(client), done());
}

#[test]
fn the_newest_mapping_holds_and_ends_with_its_client_alone() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    map(&mut fixture, a, mapping(1.0));
    assert_eq!(fixture.took(), ["workspace 0 map 1 Some(0.05)"]);
    let plain = SetWorkspace {
        bubble_radius_m: NonNegative(0.0),
        bubble_width_m: NonNegative(0.0),
        ..mapping(2.0)
    };
    map(&mut fixture, b, plain);
    assert_eq!(fixture.took(), ["workspace 0 map 2 None"]);
    fixture.send(a, request::Goodbye {}, vec![]);
    assert_eq!(fixture.took(), ["1 gone Goodbye []", "1 close"]);
    fixture.send(b, request::Goodbye {}, vec![]);
    let ends = ["workspace 0 stop", "2 gone Goodbye []", "2 close"];
    assert_eq!(fixture.took(), ends);
}

#[test]
fn a_clutch_is_disengaged_by_its_client_alone_also_while_commands_pile_up() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    assert_eq!(fixture.ask(a, clutch(true)), done());
    assert_eq!(fixture.took(), ["workspace 0 clutch true"]);
    assert_eq!(fixture.ask(b, clutch(false)), done());
    assert!(fixture.took().is_empty());
    fixture.hub.set_busy(true);
    assert_eq!(fixture.refused(b, clutch(true)), ErrorCode::Busy);
    assert_eq!(fixture.refused(b, mapping(1.0)), ErrorCode::Busy);
    assert_eq!(fixture.ask(a, clutch(false)), done());
    assert_eq!(fixture.took(), ["workspace 0 clutch false"]);
    // Once, and no error.
    assert_eq!(fixture.ask(a, clutch(false)), done());
    assert!(fixture.took().is_empty());
}

#[test]
fn silence_and_the_loss_of_focus_end_mapping_and_clutch() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let ends = ["workspace 0 stop", "workspace 0 clutch false"];
    let begin = |fixture: &mut Fixture| {
        map(fixture, client, mapping(1.0));
        assert_eq!(fixture.ask(client, clutch(true)), done());
        fixture.took();
    };
    begin(&mut fixture);
    let focused = false;
    assert_eq!(fixture.ask(client, SetFocus { focused }), done());
    assert_eq!(fixture.took()[1..], ends);
    for refused in [clutch(true).into(), Request::from(mapping(1.0))] {
        assert_eq!(fixture.refused(client, refused), ErrorCode::NotPermitted);
    }
    assert_eq!(fixture.ask(client, clutch(false)), done());
    let focused = true;
    assert_eq!(fixture.ask(client, SetFocus { focused }), done());
    fixture.took();
    begin(&mut fixture);
    fixture.now_ns = fixture.expire().unwrap();
    fixture.expire();
    assert_eq!(fixture.took(), ["1 silent []", ends[0], ends[1]]);
}

#[test]
fn numbers_out_of_range_and_missing_arms_are_refused() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let number = NonNegative;
    let changes: [fn(&mut SetWorkspace, NonNegative); 8] = [
        |asked, most| asked.scale = most,
        |asked, most| asked.max_speed_m_s = most,
        |asked, most| asked.bubble_radius_m = most,
        |asked, most| asked.bubble_width_m = most,
        |asked, most| asked.bubble_speed_m_s = most,
        |asked, most| asked.bubble_stiffness_n_per_m = most,
        |asked, most| asked.bubble_cap_n = most,
        |asked, most| asked.bubble_center_m[1] = -most.0,
    ];
    let ranges = [
        (0.01, 100.0),
        (0.001, 20.0),
        (0.001, 10.0),
        (0.001, 10.0),
        (0.0, 20.0),
        (0.0, 10_000.0),
        (0.0, 100.0),
        (0.0, 10.0),
    ];
    for (k, (change, (least, most))) in changes.into_iter().zip(ranges).enumerate() {
        for bound in [least, most] {
            let mut asked = mapping(1.0);
            change(&mut asked, number(bound));
            map(&mut fixture, client, asked);
        }
        let mut asked = mapping(1.0);
        change(&mut asked, number(1.001 * most));
        let code = fixture.refused(client, asked);
        assert_eq!(code, ErrorCode::OutOfRange, "change {k}");
    }
    for (k, change) in [0, 1, 3].map(|k| (k, changes[k])) {
        let mut asked = mapping(1.0);
        change(&mut asked, number(0.0));
        let code = fixture.refused(client, asked);
        assert_eq!(code, ErrorCode::OutOfRange, "change {k}");
    }
    for arm in [7, ALL_ARMS] {
        let asked = SetWorkspace {
            arm,
            ..mapping(1.0)
        };
        assert_eq!(fixture.refused(client, asked), ErrorCode::NoSuchArm);
        let engaged = true;
        let asked = SetClutch { arm, engaged };
        assert_eq!(fixture.refused(client, asked), ErrorCode::NoSuchArm);
    }
}
