//! Golden bytes, round trips over random layouts, and arbitrary bytes.

use proptest::prelude::*;

use super::*;

fn bits(bit_offset: u32, bits: u32, signed: bool) -> BitField {
    BitField::new(bit_offset, bits, signed, Endian::Little).unwrap()
}

fn input(kind: InputKind, field: BitField, scale: f64) -> InputField {
    InputField {
        kind,
        field,
        scale,
        offset: 0.0,
    }
}

fn effort(axis: u8, field: BitField, scale: f64) -> OutputField {
    let (min, max) = (field.min(), field.max());
    OutputField {
        kind: OutputKind::Effort(axis),
        field,
        scale,
        offset: 0.0,
        min,
        max,
    }
}

/// Translation in report 1, rotation in report 2, or all six axes in a long report 1; buttons in
/// report 3.
fn space_mouse() -> Layout {
    let axes = |first: u8, count: u32, bit: u32| {
        (0..count).map(move |i| {
            input(
                InputKind::Axis(first + i as u8),
                bits(bit + 16 * i, 16, true),
                1.0,
            )
        })
    };
    let report = |id, bytes, pose, fields: Vec<InputField>| InputReport {
        id,
        bytes,
        pose,
        fields,
    };
    Layout {
        inputs: vec![
            report(1, 7, PoseRole::Part, axes(0, 3, 8).collect()),
            report(2, 7, PoseRole::Part, axes(3, 3, 8).collect()),
            report(1, 13, PoseRole::Whole, axes(0, 6, 8).collect()),
            report(
                3,
                2,
                PoseRole::Nothing,
                vec![input(
                    InputKind::Buttons { first: 0 },
                    bits(8, 8, false),
                    1.0,
                )],
            ),
        ],
        ignored: vec![23],
        ..Layout::default()
    }
}

#[test]
fn a_pose_of_two_reports_is_seen_whole_or_not_at_all() {
    let codec = Codec::new(space_mouse()).unwrap();
    let mut state = codec.initial_state();
    let translation = |x: i16| {
        let [a, b] = x.to_le_bytes();
        [1, a, b, 0, 0, 0, 0]
    };
    let rotation = |x: i16| {
        let [a, b] = x.to_le_bytes();
        [2, a, b, 0, 0, 0, 0]
    };

    assert!(
        !codec
            .decode(&translation(10), &mut state)
            .unwrap()
            .pose_complete
    );
    assert_eq!(state.axes, [0.0; 7]);
    // A repeated half (the other was lost) replaces the first half.
    assert!(
        !codec
            .decode(&translation(11), &mut state)
            .unwrap()
            .pose_complete
    );
    assert!(
        codec
            .decode(&rotation(-5), &mut state)
            .unwrap()
            .pose_complete
    );
    assert_eq!(state.axes, [11.0, 0.0, 0.0, -5.0, 0.0, 0.0, 0.0]);
    // The next half must not be visible before its partner, in whichever order they come.
    assert!(
        !codec
            .decode(&rotation(7), &mut state)
            .unwrap()
            .pose_complete
    );
    assert_eq!(state.axes[3], -5.0);
    assert!(
        codec
            .decode(&translation(12), &mut state)
            .unwrap()
            .pose_complete
    );
    assert_eq!((state.axes[0], state.axes[3]), (12.0, 7.0));
}

#[test]
fn the_longest_form_of_a_report_that_fits_applies() {
    let codec = Codec::new(space_mouse()).unwrap();
    let mut state = codec.initial_state();
    let mut report = [0_u8; 13];
    report[0] = 1;
    report[7] = 9;
    let decoded = codec.decode(&report, &mut state).unwrap();
    assert_eq!(
        decoded,
        Decoded {
            report: Some(2),
            pose_complete: true
        }
    );
    assert_eq!(state.axes[3], 9.0);
}

#[test]
fn reports_that_are_short_unknown_or_ignored_leave_the_state_alone() {
    let codec = Codec::new(space_mouse()).unwrap();
    let mut state = codec.initial_state();
    let before = state;
    assert_eq!(codec.decode(&[], &mut state), Err(DecodeError::Empty));
    assert_eq!(
        codec.decode(&[9, 0], &mut state),
        Err(DecodeError::UnknownReport { id: 9 })
    );
    assert_eq!(
        codec.decode(&[1, 2, 3], &mut state),
        Err(DecodeError::Short {
            id: 1,
            actual: 3,
            expected: 7
        })
    );
    assert_eq!(
        codec.decode(&[23, 1, 1], &mut state),
        Ok(Decoded {
            report: None,
            pose_complete: false
        })
    );
    assert_eq!(state, before);
}

#[test]
fn status_that_no_report_carries_counts_as_good() {
    let mut layout = Layout {
        inputs: vec![InputReport {
            id: 0,
            bytes: 3,
            pose: PoseRole::Whole,
            fields: vec![input(InputKind::Axis(0), bits(0, 16, true), 1.0)],
        }],
        ..Layout::default()
    };
    let silent = Codec::new(layout.clone()).unwrap().initial_state();
    assert!(silent.calibrated && silent.safety_switch_closed);

    layout.inputs[0].fields.extend([
        input(
            InputKind::Calibrated { invert: false },
            bits(16, 1, false),
            1.0,
        ),
        input(
            InputKind::SafetySwitch { invert: true },
            bits(17, 1, false),
            1.0,
        ),
        input(InputKind::Buttons { first: 4 }, bits(18, 3, false), 1.0),
    ]);
    let codec = Codec::new(layout).unwrap();
    let mut state = codec.initial_state();
    assert!(!state.calibrated && !state.safety_switch_closed);
    codec.decode(&[0, 0, 0b0001_0101], &mut state).unwrap();
    assert!(state.calibrated && state.safety_switch_closed);
    assert_eq!(state.buttons, 0b101 << 4);
    codec.decode(&[0, 0, 0b0000_0010], &mut state).unwrap();
    assert!(!state.calibrated && !state.safety_switch_closed);
    assert_eq!(state.buttons, 0);
}

#[test]
fn a_command_is_these_bytes() {
    let layout = Layout {
        outputs: vec![OutputReport {
            id: 0,
            bytes: 8,
            fill: 0xEE,
            fields: vec![
                effort(0, bits(0, 16, true), 1000.0),
                // An unsigned converter: 0x8000 is zero force, and the direction is reversed.
                OutputField {
                    offset: 32768.0,
                    ..effort(1, bits(16, 16, false), -100.0)
                },
                OutputField {
                    kind: OutputKind::Sequence,
                    ..effort(0, bits(32, 8, false), 1.0)
                },
                OutputField {
                    kind: OutputKind::Constant(-2),
                    ..effort(0, bits(40, 16, true), 1.0)
                },
            ],
        }],
        leading_zero: true,
        ..one_axis()
    };
    let codec = Codec::new(layout).unwrap();
    let mut out = ReportBuffer::new();
    let mut bytes = |efforts: Axes| codec.encode(0, &efforts, 0x1_02, &mut out).to_vec();
    assert_eq!(
        bytes([1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        [0, 0xE8, 0x03, 0x38, 0x7F, 0x02, 0xFE, 0xFF, 0xEE]
    );
    assert_eq!(
        bytes([-1e9, -1e9, 0.0, 0.0, 0.0, 0.0, 0.0]),
        [0, 0x00, 0x80, 0xFF, 0xFF, 0x02, 0xFE, 0xFF, 0xEE]
    );
    assert_eq!(
        bytes([f64::NAN, f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0]),
        [0, 0, 0, 0, 0x80, 0x02, 0xFE, 0xFF, 0xEE]
    );
    assert!(codec.encode(1, &[0.0; 7], 0, &mut out).is_empty());
}

fn one_axis() -> Layout {
    Layout {
        inputs: vec![InputReport {
            id: 0,
            bytes: 2,
            pose: PoseRole::Whole,
            fields: vec![input(InputKind::Axis(0), bits(0, 16, true), 1.0)],
        }],
        ..Layout::default()
    }
}

#[test]
fn every_mistake_of_a_layout_is_found_and_placed() {
    let mut layout = space_mouse();
    layout.inputs[0].fields[0].scale = 0.0;
    layout.inputs[0].fields[1].scale = f64::NAN;
    layout.inputs[1].fields[2].field = bits(48, 16, true);
    layout.inputs[1].fields[0].field = bits(4, 16, true);
    layout.inputs[1].fields[1].kind = InputKind::Axis(7);
    layout.inputs[2].fields[1].kind = InputKind::Axis(0);
    layout.inputs[3].id = 0;
    layout.inputs[3].fields[0].kind = InputKind::Buttons { first: 25 };
    layout.ignored.push(2);
    layout.outputs.push(OutputReport {
        id: 4,
        bytes: 5000,
        fill: 0,
        fields: vec![
            effort(0, bits(8, 16, true), 1.0),
            effort(1, bits(16, 16, true), 1.0),
            OutputField {
                min: -70_000,
                ..effort(2, bits(32, 16, true), 1.0)
            },
            OutputField {
                offset: 0.5,
                ..effort(2, bits(48, 16, true), 1.0)
            },
            OutputField {
                min: 10,
                ..effort(2, bits(64, 16, true), 1.0)
            },
            OutputField {
                kind: OutputKind::Constant(300),
                ..effort(2, bits(80, 8, false), 1.0)
            },
        ],
    });
    let found = Codec::new(layout).unwrap_err();
    let has = |place: Place, test: fn(&LayoutError) -> bool| {
        found.iter().any(|(p, e)| *p == place && test(e))
    };
    assert!(has(Place::Layout, |e| *e == LayoutError::MixedIds));
    assert!(has(Place::InputField(0, 0), |e| *e == LayoutError::ZeroScale));
    assert!(has(Place::InputField(0, 1), |e| matches!(
        e,
        LayoutError::Factor { what: "scale", .. }
    )));
    assert!(has(Place::InputField(1, 2), |e| *e
        == LayoutError::OutsideReport {
            first: 48,
            last: 63,
            bytes: 7
        }));
    assert!(has(Place::InputField(1, 0), |e| *e
        == LayoutError::OnReportId { first: 4 }));
    assert!(has(Place::InputField(1, 1), |e| *e
        == LayoutError::Axis { axis: 7 }));
    assert!(has(Place::InputField(2, 1), |e| *e
        == LayoutError::AxisTwice { axis: 0 }));
    assert!(has(Place::InputField(3, 0), |e| *e
        == LayoutError::Buttons {
            first: 25,
            last: 32
        }));
    assert!(has(Place::Input(1), |e| *e
        == LayoutError::IgnoredReport { id: 2 }));
    assert!(has(Place::Output(0), |e| *e
        == LayoutError::ReportLength {
            bytes: 5000,
            least: 2
        }));
    assert!(has(Place::OutputField(0, 1), |e| *e
        == LayoutError::Overlap { other: 0 }));
    assert!(has(Place::OutputField(0, 2), |e| matches!(
        e,
        LayoutError::Range { min: -70_000, .. }
    )));
    assert!(has(Place::OutputField(0, 3), |e| matches!(
        e,
        LayoutError::ZeroForce { .. }
    )));
    assert!(has(Place::OutputField(0, 4), |e| matches!(
        e,
        LayoutError::ZeroForce { .. }
    )));
    assert!(has(Place::OutputField(0, 5), |e| matches!(
        e,
        LayoutError::Range { min: 300, .. }
    )));

    let empty = Codec::new(Layout::default()).unwrap_err();
    assert_eq!(empty, [(Place::Layout, LayoutError::NoInput)]);
}

/// Fields one after the other with gaps, each an axis with a random width, scale, sign and byte
/// order.
fn random_fields() -> impl Strategy<Value = Vec<(BitField, f64, f64)>> {
    let one = (
        0_u32..10,
        1_u32..=32,
        any::<bool>(),
        any::<bool>(),
        0.01_f64..100.0,
        -50_i32..50,
    );
    prop::collection::vec(one, 1..=MAX_AXES).prop_map(|fields| {
        let mut at = 8;
        let place = |(gap, width, signed, big, scale, offset): (u32, u32, bool, bool, f64, i32)| {
            at += gap;
            let (width, endian) = if big {
                (width.div_ceil(8) * 8, Endian::Big)
            } else {
                (width, Endian::Little)
            };
            if big {
                at = at.next_multiple_of(8);
            }
            let field = BitField::new(at, width, signed, endian).unwrap();
            at += width;
            let offset = i64::from(offset).clamp(field.min(), field.max());
            (field, scale, offset as f64)
        };
        fields.into_iter().map(place).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What is encoded and read back through the mirrored layout is the same, to half a count or
    /// saturated.
    #[test]
    fn efforts_survive_the_wire(fields in random_fields(), id in 1_u8.., efforts in prop::array::uniform7(-1e4_f64..1e4), sequence: u64) {
        let bytes = fields.iter().map(|(field, ..)| field.bytes_needed()).max().unwrap();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (axis, (field, scale, offset)) in fields.iter().enumerate() {
            outputs.push(OutputField { offset: *offset, ..effort(axis as u8, *field, *scale) });
            inputs.push(InputField { offset: -offset / scale, ..input(InputKind::Axis(axis as u8), *field, 1.0 / scale) });
        }
        let codec = Codec::new(Layout {
            inputs: vec![InputReport { id, bytes, pose: PoseRole::Whole, fields: inputs }],
            outputs: vec![OutputReport { id, bytes, fill: 0x55, fields: outputs }],
            ..Layout::default()
        }).unwrap();
        prop_assert_eq!(codec.axes_in(), codec.axes_out());

        let mut out = ReportBuffer::new();
        let mut state = codec.initial_state();
        let report = codec.encode(0, &efforts, sequence, &mut out);
        prop_assert_eq!(report.len(), bytes);
        prop_assert!(codec.decode(report, &mut state).unwrap().pose_complete);
        for (axis, (field, scale, offset)) in fields.iter().enumerate() {
            let (low, high) = ((field.min() as f64 - offset) / scale, (field.max() as f64 - offset) / scale);
            let meant = efforts[axis].clamp(low, high);
            prop_assert!((state.axes[axis] - meant).abs() <= 0.5001 / scale, "axis {axis}: {} is not {meant}", state.axes[axis]);
        }
    }

    #[test]
    fn no_bytes_make_it_panic_or_give_a_number_that_is_not_finite(
        fields in random_fields(), numbered: bool, reports in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..48), 0..8),
    ) {
        let bytes = fields.iter().map(|(field, ..)| field.bytes_needed()).max().unwrap();
        let kinds = [
            InputKind::Axis(0), InputKind::Buttons { first: 0 }, InputKind::Counter, InputKind::Temperature,
            InputKind::Calibrated { invert: true }, InputKind::SafetySwitch { invert: false }, InputKind::Axis(6),
        ];
        let fields = fields.iter().zip(kinds).map(|((field, scale, offset), kind)| {
            InputField { kind, field: *field, scale: *scale * 1e9, offset: *offset }
        }).collect();
        let id = u8::from(numbered);
        let layout = Layout { inputs: vec![InputReport { id, bytes, pose: PoseRole::Whole, fields }], ..Layout::default() };
        let codec = Codec::new(layout).unwrap();
        let mut state = codec.initial_state();
        for report in &reports {
            let before = state;
            match codec.decode(report, &mut state) {
                Ok(_) => prop_assert!(report.len() >= bytes && (!numbered || report[0] == 1)),
                Err(_) => prop_assert_eq!(before, state),
            }
            prop_assert!(state.axes.iter().all(|x| x.is_finite()));
        }
    }
}
