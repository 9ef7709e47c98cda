//! A small plot: lines of the last seconds over a rounded scale, drawn with egui.
//!
//! Each column of a pixel shows the minimum and the maximum of its samples, so that a spike of one
//! tick is visible however many samples there are.

use crate::{compose::round_up, history::SPAN_S};
use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};

/// One line.
pub struct Curve<'a> {
    /// Name for the label.
    pub name: &'a str,
    /// Its colour.
    pub color: Color32,
    /// Time, s, and value, in order of time.
    pub points: Vec<(f64, f64)>,
}

/// A plot of the last seconds up to `end_s`.
pub struct Plot<'a> {
    /// Unit of all lines.
    pub unit: &'a str,
    /// Time at the right edge, s.
    pub end_s: f64,
    /// Minimum of the upper edge, which is a round number.
    pub min_top: f64,
    /// The lines.
    pub curves: Vec<Curve<'a>>,
    /// Height, points.
    pub height: f32,
}

/// Returns the minimum and the maximum of each column, left to right. Columns without samples are
/// left out.
pub fn columns(points: &[(f64, f64)], end_s: f64, columns: usize) -> Vec<(usize, f64, f64)> {
    let mut result: Vec<(usize, f64, f64)> = Vec::new();
    for &(time_s, value) in points {
        let share = 1.0 - (end_s - time_s) / SPAN_S;
        if !(0.0..=1.0).contains(&share) || !value.is_finite() {
            continue;
        }
        let column = ((share * columns as f64) as usize).min(columns.saturating_sub(1));
        match result.last_mut() {
            Some((last, low, high)) if *last == column => {
                (*low, *high) = (low.min(value), high.max(value));
            }
            _ => result.push((column, value, value)),
        }
    }
    result
}

/// Formats a value as short as is readable.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size >= 100.0 || value == value.trunc() {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

impl Plot<'_> {
    /// Returns the value at the upper edge.
    fn top(&self) -> f64 {
        let values = self.curves.iter().flat_map(|curve| &curve.points);
        let shown = values.filter(|(time_s, value)| {
            value.is_finite() && (0.0..=SPAN_S).contains(&(self.end_s - time_s))
        });
        let highest = shown.map(|(_, value)| *value).fold(self.min_top, f64::max);
        f64::from(round_up(highest as f32))
    }

    /// Draws the plot over the whole width.
    pub fn show(&self, ui: &mut Ui) {
        let size = vec2(ui.available_width(), self.height);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let painter = ui.painter_at(rect);
        let visuals = ui.visuals();
        let weak = visuals.weak_text_color();
        let font = FontId::proportional(10.5);
        painter.rect_filled(rect, 3.0, visuals.extreme_bg_color);
        let inner = Rect::from_min_max(rect.min + vec2(0.0, 15.0), rect.max - vec2(0.0, 3.0));
        let top = self.top();
        let faint = Stroke::new(1.0, weak.gamma_multiply(0.25));
        for share in [0.0, 0.5, 1.0] {
            painter.hline(
                rect.x_range(),
                inner.bottom() - share * inner.height(),
                faint,
            );
        }
        for second in 1..SPAN_S as u32 {
            let x = rect.right() - rect.width() * (f64::from(second) / SPAN_S) as f32;
            painter.vline(x, inner.y_range(), faint);
        }
        for curve in &self.curves {
            painter.extend(self.line(curve, inner, top));
        }
        let right = rect.right_top() + vec2(-4.0, 2.0);
        let scale = format!("{} {}", short(top), self.unit);
        painter.text(right, Align2::RIGHT_TOP, scale, font.clone(), weak);
        let mut at = rect.left_top() + vec2(4.0, 2.0);
        for curve in &self.curves {
            let drawn = painter.text(at, Align2::LEFT_TOP, curve.name, font.clone(), curve.color);
            at.x = drawn.right() + 8.0;
        }
    }

    fn line(&self, curve: &Curve<'_>, inner: Rect, top: f64) -> Vec<Shape> {
        let count = inner.width().max(1.0) as usize;
        let place = |column: usize, value: f64| -> Pos2 {
            let share = (value / top).clamp(0.0, 1.0) as f32;
            pos2(
                inner.left() + column as f32 + 0.5,
                inner.bottom() - share * inner.height(),
            )
        };
        let mut path = Vec::new();
        for (column, low, high) in columns(&curve.points, self.end_s, count) {
            path.push(place(column, low));
            if high > low {
                path.push(place(column, high));
            }
        }
        vec![Shape::line(path, Stroke::new(1.3, curve.color))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_of_one_sample_is_in_its_column() {
        let mut points: Vec<(f64, f64)> = (0..8000).map(|k| (f64::from(k) * 1e-3, 1.0)).collect();
        points[4321].1 = 9.0;
        let found = columns(&points, 8.0, 100);
        assert_eq!(found.len(), 100);
        let spikes: Vec<_> = found.iter().filter(|(_, _, high)| *high > 1.0).collect();
        assert_eq!(spikes, [&(54, 1.0, 9.0)]);
    }

    #[test]
    fn what_is_out_of_the_time_or_no_number_is_not_shown() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (9.5, 2.0), (11.0, 3.0)];
        assert_eq!(columns(&points, 10.0, 8), [(7, 2.0, 2.0)]);
        assert_eq!(columns(&points, 10.0, 0), [(0, 2.0, 2.0)]);
    }

    #[test]
    fn the_upper_border_is_round_and_above_all_that_is_shown() {
        let mut plot = Plot {
            unit: "N",
            end_s: 8.0,
            min_top: 1.0,
            curves: vec![Curve {
                name: "force",
                color: Color32::WHITE,
                points: vec![(-3.0, 99.0), (1.0, 3.2), (2.0, f64::INFINITY)],
            }],
            height: 50.0,
        };
        assert_eq!(plot.top(), 5.0);
        plot.curves.clear();
        assert_eq!(plot.top(), 1.0);
    }

    #[test]
    fn values_are_short() {
        for (value, text) in [
            (5.0, "5"),
            (0.25, "0.25"),
            (12.34, "12.3"),
            (123.4, "123"),
            (-3.456, "-3.46"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
