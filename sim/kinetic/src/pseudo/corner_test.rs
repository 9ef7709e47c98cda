//! A single evaluation that shows whether a corner holds throughout a step: in a step of a control
//! loop nearly all do.
//!
//! # Theory
//!
//! With `a` and `b` the sides of a corner, its certificate is `f = ± a × b`. Over a step of length
//! 1, by Taylor's formula, `f` is nowhere less than `f + min(f', 0) - M / 2` at its beginning, if
//! `M` is at least `|f''|` throughout: that is the first step of [`crate::roots::smooth`]. With the
//! sides' speeds at most `a'`, `b'` and their accelerations at most `a''`, `b''`, `M = 2 a' b' +
//! a'' (|b| + b') + (|a| + a') b''`. A side between two vertices of one body only turns. A side
//! between two bodies is no faster than the two of them together.
//!
//! # Practice
//!
//! Positions are kept while nothing moves, so a test needs no sine. A positive result is proven,
//! rounding included. Where the test is not conclusive, as close to a contact, the failure is
//! searched as usual. Nothing here allocates.

use super::PseudoTriangulation;
use crate::motion::Rigid2;
use crate::polygons::{cross, minus};

/// Rounding error of the test, as a share of the magnitudes that enter it. A position is rounded
/// some four times, a product of differences of positions twice that.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Half of the bound of the second derivative, rounded up.
const HALF: f64 = 0.51;

/// Without the library's care for overflow: a result that overflows is inconclusive.
fn length(a: [f64; 2]) -> f64 {
    (a[0] * a[0] + a[1] * a[1]).sqrt()
}

/// Motion of a body in the current step, in units of the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moving {
    centre: [f64; 2],
    velocity: [f64; 2],
    omega: f64,
    /// Largest speed and acceleration of a vertex.
    speed: f64,
    pull: f64,
    /// Bound of every vertex coordinate and of the numbers that it is computed from.
    size: f64,
    moves: bool,
}

impl Moving {
    /// For a body that has its vertices within `radius` of its centre and does not accelerate.
    pub(super) fn new(motion: &Rigid2, radius: f64) -> Self {
        Self {
            centre: motion.centre,
            velocity: motion.velocity,
            omega: motion.omega,
            speed: length(motion.velocity) + motion.omega.abs() * radius,
            pull: motion.omega * motion.omega * radius,
            size: length(motion.centre) + radius,
            moves: !motion.is_still(),
        }
    }

    fn velocity_at(&self, place: [f64; 2]) -> [f64; 2] {
        let arm = minus(place, self.centre);
        [
            self.velocity[0] - self.omega * arm[1],
            self.velocity[1] + self.omega * arm[0],
        ]
    }
}

/// Result of one test of a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CornerTest {
    /// It cannot change: it has no certificate.
    Never,
    /// Its certificate holds throughout the step.
    Holds,
    /// Its failure must be searched.
    Unclear,
}

impl PseudoTriangulation {
    /// Tests the corner of `h` at the beginning of a step, with the motions in `self.moving`.
    pub(super) fn test_corner(&self, h: u32) -> CornerTest {
        let corner = self.corner(h);
        let [i, j, k] = corner.map(|v| self.state.polygons.owner[v as usize] as usize);
        let [mu, mv, mx] = [i, j, k].map(|b| &self.moving[b]);
        let moves = mu.moves || mv.moves || mx.moves;
        if self.half(h).interior || (i == j && j == k) || !moves {
            return CornerTest::Never;
        }
        let [u, v, x] = corner.map(|v| self.rest[v as usize]);
        let (a, b) = (minus(v, u), minus(x, v));
        let [du, dv, dx] = [mu.velocity_at(u), mv.velocity_at(v), mx.velocity_at(x)];
        let (da, db) = (minus(dv, du), minus(dx, dv));
        let (value, slope) = (cross(a, b), cross(da, b) + cross(a, db));
        let (value, slope) = if self.half(h).reflex {
            (-value, -slope)
        } else {
            (value, slope)
        };
        let side = |one: &Moving, other: &Moving, same: bool, length: f64| {
            if same {
                [one.omega.abs() * length, one.omega * one.omega * length]
            } else {
                [one.speed + other.speed, one.pull + other.pull]
            }
        };
        let (la, lb) = (length(a), length(b));
        let [a1, a2] = side(mu, mv, i == j, la);
        let [b1, b2] = side(mv, mx, j == k, lb);
        let bend = 2.0 * a1 * b1 + a2 * (lb + b1) + (la + a1) * b2;
        let reach = mu.size.max(mv.size).max(mx.size) + la + lb + a1 + b1;
        let clear = ROUNDING * reach * (la + lb);
        // Written so that NaN is inconclusive.
        if value + slope.min(0.0) - HALF * bend > clear {
            CornerTest::Holds
        } else {
            CornerTest::Unclear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pseudo::{PolygonBody, Shift};
    use crate::roots::Smooth;
    use std::f64::consts::TAU;

    /// SplitMix64.
    struct Random(u64);

    impl Random {
        fn range(&mut self, from: f64, to: f64) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            from + (to - from) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Four stars around a fifth, two of which are sometimes in each other's pockets.
    fn scene(random: &mut Random) -> PseudoTriangulation {
        let bodies = (0..5).map(|_| {
            let point = |k: u32| {
                let a = (f64::from(k) + random.range(0.1, 0.9)) * TAU / 9.0;
                let r = random.range(0.4, 1.0);
                [r * a.cos(), r * a.sin()]
            };
            PolygonBody::wall((0..9).map(point).collect())
        });
        let mut scene = PseudoTriangulation::for_steps(bodies.collect()).unwrap();
        let places: Vec<_> = (0..4)
            .map(|k| {
                let a = TAU * f64::from(k) / 4.0 + random.range(-0.2, 0.2);
                ([2.1 * a.cos(), 2.1 * a.sin()], random.range(0.0, TAU))
            })
            .collect();
        scene.begin(|b| Some(*places.get(b as usize).unwrap_or(&([0.0; 2], 0.3))));
        scene.build_on(u32::MAX).unwrap();
        scene
    }

    /// Steps from a ten-thousandth of a body to twice its size, one and two moving bodies, with and
    /// without rotation.
    #[test]
    fn what_a_look_shows_to_hold_holds_throughout_and_is_nearly_all_of_a_short_step() {
        let mut random = Random(7);
        let mut counts = [[0_u32; 2]; 2];
        let mut failed = 0;
        for round in 0..4000_u32 {
            let mut scene = scene(&mut random);
            let short = round % 2 == 0;
            let size = if short {
                1e-4
            } else {
                10_f64.powf(random.range(-3.0, 0.3))
            };
            let shifts: Vec<_> = (0..1 + round % 3 / 2)
                .map(|k| Shift {
                    body: (round / 7 + 2 * k) % 5,
                    by: [0; 2].map(|_| size * random.range(-1.0, 1.0)),
                    turn: f64::from(round / 3 % 2) * size * random.range(-3.0, 3.0),
                })
                .collect();
            scene.start_motion(&shifts).unwrap();
            for h in 0..scene.halves.len() as u32 {
                let test_corner = scene.test_corner(h);
                let Some(corner) = scene.certificate(h) else {
                    assert_eq!(test_corner, CornerTest::Never);
                    continue;
                };
                let failure = corner.failure(0.0, 1.0).time;
                match test_corner {
                    CornerTest::Never => panic!("a corner that changes has no certificate"),
                    CornerTest::Holds => {
                        assert_eq!(failure, f64::INFINITY, "{shifts:?}");
                        for k in 0..=20 {
                            assert!(corner.at(f64::from(k) / 20.0).0 > 0.0, "{shifts:?}");
                        }
                    }
                    CornerTest::Unclear => failed += u32::from(failure < 1.0),
                }
                counts[usize::from(short)][usize::from(test_corner == CornerTest::Holds)] += 1;
            }
        }
        let [[_, long], [unclear, holds]] = counts;
        assert!(long > 20_000 && failed > 3_000, "{counts:?} {failed}");
        assert!(unclear * 50 < holds, "{counts:?}");
    }

    /// If a corner just does or does not fail at the end of a step, the test does not claim that it
    /// holds.
    #[test]
    fn a_corner_that_fails_at_the_end_of_a_step_is_not_said_to_hold() {
        let mut random = Random(9);
        let mut seen = 0;
        for round in 0..400_u32 {
            let mut scene = scene(&mut random);
            let mut shift = Shift {
                body: round % 5,
                by: [random.range(-0.5, 0.5), random.range(-0.5, 0.5)],
                turn: f64::from(round % 2) * random.range(-0.5, 0.5),
            };
            scene.start_motion(&[shift]).unwrap();
            let times: Vec<f64> = (0..scene.halves.len() as u32)
                .map(|h| (scene.certificate(h)).map_or(2.0, |c| c.failure(0.0, 1.0).time))
                .collect();
            for (h, time) in times.into_iter().enumerate().filter(|(_, t)| *t < 1.0) {
                let whole = shift;
                shift.by = whole.by.map(|x| x * time);
                shift.turn *= time;
                scene.start_motion(&[shift]).unwrap();
                assert_eq!(
                    scene.test_corner(h as u32),
                    CornerTest::Unclear,
                    "{shift:?}"
                );
                seen += 1;
                shift = whole;
            }
        }
        assert!(seen > 500, "{seen}");
    }

    /// The motion of a step that failed must not persist: tests of corners at rest find nothing.
    #[test]
    fn a_structure_begun_again_after_a_fault_stands_still() {
        let mut scene = scene(&mut Random(11));
        let placed: Vec<_> = (0..5).map(|b| scene.placed(b).unwrap()).collect();
        let shift = |body, by| Shift {
            body,
            by,
            turn: 0.1,
        };
        // The second body does not exist: a fault after the first is already under way.
        let shifts = [shift(0, [-0.3, 0.1]), shift(99, [0.0; 2])];
        assert!(scene.go(&shifts, 1000).is_err());
        scene.begin(|b| Some(placed[b as usize]));
        scene.build_on(u32::MAX).unwrap();
        assert!(!scene.halves.is_empty());
        for h in 0..scene.halves.len() as u32 {
            assert_eq!(scene.test_corner(h), CornerTest::Never);
        }
    }
}
