//! Time of a skin, by the CPU with one thread and by the GPU, readback included: from some thousand
//! triangles to a million and more.
//!
//! `cargo bench -p hapticd-shaders --bench skin`; `HAPTICD_GPU=software` uses a driver that
//! computes on the CPU. A chain of 64 points moves from frame to frame, so that neither reuses
//! anything; cubes become smaller from row to row. *Tries* is how often the GPU made the first
//! frame until its buffers were large enough.
// A program.
#![allow(missing_docs, clippy::print_stdout)]

use std::time::Instant;

use hapticd_geometry::Vec3;
use hapticd_shaders::{Choice, Gpu, GpuSkin, Patience};
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skin};

const FRAMES: u32 = 9;

fn chain(t: f64) -> Vec<Primitive> {
    let at = |i: u32| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new(
            (6.0 * s + t).sin(),
            (9.0 * s + 1.7 * t + 0.5).sin(),
            (5.0 * s + 0.9 * t).cos(),
        )
    };
    (0..64).map(|i| Primitive::point(at(i), 0.3)).collect()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn row(gpu: &mut GpuSkin, cells: u32) {
    let domain = Domain::new(Vec3::repeat(-1.0), 2.0 / f64::from(cells), [cells; 3]);
    let settings = Settings {
        domain: domain.expect("a domain"),
        level: 0.35,
        ambiguity: Ambiguity::default(),
    };
    let mut cpu = Skin::default();
    let (mut theirs, mut ours) = (Mesh::default(), Mesh::default());
    let (mut alone, mut with, mut passes) = (Vec::new(), Vec::new(), Vec::new());
    let mut tries = 0;
    for k in 0..FRAMES {
        let primitives = chain(f64::from(k) * 0.02);
        let start = Instant::now();
        (cpu.polygonize(&settings, &primitives, &mut theirs)).expect("a skin");
        let between = Instant::now();
        let report = gpu.polygonize(&settings, &primitives, &mut ours);
        let end = Instant::now();
        let report = report.expect("a skin");
        // Memory grows in the first frames.
        if k == 0 {
            tries = report.tries;
        } else {
            alone.push((between - start).as_secs_f64() * 1e3);
            with.push((end - between).as_secs_f64() * 1e3);
            passes.push(report.gpu_ns.unwrap_or(f64::NAN) * 1e-6);
        }
        let (a, b) = (ours.triangles.len(), theirs.triangles.len());
        assert!(a.abs_diff(b) <= 40 + b / 10_000, "frame {k}: {a} {b}");
    }
    println!(
        "{:>8} triangles: CPU {:>8.2} ms, with the GPU {:>8.2} ms, passes {:>8.2} ms; {tries} tries",
        theirs.triangles.len(),
        median(&mut alone),
        median(&mut with),
        median(&mut passes),
    );
}

fn main() {
    let choice = Choice::from_env().expect("a choice");
    let choice = choice.unwrap_or(Choice::Hardware);
    let gpu = Gpu::open(choice).expect("an adapter; HAPTICD_GPU=software stands one in");
    println!("{}", gpu.adapter());
    let mut gpu = GpuSkin::new(gpu, Patience::Answer).expect("the passes");
    for cells in [32, 64, 128, 256, 420] {
        row(&mut gpu, cells);
    }
}
