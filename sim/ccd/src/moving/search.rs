//! Box pairs of two moving bodies, in the order of the time at which they may meet.
//!
//! Two hierarchies are descended simultaneously, always from the pair of boxes with the earliest
//! possible time of meeting. Time is not halved: each pair is advanced from the time up to which
//! its parents are known to be apart. A pair that is still queued when the first contact is known
//! is never visited, so later contacts cost nothing. This takes the passing of `t_c` of Redon 2002,
//! section 3.5.3, to its conclusion.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hapticd_geometry::{Mat3, Vec3};

use super::boxes::{MovingBox, apart};
use super::features::Features;
use super::motion::{BodyState, RelativeMotion};
use crate::index::{Leaf, MeshIndex, Shape};
use crate::obb::Obb;
use crate::pair::PairKind;
use crate::tree::Node;

/// Two boxes that are apart up to `time`.
#[derive(Clone, Copy, Debug)]
struct Item {
    time: f64,
    a: u32,
    b: u32,
    /// Whether they may stay apart for longer: they are tested again from `time` on.
    far: bool,
}

/// The greatest item is visited first: the earliest; of equals, the deepest.
impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time.total_cmp(&self.time)).then_with(|| (self.a, self.b).cmp(&(other.a, other.b)))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Item {}

/// Work done by a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MovingCounters {
    /// Box pairs advanced.
    pub boxes: u64,
    /// Feature pairs advanced.
    pub features: u64,
}

/// One body in a search.
pub(crate) struct Side<'a> {
    pub(crate) shape: &'a MeshIndex,
    pub(crate) relative_motion: RelativeMotion,
    /// The last requested state and its time: parents and children often share one.
    last: (f64, BodyState),
}

impl<'a> Side<'a> {
    pub(crate) fn new(shape: &'a MeshIndex, relative_motion: RelativeMotion) -> Self {
        Self {
            shape,
            last: (0.0, relative_motion.body(0.0)),
            relative_motion,
        }
    }

    /// The box at time `t`, with bounds up to `end`.
    fn moving_box(&mut self, i: u32, t: f64, end: f64) -> MovingBox {
        if self.last.0 != t {
            self.last = (t, self.relative_motion.body(t));
        }
        MovingBox::new(&self.obb(i), &self.relative_motion, &self.last.1, end)
    }

    fn node(&self, i: u32) -> Option<&'a Node> {
        self.shape.surface().map(|s| &s.tree.nodes()[i as usize])
    }

    fn obb(&self, i: u32) -> Obb {
        match &self.shape.shape {
            Shape::Point(p) => Obb {
                center: *p,
                axes: Mat3::identity(),
                half: Vec3::zeros(),
            },
            Shape::Surface(s) => s.tree.obb(i),
        }
    }

    fn size(&self, i: u32) -> f32 {
        self.node(i).map_or(0.0, Node::size)
    }

    fn children(&self, i: u32) -> Option<u32> {
        let node = self.node(i)?;
        (!node.is_leaf()).then_some(node.children())
    }

    fn leaf(&self, i: u32) -> Option<Leaf> {
        let surface = self.shape.surface()?;
        Some(surface.leaf(surface.tree.triangle_of(i)?))
    }
}

/// A feature pair found by a search.
pub(crate) struct FoundPair<'a, 's> {
    pub(crate) features: &'s Features<'a>,
    pub(crate) feature_a: u32,
    pub(crate) feature_b: u32,
    /// Time up to which the triangles are known to be apart.
    pub(crate) time: f64,
}

/// Criteria of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchGoal {
    /// Finds pairs that may come within this distance before the end, metres.
    pub(crate) floor: f64,
    /// Finds pairs that may be nearer than this at time 0, metres; negative for none.
    pub(crate) reach: f64,
    /// Time from which on nothing is of interest.
    pub(crate) end: f64,
}

/// The queue of a search, kept between searches.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Item>,
}

impl Queue {
    /// Passes every feature pair that meets the goal to `meet`, in the order of the triangles'
    /// times, each pair once. `meet` is given the end of the goal and returns the new one.
    pub(crate) fn run(
        &mut self,
        [a, b]: [&mut Side<'_>; 2],
        mut goal: SearchGoal,
        counters: &mut MovingCounters,
        meet: &mut impl FnMut(&FoundPair<'_, '_>, f64) -> f64,
    ) {
        self.heap.clear();
        self.heap.push(Item {
            time: 0.0,
            a: 0,
            b: 0,
            far: true,
        });
        while let Some(item) = self.heap.pop() {
            if item.time > goal.end {
                break;
            }
            let (Item { time, .. }, SearchGoal { end, .. }) = (item, goal);
            if item.far {
                let box_a = a.moving_box(item.a, time, end);
                let box_b = b.moving_box(item.b, time, end);
                self.test(item, [&box_a, &box_b], [a, b], goal, counters);
                continue;
            }
            let larger = || a.size(item.a) > b.size(item.b);
            match (a.children(item.a), b.children(item.b)) {
                (None, None) => leaves(&item, [a, b], &mut goal.end, counters, meet),
                (Some(first), below) if below.is_none() || larger() => {
                    let box_b = b.moving_box(item.b, time, end);
                    for child in [first, first + 1] {
                        let box_a = a.moving_box(child, time, end);
                        let item = Item { a: child, ..item };
                        self.test(item, [&box_a, &box_b], [a, b], goal, counters);
                    }
                }
                (_, Some(first)) => {
                    let box_a = a.moving_box(item.a, time, end);
                    for child in [first, first + 1] {
                        let box_b = b.moving_box(child, time, end);
                        let item = Item { b: child, ..item };
                        self.test(item, [&box_a, &box_b], [a, b], goal, counters);
                    }
                }
                // Handled by the guard above.
                (Some(_), None) => {}
            }
        }
    }

    /// Queues a pair of boxes if they may matter before the end, with the time up to which they are
    /// then known to be apart.
    fn test(
        &mut self,
        item: Item,
        boxes: [&MovingBox; 2],
        [a, b]: [&Side<'_>; 2],
        goal: SearchGoal,
        counters: &mut MovingCounters,
    ) {
        counters.boxes += 1;
        let remaining = goal.end - item.time;
        let relative_motions = [&a.relative_motion, &b.relative_motion];
        let known = apart(boxes[0], boxes[1], relative_motions, goal.floor, remaining);
        // Pairs near at the start stay at time 0 down to their features.
        if item.time == 0.0 && known.gap < goal.reach {
            self.heap.push(Item { far: false, ..item });
        } else if known.time < remaining {
            self.heap.push(Item {
                time: item.time + known.time,
                far: known.far,
                ..item
            });
        }
    }
}

/// Offers all feature pairs that two triangles, or a triangle and a point, own.
fn leaves(
    item: &Item,
    [a, b]: [&Side<'_>; 2],
    end: &mut f64,
    counters: &mut MovingCounters,
    meet: &mut impl FnMut(&FoundPair<'_, '_>, f64) -> f64,
) {
    let mut offer = |kind, points_a: [Vec3; 3], points_b: [Vec3; 3], feature_a, feature_b| {
        counters.features += 1;
        let features = Features {
            kind,
            a: points_a,
            b: points_b,
            motion_of_a: &a.relative_motion,
            motion_of_b: &b.relative_motion,
        };
        let met = FoundPair {
            features: &features,
            feature_a,
            feature_b,
            time: item.time,
        };
        *end = meet(&met, *end);
    };
    let (place_a, place_b) = (
        |p: &Vec3| a.relative_motion.place(p),
        |p: &Vec3| b.relative_motion.place(p),
    );
    match (
        &a.shape.shape,
        &b.shape.shape,
        a.leaf(item.a),
        b.leaf(item.b),
    ) {
        (_, _, Some(la), Some(lb)) => {
            let p = la.corners.each_ref().map(place_a);
            let q = lb.corners.each_ref().map(place_b);
            for i in 0..3 {
                if la.owned_vertices & (1 << i) != 0 {
                    offer(
                        PairKind::VertexFace,
                        [p[i]; 3],
                        q,
                        la.vertices[i],
                        lb.triangle,
                    );
                }
                if lb.owned_vertices & (1 << i) != 0 {
                    offer(
                        PairKind::FaceVertex,
                        p,
                        [q[i]; 3],
                        la.triangle,
                        lb.vertices[i],
                    );
                }
            }
            for i in (0..3).filter(|i| la.owned_edges & (1 << i) != 0) {
                let e = [p[i], p[(i + 1) % 3], p[i]];
                for j in (0..3).filter(|j| lb.owned_edges & (1 << j) != 0) {
                    let f = [q[j], q[(j + 1) % 3], q[j]];
                    offer(PairKind::EdgeEdge, e, f, la.edges[i], lb.edges[j]);
                }
            }
        }
        (Shape::Point(p), _, _, Some(lb)) => {
            let q = lb.corners.each_ref().map(place_b);
            offer(PairKind::VertexFace, [place_a(p); 3], q, 0, lb.triangle);
        }
        (_, Shape::Point(q), Some(la), _) => {
            let p = la.corners.each_ref().map(place_a);
            offer(PairKind::FaceVertex, p, [place_b(q); 3], la.triangle, 0);
        }
        // Two points never touch.
        _ => {}
    }
}
