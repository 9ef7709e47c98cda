//! Gauss' principle of least constraint for rigid bodies, in motion space.
//!
//! The admissible motion closest to a wanted motion in the kinetic metric is the projection of the
//! wanted motion on the polyhedron cut out by the contact rows (Redon 2002, chapter 5). The same
//! projection serves accelerations, velocities and the small displacements of one control tick:
//! only the meaning of a motion and of a bound changes.
//!
//! * [`Metric`] is the body's mass matrix, factored once.
//! * [`Row`] is one contact inequality `n . (v + om x arm) >= bound`; [`ContactGap`] is where the
//!   bound comes from.
//! * [`Projector`] solves for one body, with bounded work and fixed memory; [`coulomb`] adds
//!   friction to it.
//! * [`GroupProjector`] solves for several bodies, with [`PairRow`]s between them.
//! * [`ConeSolver`] solves for many bodies and contacts with friction, to a tolerance that it
//!   reports.
//! * [`friction`] makes friction rows for the projectors.
//!
//! Frames: world axes, reference point at the centre of mass. Nothing here blocks, locks or panics.
//! Nothing allocates once its memory has grown to the problem ([`Projector`] never does). Equal
//! inputs and equal history give bit-equal outputs. [`Projector`] may be called from a real-time
//! thread.
#![forbid(unsafe_code)]

mod active_set;
mod basis;
mod cone;
mod contact_row;
pub mod coulomb;
pub mod friction;
mod group;
mod group_basis;
mod metric;
mod outcome;
mod projector;
mod row;

pub use active_set::iteration_limit;
pub use cone::{ConeSolver, Contact, Descent, DescentLimits, FrictionLaw, Mover};
pub use contact_row::{ContactGap, RECOVERY};
pub use group::{GroupProjection, GroupProjector, PairRow};
pub use metric::{Metric, MetricError};
pub use outcome::{Active, Status};
pub use projector::{Projection, Projector};
pub use row::Row;

/// Points and vectors, world axes.
pub type Vec3 = nalgebra::Vector3<f64>;

/// Translation of the reference point (m), then rotation vector (rad), both in world axes.
///
/// The solver does not depend on the time unit: accelerations (m/s², rad/s²) or velocities serve as
/// well, with bounds in the same unit.
pub type Motion = nalgebra::Vector6<f64>;

/// Maximum number of rows that carry force at once: a rigid body has six degrees of freedom.
pub const MAX_ACTIVE: usize = 6;
