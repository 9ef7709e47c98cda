//! Needles of a session, the tissue that they go into, and the watch over their neighbourhood.

use std::sync::Arc;

use hapticd_collision::needle::{Watch, Watchable};
use hapticd_config as config;
use hapticd_needle::Tissue;

use super::faults::surroundings_fault;
use super::{Fault, Inputs};
use hapticd_scene_setup::needle::{self, BuiltNeedle, Insertable};

/// Builds the tissue and the needles; neither if one of them is wrong.
pub(super) fn build(inputs: &Inputs<'_>, faults: &mut Vec<Fault>) -> Insertable {
    needle::build(inputs.config, inputs.folder).unwrap_or_else(|wrong| {
        faults.extend(wrong.into_iter().map(|w| Fault {
            key: w.key,
            file: None,
            error: w.error.into(),
        }));
        (None, Vec::new())
    })
}

/// Builds the watch over the neighbourhood of needles; `None` without needles.
pub(super) fn watch(
    config: &config::Config,
    tissue: Option<&Arc<Tissue>>,
    needles: &[BuiltNeedle],
) -> Result<Option<Watch>, Box<Fault>> {
    let watched: Vec<Watchable> = needles.iter().map(BuiltNeedle::watchable).collect();
    let Some(tissue) = tissue.filter(|_| !watched.is_empty()) else {
        return Ok(None);
    };
    let names = needle::structures(config);
    Watch::new(tissue, needle::tissue_name(config), names, &watched)
        .map(Some)
        .map_err(|error| Box::new(surroundings_fault(config, error)))
}

#[cfg(test)]
mod tests;
