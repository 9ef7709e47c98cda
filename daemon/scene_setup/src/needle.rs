//! From the configuration's tissue, structures and needles to the guides of the loop: start-up
//! only.
//!
//! These parts depend on each other, so each fault is reported with the key that causes it.

use std::path::Path;
use std::sync::Arc;

use hapticd_config as config;
use hapticd_geometry::{TriMesh, Vec3, transform};
use hapticd_needle::{
    CLEARANCE_M, Layer, Needle, NeedleError, NeedleInTissue, Structure, SurroundingsError, Tissue,
    TissueError, TissueSpec,
};

use super::{Owner, SceneError, mesh, pose};
use hapticd_collision::needle::Watchable;

/// Reason why a needle, or what it goes into, cannot be made. The fault is in the configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InsertionError {
    /// There are two tissues.
    #[error("bodies `{first}` and `{second}` are both tissue: a scene has at most one")]
    TwoTissues {
        /// Name of the first tissue.
        first: String,
        /// Name of the second tissue.
        second: String,
    },
    /// A needle, structure or layer has no tissue.
    #[error(
        "{what} `{name}` is for a tissue, and there is none: add a [[body]] with kind = \"tissue\""
    )]
    NoTissue {
        /// "needle", "structure" or "layer".
        what: &'static str,
        /// Name of that item.
        name: String,
    },
    /// A tissue is not a box.
    #[error("tissue `{0}` must be a \"cuboid\"")]
    NotCuboid(String),
    /// A needle is not a cylinder.
    #[error(
        "needle `{0}` must be a \"cylinder\": its radius, and its length from the hub to the tip"
    )]
    NotCylinder(String),
    /// The arm of a needle does not exist.
    #[error("needle `{needle}` names arm `{arm}`, which does not exist; known arms: {known}")]
    NoArm {
        /// Name of the needle.
        needle: String,
        /// Name of the arm as given; empty if none was given.
        arm: String,
        /// Names of the existing arms.
        known: String,
    },
    /// Two needles are held by one arm.
    #[error("arm `{arm}` holds needle `{first}` already: `{second}` needs another arm")]
    TwoNeedles {
        /// Name of the arm.
        arm: String,
        /// Name of the first needle.
        first: String,
        /// Name of the second needle.
        second: String,
    },
    /// A hub is not a sphere.
    #[error("arm `{arm}` holds needle `{needle}`: its tool, the hub, must be a \"sphere\"")]
    NoHub {
        /// Name of the needle.
        needle: String,
        /// Name of the arm.
        arm: String,
    },
    /// A hub has mass or no spring.
    #[error(
        "arm `{arm}` holds needle `{needle}`: it needs metaphor = \"spring\" without tool_mass_kg, or forces would not match the tissue"
    )]
    NoSpring {
        /// Name of the needle.
        needle: String,
        /// Name of the arm.
        arm: String,
    },
    /// The numbers of a needle are invalid.
    #[error("needle `{name}`: {error}")]
    Needle {
        /// Name of the needle.
        name: String,
        /// Error of the needle.
        error: NeedleError,
    },
    /// A body cannot be registered in the tissue.
    #[error("body `{name}`: {error}")]
    Surroundings {
        /// Name of the structure or the tissue.
        name: String,
        /// Error of the registration.
        error: SurroundingsError,
    },
    /// A layer's puncture force is below its cut force.
    #[error(
        "layer `{layer}`: `puncture_force_n` = {puncture_force_n} N is below `cutting_force_n` = \
         {cutting_force_n} N: piercing takes no less than cutting"
    )]
    PiercedFirst {
        /// Name of the layer.
        layer: String,
        /// Force that pierces it, N.
        puncture_force_n: f64,
        /// Force that cuts it, N.
        cutting_force_n: f64,
    },
    /// A layer begins below its tissue.
    #[error(
        "layer `{layer}` begins {depth_m:.4} m deep, and tissue `{tissue}` is {height_m} m high: \
         the layers above are too thick (`thickness_m`)"
    )]
    BelowTissue {
        /// Name of the layer.
        layer: String,
        /// Name of the tissue.
        tissue: String,
        /// Depth at which the layer begins, m.
        depth_m: f64,
        /// Height of the tissue, m.
        height_m: f64,
    },
    /// A structure cannot be in its tissue.
    #[error("structure `{name}` {what}")]
    Structure {
        /// Name of the structure.
        name: String,
        /// Description of the fault, with its numbers.
        what: String,
    },
    /// A tissue is invalid.
    #[error("tissue `{name}`: {error}")]
    Tissue {
        /// Name of the tissue.
        name: String,
        /// Error of the tissue.
        error: TissueError,
    },
}

/// A fault, and the key that causes it.
pub struct KeyedError {
    /// Key as the configuration's entries write it.
    pub key: String,
    /// The fault itself.
    pub error: SceneError,
}

/// A needle, ready for the loop.
pub struct BuiltNeedle {
    /// Name of the needle.
    pub name: String,
    /// Radius of its hub, m.
    pub hub_m: f64,
    /// Index of its arm.
    pub arm: usize,
    /// The needle in its tissue, for the loop.
    pub guide: NeedleInTissue,
    /// Geometry of the needle.
    pub needle: Needle,
}

/// The tissue, if there is one, and the needles that go into it.
pub type Insertable = (Option<Arc<Tissue>>, Vec<BuiltNeedle>);

impl BuiltNeedle {
    /// Returns the needle's description for [`Watch`](hapticd_collision::needle::Watch).
    pub fn watchable(&self) -> Watchable {
        Watchable {
            arm: self.arm,
            name: self.name.clone(),
            radius_m: self.needle.radius_m,
            reach_m: self.needle.length_m + self.hub_m,
        }
    }
}

/// Returns the name of the tissue; empty without one.
pub fn tissue_name(config: &config::Config) -> &str {
    let mut bodies = config.bodies.iter();
    let tissue = bodies.find(|b| b.kind == config::BodyKind::Tissue);
    tissue.map_or("", |b| &b.name)
}

/// Builds all needles of a configuration and the tissue that they go into. Without a tissue, the
/// result is empty.
///
/// # Errors
/// All faults.
pub fn build(config: &config::Config, folder: &Path) -> Result<Insertable, Vec<KeyedError>> {
    let of = |kind| config.bodies.iter().filter(move |b| b.kind == kind);
    let mut wrong = Vec::new();
    let mut tissues = of(config::BodyKind::Tissue);
    let Some(body) = tissues.next() else {
        let lonely = [
            ("needle", config::BodyKind::Needle),
            ("structure", config::BodyKind::Structure),
        ];
        for (what, kind) in lonely {
            wrong.extend(of(kind).map(|b| no_tissue(what, &b.name, "body")));
        }
        wrong.extend(
            config
                .layers
                .iter()
                .map(|l| no_tissue("layer", &l.name, "layer")),
        );
        return if wrong.is_empty() {
            Ok((None, Vec::new()))
        } else {
            Err(wrong)
        };
    };
    wrong.extend(tissues.map(|second| {
        let error = InsertionError::TwoTissues {
            first: body.name.clone(),
            second: second.name.clone(),
        };
        fault(second, "kind", error)
    }));
    let needles = needles(config, &mut wrong);
    let reach_m = needles
        .iter()
        .map(|(_, _, n, _)| n.radius_m)
        .fold(0.0, f64::max);
    let tissue = tissue(config, body, folder, reach_m + CLEARANCE_M)
        .map_err(|mut found| wrong.append(&mut found))
        .ok();
    let Some(tissue) = tissue.filter(|_| wrong.is_empty()) else {
        return Err(wrong);
    };
    let mut made = Vec::new();
    for (body, arm, needle, hub_m) in needles {
        match NeedleInTissue::new(tissue.clone(), needle, hub_m) {
            Ok(guide) => made.push(BuiltNeedle {
                name: body.name.clone(),
                hub_m,
                arm,
                guide,
                needle,
            }),
            Err(error) => wrong.push(bad_needle(body, error)),
        }
    }
    if wrong.is_empty() {
        Ok((Some(tissue), made))
    } else {
        Err(wrong)
    }
}

fn fault(body: &config::Body, key: &str, error: InsertionError) -> KeyedError {
    KeyedError {
        key: format!("body.{}.{key}", body.name),
        error: error.into(),
    }
}

fn no_tissue(what: &'static str, name: &str, table: &str) -> KeyedError {
    let key = if table == "layer" { "name" } else { "kind" };
    KeyedError {
        key: format!("{table}.{name}.{key}"),
        error: InsertionError::NoTissue {
            what,
            name: name.to_owned(),
        }
        .into(),
    }
}

fn bad_needle(body: &config::Body, error: NeedleError) -> KeyedError {
    let key = match error {
        NeedleError::Curvature { .. } => "needle.curvature_1_m",
        NeedleError::Segment { .. } => "needle.segment_m",
        _ => "shape.length_m",
    };
    let name = body.name.clone();
    fault(body, key, InsertionError::Needle { name, error })
}

type Placed<'a> = (&'a config::Body, usize, Needle, f64);

/// Returns the valid needles, with the indices of their arms and the radii of their hubs.
fn needles<'a>(config: &'a config::Config, wrong: &mut Vec<KeyedError>) -> Vec<Placed<'a>> {
    let mut placed: Vec<Placed> = Vec::new();
    let all = config.bodies.iter();
    for body in all.filter(|b| b.kind == config::BodyKind::Needle) {
        let needle = body.name.clone();
        let config::Shape::Cylinder {
            radius_m, length_m, ..
        } = body.shape
        else {
            wrong.push(fault(
                body,
                "shape.kind",
                InsertionError::NotCylinder(needle),
            ));
            continue;
        };
        let name = body.needle.arm.as_deref().unwrap_or_default();
        let Some(arm) = config.arms.iter().position(|a| a.name == name) else {
            let known: Vec<&str> = config.arms.iter().map(|a| a.name.as_str()).collect();
            let key = if name.is_empty() {
                "kind"
            } else {
                "needle.arm"
            };
            let error = InsertionError::NoArm {
                needle,
                arm: name.to_owned(),
                known: known.join(", "),
            };
            wrong.push(fault(body, key, error));
            continue;
        };
        let holder = &config.arms[arm];
        let arm_name = || holder.name.clone();
        if let Some((first, ..)) = placed.iter().find(|(_, a, ..)| *a == arm) {
            let error = InsertionError::TwoNeedles {
                arm: arm_name(),
                first: first.name.clone(),
                second: needle,
            };
            wrong.push(fault(body, "needle.arm", error));
            continue;
        }
        let is_spring = matches!(
            holder.interaction,
            config::Interaction::Spring {
                tool_mass_kg: None,
                ..
            }
        );
        let hub_m = match holder.tool {
            config::Shape::Sphere { radius_m } if is_spring => radius_m,
            config::Shape::Sphere { .. } => {
                let arm = arm_name();
                wrong.push(fault(
                    body,
                    "needle.arm",
                    InsertionError::NoSpring { needle, arm },
                ));
                continue;
            }
            _ => {
                let arm = arm_name();
                wrong.push(fault(
                    body,
                    "needle.arm",
                    InsertionError::NoHub { needle, arm },
                ));
                continue;
            }
        };
        let like = Needle {
            length_m,
            radius_m,
            curvature_1_m: body.needle.curvature_1_m,
            segment_m: body.needle.segment_m,
        };
        match like.check() {
            Ok(()) => placed.push((body, arm, like, hub_m)),
            Err(error) => wrong.push(bad_needle(body, error)),
        }
    }
    placed
}

/// Builds the box with its layers and structures.
fn tissue(
    config: &config::Config,
    body: &config::Body,
    folder: &Path,
    reach_m: f64,
) -> Result<Arc<Tissue>, Vec<KeyedError>> {
    let config::Shape::Cuboid { size_m } = &body.shape else {
        let error = InsertionError::NotCuboid(body.name.clone());
        return Err(vec![fault(body, "shape.kind", error)]);
    };
    let world_from_tissue = pose(&body.world_from_body);
    let mut structures = Vec::new();
    let mut wrong = Vec::new();
    let all = config.bodies.iter();
    for (id, inner) in all
        .enumerate()
        .filter(|(_, b)| b.kind == config::BodyKind::Structure)
    {
        let owner = Owner {
            what: "body",
            name: &inner.name,
        };
        let tissue_from_body = world_from_tissue.inverse() * pose(&inner.world_from_body);
        let placed = mesh(&inner.shape, owner, folder).and_then(|made| {
            let (mesh, _) = made.ok_or_else(|| SceneError::SphereBody(inner.name.clone()))?;
            let positions = mesh.positions().iter();
            let positions = positions.map(|p| transform(&tissue_from_body, p)).collect();
            TriMesh::new(positions, mesh.triangles().to_vec()).map_err(|error| SceneError::Shape {
                what: owner.what,
                name: inner.name.clone(),
                error,
            })
        });
        match placed {
            Ok(mesh) => {
                structures.push(Structure {
                    id: id as u32,
                    mesh,
                    puncture_force_n: inner.structure.puncture_force_n,
                });
            }
            Err(error) => wrong.push(KeyedError {
                key: format!("body.{}.shape.kind", inner.name),
                error,
            }),
        }
    }
    wrong.extend(layer_faults(config, body, size_m[2]));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let spec = TissueSpec {
        world_from_tissue,
        half_m: Vec3::from(*size_m) / 2.0,
        layers: layers(config),
        structures,
    };
    let made = Tissue::new(spec, reach_m).map(Arc::new);
    made.map_err(|error| vec![tissue_fault(config, body, error)])
}

/// Returns the fault of a tissue. It names the structure if that caused it.
fn tissue_fault(config: &config::Config, body: &config::Body, error: TissueError) -> KeyedError {
    let (id, key, what) = match &error {
        TissueError::Outside { id, at_m } => {
            let tissue = &body.name;
            let what = format!("reaches out of tissue `{tissue}`, to {at_m:?} m from its middle");
            (id, "shape.kind", what)
        }
        TissueError::Open { id, boundary_edges } => {
            let what = format!(
                "is never pierced, but its mesh has {boundary_edges} boundary edges: close it"
            );
            (id, "shape.kind", what)
        }
        TissueError::Force { id, force_n } => {
            let what = format!("pierced at {force_n} N: not finite or negative");
            (id, "structure.puncture_force_n", what)
        }
        _ => {
            let name = body.name.clone();
            return fault(body, "shape.kind", InsertionError::Tissue { name, error });
        }
    };
    let inner = config.bodies.get(*id as usize).unwrap_or(body);
    let name = inner.name.clone();
    fault(inner, key, InsertionError::Structure { name, what })
}

/// Returns all faults in the layers of a tissue of height `height_m`.
fn layer_faults(config: &config::Config, tissue: &config::Body, height_m: f64) -> Vec<KeyedError> {
    let mut wrong = Vec::new();
    let mut depth_m = 0.0;
    for layer in &config.layers {
        let mut tell = |key: &str, error: InsertionError| {
            wrong.push(KeyedError {
                key: format!("layer.{}.{key}", layer.name),
                error: error.into(),
            });
        };
        if layer.puncture_force_n < layer.cutting_force_n {
            let error = InsertionError::PiercedFirst {
                layer: layer.name.clone(),
                puncture_force_n: layer.puncture_force_n,
                cutting_force_n: layer.cutting_force_n,
            };
            tell("puncture_force_n", error);
        }
        if depth_m >= height_m {
            let error = InsertionError::BelowTissue {
                layer: layer.name.clone(),
                tissue: tissue.name.clone(),
                depth_m,
                height_m,
            };
            tell("name", error);
        }
        depth_m += layer.thickness_m;
    }
    wrong
}

/// Returns the names of the structures, in the tissue's order.
pub fn structures(config: &config::Config) -> Vec<String> {
    let all = config.bodies.iter();
    let all = all.filter(|b| b.kind == config::BodyKind::Structure);
    all.map(|b| b.name.clone()).collect()
}

fn layers(config: &config::Config) -> Vec<Layer> {
    if config.layers.is_empty() {
        return vec![Layer::DEFAULT];
    }
    let layer = |l: &config::Layer| Layer {
        thickness_m: l.thickness_m,
        stiffness_n_per_m: l.stiffness_n_per_m,
        puncture_force_n: l.puncture_force_n,
        cutting_force_n: l.cutting_force_n,
        friction_n_per_m: l.friction_n_per_m,
        lateral_n_per_m2: l.lateral_n_per_m2,
    };
    config.layers.iter().map(layer).collect()
}
