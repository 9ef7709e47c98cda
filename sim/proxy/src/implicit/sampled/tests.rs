//! Feet are the nearest points of known shapes, for any samples away from them; normals turn
//! without jumps; a ball touches at its actual contacts.

use hapticd_counting::{Counting, counted};
use hapticd_geometry::{Quat, Volume};
use hapticd_skin::Inside;
use proptest::prelude::*;

use super::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LEVEL: f64 = 0.5;
/// Spacing of the samples, m.
const H: f64 = 0.001;

#[derive(Clone, Copy, Debug)]
enum Solid {
    Ball,
    Torus,
    Plane,
    /// The corner between two planes, as a valley along y.
    Valley,
}

const BALL_M: f64 = 0.012;
const RING_M: f64 = 0.011;
const TUBE_M: f64 = 0.005;

impl Solid {
    /// Returns the signed distance, m.
    fn away(self, p: &Vec3) -> f64 {
        match self {
            Solid::Ball => p.norm() - BALL_M,
            Solid::Torus => (p.xy().norm() - RING_M).hypot(p.z) - TUBE_M,
            Solid::Plane => p.dot(&plane()) - 0.001,
            Solid::Valley => (p.z - p.x.abs()) * 0.5_f64.sqrt(),
        }
    }

    fn normal(self, p: &Vec3) -> Vec3 {
        let by = |k: usize| {
            let step = Vec3::ith(k, 1e-7);
            (self.away(&(p + step)) - self.away(&(p - step))) / 2e-7
        };
        Vec3::new(by(0), by(1), by(2))
    }
}

fn plane() -> Vec3 {
    Vec3::new(0.3, -0.5, 1.0).normalize()
}

/// Values of the samples by distance from the surface, m: slopes, limits and units of all kinds,
/// and the level on the surface.
#[derive(Clone, Copy, Debug)]
enum Scan {
    /// As from a scanner: flat from 3 mm on, on both sides.
    Flat,
    /// Distances, below 0 inside.
    Distance,
    /// Steep and bent.
    Bent,
}

impl Scan {
    fn sample(self, away: f64) -> f64 {
        match self {
            Scan::Flat => (400.0 - away / 0.003 * 1400.0).clamp(-1000.0, 1800.0),
            Scan::Distance => away,
            Scan::Bent => 1.0 / (1.0 + (away / 0.004).exp()),
        }
    }

    fn inside(self) -> Inside {
        let level = self.sample(0.0);
        let below = matches!(self, Scan::Distance);
        Inside { level, below }
    }
}

/// Returns samples of a solid in a rotated frame with spacings `share` of [`H`]; 40 millimetres
/// about the origin.
fn scanned(solid: Solid, scan: Scan, turn: &Quat, shares: [f64; 3]) -> Sampled {
    let spacing = shares.map(|share| share * H);
    let nodes = spacing.map(|h| (0.04 / h) as u32 + 1);
    let first = -0.5 * Vec3::from([0, 1, 2].map(|k| spacing[k] * f64::from(nodes[k] - 1)));
    let frame = Pose::from_parts((turn * first).into(), *turn);
    let mut samples = Vec::new();
    for z in 0..nodes[2] {
        for y in 0..nodes[1] {
            for x in 0..nodes[0] {
                let local = Vec3::new(x.into(), y.into(), z.into());
                let at = transform(&frame, &local.component_mul(&Vec3::from(spacing)));
                samples.push(scan.sample(solid.away(&at)) as f32);
            }
        }
    }
    let volume = Volume::new(frame, spacing, nodes, samples).unwrap();
    let place = (&Pose::identity(), 1.0);
    let grid = Grid::of_volume(volume, place, scan.inside(), LEVEL).unwrap();
    Sampled::new(grid, LEVEL).unwrap()
}

fn plain(solid: Solid) -> Sampled {
    scanned(solid, Scan::Flat, &Quat::identity(), [1.0; 3])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Within a fiftieth of a sample and two degrees, from five samples away on either side.
    #[test]
    fn a_foot_is_the_nearest_place_of_the_surface(
        solid in prop_oneof![Just(Solid::Ball), Just(Solid::Torus), Just(Solid::Plane)],
        scan in prop_oneof![Just(Scan::Flat), Just(Scan::Distance), Just(Scan::Bent)],
        turn in [-3.0..3.0, -1.5..1.5, -3.0..3.0],
        shares in [0.7..1.0, 0.7..1.0, 0.7..1.0],
        places in proptest::collection::vec(([-1.0..1.0, -1.0..1.0, -1.0..1.0_f64], -5.0..5.0_f64), 60),
    ) {
        let [roll, pitch, yaw] = turn;
        let turn = Quat::from_euler_angles(roll, pitch, yaw);
        let sampled = scanned(solid, scan, &turn, shares);
        for (place, away) in places {
            // On the surface, by descending the distance; then off it.
            let mut on = 0.012 * Vec3::from(place);
            for _ in 0..40 {
                on -= solid.normal(&on) * solid.away(&on);
            }
            let normal = solid.normal(&on);
            // Not where the lid at the border, the middle of the solid, or its hole is as near.
            let inside = on.norm() < 0.017;
            let far = if matches!(solid, Solid::Torus) { 0.0035 } else { 0.005 };
            let off_m = (away * H).clamp(-far, far);
            if !inside || solid.away(&on).abs() > 1e-9 || (solid.normal(&(on + normal * off_m)) - normal).norm() > 1e-4 {
                continue;
            }
            let at = on + normal * off_m;
            // Half of the box, less the remainder of a sample. The lid must be further than the
            // surface, or either may be found, or none between the two.
            if 0.0195 - (turn.inverse() * at).amax() < off_m.abs() + H {
                continue;
            }
            let foot = sampled.foot(&at);
            prop_assert!(foot.is_some(), "{solid:?} {scan:?} {at:?}");
            let foot = foot.unwrap();
            let about = format!("{solid:?} {scan:?}, {off_m} m off {on:?}: {foot:?}");
            prop_assert!(solid.away(&foot.point).abs() < 0.02 * H, "{}", about);
            prop_assert!((foot.distance_m - off_m).abs() < 0.02 * H, "{}", about);
            prop_assert!(foot.normal.angle(&normal) < 2.0_f64.to_radians(), "{}", about);
            prop_assert!(sampled.clear_m(&at) <= off_m.max(0.0), "{}", about);
        }
    }
}

#[test]
fn a_normal_turns_from_sample_to_sample_and_does_not_jump() {
    // Along a great circle of a ball in steps of a fiftieth of a sample: a trilinear gradient jumps
    // by some hundredths at every cube.
    let sampled = plain(Solid::Ball);
    let step = 0.02 * H / BALL_M;
    let normal = |k: u32| {
        let (sin, cos) = (step * f64::from(k)).sin_cos();
        let at = Vec3::new(cos, 0.6 * sin, 0.8 * sin) * (BALL_M + 0.0003);
        sampled.foot(&at).unwrap().normal
    };
    let mut worst = 0.0_f64;
    for k in 0..2000 {
        worst = worst.max(normal(k).angle(&normal(k + 1)));
    }
    assert!(worst < 2.5 * step, "{worst} in a step of {step}");
}

/// Returns what a ball at `centre` touches within `band_m`.
fn touched(sampled: &Sampled, centre: Vec3, radius_m: f64, band_m: f64) -> Vec<Touch> {
    let mut all = Vec::new();
    let pose = Pose::translation(centre.x, centre.y, centre.z);
    let tool = ToolShape::sphere(radius_m);
    sampled.touches((&tool, &pose), &[], band_m, |touch| all.push(touch));
    all
}

#[test]
fn a_ball_in_a_valley_touches_both_sides_and_on_a_ball_one() {
    let valley = plain(Solid::Valley);
    for radius_m in [0.002, 0.004, 0.007] {
        // A tenth of a millimetre deep in both.
        let centre = Vec3::new(0.0, 0.0007, (radius_m - 0.0001) * 2.0_f64.sqrt());
        let all = touched(&valley, centre, radius_m, 0.0);
        let sides: Vec<f64> = all.iter().map(|t| t.foot.normal.x.signum()).collect();
        assert!(
            sides.contains(&1.0) && sides.contains(&-1.0),
            "{radius_m}: {all:?}"
        );
        for touch in &all {
            let expected = Vec3::new(touch.foot.normal.x.signum(), 0.0, 1.0).normalize();
            assert!(touch.foot.normal.angle(&expected) < 0.01, "{touch:?}");
            assert!(
                (touch.foot.distance_m + 0.0001).abs() < 0.01 * H,
                "{touch:?}"
            );
        }
    }
    // Larger than the surface under it, and much smaller.
    let ball = plain(Solid::Ball);
    for radius_m in [0.03, 0.002] {
        let centre = Vec3::new(0.6, 0.0, 0.8) * (BALL_M + radius_m - 0.0002);
        let all = touched(&ball, centre, radius_m, 0.001);
        assert_eq!(all.len(), 1, "{radius_m}: {all:?}");
        let foot = &all[0].foot;
        assert!((foot.distance_m + 0.0002).abs() < 0.02 * H, "{foot:?}");
        assert!(
            foot.normal.angle(&Vec3::new(0.6, 0.0, 0.8)) < 0.01,
            "{foot:?}"
        );
        let surface = foot.point + foot.normal * foot.distance_m;
        assert!((all[0].tool_point - surface).norm() < 0.01 * H);
    }
}

#[test]
fn points_of_a_mesh_touch_where_they_are() {
    let ball = plain(Solid::Ball);
    let tool = ToolShape::mesh(&[Vec3::zeros(), Vec3::new(0.02, 0.0, 0.0)], true);
    let pose = Pose::translation(0.0, 0.0, BALL_M - 0.0004);
    let samples = [Vec3::zeros(), Vec3::new(0.02, 0.0, 0.0)];
    let mut all = Vec::new();
    ball.touches((&tool, &pose), &samples, 0.001, |touch| all.push(touch));
    assert_eq!(all.len(), 1, "{all:?}");
    assert!((all[0].foot.distance_m + 0.0004).abs() < 0.02 * H);
    assert_eq!(all[0].tool_point, Vec3::new(0.0, 0.0, BALL_M - 0.0004));
}

#[test]
fn the_way_out_is_found_from_the_middle_and_nothing_is_felt_beyond_the_border() {
    // Flat from three samples on: no gradient there.
    let plane = plain(Solid::Plane);
    let deep = Vec3::new(0.001, 0.002, -0.007);
    let foot = plane.foot(&deep).unwrap();
    assert!(
        (foot.distance_m - Solid::Plane.away(&deep)).abs() < 0.02 * H,
        "{foot:?}"
    );
    assert!(plane.excess(&deep) > 0.0);
    // Below the lowest samples, which count as outside: there is a lid just within them.
    let below = Vec3::new(0.001, 0.002, -0.0215);
    assert!(plane.excess(&below) < 0.0);
    let foot = plane.foot(&below).unwrap();
    assert!(
        foot.normal.z < -0.99 && (0.0..3.0 * H).contains(&foot.distance_m),
        "{foot:?}"
    );
    for far in [0.03, 0.1, 1.0, 1e6, f64::INFINITY, f64::NAN] {
        let centre = Vec3::new(0.0, 0.0, -far);
        assert!(touched(&plane, centre, 0.004, 0.001).is_empty(), "{far}");
        assert!(plane.excess(&centre) < 0.0);
    }
    let (at, depth_m) = plane.deepest();
    assert!(
        plane.excess(&at) > 0.0 && depth_m > 0.008,
        "{at:?} {depth_m}"
    );
}

#[test]
fn samples_without_a_surface_fail() {
    let grid = |value: f32| Grid::new(Vec3::zeros(), 0.1, [3; 3], vec![value; 27]).unwrap();
    assert!(Sampled::new(grid(0.2), LEVEL).is_none());
    assert!(Sampled::new(grid(0.8), LEVEL).is_none());
}

#[test]
fn whatever_the_samples_are_a_foot_is_on_the_level_or_there_is_none() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let grid = Grid::new(
        Vec3::zeros(),
        H,
        [12; 3],
        (0..1728).map(|_| noise()).collect(),
    );
    let sampled = Sampled::new(grid.unwrap(), LEVEL).unwrap();
    let mut found = 0;
    for _ in 0..2000 {
        let at = Vec3::from([0; 3].map(|_| f64::from(noise()) * 0.015 - 0.002));
        if let Some(foot) = sampled.foot(&at) {
            found += 1;
            let (value, gradient) = sampled.grid().with_gradient(&foot.point);
            let off_m = (value - LEVEL).abs() / gradient.norm();
            assert!(off_m <= ON_LEVEL * H && (foot.normal.norm() - 1.0).abs() < 1e-9);
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn feeling_allocates_nothing() {
    let valley = plain(Solid::Valley);
    let tool = ToolShape::sphere(0.004);
    let pose = Pose::translation(0.0, 0.0, 0.0056);
    let mut count = 0;
    let ((), calls) = counted(|| {
        valley.touches((&tool, &pose), &[], 0.001, |_| count += 1);
    });
    assert_eq!((calls, count), (0, 2));
}
