//! From primitives to triangles, brick by brick.
//!
//! # Theory
//!
//! Marching Cubes looks at cubes whose corners lie on both sides; all that makes it fast is to look at no others, and at each place once. The source
//! follows the surface from cube to cube from a seed in each primitive, and keeps what it computed in grids over the whole box (Triquet 2001, sections 3.3.1 to
//! 3.3.3). Here the unit is a *brick* of 7³ cubes: every brick that a primitive reaches is held against bounds of the sum, what may hold
//! surface is sampled whole, in lanes, and its nodes' signs are kept as bits. A component cannot be missed, no seed is needed, no brick waits for
//! another, and memory grows with the surface and not with the box.
//!
//! A cut edge has a vertex, and belongs to the brick of its lower node. Its number is where the brick's begin, plus the cut edges of the
//! brick before it: a count of bits. So neighbours agree on vertices without a table of edges, and the mesh closes by the edges' identities
//! ([`Table`] says why), never by comparing places.
//!
//! # Practice
//!
//! A node is inside where the sum is *above* the level; one that equals it is outside, everywhere. Vertices are set by linear
//! interpolation, normals by the gradient. The nodes on the domain's border count as outside: what leaves the domain is cut off and closed there, and
//! counted ([`Report::clipped`]). The same input gives the same bytes. One thread; does not allocate once it has seen as much.

use hapticd_geometry::Vec3;
use wide::f32x4;

use crate::blend::{Graph, MOST_IN_PLACE, NoPrimitive};
use crate::domain::Domain;
use crate::lists::{Lists, NONE, SIDE};
use crate::mesh::Mesh;
use crate::primitive::{Primitive, PrimitiveError, Skeleton};
use crate::sample::{
    Ball, NODES, Samples, each_of_ball, each_of_other, outwards, outwards_other, places,
};
use crate::table::{Ambiguity, EDGES, Table};

mod classes;
mod lost;
mod motions;

pub use classes::Control;
pub use lost::Lost;
pub use motions::MotionError;

/// What a skin is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Where it may be, and how fine.
    pub domain: Domain,
    /// The sum of potentials on the surface, above 0.
    pub level: f64,
    /// What happens on ambiguous faces.
    pub ambiguity: Ambiguity,
}

/// Why a skin was refused. The caller's fault; the mesh is empty then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// At 0 or below the surface would be where no primitive reaches.
    #[error("level {0}: it has to be above 0 and finite")]
    Level(f64),
    /// One of the primitives.
    #[error("primitive {number}: {why}")]
    Primitive {
        /// Which.
        number: usize,
        /// Why.
        why: Box<PrimitiveError>,
    },
    /// One that the graph names.
    #[error("the graph of blending names {0}")]
    Graph(#[from] NoPrimitive),
    /// In one brick.
    #[error(
        "{0} primitives that may not all blend reach one brick of 7³ cubes: there can be {MOST_IN_PLACE}"
    )]
    Crowded(usize),
    /// More vertices than numbers.
    #[error("{0} bricks of surface: there can be {MOST_BRICKS}")]
    TooLarge(usize),
}

/// Most bricks with surface in them: each has at most 1,029 vertices.
pub const MOST_BRICKS: usize = (u32::MAX / 1029) as usize;

/// Most vertices before the last brick.
const MOST_POINTS: usize = (u32::MAX / 2) as usize;

/// Whether a skin can be made of these at all.
pub(crate) fn check(settings: &Settings, primitives: &[Primitive]) -> Result<(), SkinError> {
    if !(settings.level > 0.0 && settings.level.is_finite()) {
        return Err(SkinError::Level(settings.level));
    }
    for (number, primitive) in primitives.iter().enumerate() {
        primitive.check().map_err(|why| SkinError::Primitive {
            number,
            why: Box::new(why),
        })?;
    }
    Ok(())
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Bricks that a primitive reaches.
    pub reached: usize,
    /// Of those: not excluded by bounds.
    pub sampled: usize,
    /// Of those: with surface.
    pub active: usize,
    /// Nodes on the domain's border that would be inside.
    pub clipped: usize,
    /// Where primitives meet that may not blend.
    pub control: Control,
    /// Primitives that will not be seen.
    pub lost: Lost,
}

/// A brick with surface.
#[derive(Clone, Copy, Debug)]
struct Brick {
    place: [u16; 3],
    /// In the lists.
    slot: u32,
    /// Signs of its nodes, a bit each, by layers.
    inside: [u64; NODES],
    /// Of its first vertex.
    first: u32,
    /// Of its vertices: the first on each layer and axis.
    starts: [[u16; 3]; SIDE as usize],
    /// If it has more than one class: its number among those.
    mixed: Option<u32>,
}

/// Makes meshes; keeps the memory between them. See the module page.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    lists: Lists,
    balls: Vec<Ball>,
    /// Numbers of the primitives that `lists` counts: balls first.
    order: Vec<u32>,
    bricks: Vec<Brick>,
    work: classes::Work,
    /// By primitive: whether it reaches a brick with surface.
    seen: Vec<bool>,
    last: Last,
}

/// What the last mesh was made of; of nothing, if it was refused.
#[derive(Clone, Debug, Default)]
struct Last {
    domain: Option<Domain>,
    primitives: Vec<Primitive>,
    /// How many it has.
    points: usize,
}

/// Columns of a layer: all of its nodes but the last along an axis, by which bricks overlap.
const NOT_LAST_X: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const OWN: u64 = NOT_LAST_X & (u64::MAX >> NODES);

/// On both sides of each edge along the axes, in one layer (z: with the layer above). Edges that belong to the brick.
#[inline]
fn cuts(layer: u64, above: u64) -> [u64; 3] {
    [
        (layer ^ (layer >> 1)) & OWN,
        (layer ^ (layer >> NODES)) & OWN,
        (layer ^ above) & OWN,
    ]
}

impl Skin {
    /// The surface of `primitives`, all of which blend, in place of what was in `out`.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        self.make(settings, primitives, None, out)
    }

    /// The surfaces of `primitives`, in place of what was in `out`: those that may blend by the graph make one, those that may not press each other flat
    /// where they meet ([`blend`](crate::blend)). [`Report::control`] says whether the graph does for cubes of this size.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn polygonize_controlled(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        graph: &Graph,
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        self.make(settings, primitives, Some(graph), out)
    }

    fn make(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        graph: Option<&Graph>,
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        let made = self.surface(settings, primitives, graph, out);
        self.last.primitives.clear();
        if made.is_err() {
            out.clear();
            self.bricks.clear();
        } else {
            self.last.primitives.extend_from_slice(primitives);
        }
        self.last.domain = Some(settings.domain);
        self.last.points = out.points.len();
        made
    }

    /// Leaves what there is so far where something is refused on the way.
    fn surface(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        graph: Option<&Graph>,
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        out.clear();
        self.bricks.clear();
        check(settings, primitives)?;
        if let Some(graph) = graph {
            graph.check(primitives.len() as u32)?;
            self.work.begin(graph, primitives.len());
        }
        self.reach(&settings.domain, primitives);
        let mut report = Report {
            reached: self.lists.reached.len(),
            ..Report::default()
        };
        let border = Border::of(&settings.domain);
        for slot in 0..self.lists.reached.len() {
            let one = graph.is_none() || self.is_one(slot);
            if !self.may_be_cut(settings, primitives, slot, (&border, one)) {
                self.lists.set(slot, NONE);
                continue;
            }
            report.sampled += 1;
            if self.bricks.len() == MOST_BRICKS || out.points.len() > MOST_POINTS {
                return Err(SkinError::TooLarge(self.bricks.len() + 1));
            }
            if one {
                self.sample(settings, primitives, slot, &border, &mut report, out);
            } else {
                self.sample_classes(settings, primitives, slot, &border, &mut report, out)?;
            }
        }
        report.active = self.bricks.len();
        self.count_lost(&settings.domain, settings.level, primitives, &mut report);
        let table = Table::of(settings.ambiguity);
        for brick in &self.bricks {
            self.triangles(brick, table, &mut out.triangles);
            if let Some(mixed) = brick.mixed {
                let mixed = &self.work.mixed[mixed as usize];
                self.triangles_of_classes(brick, mixed, &mut report.control, &mut out.triangles);
            }
        }
        Ok(report)
    }

    /// Starts as if this many skins had been made: the dates of the lists end at 65,535 and begin anew. For tests.
    pub fn set_date(&mut self, date: u16) {
        self.lists.set_date(date);
    }

    fn reach(&mut self, domain: &Domain, primitives: &[Primitive]) {
        self.balls.clear();
        self.order.clear();
        self.lists.begin(domain);
        for (number, primitive) in (0..).zip(primitives) {
            if let Some(ball) = Ball::of(domain, primitive) {
                let Skeleton::Point(centre) = primitive.skeleton else {
                    continue;
                };
                let reach = Some((centre, primitive.radius_m));
                let entry = self.order.len() as u32;
                self.lists.add(domain, entry, primitive.bounds(), reach);
                self.balls.push(ball);
                self.order.push(number);
            }
        }
        for (number, primitive) in (0..).zip(primitives) {
            if Ball::of(domain, primitive).is_none() {
                let entry = self.order.len() as u32;
                self.lists.add(domain, entry, primitive.bounds(), None);
                self.order.push(number);
            }
        }
        self.lists.finish();
    }

    /// Whether bounds of the sum leave room for the level in a brick. True where a term is not a ball, of which nothing is known. Of more than one
    /// class only that all of them together may reach the level.
    fn may_be_cut(
        &self,
        settings: &Settings,
        primitives: &[Primitive],
        slot: usize,
        (border, one): (&Border, bool),
    ) -> bool {
        let place = self.lists.reached[slot];
        let cell = settings.domain.cell_m() as f32;
        let low = place.map(|b| (u32::from(b) * SIDE) as f32 * cell);
        let side = SIDE as f32 * cell;
        let (mut least, mut most) = (0.0, 0.0);
        for entry in self.lists.of(slot) {
            let Some(ball) = self.balls.get(*entry as usize) else {
                let primitive = &primitives[self.order[*entry as usize] as usize];
                let top = primitive.amplitude.max(0.0) * primitive.kernel.value(0.0);
                if primitive.amplitude < 0.0 || matches!(primitive.skeleton, Skeleton::Convolved(_))
                {
                    return true;
                }
                most += top as f32;
                continue;
            };
            let (mut near, mut far) = (0.0, 0.0);
            for k in 0..3 {
                let (a, b) = (low[k] - ball.centre[k], ball.centre[k] - low[k] - side);
                let [outside, across] = [a.max(b).max(0.0), a.abs().max(b.abs())];
                near += outside * outside;
                far += across * across;
            }
            let per_r2 = ball.per_radius * ball.per_radius;
            let [high, deep] = [near, far].map(|square| {
                let v = (1.0 - square * per_r2).max(0.0);
                ball.amplitude * v * v
            });
            least += high.min(deep);
            // A class may be without what takes away.
            most += if one {
                high.max(deep)
            } else {
                high.max(deep).max(0.0)
            };
        }
        // What rounding may do to sums of so many terms.
        let room = 1e-4 * (1.0 + settings.level as f32);
        let level = settings.level as f32;
        most > level - room && (least < level + room || !one || border.touches(place))
    }

    /// Nodes of a brick, and if the surface cuts it, its vertices.
    fn sample(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        slot: usize,
        border: &Border,
        report: &mut Report,
        out: &mut Mesh,
    ) {
        let domain = &settings.domain;
        let place = self.lists.reached[slot];
        let at = place.map(|b| places(domain, b));
        let mut samples: Samples = [[[f32x4::ZERO; 2]; NODES]; NODES];
        let list = self.lists.of(slot);
        // Balls come first.
        let balls = list.partition_point(|entry| (*entry as usize) < self.balls.len());
        let mut add = |z: usize, y: usize, half: usize, term: f32x4| samples[z][y][half] += term;
        for entry in &list[..balls] {
            each_of_ball(&self.balls[*entry as usize], &at, &mut add);
        }
        for entry in &list[balls..] {
            let primitive = &primitives[self.order[*entry as usize] as usize];
            each_of_other(domain, primitive, &at, &mut add);
        }
        let level = f32x4::splat(settings.level as f32);
        let mut inside = [0; NODES];
        for (bits, layer) in inside.iter_mut().zip(&samples) {
            for (y, row) in layer.iter().enumerate() {
                let [low, high] = row.map(|half| u64::from(half.simd_gt(level).to_bitmask()));
                *bits |= (low | high << 4) << (NODES * y);
            }
        }
        if border.touches(place) {
            for (z, bits) in inside.iter_mut().enumerate() {
                let cut_off = *bits & !border.within(place, z);
                *bits ^= cut_off;
                report.clipped += border.own(place, z, cut_off);
                for bit in bits_of(cut_off) {
                    // Not above the level: where the surface is cut off is on the node itself.
                    let half = &mut samples[z][bit / NODES][bit % NODES / 4];
                    let sample = &mut half.as_mut_array()[bit % 4];
                    *sample = sample.min(settings.level as f32);
                }
            }
        }
        let number = self.bricks.len();
        let any = inside.iter().any(|bits| *bits != 0);
        if !any || inside.iter().all(|bits| *bits == u64::MAX) {
            self.lists.set(slot, NONE);
            return;
        }
        let first = out.points.len() as u32;
        let mut starts = [[0; 3]; SIDE as usize];
        for z in 0..SIDE as usize {
            for (axis, cut) in cuts(inside[z], inside[z + 1]).into_iter().enumerate() {
                starts[z][axis] = (out.points.len() as u32 - first) as u16;
                for bit in bits_of(cut) {
                    let node = [bit % NODES, bit / NODES, z];
                    out.points
                        .push(crossing(settings, &samples, &at, node, axis));
                }
            }
        }
        self.normals(domain, primitives, (list, balls), first as usize, out);
        self.bricks.push(Brick {
            place,
            slot: slot as u32,
            inside,
            first,
            starts,
            mixed: None,
        });
        self.lists.set(slot, number as u32);
    }

    /// Normals at the vertices from `first` on, which are then moved to the world.
    fn normals(
        &self,
        domain: &Domain,
        primitives: &[Primitive],
        (list, balls): (&[u32], usize),
        first: usize,
        out: &mut Mesh,
    ) {
        let low = domain.low();
        for points in out.points[first..].chunks_mut(4) {
            let lane = |j: usize, k: usize| points[j.min(points.len() - 1)][k];
            let at = [0, 1, 2].map(|k| f32x4::new([0, 1, 2, 3].map(|j| lane(j, k))));
            let some = list[..balls]
                .iter()
                .map(|entry| &self.balls[*entry as usize]);
            let mut sum = outwards(some, at).map(f32x4::to_array);
            for entry in &list[balls..] {
                let primitive = &primitives[self.order[*entry as usize] as usize];
                for (j, point) in points.iter().enumerate() {
                    let more = outwards_other(domain, primitive, *point);
                    for k in 0..3 {
                        sum[k][j] += more[k];
                    }
                }
            }
            let sum = sum.map(f32x4::new);
            let length = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]).sqrt();
            let unit = sum.map(|x| (x / length).to_array());
            for (j, point) in points.iter_mut().enumerate() {
                let n = [unit[0][j], unit[1][j], unit[2][j]];
                // No direction where the gradient is 0: any will do.
                out.normals.push(if n.iter().all(|x| x.is_finite()) {
                    n
                } else {
                    [0.0, 0.0, 1.0]
                });
                for k in 0..3 {
                    point[k] = (low[k] + f64::from(point[k])) as f32;
                }
            }
        }
    }

    /// The number of the vertex on one of a brick's own edges of one class; `None`: it is not cut.
    #[inline]
    fn number(&self, brick: &Brick, [x, y, z]: [usize; 3], axis: usize) -> Option<u32> {
        let cut = match brick.mixed {
            None => cuts(brick.inside[z], brick.inside[z + 1])[axis],
            Some(mixed) => self.work.mixed[mixed as usize].cuts[z][axis],
        };
        let bit = NODES * y + x;
        let before = cut & ((1 << bit) - 1);
        let first = brick.first + u32::from(brick.starts[z][axis]);
        (cut >> bit & 1 == 1).then(|| first + before.count_ones())
    }

    fn triangles(&self, brick: &Brick, table: &Table, out: &mut Vec<[u32; 3]>) {
        // The bricks that have the edges at the far sides, by a bit for each axis.
        let around: [Option<&Brick>; 8] = std::array::from_fn(|bits| {
            let place = [0, 1, 2].map(|k| u32::from(brick.place[k]) + (bits as u32 >> k & 1));
            let number = self.lists.get(place);
            self.bricks.get(number as usize)
        });
        let plain = brick
            .mixed
            .map(|mixed| &self.work.mixed[mixed as usize].plain);
        for z in 0..SIDE as usize {
            let [m, n] = [brick.inside[z], brick.inside[z + 1]];
            let cut = any_of(m, n) & !all_of(m, n) & plain.map_or(OWN, |plain| plain[z]);
            for bit in bits_of(cut) {
                let corners = |layer: u64| {
                    let (here, next) = (layer >> bit, layer >> (bit + NODES));
                    // The numbering goes round: back along x.
                    (here & 3) | (next & 1) << 3 | (next & 2) << 1
                };
                let case = &table.0[(corners(m) | corners(n) << 4) as usize];
                let mut vertex = [0; 12];
                let mut cut = u64::from(case.edges);
                while cut != 0 {
                    let edge = cut.trailing_zeros() as usize;
                    cut &= cut - 1;
                    let (axis, step) = LOWER[edge];
                    let node = [bit % NODES + step[0], bit / NODES + step[1], z + step[2]];
                    let last = SIDE as usize;
                    let over = [0, 1, 2].map(|k| usize::from(node[k] == last));
                    let own = node.map(|i| if i == last { 0 } else { i });
                    let owner = around[over[0] | over[1] << 1 | over[2] << 2];
                    let found = owner.and_then(|owner| self.number(owner, own, axis));
                    // A cut edge has a node inside, so something reaches it, and all bricks that have it.
                    debug_assert!(found.is_some(), "an edge without a vertex");
                    vertex[edge] = found.unwrap_or(0);
                }
                let some = case.triangles().iter();
                out.extend(some.map(|t| t.map(|edge| vertex[edge as usize])));
            }
        }
    }
}

/// The cubes of a layer with a node in it or in the layer above.
#[inline]
fn any_of(m: u64, n: u64) -> u64 {
    let both = m | n;
    both | both >> 1 | both >> NODES | both >> (NODES + 1)
}

/// The cubes all of whose nodes are in.
#[inline]
fn all_of(m: u64, n: u64) -> u64 {
    let both = m & n;
    both & both >> 1 & both >> NODES & both >> (NODES + 1)
}

/// For each edge of a cube its axis, and its lower node from the cube's.
const LOWER: [(usize, [usize; 3]); 12] = {
    let mut all = [(0, [0; 3]); 12];
    let mut e = 0;
    while e < 12 {
        let a = crate::table::CORNERS[EDGES[e][0] as usize];
        let b = crate::table::CORNERS[EDGES[e][1] as usize];
        let mut k = 0;
        while k < 3 {
            if a[k] != b[k] {
                all[e].0 = k;
            }
            all[e].1[k] = if a[k] < b[k] { a[k] } else { b[k] } as usize;
            k += 1;
        }
        e += 1;
    }
    all
};

/// Where the level is on an edge, from the domain's lowest corner, m.
#[inline]
fn crossing(
    settings: &Settings,
    samples: &Samples,
    at: &[[f32; NODES]; 3],
    node: [usize; 3],
    axis: usize,
) -> [f32; 3] {
    let value = |[x, y, z]: [usize; 3]| samples[z][y][x / 4].as_array()[x % 4];
    let mut next = node;
    next[axis] += 1;
    let (from, to) = (value(node), value(next));
    let share = (settings.level as f32 - from) / (to - from);
    let mut point = [0, 1, 2].map(|k| at[k][node[k]]);
    let (low, high) = (at[axis][node[axis]], at[axis][next[axis]]);
    point[axis] = low + share.clamp(0.0, 1.0) * (high - low);
    point
}

/// Places of the bits that are set, from the lowest on.
fn bits_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// The nodes of the domain that are neither on its border nor beyond it.
struct Border {
    cells: [u32; 3],
}

impl Border {
    fn of(domain: &Domain) -> Border {
        Border {
            cells: domain.cells(),
        }
    }

    fn is_within(&self, axis: usize, node: u32) -> bool {
        node > 0 && node < self.cells[axis]
    }

    /// Whether a brick has a node that is not.
    fn touches(&self, place: [u16; 3]) -> bool {
        (0..3).any(|k| {
            let first = u32::from(place[k]) * SIDE;
            !(self.is_within(k, first) && self.is_within(k, first + SIDE))
        })
    }

    /// A bit for each node of a layer.
    fn within(&self, place: [u16; 3], z: usize) -> u64 {
        let [x0, y0, z0] = place.map(|b| u32::from(b) * SIDE);
        if !self.is_within(2, z0 + z as u32) {
            return 0;
        }
        let row = (0..NODES).fold(0, |row, i| {
            row | u64::from(self.is_within(0, x0 + i as u32)) << i
        });
        (0..NODES).fold(0, |all, i| {
            let is = self.is_within(1, y0 + i as u32);
            all | if is { row << (NODES * i) } else { 0 }
        })
    }

    /// How many of these are the brick's own and in the domain.
    fn own(&self, place: [u16; 3], z: usize, bits: u64) -> usize {
        let at = |bit: usize| [bit % NODES, bit / NODES, z];
        let own = |bit: &usize| {
            (0..3).all(|k| {
                let node = u32::from(place[k]) * SIDE + at(*bit)[k] as u32;
                let last = at(*bit)[k] == SIDE as usize && node != self.cells[k];
                node <= self.cells[k] && !last
            })
        };
        bits_of(bits).filter(own).count()
    }
}

/// How far from its skeleton the surface of a lone primitive is, m; 0: it has none. For callers who choose a domain: where this is less than a cube, the
/// primitive may fall between the nodes and not be seen ([`Report::lost`]). Of an ellipsoid along an axis of length 1; of a convolved segment
/// about its middle.
#[must_use]
pub fn visible_radius_m(primitive: &Primitive, level: f64) -> f64 {
    if let Skeleton::Convolved([a, b]) = primitive.skeleton {
        // Across the segment it falls all the way.
        let across = (b - a).cross(&Vec3::ith((b - a).iamin(), 1.0));
        let Some(across) = across.try_normalize(0.0) else {
            return 0.0;
        };
        let is_in = |d: f64| primitive.value(&(primitive.heart() + d * across)) > level;
        let (mut low, mut high) = (0.0, primitive.radius_m);
        // As many halvings as the mantissa has bits.
        for _ in 0..53 {
            let middle = 0.5 * (low + high);
            if is_in(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
    primitive.radius_m * reach_of(primitive, level)
}

/// The same over its radius, of those that are distances.
fn reach_of(primitive: &Primitive, level: f64) -> f64 {
    // What adds nothing, or takes away, reaches no level.
    if primitive.amplitude > 0.0 {
        primitive.kernel.reach(level / primitive.amplitude)
    } else {
        0.0
    }
}
