//! What pressed in the last step, so that the same contact starts from it in this one.
//!
//! A contact is known again by its key (the two spheres; a sphere and a wall; a sphere and the caller's obstacles; a probe and the sphere that carries most)
//! and a normal that has hardly turned. No allocation once grown.

use super::unilateral::Load;
use crate::Vec3;

/// Cosine up to which two normals are of one contact.
const SAME_WAY: f64 = 0.9;

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// By key, then in the order of the rows.
    known: Vec<(u64, u32, Load)>,
}

impl Memory {
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// A contact of the step that is over; `scale` brings its load to the new substep's length.
    pub fn add(&mut self, key: u64, load: &Load, scale: f64) {
        if load.along > 0.0 {
            let order = self.known.len() as u32;
            let load = Load {
                along: load.along * scale,
                across: load.across * scale,
                // Kept across steps, what was left unmended once would be asked for under another normal, and tools tremble.
                slip: Vec3::zeros(),
                ..*load
            };
            self.known.push((key, order, load));
        }
    }

    pub fn sort(&mut self) {
        (self.known).sort_unstable_by_key(|(key, order, _)| (*key, *order));
    }

    /// What a contact pressed with; nothing if it did not. Each memory serves once.
    pub fn recall(&mut self, key: u64, normal: &Vec3) -> Load {
        let first = self.known.partition_point(|k| k.0 < key);
        for (_, _, load) in self.known[first..].iter_mut().take_while(|k| k.0 == key) {
            if load.along > 0.0 && load.normal.dot(normal) >= SAME_WAY {
                return core::mem::take(load);
            }
        }
        Load::default()
    }
}
