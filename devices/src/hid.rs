//! Arms on HID: finding, identifying, opening, reading and writing them.
//!
//! [`HidBus`] lists what is plugged in (for the supervisor; allocates, reads sysfs). [`identify`]
//! picks the arms among it and identifies them. [`HidBus::open`] gives a [`HidArm`], which
//! implements [`Transport`](crate::transport::Transport). It may block, so the daemon runs it on a
//! separate thread. [`descriptor`] checks a profile against the device's own report descriptor.

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
