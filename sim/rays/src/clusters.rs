//! Clusters of points that are near each other *along* the surface (Lehericey 2016, chapter 4,
//! section 4.1).
//!
//! # Theory
//!
//! k-means on the graph of the edges with their rest lengths. Distances are shortest paths, so
//! clusters are connected and stay together when the surface folds. The centre of a cluster is its
//! medoid: the member with the smallest sum of distances to the others.
//!
//! # Practice
//!
//! Each seed is placed farthest from those before it; every connected part of the surface gets its
//! own. A few iterations suffice, since the seeds are already spread out. The point that is
//! farthest from the seeds comes from a heap of the distances, which gets each that is lowered: a
//! seed costs what it is nearest to, and not a look at every point. Clusters are built once,
//! off-line; a mesh of a hundred thousand points takes seconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hapticd_geometry::{Adjacency, TriMesh, VertexEdges};

use crate::layout::NONE;
use crate::lists::Lists;

/// Largest number of iterations of assignment and new centres.
const ROUNDS: usize = 8;

/// Assignment of points to clusters. Every point of a triangle is in one.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// Cluster of each point; 0 for points that belong to no triangle.
    pub of_point: Vec<u32>,
    /// Points of each cluster.
    pub points: Lists,
}

impl Clusters {
    /// Number of clusters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// Points of a cluster.
    #[must_use]
    pub fn points_of(&self, cluster: usize) -> &[u32] {
        self.points.of(cluster)
    }

    /// The clusters of a triangle's corners, each once.
    pub(crate) fn of_corners(
        &self,
        corners: [u32; 3],
    ) -> impl Iterator<Item = u32> + Clone + use<> {
        let of = corners.map(|v| self.of_point[v as usize]);
        let is_new = move |k: &usize| !of[..*k].contains(&of[*k]);
        (0..3).filter(is_new).map(move |k| of[k])
    }

    /// Triangles of each cluster, as indices into `triangles`. A triangle is in all clusters of its
    /// corners.
    #[must_use]
    pub fn triangles(&self, triangles: &[[u32; 3]]) -> Lists {
        let entries = (0..).zip(triangles).flat_map(|(t, &corners)| {
            let of = self.of_corners(corners);
            of.map(move |cluster| (cluster, t))
        });
        Lists::new(self.count(), entries)
    }

    /// Lists the points of each cluster; points that belong to no triangle are in no list.
    fn new(of_point: Vec<u32>, used: &[bool], count: usize) -> Clusters {
        let all = (0..).zip(&of_point).zip(used);
        let entries = all.filter(|(_, used)| **used);
        let points = Lists::new(count, entries.map(|((p, &cluster), _)| (cluster, p)));
        Clusters { of_point, points }
    }
}

/// Edges and their lengths, by point.
struct Graph<'a> {
    adjacency: &'a Adjacency,
    around: VertexEdges,
    /// In [`UNIT_M`].
    lengths: Vec<u64>,
}

/// Unit of the integers in which distances are compared, m: a heap of floats would need an order.
const UNIT_M: f64 = 1e-9;

impl<'a> Graph<'a> {
    fn new(mesh: &TriMesh, adjacency: &'a Adjacency) -> Self {
        let at = |v: u32| mesh.positions()[v as usize];
        let lengths = (adjacency.edges.iter()).map(|edge| {
            let [a, b] = edge.vertices;
            (((at(a) - at(b)).norm() / UNIT_M) as u64).max(1)
        });
        Graph {
            adjacency,
            around: adjacency.around_vertices(),
            lengths: lengths.collect(),
        }
    }

    fn around(&self, p: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.around.of(p).iter().map(move |&e| {
            let [a, b] = self.adjacency.edges[e as usize].vertices;
            let other = if a == p { b } else { a };
            (other, self.lengths[e as usize])
        })
    }

    /// Computes shortest paths from the sources, each with its label, over the points that `inside`
    /// accepts. Lowers the values in `distance`, relabels the points that become nearer, and passes
    /// each of them once to `reach`, with its distance.
    fn spread(
        &self,
        sources: &[(u32, u32)],
        (distance, label): (&mut [u64], &mut [u32]),
        inside: impl Fn(u32) -> bool,
        mut reach: impl FnMut(u64, u32),
    ) {
        let mut heap = BinaryHeap::new();
        for &(p, l) in sources {
            distance[p as usize] = 0;
            label[p as usize] = l;
            heap.push(Reverse((0, l, p)));
        }
        while let Some(Reverse((d, l, p))) = heap.pop() {
            if d > distance[p as usize] || l != label[p as usize] {
                continue;
            }
            reach(d, p);
            for (q, length) in self.around(p) {
                let there = d + length;
                if inside(q) && there < distance[q as usize] {
                    distance[q as usize] = there;
                    label[q as usize] = l;
                    heap.push(Reverse((there, l, q)));
                }
            }
        }
    }
}

/// Builds clusters of `per_cluster` points on average; 0 means one cluster.
pub(crate) fn cluster(mesh: &TriMesh, adjacency: &Adjacency, per_cluster: usize) -> Clusters {
    let points = mesh.positions().len();
    let graph = Graph::new(mesh, adjacency);
    let used: Vec<bool> = (0..points as u32)
        .map(|p| !graph.around.of(p).is_empty())
        .collect();
    let count = used.iter().filter(|&&u| u).count();
    let wanted = if per_cluster == 0 {
        1
    } else {
        count.div_ceil(per_cluster)
    };
    if wanted <= 1 {
        return Clusters::new(vec![0; points], &used, 1);
    }
    let mut centres = seeds(&graph, &used, wanted).0;
    let mut label = vec![NONE; points];
    for _ in 0..ROUNDS {
        let mut distance = vec![u64::MAX; points];
        let sources: Vec<(u32, u32)> = centres.iter().copied().zip(0..).collect();
        graph.spread(&sources, (&mut distance, &mut label), |_| true, |_, _| ());
        let new = medoids(&graph, &label, &centres);
        if new == centres {
            break;
        }
        centres = new;
    }
    // After the last round, the labels are those of the previous centres: still connected, still
    // shortest paths.
    let of_point = label
        .iter()
        .map(|&l| if l == NONE { 0 } else { l })
        .collect();
    Clusters::new(of_point, &used, centres.len())
}

/// Returns points as far from each other as possible, at least one on each connected part, and the
/// number of distances that were looked at.
fn seeds(graph: &Graph<'_>, used: &[bool], wanted: usize) -> (Vec<u32>, usize) {
    let mut distance = vec![u64::MAX; used.len()];
    let mut label = vec![NONE; used.len()];
    let mut seeds = Vec::with_capacity(wanted);
    // Of points as far, the one with the smallest index comes first.
    let all = (0..).zip(used).filter(|(_, used)| **used);
    let mut farthest: BinaryHeap<_> = all.map(|(p, _)| (u64::MAX, Reverse(p))).collect();
    let mut looked_at = farthest.len();
    while let Some((d, Reverse(p))) = farthest.pop() {
        if d != distance[p as usize] {
            // It was lowered since, and is in the heap once more.
            continue;
        }
        let new_part = d == u64::MAX;
        if (seeds.len() >= wanted && !new_part) || d == 0 {
            break;
        }
        graph.spread(
            &[(p, seeds.len() as u32)],
            (&mut distance, &mut label),
            |_| true,
            |d, p| {
                farthest.push((d, Reverse(p)));
                looked_at += 1;
            },
        );
        seeds.push(p);
    }
    (seeds, looked_at)
}

/// Returns for each cluster the point with the smallest sum of distances to the others. Searches
/// downhill from the old centre.
fn medoids(graph: &Graph<'_>, label: &[u32], centres: &[u32]) -> Vec<u32> {
    let mut members = vec![Vec::new(); centres.len()];
    for (p, &l) in label.iter().enumerate() {
        if l != NONE {
            members[l as usize].push(p as u32);
        }
    }
    let mut distance = vec![u64::MAX; label.len()];
    let mut dummy = vec![NONE; label.len()];
    // The search comes by the same points again.
    let mut known = vec![None; label.len()];
    let mut sum_from = |centre: u32, cluster: u32| -> u64 {
        if let Some(sum) = known[centre as usize] {
            return sum;
        }
        for &p in &members[cluster as usize] {
            distance[p as usize] = u64::MAX;
            dummy[p as usize] = NONE;
        }
        graph.spread(
            &[(centre, 0)],
            (&mut distance, &mut dummy),
            |q| label[q as usize] == cluster,
            |_, _| (),
        );
        let sum = members[cluster as usize]
            .iter()
            .map(|&p| distance[p as usize])
            .fold(0, u64::saturating_add);
        known[centre as usize] = Some(sum);
        sum
    };
    centres
        .iter()
        .zip(0..)
        .map(|(&centre, cluster)| {
            let mut best = (sum_from(centre, cluster), centre);
            loop {
                let around: Vec<u32> = (graph.around(best.1))
                    .map(|(q, _)| q)
                    .filter(|&q| label[q as usize] == cluster)
                    .collect();
                let next = around
                    .into_iter()
                    .map(|q| (sum_from(q, cluster), q))
                    .min()
                    .filter(|next| next.0 < best.0);
                match next {
                    Some(next) => best = next,
                    None => return best.1,
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Vec3, shapes};

    fn of(mesh: &TriMesh, per_cluster: usize) -> Clusters {
        cluster(mesh, &Adjacency::new(mesh), per_cluster)
    }

    /// Every point is in one cluster, every cluster is connected, every triangle is in the clusters
    /// of its corners.
    fn check(mesh: &TriMesh, clusters: &Clusters) {
        let mut seen = vec![false; mesh.positions().len()];
        let adjacency = Adjacency::new(mesh);
        let around = adjacency.around_vertices();
        for c in 0..clusters.count() {
            let points = clusters.points_of(c);
            assert!(
                !points.is_empty(),
                "cluster {c} of {} is empty",
                clusters.count()
            );
            for &p in points {
                assert_eq!(clusters.of_point[p as usize], c as u32);
                assert!(!std::mem::replace(&mut seen[p as usize], true));
            }
            let mut reached = vec![points[0]];
            let mut i = 0;
            while i < reached.len() {
                for &e in around.of(reached[i]) {
                    for v in adjacency.edges[e as usize].vertices {
                        if clusters.of_point[v as usize] == c as u32 && !reached.contains(&v) {
                            reached.push(v);
                        }
                    }
                }
                i += 1;
            }
            assert_eq!(reached.len(), points.len(), "cluster {c} is in pieces");
        }
        let triangles = clusters.triangles(mesh.triangles());
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for c in 0..clusters.count() {
                let has = corners
                    .iter()
                    .any(|&v| clusters.of_point[v as usize] == c as u32);
                assert_eq!(triangles.of(c).contains(&(t as u32)), has);
            }
        }
        assert!(seen.iter().all(|&s| s));
    }

    #[test]
    fn clusters_are_connected_and_about_as_large_as_asked_for() {
        for (mesh, per_cluster) in [
            (shapes::sheet(0.1, 24).unwrap(), 32),
            (shapes::icosphere(0.1, 3).unwrap(), 48),
            (shapes::torus(0.1, 0.03, 40, 16).unwrap(), 20),
        ] {
            let clusters = of(&mesh, per_cluster);
            check(&mesh, &clusters);
            let wanted = mesh.positions().len().div_ceil(per_cluster);
            assert_eq!(clusters.count(), wanted);
            let largest = (0..wanted).map(|c| clusters.points_of(c).len()).max();
            assert!(largest < Some(3 * per_cluster), "{largest:?}");
        }
    }

    /// Near in space, far along the surface: a strip folded to a hairpin, 1 mm between its halves.
    #[test]
    fn clusters_follow_the_surface_not_the_distance() {
        let n = 20;
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for i in 0..2 * n {
            let (x, z) = if i < n {
                (i, 0.0)
            } else {
                (2 * n - 1 - i, 0.001)
            };
            for y in 0..2 {
                positions.push(Vec3::new(0.01 * f64::from(x), 0.01 * f64::from(y), z));
            }
        }
        for i in 0..2 * n as u32 - 1 {
            let a = 2 * i;
            triangles.push([a, a + 2, a + 1]);
            triangles.push([a + 1, a + 2, a + 3]);
        }
        let mesh = TriMesh::new(positions, triangles).unwrap();
        let clusters = of(&mesh, 16);
        check(&mesh, &clusters);
        // The open ends lie on each other, a millimetre apart, and are not in one cluster.
        assert_ne!(clusters.of_point[0], clusters.of_point[4 * n as usize - 2]);
    }

    #[test]
    fn parts_that_are_not_connected_have_their_own() {
        let one = shapes::sheet(0.1, 3).unwrap();
        let mut positions = one.positions().to_vec();
        let mut triangles = one.triangles().to_vec();
        let n = positions.len() as u32;
        positions.extend(one.positions().iter().map(|p| p + Vec3::z()));
        triangles.extend(one.triangles().iter().map(|t| t.map(|v| v + n)));
        let mesh = TriMesh::new(positions, triangles).unwrap();
        let clusters = of(&mesh, 20);
        check(&mesh, &clusters);
        assert_eq!(clusters.count(), 2);
    }

    /// The import of a client's mesh waits for them: a look at every point for each was 16 times
    /// the work for four times the triangles, and half a minute for a fine mesh.
    #[test]
    fn the_seeds_of_four_times_the_triangles_take_little_more_than_four_times_the_work() {
        let work = |mesh: &TriMesh| {
            let adjacency = Adjacency::new(mesh);
            let graph = Graph::new(mesh, &adjacency);
            let points = mesh.positions().len();
            let used = vec![true; points];
            let wanted = points.div_ceil(16);
            let (found, looked_at) = seeds(&graph, &used, wanted);
            assert_eq!(found, seeds_by_looking_at_all(&graph, &used, wanted));
            looked_at
        };
        for meshes in [32, 64, 128]
            .map(|cells| shapes::sheet(0.1, cells).unwrap())
            .windows(2)
        {
            let [small, large] = [0, 1].map(|k| work(&meshes[k]));
            assert!(large < 6 * small, "{small} and {large}");
        }
        for subdivisions in [2, 3] {
            work(&shapes::icosphere(0.1, subdivisions).unwrap());
        }
    }

    /// The rule of [`seeds`], plainly.
    fn seeds_by_looking_at_all(graph: &Graph<'_>, used: &[bool], wanted: usize) -> Vec<u32> {
        let (mut distance, mut label) = (vec![u64::MAX; used.len()], vec![NONE; used.len()]);
        let mut seeds = Vec::new();
        loop {
            let all = (0..used.len()).filter(|&p| used[p]);
            let farthest = all.max_by_key(|&p| (distance[p], Reverse(p))).unwrap();
            let new_part = distance[farthest] == u64::MAX;
            if (seeds.len() >= wanted && !new_part) || distance[farthest] == 0 {
                return seeds;
            }
            let source = [(farthest as u32, seeds.len() as u32)];
            let places = (&mut distance[..], &mut label[..]);
            graph.spread(&source, places, |_| true, |_, _| ());
            seeds.push(farthest as u32);
        }
    }

    #[test]
    fn the_same_mesh_gives_the_same_clusters_and_none_gives_one() {
        let mesh = shapes::icosphere(0.1, 2).unwrap();
        assert_eq!(of(&mesh, 10).of_point, of(&mesh, 10).of_point);
        let one = of(&mesh, 0);
        check(&mesh, &one);
        assert_eq!(one.count(), 1);
    }
}
