//! Skins of implicit bodies: made once, written by the skin thread, handed to clients by the
//! server.
//!
//! Each body has a block (layout: [`hapticd_protocol::block`]) with two frames written in turns.
//! [`SkinWriter::write`] never waits, neither allocates nor makes a system call, and publishes all
//! of a frame or nothing: a mesh with finite numbers and valid corners. It takes the time of two
//! copies of the frame. Making and dropping writers makes system calls.

use std::os::fd::OwnedFd;
use std::sync::{Arc, atomic::Ordering};

use hapticd_protocol::block::{
    SEQUENCE_WORD, SKIN_FIXED_WORDS, SkinCounts, SkinFrameHeader, SkinHeader, pack,
};
use hapticd_sync::{seqlock::turns::TurnsWriter, words::WritableWords};
use hapticd_sys::{
    block::{CreateError, SharedBlock},
    clock::now_ns,
};

/// An implicit body whose skin is to be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkinInfo {
    /// Id of the body, unique as that of a surface.
    pub id: u32,
    /// Name of the body, for people.
    pub name: String,
    /// Most triangles of a frame.
    pub triangles: u32,
}

impl SkinInfo {
    /// Capacity of each frame: a closed mesh has half as many points as triangles, and two for each
    /// piece. The smallest piece is an octahedron, with six points and eight triangles.
    #[must_use]
    pub fn capacity(&self) -> SkinCounts {
        SkinCounts {
            points: self.triangles / 2 + self.triangles / 4 + 64,
            triangles: self.triangles,
        }
    }
}

/// Why a block could not be made. The configuration or the system is at fault.
#[derive(Debug, thiserror::Error)]
#[error("the skin of body {id} ({triangles} triangles): {source}")]
pub struct SkinsError {
    /// Id of the body.
    pub id: u32,
    /// Most triangles of a frame.
    pub triangles: u32,
    /// Cause of the error.
    pub source: CreateError,
}

/// Why a frame was not published: clients keep the last one.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum WriteError {
    /// The mesh exceeds the capacity.
    #[error("{given:?} exceeds the block's {capacity:?}")]
    Full {
        /// Size of the mesh.
        given: SkinCounts,
        /// Capacity of the block.
        capacity: SkinCounts,
    },
    /// The lists differ in length. The daemon is at fault.
    #[error("{points} points, {normals} normals, {velocities} velocities")]
    Lengths {
        /// Number of points.
        points: usize,
        /// Number of normals.
        normals: usize,
        /// Number of velocities.
        velocities: usize,
    },
    /// A number is not finite. The daemon is at fault.
    #[error("point {point} is not finite")]
    NotFinite {
        /// The first such point.
        point: usize,
    },
    /// A corner is not a valid point index. The daemon is at fault.
    #[error("triangle {triangle} has corner {corner} of {points} points")]
    Corner {
        /// The first such triangle.
        triangle: usize,
        /// The invalid corner.
        corner: u32,
        /// Number of points.
        points: u32,
    },
}

/// A mesh to publish: world frame, m, m/s.
#[derive(Clone, Copy, Debug)]
pub struct SkinMesh<'a> {
    /// Positions of the points.
    pub points: &'a [[f32; 3]],
    /// Normals of the points: unit, outward.
    pub normals: &'a [[f32; 3]],
    /// Velocities of the points.
    pub velocities: &'a [[f32; 3]],
    /// Corners, counter-clockwise from outside.
    pub triangles: &'a [[u32; 3]],
}

/// The writing end of one body's skin, for the skin thread.
#[derive(Debug)]
pub struct SkinWriter {
    id: u32,
    capacity: SkinCounts,
    lock: TurnsWriter<SharedBlock>,
    /// A frame before it is published.
    words: Vec<u64>,
}

impl SkinWriter {
    /// Id of the body.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Capacity of each frame.
    #[must_use]
    pub fn capacity(&self) -> SkinCounts {
        self.capacity
    }

    /// Publishes a frame. Sets the counts and the time of publication in `header`.
    ///
    /// # Errors
    /// [`WriteError`], and then nothing is published.
    pub fn write(
        &mut self,
        mut header: SkinFrameHeader,
        mesh: &SkinMesh<'_>,
    ) -> Result<(), WriteError> {
        let SkinMesh {
            points,
            normals,
            velocities,
            triangles,
        } = *mesh;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let counts = SkinCounts {
            points: number(points.len()),
            triangles: number(triangles.len()),
        };
        let full = WriteError::Full {
            given: counts,
            capacity: self.capacity,
        };
        if counts.points > self.capacity.points || counts.triangles > self.capacity.triangles {
            return Err(full);
        }
        if normals.len() != points.len() || velocities.len() != points.len() {
            return Err(WriteError::Lengths {
                points: points.len(),
                normals: normals.len(),
                velocities: velocities.len(),
            });
        }
        let finite = |v: &[f32; 3]| v.iter().all(|x| x.is_finite());
        let all = points.iter().zip(normals).zip(velocities);
        let mut whole = all.map(|((p, n), v)| finite(p) && finite(n) && finite(v));
        if let Some(point) = whole.position(|whole| !whole) {
            return Err(WriteError::NotFinite { point });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(corner) = corners.iter().find(|corner| **corner >= counts.points) {
                return Err(WriteError::Corner {
                    triangle,
                    corner: *corner,
                    points: counts.points,
                });
            }
        }
        let places = counts.places().ok_or(full)?;
        header.counts = counts;
        for (place, list) in places.iter().zip([points, normals, velocities]) {
            pack(
                &mut self.words[place.clone()],
                list.iter().flatten().map(|x| x.to_bits()),
            );
        }
        pack(
            &mut self.words[places[3].clone()],
            triangles.iter().flatten().copied(),
        );
        header.published_ns = now_ns();
        self.words[..SKIN_FIXED_WORDS].copy_from_slice(&header.to_words());
        // No longer than a slot: the counts were checked against its capacity.
        self.lock
            .write(&self.words[..places[3].end])
            .map_err(|_| full)
    }
}

/// The server's share of the skins: descriptors to hand out.
#[derive(Debug, Default)]
pub struct SkinFds {
    bodies: Vec<(u32, Arc<OwnedFd>)>,
}

impl SkinFds {
    /// Descriptor of a body's skin, for a client; `None` if the body has none.
    pub fn descriptor(&self, body: u32) -> Option<Arc<OwnedFd>> {
        let (_, fd) = self.bodies.iter().find(|(id, _)| *id == body)?;
        Some(fd.clone())
    }
}

/// Makes the blocks of these bodies; the writers come in the same order. The caller must ensure
/// that ids are unique.
///
/// # Errors
/// [`SkinsError`]: a block that is too large, or no memory.
pub fn create(infos: &[SkinInfo]) -> Result<(Vec<SkinWriter>, SkinFds), SkinsError> {
    let (mut writers, mut fds) = (Vec::with_capacity(infos.len()), SkinFds::default());
    for info in infos {
        let (id, capacity) = (info.id, info.capacity());
        let error = |source| SkinsError {
            id,
            triangles: info.triangles,
            source,
        };
        let words = usize::try_from(SkinHeader::needed_words(capacity)).unwrap_or(usize::MAX);
        let words = words.saturating_add(SEQUENCE_WORD + 1);
        let (block, fd) = SharedBlock::create("hapticd-skin", words).map_err(error)?;
        let header = SkinHeader::new(id, capacity, now_ns());
        for (word, value) in block.words().iter().zip(header.to_words()) {
            word.store(value, Ordering::Relaxed);
        }
        let slot = header.slot_words();
        let lock = TurnsWriter::new(block, SEQUENCE_WORD, slot)
            .map_err(|_| error(CreateError::Size { words }))?;
        writers.push(SkinWriter {
            id,
            capacity,
            lock,
            words: vec![0; slot],
        });
        fds.bodies.push((id, Arc::new(fd.into_owned())));
    }
    Ok((writers, fds))
}

#[cfg(test)]
mod tests;
