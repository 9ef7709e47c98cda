//! The samples of a NRRD file: converts the bytes described by the header to single precision.

use std::io::Read;

use super::NrrdProblem;
use super::header::{Encoding, Header, Kind};
use crate::load::excerpt;

/// Reads the samples that the header describes from `bytes`: what follows the header, or the data
/// file.
pub(super) fn samples(header: &Header, bytes: &[u8]) -> Result<Vec<f32>, NrrdProblem> {
    let bytes = skip_lines(bytes, header.line_skip)?;
    let needed = header.count() * header.kind.bytes() as u64;
    match header.encoding {
        Encoding::Raw => raw(header, skip_bytes(bytes, header.byte_skip, needed)?),
        // A negative skip ("all but the samples") is refused for this encoding.
        Encoding::Ascii => ascii(header, skip_bytes(bytes, header.byte_skip, 0)?),
        Encoding::Gzip => {
            // Bytes to be skipped are compressed as well.
            let skipped = header.byte_skip.unsigned_abs();
            let mut unpacked = Vec::new();
            // One byte more than needed shows that there are too many, and no more is unpacked.
            flate2::read::MultiGzDecoder::new(bytes)
                .take(needed.saturating_add(skipped).saturating_add(1))
                .read_to_end(&mut unpacked)
                .map_err(NrrdProblem::Gzip)?;
            raw(header, skip_bytes(&unpacked, header.byte_skip, needed)?)
        }
    }
}

fn skip_lines(mut bytes: &[u8], count: u64) -> Result<&[u8], NrrdProblem> {
    for skipped in 0..count {
        let Some(end) = bytes.iter().position(|b| *b == b'\n') else {
            // Fewer lines than are to be skipped also means too few samples.
            return Err(NrrdProblem::Size {
                needed: count,
                available: skipped,
            });
        };
        bytes = &bytes[end + 1..];
    }
    Ok(bytes)
}

/// Skips `count` bytes; if it is negative, all but the last `needed` bytes.
fn skip_bytes(bytes: &[u8], count: i64, needed: u64) -> Result<&[u8], NrrdProblem> {
    let available = bytes.len() as u64;
    let from = match u64::try_from(count) {
        Ok(count) => Some(count).filter(|n| *n <= available),
        Err(_) => available.checked_sub(needed),
    };
    match from {
        Some(from) => Ok(&bytes[from as usize..]),
        None => Err(NrrdProblem::Size {
            needed: needed.saturating_add(u64::try_from(count).unwrap_or(0)),
            available,
        }),
    }
}

fn raw(header: &Header, bytes: &[u8]) -> Result<Vec<f32>, NrrdProblem> {
    let (needed, available) = (
        header.count() * header.kind.bytes() as u64,
        bytes.len() as u64,
    );
    if needed != available {
        return Err(NrrdProblem::Size { needed, available });
    }
    /// Decodes one number from every `N` bytes.
    fn each<const N: usize>(bytes: &[u8], big: bool, number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
        let (chunks, _) = bytes.as_chunks::<N>();
        let number = |chunk: &[u8; N]| {
            let mut chunk = *chunk;
            if big {
                chunk.reverse();
            }
            number(chunk)
        };
        chunks.iter().map(number).collect()
    }
    let big = header.big_endian;
    Ok(match header.kind {
        Kind::I8 => each(bytes, big, |b| f32::from(i8::from_le_bytes(b))),
        Kind::U8 => each(bytes, big, |b| f32::from(u8::from_le_bytes(b))),
        Kind::I16 => each(bytes, big, |b| f32::from(i16::from_le_bytes(b))),
        Kind::U16 => each(bytes, big, |b| f32::from(u16::from_le_bytes(b))),
        Kind::I32 => each(bytes, big, |b| i32::from_le_bytes(b) as f32),
        Kind::U32 => each(bytes, big, |b| u32::from_le_bytes(b) as f32),
        Kind::F32 => each(bytes, big, f32::from_le_bytes),
        Kind::F64 => each(bytes, big, |b| f64::from_le_bytes(b) as f32),
    })
}

/// Parses words between white space and commas.
fn ascii(header: &Header, bytes: &[u8]) -> Result<Vec<f32>, NrrdProblem> {
    let kind = header.kind;
    let mut samples = Vec::new();
    let words = bytes.split(|b| b.is_ascii_whitespace() || *b == b',');
    for (number, word) in (0..).zip(words.filter(|word| !word.is_empty())) {
        if number == header.count() {
            // There may be any number more; reports the least.
            return Err(NrrdProblem::Size {
                needed: header.count(),
                available: number + 1,
            });
        }
        let text = std::str::from_utf8(word).ok();
        let sample = text.and_then(|text| kind.parse(text));
        samples.push(sample.ok_or_else(|| NrrdProblem::Word {
            number,
            found: excerpt(word),
            kind: kind.name(),
        })?);
    }
    if samples.len() as u64 == header.count() {
        Ok(samples)
    } else {
        Err(NrrdProblem::Size {
            needed: header.count(),
            available: samples.len() as u64,
        })
    }
}
