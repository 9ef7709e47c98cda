//! One query of the mid-phase, and what the pass reads of it.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::{Pose, Screw, Vec3};
use nalgebra::Translation3;

use crate::midphase::{FURTHEST_M, ShapeId};

/// Parts of a motion whose chords are looked at.
pub const PARTS: u32 = 4;

/// What one query asks: which triangles of `a` may come within `reach_m` of which of `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// What moves.
    pub a: ShapeId,
    /// What stands still.
    pub b: ShapeId,
    /// Where A is at the start.
    pub b_from_a: Pose,
    /// How it moves, in B's frame.
    pub screw: Screw,
    /// m. For a search that stops a little above its clearance, that little is to be in it.
    pub reach_m: f64,
}

/// A sweep as the pass reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SweepRow {
    /// A's frame to B's at the start, after each part of the motion, and at the end: rows of the
    /// turn, each with its part of the shift.
    pub poses: [[[f32; 4]; 3]; PARTS as usize + 1],
    /// Of the screw, per step.
    pub omega: [f32; 3],
    /// m.
    pub reach: f32,
    /// Of what is at B's middle, per step.
    pub velocity: [f32; 3],
    /// First of A's boxes.
    pub first_box: u32,
    /// How many.
    pub boxes: u32,
    /// First of B's nodes.
    pub first_node: u32,
    /// How many.
    pub nodes: u32,
    /// Fills the row.
    pub pad: u32,
}

/// Where a shape's parts are among those of all, and what they are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub first_box: u32,
    pub boxes: u32,
    pub first_node: u32,
    pub nodes: u32,
    /// m.
    pub middle: Vec3,
    /// The largest coordinate, m.
    pub furthest: f64,
}

impl SweepRow {
    /// Of shapes that are there; or the number that is none or too large.
    pub(crate) fn new(sweep: &Sweep, a: &Place, b: &Place) -> Result<Self, f64> {
        let Sweep {
            b_from_a, screw, ..
        } = sweep;
        // Both about their middles.
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
        // Written so that NaN is not within.
        if let Some(value) = all.copied().find(|x| !(x.abs() <= FURTHEST_M)) {
            return Err(value);
        }
        // Some dozens of roundings of the host's.
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
