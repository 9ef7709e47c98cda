//! What the passes read and write, laid out alike for the CPU twin and for the shaders.
//!
//! Every struct is plain data of 16-byte rows: a vector of three is always followed by a scalar, as
//! WGSL aligns them. The crate `shaders` checks field by field that its WGSL says the same. Indices
//! into one object's shape are *local* (from 0 in that shape); the shape's place in the packed
//! arrays is in [`Object`]. Lengths in metres, `f32`.

use bytemuck::{Pod, Zeroable};

/// No triangle, no object, no neighbour.
pub const NONE: u32 = u32::MAX;

/// [`Object::flags`]: an open surface with a thickness; otherwise a closed one around a volume.
pub const SHEET: u32 = 1;
/// [`Object::flags`]: its points are given every step, in the world; otherwise it moves by its
/// transform.
pub const DEFORMABLE: u32 = 2;

/// A point of a shape: of a rigid one in its own frame, of a deformable one in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Point {
    /// m.
    pub x: [f32; 3],
    /// The cluster that owns it, local.
    pub cluster: u32,
}

/// Which way is outward at a point, and how far inward its ray leaves its own object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Normal {
    /// Unit; in the frame of the point. Zero for a point of no triangle: no ray starts there.
    pub n: [f32; 3],
    /// Length of the inner ray where it leaves its own object; infinite if it never does, as on
    /// sheets.
    pub exit: f32,
}

/// Corners, local indices; outward is counter-clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Triangle {
    /// Corners.
    pub v: [u32; 3],
    /// Cluster of the first corner, local.
    pub cluster: u32,
}

/// The triangles across the edges of one, local; [`NONE`] at a border.
///
/// Edges are numbered as the walk chooses them (Lehericey 2016, algorithm 2): 0 is opposite corner
/// 1, 1 opposite corner 2, 2 opposite corner 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Neighbours {
    /// Across edges (0, 2), (0, 1) and (1, 2).
    pub across: [u32; 3],
    /// Fills the row.
    pub pad: u32,
}

/// A box of a tree, depth first: the next node is its first child, `skip` is where to go on if the
/// line misses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Node {
    /// Lowest corner.
    pub low: [f32; 3],
    /// Next node without its children; the count of nodes at the end. Local.
    pub skip: u32,
    /// Highest corner.
    pub high: [f32; 3],
    /// 0: inner. Otherwise `first triangle << 3 | count`, count 1 to 7. Local.
    pub leaf: u32,
}

/// One object: where its parts are in the packed arrays, and where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Object {
    /// Turn from its frame to the world's, unit quaternion i, j, k, w.
    pub q: [f32; 4],
    /// Shift, m.
    pub t: [f32; 3],
    /// Largest distance of a point from its frame's origin (a deformable's is not used), m.
    pub radius: f32,
    /// First of its [`Point`]s and [`Normal`]s.
    pub first_point: u32,
    /// How many.
    pub points: u32,
    /// First of its [`Triangle`]s and [`Neighbours`].
    pub first_triangle: u32,
    /// How many.
    pub triangles: u32,
    /// First of its [`Node`]s.
    pub first_node: u32,
    /// How many; 0 for a deformable.
    pub nodes: u32,
    /// First of its [`Record`]s, two for every point.
    pub first_record: u32,
    /// [`SHEET`], [`DEFORMABLE`].
    pub flags: u32,
    /// Of a sheet: the material reaches this far on both sides, m. 0 for volumes.
    pub half_thickness: f32,
    /// Most triangles that a walk on it looks at.
    pub walk_limit: u32,
    /// First of its clusters, in the packed array of clusters.
    pub first_cluster: u32,
    /// How many.
    pub clusters: u32,
}

/// One ray to trace: everything else follows from the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Ray {
    /// The object that it starts from.
    pub source: u32,
    /// The point that it starts from, local.
    pub point: u32,
    /// The object that it is to meet.
    pub target: u32,
    /// Walk: the triangle to start at, local. Basic: the cluster whose triangles to look at, local,
    /// or [`NONE`] for all. Tree: unused.
    pub start: u32,
}

/// Class of a record: nothing, a contact, or a surface that is near.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Class {
    /// Nothing is there, or what is there does not count.
    #[default]
    Nothing = 0,
    /// The point has penetrated, or is within the thickness.
    Collision = 1,
    /// A surface is near.
    Prediction = 2,
}

/// What is known of one side of a point: for a volume only the first of the two is used, for a
/// sheet the first is the side of its normal.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// Triangle met, local to the target; [`NONE`] if there is none.
    pub triangle: u32,
    /// The object met.
    pub target: u32,
    /// [`Class`] in bits 0 and 1; [`INNER_SIDE`]; [`INVERTED`].
    pub bits: u32,
    /// Signed length along the ray: of a volume the inner one, of a sheet its normal. m.
    pub t: f32,
}

/// [`Record::bits`]: the line left the target through that triangle, seen along the inner ray (or
/// the sheet's normal).
pub const INNER_SIDE: u32 = 4;
/// [`Record::bits`]: the point crossed the triangle in this step, so the contact points the other
/// way.
pub const INVERTED: u32 = 8;

impl Record {
    /// Nothing known.
    pub const EMPTY: Record = Record {
        triangle: NONE,
        target: NONE,
        bits: 0,
        t: 0.0,
    };

    /// What it is.
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
    /// The point, world frame, m: on the middle layer where it belongs to a sheet.
    pub x: [f32; 3],
    /// How far it has to go along [`Contact::n`], half thicknesses included, m. Negative for what
    /// is only near.
    pub depth: f32,
    /// Unit, world frame: where the source's point has to go.
    pub n: [f32; 3],
    /// The source.
    pub source: u32,
    /// Its point, local.
    pub point: u32,
    /// The other object.
    pub target: u32,
    /// The triangle met, local.
    pub triangle: u32,
    /// Signed length of the ray, m.
    pub t: f32,
    /// Where on the triangle: `corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0)`.
    pub uv: [f32; 2],
    /// Fills the row.
    pub pad: [u32; 2],
}
