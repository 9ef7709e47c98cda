//! Which bodies may meet at all during a step: swept bounding boxes, sorted and swept.
//!
//! The broad phase is behind a trait, so that one with memory (a sorted list that is kept from step to step) can take the place of
//! [`SweepAndPrune`]. Pure functions of the boxes but for what an implementation remembers; no panics. Metres, world frame.

use hapticd_geometry::Vec3;

use super::motion::{Course, Motion};
use crate::index::{MeshIndex, Shape};

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub low: Vec3,
    /// Highest corner.
    pub high: Vec3,
}

impl Aabb {
    /// All of space: overlaps everything.
    pub const EVERYWHERE: Self = Self {
        low: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        high: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// Whether two boxes have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }
}

/// Parts of a step that the box of a turning body is made of, at most.
const MOST_PARTS: f64 = 32.0;

/// The box that holds a moving shape at all times of a step, `margin_m` added on all sides.
///
/// At both ends of a part of the step the box is that of the shape; between them a point leaves its chord by an eighth of its
/// largest acceleration times the square of the part at most. Everywhere if a number is not finite.
#[must_use]
pub fn swept_box(shape: &MeshIndex, motion: &Motion, margin_m: f64) -> Aabb {
    if !(motion.is_finite() && margin_m.is_finite()) {
        return Aabb::EVERYWHERE;
    }
    let (center, axes, half) = match &shape.shape {
        Shape::Point(p) => (*p, hapticd_geometry::Mat3::identity(), Vec3::zeros()),
        Shape::Surface(s) => {
            let root = s.tree.nodes()[0].obb();
            (root.center, root.axes, root.half)
        }
    };
    let origin = motion.start() * nalgebra::Point3::from(center);
    let course = Course::new(motion, 0, &origin.coords);
    let radius = half.norm() * (1.0 + 4.0 * f64::EPSILON);
    let place = course.place(&center);
    let limits = course.limits(&place, radius, 1.0);
    let parts = (4.0 * course.turn_rate()).ceil().clamp(1.0, MOST_PARTS);
    let bulge = limits.acceleration / (8.0 * parts * parts);
    let size = place.abs().sum() + center.abs().sum() + 2.0 * radius + origin.coords.abs().sum();
    let wider = margin_m + bulge + course.rounding(size, 1.0);
    let mut swept = Aabb {
        low: Vec3::repeat(f64::INFINITY),
        high: Vec3::repeat(f64::NEG_INFINITY),
    };
    for k in 0..=parts as u32 {
        let now = course.body(f64::from(k) / parts);
        let middle = now.pose.point(&center) + origin.coords;
        let reach = (now.pose.rotation * axes).abs() * half + Vec3::repeat(wider);
        swept.low = swept.low.inf(&(middle - reach));
        swept.high = swept.high.sup(&(middle + reach));
    }
    let finite = swept.low.sum().is_finite() && swept.high.sum().is_finite();
    if finite { swept } else { Aabb::EVERYWHERE }
}

/// Finds the pairs of boxes that overlap.
pub trait BroadPhase {
    /// Puts into `pairs` (emptied first) every pair `(i, j)`, `i < j`, of boxes that overlap, each once, sorted. A pair that
    /// does not overlap may be there too.
    fn overlapping(&mut self, boxes: &[Aabb], pairs: &mut Vec<(u32, u32)>);
}

/// Sorts along the axis on which the boxes are spread most, and sweeps along it. O(n log n + pairs that overlap on that axis).
#[derive(Debug, Default)]
pub struct SweepAndPrune {
    order: Vec<u32>,
    open: Vec<u32>,
}

impl BroadPhase for SweepAndPrune {
    fn overlapping(&mut self, boxes: &[Aabb], pairs: &mut Vec<(u32, u32)>) {
        pairs.clear();
        let axis = spread_axis(boxes);
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        let low = |i: &u32| boxes[*i as usize].low[axis];
        (self.order).sort_unstable_by(|i, j| low(i).total_cmp(&low(j)).then(i.cmp(j)));
        self.open.clear();
        for &i in &self.order {
            let here = &boxes[i as usize];
            self.open
                .retain(|&j| boxes[j as usize].high[axis] >= here.low[axis]);
            for &j in &self.open {
                if here.overlaps(&boxes[j as usize]) {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
            self.open.push(i);
        }
        pairs.sort_unstable();
    }
}

/// The axis along which the middles of the boxes vary most; boxes without bounds do not count.
fn spread_axis(boxes: &[Aabb]) -> usize {
    let middles = boxes.iter().map(|b| b.low * 0.5 + b.high * 0.5);
    let finite = middles.filter(|m| m.sum().is_finite());
    let (mut count, mut sum, mut squares) = (0.0, Vec3::zeros(), Vec3::zeros());
    for m in finite {
        count += 1.0;
        sum += m;
        squares += m.component_mul(&m);
    }
    if count == 0.0 {
        return 0;
    }
    let mean = sum / count;
    (squares / count - mean.component_mul(&mean)).imax()
}
