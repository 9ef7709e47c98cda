//! What the product itself promises of contact, at length: not published anywhere, so the bar is
//! our own.

pub mod pile;
