//! The greedy pointed pseudo-triangulation: free edges by increasing length; what shapes are taken; the audit.

use super::{Body, Half, PseudoTriangulation, cross, minus, orient};
use crate::kinetic::Inconsistent;
use std::f64::consts::{PI, TAU};

/// A value that is clear of rounding, as a share of the product of the lengths.
const CLEAR: f64 = 1e-9;

/// Why bodies are refused. All but the last are the caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// There is no such body.
    #[error("there is no body {body}, only {count}")]
    NoBody {
        /// Which.
        body: u32,
        /// How many there are.
        count: usize,
    },
    /// A number is NaN or infinite, or a mass or an inertia is not above zero.
    #[error("body {body}: a number is not finite, or its mass or inertia is not above zero")]
    NotFinite {
        /// Which.
        body: u32,
    },
    /// Fewer than three vertices, or none counter-clockwise.
    #[error(
        "body {body}: {vertices} vertices, area {area} m²; at least three are wanted, counter-clockwise"
    )]
    Area {
        /// Which.
        body: u32,
        /// Its vertices.
        vertices: usize,
        /// Its area, counter-clockwise is positive.
        area: f64,
    },
    /// Its outline crosses itself, or an edge has no length.
    #[error("body {body}: its edges {edges:?} cross, or have no length")]
    NotSimple {
        /// Which.
        body: u32,
        /// Two edges, by their first vertices.
        edges: [u32; 2],
    },
    /// They overlap at the start.
    #[error("bodies {bodies:?} overlap at the start")]
    Overlap {
        /// Which.
        bodies: [u32; 2],
    },
    /// The new motion begins elsewhere than where the old one has got to.
    #[error("body {body} would jump by {by} m or rad")]
    Jump {
        /// Which.
        body: u32,
        /// How far.
        by: f64,
    },
    /// The vertices are not in general position.
    #[error(transparent)]
    Inconsistent(Inconsistent),
}

type Point = [f64; 2];

fn area(polygon: &[Point]) -> f64 {
    (0..polygon.len())
        .map(|k| 0.5 * cross(polygon[k], polygon[(k + 1) % polygon.len()]))
        .sum()
}

/// Segments that cross, each other's ends being on different sides.
fn crosses(a: [Point; 2], b: [Point; 2]) -> bool {
    let sides =
        |s: [Point; 2], t: [Point; 2]| orient(s[0], s[1], t[0]) * orient(s[0], s[1], t[1]) < 0.0;
    sides(a, b) && sides(b, a)
}

fn is_inside(polygon: &[Point], p: Point) -> bool {
    let mut inside = false;
    for k in 0..polygon.len() {
        let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        if (a[1] > p[1]) != (b[1] > p[1]) {
            let x = a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            inside ^= p[0] < x;
        }
    }
    inside
}

/// Whether two polygons have an inner point in common: edges cross, or one is in the other.
#[must_use]
pub fn overlap(p: &[[f64; 2]], q: &[[f64; 2]]) -> bool {
    let edge = |s: &[Point], k: usize| [s[k], s[(k + 1) % s.len()]];
    (0..p.len()).any(|i| (0..q.len()).any(|k| crosses(edge(p, i), edge(q, k))))
        || p.first().is_some_and(|v| is_inside(q, *v))
        || q.first().is_some_and(|v| is_inside(p, *v))
}

/// # Errors
/// See [`ShapeError`].
pub(super) fn check(bodies: &[Body], now: f64) -> Result<(), ShapeError> {
    for (b, body) in bodies.iter().enumerate() {
        let (b, n) = (b as u32, body.shape.len());
        let masses = body.mass > 0.0 && body.inertia > 0.0;
        if !(masses
            && body.motion.is_finite()
            && body.shape.iter().flatten().all(|x| x.is_finite()))
        {
            return Err(ShapeError::NotFinite { body: b });
        }
        let area = area(&body.shape);
        if n < 3 || !(area > 0.0) {
            return Err(ShapeError::Area {
                body: b,
                vertices: n,
                area,
            });
        }
        let edge = |k: usize| [body.shape[k], body.shape[(k + 1) % n]];
        for i in 0..n {
            let ends = edge(i);
            let fault = (0..i).find(|&k| crosses(ends, edge(k)) || body.shape[k] == ends[0]);
            if let Some(k) = fault {
                let edges = [k as u32, i as u32];
                return Err(ShapeError::NotSimple { body: b, edges });
            }
        }
    }
    let polygons: Vec<_> = bodies.iter().map(|b| b.polygon(now)).collect();
    for k in 0..polygons.len() {
        for i in 0..k {
            if overlap(&polygons[i], &polygons[k]) {
                let bodies = [i as u32, k as u32];
                return Err(ShapeError::Overlap { bodies });
            }
        }
    }
    Ok(())
}

fn angle(d: Point) -> f64 {
    d[1].atan2(d[0])
}

/// Whether one of the angles between these directions is larger than a straight one.
fn is_pointed(directions: &mut [f64]) -> bool {
    directions.sort_unstable_by(f64::total_cmp);
    let last = directions[directions.len() - 1];
    (0..directions.len()).any(|k| {
        let before = if k == 0 {
            last - TAU
        } else {
            directions[k - 1]
        };
        directions[k] - before > PI
    })
}

impl PseudoTriangulation {
    /// Next and previous vertex on the polygon.
    fn beside(&self, v: u32) -> [u32; 2] {
        let body = self.owner[v as usize] as usize;
        let (first, end) = (self.first[body], self.first[body + 1]);
        [
            if v + 1 == end { first } else { v + 1 },
            if v == first { end - 1 } else { v - 1 },
        ]
    }

    /// Makes everything anew as it is now. With `n` vertices `O(n^3)`.
    pub(super) fn build(&mut self) -> Result<(), Inconsistent> {
        let n = self.owner.len() as u32;
        let places: Vec<_> = (0..n).map(|v| self.place(v, self.now)).collect();
        let at = |v: u32| places[v as usize];
        let mut edges: Vec<[u32; 2]> = (0..n).map(|v| [v, self.beside(v)[0]]).collect();
        let mut around: Vec<Vec<f64>> = (0..n)
            .map(|v| self.beside(v).map(|w| angle(minus(at(w), at(v)))).to_vec())
            .collect();
        let mut candidates: Vec<(f64, u32, u32)> = Vec::new();
        for i in 0..n {
            for k in i + 1..n {
                if !self.beside(i).contains(&k) {
                    let d = minus(at(k), at(i));
                    candidates.push((d[0].hypot(d[1]), i, k));
                }
            }
        }
        candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for &(_, i, k) in &candidates {
            if self.enters(i, at(k), &places) || self.enters(k, at(i), &places) {
                continue;
            }
            let segment = [at(i), at(k)];
            let blocked = edges
                .iter()
                .any(|e| !e.contains(&i) && !e.contains(&k) && crosses(segment, e.map(at)));
            if blocked {
                continue;
            }
            let pointed = |v: u32, w: u32, around: &[Vec<f64>]| {
                let mut directions = around[v as usize].clone();
                directions.push(angle(minus(at(w), at(v))));
                is_pointed(&mut directions)
            };
            if pointed(i, k, &around) && pointed(k, i, &around) {
                edges.push([i, k]);
                around[i as usize].push(angle(minus(at(k), at(i))));
                around[k as usize].push(angle(minus(at(i), at(k))));
            }
        }
        self.connect(&edges, &places);
        self.queue.clear();
        self.queue.reserve(self.halves.len());
        self.live = 0;
        for h in 0..self.halves.len() as u32 {
            self.reissue(h);
        }
        self.stats.sizes(self.live, self.queue.len());
        self.audit_all(self.now)
    }

    /// Whether a segment from `v` to `to` starts inside of the polygon of `v`.
    fn enters(&self, v: u32, to: Point, places: &[Point]) -> bool {
        let p = places[v as usize];
        let [next, prev] = self.beside(v).map(|w| angle(minus(places[w as usize], p)));
        let d = angle(minus(to, p));
        // Counter-clockwise from the next vertex to the one before.
        (d - next).rem_euclid(TAU) < (prev - next).rem_euclid(TAU)
    }

    /// Half-edges of these edges, the first of which are the polygons'.
    fn connect(&mut self, edges: &[[u32; 2]], places: &[Point]) {
        let polygons = self.owner.len();
        self.halves.clear();
        let mut outgoing: Vec<Vec<(f64, u32)>> = vec![Vec::new(); polygons];
        for (e, ends) in edges.iter().enumerate() {
            for side in 0..2 {
                let h = self.halves.len() as u32;
                let (v, w) = (ends[side] as usize, ends[1 - side] as usize);
                outgoing[v].push((angle(minus(places[w], places[v])), h));
                self.halves.push(Half {
                    origin: ends[side],
                    obstacle: e < polygons,
                    // Polygons go counter-clockwise.
                    interior: e < polygons && side == 0,
                    ..Half::default()
                });
            }
        }
        for list in &mut outgoing {
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            for k in 0..list.len() {
                // Into the vertex by the other half, out by the next one clockwise.
                let before = list[(k + list.len() - 1) % list.len()].1;
                self.link(list[k].1 ^ 1, before);
            }
        }
        for h in 0..self.halves.len() as u32 {
            let [u, v, x] = self.corner(h).map(|v| places[v as usize]);
            self.half_mut(h).reflex = orient(u, v, x) < 0.0;
        }
    }

    /// Every sign, three corners in every cell and none outside, numbers and areas.
    pub(super) fn audit_all(&self, t: f64) -> Result<(), Inconsistent> {
        let fault = |v: u32, what| {
            Err(Inconsistent {
                time: t,
                object: self.owner.get(v as usize).copied().unwrap_or(0),
                what,
            })
        };
        let mut live = 0;
        for h in 0..self.halves.len() as u32 {
            let half = self.half(h);
            if self.half(half.next).prev != h || self.half(half.prev).next != h {
                return fault(half.origin, "half-edges are not linked both ways");
            }
            if self.half(h ^ 1).origin != self.half(half.next).origin {
                return fault(
                    half.origin,
                    "a half-edge does not end where the next one begins",
                );
            }
            live += u64::from(half.live);
            if half.interior {
                continue;
            }
            if half.live != self.certificate(h).is_some() {
                return fault(
                    half.origin,
                    "a certificate is live that should not be, or the other way round",
                );
            }
            let [u, v, x] = self.corner(h).map(|v| self.place(v, t));
            let value = orient(u, v, x);
            let (a, b) = (super::length(minus(v, u)), super::length(minus(x, v)));
            // Places are rounded, too: which matters where two vertices nearly coincide.
            let clear = CLEAR * a * b + 8.0 * f64::EPSILON * (1.0 + super::length(v)) * (a + b);
            if (half.reflex && value > clear) || (!half.reflex && value < -clear) {
                return fault(half.origin, "a corner is not as its flag says");
            }
        }
        if live != self.live {
            return fault(0, "live certificates are not as many as were counted");
        }
        let (mut bounded, mut outer, mut inside, mut outside) = (0, 0, 0.0, 0.0);
        for face in self.faces(t) {
            if face.area > 0.0 {
                bounded += 1;
                inside += face.area;
                if face.convex != 3 {
                    return fault(face.vertex, "a cell does not have three corners");
                }
            } else {
                outer += 1;
                outside -= face.area;
                if face.convex != 0 {
                    return fault(face.vertex, "the outline has a convex corner");
                }
            }
        }
        let solid: f64 = self.bodies.iter().map(|b| area(&b.shape)).sum();
        if self.bodies.is_empty() {
            return Ok(());
        }
        let k = self.bodies.len();
        let reflex: usize = (self.bodies.iter())
            .map(|b| reflex_vertices(&b.shape))
            .sum();
        let free = self.halves.len() / 2 - self.owner.len();
        if outer != 1 || free != reflex + 3 * (k - 1) || bounded != reflex + 2 * (k - 1) {
            return fault(0, "edges and cells are not as many as they must be");
        }
        if !((inside + solid - outside).abs() <= CLEAR * outside) {
            return fault(0, "areas do not add up to the hull's");
        }
        Ok(())
    }
}

fn reflex_vertices(shape: &[Point]) -> usize {
    let n = shape.len();
    (0..n)
        .filter(|&k| orient(shape[(k + n - 1) % n], shape[k], shape[(k + 1) % n]) < 0.0)
        .count()
}
