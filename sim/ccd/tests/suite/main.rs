//! Tests of continuous detection and proximity.

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
