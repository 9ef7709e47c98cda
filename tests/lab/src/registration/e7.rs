//! Figures 8.13 to 8.15: crowds on a planet, a torus knot and a potato.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_triangle;
use hapticd_registration::map::{Cell, Dart, Map};
use hapticd_registration::registration::{Policy, Registration};
use hapticd_registration::track::Tally;
use hapticd_testkit::Random;

use super::crowd::picture::{self, View};
use super::crowd::shape::Shape;
use super::crowd::{Ahead, Body, Crowd, Polygon, Settings};
use super::route::{Routes, root};
use super::stage::{self, Options, Watch, ms};
use super::worlds;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-curved",
    title: "figures 8.13 to 8.15 (E7): crowds on curved surfaces: no agent leaves, steps keep their length",
    judges: Judges::Counts(&["--steps", "100"]),
    run,
};

const POINTS: usize = 400;
const SLUGS: usize = 12;
const GOALS: usize = 12;
/// Cells of about 4 m are refined to 2 m.
const LEVELS: u8 = 1;

/// A curved world with buildings, and the agents' goals.
pub struct World {
    pub crowd: Crowd,
    routes: Routes,
    goals: Vec<usize>,
    slugs: Vec<usize>,
    arrivals: usize,
    /// The buildings.
    pub houses: Vec<Cell>,
}

impl World {
    pub fn new(mut map: Map, seed: u64) -> Result<Self, Failure> {
        let mut random = Random::new(seed);
        let cells: Vec<Cell> = map.leaves().collect();
        let mut houses = Vec::new();
        for &c in &cells {
            if random.chance(0.05) {
                map.set_obstacle_cell(c, true);
                houses.push(c);
            }
        }
        let free = |random: &mut Random| {
            loop {
                let c = cells[random.below(cells.len())];
                if !houses.contains(&c) {
                    return c;
                }
            }
        };
        let goals: Vec<Cell> = (0..GOALS).map(|_| free(&mut random)).collect();
        let routes = Routes::new(&map, &goals);
        let mut starts = Vec::new();
        while starts.len() < POINTS {
            let c = free(&mut random);
            // Not in a yard without an exit.
            if routes.ahead(c, 0).is_some() {
                let d = map.dart(c);
                let share = 0.8 * random.unit();
                starts.push((map.centre(c) * (1.0 - share) + map.start(d) * share, c));
            }
        }
        let density = stage::density(LEVELS);
        let registration = Registration::new(map, Policy::Tolerate);
        let mut crowd = Crowd::new(Settings::close(seed), registration, Some(density))?;
        let mut wants = Vec::new();
        for (at, near) in starts {
            crowd.near = Some(near);
            crowd.add_point(at, at, random.between(1.0, 1.8))?;
            wants.push(random.below(GOALS));
        }
        let mut world = World {
            crowd,
            routes,
            goals: wants,
            slugs: Vec::new(),
            arrivals: 0,
            houses,
        };
        world.build()?;
        world.add_slugs(&cells, &mut random)?;
        world.crowd.settle_cells();
        Ok(world)
    }

    /// Makes the walls of the buildings edges that all agents react to.
    fn build(&mut self) -> Result<(), Failure> {
        for &c in &self.houses {
            let map = self.crowd.registration.map();
            let mut corners: Vec<Vec3> = vec![map.start(map.dart(c))];
            let mut d = map.phi1(map.dart(c));
            while d != map.dart(c) {
                corners.push(map.start(d));
                d = map.phi1(d);
            }
            self.crowd.near = Some(c);
            self.crowd.add_obstacle(&corners)?;
        }
        Ok(())
    }

    /// Adds slugs in the middles of some cells; their corners are located by moving out from there.
    fn add_slugs(&mut self, cells: &[Cell], random: &mut Random) -> Result<(), Failure> {
        let mut taken: Vec<Vec3> = Vec::new();
        for _ in 0..1000 {
            let c = cells[random.below(cells.len())];
            let map = self.crowd.registration.map();
            let centre = map.centre(c);
            let free = |p: &Vec3| (p - centre).norm() > 6.0;
            let alone = taken.iter().all(free)
                && self.houses.iter().all(|&h| free(&map.centre(h)))
                && self.routes.ahead(c, 0).is_some();
            if taken.len() == SLUGS || !alone {
                continue;
            }
            let normal = self.crowd.normal(map.dart(c));
            let first = (map.start(map.dart(c)) - centre).normalize();
            let second = normal.cross(&first);
            let mut corners = Vec::new();
            for k in 0..8 {
                let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_4).sin_cos();
                let goal = centre + first * (1.6 * cos) + second * (0.8 * sin);
                let mut particle = map.particle_in(c);
                let mut tally = Tally::default();
                let moved = map.track(&mut particle, &goal, &mut tally);
                let _ = moved.map_err(|e| Failure::Run(format!("a slug: {e}")))?;
                corners.push(particle.position);
            }
            let local = |p: &Vec3| {
                let q = p - centre;
                Vec3::new(first.dot(&q), second.dot(&q), 0.0)
            };
            let rest: Vec<Vec3> = corners.iter().map(local).collect();
            let Some(shape) = Shape::new(&rest, 0.2, 0.3) else {
                continue;
            };
            taken.push(centre);
            self.crowd.near = Some(c);
            let body = Body::Soft { shape };
            let none = Ahead::None;
            self.crowd.add_polygon(body, &corners, none, centre, 1.0)?;
            self.slugs.push(random.below(GOALS));
        }
        Ok(())
    }

    /// Returns the ratio of the longest diagonal of a slug to that of a slug at rest.
    fn stretch(&self) -> f64 {
        let longest = |p: &Polygon| {
            let opposite = (0..4).map(|i| (p.corners[i].at - p.corners[i + 4].at).norm());
            opposite.fold(0.0, f64::max)
        };
        self.crowd.polygons.iter().map(longest).fold(0.0, f64::max) / 3.2
    }

    /// Gives each agent its next intermediate goal; an agent that has arrived draws another goal.
    pub fn plan(&mut self) {
        let map = self.crowd.registration.map();
        for (i, agent) in self.crowd.agents.iter_mut().enumerate() {
            let Some(particle) = self.crowd.registration.particle(agent.particle) else {
                continue;
            };
            let at = root(map, map.cell(particle.dart));
            if self.routes.is_there(at, self.goals[i]) {
                self.arrivals += 1;
                let mut random = Random::new((i as u64) << 32 ^ self.arrivals as u64);
                self.goals[i] = random.below(GOALS);
            }
            if let Some(to) = self.routes.ahead(at, self.goals[i]) {
                agent.target = to;
            }
        }
        for (i, slug) in self.crowd.polygons.iter_mut().enumerate() {
            let Some(particle) = self.crowd.registration.particle(slug.first()) else {
                continue;
            };
            let at = root(map, map.cell(particle.dart));
            if self.routes.is_there(at, self.slugs[i]) {
                self.slugs[i] = (self.slugs[i] + 1) % GOALS;
            }
            if let Some(to) = self.routes.ahead(at, self.slugs[i]) {
                slug.target = to;
            }
        }
    }
}

/// Returns the triangle of a dart.
fn facet(map: &Map, d: Dart) -> [Vec3; 3] {
    [
        map.centre(map.cell(d)),
        map.start(d),
        map.start(map.phi1(d)),
    ]
}

/// Returns the distance of a point from a cell, and the triangles of the cell that it is on, within
/// 1 nm.
fn on(map: &Map, c: Cell, p: &Vec3) -> (f64, Vec<[Vec3; 3]>) {
    let mut off = f64::INFINITY;
    let mut facets = Vec::new();
    for d in map.cell_darts(c) {
        let triangle = facet(map, d);
        let apart = (point_triangle(p, &triangle).0 - p).norm();
        off = off.min(apart);
        if apart < 1e-9 {
            facets.push(triangle);
        }
    }
    (off, facets)
}

/// Returns the length of the straight path between points of two triangles, within one or across
/// their shared edge; `None` if they share no edge.
fn unfolded(a: &[Vec3; 3], p: &Vec3, b: &[Vec3; 3], q: &Vec3) -> Option<f64> {
    let touches = |t: &[Vec3; 3], x: &Vec3| (point_triangle(x, t).0 - x).norm() < 1e-9;
    if touches(a, q) || touches(b, p) {
        // Within one triangle, even if a neighbour's refinement has cut it in two.
        return Some((p - q).norm());
    }
    let shared: Vec<Vec3> = a.iter().copied().filter(|v| b.contains(v)).collect();
    match shared[..] {
        [s, e] => {
            let along = (e - s).normalize();
            let laid = |x: &Vec3| {
                let t = along.dot(&(x - s));
                (t, (x - s - along * t).norm())
            };
            let ((tp, hp), (tq, hq)) = (laid(p), laid(q));
            // Across the edge, not past its end.
            let share = if hp + hq > 0.0 { hp / (hp + hq) } else { 0.0 };
            let through = tp + (tq - tp) * share;
            let inside = -1e-9..=(e - s).norm() + 1e-9;
            inside.contains(&through).then(|| (tp - tq).hypot(hp + hq))
        }
        _ => None,
    }
}

/// Observations of a world's steps from outside.
#[derive(Default)]
struct Steps {
    /// Largest distance of a point from its own cell, m.
    off: f64,
    /// Checked steps, those across an edge, and largest error in length, m.
    checked: usize,
    bent: usize,
    error: f64,
    /// Steps across more than one edge or a corner; steps blocked by a building.
    other: usize,
}

impl Steps {
    fn look(&mut self, world: &mut World) -> Result<(), Failure> {
        let crowd = &mut world.crowd;
        let place = |crowd: &Crowd, i: usize| {
            let p = crowd.registration.particle(crowd.agents[i].particle);
            p.map(|p| (p.position, crowd.registration.map().cell(p.dart)))
        };
        let before: Vec<_> = (0..crowd.agents.len())
            .map(|i| place(crowd, i).map(|(p, c)| (p, on(crowd.registration.map(), c, &p).1)))
            .collect();
        crowd.step()?;
        for (i, from) in before.into_iter().enumerate() {
            let (Some((p, facets)), Some((q, c))) = (from, place(crowd, i)) else {
                continue;
            };
            let (off, ends) = on(crowd.registration.map(), c, &q);
            self.off = self.off.max(off);
            let Some(wish) = crowd.agents[i].stepped_m else {
                self.other += 1;
                continue;
            };
            let ways = facets.iter().flat_map(|a| {
                let (p, q) = (&p, &q);
                ends.iter()
                    .filter_map(move |b| unfolded(a, p, b, q).map(|l| (l, a != b)))
            });
            let nearest = ways.min_by(|a, b| (a.0 - wish).abs().total_cmp(&(b.0 - wish).abs()));
            match nearest {
                Some((length, bent)) => {
                    self.checked += 1;
                    self.bent += usize::from(bent);
                    self.error = self.error.max((length - wish).abs());
                }
                None => self.other += 1,
            }
        }
        Ok(())
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(600, 10_000);
    let mut rows = Vec::new();
    let mut watch = Watch::default();
    let mut all = Steps::default();
    let mut arrivals = 0;
    let mut dearest = 0.0_f64;
    let worlds = [
        ("planet", worlds::planet()?),
        ("torus-knot", worlds::torus_knot()?),
        ("potato", worlds::potato()?),
    ];
    for (name, map) in worlds {
        let cells = map.leaf_count();
        let mut world = World::new(map, options.seed)?;
        let mut seen = Steps::default();
        for k in 0..steps {
            world.plan();
            if k % 10 == 9 {
                seen.look(&mut world)?;
            } else {
                world.crowd.step()?;
            }
            if (k + 1) % (steps / 4).max(1) == 0 {
                watch.look(&mut world.crowd);
            }
            options.frame(name, k, steps, || {
                let view = View::From {
                    eye: Vec3::new(90.0, -75.0, 70.0),
                    to: Vec3::zeros(),
                    opening: 0.62,
                };
                picture::draw(&world.crowd, view, |i| i, &world.houses)
            })?;
        }
        let cost = &world.crowd.cost;
        let each = ms(cost.total()) * 1e3 / cost.moves as f64;
        dearest = dearest.max(each);
        rows.push(
            Row::new(format!("{name}: furthest from its cell"), "m", 0, seen.off)
                .with("slugs, max length by rest", world.stretch())
                .with("error of a step's length, m", seen.error)
                .with("steps checked", seen.checked)
                .with("over a crease", seen.bent)
                .with("blocked, or over more", seen.other)
                .with(
                    "cells",
                    format!("{cells}, {}", world.crowd.registration.map().leaf_count()),
                )
                .with("arrivals", world.arrivals)
                .with("us an agent's step", each)
                .with("points that change cell, %", 100.0 * cost.changing()),
        );
        all.off = all.off.max(seen.off);
        all.error = all.error.max(seen.error);
        all.checked += seen.checked;
        all.bent += seen.bent;
        all.other += seen.other;
        arrivals += world.arrivals;
    }
    rows.push(watch.row());
    // The tolerance of the map is a billionth of its shortest edge.
    let holds = all.off < 1e-8
        && all.error < 1e-8
        && all.checked > 9 * all.other
        && all.bent > 100
        && arrivals > 0
        && watch.missed == 0;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            holds,
            format!(
                "no point over {:.0e} m from its cell; {} steps, {} of them over a crease, as long as they should be to {:.0e} m; {arrivals} arrivals; {}",
                all.off,
                all.checked,
                all.bent,
                all.error,
                watch.words()
            ),
        ),
        more: serde_json::Map::new(),
        notes: vec![format!(
            "{POINTS} points and {SLUGS} slugs on each for {steps} steps, one cell in twenty a building, ways by breadth-first search to {GOALS} places; lengths by unfolding the two triangles of a step"
        )],
        details: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_unfolded_across_the_side_that_triangles_share() {
        let at = Vec3::new;
        let flat = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0)];
        let up = [at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0), at(1.0, 0.0, 1.0)];
        let (p, q) = (at(0.7, 0.2, 0.0), at(1.0, 0.6, 0.1));
        let length = unfolded(&flat, &p, &up, &q).unwrap();
        assert!((length - 0.4_f64.hypot(0.4)).abs() < 1e-12, "{length}");
        assert_eq!(unfolded(&flat, &p, &flat, &q), Some((p - q).norm()));
        // The straight path on the unfolded surface would leave the shared edge.
        let (p, q) = (at(0.2, 0.0, 0.0), at(1.0, 0.0, 0.9));
        assert!(unfolded(&flat, &p, &up, &q).is_some(), "along its end");
        let far = [at(5.0, 0.0, 0.0), at(6.0, 0.0, 0.0), at(5.0, 1.0, 0.0)];
        assert_eq!(unfolded(&flat, &p, &far, &q), None);
    }
}
