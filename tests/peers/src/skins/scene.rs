//! The chain of 64 points, at rest, in the forms that the codes need: primitives, samples on a
//! grid, an expression; and its field's outward direction.
//!
//! Every potential is `(1 - d²/R²)²` within `R`; the surface is where their sum is [`LEVEL`]. The
//! domain is from -1 to 1 m.

use fidget::context::Tree;
use hapticd_geometry::Vec3;
use hapticd_skin::{Mesh, Primitive};

/// Cubes along an edge; radius, m.
pub const CASES: [(u32, f64); 3] = [(64, 0.3), (128, 0.3), (256, 0.1)];
/// Level of the surface.
pub const LEVEL: f64 = 0.35;

/// Returns the positions of the points.
pub fn centres() -> Vec<Vec3> {
    let at = |i: u8| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new((6.0 * s).sin(), (9.0 * s + 0.5).sin(), (5.0 * s).cos())
    };
    (0..64).map(at).collect()
}

/// Returns the chain as primitives.
pub fn chain(radius_m: f64) -> Vec<Primitive> {
    let points = centres().into_iter();
    points.map(|at| Primitive::point(at, radius_m)).collect()
}

/// Samples the field at all nodes of the grid, each primitive at those in its bounding cube. x is
/// the fastest index if `x_first`, otherwise z.
pub fn splat(
    primitives: &[Primitive],
    cells: u32,
    radius_m: f64,
    x_first: bool,
    to: &mut Vec<f32>,
) {
    let n = cells as usize + 1;
    let step = 2.0 / cells as f32;
    let r = radius_m as f32;
    to.resize(n.pow(3), 0.0);
    to.fill(0.0);
    let axes = if x_first { [0, 1, 2] } else { [2, 1, 0] };
    for primitive in primitives {
        let centre = primitive.heart().map(|x| x as f32);
        let range = |k: usize| {
            let low = ((centre[k] - r + 1.0) / step).ceil().max(0.0) as usize;
            let high = ((centre[k] + r + 1.0) / step).floor().max(0.0) as usize;
            low..(high + 1).min(n)
        };
        let square = |i: usize, k: usize| {
            let d = (i as f32 * step - 1.0 - centre[k]) / r;
            d * d
        };
        let [fast, middle, slow] = axes;
        for z in range(slow) {
            for y in range(middle) {
                let beside = square(z, slow) + square(y, middle);
                let row = &mut to[(z * n + y) * n..(z * n + y + 1) * n];
                for x in range(fast) {
                    let rest = (1.0 - beside - square(x, fast)).max(0.0);
                    row[x] += rest * rest;
                }
            }
        }
    }
}

/// Returns the field as an expression that is negative inside.
pub fn tree(centres: &[Vec3], radius_m: f64) -> Tree {
    let per_r2 = (1.0 / (radius_m * radius_m)) as f32;
    let term = |c: &Vec3| {
        let [x, y, z] = [(Tree::x(), c.x), (Tree::y(), c.y), (Tree::z(), c.z)]
            .map(|(axis, at)| (axis - at as f32).square());
        (1.0 - (x + y + z) * per_r2).max(0.0).square()
    };
    let mut terms: Vec<Tree> = centres.iter().map(term).collect();
    // Summed in pairs, so that the expression is a tree and not a list; this helps intervals and
    // registers.
    while terms.len() > 1 {
        let pairs = terms.chunks(2).map(|pair| match pair {
            [a, b] => a.clone() + b.clone(),
            [a] => a.clone(),
            _ => Tree::constant(0.0),
        });
        terms = pairs.collect();
    }
    let sum = terms.pop().unwrap_or_else(|| Tree::constant(0.0));
    LEVEL as f32 - sum
}

/// Gives the mesh the normals of the field.
pub fn face(mesh: &mut Mesh, primitives: &[Primitive]) {
    let normal = |p: &[f32; 3]| {
        let at = Vec3::from(p.map(f64::from));
        let all = primitives.iter().map(|one| one.with_gradient(&at).1);
        let sum: Vec3 = all.sum();
        // The length is 0 where there is no field; the check then reports the point as not finite.
        <[f32; 3]>::from((-sum / sum.norm()).map(|x| x as f32))
    };
    mesh.normals = mesh.points.iter().map(normal).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use fidget::shape::EzShape;

    #[test]
    fn all_forms_are_one_field() {
        let primitives = chain(0.3);
        let cells = 16;
        let n = cells as usize + 1;
        let (mut by_x, mut by_z) = (Vec::new(), Vec::new());
        splat(&primitives, cells, 0.3, true, &mut by_x);
        splat(&primitives, cells, 0.3, false, &mut by_z);
        let shape = fidget::vm::VmShape::from(tree(&centres(), 0.3));
        let tape = shape.ez_point_tape();
        let mut evaluator = fidget::vm::VmShape::new_point_eval();
        let mut inside = 0;
        for k in 0..n.pow(3) {
            let [i, j, l] = [k % n, k / n % n, k / n / n];
            let [x, y, z] = [i, j, l].map(|i| 2.0 * i as f64 / f64::from(cells) - 1.0);
            let exact: f64 = primitives
                .iter()
                .map(|p| p.value(&Vec3::new(x, y, z)))
                .sum();
            let same = |value: f32| (f64::from(value) - exact).abs() < 2e-6;
            assert!(same(by_x[k]), "{exact} {}", by_x[k]);
            assert!(same(by_z[(i * n + j) * n + l]), "{exact}");
            let (value, _) = evaluator.eval(&tape, x as f32, y as f32, z as f32).unwrap();
            assert!(same(LEVEL as f32 - value), "{exact} {value}");
            inside += usize::from(exact > LEVEL);
        }
        assert!(inside > 100, "{inside}");
    }
}
