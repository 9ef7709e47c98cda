// Shared by the passes of a skin. Lengths are in edges of cubes from the domain's lowest corner, so
// nodes are whole numbers. Potentials are in units of the level, so the surface is where their sum
// is 1.

const GROUP: u32 = 64u;
const NONE: u32 = 0xffffffffu;
// Cubes along a side of a brick; a brick has one more node.
const CUBES: u32 = 7u;

struct SkinGrid {
    cells: vec3<u32>,
    balls: u32,
    // Number along each axis, and in all.
    bricks: vec3<u32>,
    places: u32,
}

struct Ball {
    centre: vec3<f32>,
    per_radius: f32,
    amplitude: f32,
    // Slightly enlarged radius.
    reach: f32,
    // First and last brick that it may reach, ten bits for each axis.
    low: u32,
    high: u32,
}

// Counters and capacities.
struct SkinTally {
    pairs: atomic<u32>,
    bricks: u32,
    vertices: u32,
    triangles: u32,
    most_pairs: u32,
    most_bricks: u32,
    most_vertices: u32,
    most_triangles: u32,
    sampled: atomic<u32>,
    with_surface: atomic<u32>,
    clipped: atomic<u32>,
    torn: atomic<u32>,
}

struct SkinBrick {
    // Signs of its nodes, one bit each: two words per layer.
    bits: array<u32, 16>,
    // By layer: number of cut edges that it owns in the layers below.
    starts: array<u32, 7>,
    pad: u32,
}

@group(0) @binding(0) var<uniform> grid: SkinGrid;
@group(0) @binding(1) var<storage, read_write> tally: SkinTally;

fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

fn place_number(brick: vec3<u32>) -> u32 {
    return (brick.z * grid.bricks.y + brick.y) * grid.bricks.x + brick.x;
}

fn brick_at(place: u32) -> vec3<u32> {
    let row = place / grid.bricks.x;
    return vec3(place % grid.bricks.x, row % grid.bricks.y, row / grid.bricks.y);
}

fn unpacked(brick: u32) -> vec3<u32> {
    return (vec3(brick) >> vec3(0u, 10u, 20u)) & vec3(1023u);
}

// True for nodes inside the domain and not on its border.
fn is_within(node: vec3<u32>) -> bool {
    return all(node > vec3(0u)) && all(node < grid.cells);
}
