//! Soft bodies, cloth, crowds and implicit bodies of a session, once the rigid scene is complete.

use hapticd_collision::configured;
use hapticd_deformable::DeformableScene;

use super::bodies::Bodies;
use super::faults::soft_fault;
use super::{Fault, Inputs};

/// Builds the deformable scene beside a complete rigid scene; `None` without deformable bodies.
pub(super) fn build(
    inputs: &Inputs<'_>,
    bodies: &Bodies,
) -> Result<Option<DeformableScene>, Box<Fault>> {
    if bodies.deformables.is_empty() && bodies.implicit.is_empty() {
        return Ok(None);
    }
    let config = inputs.config;
    configured::deformable_scene(
        config,
        inputs.period_s(),
        (&bodies.deformables, &bodies.implicit),
        &bodies.world,
    )
    .map(Some)
    .map_err(|error| Box::new(soft_fault(config, error)))
}
