//! The HID devices of this machine: lists them and opens the arms among them.
//!
//! Uses hidapi's Linux backend, which reads sysfs and talks to hidraw, without a C library.
//! Scanning reads files and allocates: call it from the supervisor, never from an arm's thread.
//! Only [`HidBus::open`] may wait for a device, while it sends the start reports.

use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

use hidapi::{HidApi, HidError, MAX_REPORT_DESCRIPTOR_SIZE};
use thiserror::Error;

use super::arm::HidArm;
use super::descriptor::{Descriptor, Misfit};
use super::entry::{HidEntry, is_for};
use super::port::port;
use super::raw::errno_in;
use crate::profile::Profile;
use crate::transport::TransportError;

/// Why devices could not be listed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("HID devices cannot be listed: {message}")]
pub struct ScanError {
    /// Message of the HID library.
    pub message: String,
}

impl From<HidError> for ScanError {
    fn from(error: HidError) -> Self {
        Self {
            message: error.to_string(),
        }
    }
}

/// Why an arm could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// This user may not open the device node: its udev rule is missing.
    #[error(
        "no permission to open {path}: the udev rule for {vendor_id:04x}:{product_id:04x} is missing"
    )]
    Permission {
        /// Path of the device node.
        path: String,
        /// USB vendor id.
        vendor_id: u16,
        /// USB product id.
        product_id: u16,
    },
    /// The device was unplugged in the meantime.
    #[error("{path} is gone")]
    Gone {
        /// Path of the device node.
        path: String,
    },
    /// The profile is for another device.
    #[error("the profile \"{profile}\" is not for {vendor_id:04x}:{product_id:04x} at {path}")]
    WrongProfile {
        /// Name in the profile.
        profile: String,
        /// Path of the device node.
        path: String,
        /// USB vendor id.
        vendor_id: u16,
        /// USB product id.
        product_id: u16,
    },
    /// The device's report descriptor contradicts the profile.
    #[error("{path}: {misfit}")]
    Misfit {
        /// Path of the device node.
        path: String,
        /// What does not fit.
        misfit: Misfit,
    },
    /// The device did not accept the profile's start reports.
    #[error("{path} refused its start reports: {error}")]
    Start {
        /// Path of the device node.
        path: String,
        /// Error of the transport.
        error: TransportError,
    },
    /// Any other failure.
    #[error("{path} cannot be opened: {message}")]
    Other {
        /// Path of the device node.
        path: String,
        /// Message of the HID library.
        message: String,
    },
}

/// The HID devices of this machine.
pub struct HidBus {
    api: HidApi,
}

impl std::fmt::Debug for HidBus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HidBus").finish_non_exhaustive()
    }
}

impl HidBus {
    /// Opens the HID library.
    ///
    /// # Errors
    /// If the library fails to start.
    pub fn new() -> Result<Self, ScanError> {
        Ok(Self {
            api: HidApi::new()?,
        })
    }

    /// Lists the devices that are plugged in, in the order of their device nodes. A device that is
    /// plugged or unplugged during the scan may be missing.
    ///
    /// # Errors
    /// If the system's list cannot be read.
    pub fn scan(&mut self) -> Result<Vec<HidEntry>, ScanError> {
        self.api.refresh_devices()?;
        let mut entries: Vec<HidEntry> = Vec::new();
        for info in self.api.device_list() {
            let path = info.path().to_string_lossy().into_owned();
            let usage = (info.usage_page(), info.usage());
            // The list has one line for each top-level collection; they are merged here.
            if let Some(known) = entries.iter_mut().find(|entry| entry.path == path) {
                known.usages.push(usage);
                continue;
            }
            let node = path.rsplit('/').next().unwrap_or("");
            let serial = info
                .serial_number()
                .map(str::trim)
                .filter(|serial| !serial.is_empty());
            entries.push(HidEntry {
                vendor_id: info.vendor_id(),
                product_id: info.product_id(),
                serial: serial.map(str::to_owned),
                product: info.product_string().unwrap_or("").to_owned(),
                interface: u8::try_from(info.interface_number()).ok(),
                usages: vec![usage],
                port: port(Path::new("/sys"), node),
                path,
            });
        }
        entries.sort_by(|a, b| (a.path.len(), &a.path).cmp(&(b.path.len(), &b.path)));
        Ok(entries)
    }

    /// Opens a device as an arm: checks that the profile is for it and that its report descriptor
    /// agrees, then sends the profile's start reports, which may block.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(&self, entry: &HidEntry, profile: &Arc<Profile>) -> Result<HidArm, OpenError> {
        let path = entry.path.clone();
        let (vendor_id, product_id) = (entry.vendor_id, entry.product_id);
        if !is_for(profile, entry) {
            let profile = profile.spec.name.clone();
            return Err(OpenError::WrongProfile {
                profile,
                path,
                vendor_id,
                product_id,
            });
        }
        let Ok(node) = CString::new(path.as_str()) else {
            return Err(OpenError::Gone { path });
        };
        let device = match self.api.open_path(&node) {
            Ok(device) => device,
            Err(error) => {
                let message = error.to_string();
                return Err(match errno_in(&message) {
                    Some(libc::EACCES | libc::EPERM) => OpenError::Permission {
                        path,
                        vendor_id,
                        product_id,
                    },
                    Some(libc::ENOENT | libc::ENODEV | libc::ENXIO) => OpenError::Gone { path },
                    _ => OpenError::Other { path, message },
                });
            }
        };
        let mut bytes = [0; MAX_REPORT_DESCRIPTOR_SIZE];
        // Some devices have a broken or unreadable descriptor; for them the profile is trusted.
        if let Ok(length) = device.get_report_descriptor(&mut bytes)
            && let Ok(descriptor) = Descriptor::parse(&bytes[..length])
            && let Err(misfit) = descriptor.check(profile.codec.layout())
        {
            return Err(OpenError::Misfit { path, misfit });
        }
        HidArm::new(Box::new(device), Arc::clone(profile)).map_err(|error| match error {
            TransportError::Gone => OpenError::Gone { path },
            error => OpenError::Start { path, error },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::shipped;

    fn entry(path: &str) -> HidEntry {
        HidEntry {
            path: path.into(),
            vendor_id: 0x1209,
            product_id: 0xCAF3,
            serial: None,
            product: String::new(),
            interface: None,
            usages: vec![(0xFF00, 1)],
            port: String::new(),
        }
    }

    /// Works on machines with and without HID devices.
    #[test]
    fn scanning_lists_each_device_once() {
        let mut bus = HidBus::new().unwrap();
        let entries = bus.scan().unwrap();
        for (i, entry) in entries.iter().enumerate() {
            assert!(entries[..i].iter().all(|other| other.path != entry.path));
            assert!(!entry.usages.is_empty());
        }
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        let bus = HidBus::new().unwrap();
        let profile = |name| Arc::new(shipped(name).unwrap().parse().unwrap());
        let generic = profile("generic-vendor-3dof");
        let gone = entry("/dev/no-such-hidraw");
        assert_eq!(
            bus.open(&gone, &generic).unwrap_err(),
            OpenError::Gone {
                path: gone.path.clone()
            }
        );
        assert!(matches!(
            bus.open(&gone, &profile("spacemouse")),
            Err(OpenError::WrongProfile { .. })
        ));
        // Not a HID device.
        assert!(matches!(
            bus.open(&entry("/dev/null"), &generic),
            Err(OpenError::Other { .. })
        ));
        assert!(matches!(
            bus.open(&entry("a\0b"), &generic),
            Err(OpenError::Gone { .. })
        ));
    }
}
