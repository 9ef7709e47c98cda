//! Prints a line a second about the skins of a running daemon: `cargo run -p hapticd-client
//! --example skins`.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use hapticd_client::{Client, SkinFrame};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut client = Client::connect("skins")?;
    let mut skins = Vec::new();
    for body in client.bodies()? {
        if body.kind.has_skin() {
            skins.push((body.name.to_string(), client.skin(body.body)?));
        }
    }
    let mut frame = SkinFrame::default();
    for _ in 0..10 {
        for (name, skin) in &mut skins {
            if skin.read(&mut frame).is_ok() {
                let m = frame.header;
                println!(
                    "{name}: frame {}, {} triangles, cubes {:.2} mm ({} rungs coarser), flags {}, {} faults, made in {:.2} ms, {:.1} ms old when published, {} primitives, felt {:.3} mm off, {} states skipped",
                    m.frame,
                    m.counts.triangles,
                    m.cell_m * 1e3,
                    m.coarser,
                    m.flags,
                    m.faults,
                    m.compute_ns as f64 * 1e-6,
                    m.published_ns.saturating_sub(m.time_ns) as f64 * 1e-6,
                    m.primitives,
                    m.deviation_m * 1e3,
                    m.skipped,
                );
            }
        }
        std::thread::sleep(Duration::from_millis(700));
        client.renew_leases(1000)?;
    }
    Ok(())
}
