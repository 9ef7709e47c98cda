//! Long tests of the product's own guarantees about contact. They are not published anywhere, so
//! the bar is our own.

pub mod pile;
