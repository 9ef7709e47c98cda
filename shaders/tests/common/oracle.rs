//! What a trace has to find, by brute force in `f64`, and how sure that is.
//!
//! The passes compute in `f32`: where a line grazes an edge, ends at the limit of its range or
//! meets two triangles at the same place, either answer is right. So the oracle says of each
//! triangle whether it is met for certain, perhaps, or not at all, by the error that `f32` may make
//! there; an answer is right if it could have come about.

use hapticd_geometry::Vec3;
use hapticd_rays::layout::{Normal, Object, SHEET};
use hapticd_shaders::{Hit, Hits};

use super::Shape;

/// How far outside of a triangle counts as inside: as in the passes.
pub const EDGE: f64 = 1e-5;
/// As in the passes.
pub const PARALLEL: f64 = 1e-7;
/// Relative error of a position after it has been moved and differences of such have been taken, in
/// `f32`.
const ROUNDING: f64 = 1.0e-6;

/// Where a line looks.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub o: Vec3,
    pub d: Vec3,
    pub behind: f64,
    pub ahead: f64,
    /// Triangles at this point are left out.
    pub own: Option<u32>,
    /// Size of the numbers that went into it, m.
    pub scale: f64,
}

/// A triangle that may be met.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub triangle: u32,
    pub t: f64,
    /// Largest error of `t`.
    pub error: f64,
    pub outward: bool,
    /// Not only perhaps.
    pub certain: bool,
}

/// Where the line meets one triangle's plane: `u`, `v`, `t`, their errors and the side; `None` if
/// parallel beyond doubt.
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
    // The position's error goes along the line by 1 / cosine, and across a triangle by its least
    // height as well.
    let cosine = (det / n.norm()).abs();
    let far = ROUNDING * (line.scale + t.abs());
    let t_error = far / cosine;
    let height = n.norm() / e1.norm().max(e2.norm()).max((c - b).norm());
    let uv_error = t_error / height;
    // The determinant's own error may turn its sign, or hide the triangle.
    let sure = det.abs() > 4.0 * PARALLEL * sides + 4.0 * ROUNDING * sides;
    Some((Vec3::new(u, v, t), t_error, uv_error, det < 0.0, sure))
}

/// All that the line may meet.
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

/// What is wrong with an answer, if anything.
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
    // What was computed for the other is at most this.
    match all
        .iter()
        .find(|c| c.certain && c.t * side >= 0.0 && c.t * side + c.error < found)
    {
        Some(nearer) => Err(format!("triangle {} is nearer", nearer.triangle)),
        None => Ok(()),
    }
}

/// Whether the answer is the only right one.
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

/// An object's turn and shift, in `f64`.
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

/// The line of a point in the target's frame, and how far it looks.
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
