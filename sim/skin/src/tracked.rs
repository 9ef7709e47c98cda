//! The source's own polygonizer: follows the surface from cube to cube (Triquet 2001, sections
//! 3.3.1 and 3.3.3).
//!
//! # Theory
//!
//! Every primitive yields a *start*: from the cube at its heart along x to the first cube that is
//! not wholly inside. From there the surface is followed into the neighbours that the table names;
//! no other cube is visited. Whatever a cube needs is computed at most once and kept in grids over
//! the whole domain, with the *date* of this mesh. An entry with another date counts as missing, so
//! nothing is ever cleared. Dates have 16 bits; when they run out, once in 65,535 meshes, all are
//! cleared.
//!
//! A start is *lost* if the primitive's heart is not in the domain, if no corner of its cube is
//! inside, or if the walk leaves the domain. Surface that no start leads to is missed.
//! [`Skin`](crate::Skin) has neither weakness, needs no memory for empty space, and is faster. The
//! tracker is its independent check, and the reference for the source's figures.
//!
//! # Practice
//!
//! Yields the same nodes, vertices and triangles as [`Skin`](crate::Skin), to the bit, in another
//! order. 24 bytes per node, and 2 per cube. One thread; allocates only when a mesh exceeds all
//! earlier ones in size.

use hapticd_geometry::Vec3;

use crate::domain::{Domain, SIDE};
use crate::lists::Lists;
use crate::mesh::Mesh;
use crate::primitive::{Primitive, Skeleton};
use crate::sample::{Ball, Source, outwards_other, unit, value_of_other};
use crate::skin::{Settings, SkinError, check, check_entries, part_of};
use crate::table::{CORNERS, EDGES, STEPS, Table};

/// Counters of one mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackReport {
    /// Cubes that the surface cuts.
    pub cubes: usize,
    /// Nodes at which the potential was computed.
    pub nodes: usize,
    /// Primitives without a start.
    pub lost: usize,
}

/// Polygonizes by surface tracking. See the module page.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    domain: Option<Domain>,
    date: u16,
    potential: Vec<f32>,
    potential_date: Vec<u16>,
    vertex: Vec<[u32; 3]>,
    vertex_date: Vec<[u16; 3]>,
    marked: Vec<u16>,
    stack: Vec<[u32; 3]>,
    lists: Lists,
    balls: Vec<Option<Ball>>,
    report: TrackReport,
}

/// Constants of one mesh.
struct Frame<'a> {
    settings: &'a Settings,
    primitives: &'a [Primitive],
    level: f32,
    cell: f32,
}

impl Tracker {
    /// Writes the part of the surface of `primitives` that their starts lead to, replacing `out`.
    ///
    /// # Errors
    /// [`SkinError`]: the first defect found.
    pub fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<TrackReport, SkinError> {
        out.clear();
        check(settings, primitives)?;
        self.begin(&settings.domain, primitives)?;
        let frame = Frame {
            settings,
            primitives,
            level: settings.level as f32,
            cell: settings.domain.cell_m() as f32,
        };
        let table = Table::of(settings.ambiguity);
        for primitive in primitives {
            match self.start(&frame, primitive) {
                Some(cube) => self.push(cube),
                None => self.report.lost += 1,
            }
        }
        while let Some(cube) = self.stack.pop() {
            let case = &table.0[self.corners(&frame, cube)];
            self.report.cubes += 1;
            for triangle in case.triangles() {
                let corners = triangle.map(|edge| self.vertex_of(&frame, cube, edge, out));
                out.triangles.push(corners);
            }
            for (f, step) in STEPS.iter().enumerate() {
                if case.neighbours >> f & 1 == 1 {
                    let next = [0, 1, 2].map(|k| cube[k].wrapping_add_signed(step[k].into()));
                    self.push(next);
                }
            }
        }
        let low = settings.domain.low();
        for point in &mut out.points {
            for k in 0..3 {
                point[k] = (low[k] + f64::from(point[k])) as f32;
            }
        }
        Ok(self.report)
    }

    /// Sets the date as if this many meshes had been made. For tests.
    pub fn set_date(&mut self, date: u16) {
        self.date = date;
    }

    /// Memory of the grids, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        24 * self.potential.len() + 2 * self.marked.len()
    }

    fn begin(&mut self, domain: &Domain, primitives: &[Primitive]) -> Result<(), SkinError> {
        let cells = domain.cells().map(|n| n as usize);
        if self.domain.map(|d| d.cells()) != Some(domain.cells()) {
            let nodes = cells.iter().map(|n| n + 1).product();
            self.potential.resize(nodes, 0.0);
            self.potential_date.clear();
            self.potential_date.resize(nodes, 0);
            self.vertex.resize(nodes, [0; 3]);
            self.vertex_date.clear();
            self.vertex_date.resize(nodes, [0; 3]);
            self.marked.clear();
            self.marked.resize(cells.iter().product(), 0);
            self.date = 0;
        }
        self.domain = Some(*domain);
        if self.date == u16::MAX {
            self.potential_date.fill(0);
            self.vertex_date.fill([0; 3]);
            self.marked.fill(0);
            self.date = 0;
        }
        self.date += 1;
        self.report = TrackReport::default();
        self.balls.clear();
        self.lists.begin(domain);
        let bounds = primitives.iter().map(Primitive::bounds);
        check_entries(bounds.map(|bounds| self.lists.count(domain, bounds)))?;
        for (number, primitive) in (0..).zip(primitives) {
            let ball = Ball::of(domain, primitive);
            let reach = match primitive.skeleton {
                Skeleton::Point(centre) => ball.map(|_| (centre, primitive.radius_m)),
                _ => None,
            };
            self.lists.add(domain, number, primitive.bounds(), reach);
            self.balls.push(ball);
        }
        self.lists.finish();
        Ok(())
    }

    /// First cube from a primitive's heart along x that is not wholly inside, if the surface cuts
    /// it.
    fn start(&mut self, frame: &Frame<'_>, primitive: &Primitive) -> Option<[u32; 3]> {
        let domain = &frame.settings.domain;
        let cells = domain.cells();
        let at: Vec3 = (primitive.heart() - domain.low()) / domain.cell_m();
        let is_in = (0..3).all(|k| at[k] >= 0.0 && at[k] < f64::from(cells[k]));
        if !is_in {
            return None;
        }
        let mut cube = [0, 1, 2].map(|k| at[k] as u32);
        while cube[0] < cells[0] {
            match self.corners(frame, cube) {
                255 => cube[0] += 1,
                0 => return None,
                _ => return Some(cube),
            }
        }
        None
    }

    /// Pushes a cube on the stack unless it was pushed before or is outside the domain.
    fn push(&mut self, cube: [u32; 3]) {
        let Some(cells) = self.domain.map(|d| d.cells()) else {
            return;
        };
        if (0..3).any(|k| cube[k] >= cells[k]) {
            return;
        }
        let [x, y, z] = cube.map(|i| i as usize);
        let at = (z * cells[1] as usize + y) * cells[0] as usize + x;
        if self.marked[at] != self.date {
            self.marked[at] = self.date;
            self.stack.push(cube);
        }
    }

    fn corners(&mut self, frame: &Frame<'_>, cube: [u32; 3]) -> usize {
        (0..8).fold(0, |all, c| {
            let node = [0, 1, 2].map(|k| cube[k] + u32::from(CORNERS[c][k]));
            all | usize::from(self.potential_at(frame, node) > frame.level) << c
        })
    }

    fn index(frame: &Frame<'_>, [x, y, z]: [u32; 3]) -> usize {
        let [nx, ny, _] = frame.settings.domain.cells().map(|n| n as usize + 1);
        (z as usize * ny + y as usize) * nx + x as usize
    }

    fn potential_at(&mut self, frame: &Frame<'_>, node: [u32; 3]) -> f32 {
        let at = Self::index(frame, node);
        if self.potential_date[at] != self.date {
            self.potential_date[at] = self.date;
            self.potential[at] = self.sum(frame, node);
            self.report.nodes += 1;
        }
        self.potential[at]
    }

    /// Primitives of one of the bricks that contain a node. Each of these lists all that reach the
    /// node.
    fn list(&self, node: [u32; 3]) -> &[u32] {
        let place = [0, 1, 2].map(|k| (node[k] / SIDE).min(self.lists.bricks[k] - 1));
        let slot = self.lists.slot(place);
        if slot == crate::lists::NONE {
            &[]
        } else {
            self.lists.of(slot as usize)
        }
    }

    fn sum(&self, frame: &Frame<'_>, node: [u32; 3]) -> f32 {
        let place = node.map(|i| i as f32 * frame.cell);
        let list = self.list(node);
        let mut sum = 0.0;
        for ball in list.iter().filter_map(|entry| self.balls[*entry as usize]) {
            sum += ball.at(place);
        }
        // Other terms follow all balls, in the same order as in a brick.
        for entry in list
            .iter()
            .filter(|entry| self.balls[**entry as usize].is_none())
        {
            let primitive = &frame.primitives[*entry as usize];
            sum += value_of_other(&frame.settings.domain, Source::Primitive(primitive), place);
        }
        let cells = frame.settings.domain.cells();
        let is_border = (0..3).any(|k| node[k] == 0 || node[k] == cells[k]);
        if is_border { sum.min(frame.level) } else { sum }
    }

    /// Index of the vertex on an edge of a cube; creates it if it is not of this date.
    fn vertex_of(&mut self, frame: &Frame<'_>, cube: [u32; 3], edge: u8, out: &mut Mesh) -> u32 {
        let [a, b] = EDGES[edge as usize].map(|c| CORNERS[c as usize].map(u32::from));
        let node = [0, 1, 2].map(|k| cube[k] + a[k].min(b[k]));
        let axis = (0..3).find(|k| a[*k] != b[*k]).unwrap_or(0);
        let at = Self::index(frame, node);
        if self.vertex_date[at][axis] != self.date {
            self.vertex_date[at][axis] = self.date;
            self.vertex[at][axis] = out.points.len() as u32;
            let mut next = node;
            next[axis] += 1;
            let [from, to] = [node, next].map(|n| self.potential_at(frame, n));
            let share = part_of(frame.level, from, to);
            let place = |n: [u32; 3]| n.map(|i| i as f32 * frame.cell);
            let (low, high) = (place(node), place(next));
            let mut point = low;
            point[axis] = low[axis] + share * (high[axis] - low[axis]);
            out.points.push(point);
            out.normals.push(self.normal(frame, node, point));
        }
        self.vertex[at][axis]
    }

    fn normal(&self, frame: &Frame<'_>, node: [u32; 3], point: [f32; 3]) -> [f32; 3] {
        let mut sum = [0.0; 3];
        for entry in self.list(node) {
            let primitive = &frame.primitives[*entry as usize];
            let more = outwards_other(&frame.settings.domain, Source::Primitive(primitive), point);
            for k in 0..3 {
                sum[k] += more[k];
            }
        }
        unit(sum)
    }
}
