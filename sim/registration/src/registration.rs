//! Neighbour lists: points, edges and triangles, registered in the cells that they cross and in the
//! cells around those.
//!
//! # Theory
//! An entity is *present* in the cells that it crosses and a *neighbour* in their ring: the cells
//! that share a vertex with any of them and are not crossed (Pitiot 2015, chapter 5). So everything
//! that may touch an entity is in the lists of its own cells, without any search. A point crosses
//! the cell that it is in; an edge all cells of its segment; a triangle those of its three edges.
//! Cells that only the inside of a triangle crosses are in the ring as long as it is not large
//! ([`crate::surface`]). The metric promise is [`Registration::ring_width_m`]: anything nearer to a
//! cell than that is in its lists.
//!
//! Lists are *exact*: an entity is in the lists that follow from its position, in no others, and
//! once in each. The source has the ring as a one-way implication; here stale entries are wrong as
//! well. Lists are rewritten only when they change. A point that stays in its cell changes none,
//! nor does an edge with both ends staying in one cell. An edge across several cells is marched
//! along again whenever an end moves, since its middle may sweep into a cell while its ends do not.
//! [`Map::march`] finds the crossed cells. The source's memo particle names wrong ones among cells
//! that are not convex.
//!
//! # Practice
//! Ends are *particles*, private or shared: the edges of a polygon share corners.
//! [`Registration::move_particle`] moves one and marks the affected entities.
//! [`Registration::settle`] updates their lists, each once. The lists are then exact until the next
//! move.
//!
//! Identifiers carry a generation, which distinguishes a removed item from its successor. Lists
//! cannot be read and changed at once. To remove entities during a traversal, use
//! [`Registration::visible`]: its copy stays valid.
//!
//! A point crosses one cell, so the points around a leaf are those present in its ring: they are
//! read from there and not stored again. Storing them, as the source does, would cost 26 removals
//! from crowded lists whenever a point changes its cell (section 9.1.1 leaves the choice between
//! recording and traversing to the frequency of reads). Edges and triangles are stored in both.
//!
//! Nothing allocates once tables have reached their largest size. Deterministic. Points cost their
//! tracking, about 0.1 us a move, and two edits when they change cells.

mod entities;
mod follow;
mod lists;
mod rescale;
mod update;
mod visible;
mod width;

pub use entities::{EntityId, InsertError, Kind, ParticleId, RemoveError};

use lists::{List, Pool};

use crate::map::{Cell, Map, Marks, Space};
use crate::track::{Particle, Tally};

/// Treatment of an edge or triangle with all ends in one volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It counts as crossing only that volume. If the volume is not convex, the entity may clip the
    /// next one. That one has it in its ring, so it is found there as a neighbour. In a plane of
    /// convex cells this is exact.
    #[default]
    Tolerate,
    /// It is marched along like any other.
    Exact,
}

/// The lists of one cell.
#[derive(Clone, Copy, Debug, Default)]
struct CellLists {
    present: [List; 3],
    /// Edges and triangles with this cell in their ring.
    neighbour: [List; 2],
    /// Particles that aim at darts of the cell.
    resident: List,
    ring: List,
    ring_known: bool,
}

#[derive(Clone, Copy, Debug)]
struct ParticleSlot {
    particle: Particle,
    cell: Cell,
    generation: u32,
    alive: bool,
    users: List,
    /// Number of users that are edges or triangles.
    corners: u32,
}

#[derive(Clone, Copy, Debug)]
struct EntitySlot {
    kind: Kind,
    particles: [u32; 3],
    generation: u32,
    alive: bool,
    dirty: bool,
    joined: bool,
    crossed: List,
    /// Ring of an edge or triangle; a point's is its cell's.
    ring: List,
}

/// A map and the entities registered in it. See the [module](self).
#[derive(Clone, Debug)]
pub struct Registration {
    map: Map,
    policy: Policy,
    cells: Vec<CellLists>,
    pool: Pool,
    particles: Vec<ParticleSlot>,
    free_particles: Vec<u32>,
    entities: Vec<EntitySlot>,
    free_entities: Vec<u32>,
    dirty: Vec<u32>,
    /// Cells with a changed population, for rescaling; each once.
    touched: Vec<Cell>,
    is_touched: Vec<bool>,
    marks: Marks,
    /// For each entity: the last traversal that visited it.
    met: Vec<u32>,
    meeting: u32,
    /// Faces are possibly not planar. Then refining a cell can move the boundary between its
    /// neighbours a little.
    bent: bool,
    edits: u64,
    tally: Tally,
    outside: u64,
    // Scratch lists.
    crossed: Vec<Cell>,
    around: Vec<Cell>,
    old_ring: Vec<Cell>,
    ids: Vec<u32>,
    others: Vec<u32>,
    carried: Vec<(u32, [f64; 3])>,
}

impl Registration {
    /// Creates an empty registration that owns a map: cells are refined and moved through it.
    #[must_use]
    pub fn new(map: Map, policy: Policy) -> Self {
        let slots = map.cell_slots();
        let mut registration = Registration {
            bent: map.is_bent(),
            map,
            policy,
            cells: Vec::new(),
            pool: Pool::default(),
            particles: Vec::new(),
            free_particles: Vec::new(),
            entities: Vec::new(),
            free_entities: Vec::new(),
            dirty: Vec::new(),
            touched: Vec::new(),
            is_touched: Vec::new(),
            marks: Marks::default(),
            met: Vec::new(),
            meeting: 0,
            edits: 0,
            tally: Tally::default(),
            outside: 0,
            crossed: Vec::new(),
            around: Vec::new(),
            old_ring: Vec::new(),
            ids: Vec::new(),
            others: Vec::new(),
            carried: Vec::new(),
        };
        registration.grow_cells(slots);
        registration
    }

    /// Returns the map.
    #[must_use]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Marks sides as obstacles: see [`Map::set_obstacle_cell`]. Particles inside stay there.
    pub fn set_obstacle_cell(&mut self, c: Cell, is: bool) {
        self.map.set_obstacle_cell(c, is);
    }

    /// Returns the treatment of edges and triangles within one volume.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Returns how many items have been put into or removed from lists of cells in total.
    #[must_use]
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Returns the total cost of tracking.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Returns how often a particle was in no cell after vertices had moved. Such a particle keeps
    /// the cell in which it was.
    #[must_use]
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Reserves capacity for this many words of lists, particles, entities, and cells in total. Up
    /// to there nothing allocates. Call [`Map::reserve`] of the map before.
    pub fn reserve(&mut self, words: usize, particles: usize, entities: usize, cells: usize) {
        self.pool.reserve(words);
        let more = |len: usize, wanted: usize| wanted.saturating_sub(len);
        self.particles
            .reserve(more(self.particles.len(), particles));
        self.free_particles.reserve(particles);
        self.entities.reserve(more(self.entities.len(), entities));
        for list in [
            &mut self.free_entities,
            &mut self.dirty,
            &mut self.ids,
            &mut self.others,
        ] {
            list.reserve(more(list.len(), entities.max(particles)));
        }
        self.met.reserve(more(self.met.len(), entities));
        for list in [
            &mut self.crossed,
            &mut self.around,
            &mut self.old_ring,
            &mut self.touched,
        ] {
            list.reserve(more(list.len(), cells));
        }
        self.carried.reserve(particles);
        self.grow_cells(cells);
        self.marks.clear(&self.map);
    }

    fn grow_cells(&mut self, slots: usize) {
        if self.cells.len() < slots {
            let slots = slots.max(self.cells.len() * 2);
            self.cells.resize(slots, CellLists::default());
            self.is_touched.resize(slots, false);
            self.touched.reserve(slots - self.touched.len());
        }
    }

    /// Returns the entities of a kind that cross a leaf.
    pub fn present(&self, c: Cell, kind: Kind) -> impl ExactSizeIterator<Item = EntityId> + '_ {
        self.list_ids(self.cells[c.index()].present[kind as usize])
    }

    /// Returns the entities of a kind that cross a cell of a leaf's ring, but not the leaf. The
    /// first call after a change of the map around the leaf computes its ring.
    pub fn neighbours(&mut self, c: Cell, kind: Kind) -> impl Iterator<Item = EntityId> + '_ {
        let (list, ring) = match kind {
            Kind::Point => (List::default(), self.known_ring(c)),
            Kind::Edge => (self.cells[c.index()].neighbour[0], List::default()),
            Kind::Triangle => (self.cells[c.index()].neighbour[1], List::default()),
        };
        let around = self.pool.get(ring).iter().flat_map(|&b| {
            let lists = &self.cells[b as usize];
            self.list_ids(lists.present[Kind::Point as usize])
        });
        self.list_ids(list).chain(around)
    }

    /// Returns the indices ([`EntityId::index`]) of the points in a leaf and in its ring. Computes
    /// the ring as [`Registration::neighbours`] does.
    ///
    /// # Panics
    /// If the leaf does not belong to this map.
    pub fn point_numbers(&mut self, c: Cell) -> impl Iterator<Item = u32> + '_ {
        let ring = self.known_ring(c);
        let ring = self.pool.get(ring).iter().copied();
        std::iter::once(c.0).chain(ring).flat_map(|b| {
            let lists = &self.cells[b as usize];
            self.pool
                .get(lists.present[Kind::Point as usize])
                .iter()
                .copied()
        })
    }

    /// Returns the indices of the cells around a leaf.
    pub(crate) fn ring_numbers(&mut self, c: u32) -> &[u32] {
        let ring = self.known_ring(Cell(c));
        self.pool.get(ring)
    }

    /// Returns the leaf of a particle, which must exist.
    pub(crate) fn cell_of(&self, p: ParticleId) -> Cell {
        self.particles[p.index as usize].cell
    }

    fn list_ids(&self, list: List) -> impl ExactSizeIterator<Item = EntityId> + '_ {
        self.pool.get(list).iter().map(|&x| EntityId {
            index: x,
            generation: self.entities[x as usize].generation,
        })
    }

    /// Returns whether the lists are up to date: nothing has moved since [`Registration::settle`].
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.dirty.is_empty()
    }

    pub(crate) fn touch(&mut self, c: Cell) {
        let is = &mut self.is_touched[c.index()];
        if !*is {
            *is = true;
            self.touched.push(c);
        }
    }

    /// Takes a cell with a population that has changed since it was last taken, the most recent
    /// change first. The cell may have been refined or merged since.
    pub(crate) fn take_touched(&mut self) -> Option<Cell> {
        let c = self.touched.pop()?;
        self.is_touched[c.index()] = false;
        Some(c)
    }

    /// Starts a new traversal, in which each entity counts once.
    fn clear_visited(&mut self) {
        if self.meeting == u32::MAX {
            self.met.fill(0);
            self.meeting = 0;
        }
        self.meeting += 1;
    }

    /// Returns whether an entity is visited for the first time.
    fn mark_visited(&mut self, x: u32) -> bool {
        let met = &mut self.met[x as usize];
        let first = *met != self.meeting;
        *met = self.meeting;
        first
    }

    fn curved(&self) -> bool {
        self.map.space() == Space::Surface
    }
}
