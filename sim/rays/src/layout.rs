//! Data that the passes read and write, with one layout for the CPU twin and the shaders.
//!
//! Every struct is plain data in 16-byte rows: a vector of three is always followed by a scalar, as
//! WGSL aligns them. The crate `shaders` checks field by field that its WGSL matches. Indices into
//! one object's shape are *local* (from 0 in that shape); [`Object`] holds the place of the shape
//! in the packed arrays. Lengths are in metres, `f32`.

use bytemuck::{Pod, Zeroable};

/// No triangle, no object, no neighbour.
pub const NONE: u32 = u32::MAX;

/// Flag in [`Object::flags`]: an open surface with a thickness. Without it, a closed surface around
/// a volume.
pub const SHEET: u32 = 1;
/// Flag in [`Object::flags`]: the points are given every step, in the world. Without it, the object
/// moves by its transform.
pub const DEFORMABLE: u32 = 2;

/// A point of a shape: in the shape's own frame if rigid, in the world if deformable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Point {
    /// Position, m.
    pub x: [f32; 3],
    /// Cluster of the point, local.
    pub cluster: u32,
}

/// Outward normal of a point, and the length at which its inner ray leaves its own object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Normal {
    /// Unit normal, in the frame of the point. Zero for a point of no triangle: no ray starts
    /// there.
    pub n: [f32; 3],
    /// Length of the inner ray where it leaves its own object; infinite if it never does, as on
    /// sheets.
    pub exit: f32,
}

/// A triangle, as local indices of its corners; counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Triangle {
    /// Corners.
    pub v: [u32; 3],
    /// Cluster of the first corner, local.
    pub cluster: u32,
}

/// Triangles across the edges of a triangle, local; [`NONE`] at a border.
///
/// Edges are numbered in the order in which the walk tests them (Lehericey 2016, algorithm 2): 0 is
/// opposite corner 1, 1 opposite corner 2, 2 opposite corner 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Neighbours {
    /// Triangles across the edges (0, 2), (0, 1) and (1, 2).
    pub across: [u32; 3],
    /// Padding.
    pub pad: u32,
}

/// A node of a tree, depth first: the next node is its first child; `skip` is the next node if the
/// line misses the box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Node {
    /// Lowest corner.
    pub low: [f32; 3],
    /// Next node after its subtree; the number of nodes at the end. Local.
    pub skip: u32,
    /// Highest corner.
    pub high: [f32; 3],
    /// 0 for an inner node. Otherwise `first triangle << 3 | count`, count 1 to 7. Local.
    pub leaf: u32,
}

/// One object: the place of its parts in the packed arrays, and its pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Object {
    /// Rotation from its frame to the world's, unit quaternion i, j, k, w.
    pub q: [f32; 4],
    /// Translation, m.
    pub t: [f32; 3],
    /// Largest distance of a point from its frame's origin, m; unused for a deformable.
    pub radius: f32,
    /// First of its [`Point`]s and [`Normal`]s.
    pub first_point: u32,
    /// Number of points.
    pub points: u32,
    /// First of its [`Triangle`]s and [`Neighbours`].
    pub first_triangle: u32,
    /// Number of triangles.
    pub triangles: u32,
    /// First of its [`Node`]s.
    pub first_node: u32,
    /// Number of nodes; 0 for a deformable.
    pub nodes: u32,
    /// First of its [`Record`]s, two for every point.
    pub first_record: u32,
    /// Combination of [`SHEET`] and [`DEFORMABLE`].
    pub flags: u32,
    /// Half thickness of a sheet, m: the material reaches this far on both sides. 0 for volumes.
    pub half_thickness: f32,
    /// Largest number of triangles that a walk on it visits.
    pub walk_limit: u32,
    /// First of its clusters, in the packed array of clusters.
    pub first_cluster: u32,
    /// Number of clusters.
    pub clusters: u32,
}

/// One ray to trace; everything else follows from the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Ray {
    /// Object that it starts from.
    pub source: u32,
    /// Point that it starts from, local.
    pub point: u32,
    /// Object that it is tested against.
    pub target: u32,
    /// Walk: the triangle to start at, local. Basic: the cluster whose triangles are tested, local,
    /// or [`NONE`] for all. Tree: unused.
    pub start: u32,
}

/// Class of a record: nothing, a contact, or a near surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Class {
    /// There is no surface, or one that does not count.
    #[default]
    Nothing = 0,
    /// The point has penetrated, or is within the thickness.
    Collision = 1,
    /// A surface is near.
    Prediction = 2,
}

/// Answer on one side of a point. A volume uses only the first of the two records; for a sheet the
/// first is the side of its normal.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// Triangle met, local to the target; [`NONE`] if there is none.
    pub triangle: u32,
    /// Object met.
    pub target: u32,
    /// [`Class`] in bits 0 and 1; [`INNER_SIDE`]; [`INVERTED`].
    pub bits: u32,
    /// Signed length along the ray, m: along the inner ray of a volume, along the normal of a
    /// sheet.
    pub t: f32,
}

/// Flag in [`Record::bits`]: the line left the target through that triangle, seen along the inner
/// ray (or the sheet's normal).
pub const INNER_SIDE: u32 = 4;
/// Flag in [`Record::bits`]: the point crossed the triangle, in this step or earlier, and is not
/// back yet, so the contact points the other way.
pub const INVERTED: u32 = 8;

impl Record {
    /// A record without an answer.
    pub const EMPTY: Record = Record {
        triangle: NONE,
        target: NONE,
        bits: 0,
        t: 0.0,
    };

    /// Class of the record.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.bits & 3 {
            1 => Class::Collision,
            2 => Class::Prediction,
            _ => Class::Nothing,
        }
    }
}

/// A contact point, ready for a solver (Lehericey 2016, chapter 3, sections 3 and 4.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Contact {
    /// Position of the point, world frame, m; on the middle layer if it belongs to a sheet.
    pub x: [f32; 3],
    /// Distance that the point has to move along [`Contact::n`], half thicknesses included, m.
    /// Negative for a near surface.
    pub depth: f32,
    /// Unit vector, world frame: the direction in which the source's point has to move.
    pub n: [f32; 3],
    /// Source object.
    pub source: u32,
    /// Point of the source, local.
    pub point: u32,
    /// Target object.
    pub target: u32,
    /// Triangle met, local to the target.
    pub triangle: u32,
    /// Signed length of the ray, m.
    pub t: f32,
    /// Position on the triangle: `corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0)`.
    pub uv: [f32; 2],
    /// Padding.
    pub pad: [u32; 2],
}
