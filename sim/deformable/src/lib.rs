//! Soft bodies, cloth and crowds of loose bodies of the scene, with the tools that touch them:
//! simulated at some hundreds of hertz, felt at the loop's rate.
//!
//! # Theory
//!
//! A [`SoftScene`] has everything that soft bodies can meet: themselves, the rigid bodies of the
//! scene where the loop says they are, and the tools. A tool is a light rigid body here, drawn to
//! where the hand wants it by the same stiffness that the loop's coupling has, solved implicitly
//! with everything else (`hapticd_xpbd::Pull`). So the surfaces give way to the force that the hand
//! feels, and no force that is late is fed into anything light: what is late is a *position*. A
//! surface that yields late resists a push a little longer and follows a retreat a little later,
//! which takes energy out.
//!
//! Which contacts are found how is a matter of the pair: between two bodies of the rigid scene, and
//! between those and tools, by continuous detection, certified; wherever one side is soft, a cloth
//! or of a crowd, by rays. A crowd is rigid bodies that are too many for the first and push, and
//! are pushed by, what is soft.
//!
//! After a step the points of tool and surfaces that touch or are near go to the loop with the
//! surfaces ([`hapticd_proxy::SoftSnapshot`]), which goes on from there by itself at every tick.
//!
//! # Practice
//!
//! [`SoftScene::step`] is a function of the queries it was given and of the bodies that came and
//! went between them: same queries, same surfaces, bit for bit. All of it is pushed by the bodies
//! of the rigid scene and does not push those. Bodies that come while it runs
//! ([`SoftScene::add_body`]) are met as those that were there from the start, and forgotten when
//! they go.
//!
//! A tool that is placed inside a soft body is not felt until it has been out of all of them, and a
//! body that comes is not met until then.
//!
//! # Rooms
//!
//! [`world`] ties `hapticd-rays` (contacts, Lehericey 2016) to `hapticd-xpbd` (motion): solids,
//! cloth and crowds in one world, discrete, unless [`Continuous`] says otherwise. [`crossings`]
//! proves that nothing went through anything in a step, or says what did. Implicit bodies are
//! spheres (`hapticd-particles`) under a potential (`hapticd-skin`); a [`SkinMaker`] makes the
//! frames that people see of them. [`SoftScene`] puts both among the tools and the bodies of
//! `hapticd-scene`.
//!
//! Not for the real-time thread. Deterministic, whatever the number of threads. SI units, world
//! axes.
#![forbid(unsafe_code)]

mod contacts;
mod continuous;
pub mod crossings;
mod drive;
mod implicit;
mod neighbours;
mod resident;
mod rigid;
mod scene;
mod skins;
mod spec;
mod tool;
mod tracked;
pub mod world;

pub use continuous::{Continuous, ContinuousReport};
pub use hapticd_skin::{GridError, Inside};
pub use implicit::{ImplicitAddError, ImplicitModel, ImplicitSpec};
pub use neighbours::RegisteredSpheres;
pub use scene::{SoftInfo, SoftScene};
pub use skins::{
    Blending, LargeSkin, Polygonizer, SkinBy, SkinMade, SkinMakeError, SkinMaker, SkinSpec,
    SkinState, SkinStates,
};
pub use spec::{MAX_BODIES, Pinned, SoftAddError, SoftKind, SoftSettings, SoftSpec, Substance};
