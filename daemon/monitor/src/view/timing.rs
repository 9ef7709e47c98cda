//! The panels of the loop: its rate, missed periods by the party to blame, percentiles and
//! histogram of the compute time, and the outcome of the real-time set-up.
//!
//! Pure; draws into any area, however small.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};

use hapticd_sys::realtime::{Outcome, Step};

use super::text;
use crate::scribe::Live;
use crate::stats::{BUCKETS, Missed, Percentiles, bucket_floor_us};

const LABEL: Style = Style::new().fg(Color::DarkGray);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Rows of text of the loop's panel, without border and histogram.
pub const ROWS: u16 = 6;

/// Draws the loop's panel.
pub fn draw(frame: &mut Frame, area: Rect, live: &Live) {
    let block = Block::bordered()
        .border_style(LABEL)
        .title(Span::styled(" loop ", BOLD));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    if inner.is_empty() {
        return;
    }
    let Some(report) = &live.report else {
        frame.render_widget(
            Line::styled(" counting starts with the first ticks", LABEL),
            inner,
        );
        return;
    };
    let mut lines = vec![
        Line::from(vec![
            format!(" {:.0} Hz", report.rate_hz).into(),
            Span::styled(format!("  {}", text::of(report.ticks, "tick")), LABEL),
        ]),
        missed(&report.missed, report.ticks),
        parties(&report.missed),
        Line::styled(
            format!(
                " {:<9}{:>9}{:>9}{:>9}{:>9}",
                "us", "p50", "p99", "p99.9", "max"
            ),
            LABEL,
        ),
        percentiles("compute", &report.compute_us, 1e6 / report.rate_hz),
    ];
    if report.time == "real" {
        lines.push(percentiles(
            "lateness",
            &report.lateness_us,
            1e6 / report.rate_hz,
        ));
    }
    let shown = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(inner.height);
    frame.render_widget(
        Paragraph::new(lines),
        Rect {
            height: shown,
            ..inner
        },
    );
    let rest = Rect {
        y: inner.y + shown,
        height: inner.height - shown,
        ..inner
    };
    histogram(frame, rest, &live.compute_shape, 1e6 / report.rate_hz);
}

fn missed(m: &Missed, ticks: u64) -> Line<'static> {
    let colour = if m.total == 0 {
        Color::Green
    } else {
        Color::Red
    };
    let periods = (ticks + m.total).max(1) as f64;
    let share = 100.0 * (1.0 - m.total as f64 / periods);
    // Rounding must not give 100 % to a run that missed something.
    let share = if m.total > 0 {
        share.min(99.999)
    } else {
        share
    };
    Line::from(vec![
        Span::styled(
            format!(" missed {}", text::count(m.total)),
            Style::new().fg(colour),
        ),
        Span::styled(
            format!(
                " (loop {}, device {})",
                text::count(m.by_loop),
                text::count(m.by_device)
            ),
            LABEL,
        ),
        Span::styled(format!("  {share:.3} % in time"), LABEL),
    ])
}

fn parties(m: &Missed) -> Line<'static> {
    let party = |name: &str, n: u64| {
        let style = if n == 0 {
            LABEL
        } else {
            Style::new().fg(Color::Yellow)
        };
        Span::styled(format!(" {name} {}", text::count(n)), style)
    };
    Line::from(vec![
        Span::styled(" late ticks", LABEL),
        party("device", m.stale_device_ticks),
        party("collision", m.collision_ticks),
    ])
}

fn percentiles(name: &str, p: &Percentiles, period_us: f64) -> Line<'static> {
    let mut spans = vec![Span::styled(format!(" {name:<9}"), LABEL)];
    for v in [p.p50, p.p99, p.p999, p.max] {
        let style = if v > period_us {
            Style::new().fg(Color::Red)
        } else if v > 0.5 * period_us {
            Style::new().fg(Color::Yellow)
        } else {
            Style::new()
        };
        spans.push(Span::styled(text::microseconds(v), style));
    }
    Line::from(spans)
}

/// Returns the height of a bucket's bar in eighths of a row, out of `rows` rows. The scale is
/// logarithmic, so that a single late tick among a million is visible. Any count above zero shows.
fn eighths(n: u64, largest: u64, rows: u16) -> usize {
    if n == 0 {
        return 0;
    }
    let share = (n as f64 + 1.0).ln() / (largest as f64 + 1.0).ln();
    ((share * f64::from(rows) * 8.0).round() as usize).max(1)
}

/// Draws the histogram of compute times from 1 us to 10 ms, logarithmic on both axes; times beyond
/// the period are red.
fn histogram(frame: &mut Frame, area: Rect, shape: &[u64; BUCKETS], period_us: f64) {
    const PART: [char; 8] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇'];
    let wide = usize::from(area.width.saturating_sub(2)) / BUCKETS;
    if wide == 0 || area.height < 4 {
        return;
    }
    let wide = wide.min(3);
    let rows = area.height - 2;
    let largest = shape.iter().copied().max().unwrap_or(0);
    let mut lines = vec![Line::styled(
        " compute time of all ticks (both axes logarithmic)",
        LABEL,
    )];
    for row in (0..rows).rev() {
        let below = usize::from(row) * 8;
        let mut spans = vec![Span::raw(" ")];
        for (i, n) in shape.iter().enumerate() {
            let filled = eighths(*n, largest, rows).saturating_sub(below).min(8);
            let cell = if filled == 8 { '█' } else { PART[filled] };
            let colour = if bucket_floor_us(i) * 1.000_001 >= period_us {
                Color::Red
            } else {
                Color::Blue
            };
            spans.push(Span::styled(
                cell.to_string().repeat(wide),
                Style::new().fg(colour),
            ));
        }
        lines.push(Line::from(spans));
    }
    let decade = 6 * wide;
    let mut axis = String::from(" ");
    for name in ["1us", "10us", "100us", "1ms"] {
        axis += &format!("{name:<decade$}");
    }
    lines.push(Line::styled(axis, LABEL));
    frame.render_widget(Paragraph::new(lines), area);
}

/// Draws the outcome of the real-time set-up. Refused steps come first and in red, with the reason
/// and the remedy.
pub fn setup(frame: &mut Frame, area: Rect, steps: &[Step]) {
    let block = Block::bordered()
        .border_style(LABEL)
        .title(Span::styled(" real-time set-up ", BOLD));
    let inner = block.inner(area).inner(Margin::new(1, 0));
    frame.render_widget(block, area);
    let (refused, granted): (Vec<&Step>, Vec<&Step>) = steps.iter().partition(|s| !s.is_granted());
    let mut lines: Vec<Line> = refused.into_iter().map(step).collect();
    lines.extend(granted.into_iter().map(step));
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
}

fn step(step: &Step) -> Line<'_> {
    match &step.outcome {
        Outcome::Granted(detail) => Line::from(vec![
            Span::styled("ok ", Style::new().fg(Color::Green)),
            format!("{} ", step.what).into(),
            Span::styled(detail.as_str(), LABEL),
        ]),
        Outcome::Refused { reason, help } => Line::from(vec![
            Span::styled(
                format!("refused {}: {reason}", step.what),
                Style::new().fg(Color::Red),
            ),
            Span::styled(format!("; {help}"), LABEL),
        ]),
    }
}

/// Returns the rows that the set-up takes in a panel of this width, with its border.
pub fn setup_rows(steps: &[Step], width: u16) -> u16 {
    let width = usize::from(width.saturating_sub(4).max(1));
    let rows: usize = steps
        .iter()
        .map(|s| {
            let chars = step(s).width();
            // Word wrapping does not fill every row.
            let lost = if chars > width { width / 6 } else { 0 };
            (chars + lost).div_ceil(width)
        })
        .sum();
    u16::try_from(rows + 2).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tick_in_a_million_is_seen() {
        assert_eq!(eighths(0, 1_000_000, 4), 0);
        assert!(eighths(1, 1_000_000, 4) >= 1);
        assert_eq!(eighths(1_000_000, 1_000_000, 4), 32);
    }

    #[test]
    fn a_run_that_missed_something_is_never_at_100_percent() {
        let m = Missed {
            total: 1,
            ..Missed::default()
        };
        assert!(missed(&m, 10_000_000).to_string().contains("99.999 %"));
        assert!(
            missed(&Missed::default(), 10)
                .to_string()
                .contains("100.000 %")
        );
    }
}
