//! Surfaces of deformable bodies and of crowds: made once, written by the simulating thread, handed
//! to clients by the server.
//!
//! Each body has a block (layout: [`hapticd_protocol::block`]). [`SurfaceWriter::write`] never
//! waits, neither allocates nor makes a system call, and publishes all of a surface or nothing. So
//! clients see every point of one step, none of the next, and only finite numbers. It takes the
//! time of two copies of the points. Readers can meet it in the second copy, which takes 6 us for
//! 10,000 points and 0.1 ms for 100,000. Making and dropping writers makes system calls.

use hapticd_protocol::{
    block::{
        PAYLOAD_WORD, SEQUENCE_WORD, SURFACE_FIXED_WORDS, SurfaceError, SurfaceFrameHeader,
        SurfaceHeader, pack,
    },
    request::BodyKind,
};
use hapticd_proxy::{MAX_ARMS, tool_id};
use hapticd_sync::{seqlock::slice::SliceWriter, words::WritableWords};
use hapticd_sys::{
    block::{BlockFd, CreateError, SharedBlock},
    clock::now_ns,
};
use std::{
    collections::BTreeSet,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
};

/// Kind of a body with a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// A solid with an inside.
    Soft,
    /// A sheet.
    Cloth,
    /// A rigid body of a crowd.
    Crowd,
}

impl SurfaceKind {
    /// The kind in the protocol.
    pub fn wire(self) -> BodyKind {
        match self {
            Self::Soft => BodyKind::Soft,
            Self::Cloth => BodyKind::Cloth,
            Self::Crowd => BodyKind::Crowd,
        }
    }
}

/// A deformable body to be published.
#[derive(Clone, Debug)]
pub struct SurfaceInfo {
    /// Id of the body. Never reused, not even by a body of another kind. The scene numbers its
    /// bodies upwards from 1 as clients add them, so a deformable's id is best taken from a range
    /// that the scene never reaches (from `1 << 30`, say). The last few ids are the tools'.
    pub id: u32,
    /// Name of the body, for people.
    pub name: String,
    /// Kind of the body.
    pub kind: SurfaceKind,
    /// Number of points of its surface, which is constant.
    pub points: usize,
    /// Corners of its triangles, each below `points`.
    pub triangles: Vec<[u32; 3]>,
}

/// Why the surfaces could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SurfacesError {
    /// The id belongs to another body or to a tool. The daemon is at fault.
    #[error("two bodies have the id {id}; one of them is deformable")]
    IdTaken {
        /// The duplicate id.
        id: u32,
    },
    /// More points or triangles than a block can count. The configuration is at fault.
    #[error("deformable body {id} has {count} points or triangles; a block has at most 128 MiB")]
    TooLarge {
        /// Id of the body.
        id: u32,
        /// Number of points or triangles.
        count: usize,
    },
    /// A corner is not a valid point index. The daemon is at fault.
    #[error("deformable body {id}: {source}")]
    Corner {
        /// Id of the body.
        id: u32,
        /// The invalid corner.
        source: SurfaceError,
    },
    /// The block is too large, or could not be allocated.
    #[error(
        "the surface of deformable body {id} ({points} points, {triangles} triangles): {source}"
    )]
    Create {
        /// Id of the body.
        id: u32,
        /// Points of its surface.
        points: u32,
        /// Triangles of its surface.
        triangles: u32,
        /// Cause of the error.
        source: CreateError,
    },
}

/// Why a step's points were not published: clients keep the last ones. The daemon is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum WriteError {
    /// The number of points differs from the announced one.
    #[error("body {body} was announced with {announced} points but has {given}")]
    Count {
        /// Id of the body.
        body: u32,
        /// Announced number of points.
        announced: usize,
        /// Given number of points.
        given: usize,
    },
    /// A point is not finite.
    #[error("point {point} of body {body} is {at_m:?} m")]
    NotFinite {
        /// Id of the body.
        body: u32,
        /// The first such point.
        point: usize,
        /// Its coordinates.
        at_m: [f32; 3],
    },
}

/// The writing end of one body's surface, for the thread that simulates it.
#[derive(Debug)]
pub struct SurfaceWriter {
    id: u32,
    points: usize,
    lost_ns: u64,
    lock: SliceWriter<SharedBlock>,
    /// A value before it is published, so that no reader meets the writer while the simulation is
    /// still handing out points.
    words: Vec<u64>,
}

impl SurfaceWriter {
    /// Id of the body.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Adds simulated time that was lost (the simulation fell this much further behind the clock).
    /// Published with the next points.
    pub fn add_lost_ns(&mut self, ns: u64) {
        self.lost_ns = self.lost_ns.saturating_add(ns);
    }

    /// Publishes the points of step `tick` (world frame, m), which was at `time_ns` on the daemon's
    /// monotonic clock.
    ///
    /// # Errors
    /// [`WriteError`], and then nothing is published: a number of points that differs from the
    /// announced one (all of `points` is counted, so the iterator must end), or a point that is not
    /// finite.
    pub fn write(
        &mut self,
        tick: u64,
        time_ns: u64,
        points: impl Iterator<Item = [f32; 3]>,
    ) -> Result<(), WriteError> {
        let body = self.id;
        let (fixed, places) = self.words.split_at_mut(SURFACE_FIXED_WORDS);
        let header = SurfaceFrameHeader {
            tick,
            time_ns,
            lost_ns: self.lost_ns,
        };
        fixed.copy_from_slice(&header.to_words());
        let (mut given, mut not_finite) = (0, None);
        let mut points = points.fuse();
        let placed = points.by_ref().take(self.points).inspect(|at_m| {
            if not_finite.is_none() && !at_m.iter().all(|number| number.is_finite()) {
                not_finite = Some((given, *at_m));
            }
            given += 1;
        });
        pack(places, placed.flatten().map(f32::to_bits));
        given += points.count();
        if given != self.points {
            let announced = self.points;
            return Err(WriteError::Count {
                body,
                announced,
                given,
            });
        }
        if let Some((point, at_m)) = not_finite {
            return Err(WriteError::NotFinite { body, point, at_m });
        }
        // The list was made as long as the lock's values.
        self.lock
            .write(&self.words)
            .map_err(|error| WriteError::Count {
                body,
                announced: error.expected,
                given: error.given,
            })
    }
}

/// The server's share of the surfaces: descriptors to hand out.
#[derive(Debug, Default)]
pub struct SurfaceFds {
    bodies: Vec<(u32, Arc<OwnedFd>)>,
}

impl SurfaceFds {
    /// Descriptor of a body's surface, for a client; `None` if the body has none.
    pub(super) fn descriptor(&self, body: u32) -> Option<Arc<OwnedFd>> {
        let (_, fd) = self.bodies.iter().find(|(id, _)| *id == body)?;
        Some(fd.clone())
    }
}

/// Makes the block of one body. Header and triangles are written before anyone can see it.
fn block(info: &SurfaceInfo) -> Result<(SurfaceWriter, BlockFd), SurfacesError> {
    let id = info.id;
    let count =
        |count: usize| u32::try_from(count).map_err(|_| SurfacesError::TooLarge { id, count });
    let (points, triangles) = (count(info.points)?, count(info.triangles.len())?);
    let header = SurfaceHeader::new(id, points, triangles, now_ns());
    for (index, corners) in info.triangles.iter().enumerate() {
        header
            .check_corners(index, *corners)
            .map_err(|source| SurfacesError::Corner { id, source })?;
    }
    let create = |source| SurfacesError::Create {
        id,
        points,
        triangles,
        source,
    };
    let words = header.triangle_words().end;
    let (block, fd) = SharedBlock::create("hapticd-surface", words).map_err(create)?;
    let mut packed = vec![0; header.triangle_words().len()];
    pack(&mut packed, info.triangles.iter().flatten().copied());
    let changing = header.changing_words();
    let unchanging = header.to_words().into_iter().enumerate();
    let packed = packed
        .into_iter()
        .enumerate()
        .map(|(index, word)| (PAYLOAD_WORD + changing + index, word));
    for (index, value) in unchanging.chain(packed) {
        if let Some(word) = block.words().get(index) {
            word.store(value, Ordering::Relaxed);
        }
    }
    // Cannot fail, as the block was just made large enough; reported as the same error anyway.
    let lock = SliceWriter::new(block, SEQUENCE_WORD, changing)
        .map_err(|_| create(CreateError::Size { words }))?;
    let writer = SurfaceWriter {
        id,
        points: info.points,
        lost_ns: 0,
        lock,
        words: vec![0; changing],
    };
    Ok((writer, fd))
}

/// Makes the blocks of these bodies; the writers come in the same order.
///
/// # Errors
/// [`SurfacesError`]: a duplicate id, an invalid corner, a body that is too large for a block, or
/// no memory.
pub fn create(infos: &[SurfaceInfo]) -> Result<(Vec<SurfaceWriter>, SurfaceFds), SurfacesError> {
    let mut taken: BTreeSet<u32> = (0..MAX_ARMS).map(tool_id).collect();
    let (mut writers, mut fds) = (Vec::with_capacity(infos.len()), SurfaceFds::default());
    for info in infos {
        if !taken.insert(info.id) {
            return Err(SurfacesError::IdTaken { id: info.id });
        }
        let (writer, fd) = block(info)?;
        writers.push(writer);
        fds.bodies.push((info.id, Arc::new(fd.into_owned())));
    }
    Ok((writers, fds))
}

#[cfg(test)]
mod tests;
