//! One body: what it is made of, what acts on it, and why one is refused.

use std::sync::Arc;

use hapticd_ccd::{MeshIndex, PairKind};
use hapticd_geometry::{
    MassError, MassProperties, Mat3, MeshReport, Moments, Pose, Vec3, transform,
};

use crate::overlap::{Overlap, pieces};

/// Names a body for as long as it lives: a slot that is used again gets another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    /// Place in the world, and in a plan's screws.
    pub slot: u32,
    /// Counts how often the slot was given out.
    pub generation: u32,
}

/// Whether a body may move, and by whose will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Follows the twist it is given, as far as there is room.
    Kinematic,
    /// Moves as forces and contacts make it.
    Dynamic,
}

/// Where a dynamic body's mass comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mass {
    /// Of the solid inside the mesh, kg/m³.
    Density(f64),
    /// Given.
    Given(MassProperties),
}

/// How a surface rubs and bounces. A contact of two has the geometric mean of the frictions and the
/// larger restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficient of friction, at least 0.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

impl Material {
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        for (what, value, high) in [
            ("friction", self.friction, 1e3),
            ("restitution", self.restitution, 1.0),
        ] {
            if !(0.0..=high).contains(&value) {
                return Err(BodyError::Material {
                    what,
                    value,
                    low: 0.0,
                    high,
                });
            }
        }
        Ok(())
    }
}

/// Velocity of a body: of its centre of mass (of its bounding ball's centre if it has no mass), and
/// angular. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// m/s.
    pub linear: Vec3,
    /// rad/s.
    pub angular: Vec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self {
        linear: Vec3::new(0.0, 0.0, 0.0),
        angular: Vec3::new(0.0, 0.0, 0.0),
    };

    pub(crate) fn is_finite(&self) -> bool {
        (self.linear.norm_squared() + self.angular.norm_squared()).is_finite()
    }

    /// On the way from `self` to `end`.
    pub(crate) fn towards(&self, end: &Self, share: f64) -> Self {
        Self {
            linear: self.linear + (end.linear - self.linear) * share,
            angular: self.angular + (end.angular - self.angular) * share,
        }
    }
}

/// What acts on a dynamic body from outside, besides gravity. World axes, torque about the centre
/// of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// N.
    pub force: Vec3,
    /// N m.
    pub torque: Vec3,
}

impl Wrench {
    /// Nothing.
    pub const ZERO: Self = Self {
        force: Vec3::new(0.0, 0.0, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// A body to add.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Its surface; a point is refused.
    pub shape: Arc<MeshIndex>,
    /// What [`ShapeSummary::new`] says of that surface; `None`: it is found out when the body is
    /// added, which takes `O(n)`.
    pub facts: Option<Arc<ShapeSummary>>,
    /// Static, kinematic or dynamic.
    pub kind: BodyKind,
    /// Needed by a dynamic body only.
    pub mass: Option<Mass>,
    /// Where it starts.
    pub world_from_body: Pose,
    /// How it moves at first.
    pub twist: Twist,
    /// Its surface's behaviour.
    pub material: Material,
}

impl BodySpec {
    /// A body that never moves, of friction 0.5 and restitution 0.
    #[must_use]
    pub fn fixed(shape: Arc<MeshIndex>, world_from_body: Pose) -> Self {
        Self {
            shape,
            facts: None,
            kind: BodyKind::Static,
            mass: None,
            world_from_body,
            twist: Twist::ZERO,
            material: Material {
                friction: 0.5,
                restitution: 0.0,
            },
        }
    }

    /// A body of this density that is at rest at first.
    #[must_use]
    pub fn dynamic(shape: Arc<MeshIndex>, world_from_body: Pose, density_kg_m3: f64) -> Self {
        Self {
            kind: BodyKind::Dynamic,
            mass: Some(Mass::Density(density_kg_m3)),
            ..Self::fixed(shape, world_from_body)
        }
    }

    /// A body that follows a twist.
    #[must_use]
    pub fn kinematic(shape: Arc<MeshIndex>, world_from_body: Pose, twist: Twist) -> Self {
        Self {
            kind: BodyKind::Kinematic,
            twist,
            ..Self::fixed(shape, world_from_body)
        }
    }
}

/// What a world needs to know of a surface as a whole. Takes `O(n)` to find out, so whoever makes
/// the surface does it once, on a thread that has the time.
#[derive(Clone, Debug)]
pub struct ShapeSummary {
    centre: Vec3,
    radius_m: f64,
    closed: bool,
    moments: Option<Result<Moments, MassError>>,
    pub(crate) pieces: Vec<Vec3>,
}

impl ShapeSummary {
    /// Of this surface; `report` must be that of its mesh.
    #[must_use]
    pub fn new(shape: &MeshIndex, report: &MeshReport) -> Self {
        let Some(mesh) = shape.mesh() else {
            let point = shape.feature_a(PairKind::VertexFace, 0);
            return point.map_or_else(Self::default, |p| Self::of_point(p[0]));
        };
        let (low, high) = mesh.bounds();
        let centre = low + (high - low) / 2.0;
        let radius = (mesh.positions().iter())
            .map(|p| (p - centre).norm())
            .fold(0.0, f64::max);
        Self {
            centre,
            radius_m: radius,
            closed: report.closed && report.oriented,
            moments: Some(Moments::of(mesh, report)),
            pieces: pieces(mesh),
        }
    }

    /// Of a point.
    #[must_use]
    pub fn of_point(point: Vec3) -> Self {
        Self {
            pieces: vec![point],
            ..Self::default()
        }
    }

    /// One point of each connected piece of the surface; of a point, the point. A surface that
    /// meets no other is wholly inside or wholly outside of it, piece by piece.
    #[must_use]
    pub fn pieces(&self) -> &[Vec3] {
        &self.pieces
    }

    fn mass(&self, density_kg_m3: f64) -> Result<MassProperties, MassError> {
        // A body without a mesh is refused before.
        let unknown = Err(MassError::OutOfRange { volume_m3: 0.0 });
        self.moments.unwrap_or(unknown)?.with_density(density_kg_m3)
    }
}

impl Default for ShapeSummary {
    /// Of nothing.
    fn default() -> Self {
        Self {
            centre: Vec3::zeros(),
            radius_m: 0.0,
            closed: false,
            moments: None,
            pieces: Vec::new(),
        }
    }
}

/// Why a body, or what was asked of one, was refused. Always the caller's doing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// A point has no surface.
    #[error("the shape of a body must be a mesh, not a point")]
    Point,
    /// Pose, twist, wrench or mesh with a number that is not finite, or a rotation that is none.
    #[error("the body's {0} is not finite")]
    NotFinite(&'static str),
    /// Friction or restitution out of range.
    #[error("{what} = {value} is not in {low} to {high}")]
    Material {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Least allowed.
        low: f64,
        /// Most allowed.
        high: f64,
    },
    /// A dynamic body without mass.
    #[error("a dynamic body needs a mass")]
    NoMass,
    /// The mesh has no inside, or the density is none.
    #[error("the body's mass: {0}")]
    Mesh(#[from] MassError),
    /// A given mass or inertia that is not positive.
    #[error(
        "mass {mass_kg} kg with a least principal inertia of {least_inertia_kg_m2} kg m²: both must be positive and finite"
    )]
    NotPositive {
        /// Given mass.
        mass_kg: f64,
        /// Least eigenvalue of the given inertia.
        least_inertia_kg_m2: f64,
    },
    /// It would start inside another body.
    #[error(
        "the body would start inside body {other:?}: {crossings} triangles cross, it is in by at least {depth_m} m",
        other = .0.other, crossings = .0.crossings, depth_m = .0.depth_m
    )]
    Overlap(Overlap),
    /// It would be where another body is going to be before the plan is at its end.
    #[error("body {0:?} is on its way through there")]
    InTheWay(BodyId),
    /// Nobody has that name (any more).
    #[error("there is no body {0:?}")]
    Unknown(BodyId),
    /// That cannot be done to a body of this kind.
    #[error("body {id:?} is {kind:?}")]
    Kind {
        /// Which body.
        id: BodyId,
        /// What it is.
        kind: BodyKind,
    },
    /// A setting of the world that makes no sense.
    #[error("{what} = {value} is not in 0 to {most}")]
    Setting {
        /// Which.
        what: &'static str,
        /// Its value; the length of a vector.
        value: f64,
        /// Most allowed.
        most: f64,
    },
    /// All slots are taken.
    #[error("the world already has {0} bodies")]
    Full(u32),
}

/// What the world knows of a body.
#[derive(Clone, Debug)]
pub(crate) struct RigidBody {
    pub shape: Arc<MeshIndex>,
    pub kind: BodyKind,
    pub material: Material,
    /// Ball about `centre` (body frame) that holds the body.
    pub centre: Vec3,
    pub radius_m: f64,
    /// Reference point of the twist, body frame: centre of mass.
    pub pivot: Vec3,
    pub inverse_mass: f64,
    /// About the centre of mass, body axes.
    pub inertia: Mat3,
    pub inverse_inertia: Mat3,
    pub wrench: Wrench,
    pub asleep: bool,
    /// How long it has been quiet.
    pub quiet_s: f64,
    pub closed: bool,
    pub facts: Arc<ShapeSummary>,
}

impl RigidBody {
    pub fn new(spec: &BodySpec) -> Result<Self, BodyError> {
        let (Some(mesh), Some(adjacency)) = (spec.shape.mesh(), spec.shape.adjacency()) else {
            return Err(BodyError::Point);
        };
        let pose = &spec.world_from_body;
        let turn = pose.rotation.coords.norm();
        if !(pose.translation.vector.norm_squared().is_finite() && (turn - 1.0).abs() < 1e-6) {
            return Err(BodyError::NotFinite("pose"));
        }
        if !spec.twist.is_finite() {
            return Err(BodyError::NotFinite("twist"));
        }
        spec.material.check()?;
        let facts = match &spec.facts {
            Some(facts) => facts.clone(),
            None => {
                let report = MeshReport::of(mesh, adjacency);
                Arc::new(ShapeSummary::new(&spec.shape, &report))
            }
        };
        let (centre, radius) = (facts.centre, facts.radius_m);
        if !(radius * radius).is_finite() {
            return Err(BodyError::NotFinite("mesh size"));
        }
        let mut body = Self {
            shape: spec.shape.clone(),
            kind: spec.kind,
            material: spec.material,
            centre,
            radius_m: radius * (1.0 + 1e-12),
            pivot: centre,
            inverse_mass: 0.0,
            inertia: Mat3::zeros(),
            inverse_inertia: Mat3::zeros(),
            wrench: Wrench::ZERO,
            asleep: false,
            quiet_s: 0.0,
            closed: facts.closed,
            facts: facts.clone(),
        };
        if spec.kind == BodyKind::Dynamic {
            let mass = match spec.mass {
                None => return Err(BodyError::NoMass),
                Some(Mass::Density(density)) => facts.mass(density)?,
                Some(Mass::Given(mass)) => mass,
            };
            body.weigh(&mass)?;
        }
        Ok(body)
    }

    fn weigh(&mut self, mass: &MassProperties) -> Result<(), BodyError> {
        let inertia = (mass.inertia + mass.inertia.transpose()) * 0.5;
        let finite = (inertia.sum() + mass.center.sum() + mass.mass).is_finite();
        let least = if finite {
            inertia.symmetric_eigenvalues().min()
        } else {
            f64::NAN
        };
        let inverse = inertia.try_inverse();
        match inverse {
            Some(inverse) if mass.mass > 0.0 && least > 0.0 && inverse.sum().is_finite() => {
                self.pivot = mass.center;
                self.inverse_mass = 1.0 / mass.mass;
                self.inertia = inertia;
                self.inverse_inertia = inverse;
                Ok(())
            }
            _ => Err(BodyError::NotPositive {
                mass_kg: mass.mass,
                least_inertia_kg_m2: least,
            }),
        }
    }

    pub fn pivot_at(&self, pose: &Pose) -> Vec3 {
        transform(pose, &self.pivot)
    }

    pub fn centre_at(&self, pose: &Pose) -> Vec3 {
        transform(pose, &self.centre)
    }

    /// Acceleration of a free body by gravity and its wrench, m/s².
    pub fn pull(&self, gravity: &Vec3) -> Vec3 {
        gravity + self.wrench.force * self.inverse_mass
    }

    /// Kinetic energy of its spin, J; 0 for what has no mass.
    pub fn spin_energy(&self, pose: &Pose, angular: &Vec3) -> f64 {
        let spin = pose.rotation.inverse() * angular;
        0.5 * spin.dot(&(self.inertia * spin))
    }

    /// Kinetic and (with respect to the origin) potential energy in the field `gravity`, J; 0 for
    /// what has no mass.
    pub fn energy(&self, pose: &Pose, twist: &Twist, gravity: &Vec3) -> f64 {
        if self.inverse_mass == 0.0 {
            return 0.0;
        }
        let mass = 1.0 / self.inverse_mass;
        0.5 * mass * twist.linear.norm_squared() + self.spin_energy(pose, &twist.angular)
            - mass * gravity.dot(&self.pivot_at(pose))
    }
}

/// A body as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyView {
    /// What it is.
    pub kind: BodyKind,
    /// Where it is.
    pub world_from_body: Pose,
    /// How it moves; for a kinematic body, how it was told to.
    pub twist: Twist,
    /// Its centre of mass, world.
    pub centre: Vec3,
    /// The same in its own frame.
    pub pivot: Vec3,
    /// Nothing moves it at present, and nothing is computed for it.
    pub asleep: bool,
    /// Kinetic and potential energy, J, the latter counted from the world's origin; 0 for what has
    /// no mass.
    pub energy_j: f64,
}
