//! What rays detect and positions move: soft bodies, cloth, and crowds of rigid bodies, in one world.
//!
//! [`SoftWorld`] ties `hapticd-rays` (contacts, Lehericey 2016) to `hapticd_dynamics::xpbd` (motion): one step finds the contacts where everything is
//! now and moves everything under them. The detection may be another backend's ([`SoftWorld::set_detector`]), whose answers come later. Discrete, unless [`SoftWorld::set_continuous`] says otherwise: what is thin and fast can pass
//! through between two steps, and overlaps are pushed out, not prevented. [`crossings`] proves that nothing went through anything in a step, or says what did. What must never penetrate is a rigid body of `hapticd-world`; this one is for what yields.
//!
//! SI units, world axes, `f64`. Deterministic, whatever the number of threads. Not for the real-time thread.
#![forbid(unsafe_code)]

mod contacts;
mod continuous;
pub mod crossings;
mod drive;
mod world;

pub use continuous::{Continuous, ContinuousReport};
pub use world::{AddError, ObjectId, Report, Settings, SoftWorld, StepError};
