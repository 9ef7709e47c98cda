//! Two bodies that may touch: the list of their near feature pairs, kept while its certificate
//! holds, and the contacts in it.
//!
//! # Theory
//!
//! A proximity query lists all feature pairs nearer than a reach. As long as no point of one body
//! has moved by more than `m` relative to the other since then, every pair that is not listed is at
//! least `reach - m` apart. So the list is searched again only when its reach is used up, and a
//! body at rest is never searched again. In the same way each listed pair has a distance that it
//! cannot have lost more than `m` of.
//!
//! Not every near pair is a contact. A vertex over a tessellated plane is near to *all* triangles
//! around it; only pairs that are *locally closest* on both surfaces constrain the motion, the
//! others would be bumps where there are none. A pair that this wrongly leaves out costs
//! smoothness, not safety: continuous detection stops the motion at it, and it is then made a
//! contact by force.

use hapticd_ccd::{MeshIndex, PairDistance, PairKind, Proximity, closest};
use hapticd_geometry::{Pose, Rigid, Vec3, transform};

use crate::body::{Material, RigidBody};
use crate::distances::Distances;
use crate::patch::keep_corners;

/// Cosine slack of the local tests: directions this close to perpendicular count as perpendicular.
const SLACK: f64 = 1e-6;
/// Which pairs are contacts is decided again when the bodies have moved by this part of the safe
/// distance.
const LOOK_AGAIN: f64 = 0.1;
/// Bodies that have moved by less than this part of the safe distance since their contacts were
/// computed stand still.
const STILL: f64 = 1e-10;
/// Two contacts of one pair of bodies nearer than this many release distances, with one normal, are
/// one.
const SAME_PLACE: f64 = 2.0;
/// `1 - cos` of normals that count as one.
const SAME_NORMAL: f64 = 1e-9;

/// Most pairs of a list. Longer ones reach farther, but cost more than they save: what is beyond is
/// left to the search of whole bodies.
const MAX_LISTED: usize = 1024;
/// The same where `MAX_LISTED` reach less far than this many release distances.
const MANY: usize = 4096;
const ENOUGH: f64 = 2.0;

/// One of the bodies' features against one of the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Features {
    pub kind: PairKind,
    pub a: u32,
    pub b: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub features: Features,
    /// At the poses of the list, exact.
    at_list: f64,
    /// At the poses of the last look, at least.
    pub at_look: f64,
}

/// A contact point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub features: Features,
    /// World, from b to a.
    pub normal: Vec3,
    /// World, half way.
    pub middle: Vec3,
    pub gap_m: f64,
    /// Of the last step, on a, world, N s.
    pub impulse: Vec3,
}

/// Work space that the links of a world share.
pub(crate) struct Searches {
    near: Proximity,
    /// Where so many are near that the first list does not tell the contacts.
    dense: Proximity,
    far: Proximity,
    pub count: u32,
    fresh: Vec<Point>,
    plane: Vec<(f64, f64, usize)>,
    drop: Vec<bool>,
}

impl Searches {
    pub fn new() -> Self {
        Self {
            near: Proximity::new(MAX_LISTED),
            dense: Proximity::new(MANY),
            far: Proximity::new(1),
            count: 0,
            fresh: Vec::new(),
            plane: Vec::new(),
            drop: Vec::new(),
        }
    }
}

/// Bodies and poses of a link's two sides, a first.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub bodies: [&'a RigidBody; 2],
    pub poses: [&'a Pose; 2],
}

impl Sides<'_> {
    pub fn b_from_a(&self) -> Pose {
        self.poses[1].inverse() * self.poses[0]
    }
}

pub(crate) struct Link {
    /// Slot of the body with the smaller ball.
    pub a: u32,
    pub b: u32,
    pub distances: Distances,
    pub friction: f64,
    pub restitution: f64,
    pub points: Vec<Point>,
    /// How often in a row it has stopped a plan at its start.
    pub stalls: u32,
    listed: Vec<Listed>,
    listed_at: Pose,
    complete_to: f64,
    looked_at: Pose,
    looked_to: f64,
    /// Where the contacts were computed last, and how far the bodies may have moved since the list,
    /// since the look (up to there) and since.
    renewed_at: Pose,
    since_list: f64,
    since_look: f64,
    since_renewed: f64,
    forced: Vec<Features>,
    /// The last list was a long one, and needed to be.
    crowded: bool,
}

impl Link {
    pub fn new(a: u32, b: u32) -> Self {
        Self {
            a,
            b,
            distances: Distances::new(1.0, 1.0),
            friction: 0.0,
            restitution: 0.0,
            points: Vec::new(),
            stalls: 0,
            listed: Vec::new(),
            listed_at: Pose::identity(),
            complete_to: f64::NEG_INFINITY,
            looked_at: Pose::identity(),
            looked_to: f64::NEG_INFINITY,
            renewed_at: Pose::identity(),
            since_list: 0.0,
            since_look: 0.0,
            since_renewed: 0.0,
            forced: Vec::new(),
            crowded: false,
        }
    }

    /// What the two surfaces make of each other.
    pub fn set_surfaces(&mut self, [a, b]: [Material; 2]) {
        self.friction = (a.friction * b.friction).sqrt();
        self.restitution = a.restitution.max(b.restitution);
    }

    /// Makes a used link a new one, with its memory.
    pub fn reset(&mut self, a: u32, b: u32, sides: &Sides<'_>) {
        let bodies = sides.bodies;
        self.a = a;
        self.b = b;
        let radius = bodies[0].radius_m.min(bodies[1].radius_m);
        let extent = (0..2).map(|k| sides.poses[k].translation.vector.amax() + bodies[k].radius_m);
        self.distances = Distances::new(radius, extent.fold(0.0, f64::max));
        self.set_surfaces(bodies.map(|b| b.material));
        self.points.clear();
        self.listed.clear();
        self.forced.clear();
        self.stalls = 0;
        self.crowded = false;
        self.since_list = 0.0;
        self.since_look = 0.0;
        self.since_renewed = 0.0;
        self.complete_to = f64::NEG_INFINITY;
        self.looked_to = f64::NEG_INFINITY;
    }

    /// Whether it was ever looked at.
    pub fn is_known(&self) -> bool {
        self.complete_to > f64::NEG_INFINITY && self.looked_to > f64::NEG_INFINITY
    }

    /// Contacts, their gaps and normals at the present poses, complete up to a distance of
    /// `look_m`.
    pub fn update(&mut self, sides: &Sides<'_>, look_m: f64, searches: &mut Searches) {
        let b_from_a = sides.b_from_a();
        let still = STILL * self.distances.safe_m;
        let moved = shift_between(&self.renewed_at, &b_from_a, sides.bodies[0]);
        let renews = !(moved <= still);
        if renews {
            self.renewed_at = b_from_a;
            self.since_list = shift_between(&self.listed_at, &b_from_a, sides.bodies[0]);
            self.since_look = shift_between(&self.looked_at, &b_from_a, sides.bodies[0]);
            self.since_renewed = 0.0;
        } else {
            self.since_renewed = moved;
        }
        let listed = self.is_complete_to(look_m);
        if !listed {
            self.list(sides, &b_from_a, look_m, searches);
        }
        let again = LOOK_AGAIN * self.distances.safe_m;
        let moved = self.since_look + self.since_renewed;
        if !listed || !(moved <= again) || self.looked_to < look_m {
            self.look(sides, &b_from_a, look_m, searches);
        } else if renews {
            let frame = Frame::new(sides, &b_from_a);
            self.points.retain_mut(|p| frame.renew(p));
        }
    }

    /// Whether no pair that is not listed is nearer than this at the poses of the last update.
    fn is_complete_to(&self, distance_m: f64) -> bool {
        self.complete_to - (self.since_list + self.since_renewed) >= distance_m
    }

    fn list(&mut self, sides: &Sides<'_>, b_from_a: &Pose, look_m: f64, searches: &mut Searches) {
        let [a, b] = sides.bodies;
        searches.count += 1;
        self.listed_at = *b_from_a;
        self.since_list = 0.0;
        self.listed.clear();
        // Room for a few steps like this one.
        let reach = 3.0 * look_m;
        let enough = ENOUGH * self.distances.release_m;
        // What was crowded is so for a while: the short list is not asked first.
        let first = match self.crowded {
            true => &mut searches.dense,
            false => &mut searches.near,
        };
        let mut near = first.query(&a.shape, 0.0, &b.shape, b_from_a, reach);
        if !self.crowded && near.complete_to < enough {
            near = (searches.dense).query(&a.shape, 0.0, &b.shape, b_from_a, reach);
        }
        self.crowded = near.pairs.len() > MAX_LISTED;
        self.complete_to = near.complete_to;
        self.listed.extend(near.pairs.iter().map(|pair| Listed {
            features: Features {
                kind: pair.kind,
                a: pair.feature_a,
                b: pair.feature_b,
            },
            at_list: pair.distance,
            at_look: pair.distance,
        }));
        if self.listed.is_empty() {
            // Nothing near: how far is the nearest? So that a body far away is not asked about all
            // the time.
            let far = 0.5 * a.radius_m;
            if far > reach {
                let found = searches.far.query(&a.shape, 0.0, &b.shape, b_from_a, far);
                let nearest = found.pairs.first().map_or(far, |p| p.distance.min(far));
                self.complete_to = self.complete_to.max(nearest.min(found.complete_to));
            }
        }
    }

    fn look(&mut self, sides: &Sides<'_>, b_from_a: &Pose, look_m: f64, searches: &mut Searches) {
        self.looked_at = *b_from_a;
        self.renewed_at = *b_from_a;
        self.since_list += self.since_renewed;
        self.since_look = 0.0;
        self.since_renewed = 0.0;
        let moved = self.since_list;
        // Some more, so that a body that speeds up is not looked at again at once.
        self.looked_to = 1.5 * look_m;
        let frame = Frame::new(sides, b_from_a);
        let fresh = &mut searches.fresh;
        fresh.clear();
        let forced = &mut self.forced;
        for listed in &mut self.listed {
            listed.at_look = listed.at_list - moved;
            if listed.at_look > self.looked_to {
                continue;
            }
            let Some((found, is_contact)) = frame.measure(&listed.features) else {
                continue;
            };
            listed.at_look = found.distance;
            if found.distance > self.looked_to {
                continue;
            }
            if is_contact || forced.contains(&listed.features) {
                fresh.push(frame.point(listed.features, &found));
            }
        }
        let release = self.distances.release_m;
        forced.retain(|f| {
            fresh
                .iter()
                .any(|p| p.features == *f && p.gap_m < 2.0 * release)
        });
        fresh.sort_unstable_by_key(|p| p.features);
        // The impulses of the last step are the start of the next.
        for p in fresh.iter_mut() {
            if let Ok(k) = self
                .points
                .binary_search_by_key(&p.features, |q| q.features)
            {
                p.impulse = self.points[k].impulse;
            }
        }
        self.points.clear();
        let place = SAME_PLACE * release;
        for p in fresh.iter() {
            let same = |q: &&mut Point| {
                (q.middle - p.middle).norm_squared() < place * place
                    && q.normal.dot(&p.normal) > 1.0 - SAME_NORMAL
            };
            // What has stopped a motion is not to be hidden again.
            match self.points.iter_mut().find(same) {
                Some(q) if !forced.contains(&p.features) => q.impulse += p.impulse,
                _ => self.points.push(*p),
            }
        }
        let safe = self.distances.safe_m;
        let work = (&mut searches.plane, &mut searches.drop);
        keep_corners(&mut self.points, forced, safe, work);
    }

    /// Makes a listed pair a contact that its neighbours had hidden.
    pub fn force(&mut self, features: Features) {
        if !self.forced.contains(&features) {
            self.forced.push(features);
            self.looked_to = f64::NEG_INFINITY;
        }
    }

    /// The listed pairs that may come nearer than the clearance when no point of a moves by more
    /// than `way_m` relative to b from the poses of the last update on; `None` when pairs that are
    /// not listed may do so as well.
    pub fn critical(&self, way_m: f64) -> Option<impl Iterator<Item = &Listed>> {
        let need = self.distances.clearance_m + way_m;
        let moved = self.since_look + self.since_renewed;
        // Not `<`: NaN is critical.
        let near = move |l: &&Listed| !(l.at_look - moved >= need);
        self.is_complete_to(need)
            .then(|| self.listed.iter().filter(near))
    }
}

/// No point of `body` has moved by more than this between two poses. Rounding is added.
pub(crate) fn shift_between(from: &Pose, to: &Pose, body: &RigidBody) -> f64 {
    let (start, end) = (transform(from, &body.centre), transform(to, &body.centre));
    // The chord of the angle: twice the sine of its half.
    let chord = 2.0 * (to.rotation * from.rotation.inverse()).imag().norm();
    let size = start.amax() + end.amax() + body.centre.amax() + body.radius_m;
    (end - start).norm() + chord * body.radius_m + 16.0 * f64::EPSILON * size
}

/// The two shapes in b's frame.
struct Frame<'a> {
    shapes: [&'a MeshIndex; 2],
    b_from_a: Rigid,
    world_from_b: Rigid,
}

impl<'a> Frame<'a> {
    fn new(sides: &Sides<'a>, b_from_a: &Pose) -> Self {
        Self {
            shapes: sides.bodies.map(|b| &*b.shape),
            b_from_a: Rigid::new(b_from_a),
            world_from_b: Rigid::new(sides.poses[1]),
        }
    }

    fn closest(&self, f: &Features) -> Option<PairDistance> {
        let mut a = self.shapes[0].feature_a(f.kind, f.a)?;
        let b = self.shapes[1].feature_b(f.kind, f.b)?;
        for p in &mut a[..f.kind.points_a()] {
            *p = self.b_from_a.point(p);
        }
        Some(closest(f.kind, &a, &b))
    }

    /// Closest points, in b's frame, and whether they are locally closest on both surfaces.
    fn measure(&self, f: &Features) -> Option<(PairDistance, bool)> {
        let c = self.closest(f)?;
        let (to_b, to_a) = (-self.b_from_a.unturn(&c.normal), c.normal);
        let [a, b] = self.shapes;
        let no_nearer = |along: &[Vec3], n: &Vec3| along.iter().all(|e| n.dot(e) <= SLACK);
        let is_contact = match f.kind {
            PairKind::EdgeEdge => {
                c.interior
                    && no_nearer(&a.into_faces(f.a), &to_b)
                    && no_nearer(&b.into_faces(f.b), &to_a)
            }
            PairKind::VertexFace => {
                foot_holds(&c.params, &b.into_neighbours(f.b), &to_a)
                    && no_nearer(&a.along_edges(f.a), &to_b)
            }
            PairKind::FaceVertex => {
                foot_holds(&c.params, &a.into_neighbours(f.a), &to_b)
                    && no_nearer(&b.along_edges(f.b), &to_a)
            }
        };
        Some((c, is_contact && c.distance > 0.0))
    }

    fn point(&self, features: Features, c: &PairDistance) -> Point {
        Point {
            features,
            normal: self.world_from_b.rotation * c.normal,
            middle: self.world_from_b.point(&((c.point_a + c.point_b) * 0.5)),
            gap_m: c.distance,
            impulse: Vec3::zeros(),
        }
    }

    fn renew(&self, p: &mut Point) -> bool {
        let Some(c) = self.closest(&p.features) else {
            return false;
        };
        *p = Point {
            impulse: p.impulse,
            ..self.point(p.features, &c)
        };
        true
    }
}

/// The foot on a face is inside it, or no neighbour across the sides that it lies on is nearer. `n`
/// points from the foot to the vertex.
fn foot_holds(barycentric: &[f64; 3], into_neighbours: &[Vec3; 3], n: &Vec3) -> bool {
    // The weight that vanishes on the sides 01, 12, 20.
    let off_side = [barycentric[2], barycentric[0], barycentric[1]];
    (0..3).all(|e| off_side[e] > 0.0 || n.dot(&into_neighbours[e]) <= SLACK)
}
