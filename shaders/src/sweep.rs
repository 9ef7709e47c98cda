//! One query of the mid-phase, and its row for the pass.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::{Pose, Screw, Vec3};
use nalgebra::Translation3;

/// Number of parts of a motion, each bounded by its chord.
pub const PARTS: u32 = 4;

/// Maximum coordinate, reach, or motion in a step, m; and maximum rotation, rad.
pub const MAX_COORDINATE_M: f64 = 1e6;

/// Identifies an added shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeId(u32);

impl ShapeId {
    /// The shape number `number` in the order of adding, from 0.
    #[must_use]
    pub const fn nth(number: u32) -> Self {
        Self(number)
    }

    /// Number of the shape; see [`ShapeId::nth`].
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// One query: which triangles of `a` may come within `reach_m` of which triangles of `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Shape that moves.
    pub a: ShapeId,
    /// Shape that is static.
    pub b: ShapeId,
    /// Pose of A at the start, in B's frame.
    pub b_from_a: Pose,
    /// Motion of A, in B's frame.
    pub screw: Screw,
    /// Reach, m. A search that stops slightly above its clearance must include that distance.
    pub reach_m: f64,
}

/// A sweep as the pass reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SweepRow {
    /// A's frame to B's at the start, after each part of the motion, and at the end: rows of the
    /// rotation, each with its component of the translation.
    pub poses: [[[f32; 4]; 3]; PARTS as usize + 1],
    /// Angular velocity of the screw, rad per step.
    pub omega: [f32; 3],
    /// Reach, m.
    pub reach: f32,
    /// Velocity of the point at B's middle, m per step.
    pub velocity: [f32; 3],
    /// First of A's boxes.
    pub first_box: u32,
    /// Number of A's boxes.
    pub boxes: u32,
    /// First of B's nodes.
    pub first_node: u32,
    /// Number of B's nodes.
    pub nodes: u32,
    /// Padding.
    pub pad: u32,
}

/// Location of a shape's boxes and nodes among those of all shapes, and its reference point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub first_box: u32,
    pub boxes: u32,
    pub first_node: u32,
    pub nodes: u32,
    /// Point that the boxes are relative to, m.
    pub middle: Vec3,
    /// Largest absolute coordinate, m.
    pub furthest: f64,
}

impl SweepRow {
    /// Builds the row for two existing shapes. The error is the number that is not finite or too
    /// large.
    pub(crate) fn new(sweep: &Sweep, a: &Place, b: &Place) -> Result<Self, f64> {
        let Sweep {
            b_from_a, screw, ..
        } = sweep;
        // Both frames relative to the shapes' middles.
        let about = |part: usize| {
            let pose = screw.pose_at(b_from_a, part as f64 / f64::from(PARTS));
            Translation3::from(-b.middle) * pose * Translation3::from(a.middle)
        };
        let poses: [Pose; PARTS as usize + 1] = std::array::from_fn(about);
        let omega = screw.angular_velocity();
        let velocity = screw.velocity_of(&b.middle);
        let numbers = poses.iter().chain([b_from_a]).flat_map(|pose| {
            let (shift, turn) = (&pose.translation.vector, &pose.rotation.coords);
            shift.iter().chain(turn.iter())
        });
        let all = (numbers.chain(omega.iter()).chain(velocity.iter())).chain([
            &sweep.reach_m,
            &a.furthest,
            &b.furthest,
        ]);
        // In this form NaN is refused.
        if let Some(value) = all.copied().find(|x| !(x.abs() <= MAX_COORDINATE_M)) {
            return Err(value);
        }
        // Allowance for some dozens of roundings on the host.
        let size = a.furthest + b.furthest + velocity.amax() + b_from_a.translation.vector.amax();
        let host = 256.0 * f64::EPSILON * size * (1.0 + omega.norm());
        Ok(Self {
            poses: poses.map(|pose| rows(&pose)),
            omega: omega.cast::<f32>().into(),
            reach: (sweep.reach_m.max(0.0) + host) as f32,
            velocity: velocity.cast::<f32>().into(),
            first_box: a.first_box,
            boxes: a.boxes,
            first_node: b.first_node,
            nodes: b.nodes,
            pad: 0,
        })
    }
}

fn rows(pose: &Pose) -> [[f32; 4]; 3] {
    let turn = pose.rotation.to_rotation_matrix();
    [0, 1, 2].map(|k| {
        let row = turn.matrix().row(k);
        [row[0], row[1], row[2], pose.translation.vector[k]].map(|x| x as f32)
    })
}
