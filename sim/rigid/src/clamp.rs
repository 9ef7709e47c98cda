//! How far all bodies may follow their screws together: continuous detection on every pair that may
//! meet.

use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch, advance_features};
use hapticd_ccd::{Advance, AdvanceLimits, FeaturePair};
use hapticd_geometry::Screw;

use crate::body::RigidBody;
use crate::link::{Link, Sides};
use crate::plan::Counters;
use crate::point::Features;

/// Maximum number of steps for one feature pair. Running out costs motion, not correctness.
const MAX_STEPS: u32 = 128;

/// The stop of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Time up to which everything is proven.
    pub t: f64,
    /// Features that cause the stop; `None` if unknown.
    pub features: Option<Features>,
}

/// Upper bound on the path length of any point of `a` relative to `b` while both follow their
/// screws.
///
/// The velocity field of a screw is constant in time, and so is the difference of two. A point of
/// `a` stays within `a`'s ball; the centre of that ball moves no farther than its constant speed
/// allows.
pub(crate) fn relative_travel(
    a: &RigidBody,
    centre: &hapticd_geometry::Vec3,
    screws: [&Screw; 2],
) -> f64 {
    let at_centre = screws[0].velocity_of(centre) - screws[1].velocity_of(centre);
    let turning = (screws[0].angular_velocity() - screws[1].angular_velocity()).norm();
    let way = at_centre.norm() + turning * (a.radius_m + screws[0].velocity_of(centre).norm());
    let size =
        |s: &Screw| s.translation.abs() + s.angle.abs() * ((s.point - centre).norm() + a.radius_m);
    way + 16.0 * f64::EPSILON * (size(screws[0]) + size(screws[1]))
}

/// Continuous detection on pairs of bodies: its work space, and the counters of the plan.
pub(crate) struct Detection<'a> {
    pub search: &'a mut MovingSearch,
    pub counters: &'a mut Counters,
}

impl Detection<'_> {
    /// Computes the time in `[0, t_max]` up to which two bodies keep their clearance, each on its
    /// screw over `[0, 1]`.
    pub(crate) fn proven(
        &mut self,
        link: &Link,
        sides: &Sides<'_>,
        screws: [&Screw; 2],
        t_max: f64,
    ) -> Stop {
        let [a, b] = sides.bodies;
        let way = relative_travel(a, &a.centre_at(sides.poses[0]), screws) * t_max;
        let free = Stop {
            t: t_max,
            features: None,
        };
        let mut stop = free;
        let critical = link.critical(way);
        let clearance = link.distances.clearance_m;
        let motions = || [0, 1].map(|k| Motion::screw(sides.poses[k], screws[k]));
        match critical {
            Some(pairs) => {
                let mut known: Option<[Motion; 2]> = None;
                for listed in pairs {
                    let motion = known.get_or_insert_with(motions);
                    let f = listed.features;
                    let (Some(x), Some(y)) = (
                        a.shape.feature_a(f.kind, f.a),
                        b.shape.feature_b(f.kind, f.b),
                    ) else {
                        return Stop {
                            t: 0.0,
                            features: None,
                        };
                    };
                    self.counters.followed += 1;
                    let advanced = advance_features(
                        FeaturePair {
                            kind: f.kind,
                            a: &x,
                            b: &y,
                        },
                        [&motion[0], &motion[1]],
                        AdvanceLimits {
                            threshold: clearance,
                            t_max: stop.t,
                            max_steps: MAX_STEPS,
                        },
                    );
                    if let Advance::Stopped { t, .. } = advanced
                        && t < stop.t
                    {
                        stop = Stop {
                            t,
                            features: Some(f),
                        };
                    }
                }
            }
            None => {
                self.counters.swept += 1;
                let motion = motions();
                let bodies = [0, 1].map(|k| MovingBody {
                    shape: &sides.bodies[k].shape,
                    motion: &motion[k],
                    radius_m: 0.0,
                });
                let meeting = self
                    .search
                    .first_contact(&bodies[0], &bodies[1], clearance, t_max);
                if meeting.free_until < t_max {
                    stop = Stop {
                        t: meeting.free_until,
                        features: meeting.first.map(|c| Features {
                            kind: c.kind,
                            a: c.feature_a,
                            b: c.feature_b,
                        }),
                    };
                }
            }
        }
        stop
    }
}
