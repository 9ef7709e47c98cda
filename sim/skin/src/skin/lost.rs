//! Primitives that will not be seen, and why: what a caller is told who gave them.

use super::{Report, Settings, Skin};
use crate::domain::Domain;
use crate::kernel::Kernel;
use crate::primitive::{Primitive, Skeleton};

/// Primitives that will not be seen, or not for sure. One may be counted more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// With a surface of their own whose distance from the skeleton is less than a cube: alone,
    /// they may fall between the nodes.
    pub small: usize,
    /// Too weak, or taking away: alone they have no surface. Together with others they may.
    pub weak: usize,
    /// That reach nothing of the domain.
    pub outside: usize,
    /// That reach no brick with surface: nothing is to be seen of them, whatever the reason. Those
    /// outside are among them.
    pub unseen: usize,
}

impl Skin {
    /// Counts them, once the bricks are made.
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
                // Not those of grids.
                if let Some(seen) = seen.get_mut(now.order[*entry as usize] as usize) {
                    *seen = true;
                }
            }
        }
        lost.unseen = seen.iter().filter(|seen| !**seen).count();
    }
}

/// Whether it is 0 in all of the domain.
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

/// [`Kernel::reach`] of the last one that was asked for: a skeleton has one kernel and one
/// amplitude, as a rule.
#[derive(Default)]
struct Reach {
    of: Option<(Kernel, f64)>,
    reach: f64,
}

impl Reach {
    /// Half the thickness of a lone primitive where it is thinnest, m; 0: it has no surface.
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
