//! Refinement and merging by density: crowded and empty cells, a few at a time.
//!
//! The thesis refines by density and gives neither thresholds nor a rule against oscillation
//! (Pitiot 2015, sections 6.1 and 8.3.3). Here a leaf is refined when more than `split` entities of
//! one kind cross it, and siblings are merged when fewer than `merge` cross them together. With
//! `merge <= split / 2`, cells that have just been refined are not merged, and vice versa, while
//! nothing moves. Only cells with a changed population are examined, and at most `budget` of them
//! change in a step.
//!
//! For a thread without real-time demands, or for its slack. A step is bounded by `budget` times
//! the population of a cell and its ring.

use crate::map::{Cell, MAX_LEVEL};
use crate::registration::{Kind, Registration};

/// Criterion by which cells change their level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Density {
    /// Kind of entity that is counted.
    pub kind: Kind,
    /// A leaf with more than this is refined.
    pub split: usize,
    /// Siblings with fewer than this together are merged; at most half of `split`.
    pub merge: usize,
    /// Deepest level to which leaves are refined.
    pub finest: u8,
    /// Lowest level to which leaves are merged.
    pub coarsest: u8,
    /// Most cells refined or merged in a step.
    pub budget: usize,
    /// If true, cells that share a vertex differ by at most one level. Neighbours that are too
    /// coarse are refined first, and siblings next to a finer cell are not merged.
    pub balanced: bool,
}

/// Why a criterion is invalid. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DensityError {
    /// Merged cells would be refined again.
    #[error("merging below {merge} and splitting above {split} alternates: use at most half")]
    Hysteresis {
        /// The given value.
        split: usize,
        /// The given value.
        merge: usize,
    },
    /// The levels are in the wrong order, or too many.
    #[error("levels {coarsest} to {finest} must rise to at most {MAX_LEVEL}")]
    Levels {
        /// The given value.
        coarsest: u8,
        /// The given value.
        finest: u8,
    },
}

/// Result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scaled {
    /// Cells refined.
    pub refined: usize,
    /// Families of siblings merged.
    pub merged: usize,
    /// Whether work is left for the next step.
    pub more: bool,
}

/// Refines and merges cells by [`Density`].
#[derive(Clone, Debug)]
pub struct Scaler {
    density: Density,
    later: Vec<Cell>,
    ring: Vec<Cell>,
    marks: crate::map::Marks,
}

impl Scaler {
    /// Creates a scaler with this criterion.
    ///
    /// # Errors
    /// See [`DensityError`].
    pub fn new(density: Density) -> Result<Self, DensityError> {
        let Density {
            split,
            merge,
            coarsest,
            finest,
            ..
        } = density;
        if merge > split / 2 {
            return Err(DensityError::Hysteresis { split, merge });
        }
        if coarsest > finest || finest > MAX_LEVEL {
            return Err(DensityError::Levels { coarsest, finest });
        }
        Ok(Scaler {
            density,
            later: Vec::new(),
            ring: Vec::new(),
            marks: crate::map::Marks::default(),
        })
    }

    /// Returns the criterion.
    #[must_use]
    pub fn density(&self) -> Density {
        self.density
    }

    /// Sets the finest level, not below the coarsest. Leaves that are already finer stay.
    pub(crate) fn set_finest(&mut self, finest: u8) {
        self.density.finest = finest.clamp(self.density.coarsest, MAX_LEVEL);
    }

    /// Sets the budget.
    pub(crate) fn set_budget(&mut self, budget: usize) {
        self.density.budget = budget;
    }

    /// Examines the cells in which the population has changed since the last step.
    pub fn step(&mut self, registration: &mut Registration) -> Scaled {
        let mut scaled = Scaled::default();
        self.later.clear();
        while let Some(c) = registration.take_touched() {
            if !registration.map().has_cell(c) || !registration.map().is_leaf(c) {
                continue;
            }
            if scaled.refined + scaled.merged >= self.density.budget {
                self.later.push(c);
                continue;
            }
            if self.crowded(registration, c) {
                self.refine(registration, c, &mut scaled);
                if registration.map().is_leaf(c) {
                    // The budget was spent on coarser neighbours.
                    self.later.push(c);
                }
            } else if let Some(parent) = self.mergeable_parent(registration, c)
                && registration.coarsen(parent).is_ok()
            {
                scaled.merged += 1;
                // The parent's own family may be empty now; if levels are balanced, so may be the
                // families that it kept from merging.
                registration.touch(parent);
                if self.density.balanced {
                    self.ring.clear();
                    registration
                        .map()
                        .ring(parent, &mut self.marks, &mut self.ring);
                    for &b in &self.ring {
                        registration.touch(b);
                    }
                }
            }
        }
        scaled.more = !self.later.is_empty();
        for &c in &self.later {
            registration.touch(c);
        }
        scaled
    }

    fn crowded(&self, registration: &Registration, c: Cell) -> bool {
        registration.population(c, self.density.kind) > self.density.split
            && registration.map().cell_level(c) < self.density.finest
            && registration.map().can_refine(c).is_ok()
    }

    /// Refines a leaf, after neighbours that are too coarse.
    fn refine(&mut self, registration: &mut Registration, c: Cell, scaled: &mut Scaled) {
        if self.density.balanced {
            let level = registration.map().cell_level(c);
            let mut ring = std::mem::take(&mut self.ring);
            loop {
                ring.clear();
                registration.map().ring(c, &mut self.marks, &mut ring);
                let coarse = ring.iter().copied().find(|&b| {
                    registration.map().cell_level(b) < level
                        && registration.map().can_refine(b).is_ok()
                });
                let Some(b) = coarse else { break };
                if scaled.refined + scaled.merged >= self.density.budget {
                    self.ring = ring;
                    return;
                }
                self.refine(registration, b, scaled);
            }
            self.ring = ring;
        }
        if scaled.refined + scaled.merged < self.density.budget && registration.refine(c).is_ok() {
            scaled.refined += 1;
        }
    }

    /// Returns the parent of a leaf if all its children may be merged.
    fn mergeable_parent(&mut self, registration: &Registration, c: Cell) -> Option<Cell> {
        let map = registration.map();
        let parent = map.parent(c)?;
        if map.cell_level(parent) < self.density.coarsest || map.can_coarsen(parent).is_err() {
            return None;
        }
        let together: usize = map
            .children(parent)
            .map(|s| registration.population(s, self.density.kind))
            .sum();
        if together >= self.density.merge {
            return None;
        }
        if self.density.balanced {
            let level = map.cell_level(c);
            for sibling in map.children(parent) {
                self.ring.clear();
                map.ring(sibling, &mut self.marks, &mut self.ring);
                if self.ring.iter().any(|&b| map.cell_level(b) > level) {
                    return None;
                }
            }
        }
        Some(parent)
    }
}
