//! A tool with 6 degrees of freedom stirs a pile of loose bodies for a long time: no body ever
//! enters another, and there is no energy that the hand did not supply.
//!
//! The product's loop and collision side run in virtual time, with answers late by a few ticks. The
//! independent checker tests every pair of surfaces at every tick, tool and trays included. The
//! energy of the bodies follows from their poses: velocities are differences of poses over a tick.

use std::collections::VecDeque;

use clap::Parser;
use hapticd_audit::{Solid, Tool, intersects, penetration_depth_m};
use hapticd_geometry::{
    Adjacency, MassProperties, MeshReport, Pose, Quat, TriMesh, Vec3, shapes, transform,
};
use hapticd_proxy::{
    ArmOutcome, ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material,
    Query, Snapshot, TickInput, ToolShape,
};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};
use serde_json::Value;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "contact-pile",
    title: "24 loose bodies stirred by a 6-DOF tool: no penetration, no energy created",
    judges: Judges::Counts(&["--bodies", "12", "--stir", "3000", "--ticks", "9600"]),
    run,
};

#[derive(Parser)]
struct Args {
    /// Ticks of the loop, at 1 kHz.
    #[arg(long, default_value_t = 100_000)]
    ticks: u64,
    /// How many ticks late each answer is.
    #[arg(long, default_value_t = 2)]
    late: usize,
    /// Loose bodies.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u64).range(1..=24))]
    bodies: u64,
    /// Ticks of stirring in each round; for 2,500 more the hand is away.
    #[arg(long, default_value_t = 7500, value_parser = clap::value_parser!(u64).range(1000..=100_000))]
    stir: u64,
}

const PERIOD_S: f64 = 1e-3;
const G: f64 = 9.81;
const DENSITY: f64 = 1200.0;
/// The hand is away for the last part of each round, and everything comes to rest.
const AWAY_TICKS: u64 = 2_500;
/// Maximum time until the heap is at rest after the hand has left.
const SETTLING_TICKS: u64 = 1_000;

struct Loose {
    solid: Solid,
    mass: MassProperties,
    pose: Pose,
    energy_j: f64,
}

struct Pile {
    world: Scene,
    engine: Engine,
    waiting: VecDeque<Query>,
    late: usize,
    // Boxes, because they travel to the engine and back.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Snapshot>>,
    tool: Solid,
    tray: Vec<(Solid, Pose)>,
    loose: Vec<Loose>,
    ids: Vec<u32>,
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Run(format!("the pile: {error}"))
}

fn spec(name: String, kind: BodyKind, mesh: &TriMesh, pose: &Pose) -> BodySpec {
    BodySpec {
        name,
        kind,
        shape: Shape::of(mesh.clone()).0,
        solid: true,
        world_from_body: *pose,
        material: Material {
            stiffness_n_per_m: 1000.0,
            damping_n_s_per_m: 0.5,
            friction: 0.3,
            force_shading: false,
        },
        restitution: 0.2,
        density_kg_m3: DENSITY,
    }
}

impl Pile {
    fn new(bodies: usize, late: usize) -> Result<Self, Failure> {
        let distances = Distances::for_width(0.3);
        let rod = shapes::cuboid(&Vec3::new(0.006, 0.006, 0.04)).map_err(failed)?;
        let tool = ToolShape::mesh(rod.positions(), true);
        let mut world = Scene::new(distances.clearance_m, 4096);
        world.set_tool(0, Shape::of(rod.clone()).0, tool);
        // A tray of five slabs, open at the top.
        let slab = |x: f64, y: f64, z: f64| shapes::cuboid(&Vec3::new(x, y, z)).map_err(failed);
        let tray = [
            (slab(0.15, 0.15, 0.02)?, Pose::translation(0.0, 0.0, -0.02)),
            (slab(0.01, 0.15, 0.06)?, Pose::translation(0.14, 0.0, 0.06)),
            (slab(0.01, 0.15, 0.06)?, Pose::translation(-0.14, 0.0, 0.06)),
            (slab(0.15, 0.01, 0.06)?, Pose::translation(0.0, 0.14, 0.06)),
            (slab(0.15, 0.01, 0.06)?, Pose::translation(0.0, -0.14, 0.06)),
        ];
        let mut ids = Vec::new();
        for (k, (mesh, pose)) in tray.iter().enumerate() {
            let spec = spec(format!("tray {k}"), BodyKind::Static, mesh, pose);
            ids.push(world.add_body(spec).map_err(failed)?);
        }
        let meshes = [
            shapes::cuboid(&Vec3::repeat(0.014)).map_err(failed)?,
            shapes::icosphere(0.015, 2).map_err(failed)?,
            shapes::cylinder(0.008, 0.03, 12).map_err(failed)?,
            shapes::plate(0.02, 0.015, 0.003).map_err(failed)?,
            shapes::torus(0.014, 0.005, 12, 8).map_err(failed)?,
            shapes::cuboid(&Vec3::new(0.008, 0.012, 0.02)).map_err(failed)?,
        ];
        let mut loose = Vec::new();
        for k in 0..bodies {
            let mesh = &meshes[k % meshes.len()];
            let (i, j, layer) = (k % 4, k / 4 % 3, k / 12);
            let at = Vec3::new(
                0.055 * (i as f64 - 1.5),
                0.06 * (j as f64 - 1.0),
                0.04 + 0.07 * layer as f64,
            );
            let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.7, -0.2) * (k as f64));
            let pose = Pose::from_parts(at.into(), turn);
            let spec = spec(format!("loose {k}"), BodyKind::Dynamic, mesh, &pose);
            ids.push(world.add_body(spec).map_err(failed)?);
            let report = MeshReport::of(mesh, &Adjacency::new(mesh));
            loose.push(Loose {
                solid: Solid::new(mesh),
                mass: MassProperties::of(mesh, &report, DENSITY).map_err(failed)?,
                pose,
                energy_j: 0.0,
            });
        }
        let mut setups = [None; MAX_ARMS];
        setups[0] = Some(ArmSetup {
            shape: tool,
            distances,
            gains: Gains {
                stiffness_n_per_m: 400.0,
                damping_n_s_per_m: 0.5,
                rotational_stiffness_nm_per_rad: 0.4,
                rotational_damping_nm_s_per_rad: 0.0005,
            },
            damping: Damping::Relative,
            interaction: Interaction::Spring,
            pair_budget: 256,
            reach_max_m: 0.05,
            reach_min_m: 20.0 * distances.safe_m,
        });
        Ok(Pile {
            world,
            engine: Engine::new(setups, 0.003),
            waiting: VecDeque::new(),
            late,
            spare: Vec::new(),
            tool: Solid::new(&rod),
            tray: tray.iter().map(|(m, p)| (Solid::new(m), *p)).collect(),
            loose,
            ids,
        })
    }

    fn tick(&mut self, hand: &Pose) -> ArmOutcome {
        if self.waiting.len() > self.late
            && let Some(query) = self.waiting.pop_front()
        {
            self.world.advance(&query, PERIOD_S);
            let mut answer = (self.spare.pop()).unwrap_or_else(|| Box::new(Snapshot::new(8192)));
            if self.world.answer(&query, 0, &mut answer) {
                self.spare.extend(self.engine.receive(answer));
            }
        }
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(*hand);
        let input = TickInput {
            period_s: PERIOD_S,
            devices,
            anchor: 0,
        };
        let out = self.engine.tick(&input).arms[0];
        self.spare.extend(self.engine.take_retired());
        self.waiting.push_back(self.engine.query());
        for (loose, id) in self.loose.iter_mut().zip(&self.ids[self.tray.len()..]) {
            let Some(body) = self.engine.bodies().find(|b| b.id == *id) else {
                continue;
            };
            loose.energy_j = energy_j(&loose.mass, &loose.pose, &body.pose);
            loose.pose = body.pose;
        }
        out
    }

    fn energy_j(&self) -> f64 {
        self.loose.iter().map(|l| l.energy_j).sum()
    }

    /// Counts pairs of surfaces that intersect, and pairs of which one is inside the other.
    fn penetrations(&self, tool: &Pose, solid: u64) -> u64 {
        let everybody = (self.tray.iter().map(|(s, p)| (s, p)))
            .chain(self.loose.iter().map(|l| (&l.solid, &l.pose)));
        let everybody: Vec<_> = everybody.collect();
        let mut found = 0;
        for (k, (body, pose)) in everybody.iter().enumerate() {
            let inside = penetration_depth_m(&Tool::Mesh(&self.tool), tool, body, pose) > 0.0;
            found += u64::from(solid & (1 << k) != 0 && inside);
            for (other, there) in &everybody[(k + 1).max(self.tray.len())..] {
                found += u64::from(intersects(&Tool::Mesh(other), there, body, pose).is_some());
            }
        }
        found
    }
}

/// Returns the kinetic and potential energy of a body that moved from one pose to another in a
/// tick.
fn energy_j(mass: &MassProperties, before: &Pose, after: &Pose) -> f64 {
    let centre = transform(after, &mass.center);
    let v = (centre - transform(before, &mass.center)) / PERIOD_S;
    // In the body's frame, like the inertia tensor.
    let w = (before.rotation.inverse() * after.rotation).scaled_axis() / PERIOD_S;
    let kinetic = 0.5 * mass.mass * v.norm_squared() + 0.5 * w.dot(&(mass.inertia * w));
    kinetic + mass.mass * G * centre.z
}

/// Moves through the heap in loops of changing width and height, tilting and turning, at up to 0.4
/// m/s; then out and away.
fn hand(tick: u64, stirring: u64) -> Pose {
    let round_ticks = stirring + AWAY_TICKS;
    let round = (tick / round_ticks) as f64;
    let (at, t) = (tick % round_ticks, tick as f64 * PERIOD_S);
    let up = if at < 500 {
        1.0 - at as f64 / 500.0
    } else if at >= stirring {
        ((at - stirring) as f64 / 500.0).min(1.0)
    } else {
        0.0
    };
    let wide = 0.07 + 0.02 * (0.7 * t).sin();
    let (s, c) = ((4.1 + 0.1 * round) * t).sin_cos();
    let down = 0.05 + 0.03 * (1.3 * t).sin();
    let turn = Vec3::new(
        0.5 * (1.9 * t).sin(),
        0.5 * (1.1 * t).cos(),
        1.2 * (0.9 * t).sin(),
    );
    let at = Vec3::new(
        wide * c,
        wide * (s + 0.3 * (2.3 * t).sin()),
        down + 0.25 * up,
    );
    Pose::from_parts(at.into(), Quat::from_scaled_axis(turn))
}

fn run(context: &Context) -> Result<Report, Failure> {
    let args: Args = context.parse()?;
    let mut pile = Pile::new(args.bodies as usize, args.late)?;
    let mut penetrations = 0;
    let (mut touched, mut blocked, mut solid_ticks) = (0_u64, 0_u64, 0_u64);
    // Work of the hand since it was last away, by the trapezoidal rule, and the energy of the heap
    // then.
    let (mut given_j, mut rest_j): (f64, Option<f64>) = (0.0, None);
    let (mut gained_j, mut settling_j, mut rounds) = (f64::NEG_INFINITY, 0.0_f64, 0_u32);
    let mut least_j = f64::INFINITY;
    let mut last: Option<(Pose, ArmOutcome)> = None;
    let start = Moment::now();
    for tick in 0..args.ticks {
        let device = hand(tick, args.stir);
        let out = pile.tick(&device);
        penetrations += pile.penetrations(&out.proxy, out.solid);
        touched += u64::from(out.contact_count > 0);
        blocked += u64::from(pile.engine.output().blocked_bodies != 0);
        solid_ticks += u64::from(out.solid.count_ones() as usize == pile.ids.len());
        if let Some((before, was)) = &last {
            let shift = device.translation.vector - before.translation.vector;
            let turn = (device.rotation * before.rotation.inverse()).scaled_axis();
            given_j -= 0.5 * (out.wrench.force_n + was.wrench.force_n).dot(&shift)
                + 0.5 * (out.wrench.torque_nm + was.wrench.torque_nm).dot(&turn);
        }
        last = Some((device, out));
        let in_round = tick % (args.stir + AWAY_TICKS);
        let alone = args.stir + SETTLING_TICKS;
        let energy = pile.energy_j();
        if in_round == alone {
            if let Some(rest) = rest_j {
                gained_j = gained_j.max(energy - rest - given_j);
                rounds += 1;
            }
            (given_j, rest_j) = (0.0, Some(energy));
            least_j = energy;
        } else if in_round > alone {
            // Nothing touches the heap: its energy can only fall.
            settling_j = settling_j.max(energy - least_j);
            least_j = least_j.min(energy);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let count = |name: &str, n: u64| Row::new(name, "", Value::Null, n);
    let clean = penetrations == 0;
    // Differences of poses resolve a millionth of the energy of a round of stirring.
    let (steady, passive) = (settling_j <= 1e-6, rounds > 0 && gained_j <= 1e-6);
    let busy = touched > args.ticks / 10 && blocked > 0;
    Ok(Report {
        rows: vec![
            count("ticks", args.ticks),
            count("ticks with the tool in contact", touched),
            count("ticks in which the tool held bodies up", blocked),
            count(
                "ticks in which all bodies were solid to the tool",
                solid_ticks,
            ),
            count("penetrating pairs, over all ticks", penetrations),
            Row::new(
                "largest gain of the heap beyond the hand's work, in a round",
                "J",
                Value::Null,
                gained_j,
            ),
            Row::new(
                "largest gain of the untouched heap",
                "J",
                Value::Null,
                settling_j,
            ),
            Row::new("time", "s", Value::Null, seconds).timed(),
        ],
        verdict: Verdict::new(
            clean && steady && passive && busy,
            format!(
                "{penetrations} penetrations in {} ticks of {} bodies; left alone the heap gained {settling_j:.1e} J at most; over \
                 {rounds} rounds of stirring at least {:.2e} J less than the hand gave",
                args.ticks, args.bodies, -gained_j
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "cubes, balls, rods, plates, rings and bricks in a tray; the tool a rod of 12 x 12 x 80 mm; answers {} ticks late; friction 0.3, restitution 0.2",
            args.late
        )],
    })
}
