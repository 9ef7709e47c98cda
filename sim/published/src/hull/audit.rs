//! Audit of everything that a hull stores, against the points at one time.

use super::{NONE, Node, SLOTS, UpperHull, Vertex};
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
            return self.fault(0, "the count of live certificates is wrong");
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

    /// Audits the list of one node from left to right. Returns the number of its live certificates.
    fn audit_list(&self, node: u32, at: &Self) -> Result<u64, Inconsistent> {
        let n = &self.nodes[node as usize];
        let mut audit = ListAudit {
            hull: self,
            at,
            n,
            is_collector: node == self.collector,
            current: [n.edges[0][0], n.edges[1][0]],
            count: 0,
            live: 0,
        };
        let mut v = n.ends[0];
        loop {
            let vertex = self.vertices[v as usize];
            if vertex.node != node {
                return at.fault(vertex.a, "a vertex is in a list that is not its own");
            }
            if vertex.a != NONE {
                audit.vertex(v, &vertex)?;
            } else if !audit.is_collector {
                audit.end(&vertex)?;
            }
            for slot in 0..SLOTS {
                audit.slot(v, &vertex, slot)?;
            }
            if vertex.next == NONE {
                break;
            }
            audit.order(v, &vertex)?;
            v = vertex.next;
        }
        audit.finish(v)?;
        Ok(audit.live)
    }
}

/// Whether a predicate that should hold fails by more than rounding.
fn is_wrong(f: &Predicate) -> bool {
    f.value.c[0] < -CLEAR * f.terms.c[0]
}

/// The audit of one list, on its way from left to right.
struct ListAudit<'h> {
    hull: &'h UpperHull,
    /// The points at the time of the audit.
    at: &'h UpperHull,
    n: &'h Node,
    /// The collector merges nothing: it has one envelope.
    is_collector: bool,
    /// Edge of each envelope at the place that the audit has reached.
    current: [u32; 2],
    /// Vertices so far.
    count: usize,
    /// Live certificates so far.
    live: u64,
}

impl ListAudit<'_> {
    /// Audits a vertex: it continues its envelope, which is convex, and is on its side of the other
    /// envelope.
    fn vertex(&mut self, v: u32, vertex: &Vertex) -> Result<(), Inconsistent> {
        let at = self.at;
        self.count += 1;
        let (a, b, c) = (vertex.a, vertex.b, vertex.colour as usize);
        if self.n.map.get(&(a, b)) != Some(&v) {
            return at.fault(a, "a vertex is not in the map");
        }
        if self.current[c] != a {
            return at.fault(a, "an envelope has a gap");
        }
        if is_wrong(&at.steeper(a, b)) {
            return at.fault(a, "an envelope is not convex");
        }
        self.current[c] = b;
        if self.is_collector {
            return Ok(());
        }
        if vertex.ce != self.current[1 - c] {
            return at.fault(a, "a contender is not the other envelope's edge here");
        }
        let f = at.above((a, b), vertex.ce);
        if is_wrong(&if vertex.top as usize == c { f } else { -f }) {
            return at.fault(a, "a vertex is on the wrong side of the other envelope");
        }
        Ok(())
    }

    /// Audits which envelope is above at an end.
    fn end(&self, vertex: &Vertex) -> Result<(), Inconsistent> {
        let top = vertex.top as usize;
        let side = usize::from(vertex.prev != NONE);
        let (upper, lower) = (self.n.edges[top][side], self.n.edges[1 - top][side]);
        let f = if side == 0 {
            self.at.steeper(upper, lower)
        } else {
            self.at.steeper(lower, upper)
        };
        if is_wrong(&f) {
            return (self.at).fault(upper, "the wrong envelope is above at an end");
        }
        Ok(())
    }

    /// Audits one certificate slot: an event has a certificate, and the right types are live.
    fn slot(&mut self, v: u32, vertex: &Vertex, slot: usize) -> Result<(), Inconsistent> {
        let hull = self.hull;
        self.live += u64::from(vertex.live[slot] != 0);
        if vertex.live[slot] == 0
            && hull.queue.time_of(SLOTS as u32 * v + slot as u32) < f64::INFINITY
        {
            return (self.at).fault(vertex.a, "an event without a certificate");
        }
        // Slopes near zero are decided by what comes after now; another decision may differ, so
        // skip these.
        if self.is_clear(&hull.named(v, slot)) {
            let types = hull.certificate(v, slot).map_or(0, |c| c.1) & !hull.disabled;
            if types != vertex.live[slot] {
                return (self.at).fault(
                    vertex.a,
                    "a certificate is live that should not be, or the other way round",
                );
            }
        }
        Ok(())
    }

    /// Whether the slopes of these lines differ by more than rounding.
    fn is_clear(&self, named: &[u32; 4]) -> bool {
        named.iter().all(|&i| {
            named.iter().all(|&k| {
                let f = || self.hull.steeper(i, k);
                i == NONE || k == NONE || i == k || f().value.c[0].abs() > CLEAR * f().terms.c[0]
            })
        })
    }

    /// Audits that the next vertex is linked back, and right of this one.
    fn order(&self, v: u32, vertex: &Vertex) -> Result<(), Inconsistent> {
        let next = &self.hull.vertices[vertex.next as usize];
        if next.prev != v {
            return (self.at).fault(vertex.a, "a list is broken");
        }
        if vertex.a != NONE
            && next.a != NONE
            && is_wrong(&self.at.left_of((vertex.a, vertex.b), (next.a, next.b)))
        {
            return (self.at).fault(vertex.a, "a list is not from left to right");
        }
        Ok(())
    }

    /// Audits that list and envelopes end with `v`, where they should.
    fn finish(&self, v: u32) -> Result<(), Inconsistent> {
        if v != self.n.ends[1] || self.count != self.n.map.len() {
            return (self.at).fault(0, "a list does not end where it should");
        }
        let last = [0, 1].map(|c| self.n.edges[c][1]);
        if self.current[0] != last[0] || (!self.is_collector && self.current[1] != last[1]) {
            return (self.at).fault(last[0], "an envelope does not end with its last edge");
        }
        Ok(())
    }
}
