//! The subdivision as half-edges round vertices: which edge is next to which, how many geodesics go
//! along each.

use super::signs::Signs;

const NONE: u32 = u32::MAX;

/// One side of an edge; `h ^ 1` is the other. The corner of `h` is at its origin, between the edge
/// before it and itself, on its left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Half {
    pub(super) origin: u32,
    pub(super) next: u32,
    pub(super) prev: u32,
    /// Of a polygon's edge.
    pub(super) obstacle: bool,
    /// On its left is a polygon.
    pub(super) interior: bool,
    /// Its corner is larger than a straight angle.
    pub(super) reflex: bool,
    /// Its edge is there.
    pub(super) used: bool,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) halves: Vec<Half>,
    /// Of each edge: segments of geodesics along it.
    pub(super) uses: Vec<u32>,
    /// Edges that are not there.
    free: Vec<u32>,
    /// Of each vertex: a half-edge out of it.
    out: Vec<u32>,
    /// Half-edges whose corners have changed; those among them whose flags are still to be found;
    /// half-edges that went.
    pub(super) touched: Vec<u32>,
    pub(super) unsure: Vec<u32>,
    pub(super) gone: Vec<u32>,
}

impl Graph {
    pub(super) fn new(vertices: u32) -> Self {
        Self {
            out: vec![NONE; vertices as usize],
            ..Self::default()
        }
    }

    pub(super) fn half(&self, h: u32) -> &Half {
        &self.halves[h as usize]
    }

    pub(super) fn end(&self, h: u32) -> u32 {
        self.half(h ^ 1).origin
    }

    /// The vertices of the corner of `h`: before it, at it, behind it.
    pub(super) fn corner(&self, h: u32) -> [u32; 3] {
        let half = self.half(h);
        [self.half(half.prev).origin, half.origin, self.end(h)]
    }

    fn link(&mut self, h: u32, next: u32) {
        self.halves[h as usize].next = next;
        self.halves[next as usize].prev = h;
    }

    /// The half-edges out of a vertex, counter-clockwise.
    fn around(&self, v: u32) -> impl Iterator<Item = u32> {
        let first = self.out[v as usize];
        let mut next = (first != NONE).then_some(first);
        std::iter::from_fn(move || {
            let h = next?;
            let after = self.half(h).prev ^ 1;
            next = (after != first).then_some(after);
            Some(h)
        })
        .take(self.halves.len())
    }

    /// The half-edge from `a` to `b`.
    pub(super) fn find(&self, a: u32, b: u32) -> Option<u32> {
        self.around(a).find(|&h| self.end(h) == b)
    }

    /// Whether nothing is between the two half-edges from `v` to `from`, counter-clockwise, and to
    /// `to`.
    pub(super) fn are_neighbours(&self, v: u32, from: u32, to: u32) -> bool {
        (self.find(v, from)).is_some_and(|h| self.half(self.half(h).prev).origin == to)
    }

    /// Finds the flags of corners that have changed and whose flags do not follow from others.
    pub(super) fn resolve(&mut self, signs: &Signs<'_>) {
        let mut unsure = std::mem::take(&mut self.unsure);
        for h in unsure.drain(..) {
            let [u, v, x] = self.corner(h);
            self.set(h, u == x || !signs.left(u, v, x));
        }
        self.unsure = unsure;
    }

    /// Corners that have changed and are clearly not as the flags before let follow: of two events
    /// at one time the other came first.
    pub(super) fn put_right(&mut self, signs: &Signs<'_>) {
        for k in 0..self.touched.len() {
            let h = self.touched[k];
            if !self.half(h).used {
                continue;
            }
            let [u, v, x] = self.corner(h);
            let (value, clear) = signs.value([u, v, x]);
            if u != x && value.abs() > clear {
                self.halves[h as usize].reflex = value < 0.0;
            }
        }
    }

    /// One geodesic more goes along each segment of the path.
    pub(super) fn add_path(&mut self, signs: &Signs<'_>, path: &[u32]) -> Option<()> {
        (path.windows(2)).try_for_each(|s| self.add(signs, [s[0], s[1]]).map(|_| ()))
    }

    /// One geodesic less.
    pub(super) fn drop_path(&mut self, path: &[u32]) -> Option<()> {
        path.windows(2).try_for_each(|s| self.drop([s[0], s[1]]))
    }

    /// One geodesic more goes along the segment. The half-edge from `a` to `b`; none if it would go
    /// through a polygon or there is no place for it.
    pub(super) fn add(&mut self, signs: &Signs<'_>, [a, b]: [u32; 2]) -> Option<u32> {
        let h = self.find(a, b).or_else(|| self.insert(signs, [a, b]))?;
        self.uses[h as usize / 2] += 1;
        Some(h)
    }

    /// One geodesic less; without any the edge goes unless it is a polygon's.
    fn drop(&mut self, [a, b]: [u32; 2]) -> Option<()> {
        let h = self.find(a, b)?;
        let uses = self.uses[h as usize / 2].checked_sub(1)?;
        self.uses[h as usize / 2] = uses;
        if uses == 0 && !self.half(h).obstacle {
            let grown = self.remove(h);
            self.unsure.extend(grown);
        }
        Some(())
    }

    fn set(&mut self, h: u32, reflex: bool) {
        self.halves[h as usize].reflex = reflex;
        self.touched.push(h);
    }

    /// The corner of `h` changes its sign, and nothing else.
    pub(super) fn flip(&mut self, h: u32) {
        self.set(h, !self.half(h).reflex);
    }

    /// The vertex at the corner of `h`, reflex so far, has come to the segment between its
    /// neighbours, and `count` geodesics leave it. All flags follow from those before. None if that
    /// cannot be.
    pub(super) fn straighten(&mut self, h: u32, count: u32) -> Option<()> {
        let Half {
            prev: g,
            next,
            reflex,
            ..
        } = *self.half(h);
        let [a, _, b] = self.corner(h);
        if !reflex || self.find(a, b).is_some() {
            return None;
        }
        let at_b = self.half(h ^ 1).reflex;
        let n = self.insert_at([a, b], [g, next]);
        self.uses[n as usize / 2] = count;
        self.set(n, self.half(g).reflex);
        self.touched.push(next);
        for corner in [n ^ 1, g, h] {
            self.set(corner, false);
        }
        if self.is_left_by(g, count)? {
            let [beside, at_m] = self.remove(g);
            self.touched.push(beside);
            self.set(at_m, true);
        }
        if self.is_left_by(h, count)? {
            let [at_m, beside] = self.remove(h);
            self.set(at_m, true);
            self.set(beside, at_b);
        }
        Some(())
    }

    /// So many geodesics less go along an edge: whether it goes, too.
    fn is_left_by(&mut self, h: u32, count: u32) -> Option<bool> {
        let uses = self.uses[h as usize / 2].checked_sub(count)?;
        self.uses[h as usize / 2] = uses;
        Some(uses == 0 && !self.half(h).obstacle)
    }

    /// The convex corner of `h` has closed, or is one of a triangle that has collapsed: the
    /// neighbour before it has come to the edge `h`, or that behind it to the edge before, and all
    /// `count` geodesics along that edge go through it from now on. All flags follow from those
    /// before. None if that cannot be.
    pub(super) fn close(&mut self, h: u32, onto_h: bool, count: u32) -> Option<()> {
        let Half { prev: g, next, .. } = *self.half(h);
        let [u, _, x] = self.corner(h);
        // The edge that goes, the one that stays, the corner at the vertex that has come.
        let (gone, stays, at_m) = if onto_h { (h, g, g) } else { (g, h, next) };
        if self.half(gone).obstacle || self.uses[gone as usize / 2] != count {
            return None;
        }
        let outer = self.half(gone ^ 1).reflex;
        let inner = if self.half(next).next == g {
            next
        } else {
            if !self.half(at_m).reflex || self.find(u, x).is_some() {
                return None;
            }
            let n = self.insert_at([u, x], [g, next]);
            let at_far = self.half(g).reflex;
            // The corner that it cuts off of that of the vertex is convex; at the far end nothing
            // changes.
            self.set(n, !onto_h && at_far);
            self.touched.push(next);
            if !onto_h {
                self.set(next, false);
            }
            n ^ 1
        };
        self.uses[inner as usize / 2] += count;
        self.uses[stays as usize / 2] += count;
        let [first, second] = self.remove(gone);
        self.set(if onto_h { g } else { inner }, true);
        self.touched.push(first);
        self.set(second, outer);
        Some(())
    }

    /// The edges of a polygon with the vertices `first..end`, counter-clockwise. None of its other
    /// edges may be there yet.
    pub(super) fn add_polygon(&mut self, signs: &Signs<'_>, first: u32, end: u32) -> Option<()> {
        let from = self.halves.len();
        for v in first..end {
            let next = if v + 1 == end { first } else { v + 1 };
            self.insert(signs, [v, next])?;
        }
        for half in &mut self.halves[from..] {
            half.obstacle = true;
        }
        for half in self.halves[from..].iter_mut().step_by(2) {
            half.interior = true;
        }
        Some(())
    }

    fn insert(&mut self, signs: &Signs<'_>, [a, b]: [u32; 2]) -> Option<u32> {
        let corners = [self.sector(signs, a, b)?, self.sector(signs, b, a)?];
        let h = self.insert_at([a, b], corners);
        let changed = corners.into_iter().chain([h, h ^ 1]);
        self.unsure.extend(changed.filter(|h| *h != NONE));
        Some(h)
    }

    /// An edge through the corners of these half-edges, which are at its ends; [`NONE`] at a vertex
    /// without edges. Flags are left as they were, and that of a new corner is false.
    fn insert_at(&mut self, ends: [u32; 2], corners: [u32; 2]) -> u32 {
        let edge = self.free.pop().unwrap_or_else(|| {
            self.uses.push(0);
            self.halves.extend([Half::default(); 2]);
            self.uses.len() as u32 - 1
        });
        self.uses[edge as usize] = 0;
        let h = 2 * edge;
        for (side, origin) in [(h, ends[0]), (h ^ 1, ends[1])] {
            self.halves[side as usize] = Half {
                origin,
                used: true,
                ..Half::default()
            };
        }
        for (side, corner) in [(h, corners[0]), (h ^ 1, corners[1])] {
            if corner == NONE {
                self.link(side ^ 1, side);
                let origin = self.half(side).origin;
                self.out[origin as usize] = side;
            } else {
                let before = self.half(corner).prev;
                self.link(side ^ 1, corner);
                self.link(before, side);
            }
        }
        h
    }

    /// The half-edge out of `v` in whose corner `d` is seen; [`NONE`] where there is no other edge.
    fn sector(&self, signs: &Signs<'_>, v: u32, d: u32) -> Option<u32> {
        if self.out[v as usize] == NONE {
            return Some(NONE);
        }
        self.around(v).find(|&h| {
            !self.half(h).interior && {
                let [u, v, x] = self.corner(h);
                signs.in_sector(v, x, u, d)
            }
        })
    }

    /// The half-edges whose corners have grown, at the origin of `h` and at its end.
    fn remove(&mut self, h: u32) -> [u32; 2] {
        let grown = [self.half(h ^ 1).next, self.half(h).next];
        for side in [h, h ^ 1] {
            let Half { origin, prev, .. } = *self.half(side);
            let next = self.half(side ^ 1).next;
            self.out[origin as usize] = if next == side { NONE } else { next };
            self.link(prev, next);
            self.halves[side as usize].used = false;
            self.gone.push(side);
        }
        self.free.push(h / 2);
        grown
    }

    /// The half-edges that are there.
    pub(super) fn used(&self) -> impl Iterator<Item = u32> {
        (0..self.halves.len() as u32).filter(|&h| self.half(h).used)
    }

    /// Whether a segment crosses no edge.
    pub(super) fn is_free(&self, signs: &Signs<'_>, ends: [u32; 2]) -> bool {
        (self.used().step_by(2)).all(|h| !signs.crosses(ends, [self.half(h).origin, self.end(h)]))
    }

    /// The cells, that outside of everything among them: half-edges in order, the free space on the
    /// left.
    pub(super) fn faces(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.halves.len()];
        let mut faces = Vec::new();
        for start in self.used() {
            let mut face = Vec::new();
            let mut h = start;
            while !seen[h as usize] && !self.half(h).interior {
                seen[h as usize] = true;
                face.push(h);
                h = self.half(h).next;
            }
            if !face.is_empty() {
                faces.push(face);
            }
        }
        faces
    }
}
