//! The subdivision as half-edges around vertices: the order of the edges, and the number of
//! geodesics along each.

use super::signs::Signs;

const NONE: u32 = u32::MAX;

/// One side of an edge; `h ^ 1` is the other. The corner of `h` is at its origin, between the
/// previous edge and itself, on its left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Half {
    pub(super) origin: u32,
    pub(super) next: u32,
    pub(super) prev: u32,
    /// It belongs to a polygon's edge.
    pub(super) obstacle: bool,
    /// A polygon is on its left.
    pub(super) interior: bool,
    /// Its corner is larger than a straight angle.
    pub(super) reflex: bool,
    /// Its edge exists.
    pub(super) used: bool,
}

/// The subdivision. See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) halves: Vec<Half>,
    /// For each edge: number of segments of geodesics along it.
    pub(super) uses: Vec<u32>,
    /// Free slots for edges.
    free: Vec<u32>,
    /// For each vertex: a half-edge out of it.
    out: Vec<u32>,
    /// Half-edges with changed corners; those among them with flags still to be determined; removed
    /// half-edges.
    pub(super) touched: Vec<u32>,
    pub(super) unresolved: Vec<u32>,
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

    /// Returns the vertices of the corner of `h`: before it, at it, after it.
    pub(super) fn corner(&self, h: u32) -> [u32; 3] {
        let half = self.half(h);
        [self.half(half.prev).origin, half.origin, self.end(h)]
    }

    fn link(&mut self, h: u32, next: u32) {
        self.halves[h as usize].next = next;
        self.halves[next as usize].prev = h;
    }

    /// Returns the half-edges out of a vertex, counter-clockwise.
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

    /// Returns the half-edge from `a` to `b`.
    pub(super) fn find(&self, a: u32, b: u32) -> Option<u32> {
        self.around(a).find(|&h| self.end(h) == b)
    }

    /// Returns whether no edge lies between the half-edge from `v` to `from` and,
    /// counter-clockwise, that from `v` to `to`.
    pub(super) fn are_neighbours(&self, v: u32, from: u32, to: u32) -> bool {
        (self.find(v, from)).is_some_and(|h| self.half(self.half(h).prev).origin == to)
    }

    /// Determines the flags of changed corners that do not follow from other flags.
    pub(super) fn resolve(&mut self, signs: &Signs<'_>) {
        let mut unresolved = std::mem::take(&mut self.unresolved);
        for h in unresolved.drain(..) {
            let [u, v, x] = self.corner(h);
            self.set(h, u == x || !signs.left(u, v, x));
        }
        self.unresolved = unresolved;
    }

    /// Corrects the flags of changed corners that clearly contradict them: of two events at one
    /// time, the other came first.
    pub(super) fn fix_flags(&mut self, signs: &Signs<'_>) {
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

    /// Adds one geodesic along each segment of the path.
    pub(super) fn add_path(&mut self, signs: &Signs<'_>, path: &[u32]) -> Option<()> {
        (path.windows(2)).try_for_each(|s| self.add(signs, [s[0], s[1]]).map(|_| ()))
    }

    /// Removes one geodesic along each segment of the path.
    pub(super) fn drop_path(&mut self, path: &[u32]) -> Option<()> {
        path.windows(2).try_for_each(|s| self.drop([s[0], s[1]]))
    }

    /// Adds one geodesic along the segment. Returns the half-edge from `a` to `b`; `None` if it
    /// would go through a polygon or has no place.
    pub(super) fn add(&mut self, signs: &Signs<'_>, [a, b]: [u32; 2]) -> Option<u32> {
        let h = self.find(a, b).or_else(|| self.insert(signs, [a, b]))?;
        self.uses[h as usize / 2] += 1;
        Some(h)
    }

    /// Removes one geodesic; without any, the edge is removed unless it is a polygon's.
    fn drop(&mut self, [a, b]: [u32; 2]) -> Option<()> {
        let h = self.find(a, b)?;
        let uses = self.uses[h as usize / 2].checked_sub(1)?;
        self.uses[h as usize / 2] = uses;
        if uses == 0 && !self.half(h).obstacle {
            let grown = self.remove(h);
            self.unresolved.extend(grown);
        }
        Some(())
    }

    fn set(&mut self, h: u32, reflex: bool) {
        self.halves[h as usize].reflex = reflex;
        self.touched.push(h);
    }

    /// Changes the sign of the corner of `h`, and nothing else.
    pub(super) fn flip(&mut self, h: u32) {
        self.set(h, !self.half(h).reflex);
    }

    /// The vertex at the corner of `h`, reflex so far, has reached the segment between its
    /// neighbours, and `count` geodesics leave it.
    ///
    /// All flags follow from the previous ones. `None` if that is impossible.
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

    /// Removes `count` geodesics from an edge. Returns whether the edge must go as well.
    fn is_left_by(&mut self, h: u32, count: u32) -> Option<bool> {
        let uses = self.uses[h as usize / 2].checked_sub(count)?;
        self.uses[h as usize / 2] = uses;
        Some(uses == 0 && !self.half(h).obstacle)
    }

    /// The convex corner of `h` has closed, or belongs to a triangle that has collapsed.
    ///
    /// The previous vertex has reached the edge `h` (`onto_h`), or the next vertex the edge before
    /// it. All `count` geodesics along that edge go through it from now on. All flags follow from
    /// the previous ones. `None` if that is impossible.
    pub(super) fn close(&mut self, h: u32, onto_h: bool, count: u32) -> Option<()> {
        let Half { prev: g, next, .. } = *self.half(h);
        let [u, _, x] = self.corner(h);
        // The edge that goes, the one that stays, the corner at the vertex that has arrived.
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
            // The corner that it cuts off the vertex's corner is convex; at the far end nothing
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

    /// Adds the edges of a polygon with the vertices `first..end`, counter-clockwise. No other
    /// edges of this polygon may exist yet.
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
        self.unresolved.extend(changed.filter(|h| *h != NONE));
        Some(h)
    }

    /// Adds an edge through the corners of these half-edges, which are at its ends; [`NONE`] for a
    /// vertex without edges. Existing flags stay, and that of a new corner is false.
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

    /// Returns the half-edge out of `v` with the corner in which `d` is seen; [`NONE`] if there is
    /// no other edge.
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

    /// Removes an edge. Returns the half-edges with corners that have grown, at the origin of `h`
    /// and at its end.
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

    /// Returns the existing half-edges.
    pub(super) fn used(&self) -> impl Iterator<Item = u32> {
        (0..self.halves.len() as u32).filter(|&h| self.half(h).used)
    }

    /// Returns whether a segment crosses no edge.
    pub(super) fn is_free(&self, signs: &Signs<'_>, ends: [u32; 2]) -> bool {
        (self.used().step_by(2)).all(|h| !signs.crosses(ends, [self.half(h).origin, self.end(h)]))
    }

    /// Returns the cells, including the one outside of everything: half-edges in order, free space
    /// on the left.
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
