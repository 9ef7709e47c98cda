//! Experiments of Lehericey 2016: *Détection de collision par lancer de rayon : la quête de la
//! performance*.
//!
//! Meshes, sizes, masses, thresholds and most curves of the source are lost; the notes of each
//! report name the stand-ins. The experiments compare ratios and shapes of curves, not
//! milliseconds. Default sizes take a minute or two; each option names the source's size.

mod audit;
pub mod cloth;
pub mod clusters;
pub mod cost;
pub mod crowd;
pub mod direction;
pub mod gimpact;
pub mod inversions;
pub mod iterative;
mod launches;
mod looks;
pub mod measures;
pub mod pipeline;
pub mod predictions;
pub mod reprojection;
mod scenes;
mod stage;
mod wardrobe;
pub mod workload;
