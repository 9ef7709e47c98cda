//! Handling of failed certificates, and how a change of a node's envelope propagates up the tree.
//!
//! Decisions come from the state, never from the predicate that has just become zero.

use super::{Certificate, HEIGHT, LEFT, NONE, ORDER, SLOTS, UpperHull};
use hapticd_kinetic::kinetic::{Inconsistent, MAX_STALLED_EVENTS};
use hapticd_kinetic::stats::EventCost;

type Edges = (u32, u32);

/// A change at one end of an envelope: the side (left or right), the vertex that appears or
/// disappears, and the new end edge.
#[derive(Clone, Copy)]
struct End {
    side: usize,
    inserts: bool,
    vertex: Edges,
    edge: u32,
}

/// One or two adjacent vertices of an envelope.
#[derive(Clone, Copy)]
struct AdjacentVertices {
    list: [Edges; 2],
    count: usize,
}

impl AdjacentVertices {
    fn one(v: Edges) -> Self {
        Self {
            list: [v, v],
            count: 1,
        }
    }

    fn two(v: Edges, w: Edges) -> Self {
        Self {
            list: [v, w],
            count: 2,
        }
    }

    fn as_slice(&self) -> &[Edges] {
        &self.list[..self.count]
    }
}

/// Contribution of a vertex `ab` and the edge `e` of the other envelope to the node's own envelope,
/// given whether `ab` is above `e`, and whether the envelopes cross left and right of it. `None` if
/// the combination is impossible.
fn visible(
    (a, b): Edges,
    e: u32,
    above: bool,
    left: bool,
    right: bool,
) -> Option<AdjacentVertices> {
    match (above, left, right) {
        (true, false, false) => Some(AdjacentVertices::one((a, b))),
        (false, true, true) => Some(AdjacentVertices::two((a, e), (e, b))),
        (true, true, false) => Some(AdjacentVertices::two((e, a), (a, b))),
        (false, false, true) => Some(AdjacentVertices::one((e, b))),
        (true, false, true) => Some(AdjacentVertices::two((a, b), (b, e))),
        (false, true, false) => Some(AdjacentVertices::one((a, e))),
        _ => None,
    }
}

impl UpperHull {
    /// Processes the event of a slot, which must be the first in the queue.
    pub(super) fn process(&mut self, slot: u32) -> Result<Certificate, Inconsistent> {
        let (v, which) = (slot / SLOTS as u32, slot as usize % SLOTS);
        let types = self.vertices[v as usize].live[which];
        let most = MAX_STALLED_EVENTS + 4 * self.points.len() as u32;
        if types == 0 || self.livelock.event(self.now, most) {
            return self.fault(self.vertices[v as usize].a, "time stands still");
        }
        let before = self.queue.operations();
        self.cost = EventCost {
            levels: 1,
            ..EventCost::default()
        };
        self.external = false;
        self.queue.remove(slot);
        match which {
            ORDER => self.order_event(v)?,
            HEIGHT => self.height_event(v)?,
            _ => self.slope_event(v, which)?,
        }
        self.cost.queue_operations = (self.queue.operations() - before) as u32;
        let first = types.trailing_zeros() as usize;
        self.stats.event(first, self.external, self.cost);
        self.stats.sizes(self.live, self.queue.len());
        Ok(Certificate::ALL[first])
    }

    /// Two vertices of different envelopes swap: the node's envelope does not change.
    fn order_event(&mut self, v: u32) -> Result<(), Inconsistent> {
        let w = self.vertices[v as usize].next;
        if self.is_end(v) || self.is_end(w) {
            return self.fault(
                self.vertices[v as usize].a,
                "an end of a list changes places",
            );
        }
        let (l, r) = (
            self.vertices[v as usize].prev,
            self.vertices[w as usize].next,
        );
        self.join(l, w);
        self.join(w, v);
        self.join(v, r);
        self.vertices[v as usize].ce = self.vertices[w as usize].b;
        self.vertices[w as usize].ce = self.vertices[v as usize].a;
        for v in [l, w, v, r] {
            self.refresh(v);
        }
        Ok(())
    }

    /// A vertex passes through the other envelope.
    fn height_event(&mut self, v: u32) -> Result<(), Inconsistent> {
        let vertex = self.vertices[v as usize];
        let (left, right) = (self.crossing(vertex.prev, v), self.crossing(v, vertex.next));
        let above = vertex.top == vertex.colour;
        let edges = (vertex.a, vertex.b);
        let old = visible(edges, vertex.ce, above, left, right);
        let new = visible(edges, vertex.ce, !above, !left, !right);
        let (Some(old), Some(new)) = (old, new) else {
            return self.fault(vertex.a, "a vertex goes through where nothing crosses");
        };
        self.vertices[v as usize].top = 1 - vertex.top;
        for v in [vertex.prev, v, vertex.next] {
            self.refresh(v);
        }
        self.replace(vertex.node, old, new)
    }

    /// The two edges of an interval become parallel.
    fn slope_event(&mut self, v: u32, which: usize) -> Result<(), Inconsistent> {
        let vertex = self.vertices[v as usize];
        // An end has one interval; its certificate is in the left slot.
        let leftwards = if vertex.a == NONE {
            vertex.prev != NONE
        } else {
            which == LEFT
        };
        let (u, w) = if leftwards {
            (vertex.prev, v)
        } else {
            (v, vertex.next)
        };
        let node = vertex.node;
        let edges = self.nodes[node as usize].edges;
        let had = self.crossing(u, w);
        let (top_u, top_w) = (
            self.vertices[u as usize].top as usize,
            self.vertices[w as usize].top as usize,
        );
        match (self.is_end(u), self.is_end(w)) {
            (false, false) => {
                self.refresh(u);
                self.refresh(w);
                Ok(())
            }
            (false, true) => {
                self.vertices[w as usize].top = 1 - top_w as u8;
                self.refresh(u);
                self.refresh(w);
                let (x, y) = (edges[top_u][1], edges[1 - top_u][1]);
                self.change_end(
                    node,
                    End {
                        side: 1,
                        inserts: !had,
                        vertex: (x, y),
                        edge: if had { x } else { y },
                    },
                )
            }
            (true, false) => {
                self.vertices[u as usize].top = 1 - top_u as u8;
                self.refresh(u);
                self.refresh(w);
                let (x, y) = (edges[1 - top_w][0], edges[top_w][0]);
                self.change_end(
                    node,
                    End {
                        side: 0,
                        inserts: !had,
                        vertex: (x, y),
                        edge: if had { y } else { x },
                    },
                )
            }
            (true, true) => {
                // Two lines: the less steep one was above on the left, and is now above on the
                // right.
                let (x, y) = (edges[top_u][0], edges[1 - top_u][0]);
                self.vertices[u as usize].top = 1 - top_u as u8;
                self.vertices[w as usize].top = 1 - top_w as u8;
                self.refresh(u);
                self.refresh(w);
                let x_above = (self.about(x)[1] - self.about(y)[1]).sign_after() > 0.0;
                // The vertex leaves on one side and returns on the other.
                let (off, on) = if x_above { (1, 0) } else { (0, 1) };
                let end = |side, inserts, vertex, edge| End {
                    side,
                    inserts,
                    vertex,
                    edge,
                };
                let stays = if x_above { x } else { y };
                self.change_end(node, end(off, false, (x, y), stays))?;
                self.change_end(node, end(on, true, (y, x), if x_above { y } else { x }))
            }
        }
    }

    /// Replaces `old` by `new` in a node's envelope, and propagates the change to the nodes above.
    fn replace(
        &mut self,
        mut node: u32,
        old: AdjacentVertices,
        new: AdjacentVertices,
    ) -> Result<(), Inconsistent> {
        loop {
            let colour = self.nodes[node as usize].colour;
            let parent = self.nodes[node as usize].parent;
            if parent == NONE {
                return Ok(());
            }
            self.cost.levels += 1;
            let mut found = [NONE; 2];
            for (found, edges) in found.iter_mut().zip(old.as_slice()) {
                match self.nodes[parent as usize].map.get(edges) {
                    Some(&v) if self.vertices[v as usize].colour == colour => *found = v,
                    _ => return self.fault(edges.0, "a vertex is not in the list above"),
                }
            }
            let first = self.vertices[found[0] as usize];
            if old.count == 2 && first.next != found[1] {
                return self.fault(first.a, "two vertices of one place are not neighbours");
            }
            let last = self.vertices[found[old.count - 1] as usize];
            for k in 0..old.count {
                self.forget(found[k]);
            }
            let mut before = first.prev;
            let mut made = [NONE; 2];
            for (made, &edges) in made.iter_mut().zip(new.as_slice()) {
                let v = self.new_vertex(parent, edges, colour, first.ce, first.top);
                if self.nodes[parent as usize].map.insert(edges, v).is_some() {
                    return self.fault(edges.0, "a vertex is in the list above twice");
                }
                self.join(before, v);
                before = v;
                *made = v;
            }
            self.join(before, last.next);
            if parent == self.collector {
                self.external = true;
                return Ok(());
            }
            for v in [first.prev, made[0], made[1], last.next] {
                self.refresh(v);
            }
            if first.top != colour {
                return Ok(());
            }
            node = parent;
        }
    }

    /// Inserts or removes a vertex at an end of a node's envelope, and propagates the change to the
    /// nodes above.
    fn change_end(&mut self, mut node: u32, end: End) -> Result<(), Inconsistent> {
        loop {
            let colour = self.nodes[node as usize].colour;
            let parent = self.nodes[node as usize].parent;
            if parent == NONE {
                return Ok(());
            }
            self.cost.levels += 1;
            let s = self.nodes[parent as usize].ends[end.side];
            let sentinel = self.vertices[s as usize];
            let neighbour = if end.side == 0 {
                sentinel.next
            } else {
                sentinel.prev
            };
            let inner = if end.inserts {
                let ce = self.nodes[parent as usize].edges[1 - colour as usize][end.side];
                let v = self.new_vertex(parent, end.vertex, colour, ce, sentinel.top);
                if self.nodes[parent as usize]
                    .map
                    .insert(end.vertex, v)
                    .is_some()
                {
                    return self.fault(end.vertex.0, "a vertex is in the list above twice");
                }
                let between = if end.side == 0 {
                    [s, v, neighbour]
                } else {
                    [neighbour, v, s]
                };
                self.join(between[0], between[1]);
                self.join(between[1], between[2]);
                [v, neighbour]
            } else {
                let v = self.vertices[neighbour as usize];
                if (v.a, v.b) != end.vertex || v.colour != colour {
                    return self.fault(
                        end.vertex.0,
                        "a vertex that leaves is not the last of the list above",
                    );
                }
                let beyond = if end.side == 0 { v.next } else { v.prev };
                self.forget(neighbour);
                if end.side == 0 {
                    self.join(s, beyond);
                } else {
                    self.join(beyond, s);
                }
                [beyond, NONE]
            };
            self.nodes[parent as usize].edges[colour as usize][end.side] = end.edge;
            if parent == self.collector {
                self.external = true;
                return Ok(());
            }
            self.refresh(s);
            for v in inner {
                self.refresh(v);
            }
            if sentinel.top != colour {
                return Ok(());
            }
            node = parent;
        }
    }

    /// Removes a vertex from its node's map and frees its slot; the caller relinks the neighbours.
    fn forget(&mut self, v: u32) {
        self.drop_certificates(v);
        let vertex = self.vertices[v as usize];
        self.nodes[vertex.node as usize]
            .map
            .remove(&(vertex.a, vertex.b));
        self.vertices[v as usize].node = NONE;
        self.free.push(v);
    }
}
