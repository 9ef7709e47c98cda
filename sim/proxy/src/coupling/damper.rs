//! Damper of the coupling: the rate that it acts on, and how its force joins the spring's.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic. World frame, SI
//! units.
//!
//! # Theory
//!
//! The force on the hand is that of the contacts, and a contact pushes only along what it holds.
//! Along the stretch the damper may weaken the spring but never reverse it: a surface does not pull
//! on what leaves it.
//!
//! Across the stretch two things change the deflection. The hand moves while friction or a corner
//! holds the tool: the damper opposes the hand. Or the far end moves although the hand rests: the
//! tool slips over an edge, or follows a curved surface. No contact holds against that, and the
//! damper would push the hand along a frictionless surface. So across the stretch the damper acts
//! on no more than the hand's own motion, and only against it. A tool that is stuck keeps all of
//! its damping; on a smooth convex body nothing is left across.
//!
//! Shift and rotation are weighed by the coupling's metric, so that the torque stays that of the
//! contact force.
//!
//! # Practice
//!
//! Rates are differences over [`WINDOW`] ticks: an encoder's steps are smoothed, and a far end that
//! lags by a tick and catches up cancels.

use hapticd_choices::Damping;
use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, Vec3};

use super::Tension;
use crate::timing::WINDOW;

/// Deflection and hand in one tick, each up to a constant: shift, m, and rotation, rad.
#[derive(Clone, Copy, Debug)]
struct Sample {
    stretch: Motion,
    hand: Motion,
}

/// History that the damper's rate is taken from.
#[derive(Clone, Debug)]
pub(super) struct Damper {
    damping: Damping,
    history: [Sample; WINDOW],
    filled: usize,
    next: usize,
    /// Rotation of the device in the previous tick, and the sum of its rotations since the history
    /// began.
    turned: Option<(Quat, Vec3)>,
}

impl Damper {
    /// Creates a damper without history.
    pub fn new(damping: Damping) -> Self {
        let rest = Sample {
            stretch: Motion::zeros(),
            hand: Motion::zeros(),
        };
        Damper {
            damping,
            history: [rest; WINDOW],
            filled: 0,
            next: 0,
            turned: None,
        }
    }

    /// Clears the history.
    pub fn forget(&mut self) {
        (self.filled, self.next, self.turned) = (0, 0, None);
    }

    /// Returns the rate that the damper acts on, m/s and rad/s: of stretch and twist, or of the
    /// device.
    ///
    /// `metric` weighs the components of a motion; `tension.pull` is weighed by it.
    pub fn rate(
        &mut self,
        device: &Pose,
        tension: &Tension,
        metric: &Motion,
        period_s: f64,
    ) -> Motion {
        let is_relative = self.damping == Damping::Relative;
        // A spring at rest has let go: its earlier stretch must not act as a pull.
        if is_relative && !tension.is_loaded {
            self.forget();
            return Motion::zeros();
        }
        let (before, turned) = self.turned.unwrap_or((device.rotation, Vec3::zeros()));
        let turned = turned + (device.rotation * before.inverse()).scaled_axis();
        self.turned = Some((device.rotation, turned));
        let origin = device.translation.vector;
        let at = if is_relative {
            origin + tension.lever
        } else {
            origin
        };
        let now = Sample {
            stretch: joined(&tension.stretch, &tension.twist),
            hand: joined(&at, &turned),
        };
        let (oldest, ticks) = self.exchange(now);
        let window_s = ticks as f64 * period_s;
        // Written so that NaN gives no rate.
        if !(window_s > 0.0) {
            return Motion::zeros();
        }
        let hand = now.hand - oldest.hand;
        if is_relative {
            let stretch = now.stretch - oldest.stretch;
            against_hand(&stretch, &hand, &tension.pull, metric) / window_s
        } else {
            -hand / window_s
        }
    }

    /// Returns spring and damper together.
    pub fn add(&self, spring: Vec3, damper: Vec3) -> Vec3 {
        match self.damping {
            Damping::Relative => combined_without_pull(spring, damper),
            Damping::Device => spring + damper,
        }
    }

    /// Takes this tick's sample; returns the oldest one of the window, and how many ticks ago it
    /// was. The first sample is its own oldest.
    fn exchange(&mut self, now: Sample) -> (Sample, usize) {
        let (oldest, ticks) = if self.filled == 0 {
            (now, 1)
        } else if self.filled < WINDOW {
            (self.history[0], self.filled)
        } else {
            (self.history[self.next], WINDOW)
        };
        self.history[self.next] = now;
        self.next = (self.next + 1) % WINDOW;
        self.filled = (self.filled + 1).min(WINDOW);
        (oldest, ticks)
    }
}

/// Returns the part of a change of `stretch` that the damper acts on: all of it along `pull`, and
/// across it only what opposes the hand's own displacement.
fn against_hand(stretch: &Motion, hand: &Motion, pull: &Motion, metric: &Motion) -> Motion {
    let square = pull.norm_squared();
    let change = stretch.component_mul(metric);
    let along = pull * (change.dot(pull) / square);
    let across = change - along;
    let length = across.norm();
    let against = -hand.component_mul(metric).dot(&across) / length;
    // Without a direction, or without anything across it, there is nothing to leave out. Written so
    // that NaN leaves nothing out, either.
    if !(square > 0.0 && against < length) {
        return *stretch;
    }
    let mut kept = along + across * (against.max(0.0) / length);
    for (component, (weight, whole)) in kept.iter_mut().zip(metric.iter().zip(stretch.iter())) {
        *component = if *weight > 0.0 {
            *component / weight
        } else {
            *whole
        };
    }
    kept
}

/// Adds the damper to the spring. The damper may weaken the spring but never reverse it.
fn combined_without_pull(spring: Vec3, damper: Vec3) -> Vec3 {
    let square = spring.norm_squared();
    let both = spring + damper;
    if square == 0.0 {
        Vec3::zeros()
    } else {
        both - spring * (both.dot(&spring).min(0.0) / square)
    }
}

/// Returns shift and rotation as one vector.
fn joined(shift: &Vec3, turn: &Vec3) -> Motion {
    Motion::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::{Coupling, Gains, Wrench};
    use proptest::prelude::*;

    const GAINS: Gains = Gains {
        stiffness_n_per_m: 500.0,
        damping_n_s_per_m: 0.5,
        rotational_stiffness_nm_per_rad: 0.2,
        rotational_damping_nm_s_per_rad: 2e-4,
    };
    const PERIOD_S: f64 = 1e-3;

    fn coupling() -> Coupling {
        Coupling::new(GAINS, Damping::Relative)
    }

    fn wrench(c: &mut Coupling, hand: &Pose, far: &Pose) -> Wrench {
        c.wrench(hand, far, &Vec3::zeros(), None, PERIOD_S)
    }

    /// The hand presses by 4 mm on a face; over its edge 2 mm on the next face hold it, or the
    /// same with rotation. The first face is let go within a tick, while the hand hardly moves.
    #[test]
    fn a_tool_that_slips_over_an_edge_is_not_pulled_along_the_next_face() {
        let turned = |x: f64| Quat::from_scaled_axis(Vec3::x() * x);
        for turn in [0.0, 0.1] {
            let mut c = coupling();
            let (upper, side) = (Pose::translation(0.0, 0.0, 4e-3), Vec3::x() * 2e-3);
            let upper = Pose::from_parts(upper.translation, turned(turn));
            let side = Pose::from_parts(side.into(), Quat::identity());
            for _ in 0..20 {
                wrench(&mut c, &Pose::identity(), &upper);
            }
            for k in 0..20 {
                let hand = Pose::translation(-1e-6 * f64::from(k), 0.0, 0.0);
                let w = wrench(&mut c, &hand, &side);
                let across = w.force_n.yz().norm();
                assert!(across < 1e-12, "tick {k}: {} N", w.force_n);
                // Along it, the damper takes the slip for a surface that comes.
                let excess = w.force_n.x - 1.0;
                assert!((0.0..0.14).contains(&excess), "tick {k}: {excess} N");
                // The torque would be that of a twist that is gone.
                assert!(w.torque_nm.norm() < 1e-12, "tick {k}: {} N m", w.torque_nm);
            }
        }
    }

    /// The hand goes around a smooth ball of 5 mm, 1 to 4 mm within: the tool on the surface is the
    /// faster of the two, and would draw the hand along.
    #[test]
    fn a_tool_on_a_smooth_ball_is_not_pulled_along_its_surface() {
        for (press_m, spin_rad_s) in [(1e-3, 5.0), (4e-3, 20.0), (4e-3, -20.0)] {
            let mut c = coupling();
            for k in 0..100 {
                let angle = spin_rad_s * PERIOD_S * f64::from(k);
                let out = Vec3::new(angle.cos(), 0.0, angle.sin());
                let at =
                    |radius_m: f64| Pose::from_parts((out * radius_m).into(), Quat::identity());
                let w = wrench(&mut c, &at(5e-3 - press_m), &at(5e-3));
                let along = w.force_n - out * out.dot(&w.force_n);
                assert!(along.norm() < 1e-9, "{press_m} m, tick {k}: {along} N");
            }
        }
    }

    /// The far end lags by a tick and catches up while the hand goes along a smooth plane.
    #[test]
    fn a_far_end_that_lags_on_a_plane_gives_no_lasting_drag() {
        let mut c = coupling();
        let mut pulses = 0;
        for k in 0..100_i32 {
            let hand = Pose::translation(1e-4 * f64::from(k), 0.0, -2e-3);
            // Every eighth answer is late.
            let x = f64::from(if k % 8 == 7 { k - 1 } else { k }) * 1e-4;
            let w = wrench(&mut c, &hand, &Pose::translation(x, 0.0, 0.0));
            pulses += i32::from(w.force_n.x.abs() > 1e-9);
        }
        assert!(pulses <= 2 * 100 / 8 + 1, "{pulses} ticks of drag");
    }

    #[test]
    fn a_damper_stronger_than_the_spring_leaves_what_is_across() {
        let spring = Vec3::z() * 2.0;
        let left = combined_without_pull(spring, Vec3::new(0.3, 0.0, -5.0));
        assert!((left - Vec3::x() * 0.3).norm() < 1e-12, "{left}");
        let weaker = combined_without_pull(spring, Vec3::new(0.3, 0.0, -1.5));
        assert_eq!(weaker, Vec3::new(0.3, 0.0, 0.5));
        assert_eq!(
            combined_without_pull(Vec3::zeros(), Vec3::x()),
            Vec3::zeros()
        );
    }

    proptest! {
        /// Where nothing gives way, all of the hand's motion is damped, in every direction.
        #[test]
        fn a_tool_that_is_stuck_is_damped_in_every_direction(
            start in prop::array::uniform3(1e-3..5e-3_f64),
            speed in prop::array::uniform3(-0.05..0.05_f64),
        ) {
            let mut c = coupling();
            let (start, speed) = (Vec3::from(start), Vec3::from(speed));
            for k in 0..10 {
                let stretch = start - speed * (PERIOD_S * f64::from(k));
                let hand = Pose::from_parts((-stretch).into(), Quat::identity());
                let w = wrench(&mut c, &hand, &Pose::identity());
                let wanted = stretch * 500.0 - speed * if k > 0 { 0.5 } else { 0.0 };
                prop_assert!((w.force_n - wanted).norm() < 1e-9, "{} N, not {wanted}", w.force_n);
            }
        }

        /// Whatever the far end does, a hand that rests is not pushed across the stretch, and a
        /// hand that moves is never pushed on across it.
        #[test]
        fn across_the_stretch_the_damper_only_opposes_the_hand(
            ways in prop::collection::vec(
                (prop::array::uniform3(-1e-3..1e-3_f64), prop::array::uniform3(-5e-3..5e-3_f64)),
                9,
            ),
        ) {
            let mut c = coupling();
            let mut hand = Vec3::zeros();
            for (go, far) in ways {
                let start = hand;
                for k in 1..=WINDOW {
                    hand = start + Vec3::from(go) * (k as f64 / WINDOW as f64);
                    let at = |p: &Vec3| Pose::from_parts((*p).into(), Quat::identity());
                    let stretch = Vec3::from(far) - hand;
                    let force_n = wrench(&mut c, &at(&hand), &at(&Vec3::from(far))).force_n;
                    let across = force_n - stretch * (force_n.dot(&stretch) / stretch.norm_squared());
                    if k == WINDOW {
                        let speed = Vec3::from(go) / (WINDOW as f64 * PERIOD_S);
                        prop_assert!(across.dot(&speed) <= 1e-12, "{across} N at {speed} m/s");
                        prop_assert!(across.norm() <= 0.5 * speed.norm() + 1e-9);
                    }
                }
            }
        }
    }
}
