//! Triangulated surfaces: registered triangle by triangle, and subdivided where a triangle is too
//! large for the lists.
//!
//! # Theory
//! A triangle is registered by its border (Pitiot 2015, section 5.5). A cell that only its inside
//! crosses must at least be in the ring; otherwise the triangle is missing from the lists there.
//! This is the *validity criterion*, "no cell of the environment inside a triangle", here in a
//! decidable form: **every cell that the triangle meets is crossed or in the ring**. The cells that
//! it meets are connected. So they are found by spreading from those that it crosses, testing each
//! by cutting the triangle with the cell's tetrahedra. The criterion fails where the environment
//! has been refined or the surface stretched.
//!
//! # Practice
//! [`Surface::restore`] cuts the longest edge of a failing triangle in two, together with the
//! triangle on its other side, until none fails. The surface stays without gaps, however it moves.
//! An inserted vertex stays in the middle of the edge that it cut when the surface is moved
//! ([`Surface::move_to`]). Off the real-time thread: it allocates. On a curved surface the middle
//! of an edge is in no cell, so nothing is cut there: failing triangles are counted.

use hapticd_geometry::Vec3;

use crate::map::{Cell, Map, Marks, Space};
use crate::registration::{EntityId, InsertError, Kind, ParticleId, Registration, RemoveError};
use crate::track::TrackError;

/// Why there is no such surface. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The invalid index.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A vertex is in no cell, or not finite.
    #[error("vertex {vertex}: {error}")]
    Vertex {
        /// Index of the vertex.
        vertex: usize,
        /// The error.
        error: TrackError,
    },
    /// A triangle has a vertex twice.
    #[error("triangle {triangle}: {error}")]
    Triangle {
        /// Index of the triangle.
        triangle: usize,
        /// The error.
        error: InsertError,
    },
    /// The number of positions differs from the number of given vertices.
    #[error("{given} positions for a surface of {wanted} vertices")]
    Count {
        /// The given number.
        given: usize,
        /// The expected number.
        wanted: usize,
    },
    /// Parts of the surface have been removed separately.
    #[error(transparent)]
    Gone(#[from] RemoveError),
}

/// Result of [`Surface::restore`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Number of edges that were cut.
    pub cuts: usize,
    /// Number of triangles that still fail: the limit of cuts was reached, or the middle of an edge
    /// is in no cell.
    pub invalid: usize,
}

/// A registered surface.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The given vertices first, then the inserted ones.
    particles: Vec<ParticleId>,
    /// For each inserted vertex: the two of which it is the midpoint.
    between: Vec<[usize; 2]>,
    given: usize,
    triangles: Vec<EntityId>,
    /// Vertices of each triangle, in the order of `triangles`.
    corners: Vec<[usize; 3]>,
}

impl Surface {
    /// Registers a surface, vertices in m, searched from a leaf nearby.
    ///
    /// # Errors
    /// See [`SurfaceError`]; then nothing is registered.
    ///
    /// # Panics
    /// If `near` is not a leaf.
    pub fn insert(
        registration: &mut Registration,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        near: Cell,
    ) -> Result<Self, SurfaceError> {
        let vertices = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(SurfaceError::IndexOutOfRange {
                    triangle,
                    index,
                    vertices,
                });
            }
        }
        let mut surface = Surface {
            particles: Vec::new(),
            between: Vec::new(),
            given: vertices,
            triangles: Vec::new(),
            corners: Vec::new(),
        };
        let made = surface.fill(registration, positions, triangles, near);
        match made {
            Ok(()) => Ok(surface),
            Err(error) => {
                surface.remove(registration)?;
                Err(error)
            }
        }
    }

    fn fill(
        &mut self,
        registration: &mut Registration,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        near: Cell,
    ) -> Result<(), SurfaceError> {
        for (vertex, at) in positions.iter().enumerate() {
            let p = registration
                .insert_particle(at, near)
                .map_err(|error| SurfaceError::Vertex { vertex, error })?;
            self.particles.push(p);
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            let corners = corners.map(|v| v as usize);
            let x = registration
                .insert_triangle(corners.map(|v| self.particles[v]))
                .map_err(|error| SurfaceError::Triangle { triangle, error })?;
            self.triangles.push(x);
            self.corners.push(corners);
        }
        Ok(())
    }

    /// Returns its current triangles.
    #[must_use]
    pub fn triangles(&self) -> &[EntityId] {
        &self.triangles
    }

    /// Returns its vertices: the given ones first, then the inserted ones.
    #[must_use]
    pub fn particles(&self) -> &[ParticleId] {
        &self.particles
    }

    /// Removes the whole surface.
    ///
    /// # Errors
    /// [`RemoveError::Gone`] if parts of it have been removed separately, [`RemoveError::Used`] if
    /// other entities end at its vertices.
    pub fn remove(self, registration: &mut Registration) -> Result<(), RemoveError> {
        for x in self.triangles {
            registration.remove(x)?;
        }
        for p in self.particles {
            registration.remove_particle(p)?;
        }
        Ok(())
    }

    /// Moves the given vertices, m, and the inserted ones to the middles of their edges; settles.
    ///
    /// Returns the number of vertices with a blocked path; these stay behind.
    ///
    /// # Errors
    /// [`SurfaceError::Count`], [`SurfaceError::Gone`].
    pub fn move_to(
        &self,
        registration: &mut Registration,
        positions: &[Vec3],
    ) -> Result<usize, SurfaceError> {
        let (given, wanted) = (positions.len(), self.given);
        if given != wanted {
            return Err(SurfaceError::Count { given, wanted });
        }
        let mut blocked = 0;
        for (i, &p) in self.particles.iter().enumerate() {
            let goal = match positions.get(i) {
                Some(goal) => *goal,
                None => self.middle(registration, self.between[i - self.given])?,
            };
            let outcome = registration.move_particle(p, &goal)?;
            blocked += usize::from(outcome != crate::track::Outcome::Reached);
        }
        registration.settle();
        Ok(blocked)
    }

    fn middle(&self, registration: &Registration, [a, b]: [usize; 2]) -> Result<Vec3, RemoveError> {
        Ok((self.at(registration, a)? + self.at(registration, b)?) * 0.5)
    }

    fn at(&self, registration: &Registration, v: usize) -> Result<Vec3, RemoveError> {
        let p = self.particles[v];
        registration
            .particle(p)
            .map(|particle| particle.position)
            .ok_or(p.gone())
    }

    /// Cuts triangles until all are valid, but at most `limit` edges. Settles first.
    ///
    /// # Errors
    /// [`SurfaceError::Gone`].
    pub fn restore(
        &mut self,
        registration: &mut Registration,
        limit: usize,
    ) -> Result<Restored, SurfaceError> {
        registration.settle();
        let mut restored = Restored::default();
        let mut i = 0;
        while i < self.triangles.len() {
            if registration.is_triangle_valid(self.triangles[i]) {
                i += 1;
            } else if restored.cuts < limit && self.cut(registration, i)? {
                restored.cuts += 1;
            } else {
                restored.invalid += 1;
                i += 1;
            }
            // A cut may split a valid triangle in two. Both are as valid, being parts of it with
            // its middle crossed as well. They are tested all the same, at the end.
        }
        Ok(restored)
    }

    /// Cuts the longest edge of a triangle, with all triangles at it. Returns whether its middle
    /// was in a cell.
    fn cut(&mut self, registration: &mut Registration, i: usize) -> Result<bool, SurfaceError> {
        let corners = self.corners[i];
        let mut longest = (-1.0, [0, 0]);
        for k in 0..3 {
            let edge = [corners[k], corners[(k + 1) % 3]];
            let length = (self.at(registration, edge[0])? - self.at(registration, edge[1])?).norm();
            if length > longest.0 {
                longest = (length, edge);
            }
        }
        let [a, b] = longest.1;
        let near = registration.crossed(self.triangles[i]).next();
        let middle = self.middle(registration, [a, b])?;
        let inserted = near.and_then(|near| registration.insert_particle(&middle, near).ok());
        let Some(p) = inserted else { return Ok(false) };
        let m = self.particles.len();
        self.particles.push(p);
        self.between.push([a, b]);
        for t in 0..self.triangles.len() {
            let old = self.corners[t];
            if !(old.contains(&a) && old.contains(&b)) {
                continue;
            }
            registration.remove(self.triangles[t])?;
            let half = |out: usize| old.map(|v| if v == out { m } else { v });
            for (k, corners) in [half(b), half(a)].into_iter().enumerate() {
                let ends = corners.map(|v| self.particles[v]);
                let x = registration
                    .insert_triangle(ends)
                    .map_err(|error| SurfaceError::Triangle { triangle: t, error })?;
                if k == 0 {
                    (self.triangles[t], self.corners[t]) = (x, corners);
                } else {
                    self.triangles.push(x);
                    self.corners.push(corners);
                }
            }
        }
        Ok(true)
    }
}

impl Registration {
    /// Returns whether every leaf that a triangle meets, also with its inside, is crossed by its
    /// border or in the ring of the crossed leaves. True for other entities, and for removed ones.
    /// Allocates.
    #[must_use]
    pub fn is_triangle_valid(&self, x: EntityId) -> bool {
        if self.kind(x) != Some(Kind::Triangle) {
            return true;
        }
        let corners: Vec<Vec3> = self
            .ends(x)
            .filter_map(|p| self.particle(p).map(|p| p.position))
            .collect();
        let map = self.map();
        // The cells that it meets are connected: if it meets any beyond the ring, it meets one
        // right behind it.
        let (mut marks, mut beyond) = (Marks::default(), Vec::new());
        let known: Vec<Cell> = self.crossed(x).chain(self.ring(x)).collect();
        map.ring_of(&known, &mut marks, &mut beyond);
        !beyond
            .into_iter()
            .any(|c| map.meets_triangle(c, &[corners[0], corners[1], corners[2]]))
    }
}

impl Map {
    /// Returns whether a leaf meets a triangle, in more than a line of its side. Visits all darts
    /// of the leaf.
    ///
    /// On a curved surface: whether they overlap as seen along the triangle's normal, from either
    /// side.
    #[must_use]
    pub fn meets_triangle(&self, c: Cell, triangle: &[Vec3; 3]) -> bool {
        let [a, b, e] = triangle;
        let normal = (b - a).cross(&(e - a));
        self.cell_darts(c).any(|d| {
            let (mut polygon, whole) = if self.space() == Space::Surface {
                let [v, _, s, e] = self.tetrahedron(d);
                let seen = (s - v).cross(&(e - v)).dot(&normal);
                (vec![v, s, e], seen.abs() / normal.norm())
            } else {
                (triangle.to_vec(), normal.norm())
            };
            match self.space() {
                Space::Surface => {
                    for i in 0..3 {
                        let (p, q) = (triangle[i], triangle[(i + 1) % 3]);
                        clip(&mut polygon, |at| normal.dot(&(q - p).cross(&(at - p))));
                    }
                }
                space => {
                    for i in 0..if space == Space::Volume { 4 } else { 3 } {
                        clip(&mut polygon, |at| self.coordinates(d, at)[i]);
                    }
                }
            }
            let area: Vec3 = (1..polygon.len().max(2) - 1)
                .map(|k| (polygon[k] - polygon[0]).cross(&(polygon[k + 1] - polygon[0])))
                .sum();
            let area = if self.space() == Space::Surface {
                area.dot(&normal).abs() / normal.norm()
            } else {
                area.norm()
            };
            area > 1e-12 * whole
        })
    }
}

/// Keeps the part of a polygon on the inner side of a plane, where an affine function is positive
/// (Sutherland and Hodgman).
fn clip(polygon: &mut Vec<Vec3>, inside: impl Fn(&Vec3) -> f64) {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for k in 0..polygon.len() {
        let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (at_p, at_q) = (inside(&p), inside(&q));
        if at_p >= 0.0 {
            kept.push(p);
        }
        if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
            kept.push(p + (q - p) * (at_p / (at_p - at_q)));
        }
    }
    *polygon = kept;
}
