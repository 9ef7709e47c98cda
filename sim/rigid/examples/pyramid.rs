//! A pyramid of 55 boxes at 1 ms per step: `cargo run --release -p hapticd-rigid --example pyramid
//! [steps] [visits]`.
//!
//! Prints, for each fifth of the run, the time of a step, the residual of the solver, and how far
//! the boxes moved.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_rigid::{BodySpec, RigidWorld, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let steps: usize = arguments.next().map_or(Ok(2000), |s| s.parse())?;
    let visits: u32 = arguments
        .next()
        .map_or(Ok(Settings::default().visits), |s| s.parse())?;
    let mut world = RigidWorld::new(Settings {
        sleep_after_s: f64::INFINITY,
        visits,
        ..Settings::default()
    })?;
    let half = 0.1;
    let floor = shapes::cuboid(&Vec3::new(5.0, 5.0, 0.5))?;
    world.add(&BodySpec::fixed(
        Arc::new(MeshIndex::new(floor)),
        Pose::translation(0.0, 0.0, -0.5),
    ))?;
    let cube = Arc::new(MeshIndex::new(shapes::cuboid(&Vec3::repeat(half))?));
    let mut ids = Vec::new();
    for row in 0..10 {
        for k in 0..10 - row {
            let x = (f64::from(k) - 0.5 * f64::from(9 - row)) * 2.2 * half;
            let z = half * 1.001 * f64::from(2 * row + 1);
            ids.push(world.add(&BodySpec::dynamic(
                cube.clone(),
                Pose::translation(x, 0.0, z),
                1000.0,
            ))?);
        }
    }
    let places = |world: &RigidWorld| {
        ids.iter()
            .filter_map(|&id| world.body(id).ok())
            .map(|b| b.centre)
            .collect::<Vec<_>>()
    };
    let start = places(&world);
    let fifth = (steps / 5).max(1);
    for part in 0..5 {
        let mut times = Vec::with_capacity(fifth);
        let (mut residual, mut visited, mut contacts) = (0.0_f64, 0, 0);
        for _ in 0..fifth {
            let clock = Instant::now();
            let plan = world.step(1e-3);
            times.push(clock.elapsed().as_secs_f64() * 1e6);
            residual = plan.residual_m_s;
            visited += plan.counters.visits;
            contacts = plan.counters.contacts;
        }
        times.sort_by(f64::total_cmp);
        let mean = times.iter().sum::<f64>() / fifth as f64;
        let moved = places(&world)
            .iter()
            .zip(&start)
            .map(|(x, y)| (x - y).norm())
            .fold(0.0, f64::max);
        println!(
            "part {part}: mean {mean:.0} us, median {:.0} us, p99 {:.0} us; {contacts} contacts, {} visits a step, residual {residual:.1e} m/s, moved {moved:.1e} m",
            times[fifth / 2],
            times[fifth * 99 / 100],
            visited / fifth as u32,
        );
    }
    Ok(())
}
