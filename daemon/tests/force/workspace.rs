//! Workspaces as an application asks for them and a hand feels them: the real daemon, its socket,
//! the force that it recorded, and the replay of it.

use super::effects::{Fixture, PATIENCE};
use super::*;

use hapticd_client::{
    Client, ErrorCode, Event, NonNegative, Notification, RequestError, SetWorkspace, flag, topic,
    workspace,
};

/// A hand at the right of its workspace, above the floor.
const ASIDE: &str = "kind = \"rest\"\nat = [0.08, 0.0, 0.05]\n";
/// A hand that goes down on the floor, stays, and goes up again.
const PRESS: &str = "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.04\nmove_s = 0.4\n\
                     hold_s = 1.0\n";
/// Height of the tool's centre on the floor, m.
const ON_FLOOR_M: f64 = -0.015;

/// The configured mapping of the arm, with a bubble about a point above the floor.
fn with_bubble(app: &mut Client) -> SetWorkspace {
    let arms = app.arms().unwrap();
    SetWorkspace {
        bubble_center_m: [0.0, 0.0, 0.05],
        bubble_radius_m: NonNegative(0.05),
        bubble_width_m: NonNegative(0.02),
        bubble_speed_m_s: NonNegative(0.4),
        bubble_stiffness_n_per_m: NonNegative(50.0),
        bubble_cap_n: NonNegative(0.5),
        ..workspace(&arms[0])
    }
}

/// Waits until the clutch is engaged, or disengaged.
fn until_clutch(app: &mut Client, engaged: bool) {
    loop {
        match app.poll(PATIENCE).unwrap() {
            Some(Notification::Event(Event::ClutchEngaged(event))) if engaged => {
                return assert_eq!(event.arm, 0);
            }
            Some(Notification::Event(Event::ClutchReleased(event))) if !engaged => {
                return assert_eq!(event.arm, 0);
            }
            Some(_) => {}
            None => panic!("never told"),
        }
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    recording::length(&[0, 1, 2].map(|k| a[k] - b[k]))
}

#[test]
fn an_application_works_beyond_the_arms_reach() {
    let fixture = Fixture::with_bodies("workspace-reach", ASIDE, "");
    let mut app = fixture.app();
    app.subscribe(0, topic::CONTACT_EVENTS).unwrap();
    let mapping = with_bubble(&mut app);
    let reach_m = app.arms().unwrap()[0].workspace_half_extents_m[0];
    app.set_workspace(mapping.clone()).unwrap();
    let place = || fixture.arm.state().unwrap().world_from_proxy.translation_m;
    // Half a metre beyond what the arm reaches.
    fixture.until("far away", Some(&mut app), |s| {
        s.has(flag::DRIVEN) && s.world_from_proxy.translation_m[0] > reach_m + 0.5
    });
    // A clutch stops that, and all force.
    app.set_clutch(0, true).unwrap();
    until_clutch(&mut app, true);
    fixture.until("no force", Some(&mut app), |s| {
        s.has(flag::CLUTCHED) && s.force_n == [0.0; 3]
    });
    let stands = place();
    app.set_clutch(0, false).unwrap();
    until_clutch(&mut app, false);
    fixture.until("it goes on", Some(&mut app), |s| {
        s.world_from_proxy.translation_m[0] > stands[0] + 0.1
    });
    // Numbers that no arm takes, and a client out of focus.
    let wrong = SetWorkspace {
        scale: NonNegative(1000.0),
        ..mapping.clone()
    };
    let refused = |error| match error {
        Err(RequestError::Refused(error)) => error.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(app.set_workspace(wrong)), ErrorCode::OutOfRange);
    app.set_focus(false).unwrap();
    let code = refused(app.set_workspace(mapping.clone()));
    assert_eq!(code, ErrorCode::NotPermitted);
    // Out of focus the tool stays where it is; so it does after the application's end.
    fixture.until("at rest", Some(&mut app), |s| !s.has(flag::DRIVEN));
    app.set_focus(true).unwrap();
    app.set_workspace(mapping.clone()).unwrap();
    fixture.until("driven again", Some(&mut app), |s| s.has(flag::DRIVEN));
    drop(app);
    fixture.until("at rest", None, |s| !s.has(flag::DRIVEN));
    let far = place();
    assert!(far[0] > reach_m + 0.5, "{far:?}");
    // The next one takes it back.
    let mut app = fixture.app();
    let back = SetWorkspace {
        recentre: true,
        ..workspace(&app.arms().unwrap()[0])
    };
    app.set_workspace(back).unwrap();
    fixture.until("back", Some(&mut app), |s| {
        (s.world_from_proxy.translation_m[0] - 0.08).abs() < 0.01
    });
    let ticks = fixture.end();
    let mut pulled = 0;
    for two in ticks.windows(2) {
        let [before, now] = [0, 1].map(|k| &two[k].arms[0]);
        // Nothing is touched: what is felt is the bubble.
        assert!(now.wanted_n < 1e-9, "{} N of contact", now.wanted_n);
        assert!(now.length_n() <= 0.5 + 1e-9, "{} N", now.length_n());
        pulled += u32::from(now.force_n[0] < -0.4);
        let s = (two[1].now_ns - two[0].now_ns) as f64 * 1e-9;
        let speed_m_s = distance(before.proxy_m, now.proxy_m) / s;
        let is_placed = before.proxy_m == [0.0; 3];
        assert!(speed_m_s < 2.0 || is_placed || s > 0.002, "{speed_m_s} m/s");
    }
    assert!(pulled > 500, "{pulled}");
}

/// An application moves the frame under a hand that presses, and clutches in the press.
#[test]
fn a_frame_in_contact_neither_penetrates_nor_feeds_the_hand() {
    let fixture = Fixture::with_bodies("workspace-contact", PRESS, "");
    let mut app = fixture.app();
    app.subscribe(0, topic::CONTACT_EVENTS).unwrap();
    let arms = app.arms().unwrap();
    let mut mapping = workspace(&arms[0]);
    for k in 0..400 {
        mapping.world_from_base.translation_m[2] = 0.004 * (0.1 * f64::from(k)).sin();
        app.set_workspace(mapping.clone()).unwrap();
        let next = fixture.arm.state().unwrap().tick + 11;
        fixture.until("the next picture", None, |s| s.tick >= next);
    }
    for _ in 0..2 {
        fixture.until("a press", Some(&mut app), |s| s.force_n[2] > 1.0);
        app.set_clutch(0, true).unwrap();
        until_clutch(&mut app, true);
        fixture.until("no force", Some(&mut app), |s| s.force_n == [0.0; 3]);
        app.set_clutch(0, false).unwrap();
        until_clutch(&mut app, false);
        mapping.recentre = true;
        app.set_workspace(mapping.clone()).unwrap();
    }
    let ticks = fixture.end();
    let (mut pressed, mut is_on_time) = (0, true);
    for two in ticks.windows(2) {
        let [before, now] = [0, 1].map(|k| &two[k].arms[0]);
        is_on_time &= two[1].now_ns - two[0].now_ns < 3_000_000;
        assert!(now.length_n() <= 4.0 + 1e-9, "the peak");
        let is_placed = now.proxy_m == [0.0; 3];
        assert!(
            is_placed || now.proxy_m[2] > ON_FLOOR_M - 1e-6,
            "{:?}",
            now.proxy_m
        );
        let change = distance(before.force_n, now.force_n);
        let ms = (two[1].now_ns - two[0].now_ns) as f64 * 1e-6;
        let is_cut = now.reason != 0;
        assert!(is_cut || change <= ms + 1e-9, "the slew limit: {change} N");
        assert!(now.gain == 1.0 || !is_on_time, "the hand was fed");
        pressed += u32::from(now.wanted_n > 0.5);
    }
    assert!(pressed > 500, "{pressed}");
}
