use hapticd_ccd::*;
use hapticd_geometry::*;
fn main() {
    let tool = MeshIndex::new(shapes::torus(0.03, 0.01, 100, 50).unwrap());
    let ground = MeshIndex::new(shapes::terrain([0.15, 0.15], 224, 0.005, 0.05, 11).unwrap());
    for cap in [512] {
        for reach in [1.15e-4, 0.001] {
            let mut p = Proximity::new(cap);
            let mut z = 0.04;
            for _ in 0..40 {
                let n = p
                    .query(&tool, 0.0, &ground, &Pose::translation(0.02, 0.03, z), 1.0)
                    .pairs[0]
                    .distance;
                z -= 0.9 * (n - 4e-5);
            }
            let mut v = vec![];
            for _ in 0..40 {
                let t = std::time::Instant::now();
                for i in 0..200 {
                    p.query(
                        &tool,
                        0.0,
                        &ground,
                        &Pose::from_parts(
                            Vec3::new(0.02 + 1e-4 * i as f64, 0.03, z).into(),
                            Quat::identity(),
                        ),
                        reach,
                    )
                    .pairs
                    .len();
                }
                v.push(t.elapsed().as_secs_f64() / 200.0 * 1e6);
            }
            v.sort_by(f64::total_cmp);
            println!(
                "cap {cap} reach {reach}: min {:.0} q25 {:.0} med {:.0} us",
                v[0], v[10], v[20]
            );
        }
    }
}
