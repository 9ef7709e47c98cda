//! Triangulation of polygons: a fan if strictly convex, else ear clipping (Meisters 1975; usually
//! O(n^2), O(n^3) at worst, hence [`MAX_CORNERS`]).
//!
//! Corners on a straight side become corners of triangles with area as far as possible. A
//! neighbour's edge ends there, and without them the mesh would have a hole. A self-intersecting
//! polygon is still cut into n - 2 triangles, in no particular way. Deterministic.

use super::LoadProblem;
use crate::mesh::MeshError;
use crate::pose::Vec3;

/// Most corners of a polygon that is not convex.
pub(super) const MAX_CORNERS: usize = 1024;

/// A turn below this share of the squared side lengths counts as straight.
const STRAIGHT: f64 = 1e-12;

/// Calls `triangle` with the corners of each triangle, wound like the polygon. `face` is for the
/// error.
pub(super) fn cut(
    positions: &[Vec3],
    corners: &[u32],
    face: usize,
    mut triangle: impl FnMut([u32; 3]) -> Result<(), LoadProblem>,
) -> Result<(), LoadProblem> {
    let mut points = Vec::with_capacity(corners.len());
    for &index in corners {
        points.push(
            *positions
                .get(index as usize)
                .ok_or(MeshError::IndexOutOfRange {
                    triangle: face,
                    index,
                    vertices: positions.len(),
                })?,
        );
    }
    let flat = flatten(&points);
    let n = flat.len();
    if is_strictly_convex(&flat) {
        return (2..n).try_for_each(|i| triangle([corners[0], corners[i - 1], corners[i]]));
    }
    if n > MAX_CORNERS {
        return Err(LoadProblem::Polygon {
            face: face + 1,
            corners: n,
            limit: MAX_CORNERS,
        });
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut at = 0;
    while left.len() > 3 {
        let m = left.len();
        // Starts where the last ear was, so that ears go round instead of making slivers at one
        // corner.
        let order = || (0..m).map(|k| (at + k) % m);
        let ear = order()
            .find(|&i| is_ear(&flat, &left, i))
            .or_else(|| order().find(|&i| turns_left(&flat, &left, i)))
            .unwrap_or(at % m);
        let [a, b, c] = around(&left, ear).map(|i| corners[i]);
        triangle([a, b, c])?;
        left.remove(ear);
        at = ear;
    }
    match left[..] {
        [a, b, c] => triangle([corners[a], corners[b], corners[c]]),
        _ => Ok(()),
    }
}

type Flat = [f64; 2];

/// Projects the polygon along the largest component of its area vector (Newell), counter-clockwise:
/// two of the three coordinates.
fn flatten(points: &[Vec3]) -> Vec<Flat> {
    let mut normal = Vec3::zeros();
    for (i, p) in points.iter().enumerate() {
        let q = points[(i + 1) % points.len()];
        normal += (p - points[0]).cross(&(q - points[0]));
    }
    let axis = normal.iamax();
    let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 {
        (u, v) = (v, u);
    }
    points.iter().map(|p| [p[u], p[v]]).collect()
}

/// Returns twice the signed area of a triangle, or 0 if it is straight.
fn turn(a: Flat, b: Flat, c: Flat) -> f64 {
    let (e, f) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
    let area = e[0] * f[1] - e[1] * f[0];
    let size = e[0] * e[0] + e[1] * e[1] + f[0] * f[0] + f[1] * f[1];
    if area.abs() > STRAIGHT * size {
        area
    } else {
        0.0
    }
}

fn around(left: &[usize], i: usize) -> [usize; 3] {
    let m = left.len();
    [left[(i + m - 1) % m], left[i], left[(i + 1) % m]]
}

fn turns_left(flat: &[Flat], left: &[usize], i: usize) -> bool {
    let [a, b, c] = around(left, i).map(|k| flat[k]);
    turn(a, b, c) > 0.0
}

/// True if the corner turns left and its triangle holds no other corner, not even on its sides.
fn is_ear(flat: &[Flat], left: &[usize], i: usize) -> bool {
    let ear = around(left, i);
    let [a, b, c] = ear.map(|k| flat[k]);
    turn(a, b, c) > 0.0
        && !left.iter().any(|k| {
            let p = flat[*k];
            // A corner at the same position as one of the ear's (a bridge to a hole) does not block
            // it.
            !ear.contains(k)
                && p != a
                && p != b
                && p != c
                && turn(a, b, p) >= 0.0
                && turn(b, c, p) >= 0.0
                && turn(c, a, p) >= 0.0
        })
}

/// True if every corner turns left and the corners together turn round once.
fn is_strictly_convex(flat: &[Flat]) -> bool {
    let n = flat.len();
    let turns = |i: usize| turn(flat[i], flat[(i + 1) % n], flat[(i + 2) % n]) > 0.0;
    if !(0..n).all(turns) {
        return false;
    }
    // A convex polygon goes right once and left once.
    let goes_right = |i: usize| flat[(i + 1) % n][0] > flat[i % n][0];
    (0..n)
        .filter(|&i| goes_right(i) != goes_right(i + 1))
        .count()
        == 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangles(points: &[Vec3]) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut all = Vec::new();
        cut(points, &corners, 0, |t| {
            all.push(t);
            Ok(())
        })
        .unwrap();
        all
    }

    fn area(points: &[Vec3], t: [u32; 3]) -> Vec3 {
        let [a, b, c] = t.map(|v| points[v as usize]);
        (b - a).cross(&(c - a)) / 2.0
    }

    /// All triangles have area and face the same way, and the areas add up: they cover the polygon
    /// without overlap.
    fn check(points: &[Vec3], expected_area: f64, normal: &Vec3) {
        let all = triangles(points);
        assert_eq!(all.len(), points.len() - 2);
        let areas: Vec<f64> = all.iter().map(|&t| area(points, t).dot(normal)).collect();
        assert!(areas.iter().all(|&a| a > 0.0), "{all:?} {areas:?}");
        let sum: f64 = areas.iter().sum();
        assert!(
            (sum - expected_area).abs() < 1e-9 * expected_area,
            "{sum} {expected_area}"
        );
    }

    fn flat(points: &[(f64, f64)]) -> Vec<Vec3> {
        points.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect()
    }

    #[test]
    fn an_arrow_head_and_an_l_and_a_comb() {
        let z = Vec3::z();
        check(
            &flat(&[(0.0, 0.0), (2.0, 2.0), (0.0, 1.0), (-2.0, 2.0)]),
            2.0,
            &z,
        );
        check(
            &flat(&[
                (0.0, 0.0),
                (2.0, 0.0),
                (2.0, 1.0),
                (1.0, 1.0),
                (1.0, 2.0),
                (0.0, 2.0),
            ]),
            3.0,
            &z,
        );
        // Four teeth of 1 x 1 on a bar of 7 x 1.
        let mut comb = vec![(0.0, 0.0), (7.0, 0.0)];
        for k in (0..4).rev() {
            let x = 2.0 * f64::from(k);
            comb.extend([(x + 1.0, 1.0), (x + 1.0, 2.0), (x, 2.0), (x, 1.0)]);
        }
        let comb: Vec<_> = comb
            .into_iter()
            .filter(|p| !matches!(p, (7.0 | 0.0, 1.0)))
            .collect();
        check(&flat(&comb), 11.0, &z);
    }

    #[test]
    fn corners_on_straight_sides_are_kept_without_flat_triangles() {
        let p = flat(&[
            (0.0, 0.0),
            (1.0, 0.0),
            (2.0, 0.0),
            (2.0, 2.0),
            (1.0, 2.0),
            (0.0, 2.0),
            (0.0, 1.0),
        ]);
        check(&p, 4.0, &Vec3::z());
    }

    #[test]
    fn polygons_that_cross_themselves_or_have_no_area_still_end() {
        for p in [
            flat(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]),
            flat(&[(0.0, 0.0); 7]),
            flat(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
            flat(&[
                (f64::NAN, 0.0),
                (1.0, f64::INFINITY),
                (2.0, 0.0),
                (3.0, 0.0),
            ]),
            // A pentagram turns left everywhere, twice around.
            (0..5)
                .map(|k| f64::from(2 * k) * std::f64::consts::TAU / 5.0)
                .map(|a| Vec3::new(a.cos(), a.sin(), 0.0))
                .collect(),
        ] {
            assert_eq!(triangles(&p).len(), p.len() - 2);
        }
    }

    #[test]
    fn a_bad_index_and_too_many_corners_are_errors() {
        let p = flat(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
        assert!(matches!(
            cut(&p, &[0, 1, 2, 3], 5, |_| Ok(())),
            Err(LoadProblem::Mesh(MeshError::IndexOutOfRange {
                triangle: 5,
                index: 3,
                vertices: 3
            }))
        ));
        let many: Vec<u32> = (0..2000).map(|i| i % 3).collect();
        assert!(matches!(
            cut(&p, &many, 5, |_| Ok(())),
            Err(LoadProblem::Polygon {
                face: 6,
                corners: 2000,
                limit: 1024
            })
        ));
        // A convex one may be large.
        let circle: Vec<Vec3> = (0..5000)
            .map(|k| f64::from(k) * std::f64::consts::TAU / 5000.0)
            .map(|a| Vec3::new(a.cos(), a.sin(), 0.0))
            .collect();
        assert_eq!(triangles(&circle).len(), 4998);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Star-shaped polygons (some radius at each angle) in any plane.
        #[test]
        fn star_shaped_polygons_are_covered(
            radii in prop::collection::vec(0.1f64..1.0, 3..40),
            axis in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let turn = crate::pose::Quat::from_scaled_axis(Vec3::from(axis) * 3.0);
            let n = radii.len();
            let points: Vec<Vec3> = radii
                .iter()
                .enumerate()
                .map(|(k, r)| (k as f64 * std::f64::consts::TAU / n as f64, r))
                .map(|(a, r)| turn * Vec3::new(r * a.cos(), r * a.sin(), 0.0))
                .collect();
            let area: f64 = (0..n)
                .map(|k| points[k].cross(&points[(k + 1) % n]).dot(&(turn * Vec3::z())) / 2.0)
                .sum();
            check(&points, area, &(turn * Vec3::z()));
        }
    }
}
