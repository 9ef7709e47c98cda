//! Pairs of neighbours within a radius, found in three ways: by registration, by a regular grid,
//! and by spatial hashing.
//!
//! For comparisons: one trait ([`Neighbours`]), and the same pairs from all ([`Pairs`]). Spatial
//! hashing follows Teschner 2003 (Pitiot 2015, section 2.2), for points. It hashes all points again
//! at each update, by cells of a tuned width, stores them contiguously by bucket, and visits each
//! pair of cells once. The grid keeps a list per cell of a bounded space and moves points between
//! the lists. Registration gathers the points of each occupied cell contiguously and visits each
//! pair of cells of a ring once. The ring must be at least as wide as the radius, so the cells must
//! be.

use hapticd_geometry::Vec3;
use hapticd_registration::beside::{Gathered, GatheredPoint, MIN_FOR_BOX};
use hapticd_registration::registration::{ParticleId, Registration, RemoveError};
use hapticd_registration::scale::{Density, DensityError, Scaler};
use hapticd_registration::track::{TrackError, finite};

/// Pairs of points, lower number first, in any order.
pub type Pairs = Vec<[u32; 2]>;

/// Reasons for refusing an update. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The number of points differs from that at the start.
    #[error("{given} points, there were {wanted}")]
    Count {
        /// Number of points given.
        given: usize,
        /// Number of points expected.
        wanted: usize,
    },
    /// A point is not finite, or in no cell.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// Another user has changed the registered particles.
    #[error(transparent)]
    Registration(#[from] RemoveError),
    /// The criterion for scaling is invalid.
    #[error(transparent)]
    Density(#[from] DensityError),
    /// The radius is not positive and finite, or the grid has too many cells.
    #[error("a radius of {radius_m} m in a space of {extent_m:?} m")]
    Radius {
        /// Radius as given, m.
        radius_m: f64,
        /// Extent of the space, m.
        extent_m: [f64; 3],
    },
}

/// A method that finds pairs of neighbours.
pub trait Neighbours {
    /// Moves all points to these positions, m.
    ///
    /// # Errors
    /// See [`BaselineError`].
    fn update(&mut self, positions: &[Vec3]) -> Result<(), BaselineError>;

    /// Writes every pair of points at most the radius apart to `out`, once.
    fn pairs(&mut self, out: &mut Pairs);
}

/// Neighbours by registration. With a criterion, the cells follow the density.
#[derive(Clone, Debug)]
pub struct ByRegistration {
    registration: Registration,
    particles: Vec<ParticleId>,
    positions: Vec<Vec3>,
    scaler: Option<Scaler>,
    radius_m: f64,
    gathered: Gathered,
}

impl ByRegistration {
    /// Starts over an empty registration. Its cells must not be narrower than the radius, m, even
    /// at the finest level of the criterion.
    ///
    /// # Errors
    /// See [`BaselineError`].
    ///
    /// # Panics
    /// If the map has no leaf, which cannot happen.
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
            scaler: density.map(Scaler::new).transpose()?,
            radius_m,
            gathered: Gathered::default(),
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
            // The scaler counts points.
            let _ = new.registration.insert_point(p);
        }
        new.scale();
        Ok(new)
    }

    /// The registration in use.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    fn scale(&mut self) {
        if let Some(scaler) = &mut self.scaler {
            let _ = scaler.step(&mut self.registration);
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
        let r2 = self.radius_m * self.radius_m;
        self.gathered
            .gather(&self.registration, &self.particles, &self.positions);
        self.gathered
            .candidates(&mut self.registration, r2, |one, others| {
                near(one, others, r2, |_| true, out);
            });
    }
}

/// Appends the pairs of a point with those `others` that are within the radius and fit.
#[inline]
fn near<T: AsRef<GatheredPoint>>(
    own: &GatheredPoint,
    others: &[T],
    r2: f64,
    fits: impl Fn(&T) -> bool,
    out: &mut Pairs,
) {
    let i = own.number;
    let pair = |other: &T| {
        let j = other.as_ref().number;
        [i.min(j), i.max(j)]
    };
    let hit = |other: &T| ((other.as_ref().at - own.at).norm_squared() <= r2) & fits(other);
    if others.len() < MIN_FOR_BOX {
        for other in others {
            if hit(other) {
                out.push(pair(other));
            }
        }
        return;
    }
    // Branch-free: writes every pair, and keeps it only if it fits.
    let start = out.len();
    out.resize(start + others.len(), [0; 2]);
    let room = &mut out[start..];
    let mut count = 0;
    for other in others {
        room[count] = pair(other);
        count += usize::from(hit(other));
    }
    out.truncate(start + count);
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
        finite(p)?;
    }
    Ok(())
}

/// Neighbours by a regular grid over a bounded space. Points outside belong to border cells.
#[derive(Clone, Debug)]
pub struct ByGrid {
    low: Vec3,
    radius_m: f64,
    cells: [usize; 3],
    /// Points of each cell.
    lists: Vec<Vec<u32>>,
    /// Cell of each point.
    of: Vec<u32>,
    positions: Vec<Vec3>,
}

impl ByGrid {
    /// Covers the box from `low` to `high`, m, with cells as wide as the radius.
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

/// A point with its cell, since other cells may share the bucket.
#[derive(Clone, Copy, Debug)]
struct Hashed {
    point: GatheredPoint,
    cell: [i32; 3],
}

impl AsRef<GatheredPoint> for Hashed {
    #[inline]
    fn as_ref(&self) -> &GatheredPoint {
        &self.point
    }
}

/// Neighbours by spatial hashing: unbounded space, a table of fixed size, refilled at each update.
#[derive(Clone, Debug)]
pub struct ByHash {
    radius_m: f64,
    width_m: f64,
    /// Half of the cell offsets within reach, without the middle: visits each pair of cells once.
    later: Vec<[i32; 3]>,
    /// Start of each bucket in `items`, and the end.
    starts: Vec<u32>,
    /// Points, contiguous by bucket.
    items: Vec<Hashed>,
    cells: Vec<[i32; 3]>,
    /// Nonempty buckets of the later cells around the current cell.
    ranges: Vec<(u32, u32, [i32; 3])>,
}

impl ByHash {
    /// Uses cells of this width, m, at least a quarter of the radius, and a table with about twice
    /// as many buckets as points. `flat` means that all points always have the same z; the cells
    /// above and below are then not visited.
    ///
    /// # Errors
    /// See [`BaselineError`].
    pub fn new(
        positions: &[Vec3],
        radius_m: f64,
        width_m: f64,
        flat: bool,
    ) -> Result<Self, BaselineError> {
        let wide = width_m.is_finite() && width_m >= 0.25 * radius_m;
        if !(radius_m > 0.0 && radius_m.is_finite() && wide) {
            return Err(BaselineError::Radius {
                radius_m,
                extent_m: [width_m; 3],
            });
        }
        let reach = (radius_m / width_m).ceil() as i32;
        let above = if flat { 0 } else { reach };
        let mut later = Vec::new();
        for z in -above..=above {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    if [z, y, x] > [0, 0, 0] {
                        later.push([x, y, z]);
                    }
                }
            }
        }
        let later_count = later.len();
        let buckets = (2 * positions.len().max(8)).next_power_of_two();
        let nothing = Hashed {
            point: GatheredPoint {
                at: Vec3::zeros(),
                number: 0,
            },
            cell: [0; 3],
        };
        let mut new = ByHash {
            radius_m,
            width_m,
            later,
            starts: vec![0; buckets + 1],
            items: vec![nothing; positions.len()],
            cells: vec![[0; 3]; positions.len()],
            ranges: Vec::with_capacity(later_count),
        };
        new.update(positions)?;
        Ok(new)
    }

    /// Bucket of a cell, with Teschner's three primes.
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
        self.starts.fill(0);
        let scale = 1.0 / self.width_m;
        for (i, p) in positions.iter().enumerate() {
            let q = p * scale;
            // Cells outside the range of `i32` are merged, which costs time but loses no pair.
            self.cells[i] = [q.x.floor() as i32, q.y.floor() as i32, q.z.floor() as i32];
            let bucket = self.bucket(self.cells[i]);
            self.starts[bucket] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // Backwards, so that each start ends at the beginning of its bucket.
        for i in (0..positions.len()).rev() {
            let cell = self.cells[i];
            let bucket = self.bucket(cell);
            self.starts[bucket] -= 1;
            let point = GatheredPoint {
                at: positions[i],
                number: i as u32,
            };
            self.items[self.starts[bucket] as usize] = Hashed { point, cell };
        }
        Ok(())
    }

    fn pairs(&mut self, out: &mut Pairs) {
        out.clear();
        let r2 = self.radius_m * self.radius_m;
        let mut last = None;
        for (k, own) in self.items.iter().enumerate() {
            // The rest of its bucket; another cell may share the bucket.
            let end = self.starts[self.bucket(own.cell) + 1] as usize;
            let cell = own.cell;
            let rest = &self.items[k + 1..end];
            near(&own.point, rest, r2, |o| o.cell == cell, out);
            if last != Some(cell) {
                // Points of one cell usually follow each other.
                last = Some(cell);
                self.ranges.clear();
                for by in &self.later {
                    let [x, y, z] = std::array::from_fn(|a| cell[a].checked_add(by[a]));
                    let (Some(x), Some(y), Some(z)) = (x, y, z) else {
                        continue;
                    };
                    let bucket = self.bucket([x, y, z]);
                    let (start, end) = (self.starts[bucket], self.starts[bucket + 1]);
                    if start < end {
                        self.ranges.push((start, end, [x, y, z]));
                    }
                }
            }
            for &(start, end, cell) in &self.ranges {
                let others = &self.items[start as usize..end as usize];
                near(&own.point, others, r2, |o| o.cell == cell, out);
            }
        }
    }
}
