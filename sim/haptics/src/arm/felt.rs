//! What of the proxy the hand feels: its contacts, and never the end of a certificate.
//!
//! Real-time callable: no allocation, no blocking, constant time.

use hapticd_dynamics::Motion;
use hapticd_geometry::{Pose, Quat, transform};

use super::{Arm, pull_between};
use crate::interaction::Interaction;

/// How fast a surface that was found late comes in, m/s: as fast as a soft one may come.
const FOUND_M_S: f64 = 0.2;

impl Arm {
    /// Where the coupling is to take the proxy to be, which was at `before`. The end of a
    /// certificate is nothing that a hand could feel: what it alone holds back (`ahead`: where the
    /// proxy would be without, or is felt on a smooth surface) does not stretch the spring. A surface that is found late would
    /// stretch it at once by all of that: its force comes in by [`FOUND_M_S`].
    pub(super) fn felt(
        &mut self,
        hand: &Pose,
        before: &Pose,
        ahead: Option<&Pose>,
        period_s: f64,
    ) -> Pose {
        let gyration_m2 = self.coupling.gains().gyration_m2().unwrap_or(0.0);
        let length = |motion: &Motion| {
            let (shift, turn) = (motion.fixed_rows::<3>(0), motion.fixed_rows::<3>(3));
            (shift.norm_squared() + gyration_m2 * turn.norm_squared()).sqrt()
        };
        let between = |from: &Pose, to: &Pose| length(&pull_between(&self.shape, from, to));
        // The hand of a tool that goes by increments is wherever the tool is.
        let ahead = ahead.filter(|_| self.intent.interaction() != Interaction::Increments);
        let mut felt = *ahead.unwrap_or(&self.proxy);
        let stretch = pull_between(&self.shape, &felt, hand);
        let wanted_m = length(&stretch);
        // Of a proxy that nothing but contacts holds, the stretch grows by no more than the hand
        // went and the proxy went away from it. One that a certificate held back catches up: it
        // comes, and stretches nothing.
        let pushed_m = between(&self.proxy, hand) - between(before, hand);
        let went_m = pushed_m.max(0.0) + between(&self.drawn_to, hand);
        let found_m = FOUND_M_S * period_s + self.distances.safe_m;
        let most_m = length(&self.stretch) + went_m + found_m;
        self.drawn_to = *hand;
        self.stretch = stretch;
        if wanted_m > most_m {
            self.stretch = stretch * (most_m / wanted_m);
            let (shift, turn) = (
                self.stretch.fixed_rows::<3>(0),
                self.stretch.fixed_rows::<3>(3),
            );
            if self.shape.turns {
                felt.rotation = Quat::from_scaled_axis(-turn) * hand.rotation;
            }
            let centre = transform(hand, &self.shape.centre) - shift;
            felt.translation.vector = centre - felt.rotation * self.shape.centre;
        }
        felt
    }
}
