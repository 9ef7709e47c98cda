//! Stage three: traces the rays and classifies their hits.

use rayon::prelude::*;

use crate::V3;
use crate::accept::{Side, accept, accept_alone, range};
use crate::asleep::{NewSleeper, Sleeper};
use crate::bounds::contains;
use crate::displacement::Pose;
use crate::layout::{Class, INNER_SIDE, NONE, Ray, Record};
use crate::line::{EDGE, Line, inverse, within};
use crate::scene::{Item, RayScene, relative};
use crate::settings::Settings;
use crate::trace::{Hit, Hits, Range, Target, trace_basic, trace_tree, walk};

/// Tracing algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Walk,
    Tree,
    Basic,
}

/// An answer on one side of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    /// Place of the record: each point has two, ahead and behind.
    pub place: u32,
    /// [`Class::Nothing`](crate::layout::Class::Nothing) with a triangle is a rejection, which
    /// still hides surfaces further away.
    pub record: Record,
    pub uv: [f32; 2],
}

/// Results and work of one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub found: Vec<Found>,
    /// Predictions that fall asleep.
    pub falling: Vec<NewSleeper>,
    /// Triangles visited by walks.
    pub looked: u64,
    /// Walks that were lost.
    pub lost: u64,
}

/// Fraction of their size, and of the distances in their frame, by which boxes are enlarged.
const BOX_MARGIN: f32 = 2.0 * EDGE;

/// Rays per task.
const CHUNK: usize = 256;

/// Traces all rays. The answers are in `parts`, in the order of the rays. Returns the number of
/// parts.
pub(crate) fn trace(
    scene: &RayScene,
    settings: &Settings,
    algorithm: Algorithm,
    rays: &[Ray],
    parts: &mut Vec<Part>,
) -> usize {
    let needed = rays.len().div_ceil(CHUNK);
    if parts.len() < needed {
        parts.resize_with(needed, Part::default);
    }
    let chunks = rays.par_chunks(CHUNK).zip(parts.par_iter_mut());
    chunks.for_each(|(rays, part)| {
        part.found.clear();
        part.falling.clear();
        (part.looked, part.lost) = (0, 0);
        let mut pair = None;
        for ray in rays {
            // Rays of one pair are contiguous.
            let pair = match &pair {
                Some(old) if PairTracer::of(old, ray) => old,
                _ => pair.insert(PairTracer::new(scene, ray)),
            };
            pair.trace(settings, algorithm, ray, part);
        }
    });
    needed
}

/// Two objects, and the transform from one to the other.
struct PairTracer<'a> {
    ids: (u32, u32),
    source: &'a Item,
    target: &'a Item,
    onto: Target<'a>,
    relative: Option<Pose>,
}

/// A ray with what its trace needs, in the frame of the target.
struct TracedRay<'r> {
    settings: &'r Settings,
    algorithm: Algorithm,
    ray: &'r Ray,
    line: Line,
    from: Side,
    to: Side,
    range: Range,
}

impl TracedRay<'_> {
    /// The point, if the ray is tested against its own object: its triangles are no answer.
    #[inline]
    fn own(&self) -> Option<u32> {
        (self.ray.source == self.ray.target).then_some(self.ray.point)
    }
}

impl<'a> PairTracer<'a> {
    fn new(scene: &'a RayScene, ray: &Ray) -> Self {
        let source = &scene.items[ray.source as usize];
        let target = &scene.items[ray.target as usize];
        let both_in_world = source.deformable && target.deformable;
        PairTracer {
            ids: (ray.source, ray.target),
            source,
            target,
            onto: target.target(),
            relative: (!both_in_world).then(|| relative(source, target)),
        }
    }

    fn of(&self, ray: &Ray) -> bool {
        self.ids == (ray.source, ray.target)
    }

    /// Whether a point of a solid is outside the other solid because it is outside its box.
    fn is_outside(&self, o: &V3) -> bool {
        let solid = !self.source.is_sheet() && !self.target.is_sheet();
        let tree = self.onto.tree.filter(|_| solid);
        tree.is_some_and(|tree| !contains(tree.bounds(), o, 0.0))
    }

    /// Whether predictions may sleep: between two rigid solids, and only where walks follow.
    fn may_sleep(&self, settings: &Settings) -> bool {
        let rigid = !self.source.deformable && !self.target.deformable;
        let solid = !self.source.is_sheet() && !self.target.is_sheet();
        settings.iterative && settings.awake_m < f32::INFINITY && rigid && solid
    }

    /// Smallest distance that a point in front of a triangle has to move to get behind it, or
    /// behind one of its neighbours that rise towards the point, m; less the rounding error of the
    /// positions.
    fn room(&self, o: &V3, triangle: u32) -> f32 {
        let [a, b, c] = self.onto.corners(triangle);
        let plane = |[a, b, c]: [V3; 3]| (a, (b - a).cross(&(c - a)).normalize());
        let (_, n) = plane([a, b, c]);
        let mut room = n.dot(&(o - a));
        for across in self.onto.neighbours.of(triangle) {
            if across == NONE {
                continue;
            }
            let corners = self.onto.corners(across);
            let rises = corners
                .iter()
                .any(|p| n.dot(&(p - a)) > EDGE * (p - a).norm());
            if rises {
                let (p, m) = plane(corners);
                room = room.min(m.dot(&(o - p)));
            }
        }
        room - BOX_MARGIN * (o.amax() + a.amax().max(b.amax()).max(c.amax()))
    }

    /// Whether a ray misses the box of all triangles that the basic algorithm would test: criterion
    /// C1 for the ray instead of its point. The tree does this implicitly.
    fn misses(&self, ray: &Ray, line: &Line, range: &Range) -> bool {
        let (low, high) = if ray.start == NONE {
            let Some(tree) = self.onto.tree else {
                return false;
            };
            *tree.bounds()
        } else if self.target.deformable {
            self.target.cluster_bounds[ray.start as usize]
        } else {
            // Boxes of a rigid object's clusters are not in the frame of the line.
            return false;
        };
        // Distance by which a hit may be outside its triangle, plus the rounding error of the line.
        let size = (high - low).amax() + low.amax() + high.amax() + line.o.amax();
        let corners = [
            low.add_scalar(-BOX_MARGIN * size),
            high.add_scalar(BOX_MARGIN * size),
        ];
        let (from, to) = (-range.behind, range.ahead);
        !within(&line.o, &inverse(&line.d), &corners, from, to)
    }

    /// Traces one ray and appends what it finds to `part`.
    fn trace(&self, settings: &Settings, algorithm: Algorithm, ray: &Ray, part: &mut Part) {
        let Some(line) = self.line(ray) else {
            return;
        };
        let (from, to) = (self.source.side(ray.point as usize), self.target.side(0));
        let (behind, mut ahead) = range(from, to, settings.prediction_m);
        if self.is_outside(&line.o) {
            // Ahead the ray can only enter the solid, which is no contact.
            ahead = 0.0;
        }
        let traced = TracedRay {
            settings,
            algorithm,
            ray,
            line,
            from,
            to,
            range: Range { behind, ahead },
        };
        let hits = match algorithm {
            Algorithm::Walk => self.walk(&traced, part),
            Algorithm::Tree => trace_tree(&traced.line, &self.onto, &traced.range, traced.own()),
            Algorithm::Basic => self.trace_triangles(&traced),
        };
        self.resolve(&traced, &hits, part);
    }

    /// The line of a ray, in the frame of the target.
    #[inline]
    fn line(&self, ray: &Ray) -> Option<Line> {
        let line = self.source.line(ray.point as usize)?;
        Some(match &self.relative {
            Some(pose) => Line {
                o: pose.rotation * line.o + pose.translation.vector,
                d: pose.rotation * line.d,
            },
            None => line,
        })
    }

    /// Walks from the triangle at which the ray starts to the one that the line meets.
    #[inline]
    fn walk(&self, traced: &TracedRay<'_>, part: &mut Part) -> Hits {
        let limit = (traced.settings).walk_limit(self.target.shape.mean_edge);
        let walked = walk(&traced.line, &self.onto, traced.ray.start, limit);
        part.looked += u64::from(walked.looked);
        // On its own surface, a walk may end at a triangle of the point itself, which is no answer.
        let own = traced.own();
        let hit = walked.hit.filter(|hit| {
            !own.is_some_and(|p| self.onto.triangles[hit.triangle as usize].contains(&p))
        });
        part.lost += u64::from(hit.is_none());
        let is_ahead = |hit: &Hit| hit.at.t >= 0.0;
        Hits {
            ahead: hit.filter(is_ahead),
            behind: hit.filter(|hit| !is_ahead(hit)),
        }
    }

    /// Tests the triangles of the ray's cluster, or all if it names none.
    #[inline]
    fn trace_triangles(&self, traced: &TracedRay<'_>) -> Hits {
        let TracedRay {
            ray, line, range, ..
        } = traced;
        let own = traced.own();
        if self.misses(ray, line, range) {
            Hits::default()
        } else if ray.start == NONE {
            let all = 0..self.onto.triangles.len() as u32;
            trace_basic(line, &self.onto, all, range, own)
        } else {
            let clusters = self.target.shape.cluster_triangles();
            let some = clusters.of(ray.start as usize).iter().copied();
            trace_basic(line, &self.onto, some, range, own)
        }
    }

    /// Classifies the hits on both sides of a point and records them. A prediction far enough from
    /// contact falls asleep instead.
    #[inline]
    fn resolve(&self, traced: &TracedRay<'_>, hits: &Hits, part: &mut Part) {
        let (algorithm, ray) = (traced.algorithm, traced.ray);
        // Other rays of the same point go to other clusters: a rejection here may hide what they
        // find.
        let rejections = algorithm == Algorithm::Basic && ray.start != NONE;
        // A walk follows one side only, and a cluster is a part of the surface: neither can tell.
        let whole = match algorithm {
            Algorithm::Walk => false,
            Algorithm::Tree => true,
            Algorithm::Basic => ray.start == NONE,
        };
        let alone = whole && !target_encloses(hits);
        let place = self.source.first_record + 2 * ray.point;
        let mut collides = false;
        for (half, hit) in [hits.ahead, hits.behind].into_iter().enumerate() {
            let Some(hit) = hit else {
                continue;
            };
            let (class, inner) = self.classify(traced, &hit, alone);
            if class == Class::Nothing && !rejections {
                continue;
            }
            collides |= class == Class::Collision;
            if class == Class::Prediction
                && !collides
                && self.may_sleep(traced.settings)
                && let Some(sleeper) = self.fall_asleep(traced, hit.triangle)
            {
                part.falling.push(sleeper);
                continue;
            }
            let bits = class as u32 | if inner { INNER_SIDE } else { 0 };
            part.found.push(Found {
                place: place + half as u32,
                record: Record {
                    triangle: hit.triangle,
                    target: ray.target,
                    bits,
                    t: hit.at.t,
                },
                uv: [hit.at.u, hit.at.v],
            });
        }
    }

    /// Class of a hit, and whether it is on the inner side. `alone`: the whole surface was tested,
    /// and it does not enclose the point.
    #[inline]
    fn classify(
        &self,
        traced: &TracedRay<'_>,
        Hit { triangle, at }: &Hit,
        alone: bool,
    ) -> (Class, bool) {
        let [a, b, c] = self.onto.corners(*triangle);
        let n = (b - a).cross(&(c - a));
        let slope = traced.line.d.dot(&n) / n.norm();
        let (from, to) = (traced.from, traced.to);
        let (class, inner) = accept(from, to, at, slope, traced.settings.prediction_m);
        if let (Side::Sheet { half_thickness }, Side::Volume { .. }) = (from, to)
            && inner
            && alone
        {
            return (accept_alone(half_thickness, (at.t * slope).abs()), inner);
        }
        (class, inner)
    }

    /// The sleeping prediction of a point that has to move far to get behind a triangle; `None` if
    /// it must stay awake.
    #[inline]
    fn fall_asleep(&self, traced: &TracedRay<'_>, triangle: u32) -> Option<NewSleeper> {
        let (ray, at) = (traced.ray, traced.line.o);
        let room = self.room(&at, triangle);
        (room > traced.settings.awake_m).then_some(NewSleeper {
            source: ray.source,
            target: ray.target,
            sleeper: Sleeper {
                point: ray.point,
                triangle,
                at,
                room,
            },
        })
    }
}

/// Whether both rays of a point meet the inner side.
fn target_encloses(hits: &Hits) -> bool {
    let outward = |hit: &Option<Hit>| hit.as_ref().map(|hit| hit.at.outward);
    (outward(&hits.ahead), outward(&hits.behind)) == (Some(true), Some(false))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hapticd_geometry::{Pose, shapes};

    use super::*;
    use crate::shape::{Shape, Topology};

    /// In a corner of three walls, the free distance above the floor is at most the height, and at
    /// most the distance to a wall that the triangle below ends at.
    #[test]
    fn walls_take_room() {
        let corner = shapes::inner_corner(0.1, 0.02).unwrap();
        let corner = Arc::new(Shape::new(&corner, Topology::Volume, 0).unwrap());
        let mut scene = RayScene::new();
        let pose = Pose::identity();
        scene.add_rigid(corner.clone(), &pose, true).unwrap();
        scene.add_rigid(corner, &pose, false).unwrap();
        let between = PairTracer::new(
            &scene,
            &Ray {
                target: 1,
                ..Ray::default()
            },
        );
        let range = Range {
            behind: 1.0,
            ahead: 1.0,
        };
        let (mut by_wall, mut by_floor) = (0, 0);
        for k in 0..1000 {
            let part = |n: u32| 0.005 + 0.09 * (k * n % 997) as f32 / 997.0;
            let line = Line {
                o: V3::new(part(7), part(31), part(101)),
                d: V3::z(),
            };
            let floor = trace_tree(&line, &between.onto, &range, None)
                .behind
                .unwrap();
            let room = between.room(&line.o, floor.triangle);
            let walls = between.onto.neighbours.of(floor.triangle);
            let wall = |axis: usize| {
                let inner = |t: &u32| between.onto.corners(*t).iter().all(|p| p[axis] == 0.0);
                if walls.iter().any(inner) {
                    line.o[axis]
                } else {
                    1.0
                }
            };
            let least = wall(0).min(wall(1)).min(line.o.z);
            assert!((room - least).abs() < 1e-5, "{room} {least}");
            assert!(room < least);
            by_wall += u32::from(least < line.o.z);
            by_floor += u32::from(least == line.o.z);
        }
        assert!(by_wall > 100 && by_floor > 100, "{by_wall} {by_floor}");
    }
}
