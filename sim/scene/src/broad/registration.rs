//! Registration as a broad phase: the middles of the boxes are points that are tracked from cell to
//! cell of a map of space, and what may meet a box is in the lists of its own cell.
//!
//! # Theory
//!
//! A point's lists name all points in its cell and in the cells around it (Pitiot 2015, section
//! 5.1). The map is one of cubes, crowded ones refined (section 6.1) down to a finest width `w`;
//! all leaves are made of whole cubes of that width, so what is nearer to a point than `w` along
//! every axis is in a leaf that shares a vertex with the point's, or in the same. Two boxes whose
//! half widths are below `w / 2` and that meet have middles nearer than that: they are in each
//! other's lists. Boxes that are larger, or out of the map, are few by the choice of `w` and of the
//! map's place, and are compared with all.
//!
//! # Practice
//!
//! `w` is what all but a thirty-second of the boxes fit in, and half as much again; map and `w` are
//! chosen again when twice as many as then do not fit, or when `w` has become four times too wide.
//! A step costs the tracking of what moves, the lists of its cell, and every large box times all; a
//! new map some milliseconds. Of a particle's cell it is checked that the point is in it.

use hapticd_geometry::broad::{BroadWork, Extent, Upkeep, pairs_of_wide};
use hapticd_geometry::{Aabb, BroadPhase, SweepAndPrune, SweptBox, Vec3};
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::registration::{EntityId, Kind, ParticleId, Policy, Registration};
use hapticd_registration::scale::{Density, Scaler};
use hapticd_registration::track::Outcome;

/// Up to so many boxes are compared all with all.
const BRUTE_FORCE_MAX: usize = 16;
/// One in so many boxes may be too large for the lists, but for some.
const LARGE_SHARE: usize = 32;
const LARGE_LEAST: usize = 8;
/// By how much a box may grow before it counts as large.
const GROWTH: f64 = 1.5;
/// Widths of boxes in `w`, a little less than would do.
const FIT: f64 = 1.0 - 1e-3;
/// A map is too coarse when its finest width is so many times what is wanted.
const COARSE: f64 = 4.0;
/// Most cells of a map before any is refined, and most levels below those.
const MAX_CELLS: f64 = 512.0;
const MAX_LEVELS: u8 = 10;
/// More points than that in a leaf refine it.
const CROWD: usize = 8;
/// Leaves that are refined or merged in a step.
const BUDGET: usize = 64;

/// See the module page. Allocates for a new map, and while lists are larger than ever before.
#[derive(Clone, Debug, Default)]
pub struct RegistrationPhase {
    domain: Option<Domain>,
    /// Of each box: what holds it, its middle and half its largest width.
    hulls: Vec<Aabb>,
    middles: Vec<(Vec3, f64)>,
    extents: Vec<Extent>,
    /// Of each box that is registered.
    placed: Vec<Option<Placed>>,
    /// Boxes that are compared with all.
    large: Vec<u32>,
    wide: Vec<u32>,
    /// For quantiles.
    numbers: Vec<f64>,
    spare: SweepAndPrune,
    work: BroadWork,
    tracked: Tracked,
    /// Boxes that were compared with all, and maps that were made.
    compared: u64,
    maps: u64,
}

/// Points that were not where they had been.
#[derive(Clone, Copy, Debug, Default)]
struct Tracked {
    moved: u64,
    changed_cell: u64,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    particle: ParticleId,
    entity: EntityId,
}

/// A map over the scene.
#[derive(Clone, Debug)]
struct Domain {
    registration: Registration,
    scaler: Scaler,
    /// Where its points may be.
    inside: Aabb,
    /// Of its finest cells, m.
    finest_m: f64,
    /// Of its cells before any was refined, m.
    base_m: f64,
    /// Finer ones were not to be had.
    is_least: bool,
    /// Boxes that did not fit when it was made.
    misfits: usize,
    /// By entity: which box.
    number: Vec<u32>,
    /// Where the last point was put, to look for the next one from.
    near: Cell,
}

impl BroadPhase for RegistrationPhase {
    fn name(&self) -> &'static str {
        "registration"
    }

    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        pairs.clear();
        self.look(boxes);
        self.fit();
        if self.domain.is_none() && self.bounded().nth(BRUTE_FORCE_MAX).is_some() {
            // There is no such map: all is in a place too small for where it is.
            self.spare.overlapping(boxes, pairs);
            self.work.search(boxes.len(), pairs.len());
            return;
        }
        self.register();
        self.compared += self.large.len() as u64;
        self.list(boxes, pairs);
        pairs_of_wide(&self.wide, boxes, pairs);
        pairs.sort_unstable();
        self.work.search(boxes.len(), pairs.len());
    }

    fn work(&self) -> BroadWork {
        let upkeep = Upkeep::Registration {
            moved: self.tracked.moved,
            changed_cell: self.tracked.changed_cell,
            large: self.compared,
            maps: self.maps,
        };
        BroadWork {
            upkeep,
            ..self.work
        }
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}

impl RegistrationPhase {
    /// Sorts the boxes out.
    fn look(&mut self, boxes: &[SweptBox]) {
        self.hulls.clear();
        self.middles.clear();
        self.extents.clear();
        self.wide.clear();
        for (i, b) in (0_u32..).zip(boxes) {
            let extent = b.extent();
            self.extents.push(extent);
            if extent == Extent::Everywhere {
                self.wide.push(i);
            }
            let (hull, middle, half) = if extent == Extent::Bounded {
                let hull = b.hull();
                let middle = hull.low * 0.5 + hull.high * 0.5;
                let half = (hull.high - middle).sup(&(middle - hull.low)).max();
                (hull, middle, half)
            } else {
                (Aabb::NOWHERE, Vec3::zeros(), 0.0)
            };
            self.hulls.push(hull);
            self.middles.push((middle, half));
        }
    }

    fn bounded(&self) -> impl Iterator<Item = usize> + '_ {
        let extents = self.extents.iter().enumerate();
        extents.filter_map(|(i, e)| (*e == Extent::Bounded).then_some(i))
    }

    /// Has a map that most boxes fit in, or none where there are few.
    fn fit(&mut self) {
        let count = self.bounded().count();
        if count <= BRUTE_FORCE_MAX {
            self.forget();
            return;
        }
        let most = LARGE_LEAST.max(count / LARGE_SHARE);
        let wanted_m = 2.0 * self.usual_half(most);
        if let Some(domain) = &self.domain {
            let misfits = self
                .bounded()
                .filter(|&i| !domain.fits(&self.middles[i]))
                .count();
            let coarse = domain.finest_m > COARSE * GROWTH * wanted_m && !domain.is_least;
            if misfits <= 2 * domain.misfits + most && !coarse {
                return;
            }
        }
        self.forget();
        let Some(mut domain) = self.new_domain(wanted_m) else {
            return;
        };
        domain.misfits = self
            .bounded()
            .filter(|&i| !domain.fits(&self.middles[i]))
            .count();
        self.domain = Some(domain);
        self.maps += 1;
        // All of it at once, as far as that goes.
        for _ in 0..=MAX_LEVELS {
            self.register();
            let more = self.domain.as_mut().map(Domain::scale);
            if more != Some(true) {
                break;
            }
        }
    }

    fn forget(&mut self) {
        self.domain = None;
        self.placed.clear();
    }

    /// Half the width that all boxes but so many have at most; all, if none is more than twice as
    /// large.
    fn usual_half(&mut self, but: usize) -> f64 {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.extend(self.bounded().map(|i| self.middles[i].1));
        let at = numbers.len().saturating_sub(1 + but);
        let (_, usual, larger) = numbers.select_nth_unstable_by(at, f64::total_cmp);
        let (usual, largest) = (*usual, larger.iter().copied().fold(*usual, f64::max));
        self.numbers = numbers;
        if largest <= 2.0 * usual {
            largest
        } else {
            usual
        }
    }

    /// Lowest and highest coordinate of the middles, without the outermost few of each side where
    /// those are far away.
    fn span(&mut self, axis: usize, but: usize) -> [f64; 2] {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.extend(self.bounded().map(|i| self.middles[i].0[axis]));
        let last = numbers.len() - 1;
        let mut nth = |k: usize| *numbers.select_nth_unstable_by(k, f64::total_cmp).1;
        let [least, low, high, most] = [nth(0), nth(but / 2), nth(last - but / 2), nth(last)];
        self.numbers = numbers;
        let far = 4.0 * (high - low);
        if most - least > far {
            [low, high]
        } else {
            [least, most]
        }
    }

    fn new_domain(&mut self, wanted_m: f64) -> Option<Domain> {
        let count = self.bounded().count();
        let but = LARGE_LEAST.max(count / LARGE_SHARE) / 2;
        let spans = [0, 1, 2].map(|axis| self.span(axis, but));
        let low = Vec3::from(spans.map(|s| s[0]));
        let high = Vec3::from(spans.map(|s| s[1]));
        let extent = high - low;
        // Not narrower than coordinates can be told apart by far, nor than levels reach.
        let largest = low.amax().max(high.amax()).max(extent.max());
        let least_m = (1e-7 * largest).max(extent.max() / f64::from(1 << MAX_LEVELS));
        let finest_m = (GROWTH * wanted_m).max(least_m).max(1e-9);
        // Room about it, so that it is not left at once.
        let around = extent * 0.25 + Vec3::repeat(2.0 * finest_m);
        let (low, size) = (low - around, extent + around * 2.0);
        let (mut levels, mut base_m) = (0, finest_m);
        let along = |base_m: f64| size.map(|x| (x / base_m).ceil().max(1.0));
        while along(base_m).product() > MAX_CELLS {
            if levels == MAX_LEVELS + 4 {
                return None;
            }
            levels += 1;
            base_m *= 2.0;
        }
        let cells = along(base_m);
        let cells_along = [0, 1, 2].map(|axis: usize| cells[axis] as usize);
        let map = Map::grid_3d(low, base_m, cells_along).ok()?;
        let near = map.leaves().next()?;
        let density = Density {
            kind: Kind::Point,
            split: CROWD,
            merge: CROWD / 2,
            finest: levels,
            coarsest: 0,
            budget: BUDGET,
            balanced: false,
        };
        let inset = 1e-3 * finest_m;
        Some(Domain {
            registration: Registration::new(map, Policy::Tolerate),
            scaler: Scaler::new(density).ok()?,
            inside: Aabb {
                low,
                high: low + cells * base_m,
            }
            .widened(-inset),
            finest_m,
            base_m,
            is_least: finest_m > GROWTH * wanted_m,
            misfits: 0,
            number: Vec::new(),
            near,
        })
    }

    /// Has every box that fits registered where it is, and no other; who is not is large.
    fn register(&mut self) {
        self.large.clear();
        let Some(domain) = &mut self.domain else {
            let bounded = self.extents.iter().zip(0_u32..);
            let bounded = bounded.filter(|(e, _)| **e == Extent::Bounded);
            self.large.extend(bounded.map(|(_, i)| i));
            return;
        };
        // Before the points are looked after: they are where they are then.
        domain.scale();
        for placed in self
            .placed
            .drain(self.middles.len().min(self.placed.len())..)
        {
            domain.remove(placed);
        }
        self.placed.resize(self.middles.len(), None);
        for (i, placed) in self.placed.iter_mut().enumerate() {
            let bounded = self.extents[i] == Extent::Bounded;
            let fits = bounded && domain.fits(&self.middles[i]);
            let at = &self.middles[i].0;
            if !(fits && domain.follow(placed, at, i as u32, &mut self.tracked)) {
                domain.remove(placed.take());
                if bounded {
                    self.large.push(i as u32);
                }
            }
        }
    }

    /// Appends the pairs of boxes with bounds.
    fn list(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        let meet = |i: u32, j: u32| {
            let (i, j) = (i as usize, j as usize);
            self.hulls[i].overlaps(&self.hulls[j]) && boxes[i].meets_bounded(&boxes[j])
        };
        if let Some(domain) = &mut self.domain {
            for (placed, i) in self.placed.iter().zip(0_u32..) {
                let Some(cell) = placed.as_ref().and_then(|p| domain.cell(p)) else {
                    continue;
                };
                for x in domain.registration.point_numbers(cell) {
                    let j = domain.number[x as usize];
                    if i < j && meet(i, j) {
                        pairs.push((i, j));
                    }
                }
            }
        }
        let mut large = self.large.iter().copied().peekable();
        for j in 0..boxes.len() as u32 {
            // Two large ones once.
            let is_large = large.next_if_eq(&j).is_some();
            for &i in &self.large {
                if (i < j || (i > j && !is_large)) && meet(i, j) {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
        }
    }
}

impl Domain {
    /// Whether the lists are right for a box of this half width about this point.
    fn fits(&self, (middle, half): &(Vec3, f64)) -> bool {
        let inside =
            (0..3).all(|k| self.inside.low[k] <= middle[k] && middle[k] <= self.inside.high[k]);
        inside && 2.0 * half <= FIT * self.finest_m
    }

    fn cell(&self, placed: &Placed) -> Option<Cell> {
        let particle = self.registration.particle(placed.particle)?;
        Some(self.registration.map().cell(particle.dart))
    }

    /// Moves a box's point, or puts it there. False: it is not where it should be.
    fn follow(
        &mut self,
        placed: &mut Option<Placed>,
        at: &Vec3,
        number: u32,
        tracked: &mut Tracked,
    ) -> bool {
        let was = match placed {
            Some(placed) => {
                let was = self.registration.particle(placed.particle);
                let was = was.filter(|was| was.position != *at);
                let cell = was.map(|was| self.registration.map().cell(was.dart));
                let reached = self.registration.move_particle(placed.particle, at);
                if !matches!(reached, Ok(Outcome::Reached)) {
                    return false;
                }
                cell
            }
            None => {
                let near = self.nearest_leaf();
                let Ok(particle) = self.registration.insert_particle(at, near) else {
                    return false;
                };
                let Ok(entity) = self.registration.insert_point(particle) else {
                    // It is new: nobody ends at it.
                    let _ = self.registration.remove_particle(particle);
                    return false;
                };
                if self.number.len() <= entity.index() {
                    self.number.resize(entity.index() + 1, 0);
                }
                self.number[entity.index()] = number;
                *placed = Some(Placed { particle, entity });
                None
            }
        };
        let Some(cell) = placed.as_ref().and_then(|placed| self.cell(placed)) else {
            return false;
        };
        if let Some(was) = was {
            tracked.moved += 1;
            tracked.changed_cell += u64::from(was != cell);
        }
        self.near = cell;
        self.holds(cell, at)
    }

    /// A leaf to look from: that of the last point, if it is one still.
    fn nearest_leaf(&self) -> Cell {
        let map = self.registration.map();
        if map.has_cell(self.near) && map.is_leaf(self.near) {
            return self.near;
        }
        map.leaves().next().unwrap_or(self.near)
    }

    /// Whether a point is in a leaf, give or take a hundredth of what boxes are too small by.
    fn holds(&self, cell: Cell, at: &Vec3) -> bool {
        let map = self.registration.map();
        let half = 0.5 * self.base_m / f64::from(1_u32 << map.cell_level(cell));
        (at - map.centre(cell)).amax() <= half + 1e-5 * self.finest_m
    }

    fn remove(&mut self, placed: Option<Placed>) {
        if let Some(Placed { particle, entity }) = placed {
            // Both are there: nobody else takes them out.
            let _ = self.registration.remove(entity);
            let _ = self.registration.remove_particle(particle);
        }
    }

    /// Refines and merges; whether something is left to do.
    fn scale(&mut self) -> bool {
        self.scaler.step(&mut self.registration).more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall of boxes in a room, one box across all of it, and one far away.
    fn scene(shift: f64) -> Vec<SweptBox> {
        let at = |i: u32| {
            let (row, column) = (f64::from(i / 20), f64::from(i % 20));
            Vec3::new(column + shift, row, 0.1 * (column + row).sin())
        };
        let mut boxes: Vec<SweptBox> = (0..400)
            .map(|i| SweptBox::still(Aabb::about(&at(i), 0.2)))
            .collect();
        boxes[7] = SweptBox::still(Aabb::about(&at(200), 30.0));
        boxes[8] = SweptBox::still(Aabb::about(&Vec3::repeat(1e6), 0.2));
        boxes
    }

    /// Lists do the work: nearly all are registered, in cells that were refined, and few are
    /// compared with all.
    #[test]
    fn nearly_all_boxes_are_registered() {
        let (mut broad, mut pairs) = (RegistrationPhase::default(), Vec::new());
        broad.overlapping(&scene(0.0), &mut pairs);
        let domain = broad.domain.as_ref().unwrap();
        assert_eq!(broad.large, [7, 8]);
        assert_eq!(broad.placed.iter().flatten().count(), 398);
        assert!(
            (0.6..0.61).contains(&domain.finest_m),
            "{}",
            domain.finest_m
        );
        let map = domain.registration.map();
        let finest = map.leaves().map(|c| map.cell_level(c)).max();
        assert!(finest > Some(0), "{finest:?}");
        // The one box across all of it meets the rest.
        assert_eq!(pairs.len(), 398);
    }

    /// Counted is what moves, and of that what goes to another cell.
    #[test]
    fn who_changes_cell_is_counted_among_those_that_move() {
        let (mut broad, mut pairs) = (RegistrationPhase::default(), Vec::new());
        let mut boxes = scene(0.0);
        let told = |moved, changed_cell, large| Upkeep::Registration {
            moved,
            changed_cell,
            large,
            maps: 1,
        };
        broad.overlapping(&boxes, &mut pairs);
        let first = broad.work();
        assert_eq!(first.upkeep, told(0, 0, 2));
        assert_eq!((first.searches, first.boxes, first.pairs), (1, 400, 398));
        // All where they were.
        broad.overlapping(&boxes, &mut pairs);
        assert_eq!(broad.work().upkeep, told(0, 0, 4));
        // Beside the middle of its cell, where there is no border however much that is refined.
        let domain = broad.domain.as_ref().unwrap();
        let (finest_m, cell) = (domain.finest_m, domain.cell(&broad.placed[30].unwrap()));
        let inside = domain.registration.map().centre(cell.unwrap()) + Vec3::repeat(0.3 * finest_m);
        let mut put = |at: &Vec3| {
            boxes[30] = SweptBox::still(Aabb::about(at, 0.2));
            broad.overlapping(&boxes, &mut pairs);
            broad.work().upkeep
        };
        assert_eq!(put(&inside), told(1, 0, 6));
        let beside = inside + Vec3::x() * (1e-3 * finest_m);
        assert_eq!(put(&beside), told(2, 0, 8));
        assert_eq!(put(&beside), told(2, 0, 10));
        // Further than any cell is wide, along a row of them.
        let far = Vec3::new(if inside.x < 10.0 { 19.0 } else { 0.0 }, inside.y, inside.z);
        assert_eq!(put(&far), told(3, 1, 12));
    }

    /// The map stays while its scene moves a little, and is rebuilt when it has gone.
    #[test]
    fn a_map_stays_as_long_as_it_is_good() {
        let (mut broad, mut pairs) = (RegistrationPhase::default(), Vec::new());
        broad.overlapping(&scene(0.0), &mut pairs);
        let first = broad.domain.as_ref().unwrap().inside;
        for k in 1..=20 {
            broad.overlapping(&scene(0.2 * f64::from(k)), &mut pairs);
            assert_eq!(broad.domain.as_ref().unwrap().inside, first, "{k}");
            assert_eq!(broad.large, [7, 8]);
        }
        let tally = broad.domain.as_ref().unwrap().registration.tally();
        assert!(tally.moves > 20 * 398 && tally.fallbacks < 10, "{tally:?}");
        broad.overlapping(&scene(40.0), &mut pairs);
        assert_ne!(broad.domain.as_ref().unwrap().inside, first);
        assert_eq!(
            (broad.large.as_slice(), pairs.len()),
            ([7, 8].as_slice(), 398)
        );
        // Few boxes need none.
        broad.overlapping(&scene(40.0)[..BRUTE_FORCE_MAX], &mut pairs);
        assert!(broad.domain.is_none() && broad.large.len() == BRUTE_FORCE_MAX);
    }
}
