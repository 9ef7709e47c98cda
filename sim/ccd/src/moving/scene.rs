//! First contact among any number of moving bodies.
//!
//! There is one time for the whole scene: the earliest over all pairs. All bodies, including those
//! that touch nothing, must then be placed at that time of their motions
//! ([`Motion::pose_at`](super::Motion::pose_at)). Only this placement is consistent (Redon 2002,
//! section 2.2). Later pairs are searched only up to the earliest contact so far.

use hapticd_geometry::{BroadPhase, SweptBox};

use super::broad::swept_box;
use super::meshes::{Meeting, MovingBody, MovingContact, MovingSearch};

/// A contact of two bodies of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneContact {
    /// Index of the body on side A of the contact.
    pub body_a: u32,
    /// Index of the body on side B of the contact; greater than `body_a`.
    pub body_b: u32,
    /// Contact of the two features.
    pub contact: MovingContact,
}

/// Answer to a first-contact query over a scene.
#[derive(Clone, Copy, Debug)]
pub struct SceneMeeting<'a> {
    /// Up to this time, nothing comes nearer to anything than the clearance (or than it was at the
    /// start).
    pub free_until: f64,
    /// The bodies that end the free time, and how; see [`Meeting`]. `None` if the whole step is
    /// free.
    pub first: Option<(u32, u32, Meeting)>,
    /// All contacts at that time, of all tested pairs, sorted by body indices, then nearest first.
    /// Empty if the whole step is free.
    pub contacts: &'a [SceneContact],
    /// Number of pairs of bodies that passed the broad phase.
    pub pairs: usize,
}

/// Work space of [`SceneSearch::first_contact`].
#[derive(Debug)]
pub struct SceneSearch {
    search: MovingSearch,
    boxes: Vec<SweptBox>,
    pairs: Vec<(u32, u32)>,
    contacts: Vec<SceneContact>,
}

impl SceneSearch {
    /// Work space for at most `capacity` simultaneous contacts of one pair of bodies.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            search: MovingSearch::new(capacity),
            boxes: Vec::new(),
            pairs: Vec::new(),
            contacts: Vec::new(),
        }
    }

    /// The search over pairs, with its counters.
    #[must_use]
    pub fn search(&self) -> &MovingSearch {
        &self.search
    }

    /// Finds the first time at which any two bodies come within `clearance_m` of each other.
    ///
    /// `tested(i, j)`, `i < j`, returns whether two bodies may touch. Connected links, or two
    /// static bodies, need not be tested. The guarantee is that of [`MovingSearch::first_contact`],
    /// for every tested pair. Deterministic: of pairs that meet at the same time, the one with the
    /// smallest indices is the first.
    pub fn first_contact(
        &mut self,
        bodies: &[MovingBody<'_>],
        clearance_m: f64,
        broad: &mut dyn BroadPhase,
        tested: impl Fn(usize, usize) -> bool,
    ) -> SceneMeeting<'_> {
        let half = 0.5 * clearance_m.max(0.0);
        self.boxes.clear();
        let swept = bodies.iter().map(|b| {
            // Slightly enlarged, for the rounding of the sums.
            let margin = (half + b.radius_m) * (1.0 + 1e-12);
            swept_box(b.shape, b.motion, margin)
        });
        self.boxes.extend(swept);
        broad.overlapping(&self.boxes, &mut self.pairs);
        self.pairs.retain(|&(i, j)| tested(i as usize, j as usize));
        let mut free_until = 1.0;
        let mut first: Option<(u32, u32, Meeting)> = None;
        for &(i, j) in &self.pairs {
            let (a, b) = (&bodies[i as usize], &bodies[j as usize]);
            let meeting = self.search.first_contact(a, b, clearance_m, free_until);
            let stops = meeting.first.is_some() || !meeting.certain;
            if stops && (first.is_none() || meeting.free_until < free_until) {
                free_until = meeting.free_until;
                first = Some((i, j, meeting));
            }
        }
        self.contacts.clear();
        if first.is_some() {
            for &(i, j) in &self.pairs {
                let (a, b) = (&bodies[i as usize], &bodies[j as usize]);
                let contacts = self.search.contacts_at(a, b, free_until, clearance_m);
                self.contacts
                    .extend(contacts.iter().map(|&contact| SceneContact {
                        body_a: i,
                        body_b: j,
                        contact,
                    }));
            }
        }
        SceneMeeting {
            free_until,
            first,
            contacts: &self.contacts,
            pairs: self.pairs.len(),
        }
    }
}
