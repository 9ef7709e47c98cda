//! The elementary operators: cutting an edge, splitting a face, and their inverses. Each keeps the
//! map valid.
//!
//! They are the steps of refinement ([`super::refine`]) and coarsening ([`super::coarsen`]). They
//! work on the finest level and accept any neighbours, split or not. Nothing here allocates once
//! the tables have reached their largest size.

use hapticd_geometry::Vec3;

use super::{Dart, Map, NONE};

/// Scratch lists for refinement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub(crate) darts: Vec<u32>,
    across: Vec<u32>,
    beyond: Vec<u32>,
    pub(crate) inner: Vec<u32>,
}

/// Darts of a face that has been split into four; entry `i` of each belongs to the part at corner
/// `i`.
struct SplitQuad {
    corners: [Dart; 4],
    /// Starts in the middle of the edge between this corner and the next.
    middles: [Dart; 4],
    /// Before `middles` on the old face.
    before: [Dart; 4],
    /// From the middle of that edge to the centre.
    inward: [Dart; 4],
    /// From the centre back to the middle of the edge before.
    outward: [Dart; 4],
}

impl Map {
    /// Creates a dart in no k-cell, linked to itself.
    pub(crate) fn new_dart(&mut self, level: u8) -> Dart {
        let d = self.free_darts.pop().unwrap_or_else(|| {
            let d = self.phi1.len() as u32;
            for links in [
                &mut self.phi1,
                &mut self.phi_1,
                &mut self.phi2,
                &mut self.phi3,
            ] {
                links.push(d);
            }
            self.level.push(0);
            self.edge_label.push(0);
            self.face_label.push(0);
            self.obstacle.push(false);
            self.dying.push(false);
            self.vertices.grow(d);
            self.edges.grow(d);
            self.cells.grow(d);
            if self.solid() {
                self.faces.grow(d);
            }
            if self.free_darts.capacity() < self.phi1.capacity() {
                // All may be released at once, which must not allocate then.
                self.free_darts.reserve(self.phi1.capacity());
            }
            d
        });
        let i = d as usize;
        (self.phi1[i], self.phi_1[i], self.phi2[i], self.phi3[i]) = (d, d, d, d);
        self.level[i] = level;
        (self.edge_label[i], self.face_label[i]) = (0, 0);
        (self.obstacle[i], self.dying[i]) = (false, false);
        Dart(d)
    }

    pub(crate) fn free_dart(&mut self, d: Dart) {
        self.mark_obstacle(d, false);
        for orbits in [
            &mut self.vertices,
            &mut self.edges,
            &mut self.faces,
            &mut self.cells,
        ] {
            // In dimension 2 there are no faces apart from its cells.
            if orbits.knows(d.0) {
                orbits.release(d.0);
            }
        }
        let i = d.index();
        (self.phi1[i], self.phi_1[i], self.phi2[i], self.phi3[i]) = (NONE, NONE, NONE, NONE);
        self.free_darts.push(d.0);
    }

    pub(crate) fn new_vertex(&mut self, position: Vec3) -> u32 {
        let v = self.vertices.create();
        if self.positions.len() <= v as usize {
            self.positions.push(position);
        }
        self.positions[v as usize] = position;
        v
    }

    pub(crate) fn new_face(&mut self, centre: Vec3) -> u32 {
        let f = self.faces.create();
        if self.face_centres.len() <= f as usize {
            self.face_centres.push(centre);
        }
        self.face_centres[f as usize] = centre;
        f
    }

    /// Sets `phi1(a) = b`.
    #[inline]
    pub(crate) fn link1(&mut self, a: Dart, b: Dart) {
        self.phi1[a.index()] = b.0;
        self.phi_1[b.index()] = a.0;
    }

    /// Sets `phi2(a) = b` and the reverse.
    #[inline]
    pub(crate) fn link2(&mut self, a: Dart, b: Dart) {
        self.phi2[a.index()] = b.0;
        self.phi2[b.index()] = a.0;
    }

    /// Sets `phi3(a) = b` and the reverse.
    #[inline]
    pub(crate) fn link3(&mut self, a: Dart, b: Dart) {
        self.phi3[a.index()] = b.0;
        self.phi3[b.index()] = a.0;
    }

    /// Gives a dart the cell, the face and the side of another one.
    pub(crate) fn beside(&mut self, d: Dart, like: Dart) {
        self.cells.assign(d.0, self.cells.of(like.0));
        if self.solid() {
            self.faces.assign(d.0, self.faces.of(like.0));
        }
        self.face_label[d.index()] = self.face_label[like.index()];
        if self.solid() {
            self.mark_obstacle(d, self.obstacle[like.index()]);
        }
    }

    /// Cuts the edge of `d` at `position`, on all sides. The half at the start of `d` keeps the
    /// edge's index. New darts get this level.
    pub(crate) fn cut_edge(&mut self, d: Dart, level: u8, position: Vec3) {
        let mut work = std::mem::take(&mut self.work);
        let old = self.edges.of(d.0);
        work.collect(self, old);
        let start = self.vertices.of(d.0);
        let middle = self.new_vertex(position);
        let half = self.edges.create();
        for &x in &work.darts {
            let x = Dart(x);
            let second = self.new_dart(level);
            let next = self.phi1(x);
            self.link1(x, second);
            self.link1(second, next);
            self.beside(second, x);
            if !self.solid() {
                self.mark_obstacle(second, self.obstacle[x.index()]);
            }
            self.edge_label[second.index()] = self.edge_label[x.index()];
            let straight = self.vertices.of(x.0) == start;
            self.vertices.assign(second.0, middle);
            let (first_half, second_half) = if straight { (old, half) } else { (half, old) };
            // In this order: an edge that lost its last dart for a moment would be released.
            self.edges.assign(second.0, second_half);
            self.edges.assign(x.0, first_half);
        }
        work.relink_halves(self);
        self.work = work;
    }

    /// Merges the two halves of an edge that was cut. `d` is a first half: the middle vertex is
    /// where `phi1(d)` starts, and only the two halves meet there.
    pub(crate) fn uncut_edge(&mut self, d: Dart) {
        let mut work = std::mem::take(&mut self.work);
        let edge = self.edges.of(d.0);
        let middle = self.vertex(self.phi1(d));
        work.darts.clear();
        for x in self.edges.darts(edge) {
            let first = if self.vertices.of(x) == middle.0 {
                self.phi_1[x as usize]
            } else {
                x
            };
            work.darts.push(first);
        }
        work.across.clear();
        work.beyond.clear();
        for &x in &work.darts {
            // A half's partner is the other dart's second half.
            let whole = |partner: u32| {
                if partner == x {
                    x
                } else {
                    self.phi_1[partner as usize]
                }
            };
            work.across.push(whole(self.phi2[x as usize]));
            work.beyond.push(whole(self.phi3[x as usize]));
        }
        for i in 0..work.darts.len() {
            let x = Dart(work.darts[i]);
            let second = self.phi1(x);
            self.link1(x, self.phi1(second));
            self.edges.assign(x.0, edge);
            if self.obstacle[second.index()] {
                self.mark_obstacle(x, true);
            }
            self.free_dart(second);
            self.phi2[x.index()] = work.across[i];
            self.phi3[x.index()] = work.beyond[i];
        }
        self.work = work;
    }

    /// Splits the face of `corners` around `centre` into four, on both sides if it has two.
    ///
    /// `middles[i]` starts in the middle of the edge between corner `i` and the next. The part at
    /// corner 0 keeps the face's index; in dimension 2 all parts stay in the cell.
    pub(crate) fn split_quad(
        &mut self,
        corners: [Dart; 4],
        middles: [Dart; 4],
        level: u8,
        centre: Vec3,
    ) {
        let middle = self.new_vertex(centre);
        let inward: [Dart; 4] = std::array::from_fn(|_| self.new_dart(level));
        let outward: [Dart; 4] = std::array::from_fn(|_| self.new_dart(level));
        let before: [Dart; 4] = std::array::from_fn(|i| self.phi_1(middles[i]));
        for i in 0..4 {
            let last = (i + 3) % 4;
            self.beside(inward[i], corners[i]);
            self.beside(outward[i], corners[i]);
            self.link1(before[i], inward[i]);
            self.link1(inward[i], outward[i]);
            self.link1(outward[i], middles[last]);
            self.vertices
                .assign(inward[i].0, self.vertices.of(middles[i].0));
            self.vertices.assign(outward[i].0, middle);
        }
        for i in 0..4 {
            self.link2(inward[i], outward[(i + 1) % 4]);
            let edge = self.edges.create();
            let label = 1 - self.edge_label[middles[i].index()];
            for d in [inward[i], outward[(i + 1) % 4]] {
                self.edges.assign(d.0, edge);
                self.edge_label[d.index()] = label;
            }
        }
        if !self.solid() {
            return;
        }
        if self.phi3(corners[0]) != corners[0] {
            let split = SplitQuad {
                corners,
                middles,
                before,
                inward,
                outward,
            };
            self.mirror_quad(&split, level);
        }
        // The fan around the old centre goes through the corners. With centres on its edges, the
        // new facets lie on the old ones.
        for i in 0..4 {
            let part = (centre + self.start(corners[i])) * 0.5;
            let face = self.faces.of(corners[i].0);
            if i == 0 {
                self.face_centres[face as usize] = part;
            } else {
                let face = self.new_face(part);
                self.assign_face(corners[i], face);
            }
        }
    }

    /// Splits the far side of a face that has been split.
    fn mirror_quad(&mut self, split: &SplitQuad, level: u8) {
        let &SplitQuad {
            corners,
            middles,
            before,
            inward,
            outward,
        } = split;
        let far_in: [Dart; 4] = std::array::from_fn(|_| self.new_dart(level));
        let far_out: [Dart; 4] = std::array::from_fn(|_| self.new_dart(level));
        for i in 0..4 {
            self.link3(inward[i], far_in[i]);
            self.link3(outward[i], far_out[i]);
            let far = self.phi3(corners[i]);
            self.beside(far_in[i], far);
            self.beside(far_out[i], far);
            for (d, opposite) in [(far_in[i], inward[i]), (far_out[i], outward[i])] {
                self.edges.assign(d.0, self.edges.of(opposite.0));
                self.edge_label[d.index()] = self.edge_label[opposite.index()];
            }
        }
        for i in 0..4 {
            let last = (i + 3) % 4;
            // A far dart starts where its near one ends.
            self.vertices
                .assign(far_in[i].0, self.vertices.of(outward[i].0));
            self.vertices
                .assign(far_out[i].0, self.vertices.of(middles[last].0));
            self.link1(self.phi3(middles[last]), far_out[i]);
            self.link1(far_out[i], far_in[i]);
            self.link1(far_in[i], self.phi3(before[i]));
            self.link2(far_in[i], far_out[(i + 1) % 4]);
        }
    }

    /// Merges the four parts of a face; the inverse of [`Map::split_quad`].
    ///
    /// `corners` holds one dart of each part, in order. The part of corner 0 keeps its index, and
    /// the middle vertex disappears with the last dart that starts there.
    pub(crate) fn unsplit_quad(&mut self, corners: [Dart; 4], level: u8) {
        let inward = corners.map(|c| self.next_at(level, c));
        let outward = inward.map(|d| self.phi1(d));
        let before = inward.map(|d| self.phi_1(d));
        let after: [Dart; 4] = std::array::from_fn(|i| self.phi1(outward[(i + 1) % 4]));
        let obstacle = corners.iter().any(|c| self.obstacle[c.index()]);
        let far = self.solid() && self.phi3(corners[0]) != corners[0];
        if self.solid() {
            let centre = self.start(outward[0]);
            let face = self.faces.of(corners[0].0);
            for &c in &corners[1..] {
                self.assign_face(c, face);
            }
            self.face_centres[face as usize] = centre;
        }
        for i in 0..4 {
            let (b, a) = (before[i], after[i]);
            self.link1(b, a);
            if far {
                self.link1(self.phi3(a), self.phi3(b));
            }
        }
        for d in inward.into_iter().chain(outward) {
            if far {
                self.free_dart(self.phi3(d));
            }
            self.free_dart(d);
        }
        if self.solid() && obstacle {
            self.set_obstacle(corners[0], true);
        }
    }

    /// Splits the triangle of `corners` into four, by joining the middles, and returns a dart of
    /// the inner part.
    ///
    /// `middles[i]` starts in the middle of the edge between corner `i` and the next. All parts
    /// stay in the cell.
    pub(crate) fn split_triangle(
        &mut self,
        corners: [Dart; 3],
        middles: [Dart; 3],
        level: u8,
    ) -> Dart {
        let outer: [Dart; 3] = std::array::from_fn(|_| self.new_dart(level));
        let inner: [Dart; 3] = std::array::from_fn(|_| self.new_dart(level));
        let before: [Dart; 3] = std::array::from_fn(|i| self.phi_1(middles[i]));
        for i in 0..3 {
            let last = (i + 2) % 3;
            self.beside(outer[i], corners[i]);
            self.beside(inner[i], corners[i]);
            self.link1(before[i], outer[i]);
            self.link1(outer[i], middles[last]);
            self.link2(outer[i], inner[i]);
            self.vertices
                .assign(outer[i].0, self.vertices.of(middles[i].0));
            self.vertices
                .assign(inner[i].0, self.vertices.of(middles[last].0));
            let joined = [middles[i], middles[last]].map(|m| self.edge_label[m.index()]);
            let label = (0..3).find(|l| !joined.contains(l)).unwrap_or(0);
            let edge = self.edges.create();
            for d in [outer[i], inner[i]] {
                self.edges.assign(d.0, edge);
                self.edge_label[d.index()] = label;
            }
        }
        for i in 0..3 {
            self.link1(inner[i], inner[(i + 1) % 3]);
        }
        inner[0]
    }

    /// Merges the four parts of a triangle; the inverse of [`Map::split_triangle`].
    pub(crate) fn unsplit_triangle(&mut self, corners: [Dart; 3], level: u8) {
        let outer = corners.map(|c| self.next_at(level, c));
        let inner = outer.map(|d| self.phi2(d));
        let before = outer.map(|d| self.phi_1(d));
        let after: [Dart; 3] = std::array::from_fn(|i| self.phi1(outer[(i + 1) % 3]));
        for i in 0..3 {
            self.link1(before[i], after[i]);
        }
        for d in outer.into_iter().chain(inner) {
            self.free_dart(d);
        }
    }

    /// Assigns all darts of the face of `d`, both sides, to this face.
    pub(crate) fn assign_face(&mut self, d: Dart, face: u32) {
        let mut at = d;
        loop {
            self.faces.assign(at.0, face);
            let far = self.phi3(at);
            if far != at {
                self.faces.assign(far.0, face);
            }
            at = self.phi1(at);
            if at == d {
                return;
            }
        }
    }

    /// Assigns all darts of the oriented face of `d`, this side only, to a cell.
    pub(crate) fn assign_side(&mut self, d: Dart, cell: u32) {
        let mut at = d;
        loop {
            self.cells.assign(at.0, cell);
            at = self.phi1(at);
            if at == d {
                return;
            }
        }
    }

    /// Assigns all darts of the volume of `d` to a cell that has none of them.
    pub(crate) fn assign_volume(&mut self, d: Dart, cell: u32) {
        let mut work = std::mem::take(&mut self.work);
        work.inner.clear();
        work.inner.push(d.0);
        while let Some(first) = work.inner.pop() {
            if self.cells.of(first) == cell {
                continue;
            }
            let mut at = first;
            loop {
                self.cells.assign(at, cell);
                work.inner.push(self.phi2[at as usize]);
                at = self.phi1[at as usize];
                if at == first {
                    break;
                }
            }
        }
        self.work = work;
    }
}

impl Work {
    /// Collects the darts of an edge and their partners.
    fn collect(&mut self, map: &Map, edge: u32) {
        self.darts.clear();
        self.darts.extend(map.edges.darts(edge));
        self.across.clear();
        self.across
            .extend(self.darts.iter().map(|&x| map.phi2[x as usize]));
        self.beyond.clear();
        self.beyond
            .extend(self.darts.iter().map(|&x| map.phi3[x as usize]));
    }

    /// Glues each first half to its partner's second one; on the boundary both stay as they are.
    fn relink_halves(&self, map: &mut Map) {
        for (i, &x) in self.darts.iter().enumerate() {
            let half = |map: &Map, partner: u32| map.phi1[partner as usize];
            let (y, z) = (self.across[i], self.beyond[i]);
            if y != x {
                let second = half(map, y);
                map.link2(Dart(x), Dart(second));
            }
            if z != x {
                let second = half(map, z);
                map.link3(Dart(x), Dart(second));
            }
        }
    }
}
