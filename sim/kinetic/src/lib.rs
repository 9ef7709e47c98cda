//! Kinetic data structures: properties of moving objects, kept up to date by computing when they
//! next change.
//!
//! A discrete property of moving objects (their order on a line, their convex hull, the gaps
//! between them) is proven by *certificates*: small inequalities `f(t) > 0`, each about a few
//! objects. As long as all of them hold, the property cannot have changed. When the first one
//! fails, it and its few neighbours are repaired, and nothing else is touched. Until then there is
//! nothing to do.
//!
//! - [`motion`], [`polynomial`], [`roots`]: how objects move, and the first time at which a
//!   certificate fails.
//! - [`queue`], [`stats`]: failures in the order of their times; their cost, in the four measures
//!   of the field.
//! - [`mod@kinetic`]: the interface that all structures share.
//! - [`polygons`]: rigid polygons in the plane and their contacts.
//! - [`pseudo`]: when any number of polygons touch.
//! - [`ergt`]: when two polygons touch, by the geodesics around them: fewer events, more work for
//!   each.
//! - [`sap`]: which boxes overlap in a step, and when.
//!
//! The sorted list and the convex hull are in the crate `hapticd-published`: no product path needs
//! them.
//!
//! # Theory
//!
//! Basch, Guibas and Hershberger, *Data structures for mobile data* (1999), in the introduction of
//! Merckx and Moerenhout, *Introduction aux structures de données cinétiques*. The theory's
//! measures are the worst cost of a repair (*responsiveness*), all events against those that change
//! the property (*efficiency*), live certificates (*compactness*) and certificates that involve one
//! object (*locality*).
//!
//! # Practice
//!
//! Times are in seconds and *local*: one epoch for each step or flight plan, so that differences of
//! large numbers do not arise. Nothing here owns a clock, a thread or a file. The same calls give
//! the same bits. Functions that do not allocate say so. Each structure can be checked from scratch
//! against the positions of its objects (`audit`) and rebuilt (`rebuild`). A handler that meets an
//! impossible state returns an error and never panics.

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
pub use kinetic::{Advanced, Inconsistent, Kinetic, PlanError};
pub use motion::{Motion1, Rigid2};
pub use polygons::PolygonStructure;
pub use polynomial::{Polynomial, Predicate};
pub use pseudo::PseudoTriangulation;
pub use queue::EventQueue;
pub use roots::{Smooth, first_failure};
pub use sap::Sap;
pub use stats::{EventCost, Measures, Stats};
