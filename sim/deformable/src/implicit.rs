//! Implicit bodies among tools and rigid bodies: spheres moved by springs, strands and fluids,
//! rendered to hand and eye by the potential around them.
//!
//! Each body has three layers, as in Triquet 2001, section 2.2. The mechanics
//! ([`hapticd_particles::SphereWorld`]) move the spheres. Only the spheres touch each other and the
//! rigid bodies of the scene. Tools touch the potential, in mechanics and loop alike, and the skin
//! is made from it. So the hand feels what the eye sees, and a tool that rests on the blend between
//! two spheres pushes both.
//!
//! A tool is a point here, pulled to where the hand wants it with the stiffness of the coupling,
//! solved implicitly with everything else ([`hapticd_particles::Probe`]), for the same reasons as
//! among [soft bodies](super). It rotates only with the hand.
//!
//! A body may also be a sampled potential ([`ImplicitModel::Sampled`]): it never moves, and other
//! objects meet its surface.
//!
//! Limits: implicit bodies do not meet soft solids, cloth or crowds. Rigid bodies push them and are
//! not pushed back.

mod bodies;
mod obstacles;
mod sampled;
mod settle;
mod spec;
mod tools;

pub(super) use bodies::ImplicitBodies;
pub use spec::{ImplicitAddError, ImplicitModel, ImplicitSpec, PlacedVolume};
