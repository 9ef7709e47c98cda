//! Reading the configuration again while running.
//!
//! On request (SIGHUP, a technician) or when the file changed. Everything is checked before anything is taken over: one error, and the old configuration
//! stays whole. Safety limits may only become stricter; what cannot change while running is named and refused.

use std::path::PathBuf;
use std::time::SystemTime;

use hapticd_config::{Loaded, load, reload::compare};
use hapticd_devices::arm::ArmSpec;

use crate::rig;
use crate::session::{Reload, Reloaded};

/// A reader of `path`; `loaded` is what the daemon started with, `specs` its arms'.
pub fn reader(path: PathBuf, mut loaded: Loaded, specs: Vec<ArmSpec>) -> Reload {
    let changed = |path: &PathBuf| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    let mut seen: Option<SystemTime> = changed(&path);
    Box::new(move |asked| {
        let now = changed(&path);
        if !asked && (now == seen || now.is_none()) {
            return Ok(None);
        }
        seen = now;
        let new = load(&path).map_err(|e| e.to_string())?;
        new.check_files().map_err(|e| e.to_string())?;
        let changes = compare(&loaded, &new).map_err(|e| e.to_string())?;
        let limits = rig::limits(&new.config.safety);
        for spec in &specs {
            limits
                .tightened_by_arm(spec)
                .validate()
                .map_err(|e| format!("limits of arm {}: {e}", spec.name))?;
        }
        let said = changes
            .iter()
            .map(|c| format!("{} = {} (was {})", c.path, c.new.short(), c.old.short()))
            .collect();
        loaded = new;
        Ok(Some(Reloaded {
            limits,
            changes: said,
        }))
    })
}
