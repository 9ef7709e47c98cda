//! Point agents: which neighbours they react to, with which acceleration, and how they move.
//!
//! Pitiot 2015, section 8.2.2. Of all visible entities, a point reacts to the [`MAX_POINTS`]
//! nearest points and to the [`MAX_EDGES`] edges in whose bubbles it is deepest: the source's "most
//! important neighbours".

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Space};
use hapticd_registration::registration::{Kind, ParticleId};
use hapticd_registration::track::Outcome;
use hapticd_testkit::Random;

use super::force::{self, Moving};
use super::nearest::Nearest;
use super::{Crowd, failed};
use crate::experiment::Failure;

pub const MAX_POINTS: usize = 8;
pub const MAX_EDGES: usize = 8;

/// Neighbours that a point reacts to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice {
    pub points: Nearest<MAX_POINTS>,
    pub edges: Nearest<MAX_EDGES>,
}

/// A point agent.
#[derive(Clone, Debug)]
pub struct Agent {
    pub particle: ParticleId,
    pub at: Vec3,
    pub velocity: Vec3,
    pub target: Vec3,
    /// Goal after its target, if it shuttles.
    pub back: Vec3,
    /// Preferred speed; it is exceeded only in panic.
    pub speed_m_s: f64,
    pub panics: bool,
    /// Length of its last step, m; `None` if something was in the way.
    pub stepped_m: Option<f64>,
    pub choice: Choice,
}

impl Agent {
    pub(super) fn new(particle: ParticleId, at: Vec3, target: Vec3, speed_m_s: f64) -> Self {
        Agent {
            particle,
            at,
            velocity: Vec3::zeros(),
            target,
            back: at,
            speed_m_s,
            panics: false,
            stepped_m: None,
            choice: Choice::default(),
        }
    }

    fn moving(&self) -> Moving {
        Moving {
            at: self.at,
            velocity: self.velocity,
        }
    }
}

impl Crowd {
    /// Selects the neighbours of a point from the lists of its cell; returns also how many points
    /// it saw.
    pub(super) fn choose(&mut self, i: usize) -> (Choice, usize) {
        let c = self.cell_of(self.agents[i].particle);
        let mut choice = Choice::default();
        let mut near = std::mem::take(&mut self.scratch.near);
        self.list(c, Kind::Point, &mut near);
        let seen = near.len();
        for &j in &near {
            self.offer_point(&mut choice, i, j);
        }
        self.list(c, Kind::Edge, &mut near);
        for &j in &near {
            self.offer_edge(&mut choice, i, j);
        }
        self.scratch.near = near;
        (choice, seen)
    }

    /// Collects the numbers of the entities in a cell and around it, which is all that an agent
    /// there sees.
    pub(super) fn list(&mut self, c: Cell, kind: Kind, near: &mut Vec<u32>) {
        near.clear();
        let number = &self.number;
        let here = self.registration.present(c, kind);
        near.extend(here.map(|x| number[x.index()]));
        let around = self.registration.neighbours(c, kind);
        near.extend(around.map(|x| number[x.index()]));
    }

    #[inline]
    pub(super) fn offer_point(&self, choice: &mut Choice, i: usize, j: u32) {
        if i != j as usize {
            let apart2 = (self.agents[j as usize].at - self.agents[i].at).norm_squared();
            choice.points.offer(apart2, j);
        }
    }

    #[inline]
    pub(super) fn offer_edge(&self, choice: &mut Choice, i: usize, j: u32) {
        if let Some(depth) = self.edges[j as usize].depth_m(&self.agents[i].at) {
            choice.edges.offer(depth, j);
        }
    }

    pub(super) fn choose_for_points(&mut self) {
        for i in 0..self.agents.len() {
            let (choice, seen) = self.choose(i);
            self.cost.seen += seen as u64;
            self.cost.kept += choice.points.iter().len() as u64;
            self.agents[i].choice = choice;
        }
    }

    /// Returns the acceleration of a point with these neighbours, m/s^2, and whether it panics.
    pub(super) fn acceleration(&self, i: usize, choice: &Choice) -> (Vec3, bool) {
        let s = &self.settings;
        let agent = &self.agents[i];
        let own = agent.moving();
        let dart = self.dart_of(agent.particle);
        let push_of = |j: u32| {
            let (found, strength) = self.repulsion(&own, j);
            found.away * strength
        };
        // Too close to the path of a fast agent: nothing else counts.
        let terror = choice.edges.iter().find_map(|j| {
            let edge = &self.edges[j as usize];
            let ends = [edge.ends[0].at, edge.ends[1].at];
            let near =
                edge.is_virtual && force::edge_distance_m(&own.at, &ends) < s.panic * edge.reach_m;
            near.then_some(edge.owner)
        });
        if let Some(owner) = terror {
            let of_that = |j: &u32| self.edges[*j as usize].owner == owner;
            let push: Vec3 = choice.edges.iter().filter(of_that).map(push_of).sum();
            let run = self.along(dart, push) * s.hurry;
            return (limited(run, s.hurry * s.most_m_s2), true);
        }
        let ahead = self.along(dart, agent.target - agent.at);
        let far = ahead.norm();
        let wanted = if far > 0.0 {
            ahead / far * agent.speed_m_s.min(far / s.relax_s)
        } else {
            ahead
        };
        let mut sum = (wanted - agent.velocity) / s.relax_s;
        for j in choice.points.iter() {
            let other = &self.agents[j as usize];
            let found = force::of_point(&own, &other.moving());
            sum += found.away
                * s.point
                    .strength(found.distance_m, found.rate_m_s, s.reach_m);
        }
        for j in choice.edges.iter() {
            sum += push_of(j);
        }
        if s.perturbation_m_s2 > 0.0
            && far > s.reach_m
            && agent.velocity.norm() < 0.1 * agent.speed_m_s
        {
            let mut random = Random::new(s.seed ^ (i as u64) << 32 ^ self.cost.steps);
            sum += random.direction() * s.perturbation_m_s2;
        }
        (limited(self.along(dart, sum), s.most_m_s2), false)
    }

    /// Returns the influence of an edge on an agent.
    pub(super) fn repulsion(&self, on: &Moving, j: u32) -> (force::Influence, f64) {
        let (s, edge) = (&self.settings, &self.edges[j as usize]);
        let mut found = force::of_edge(on, &edge.ends);
        let owner = self.polygons.get(edge.owner as usize);
        let flat = self.registration.map().space() == Space::Plane;
        if flat && !edge.is_virtual && owner.is_some_and(|polygon| polygon.holds(&on.at)) {
            // Out through the nearest edge first; the literal ellipse would keep it inside.
            let along = edge.ends[1].at - edge.ends[0].at;
            found.away = along.cross(&Vec3::z()) / edge.length_m.max(f64::MIN_POSITIVE);
            found.rate_m_s = 0.0;
        }
        let found = found.scaled(s.across_m / edge.reach_m);
        let strength = s
            .edge
            .strength(found.distance_m, found.rate_m_s, s.across_m);
        (found, strength)
    }

    pub(super) fn push_points(&mut self) {
        self.scratch.pushes.clear();
        for i in 0..self.agents.len() {
            let push = self.acceleration(i, &self.agents[i].choice);
            self.scratch.pushes.push(push);
        }
        let s = &self.settings;
        for (agent, &(push, panics)) in self.agents.iter_mut().zip(&self.scratch.pushes) {
            let most = agent.speed_m_s * if panics { s.hurry } else { 1.0 };
            agent.velocity = limited(agent.velocity + push * s.step_s, most);
            agent.panics = panics;
        }
    }

    pub(super) fn move_points(&mut self) -> Result<(), Failure> {
        for i in 0..self.agents.len() {
            let Agent {
                particle,
                at,
                velocity,
                ..
            } = self.agents[i];
            let before = self.cell_of(particle);
            let outcome = (self.registration)
                .move_particle(particle, &(at + velocity * self.settings.step_s))
                .map_err(|e| failed("a point's move", e))?;
            let mut next = velocity;
            if let Outcome::Blocked { dart: side, share } = outcome {
                // The rest of the path goes along the obstacle.
                let map = self.registration.map();
                let wall = map.start(map.phi1(side)) - map.start(side);
                next = match map.space() {
                    Space::Volume => Vec3::zeros(),
                    _ => wall * (wall.dot(&velocity) / wall.norm_squared().max(f64::MIN_POSITIVE)),
                };
                if let Some(p) = self.registration.particle(particle) {
                    let goal = p.position + next * (self.settings.step_s * (1.0 - share));
                    let _ = (self.registration.move_particle(particle, &goal))
                        .map_err(|e| failed("a point's move", e))?;
                }
            }
            let dart = self.dart_of(particle);
            let after = self.registration.map().cell(dart);
            self.cost.moves += 1;
            self.cost.changes += u64::from(before != after);
            let flat = self.along(dart, next);
            let length = flat.norm();
            let agent = &mut self.agents[i];
            let free = outcome == Outcome::Reached;
            agent.stepped_m = free.then(|| velocity.norm() * self.settings.step_s);
            // It keeps its speed across a crease.
            agent.velocity = if length > 0.0 {
                flat * (next.norm() / length)
            } else {
                flat
            };
            if let Some(p) = self.registration.particle(particle) {
                agent.at = p.position;
            }
        }
        Ok(())
    }
}

/// Limits the length of a vector.
pub fn limited(v: Vec3, most: f64) -> Vec3 {
    let length = v.norm();
    if length > most {
        v * (most / length)
    } else {
        v
    }
}

impl Crowd {
    /// Sends agents that have arrived back to where they came from.
    pub fn shuttle(&mut self) {
        for agent in &mut self.agents {
            if (agent.target - agent.at).norm() < 3.0 {
                std::mem::swap(&mut agent.target, &mut agent.back);
            }
        }
        for polygon in &mut self.polygons {
            if (polygon.target - polygon.middle()).norm() < 0.5 {
                std::mem::swap(&mut polygon.target, &mut polygon.back);
            }
        }
    }
}
