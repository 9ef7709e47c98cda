//! Planar scenes as configured: outlines of bodies and tools, and the prisms that clients and the
//! checker see.
//!
//! A body is a prism that extends [`BODY_HALF_HEIGHT_M`] up and down from the plane `z = 0`; a tool
//! extends [`TOOL_HALF_HEIGHT_M`]. Because a tool is lower, it overlaps a body in space exactly
//! where it does in the plane.

use hapticd_config as config;
use hapticd_planar::PlanarScene;
use hapticd_planar::polygon::{PolygonError, about_disc, distance, outline as checked, star};

use super::Owner;

/// Half the height of a body's prism, m.
pub const BODY_HALF_HEIGHT_M: f64 = 0.005;
/// Half the height of a tool's prism, m.
pub const TOOL_HALF_HEIGHT_M: f64 = 0.004;

/// Reason why a planar scene is impossible. The fault is in the configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanarError {
    /// The vertices are not a valid polygon.
    #[error("{what} `{name}`: {error}")]
    Polygon {
        /// "body" or "the tool of arm".
        what: &'static str,
        /// Name of the owner.
        name: String,
        /// Error of the polygon.
        error: PolygonError,
    },
    /// Two bodies are too close to each other at the start.
    #[error(
        "bodies `{first}` and `{second}` are {distance_m:.1e} m apart at the start; polygons must be more than {least_m:.1e} m apart"
    )]
    NotApart {
        /// Name of one body.
        first: String,
        /// Name of the other body.
        second: String,
        /// Their distance, m; 0 if they overlap.
        distance_m: f64,
        /// Minimum distance, m.
        least_m: f64,
    },
    /// The engine refuses the scene.
    #[error(transparent)]
    Scene(#[from] hapticd_planar::SceneError),
}

/// Returns half the height of the prism of a body or of a tool, m.
pub fn half_height_m(is_body: bool) -> f64 {
    if is_body {
        BODY_HALF_HEIGHT_M
    } else {
        TOOL_HALF_HEIGHT_M
    }
}

/// Returns whether a shape lies in the plane.
pub fn is_planar(shape: &config::Shape) -> bool {
    use config::Shape::{Disc, Polygon, Star};
    matches!(shape, Polygon { .. } | Star { .. } | Disc { .. })
}

/// Returns whether a scene lies in the plane, which holds if one of its bodies or tools does. The
/// configuration check ensures that then all do.
pub fn has_plane(config: &config::Config) -> bool {
    let bodies = config.bodies.iter().map(|body| &body.shape);
    bodies
        .chain(config.arms.iter().map(|arm| &arm.tool))
        .any(is_planar)
}

/// Returns the outline of a planar shape, counter-clockwise; empty for any other shape.
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
            "{} `{}`: its vertices are clockwise and were reversed",
            owner.what,
            owner.name
        );
    }
    if owner.what != "body" {
        hapticd_planar::polygon::check_convex(&outline).map_err(refused)?;
    }
    Ok(outline)
}

/// Adds a body with this id to the scene. `placed` lists the earlier bodies: their names and their
/// outlines in place.
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
