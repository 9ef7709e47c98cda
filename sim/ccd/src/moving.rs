//! Two bodies that both move: first contact, simultaneous contacts, and which features may touch
//! during a step.
//!
//! Every body has a [`Motion`]: a pose at time 0 and the screws that carry it over `t` in `[0, 1]`,
//! in the world. There may be none, one, or a chain of screws; a static body is no special case.
//! All bodies of a step are placed by the same motions at the same time, so bodies placed at a
//! proven time are as far apart as was proven.
//!
//! - [`advance_features`]: one feature pair; bounded, allocation-free.
//! - [`MovingSearch::first_contact`]: two meshes (or a point and a mesh); then
//!   [`MovingSearch::contacts_at`] for all contacts at that time.
//! - [`MovingSearch::step_pairs`]: every feature pair that may come within a clearance during the
//!   step, as a certified list.
//! - [`pieces`]: parametric and implicit surfaces through a trait, with the same kind of search.
//! - [`SceneSearch::first_contact`]: any number of bodies, one earliest time, and all contacts at
//!   it, behind a [`BroadPhase`](hapticd_geometry::BroadPhase).
//!
//! ```
//! use hapticd_ccd::MeshIndex;
//! use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
//! use hapticd_geometry::{Pose, Screw, Vec3, shapes};
//!
//! let cube = MeshIndex::new(shapes::cuboid(&Vec3::repeat(0.1)).unwrap());
//! let left = Pose::translation(-0.5, 0.0, 0.0);
//! let right = Pose::translation(0.5, 0.0, 0.0);
//! let towards = |d: Vec3| Screw::from_twist(&d, &Vec3::zeros(), &Vec3::zeros());
//! let a = Motion::screw(&left, &towards(Vec3::x()));
//! let b = Motion::screw(&right, &towards(-Vec3::x()));
//! let body = |motion| MovingBody { shape: &cube, motion, radius_m: 0.0 };
//! let (a, b) = (body(&a), body(&b));
//!
//! let mut search = MovingSearch::new(64);
//! let meeting = search.first_contact(&a, &b, 1e-5, 1.0);
//! assert!((meeting.free_until - 0.4).abs() < 1e-5);
//! let contacts = search.contacts_at(&a, &b, meeting.free_until, 1e-5);
//! assert!(contacts.len() >= 4);
//! ```
//!
//! # Guarantee
//!
//! Up to the time reported as free, every feature pair is at least `min(clearance, its distance at
//! time 0)` apart. The bound of [`features`] covers the rounding of the evaluation. Contacts are
//! found where the proof ends. It ends above the clearance by at most a nanometre, or a thousandth
//! of the clearance if that is less, unless steps run out, which is reported.
//!
//! Only the query of one feature pair is for the real-time path. The searches allocate while their
//! buffers grow, and their time is not bounded a priori. Pure functions of their arguments, no
//! locks, no panics. Numbers that are not finite prove nothing (free until 0). Metres; radians;
//! fractions of the step.

mod boxes;
pub mod broad;
pub mod features;
mod meshes;
pub mod motion;
pub mod pieces;
pub mod scene;
mod search;

pub use features::advance_features;
pub use meshes::{Meeting, MovingBody, MovingContact, MovingSearch, StepPair, StepSet};
pub use motion::{MAX_LINKS, Motion};
pub use scene::{SceneContact, SceneMeeting, SceneSearch};
pub use search::MovingCounters;
