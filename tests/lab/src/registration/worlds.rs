//! Curved spaces of figures 8.13 to 8.15: a planet, a torus knot, a potato. They are closed
//! surfaces of quads or of triangles, in metres.

use std::collections::BTreeMap;

use hapticd_geometry::Vec3;
use hapticd_registration::map::Map;

use crate::experiment::Failure;

fn wrong(e: impl std::fmt::Display) -> Failure {
    Failure::Run(format!("the surface: {e}"))
}

/// Makes the surface of a cube with `n` squares a side and moves every corner to where `shape` puts
/// its direction. Quads, counter-clockwise seen from outside.
fn blown_up(n: i64, shape: impl Fn(Vec3) -> Vec3) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut positions = Vec::new();
    let mut numbers: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut quads = Vec::new();
    for axis in 0..3 {
        for low in [true, false] {
            // Axes u and v with u x v outwards.
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let (u, v) = if low { (v, u) } else { (u, v) };
            let mut at = |i: i64, j: i64| {
                let mut key = [0; 3];
                key[axis] = if low { 0 } else { n };
                (key[u], key[v]) = (i, j);
                *numbers.entry(key).or_insert_with(|| {
                    let c = key.map(|k| (k as f64 / n as f64 - 0.5) * std::f64::consts::FRAC_PI_2);
                    // Angles in equal steps give cells of nearly equal size.
                    positions.push(shape(
                        Vec3::new(c[0].tan(), c[1].tan(), c[2].tan()).normalize(),
                    ));
                    positions.len() as u32 - 1
                })
            };
            for i in 0..n {
                for j in 0..n {
                    quads.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    (positions, quads)
}

/// A ball of 30 m radius.
pub fn planet() -> Result<Map, Failure> {
    let (positions, quads) = blown_up(12, |u| u * 30.0);
    Map::from_quads(&positions, &quads).map_err(wrong)
}

/// A ball with dents and bumps, of triangles.
pub fn potato() -> Result<Map, Failure> {
    let (positions, quads) = blown_up(12, |u| {
        let bumps = 0.25 * (2.0 * u.x + 1.0).sin()
            + 0.2 * (3.0 * u.y).cos() * u.z
            + 0.15 * (4.0 * u.z + u.x).sin();
        u.component_mul(&Vec3::new(38.0, 26.0, 24.0)) * (1.0 + bumps)
    });
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
        .collect();
    Map::from_triangles(&positions, &triangles).map_err(wrong)
}

/// A tube of 5 m radius around a (2, 3) knot on a torus of 26 and 11 m.
pub fn torus_knot() -> Result<Map, Failure> {
    let (along, around) = (120_usize, 10_usize);
    let middle = |t: f64| {
        let r = 26.0 + 11.0 * (3.0 * t).cos();
        Vec3::new(
            r * (2.0 * t).cos(),
            r * (2.0 * t).sin(),
            16.0 * (3.0 * t).sin(),
        )
    };
    let mut positions = Vec::new();
    for i in 0..along {
        let t = i as f64 / along as f64 * std::f64::consts::TAU;
        let h = 1e-4;
        let tangent = (middle(t + h) - middle(t - h)).normalize();
        // Its curvature is never zero, so its own frame closes.
        let bend = middle(t + h) - middle(t) * 2.0 + middle(t - h);
        let normal = (bend - tangent * tangent.dot(&bend)).normalize();
        let other = tangent.cross(&normal);
        for j in 0..around {
            let (sin, cos) = (j as f64 / around as f64 * std::f64::consts::TAU).sin_cos();
            positions.push(middle(t) + (normal * cos + other * sin) * 5.0);
        }
    }
    let at = |i: usize, j: usize| (i % along * around + j % around) as u32;
    let mut quads = Vec::new();
    for i in 0..along {
        for j in 0..around {
            quads.push([at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]);
        }
    }
    Map::from_quads(&positions, &quads).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_are_closed_outward_and_have_the_right_holes() {
        for (map, characteristic) in [(planet(), 2), (potato(), 2), (torus_knot(), 0)] {
            let map = map.unwrap();
            assert!(map.all_darts().all(|d| map.phi2(d) != d), "a boundary");
            let count = |n: usize| n as i64;
            let euler = count(map.all_vertices().count()) - count(map.all_edges().count())
                + count(map.leaf_count());
            assert_eq!(euler, characteristic);
            let volume: f64 = map
                .all_darts()
                .map(|d| {
                    let [s, e] = [d, map.phi1(d)].map(|d| map.start(d));
                    map.centre(map.cell(d)).dot(&s.cross(&e)) / 6.0
                })
                .sum();
            assert!(volume > 1000.0, "{volume}");
        }
    }
}
