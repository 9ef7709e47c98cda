//! The generic 3-DOF arm: an open report layout for arms without a protocol of their own, and for
//! test rigs.
//!
//! Its profile is `config/devices/generic-vendor-3dof.toml`. This module holds what a *device*
//! needs to be such an arm: the ids and the HID report descriptor (Device Class Definition for HID
//! 1.11, section 6.2.2). Constants only.
//!
//! | report | bytes (report id included) | content, little endian |
//! |---|---|---|
//! | input 0x01 | 20 | 1: `u16` counter; 3, 7, 11: `i32` x, y, z, 1e-6 m; 15: bits 0-3 buttons, 6 safety switch closed, 7 calibrated; 16: `i16` motor temperature, 0.1 °C; 18: two zero bytes |
//! | output 0x02 | 9 | 1, 3, 5: `i16` force x, y, z, 1e-3 N; 7: `u16` command sequence |

/// USB vendor id (pid.codes, the open-source registry).
pub const VENDOR_ID: u16 = 0x1209;
/// USB product id.
pub const PRODUCT_ID: u16 = 0xCAF3;
/// Vendor-defined usage page of the only top-level collection.
pub const USAGE_PAGE: u16 = 0xFF00;
/// Usage of the only top-level collection.
pub const USAGE: u16 = 0x0001;
/// Report id of the input report.
pub const INPUT_REPORT_ID: u8 = 0x01;
/// Length of the input report, its id included.
pub const INPUT_REPORT_BYTES: usize = 20;
/// Report id of the output report.
pub const OUTPUT_REPORT_ID: u8 = 0x02;
/// Length of the output report, its id included.
pub const OUTPUT_REPORT_BYTES: usize = 9;

/// The report descriptor. All usages are vendor-defined, so that no system takes the arm for a
/// joystick.
#[rustfmt::skip]
pub const GENERIC_3DOF_DESCRIPTOR: &[u8] = &[
    0x06, 0x00, 0xFF,               // Usage Page (Vendor 0xFF00)
    0x09, 0x01,                     // Usage (1: arm)
    0xA1, 0x01,                     // Collection (Application)
    0x85, 0x01,                     //   Report ID (1)
    0x09, 0x10,                     //   Usage (counter)
    0x15, 0x00,                     //   Logical Minimum (0)
    0x27, 0xFF, 0xFF, 0x00, 0x00,   //   Logical Maximum (65535)
    0x75, 0x10, 0x95, 0x01,         //   Report Size (16), Count (1)
    0x81, 0x02,                     //   Input (Data, Variable, Absolute)
    0x09, 0x11, 0x09, 0x12,         //   Usage (x), Usage (y)
    0x09, 0x13,                     //   Usage (z)
    0x17, 0x00, 0x00, 0x00, 0x80,   //   Logical Minimum (-2147483648)
    0x27, 0xFF, 0xFF, 0xFF, 0x7F,   //   Logical Maximum (2147483647)
    0x75, 0x20, 0x95, 0x03,         //   Report Size (32), Count (3)
    0x81, 0x02,                     //   Input (Data, Variable, Absolute)
    0x19, 0x18, 0x29, 0x1B,         //   Usage Minimum (first button), Maximum (fourth button)
    0x15, 0x00, 0x25, 0x01,         //   Logical Minimum (0), Maximum (1)
    0x75, 0x01, 0x95, 0x04,         //   Report Size (1), Count (4)
    0x81, 0x02,                     //   Input (Data, Variable, Absolute)
    0x95, 0x02,                     //   Report Count (2)
    0x81, 0x03,                     //   Input (Constant)
    0x09, 0x14, 0x09, 0x15,         //   Usage (safety switch closed), Usage (calibrated)
    0x81, 0x02,                     //   Input (Data, Variable, Absolute)
    0x09, 0x16,                     //   Usage (motor temperature)
    0x16, 0x00, 0x80,               //   Logical Minimum (-32768)
    0x26, 0xFF, 0x7F,               //   Logical Maximum (32767)
    0x75, 0x10, 0x95, 0x01,         //   Report Size (16), Count (1)
    0x81, 0x02,                     //   Input (Data, Variable, Absolute)
    0x75, 0x08, 0x95, 0x02,         //   Report Size (8), Count (2)
    0x81, 0x03,                     //   Input (Constant)
    0x85, 0x02,                     //   Report ID (2)
    0x09, 0x20, 0x09, 0x21,         //   Usage (force x), Usage (force y)
    0x09, 0x22,                     //   Usage (force z)
    0x16, 0x00, 0x80,               //   Logical Minimum (-32768)
    0x26, 0xFF, 0x7F,               //   Logical Maximum (32767)
    0x75, 0x10, 0x95, 0x03,         //   Report Size (16), Count (3)
    0x91, 0x02,                     //   Output (Data, Variable, Absolute)
    0x09, 0x23,                     //   Usage (command sequence)
    0x15, 0x00,                     //   Logical Minimum (0)
    0x27, 0xFF, 0xFF, 0x00, 0x00,   //   Logical Maximum (65535)
    0x95, 0x01,                     //   Report Count (1)
    0x91, 0x02,                     //   Output (Data, Variable, Absolute)
    0xC0,                           // End Collection
];
