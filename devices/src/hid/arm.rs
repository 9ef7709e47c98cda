//! An arm on a HID device: drains the input queue to the newest report, and writes commands.
//!
//! Linux keeps the *oldest* 63 input reports and drops new ones. A reader that stalled and takes
//! one report would act on an old pose. Therefore every read empties the queue and uses the last
//! report. A full queue is flagged as a stall in the sample.
//!
//! [`HidArm`] allocates when it is made and never after. It blocks only where [`Transport`] says
//! so.

use std::sync::Arc;
use std::time::Duration;

use super::raw::RawHid;
use crate::arm::{ArmCommand, ArmSample, ArmSpec, MAX_AXES};
use crate::codec::{MAX_REPORT_BYTES, ReportBuffer};
use crate::driver::Driver;
use crate::profile::{FixedReport, Profile, ReportKind};
use crate::transport::{Transport, TransportError, TransportStats};

/// Capacity of Linux's hidraw queue in reports: 64 slots, one of them always free.
pub const QUEUE_CAPACITY: usize = 63;
/// Largest number of reports taken in one read, so that an arm that floods the queue cannot hold
/// the reader for ever.
const MAX_IN_ONE_READ: usize = 4 * QUEUE_CAPACITY;

/// An open arm.
pub struct HidArm {
    raw: Box<dyn RawHid>,
    driver: Driver,
    buffer: Box<[u8; MAX_REPORT_BYTES]>,
    /// Length of a report in `buffer` that was read while waiting and is not decoded yet.
    waiting: usize,
    /// The queue was found full, and no sample has reported it yet.
    stalled: bool,
    out: Box<ReportBuffer>,
    last_sequence: u64,
}

impl std::fmt::Debug for HidArm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HidArm")
            .field("name", &self.driver.spec().name)
            .field("stats", &self.driver.stats())
            .finish_non_exhaustive()
    }
}

impl HidArm {
    /// Takes an open device, sends it the profile's start reports, then zero force: the device may
    /// still hold a force from before it was lost, or from another program. May block.
    ///
    /// # Errors
    /// Why a report could not be sent. The profile's stop reports were sent then, as far as the
    /// device accepted them.
    pub fn new(raw: Box<dyn RawHid>, profile: Arc<Profile>) -> Result<Self, TransportError> {
        let mut arm = Self {
            raw,
            driver: Driver::new(profile),
            buffer: Box::new([0; MAX_REPORT_BYTES]),
            waiting: 0,
            stalled: false,
            out: Box::default(),
            last_sequence: 0,
        };
        let start = Arc::clone(arm.profile());
        let begun = (start
            .start
            .iter()
            .try_for_each(|report| arm.send_fixed(report)))
        .and_then(|()| arm.send(&[0.0; MAX_AXES], 0));
        if let Err(error) = begun {
            // The reports sent so far may have switched the motors on.
            let _ = arm.stop();
            return Err(error);
        }
        Ok(arm)
    }

    fn send_fixed(&mut self, report: &FixedReport) -> Result<(), TransportError> {
        match report.kind {
            ReportKind::Output => self.raw.write(&report.bytes),
            ReportKind::Feature => self.raw.write_feature(&report.bytes),
        }
    }

    /// Returns the profile.
    #[must_use]
    pub fn profile(&self) -> &Arc<Profile> {
        self.driver.profile()
    }

    fn take(&mut self, length: usize) {
        // The driver counts bad reports; reading goes on.
        let _ = self.driver.input(&self.buffer[..length]);
    }

    /// Sends all reports of a command, those after a failed one as well: an axis must not keep its
    /// effort because another axis's report was refused. Returns the first failure.
    fn send(&mut self, efforts: &[f64; MAX_AXES], sequence: u64) -> Result<(), TransportError> {
        self.last_sequence = sequence;
        let mut result = Ok(());
        for index in 0..self.driver.output_reports() {
            let report = self.driver.encode(index, efforts, sequence, &mut self.out);
            result = result.and(self.raw.write(report));
        }
        result
    }
}

impl Transport for HidArm {
    fn spec(&self) -> &ArmSpec {
        self.driver.spec()
    }

    fn wait_input(&mut self, timeout: Duration) -> Result<bool, TransportError> {
        if self.waiting == 0 {
            self.waiting = self.raw.read(&mut self.buffer[..], timeout)?;
        }
        Ok(self.waiting > 0)
    }

    fn read_newest(&mut self, now_ns: u64) -> Result<Option<ArmSample>, TransportError> {
        let mut taken = 0;
        if self.waiting > 0 {
            let length = std::mem::take(&mut self.waiting);
            self.take(length);
            taken += 1;
        }
        while taken < MAX_IN_ONE_READ {
            match self.raw.read(&mut self.buffer[..], Duration::ZERO)? {
                0 => break,
                length => self.take(length),
            }
            taken += 1;
        }
        self.stalled |= taken >= QUEUE_CAPACITY;
        let sample = self.driver.sample(now_ns, self.stalled);
        if sample.is_some() {
            self.stalled = false;
        }
        Ok(sample)
    }

    fn write(&mut self, command: &ArmCommand) -> Result<(), TransportError> {
        if self.driver.output_reports() == 0 {
            return Ok(());
        }
        let efforts = self.driver.efforts(command);
        self.send(&efforts, command.sequence)?;
        self.driver.count_command();
        Ok(())
    }

    fn stop(&mut self) -> Result<(), TransportError> {
        let zero = self.send(&[0.0; MAX_AXES], self.last_sequence.wrapping_add(1));
        // An arm that does not accept the zero gets its stop reports as well: they may switch it
        // off.
        let profile = Arc::clone(self.driver.profile());
        let mut result = zero;
        for report in &profile.stop {
            result = result.and(self.send_fixed(report));
        }
        result
    }

    fn stats(&self) -> TransportStats {
        self.driver.stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::{Vec3, Wrench};
    use crate::profile::{Profile, generic};
    use std::collections::VecDeque;
    use std::sync::Mutex;

    /// A device that follows a script.
    #[derive(Default)]
    struct Script {
        queue: VecDeque<Vec<u8>>,
        /// Error of every read when the queue is empty.
        read_error: Option<TransportError>,
        write_error: Option<TransportError>,
        written: Vec<(bool, Vec<u8>)>,
    }

    #[derive(Clone, Default)]
    struct Device(Arc<Mutex<Script>>);

    impl RawHid for Device {
        fn read(&mut self, buffer: &mut [u8], _: Duration) -> Result<usize, TransportError> {
            let mut script = self.0.lock().unwrap();
            match (script.queue.pop_front(), script.read_error) {
                (Some(report), _) => {
                    let length = report.len().min(buffer.len());
                    buffer[..length].copy_from_slice(&report[..length]);
                    Ok(length)
                }
                (None, Some(error)) => Err(error),
                (None, None) => Ok(0),
            }
        }

        fn write(&mut self, report: &[u8]) -> Result<(), TransportError> {
            let mut script = self.0.lock().unwrap();
            script.written.push((false, report.to_vec()));
            script.write_error.map_or(Ok(()), Err)
        }

        fn write_feature(&mut self, report: &[u8]) -> Result<(), TransportError> {
            self.0.lock().unwrap().written.push((true, report.to_vec()));
            Ok(())
        }
    }

    const GENERIC: &str = include_str!("../../../config/devices/generic-vendor-3dof.toml");

    fn arm(extra: &str) -> (Device, HidArm) {
        let device = Device::default();
        let profile = Profile::parse("arm", &format!("{GENERIC}{extra}")).unwrap();
        let arm = HidArm::new(Box::new(device.clone()), Arc::new(profile)).unwrap();
        (device, arm)
    }

    fn report(counter: u16) -> Vec<u8> {
        let mut report = vec![0; generic::INPUT_REPORT_BYTES];
        report[0] = generic::INPUT_REPORT_ID;
        report[1..3].copy_from_slice(&counter.to_le_bytes());
        report[3..5].copy_from_slice(&counter.to_le_bytes());
        report[15] = 0xC0;
        report
    }

    #[test]
    fn reading_empties_the_queue_and_uses_the_last() {
        let (device, mut arm) = arm("");
        assert!(!arm.wait_input(Duration::ZERO).unwrap());
        assert_eq!(arm.read_newest(1), Ok(None));
        device.0.lock().unwrap().queue.extend((1..=5).map(report));
        assert!(arm.wait_input(Duration::from_millis(1)).unwrap());
        assert!(
            arm.wait_input(Duration::from_millis(1)).unwrap(),
            "the waiting report is not lost"
        );
        let sample = arm.read_newest(2).unwrap().unwrap();
        assert_eq!((sample.sequence, sample.skipped, sample.time_ns), (5, 4, 2));
        assert!((sample.pose.translation.x - 5e-6).abs() < 1e-15);
        assert!(!sample.status.input_stalled);
        assert_eq!(arm.read_newest(3), Ok(None));
    }

    #[test]
    fn a_full_queue_is_a_stall() {
        let (device, mut arm) = arm("");
        device.0.lock().unwrap().queue.extend((1..=62).map(report));
        assert!(!arm.read_newest(1).unwrap().unwrap().status.input_stalled);
        device
            .0
            .lock()
            .unwrap()
            .queue
            .extend((63..63 + 63).map(report));
        let sample = arm.read_newest(2).unwrap().unwrap();
        assert!(sample.status.input_stalled);
        assert_eq!((sample.skipped, arm.stats().stalls), (62, 1));
        device.0.lock().unwrap().queue.push_back(report(200));
        assert!(!arm.read_newest(3).unwrap().unwrap().status.input_stalled);
        assert_eq!(arm.stats().lost, 200 - 126);
    }

    #[test]
    fn an_arm_that_floods_does_not_hold_the_reader() {
        let (device, mut arm) = arm("");
        device
            .0
            .lock()
            .unwrap()
            .queue
            .extend((1..=10_000).map(report));
        let sample = arm.read_newest(1).unwrap().unwrap();
        assert!(sample.status.input_stalled);
        assert_eq!(sample.sequence, MAX_IN_ONE_READ as u64);
    }

    #[test]
    fn garbage_between_reports_is_counted_and_passed_over() {
        let (device, mut arm) = arm("");
        device
            .0
            .lock()
            .unwrap()
            .queue
            .extend([vec![1, 2], report(1), vec![77; 64], vec![1; 2000]]);
        let sample = arm.read_newest(1).unwrap().unwrap();
        // The 2000 bytes have a known id and are long enough: a device may pad.
        assert_eq!(sample.sequence, 2);
        assert_eq!((arm.stats().short, arm.stats().unknown), (1, 1));
    }

    #[test]
    fn an_arm_that_is_gone_says_so() {
        let (device, mut arm) = arm("");
        device.0.lock().unwrap().read_error = Some(TransportError::Gone);
        assert_eq!(arm.wait_input(Duration::ZERO), Err(TransportError::Gone));
        assert_eq!(arm.read_newest(1), Err(TransportError::Gone));
        device.0.lock().unwrap().write_error = Some(TransportError::TimedOut);
        assert_eq!(
            arm.write(&ArmCommand::default()),
            Err(TransportError::TimedOut)
        );
        assert_eq!(arm.stats().commands, 0);
    }

    #[test]
    fn commands_and_the_stop_go_out_as_bytes() {
        let stop = "\n[[start]]\nkind = \"feature\"\nbytes = [5, 1]\n[[stop]]\nkind = \"output\"\nbytes = [6, 0]\n[[stop]]\nkind = \"feature\"\nbytes = [5, 0]\n";
        let (device, mut arm) = arm(stop);
        let wrench = Wrench {
            force_n: Vec3::new(1.0, -1.0, 0.25),
            torque_nm: Vec3::zeros(),
        };
        arm.write(&ArmCommand {
            sequence: 7,
            wrench,
        })
        .unwrap();
        device.0.lock().unwrap().write_error = Some(TransportError::TimedOut);
        assert_eq!(arm.stop(), Err(TransportError::TimedOut));
        assert_eq!(
            device.0.lock().unwrap().written,
            [
                (true, vec![5, 1]),
                (false, vec![2, 0, 0, 0, 0, 0, 0, 0, 0]),
                (false, vec![2, 0xE8, 0x03, 0x18, 0xFC, 0xFA, 0, 7, 0]),
                (false, vec![2, 0, 0, 0, 0, 0, 0, 8, 0]),
                (false, vec![6, 0]),
                (true, vec![5, 0]),
            ]
        );
        assert_eq!(arm.stats().commands, 1);
    }

    #[test]
    fn a_start_that_fails_ends_with_the_stop() {
        let device = Device::default();
        device.0.lock().unwrap().write_error = Some(TransportError::TimedOut);
        let fixed = "\n[[start]]\nkind = \"feature\"\nbytes = [5, 1]\n[[stop]]\nkind = \"feature\"\nbytes = [5, 0]\n";
        let profile = Profile::parse("arm", &format!("{GENERIC}{fixed}")).unwrap();
        let arm = HidArm::new(Box::new(device.clone()), Arc::new(profile));
        assert_eq!(arm.map(|_| ()), Err(TransportError::TimedOut));
        let written = &device.0.lock().unwrap().written;
        assert_eq!(written.first(), Some(&(true, vec![5, 1])));
        assert_eq!(written.last(), Some(&(true, vec![5, 0])), "motors are off");
    }

    #[test]
    fn a_wrench_that_is_not_finite_sends_no_force() {
        let (device, mut arm) = arm("");
        for bad in [f64::NAN, f64::INFINITY] {
            let wrench = Wrench {
                force_n: Vec3::new(1.0, bad, 1.0),
                ..Wrench::zero()
            };
            arm.write(&ArmCommand {
                sequence: 1,
                wrench,
            })
            .unwrap();
        }
        for (_, bytes) in &device.0.lock().unwrap().written[1..] {
            assert_eq!(bytes, &[2, 0, 0, 0, 0, 0, 0, 1, 0]);
        }
        assert_eq!(arm.stats().bad_efforts, 2);
    }
}
