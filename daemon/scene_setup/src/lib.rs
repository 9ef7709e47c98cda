//! From the configuration's shapes, bodies and materials to the scene.
//!
//! Allocates, loads files and builds trees: for start-up and client commands only, never on a
//! real-time thread.

mod bounds;
pub mod implicit;
pub mod needle;
pub mod planar;
pub mod volume;

use std::path::Path;

use hapticd_config as config;
use hapticd_deformable::{DeformableAddError, DeformableSpec, Pinned, Substance};
use hapticd_geometry::prism::prism;
use hapticd_geometry::{
    Adjacency, MeshError, MeshReport, Pose, Quat, TriMesh, Vec3, load, refined, shapes,
};
use hapticd_proxy::{Material, ToolShape};
use hapticd_scene::{AddError, BodyKind, BodySpec, Shape};
use hapticd_xpbd::{ClothMaterial, SoftMaterial};

/// Reason why a scene could not be built. All of them are faults of the configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A file could not be loaded.
    #[error("{what} `{name}`: {error}")]
    Load {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Name of the owner.
        name: String,
        /// Error of the loader.
        error: Box<load::LoadError>,
    },
    /// A procedural shape has impossible numbers.
    #[error("{what} `{name}`: {error}")]
    Shape {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Name of the owner.
        name: String,
        /// Error of the mesh.
        error: MeshError,
    },
    /// A shape is too large to work with, or too far away.
    #[error("{what} `{name}`: {error}")]
    Bounds {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Name of the owner.
        name: String,
        /// Bound that is exceeded.
        error: bounds::BoundsError,
    },
    /// The scene refuses a body.
    #[error(transparent)]
    Add(#[from] AddError),
    /// A body is a sphere, which only a tool can be.
    #[error("body `{0}` is a sphere; bodies are meshes: use `icosphere`")]
    SphereBody(String),
    /// A soft body, cloth or crowd is used where a rigid body is needed.
    #[error("body `{0}` is deformable; the rigid scene cannot hold it")]
    IsDeformable(String),
    /// The simulation refuses a soft body, cloth or crowd.
    #[error(transparent)]
    Soft(#[from] DeformableAddError),
    /// A curve is used where a surface is needed.
    #[error(
        "{what} `{name}`: a `{shape}` has no surface: only strands of implicit bodies follow one"
    )]
    Trajectory {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Name of the owner.
        name: String,
        /// `coil`, `line` or `folds`.
        shape: &'static str,
    },
    /// An implicit body cannot be made of its shape.
    #[error(transparent)]
    Implicit(#[from] implicit::ImplicitError),
    /// A body that only needles meet is used where a rigid body is needed.
    #[error("body `{0}` is for needles; the rigid scene cannot hold it")]
    IsForNeedles(String),
    /// A needle, or what it goes into, cannot be made.
    #[error(transparent)]
    Insertion(#[from] needle::InsertionError),
    /// A body cannot be made of a volume.
    #[error(transparent)]
    Volume(#[from] volume::VolumeError),
    /// Samples are used where a surface is needed.
    #[error(
        "{what} `{name}`: a `{shape}` is made of samples: only an implicit body of model \"fixed\" can be"
    )]
    Samples {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Name of the owner.
        name: String,
        /// `volume` or `skull`.
        shape: &'static str,
    },
    /// A planar scene, or something in it, is impossible.
    #[error(transparent)]
    Planar(#[from] planar::PlanarError),
    /// All triangles of a solid body face inwards.
    #[error(
        "body `{name}` is declared solid, but its closed mesh is {detail}; flip the triangles in \
         the file, or set `solid = false`"
    )]
    InsideOut {
        /// Name of the body.
        name: String,
        /// Description of the mesh.
        detail: String,
    },
    /// A mesh tool has holes.
    #[error(
        "the tool of arm `{name}` is an open mesh ({boundary_edges} boundary edges); a tool must be closed"
    )]
    OpenTool {
        /// Name of the arm.
        name: String,
        /// Number of boundary and non-manifold edges.
        boundary_edges: usize,
    },
}

/// Owner of a shape, for errors.
#[derive(Clone, Copy)]
pub struct Owner<'a> {
    /// "body" or "the tool of arm".
    pub what: &'static str,
    /// Its name.
    pub name: &'a str,
}

impl Owner<'_> {
    fn load_error(self, error: load::LoadError) -> SceneError {
        SceneError::Load {
            what: self.what,
            name: self.name.to_owned(),
            error: Box::new(error),
        }
    }

    fn shape_error(self, error: MeshError) -> SceneError {
        SceneError::Shape {
            what: self.what,
            name: self.name.to_owned(),
            error,
        }
    }

    fn bounds_error(self, error: bounds::BoundsError) -> SceneError {
        SceneError::Bounds {
            what: self.what,
            name: self.name.to_owned(),
            error,
        }
    }

    /// Returns the error for a curve; `shape` is its kind.
    fn trajectory_error(self, shape: &'static str) -> SceneError {
        SceneError::Trajectory {
            what: self.what,
            name: self.name.to_owned(),
            shape,
        }
    }

    /// Returns the error for samples; `shape` is their kind.
    fn samples_error(self, shape: &'static str) -> SceneError {
        SceneError::Samples {
            what: self.what,
            name: self.name.to_owned(),
            shape,
        }
    }
}

/// Makes a mesh of a configured shape, with the number of degenerate triangles that were left out
/// of its file; `None` for a sphere tool. Relative files are taken from `folder`.
pub fn mesh(
    shape: &config::Shape,
    owner: Owner<'_>,
    folder: &Path,
) -> Result<Option<(TriMesh, usize)>, SceneError> {
    use config::Shape as S;
    let half = |size: &[f64; 3]| Vec3::from(*size) / 2.0;
    // Before anything is built from it.
    bounds::check_count(shape).map_err(|error| owner.bounds_error(error))?;
    let made = match shape {
        S::Coil { .. } => return Err(owner.trajectory_error("coil")),
        S::Line { .. } => return Err(owner.trajectory_error("line")),
        S::Folds { .. } => return Err(owner.trajectory_error("folds")),
        S::Volume { .. } => return Err(owner.samples_error("volume")),
        S::Skull { .. } => return Err(owner.samples_error("skull")),
        S::Sphere { .. } => return Ok(None),
        S::Mesh { file, scale } => return from_file(&folder.join(file), *scale, owner).map(Some),
        S::Cuboid { size_m } => shapes::cuboid(&half(size_m)),
        S::Plate {
            size_m,
            thickness_m,
        } => plate(size_m, *thickness_m),
        S::Icosphere {
            radius_m,
            subdivisions,
        } => shapes::icosphere(*radius_m, *subdivisions),
        S::Cylinder {
            radius_m,
            length_m,
            segments,
        } => shapes::cylinder(*radius_m, length_m / 2.0, *segments),
        S::Torus {
            major_radius_m,
            minor_radius_m,
            major_segments,
            minor_segments,
        } => shapes::torus(
            *major_radius_m,
            *minor_radius_m,
            *major_segments,
            *minor_segments,
        ),
        S::Terrain {
            size_m,
            amplitude_m,
            depth_m,
            cells,
            seed,
        } => {
            let [x, y] = *size_m;
            shapes::terrain(
                [x / 2.0, y / 2.0],
                *cells,
                *amplitude_m,
                *depth_m,
                u64::from(*seed),
            )
        }
        S::BlockWithHole {
            size_m,
            hole_radius_m,
            segments,
        } => shapes::block_with_round_hole(&half(size_m), *hole_radius_m, *segments),
        S::InnerCorner {
            size_m,
            thickness_m,
        } => shapes::inner_corner(*size_m, *thickness_m),
        S::Sheet { size_m, cells } => shapes::sheet(size_m / 2.0, *cells),
        S::Polygon { .. } | S::Star { .. } | S::Disc { .. } => {
            let half = planar::half_height_m(owner.what == "body");
            prism(&planar::outline(shape, owner)?, half)
        }
    };
    let made = made.map_err(|error| owner.shape_error(error))?;
    Ok(Some((made, 0)))
}

/// Loads and scales a mesh, with the number of degenerate triangles that the loader left out. The
/// extent is checked before scaling, so that the error can name the vertex as the file has it.
fn from_file(path: &Path, scale: f64, owner: Owner<'_>) -> Result<(TriMesh, usize), SceneError> {
    let loaded = load::load(path).map_err(|error| owner.load_error(error))?;
    bounds::check_extent(loaded.mesh.positions(), scale)
        .map_err(|error| owner.bounds_error(in_file(error, path, loaded.mesh.positions())))?;
    let positions = loaded.mesh.positions().iter().map(|p| p * scale).collect();
    let scaled = TriMesh::new(positions, loaded.mesh.triangles().to_vec())
        .map_err(|error| owner.shape_error(error))?;
    Ok((scaled, loaded.report.degenerate_triangles))
}

/// Makes a plate whose upper face lies in the plane z = 0.
fn plate(size_m: &[f64; 2], thickness_m: f64) -> Result<TriMesh, MeshError> {
    let [x, y] = *size_m;
    shapes::plate(x / 2.0, y / 2.0, thickness_m)
        .and_then(|m| shifted(&m, &Vec3::new(0.0, 0.0, -thickness_m / 2.0)))
}

/// Turns the vertex of a far-away point into its line and number in the file.
fn in_file(error: bounds::BoundsError, path: &Path, positions: &[Vec3]) -> bounds::BoundsError {
    use bounds::BoundsError::Far;
    match error {
        Far { vertex, metres, .. } => positions
            .get(vertex)
            .and_then(|position| load::vertex_in_file(path, position))
            .map_or(error, |(line, vertex)| Far {
                line: Some(line),
                vertex,
                metres,
            }),
        _ => error,
    }
}

fn shifted(mesh: &TriMesh, by: &Vec3) -> Result<TriMesh, MeshError> {
    TriMesh::new(
        mesh.positions().iter().map(|p| p + by).collect(),
        mesh.triangles().to_vec(),
    )
}

/// An arm's tool: the parts for the collision thread and the loop, and the mesh for the checker.
pub struct BuiltTool {
    /// Shape for the scene.
    pub shape: Shape,
    /// Shape for the loop.
    pub tool: ToolShape,
    /// Mesh for the checker; `None` for a sphere.
    pub mesh: Option<TriMesh>,
    /// Report on the mesh; `None` for a sphere.
    pub report: Option<MeshReport>,
}

/// Builds an arm's tool. `turns` says whether the arm gives an orientation.
pub fn tool(arm: &config::Arm, turns: bool, folder: &Path) -> Result<BuiltTool, SceneError> {
    let owner = Owner {
        what: "the tool of arm",
        name: &arm.name,
    };
    match (mesh(&arm.tool, owner, folder)?, &arm.tool) {
        (Some((mesh, dropped)), _) => {
            // Turning a disc has no effect.
            let turns = turns && !matches!(arm.tool, config::Shape::Disc { .. });
            let tool = ToolShape::mesh(mesh.positions(), turns);
            let (shape, mut report) = Shape::of(mesh.clone());
            report.degenerate_triangles += dropped;
            if !report.closed {
                return Err(SceneError::OpenTool {
                    name: arm.name.clone(),
                    boundary_edges: report.boundary_edges + report.non_manifold_edges,
                });
            }
            Ok(BuiltTool {
                shape,
                tool,
                mesh: Some(mesh),
                report: Some(report),
            })
        }
        (None, config::Shape::Sphere { radius_m }) => Ok(sphere_tool(*radius_m)),
        // `mesh` returns `None` only for a sphere.
        (None, _) => Ok(sphere_tool(0.005)),
    }
}

/// Returns the outline of an arm's tool in a planar scene.
pub fn tool_outline(arm: &config::Arm) -> Result<Vec<[f64; 2]>, SceneError> {
    let owner = Owner {
        what: "the tool of arm",
        name: &arm.name,
    };
    Ok(planar::outline(&arm.tool, owner)?)
}

fn sphere_tool(radius_m: f64) -> BuiltTool {
    BuiltTool {
        shape: Shape::point(),
        tool: ToolShape::sphere(radius_m),
        mesh: None,
        report: None,
    }
}

/// Returns a configured placement as a pose: roll, pitch, yaw about the fixed axes.
pub fn pose(p: &config::Placement) -> Pose {
    let [r, q, y] = p.rpy_deg.map(f64::to_radians);
    Pose::from_parts(
        Vec3::from(p.position_m).into(),
        Quat::from_euler_angles(r, q, y),
    )
}

/// Builds a rigid body as configured. Also returns the report on its mesh.
pub fn body(
    body: &config::Body,
    materials: &[config::Material],
    folder: &Path,
) -> Result<(BodySpec, MeshReport), SceneError> {
    let owner = Owner {
        what: "body",
        name: &body.name,
    };
    let Some((mesh, dropped)) = mesh(&body.shape, owner, folder)? else {
        return Err(SceneError::SphereBody(body.name.clone()));
    };
    let (shape, mut report) = Shape::of(mesh);
    report.degenerate_triangles += dropped;
    if body.solid && report.is_inside_out() {
        return Err(SceneError::InsideOut {
            name: body.name.clone(),
            detail: report.defects(),
        });
    }
    if body.solid && !report.oriented {
        return Err(SceneError::Add(AddError::OpenSolid {
            name: body.name.clone(),
            detail: report.defects(),
        }));
    }
    let material = material(body, materials);
    let spec = BodySpec {
        name: body.name.clone(),
        kind: match body.kind {
            config::BodyKind::Static => BodyKind::Static,
            config::BodyKind::Kinematic => BodyKind::Kinematic,
            config::BodyKind::Dynamic => BodyKind::Dynamic,
            // These are not part of the rigid scene: `soft` and `implicit` build them.
            config::BodyKind::Soft
            | config::BodyKind::Cloth
            | config::BodyKind::Crowd
            | config::BodyKind::Implicit => {
                return Err(SceneError::IsDeformable(body.name.clone()));
            }
            // `needle` builds these.
            config::BodyKind::Tissue | config::BodyKind::Structure | config::BodyKind::Needle => {
                return Err(SceneError::IsForNeedles(body.name.clone()));
            }
        },
        shape: shape.shaded_for(&material),
        solid: body.solid,
        world_from_body: pose(&body.world_from_body),
        material,
        restitution: named(body, materials).map_or(0.0, |m| m.restitution),
        density_kg_m3: body.density_kg_m3,
    };
    Ok((spec, report))
}

/// Returns whether [`deformable`] builds a body.
pub fn is_deformable(body: &config::Body) -> bool {
    use config::BodyKind::{Cloth, Crowd, Soft};
    matches!(body.kind, Soft | Cloth | Crowd)
}

/// Returns whether [`needle::build`] builds a body.
pub fn is_for_needles(body: &config::Body) -> bool {
    use config::BodyKind::{Needle, Structure, Tissue};
    matches!(body.kind, Tissue | Structure | Needle)
}

/// Builds a soft body, cloth or crowd as configured, with the report on its mesh; `None` for any
/// other body. The surface of a solid is refined so that it can bend like its finite elements. That
/// of a crowd is refined so that there are points where its faces touch, because contacts are found
/// by points.
pub fn deformable(
    body: &config::Body,
    materials: &[config::Material],
    folder: &Path,
    id: u32,
) -> Result<Option<(DeformableSpec, MeshReport)>, SceneError> {
    if !is_deformable(body) {
        return Ok(None);
    }
    let owner = Owner {
        what: "body",
        name: &body.name,
    };
    let Some((mesh, dropped)) = mesh(&body.shape, owner, folder)? else {
        return Err(SceneError::SphereBody(body.name.clone()));
    };
    let shape_error = |error| owner.shape_error(error);
    let place = pose(&body.world_from_body);
    let placed = |mesh: &TriMesh| {
        let positions = mesh.positions().iter();
        let positions = positions.map(|p| hapticd_geometry::transform(&place, p));
        TriMesh::new(positions.collect(), mesh.triangles().to_vec()).map_err(shape_error)
    };
    let finer =
        |mesh: &TriMesh, parts: f64| refined(mesh, longest_side(mesh) / parts).map_err(shape_error);
    let (stuff, cloth) = (&body.soft, &body.cloth);
    let (mesh, substance) = match body.kind {
        config::BodyKind::Crowd => {
            let substance = Substance::Crowd {
                density_kg_m3: body.density_kg_m3,
                world_from_mesh: heap(&mesh, &place, body.copies),
            };
            (finer(&mesh, CROWD_PARTS)?, substance)
        }
        config::BodyKind::Soft => {
            let cells = stuff.cells.max(1);
            let material = SoftMaterial {
                density_kg_m3: body.density_kg_m3,
                young_pa: stuff.young_modulus_pa,
                poisson: stuff.poisson_ratio,
                damping_s: stuff.damping_ms * 1e-3,
                half_thickness_m: 0.0,
            };
            let mesh = finer(&placed(&mesh)?, f64::from(cells) / 1.5)?;
            (mesh, Substance::Soft { cells, material })
        }
        _ => {
            let material = ClothMaterial {
                density_kg_m2: cloth.density_kg_m2,
                stretch_compliance_m_n: 1.0 / cloth.stretch_n_per_m,
                bending_compliance_1_nm: (cloth.bending_nm > 0.0).then(|| 1.0 / cloth.bending_nm),
                damping_s: cloth.damping_ms * 1e-3,
                half_thickness_m: cloth.thickness_m / 2.0,
            };
            (placed(&mesh)?, Substance::Cloth { material })
        }
    };
    let mut report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
    report.degenerate_triangles += dropped;
    let spec = DeformableSpec {
        name: body.name.clone(),
        id,
        mesh,
        substance,
        pinned: match body.pinned {
            // The configuration check refuses `ends` for bodies without ends.
            config::Pinned::None | config::Pinned::Ends => Pinned::None,
            config::Pinned::Bottom => Pinned::Bottom,
            config::Pinned::Corners => Pinned::Corners,
            config::Pinned::Border => Pinned::Border,
        },
        surface: material(body, materials),
    };
    Ok(Some((spec, report)))
}

/// Number of parts per longest side: edges of a crowd's bodies are no longer than one part.
const CROWD_PARTS: f64 = 4.0;
/// Distance between neighbours in a heap, in sizes of the body.
const HEAP_SPACING: f64 = 1.15;

/// Returns the initial poses of the bodies in a heap. There are at most as many layers as bodies in
/// a row. Every other layer is shifted by a quarter of a body against the one below. All are in the
/// frame of `place`, which would be the pose of a single body.
fn heap(mesh: &TriMesh, place: &Pose, copies: u32) -> Vec<Pose> {
    let (low, high) = mesh.bounds();
    let apart = (high - low) * HEAP_SPACING;
    let copies = copies.max(1);
    let row = (1..=copies).find(|n| n.pow(3) >= copies).unwrap_or(1);
    let at = |i: u32| {
        let layer = i / (row * row);
        let middle = f64::from(row - 1) / 2.0 - 0.25 * f64::from(layer % 2);
        let grid = Vec3::new(
            f64::from(i % row) - middle,
            f64::from(i / row % row) - middle,
            f64::from(layer),
        );
        let offset = grid.component_mul(&apart);
        place * Pose::translation(offset.x, offset.y, offset.z)
    };
    (0..copies).map(at).collect()
}

fn longest_side(mesh: &TriMesh) -> f64 {
    let (low, high) = mesh.bounds();
    (high - low).max()
}

fn named<'a>(
    body: &config::Body,
    materials: &'a [config::Material],
) -> Option<&'a config::Material> {
    let name = body.material.as_ref()?;
    materials.iter().find(|m| &m.name == name)
}

/// Returns the material of a body as configured, or the defaults of a material without one.
pub fn material(body: &config::Body, materials: &[config::Material]) -> Material {
    let round = is_round(&body.shape);
    named(body, materials).map_or(
        Material {
            force_shading: round,
            ..Material::DEFAULT
        },
        |m| Material {
            stiffness_n_per_m: m.stiffness_n_per_m,
            damping_n_s_per_m: m.damping_n_s_per_m,
            friction: m.friction_coefficient,
            force_shading: match m.force_shading {
                config::ForceShading::Off => false,
                config::ForceShading::Shapes => round,
                config::ForceShading::All => true,
            },
        },
    )
}

/// Returns whether a shape is smooth by its description, so that its mesh only approximates it.
fn is_round(shape: &config::Shape) -> bool {
    use config::Shape;
    matches!(
        shape,
        Shape::Icosphere { .. }
            | Shape::Cylinder { .. }
            | Shape::Torus { .. }
            | Shape::Terrain { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of no material and one of a material without keys are the same to the touch.
    #[test]
    fn the_default_material_is_the_configurations() {
        let text = "[[material]]\nname = \"plain\"\n\
            [[body]]\nname = \"a\"\nshape = { kind = \"plate\", size_m = [0.1, 0.1] }\n\
            [[body]]\nname = \"b\"\nmaterial = \"plain\"\n\
            shape = { kind = \"plate\", size_m = [0.1, 0.1] }\n";
        let context = config::Context::new("", |_| None);
        let loaded = config::parse("test.toml", text, &context).unwrap().config;
        let [a, b] = [0, 1].map(|k| material(&loaded.bodies[k], &loaded.materials));
        assert_eq!(a, Material::DEFAULT);
        assert_eq!(b, Material::DEFAULT);
    }
}
