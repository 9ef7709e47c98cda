//! A link: two bodies that may touch, the list of their near feature pairs, kept while its
//! certificate holds, and the contacts among them.
//!
//! # Theory
//!
//! A proximity query lists all feature pairs nearer than a reach. As long as no point of one body
//! has moved by more than `m` relative to the other since then, every unlisted pair is at least
//! `reach - m` apart. So the list is rebuilt only when its reach is used up, and a body at rest is
//! never searched again. Likewise, each listed pair cannot have lost more than `m` of its distance.
//!
//! Not every near pair is a contact. A vertex over a tessellated plane is near *all* triangles
//! around it. Only pairs that are *locally closest* on both surfaces constrain the motion; the
//! others would be bumps where there are none. Wrongly leaving out a pair costs smoothness, not
//! safety: continuous detection stops the motion at it, and it is then forced to be a contact.

use hapticd_ccd::{MeshIndex, PairDistance, PairKind, Proximity, closest};
use hapticd_geometry::{Pose, Rigid, Vec3, transform};

use crate::body::{Material, RigidBody};
use crate::distances::Distances;
use crate::patch::keep_corners;
use crate::point::{Features, Point};

/// Slack of the local tests, as a cosine: directions this close to perpendicular count as
/// perpendicular.
const SLACK: f64 = 1e-6;
/// Contacts are selected again when the bodies have moved by this fraction of the safe distance.
const RESELECT_FRACTION: f64 = 0.1;
/// Bodies that have moved by less than this fraction of the safe distance since their contacts were
/// computed count as at rest.
const STILL: f64 = 1e-10;
/// Two contacts of one pair of bodies that are nearer than this many release distances and share a
/// normal are merged.
const SAME_PLACE: f64 = 2.0;
/// Limit of `1 - cos` for normals that count as equal.
const SAME_NORMAL: f64 = 1e-9;

/// Maximum number of pairs in a list. Longer lists reach farther but cost more than they save;
/// farther pairs are left to the search over whole bodies.
const MAX_LISTED: usize = 1024;
/// Maximum length of a list where `MAX_LISTED` pairs reach less far than `MIN_RELEASE_DISTANCES`
/// release distances.
const MAX_DENSE_LISTED: usize = 4096;
const MIN_RELEASE_DISTANCES: f64 = 2.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub features: Features,
    /// Distance at the poses of the list, exact, m.
    at_list: f64,
    /// Lower bound on the distance at the poses of the last selection of contacts, m.
    pub at_selection: f64,
}

/// Work space shared by the links of a world.
pub(crate) struct Searches {
    near: Proximity,
    /// Used where so many pairs are near that the first list does not contain all contacts.
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
            dense: Proximity::new(MAX_DENSE_LISTED),
            far: Proximity::new(1),
            count: 0,
            fresh: Vec::new(),
            plane: Vec::new(),
            drop: Vec::new(),
        }
    }
}

/// Bodies and poses of the two sides of a link, a first.
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
    /// Number of consecutive times that it has stopped a plan at its start.
    pub stalls: u32,
    listed: Vec<Listed>,
    listed_at: Pose,
    complete_to: f64,
    selected_at: Pose,
    selected_to: f64,
    /// Pose at which the contacts were last computed, and bounds on the motion since the list,
    /// since the selection (up to that pose), and since that pose.
    renewed_at: Pose,
    since_list: f64,
    since_selection: f64,
    since_renewed: f64,
    forced: Vec<Features>,
    /// Whether the last list was a long one out of necessity.
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
            selected_at: Pose::identity(),
            selected_to: f64::NEG_INFINITY,
            renewed_at: Pose::identity(),
            since_list: 0.0,
            since_selection: 0.0,
            since_renewed: 0.0,
            forced: Vec::new(),
            crowded: false,
        }
    }

    /// Sets the combined properties of the two surfaces.
    pub fn set_surfaces(&mut self, [a, b]: [Material; 2]) {
        self.friction = (a.friction * b.friction).sqrt();
        self.restitution = a.restitution.max(b.restitution);
    }

    /// Turns a used link into a new one; keeps its memory for reuse.
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
        self.since_selection = 0.0;
        self.since_renewed = 0.0;
        self.complete_to = f64::NEG_INFINITY;
        self.selected_to = f64::NEG_INFINITY;
    }

    /// Whether list and contacts have been computed since the last reset.
    pub fn is_known(&self) -> bool {
        self.complete_to > f64::NEG_INFINITY && self.selected_to > f64::NEG_INFINITY
    }

    /// Updates the contacts, their gaps and normals to the present poses, complete up to a distance
    /// of `reach_m`.
    pub fn update(&mut self, sides: &Sides<'_>, reach_m: f64, searches: &mut Searches) {
        let b_from_a = sides.b_from_a();
        let still = STILL * self.distances.safe_m;
        let moved = shift_between(&self.renewed_at, &b_from_a, sides.bodies[0]);
        let renews = !(moved <= still);
        if renews {
            self.renewed_at = b_from_a;
            self.since_list = shift_between(&self.listed_at, &b_from_a, sides.bodies[0]);
            self.since_selection = shift_between(&self.selected_at, &b_from_a, sides.bodies[0]);
            self.since_renewed = 0.0;
        } else {
            self.since_renewed = moved;
        }
        let listed = self.is_complete_to(reach_m);
        if !listed {
            self.list(sides, &b_from_a, reach_m, searches);
        }
        let again = RESELECT_FRACTION * self.distances.safe_m;
        let moved = self.since_selection + self.since_renewed;
        if !listed || !(moved <= again) || self.selected_to < reach_m {
            self.select(sides, &b_from_a, reach_m, searches);
        } else if renews {
            let frame = Frame::new(sides, &b_from_a);
            self.points.retain_mut(|p| frame.renew(p));
        }
    }

    /// Whether no unlisted pair is nearer than this at the poses of the last update.
    fn is_complete_to(&self, distance_m: f64) -> bool {
        self.complete_to - (self.since_list + self.since_renewed) >= distance_m
    }

    fn list(&mut self, sides: &Sides<'_>, b_from_a: &Pose, reach_m: f64, searches: &mut Searches) {
        let [a, b] = sides.bodies;
        searches.count += 1;
        self.listed_at = *b_from_a;
        self.since_list = 0.0;
        self.listed.clear();
        // Reach for a few steps like this one.
        let reach = 3.0 * reach_m;
        let enough = MIN_RELEASE_DISTANCES * self.distances.release_m;
        // A crowded link stays crowded for a while, so the short list is not tried first.
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
            at_selection: pair.distance,
        }));
        if self.listed.is_empty() {
            // Nothing is near, so find how far the nearest pair is. A distant body is then not
            // queried all the time.
            let far = 0.5 * a.radius_m;
            if far > reach {
                let found = searches.far.query(&a.shape, 0.0, &b.shape, b_from_a, far);
                let nearest = found.pairs.first().map_or(far, |p| p.distance.min(far));
                self.complete_to = self.complete_to.max(nearest.min(found.complete_to));
            }
        }
    }

    fn select(
        &mut self,
        sides: &Sides<'_>,
        b_from_a: &Pose,
        reach_m: f64,
        searches: &mut Searches,
    ) {
        self.selected_at = *b_from_a;
        self.renewed_at = *b_from_a;
        self.since_list += self.since_renewed;
        self.since_selection = 0.0;
        self.since_renewed = 0.0;
        let moved = self.since_list;
        // Some extra, so that a body that accelerates does not need another selection at once.
        self.selected_to = 1.5 * reach_m;
        let frame = Frame::new(sides, b_from_a);
        let fresh = &mut searches.fresh;
        fresh.clear();
        let forced = &mut self.forced;
        for listed in &mut self.listed {
            listed.at_selection = listed.at_list - moved;
            if listed.at_selection > self.selected_to {
                continue;
            }
            let Some((found, is_contact)) = frame.measure(&listed.features) else {
                continue;
            };
            listed.at_selection = found.distance;
            if found.distance > self.selected_to {
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
        // The impulses of the last step are the warm start of the next.
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
            // A pair that has stopped a motion must not be hidden again.
            match self.points.iter_mut().find(same) {
                Some(q) if !forced.contains(&p.features) => q.impulse += p.impulse,
                _ => self.points.push(*p),
            }
        }
        let safe = self.distances.safe_m;
        let work = (&mut searches.plane, &mut searches.drop);
        keep_corners(&mut self.points, forced, safe, work);
    }

    /// Forces a listed pair that its neighbours had hidden to be a contact.
    pub fn force(&mut self, features: Features) {
        if !self.forced.contains(&features) {
            self.forced.push(features);
            self.selected_to = f64::NEG_INFINITY;
        }
    }

    /// The listed pairs that may come nearer than the clearance when no point of a moves by more
    /// than `path_m` relative to b after the last update. `None` if unlisted pairs may also do so.
    pub fn critical(&self, path_m: f64) -> Option<impl Iterator<Item = &Listed>> {
        let need = self.distances.clearance_m + path_m;
        let moved = self.since_selection + self.since_renewed;
        // Not `<`, so that NaN counts as critical.
        let near = move |l: &&Listed| !(l.at_selection - moved >= need);
        self.is_complete_to(need)
            .then(|| self.listed.iter().filter(near))
    }
}

/// Upper bound on the distance that any point of `body` has moved between two poses, including
/// rounding.
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

    /// Closest points in b's frame, and whether they are locally closest on both surfaces.
    fn measure(&self, f: &Features) -> Option<(PairDistance, bool)> {
        let c = self.closest(f)?;
        let (to_b, to_a) = (-self.b_from_a.inverse_vector(&c.normal), c.normal);
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

/// Whether the foot on a face is inside it, or no neighbour across the sides that it lies on is
/// nearer. `n` points from the foot to the vertex.
fn foot_holds(barycentric: &[f64; 3], into_neighbours: &[Vec3; 3], n: &Vec3) -> bool {
    // The barycentric weight that vanishes on each of the sides 01, 12, 20.
    let off_side = [barycentric[2], barycentric[0], barycentric[1]];
    (0..3).all(|e| off_side[e] > 0.0 || n.dot(&into_neighbours[e]) <= SLACK)
}
