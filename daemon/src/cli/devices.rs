//! `hapticd devices`: lists the devices on the HID bus, and which of them are arms.

use std::sync::Arc;

use hapticd_devices::hid::{HidBus, identify};
use hapticd_devices::profile::SHIPPED;
use serde_json::json;

use super::{Failure, print_line};

#[derive(clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Also list HID devices without a profile.
    #[arg(long)]
    all: bool,
}

/// Lists the devices; opens none.
pub fn devices(args: &Args) -> Result<(), Failure> {
    let mut bus = HidBus::new().map_err(Failure::runtime)?;
    let entries = bus.scan().map_err(Failure::runtime)?;
    let mut profiles = Vec::new();
    for shipped in SHIPPED {
        profiles.push((
            shipped.name,
            Arc::new(shipped.parse().map_err(Failure::runtime)?),
        ));
    }
    let parsed: Vec<_> = profiles.iter().map(|(_, p)| p.clone()).collect();
    let found = identify(&entries, &parsed);
    let name_of = |profile: &Arc<_>| {
        profiles
            .iter()
            .find(|(_, p)| Arc::ptr_eq(p, profile))
            .map_or("", |(name, _)| *name)
    };
    if args.json {
        let arms: Vec<_> = found
            .iter()
            .map(|f| {
                json!({
                    "identity": f.identity.to_string(),
                    "profile": name_of(&f.profile),
                    "path": f.entry.path,
                    "serial": f.entry.serial,
                    "port": f.entry.port,
                    "product": f.entry.product,
                    "ambiguous": f.ambiguous,
                })
            })
            .collect();
        let others: Vec<_> = entries
            .iter()
            .filter(|e| !found.iter().any(|f| f.entry.path == e.path))
            .map(|e| json!({ "path": e.path, "vendor_id": e.vendor_id, "product_id": e.product_id, "product": e.product }))
            .collect();
        let all = json!({ "arms": arms, "other_devices": others });
        print_line(&serde_json::to_string_pretty(&all).map_err(Failure::runtime)?);
        return Ok(());
    }
    if found.is_empty() {
        print_line("no arm found");
    }
    for f in &found {
        print_line(&format!(
            "{}  {}  profile {}  at {}{}",
            f.identity,
            f.entry.product,
            name_of(&f.profile),
            f.entry.path,
            if f.ambiguous {
                "  (another device has the same serial number: name it by port_path)"
            } else {
                ""
            },
        ));
    }
    if args.all {
        for e in entries
            .iter()
            .filter(|e| !found.iter().any(|f| f.entry.path == e.path))
        {
            print_line(&format!(
                "{:04x}:{:04x}  {}  no profile  at {}",
                e.vendor_id, e.product_id, e.product, e.path
            ));
        }
    }
    Ok(())
}
