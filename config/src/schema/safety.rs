//! `[safety]`: the limits of the governor. A reload can only tighten them.

use crate::key::{integer, number};
use crate::macros::section;

section! {
    /// The safety governor, the last stage before the wire. It can only reduce a force.
    pub struct Safety {
        /// Largest force ever sent to an arm.
        peak_force_n: f64 = number(4.0, 0.0, 100.0).unit("N").lower_is_stricter(),
        /// Largest force that an arm may hold for ever (root mean square: motors heat with the
        /// square of the force).
        continuous_force_n: f64 = number(2.0, 0.0, 100.0).unit("N").lower_is_stricter(),
        /// Largest torque ever sent to an arm.
        peak_torque_nm: f64 = number(0.2, 0.0, 20.0).unit("N m").lower_is_stricter(),
        /// Largest torque that an arm may hold for ever (root mean square).
        continuous_torque_nm: f64 = number(0.1, 0.0, 20.0).unit("N m").lower_is_stricter(),
        /// Time constant of the heating model behind the continuous limits.
        continuous_window_s: f64 = number(10.0, 0.05, 600.0).unit("s").lower_is_stricter(),
        /// Fastest change of a force.
        slew_n_per_ms: f64 = number(1.0, 0.001, 100.0).unit("N/ms").lower_is_stricter(),
        /// Fastest change of a torque.
        slew_nm_per_ms: f64 = number(0.05, 0.0001, 20.0).unit("N m/ms").lower_is_stricter(),
        /// Speed of the tool above which force is cut.
        velocity_limit_m_s: f64 = number(1.5, 0.01, 10.0).unit("m/s").lower_is_stricter(),
        /// Angular speed of the tool above which force is cut.
        angular_velocity_limit_rad_s: f64 = number(20.0, 0.1, 200.0).unit("rad/s").lower_is_stricter(),
        /// Motor temperature above which force fades to zero, for arms that report one.
        max_temperature_c: f64 = number(80.0, 20.0, 150.0).unit("degrees Celsius").lower_is_stricter(),
        /// Time over which force rises to its full value, after the start and after every fault.
        ramp_s: f64 = number(1.0, 0.01, 10.0).unit("s").higher_is_stricter(),
        /// Time over which force fades to zero, where a cause calls for a fade and not a cut: a
        /// silent application, stale data, the end of the daemon.
        fade_ms: f64 = number(50.0, 1.0, 1000.0).unit("ms").lower_is_stricter(),
        /// After a start or a fault, force stays off until the wanted force has been below this for
        /// `engage_ticks`: the tool may have started inside a body.
        engage_force_n: f64 = number(0.2, 0.001, 5.0).unit("N").lower_is_stricter(),
        /// The same for the wanted torque.
        engage_torque_nm: f64 = number(0.01, 0.0001, 1.0).unit("N m").lower_is_stricter(),
        /// Number of ticks in a row for which the wanted force and torque must be below the engage
        /// limits.
        engage_ticks: u32 = integer(4, 1, 10_000).unit("ticks").higher_is_stricter(),
        /// Distance outside the arm's workspace at which force has faded to zero.
        edge_fade_m: f64 = number(0.01, 0.0, 0.2).unit("m").lower_is_stricter(),
        /// A longer pause between two ticks is a stall: force is cut, and returns by the ramp.
        stall_ms: f64 = number(10.0, 1.0, 1000.0).unit("ms").lower_is_stricter(),
        /// Age of the arm's newest sample above which force fades to zero.
        stale_input_ms: f64 = number(5.0, 0.5, 1000.0).unit("ms").lower_is_stricter(),
        /// Age of the contact data above which force fades to zero.
        stale_contact_ms: f64 = number(20.0, 1.0, 5000.0).unit("ms").lower_is_stricter(),
        /// Swing of the wanted force between two reversals of the tool that counts as oscillation.
        /// Six such reversals within 200 ms, each by more than 0.1 mm and four encoder steps, halve
        /// the gain, unless the swings die away.
        oscillation_force_n: f64 = number(0.5, 0.01, 20.0).unit("N").lower_is_stricter(),
        /// As `oscillation_force_n`, for the wanted torque and reversals by more than 0.003 rad and
        /// four encoder steps.
        oscillation_torque_nm: f64 = number(0.02, 0.001, 2.0).unit("N m").lower_is_stricter(),
    }
}
