//! `hapticd check`: everything that is wrong with a configuration, at once, without opening a device.

use std::path::PathBuf;

use hapticd_geometry::MeshReport;

use super::{Failure, say};
use crate::scene;

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
    let warnings = super::check_inside::warnings(&built);
    if args.effective && args.json {
        let json =
            serde_json::to_string_pretty(&loaded.effective_json()).map_err(Failure::runtime)?;
        say(&json);
    } else if args.effective {
        say(&loaded.effective_toml());
    } else if args.json {
        let meshes: Vec<_> = built
            .meshes
            .iter()
            .map(|(of, r)| mesh_json(of, r))
            .collect();
        say(
            &serde_json::json!({ "valid": true, "meshes": meshes, "warnings": warnings })
                .to_string(),
        );
    } else {
        let bodies = built.collider.infos();
        say(&format!(
            "{}: good, {} arms, {} bodies, {} triangles",
            args.config.display(),
            built.arms.len(),
            bodies.len(),
            bodies.iter().map(|b| b.triangles).sum::<usize>()
        ));
        for (of, report) in &built.meshes {
            say(&format!("  {of}: {}", mesh_line(report)));
        }
        for warning in &warnings {
            say(&format!("  warning: {warning}"));
        }
    }
    Ok(())
}

/// What a technician wants to know of a mesh before trusting it.
fn mesh_line(report: &MeshReport) -> String {
    let mut line = format!("{} triangles, ", report.triangles);
    line += &if report.oriented {
        format!("closed, outward, {:.3e} m3", report.signed_volume_m3)
    } else if report.closed {
        format!("closed, not outward: {}", scene::describe(report))
    } else {
        format!("open: {}", scene::describe(report))
    };
    if report.components > 1 {
        line += &format!(", {} pieces", report.components);
    }
    if report.degenerate_triangles > 0 {
        line += &format!(", degenerate and left out: {}", report.degenerate_triangles);
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
