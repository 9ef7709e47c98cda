//! Walking coarser levels by labels. Only the finest level has links.
//!
//! Pitiot 2015, section 3.2.2, and the public library that it names. All of these functions take
//! and return a dart that was inserted at `level` or before. The halves of a cut edge keep its
//! label, and edges inserted at a middle have another one. So turning around a middle until the
//! label appears again leads to the other half.
//!
//! No allocation; the cost is the number of darts in between. Any thread.

use super::{Dart, Map};

impl Map {
    /// Returns `phi1` at a level.
    #[must_use]
    pub fn next_at(&self, level: u8, d: Dart) -> Dart {
        let label = self.edge_label[d.index()];
        let mut it = d;
        loop {
            it = self.phi1(it);
            if self.dart_level(it) <= level {
                return it;
            }
            while self.edge_label[it.index()] != label {
                it = self.phi1(self.across_in_face(it));
            }
        }
    }

    /// Returns the inverse of `phi1` at a level.
    #[must_use]
    pub fn previous_at(&self, level: u8, d: Dart) -> Dart {
        let mut it = self.phi_1(d);
        let label = self.edge_label[it.index()];
        loop {
            if self.dart_level(it) <= level {
                return it;
            }
            it = self.phi_1(it);
            while self.edge_label[it.index()] != label {
                it = self.phi_1(self.across_in_face(it));
            }
        }
    }

    /// Returns `phi2` at a level; `d` itself on the boundary of a map of dimension 2.
    #[must_use]
    pub fn across_at(&self, level: u8, d: Dart) -> Dart {
        if self.phi2(d) == d {
            return d;
        }
        self.phi2(self.last_part(level, d))
    }

    /// Returns `phi3` at a level; `d` itself on the boundary.
    #[must_use]
    pub fn beyond_at(&self, level: u8, d: Dart) -> Dart {
        if self.phi3(d) == d {
            return d;
        }
        self.phi3(self.last_part(level, d))
    }

    /// Returns the last of the darts into which a dart's edge at a level has been cut, on this
    /// side.
    fn last_part(&self, level: u8, d: Dart) -> Dart {
        let mut last = d;
        self.parts_at(level, d, |part| last = part);
        last
    }

    /// Visits the darts into which a dart's edge at a level has been cut, on this side, in order.
    pub(crate) fn parts_at(&self, level: u8, d: Dart, mut part: impl FnMut(Dart)) {
        let label = self.edge_label[d.index()];
        let mut it = d;
        loop {
            part(it);
            it = self.phi1(it);
            if self.dart_level(it) <= level {
                return;
            }
            while self.edge_label[it.index()] != label {
                it = self.phi1(self.across_in_face(it));
            }
        }
    }

    /// Crosses an edge that was inserted in a face, to the part of that face on the other side,
    /// past the faces that end there inside the volume.
    fn across_in_face(&self, d: Dart) -> Dart {
        let mut it = self.phi2(d);
        if self.solid() {
            let label = self.face_label[d.index()];
            while self.face_label[it.index()] != label {
                it = self.phi2(self.phi3(it));
            }
        }
        it
    }
}
