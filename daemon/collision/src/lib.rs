//! Everything behind the haptic loop's rings: the threads that know the scene.
//!
//! The [`collider`] answers the loop's queries with certified snapshots, [`deformable`] steps soft
//! bodies, [`skin`] makes meshes of implicit bodies. [`backend`] chooses their GPUs, and the
//! [`gpu_supervisor`] opens a lost one again. [`virtual_time`] drives loop and scene without
//! clocks. What may be done to the scene is a [`command`], clients' [`requests`] bring
//! them and take the replies, and what a step did is a [`step_log`].
//!
//! Nothing here is real-time: the loop never waits for any of it.
#![forbid(unsafe_code)]

pub mod backend;
pub mod broad_phase;
pub mod collider;
pub mod command;
pub mod configured;
pub mod deformable;
pub mod gpu_supervisor;
pub mod gpu_threads;
pub mod inside;
pub mod janitor;
pub mod mid_phase;
pub mod motion;
pub mod needle;
pub mod planner;
pub mod requests;
pub mod skin;
pub mod step_log;
pub mod virtual_time;
