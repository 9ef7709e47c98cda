//! Neighbours of the needle: its pieces and all structures registered in a mesh that is fine about
//! the tip.
//!
//! # Theory
//!
//! Pitiot 2015, section 9.1.2. Locked pieces and the active one are edges of a [`Registration`];
//! structures are triangles. When the tip moves, the active edge follows. When a piece is locked, a
//! particle stays there and a new edge starts. Cells about the tip are refined to [`Zoom::finest`];
//! those that it has left are merged. The neighbours of a piece come from the lists of the cells
//! that it crosses: structures, and the needle itself except for the adjacent pieces.
//!
//! Structures are registered in triangles no larger than the finest cell. So each triangle is
//! present in all cells that it meets or in their ring, at any refinement (section 5.5's
//! criterion). Everything nearer to a piece than [`Surroundings::sure_m`], the width of the finest
//! ring, is found.
//!
//! Many triangles in one coarse cell would make its refinement slow, since all of them change their
//! lists. So cells are fine at the tip, and as fine as needed where structures are dense. A cell
//! with more than [`CROWD`] triangles is refined when the structures are registered, and stays
//! refined.
//!
//! Off the real-time thread: it allocates while tables grow. At most [`Zoom::budget`] cells change
//! in a call. Unfinished work loses no neighbours: a coarser cell lists more, never less.

use hapticd_geometry::closest::{point_triangle, segment_segment};
use hapticd_geometry::{MeshError, Vec3, refined};
use hapticd_registration::map::{Cell, GridError, MAX_LEVEL, Map, Marks};
use hapticd_registration::registration::{
    EntityId, InsertError, Kind, ParticleId, Policy, Registration, RemoveError,
};
use hapticd_registration::surface::{Surface, SurfaceError};
use hapticd_registration::track::TrackError;

use crate::tissue::TissueSpec;

/// Number of structure triangles in a cell above which it is refined permanently, unless it is at
/// the finest level.
pub const CROWD: usize = 64;

/// Refinement of the mesh about the tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// Edge of an unrefined cell, m.
    pub cell_m: f64,
    /// Number of times that a cell near the tip is cut in eight.
    pub finest: u8,
    /// Distance from the tip within which cells are refined, m. Cells at more than twice this
    /// distance are merged.
    pub about_m: f64,
    /// Most cells that are refined, and most that are merged, in one call.
    pub budget: usize,
}

/// Reason why surroundings cannot be made or followed; due to the caller's input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurroundingsError {
    /// The numbers are not finite and above 0, or there are too many refinements.
    #[error(
        "cells of {cell_m} m refined {finest} times within {about_m} m: must be finite, > 0, <= {MAX_LEVEL} times"
    )]
    Zoom {
        /// Given edge of a cell, m.
        cell_m: f64,
        /// Given number of refinements.
        finest: u8,
        /// Given distance, m.
        about_m: f64,
    },
    /// The box cannot have that many cells.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The triangles of a structure cannot be made small enough.
    #[error("structure {id}: {error}")]
    Mesh {
        /// Identity of the structure.
        id: u32,
        /// Error of the refinement.
        error: MeshError,
    },
    /// A structure cannot be registered.
    #[error("structure {id}: {error}")]
    Surface {
        /// Identity of the structure.
        id: u32,
        /// Error of the registration.
        error: SurfaceError,
    },
    /// A point of the needle is in no cell.
    #[error(transparent)]
    Place(#[from] TrackError),
    /// A piece cannot be registered.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// A registered item has been removed already.
    #[error(transparent)]
    Remove(#[from] RemoveError),
}

/// Outcome of a call of [`Surroundings::follow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Pieces locked.
    pub locked: usize,
    /// Pieces taken back.
    pub taken_back: usize,
    /// Cells cut in eight.
    pub refined: usize,
    /// Families merged.
    pub merged: usize,
    /// List items written.
    pub edits: u64,
    /// True if cells are left for the next call to change.
    pub more: bool,
}

/// A structure near a piece of the needle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearStructure {
    /// Index of the structure in the tissue's list.
    pub structure: usize,
    /// Distance from the piece's axis, m.
    pub distance_m: f64,
    /// Point of the structure nearest to the piece, m.
    pub at: Vec3,
}

/// A piece: its end, and its edge.
#[derive(Clone, Copy, Debug)]
struct Piece {
    end: ParticleId,
    edge: EntityId,
}

/// The needle and its structures in a registration. See the module page.
#[derive(Debug)]
pub struct Surroundings {
    registration: Registration,
    zoom: Zoom,
    /// Structure of each entity, if it belongs to one.
    owner: Vec<Option<u16>>,
    start: Option<ParticleId>,
    pieces: Vec<Piece>,
    /// Active piece.
    active: Option<Piece>,
    /// Cells that were refined for the tip, in order of refinement.
    parents: Vec<Cell>,
    visible: Vec<EntityId>,
    near: Cell,
}

impl Surroundings {
    /// Registers all structures of a tissue.
    ///
    /// # Errors
    ///
    /// See [`SurroundingsError`].
    pub fn new(tissue: &TissueSpec, zoom: Zoom) -> Result<Self, SurroundingsError> {
        let Zoom {
            cell_m,
            finest,
            about_m,
            ..
        } = zoom;
        let is_good = cell_m > 0.0 && about_m > 0.0 && cell_m.is_finite() && about_m.is_finite();
        if !is_good || finest > MAX_LEVEL {
            return Err(SurroundingsError::Zoom {
                cell_m,
                finest,
                about_m,
            });
        }
        // One cell more than the box, so that points on its sides are inside.
        let cells = tissue.half_m.map(|h| (2.0 * h / cell_m).ceil() + 1.0);
        let cells = [cells.x as usize, cells.y as usize, cells.z as usize];
        let origin = -Vec3::from_fn(|i, _| cells[i] as f64) * (cell_m / 2.0);
        let map = Map::grid_3d(origin, cell_m, cells)?;
        let mut registration = Registration::new(map, Policy::Tolerate);
        let Some(near) = registration.map().leaves().next() else {
            return Err(GridError::Cells { cells }.into());
        };
        let longest_m = cell_m / f64::from(1_u32 << finest);
        let mut owner = Vec::new();
        for (k, structure) in tissue.structures.iter().enumerate() {
            let id = structure.id;
            let mesh = refined(&structure.mesh, longest_m)
                .map_err(|error| SurroundingsError::Mesh { id, error })?;
            let surface =
                Surface::insert(&mut registration, mesh.positions(), mesh.triangles(), near)
                    .map_err(|error| SurroundingsError::Surface { id, error })?;
            for x in surface.triangles() {
                owner.resize(owner.len().max(x.index() + 1), None);
                owner[x.index()] = Some(k as u16);
            }
        }
        refine_crowded(&mut registration, finest);
        let near = registration.map().leaves().next().unwrap_or(near);
        Ok(Surroundings {
            registration,
            zoom,
            owner,
            start: None,
            pieces: Vec::new(),
            active: None,
            parents: Vec::new(),
            visible: Vec::new(),
            near,
        })
    }

    /// Returns the lists and the mesh.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Returns the number of registered pieces of the needle, the active one included.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.pieces.len() + usize::from(self.active.is_some())
    }

    /// Returns the number of cells that are refined for the tip.
    #[must_use]
    pub fn parents(&self) -> usize {
        self.parents.len()
    }

    /// Returns the distance up to which no neighbour of a piece is missed, m.
    #[must_use]
    pub fn sure_m(&self) -> f64 {
        self.zoom.cell_m / f64::from(1_u32 << self.zoom.finest)
    }

    /// Moves everything to the needle's present pose. `nodes` are the fixed ends of its pieces from
    /// the point of insertion, and `tip` is its tip; both in the tissue's frame, m.
    ///
    /// Without nodes the needle is out. Locked pieces are taken not to move, so only nodes beyond
    /// the known ones are read. With fewer nodes than before, pieces are taken back.
    ///
    /// # Errors
    ///
    /// [`SurroundingsError::Place`] if a piece starts or ends outside the tissue or at an invalid
    /// point; it is not registered, nor are those after it.
    pub fn follow(&mut self, nodes: &[Vec3], tip: &Vec3) -> Result<Followed, SurroundingsError> {
        let edits = self.registration.edits();
        let mut done = Followed::default();
        let Some(first) = nodes.first() else {
            done.taken_back = self.withdraw()?;
            self.merge(None, &mut done);
            done.edits = self.registration.edits() - edits;
            return Ok(done);
        };
        let moved = self
            .start
            .and_then(|p| self.registration.particle(p))
            .is_some_and(|p| p.position != *first);
        if moved {
            done.taken_back = self.withdraw()?;
        }
        while self.pieces.len() + 1 > nodes.len() {
            self.take_back()?;
            done.taken_back += 1;
        }
        if self.start.is_none() {
            let p = self.registration.insert_particle(first, self.near)?;
            self.start = Some(p);
        }
        while self.pieces.len() + 1 < nodes.len() {
            let node = nodes[self.pieces.len() + 1];
            // The active piece's end becomes the node, and another piece starts.
            self.reach(&node)?;
            if let Some(piece) = self.active.take() {
                self.pieces.push(piece);
                done.locked += 1;
            }
        }
        self.reach(tip)?;
        self.registration.settle();
        self.merge(Some(tip), &mut done);
        self.refine(tip, &mut done);
        done.edits = self.registration.edits() - edits;
        Ok(done)
    }

    /// Returns the last fixed end.
    fn base(&self) -> Option<ParticleId> {
        self.pieces.last().map(|p| p.end).or(self.start)
    }

    /// Moves the active piece's end, or starts a piece.
    fn reach(&mut self, to: &Vec3) -> Result<(), SurroundingsError> {
        if let Some(active) = self.active {
            // Blocked at the border it stays there: the needle does not leave the tissue.
            let _ = self.registration.move_particle(active.end, to)?;
            self.remember(active.end);
            return Ok(());
        }
        let Some(base) = self.base() else {
            return Ok(());
        };
        let end = self.registration.insert_particle(to, self.near)?;
        match self.registration.insert_edge(base, end) {
            Ok(edge) => {
                if let Some(slot) = self.owner.get_mut(edge.index()) {
                    *slot = None;
                }
                self.active = Some(Piece { end, edge });
                self.remember(end);
                Ok(())
            }
            Err(error) => {
                self.registration.remove_particle(end)?;
                Err(error.into())
            }
        }
    }

    /// Keeps the cell of a particle as the start of the next search.
    fn remember(&mut self, p: ParticleId) {
        if let Some(particle) = self.registration.particle(p) {
            self.near = self.registration.map().cell(particle.dart);
        }
    }

    /// Removes the active piece; the last locked one becomes active.
    fn take_back(&mut self) -> Result<(), SurroundingsError> {
        if let Some(active) = self.active.take() {
            self.registration.remove(active.edge)?;
            self.registration.remove_particle(active.end)?;
        }
        self.active = self.pieces.pop();
        Ok(())
    }

    fn withdraw(&mut self) -> Result<usize, SurroundingsError> {
        let pieces = self.pieces();
        while self.active.is_some() || !self.pieces.is_empty() {
            self.take_back()?;
        }
        if let Some(start) = self.start.take() {
            self.registration.remove_particle(start)?;
        }
        Ok(pieces)
    }

    /// Returns the distance from the tip to a cell's box, m; cells are cubes.
    fn apart_m(&self, c: Cell, p: &Vec3) -> f64 {
        let map = self.registration.map();
        let half = 0.5 * self.zoom.cell_m / f64::from(1_u32 << map.cell_level(c));
        let off = (p - map.centre(c)).map(|x| (x.abs() - half).max(0.0));
        off.norm()
    }

    /// Merges the cells that the tip has left; all of them if there is no tip.
    fn merge(&mut self, tip: Option<&Vec3>, done: &mut Followed) {
        // Fine parents came after their own parents, so they go first.
        for i in (0..self.parents.len()).rev() {
            let c = self.parents[i];
            let near_m = 2.0 * self.zoom.about_m;
            if tip.is_some_and(|tip| self.apart_m(c, tip) <= near_m) {
                continue;
            }
            if done.merged >= self.zoom.budget {
                done.more = true;
                break;
            }
            if self.registration.coarsen(c).is_ok() {
                self.parents.remove(i);
                done.merged += 1;
            }
        }
        self.update_tip_cell();
    }

    fn refine(&mut self, tip: &Vec3, done: &mut Followed) {
        // From the tip's cell outwards: each refinement may give new cells near the tip.
        let mut next = vec![self.near];
        let mut seen = std::collections::BTreeSet::new();
        let (mut marks, mut ring) = (Marks::default(), Vec::new());
        while let Some(c) = next.pop() {
            let map = self.registration.map();
            if !map.has_cell(c) || !map.is_leaf(c) || !seen.insert(c) {
                continue;
            }
            if self.apart_m(c, tip) > self.zoom.about_m {
                continue;
            }
            if map.cell_level(c) >= self.zoom.finest {
                ring.clear();
                map.ring(c, &mut marks, &mut ring);
                next.extend(&ring);
                continue;
            }
            if done.refined >= self.zoom.budget {
                done.more = true;
                break;
            }
            if self.registration.refine(c).is_ok() {
                self.parents.push(c);
                done.refined += 1;
                next.extend(self.registration.map().children(c));
            }
        }
        self.update_tip_cell();
    }

    /// Updates the tip's cell, which may differ after cells have changed.
    fn update_tip_cell(&mut self) {
        if let Some(p) = self.active.map(|a| a.end).or(self.base()) {
            self.remember(p);
        }
        let map = self.registration.map();
        if (!map.has_cell(self.near) || !map.is_leaf(self.near))
            && let Some(c) = map.leaves().next()
        {
            self.near = c;
        }
    }

    /// Finds the structures in the lists of a piece, counted from the point of insertion, each with
    /// its nearest point; sorted by index. Structures nearer than [`Surroundings::sure_m`] are
    /// included with their exact distance; further ones may be included.
    pub fn near(&mut self, piece: usize, out: &mut Vec<NearStructure>) {
        out.clear();
        let Some((edge, ends)) = self.piece(piece) else {
            return;
        };
        let mut visible = std::mem::take(&mut self.visible);
        self.registration
            .visible(edge, Kind::Triangle, &mut visible);
        for &x in &visible {
            let Some(structure) = self.owner.get(x.index()).copied().flatten() else {
                continue;
            };
            let structure = usize::from(structure);
            let Some(corners) = self.corners(x) else {
                continue;
            };
            let (distance_m, at) = segment_triangle(&ends, &corners);
            match out.iter_mut().find(|n| n.structure == structure) {
                Some(known) if known.distance_m <= distance_m => {}
                Some(known) => (known.distance_m, known.at) = (distance_m, at),
                None => out.push(NearStructure {
                    structure,
                    distance_m,
                    at,
                }),
            }
        }
        self.visible = visible;
        out.sort_by_key(|n| n.structure);
    }

    /// Finds other pieces of the needle in the lists of a piece, except for the two adjacent ones,
    /// with their distances, m; sorted. Pieces nearer than [`Surroundings::sure_m`] are included.
    pub fn own(&mut self, piece: usize, out: &mut Vec<(usize, f64)>) {
        out.clear();
        let Some((edge, [a, b])) = self.piece(piece) else {
            return;
        };
        let mut visible = std::mem::take(&mut self.visible);
        self.registration.visible(edge, Kind::Edge, &mut visible);
        for other in 0..self.pieces() {
            let Some((x, [p, q])) = self.piece(other).filter(|_| other.abs_diff(piece) > 1) else {
                continue;
            };
            if visible.contains(&x) {
                let (u, v, _, _) = segment_segment(&a, &b, &p, &q);
                out.push((other, (u - v).norm()));
            }
        }
        self.visible = visible;
    }

    /// Returns the edge of a piece, and its ends.
    fn piece(&self, k: usize) -> Option<(EntityId, [Vec3; 2])> {
        let piece = match self.pieces.get(k) {
            Some(piece) => *piece,
            None => self.active.filter(|_| k == self.pieces.len())?,
        };
        let before = match k.checked_sub(1) {
            Some(i) => self.pieces.get(i)?.end,
            None => self.start?,
        };
        let at = |p: ParticleId| self.registration.particle(p).map(|p| p.position);
        Some((piece.edge, [at(before)?, at(piece.end)?]))
    }

    fn corners(&self, x: EntityId) -> Option<[Vec3; 3]> {
        let mut corners = [Vec3::zeros(); 3];
        for (corner, p) in corners.iter_mut().zip(self.registration.ends(x)) {
            *corner = self.registration.particle(p)?.position;
        }
        Some(corners)
    }
}

/// Returns the distance between a segment and a triangle, m, and the triangle's nearest point.
pub(crate) fn segment_triangle([p, q]: &[Vec3; 2], triangle: &[Vec3; 3]) -> (f64, Vec3) {
    if let Some(share) = crate::ahead::crossing(p, q, triangle) {
        return (0.0, p.lerp(q, share));
    }
    let mut best = (f64::INFINITY, *p);
    for end in [p, q] {
        let at = point_triangle(end, triangle).0;
        best = nearer(best, (at - end).norm(), at);
    }
    for i in 0..3 {
        let (u, v, _, _) = segment_segment(p, q, &triangle[i], &triangle[(i + 1) % 3]);
        best = nearer(best, (u - v).norm(), v);
    }
    best
}

fn nearer(best: (f64, Vec3), distance_m: f64, at: Vec3) -> (f64, Vec3) {
    if distance_m < best.0 {
        (distance_m, at)
    } else {
        best
    }
}

/// Refines all cells that are crowded with triangles.
fn refine_crowded(registration: &mut Registration, finest: u8) {
    let mut next: Vec<Cell> = registration.map().leaves().collect();
    while let Some(c) = next.pop() {
        let is_crowded = registration.present(c, Kind::Triangle).count() > CROWD;
        let is_coarse = registration.map().cell_level(c) < finest;
        if is_crowded && is_coarse && registration.refine(c).is_ok() {
            next.extend(registration.map().children(c));
        }
    }
}
