//! The mechanics under implicit skins: spheres with springs, strands that bend, drops, and a haptic
//! tool among them.
//!
//! A [`SphereWorld`] holds mass points that carry a collision sphere each; [`SphereWorld::step`]
//! moves them by one step of time and says which of them blend. Three layers a body, as in the
//! source: this is the mechanical one and the spheres that things touch; the skin is drawn over it
//! by others, and gives nothing back (Triquet 2001, sections 2.2.3 and 2.3.2).
//!
//! # Theory
//!
//! Extended position-based dynamics with small substeps, one sweep in each (Macklin, Müller,
//! Chentanez 2016; Macklin et al. 2019), as in [`xpbd`](hapticd_xpbd); the source leaves integrator
//! and contact law open.
//!
//! * Links: springs with damping. [`SphereWorld::lattice`] makes a solid of them,
//!   [`SphereWorld::strand`] a wire that also resists bending.
//! * Fluids: a force between near particles and viscosity, see [`FluidMaterial`].
//! * Collision spheres: two that are not of one fluid and not neighbours in one body do not pass
//!   through each other. Walls, obstacles that the caller found, and [probes](Probe). All
//!   unilateral, with Coulomb friction, without bounce.
//! * [`BlendEvent`]s: who touches blends until it is further apart, see [`Blending`].
//!
//! # What to expect
//!
//! * Linear momentum is kept to rounding by everything that acts between spheres; angular momentum
//!   to rounding by free flight, and with an error of first order in the substep by what acts
//!   across lines that the substep has turned. Friction between spheres acts on their centres,
//!   since they do not turn: what would spin them is lost.
//! * A stiff thing is only as stiff as the substep lets it be: a sweep carries a load of `n` links,
//!   or layers of spheres, with a strain of about `n² g h²` in length, `h` the substep. Damping
//!   times far above the substep soften what they damp; a wire that is stiff for its substeps and
//!   has none at all buckles where theory holds it (one substep of damping is enough). More
//!   substeps are the remedy.
//! * Energy: contacts of spheres that do not begin in each other never make any on the whole, and
//!   no more than a hundredth of it back in a step; pushing out what began inside may leave a
//!   twentieth. Springs above `m / h²` hold less energy than `k x² / 2` says.
//! * At rest a fluid trembles by micrometres a substep, and what only friction holds creeps: heaps
//!   of balls by some 0.1 mm a second, a tool that presses on a soft slope by 0.05. Wires and
//!   blocks on floors stand still.
//! * Candidates for contact are looked for once a step, with a margin of the way that the fastest
//!   would fly, four radii of the largest at most: a sphere that is faster than that may pass
//!   through another within a step. Walls it does not pass; obstacles are as good as the caller's
//!   list.
//! * Order matters (Gauss-Seidel): other orders of adding give other bits, within the same error.
//!
//! # Practice
//!
//! SI units, world axes, `f64`. Adding things allocates; a step does so only for more spheres,
//! pairs or contacts than ever. Work is bounded by spheres, links and pairs times substeps, and
//! pairs by [`Settings::most_pairs`]: 1,000 particles of a fluid at rest take 1.4 ms with four
//! substeps, a strand of 300 takes 0.3. Equal calls give bit-equal states on one machine. Nothing
//! panics: wrong input is refused with an error that carries the numbers, and what would not be
//! finite stays where the substep began, at rest, and is counted.
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
pub use probe::{MAX_PROBES, MAX_WEIGHTS, Probe, ProbeContact, ProbeState};
pub use sphere::{Sphere, SphereError};
pub use step::{StepError, StepReport};
pub use strand::{Rest, Strand, StrandError, StrandMaterial};
pub use world::{MAX_SUBSTEPS, Settings, SphereWorld};

pub use hapticd_xpbd::Vec3;

/// The sum of three numbers is finite only if they are, save for overflow, which is no use either.
#[inline]
fn finite(v: &Vec3) -> bool {
    (v.x.abs() + v.y.abs() + v.z.abs()).is_finite()
}
