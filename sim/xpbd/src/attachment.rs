//! Holds a point of a surface at a target that the caller moves: a pin, or the handle by which an
//! application drags a cloth.

use super::particle::Particles;
use super::stencil::{Stencil, mean, mobility, spread};
use crate::Vec3;

/// Identifies a hold of an [`XpbdWorld`](super::XpbdWorld). Ids of released holds are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttachmentId(pub u32);

/// Why a hold, or a change of one, was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttachmentError {
    /// The hold does not exist or was released.
    Unknown(u32),
    /// The point does not exist on a surface that can be held.
    Point(super::ContactFault),
    /// The point belongs to a rigid body or to the world; only particles can be held.
    Rigid,
    /// The target (m) is not finite.
    Target(Vec3),
    /// The compliance (m/N) is negative or not finite.
    Compliance(f64),
    /// The damping time (s) is negative or not finite.
    Damping(f64),
}

impl core::fmt::Display for AttachmentError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Unknown(i) => write!(f, "hold {i} does not exist"),
            Self::Point(fault) => fault.fmt(f),
            Self::Rigid => f.write_str("only points of particles and surfaces can be held"),
            Self::Target(t) => write!(f, "target {:?} m is not finite", t.as_slice()),
            Self::Compliance(c) => write!(f, "compliance {c} m/N is negative or not finite"),
            Self::Damping(s) => write!(f, "damping time {s} s is negative or not finite"),
        }
    }
}

impl core::error::Error for AttachmentError {}

#[derive(Clone, Copy, Debug)]
pub(super) struct Attachment {
    pub stencil: Stencil,
    pub active: bool,
    /// Target at the end of the last step.
    pub from: Vec3,
    pub target: Vec3,
    /// m/N
    pub compliance: f64,
    /// Viscosity over stiffness, s.
    pub damping: f64,
    /// Impulse of the hold, summed over the step, N s.
    pub impulse: Vec3,
}

impl Attachment {
    /// Moves the held particles; returns false if the numbers are not finite. The fraction of the
    /// step that is complete is `last` at the start of this substep and `share` at its end.
    #[inline]
    pub fn solve(&mut self, particles: &mut Particles, last: f64, share: f64, h: f64) -> bool {
        if !self.active {
            return true;
        }
        let entries = self.stencil.entries();
        let w = mobility(entries, &particles.inverse_mass);
        if w == 0.0 {
            return true;
        }
        let displacement = self.target - self.from;
        let mut error = mean(entries, &particles.x) - (self.from + displacement * share);
        let mut gain = w;
        if self.damping > 0.0 {
            let gamma = self.damping / h;
            let moved = mean(entries, &particles.x) - mean(entries, &particles.before);
            error += (moved - displacement * (share - last)) * gamma;
            gain *= 1.0 + gamma;
        }
        let p = -error / (gain + self.compliance / (h * h));
        if !p.sum().is_finite() {
            return false;
        }
        self.impulse += p / h;
        spread(entries, &particles.inverse_mass, &p, &mut particles.x);
        true
    }
}
