//! Orientation of vertices *just after* a time, and what follows from it: sectors, crossings,
//! triangles.
//!
//! The turns of three vertices decide everything in the structure. At an event one of them is zero
//! up to rounding. Its new sign is known: the opposite of the old one. Others near zero have the
//! sign of their derivative.

use crate::polygons::{Polygons, cross, length, minus, orient};
use crate::roots::Smooth;

/// Largest error of an event's time, s.
const EVENT_TIME_ERROR_S: f64 = 4e-12;

/// Turns just after one time.
#[derive(Debug)]
pub(super) struct Signs<'a> {
    pub(super) polygons: &'a Polygons,
    places: Vec<[f64; 2]>,
    t: f64,
    /// Distance that a vertex moves within the error of an event's time.
    event_error_m: f64,
    /// Just before the time, not after.
    pub(super) before: bool,
    /// Three vertices with a turn that has just changed, and whether they turn left now.
    known: Option<([u32; 3], bool)>,
}

impl<'a> Signs<'a> {
    /// Allocates the positions of all vertices.
    pub(super) fn new(polygons: &'a Polygons, t: f64, known: Option<([u32; 3], bool)>) -> Self {
        let count = polygons.owner.len() as u32;
        let speeds = (polygons.bodies.iter().zip(&polygons.radius))
            .map(|(b, r)| length(b.motion.velocity_at(t)) + b.motion.omega.abs() * r);
        Self {
            event_error_m: EVENT_TIME_ERROR_S * speeds.sum::<f64>(),
            polygons,
            places: (0..count).map(|v| polygons.place(v, t)).collect(),
            t,
            before: false,
            known,
        }
    }

    pub(super) fn place(&self, v: u32) -> [f64; 2] {
        self.places[v as usize]
    }

    pub(super) fn count(&self) -> u32 {
        self.places.len() as u32
    }

    pub(super) fn distance(&self, a: u32, b: u32) -> f64 {
        length(minus(self.place(a), self.place(b)))
    }

    /// Twice the area between the rays from the origin to two vertices, for sums around a cell.
    pub(super) fn area(&self, a: u32, b: u32) -> f64 {
        cross(self.place(a), self.place(b))
    }

    /// Returns the turn and its largest error. Positions and times are rounded as well, which
    /// matters where vertices nearly coincide.
    pub(super) fn value(&self, [u, v, x]: [u32; 3]) -> (f64, f64) {
        let [p, q, r] = [u, v, x].map(|v| self.place(v));
        let (a, b) = (length(minus(q, p)), length(minus(r, q)));
        let late = self.event_error_m * (a + b);
        (orient(p, q, r), self.rounding([u, v, x]) + late)
    }

    /// Error of the turn from the rounding of positions.
    fn rounding(&self, [u, v, x]: [u32; 3]) -> f64 {
        let [p, q, r] = [u, v, x].map(|v| self.place(v));
        let (a, b) = (length(minus(q, p)), length(minus(r, q)));
        8.0 * f64::EPSILON * (1.0 + length(q)) * (a + b)
    }

    /// Whether vertex `m` is, to rounding, on the other polygon's edge from `a` to the next vertex
    /// and moves into it. If so, it has met the edge before times can be distinguished.
    fn meets(&self, m: u32, a: u32) -> bool {
        let b = self.polygons.beside(a)[0];
        let [p, q, r] = [a, b, m].map(|v| self.place(v));
        let (along, to) = (minus(q, p), minus(r, p));
        let share = along[0] * to[0] + along[1] * to[1];
        if !(0.0..=along[0] * along[0] + along[1] * along[1]).contains(&share) {
            return false;
        }
        // The outside of the polygon is on the right.
        let Some(corner) = self.polygons.corner([a, b, m], false) else {
            return false;
        };
        let (value, slope) = corner.at(self.t);
        slope < 0.0 && value.abs() <= self.rounding([a, b, m]) - EVENT_TIME_ERROR_S * slope
    }

    /// Returns a vertex and the first end of another polygon's edge that meet now, to rounding; one
    /// of the two belongs to these three vertices.
    pub(super) fn contact_at(&self, three: [u32; 3]) -> Option<(u32, u32)> {
        let polygons = self.polygons;
        let others = |v: u32| {
            let owner = polygons.owner[v as usize];
            (0..self.count()).filter(move |&w| polygons.owner[w as usize] != owner)
        };
        three.into_iter().find_map(|v| {
            let edges = [v, polygons.beside(v)[1]];
            let met = |w: u32| {
                (self.meets(v, w).then_some((v, w)))
                    .or_else(|| (edges.into_iter().find(|&e| self.meets(w, e))).map(|e| (w, e)))
            };
            others(v).find_map(met)
        })
    }

    /// Whether `u`, `v`, `x` are in counter-clockwise order, just after.
    pub(super) fn left(&self, u: u32, v: u32, x: u32) -> bool {
        if let Some(([a, b, c], left)) = self.known {
            if [[a, b, c], [b, c, a], [c, a, b]].contains(&[u, v, x]) {
                return left;
            }
            if [[c, b, a], [b, a, c], [a, c, b]].contains(&[u, v, x]) {
                return !left;
            }
        }
        let (value, clear) = self.value([u, v, x]);
        if value.abs() > clear {
            return value > 0.0;
        }
        let corner = self.polygons.corner([u, v, x], true);
        let slope = corner.map_or(0.0, |corner| corner.at(self.t).1);
        if slope == 0.0 || value.abs() > self.rounding([u, v, x]) + EVENT_TIME_ERROR_S * slope.abs()
        {
            value > 0.0
        } else {
            (slope > 0.0) != self.before
        }
    }

    /// Whether `d`, seen from `v`, is strictly inside the sector from `from` counter-clockwise to
    /// `to`. The sector between a direction and itself is everything else.
    pub(super) fn in_sector(&self, v: u32, from: u32, to: u32, d: u32) -> bool {
        if d == from || d == to {
            false
        } else if from == to {
            true
        } else if self.left(v, from, to) {
            self.left(v, from, d) && self.left(v, d, to)
        } else {
            !(self.left(v, to, d) && self.left(v, d, from))
        }
    }

    /// Whether a segment from `v` to `to` starts inside the polygon of `v`.
    pub(super) fn enters(&self, v: u32, to: u32) -> bool {
        let [next, before] = self.polygons.beside(v);
        self.in_sector(v, next, before, to)
    }

    /// Whether the interiors of two segments cross. Those with a common end do not.
    pub(super) fn crosses(&self, [a, b]: [u32; 2], [c, d]: [u32; 2]) -> bool {
        a != c
            && a != d
            && b != c
            && b != d
            && self.left(a, b, c) != self.left(a, b, d)
            && self.left(c, d, a) != self.left(c, d, b)
    }

    /// Whether a path's bend at `v` goes around the polygon of `v`: the polygon's inside at `v` is
    /// in the smaller sector.
    ///
    /// Paths do not go through insides, so all of the inside is in one of the two sectors.
    pub(super) fn is_anchored(&self, u: u32, v: u32, x: u32) -> bool {
        let [from, to] = if self.left(u, v, x) { [x, u] } else { [u, x] };
        let [next, before] = self.polygons.beside(v);
        let inside = |d: u32| d != from && d != to && self.left(v, from, d) && self.left(v, d, to);
        (next == from && before == to) || inside(next) || inside(before)
    }

    /// Returns the vertices that replace `v` when a path through `u`, `v`, `x` is pulled tight
    /// there: those of the triangle that are on the convex hull of its contents, from `u` to `x`.
    pub(super) fn chain(&self, u: u32, v: u32, x: u32) -> Vec<u32> {
        let left = self.left(u, v, x);
        let turns = |a: u32, b: u32, c: u32| self.left(a, b, c) == left;
        let inside: Vec<u32> = (0..self.count())
            .filter(|w| ![u, v, x].contains(w))
            .filter(|&w| turns(u, v, w) && turns(v, x, w) && turns(x, u, w))
            .collect();
        let mut chain = Vec::new();
        let mut last = u;
        while chain.len() < inside.len() {
            // The outermost one seen from the last: all others are on the inner side.
            let next = (inside.iter().copied().filter(|w| !chain.contains(w)))
                .fold(x, |best, w| if turns(last, w, best) { w } else { best });
            if next == x {
                break;
            }
            chain.push(next);
            last = next;
        }
        chain
    }
}
