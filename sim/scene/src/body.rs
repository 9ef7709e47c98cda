//! Description of a body, and the errors of invalid ones.

use std::sync::{Arc, OnceLock};

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Adjacency, MeshReport, Pose, SmoothMesh, TriMesh, Vec3};
use hapticd_proxy::{MAX_SCENE_BODIES, Material};
use hapticd_rays::{POINTS_PER_CLUSTER, ShapeError, Topology};
use hapticd_rigid::{BodyError, ShapeSummary};

/// Half thickness of an open sheet of the rigid scene in contact with deformables, m.
const OPEN_M: f64 = 0.0005;

/// A mesh prepared for rays, or why that failed; empty until first use.
type ForRays = Arc<OnceLock<Result<Arc<hapticd_rays::Shape>, ShapeError>>>;

/// Whether a body may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Moved by a client.
    Kinematic,
    /// Moved by forces: gravity, contacts, and tools in contact.
    Dynamic,
}

/// A mesh prepared for detection, shared between bodies and threads.
#[derive(Clone)]
pub struct Shape {
    /// Mesh, adjacency and tree.
    pub index: Arc<MeshIndex>,
    /// Whether the mesh has an inside: no boundary, consistently oriented outward.
    pub closed: bool,
    /// Radius about the mesh's origin, m.
    pub bound_m: f64,
    /// Summary for the dynamics.
    pub(crate) summary: Arc<ShapeSummary>,
    /// The smooth surface that the mesh stands for, if it is shaded.
    pub(crate) smooth: Option<Arc<SmoothMesh>>,
    /// Prepared for rays: as a volume, and as a sheet.
    rays: [ForRays; 2],
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let triangles = self.triangles();
        write!(
            f,
            "Shape of {triangles} triangles within {} m",
            self.bound_m
        )
    }
}

impl Shape {
    /// Creates a shape from an index and the report of its mesh. Computes everything that a scene
    /// needs about the mesh as a whole, in `O(n)`, so that adding a body of this shape is fast.
    pub fn new(index: Arc<MeshIndex>, report: &MeshReport) -> Self {
        let bound_m = index.mesh().map_or(0.0, |m| {
            m.positions().iter().map(Vec3::norm).fold(0.0, f64::max)
        });
        Shape {
            smooth: None,
            closed: report.closed && report.oriented,
            summary: Arc::new(ShapeSummary::new(&index, report)),
            index,
            bound_m: bound_m * (1.0 + 1e-12),
            rays: Default::default(),
        }
    }

    /// Prepares the shape for a body of this material. With
    /// [`force_shading`](Material::force_shading), also builds the smooth surface that the mesh
    /// stands for: 48 bytes per vertex and 29 per triangle, in `O(n)`.
    #[must_use]
    pub fn shaded_for(mut self, material: &Material) -> Self {
        if material.force_shading {
            let smooth = self.index.mesh().zip(self.index.adjacency());
            let smooth = smooth.and_then(|(mesh, adjacency)| SmoothMesh::new(mesh, adjacency));
            self.smooth = smooth.map(Arc::new);
        }
        self
    }

    /// Whether balls feel at least a part of it as a smooth surface.
    #[must_use]
    pub fn is_shaded(&self) -> bool {
        self.smooth.is_some()
    }

    /// Builds the shape of a mesh, with its tree, and the report of the mesh.
    pub fn of(mesh: TriMesh) -> (Self, MeshReport) {
        let mesh = Arc::new(mesh);
        let index = MeshIndex::new(mesh.clone());
        let report = match index.adjacency() {
            Some(adjacency) => MeshReport::of(&mesh, adjacency),
            None => MeshReport::of(&mesh, &Adjacency::new(&mesh)),
        };
        let index = Arc::new(index);
        (Self::new(index, &report), report)
    }

    /// A point, which represents a ball in detection.
    pub fn point() -> Self {
        let index = Arc::new(MeshIndex::point(Vec3::zeros()));
        Shape {
            summary: Arc::new(ShapeSummary::of_point(Vec3::zeros())),
            index,
            closed: false,
            smooth: None,
            bound_m: 0.0,
            rays: Default::default(),
        }
    }

    /// Whether this is the only owner of every part of the shape, so that dropping it frees the
    /// memory at once.
    #[must_use]
    pub fn is_last(&self) -> bool {
        let alone = |rays: &ForRays| match rays.get() {
            Some(Ok(shape)) => Arc::strong_count(rays) == 1 && Arc::strong_count(shape) == 1,
            _ => Arc::strong_count(rays) == 1,
        };
        Arc::strong_count(&self.index) == 1
            && Arc::strong_count(&self.summary) == 1
            && (self.smooth.iter()).all(|smooth| Arc::strong_count(smooth) == 1)
            && self.rays.iter().all(alone)
    }

    /// One point of each connected piece; for a point shape, the point.
    #[must_use]
    pub fn pieces(&self) -> &[Vec3] {
        self.summary.pieces()
    }

    /// Number of triangles; 0 for a point.
    pub fn triangles(&self) -> usize {
        self.index.mesh().map_or(0, |m| m.triangles().len())
    }
}

/// Description of a body to add.
#[derive(Clone)]
pub struct BodySpec {
    /// Name, for people.
    pub name: String,
    /// Whether and how it may move.
    pub kind: BodyKind,
    /// Shape of the body.
    pub shape: Shape,
    /// Whether the mesh must be closed. If false, an open sheet is accepted.
    pub solid: bool,
    /// Initial pose.
    pub world_from_body: Pose,
    /// Material of its surface.
    pub material: Material,
    /// Coefficient of restitution between this body and others, 0 to 1.
    pub restitution: f64,
    /// Density of the solid inside the mesh, kg/m³; used for a dynamic body only.
    pub density_kg_m3: f64,
}

impl BodySpec {
    /// Returns the mesh in the form that deformables collide with: a volume, or a sheet of a
    /// millimetre if the mesh is open or not meant to be solid. `None` for a point.
    ///
    /// Built on first use, for all copies of the shape. That takes milliseconds per thousand
    /// triangles and may be done on any thread that has the time; concurrent callers wait for it.
    /// Allocates.
    ///
    /// # Errors
    /// [`ShapeError`] if the mesh is not usable for rays.
    pub fn soft_shape(&self) -> Result<Option<Arc<hapticd_rays::Shape>>, ShapeError> {
        let Some(mesh) = self.shape.index.mesh() else {
            return Ok(None);
        };
        let volume = self.solid && self.shape.closed;
        let topology = if volume {
            Topology::Volume
        } else {
            Topology::Sheet {
                half_thickness_m: OPEN_M,
            }
        };
        let made = self.shape.rays[usize::from(!volume)].get_or_init(|| {
            hapticd_rays::Shape::new(mesh, topology, POINTS_PER_CLUSTER).map(Arc::new)
        });
        made.clone().map(Some)
    }
}

/// Why a body was not added. An error of the caller, except `Full`.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum AddError {
    /// No slot is left.
    #[error("the scene already has {MAX_SCENE_BODIES} bodies, the most it can hold")]
    Full,
    /// The name is taken.
    #[error("a body named `{0}` exists already")]
    NameTaken(String),
    /// The mesh of a solid body has holes.
    #[error(
        "`{name}` is declared solid but its mesh is not closed and outward oriented ({detail})"
    )]
    OpenSolid {
        /// Name of the body.
        name: String,
        /// What is wrong, such as boundary edges.
        detail: String,
    },
    /// The pose is invalid.
    #[error("the pose of `{0}` is not finite")]
    BadPose(String),
    /// A dynamic body has no mass, or a body would start inside another one in a scene with dynamic
    /// bodies.
    #[error("body `{name}`: {}", told(.why, .other.as_deref()))]
    Dynamics {
        /// Name of the body.
        name: String,
        /// Reason given by the dynamics, which identify other bodies by their own ids.
        why: BodyError,
        /// Name of the body that is in the way.
        other: Option<String>,
    },
    /// The scene is still checking another body.
    #[error("the scene is still checking another body")]
    Busy,
    /// A body would be added to a planar scene while that runs.
    #[error("`{0}`: a planar scene takes no bodies while it runs")]
    Planar(String),
    /// The material is out of range.
    #[error("material of `{name}`: {what} = {value} is not a finite number >= 0")]
    BadMaterial {
        /// Name of the body.
        name: String,
        /// Name of the property.
        what: &'static str,
        /// Given value.
        value: f64,
    },
}

/// Message of the dynamics, with the other body's name in place of its id.
fn told(why: &BodyError, other: Option<&str>) -> String {
    match (why, other) {
        (BodyError::Overlap(overlap), Some(other)) => {
            format!("it would start inside `{other}`: {overlap}")
        }
        (BodyError::InTheWay(_), Some(other)) => {
            format!("`{other}` is about to pass there")
        }
        (why, _) => why.to_string(),
    }
}

/// Why a command to a body was refused.
#[derive(Debug, thiserror::Error, PartialEq, Clone, Copy)]
#[non_exhaustive]
pub enum CommandError {
    /// No body has that id.
    #[error("there is no body {0}")]
    NoSuchBody(u32),
    /// A static body does not move.
    #[error("body {0} is static")]
    Static(u32),
    /// Forces move a dynamic body, not commands.
    #[error("body {0} is dynamic: forces move it, not commands")]
    Dynamic(u32),
    /// The dynamics are busy; try again later.
    #[error("the dynamics are busy: body {0} must wait")]
    Busy(u32),
    /// The pose or speed is not finite, or the speed is negative.
    #[error("pose or speed for body {0} is not finite")]
    BadTarget(u32),
    /// Forces do not move it.
    #[error("body {0} is not dynamic: no impulse moves it")]
    NotDynamic(u32),
    /// In a scene of first order no body keeps a velocity.
    #[error("body {0}: in a scene of first order only what is pushed moves")]
    FirstOrder(u32),
    /// In a planar scene no body appears at another place.
    #[error("body {0}: no body of a planar scene can be placed elsewhere")]
    Planar(u32),
    /// A push would change a velocity by too much.
    #[error("body {body}: {what} would change by {value}, at most {limit}")]
    TooFast {
        /// Client-visible id.
        body: u32,
        /// `the velocity (m/s)` or `the angular velocity (rad/s)`.
        what: &'static str,
        /// The change.
        value: f64,
        /// The largest change.
        limit: f64,
    },
}
