//! The daemon's whole data path in virtual time, from a configuration: scene, loop, coupling,
//! governor, and answers with the lateness that an experiment chooses.
//!
//! An arm is *led* along a path, which shows the rendering alone, or *held* by a simulated hand.
//! Base and world are the same frame, and lengths are not scaled. Deterministic. Allocates.

use std::path::Path;

use hapticd::session;
use hapticd::session_setup::{self, Source};
use hapticd_collision::virtual_time::{VirtualArm, VirtualLoop};
use hapticd_config::{Context, parse};
use hapticd_devices::arm::{ArmCommand, ArmSample, ArmStatus};
use hapticd_devices::sim::{HandParams, HeldArm, Intention, SimArmParams};
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_loop::record::{ArmTick, TickRecord};
use hapticd_proxy::MAX_ARMS;

use crate::experiment::Failure;

/// Duration of a tick, s: the loop runs at 1 kHz.
pub const TICK_S: f64 = 1e-3;
/// Stiffness of the coupling in experiments on a led arm, N/m.
pub const STIFFNESS: f64 = 500.0;
/// Time of the force's ramp at the start, s; nothing may be touched before its end.
pub const SETTLED_S: f64 = 0.1;
/// The same in ticks.
pub const SETTLED: u64 = 100;

/// Position of the device at a time, s.
pub type DevicePath = Box<dyn FnMut(f64) -> Pose + Send>;

/// How an arm is moved.
pub enum Lead {
    /// It follows this path, whatever the force.
    Led(DevicePath),
    /// This hand holds it. Boxed, because it is much larger than a path.
    Held(Box<(HandParams, Intention)>),
}

struct Led(DevicePath);

impl VirtualArm for Led {
    fn step(&mut self, now_ns: u64, _: u64, _: &ArmCommand) -> Option<ArmSample> {
        Some(ArmSample {
            time_ns: now_ns,
            sequence: now_ns / 1_000_000 + 1,
            pose: (self.0)(now_ns as f64 * 1e-9),
            status: ArmStatus {
                calibrated: true,
                safety_switch_closed: true,
                input_stalled: false,
                pose_invalid: false,
            },
            ..ArmSample::default()
        })
    }
}

/// The data path of a session; see the module page.
pub struct Stage {
    driver: VirtualLoop,
}

impl Stage {
    /// Makes a stage from a configuration, with files relative to `folder` and one lead for each
    /// arm.
    pub fn new(text: &str, folder: &Path, late: u32, leads: Vec<Lead>) -> Result<Self, Failure> {
        Self::on_arms(text, folder, late, leads, |_| {})
    }

    /// The same, with arms that hands hold and that differ from what the configuration says of
    /// them.
    pub fn on_arms(
        text: &str,
        folder: &Path,
        late: u32,
        leads: Vec<Lead>,
        alter: impl Fn(&mut SimArmParams),
    ) -> Result<Self, Failure> {
        let failed = |what: &dyn std::fmt::Display| Failure::Run(format!("the scene: {what}"));
        let context = Context::new(folder, |_| None);
        let config = parse("scene.toml", text, &context).map_err(|e| failed(&e))?;
        let mut config = config.config;
        config.collision.virtual_latency_ticks = late;
        let mut setup = session_setup::build(&config, folder, true).map_err(|e| failed(&e))?;
        for (arm, lead) in setup.arms.iter_mut().zip(&leads) {
            if let Lead::Held(held) = lead {
                let mut params = SimArmParams::of(arm.spec.clone());
                alter(&mut params);
                let held = HeldArm::new(params, held.0, held.1.clone(), 0);
                arm.source = Source::Simulated(Box::new(held.map_err(|e| failed(&e))?));
            }
        }
        let mut arms = session::virtual_arms(&mut setup);
        for (arm, lead) in arms.iter_mut().zip(leads) {
            if let Lead::Led(way) = lead {
                *arm = Some(Box::new(Led(way)));
            }
        }
        Ok(Stage {
            driver: VirtualLoop::new(
                setup.core,
                (setup.collider, setup.deformable),
                arms,
                late,
                setup.pair_capacity,
            ),
        })
    }

    /// Makes a stage with one led arm.
    pub fn led(
        text: &str,
        late: u32,
        way: impl FnMut(f64) -> Pose + Send + 'static,
    ) -> Result<Self, Failure> {
        Self::new(text, Path::new("."), late, vec![Lead::Led(Box::new(way))])
    }

    /// Runs one tick of the loop.
    pub fn step(&mut self) -> &TickRecord {
        self.driver.step(false)
    }

    /// Runs `ticks` ticks; returns those of the first arm.
    pub fn run(&mut self, ticks: u64) -> Vec<ArmTick> {
        (0..ticks).map(|_| self.step().arms[0]).collect()
    }

    /// Runs `ticks` ticks; returns the sequence of each arm, by index.
    pub fn run_all(&mut self, ticks: u64, arms: usize) -> Vec<Vec<ArmTick>> {
        let mut out = vec![Vec::new(); arms.min(MAX_ARMS)];
        for _ in 0..ticks {
            let record = self.step();
            for (sequence, tick) in out.iter_mut().zip(&record.arms) {
                sequence.push(*tick);
            }
        }
        out
    }
}

/// Limits that never interfere with an experiment, and a ramp that is over by [`SETTLED_S`].
pub const LIMITS: &str = "[safety]\nramp_s = 0.05\npeak_force_n = 60.0\n\
    continuous_force_n = 60.0\npeak_torque_nm = 20.0\ncontinuous_torque_nm = 20.0\n\
    velocity_limit_m_s = 10.0\nangular_velocity_limit_rad_s = 200.0\nslew_n_per_ms = 100.0\n\
    slew_nm_per_ms = 20.0\noscillation_force_n = 20.0\noscillation_torque_nm = 2.0\n";

/// Returns a desktop arm with this stiffness (N/m) and damping (N s/m) of the coupling.
pub fn forced_arm(tool: &str, stiffness: f64, damping: f64) -> String {
    format!(
        "[[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"rest\"\n\
         forced_stiffness_n_per_m = {stiffness:?}\nforced_damping_n_s_per_m = {damping:?}\n\
         tool = {tool}\nmechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, \
         coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500, saturation_n = 100.0 }}\n"
    )
}

/// Returns a ball as a tool.
pub fn ball(radius_m: f64) -> String {
    format!("{{ kind = \"sphere\", radius_m = {radius_m:?} }}")
}

/// Returns a cube as a tool.
pub fn cube(half_m: f64) -> String {
    let size = 2.0 * half_m;
    format!("{{ kind = \"cuboid\", size_m = [{size:?}, {size:?}, {size:?}] }}")
}

/// Returns a static body with its own material.
pub fn body(shape: &str, at: [f64; 3], stiffness: f64, damping: f64, friction: f64) -> String {
    format!(
        "[[body]]\nname = \"body\"\nposition_m = {at:?}\nmaterial = \"stuff\"\nshape = {shape}\n\
         [[material]]\nname = \"stuff\"\nstiffness_n_per_m = {stiffness:?}\n\
         damping_n_s_per_m = {damping:?}\nfriction_coefficient = {friction:?}\n"
    )
}

/// Returns a body at least as stiff as any coupling, without damping.
pub fn stone(shape: &str, at: [f64; 3], friction: f64) -> String {
    body(shape, at, 1e5, 0.0, friction)
}

/// Returns a wide block, 20 mm thick, with its top at `top_m`.
pub fn floor(top_m: f64, friction: f64) -> String {
    stone(
        "{ kind = \"cuboid\", size_m = [0.8, 0.8, 0.02] }",
        [0.0, 0.0, top_m - 0.01],
        friction,
    )
}

/// Rises from 0 at `from` to 1 at `to`, at rest at both ends; minimum jerk.
pub fn eased(t: f64, from: f64, to: f64) -> f64 {
    let u = ((t - from) / (to - from)).clamp(0.0, 1.0);
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

/// Makes a pose of position and rotation.
pub fn posed(at: Vec3, rotation: Quat) -> Pose {
    Pose::from_parts(at.into(), rotation)
}

/// Returns the corners of a cube about the origin.
pub fn corners(half_m: f64) -> [Vec3; 8] {
    std::array::from_fn(|k| {
        let side = |bit: usize| if k & bit != 0 { half_m } else { -half_m };
        Vec3::new(side(1), side(2), side(4))
    })
}

/// Returns the lowest of these points in a pose, relative to the pose's origin.
pub fn lowest(points: &[Vec3], rotation: &Quat) -> Vec3 {
    let turned = points.iter().map(|p| rotation * p);
    turned
        .min_by(|a, b| a.z.total_cmp(&b.z))
        .unwrap_or_default()
}

/// Returns the work on the hand from one tick to the next: the held force along the path.
pub fn work_j(before: &ArmTick, now: &ArmTick) -> f64 {
    let (from, to) = (&before.world_from_device, &now.world_from_device);
    let turned = (to.rotation * from.rotation.inverse()).scaled_axis();
    before
        .wanted
        .force_n
        .dot(&(to.translation.vector - from.translation.vector))
        + before.wanted.torque_nm.dot(&turned)
}
