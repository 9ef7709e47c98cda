//! `[dynamics]`: the motion of dynamic bodies.

use crate::field::{choice, flatten};
use crate::key::{number, numbers};
use crate::macros::{section, variants};

variants! {
    /// Whether forces change accelerations or velocities.
    pub enum Order by "order" = choice::<Order>("second"); {
        /// Forces change accelerations: bodies fall, bounce and keep their momentum.
        Second as "second" {
            /// Gravitational acceleration of every free body, in the world.
            gravity_m_s2: [f64; 3] = numbers(&[0.0, 0.0, -9.81], -100.0, 100.0).unit("m/s2"),
        },
        /// Forces set velocities: bodies move only while they are pushed, and there is no gravity.
        /// For fitting parts and planning paths.
        First as "first" {
            /// Resistance to a push: a force moves a body at `force / (mass * drag)`.
            drag_per_s: f64 = number(10.0, 0.1, 1000.0).unit("1/s"),
        },
    }
}

section! {
    /// The motion of dynamic bodies.
    pub struct Dynamics {
        /// First or second order, and its keys.
        order: Order = flatten::<Order>(),
    }
}
