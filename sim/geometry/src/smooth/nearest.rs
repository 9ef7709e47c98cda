//! The foot of a point on a smooth surface, from a place nearby.
//!
//! Real-time callable: no allocation, at most [`STEPS`] steps. Deterministic. Metres.

use crate::adjacency::NO_FACE;
use crate::pose::Vec3;

use super::patch::Spot;
use super::{SmoothMesh, facet};

/// Most steps of a search, those from patch to patch among them.
const STEPS: usize = 64;
/// A step this short was the last one, m.
const NEAR_M: f64 = 1e-9;

/// A place on a [`SmoothMesh`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// On the patch of this triangle.
    pub face: u32,
    /// Barycentric.
    pub weights: [f64; 3],
    /// Where that is, m. Beyond a rim it may be on the plane there.
    pub point: Vec3,
    /// Outward, unit. On a rim: as the way to the point that was asked about.
    pub normal: Vec3,
    /// The sheet ends here, and no plane that turns away begins: what is nearest may be on another
    /// one.
    pub on_border: bool,
}

impl SmoothMesh {
    /// Weights of the point of a triangle that is nearest to `x` in its plane, moved into the
    /// triangle.
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

    /// The place on the sheet of `face` that is nearest to `x` of those around `weights` there:
    /// where `x` is straight above or below, or the end of the sheet and the plane beyond it.
    /// `None`: not found in 64 steps, or no such triangle.
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

    /// The place on the sheet; if that is on its end, the triangle there and the corner opposite.
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
        // The search has slid along the sheet's end to a vertex, and has not left it since.
        let mut at_corner = false;
        // Where it has last met that end.
        let mut met = None;
        let mut patch = self.patch(face);
        let mut at = Search::new(patch.spot(&w), &patch.normals, x);
        for _ in 0..STEPS {
            let mut step = at.step();
            if let Some(side) = kept_in(&w, &step, back) {
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
            let far = |spot: &Spot| (x - spot.point).norm_squared();
            if length >= NEAR_M && far(&spot) > far(&at.spot) {
                // Too far: half of that.
                w = [0, 1, 2].map(|k| 0.5 * (from[k] + w[k]));
                step = step.map(|s| 0.5 * s);
                (spot, reached) = (patch.spot(&w), None);
            }
            let Some(side) = reached else {
                let pulled = at.slope(&step);
                at = Search::new(spot, &patch.normals, x);
                at.learn(&step, pulled);
                continue;
            };
            // Over the side, or along it where the sheet ends.
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

    /// The same place on the triangle across the side opposite to a corner.
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

fn found(face: u32, weights: [f64; 3], spot: &Spot) -> Foot {
    Foot {
        face,
        weights,
        point: spot.point,
        normal: spot.normal,
        on_border: false,
    }
}

/// Turns a foot on a rim towards `x`, or puts it on the plane that begins there, whose normal is
/// given.
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

/// A step that leaves the triangle by a smaller part of itself goes along the side.
const ALONG: f64 = 1e-3;

/// A side that a step goes along instead of through it, by the corner opposite: that it came `back`
/// by, where it also leads along it, for two triangles that send it to each other mean the side
/// between them; or that it leaves by but a small part.
fn kept_in(w: &[f64; 3], step: &[f64; 3], back: Option<usize>) -> Option<usize> {
    let most = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    let leads = |m: usize| step[m] > 0.0 && w[m] < 1.0;
    (0..3).find(|&k| {
        let along = back == Some(k) && (leads((k + 1) % 3) || leads((k + 2) % 3));
        w[k] == 0.0 && step[k] < 0.0 && (step[k] > -ALONG * most || along)
    })
}

/// Goes a step as far as the triangle does; the corner whose weight is used up, if one is. `step`
/// is what was gone. At a vertex two may be: then not the one opposite to the side that it came
/// `back` by, so that the search goes on around the vertex.
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

/// Newton's method for half the squared distance to `x`.
struct Search {
    spot: Spot,
    /// Minus the gradient, and the second derivatives, along the two weights.
    pull: [f64; 2],
    bend: [f64; 3],
    square: [f64; 3],
}

impl Search {
    fn new(spot: Spot, normals: &[Vec3; 3], x: &Vec3) -> Self {
        let [u, v] = spot.along;
        let off = x - spot.point;
        let height = off.dot(&spot.normal);
        // How the normal turns: as the corners' normals do. This is for speed only, as the place is
        // found where the gradient vanishes.
        let (i, j, k) = (spot.from, (spot.from + 1) % 3, (spot.from + 2) % 3);
        let (nu, nv) = (normals[j] - normals[i], normals[k] - normals[i]);
        let square = [u.dot(&u), u.dot(&v), v.dot(&v)];
        let mut bend = [
            square[0] + height * u.dot(&nu),
            square[1] + 0.5 * height * (u.dot(&nv) + v.dot(&nu)),
            square[2] + height * v.dot(&nv),
        ];
        let det = |m: &[f64; 3]| m[0] * m[2] - m[1] * m[1];
        // Beyond the centre of curvature there is no nearest place: downhill it is.
        let steep = bend[0] > 0.1 * square[0] && bend[2] > 0.1 * square[2];
        if !(steep && det(&bend) > 0.01 * det(&square)) {
            bend = square;
        }
        Search {
            pull: [u.dot(&off), v.dot(&off)],
            bend,
            square,
            spot,
        }
    }

    /// By how much each weight changes.
    fn weights(&self, [u, v]: [f64; 2]) -> [f64; 3] {
        let mut step = [0.0; 3];
        step[self.spot.from] = -u - v;
        step[(self.spot.from + 1) % 3] = u;
        step[(self.spot.from + 2) % 3] = v;
        step
    }

    /// The pull along a step: how fast half the squared distance falls.
    fn slope(&self, step: &[f64; 3]) -> f64 {
        let [u, v] = self.parts(step);
        u * self.pull[0] + v * self.pull[1]
    }

    /// Along the step that led here, by which the pull was `pulled` before, the second derivative
    /// is what the pull has changed by: a patch is not bent as its corners' normals say, and
    /// without this far points are not found in time.
    fn learn(&mut self, step: &[f64; 3], pulled: f64) {
        let [u, v] = self.parts(step);
        let [a, b, c] = self.bend;
        let bent = [a * u + b * v, b * u + c * v];
        let model = u * bent[0] + v * bent[1];
        let share = (pulled - self.slope(step)) / model;
        // Where the bend itself changes on the way, less is too much.
        if share.is_finite() {
            let more = (share.clamp(0.5, 4.0) - 1.0) / model;
            self.bend = [
                a + more * bent[0] * bent[0],
                b + more * bent[0] * bent[1],
                c + more * bent[1] * bent[1],
            ];
        }
    }

    /// A step by the two weights that change freely.
    fn parts(&self, step: &[f64; 3]) -> [f64; 2] {
        [1, 2].map(|n| step[(self.spot.from + n) % 3])
    }

    fn step(&self) -> [f64; 3] {
        let [a, b, c] = self.bend;
        let [g, h] = self.pull;
        let det = a * c - b * b;
        let solved = [(c * g - b * h) / det, (a * h - b * g) / det];
        let finite = solved.iter().all(|s| s.is_finite());
        self.weights(if finite { solved } else { [0.0; 2] })
    }

    /// The step along the side opposite to a corner.
    fn slide(&self, corner: usize) -> [f64; 3] {
        let mut along = [0.0; 3];
        along[(corner + 1) % 3] = 1.0;
        along[(corner + 2) % 3] = -1.0;
        let [u, v] = self.parts(&along);
        let form = |m: &[f64; 3]| u * u * m[0] + 2.0 * u * v * m[1] + v * v * m[2];
        let by = self.slope(&along) / form(&self.bend);
        let by = if by.is_finite() { by } else { 0.0 };
        along.map(|a| a * by)
    }

    /// How long a step is, m.
    fn length(&self, step: &[f64; 3]) -> f64 {
        let [u, v] = self.parts(step);
        let [a, b, c] = self.square;
        (u * u * a + 2.0 * u * v * b + v * v * c).max(0.0).sqrt()
    }
}
