//! The crowds of Pitiot 2015, chapter 8: agents that are points, agents that are polygons, and what
//! they see of each other through the registration.
//!
//! # Theory
//! Neighbours are read only from the lists of the cells that an agent is in (section 8.2.2): there
//! is no search, and entities outside the ring are not seen. Forces are attraction to a goal and
//! the repulsion of [`force`], summed and integrated by Euler's method. Points feel points, edges
//! of polygons and edges of obstacles; polygons feel the edges of others and ignore points, on
//! purpose. Their bodies are rigid, chains of rigid links, or soft by [`shape`] matching
//! ([`polygon`]). A fast agent sends *virtual edges* ahead, along its velocity: a point too close
//! to one panics, reacts only to that agent, and may run.
//!
//! **Consistency with the registration**: if no influence reaches farther than the width of the
//! narrowest ring, the decomposition into cells changes nothing, to the bit. The default settings
//! with cells of 2 m satisfy this. The source asks for forces "consistent with the registration"
//! without saying how; its ellipses are wider than their radius, which easily violates it.
//!
//! # Practice
//! A step has the four timers of figure 8.17: *points* (which neighbours matter, moves, lists),
//! *polygons* (the same, and their virtual edges), *behaviour* (forces), *multiresolution* (cells
//! refined and merged by the density of points). They measure processor time. The same seed gives
//! the same bits. The source gives no parameters at all; [`Settings::default`] are ours.

pub mod force;
mod nearest;
pub mod picture;
pub mod points;
pub mod polygon;
pub mod shape;
#[cfg(test)]
mod tests;
mod watch;

use std::time::Duration;

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Dart, Space};
use hapticd_registration::registration::{EntityId, ParticleId, Registration};
use hapticd_registration::scale::{Density, Scaler};

use crate::clock::Moment;
use crate::experiment::Failure;
use force::{Law, Moving};
pub use points::Agent;
pub use polygon::{Ahead, Body, Polygon};

/// Behaviour of agents. Unit masses.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub step_s: f64,
    /// Time constant with which an agent takes up its wanted velocity.
    pub relax_s: f64,
    /// Repulsion of points, and its reach.
    pub point: Law,
    pub reach_m: f64,
    /// Repulsion of edges, and the width of their bubbles to each side.
    pub edge: Law,
    pub across_m: f64,
    /// Time that a virtual edge looks ahead: its length is the agent's motion in this time.
    pub ahead_s: f64,
    /// A point within this fraction of a virtual edge's reach panics.
    pub panic: f64,
    /// Factor of speed and strength in panic.
    pub hurry: f64,
    /// Maximum acceleration of a point that does not panic.
    pub most_m_s2: f64,
    /// Random push on a stuck agent; 0 for none.
    pub perturbation_m_s2: f64,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            step_s: 1.0 / 30.0,
            relax_s: 0.5,
            point: Law {
                stiffness: 6.0,
                damping: 0.5,
            },
            reach_m: 1.5,
            edge: Law {
                stiffness: 8.0,
                damping: 1.0,
            },
            across_m: 2.0,
            ahead_s: 1.0,
            panic: 0.7,
            hurry: 3.0,
            most_m_s2: 12.0,
            perturbation_m_s2: 2.0,
            seed: 1,
        }
    }
}

impl Settings {
    /// Returns the defaults with this seed.
    pub fn seeded(seed: u64) -> Self {
        Settings {
            seed,
            ..Settings::default()
        }
    }

    /// Returns settings with influences that reach 1 m, for cells of 1 m.
    pub fn close(seed: u64) -> Self {
        let stiffer = |law: Law| Law {
            stiffness: 2.0 * law.stiffness,
            ..law
        };
        let all = Settings::seeded(seed);
        Settings {
            point: stiffer(all.point),
            reach_m: 1.0,
            edge: stiffer(all.edge),
            across_m: 1.0,
            ..all
        }
    }
}

/// Cost of steps, and counts of what happened in them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub multiresolution: Duration,
    pub behaviour: Duration,
    pub points: Duration,
    pub polygons: Duration,
    pub steps: u64,
    /// Moves of points, and how many of them ended in another cell.
    pub moves: u64,
    pub changes: u64,
    pub refined: usize,
    pub merged: usize,
    /// Points that were visited, and points that were kept.
    pub seen: u64,
    pub kept: u64,
}

impl Cost {
    pub fn total(&self) -> Duration {
        self.multiresolution + self.behaviour + self.points + self.polygons
    }

    /// Returns the fraction of the points that change their cell in a step.
    pub fn changing(&self) -> f64 {
        self.changes as f64 / self.moves.max(1) as f64
    }
}

/// Owner of a fixed edge.
pub const FIXED: u32 = u32::MAX;

/// A registered edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeAgent {
    pub owner: u32,
    pub is_virtual: bool,
    pub ends: [Moving; 2],
    pub length_m: f64,
    pub reach_m: f64,
    /// Squared radius of a circle about its midpoint that contains its bubble.
    pub bound_m2: f64,
    particles: [ParticleId; 2],
}

impl EdgeAgent {
    /// Returns how deep a point is in the bubble, as a negative number, m; `None` outside.
    #[inline]
    pub fn depth_m(&self, at: &Vec3) -> Option<f64> {
        let [a, b] = &self.ends;
        let middle = (a.at + b.at) * 0.5;
        if (at - middle).norm_squared() > self.bound_m2 {
            return None;
        }
        let depth = force::edge_distance_m(at, &[a.at, b.at]) - self.reach_m;
        (depth <= 0.0).then_some(depth)
    }
}

/// All agents in their map.
pub struct Crowd {
    pub settings: Settings,
    pub registration: Registration,
    pub agents: Vec<Agent>,
    pub polygons: Vec<Polygon>,
    pub edges: Vec<EdgeAgent>,
    pub cost: Cost,
    /// By entity: its index in `agents` or `edges`.
    number: Vec<u32>,
    scaler: Option<Scaler>,
    /// Cell in which the search for the next added entity starts.
    pub near: Option<Cell>,
    scratch: polygon::Scratch,
}

fn failed(what: &str, e: impl std::fmt::Display) -> Failure {
    Failure::Run(format!("{what}: {e}"))
}

impl Crowd {
    /// Makes an empty crowd in a space whose cells follow the density of points if a criterion is
    /// given.
    pub fn new(
        settings: Settings,
        registration: Registration,
        density: Option<Density>,
    ) -> Result<Self, Failure> {
        let scaler = density.map(Scaler::new).transpose();
        Ok(Crowd {
            settings,
            registration,
            agents: Vec::new(),
            polygons: Vec::new(),
            edges: Vec::new(),
            cost: Cost::default(),
            number: Vec::new(),
            scaler: scaler.map_err(|e| failed("the criterion of density", e))?,
            near: None,
            scratch: polygon::Scratch::default(),
        })
    }

    /// Adds a particle; it locates its cell.
    fn particle(&mut self, at: &Vec3) -> Result<ParticleId, Failure> {
        let map = self.registration.map();
        let known = self.near.filter(|&c| map.has_cell(c) && map.is_leaf(c));
        let near = match known.or_else(|| map.leaves().next()) {
            Some(c) => c,
            None => return Err(Failure::Run("a map without cells".into())),
        };
        let p = (self.registration.insert_particle(at, near)).map_err(|e| failed("an agent", e))?;
        self.near = Some(self.cell_of(p));
        Ok(p)
    }

    fn cell_of(&self, p: ParticleId) -> Cell {
        self.registration.map().cell(self.dart_of(p))
    }

    fn dart_of(&self, p: ParticleId) -> Dart {
        self.registration
            .particle(p)
            .expect("agents keep their particles")
            .dart
    }

    fn note(&mut self, x: EntityId, number: usize) {
        if self.number.len() <= x.index() {
            self.number.resize(x.index() + 1, 0);
        }
        self.number[x.index()] = number as u32;
    }

    /// Adds a point agent; m and m/s.
    pub fn add_point(&mut self, at: Vec3, target: Vec3, speed_m_s: f64) -> Result<usize, Failure> {
        let particle = self.particle(&at)?;
        let entity = self.registration.insert_point(particle);
        let entity = entity.map_err(|e| failed("a point", e))?;
        self.note(entity, self.agents.len());
        self.agents
            .push(Agent::new(particle, at, target, speed_m_s));
        Ok(self.agents.len() - 1)
    }

    fn add_edge(
        &mut self,
        particles: [ParticleId; 2],
        owner: u32,
        is_virtual: bool,
    ) -> Result<usize, Failure> {
        let entity = self.registration.insert_edge(particles[0], particles[1]);
        let entity = entity.map_err(|e| failed("an edge", e))?;
        self.note(entity, self.edges.len());
        let still = particles.map(|p| Moving {
            at: self
                .registration
                .particle(p)
                .map_or(Vec3::zeros(), |p| p.position),
            velocity: Vec3::zeros(),
        });
        self.edges.push(EdgeAgent {
            owner,
            is_virtual,
            ends: still,
            length_m: 0.0,
            reach_m: 0.0,
            bound_m2: 0.0,
            particles,
        });
        let number = self.edges.len() - 1;
        self.measure_edge(number);
        Ok(number)
    }

    fn measure_edge(&mut self, number: usize) {
        let edge = &mut self.edges[number];
        edge.length_m = (edge.ends[1].at - edge.ends[0].at).norm();
        edge.reach_m = force::reach_m(self.settings.across_m, edge.length_m);
        edge.bound_m2 = (0.5 * edge.length_m + self.settings.across_m).powi(2);
    }

    /// Adds the border of a fixed obstacle: its corners in order.
    pub fn add_obstacle(&mut self, corners: &[Vec3]) -> Result<(), Failure> {
        let particles = corners
            .iter()
            .map(|c| self.particle(c))
            .collect::<Result<Vec<_>, _>>()?;
        for (i, &a) in particles.iter().enumerate() {
            self.add_edge([a, particles[(i + 1) % particles.len()]], FIXED, false)?;
        }
        Ok(())
    }

    /// Refines cells as the density requires, before the first step.
    pub fn settle_cells(&mut self) {
        if let Some(scaler) = &mut self.scaler {
            while scaler.step(&mut self.registration).more {}
        }
    }

    /// Advances all agents by one step.
    pub fn step(&mut self) -> Result<(), Failure> {
        let mut from = Moment::now();
        let mut lap = || {
            let took = from.elapsed();
            from = Moment::now();
            took
        };
        self.choose_for_points();
        let mut points = lap();
        self.choose_for_polygons();
        let mut polygons = lap();
        self.push_points();
        self.push_polygons();
        self.cost.behaviour += lap();
        self.move_points()?;
        points += lap();
        self.move_polygons()?;
        polygons += lap();
        if let Some(scaler) = &mut self.scaler {
            let done = scaler.step(&mut self.registration);
            self.cost.refined += done.refined;
            self.cost.merged += done.merged;
        }
        self.cost.multiresolution += lap();
        self.cost.points += points;
        self.cost.polygons += polygons;
        self.cost.steps += 1;
        Ok(())
    }

    /// Returns the part of a vector that lies in the space at a dart: all of it in a volume, the
    /// component along the facet on a surface.
    fn along(&self, d: Dart, v: Vec3) -> Vec3 {
        let map = self.registration.map();
        match map.space() {
            Space::Volume => v,
            Space::Plane => Vec3::new(v.x, v.y, 0.0),
            Space::Surface => {
                let n = self.normal(d);
                v - n * n.dot(&v)
            }
        }
    }

    /// Returns the normal of the facet of a dart; not normalised if the facet has no area.
    pub fn normal(&self, d: Dart) -> Vec3 {
        let map = self.registration.map();
        let v = map.centre(map.cell(d));
        let n = (map.start(d) - v).cross(&(map.start(map.phi1(d)) - v));
        let length = n.norm();
        if length > 0.0 { n / length } else { n }
    }
}
