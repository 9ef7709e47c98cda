//! Reads the `[input]` and `[output]` sections: resolves names to indices, and reports the codec's
//! checks at their lines.

use std::ops::Range;

use super::read_kinematics::Geometry;
use super::section::{Allow, Problems, Section};
use crate::arm::MAX_AXES;
use crate::codec::{
    BitField, Codec, Endian, InputField, InputKind, InputReport, Layout, MAX_REPORT_BYTES,
    OutputField, OutputKind, OutputReport, Place, PoseRole,
};
use crate::kinematics::AxisUnit;

/// A layout with the place of everything in it.
pub(super) struct Reports {
    layout: Layout,
    inputs: Vec<ReportSpans>,
    outputs: Vec<ReportSpans>,
    whole: Range<usize>,
}

/// Spans of a report and its fields, and the units in which its fields are written.
struct ReportSpans {
    span: Range<usize>,
    fields: Vec<(Range<usize>, &'static str)>,
}

impl Reports {
    pub(super) fn output_span(&self, report: usize, field: usize) -> Range<usize> {
        self.span(Place::OutputField(report, field))
    }

    fn span(&self, place: Place) -> Range<usize> {
        let of = |reports: &[ReportSpans], report: usize, field: Option<usize>| {
            let placed = reports.get(report)?;
            match field {
                Some(field) => placed.fields.get(field).map(|(span, _)| span.clone()),
                None => Some(placed.span.clone()),
            }
        };
        match place {
            Place::Layout => None,
            Place::Input(report) => of(&self.inputs, report, None),
            Place::InputField(report, field) => of(&self.inputs, report, Some(field)),
            Place::Output(report) => of(&self.outputs, report, None),
            Place::OutputField(report, field) => of(&self.outputs, report, Some(field)),
        }
        .unwrap_or_else(|| self.whole.clone())
    }
}

/// Reads both sections; returns `None` if something in them was wrong, which is then reported.
pub(super) fn reports(
    root: &Section<'_>,
    quirks: &Section<'_>,
    problems: &Problems,
) -> Option<Reports> {
    let before = problems.count();
    let (input, output) = (root.table("input", true), root.table("output", false));
    let mut reports = Reports {
        layout: Layout {
            ignored: input.bytes("ignored_report_ids", false),
            ..Layout::default()
        },
        inputs: Vec::new(),
        outputs: Vec::new(),
        whole: input.span.clone(),
    };
    let (mut input_names, mut output_names) = (Vec::new(), Vec::new());
    let mut roles = Vec::new();
    for section in input.tables("report") {
        let (id, bytes) = head(&section, &mut input_names, &mut reports.inputs);
        let choices = [
            ("whole", PoseRole::Whole),
            ("part", PoseRole::Part),
            ("none", PoseRole::Nothing),
        ];
        roles.push(section.has("pose"));
        let pose = section.choice_or("pose", &choices, PoseRole::Nothing);
        reports.layout.inputs.push(InputReport {
            id,
            bytes,
            pose,
            fields: Vec::new(),
        });
        section.close();
    }
    for section in output.tables("report") {
        let (id, bytes) = head(&section, &mut output_names, &mut reports.outputs);
        let fill = section.optional_integer("fill", 0..=255).unwrap_or(0) as u8;
        reports.layout.outputs.push(OutputReport {
            id,
            bytes,
            fill,
            fields: Vec::new(),
        });
        section.close();
    }
    for section in input.tables("field") {
        let report = find(&section, &input_names);
        let (field, unit) = input_field(&section);
        if let (Some(report), Some(field)) = (report, field) {
            reports.inputs[report]
                .fields
                .push((section.span.clone(), unit));
            reports.layout.inputs[report].fields.push(field);
        }
        section.close();
    }
    for section in output.tables("field") {
        let report = find(&section, &output_names);
        let (field, unit) = output_field(&section);
        if let (Some(report), Some(field)) = (report, field) {
            reports.outputs[report]
                .fields
                .push((section.span.clone(), unit));
            reports.layout.outputs[report].fields.push(field);
        }
        section.close();
    }
    // A report with axes holds a whole pose unless the profile says otherwise.
    for (report, told) in reports.layout.inputs.iter_mut().zip(roles) {
        if !told
            && report
                .fields
                .iter()
                .any(|field| matches!(field.kind, InputKind::Axis(_)))
        {
            report.pose = PoseRole::Whole;
        }
    }
    let unnumbered = reports.layout.inputs.iter().all(|report| report.id == 0);
    reports.layout.leading_zero = quirks.boolean_or("leading_zero_on_write", unnumbered);
    input.close();
    output.close();
    (problems.count() == before).then_some(reports)
}

/// Makes the codec, or reports the mistakes of the layout.
pub(super) fn codec(reports: &Reports, problems: &Problems) -> Option<Codec> {
    match Codec::new(reports.layout.clone()) {
        Ok(codec) => Some(codec),
        Err(mistakes) => {
            for (place, mistake) in mistakes {
                problems.add(reports.span(place), mistake.to_string());
            }
            None
        }
    }
}

fn head<'a>(
    section: &Section<'a>,
    names: &mut Vec<&'a str>,
    placed: &mut Vec<ReportSpans>,
) -> (u8, usize) {
    let name = section.text("name");
    if names.contains(&name) {
        section.add_problem(
            "name",
            format!("another report is already called \"{name}\""),
        );
    }
    names.push(name);
    placed.push(ReportSpans {
        span: section.span.clone(),
        fields: Vec::new(),
    });
    let id = section.integer("id", 0..=255) as u8;
    (
        id,
        section.integer("bytes", 1..=MAX_REPORT_BYTES as i64) as usize,
    )
}

fn find(section: &Section<'_>, names: &[&str]) -> Option<usize> {
    let name = section.text("report");
    let found = names.iter().position(|known| *known == name);
    if found.is_none() && section.has("report") {
        section.add_problem("report", format!("no report is called \"{name}\""));
    }
    found
}

fn bit_field(section: &Section<'_>) -> Option<BitField> {
    let offset = section.integer("bit_offset", 0..=MAX_REPORT_BYTES as i64 * 8 - 1) as u32;
    let size = section.integer("bit_size", 1..=32) as u32;
    let signed = section.boolean_or("signed", false);
    let endian = section.choice_or(
        "endian",
        &[("little", Endian::Little), ("big", Endian::Big)],
        Endian::Little,
    );
    match BitField::new(offset, size, signed, endian) {
        Ok(field) => Some(field),
        Err(error) => {
            section.add_problem("endian", error.to_string());
            None
        }
    }
}

#[derive(Copy, Clone, PartialEq)]
enum Input {
    Axis,
    Buttons,
    Calibrated,
    SafetySwitch,
    Counter,
    Temperature,
}

/// Reads an input field, and the unit that it is written in, if it has one.
fn input_field(section: &Section<'_>) -> (Option<InputField>, &'static str) {
    let what = section.choice(
        "what",
        &[
            ("axis", Input::Axis),
            ("buttons", Input::Buttons),
            ("calibrated", Input::Calibrated),
            ("safety_switch", Input::SafetySwitch),
            ("counter", Input::Counter),
            ("temperature", Input::Temperature),
        ],
    );
    let field = bit_field(section);
    let (mut scale, mut offset, mut unit) = (1.0, 0.0, "");
    let kind = match what {
        Input::Axis => {
            let units = ["m", "rad", "1", "m/s", "rad/s"].map(|unit| (unit, unit));
            unit = section.choice("unit", &units);
            scale = section.number("scale", Allow::Any);
            offset = section.number_or("offset", 0.0, Allow::Any);
            InputKind::Axis(section.integer("index", 0..=MAX_AXES as i64 - 1) as u8)
        }
        Input::Buttons => InputKind::Buttons {
            first: section.optional_integer("index", 0..=31).unwrap_or(0) as u8,
        },
        Input::Calibrated => InputKind::Calibrated {
            invert: section.boolean_or("invert", false),
        },
        Input::SafetySwitch => InputKind::SafetySwitch {
            invert: section.boolean_or("invert", false),
        },
        Input::Counter => InputKind::Counter,
        Input::Temperature => {
            scale = section.number("scale", Allow::Any);
            offset = section.number_or("offset", 0.0, Allow::Any);
            InputKind::Temperature
        }
    };
    (
        field.map(|field| InputField {
            kind,
            field,
            scale,
            offset,
        }),
        unit,
    )
}

#[derive(Copy, Clone, PartialEq)]
enum Output {
    Effort,
    Sequence,
    Constant,
}

fn output_field(section: &Section<'_>) -> (Option<OutputField>, &'static str) {
    let what = section.choice(
        "what",
        &[
            ("effort", Output::Effort),
            ("sequence", Output::Sequence),
            ("constant", Output::Constant),
        ],
    );
    let Some(field) = bit_field(section) else {
        return (None, "");
    };
    let mut output = OutputField {
        kind: OutputKind::Sequence,
        field,
        scale: 1.0,
        offset: 0.0,
        min: field.min(),
        max: field.max(),
    };
    let mut unit = "";
    let counts = i64::from(i32::MIN)..=i64::from(u32::MAX);
    match what {
        Output::Sequence => {}
        Output::Constant => output.kind = OutputKind::Constant(section.integer("value", counts)),
        Output::Effort => {
            output.kind =
                OutputKind::Effort(section.integer("index", 0..=MAX_AXES as i64 - 1) as u8);
            unit = section.choice("unit", &[("N", "N"), ("N*m", "N*m")]);
            output.scale = section.number("scale", Allow::Any);
            output.offset = section
                .optional_integer("zero", counts.clone())
                .unwrap_or(0) as f64;
            output.min = section
                .optional_integer("min", counts.clone())
                .unwrap_or(output.min);
            output.max = section
                .optional_integer("max", counts)
                .unwrap_or(output.max);
        }
    }
    (Some(output), unit)
}

/// Checks that the reports give every axis of the model in its unit, drive only axes that can have
/// an effort, and drive each at one place only.
pub(super) fn check_axes(
    reports: &Reports,
    codec: &Codec,
    geometry: &Geometry,
    kinematics: &Section<'_>,
    problems: &Problems,
) {
    let needed = geometry.axis_units.len();
    for (i, report) in codec.layout().inputs.iter().enumerate() {
        for (j, field) in report.fields.iter().enumerate() {
            let InputKind::Axis(axis) = field.kind else {
                continue;
            };
            let (span, unit) = &reports.inputs[i].fields[j];
            match geometry.axis_units.get(usize::from(axis)) {
                None => problems.add(
                    span.clone(),
                    format!(
                        "axis {axis} does not exist: the model has axes 0 to {}",
                        needed - 1
                    ),
                ),
                Some(wanted) if wanted != unit => {
                    problems.add(
                        span.clone(),
                        format!("axis {axis} of the model is in \"{wanted}\", not in \"{unit}\""),
                    );
                }
                Some(_) => {}
            }
        }
    }
    for axis in (0..needed).filter(|axis| codec.axes_in() >> axis & 1 == 0) {
        kinematics.add_problem(
            "model",
            format!("axis {axis} of the model is in no [[input.field]]"),
        );
    }
    let mut driven = [false; MAX_AXES];
    for (i, report) in codec.layout().outputs.iter().enumerate() {
        for (j, field) in report.fields.iter().enumerate() {
            let OutputKind::Effort(axis) = field.kind else {
                continue;
            };
            let (span, unit) = &reports.outputs[i].fields[j];
            let wanted = match geometry.effort_units.get(usize::from(axis)) {
                Some(AxisUnit::Metre) => "N",
                Some(AxisUnit::Radian) => "N*m",
                Some(AxisUnit::Number) | None => {
                    problems.add(
                        span.clone(),
                        format!("the model has no effort for axis {axis}"),
                    );
                    continue;
                }
            };
            if wanted != *unit {
                problems.add(
                    span.clone(),
                    format!("the effort of axis {axis} is in \"{wanted}\", not in \"{unit}\""),
                );
            }
            if std::mem::replace(&mut driven[usize::from(axis)], true) {
                problems.add(
                    span.clone(),
                    format!("axis {axis} is already driven by another field"),
                );
            }
        }
    }
}
