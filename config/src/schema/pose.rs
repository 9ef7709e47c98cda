//! A pose: the keys that arms and bodies share.

use crate::key::numbers;
use crate::macros::section;

section! {
    /// A pose in the world frame (right-handed).
    pub struct Placement {
        /// Position of the origin, x y z.
        position_m: [f64; 3] = numbers(&[0.0, 0.0, 0.0], -1000.0, 1000.0).unit("m"),
        /// Roll, pitch and yaw about the fixed x, y and z axes, in this order (as in URDF).
        rpy_deg: [f64; 3] = numbers(&[0.0, 0.0, 0.0], -360.0, 360.0).unit("deg"),
    }
}
