//! Moving points in a map that is built around them and adapted to them: any two within a given
//! reach are in each other's lists.
//!
//! # Theory
//! A point is present in one leaf and a neighbour in that leaf's ring (Pitiot 2015, section 5.1),
//! and a ring is as wide as its narrowest cell. So if no leaf is narrower than the reach,
//! everything within reach of a position is present in its leaf or in the ring. Leaves are cubes,
//! refined where points crowd (section 6.1), but never to below the reach. If the reach grows, the
//! leaves that have become too narrow are merged first. The same holds along a path: everything
//! within reach of any position on it is in the lists of the leaves that the path crosses
//! ([`MovingPoints::march`]). Continuous detection can build on that.
//!
//! # Practice
//! The map is a box of cubes with space for motion. It is rebuilt when points leave it, when their
//! number changes, or when its cells no longer fit the reach. That allocates. Otherwise nothing
//! allocates once tables have reached their largest size. Off the real-time thread. Deterministic:
//! the same calls give the same lists in the same order. The same positions with another history
//! may give another order. SI units, world axes.

use hapticd_geometry::Vec3;

use crate::beside::Gathered;
use crate::map::{Cell, GridError, MAX_LEVEL, Map};
use crate::registration::{InsertError, Kind, ParticleId, Policy, Registration, RemoveError};
use crate::scale::{Density, DensityError, Scaler};
use crate::track::{Outcome, Path, TrackError};

/// Levels between the widest cells and those of the reach, if the number of the widest allows it.
const LEVELS: u8 = 2;
/// Most cells of the coarsest level.
const MAX_COARSE: f64 = 8192.0;
/// When the map is built, its finest cells are wider than the reach by this factor, so that a reach
/// that grows a little keeps the map.
const REACH_SLACK: f64 = 1.2;
/// Margin around the points when the map is built, as a share of their extent, on either side.
const MARGIN_SHARE: f64 = 0.25;
/// A leaf with more points than this is refined.
const SPLIT: usize = 8;
/// Most cells refined or merged by density in a step.
const BUDGET: usize = 64;
/// Share by which cells must be wider than the reach, against rounding in coordinates of up to
/// [`FURTHEST`] reaches.
const ROUNDING: f64 = 1e-6;
/// Largest distance of a coordinate from zero, in reaches.
pub const FURTHEST: f64 = 1e8;

/// Why points were not placed. The caller's fault. Afterwards there are no points until the next
/// call succeeds.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// A coordinate is not finite, or too far away for the reach.
    #[error("point {point}: {at:?} m is not a place within {FURTHEST:e} reaches")]
    Place {
        /// Index of the point.
        point: usize,
        /// Its position, m.
        at: [f64; 3],
    },
    /// The reach is not positive and finite, or the margin is invalid.
    #[error("a reach of {reach_m} m with {room_m} m of room around")]
    Reach {
        /// The given reach, m.
        reach_m: f64,
        /// The given margin, m.
        room_m: f64,
    },
    /// The grid is invalid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A point is in no cell.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A point could not be moved.
    #[error(transparent)]
    Move(#[from] RemoveError),
    /// A point could not be registered.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// The levels are invalid.
    #[error(transparent)]
    Density(#[from] DensityError),
}

/// Everything that is rebuilt with the map.
#[derive(Clone, Debug)]
struct BuiltMap {
    registration: Registration,
    scaler: Scaler,
    low: Vec3,
    high: Vec3,
    /// Width of the coarsest cells, m.
    width_m: f64,
    /// Deepest level for the reach at which the map was built.
    levels: u8,
}

impl BuiltMap {
    fn width_at(&self, level: u8) -> f64 {
        self.width_m / f64::from(1_u32 << level)
    }
}

/// Moving points with lists of their neighbours. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct MovingPoints {
    made: Option<BuiltMap>,
    /// By point. Entity `i` is the point at particle `i`: they are inserted in order into an empty
    /// registration, and none is ever removed.
    particles: Vec<ParticleId>,
    leaves: Vec<Cell>,
    gathered: Gathered,
    reach_m: f64,
    remade: u64,
}

impl MovingPoints {
    /// Creates a structure without points.
    #[must_use]
    pub fn new() -> Self {
        MovingPoints::default()
    }

    /// Moves all points to these positions, m: each is then in the lists of all leaves that have a
    /// position within `reach_m` of it. The map covers everything within `room_m` of the box of the
    /// points.
    ///
    /// # Errors
    /// See [`PointsError`].
    pub fn place(&mut self, at: &[Vec3], reach_m: f64, room_m: f64) -> Result<(), PointsError> {
        let done = self.try_place(at, reach_m, room_m);
        if done.is_err() {
            self.made = None;
            self.particles.clear();
            self.leaves.clear();
        }
        done
    }

    fn try_place(&mut self, at: &[Vec3], reach_m: f64, room_m: f64) -> Result<(), PointsError> {
        if !(reach_m > 0.0 && room_m >= 0.0 && (reach_m + room_m).is_finite()) {
            return Err(PointsError::Reach { reach_m, room_m });
        }
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(-f64::INFINITY));
        for (point, p) in at.iter().enumerate() {
            let far = p.x.abs().max(p.y.abs()).max(p.z.abs());
            // The sum, because the maximum drops NaN.
            if !(far <= FURTHEST * reach_m && (p.x + p.y + p.z).is_finite()) {
                let at = [p.x, p.y, p.z];
                return Err(PointsError::Place { point, at });
            }
            (low, high) = (low.inf(p), high.sup(p));
        }
        self.reach_m = reach_m;
        if at.is_empty() {
            self.made = None;
            self.particles.clear();
            return Ok(());
        }
        let (low, high) = (low - Vec3::repeat(room_m), high + Vec3::repeat(room_m));
        let fits = self.made.as_ref().is_some_and(|made| {
            let inside = (0..3).all(|k| made.low[k] < low[k] && high[k] < made.high[k]);
            // Cells twice too wide at the deepest level do not fit: a finer map would have shorter
            // lists.
            let narrow = made.width_at(made.levels) <= 2.0 * REACH_SLACK * reach_m;
            let wide = made.width_m >= (1.0 + ROUNDING) * reach_m;
            self.particles.len() == at.len() && inside && narrow && wide
        });
        if fits {
            self.limit();
            return self.follow(at);
        }
        self.make(at, low, high)
    }

    /// Returns the deepest level with cells no narrower than the reach.
    fn deepest(made: &BuiltMap, reach_m: f64) -> u8 {
        let fine = |level: &u8| made.width_at(*level) >= (1.0 + ROUNDING) * reach_m;
        (0..=made.levels).rev().find(fine).unwrap_or(0)
    }

    /// Makes sure that no leaf is narrower than the reach.
    fn limit(&mut self) {
        let Some(made) = &mut self.made else { return };
        let (now, before) = (
            Self::deepest(made, self.reach_m),
            made.scaler.density().finest,
        );
        if now == before {
            return;
        }
        made.scaler.set_finest(now);
        if now > before {
            // Leaves at the former finest level may be crowded.
            self.leaves.clear();
            self.leaves.extend(made.registration.map().leaves());
            for &c in &self.leaves {
                made.registration.touch(c);
            }
            return;
        }
        for level in (now + 1..=before).rev() {
            self.leaves.clear();
            let map = made.registration.map();
            self.leaves
                .extend(map.leaves().filter(|c| map.cell_level(*c) == level));
            for &c in &self.leaves {
                // Siblings are merged with the first of them.
                let map = made.registration.map();
                let parent = map.is_leaf(c).then(|| map.parent(c)).flatten();
                if let Some(parent) = parent.filter(|_| map.cell_level(c) == level) {
                    // All its children are leaves, since none is deeper.
                    let _ = made.registration.coarsen(parent);
                }
            }
        }
    }

    fn follow(&mut self, at: &[Vec3]) -> Result<(), PointsError> {
        let Some(made) = &mut self.made else {
            return Ok(());
        };
        for (p, goal) in self.particles.iter().zip(at) {
            match made.registration.move_particle(*p, goal)? {
                Outcome::Reached => {}
                // Not inside the box; that has been checked.
                Outcome::Blocked { .. } => {
                    let at = [goal.x, goal.y, goal.z];
                    return Err(TrackError::Outside { at }.into());
                }
            }
        }
        let _ = made.scaler.step(&mut made.registration);
        Ok(())
    }

    fn make(&mut self, at: &[Vec3], low: Vec3, high: Vec3) -> Result<(), PointsError> {
        let mut levels = LEVELS;
        let fine = REACH_SLACK * self.reach_m;
        let extent = (high - low) * (1.0 + 2.0 * MARGIN_SHARE) + Vec3::repeat(2.0 * fine);
        let mut width_m = fine * f64::from(1_u32 << levels);
        let cells = |width: f64| extent.map(|x| (x / width).ceil().max(1.0));
        while cells(width_m).product() > MAX_COARSE && levels < MAX_LEVEL {
            (width_m, levels) = (2.0 * width_m, levels + 1);
        }
        let many = cells(width_m);
        let origin = (low + high) / 2.0 - many * (0.5 * width_m);
        let map = Map::grid_3d(
            origin,
            width_m,
            [many.x as usize, many.y as usize, many.z as usize],
        )?;
        let density = Density {
            kind: Kind::Point,
            split: SPLIT,
            merge: SPLIT / 2,
            finest: levels,
            coarsest: 0,
            budget: usize::MAX,
            balanced: false,
        };
        let mut made = BuiltMap {
            registration: Registration::new(map, Policy::Tolerate),
            scaler: Scaler::new(density)?,
            low: origin,
            high: origin + many * width_m,
            width_m,
            levels,
        };
        self.particles.clear();
        let registration = &mut made.registration;
        let Some(mut near) = registration.map().leaves().next() else {
            return Ok(());
        };
        for p in at {
            let id = registration.insert_particle(p, near)?;
            registration.insert_point(id)?;
            if let Some(particle) = registration.particle(id) {
                near = registration.map().cell(particle.dart);
            }
            self.particles.push(id);
        }
        let finest = Self::deepest(&made, self.reach_m);
        made.scaler.set_finest(finest);
        while made.scaler.step(&mut made.registration).more {}
        made.scaler.set_budget(BUDGET);
        self.made = Some(made);
        self.remade += 1;
        Ok(())
    }

    /// Returns how often the map has been built.
    #[must_use]
    pub fn remade(&self) -> u64 {
        self.remade
    }

    /// Returns the registration of the points, in their order: entity `i` is point `i`. `None` if
    /// there are none.
    #[must_use]
    pub fn registration(&self) -> Option<&Registration> {
        self.made.as_ref().map(|made| &made.registration)
    }

    /// Marches along the segment from a point to `to` (m) and calls `visit` with every leaf that it
    /// enters, including the first. `None` if there is no such point.
    ///
    /// No allocation; the cost is proportional to the number of leaves crossed.
    pub fn march(&self, point: usize, to: &Vec3, visit: impl FnMut(Cell)) -> Option<Path> {
        let made = self.made.as_ref()?;
        let particle = made.registration.particle(*self.particles.get(point)?)?;
        let map = made.registration.map();
        Some(map.march(particle.dart, &particle.position, to, visit))
    }

    /// Returns the points in a leaf or in a cell around it, each once: all that are within reach of
    /// any position in the leaf, and some that are not.
    ///
    /// # Panics
    /// If the leaf does not belong to this map.
    pub fn around(&mut self, c: Cell) -> impl Iterator<Item = u32> + '_ {
        let made = self.made.as_mut();
        made.into_iter()
            .flat_map(move |made| made.registration.point_numbers(c))
    }

    /// Calls `visit` once for each two points no further apart than `radius_m`, with the lower
    /// index, the higher, and their squared distance, m². The order is unspecified.
    ///
    /// `at` holds the current positions of the points. A radius above the reach is reduced to the
    /// reach. No allocation once grown.
    pub fn pairs(&mut self, at: &[Vec3], radius_m: f64, mut visit: impl FnMut(u32, u32, f64)) {
        let Some(made) = &mut self.made else { return };
        if at.len() != self.particles.len() {
            return;
        }
        let radius = radius_m.min(self.reach_m);
        let most = radius * radius;
        self.gathered
            .gather(&made.registration, &self.particles, at);
        self.gathered
            .candidates(&mut made.registration, most, |one, others| {
                for other in others {
                    let square = (other.at - one.at).norm_squared();
                    if square <= most {
                        let (i, j) = (one.number, other.number);
                        visit(i.min(j), i.max(j), square);
                    }
                }
            });
    }
}
