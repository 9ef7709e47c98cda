//! Contact rows: which nearby feature pairs constrain the tool, and how.
//!
//! Real-time callable: no allocation, bounded by the candidate count. Deterministic.
//!
//! # Theory
//!
//! Each contact gives one linear row for the tool's motion of this tick. Its bound leaves the safe
//! distance, even after the body's own approach ([`hapticd_gauss::ContactGap`]).
//!
//! Not every nearby pair may give a row. A vertex that slides over a tessellated plane is near to
//! *all* triangles around it. The closest point of a neighbouring triangle lies on the shared edge,
//! with a tilted normal; taken as a row, it is the bump known as an internal edge. Only pairs that
//! are *locally closest* on both surfaces are contacts:
//!
//! * vertex-face with the foot inside the face, or on its edges or corners if no neighbour across
//!   them is nearer, and none of the vertex's edges leading nearer;
//! * edge-edge with both feet inside the edges and the normal between the normals of the adjacent
//!   faces, tested by the in-plane directions ([`Pair::hints`]): leaving the foot into a face must
//!   not shorten the distance.
//!
//! A pair that this filter wrongly drops costs feel, not safety: continuous detection stops the
//! motion at it, and the caller then gives it a row for a while.

use hapticd_ccd::{FeaturePair, PairDistance, PairKind, closest};
use hapticd_geometry::{Rigid, Vec3};

use crate::snapshot::{HINTS, Pair};

/// Cosine slack of the local tests: directions this close to perpendicular count as perpendicular.
const SLACK: f64 = 1e-6;

/// A feature pair at the present poses, world frame.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Kind of the pair; the first feature is the tool's.
    pub kind: PairKind,
    /// Points of the tool's feature, m.
    pub tool: [Vec3; 3],
    /// Points of the body's feature, m.
    pub body: [Vec3; 3],
    /// Distance of the closed features, m (no radius subtracted).
    pub distance_m: f64,
    /// Sum of the radii of tool and body: the distance at which their surfaces meet, m.
    pub radius_m: f64,
    /// Unit normal, from the body to the tool.
    pub normal: Vec3,
    /// Closest point of the tool's feature, m.
    pub tool_point: Vec3,
    /// Closest point of the body's feature, m.
    pub body_point: Vec3,
    /// True if the pair is locally closest and may constrain the motion.
    pub contact: bool,
    /// Index into the arm's table of bodies.
    pub body_index: u8,
    /// Index into the snapshot's pairs.
    pub pair_index: u32,
}

impl Candidate {
    /// The pair's features, of which the first is the tool's.
    #[inline]
    pub(crate) fn features(&self) -> FeaturePair<'_> {
        FeaturePair {
            kind: self.kind,
            a: &self.tool,
            b: &self.body,
        }
    }
}

/// Evaluates a pair at the present poses. `body` is `world_from` the frame of the pair's body
/// points; `None` if that frame is the world itself.
pub fn candidate(pair: &Pair, tool: &Rigid, body: Option<&Rigid>) -> Candidate {
    let mut a = pair.tool;
    let mut b = pair.body;
    let (na, nb) = (pair.kind.points_a(), pair.kind.points_b());
    for p in &mut a[..na] {
        *p = tool.point(p);
    }
    if let Some(body) = body {
        for p in &mut b[..nb] {
            *p = body.point(p);
        }
    }
    let c = closest(pair.kind, &a, &b);
    let contact = is_contact(pair, tool, body, &c);
    Candidate {
        kind: pair.kind,
        tool: a,
        body: b,
        distance_m: c.distance,
        radius_m: 0.0,
        normal: c.normal,
        tool_point: c.point_a,
        body_point: c.point_b,
        contact,
        body_index: 0,
        pair_index: 0,
    }
}

fn is_contact(pair: &Pair, tool: &Rigid, body: Option<&Rigid>, c: &PairDistance) -> bool {
    let in_body = || body.map_or(c.normal, |b| b.inverse_vector(&c.normal));
    match pair.kind {
        PairKind::EdgeEdge => {
            c.interior
                && {
                    let n = tool.inverse_vector(&c.normal);
                    -n.dot(&pair.hints[0]) <= SLACK && -n.dot(&pair.hints[1]) <= SLACK
                }
                && {
                    let n = in_body();
                    n.dot(&pair.hints[2]) <= SLACK && n.dot(&pair.hints[3]) <= SLACK
                }
        }
        PairKind::VertexFace => {
            foot_holds(&c.params, &pair.hints, &in_body())
                && vertex_holds(&pair.hints, &-tool.inverse_vector(&c.normal))
        }
        PairKind::FaceVertex => {
            foot_holds(&c.params, &pair.hints, &-tool.inverse_vector(&c.normal))
                && vertex_holds(&pair.hints, &in_body())
        }
    }
}

/// Returns true if no edge of the vertex leads nearer. `n` points from the vertex to the foot, in
/// the frame of the vertex.
fn vertex_holds(hints: &[Vec3; HINTS], n: &Vec3) -> bool {
    hints[3..].iter().all(|along| n.dot(along) <= SLACK)
}

/// Returns true if the foot on a face is inside it, or no neighbour across the edges under it is
/// nearer. `n` points from the foot to the vertex, in the frame of the hints.
fn foot_holds(barycentric: &[f64; 3], hints: &[Vec3; HINTS], n: &Vec3) -> bool {
    // The weight that vanishes on the edges 01, 12, 20.
    let off_edge = [barycentric[2], barycentric[0], barycentric[1]];
    (0..3).all(|e| off_edge[e] > 0.0 || n.dot(&hints[e]) <= SLACK)
}
