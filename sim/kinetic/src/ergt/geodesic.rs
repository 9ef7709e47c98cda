//! Geodesics: shortest paths in free space, by pulling strings tight; their binary trees; the pin
//! of the root.
//!
//! Merckx and Moerenhout after Basch, Erickson, Guibas, Hershberger and Zhang. Each node of a tree
//! stands for consecutive edges of a polygon. It has the shortest path between their two ends that
//! can be deformed into them without touching either polygon.

use super::graph::Graph;
use super::signs::Signs;

/// Factor of the limit on pulls at one string, times the square of the number of its vertices and
/// the polygons'. No string takes as many.
const MAX_PULLS: usize = 16;

/// A node of a polygon's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// `None` for a leaf, which is an edge.
    pub(super) children: Option<[u32; 2]>,
    /// From the first vertex of the edges to the last, both included.
    pub(super) path: Vec<u32>,
}

/// All geodesics.
#[derive(Clone, Debug, Default)]
pub(super) struct Geodesics {
    /// Nodes of both trees, children before parents.
    pub(super) nodes: Vec<Node>,
    /// Nodes of the whole polygons.
    pub(super) tops: [u32; 2],
    /// The root's path, from the pin to the pin; empty while there is no pin.
    pub(super) root: Vec<u32>,
}

impl Geodesics {
    /// Returns the paths of all nodes that are not leaves, and the root's.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Vec<u32>> {
        let inner = self.nodes.iter().filter(|n| n.children.is_some());
        inner.map(|n| &n.path).chain([&self.root])
    }

    pub(super) fn paths_mut(&mut self) -> impl Iterator<Item = &mut Vec<u32>> {
        let inner = (self.nodes.iter_mut()).filter(|n| n.children.is_some());
        inner.map(|n| &mut n.path).chain([&mut self.root])
    }

    /// Returns a polygon's relative hull: all the way round from the start of its tree and back to
    /// it.
    pub(super) fn hull(&self, body: usize) -> &[u32] {
        &self.nodes[self.tops[body] as usize].path
    }

    /// Returns the bends at these vertices where another edge divides the outer side, written so
    /// that they turn left, each once. Includes only those that can ever change.
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
                // The outer side of a left turn is on the right: from `u` counter-clockwise to `x`.
                if !graph.are_neighbours(v, u, x) && !found.contains(&[u, v, x]) {
                    found.push([u, v, x]);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// Pulls a path tight; its ends stay. `None` if it does not become tight: the vertices are not in
/// general position.
pub(super) fn pull_tight(signs: &Signs<'_>, mut path: Vec<u32>) -> Option<Vec<u32>> {
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

/// Returns the vertices of a body in the order of its leaves: counter-clockwise from a vertex of
/// its own convex hull and back to it. From another start, the loop around the body would have a
/// cusp there, and cells would have four corners.
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

/// Adds the nodes over the edges between these vertices, children first. Returns the index of the
/// last.
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
            path: pull_tight(signs, path)?,
        }
    };
    nodes.push(node);
    Some(nodes.len() as u32 - 1)
}

/// Builds the trees of both bodies, without a root.
pub(super) fn trees(signs: &Signs<'_>) -> Option<Geodesics> {
    let mut made = Geodesics::default();
    for (body, top) in made.tops.iter_mut().enumerate() {
        *top = add_tree(signs, &leaf_order(signs, body), &mut made.nodes)?;
    }
    Some(made)
}

/// Returns the root's geodesic: around the second body, pinned at a vertex of the first. `None` if
/// no two vertices see each other.
///
/// The pin and the end of its tether are the closest vertices of the two bodies, each on its own
/// body's relative hull, that see each other past all edges. The closest of all vertices could
/// place the pin in a pocket.
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
    pull_tight(signs, path.collect())
}
