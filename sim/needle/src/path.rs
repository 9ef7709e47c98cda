//! The way that the tip has cut: a chain of straight pieces, each in one layer.
//!
//! # Theory
//! A bevelled tip that is pushed follows a circle in the plane of its bevel; turning the needle
//! about its axis turns that plane (the unicycle: the tip moves along its tangent `t` and turns by
//! `d t = kappa (t x b) x t ds` towards the bevel's direction `b`; Webster and others 2006). The
//! active piece is straight from its fixed end to the tip (Pitiot 2015, section 9.1.2), and the
//! turn is gathered while it grows; when it is locked the tangent turns by all of it. A needle that
//! is spun gathers little: duty-cycled spinning steers by itself. A piece points along the tangent
//! that it will have in its middle, so that the ends of the pieces lie on the circle to second
//! order of their length.
//!
//! What is swept is exactly this chain, so going back along it meets nothing new. No allocation
//! after [`Path::new`].

use hapticd_geometry::{Quat, Vec3};

use crate::needle::Needle;
use crate::tissue::Layer;

/// The fixed end of a piece, and what is known of the way up to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Tissue frame, m.
    pub at: Vec3,
    /// Length of the way up to here, m.
    pub s_m: f64,
    /// Friction on all of it, N.
    pub friction_n: f64,
    /// Lateral stiffness of all of it, N/m.
    pub lateral_n_per_m: f64,
    /// The tip's frame: z along the tangent, x the bevel's direction before any roll.
    pub frame: Quat,
    /// Unit, along the piece that begins here.
    pub direction: Vec3,
    /// The layer that it is in.
    pub layer: usize,
}

/// See the module page.
#[derive(Clone, Debug)]
pub struct Path {
    nodes: Vec<Node>,
    room: usize,
    needle: Needle,
}

impl Path {
    /// No way yet, with room for all that a needle can make.
    #[must_use]
    pub fn new(needle: Needle) -> Self {
        // Layers and rounding make more pieces than whole ones fit.
        let room = (needle.length_m / needle.segment_m).ceil() as usize + 64;
        Path {
            nodes: Vec::with_capacity(room),
            room,
            needle,
        }
    }

    /// Begins at a point, in a direction given by the tip's frame.
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

    /// Forgets the way.
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Its nodes, from where the needle went in.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether another piece has room.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.nodes.len() < self.room
    }

    /// Takes pieces back that were only tried.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.nodes.truncate(count);
    }

    /// Locks the last piece at `s_m` and begins another: the tangent turns by what was gathered.
    /// There must be room.
    pub(crate) fn lock(&mut self, s_m: f64, turn: &Vec3, roll: f64, (old, layer): (&Layer, usize)) {
        let Some(&last) = self.nodes.last() else {
            return;
        };
        if !self.has_room() {
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

    /// Where the way is after `s_m` of it, which is on the piece `k`; the origin where there is
    /// none.
    #[must_use]
    pub fn at(&self, k: usize, s_m: f64) -> Vec3 {
        self.nodes
            .get(k)
            .map_or_else(Vec3::zeros, |n| n.at + n.direction * (s_m - n.s_m))
    }

    /// Rotation per metre of way, tissue frame, rad/m, of a tip in this frame whose bevel is rolled
    /// by `roll`.
    pub(crate) fn turning(&self, frame: &Quat, roll: f64) -> Vec3 {
        let (sin, cos) = roll.sin_cos();
        // The tangent times the bevel's direction.
        frame * (Vec3::new(-sin, cos, 0.0) * self.needle.curvature_1_m)
    }

    fn middle_direction(&self, frame: &Quat, roll: f64) -> Vec3 {
        let half = self.turning(frame, roll) * (self.needle.segment_m / 2.0);
        let direction = Quat::from_scaled_axis(half) * (frame * Vec3::z());
        direction / direction.norm()
    }
}
