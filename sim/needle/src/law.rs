//! Insertion law: how far the needle is in, with cutting and friction as limits on what holds it.
//!
//! # Theory
//!
//! The hub is at `a` along the axis of insertion and the tip at `s`. The difference `u = a - s` is
//! the deflection of the tissue, and `f = K u` is the force on the needle. The needle sticks while
//! `-R_back <= f <= R_ahead`, and slides until `f` is at the limit again (a god-object with a
//! threshold; Dahl's law with a sharp knee). `R_back` is the shaft's friction. `R_ahead` is
//! friction plus the resistance ahead of the tip: none in the path that is already cut, the cutting
//! force at its end, a surface's puncture force before that surface, and infinite before bone (the
//! terms of Okamura, Simone and O'Leary 2004: stiffness, friction, cutting). The hand draws the hub
//! by a spring `k`; with both springs in balance `f = k_s (a_hand - s)` with `k_s = k K / (k + K)`.
//!
//! Passivity: every change of state lowers `k_s (a_hand - s)^2 / 2` or keeps it. Sliding lowers it,
//! and so does a smaller `K`. A larger `K` is taken only when nothing is stretched, which is when
//! the force changes its sign. Lateral stiffness that grows with `s` stores energy `c y^2 / 2`. The
//! force that this takes is part of `R_ahead`; on the way back the energy is lost.
//!
//! For the real-time thread: no allocation, at most [`MAX_EVENTS`] events per call.

use hapticd_geometry::Vec3;

use crate::ahead::{STAND_OFF_M, Stop, TipPath, TipProbe};
use crate::needle::Needle;
use crate::path::Path;
use crate::tissue::Tissue;

/// Most pieces, surfaces and stops in one call; the rest follows in the next call.
pub const MAX_EVENTS: usize = 16;
/// Most pieces locked in one call.
pub(crate) const MAX_LOCKED: usize = 4;
/// Most new path in one call, m.
const MAX_WAY_M: f64 = 0.01;

/// What draws the hub along the axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pull {
    /// Position at which the hand wants the tip, along the axis from the point of insertion, m.
    pub wanted_m: f64,
    /// Stiffness of the spring to the hand, N/m; infinite if the hub is fixed there.
    pub stiffness_n_per_m: f64,
    /// Offset of the hub from the axis, m.
    pub lateral_m: f64,
}

/// State of an inserted needle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tip {
    /// Position of the tip along the path, m.
    pub s_m: f64,
    /// Index of the piece that the tip is on.
    pub k: usize,
    /// Length of the whole cut path, m.
    pub cut_m: f64,
    /// Rotation accumulated since the last piece was locked, rad.
    pub turn: Vec3,
    /// Rotation of the bevel about the axis since insertion, rad.
    pub roll: f64,
    /// Effective stiffness, N/m: the least of the layers passed since the force changed its sign.
    pub stiffness_n_per_m: f64,
    /// What is right ahead of the end of the path.
    pub wall: Option<Stop>,
    /// Structure with a surface that has just been pierced, and the path length up to which that
    /// counts.
    pub pierced: Option<(usize, f64)>,
    /// Surfaces pierced since insertion.
    pub count: u32,
    /// Last pierced surface.
    pub last: Option<Stop>,
    /// Sign of the force: true if the needle is pulled back.
    pub pulled: bool,
}

impl Tip {
    /// Creates the state of a needle at the surface of a layer of this stiffness.
    pub fn at_surface(stiffness_n_per_m: f64, roll: f64) -> Self {
        Tip {
            s_m: 0.0,
            k: 0,
            cut_m: 0.0,
            turn: Vec3::zeros(),
            roll,
            stiffness_n_per_m,
            wall: None,
            pierced: None,
            count: 1,
            last: Some(Stop::Layer(0)),
            pulled: false,
        }
    }
}

/// Returns the stiffness of two springs in series.
pub(crate) fn series(k: f64, l: f64) -> f64 {
    if k.is_infinite() { l } else { k * l / (k + l) }
}

/// Everything that the law works on.
pub(crate) struct Shaft<'a> {
    pub tissue: &'a Tissue,
    pub needle: &'a Needle,
    pub path: &'a mut Path,
    pub probe: &'a mut TipProbe,
}

impl Shaft<'_> {
    /// Moves the tip within the limits. Returns false if the needle is out.
    pub fn slide(&mut self, tip: &mut Tip, pull: &Pull) -> bool {
        let pulled = pull.wanted_m < tip.s_m;
        if pulled != tip.pulled {
            tip.pulled = pulled;
            let layer = self.path.nodes().get(tip.k).map_or(0, |n| n.layer);
            tip.stiffness_n_per_m = self.tissue.layer(layer).stiffness_n_per_m;
        }
        let (begun_m, pieces) = (tip.s_m, self.path.nodes().len());
        for _ in 0..MAX_EVENTS {
            let stiff = series(pull.stiffness_n_per_m, tip.stiffness_n_per_m);
            let stretch_m = pull.wanted_m - tip.s_m;
            let more = if stretch_m < 0.0 {
                match self.back(tip, pull.wanted_m, stiff) {
                    Some(more) => more,
                    None => return false,
                }
            } else if tip.s_m < tip.cut_m {
                self.again(tip, pull, stiff)
            } else {
                let locked = self.path.nodes().len().saturating_sub(pieces);
                let left_m = begun_m + MAX_WAY_M - tip.s_m;
                locked < MAX_LOCKED && self.cut(tip, pull, stiff, left_m)
            };
            if !more {
                break;
            }
        }
        true
    }

    /// Returns the friction of the shaft, N, and its rise along the path, N/m.
    fn friction(&self, tip: &Tip) -> (f64, f64) {
        let Some(node) = self.path.nodes().get(tip.k) else {
            return (0.0, 0.0);
        };
        let rise = self.tissue.layer(node.layer).friction_n_per_m;
        (node.friction_n + rise * (tip.s_m - node.s_m), rise)
    }

    /// Returns the force that the growing lateral spring takes to move on, N.
    fn lateral(&self, tip: &Tip, pull: &Pull) -> f64 {
        let layer = self.path.nodes().get(tip.k).map_or(0, |n| n.layer);
        let rise = self.tissue.layer(layer).lateral_n_per_m2;
        0.5 * rise * pull.lateral_m * pull.lateral_m
    }

    /// Moves back along the path. Returns true if there may be more; `None` if the needle is out.
    fn back(&self, tip: &mut Tip, wanted_m: f64, stiff: f64) -> Option<bool> {
        let (friction, rise) = self.friction(tip);
        let force = stiff * (tip.s_m - wanted_m);
        if force <= friction {
            return Some(false);
        }
        let start_m = self.path.nodes().get(tip.k)?.s_m;
        // If friction falls faster than the spring force, nothing holds the tip before the piece's
        // end.
        let balanced_m = if stiff > rise {
            (friction - rise * tip.s_m + stiff * wanted_m) / (stiff - rise)
        } else {
            f64::NEG_INFINITY
        };
        if balanced_m > start_m {
            tip.s_m = balanced_m.min(tip.s_m);
            return Some(false);
        }
        tip.s_m = start_m;
        tip.k = tip.k.checked_sub(1)?;
        Some(true)
    }

    /// Moves on in the path that is already cut. Returns true if there may be more.
    fn again(&self, tip: &mut Tip, pull: &Pull, stiff: f64) -> bool {
        let (friction, rise) = self.friction(tip);
        let least = friction + self.lateral(tip, pull);
        if stiff * (pull.wanted_m - tip.s_m) <= least {
            return false;
        }
        let balanced_m = (stiff * pull.wanted_m - least + rise * tip.s_m) / (stiff + rise);
        let next = self.path.nodes().get(tip.k + 1);
        let end_m = next.map_or(tip.cut_m, |n| n.s_m);
        if balanced_m < end_m {
            tip.s_m = balanced_m.max(tip.s_m);
            return false;
        }
        tip.s_m = end_m;
        if next.is_some() {
            tip.k += 1;
        }
        true
    }

    /// Cuts new path, at most `left_m`. Returns true if there may be more.
    fn cut(&mut self, tip: &mut Tip, pull: &Pull, stiff: f64, left_m: f64) -> bool {
        let Some(&node) = self.path.nodes().last() else {
            return false;
        };
        let layer = *self.tissue.layer(node.layer);
        let (friction, rise) = self.friction(tip);
        let shaft = friction + self.lateral(tip, pull);
        let force = stiff * (pull.wanted_m - tip.s_m);
        let ahead = match tip.wall {
            None => layer.cutting_force_n,
            Some(Stop::Layer(next)) => self.tissue.layer(next).puncture_force_n,
            Some(Stop::Membrane(k)) => {
                let skin = self.tissue.structure(k).puncture_force_n;
                skin.unwrap_or(f64::INFINITY).max(layer.cutting_force_n)
            }
            Some(Stop::Bone(_) | Stop::Border | Stop::Budget) => f64::INFINITY,
        };
        // Written so that NaN sticks.
        if !(force > shaft + ahead) {
            return false;
        }
        if let Some(wall) = tip.wall {
            if !self.path.has_capacity() {
                return false;
            }
            self.pierce(tip, wall, node.layer);
            return true;
        }
        let least = shaft + layer.cutting_force_n;
        let balanced_m = (stiff * pull.wanted_m - least + rise * tip.s_m) / (stiff + rise);
        let end_m = (node.s_m + self.needle.segment_m).min(self.needle.length_m);
        let goal_m = balanced_m.min(end_m).min(tip.s_m + left_m);
        let wanted_m = goal_m - tip.s_m;
        if !(wanted_m > 0.0) {
            return false;
        }
        let from = self.path.at(tip.k, tip.s_m);
        let pierced = tip.pierced.map(|(k, until_m)| (k, until_m - tip.s_m));
        let wanted = TipPath {
            from: &from,
            direction: &node.direction,
            path_m: wanted_m,
            layer: node.layer,
            pierced,
        };
        let seen = self.probe.free_path(self.tissue, &wanted);
        tip.turn += self.path.turning(&node.frame, tip.roll) * seen.path_m;
        // The end of the request is reached to the last bit.
        tip.s_m = if seen.stop.is_none() {
            goal_m
        } else {
            tip.s_m + seen.path_m
        };
        tip.cut_m = tip.s_m;
        match seen.stop {
            Some(Stop::Budget) => false,
            Some(stop) => {
                tip.wall = Some(stop);
                true
            }
            None if tip.s_m >= end_m
                && end_m < self.needle.length_m
                && self.path.has_capacity() =>
            {
                self.path
                    .lock(tip.s_m, &tip.turn, tip.roll, (&layer, node.layer));
                tip.turn = Vec3::zeros();
                tip.k += 1;
                true
            }
            None => false,
        }
    }

    /// Passes through a surface. The path must have capacity for another piece.
    fn pierce(&mut self, tip: &mut Tip, wall: Stop, layer: usize) {
        tip.wall = None;
        tip.count += 1;
        tip.last = Some(wall);
        match wall {
            Stop::Layer(next) => {
                let old = *self.tissue.layer(layer);
                self.path.lock(tip.s_m, &tip.turn, tip.roll, (&old, next));
                tip.turn = Vec3::zeros();
                tip.k += 1;
                let stiffness = self.tissue.layer(next).stiffness_n_per_m;
                tip.stiffness_n_per_m = tip.stiffness_n_per_m.min(stiffness);
            }
            Stop::Membrane(k) => tip.pierced = Some((k, tip.s_m + 4.0 * STAND_OFF_M)),
            Stop::Bone(_) | Stop::Border | Stop::Budget => {}
        }
    }
}
