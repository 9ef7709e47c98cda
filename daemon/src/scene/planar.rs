//! Planar scenes as configured: outlines of bodies and tools, and the prisms that clients and the
//! checker see.
//!
//! A body is a prism [`BODY_HALF_HEIGHT_M`] up and down from the plane `z = 0`, a tool one of
//! [`TOOL_HALF_HEIGHT_M`]: being lower, a tool overlaps a body in space exactly where it does in
//! the plane.

use hapticd_config as config;
use hapticd_planar::PlanarScene;
use hapticd_planar::polygon::{PolygonError, about_disc, distance, outline as checked, star};

use super::Owner;

/// Half the height of a body's prism, m.
pub const BODY_HALF_HEIGHT_M: f64 = 0.005;
/// Half the height of a tool's prism, m.
pub const TOOL_HALF_HEIGHT_M: f64 = 0.004;

/// Why a planar scene cannot be. The configuration's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanarError {
    /// Vertices that are no polygon.
    #[error("{what} `{name}`: {error}")]
    Polygon {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Whose.
        name: String,
        /// What is wrong with it.
        error: PolygonError,
    },
    /// Two bodies that are not apart at the start.
    #[error(
        "bodies `{first}` and `{second}` are {distance_m:.1e} m apart at the start; polygons must be apart by more than {least_m:.1e} m"
    )]
    NotApart {
        /// One.
        first: String,
        /// The other.
        second: String,
        /// How far; 0 where they overlap.
        distance_m: f64,
        /// How far they must be at least.
        least_m: f64,
    },
    /// A scene that the engine refuses.
    #[error(transparent)]
    Scene(#[from] hapticd_planar::SceneError),
}

/// Half the height of the prism of a body or of a tool, m.
pub fn half_height_m(is_body: bool) -> f64 {
    if is_body {
        BODY_HALF_HEIGHT_M
    } else {
        TOOL_HALF_HEIGHT_M
    }
}

/// Whether a shape lies in the plane.
pub fn is_planar(shape: &config::Shape) -> bool {
    use config::Shape::{Disc, Polygon, Star};
    matches!(shape, Polygon { .. } | Star { .. } | Disc { .. })
}

/// Whether a scene lies in the plane: one of its bodies or tools does. The configuration's check
/// sees to it that all do then.
pub fn has_plane(config: &config::Config) -> bool {
    let bodies = config.bodies.iter().map(|body| &body.shape);
    bodies
        .chain(config.arms.iter().map(|arm| &arm.tool))
        .any(is_planar)
}

/// The outline of a shape that lies in the plane, counter-clockwise; empty for one that does not.
pub fn outline(shape: &config::Shape, owner: Owner<'_>) -> Result<Vec<[f64; 2]>, PlanarError> {
    let vertices = match shape {
        config::Shape::Polygon { vertices_m } => vertices_m.clone(),
        config::Shape::Star {
            points,
            outer_radius_m,
            inner_radius_m,
        } => star(*points, *outer_radius_m, *inner_radius_m),
        config::Shape::Disc { radius_m, sides } => about_disc(*radius_m, *sides),
        _ => return Ok(Vec::new()),
    };
    let refused = |error| PlanarError::Polygon {
        what: owner.what,
        name: owner.name.to_owned(),
        error,
    };
    let (outline, turned) = checked(&vertices).map_err(refused)?;
    if turned {
        tracing::info!(
            "{} `{}`: its vertices go round clockwise and are taken the other way round",
            owner.what,
            owner.name
        );
    }
    if owner.what != "body" {
        hapticd_planar::polygon::check_convex(&outline).map_err(refused)?;
    }
    Ok(outline)
}

/// Adds a body that was given this identity to the scene. `placed`: the bodies so far where they
/// are, with their names.
pub fn add(
    scene: &mut PlanarScene,
    placed: &mut Vec<(String, Vec<[f64; 2]>)>,
    body: &config::Body,
    id: u32,
    least_m: f64,
) -> Result<(), PlanarError> {
    let owner = Owner {
        what: "body",
        name: &body.name,
    };
    let outline = outline(&body.shape, owner)?;
    let pose = super::pose(&body.world_from_body);
    let here: Vec<_> = outline
        .iter()
        .map(|p| hapticd_geometry::transform(&pose, &hapticd_geometry::Vec3::new(p[0], p[1], 0.0)))
        .map(|p| [p.x, p.y])
        .collect();
    for (first, other) in placed.iter() {
        let distance_m = distance(other, &here);
        if !(distance_m > least_m) {
            return Err(PlanarError::NotApart {
                first: first.clone(),
                second: body.name.clone(),
                distance_m,
                least_m,
            });
        }
    }
    placed.push((body.name.clone(), here));
    scene.bodies.push((id, outline));
    Ok(())
}
