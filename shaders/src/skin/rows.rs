//! Input of the passes of a skin: the domain, balls, the Marching Cubes table. Lengths are in edges
//! of cubes from the domain's lowest corner, potentials in units of the level.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::Vec3;
use hapticd_skin::table::{CORNERS, EDGES, Table};
use hapticd_skin::{Ambiguity, Domain, Kernel, Primitive, Settings, Skeleton};

use super::SkinRefused;

/// Cubes along a side of a brick.
pub const CUBES: u32 = 7;

/// Maximum radius and distance, in edges of cubes: beyond that single precision does not
/// distinguish nodes.
pub const MAX_LENGTH: f64 = 1e6;
/// Minimum radius, in edges of cubes.
pub const MIN_RADIUS: f64 = 1e-6;
/// Maximum amplitude, in units of the level.
pub const MAX_AMPLITUDE: f64 = 1e12;

/// Relative enlargement of a radius, so that single precision never finds a potential outside it.
const RELATIVE_MARGIN: f64 = 1e-5;
/// Additional enlargement in edges of cubes: a centre is accurate to 2.5e-4 at the far end of the
/// largest domain.
const MARGIN_CUBES: f64 = 1e-3;

/// The domain, as the passes read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinGrid {
    /// Cubes along each axis.
    pub cells: [u32; 3],
    /// Number of balls.
    pub balls: u32,
    /// Bricks along each axis.
    pub bricks: [u32; 3],
    /// Number of all bricks.
    pub places: u32,
}

impl SkinGrid {
    /// Converts a domain; `None` if its bricks cannot be numbered.
    pub(super) fn of(domain: &Domain) -> Option<Self> {
        let cells = domain.cells();
        let bricks = cells.map(|n| n.div_ceil(CUBES));
        let places = bricks.iter().try_fold(1u32, |all, n| all.checked_mul(*n))?;
        // One more, for the end of the last.
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
    /// Centre, in edges of cubes.
    pub centre: [f32; 3],
    /// Inverse radius.
    pub per_radius: f32,
    /// Amplitude, in units of the level.
    pub amplitude: f32,
    /// Slightly enlarged radius.
    pub reach: f32,
    /// First brick that it may reach, ten bits for each axis.
    pub low: u32,
    /// Last brick that it may reach.
    pub high: u32,
}

impl SkinBall {
    /// Converts a primitive and counts the bricks in its box; `None` if it does not reach the
    /// domain. The primitive must have passed [`Settings::check`].
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
            // In this form NaN is refused.
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
        let radius = within(
            "radius over the edge of a cube",
            radius,
            MIN_RADIUS,
            MAX_LENGTH,
        )?;
        let amplitude = primitive.amplitude / settings.level;
        let amplitude = within(
            "amplitude over the level",
            amplitude,
            -MAX_AMPLITUDE,
            MAX_AMPLITUDE,
        )?;
        let reach = radius * (1.0 + RELATIVE_MARGIN) + MARGIN_CUBES;
        let centre = (centre - domain.low()) / cell;
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for k in 0..3 {
            let side = f64::from(CUBES);
            let last = f64::from(grid.bricks[k]) - 1.0;
            // A node between two bricks belongs to both.
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

/// Counters and capacities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinTally {
    /// Pairs of a ball and a brick that it reaches.
    pub pairs: u32,
    /// Bricks that a ball reaches.
    pub bricks: u32,
    /// Vertices of the mesh.
    pub vertices: u32,
    /// Triangles of the mesh.
    pub triangles: u32,
    /// Capacity for pairs.
    pub most_pairs: u32,
    /// Capacity for bricks.
    pub most_bricks: u32,
    /// Capacity for vertices.
    pub most_vertices: u32,
    /// Capacity for triangles.
    pub most_triangles: u32,
    /// Bricks not excluded by bounds.
    pub sampled: u32,
    /// Bricks with vertices or triangles.
    pub with_surface: u32,
    /// Nodes on the domain's border that would be inside.
    pub clipped: u32,
    /// Corners of triangles without a vertex; always 0 unless there is a defect.
    pub torn: u32,
}

/// A brick that a ball reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinBrick {
    /// Signs of its nodes, one bit each: two words per layer.
    pub bits: [u32; 16],
    /// By layer: number of cut edges that it owns in the layers below.
    pub starts: [u32; 7],
    /// Padding.
    pub pad: u32,
}

/// Items per block of a scan.
pub const BLOCK: u32 = 1024;

/// A prefix sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinScan {
    /// Number of items.
    pub items: u32,
    /// Number of blocks of `BLOCK` items.
    pub blocks: u32,
    /// 0: over places; 1: over bricks.
    pub of_bricks: u32,
    /// Padding.
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

/// The CPU's table, as the passes read it. First, by the corners of a cube, the number of triangles
/// and their edges, four bits each. Then the axis and lower node of each edge.
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

/// A vertex as the pass writes it: position, in edges of cubes, and normal.
pub type Vertex = [f32; 6];

/// Position of a vertex in the world, m: rounded once, at the end, as on the CPU.
pub(super) fn point(domain: &Domain, [x, y, z, ..]: &Vertex) -> [f32; 3] {
    let at = Vec3::new((*x).into(), (*y).into(), (*z).into());
    (domain.low() + domain.cell_m() * at).cast::<f32>().into()
}
