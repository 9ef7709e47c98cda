//! The scene: bodies, tools, and the certified answer to "which features are near the tool?".
//!
//! A [`Scene`] belongs to the collision thread. [`Scene::answer`] is a pure function of the query
//! and the scene: equal scene and query give the same snapshot, bit for bit. It does not allocate
//! once its work space has grown to the scene. World frame, SI units.
#![forbid(unsafe_code)]

mod answer;
mod around;
mod body;
mod broad;
mod dynamics;
pub mod effort;
mod found;
mod inside;
mod placing;
mod pushes;
mod resident;
mod work;
mod world;

pub use body::{AddError, BodyKind, BodySpec, CommandError, Shape};
pub use broad::{BroadPhaseKind, KineticSweep, RegistrationPhase, broad_phase};
pub use dynamics::Order;
pub use inside::{contains, surrounds};
pub use placing::PlaceError;
pub use pushes::{BodyPush, MAX_PUSH_M_S, MAX_PUSH_RAD_S};
pub use work::Work;
pub use world::{Adding, BodyInfo, Scene};
