//! One body: its properties, what acts on it, and the errors of invalid ones.

use std::sync::Arc;

use hapticd_ccd::{MeshIndex, PairKind};
use hapticd_geometry::{
    MassError, MassProperties, Mat3, MeshReport, Moments, Pose, TriMesh, Vec3, transform,
};

use crate::groups::Groups;

/// Handle of a body, valid as long as the body exists: a reused slot gets another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    /// Slot in the world, and index into the screws of a plan.
    pub slot: u32,
    /// Number of times that the slot was assigned.
    pub generation: u32,
}

/// Whether a body may move, and what moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Follows its given twist, as far as nothing is in the way.
    Kinematic,
    /// Moves by forces and contacts.
    Dynamic,
}

/// Source of a dynamic body's mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mass {
    /// Density of the solid inside the mesh, kg/m³.
    Density(f64),
    /// Given mass properties.
    Given(MassProperties),
}

/// Friction and restitution of a surface. A contact of two surfaces has the geometric mean of the
/// frictions and the larger restitution.
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

/// Velocity of a body: that of its centre of mass (of its bounding ball's centre if it has no
/// mass), and angular. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Linear velocity, m/s.
    pub linear: Vec3,
    /// Angular velocity, rad/s.
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

    /// Interpolates linearly from `self` to `end`.
    pub(crate) fn towards(&self, end: &Self, share: f64) -> Self {
        Self {
            linear: self.linear + (end.linear - self.linear) * share,
            angular: self.angular + (end.angular - self.angular) * share,
        }
    }
}

/// External wrench on a dynamic body, apart from gravity. World axes, torque about the centre of
/// mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// Force, N.
    pub force: Vec3,
    /// Torque, N m.
    pub torque: Vec3,
}

impl Wrench {
    /// No force and no torque.
    pub const ZERO: Self = Self {
        force: Vec3::new(0.0, 0.0, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// A spring that draws a body, as a hand does with what it grasps. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Where the spring acts, body frame, m; `None`: at the centre of mass.
    pub grip: Option<Vec3>,
    /// Pose of the body at the end of the step at which the spring is at rest.
    pub target: Pose,
    /// Velocity of the grip at that pose, and angular velocity.
    pub velocity: Twist,
    /// Stiffness, N/m; 0: that of a servo of 100 rad/s.
    pub stiffness_n_per_m: f64,
    /// Rotational stiffness, N m/rad; 0: as fast as the shift.
    pub stiffness_nm_per_rad: f64,
    /// Largest force of the spring, N; may be infinite.
    pub most_n: f64,
}

impl Hold {
    pub(crate) fn is_finite(&self) -> bool {
        let turn = self.target.rotation.coords.norm();
        let sum = self.target.translation.vector.norm_squared()
            + self.grip.map_or(0.0, |grip| grip.norm_squared())
            + self.stiffness_n_per_m
            + self.stiffness_nm_per_rad;
        let least = self.stiffness_n_per_m.min(self.stiffness_nm_per_rad);
        sum.is_finite()
            && (turn - 1.0).abs() < 1e-6
            && self.velocity.is_finite()
            && least >= 0.0
            && self.most_n >= 0.0
    }
}

/// Description of a body to add.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Surface of the body; a point is refused.
    pub shape: Arc<MeshIndex>,
    /// Summary of that surface from [`ShapeSummary::new`]. If `None`, it is computed when the body
    /// is added, which takes `O(n)`.
    pub summary: Option<Arc<ShapeSummary>>,
    /// Static, kinematic or dynamic.
    pub kind: BodyKind,
    /// Mass; needed by a dynamic body only.
    pub mass: Option<Mass>,
    /// Initial pose.
    pub world_from_body: Pose,
    /// Initial velocity.
    pub twist: Twist,
    /// Material of its surface.
    pub material: Material,
}

impl BodySpec {
    /// A static body, with friction 0.5 and restitution 0.
    #[must_use]
    pub fn fixed(shape: Arc<MeshIndex>, world_from_body: Pose) -> Self {
        Self {
            shape,
            summary: None,
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

    /// A dynamic body of this density, initially at rest.
    #[must_use]
    pub fn dynamic(shape: Arc<MeshIndex>, world_from_body: Pose, density_kg_m3: f64) -> Self {
        Self {
            kind: BodyKind::Dynamic,
            mass: Some(Mass::Density(density_kg_m3)),
            ..Self::fixed(shape, world_from_body)
        }
    }

    /// A kinematic body that follows a twist.
    #[must_use]
    pub fn kinematic(shape: Arc<MeshIndex>, world_from_body: Pose, twist: Twist) -> Self {
        Self {
            kind: BodyKind::Kinematic,
            twist,
            ..Self::fixed(shape, world_from_body)
        }
    }
}

/// Properties of a surface as a whole that a world needs. Takes `O(n)` to compute: do so once when
/// the surface is made, on a thread that has the time.
#[derive(Clone, Debug)]
pub struct ShapeSummary {
    centre: Vec3,
    radius_m: f64,
    closed: bool,
    moments: Option<Result<Moments, MassError>>,
    pub(crate) pieces: Vec<Vec3>,
}

impl ShapeSummary {
    /// Summarizes this surface; `report` must be that of its mesh.
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

    /// Summary of a point.
    #[must_use]
    pub fn of_point(point: Vec3) -> Self {
        Self {
            pieces: vec![point],
            ..Self::default()
        }
    }

    /// One point of each connected piece of the surface; for a point shape, the point. A surface
    /// that intersects no other is wholly inside or wholly outside of it, piece by piece.
    #[must_use]
    pub fn pieces(&self) -> &[Vec3] {
        &self.pieces
    }

    fn mass(&self, density_kg_m3: f64) -> Result<MassProperties, MassError> {
        // A body without a mesh was refused earlier.
        let unknown = Err(MassError::OutOfRange { volume_m3: 0.0 });
        self.moments.unwrap_or(unknown)?.with_density(density_kg_m3)
    }
}

impl Default for ShapeSummary {
    /// Summary of an empty surface.
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

/// One vertex of each connected piece.
fn pieces(mesh: &TriMesh) -> Vec<Vec3> {
    let mut groups = Groups::default();
    groups.start(mesh.positions().len());
    for t in mesh.triangles() {
        groups.join(t[0], t[1]);
        groups.join(t[0], t[2]);
    }
    let used = mesh.triangles().iter().flatten();
    let roots: std::collections::BTreeSet<u32> = used.map(|&v| groups.find(v)).collect();
    roots
        .iter()
        .map(|&v| mesh.positions()[v as usize])
        .collect()
}

/// An overlap of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The body that was there first.
    pub other: BodyId,
    /// Number of pairs of crossing triangles, counted up to 256; 0 if one body is wholly inside the
    /// other.
    pub crossings: usize,
    /// Lower bound on the depth, m: some point of one body is this far below the surface of the
    /// other.
    pub depth_m: f64,
}

impl std::fmt::Display for Overlap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.crossings > 0 {
            let s = if self.crossings == 1 {
                " crosses"
            } else {
                "s cross"
            };
            write!(f, "{} triangle{s}, ", self.crossings)?;
        }
        // Two digits, rounded down: it is a lower bound.
        let unit = 10_f64.powi(self.depth_m.max(1e-300).log10().floor() as i32 - 1);
        let depth_m = (self.depth_m / unit).floor() * unit;
        if depth_m < 1e-4 {
            write!(f, "it overlaps by at least {depth_m:.1e} m")
        } else {
            let digits = if depth_m < 1e-3 { 5 } else { 4 };
            write!(f, "it overlaps by at least {depth_m:.digits$} m")
        }
    }
}

/// Why a body, or a request on one, was refused. Always an error of the caller.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// A point has no surface.
    #[error("the shape of a body must be a mesh, not a point")]
    Point,
    /// A pose, twist, wrench or mesh with a non-finite number, or a rotation that is not of unit
    /// length.
    #[error("the body's {0} is not finite")]
    NotFinite(&'static str),
    /// Friction or restitution out of range.
    #[error("{what} = {value} is not in {low} to {high}")]
    Material {
        /// Name of the property.
        what: &'static str,
        /// Given value.
        value: f64,
        /// Smallest allowed value.
        low: f64,
        /// Largest allowed value.
        high: f64,
    },
    /// A dynamic body without mass.
    #[error("a dynamic body needs a mass")]
    NoMass,
    /// The mesh encloses no volume, or the density is invalid.
    #[error("the body's mass: {0}")]
    Mesh(#[from] MassError),
    /// A given mass or inertia is not positive.
    #[error(
        "mass {mass_kg} kg with a least principal inertia of {least_inertia_kg_m2} kg m²: both must be positive and finite"
    )]
    NotPositive {
        /// Given mass, kg.
        mass_kg: f64,
        /// Smallest eigenvalue of the given inertia, kg m².
        least_inertia_kg_m2: f64,
    },
    /// The body would start inside another body.
    #[error(
        "the body would start inside body {other:?}: {}", .0, other = .0.other
    )]
    Overlap(Overlap),
    /// The body would start in the path that another body still has to follow in the current plan.
    #[error("body {0:?} is about to pass there")]
    InTheWay(BodyId),
    /// No body has that handle, or it has been removed.
    #[error("there is no body {0:?}")]
    Unknown(BodyId),
    /// The operation does not apply to a body of this kind.
    #[error("body {id:?} is {kind:?}")]
    Kind {
        /// The body.
        id: BodyId,
        /// Kind of the body.
        kind: BodyKind,
    },
    /// A setting of the world is out of range.
    #[error("{what} = {value} is not in 0 to {most}")]
    Setting {
        /// Name of the setting.
        what: &'static str,
        /// Given value; the length of a vector.
        value: f64,
        /// Largest allowed value.
        most: f64,
    },
    /// All slots are taken.
    #[error("the world already has {0} bodies")]
    Full(u32),
}

/// Internal state of a body.
#[derive(Clone, Debug)]
pub(crate) struct RigidBody {
    pub shape: Arc<MeshIndex>,
    pub kind: BodyKind,
    pub material: Material,
    /// Bounding ball about `centre` (body frame) that contains the body.
    pub centre: Vec3,
    pub radius_m: f64,
    /// Reference point of the twist, body frame: the centre of mass.
    pub pivot: Vec3,
    pub inverse_mass: f64,
    /// Inertia about the centre of mass, body axes.
    pub inertia: Mat3,
    pub inverse_inertia: Mat3,
    pub wrench: Wrench,
    /// Springs that draw it; none mostly.
    pub holds: Vec<Hold>,
    pub asleep: bool,
    /// Time for which it has been quiet, s.
    pub quiet_s: f64,
    pub closed: bool,
    pub summary: Arc<ShapeSummary>,
    /// Pose and twist with which it came.
    pub came: (Pose, Twist),
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
        let summary = match &spec.summary {
            Some(summary) => summary.clone(),
            None => {
                let report = MeshReport::of(mesh, adjacency);
                Arc::new(ShapeSummary::new(&spec.shape, &report))
            }
        };
        let (centre, radius) = (summary.centre, summary.radius_m);
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
            holds: Vec::new(),
            asleep: false,
            quiet_s: 0.0,
            closed: summary.closed,
            summary: summary.clone(),
            came: (*pose, spec.twist),
        };
        body.came.0.rotation.renormalize();
        if spec.kind == BodyKind::Dynamic {
            let mass = match spec.mass {
                None => return Err(BodyError::NoMass),
                Some(Mass::Density(density)) => summary.mass(density)?,
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

    /// Kinetic energy of its rotation, J; 0 for a body without mass.
    pub fn spin_energy(&self, pose: &Pose, angular: &Vec3) -> f64 {
        let spin = pose.rotation.inverse() * angular;
        0.5 * spin.dot(&(self.inertia * spin))
    }

    /// Kinetic and (relative to the origin) potential energy in the field `gravity`, J; 0 for a
    /// body without mass.
    pub fn energy(&self, pose: &Pose, twist: &Twist, gravity: &Vec3) -> f64 {
        if self.inverse_mass == 0.0 {
            return 0.0;
        }
        let mass = 1.0 / self.inverse_mass;
        0.5 * mass * twist.linear.norm_squared() + self.spin_energy(pose, &twist.angular)
            - mass * gravity.dot(&self.pivot_at(pose))
    }
}

/// Current state of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyView {
    /// Kind of the body.
    pub kind: BodyKind,
    /// Current pose.
    pub world_from_body: Pose,
    /// Current velocity; for a kinematic body, the commanded one.
    pub twist: Twist,
    /// Its centre of mass, world.
    pub centre: Vec3,
    /// Centre of mass in the body frame.
    pub pivot: Vec3,
    /// Whether the body sleeps: nothing moves it at present, and nothing is computed for it.
    pub asleep: bool,
    /// Kinetic and potential energy, J, the latter relative to the world's origin; 0 for a body
    /// without mass.
    pub energy_j: f64,
}
