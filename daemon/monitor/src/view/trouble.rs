//! Troubles that must be visible on a terminal of any size: arms without force for a reason, and
//! rights that were refused.
//!
//! Pure. There are at most two lines, below the header; on a terminal with too few rows they
//! replace it.

use hapticd_devices::safety::{ForceOffReason, GovernorState};
use hapticd_sys::realtime::Outcome;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use crate::scribe::Live;

/// Returns the lines, the most urgent first; empty if nothing is wrong.
pub fn lines(live: &Live) -> Vec<Line<'static>> {
    let mut all = Vec::new();
    let arms: Vec<String> = live
        .arms
        .iter()
        .zip(&live.record.arms)
        .filter(|(_, tick)| {
            tick.state == GovernorState::Fault as u8 || tick.state == GovernorState::Fading as u8
        })
        .map(|(arm, tick)| {
            let why = ForceOffReason::from_code(tick.reason);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("{} FORCE OFF{why}", arm.name)
        })
        .collect();
    if !arms.is_empty() {
        let style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        all.push(Line::styled(arms.join(", "), style));
    }
    let refused: Vec<&str> = (live.realtime.iter())
        .filter(|step| matches!(step.outcome, Outcome::Refused { .. }))
        .map(|step| step.what)
        .collect();
    if !refused.is_empty() {
        let words = format!("refused {}", refused.join(", "));
        all.push(Line::styled(words, Style::new().fg(Color::Red)));
    }
    all
}

/// Draws the lines at the top of a non-empty area. Returns the rest of the area.
pub fn draw(frame: &mut Frame, area: Rect, mut lines: Vec<Line<'static>>) -> Rect {
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    if rows > area.height
        && let Some(last) = lines.pop()
        && let Some(first) = lines.first_mut()
    {
        // Both lines share one row.
        first.push_span(" ");
        for span in last.spans {
            first.push_span(span.patch_style(last.style));
        }
    }
    let mut rest = area;
    for line in lines {
        if rest.is_empty() {
            break;
        }
        frame.render_widget(line, Rect { height: 1, ..rest });
        rest = Rect {
            y: rest.y + 1,
            height: rest.height - 1,
            ..rest
        };
    }
    rest
}
