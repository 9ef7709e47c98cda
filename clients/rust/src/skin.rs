//! The skin of an implicit body, mapped: a mesh that is another one in every frame.
//!
//! Reading copies the newest frame out of shared memory that the daemon alone can write: no
//! message, no system call, and no allocation once the caller's lists have grown. It goes on
//! working (with the last frame) when the [`Client`](crate::Client) is gone.
//!
//! A block that is not what it should be is an error of opening, a frame that is not one of
//! reading; neither can do harm.

use crate::RequestError;
use hapticd_protocol::block::{
    HEADER_WORDS, SEQUENCE_WORD, SKIN_FIXED_WORDS, SkinError, SkinHeader, SkinMoment, unpack,
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
    /// What it is, when it was so, and how good it is.
    pub moment: SkinMoment,
    /// Places.
    pub points: Vec<[f32; 3]>,
    /// Of the points: unit, outward.
    pub normals: Vec<[f32; 3]>,
    /// Of the points: where they are by now, or for motion blur.
    pub velocities: Vec<[f32; 3]>,
    /// Corners, counter-clockwise from outside; each is a point.
    pub triangles: Vec<[u32; 3]>,
}

/// Why a frame could not be read. What the caller has then is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadSkinError {
    /// Nothing there yet, or the writer came round each time; both pass.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What is there is no mesh. The daemon's fault.
    #[error(transparent)]
    Frame(#[from] SkinError),
}

/// The skin of one implicit body.
#[derive(Debug)]
pub struct Skin {
    header: SkinHeader,
    reader: TurnsReader<ReadOnlyBlock>,
    /// Where a frame is copied to before it is taken apart.
    words: Vec<u64>,
}

fn unusable(error: impl ToString) -> RequestError {
    RequestError::Block(error.to_string())
}

impl Skin {
    /// Maps what the daemon handed over as the skin of body `body`: for whoever got the descriptor
    /// otherwise than by [`Client::skin`](crate::Client::skin).
    ///
    /// # Errors
    /// [`RequestError::Block`]: it is no such block.
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

    /// Whose skin it is.
    pub fn body(&self) -> u32 {
        self.header.body
    }

    /// Most triangles of a frame.
    pub fn most_triangles(&self) -> usize {
        self.header.room.triangles as usize
    }

    /// How many frames were published; 0 before the first. Two loads: the cheap way to see whether
    /// there is something new.
    pub fn version(&self) -> u64 {
        self.reader.version()
    }

    /// Copies the newest frame's words; gives how many there are.
    fn copy(&mut self) -> Result<usize, ReadSkinError> {
        let read = |error| match error {
            ReadSliceError::Read(error) => error,
            // Never asked for more than a slot.
            ReadSliceError::Length(_) => ReadError::Empty,
        };
        for _ in 0..READ_ATTEMPTS {
            let mut head = [0; SKIN_FIXED_WORDS];
            let number = self.reader.read_into(&mut head).map_err(read)?;
            let counts = SkinMoment::from_words(&head).counts;
            self.header.check_counts(counts)?;
            // No more than a slot, whose words the header's check has counted.
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

    /// Makes `frame` the newest one. Whatever was in its lists is gone.
    ///
    /// # Errors
    /// [`ReadSkinError`]; then `frame` is as it was.
    pub fn read(&mut self, frame: &mut SkinFrame) -> Result<(), ReadSkinError> {
        let all = self.copy()?;
        let words = &self.words[..all];
        let head = std::array::from_fn(|index| words.get(index).copied().unwrap_or(0));
        let moment = SkinMoment::from_words(&head);
        let Some([points, normals, velocities, triangles]) = moment.counts.places() else {
            return Err(ReadError::Empty.into());
        };
        let count = moment.counts.points;
        let corners = || unpack(words[triangles.clone()].iter().copied());
        for (triangle, corners) in corners().take(moment.counts.triangles as usize).enumerate() {
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
        (frame.triangles).extend(corners().take(moment.counts.triangles as usize));
        frame.moment = moment;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
