//! A connected HID device, the profile that fits it, and its identity.
//!
//! An arm is identified by its serial number. If it has none, or if two arms have the same, it is
//! identified by its port. Two arms of one model are thus never confused by chance. Pure;
//! allocates.

use std::fmt;
use std::sync::Arc;

use crate::profile::{Match, Profile};

/// A HID device as the system lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HidEntry {
    /// Path of the device node.
    pub path: String,
    /// USB vendor id.
    pub vendor_id: u16,
    /// USB product id.
    pub product_id: u16,
    /// Serial number, if it has one.
    pub serial: Option<String>,
    /// Product name that the device reports.
    pub product: String,
    /// USB interface, if there is one.
    pub interface: Option<u8>,
    /// Usage page and usage of each top-level collection.
    pub usages: Vec<(u16, u16)>,
    /// Port, the same for any device plugged in there. Empty if unknown.
    pub port: String,
}

/// Identity of an arm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArmIdentity {
    /// Identified by its serial number, on any port.
    Serial {
        /// USB vendor id.
        vendor_id: u16,
        /// USB product id.
        product_id: u16,
        /// Serial number.
        serial: String,
    },
    /// Identified by its port.
    Port {
        /// USB vendor id.
        vendor_id: u16,
        /// USB product id.
        product_id: u16,
        /// Port, as in [`HidEntry::port`].
        port: String,
    },
}

impl fmt::Display for ArmIdentity {
    /// Formats as `1209:caf3/serial/A1` or `1209:caf3/port/usb-0000:00:14.0-2/input0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArmIdentity::Serial {
                vendor_id,
                product_id,
                serial,
            } => {
                write!(f, "{vendor_id:04x}:{product_id:04x}/serial/{serial}")
            }
            ArmIdentity::Port {
                vendor_id,
                product_id,
                port,
            } => {
                write!(f, "{vendor_id:04x}:{product_id:04x}/port/{port}")
            }
        }
    }
}

/// A device that fits a profile.
#[derive(Clone, Debug)]
pub struct FoundArm {
    /// The device, as listed.
    pub entry: HidEntry,
    /// The profile that fits best.
    pub profile: Arc<Profile>,
    /// Identity of the arm.
    pub identity: ArmIdentity,
    /// Another arm of this model has the same serial number; or this arm has no serial number and
    /// another one is on the same port. The user must be told.
    pub ambiguous: bool,
}

/// Returns how specifically a profile's rule fits a device: a score over the properties that it
/// asks for, or `None` if one of them differs. The product id counts 4, the others 1.
fn fit(rule: &Match, entry: &HidEntry) -> Option<usize> {
    let usage_fits = |(page, usage): &(u16, u16)| {
        rule.usage_page.is_none_or(|wanted| wanted == *page)
            && rule.usage.is_none_or(|wanted| wanted == *usage)
    };
    let asks_usage = rule.usage_page.is_some() || rule.usage.is_some();
    let fits = rule.vendor_id == entry.vendor_id
        && rule
            .product_id
            .is_none_or(|wanted| wanted == entry.product_id)
        && rule
            .interface
            .is_none_or(|wanted| entry.interface == Some(wanted))
        && (!asks_usage || entry.usages.iter().any(usage_fits));
    fits.then(|| {
        usize::from(rule.product_id.is_some()) * 4
            + usize::from(rule.interface.is_some())
            + usize::from(rule.usage_page.is_some())
            + usize::from(rule.usage.is_some())
    })
}

/// Returns whether a profile is for a device.
#[must_use]
pub fn is_for(profile: &Profile, entry: &HidEntry) -> bool {
    profile
        .matches
        .iter()
        .any(|rule| fit(rule, entry).is_some())
}

/// Returns the arms among `entries`, each with the most specific profile that fits; among equals,
/// the first.
#[must_use]
pub fn identify(entries: &[HidEntry], profiles: &[Arc<Profile>]) -> Vec<FoundArm> {
    let mut arms: Vec<(&HidEntry, &Arc<Profile>)> = Vec::new();
    for entry in entries {
        let mut best: Option<(usize, &Arc<Profile>)> = None;
        for profile in profiles {
            let score = profile
                .matches
                .iter()
                .filter_map(|rule| fit(rule, entry))
                .max();
            if let Some(score) = score
                && best.is_none_or(|(best, _)| score > best)
            {
                best = Some((score, profile));
            }
        }
        if let Some((_, profile)) = best {
            arms.push((entry, profile));
        }
    }
    let model = |entry: &HidEntry| (entry.vendor_id, entry.product_id);
    let twins = |entry: &HidEntry, same: &dyn Fn(&HidEntry) -> bool| {
        (arms.iter())
            .filter(|(other, _)| model(other) == model(entry) && same(other))
            .count()
            > 1
    };
    let found = arms.iter().map(|(entry, profile)| {
        let (vendor_id, product_id) = model(entry);
        let serial_twin =
            entry.serial.is_some() && twins(entry, &|other| other.serial == entry.serial);
        let port_twin = twins(entry, &|other| other.port == entry.port);
        let identity = match &entry.serial {
            Some(serial) if !serial_twin => ArmIdentity::Serial {
                vendor_id,
                product_id,
                serial: serial.clone(),
            },
            _ => ArmIdentity::Port {
                vendor_id,
                product_id,
                port: entry.port.clone(),
            },
        };
        FoundArm {
            ambiguous: serial_twin || (entry.serial.is_none() && port_twin),
            entry: (*entry).clone(),
            profile: Arc::clone(profile),
            identity,
        }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::SHIPPED;

    fn profiles() -> Vec<Arc<Profile>> {
        SHIPPED
            .iter()
            .map(|shipped| Arc::new(shipped.parse().unwrap()))
            .collect()
    }

    fn generic(serial: Option<&str>, port: &str) -> HidEntry {
        HidEntry {
            path: "/dev/hidraw0".into(),
            vendor_id: 0x1209,
            product_id: 0xCAF3,
            serial: serial.map(str::to_owned),
            product: "arm".into(),
            interface: Some(0),
            usages: vec![(0xFF00, 1)],
            port: port.into(),
        }
    }

    #[test]
    fn devices_that_no_profile_is_for_are_left_out() {
        let mut keyboard = generic(None, "a");
        keyboard.usages = vec![(1, 6)];
        let mut other = generic(None, "b");
        other.product_id = 1;
        assert!(identify(&[keyboard, other], &profiles()).is_empty());
        // A mouse of the SpaceMouse's vendor is not an arm; the puck is one, whatever its product
        // id.
        let mut mouse = generic(None, "c");
        (mouse.vendor_id, mouse.product_id, mouse.usages) = (0x046D, 0xC077, vec![(1, 2)]);
        let mut puck = mouse.clone();
        (puck.product_id, puck.usages) = (0xC626, vec![(1, 8)]);
        let found = identify(&[mouse, puck.clone()], &profiles());
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&found[0].entry, found[0].profile.spec.name.as_str()),
            (&puck, "SpaceMouse")
        );
    }

    #[test]
    fn the_profile_that_asks_for_more_is_taken() {
        let special = include_str!("../../../config/devices/generic-vendor-3dof.toml")
            .replacen("Generic vendor 3-DOF arm", "special", 1)
            .replacen("usage = 0x0001", "usage = 0x0001\ninterface = 1", 1);
        let mut profiles = profiles();
        profiles.push(Arc::new(Profile::parse("special", &special).unwrap()));
        let mut second = generic(Some("A"), "p");
        second.interface = Some(1);
        let found = identify(&[generic(Some("B"), "q"), second], &profiles);
        assert_eq!(found[0].profile.spec.name, "Generic vendor 3-DOF arm");
        assert_eq!(found[1].profile.spec.name, "special");
    }

    #[test]
    fn an_arm_is_known_by_its_serial_number_and_twins_by_their_ports() {
        let names = |entries: &[HidEntry]| {
            let found = identify(entries, &profiles());
            found
                .iter()
                .map(|arm| (arm.identity.to_string(), arm.ambiguous))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(&[
                generic(Some("A"), "p1"),
                generic(Some("B"), "p2"),
                generic(None, "p3")
            ]),
            [
                ("1209:caf3/serial/A".into(), false),
                ("1209:caf3/serial/B".into(), false),
                ("1209:caf3/port/p3".into(), false),
            ]
        );
        assert_eq!(
            names(&[generic(Some("A"), "p1"), generic(Some("A"), "p2")]),
            [
                ("1209:caf3/port/p1".into(), true),
                ("1209:caf3/port/p2".into(), true),
            ]
        );
        // Neither a serial number nor a distinct port: they cannot be told apart, and both are
        // flagged.
        assert_eq!(
            names(&[generic(None, ""), generic(None, "")]),
            [
                ("1209:caf3/port/".into(), true),
                ("1209:caf3/port/".into(), true),
            ]
        );
    }
}
