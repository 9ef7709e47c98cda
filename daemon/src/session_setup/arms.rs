//! Arms of a session: their devices, simulated or on the HID bus, and their tools.

use std::path::Path;

use hapticd_config as config;
use hapticd_devices::arm::ArmSpec;
use hapticd_devices::profile::{Profile, shipped};
use hapticd_devices::sim::{HandParams, HeldArm, SimArmParams};
use hapticd_geometry::{MeshReport, Pose, TriMesh, Vec3};
use hapticd_loop::frame::ArmFrame;
use hapticd_proxy::{Damping, Interaction, MAX_ARMS};

use super::faults::{device_fault, shape_fault};
use super::gains::{CouplingKeys, answer_delay_ns};
use super::{Fault, Inputs, SessionSetupError};
use crate::intentions;
use hapticd_scene_setup::{self as scene_setup, BuiltTool};

/// Maximum size of a profile, bytes. Shipped ones have a few thousand.
const MAX_PROFILE_BYTES: u64 = 1 << 20;

/// Source of an arm's samples.
pub enum Source {
    /// A simulated arm in a simulated hand.
    Simulated(Box<HeldArm>),
    /// A device on the HID bus.
    Hid(Box<HidSource>),
}

/// How to find a HID arm and talk to it.
#[derive(Clone)]
pub struct HidSource {
    /// Report layout, kinematics, limits.
    pub profile: Profile,
    /// If set, only a device with this serial number.
    pub serial: Option<String>,
    /// If set, only a device at this port.
    pub port_path: Option<String>,
}

/// One arm of the session.
pub struct SessionArm {
    /// Name of the arm.
    pub name: String,
    /// Properties that the arm declares.
    pub spec: ArmSpec,
    /// Pose of the arm's base in the world, and its motion scale.
    pub frame: ArmFrame,
    /// Source of its samples.
    pub source: Source,
    /// Radius of a sphere tool; 0 for a mesh.
    pub tool_radius_m: f64,
    /// The tool's mesh; `None` for a sphere.
    pub tool_mesh: Option<TriMesh>,
    /// Coupling keys of the configuration.
    pub coupling: CouplingKeys,
    /// How the tool follows the hand.
    pub interaction: Interaction,
    /// What the damper of the coupling acts on.
    pub damping: Damping,
    /// Button that holds what the tool touches.
    pub grasp_button: Option<u8>,
    /// Button that engages the clutch.
    pub clutch_button: Option<u8>,
    /// Delay by [`answer_delay_ns`], before anything was measured.
    pub answer_delay_ns: u64,
}

/// The arms that could be built.
#[derive(Default)]
pub(super) struct BuiltArms {
    /// The arms, in the order of the configuration.
    pub arms: Vec<SessionArm>,
    /// The tool of each arm.
    pub tools: Vec<BuiltTool>,
    /// Reports on the tools' meshes, each with the name of its owner.
    pub meshes: Vec<(String, MeshReport)>,
}

/// Builds all arms. The device and the tool of each are checked before the next arm, so that faults
/// come in the order of the configuration.
pub(super) fn build(inputs: &Inputs<'_>, faults: &mut Vec<Fault>) -> BuiltArms {
    // A simulated arm uses the same clock as the loop.
    let start_ns = if inputs.virtual_time {
        0
    } else {
        hapticd_sys::clock::now_ns()
    };
    let mut built = BuiltArms::default();
    for arm in inputs.config.arms.iter().take(MAX_ARMS) {
        match parts(arm, inputs.folder, start_ns) {
            Ok(parts) => built.add(arm, parts, inputs),
            Err(found) => faults.extend(found),
        }
    }
    built
}

/// What an arm is made of.
struct ArmParts {
    spec: ArmSpec,
    source: Source,
    tool: BuiltTool,
}

/// Builds the device and the tool of an arm, and reports the faults of both, the device's first.
fn parts(arm: &config::Arm, folder: &Path, start_ns: u64) -> Result<ArmParts, Vec<Fault>> {
    let device = source(arm, folder, start_ns).map_err(|error| device_fault(arm, error));
    // The tool is checked even if the device is wrong. Whether it turns does not matter then.
    let turns = device.as_ref().is_ok_and(|(spec, _)| spec.has_rotation);
    let tool = scene_setup::tool(arm, turns, folder)
        .map_err(|error| shape_fault(&format!("arm.{}.tool", arm.name), &arm.tool, error));
    match (device, tool) {
        (Ok((spec, source)), Ok(tool)) => Ok(ArmParts { spec, source, tool }),
        (device, tool) => Err(device.err().into_iter().chain(tool.err()).collect()),
    }
}

impl BuiltArms {
    /// Adds an arm; its index is the number of arms before it that could be built.
    fn add(&mut self, arm: &config::Arm, parts: ArmParts, inputs: &Inputs<'_>) {
        let ArmParts { spec, source, tool } = parts;
        self.arms.push(SessionArm {
            name: arm.name.clone(),
            frame: ArmFrame::new(scene_setup::pose(&arm.world_from_base), arm.motion_scale),
            source,
            tool_radius_m: tool.tool.radius_m,
            tool_mesh: tool.mesh.clone(),
            coupling: CouplingKeys::from(arm),
            interaction: interaction(&arm.interaction),
            damping: damping(&arm.interaction),
            grasp_button: button(arm.grasp_button),
            clutch_button: button(arm.clutch_button),
            answer_delay_ns: answer_delay_ns(&spec, inputs.period_ns, inputs.virtual_time),
            spec,
        });
        self.meshes.extend(
            (tool.report.clone()).map(|report| (format!("tool of arm `{}`", arm.name), report)),
        );
        self.tools.push(tool);
    }

    /// Pairs the configured arms with their declared properties; leaves out those that could not
    /// be built.
    pub(super) fn declared<'a>(
        &'a self,
        config: &'a config::Config,
    ) -> impl Iterator<Item = (&'a config::Arm, &'a ArmSpec)> {
        config.arms.iter().filter_map(|arm| {
            let built = self.arms.iter().find(|built| built.name == arm.name)?;
            Some((arm, &built.spec))
        })
    }

    /// Returns the width of the widest workspace in the world, at least 5 cm.
    pub(super) fn width_m(&self) -> f64 {
        self.arms
            .iter()
            .map(|a| 2.0 * a.frame.scale * a.spec.workspace.half_extents.max())
            .fold(0.05, f64::max)
    }
}

/// Buttons have the numbers 0 to 31.
fn button(number: Option<u32>) -> Option<u8> {
    number.and_then(|number| u8::try_from(number).ok())
}

fn interaction(interaction: &config::Interaction) -> Interaction {
    match interaction {
        config::Interaction::Spring {
            tool_mass_kg: Some(mass_kg),
            ..
        } => Interaction::SpringWithMass(*mass_kg),
        config::Interaction::Spring { .. } => Interaction::Spring,
        config::Interaction::Increments {} => Interaction::Increments,
    }
}

fn damping(interaction: &config::Interaction) -> Damping {
    match interaction {
        config::Interaction::Spring { damping, .. } => *damping,
        config::Interaction::Increments {} => Damping::default(),
    }
}

fn source(
    arm: &config::Arm,
    folder: &Path,
    start_ns: u64,
) -> Result<(ArmSpec, Source), SessionSetupError> {
    let name = || arm.name.clone();
    match &arm.device {
        config::Device::Hid {
            profile,
            serial,
            port_path,
        } => {
            let profile = load_profile(profile, &arm.name, folder)?;
            Ok((
                profile.spec.clone(),
                Source::Hid(Box::new(HidSource {
                    profile,
                    serial: serial.clone(),
                    port_path: port_path.clone(),
                })),
            ))
        }
        config::Device::Simulated {
            intention,
            mechanics,
            hand,
            ..
        } => {
            let mut params = SimArmParams::from(mechanics);
            params.spec.name = name();
            let spec = params.spec.clone();
            let wants = match intention {
                config::NameOrPath::Name(n) => intentions::named(n),
                config::NameOrPath::Path(p) => intentions::load(&folder.join(p)),
            }
            .map_err(|error| SessionSetupError::Intention {
                arm: name(),
                error: Box::new(error),
            })?;
            let setup = HeldArm::new(params, HandParams::from(hand), wants, start_ns)
                .map_err(|error| SessionSetupError::Simulated { arm: name(), error })?;
            Ok((spec, Source::Simulated(Box::new(setup))))
        }
    }
}

fn load_profile(
    profile: &config::NameOrPath,
    arm: &str,
    folder: &Path,
) -> Result<Profile, SessionSetupError> {
    let parsed = match profile {
        config::NameOrPath::Name(name) => match shipped(name) {
            Some(found) => found.parse(),
            None => {
                return Err(SessionSetupError::NoProfile {
                    arm: arm.to_owned(),
                    profile: name.clone(),
                    known: hapticd_devices::profile::SHIPPED
                        .iter()
                        .map(|s| s.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                });
            }
        },
        config::NameOrPath::Path(path) => {
            let path = folder.join(path);
            let text = hapticd_files::read_text(&path, MAX_PROFILE_BYTES).map_err(|error| {
                SessionSetupError::UnreadableProfile {
                    arm: arm.to_owned(),
                    path: path.display().to_string(),
                    error,
                }
            })?;
            Profile::parse(&path.display().to_string(), &text)
        }
    };
    parsed.map_err(|errors| SessionSetupError::Profile {
        arm: arm.to_owned(),
        errors: Box::new(errors),
    })
}

/// Returns the centre of an arm's workspace in the world.
pub fn workspace_centre(arm: &SessionArm) -> Vec3 {
    arm.frame
        .to_world(&Pose::from_parts(
            arm.spec.workspace.center.into(),
            nalgebra::UnitQuaternion::identity(),
        ))
        .translation
        .vector
}
