//! Which triangles of two static meshes intersect: all pairs, or whether there is one.
//!
//! Descends the two box hierarchies simultaneously with the discrete box test. At the leaves it
//! tests whether a side of one triangle passes through the other. Off the real-time path: allocates
//! while its buffers grow. The time grows with the number of overlapping boxes;
//! [`Intersections::any_within`] bounds it. Deterministic; no panics; numbers that are not finite
//! intersect nothing. Metres.

use hapticd_geometry::{Pose, Rigid, Vec3};

use crate::index::MeshIndex;
use crate::obb::{Obb, overlap};

/// Work space; one per querying thread.
#[derive(Debug, Default)]
pub struct Intersections {
    stack: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
}

impl Intersections {
    /// Returns all pairs (triangle of `a`, triangle of `b`) that have a point in common, sorted.
    /// Point shapes have none.
    pub fn all(&mut self, a: &MeshIndex, b: &MeshIndex, b_from_a: &Pose) -> &[(u32, u32)] {
        self.some(a, b, b_from_a, usize::MAX);
        self.pairs.sort_unstable();
        &self.pairs
    }

    /// Returns at most `most` of these pairs, in no particular order.
    pub fn some(
        &mut self,
        a: &MeshIndex,
        b: &MeshIndex,
        b_from_a: &Pose,
        most: usize,
    ) -> &[(u32, u32)] {
        self.search(a, b, b_from_a, most, &mut { u64::MAX });
        &self.pairs
    }

    /// Returns whether any pair intersects.
    pub fn any(&mut self, a: &MeshIndex, b: &MeshIndex, b_from_a: &Pose) -> bool {
        self.any_within(a, b, b_from_a, &mut { u64::MAX }) == Some(true)
    }

    /// Returns whether any pair intersects; `None` if `visits` pairs of boxes do not suffice to
    /// tell. Subtracts the visits used from `visits`.
    pub fn any_within(
        &mut self,
        a: &MeshIndex,
        b: &MeshIndex,
        b_from_a: &Pose,
        visits: &mut u64,
    ) -> Option<bool> {
        let searched = self.search(a, b, b_from_a, 1, visits);
        let any = !self.pairs.is_empty();
        (searched || any).then_some(any)
    }

    /// Returns false if the visits were used up before all overlapping boxes were visited.
    fn search(
        &mut self,
        a: &MeshIndex,
        b: &MeshIndex,
        b_from_a: &Pose,
        most: usize,
        visits: &mut u64,
    ) -> bool {
        self.pairs.clear();
        self.stack.clear();
        let (Some(a), Some(b)) = (a.surface(), b.surface()) else {
            return true;
        };
        let motion = Rigid::new(b_from_a);
        let (nodes_a, nodes_b) = (a.tree.nodes(), b.tree.nodes());
        self.stack.push((0, 0));
        while let Some((ia, ib)) = self.stack.pop() {
            let Some(left) = visits.checked_sub(1) else {
                return false;
            };
            *visits = left;
            let (na, nb) = (&nodes_a[ia as usize], &nodes_b[ib as usize]);
            let moved = a.tree.obb(ia);
            let moved = Obb {
                center: motion.point(&moved.center),
                axes: motion.rotation * moved.axes,
                ..moved
            };
            if !overlap(&moved, &b.tree.obb(ib)) {
                continue;
            }
            match (na.is_leaf(), nb.is_leaf()) {
                (true, true) => {
                    let (la, lb) = (a.leaf(na.triangle()), b.leaf(nb.triangle()));
                    let corners = la.corners.each_ref().map(|p| motion.point(p));
                    if triangles_intersect(&corners, &lb.corners) {
                        self.pairs.push((la.triangle, lb.triangle));
                        if self.pairs.len() >= most {
                            return true;
                        }
                    }
                }
                (false, leaf) if leaf || na.size() > nb.size() => {
                    self.stack.push((na.children() + 1, ib));
                    self.stack.push((na.children(), ib));
                }
                _ => {
                    self.stack.push((ia, nb.children() + 1));
                    self.stack.push((ia, nb.children()));
                }
            }
        }
        true
    }
}

/// Returns whether two closed triangles have a point in common: whether a side of one passes
/// through the other or, if they are coplanar, whether no side separates them.
#[must_use]
pub fn triangles_intersect(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    // For two triangles in nearly one plane, the tests below see only signs of rounding errors.
    if beside(a, b) || beside(b, a) {
        return false;
    }
    let sides = |t: &[Vec3; 3], other: &[Vec3; 3]| {
        (0..3).any(|i| segment_meets(&t[i], &t[(i + 1) % 3], other))
    };
    if sides(a, b) || sides(b, a) {
        return true;
    }
    let n = (b[1] - b[0]).cross(&(b[2] - b[0]));
    let flat = a.iter().all(|p| n.dot(&(p - b[0])) == 0.0);
    // A triangle without area consists of its sides only.
    flat && n.norm_squared() > 0.0 && touch_in_plane(a, b, &n)
}

/// Whether a side of `t`, extended across its plane, has all of the other triangle beyond it, by
/// more than rounding.
fn beside(t: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    (0..3).any(|i| {
        let out = (t[(i + 1) % 3] - t[i]).cross(&n);
        let is_beyond = |p: &Vec3| {
            let d = p - t[i];
            out.dot(&d) > 16.0 * f64::EPSILON * out.amax() * d.amax()
        };
        other.iter().all(is_beyond)
    })
}

/// Whether a segment crosses the plane of a triangle inside the triangle.
fn segment_meets(p: &Vec3, q: &Vec3, tri: &[Vec3; 3]) -> bool {
    let n = (tri[1] - tri[0]).cross(&(tri[2] - tri[0]));
    let (from, to) = (n.dot(&(p - tri[0])), n.dot(&(q - tri[0])));
    if !(from <= 0.0 && to >= 0.0 || from >= 0.0 && to <= 0.0) || from == to {
        return false;
    }
    // All sides turn the same way as seen along the segment, or meet it.
    let d = q - p;
    let turn = |i: usize| d.dot(&(tri[i] - p).cross(&(tri[(i + 1) % 3] - p)));
    let [x, y, z] = [turn(0), turn(1), turn(2)];
    x >= 0.0 && y >= 0.0 && z >= 0.0 || x <= 0.0 && y <= 0.0 && z <= 0.0
}

/// For two coplanar triangles, projected along the largest component of their normal: no line of a
/// side separates them.
fn touch_in_plane(a: &[Vec3; 3], b: &[Vec3; 3], n: &Vec3) -> bool {
    let (i, j) = match n.iamax() {
        0 => (1, 2),
        1 => (2, 0),
        _ => (0, 1),
    };
    let separates = |t: &[Vec3; 3], other: &[Vec3; 3]| {
        (0..3).any(|k| {
            let (p, q, r) = (&t[k], &t[(k + 1) % 3], &t[(k + 2) % 3]);
            let side = |x: &Vec3| (q[i] - p[i]) * (x[j] - p[j]) - (q[j] - p[j]) * (x[i] - p[i]);
            let own = side(r);
            other.iter().all(|x| side(x) * own < 0.0)
        })
    };
    !separates(a, b) && !separates(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Quat, shapes};

    #[test]
    fn triangles_by_hand() {
        let t = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let at = |d: Vec3, turn: Vec3| t.map(|p| Quat::from_scaled_axis(turn) * p + d);
        let quarter = Vec3::x() * std::f64::consts::FRAC_PI_2;
        assert!(triangles_intersect(
            &t,
            &at(Vec3::new(0.2, 0.2, -0.5), quarter)
        ));
        assert!(!triangles_intersect(
            &t,
            &at(Vec3::new(0.2, 0.2, 0.1), quarter)
        ));
        assert!(!triangles_intersect(
            &t,
            &at(Vec3::new(0.7, 0.7, -0.5), quarter)
        ));
        assert!(!triangles_intersect(
            &t,
            &at(Vec3::z() * 1e-9, Vec3::zeros())
        ));
        // Coplanar: inside, crossing, touching, apart.
        assert!(triangles_intersect(
            &t,
            &t.map(|p| p * 0.1 + Vec3::new(0.2, 0.2, 0.0))
        ));
        assert!(triangles_intersect(
            &t,
            &at(Vec3::new(0.3, 0.3, 0.0), Vec3::zeros())
        ));
        assert!(triangles_intersect(&t, &at(Vec3::x(), Vec3::zeros())));
        assert!(!triangles_intersect(
            &t,
            &at(Vec3::x() * 1.1, Vec3::zeros())
        ));
        assert!(!triangles_intersect(
            &t,
            &at(Vec3::repeat(f64::NAN), Vec3::zeros())
        ));
    }

    #[test]
    fn triangles_of_one_plane_that_are_apart_do_not_intersect_however_it_is_rounded() {
        // Strips of one bent plate, 1.5 mm apart: rounding puts corners on either side of the
        // plane.
        let mut seed: u64 = 3;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for _ in 0..1000 {
            let (low, high) = ([random(), random()], [random(), random()]);
            let at = |x: f64, up: bool| {
                let [y, z] = if up { high } else { low };
                Vec3::new(x * 1e-3, y, z)
            };
            let a = [at(-105.0, false), at(-100.0, true), at(-100.0, false)];
            let b = [at(-98.5, false), at(-98.5, true), at(-93.0, true)];
            assert!(!triangles_intersect(&a, &b), "{a:?} {b:?}");
            assert!(triangles_intersect(&a, &a));
        }
    }

    #[test]
    fn the_tree_finds_what_every_pair_tried_finds() {
        let a = MeshIndex::new(shapes::torus(0.3, 0.1, 12, 6).unwrap());
        let b = MeshIndex::new(shapes::icosphere(0.25, 2).unwrap());
        let (mesh_a, mesh_b) = (a.mesh().unwrap(), b.mesh().unwrap());
        let mut all = Intersections::default();
        let mut found = 0;
        for k in 0..20 {
            let x = f64::from(k);
            let turn = Quat::from_scaled_axis(Vec3::new(0.3 * x, 0.1, -0.2 * x));
            let pose = Pose::from_parts(Vec3::new(0.05 * x, 0.1, 0.02 * x).into(), turn);
            let rigid = Rigid::new(&pose);
            let mut expected = Vec::new();
            for i in 0..mesh_a.triangles().len() {
                let t = mesh_a.triangle(i).map(|p| rigid.point(&p));
                for j in 0..mesh_b.triangles().len() {
                    if triangles_intersect(&t, &mesh_b.triangle(j)) {
                        expected.push((i as u32, j as u32));
                    }
                }
            }
            found += expected.len();
            assert_eq!(all.all(&a, &b, &pose), expected);
            assert_eq!(all.any(&a, &b, &pose), !expected.is_empty());
        }
        assert!(found > 300, "{found}");
    }
}
