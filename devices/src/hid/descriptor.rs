//! Reads the lengths of a device's reports from its report descriptor (Device Class Definition for
//! HID 1.11, sections 5.2 to 6.2.2).
//!
//! Reads only what shows whether a profile fits a device before any force is sent: sizes, counts,
//! ids, and the usages of the top-level collections. Pure; allocates. Accepts or refuses any bytes
//! and never panics.

use thiserror::Error;

use crate::codec::{Layout, PoseRole};

/// Direction of a report.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the device.
    Input,
    /// To the device.
    Output,
    /// In either direction, over the control pipe.
    Feature,
}

/// One report of a device.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReportSize {
    /// Direction of the report.
    pub direction: Direction,
    /// Id of the report; 0 if the device numbers no reports.
    pub id: u8,
    /// Length in bytes, with the id byte if there is one.
    pub bytes: usize,
}

/// Why a descriptor could not be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum DescriptorError {
    /// The descriptor ends within an item.
    #[error("the report descriptor ends within the item at byte {at}")]
    Truncated {
        /// Offset of the item.
        at: usize,
    },
    /// A Pop without a matching Push.
    #[error("the report descriptor has a Pop without a Push at byte {at}")]
    PopWithoutPush {
        /// Offset of the item.
        at: usize,
    },
    /// Report id 0 is reserved.
    #[error("the report descriptor uses the reserved report id 0 at byte {at}")]
    ReservedId {
        /// Offset of the item.
        at: usize,
    },
}

/// The parts of a descriptor that are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// All reports, in order of appearance.
    pub reports: Vec<ReportSize>,
    /// Usage page and usage of each top-level collection.
    pub usages: Vec<(u16, u16)>,
}

#[derive(Copy, Clone, Default)]
struct Globals {
    usage_page: u16,
    report_size: u32,
    report_count: u32,
    report_id: u8,
}

impl Descriptor {
    /// Parses a descriptor.
    ///
    /// # Errors
    /// See [`DescriptorError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, DescriptorError> {
        let mut globals = Globals::default();
        let mut stack = Vec::new();
        let mut usage = None;
        let mut depth = 0_usize;
        let mut bits: Vec<(Direction, u8, u64)> = Vec::new();
        let mut usages = Vec::new();
        let mut at = 0;
        while let Some(prefix) = bytes.get(at).copied() {
            let truncated = DescriptorError::Truncated { at };
            if prefix == 0xFE {
                // A long item has a length, a tag and data. HID defines none; all are skipped.
                let length = usize::from(*bytes.get(at + 1).ok_or(truncated)?);
                if bytes.len() < at + 3 + length {
                    return Err(truncated);
                }
                at += 3 + length;
                continue;
            }
            let length = [0, 1, 2, 4][usize::from(prefix & 3)];
            let data = bytes.get(at + 1..at + 1 + length).ok_or(truncated)?;
            let value = data
                .iter()
                .rev()
                .fold(0_u32, |value, byte| (value << 8) | u32::from(*byte));
            match prefix & 0xFC {
                0x80 | 0x90 | 0xB0 => {
                    let direction = match prefix & 0xFC {
                        0x80 => Direction::Input,
                        0x90 => Direction::Output,
                        _ => Direction::Feature,
                    };
                    let more = u64::from(globals.report_size) * u64::from(globals.report_count);
                    let id = globals.report_id;
                    match bits
                        .iter_mut()
                        .find(|(d, i, _)| (*d, *i) == (direction, id))
                    {
                        Some((.., sum)) => *sum = sum.saturating_add(more),
                        None => bits.push((direction, id, more)),
                    }
                    usage = None;
                }
                0xA0 => {
                    if depth == 0
                        && let Some(usage) = usage
                    {
                        usages.push(usage);
                    }
                    depth += 1;
                    usage = None;
                }
                0xC0 => {
                    depth = depth.saturating_sub(1);
                    usage = None;
                }
                0x04 => globals.usage_page = value as u16,
                0x74 => globals.report_size = value,
                0x94 => globals.report_count = value,
                0x84 => {
                    if value == 0 {
                        return Err(DescriptorError::ReservedId { at });
                    }
                    globals.report_id = value as u8;
                }
                0xA4 => stack.push(globals),
                0xB4 => {
                    globals = stack.pop().ok_or(DescriptorError::PopWithoutPush { at })?;
                }
                // The first usage of an item; a usage of four bytes carries its own page.
                0x08 if usage.is_none() => {
                    let page = if length == 4 {
                        (value >> 16) as u16
                    } else {
                        globals.usage_page
                    };
                    usage = Some((page, value as u16));
                }
                _ => {}
            }
            at += 1 + length;
        }
        let numbered = bits.iter().any(|(_, id, _)| *id != 0);
        let size = |(direction, id, bits): (Direction, u8, u64)| ReportSize {
            direction,
            id,
            bytes: usize::try_from(bits.div_ceil(8))
                .unwrap_or(usize::MAX)
                .saturating_add(usize::from(numbered)),
        };
        Ok(Self {
            reports: bits.into_iter().map(size).collect(),
            usages,
        })
    }

    /// Returns the length of a report, id byte included; `None` if the device has no such report.
    #[must_use]
    pub fn report_bytes(&self, direction: Direction, id: u8) -> Option<usize> {
        let mut reports = self.reports.iter();
        let report = reports.find(|report| report.direction == direction && report.id == id);
        report.map(|report| report.bytes)
    }

    /// Checks whether a device with this descriptor fits a layout.
    ///
    /// # Errors
    /// The first report that does not fit.
    pub fn check(&self, layout: &Layout) -> Result<(), Misfit> {
        let has = |id, bytes| {
            self.report_bytes(Direction::Input, id)
                .is_some_and(|has| has >= bytes)
        };
        let role = |role| {
            layout
                .inputs
                .iter()
                .filter(move |report| report.pose == role)
        };
        let whole = role(PoseRole::Whole).any(|report| has(report.id, report.bytes));
        let parts = role(PoseRole::Part).all(|report| has(report.id, report.bytes))
            && role(PoseRole::Part).next().is_some();
        if !whole && !parts {
            // Report the first missing report.
            let missing = layout
                .inputs
                .iter()
                .find(|report| report.pose != PoseRole::Nothing && !has(report.id, report.bytes));
            if let Some(report) = missing {
                return Err(Misfit {
                    direction: Direction::Input,
                    id: report.id,
                    profile_bytes: report.bytes,
                    device_bytes: self.report_bytes(Direction::Input, report.id),
                });
            }
        }
        for report in &layout.outputs {
            let device_bytes = self.report_bytes(Direction::Output, report.id);
            if device_bytes.is_none_or(|bytes| bytes < report.bytes) {
                return Err(Misfit {
                    direction: Direction::Output,
                    id: report.id,
                    profile_bytes: report.bytes,
                    device_bytes,
                });
            }
        }
        Ok(())
    }
}

/// A report of a profile that the device lacks, or that is shorter in the device.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the profile's {direction:?} report {id:#04x} of {profile_bytes} bytes does not fit the device, which has {}",
    describe(device_bytes)
)]
pub struct Misfit {
    /// Direction of the report.
    pub direction: Direction,
    /// Id of the report.
    pub id: u8,
    /// Length in the profile, bytes.
    pub profile_bytes: usize,
    /// Length in the device, bytes; `None` if it has no such report.
    pub device_bytes: Option<usize>,
}

fn describe(bytes: &Option<usize>) -> String {
    match bytes {
        Some(bytes) => format!("{bytes} bytes"),
        None => "no such report".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{generic, shipped};
    use proptest::prelude::*;

    #[test]
    fn the_generic_arms_descriptor_is_what_its_profile_wants() {
        let descriptor = Descriptor::parse(generic::GENERIC_3DOF_DESCRIPTOR).unwrap();
        let size = |direction, id, bytes| ReportSize {
            direction,
            id,
            bytes,
        };
        assert_eq!(
            descriptor.reports,
            [
                size(Direction::Input, 1, generic::INPUT_REPORT_BYTES),
                size(Direction::Output, 2, generic::OUTPUT_REPORT_BYTES),
            ]
        );
        assert_eq!(descriptor.usages, [(generic::USAGE_PAGE, generic::USAGE)]);
        let profile = shipped("generic-vendor-3dof").unwrap().parse().unwrap();
        assert_eq!(descriptor.check(profile.codec.layout()), Ok(()));
    }

    #[test]
    fn another_arms_profile_does_not_fit() {
        let descriptor = Descriptor::parse(generic::GENERIC_3DOF_DESCRIPTOR).unwrap();
        let serial = shipped("serial-6dof").unwrap().parse().unwrap();
        assert_eq!(
            descriptor.check(serial.codec.layout()),
            Err(Misfit {
                direction: Direction::Input,
                id: 1,
                profile_bytes: 28,
                device_bytes: Some(20),
            })
        );
        let mut layout = shipped("generic-vendor-3dof")
            .unwrap()
            .parse()
            .unwrap()
            .codec
            .layout()
            .clone();
        layout.outputs[0].id = 7;
        let misfit = descriptor.check(&layout).unwrap_err();
        assert_eq!(
            misfit.to_string(),
            "the profile's Output report 0x07 of 9 bytes does not fit the device, which has no such report"
        );
    }

    #[test]
    fn a_space_mouse_fits_with_either_form_of_its_reports() {
        let layout = shipped("spacemouse").unwrap().parse().unwrap();
        let layout = layout.codec.layout();
        let device = |reports: &[(u8, usize)]| Descriptor {
            reports: (reports.iter())
                .map(|(id, bytes)| ReportSize {
                    direction: Direction::Input,
                    id: *id,
                    bytes: *bytes,
                })
                .collect(),
            usages: vec![],
        };
        assert!(device(&[(1, 7), (2, 7), (3, 7)]).check(layout).is_ok());
        assert!(device(&[(1, 13), (3, 7)]).check(layout).is_ok());
        assert!(device(&[(1, 7), (3, 7)]).check(layout).is_err());
    }

    #[test]
    fn a_boot_mouse_has_one_report_without_an_id() {
        // The mouse of the HID specification, appendix E.10.
        let mouse = [
            0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x01, 0xA1, 0x00, 0x05, 0x09, 0x19, 0x01,
            0x29, 0x03, 0x15, 0x00, 0x25, 0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01,
            0x75, 0x05, 0x81, 0x01, 0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7F,
            0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0xC0, 0xC0,
        ];
        let descriptor = Descriptor::parse(&mouse).unwrap();
        assert_eq!(
            descriptor.reports,
            [ReportSize {
                direction: Direction::Input,
                id: 0,
                bytes: 3
            }]
        );
        assert_eq!(descriptor.usages, [(1, 2)]);
    }

    #[test]
    fn broken_descriptors_are_refused_with_the_place() {
        assert_eq!(
            Descriptor::parse(&[0x05, 0x01, 0x26, 0xFF]),
            Err(DescriptorError::Truncated { at: 2 })
        );
        assert_eq!(
            Descriptor::parse(&[0xFE, 0x04, 0x00]),
            Err(DescriptorError::Truncated { at: 0 })
        );
        assert_eq!(
            Descriptor::parse(&[0xB4]),
            Err(DescriptorError::PopWithoutPush { at: 0 })
        );
        assert_eq!(
            Descriptor::parse(&[0x85, 0x00]),
            Err(DescriptorError::ReservedId { at: 0 })
        );
        // Push and Pop restore the sizes; huge sizes do not overflow.
        let pushed = [0x75, 0x08, 0x95, 0x02, 0xA4, 0x95, 0x7F, 0xB4, 0x81, 0x02];
        assert_eq!(
            Descriptor::parse(&pushed)
                .unwrap()
                .report_bytes(Direction::Input, 0),
            Some(2)
        );
        let huge = [
            0x77, 0xFF, 0xFF, 0xFF, 0xFF, 0x97, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x02, 0x81, 0x02,
        ];
        assert!(
            Descriptor::parse(&huge)
                .unwrap()
                .report_bytes(Direction::Input, 0)
                .is_some()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_bytes_are_read_or_refused(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(generic::GENERIC_3DOF_DESCRIPTOR.to_vec())], 0..80),
        ) {
            if let Ok(descriptor) = Descriptor::parse(&bytes) {
                prop_assert!(descriptor.reports.len() <= bytes.len());
            }
        }
    }
}
