//! Checks everything that is stored against a computation from scratch: links and counts, flags,
//! certificates, cells, crossings, and the geodesics themselves.

use super::GeodesicTriangulation;
use super::build::doubled_area;
use super::geodesic::{Geodesics, trees};
use crate::kinetic::Inconsistent;
use crate::polygons::shape::area;

/// Largest difference between equal areas, as a share of their sum.
const CLEAR: f64 = 1e-9;

impl GeodesicTriangulation {
    pub(super) fn audit_all(&self, t: f64) -> Result<(), Inconsistent> {
        let graph = &self.graph;
        let fault = |v: u32, what| self.state.polygons.fault(v, t, what);
        let signs = self.signs(t);
        let mut segments = vec![0; graph.uses.len()];
        for path in self.geodesics.paths() {
            for s in path.windows(2) {
                let Some(h) = graph.find(s[0], s[1]) else {
                    return fault(s[0], "a geodesic leaves the edges");
                };
                segments[h as usize / 2] += 1;
            }
        }
        for h in graph.used() {
            let half = graph.half(h);
            if graph.half(half.next).prev != h || graph.half(half.prev).next != h {
                return fault(half.origin, "half-edges are not linked both ways");
            }
            if graph.end(h) != graph.half(half.next).origin {
                return fault(
                    half.origin,
                    "a half-edge does not end where the next one begins",
                );
            }
            let uses = graph.uses[h as usize / 2];
            if uses != segments[h as usize / 2] || uses == 0 && !half.obstacle {
                return fault(half.origin, "an edge is not counted as often as it is used");
            }
            if half.interior {
                continue;
            }
            let corner = graph.corner(h);
            let (value, clear) = signs.value(corner);
            if (half.reflex && value > clear) || (!half.reflex && value < -clear) {
                return fault(half.origin, "a corner contradicts its flag");
            }
        }
        let live = (self.slots()).try_fold(0, |count, slot| {
            let is = self.live.get(slot as usize) == Some(&true);
            let should = self.certificate(slot).is_some();
            (is == should).then_some(count + u64::from(is))
        });
        if live != Some(self.state.live) {
            return fault(
                0,
                "a certificate is live that should not be, or the other way round",
            );
        }
        for (k, h) in graph.used().step_by(2).enumerate() {
            let ends = [graph.half(h).origin, graph.end(h)];
            let mut others = graph.used().step_by(2).skip(k + 1);
            if others.any(|o| signs.crosses(ends, [graph.half(o).origin, graph.end(o)])) {
                return fault(ends[0], "two edges cross");
            }
        }
        let (mut outside, mut inside, mut cells) = (0.0, 0.0, 0);
        for face in graph.faces() {
            let chain: Vec<u32> = face.iter().map(|&h| graph.half(h).origin).collect();
            let corners = (face.iter()).filter(|&&h| !graph.half(h).reflex).count();
            let area = 0.5 * doubled_area(&signs, &chain);
            cells += 1;
            if area < 0.0 {
                outside -= area;
            } else {
                inside += area;
                if corners != 3 {
                    return fault(chain[0], "a cell does not have three corners");
                }
            }
        }
        let solid: f64 = self
            .state
            .polygons
            .bodies
            .iter()
            .map(|b| area(&b.shape))
            .sum();
        if !((inside + solid - outside).abs() <= CLEAR * outside) {
            return fault(
                0,
                "areas do not add up to what is inside of the outermost edges",
            );
        }
        let edges = graph.used().count() / 2;
        // Euler: the faces are the cells, including the outer one, and the two polygons.
        if signs.count() as usize + cells + 2 != edges + 2 {
            return fault(0, "the number of vertices, edges or cells is wrong");
        }
        self.audit_geodesics(t)
    }

    /// Checks the geodesics against rebuilt ones.
    ///
    /// The trees' geodesics are the shortest ones. The root's is pinned on the first relative hull
    /// and tight, which makes it the shortest of its kind; the kind depends on when the pin was
    /// chosen. Bends without a corner have certificates.
    fn audit_geodesics(&self, t: f64) -> Result<(), Inconsistent> {
        let fault = |v: u32, what| self.state.polygons.fault(v, t, what);
        let signs = self.signs(t);
        let Some(again) = trees(&signs) else {
            return fault(0, "a geodesic does not become tight");
        };
        let Geodesics { nodes, tops, root } = &self.geodesics;
        if *tops != again.tops {
            return fault(0, "the trees are wrong");
        }
        if let Some((node, _)) = (nodes.iter().zip(&again.nodes)).find(|(a, b)| a != b) {
            return fault(node.path[0], "a geodesic is not the shortest path");
        }
        let Some(&pin) = root.first() else {
            return fault(0, "the root has no geodesic");
        };
        if root.last() != Some(&pin)
            || self.state.polygons.owner[pin as usize] != 0
            || !again.hull(0).contains(&pin)
        {
            return fault(pin, "the pin is not on the relative hull");
        }
        for w in root.windows(3) {
            if w[0] == w[2] || !signs.is_anchored(w[0], w[1], w[2]) {
                return fault(w[1], "the root's geodesic is not tight");
            }
        }
        let wanted = self.geodesics.split_bends(&self.graph, &signs, |_| true);
        let mut have: Vec<_> = self.bends.iter().flatten().copied().collect();
        have.sort_unstable();
        if wanted != have {
            return fault(0, "bends without a corner and certificates do not match");
        }
        Ok(())
    }
}
