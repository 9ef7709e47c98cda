//! What pressing does to the others: a tool gives way to tools, and bodies get a push.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the arms and the contacts of a tick.

use hapticd_dynamics::Motion;
use hapticd_geometry::{Pose, Quat, transform};

use super::{Arm, pull_between};
use crate::bodies::BodyTable;

impl Arm {
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
