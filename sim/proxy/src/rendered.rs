//! Rendered proxy: the spring's far end, where the hand feels contacts but not the end of a
//! certificate.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic. World frame, SI
//! units.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, Vec3, transform};

use crate::motion::pull_between;
use crate::tool::ToolShape;

/// Speed at which a surface that was found late comes in, m/s; that of a soft one.
const FOUND_M_S: f64 = 0.2;

/// Inputs of the rendered pose for one tool.
#[derive(Clone, Copy, Debug)]
pub struct RenderContext<'a> {
    /// Shape of the tool.
    pub shape: &'a ToolShape,
    /// Square of the length by which the spring weighs rotation, m².
    pub gyration_m2: f64,
    /// Distance at which contacts rest, m.
    pub safe_m: f64,
    /// Time since the previous tick, s.
    pub period_s: f64,
}

impl RenderContext<'_> {
    /// Returns the inner product of two stretches, with the spring's weights of shift and rotation.
    fn dot(&self, a: &Motion, b: &Motion) -> f64 {
        let shift = a.fixed_rows::<3>(0).dot(&b.fixed_rows::<3>(0));
        shift + self.gyration_m2 * a.fixed_rows::<3>(3).dot(&b.fixed_rows::<3>(3))
    }
}

/// Far end of an arm's spring, from tick to tick.
#[derive(Clone, Copy, Debug)]
pub struct RenderedProxy {
    /// Pose that the spring was drawn to in the last tick.
    drawn_to: Pose,
    /// Stretch of the spring in the last tick: shift of the shape's centre, and rotation vector.
    stretch: Motion,
}

impl RenderedProxy {
    /// Creates the rendered proxy of a tool that is where its hand is.
    pub fn new(hand: &Pose) -> Self {
        RenderedProxy {
            drawn_to: *hand,
            stretch: Motion::zeros(),
        }
    }

    /// Returns the pose that the spring was drawn to in the last tick.
    pub fn drawn_to(&self) -> &Pose {
        &self.drawn_to
    }

    /// Returns the rendered pose of a proxy that moved from `before` to `proxy`.
    ///
    /// The hand must not feel the end of a certificate or of a budget. If that alone holds the
    /// proxy back, `ahead` gives the pose to render instead: the pose without it, or the one on a
    /// smooth surface. A surface that is found late would stretch the spring by the whole distance
    /// at once; its stretch comes in by 0.2 m/s.
    pub fn step(
        &mut self,
        feel: &RenderContext<'_>,
        hand: &Pose,
        [before, proxy]: [&Pose; 2],
        ahead: Option<&Pose>,
    ) -> Pose {
        let length = |motion: &Motion| feel.dot(motion, motion).sqrt();
        let between = |from: &Pose, to: &Pose| length(&pull_between(feel.shape, from, to));
        let rendered = *ahead.unwrap_or(proxy);
        let stretch = pull_between(feel.shape, &rendered, hand);
        let wanted_m = length(&stretch);
        // For a proxy held by contacts alone, the stretch grows by at most the hand's motion and
        // the proxy's motion away from it. A proxy that a certificate held back catches up; it
        // approaches and stretches nothing.
        let pushed_m = between(proxy, hand) - between(before, hand);
        let went_m = pushed_m.max(0.0) + between(&self.drawn_to, hand);
        let found_m = FOUND_M_S * feel.period_s + feel.safe_m;
        let most_m = length(&self.stretch) + went_m + found_m;
        self.drawn_to = *hand;
        self.stretch = stretch;
        if wanted_m > most_m {
            self.stretch = stretch * (most_m / wanted_m);
            return self.behind(feel.shape, hand, &rendered);
        }
        rendered
    }

    /// Returns the rendered pose for a tick that cannot determine what holds the tool.
    ///
    /// It assumes a plane across the previous tick's stretch. Along the plane the hand moves
    /// freely; moving back, it gets the stored energy; pressing further, it meets no larger force.
    /// So no new contact is rendered, and no more energy is given than was put in.
    pub fn hold(&mut self, feel: &RenderContext<'_>, hand: &Pose, proxy: &Pose) -> Pose {
        let went = pull_between(feel.shape, &self.drawn_to, hand);
        self.drawn_to = *hand;
        let square = feel.dot(&self.stretch, &self.stretch);
        if square > 0.0 {
            let further = feel.dot(&went, &self.stretch) / square;
            self.stretch *= (1.0 + further).clamp(0.0, 1.0);
        }
        self.behind(feel.shape, hand, proxy)
    }

    /// Returns the pose that lags the hand by the spring's stretch. A tool that does not turn takes
    /// the rotation of `rendered`.
    fn behind(&self, shape: &ToolShape, hand: &Pose, rendered: &Pose) -> Pose {
        let (shift, turn): (Vec3, Vec3) = (
            self.stretch.fixed_rows::<3>(0).into_owned(),
            self.stretch.fixed_rows::<3>(3).into_owned(),
        );
        let mut rendered = *rendered;
        if shape.turns {
            rendered.rotation = Quat::from_scaled_axis(-turn) * hand.rotation;
        }
        let centre = transform(hand, &shape.centre) - shift;
        rendered.translation.vector = centre - rendered.rotation * shape.centre;
        rendered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STIFFNESS: f64 = 500.0;
    /// Pieces of one motion of the hand; each takes a separate tick.
    const PIECES: u32 = 20;

    fn tool() -> ToolShape {
        let corners = [[1.0, 1.0], [-1.0, 1.0], [0.0, -1.0]];
        ToolShape::mesh(&corners.map(|[x, z]| Vec3::new(x, 0.0, z) * 5e-3), true)
    }

    /// Presses the hand by `depth_m` and turns it by `turn`; after that nothing more is known.
    fn pressed(feel: &RenderContext<'_>, depth_m: f64, turn: f64) -> (RenderedProxy, Pose) {
        let rest = Pose::identity();
        let mut end = RenderedProxy::new(&rest);
        let at = |share: f64| {
            let turn = Quat::from_scaled_axis(Vec3::x() * (turn * share));
            Pose::from_parts(Vec3::new(0.0, 0.0, -depth_m * share).into(), turn)
        };
        for k in 1..=100 {
            end.step(feel, &at(f64::from(k) / 100.0), [&rest, &rest], None);
        }
        (end, at(1.0))
    }

    /// Runs ticks with a hand at rest; returns the stretch of the spring after each, m.
    fn comes_in(
        feel: &RenderContext<'_>,
        end: &mut RenderedProxy,
        hand: &Pose,
        proxy: &Pose,
    ) -> Vec<f64> {
        let mut tick = |_| {
            let rendered = end.step(feel, hand, [proxy, proxy], None);
            let pull = pull_between(feel.shape, hand, &rendered);
            feel.dot(&pull, &pull).sqrt()
        };
        (0..30).map(&mut tick).collect()
    }

    /// At 0.2 m/s: 0.2 mm a tick plus the distance at which contacts rest, 0.04 mm.
    #[test]
    fn a_surface_that_is_found_late_comes_in_slowly_by_shift_and_turn() {
        let shape = tool();
        let feel = feel(&shape);
        let hand = Pose::from_parts(
            Vec3::new(0.3, 0.0, -3e-3).into(),
            Quat::from_scaled_axis(Vec3::x() * 0.4),
        );
        // 4 mm of rotation at a gyration of 1 cm, 3 mm of shift; each alone, then both.
        let shifted = Pose::from_parts(Vec3::x().scale(0.3).into(), hand.rotation);
        let turned = Pose::from_parts(hand.translation, Quat::identity());
        let both = Pose::translation(0.3, 0.0, 0.0);
        for (proxy, whole_m) in [(shifted, 3e-3), (turned, 4e-3), (both, 5e-3)] {
            let mut end = RenderedProxy::new(&hand);
            // Meanwhile the certificate ended: the proxy lags behind, and the hand feels nothing of
            // it.
            for _ in 0..10 {
                let rendered = end.step(&feel, &hand, [&proxy, &proxy], Some(&hand));
                assert!(pull_between(&shape, &rendered, &hand).norm() < 1e-15);
            }
            for (k, stretch_m) in comes_in(&feel, &mut end, &hand, &proxy).iter().enumerate() {
                let wanted_m = (2.4e-4 * (1.0 + k as f64)).min(whole_m);
                assert!(
                    (stretch_m - wanted_m).abs() < 1e-12,
                    "{whole_m}, {k}: {stretch_m}"
                );
            }
            let rendered = end.step(&feel, &hand, [&proxy, &proxy], None);
            assert!(pull_between(&shape, &rendered, &proxy).norm() < 1e-15);
            assert_eq!(end.drawn_to(), &hand);
        }
    }

    /// As it comes in, the spring is stretched along the full offset, about the shape's centre.
    #[test]
    fn what_comes_in_points_to_where_the_surface_holds_the_tool() {
        let corners = [[2.0, 1.0], [-1.0, 1.0], [0.0, -1.0]];
        let corners = corners.map(|[x, z]| Vec3::new(x, 0.0, z) * 5e-3);
        let mut shape = ToolShape::mesh(&corners, true);
        for turns in [true, false] {
            shape.turns = turns;
            let feel = feel(&shape);
            let hand = Pose::from_parts(
                Vec3::new(0.01, 0.0, -3e-3).into(),
                Quat::from_scaled_axis(Vec3::x() * 0.4),
            );
            let proxy = Pose::identity();
            let whole = pull_between(&shape, &hand, &proxy);
            let mut end = RenderedProxy::new(&hand);
            let rendered = end.step(&feel, &hand, [&proxy, &proxy], None);
            let part = pull_between(&shape, &hand, &rendered);
            let share = 2.4e-4 / feel.dot(&whole, &whole).sqrt();
            assert!((part - whole * share).norm() < 1e-12, "{part:?} {whole:?}");
            if !turns {
                assert_eq!(rendered.rotation, proxy.rotation);
            }
        }
    }

    /// A hand that presses or a proxy that is pushed stretches the spring at once.
    #[test]
    fn what_hand_and_proxy_go_apart_is_felt_in_the_same_tick() {
        let shape = tool();
        let feel = feel(&shape);
        let at = |z: f64| Pose::translation(0.0, 0.0, z);
        let depth_m = |rendered: &Pose, hand: f64| rendered.translation.z - hand;
        // The hand moves in by 5 mm at once.
        let mut end = RenderedProxy::new(&at(0.0));
        let rendered = end.step(&feel, &at(-5e-3), [&at(0.0), &at(0.0)], None);
        assert!((depth_m(&rendered, -5e-3) - 5e-3).abs() < 1e-15);
        // The body that holds the proxy moves 2 mm out.
        let rendered = end.step(&feel, &at(-5e-3), [&at(0.0), &at(2e-3)], None);
        assert!((depth_m(&rendered, -5e-3) - 7e-3).abs() < 1e-15);
        // A proxy that was held back 20 mm away catches up by 8 mm: that is not a push.
        let mut end = RenderedProxy::new(&at(0.0));
        let rendered = end.step(&feel, &at(-1e-3), [&at(0.02), &at(0.012)], None);
        assert!(
            (depth_m(&rendered, -1e-3) - 1.24e-3).abs() < 1e-12,
            "{rendered:?}"
        );
        // A proxy that moves away by 1 mm stretches the spring by that much, in addition to the
        // late surface.
        let rendered = end.step(&feel, &at(-1e-3), [&at(0.012), &at(0.013)], None);
        assert!(
            (depth_m(&rendered, -1e-3) - 2.48e-3).abs() < 1e-12,
            "{rendered:?}"
        );
    }

    #[test]
    fn a_hand_that_goes_freely_feels_nothing_of_what_is_not_known() {
        let shape = tool();
        let feel = feel(&shape);
        let mut end = RenderedProxy::new(&Pose::identity());
        for k in 1..50 {
            let hand = Pose::translation(1e-3 * f64::from(k), 0.0, -2e-3 * f64::from(k));
            let rendered = end.hold(&feel, &hand, &Pose::identity());
            assert!(pull_between(&shape, &rendered, &hand).norm() < 1e-15);
        }
    }

    #[test]
    fn the_force_stays_falls_where_the_hand_gives_way_and_does_not_come_back() {
        let shape = tool();
        let feel = feel(&shape);
        let (mut end, hand) = pressed(&feel, 2e-3, 0.0);
        let mut at = |x: f64, z: f64| {
            let hand = Pose::translation(x, 0.0, z);
            let rendered = end.hold(&feel, &hand, &Pose::identity());
            pull_between(&shape, &hand, &rendered)
        };
        assert_eq!(hand.translation.z, -2e-3);
        for (x, z, depth) in [
            (0.0, -2e-3, 2e-3),
            (0.01, -2e-3, 2e-3),
            (0.01, -3e-3, 2e-3),
            (0.02, -2.5e-3, 1.5e-3),
            (0.02, 0.0, 0.0),
            (0.02, -3e-3, 0.0),
        ] {
            let pull = at(x, z);
            let off = pull - Motion::new(0.0, 0.0, depth, 0.0, 0.0, 0.0);
            assert!(off.norm() < 1e-12, "at {x}, {z}: {pull:?}");
        }
    }

    fn feel(shape: &ToolShape) -> RenderContext<'_> {
        RenderContext {
            shape,
            gyration_m2: 1e-4,
            safe_m: 4e-5,
            period_s: 1e-3,
        }
    }

    proptest! {
        /// For any motion of the hand meanwhile, it gets no more energy than was stored.
        #[test]
        fn what_is_not_known_gives_no_more_than_was_stored(
            depth_m in 0.0..5e-3f64, turn in -0.2..0.2f64,
            ways in prop::collection::vec([-2e-4..2e-4f64, -2e-4..2e-4, -2e-4..2e-4, -0.01..0.01], 1..200),
        ) {
            let shape = tool();
            let feel = feel(&shape);
            let (mut end, mut hand) = pressed(&feel, depth_m, turn);
            let pull = |rendered: &Pose, hand: &Pose| {
                let pull = pull_between(feel.shape, hand, rendered);
                (pull, 0.5 * STIFFNESS * feel.dot(&pull, &pull))
            };
            let (mut before, stored_j) = pull(&end.behind(&shape, &hand, &hand), &hand);
            let mut given_j = 0.0;
            for [x, y, z, turn] in ways {
                for _ in 0..PIECES {
                    let share = 1.0 / f64::from(PIECES);
                    let next = Pose::from_parts(
                        (hand.translation.vector + Vec3::new(x, y, z) * share).into(),
                        Quat::from_scaled_axis(Vec3::x() * (turn * share)) * hand.rotation,
                    );
                    let went = pull_between(&shape, &hand, &next);
                    hand = next;
                    let (now, _) = pull(&end.hold(&feel, &hand, &hand), &hand);
                    given_j += STIFFNESS * 0.5 * feel.dot(&went, &(before + now));
                    before = now;
                }
            }
            // The piece in which the stretch reaches zero counts whole.
            let piece_m = 4e-4 / f64::from(PIECES);
            let most_j = stored_j + 0.5 * STIFFNESS * piece_m * piece_m;
            prop_assert!(given_j <= most_j, "{given_j} of {stored_j} J");
        }
    }
}
