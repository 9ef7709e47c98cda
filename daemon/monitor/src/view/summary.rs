//! The closing summary of a run, for people: what was rendered, whether it was right, and whether
//! it was in time.
//!
//! The numbers are those of the JSON report, which is for programs.

use std::fmt;

use super::text;
use crate::stats::{ArmReport, MAX_FORCE_OFFS, Percentiles, Report};

fn row(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    p: &Percentiles,
    unit: &str,
    decimals: usize,
) -> fmt::Result {
    writeln!(
        f,
        "  {name:<13} p50 {:>9.decimals$}  p99 {:>9.decimals$}  p99.9 {:>9.decimals$}  max {:>9.decimals$}{unit}",
        p.p50, p.p99, p.p999, p.max
    )
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.ticks as f64 / self.rate_hz;
        writeln!(
            f,
            "{}: {} at {:.0} Hz ({seconds:.1} s of {} time)",
            self.program,
            text::of(self.ticks, "tick"),
            self.rate_hz,
            self.time
        )?;
        let m = &self.missed;
        writeln!(f, "loop")?;
        writeln!(
            f,
            "  missed        {} (loop {}, device {}); late ticks by cause: device {}, collision {}",
            text::of(m.total, "period"),
            text::count(m.by_loop),
            text::count(m.by_device),
            text::count(m.stale_device_ticks),
            text::count(m.collision_ticks)
        )?;
        row(f, "compute", &self.compute_us, " us", 1)?;
        if self.time == "real" {
            row(f, "lateness", &self.lateness_us, " us", 1)?;
        }
        if self.lost_records > 0 {
            writeln!(
                f,
                "  not counted   {} (records were lost)",
                text::of(self.lost_records, "tick")
            )?;
        }
        for a in &self.arms {
            arm(f, a)?;
        }
        let refused: Vec<&str> = self
            .realtime
            .iter()
            .filter_map(|l| l.split_once(": refused: ").map(|(what, _)| what))
            .collect();
        if !self.realtime.is_empty() {
            write!(
                f,
                "real-time set-up: {} of {} granted",
                self.realtime.len() - refused.len(),
                self.realtime.len()
            )?;
            if !refused.is_empty() {
                write!(f, "; refused (the log says why): {}", refused.join(", "))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Returns how many ticks the checker did not check, and why; empty if it checked all.
fn not_checked(a: &ArmReport) -> String {
    if a.unchecked_ticks == 0 {
        return String::new();
    }
    let why = a.unchecked_why;
    let causes = [
        (why.busy, "no time"),
        (why.unknown_place, "pose unknown"),
        (why.unknown_shape, "shape unknown"),
    ];
    let causes: Vec<String> = (causes.iter().filter(|(ticks, _)| *ticks > 0))
        .map(|(ticks, why)| format!("{}: {why}", text::count(*ticks)))
        .collect();
    let ticks = text::count(a.unchecked_ticks);
    format!(", {ticks} not checked ({})", causes.join(", "))
}

fn arm(f: &mut fmt::Formatter<'_>, a: &ArmReport) -> fmt::Result {
    writeln!(f, "arm {}", a.name)?;
    write!(f, "  max force     {:.3} N", a.max_force_n)?;
    // The torque counts only if it would not round to all zeros.
    if a.max_torque_nm >= 0.5e-4 {
        write!(f, ", max torque {:.4} N m", a.max_torque_nm)?;
    }
    writeln!(f)?;
    writeln!(
        f,
        "  contact       {}, at most {} at once",
        text::of(a.contact_ticks, "tick"),
        text::of(u64::from(a.max_contacts), "contact")
    )?;
    if a.checked_ticks == 0 {
        writeln!(f, "  penetration   not checked")?;
    } else {
        let passed_over = not_checked(a);
        writeln!(
            f,
            "  penetration   max {} m, {}; {} checked{passed_over}",
            a.max_penetration_m,
            text::of(a.crossings, "crossing"),
            text::of(a.checked_ticks, "tick")
        )?;
    }
    writeln!(
        f,
        "  starved       {} in which the tool was held back",
        text::of(a.starved_ticks, "tick")
    )?;
    row(f, "snapshot age", &a.snapshot_age_ticks, " ticks", 0)?;
    if let Some(n) = &a.needle {
        writeln!(
            f,
            "  needle        {}, {:.1} mm deep at most, {} pierced, bone in {}",
            text::of(n.insertions, "insertion"),
            n.max_depth_m * 1e3,
            text::of(u64::from(n.pierced), "surface"),
            text::of(n.bone_ticks, "tick")
        )?;
        writeln!(
            f,
            "  axial force   {:.3} N going in, {:.3} N coming out",
            n.max_push_n, n.max_pull_n
        )?;
    }
    if a.tracked.max > 0.0 {
        row(f, "soft age", &a.deformable_age_ticks, " ticks", 0)?;
        row(f, "soft points", &a.tracked, " tracked", 0)?;
    }
    row(f, "feature pairs", &a.pairs, " a tick", 0)?;
    if !a.force_off.is_empty() {
        let mut times: Vec<(&str, usize)> = Vec::new();
        for reason in &a.force_off {
            match times.iter_mut().find(|(r, _)| r == reason) {
                Some((_, n)) => *n += 1,
                None => times.push((reason, 1)),
            }
        }
        let list: Vec<String> = times
            .iter()
            .map(|(reason, n)| {
                if *n == 1 {
                    (*reason).to_owned()
                } else {
                    format!("{reason} {n} times")
                }
            })
            .collect();
        let more = if a.force_off.len() >= MAX_FORCE_OFFS {
            "; more were not kept"
        } else {
            ""
        };
        writeln!(f, "  force was off {}{more}", list.join("; "))?;
    }
    Ok(())
}
