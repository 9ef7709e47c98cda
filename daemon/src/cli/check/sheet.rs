//! The data sheet of a configuration: the arms and the scene as a technician would note them.

use std::fmt;

use hapticd_config as config;
use hapticd_devices::safety::Limits;
use serde::Serialize;

use super::warnings::{tool_size_m, workspace_size_m};
use crate::session_setup::{SessionArm, SessionSetup};

/// The whole sheet.
#[derive(Debug, Serialize)]
pub(super) struct Sheet {
    arms: Vec<ArmSheet>,
    bodies: Counts,
}

/// Counts of bodies and triangles.
#[derive(Debug, Serialize)]
struct Counts {
    /// Number of rigid bodies: static, kinematic and dynamic.
    rigid: usize,
    /// Number of their triangles.
    rigid_triangles: usize,
    /// Number of soft bodies, sheets of cloth and members of crowds.
    deformable: usize,
    /// Number of points of their surfaces.
    deformable_points: usize,
    /// Number of triangles of their surfaces.
    deformable_triangles: usize,
    implicit: usize,
    /// Number of bodies that only needles meet.
    tissue: usize,
}

#[derive(Debug, Serialize)]
struct ArmSheet {
    name: String,
    /// `simulated`, or the name or file of the profile.
    device: String,
    model: String,
    degrees_in: u8,
    degrees_out: u8,
    turns: bool,
    has_torque: bool,
    report_period_ms: f64,
    /// Edges of the workspace in the world, along the arm's own axes, m.
    workspace_m: [f64; 3],
    motion_scale: f64,
    /// Edges of the box around the tool, m.
    tool_m: [f64; 3],
    /// Number of triangles; `None` for a sphere.
    tool_triangles: Option<usize>,
    /// The strictest limits of profile and configuration.
    limits: LimitsSheet,
}

#[derive(Debug, Serialize)]
struct LimitsSheet {
    peak_force_n: f64,
    continuous_force_n: f64,
    peak_torque_nm: f64,
    continuous_torque_nm: f64,
    slew_n_per_ms: f64,
    velocity_limit_m_s: f64,
    stale_input_ms: f64,
}

impl Sheet {
    pub(super) fn new(setup: &SessionSetup, config: &config::Config) -> Self {
        let infos = setup.collider.infos();
        let deformable = setup.deformable.as_ref();
        let deformable = deformable.map_or(Vec::new(), |scene| scene.infos());
        let of_kind = |kind| config.bodies.iter().filter(|b| b.kind == kind).count();
        let configured = Limits::from(&config.safety);
        Sheet {
            arms: (setup.arms.iter().zip(&config.arms))
                .map(|(arm, written)| ArmSheet::new(arm, written, &configured))
                .collect(),
            bodies: Counts {
                rigid: infos.len(),
                rigid_triangles: infos.iter().map(|info| info.triangles).sum(),
                deformable: deformable.len(),
                deformable_points: deformable.iter().map(|info| info.points).sum(),
                deformable_triangles: deformable.iter().map(|info| info.triangles.len()).sum(),
                implicit: of_kind(config::BodyKind::Implicit),
                tissue: of_kind(config::BodyKind::Tissue),
            },
        }
    }
}

impl ArmSheet {
    fn new(arm: &SessionArm, written: &config::Arm, configured: &Limits) -> Self {
        let spec = &arm.spec;
        let limits = configured.tightened_by_arm(spec);
        ArmSheet {
            name: arm.name.clone(),
            device: match &written.device {
                config::Device::Simulated { .. } => "simulated".to_owned(),
                config::Device::Hid { profile, .. } => match profile {
                    config::NameOrPath::Name(name) => name.clone(),
                    config::NameOrPath::Path(path) => path.display().to_string(),
                },
            },
            model: spec.name.clone(),
            degrees_in: spec.degrees_in,
            degrees_out: spec.degrees_out,
            turns: spec.has_rotation,
            has_torque: spec.has_torque,
            report_period_ms: spec.native_period_ns as f64 * 1e-6,
            workspace_m: workspace_size_m(arm).into(),
            motion_scale: arm.frame.scale,
            tool_m: tool_size_m(arm).into(),
            tool_triangles: arm.tool_mesh.as_ref().map(|mesh| mesh.triangles().len()),
            limits: LimitsSheet {
                peak_force_n: limits.peak_force_n,
                continuous_force_n: limits.continuous_force_n,
                peak_torque_nm: limits.peak_torque_nm,
                continuous_torque_nm: limits.continuous_torque_nm,
                slew_n_per_ms: limits.slew_n_per_s * 1e-3,
                velocity_limit_m_s: limits.velocity_limit_m_s,
                stale_input_ms: limits.stale_input_ns as f64 * 1e-6,
            },
        }
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for arm in &self.arms {
            writeln!(f, "{arm}")?;
        }
        let all = &self.bodies;
        write!(
            f,
            "  bodies: {} rigid, {} triangles",
            all.rigid, all.rigid_triangles
        )?;
        if all.deformable > 0 {
            write!(
                f,
                "; {} deformable, {} points, {} triangles",
                all.deformable, all.deformable_points, all.deformable_triangles
            )?;
        }
        if all.implicit > 0 {
            write!(f, "; {} implicit", all.implicit)?;
        }
        if all.tissue > 0 {
            write!(f, "; {} of tissue", all.tissue)?;
        }
        Ok(())
    }
}

impl fmt::Display for ArmSheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let box_m = |size: [f64; 3]| format!("{:.4} x {:.4} x {:.4} m", size[0], size[1], size[2]);
        writeln!(
            f,
            "  arm `{}`: {}, {} axes, {} motors{}, a report every {:.2} ms",
            self.name,
            self.device,
            self.degrees_in,
            self.degrees_out,
            if self.has_torque { ", torque" } else { "" },
            self.report_period_ms
        )?;
        writeln!(f, "    workspace {}", box_m(self.workspace_m))?;
        match self.tool_triangles {
            None => writeln!(
                f,
                "    tool: a sphere, radius {:.4} m",
                0.5 * self.tool_m[0]
            )?,
            Some(triangles) => {
                writeln!(f, "    tool {}, {triangles} triangles", box_m(self.tool_m))?;
            }
        }
        let limits = &self.limits;
        write!(
            f,
            "    limits: {} N, {} N held, {} N/ms",
            limits.peak_force_n, limits.continuous_force_n, limits.slew_n_per_ms
        )?;
        if self.has_torque {
            write!(
                f,
                ", {} N m, {} N m held",
                limits.peak_torque_nm, limits.continuous_torque_nm
            )?;
        }
        write!(f, ", {} m/s", limits.velocity_limit_m_s)
    }
}
