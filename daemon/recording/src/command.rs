//! Commands to the scene as a recording holds them: enough to apply them again.

use hapticd_geometry::{MeshError, TriMesh};
use hapticd_proxy::Material;
use hapticd_scene::{BodyKind, BodyPush, BodySpec};
use serde::{Deserialize, Serialize};

use super::number::Num;
use super::spatial::{PoseMessage, Triple, triple, vector};
use hapticd_collision::command::{Applied, SceneCommand};

/// A body as it was added, with its whole mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddMessage {
    /// Name of the body.
    pub name: String,
    /// Client-visible id that the body got.
    pub id: u32,
    /// True if the body is kinematic.
    pub kinematic: bool,
    /// True if the body is dynamic.
    #[serde(default)]
    pub dynamic: bool,
    /// True if the surface encloses an inside.
    pub solid: bool,
    /// Pose at which the body started.
    pub world_from_body: PoseMessage,
    /// Contact stiffness, N/m.
    pub stiffness_n_per_m: Num,
    /// Contact damping, N·s/m.
    pub damping_n_s_per_m: Num,
    /// Coulomb's coefficient; 0 in recordings from before friction existed.
    #[serde(default)]
    pub friction: Num,
    /// True if a coarse mesh is rendered as the smooth surface that it stands for; false in
    /// recordings from before force shading existed.
    #[serde(default)]
    pub force_shading: bool,
    /// Coefficient of restitution.
    #[serde(default)]
    pub restitution: Num,
    /// Density of a dynamic body, kg/m³.
    #[serde(default)]
    pub density_kg_m3: Num,
    /// Vertices, m.
    pub positions: Vec<Triple>,
    /// Vertex indices of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// A command that was applied to the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandMessage {
    /// A body was added.
    Add(Box<AddMessage>),
    /// A body was removed.
    Remove {
        /// Client-visible id of the body.
        id: u32,
    },
    /// A body was sent to a target pose.
    Target {
        /// Client-visible id of the body.
        id: u32,
        /// Target pose.
        world_from_body: PoseMessage,
        /// Speed of the motion, m/s.
        speed_m_s: Num,
    },
    /// A body was stopped.
    Halt {
        /// Client-visible id of the body.
        id: u32,
    },
    /// A body got another material.
    Surface {
        /// Client-visible id of the body.
        id: u32,
        /// Contact stiffness, N/m.
        stiffness_n_per_m: Num,
        /// Contact damping, N·s/m.
        damping_n_s_per_m: Num,
        /// Coulomb's coefficient.
        #[serde(default)]
        friction: Num,
        /// Whether force shading is on.
        #[serde(default)]
        force_shading: bool,
    },
    /// A body was placed elsewhere. It has the key of this step from then on.
    Place {
        /// Client-visible id of the body.
        id: u32,
        /// Its pose.
        world_from_body: PoseMessage,
    },
    /// A dynamic body got an impulse.
    Impulse {
        /// Client-visible id of the body.
        id: u32,
        /// Impulse, N s.
        impulse_n_s: Triple,
        /// Angular impulse beyond that of the impulse at its point, N m s.
        moment_nm_s: Triple,
        /// Where the impulse acted, m.
        point: Triple,
    },
    /// A dynamic body got another velocity.
    Velocity {
        /// Client-visible id of the body.
        id: u32,
        /// Velocity of the centre of mass, m/s.
        linear_m_s: Triple,
        /// Angular velocity, rad/s.
        angular_rad_s: Triple,
    },
}

/// A push of a dynamic body as a message.
fn push_message(id: u32, push: &BodyPush) -> CommandMessage {
    match push {
        BodyPush::Impulse {
            impulse_n_s,
            moment_nm_s,
            point,
        } => CommandMessage::Impulse {
            id,
            impulse_n_s: triple(impulse_n_s),
            moment_nm_s: triple(moment_nm_s),
            point: triple(point),
        },
        BodyPush::Velocity {
            linear_m_s,
            angular_rad_s,
        } => CommandMessage::Velocity {
            id,
            linear_m_s: triple(linear_m_s),
            angular_rad_s: triple(angular_rad_s),
        },
    }
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
            SceneCommand::Place {
                id,
                world_from_body,
            } => CommandMessage::Place {
                id: *id,
                world_from_body: world_from_body.into(),
            },
            SceneCommand::Push { id, push } => push_message(*id, push),
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
    /// Returns the command, ready to be applied again.
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
            CommandMessage::Place {
                id,
                world_from_body,
            } => SceneCommand::Place {
                id: *id,
                world_from_body: world_from_body.into(),
            },
            CommandMessage::Impulse {
                id,
                impulse_n_s,
                moment_nm_s,
                point,
            } => SceneCommand::Push {
                id: *id,
                push: Box::new(BodyPush::Impulse {
                    impulse_n_s: vector(impulse_n_s),
                    moment_nm_s: vector(moment_nm_s),
                    point: vector(point),
                }),
            },
            CommandMessage::Velocity {
                id,
                linear_m_s,
                angular_rad_s,
            } => SceneCommand::Push {
                id: *id,
                push: Box::new(BodyPush::Velocity {
                    linear_m_s: vector(linear_m_s),
                    angular_rad_s: vector(angular_rad_s),
                }),
            },
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
