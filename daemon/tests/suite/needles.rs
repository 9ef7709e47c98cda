//! What an application reads of a needle: the layer of its tip, and the structure nearest to it.

use std::time::{Duration, Instant};

use crate::running;
use hapticd_client::{NeedleState, topic};
use running::{Daemon, PATIENCE};

/// The layers' thickness in the scene, m, from the top.
const SKIN_M: f64 = 0.003;
const FAT_M: f64 = 0.012;
/// The vessel's axis is along y at these x and z; its radius, and that of the needle, m.
const VESSEL: [f64; 2] = [0.002, -0.03];
const RADII_M: [f64; 2] = [0.005, 0.0006];
const INSERTED: u8 = 3;

#[test]
fn an_application_reads_the_layer_of_a_tip_and_what_is_near() {
    let scene = include_str!("../../../config/needle.toml");
    let daemon = Daemon::run("needle-read", scene, &[], &[]);
    let mut app = daemon.app();
    let arm = app.subscribe(0, topic::NEEDLE).unwrap();
    let (mut layers, mut vessel) = ([0_u32; 3], 0);
    let begun = Instant::now();
    while layers.iter().any(|seen| *seen < 3) || vessel < 10 {
        assert!(begun.elapsed() < PATIENCE, "{layers:?}, vessel {vessel}");
        std::thread::sleep(Duration::from_millis(3));
        let Ok(needle) = arm.needle() else { continue };
        if needle.phase != INSERTED {
            assert_eq!(needle.layer, 0);
            continue;
        }
        see_layer(&needle, &mut layers);
        assert!(needle.nearest_tick <= needle.tick);
        match needle.nearest {
            1 => vessel += see_vessel(&needle),
            0 => assert_eq!(needle.nearest_m, 0.0),
            other => assert_eq!(other, 2, "the rib"),
        }
    }
}

/// The tip's height says in which layer it is, except at a border.
fn see_layer(needle: &NeedleState, layers: &mut [u32; 3]) {
    let depth_m = -needle.tip_m[2];
    let near = |border_m: f64| (depth_m - border_m).abs() < 3e-4;
    if near(SKIN_M) || near(SKIN_M + FAT_M) {
        return;
    }
    let wanted = match depth_m {
        d if d < SKIN_M => 0,
        d if d < SKIN_M + FAT_M => 1,
        _ => 2,
    };
    assert_eq!(needle.layer, wanted, "{depth_m}");
    layers[usize::from(wanted)] += 1;
}

/// Above the vessel its distance is that of the tip, which was no more than 20 ticks elsewhere.
fn see_vessel(needle: &NeedleState) -> u32 {
    let [x, _, z] = needle.tip_m;
    let apart_m = (x - VESSEL[0]).hypot(z - VESSEL[1]) - RADII_M[0] - RADII_M[1];
    let is_above = z > VESSEL[1] + RADII_M[0] + 1e-3;
    let is_fresh = needle.tick - needle.nearest_tick < 40;
    if !(is_above && is_fresh) {
        return 0;
    }
    let off_m = (needle.nearest_m - apart_m).abs();
    assert!(off_m < 4e-3, "{} of {apart_m}", needle.nearest_m);
    1
}
