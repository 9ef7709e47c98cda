//! First contact of one feature pair when every vertex moves on a straight line: deformable meshes,
//! cloth.
//!
//! # Theory
//!
//! With one vertex of each feature as reference, both cases reduce to three vectors that are linear
//! in time. The difference of a point of A and a point of B is multi-affine in `(t, u, w)`:
//!
//! ```text
//! vertex v, face f0 f1 f2:    d = v - f0,   e1 = f1 - f0,  e2 = f2 - f0,   d - u e1 - w e2,   u, w >= 0, u + w <= 1
//! edges a0 a1, b0 b1:         d = a0 - b0,  e1 = a1 - a0,  e2 = b1 - b0,   d + u e1 - w e2,   0 <= u, w <= 1
//! ```
//!
//! So over a time interval (called a *stretch* in the code), its component along any fixed
//! direction is bounded by its values at the corners: eight for edges, six for a face. Snyder 1992
//! and Wang et al. 2021 use this bound; the latter take the three axes and halve `t`, `u` and `w`.
//! Here only time is divided, and the directions are chosen instead. A stretch `[a, b]` is *proven
//! free* by any one of
//!
//! 1. **coplanarity**: `F(t) = det(d, e1, e2)`, a cubic, vanishes in every contact; its four
//!    Bernstein coefficients on `[a, b]` have one sign (with a separation `m`: they exceed `m |e1 x
//!    e2|`);
//! 2. **a fixed direction**: the corners are all on one side. If this proves only a part of `[a,
//!    b]`, that part is cut out;
//! 3. **a turning direction**, linear in time from the closest direction at `a` to that at `b`: the
//!    components of the corners are quadratics, and their Bernstein coefficients are all positive;
//! 4. **a line through an edge**, in a projection (`polynomials`), with the features on opposite
//!    sides; only for a separation of 0;
//! 5. **coplanarity and lines in double-double arithmetic** (`refine`), where 53 bits do not decide
//!    and the separation is 0.
//!
//! The directions are those of the closest points at the ends and at the *critical time*. That is
//! the root of `F`, the time of its minimum absolute value, or the time at which the closest points
//! themselves are nearest. Where the cubic is useless (motion in one plane, parallel edges,
//! needles), the directions do the work. At close grazes out of plane it is the reverse. What
//! neither settles is divided at the critical time, earlier part first.
//!
//! With a separation of 0, coplanarity and lines come first, over the whole motion. Most queries
//! end there, free or with a proven contact. Where plain `f64` cannot decide, double-double
//! arithmetic does. Directions are tried only on what remains.
//!
//! # Rounding
//!
//! With `u = 2^-53` and `N` the larger of a vector's lengths at the two ends of the motion:
//!
//! * A difference of coordinates has a relative error of `u`, so what follows is relative to the
//!   size of the features and of their relative motion, not to their position. `x(t) = x0 + t (x1 -
//!   x0)` is then computed with an error of at most `u N` (differences) `+ 4 u N` (`t (x1 - x0)`: a
//!   subtraction and a product of size `2 N`) `+ u N` (sum) `= 6 u N`. Between two such points both
//!   the true motion and the computed one are linear, so the bound holds in between.
//! * A component `n.x` of a unit `n` adds `3 u N`; a corner sums at most three of them: together
//!   less than `12 u (Nd + N1 + N2)`. Used: `16 u` (`CORNER_ROUNDING`). It also covers turning
//!   directions, as their coefficients are means of two such numbers (`+ u`). Where a stretch is
//!   cut, the cut's own rounding (a few `u` of the time) moves a corner by less than `10 u (Nd +
//!   N1 + N2)`; `16 u` again.
//! * A coefficient of `F` is a mean of determinants: `3 . 6 u` from the three vectors, `2 sqrt 2 u`
//!   from the cross product, `3 u` from the product with `d`, `2 u` from the sums: less than `27 u
//!   Nd N1 N2`. Used: `32 u` (`DETERMINANT_ROUNDING`).
//! * For double-double numbers, see `refine`.
//! * Underflow adds less than `TINY`; features smaller than 1e-70 m or moving farther than 1e70 m
//!   are not judged.
//!
//! A proof is accepted only if its numbers exceed these bounds, so **no contact is missed**: the
//! answer "none" is a theorem about the given coordinates. An undecided case is reported as a
//! contact: features that pass within about 1e-27 of their size, or within 1e-14 where a feature
//! has collapsed to a point or a separation is requested.
//!
//! # Practice
//!
//! [`first_contact_linear`] is a pure function: no allocation, no lock, no panic. It tests at most
//! [`LinearOptions::max_stretches`] stretches of time; when these run out, it returns the earliest
//! time not yet proven free. Degenerate features count as the segments and points that they are.
//! Metres; time as a fraction of the motion.

mod coplanarity;
mod double_double;
mod frame;
mod polynomials;
mod refine;
mod search;
mod separation;

use hapticd_geometry::Vec3;

use crate::pair::{PairDistance, PairKind, closest};

use frame::Frame;

/// Added to every bound to cover underflow.
const TINY: f64 = 1e-280;

/// Options of a first-contact query on linearly moving features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearOptions {
    /// Features this near count as touching, metres; 0 means exact contact. Negative or NaN counts
    /// as 0.
    pub separation_m: f64,
    /// Stretches of time this short are not divided further, as a fraction of the motion.
    pub time: f64,
    /// Features within this distance beyond `separation_m` may be reported as touching, metres. 0
    /// means as fine as the arithmetic allows.
    pub position_m: f64,
    /// Maximum number of stretches of time tested; each costs at most a third of a microsecond.
    pub max_stretches: u32,
}

impl Default for LinearOptions {
    /// Exact contact, as fine as the arithmetic allows, in less than 100 microseconds.
    fn default() -> Self {
        Self {
            separation_m: 0.0,
            time: 1e-13,
            position_m: 0.0,
            max_stretches: 200,
        }
    }
}

/// First contact of two features with all vertices moving on straight lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearContact {
    /// A lower bound on the time of first contact: before it, the features are proven to be farther
    /// apart than the separation.
    pub t: f64,
    /// End of the stretch that begins at `t` and could not be proven free.
    pub t_upper: f64,
    /// Closest points at `t`.
    pub pair: PairDistance,
    /// Whether the features are within the separation at `t`, to the requested precision (and to
    /// that of the arithmetic and of the motion until `t_upper`). `false` if the search stopped at
    /// `t`; nothing is then known about later times.
    pub certain: bool,
}

/// Finds the first contact of a feature pair when every vertex moves on a straight line at constant
/// speed, from `a[0]` and `b[0]` to `a[1]` and `b[1]`.
///
/// Of each side, only the first [`PairKind::points_a`], [`PairKind::points_b`] points are read;
/// both are in one frame. `None` is proven: the features are farther apart than the separation
/// throughout. Features that touch at time 0 (shared vertices, for example) are in contact at 0.
/// Coordinates that are not finite give an uncertain contact at 0.
#[must_use]
pub fn first_contact_linear(
    kind: PairKind,
    a: [&[Vec3; 3]; 2],
    b: [&[Vec3; 3]; 2],
    options: &LinearOptions,
) -> Option<LinearContact> {
    let separation = options.separation_m.max(0.0);
    let found = if !(separation.is_finite() && finite(kind, a, b)) {
        search::Found::UNKNOWN
    } else if separation::along_an_axis(kind, a, b, separation) {
        return None;
    } else {
        let frame = match kind {
            PairKind::VertexFace => Frame::vertex_face([&a[0][0], &a[1][0]], b),
            PairKind::FaceVertex => Frame::vertex_face([&b[0][0], &b[1][0]], a),
            PairKind::EdgeEdge => Frame::edge_edge(a, b),
        };
        search::first(&frame, separation, options)?
    };
    let at = |x: [&[Vec3; 3]; 2]| -> [Vec3; 3] {
        std::array::from_fn(|i| x[0][i] + (x[1][i] - x[0][i]) * found.t)
    };
    Some(LinearContact {
        t: found.t,
        t_upper: found.t_upper,
        pair: closest(kind, &at(a), &at(b)),
        certain: found.certain,
    })
}

/// Whether all coordinates that are read, and the sum of their absolute values, are finite.
fn finite(kind: PairKind, a: [&[Vec3; 3]; 2], b: [&[Vec3; 3]; 2]) -> bool {
    let mut sum = 0.0;
    for side in 0..2 {
        for p in &a[side][..kind.points_a()] {
            sum += p.x.abs() + p.y.abs() + p.z.abs();
        }
        for p in &b[side][..kind.points_b()] {
            sum += p.x.abs() + p.y.abs() + p.z.abs();
        }
    }
    sum < f64::INFINITY
}
