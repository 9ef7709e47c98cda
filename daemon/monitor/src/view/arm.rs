//! The panel of one arm: device pose and proxy, force and its distance to the limit, contact and
//! the age of its data, and a plot of the force of the last seconds.
//!
//! Pure; draws into any area, however small.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Sparkline};

use hapticd_devices::safety::Energy;
use hapticd_geometry::Vec3;

use super::text;
use crate::scribe::Live;
use crate::stats::ArmReport;

/// Returns the rows of text in an arm's panel, without border and plot.
pub fn rows(live: &Live, index: usize) -> u16 {
    if live.arms.get(index).is_some_and(|a| a.has_torque) {
        11
    } else {
        10
    }
}

const LABEL: Style = Style::new().fg(Color::DarkGray);

fn label(name: &str) -> Span<'static> {
    Span::styled(format!(" {name:<9}"), LABEL)
}

/// Returns the colour of a value by its share of the limit.
fn by_share(share: f64) -> Color {
    if share < 0.5 {
        Color::Green
    } else if share < 0.8 {
        Color::Yellow
    } else {
        Color::Red
    }
}

/// Draws the panel of the arm with this index, or nothing if there is no such arm.
pub fn draw(frame: &mut Frame, area: Rect, live: &Live, index: usize) {
    let (Some(arm), Some(tick)) = (live.arms.get(index), live.record.arms.get(index)) else {
        return;
    };
    let title = Span::styled(
        format!(" arm {} ", arm.name),
        Style::new().add_modifier(Modifier::BOLD),
    );
    let block = Block::bordered().border_style(LABEL).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    if inner.is_empty() {
        return;
    }
    let inside = live.inside.get(index).and_then(Option::as_deref);
    let (mut words, colour) = text::state(tick, inside);
    if let Some(Some(body)) = live.holds.get(index) {
        words += &format!(", holds `{body}`");
    }
    let state = Line::from(vec![
        label("state"),
        Span::styled(words, Style::new().fg(colour).add_modifier(Modifier::BOLD)),
    ]);
    if !tick.attached || tick.sample.sequence == 0 {
        let waiting = if tick.attached {
            "attached, no sample yet"
        } else {
            "not found; searching"
        };
        let lines = vec![
            state,
            Line::from(vec![
                label("device"),
                Span::styled(waiting, Style::new().fg(Color::Yellow)),
            ]),
        ];
        frame.render_widget(Paragraph::new(lines), inner);
        return;
    }
    let width = usize::from(inner.width);
    let device = tick.world_from_device.translation.vector;
    let proxy = tick.world_from_proxy.translation.vector;
    let force = tick.sent.force_n;
    let mut lines = vec![
        state,
        Line::from(vec![
            label("device"),
            text::millimetres(&device).into(),
            Span::styled(" mm", LABEL),
            Span::styled(format!("  {} ago", text::span(tick.input_age_ns)), LABEL),
        ]),
        Line::from(vec![
            label("proxy"),
            text::millimetres(&proxy).into(),
            Span::styled(" mm", LABEL),
            Span::styled(
                format!("  {:.2} apart", (proxy - device).norm() * 1e3),
                LABEL,
            ),
        ]),
        force_line(&force, tick.wanted.force_n.norm()),
    ];
    if arm.has_torque {
        let torque = text::components(&tick.sent.torque_nm);
        lines.push(Line::from(vec![
            label("torque"),
            torque.into(),
            Span::styled(" N m", LABEL),
        ]));
    }
    lines.push(magnitude(width, force.norm(), arm.limits.peak_force_n));
    lines.push(Line::from(vec![
        label("coupling"),
        format!("{:.0} N/m", tick.gains.stiffness_n_per_m).into(),
        Span::styled(
            format!("  {:.2} N s/m  (max)", tick.gains.damping_n_s_per_m),
            LABEL,
        ),
    ]));
    lines.push(energy(&tick.energy));
    lines.push(contact(live, index));
    lines.push(Line::from(vec![
        label("solid"),
        text::bodies(live, tick.solid).into(),
    ]));
    lines.push(proof(live, index));
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
    plot(frame, rest, live, index);
}

/// Returns the line with the sent force, and with the wanted force where the governor reduced it.
fn force_line(sent: &Vec3, wanted_n: f64) -> Line<'static> {
    let mut spans = vec![
        label("force"),
        text::components(sent).into(),
        Span::styled(" N", LABEL),
    ];
    if wanted_n - sent.norm() > 0.1 * wanted_n.max(0.1) {
        let wanted = format!("   of {wanted_n:.2} wanted");
        spans.push(Span::styled(wanted, Style::new().fg(Color::Yellow)));
    }
    Line::from(spans)
}

/// Returns the line with the magnitude: `|force|  0.614 N [████      ] of 8.0`.
fn magnitude(width: usize, force_n: f64, limit_n: f64) -> Line<'static> {
    let number = format!("{force_n:>9.3} N ");
    let of = if limit_n.is_finite() {
        format!(" of {limit_n:.1} N")
    } else {
        String::new()
    };
    let room = width.saturating_sub(10 + number.len() + of.len() + 3);
    let mut spans = vec![label("magnitude"), number.into()];
    if limit_n.is_finite() && limit_n > 0.0 && room >= 4 {
        let share = force_n / limit_n;
        spans.push(Span::styled("▕", LABEL));
        spans.push(Span::styled(
            text::bar(share, room),
            Style::new().fg(by_share(share)),
        ));
        spans.push(Span::styled("▏", LABEL));
    }
    spans.push(Span::styled(of, LABEL));
    Line::from(spans)
}

/// Returns the line with the energy that the spring gave the hand and stores, and the gain to which
/// the controller lowered it.
fn energy(energy: &Energy) -> Line<'static> {
    let mj = |joules: f64| format!("{:.1}", joules * 1e3);
    let mut spans = vec![
        label("energy"),
        mj(energy.given_j).into(),
        Span::styled(" mJ given  ", LABEL),
        mj(energy.stored_j).into(),
        Span::styled(" stored", LABEL),
    ];
    if energy.gain < 1.0 {
        let words = format!(
            "  {} removed, gain {:.2}",
            mj(energy.withheld_j),
            energy.gain
        );
        spans.push(Span::styled(words, Style::new().fg(Color::Yellow)));
    }
    Line::from(spans)
}

fn contact(live: &Live, index: usize) -> Line<'static> {
    let tick = &live.record.arms[index];
    let mut spans = vec![label("contact")];
    if tick.contacts == 0 {
        spans.push("free".into());
    } else {
        let text = text::of(u64::from(tick.contacts), "contact");
        spans.push(Span::styled(
            text,
            Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD),
        ));
    }
    if tick.starved {
        let held = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        spans.push(Span::styled("  HELD BACK", held));
    }
    spans.push(Span::styled(
        format!(
            "  {}  {}",
            text::answer(tick.snapshot_age),
            text::of(u64::from(tick.pairs), "pair")
        ),
        LABEL,
    ));
    Line::from(spans)
}

/// Returns the line with the result of the independent checker, and how often the tool was held
/// back.
fn proof(live: &Live, index: usize) -> Line<'static> {
    let mut spans = vec![label("checked")];
    let report: Option<&ArmReport> = live
        .report
        .as_ref()
        .and_then(|r| r.arms.iter().find(|a| a.name == live.arms[index].name));
    let Some(r) = report else {
        spans.push(Span::styled("-", LABEL));
        return Line::from(spans);
    };
    if r.checked_ticks == 0 {
        spans.push(Span::styled("no", LABEL));
    } else if r.max_penetration_m > 0.0 || r.crossings > 0 {
        let text = format!(
            "PENETRATION {:.2e} m, {} crossings",
            r.max_penetration_m, r.crossings
        );
        spans.push(Span::styled(
            text,
            Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        ));
    } else {
        spans.push(Span::styled(
            "penetration 0 m",
            Style::new().fg(Color::Green),
        ));
        spans.push(Span::styled(
            format!(" in {}", text::of(r.checked_ticks, "tick")),
            LABEL,
        ));
    }
    let held = format!("  held back in {}", text::count(r.starved_ticks));
    let colour = if r.starved_ticks == 0 {
        LABEL
    } else {
        Style::new().fg(Color::Yellow)
    };
    spans.push(Span::styled(held, colour));
    Line::from(spans)
}

/// Plots the force of the last seconds, newest at the right. Each column shows the largest force of
/// its interval.
fn plot(frame: &mut Frame, area: Rect, live: &Live, index: usize) {
    if area.height < 2 || area.width < 8 {
        return;
    }
    let arm = &live.arms[index];
    let area = Rect {
        x: area.x + 1,
        width: area.width - 2,
        ..area
    };
    let width = usize::from(area.width);
    let points = crate::scribe::PLOT_POINTS;
    let mut columns = vec![0.0f64; width];
    let absent = points - arm.force_n.len().min(points);
    for (i, force) in arm.force_n.iter().enumerate() {
        let column = ((absent + i) * width / points).min(width - 1);
        columns[column] = columns[column].max(*force);
    }
    // The scale is a whole step above the largest value, so that it changes rarely.
    let largest = columns.iter().copied().fold(0.0, f64::max);
    let top = [
        0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0, 500.0,
    ]
    .into_iter()
    .find(|t| largest <= *t)
    .unwrap_or(largest);
    let period_s = live
        .report
        .as_ref()
        .map_or(1e-3, |r| 1.0 / r.rate_hz.max(1.0));
    let seconds = points as f64 * live.plot_every as f64 * period_s;
    let scale = format!("force, last {seconds:.1} s, full height {top} N");
    frame.render_widget(Line::styled(scale, LABEL), Rect { height: 1, ..area });
    let milli: Vec<u64> = columns.iter().map(|f| (f * 1e3) as u64).collect();
    let bars = Sparkline::default()
        .data(&milli)
        .max((top * 1e3) as u64)
        .style(Style::new().fg(Color::Cyan));
    frame.render_widget(
        bars,
        Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        },
    );
}
