//! Time of one proximity query: a 10,000-triangle tool slides on a 100,000-triangle ground.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_ccd::{MeshIndex, ObbTree, Proximity};
use hapticd_geometry::{Pose, Quat, Vec3, shapes};

/// Poses along a straight path, each lowered until the tool is `height` from the ground.
fn path(tool: &MeshIndex, ground: &MeshIndex, tilt: &Vec3, height: f64) -> Vec<Pose> {
    let mut proximity = Proximity::new(1);
    (0..32)
        .map(|i| {
            let s = f64::from(i) / 32.0;
            let turn = Quat::from_scaled_axis(tilt + Vec3::new(0.3 * s, 0.1 * s, s));
            let mut at = Vec3::new(-0.2 + 0.4 * s, 0.1 - 0.2 * s, 0.25);
            for _ in 0..40 {
                let pose = Pose::from_parts(at.into(), turn);
                let near = proximity.query(tool, 0.0, ground, &pose, 1.0).pairs[0].distance;
                at.z -= 0.9 * (near - height);
            }
            Pose::from_parts(at.into(), turn)
        })
        .collect()
}

fn bench(c: &mut Criterion) {
    let mesh = shapes::terrain([0.5, 0.5], 224, 0.02, 0.05, 7).expect("valid sizes");
    c.bench_function(
        &format!("build, {} triangles", mesh.triangles().len()),
        |bench| {
            bench.iter(|| ObbTree::new(black_box(&mesh)));
        },
    );
    let ground = MeshIndex::new(mesh);
    let torus = MeshIndex::new(shapes::torus(0.08, 0.03, 100, 50).expect("valid sizes"));
    let block =
        MeshIndex::new(shapes::terrain([0.06, 0.06], 70, 0.001, 0.05, 3).expect("valid sizes"));
    let capacity = 512;
    for (name, tool) in [("torus", &torus), ("block", &block)] {
        for height in [1e-4, 2e-3] {
            let poses = path(tool, &ground, &Vec3::new(0.4, 0.2, 0.0), height);
            for reach in [2e-3, 5e-3, 20e-3] {
                let mut proximity = Proximity::new(capacity);
                let (mut pairs, mut boxes, mut leaves, mut complete) = (0, 0, 0, 0.0);
                for pose in &poses {
                    let near = proximity.query(tool, 0.0, &ground, pose, reach);
                    pairs += near.pairs.len();
                    boxes += near.box_tests;
                    leaves += near.leaf_tests;
                    complete += near.complete_to;
                }
                let n = poses.len();
                let name = format!(
                    "{name} {height} m above, reach {reach}: {} pairs {} boxes {} leaves {:.2e} complete",
                    pairs / n,
                    boxes / n as u64,
                    leaves / n as u64,
                    complete / n as f64
                );
                let mut i = 0;
                c.bench_function(&name, |bench| {
                    bench.iter(|| {
                        i = (i + 1) % poses.len();
                        proximity
                            .query(tool, 0.0, &ground, black_box(&poses[i]), reach)
                            .pairs
                            .len()
                    });
                });
            }
        }
    }
    // Flat on flat: any number of pairs at one distance; a full list keeps only some of them.
    let ground = MeshIndex::new(shapes::sheet(0.5, 224).expect("valid sizes"));
    let tool = MeshIndex::new(shapes::sheet(0.06, 70).expect("valid sizes"));
    for height in [3e-5, 2e-3, 2e-2] {
        let pose = Pose::from_parts(
            Vec3::new(0.003, 0.001, height).into(),
            Quat::from_axis_angle(&Vec3::z_axis(), 0.3),
        );
        let mut proximity = Proximity::new(capacity);
        let near = proximity.query(&tool, 0.0, &ground, &pose, 1.5 * height);
        let name = format!(
            "flat, {height} m above: {} pairs {} boxes {} leaves",
            near.pairs.len(),
            near.box_tests,
            near.leaf_tests
        );
        c.bench_function(&name, |bench| {
            let mut query = || {
                proximity
                    .query(&tool, 0.0, &ground, black_box(&pose), 1.5 * height)
                    .pairs
                    .len()
            };
            bench.iter(&mut query);
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
