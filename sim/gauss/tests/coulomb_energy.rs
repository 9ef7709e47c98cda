//! Friction with surfaces at rest adds no energy, however few rounds its iteration has.

use hapticd_gauss::coulomb::{Effort, FrictionMemory, FrictionProblem, FrictionSolution, Surface};
use hapticd_gauss::{Metric, Motion, Projector, Row, Vec3};
use nalgebra::Matrix3;

/// How much the coupling's potential may grow by rounding.
const ROUNDING: f64 = 1e-9;

fn metric(gyration_m2: f64) -> Metric {
    Metric::new(1.0, &(Matrix3::identity() * gyration_m2)).unwrap()
}

fn rubbed(
    metric: &Metric,
    wanted: &Motion,
    (rows, friction): (&[Row], &[f64]),
    rub: &mut FrictionMemory,
) -> FrictionSolution {
    let rough = |friction: &f64| Surface {
        friction: *friction,
        ..Surface::SMOOTH
    };
    let surfaces: Vec<Surface> = friction.iter().map(rough).collect();
    Projector::<64>::new().project_with_friction(
        FrictionProblem {
            metric,
            wanted,
            rows,
            surfaces: &surfaces,
        },
        rub,
        Effort::TICK,
    )
}

/// Largest violation of the rows that can be met.
fn violation(rows: &[Row], motion: &Motion) -> f64 {
    let lacks = rows.iter().map(|row| -row.slack(motion));
    lacks.fold(0.0, f64::max)
}

fn row(normal: [f64; 3], arm: [f64; 3], bound: f64) -> Row {
    Row {
        normal: Vec3::from(normal).normalize(),
        arm: Vec3::from(arm),
        bound,
    }
}

/// A box turned across the two lips of a slot, with the contacts that it had when it was thrown
/// out.
#[test]
fn a_box_across_two_lips_is_not_thrown_out() {
    let metric = metric(0.8 / 800.0);
    let left = [0.963_027_15, 0.269_404_36, 0.0];
    let right = [-1.0, 0.0, 0.0];
    let rows = [
        row(left, [-0.003_392_57, -0.002_720_32, 0.004], -2.72e-8),
        row(left, [-0.003_392_57, -0.002_720_32, -0.001_706], -2.72e-8),
        row(left, [-0.003_392_57, -0.002_720_32, -0.004], -2.72e-8),
        row(right, [0.004_929_73, -0.002_774_49, -0.004], -9.916e-5),
        row(right, [0.004_929_73, -0.002_774_49, 0.004], -9.916e-5),
    ];
    let wanted = Motion::new(8.889e-5, -1.2511e-3, -2.9e-8, 0.0, 0.0, -4.674e-3);
    let before = metric.norm(&wanted);
    let friction = [0.3; 5];
    let mut rub = FrictionMemory::new();
    for tick in 0..50 {
        let motion = rubbed(&metric, &wanted, (&rows, &friction), &mut rub);
        let motion = motion.projection.motion;
        let left = metric.norm(&(wanted - motion));
        assert!(
            left <= before * (1.0 + ROUNDING),
            "tick {tick}: {left} of {before}"
        );
    }
}

/// From tick to tick with its memory, on contacts that jam and on contacts that do not.
#[test]
fn friction_at_rest_leaves_no_more_than_was_wanted() {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = 12
        * asked
            .and_then(|n| n.parse().ok())
            .unwrap_or(256_u64)
            .max(256);
    let mut seed = 77;
    let (mut slid, mut held, mut unsettled) = (0, 0, 0);
    for case in 0..cases {
        let metric = metric(10.0_f64.powf(-4.0 + 1.5 * number(&mut seed)));
        let count = 1 + (case % 8) as usize;
        let slot = case % 3 == 0;
        let recovers = case % 4 == 1;
        let mut rows: Vec<Row> = (0..count)
            .map(|k| {
                // In a slot the normals nearly oppose each other.
                let x = match (slot, k % 2) {
                    (true, 0) => 4.0,
                    (true, _) => -4.0,
                    (false, _) => number(&mut seed),
                };
                let n = [x, number(&mut seed), number(&mut seed)];
                let arm = [0; 3].map(|_| 5e-3 * number(&mut seed));
                row(n, arm, 0.0)
            })
            .collect();
        let friction: Vec<f64> = (0..count)
            .map(|_| 0.6 * (1.0 + number(&mut seed)))
            .collect();
        let mut wanted = Motion::from_fn(|i, _| {
            let unit = if i < 3 { 1e-3 } else { 0.05 };
            unit * number(&mut seed)
        });
        let mut rub = FrictionMemory::new();
        for tick in 0..10 {
            for row in &mut rows {
                let gap = 5e-5 * number(&mut seed);
                row.bound = if recovers { 0.1 * gap } else { gap.min(0.0) };
            }
            wanted += Motion::from_fn(|i, _| if i < 3 { 2e-5 } else { 1e-3 } * number(&mut seed));
            let result = rubbed(&metric, &wanted, (&rows, &friction), &mut rub);
            let motion = result.projection.motion;
            let still = Projector::<64>::new().project_or_hold(&metric, &Motion::zeros(), &rows);
            let (before, left) = (
                metric.norm(&(wanted - still.motion)),
                metric.norm(&(wanted - motion)),
            );
            assert!(
                left <= before * (1.0 + ROUNDING),
                "case {case}, tick {tick}: {left} of {before}"
            );
            if !result.projection.relaxed {
                let lacks = violation(&rows, &motion);
                assert!(lacks < 1e-6 * before, "case {case}, tick {tick}: {lacks}");
            }
            if metric.norm(&motion) < 1e-12 {
                held += 1;
            } else {
                slid += 1;
            }
            unsettled += u64::from(result.residual > 1e-2);
        }
    }
    let seen = [slid, held, unsettled];
    assert!(
        seen.iter().all(|n| *n > 100),
        "slid, held, not settled: {seen:?}"
    );
}

/// A number in -1..1, from a linear congruential sequence.
fn number(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
