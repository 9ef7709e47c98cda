//! Broad-phase boxes of moving shapes during a step, for any
//! [`BroadPhase`](hapticd_geometry::BroadPhase).
//!
//! Pure functions; no panics. Metres, world frame.

use hapticd_geometry::{Aabb, SweptBox, Vec3};

use super::motion::{Motion, RelativeMotion};
use crate::index::{MeshIndex, Shape};

/// Maximum number of parts into which the step of a turning body is divided.
const MAX_PARTS: f64 = 32.0;

/// Returns the box that encloses a moving shape at all times of a step, enlarged by `margin_m` on
/// all sides.
///
/// The step is divided into parts. At both ends of a part, the box is that of the shape. In
/// between, a point leaves its chord by at most an eighth of its largest acceleration times the
/// square of the part. A shape that turns little gets a box that moves from one end to the other. A
/// shape that turns far gets a box at rest that encloses all parts. Returns
/// [`SweptBox::EVERYWHERE`] if a number is not finite.
#[must_use]
pub fn swept_box(shape: &MeshIndex, motion: &Motion, margin_m: f64) -> SweptBox {
    if !(motion.is_finite() && margin_m.is_finite()) {
        return SweptBox::EVERYWHERE;
    }
    let (center, axes, half) = match &shape.shape {
        Shape::Point(p) => (*p, hapticd_geometry::Mat3::identity(), Vec3::zeros()),
        Shape::Surface(s) => {
            let root = s.tree.obb(0);
            (root.center, root.axes, root.half)
        }
    };
    let origin = motion.start() * nalgebra::Point3::from(center);
    let relative_motion = RelativeMotion::new(motion, 0, &origin.coords);
    let radius = half.norm() * (1.0 + 4.0 * f64::EPSILON);
    let place = relative_motion.place(&center);
    let limits = relative_motion.limits(&place, radius, 1.0);
    let parts = (4.0 * relative_motion.turn_rate())
        .ceil()
        .clamp(1.0, MAX_PARTS);
    let bulge = limits.acceleration / (8.0 * parts * parts);
    let size = place.abs().sum() + center.abs().sum() + 2.0 * radius + origin.coords.abs().sum();
    let wider = margin_m + bulge + relative_motion.rounding(size, 1.0);
    let at = |t: f64| {
        let now = relative_motion.body(t);
        let middle = now.pose.point(&center) + origin.coords;
        let reach = (now.pose.rotation * axes).abs() * half + Vec3::repeat(wider);
        Aabb {
            low: middle - reach,
            high: middle + reach,
        }
    };
    if parts == 1.0 {
        return SweptBox {
            start: at(0.0),
            end: at(1.0),
        };
    }
    let all = (0..=parts as u32).map(|k| at(f64::from(k) / parts));
    SweptBox::still(all.fold(Aabb::NOWHERE, |all, part| all.union(&part)))
}
