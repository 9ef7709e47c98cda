//! The loop's events, as a client receives them at the socket.

use super::*;
use hapticd_loop::record::TickRecord;

/// Number of cuts. Each of them lasts one tick.
const CUTS: u64 = 4000;
/// Most cuts before the test waits for the reading client: a thread that is not scheduled reads
/// nothing.
const BURST: u64 = 400;

fn reason(cut: u64) -> u8 {
    [34, 2, 32, 9, 10][(cut % 5) as usize]
}

/// Two ticks: force is off in the first.
fn happens(fixture: &mut Fixture, cut: u64) {
    for (tick, reason) in [(2 * cut, reason(cut)), (2 * cut + 1, 0)] {
        let mut record = TickRecord::new();
        (record.tick, record.now_ns) = (tick, tick * 1_000_000);
        record.arms[0].reason = reason;
        fixture.events.get_mut().unwrap().tick(&record);
    }
}

/// The next event, and its cut; `None` for a count of missing events.
fn next(client: &mut Client) -> (Option<u64>, u64) {
    match client.poll(PATIENCE).unwrap() {
        Some(Notification::Event(Event::ForceOff(off))) => {
            let cut = off.tick / 2;
            assert_eq!((off.arm, off.reason), (0, reason(cut)));
            assert_eq!((off.tick, off.time_ns), (2 * cut, 2 * cut * 1_000_000));
            (Some(cut), 1)
        }
        Some(Notification::Event(Event::EventsLost(lost))) => (None, lost.count),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_one_tick_cut_reaches_a_client_that_reads() {
    let mut fixture = Fixture::new("cuts", patient());
    let (mut reader, mut idle) = (fixture.client("reads"), fixture.client("reads later"));
    for client in [&mut reader, &mut idle] {
        client.subscribe(0, topic::STATE | topic::EVENTS).unwrap();
    }
    for burst in 0..CUTS / BURST {
        let cuts = burst * BURST..(burst + 1) * BURST;
        cuts.clone().for_each(|cut| happens(&mut fixture, cut));
        for cut in cuts {
            assert_eq!(next(&mut reader), (Some(cut), 1));
        }
    }
    // The other client gets the number of missed events at their place.
    let (mut expected, mut missed) = (0, 0);
    while expected < CUTS {
        match next(&mut idle) {
            (Some(cut), _) => {
                assert_eq!(cut, expected);
                expected += 1;
            }
            (None, count) => {
                expected += count;
                missed += count;
            }
        }
    }
    assert!(missed > 0 && missed < CUTS, "{missed}");
    assert_eq!(expected, CUTS);
    fixture.stop();
}
