//! Building a hierarchy: where a set of triangles is split.
//!
//! The rule is min-max (Redon 2002, section 3.1): the larger of the two child boxes should be as
//! small as possible. Fitting a box to every candidate would dominate the building time, so
//! candidates are first measured in the axes of the box being split. Triangles are sorted into bins
//! along each axis, and the bounds before and after every wall between bins follow from the bounds
//! of the bins. The best wall of each axis is then measured by boxes fitted to both sides. Small
//! sets are split by testing every position with the bounds alone.
//!
//! A subtree depends on its triangles only, and its storage location on their number and its level.
//! So any number of threads can build subtrees and get the same result.

use hapticd_geometry::{Mat3, TriMesh, Vec3};

use super::ObbTree;
use super::node::{Node, Turn};
use crate::obb::{Moments, Obb, fit_triangle};

/// Sets of up to this many triangles are tested at every split position.
const CUT_EVERYWHERE: usize = 8;
/// Sets of at least this many triangles are compared by fitted boxes.
const FITTED: usize = 16;
/// Bins along an axis.
const BINS: usize = 16;
/// Candidate boxes are fitted to at most about this many triangles.
const SAMPLE: usize = 64;
/// Each side of a split of a large set gets at least one part in this many, so that the depth is
/// logarithmic.
const MIN_PART: usize = 8;
/// Sets smaller than this are not worth a thread.
const THREAD: usize = 2048;

/// Bounds of triangles along some axes.
#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    const NONE: Self = Self {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    #[inline]
    fn and(&self, other: &Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    /// Size measure, as [`Obb::size`].
    fn size(&self) -> f64 {
        let h = (self.high - self.low) * 0.5;
        h.x * h.y + h.y * h.z + h.z * h.x
    }
}

/// A triangle in the axes of the box being split: its bounds and the sum of its corners.
#[derive(Clone, Copy)]
struct Cast {
    bounds: Bounds,
    sum: Vec3,
    triangle: u32,
}

/// Input that all threads read.
struct Shape {
    /// Corners relative to `origin`.
    corners: Vec<[Vec3; 3]>,
    origin: Vec3,
    /// Weight added to the area of every triangle, so that degenerate sets also have axes.
    small: f64,
    moments: Vec<Moments>,
}

/// Builds the hierarchy with up to `threads` threads.
pub(super) fn build(mesh: &TriMesh, threads: usize) -> ObbTree {
    let (low, high) = mesh.bounds();
    let origin = low + (high - low) * 0.5;
    let count = mesh.triangles().len();
    let corners: Vec<[Vec3; 3]> = (0..count)
        .map(|i| mesh.triangle(i).map(|p| p - origin))
        .collect();
    let extent = (high - low).amax();
    // Small compared with the mean area even of very fine meshes.
    let small = 1e-9 * extent * extent / count as f64;
    let moments = corners
        .iter()
        .map(|t| Moments::of_triangle(t, small))
        .collect();
    let shape = Shape {
        corners,
        origin,
        small,
        moments,
    };
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut nodes = vec![Node::BLANK; 2 * count - 1];
    let (root, below) = nodes.split_at_mut(1);
    let mut part = Part {
        shape: &shape,
        casts: Vec::new(),
    };
    let site = Site {
        node: &mut root[0],
        pair: &mut [],
        pair_at: 0,
        below,
        below_at: 1,
        level: 0,
    };
    let depth = part.subtree(&mut order, site, threads.max(1));
    ObbTree {
        nodes,
        origin,
        depth,
    }
}

/// Storage location of a subtree.
struct Site<'a> {
    /// Its root.
    node: &'a mut Node,
    /// The children of a root of an odd level, and the index of the first. They lie in their
    /// grandparent's group.
    pair: &'a mut [Node],
    pair_at: u32,
    /// All other nodes, and the index of the first.
    below: &'a mut [Node],
    below_at: u32,
    level: u32,
}

/// Work of one thread.
struct Part<'a> {
    shape: &'a Shape,
    casts: Vec<Cast>,
}

impl<'s> Part<'s> {
    /// Builds the tree over `set`, with a root of an even level. Returns the depth of its deepest
    /// node.
    ///
    /// The nodes below the root are stored in this order: its two children, the children of the
    /// first, the children of the second, then the rest. If one child is a leaf, it is the second.
    /// So the boxes that remain when the level in between is skipped are contiguous.
    fn subtree(&mut self, set: &mut [u32], site: Site<'_>, threads: usize) -> u32 {
        if let [only] = set {
            *site.node = self.leaf(*only);
            return site.level;
        }
        let n = set.len();
        let (turn, obb, cut) = self.fit_and_cut(set);
        let (mut left, mut right) = set.split_at_mut(cut);
        if left.len() == 1 {
            std::mem::swap(&mut left, &mut right);
        }
        let sizes = [left.len(), right.len()];
        let pairs = sizes.map(|n| if n > 1 { 2 } else { 0 });
        let group = (4 + pairs[0] + pairs[1]) as u32 / 2;
        *site.node = self.node(turn, &obb, Node::inner(site.below_at, group));
        let (children, rest) = site.below.split_at_mut(2);
        let (first, second) = children.split_at_mut(1);
        let (pair_first, rest) = rest.split_at_mut(pairs[0]);
        let (pair_second, rest) = rest.split_at_mut(pairs[1]);
        let (below_first, below_second) = rest.split_at_mut(2 * sizes[0] - 2 - pairs[0]);
        let pair_at = site.below_at + 2;
        let below_at = pair_at + (pairs[0] + pairs[1]) as u32;
        let level = site.level + 1;
        let second_at = below_at + below_first.len() as u32;
        let first = Site {
            node: &mut first[0],
            pair: pair_first,
            pair_at,
            below: below_first,
            below_at,
            level,
        };
        let second = Site {
            node: &mut second[0],
            pair: pair_second,
            pair_at: pair_at + pairs[0] as u32,
            below: below_second,
            below_at: second_at,
            level,
        };
        self.both(
            [n, threads],
            |part, threads| part.side(left, first, threads),
            |part, threads| part.side(right, second, threads),
        )
    }

    /// As [`Part::subtree`], for a root of an odd level: its children already have their place.
    fn side(&mut self, set: &mut [u32], site: Site<'_>, threads: usize) -> u32 {
        if let [only] = set {
            *site.node = self.leaf(*only);
            return site.level;
        }
        let n = set.len();
        let (turn, obb, cut) = self.fit_and_cut(set);
        *site.node = self.node(turn, &obb, Node::inner(site.pair_at, 2));
        let (left, right) = set.split_at_mut(cut);
        let (first, second) = site.pair.split_at_mut(1);
        let (below_first, below_second) = site.below.split_at_mut(2 * (cut - 1));
        let level = site.level + 1;
        let second_at = site.below_at + below_first.len() as u32;
        let first = Site {
            node: &mut first[0],
            pair: &mut [],
            pair_at: 0,
            below: below_first,
            below_at: site.below_at,
            level,
        };
        let second = Site {
            node: &mut second[0],
            pair: &mut [],
            pair_at: 0,
            below: below_second,
            below_at: second_at,
            level,
        };
        self.both(
            [n, threads],
            |part, threads| part.subtree(left, first, threads),
            |part, threads| part.subtree(right, second, threads),
        )
    }

    /// Runs two tasks on about `n` triangles, in parallel if threads are available and it is
    /// worthwhile. Returns the greater of the two results.
    fn both(
        &mut self,
        [n, threads]: [usize; 2],
        first: impl FnOnce(&mut Part<'s>, usize) -> u32 + Send,
        second: impl FnOnce(&mut Part<'s>, usize) -> u32,
    ) -> u32 {
        if threads <= 1 || n < THREAD {
            return first(self, 1).max(second(self, 1));
        }
        let mut other = Part {
            shape: self.shape,
            casts: Vec::new(),
        };
        std::thread::scope(|scope| {
            let there = scope.spawn(move || first(&mut other, threads / 2));
            let here = second(self, threads - threads / 2);
            match there.join() {
                Ok(depth) => depth.max(here),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Fits the box of one triangle: along its longest side, as flat as representable axes allow.
    fn leaf(&self, triangle: u32) -> Node {
        let corners = &self.shape.corners[triangle as usize];
        let turn = Turn::nearest(&fit_triangle(corners).axes);
        let obb = Obb::with_axes(turn.axes(), corners.iter());
        self.node(turn, &obb, Node::leaf(triangle))
    }

    /// Packs a node. `obb` is about the origin of the tree and has the axes of `turn`.
    fn node(&self, turn: Turn, obb: &Obb, link: u32) -> Node {
        // Subtracting and adding the origin both round; containment must hold for the mesh as it
        // is.
        let slack = 8.0 * f64::EPSILON * (obb.center.amax() + self.shape.origin.amax());
        Node::new(turn, &obb.center, &obb.half.add_scalar(slack), link)
    }

    /// Fits the box of a set and reorders the set so that the best split is at the returned
    /// position, between 1 and its length - 1.
    fn fit_and_cut(&mut self, set: &mut [u32]) -> (Turn, Obb, usize) {
        let n = set.len();
        // Exactly the axes that the node will have.
        let turn = Turn::nearest(&self.axes_of(set));
        let axes = turn.axes();
        let reference = self.shape.corners[set[0] as usize][0];
        self.casts.clear();
        let mut all = Bounds::NONE;
        for &triangle in set.iter() {
            let [p, q, r] = self.shape.corners[triangle as usize]
                .each_ref()
                .map(|p| axes.tr_mul(&(p - reference)));
            let bounds = Bounds {
                low: p.inf(&q).inf(&r),
                high: p.sup(&q).sup(&r),
            };
            all = all.and(&bounds);
            self.casts.push(Cast {
                bounds,
                sum: p + q + r,
                triangle,
            });
        }
        let middle = (all.low + all.high) * 0.5;
        let center = reference + axes * middle;
        let size = (center - reference).amax() + (all.high - all.low).amax();
        let obb = Obb {
            center,
            axes,
            half: ((all.high - all.low) * 0.5).add_scalar(16.0 * f64::EPSILON * size),
        };
        let cut = match n {
            2 => 1,
            3..=CUT_EVERYWHERE => self.cut_everywhere(set),
            _ => self.cut_at_bins(set),
        };
        (turn, obb, cut)
    }

    fn axes_of(&self, set: &[u32]) -> Mat3 {
        // Small sets take moments about a corner of the set itself: no cancellation far from the
        // origin.
        let mut sum = Moments::default();
        if set.len() > SAMPLE {
            for &t in set {
                sum.add(&self.shape.moments[t as usize]);
            }
        } else {
            let reference = self.shape.corners[set[0] as usize][0];
            for &t in set {
                let local = self.shape.corners[t as usize].map(|p| p - reference);
                sum.add(&Moments::of_triangle(&local, self.shape.small));
            }
        }
        sum.axes()
    }

    /// Tests every position along every axis, by bounds.
    fn cut_everywhere(&mut self, set: &mut [u32]) -> usize {
        let n = set.len();
        let mut best = (f64::INFINITY, n / 2, 3);
        for axis in 0..3 {
            self.sort_along(axis);
            let mut after = [Bounds::NONE; CUT_EVERYWHERE + 1];
            for i in (1..n).rev() {
                after[i] = after[i + 1].and(&self.casts[i].bounds);
            }
            let mut before = Bounds::NONE;
            for cut in 1..n {
                before = before.and(&self.casts[cut - 1].bounds);
                let size = before.size().max(after[cut].size());
                if size < best.0 {
                    best = (size, cut, axis);
                }
            }
        }
        if best.2 < 3 {
            self.sort_along(best.2);
        }
        for (slot, cast) in set.iter_mut().zip(&self.casts) {
            *slot = cast.triangle;
        }
        best.1
    }

    fn sort_along(&mut self, axis: usize) {
        let order = |x: &Cast, y: &Cast| {
            let (a, b) = (x.sum[axis], y.sum[axis]);
            a.total_cmp(&b).then(x.triangle.cmp(&y.triangle))
        };
        self.casts.sort_unstable_by(order);
    }

    /// Finds the best wall between bins of each axis by bounds, and the best of these by fitted
    /// boxes.
    fn cut_at_bins(&mut self, set: &mut [u32]) -> usize {
        let n = set.len();
        let (mut low, mut high) = (self.casts[0].sum, self.casts[0].sum);
        for cast in &self.casts {
            (low, high) = (low.inf(&cast.sum), high.sup(&cast.sum));
        }
        let scale = (high - low).map(|x| if x > 0.0 { BINS as f64 / x } else { 0.0 });
        let bin = |cast: &Cast, axis: usize| {
            let x = (cast.sum[axis] - low[axis]) * scale[axis];
            (x as usize).min(BINS - 1)
        };
        let mut bins = [[(0usize, Bounds::NONE); BINS]; 3];
        for cast in &self.casts {
            for (axis, bins) in bins.iter_mut().enumerate() {
                let bin = &mut bins[bin(cast, axis)];
                *bin = (bin.0 + 1, bin.1.and(&cast.bounds));
            }
        }
        let least = (n / MIN_PART).max(1);
        let walls = [0, 1, 2].map(|axis| best_wall(&bins[axis], n, least));
        let mut best: Option<(f64, usize, usize)> = None;
        for (axis, wall) in walls.into_iter().enumerate() {
            let Some((mut size, wall)) = wall else {
                continue;
            };
            if n >= FITTED {
                size = self.fitted_size(|cast| bin(cast, axis) < wall);
            }
            if best.is_none_or(|b| size < b.0) {
                best = Some((size, axis, wall));
            }
        }
        let Some((_, axis, wall)) = best else {
            // The centroids form only a few clusters: split by their order along the longest axis.
            self.sort_along((high - low).imax());
            for (slot, cast) in set.iter_mut().zip(&self.casts) {
                *slot = cast.triangle;
            }
            return n / 2;
        };
        let mut cut = 0;
        for before in [true, false] {
            for cast in &self.casts {
                if (bin(cast, axis) < wall) == before {
                    set[cut] = cast.triangle;
                    cut += 1;
                }
            }
        }
        self.casts.iter().filter(|c| bin(c, axis) < wall).count()
    }

    /// Size of the larger of the two boxes fitted to samples of the two sides.
    fn fitted_size(&self, is_left: impl Fn(&Cast) -> bool) -> f64 {
        let stride = self.casts.len().div_ceil(SAMPLE);
        let mut sides = [[[Vec3::zeros(); 3]; SAMPLE]; 2];
        let mut counts = [0; 2];
        let reference = self.shape.corners[self.casts[0].triangle as usize][0];
        let mut moments = [Moments::default(); 2];
        for cast in self.casts.iter().step_by(stride) {
            let side = usize::from(!is_left(cast));
            let local = self.shape.corners[cast.triangle as usize].map(|p| p - reference);
            moments[side].add(&Moments::of_triangle(&local, self.shape.small));
            sides[side][counts[side]] = local;
            counts[side] += 1;
        }
        let size = |side: usize| match &sides[side][..counts[side]] {
            [] => 0.0,
            set => extent_along(&moments[side].axes(), set).size(),
        };
        size(0).max(size(1))
    }
}

fn extent_along(axes: &Mat3, set: &[[Vec3; 3]]) -> Bounds {
    let corners = set.iter().flatten();
    corners.fold(Bounds::NONE, |b, p| {
        let q = axes.tr_mul(p);
        Bounds {
            low: b.low.inf(&q),
            high: b.high.sup(&q),
        }
    })
}

/// Finds the wall between bins that keeps the larger side smallest. Returns that size and the wall;
/// `None` if no wall leaves at least `least` triangles on both sides.
fn best_wall(bins: &[(usize, Bounds); BINS], n: usize, least: usize) -> Option<(f64, usize)> {
    let mut after = [Bounds::NONE; BINS + 1];
    for i in (1..BINS).rev() {
        after[i] = after[i + 1].and(&bins[i].1);
    }
    let mut best: Option<(f64, usize)> = None;
    let (mut count, mut before) = (0, Bounds::NONE);
    for wall in 1..BINS {
        count += bins[wall - 1].0;
        before = before.and(&bins[wall - 1].1);
        if count < least || n - count < least {
            continue;
        }
        let size = before.size().max(after[wall].size());
        if best.is_none_or(|b| size < b.0) {
            best = Some((size, wall));
        }
    }
    best
}
