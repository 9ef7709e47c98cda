//! A HID device made in user space through `/dev/uhid` (kernel `Documentation/hid/uhid.rst`).
//!
//! Events are packed C structures of `include/uapi/linux/uhid.h`; they are read and written here
//! byte by byte. The kernel accepts a short write and treats the rest as zeros, so only the used
//! part of each event is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::port::{Identity, Port, Received, Sent};

const DESTROY: u32 = 1;
const OPEN: u32 = 4;
const CLOSE: u32 = 5;
const OUTPUT: u32 = 6;
const GET_REPORT: u32 = 9;
const GET_REPORT_REPLY: u32 = 10;
const CREATE2: u32 = 11;
const INPUT2: u32 = 12;
const SET_REPORT: u32 = 13;
const SET_REPORT_REPLY: u32 = 14;

/// `struct uhid_event`: a type and the largest member of its union, `uhid_create2_req`.
const EVENT_LEN: usize = 4 + 128 + 64 + 64 + 2 + 2 + 4 * 4 + DATA_MAX;
const DATA_MAX: usize = 4096;
const BUS_USB: u16 = 0x03;
const EIO: u16 = 5;

/// One `/dev/uhid` handle: at most one device at a time.
pub struct UhidPort {
    file: File,
    physical: String,
    plugged: AtomicBool,
    /// Serialises create and destroy; never held while waiting for the host.
    cable: Mutex<()>,
}

impl UhidPort {
    /// Opens `/dev/uhid`. `physical` is the port path that the device will report (`HID_PHYS`).
    ///
    /// # Errors
    /// The kernel's error: this kernel has no uhid, or permission is denied.
    pub fn open(physical: &str) -> io::Result<UhidPort> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
            .open("/dev/uhid")?;
        Ok(UhidPort {
            file,
            physical: physical.to_owned(),
            plugged: AtomicBool::new(false),
            cable: Mutex::new(()),
        })
    }

    fn write(&self, event: &[u8]) -> io::Result<()> {
        (&self.file).write(event).map(drop)
    }
}

impl Port for UhidPort {
    fn plug(&self, identity: &Identity) -> io::Result<()> {
        let _cable = self.cable.lock().unwrap_or_else(|e| e.into_inner());
        self.write(&create2(identity, &self.physical))?;
        self.plugged.store(true, Ordering::Release);
        Ok(())
    }

    fn unplug(&self) -> io::Result<()> {
        let _cable = self.cable.lock().unwrap_or_else(|e| e.into_inner());
        if self.plugged.swap(false, Ordering::AcqRel) {
            self.write(&DESTROY.to_ne_bytes())?;
        }
        Ok(())
    }

    fn send(&self, report: &[u8]) -> io::Result<Sent> {
        if !self.plugged.load(Ordering::Acquire) {
            return Ok(Sent::Unplugged);
        }
        match self.write(&input2(report)) {
            Ok(()) => Ok(Sent::Taken),
            Err(_) if !self.plugged.load(Ordering::Acquire) => Ok(Sent::Unplugged),
            Err(error) => Err(error),
        }
    }

    fn receive(&self, buffer: &mut [u8], limit: Duration) -> io::Result<Received> {
        let mut ready = [PollFd::new(&self.file, PollFlags::IN)];
        let limit = Timespec::try_from(limit).map_err(|_| io::ErrorKind::InvalidInput)?;
        if poll(&mut ready, Some(&limit))? == 0 {
            return Ok(Received::Nothing);
        }
        let mut event = [0; EVENT_LEN];
        match (&self.file).read(&mut event) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Received::Nothing);
            }
            Err(error) => return Err(error),
        }
        let word = |at: usize| {
            u32::from_ne_bytes([event[at], event[at + 1], event[at + 2], event[at + 3]])
        };
        match word(0) {
            OPEN => Ok(Received::Opened),
            CLOSE => Ok(Received::Closed),
            OUTPUT => {
                let size = usize::from(u16::from_ne_bytes([
                    event[4 + DATA_MAX],
                    event[5 + DATA_MAX],
                ]));
                let size = size.min(DATA_MAX).min(buffer.len());
                buffer[..size].copy_from_slice(&event[4..4 + size]);
                Ok(Received::Output(size))
            }
            // The arm has no feature reports: it says so at once, because silence would cost the
            // caller five seconds.
            GET_REPORT => self
                .write(&refusal(GET_REPORT_REPLY, word(4)))
                .map(|()| Received::Other),
            SET_REPORT => self
                .write(&refusal(SET_REPORT_REPLY, word(4)))
                .map(|()| Received::Other),
            _ => Ok(Received::Other),
        }
    }
}

fn create2(identity: &Identity, physical: &str) -> Vec<u8> {
    let mut event = CREATE2.to_ne_bytes().to_vec();
    let mut text = |text: &str, len: usize| {
        let start = event.len();
        event.extend(text.bytes().take(len - 1));
        event.resize(start + len, 0);
    };
    text(&identity.name, 128);
    text(physical, 64);
    text(&identity.serial, 64);
    event.extend((identity.descriptor.len() as u16).to_ne_bytes());
    event.extend(BUS_USB.to_ne_bytes());
    event.extend(u32::from(identity.vendor).to_ne_bytes());
    event.extend(u32::from(identity.product).to_ne_bytes());
    event.extend([0; 8]);
    event.extend(&identity.descriptor);
    event
}

fn input2(report: &[u8]) -> Vec<u8> {
    let report = &report[..report.len().min(DATA_MAX)];
    let mut event = INPUT2.to_ne_bytes().to_vec();
    event.extend((report.len() as u16).to_ne_bytes());
    event.extend(report);
    event
}

fn refusal(kind: u32, request: u32) -> Vec<u8> {
    let mut event = kind.to_ne_bytes().to_vec();
    event.extend(request.to_ne_bytes());
    event.extend(EIO.to_ne_bytes());
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_offsets_of_the_kernel_header() {
        let identity = Identity::generic("S1");
        let event = create2(&identity, "rig/0");
        assert_eq!(&event[4..21], b"Generic 3-DOF arm");
        assert_eq!(&event[132..138], b"rig/0\0");
        assert_eq!(&event[196..199], b"S1\0");
        assert_eq!(
            &event[260..262],
            &(identity.descriptor.len() as u16).to_ne_bytes()
        );
        assert_eq!(&event[262..264], &[3, 0]);
        assert_eq!(&event[264..268], &[0x09, 0x12, 0, 0]);
        assert_eq!(&event[268..272], &[0xF3, 0xCA, 0, 0]);
        assert_eq!(&event[280..], identity.descriptor.as_slice());
        assert_eq!(EVENT_LEN, 4376);
        assert_eq!(input2(&[7; 5000]).len(), 4 + 2 + 4096);
    }
}
