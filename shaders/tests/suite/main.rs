//! Tests of the GPU passes against their CPU twins.

#[path = "../common/mod.rs"]
mod common;
mod detector;
#[path = "../../../sim/rays/tests/common/mod.rs"]
mod detectors;
mod faults;
mod launches;
mod layout;
mod midphase;
mod near;
mod queries;
mod rules;
#[path = "../../../sim/deformable/tests/common/mod.rs"]
mod scenes;
mod skin;
mod soft;
mod sources;
mod steps;
mod traces;
