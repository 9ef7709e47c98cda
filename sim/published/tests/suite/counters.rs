//! Properties common to all kinetic structures: counters over a window, and time that never
//! decreases.

use crate::common;

use common::kinetic::counting::goes_on;
use hapticd_kinetic::Motion1;
use hapticd_published::hull::UpperHull;
use hapticd_published::sorted::SortedList;

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
