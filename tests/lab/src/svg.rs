//! Pictures as SVG: lines, polygons, circles and text, and frames with axes that turn data into
//! pixels.
//!
//! The same calls give the same bytes. Coordinates are pixels, x to the right and y *down*; in a
//! [`Frame`], y of the data is up. Colours are SVG colours, such as `"#d62728"` or `"none"`. Items
//! with a coordinate that is not finite are left out.

use std::fmt::Write;

/// A point in pixels or in data coordinates.
pub type Point = [f64; 2];

/// Colour of text and axes.
pub const INK: &str = "#333333";
/// Colour of lines behind the data, and of items out of view.
pub const PALE: &str = "#c8c8c8";
/// Colours of series and of bodies that are distinguishable at a glance.
pub const COLOURS: [&str; 8] = [
    "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf",
];

/// Returns a colour for a number; adjacent numbers are far apart in hue. `lightness` in percent.
pub fn hue(id: usize, lightness: u32) -> String {
    // The golden angle.
    let degrees = (id as f64 * 137.507_764).rem_euclid(360.0);
    format!("hsl({degrees:.0},60%,{lightness}%)")
}

/// Position of a text relative to its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture.
pub struct Svg {
    size: Point,
    body: String,
}

fn is_finite(points: &[Point]) -> bool {
    points.iter().flatten().all(|x| x.is_finite())
}

fn listed(points: &[Point]) -> String {
    let mut list = String::new();
    for [x, y] in points {
        let _ = write!(
            list,
            "{}{x:.1},{y:.1}",
            if list.is_empty() { "" } else { " " }
        );
    }
    list
}

/// Escapes `text` for an attribute's value or an element's content.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

impl Svg {
    /// Makes a white picture of this width and height.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            size: [width, height],
            body: String::new(),
        }
    }

    /// Draws lines through the points, not closed.
    pub fn line(&mut self, points: &[Point], colour: &str, width: f64) {
        if points.len() > 1 && is_finite(points) {
            let (points, colour) = (listed(points), escaped(colour));
            let _ = writeln!(
                self.body,
                r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>"#
            );
        }
    }

    /// Like [`Self::line`], dashed.
    pub fn dashed(&mut self, points: &[Point], colour: &str, width: f64) {
        if points.len() > 1 && is_finite(points) {
            let (points, colour) = (listed(points), escaped(colour));
            let _ = writeln!(
                self.body,
                r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="4 3"/>"#
            );
        }
    }

    /// Draws a closed polygon.
    pub fn polygon(&mut self, points: &[Point], fill: &str, colour: &str, width: f64) {
        if is_finite(points) {
            let (points, fill, colour) = (listed(points), escaped(fill), escaped(colour));
            let _ = writeln!(
                self.body,
                r#"<polygon points="{points}" fill="{fill}" stroke="{colour}" stroke-width="{width}"/>"#
            );
        }
    }

    /// Draws a disc.
    pub fn disc(&mut self, centre: Point, radius: f64, fill: &str) {
        if is_finite(&[centre, [radius, 0.0]]) {
            let ([x, y], fill) = (centre, escaped(fill));
            let _ = writeln!(
                self.body,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{fill}"/>"#
            );
        }
    }

    /// Draws a ring.
    pub fn ring(&mut self, centre: Point, radius: f64, colour: &str, width: f64) {
        if is_finite(&[centre, [radius, 0.0]]) {
            let ([x, y], colour) = (centre, escaped(colour));
            let _ = writeln!(
                self.body,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="none" stroke="{colour}" stroke-width="{width}"/>"#
            );
        }
    }

    /// Draws one line of text; its point is on the base line.
    pub fn text(&mut self, at: Point, size: f64, anchor: Anchor, colour: &str, text: &str) {
        if is_finite(&[at]) {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let ([x, y], colour, text) = (at, escaped(colour), escaped(text));
            let _ = writeln!(
                self.body,
                r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{text}</text>"#
            );
        }
    }

    /// Clips what `draw` draws at the border of `place` (left, top, width, height).
    pub fn within(&mut self, place: [f64; 4], draw: impl FnOnce(&mut Self)) {
        let [l, t, w, h] = place;
        let _ = writeln!(
            self.body,
            r#"<svg x="{l}" y="{t}" width="{w}" height="{h}" viewBox="{l} {t} {w} {h}">"#
        );
        draw(self);
        self.body.push_str("</svg>\n");
    }

    /// Returns the content of the file.
    pub fn finish(self) -> String {
        let [w, h] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" font-family=\"sans-serif\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// One side of a frame: its label and range.
#[derive(Clone, Copy)]
pub struct Axis<'a> {
    pub label: &'a str,
    pub range: [f64; 2],
    /// True for a logarithmic axis, whose range must be positive.
    pub log: bool,
}

impl<'a> Axis<'a> {
    /// Makes a linear axis.
    pub fn linear(label: &'a str, range: [f64; 2]) -> Self {
        Self {
            label,
            range,
            log: false,
        }
    }

    /// Makes a logarithmic axis.
    pub fn log(label: &'a str, range: [f64; 2]) -> Self {
        Self {
            label,
            range,
            log: true,
        }
    }

    /// Returns the relative position of a value: 0 and 1 are the ends.
    fn share(&self, x: f64) -> f64 {
        let [low, high] = self.range;
        if self.log {
            (x / low).ln() / (high / low).ln()
        } else {
            (x - low) / (high - low)
        }
    }

    /// Returns rounded values in the range, usually seven or fewer.
    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        if !(high > low) || !is_finite(&[self.range]) {
            return Vec::new();
        }
        if self.log {
            let decades = low.log10().ceil() as i32..=high.log10().floor() as i32;
            return decades.map(|k| 10.0_f64.powi(k)).collect();
        }
        let rough = (high - low) / 6.0;
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
        let step = step.into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// Formats a number as short as is exact enough for an axis.
fn short(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e5).contains(&x.abs()) {
        return format!("{x:e}");
    }
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A part of a picture in which data are drawn.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// Left, top, width, height.
    pub place: [f64; 4],
    pub x: Axis<'a>,
    pub y: Axis<'a>,
}

impl Frame<'_> {
    /// Makes a frame for the square region of half side `half` about `centre`, with the same scale
    /// on both axes, in the middle of `place`. It has no axes to draw.
    pub fn map(place: [f64; 4], centre: Point, half: f64) -> Self {
        let [left, top, width, height] = place;
        let side = width.min(height);
        let axis = |c: f64| Axis::linear("", [c - half, c + half]);
        Self {
            place: [
                left + 0.5 * (width - side),
                top + 0.5 * (height - side),
                side,
                side,
            ],
            x: axis(centre[0]),
            y: axis(centre[1]),
        }
    }

    /// Converts data coordinates to pixels.
    pub fn at(&self, p: Point) -> Point {
        let [left, top, width, height] = self.place;
        [
            left + width * self.x.share(p[0]),
            top + height * (1.0 - self.y.share(p[1])),
        ]
    }

    /// Converts a list of points.
    pub fn all(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|p| self.at(*p)).collect()
    }

    /// Draws the border.
    pub fn border(&self, svg: &mut Svg) {
        let [l, t, w, h] = self.place;
        let corners = [[l, t], [l + w, t], [l + w, t + h], [l, t + h]];
        svg.polygon(&corners, "none", PALE, 1.0);
    }

    /// Writes names of series to the right of the frame, in the order of [`COLOURS`].
    pub fn names(&self, svg: &mut Svg, names: &[&str]) {
        let [l, t, w, _] = self.place;
        for (k, (name, colour)) in names.iter().zip(COLOURS).enumerate() {
            let (x, y) = (l + w + 12.0, t + 14.0 + 20.0 * k as f64);
            svg.line(&[[x, y - 4.0], [x + 20.0, y - 4.0]], colour, 2.0);
            svg.text([x + 26.0, y], 12.0, Anchor::Start, INK, name);
        }
    }

    /// Draws the border, rounded values on both axes, and their labels. It takes about 60 pixels on
    /// the left and 35 below.
    pub fn axes(&self, svg: &mut Svg) {
        self.border(svg);
        let [l, t, w, h] = self.place;
        for x in self.x.ticks() {
            let at = l + w * self.x.share(x);
            svg.line(&[[at, t + h], [at, t + h + 4.0]], INK, 1.0);
            svg.text([at, t + h + 16.0], 11.0, Anchor::Middle, INK, &short(x));
        }
        for y in self.y.ticks() {
            let at = t + h * (1.0 - self.y.share(y));
            svg.line(&[[l - 4.0, at], [l, at]], INK, 1.0);
            svg.text([l - 7.0, at + 4.0], 11.0, Anchor::End, INK, &short(y));
        }
        let below = [l + 0.5 * w, t + h + 31.0];
        svg.text(below, 12.0, Anchor::Middle, INK, self.x.label);
        svg.text([l - 45.0, t - 7.0], 12.0, Anchor::Start, INK, self.y.label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_what_was_drawn_and_nothing_that_is_nowhere() {
        let mut svg = Svg::new(20.0, 10.0);
        svg.line(&[[0.0, 1.0], [2.0, 3.25]], "#000", 1.5);
        svg.line(&[[0.0, 1.0], [f64::NAN, 3.0]], "#111", 1.0);
        svg.disc([f64::INFINITY, 1.0], 2.0, "#222");
        svg.within([1.0, 2.0, 3.0, 4.5], |svg| {
            svg.text([1.0, 2.0], 9.0, Anchor::End, INK, "a < \"b\" & c");
        });
        assert_eq!(
            svg.finish(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\" font-family=\"sans-serif\">\n\
             <rect width=\"20\" height=\"10\" fill=\"#ffffff\"/>\n\
             <polyline points=\"0.0,1.0 2.0,3.2\" fill=\"none\" stroke=\"#000\" stroke-width=\"1.5\"/>\n\
             <svg x=\"1\" y=\"2\" width=\"3\" height=\"4.5\" viewBox=\"1 2 3 4.5\">\n\
             <text x=\"1.0\" y=\"2.0\" font-size=\"9\" text-anchor=\"end\" fill=\"#333333\">a &lt; &quot;b&quot; &amp; c</text>\n</svg>\n</svg>\n"
        );
    }

    #[test]
    fn a_frame_has_its_data_upright_and_maps_have_one_scale() {
        let frame = Frame {
            place: [10.0, 20.0, 100.0, 50.0],
            x: Axis::linear("t", [0.0, 2.0]),
            y: Axis::log("n", [1.0, 100.0]),
        };
        assert_eq!(frame.at([0.0, 1.0]), [10.0, 70.0]);
        assert_eq!(frame.at([2.0, 100.0]), [110.0, 20.0]);
        let middle = frame.at([1.0, 10.0]);
        assert!((middle[0] - 60.0).abs() < 1e-12 && (middle[1] - 45.0).abs() < 1e-12);
        let map = Frame::map([0.0, 0.0, 200.0, 100.0], [1.0, 1.0], 2.0);
        assert_eq!(map.at([1.0, 1.0]), [100.0, 50.0]);
        assert_eq!(map.at([3.0, 3.0]), [150.0, 0.0]);
    }

    #[test]
    fn ticks_are_round_and_in_the_range() {
        let linear = Axis::linear("", [-0.3, 2.2]);
        assert_eq!(linear.ticks(), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(
            Axis::log("", [0.5, 2000.0]).ticks(),
            [1.0, 10.0, 100.0, 1000.0]
        );
        assert_eq!(Axis::linear("", [1.0, 1.0]).ticks(), [0.0; 0]);
        assert_eq!(Axis::linear("", [0.0, f64::NAN]).ticks(), [0.0; 0]);
        for (x, text) in [(0.0, "0"), (2.5, "2.5"), (100.0, "100"), (1e-6, "1e-6")] {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn neighbours_in_number_have_other_hues() {
        assert_eq!(hue(0, 80), "hsl(0,60%,80%)");
        assert_ne!(hue(1, 80), hue(2, 80));
    }
}
