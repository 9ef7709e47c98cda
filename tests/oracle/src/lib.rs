//! Exact answers in rational arithmetic, for development: truth to check floating-point detection
//! against.
//!
//! [`Query::first_contact`] decides whether a vertex and a triangle, or two segments, meet while
//! every vertex moves on a straight line over the closed time interval `[0, 1]`; touching counts,
//! and every degenerate configuration (parallel or zero-length edges, zero-area triangles, motion
//! within one plane, shared vertices) is the point set that it is. The answer is a theorem:
//! coordinates are rational numbers, and the signs of polynomials at their roots are decided by
//! Sturm sequences and greatest common divisors, never by rounding.
//!
//! **Method.** Contact makes the four points coplanar, `F(t) = det(d, e1, e2) = 0` with `d`, `e1`,
//! `e2` as in `hapticd_ccd::linear`. If the cubic `F` is not zero throughout, its at most three
//! roots are isolated and the contact condition, a combination of signs of quadratics, is decided
//! at each. If it is, the condition can only change at roots of those quadratics; the set of
//! contact times is closed, so its first time is one of these roots or 0.
//!
//! Shares no code with the detection. Allocates; tens of microseconds to milliseconds a query.
//! Lengths in any unit.

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
