//! The records of one chunk of an MCAP file. Each length is checked against the rest of the chunk.
//!
//! The library trusts the length of a record inside a chunk (mcap 0.26 counts the remaining bytes
//! down below zero), so chunks are taken whole and split here. Chunks of hapticd are not
//! compressed. Not real-time: allocates.

use std::ops::Range;

use super::read_error::ReadError;

/// Offset of the checksum in a chunk record: two times and the length are before it.
const CHECKSUM_AT: usize = 24;
/// Length of an opcode and of the length that follows it.
const RECORD_HEAD: usize = 9;

/// A chunk that is being read; empty at first.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    /// Offset of the next record.
    at: usize,
}

impl Chunk {
    /// Takes the content of a chunk record.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if a length, the checksum or the compression is wrong.
    pub(super) fn new(record: &[u8]) -> Result<Self, ReadError> {
        let damaged = |what: &str| ReadError::Damaged(format!("a chunk {what}"));
        let is_short = || damaged("has a short header");
        let (head, rest) = record.split_at_checked(CHECKSUM_AT).ok_or_else(is_short)?;
        let (checksum, rest) = rest.split_first_chunk::<4>().ok_or_else(is_short)?;
        let (name, rest) = rest.split_first_chunk::<4>().ok_or_else(is_short)?;
        if u32::from_le_bytes(*name) != 0 {
            return Err(damaged("is compressed, unlike ours"));
        }
        let (length, bytes) = rest.split_first_chunk::<8>().ok_or_else(is_short)?;
        let (length, left) = (u64::from_le_bytes(*length), bytes.len() as u64);
        let unpacked = head.last_chunk::<8>().map(|n| u64::from_le_bytes(*n));
        if length != left || unpacked != Some(left) {
            return Err(damaged(&format!("has {left} of {length} bytes")));
        }
        let checksum = u32::from_le_bytes(*checksum);
        // 0 means that the chunk has no checksum.
        if checksum != 0 && checksum != crc32fast::hash(bytes) {
            return Err(damaged("has a wrong checksum"));
        }
        Ok(Self {
            bytes: bytes.to_vec(),
            at: 0,
        })
    }

    /// Advances to the next record. Returns its opcode and the range of its content; `None` at the
    /// end.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if a record is longer than the rest of the chunk.
    pub(super) fn advance(&mut self) -> Result<Option<(u8, Range<usize>)>, ReadError> {
        let left = self.bytes.get(self.at..).unwrap_or_default();
        if left.is_empty() {
            return Ok(None);
        }
        let too_long = || {
            let left = left.len();
            ReadError::Damaged(format!(
                "a record is longer than the {left} bytes left in its chunk"
            ))
        };
        let (head, content) = left.split_at_checked(RECORD_HEAD).ok_or_else(too_long)?;
        let length = head.last_chunk::<8>().map(|n| u64::from_le_bytes(*n));
        let length = length.and_then(|n| usize::try_from(n).ok());
        let length = length
            .filter(|n| *n <= content.len())
            .ok_or_else(too_long)?;
        let begin = self.at + RECORD_HEAD;
        self.at = begin + length;
        Ok(Some((head[0], begin..self.at)))
    }

    /// Returns the content of a record that [`advance`](Self::advance) found.
    pub(super) fn content(&self, place: Range<usize>) -> &[u8] {
        self.bytes.get(place).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(opcode: u8, content: &[u8]) -> Vec<u8> {
        [
            &[opcode][..],
            &(content.len() as u64).to_le_bytes(),
            content,
        ]
        .concat()
    }

    fn chunk(records: &[u8], checksum: u32) -> Vec<u8> {
        let length = (records.len() as u64).to_le_bytes();
        [
            &[0; 16][..],
            &length,
            &checksum.to_le_bytes(),
            &[0; 4],
            &length,
            records,
        ]
        .concat()
    }

    #[test]
    fn records_come_in_order_and_end_with_the_chunk() {
        let records = [record(5, b"one"), record(6, b"")].concat();
        for checksum in [0, crc32fast::hash(&records)] {
            let mut chunk = Chunk::new(&chunk(&records, checksum)).unwrap();
            let (opcode, place) = chunk.advance().unwrap().unwrap();
            assert_eq!((opcode, chunk.content(place)), (5, &b"one"[..]));
            let (opcode, place) = chunk.advance().unwrap().unwrap();
            assert_eq!((opcode, chunk.content(place)), (6, &b""[..]));
            assert!(chunk.advance().unwrap().is_none());
        }
    }

    #[test]
    fn no_length_beyond_its_chunk_is_believed() {
        let records = [record(5, b"one"), record(6, b"three")].concat();
        let whole = chunk(&records, 0);
        for length in 0..whole.len() {
            assert!(Chunk::new(&whole[..length]).is_err(), "cut to {length}");
        }
        for wrong in [0, 1, 4, u64::MAX, i64::MAX as u64] {
            let mut records = records.clone();
            records[13..21].copy_from_slice(&wrong.to_le_bytes());
            let mut chunk = Chunk::new(&chunk(&records, 0)).unwrap();
            assert!(chunk.advance().unwrap().is_some());
            // A length that is too small ends in the middle of the next record.
            let mut rest = std::iter::from_fn(|| chunk.advance().transpose());
            assert!(rest.any(|found| found.is_err()), "{wrong}");
        }
        assert!(Chunk::new(&chunk(&records, 1)).is_err(), "the checksum");
    }
}
