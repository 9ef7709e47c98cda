//! Cost of one step of the published scene's deformable and rigid halves: 36 sheets of 65 x 65
//! vertices, and 216 boxes with four contacts each.

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_xpbd::Vec3;
use hapticd_xpbd::{
    BodyKind, BodyState, ClothMaterial, Contact, ContactPoint, Settings, XpbdWorld,
};

const FRAME: f64 = 1.0 / 60.0;
const SUBSTEPS: u32 = 10;

fn sheets() -> XpbdWorld {
    let n = 64_u32;
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let material = ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-5,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 0.0,
        half_thickness_m: 1e-3,
    };
    let mut world = XpbdWorld::new(Settings::default()).expect("settings");
    for sheet in 0..36_u32 {
        let corner = Vec3::new(f64::from(sheet % 6), f64::from(sheet / 6), 0.0) * 1.2;
        let positions: Vec<Vec3> = (0..=n)
            .flat_map(|j| (0..=n).map(move |i| Vec3::new(f64::from(i), f64::from(j), 0.0) / 64.0))
            .map(|p| p + corner)
            .collect();
        let added = world.add_cloth(&positions, &triangles, &material);
        let cloth = added.expect("a cloth");
        for vertex in [0, n] {
            let id = world.particle_of(cloth, vertex).expect("a vertex");
            world.pin(id, true).expect("a particle");
        }
    }
    world
}

fn boxes() -> (XpbdWorld, Vec<Contact>) {
    let mut world = XpbdWorld::new(Settings::default()).expect("settings");
    let mut contacts = Vec::new();
    let kind = BodyKind::Dynamic {
        mass_kg: 1.0,
        inertia_kg_m2: Vec3::repeat(1.0 / 600.0),
    };
    for i in 0..216_u32 {
        let place = Vec3::new(f64::from(i % 15), f64::from(i / 15), 0.25) * 0.2;
        let body = world
            .add_body(&kind, &BodyState::at(place))
            .expect("a body");
        for (x, y) in [(-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05)] {
            contacts.push(Contact {
                a: ContactPoint::Body {
                    body,
                    local: Vec3::new(x, y, -0.05),
                },
                b: ContactPoint::World(place + Vec3::new(x, y, -0.05)),
                normal: Vec3::z(),
                gap_m: 0.0,
                friction: 0.5,
                restitution: 0.0,
            });
        }
    }
    (world, contacts)
}

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("one frame of ten substeps");
    group.sample_size(10);
    let mut world = sheets();
    group.bench_function("36 sheets of 65 x 65", |b| {
        b.iter(|| world.step(FRAME, SUBSTEPS, &[]));
    });
    let (mut world, contacts) = boxes();
    group.bench_function("216 boxes, 864 contacts", |b| {
        b.iter(|| world.step(FRAME, SUBSTEPS, &contacts));
    });
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
