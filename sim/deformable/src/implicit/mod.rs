//! Implicit bodies among tools and rigid bodies: spheres that springs, strands and fluids move,
//! felt and seen by the potential about them.
//!
//! Three layers a body, as in the source (Triquet 2001, section 2.2): mechanics ([`SphereWorld`])
//! move the spheres; the spheres alone touch each other and the rigid bodies of the scene; the
//! potential is what tools touch, in mechanics and loop alike, and what the skin is made of. So
//! what is seen is what is felt, and a tool that rests on the blend between two spheres pushes
//! both.
//!
//! A tool is a point here that is drawn to where the hand wants it, by the coupling's own
//! stiffness, solved implicitly with everything else ([`hapticd_particles::Probe`]), for the
//! reasons of [the soft bodies](super). It does not turn but with the hand.
//!
//! A body may also be a potential of samples ([`ImplicitModel::Sampled`]): nothing moves it, and
//! its surface is what others meet of it.
//!
//! What this does not do: implicit bodies do not meet soft bodies, cloth or crowds, and rigid
//! bodies push them and are not pushed.

mod bodies;
mod obstacles;
mod sampled;
mod settle;
mod spec;
mod tools;

pub(super) use bodies::ImplicitBodies;
pub use spec::{ImplicitAddError, ImplicitModel, ImplicitSpec};
