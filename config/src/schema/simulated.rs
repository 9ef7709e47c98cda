//! The simulated arm and the simulated hand that holds it.

use crate::key::number;
use crate::macros::section;

section! {
    /// Mechanics of a simulated arm.
    pub struct Mechanics {
        /// Apparent mass at the tool.
        mass_kg: f64 = number(0.1, 0.001, 20.0).unit("kg"),
        /// Viscous damping at the tool.
        damping_n_s_per_m: f64 = number(0.5, 0.0, 1000.0).unit("N s/m"),
        /// Coulomb friction at the tool.
        coulomb_friction_n: f64 = number(0.1, 0.0, 20.0).unit("N"),
        /// Position resolution of the encoders at the tool; 0: exact.
        resolution_m: f64 = number(2e-5, 0.0, 0.01).unit("m"),
        /// Largest force that the motors can make.
        saturation_n: f64 = number(8.0, 0.0, 200.0).unit("N"),
        /// Reports per second. Real arms make 1000 to 8000. If the loop runs faster than the arm
        /// reports, several ticks see the same sample.
        report_rate_hz: u32 = crate::key::integer(1000, 125, 8000).unit("Hz"),
        /// Delay from a command to its effect, in addition to one report period.
        delay_us: u32 = crate::key::integer(500, 0, 100_000).unit("us"),
    }
}

section! {
    /// Mechanics of the simulated hand that holds the arm.
    pub struct Hand {
        /// Stiffness with which the hand pulls the arm towards the pose that it wants.
        stiffness_n_per_m: f64 = number(200.0, 0.0, 5000.0).unit("N/m"),
        /// Damping of the grip.
        damping_n_s_per_m: f64 = number(4.0, 0.0, 500.0).unit("N s/m"),
    }
}
