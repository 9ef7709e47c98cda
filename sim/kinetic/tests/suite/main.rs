//! Tests of the kinetic structures.

use hapticd_counting::Counting;

#[path = "../common/mod.rs"]
mod common;
mod counters;
mod ergt;
mod locality;
mod polygons;
mod queue;
mod roots;
mod sap;
mod steps;

/// Counts for all of these modules, per thread.
#[global_allocator]
static ALLOCATOR: Counting = Counting;
