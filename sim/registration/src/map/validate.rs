//! Validation of a map: links, orbits, levels, attributes.
//!
//! For tests and diagnosis. Allocates, takes time proportional to the map, changes nothing.

use super::{Dart, Map, NONE};

/// A fault of a map, which is a bug in this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A link leads to a dart that does not exist or that does not lead back as it must.
    #[error("dart {dart}: {law} is broken")]
    Link {
        /// The dart.
        dart: u32,
        /// The law that is broken.
        law: &'static str,
    },
    /// The darts numbered as a k-cell's are not those that the links reach.
    #[error(
        "dart {dart}: its {what} has {numbered} darts, its links lead to {linked}, or some are another's"
    )]
    Orbit {
        /// The dart.
        dart: u32,
        /// "vertex", "edge", "face" or "cell".
        what: &'static str,
        /// Number of darts by index.
        numbered: usize,
        /// Number of darts by links.
        linked: usize,
    },
    /// The darts of an edge or of a face have different labels or different obstacle marks.
    #[error("dart {dart}: {law} is broken")]
    Label {
        /// The dart.
        dart: u32,
        /// The law that is broken.
        law: &'static str,
    },
    /// The forest of refined cells does not fit the leaves.
    #[error("cell {cell}: {law} is broken")]
    Forest {
        /// The cell.
        cell: u32,
        /// The law that is broken.
        law: &'static str,
    },
}

impl Map {
    /// Checks everything that a map promises.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), Fault> {
        for d in self.all_darts() {
            self.check_links(d)?;
        }
        let mut orbit = Vec::new();
        for d in self.all_darts() {
            self.vertex_orbit(d, &mut orbit);
            self.check_orbit(d, "vertex", &orbit, |m, x| m.vertex(x).0)?;
            self.edge_orbit(d, &mut orbit);
            self.check_orbit(d, "edge", &orbit, |m, x| m.edge(x).0)?;
            self.face_orbit(d, &mut orbit);
            self.check_orbit(d, "face", &orbit, |m, x| m.face(x).0)?;
            self.cell_orbit(d, &mut orbit);
            self.check_orbit(d, "cell", &orbit, |m, x| m.cell(x).0)?;
            self.check_labels(d)?;
        }
        self.check_forest()
    }

    fn check_links(&self, d: Dart) -> Result<(), Fault> {
        let fault = |law| Err(Fault::Link { dart: d.0, law });
        let linked = [self.phi1(d), self.phi_1(d), self.phi2(d), self.phi3(d)];
        if !linked.iter().all(|&x| self.has_dart(x)) {
            return fault("every link leads to a dart");
        }
        if self.phi_1(self.phi1(d)) != d || self.phi1(self.phi_1(d)) != d {
            return fault("phi1 is a permutation");
        }
        if self.phi2(self.phi2(d)) != d || self.phi3(self.phi3(d)) != d {
            return fault("phi2 and phi3 are involutions");
        }
        if self.solid() && self.phi2(d) == d {
            return fault("volumes are closed");
        }
        if !self.solid() && self.phi3(d) != d {
            return fault("there is nothing beyond in dimension 2");
        }
        let far = self.phi3(d);
        if far != d && self.phi3(self.phi1(d)) != self.phi_1(far) {
            return fault("phi3 after phi1 is an involution");
        }
        if far == d && self.phi3(self.phi1(d)) != self.phi1(d) {
            return fault("the boundary has whole faces");
        }
        let end = self.vertex(self.phi1(d));
        if self.vertex(d) == end {
            return fault("an edge has two ends");
        }
        for other in [self.phi2(d), far] {
            if other != d && self.vertex(other) != end {
                return fault("both darts of an edge have the same ends");
            }
        }
        if self.cell(self.phi1(d)) != self.cell(d)
            || (self.solid() && self.cell(self.phi2(d)) != self.cell(d))
        {
            return fault("a cell is closed under its links");
        }
        Ok(())
    }

    fn check_orbit(
        &self,
        d: Dart,
        what: &'static str,
        orbit: &[u32],
        number: impl Fn(&Map, Dart) -> u32,
    ) -> Result<(), Fault> {
        let id = number(self, d);
        let chain = match what {
            "vertex" => &self.vertices,
            "edge" => &self.edges,
            "face" if self.solid() => &self.faces,
            _ => &self.cells,
        };
        let numbered = chain.darts(id).count();
        let all_its_own = orbit.iter().all(|&x| number(self, Dart(x)) == id);
        if id == NONE || !all_its_own || numbered != orbit.len() {
            return Err(Fault::Orbit {
                dart: d.0,
                what,
                numbered,
                linked: orbit.len(),
            });
        }
        Ok(())
    }

    fn check_labels(&self, d: Dart) -> Result<(), Fault> {
        let fault = |law| Err(Fault::Label { dart: d.0, law });
        let label = self.edge_label[d.index()];
        if self
            .edge_darts(self.edge(d))
            .any(|x| self.edge_label[x.index()] != label)
        {
            return fault("all darts of an edge have one label");
        }
        let label = self.face_label[d.index()];
        if self.solid() {
            if self
                .face_darts(self.face(d))
                .any(|x| self.face_label[x.index()] != label)
            {
                return fault("all darts of a face have one label");
            }
            let obstacle = self.is_obstacle(d);
            if self
                .face_darts(self.face(d))
                .any(|x| self.is_obstacle(x) != obstacle)
            {
                return fault("all darts of a face are obstacles or none is");
            }
        } else if self.is_obstacle(self.phi2(d)) != self.is_obstacle(d) {
            return fault("both darts of an edge are obstacles or none is");
        }
        Ok(())
    }

    fn check_forest(&self) -> Result<(), Fault> {
        let mut leaves = 0;
        for (i, record) in self.records.iter().enumerate() {
            let cell = i as u32;
            let fault = |law| Err(Fault::Forest { cell, law });
            let leaf = self.cells.head(cell) != NONE;
            leaves += usize::from(leaf);
            let parent = record.children.iter().any(|&c| c != NONE);
            if record.alive != (leaf || parent) || (leaf && parent) {
                return fault("a cell has either darts or children");
            }
            for &child in record.children.iter().filter(|&&c| c != NONE) {
                let of = &self.records[child as usize];
                if of.parent != cell || of.level != record.level + 1 || !of.alive {
                    return fault("a child knows its parent and is a level above");
                }
            }
            if leaf && self.space != super::Space::Surface {
                // Up to rounding, for which the box was drawn in.
                let room = self.inner_of(super::Cell(cell)).0 - self.cores[i].inner;
                if room.iter().any(|&x| x < -2.0 * self.tolerance_m) {
                    return fault("the box well inside a leaf is inside it");
                }
            }
            if leaf
                && self
                    .cell_darts(super::Cell(cell))
                    .all(|d| self.dart_level(d) > record.level)
            {
                return fault("a leaf has darts of its level");
            }
        }
        if leaves != self.leaves {
            return Err(Fault::Forest {
                cell: NONE,
                law: "leaves are counted",
            });
        }
        Ok(())
    }

    /// Collects the darts that start where `d` does, by links alone.
    pub(crate) fn vertex_orbit(&self, d: Dart, out: &mut Vec<u32>) {
        self.closure(d, out, |m, x| {
            let before = m.phi_1(x);
            let turn = |link: Dart| if link == before { x } else { link };
            let next = |across: Dart| if across == x { x } else { m.phi1(across) };
            [
                turn(m.phi2(before)),
                turn(m.phi3(before)),
                next(m.phi2(x)),
                next(m.phi3(x)),
            ]
        });
    }

    pub(crate) fn edge_orbit(&self, d: Dart, out: &mut Vec<u32>) {
        self.closure(d, out, |m, x| [m.phi2(x), m.phi3(x), x, x]);
    }

    fn face_orbit(&self, d: Dart, out: &mut Vec<u32>) {
        self.closure(d, out, |m, x| [m.phi1(x), m.phi_1(x), m.phi3(x), x]);
    }

    fn cell_orbit(&self, d: Dart, out: &mut Vec<u32>) {
        self.closure(d, out, |m, x| {
            let across = if m.solid() { m.phi2(x) } else { x };
            [m.phi1(x), m.phi_1(x), across, x]
        });
    }

    /// Collects all darts that links reach from `d`, each once.
    fn closure(&self, d: Dart, out: &mut Vec<u32>, links: impl Fn(&Map, Dart) -> [Dart; 4]) {
        out.clear();
        out.push(d.0);
        let mut seen = std::collections::HashSet::from([d.0]);
        let mut done = 0;
        while let Some(&x) = out.get(done) {
            done += 1;
            for y in links(self, Dart(x)) {
                if seen.insert(y.0) {
                    out.push(y.0);
                }
            }
        }
    }
}
