//! The identity behind each object number at the last update, so that data stored for one object is
//! never used for another.
//!
//! Numbers are reused, identities are not. Allocates only if there are more numbers than ever
//! before.

use crate::layout::Contact;
use crate::scene::RayScene;

/// Identities by object number. See the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    identities: Vec<Option<u64>>,
    /// Step in which each identity was first seen.
    since: Vec<u64>,
}

impl Roster {
    /// Whether no object has been added or removed since the last update.
    #[must_use]
    pub fn is_current(&self, scene: &RayScene) -> bool {
        let known = (0..).zip(&self.identities);
        self.identities.len() == scene.len()
            && known
                .into_iter()
                .all(|(id, known)| *known == scene.identity(id))
    }

    /// Records the identities of a scene before step `step`.
    pub fn look(&mut self, scene: &RayScene, step: u64) {
        self.identities.resize(scene.len(), None);
        self.since.resize(scene.len(), step);
        for (object, known) in (0..).zip(&mut self.identities) {
            let now = scene.identity(object);
            if *known != now {
                *known = now;
                self.since[object as usize] = step;
            }
        }
    }

    /// Whether the object that has this number now also had it at the last update.
    #[must_use]
    pub fn stays(&self, scene: &RayScene, object: u32) -> bool {
        let known = self.identities.get(object as usize).copied().flatten();
        known.is_some() && known == scene.identity(object)
    }

    /// Whether both objects of a contact found in step `step` existed then, and still did at the
    /// last update.
    #[must_use]
    pub fn knows(&self, contact: &Contact, step: u64) -> bool {
        [contact.source, contact.target].iter().all(|&object| {
            let known = self.identities.get(object as usize).copied().flatten();
            known.is_some() && self.since[object as usize] <= step
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hapticd_geometry::{Pose, shapes};

    use super::*;
    use crate::shape::{Shape, Topology};

    #[test]
    fn a_number_that_is_used_again_is_another_object() {
        let ball = shapes::icosphere(0.01, 1).unwrap();
        let ball = Arc::new(Shape::new(&ball, Topology::Volume, 0).unwrap());
        let mut scene = RayScene::new();
        let add = |scene: &mut RayScene| {
            let added = scene.add_rigid(ball.clone(), &Pose::identity(), false);
            added.unwrap()
        };
        let [a, b] = [add(&mut scene), add(&mut scene)];
        let contact = Contact {
            source: a,
            target: b,
            ..Contact::default()
        };
        let mut roster = Roster::default();
        assert!(!roster.knows(&contact, 9) && !roster.stays(&scene, a));
        roster.look(&scene, 3);
        assert!(roster.is_current(&scene));
        roster.look(&scene, 4);
        assert!(roster.knows(&contact, 3) && !roster.knows(&contact, 2));
        scene.remove(a).unwrap();
        assert!(!roster.stays(&scene, a) && roster.stays(&scene, b));
        assert!(!roster.is_current(&scene));
        roster.look(&scene, 5);
        assert!(!roster.knows(&contact, 9));
        // The number is reused only after a step without it.
        scene.begin_step();
        assert_eq!(scene.next(), b + 1);
        scene.begin_step();
        assert_eq!(scene.next(), a);
        assert_eq!(add(&mut scene), a);
        assert!(!roster.is_current(&scene));
        roster.look(&scene, 6);
        assert!(roster.knows(&contact, 6) && !roster.knows(&contact, 5));
        scene.remove(b).unwrap();
        roster.look(&scene, 7);
        assert!(!roster.knows(&contact, 9));
    }
}
