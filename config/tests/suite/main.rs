//! Tests of the configuration, its checks and what is generated from its keys.

mod errors;
mod generated;
mod intention;
mod never_panics;
mod ranges;
mod reload;
mod schema;
