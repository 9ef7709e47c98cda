//! Large skins on the GPU: what [`hapticd_skin::Skin`] makes of points that all blend, with the
//! same mesh but for rounding.
//!
//! # Theory
//!
//! The CPU's bricks of 7³ cubes (Triquet 2001, section 3, without the tracking that a GPU has no
//! use for), in passes of a group of threads for a brick. *Pairs* of a primitive and a brick that
//! it reaches are found, counted by brick, and scattered to lists, each put in the order of the
//! primitives. *Signs*: bounds of the sum exclude a brick, or all of its nodes are sampled, eight
//! to a thread. *Join*: each brick takes the signs of the nodes that it shares from the brick that
//! owns them, and counts its own cut edges and its triangles. *Vertices* lie on own cut edges, by
//! linear interpolation, with the gradient for a normal; *triangles* come from the CPU's own table
//! ([`hapticd_skin::table`]). Vertices and triangles are numbered by prefix sums.
//!
//! No pass ever takes from two places what it needs to be one: which bricks a primitive reaches is
//! asked once, and so is on which side a node is. So the mesh closes whatever the driver's compiler
//! makes of single precision, which it may round in one pass as it does not in another. Atomic
//! counters count, and hand out places in lists that are put in order then: the same input gives
//! the same bytes on the same adapter.
//!
//! # Practice
//!
//! Lengths are in edges of cubes from the domain's lowest corner on: nodes are whole numbers, and a
//! place is good to 2.5e-4 of a cube at the far end of the largest domain. Nodes whose sum is the
//! level to within rounding may be on the other side than on the CPU: then the few cubes around
//! them differ. Bricks and vertices come in the order of their places, not of the primitives.
//!
//! Only points, only [`hapticd_skin::Kernel::Murakami`], only free blending: all else is refused by
//! name, and the CPU does it. What it refuses is refused here in its words
//! ([`GpuSkinError::Skin`]); a mesh that leaves the domain is cut off and closed at its border, as
//! there.
//!
//! Buffers grow by half at least; a mesh that did not fit is made again, which costs up to two more
//! tries the first time. What an adapter cannot bind is an error with both numbers. On the GPU it
//! takes 8 bytes for a pair, 4 more in its list, 12 for each brick of the domain, 172 for each that
//! something reaches, 24 for a vertex and 12 for a triangle.
//!
//! [`GpuSkin::polygonize`] waits for its answer, twice (how much it is, and what it is), no longer
//! than [`Patience`] says. Not real-time: allocates, as the driver does.

use hapticd_skin::{Mesh, Primitive, Settings};

use crate::buffer::BufferError;
use crate::device::Gpu;
use crate::near::Patience;
use crate::readback::{DEPTH, Ring};
use crate::tracer::SetupError;

mod error;
mod large;
mod made;
mod rows;

use made::{MAX_BRICKS, Made, Room};

pub use error::{GpuSkinError, SkinRefused};
pub use large::LargeSkins;
pub use rows::{SkinBall, SkinBrick, SkinGrid, SkinScan, SkinTally};

/// Tries at a mesh that finds no room: one for pairs and bricks, one for vertices and triangles,
/// and one that has all.
const TRIES: u32 = 3;

/// Most pairs of a primitive and a brick in the box around it: a list is put in order in steps of
/// powers of two.
const MAX_PAIRS: u32 = 1 << 31;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuReport {
    /// Bricks that a primitive reaches.
    pub reached: usize,
    /// Of those: not excluded by bounds.
    pub sampled: usize,
    /// Of those: with surface.
    pub active: usize,
    /// Nodes on the domain's border that would be inside.
    pub clipped: usize,
    /// How often it was made until there was room: 1 where there was.
    pub tries: u32,
    /// Time on the GPU, without the way back, of the last try; `None` if it has no clock.
    pub gpu_ns: Option<f64>,
    /// Memory on the GPU, bytes.
    pub bytes: u64,
}

/// See the module page.
#[derive(Debug)]
pub struct GpuSkin {
    gpu: Gpu,
    made: Made,
    patience: Patience,
    /// Counts what was sent.
    sent: u64,
    ring: Ring<u64>,
    balls: Vec<SkinBall>,
}

impl GpuSkin {
    /// Compiles the passes. `patience`: of each of the two waits; a look waits a millisecond at
    /// most.
    ///
    /// # Errors
    /// If the device does not accept a pass, has no memory or has failed.
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

    /// How long the next ones are waited for.
    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// After a fault: opens the device again. What was under way is dropped.
    ///
    /// # Errors
    /// If that fails; it can be tried again.
    pub fn recover(&mut self) -> Result<(), SetupError> {
        self.ring.clear();
        self.gpu.reopen()?;
        self.made = Made::new(&self.gpu)?;
        Ok(())
    }

    /// The surface of `primitives`, all of which blend, in place of what was in `out`: as
    /// [`hapticd_skin::Skin::polygonize`] has it. Blocks.
    ///
    /// # Errors
    /// [`GpuSkinError`]: the first thing that is wrong; `out` is empty then.
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

    /// The primitives as the passes read them, without those that reach nothing of the domain.
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
                // Each at most a domain's bricks: no overflow before there are 2³² primitives.
                pairs = pairs.saturating_add(more);
            }
        }
        if pairs > MAX_PAIRS.into() {
            return Err(count("pairs of a primitive and a brick", pairs, MAX_PAIRS));
        }
        grid.balls = self.balls.len() as u32;
        Ok(grid)
    }

    /// Runs all passes, and says what came of it.
    fn count(&mut self) -> Result<(SkinTally, Option<f64>), GpuSkinError> {
        let bytes = self.made.answer_bytes();
        self.ask(bytes, |made, encoder, answer| made.record(encoder, answer))?;
        self.hear(|made, bytes| made.read(bytes))
    }

    /// Takes the mesh from the GPU.
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
        self.ask(bytes, |made, encoder, answer| {
            made.copy_mesh(encoder, tally, answer);
        })?;
        let domain = &settings.domain;
        self.hear(|_, bytes| {
            let (vertices, triangles) = bytes.split_at(vertices as usize);
            let vertices = || vertices.chunks_exact(size_of::<rows::Vertex>());
            let vertices = || vertices().map(bytemuck::pod_read_unaligned::<rows::Vertex>);
            (out.points).extend(vertices().map(|vertex| rows::point(domain, &vertex)));
            (out.normals).extend(vertices().map(|[.., x, y, z]| [x, y, z]));
            let triangles = triangles.chunks_exact(size_of::<[u32; 3]>());
            (out.triangles).extend(triangles.map(bytemuck::pod_read_unaligned::<[u32; 3]>));
        })
    }

    /// Sends commands that write an answer of so many bytes.
    fn ask(
        &mut self,
        bytes: u64,
        record: impl FnOnce(&Made, &mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Result<(), GpuSkinError> {
        let (gpu, made) = (&self.gpu, &self.made);
        // The ring has half as much again.
        let limit = gpu.largest_buffer() / 3 * 2;
        if bytes > limit {
            return Err(GpuSkinError::Buffer(BufferError::TooLarge {
                buffer: "answers",
                elements: 1,
                bytes,
                limit,
            }));
        }
        // What came too late makes room.
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

    /// Waits for what was sent last.
    fn hear<R>(&mut self, mut read: impl FnMut(&Made, &[u8]) -> R) -> Result<R, GpuSkinError> {
        let (gpu, made, last) = (&self.gpu, &self.made, self.sent);
        let looks = match self.patience {
            Patience::Looks(looks) => looks,
            // A look is a millisecond at most, and at least one.
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
                // An older one, which was too late.
                Some(None) => {}
                None => gpu.look()?,
            }
        }
        Err(GpuSkinError::Late { looks })
    }
}

/// What a try would have needed, as far as it came.
fn wanted(tally: &SkinTally) -> Result<Room, GpuSkinError> {
    for (what, count, most) in [
        ("bricks that something reaches", tally.bricks, MAX_BRICKS),
        // Words of them are counted in 32 bits.
        ("vertices", tally.vertices, u32::MAX / 6),
        ("triangles", tally.triangles, u32::MAX / 3),
    ] {
        if count > most {
            let (count, most) = (count.into(), most.into());
            return Err(GpuSkinError::Count { what, count, most });
        }
    }
    Ok(Room {
        pairs: tally.pairs as usize,
        bricks: tally.bricks as usize,
        vertices: tally.vertices as usize,
        triangles: tally.triangles as usize,
    })
}

impl Room {
    fn fits(&self, room: &Room) -> bool {
        self.pairs <= room.pairs
            && self.bricks <= room.bricks
            && self.vertices <= room.vertices
            && self.triangles <= room.triangles
    }
}
