//! What of a proxy the hand feels: its contacts, and never where knowledge ends.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic. World frame, SI
//! units.

use hapticd_dynamics::Motion;
use hapticd_geometry::{Pose, Quat, Vec3, transform};

use crate::arm::pull_between;
use crate::tool::ToolShape;

/// How fast a surface that was found late comes in, m/s: as fast as a soft one may come.
const FOUND_M_S: f64 = 0.2;

/// What is felt of a tool of this shape.
#[derive(Clone, Copy, Debug)]
pub struct Feel<'a> {
    /// The tool.
    pub shape: &'a ToolShape,
    /// Square of the length by which the spring weighs turning, m^2.
    pub gyration_m2: f64,
    /// Distance at which contacts rest, m.
    pub safe_m: f64,
    /// Time since the tick before, s.
    pub period_s: f64,
}

/// The far end of an arm's spring, from tick to tick.
#[derive(Clone, Copy, Debug)]
pub struct FarEnd {
    /// Where the spring was drawn to in the last tick.
    drawn_to: Pose,
    /// By what it was stretched then: shift of the shape's centre, and rotation vector.
    stretch: Motion,
}

impl FarEnd {
    /// Of a tool that is where its hand is.
    pub fn new(hand: &Pose) -> Self {
        FarEnd {
            drawn_to: *hand,
            stretch: Motion::zeros(),
        }
    }

    /// Where the spring was drawn to in the last tick.
    pub fn drawn_to(&self) -> &Pose {
        &self.drawn_to
    }

    /// Where the spring is to take the proxy to be, which went from one pose to the other. The end
    /// of a certificate or of a budget is nothing that a hand could feel: what it alone holds back
    /// (`ahead`: where the proxy would be without, or is felt on a smooth surface) does not stretch
    /// the spring. A surface that is found late would stretch it at once by all of that: its force
    /// comes in by 0.2 m/s.
    pub fn step(
        &mut self,
        feel: &Feel<'_>,
        hand: &Pose,
        [before, proxy]: [&Pose; 2],
        ahead: Option<&Pose>,
    ) -> Pose {
        let length = |motion: &Motion| {
            let (shift, turn) = (motion.fixed_rows::<3>(0), motion.fixed_rows::<3>(3));
            (shift.norm_squared() + feel.gyration_m2 * turn.norm_squared()).sqrt()
        };
        let between = |from: &Pose, to: &Pose| length(&pull_between(feel.shape, from, to));
        let felt = *ahead.unwrap_or(proxy);
        let stretch = pull_between(feel.shape, &felt, hand);
        let wanted_m = length(&stretch);
        // Of a proxy that nothing but contacts holds, the stretch grows by no more than the hand
        // went and the proxy went away from it. One that a certificate held back catches up: it
        // comes, and stretches nothing.
        let pushed_m = between(proxy, hand) - between(before, hand);
        let went_m = pushed_m.max(0.0) + between(&self.drawn_to, hand);
        let found_m = FOUND_M_S * feel.period_s + feel.safe_m;
        let most_m = length(&self.stretch) + went_m + found_m;
        self.drawn_to = *hand;
        self.stretch = stretch;
        if wanted_m > most_m {
            self.stretch = stretch * (most_m / wanted_m);
            return self.behind(feel.shape, hand, &felt);
        }
        felt
    }

    /// Of a tick that cannot tell what holds the tool: the stretch of the tick before.
    pub fn hold(&mut self, shape: &ToolShape, hand: &Pose, proxy: &Pose) -> Pose {
        self.drawn_to = *hand;
        self.behind(shape, hand, proxy)
    }

    /// What is as far behind the hand as the spring is stretched; a tool that does not turn is
    /// turned as `felt` is.
    fn behind(&self, shape: &ToolShape, hand: &Pose, felt: &Pose) -> Pose {
        let (shift, turn): (Vec3, Vec3) = (
            self.stretch.fixed_rows::<3>(0).into_owned(),
            self.stretch.fixed_rows::<3>(3).into_owned(),
        );
        let mut felt = *felt;
        if shape.turns {
            felt.rotation = Quat::from_scaled_axis(-turn) * hand.rotation;
        }
        let centre = transform(hand, &shape.centre) - shift;
        felt.translation.vector = centre - felt.rotation * shape.centre;
        felt
    }
}
