//! Deformables of the scene, with the tools that touch them: simulated at some hundreds of hertz,
//! felt at the rate of the haptic loop. *Soft bodies* are soft solids, cloth and crowds of loose
//! rigid bodies; implicit bodies are separate.
//!
//! # Theory
//!
//! A [`DeformableScene`] contains everything that soft bodies can meet: themselves, the rigid
//! bodies of the scene at the poses of the loop, and the tools. A tool is a light rigid body here.
//! It is pulled to where the hand wants it with the same stiffness as the loop's coupling, solved
//! implicitly with everything else (`hapticd_xpbd::Pull`). So the surfaces yield to the force that
//! the hand feels, and no late force is applied to a light body: only a *position* is late. A
//! surface that yields late resists a push a little longer and follows a retreat a little later,
//! which takes energy out.
//!
//! The kind of pair decides how contacts are found. Between two bodies of the rigid scene, and
//! between those and tools, continuous detection finds and certifies them. If one side is a soft
//! body, rays find them. A crowd consists of rigid bodies that are too many for continuous
//! detection; they push soft solids and cloth, and are pushed by them.
//!
//! After a step, the points of tool and surfaces that touch or are near go to the loop with the
//! surfaces ([`hapticd_proxy::DeformableSnapshot`]). The loop advances them separately at every
//! tick.
//!
//! # Practice
//!
//! [`DeformableScene::step`] is a function of its queries and of the bodies added and removed
//! between them: the same queries give the same surfaces, bit for bit. The bodies of the rigid
//! scene push all deformables and are not pushed back. Bodies added while it runs
//! ([`DeformableScene::add_body`]) act like those that were there from the start, until they are
//! removed.
//!
//! A tool that is placed inside a soft body is not felt until it has been outside all of them. An
//! added body has no contacts until then either.
//!
//! # Modules
//!
//! [`world`] connects `hapticd-rays` (contacts, Lehericey 2016) to `hapticd-xpbd` (motion): solids,
//! cloth and crowds in one world, with discrete detection unless [`Continuous`] says otherwise.
//! [`crossings`] proves that nothing went through anything in a step, or reports the crossings.
//! Implicit bodies are spheres (`hapticd-particles`) under a potential (`hapticd-skin`); a
//! [`SkinMaker`] makes the visible frames of them. [`DeformableScene`] places both among the tools
//! and the bodies of `hapticd-scene`.
//!
//! Not for the real-time thread. Deterministic, whatever the number of threads. SI units, world
//! axes.
#![forbid(unsafe_code)]

mod contacts;
mod continuous;
pub mod crossings;
mod drive;
mod implicit;
mod mover;
mod neighbours;
mod resident;
mod rigid;
mod scene;
mod settings;
mod skins;
mod spec;
mod tool;
mod tracked;
pub mod world;

pub use continuous::{Continuous, ContinuousReport};
pub use hapticd_skin::{GridError, Inside};
pub use implicit::{ImplicitAddError, ImplicitModel, ImplicitSpec, PlacedVolume};
pub use neighbours::RegisteredSpheres;
pub use scene::{DeformableInfo, DeformableScene};
pub use settings::DeformableSettings;
pub use skins::{
    Blending, LargeSkin, Polygonizer, SkinBy, SkinMade, SkinMakeError, SkinMaker, SkinSpec,
    SkinState, SkinStates,
};
pub use spec::{DeformableAddError, DeformableKind, DeformableSpec, MAX_BODIES, Pinned, Substance};
