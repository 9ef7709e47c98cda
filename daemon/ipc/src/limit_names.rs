//! The eight limits that clients can tighten, with their names in protocol and status.

use hapticd_devices::safety::Limits;

/// Names of the limits, in the protocol's order.
pub const NAMES: [&str; 8] = [
    "peak_force_n",
    "continuous_force_n",
    "peak_torque_nm",
    "continuous_torque_nm",
    "slew_n_per_s",
    "slew_nm_per_s",
    "velocity_m_s",
    "angular_velocity_rad_s",
];

/// A governor's limits, in the order of [`NAMES`].
pub fn of(limits: &Limits) -> [f64; 8] {
    [
        limits.peak_force_n,
        limits.continuous_force_n,
        limits.peak_torque_nm,
        limits.continuous_torque_nm,
        limits.slew_n_per_s,
        limits.slew_nm_per_s,
        limits.velocity_limit_m_s,
        limits.angular_velocity_limit_rad_s,
    ]
}

/// The command that releases an arm's limits. Uses the arm's index where a shell would split its
/// name.
pub fn release_command(name: &str, index: u8) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if name.chars().all(is_plain) && !name.starts_with('-') {
        format!("hapticd release {name}")
    } else {
        format!("hapticd release {index}")
    }
}

/// Lists the limits that changed, with both numbers; `None` if none did.
pub fn changes(old: &[f64; 8], new: &[f64; 8]) -> Option<String> {
    let changed: Vec<String> = (NAMES.iter().zip(old.iter().zip(new)))
        .filter(|(_, (old, new))| old != new)
        .map(|(name, (old, new))| format!("{name} {old} -> {new}"))
        .collect();
    (!changed.is_empty()).then(|| changed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_named_with_both_numbers() {
        let old = [4.0, 3.0, 0.2, 0.1, 900.0, 40.0, 1.5, 15.0];
        assert_eq!(changes(&old, &old), None);
        let mut new = old;
        (new[0], new[6]) = (2.5, 0.001);
        let said = "peak_force_n 4 -> 2.5, velocity_m_s 1.5 -> 0.001";
        assert_eq!(changes(&old, &new).as_deref(), Some(said));
    }
}
