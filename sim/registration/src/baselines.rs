//! Pairs of neighbours within a radius, found in three ways: by registration, by a regular grid, by spatial hashing.
//!
//! For comparisons, with one trait ([`Neighbours`]) and the same pairs from all ([`Pairs`]). Spatial hashing after Teschner 2003 (Pitiot 2015, section 2.2) for points: all are
//! hashed anew at each update, by cells as wide as the radius. The grid keeps a list per cell of a bounded space and moves points between them. Registration reads the lists of a
//! point's cell, whose ring must be at least as wide as the radius: so its cells must be.

use hapticd_geometry::Vec3;

use crate::map::Cell;
use crate::registration::{EntityId, Kind, ParticleId, Registration, RemoveError};
use crate::scale::{Density, DensityError, Scaler};
use crate::track::TrackError;

/// Pairs of points, the lower number first, without order among them.
pub type Pairs = Vec<[u32; 2]>;

/// Why an update was refused. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// Another number of points than at the beginning.
    #[error("{given} points, there were {wanted}")]
    Count {
        /// As given.
        given: usize,
        /// As it should be.
        wanted: usize,
    },
    /// A point is no place, or in no cell.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// What is registered has been changed by somebody else.
    #[error(transparent)]
    Registration(#[from] RemoveError),
    /// The criterion of scaling.
    #[error(transparent)]
    Density(#[from] DensityError),
    /// Not a positive, finite radius, or a grid of too many cells.
    #[error("a radius of {radius_m} m in a space of {extent_m:?} m")]
    Radius {
        /// As given, m.
        radius_m: f64,
        /// Of the space, m.
        extent_m: [f64; 3],
    },
}

/// Who is near whom.
pub trait Neighbours {
    /// All points have moved to these places, m.
    ///
    /// # Errors
    /// See [`BaselineError`].
    fn update(&mut self, positions: &[Vec3]) -> Result<(), BaselineError>;

    /// Puts every pair of points at most the radius apart into `out`, once.
    fn pairs(&mut self, out: &mut Pairs);
}

/// By registration, with cells that follow the density where a criterion is given.
#[derive(Clone, Debug)]
pub struct ByRegistration {
    registration: Registration,
    particles: Vec<ParticleId>,
    positions: Vec<Vec3>,
    /// By entity: which point it is.
    number: Vec<u32>,
    scaler: Option<Scaler>,
    radius_m: f64,
    cells: Vec<Cell>,
    near: Vec<(Vec3, u32)>,
    stale: bool,
}

impl ByRegistration {
    /// Over an empty registration. Its cells, at the finest level of the criterion too, must not be narrower than the radius, m.
    ///
    /// # Errors
    /// See [`BaselineError`].
    ///
    /// # Panics
    /// If the map has no leaf, which does not happen.
    pub fn new(
        registration: Registration,
        positions: &[Vec3],
        radius_m: f64,
        density: Option<Density>,
    ) -> Result<Self, BaselineError> {
        let mut new = ByRegistration {
            registration,
            particles: Vec::new(),
            positions: positions.to_vec(),
            number: Vec::new(),
            scaler: density.map(Scaler::new).transpose()?,
            radius_m,
            cells: Vec::new(),
            near: Vec::new(),
            stale: true,
        };
        let mut near = new
            .registration
            .map()
            .leaves()
            .next()
            .expect("a map has leaves");
        for at in positions {
            let p = new.registration.insert_particle(at, near)?;
            new.particles.push(p);
            if let Some(particle) = new.registration.particle(p) {
                near = new.registration.map().cell(particle.dart);
            }
            if let Ok(x) = new.registration.insert_point(p) {
                new.note(x);
            }
        }
        new.scale();
        Ok(new)
    }

    /// The registration.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    fn note(&mut self, x: EntityId) {
        if self.number.len() <= x.index() {
            self.number.resize(x.index() + 1, 0);
        }
        self.number[x.index()] = self.particles.len() as u32 - 1;
    }

    fn scale(&mut self) {
        if let Some(scaler) = &mut self.scaler {
            let done = scaler.step(&mut self.registration);
            self.stale |= done.refined + done.merged > 0;
        }
    }
}

impl Neighbours for ByRegistration {
    fn update(&mut self, positions: &[Vec3]) -> Result<(), BaselineError> {
        count(positions.len(), self.particles.len())?;
        for (p, goal) in self.particles.iter().zip(positions) {
            let _ = self.registration.move_particle(*p, goal)?;
        }
        self.positions.copy_from_slice(positions);
        self.scale();
        Ok(())
    }

    fn pairs(&mut self, out: &mut Pairs) {
        out.clear();
        if self.stale {
            self.cells.clear();
            self.cells.extend(self.registration.map().leaves());
            self.stale = false;
        }
        let r2 = self.radius_m * self.radius_m;
        for &c in &self.cells {
            let (present, neighbours) = self.registration.numbers(c, Kind::Point);
            if present.is_empty() {
                continue;
            }
            // All of them side by side, so that each of the cell's own goes straight through.
            self.near.clear();
            for &x in present.iter().chain(neighbours) {
                let i = self.number[x as usize];
                self.near.push((self.positions[i as usize], i));
            }
            let own = present.len();
            for k in 0..own {
                let (p, i) = self.near[k];
                for &(q, j) in &self.near[k + 1..own] {
                    if (q - p).norm_squared() <= r2 {
                        out.push([i.min(j), i.max(j)]);
                    }
                }
                for &(q, j) in &self.near[own..] {
                    if i < j && (q - p).norm_squared() <= r2 {
                        out.push([i, j]);
                    }
                }
            }
        }
    }
}

fn count(given: usize, wanted: usize) -> Result<(), BaselineError> {
    if given == wanted {
        Ok(())
    } else {
        Err(BaselineError::Count { given, wanted })
    }
}

fn check_all(positions: &[Vec3]) -> Result<(), BaselineError> {
    for p in positions {
        crate::track::finite(p)?;
    }
    Ok(())
}

/// By a regular grid over a bounded space; points outside are in the cell at the border.
#[derive(Clone, Debug)]
pub struct ByGrid {
    low: Vec3,
    radius_m: f64,
    cells: [usize; 3],
    /// Per cell its points.
    lists: Vec<Vec<u32>>,
    /// Per point its cell.
    of: Vec<u32>,
    positions: Vec<Vec3>,
}

impl ByGrid {
    /// Over the box from `low` to `high`, m, by cells as wide as the radius.
    ///
    /// # Errors
    /// See [`BaselineError`].
    pub fn new(
        low: Vec3,
        high: Vec3,
        positions: &[Vec3],
        radius_m: f64,
    ) -> Result<Self, BaselineError> {
        let extent = high - low;
        let many = extent.map(|x| (x / radius_m).floor().max(1.0));
        let all = many.product();
        if !(radius_m > 0.0 && radius_m.is_finite() && all < 1e8) {
            return Err(BaselineError::Radius {
                radius_m,
                extent_m: [extent.x, extent.y, extent.z],
            });
        }
        check_all(positions)?;
        let mut new = ByGrid {
            low,
            radius_m,
            cells: [many.x as usize, many.y as usize, many.z as usize],
            lists: vec![Vec::new(); all as usize],
            of: Vec::new(),
            positions: positions.to_vec(),
        };
        for (i, p) in positions.iter().enumerate() {
            let cell = new.cell(p);
            new.lists[cell as usize].push(i as u32);
            new.of.push(cell);
        }
        Ok(new)
    }

    fn axes(&self, p: &Vec3) -> [usize; 3] {
        let q = (p - self.low) / self.radius_m;
        std::array::from_fn(|i| (q[i].max(0.0) as usize).min(self.cells[i] - 1))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> u32 {
        (x + self.cells[0] * (y + self.cells[1] * z)) as u32
    }

    fn cell(&self, p: &Vec3) -> u32 {
        self.number(self.axes(p))
    }
}

impl Neighbours for ByGrid {
    fn update(&mut self, positions: &[Vec3]) -> Result<(), BaselineError> {
        count(positions.len(), self.of.len())?;
        check_all(positions)?;
        for (i, p) in positions.iter().enumerate() {
            let (from, to) = (self.of[i], self.cell(p));
            if from != to {
                let list = &mut self.lists[from as usize];
                if let Some(k) = list.iter().position(|&x| x == i as u32) {
                    list.swap_remove(k);
                }
                self.lists[to as usize].push(i as u32);
                self.of[i] = to;
            }
        }
        self.positions.copy_from_slice(positions);
        Ok(())
    }

    fn pairs(&mut self, out: &mut Pairs) {
        out.clear();
        let r2 = self.radius_m * self.radius_m;
        for (i, p) in self.positions.iter().enumerate() {
            let at = self.axes(p);
            let around = |k: usize| at[k].saturating_sub(1)..(at[k] + 2).min(self.cells[k]);
            for z in around(2) {
                for y in around(1) {
                    for x in around(0) {
                        for &j in &self.lists[self.number([x, y, z]) as usize] {
                            let q = self.positions[j as usize];
                            if (i as u32) < j && (q - p).norm_squared() <= r2 {
                                out.push([i as u32, j]);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// By spatial hashing: unbounded space, a table of fixed size, filled anew at each update.
#[derive(Clone, Debug)]
pub struct ByHash {
    radius_m: f64,
    flat: bool,
    /// Where each bucket begins in `items`; one more at the end.
    starts: Vec<u32>,
    items: Vec<u32>,
    cells: Vec<[i32; 3]>,
    positions: Vec<Vec3>,
}

impl ByHash {
    /// By cells as wide as the radius, m, in a table of about twice as many buckets as points. `flat`: all have the same z for ever, and the cells above and below are not
    /// looked at.
    ///
    /// # Errors
    /// See [`BaselineError`].
    pub fn new(positions: &[Vec3], radius_m: f64, flat: bool) -> Result<Self, BaselineError> {
        if !(radius_m > 0.0 && radius_m.is_finite()) {
            return Err(BaselineError::Radius {
                radius_m,
                extent_m: [f64::INFINITY; 3],
            });
        }
        let buckets = (2 * positions.len().max(8)).next_power_of_two();
        let mut new = ByHash {
            radius_m,
            flat,
            starts: vec![0; buckets + 1],
            items: vec![0; positions.len()],
            cells: vec![[0; 3]; positions.len()],
            positions: positions.to_vec(),
        };
        new.update(positions)?;
        Ok(new)
    }

    /// Teschner's three primes.
    fn bucket(&self, [x, y, z]: [i32; 3]) -> usize {
        let hash = (x as u32).wrapping_mul(73_856_093)
            ^ (y as u32).wrapping_mul(19_349_663)
            ^ (z as u32).wrapping_mul(83_492_791);
        hash as usize & (self.starts.len() - 2)
    }
}

impl Neighbours for ByHash {
    fn update(&mut self, positions: &[Vec3]) -> Result<(), BaselineError> {
        count(positions.len(), self.items.len())?;
        check_all(positions)?;
        self.positions.copy_from_slice(positions);
        self.starts.fill(0);
        let scale = 1.0 / self.radius_m;
        for (i, p) in positions.iter().enumerate() {
            let q = p * scale;
            // Beyond the range of `i32` cells are lumped together, which costs time and loses nothing.
            self.cells[i] = [q.x.floor() as i32, q.y.floor() as i32, q.z.floor() as i32];
            let bucket = self.bucket(self.cells[i]);
            self.starts[bucket] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // From the back, so that each start comes to be where its bucket begins.
        for i in (0..positions.len()).rev() {
            let bucket = self.bucket(self.cells[i]);
            self.starts[bucket] -= 1;
            self.items[self.starts[bucket] as usize] = i as u32;
        }
        Ok(())
    }

    fn pairs(&mut self, out: &mut Pairs) {
        out.clear();
        let r2 = self.radius_m * self.radius_m;
        let above = if self.flat { 0..=0 } else { -1..=1 };
        for (i, p) in self.positions.iter().enumerate() {
            let [cx, cy, cz] = self.cells[i];
            for dz in above.clone() {
                for dy in -1..=1 {
                    for dx in -1..=1 {
                        let [x, y, z] = [(cx, dx), (cy, dy), (cz, dz)]
                            .map(|(c, d): (i32, i32)| c.checked_add(d));
                        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
                            continue;
                        };
                        let cell = [x, y, z];
                        let bucket = self.bucket(cell);
                        let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
                        for &j in &self.items[range] {
                            // Another cell may have the same bucket.
                            if (i as u32) < j && self.cells[j as usize] == cell {
                                let q = self.positions[j as usize];
                                if (q - p).norm_squared() <= r2 {
                                    out.push([i as u32, j]);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
