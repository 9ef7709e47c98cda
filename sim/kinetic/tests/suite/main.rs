//! Tests of the kinetic structures.

#[path = "../common/mod.rs"]
mod common;
mod counters;
mod ergt;
mod locality;
mod polygons;
mod queue;
mod roots;
mod sap;
mod steps;
