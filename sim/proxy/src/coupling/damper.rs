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
//! Across the stretch three things change the deflection. The hand moves while friction or a corner
//! holds the tool: the damper takes from its motion. The far end moves although the hand rests: the
//! tool slips over an edge, or goes round a curved surface; no contact holds against that, and the
//! damper would push the hand along a smooth surface. Or a body carries the tool along.
//!
//! So across the stretch the damper takes from the hand's own motion and never adds to it: at most
//! the part of the change that the hand alone would have made. A tool that is stuck keeps all of
//! its damping. A resting hand is not pushed; nothing is left on a smooth convex body.
//!
//! The hand's part is one number for all directions across. Where it moves in several of them, one
//! may still be pushed while the sum takes from the motion. A body that carries the tool across the
//! stretch is damped for the hand's motion alone, not for its own. Shift and rotation are weighed
//! by the coupling's metric.
//!
//! # Practice
//!
//! Rates are differences over [`WINDOW`] ticks, which smooths an encoder's steps.

use hapticd_choices::Damping;
use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Vec3};

use super::Tension;
use crate::frame_change::FrameChange;
use crate::motion::deflection;
use crate::timing::WINDOW;

/// Deflection and device in one tick.
#[derive(Clone, Copy, Debug)]
struct Sample {
    stretch: Motion,
    device: Pose,
}

/// Ends of the spring, and the point of the tool that it is fixed to (tool frame).
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<'a> {
    pub device: &'a Pose,
    pub proxy: &'a Pose,
    pub centre: &'a Vec3,
}

/// History that the damper's rate is taken from.
#[derive(Clone, Debug)]
pub(super) struct Damper {
    damping: Damping,
    history: [Sample; WINDOW],
    filled: usize,
    next: usize,
}

impl Damper {
    /// Creates a damper without history.
    pub fn new(damping: Damping) -> Self {
        let rest = Sample {
            stretch: Motion::zeros(),
            device: Pose::identity(),
        };
        Damper {
            damping,
            history: [rest; WINDOW],
            filled: 0,
            next: 0,
        }
    }

    /// Clears the history.
    pub fn forget(&mut self) {
        (self.filled, self.next) = (0, 0);
    }

    /// Carries the history along with the arm's frame.
    pub fn carry(&mut self, change: &FrameChange) {
        for sample in &mut self.history[..self.filled] {
            sample.stretch = change.carry_motion(&sample.stretch);
            sample.device = change.carry(&sample.device);
        }
    }

    /// Returns the rate that the damper acts on, m/s and rad/s: of stretch and twist, or of the
    /// device.
    ///
    /// `metric` weighs the components of a motion; `tension.pull` is weighed by it.
    pub fn rate(
        &mut self,
        ends: Ends<'_>,
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
        let now = Sample {
            stretch: tension.deflection,
            device: *ends.device,
        };
        let (oldest, ticks) = self.exchange(now);
        let window_s = ticks as f64 * period_s;
        // Written so that NaN gives no rate.
        if !(window_s > 0.0) {
            return Motion::zeros();
        }
        if is_relative {
            let change = now.stretch - oldest.stretch;
            let by_hand = now.stretch - deflection(&oldest.device, ends.proxy, ends.centre);
            by_hand_across(&change, &by_hand, &tension.pull, metric) / window_s
        } else {
            deflection(&now.device, &oldest.device, &Vec3::zeros()) / window_s
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

/// Returns the part of a change of the stretch that the damper acts on: all of it along `pull`, and
/// across it at most what the hand alone would have changed (`by_hand`).
fn by_hand_across(change: &Motion, by_hand: &Motion, pull: &Motion, metric: &Motion) -> Motion {
    let weighed = change.component_mul(metric);
    let along = pull * (weighed.dot(pull) / pull.norm_squared());
    let across = weighed - along;
    let length = across.norm();
    let own = by_hand.component_mul(metric).dot(&across) / length;
    // Without a direction, or without anything across it, there is nothing to leave out: the
    // quotients above are NaN then.
    if !(own < length) {
        return *change;
    }
    let mut kept = along + across * (own.max(0.0) / length);
    for (component, (weight, whole)) in kept.iter_mut().zip(metric.iter().zip(change.iter())) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::{Coupling, Gains, Wrench};
    use hapticd_geometry::Quat;
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
    /// same with rotation. The first face is let go within a tick. A hand that rests, or that goes
    /// on along the next face, is not pulled; one that goes back is damped as in a liquid.
    #[test]
    fn a_tool_that_slips_over_an_edge_is_not_pulled_along_the_next_face() {
        let turned = |x: f64| Quat::from_scaled_axis(Vec3::x() * x);
        let upper = Vec3::z() * 4e-3;
        let side = Pose::translation(2e-3, 0.0, 0.0);
        for (turn, speed_m_s) in [(0.0, 0.0), (0.1, 0.0), (0.0, -0.05), (0.0, 0.05)] {
            let mut c = coupling();
            let upper = Pose::from_parts(upper.into(), turned(turn));
            for _ in 0..20 {
                wrench(&mut c, &Pose::identity(), &upper);
            }
            for k in 1..=20 {
                let z = speed_m_s * PERIOD_S * f64::from(k);
                let hand = Pose::translation(0.0, 0.0, z);
                // Smooth: along the face the tool goes with the hand.
                let far = Pose::translation(2e-3, 0.0, z);
                let w = wrench(&mut c, &hand, if speed_m_s == 0.0 { &side } else { &far });
                let back_n = 0.5 * speed_m_s.max(0.0);
                let across = w.force_n.yz();
                assert!(across.norm() <= back_n + 1e-9, "tick {k}: {} N", w.force_n);
                assert!(across.y <= 1e-12, "tick {k}: {} N", w.force_n);
                // Along it, the damper takes the slip for a surface that comes.
                let excess = w.force_n.x - 1.0;
                assert!((-1e-12..0.1251).contains(&excess), "tick {k}: {excess} N");
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

    /// Every fifth answer is a tick late while the hand goes along a smooth plane. What is missed
    /// is taken from the hand's motion, and not given back when it comes: on average 2.5 % of the
    /// damping of a tool that is stuck.
    #[test]
    fn a_far_end_that_lags_on_a_plane_drags_by_a_trace() {
        let mut c = coupling();
        let (step_m, mut sum_n) = (3e-4, 0.0);
        for k in 0..1000_i32 {
            let x = f64::from(k) * step_m;
            let hand = Pose::translation(x, 0.0, -2e-3);
            let far = x - if k % 5 == 4 { step_m } else { 0.0 };
            let force_n = wrench(&mut c, &hand, &Pose::translation(far, 0.0, 0.0)).force_n;
            let damper_n = force_n.x - 500.0 * (far - x);
            assert!(damper_n <= 1e-9, "tick {k}: {damper_n} N");
            sum_n += damper_n;
        }
        assert!(sum_n / 1000.0 > -0.0045, "{} N", sum_n / 1000.0);
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

    /// The tool is 0.1 m beside the hand's origin, sticks, and is turned about the origin: its
    /// centre moves with the hand. The arm renders no torque.
    #[test]
    fn a_tool_beside_the_hand_is_damped_where_it_is() {
        let gains = Gains {
            rotational_stiffness_nm_per_rad: 0.0,
            rotational_damping_nm_s_per_rad: 0.0,
            ..GAINS
        };
        let mut c = Coupling::new(gains, Damping::Relative);
        let centre = Vec3::x() * 0.1;
        let far = Pose::translation(0.0, 0.0, 4e-3);
        for k in 0..10 {
            // 0.1 m/s, across the stretch.
            let angle = 1e-3 * f64::from(k);
            let hand = Pose::from_parts(
                Vec3::zeros().into(),
                Quat::from_scaled_axis(Vec3::z() * angle),
            );
            let force_n = c.wrench(&hand, &far, &centre, None, PERIOD_S).force_n;
            let spring_n = -500.0 * 0.1 * angle.sin();
            let damper_n = force_n.y - spring_n;
            let wanted_n = if k > 0 { -0.05 } else { 0.0 };
            assert!((damper_n - wanted_n).abs() < 1e-5, "tick {k}: {damper_n} N");
        }
    }

    /// Without a spring that turns, rotation has no weight, and is left as it is.
    #[test]
    fn rotation_without_weight_is_left_as_it_is() {
        let metric = Motion::new(1.0, 1.0, 1.0, 0.0, 0.0, 0.0);
        let slipped = Motion::new(1e-3, 0.0, -4e-3, 0.1, 0.2, 0.3);
        let pull = Motion::x() * 2e-3;
        let kept = by_hand_across(&slipped, &Motion::zeros(), &pull, &metric);
        let wanted = Motion::new(1e-3, 0.0, 0.0, 0.1, 0.2, 0.3);
        assert!((kept - wanted).norm() < 1e-15, "{kept}");
        // Without a stretch, nothing is across it.
        let kept = by_hand_across(&slipped, &Motion::zeros(), &Motion::zeros(), &metric);
        assert_eq!(kept, slipped);
    }

    proptest! {
        /// Where nothing gives way, all of the hand's motion is damped, in every direction.
        #[test]
        fn a_tool_that_is_stuck_is_damped_in_every_direction(
            start in prop::array::uniform6(1e-3..5e-3_f64),
            speed in prop::array::uniform6(-0.05..0.05_f64),
        ) {
            let mut c = coupling();
            // Twists of up to 1 rad, at up to 10 rad/s.
            let scale = Motion::new(1.0, 1.0, 1.0, 200.0, 200.0, 200.0);
            let [start, speed] = [start, speed].map(|m| Motion::from(m).component_mul(&scale));
            let mut before = Vec::new();
            for k in 0..20 {
                let at = start - speed * (PERIOD_S * f64::from(k));
                let turn = Quat::from_scaled_axis(-at.fixed_rows::<3>(3).into_owned());
                let hand = Pose::from_parts((-at.fixed_rows::<3>(0)).into(), turn);
                let w = wrench(&mut c, &hand, &Pose::identity());
                before.push(at);
                let ticks = before.len().min(WINDOW + 1) - 1;
                let rate = match ticks {
                    0 => Motion::zeros(),
                    _ => (at - before[k as usize - ticks]) / (ticks as f64 * PERIOD_S),
                };
                // The damper may not reverse the spring.
                let wanted_n = combined_without_pull(
                    at.fixed_rows::<3>(0) * 500.0,
                    rate.fixed_rows::<3>(0) * 0.5,
                );
                let wanted_nm = combined_without_pull(
                    at.fixed_rows::<3>(3) * 0.2,
                    rate.fixed_rows::<3>(3) * 2e-4,
                );
                let off = (w.force_n - wanted_n).norm() + (w.torque_nm - wanted_nm).norm();
                prop_assert!(off < 1e-9, "{k}: {w:?}, not {wanted_n} N, {wanted_nm} N m");
            }
        }

        /// Whatever the far end does, a hand that rests is not pushed across the stretch, and a
        /// hand that moves is never pushed on across it.
        #[test]
        fn across_the_stretch_the_damper_only_takes_from_the_motion(
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
                    // Of the whole sum: it never adds to the hand's motion.
                    let along = force_n.dot(&stretch) / stretch.norm_squared();
                    let across = force_n - stretch * along;
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
