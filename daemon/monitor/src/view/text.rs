//! Words and numbers of the view: the governor's state in words, formatted millimetres and counts,
//! bars made of characters.
//!
//! Pure. Every number in a column has a fixed width, so that nothing jumps.

use hapticd_devices::safety::{ForceOffReason, GovernorState};
use hapticd_proxy::tool_in;
use ratatui::style::Color;

use crate::scribe::Live;
use hapticd_loop::record::ArmTick;

/// Returns in words what the governor of an arm does, and the colour for it.
pub fn governor(arm: &ArmTick) -> (String, Color) {
    const DISENGAGED: u8 = GovernorState::Disengaged as u8;
    const WAITING: u8 = GovernorState::WaitingSmallForce as u8;
    const RAMPING: u8 = GovernorState::Ramping as u8;
    const ACTIVE: u8 = GovernorState::Active as u8;
    const FADING: u8 = GovernorState::Fading as u8;
    const FAULT: u8 = GovernorState::Fault as u8;
    let reason = ForceOffReason::from_code(arm.reason);
    let why = reason.map_or_else(String::new, |r| format!(": {r}"));
    match arm.state {
        FAULT => (format!("FORCE OFF{why}"), Color::Red),
        FADING => (format!("fading to zero{why}"), Color::Yellow),
        DISENGAGED => (format!("off{why}"), Color::Yellow),
        WAITING => (
            "ready, waiting for a small force to engage".to_owned(),
            Color::Yellow,
        ),
        RAMPING => ("ramping up".to_owned(), Color::Cyan),
        ACTIVE => ("active".to_owned(), Color::Green),
        other => (format!("state {other}{why}"), Color::Red),
    }
}

/// Like [`governor`], unless the tool is inside a body. The hand then feels nothing of that body,
/// whatever the governor lets pass, and only the hand can change this.
pub fn state(arm: &ArmTick, inside: Option<&str>) -> (String, Color) {
    let (words, colour) = governor(arm);
    match inside {
        Some(body) if arm.reason == 0 => (format!("inside `{body}`: move out"), Color::Yellow),
        Some(body) => (format!("{words}; inside `{body}`"), colour),
        None => (words, colour),
    }
}

/// Rounds, and turns minus zero into zero.
fn plain(v: f64, decimals: i32) -> f64 {
    let unit = 10f64.powi(decimals);
    // Minus zero plus zero is zero.
    (v * unit).round() / unit + 0.0
}

/// Formats three coordinates in millimetres from metres, in columns of nine.
pub fn millimetres(v: &hapticd_geometry::Vec3) -> String {
    v.iter()
        .map(|x| format!("{:>+9.2}", plain(x * 1e3, 2)))
        .collect()
}

/// Formats three components in columns of nine.
pub fn components(v: &hapticd_geometry::Vec3) -> String {
    v.iter()
        .map(|x| format!("{:>+9.3}", plain(*x, 3)))
        .collect()
}

/// Formats a count with a space between groups of three digits: `1 234 567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Formats a number of things: `1 contact`, `2 contacts`.
pub fn of(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Formats microseconds in a column of nine, with decimals only where they are meaningful.
pub fn microseconds(us: f64) -> String {
    if us < 1000.0 {
        format!("{us:>9.1}")
    } else {
        format!("{us:>9.0}")
    }
}

/// Formats a span of time with its unit: `850 us`, `12 ms`, `3.2 s`.
pub fn span(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} us", ns / 1000),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 * 1e-6),
        _ => format!("{:.1} s", ns as f64 * 1e-9),
    }
}

/// Draws a bar of `width` cells with the share `filled` (0 to 1), in steps of an eighth of a cell.
pub fn bar(filled: f64, width: usize) -> String {
    const PART: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let share = if filled > 0.0 { filled.min(1.0) } else { 0.0 };
    let eighths = (share * (width * 8) as f64).round() as usize;
    let (full, part) = (eighths / 8, eighths % 8);
    (0..width)
        .map(|i| match i {
            i if i < full => '█',
            i if i == full => PART[part],
            _ => ' ',
        })
        .collect()
}

/// Returns the names of the bodies whose bits are set, including other arms' tools; `body 7` if the
/// configuration has no body in that slot.
pub fn bodies(live: &Live, solid: u64) -> String {
    let name = |slot: u8| {
        let tool = tool_in(usize::from(slot)).and_then(|arm| live.arms.get(arm));
        let body = live.bodies.iter().find(|(s, _)| *s == slot);
        match (tool, body) {
            (Some(arm), _) => format!("tool of {}", arm.name),
            (None, Some((_, name))) => name.clone(),
            (None, None) => format!("body {slot}"),
        }
    };
    let names: Vec<String> = (0..64u8)
        .filter(|slot| solid >> slot & 1 == 1)
        .map(name)
        .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Formats the age of the contact answer in use.
pub fn answer(age_ticks: u32) -> String {
    match age_ticks {
        u32::MAX => "no answer yet".to_owned(),
        n => format!("answer {} old", of(u64::from(n), "tick")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Vec3;

    #[test]
    fn numbers_keep_their_columns() {
        assert_eq!(
            millimetres(&Vec3::new(0.0123456, -0.1, -1e-9)),
            "   +12.35  -100.00    +0.00"
        );
        assert_eq!(
            components(&Vec3::new(-0.0004, 1.5, -12.3456)),
            "   +0.000   +1.500  -12.346"
        );
        assert_eq!(microseconds(12.34), "     12.3");
        assert_eq!(microseconds(123_456.0), "   123456");
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (1_234_567, "1 234 567"),
        ] {
            assert_eq!(count(n), text);
        }
    }

    #[test]
    fn a_bar_is_as_wide_as_asked_and_never_overfull() {
        for share in [
            f64::NAN,
            -1.0,
            0.0,
            0.01,
            0.5,
            0.999,
            1.0,
            7.0,
            f64::INFINITY,
        ] {
            for width in 0..20 {
                assert_eq!(bar(share, width).chars().count(), width);
            }
        }
        assert_eq!(bar(0.5, 4), "██  ");
        assert_eq!(bar(1.0 / 16.0, 2), "▏ ");
        assert_eq!(bar(f64::INFINITY, 2), "██");
    }

    #[test]
    fn every_reason_is_named() {
        for reason in ForceOffReason::ALL {
            let mut arm = ArmTick::absent();
            arm.state = GovernorState::Fault as u8;
            arm.reason = reason.code();
            assert_eq!(governor(&arm).0, format!("FORCE OFF: {reason}"));
        }
    }
}
