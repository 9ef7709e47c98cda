//! The force on the hand against closed form: rise, puncture, drop, plateau, the slope of friction,
//! and the way back.

mod common;

use common::{Hand, STIFFNESS, layer, needle, tissue};
use hapticd_needle::Layer;
use hapticd_proxy::{Held, Phase};

/// Both springs in series.
const SPRING: f64 = STIFFNESS * 500.0 / (STIFFNESS + 500.0);

#[test]
fn one_layer_rises_breaks_slides_and_sticks_on_the_way_back() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), needle(0.0));
    let (cutting, friction) = (0.3, 20.0);
    let mut punctured = false;
    hand.along(-0.01, 0.05, 6_000, |hand, depth_m, told| {
        // At the surface itself, rounding decides.
        if depth_m.abs() < 1e-12 {
            return;
        }
        let rise = SPRING * depth_m;
        let (phase, force, s) = if depth_m <= 0.0 {
            (Phase::Free, 0.0, 0.0)
        } else if rise <= 1.0 {
            (Phase::Touching, rise, 0.0)
        } else {
            punctured = true;
            let s = (SPRING * depth_m - cutting) / (SPRING + friction);
            (Phase::Inserted, cutting + friction * s, s)
        };
        assert_eq!(told.phase, phase, "{depth_m}");
        assert!(
            (told.force_n - force).abs() < 1e-9,
            "{depth_m} {told:?} {force}"
        );
        assert!((told.depth_m - s).abs() < 1e-9, "{depth_m} {told:?} {s}");
        // The spring's force on the hand equals the tissue's on the needle.
        assert!((hand.force.norm() - force).abs() < 1e-9, "{depth_m}");
    });
    assert!(punctured);
    let deepest = (SPRING * 0.05 - cutting) / (SPRING + friction);
    let (mut stuck, mut slid) = (0, 0);
    hand.along(0.05, -0.02, 7_000, |_, depth_m, told| {
        let held = SPRING * (depth_m - deepest);
        let back = SPRING * depth_m / (SPRING - friction);
        if held >= -friction * deepest {
            stuck += 1;
            assert!((told.depth_m - deepest).abs() < 1e-12);
            assert!((told.force_n - held).abs() < 1e-9, "{depth_m} {told:?}");
        } else if back > 1e-9 {
            slid += 1;
            assert!(
                (told.depth_m - back).abs() < 1e-9,
                "{depth_m} {told:?} {back}"
            );
            assert!((told.force_n + friction * back).abs() < 1e-9);
        } else if back < -1e-9 {
            assert_eq!((told.phase, told.force_n), (Phase::Free, 0.0));
        }
    });
    assert!(stuck > 300 && slid > 3_000, "{stuck} {slid}");
    // Second insertion: the surface has closed.
    let mut greatest = 0.0_f64;
    hand.along(-0.02, 0.0029, 500, |_, _, told| {
        greatest = greatest.max(told.force_n)
    });
    assert!((greatest - SPRING * 0.0029).abs() < 1e-9);
}

#[test]
fn what_is_cut_is_not_cut_again() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), needle(0.0));
    hand.along(-0.01, 0.05, 3_000, |_, _, _| {});
    let deepest = hand.upright(0.05, 0.0).depth_m;
    hand.along(0.05, 0.02, 1_000, |_, _, _| {});
    let mut again = 0;
    hand.along(0.02, 0.06, 2_000, |_, _, told| {
        // Slides forward in the channel that it cut: friction alone.
        if told.force_n > 0.0 && told.depth_m < deepest - 1e-3 {
            let friction = 20.0 * told.depth_m;
            assert!(told.force_n <= friction + 1e-9, "{told:?}");
            again += usize::from((told.force_n - friction).abs() < 1e-9);
        }
    });
    assert!(again > 500, "{again}");
    let told = hand.upright(0.06, 0.0);
    assert!((told.force_n - 0.3 - 20.0 * told.depth_m).abs() < 1e-9 && told.depth_m > deepest);
}

#[test]
fn every_layer_is_pierced_at_its_force_and_friction_adds_up() {
    let fat = Layer {
        stiffness_n_per_m: 200.0,
        puncture_force_n: 0.2,
        cutting_force_n: 0.1,
        friction_n_per_m: 5.0,
        ..layer(0.02, 0.2)
    };
    let muscle = Layer {
        puncture_force_n: 1.5,
        cutting_force_n: 0.5,
        friction_n_per_m: 40.0,
        stiffness_n_per_m: 900.0,
        ..layer(0.1, 1.5)
    };
    let mut hand = Hand::new(
        tissue(vec![layer(0.005, 1.0), fat, muscle], vec![]),
        needle(0.0),
    );
    let (mut pierced, mut peaks, mut last) = (0, Vec::new(), 0.0);
    hand.along(-0.005, 0.06, 20_000, |_, _, told| {
        if told.pierced > pierced {
            pierced = told.pierced;
            peaks.push((last, told.depth_m));
        }
        last = told.force_n;
        if told.held == Held::Layer(2) {
            assert!((told.depth_m - 0.025).abs() < 2e-7, "{told:?}");
        }
    });
    assert_eq!(pierced, 3, "{peaks:?}");
    // The last force before the surface gave way: a step of the hand below the limit.
    for ((peak, _), wanted) in
        peaks
            .iter()
            .zip([1.0, 0.2 + 20.0 * 0.005, 1.5 + 20.0 * 0.005 + 5.0 * 0.02])
    {
        let close = *peak <= wanted + 1e-9 && *peak > wanted - 0.01;
        // If cutting the softer layer takes more than piercing it, it is pierced at once.
        assert!(close || *peak > wanted, "{peaks:?} {wanted}");
    }
    let told = hand.upright(0.06, 0.0);
    let friction = 20.0 * 0.005 + 5.0 * 0.02 + 40.0 * (told.depth_m - 0.025);
    assert!(
        (told.force_n - 0.5 - friction).abs() < 1e-4,
        "{told:?} {friction}"
    );
}

#[test]
fn a_trembling_hand_leaves_the_tip_where_it_is() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), needle(8.0));
    hand.along(-0.01, 0.04, 2_000, |_, _, _| {});
    let before = hand.upright(0.0395, 0.0);
    for i in 0..5_000 {
        let t = f64::from(i) * 1e-3;
        let told = hand.upright(0.0395 + 4e-4 * (60.0 * t).sin(), 0.3 * (11.0 * t).sin());
        assert_eq!((told.depth_m, told.tip), (before.depth_m, before.tip));
    }
}

#[test]
fn the_deeper_the_stiffer_to_the_side() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), needle(0.0));
    let mut last = 0.0;
    hand.along(-0.01, 0.0, 100, |_, _, _| {});
    for depth_m in [0.01, 0.02, 0.03, 0.04] {
        hand.along(depth_m - 0.01, depth_m, 1_000, |_, _, _| {});
        let told = hand.upright(depth_m, 0.0);
        let top = hand.tissue.spec().half_m.z;
        let aside = hapticd_geometry::Pose::translation(
            0.002,
            0.0,
            top + common::HUB_M + common::LENGTH_M - depth_m,
        );
        let pushed = hand.at(&aside);
        let tissue_n_per_m = 2e4 * told.depth_m;
        let wanted = 0.002 * STIFFNESS * tissue_n_per_m / (STIFFNESS + tissue_n_per_m);
        assert!(
            (pushed.lateral_n - wanted).abs() < 1e-6,
            "{pushed:?} {wanted}"
        );
        assert!(pushed.lateral_n > last);
        last = pushed.lateral_n;
        hand.upright(depth_m, 0.0);
    }
}

#[test]
fn all_of_it_goes_in_and_no_more() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), needle(0.0));
    hand.along(-0.01, 0.2, 4_000, |_, _, told| {
        assert!(told.depth_m <= 0.08)
    });
    let told = hand.upright(0.2, 0.0);
    assert!(
        told.depth_m > 0.0799 && matches!(told.held, Held::Hub | Held::Border),
        "{told:?}"
    );
    assert!((told.force_n - SPRING * (0.2 - told.depth_m)).abs() < 1e-9);
}
