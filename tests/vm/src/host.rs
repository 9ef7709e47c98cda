//! The host's side of the test machine, with hidapi alone: proves that the virtual arms are real
//! hidraw devices before `hapticd` is tested.

use std::time::{Duration, Instant};

use hapticd_devices::profile::generic;
use hidapi::{DeviceInfo, HidApi, HidDevice};

/// Waits until `probe` returns a value, polling every few milliseconds.
///
/// # Errors
/// When `limit` has passed: a guard against waiting for ever, chosen far above what a slow machine
/// needs.
pub fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut probe: impl FnMut() -> Option<T>,
) -> Result<T, String> {
    let start = Instant::now();
    loop {
        if let Some(found) = probe() {
            return Ok(found);
        }
        if start.elapsed() > limit {
            return Err(format!("waited {} s in vain: {what}", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the generic arms that hidapi lists now, by path.
///
/// # Errors
/// The error of hidapi, as text.
pub fn list() -> Result<Vec<DeviceInfo>, String> {
    let api = HidApi::new().map_err(|error| error.to_string())?;
    let mut found: Vec<DeviceInfo> = api
        .device_list()
        .filter(|device| {
            device.vendor_id() == generic::VENDOR_ID && device.product_id() == generic::PRODUCT_ID
        })
        .cloned()
        .collect();
    found.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(found)
}

/// Waits for an arm with this serial number and opens it.
///
/// # Errors
/// If it does not appear within 30 s or cannot be opened.
pub fn open(serial: &str) -> Result<(DeviceInfo, HidDevice), String> {
    let info = wait_for(
        &format!("an arm with serial `{serial}`"),
        Duration::from_secs(30),
        || {
            list()
                .ok()?
                .into_iter()
                .find(|device| device.serial_number() == Some(serial))
        },
    )?;
    let api = HidApi::new().map_err(|error| error.to_string())?;
    let device = api
        .open_path(info.path())
        .map_err(|error| error.to_string())?;
    Ok((info, device))
}
