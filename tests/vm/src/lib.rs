//! Virtual haptic arms behind the kernel's own HID stack, for test machines and for trying
//! `hapticd` without hardware.
//!
//! An [`arm::Arm`] is the *device* side of a generic 3-DOF force arm: it owns a 1 kHz sample clock,
//! sends input reports along a scripted [`path::Path`], and stores every output report (force) that
//! the host sent. It reaches the host through one of two [`port::Port`]s:
//!
//! * [`uhid`] creates a HID device from its descriptor (`/dev/uhid`); it accepts any report, even
//!   an illegal one;
//! * [`gadget`] is a USB gadget on `dummy_hcd`: the whole USB stack lies between it and the host,
//!   so unplugging and a firmware that no longer drains its endpoint behave as with a cable.
//!
//! [`wire`] is the arm's report format, written from the device's side and apart from
//! `hapticd-devices`' codec, so that each checks the other. [`host`] finds and opens hidraw devices
//! for the self-check.
//!
//! Nothing here is real-time: threads, locks and allocation are used freely. Everything needs root
//! and a kernel that may be broken, so `tests/vm/run` boots one in QEMU.
#![forbid(unsafe_code)]

pub mod arm;
pub mod command;
pub mod gadget;
pub mod host;
pub mod path;
pub mod port;
pub mod uhid;
pub mod wire;
