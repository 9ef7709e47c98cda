//! What all kinetic structures have in common: counters over a window, time that does not run backwards.

use hapticd_kinetic::{Kinetic, Motion1};
use hapticd_published::hull::UpperHull;
use hapticd_published::sorted::SortedList;

/// Box 5, rule T1.
fn goes_on<K: Kinetic>(mut structure: K, end: f64) {
    let first = structure.next_time();
    assert!(first < end, "{first}");
    structure.advance(0.5 * end).unwrap();
    structure.advance(0.1 * end).unwrap();
    assert_eq!(structure.now(), 0.5 * end);
    let nothing = structure.advance(f64::NAN).unwrap();
    assert_eq!((nothing.events, structure.now()), (0, 0.5 * end));
    structure.advance(end).unwrap();
    let stats = structure.stats();
    assert!(stats.events() > 0 && stats.events_external() > 0);
    assert!(stats.certificates_live_max > 0);
    assert_eq!(
        stats.events(),
        stats.events_internal() + stats.events_external()
    );
    let counted: u64 = stats.histogram.iter().flatten().sum();
    assert!(counted > 0 && counted <= stats.events());
    let mut text = String::new();
    stats.write_csv(&mut text).unwrap();
    assert!(text.lines().count() > stats.kinds().len() + 10, "{text}");
    let live = stats.certificates_live;
    structure.reset_stats();
    assert_eq!(
        (
            structure.stats().events(),
            structure.stats().certificates_live
        ),
        (0, live)
    );
    structure.audit(structure.now()).unwrap();
    structure.rebuild(end).unwrap();
    structure.rebuild(f64::NAN).unwrap();
    assert_eq!((structure.stats().rebuilds, structure.now()), (2, end));
    structure.audit(structure.now()).unwrap();
}

#[test]
fn the_sorted_list_counts() {
    let motions: Vec<_> = (0..20)
        .map(|k| Motion1::linear(f64::from(k), -0.3 * f64::from(k)))
        .collect();
    goes_on(SortedList::new(&motions, 0.0, 20.0).unwrap(), 10.0);
}

#[test]
fn the_hull_counts() {
    let points: Vec<_> = (0..20)
        .map(|k| {
            let a = f64::from(k) * 2.4;
            [
                Motion1::linear(a.cos(), -0.3 * a.sin()),
                Motion1::linear(a.sin(), (3.0 * a).cos()),
            ]
        })
        .collect();
    goes_on(UpperHull::new(&points, 0.0, 20.0).unwrap(), 3.0);
}
