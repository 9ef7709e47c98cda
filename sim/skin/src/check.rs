//! A look at every mesh that is made: what must not be is counted, live, without memory of its own
//! to find.
//!
//! Corners are sorted by counting, by the point that they are at; each holds the point before and
//! the point after it. So all that is known of an edge is at either of its ends, and every count
//! takes one pass: linear in triangles and points, no table of edges, no sort. [`Mesh::faults`] has
//! the same counts by plain definitions, and is the oracle.

use crate::mesh::{Faults, Mesh};

/// What was found. Edges are counted once, whatever the number of their triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// What [`Mesh::faults`] says; a point that only strays name is not looked at.
    pub faults: Faults,
    /// Edges of one triangle only: the borders of holes.
    pub borders: usize,
    /// Edges of more than two triangles.
    pub crowded: usize,
    /// Edges that two or more triangles go along the same way: one of them is wound the wrong way
    /// round.
    pub same_way: usize,
    /// Triangles without area: a corner twice, or all in a line. A closed mesh may have some, where
    /// the level is on a node.
    pub degenerate: usize,
    /// Points of which a coordinate, or one of the normal's, is not finite, or that have no normal.
    pub not_finite: usize,
    /// Triangles that name points that are not there. Nothing else is counted of them.
    pub strays: usize,
}

impl Check {
    /// Whether it is closed, with every point in one ring of triangles, and all of its numbers are
    /// some. A few triangles against their normals, or without area, are no fault: a surface that
    /// is thinner than a cube has some.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let Faults {
            open_edges,
            pinched,
            ..
        } = self.faults;
        [open_edges, pinched, self.not_finite, self.strays] == [0; 4]
    }
}

/// Checks meshes; keeps the memory between them. Does not allocate once it has seen as much.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    /// By point: where its corners begin.
    first: Vec<usize>,
    /// The point after a corner, and the point before it.
    corners: Vec<(u32, u32)>,
    /// By point, of the corner's point that is looked at: how many triangles go there, and come
    /// from there. Zero in between.
    ways: Vec<(u32, u32)>,
    /// By point: the one before the same corner. Of those with ways only.
    before: Vec<u32>,
}

impl Checker {
    /// Counts what is wrong. Linear in triangles and points.
    pub fn check(&mut self, mesh: &Mesh) -> Check {
        let mut check = Check {
            not_finite: not_finite(mesh),
            ..Check::default()
        };
        self.sort(mesh, &mut check);
        for point in 0..mesh.points.len() {
            self.look_around(point, &mut check);
        }
        check
    }

    /// Corners by their points; and what is known of a triangle alone.
    fn sort(&mut self, mesh: &Mesh, check: &mut Check) {
        let count = mesh.points.len();
        self.first.clear();
        self.first.resize(count + 1, 0);
        self.ways.resize(count, (0, 0));
        self.before.resize(count, 0);
        let is_there = |t: &[u32; 3]| t.iter().all(|v| (*v as usize) < count);
        for t in &mesh.triangles {
            if !is_there(t) {
                check.strays += 1;
                continue;
            }
            for v in t {
                self.first[*v as usize + 1] += 1;
            }
            let n = mesh.across(t);
            check.degenerate += usize::from(n == [0.0; 3]);
            if t.iter().all(|v| (*v as usize) < mesh.normals.len()) {
                check.faults.flipped += usize::from(mesh.is_flipped(t));
            }
        }
        for k in 1..=count {
            self.first[k] += self.first[k - 1];
        }
        self.corners.clear();
        self.corners.resize(self.first[count], (0, 0));
        // Moved on while filling, and then moved back by one.
        for t in mesh.triangles.iter().filter(|t| is_there(t)) {
            for (v, after, before) in [(t[0], t[1], t[2]), (t[1], t[2], t[0]), (t[2], t[0], t[1])] {
                let next = &mut self.first[v as usize];
                self.corners[*next] = (after, before);
                *next += 1;
            }
        }
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    /// All edges of a point, and whether its triangles are one ring.
    fn look_around(&mut self, point: usize, check: &mut Check) {
        let corners = &self.corners[self.first[point]..self.first[point + 1]];
        for (after, before) in corners {
            self.ways[*after as usize].0 += 1;
            self.ways[*before as usize].1 += 1;
            self.before[*after as usize] = *before;
        }
        let mut once = true;
        for (after, _) in corners {
            let ways = self.ways[*after as usize];
            check.faults.open_edges += usize::from(ways != (1, 1));
            once &= ways.0 == 1;
        }
        if let Some((start, _)) = corners.first() {
            let (mut steps, mut at) = (0, *start);
            while once && steps < corners.len() && self.ways[at as usize].0 > 0 {
                (steps, at) = (steps + 1, self.before[at as usize]);
                if at == *start {
                    break;
                }
            }
            let is_ring = once && at == *start && steps == corners.len();
            check.faults.pinched += usize::from(!is_ring);
        }
        // Each edge at its lower end, and once: what was counted is zero from then on.
        for end in corners.iter().flat_map(|(after, before)| [*after, *before]) {
            let (to, from) = std::mem::take(&mut self.ways[end as usize]);
            if end as usize > point {
                check.borders += usize::from(to + from == 1);
                check.crowded += usize::from(to + from > 2);
                check.same_way += usize::from(to.max(from) > 1);
            }
        }
    }
}

fn not_finite(mesh: &Mesh) -> usize {
    let is = |p: &[f32; 3]| p.iter().all(|x| x.is_finite());
    let good = (mesh.points.iter().zip(&mesh.normals)).filter(|(p, n)| is(p) && is(n));
    mesh.points.len() - good.count()
}
