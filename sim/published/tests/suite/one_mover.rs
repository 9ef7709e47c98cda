//! The product's search of two moving meshes against the published search of one mover.

use crate::common;

use common::SplitMix;
use common::moving::{body, zoo};
use hapticd_ccd::moving::{Motion, MovingSearch};
use hapticd_geometry::{Pose, Quat, Screw};
use hapticd_published::first_contact::{FirstContactOptions, first_contact};

/// Against the independent search of one mover, which continues to touch.
#[test]
fn one_mover_agrees_with_the_other_search() {
    let zoo = zoo();
    let mut rng = SplitMix(72);
    let mut search = MovingSearch::new(64);
    let mut hits = 0;
    for _ in 0..60 {
        let shape = |rng: &mut SplitMix| &zoo[rng.below(zoo.len())];
        let (shape_a, shape_b) = (shape(&mut rng), shape(&mut rng));
        let at = rng.direction() * rng.range(0.7, 1.5);
        let d = (rng.point(0.2) - at) * 1.2;
        let turn = Quat::from_scaled_axis(rng.direction());
        let start = Pose::from_parts(at.into(), turn);
        let screw = Screw::from_twist(&d, &(rng.direction() * rng.range(0.0, 2.0)), &at);
        let motions = [
            Motion::screw(&start, &screw),
            Motion::still(&Pose::identity()),
        ];
        let (a, b) = (body(shape_a, &motions[0]), body(shape_b, &motions[1]));
        let meeting = search.first_contact(&a, &b, 1e-7, 1.0);
        let options = FirstContactOptions::default();
        let (found, _) = first_contact(shape_a, shape_b, &start, &screw, &options);
        let Some(found) = found else { continue };
        hits += 1;
        // A grazing approach to a tenth of a micrometre may take long: bounded by the square root.
        assert!(meeting.free_until <= found.t + 1e-6);
        assert!(
            meeting.free_until >= found.t - 2e-3,
            "{} {}",
            meeting.free_until,
            found.t
        );
    }
    assert!(hits > 25, "{hits}");
}
