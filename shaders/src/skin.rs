//! Large skins on the GPU: makes the same mesh as [`hapticd_skin::Skin`] for points that all blend,
//! but for rounding.
//!
//! # Theory
//!
//! Uses the CPU's bricks of 7³ cubes (Triquet 2001, section 3, without the tracking, which does not
//! suit a GPU), in passes with one workgroup per brick. *Pairs* of a primitive and a brick that it
//! reaches are found, counted by brick, and scattered to lists, which are then sorted by primitive.
//! *Signs*: bounds of the sum exclude a brick, or all of its nodes are sampled, eight per thread.
//! *Join*: each brick takes the signs of shared nodes from the brick that owns them, and counts its
//! own cut edges and its triangles. *Vertices* lie on own cut edges, by linear interpolation, with
//! the gradient as normal. *Triangles* come from the CPU's own table ([`hapticd_skin::table`]).
//! Vertices and triangles are numbered by prefix sums.
//!
//! Whatever must be consistent is computed in one place only: which bricks a primitive reaches is
//! decided once, and so is the side of each node. So the mesh closes whatever the driver's compiler
//! does with single precision, which it may round differently in different passes. Atomic counters
//! count, and assign places in lists that are sorted afterwards: the same input gives the same
//! bytes on the same adapter.
//!
//! # Practice
//!
//! The unit of length is the edge of a cube, and positions are relative to the domain's lowest
//! corner. Nodes are whole numbers, and a position is accurate to 2.5e-4 of a cube at the far end
//! of the largest domain. Nodes with a sum equal to the level up to rounding may be on the other
//! side than on the CPU; the few cubes around them then differ. Bricks and vertices are in the
//! order of their places, not of the primitives.
//!
//! Supports only points, only [`hapticd_skin::Kernel::Murakami`], and only free blending. Anything
//! else is refused by name, and the CPU does it. What the CPU refuses is refused here with the same
//! error ([`GpuSkinError::Skin`]). A mesh that leaves the domain is cut off and closed at its
//! border, as there.
//!
//! Buffers grow by half at least. A mesh that did not fit is made again, which costs up to two more
//! tries the first time. Exceeding what an adapter binds is an error with both numbers. GPU memory
//! is 8 bytes for a pair, 4 more in its list, 12 for each brick of the domain, 172 for each reached
//! brick, 24 for a vertex and 12 for a triangle.
//!
//! [`GpuSkin::polygonize`] waits for the GPU twice (for the sizes, then for the mesh), no longer
//! than [`Patience`] allows. Not real-time: allocates, as the driver does.

use hapticd_skin::{Mesh, Primitive, Settings};

use crate::buffer::BufferError;
use crate::device::Gpu;
use crate::near::Patience;
use crate::readback::{DEPTH, Ring};
use crate::setup::SetupError;

mod error;
mod large;
mod made;
mod rows;

use made::{MAX_BRICKS, Made, SkinCapacity};

pub use error::{GpuSkinError, SkinRefused};
pub use large::LargeSkins;
pub use rows::{SkinBall, SkinBrick, SkinGrid, SkinScan, SkinTally};

/// Maximum number of tries at a mesh that does not fit: one for pairs and bricks, one for vertices
/// and triangles, and one that fits all.
const TRIES: u32 = 3;

/// Maximum number of pairs of a primitive and a brick in its box: lists are sorted in steps of
/// powers of two.
const MAX_PAIRS: u32 = 1 << 31;

/// Counters of one mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuReport {
    /// Bricks that a primitive reaches.
    pub reached: usize,
    /// Reached bricks that bounds do not exclude.
    pub sampled: usize,
    /// Sampled bricks with surface.
    pub active: usize,
    /// Nodes on the domain's border that would be inside.
    pub clipped: usize,
    /// Number of tries until everything fitted; 1 if it did at once.
    pub tries: u32,
    /// GPU time of the last try without the readback, ns; `None` without timestamps.
    pub gpu_ns: Option<f64>,
    /// GPU memory, bytes.
    pub bytes: u64,
}

/// Large skins on a device. See the module page.
#[derive(Debug)]
pub struct GpuSkin {
    gpu: Gpu,
    made: Made,
    patience: Patience,
    /// Number of submissions.
    sent: u64,
    ring: Ring<u64>,
    balls: Vec<SkinBall>,
}

impl GpuSkin {
    /// Creates the mesher and compiles the passes. `patience` applies to each of the two waits; one
    /// poll waits at most a millisecond.
    ///
    /// # Errors
    /// The device does not accept a pass, has no memory or has failed.
    pub fn new(gpu: Gpu, patience: Patience) -> Result<Self, SetupError> {
        let made = Made::new(&gpu)?;
        Ok(Self {
            gpu,
            made,
            patience,
            sent: 0,
            ring: Ring::default(),
            balls: Vec::new(),
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Sets how long later meshes are waited for.
    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// Opens the device again after a fault. Drops everything under way.
    ///
    /// # Errors
    /// Opening or compiling fails; it can be tried again.
    pub fn recover(&mut self) -> Result<(), SetupError> {
        self.ring.clear();
        self.gpu.reopen()?;
        self.made = Made::new(&self.gpu)?;
        Ok(())
    }

    /// Writes the surface of `primitives`, all of which blend, to `out`, replacing its content, as
    /// [`hapticd_skin::Skin::polygonize`] does. Blocks.
    ///
    /// # Errors
    /// [`GpuSkinError`]: the first defect found; `out` is then empty.
    pub fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<GpuReport, GpuSkinError> {
        out.clear();
        let made = self.surface(settings, primitives, out);
        if made.is_err() {
            out.clear();
        }
        made
    }

    fn surface(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<GpuReport, GpuSkinError> {
        settings.check(primitives)?;
        self.gpu.check()?;
        let grid = self.list(settings, primitives)?;
        if self.balls.is_empty() {
            return Ok(GpuReport::default());
        }
        for tries in 1..=TRIES {
            self.made
                .load(&self.gpu, (&grid, &self.balls), settings.ambiguity)?;
            let (tally, gpu_ns) = self.count()?;
            let (room, wanted) = (self.made.room(), wanted(&tally)?);
            if wanted.fits(&room) {
                if tally.torn > 0 {
                    let torn = tally.torn;
                    return Err(GpuSkinError::Wrong { torn, tries });
                }
                self.fetch(settings, &tally, out)?;
                return Ok(GpuReport {
                    reached: tally.bricks as usize,
                    sampled: tally.sampled as usize,
                    active: tally.with_surface as usize,
                    clipped: tally.clipped as usize,
                    tries,
                    gpu_ns,
                    bytes: self.made.bytes(),
                });
            }
            self.made.reserve(&self.gpu, &wanted)?;
        }
        let (torn, tries) = (0, TRIES);
        Err(GpuSkinError::Wrong { torn, tries })
    }

    /// Writes the primitives in the passes' format, without those that do not reach the domain.
    fn list(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
    ) -> Result<SkinGrid, GpuSkinError> {
        let count = |what, count, most: u32| GpuSkinError::Count {
            what,
            count,
            most: most.into(),
        };
        let bricks = (settings.domain.cells()).map(|n| u64::from(n.div_ceil(rows::CUBES)));
        let too_many = || {
            count(
                "bricks of the domain",
                bricks.iter().product(),
                u32::MAX - 1,
            )
        };
        let mut grid = SkinGrid::of(&settings.domain).ok_or_else(too_many)?;
        self.balls.clear();
        let mut pairs = 0u64;
        for (number, primitive) in primitives.iter().enumerate() {
            let ball = SkinBall::of(settings, &grid, primitive);
            let ball = ball.map_err(|why| GpuSkinError::Refused { number, why })?;
            if let Some((ball, more)) = ball {
                self.balls.push(ball);
                // Each adds at most a domain's bricks: no overflow below 2³² primitives.
                pairs = pairs.saturating_add(more);
            }
        }
        if pairs > MAX_PAIRS.into() {
            return Err(count("pairs of a primitive and a brick", pairs, MAX_PAIRS));
        }
        grid.balls = self.balls.len() as u32;
        Ok(grid)
    }

    /// Runs all passes and returns the tally and the time.
    fn count(&mut self) -> Result<(SkinTally, Option<f64>), GpuSkinError> {
        let bytes = self.made.answer_bytes();
        self.submit(bytes, |made, encoder, answer| made.record(encoder, answer))?;
        self.wait_for_answer(|made, bytes| made.read(bytes))
    }

    /// Reads the mesh from the GPU.
    fn fetch(
        &mut self,
        settings: &Settings,
        tally: &SkinTally,
        out: &mut Mesh,
    ) -> Result<(), GpuSkinError> {
        let [vertices, triangles] = Made::mesh_bytes(tally);
        if vertices + triangles == 0 {
            return Ok(());
        }
        let bytes = vertices + triangles;
        self.submit(bytes, |made, encoder, answer| {
            made.copy_mesh(encoder, tally, answer);
        })?;
        let domain = &settings.domain;
        self.wait_for_answer(|_, bytes| {
            let (vertices, triangles) = bytes.split_at(vertices as usize);
            let vertices = || vertices.chunks_exact(size_of::<rows::Vertex>());
            let vertices = || vertices().map(bytemuck::pod_read_unaligned::<rows::Vertex>);
            (out.points).extend(vertices().map(|vertex| rows::point(domain, &vertex)));
            (out.normals).extend(vertices().map(|[.., x, y, z]| [x, y, z]));
            let triangles = triangles.chunks_exact(size_of::<[u32; 3]>());
            (out.triangles).extend(triangles.map(bytemuck::pod_read_unaligned::<[u32; 3]>));
        })
    }

    /// Sends commands that write an answer of this many bytes.
    fn submit(
        &mut self,
        bytes: u64,
        record: impl FnOnce(&Made, &mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Result<(), GpuSkinError> {
        let (gpu, made) = (&self.gpu, &self.made);
        // The ring allocates half as much again.
        let limit = gpu.largest_buffer() / 3 * 2;
        if bytes > limit {
            return Err(GpuSkinError::Buffer(BufferError::TooLarge {
                buffer: "answers",
                elements: 1,
                bytes,
                limit,
            }));
        }
        // Draining late answers frees the ring.
        while self.ring.under_way() > 0 && self.ring.receive(gpu, |_, _| ())?.is_some() {}
        let Some(slot) = self.ring.take(gpu, bytes)? else {
            return Err(GpuSkinError::Late { looks: 0 });
        };
        let commands = gpu.guard(|device, _| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record(made, &mut encoder, &slot.buffer);
            encoder.finish()
        })?;
        self.sent += 1;
        Ok(self.ring.send(gpu, commands, slot, bytes, self.sent)?)
    }

    /// Waits for the last submission.
    fn wait_for_answer<R>(
        &mut self,
        mut read: impl FnMut(&Made, &[u8]) -> R,
    ) -> Result<R, GpuSkinError> {
        let (gpu, made, last) = (&self.gpu, &self.made, self.sent);
        let looks = match self.patience {
            Patience::Looks(looks) => looks,
            // One poll takes at most a millisecond; poll at least once.
            Patience::Within(longest) => {
                u32::try_from(longest.as_millis()).map_or(u32::MAX, |ms| ms.max(1))
            }
            Patience::Answer => {
                gpu.wait()?;
                DEPTH as u32
            }
        };
        for _ in 0..looks {
            let answer = (self.ring).receive(gpu, |number, bytes| {
                (number == last).then(|| read(made, bytes))
            })?;
            match answer {
                Some(Some(answer)) => return Ok(answer),
                // An older answer, which was late.
                Some(None) => {}
                None => gpu.look()?,
            }
        }
        Err(GpuSkinError::Late { looks })
    }
}

/// Sizes that a try would have needed, as far as it got.
fn wanted(tally: &SkinTally) -> Result<SkinCapacity, GpuSkinError> {
    for (what, count, most) in [
        ("bricks that something reaches", tally.bricks, MAX_BRICKS),
        // Their words are counted in 32 bits.
        ("vertices", tally.vertices, u32::MAX / 6),
        ("triangles", tally.triangles, u32::MAX / 3),
    ] {
        if count > most {
            let (count, most) = (count.into(), most.into());
            return Err(GpuSkinError::Count { what, count, most });
        }
    }
    Ok(SkinCapacity {
        pairs: tally.pairs as usize,
        bricks: tally.bricks as usize,
        vertices: tally.vertices as usize,
        triangles: tally.triangles as usize,
    })
}

impl SkinCapacity {
    fn fits(&self, room: &SkinCapacity) -> bool {
        self.pairs <= room.pairs
            && self.bricks <= room.bricks
            && self.vertices <= room.vertices
            && self.triangles <= room.triangles
    }
}
