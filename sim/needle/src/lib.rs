//! Needle insertion: a flexible bevelled needle at an arm's hub, the tissue that it enters, and the
//! force of both on the hand.
//!
//! [`Tissue`] is a box of layers with structures in it: membranes and vessels that can be pierced,
//! and bone that cannot. [`NeedleInTissue`] is the loop's side: it lets the hub move as far as
//! cutting, friction, membranes and bone allow. [`Surroundings`] is the slow side: the needle's
//! segments registered in a mesh that is fine about the tip, and their neighbours (Pitiot 2015,
//! section 9.1.2).
//!
//! SI units, right-handed frames, `f64`. Pure: no I/O, no clock, no threads; the same calls give
//! the same bits. No number, pose or mesh causes a panic.
#![forbid(unsafe_code)]

mod ahead;
mod in_tissue;
mod law;
mod needle;
mod path;
mod surroundings;
mod tissue;

pub use ahead::{Ahead, CLEARANCE_M, MAX_CANDIDATES, STAND_OFF_M, Stop, TipProbe};
pub use in_tissue::NeedleInTissue;
pub use law::MAX_EVENTS;
pub use needle::{Needle, NeedleError};
pub use path::{Node, Path};
pub use surroundings::{CROWD, Followed, NearStructure, Surroundings, SurroundingsError, Zoom};
pub use tissue::{Layer, MAX_LAYERS, MAX_STRUCTURES, Structure, Tissue, TissueError, TissueSpec};
