//! The mapped skin of an implicit body: a mesh that changes completely from frame to frame.
//!
//! Reading copies the newest frame out of shared memory that only the daemon can write: no message,
//! no system call, and no allocation once the caller's lists have grown. It keeps working (with the
//! last frame) when the [`Client`](crate::Client) is gone.
//!
//! An invalid block is an error of opening; an invalid frame is an error of reading. Neither can
//! cause harm.

use crate::RequestError;
use hapticd_protocol::block::{
    HEADER_WORDS, SEQUENCE_WORD, SKIN_FIXED_WORDS, SkinError, SkinFrameHeader, SkinHeader, unpack,
};
use hapticd_sync::{
    seqlock::{READ_ATTEMPTS, ReadError, slice::ReadSliceError, turns::TurnsReader},
    words::ReadableWords,
};
use hapticd_sys::block::ReadOnlyBlock;
use std::{os::fd::OwnedFd, sync::atomic::Ordering};

/// A frame of a skin: world frame, m, m/s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinFrame {
    /// Description of the frame: size, time and quality.
    pub header: SkinFrameHeader,
    /// Positions of the points, m.
    pub points: Vec<[f32; 3]>,
    /// Outward unit normals at the points.
    pub normals: Vec<[f32; 3]>,
    /// Velocities of the points, m/s: for extrapolation to the present, or for motion blur.
    pub velocities: Vec<[f32; 3]>,
    /// Triangles as indices of points, each valid; counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Reason why a frame could not be read. The caller's frame is then unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadSkinError {
    /// Nothing was published yet, or the writer interfered in every attempt; both are transient.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The published frame is not a mesh; the daemon's fault.
    #[error(transparent)]
    Frame(#[from] SkinError),
}

/// The skin of one implicit body.
#[derive(Debug)]
pub struct Skin {
    header: SkinHeader,
    reader: TurnsReader<ReadOnlyBlock>,
    /// Buffer for a copied frame before it is decoded.
    words: Vec<u64>,
}

fn unusable(error: impl ToString) -> RequestError {
    RequestError::Block(error.to_string())
}

impl Skin {
    /// Maps `fd`, a descriptor from the daemon, as the skin of body `body`. For callers that did
    /// not get the descriptor from [`Client::skin`](crate::Client::skin).
    ///
    /// # Errors
    /// [`RequestError::Block`] if it is not such a block.
    pub fn open(fd: OwnedFd, body: u32) -> Result<Self, RequestError> {
        let block = ReadOnlyBlock::open(fd).map_err(unusable)?;
        let words = block.readable_words();
        let header: [u64; HEADER_WORDS] = std::array::from_fn(|index| {
            words
                .get(index)
                .map_or(0, |word| word.load(Ordering::Relaxed))
        });
        let header = SkinHeader::check(&header, words.len(), body).map_err(unusable)?;
        let reader =
            TurnsReader::new(block, SEQUENCE_WORD, header.slot_words()).map_err(unusable)?;
        Ok(Self {
            header,
            reader,
            words: vec![0; SKIN_FIXED_WORDS],
        })
    }

    /// Returns the identity of the body.
    pub fn body(&self) -> u32 {
        self.header.body
    }

    /// Returns the maximum number of points of a frame.
    pub fn max_points(&self) -> usize {
        self.header.capacity.points as usize
    }

    /// Returns the maximum number of triangles of a frame.
    pub fn max_triangles(&self) -> usize {
        self.header.capacity.triangles as usize
    }

    /// Returns how many frames were published; 0 before the first. Costs two loads: the cheap way
    /// to see whether there is a new frame.
    pub fn version(&self) -> u64 {
        self.reader.version()
    }

    /// Copies the words of the newest frame; returns their number.
    fn copy(&mut self) -> Result<usize, ReadSkinError> {
        let read = |error| match error {
            ReadSliceError::Read(error) => error,
            // Cannot occur: it never asks for more than a slot.
            ReadSliceError::Length(_) => ReadError::Empty,
        };
        for _ in 0..READ_ATTEMPTS {
            let mut head = [0; SKIN_FIXED_WORDS];
            let number = self.reader.read_into(&mut head).map_err(read)?;
            let counts = SkinFrameHeader::from_words(&head).counts;
            self.header.check_counts(counts)?;
            // At most a slot, whose words the check of the header has counted.
            let all = counts.words() as usize;
            if self.words.len() < all {
                self.words.resize(all, 0);
            }
            let again = self
                .reader
                .read_into(&mut self.words[..all])
                .map_err(read)?;
            if again == number {
                return Ok(all);
            }
        }
        Err(ReadError::Torn.into())
    }

    /// Replaces `frame` by the newest one. The old content of its lists is lost.
    ///
    /// # Errors
    /// [`ReadSkinError`]; `frame` is then unchanged.
    pub fn read(&mut self, frame: &mut SkinFrame) -> Result<(), ReadSkinError> {
        let all = self.copy()?;
        let words = &self.words[..all];
        let head = std::array::from_fn(|index| words.get(index).copied().unwrap_or(0));
        let header = SkinFrameHeader::from_words(&head);
        let Some([points, normals, velocities, triangles]) = header.counts.places() else {
            return Err(ReadError::Empty.into());
        };
        let count = header.counts.points;
        let corners = || unpack(words[triangles.clone()].iter().copied());
        for (triangle, corners) in corners().take(header.counts.triangles as usize).enumerate() {
            if let Some(corner) = corners.into_iter().find(|corner| *corner >= count) {
                return Err(SkinError::Corner {
                    triangle,
                    corner,
                    points: count,
                }
                .into());
            }
        }
        let lists = [
            (&mut frame.points, points),
            (&mut frame.normals, normals),
            (&mut frame.velocities, velocities),
        ];
        for (list, place) in lists {
            list.clear();
            let some = unpack(words[place].iter().copied()).take(count as usize);
            list.extend(some.map(|v| v.map(f32::from_bits)));
        }
        frame.triangles.clear();
        (frame.triangles).extend(corners().take(header.counts.triangles as usize));
        frame.header = header;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
