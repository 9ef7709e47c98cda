//! Memory use of a skin.

use super::classes::{Links, Work};
use super::contacts::Contacts;
use super::part::Part;
use super::{Frame, Skin};

/// Allocated size of a vector's buffer, bytes.
pub(super) fn of<T>(vector: &Vec<T>) -> usize {
    vector.capacity() * size_of::<T>()
}

impl Skin {
    /// Memory kept between meshes, bytes, without grids. It holds two meshes. Each takes some 60
    /// per vertex, 50 per brick of 7³ cubes that a primitive reaches, 12 more for each further
    /// primitive there, and six per brick of the domain that none reaches.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let triangles = (self.triangles.iter()).map(|of_part| of(&of_part.triangles));
        let own = of(&self.changed) + of(&self.seen) + of(&self.triangles);
        own + triangles.sum::<usize>() + self.now.bytes() + self.before.bytes()
    }
}

impl Frame {
    fn bytes(&self) -> usize {
        let parts = self.parts.iter().map(Part::bytes);
        of(&self.primitives)
            + self.links.bytes()
            + self.contacts.bytes()
            + self.lists.bytes()
            + of(&self.balls)
            + of(&self.order)
            + of(&self.found)
            + of(&self.bricks)
            + of(&self.parts)
            + parts.sum::<usize>()
    }
}

impl Part {
    fn bytes(&self) -> usize {
        of(&self.found)
            + of(&self.bricks)
            + of(&self.points)
            + of(&self.normals)
            + of(&self.touching)
            + self.work.bytes()
            + self.union.bytes()
    }
}

impl Work {
    fn bytes(&self) -> usize {
        // The work space of a single brick is small and not counted.
        of(&self.mixed)
            + of(&self.named)
            + of(&self.named_of)
            + of(&self.triangles)
            + of(&self.foreign)
    }
}

impl Links {
    fn bytes(&self) -> usize {
        of(&self.first) + of(&self.neighbours)
    }
}

impl Contacts {
    fn bytes(&self) -> usize {
        of(&self.bodies) + of(&self.pairs)
    }
}
