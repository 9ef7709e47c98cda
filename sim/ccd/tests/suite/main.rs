//! Tests of continuous detection and proximity.

use hapticd_counting::Counting;

mod advance;
mod along_edges;
mod budget;
#[path = "../common/mod.rs"]
mod common;
mod linear;
mod moving_features;
mod moving_meshes;
mod moving_pieces;
mod moving_scene;
mod proximity;
mod tree;

/// Counts for all of these modules, per thread.
#[global_allocator]
static ALLOCATOR: Counting = Counting;
