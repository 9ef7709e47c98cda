//! Pictures of crowds: cells, polygons with their bubbles, points; from above, or in perspective.
//!
//! Points are coloured by group, and red in panic. Polygons are grey, the bubbles of their edges
//! pale, those of virtual edges orange. Nearer items are drawn over those behind.

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map, Space};
use hapticd_registration::registration::ParticleId;

use super::{Crowd, EdgeAgent};
use crate::registration::route::root;
use crate::svg::{COLOURS, INK, PALE, Point, Svg};

/// Viewpoint of a picture.
#[derive(Clone, Copy)]
pub enum View {
    /// On the plane: the lowest corner and the size of the visible region, m.
    Above { low: [f64; 2], size: [f64; 2] },
    /// In space: eye and target, z up, and the vertical opening angle, rad.
    From { eye: Vec3, to: Vec3, opening: f64 },
}

impl View {
    /// Views this many coarse cells, or this fraction of them, about the middle.
    pub fn above(cells: [usize; 2], share: f64) -> Self {
        let all = cells.map(|n| n as f64 * crate::registration::stage::COARSE_M);
        View::Above {
            low: all.map(|s| 0.5 * (1.0 - share) * s),
            size: all.map(|s| share * s),
        }
    }
}

/// Length of the longer side, pixels.
const SIZE: f64 = 900.0;

/// Maps positions to pixels.
struct Camera {
    view: View,
    size: [f64; 2],
    axes: [Vec3; 3],
}

impl Camera {
    fn new(view: View) -> Self {
        match view {
            View::Above { size, .. } => {
                let scale = SIZE / size[0].max(size[1]);
                Camera {
                    view,
                    size: size.map(|s| s * scale),
                    axes: [Vec3::x(), Vec3::y(), Vec3::z()],
                }
            }
            View::From { eye, to, .. } => {
                let ahead = (to - eye).normalize();
                let right = ahead.cross(&Vec3::z()).normalize();
                Camera {
                    view,
                    size: [SIZE, SIZE],
                    axes: [right, right.cross(&ahead), ahead],
                }
            }
        }
    }

    /// Returns the pixel of a position and the scale there, pixels per metre.
    fn at(&self, p: &Vec3) -> (Point, f64) {
        match self.view {
            View::Above { low, size } => {
                let scale = self.size[0] / size[0];
                let (x, y) = (p.x - low[0], p.y - low[1]);
                ([x * scale, self.size[1] - y * scale], scale)
            }
            View::From { eye, opening, .. } => {
                let q = p - eye;
                let [right, up, ahead] = self.axes;
                let depth = ahead.dot(&q).max(1e-3);
                let scale = 0.5 * SIZE / (0.5 * opening).tan() / depth;
                let (x, y) = (right.dot(&q) * scale, up.dot(&q) * scale);
                ([0.5 * SIZE + x, 0.5 * SIZE - y], scale)
            }
        }
    }

    fn all(&self, points: &[Vec3]) -> Vec<Point> {
        points.iter().map(|p| self.at(p).0).collect()
    }

    fn towards(&self, p: &Vec3) -> Vec3 {
        match self.view {
            View::Above { .. } => Vec3::z(),
            View::From { eye, .. } => (eye - p).normalize(),
        }
    }

    fn depth(&self, p: &Vec3) -> f64 {
        match self.view {
            View::Above { .. } => 0.0,
            View::From { eye, .. } => (p - eye).norm(),
        }
    }
}

/// Returns the border of a bubble in the plane: the ellipse with the edge's ends as foci.
fn bubble(edge: &EdgeAgent, across_m: f64) -> Vec<Vec3> {
    let [a, b] = edge.ends.map(|e| e.at);
    let long = 0.5 * edge.length_m + edge.reach_m;
    let along = if edge.length_m > 0.0 {
        (b - a) / edge.length_m
    } else {
        Vec3::x()
    };
    let side = Vec3::z().cross(&along);
    (0..36)
        .map(|k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 36.0).sin_cos();
            (a + b) * 0.5 + along * (long * cos) + side * (across_m * sin)
        })
        .collect()
}

/// Returns the corners of a leaf of dimension 2, in order.
fn outline(map: &Map, c: Cell) -> Vec<Vec3> {
    let first = map.dart(c);
    let mut corners = vec![map.start(first)];
    let mut d = map.phi1(first);
    while d != first {
        corners.push(map.start(d));
        d = map.phi1(d);
    }
    corners
}

/// Items to draw, from back to front; of a curved surface only the side that faces the eye.
enum Item {
    Cell(Cell),
    Wall(usize),
    Polygon(usize),
    Point(usize),
}

/// Items on a surface are drawn as if they were nearer by this, m.
const RAISED_M: f64 = 2.5;

/// Draws the crowd. `group` gives each point's colour by its number; `houses` are drawn dark, with
/// all cells that were cut from them.
pub fn draw(crowd: &Crowd, view: View, group: impl Fn(usize) -> usize, houses: &[Cell]) -> String {
    let camera = Camera::new(view);
    let mut svg = Svg::new(camera.size[0], camera.size[1]);
    let map = crowd.registration.map();
    let is_house = |c: Cell| houses.contains(&root(map, c));
    if map.space() == Space::Volume {
        cubes(&mut svg, &camera, map);
    }
    if map.space() == Space::Plane {
        for c in map.leaves() {
            cell(&mut svg, &camera, map, c, false);
        }
        for edge in &crowd.edges {
            let fill = if edge.is_virtual {
                "#ffd9a8"
            } else {
                "#e4e4ee"
            };
            let border = bubble(edge, crowd.settings.across_m);
            svg.polygon(&camera.all(&border), fill, "none", 0.0);
        }
        for edge in crowd.edges.iter().filter(|e| e.is_virtual) {
            let ends = edge.ends.map(|e| e.at);
            svg.line(&camera.all(&ends), "#ff7f0e", 1.2);
        }
    }
    let mut items: Vec<(f64, Item)> = Vec::new();
    let seen = |p: ParticleId, at: &Vec3| {
        map.space() != Space::Surface
            || crowd.normal(crowd.dart_of(p)).dot(&camera.towards(at)) > 0.0
    };
    for c in map.leaves() {
        let flat = map.space() == Space::Plane;
        if map.space() == Space::Surface || (flat && is_house(c)) {
            items.push((camera.depth(&map.centre(c)), Item::Cell(c)));
        }
    }
    for (i, edge) in crowd.edges.iter().enumerate() {
        let [a, b] = edge.ends.map(|e| e.at);
        if edge.owner == super::FIXED && seen(edge.particles[0], &a) {
            items.push((camera.depth(&((a + b) * 0.5)) - RAISED_M, Item::Wall(i)));
        }
    }
    for (i, polygon) in crowd.polygons.iter().enumerate() {
        let middle = polygon.middle();
        if seen(polygon.first(), &middle) {
            items.push((camera.depth(&middle) - RAISED_M, Item::Polygon(i)));
        }
    }
    for (i, agent) in crowd.agents.iter().enumerate() {
        if seen(agent.particle, &agent.at) {
            items.push((camera.depth(&agent.at) - RAISED_M, Item::Point(i)));
        }
    }
    // A stable sort: at equal depth the later kind is on top.
    items.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, item) in items {
        match item {
            Item::Cell(c) => cell(&mut svg, &camera, map, c, is_house(c)),
            Item::Wall(i) => {
                let ends = crowd.edges[i].ends.map(|e| e.at);
                svg.line(&camera.all(&ends), INK, 1.5);
            }
            Item::Polygon(i) => {
                for corners in crowd.polygons[i].loops() {
                    let corners: Vec<Vec3> = corners.iter().map(|c| c.at).collect();
                    svg.polygon(&camera.all(&corners), "#7a7f8c", INK, 1.0);
                }
            }
            Item::Point(i) => {
                let agent = &crowd.agents[i];
                let (at, scale) = camera.at(&agent.at);
                let colour = if agent.panics {
                    COLOURS[1]
                } else {
                    [COLOURS[0], COLOURS[2], COLOURS[4], COLOURS[3]][group(i) % 4]
                };
                svg.disc(at, (4.0 * scale).round().max(20.0) / 10.0, colour);
            }
        }
    }
    svg.finish()
}

fn cell(svg: &mut Svg, camera: &Camera, map: &Map, c: Cell, house: bool) {
    let (d, centre) = (map.dart(c), map.centre(c));
    let normal = (map.start(d) - centre).cross(&(map.start(map.phi1(d)) - centre));
    let facing = normal.normalize().dot(&camera.towards(&centre));
    if facing <= 0.0 {
        return;
    }
    let shade = (215.0 + 40.0 * facing) as u32;
    let light = format!("rgb({shade},{shade},{shade})");
    let fill = if house { "#8a7f76" } else { &light };
    svg.polygon(&camera.all(&outline(map, c)), fill, PALE, 0.6);
}

/// Draws the edges of all volumes finer than the coarsest: where the crowd is dense.
fn cubes(svg: &mut Svg, camera: &Camera, map: &Map) {
    for e in map.all_edges() {
        let Some(d) = map.edge_darts(e).next() else {
            continue;
        };
        let fine = map.edge_darts(e).any(|d| map.cell_level(map.cell(d)) > 0);
        let ends = [map.start(d), map.start(map.phi1(d))];
        let points = [camera.at(&ends[0]).0, camera.at(&ends[1]).0];
        svg.line(
            &points,
            if fine { "#d5d9e6" } else { PALE },
            if fine { 0.5 } else { 0.8 },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::stage::{self, Cells};

    #[test]
    fn what_is_looked_at_is_in_the_middle_and_what_is_nearer_is_larger() {
        let eye = Vec3::new(30.0, -40.0, 25.0);
        let to = Vec3::new(1.0, 2.0, 3.0);
        let camera = Camera::new(View::From {
            eye,
            to,
            opening: 0.6,
        });
        let (at, scale) = camera.at(&to);
        assert!(at.iter().all(|x| (x - 0.5 * SIZE).abs() < 1e-9));
        let (above, _) = camera.at(&(to + Vec3::z()));
        assert!(above[1] < at[1] && (above[0] - at[0]).abs() < 1e-9);
        let nearer = camera.at(&(to + (eye - to) * 0.5)).1;
        assert!((nearer / scale - 2.0).abs() < 1e-9);
        // The opening angle is that of the whole height.
        let up = (to - eye).norm() * 0.3_f64.tan();
        let (edge, _) = camera.at(&(to + camera.axes[1] * up));
        assert!(edge[1].abs() < 1e-9);
    }

    #[test]
    fn a_bubble_is_drawn_where_its_reach_ends_and_everybody_is_in_the_picture() {
        let settings = super::super::Settings::default();
        let mut crowd = stage::plane(Cells::Multiresolution, [2, 2], 3, settings).unwrap();
        let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        crowd
            .add_obstacle(&[at(5.0, 5.0), at(9.0, 5.0), at(7.0, 9.0)])
            .unwrap();
        for i in 0..7 {
            let p = at(12.0 + f64::from(i), 20.0);
            crowd.add_point(p, p, 1.0).unwrap();
        }
        for edge in &crowd.edges {
            for p in bubble(edge, settings.across_m) {
                let ends = edge.ends.map(|e| e.at);
                let d = super::super::force::edge_distance_m(&p, &ends);
                assert!((d - edge.reach_m).abs() < 1e-9);
            }
        }
        let text = draw(&crowd, View::above([2, 2], 1.0), |i| i, &[]);
        assert_eq!(text.matches("<circle").count(), 7);
        assert_eq!(text.matches("<polyline").count(), 3, "walls");
        assert_eq!(
            text.matches("<polygon").count(),
            crowd.registration.map().leaf_count() + 3
        );
    }
}
