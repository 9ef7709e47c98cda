//! Figure 8.11: a city. The cost of an agent does not depend on the size of the city.

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::registration::{Policy, Registration};
use hapticd_testkit::Random;

use super::crowd::picture::{self, View};
use super::crowd::{Crowd, Settings};
use super::route::{Routes, root};
use super::stage::{self, Options, Watch, ms};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-city",
    title: "figure 8.11 (E5): a city of three sizes; what an agent costs does not depend on the size",
    judges: Judges::CountsAndTime(&["--steps", "300"]),
    run,
};

/// Streets are one cell wide, blocks two; cells of 8 m are refined down to 2 m.
const CELL_M: f64 = 8.0;
const LEVELS: u8 = 2;
const POINTS_PER_BLOCK: usize = 12;

/// A city, its points of interest, and each agent's goal among them.
pub struct City {
    pub crowd: Crowd,
    routes: Routes,
    goals: Vec<usize>,
    aside: Vec<Vec3>,
    blocks: Vec<Cell>,
    pub arrivals: usize,
}

impl City {
    /// Makes a city with this many blocks a side.
    pub fn new(blocks: usize, seed: u64) -> Result<Self, Failure> {
        let mut random = Random::new(seed);
        let side = 3 * blocks + 1;
        let wrong = |e: &dyn std::fmt::Display| Failure::Run(format!("the city: {e}"));
        let mut map = Map::grid_2d(Vec3::zeros(), CELL_M, [side; 2]).map_err(|e| wrong(&e))?;
        let cells: Vec<Cell> = map.leaves().collect();
        let street = |x: usize, y: usize| x.is_multiple_of(3) || y.is_multiple_of(3);
        let (mut streets, mut built) = (Vec::new(), Vec::new());
        for (i, &c) in cells.iter().enumerate() {
            if street(i % side, i / side) {
                streets.push(c);
            } else {
                map.set_obstacle_cell(c, true);
                built.push(c);
            }
        }
        let interest: Vec<Cell> = (0..16)
            .map(|_| streets[random.below(streets.len())])
            .collect();
        let routes = Routes::new(&map, &interest);
        let places: Vec<Vec3> = streets.iter().map(|&c| map.centre(c)).collect();
        let registration = Registration::new(map, Policy::Exact);
        let density = stage::density(LEVELS);
        let mut crowd = Crowd::new(Settings::seeded(seed), registration, Some(density))?;
        for i in 0..blocks * blocks {
            let low = Vec3::new((i % blocks) as f64, (i / blocks) as f64, 0.0) * 3.0;
            let corner = |x: f64, y: f64| (low + Vec3::new(x, y, 0.0)) * CELL_M;
            let (near, far) = (1.05, 2.95);
            crowd.add_obstacle(&[
                corner(near, near),
                corner(far, near),
                corner(far, far),
                corner(near, far),
            ])?;
        }
        let (mut goals, mut aside) = (Vec::new(), Vec::new());
        for _ in 0..POINTS_PER_BLOCK * blocks * blocks {
            let off = |random: &mut Random| Vec3::new(random.signed(), random.signed(), 0.0) * 2.0;
            let at = places[random.below(places.len())] + off(&mut random);
            crowd.add_point(at, at, random.between(1.0, 1.8))?;
            goals.push(random.below(interest.len()));
            aside.push(off(&mut random));
        }
        crowd.settle_cells();
        Ok(City {
            crowd,
            routes,
            goals,
            aside,
            blocks: built,
            arrivals: 0,
        })
    }

    /// Gives each agent its next intermediate goal; an agent that has arrived draws another goal.
    fn plan(&mut self) {
        let map = self.crowd.registration.map();
        for (i, agent) in self.crowd.agents.iter_mut().enumerate() {
            let Some(particle) = self.crowd.registration.particle(agent.particle) else {
                continue;
            };
            let at = root(map, map.cell(particle.dart));
            if self.routes.is_there(at, self.goals[i]) {
                self.arrivals += 1;
                let mut random = Random::new((i as u64) << 32 ^ self.arrivals as u64);
                self.goals[i] = random.below(16);
            }
            if let Some(to) = self.routes.ahead(at, self.goals[i]) {
                agent.target = to + self.aside[i];
            }
        }
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(600, 10_000);
    let sizes = [4, 8, 16];
    let mut cities = Vec::new();
    for blocks in sizes {
        cities.push(City::new(blocks, options.seed)?);
    }
    let mut watch = Watch::default();
    for k in 0..steps {
        for city in &mut cities {
            city.plan();
            city.crowd.step()?;
        }
        options.frame("city", k, steps, || {
            let side = (3 * sizes[0] + 1) as f64 * CELL_M;
            let view = View::Above {
                low: [0.0; 2],
                size: [side; 2],
            };
            let city = &cities[0];
            picture::draw(&city.crowd, view, |i| city.goals[i], &city.blocks)
        })?;
        if (k + 1) % (steps / 4).max(1) == 0 {
            cities
                .iter_mut()
                .for_each(|city| watch.look(&mut city.crowd));
        }
    }
    let mut rows = Vec::new();
    let (mut times, mut reads) = (Vec::new(), Vec::new());
    for (blocks, city) in sizes.iter().zip(&cities) {
        let (cost, crowd) = (&city.crowd.cost, &city.crowd);
        let moves = cost.moves as f64;
        let tally = crowd.registration.tally();
        let each = ms(cost.total()) * 1e3 / moves;
        let read = (cost.seen + tally.tests + crowd.registration.edits()) as f64 / moves;
        times.push(each);
        reads.push(read);
        let name = format!("{} x {0} blocks, {} points", blocks, crowd.agents.len());
        let mut row = Row::new(name, "us an agent's step", "constant", each);
        for (name, t) in stage::timers(cost) {
            row = row.with(name, t * 1e3 / moves);
        }
        rows.push(
            row.with("cells", crowd.registration.map().leaf_count())
                .with("seen, tests and edits", read)
                .with("points that change cell, %", 100.0 * cost.changing())
                .with("arrivals", city.arrivals),
        );
    }
    let spread = |v: &[f64]| {
        let most = v.iter().copied().fold(0.0, f64::max);
        most / v.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let (by_time, by_count) = (spread(&times), spread(&reads));
    let inside = cities.iter().map(|city| buried(&city.crowd)).sum::<usize>();
    rows.push(Row::new("time, max / min", "", "constant", by_time).with("below", 1.35));
    rows.push(
        Row::new("seen, tests and edits, max / min", "", "constant", by_count).with("below", 1.15),
    );
    rows.push(Row::new("points in buildings at the end", "", 0, inside));
    rows.push(watch.row());
    Ok(Report {
        rows,
        verdict: Verdict::new(
            by_count < 1.15 && inside == 0 && watch.missed == 0,
            format!(
                "16 times the city: {by_time:.2} times the time of an agent (bar 1.35: caches), {by_count:.2} times what it looks at (bar 1.15); {inside} points in buildings; {}",
                watch.words()
            ),
        )
        .and_time(by_time < 1.35),
        more: serde_json::Map::new(),
        notes: vec![format!(
            "{steps} steps; streets of 8 m around blocks of 16 m, cells of 8 to 2 m, {POINTS_PER_BLOCK} points a block, 16 points of interest; ways are looked up, outside the timers. The source gives no counts"
        )],
        details: Vec::new(),
    })
}

/// Returns the number of points in cells of buildings.
fn buried(crowd: &Crowd) -> usize {
    let at = |x: f64| !((x / CELL_M).floor() as usize).is_multiple_of(3);
    let inside = |p: &Vec3| at(p.x) && at(p.y) && p.x % CELL_M > 1e-6 && p.y % CELL_M > 1e-6;
    crowd.agents.iter().filter(|a| inside(&a.at)).count()
}
