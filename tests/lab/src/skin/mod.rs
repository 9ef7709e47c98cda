//! Experiments of Triquet 2001: *Habillage de modèles mécaniques : facettisation temps réel de
//! surfaces implicites*.
//!
//! The source's radii, level, boxes, numbers of frames and most curves are lost (digest, sections
//! 7.3 and 7.10); the calibration of the digest stands in for them. Its machine was an Athlon of
//! 800 MHz: milliseconds are shown beside its own, and what is judged are shapes, ratios and
//! counts, and that we are not slower. Processor time, one thread.

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
