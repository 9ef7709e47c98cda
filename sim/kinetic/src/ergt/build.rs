//! Building the structure from scratch: trees, pin, edges, certificates; its cells, optionally with
//! the convex hull's edges.

use super::geodesic::{root, trees};
use super::graph::Graph;
use super::signs::Signs;
use super::{Cell, GeodesicTriangulation};
use crate::kinetic::Inconsistent;
use crate::polygons::{length, minus};

/// Distance at which a vertex touches an edge, as a share of the magnitude of the coordinates.
const TOUCHING: f64 = 1e-12;

/// Returns twice the area enclosed by a closed chain of vertices.
pub(super) fn doubled_area(signs: &Signs<'_>, chain: &[u32]) -> f64 {
    (0..chain.len())
        .map(|k| signs.area(chain[k], chain[(k + 1) % chain.len()]))
        .sum()
}

/// Returns the first vertex that lies on an edge of the other body.
fn touching(signs: &Signs<'_>) -> Option<u32> {
    let polygons = signs.polygons;
    (0..signs.count()).find(|&m| {
        let p = signs.place(m);
        (0..signs.count()).any(|a| {
            if polygons.owner[a as usize] == polygons.owner[m as usize] {
                return false;
            }
            let (q, r) = (signs.place(a), signs.place(polygons.beside(a)[0]));
            let (along, off) = (minus(r, q), minus(p, q));
            let share = (along[0] * off[0] + along[1] * off[1]) / length(along).powi(2);
            let share = share.clamp(0.0, 1.0);
            let foot = minus(off, along.map(|x| share * x));
            length(foot) <= TOUCHING * (1.0 + length(p) + length(q))
        })
    })
}

impl GeodesicTriangulation {
    /// Rebuilds everything for the current time. With `n` vertices `O(n^3)` at worst.
    pub(super) fn build(&mut self) -> Result<(), Inconsistent> {
        let signs = Signs::new(&self.state.polygons, self.state.now, None);
        if let Some(v) = touching(&signs) {
            return self.state.fault(v, "the polygons touch");
        }
        let Some(mut made) = trees(&signs) else {
            return self.state.fault(0, "a geodesic does not become tight");
        };
        let mut graph = Graph::new(signs.count());
        let placed = (0..2).try_for_each(|body| {
            let [first, end] = [0, 1].map(|k| self.state.polygons.first[body + k]);
            graph.add_polygon(&signs, first, end)
        });
        // The root's path is still empty.
        let placed = placed.and_then(|()| made.paths().try_for_each(|p| graph.add_path(&signs, p)));
        if placed.is_none() {
            return self
                .state
                .fault(0, "an edge has no place beside the others");
        }
        let Some(path) = root(&signs, &made, &graph) else {
            return self
                .state
                .fault(0, "no two vertices of the relative hulls see each other");
        };
        if graph.add_path(&signs, &path).is_none() {
            return self
                .state
                .fault(path[0], "an edge has no place beside the others");
        }
        made.root = path;
        graph.resolve(&signs);
        let bends = made.split_bends(&graph, &signs, |_| true);
        self.state.queue.clear();
        self.live.clear();
        self.state.live = 0;
        self.bends.clear();
        (self.geodesics, self.graph) = (made, graph);
        self.settle(bends, |_| true);
        self.state.count_sizes();
        self.audit_all(self.state.now)
    }

    /// Returns the cells of the subdivision at the current time.
    ///
    /// With `lids`, the edges of the convex hull of both polygons are added. Then the cells, except
    /// the one outside of everything, cover exactly the space between the polygons and that hull.
    ///
    /// # Errors
    /// The vertices are not in general position.
    pub fn cells(&self, lids: bool) -> Result<Vec<Cell>, Inconsistent> {
        let signs = self.signs(self.state.now);
        let mut graph = self.graph.clone();
        if lids {
            for segment in hull(&signs) {
                if graph.add(&signs, segment).is_none() {
                    return self
                        .state
                        .fault(segment[0], "an edge of the hull has no place");
                }
            }
        }
        let cell = |face: Vec<u32>| {
            let corners = face.iter().map(|&h| graph.corner(h));
            let chain: Vec<u32> = face.iter().map(|&h| graph.half(h).origin).collect();
            Cell {
                vertices: self.names(&chain),
                corners: corners
                    .filter(|&[u, v, x]| u != x && signs.left(u, v, x))
                    .count(),
                area: 0.5 * doubled_area(&signs, &chain),
            }
        };
        Ok(graph.faces().into_iter().map(cell).collect())
    }

    /// Turns just after `t`, or just before the current contact, if there is one.
    pub(super) fn signs(&self, t: f64) -> Signs<'_> {
        let mut signs = Signs::new(&self.state.polygons, t, None);
        signs.before = self.state.contact.is_some();
        signs
    }
}

/// Returns the edges of the convex hull of all vertices, counter-clockwise.
fn hull(signs: &Signs<'_>) -> Vec<[u32; 2]> {
    let lowest = (0..signs.count()).min_by(|&a, &b| {
        let [p, q] = [a, b].map(|v| signs.place(v));
        p[1].total_cmp(&q[1]).then(p[0].total_cmp(&q[0]))
    });
    let Some(start) = lowest else {
        return Vec::new();
    };
    let mut edges: Vec<[u32; 2]> = Vec::new();
    let mut last = start;
    while edges.len() < signs.count() as usize {
        let next = (0..signs.count())
            .filter(|&w| w != last)
            .reduce(|best, w| if signs.left(last, w, best) { w } else { best });
        let Some(next) = next else { break };
        edges.push([last, next]);
        last = next;
        if last == start {
            break;
        }
    }
    edges
}
