//! Audit of everything that a hull stores, against the points at one time.

use super::{NONE, SLOTS, UpperHull};
use hapticd_kinetic::kinetic::Inconsistent;
use hapticd_kinetic::polynomial::Predicate;

/// Threshold above which a value is clear of rounding, relative to its terms.
const CLEAR: f64 = 1e-7;

impl UpperHull {
    pub(super) fn audit_all(&self, t: f64) -> Result<(), Inconsistent> {
        let mut at = self.clone_points();
        at.now = t;
        let mut live = 0;
        for node in 0..self.nodes.len() as u32 {
            live += self.audit_list(node, &at)?;
        }
        if live != self.live {
            return self.fault(0, "live certificates are not as many as were counted");
        }
        Ok(())
    }

    /// The points alone, for evaluation at another time.
    fn clone_points(&self) -> Self {
        Self {
            points: self.points.clone(),
            nodes: Vec::new(),
            collector: NONE,
            leaf: Vec::new(),
            vertices: Vec::new(),
            free: Vec::new(),
            queue: Default::default(),
            now: self.now,
            horizon: self.horizon,
            livelock: self.livelock,
            live: 0,
            cost: self.cost,
            external: false,
            disabled: 0,
            stats: self.stats.clone(),
        }
    }

    fn audit_list(&self, node: u32, at: &Self) -> Result<u64, Inconsistent> {
        let fault = |object, what| {
            Err(Inconsistent {
                time: at.now,
                object,
                what,
            })
        };
        let wrong = |f: &Predicate| f.value.c[0] < -CLEAR * f.terms.c[0];
        let n = &self.nodes[node as usize];
        let is_collector = node == self.collector;
        let mut current = [n.edges[0][0], n.edges[1][0]];
        let (mut v, mut count, mut live) = (n.ends[0], 0, 0);
        loop {
            let vertex = self.vertices[v as usize];
            if vertex.node != node {
                return fault(vertex.a, "a vertex is in a list that is not its own");
            }
            let top = vertex.top as usize;
            if vertex.a != NONE {
                count += 1;
                let (a, b, c) = (vertex.a, vertex.b, vertex.colour as usize);
                if n.map.get(&(a, b)) != Some(&v) {
                    return fault(a, "a vertex is not in the map");
                }
                if current[c] != a {
                    return fault(a, "an envelope has a gap");
                }
                if wrong(&at.steeper(a, b)) {
                    return fault(a, "an envelope is not convex");
                }
                current[c] = b;
                if !is_collector {
                    if vertex.ce != current[1 - c] {
                        return fault(a, "a contender is not the other envelope's edge here");
                    }
                    let f = at.above((a, b), vertex.ce);
                    if wrong(&if top == c { f } else { -f }) {
                        return fault(a, "a vertex is on the wrong side of the other envelope");
                    }
                }
            } else if !is_collector {
                let side = usize::from(vertex.prev != NONE);
                let (upper, lower) = (n.edges[top][side], n.edges[1 - top][side]);
                let f = if side == 0 {
                    at.steeper(upper, lower)
                } else {
                    at.steeper(lower, upper)
                };
                if wrong(&f) {
                    return fault(upper, "the wrong envelope is above at an end");
                }
            }
            for slot in 0..SLOTS {
                live += u64::from(vertex.live[slot] != 0);
                if vertex.live[slot] == 0
                    && self.queue.time_of(SLOTS as u32 * v + slot as u32) < f64::INFINITY
                {
                    return fault(vertex.a, "an event without a certificate");
                }
                // Slopes near zero are decided by what comes after now; another decision may
                // differ, so skip these.
                let named = self.named(v, slot);
                let is_clear = named.iter().all(|&i| {
                    named.iter().all(|&k| {
                        let f = || self.steeper(i, k);
                        i == NONE
                            || k == NONE
                            || i == k
                            || f().value.c[0].abs() > CLEAR * f().terms.c[0]
                    })
                });
                if is_clear {
                    let types = self.certificate(v, slot).map_or(0, |c| c.1) & !self.disabled;
                    if types != vertex.live[slot] {
                        return fault(
                            vertex.a,
                            "a certificate is live that should not be, or the other way round",
                        );
                    }
                }
            }
            if vertex.next == NONE {
                break;
            }
            let next = self.vertices[vertex.next as usize];
            if next.prev != v {
                return fault(vertex.a, "a list is broken");
            }
            if vertex.a != NONE
                && next.a != NONE
                && wrong(&at.left_of((vertex.a, vertex.b), (next.a, next.b)))
            {
                return fault(vertex.a, "a list is not from left to right");
            }
            v = vertex.next;
        }
        if v != n.ends[1] || count != n.map.len() {
            return fault(0, "a list does not end where it should");
        }
        let last = [0, 1].map(|c| n.edges[c][1]);
        if current[0] != last[0] || (!is_collector && current[1] != last[1]) {
            return fault(last[0], "an envelope does not end with its last edge");
        }
        Ok(live)
    }
}
