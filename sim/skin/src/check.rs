//! Check of every finished mesh: counts defects live, and reuses its memory.
//!
//! Corners are counting-sorted by their point; each stores the points before and after it. So
//! either end of an edge knows the whole edge, and every count takes one pass: linear in triangles
//! and points, with no edge table and no comparison sort. [`Mesh::faults`] computes the same counts
//! from plain definitions, and is the oracle.

use crate::mesh::{Faults, Mesh};

/// Counts of defects. An edge counts once, whatever the number of its triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// As [`Mesh::faults`], without points that only stray triangles name.
    pub faults: Faults,
    /// Edges of one triangle: the borders of holes.
    pub borders: usize,
    /// Edges of more than two triangles.
    pub crowded: usize,
    /// Edges that two or more triangles traverse in the same direction: one of these has the wrong
    /// winding.
    pub same_way: usize,
    /// Triangles without area: a repeated corner, or all corners collinear. A closed mesh may have
    /// some where the level is on a node.
    pub degenerate: usize,
    /// Points with a non-finite coordinate, with a non-finite normal, or without a normal.
    pub not_finite: usize,
    /// Triangles that name missing points. They take no part in the other counts.
    pub strays: usize,
}

impl Check {
    /// True if the mesh is closed, every point has one ring of triangles, and all numbers are
    /// finite. A few flipped or degenerate triangles are no fault: a surface thinner than a cube
    /// has some.
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

/// Checks meshes, reusing its memory. Allocates only when a mesh exceeds all earlier ones in size.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    /// Index of the first corner, by point.
    first: Vec<usize>,
    /// Points after and before each corner.
    corners: Vec<(u32, u32)>,
    /// Scratch, by neighbour of the current point: how many triangles go there, and how many come
    /// from there. Zero between points.
    edge_counts: Vec<(u32, u32)>,
    /// Scratch: the point before the same corner, by point. Valid only where `edge_counts` is not
    /// zero.
    before: Vec<u32>,
}

impl Checker {
    /// Counts the defects of a mesh. Linear in triangles and points.
    pub fn check(&mut self, mesh: &Mesh) -> Check {
        let mut check = Check {
            not_finite: not_finite(mesh),
            ..Check::default()
        };
        self.sort(mesh, &mut check);
        for point in 0..mesh.points.len() {
            self.check_point(point, &mut check);
        }
        check
    }

    /// Sorts corners by point, and counts what a triangle shows alone.
    fn sort(&mut self, mesh: &Mesh, check: &mut Check) {
        let count = mesh.points.len();
        self.first.clear();
        self.first.resize(count + 1, 0);
        self.edge_counts.resize(count, (0, 0));
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
        // Filling advances the offsets; they are moved back by one afterwards.
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

    /// Counts the edges of a point, and tests whether its triangles form one ring.
    fn check_point(&mut self, point: usize, check: &mut Check) {
        let corners = &self.corners[self.first[point]..self.first[point + 1]];
        for (after, before) in corners {
            self.edge_counts[*after as usize].0 += 1;
            self.edge_counts[*before as usize].1 += 1;
            self.before[*after as usize] = *before;
        }
        let mut once = true;
        for (after, _) in corners {
            let edge_counts = self.edge_counts[*after as usize];
            check.faults.open_edges += usize::from(edge_counts != (1, 1));
            once &= edge_counts.0 == 1;
        }
        if let Some((start, _)) = corners.first() {
            let (mut steps, mut at) = (0, *start);
            while once && steps < corners.len() && self.edge_counts[at as usize].0 > 0 {
                (steps, at) = (steps + 1, self.before[at as usize]);
                if at == *start {
                    break;
                }
            }
            let is_ring = once && at == *start && steps == corners.len();
            check.faults.pinched += usize::from(!is_ring);
        }
        // Counts each edge once, at its lower end, and resets the scratch counters to zero.
        for end in corners.iter().flat_map(|(after, before)| [*after, *before]) {
            let (to, from) = std::mem::take(&mut self.edge_counts[end as usize]);
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
