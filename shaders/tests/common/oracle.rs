//! The hits that a trace must find, by brute force in `f64`, and how certain they are.
//!
//! The passes compute in `f32`. Where a line grazes an edge, ends at the limit of its range or hits
//! two triangles at the same place, either answer is right. So the oracle classifies each triangle
//! as hit certainly, possibly, or not at all, by the error that `f32` may have there. An answer is
//! right if it is possible.

use hapticd_geometry::Vec3;
use hapticd_rays::layout::{Normal, Object, SHEET};
use hapticd_shaders::{Hit, Hits};

use super::Shape;

/// Tolerance outside a triangle that counts as inside, as in the passes.
pub const EDGE: f64 = 1e-5;
/// As in the passes.
pub const PARALLEL: f64 = 1e-7;
/// Relative error of a position after a transform and a difference of such positions, in `f32`.
const ROUNDING: f64 = 1.0e-6;

/// A line and its search range.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub o: Vec3,
    pub d: Vec3,
    pub behind: f64,
    pub ahead: f64,
    /// Triangles at this point are ignored.
    pub own: Option<u32>,
    /// Size of the numbers involved, m.
    pub scale: f64,
}

/// A triangle that may be hit.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub triangle: u32,
    pub t: f64,
    /// Largest error of `t`.
    pub error: f64,
    pub outward: bool,
    /// True if the hit is certain.
    pub certain: bool,
}

/// Intersection of the line with one triangle's plane: `u`, `v`, `t`, their errors and the side;
/// `None` if certainly parallel.
pub fn meet(line: &Line, [a, b, c]: [Vec3; 3]) -> Option<(Vec3, f64, f64, bool, bool)> {
    let (e1, e2) = (b - a, c - a);
    let n = e1.cross(&e2);
    let det = -line.d.dot(&n);
    let sides = e1.norm() * e2.norm();
    if det.abs() < 0.5 * PARALLEL * sides {
        return None;
    }
    let s = line.o - a;
    let p = line.d.cross(&e2);
    let q = s.cross(&e1);
    let u = s.dot(&p) / det;
    let v = line.d.dot(&q) / det;
    let t = e2.dot(&q) / det;
    // The position's error scales along the line by 1 / cosine, and across a triangle also by its
    // smallest height.
    let cosine = (det / n.norm()).abs();
    let far = ROUNDING * (line.scale + t.abs());
    let t_error = far / cosine;
    let height = n.norm() / e1.norm().max(e2.norm()).max((c - b).norm());
    let uv_error = t_error / height;
    // The determinant's own error may flip its sign, or hide the triangle.
    let sure = det.abs() > 4.0 * PARALLEL * sides + 4.0 * ROUNDING * sides;
    Some((Vec3::new(u, v, t), t_error, uv_error, det < 0.0, sure))
}

/// All triangles that the line may hit.
pub fn candidates(
    line: &Line,
    shape: &Shape,
    only: impl IntoIterator<Item = u32>,
) -> Vec<Candidate> {
    let mut all = Vec::new();
    for triangle in only {
        let corners = &shape.triangles[triangle as usize];
        if line.own.is_some_and(|p| corners.v.contains(&p)) {
            continue;
        }
        let Some((uvt, error, slack, outward, sure)) = meet(line, shape.corners(corners)) else {
            continue;
        };
        let margin = uvt.x.min(uvt.y).min(1.0 - uvt.x - uvt.y) + EDGE;
        let t = uvt.z;
        let reach = if t >= 0.0 {
            line.ahead - t
        } else {
            line.behind + t
        };
        if margin < -slack || reach < -error {
            continue;
        }
        all.push(Candidate {
            triangle,
            t,
            error,
            outward,
            certain: sure && margin > slack && reach > error && t.abs() > error,
        });
    }
    all
}

/// Describes what is wrong with an answer, if anything.
pub fn judge(all: &[Candidate], hits: &Hits) -> Result<(), String> {
    for (side, hit) in [(1.0, hits.ahead()), (-1.0, hits.behind())] {
        judge_side(all, side, hit).map_err(|wrong| format!("{wrong}; {hit:?} of {all:?}"))?;
    }
    Ok(())
}

fn judge_side(all: &[Candidate], side: f64, hit: Option<Hit>) -> Result<(), String> {
    let found = match hit {
        None => f64::INFINITY,
        Some(hit) => {
            let known = all
                .iter()
                .find(|c| Some(c.triangle) == hit.number())
                .ok_or("a triangle that is not met")?;
            let t = f64::from(hit.t);
            if (t - known.t).abs() > known.error {
                return Err(format!(
                    "t is {t}, should be {} +- {}",
                    known.t, known.error
                ));
            }
            if (t >= 0.0) != (side > 0.0) {
                return Err("on the other side".to_string());
            }
            if hit.outward() != known.outward && known.certain {
                return Err("the other way through".to_string());
            }
            t * side
        }
    };
    // The value computed for the other is at most this.
    match all
        .iter()
        .find(|c| c.certain && c.t * side >= 0.0 && c.t * side + c.error < found)
    {
        Some(nearer) => Err(format!("triangle {} is nearer", nearer.triangle)),
        None => Ok(()),
    }
}

/// True if the answer is the only right one.
pub fn is_clear(all: &[Candidate]) -> bool {
    [1.0, -1.0].iter().all(|side| {
        let mut there: Vec<&Candidate> = all.iter().filter(|c| c.t * side >= 0.0).collect();
        there.sort_by(|a, b| (a.t * side).total_cmp(&(b.t * side)));
        match there.as_slice() {
            [] => true,
            [one] => one.certain,
            [one, two, ..] => one.certain && one.t * side + one.error < two.t * side - two.error,
        }
    })
}

/// Rotation and translation of an object, in `f64`.
pub fn place(object: &Object) -> nalgebra::Isometry3<f64> {
    let q = nalgebra::Quaternion::new(
        object.q[3].into(),
        object.q[0].into(),
        object.q[1].into(),
        object.q[2].into(),
    );
    nalgebra::Isometry3::from_parts(
        nalgebra::Translation3::new(object.t[0].into(), object.t[1].into(), object.t[2].into()),
        nalgebra::UnitQuaternion::new_normalize(q),
    )
}

/// Line of a point in the target's frame, and its range.
pub fn line(
    source: &Object,
    target: &Object,
    x: &Vec3,
    normal: &Normal,
    prediction: f64,
    own: Option<u32>,
) -> Line {
    let n = Vec3::new(normal.n[0].into(), normal.n[1].into(), normal.n[2].into());
    let from_sheet = source.flags & SHEET != 0;
    let to_sheet = target.flags & SHEET != 0;
    let exit = f64::from(normal.exit);
    let both = f64::from(source.half_thickness + target.half_thickness);
    let (behind, ahead) = match (from_sheet, to_sheet) {
        (false, false) => (prediction, exit),
        (false, true) => (prediction.max(target.half_thickness.into()), 0.5 * exit),
        (true, false) => (f64::INFINITY, f64::INFINITY),
        (true, true) => (prediction.max(both), prediction.max(both)),
    };
    let d = if from_sheet { n } else { -n };
    let relative = place(target).inverse() * place(source);
    let o = relative.rotation * x + relative.translation.vector;
    Line {
        o,
        d: relative.rotation * d,
        behind,
        ahead,
        own,
        scale: o.norm()
            + x.norm()
            + (place(target).translation.vector - place(source).translation.vector).norm(),
    }
}
