//! Buffers and passes of a skin: everything that belongs to one device.

use hapticd_skin::Ambiguity;

use super::rows::{self, SkinBall, SkinBrick, SkinGrid, SkinScan, SkinTally, Vertex, table};
use crate::buffer::{BufferError, Store};
use crate::device::{Fault, Gpu};
use crate::pass::{Bound, Pass, Source};
use crate::setup::SetupError;
use crate::times::Clock;
use crate::{GROUP, passes};

/// Capacities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SkinCapacity {
    pub pairs: usize,
    pub bricks: usize,
    pub vertices: usize,
    pub triangles: usize,
}

/// Buffers and passes of a skin. See the module page.
#[derive(Debug)]
pub(super) struct Made {
    grid: Store<SkinGrid>,
    scans: [Store<SkinScan>; 2],
    sums: [Store<[u32; 2]>; 2],
    tally: Store<SkinTally>,
    args: Store<[u32; 4]>,
    table: Store<[u32; 4]>,
    balls: Store<SkinBall>,
    pairs: Store<[u32; 2]>,
    counts: Store<u32>,
    places: Store<[u32; 2]>,
    slots: Store<u32>,
    entries: Store<u32>,
    signs: Store<[u32; 16]>,
    bricks: Store<SkinBrick>,
    sizes: Store<[u32; 2]>,
    vertices: Store<Vertex>,
    triangles: Store<[u32; 3]>,
    passes: Passes,
    clock: Option<Clock>,
    /// Rule of the table on the GPU.
    ambiguity: Option<Ambiguity>,
    groups: Groups,
}

#[derive(Debug)]
struct Passes {
    pairs: Pass,
    places: Pass,
    list: Pass,
    scatter: Pass,
    order: Pass,
    signs: Pass,
    join: Pass,
    vertices: Pass,
    triangles: Pass,
    /// Over places, and over bricks.
    scans: [[Pass; 3]; 2],
}

/// Workgroup counts that the host knows, by pass.
#[derive(Clone, Copy, Debug, Default)]
struct Groups {
    balls: u32,
    places: u32,
    pairs: u32,
    blocks: [u32; 2],
    /// Bytes to clear.
    counts: u64,
    sizes: u64,
}

impl Made {
    pub fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        let none = wgpu::BufferUsages::empty();
        let uniform = wgpu::BufferUsages::UNIFORM;
        let scan = || -> Result<[Pass; 3], SetupError> {
            let pass = |source: &'static Source| Pass::new(gpu, source);
            Ok([
                pass(&passes::SKIN_SUMS)?,
                pass(&passes::SKIN_TOPS)?,
                pass(&passes::SKIN_RANKS)?,
            ])
        };
        let over_places = scan()?;
        let passes = Passes {
            pairs: Pass::new(gpu, &passes::SKIN_PAIRS)?,
            places: Pass::new(gpu, &passes::SKIN_PLACES)?,
            list: Pass::new(gpu, &passes::SKIN_LIST)?,
            scatter: Pass::new(gpu, &passes::SKIN_SCATTER)?,
            order: Pass::new(gpu, &passes::SKIN_ORDER)?,
            signs: Pass::new(gpu, &passes::SKIN_SIGNS)?,
            join: Pass::new(gpu, &passes::SKIN_JOIN)?,
            vertices: Pass::new(gpu, &passes::SKIN_VERTICES)?,
            triangles: Pass::new(gpu, &passes::SKIN_TRIANGLES)?,
            // A copy shares its pipeline, and binds separate buffers.
            scans: [over_places.clone(), over_places],
        };
        let two = |name| -> Result<[Store<[u32; 2]>; 2], BufferError> {
            Ok([
                Store::new(gpu, name, none, 1)?,
                Store::new(gpu, name, none, 1)?,
            ])
        };
        Ok(Self {
            grid: Store::new(gpu, "grid", uniform, 1)?,
            scans: [
                Store::new(gpu, "scan", uniform, 1)?,
                Store::new(gpu, "scan", uniform, 1)?,
            ],
            sums: two("sums")?,
            tally: Store::new(gpu, "tally", none, 1)?,
            args: Store::new(gpu, "args", wgpu::BufferUsages::INDIRECT, 2)?,
            table: Store::new(gpu, "table", none, 1)?,
            balls: Store::new(gpu, "balls", none, 1)?,
            pairs: Store::new(gpu, "pairs", none, 1)?,
            counts: Store::new(gpu, "counts", none, 1)?,
            places: Store::new(gpu, "places", none, 1)?,
            slots: Store::new(gpu, "slots", none, 1)?,
            entries: Store::new(gpu, "entries", none, 1)?,
            signs: Store::new(gpu, "signs", none, 1)?,
            bricks: Store::new(gpu, "bricks", none, 1)?,
            sizes: Store::new(gpu, "sizes", none, 1)?,
            vertices: Store::new(gpu, "vertices", none, 1)?,
            triangles: Store::new(gpu, "triangles", none, 1)?,
            passes,
            clock: Clock::new(gpu, 2)?,
            ambiguity: None,
            groups: Groups::default(),
        })
    }

    /// Current capacities.
    pub fn room(&self) -> SkinCapacity {
        SkinCapacity {
            pairs: self.pairs.capacity().min(self.entries.capacity()),
            bricks: (self.signs.capacity())
                .min(self.bricks.capacity())
                .min(self.slots.capacity())
                .min(self.sizes.capacity() - 1),
            vertices: self.vertices.capacity(),
            triangles: self.triangles.capacity(),
        }
    }

    /// Grows the buffers. Errors carry the numbers.
    pub fn reserve(&mut self, gpu: &Gpu, room: &SkinCapacity) -> Result<(), BufferError> {
        self.pairs.reserve(gpu, room.pairs)?;
        self.entries.reserve(gpu, room.pairs)?;
        self.slots.reserve(gpu, room.bricks)?;
        self.signs.reserve(gpu, room.bricks)?;
        self.bricks.reserve(gpu, room.bricks)?;
        // The additional element is the sum of all.
        self.sizes.reserve(gpu, room.bricks + 1)?;
        self.vertices.reserve(gpu, room.vertices)?;
        self.triangles.reserve(gpu, room.triangles)
    }

    /// Uploads the scene, and binds everything.
    pub fn load(
        &mut self,
        gpu: &Gpu,
        (grid, balls): (&SkinGrid, &[SkinBall]),
        ambiguity: Ambiguity,
    ) -> Result<(), BufferError> {
        if self.ambiguity != Some(ambiguity) {
            self.table.write(gpu, &table(ambiguity))?;
            self.ambiguity = Some(ambiguity);
        }
        let room = self.room();
        // Within 32 bits: the adapter binds no more elements than that, and the limits of `GpuSkin`
        // are lower.
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let scans = [
            SkinScan::new(grid.places + 1, 0),
            SkinScan::new(number(room.bricks + 1), 1),
        ];
        self.grid.write(gpu, &[*grid])?;
        self.balls.write(gpu, balls)?;
        self.counts.reserve(gpu, grid.places as usize)?;
        self.places.reserve(gpu, grid.places as usize + 1)?;
        for k in 0..2 {
            self.scans[k].write(gpu, &[scans[k]])?;
            self.sums[k].reserve(gpu, scans[k].blocks as usize)?;
        }
        self.tally.write(
            gpu,
            &[SkinTally {
                most_pairs: number(room.pairs),
                most_bricks: number(room.bricks),
                most_vertices: number(room.vertices),
                most_triangles: number(room.triangles),
                ..SkinTally::default()
            }],
        )?;
        self.groups = Groups {
            balls: number(balls.len()),
            places: (grid.places + 1).div_ceil(GROUP),
            pairs: number(room.pairs).div_ceil(GROUP),
            blocks: scans.map(|scan| scan.blocks),
            counts: 4 * u64::from(grid.places),
            sizes: 8 * (room.bricks as u64 + 1),
        };
        Ok(self.bind(gpu)?)
    }

    fn bind(&mut self, gpu: &Gpu) -> Result<(), Fault> {
        let Self {
            grid,
            scans,
            sums,
            tally,
            args,
            table,
            balls,
            pairs,
            counts,
            places,
            slots,
            entries,
            signs,
            bricks,
            sizes,
            vertices,
            triangles,
            passes,
            ..
        } = self;
        let find = |name: &str| -> Option<Bound<'_>> {
            Some(match name {
                "grid" => grid.bound(),
                "tally" => tally.bound(),
                "args" => args.bound(),
                "table" => table.bound(),
                "balls" => balls.bound(),
                "pairs" => pairs.bound(),
                "counts" => counts.bound(),
                "places" => places.bound(),
                "slots" => slots.bound(),
                "entries" => entries.bound(),
                "signs" => signs.bound(),
                "bricks" => bricks.bound(),
                "sizes" => sizes.bound(),
                "vertices" => vertices.bound(),
                "triangles" => triangles.bound(),
                _ => return None,
            })
        };
        for pass in [
            &mut passes.pairs,
            &mut passes.places,
            &mut passes.list,
            &mut passes.scatter,
            &mut passes.order,
            &mut passes.signs,
            &mut passes.join,
            &mut passes.vertices,
            &mut passes.triangles,
        ] {
            pass.bind(gpu, find)?;
        }
        for (k, some) in passes.scans.iter_mut().enumerate() {
            for pass in some {
                pass.bind(gpu, |name| match name {
                    "items" if k == 0 => Some(places.bound()),
                    "items" => Some(sizes.bound()),
                    "sums" => Some(sums[k].bound()),
                    "scan" => Some(scans[k].bound()),
                    name => find(name),
                })?;
            }
        }
        Ok(())
    }

    /// Size of [`Made::record`]'s answer, bytes.
    pub fn answer_bytes(&self) -> u64 {
        size_of::<SkinTally>() as u64 + self.clock.as_ref().map_or(0, Clock::bytes)
    }

    /// Records all passes, from balls to triangles, and a copy of the tally. After an overflow the
    /// remaining passes do nothing.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, answer: &wgpu::Buffer) {
        let (passes, groups, args) = (&self.passes, &self.groups, self.args.buffer());
        let clock = self.clock.as_ref();
        encoder.clear_buffer(self.counts.buffer(), 0, Some(groups.counts));
        encoder.clear_buffer(self.sizes.buffer(), 0, Some(groups.sizes));
        let scan = |encoder: &mut wgpu::CommandEncoder, k: usize| {
            let [sums, tops, ranks] = &passes.scans[k];
            sums.record(encoder, groups.blocks[k], None);
            tops.record(encoder, 1, None);
            ranks.record(encoder, groups.blocks[k], None);
        };
        (passes.pairs).record(encoder, groups.balls, clock.map(|clock| clock.around(0)));
        passes.places.record(encoder, groups.places, None);
        scan(encoder, 0);
        passes.list.record(encoder, groups.places, None);
        passes.scatter.record(encoder, groups.pairs, None);
        passes.order.record_indirect(encoder, args, 0, None);
        passes.signs.record_indirect(encoder, args, 0, None);
        passes.join.record_indirect(encoder, args, 0, None);
        scan(encoder, 1);
        passes.vertices.record_indirect(encoder, args, 16, None);
        let last = clock.map(|clock| clock.around(1));
        passes.triangles.record_indirect(encoder, args, 16, last);
        let bytes = size_of::<SkinTally>() as u64;
        encoder.copy_buffer_to_buffer(self.tally.buffer(), 0, answer, 0, bytes);
        if let Some(clock) = clock {
            clock.copy(encoder, answer, bytes);
        }
    }

    /// Reads what [`Made::record`] has copied: the tally, and the time, ns.
    pub fn read(&self, answer: &[u8]) -> (SkinTally, Option<f64>) {
        let (tally, stamps) = answer.split_at(size_of::<SkinTally>());
        let clock = self.clock.as_ref();
        let gpu_ns = clock.and_then(|clock| clock.span(stamps, 0, 1));
        (bytemuck::pod_read_unaligned(tally), gpu_ns)
    }

    /// Sizes of a mesh's vertices and of its triangles, bytes.
    pub fn mesh_bytes(tally: &SkinTally) -> [u64; 2] {
        [
            u64::from(tally.vertices) * size_of::<Vertex>() as u64,
            u64::from(tally.triangles) * size_of::<[u32; 3]>() as u64,
        ]
    }

    /// Records copies of a mesh's vertices, followed by its triangles.
    pub fn copy_mesh(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        tally: &SkinTally,
        answer: &wgpu::Buffer,
    ) {
        let [vertices, triangles] = Self::mesh_bytes(tally);
        let from = self.vertices.buffer();
        encoder.copy_buffer_to_buffer(from, 0, answer, 0, vertices);
        let from = self.triangles.buffer();
        encoder.copy_buffer_to_buffer(from, 0, answer, vertices, triangles);
    }

    /// GPU memory, bytes.
    pub fn bytes(&self) -> u64 {
        let many = [
            self.balls.buffer(),
            self.pairs.buffer(),
            self.counts.buffer(),
            self.places.buffer(),
            self.slots.buffer(),
            self.entries.buffer(),
            self.signs.buffer(),
            self.bricks.buffer(),
            self.sizes.buffer(),
            self.vertices.buffer(),
            self.triangles.buffer(),
            self.sums[0].buffer(),
            self.sums[1].buffer(),
        ];
        many.iter().map(|buffer| buffer.size()).sum()
    }
}

/// Maximum number of reached bricks: with more, a mesh's triangles might exceed 32 bits.
pub(super) const MAX_BRICKS: u32 = u32::MAX / (rows::CUBES * rows::CUBES * rows::CUBES * 5);
