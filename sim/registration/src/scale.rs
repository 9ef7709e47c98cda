//! Which cells are refined and which merged: crowded ones and empty ones, a few at a time.
//!
//! The thesis refines by density and gives neither thresholds nor a rule against going back and
//! forth (Pitiot 2015, sections 6.1 and 8.3.3). Here: a leaf is refined when more than `split`
//! entities of one kind cross it; siblings are merged when fewer than `merge` cross them together.
//! With `merge <= split / 2` what has just been refined is not merged, nor the other way round,
//! while nothing moves. Only cells whose population has changed are looked at, at most `budget` of
//! them change in a step.
//!
//! Off the real-time thread or in its slack: a step is bounded by `budget` times the population of
//! a cell and its ring.

use crate::map::{Cell, MAX_LEVEL};
use crate::registration::{Kind, Registration};

/// When cells change their level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Density {
    /// What is counted.
    pub kind: Kind,
    /// More than so many in a leaf refine it.
    pub split: usize,
    /// Fewer than so many in siblings together merge them; at most half of `split`.
    pub merge: usize,
    /// No leaf is refined to beyond this level.
    pub finest: u8,
    /// No leaf is merged to below this level.
    pub coarsest: u8,
    /// At most so many cells are refined or merged in a step.
    pub budget: usize,
    /// Whether cells that share a vertex may be a level apart at most: what is too coarse beside
    /// one to be refined is refined first, and siblings beside a finer one are not merged.
    pub balanced: bool,
}

/// Why there is no such criterion. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DensityError {
    /// What is merged would be refined again.
    #[error("merging below {merge} and splitting above {split} goes back and forth: at most half")]
    Hysteresis {
        /// As given.
        split: usize,
        /// As given.
        merge: usize,
    },
    /// The levels are the wrong way round, or too many.
    #[error("levels {coarsest} to {finest}: rising, and at most {MAX_LEVEL}")]
    Levels {
        /// As given.
        coarsest: u8,
        /// As given.
        finest: u8,
    },
}

/// What a step has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scaled {
    /// Cells.
    pub refined: usize,
    /// Families.
    pub merged: usize,
    /// Whether something is left to do for the next step.
    pub more: bool,
}

/// Refines and merges by [`Density`].
#[derive(Clone, Debug)]
pub struct Scaler {
    density: Density,
    later: Vec<Cell>,
    ring: Vec<Cell>,
    marks: crate::map::Marks,
}

impl Scaler {
    /// By this criterion.
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

    /// The criterion.
    #[must_use]
    pub fn density(&self) -> Density {
        self.density
    }

    /// Another finest level from now on, not below the coarsest. What is finer already stays.
    pub(crate) fn set_finest(&mut self, finest: u8) {
        self.density.finest = finest.clamp(self.density.coarsest, MAX_LEVEL);
    }

    /// Another budget from now on.
    pub(crate) fn set_budget(&mut self, budget: usize) {
        self.density.budget = budget;
    }

    /// Looks at the cells whose population has changed since the last step.
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
                    // The budget went to coarser ones beside it.
                    self.later.push(c);
                }
            } else if let Some(parent) = self.deserted(registration, c)
                && registration.coarsen(parent).is_ok()
            {
                scaled.merged += 1;
                // Its own family may be empty now, and if levels are balanced those that it kept
                // from merging.
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

    /// Refines a leaf, those that are too coarse beside it first.
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

    /// The parent of a leaf whose siblings may all be merged.
    fn deserted(&mut self, registration: &Registration, c: Cell) -> Option<Cell> {
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
