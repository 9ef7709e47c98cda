//! A real USB device made of `dummy_hcd` and the configfs HID function (kernel
//! `Documentation/usb/gadget_hid.rst`).
//!
//! Slot `n` is the USB device controller `dummy_udc.n`; its far end is a root port of the same
//! kernel's host side. Plugging binds the gadget to the controller, unplugging unbinds it, which
//! the host sees as a cable pulled out. While no process reads `/dev/hidgN`, the OUT endpoint is
//! not refilled and the host's writes run into their time limit: a hung firmware.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_devices::profile::generic;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::port::{Identity, Port, Received, Sent};

const GADGETS: &str = "/sys/kernel/config/usb_gadget";

/// One gadget on one dummy controller.
pub struct GadgetPort {
    directory: PathBuf,
    controller: String,
    slot: u32,
    /// The device side of the HID function, while plugged in.
    endpoint: Mutex<Option<Arc<File>>>,
}

impl GadgetPort {
    /// Prepares slot `slot`; nothing is visible to the host before [`Port::plug`].
    ///
    /// # Errors
    /// The kernel's error: configfs is not mounted, a module is missing, or permission is denied.
    pub fn new(slot: u32) -> io::Result<GadgetPort> {
        let directory = Path::new(GADGETS).join(format!("arm{slot}"));
        if !directory.exists() {
            fs::create_dir(&directory)?;
        }
        for part in ["strings/0x409", "configs/c.1", &function(slot)] {
            let part = directory.join(part);
            if !part.exists() {
                fs::create_dir(part)?;
            }
        }
        Ok(GadgetPort {
            directory,
            controller: format!("dummy_udc.{slot}"),
            slot,
            endpoint: Mutex::new(None),
        })
    }

    fn set(&self, file: &str, value: impl AsRef<[u8]>) -> io::Result<()> {
        let path = self.directory.join(file);
        OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|mut file| file.write_all(value.as_ref()))
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }

    fn endpoint(&self) -> Option<Arc<File>> {
        self.endpoint
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .clone()
    }
}

fn function(slot: u32) -> String {
    format!("functions/hid.usb{slot}")
}

impl Port for GadgetPort {
    fn plug(&self, identity: &Identity) -> io::Result<()> {
        let mut endpoint = self.endpoint.lock().unwrap_or_else(|e| e.into_inner());
        let function = function(self.slot);
        let link = self.directory.join("configs/c.1/hid");
        if link.is_symlink() {
            fs::remove_file(&link)?;
        }
        self.set("idVendor", format!("{:#06x}", identity.vendor))?;
        self.set("idProduct", format!("{:#06x}", identity.product))?;
        self.set("strings/0x409/serialnumber", &identity.serial)?;
        self.set("strings/0x409/manufacturer", "hapticd rig")?;
        self.set("strings/0x409/product", &identity.name)?;
        self.set(&format!("{function}/protocol"), "0")?;
        self.set(&format!("{function}/subclass"), "0")?;
        self.set(
            &format!("{function}/report_length"),
            generic::INPUT_REPORT_BYTES.to_string(),
        )?;
        self.set(&format!("{function}/report_desc"), &identity.descriptor)?;
        std::os::unix::fs::symlink(self.directory.join(&function), &link)?;
        self.set("UDC", &self.controller)?;

        let device = fs::read_to_string(self.directory.join(&function).join("dev"))?;
        let minor = device.trim().split(':').nth(1).unwrap_or_default();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
            .open(format!("/dev/hidg{minor}"))?;
        *endpoint = Some(Arc::new(file));
        Ok(())
    }

    fn unplug(&self) -> io::Result<()> {
        let taken = self
            .endpoint
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .take();
        if taken.is_some() {
            self.set("UDC", "\n")?;
        }
        Ok(())
    }

    fn send(&self, report: &[u8]) -> io::Result<Sent> {
        let Some(endpoint) = self.endpoint() else {
            return Ok(Sent::Unplugged);
        };
        match (&*endpoint).write(report) {
            Ok(_) => Ok(Sent::Taken),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Sent::Busy),
            // Not (or no longer) configured by the host: ESHUTDOWN, ENODEV.
            Err(error) if [108, 19].contains(&error.raw_os_error().unwrap_or(0)) => {
                Ok(Sent::Unplugged)
            }
            Err(error) => Err(error),
        }
    }

    fn receive(&self, buffer: &mut [u8], limit: Duration) -> io::Result<Received> {
        let Some(endpoint) = self.endpoint() else {
            std::thread::sleep(limit);
            return Ok(Received::Nothing);
        };
        let mut ready = [PollFd::new(&*endpoint, PollFlags::IN)];
        let limit = Timespec::try_from(limit).map_err(|_| io::ErrorKind::InvalidInput)?;
        if poll(&mut ready, Some(&limit))? == 0 || !ready[0].revents().contains(PollFlags::IN) {
            return Ok(Received::Nothing);
        }
        match (&*endpoint).read(buffer) {
            Ok(length) => Ok(Received::Output(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Received::Nothing),
            Err(error) if [108, 19].contains(&error.raw_os_error().unwrap_or(0)) => {
                Ok(Received::Nothing)
            }
            Err(error) => Err(error),
        }
    }
}
