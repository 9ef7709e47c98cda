//! Common to all structures: counters over a window, time that does not run backwards.

use hapticd_kinetic::Kinetic;

/// Checks that time never decreases and that the counters cover one window.
pub fn goes_on<K: Kinetic>(mut structure: K, end: f64) {
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
