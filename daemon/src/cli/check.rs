//! `hapticd check`: reports all faults of a configuration at once, without opening a device.

mod inside;
#[cfg(test)]
mod numbers;
mod pace;
mod sheet;
#[cfg(test)]
mod tests;
pub mod warnings;

use std::path::PathBuf;

use hapticd_config as config;
use hapticd_geometry::MeshReport;

use self::sheet::Sheet;
use self::warnings::warnings;
use super::{Failure, print_line};

#[derive(clap::Args)]
pub struct Args {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Print every value and where it comes from.
    #[arg(long)]
    effective: bool,
    /// Print JSON, errors included.
    #[arg(long)]
    json: bool,
    /// Warnings are errors.
    #[arg(long)]
    strict: bool,
}

/// Checks syntax, ranges, files, meshes, profiles and limits. Warns of valid values that are hardly
/// intended.
pub fn check(args: &Args) -> Result<(), Failure> {
    let loaded = config::load(&args.config).map_err(|error| match error {
        config::LoadError::Invalid(errors) => bad(args, &super::run::with_files(*errors, false)),
        config::LoadError::Unreadable { .. } => unreadable(args, &error),
    })?;
    // The same code as in `run`, up to the point where a device would be opened.
    let built = super::run::built(&loaded, false).map_err(|errors| bad(args, &errors))?;
    let mut built = built.ok_or_else(super::run::unbuildable)?;
    let mut warnings = warnings(&built, &loaded.config);
    warnings.extend(inside::warnings(&built));
    // Last, because the deformable bodies have moved after this.
    warnings.extend(pace::warning(&mut built, &loaded.config));
    if args.effective && args.json {
        let json =
            serde_json::to_string_pretty(&loaded.effective_json()).map_err(Failure::runtime)?;
        print_line(&json);
    } else if args.effective {
        print_line(&loaded.effective_toml());
    } else if args.json {
        let meshes: Vec<_> = built
            .meshes
            .iter()
            .map(|(of, r)| mesh_json(of, r))
            .collect();
        let all = serde_json::json!({
            "valid": true,
            "rig": Sheet::new(&built, &loaded.config),
            "meshes": meshes,
            "warnings": warnings,
        });
        print_line(&all.to_string());
    } else {
        print_line(&format!("{}: ok", args.config.display()));
        print_line(&Sheet::new(&built, &loaded.config).to_string());
        for (of, report) in &built.meshes {
            print_line(&format!("  {of}: {}", mesh_line(report)));
        }
        for warning in &warnings {
            print_line(&format!("  warning: {warning}"));
        }
    }
    if args.strict && !warnings.is_empty() {
        let count = warnings.len();
        return Err(Failure::Input(format!("{count} warnings (--strict)")));
    }
    Ok(())
}

/// Returns the failure, and prints it as JSON if requested.
fn bad(args: &Args, errors: &config::ConfigErrors) -> Failure {
    if args.json {
        let all = serde_json::json!({ "valid": false, "errors": errors.to_json() });
        print_line(&all.to_string());
    }
    Failure::input(errors)
}

/// A file that cannot be read has no lines.
fn unreadable(args: &Args, error: &config::LoadError) -> Failure {
    if args.json {
        let of = serde_json::json!({
            "file": args.config.display().to_string(),
            "line": null,
            "column": null,
            "key": null,
            "message": error.to_string(),
            "help": null,
        });
        print_line(&serde_json::json!({ "valid": false, "errors": [of] }).to_string());
    }
    Failure::input(error)
}

/// Returns the mesh properties that a technician checks before trusting a mesh.
fn mesh_line(report: &MeshReport) -> String {
    let mut line = format!("{} triangles, ", report.triangles);
    line += &if report.oriented {
        format!("closed, outward, {:.3e} m3", report.signed_volume_m3)
    } else if report.closed {
        format!("closed, not outward: {}", report.defects())
    } else {
        format!("open: {}", report.defects())
    };
    if report.components > 1 {
        line += &format!(", {} pieces", report.components);
    }
    if report.degenerate_triangles > 0 {
        line += &format!(", {} degenerate left out", report.degenerate_triangles);
    }
    line
}

fn mesh_json(of: &str, report: &MeshReport) -> serde_json::Value {
    serde_json::json!({
        "of": of,
        "vertices": report.vertices,
        "triangles": report.triangles,
        "closed": report.closed,
        "outward": report.oriented,
        "boundary_edges": report.boundary_edges,
        "non_manifold_edges": report.non_manifold_edges,
        "misoriented_edges": report.misoriented_edges,
        "degenerate_triangles": report.degenerate_triangles,
        "pieces": report.components,
        "volume_m3": report.signed_volume_m3,
    })
}
