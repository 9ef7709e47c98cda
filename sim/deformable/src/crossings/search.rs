//! From the positions before and after the step to the pairs that meet: seeds, boxes, proofs.

use hapticd_ccd::{LinearOptions, PairKind, first_contact_linear};
use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::points::MovingPoints;
use hapticd_registration::registration::Kind;
use hapticd_registration::track::Path;

use super::features::Features;
use super::{Crossing, Found};

/// Features longer than this multiple of the mean of the deformable ones are large.
const LARGE: f64 = 4.0;
/// 1 / `√3`: the nearest vertex of a triangle is within this fraction of its longest side.
const JUNG: f64 = 0.577_350_269_189_626;
/// Marks a vertex that is not registered.
const UNREGISTERED: u32 = u32::MAX;
/// Margin, as a fraction of the extent of the deformable vertices, within which further vertices
/// are registered: a vertex that approaches is there already.
const MARGIN: f64 = 0.5;
/// Fraction by which the reach exceeds the proven length, against rounding.
const ROUNDING: f64 = 1e-6;

/// An axis-aligned box.
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
        // Nothing here is NaN; `f64::min` and `Vec3::inf` would test for it.
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

/// Box and size of a triangle or an edge.
#[derive(Clone, Copy, Debug)]
struct Sized {
    swept: Swept,
    /// Largest distance of a point of the feature from its nearest vertex, m. NaN if a vertex is
    /// not finite, or if the feature comes near no deformable.
    core: f64,
    /// Longest displacement of its vertices, m.
    way: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pair {
    /// Vertex, triangle.
    Face(u32, u32),
    /// Two edges, the lower index first.
    Edges(u32, u32),
}

/// A leaf of the map in this step.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// The vertices in its lists: a range of [`Work::listed`].
    first: u32,
    end: u32,
    cell: Cell,
    /// Box of the leaf, a cube.
    room: Swept,
    /// Union of the stars of the vertices whose paths cross it.
    wanted: Swept,
}

/// Scratch memory, kept between steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    triangles: Vec<Sized>,
    edges: Vec<Sized>,
    vertices: Vec<Swept>,
    /// For each vertex, its displacement, m.
    ways: Vec<f64>,
    /// For each vertex, the box of it and of all features at it that are not large, over the step;
    /// empty if they come near no deformable.
    stars: Vec<Swept>,
    /// For each vertex, the box of its halves of the edges that are not large, over the step.
    halves: Vec<Swept>,
    /// For each edge, the box of its middle over the step.
    middles: Vec<Swept>,
    /// Registered vertices by point; and the point of each vertex, or [`UNREGISTERED`].
    members: Vec<u32>,
    points: Vec<u32>,
    places: Vec<Vec3>,
    /// For each point, the leaf that it is in.
    home: Vec<Cell>,
    /// For each leaf, its index in `leaves`, or [`UNREGISTERED`].
    known: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Vertices with their stars, leaf after leaf.
    listed: Vec<(Swept, u32)>,
    /// Leaves that one path crosses, while it is marched.
    marched: Vec<Cell>,
    /// Indices into `leaves`, path after path; and for each vertex the end of its path's range.
    crossed: Vec<u32>,
    ends: Vec<u32>,
    /// For each vertex, the start of its candidates in `near`. One longer than the number of
    /// vertices.
    first: Vec<u32>,
    near: Vec<u32>,
    /// For each vertex, vertex of an edge, triangle and edge: the feature that visited it last.
    met: [Vec<u32>; 4],
    /// Vertices whose path could not be marched.
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
        // Box of all deformable vertices: only there can a tested crossing happen.
        let mut there = Swept::NOTHING;
        for v in (0..f.vertices()).filter(|v| f.yields(*v)) {
            there.join(&self.vertices[v as usize]);
        }
        if !there.is_somewhere() {
            return;
        }
        self.measure(f, &there);
        let core = self.core(f);
        // An end of an edge that meets something may be outside by up to half of the edge.
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

    /// Computes the boxes of the vertices. Returns the number of vertices that are not finite.
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

    /// Computes the boxes of all features, and the sizes and displacements of those that come near
    /// a deformable.
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

    /// Size up to which a feature is not large, m.
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

    /// Separates large features from the others. Returns the largest distance of a point of the
    /// others from the halfway position of its nearest vertex, m.
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

    /// Computes for each vertex the boxes of all features that are not large. Two features can only
    /// meet where the boxes of any two of their vertices do.
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
            // False for NaN.
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
                // The middle is rounded; far from zero, by more than the length of the edge allows
                // for.
                let far = sized.swept.low.amax().max(sized.swept.high.amax());
                middle = middle.wider(ROUNDING * core + 4.0 * f64::EPSILON * far);
                for v in [v, w] {
                    self.halves[v].join(&middle);
                }
            }
            self.middles.push(middle);
        }
    }

    /// Finds for each deformable vertex the vertices within reach of its path whose features can
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
                // Gives non-finite positions a finite place.
                x.max(low).min(high)
            });
            self.places.push(there);
        }
        // If this fails, no vertex is in a leaf, and all are blind.
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

    /// Records the leaf of each point.
    fn settle(&mut self, points: &MovingPoints) {
        self.known.clear();
        self.leaves.clear();
        self.listed.clear();
        self.home.clear();
        let Some(registration) = points.registration() else {
            return;
        };
        let map = registration.map();
        self.known.resize(map.cell_slots(), UNREGISTERED);
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

    /// Adds the leaves that a vertex's path crosses to `crossed`. Returns false if the path leaves
    /// the map.
    fn cross(&mut self, f: &Features, points: &MovingPoints, v: u32) -> bool {
        let point = self.points[v as usize] as usize;
        let Some(&home) = self.home.get(point) else {
            return false;
        };
        let leaf = self.leaf_index(points, home);
        let room = &self.leaves[leaf as usize].room;
        let (from, to) = (&f.before[v as usize], &f.after[v as usize]);
        let begin = self.crossed.len();
        let mut reached = true;
        // Most paths are short and stay in their leaf: a cube contains every segment whose ends it
        // contains.
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
                let leaf = self.leaf_index(points, self.marched[i]);
                self.crossed.push(leaf);
            }
        }
        for leaf in &self.crossed[begin..] {
            (self.leaves[*leaf as usize].wanted).join(&self.stars[v as usize]);
        }
        reached
    }

    /// Index of a leaf in `leaves`.
    fn leaf_index(&mut self, points: &MovingPoints, cell: Cell) -> u32 {
        let known = &mut self.known[cell.index()];
        if *known == UNREGISTERED {
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

    /// Collects the vertices in a leaf's lists that come near any vertex that crosses it.
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

    /// Selects the vertices to register: all that an answer may need, and those that may be needed
    /// soon, which avoids selecting again.
    fn choose(&mut self, f: &Features, around: &Swept, room: f64) {
        let count = f.vertices() as usize;
        let vertices = &self.vertices;
        let known = self.points.len() == count
            && (vertices.iter().zip(&self.points))
                .all(|(swept, point)| *point != UNREGISTERED || !swept.meets(around));
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
                self.points.push(UNREGISTERED);
            }
        }
    }

    /// Lists the pairs among features that are not large, starting from the deformable ones. `core`
    /// and `slack`: largest distance of a point from its nearest vertex at any time, and from that
    /// vertex's halfway position.
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
                // Rigid vertices are tested from here.
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
                // Two edges that meet do so in the half at one end of each.
                let mut half = middles[a as usize];
                half.join(&vertices[end as usize]);
                for &w in near_of(end) {
                    if !(halves[w as usize].meets(&half)
                        && std::mem::replace(&mut met_vertices[w as usize], a) != a
                        && wide.holds(halfway(w)))
                    {
                        continue;
                    }
                    // Two deformable edges find each other: the pair is taken from the lower one.
                    // The highest come first here.
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

    /// Tests large features against everything, and everything against vertices that could not be
    /// marched.
    fn name_large(&mut self, f: &Features, there: &Swept) {
        let pairs = &mut self.pairs;
        let mut face = |v: u32, t: u32| {
            // Only few are near.
            if !self.vertices[v as usize].meets(&self.triangles[t as usize].swept) {
                return;
            }
            let corners = f.triangles[t as usize];
            if f.watched(v, corners[0]) && !corners.contains(&v) {
                pairs.push(Pair::Face(v, t));
            }
        };
        // Large features are few, and the others are read only once.
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
        // The order is that of the features, whatever order they were listed in; a pair that was
        // listed twice is tested once.
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

/// Box of a leaf.
fn room(map: &Map, leaf: Cell) -> Swept {
    let mut room = Swept::NOTHING;
    for d in map.cell_darts(leaf) {
        room.add(&map.start(d));
    }
    room
}
