//! The queue against a sorted list, its freedom from allocation, and the counters.

use crate::common;

use common::Rng;
use hapticd_counting::counted;
use hapticd_kinetic::{EventCost, EventQueue, Stats};

#[test]
fn random_sequences_equal_a_sorted_list_and_never_allocate() {
    let mut rng = Rng(4);
    for slots in [1_u32, 2, 7, 100, 1000] {
        let mut queue = EventQueue::with_slots(slots as usize);
        // (time, sequence, slot), kept sorted.
        let mut list: Vec<(f64, u64, u32)> = Vec::new();
        let mut sequence = 0;
        let mut now = 0.0;
        for _ in 0..20_000 {
            let slot = rng.below(slots as usize) as u32;
            match rng.below(8) {
                0 | 1 => {
                    let (first, calls) = counted(|| queue.pop());
                    assert_eq!(calls, 0);
                    if list.is_empty() {
                        assert_eq!(first, None);
                    } else {
                        let (time, _, slot) = list.remove(0);
                        assert_eq!(first, Some((time, slot)));
                        now = time;
                    }
                }
                2 => {
                    let had = list.iter().position(|e| e.2 == slot);
                    let (did, calls) = counted(|| queue.remove(slot));
                    assert_eq!((did, calls), (had.is_some(), 0));
                    if let Some(at) = had {
                        list.remove(at);
                    }
                }
                _ => {
                    // Only a few different times, so that ties are frequent.
                    let time = now + rng.below(8) as f64;
                    let (_, calls) = counted(|| queue.schedule(slot, time));
                    assert_eq!(calls, 0);
                    list.retain(|e| e.2 != slot);
                    sequence += 1;
                    let at = list.partition_point(|e| (e.0, e.1) < (time, sequence));
                    list.insert(at, (time, sequence, slot));
                    assert_eq!(queue.time_of(slot), time);
                }
            }
            assert_eq!(queue.len(), list.len());
            assert_eq!(queue.first(), list.first().map(|e| (e.0, e.2)));
        }
    }
}

#[test]
fn equal_times_come_in_the_order_in_which_they_were_scheduled() {
    let mut queue = EventQueue::with_slots(64);
    for slot in 0..64 {
        queue.schedule((slot * 37) % 64, 1.0);
    }
    queue.schedule(37, 1.0);
    let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|e| e.1).collect();
    let mut want: Vec<u32> = (0..64).map(|k| (k * 37) % 64).collect();
    let again = want.remove(1);
    want.push(again);
    assert_eq!(order, want);
}

#[test]
fn no_time_and_never_are_no_events() {
    let mut queue = EventQueue::with_slots(2);
    assert!(!queue.schedule(0, f64::NAN) && !queue.schedule(1, f64::INFINITY));
    assert!(queue.is_empty() && queue.pop().is_none());
    queue.schedule(0, 1.0);
    assert!(queue.schedule(0, f64::INFINITY));
    assert!(queue.is_empty() && queue.time_of(0) == f64::INFINITY);
    assert!(!queue.remove(7) && queue.time_of(7) == f64::INFINITY);
    queue.schedule(7, 3.0);
    queue.schedule(1, 2.0);
    queue.clear();
    assert!(queue.is_empty() && !queue.remove(7));
    queue.schedule(7, 5.0);
    assert_eq!(queue.pop(), Some((5.0, 7)));
}

/// The counters themselves.
#[test]
fn counters_count_by_type_and_begin_again() {
    let mut stats = Stats::new(&["swap", "other"]);
    let cost = EventCost {
        created: 2,
        destroyed: 3,
        queue_operations: 4,
        levels: 1,
    };
    stats.event(0, true, cost);
    stats.event(1, false, EventCost::default());
    stats.sizes(5, 3);
    stats.plan_change(2);
    assert_eq!((stats.events(), stats.events_external()), (2, 1));
    assert_eq!((stats.worst, stats.reissued), (cost, 2));
    assert_eq!((stats.histogram[0][3], stats.histogram[1][0]), (1, 1));
    let mut text = String::new();
    stats.write_csv(&mut text).unwrap();
    assert!(text.starts_with("type,internal,external,ops_from_0,ops_from_1,"));
    assert!(text.contains("\nswap,0,1,0,0,0,1,"));
    assert!(text.contains("\nother,1,0,1,"));
    assert!(text.contains("\nqueue_len_max,3\n"));
    stats.reset();
    assert_eq!((stats.events(), stats.queue_len_max), (0, 0));
    assert_eq!(stats.certificates_live, 5);
}
