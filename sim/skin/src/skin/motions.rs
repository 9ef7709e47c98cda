//! How the vertices of a mesh move, from how the primitives do: for whoever draws it at another
//! time than it was made for.
//!
//! # Theory
//!
//! A vertex goes with what it is made of: its velocity is the mean of those of the primitives that
//! reach it, each weighted with the potential that it has there, without sign. That is exact where
//! all that reaches a vertex has one velocity, whatever the rest does; it lies between the
//! velocities otherwise, and is continuous along the surface.
//!
//! What it is not: the velocity of the surface. Along its normal that is `-(∂F/∂t) / |∇F|`, which
//! has gradients for weights and no bound where surfaces part or meet; and a primitive has no
//! rotation here. A mesh that is moved on by these for one frame is good to look at, and a new one
//! is better.
//!
//! # Practice
//!
//! For the mesh of the last call. Linear in vertices times what reaches them; does not allocate
//! once it has seen as much.

use hapticd_geometry::Vec3;
use wide::f32x4;

use super::Skin;
use crate::blend::members;
use crate::mesh::Mesh;
use crate::sample::{Source, value_of_other};

/// Why motions were refused. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// One for each primitive of the last mesh, or none has meaning.
    #[error("{given} velocities: the last mesh was made of {primitives} primitives")]
    Velocities {
        /// How many came.
        given: usize,
        /// How many there have to be.
        primitives: usize,
    },
    /// One that is none, if only in single precision.
    #[error("velocity {number}: {velocity:?} m/s is not finite in single precision")]
    NotFinite {
        /// Which.
        number: usize,
        /// As given, m/s.
        velocity: [f64; 3],
    },
    /// Not the mesh that was made last.
    #[error("a mesh of {given} points: the last one had {made}")]
    Mesh {
        /// How many it has.
        given: usize,
        /// How many it has to have.
        made: usize,
    },
}

impl Skin {
    /// The velocity of each point of `mesh`, m/s, which is the one that was made last, in place of
    /// what was in `out`. `velocities`: of each primitive that it was made of, m/s. Where blending
    /// is controlled, a vertex goes with its own class or clique only. See the module's theory for
    /// what this is not.
    ///
    /// # Errors
    /// [`MotionError`]: the first thing that is wrong; `out` is empty then.
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
        // In single precision, as they are published.
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

    /// Of up to four points that these entries reach.
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
        // From that of the first: where all are the same nothing is rounded.
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

    /// Whose heart is nearest, the first of equals: where a vertex, which is between nodes, is
    /// beyond all that reaches a node.
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
