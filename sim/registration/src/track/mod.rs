//! Particles follow their goals through a map: which cell is a point in, given which one it was in.
//!
//! # Theory
//! A particle has a position, the dart that it aims at, and the orbit of that dart on which it lies
//! ([`State`]). A move is local: its cost is the number of cells between, whatever the size of the
//! map. How it is made depends on the space:
//!
//! * **Volumes** (Pitiot 2015, chapter 7, in the digest's corrected form): cells need only be seen
//!   whole from their centres. Planes of the tests go through centres and vertices, never through
//!   the particle, whose position is not used: it tells nothing that its dart does not. The cells
//!   walked through are those of a *direction walk*, not of the path. Who wants the path's takes
//!   [`Map::march`]. A goal that the walk does not reach is looked for by a march, so a bay of the
//!   boundary is no trap. A move that would collide is not made at all.
//! * **Planes** (chapter 4, Jund 2010): cells are convex and the particle goes along the straight
//!   line. The source turns a triangle with its corner at the particle until the goal is in it;
//!   here the path is cut by the lines of the cell's edges, which finds the same side, wants no
//!   state to start from and copes with neighbours' vertices in the middle of an edge. It stops
//!   where it collides.
//! * **Surfaces** (the public library that the source names): the step is laid into the triangle
//!   `(V, S, S')` and turned about each edge that it crosses, so it stays straight and keeps its
//!   length. Who wants the cells between two particles there takes [`Map::march_between`].
//!
//! # Practice
//! No allocation, no lock; at most [`MAX_TESTS`] tests, after which all of the cell, then its
//! ring, then the whole map is searched and the move counted as a fallback ([`Tally`]). In valid
//! cells that does not happen but for moves over a thousand cells. The haptic loop takes
//! [`Map::track_bounded`] and [`Map::march_bounded`], which end at a limit of the caller's and
//! never search. Goals are checked: NaN is refused.

pub(crate) mod exhaustive;
mod march;
mod plane;
mod section;
mod surface;
mod volume;

pub use march::Path;

use hapticd_geometry::Vec3;

use crate::map::{Cell, Dart, Map, Space};

/// Of a surface counts what is off it by no more than so many tolerances.
pub(crate) const ON_SURFACE: f64 = 1e3;

/// Most tests of one move before all is searched: enough for a thousand cells, 0.2 ms.
pub const MAX_TESTS: u32 = 16_384;

/// On which orbit of its dart a particle lies.
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

/// Something that is somewhere in a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// World axes, m.
    pub position: Vec3,
    /// Of the cell that the particle is in.
    pub dart: Dart,
    /// On which orbit of the dart.
    pub state: State,
}

/// How a move ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Outcome {
    /// At the goal; on a [`Space::Surface`] at the end of the step.
    Reached,
    /// At an obstacle or at the boundary. In a [`Space::Volume`] the particle is where it was; in
    /// dimension 2 it is where it collided.
    Blocked {
        /// Of the side that it would have crossed.
        dart: Dart,
        /// After which share of the way, 0 to 1.
        share: f64,
    },
}

/// Why a particle was not moved or placed. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// NaN or infinite.
    #[error("{goal:?} is not a place")]
    NotFinite {
        /// As given.
        goal: [f64; 3],
    },
    /// The particle aims at a dart that is not there: its cell has been refined or merged without
    /// it.
    #[error("the particle aims at dart {dart}, which is gone")]
    NoDart {
        /// Its number.
        dart: u32,
    },
    /// No cell is there.
    #[error("{at:?} is in no cell")]
    Outside {
        /// As given, m.
        at: [f64; 3],
    },
}

/// What moves have cost, since the tally was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Moves.
    pub moves: u64,
    /// Moves that ended in a search of all darts of a cell, its ring or the map.
    pub fallbacks: u64,
    /// Tests of a point against a plane or line, or of a path against a tetrahedron.
    pub tests: u64,
    /// Most of one move.
    pub most_tests: u32,
}

/// What a move has cost so far, and may cost.
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

/// Refuses what is no place: `goal`, m, is to have finite coordinates.
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
    /// Moves a particle towards a goal, m. See the [module](self) for the three ways. In a plane
    /// the goal's z is not looked at.
    ///
    /// # Errors
    /// See [`TrackError`]; then the particle is as it was.
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
        // On a surface the goal is a direction, not a place.
        let found = if self.space() == Space::Surface {
            None
        } else {
            self.search(dart, &self.on_plane(goal))
        };
        Ok(match found {
            // Past obstacles there is nothing to go by but the path: not made, if it may lead
            // through any.
            Some(at) if !self.has_obstacles() || self.cell(at) == self.cell(dart) => {
                *particle = self.settle(at, &self.on_plane(goal));
                Outcome::Reached
            }
            _ => blocked,
        })
    }

    /// [`Map::track`] for the haptic loop: never searches. After `most_tests` tests, or up to eight
    /// more, it gives none, and the particle is as it was. Beside those it looks at most at the
    /// darts of one cell, and marches at most twice as many tetrahedra where the goal is not
    /// reached straight away. No allocation, no lock, no clock.
    ///
    /// # Errors
    /// See [`TrackError`]; then the particle is as it was.
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

    /// A move within what is well inside a leaf.
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

    /// A particle at the centre of a leaf.
    ///
    /// # Panics
    /// If the cell is no leaf.
    #[must_use]
    pub fn particle_in(&self, c: Cell) -> Particle {
        Particle {
            position: self.centre(c),
            dart: self.dart(c),
            state: State::Cell,
        }
    }

    /// A particle at a place, found from a leaf nearby, or by a search of all the map. On a surface
    /// the place must be on it, within a thousand tolerances.
    ///
    /// # Errors
    /// [`TrackError::NotFinite`], [`TrackError::Outside`].
    ///
    /// # Panics
    /// If `near` is no leaf.
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

    /// Where a point of dimension 2 is in the plane; in other spaces where it is.
    pub(crate) fn on_plane(&self, p: &Vec3) -> Vec3 {
        if self.space() == Space::Plane {
            let z = self.positions_z();
            Vec3::new(p.x, p.y, z)
        } else {
            *p
        }
    }

    /// Finds the cell of `at` from that of a particle, whatever obstacles there are between. Says
    /// whether it is in one; the particle has only changed if it is. On a surface the place is near
    /// the particle's cell, and the particle is put where the surface is nearest.
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

    /// A particle at a point of `T(dart)`, with its state.
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
