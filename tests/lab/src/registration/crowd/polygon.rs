//! Polygonal agents: cars, snakes, slugs; in the plane.
//!
//! Pitiot 2015, sections 8.1 and 8.2.2. The edges of the footprint are registered; its corners are
//! shared particles. A rigid body takes the mean of its corners' pushes and their torque. A snake
//! is a chain of rigid links, each drawn by its front hinge behind the one before. A slug's corners
//! are pushed individually and held together by [`Shape`]. A polygon reacts to the [`MAX_MINDED`]
//! edges of others in whose bubbles its corner is deepest; not to points, and not to virtual edges.
//! The source gives no model of driving: the constant pull towards a target and the speed limit are
//! ours.

use hapticd_geometry::Vec3;
use hapticd_registration::map::Space;
use hapticd_registration::registration::{Kind, ParticleId};
use hapticd_registration::track::Outcome;

use super::force::Moving;
use super::nearest::Nearest;
use super::points::limited;
use super::shape::{Shape, centre};
use super::{Crowd, EdgeAgent, failed};
use crate::experiment::Failure;

pub const MAX_MINDED: usize = 4;

/// Structure that holds a polygon together.
#[derive(Clone, Debug)]
pub enum Body {
    Rigid {
        /// Corners about the centre, at heading 0.
        rest: Vec<Vec3>,
        centre: Vec3,
        heading: f64,
        spin: f64,
        /// True if it turns towards its direction of motion; otherwise it moves ahead and back.
        turns: bool,
    },
    /// Boxes between hinges, starting at the head's front.
    Chain {
        hinges: Vec<Vec3>,
        link_m: f64,
        half_width_m: f64,
    },
    Soft {
        shape: Shape,
    },
}

/// Virtual edges that a polygon sends ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    None,
    /// One, from the middle of the body or of its head.
    One,
    /// From both flanks, for wide bodies.
    Wedge,
}

/// A polygonal agent.
#[derive(Clone, Debug)]
pub struct Polygon {
    pub body: Body,
    pub ahead: Ahead,
    pub target: Vec3,
    /// Goal after its target, if it shuttles.
    pub back: Vec3,
    pub speed_m_s: f64,
    /// Velocity of the body, or of its head.
    pub velocity: Vec3,
    /// Corners and their velocities; four for each link of a chain.
    pub corners: Vec<Moving>,
    particles: Vec<ParticleId>,
    /// Numbers of its own edges and of its virtual ones.
    pub edges: Vec<usize>,
    pub virtual_edges: Vec<usize>,
    minded: Vec<Nearest<MAX_MINDED>>,
    pushes: Vec<Vec3>,
}

/// Buffers for lists under construction.
#[derive(Debug, Default)]
pub struct Scratch {
    pub pushes: Vec<(Vec3, bool)>,
    pub near: Vec<u32>,
    goals: Vec<Vec3>,
    next: Vec<Vec3>,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    flat: Flat,
}

/// A plane that fits a polygon.
#[derive(Clone, Copy, Debug)]
struct Flat {
    origin: Vec3,
    axes: [Vec3; 2],
}

impl Default for Flat {
    fn default() -> Self {
        Flat {
            origin: Vec3::zeros(),
            axes: [Vec3::x(), Vec3::y()],
        }
    }
}

impl Flat {
    /// Makes a plane with this normal; uses the world's axes if the normal is z.
    fn new(origin: Vec3, normal: &Vec3) -> Self {
        let first = if normal.x.abs() < 0.9 {
            Vec3::x()
        } else {
            Vec3::y()
        };
        let x = (first - normal * normal.dot(&first)).normalize();
        Flat {
            origin,
            axes: [x, normal.cross(&x)],
        }
    }

    fn along(&self, v: &Vec3) -> Vec3 {
        Vec3::new(self.axes[0].dot(v), self.axes[1].dot(v), 0.0)
    }

    fn inside(&self, p: &Vec3) -> Vec3 {
        self.along(&(p - self.origin))
    }

    fn outside(&self, v: &Vec3) -> Vec3 {
        self.axes[0] * v.x + self.axes[1] * v.y
    }
}

/// Returns a box about 0, counter-clockwise from its right rear corner, m.
pub fn box_of(length_m: f64, width_m: f64) -> Vec<Vec3> {
    let (x, y) = (0.5 * length_m, 0.5 * width_m);
    [(-x, -y), (x, -y), (x, y), (-x, y)]
        .map(|(x, y)| Vec3::new(x, y, 0.0))
        .to_vec()
}

fn turned(q: &Vec3, heading: f64) -> Vec3 {
    let (sin, cos) = heading.sin_cos();
    Vec3::new(cos * q.x - sin * q.y, sin * q.x + cos * q.y, 0.0)
}

/// Wraps an angle to between -pi and pi.
fn wrapped(angle: f64) -> f64 {
    angle.sin().atan2(angle.cos())
}

/// Computes the corners of a chain, with small gaps at the hinges.
fn links(hinges: &[Vec3], half_width_m: f64, out: &mut Vec<Vec3>) {
    for pair in hinges.windows(2) {
        let (front, rear) = (pair[0], pair[1]);
        let along = (front - rear) * 0.47;
        let side = Vec3::z().cross(&(front - rear).normalize()) * half_width_m;
        let middle = (front + rear) * 0.5;
        out.extend([
            middle - along - side,
            middle + along - side,
            middle + along + side,
            middle - along + side,
        ]);
    }
}

impl Body {
    /// Makes a body with this heading, rad.
    pub fn rigid(rest: Vec<Vec3>, centre: Vec3, heading: f64, turns: bool) -> Self {
        Body::Rigid {
            rest,
            centre,
            heading,
            spin: 0.0,
            turns,
        }
    }

    fn corners(&self, at: &[Moving], out: &mut Vec<Vec3>) {
        out.clear();
        match self {
            Body::Rigid {
                rest,
                centre,
                heading,
                ..
            } => out.extend(rest.iter().map(|q| centre + turned(q, *heading))),
            Body::Chain {
                hinges,
                half_width_m,
                ..
            } => links(hinges, *half_width_m, out),
            Body::Soft { .. } => out.extend(at.iter().map(|m| m.at)),
        }
    }
}

impl Polygon {
    /// Returns the middle of the body, or of its head.
    pub fn middle(&self) -> Vec3 {
        match &self.body {
            Body::Rigid { centre, .. } => *centre,
            Body::Chain { hinges, .. } => (hinges[0] + hinges[1]) * 0.5,
            Body::Soft { .. } => {
                self.corners.iter().map(|m| m.at).sum::<Vec3>() / self.corners.len() as f64
            }
        }
    }

    /// Returns its first corner.
    pub fn first(&self) -> ParticleId {
        self.particles[0]
    }

    /// Iterates over its loops: a chain has one for each link.
    pub fn loops(&self) -> impl Iterator<Item = &[Moving]> {
        let size = match self.body {
            Body::Chain { .. } => 4,
            _ => self.corners.len(),
        };
        self.corners.chunks(size)
    }

    /// Returns true if a point is inside, by crossing numbers. In the plane.
    pub fn holds(&self, p: &Vec3) -> bool {
        self.loops().any(|corners| {
            let mut inside = false;
            for (i, a) in corners.iter().enumerate() {
                let (a, b) = (a.at, corners[(i + 1) % corners.len()].at);
                if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
                {
                    inside = !inside;
                }
            }
            inside
        })
    }

    /// Returns where virtual edges begin and where they end.
    fn feelers(&self, ahead_s: f64) -> [Vec3; 3] {
        let middle = self.middle();
        let tip = middle + self.velocity * ahead_s;
        if self.ahead != Ahead::Wedge || self.velocity.norm() == 0.0 {
            return [middle, middle, tip];
        }
        let side = Vec3::z().cross(&self.velocity.normalize());
        let head = self.loops().next().unwrap_or(&[]);
        let out = |c: &&Moving| side.dot(&(c.at - middle));
        let by = |a: &&Moving, b: &&Moving| out(a).total_cmp(&out(b));
        let flank = |c: Option<&Moving>| c.map_or(middle, |c| c.at);
        [
            flank(head.iter().max_by(by)),
            flank(head.iter().min_by(by)),
            tip,
        ]
    }
}

impl Crowd {
    /// Adds a polygonal agent that moves towards a target. For a soft one `corners` is its
    /// position; other bodies know theirs.
    pub fn add_polygon(
        &mut self,
        body: Body,
        corners: &[Vec3],
        ahead: Ahead,
        target: Vec3,
        speed_m_s: f64,
    ) -> Result<usize, Failure> {
        let owner = self.polygons.len() as u32;
        let still = |at: Vec3| Moving {
            at,
            velocity: Vec3::zeros(),
        };
        let given: Vec<Moving> = corners.iter().copied().map(still).collect();
        let mut places = Vec::new();
        body.corners(&given, &mut places);
        let count = places.len();
        let mut polygon = Polygon {
            body,
            ahead,
            target,
            back: Vec3::zeros(),
            speed_m_s,
            velocity: Vec3::zeros(),
            corners: places.iter().copied().map(still).collect(),
            particles: Vec::new(),
            edges: Vec::new(),
            virtual_edges: Vec::new(),
            minded: vec![Nearest::default(); count],
            pushes: vec![Vec3::zeros(); count],
        };
        for at in &places {
            polygon.particles.push(self.particle(at)?);
        }
        let size = polygon.loops().next().map_or(0, <[Moving]>::len);
        for i in 0..count {
            let next = i / size * size + (i + 1) % size;
            let ends = [polygon.particles[i], polygon.particles[next]];
            polygon.edges.push(self.add_edge(ends, owner, false)?);
        }
        polygon.back = polygon.middle();
        let feelers = polygon.feelers(0.0);
        let from = match ahead {
            Ahead::None => &feelers[..0],
            Ahead::One => &feelers[..1],
            Ahead::Wedge => &feelers[..2],
        };
        if ahead != Ahead::None {
            let tip = self.particle(&feelers[2])?;
            for at in from {
                let ends = [self.particle(at)?, tip];
                let edge = self.add_edge(ends, owner, true)?;
                polygon.virtual_edges.push(edge);
            }
        }
        self.polygons.push(polygon);
        Ok(owner as usize)
    }

    /// Selects the edges that a polygon's corner reacts to, from the lists of its cell.
    pub(super) fn choose_for_corner(&mut self, owner: u32, i: usize) -> Nearest<MAX_MINDED> {
        let polygon = &self.polygons[owner as usize];
        let (c, at) = (self.cell_of(polygon.particles[i]), polygon.corners[i].at);
        let mut minded = Nearest::default();
        let mut near = std::mem::take(&mut self.scratch.near);
        self.list(c, Kind::Edge, &mut near);
        for &j in &near {
            self.offer_to_corner(&mut minded, owner, &at, j);
        }
        self.scratch.near = near;
        minded
    }

    #[inline]
    pub(super) fn offer_to_corner(
        &self,
        minded: &mut Nearest<MAX_MINDED>,
        owner: u32,
        at: &Vec3,
        j: u32,
    ) {
        let edge = &self.edges[j as usize];
        if edge.owner == owner || edge.is_virtual {
            return;
        }
        if let Some(depth) = edge.depth_m(at) {
            minded.offer(depth, j);
        }
    }

    pub(super) fn choose_for_polygons(&mut self) {
        for owner in 0..self.polygons.len() {
            for i in 0..self.polygons[owner].corners.len() {
                let minded = self.choose_for_corner(owner as u32, i);
                self.polygons[owner].minded[i] = minded;
            }
        }
    }

    /// Returns the acceleration of a corner by its selected edges, m/s^2.
    pub(super) fn push_of(&self, corner: &Moving, minded: &Nearest<MAX_MINDED>) -> Vec3 {
        let one = |j: u32| {
            let (found, strength) = self.repulsion(corner, j);
            found.away * strength
        };
        minded.iter().map(one).sum()
    }

    pub(super) fn push_polygons(&mut self) {
        for k in 0..self.polygons.len() {
            for i in 0..self.polygons[k].corners.len() {
                let polygon = &self.polygons[k];
                let push = self.push_of(&polygon.corners[i], &polygon.minded[i]);
                self.polygons[k].pushes[i] = push;
            }
        }
    }

    pub(super) fn move_polygons(&mut self) -> Result<(), Failure> {
        let mut scratch = std::mem::take(&mut self.scratch);
        for k in 0..self.polygons.len() {
            scratch.flat = self.flat(k);
            self.advance(k, &mut scratch);
            self.place(k, &scratch.next)?;
        }
        self.scratch = scratch;
        self.registration.settle();
        for j in 0..self.edges.len() {
            let EdgeAgent {
                particles, owner, ..
            } = self.edges[j];
            if owner == super::FIXED {
                continue;
            }
            for (end, p) in particles.into_iter().enumerate() {
                if let Some(p) = self.registration.particle(p) {
                    self.edges[j].ends[end].at = p.position;
                }
            }
            self.measure_edge(j);
        }
        Ok(())
    }

    /// Returns the plane of a polygon: on a curved surface, that of its corners' mean normal.
    fn flat(&self, k: usize) -> Flat {
        if self.registration.map().space() != Space::Surface {
            return Flat::default();
        }
        let polygon = &self.polygons[k];
        let normal: Vec3 = polygon
            .particles
            .iter()
            .map(|&p| self.normal(self.dart_of(p)))
            .sum();
        let length = normal.norm();
        if length > 0.0 {
            Flat::new(polygon.middle(), &(normal / length))
        } else {
            Flat::default()
        }
    }

    /// Steps the body; writes the resulting corners to `scratch.next`.
    fn advance(&mut self, k: usize, scratch: &mut Scratch) {
        let s = self.settings;
        let polygon = &mut self.polygons[k];
        let to = polygon.target - polygon.middle();
        let far = to.norm();
        let wanted = if far > 0.0 {
            to / far * polygon.speed_m_s.min(far / s.relax_s)
        } else {
            to
        };
        let h = s.step_s;
        let count = polygon.corners.len() as f64;
        let pull = (wanted - polygon.velocity) / s.relax_s;
        match &mut polygon.body {
            Body::Rigid {
                centre,
                heading,
                spin,
                turns,
                ..
            } => {
                let (mut push, mut torque, mut inertia) = (Vec3::zeros(), 0.0, 0.0);
                for (c, f) in polygon.corners.iter().zip(&polygon.pushes) {
                    let arm = c.at - *centre;
                    push += f / count;
                    torque += arm.cross(f).z;
                    inertia += arm.norm_squared();
                }
                let v = polygon.velocity + (pull + push) * h;
                polygon.velocity = limited(v, polygon.speed_m_s);
                let mut turn = torque / inertia - *spin / s.relax_s;
                if *turns && polygon.velocity.norm() > 0.1 {
                    let course = polygon.velocity.y.atan2(polygon.velocity.x);
                    turn += wrapped(course - *heading) / (s.relax_s * s.relax_s) * 4.0;
                    turn -= *spin * 3.0 / s.relax_s;
                }
                *spin += turn * h;
                *centre += polygon.velocity * h;
                *heading += *spin * h;
            }
            Body::Chain { hinges, link_m, .. } => {
                let push: Vec3 = polygon.pushes[..4].iter().sum::<Vec3>() / 4.0;
                let v = polygon.velocity + (pull + push) * h;
                polygon.velocity = limited(v, polygon.speed_m_s);
                let mut front = hinges[0] + polygon.velocity * h;
                hinges[0] = front;
                for hinge in &mut hinges[1..] {
                    let back = *hinge - front;
                    *hinge = front + back * (*link_m / back.norm().max(1e-9));
                    front = *hinge;
                }
            }
            Body::Soft { shape } => {
                scratch.points.clear();
                (scratch.points).extend(polygon.corners.iter().map(|c| scratch.flat.inside(&c.at)));
                scratch.velocities.clear();
                // The corner's own wish, in addition to the common pull.
                let drag = 1.0 - (h / s.relax_s).min(1.0);
                let pull = scratch.flat.along(&pull);
                for (c, f) in polygon.corners.iter().zip(&polygon.pushes) {
                    let own = (c.velocity - polygon.velocity) * drag;
                    let all = polygon.velocity + own + f * h;
                    scratch.velocities.push(scratch.flat.along(&all) + pull * h);
                }
                let Scratch {
                    points,
                    goals,
                    velocities,
                    next,
                    flat,
                    ..
                } = scratch;
                shape.pull(points, h, goals, velocities);
                next.clear();
                next.extend(
                    (polygon.corners.iter().zip(velocities.iter())).map(|(c, v)| {
                        // Relative to its position, which on a curved surface is not in the common
                        // plane.
                        c.at + flat.outside(v) * h
                    }),
                );
                let mean = flat.outside(&centre(velocities));
                polygon.velocity = limited(mean, 2.0 * polygon.speed_m_s);
                return;
            }
        }
        polygon.body.corners(&polygon.corners, &mut scratch.next);
    }

    /// Moves the corners there, and the virtual edges with them. A body that is not soft and meets
    /// an obstacle stays where it was.
    fn place(&mut self, k: usize, next: &[Vec3]) -> Result<(), Failure> {
        let h = self.settings.step_s;
        let mut free = true;
        for (i, goal) in next.iter().enumerate() {
            free &= self.carry(self.polygons[k].particles[i], goal)?;
        }
        let soft = matches!(self.polygons[k].body, Body::Soft { .. });
        if !free && !soft {
            for i in 0..next.len() {
                let back = self.polygons[k].corners[i].at;
                self.carry(self.polygons[k].particles[i], &back)?;
            }
            self.stop(k);
        } else {
            for i in 0..next.len() {
                let p = self.polygons[k].particles[i];
                let at = self
                    .registration
                    .particle(p)
                    .map_or(next[i], |p| p.position);
                let corner = &mut self.polygons[k].corners[i];
                corner.velocity = (at - corner.at) / h;
                corner.at = at;
            }
        }
        for i in 0..self.polygons[k].edges.len() {
            let polygon = &self.polygons[k];
            let size = polygon.loops().next().map_or(1, <[Moving]>::len);
            let other = i / size * size + (i + 1) % size;
            let velocities = [polygon.corners[i].velocity, polygon.corners[other].velocity];
            let edge = &mut self.edges[polygon.edges[i]];
            edge.ends[0].velocity = velocities[0];
            edge.ends[1].velocity = velocities[1];
        }
        let feelers = self.polygons[k].feelers(self.settings.ahead_s);
        for i in 0..self.polygons[k].virtual_edges.len() {
            let j = self.polygons[k].virtual_edges[i];
            let velocity = self.polygons[k].velocity;
            let [from, tip] = self.edges[j].particles;
            self.carry(from, &feelers[i])?;
            self.carry(tip, &feelers[2])?;
            for end in &mut self.edges[j].ends {
                end.velocity = velocity;
            }
        }
        Ok(())
    }

    /// Resets the body to its corners after a failed step.
    fn stop(&mut self, k: usize) {
        let h = self.settings.step_s;
        let polygon = &mut self.polygons[k];
        match &mut polygon.body {
            Body::Rigid {
                centre,
                heading,
                spin,
                ..
            } => {
                *centre -= polygon.velocity * h;
                *heading -= *spin * h;
                *spin = 0.0;
            }
            Body::Chain { hinges, .. } => {
                // The corners define the old positions of the hinges.
                for (hinge, link) in hinges.iter_mut().zip(polygon.corners.chunks(4)) {
                    let (rear, front) = (link[0].at + link[3].at, link[1].at + link[2].at);
                    *hinge = front * 0.5 + (front - rear) * (0.5 * 0.03 / 0.94);
                }
                if let (Some(last), Some(link)) =
                    (hinges.last_mut(), polygon.corners.chunks(4).last())
                {
                    let (rear, front) = (link[0].at + link[3].at, link[1].at + link[2].at);
                    *last = rear * 0.5 - (front - rear) * (0.5 * 0.03 / 0.94);
                }
            }
            Body::Soft { .. } => {}
        }
        polygon.velocity = Vec3::zeros();
        for c in &mut polygon.corners {
            c.velocity = Vec3::zeros();
        }
    }

    fn carry(&mut self, p: ParticleId, goal: &Vec3) -> Result<bool, Failure> {
        let outcome = self.registration.move_particle(p, goal);
        let outcome = outcome.map_err(|e| failed("a polygon's move", e))?;
        Ok(outcome == Outcome::Reached)
    }
}
