//! The dual picture of one node: two envelopes, the certificates of their merging, and the lines
//! behind them.

use hapticd_published::hull::{Certificate, Merged, UpperHull};

use crate::svg::{Anchor, Axis, COLOURS, Frame, INK, Point, Svg};

/// Largest abscissa of the picture; vertices beyond it are left out.
const WIDEST: f64 = 2.0;

/// Smallest distance of abscissas at which vertices are distinguishable.
const APART: f64 = 0.1;

fn name(certificate: Certificate) -> &'static str {
    match certificate {
        Certificate::X => "x",
        Certificate::Yli => "yli",
        Certificate::Yri => "yri",
        Certificate::Yt => "yt",
        Certificate::Slt => "slt",
        Certificate::Srt => "srt",
        Certificate::Sl => "sl",
        Certificate::Sr => "sr",
        Certificate::SInfinity => "s-inf",
    }
}

/// Returns the positions of the vertices of a node at `t`.
fn places(hull: &UpperHull, merged: &Merged, t: f64) -> Vec<Point> {
    let line = |i: u32| hull.point(i).map_or([f64::NAN; 2], |p| p.map(|m| m.at(t)));
    let vertex = |(a, b): (u32, u32)| -> Point {
        let ([pa, qa], [pb, qb]) = (line(a), line(b));
        let x = (qa - qb) / (pb - pa);
        [x, pa * x + qa]
    };
    merged.vertices.iter().map(|v| vertex(v.edges)).collect()
}

/// Returns the number of visible vertices that are distinguishable from their left neighbours.
pub fn readable(hull: &UpperHull, merged: &Merged, t: f64) -> usize {
    let all = places(hull, merged, t);
    let left = std::iter::once(f64::NEG_INFINITY).chain(all.iter().map(|p| p[0]));
    (all.iter().zip(left))
        .filter(|(p, left)| p[0].abs() < WIDEST && p[0] - left > APART)
        .count()
}

/// Draws the blue and the red envelope of a node at `t`, every vertex with its certificates.
pub fn picture(hull: &UpperHull, merged: &Merged, t: f64) -> String {
    let line = |i: u32| hull.point(i).map_or([f64::NAN; 2], |p| p.map(|m| m.at(t)));
    let all = places(hull, merged, t);
    let reach = all.iter().fold(0.5_f64, |r, p| r.max(p[0].abs())) * 1.15;
    let reach = reach.min(WIDEST);
    let seen = |p: &Point| p[0].abs() < reach;
    // Each envelope as a chain of points that ends at the edges of the picture.
    let chains = [0_u8, 1].map(|colour| {
        let [first, last] = merged.edges[colour as usize].map(line);
        let mut chain = vec![[-reach, first[1] - first[0] * reach]];
        let own = merged.vertices.iter().zip(&all);
        let own: Vec<_> = own.filter(|(v, _)| v.envelope == colour).collect();
        // Left of the picture: the edge that is present at its border.
        if let Some((v, _)) = own.iter().rev().find(|(_, p)| p[0] <= -reach) {
            let [p, q] = line(v.edges.1);
            chain[0] = [-reach, q - p * reach];
        }
        chain.extend(own.iter().map(|(_, p)| **p).filter(|p| seen(p)));
        let right = own.iter().find(|(_, p)| p[0] >= reach);
        let [p, q] = right.map_or(last, |(v, _)| line(v.edges.0));
        chain.push([reach, p * reach + q]);
        chain
    });
    let heights = || all.iter().filter(|p| seen(p)).map(|p| p[1]);
    let low = heights().fold(f64::INFINITY, f64::min);
    let high = heights().fold(f64::NEG_INFINITY, f64::max);
    let room = 0.25 * (high - low).max(0.1);
    let mut svg = Svg::new(900.0, 640.0);
    let frame = Frame {
        place: [70.0, 55.0, 810.0, 535.0],
        x: Axis::linear(
            "abscissa: slope of a line through two points, negative",
            [-reach, reach],
        ),
        y: Axis::linear("", [low - room, high + room]),
    };
    frame.axes(&mut svg);
    let names = ["blue envelope", "red envelope"];
    for (colour, chain) in chains.iter().enumerate() {
        svg.within(frame.place, |svg| {
            svg.line(&frame.all(chain), COLOURS[colour], 2.0);
        });
        let at = [70.0 + 130.0 * colour as f64, 22.0];
        svg.text(at, 13.0, Anchor::Start, COLOURS[colour], names[colour]);
    }
    let mut hidden = 0;
    for (k, (v, p)) in merged.vertices.iter().zip(&all).enumerate() {
        if !seen(p) {
            hidden += 1;
            continue;
        }
        let at = frame.at(*p);
        let colour = COLOURS[v.envelope as usize];
        svg.disc(at, 4.0, colour);
        let certificates: Vec<_> = v.certificates.iter().map(|c| name(*c)).collect();
        let (a, b) = v.edges;
        let label = format!("{a}|{b} ({}): {}", v.contender, certificates.join(" "));
        // Vertices above get their names above, alternating between three heights.
        let turn = 16.0 + 15.0 * (k % 3) as f64;
        let y = if v.above == v.envelope {
            -turn
        } else {
            turn + 8.0
        };
        let anchor = if at[0] > 600.0 {
            Anchor::End
        } else {
            Anchor::Start
        };
        svg.line(&[at, [at[0], at[1] + y]], colour, 0.5);
        svg.text([at[0], at[1] + y], 10.0, anchor, colour, &label);
    }
    let ends = merged
        .ends
        .map(|(_, live)| if live { "s-inf" } else { "none" });
    let left_out = if hidden > 0 {
        format!("; {hidden} vertices further out are not shown")
    } else {
        String::new()
    };
    let title = format!(
        "{t:.2} s. a|b (contender): certificates. At the ends: {}, {}{left_out}",
        ends[0], ends[1]
    );
    svg.text([70.0, 42.0], 12.0, Anchor::Start, INK, &title);
    svg.finish()
}
