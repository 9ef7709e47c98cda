//! Triangulated surfaces: registered triangle by triangle, and cut finer where a triangle is too
//! large to be seen.
//!
//! # Theory
//! A triangle is registered by its border (Pitiot 2015, section 5.5). A cell that only its inside
//! crosses must at least be in the ring, or nothing there would see it: that is the *validity
//! criterion*, "no cell of the environment inside a triangle", here in a form that can be decided:
//! **every cell that the triangle meets is crossed or in the ring**. Cells that it meets hang
//! together, so they are found by spreading from those that it crosses, each tested by cutting the
//! triangle with the cell's tetrahedra. It fails where the environment has been refined or the
//! surface stretched.
//!
//! # Practice
//! [`Surface::restore`] cuts the longest edge of a triangle that fails in two, with the triangle on
//! its other side, until none fails: the surface stays without gaps however it moves. What is cut
//! in stays in the middle of the edge that it was cut into when the surface is moved
//! ([`Surface::move_to`]). Off the real-time thread: it allocates. On a curved surface the middle
//! of an edge is in no cell, so nothing is cut there: triangles that fail are counted.

use hapticd_geometry::Vec3;

use crate::map::{Cell, Map, Marks, Space};
use crate::registration::{EntityId, InsertError, Kind, ParticleId, Registration, RemoveError};
use crate::track::TrackError;

/// Why there is no such surface. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// Which triangle.
        triangle: usize,
        /// The bad index.
        index: u32,
        /// Vertex count.
        vertices: usize,
    },
    /// A vertex is in no cell, or no place.
    #[error("vertex {vertex}: {error}")]
    Vertex {
        /// Which one.
        vertex: usize,
        /// Why.
        error: TrackError,
    },
    /// A triangle with a vertex twice.
    #[error("triangle {triangle}: {error}")]
    Triangle {
        /// Which one.
        triangle: usize,
        /// Why.
        error: InsertError,
    },
    /// Another number of positions than the surface has been made of.
    #[error("{given} positions for a surface of {wanted} vertices")]
    Count {
        /// As given.
        given: usize,
        /// As it should be.
        wanted: usize,
    },
    /// Parts of it have been removed from under it.
    #[error(transparent)]
    Gone(#[from] RemoveError),
}

/// What [`Surface::restore`] has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Edges that were cut.
    pub cuts: usize,
    /// Triangles that still fail: the limit of cuts was reached, or the middle of an edge is in no
    /// cell.
    pub invalid: usize,
}

/// A surface that is registered.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The given vertices first, then those cut in.
    particles: Vec<ParticleId>,
    /// Of each that was cut in: the two that it is in the middle of.
    between: Vec<[usize; 2]>,
    given: usize,
    triangles: Vec<EntityId>,
    /// By vertices, as `triangles`.
    corners: Vec<[usize; 3]>,
}

impl Surface {
    /// Registers a surface, vertices in m, looked for from a leaf nearby.
    ///
    /// # Errors
    /// See [`SurfaceError`]; then nothing is registered.
    ///
    /// # Panics
    /// If `near` is no leaf.
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

    /// Its triangles as they are now.
    #[must_use]
    pub fn triangles(&self) -> &[EntityId] {
        &self.triangles
    }

    /// Its vertices: those that it was made of first, then those cut in.
    #[must_use]
    pub fn particles(&self) -> &[ParticleId] {
        &self.particles
    }

    /// Takes all of it out.
    ///
    /// # Errors
    /// [`RemoveError::Gone`] where parts of it have been removed from under it,
    /// [`RemoveError::Used`] where others end at its vertices.
    pub fn remove(self, registration: &mut Registration) -> Result<(), RemoveError> {
        for x in self.triangles {
            registration.remove(x)?;
        }
        for p in self.particles {
            registration.remove_particle(p)?;
        }
        Ok(())
    }

    /// Moves the given vertices, m, and those cut in to the middles of their edges; settles. A
    /// vertex whose way is blocked stays behind, and is counted.
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

    /// Cuts triangles until all are valid, `limit` edges at most. Settles first.
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
            // A cut may make a valid triangle two, which are as valid: parts of it, with its middle
            // crossed besides. They are looked at all the same, at the end.
        }
        Ok(restored)
    }

    /// Cuts the longest edge of a triangle, with all triangles at it. Says whether its middle was
    /// in a cell.
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
    /// Whether every leaf that a triangle meets, with its inside too, is crossed by its border or
    /// in the ring of what is; true for other entities, and for none. Allocates.
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
        // What it meets hangs together: if it meets anything beyond the ring, it meets something
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
    /// Whether a leaf meets a triangle, in more than a line of its side; on a curved surface
    /// whether they overlap seen along the triangle's normal, from whichever side. Goes through all
    /// its darts.
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

/// Leaves what is on the inner side of a plane, where a function that falls evenly is positive
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
