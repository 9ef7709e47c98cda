//! Reaction of pressing: a tool gives way to other tools, and bodies receive pushes.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the arms and the contacts of a
//! tick.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, transform};

use super::Proxy;
use crate::bodies::BodyTable;
use crate::interaction::Interaction;
use crate::motion::pull_between;

/// Largest factor of a force cut-off in the metric; without it the weight of twist is unbounded.
const MAX_CUT: f64 = 100.0;

impl Proxy {
    /// Returns the goal after giving way to the other tools that press this one: see
    /// [`crate::together`].
    pub(super) fn yielded_goal(&self, mut goal: Pose) -> Pose {
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

    /// Returns twist over stretch, m²: their weights in the coupling at this pull.
    ///
    /// If the governor cuts off a spring's force, the spring pulls with less than its stretch, and
    /// its twist weighs more. With this metric the proxy rests where the contacts balance the
    /// remaining force and the whole torque.
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

    /// Passes the pushes of this tick's contacts to the bodies.
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
