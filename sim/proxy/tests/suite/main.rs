//! Tests of the proxy, its coupling and its certificate.

mod air;
#[path = "../common/mod.rs"]
mod common;
mod contact;
mod friction;
mod guide;
mod interaction;
mod ledger;
mod trajectory;
mod wrench;
