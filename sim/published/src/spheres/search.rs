//! First contact of two sphere trees on an algebraic motion, with the thesis' measures against
//! repeated tests (Redon 2002, section 2.6).

use std::collections::HashSet;

use hapticd_ccd::pair::{FeaturePair, PairKind};
use hapticd_geometry::{Pose, Vec3, transform};

use super::tree::{FeatureSet, SphereTree};
use crate::algebraic::AlgebraicMotion;
use crate::algebraic::pair::first_contact_of_pair;
use crate::algebraic::sphere::spheres_meet;

/// Options of a search. The contact found depends on the tolerance only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereOptions {
    /// Features within this distance at a root of their cubic touch, metres.
    pub tolerance_m: f64,
    /// Remember which labels were tested against each other.
    pub sphere_table: bool,
    /// Remember which edges were tested against each other, which vertices against which faces, and
    /// which faces against which vertices.
    pub feature_tables: bool,
    /// Transform each vertex to the screw frame only once.
    pub vertex_cache: bool,
    /// End later tests at the earliest contact so far.
    pub pass_contact_time: bool,
}

impl Default for SphereOptions {
    fn default() -> Self {
        Self {
            tolerance_m: 1e-9,
            sphere_table: true,
            feature_tables: true,
            vertex_cache: true,
            pass_contact_time: true,
        }
    }
}

/// Counters of the searches so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SphereCounters {
    /// Sphere/sphere tests.
    pub spheres: u64,
    /// Edge/edge tests.
    pub edge_edge: u64,
    /// Vertex/face tests.
    pub vertex_face: u64,
    /// Face/vertex tests.
    pub face_vertex: u64,
    /// Vertices transformed to the screw frame.
    pub vertices: u64,
}

impl SphereCounters {
    /// Number of all tests.
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.spheres + self.edge_edge + self.vertex_face + self.face_vertex
    }
}

/// Earliest contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereContact {
    /// Time of contact.
    pub t: f64,
    /// Kind of the features. Of several at one time, the smallest in the order of [`PairKind`] and
    /// indices.
    pub kind: PairKind,
    /// Vertex, edge or triangle index in A.
    pub feature_a: u32,
    /// Vertex, edge or triangle index in B.
    pub feature_b: u32,
    /// Point of contact, in B's frame.
    pub point: Vec3,
}

/// Vertices in the screw frame, transformed on first use. Never cleared: a stamp marks those of
/// this search.
#[derive(Clone, Debug, Default)]
struct VertexCache {
    places: Vec<Vec3>,
    stamps: Vec<u64>,
}

impl VertexCache {
    fn get(
        &mut self,
        i: u32,
        stamp: Option<u64>,
        count: &mut u64,
        place: impl Fn(u32) -> Vec3,
    ) -> Vec3 {
        let slot = i as usize;
        if let Some(stamp) = stamp {
            if self.stamps.len() <= slot {
                self.stamps.resize(slot + 1, 0);
                self.places.resize(slot + 1, Vec3::zeros());
            }
            if self.stamps[slot] == stamp {
                return self.places[slot];
            }
        }
        *count += 1;
        let at = place(i);
        if let Some(stamp) = stamp {
            self.stamps[slot] = stamp;
            self.places[slot] = at;
        }
        at
    }
}

/// Work space of searches, with counters.
#[derive(Clone, Debug, Default)]
pub struct SphereSearch {
    stamp: u64,
    caches: [VertexCache; 2],
    spheres: HashSet<(u32, u32)>,
    features: [HashSet<(u32, u32)>; 3],
    stack: Vec<(u32, u32)>,
    /// Counters of the searches so far.
    pub counters: SphereCounters,
}

impl SphereSearch {
    /// First contact of `a`, which starts at `b_from_a` and follows `motion` (in B's frame), with
    /// the static `b`.
    pub fn first_contact(
        &mut self,
        a: &SphereTree,
        b: &SphereTree,
        b_from_a: &Pose,
        motion: &AlgebraicMotion,
        options: &SphereOptions,
    ) -> Option<SphereContact> {
        self.stamp += 1;
        self.spheres.clear();
        self.features.iter_mut().for_each(HashSet::clear);
        self.stack.clear();
        self.stack.push((0, 0));
        let stamp = options.vertex_cache.then_some(self.stamp);
        let mut best: Option<Best> = None;
        let mut end = 1.0;
        let place_a = |p: &Vec3| motion.to_frame(&transform(b_from_a, p));
        let place_b = |p: &Vec3| motion.to_frame(p);
        let (s, half_tangent) = (motion.translation(), motion.half_tangent());
        while let Some((ia, ib)) = self.stack.pop() {
            let (na, nb) = (&a.nodes()[ia as usize], &b.nodes()[ib as usize]);
            let labels = (na.label, nb.label);
            if options.sphere_table && self.spheres.contains(&labels) {
                continue;
            }
            self.counters.spheres += 1;
            let (ca, cb) = (place_a(&na.center), place_b(&nb.center));
            if !spheres_meet([&ca, &cb], na.radius + nb.radius, s, half_tangent, end) {
                continue;
            }
            match (a.features(na), b.features(nb)) {
                (Some(fa), Some(fb)) => {
                    let mut leaf = Leaf {
                        search: self,
                        trees: [a, b],
                        stamp,
                        options,
                        motion,
                        best: &mut best,
                        end: &mut end,
                    };
                    leaf.test(fa, fb, &place_a, &place_b);
                    if options.sphere_table {
                        self.spheres.insert(labels);
                    }
                }
                (None, other) if other.is_some() || na.radius > nb.radius => {
                    self.stack.push((na.children + 1, ib));
                    self.stack.push((na.children, ib));
                }
                _ => {
                    self.stack.push((ia, nb.children + 1));
                    self.stack.push((ia, nb.children));
                }
            }
        }
        best.map(|b| SphereContact {
            t: motion.time_of(b.key.0),
            kind: b.key.1,
            feature_a: b.key.2,
            feature_b: b.key.3,
            point: motion.from_frame(&b.point),
        })
    }
}

struct Best {
    key: (f64, PairKind, u32, u32),
    point: Vec3,
}

/// A pair of leaves with features to test.
struct Leaf<'s, 't> {
    search: &'s mut SphereSearch,
    trees: [&'t SphereTree; 2],
    stamp: Option<u64>,
    options: &'s SphereOptions,
    motion: &'s AlgebraicMotion,
    best: &'s mut Option<Best>,
    end: &'s mut f64,
}

impl Leaf<'_, '_> {
    fn test(
        &mut self,
        fa: &FeatureSet,
        fb: &FeatureSet,
        place_a: &impl Fn(&Vec3) -> Vec3,
        place_b: &impl Fn(&Vec3) -> Vec3,
    ) {
        let [a, b] = self.trees;
        for (kind, all_a, all_b) in [
            (PairKind::VertexFace, &fa.vertices, &fb.triangles),
            (PairKind::FaceVertex, &fa.triangles, &fb.vertices),
            (PairKind::EdgeEdge, &fa.edges, &fb.edges),
        ] {
            for &i in all_a {
                for &j in all_b {
                    let table = &mut self.search.features[kind as usize];
                    if self.options.feature_tables && !table.insert((i, j)) {
                        continue;
                    }
                    let p = self.points(0, a, kind.points_a(), i, place_a);
                    let q = self.points(1, b, kind.points_b(), j, place_b);
                    self.pair(kind, &p, &q, i, j);
                }
            }
        }
    }

    /// Corners of a feature in the screw frame.
    fn points(
        &mut self,
        side: usize,
        tree: &SphereTree,
        count: usize,
        feature: u32,
        place: &impl Fn(&Vec3) -> Vec3,
    ) -> [Vec3; 3] {
        let vertices = match count {
            1 => [feature; 3],
            2 => {
                let [p, q] = tree.edge(feature);
                [p, q, p]
            }
            _ => tree.triangle(feature),
        };
        let mut points = [Vec3::zeros(); 3];
        for (x, v) in points.iter_mut().zip(&vertices[..count]) {
            let counter = &mut self.search.counters.vertices;
            *x = self.search.caches[side].get(*v, self.stamp, counter, |v| {
                place(&tree.positions()[v as usize])
            });
        }
        points
    }

    fn pair(&mut self, kind: PairKind, p: &[Vec3; 3], q: &[Vec3; 3], i: u32, j: u32) {
        let counters = &mut self.search.counters;
        *match kind {
            PairKind::VertexFace => &mut counters.vertex_face,
            PairKind::FaceVertex => &mut counters.face_vertex,
            PairKind::EdgeEdge => &mut counters.edge_edge,
        } += 1;
        let tolerance = self.options.tolerance_m;
        let found = first_contact_of_pair(
            FeaturePair { kind, a: p, b: q },
            self.motion,
            *self.end,
            tolerance,
        );
        let Some(contact) = found else {
            return;
        };
        let key = (contact.share, kind, i, j);
        if self.best.as_ref().is_none_or(|b| key < b.key) {
            *self.best = Some(Best {
                key,
                point: contact.pair.point_b,
            });
            if self.options.pass_contact_time {
                *self.end = contact.share;
            }
        }
    }
}
