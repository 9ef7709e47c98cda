//! What the passes of a skin read: the domain, balls, the table of Marching Cubes. Lengths in edges
//! of cubes from the domain's lowest corner on, potentials in parts of the level.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::Vec3;
use hapticd_skin::table::{CORNERS, EDGES, Table};
use hapticd_skin::{Ambiguity, Domain, Kernel, Primitive, Settings, Skeleton};

use super::SkinRefused;

/// Cubes along a side of a brick.
pub const CUBES: u32 = 7;

/// Most radius, and most distance, in edges of cubes: beyond single precision does not tell nodes
/// apart.
pub const FURTHEST: f64 = 1e6;
/// Least radius, in edges of cubes.
pub const SMALLEST: f64 = 1e-6;
/// Most amplitude, in parts of the level.
pub const STRONGEST: f64 = 1e12;

/// Part of a radius by which it is taken larger, so that single precision never finds a potential
/// beyond it.
const ROOM: f64 = 1e-5;
/// And in edges of cubes: a centre is good to 2.5e-4 at the far end of the largest domain.
const ROOM_CUBES: f64 = 1e-3;

/// The domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinGrid {
    /// Cubes along each axis.
    pub cells: [u32; 3],
    /// How many balls.
    pub balls: u32,
    /// Bricks along each axis.
    pub bricks: [u32; 3],
    /// Bricks in all.
    pub places: u32,
}

impl SkinGrid {
    /// Of a domain; `None`: its bricks cannot be numbered.
    pub(super) fn of(domain: &Domain) -> Option<Self> {
        let cells = domain.cells();
        let bricks = cells.map(|n| n.div_ceil(CUBES));
        let places = bricks.iter().try_fold(1u32, |all, n| all.checked_mul(*n))?;
        // One more is the end of the last.
        places.checked_add(1)?;
        Some(Self {
            cells,
            balls: 0,
            bricks,
            places,
        })
    }
}

/// A point with Murakami's kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinBall {
    /// In edges of cubes.
    pub centre: [f32; 3],
    /// One over its radius.
    pub per_radius: f32,
    /// In parts of the level.
    pub amplitude: f32,
    /// A little more than its radius.
    pub reach: f32,
    /// First brick that it may reach, ten bits for each axis.
    pub low: u32,
    /// Last one.
    pub high: u32,
}

impl SkinBall {
    /// Of a primitive that is one; `None`: it reaches nothing of the domain. Takes what
    /// [`Settings::check`] has let through.
    pub(super) fn of(
        settings: &Settings,
        grid: &SkinGrid,
        primitive: &Primitive,
    ) -> Result<Option<(Self, u64)>, SkinRefused> {
        let Skeleton::Point(centre) = primitive.skeleton else {
            return Err(SkinRefused::Skeleton(primitive.skeleton));
        };
        if primitive.kernel != Kernel::Murakami {
            return Err(SkinRefused::Kernel(primitive.kernel));
        }
        let domain = &settings.domain;
        let cell = domain.cell_m();
        let within = |what, value: f64, least: f64, most: f64| {
            // Written so that NaN is not within.
            if least <= value && value <= most {
                Ok(value)
            } else {
                Err(SkinRefused::Range {
                    what,
                    value,
                    least,
                    most,
                })
            }
        };
        let radius = primitive.radius_m / cell;
        let radius = within("radius over the edge of a cube", radius, SMALLEST, FURTHEST)?;
        let amplitude = primitive.amplitude / settings.level;
        let amplitude = within("amplitude over the level", amplitude, -STRONGEST, STRONGEST)?;
        let reach = radius * (1.0 + ROOM) + ROOM_CUBES;
        let centre = (centre - domain.low()) / cell;
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for k in 0..3 {
            let side = f64::from(CUBES);
            let last = f64::from(grid.bricks[k]) - 1.0;
            // Both bricks of a node between them.
            let from = ((centre[k] - reach) / side).ceil() - 1.0;
            let to = ((centre[k] + reach) / side).floor();
            if !(from <= last && to >= 0.0) {
                return Ok(None);
            }
            (low[k], high[k]) = (from.max(0.0) as u32, to.min(last) as u32);
        }
        let pairs = (0..3).map(|k| u64::from(high[k] - low[k] + 1)).product();
        let packed = |[x, y, z]: [u32; 3]| x | y << 10 | z << 20;
        let ball = Self {
            centre: centre.cast::<f32>().into(),
            per_radius: (1.0 / radius) as f32,
            amplitude: amplitude as f32,
            reach: reach as f32,
            low: packed(low),
            high: packed(high),
        };
        Ok(Some((ball, pairs)))
    }
}

/// What there is, and for how much there is room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinTally {
    /// Of a ball and a brick that it reaches.
    pub pairs: u32,
    /// That something reaches.
    pub bricks: u32,
    /// Of the mesh.
    pub vertices: u32,
    /// Of the mesh.
    pub triangles: u32,
    /// Room.
    pub most_pairs: u32,
    /// Room.
    pub most_bricks: u32,
    /// Room.
    pub most_vertices: u32,
    /// Room.
    pub most_triangles: u32,
    /// Bricks not excluded by bounds.
    pub sampled: u32,
    /// Bricks with vertices or triangles.
    pub with_surface: u32,
    /// Nodes on the domain's border that would be inside.
    pub clipped: u32,
    /// Corners of triangles that have no vertex: none, ever.
    pub torn: u32,
}

/// A brick that something reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinBrick {
    /// Signs of its nodes, a bit each: two words for a layer.
    pub bits: [u32; 16],
    /// By layer: its own cut edges in those below.
    pub starts: [u32; 7],
    /// Fills the row.
    pub pad: u32,
}

/// Items of a block of a scan.
pub const BLOCK: u32 = 1024;

/// What is summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinScan {
    /// How many.
    pub items: u32,
    /// Of `BLOCK` items.
    pub blocks: u32,
    /// 0: places; 1: bricks.
    pub of_bricks: u32,
    /// Fills the row.
    pub pad: u32,
}

impl SkinScan {
    pub(super) fn new(items: u32, of_bricks: u32) -> Self {
        Self {
            items,
            blocks: items.div_ceil(BLOCK),
            of_bricks,
            pad: 0,
        }
    }
}

/// The CPU's table, as the passes read it: by the corners of a cube how many triangles and their
/// edges, four bits each; then of each edge its axis and lower node.
pub(super) fn table(ambiguity: Ambiguity) -> Vec<[u32; 4]> {
    let mut rows: Vec<[u32; 4]> = Table::of(ambiguity)
        .0
        .iter()
        .map(|case| {
            let mut row = [u32::from(case.count), 0, 0, u32::from(case.edges)];
            for (i, edge) in case.triangles().iter().flatten().enumerate() {
                row[1 + i / 8] |= u32::from(*edge) << (4 * (i % 8));
            }
            row
        })
        .collect();
    rows.extend(EDGES.iter().map(|[a, b]| {
        let [a, b] = [a, b].map(|corner| CORNERS[*corner as usize].map(u32::from));
        let axis = (0..3).position(|k| a[k] != b[k]).unwrap_or(0) as u32;
        let low = [0, 1, 2].map(|k| a[k].min(b[k]));
        [axis, low[0], low[1], low[2]]
    }));
    rows
}

/// A vertex as the pass writes it: place, in edges of cubes, and normal.
pub type Vertex = [f32; 6];

/// Where it is in the world, m: rounded once, at the end, as the CPU does.
pub(super) fn point(domain: &Domain, [x, y, z, ..]: &Vertex) -> [f32; 3] {
    let at = Vec3::new((*x).into(), (*y).into(), (*z).into());
    (domain.low() + domain.cell_m() * at).cast::<f32>().into()
}
