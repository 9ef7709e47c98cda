//! Soft bodies and cloth of the scene, with the tools that touch them: simulated at some hundreds of hertz, felt at the loop's rate.
//!
//! # Theory
//!
//! A [`SoftScene`] has everything that soft bodies can meet: themselves, the rigid bodies of the scene where the loop says they are, and the tools.
//! A tool is a light rigid body here, drawn to where the hand wants it by the same stiffness that the loop's coupling has, solved implicitly with
//! everything else (`hapticd_dynamics::xpbd::Pull`). So the surfaces give way to the force that the hand feels, and no force that is late is fed
//! into anything light: what is late is a *position*. A surface that yields late resists a push a little longer and follows a retreat a little
//! later, which takes energy out.
//!
//! After a step the points of tool and surfaces that touch or are near go to the loop with the surfaces ([`hapticd_haptics::SoftSnapshot`]), which
//! goes on from there by itself at every tick.
//!
//! # Practice
//!
//! [`SoftScene::step`] is a function of the queries it was given: same queries, same surfaces, bit for bit. Soft bodies are pushed by rigid ones and do not
//! push them. What clients add while the daemon runs is not met by soft bodies.
//!
//! A tool that is placed inside a soft body is not felt until it has been out of all of them.

mod scene;
mod spec;
mod tool;
mod tracked;

pub use scene::{SoftInfo, SoftScene};
pub use spec::{Pinned, SoftAddError, SoftSettings, SoftSpec, Substance};
