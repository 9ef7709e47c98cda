//! What is done to a scene, as it is recorded: enough to do it again.

use hapticd_geometry::{MeshError, TriMesh};
use hapticd_proxy::Material;
use hapticd_scene::{BodyKind, BodySpec};
use serde::{Deserialize, Serialize};

use super::message::{PoseMessage, Triple, triple, vector};
use super::number::Num;
use hapticd_collision::collider::{Applied, SceneCommand};

/// A body as it was added, with its whole mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddMessage {
    /// Name.
    pub name: String,
    /// Client-visible id that it got.
    pub id: u32,
    /// It moves when told to.
    pub kinematic: bool,
    /// Forces move it.
    #[serde(default)]
    pub dynamic: bool,
    /// It has an inside.
    pub solid: bool,
    /// Where it started.
    pub world_from_body: PoseMessage,
    /// N/m.
    pub stiffness_n_per_m: Num,
    /// N·s/m.
    pub damping_n_s_per_m: Num,
    /// Coulomb's coefficient; recordings made before there was friction have none.
    #[serde(default)]
    pub friction: Num,
    /// A coarse mesh is felt as the smooth surface that it stands for; in recordings made before
    /// there was that, it is not.
    #[serde(default)]
    pub force_shading: bool,
    /// Coefficient of restitution.
    #[serde(default)]
    pub restitution: Num,
    /// Of a dynamic body, kg/m³.
    #[serde(default)]
    pub density_kg_m3: Num,
    /// Vertices, m, one after the other.
    pub positions: Vec<Triple>,
    /// Corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// Something that was done to the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandMessage {
    /// A body was added.
    Add(Box<AddMessage>),
    /// A body was removed.
    Remove {
        /// Which.
        id: u32,
    },
    /// A body was sent somewhere.
    Target {
        /// Which.
        id: u32,
        /// Where.
        world_from_body: PoseMessage,
        /// How fast.
        speed_m_s: Num,
    },
    /// A body was told to stay.
    Halt {
        /// Which.
        id: u32,
    },
    /// A body got another surface.
    Surface {
        /// Which.
        id: u32,
        /// Stiffness.
        stiffness_n_per_m: Num,
        /// Damping.
        damping_n_s_per_m: Num,
        /// Friction.
        #[serde(default)]
        friction: Num,
        /// Whether it is felt as a smooth surface.
        #[serde(default)]
        force_shading: bool,
    },
}

impl From<&Applied> for CommandMessage {
    fn from(applied: &Applied) -> Self {
        match &applied.command {
            SceneCommand::Add(spec) => {
                let mesh = spec.shape.index.mesh();
                CommandMessage::Add(Box::new(AddMessage {
                    name: spec.name.clone(),
                    id: applied.id,
                    kinematic: spec.kind == BodyKind::Kinematic,
                    dynamic: spec.kind == BodyKind::Dynamic,
                    solid: spec.solid,
                    world_from_body: (&spec.world_from_body).into(),
                    stiffness_n_per_m: Num(spec.material.stiffness_n_per_m),
                    damping_n_s_per_m: Num(spec.material.damping_n_s_per_m),
                    friction: Num(spec.material.friction),
                    force_shading: spec.material.force_shading,
                    restitution: Num(spec.restitution),
                    density_kg_m3: Num(spec.density_kg_m3),
                    positions: mesh
                        .map_or_else(Vec::new, |m| m.positions().iter().map(triple).collect()),
                    triangles: mesh.map_or_else(Vec::new, |m| m.triangles().to_vec()),
                }))
            }
            SceneCommand::Remove { id } => CommandMessage::Remove { id: *id },
            SceneCommand::Target {
                id,
                world_from_body,
                speed_m_s,
            } => CommandMessage::Target {
                id: *id,
                world_from_body: world_from_body.into(),
                speed_m_s: Num(*speed_m_s),
            },
            SceneCommand::Halt { id } => CommandMessage::Halt { id: *id },
            SceneCommand::Surface { id, material } => CommandMessage::Surface {
                id: *id,
                stiffness_n_per_m: Num(material.stiffness_n_per_m),
                damping_n_s_per_m: Num(material.damping_n_s_per_m),
                friction: Num(material.friction),
                force_shading: material.force_shading,
            },
        }
    }
}

impl CommandMessage {
    /// The command, ready to be applied again.
    ///
    /// # Errors
    /// If the mesh of a body is invalid.
    pub fn command(&self) -> Result<SceneCommand, MeshError> {
        Ok(match self {
            CommandMessage::Add(m) => {
                let mesh = TriMesh::new(
                    m.positions.iter().map(vector).collect(),
                    m.triangles.clone(),
                )?;
                let material = Material {
                    stiffness_n_per_m: m.stiffness_n_per_m.0,
                    damping_n_s_per_m: m.damping_n_s_per_m.0,
                    friction: m.friction.0,
                    force_shading: m.force_shading,
                };
                SceneCommand::Add(Box::new(BodySpec {
                    name: m.name.clone(),
                    kind: match (m.dynamic, m.kinematic) {
                        (true, _) => BodyKind::Dynamic,
                        (false, true) => BodyKind::Kinematic,
                        (false, false) => BodyKind::Static,
                    },
                    shape: hapticd_scene::Shape::of(mesh).0.shaded_for(&material),
                    solid: m.solid,
                    world_from_body: (&m.world_from_body).into(),
                    material,
                    restitution: m.restitution.0,
                    density_kg_m3: m.density_kg_m3.0,
                }))
            }
            CommandMessage::Remove { id } => SceneCommand::Remove { id: *id },
            CommandMessage::Target {
                id,
                world_from_body,
                speed_m_s,
            } => SceneCommand::Target {
                id: *id,
                world_from_body: world_from_body.into(),
                speed_m_s: speed_m_s.0,
            },
            CommandMessage::Halt { id } => SceneCommand::Halt { id: *id },
            CommandMessage::Surface {
                id,
                stiffness_n_per_m,
                damping_n_s_per_m,
                friction,
                force_shading,
            } => SceneCommand::Surface {
                id: *id,
                material: Material {
                    stiffness_n_per_m: stiffness_n_per_m.0,
                    damping_n_s_per_m: damping_n_s_per_m.0,
                    friction: friction.0,
                    force_shading: *force_shading,
                },
            },
        })
    }
}
