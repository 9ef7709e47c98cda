//! NRRD, "nearly raw raster data": the laboratories' format of volumes (Teem, *Definition of NRRD
//! File Format*, versions 1 to 5).
//!
//! Read are three axes of numbers (8, 16 and 32 bit integers, single and double precision; raw,
//! ASCII or gzip) in a file with its header or in one beside it, in frames that stand at right
//! angles, turned as they may be. Everything else is refused, by line: a field that is unknown,
//! there twice, or says what is not understood is no reason to guess. A frame that is left-handed
//! by its directions has its first axis turned round, samples and all.
//!
//! No panic on any bytes. Memory is in proportion to the bytes that are there, and of what is
//! packed at most to the samples that the header asks for, which are
//! [`MAX_SAMPLES`](super::MAX_SAMPLES) at most.

use std::io;
use std::path::Path;

use super::{Volume, VolumeFault};
use crate::load::MAX_FILE_BYTES;

mod data;
mod header;

use header::Header;

/// Why a volume could not be read. The file's fault, or that of whoever named it.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct NrrdError {
    /// The file, or the name that the bytes were given with.
    pub file: String,
    /// What is wrong.
    pub problem: NrrdProblem,
}

/// What is wrong with a NRRD file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NrrdProblem {
    /// A folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// The operating system said no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A file larger than [`MAX_FILE_BYTES`].
    #[error("{bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// How large.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
    /// It begins with something else.
    #[error("line 1: `NRRD0001` to `NRRD0005` expected, `{found}` found: this is no NRRD file")]
    Magic {
        /// The start of what is there.
        found: String,
    },
    /// A line of the header that is not what it should be.
    #[error("line {line}: {expected} expected, `{found}` found")]
    Syntax {
        /// Which line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// The start of what is there.
        found: String,
    },
    /// A field that the format does not know.
    #[error("line {line}: `{field}` is no field of a NRRD header")]
    UnknownField {
        /// Which line, from 1.
        line: usize,
        /// As it stands there.
        field: String,
    },
    /// A field that is there twice.
    #[error("line {line}: `{field}` is there twice, first in line {first}")]
    Twice {
        /// Which line, from 1.
        line: usize,
        /// Where it is for the first time.
        first: usize,
        /// Which.
        field: &'static str,
    },
    /// A field without which nothing can be made of the rest.
    #[error("the header has no `{0}`")]
    Missing(&'static str),
    /// What the format allows and this reader does not.
    #[error("line {line}: not supported: {what}")]
    Unsupported {
        /// Which line, from 1.
        line: usize,
        /// What, and what to do instead.
        what: &'static str,
    },
    /// The axes do not stand at right angles.
    #[error(
        "line {line}: not supported: axes {first} and {second} are {degrees:.4} degrees apart: they have to stand at right angles (resample the volume)"
    )]
    Sheared {
        /// Which line, from 1.
        line: usize,
        /// An axis, from 1.
        first: usize,
        /// Another.
        second: usize,
        /// Between the two.
        degrees: f64,
    },
    /// Samples that would not be a volume.
    #[error("line {line}: {fault}")]
    Header {
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        fault: VolumeFault,
    },
    /// Not as many bytes as the header asks for.
    #[error("the header asks for {needed} bytes of samples, {available} are there")]
    Size {
        /// What `sizes` and `type` make.
        needed: u64,
        /// How many there are, at least.
        available: u64,
    },
    /// A word of a text that is no sample of the header's type.
    #[error("sample {number} is `{found}`, which is no {kind}")]
    Word {
        /// Which, from 0.
        number: u64,
        /// The start of what is there.
        found: String,
        /// The header's type.
        kind: &'static str,
    },
    /// What is packed cannot be unpacked.
    #[error("gzip: {0}")]
    Gzip(io::Error),
    /// The samples are no volume.
    #[error("{0}")]
    Volume(VolumeFault),
    /// A header without samples, and nowhere to look for them.
    #[error("line {line}: the samples are in another file, and bytes have none beside them")]
    Detached {
        /// Which line, from 1.
        line: usize,
    },
    /// The file with the samples.
    #[error("line {line}: `{data_file}`: {problem}")]
    DataFile {
        /// Which line, from 1.
        line: usize,
        /// As the header names it.
        data_file: String,
        /// What is wrong.
        problem: Box<NrrdProblem>,
    },
}

/// Reads a volume from a file, and the one that it names if its samples are there: beside it, or in
/// a folder beside it.
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

/// A file's bytes with its samples behind its header, wherever they are: [`from_bytes`] makes of
/// them what [`load`] makes of the file, to the bit.
///
/// # Errors
/// [`NrrdError`] if the header or the file with the samples cannot be read; samples are not looked
/// at.
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
    // The last line of a header without samples need not have an end.
    let ends: &[u8] = if whole.ends_with(b"\n") {
        b"\n"
    } else {
        b"\n\n"
    };
    whole.extend_from_slice(ends);
    whole.extend_from_slice(&data);
    Ok(whole)
}

/// The bytes of the file that a line of a header names.
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

/// `folder`: where the file with the samples is.
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

/// The bytes of a regular file within the limit.
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

/// Writes a volume with its header: single precision, raw, little-endian. What is written is read
/// back to the bit but for the turn of its frame, which goes through a matrix.
///
/// # Errors
/// What the writer itself refuses.
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
    // A row at a time: one call for each sample would be slow where the writer is a file.
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
