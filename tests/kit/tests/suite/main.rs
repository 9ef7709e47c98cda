//! Tests of the adversary: what it plants is found, what it attacks holds.

mod found;
mod liveness;
mod passivity;
mod planted;
mod quick;
mod tools;
