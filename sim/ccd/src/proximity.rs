//! All feature pairs of two shapes nearer than a reach, nearest first.
//!
//! Both box hierarchies are descended simultaneously, always from the nearest pair of boxes, and
//! pruned by a lower bound on the distance of two boxes. When more pairs are found than the
//! caller's capacity, the reach shrinks to what the pairs found so far cover. Ownership of edges
//! and vertices makes every feature pair appear once.
//!
//! While fewer than twice the capacity are within reach, the answer depends only on the *set* of
//! feature pairs: the nearest that fit, by distance, then kind, then features. The order of
//! discovery does not matter, so an external mid-phase may supply the triangle pairs
//! ([`crate::midphase`]). Only when there are more can the search order decide which pairs of a tie
//! are left out.
//!
//! Runs on the collision thread: no locks, no recursion, no panics, and no allocation after
//! construction and the first query of a shape (buffers are kept). A pure function of its
//! arguments: equal inputs give equal lists. The time of [`Proximity::query`] grows with the number
//! of pairs within reach, or with the capacity if that is smaller. Some meshes cost more: of a
//! thousand boxes that all overlap, each is visited. [`Proximity::query_within`] bounds the time.
//! Units are metres; a distance is that of the two features minus the radius of A.
//!
//! # Budget
//!
//! A query that has used up its budget stops. What it has not visited lies below the box pairs
//! still waiting, and is no nearer than the smallest of their bounds. The list is complete up to
//! that distance. The nearest boxes are visited first, so no other order proves more with the same
//! work. The budget counts tests, not time: equal arguments give equal lists.

use std::cmp::Ordering;

use hapticd_geometry::closest::{point_triangle, segment_segment};
use hapticd_geometry::{Pose, Rigid, Vec3};

use crate::cull::{Box32, Moved, Shift};
use crate::front::{BUCKETS, Front, Item, Scale};
use crate::index::{MeshIndex, Shape, Surface};
use crate::obb::Obb;
use crate::pair::PairKind;
use crate::tree::{Link, Quad};

/// When the list overflows, the search continues only for pairs nearer than the last one kept by
/// this fraction; the rest are given up. Without it, shapes resting flat on each other (any number
/// of pairs at one distance) would be searched completely.
const TIE: f64 = 1e-3;

/// Two shapes at a relative pose.
#[derive(Clone, Copy, Debug)]
pub struct ShapePair<'a> {
    /// Shape A.
    pub a: &'a MeshIndex,
    /// A is everything within this distance of its shape, metres.
    pub a_radius: f64,
    /// Shape B.
    pub b: &'a MeshIndex,
    /// Takes coordinates of A to those of B.
    pub b_from_a: &'a Pose,
}

/// A feature pair and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// Kind of the two features.
    pub kind: PairKind,
    /// Vertex, edge ([`hapticd_geometry::Adjacency::edges`]) or triangle index in A.
    pub feature_a: u32,
    /// Vertex, edge or triangle index in B.
    pub feature_b: u32,
    /// Distance of the features minus A's radius, metres; negative where the sphere overlaps.
    pub distance: f64,
}

/// Result of one query.
#[derive(Clone, Copy, Debug)]
pub struct NearSet<'a> {
    /// Sorted by distance, then kind, then feature indices.
    pub pairs: &'a [NearPair],
    /// Every feature pair that is not in the list is at least this far apart, metres. Equals the
    /// requested reach, or less if there were more pairs than the capacity or if the budget was
    /// used up. Negative infinity if an argument is not finite.
    pub complete_to: f64,
    /// The budget was used up before everything within reach was visited.
    pub exhausted: bool,
    /// Box pairs with a computed distance bound.
    pub box_tests: u64,
    /// Triangle pairs with compared features.
    pub leaf_tests: u64,
    /// Total work, in units of the budget: see [`Proximity::query_within`].
    pub work: u64,
}

/// Work to compare two triangles, in units of one box test: measured, rounded to a power of two.
pub const LEAF_WORK: u64 = 8;
/// Work after which a point's search continues with the nearest boxes first. It exceeds what a
/// search takes when little is nearby.
const DEEP_WORK: u64 = 1 << 12;

/// Maximum number of box pairs that wait in order of distance (1.5 MiB). Those beyond are searched
/// to the bottom at once.
const FRONT: usize = 1 << 16;

/// Work space of the query; one per querying thread.
#[derive(Debug)]
pub struct Proximity {
    capacity: usize,
    found: Found,
    /// Box pairs to visit: a queue, nearest first, and a stack for those that do not fit in it.
    front: Front,
    stack: Vec<Item>,
    /// Boxes of A in B's frame, cached.
    moved: Moved,
}

impl Proximity {
    /// Work space for lists of at most `capacity` pairs (at least 1).
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self {
            capacity,
            found: Found {
                // Plus the 15 feature pairs of one pair of triangles.
                pairs: Vec::with_capacity(2 * capacity + 15),
                all: false,
                capacity,
                radius: 0.0,
                limit_squared: 0.0,
                truncated: false,
                scale: Scale::default(),
                counts: [0; BUCKETS],
                last: 0,
                within: 0,
            },
            front: Front::new(FRONT),
            stack: Vec::with_capacity(512),
            moved: Moved::default(),
        }
    }

    /// Maximum number of pairs that a query returns.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the feature pairs of `a` and `b` with distance minus `a_radius` under `reach`,
    /// nearest first.
    ///
    /// `b_from_a` takes coordinates of `a` to those of `b`. If there are more pairs than the
    /// capacity, the nearest ones are returned, up to ties: the last ones may be farther than pairs
    /// left out by a thousandth of their distance. [`NearSet::complete_to`] tells from which
    /// distance on pairs may be missing. The minimum distance of the shapes lies between that and
    /// the distance of the first pair; it equals the latter if that is not greater.
    ///
    /// A point shape is paired only with triangles, each once ([`PairKind::VertexFace`] if it is
    /// `a`, [`PairKind::FaceVertex`] if it is `b`). Of two points, `b` counts as a triangle.
    pub fn query(
        &mut self,
        a: &MeshIndex,
        a_radius: f64,
        b: &MeshIndex,
        b_from_a: &Pose,
        reach: f64,
    ) -> NearSet<'_> {
        let shapes = ShapePair {
            a,
            a_radius,
            b,
            b_from_a,
        };
        self.query_within(&shapes, reach, u64::MAX)
    }

    fn near_point(
        &mut self,
        p: &Vec3,
        surface: &Surface,
        kind: PairKind,
        counters: &mut Counters,
    ) -> f64 {
        self.reserve(surface.tree.depth() as usize + 4);
        let waiting = (&mut self.stack, &mut self.front);
        PointSearch { p, surface, kind }.run(waiting, &mut self.found, counters)
    }

    /// As [`Proximity::query`], but stops after `budget` units of work. A box with a computed
    /// distance bound counts 1, as does a point compared with a triangle; two triangles count
    /// [`LEAF_WORK`]. [`NearSet::work`] exceeds the budget by less than that.
    ///
    /// A truncated list holds pairs with their true distances, and [`NearSet::complete_to`] is a
    /// lower bound on the distance of every other pair. It is minus the radius of A if overlapping
    /// boxes were left unvisited. A query that stays within its budget equals one without a budget,
    /// bit for bit.
    pub fn query_within(&mut self, shapes: &ShapePair<'_>, reach: f64, budget: u64) -> NearSet<'_> {
        let &ShapePair {
            a,
            a_radius,
            b,
            b_from_a,
        } = shapes;
        self.found.start(a_radius, reach);
        self.front.clear(self.found.limit_squared);
        self.stack.clear();
        let meshes = a.surface().is_some() && b.surface().is_some();
        let mut counters = Counters {
            budget,
            leaf_work: if meshes { LEAF_WORK } else { 1 },
            ..Counters::default()
        };
        // Square of a lower bound on the distance of everything unvisited.
        let mut unvisited = f64::INFINITY;
        let motion = Rigid::new(b_from_a);
        let searched = finite(a_radius, b_from_a, reach)
            && match (&a.shape, &b.shape) {
                (Shape::Surface(a), Shape::Surface(b)) => {
                    self.reserve(3 * (a.tree.depth() + b.tree.depth()) as usize + 8);
                    let search = Search::new(a, b, &motion);
                    self.moved.start(a.tree.nodes().len());
                    unvisited = search.run(
                        &mut self.moved,
                        &mut self.front,
                        &mut self.stack,
                        &mut self.found,
                        &mut counters,
                    );
                    true
                }
                (Shape::Point(p), Shape::Surface(b)) => {
                    let p = motion.point(p);
                    unvisited = self.near_point(&p, b, PairKind::VertexFace, &mut counters);
                    true
                }
                (Shape::Surface(a), Shape::Point(p)) => {
                    let p = motion.inverse_vector(&(p - motion.translation));
                    unvisited = self.near_point(&p, a, PairKind::FaceVertex, &mut counters);
                    true
                }
                (Shape::Point(p), Shape::Point(q)) => {
                    let apart = (motion.point(p) - q).norm_squared();
                    self.found.offer(apart, PairKind::VertexFace, 0, 0);
                    true
                }
            };
        let exhausted = unvisited < self.found.limit_squared;
        let complete_to = if searched {
            self.found.give_up_beyond(unvisited);
            self.found.finish(reach)
        } else {
            f64::NEG_INFINITY
        };
        NearSet {
            pairs: &self.found.pairs,
            complete_to,
            exhausted,
            box_tests: counters.boxes,
            leaf_tests: counters.leaves,
            work: counters.work(),
        }
    }

    /// As [`Proximity::query`], bit for bit, for two meshes with candidate triangle pairs from an
    /// external mid-phase.
    ///
    /// `candidates` are triangles of A and of B, each pair once, in any order. They must
    /// include every pair that has points within `reach` plus `a_radius` of each other. Superfluous
    /// candidates only cost time.
    ///
    /// Returns `None` when the caller must use [`Proximity::query`] instead: if a shape is a point,
    /// if a triangle does not exist, or if at least twice the capacity of pairs are within reach.
    /// In the last case a search need not visit all of them.
    pub fn query_among(
        &mut self,
        shapes: &ShapePair<'_>,
        reach: f64,
        candidates: &[[u32; 2]],
    ) -> Option<NearSet<'_>> {
        let &ShapePair {
            a_radius, b_from_a, ..
        } = shapes;
        let (a, b) = (shapes.a.surface()?, shapes.b.surface()?);
        self.found.start(a_radius, reach);
        let motion = Rigid::new(b_from_a);
        let complete_to = if finite(a_radius, b_from_a, reach) {
            let search = Search::new(a, b, &motion);
            self.found.all = true;
            for &[in_a, in_b] in candidates {
                if in_a as usize >= a.small.owned.len() || in_b as usize >= b.small.owned.len() {
                    return None;
                }
                search.compare(in_a, in_b, &mut self.found);
                if self.found.pairs.len() >= 2 * self.capacity {
                    return None;
                }
            }
            self.found.finish(reach)
        } else {
            f64::NEG_INFINITY
        };
        Some(NearSet {
            pairs: &self.found.pairs,
            complete_to,
            exhausted: false,
            box_tests: 0,
            leaf_tests: candidates.len() as u64,
            work: LEAF_WORK * candidates.len() as u64,
        })
    }

    fn reserve(&mut self, items: usize) {
        // No-op once the buffer is large enough: it is empty here.
        self.stack.reserve(items);
    }
}

fn finite(radius: f64, pose: &Pose, reach: f64) -> bool {
    radius.is_finite()
        && reach.is_finite()
        && pose.translation.vector.iter().all(|x| x.is_finite())
        && pose.rotation.coords.iter().all(|x| x.is_finite())
}

#[derive(Default)]
struct Counters {
    boxes: u64,
    leaves: u64,
    leaf_work: u64,
    budget: u64,
}

impl Counters {
    #[inline(always)]
    fn work(&self) -> u64 {
        self.boxes + self.leaf_work * self.leaves
    }

    #[inline(always)]
    fn is_used_up(&self) -> bool {
        self.work() >= self.budget
    }
}

/// The pairs found so far. During the search, [`NearPair::distance`] holds the squared feature
/// distance.
#[derive(Debug)]
struct Found {
    pairs: Vec<NearPair>,
    capacity: usize,
    radius: f64,
    /// Squared feature distance from which on pairs are discarded.
    limit_squared: f64,
    truncated: bool,
    /// True when every pair within reach is kept, so that no limit shrinks.
    all: bool,
    /// Number of pairs found per bucket of squared distance. As soon as the buckets up to one of
    /// them hold more than the capacity, everything beyond that bucket is discarded. The list
    /// itself is cut only when it is twice as long.
    scale: Scale,
    counts: [u32; BUCKETS],
    /// The bucket that contains the limit, and the number of pairs found up to its end.
    last: usize,
    within: usize,
}

impl Found {
    fn start(&mut self, radius: f64, reach: f64) {
        self.pairs.clear();
        self.radius = radius;
        self.truncated = false;
        self.all = false;
        let limit = (reach + radius).max(0.0);
        self.limit_squared = limit * limit;
        self.scale = Scale::up_to(self.limit_squared);
        self.counts.fill(0);
        self.last = BUCKETS - 1;
        self.within = 0;
    }

    #[inline]
    fn offer(&mut self, squared: f64, kind: PairKind, feature_a: u32, feature_b: u32) {
        if squared < self.limit_squared {
            self.pairs.push(NearPair {
                kind,
                feature_a,
                feature_b,
                distance: squared,
            });
            if self.all {
                return;
            }
            self.count(squared);
            if self.pairs.len() == 2 * self.capacity {
                let worst = self.keep_nearest().sqrt();
                let gap = (worst - self.radius).max(0.0);
                let limit = worst - TIE * gap;
                self.limit_squared = self.limit_squared.min(limit * limit);
            }
        }
    }

    #[inline]
    fn count(&mut self, squared: f64) {
        let bucket = self.scale.bucket(squared);
        self.counts[bucket] += 1;
        self.within += 1;
        // Beyond the limit, pairs may have been dropped since they were counted. Nearer ones are
        // all in the list.
        let mut nearer = self.within - self.counts[self.last] as usize;
        if nearer <= self.capacity {
            return;
        }
        while nearer > self.capacity {
            self.within = nearer;
            self.last -= 1;
            nearer -= self.counts[self.last] as usize;
        }
        self.truncated = true;
        self.limit_squared = self.limit_squared.min(self.scale.end(self.last));
    }

    /// Limits the claim of completeness to this squared distance: pairs beyond it were not searched
    /// for.
    fn give_up_beyond(&mut self, squared: f64) {
        if squared < self.limit_squared {
            self.limit_squared = squared;
            self.truncated = true;
        }
    }

    /// Drops all but the nearest `capacity` pairs. Returns the largest squared distance among
    /// these.
    #[cold]
    fn keep_nearest(&mut self) -> f64 {
        let last = self.capacity - 1;
        self.pairs.select_nth_unstable_by(last, order);
        self.pairs.truncate(self.capacity);
        self.truncated = true;
        self.pairs[last].distance
    }

    /// Sorts the pairs, converts to distances, and returns the distance up to which the list is
    /// complete.
    fn finish(&mut self, reach: f64) -> f64 {
        if self.pairs.len() > self.capacity {
            let worst = self.keep_nearest();
            self.limit_squared = self.limit_squared.min(worst);
        }
        for pair in &mut self.pairs {
            pair.distance = pair.distance.sqrt() - self.radius;
        }
        self.pairs.sort_unstable_by(order);
        if self.truncated {
            (self.limit_squared.sqrt() - self.radius).min(reach)
        } else {
            reach
        }
    }
}

fn order(x: &NearPair, y: &NearPair) -> Ordering {
    x.distance
        .total_cmp(&y.distance)
        .then_with(|| x.kind.cmp(&y.kind))
        .then_with(|| x.feature_a.cmp(&y.feature_a))
        .then_with(|| x.feature_b.cmp(&y.feature_b))
}

/// Simultaneous descent of two hierarchies.
struct Search<'a> {
    a: &'a Surface,
    b: &'a Surface,
    b_from_a: &'a Rigid,
    /// The same transform, prepared for the boxes.
    shift: Shift,
}

impl<'a> Search<'a> {
    fn new(a: &'a Surface, b: &'a Surface, b_from_a: &'a Rigid) -> Self {
        let (turn, by) = (&b_from_a.rotation, &b_from_a.translation);
        Self {
            a,
            b,
            b_from_a,
            shift: Shift::new(&a.small, &b.small, turn, by),
        }
    }

    /// Visits everything within the limit, nearest first, until the budget is used up. Returns the
    /// square of a lower bound on the distance of what is left: infinity if nothing is.
    fn run(
        &self,
        moved: &mut Moved,
        front: &mut Front,
        stack: &mut Vec<Item>,
        found: &mut Found,
        counters: &mut Counters,
    ) -> f64 {
        front.push(Item {
            a: 0,
            b: 0,
            bound: 0.0,
        });
        while let Some(mut item) = front.pop() {
            while item.bound < found.limit_squared {
                if counters.is_used_up() {
                    return item.bound.min(front.least()).min(least(stack));
                }
                let mut below = self.expand(&item, moved, found, counters);
                let Some(nearest) = below.take_nearest() else {
                    break;
                };
                for &child in below.items() {
                    if child.bound < found.limit_squared && !front.push(child) {
                        stack.push(child);
                    }
                }
                // The queue would return it next anyway.
                if front.same_bucket(nearest.bound, item.bound) {
                    item = nearest;
                    continue;
                }
                if nearest.bound < found.limit_squared && !front.push(nearest) {
                    stack.push(nearest);
                }
                break;
            }
            while let Some(item) = stack.pop() {
                if item.bound < found.limit_squared {
                    if counters.is_used_up() {
                        return item.bound.min(front.least()).min(least(stack));
                    }
                    let mut below = self.expand(&item, moved, found, counters);
                    let nearest = below.take_nearest();
                    stack.extend_from_slice(below.items());
                    stack.extend(nearest);
                }
            }
        }
        f64::INFINITY
    }

    /// Returns the box pairs below a box pair. Two leaves have none; their features are compared
    /// instead.
    #[inline]
    fn expand(
        &self,
        item: &Item,
        moved: &mut Moved,
        found: &mut Found,
        counters: &mut Counters,
    ) -> Below {
        let (a, b) = (self.a.tree.nodes(), self.b.tree.nodes());
        let (na, nb) = (&a[item.a as usize], &b[item.b as usize]);
        let mut below = Below::default();
        match (na.link(), nb.link()) {
            (Link::Leaf(la), Link::Leaf(lb)) => {
                counters.leaves += 1;
                self.compare(la, lb, found);
            }
            (Link::Quad(group), _) if nb.is_leaf() || na.size() > nb.size() => {
                let quad = self.shift.apply_to_quad(&Quad::of(a, group));
                let bounds = self.shift.bounds_squared(&Box32::of(nb), &quad);
                for (a, bound) in group.below().zip(bounds) {
                    below.push(Item {
                        a,
                        b: item.b,
                        bound: bound.into(),
                    });
                }
            }
            (_, Link::Quad(group)) => {
                let quad = Quad::of(b, group);
                let here = moved.get(item.a, a, &self.shift);
                let bounds = self.shift.bounds_squared(here, &quad);
                for (b, bound) in group.below().zip(bounds) {
                    below.push(Item {
                        a: item.a,
                        b,
                        bound: bound.into(),
                    });
                }
            }
            // Handled by the guard above.
            (Link::Quad(_), Link::Leaf(_)) => {}
        }
        counters.boxes += below.count as u64;
        below
    }

    /// Offers all feature pairs that two triangles own. Those that their bounds put out of reach,
    /// two thirds of all, are not measured.
    #[inline]
    fn compare(&self, a: u32, b: u32, found: &mut Found) {
        let limit = found.limit_squared;
        let near = (self.shift).near_features(
            &self.a.small.triangle(a, self.a.vertices(a)),
            &self.b.small.triangle(b, self.b.vertices(b)),
            limit,
        );
        if near.is_empty() {
            return;
        }
        let (a, b) = (self.a.leaf(a), self.b.leaf(b));
        let [p, q, r] = &a.corners;
        let corners = [p, q, r].map(|p| self.b_from_a.point(p));
        for i in 0..3 {
            if near.vertices_of_a & (1 << i) != 0 {
                let (foot, _) = point_triangle(&corners[i], &b.corners);
                let squared = (corners[i] - foot).norm_squared();
                found.offer(squared, PairKind::VertexFace, a.vertices[i], b.triangle);
            }
            if near.vertices_of_b & (1 << i) != 0 {
                let (foot, _) = point_triangle(&b.corners[i], &corners);
                let squared = (b.corners[i] - foot).norm_squared();
                found.offer(squared, PairKind::FaceVertex, a.triangle, b.vertices[i]);
            }
        }
        for i in 0..3 {
            let (p0, p1) = (&corners[i], &corners[(i + 1) % 3]);
            for j in 0..3 {
                if near.edges[i] & (1 << j) != 0 {
                    let (q0, q1) = (&b.corners[j], &b.corners[(j + 1) % 3]);
                    let (p, q, _, _) = segment_segment(p0, p1, q0, q1);
                    let squared = (p - q).norm_squared();
                    found.offer(squared, PairKind::EdgeEdge, a.edges[i], b.edges[j]);
                }
            }
        }
    }
}

/// The box pairs below a box pair.
#[derive(Default)]
struct Below {
    items: [Item; 4],
    count: usize,
}

impl Below {
    #[inline(always)]
    fn push(&mut self, item: Item) {
        self.items[self.count] = item;
        self.count += 1;
    }

    #[inline(always)]
    fn items(&self) -> &[Item] {
        &self.items[..self.count]
    }

    /// Removes and returns the nearest item, the first of equals.
    #[inline(always)]
    fn take_nearest(&mut self) -> Option<Item> {
        let last = self.count.checked_sub(1)?;
        let mut nearest = 0;
        for k in 1..self.count {
            if self.items[k].bound < self.items[nearest].bound {
                nearest = k;
            }
        }
        self.items.swap(nearest, last);
        self.count = last;
        Some(self.items[last])
    }
}

fn least(items: &[Item]) -> f64 {
    items.iter().map(|i| i.bound).fold(f64::INFINITY, f64::min)
}

/// Descent of one hierarchy towards a point.
struct PointSearch<'a> {
    p: &'a Vec3,
    surface: &'a Surface,
    kind: PairKind,
}

impl PointSearch<'_> {
    /// As [`Search::run`], for a point.
    ///
    /// Depth first, which is fastest where little is nearby. After [`DEEP_WORK`], the nearest boxes
    /// come first. The limit then shrinks early, and whatever a budget leaves unvisited is as far
    /// away as possible.
    fn run(
        &self,
        (stack, front): (&mut Vec<Item>, &mut Front),
        found: &mut Found,
        counters: &mut Counters,
    ) -> f64 {
        stack.push(Item::default());
        loop {
            // Items that do not fit in the queue are on the stack.
            let Some(item) = stack.pop().or_else(|| front.pop()) else {
                return f64::INFINITY;
            };
            if item.bound >= found.limit_squared {
                continue;
            }
            if counters.is_used_up() {
                return item.bound.min(front.least()).min(least(stack));
            }
            let is_deep = counters.work() < DEEP_WORK;
            if let Some((near, far)) = self.expand(&item, found, counters) {
                for item in [far, near] {
                    if is_deep || item.bound < found.limit_squared && !front.push(item) {
                        stack.push(item);
                    }
                }
            }
        }
    }

    /// Returns the two boxes below a box, the nearer one first. A leaf has none; its triangle is
    /// compared instead.
    #[inline]
    fn expand(
        &self,
        item: &Item,
        found: &mut Found,
        counters: &mut Counters,
    ) -> Option<(Item, Item)> {
        let &PointSearch { p, surface, kind } = self;
        let node = &surface.tree.nodes()[item.b as usize];
        if node.is_leaf() {
            counters.leaves += 1;
            let triangle = node.triangle();
            let (near, _) = point_triangle(p, &surface.corners(triangle));
            let squared = (p - near).norm_squared();
            match kind {
                PairKind::FaceVertex => found.offer(squared, kind, triangle, 0),
                _ => found.offer(squared, kind, 0, triangle),
            }
            return None;
        }
        counters.boxes += 2;
        let child = |c: u32| Item {
            a: 0,
            b: c,
            bound: point_bound_squared(p, &surface.tree.obb(c)),
        };
        let (first, second) = (child(node.children()), child(node.children() + 1));
        Some(if second.bound < first.bound {
            (second, first)
        } else {
            (first, second)
        })
    }
}

/// Square of a lower bound on the distance between a point and a box.
#[inline]
fn point_bound_squared(p: &Vec3, obb: &Obb) -> f64 {
    let slack = 16.0 * f64::EPSILON * (one_norm(p) + one_norm(&obb.center) + one_norm(&obb.half));
    let q = obb.axes.tr_mul(&(p - obb.center));
    let mut sum = 0.0;
    for i in 0..3 {
        let gap = (q[i].abs() - obb.half[i] - slack).max(0.0);
        sum += gap * gap;
    }
    sum * (1.0 - 16.0 * f64::EPSILON)
}

fn one_norm(v: &Vec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}
