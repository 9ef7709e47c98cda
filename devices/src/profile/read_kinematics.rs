//! Reads the `[kinematics]` section.

use std::f64::consts::TAU;
use std::sync::Arc;

use nalgebra::{Translation3, UnitQuaternion};

use super::Model;
use super::section::{Allow, Section};
use crate::arm::{MAX_AXES, Pose};
use crate::kinematics::{
    AxisUnit, Cartesian, Delta, Joint, JointKind, Kinematics, Mounted, Pantograph, Rate, Rotation,
    Serial,
};

/// A model, with the axes that reports must give and the efforts that they may carry.
pub(super) struct Geometry {
    pub(super) model: Model,
    /// Unit in which each axis must be written; one entry per axis that the model needs.
    pub(super) axis_units: Vec<&'static str>,
    /// Unit of the effort of each axis that can have one.
    pub(super) effort_units: Vec<AxisUnit>,
    pub(super) has_rotation: bool,
    /// The efforts are force and torque themselves, not mixed.
    pub(super) efforts_are_the_wrench: bool,
}

#[derive(Copy, Clone, PartialEq)]
enum Name {
    Cartesian,
    Serial,
    Pantograph,
    Delta,
    Rate,
}

/// Reads the section; returns `None` if it is unusable, which is then reported.
pub(super) fn geometry(section: &Section<'_>) -> Option<Geometry> {
    let name = section.choice(
        "model",
        &[
            ("cartesian", Name::Cartesian),
            ("serial", Name::Serial),
            ("pantograph", Name::Pantograph),
            ("delta", Name::Delta),
            ("rate", Name::Rate),
        ],
    );
    if !section.has("model") {
        return None;
    }
    let mechanism: Box<dyn Kinematics> = match name {
        Name::Cartesian => Box::new(cartesian(section)?),
        Name::Serial => Box::new(serial(section)?),
        Name::Pantograph => Box::new(pantograph(section)),
        Name::Delta => Box::new(delta(section)),
        Name::Rate => return Some(rate(section)),
    };
    let efforts_are_the_wrench = name == Name::Cartesian && !section.has("base_from_mechanism");
    let axis_units = mechanism.axes().iter().map(|unit| match unit {
        AxisUnit::Metre => "m",
        AxisUnit::Radian => "rad",
        AxisUnit::Number => "1",
    });
    let axis_units = axis_units.collect();
    let effort_units = mechanism.effort_units().to_vec();
    let has_rotation = mechanism.has_rotation();
    let placed = Mounted::new(
        mechanism,
        pose(section, "base_from_mechanism"),
        pose(section, "flange_from_tool"),
    );
    Some(Geometry {
        model: Model::Position(Arc::new(placed)),
        axis_units,
        effort_units,
        has_rotation,
        efforts_are_the_wrench,
    })
}

fn pose(section: &Section<'_>, key: &'static str) -> Pose {
    if !section.has(key) {
        return Pose::identity();
    }
    let table = section.table(key, false);
    let translation = table.lengths("translation_m", Some([0.0; 3]), Allow::Any);
    let [roll, pitch, yaw] = table.numbers("roll_pitch_yaw_rad", Some([0.0; 3]), Allow::Any);
    table.close();
    Pose::from_parts(
        Translation3::from(translation),
        UnitQuaternion::from_euler_angles(roll, pitch, yaw),
    )
}

fn cartesian(section: &Section<'_>) -> Option<Cartesian> {
    let translations = section.integer("translations", 1..=3) as usize;
    let rotations = [
        ("none", Rotation::None),
        ("vector", Rotation::Vector),
        ("roll_pitch_yaw", Rotation::RollPitchYaw),
        ("quaternion", Rotation::Quaternion),
    ];
    let rotation = section.choice_or("rotation", &rotations, Rotation::None);
    let model = Cartesian::new(translations, rotation);
    if model.is_none() {
        section.add_problem("rotation", "a rotation needs all three translations");
    }
    model
}

fn serial(section: &Section<'_>) -> Option<Serial> {
    let rotation = section.boolean_or("rotation", true);
    let joint = |joint: Section<'_>| {
        let kinds = [
            ("revolute", JointKind::Revolute),
            ("prismatic", JointKind::Prismatic),
        ];
        let read = Joint {
            kind: joint.choice("kind", &kinds),
            a_m: joint.length("a_m", Allow::Any),
            alpha_rad: joint.number("alpha_rad", Allow::Any),
            d_m: joint.length("d_m", Allow::Any),
            theta_rad: joint.number("theta_rad", Allow::Any),
        };
        joint.close();
        read
    };
    let joints: Vec<Joint> = section.tables("joint").into_iter().map(joint).collect();
    let count = joints.len();
    let rows = section.rows("coupling", count, count);
    let coupling = (!rows.is_empty()).then(|| {
        let mut matrix = [[0.0; MAX_AXES]; MAX_AXES];
        for (to, from) in matrix.iter_mut().zip(&rows) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
        matrix
    });
    let model = Serial::new(joints, coupling, rotation);
    if model.is_none() {
        section.add_problem(
            "joint",
            format!("a serial arm has 1 to {MAX_AXES} [[kinematics.joint]], not {count}"),
        );
    }
    model
}

fn pantograph(section: &Section<'_>) -> Pantograph {
    Pantograph {
        base_m: section.length("base_m", Allow::NotNegative),
        left_inner_m: section.length("left_inner_m", Allow::Positive),
        left_outer_m: section.length("left_outer_m", Allow::Positive),
        right_inner_m: section.length("right_inner_m", Allow::Positive),
        right_outer_m: section.length("right_outer_m", Allow::Positive),
    }
}

fn delta(section: &Section<'_>) -> Delta {
    let third = TAU / 3.0;
    let azimuths_rad = section.numbers("azimuths_rad", Some([0.0, third, 2.0 * third]), Allow::Any);
    let [a, b, c] = azimuths_rad;
    if !(a < b && b < c && c < a + TAU) {
        section.add_problem("azimuths_rad", "the azimuths must increase within one turn");
    }
    Delta {
        base_radius_m: section.length("base_radius_m", Allow::NotNegative),
        platform_radius_m: section.length("platform_radius_m", Allow::NotNegative),
        upper_arm_m: section.length("upper_arm_m", Allow::Positive),
        forearm_m: section.length("forearm_m", Allow::Positive),
        azimuths_rad,
    }
}

fn rate(section: &Section<'_>) -> Geometry {
    let max_step_ms = section.number_or("max_step_ms", 50.0, Allow::Positive);
    if max_step_ms > 1000.0 {
        section.add_problem("max_step_ms", "`max_step_ms` is longer than 1 s");
    }
    Geometry {
        model: Model::Rate(Rate {
            dead_band_m_s: section.number_or("dead_band_m_s", 0.0, Allow::NotNegative),
            dead_band_rad_s: section.number_or("dead_band_rad_s", 0.0, Allow::NotNegative),
            max_step_ns: (max_step_ms.min(1000.0) * 1e6) as u64,
        }),
        axis_units: vec!["m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"],
        effort_units: Vec::new(),
        has_rotation: true,
        efforts_are_the_wrench: false,
    }
}
