//! Velocities of a mesh's vertices, from the velocities of the primitives. For callers that draw
//! the mesh at another time than it was made for.
//!
//! # Theory
//!
//! A vertex moves with its primitives. Its velocity is the mean of the velocities of the primitives
//! that reach it, weighted with the absolute value of their potentials there. This is exact where
//! all primitives that reach a vertex have one velocity, whatever the rest does. Otherwise it lies
//! between their velocities, and is continuous along the surface.
//!
//! It is not the velocity of the surface. Along its normal that is `-(∂F/∂t) / |∇F|`, which has
//! gradients for weights and is unbounded where surfaces part or meet. Also, primitives have no
//! rotation here. A mesh moved by these velocities for one frame looks good; a new mesh looks
//! better.
//!
//! # Practice
//!
//! Applies to the mesh of the last call. Linear in vertices times the primitives that reach them.
//! Allocates only when a mesh exceeds all earlier ones in size.

use hapticd_geometry::Vec3;
use wide::f32x4;

use super::Skin;
use crate::blend::members;
use crate::mesh::Mesh;
use crate::sample::{Source, value_of_other};

/// Reasons for refusing motions. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The number of velocities differs from the number of primitives of the last mesh.
    #[error("{given} velocities: the last mesh was made of {primitives} primitives")]
    Velocities {
        /// Number of velocities given.
        given: usize,
        /// Number required.
        primitives: usize,
    },
    /// A velocity is not finite in single precision.
    #[error("velocity {number}: {velocity:?} m/s is not finite in single precision")]
    NotFinite {
        /// Number of the velocity.
        number: usize,
        /// Velocity as given, m/s.
        velocity: [f64; 3],
    },
    /// The mesh is not the one made last.
    #[error("a mesh of {given} points: the last one had {made}")]
    Mesh {
        /// Points of the mesh given.
        given: usize,
        /// Points of the last mesh.
        made: usize,
    },
}

impl Skin {
    /// Writes the velocity of each point of `mesh`, m/s, to `out`, replacing its content. `mesh`
    /// must be the one made last; `velocities` has one entry for each of its primitives, m/s. With
    /// controlled blending, a vertex moves with its own class or clique only. The module's theory
    /// states the limits.
    ///
    /// # Errors
    /// [`MotionError`]: the first defect found; `out` is then empty.
    pub fn motions(
        &self,
        mesh: &Mesh,
        velocities: &[Vec3],
        out: &mut Vec<[f32; 3]>,
    ) -> Result<(), MotionError> {
        out.clear();
        let made = self.now.made.map_or(0, |_| self.grids.len());
        let (given, primitives) = (velocities.len(), self.now.primitives.len() + made);
        if given != primitives {
            return Err(MotionError::Velocities { given, primitives });
        }
        // Velocities are published in single precision.
        let is_finite = |v: &Vec3| v.iter().all(|x| (*x as f32).is_finite());
        if let Some(number) = velocities.iter().position(|v| !is_finite(v)) {
            let velocity = velocities[number].into();
            return Err(MotionError::NotFinite { number, velocity });
        }
        let (given, made) = (mesh.points.len(), self.now.points);
        if given != made {
            return Err(MotionError::Mesh { given, made });
        }
        for brick in &self.now.bricks {
            let (first, count) = (brick.first as usize, brick.count as usize);
            let list = self.now.lists.of(brick.slot as usize);
            let work = &self.now.parts[brick.part as usize].work;
            if let Some(creased) = brick.creased {
                let union = &self.now.parts[brick.part as usize].union;
                let points = mesh.points[first..first + count].chunks(1);
                for (points, clique) in points.zip(union.cliques_of(creased)) {
                    self.mean(clique.iter().copied(), points, velocities, out);
                }
                continue;
            }
            let mixed = brick.mixed.map(|mixed| &work.mixed[mixed as usize]);
            let plain = mixed.map_or(count, |mixed| mixed.first as usize);
            let (plain, named) = mesh.points[first..first + count].split_at(plain);
            for points in plain.chunks(4) {
                self.mean(list.iter().copied(), points, velocities, out);
            }
            let classes = mixed.map_or(0..0, |mixed| mixed.named.0..mixed.named.1);
            for (points, class) in named.chunks(1).zip(&work.named_of[classes]) {
                let class = members(*class).map(|i| list[i]);
                self.mean(class, points, velocities, out);
            }
        }
        Ok(())
    }

    /// Appends the mean velocities of up to four points that these entries reach.
    fn mean(
        &self,
        entries: impl Iterator<Item = u32> + Clone,
        points: &[[f32; 3]],
        velocities: &[Vec3],
        out: &mut Vec<[f32; 3]>,
    ) {
        let Some((domain, first)) = self
            .now
            .made
            .map(|made| made.domain)
            .zip(entries.clone().next())
        else {
            out.extend(points.iter().map(|_| [0.0; 3]));
            return;
        };
        let low = domain.low();
        let local = |p: &[f32; 3]| [0, 1, 2].map(|k| (f64::from(p[k]) - low[k]) as f32);
        let lane = |j: usize| local(&points[j.min(points.len() - 1)]);
        let at = [0, 1, 2, 3].map(lane);
        let [x, y, z] = [0, 1, 2].map(|k| f32x4::new(at.map(|p| p[k])));
        let velocity = |entry: u32| -> [f32; 3] {
            velocities[self.now.order[entry as usize] as usize]
                .cast()
                .into()
        };
        // Relative to the first velocity: if all are equal, nothing is rounded.
        let base = velocity(first);
        let (mut weights, mut sum) = (f32x4::ZERO, [f32x4::ZERO; 3]);
        for entry in entries.clone() {
            let weight = match self.now.balls.get(entry as usize) {
                Some(ball) => ball.at_four([x, y, z]),
                None => f32x4::new(at.map(|p| value_of_other(&domain, self.source(entry), p))),
            };
            let weight = weight.abs();
            weights += weight;
            let velocity = velocity(entry);
            for k in 0..3 {
                sum[k] += weight * f32x4::splat(velocity[k] - base[k]);
            }
        }
        let mean = sum.map(|sum| (sum / weights).to_array());
        for (j, at) in at.iter().enumerate().take(points.len()) {
            let more = mean.map(|lanes| lanes[j]);
            out.push(if more.iter().all(|x| x.is_finite()) {
                [0, 1, 2].map(|k| base[k] + more[k])
            } else {
                velocity(self.nearest(entries.clone(), low, at).unwrap_or(first))
            });
        }
    }

    /// Entry with the nearest heart, the first of equals. Needed where a vertex lies between nodes,
    /// out of reach of everything that reaches a node.
    fn nearest(&self, entries: impl Iterator<Item = u32>, low: Vec3, at: &[f32; 3]) -> Option<u32> {
        let at = low + Vec3::from(at.map(f64::from));
        let heart = |entry: u32| match self.source(entry) {
            Source::Primitive(primitive) => primitive.heart(),
            Source::Grid(grid) => 0.5 * (grid.bounds().0 + grid.bounds().1),
        };
        entries.min_by(|a, b| {
            let [a, b] = [a, b].map(|entry| (heart(*entry) - at).norm_squared());
            a.total_cmp(&b)
        })
    }

    fn source(&self, entry: u32) -> Source<'_> {
        let number = self.now.order[entry as usize] as usize;
        match self.now.primitives.get(number) {
            Some(primitive) => Source::Primitive(primitive),
            None => Source::Grid(&self.grids[number - self.now.primitives.len()]),
        }
    }
}
