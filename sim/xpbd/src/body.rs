//! Rigid bodies: pose, momentum, and their response to impulses.
//!
//! The frame of a body is at its centre of mass, along its principal axes. The state is angular
//! *momentum*, not angular velocity: an impulse adds to it exactly, and a free body keeps it to the
//! last bit. (Müller et al. 2020 derive the angular velocity from the change of attitude instead,
//! which loses momentum unless the inertia is that of a sphere.) No allocation.

mod pull;

use nalgebra::{Matrix3, Quaternion, UnitQuaternion};

use super::finite;
use crate::Vec3;
pub use pull::Pull;

/// Identifies a rigid body of an [`XpbdWorld`](super::XpbdWorld), numbered from 0 in order of
/// addition. The ids of removed bodies are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub u32);

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyKind {
    /// Moved by forces.
    Dynamic {
        /// Mass, kg, positive.
        mass_kg: f64,
        /// Principal moments of inertia, kg m²; positive, none larger than the sum of the other
        /// two.
        inertia_kg_m2: Vec3,
    },
    /// Moved by the caller, by velocity or by
    /// [`XpbdWorld::drive_body`](super::XpbdWorld::drive_body). Static while at rest.
    Kinematic,
}

/// Pose and motion of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Position of the centre of mass, m, world axes.
    pub position: Vec3,
    /// Rotation that takes the body's principal axes to world axes.
    pub rotation: UnitQuaternion<f64>,
    /// Linear velocity, m/s, world axes.
    pub velocity: Vec3,
    /// Angular velocity, rad/s, world axes.
    pub spin: Vec3,
}

impl BodyState {
    /// State at rest at `position` (m), with the principal axes along the world's.
    #[must_use]
    pub fn at(position: Vec3) -> Self {
        Self {
            position,
            rotation: UnitQuaternion::identity(),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
        }
    }

    /// World position (m) of the point `local` (m, body axes).
    #[must_use]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    fn check(&self) -> Result<(), BodyError> {
        if !finite(&self.position) {
            return Err(BodyError::Position(self.position));
        }
        let rotation = self.rotation.coords;
        if !((rotation.norm() - 1.0).abs() < 1e-6) {
            return Err(BodyError::Rotation(rotation.norm()));
        }
        if !(finite(&self.velocity) && finite(&self.spin)) {
            return Err(BodyError::Motion {
                velocity: self.velocity,
                spin: self.spin,
            });
        }
        Ok(())
    }
}

/// Why a body, or a change of one, was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyError {
    /// The body does not exist.
    Unknown {
        /// Id that was given.
        body: u32,
        /// Number of bodies.
        count: usize,
    },
    /// The position (m) is not finite.
    Position(Vec3),
    /// The rotation is not a unit quaternion; holds its norm.
    Rotation(f64),
    /// Velocity (m/s) or spin (rad/s) is not finite.
    Motion {
        /// m/s
        velocity: Vec3,
        /// rad/s
        spin: Vec3,
    },
    /// The mass (kg) is not a positive finite number.
    Mass(f64),
    /// The moments (kg m²) are not those of a solid: positive, none above the sum of the others.
    Inertia(Vec3),
    /// The force (N) or its point of application (m) is not finite.
    Force {
        /// N
        force: Vec3,
        /// m
        at: Vec3,
    },
    /// A stiffness or damping is negative or not finite.
    Pull {
        /// Name of the field.
        name: &'static str,
        /// Value of the field.
        value: f64,
    },
}

impl core::fmt::Display for BodyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Unknown { body, count } => {
                write!(f, "body {body} does not exist, there are {count}")
            }
            Self::Position(p) => write!(f, "position {:?} m is not finite", p.as_slice()),
            Self::Rotation(norm) => write!(f, "the rotation's norm is {norm}, not 1"),
            Self::Motion { velocity, spin } => write!(
                f,
                "velocity {:?} m/s or spin {:?} rad/s is not finite",
                velocity.as_slice(),
                spin.as_slice()
            ),
            Self::Mass(mass) => write!(f, "mass {mass} kg is not positive and finite"),
            Self::Inertia(i) => write!(
                f,
                "moments {:?} kg m2 are not those of a solid (positive, none above the sum of the others)",
                i.as_slice()
            ),
            Self::Force { force, at } => write!(
                f,
                "force {:?} N at {:?} m is not finite",
                force.as_slice(),
                at.as_slice()
            ),
            Self::Pull { name, value } => write!(f, "{name} = {value} is out of range"),
        }
    }
}

impl core::error::Error for BodyError {}

#[derive(Clone, Debug)]
pub(super) struct XpbdBody {
    pub state: BodyState,
    /// State at the start of the step.
    pub start: BodyState,
    /// Angular momentum about the centre of mass, kg m²/s, world axes.
    pub momentum: Vec3,
    /// 1/kg; 0 for a kinematic body.
    pub inverse_mass: f64,
    inertia: Vec3,
    inverse_inertia: Vec3,
    /// Inverse inertia at the attitude of the last prediction or `settle`, 1/(kg m²), world axes.
    pub inverse_inertia_world: Matrix3<f64>,
    /// State at the start of the substep.
    before: BodyState,
    pub force: Vec3,
    pub torque: Vec3,
    pub target: Option<(Vec3, UnitQuaternion<f64>)>,
    /// Spring and damper of a dynamic body, for this step.
    pub pull: Option<Pull>,
    arrived: bool,
}

impl XpbdBody {
    pub fn new(kind: &BodyKind, state: &BodyState) -> Result<Self, BodyError> {
        state.check()?;
        let (inverse_mass, inertia) = match *kind {
            BodyKind::Dynamic {
                mass_kg,
                inertia_kg_m2: i,
            } => {
                if !(mass_kg > 0.0 && mass_kg.is_finite()) {
                    return Err(BodyError::Mass(mass_kg));
                }
                let solid = i.min() > 0.0 && i.max() <= (i.sum() - i.max()) * (1.0 + 1e-6);
                if !(solid && finite(&i)) {
                    return Err(BodyError::Inertia(i));
                }
                (1.0 / mass_kg, i)
            }
            BodyKind::Kinematic => (0.0, Vec3::zeros()),
        };
        let inverse_inertia = inertia.map(|i| if i > 0.0 { 1.0 / i } else { 0.0 });
        let mut body = Self {
            state: *state,
            start: *state,
            momentum: Vec3::zeros(),
            inverse_mass,
            inertia,
            inverse_inertia,
            inverse_inertia_world: Matrix3::zeros(),
            before: *state,
            force: Vec3::zeros(),
            torque: Vec3::zeros(),
            target: None,
            pull: None,
            arrived: false,
        };
        body.take(state);
        Ok(body)
    }

    pub fn set(&mut self, state: &BodyState) -> Result<(), BodyError> {
        state.check()?;
        self.take(state);
        Ok(())
    }

    fn take(&mut self, state: &BodyState) {
        self.state = *state;
        self.state.rotation.renormalize();
        let local = self.state.rotation.inverse() * state.spin;
        self.momentum = self.state.rotation * local.component_mul(&self.inertia);
        self.turn_inertia();
    }

    pub fn is_dynamic(&self) -> bool {
        self.inverse_mass > 0.0
    }

    fn turn_inertia(&mut self) {
        let r = self.state.rotation.to_rotation_matrix().into_inner();
        let mut scaled = r;
        for axis in 0..3 {
            let i = self.inverse_inertia[axis];
            scaled.column_mut(axis).scale_mut(i);
        }
        self.inverse_inertia_world = scaled * r.transpose();
    }

    fn spin_at(&self, rotation: &UnitQuaternion<f64>) -> Vec3 {
        let local = rotation.inverse() * self.momentum;
        rotation * local.component_mul(&self.inverse_inertia)
    }

    pub fn begin_step(&mut self, dt: f64) {
        self.start = self.state;
        if self.is_dynamic() {
            return;
        }
        if self.arrived {
            self.state.velocity = Vec3::zeros();
            self.state.spin = Vec3::zeros();
            self.arrived = false;
        }
        if let Some((position, rotation)) = self.target {
            self.state.velocity = (position - self.state.position) / dt;
            self.state.spin = (rotation * self.state.rotation.inverse()).scaled_axis() / dt;
        }
    }

    pub fn end_step(&mut self) {
        if let Some((position, rotation)) = self.target.take() {
            self.state.position = position;
            self.state.rotation = rotation;
            self.arrived = true;
        }
        self.force = Vec3::zeros();
        self.torque = Vec3::zeros();
        self.pull = None;
    }

    /// Integrates one substep: semi-implicit Euler for the centre of mass, the midpoint rule for
    /// the attitude, so momentum stays to the last bit. At the end of this substep `share` of a
    /// step of `step_s` is complete.
    pub fn predict(&mut self, h: f64, gravity: &Vec3, keep: f64, (share, step_s): (f64, f64)) {
        self.before = self.state;
        let turn = |by: Vec3| UnitQuaternion::from_scaled_axis(by);
        if self.is_dynamic() {
            let carried = self.pull.take();
            let gravity = if carried.is_some() {
                Vec3::zeros()
            } else {
                *gravity
            };
            self.state.velocity =
                (self.state.velocity + (gravity + self.force * self.inverse_mass) * h) * keep;
            self.momentum = (self.momentum + self.torque * h) * keep;
            if let Some(pull) = &carried {
                self.follow_pull(pull, share, step_s, h);
            }
            self.pull = carried;
            let rotation = self.state.rotation;
            let middle = turn(self.spin_at(&rotation) * (h / 2.0)) * rotation;
            self.state.spin = self.spin_at(&middle);
        }
        self.state.position += self.state.velocity * h;
        self.state.rotation = turn(self.state.spin * h) * self.state.rotation;
        self.state.rotation.renormalize();
        if self.is_dynamic() {
            self.turn_inertia();
        }
        if !self.is_finite() {
            // The neighbours need finite numbers; `settle` detects the NaN in the momentum.
            self.state.position = self.before.position;
            self.state.rotation = self.before.rotation;
            self.turn_inertia();
        }
    }

    fn is_finite(&self) -> bool {
        finite(&self.state.position)
            && self.state.rotation.coords.sum().is_finite()
            && finite(&self.state.velocity)
            && finite(&self.momentum)
    }

    /// Derives the angular velocity from the momentum. Returns false if the body was put back to
    /// where the substep began, at rest.
    pub fn settle(&mut self) -> bool {
        if !self.is_dynamic() {
            return true;
        }
        let fine = self.is_finite();
        if !fine {
            self.state = self.before;
            self.state.velocity = Vec3::zeros();
            self.momentum = Vec3::zeros();
        }
        self.state.rotation.renormalize();
        self.turn_inertia();
        self.state.spin = self.inverse_inertia_world * self.momentum;
        fine
    }

    /// Vector from the centre of mass to the point, world axes.
    #[inline]
    pub fn arm(&self, local: &Vec3) -> Vec3 {
        self.state.rotation * local
    }

    /// Displacement of the point since the substep began.
    #[inline]
    pub fn moved(&self, local: &Vec3, arm: &Vec3) -> Vec3 {
        (self.state.position - self.before.position) + (arm - self.before.rotation * local)
    }

    #[inline]
    pub fn velocity_at(&self, arm: &Vec3) -> Vec3 {
        self.state.velocity + self.state.spin.cross(arm)
    }

    /// Displacement of the point at `arm` along `d`, per `h` times impulse along `d`.
    #[inline]
    pub fn mobility(&self, arm: &Vec3, d: &Vec3) -> f64 {
        let lever = arm.cross(d);
        self.inverse_mass + lever.dot(&(self.inverse_inertia_world * lever))
    }

    /// Applies the displacement and the momentum of the impulse `p / h` at `arm`.
    #[inline]
    pub fn shove(&mut self, arm: &Vec3, p: &Vec3, h: f64) {
        if self.is_dynamic() {
            self.shift(arm, p);
            self.state.velocity += p * (self.inverse_mass / h);
            self.momentum += arm.cross(p) / h;
        }
    }

    /// Applies the displacement only.
    #[inline]
    pub fn shift(&mut self, arm: &Vec3, p: &Vec3) {
        if !self.is_dynamic() {
            return;
        }
        let lever = arm.cross(p);
        self.state.position += p * self.inverse_mass;
        let turn = self.inverse_inertia_world * lever * 0.5;
        let q = self.state.rotation.into_inner();
        let turned = q + Quaternion::new(0.0, turn.x, turn.y, turn.z) * q;
        self.state.rotation = UnitQuaternion::new_normalize(turned);
    }

    /// Applies the impulse `p` (N s) at `arm`: changes the motion, not the pose.
    #[inline]
    pub fn push(&mut self, arm: &Vec3, p: &Vec3) {
        if !self.is_dynamic() {
            return;
        }
        self.state.velocity += p * self.inverse_mass;
        self.momentum += arm.cross(p);
        self.state.spin = self.inverse_inertia_world * self.momentum;
    }

    /// Kinetic energy, J.
    pub fn energy(&self) -> f64 {
        if !self.is_dynamic() {
            return 0.0;
        }
        self.state.velocity.norm_squared() / self.inverse_mass / 2.0
            + self.momentum.dot(&self.spin_at(&self.state.rotation)) / 2.0
    }
}
