//! The path that the tip has cut: a chain of straight pieces, each in one layer.
//!
//! # Theory
//!
//! A bevelled tip that is pushed follows a circle in the plane of its bevel; rotating the needle
//! about its axis rotates that plane (the unicycle: the tip moves along its tangent `t` and turns
//! by `d t = kappa (t x b) x t ds` towards the bevel's direction `b`; Webster and others 2006). The
//! active piece is straight from its fixed end to the tip (Pitiot 2015, section 9.1.2). Rotation
//! accumulates while the piece grows; when it is locked, the tangent turns by all of it. A needle
//! that spins accumulates little, so duty-cycled spinning steers without further means. A piece
//! points along the tangent at its middle, so that the ends of the pieces lie on the circle to
//! second order in their length.
//!
//! The swept volume is exactly this chain, so moving back along it meets nothing new. No allocation
//! after [`Path::new`].

use hapticd_geometry::{Quat, Vec3};

use crate::needle::Needle;
use crate::tissue::Layer;

/// Fixed end of a piece, with the totals of the path up to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Position, tissue frame, m.
    pub at: Vec3,
    /// Length of the path up to here, m.
    pub s_m: f64,
    /// Friction on that length, N.
    pub friction_n: f64,
    /// Lateral stiffness of that length, N/m.
    pub lateral_n_per_m: f64,
    /// The tip's frame: z along the tangent, x along the bevel's direction before any roll.
    pub frame: Quat,
    /// Unit direction of the piece that starts here.
    pub direction: Vec3,
    /// Index of the layer that the piece is in.
    pub layer: usize,
}

/// The path that a needle's tip has cut. See the module page.
#[derive(Clone, Debug)]
pub struct Path {
    nodes: Vec<Node>,
    capacity: usize,
    needle: Needle,
}

impl Path {
    /// Creates an empty path with capacity for all that the needle can make.
    #[must_use]
    pub fn new(needle: Needle) -> Self {
        // Layer borders and rounding give more pieces than the length alone.
        let capacity = (needle.length_m / needle.segment_m).ceil() as usize + 64;
        Path {
            nodes: Vec::with_capacity(capacity),
            capacity,
            needle,
        }
    }

    /// Starts the path at a point, in a direction given by the tip's frame.
    pub fn begin(&mut self, at: Vec3, frame: Quat, roll: f64, layer: usize) {
        self.nodes.clear();
        self.nodes.push(Node {
            at,
            s_m: 0.0,
            friction_n: 0.0,
            lateral_n_per_m: 0.0,
            frame,
            direction: self.middle_direction(&frame, roll),
            layer,
        });
    }

    /// Clears the path.
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Returns the nodes, from the point of insertion.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns true if there is capacity for another piece.
    #[must_use]
    pub fn has_capacity(&self) -> bool {
        self.nodes.len() < self.capacity
    }

    /// Removes pieces that were only tried.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.nodes.truncate(count);
    }

    /// Locks the last piece at `s_m` and starts another: the tangent turns by the accumulated
    /// rotation. There must be capacity.
    pub(crate) fn lock(&mut self, s_m: f64, turn: &Vec3, roll: f64, (old, layer): (&Layer, usize)) {
        let Some(&last) = self.nodes.last() else {
            return;
        };
        if !self.has_capacity() {
            return;
        }
        let grown = s_m - last.s_m;
        let mut frame = Quat::from_scaled_axis(*turn) * last.frame;
        frame.renormalize();
        self.nodes.push(Node {
            at: last.at + last.direction * grown,
            s_m,
            friction_n: last.friction_n + grown * old.friction_n_per_m,
            lateral_n_per_m: last.lateral_n_per_m + grown * old.lateral_n_per_m2,
            frame,
            direction: self.middle_direction(&frame, roll),
            layer,
        });
    }

    /// Returns the point at length `s_m`, which is on the piece `k`; the origin if there is no such
    /// piece.
    #[must_use]
    pub fn at(&self, k: usize, s_m: f64) -> Vec3 {
        self.nodes
            .get(k)
            .map_or_else(Vec3::zeros, |n| n.at + n.direction * (s_m - n.s_m))
    }

    /// Returns the rotation per metre of path, tissue frame, rad/m, of a tip in this frame with its
    /// bevel rolled by `roll`.
    pub(crate) fn turning(&self, frame: &Quat, roll: f64) -> Vec3 {
        let (sin, cos) = roll.sin_cos();
        // Cross product of the tangent and the bevel's direction.
        frame * (Vec3::new(-sin, cos, 0.0) * self.needle.curvature_1_m)
    }

    fn middle_direction(&self, frame: &Quat, roll: f64) -> Vec3 {
        let half = self.turning(frame, roll) * (self.needle.segment_m / 2.0);
        let direction = Quat::from_scaled_axis(half) * (frame * Vec3::z());
        direction / direction.norm()
    }
}
