//! Cable of an arm, as its firmware sees it: plug, unplug, send a report, receive one.

use std::io;
use std::time::Duration;

use hapticd_devices::profile::generic;

/// Identity that an arm reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Product name.
    pub name: String,
    /// Serial number; empty when the arm has none.
    pub serial: String,
    /// USB vendor id.
    pub vendor: u16,
    /// USB product id.
    pub product: u16,
    /// HID report descriptor.
    pub descriptor: Vec<u8>,
}

impl Identity {
    /// Returns the identity of a generic 3-DOF arm with this serial number.
    pub fn generic(serial: &str) -> Identity {
        Identity {
            name: "Generic 3-DOF arm".to_owned(),
            serial: serial.to_owned(),
            vendor: generic::VENDOR_ID,
            product: generic::PRODUCT_ID,
            descriptor: generic::GENERIC_3DOF_DESCRIPTOR.to_vec(),
        }
    }
}

/// Fate of a report that the firmware offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The host accepted it.
    Taken,
    /// The endpoint still holds the previous one: the host does not ask for reports.
    Busy,
    /// There is no cable.
    Unplugged,
}

/// Result of reading the endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// An output report of this many bytes is in the buffer.
    Output(usize),
    /// A program on the host opened the device.
    Opened,
    /// The last program on the host closed it.
    Closed,
    /// Something that needs no action (the driver started, a control request was answered).
    Other,
    /// Nothing arrived within the time limit.
    Nothing,
}

/// A cable to the host. Any thread may call any method. `receive` may block for its time limit; the
/// others do not wait for the host.
pub trait Port: Send + Sync {
    /// Connects and enumerates as `identity`.
    ///
    /// # Errors
    /// The kernel's error, also if it is already connected.
    fn plug(&self, identity: &Identity) -> io::Result<()>;
    /// Disconnects; does nothing if it is not connected.
    ///
    /// # Errors
    /// The kernel's error.
    fn unplug(&self) -> io::Result<()>;
    /// Offers one input report to the host.
    ///
    /// # Errors
    /// The kernel's error, other than those that [`Sent`] names.
    fn send(&self, report: &[u8]) -> io::Result<Sent>;
    /// Waits up to `limit` for something from the host.
    ///
    /// # Errors
    /// The kernel's error.
    fn receive(&self, buffer: &mut [u8], limit: Duration) -> io::Result<Received>;
}
