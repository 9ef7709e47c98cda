//! The mechanics under implicit skins: spheres with springs, strands that bend, drops, and a haptic
//! tool among them.
//!
//! A [`SphereWorld`] holds mass points that carry a collision sphere each. [`SphereWorld::step`]
//! advances them by one time step and reports which of them blend. Each body has three layers, as
//! in Triquet 2001 (sections 2.2.3 and 2.3.2). This crate is the mechanical layer and the spheres
//! that other objects touch. Other crates draw the skin over it, and the skin has no effect on it.
//!
//! # Theory
//!
//! Extended position-based dynamics with small substeps, one sweep in each (Macklin, Müller,
//! Chentanez 2016; Macklin et al. 2019), as in [`xpbd`](hapticd_xpbd). Triquet leaves integrator
//! and contact law open.
//!
//! * Links: springs with damping. [`SphereWorld::lattice`] makes a solid of them,
//!   [`SphereWorld::strand`] a wire that also resists bending.
//! * Fluids: a pair force between neighbours and viscosity, see [`FluidMaterial`].
//! * Collision spheres: two spheres do not pass through each other unless they are of one fluid or
//!   neighbours in one body. Spheres also collide with walls, obstacles that the caller found, and
//!   [probes](Probe). All contacts are unilateral, with Coulomb friction, without bounce.
//! * [`BlendEvent`]s: spheres that touch blend until they are further apart, see [`Blending`].
//!
//! # What to expect
//!
//! * All forces between spheres conserve linear momentum to rounding. Free flight conserves angular
//!   momentum to rounding; forces along lines that the substep has turned conserve it with an error
//!   of first order in the substep. Friction between spheres acts on their centres, since they do
//!   not rotate: its torque is lost.
//! * A stiff object is only as stiff as the substep allows: a sweep carries a load of `n` links, or
//!   layers of spheres, with a strain of about `n² g h²` in length, `h` the substep. Damping times
//!   far above the substep soften what they damp. A wire that is stiff for its substeps and has no
//!   damping buckles where theory says that it holds (one substep of damping is enough). The remedy
//!   is more substeps.
//! * Energy: contacts of spheres that do not start inside each other never create energy on the
//!   whole, and return no more than a twentieth of it in a step. Pushing out spheres that started
//!   inside may leave a tenth. Springs above `m / h²` hold less energy than `k x² / 2` predicts.
//! * At rest, a fluid jitters by micrometres a substep, and what only friction holds creeps: heaps
//!   of balls by some 0.1 mm a second, a tool that presses on a soft slope by 0.05. Wires and
//!   blocks on floors stand still.
//! * Contact candidates are searched once a step. The search margin is the distance that the
//!   fastest sphere would fly, at most four radii of the largest. A sphere faster than that may
//!   pass through another within a step. It does not pass walls; obstacles are as good as the
//!   caller's list.
//! * Order matters (Gauss-Seidel): another order of additions gives other bits, within the same
//!   error.
//!
//! # Practice
//!
//! SI units, world axes, `f64`. Adding objects allocates; a step allocates only for more spheres,
//! pairs or contacts than ever before. Work is bounded by spheres, links and pairs times substeps,
//! and pairs by [`Settings::most_pairs`]: 1,000 particles of a fluid at rest take 1.4 ms with four
//! substeps, a strand of 300 takes 0.3. Equal calls give bit-equal states on one machine. Nothing
//! panics: invalid input is refused with an error that carries the numbers. A sphere or probe whose
//! next state would not be finite stays where the substep began, at rest, and is counted.
//!
//! ```
//! use hapticd_particles::Vec3;
//! use hapticd_particles::{Settings, Sphere, SphereWorld, Walls};
//!
//! let mut world = SphereWorld::new(Settings::default()).unwrap();
//! world.set_walls(&Walls::floor(0.0, 0.3)).unwrap();
//! let ball = Sphere::at(Vec3::new(0.0, 0.0, 0.1), 0.02, 0.01, 0);
//! let ball = world.add_sphere(&ball).unwrap() as usize;
//! for _ in 0..100 {
//!     world.step(0.004, &[], &[]).unwrap();
//! }
//! assert!((world.positions()[ball].z - 0.01).abs() < 1e-9);
//! ```
#![forbid(unsafe_code)]

mod access;
mod bend;
mod blend;
mod cells;
mod fluid;
mod lattice;
mod near_pairs;
mod pairs;
mod planes;
mod probe;
mod search;
mod skin_contact;
mod sphere;
mod step;
mod strand;
mod torsion;
mod unilateral;
mod world;

pub use blend::{BlendEvent, Blending};
pub use fluid::FluidMaterial;
pub use lattice::{LatticeError, LatticeMaterial, Neighbours, Region};
pub use near_pairs::NeighbourSearch;
pub use planes::{ListFault, Obstacle, Walls};
pub use probe::{MAX_PROBES, Probe, ProbeState};
pub use skin_contact::{MAX_WEIGHTS, ProbeContact};
pub use sphere::{Sphere, SphereError};
pub use step::{StepError, StepReport};
pub use strand::{Rest, Strand, StrandError, StrandMaterial};
pub use world::{MAX_SUBSTEPS, Settings, SphereWorld};

pub use hapticd_xpbd::Vec3;

/// Returns whether all three numbers are finite. A sum that overflows counts as not finite, which
/// is of no use either.
#[inline]
fn finite(v: &Vec3) -> bool {
    (v.x.abs() + v.y.abs() + v.z.abs()).is_finite()
}
