//! How much memory a skin holds.

use super::classes::{Links, Work};
use super::contacts::Contacts;
use super::part::Part;
use super::{Frame, Skin};

/// Of a vector's elements: those that it has room for.
pub(super) fn of<T>(vector: &Vec<T>) -> usize {
    vector.capacity() * size_of::<T>()
}

impl Skin {
    /// Memory that it keeps between meshes, bytes; without grids: for two meshes, of each some 60
    /// for a vertex, 50 for a brick of 7³ cubes that a primitive reaches, 12 more for each further
    /// one, and six for a brick of the domain that none does.
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
        // What is for one brick only is little.
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
