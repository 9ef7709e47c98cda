//! Particles: the points that carry the mass of cloth and soft bodies. There is one array per
//! quantity, since a constraint reads few of them.
//!
//! Positions are in m and velocities in m/s, world axes. The arrays grow only when particles are
//! added.

use super::finite;
use crate::Vec3;

/// Identifies a particle of an [`XpbdWorld`](super::XpbdWorld), numbered from 0 in order of
/// addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParticleId(pub u32);

/// Why a particle, or a change of one, was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParticleError {
    /// The particle does not exist.
    Unknown {
        /// Id that was given.
        particle: u32,
        /// Number of particles.
        count: usize,
    },
    /// The position (m) is not finite.
    Position(Vec3),
    /// The velocity (m/s) is not finite.
    Velocity(Vec3),
    /// The force (N) is not finite.
    Force(Vec3),
    /// The mass (kg) is not a positive finite number.
    Mass(f64),
}

impl core::fmt::Display for ParticleError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Unknown { particle, count } => {
                write!(f, "particle {particle} does not exist, there are {count}")
            }
            Self::Position(p) => write!(f, "position {:?} m is not finite", p.as_slice()),
            Self::Velocity(v) => write!(f, "velocity {:?} m/s is not finite", v.as_slice()),
            Self::Force(v) => write!(f, "force {:?} N is not finite", v.as_slice()),
            Self::Mass(mass) => write!(f, "mass {mass} kg is not positive and finite"),
        }
    }
}

impl core::error::Error for ParticleError {}

#[derive(Clone, Debug, Default)]
pub(super) struct Particles {
    pub x: Vec<Vec3>,
    /// Positions at the start of the substep.
    pub before: Vec<Vec3>,
    /// Positions at the start of the step.
    pub start: Vec<Vec3>,
    pub v: Vec<Vec3>,
    /// 1/kg; 0 while pinned.
    pub inverse_mass: Vec<f64>,
    pub mass: Vec<f64>,
    /// Force, N, for one step.
    pub force: Vec<Vec3>,
    /// Where pinned particles are to be at the end of the step.
    driven: Vec<(u32, Vec3)>,
    /// Number of leading `driven` entries that belong to the last step; their particles stand still
    /// again.
    arrived: usize,
}

impl Particles {
    pub fn push(&mut self, x: Vec3, v: Vec3, mass: f64) -> u32 {
        let index = self.x.len() as u32;
        self.x.push(x);
        self.before.push(x);
        self.start.push(x);
        self.v.push(v);
        self.inverse_mass.push(1.0 / mass);
        self.mass.push(mass);
        self.force.push(Vec3::zeros());
        index
    }

    pub fn index(&self, id: ParticleId) -> Result<usize, ParticleError> {
        let count = self.x.len();
        let unknown = ParticleError::Unknown {
            particle: id.0,
            count,
        };
        if (id.0 as usize) < count {
            Ok(id.0 as usize)
        } else {
            Err(unknown)
        }
    }

    /// Moves a pinned particle at constant velocity to `target` during the next step. The last call
    /// for a particle wins.
    pub fn drive(&mut self, index: usize, target: Vec3) {
        self.driven.push((index as u32, target));
    }

    pub fn begin_step(&mut self, dt: f64) {
        self.start.copy_from_slice(&self.x);
        for &(i, _) in &self.driven[..self.arrived] {
            if self.inverse_mass[i as usize] == 0.0 {
                self.v[i as usize] = Vec3::zeros();
            }
        }
        self.driven.drain(..self.arrived);
        for &(i, target) in &self.driven {
            let i = i as usize;
            if self.inverse_mass[i] == 0.0 {
                self.v[i] = (target - self.x[i]) / dt;
            }
        }
        self.arrived = self.driven.len();
    }

    pub fn end_step(&mut self) {
        for &(i, target) in &self.driven {
            if self.inverse_mass[i as usize] == 0.0 {
                self.x[i as usize] = target;
            }
        }
        self.force.fill(Vec3::zeros());
    }

    /// Integrates by semi-implicit Euler; `keep` is the fraction of the velocity that damping
    /// leaves.
    pub fn predict(&mut self, h: f64, gravity: &Vec3, keep: f64) {
        for i in 0..self.x.len() {
            self.before[i] = self.x[i];
            let w = self.inverse_mass[i];
            if w > 0.0 {
                self.v[i] = (self.v[i] + (gravity + self.force[i] * w) * h) * keep;
            }
            let next = self.x[i] + self.v[i] * h;
            // A particle that diverges stays, so that its neighbours read a finite number; `settle`
            // counts it.
            if finite(&next) {
                self.x[i] = next;
            }
        }
    }

    /// Derives velocities from the new positions. Returns the number of particles that were put
    /// back to where the substep began, at rest.
    pub fn settle(&mut self, h: f64) -> u32 {
        let mut held = 0;
        for i in 0..self.x.len() {
            if self.inverse_mass[i] == 0.0 {
                continue;
            }
            let ran_off = !finite(&self.v[i]);
            let v = (self.x[i] - self.before[i]) / h;
            if finite(&self.x[i]) && finite(&v) && !ran_off {
                self.v[i] = v;
            } else {
                self.x[i] = self.before[i];
                self.v[i] = Vec3::zeros();
                held += 1;
            }
        }
        held
    }
}

pub(super) fn check_place(position: &Vec3, velocity: &Vec3) -> Result<(), ParticleError> {
    if !finite(position) {
        return Err(ParticleError::Position(*position));
    }
    if !finite(velocity) {
        return Err(ParticleError::Velocity(*velocity));
    }
    Ok(())
}
