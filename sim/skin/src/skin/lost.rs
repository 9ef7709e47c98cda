//! Primitives that are not visible, and why, for the caller that supplied them.

use super::{Report, Settings, Skin};
use crate::domain::Domain;
use crate::kernel::Kernel;
use crate::primitive::{Primitive, Skeleton};

/// Counts of primitives that are not visible, or not reliably. One primitive may count more than
/// once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Primitives with a lone surface less than a cube from the skeleton: alone, they may fall
    /// between the nodes.
    pub small: usize,
    /// Primitives too weak or negative: alone they have no surface, together with others they may.
    pub weak: usize,
    /// Primitives that do not reach the domain.
    pub outside: usize,
    /// Primitives that reach no brick with surface, for any reason: they are invisible. Includes
    /// those outside.
    pub unseen: usize,
}

impl Skin {
    /// Counts the lost primitives, once the bricks are made.
    pub(super) fn count_lost(&mut self, settings: &Settings, report: &mut Report) {
        let (domain, level) = (&settings.domain, settings.level);
        let (now, primitives) = (&self.now, &self.now.primitives);
        let lost = &mut report.lost;
        let mut reach = Reach::default();
        for primitive in primitives {
            let visible = reach.half(primitive, level);
            lost.weak += usize::from(visible == 0.0);
            lost.small += usize::from(visible > 0.0 && visible < domain.cell_m());
            lost.outside += usize::from(is_outside(domain, primitive));
        }
        let seen = &mut self.seen;
        seen.clear();
        seen.resize(primitives.len(), false);
        for brick in &now.bricks {
            for entry in now.lists.of(brick.slot as usize) {
                // Grids are not counted.
                if let Some(seen) = seen.get_mut(now.order[*entry as usize] as usize) {
                    *seen = true;
                }
            }
        }
        lost.unseen = seen.iter().filter(|seen| !**seen).count();
    }
}

/// True if the potential is 0 in the whole domain.
fn is_outside(domain: &Domain, primitive: &Primitive) -> bool {
    if let Skeleton::Point(c) = primitive.skeleton
        && primitive.kernel.is_finite()
    {
        let away = c - c.sup(&domain.low()).inf(&domain.high());
        return away.norm() >= primitive.radius_m;
    }
    let (low, high) = primitive.bounds();
    (0..3).any(|k| low[k] >= domain.high()[k] || high[k] <= domain.low()[k])
}

/// Cached [`Kernel::reach`]: a skeleton usually has one kernel and one amplitude.
#[derive(Default)]
struct Reach {
    of: Option<(Kernel, f64)>,
    reach: f64,
}

impl Reach {
    /// Half the thickness of a lone primitive where it is thinnest, m; 0 if it has no surface.
    fn half(&mut self, primitive: &Primitive, level: f64) -> f64 {
        if let Skeleton::Convolved(_) = primitive.skeleton {
            return super::visible_radius_m(primitive, level);
        }
        let of = (primitive.kernel, primitive.amplitude);
        if self.of != Some(of) {
            self.reach = super::reach_of(primitive, level);
            self.of = Some(of);
        }
        let radius = primitive.radius_m * self.reach;
        match &primitive.skeleton {
            _ if radius == 0.0 => 0.0,
            Skeleton::Ellipsoid(_, axes) => radius * axes.tr_mul(axes).diagonal().min().sqrt(),
            Skeleton::Cylinder(_, thick) => radius + thick,
            _ => radius,
        }
    }
}
