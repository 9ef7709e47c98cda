//! The plain view: a line now and then, for logs and pipes. The columns are fixed, for `awk` and
//! for people.

use hapticd_devices::safety::{ForceOffReason, GovernorState};
use hapticd_proxy::Phase;

use super::text;
use crate::scribe::Live;

/// Returns one line: time, then every arm, then the loop.
///
/// ```text
///     3.0 s  right: tool   +12.34    -5.67   +40.00 mm  force  0.614 N  contacts 1  answer   3 ticks | missed 0  compute p99 45.2 us
/// ```
pub fn line(live: &Live) -> String {
    let mut out = format!("{:>8.1} s", live.elapsed_s());
    let bodies = live.inside.iter().zip(&live.holds);
    for ((arm, tick), (inside, holds)) in live.arms.iter().zip(&live.record.arms).zip(bodies) {
        out += &format!("  {}:", arm.name);
        if tick.attached && tick.sample.sequence > 0 {
            let age = match tick.snapshot_age {
                u32::MAX => "-".to_owned(),
                n => n.to_string(),
            };
            out += &format!(
                " tool{} mm  force {:>6.3} N  contacts {:>2}  answer {age:>3} ticks",
                text::millimetres(&tick.world_from_proxy.translation.vector),
                tick.sent.force_n.norm(),
                tick.contacts,
            );
            if tick.insertion.phase == Phase::Inserted {
                out += &format!("  needle {:>6.2} mm in", tick.insertion.depth_m * 1e3);
            }
            if let Some(body) = holds {
                out += &format!("  holds `{body}`");
            }
            if tick.starved {
                out += "  held back";
            }
            if tick.energy.gain < 1.0 {
                out += &format!("  gain {:.2}", tick.energy.gain);
            }
        } else {
            out += " not there";
        }
        if let Some(body) = inside {
            out += &format!("  [inside `{body}`: move out]");
        }
        match ForceOffReason::from_code(tick.reason) {
            Some(reason) if tick.state == GovernorState::Fading as u8 => {
                out += &format!("  [fading: {reason}]");
            }
            Some(reason) => out += &format!("  [force off: {reason}]"),
            None if tick.state != GovernorState::Active as u8 => {
                out += &format!("  [{}]", text::governor(tick).0);
            }
            None => {}
        }
    }
    if let Some(report) = &live.report {
        out += &format!(
            " | missed {}  compute p99 {:.1} us",
            report.missed.total, report.compute_us.p99
        );
    }
    out
}

/// Prints the line. A reader that has gone is not an error.
pub fn print(live: &Live) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout().lock(), "{}", line(live));
}
