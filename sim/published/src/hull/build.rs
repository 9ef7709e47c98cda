//! Bottom-up construction of the tree: two envelopes are merged by abscissa, and a predicate
//! decides at each vertex which one is above.

use super::{NONE, Node, SLOTS, UpperHull, Vertex};
use hapticd_kinetic::kinetic::Inconsistent;
use hapticd_kinetic::polynomial::Predicate;
use std::collections::BTreeMap;

/// An envelope: its edges from left to right.
type Envelope = Vec<u32>;

/// The sign just after now. The caller distinguishes lines that stay parallel forever, so zero
/// occurs at isolated times only; either answer is then valid.
fn is_true(f: &Predicate) -> bool {
    f.sign_after() > 0.0
}

impl UpperHull {
    /// Rebuilds everything as of just after now. `O(n log n)`.
    pub(super) fn build(&mut self) -> Result<(), Inconsistent> {
        self.nodes.clear();
        self.vertices.clear();
        self.free.clear();
        self.queue.clear();
        self.live = 0;
        self.collector = NONE;
        self.leaf.fill(NONE);
        let n = self.points.len();
        if n == 0 {
            return Ok(());
        }
        let (root, envelope) = self.subtree(0, n as u32);
        // The collector merges the hull with nothing.
        let collector = self.nodes.len() as u32;
        self.nodes
            .push(self.empty_node([envelope_ends(&envelope); 2]));
        if root == NONE {
            self.leaf[0] = collector;
        } else {
            self.nodes[root as usize].parent = collector;
        }
        self.collector = collector;
        let list: Vec<_> = (envelope.windows(2).map(|w| (w[0], w[1], 0, NONE, 0))).collect();
        self.link(collector, &list, [0, 0]);
        for v in 0..self.vertices.len() as u32 {
            self.refresh(v);
        }
        self.stats.sizes(self.live, self.queue.len());
        match self
            .hull()
            .windows(2)
            .find(|w| !is_true(&self.steeper(w[0], w[1])))
        {
            Some(w) => self.fault(w[0], "the hull does not go from left to right"),
            None => Ok(()),
        }
    }

    fn empty_node(&self, edges: [[u32; 2]; 2]) -> Node {
        Node {
            parent: NONE,
            colour: 0,
            ends: [NONE; 2],
            edges,
            map: BTreeMap::new(),
        }
    }

    fn subtree(&mut self, from: u32, to: u32) -> (u32, Envelope) {
        if to - from == 1 {
            return (NONE, vec![from]);
        }
        let middle = from + (to - from) / 2;
        let (blue, a) = self.subtree(from, middle);
        let (red, b) = self.subtree(middle, to);
        let node = self.nodes.len() as u32;
        self.nodes
            .push(self.empty_node([envelope_ends(&a), envelope_ends(&b)]));
        for (colour, child, leaf) in [(0, blue, from), (1, red, middle)] {
            if child == NONE {
                self.leaf[leaf as usize] = node;
            } else {
                self.nodes[child as usize].parent = node;
                self.nodes[child as usize].colour = colour;
            }
        }
        (node, self.merge(node, [&a, &b]))
    }

    /// Builds the list of a node, and returns its envelope.
    fn merge(&mut self, node: u32, envelopes: [&Envelope; 2]) -> Envelope {
        let vertex = |c: usize, k: usize| (envelopes[c][k], envelopes[c][k + 1]);
        let mut at = [0, 0];
        let mut list = Vec::with_capacity(envelopes[0].len() + envelopes[1].len());
        while (0..2).any(|c| at[c] + 1 < envelopes[c].len()) {
            let left = [0, 1].map(|c| envelopes[c].len() - 1 - at[c]);
            let blue_first = left[1] == 0
                || (left[0] > 0 && is_true(&self.left_of(vertex(0, at[0]), vertex(1, at[1]))));
            let colour = usize::from(!blue_first);
            let (a, b) = vertex(colour, at[colour]);
            let ce = envelopes[1 - colour][at[1 - colour]];
            let is_above = is_true(&self.above((a, b), ce));
            let top = if is_above { colour } else { 1 - colour };
            list.push((a, b, colour as u8, ce, top as u8));
            at[colour] += 1;
        }
        let edges = self.nodes[node as usize].edges;
        let less_steep = |side: usize| is_true(&self.steeper(edges[0][side], edges[1][side]));
        let tops = [u8::from(!less_steep(0)), u8::from(less_steep(1))];
        self.link(node, &list, tops);
        let mut current = [edges[0][0], edges[1][0]];
        let mut top = tops[0];
        let mut envelope = vec![current[top as usize]];
        for &(_, b, colour, _, here) in &list {
            if here != top {
                envelope.push(current[here as usize]);
                top = here;
            }
            current[colour as usize] = b;
            if here == colour {
                envelope.push(b);
            }
        }
        if tops[1] != top {
            envelope.push(current[tops[1] as usize]);
        }
        envelope
    }

    /// Creates the vertices of a list (edges, colour, contender, top) between two ends.
    fn link(&mut self, node: u32, list: &[(u32, u32, u8, u32, u8)], tops: [u8; 2]) {
        let first = self.new_vertex(node, (NONE, NONE), 0, NONE, tops[0]);
        let mut last = first;
        for &(a, b, colour, ce, top) in list {
            let v = self.new_vertex(node, (a, b), colour, ce, top);
            self.nodes[node as usize].map.insert((a, b), v);
            self.join(last, v);
            last = v;
        }
        let end = self.new_vertex(node, (NONE, NONE), 0, NONE, tops[1]);
        self.join(last, end);
        self.nodes[node as usize].ends = [first, end];
    }

    pub(super) fn join(&mut self, u: u32, w: u32) {
        self.vertices[u as usize].next = w;
        self.vertices[w as usize].prev = u;
    }

    pub(super) fn new_vertex(
        &mut self,
        node: u32,
        (a, b): (u32, u32),
        colour: u8,
        ce: u32,
        top: u8,
    ) -> u32 {
        let vertex = Vertex {
            a,
            b,
            node,
            prev: NONE,
            next: NONE,
            ce,
            colour,
            top,
            live: [0; SLOTS],
        };
        if let Some(v) = self.free.pop() {
            self.vertices[v as usize] = vertex;
            return v;
        }
        self.vertices.push(vertex);
        self.queue.reserve(SLOTS * self.vertices.len());
        self.vertices.len() as u32 - 1
    }
}

fn envelope_ends(envelope: &Envelope) -> [u32; 2] {
    [envelope[0], envelope[envelope.len() - 1]]
}
