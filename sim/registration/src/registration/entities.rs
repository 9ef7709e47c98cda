//! Registered entities: identifiers, insertion, removal.

use hapticd_geometry::Vec3;

use super::{EntitySlot, List, ParticleSlot, Registration};
use crate::map::Cell;
use crate::track::{Particle, TrackError};

/// Kind of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One particle.
    Point = 0,
    /// The segment between two particles.
    Edge = 1,
    /// The triangle between three particles.
    Triangle = 2,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Point, Kind::Edge, Kind::Triangle];

    /// Returns the number of particles of an entity.
    #[must_use]
    pub fn particles(self) -> usize {
        self as usize + 1
    }
}

/// Identifier of a point, edge or triangle. It never equals that of a later entity in the same
/// slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

/// Identifier of a particle, an end of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticleId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl EntityId {
    /// Returns its index in a table of attributes; reused after the entity has been removed.
    #[must_use]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl ParticleId {
    pub(crate) fn gone(self) -> RemoveError {
        RemoveError::Gone {
            index: self.index,
            generation: self.generation,
        }
    }
}

/// Why nothing was inserted. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// The particle does not exist, or no longer.
    #[error("particle {index} of generation {generation} is missing")]
    Gone {
        /// Its index.
        index: u32,
        /// The given generation.
        generation: u32,
    },
    /// The same particle was given twice.
    #[error("entity has particle {index} twice")]
    Twice {
        /// Its index.
        index: u32,
    },
}

/// Why nothing was removed or moved. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoveError {
    /// The entity or particle does not exist, or no longer.
    #[error("entry {index} of generation {generation} is missing")]
    Gone {
        /// Its index.
        index: u32,
        /// The given generation.
        generation: u32,
    },
    /// Entities still end at the particle.
    #[error("particle {index} is an end of {users} entities")]
    Used {
        /// Its index.
        index: u32,
        /// Number of these entities.
        users: usize,
    },
    /// The goal is not finite, or another error of tracking.
    #[error(transparent)]
    Track(#[from] TrackError),
}

impl Registration {
    /// Inserts a particle at a position, m, searched from a leaf nearby.
    ///
    /// # Errors
    /// See [`TrackError`].
    ///
    /// # Panics
    /// If `near` is not a leaf.
    pub fn insert_particle(&mut self, at: &Vec3, near: Cell) -> Result<ParticleId, TrackError> {
        let particle = self.map.locate(at, near, &mut self.tally)?;
        let cell = self.map.cell(particle.dart);
        let index = self.free_particles.pop().unwrap_or_else(|| {
            self.particles.push(ParticleSlot {
                particle,
                cell,
                generation: 0,
                alive: false,
                users: List::default(),
                corners: 0,
            });
            self.particles.len() as u32 - 1
        });
        let slot = &mut self.particles[index as usize];
        (slot.particle, slot.cell, slot.alive) = (particle, cell, true);
        let generation = slot.generation;
        self.pool
            .push(&mut self.cells[cell.index()].resident, index);
        Ok(ParticleId { index, generation })
    }

    /// Inserts a point at a particle.
    ///
    /// # Errors
    /// See [`InsertError`].
    pub fn insert_point(&mut self, p: ParticleId) -> Result<EntityId, InsertError> {
        self.insert(Kind::Point, &[p])
    }

    /// Inserts an edge between two particles.
    ///
    /// # Errors
    /// See [`InsertError`].
    pub fn insert_edge(&mut self, a: ParticleId, b: ParticleId) -> Result<EntityId, InsertError> {
        self.insert(Kind::Edge, &[a, b])
    }

    /// Inserts a triangle between three particles.
    ///
    /// # Errors
    /// See [`InsertError`].
    pub fn insert_triangle(&mut self, corners: [ParticleId; 3]) -> Result<EntityId, InsertError> {
        self.insert(Kind::Triangle, &corners)
    }

    fn insert(&mut self, kind: Kind, ends: &[ParticleId]) -> Result<EntityId, InsertError> {
        for (i, p) in ends.iter().enumerate() {
            if self.particle(*p).is_none() {
                return Err(InsertError::Gone {
                    index: p.index,
                    generation: p.generation,
                });
            }
            if ends[..i].contains(p) {
                return Err(InsertError::Twice { index: p.index });
            }
        }
        let index = self.free_entities.pop().unwrap_or_else(|| {
            self.entities.push(EntitySlot {
                kind,
                particles: [0; 3],
                generation: 0,
                alive: false,
                dirty: false,
                joined: true,
                crossed: List::default(),
                ring: List::default(),
            });
            self.met.push(0);
            self.entities.len() as u32 - 1
        });
        let slot = &mut self.entities[index as usize];
        (slot.kind, slot.alive) = (kind, true);
        slot.particles = std::array::from_fn(|i| ends.get(i).map_or(0, |p| p.index));
        let generation = slot.generation;
        for p in ends {
            let slot = &mut self.particles[p.index as usize];
            slot.corners += u32::from(kind != Kind::Point);
            self.pool.push(&mut slot.users, index);
        }
        self.register(index);
        Ok(EntityId { index, generation })
    }

    /// Removes an entity from all lists. Its particles stay.
    ///
    /// # Errors
    /// [`RemoveError::Gone`].
    pub fn remove(&mut self, x: EntityId) -> Result<(), RemoveError> {
        if self.kind(x).is_none() {
            return Err(RemoveError::Gone {
                index: x.index,
                generation: x.generation,
            });
        }
        self.unregister(x.index);
        let slot = &mut self.entities[x.index as usize];
        slot.alive = false;
        slot.generation = slot.generation.wrapping_add(1);
        let (kind, ends) = (slot.kind, slot.particles);
        if std::mem::take(&mut slot.dirty) {
            self.dirty.retain(|&d| d != x.index);
        }
        for p in &ends[..kind.particles()] {
            let slot = &mut self.particles[*p as usize];
            slot.corners -= u32::from(kind != Kind::Point);
            self.pool.remove(&mut slot.users, x.index);
        }
        self.free_entities.push(x.index);
        Ok(())
    }

    /// Removes a particle at which no entity ends.
    ///
    /// # Errors
    /// [`RemoveError::Gone`], [`RemoveError::Used`].
    pub fn remove_particle(&mut self, p: ParticleId) -> Result<(), RemoveError> {
        let index = p.index;
        if self.particle(p).is_none() {
            return Err(RemoveError::Gone {
                index,
                generation: p.generation,
            });
        }
        let slot = &mut self.particles[index as usize];
        let users = self.pool.get(slot.users).len();
        if users > 0 {
            return Err(RemoveError::Used { index, users });
        }
        self.pool.clear(&mut slot.users);
        slot.alive = false;
        slot.generation = slot.generation.wrapping_add(1);
        let resident = &mut self.cells[slot.cell.index()].resident;
        self.pool.remove(resident, index);
        self.free_particles.push(index);
        Ok(())
    }

    /// Returns a particle with its position; `None` if it has been removed.
    #[must_use]
    pub fn particle(&self, p: ParticleId) -> Option<&Particle> {
        self.particles
            .get(p.index as usize)
            .filter(|slot| slot.alive && slot.generation == p.generation)
            .map(|slot| &slot.particle)
    }

    /// Returns the kind of an entity; `None` if it has been removed.
    #[must_use]
    pub fn kind(&self, x: EntityId) -> Option<Kind> {
        self.entities
            .get(x.index as usize)
            .filter(|slot| slot.alive && slot.generation == x.generation)
            .map(|slot| slot.kind)
    }

    /// Returns the ends of an entity, [`Kind::particles`] of them; none if it has been removed.
    pub fn ends(&self, x: EntityId) -> impl ExactSizeIterator<Item = ParticleId> + '_ {
        let count = self.kind(x).map_or(0, Kind::particles);
        (0..count).map(move |i| {
            let index = self.entities[x.index as usize].particles[i];
            let generation = self.particles[index as usize].generation;
            ParticleId { index, generation }
        })
    }

    /// Returns the entities that end at a particle.
    pub fn users(&self, p: ParticleId) -> impl Iterator<Item = EntityId> + '_ {
        let alive = self.particle(p).is_some();
        let list = if alive {
            self.particles[p.index as usize].users
        } else {
            List::default()
        };
        self.list_ids(list)
    }

    /// Returns whether the paths along all sides of an entity connect their ends, for sides that
    /// are marched along.
    ///
    /// False if a path leaves the space, or if on a curved surface the plane section through its
    /// ends is in pieces ([`Map::march_between`]). Such a side crosses the leaves of its ends and,
    /// if the path leads to the boundary, the leaves on the path from both ends. True if the entity
    /// has been removed.
    ///
    /// [`Map::march_between`]: crate::map::Map::march_between
    #[must_use]
    pub fn is_joined(&self, x: EntityId) -> bool {
        self.kind(x)
            .is_none_or(|_| self.entities[x.index as usize].joined)
    }

    /// Returns the leaves that an entity crosses; none if it has been removed.
    pub fn crossed(&self, x: EntityId) -> impl ExactSizeIterator<Item = Cell> + '_ {
        let list = self
            .kind(x)
            .map_or(List::default(), |_| self.entities[x.index as usize].crossed);
        self.pool.get(list).iter().map(|&c| Cell(c))
    }

    /// Returns the ring of the leaves that an edge or triangle crosses. A point's ring is that of
    /// its cell and not stored here.
    pub fn ring(&self, x: EntityId) -> impl ExactSizeIterator<Item = Cell> + '_ {
        let list = self
            .kind(x)
            .map_or(List::default(), |_| self.entities[x.index as usize].ring);
        self.pool.get(list).iter().map(|&c| Cell(c))
    }
}
