//! The adversary of the certified contact protocol: scenes, hands and late answers in virtual time,
//! with an exact check of every tick.
//!
//! A [`Fixture`] is the real scene (`hapticd-scene`) and the real loop (`hapticd-proxy`) with a
//! [`Courier`] between them that is late, loses answers and delivers them in bursts. A [`Hand`]
//! drives the device at up to 10 m/s. After every tick `hapticd-audit`, which shares no code with
//! the detection, computes the depth of the tool in each body (must be exactly 0), and whether any
//! piece of its path or of a body's step crossed a surface (must not).
//!
//! Everything is deterministic: all randomness comes from one seed. Units are metres and seconds,
//! in the world frame. The code allocates and is for tests only.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod courier;
pub mod fixture;
pub mod hand;
pub mod meshes;
pub mod random;
pub mod scene;
pub mod tally;
pub mod wall;

pub use courier::Courier;
pub use fixture::Fixture;
pub use hand::{Hand, Playground};
pub use random::Random;
pub use scene::{BodyPlan, ScenePlan, ToolPlan};
pub use tally::{Tally, Violation};
