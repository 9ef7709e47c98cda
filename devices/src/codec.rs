//! Converts report bytes to state and commands to report bytes.
//!
//! Pure: no I/O, no clock, no allocation after [`Codec::new`], no panic on any bytes, work bounded
//! by the number of fields. All bounds are checked when a codec is made. Decoding fails only if a
//! report is short or has an id that the layout does not know. Encoding saturates and never wraps;
//! a number that is not finite is written as zero force.
//!
//! A pose may be spread over several reports (a SpaceMouse alternates translation and rotation).
//! Its axes are latched together into [`RawState::axes`] when the last part arrives, so a half-new
//! pose is never visible.

mod bits;
mod layout;

use thiserror::Error;

pub use bits::{BitField, BitFieldError, Endian};
pub use layout::{
    InputField, InputKind, InputReport, Layout, LayoutError, MAX_FACTOR, MAX_REPORT_BYTES,
    MAX_REPORTS, OutputField, OutputKind, OutputReport, Place, PoseRole,
};

use crate::arm::{Axes, MAX_AXES};

/// Decoded state of the reports so far.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RawState {
    /// Axes of the last complete pose, m or rad.
    pub axes: Axes,
    /// One bit per button; 1 is pressed.
    pub buttons: u32,
    /// The arm knows its position; `true` from the start if no report carries this.
    pub calibrated: bool,
    /// The safety switch is closed; `true` from the start if no report carries this.
    pub safety_switch_closed: bool,
    /// Report counter of the arm.
    pub counter: Option<u32>,
    /// Hottest motor in the last report that carries temperatures, °C.
    pub temperature_c: Option<f32>,
    /// Axes as they arrive, ahead of `axes` while a pose is incomplete.
    arriving: Axes,
    /// One bit for each input report that holds a part of the pose and has arrived since the last
    /// complete pose.
    parts: u32,
}

/// What a report was.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Index of the report in the layout; `None` if its id is ignored.
    pub report: Option<u8>,
    /// The report completed a pose: [`RawState::axes`] is new.
    pub pose_complete: bool,
}

/// Why a report could not be decoded. The state is unchanged.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// No bytes.
    #[error("empty report")]
    Empty,
    /// An id that the layout does not know.
    #[error("unknown report id {id:#04x}")]
    UnknownReport {
        /// Id of the report.
        id: u8,
    },
    /// Fewer bytes than the layout says.
    #[error("report {id:#04x} has {actual} bytes, {expected} are needed")]
    Short {
        /// Id of the report; 0 if reports have none.
        id: u8,
        /// Number of bytes received.
        actual: usize,
        /// Number of bytes of the shortest form of this report.
        expected: usize,
    },
}

/// An output report, ready to write. It is reused in place, without allocation.
#[derive(Clone, Debug)]
pub struct ReportBuffer {
    bytes: [u8; MAX_REPORT_BYTES + 1],
    length: usize,
}

impl ReportBuffer {
    /// Makes an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bytes: [0; MAX_REPORT_BYTES + 1],
            length: 0,
        }
    }

    /// Returns the bytes to write, with the leading zero if the layout asks for one.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Default for ReportBuffer {
    fn default() -> Self {
        Self::new()
    }
}

/// The checked report layout of one model of arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Codec {
    layout: Layout,
    numbered: bool,
    /// One bit for each input report that holds a part of the pose.
    parts: u32,
}

impl Codec {
    /// Checks a layout.
    ///
    /// # Errors
    /// Every mistake with its place.
    pub fn new(layout: Layout) -> Result<Self, Vec<(Place, LayoutError)>> {
        let mistakes = layout.mistakes();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let numbered = layout.inputs.iter().any(|report| report.id != 0);
        let parts = (layout.inputs.iter().enumerate())
            .filter(|(_, report)| report.pose == PoseRole::Part)
            .fold(0, |parts, (i, _)| parts | 1 << i);
        Ok(Self {
            layout,
            numbered,
            parts,
        })
    }

    /// Returns the checked layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the state before the first report. Status that no report carries starts as good;
    /// status that some report carries starts as bad until it arrives.
    #[must_use]
    pub fn initial_state(&self) -> RawState {
        RawState {
            axes: [0.0; MAX_AXES],
            buttons: 0,
            calibrated: !self.has_input_kind(|kind| matches!(kind, InputKind::Calibrated { .. })),
            safety_switch_closed: !self
                .has_input_kind(|kind| matches!(kind, InputKind::SafetySwitch { .. })),
            counter: None,
            temperature_c: None,
            arriving: [0.0; MAX_AXES],
            parts: 0,
        }
    }

    /// Returns whether some input report has a field of this kind.
    fn has_input_kind(&self, kind: impl Fn(InputKind) -> bool) -> bool {
        let mut fields = self.layout.inputs.iter().flat_map(|report| &report.fields);
        fields.any(|field| kind(field.kind))
    }

    /// Returns whether input report `index` carries no part of the pose (buttons, status).
    #[must_use]
    pub fn holds_no_pose(&self, index: u8) -> bool {
        let report = self.layout.inputs.get(usize::from(index));
        report.is_some_and(|report| report.pose == PoseRole::Nothing)
    }

    /// Returns one bit for each axis that is read, bit 0 for the first.
    #[must_use]
    pub fn axes_in(&self) -> u8 {
        let fields = self.layout.inputs.iter().flat_map(|report| &report.fields);
        fields.fold(0, |mask, field| match field.kind {
            InputKind::Axis(axis) => mask | 1 << axis,
            _ => mask,
        })
    }

    /// Returns one bit for each axis that is driven, bit 0 for the first.
    #[must_use]
    pub fn axes_out(&self) -> u8 {
        let fields = self.layout.outputs.iter().flat_map(|report| &report.fields);
        fields.fold(0, |mask, field| match field.kind {
            OutputKind::Effort(axis) => mask | 1 << axis,
            _ => mask,
        })
    }

    /// Returns the width in bits of the arm's own counter, if it has one.
    #[must_use]
    pub fn counter_bits(&self) -> Option<u32> {
        let mut fields = self.layout.inputs.iter().flat_map(|report| &report.fields);
        fields
            .find(|field| field.kind == InputKind::Counter)
            .map(|field| field.field.bits() as u32)
    }

    /// Decodes one report as it was read, id byte first if the device numbers its reports.
    ///
    /// # Errors
    /// A short report or an unknown id; `state` is then unchanged.
    pub fn decode(&self, report: &[u8], state: &mut RawState) -> Result<Decoded, DecodeError> {
        let first = *report.first().ok_or(DecodeError::Empty)?;
        let id = if self.numbered { first } else { 0 };
        let Some(index) = self.find(id, report.len())? else {
            return Ok(Decoded {
                report: None,
                pose_complete: false,
            });
        };
        let layout = &self.layout.inputs[index];
        let mut hottest = f32::NEG_INFINITY;
        for field in &layout.fields {
            // The checks of the layout prove that the field lies within the report.
            let Some(raw) = field.field.read(report) else {
                continue;
            };
            let value = raw as f64 * field.scale + field.offset;
            match field.kind {
                InputKind::Axis(axis) => state.arriving[usize::from(axis)] = value,
                InputKind::Buttons { first } => {
                    let mask = (((1_u64 << field.field.bits()) - 1) << first) as u32;
                    state.buttons = (state.buttons & !mask) | ((raw as u32) << first & mask);
                }
                InputKind::Calibrated { invert } => state.calibrated = (raw != 0) != invert,
                InputKind::SafetySwitch { invert } => {
                    state.safety_switch_closed = (raw != 0) != invert;
                }
                InputKind::Counter => state.counter = Some(raw as u32),
                InputKind::Temperature => hottest = hottest.max(value as f32),
            }
        }
        if hottest > f32::NEG_INFINITY {
            state.temperature_c = Some(hottest);
        }
        let pose_complete = match layout.pose {
            PoseRole::Nothing => false,
            PoseRole::Whole => true,
            PoseRole::Part => {
                state.parts |= 1 << index;
                state.parts == self.parts
            }
        };
        if pose_complete {
            state.parts = 0;
            state.axes = state.arriving;
        }
        Ok(Decoded {
            report: Some(index as u8),
            pose_complete,
        })
    }

    /// Finds the layout's report with this id and length; of several, the longest that fits.
    /// `Ok(None)` if the id is ignored.
    fn find(&self, id: u8, actual: usize) -> Result<Option<usize>, DecodeError> {
        let mut best: Option<(usize, usize)> = None;
        let mut shortest = usize::MAX;
        for (i, report) in self.layout.inputs.iter().enumerate() {
            if report.id != id {
                continue;
            }
            shortest = shortest.min(report.bytes);
            if report.bytes <= actual && best.is_none_or(|(_, bytes)| report.bytes > bytes) {
                best = Some((i, report.bytes));
            }
        }
        match best {
            Some((index, _)) => Ok(Some(index)),
            None if shortest != usize::MAX => Err(DecodeError::Short {
                id,
                actual,
                expected: shortest,
            }),
            None if self.numbered && self.layout.ignored.contains(&id) => Ok(None),
            None => Err(DecodeError::UnknownReport { id }),
        }
    }

    /// Returns the number of reports that one command takes.
    #[must_use]
    pub fn output_reports(&self) -> usize {
        self.layout.outputs.len()
    }

    /// Writes output report `index` of a command into `out` and returns the bytes to send. Writes
    /// nothing for an index that does not exist.
    ///
    /// `efforts` are newtons or newton metres by axis; one that is not finite is written as zero
    /// force.
    pub fn encode<'a>(
        &self,
        index: usize,
        efforts: &Axes,
        sequence: u64,
        out: &'a mut ReportBuffer,
    ) -> &'a [u8] {
        out.length = 0;
        let Some(report) = self.layout.outputs.get(index) else {
            return out.as_slice();
        };
        let start = usize::from(self.layout.leading_zero);
        out.length = start + report.bytes;
        out.bytes[0] = 0;
        let bytes = &mut out.bytes[start..start + report.bytes];
        bytes.fill(report.fill);
        if report.id != 0 {
            bytes[0] = report.id;
        }
        for field in &report.fields {
            let count = match field.kind {
                OutputKind::Effort(axis) => {
                    let effort = efforts[usize::from(axis)];
                    let effort = if effort.is_finite() { effort } else { 0.0 };
                    // A cast from f64 saturates; the clamp then brings it into the range.
                    ((effort * field.scale + field.offset).round() as i64)
                        .clamp(field.min, field.max)
                }
                OutputKind::Sequence => {
                    let mask = (1_u64 << field.field.bits()) - 1;
                    let low = (sequence & mask) as i64;
                    // The low bits are kept as they are, even if the field is signed.
                    if low > field.field.max() {
                        low - (1_i64 << field.field.bits())
                    } else {
                        low
                    }
                }
                OutputKind::Constant(value) => value,
            };
            let written = field.field.write(bytes, count);
            debug_assert!(written, "the layout's checks have proven that it fits");
        }
        out.as_slice()
    }
}

#[cfg(test)]
mod tests;
