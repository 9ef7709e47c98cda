//! After tracing: keeps the nearest answer of each point, finds points that crossed a sheet, and
//! makes the contacts.
//!
//! # Theory
//!
//! Only one object occupies a place in space, so one answer is enough: one for a point of a volume,
//! one for each side of a point of a sheet (Lehericey 2016, chapter 4, section 1.4). The price is
//! that a second surface behind the nearest is not tracked.
//!
//! *Inversions* (chapter 3, section 4.2.2): a point of a sheet that changed sides of a triangle
//! during the step has gone through it. The contact then points back, and a prediction becomes a
//! contact; otherwise nothing would ever correct it. Lehericey's method forgets after one step.
//! Here [`INVERTED`] stays with the record until the point is back, so that a solver may take
//! several steps. It holds for that place of the sheet only: the triangle met now must be the one
//! of the step before or touch it. A point of a crumpled sheet meets one fold after the other, and
//! an inversion carried from fold to fold would pull it through all of them.

use crate::V3;
use crate::layout::{Class, Contact, INNER_SIDE, INVERTED, NONE, Record};
use crate::resolve::Found;
use crate::scene::RayScene;
use crate::settings::{Separation, Settings};

/// Finds the nearest answer on each side of each point, whatever the order of the answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arbiter {
    /// Index of the winning answer at each place, or [`NONE`].
    winner: Vec<u32>,
    /// One bit for each place that has an answer.
    touched: Vec<u64>,
    answers: Vec<Found>,
}

impl Arbiter {
    pub fn begin(&mut self, places: usize) {
        self.answers.clear();
        self.winner.resize(places, NONE);
        self.touched.resize(places.div_ceil(64), 0);
    }

    pub fn offer(&mut self, found: &Found) {
        let place = found.place as usize;
        let winner = &mut self.winner[place];
        let nearer = |old: &Found| {
            let key = |f: &Found| {
                (
                    f.record.t.abs().to_bits(),
                    f.record.target,
                    f.record.triangle,
                )
            };
            key(found) < key(old)
        };
        if *winner == NONE {
            *winner = self.answers.len() as u32;
            self.answers.push(*found);
            self.touched[place / 64] |= 1 << (place % 64);
        } else if nearer(&self.answers[*winner as usize]) {
            self.answers[*winner as usize] = *found;
        }
    }

    /// Takes the answers of every point, ahead and behind, in order of the points. Calls `each`
    /// with the place and the answers that count.
    fn drain(&mut self, mut each: impl FnMut(usize, [Option<Found>; 2])) {
        for w in 0..self.touched.len() {
            let mut bits = std::mem::take(&mut self.touched[w]);
            while bits != 0 {
                // Both halves of a point are in the same word.
                let base = (bits.trailing_zeros() & !1) as usize;
                bits &= !(3 << base);
                let place = 64 * w + base;
                let answer = [place, place + 1].map(|p| {
                    let winner = std::mem::replace(&mut self.winner[p], NONE);
                    let found = self.answers.get(winner as usize)?;
                    (found.record.class() != Class::Nothing).then_some(*found)
                });
                each(place, answer);
            }
        }
    }
}

/// Result of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub contacts: Vec<Contact>,
    pub near: Vec<Contact>,
    pub inversions: u64,
    /// Sum of the lengths of all rays that are contacts, m.
    pub length_m: f64,
}

/// Records from one step to the next.
pub(crate) struct StepRecords<'a> {
    /// Records of the step before.
    pub before: &'a [Record],
    /// Records of this step; all empty until they are written.
    pub next: &'a mut [Record],
    /// Places of the records written, in order.
    pub tracked: &'a mut Vec<u32>,
}

/// Writes the kept records and their places, and makes the contacts.
pub(crate) fn commit(
    scene: &RayScene,
    settings: &Settings,
    arbiter: &mut Arbiter,
    records: StepRecords<'_>,
    out: &mut Kept,
) {
    let StepRecords {
        before,
        next,
        tracked,
    } = records;
    out.contacts.clear();
    out.near.clear();
    (out.inversions, out.length_m) = (0, 0.0);
    tracked.clear();
    let mut object = 0;
    arbiter.drain(|place, answer| {
        while scene
            .items
            .get(object + 1)
            .is_some_and(|next| next.first_record as usize <= place)
        {
            object += 1;
        }
        let source = &scene.items[object];
        let point = (place as u32 - source.first_record) / 2;
        let mut kept = choose(source.is_sheet(), answer);
        for (half, slot) in kept.iter_mut().enumerate() {
            let Some(found) = slot else { continue };
            let target = &scene.items[found.record.target as usize];
            if settings.inversions && source.is_sheet() && target.is_sheet() {
                let was = &before[place..place + 2];
                if wrong_side(scene, object as u32, point, &found.record, was) {
                    found.record.bits = found.record.bits & !3 | Class::Collision as u32 | INVERTED;
                    out.inversions += 1;
                }
            }
            next[place + half] = found.record;
            tracked.push((place + half) as u32);
            let made = contact(scene, settings, object as u32, point, found);
            if found.record.class() == Class::Collision {
                out.length_m += f64::from(found.record.t.abs());
                out.contacts.push(made);
            } else {
                out.near.push(made);
            }
        }
    });
}

/// Selects which of the answers ahead and behind are kept, each in its place.
fn choose(sheet: bool, [ahead, behind]: [Option<Found>; 2]) -> [Option<Found>; 2] {
    if !sheet {
        let collides = |f: &Found| f.record.class() == Class::Collision;
        return [ahead.filter(collides).or(behind).or(ahead), None];
    }
    // Inside a solid, both sides meet its inner side. Exit on the shorter side, or the two would
    // push against each other.
    if let (Some(a), Some(b)) = (&ahead, &behind) {
        let inside = a.record.bits & b.record.bits & INNER_SIDE != 0;
        if inside && a.record.target == b.record.target {
            return if a.record.t.abs() <= b.record.t.abs() {
                [ahead, None]
            } else {
                [None, behind]
            };
        }
    }
    [ahead, behind]
}

/// Six times the volume of the tetrahedron between a point and a triangle, signed; positive above.
fn height(x: &V3, [a, b, c]: &[V3; 3]) -> f32 {
    (x - a).dot(&(b - a).cross(&(c - a)))
}

/// Barycentric tolerance outside a triangle within which a crossing counts: neighbours leave no
/// gap, and a step is not a straight line.
const CROSSING_TOLERANCE: f32 = 0.1;

/// Whether a point is on the wrong side of the triangle that it met: it crossed it in this step, or
/// earlier and is not back yet.
///
/// Lehericey's method tests only the sides of the triangle's plane. A point that goes around an
/// edge of a fold also changes sides, and would be pulled through. So the point of crossing must
/// also lie in the triangle, for straight motions between the positions before and now.
fn wrong_side(
    scene: &RayScene,
    source: u32,
    point: u32,
    record: &Record,
    before: &[Record],
) -> bool {
    let (a, b) = (
        &scene.items[source as usize],
        &scene.items[record.target as usize],
    );
    let v = b.shape.triangles[record.triangle as usize];
    let (x, corners) = (a.world(point), v.map(|v| b.world(v)));
    let (x0, corners0) = (a.world_before(point), v.map(|v| b.world_before(v)));
    let (now, then) = (height(&x, &corners), height(&x0, &corners0));
    let was_inverted = (before.iter()).any(|old| {
        old.target == record.target && old.bits & INVERTED != 0 && {
            let old = b.shape.triangles[old.triangle as usize];
            old.iter().any(|corner| v.contains(corner))
        }
    });
    if (now >= 0.0) == (then >= 0.0) {
        return was_inverted;
    }
    if was_inverted {
        return false;
    }
    let s = then / (then - now);
    let at = x0.lerp(&x, s);
    let mut tri = corners0;
    for (p, q) in tri.iter_mut().zip(&corners) {
        *p = p.lerp(q, s);
    }
    let n = (tri[1] - tri[0]).cross(&(tri[2] - tri[0]));
    let part = |p: &V3, q: &V3| (q - p).cross(&(at - p)).dot(&n) / n.norm_squared();
    // Written so that a NaN is no crossing.
    (0..3).all(|k| part(&tri[k], &tri[(k + 1) % 3]) >= -CROSSING_TOLERANCE)
}

/// Makes the contact point of a hit, thickness included (Lehericey 2016, chapter 3, sections 3 and
/// 4.2.3).
fn contact(
    scene: &RayScene,
    settings: &Settings,
    source: u32,
    point: u32,
    found: &Found,
) -> Contact {
    let record = &found.record;
    let (a, b) = (
        &scene.items[source as usize],
        &scene.items[record.target as usize],
    );
    let x = a.world(point);
    let corners = b.shape.triangles[record.triangle as usize].map(|v| b.world(v));
    let [p, q, r] = corners;
    let normal = (q - p).cross(&(r - p)).normalize();
    // Unit direction of the traced line, in the world.
    let d = a
        .line(point as usize)
        .map_or_else(V3::zeros, |line| a.pose.rotation.cast::<f32>() * line.d);
    let met = p + (q - p) * found.uv[0] + (r - p) * found.uv[1];
    let thickness = a.half_thickness() + b.half_thickness();
    let (mut n, mut depth);
    if b.is_sheet() {
        n = if a.is_sheet() {
            let side = (height(&x, &corners) >= 0.0) != (record.bits & INVERTED != 0);
            if side { normal } else { -normal }
        } else if normal.dot(&d) >= 0.0 {
            normal
        } else {
            -normal
        };
        depth = thickness - (x - met).dot(&n);
    } else {
        n = normal;
        depth = thickness - (x - met).dot(&n);
        if !a.is_sheet() && settings.separation != Separation::Reprojected {
            let cosine = d.dot(&normal);
            n = d;
            depth = match settings.separation {
                Separation::Cosine => record.t * cosine,
                _ => record.t,
            };
        }
    }
    if !depth.is_finite() {
        // The triangle has collapsed since the ray met it, so nothing is known about the contact.
        (n, depth) = (V3::z(), 0.0);
    }
    Contact {
        x: x.into(),
        depth,
        n: n.into(),
        source,
        point,
        target: record.target,
        triangle: record.triangle,
        t: record.t,
        uv: found.uv,
        pad: [0; 2],
    }
}
