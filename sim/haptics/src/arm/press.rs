//! What pressing does to the others: tools that press tools, and the push that bodies get.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the arms and the contacts of a tick.

use hapticd_geometry::{Pose, Vec3, transform};

use super::Arm;
use crate::bodies::BodyTable;
use crate::interaction::Interaction;
use crate::outcome::ArmOutcome;

/// What one tool presses another one with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    /// Unit, from the tool that presses to the other.
    pub direction: Vec3,
    /// How far its hand is ahead of it that way, m.
    pub demand_m: f64,
    /// Of its coupling.
    pub stiffness_n_per_m: f64,
}

impl Arm {
    /// The goal, with what other tools press this one with.
    ///
    /// Two hands that press tools against each other are two springs in series: where the tools meet, both springs pull equally. So along the
    /// direction of contact a pressed tool wants what both hands want together, each by its stiffness. The tool that presses follows in the next
    /// tick. A tool with a mass, and one that goes by increments, do not give way: to others they are walls.
    pub(super) fn give_way(&self, mut goal: Pose) -> Pose {
        if self.intent.interaction() != Interaction::Spring {
            return goal;
        }
        let own = self.coupling.stiffness_n_per_m();
        for press in self.pressed.iter().flatten() {
            let way =
                transform(&goal, &self.shape.centre) - transform(&self.proxy, &self.shape.centre);
            let wanted = way.dot(&press.direction);
            let both = own + press.stiffness_n_per_m;
            if press.demand_m > wanted && both > 0.0 {
                let together = (own * wanted + press.stiffness_n_per_m * press.demand_m) / both;
                goal.translation.vector += press.direction * (together - wanted);
            }
        }
        goal
    }

    /// What this tool presses another one with after a tick with this outcome, the hand being at `device`.
    pub fn press_on(&self, other: u32, out: &ArmOutcome, device: &Pose) -> Option<Press> {
        if self.intent.interaction() == Interaction::Increments {
            return None;
        }
        let contact = out.contacts[..out.contact_count]
            .iter()
            .find(|c| c.body == other)?;
        let stretch =
            transform(device, &self.shape.centre) - transform(&self.proxy, &self.shape.centre);
        let demand_m = -stretch.dot(&contact.normal);
        (demand_m > 0.0).then_some(Press {
            direction: -contact.normal,
            demand_m,
            stiffness_n_per_m: self.coupling.stiffness_n_per_m(),
        })
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
