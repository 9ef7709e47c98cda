//! Geodesics: shortest paths in the free space, by pulling strings; the binary trees of them; where
//! the root's is pinned.
//!
//! Merckx and Moerenhout after Basch, Erickson, Guibas, Hershberger and Zhang: each node of a tree
//! stands for consecutive edges of a polygon and has the shortest path between their two ends that
//! can be deformed into them without touching either polygon.

use super::graph::Graph;
use super::signs::Signs;

/// Pulls at one string, for each of its vertices and those of the polygons, squared: more than any
/// takes.
const MAX_PULLS: usize = 16;

/// A node of a polygon's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// None of a leaf, which is an edge.
    pub(super) children: Option<[u32; 2]>,
    /// From the first vertex of the edges to the last, both among them.
    pub(super) path: Vec<u32>,
}

/// All geodesics.
#[derive(Clone, Debug, Default)]
pub(super) struct Geodesics {
    /// Of both trees, children before parents.
    pub(super) nodes: Vec<Node>,
    /// The nodes of the whole polygons.
    pub(super) tops: [u32; 2],
    /// The root's, from the pin to the pin; empty while there is no pin.
    pub(super) root: Vec<u32>,
}

impl Geodesics {
    /// Those that are no single edges, and the root's.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Vec<u32>> {
        let inner = self.nodes.iter().filter(|n| n.children.is_some());
        inner.map(|n| &n.path).chain([&self.root])
    }

    pub(super) fn paths_mut(&mut self) -> impl Iterator<Item = &mut Vec<u32>> {
        let inner = (self.nodes.iter_mut()).filter(|n| n.children.is_some());
        inner.map(|n| &mut n.path).chain([&mut self.root])
    }

    /// A polygon's relative hull: from where its tree begins all round to there.
    pub(super) fn hull(&self, body: usize) -> &[u32] {
        &self.nodes[self.tops[body] as usize].path
    }

    /// The bends at these vertices whose outer side is divided by another edge, written so that
    /// they turn left, each once; only those that can ever change.
    pub(super) fn split_bends(
        &self,
        graph: &Graph,
        signs: &Signs<'_>,
        at: impl Fn(u32) -> bool,
    ) -> Vec<[u32; 3]> {
        let mut found: Vec<[u32; 3]> = Vec::new();
        for path in self.paths() {
            for w in path.windows(3).filter(|w| at(w[1])) {
                let [u, v, x] = [w[0], w[1], w[2]];
                if signs.polygons.corner([u, v, x], true).is_none() {
                    continue;
                }
                let [u, x] = if signs.left(u, v, x) { [u, x] } else { [x, u] };
                // A left turn's outer side is on the right: from `u` counter-clockwise to `x`.
                if !graph.are_neighbours(v, u, x) && !found.contains(&[u, v, x]) {
                    found.push([u, v, x]);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// Pulls a path tight; its ends stay. None if it does not become tight: the vertices are in no
/// general position.
pub(super) fn taut(signs: &Signs<'_>, mut path: Vec<u32>) -> Option<Vec<u32>> {
    let mut pulls = MAX_PULLS * (path.len() + signs.count() as usize).pow(2);
    let mut k = 1;
    while k + 1 < path.len() {
        pulls = pulls.checked_sub(1)?;
        let [u, v, x] = [path[k - 1], path[k], path[k + 1]];
        if u == v || v == x {
            path.remove(k);
        } else if u == x {
            // There and back.
            path.drain(k..=k + 1);
        } else if signs.is_anchored(u, v, x) {
            k += 1;
            continue;
        } else {
            path.splice(k..=k, signs.chain(u, v, x));
        }
        k = (k - 1).max(1);
    }
    (path.len() > 1).then_some(path)
}

/// The vertices of a body in the order of its leaves: counter-clockwise from a vertex of its own
/// convex hull, which it comes back to. Otherwise the loop round the body would have a cusp there,
/// and cells four corners.
pub(super) fn leaf_order(signs: &Signs<'_>, body: usize) -> Vec<u32> {
    let polygons = signs.polygons;
    let (first, end) = (polygons.first[body], polygons.first[body + 1]);
    let place = |v: u32| polygons.local[v as usize];
    let start = (first..end).fold(first, |best, v| {
        let (a, b) = (place(v), place(best));
        if a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).is_lt() {
            v
        } else {
            best
        }
    });
    (start..end).chain(first..=start).collect()
}

/// Adds the nodes over the edges between these vertices, children first. The number of the last.
pub(super) fn add_tree(signs: &Signs<'_>, order: &[u32], nodes: &mut Vec<Node>) -> Option<u32> {
    let edges = order.len() - 1;
    let node = if edges == 1 {
        Node {
            children: None,
            path: order.to_vec(),
        }
    } else {
        let middle = edges.div_ceil(2);
        let left = add_tree(signs, &order[..=middle], nodes)?;
        let right = add_tree(signs, &order[middle..], nodes)?;
        let mut path = nodes[left as usize].path.clone();
        path.extend_from_slice(&nodes[right as usize].path[1..]);
        Node {
            children: Some([left, right]),
            path: taut(signs, path)?,
        }
    };
    nodes.push(node);
    Some(nodes.len() as u32 - 1)
}

/// The trees of both bodies, without a root.
pub(super) fn trees(signs: &Signs<'_>) -> Option<Geodesics> {
    let mut made = Geodesics::default();
    for (body, top) in made.tops.iter_mut().enumerate() {
        *top = add_tree(signs, &leaf_order(signs, body), &mut made.nodes)?;
    }
    Some(made)
}

/// The root's geodesic: round the second body, pinned at a vertex of the first. None if no two
/// vertices see each other.
///
/// The pin and where the tether from it ends are the closest vertices of the two bodies, each on
/// its own body's relative hull, that see each other past all edges. The closest of all vertices
/// would let the pin sit in a pocket.
pub(super) fn root(signs: &Signs<'_>, trees: &Geodesics, graph: &Graph) -> Option<Vec<u32>> {
    let own = |body: usize| {
        (trees.hull(body)[1..].iter().copied())
            .filter(move |&v| signs.polygons.owner[v as usize] as usize == body)
    };
    let mut pairs: Vec<(f64, u32, u32)> = (own(0))
        .flat_map(|v| own(1).map(move |q| (signs.distance(v, q), v, q)))
        .collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (_, v, q) = (pairs.into_iter()).find(|&(_, v, q)| {
        !signs.enters(v, q) && !signs.enters(q, v) && graph.is_free(signs, [v, q])
    })?;
    let (first, end) = (signs.polygons.first[1], signs.polygons.first[2]);
    let path = [v].into_iter().chain(q..end).chain(first..=q).chain([v]);
    taut(signs, path.collect())
}
