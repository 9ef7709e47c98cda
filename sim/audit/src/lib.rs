//! The independent checker: decides whether a tool and a body touch, how deep, and whether a motion
//! between two poses crossed a surface.
//!
//! It shares no code with the continuous detection that it checks. It has its own bounding boxes,
//! distances and screw, and exact predicates for every yes-or-no question. From the geometry crate
//! it takes only the container of triangles.
//!
//! * [`intersects`]: do the surfaces meet, touching included? Exact for mesh tools.
//! * [`contains`]: is a point inside a closed body? Exact.
//! * [`penetration_depth_m`]: 0.0 if and only if the tool is outside the body and touches nothing.
//! * [`distance_m`]: how far apart are the surfaces?
//! * [`sweep_tool`], [`sweep_body`]: did the surfaces stay apart *between* two poses?
//! * [`sweep_past_tool`], [`tools_overlap_m`]: the same for two tools.
//!
//! # What exact means
//!
//! A mesh tool's vertices are moved into the body's frame with `f64`, each vertex once and always
//! in the same way. The rounded coordinates are then taken as the truth: about 1e-16 m for objects
//! of a metre, against clearances of a micron. From there on every decision is the sign of a
//! determinant evaluated exactly (Shewchuk's adaptive predicates). So a gap of one unit in the last
//! place is a gap, and coincident coordinates touch. Coordinates must stay between 1e-90 and 1e90
//! in size, or be zero, so that the predicates do not under- or overflow. A sphere tool is compared
//! by its rounded distance, accurate to a few units in the last place.
//!
//! Metres, right-handed frames. Allocates, never blocks, deterministic; not meant for a real-time
//! thread. Nothing panics on any mesh; a pose that is not finite never passes a check.
#![forbid(unsafe_code)]

mod boxes;
mod exact;
mod inside;
mod measure;
mod penetration;
mod query;
mod solid;
mod sweep;
mod tools;

pub use inside::contains;
pub use penetration::penetration_depth_m;
pub use query::{Hit, Tool, distance_m, intersects};
pub use solid::Solid;
pub use sweep::{ScrewMotion, Sweep, SweepLimits, sweep_body, sweep_tool};
pub use tools::{sweep_past_tool, tools_overlap_m};

use hapticd_geometry::{Pose, Vec3};

/// Corners of a triangle.
type Triangle = [Vec3; 3];

fn is_finite(pose: &Pose) -> bool {
    pose.translation.vector.iter().all(|x| x.is_finite())
        && pose.rotation.coords.iter().all(|x| x.is_finite())
}
