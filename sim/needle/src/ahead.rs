//! Detection ahead of the tip: continuous detection along a straight piece of path, from the cells
//! that it crosses.
//!
//! # Theory
//!
//! The march from cell to cell (Pitiot 2015, section 5.3, with the exact march in place of the memo
//! particle) gives the cells that the tip's centre passes through. Their lists hold every triangle
//! that the tip's ball can meet. Triangles of membranes are tested with exact predicates (Shewchuk
//! 1997). Ties are settled so that a path between two triangles that share an edge crosses a closed
//! surface once. The distance to a triangle of bone is a convex function along the path. Where it
//! does not fall, it never will. Otherwise the tip may advance by the remaining distance, again and
//! again, until nothing is left (conservative advancement).
//!
//! For the real-time thread: no allocation after [`TipProbe::new`], at most [`MAX_CANDIDATES`]
//! triangles and [`MAX_ROUNDS`] rounds with each. An exhausted limit shortens the path and never
//! gives a wrong result.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_triangle;
use hapticd_registration::map::Dart;
use hapticd_registration::track::{Path as March, Tally};

use crate::tissue::Tissue;

/// Distance at which the tip stops before a surface that has to be pierced, m; rounding cannot
/// cross it.
pub const STAND_OFF_M: f64 = 1e-7;
/// Distance to bone in addition to the needle's radius, m.
pub const CLEARANCE_M: f64 = 1e-5;
/// Most triangles tested in one query.
pub const MAX_CANDIDATES: usize = 512;
/// Most rounds of conservative advancement per triangle.
pub const MAX_ROUNDS: usize = 24;
/// Remaining distance to bone that counts as used up, m.
const NOTHING_M: f64 = 1e-8;

/// What stops the tip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Surface of the next layer, counted from the top.
    Layer(usize),
    /// Surface of a structure that can be pierced, by its index in the list.
    Membrane(usize),
    /// Bone, by its index in the list.
    Bone(usize),
    /// Side of the box: the tip does not come out.
    Border,
    /// Too many triangles for one query; the next one goes on.
    Budget,
}

/// How far the tip may go, and what stops it there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Free path, m; all of the requested path if nothing stops the tip.
    pub path_m: f64,
    /// What stops it, if anything.
    pub stop: Option<Stop>,
}

/// Location of the tip in the mesh of space, with the buffers for queries from it.
#[derive(Clone, Debug)]
pub struct TipProbe {
    radius_m: f64,
    dart: Option<Dart>,
    met: Vec<u32>,
    meeting: u32,
    near: Vec<u32>,
    tally: Tally,
    /// Number of triangles tested so far.
    tests: u64,
}

/// A straight path that the tip wants to go, tissue frame.
#[derive(Clone, Copy, Debug)]
pub struct TipPath<'a> {
    /// Start, m.
    pub from: &'a Vec3,
    /// Unit direction.
    pub direction: &'a Vec3,
    /// Length, m.
    pub path_m: f64,
    /// Index of the layer that the tip is in.
    pub layer: usize,
    /// A structure (index in the list) whose surfaces do not count within this length, m.
    pub pierced: Option<(usize, f64)>,
}

impl TipProbe {
    /// Creates the state for a needle of this radius in this tissue. The tissue's reach must be at
    /// least the radius plus [`CLEARANCE_M`]; otherwise its lists miss triangles, and no motion is
    /// allowed.
    #[must_use]
    pub fn new(tissue: &Tissue, radius_m: f64) -> Self {
        TipProbe {
            radius_m,
            dart: None,
            met: vec![0; tissue.triangles().len()],
            meeting: 0,
            near: Vec::with_capacity(MAX_CANDIDATES),
            tally: Tally::default(),
            tests: 0,
        }
    }

    /// Returns the number of triangles tested since the start.
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.tests
    }

    /// Returns how far the tip may go along the wanted path.
    pub fn free_path(&mut self, tissue: &Tissue, wanted: &TipPath<'_>) -> Ahead {
        let &TipPath {
            from,
            direction,
            path_m,
            layer,
            pierced,
        } = wanted;
        let blocked = Ahead {
            path_m: 0.0,
            stop: Some(Stop::Budget),
        };
        // Written so that NaN gives no motion, and neither does a needle too thick for the lists.
        let is_finite = from.iter().chain(direction).all(|x| x.is_finite());
        let is_seen = self.radius_m + CLEARANCE_M <= tissue.reach_m();
        if !(path_m > 0.0 && path_m.is_finite() && is_finite && is_seen) {
            return blocked;
        }
        let mut ahead = Ahead { path_m, stop: None };
        planes(tissue, from, direction, layer, &mut ahead);
        if !(ahead.path_m > 0.0) {
            return ahead;
        }
        // Shortens the path until the nearby triangles fit into one query.
        let mut gathered = false;
        for _ in 0..4 {
            match self.gather(tissue, from, &(from + direction * ahead.path_m)) {
                Some(true) => {
                    gathered = true;
                    break;
                }
                Some(false) => {
                    ahead = Ahead {
                        path_m: ahead.path_m / 4.0,
                        stop: Some(Stop::Budget),
                    };
                }
                None => return blocked,
            }
        }
        if !gathered {
            return blocked;
        }
        for i in 0..self.near.len() {
            let t = self.near[i] as usize;
            let triangle = &tissue.triangles()[t];
            let owner = tissue.owner(t);
            self.tests += 1;
            if tissue.structure(owner).puncture_force_n.is_some() {
                let to = from + direction * ahead.path_m;
                let Some(share) = crossing(from, &to, triangle) else {
                    continue;
                };
                let at_m = share * ahead.path_m;
                if pierced.is_some_and(|(k, within_m)| k == owner && at_m <= within_m) {
                    continue;
                }
                ahead = Ahead {
                    path_m: (at_m - STAND_OFF_M).max(0.0),
                    stop: Some(Stop::Membrane(owner)),
                };
            } else {
                let free_m = self.advance(from, direction, ahead.path_m, triangle);
                if free_m < ahead.path_m {
                    ahead = Ahead {
                        path_m: free_m,
                        stop: Some(Stop::Bone(owner)),
                    };
                }
            }
            if !(ahead.path_m > 0.0) {
                break;
            }
        }
        ahead
    }

    /// Collects into `near` all triangles in the lists of the cells from `a` to `b`. Returns false
    /// if there are too many, and `None` if the march got lost.
    fn gather(&mut self, tissue: &Tissue, a: &Vec3, b: &Vec3) -> Option<bool> {
        let map = tissue.map();
        let dart = match self.dart {
            Some(dart) => dart,
            None => map.dart(map.leaves().next()?),
        };
        // Walks from the last location to the start of the path. The mesh is convex, and the last
        // query ended here or in a neighbouring cell.
        let mut particle = map.particle_in(map.cell(dart));
        let _ = map.track(&mut particle, a, &mut self.tally).ok()?;
        if particle.position != *a {
            return None;
        }
        self.dart = Some(particle.dart);
        if self.meeting == u32::MAX {
            self.met.fill(0);
            self.meeting = 0;
        }
        self.meeting += 1;
        self.near.clear();
        let TipProbe {
            met, meeting, near, ..
        } = self;
        let mut fits = true;
        let end = map.march(particle.dart, a, b, |cell| {
            for &t in tissue.listed(cell.index()) {
                let seen = &mut met[t as usize];
                if *seen != *meeting {
                    *seen = *meeting;
                    if near.len() < MAX_CANDIDATES {
                        near.push(t);
                    } else {
                        fits = false;
                    }
                }
            }
        });
        matches!(end, March::Reached(_)).then_some(fits)
    }

    /// Returns how far the ball may go until the clearance to a triangle is used up, at most
    /// `path_m`.
    fn advance(&self, from: &Vec3, direction: &Vec3, path_m: f64, triangle: &[Vec3; 3]) -> f64 {
        let kept_m = self.radius_m + CLEARANCE_M;
        let mut gone_m = 0.0;
        for _ in 0..MAX_ROUNDS {
            let p = from + direction * gone_m;
            let apart = p - point_triangle(&p, triangle).0;
            let left_m = apart.norm() - kept_m;
            // Convex: a distance that does not fall here never falls. This also lets the tip leave
            // something near.
            if apart.dot(direction) >= 0.0 || gone_m + left_m >= path_m {
                return path_m;
            }
            if !(left_m > NOTHING_M) {
                return gone_m;
            }
            gone_m += left_m;
        }
        gone_m
    }
}

/// Limits the path by the sides of the box and of the layer.
fn planes(tissue: &Tissue, from: &Vec3, direction: &Vec3, layer: usize, ahead: &mut Ahead) {
    let half = tissue.spec().half_m;
    let mut at_most = |at_m: f64, stop| {
        if at_m - STAND_OFF_M < ahead.path_m {
            *ahead = Ahead {
                path_m: (at_m - STAND_OFF_M).max(0.0),
                stop: Some(stop),
            };
        }
    };
    for i in 0..3 {
        if direction[i] != 0.0 {
            let side = half[i].copysign(direction[i]);
            at_most((side - from[i]) / direction[i], Stop::Border);
        }
    }
    let beyond = if direction.z < 0.0 {
        tissue.top_m(layer + 1).map(|top| (top, layer + 1))
    } else if direction.z > 0.0 && layer > 0 {
        tissue.top_m(layer).map(|top| (top, layer - 1))
    } else {
        None
    };
    if let Some((height, next)) = beyond {
        at_most((height - from.z) / direction.z, Stop::Layer(next));
    }
}

/// Returns the share of the segment from `p` to `q` at which it crosses a triangle, 0 to 1.
///
/// A crossing leads from one side to the other; points on the plane count as one side. It lies
/// between the triangle's edges, each of which belongs to one of its two triangles.
pub(crate) fn crossing(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<f64> {
    let (at_p, at_q) = (side(a, b, c, p), side(a, b, c, q));
    if (at_p >= 0.0) == (at_q >= 0.0) {
        return None;
    }
    let edge = |u: &Vec3, v: &Vec3| {
        // One sign for both triangles: an edge has one direction.
        let (turned, s) = if is_before(u, v) {
            (false, side(p, q, u, v))
        } else {
            (true, side(p, q, v, u))
        };
        (s >= 0.0) != turned
    };
    let first = edge(a, b);
    if edge(b, c) != first || edge(c, a) != first {
        return None;
    }
    let share = at_p / (at_p - at_q);
    Some(if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    })
}

fn side(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    let coordinates = |v: &Vec3| robust::Coord3D {
        x: v.x,
        y: v.y,
        z: v.z,
    };
    robust::orient3d(
        coordinates(a),
        coordinates(b),
        coordinates(c),
        coordinates(d),
    )
}

fn is_before(u: &Vec3, v: &Vec3) -> bool {
    (u.x, u.y, u.z) < (v.x, v.y, v.z)
}
