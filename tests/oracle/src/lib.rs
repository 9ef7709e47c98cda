//! Exact answers in rational arithmetic, for development: the ground truth for floating-point
//! detection.
//!
//! [`Query::first_contact`] decides whether a vertex and a triangle, or two segments, meet while
//! every vertex moves on a straight line over the closed time interval `[0, 1]`. Touching counts as
//! meeting. Every degenerate configuration (parallel or zero-length edges, zero-area triangles,
//! motion within one plane, shared vertices) counts as the point set that it is. The answer is
//! exact: coordinates are rational numbers, and the signs of polynomials at their roots are decided
//! by Sturm sequences and greatest common divisors, never by rounding.
//!
//! **Method.** Contact makes the four points coplanar, `F(t) = det(d, e1, e2) = 0` with `d`, `e1`,
//! `e2` as in `hapticd_ccd::linear`. If the cubic `F` is not identically zero, it has at most three
//! roots. They are isolated, and the contact condition, a combination of signs of quadratics, is
//! decided at each. If `F` is identically zero, the condition can change only at roots of those
//! quadratics; the set of contact times is closed, so its first time is one of these roots or 0.
//!
//! The crate shares no code with the detection. It allocates; a query takes tens of microseconds to
//! milliseconds. Lengths are in any unit.

#![forbid(unsafe_code)]

pub mod cases;
mod polynomial;
mod query;
mod rational;
mod root;

pub use num_bigint::BigInt;
pub use num_rational::BigRational;
pub use query::{Features, Point, Query, Span};
pub use rational::nearest_f64;
