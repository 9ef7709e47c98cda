//! What is registered: identifiers, insertion, removal.

use hapticd_geometry::Vec3;

use super::{EntitySlot, List, ParticleSlot, Registration};
use crate::map::Cell;
use crate::track::{Particle, TrackError};

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One particle.
    Point = 0,
    /// The segment between two.
    Edge = 1,
    /// The triangle between three.
    Triangle = 2,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Point, Kind::Edge, Kind::Triangle];

    /// How many particles it has.
    #[must_use]
    pub fn particles(self) -> usize {
        self as usize + 1
    }
}

/// A point, edge or triangle; for ever another one's than of what comes after it in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

/// An end of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticleId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl EntityId {
    /// As an index of a table of who is what; used again when the entity has been removed.
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

/// Why nothing was inserted. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// There is no such particle, or no longer.
    #[error("particle {index} of generation {generation} is not there")]
    Gone {
        /// Its number.
        index: u32,
        /// As given.
        generation: u32,
    },
    /// The same particle twice.
    #[error("particle {index} twice in one entity")]
    Twice {
        /// Its number.
        index: u32,
    },
}

/// Why nothing was removed or moved. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoveError {
    /// There is no such thing, or no longer.
    #[error("number {index} of generation {generation} is not there")]
    Gone {
        /// Its number.
        index: u32,
        /// As given.
        generation: u32,
    },
    /// A particle that entities still end at.
    #[error("particle {index} is an end of {users} entities")]
    Used {
        /// Its number.
        index: u32,
        /// How many.
        users: usize,
    },
    /// Where it was to go is no place, or another error of tracking.
    #[error(transparent)]
    Track(#[from] TrackError),
}

impl Registration {
    /// A particle at a place, m, looked for from a leaf nearby.
    ///
    /// # Errors
    /// See [`TrackError`].
    ///
    /// # Panics
    /// If `near` is no leaf.
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
        self.pool.push(&mut self.cells[cell.index()].aimed, index);
        Ok(ParticleId { index, generation })
    }

    /// A point at a particle.
    ///
    /// # Errors
    /// See [`InsertError`].
    pub fn insert_point(&mut self, p: ParticleId) -> Result<EntityId, InsertError> {
        self.insert(Kind::Point, &[p])
    }

    /// An edge between two particles.
    ///
    /// # Errors
    /// See [`InsertError`].
    pub fn insert_edge(&mut self, a: ParticleId, b: ParticleId) -> Result<EntityId, InsertError> {
        self.insert(Kind::Edge, &[a, b])
    }

    /// A triangle between three particles.
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

    /// Takes an entity out of all lists. Its particles stay.
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

    /// Takes away a particle that no entity ends at.
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
        let aimed = &mut self.cells[slot.cell.index()].aimed;
        self.pool.remove(aimed, index);
        self.free_particles.push(index);
        Ok(())
    }

    /// Where a particle is; none where it has been removed.
    #[must_use]
    pub fn particle(&self, p: ParticleId) -> Option<&Particle> {
        self.particles
            .get(p.index as usize)
            .filter(|slot| slot.alive && slot.generation == p.generation)
            .map(|slot| &slot.particle)
    }

    /// What an entity is; none where it has been removed.
    #[must_use]
    pub fn kind(&self, x: EntityId) -> Option<Kind> {
        self.entities
            .get(x.index as usize)
            .filter(|slot| slot.alive && slot.generation == x.generation)
            .map(|slot| slot.kind)
    }

    /// The ends of an entity, of which there are [`Kind::particles`]; none where it has been
    /// removed.
    pub fn ends(&self, x: EntityId) -> impl ExactSizeIterator<Item = ParticleId> + '_ {
        let count = self.kind(x).map_or(0, Kind::particles);
        (0..count).map(move |i| {
            let index = self.entities[x.index as usize].particles[i];
            let generation = self.particles[index as usize].generation;
            ParticleId { index, generation }
        })
    }

    /// The entities that end at a particle.
    pub fn users(&self, p: ParticleId) -> impl Iterator<Item = EntityId> + '_ {
        let alive = self.particle(p).is_some();
        let list = if alive {
            self.particles[p.index as usize].users
        } else {
            List::default()
        };
        self.list_ids(list)
    }

    /// Whether the ways of all sides of an entity come from end to end, for those that are marched
    /// along. False where one leaves the space on its way, or on a curved surface where the plane
    /// section through its ends is in pieces ([`Map::march_between`]): such a side crosses what is
    /// on its way from both ends, if that leads to the boundary, and at any rate the leaves of its
    /// ends. True where the entity has been removed.
    ///
    /// [`Map::march_between`]: crate::map::Map::march_between
    #[must_use]
    pub fn is_joined(&self, x: EntityId) -> bool {
        self.kind(x)
            .is_none_or(|_| self.entities[x.index as usize].joined)
    }

    /// The leaves that an entity crosses; none where it has been removed.
    pub fn crossed(&self, x: EntityId) -> impl ExactSizeIterator<Item = Cell> + '_ {
        let list = self
            .kind(x)
            .map_or(List::default(), |_| self.entities[x.index as usize].crossed);
        self.pool.get(list).iter().map(|&c| Cell(c))
    }

    /// The ring of what an edge or triangle crosses; a point's is that of its cell and not kept.
    pub fn ring(&self, x: EntityId) -> impl ExactSizeIterator<Item = Cell> + '_ {
        let list = self
            .kind(x)
            .map_or(List::default(), |_| self.entities[x.index as usize].ring);
        self.pool.get(list).iter().map(|&c| Cell(c))
    }
}
