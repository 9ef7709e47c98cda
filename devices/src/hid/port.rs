//! Finds the port of a HID device in sysfs.
//!
//! `HID_PHYS` names the controller and the chain of ports (`usb-0000:00:14.0-2.1/input0`). If the
//! driver gives none (virtual devices), the port is the device's path in sysfs, without the number
//! that grows each time a device is plugged in. Reads two small files. On any failure the port is
//! unknown: an empty string.

use std::fs;
use std::path::Path;

/// Returns the port of `/dev/<node>` (`node` as in `hidraw3`); `sysfs` is `/sys` on a real system.
pub(super) fn port(sysfs: &Path, node: &str) -> String {
    let device = sysfs.join("class/hidraw").join(node).join("device");
    let uevent = fs::read_to_string(device.join("uevent")).unwrap_or_default();
    let physical = uevent
        .lines()
        .find_map(|line| line.strip_prefix("HID_PHYS="));
    if let Some(physical) = physical.map(str::trim)
        && !physical.is_empty()
    {
        return physical.to_owned();
    }
    let Ok(place) = fs::canonicalize(&device) else {
        return String::new();
    };
    let root = fs::canonicalize(sysfs).unwrap_or_else(|_| sysfs.to_owned());
    let place = place
        .strip_prefix(root.join("devices"))
        .unwrap_or(&place)
        .to_string_lossy();
    // "0003:1209:CAF3.0007": the last number counts the devices before it.
    match place.rsplit_once('.') {
        Some((stable, count)) if count.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            stable.to_owned()
        }
        _ => place.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    /// A part of sysfs in a temporary folder.
    struct Sysfs(PathBuf);

    impl Sysfs {
        fn new(name: &str) -> Self {
            let root =
                std::env::temp_dir().join(format!("hapticd-sysfs-{}-{name}", std::process::id()));
            fs::create_dir_all(root.join("class/hidraw")).unwrap();
            Self(root)
        }

        fn add(&self, node: &str, place: &str, uevent: &str) {
            let device = self.0.join("devices").join(place);
            fs::create_dir_all(device.join("hidraw").join(node)).unwrap();
            fs::write(device.join("uevent"), uevent).unwrap();
            symlink(&device, device.join("hidraw").join(node).join("device")).unwrap();
            symlink(
                device.join("hidraw").join(node),
                self.0.join("class/hidraw").join(node),
            )
            .unwrap();
        }
    }

    impl Drop for Sysfs {
        fn drop(&mut self) {
            // Leftovers in the system's temporary folder do no harm.
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_usb_arm_is_placed_by_its_chain_of_ports() {
        let sysfs = Sysfs::new("usb");
        let uevent = "DRIVER=hid-generic\nHID_ID=0003:00001209:0000CAF3\nHID_PHYS=usb-0000:00:14.0-2.1/input0\nHID_UNIQ=\n";
        sysfs.add(
            "hidraw3",
            "pci0000:00/usb1/1-2/1-2.1/1-2.1:1.0/0003:1209:CAF3.0007",
            uevent,
        );
        assert_eq!(port(&sysfs.0, "hidraw3"), "usb-0000:00:14.0-2.1/input0");
    }

    #[test]
    fn a_virtual_arm_is_placed_by_its_path_without_the_count() {
        let sysfs = Sysfs::new("virtual");
        sysfs.add(
            "hidraw0",
            "virtual/misc/uhid/0003:1209:CAF3.0001",
            "HID_PHYS=\n",
        );
        assert_eq!(
            port(&sysfs.0, "hidraw0"),
            "virtual/misc/uhid/0003:1209:CAF3"
        );
    }

    #[test]
    fn what_is_not_there_has_no_place() {
        assert_eq!(port(Path::new("/no/such/folder"), "hidraw0"), "");
        assert_eq!(port(&Sysfs::new("empty").0, "../../etc"), "");
    }
}
