//! The whole screen: the layout of the panels for any size of terminal.
//!
//! Pure: the same [`Live`] and [`State`] draw the same cells.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use super::{arm, text, timing, trouble};
use crate::scribe::Live;

/// State of the view apart from the run.
#[derive(Clone, Debug)]
pub struct State {
    /// Title: `demo`, or the name of the configuration.
    pub title: String,
    /// True while the display is frozen; the run continues.
    pub paused: bool,
}

/// Width from which there are two columns.
const WIDE: u16 = 104;
/// Minimum width of the right column, so that the percentiles fit.
const RIGHT: u16 = 52;
/// Rows of the event list on a screen that is high enough.
const EVENT_ROWS: u16 = 8;
const LABEL: Style = Style::new().fg(Color::DarkGray);

/// Draws the whole screen.
pub fn draw(frame: &mut Frame, live: &Live, state: &State) {
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    let lines = trouble::lines(live);
    // Troubles take precedence over the title.
    let has_header = usize::from(area.height) > lines.len();
    let (top, rest) = split(area, u16::from(has_header));
    if has_header {
        header(frame, top, live, state);
    }
    let rest = trouble::draw(frame, rest, lines);
    if rest.is_empty() {
        return;
    }
    if rest.height < 5 {
        frame.render_widget(Paragraph::new(one_line_each(live)), rest);
    } else if area.width >= WIDE {
        wide(frame, rest, live);
    } else {
        narrow(frame, rest, live);
    }
}

/// Splits `rows` rows off the top.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (
        Rect {
            height: rows,
            ..area
        },
        Rect {
            y: area.y + rows,
            height: area.height - rows,
            ..area
        },
    )
}

fn header(frame: &mut Frame, area: Rect, live: &Live, state: &State) {
    let mut left = vec![
        Span::styled(
            " hapticd ",
            Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED),
        ),
        format!(" {}", state.title).into(),
        Span::styled(format!("  {:.1} s", live.elapsed_s()), LABEL),
    ];
    if live.record.stopping {
        left.push(Span::styled("  stopping", Style::new().fg(Color::Yellow)));
    }
    if state.paused {
        left.push("  ".into());
        left.push(Span::styled(
            " PAUSED (p resumes) ",
            Style::new().fg(Color::Black).bg(Color::Yellow),
        ));
    }
    let left = Line::from(left);
    let keys = "q quit  p pause ";
    let room = usize::from(area.width).saturating_sub(left.width());
    frame.render_widget(left, area);
    if room > keys.len() + 2 {
        frame.render_widget(Line::styled(keys, LABEL).right_aligned(), area);
    }
}

/// Returns the state and the force of every arm, for a screen of a few rows.
fn one_line_each(live: &Live) -> Vec<Line<'static>> {
    live.arms
        .iter()
        .zip(&live.record.arms)
        .map(|(arm, tick)| {
            let (words, colour) = text::governor(tick);
            Line::from(vec![
                format!("{} {:.2} N ", arm.name, tick.sent.force_n.norm()).into(),
                Span::styled(words, Style::new().fg(colour)),
            ])
        })
        .collect()
}

/// Draws the arms at the left, the loop and the set-up at the right, and events below.
fn wide(frame: &mut Frame, area: Rect, live: &Live) {
    let below = if area.height >= 24 {
        EVENT_ROWS
    } else {
        area.height / 4
    };
    let (upper, lower) = split(area, area.height - below);
    let left = upper.width - (upper.width * 9 / 20).max(RIGHT);
    let left_area = Rect {
        width: left,
        ..upper
    };
    let right = Rect {
        x: upper.x + left,
        width: upper.width - left,
        ..upper
    };
    arms(frame, left_area, live);
    let setup_rows = if live.realtime.is_empty() {
        0
    } else {
        timing::setup_rows(&live.realtime, right.width)
    };
    // The set-up panel comes before the histogram, but after the loop's numbers.
    let (loop_area, setup_area) = split(
        right,
        right
            .height
            .saturating_sub(setup_rows)
            .max(timing::ROWS + 2),
    );
    timing::draw(frame, loop_area, live);
    if setup_area.height > 2 {
        timing::setup(frame, setup_area, &live.realtime);
    }
    events(frame, lower, live);
}

/// Draws one column: the arms, the loop, events and the set-up, as far as the rows go.
fn narrow(frame: &mut Frame, area: Rect, live: &Live) {
    let wanted: u16 = (0..live.arms.len()).map(|i| arm::rows(live, i) + 2).sum();
    let after = area.height.saturating_sub(wanted);
    let loop_rows = if after >= timing::ROWS + 2 {
        timing::ROWS + 2
    } else {
        after
    };
    let mut spare = after - loop_rows;
    let setup_rows = if live.realtime.is_empty() {
        0
    } else {
        timing::setup_rows(&live.realtime, area.width)
    };
    // Refusals matter more than a long list of events.
    let setup_rows = if spare >= setup_rows + 4 {
        setup_rows
    } else {
        0
    };
    spare -= setup_rows;
    let event_rows = if spare >= 3 { spare.min(EVENT_ROWS) } else { 0 };
    spare -= event_rows;
    // Spare rows make the plots taller.
    let (arms_area, rest) = split(area, wanted + spare);
    arms(frame, arms_area, live);
    let (loop_area, rest) = split(rest, loop_rows);
    if loop_area.height > 2 {
        timing::draw(frame, loop_area, live);
    }
    let (setup_area, rest) = split(rest, setup_rows);
    if setup_area.height > 2 {
        timing::setup(frame, setup_area, &live.realtime);
    }
    if rest.height > 2 {
        events(frame, rest, live);
    }
}

/// Draws the arms one below the other, in equal parts.
fn arms(frame: &mut Frame, area: Rect, live: &Live) {
    let n = u16::try_from(live.arms.len()).unwrap_or(u16::MAX);
    if n == 0 {
        let block = Block::bordered().border_style(LABEL).title(" no arm ");
        let inner = block.inner(area);
        frame.render_widget(block, area);
        frame.render_widget(Line::styled(" the configuration has none", LABEL), inner);
        return;
    }
    let mut rest = area;
    for i in 0..n {
        let (one, next) = split(rest, rest.height / (n - i));
        rest = next;
        arm::draw(frame, one, live, usize::from(i));
    }
}

/// Draws the newest events that fit, the newest last.
fn events(frame: &mut Frame, area: Rect, live: &Live) {
    let title = Span::styled(" events ", Style::new().add_modifier(Modifier::BOLD));
    let block = Block::bordered().border_style(LABEL).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let skip = live.events.len().saturating_sub(usize::from(inner.height));
    let lines: Vec<Line> = live
        .events
        .iter()
        .skip(skip)
        .map(|e| {
            let style = if e.contains("force off")
                || e.contains("force still off")
                || e.contains("stopped")
                || e.contains("no sign of life")
            {
                Style::new().fg(Color::Red)
            } else if e.contains("missed") || e.contains("gone") {
                Style::new().fg(Color::Yellow)
            } else {
                Style::new()
            };
            Line::styled(format!(" {e}"), style)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
}
