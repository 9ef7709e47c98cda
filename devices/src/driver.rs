//! An arm without its wire: reports in, samples out; commands in, reports out.
//!
//! Joins the [`codec`](crate::codec), the [`kinematics`](crate::kinematics) and the
//! [`velocity`](crate::velocity) estimate of one arm. Pure: no I/O, no clock (time is an argument),
//! no allocation after [`Driver::new`], bounded work per report. A recording of an arm's bytes is
//! therefore a test of its driver.

use std::sync::Arc;

use crate::arm::{
    ArmCommand, ArmSample, ArmSpec, ArmStatus, Axes, MAX_AXES, MAX_COORDINATE_M, Pose, Vec3,
};
use crate::codec::{DecodeError, Decoded, RawState, ReportBuffer};
use crate::kinematics::{Kinematics, Mounted, RateIntegrator};
use crate::profile::{Model, Profile};
use crate::transport::TransportStats;
use crate::velocity::VelocityEstimator;

/// An arm that reports only while it moves is taken to be at rest after this many of its periods
/// without a report.
const REST_PERIODS: u64 = 4;

#[derive(Debug)]
enum Motion {
    Position(Arc<Mounted>),
    Rate(RateIntegrator),
}

/// State of one open arm.
#[derive(Debug)]
pub struct Driver {
    profile: Arc<Profile>,
    motion: Motion,
    state: RawState,
    velocity: VelocityEstimator,
    pose: Pose,
    pose_invalid: bool,
    sequence: u64,
    /// Complete poses since the last sample.
    new_poses: u32,
    /// Something else that a sample shows has changed.
    news: bool,
    last_change_ns: u64,
    last_sample_ns: u64,
    stats: TransportStats,
}

impl Driver {
    /// Makes the driver of an arm that has sent nothing yet. Allocates once.
    #[must_use]
    pub fn new(profile: Arc<Profile>) -> Self {
        let motion = match &profile.model {
            Model::Position(model) => Motion::Position(Arc::clone(model)),
            Model::Rate(rate) => Motion::Rate(RateIntegrator::new(*rate, profile.spec.workspace)),
        };
        Self {
            motion,
            state: profile.codec.initial_state(),
            velocity: VelocityEstimator::new(profile.windows),
            pose: Pose::identity(),
            pose_invalid: false,
            sequence: 0,
            new_poses: 0,
            news: false,
            last_change_ns: 0,
            last_sample_ns: 0,
            stats: TransportStats::default(),
            profile,
        }
    }

    /// Returns the profile.
    #[must_use]
    pub fn profile(&self) -> &Arc<Profile> {
        &self.profile
    }

    /// Returns what the arm declares.
    #[must_use]
    pub fn spec(&self) -> &ArmSpec {
        &self.profile.spec
    }

    /// Returns the counters so far.
    #[must_use]
    pub fn stats(&self) -> TransportStats {
        self.stats
    }

    /// Returns the decoded state of the reports so far.
    #[must_use]
    pub fn state(&self) -> &RawState {
        &self.state
    }

    /// Decodes one report as it was read.
    ///
    /// # Errors
    /// A short or unknown report. It is counted and changes nothing else.
    pub fn input(&mut self, report: &[u8]) -> Result<Decoded, DecodeError> {
        self.stats.reports += 1;
        let counter = self.state.counter;
        let decoded = self.profile.codec.decode(report, &mut self.state);
        match decoded {
            Ok(Decoded { report: None, .. }) => {}
            Ok(Decoded {
                report: Some(index),
                pose_complete,
            }) => {
                self.sequence += 1;
                if pose_complete {
                    self.new_poses = self.new_poses.saturating_add(1);
                } else if self.profile.codec.holds_no_pose(index) {
                    self.news = true;
                }
                self.count_lost(counter);
            }
            Err(DecodeError::UnknownReport { .. }) => self.stats.unknown += 1,
            Err(DecodeError::Short { .. } | DecodeError::Empty) => self.stats.short += 1,
        }
        decoded
    }

    /// Counts reports that are missing from the arm's own counter. A jump of half the counter's
    /// range or more is a restart of the arm, not a loss.
    fn count_lost(&mut self, before: Option<u32>) {
        let (Some(before), Some(now), Some(bits)) = (
            before,
            self.state.counter,
            self.profile.codec.counter_bits(),
        ) else {
            return;
        };
        let mask = (1_u64 << bits) - 1;
        let step = u64::from(now).wrapping_sub(u64::from(before)) & mask;
        if step > 1 && step <= mask / 2 {
            self.stats.lost += step - 1;
        }
    }

    /// Returns the newest sample if anything is new since the last one. `input_stalled` is copied
    /// into its status.
    ///
    /// For an arm that is silent at rest, returns a sample at rest once in each of its periods.
    pub fn sample(&mut self, now_ns: u64, input_stalled: bool) -> Option<ArmSample> {
        let news = self.new_poses > 0 || self.news;
        let at_rest = !news && self.is_silent_at_rest(now_ns);
        if !news && !at_rest {
            return None;
        }
        if news {
            self.last_change_ns = now_ns;
        }
        self.last_sample_ns = now_ns;
        let skipped = self.new_poses.saturating_sub(1);
        if self.new_poses > 0 || at_rest {
            self.update_pose(now_ns, at_rest);
        }
        self.stats.skipped += u64::from(skipped);
        self.stats.stalls += u64::from(input_stalled);
        self.new_poses = 0;
        self.news = false;
        Some(ArmSample {
            time_ns: now_ns,
            sequence: self.sequence,
            pose: self.pose,
            linear_velocity: if at_rest {
                Vec3::zeros()
            } else {
                self.velocity.linear()
            },
            angular_velocity: if at_rest {
                Vec3::zeros()
            } else {
                self.velocity.angular()
            },
            buttons: self.state.buttons,
            skipped,
            temperature_c: self.state.temperature_c,
            status: ArmStatus {
                calibrated: self.state.calibrated,
                safety_switch_closed: self.state.safety_switch_closed,
                input_stalled,
                pose_invalid: self.pose_invalid,
            },
        })
    }

    fn is_silent_at_rest(&self, now_ns: u64) -> bool {
        let period = self.profile.spec.native_period_ns;
        self.profile.silent_at_rest
            && self.sequence > 0
            && now_ns.saturating_sub(self.last_change_ns) >= REST_PERIODS.saturating_mul(period)
            && now_ns.saturating_sub(self.last_sample_ns) >= period
    }

    fn update_pose(&mut self, now_ns: u64, at_rest: bool) {
        let pose = match &mut self.motion {
            Motion::Position(model) => model.forward(&self.state.axes),
            Motion::Rate(integrator) => {
                let rates = if at_rest {
                    [0.0; MAX_AXES]
                } else {
                    self.state.axes
                };
                Ok(integrator.step(now_ns, &rates))
            }
        };
        let is_far = |pose: &Pose| pose.translation.vector.amax() > MAX_COORDINATE_M;
        let pose = pose.ok().filter(|pose| !is_far(pose));
        self.pose_invalid = pose.is_none();
        match pose {
            Some(pose) => {
                self.pose = pose;
                self.velocity.push(now_ns, &pose);
            }
            None => {
                // A gap in the poses is a gap in the velocity: the estimate starts again after it.
                self.stats.bad_poses += 1;
                self.velocity.reset();
            }
        }
    }

    /// Returns the number of reports that one command takes.
    #[must_use]
    pub fn output_reports(&self) -> usize {
        self.profile.codec.output_reports()
    }

    /// Returns the efforts of the motors for a command at the newest axes.
    ///
    /// All zero, and counted, if the wrench is not finite or the model has no solution (singular,
    /// out of reach): the arm then gets no force.
    pub fn efforts(&mut self, command: &ArmCommand) -> Axes {
        let Motion::Position(model) = &self.motion else {
            return [0.0; MAX_AXES];
        };
        let efforts = if command.wrench.is_finite() {
            model.efforts(&self.state.axes, &command.wrench).ok()
        } else {
            None
        };
        if efforts.is_none() {
            self.stats.bad_efforts += 1;
        }
        efforts.unwrap_or([0.0; MAX_AXES])
    }

    /// Encodes output report `index` of a command; empty if there is no such report.
    pub fn encode<'a>(
        &self,
        index: usize,
        efforts: &Axes,
        sequence: u64,
        out: &'a mut ReportBuffer,
    ) -> &'a [u8] {
        self.profile.codec.encode(index, efforts, sequence, out)
    }

    /// Counts a command that was written.
    pub(crate) fn count_command(&mut self) {
        self.stats.commands += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Wrench;
    use crate::profile::shipped;

    const MS: u64 = 1_000_000;

    fn driver(name: &str) -> Driver {
        Driver::new(Arc::new(shipped(name).unwrap().parse().unwrap()))
    }

    /// Builds an input report of the generic arm.
    fn generic(counter: u16, micrometres: [i32; 3], status: u8) -> [u8; 20] {
        let mut report = [0; 20];
        report[0] = 1;
        report[1..3].copy_from_slice(&counter.to_le_bytes());
        for (i, x) in micrometres.iter().enumerate() {
            report[3 + 4 * i..7 + 4 * i].copy_from_slice(&x.to_le_bytes());
        }
        report[15] = status;
        report[16..18].copy_from_slice(&305_i16.to_le_bytes());
        report
    }

    #[test]
    fn a_moving_arm_gives_pose_velocity_and_status() {
        let mut driver = driver("generic-vendor-3dof");
        assert_eq!(
            driver.sample(0, false),
            None,
            "nothing before the first report"
        );
        let mut sample = ArmSample::default();
        for i in 0..30_u64 {
            driver
                .input(&generic(i as u16, [200 * i as i32, 0, -1000], 0b1100_0010))
                .unwrap();
            sample = driver.sample(i * MS, false).unwrap();
        }
        assert_eq!(
            (sample.sequence, sample.time_ns, sample.buttons),
            (30, 29 * MS, 2)
        );
        assert!((sample.pose.translation.vector - Vec3::new(0.0058, 0.0, -0.001)).norm() < 1e-12);
        assert!((sample.linear_velocity - Vec3::new(0.2, 0.0, 0.0)).norm() < 1e-9);
        assert!(sample.status.calibrated && sample.status.safety_switch_closed);
        assert!(!sample.status.input_stalled && !sample.status.pose_invalid);
        assert_eq!(sample.temperature_c, Some(30.5));
        assert_eq!(driver.sample(30 * MS, false), None, "no news");
    }

    #[test]
    fn reports_passed_over_and_reports_lost_are_counted_apart() {
        let mut driver = driver("generic-vendor-3dof");
        for counter in [65_533_u16, 65_534, 65_535, 2, 3] {
            driver
                .input(&generic(counter, [i32::from(counter), 0, 0], 0))
                .unwrap();
        }
        let sample = driver.sample(MS, true).unwrap();
        assert_eq!((sample.skipped, sample.sequence), (4, 5));
        assert!(sample.status.input_stalled);
        assert!(
            (sample.pose.translation.x - 3e-6).abs() < 1e-15,
            "the newest"
        );
        let stats = driver.stats();
        assert_eq!(
            (stats.reports, stats.skipped, stats.lost, stats.stalls),
            (5, 4, 2, 1)
        );
        // The arm was switched off and on: its counter starts again.
        driver.input(&generic(0, [0; 3], 0)).unwrap();
        assert_eq!(driver.stats().lost, 2);
    }

    #[test]
    fn bad_reports_are_counted_and_change_nothing() {
        let mut driver = driver("generic-vendor-3dof");
        driver.input(&generic(1, [5, 6, 7], 0)).unwrap();
        let before = *driver.state();
        assert!(driver.input(&[1, 2, 3]).is_err());
        assert!(driver.input(&[9; 20]).is_err());
        assert!(driver.input(&[]).is_err());
        assert_eq!(*driver.state(), before);
        let stats = driver.stats();
        assert_eq!((stats.reports, stats.short, stats.unknown), (4, 2, 1));
        assert_eq!(driver.sample(MS, false).unwrap().sequence, 1);
    }

    #[test]
    fn an_impossible_linkage_keeps_its_last_pose_and_gets_no_force() {
        let mut driver = driver("pantograph-2dof");
        let report = |left: f64, right: f64| {
            let mut report = [0_u8; 12];
            report[0] = 1;
            for (at, angle) in [(3, left), (7, right)] {
                let counts = (angle / 9.587379924285257e-5).round() as i32;
                report[at..at + 4].copy_from_slice(&counts.to_le_bytes());
            }
            report[11] = 0x80;
            report
        };
        driver
            .input(&report(2.2, std::f64::consts::PI - 2.2))
            .unwrap();
        let good = driver.sample(MS, false).unwrap();
        assert!(good.status.calibrated && !good.status.pose_invalid);
        let command = ArmCommand {
            sequence: 1,
            wrench: Wrench {
                force_n: Vec3::new(0.0, 1.0, 0.0),
                ..Wrench::zero()
            },
        };
        let efforts = driver.efforts(&command);
        // Outwards: the left motor turns clockwise, the right one counterclockwise, by the same
        // amount.
        assert!(
            efforts[0] < -1e-3 && (efforts[0] + efforts[1]).abs() < 1e-6,
            "{efforts:?}"
        );

        driver.input(&report(std::f64::consts::PI, 0.0)).unwrap();
        let bad = driver.sample(2 * MS, false).unwrap();
        assert!(bad.status.pose_invalid);
        assert_eq!(bad.pose, good.pose);
        assert_eq!(driver.efforts(&command), [0.0; MAX_AXES]);
        assert_eq!(
            (driver.stats().bad_poses, driver.stats().bad_efforts),
            (1, 1)
        );

        driver
            .input(&report(2.2, std::f64::consts::PI - 2.2))
            .unwrap();
        assert!(!driver.sample(3 * MS, false).unwrap().status.pose_invalid);
    }

    #[test]
    fn a_pose_beyond_ten_kilometres_is_invalid_and_the_last_stays() {
        let generic = include_str!("../../config/devices/generic-vendor-3dof.toml");
        let profile = Profile::parse("far.toml", &generic.replace("scale = 1e-6", "scale = 1e-3"));
        let mut driver = Driver::new(Arc::new(profile.unwrap()));
        let mut at = |x_m: f64, now_ns: u64| {
            let mut report = [0_u8; 20];
            report[0] = 1;
            report[3..7].copy_from_slice(&((x_m * 1e3) as i32).to_le_bytes());
            driver.input(&report).unwrap();
            driver.sample(now_ns, false).unwrap()
        };
        let near = at(9.9e3, MS);
        assert!(!near.status.pose_invalid);
        let far = at(2e6, 2 * MS);
        assert!(far.status.pose_invalid);
        assert_eq!(far.pose, near.pose);
        assert!(!at(1.0, 3 * MS).status.pose_invalid);
    }

    #[test]
    fn a_space_mouse_rests_when_it_is_silent() {
        let mut driver = driver("spacemouse");
        let mut sample = None;
        for i in 0..10_i16 {
            let [low, high] = (10 * i).to_le_bytes();
            driver.input(&[1, low, high, 0, 0, 0, 0]).unwrap();
            assert_eq!(
                driver.sample(u64::from(i as u16) * 8 * MS, false),
                None,
                "half a pose"
            );
            driver.input(&[2, 0, 0, 0, 0, 0, 0]).unwrap();
            sample = driver.sample(u64::from(i as u16) * 8 * MS, false);
        }
        let sample = sample.unwrap();
        assert!((sample.pose.translation.x - 90.0 * 1.43e-4).abs() < 1e-12);
        assert!((sample.linear_velocity.x - 10.0 * 1.43e-4 / 0.008).abs() < 1e-9);
        assert_eq!(driver.sample(90 * MS, false), None);
        let rest = driver.sample(72 * MS + 32 * MS, false).unwrap();
        assert_eq!(
            (rest.pose, rest.linear_velocity),
            (sample.pose, Vec3::zeros())
        );
        assert_eq!(rest.sequence, sample.sequence);
        assert_eq!(
            driver.sample(72 * MS + 33 * MS, false),
            None,
            "one for each period"
        );
        // A button alone is news as well.
        driver.input(&[3, 1, 0]).unwrap();
        assert_eq!(driver.sample(72 * MS + 34 * MS, false).unwrap().buttons, 1);
    }

    #[test]
    fn a_space_mouse_as_a_rate_device_moves_on_while_it_is_pushed_and_stops_when_silent() {
        let mut driver = driver("spacemouse-rate");
        let [low, high] = 350_i16.to_le_bytes();
        let mut report = [0_u8; 13];
        (report[0], report[1], report[2]) = (1, low, high);
        let mut x = 0.0;
        for i in 0..=50_u64 {
            driver.input(&report).unwrap();
            x = driver.sample(i * 8 * MS, false).unwrap().pose.translation.x;
        }
        assert!((x - 0.4 * 350.0 * 2.86e-4).abs() < 1e-9, "{x}");
        for i in 51..200_u64 {
            if let Some(sample) = driver.sample(i * 8 * MS, false) {
                assert_eq!(
                    sample.pose.translation.x, x,
                    "a lost last report does not run away"
                );
            }
        }
    }
}
