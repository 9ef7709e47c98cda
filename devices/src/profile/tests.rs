//! Shipped profiles, golden bytes, the message of every kind of mistake, and arbitrary text.

use proptest::prelude::*;

use super::*;
use crate::codec::ReportBuffer;
use crate::kinematics::Kinematics;

const GENERIC: &str = include_str!("../../../config/devices/generic-vendor-3dof.toml");

fn errors(text: &str) -> String {
    match Profile::parse("arm.toml", text) {
        Ok(_) => panic!("this must not be a good profile:\n{text}"),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn every_shipped_profile_is_good_and_has_a_name_of_its_own() {
    for (i, profile) in SHIPPED.iter().enumerate() {
        if let Err(errors) = profile.parse() {
            panic!("{errors}");
        }
        assert_eq!(shipped(profile.name), Some(profile));
        assert!(SHIPPED[..i].iter().all(|other| other.name != profile.name));
    }
    assert_eq!(shipped("no such arm"), None);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/devices");
    let files = std::fs::read_dir(folder).unwrap();
    let count = files
        .filter(|file| {
            file.as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|e| e == "toml")
        })
        .count();
    assert_eq!(
        count,
        SHIPPED.len(),
        "a file in config/devices is not compiled in"
    );
}

#[test]
fn the_generic_arm_is_what_its_constants_say() {
    let profile = Profile::parse("generic", GENERIC).unwrap();
    assert_eq!(
        profile.matches,
        [Match {
            vendor_id: generic::VENDOR_ID,
            product_id: Some(generic::PRODUCT_ID),
            usage_page: Some(generic::USAGE_PAGE),
            usage: Some(generic::USAGE),
            interface: None,
        }]
    );
    let layout = profile.codec.layout();
    assert_eq!(
        (layout.inputs[0].id, layout.inputs[0].bytes),
        (generic::INPUT_REPORT_ID, generic::INPUT_REPORT_BYTES)
    );
    assert_eq!(
        (layout.outputs[0].id, layout.outputs[0].bytes),
        (generic::OUTPUT_REPORT_ID, generic::OUTPUT_REPORT_BYTES)
    );
    assert!(!layout.leading_zero);
    let spec = &profile.spec;
    assert_eq!(
        (
            spec.degrees_in,
            spec.degrees_out,
            spec.has_rotation,
            spec.has_torque
        ),
        (3, 3, false, false)
    );
    assert_eq!(
        (
            spec.peak_force_n,
            spec.continuous_force_n,
            spec.max_force_slew_n_per_s
        ),
        (8.0, 3.0, 2000.0)
    );
    assert_eq!(
        (spec.native_period_ns, spec.transport_delay_ns),
        (1_000_000, 1_000_000)
    );
    assert_eq!(spec.workspace.half_extents, crate::arm::Vec3::repeat(0.08));
    assert_eq!(profile.windows, VelocityWindows::default());
}

#[test]
fn the_generic_arm_reads_and_writes_these_bytes() {
    let profile = Profile::parse("generic", GENERIC).unwrap();
    let mut state = profile.codec.initial_state();
    assert!(!state.calibrated && !state.safety_switch_closed);
    let report = [
        0x01,
        0x34,
        0x12, // counter
        0x40,
        0x42,
        0x0F,
        0x00, // 1 000 000
        0xFF,
        0xFF,
        0xFF,
        0xFF, // -1
        0x00,
        0x00,
        0x00,
        0x80,        // the smallest
        0b1100_0101, // calibrated, switch closed, buttons 0 and 2
        0x2C,
        0x01, // 30 degrees
        0x00,
        0x00,
    ];
    assert!(
        profile
            .codec
            .decode(&report, &mut state)
            .unwrap()
            .pose_complete
    );
    assert_eq!(state.axes[..3], [1.0, -1e-6, -2147.483648]);
    assert_eq!((state.counter, state.buttons), (Some(0x1234), 0b0101));
    assert!(state.calibrated && state.safety_switch_closed);
    assert_eq!(state.temperature_c, Some(30.0));

    let mut out = ReportBuffer::new();
    let efforts = [1.5, -0.001, 1e9, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(
        profile.codec.encode(0, &efforts, 0xABCDE, &mut out),
        [0x02, 0xDC, 0x05, 0xFF, 0xFF, 0xFF, 0x7F, 0xDE, 0xBC]
    );
}

#[test]
fn the_pantograph_reaches_its_whole_workspace() {
    let profile = shipped("pantograph-2dof").unwrap().parse().unwrap();
    let Model::Position(model) = &profile.model else {
        panic!()
    };
    let workspace = profile.spec.workspace;
    // Inverse kinematics by the law of cosines, elbows outwards.
    let angle = |motor: f64, x: f64, y: f64, side: f64| {
        let (dx, distance) = (x - motor, (x - motor).hypot(y));
        let cosine =
            (0.063_f64.powi(2) + distance.powi(2) - 0.075_f64.powi(2)) / (2.0 * 0.063 * distance);
        y.atan2(dx) + side * cosine.acos()
    };
    for i in 0..=10 {
        for j in 0..=10 {
            let x = workspace.center.x + workspace.half_extents.x * (f64::from(i) / 5.0 - 1.0);
            let y = workspace.center.y + workspace.half_extents.y * (f64::from(j) / 5.0 - 1.0);
            let axes = [
                angle(-0.0125, x, y, 1.0),
                angle(0.0125, x, y, -1.0),
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
            ];
            let pose = model.forward(&axes).unwrap();
            assert!((pose.translation.x - x).abs() < 1e-9 && (pose.translation.y - y).abs() < 1e-9);
            let wrench = crate::arm::Wrench {
                force_n: crate::arm::Vec3::new(2.0, 0.0, 0.0),
                ..Default::default()
            };
            let efforts = model.efforts(&axes, &wrench).unwrap();
            assert!(
                efforts[0].abs() < 0.3 && efforts[1].abs() < 0.3,
                "{efforts:?} at {x}, {y}"
            );
        }
    }
}

#[test]
fn the_serial_arm_stretches_along_x() {
    let profile = shipped("serial-6dof").unwrap().parse().unwrap();
    let Model::Position(model) = &profile.model else {
        panic!()
    };
    let pose = model.forward(&[0.0; 7]).unwrap();
    assert!(
        (pose.translation.vector - crate::arm::Vec3::new(0.3, 0.0, 0.0)).norm() < 1e-9,
        "{pose}"
    );
    assert_eq!((profile.spec.degrees_in, profile.spec.degrees_out), (6, 6));
    assert!(profile.spec.has_torque && profile.spec.has_rotation);
}

#[test]
fn a_mistake_is_reported_at_its_line() {
    // Finds the line of the first `bit_size = 16`; a line counted by hand would go stale.
    let text = GENERIC.replacen("bit_size = 16", "bit_sise = 16", 1);
    let line = 1 + text[..text.find("bit_sise").unwrap()].matches('\n').count();
    let shown = errors(&text);
    assert!(
        shown.contains(&format!(
            "arm.toml:{line}:1: unknown key `bit_sise` in [[input.field]]; did you mean `bit_size`?"
        )),
        "{shown}"
    );
    assert!(
        shown.contains("[[input.field]] needs the key `bit_size`"),
        "{shown}"
    );
    assert!(shown.contains("bit_sise = 16\n"), "{shown}");
}

/// Edits of the generic profile, and the message that each must cause.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "name = \"Generic vendor 3-DOF arm\"",
        "nam = 3",
        "unknown key `nam` in [identity]; did you mean `name`?",
    ),
    (
        "vendor_id = 0x1209",
        "vendor_id = 70000",
        "`vendor_id` must be a whole number from 0 to 65535",
    ),
    (
        "[limits]",
        "[limit]",
        "unknown key `limit` in the profile; did you mean `limits`?",
    ),
    (
        "[limits]",
        "[limit]",
        "the profile needs the section [limits]",
    ),
    (
        "unit = \"m\"",
        "unit = \"mm\"",
        "`unit` must be one of \"m\", \"rad\"",
    ),
    (
        "unit = \"m\"",
        "unit = \"rad\"",
        "axis 0 of the model is in \"m\", not in \"rad\"",
    ),
    (
        "unit = \"N\"",
        "unit = \"N*m\"",
        "the effort of axis 0 is in \"N\", not in \"N*m\"",
    ),
    (
        "index = 2",
        "index = 3",
        "axis 2 of the model is in no [[input.field]]",
    ),
    (
        "index = 2",
        "index = 3",
        "axis 3 does not exist: the model has axes 0 to 2",
    ),
    (
        "index = 2",
        "index = 1",
        "axis 1 is already read from this report",
    ),
    (
        "bit_offset = 88",
        "bit_offset = 150",
        "bits 150 to 181 lie outside a report of 20 bytes",
    ),
    (
        "bit_offset = 24",
        "bit_offset = 7",
        "bit 7 belongs to the report id",
    ),
    (
        "bit_size = 32",
        "bit_size = 33",
        "`bit_size` must be a whole number from 1 to 32",
    ),
    (
        "signed = true",
        "endian = \"big\"\nbit_ofset = 3",
        "unknown key `bit_ofset`",
    ),
    ("scale = 1e-6", "scale = inf", "`scale` must be finite"),
    ("scale = 1e-6", "scale = 0", "scale must not be zero"),
    (
        "scale = 1e-6",
        "scale = \"x\"",
        "`scale` must be a number, not a TOML string",
    ),
    (
        "scale = 1000.0",
        "scale = 10000.0",
        "this field reaches only 3.2767 N, less than the peak of 8 N in [limits]",
    ),
    (
        "report = \"state\"",
        "report = \"stat\"",
        "no report is called \"stat\"",
    ),
    (
        "id = 0x02",
        "id = 0",
        "some reports have an id and others have none",
    ),
    (
        "bit_offset = 40",
        "bit_offset = 30",
        "it shares bits with field 1 of the same report",
    ),
    (
        "translations = 3",
        "translations = 3\nrotation = \"vektor\"",
        "`rotation` must be one of \"none\", \"vector\"",
    ),
    (
        "translations = 3",
        "translations = 2\nrotation = \"vector\"",
        "a rotation needs all three translations",
    ),
    (
        "continuous_force_n = 3.0",
        "continuous_force_n = 9.0",
        "`continuous_force_n` is 9, more than the peak of 8",
    ),
    (
        "peak_force_n = 8.0",
        "peak_force_n = -8.0",
        "`peak_force_n` must be greater than 0",
    ),
    (
        "peak_force_n = 8.0",
        "",
        "[limits] needs the key `peak_force_n`",
    ),
    (
        "peak_force_n = 8.0",
        "peak_force_n = 8.0\npeak_torque_nm = 1.0",
        "an arm that measures no rotation cannot have torque",
    ),
    (
        "mass_kg = 0.15",
        "mass_kg = 0.15\ninertia_kg_m2 = 1.0",
        "`inertia_kg_m2` does not apply: the arm has no torque",
    ),
    (
        "max_velocity_m_s = 2.0",
        "max_velocity_m_s = 2.0\nmax_angular_velocity_rad_s = 1.0",
        "`max_angular_velocity_rad_s` does not apply: the arm's rotation is not measured",
    ),
    (
        "native_period_us = 1000",
        "native_period_us = 1e9",
        "`native_period_us` is longer than 10 s",
    ),
    (
        "[0.08, 0.08, 0.08]",
        "[0.08, 0.08]",
        "`workspace_half_extents_m` must be an array of 3 numbers",
    ),
    (
        "[0.08, 0.08, 0.08]",
        "[0.08, 0, 0.08]",
        "`workspace_half_extents_m` must be greater than 0",
    ),
    (
        "[0.08, 0.08, 0.08]",
        "[0.08, 2e4, 0.08]",
        "`workspace_half_extents_m` must be 10000 m at most",
    ),
    (
        "translations = 3",
        "translations = 3\nflange_from_tool = { translation_m = [0, -3e9, 0] }",
        "`translation_m` must be 10000 m at most",
    ),
    (
        "model = \"cartesian\"",
        "model = \"pantograph\"\nbase_m = 1e300",
        "`base_m` must be 10000 m at most",
    ),
    (
        "model = \"cartesian\"",
        "model = \"pantograph\"",
        "[kinematics] needs the key `base_m`",
    ),
    (
        "model = \"cartesian\"",
        "model = \"serial\"",
        "a serial arm has 1 to 7 [[kinematics.joint]], not 0",
    ),
    ("[kinematics]", "[kinematics", "unclosed table"),
    (
        "[[output.report]]",
        "[[start]]\nkind = \"output\"\nbytes = [256]\n[[output.report]]",
        "`bytes` must be a whole number from 0 to 255",
    ),
    (
        "[[output.report]]",
        "[[stop]]\nkind = \"output\"\nbytes = []\n[[output.report]]",
        "a report has at least its id",
    ),
];

#[test]
fn every_kind_of_mistake_has_its_message() {
    for (from, to, message) in MISTAKES {
        assert!(GENERIC.contains(from), "{from}");
        let shown = errors(&GENERIC.replacen(from, to, 1));
        assert!(
            shown.contains(message),
            "{from} -> {to}: wanted {message:?} in\n{shown}"
        );
    }
}

#[test]
fn all_mistakes_are_reported_in_one_run_in_the_order_of_the_file() {
    let text = GENERIC
        .replacen("vendor_id = 0x1209", "vendor_id = -1", 1)
        .replacen("bit_size = 4", "bit_size = 40", 1)
        .replacen("translations = 3", "translations = 4", 1)
        .replacen("mass_kg = 0.15", "mass = 0.15", 1);
    let errors = Profile::parse("arm.toml", &text).unwrap_err();
    assert_eq!(errors.problems.len(), 4, "{errors}");
    assert!(
        errors
            .problems
            .is_sorted_by_key(|problem| problem.span.start)
    );
}

#[test]
fn one_mistake_causes_no_second_complaint() {
    for (from, to) in [
        ("bit_size = 32", "bit_size = 99"),
        (
            "model = \"cartesian\"",
            "model = \"cartesian\"\nrotation = \"vektor\"",
        ),
        ("unit = \"N\"", "unit = \"kN\""),
        ("scale = 1e-6", "scale = true"),
    ] {
        let errors = Profile::parse("arm.toml", &GENERIC.replacen(from, to, 1)).unwrap_err();
        assert_eq!(errors.problems.len(), 1, "{errors}");
    }
}

#[test]
fn a_report_to_start_with_is_kept() {
    let text = format!(
        "{GENERIC}\n[[start]]\nkind = \"feature\"\nbytes = [0x05, 1]\n[[stop]]\nkind = \"output\"\nbytes = [2]\n"
    );
    let profile = Profile::parse("arm.toml", &text).unwrap();
    assert_eq!(
        profile.start,
        [FixedReport {
            kind: ReportKind::Feature,
            bytes: vec![5, 1]
        }]
    );
    assert_eq!(
        profile.stop,
        [FixedReport {
            kind: ReportKind::Output,
            bytes: vec![2]
        }]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A good profile with one line lost, doubled, cut or replaced never causes a panic. If it is
    /// refused, there is a message.
    #[test]
    fn a_damaged_profile_is_read_or_refused(which in 0_usize..SHIPPED.len(), line: prop::sample::Index, how in 0..5, junk in "[ -~]{0,12}") {
        let lines: Vec<&str> = SHIPPED[which].text.lines().collect();
        let at = line.index(lines.len());
        let mut damaged: Vec<String> = lines.iter().map(ToString::to_string).collect();
        match how {
            0 => { damaged.remove(at); }
            1 => damaged.insert(at, lines[at].to_owned()),
            2 => damaged.truncate(at),
            3 => damaged[at] = junk,
            _ => damaged[at].push_str(&junk),
        }
        if let Err(errors) = Profile::parse("arm.toml", &damaged.join("\n")) {
            prop_assert!(!errors.problems.is_empty());
            prop_assert!(errors.to_string().contains("arm.toml:"));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = Profile::parse("any", &text).map_err(|errors| errors.to_string());
    }
}
