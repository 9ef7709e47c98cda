//! `hapticd check`: everything that is wrong with a configuration, at once, without opening a device.

use std::path::PathBuf;

use super::{Failure, say};

#[derive(clap::Args)]
pub struct Args {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Print every value and where it comes from.
    #[arg(long)]
    effective: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Checks syntax, ranges, files, meshes, profiles and limits.
pub fn check(args: &Args) -> Result<(), Failure> {
    let loaded = super::run::load(&args.config)?;
    // The same code that `run` uses, up to the point where a device would be opened.
    let built = super::run::rig(&loaded, false)?;
    if args.effective && args.json {
        let json =
            serde_json::to_string_pretty(&loaded.effective_json()).map_err(Failure::runtime)?;
        say(&json);
    } else if args.effective {
        say(&loaded.effective_toml());
    } else if args.json {
        say("{\"valid\": true}");
    } else {
        let bodies = built.collider.infos();
        say(&format!(
            "{}: good, {} arms, {} bodies, {} triangles",
            args.config.display(),
            built.arms.len(),
            bodies.len(),
            bodies.iter().map(|b| b.triangles).sum::<usize>()
        ));
    }
    Ok(())
}
