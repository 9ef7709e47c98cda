//! Finds a configured arm among the devices on the bus.
//!
//! The arm is chosen by serial number or port if the configuration names one. Otherwise it is the
//! first device of the profile that no other arm of this daemon has. Two devices with one serial
//! number are told apart by their port, or not opened at all: force on the wrong arm is worse than
//! none.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hapticd_devices::hid::{HidBus, HidEntry, identify};
use hapticd_devices::profile::Profile;
use hapticd_devices::transport::Transport;

use crate::session_setup::HidSource;
use hapticd_loop::arms::Opener;

/// Paths of the device nodes that arms of this daemon hold.
pub type Claims = Arc<Mutex<BTreeSet<String>>>;

/// Opens one configured arm.
pub struct OpenHid {
    profile: Arc<Profile>,
    serial: Option<String>,
    port_path: Option<String>,
    bus: Option<HidBus>,
    claims: Claims,
    held: Option<String>,
}

impl OpenHid {
    /// Creates an opener for a source. All arms share `claims`.
    pub fn new(source: HidSource, claims: Claims) -> Self {
        OpenHid {
            profile: Arc::new(source.profile),
            serial: source.serial,
            port_path: source.port_path,
            bus: None,
            claims,
            held: None,
        }
    }

    /// Returns the device that the configuration means, among those that are free.
    fn choose(
        &self,
        entries: &[HidEntry],
        taken: &BTreeSet<String>,
    ) -> Result<Option<HidEntry>, String> {
        let mut fits: Vec<HidEntry> = identify(entries, std::slice::from_ref(&self.profile))
            .into_iter()
            .map(|found| found.entry)
            .filter(|e| self.serial.is_none() || e.serial == self.serial)
            .filter(|e| self.port_path.as_ref().is_none_or(|p| port_is(&e.port, p)))
            .collect();
        if let Some(serial) = &self.serial
            && self.port_path.is_none()
            && fits.len() > 1
        {
            let ports: Vec<&str> = fits.iter().map(|e| e.port.as_str()).collect();
            return Err(format!(
                "{} devices have the serial number {serial}, at {}: name one with port_path",
                fits.len(),
                ports.join(" and ")
            ));
        }
        fits.retain(|e| !taken.contains(&e.path));
        Ok(fits.into_iter().next())
    }
}

/// Returns whether a device's port is the named one: the whole port, or its USB path (`1-2.3` in
/// `usb-...-1-2.3/input0`).
fn port_is(port: &str, named: &str) -> bool {
    port == named
        || port
            .split('/')
            .any(|part| part == named || part.ends_with(&format!("-{named}")))
}

impl Opener for OpenHid {
    fn open(&mut self) -> Result<Option<Box<dyn Transport>>, String> {
        if self.bus.is_none() {
            self.bus = Some(HidBus::new().map_err(|e| e.to_string())?);
        }
        let Some(mut bus) = self.bus.take() else {
            return Ok(None);
        };
        let entries = bus.scan().map_err(|e| e.to_string());
        let opened = entries.and_then(|entries| {
            // A poisoned lock means that another arm's thread died while choosing; its claims are
            // still right.
            let mut taken = self
                .claims
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(old) = self.held.take() {
                taken.remove(&old);
            }
            let Some(entry) = self.choose(&entries, &taken)? else {
                return Ok(None);
            };
            let arm = bus.open(&entry, &self.profile).map_err(|e| e.to_string())?;
            taken.insert(entry.path.clone());
            self.held = Some(entry.path);
            Ok(Some(Box::new(arm) as Box<dyn Transport>))
        });
        self.bus = Some(bus);
        opened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_devices::profile::{generic, shipped};

    fn entry(path: &str, serial: Option<&str>, port: &str) -> HidEntry {
        HidEntry {
            path: path.into(),
            vendor_id: generic::VENDOR_ID,
            product_id: generic::PRODUCT_ID,
            serial: serial.map(Into::into),
            product: "arm".into(),
            interface: None,
            usages: vec![(generic::USAGE_PAGE, generic::USAGE)],
            port: port.into(),
        }
    }

    fn opener(serial: Option<&str>, port: Option<&str>) -> OpenHid {
        let profile = shipped("generic-vendor-3dof").unwrap().parse().unwrap();
        let source = HidSource {
            profile,
            serial: serial.map(Into::into),
            port_path: port.map(Into::into),
        };
        OpenHid::new(source, Claims::default())
    }

    #[test]
    fn twins_with_one_serial_are_not_guessed_at() {
        let twins = [
            entry("/dev/hidraw0", Some("A"), "usb-1"),
            entry("/dev/hidraw1", Some("A"), "usb-2"),
        ];
        let why = opener(Some("A"), None)
            .choose(&twins, &BTreeSet::new())
            .unwrap_err();
        assert!(
            why.contains("2 devices have the serial number A") && why.contains("usb-2"),
            "{why}"
        );
        let one = opener(Some("A"), Some("usb-2"))
            .choose(&twins, &BTreeSet::new())
            .unwrap();
        assert_eq!(one.unwrap().path, "/dev/hidraw1");
    }

    #[test]
    fn an_arm_without_a_name_takes_the_first_that_is_free() {
        let two = [
            entry("/dev/hidraw0", Some("A"), "usb-1"),
            entry("/dev/hidraw1", Some("B"), "usb-2"),
        ];
        let taken = BTreeSet::from(["/dev/hidraw0".to_owned()]);
        assert_eq!(
            opener(None, None)
                .choose(&two, &taken)
                .unwrap()
                .unwrap()
                .path,
            "/dev/hidraw1"
        );
        assert!(
            opener(Some("C"), None)
                .choose(&two, &taken)
                .unwrap()
                .is_none()
        );
    }
}
