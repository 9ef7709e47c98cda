//! Multiresolution registration of moving objects in combinatorial maps (Pitiot 2015, *Outils
//! multirésolutions pour la gestion des interactions en simulation temps réel*).
//!
//! Space itself is a mesh, a [`map`]. Moving objects are [tracked](track) from cell to cell and
//! [registered](registration) in the cells that they cross and around them. Possible contacts are
//! therefore read, not searched. Crowded cells are [refined](scale), empty ones merged; the mesh
//! may [`deform`] under its contents. The result is a broad phase: pairs that it lists may touch,
//! and pairs that it does not list are further apart than the width of a ring.
//!
//! SI units, one set of axes, `f64`. Pure: no I/O, no clock, no threads; the same calls give the
//! same bits. Nothing allocates after tables have grown to what a scene needs. Errors are the
//! caller's, and carry the numbers. No mesh, goal or identifier causes a panic, except where a
//! function's documentation says so.
#![forbid(unsafe_code)]

pub mod beside;
pub mod deform;
pub mod map;
pub mod points;
pub mod registration;
pub mod scale;
pub mod surface;
pub mod track;
