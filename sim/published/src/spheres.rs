//! Sphere trees over a surface, for the algebraic motion (Redon 2002, sections 2.5 and 2.6).
//!
//! - [`tree`]: equal leaf spheres of a chosen radius that cover the surface, a complete tree above
//!   them, and labels.
//! - [`search`]: first contact of two meshes, with the vertex cache and the four tables of earlier
//!   tests. Each can be switched off; none changes the answer.
//!
//! The thesis' first method, kept to reproduce its experiments and as a third independent check of
//! single motions; [`hapticd_ccd::moving`] is faster and proven.
//!
//! All leaf spheres of a scene should have about the same radius: one large leaf overlaps a whole
//! detailed body (the thesis' figure 2.6).

pub mod search;
pub mod tree;

pub use search::{SphereContact, SphereCounters, SphereOptions, SphereSearch};
pub use tree::{SphereNode, SphereTree, SphereTreeError};
