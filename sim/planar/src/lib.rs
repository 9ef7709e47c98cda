//! Planar scenes: polygons rendered to an arm of two degrees of freedom, in the haptic loop itself.
//!
//! The counterpart of `hapticd_proxy::Engine` for scenes in the plane `z = 0`. It takes the same
//! input and reports a tick in the same form, but needs no certificate from another thread. All
//! polygons of the scene and all tools are bodies of one kinetic pseudo-triangulation
//! ([`hapticd_kinetic::pseudo`]), which determines *when* two of them would touch while one moves.
//!
//! The guarantee is the same: *no tool penetrates*, at any speed. In the structure each tool is
//! enlarged by the clearance, and it only moves as far as the structure has proven. Lateness, an
//! exhausted budget or a detected fault shorten the motion and never make it unsafe.
//!
//! - [`polygon`]: outlines: validation, discs, stars, tools grown by a margin.
//! - [`PlanarScene`], [`PlanarEngine`]: the scene, and a tick.
//!
//! Sources: Kirkpatrick, Snoeyink and Speckmann, *Kinetic collision detection for simple polygons*
//! (2002), for the structure; Redon 2002, chapters 5 and 6, for the projection of the wanted motion
//! on contacts, for distances and the coupling.
//!
//! Pure: no I/O, no thread, no clock. World frame, SI units. Same inputs, same bits.
#![forbid(unsafe_code)]

mod contacts;
mod engine;
pub mod polygon;
mod proxy;

pub use engine::{MAX_VERTICES, PlanarEngine, PlanarScene, SceneError};
pub use hapticd_kinetic::Measures;
