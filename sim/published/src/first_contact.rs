//! First time of contact of two meshes, one of which follows a constant-speed screw.
//!
//! Simultaneous descent of the two box hierarchies with the continuous box test. The leaves use
//! Redon's elementary tests. Discrete tests at the final and initial poses save continuous ones.
//! The earliest contact so far ends every later test (Redon 2002, sections 1.3.1, 3.3 and 3.5).
//!
//! **To find contacts use [`hapticd_ccd::moving`]**, which treats a static body as one of two
//! moving ones: it is fifty times faster on long paths that end in each other. This is the
//! published method with its switches, to reproduce the published measurements, and an independent
//! check for the tests. It shares with the other searches only the boxes and the closest points of
//! a feature pair at one instant. The daemon does not call it.
//!
//! It allocates a stack, and its time is not bounded a priori. On large sweeps most time goes to
//! pairs of boxes that meet late in the motion, since the descent is depth-first (as published) and
//! not in the order of time. A pure function; no panics. Metres; time in fractions of the screw.
//!
//! Complete up to the requested precision: if it reports no contact, no two surfaces touch during
//! the motion; if it reports one at `t`, no surfaces touch before `t`.

use hapticd_ccd::index::Leaf;
use hapticd_ccd::obb::{Axes, Obb, overlap_on};
use hapticd_ccd::{FeaturePair, MeshIndex, ObbTree, PairKind};
use hapticd_geometry::{Mat3, Pose, Screw, Vec3, transform};

use crate::backface::BackFaceCones;
use crate::backface::cone::MAX_VECTORS;
use crate::backface::recede::recedes;
use crate::interval::{Precision, first_contact_of_pair};
use crate::sweep::{SweepOptions, overlap_during};

/// Discrete box tests that precede the continuous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreTests {
    /// None: every pair of boxes is tested continuously.
    None,
    /// At the end of the motion, or at the earliest contact so far.
    Final,
    /// At the start.
    Initial,
    /// At the end, then at the start.
    Both,
}

/// Options of a search. The contact found depends only on the precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContactOptions {
    /// Precision of the contact.
    pub precision: Precision,
    /// Continuous box test.
    pub sweep: SweepOptions,
    /// Discrete box tests before it.
    pub pre_tests: PreTests,
    /// Axes of the discrete tests; those of the continuous test are in `sweep`.
    pub discrete_axes: Axes,
    /// End later tests at the earliest contact so far.
    pub pass_contact_time: bool,
}

impl Default for FirstContactOptions {
    fn default() -> Self {
        Self {
            precision: Precision::default(),
            sweep: SweepOptions::default(),
            pre_tests: PreTests::Both,
            discrete_axes: Axes::All,
            pass_contact_time: true,
        }
    }
}

/// Earliest contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// Time of contact, not later than the true one.
    pub t: f64,
    /// Kind of the touching features. Of several at one time, the smallest in the order of
    /// [`PairKind`] and indices.
    pub kind: PairKind,
    /// Vertex, edge or triangle index in A.
    pub feature_a: u32,
    /// Vertex, edge or triangle index in B.
    pub feature_b: u32,
    /// Point of contact, in B's frame.
    pub point: Vec3,
    /// Unit normal from B to A; zero if the distance at `t` is exactly zero.
    pub normal: Vec3,
    /// False if the search ran out of evaluations at `t`: later times are then unknown.
    pub certain: bool,
}

impl FirstContact {
    /// Result when no time is proven free.
    const UNKNOWN: Self = Self {
        t: 0.0,
        kind: PairKind::VertexFace,
        feature_a: 0,
        feature_b: 0,
        point: Vec3::new(0.0, 0.0, 0.0),
        normal: Vec3::new(0.0, 0.0, 0.0),
        certain: false,
    };
}

/// Counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Discrete box tests at the final pose.
    pub boxes_final: u64,
    /// Discrete box tests at the initial pose.
    pub boxes_initial: u64,
    /// Continuous box tests.
    pub boxes_continuous: u64,
    /// Interval separating-axis tests in them.
    pub sweeps: u64,
    /// Edge/edge tests.
    pub edge_edge: u64,
    /// Vertex/face tests.
    pub vertex_face: u64,
    /// Face/vertex tests.
    pub face_vertex: u64,
    /// Back-face tests of boxes.
    pub back_faces: u64,
}

/// Boxes that are tested for receding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CullBoxes {
    /// Only boxes of single triangles.
    Leaves,
    /// All boxes.
    All,
}

/// How back faces are culled; see [`crate::backface`].
#[derive(Clone, Copy, Debug)]
pub struct Culling<'a> {
    /// Cones of A; `None` disables culling of A.
    pub cones_a: Option<&'a BackFaceCones>,
    /// Cones of B; `None` disables culling of B.
    pub cones_b: Option<&'a BackFaceCones>,
    /// Boxes to test.
    pub boxes: CullBoxes,
    /// True tests a box once and remembers the result; false tests it again in every pair.
    pub stamps: bool,
}

impl Culling<'_> {
    /// No culling.
    pub const NONE: Self = Self {
        cones_a: None,
        cones_b: None,
        boxes: CullBoxes::All,
        stamps: true,
    };
}

/// First contact of `a`, which starts at `b_from_a` and follows `screw` (in b's frame), with the
/// static `b`, during `[0, 1]`. Two point shapes never touch. Shapes are their surfaces: a body
/// that starts wholly inside another does not touch it.
///
/// For sphere tools, pass the point shape; contact is then that of the centre. A non-finite pose or
/// screw gives an uncertain contact at time 0.
#[must_use]
pub fn first_contact(
    a: &MeshIndex,
    b: &MeshIndex,
    b_from_a: &Pose,
    screw: &Screw,
    options: &FirstContactOptions,
) -> (Option<FirstContact>, Counters) {
    let motion = ShapeMotion {
        a,
        b,
        b_from_a,
        screw,
    };
    first_contact_culled(motion, options, &Culling::NONE)
}

/// A shape that moves past a static one.
#[derive(Clone, Copy, Debug)]
pub struct ShapeMotion<'a> {
    /// The moving shape.
    pub a: &'a MeshIndex,
    /// The static shape.
    pub b: &'a MeshIndex,
    /// Where A starts, in b's frame.
    pub b_from_a: &'a Pose,
    /// What A follows, in b's frame.
    pub screw: &'a Screw,
}

/// As [`first_contact()`], without parts that move away from the other body.
///
/// For bodies that start apart, the time is the same within the requested precision. A touch at the
/// start of two bodies that part is not found. The cones must belong to these shapes. With cones, a
/// feature is tested with every triangle that does not recede, not only with its owner (which may
/// recede while another does not). So it may be tested more than once.
#[must_use]
pub fn first_contact_culled(
    motion: ShapeMotion<'_>,
    options: &FirstContactOptions,
    culling: &Culling<'_>,
) -> (Option<FirstContact>, Counters) {
    let ShapeMotion {
        a,
        b,
        b_from_a,
        screw,
    } = motion;
    let numbers = [
        screw.angle,
        screw.translation,
        screw.point.sum(),
        screw.axis.sum(),
    ];
    let pose = b_from_a.translation.vector.sum() + b_from_a.rotation.coords.sum();
    if !(numbers.iter().all(|x| x.is_finite()) && pose.is_finite()) {
        return (Some(FirstContact::UNKNOWN), Counters::default());
    }
    let mut search = Search {
        screw,
        options,
        start: Rigid::new(b_from_a),
        end: Rigid::new(&screw.displacement_at(1.0)),
        best: None,
        counters: Counters::default(),
        culling,
    };
    match (Surface::of(a), Surface::of(b)) {
        (Some(a), Some(b)) => search.surfaces(a, b),
        (None, Some(b)) => {
            let p = transform(b_from_a, &place(a));
            search.point_surface(&p, b);
        }
        (Some(a), None) => search.surface_point(a, &place(b)),
        (None, None) => {}
    }
    (search.best, search.counters)
}

/// Position of a point shape.
fn place(point: &MeshIndex) -> Vec3 {
    let vertex = point.feature_a(PairKind::VertexFace, 0);
    vertex.unwrap_or_default()[0]
}

/// A mesh and its hierarchy.
#[derive(Clone, Copy)]
struct Surface<'a> {
    shape: &'a MeshIndex,
    tree: &'a ObbTree,
}

impl<'a> Surface<'a> {
    /// `None` for a point.
    fn of(shape: &'a MeshIndex) -> Option<Self> {
        shape.tree().map(|tree| Self { shape, tree })
    }
}

struct Rigid {
    rotation: Mat3,
    translation: Vec3,
}

impl Rigid {
    fn new(pose: &Pose) -> Self {
        let rotation = *pose.rotation.to_rotation_matrix().matrix();
        Self {
            rotation,
            translation: pose.translation.vector,
        }
    }

    fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    fn obb(&self, o: &Obb) -> Obb {
        Obb {
            center: self.point(&o.center),
            axes: self.rotation * o.axes,
            half: o.half,
        }
    }
}

struct Search<'a> {
    screw: &'a Screw,
    options: &'a FirstContactOptions,
    start: Rigid,
    /// Displacement at the end of the tests.
    end: Rigid,
    best: Option<FirstContact>,
    counters: Counters,
    culling: &'a Culling<'a>,
}

/// Known state of a box.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Faces {
    Unknown,
    Approach,
    Recede,
}

/// The cones of one body, and the known states of all its boxes; empty without culling.
struct Stamps<'a> {
    cones: Option<&'a BackFaceCones>,
    faces: Vec<Faces>,
}

impl<'a> Stamps<'a> {
    fn new(cones: Option<&'a BackFaceCones>, nodes: usize) -> Self {
        let nodes = if cones.is_some() { nodes } else { 0 };
        Self {
            cones,
            faces: vec![Faces::Unknown; nodes],
        }
    }

    fn get(&self, node: u32) -> Faces {
        self.faces
            .get(node as usize)
            .copied()
            .unwrap_or(Faces::Approach)
    }
}

impl Search<'_> {
    fn t_end(&self) -> f64 {
        match &self.best {
            Some(c) if self.options.pass_contact_time => c.t,
            _ => 1.0,
        }
    }

    /// Tests whether two boxes, `a` at time 0, may overlap before the end of the tests.
    fn overlap(&mut self, a: &Obb, b: &Obb) -> bool {
        let (pre, axes) = (self.options.pre_tests, self.options.discrete_axes);
        if matches!(pre, PreTests::Final | PreTests::Both) {
            self.counters.boxes_final += 1;
            if overlap_on(&self.end.obb(a), b, axes) {
                return true;
            }
        }
        if matches!(pre, PreTests::Initial | PreTests::Both) {
            self.counters.boxes_initial += 1;
            if overlap_on(a, b, axes) {
                return true;
            }
        }
        self.counters.boxes_continuous += 1;
        let t_end = self.t_end();
        overlap_during(
            [a, b],
            self.screw,
            t_end,
            &self.options.sweep,
            &mut self.counters.sweeps,
        )
    }

    fn surfaces(&mut self, a: Surface<'_>, b: Surface<'_>) {
        let (nodes_a, nodes_b) = (a.tree.nodes(), b.tree.nodes());
        let mut stamps_a = Stamps::new(self.culling.cones_a, nodes_a.len());
        let mut stamps_b = Stamps::new(self.culling.cones_b, nodes_b.len());
        let mut stack = vec![(0u32, 0u32)];
        while let Some((ia, ib)) = stack.pop() {
            if stamps_a.get(ia) == Faces::Recede || stamps_b.get(ib) == Faces::Recede {
                continue;
            }
            let (na, nb) = (&nodes_a[ia as usize], &nodes_b[ib as usize]);
            let (moved, still) = (self.start.obb(&a.tree.obb(ia)), b.tree.obb(ib));
            if !self.overlap(&moved, &still) {
                continue;
            }
            if self.recedes(&mut stamps_a, ia, na.is_leaf(), &moved, true)
                || self.recedes(&mut stamps_b, ib, nb.is_leaf(), &still, false)
            {
                continue;
            }
            match (na.is_leaf(), nb.is_leaf()) {
                (true, true) => {
                    let leaf = a.shape.leaf(na.triangle());
                    if let (Some(a), Some(b)) = (leaf, b.shape.leaf(nb.triangle())) {
                        self.leaves(&a, &b);
                    }
                }
                (false, leaf) if leaf || na.size() > nb.size() => {
                    stack.push((na.children() + 1, ib));
                    stack.push((na.children(), ib));
                }
                _ => {
                    stack.push((ia, nb.children() + 1));
                    stack.push((ia, nb.children()));
                }
            }
        }
    }

    /// Tests whether a box of A, moved to its start, or of B moves away from the other body.
    fn recedes(
        &mut self,
        stamps: &mut Stamps<'_>,
        node: u32,
        leaf: bool,
        obb: &Obb,
        of_a: bool,
    ) -> bool {
        let Some(cones) = stamps.cones else {
            return false;
        };
        let known = stamps.get(node);
        if known != Faces::Unknown && self.culling.stamps {
            return known == Faces::Recede;
        }
        let cone = cones.of(node);
        if cone.is_empty() || !leaf && self.culling.boxes == CullBoxes::Leaves {
            return false;
        }
        self.counters.back_faces += 1;
        let away = if of_a {
            let mut turned = [Vec3::zeros(); MAX_VECTORS];
            for (t, m) in turned.iter_mut().zip(cone) {
                *t = self.start.rotation * m;
            }
            recedes(obb, &turned[..cone.len()], self.screw, 1.0)
        } else {
            recedes(obb, cone, self.screw, -1.0)
        };
        if self.culling.stamps {
            stamps.faces[node as usize] = if away { Faces::Recede } else { Faces::Approach };
        }
        away
    }

    fn point_surface(&mut self, p: &Vec3, b: Surface<'_>) {
        let tip = Obb {
            center: *p,
            axes: Mat3::identity(),
            half: Vec3::zeros(),
        };
        let nodes = b.tree.nodes();
        let mut stack = vec![0u32];
        while let Some(i) = stack.pop() {
            let node = &nodes[i as usize];
            if !self.overlap(&tip, &b.tree.obb(i)) {
                continue;
            }
            if node.is_leaf() {
                let Some(leaf) = b.shape.leaf(node.triangle()) else {
                    continue;
                };
                let vertex = [*p, *p, *p];
                self.pair(
                    PairKind::VertexFace,
                    &vertex,
                    &leaf.corners,
                    0,
                    leaf.triangle,
                );
            } else {
                stack.push(node.children() + 1);
                stack.push(node.children());
            }
        }
    }

    fn surface_point(&mut self, a: Surface<'_>, p: &Vec3) {
        let tip = Obb {
            center: *p,
            axes: Mat3::identity(),
            half: Vec3::zeros(),
        };
        let nodes = a.tree.nodes();
        let mut stack = vec![0u32];
        while let Some(i) = stack.pop() {
            let node = &nodes[i as usize];
            let moved = self.start.obb(&a.tree.obb(i));
            if !self.overlap(&moved, &tip) {
                continue;
            }
            if node.is_leaf() {
                let Some(leaf) = a.shape.leaf(node.triangle()) else {
                    continue;
                };
                let face = leaf.corners.map(|x| self.start.point(&x));
                self.pair(PairKind::FaceVertex, &face, &[*p; 3], leaf.triangle, 0);
            } else {
                stack.push(node.children() + 1);
                stack.push(node.children());
            }
        }
    }

    /// Tests all feature pairs that two triangles own.
    fn leaves(&mut self, a: &Leaf, b: &Leaf) {
        let corners = a.corners.map(|p| self.start.point(&p));
        // The owner of a feature may be culled while another of its triangles is not.
        let all =
            |cones: Option<&BackFaceCones>, mine: u8| if cones.is_some() { 0b111 } else { mine };
        let (cones_a, cones_b) = (self.culling.cones_a, self.culling.cones_b);
        let (vertices_a, edges_a) = (all(cones_a, a.owned_vertices), all(cones_a, a.owned_edges));
        let (vertices_b, edges_b) = (all(cones_b, b.owned_vertices), all(cones_b, b.owned_edges));
        for i in 0..3 {
            if vertices_a & (1 << i) != 0 {
                let v = [corners[i]; 3];
                self.pair(
                    PairKind::VertexFace,
                    &v,
                    &b.corners,
                    a.vertices[i],
                    b.triangle,
                );
            }
            if vertices_b & (1 << i) != 0 {
                let v = [b.corners[i]; 3];
                self.pair(
                    PairKind::FaceVertex,
                    &corners,
                    &v,
                    a.triangle,
                    b.vertices[i],
                );
            }
        }
        for i in (0..3).filter(|i| edges_a & (1 << i) != 0) {
            let e = [corners[i], corners[(i + 1) % 3], corners[i]];
            for j in (0..3).filter(|j| edges_b & (1 << j) != 0) {
                let f = [b.corners[j], b.corners[(j + 1) % 3], b.corners[j]];
                self.pair(PairKind::EdgeEdge, &e, &f, a.edges[i], b.edges[j]);
            }
        }
    }

    fn pair(
        &mut self,
        kind: PairKind,
        a: &[Vec3; 3],
        b: &[Vec3; 3],
        feature_a: u32,
        feature_b: u32,
    ) {
        *match kind {
            PairKind::VertexFace => &mut self.counters.vertex_face,
            PairKind::FaceVertex => &mut self.counters.face_vertex,
            PairKind::EdgeEdge => &mut self.counters.edge_edge,
        } += 1;
        let precision = &self.options.precision;
        let Some(c) = first_contact_of_pair(
            FeaturePair { kind, a, b },
            self.screw,
            self.t_end(),
            precision,
        ) else {
            return;
        };
        let earlier = self.best.as_ref().is_none_or(|best| {
            let key = (kind, feature_a, feature_b);
            c.t < best.t || c.t == best.t && key < (best.kind, best.feature_a, best.feature_b)
        });
        if earlier {
            self.best = Some(FirstContact {
                t: c.t,
                kind,
                feature_a,
                feature_b,
                point: c.pair.point_b,
                normal: c.pair.normal,
                certain: c.certain,
            });
            if self.options.pass_contact_time {
                self.end = Rigid::new(&self.screw.displacement_at(c.t));
            }
        }
    }
}
