//! `[safety]`: the limits of the governor. Every key is tighten-only on reload.

use crate::key::{integer, number};
use crate::macros::section;

section! {
    /// The safety governor, the last stage before the wire. It can only reduce a force.
    pub struct Safety {
        /// Largest force that any arm is ever asked for.
        peak_force_n: f64 = number(4.0, 0.0, 100.0).unit("N").lower_is_stricter(),
        /// Largest force that may be held for ever (root mean square: motors heat with the square
        /// of the force).
        continuous_force_n: f64 = number(2.0, 0.0, 100.0).unit("N").lower_is_stricter(),
        /// Largest torque that any arm is ever asked for.
        peak_torque_nm: f64 = number(0.2, 0.0, 20.0).unit("N m").lower_is_stricter(),
        /// Largest torque that may be held for ever (root mean square).
        continuous_torque_nm: f64 = number(0.1, 0.0, 20.0).unit("N m").lower_is_stricter(),
        /// Time constant of the heating model behind the continuous limits.
        continuous_window_s: f64 = number(10.0, 0.05, 600.0).unit("s").lower_is_stricter(),
        /// Fastest that a force may change.
        slew_n_per_ms: f64 = number(1.0, 0.001, 100.0).unit("N/ms").lower_is_stricter(),
        /// Fastest that a torque may change.
        slew_nm_per_ms: f64 = number(0.05, 0.0001, 20.0).unit("N m/ms").lower_is_stricter(),
        /// Speed of the tool above which force is cut.
        velocity_limit_m_s: f64 = number(1.5, 0.01, 10.0).unit("m/s").lower_is_stricter(),
        /// Turning speed of the tool above which force is cut.
        angular_velocity_limit_rad_s: f64 = number(20.0, 0.1, 200.0).unit("rad/s").lower_is_stricter(),
        /// Motor temperature above which force fades to zero, for arms that report one.
        max_temperature_c: f64 = number(80.0, 20.0, 150.0).unit("degrees Celsius").lower_is_stricter(),
        /// Time over which force rises to its full value after the start and after every fault.
        ramp_s: f64 = number(1.0, 0.01, 10.0).unit("s").higher_is_stricter(),
        /// Time in which force fades to zero where a cause calls for a fade instead of a cut:
        /// a silent application, stale data, the end of the daemon.
        fade_ms: f64 = number(50.0, 1.0, 1000.0).unit("ms").lower_is_stricter(),
        /// After a start or a fault no force is made until the wanted one has been this small for
        /// `engage_ticks`: the tool may have started inside an object.
        engage_force_n: f64 = number(0.2, 0.001, 5.0).unit("N").lower_is_stricter(),
        /// The same for torque.
        engage_torque_nm: f64 = number(0.01, 0.0001, 1.0).unit("N m").lower_is_stricter(),
        /// For how many ticks in a row the wanted force and torque must be that small.
        engage_ticks: u32 = integer(4, 1, 10_000).unit("ticks").higher_is_stricter(),
        /// How far outside the arm's workspace force has faded to zero.
        edge_fade_m: f64 = number(0.01, 0.0, 0.2).unit("m").lower_is_stricter(),
        /// A longer pause between two ticks is a stall: force is cut and the tool is set again.
        stall_ms: f64 = number(10.0, 1.0, 1000.0).unit("ms").lower_is_stricter(),
        /// Age of the arm's newest sample above which force fades to zero.
        stale_input_ms: f64 = number(5.0, 0.5, 1000.0).unit("ms").lower_is_stricter(),
        /// Age of the contact data above which force fades to zero.
        stale_contact_ms: f64 = number(20.0, 1.0, 5000.0).unit("ms").lower_is_stricter(),
        /// Oscillation is a tool that reverses again and again while its speed swings beyond this
        /// on both sides and the wanted force swings by `oscillation_force_n`; the governor then
        /// lowers the gain.
        oscillation_velocity_m_s: f64 = number(0.03, 0.001, 1.0).unit("m/s").lower_is_stricter(),
        /// Swing of the wanted force from one reversal to the next that counts as oscillation.
        oscillation_force_n: f64 = number(0.5, 0.01, 20.0).unit("N").lower_is_stricter(),
        /// The same for the turning speed.
        oscillation_angular_velocity_rad_s: f64 = number(1.0, 0.01, 50.0).unit("rad/s").lower_is_stricter(),
        /// The same for the wanted torque.
        oscillation_torque_nm: f64 = number(0.02, 0.001, 2.0).unit("N m").lower_is_stricter(),
    }
}
