//! Tracking: particles follow their goals through a map. Finds the cell of a point from its
//! previous cell.
//!
//! # Theory
//! A particle has a position, the dart at which it aims, and the orbit of that dart on which it
//! lies ([`State`]). A move is local: its cost is the number of cells in between, whatever the size
//! of the map. The method depends on the space:
//!
//! * **Volumes** (Pitiot 2015, chapter 7, in a corrected form): cells need only be fully visible
//!   from their centres. The planes of the tests go through centres and vertices, never through the
//!   particle. Its position is not used: it tells nothing that its dart does not. The visited cells
//!   are those of a *direction walk*, not of the path. [`Map::march`] gives those of the path. A
//!   goal that the walk does not reach is searched by a march, so that a bay of the boundary is not
//!   a trap. A move that would collide is not made at all.
//! * **Planes** (chapter 4, Jund 2010): cells are convex and the particle moves along the straight
//!   line. The source turns a triangle with its corner at the particle until the goal is in it.
//!   Here the path is cut by the lines of the cell's edges. This finds the same side, needs no
//!   initial state, and copes with neighbours' vertices in the middle of an edge. The particle
//!   stops where it collides.
//! * **Surfaces** (the public library that the source names): the step is laid into the triangle
//!   `(V, S, S')` and turned about each edge that it crosses, so that it stays straight and keeps
//!   its length. [`Map::march_between`] gives the cells between two particles there.
//!
//! # Practice
//! No allocation, no lock, and at most [`MAX_TESTS`] tests. After that the cell, then its ring,
//! then the whole map is searched, and the move counts as a fallback ([`Tally`]). In valid cells
//! this happens only for moves over a thousand cells. The haptic loop uses [`Map::track_bounded`]
//! and [`Map::march_bounded`], which end at the caller's limit and never search. Goals are checked:
//! NaN is refused.

pub(crate) mod exhaustive;
mod march;
mod plane;
mod section;
mod surface;
mod volume;

pub use march::Path;

use hapticd_geometry::Vec3;

use crate::map::{Cell, Dart, Map, Space};

/// Most tests of one move before a full search: enough for a thousand cells, 0.2 ms.
pub const MAX_TESTS: u32 = 16_384;

/// The orbit of its dart on which a particle lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Inside the cell: the volume, or in dimension 2 the face.
    Cell,
    /// On the face between volumes.
    Face,
    /// On the edge.
    Edge,
    /// On the vertex that the dart starts at.
    Vertex,
}

/// A position in a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Position in world axes, m.
    pub position: Vec3,
    /// A dart of the cell that the particle is in.
    pub dart: Dart,
    /// The orbit of the dart on which it lies.
    pub state: State,
}

/// Result of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Outcome {
    /// It reached the goal; on a [`Space::Surface`], the end of the step.
    Reached,
    /// It met an obstacle or the boundary. In a [`Space::Volume`] the particle is where it was; in
    /// dimension 2 it is where it collided.
    Blocked {
        /// Dart of the side that it would have crossed.
        dart: Dart,
        /// Share of the path covered, 0 to 1.
        share: f64,
    },
}

/// Why a particle was not moved or placed. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// The goal is NaN or infinite.
    #[error("{goal:?} is not finite")]
    NotFinite {
        /// The given goal, m.
        goal: [f64; 3],
    },
    /// The particle's dart does not exist: its cell has been refined or merged without the
    /// particle.
    #[error("the particle aims at dart {dart}, which is gone")]
    NoDart {
        /// Index of the dart.
        dart: u32,
    },
    /// There is no cell at the position.
    #[error("{at:?} is in no cell")]
    Outside {
        /// The given position, m.
        at: [f64; 3],
    },
}

/// Cost of moves, since the tally was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of moves.
    pub moves: u64,
    /// Moves that ended in a search of all darts of a cell, its ring or the map.
    pub fallbacks: u64,
    /// Tests of a point against a plane or line, or of a path against a tetrahedron.
    pub tests: u64,
    /// Most tests of one move.
    pub most_tests: u32,
}

/// Tests of a move so far, and their limit.
pub(crate) struct Budget {
    pub(crate) most: u32,
    pub(crate) tests: u32,
}

impl Tally {
    #[inline]
    pub(crate) fn add(&mut self, tests: u32) {
        self.moves += 1;
        self.tests += u64::from(tests);
        self.most_tests = self.most_tests.max(tests);
    }
}

/// Checks that the coordinates of `goal`, m, are finite.
///
/// # Errors
/// [`TrackError::NotFinite`].
pub fn finite(goal: &Vec3) -> Result<(), TrackError> {
    if goal.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        let goal = [goal.x, goal.y, goal.z];
        Err(TrackError::NotFinite { goal })
    }
}

impl Map {
    /// Moves a particle towards a goal, m. See the [module](self) for the three methods. In a plane
    /// the goal's z is ignored.
    ///
    /// # Errors
    /// See [`TrackError`]; then the particle is unchanged.
    pub fn track(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        tally: &mut Tally,
    ) -> Result<Outcome, TrackError> {
        if let Some(outcome) = self.track_bounded(particle, goal, MAX_TESTS, tally)? {
            return Ok(outcome);
        }
        tally.fallbacks += 1;
        let dart = particle.dart;
        let blocked = Outcome::Blocked { dart, share: 0.0 };
        // On a surface the goal is a direction, not a position.
        let found = if self.space() == Space::Surface {
            None
        } else {
            self.search(dart, &self.on_plane(goal))
        };
        Ok(match found {
            // With obstacles only the path could decide: the move is not made if the path may lead
            // through one.
            Some(at) if !self.has_obstacles() || self.cell(at) == self.cell(dart) => {
                *particle = self.settle(at, &self.on_plane(goal));
                Outcome::Reached
            }
            _ => blocked,
        })
    }

    /// [`Map::track`] for the haptic loop: never searches.
    ///
    /// After `most_tests` tests, or up to eight more, it returns `None`, and the particle is
    /// unchanged. Apart from those it visits at most the darts of one cell, and marches through at
    /// most twice as many tetrahedra if the goal is not reached directly. No allocation, no lock,
    /// no clock.
    ///
    /// # Errors
    /// See [`TrackError`]; then the particle is unchanged.
    pub fn track_bounded(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        most_tests: u32,
        tally: &mut Tally,
    ) -> Result<Option<Outcome>, TrackError> {
        if !self.has_dart(particle.dart) {
            finite(goal)?;
            return Err(TrackError::NoDart {
                dart: particle.dart.0,
            });
        }
        if most_tests > 0 && self.well_inside(self.cell(particle.dart), goal) {
            self.stay(particle, goal);
            tally.add(1);
            return Ok(Some(Outcome::Reached));
        }
        finite(goal)?;
        let mut budget = Budget {
            most: most_tests,
            tests: 0,
        };
        let before = *particle;
        let outcome = match self.space() {
            Space::Volume => self.track_volume(particle, goal, &mut budget),
            Space::Plane => self.track_plane(particle, goal, &mut budget),
            Space::Surface => self.track_surface(particle, goal, &mut budget),
        };
        tally.add(budget.tests);
        if outcome.is_none() {
            *particle = before;
        }
        Ok(outcome)
    }

    /// Moves a particle within the box well inside a leaf.
    #[inline]
    pub(crate) fn stay(&self, particle: &mut Particle, goal: &Vec3) {
        let z = if self.solid() {
            goal.z
        } else {
            particle.position.z
        };
        particle.position = Vec3::new(goal.x, goal.y, z);
        particle.state = State::Cell;
    }

    /// Returns a particle at the centre of a leaf.
    ///
    /// # Panics
    /// If the cell is not a leaf.
    #[must_use]
    pub fn particle_in(&self, c: Cell) -> Particle {
        Particle {
            position: self.centre(c),
            dart: self.dart(c),
            state: State::Cell,
        }
    }

    /// Returns a particle at a position, found from a leaf nearby, or by a search of the whole map.
    /// On a surface the position must be on it, within a thousand tolerances.
    ///
    /// # Errors
    /// [`TrackError::NotFinite`], [`TrackError::Outside`].
    ///
    /// # Panics
    /// If `near` is not a leaf.
    pub fn locate(&self, at: &Vec3, near: Cell, tally: &mut Tally) -> Result<Particle, TrackError> {
        finite(at)?;
        let mut particle = self.particle_in(near);
        let reached = if self.space() == Space::Surface {
            false
        } else {
            let goal = self.on_plane(at);
            goal == *at && self.relocate(&mut particle, &goal, tally)
        };
        if reached {
            return Ok(particle);
        }
        tally.fallbacks += 1;
        let dart = self
            .search(self.dart(near), at)
            .ok_or(TrackError::Outside {
                at: [at.x, at.y, at.z],
            })?;
        Ok(self.settle(dart, at))
    }

    /// Projects a point into the plane in a planar space; returns it unchanged in others.
    pub(crate) fn on_plane(&self, p: &Vec3) -> Vec3 {
        if self.space() == Space::Plane {
            let z = self.positions_z();
            Vec3::new(p.x, p.y, z)
        } else {
            *p
        }
    }

    /// Finds the cell of `at` from that of a particle, whatever obstacles lie between. Returns
    /// whether there is one; otherwise the particle is unchanged.
    ///
    /// On a surface the position must be near the particle's cell, and the particle is put on the
    /// nearest point of the surface.
    pub(crate) fn relocate(&self, particle: &mut Particle, at: &Vec3, tally: &mut Tally) -> bool {
        if self.solid() {
            return self.relocate_volume(particle, at, tally);
        }
        if self.space() == Space::Surface {
            let (dart, on) = self.nearest_around(particle.dart, at);
            *particle = self.settle(dart, &on);
            return true;
        }
        if let Path::Reached(dart) = self.march(
            particle.dart,
            &self.centre(self.cell(particle.dart)),
            at,
            |_| {},
        ) {
            *particle = self.settle(dart, at);
            return true;
        }
        tally.fallbacks += 1;
        match self.search(particle.dart, at) {
            Some(dart) => {
                *particle = self.settle(dart, at);
                true
            }
            None => false,
        }
    }

    /// Returns a particle at a point of `T(dart)`, with its state.
    pub(crate) fn settle(&self, dart: Dart, at: &Vec3) -> Particle {
        if self.solid() {
            return self.settle_volume(dart, at);
        }
        let near = self.tolerance_m();
        let (mut particle, mut nearest) = (
            Particle {
                position: *at,
                dart,
                state: State::Cell,
            },
            f64::INFINITY,
        );
        for d in [dart, self.phi1(dart), self.phi_1(dart)] {
            let (s, e) = (self.start(d), self.start(self.phi1(d)));
            if (at - s).norm() <= near {
                return Particle {
                    position: *at,
                    dart: d,
                    state: State::Vertex,
                };
            }
            let u = (e - s) / (e - s).norm();
            let along = (at - s).dot(&u);
            let off = (at - s - u * along).norm();
            if off <= near && off < nearest && along > 0.0 && along < (e - s).norm() {
                nearest = off;
                (particle.dart, particle.state) = (d, State::Edge);
            }
        }
        particle
    }
}
