//! NRRD, "nearly raw raster data": a volume format common in research (Teem, *Definition of NRRD
//! File Format*, versions 1 to 5).
//!
//! Reads three axes of numbers (8, 16 and 32 bit integers, single and double precision; raw, ASCII
//! or gzip), attached to the header or in a separate file next to it, in frames with orthogonal
//! axes of any orientation. Everything else is refused, with its line: a field that is unknown,
//! duplicate or not understood is an error, not a reason to guess. If the directions make a
//! left-handed frame, its first axis is reversed together with the samples.
//!
//! No panic on any bytes. Memory is in proportion to the bytes that are there. Compressed data are
//! unpacked only up to the samples that the header asks for, which are at most
//! [`MAX_SAMPLES`](super::MAX_SAMPLES).

use std::io;
use std::path::Path;

use super::{Volume, VolumeFault};
use crate::load::MAX_FILE_BYTES;

mod data;
mod header;

use header::Header;

/// Why a volume could not be read. The fault of the file, or of the caller that named it.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct NrrdError {
    /// The file, or the name given with the bytes.
    pub file: String,
    /// The problem.
    pub problem: NrrdProblem,
}

/// A problem of a NRRD file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NrrdProblem {
    /// The file is a folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// An error of the operating system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("{bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Size of the file.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The file does not begin with a NRRD magic.
    #[error("line 1: `NRRD0001` to `NRRD0005` expected, `{found}` found: not a NRRD file")]
    Magic {
        /// The start of what is there.
        found: String,
    },
    /// A line of the header is malformed.
    #[error("line {line}: {expected} expected, `{found}` found")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// The start of what is there.
        found: String,
    },
    /// The format does not know this field.
    #[error("line {line}: `{field}` is not a NRRD header field")]
    UnknownField {
        /// Line, from 1.
        line: usize,
        /// The field as written.
        field: String,
    },
    /// A field appears twice.
    #[error("line {line}: `{field}` occurs twice, first in line {first}")]
    Twice {
        /// Line, from 1.
        line: usize,
        /// Line of its first appearance.
        first: usize,
        /// Name of the field.
        field: &'static str,
    },
    /// A required field is missing.
    #[error("the header has no `{0}`")]
    Missing(&'static str),
    /// A feature of the format that this reader does not support.
    #[error("line {line}: not supported: {what}")]
    Unsupported {
        /// Line, from 1.
        line: usize,
        /// What, and what to do instead.
        what: &'static str,
    },
    /// The axes are not orthogonal.
    #[error(
        "line {line}: not supported: axes {first} and {second} are {degrees:.4} degrees apart: they have to stand at right angles (resample the volume)"
    )]
    Sheared {
        /// Line, from 1.
        line: usize,
        /// One axis, from 1.
        first: usize,
        /// The other axis.
        second: usize,
        /// Angle between the two.
        degrees: f64,
    },
    /// The header describes an invalid volume.
    #[error("line {line}: {fault}")]
    Header {
        /// Line, from 1.
        line: usize,
        /// The fault.
        fault: VolumeFault,
    },
    /// The number of bytes differs from what the header asks for.
    #[error("the header wants {needed} bytes of samples; found {available}")]
    Size {
        /// Bytes that `sizes` and `type` require.
        needed: u64,
        /// Bytes that there are, at least.
        available: u64,
    },
    /// A word of an ASCII file is not a sample of the header's type.
    #[error("sample {number}: `{found}` is not of type {kind}")]
    Word {
        /// Index of the sample, from 0.
        number: u64,
        /// The start of what is there.
        found: String,
        /// The header's type.
        kind: &'static str,
    },
    /// The compressed data cannot be unpacked.
    #[error("gzip: {0}")]
    Gzip(io::Error),
    /// The samples do not form a volume.
    #[error("{0}")]
    Volume(VolumeFault),
    /// The samples of the header are in another file, but only bytes without a folder were given.
    #[error("line {line}: the samples are in another file, which in-memory bytes lack")]
    Detached {
        /// Line, from 1.
        line: usize,
    },
    /// The file with the samples could not be read.
    #[error("line {line}: `{data_file}`: {problem}")]
    DataFile {
        /// Line, from 1.
        line: usize,
        /// As the header names it.
        data_file: String,
        /// The problem.
        problem: Box<NrrdProblem>,
    },
}

/// Reads a volume from a file. If its samples are in another file, reads that as well: next to it,
/// or in a folder next to it.
///
/// # Errors
/// [`NrrdError`], with the file, the line and the numbers.
pub fn load(path: &Path) -> Result<Volume, NrrdError> {
    let made = read(path).and_then(|bytes| parse(&bytes, path.parent()));
    made.map_err(|problem| NrrdError {
        file: path.display().to_string(),
        problem,
    })
}

/// Reads a volume from bytes, header and samples; `name` is for the error.
///
/// # Errors
/// [`NrrdError`], with the name, the line and the numbers.
pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Volume, NrrdError> {
    parse(bytes, None).map_err(|problem| NrrdError {
        file: name.to_owned(),
        problem,
    })
}

/// Returns a file's bytes with the samples attached behind the header, wherever they are stored.
/// [`from_bytes`] makes the same volume of them as [`load`] makes of the file, bit for bit.
///
/// # Errors
/// [`NrrdError`] if the header or the file with the samples cannot be read; the samples are not
/// checked.
pub fn attached(path: &Path) -> Result<Vec<u8>, NrrdError> {
    attach(path).map_err(|problem| NrrdError {
        file: path.display().to_string(),
        problem,
    })
}

fn attach(path: &Path) -> Result<Vec<u8>, NrrdProblem> {
    let bytes = read(path)?;
    let (header, rest) = Header::parse(&bytes)?;
    let Some((said_in, name)) = &header.data_file else {
        return Ok(bytes);
    };
    let data = beside((*said_in, name), path.parent())?;
    let head = &bytes[..bytes.len() - rest.len()];
    let mut whole = Vec::with_capacity(head.len() + data.len() + 2);
    for (line, text) in (1..).zip(head.split_inclusive(|b| *b == b'\n')) {
        if line != *said_in && !text.trim_ascii().is_empty() {
            whole.extend_from_slice(text);
        }
    }
    // The last line of a header without samples may lack a line end.
    let ends: &[u8] = if whole.ends_with(b"\n") {
        b"\n"
    } else {
        b"\n\n"
    };
    whole.extend_from_slice(ends);
    whole.extend_from_slice(&data);
    Ok(whole)
}

/// Reads the file that a line of the header names.
fn beside((line, name): (usize, &str), folder: Option<&Path>) -> Result<Vec<u8>, NrrdProblem> {
    let folder = folder.ok_or(NrrdProblem::Detached { line })?;
    read(&folder.join(name)).map_err(|problem| in_data_file((line, name), problem))
}

fn in_data_file((line, name): (usize, &str), problem: NrrdProblem) -> NrrdProblem {
    NrrdProblem::DataFile {
        line,
        data_file: name.to_owned(),
        problem: Box::new(problem),
    }
}

/// `folder` holds the file with the samples.
fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<Volume, NrrdProblem> {
    let (header, rest) = Header::parse(bytes)?;
    let samples = match &header.data_file {
        None => data::samples(&header, rest)?,
        Some((line, name)) => {
            let bytes = beside((*line, name), folder)?;
            data::samples(&header, &bytes)
                .map_err(|problem| in_data_file((*line, name), problem))?
        }
    };
    header.volume(samples)
}

/// Reads the bytes of a regular file within the limit.
fn read(path: &Path) -> Result<Vec<u8>, NrrdProblem> {
    // Before opening: opening a pipe would wait for its writer.
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(NrrdProblem::NotAFile);
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(NrrdProblem::TooLarge {
            bytes: about.len(),
            limit: MAX_FILE_BYTES,
        });
    }
    Ok(hapticd_files::read(path, MAX_FILE_BYTES)?)
}

/// Writes a volume with its header: single precision, raw, little-endian.
///
/// It reads back bit for bit, except for the rotation of its frame, which goes through a matrix.
///
/// # Errors
/// An error of the writer.
pub fn write(out: &mut impl io::Write, volume: &Volume) -> io::Result<()> {
    let [nx, ny, nz] = volume.nodes;
    let turn = volume.frame.rotation.to_rotation_matrix();
    let axis = |k: usize| {
        let along = turn.matrix().column(k) * volume.spacing[k];
        format!("({},{},{})", along.x, along.y, along.z)
    };
    let origin = volume.frame.translation.vector;
    write!(
        out,
        "NRRD0004\ntype: float\ndimension: 3\nspace dimension: 3\nsizes: {nx} {ny} {nz}\nspace directions: {} {} {}\nspace origin: ({},{},{})\n",
        axis(0),
        axis(1),
        axis(2),
        origin.x,
        origin.y,
        origin.z,
    )?;
    if let Some((name, _)) = (header::UNITS.iter()).find(|(_, m)| Some(*m) == volume.unit_m) {
        writeln!(out, "space units: \"{name}\" \"{name}\" \"{name}\"")?;
    }
    write!(
        out,
        "kinds: domain domain domain\nendian: little\nencoding: raw\n\n"
    )?;
    // A row at a time: a call for each sample would be slow if the writer is a file.
    let mut row = Vec::with_capacity(4 * nx as usize);
    for samples in volume.samples.chunks(nx as usize) {
        row.clear();
        row.extend(samples.iter().flat_map(|x| x.to_le_bytes()));
        out.write_all(&row)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
