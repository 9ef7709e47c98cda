//! The world of spheres compared with mechanics.

mod bodies;
mod contacts;
mod fluids;
mod links;
mod probes;
mod whatever;

use hapticd_counting::Counting;
use hapticd_particles::Vec3;
use hapticd_particles::{
    FluidMaterial, LatticeMaterial, Neighbours, Region, Rest, Settings, Sphere, SphereWorld,
    StepReport, StrandMaterial, Walls,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const G: f64 = 9.81;
/// Step of the thread for deformables.
const DT: f64 = 0.004;

fn weightless() -> SphereWorld {
    SphereWorld::new(Settings {
        gravity_m_s2: Vec3::zeros(),
        ..Settings::default()
    })
    .unwrap()
}

fn earth() -> SphereWorld {
    SphereWorld::new(Settings::default()).unwrap()
}

/// Makes steps without obstacles and probes; nothing may go wrong.
fn go(world: &mut SphereWorld, steps: u32) {
    for _ in 0..steps {
        assert_eq!(world.step(DT, &[], &[]), Ok(StepReport::default()));
    }
}

fn ball(at: Vec3, body: u32) -> Sphere {
    Sphere::at(at, 0.01, 0.01, body)
}

fn wire() -> StrandMaterial {
    StrandMaterial {
        radius_m: 0.004,
        mass_kg: 0.1,
        stretch_n: 100.0,
        bend_n_m2: 0.0,
        damping_s: 0.0,
        rest: Rest::AsGiven,
        window_m: 0.0,
    }
}

/// `n` points starting at `from`, `step` apart.
fn line(from: Vec3, step: Vec3, n: usize) -> Vec<Vec3> {
    (0..n).map(|i| from + step * i as f64).collect()
}

/// A block of jelly of `n` points along each edge, 1 cm apart.
fn jelly(world: &mut SphereWorld, middle: Vec3, half: f64, body: u32) -> core::ops::Range<u32> {
    let points = Region::Box(middle, Vec3::repeat(half)).fill(0.01).unwrap();
    let material = LatticeMaterial {
        radius_m: 0.005,
        mass_kg: 0.001 * points.len() as f64,
        stiffness_n_m: 100.0,
        damping_s: 0.005,
        neighbours: Neighbours::Eighteen,
    };
    world.lattice(&points, body, 0.01, &material).unwrap()
}

/// Drops on a grid of their rest distance, 1 cm, in a box on the floor.
fn pool(world: &mut SphereWorld, count: [usize; 3], size: Vec3) -> core::ops::Range<u32> {
    let mut points = Vec::new();
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                let i = points.len() as f64;
                // Slightly off the grid, or the columns would stand.
                let aside = Vec3::new((7.0 * i).sin(), (5.0 * i).cos(), (3.0 * i).sin()) * 1e-4;
                points.push(
                    Vec3::new(x as f64, y as f64, z as f64) * 0.01 + Vec3::repeat(0.006) + aside,
                );
            }
        }
    }
    world
        .set_walls(&Walls {
            low: [Some(0.0); 3],
            high: [Some(size.x), Some(size.y), None],
            friction: 0.2,
        })
        .unwrap();
    let drops = world.fluid(&points, 7, 0.005, 0.001, &FluidMaterial::default());
    drops.unwrap()
}

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs()
}
