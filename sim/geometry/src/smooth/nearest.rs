//! The foot of a point on a smooth surface, searched from a place nearby.
//!
//! Real-time callable: no allocation, at most [`STEPS`] steps. Deterministic. Metres.

use crate::adjacency::NO_FACE;
use crate::pose::Vec3;

use super::patch::PatchPoint;
use super::{SmoothMesh, facet};

/// Most steps of a search, steps from patch to patch included.
const STEPS: usize = 64;
/// The search ends with a step shorter than this, m.
const NEAR_M: f64 = 1e-9;

/// The foot of a point on a [`SmoothMesh`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The triangle of the patch on which it lies.
    pub face: u32,
    /// Barycentric coordinates there.
    pub weights: [f64; 3],
    /// Position, m. Beyond a rim it may be on the adjacent plane.
    pub point: Vec3,
    /// Outward unit normal. On a rim: the direction to the query point.
    pub normal: Vec3,
    /// True if the sheet ends here and no plane that turns away begins: the nearest point may be on
    /// another sheet.
    pub on_border: bool,
}

impl SmoothMesh {
    /// Projects `x` into the plane of a triangle and returns the barycentric weights there, clamped
    /// into the triangle.
    #[must_use]
    pub fn weights(&self, face: u32, x: &Vec3) -> [f64; 3] {
        let [a, b, c] = self.mesh.triangle(face as usize);
        let normal = (b - a).cross(&(c - a));
        let area = normal.norm_squared();
        let part = |p: &Vec3, q: &Vec3| (p - x).cross(&(q - x)).dot(&normal) / area;
        let raw = [part(&b, &c), part(&c, &a), part(&a, &b)].map(|w| w.clamp(0.0, 1.0));
        let sum: f64 = raw.iter().sum();
        if sum > 0.0 && sum.is_finite() {
            raw.map(|w| w / sum)
        } else {
            [1.0 / 3.0; 3]
        }
    }

    /// Returns the foot of `x` on the sheet of `face`, searched from `weights` on that triangle.
    ///
    /// It is the nearby place where `x` is straight above or below. At the end of the sheet it is
    /// on that end or on the plane beyond it. `None` if it is not found in 64 steps or there is no
    /// such triangle.
    #[must_use]
    pub fn foot(&self, face: u32, weights: &[f64; 3], x: &Vec3) -> Option<Foot> {
        let (mut foot, end) = self.search(face, weights, x)?;
        let Some((face, corner)) = end else {
            return Some(foot);
        };
        let beyond = self.faces[face as usize].beyond[(corner + 1) % 3];
        foot.on_border = beyond == NO_FACE;
        if !foot.on_border {
            let plane = facet(&self.mesh.triangle(beyond as usize));
            beyond_rim(&mut foot, &plane, x);
        }
        Some(foot)
    }

    /// Finds the place on the sheet. If it is on the sheet's end, also returns the triangle there
    /// and the corner opposite to the end.
    fn search(
        &self,
        face: u32,
        weights: &[f64; 3],
        x: &Vec3,
    ) -> Option<(Foot, Option<(u32, usize)>)> {
        if face as usize >= self.faces.len() {
            return None;
        }
        let (mut face, mut w) = (face, *weights);
        let mut back = None;
        // The search has slid along the sheet's end to a vertex, and has stayed there since.
        let mut at_corner = false;
        // Where it last reached that end.
        let mut met = None;
        let mut patch = self.patch(face);
        let mut at = Search::new(patch.spot(&w), &patch.normals, x);
        for _ in 0..STEPS {
            let mut step = at.step();
            if let Some(side) = side_to_slide(&w, &step, back) {
                step = at.slide(side);
            }
            let from = w;
            let mut reached = clip(&mut w, &mut step, back.take());
            let length = at.length(&step);
            at_corner &= length < NEAR_M;
            if length < NEAR_M && reached.is_none() {
                return Some((found(face, from, &at.spot), met.filter(|_| at_corner)));
            }
            let mut spot = patch.spot(&w);
            let far = |spot: &PatchPoint| (x - spot.point).norm_squared();
            if length >= NEAR_M && far(&spot) > far(&at.spot) {
                // Overshot: halve the step.
                w = [0, 1, 2].map(|k| 0.5 * (from[k] + w[k]));
                step = step.map(|s| 0.5 * s);
                (spot, reached) = (patch.spot(&w), None);
            }
            let Some(side) = reached else {
                let pulled = at.slope(&step);
                at = Search::new(spot, &patch.normals, x);
                at.update_hessian(&step, pulled);
                continue;
            };
            // Across the side, or along it where the sheet ends.
            let mut next = self.over(face, side, &w);
            if next.is_none() {
                met = Some((face, side));
                let here = Search::new(spot, &patch.normals, x);
                let mut slide = here.slide(side);
                let length = here.length(&slide);
                let end = clip(&mut w, &mut slide, None);
                // Where the sheet's end is nearest at a vertex, both sides send the search back to
                // it.
                let is_back = at_corner && here.length(&slide) < NEAR_M;
                at_corner = end.is_some();
                match end {
                    None if length < NEAR_M => {
                        return Some((found(face, w, &patch.spot(&w)), met));
                    }
                    None => {}
                    Some(end) => {
                        next = self.over(face, end, &w).filter(|_| !is_back);
                        if next.is_none() {
                            return Some((found(face, w, &patch.spot(&w)), met));
                        }
                    }
                }
            }
            if let Some((there, weights)) = next {
                let across = self.faces[there as usize].across;
                back = (0..3).find(|corner| across[(corner + 1) % 3] == face);
                (face, w) = (there, weights);
                patch = self.patch(face);
            }
            at = Search::new(patch.spot(&w), &patch.normals, x);
        }
        None
    }

    /// Returns the same place on the triangle across the side opposite to a corner.
    pub(super) fn over(&self, face: u32, corner: usize, w: &[f64; 3]) -> Option<(u32, [f64; 3])> {
        let there = self.faces[face as usize].across[(corner + 1) % 3];
        if there == NO_FACE {
            return None;
        }
        let triangles = self.mesh.triangles();
        let (from, to) = (triangles[face as usize], triangles[there as usize]);
        let weights = to.map(|v| {
            let same = from.iter().position(|u| *u == v);
            same.filter(|k| *k != corner).map_or(0.0, |k| w[k])
        });
        let sum: f64 = weights.iter().sum();
        Some((there, weights.map(|w| w / sum)))
    }
}

fn found(face: u32, weights: [f64; 3], spot: &PatchPoint) -> Foot {
    Foot {
        face,
        weights,
        point: spot.point,
        normal: spot.normal,
        on_border: false,
    }
}

/// Turns a foot on a rim towards `x`, or moves it to the plane that begins there, which has the
/// given normal.
fn beyond_rim(foot: &mut Foot, plane: &Vec3, x: &Vec3) {
    let off = x - foot.point;
    let Some(along) = foot.normal.cross(plane).try_normalize(0.0) else {
        return;
    };
    let off = off - along * off.dot(&along);
    let from_sheet = foot.normal.cross(&off).dot(&along);
    let to_plane = off.cross(plane).dot(&along);
    if from_sheet > 0.0 && to_plane >= 0.0 {
        foot.normal = off.try_normalize(0.0).unwrap_or(foot.normal);
    } else if off.dot(plane) > off.dot(&foot.normal) {
        let plane = (plane - along * plane.dot(&along)).normalize();
        foot.normal = plane;
        foot.point += off - plane * off.dot(&plane);
    }
}

/// A step of which a smaller part than this leaves the triangle goes along the side instead.
const ALONG: f64 = 1e-3;

/// Returns a side along which a step must go instead of through it, by the corner opposite.
///
/// This is the side `back` through which the search came, if the step also leads along it: two
/// triangles that send the search to each other mean the side between them. Or it is a side that
/// only a small part of the step crosses.
fn side_to_slide(w: &[f64; 3], step: &[f64; 3], back: Option<usize>) -> Option<usize> {
    let most = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    let leads = |m: usize| step[m] > 0.0 && w[m] < 1.0;
    (0..3).find(|&k| {
        let along = back == Some(k) && (leads((k + 1) % 3) || leads((k + 2) % 3));
        w[k] == 0.0 && step[k] < 0.0 && (step[k] > -ALONG * most || along)
    })
}

/// Moves along a step until the triangle ends, and returns the corner with the weight that is used
/// up, if any.
///
/// `step` becomes the part that was taken. At a vertex two weights may be used up. Then the result
/// is not the corner opposite to the side `back` through which the search came, so that it goes on
/// around the vertex.
fn clip(w: &mut [f64; 3], step: &mut [f64; 3], back: Option<usize>) -> Option<usize> {
    let (mut share, mut corner) = (1.0, None);
    for k in 0..3 {
        if step[k] < 0.0 && w[k] + step[k] < 0.0 {
            let to_side = w[k] / -step[k];
            if to_side < share || (to_side == share && corner.is_some() && corner == back) {
                (share, corner) = (to_side, Some(k));
            }
        }
    }
    for k in 0..3 {
        step[k] *= share;
        w[k] = (w[k] + step[k]).max(0.0);
    }
    if let Some(k) = corner {
        w[k] = 0.0;
    }
    let sum = w[0] + w[1] + w[2];
    *w = w.map(|w| w / sum);
    corner
}

/// State of Newton's method for half the squared distance to `x`.
struct Search {
    spot: PatchPoint,
    /// Minus the gradient, and the second derivatives, along the two weights.
    negative_gradient: [f64; 2],
    hessian: [f64; 3],
    square: [f64; 3],
}

impl Search {
    fn new(spot: PatchPoint, normals: &[Vec3; 3], x: &Vec3) -> Self {
        let [u, v] = spot.along;
        let off = x - spot.point;
        let height = off.dot(&spot.normal);
        // The normal is taken to vary as the corners' normals do. This affects speed only, since
        // the foot is where the gradient vanishes.
        let (i, j, k) = (spot.from, (spot.from + 1) % 3, (spot.from + 2) % 3);
        let (nu, nv) = (normals[j] - normals[i], normals[k] - normals[i]);
        let square = [u.dot(&u), u.dot(&v), v.dot(&v)];
        let mut hessian = [
            square[0] + height * u.dot(&nu),
            square[1] + 0.5 * height * (u.dot(&nv) + v.dot(&nu)),
            square[2] + height * v.dot(&nv),
        ];
        let det = |m: &[f64; 3]| m[0] * m[2] - m[1] * m[1];
        // Beyond the centre of curvature there is no nearest place: descend instead.
        let steep = hessian[0] > 0.1 * square[0] && hessian[2] > 0.1 * square[2];
        if !(steep && det(&hessian) > 0.01 * det(&square)) {
            hessian = square;
        }
        Search {
            negative_gradient: [u.dot(&off), v.dot(&off)],
            hessian,
            square,
            spot,
        }
    }

    /// Returns the change of each weight.
    fn weights(&self, [u, v]: [f64; 2]) -> [f64; 3] {
        let mut step = [0.0; 3];
        step[self.spot.from] = -u - v;
        step[(self.spot.from + 1) % 3] = u;
        step[(self.spot.from + 2) % 3] = v;
        step
    }

    /// Returns the rate at which half the squared distance falls along a step.
    fn slope(&self, step: &[f64; 3]) -> f64 {
        let [u, v] = self.parts(step);
        u * self.negative_gradient[0] + v * self.negative_gradient[1]
    }

    /// Corrects the second derivative along the step that led here, by the change of the slope,
    /// which was `pulled` before.
    ///
    /// A patch is not bent exactly as its corners' normals say. Without this correction, feet of
    /// distant points are not found within the step limit.
    fn update_hessian(&mut self, step: &[f64; 3], pulled: f64) {
        let [u, v] = self.parts(step);
        let [a, b, c] = self.hessian;
        let bent = [a * u + b * v, b * u + c * v];
        let model = u * bent[0] + v * bent[1];
        let share = (pulled - self.slope(step)) / model;
        // Where the second derivative itself changes along the step, a small value is too small.
        if share.is_finite() {
            let more = (share.clamp(0.5, 4.0) - 1.0) / model;
            self.hessian = [
                a + more * bent[0] * bent[0],
                b + more * bent[0] * bent[1],
                c + more * bent[1] * bent[1],
            ];
        }
    }

    /// Returns a step in terms of the two free weights.
    fn parts(&self, step: &[f64; 3]) -> [f64; 2] {
        [1, 2].map(|n| step[(self.spot.from + n) % 3])
    }

    fn step(&self) -> [f64; 3] {
        let [a, b, c] = self.hessian;
        let [g, h] = self.negative_gradient;
        let det = a * c - b * b;
        let solved = [(c * g - b * h) / det, (a * h - b * g) / det];
        let finite = solved.iter().all(|s| s.is_finite());
        self.weights(if finite { solved } else { [0.0; 2] })
    }

    /// Returns the step along the side opposite to a corner.
    fn slide(&self, corner: usize) -> [f64; 3] {
        let mut along = [0.0; 3];
        along[(corner + 1) % 3] = 1.0;
        along[(corner + 2) % 3] = -1.0;
        let [u, v] = self.parts(&along);
        let form = |m: &[f64; 3]| u * u * m[0] + 2.0 * u * v * m[1] + v * v * m[2];
        let by = self.slope(&along) / form(&self.hessian);
        let by = if by.is_finite() { by } else { 0.0 };
        along.map(|a| a * by)
    }

    /// Returns the length of a step, m.
    fn length(&self, step: &[f64; 3]) -> f64 {
        let [u, v] = self.parts(step);
        let [a, b, c] = self.square;
        (u * u * a + 2.0 * u * v * b + v * v * c).max(0.0).sqrt()
    }
}
