//! Faults of a simulated arm, and their times. Pure data, readable from TOML:
//!
//! ```toml
//! [[fault]]
//! at_s = 1.0
//! for_s = 0.5
//! kind = "unplug"
//!
//! [[fault]]
//! at_s = 2.0
//! for_s = 0.1
//! kind = { delay_reports = { by_s = 0.02 } }
//! ```

use serde::Deserialize;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultKind {
    /// The arm makes no reports; its motors go on.
    DropReports,
    /// The encoders freeze: reports go on with the pose from the start of the fault.
    FreezeEncoders,
    /// Reports arrive later than usual.
    DelayReports {
        /// Extra delay, s.
        by_s: f64,
    },
    /// Commands do not arrive: the motors hold the last one until the arm's own watchdog ends it.
    DropCommands,
    /// No reports and no commands: the firmware hangs.
    Hang,
    /// The arm is unplugged: reports and commands under way are lost, the motors are off. It is
    /// plugged in again at the end.
    Unplug,
    /// The reported position jumps at random.
    Garbage {
        /// Largest jump in each axis, m.
        range_m: f64,
    },
    /// The reported pose holds a NaN, which no codec should let through.
    NotANumber,
    /// The arm reports that its kinematic model gave no pose.
    PoseInvalid,
    /// The dead-man switch is open.
    SafetySwitchOpen,
    /// The arm reports that it is not calibrated.
    NotCalibrated,
    /// The arm reports a motor temperature.
    Hot {
        /// Reported temperature, degrees Celsius.
        temperature_c: f32,
    },
}

/// A kind of fault and its time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimFault {
    /// Start of the fault, s after the start of the simulation.
    pub at_s: f64,
    /// Duration of the fault, s.
    pub for_s: f64,
    /// Kind of fault.
    pub kind: FaultKind,
}

impl SimFault {
    /// Returns whether the fault holds `t_ns` after the start.
    #[must_use]
    pub fn holds_at(&self, t_ns: u64) -> bool {
        let t_s = t_ns as f64 * 1e-9;
        t_s >= self.at_s && t_s < self.at_s + self.for_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        fault: Vec<SimFault>,
    }

    #[test]
    fn a_script_is_read_from_toml() {
        let text = r#"
            [[fault]]
            at_s = 1.0
            for_s = 0.5
            kind = "unplug"
            [[fault]]
            at_s = 2.0
            for_s = 0.1
            kind = { delay_reports = { by_s = 0.02 } }
        "#;
        let file: File = toml::from_str(text).expect("valid");
        assert_eq!(
            file.fault[0],
            SimFault {
                at_s: 1.0,
                for_s: 0.5,
                kind: FaultKind::Unplug
            }
        );
        assert_eq!(file.fault[1].kind, FaultKind::DelayReports { by_s: 0.02 });
        for wrong in [
            "kind = \"explode\"",
            "kind = \"hang\"\nby_s = 3",
            "kind = { garbage = { m = 1 } }",
        ] {
            let text = format!("[[fault]]\nat_s = 1\nfor_s = 1\n{wrong}");
            assert!(toml::from_str::<File>(&text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_fault_holds_from_its_beginning_to_just_before_its_end() {
        let fault = SimFault {
            at_s: 1.0,
            for_s: 0.5,
            kind: FaultKind::Hang,
        };
        let held =
            [999_999_999, 1_000_000_000, 1_499_999_999, 1_500_000_000].map(|t| fault.holds_at(t));
        assert_eq!(held, [false, true, true, false]);
    }
}
