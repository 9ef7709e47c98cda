//! The greedy pointed pseudo-triangulation: adds free edges by increasing length; the audit.

use super::{Half, PseudoTriangulation};
use crate::kinetic::Inconsistent;
use crate::polygons::shape::{Point, area, crosses};
use crate::polygons::{cross, minus, orient};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A value above this is clear of rounding, as a share of the product of the lengths.
const CLEAR: f64 = 1e-9;

fn angle(d: Point) -> f64 {
    d[1].atan2(d[0])
}

/// The two directions between which, counter-clockwise, a vertex has no edges: more than a straight
/// angle while it is pointed.
type Gap = [Point; 2];

/// Narrows a gap by an edge in direction `d`; `None` if the vertex is then no longer pointed.
fn narrowed([a, b]: Gap, d: Point) -> Option<Gap> {
    // The rest of the turn, from `b` to `a`, is less than a straight angle.
    if cross(b, d) >= 0.0 && cross(d, a) >= 0.0 {
        return Some([a, b]);
    }
    if cross(a, d) < 0.0 {
        return Some([a, d]);
    }
    (cross(d, b) < 0.0).then_some([d, b])
}

/// Progress of a rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Finished and valid.
    #[default]
    Whole,
    /// Possible edges of the vertices from this one on are not listed yet.
    Listing(u32),
    /// Trying possible edges, shortest first.
    Trying,
    /// Invalid until a rebuild is started.
    Broken,
}

/// A possible edge. In the order of the heap the shortest is the greatest; among equals, the one
/// with the smallest indices.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Possible {
    length: f64,
    ends: [u32; 2],
}

impl Eq for Possible {}

impl Ord for Possible {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.length.total_cmp(&self.length)).then(other.ends.cmp(&self.ends))
    }
}

impl PartialOrd for Possible {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Scratch memory of builds, kept for reuse.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildScratch {
    pub(super) stage: Stage,
    places: Vec<Point>,
    edges: Vec<[u32; 2]>,
    gaps: Vec<Gap>,
    possible: BinaryHeap<Possible>,
    /// Half-edges by origin and direction.
    rays: Vec<(u32, f64, u32)>,
    /// For each half-edge: the last walk that visited it.
    seen: Vec<u32>,
    walk: u32,
    pub(super) touched: Vec<u32>,
}

impl PseudoTriangulation {
    /// Returns the number of free edges, and of cells, of the finished structure.
    fn sizes(&self) -> [usize; 2] {
        let (mut k, mut reflex) = (0, 0);
        for (b, _) in self.members.iter().enumerate().filter(|m| *m.1) {
            k += 1;
            reflex += self.reflex_vertices[b] as usize;
        }
        [
            reflex + (3 * k as usize).saturating_sub(3),
            reflex + (2 * k as usize).saturating_sub(2),
        ]
    }

    /// Reserves memory for everything that any set of members can need.
    pub(super) fn reserve(&mut self) {
        let n = self.state.polygons.owner.len();
        let k = self.state.polygons.bodies.len();
        let free = self.reflex_vertices.iter().sum::<u32>() as usize + 3 * k;
        let halves = 2 * (n + free);
        self.halves.reserve(halves);
        self.state.queue.reserve(halves);
        let w = &mut self.scratch;
        w.places.reserve(n);
        w.gaps.reserve(n);
        w.edges.reserve(n + free);
        w.possible.reserve(n * n.saturating_sub(1) / 2);
        w.rays.reserve(halves);
        w.touched.reserve(halves);
        w.seen.resize(halves, 0);
    }

    /// Rebuilds everything for the current time. With `n` vertices `O(n^3)`.
    pub(super) fn build(&mut self) -> Result<(), Inconsistent> {
        self.start_build();
        while !self.build_on(u32::MAX)? {}
        self.audit_all(self.state.now)
    }

    /// Starts to rebuild everything for the current time.
    pub(super) fn start_build(&mut self) {
        let n = self.state.polygons.owner.len() as u32;
        self.state.queue.clear();
        self.halves.clear();
        self.state.live = 0;
        let mut w = std::mem::take(&mut self.scratch);
        w.places.clear();
        w.places
            .extend((0..n).map(|v| self.state.polygons.place(v, self.state.now)));
        w.edges.clear();
        w.edges
            .extend((0..n).map(|v| [v, self.state.polygons.beside(v)[0]]));
        w.gaps.clear();
        let at = |v: u32| w.places[v as usize];
        w.gaps.extend((0..n).map(|v| {
            let [next, prev] = self.state.polygons.beside(v).map(|u| minus(at(u), at(v)));
            // From the next vertex counter-clockwise to the previous one is the polygon.
            if cross(next, prev) > 0.0 {
                [prev, next]
            } else {
                [next, prev]
            }
        }));
        w.possible.clear();
        w.stage = Stage::Listing(0);
        self.scratch = w;
    }

    fn is_member(&self, v: u32) -> bool {
        self.members[self.state.polygons.owner[v as usize] as usize]
    }

    /// Continues a rebuild, for about `budget` comparisons of edges; returns true when it is
    /// complete. Does not allocate.
    ///
    /// # Errors
    /// The bodies are in no position for which the structure can be built. It is then unusable
    /// until a rebuild is started again.
    pub fn build_on(&mut self, budget: u32) -> Result<bool, Inconsistent> {
        let mut w = std::mem::take(&mut self.scratch);
        let mut left = u64::from(budget);
        let whole = loop {
            match w.stage {
                Stage::Whole => break Ok(true),
                Stage::Broken => break self.state.fault(0, "it must be rebuilt"),
                _ if left == 0 => break Ok(false),
                Stage::Listing(i) if i as usize == self.state.polygons.owner.len() => {
                    w.stage = Stage::Trying
                }
                Stage::Listing(i) => {
                    left = left.saturating_sub(self.list(i, &mut w));
                    w.stage = Stage::Listing(i + 1);
                }
                Stage::Trying => {
                    let wanted = self.state.polygons.owner.len() + self.sizes()[0];
                    let next = if w.edges.len() < wanted {
                        w.possible.pop()
                    } else {
                        None
                    };
                    match next {
                        Some(next) => left = left.saturating_sub(self.try_edge(next.ends, &mut w)),
                        None => match self.finish(&mut w) {
                            Ok(()) => w.stage = Stage::Whole,
                            Err(fault) => {
                                w.stage = Stage::Broken;
                                break Err(fault);
                            }
                        },
                    }
                }
            }
        };
        self.scratch = w;
        if let Ok(true) = whole
            && !self.issued
        {
            self.issued = true;
            for h in 0..self.halves.len() as u32 {
                self.reissue(h);
            }
            self.state.count_sizes();
        }
        whole
    }

    /// Lists the possible edges from a vertex to later ones; returns the cost.
    fn list(&self, i: u32, w: &mut BuildScratch) -> u64 {
        if !self.is_member(i) {
            return 1;
        }
        for k in i + 1..self.state.polygons.owner.len() as u32 {
            if !self.is_member(k) || self.state.polygons.beside(i).contains(&k) {
                continue;
            }
            let d = minus(w.places[k as usize], w.places[i as usize]);
            if !self.enters(i, d, &w.places) && !self.enters(k, [-d[0], -d[1]], &w.places) {
                let length = d[0].hypot(d[1]);
                w.possible.push(Possible {
                    length,
                    ends: [i, k],
                });
            }
        }
        (self.state.polygons.owner.len() as u64 - u64::from(i)).max(1)
    }

    /// Adds an edge if it is allowed; returns the cost.
    fn try_edge(&self, [i, k]: [u32; 2], w: &mut BuildScratch) -> u64 {
        let at = |v: u32| w.places[v as usize];
        let d = minus(at(k), at(i));
        let gaps = [
            narrowed(w.gaps[i as usize], d),
            narrowed(w.gaps[k as usize], [-d[0], -d[1]]),
        ];
        let [Some(first), Some(second)] = gaps else {
            return 1;
        };
        let segment = [at(i), at(k)];
        let blocked = w.edges.iter().any(|e| {
            !e.contains(&i)
                && !e.contains(&k)
                && self.is_member(e[0])
                && crosses(segment, e.map(at))
        });
        if !blocked {
            w.gaps[i as usize] = first;
            w.gaps[k as usize] = second;
            w.edges.push([i, k]);
        }
        w.edges.len() as u64
    }

    /// Makes half-edges of all edges, and checks the result.
    fn finish(&mut self, w: &mut BuildScratch) -> Result<(), Inconsistent> {
        self.connect(w);
        self.issued = false;
        let [free, cells] = self.sizes();
        if self.members.iter().all(|m| !m) {
            return Ok(());
        }
        if w.edges.len() - self.state.polygons.owner.len() != free {
            return self.state.fault(0, "the number of edges is wrong");
        }
        w.walk = w.walk.wrapping_add(1);
        w.seen.resize(w.seen.len().max(self.halves.len()), 0);
        let (mut bounded, mut outer) = (0, 0);
        for start in 0..self.halves.len() as u32 {
            if w.seen[start as usize] == w.walk || self.half(start).interior {
                continue;
            }
            let (mut h, mut convex, mut area) = (start, 0, 0.0);
            loop {
                w.seen[h as usize] = w.walk;
                let half = self.half(h);
                convex += u32::from(!half.reflex);
                let ends = [half.origin, self.half(h ^ 1).origin].map(|v| w.places[v as usize]);
                area += cross(ends[0], ends[1]);
                h = half.next;
                if h == start || w.seen[h as usize] == w.walk {
                    break;
                }
            }
            let wanted = if area > 0.0 { 3 } else { 0 };
            if convex != wanted {
                return self.state.fault(
                    self.half(start).origin,
                    "a cell does not have three corners",
                );
            }
            bounded += usize::from(area > 0.0);
            outer += usize::from(!(area > 0.0));
        }
        if outer != 1 || bounded != cells {
            return self.state.fault(0, "the number of cells is wrong");
        }
        Ok(())
    }

    /// Whether a segment from `v` along `d` starts inside the polygon of `v`.
    fn enters(&self, v: u32, d: Point, places: &[Point]) -> bool {
        let p = places[v as usize];
        let [next, prev] = self
            .state
            .polygons
            .beside(v)
            .map(|w| minus(places[w as usize], p));
        // Counter-clockwise from the next vertex to the previous one.
        if cross(next, prev) > 0.0 {
            cross(next, d) >= 0.0 && cross(d, prev) > 0.0
        } else {
            !(cross(prev, d) >= 0.0 && cross(d, next) > 0.0)
        }
    }

    /// Makes half-edges of the listed edges, of which the polygons' come first.
    fn connect(&mut self, w: &mut BuildScratch) {
        let polygons = self.state.polygons.owner.len();
        self.halves.clear();
        w.rays.clear();
        for (e, ends) in w.edges.iter().enumerate() {
            let member = self.members[self.state.polygons.owner[ends[0] as usize] as usize];
            for side in 0..2 {
                let h = self.halves.len() as u32;
                let (from, to) = (ends[side] as usize, ends[1 - side] as usize);
                w.rays
                    .push((from as u32, angle(minus(w.places[to], w.places[from])), h));
                self.halves.push(Half {
                    origin: ends[side],
                    obstacle: e < polygons,
                    // Polygons are counter-clockwise. One that is not a member has an inside on
                    // both sides.
                    interior: e < polygons && (side == 0 || !member),
                    ..Half::default()
                });
            }
        }
        w.rays
            .sort_unstable_by(|a, b| (a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)));
        let mut first = 0;
        while first < w.rays.len() {
            let about = w.rays[first..]
                .iter()
                .take_while(|r| r.0 == w.rays[first].0)
                .count();
            for k in 0..about {
                // Into the vertex by the other half, out by the next one clockwise.
                let before = w.rays[first + (k + about - 1) % about].2;
                self.link(w.rays[first + k].2 ^ 1, before);
            }
            first += about;
        }
        for h in 0..self.halves.len() as u32 {
            let [u, v, x] = self.corner(h).map(|v| w.places[v as usize]);
            self.half_mut(h).reflex = orient(u, v, x) < 0.0;
        }
        // A cell has the number of its first half-edge.
        for h in &mut self.halves {
            h.cell = u32::MAX;
        }
        for number in 0..self.halves.len() as u32 {
            let mut h = number;
            while self.half(h).cell == u32::MAX {
                self.half_mut(h).cell = number;
                h = self.half(h).next;
            }
        }
    }

    /// Lists in `touched`, each once, the half-edges with corners in which a body takes part. An
    /// edge of a polygon never slides, so each walk around a vertex starts there.
    pub(super) fn touch(&mut self, body: u32, touched: &mut Vec<u32>, again: bool) {
        let mut w = std::mem::take(&mut self.scratch);
        if again {
            w.walk = w.walk.wrapping_add(1);
            touched.clear();
        }
        let most = self.halves.len();
        for v in
            self.state.polygons.first[body as usize]..self.state.polygons.first[body as usize + 1]
        {
            let start = 2 * v;
            let mut out = start;
            for _ in 0..most {
                for h in [out, self.half(out).next, out ^ 1] {
                    if w.seen[h as usize] != w.walk && !self.half(h).interior {
                        w.seen[h as usize] = w.walk;
                        touched.push(h);
                    }
                }
                out = self.half(out ^ 1).next;
                if out == start {
                    break;
                }
            }
        }
        self.scratch = w;
    }

    /// Checks every sign, three convex corners in every cell and none outside, cell numbers and
    /// areas.
    pub(super) fn audit_all(&self, t: f64) -> Result<(), Inconsistent> {
        let fault = |v: u32, what| self.state.polygons.fault(v, t, what);
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
            let [u, v, x] = self.corner(h).map(|v| self.state.polygons.place(v, t));
            let value = orient(u, v, x);
            let (a, b) = (super::length(minus(v, u)), super::length(minus(x, v)));
            // Positions are rounded as well, which matters where two vertices nearly coincide.
            let clear = CLEAR * a * b + 8.0 * f64::EPSILON * (1.0 + super::length(v)) * (a + b);
            if (half.reflex && value > clear) || (!half.reflex && value < -clear) {
                return fault(half.origin, "a corner contradicts its flag");
            }
        }
        if live != self.state.live {
            return fault(0, "the count of live certificates is wrong");
        }
        let (mut bounded, mut outer, mut inside, mut outside) = (0, 0, 0.0, 0.0);
        for face in self.faces(t) {
            if !face.one_number {
                return fault(face.vertex, "a cell has two numbers");
            }
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
        let members = || (self.state.polygons.bodies.iter().zip(&self.members)).filter(|m| *m.1);
        let solid: f64 = members().map(|(b, _)| area(&b.shape)).sum();
        if members().next().is_none() {
            return Ok(());
        }
        let free = self.halves.len() / 2 - self.state.polygons.owner.len();
        if outer != 1 || [free, bounded] != self.sizes() {
            return fault(0, "the number of edges or cells is wrong");
        }
        if !((inside + solid - outside).abs() <= CLEAR * outside) {
            return fault(0, "areas do not add up to the hull's");
        }
        Ok(())
    }
}
