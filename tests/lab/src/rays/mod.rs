//! Experiments of Lehericey 2016: *Détection de collision par lancer de rayon : la quête de la performance*.
//!
//! Meshes, sizes, masses, thresholds and most curves of the source are lost; what stands in for them is in the notes of each report. Ratios and shapes of
//! curves are compared, not milliseconds.

pub mod direction;
pub mod iterative;
pub mod stage;
