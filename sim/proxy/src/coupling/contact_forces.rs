//! Forces at the contacts: each contact's share of the coupling's force.
//!
//! Real-time callable: no allocation, no blocking, bounded time. Deterministic.
//!
//! # Theory
//!
//! The multipliers of the tick's projection are what each contact holds of the stretch; times the
//! stiffness of its material they are its force (Redon 2002, equations 5.20 to 5.28). With several
//! materials the loads of the directional spring take their place ([`several`](super::Touched)).
//!
//! The hand also feels the damper, a smooth surface's own normal, and a stiffness that glides. What
//! these add is shared out in proportion to the pushes. So the forces at the contacts add up to the
//! coupling's force, and a single contact has all of it.

use hapticd_geometry::Vec3;

use super::several::MAX_ROWS;
use crate::contact::Contact;

/// Pushes of a tick's contacts on the tool, N.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushes {
    /// Row of the projection, and push.
    pushes: [(u8, Vec3); MAX_ROWS],
    count: usize,
}

impl Pushes {
    /// No contact pushes.
    pub const NONE: Pushes = Pushes {
        pushes: [(0, Vec3::new(0.0, 0.0, 0.0)); MAX_ROWS],
        count: 0,
    };

    /// Adds a push; one too many is dropped.
    pub fn add(&mut self, row: u8, push: Vec3) {
        if let Some(place) = self.pushes.get_mut(self.count) {
            *place = (row, push);
            self.count += 1;
        }
    }

    /// Multiplies every push.
    pub fn scale(&mut self, by: f64) {
        for (_, push) in &mut self.pushes[..self.count] {
            *push *= by;
        }
    }

    /// Sets the force at each of these contacts, so that they add up to `force_n`. Without a push
    /// on any of them all forces are zero.
    pub fn share_out(&self, force_n: &Vec3, contacts: &mut [Contact]) {
        let (mut sum, mut weight) = (Vec3::zeros(), 0.0);
        for contact in contacts.iter_mut() {
            let own = self.pushes[..self.count]
                .iter()
                .filter(|(row, _)| *row == contact.row);
            contact.force_n = own.map(|(_, push)| push).sum();
            sum += contact.force_n;
            weight += contact.force_n.norm();
        }
        // Written so that NaN shares nothing out.
        if !(weight > 0.0) {
            return;
        }
        let rest = (force_n - sum) / weight;
        for contact in contacts {
            contact.force_n += rest * contact.force_n.norm();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(row: u8) -> Contact {
        Contact {
            row,
            ..Contact::NONE
        }
    }

    #[test]
    fn the_forces_add_up_and_follow_the_pushes() {
        let mut pushes = Pushes::NONE;
        pushes.add(3, Vec3::z() * 2.0);
        pushes.add(7, Vec3::x());
        // Friction of the first.
        pushes.add(3, Vec3::y() * 0.5);
        // Of a contact that is not reported.
        pushes.add(9, Vec3::y() * 100.0);
        pushes.scale(0.5);
        let mut contacts = [contact(7), contact(1), contact(3)];
        let force_n = Vec3::new(0.6, 0.2, 1.1);
        pushes.share_out(&force_n, &mut contacts);
        let sum: Vec3 = contacts.iter().map(|c| c.force_n).sum();
        assert!((sum - force_n).norm() < 1e-15, "{sum}");
        assert_eq!(contacts[1].force_n, Vec3::zeros());
        let near = |a: Vec3, b: Vec3| (a - b).norm() < 0.15;
        assert!(near(contacts[0].force_n, Vec3::x() * 0.5));
        assert!(near(contacts[2].force_n, Vec3::new(0.0, 0.25, 1.0)));
    }

    #[test]
    fn a_single_contact_has_all_of_the_force() {
        let mut pushes = Pushes::NONE;
        pushes.add(0, Vec3::z());
        let mut contacts = [contact(0)];
        let force_n = Vec3::new(0.3, -0.1, 2.0);
        pushes.share_out(&force_n, &mut contacts);
        assert!((contacts[0].force_n - force_n).norm() < 1e-15);
    }

    #[test]
    fn without_pushes_there_are_no_forces() {
        let mut contacts = [contact(0), contact(1)];
        contacts[0].force_n = Vec3::x();
        Pushes::NONE.share_out(&Vec3::z(), &mut contacts);
        assert!(contacts.iter().all(|c| c.force_n == Vec3::zeros()));
    }
}
