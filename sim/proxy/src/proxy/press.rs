//! What pressing does to the others: a tool gives way to tools, and bodies get a push.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the arms and the contacts of a
//! tick.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, transform};

use super::{Proxy, pull_between};
use crate::bodies::BodyTable;
use crate::interaction::Interaction;

/// A force that is cut off by more than this counts as cut off by so much: twist would weigh
/// without bound.
const MAX_CUT: f64 = 100.0;

impl Proxy {
    /// The goal, with what other tools press this one with: see [`crate::together`].
    pub(super) fn give_way(&self, mut goal: Pose) -> Pose {
        if self.yields == Motion::zeros() {
            return goal;
        }
        let pull = pull_between(&self.shape, &self.proxy, &goal) + self.yields;
        let (shift, turn) = (pull.fixed_rows::<3>(0), pull.fixed_rows::<3>(3));
        if self.shape.turns {
            goal.rotation = Quat::from_scaled_axis(turn) * self.proxy.rotation;
        }
        let centre = transform(&self.proxy, &self.shape.centre) + shift;
        goal.translation.vector = centre - goal.rotation * self.shape.centre;
        goal
    }

    /// Twist over stretch, m²: how the coupling that pulls by this weighs them. A spring whose
    /// force the governor cuts off pulls with less than it is stretched by, and its twist counts
    /// for more. With this metric the proxy rests where what is left of the force and the whole
    /// torque are the contacts'.
    pub(super) fn gyration_m2(&self, pull: &Motion, period_s: f64) -> f64 {
        let gains = self.coupling.gains();
        let gyration_m2 = (self.intent).gyration_m2(&gains, &self.shape, period_s);
        let force_n = self.coupling.stiffness_n_per_m() * pull.fixed_rows::<3>(0).norm();
        match self.coupling.most_n() {
            most_n if force_n > most_n && self.intent.interaction() == Interaction::Spring => {
                gyration_m2 * (force_n / most_n).min(MAX_CUT)
            }
            _ => gyration_m2,
        }
    }

    /// Tells the bodies what this tick's contacts pushed them with.
    pub fn push_back(&self, bodies: &mut BodyTable, period_s: f64) {
        let stiffness = self.coupling.stiffness_n_per_m();
        let gains = self.coupling.gains();
        let scale = self.intent.newtons_per_metre(&gains, stiffness, period_s);
        for (key, point, push) in &self.loads[..self.load_count] {
            let behind = (stiffness, self.hand_m_s);
            bodies.push(*key, point, &(push * -scale), period_s, behind);
        }
    }
}
