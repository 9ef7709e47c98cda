//! Methods exactly as their sources publish them. No product path calls one: each is an oracle of
//! tests, or a comparison for an experiment.
//!
//! - [`interval`]: first contact of a feature pair by interval root isolation (Redon 2002, section
//!   3.2).
//! - [`sweep`]: continuous overlap of two oriented boxes (Redon 2002, section 3.3).
//! - [`first_contact`]: first contact of two meshes by descent of their box trees, with the
//!   switches that the source measured (Redon 2002, sections 3.3 and 3.5).
//! - [`backface`]: culling of faces that move away from the other body (Redon 2002, chapter 4).
//! - [`algebraic`], [`spheres`]: the motion with polynomial collision equations, and sphere trees
//!   on it (Redon 2002, chapter 2).
//! - [`twin`]: projection in motion space and in contact space (Redon 2002, section 5.5).
//! - [`sorted`], [`hull`]: kinetic structures, the order of points on a line and the convex hull of
//!   points in the plane (Basch, Guibas and Hershberger 1999).
//! - [`baselines`]: pairs of neighbours by registration, by a grid and by spatial hashing (Pitiot
//!   2015, section 2.2).
//!
//! `README.md` of this crate lists which test or experiment uses which module.
//!
//! SI units, `f64`, one frame for both bodies unless an item says otherwise. No I/O, no clock, no
//! threads; the same arguments give the same bits. Most functions allocate. None is for a real-time
//! thread.

#![forbid(unsafe_code)]

pub mod algebraic;
pub mod backface;
pub mod baselines;
pub mod first_contact;
pub mod hull;
pub mod interval;
pub mod sorted;
pub mod spheres;
pub mod sweep;
pub mod twin;
