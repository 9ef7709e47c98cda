//! Drawings of bodies and of the cells between them.

use std::collections::BTreeMap;

use hapticd_kinetic::pseudo::PolygonBody;
use hapticd_kinetic::{Kinetic, PolygonStructure, PseudoTriangulation};

use crate::svg::{COLOURS, Frame, INK, Svg, hue};

/// Fill colour of bodies.
const SOLID: &str = "#555555";

/// The cells at one time, and the bodies.
pub struct Shot {
    pub t: f64,
    pub events: u64,
    bodies: Vec<Vec<[f64; 2]>>,
    cells: Vec<(u32, Vec<[f64; 2]>)>,
    /// Position of a vertex on an edge, and the edge.
    contact: Option<([f64; 2], [[f64; 2]; 2])>,
}

impl Shot {
    /// Takes a shot of the structure in its current state.
    pub fn of(structure: &PseudoTriangulation, t: f64) -> Self {
        let bodies: Vec<_> = structure.bodies().iter().map(|b| b.polygon(t)).collect();
        let cells = (structure.outlines().into_iter())
            .map(|cell| {
                let corners = cell.corners.iter();
                let places = corners.map(|(b, v, _)| bodies[*b as usize][*v as usize]);
                (cell.number, places.collect())
            })
            .collect();
        let contact = structure.contact().map(|c| {
            let edge = c.edge.map(|v| bodies[c.bodies[1] as usize][v as usize]);
            (c.point, edge)
        });
        Self {
            t,
            events: structure.stats().events(),
            bodies,
            cells,
            contact,
        }
    }

    /// Returns the visible square: its centre and half its side.
    pub fn view(&self) -> ([f64; 2], f64) {
        let all = || self.bodies.iter().flatten();
        let bound = |k: usize, least: bool| {
            let values = all().map(|p| p[k]);
            if least {
                values.fold(f64::INFINITY, f64::min)
            } else {
                values.fold(f64::NEG_INFINITY, f64::max)
            }
        };
        let centre = [0, 1].map(|k| 0.5 * (bound(k, true) + bound(k, false)));
        let half = (0..2).map(|k| 0.5 * (bound(k, false) - bound(k, true)));
        (centre, half.fold(0.0, f64::max) * 1.05)
    }

    /// Returns the position of the contact.
    pub fn contact(&self) -> Option<[f64; 2]> {
        self.contact.map(|c| c.0)
    }

    /// Draws cells in the colour of their number, bodies, and the corner that has closed at a
    /// contact.
    pub fn draw(&self, svg: &mut Svg, map: &Frame, colours: &mut Colours) {
        for (number, cell) in &self.cells {
            let colour = colours.of(*number);
            svg.polygon(&map.all(cell), &colour, "#ffffff", 0.7);
        }
        for body in &self.bodies {
            svg.polygon(&map.all(body), SOLID, INK, 0.7);
        }
        if let Some((point, edge)) = self.contact {
            svg.line(&map.all(&edge), COLOURS[1], 2.5);
            svg.ring(map.at(point), 6.0, COLOURS[1], 2.0);
        }
    }
}

/// Colours of cells, in the order in which their numbers occur, since numbers are far apart.
#[derive(Default)]
pub struct Colours(BTreeMap<u32, usize>);

impl Colours {
    fn of(&mut self, number: u32) -> String {
        let next = self.0.len();
        hue(*self.0.entry(number).or_insert(next), 78)
    }
}

/// Draws the outlines of bodies alone.
pub fn outlines(bodies: &[PolygonBody], t: f64, svg: &mut Svg, map: &Frame, fill: &str) {
    for body in bodies {
        svg.polygon(&map.all(&body.polygon(t)), fill, INK, 0.7);
    }
}
