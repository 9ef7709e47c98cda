//! Hierarchical back-face culling: a part that moves away from the other body cannot touch it first
//! (Redon 2002, chapter 4).
//!
//! A triangle recedes if the velocity of each of its points, relative to the other body, is against
//! its outward normal. Every box gets a *cone*: a few vectors with a positive hull that contains
//! all normals below it. If the relative velocities of all points of the box are against all cone
//! vectors, every triangle below recedes. The box is then dropped, with all pairs it would form.
//!
//! - [`cone`]: the vectors of one box, deterministic.
//! - [`tree`]: the cones of a hierarchy; closed, outward meshes only.
//! - [`recede`]: the test, at one instant, over a screw, and between two screws.
//!
//! Used by [`crate::first_contact::first_contact_culled`]. The comparison is strict and keeps a
//! margin for rounding: sliding parts are not dropped.

pub mod cone;
pub mod recede;
pub mod tree;

pub use tree::{BackFaceCones, ConeError, ConeReport, Strategy};
