//! Arms on HID: finding them, telling them apart, opening, reading and writing them.
//!
//! [`HidBus`] lists what is plugged in (for the supervisor; allocates, reads sysfs), [`identify`]
//! picks the arms and says who they are, [`HidBus::open`] gives a [`HidArm`], which implements
//! [`Transport`](crate::transport::Transport): it may block, so it lives on a thread of its own,
//! which the daemon starts. [`descriptor`] checks a profile against what the device says about
//! itself.

mod arm;
mod bus;
pub mod descriptor;
mod entry;
mod port;
mod raw;

pub use arm::{HidArm, QUEUE_CAPACITY};
pub use bus::{HidBus, OpenError, ScanError};
pub use entry::{ArmIdentity, FoundArm, HidEntry, identify, is_for};
pub use raw::RawHid;
