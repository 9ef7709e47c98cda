//! Tests of the implicit surface and its mesh.

use hapticd_counting::Counting;

mod adopt;
mod audit_adversarial;
mod audit_blending;
mod audit_extremes;
mod audit_lists;
mod audit_tracking;
mod blending;
mod bulges;
mod check;
mod cliques;
mod coherence;
mod control;
mod fields;
mod grids;
mod many;
mod motions;
mod quality;
mod skins;
mod table;
mod union;

/// Counts for all of these modules, per thread.
#[global_allocator]
static ALLOCATOR: Counting = Counting;
