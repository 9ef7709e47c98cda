//! The world of particles and rigid bodies compared with mechanics.

mod bodies;
mod cloth;
mod contacts;
mod faults;
mod promises;
mod soft;

use hapticd_counting::Counting;
use hapticd_xpbd::Vec3;
use hapticd_xpbd::{BodyId, BodyKind, BodyState, Contact, ContactPoint, Settings, XpbdWorld};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const G: f64 = 9.81;
/// Frame of the display: the step of the published scenes.
const FRAME: f64 = 1.0 / 60.0;

fn weightless() -> XpbdWorld {
    XpbdWorld::new(Settings {
        gravity_m_s2: Vec3::zeros(),
        ..Settings::default()
    })
    .unwrap()
}

/// A world with so much damping that oscillations end within two seconds.
fn still(gravity: Vec3) -> XpbdWorld {
    XpbdWorld::new(Settings {
        gravity_m_s2: gravity,
        damping_1_s: 8.0,
        ..Settings::default()
    })
    .unwrap()
}

fn earth() -> XpbdWorld {
    XpbdWorld::new(Settings::default()).unwrap()
}

/// A flat square sheet in the plane z = 0 of `cells` by `cells` squares, diagonals alternating.
fn grid(cells: [u32; 2], size: [f64; 2]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let [nx, ny] = cells;
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    let mut positions = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            let x = size[0] * f64::from(i) / f64::from(nx);
            let y = size[1] * f64::from(j) / f64::from(ny);
            positions.push(Vec3::new(x, y, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    (positions, triangles)
}

/// A closed block from the origin to `size`, its faces divided into `cells`.
fn block(size: Vec3, cells: [u32; 3]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions: Vec<Vec3> = Vec::new();
    let mut numbers = std::collections::BTreeMap::new();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, cells[axis]] {
            for i in 0..cells[u] {
                for j in 0..cells[v] {
                    let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(di, dj)| {
                        let mut key = [0; 3];
                        (key[axis], key[u], key[v]) = (side, i + di, j + dj);
                        *numbers.entry(key).or_insert_with(|| {
                            positions.push(Vec3::from_fn(|k, _| {
                                size[k] * f64::from(key[k]) / f64::from(cells[k])
                            }));
                            positions.len() as u32 - 1
                        })
                    });
                    let [a, b, c, d] = corners;
                    if side == 0 {
                        triangles.extend([[a, c, b], [a, d, c]]);
                    } else {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
    }
    (positions, triangles)
}

fn cuboid(mass: f64, half: Vec3) -> BodyKind {
    let q = half.component_mul(&half);
    BodyKind::Dynamic {
        mass_kg: mass,
        inertia_kg_m2: Vec3::new(q.y + q.z, q.z + q.x, q.x + q.y) * (mass / 3.0),
    }
}

/// Corners of a cuboid.
fn corners(half: &Vec3) -> [Vec3; 8] {
    core::array::from_fn(|i| {
        Vec3::from_fn(|axis, _| {
            if i >> axis & 1 == 1 {
                half[axis]
            } else {
                -half[axis]
            }
        })
    })
}

/// Contacts of the corners of a cuboid that are within `near` of the plane through `o` with normal
/// `n`.
fn on_plane(
    world: &XpbdWorld,
    body: BodyId,
    half: &Vec3,
    (o, n): (&Vec3, &Vec3),
    friction: f64,
    near: f64,
    into: &mut Vec<Contact>,
) {
    let state: &BodyState = world.body(body).unwrap();
    for local in corners(half) {
        let at = state.point(&local);
        let height = (at - o).dot(n);
        if height < near {
            into.push(Contact {
                a: ContactPoint::Body { body, local },
                b: ContactPoint::World(at - n * height),
                normal: *n,
                gap_m: 0.0,
                friction,
                restitution: 0.0,
            });
        }
    }
}

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (value - expected).abs() <= tolerance,
        "{what}: {value}, expected {expected} within {tolerance}"
    );
}

/// A refined octahedron.
fn ball(radius: f64, level: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions = vec![
        Vec3::x(),
        -Vec3::x(),
        Vec3::y(),
        -Vec3::y(),
        Vec3::z(),
        -Vec3::z(),
    ];
    let mut triangles = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    for _ in 0..level {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for t in &triangles {
            let m = [0, 1, 2].map(|i| {
                let (a, b): (u32, u32) = (t[i], t[(i + 1) % 3]);
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    positions.push((positions[a as usize] + positions[b as usize]).normalize());
                    positions.len() as u32 - 1
                })
            });
            finer.extend([
                [t[0], m[0], m[2]],
                [m[0], t[1], m[1]],
                [m[2], m[1], t[2]],
                m,
            ]);
        }
        triangles = finer;
    }
    (positions.iter().map(|p| p * radius).collect(), triangles)
}
