//! The news of contacts and buttons, as clients receive it at the socket.

use super::*;
use hapticd_loop::contact_events::Seen;
use hapticd_protocol::event;
use hapticd_proxy::{Contact, MAX_ARMS};

/// Runs one tick in which arm 0 sees this.
fn tick(fixture: &mut Fixture, tick: u64, contacts: &[Contact], inside: u64, buttons: u32) {
    let nothing = Seen {
        buttons: 0,
        contacts: &[],
        inside: 0,
        grasped: 0,
        let_go: None,
        clutched: false,
    };
    let mut seen = [nothing; MAX_ARMS];
    seen[0] = Seen {
        buttons,
        contacts,
        inside,
        ..nothing
    };
    let feed = fixture.contact_events.get_mut().unwrap();
    feed.tick([tick, tick * 1_000_000], &seen, |slot| 50 + slot as u32);
}

fn next(client: &mut Client) -> Event {
    match client.poll(PATIENCE).unwrap() {
        Some(Notification::Event(event)) => event,
        other => panic!("{other:?}"),
    }
}

#[test]
fn contacts_and_buttons_reach_those_that_asked_for_them() {
    let mut fixture = Fixture::new("touches", patient());
    let (mut all, mut few) = (fixture.client("all"), fixture.client("few"));
    all.subscribe(0, topic::CONTACT_EVENTS | topic::EVENTS)
        .unwrap();
    few.subscribe(0, topic::EVENTS).unwrap();
    let touch = [Contact {
        body: 7,
        active: true,
        ..Contact::NONE
    }];
    tick(&mut fixture, 1, &touch, 0, 0);
    tick(&mut fixture, 2, &[], 0b10, 0b100);
    tick(&mut fixture, 40, &[], 0, 0);
    // A later tick in the other ring comes after them, for both.
    let mut record = hapticd_loop::record::TickRecord::new();
    (record.tick, record.now_ns) = (41, 41_000_000);
    record.arms[0].reason = 2;
    fixture.events.get_mut().unwrap().tick(&record);
    let (time_ns, arm) = (1_000_000, 0);
    let expected: [Event; 6] = [
        event::Touched {
            tick: 1,
            time_ns,
            body: 7,
            arm,
        }
        .into(),
        event::Ghost {
            tick: 2,
            time_ns: 2 * time_ns,
            body: 51,
            arm,
        }
        .into(),
        event::ButtonPressed {
            tick: 2,
            time_ns: 2 * time_ns,
            arm,
            button: 2,
        }
        .into(),
        event::Released {
            tick: 40,
            time_ns: 40 * time_ns,
            last_touch_ns: time_ns,
            body: 7,
            arm,
        }
        .into(),
        event::Solid {
            tick: 40,
            time_ns: 40 * time_ns,
            body: 51,
            arm,
        }
        .into(),
        event::ButtonReleased {
            tick: 40,
            time_ns: 40 * time_ns,
            arm,
            button: 2,
        }
        .into(),
    ];
    for event in expected {
        assert_eq!(next(&mut all), event);
    }
    assert!(matches!(next(&mut all), Event::ForceOff(_)));
    assert!(matches!(next(&mut few), Event::ForceOff(_)));
    fixture.stop();
}

/// Number of touches, each of a body of its own.
const TOUCHES: u32 = 3000;
/// Most touches before the test waits for the reading client.
const BURST: u32 = 200;

#[test]
fn no_touch_is_lost_to_a_client_that_reads() {
    let mut fixture = Fixture::new("every touch", patient());
    let mut reader = fixture.client("reads");
    reader.subscribe(0, topic::CONTACT_EVENTS).unwrap();
    let mut seen = Vec::new();
    for body in 0..TOUCHES {
        // A millisecond of touch, and 29 without: touched and released.
        let touch = [Contact {
            body,
            active: true,
            ..Contact::NONE
        }];
        let at = 1 + 30 * u64::from(body);
        tick(&mut fixture, at, &touch, 0, 0);
        tick(&mut fixture, at + 29, &[], 0, 0);
        while (body + 1) % BURST == 0 && seen.len() < 2 * (body as usize + 1) {
            seen.push(next(&mut reader));
        }
    }
    for (body, news) in (0..).zip(seen.chunks(2)) {
        let [Event::Touched(touched), Event::Released(released)] = news else {
            panic!("body {body}: {news:?}");
        };
        assert_eq!((touched.body, released.body), (body, body));
        assert_eq!(released.last_touch_ns, touched.time_ns);
    }
    fixture.stop();
}
