//! From where everything was and is to the pairs that meet: seeds, boxes, proofs.

use hapticd_ccd::{LinearOptions, PairKind, first_contact_linear};
use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::points::MovingPoints;
use hapticd_registration::registration::Kind;
use hapticd_registration::track::Path;

use super::features::Features;
use super::{Crossing, Found};

/// Features longer than so many times the mean of what yields are large.
const LARGE: f64 = 4.0;
/// Over `√3`: a triangle's nearest vertex is no further than this part of its longest side.
const JUNG: f64 = 0.577_350_269_189_626;
/// A vertex that is not registered.
const NOBODY: u32 = u32::MAX;
/// Vertices this part of the extent of what yields beyond it are registered, too: so who comes near
/// is there already.
const MARGIN: f64 = 0.5;
/// The reach is longer than what is proven to be enough by this part, against rounding.
const ROUNDING: f64 = 1e-6;

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
struct Swept {
    low: Vec3,
    high: Vec3,
}

impl Swept {
    const NOTHING: Swept = Swept {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    fn add(&mut self, p: &Vec3) {
        self.join(&Swept { low: *p, high: *p });
    }

    fn join(&mut self, other: &Swept) {
        // Nothing here is NaN: f64::min and Vec3::inf would ask.
        let less = |a: f64, b: f64| if b < a { b } else { a };
        let more = |a: f64, b: f64| if b > a { b } else { a };
        self.low = self.low.zip_map(&other.low, less);
        self.high = self.high.zip_map(&other.high, more);
    }

    fn is_somewhere(&self) -> bool {
        self.low.x <= self.high.x
    }

    fn wider(&self, by: f64) -> Swept {
        Swept {
            low: self.low - Vec3::repeat(by),
            high: self.high + Vec3::repeat(by),
        }
    }

    #[inline]
    fn holds(&self, p: &Vec3) -> bool {
        (0..3).all(|k| self.low[k] <= p[k] && p[k] <= self.high[k])
    }

    #[inline]
    fn meets(&self, other: &Swept) -> bool {
        let (a, b) = (self, other);
        a.low.x <= b.high.x
            && b.low.x <= a.high.x
            && a.low.y <= b.high.y
            && b.low.y <= a.high.y
            && a.low.z <= b.high.z
            && b.low.z <= a.high.z
    }
}

/// Of a triangle or an edge.
#[derive(Clone, Copy, Debug)]
struct Sized {
    swept: Swept,
    /// Furthest that a place of it may be from its nearest vertex, m; NaN where a vertex is
    /// nowhere, and of what comes near nothing that yields.
    core: f64,
    /// Longest way of its vertices, m.
    way: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pair {
    /// Vertex, triangle.
    Face(u32, u32),
    /// Edges, the lower number first.
    Edges(u32, u32),
}

/// A leaf, as it is in this step.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// Who is in its lists: a range of [`Work::listed`].
    first: u32,
    end: u32,
    cell: Cell,
    /// It is a cube.
    room: Swept,
    /// The stars of those whose ways cross it.
    wanted: Swept,
}

/// Work space, kept between steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    triangles: Vec<Sized>,
    edges: Vec<Sized>,
    vertices: Vec<Swept>,
    /// By vertex: how far it goes, m.
    ways: Vec<f64>,
    /// By vertex: where it and all features at it that are not large are in the step; nowhere,
    /// where they come near nothing that yields.
    stars: Vec<Swept>,
    /// By vertex: where the halves of its edges that are not large, those at it, are in the step.
    halves: Vec<Swept>,
    /// By edge: where its middle is in the step.
    middles: Vec<Swept>,
    /// Vertices that are registered, by point; and by vertex its point, [`NOBODY`] of those that
    /// are not.
    members: Vec<u32>,
    points: Vec<u32>,
    places: Vec<Vec3>,
    /// By point: the leaf that it is in.
    home: Vec<Cell>,
    /// By leaf: [`NOBODY`] or where it is in `leaves`.
    known: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Vertices with their stars, leaf after leaf.
    listed: Vec<(Swept, u32)>,
    /// That one way crosses, as it is marched along.
    marched: Vec<Cell>,
    /// Places in `leaves`, way after way; and by vertex where its way's end.
    crossed: Vec<u32>,
    ends: Vec<u32>,
    /// By vertex: where its candidates begin in `near`. One more than vertices.
    first: Vec<u32>,
    near: Vec<u32>,
    /// By vertex, vertex of an edge, triangle, edge: who met it last.
    met: [Vec<u32>; 4],
    /// Vertices whose way could not be marched along.
    blind: Vec<u32>,
    large_triangles: Vec<u32>,
    large_edges: Vec<u32>,
    pairs: Vec<Pair>,
}

impl Work {
    pub fn find(&mut self, f: &Features, points: &mut MovingPoints, found: &mut Found) {
        found.crossings.clear();
        (found.tested, found.large, found.reach_m) = (0, 0, 0.0);
        found.unknown = self.sweep(f);
        // What yields: only there anything happens that is looked at.
        let mut there = Swept::NOTHING;
        for v in (0..f.vertices()).filter(|v| f.yields(*v)) {
            there.join(&self.vertices[v as usize]);
        }
        if !there.is_somewhere() {
            return;
        }
        self.measure(f, &there);
        let core = self.core(f);
        // An end of an edge that meets something may be outside by as much as the edge's half.
        let around = there.wider(core);
        let mut longest = 0.0_f64;
        for (v, swept) in self.vertices.iter().enumerate() {
            if swept.meets(&around) {
                longest = longest.max(self.ways[v]);
            }
        }
        let slack = self.sort_out(core, &there).max(0.5 * longest) * (1.0 + ROUNDING);
        self.gather(f, core, &there);
        let reach = core + slack;
        self.seed(f, points, &around, (reach, longest));
        found.large = (self.large_triangles.len() + self.large_edges.len()) as u32;
        found.reach_m = reach;
        self.pairs.clear();
        self.name(f, (core, slack));
        self.name_large(f, &there);
        self.prove(f, found);
    }

    /// Boxes of the vertices. Says how many are nowhere.
    fn sweep(&mut self, f: &Features) -> u32 {
        let mut unknown = 0;
        self.vertices.clear();
        for (a, b) in f.before.iter().zip(&f.after) {
            let mut swept = Swept::NOTHING;
            if (a.x + a.y + a.z + b.x + b.y + b.z).is_finite() {
                swept.add(a);
                swept.add(b);
            } else {
                unknown += 1;
            }
            self.vertices.push(swept);
        }
        unknown
    }

    /// Boxes of the features, lengths and ways of those that come where anything yields.
    fn measure(&mut self, f: &Features, there: &Swept) {
        let sized = |vertices: &[Swept], ways: &[f64], corners: &[u32], part: f64| {
            let (mut swept, mut somewhere) = (Swept::NOTHING, true);
            for &v in corners {
                let own = &vertices[v as usize];
                somewhere &= own.is_somewhere();
                swept.join(own);
            }
            let (mut longest, mut way) = (0.0_f64, 0.0_f64);
            if !(somewhere && swept.meets(there)) {
                let core = f64::NAN;
                return Sized { swept, core, way };
            }
            for (i, &v) in corners.iter().enumerate() {
                way = way.max(ways[v as usize]);
                // An edge has one side.
                if i + 1 == corners.len() && i == 1 {
                    continue;
                }
                let w = corners[(i + 1) % corners.len()];
                for x in [&f.before, &f.after] {
                    longest = longest.max((x[v as usize] - x[w as usize]).norm_squared());
                }
            }
            let core = part * longest.sqrt();
            Sized { swept, core, way }
        };
        self.ways.clear();
        self.ways
            .extend((f.before.iter().zip(&f.after)).map(|(a, b)| (b - a).norm()));
        let (vertices, ways) = (&self.vertices, &self.ways);
        self.triangles.clear();
        (self.triangles).extend(f.triangles.iter().map(|t| sized(vertices, ways, t, JUNG)));
        self.edges.clear();
        (self.edges).extend(f.edges.iter().map(|e| sized(vertices, ways, &e.ends, 0.5)));
    }

    /// What is no longer than this is not large, m.
    fn core(&self, f: &Features) -> f64 {
        let (mut most, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
        let triangles = self.triangles.iter().zip(&f.triangles);
        let edges = self.edges.iter().zip(&f.edges);
        let all = triangles
            .map(|(s, t)| (s, t[0]))
            .chain(edges.map(|(s, e)| (s, e.ends[0])));
        for (sized, v) in all {
            if f.yields(v) && sized.core.is_finite() {
                most = most.max(sized.core);
                (sum, count) = (sum + sized.core, count + 1.0);
            }
        }
        if count > 0.0 {
            most.min(LARGE * sum / count)
        } else {
            0.0
        }
    }

    /// Parts what is large from what is not, and says how far a place of the latter may be from
    /// where its nearest vertex is halfway, m.
    fn sort_out(&mut self, core: f64, there: &Swept) -> f64 {
        let mut slack = core;
        let mut part = |all: &[Sized], large: &mut Vec<u32>| {
            large.clear();
            for (i, sized) in (0..).zip(all) {
                if !sized.swept.meets(there) || sized.core.is_nan() {
                    continue;
                }
                if sized.core <= core {
                    slack = slack.max(sized.core + 0.5 * sized.way);
                } else {
                    large.push(i);
                }
            }
        };
        part(&self.triangles, &mut self.large_triangles);
        part(&self.edges, &mut self.large_edges);
        slack
    }

    /// The boxes of all that is not large, by vertex: two features can only meet where the boxes of
    /// any two of their vertices do.
    fn gather(&mut self, f: &Features, core: f64, there: &Swept) {
        self.stars.clear();
        (self.stars).extend(self.vertices.iter().map(|swept| {
            if swept.meets(there) {
                *swept
            } else {
                Swept::NOTHING
            }
        }));
        let triangles = self.triangles.iter().zip(&f.triangles);
        let edges = self.edges.iter().zip(&f.edges);
        let all = triangles
            .map(|(sized, t)| (sized, &t[..]))
            .chain(edges.map(|(sized, e)| (sized, &e.ends[..])));
        for (sized, corners) in all {
            // NaN is not.
            if sized.core <= core {
                for &v in corners {
                    self.stars[v as usize].join(&sized.swept);
                }
            }
        }
        self.halves.clone_from(&self.stars);
        for (half, swept) in self.halves.iter_mut().zip(&self.vertices) {
            if half.is_somewhere() {
                *half = *swept;
            }
        }
        self.middles.clear();
        for (sized, edge) in self.edges.iter().zip(&f.edges) {
            let mut middle = Swept::NOTHING;
            if sized.core <= core {
                let [v, w] = edge.ends.map(|v| v as usize);
                for x in [&f.before, &f.after] {
                    middle.add(&((x[v] + x[w]) * 0.5));
                }
                // The middle is rounded, and far from zero more than the edge is long.
                let far = sized.swept.low.amax().max(sized.swept.high.amax());
                middle = middle.wider(ROUNDING * core + 4.0 * f64::EPSILON * far);
                for v in [v, w] {
                    self.halves[v].join(&middle);
                }
            }
            self.middles.push(middle);
        }
    }

    /// Finds for each vertex that yields the vertices within reach of its way whose features can
    /// meet its own.
    fn seed(
        &mut self,
        f: &Features,
        points: &mut MovingPoints,
        around: &Swept,
        (reach, longest): (f64, f64),
    ) {
        self.choose(f, around, longest + reach);
        let room = around.wider(longest + reach);
        self.places.clear();
        for v in &self.members {
            let (a, b) = (&f.before[*v as usize], &f.after[*v as usize]);
            let halfway = a + (b - a) * 0.5;
            let there = halfway.zip_zip_map(&room.low, &room.high, |x, low, high| {
                // Of what is nowhere somewhere.
                x.max(low).min(high)
            });
            self.places.push(there);
        }
        // Without, nobody is in a leaf, and all are blind.
        let _ = points.place(
            &self.places,
            reach,
            0.5 * longest * (1.0 + ROUNDING) + reach,
        );
        let count = f.vertices() as usize;
        let tables = [count, count, f.triangles.len(), f.edges.len()];
        for (met, count) in self.met.iter_mut().zip(tables) {
            met.clear();
            met.resize(count, u32::MAX);
        }
        self.settle(points);
        self.first.clear();
        self.near.clear();
        self.blind.clear();
        self.crossed.clear();
        self.ends.clear();
        for v in 0..f.vertices() {
            let known = f.yields(v) && self.vertices[v as usize].is_somewhere();
            if known && !self.cross(f, points, v) {
                self.blind.push(v);
            }
            self.ends.push(self.crossed.len() as u32);
        }
        for leaf in 0..self.leaves.len() {
            self.list(points, leaf);
        }
        let mut begin = 0;
        for (v, &end) in (0..).zip(&self.ends) {
            self.first.push(self.near.len() as u32);
            let at = v as usize;
            let (own, star, half) = (&self.vertices[at], &self.stars[at], &self.halves[at]);
            for leaf in &self.crossed[begin..end as usize] {
                let leaf = &self.leaves[*leaf as usize];
                for (other, w) in &self.listed[leaf.first as usize..leaf.end as usize] {
                    let at = *w as usize;
                    if other.meets(star)
                        && (self.halves[at].meets(half)
                            || other.meets(own)
                            || star.meets(&self.vertices[at]))
                        && std::mem::replace(&mut self.met[0][at], v) != v
                        && *w != v
                        && f.watched(v, *w)
                    {
                        self.near.push(*w);
                    }
                }
            }
            begin = end as usize;
        }
        self.first.push(self.near.len() as u32);
    }

    /// Who is in which leaf.
    fn settle(&mut self, points: &MovingPoints) {
        self.known.clear();
        self.leaves.clear();
        self.listed.clear();
        self.home.clear();
        let Some(registration) = points.registration() else {
            return;
        };
        let map = registration.map();
        self.known.resize(map.cell_slots(), NOBODY);
        let Some(some) = map.leaves().next() else {
            return;
        };
        self.home.resize(self.places.len(), some);
        for leaf in map.leaves() {
            for x in registration.present(leaf, Kind::Point) {
                self.home[x.index()] = leaf;
            }
        }
    }

    /// Adds the leaves that a vertex's way crosses to `crossed`. False: it leads where there are
    /// none.
    fn cross(&mut self, f: &Features, points: &MovingPoints, v: u32) -> bool {
        let point = self.points[v as usize] as usize;
        let Some(&home) = self.home.get(point) else {
            return false;
        };
        let leaf = self.know(points, home);
        let room = &self.leaves[leaf as usize].room;
        let (from, to) = (&f.before[v as usize], &f.after[v as usize]);
        let begin = self.crossed.len();
        let mut reached = true;
        // Most ways are short, and stay in their leaf: a cube has all of a segment whose ends it
        // has.
        if room.holds(from) && room.holds(to) {
            self.crossed.push(leaf);
        } else {
            self.marched.clear();
            for end in [from, to] {
                let marched = &mut self.marched;
                let path = points.march(point, end, |leaf| marched.push(leaf));
                reached &= matches!(path, Some(Path::Reached(_)));
            }
            self.marched.sort_unstable();
            self.marched.dedup();
            for i in 0..self.marched.len() {
                let leaf = self.know(points, self.marched[i]);
                self.crossed.push(leaf);
            }
        }
        for leaf in &self.crossed[begin..] {
            (self.leaves[*leaf as usize].wanted).join(&self.stars[v as usize]);
        }
        reached
    }

    /// A leaf's place in `leaves`.
    fn know(&mut self, points: &MovingPoints, cell: Cell) -> u32 {
        let known = &mut self.known[cell.index()];
        if *known == NOBODY {
            *known = self.leaves.len() as u32;
            self.leaves.push(Leaf {
                first: 0,
                end: 0,
                cell,
                room: (points.registration()).map_or(Swept::NOTHING, |x| room(x.map(), cell)),
                wanted: Swept::NOTHING,
            });
        }
        *known
    }

    /// Puts side by side who is in a leaf's lists and comes near anybody who crosses it.
    fn list(&mut self, points: &mut MovingPoints, leaf: usize) {
        let Leaf { cell, wanted, .. } = self.leaves[leaf];
        let first = self.listed.len() as u32;
        for p in points.around(cell) {
            let w = self.members[p as usize];
            let star = self.stars[w as usize];
            if star.meets(&wanted) {
                self.listed.push((star, w));
            }
        }
        let end = self.listed.len() as u32;
        (self.leaves[leaf].first, self.leaves[leaf].end) = (first, end);
    }

    /// Who is registered: all that an answer may need, and who may be needed soon, so that it need
    /// not be chosen again.
    fn choose(&mut self, f: &Features, around: &Swept, room: f64) {
        let count = f.vertices() as usize;
        let vertices = &self.vertices;
        let known = self.points.len() == count
            && (vertices.iter().zip(&self.points))
                .all(|(swept, point)| *point != NOBODY || !swept.meets(around));
        if known {
            return;
        }
        let extent = (around.high - around.low).max();
        let wide = around.wider(MARGIN * extent + room);
        self.members.clear();
        self.points.clear();
        for (v, swept) in (0..).zip(vertices) {
            if swept.meets(&wide) {
                self.points.push(self.members.len() as u32);
                self.members.push(v);
            } else {
                self.points.push(NOBODY);
            }
        }
    }

    /// Pairs among what is not large, looked for from what yields. `core` and `slack`: furthest
    /// that a place is from its nearest vertex, at any time and from where that is halfway.
    fn name(&mut self, f: &Features, (core, slack): (f64, f64)) {
        let Work {
            triangles,
            edges,
            vertices,
            stars,
            halves,
            middles,
            points,
            places,
            first,
            near,
            met: [_, met_vertices, met_triangles, met_edges],
            pairs,
            ..
        } = self;
        let near_of = |v: u32| {
            let range = first[v as usize] as usize..first[v as usize + 1] as usize;
            &near[range]
        };
        let halfway = |w: u32| &places[points[w as usize] as usize];
        let mut face = |v: u32, t: u32| {
            let sized = &triangles[t as usize];
            let apart = !f.triangles[t as usize].contains(&v);
            if sized.core <= core && apart && sized.swept.meets(&vertices[v as usize]) {
                pairs.push(Pair::Face(v, t));
            }
        };
        for v in (0..f.vertices()).filter(|v| f.yields(*v)) {
            let own = &vertices[v as usize];
            let (wide, star) = (own.wider(slack), &stars[v as usize]);
            for &w in near_of(v) {
                // Who does not yield is looked at from here.
                if !f.yields(w) && star.meets(&vertices[w as usize]) {
                    f.triangles_at(v).iter().for_each(|t| face(w, *t));
                }
                if !(stars[w as usize].meets(own) && wide.holds(halfway(w))) {
                    continue;
                }
                for &t in f.triangles_at(w) {
                    if std::mem::replace(&mut met_triangles[t as usize], v) != v {
                        face(v, t);
                    }
                }
            }
        }
        for (a, edge) in (0..).zip(&f.edges) {
            let own = &edges[a as usize];
            if !(own.core <= core && f.yields(edge.ends[0])) {
                continue;
            }
            let wide = own.swept.wider(slack);
            for end in edge.ends {
                // Two edges that meet do so in the half at an end of each.
                let mut half = middles[a as usize];
                half.join(&vertices[end as usize]);
                for &w in near_of(end) {
                    if !(halves[w as usize].meets(&half)
                        && std::mem::replace(&mut met_vertices[w as usize], a) != a
                        && wide.holds(halfway(w)))
                    {
                        continue;
                    }
                    // Two that yield see each other: taken from the lower one. The highest come
                    // first here.
                    let least = if f.yields(w) { a + 1 } else { 0 };
                    for &b in f.edges_at(w).iter().rev() {
                        if b < least {
                            break;
                        }
                        if std::mem::replace(&mut met_edges[b as usize], a) == a {
                            continue;
                        }
                        let sized = &edges[b as usize];
                        if sized.swept.meets(&own.swept)
                            && sized.core <= core
                            && !shares(edge.ends, f.edges[b as usize].ends)
                        {
                            pairs.push(Pair::Edges(a.min(b), a.max(b)));
                        }
                    }
                }
            }
        }
    }

    /// What is large against everything, and everything against what could not be marched.
    fn name_large(&mut self, f: &Features, there: &Swept) {
        let pairs = &mut self.pairs;
        let mut face = |v: u32, t: u32| {
            // Few are near.
            if !self.vertices[v as usize].meets(&self.triangles[t as usize].swept) {
                return;
            }
            let corners = f.triangles[t as usize];
            if f.watched(v, corners[0]) && !corners.contains(&v) {
                pairs.push(Pair::Face(v, t));
            }
        };
        // They are few, and all that is not is read once.
        let mut large = Swept::NOTHING;
        for &t in &self.large_triangles {
            large.join(&self.triangles[t as usize].swept);
        }
        for (v, own) in (0..).zip(&self.vertices) {
            if own.meets(&large) {
                self.large_triangles.iter().for_each(|t| face(v, *t));
            }
        }
        for &v in &self.blind {
            (0..f.triangles.len() as u32).for_each(|t| face(v, t));
            for &t in f.triangles_at(v) {
                (0..f.vertices()).for_each(|w| face(w, t));
            }
        }
        let mut both = |a: u32, b: u32| {
            let [x, y] = [a, b].map(|e| &self.edges[e as usize].swept);
            if !x.meets(y) {
                return;
            }
            let ends = [a, b].map(|e| f.edges[e as usize].ends);
            if a != b && f.watched(ends[0][0], ends[1][0]) && !shares(ends[0], ends[1]) {
                pairs.push(Pair::Edges(a.min(b), a.max(b)));
            }
        };
        let all = 0..f.edges.len() as u32;
        let mut large = Swept::NOTHING;
        for &a in &self.large_edges {
            large.join(&self.edges[a as usize].swept);
        }
        for (b, own) in (0..).zip(&self.edges) {
            if own.swept.meets(&large) {
                self.large_edges.iter().for_each(|a| both(*a, b));
            }
        }
        for &v in &self.blind {
            for &a in f.edges_at(v) {
                if self.edges[a as usize].swept.meets(there) {
                    all.clone().for_each(|b| both(a, b));
                }
            }
        }
        // The order is that of the features, whatever order they were named in; and what was named
        // twice is looked at once.
        pairs.sort_unstable();
        pairs.dedup();
    }

    fn prove(&mut self, f: &Features, found: &mut Found) {
        let options = LinearOptions::default();
        found.tested = self.pairs.len() as u32;
        for pair in &self.pairs {
            let (kind, a, b) = match *pair {
                Pair::Face(v, t) => (PairKind::VertexFace, [v; 3], f.triangles[t as usize]),
                Pair::Edges(a, b) => {
                    let [a, b] = [a, b].map(|e| {
                        let edge = &f.edges[e as usize];
                        [edge.ends[0], edge.ends[1], edge.third]
                    });
                    (PairKind::EdgeEdge, a, b)
                }
            };
            let [way_a, way_b] = [f.way(a), f.way(b)];
            let ways = [[&way_a[0], &way_a[1]], [&way_b[0], &way_b[1]]];
            if let Some(contact) = first_contact_linear(kind, ways[0], ways[1], &options) {
                found.crossings.push(Crossing {
                    kind,
                    surfaces: [f.local(a[0]).0, f.local(b[0]).0],
                    a: a.map(|v| f.local(v).1),
                    b: b.map(|v| f.local(v).1),
                    contact,
                });
            }
        }
    }
}

fn shares(a: [u32; 2], b: [u32; 2]) -> bool {
    a.iter().any(|v| b.contains(v))
}

/// The box of a leaf.
fn room(map: &Map, leaf: Cell) -> Swept {
    let mut room = Swept::NOTHING;
    for d in map.cell_darts(leaf) {
        room.add(&map.start(d));
    }
    room
}
