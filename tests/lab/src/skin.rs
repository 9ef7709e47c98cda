//! Experiments of Triquet 2001: *Habillage de modèles mécaniques : facettisation temps réel de
//! surfaces implicites*.
//!
//! The source's radii, level, boxes, numbers of frames and most curves are lost (digest, sections
//! 7.3 and 7.10); the calibration of the digest stands in for them. Its machine was an Athlon at
//! 800 MHz. Our milliseconds are shown next to its own; the verdicts are about shapes, ratios and
//! counts, and that ours is not slower. Times are processor times on one thread.

pub mod control;
pub mod drops;
pub mod figures;
pub mod gpu;
pub mod hashed;
pub mod modes;
pub mod peers;
pub mod potentials;
pub mod preview;
pub mod scan;
mod scenes;
