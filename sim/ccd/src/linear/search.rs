//! The search over stretches of time, earliest first.

use hapticd_geometry::Vec3;

use crate::pair::PairDistance;

use super::coplanarity::Cubic;
use super::frame::{Frame, State};
use super::polynomials::{Bounds, Polynomials, Scan, best_axis, coplanarity, cross, normal, scan};
use super::refine::{Refined, refine};
use super::separation::{
    CORNER_ROUNDING, Corners, clear, corners, proven_part, threshold, turning,
};
use super::{LinearOptions, TINY};

/// Outcome: a contact that could not be ruled out.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub t: f64,
    pub t_upper: f64,
    pub certain: bool,
    /// Whether no closer test is needed.
    pub plain: bool,
}

impl Found {
    /// The result when nothing is known.
    pub const UNKNOWN: Found = Found {
        t: 0.0,
        t_upper: 1.0,
        certain: false,
        plain: true,
    };
}

/// Stretches still to be tested, the earliest last.
struct Pending {
    stretches: [(f64, f64); Self::CAPACITY],
    count: usize,
}

impl Pending {
    const CAPACITY: usize = 40;

    /// Adds a stretch that does not lie after those already queued. If the queue is full, the two
    /// latest stretches and the gap between them merge into one: sound, if wasteful.
    #[inline]
    fn push(&mut self, from: f64, to: f64) {
        if !(from < to) {
            return;
        }
        if self.count == Self::CAPACITY {
            self.stretches[0].0 = self.stretches[1].0;
            self.stretches.copy_within(2.., 1);
            self.count -= 1;
        }
        self.stretches[self.count] = (from, to);
        self.count += 1;
    }

    /// Adds a stretch, in two halves if it is longer than `length`: a slightly shorter stretch is
    /// no progress.
    #[inline]
    fn push_at_most(&mut self, length: f64, from: f64, to: f64) {
        let middle = 0.5 * (from + to);
        if to - from > length {
            self.push(middle, to);
            self.push(from, middle);
        } else {
            self.push(from, to);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(f64, f64)> {
        self.count = self.count.checked_sub(1)?;
        Some(self.stretches[self.count])
    }
}

/// Feature sizes in metres for which underflow and overflow are negligible.
const SIZES: std::ops::Range<f64> = 1e-70..1e70;

/// Finds the first time at which the features are not proven to be apart; `None` if there is none.
pub(super) fn first(frame: &Frame, separation: f64, options: &LinearOptions) -> Option<Found> {
    if frame.reach == 0.0 {
        return Some(Found {
            t: 0.0,
            t_upper: 0.0,
            certain: true,
            plain: true,
        });
    }
    if !SIZES.contains(&frame.reach) {
        return Some(Found::UNKNOWN);
    }
    let search = Search {
        frame,
        separation,
        options,
        threshold: threshold(frame, separation),
    };
    let mut pending = Pending {
        stretches: [(0.0, 0.0); Pending::CAPACITY],
        count: 0,
    };
    let mut halvings = MAX_HALVINGS;
    let mut tested = 0;
    let mut from = 0.0;
    if separation == 0.0 {
        match search.quick(&mut tested, &mut halvings) {
            Quick::Free => return None,
            Quick::Contact(found) => return Some(found),
            Quick::Open(time) => from = time,
        }
    }
    pending.push(from, 1.0);
    let mut narrow = true;
    while let Some((a, b)) = pending.pop() {
        if tested >= options.max_stretches {
            return Some(Found {
                t: a,
                t_upper: 1.0,
                certain: false,
                plain: true,
            });
        }
        tested += 1;
        // A query that needs many stretches is near the limits of 53 bits.
        if separation == 0.0 && tested.is_multiple_of(REFINE_EVERY) {
            match search.refined(a, b, &mut halvings) {
                Outcome::Free => continue,
                Outcome::Contact(found) => return Some(found),
                Outcome::Open => {}
            }
        }
        let mut outcome = search.stretch(a, b, &mut pending);
        if let (Outcome::Contact(Found { plain: false, .. }), true) = (&outcome, separation == 0.0)
        {
            // Repeats the test in double-double arithmetic. For a long stretch, it takes the
            // beginning first: a genuine contact is there.
            let c = if narrow && b - a > 2.0 * NARROW {
                a + NARROW
            } else {
                b
            };
            narrow = false;
            match search.refined(a, c, &mut halvings) {
                Outcome::Open => {}
                better => {
                    if let Outcome::Free = better {
                        pending.push(c, b);
                    }
                    outcome = better;
                }
            }
        }
        if let Outcome::Contact(found) = outcome {
            return Some(found);
        }
    }
    None
}

/// Length of the first part tested in double-double where `f64` has narrowed the search to a point.
/// It is how far `f64` is blind around a double root.
const BLIND: f64 = 1e-7;

/// Maximum number of tests of the motion before directions are tried.
const QUICK_TESTS: u32 = 16;

/// Features nearer than this, relative to their sizes, are tested in double-double arithmetic.
const REFINED_BELOW: f64 = 1e-10;

/// Interval, in stretches, at which the refinement is tried first.
const REFINE_EVERY: u32 = 8;

/// Length of a refined stretch, as a fraction of the motion.
const NARROW: f64 = 1e-12;

/// Maximum number of halvings over all refinements of a query.
const MAX_HALVINGS: u32 = 320;

/// Outcome of the test of a stretch.
enum Outcome {
    /// Proven, or its unproven parts are pending.
    Free,
    /// Free until this contact.
    Contact(Found),
    /// Undecided.
    Open,
}

struct Search<'a> {
    frame: &'a Frame<'a>,
    separation: f64,
    options: &'a LinearOptions,
    threshold: f64,
}

/// Outcome of the contact conditions over the motion.
enum Quick {
    Free,
    Contact(Found),
    /// Free until this time.
    Open(f64),
}

impl Search<'_> {
    /// Tests the contact conditions over all that is left: in `f64` and, where that cannot decide,
    /// in double-double arithmetic. Stops where the features are apart and yet no line through an
    /// edge separates them, as can happen when one projection is not enough.
    fn quick(&self, tested: &mut u32, halvings: &mut u32) -> Quick {
        let mut from = 0.0;
        let mut longest = BLIND;
        let most = QUICK_TESTS.min(self.options.max_stretches);
        let mut looks = most;
        while looks > 0 {
            // The test of the whole remainder.
            looks -= 1;
            let (scanned, coplanar) = self.scanned(from, &mut looks);
            *tested = most - looks;
            let left = 1.0 - from;
            let (a, b) = match scanned {
                Scan::Free => return Quick::Free,
                Scan::Contact { from: p, to: q } => {
                    return Quick::Contact(Found {
                        t: (from + p * left - SHORTEST).max(from),
                        t_upper: (from + q * left + SHORTEST).min(1.0),
                        certain: true,
                        plain: true,
                    });
                }
                Scan::Open { from: p, to: q } => (
                    (from + p * left - SHORTEST).max(from),
                    (from + q * left + SHORTEST).min(1.0),
                ),
            };
            let here = self.frame.at(a);
            if self.frame.closest(&here).distance > REFINED_BELOW * self.frame.reach {
                return Quick::Open(a);
            }
            let b = if coplanar { 1.0 } else { b.min(a + longest) };
            longest *= 1e3;
            match self.refined(a, b, halvings) {
                Outcome::Free if b >= 1.0 => return Quick::Free,
                Outcome::Free => from = b,
                Outcome::Contact(found) => return Quick::Contact(found),
                Outcome::Open => return Quick::Open(a),
            }
        }
        Quick::Open(from)
    }

    /// Result of the `f64` test of `[from, 1]`, and whether `F` is nothing but rounding there.
    ///
    /// Error bounds: a coefficient of `3 F` is off by `3 . 27 u` (see the module). The two
    /// divisions of `part` add `2 . 3 . 5 u` of the largest, which is at most `3 Nd N1 N2`: `171 u
    /// < 128` epsilon. The quadratics are off by `2 . 6 u + 2 u` and the mean's `u`, a sum of three
    /// of them by `2 u` more, and the divisions' `2 . 2 . 5 u`: `37 u < 32` epsilon of the sum of
    /// their sizes.
    fn scanned(&self, from: f64, looks: &mut u32) -> (Scan, bool) {
        let frame = self.frame;
        let (a, b) = (frame.at(from).vectors(), frame.at(1.0).vectors());
        let bounds = Bounds {
            f: 128.0 * f64::EPSILON * frame.volume + TINY,
            plane: 32.0 * f64::EPSILON * frame.areas + TINY,
            coplanar: -1.0,
        };
        let normal = normal(&a, cross(&a.e1, &a.e2), &b);
        let f = coplanarity(&a, &b, &normal);
        if f.iter().all(|&x| x > bounds.f) || f.iter().all(|&x| x < -bounds.f) {
            return (Scan::Free, false);
        }
        let polynomials = Polynomials::new(f, &a, &b, &normal, [best_axis(&normal).0]);
        let proven = self.options.time.max(SHORTEST) / (1.0 - from);
        let scanned = scan(&polynomials, frame.edges, &bounds, proven, looks);
        (scanned, polynomials.coplanar(&bounds))
    }

    /// Decides a stretch in double-double arithmetic.
    fn refined(&self, a: f64, b: f64, halvings: &mut u32) -> Outcome {
        let (from, to, proven) = match refine(self.frame, a, b, self.options.time, halvings) {
            Refined::Free => return Outcome::Free,
            Refined::Unknown => return Outcome::Open,
            Refined::Contact { from, to, proven } => (from, to, proven),
        };
        let width = b - a;
        let slack = SHORTEST * b;
        let found = Found {
            t: (a + from * width - slack).max(a),
            t_upper: (a + to * width + slack).min(b),
            certain: true,
            plain: true,
        };
        if !proven {
            // Edges that are collinear for a moment look like a contact at that time.
            let (early, late) = (self.frame.at(found.t), self.frame.at(found.t_upper));
            if self.frame.closest(&early).distance > self.rounding() + moved(&early, &late) {
                return Outcome::Open;
            }
        }
        Outcome::Contact(found)
    }

    /// Reports a stretch that could not be decided.
    fn contact(
        &self,
        (a, b): (f64, f64),
        [at_a, at_b]: [&State; 2],
        start: &PairDistance,
        cubic: &Cubic,
    ) -> Outcome {
        let apart = start.distance - self.separation;
        let near = apart <= self.options.position_m + self.rounding() + moved(at_a, at_b);
        Outcome::Contact(Found {
            t: a,
            t_upper: b,
            certain: near,
            // Plain if the cubic changes sign well inside both features.
            plain: near && cubic.crosses() && well_inside(self.frame.edges, &start.params),
        })
    }

    /// Rounding error of a distance, metres.
    fn rounding(&self) -> f64 {
        4.0 * (self.threshold - self.separation)
    }

    /// Proves `[a, b]` free, queues its unproven parts in `pending`, or reports a contact.
    fn stretch(&self, a: f64, b: f64, pending: &mut Pending) -> Outcome {
        let frame = self.frame;
        let (at_a, at_b) = (frame.at(a), frame.at(b));
        let cubic = Cubic::new(frame, &at_a, &at_b, self.separation);
        if cubic.clear() {
            return Outcome::Free;
        }
        let width = b - a;
        let along = |n: &Vec3| [corners(frame, &at_a, n), corners(frame, &at_b, n)];
        let part_of = |[x, y]: &[Corners; 2]| proven_part(frame, x, y, self.threshold);

        if width <= self.options.time.max(SHORTEST) {
            let start = frame.closest(&at_a);
            return if part_of(&along(&start.normal)) == Some(WHOLE) {
                Outcome::Free
            } else {
                self.contact((a, b), [&at_a, &at_b], &start, &cubic)
            };
        }

        // What the closest direction at the critical time proves. If the cubic does not concern
        // these points, also the closest direction at their own minimum distance.
        let critical = cubic.critical();
        let mut middle = critical.time;
        let nearest = frame.closest(&frame.at(a + middle * width));
        let mut part = part_of(&along(&nearest.normal));
        if part != Some(WHOLE) && !(critical.known && nearest.interior) {
            let from = frame.difference(&at_a, &nearest.params);
            let change = frame.difference(&at_b, &nearest.params) - from;
            let time = -from.dot(&change) / change.norm_squared();
            if time > 0.0 && time < 1.0 && (time - middle).abs() > 1e-6 {
                let normal = frame.closest(&frame.at(a + time * width)).normal;
                let other = part_of(&along(&normal));
                let length = |part: Option<(f64, f64)>| part.map_or(0.0, |(from, to)| to - from);
                if length(other) > length(part) || !critical.known {
                    (middle, part) = (time, other);
                }
            }
        }
        if part == Some(WHOLE) {
            return Outcome::Free;
        }

        // A root that no direction proves free is a contact, or nearly so. The cubic handles the
        // rest.
        let blur = critical.blur.max(4.0 * f64::EPSILON / width);
        if part.is_none() && critical.known && blur < 0.2 {
            let (low, high) = (a + (middle - blur) * width, a + (middle + blur) * width);
            pending.push(high, b);
            pending.push(low.max(a), high.min(b));
            pending.push(a, low);
            return Outcome::Free;
        }

        // The same for the two ends.
        let start = frame.closest(&at_a);
        let first = along(&start.normal);
        let slack = 2.0 * CORNER_ROUNDING * f64::EPSILON * frame.reach;
        let stuck = !clear(&first[0], self.threshold + slack)
            && (self.separation > 0.0 || !cubic.clear_at_start());
        let within = start.distance - self.separation <= self.options.position_m;
        if stuck || (within && self.options.position_m > 0.0) {
            return self.contact((a, b), [&at_a, &at_b], &start, &cubic);
        }
        let end = frame.closest(&at_b);
        let last = along(&end.normal);
        if turning(&first, &last, self.threshold) {
            return Outcome::Free;
        }

        // What no direction proves remains.
        let begin = part_of(&first).map_or(0.0, |(from, to)| if from <= 0.0 { to } else { 0.0 });
        let end = part_of(&last).map_or(1.0, |(from, to)| if to >= 1.0 { from } else { 1.0 });
        let cut = if middle > 0.1 && middle < 0.9 {
            middle
        } else {
            0.5
        };
        let (low, high) = part.unwrap_or((cut, cut));
        let time = |local: f64| if local >= 1.0 { b } else { a + local * width };
        pending.push_at_most(0.75 * width, time(high.max(begin)), time(end));
        pending.push_at_most(0.75 * width, time(begin), time(low.min(end)));
        Outcome::Free
    }
}

/// A whole stretch, in local time.
const WHOLE: (f64, f64) = (0.0, 1.0);

/// Whether closest points are so far from the boundaries of their features that rounding cannot
/// matter.
fn well_inside(edges: bool, params: &[f64; 3]) -> bool {
    const MARGIN: f64 = 1e-3;
    let used = if edges { &params[..2] } else { &params[..] };
    used.iter().all(|&x| x > MARGIN && x < 1.0 - MARGIN)
}

/// Upper bound on the motion of a point of the difference between two states.
fn moved(a: &State, b: &State) -> f64 {
    (b.d - a.d).norm() + (b.e1 - a.e1).norm() + (b.e2 - a.e2).norm()
}

/// A stretch shorter than this is only rounding.
const SHORTEST: f64 = 4.0 * f64::EPSILON;
