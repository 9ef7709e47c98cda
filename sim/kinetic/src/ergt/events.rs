//! Events: a vertex leaves the geodesics that bend at it, or pushes into those along a segment; and
//! the repairs that follow.

use super::geodesic::{Geodesics, root};
use super::graph::Graph;
use super::signs::Signs;
use super::{GeodesicTriangulation, Kind};
use crate::kinetic::Inconsistent;
use crate::polygons::{Polygons, length, minus};

/// Change at a half-edge's corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// The corner's vertex leaves the geodesics that bend there.
    Out(u32),
    /// The previous vertex enters the geodesics along the edge after the corner; or the next vertex
    /// those along the edge before it.
    In { corner: u32, before: bool },
    /// The corner only changes its sign.
    Flip(u32),
}

/// Removes `m` where a path goes from `a` to `m` to `b` or back. Returns how often it did.
fn take_out(path: &mut Vec<u32>, [a, m, b]: [u32; 3]) -> u32 {
    let mut count = 0;
    let mut k = 1;
    while k + 1 < path.len() {
        let three = [path[k - 1], path[k], path[k + 1]];
        if three == [a, m, b] || three == [b, m, a] {
            path.remove(k);
            count += 1;
        } else {
            k += 1;
        }
    }
    count
}

/// Inserts `m` where a path goes from `a` to `b` or back. Returns how often it did.
fn put_in(path: &mut Vec<u32>, [a, m, b]: [u32; 3]) -> u32 {
    let mut count = 0;
    let mut k = 1;
    while k < path.len() {
        let two = [path[k - 1], path[k]];
        if two == [a, b] || two == [b, a] {
            path.insert(k, m);
            count += 1;
            k += 1;
        }
        k += 1;
    }
    count
}

fn bends_at(path: &[u32], three: [u32; 3]) -> bool {
    let [a, m, b] = three;
    path.windows(3).any(|w| w == three || w == [b, m, a])
}

impl GeodesicTriangulation {
    /// Processes the failure of the slot's certificate.
    pub(super) fn process(&mut self, slot: u32) -> Result<(), Inconsistent> {
        let before = self.state.start_event(0);
        let Some((corner, left)) = self.certificate(slot) else {
            return self.state.fault(0, "an event without a certificate");
        };
        let failed = (self.state.polygons.corner(corner, left))
            .is_some_and(|c| c.has_failed(self.state.now));
        let kind = if failed {
            self.change(slot, corner, left)?
        } else {
            self.reissue(slot);
            Kind::Looked
        };
        self.state
            .end_event(kind as usize, kind == Kind::Contact, before);
        Ok(())
    }

    /// Determines the kind of event, and applies it.
    fn change(&mut self, slot: u32, corner: [u32; 3], left: bool) -> Result<Kind, Inconsistent> {
        let [u, v, x] = corner;
        let h = slot / 2;
        let is_bend = || self.geodesics.paths().any(|path| bends_at(path, corner));
        let (kind, change, three) = if slot % 2 == 1 {
            (Kind::Bend, Change::Out(h), corner)
        } else if left {
            let places = corner.map(|v| self.state.polygons.place(v, self.state.now));
            let arms = [0, 2].map(|k| minus(places[k], places[1]));
            let third = self.graph.half(h).next;
            let before = length(arms[0]) < length(arms[1]);
            if arms[0][0] * arms[1][0] + arms[0][1] * arms[1][1] >= 0.0 {
                let three = if before { [v, u, x] } else { [u, x, v] };
                (Kind::Closed, Change::In { corner: h, before }, three)
            } else if self.graph.end(third) == u {
                let change = Change::In {
                    corner: third,
                    before: true,
                };
                (Kind::Opened, change, [x, v, u])
            } else {
                (Kind::Flipped, Change::Flip(h), corner)
            }
        } else if is_bend() {
            (Kind::Straight, Change::Out(h), corner)
        } else {
            (Kind::Flipped, Change::Flip(h), corner)
        };
        if let Change::In { corner, before } = change {
            let edge = if before {
                corner
            } else {
                self.graph.half(corner).prev
            };
            if self.graph.half(edge).obstacle {
                // The cell is on the left of the half-edge, the polygon on its right.
                let ends = [self.graph.half(edge).origin, self.graph.end(edge)];
                return self.meet(slot, three[1], ends);
            }
        }
        // The state after an event cannot be determined if the polygons touch by then.
        let signs = Signs::new(&self.state.polygons, self.state.now, None);
        if let Some((vertex, first)) = signs.contact_at(three)
            && self.left_out != Some(Kind::Contact)
        {
            let ends = [self.state.polygons.beside(first)[0], first];
            return self.meet(slot, vertex, ends);
        }
        if self.left_out == Some(kind) {
            self.state.queue.remove(slot);
            return Ok(kind);
        }
        let mut event = Event {
            polygons: &self.state.polygons,
            now: self.state.now,
            corner,
            left,
            three,
            may_repin: self.left_out != Some(Kind::Repinned),
            changed: 0,
            repinned: false,
        };
        let wanted = event.happen(&mut self.geodesics, &mut self.graph, change);
        self.state.cost.levels = event.changed;
        self.repins += u64::from(event.repinned);
        let all = event.repinned;
        let Some(wanted) = wanted else {
            return self
                .state
                .fault(three[1], "an edge has no place, or there is no pin");
        };
        self.settle(wanted, |v| all || three.contains(&v));
        Ok(kind)
    }
    /// Issues the certificates of all corners that have changed, and of the split bends at these
    /// vertices, which must become `wanted`.
    pub(super) fn settle(&mut self, mut wanted: Vec<[u32; 3]>, at: impl Fn(u32) -> bool) {
        let mut changed = std::mem::take(&mut self.graph.touched);
        changed.append(&mut self.graph.gone);
        for slot in &mut changed {
            *slot *= 2;
        }
        for (k, bend) in self.bends.iter_mut().enumerate() {
            if let Some(three) = bend.filter(|b| at(b[1])) {
                if let Some(known) = wanted.iter().position(|w| *w == three) {
                    wanted.remove(known);
                } else {
                    *bend = None;
                    changed.push(2 * k as u32 + 1);
                }
            }
        }
        for three in wanted {
            let free = self.bends.iter().position(Option::is_none);
            let k = free.unwrap_or(self.bends.len());
            if free.is_none() {
                self.bends.push(None);
            }
            self.bends[k] = Some(three);
            changed.push(2 * k as u32 + 1);
        }
        changed.sort_unstable();
        changed.dedup();
        for &slot in &changed {
            self.reissue(slot);
        }
        changed.clear();
        self.graph.touched = changed;
    }

    /// Handles a vertex that has reached a polygon's edge between these two ends, with free space
    /// on its left.
    fn meet(&mut self, slot: u32, vertex: u32, ends: [u32; 2]) -> Result<Kind, Inconsistent> {
        if self.left_out == Some(Kind::Contact) {
            self.state.queue.remove(slot);
            return Ok(Kind::Contact);
        }
        for body in self.state.meet(slot, vertex, ends)?.into_iter().flatten() {
            let count = self.reissue_body(body);
            self.state.stats.plan_change(count);
        }
        Ok(Kind::Contact)
    }
}

/// An event being processed.
struct Event<'a> {
    polygons: &'a Polygons,
    now: f64,
    /// The certificate that has failed, and whether it turned left before.
    corner: [u32; 3],
    left: bool,
    /// The same vertices, with the one that lies on the segment between the others in the middle.
    three: [u32; 3],
    may_repin: bool,
    /// Number of geodesics that changed.
    changed: u32,
    repinned: bool,
}

impl<'a> Event<'a> {
    /// Changes all geodesics, the edges with them, and the pin if necessary.
    ///
    /// Returns the split bends at the vertices of the event, or all of them after a new pin; `None`
    /// if the state is inconsistent.
    fn happen(
        &mut self,
        geodesics: &mut Geodesics,
        graph: &mut Graph,
        change: Change,
    ) -> Option<Vec<[u32; 3]>> {
        let [a, m, b] = self.three;
        let mut change = change;
        let mut repin = false;
        if let Change::Out(h) = &mut change {
            if geodesics.root.first() == Some(&m) && bends_at(geodesics.hull(0), self.three) {
                // The pin is left behind, and the tether is in the way of the new edge.
                repin = true;
                graph.drop_path(&geodesics.root)?;
                geodesics.root.clear();
                graph.resolve(&self.signs(self.left));
            }
            // Without the tether a bend has a corner.
            let corners = [[a, b], [b, a]].map(|[from, to]| {
                (graph.find(m, to)).filter(|&h| graph.corner(h) == [from, m, to])
            });
            let reflex = corners
                .into_iter()
                .flatten()
                .find(|&h| graph.half(h).reflex);
            *h = reflex?;
        }
        let mut count = 0;
        let root_before = geodesics.root.len();
        for path in geodesics.paths_mut() {
            let more = match change {
                Change::Out(_) => take_out(path, self.three),
                Change::In { .. } => put_in(path, self.three),
                Change::Flip(_) => 0,
            };
            self.changed += u32::from(more > 0);
            count += more;
        }
        match change {
            Change::Out(h) => graph.straighten(h, count)?,
            Change::In { corner, before } => graph.close(corner, before, count)?,
            Change::Flip(h) => graph.flip(h),
        }
        let signs = self.signs(!self.left);
        graph.fix_flags(&signs);
        if let [pin, second, .., last_but_one, _] = geodesics.root[..] {
            let inside = [second, last_but_one].map(|v| self.polygons.owner[v as usize] == 0);
            let changed = geodesics.root.len() != root_before;
            repin |= changed && inside.contains(&true) || !geodesics.hull(0).contains(&pin);
        }
        if repin && self.may_repin {
            graph.drop_path(&geodesics.root)?;
            geodesics.root = root(&signs, geodesics, graph)?;
            graph.add_path(&signs, &geodesics.root)?;
            graph.resolve(&signs);
            self.repinned = true;
        }
        let all = self.repinned;
        Some(geodesics.split_bends(graph, &signs, |v| all || self.three.contains(&v)))
    }

    fn signs(&self, left: bool) -> Signs<'a> {
        Signs::new(self.polygons, self.now, Some((self.corner, left)))
    }
}
