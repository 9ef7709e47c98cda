//! Kinetic data structures: what is true of things that move, kept up to date by computing when it
//! will next change.
//!
//! A discrete property of moving objects (their order on a line, their convex hull, the gaps
//! between them) is proven by *certificates*, small inequalities `f(t) > 0` about a few objects
//! each. As long as all of them hold, the property cannot have changed; when the first one fails,
//! it and its few neighbours are repaired, and nothing else is looked at. Until then there is
//! nothing to do.
//!
//! - [`motion`], [`polynomial`], [`roots`]: how objects move, and the first time at which a
//!   certificate fails.
//! - [`queue`], [`stats`]: failures in the order of their times; what it cost, in the four measures
//!   of the field.
//! - [`mod@kinetic`]: what all structures have in common.
//! - [`polygons`]: rigid polygons in the plane, and what they meet with.
//! - [`pseudo`]: when any number of them touch.
//! - [`ergt`]: when two of them touch, by the geodesics round them: fewer events, more work for
//!   each.
//! - [`sap`]: which boxes overlap, and when, in a step.
//!
//! The sorted list and the convex hull are in the crate `hapticd-published`: no product path needs
//! them.
//!
//! # Theory
//!
//! Basch, Guibas and Hershberger, *Data structures for mobile data* (1999), in the introduction of
//! Merckx and Moerenhout, *Introduction aux structures de données cinétiques*. The theory's
//! measures are worst cost of a repair (*responsiveness*), all events against those that change the
//! property (*efficiency*), live certificates (*compactness*) and certificates that name one object
//! (*locality*).
//!
//! # Practice
//!
//! Times are seconds, and *local*: one epoch for a step or a flight plan, so that differences of
//! large numbers do not arise. Nothing here owns a clock, a thread or a file. The same calls give
//! the same bits. What does not allocate says so. Each structure can be checked against the
//! positions of its objects from scratch (`audit`) and rebuilt (`rebuild`); where a handler meets
//! what cannot be, it returns an error and never panics.

#![forbid(unsafe_code)]

pub mod ergt;
pub mod kinetic;
pub mod motion;
pub mod polygons;
pub mod polynomial;
pub mod pseudo;
pub mod queue;
pub mod roots;
pub mod sap;
pub mod stats;

pub use ergt::GeodesicTriangulation;
pub use kinetic::{Advanced, Inconsistent, Kinetic};
pub use motion::{Motion1, MotionError, Rigid2};
pub use polynomial::{Polynomial, Predicate};
pub use pseudo::PseudoTriangulation;
pub use queue::EventQueue;
pub use roots::{Smooth, first_failure};
pub use sap::Sap;
pub use stats::{EventCost, Measures, Stats};
