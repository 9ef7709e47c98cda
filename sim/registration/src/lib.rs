//! Multiresolution registration of moving things in combinatorial maps (Pitiot 2015, *Outils
//! multirésolutions pour la gestion des interactions en simulation temps réel*).
//!
//! Space itself is a mesh, a [`map`]; moving things are [tracked](track) from cell to cell and
//! [registered](registration) where they are and around it, so what may touch what is read, not
//! searched. Crowded cells are [refined](scale), empty ones merged; the mesh may [`deform`] under
//! all of it. A broad phase: what it names may touch, what it does not name is further away than
//! the width of a ring.
//!
//! SI units, one set of axes, `f64`. Pure: no I/O, no clock, no threads; the same calls give the
//! same bits. After tables have grown to what a scene needs nothing allocates. Errors are the
//! caller's, and carry the numbers; no mesh, goal or identifier makes anything panic but where a
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
