//! What is near the needle: its pieces and all structures registered in a mesh that is fine about
//! the tip.
//!
//! # Theory
//! Pitiot 2015, section 9.1.2. Locked pieces and the active one are edges of a [`Registration`],
//! structures are triangles. When the tip has moved, the active edge follows; when a piece is
//! locked a particle stays there and a new edge begins. Cells about the tip are refined to
//! [`Zoom::finest`], those that it has left are merged. What is near a piece is read from the lists
//! of the cells that it crosses: structures, and the needle itself, but for the pieces next to it.
//!
//! Structures are registered in triangles no larger than the finest cell, so each is present in all
//! cells that it meets or in their ring, however fine (section 5.5's criterion). Whatever is nearer
//! to a piece than [`Surroundings::sure_m`] is found: the width of the finest ring.
//!
//! That many triangles in one coarse cell would make its refinement slow, since all of them change
//! their lists. So cells are fine where the tip is, and as fine as it takes where structures are
//! dense: a cell with more than [`CROWD`] triangles is refined when the structures are registered,
//! and stays so.
//!
//! Off the real-time thread: it allocates while tables grow; the cells that change in a call are at
//! most [`Zoom::budget`]. What is left to do costs no neighbours: a coarser cell lists more, never
//! less.

use hapticd_geometry::closest::{point_triangle, segment_segment};
use hapticd_geometry::{MeshError, Vec3, refined};
use hapticd_registration::map::{Cell, GridError, MAX_LEVEL, Map, Marks};
use hapticd_registration::registration::{
    EntityId, InsertError, Kind, ParticleId, Policy, Registration, RemoveError,
};
use hapticd_registration::surface::{Surface, SurfaceError};
use hapticd_registration::track::TrackError;

use crate::tissue::TissueSpec;

/// Triangles of structures in a cell above which it is refined for good, if it is not as fine as
/// can be.
pub const CROWD: usize = 64;

/// How fine the mesh is about the tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// Edge of an unrefined cell, m.
    pub cell_m: f64,
    /// How often a cell near the tip is cut in eight.
    pub finest: u8,
    /// Cells that come nearer to the tip than this are refined, m; those that are twice as far and
    /// more are merged.
    pub about_m: f64,
    /// Most cells that are refined and most that are merged in a call.
    pub budget: usize,
}

/// Why there are no surroundings. The caller's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurroundingsError {
    /// Numbers that are none.
    #[error(
        "cells of {cell_m} m refined {finest} times within {about_m} m: above 0, finite, at most {MAX_LEVEL} times"
    )]
    Zoom {
        /// As given, m.
        cell_m: f64,
        /// As given.
        finest: u8,
        /// As given, m.
        about_m: f64,
    },
    /// A box that cannot have that many cells.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A structure whose triangles cannot be made small.
    #[error("structure {id}: {error}")]
    Mesh {
        /// Which.
        id: u32,
        /// Why.
        error: MeshError,
    },
    /// A structure that cannot be registered.
    #[error("structure {id}: {error}")]
    Surface {
        /// Which.
        id: u32,
        /// Why.
        error: SurfaceError,
    },
    /// A point of the needle that is in no cell.
    #[error(transparent)]
    Place(#[from] TrackError),
    /// A piece that cannot be registered.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// What is registered has been removed.
    #[error(transparent)]
    Remove(#[from] RemoveError),
}

/// What a call of [`Surroundings::follow`] has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Pieces locked and taken back.
    pub locked: usize,
    /// See there.
    pub taken_back: usize,
    /// Cells cut in eight.
    pub refined: usize,
    /// Families merged.
    pub merged: usize,
    /// List items written.
    pub edits: u64,
    /// Whether cells are left to be changed by the next call.
    pub more: bool,
}

/// A structure or piece that is near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearStructure {
    /// The structure's place in the tissue's list.
    pub structure: usize,
    /// m, from the piece's axis.
    pub distance_m: f64,
    /// Of the structure, nearest to the piece, m.
    pub at: Vec3,
}

/// A locked piece: where it ends, and its edge.
#[derive(Clone, Copy, Debug)]
struct Piece {
    end: ParticleId,
    edge: EntityId,
}

/// See the module page.
#[derive(Debug)]
pub struct Surroundings {
    registration: Registration,
    zoom: Zoom,
    /// Per entity: which structure's, or none.
    owner: Vec<Option<u16>>,
    start: Option<ParticleId>,
    pieces: Vec<Piece>,
    /// Of the active piece.
    active: Option<Piece>,
    /// Cells that were refined for the tip, in their order.
    parents: Vec<Cell>,
    visible: Vec<EntityId>,
    near: Cell,
}

impl Surroundings {
    /// Registers all structures of a tissue.
    ///
    /// # Errors
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
        // A cell more than the box, so that what is on its sides is inside.
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
        thin_out(&mut registration, finest);
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

    /// The lists and the mesh.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Pieces of the needle that are registered, the active one too.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.pieces.len() + usize::from(self.active.is_some())
    }

    /// Cells that are refined for the tip.
    #[must_use]
    pub fn parents(&self) -> usize {
        self.parents.len()
    }

    /// Distance up to which nothing near a piece is missed, m.
    #[must_use]
    pub fn sure_m(&self) -> f64 {
        self.zoom.cell_m / f64::from(1_u32 << self.zoom.finest)
    }

    /// Brings everything to where the needle is: `nodes` are the fixed ends of its pieces from
    /// where it went in, `tip` its tip; both in the tissue's frame, m. No nodes: it is out. What is
    /// locked is taken not to move, so only nodes beyond the known ones are read; fewer than
    /// before: pieces are taken back.
    ///
    /// # Errors
    /// [`SurroundingsError::Place`] where a piece begins or ends outside the tissue or nowhere: it
    /// is not registered, nor are those after it.
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
            // The active piece's end becomes the node, and another begins.
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

    /// The last fixed end.
    fn base(&self) -> Option<ParticleId> {
        self.pieces.last().map(|p| p.end).or(self.start)
    }

    /// Moves the active piece's end, or begins one.
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

    /// Where to look for what comes next.
    fn remember(&mut self, p: ParticleId) {
        if let Some(particle) = self.registration.particle(p) {
            self.near = self.registration.map().cell(particle.dart);
        }
    }

    /// The active piece goes, the last locked one becomes active.
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

    /// Distance from the tip to a cell's box, m: cells are cubes.
    fn apart_m(&self, c: Cell, p: &Vec3) -> f64 {
        let map = self.registration.map();
        let half = 0.5 * self.zoom.cell_m / f64::from(1_u32 << map.cell_level(c));
        let off = (p - map.centre(c)).map(|x| (x.abs() - half).max(0.0));
        off.norm()
    }

    /// Merges what the tip has left; all of it where there is none.
    fn merge(&mut self, tip: Option<&Vec3>, done: &mut Followed) {
        // Fine parents came after their own: those go first.
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
        self.relook();
    }

    fn refine(&mut self, tip: &Vec3, done: &mut Followed) {
        // From the tip's cell outwards: each refinement may bring new cells that are near.
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
        self.relook();
    }

    /// The tip's cell may be another one after cells have changed.
    fn relook(&mut self) {
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

    /// The structures in the lists of a piece, counted from where the needle went in, each with its
    /// nearest point; sorted by their places. What is nearer than [`Surroundings::sure_m`] is
    /// there, and its distance is right; what is further may be there.
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

    /// Other pieces of the needle in the lists of a piece, but for the two next to it, with their
    /// distances, m; sorted. What is nearer than [`Surroundings::sure_m`] is there.
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

    /// The edge of a piece, and its ends.
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

/// Distance between a segment and a triangle, m, and the triangle's nearest point.
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
fn thin_out(registration: &mut Registration, finest: u8) {
    let mut next: Vec<Cell> = registration.map().leaves().collect();
    while let Some(c) = next.pop() {
        let is_crowded = registration.present(c, Kind::Triangle).count() > CROWD;
        let is_coarse = registration.map().cell_level(c) < finest;
        if is_crowded && is_coarse && registration.refine(c).is_ok() {
            next.extend(registration.map().children(c));
        }
    }
}
