//! The simulated arm behind the border that real arms have: [`Transport`].
//!
//! The held arm has no clock, so it is given a function that lets a duration pass
//! (`std::thread::sleep` in the daemon, nothing in a test). [`Transport::read_newest`] advances the
//! simulation to the given time. Reading and writing do not block and do not allocate.

use std::time::Duration;

use super::held_arm::HeldArm;
use crate::arm::{ArmCommand, ArmSample, ArmSpec};
use crate::transport::{Transport, TransportError, TransportStats};
use crate::truth::ArmTruth;

/// A held arm as a transport. The hand holds its first pose until the first command: whatever
/// passes between opening the arm and the loop's first tick, the tool is then where it is to start.
#[derive(Debug)]
pub struct SimTransport {
    held_arm: HeldArm,
    wait: fn(Duration),
    stats: TransportStats,
}

impl SimTransport {
    /// Makes a transport that waits by calling `wait`.
    #[must_use]
    pub fn new(mut held_arm: HeldArm, wait: fn(Duration)) -> Self {
        held_arm.hold();
        SimTransport {
            held_arm,
            wait,
            stats: TransportStats::default(),
        }
    }

    /// Returns the held arm.
    #[must_use]
    pub fn held_arm(&self) -> &HeldArm {
        &self.held_arm
    }

    fn connected(&self) -> Result<(), TransportError> {
        if self.held_arm.is_connected() {
            Ok(())
        } else {
            Err(TransportError::Gone)
        }
    }
}

impl Transport for SimTransport {
    fn spec(&self) -> &ArmSpec {
        self.held_arm.spec()
    }

    /// Waits until the next report arrives, or for `timeout` if that is shorter. It does not wait
    /// for a whole period: the extra time of each round would add up, and reports would be skipped.
    fn wait_input(&mut self, timeout: Duration) -> Result<bool, TransportError> {
        self.connected()?;
        let until = Duration::from_nanos(self.held_arm.until_next_arrival_ns());
        (self.wait)(until.min(timeout));
        Ok(until <= timeout)
    }

    fn read_newest(&mut self, now_ns: u64) -> Result<Option<ArmSample>, TransportError> {
        self.held_arm.advance_to(now_ns);
        self.connected()?;
        let sample = self.held_arm.read_newest();
        if let Some(sample) = &sample {
            let skipped = u64::from(sample.skipped);
            self.stats.reports += skipped + 1;
            self.stats.skipped += skipped;
            self.stats.stalls += u64::from(sample.status.input_stalled);
            self.stats.bad_poses += u64::from(sample.status.pose_invalid);
        }
        Ok(sample)
    }

    fn write(&mut self, command: &ArmCommand) -> Result<(), TransportError> {
        self.connected()?;
        self.stats.commands += 1;
        self.stats.bad_efforts += u64::from(!command.wrench.is_finite());
        self.held_arm.begin();
        self.held_arm.send(command);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), TransportError> {
        self.write(&ArmCommand::default())
    }

    fn stats(&self) -> TransportStats {
        self.stats
    }

    fn truth(&self) -> Option<ArmTruth> {
        Some(self.held_arm.truth())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FaultKind, HandParams, Intention, SimArmParams, SimFault};

    #[test]
    fn the_hand_waits_for_the_first_command_however_late_it_comes() {
        const MS: u64 = 1_000_000;
        let circle = Intention::Circle {
            center: [0.0; 3],
            rotation: [0.0; 3],
            radius_m: 0.03,
            period_s: 1.0,
            turn_along: false,
        };
        let unplug = SimFault {
            at_s: 0.3,
            for_s: 10.0,
            kind: FaultKind::Unplug,
        };
        let arm = |wait_ms: u64| {
            let params = SimArmParams {
                faults: vec![unplug],
                ..SimArmParams::desktop()
            };
            let held = HeldArm::new(params, HandParams::firm(), circle.clone(), 0).expect("valid");
            let start = held.handle().pose;
            let mut arm = SimTransport::new(held, |_| {});
            let mut reports = 0;
            for ms in 1..=wait_ms {
                if let Some(sample) = arm.read_newest(ms * MS).expect("there") {
                    let moved = sample.pose.translation.vector - start.translation.vector;
                    assert!(moved.norm() < 2e-5, "{ms} ms: {moved}");
                    reports += 1;
                }
            }
            assert_eq!(arm.held_arm().handle().pose, start);
            assert!(reports + 2 > wait_ms, "it reports meanwhile: {reports}");
            // The same movements follow, whatever the wait.
            let mut seen = Vec::new();
            for ms in wait_ms + 1..=wait_ms + 200 {
                arm.write(&ArmCommand::default()).expect("there");
                arm.read_newest(ms * MS).expect("there");
                seen.push(arm.held_arm().handle().pose);
            }
            assert_ne!(seen.last(), Some(&start));
            let later = (wait_ms + 400) * MS;
            assert_eq!(arm.read_newest(later), Err(TransportError::Gone));
            seen
        };
        let at_once = arm(0);
        assert_eq!(arm(700), at_once);
        assert_eq!(arm(1700), at_once);
    }

    #[test]
    fn a_held_arm_is_read_and_written_like_any_and_gone_when_unplugged() {
        let unplug = SimFault {
            at_s: 0.5,
            for_s: 10.0,
            kind: FaultKind::Unplug,
        };
        let arm = SimArmParams {
            faults: vec![unplug],
            ..SimArmParams::desktop()
        };
        let intention = Intention::Rest {
            at: [0.0; 3],
            rotation: [0.0; 3],
        };
        let held_arm = HeldArm::new(arm, HandParams::relaxed(), intention, 0).expect("valid");
        let mut arm = SimTransport::new(held_arm, |_| {});
        let mut last = 0;
        for tick in 1..=400u64 {
            assert_eq!(arm.wait_input(Duration::from_millis(10)), Ok(true));
            if let Some(sample) = arm.read_newest(tick * 1_000_000).expect("there") {
                assert_eq!(sample.sequence, last + 1);
                last = sample.sequence;
            }
            let mut command = ArmCommand {
                sequence: tick,
                ..ArmCommand::default()
            };
            command.wrench.force_n.x = 1.0;
            arm.write(&command).expect("there");
        }
        assert_eq!(arm.truth(), Some(arm.held_arm().truth()));
        assert_eq!((arm.stats().reports, arm.stats().commands), (last, 400));
        assert!(arm.held_arm().motor_wrench().force_n.x > 0.0);
        arm.stop().expect("there");
        arm.read_newest(402_000_000).expect("there");
        assert_eq!(arm.held_arm().motor_wrench().force_n.x, 0.0);
        assert_eq!(arm.read_newest(600_000_000), Err(TransportError::Gone));
        assert_eq!(arm.write(&ArmCommand::default()), Err(TransportError::Gone));
        assert_eq!(
            arm.wait_input(Duration::from_millis(1)),
            Err(TransportError::Gone)
        );
    }
}
