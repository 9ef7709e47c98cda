//! The layout of an arm's reports, and the checks that keep decoding within bounds.
//!
//! A [`Layout`] is plain data with public fields. [`Codec::new`](super::Codec::new) checks it as a
//! whole and reports every mistake with its place, so that the profile reader can point at the
//! line.

use std::fmt;

use thiserror::Error;

use super::bits::BitField;
use crate::arm::MAX_AXES;

/// Longest report of any layout, with its id, bytes: one high-speed interrupt packet.
pub const MAX_REPORT_BYTES: usize = 1024;
/// Largest number of reports of a layout in one direction.
pub const MAX_REPORTS: usize = 16;
/// Largest magnitude of a scale or an offset, so that no decoded number is infinite.
pub const MAX_FACTOR: f64 = 1e12;

/// Meaning of a number of an input report.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Position of an axis, m or rad after scaling.
    Axis(u8),
    /// One or more button bits.
    Buttons {
        /// Number of the first button, 0 to 31.
        first: u8,
    },
    /// Nonzero: the arm knows its position.
    Calibrated {
        /// If set, zero has this meaning instead.
        invert: bool,
    },
    /// Nonzero: the safety switch is closed and force is permitted.
    SafetySwitch {
        /// If set, zero has this meaning instead.
        invert: bool,
    },
    /// Grows by one with every report and wraps.
    Counter,
    /// Motor temperature, degrees Celsius after scaling.
    Temperature,
}

/// One number of an input report.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct InputField {
    /// Meaning of the number.
    pub kind: InputKind,
    /// Place of its bits, from the first bit of the report, id byte included.
    pub field: BitField,
    /// Units per count.
    pub scale: f64,
    /// Offset added after scaling.
    pub offset: f64,
}

/// What an input report contributes to the pose.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PoseRole {
    /// The report holds a whole pose.
    Whole,
    /// The report holds a part. The pose is complete when every part has arrived since the last
    /// complete pose.
    Part,
    /// The report holds no part of the pose.
    Nothing,
}

/// One input report.
#[derive(Clone, Debug, PartialEq)]
pub struct InputReport {
    /// Id of the report; 0 if the device numbers no reports.
    pub id: u8,
    /// Length in bytes, with the id if there is one. Longer reports are accepted. If two reports
    /// have the same id, the longest that fits applies.
    pub bytes: usize,
    /// What the report contributes to the pose.
    pub pose: PoseRole,
    /// Numbers in the report.
    pub fields: Vec<InputField>,
}

/// Meaning of a number of an output report.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Force (N) or torque (N·m) of an axis.
    Effort(u8),
    /// Low bits of the command's sequence number.
    Sequence,
    /// A constant.
    Constant(i64),
}

/// One number of an output report. An effort `e` is written as `round(e * scale + offset)`, clamped
/// to `[min, max]`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OutputField {
    /// Meaning of the number.
    pub kind: OutputKind,
    /// Place of its bits, from the first bit of the report, id byte included.
    pub field: BitField,
    /// Counts per newton or newton metre; negative if the arm's direction is opposite.
    pub scale: f64,
    /// Count that means zero force.
    pub offset: f64,
    /// Smallest count ever written.
    pub min: i64,
    /// Largest count ever written.
    pub max: i64,
}

/// One output report.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputReport {
    /// Id of the report; 0 if the device numbers no reports.
    pub id: u8,
    /// Length in bytes, with the id if there is one.
    pub bytes: usize,
    /// Value of the bytes that belong to no field.
    pub fill: u8,
    /// Numbers in the report.
    pub fields: Vec<OutputField>,
}

/// All reports of an arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Reports from the arm.
    pub inputs: Vec<InputReport>,
    /// Ids of input reports that are ignored without being counted as unknown.
    pub ignored: Vec<u8>,
    /// Reports to the arm, written in this order for each command.
    pub outputs: Vec<OutputReport>,
    /// Write a zero byte first, as hidapi requires for devices that number no reports.
    pub leading_zero: bool,
}

/// The place of a mistake in a layout.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the layout as a whole.
    Layout,
    /// In an input report.
    Input(usize),
    /// In a field of an input report.
    InputField(usize, usize),
    /// In an output report.
    Output(usize),
    /// In a field of an output report.
    OutputField(usize, usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Layout => write!(f, "layout"),
            Place::Input(report) => write!(f, "input report {report}"),
            Place::InputField(report, field) => write!(f, "field {field} of input report {report}"),
            Place::Output(report) => write!(f, "output report {report}"),
            Place::OutputField(report, field) => {
                write!(f, "field {field} of output report {report}")
            }
        }
    }
}

/// A mistake in a layout.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// No input report at all.
    #[error("an arm needs at least one input report")]
    NoInput,
    /// Too many reports.
    #[error("{count} reports; at most {MAX_REPORTS} fit")]
    TooManyReports {
        /// Number of reports.
        count: usize,
    },
    /// A report of no bytes, or longer than the limit.
    #[error("a report has {least} to {MAX_REPORT_BYTES} bytes, not {bytes}")]
    ReportLength {
        /// Length in the layout.
        bytes: usize,
        /// Smallest length (1, or 2 with an id).
        least: usize,
    },
    /// HID requires that either all reports have an id or none has.
    #[error(
        "some reports have an id and others have none (id 0): a device numbers all of its reports or none"
    )]
    MixedIds,
    /// Two reports that cannot be told apart.
    #[error("an earlier report has the same id {id:#04x} and length {bytes}")]
    SameReport {
        /// Id of both.
        id: u8,
        /// Length of both.
        bytes: usize,
    },
    /// A report is both described and ignored.
    #[error("report id {id:#04x} is both described and ignored")]
    IgnoredReport {
        /// Id of the report.
        id: u8,
    },
    /// A field reaches beyond its report.
    #[error("bits {first} to {last} lie outside a report of {bytes} bytes")]
    OutsideReport {
        /// First bit of the field.
        first: usize,
        /// Last bit of the field.
        last: usize,
        /// Length of the report.
        bytes: usize,
    },
    /// A field lies on the id byte.
    #[error("bit {first} belongs to the report id, which is byte 0; data begins at bit 8")]
    OnReportId {
        /// First bit of the field.
        first: usize,
    },
    /// An axis number that no arm has.
    #[error("axis {axis} is out of range: 0 to {}", MAX_AXES - 1)]
    Axis {
        /// Axis number in the layout.
        axis: u8,
    },
    /// Buttons beyond the 32nd.
    #[error("buttons {first} to {last} are not all within 0 to 31")]
    Buttons {
        /// First button.
        first: usize,
        /// Last button.
        last: usize,
    },
    /// An axis that one report carries twice.
    #[error("axis {axis} is already read from this report")]
    AxisTwice {
        /// Number of the axis.
        axis: u8,
    },
    /// Two output fields on the same bits.
    #[error("it shares bits with field {other} of the same report")]
    Overlap {
        /// Index of the other field.
        other: usize,
    },
    /// A scale or an offset that is not finite or too large.
    #[error("{what} must be a finite number of magnitude at most {MAX_FACTOR:e}, not {value}")]
    Factor {
        /// "scale" or "offset".
        what: &'static str,
        /// Value in the layout.
        value: f64,
    },
    /// A scale of zero, which loses the number.
    #[error("scale must not be zero")]
    ZeroScale,
    /// A range that is empty or that the field cannot hold.
    #[error("the range {min} to {max} is empty or beyond what the field holds, {least} to {most}")]
    Range {
        /// Smallest requested count.
        min: i64,
        /// Largest requested count.
        max: i64,
        /// Smallest count of the field.
        least: i64,
        /// Largest count of the field.
        most: i64,
    },
    /// Zero force cannot be expressed.
    #[error("zero force would be {zero} counts, not a whole number in {min} to {max}")]
    ZeroForce {
        /// Count that means zero force.
        zero: f64,
        /// Smallest count.
        min: i64,
        /// Largest count.
        max: i64,
    },
    /// No report completes the pose.
    #[error(
        "no input report completes a pose: give one the role \"whole\", or all of its parts the role \"part\""
    )]
    NoPose,
    /// A report that holds a part of the pose but has no axis.
    #[error("the report is a pose part but has no axis field")]
    PoseWithoutAxis,
}

impl Layout {
    /// Returns every mistake with its place; empty if there are none.
    #[must_use]
    pub fn mistakes(&self) -> Vec<(Place, LayoutError)> {
        let mut found = Vec::new();
        self.check_whole(&mut found);
        for (i, report) in self.inputs.iter().enumerate() {
            check_input(i, report, &mut found);
        }
        for (i, report) in self.outputs.iter().enumerate() {
            check_output(i, report, &mut found);
        }
        found
    }

    fn check_whole(&self, found: &mut Vec<(Place, LayoutError)>) {
        if self.inputs.is_empty() {
            found.push((Place::Layout, LayoutError::NoInput));
        } else if self
            .inputs
            .iter()
            .all(|report| report.pose == PoseRole::Nothing)
        {
            found.push((Place::Layout, LayoutError::NoPose));
        }
        for count in [self.inputs.len(), self.outputs.len()] {
            if count > MAX_REPORTS {
                found.push((Place::Layout, LayoutError::TooManyReports { count }));
            }
        }
        let mut ids = self
            .inputs
            .iter()
            .map(|r| r.id)
            .chain(self.outputs.iter().map(|r| r.id));
        if let Some(first) = ids.next()
            && ids.any(|id| (id == 0) != (first == 0))
        {
            found.push((Place::Layout, LayoutError::MixedIds));
        }
        for (i, report) in self.inputs.iter().enumerate() {
            if self.inputs[..i]
                .iter()
                .any(|r| r.id == report.id && r.bytes == report.bytes)
            {
                let (id, bytes) = (report.id, report.bytes);
                found.push((Place::Input(i), LayoutError::SameReport { id, bytes }));
            }
            if self.ignored.contains(&report.id) {
                found.push((
                    Place::Input(i),
                    LayoutError::IgnoredReport { id: report.id },
                ));
            }
        }
    }
}

fn check_length(place: Place, id: u8, bytes: usize, found: &mut Vec<(Place, LayoutError)>) {
    let least = if id == 0 { 1 } else { 2 };
    if !(least..=MAX_REPORT_BYTES).contains(&bytes) {
        found.push((place, LayoutError::ReportLength { bytes, least }));
    }
}

fn check_bits(
    place: Place,
    id: u8,
    bytes: usize,
    field: &BitField,
    found: &mut Vec<(Place, LayoutError)>,
) {
    let first = field.bit_offset();
    if field.bytes_needed() > bytes {
        let last = first + field.bits() - 1;
        found.push((place, LayoutError::OutsideReport { first, last, bytes }));
    }
    if id != 0 && first < 8 {
        found.push((place, LayoutError::OnReportId { first }));
    }
}

fn check_factors(place: Place, scale: f64, offset: f64, found: &mut Vec<(Place, LayoutError)>) {
    for (what, value) in [("scale", scale), ("offset", offset)] {
        if !value.is_finite() || value.abs() > MAX_FACTOR {
            found.push((place, LayoutError::Factor { what, value }));
        }
    }
    if scale == 0.0 {
        found.push((place, LayoutError::ZeroScale));
    }
}

fn check_axis(place: Place, axis: u8, found: &mut Vec<(Place, LayoutError)>) {
    if usize::from(axis) >= MAX_AXES {
        found.push((place, LayoutError::Axis { axis }));
    }
}

fn check_input(i: usize, report: &InputReport, found: &mut Vec<(Place, LayoutError)>) {
    check_length(Place::Input(i), report.id, report.bytes, found);
    let mut axes = [false; MAX_AXES];
    for (j, field) in report.fields.iter().enumerate() {
        let place = Place::InputField(i, j);
        check_bits(place, report.id, report.bytes, &field.field, found);
        check_factors(place, field.scale, field.offset, found);
        match field.kind {
            InputKind::Axis(axis) => {
                check_axis(place, axis, found);
                if let Some(taken) = axes.get_mut(usize::from(axis))
                    && std::mem::replace(taken, true)
                {
                    found.push((place, LayoutError::AxisTwice { axis }));
                }
            }
            InputKind::Buttons { first } => {
                let (first, last) = (
                    usize::from(first),
                    usize::from(first) + field.field.bits() - 1,
                );
                if last > 31 {
                    found.push((place, LayoutError::Buttons { first, last }));
                }
            }
            _ => {}
        }
    }
    if report.pose != PoseRole::Nothing && axes == [false; MAX_AXES] {
        found.push((Place::Input(i), LayoutError::PoseWithoutAxis));
    }
}

fn check_output(i: usize, report: &OutputReport, found: &mut Vec<(Place, LayoutError)>) {
    check_length(Place::Output(i), report.id, report.bytes, found);
    for (j, field) in report.fields.iter().enumerate() {
        let place = Place::OutputField(i, j);
        check_bits(place, report.id, report.bytes, &field.field, found);
        if let Some(other) = report.fields[..j]
            .iter()
            .position(|other| other.field.overlaps(&field.field))
        {
            found.push((place, LayoutError::Overlap { other }));
        }
        let (min, max, least, most) = (field.min, field.max, field.field.min(), field.field.max());
        let range_is_good = least <= min && min <= max && max <= most;
        match field.kind {
            OutputKind::Effort(axis) => {
                check_axis(place, axis, found);
                check_factors(place, field.scale, field.offset, found);
                if !range_is_good {
                    found.push((
                        place,
                        LayoutError::Range {
                            min,
                            max,
                            least,
                            most,
                        },
                    ));
                } else if field.offset.fract() != 0.0
                    || field.offset < min as f64
                    || field.offset > max as f64
                {
                    let zero = field.offset;
                    found.push((place, LayoutError::ZeroForce { zero, min, max }));
                }
            }
            OutputKind::Constant(value) if value < least || value > most => {
                let (min, max) = (value, value);
                found.push((
                    place,
                    LayoutError::Range {
                        min,
                        max,
                        least,
                        most,
                    },
                ));
            }
            OutputKind::Constant(_) | OutputKind::Sequence => {}
        }
    }
}
