//! Cloth, soft bodies and rigid bodies in one world, by positions: XPBD with small substeps.
//!
//! A [`XpbdWorld`] holds particles (of cloth and soft bodies) and rigid bodies. [`XpbdWorld::step`]
//! takes the contacts that collision detection found, and moves everything by one step of time.
//!
//! # Theory
//!
//! Extended position-based dynamics (Macklin, Müller and Chentanez 2016): a constraint `C` with
//! compliance `a` moves its particles by the multiplier `-C / (grad C . W grad C + a / h²)`, which
//! for small `h` is a step of implicit Euler on the energy `C² / 2a`. One sweep in each of many
//! substeps of length `h` instead of many sweeps in one (Macklin et al. 2019, "Small steps in
//! physics simulation"): the same work, an error that falls with `h²`, and less numerical damping.
//! Rigid bodies take part with generalised inverse masses (Müller, Macklin, Chentanez, Jeschke, Kim
//! 2020, "Detailed rigid body simulation with extended position based dynamics"); their rotational
//! state is momentum, not spin.
//!
//! * Cloth: threads and quadratic hinges, see [`ClothMaterial`].
//! * Soft bodies: corotated tetrahedra in a lattice, see [`SoftMaterial`]. Their parameters are
//!   those of the textbook.
//! * Contacts: [`Contact`]. Any two of: particle, surface vertex, point of a surface triangle,
//!   rigid body, the unmoving world. [`keep_four`] thins those between two rigid bodies out.
//!
//! # What to expect
//!
//! * Free fall: velocity to rounding; positions are `g t h / 2` below the parabola (semi-implicit
//!   Euler).
//! * Linear momentum is kept to rounding by everything that acts between movers; angular momentum
//!   to rounding by free bodies, and with an error of first order in `h` by constraints, since
//!   their corrections are made at places that the substep has already moved.
//! * A stiff thing is only as stiff as the substep lets it be: one sweep a substep carries a load
//!   of `n` links with a stretch of about `n² g h²`. Damping times of threads and tetrahedra count
//!   as stiffness here: times far above the substep soften what they damp. More substeps are the
//!   remedy.
//! * Order matters (Gauss-Seidel): other orders of adding or of contacts give other bits, within
//!   the same error.
//!
//! # Practice
//!
//! SI units, world axes, `f64`. Adding things allocates; [`XpbdWorld::step`] does so only for
//! contact lists longer than ever or than [`XpbdWorld::reserve_contacts`] was told. Work is bounded
//! by constraints and contacts times substeps. Equal calls give bit-equal states on one machine.
//! Nothing panics: wrong input is refused with an error that carries the numbers, and a particle or
//! body whose next state would not be finite stays where the substep began, at rest, and is counted
//! in the [`StepReport`].
#![forbid(unsafe_code)]

mod access;
mod attachment;
mod bending;
mod body;
mod cloth;
mod contact;
mod contact_names;
mod contact_solver;
mod distance;
mod drive;
mod lattice;
mod mesh;
mod particle;
mod pull;
mod reduction;
mod soft;
mod stencil;
mod step;
mod surface;
mod tetrahedron;
mod world;

pub use attachment::{AttachmentError, AttachmentId};
pub use body::{BodyError, BodyId, BodyKind, BodyState};
pub use cloth::{ClothError, ClothMaterial};
pub use contact::{Contact, ContactFault, ContactPoint};
pub use distance::Distance;
pub use mesh::MeshFault;
pub use particle::{ParticleError, ParticleId};
pub use pull::Pull;
pub use reduction::{Kept, keep_four};
pub use soft::{MAX_CELLS, SoftError, SoftMaterial};
pub use step::{MAX_SUBSTEPS, StepError, StepReport};
pub use surface::DeformableId;
pub use world::{LinkError, Settings, SettingsError, XpbdWorld};

/// Points and vectors, world axes.
pub type Vec3 = nalgebra::Vector3<f64>;

/// The sum of three numbers is finite only if they are, save for overflow, which is no use either.
#[inline]
fn finite(v: &Vec3) -> bool {
    (v.x.abs() + v.y.abs() + v.z.abs()).is_finite()
}
