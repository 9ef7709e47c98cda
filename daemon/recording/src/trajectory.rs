//! Device trajectories: the device poses of a recording alone, small enough to keep, for a
//! simulated hand to follow.
//!
//! `intention = "file.mcap"` of a simulated arm takes a trajectory or a whole recording. The module
//! reads and writes files.

use std::io::Read;
use std::path::Path;

use hapticd_devices::arm::ArmSample;
use hapticd_devices::sim::Keyframe;
use hapticd_geometry::{Pose, Quat};

use super::message::TickMessage;
use super::number::Num;
use super::reader::PointMessage;
use super::spatial::PoseMessage;
use super::writer::{Output, Recorder, Setup};
use super::{Event, Meta, ReadError, Reader};
use crate::Sink;

/// Quantum of stored positions, m: a hundredth of the resolution of an encoder.
const POSITION_STEP_M: f64 = 1e-7;
/// Quantum of stored quaternion components.
const ROTATION_STEP: f64 = 1e-7;

/// Reads the poses of the first arm that has any, with the time since the first pose. They are in
/// the base frame of that arm. A file that is cut off gives the poses before the cut.
///
/// # Errors
/// If the file is not a recording, or is damaged.
pub fn keyframes(path: &Path) -> Result<Vec<Keyframe>, ReadError> {
    keyframes_of(&mut Reader::open(path)?)
}

/// Like [`keyframes`], from a reader.
///
/// # Errors
/// If the bytes are damaged.
pub fn keyframes_of<R: Read>(reader: &mut Reader<R>) -> Result<Vec<Keyframe>, ReadError> {
    let mut keys = Vec::new();
    let mut start_ns = None;
    let mut last_ns = 0;
    poses(reader, |now_ns, pose| {
        let start = *start_ns.get_or_insert(now_ns);
        if keys.is_empty() || now_ns > last_ns {
            last_ns = now_ns;
            let turn = Quat::new_normalize(pose.rotation.into_inner()).scaled_axis();
            keys.push(Keyframe {
                t_s: (now_ns - start) as f64 * 1e-9,
                position: pose.translation.vector.into(),
                rotation: turn.into(),
            });
        }
        Ok(())
    })?;
    Ok(keys)
}

/// Why a trajectory was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The recording cannot be read, or has no pose.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error("{0}")]
    Write(String),
}

/// Writes the device poses of a recording, at most `rate_hz` per second. Returns their number.
///
/// # Errors
/// If the recording cannot be read or the output cannot be written.
pub fn extract<R: Read, W: Output>(
    reader: &mut Reader<R>,
    output: W,
    rate_hz: f64,
) -> Result<u64, ExtractError> {
    let meta = Meta::of_this(reader.meta().time, true);
    let mut recorder = Recorder::new(
        output,
        &Setup {
            meta,
            config: "",
            files: &[],
            arms: 0,
            max_bytes: u64::MAX,
            epoch_ns: 0,
        },
    )
    .map_err(ExtractError::Write)?;
    let step_ns = (1e9 / rate_hz).max(1.0) as u64;
    let mut start_ns = None;
    let mut due_ns = 0;
    let mut count = 0;
    let mut failed = None;
    poses(reader, |now_ns, pose| {
        // A trajectory starts at time 0.
        let t_ns = now_ns.saturating_sub(*start_ns.get_or_insert(now_ns));
        if t_ns < due_ns || failed.is_some() {
            return Ok(());
        }
        due_ns = (t_ns / step_ns + 1) * step_ns;
        count += 1;
        failed = recorder.trajectory_point(t_ns, &point(t_ns, pose)).err();
        Ok(())
    })?;
    if let Some(why) = failed {
        return Err(ExtractError::Write(why));
    }
    recorder.finish().map_err(ExtractError::Write)?;
    Ok(count)
}

fn point(now_ns: u64, pose: &Pose) -> PointMessage {
    let round = |x: Num, step: f64| Num(((x.0 / step).round() * step * 1e9).round() / 1e9);
    let exact = PoseMessage::from(pose);
    PointMessage {
        now_ns,
        position_m: exact.position_m.map(|x| round(x, POSITION_STEP_M)),
        rotation_xyzw: exact.rotation_xyzw.map(|x| round(x, ROTATION_STEP)),
    }
}

/// Calls `take` with every new device pose and its time.
fn poses<R: Read>(
    reader: &mut Reader<R>,
    mut take: impl FnMut(u64, &Pose) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if reader.meta().trajectory {
        loop {
            match reader.point() {
                Ok(Some(p)) => {
                    let pose = PoseMessage {
                        position_m: p.position_m,
                        rotation_xyzw: p.rotation_xyzw,
                    };
                    take(p.now_ns, &Pose::from(&pose))?;
                }
                Ok(None) | Err(ReadError::Truncated) => return Ok(()),
                Err(e) => return Err(e),
            }
        }
    }
    let mut arm = None;
    let mut last_sequence = 0;
    loop {
        let tick = match reader.event() {
            Ok(Some(Event::Tick(tick))) => tick,
            Ok(Some(_)) => continue,
            Ok(None) | Err(ReadError::Truncated) => return Ok(()),
            Err(e) => return Err(e),
        };
        let Some((index, sample)) = first_sample(&tick, arm) else {
            continue;
        };
        arm = Some(index);
        if sample.sequence != last_sequence {
            last_sequence = sample.sequence;
            take(sample.time_ns, &sample.pose)?;
        }
    }
}

/// Returns the sample of `arm`, or of the first arm that has one.
fn first_sample(tick: &TickMessage, arm: Option<u8>) -> Option<(u8, ArmSample)> {
    let found = tick
        .arms
        .iter()
        .find(|a| arm.is_none_or(|arm| a.index == arm) && a.input.sample.sequence > 0)?;
    Some((found.index, (&found.input.sample).into()))
}
