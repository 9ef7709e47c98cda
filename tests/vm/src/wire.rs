//! The generic 3-DOF arm's reports, seen from the device: it *writes* input reports and *reads*
//! output reports.
//!
//! Pure and deterministic. Units: metres, newtons, degrees Celsius; on the wire little-endian
//! integers of 1 um, 1 mN and 0.1 C. Ids and lengths are those of
//! `hapticd_devices::profile::generic`; the encoding is implemented again here, so that something
//! independent checks the host's codec.

use hapticd_devices::profile::generic::{
    INPUT_REPORT_BYTES, INPUT_REPORT_ID, OUTPUT_REPORT_BYTES, OUTPUT_REPORT_ID,
};

/// An input report that no profile of the generic arm knows.
pub const UNKNOWN_REPORT_ID: u8 = 0x07;

/// Direction of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the arm to the host.
    Input,
    /// From the host to the arm.
    Output,
}

/// Returns the descriptor of a generic arm (vendor page 0xFF00, usage 1) with these reports:
/// direction, id, and length without the id.
///
/// The kernel drops an input report that is shorter than its declaration and passes a longer one on
/// unchanged. So an arm that declares less than it sends can send the host reports of any length,
/// as a newer or broken firmware does.
pub fn descriptor(reports: &[(Direction, u8, u8)]) -> Vec<u8> {
    let mut bytes = vec![
        0x06, 0x00, 0xFF, // Usage Page (Vendor 0xFF00)
        0x09, 0x01, // Usage (1: arm)
        0xA1, 0x01, // Collection (Application)
        0x15, 0x00, //   Logical Minimum (0)
        0x26, 0xFF, 0x00, //   Logical Maximum (255)
        0x75, 0x08, //   Report Size (8)
    ];
    for &(direction, id, length) in reports {
        let item = match direction {
            Direction::Input => 0x81,
            Direction::Output => 0x91,
        };
        // Report ID, Report Count, Usage, Input or Output (Data, Variable, Absolute)
        bytes.extend([0x85, id, 0x95, length, 0x09, 0x10, item, 0x02]);
    }
    bytes.push(0xC0); // End Collection
    bytes
}

/// Returns the descriptor of an arm that declares one byte in reports 1 and [`UNKNOWN_REPORT_ID`],
/// and may send anything.
pub fn understated_descriptor() -> Vec<u8> {
    descriptor(&[
        (Direction::Input, INPUT_REPORT_ID, 1),
        (Direction::Input, UNKNOWN_REPORT_ID, 1),
        (Direction::Output, OUTPUT_REPORT_ID, 8),
    ])
}

/// Sensor values of one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Sample number, wrapping.
    pub counter: u16,
    /// Position of the end effector in the arm's frame, metres.
    pub position_m: [f64; 3],
    /// Buttons, bits 0 to 3.
    pub buttons: u8,
    /// The operator's safety switch is closed, so forces are allowed.
    pub safety_switch: bool,
    /// The encoders know their origin.
    pub calibrated: bool,
    /// Motor temperature, degrees Celsius.
    pub temperature_c: f64,
}

impl Sample {
    /// Encodes the input report of this sample. Values beyond the wire's range saturate.
    pub fn encode(&self) -> [u8; INPUT_REPORT_BYTES] {
        let mut report = [0; INPUT_REPORT_BYTES];
        report[0] = INPUT_REPORT_ID;
        report[1..3].copy_from_slice(&self.counter.to_le_bytes());
        for (axis, at) in [3, 7, 11].into_iter().enumerate() {
            let micrometres = (self.position_m[axis] * 1e6).round() as i32;
            report[at..at + 4].copy_from_slice(&micrometres.to_le_bytes());
        }
        report[15] = (self.buttons & 0x0F)
            | u8::from(self.safety_switch) << 6
            | u8::from(self.calibrated) << 7;
        let decidegrees = (self.temperature_c * 10.0).round() as i16;
        report[16..18].copy_from_slice(&decidegrees.to_le_bytes());
        report
    }
}

/// A force that the host commanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force {
    /// Force on the end effector in the arm's frame, newtons.
    pub newtons: [f64; 3],
    /// The host's sequence number, wrapping.
    pub sequence: u16,
}

impl Force {
    /// Decodes an output report; `None` if the bytes are not exactly one.
    pub fn decode(report: &[u8]) -> Option<Force> {
        let report: &[u8; OUTPUT_REPORT_BYTES] = report.try_into().ok()?;
        if report[0] != OUTPUT_REPORT_ID {
            return None;
        }
        let axis = |at: usize| f64::from(i16::from_le_bytes([report[at], report[at + 1]])) * 1e-3;
        Some(Force {
            newtons: [axis(1), axis(3), axis(5)],
            sequence: u16::from_le_bytes([report[7], report[8]]),
        })
    }

    /// Encodes the output report of this force, as a host would send it. Values beyond the wire's
    /// range saturate.
    pub fn encode(&self) -> [u8; OUTPUT_REPORT_BYTES] {
        let mut report = [0; OUTPUT_REPORT_BYTES];
        report[0] = OUTPUT_REPORT_ID;
        for (axis, at) in [1, 3, 5].into_iter().enumerate() {
            let millinewtons = (self.newtons[axis] * 1e3).round() as i16;
            report[at..at + 2].copy_from_slice(&millinewtons.to_le_bytes());
        }
        report[7..9].copy_from_slice(&self.sequence.to_le_bytes());
        report
    }

    /// Returns the Euclidean norm, N.
    pub fn norm_n(&self) -> f64 {
        self.newtons.iter().map(|f| f * f).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_report_is_laid_out_byte_by_byte_as_the_format_says() {
        let report = Sample {
            counter: 0x1234,
            position_m: [1e-6, -1e-6, 0.1],
            buttons: 0b0101,
            safety_switch: true,
            calibrated: true,
            temperature_c: 25.6,
        }
        .encode();
        let expected = [
            0x01, 0x34, 0x12, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xA0, 0x86, 0x01, 0x00, 0xC5,
            0x00, 0x01, 0, 0,
        ];
        assert_eq!(report, expected);
    }

    #[test]
    fn a_force_survives_the_wire_and_a_wrong_length_or_id_does_not() {
        let force = Force {
            newtons: [1.5, -2.25, 32.767],
            sequence: 0xBEEF,
        };
        let report = force.encode();
        assert_eq!(report, [2, 0xDC, 0x05, 0x36, 0xF7, 0xFF, 0x7F, 0xEF, 0xBE]);
        let back = Force::decode(&report).expect("a whole report");
        for axis in 0..3 {
            assert!((back.newtons[axis] - force.newtons[axis]).abs() < 1e-12);
        }
        assert_eq!(back.sequence, force.sequence);
        assert_eq!(Force::decode(&report[..8]), None);
        assert_eq!(Force::decode(&[report.as_slice(), &[0]].concat()), None);
        assert_eq!(Force::decode(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), None);
    }
}
