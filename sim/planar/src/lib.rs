//! Planar scenes: polygons that an arm of two degrees of freedom feels, in the haptic loop itself.
//!
//! The counterpart of `hapticd_proxy::Engine` for scenes that lie in the plane `z = 0`. It takes
//! the same input and says the same of a tick, but it needs no certificate from another thread: all
//! polygons of the scene and all tools are bodies of one kinetic pseudo-triangulation
//! ([`hapticd_kinetic::pseudo`]), which says *when* two of them would touch while one moves.
//!
//! The promise is the same: *no tool penetrates*, whatever the speed. In the structure each tool is
//! larger than it is by the clearance, and it only ever goes as far as the structure has proven.
//! What is late, or runs out of budget, or is found wrong, costs motion and never truth.
//!
//! - [`polygon`]: outlines: what is taken, discs, stars, tools grown by a margin.
//! - [`PlanarScene`], [`PlanarEngine`]: who is there, and a tick.
//!
//! Sources: Kirkpatrick, Snoeyink and Speckmann, *Kinetic collision detection for simple polygons*
//! (2002), for the structure; Redon 2002, chapters 5 and 6, for what contacts make of the wanted
//! motion, for distances and the coupling.
//!
//! Pure: no I/O, no thread, no clock. World frame, SI units. Same inputs, same bits.
#![forbid(unsafe_code)]

mod contacts;
mod engine;
pub mod polygon;
mod proxy;

pub use engine::{MAX_VERTICES, PlanarEngine, PlanarScene, SceneError};
pub use hapticd_kinetic::Measures;
