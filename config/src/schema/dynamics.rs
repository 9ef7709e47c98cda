//! `[dynamics]`: what moves dynamic bodies.

use crate::key::numbers;
use crate::macros::section;

section! {
    /// The motion of dynamic bodies.
    pub struct Dynamics {
        /// Acceleration of everything that is free.
        gravity_m_s2: [f64; 3] = numbers(&[0.0, 0.0, -9.81], -100.0, 100.0).unit("m/s2"),
    }
}
