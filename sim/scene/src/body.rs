//! What a body is made of, and why one is refused.

use std::sync::{Arc, OnceLock};

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Adjacency, MeshReport, Pose, SmoothMesh, TriMesh, Vec3};
use hapticd_proxy::{MAX_SCENE_BODIES, Material};
use hapticd_rays::{POINTS_PER_CLUSTER, ShapeError, Topology};
use hapticd_rigid::{BodyError, ShapeSummary};

/// Half thickness that an open sheet of the rigid scene has for soft bodies, m.
const OPEN_M: f64 = 0.0005;

/// A mesh made ready for rays, or why it cannot be; empty until somebody asked.
type ForRays = Arc<OnceLock<Result<Arc<hapticd_rays::Shape>, ShapeError>>>;

/// Whether a body may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// An application moves it.
    Kinematic,
    /// Forces move it: gravity, contacts, and the tools that touch it.
    Dynamic,
}

/// A mesh ready for detection, shared between bodies and threads.
#[derive(Clone)]
pub struct Shape {
    /// Mesh, adjacency and tree.
    pub index: Arc<MeshIndex>,
    /// No boundary, consistently outward: has an inside.
    pub closed: bool,
    /// Radius about the mesh's origin, m.
    pub bound_m: f64,
    /// What dynamics ask of it.
    pub(crate) facts: Arc<ShapeSummary>,
    /// The smooth surface that it stands for, if that is not the mesh itself.
    pub(crate) smooth: Option<Arc<SmoothMesh>>,
    /// As a volume, and as a sheet.
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
    /// From an index and what loading found out about its mesh. All that a scene needs to know of
    /// the mesh as a whole is found out here, in `O(n)`, so that adding a body of this shape takes
    /// no time.
    pub fn new(index: Arc<MeshIndex>, report: &MeshReport) -> Self {
        let bound_m = index.mesh().map_or(0.0, |m| {
            m.positions().iter().map(Vec3::norm).fold(0.0, f64::max)
        });
        Shape {
            smooth: None,
            closed: report.closed && report.oriented,
            facts: Arc::new(ShapeSummary::new(&index, report)),
            index,
            bound_m: bound_m * (1.0 + 1e-12),
            rays: Default::default(),
        }
    }

    /// For a body of this material: with [`force_shading`](Material::force_shading) also the smooth
    /// surface that the mesh stands for, 48 bytes a vertex and 29 a triangle, made in `O(n)`.
    #[must_use]
    pub fn felt_as(mut self, material: &Material) -> Self {
        if material.force_shading {
            let smooth = self.index.mesh().zip(self.index.adjacency());
            let smooth = smooth.and_then(|(mesh, adjacency)| SmoothMesh::new(mesh, adjacency));
            self.smooth = smooth.map(Arc::new);
        }
        self
    }

    /// Whether balls feel some of it as a smooth surface.
    #[must_use]
    pub fn is_felt_smooth(&self) -> bool {
        self.smooth.is_some()
    }

    /// A mesh with its tree, and what it is like.
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

    /// A point: what a ball is to detection.
    pub fn point() -> Self {
        let index = Arc::new(MeshIndex::point(Vec3::zeros()));
        Shape {
            facts: Arc::new(ShapeSummary::of_point(Vec3::zeros())),
            index,
            closed: false,
            smooth: None,
            bound_m: 0.0,
            rays: Default::default(),
        }
    }

    /// Whether nobody else has any part of this shape, so that dropping it frees the memory here
    /// and now.
    #[must_use]
    pub fn is_last(&self) -> bool {
        let alone = |rays: &ForRays| match rays.get() {
            Some(Ok(shape)) => Arc::strong_count(rays) == 1 && Arc::strong_count(shape) == 1,
            _ => Arc::strong_count(rays) == 1,
        };
        Arc::strong_count(&self.index) == 1
            && Arc::strong_count(&self.facts) == 1
            && (self.smooth.iter()).all(|smooth| Arc::strong_count(smooth) == 1)
            && self.rays.iter().all(alone)
    }

    /// One point of each connected piece; of a point, the point.
    #[must_use]
    pub fn pieces(&self) -> &[Vec3] {
        self.facts.pieces()
    }

    /// How many triangles; 0 for a point.
    pub fn triangles(&self) -> usize {
        self.index.mesh().map_or(0, |m| m.triangles().len())
    }
}

/// A body to add.
#[derive(Clone)]
pub struct BodySpec {
    /// For people.
    pub name: String,
    /// May it move.
    pub kind: BodyKind,
    /// What it looks like.
    pub shape: Shape,
    /// True: it must be closed. False: an open sheet is welcome.
    pub solid: bool,
    /// Where it starts.
    pub world_from_body: Pose,
    /// Surface.
    pub material: Material,
    /// Coefficient of restitution between this body and others, 0 to 1.
    pub restitution: f64,
    /// Of the solid inside the mesh, kg/m³; counts for a dynamic body only.
    pub density_kg_m3: f64,
}

impl BodySpec {
    /// The mesh as soft bodies meet it: a volume, or a sheet of a millimetre if it is open or not
    /// meant to be solid. `None` for a point.
    ///
    /// Made by the first who asks, for all copies of the shape, which takes milliseconds for each
    /// thousand triangles and may be done on any thread that has the time; those who ask meanwhile
    /// wait for it. Allocates.
    ///
    /// # Errors
    /// [`ShapeError`], if rays can make nothing of it: the mesh's fault.
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

/// Why a body was not added. The caller's fault, but for `Full`.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum AddError {
    /// No slot left.
    #[error("the scene already has {MAX_SCENE_BODIES} bodies, the most it can hold")]
    Full,
    /// A name that is taken.
    #[error("a body named `{0}` exists already")]
    NameTaken(String),
    /// A solid body whose mesh has holes.
    #[error(
        "`{name}` is declared solid but its mesh is not closed and outward oriented ({detail})"
    )]
    OpenSolid {
        /// Body.
        name: String,
        /// Boundary edges and so on.
        detail: String,
    },
    /// A pose that is not one.
    #[error("the pose of `{0}` is not finite")]
    BadPose(String),
    /// A dynamic body that has no mass, or one that would start inside another one where there are
    /// dynamic bodies.
    #[error("body `{name}`: {}", told(.why, .other.as_deref()))]
    Dynamics {
        /// Body.
        name: String,
        /// What the dynamics say. They know other bodies by numbers of their own.
        why: BodyError,
        /// The name of the body that is in the way.
        other: Option<String>,
    },
    /// The scene is finding something out about another body.
    #[error("the scene is not done with another body yet")]
    Busy,
    /// A body that would come into a planar scene while that runs.
    #[error("`{0}`: a planar scene takes no bodies while it runs")]
    Planar(String),
    /// Material out of range.
    #[error("material of `{name}`: {what} = {value} is not a finite number >= 0")]
    BadMaterial {
        /// Body.
        name: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

/// What the dynamics say, with the other body's name in the place of their number.
fn told(why: &BodyError, other: Option<&str>) -> String {
    match (why, other) {
        (BodyError::Overlap(overlap), Some(other)) => format!(
            "it would start inside `{other}`: {} triangles cross, it is in by at least {} m",
            overlap.crossings, overlap.depth_m
        ),
        (BodyError::InTheWay(_), Some(other)) => {
            format!("`{other}` is on its way through there")
        }
        (why, _) => why.to_string(),
    }
}

/// Why a command to a body was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq, Clone, Copy)]
#[non_exhaustive]
pub enum CommandError {
    /// Nobody has that id.
    #[error("there is no body {0}")]
    NoSuchBody(u32),
    /// A static body does not move.
    #[error("body {0} is static")]
    Static(u32),
    /// Forces move a dynamic body, not commands.
    #[error("body {0} is dynamic: forces move it, not commands")]
    Dynamic(u32),
    /// The dynamics are away at work: later.
    #[error("the dynamics are at work: body {0} must wait for them")]
    Busy(u32),
    /// A pose or speed that is not finite, or a speed below zero.
    #[error("pose or speed for body {0} is not finite")]
    BadTarget(u32),
}
