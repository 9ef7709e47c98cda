//! Cloth, soft bodies and rigid bodies in one world: XPBD with small substeps.
//!
//! An [`XpbdWorld`] holds particles (of cloth and soft bodies) and rigid bodies.
//! [`XpbdWorld::step`] takes the contacts that collision detection found and advances everything by
//! one time step.
//!
//! # Theory
//!
//! This is extended position-based dynamics (Macklin, Müller and Chentanez 2016). A constraint `C`
//! with compliance `a` moves its particles by the multiplier `-C / (grad C . W grad C + a / h²)`.
//! For small `h`, that is a step of implicit Euler on the energy `C² / 2a`. Each of many substeps
//! of length `h` does one sweep, instead of many sweeps in one step (Macklin et al. 2019, "Small
//! steps in physics simulation"). The work is the same, the error falls with `h²`, and there is
//! less numerical damping. Rigid bodies take part with generalised inverse masses (Müller, Macklin,
//! Chentanez, Jeschke, Kim 2020, "Detailed rigid body simulation with extended position based
//! dynamics"). Their rotational state is momentum, not angular velocity.
//!
//! * Cloth: threads (distance constraints) and quadratic hinges, see [`ClothMaterial`].
//! * Soft bodies: corotated tetrahedra in a lattice, see [`SoftMaterial`]. Their parameters are
//!   those of the textbook.
//! * Contacts: [`Contact`] connects any two of: particle, surface vertex, point of a surface
//!   triangle, rigid body, the static world. [`keep_four`] reduces the contacts between two rigid
//!   bodies.
//!
//! # What to expect
//!
//! * Free fall: velocity is exact to rounding; positions are `g t h / 2` below the parabola
//!   (semi-implicit Euler).
//! * All forces between movers conserve linear momentum to rounding. Free bodies conserve angular
//!   momentum to rounding. Constraints conserve it with an error of first order in `h`, since their
//!   corrections are made at places that the substep has already moved.
//! * A stiff object is only as stiff as the substep allows: with one sweep per substep, a load of
//!   `n` links stretches by about `n² g h²`. Damping times of threads and tetrahedra count as
//!   stiffness here: times far above the substep soften what they damp. The remedy is more
//!   substeps.
//! * Order matters (Gauss-Seidel): another order of additions or of contacts gives other bits,
//!   within the same error.
//!
//! # Practice
//!
//! SI units, world axes, `f64`. Adding objects allocates. [`XpbdWorld::step`] allocates only for
//! contact lists longer than any before and than reserved by [`XpbdWorld::reserve_contacts`]. Work
//! is bounded by constraints and contacts times substeps. Equal calls give bit-equal states on one
//! machine. Nothing panics: invalid input is refused with an error that carries the numbers. A
//! particle or body whose next state would not be finite stays where the substep began, at rest,
//! and is counted in the [`StepReport`].
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
mod reduction;
mod soft;
mod stencil;
mod step;
mod surface;
mod tetrahedron;
mod world;

pub use attachment::{AttachmentError, AttachmentId};
pub use body::{BodyError, BodyId, BodyKind, BodyState, Pull};
pub use cloth::{ClothError, ClothMaterial};
pub use contact::{Contact, ContactFault, ContactPoint};
pub use distance::Distance;
pub use mesh::MeshFault;
pub use particle::{ParticleError, ParticleId};
pub use reduction::{Kept, keep_four};
pub use soft::{MAX_CELLS, SoftError, SoftMaterial};
pub use step::{MAX_SUBSTEPS, StepError, StepReport};
pub use surface::DeformableId;
pub use world::{LinkError, Settings, SettingsError, XpbdWorld};

/// A point or vector, world axes.
pub type Vec3 = nalgebra::Vector3<f64>;

/// Returns whether all three numbers are finite. A sum that overflows counts as not finite, which
/// is of no use either.
#[inline]
fn finite(v: &Vec3) -> bool {
    (v.x.abs() + v.y.abs() + v.z.abs()).is_finite()
}
