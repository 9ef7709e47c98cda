//! Tests of whole sessions that need no process of their own.

mod answers;
mod backend;
mod broad_phases;
mod churn;
mod collision;
mod hung_gpu;
mod limits;
mod log_script;
mod needles;
mod neighbours;
mod operations;
mod planar;
mod replay_cli;
#[path = "../running/mod.rs"]
mod running;
mod silence;
mod skin_scenes;
mod told;
mod waiting;
