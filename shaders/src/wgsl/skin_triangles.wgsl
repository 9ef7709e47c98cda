//# use skin_bits.wgsl
//# use skin_around.wgsl
// Triangles of a brick's cubes: one workgroup per brick, one thread per column of cubes. The
// vertices on its far sides belong to its neighbours.

@group(0) @binding(2) var<storage, read> bricks: array<SkinBrick>;
// Vertices and triangles of all earlier bricks, by slot.
@group(0) @binding(5) var<storage, read> sizes: array<vec2<u32>>;
// By the corners of a cube: the number of triangles, and their edges, four bits each. Then the axis
// and lower node of each edge.
@group(0) @binding(6) var<storage, read> table: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> triangles: array<u32>;

// Words for each of the eight bricks: bits, starts, and the first vertex.
const WORDS: u32 = 24u;
const EDGES: u32 = 256u;

var<workgroup> around: array<u32, 8>;
var<workgroup> words: array<u32, 192>;
var<workgroup> partial: array<u32, GROUP>;

// Number of the vertex on an edge of the brick or of a neighbour; `NONE` if the edge is not cut.
fn vertex(start: vec3<u32>, axis: u32) -> u32 {
    let over = start == vec3(CUBES);
    let owner = select(0u, 1u, over.x) | select(0u, 2u, over.y) | select(0u, 4u, over.z);
    if around[owner] == NONE {
        return NONE;
    }
    let own = select(start, vec3(0u), over);
    let at = owner * WORDS;
    let row = at + 2u * own.z;
    let layer = vec2(words[row], words[row + 1u]);
    let above = vec2(words[row + 2u], words[row + 3u]);
    let bit = own.y * 8u + own.x;
    let bits = cut(layer, above, axis);
    if !is_set(bits, bit) {
        return NONE;
    }
    var number = words[at + 23u] + words[at + 16u + own.z] + ones(below(bits, bit));
    for (var k = 0u; k < axis; k++) {
        number += ones(cut(layer, above, k));
    }
    return number;
}

@compute @workgroup_size(64)
fn skin_triangles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = number_of(group, groups);
    if slot >= places[grid.places].y {
        return;
    }
    let first = sizes[slot].y;
    if sizes[slot + 1u].y == first {
        return;
    }
    if local < 8u {
        around[local] = beside(brick_at(slots[slot]), local);
    }
    workgroupBarrier();
    for (var i = local; i < 8u * WORDS; i += GROUP) {
        let other = around[i / WORDS];
        let word = i % WORDS;
        if other != NONE {
            if word < 16u {
                words[i] = bricks[other].bits[word];
            } else if word < 23u {
                words[i] = bricks[other].starts[word - 16u];
            } else {
                words[i] = sizes[other].x;
            }
        }
    }
    workgroupBarrier();
    let x = local % 8u;
    let y = local / 8u;
    let is_cube = x < CUBES && y < CUBES;
    var own = 0u;
    var cases: array<u32, 7>;
    for (var z = 0u; z < CUBES; z++) {
        let layer = vec2(words[2u * z], words[2u * z + 1u]);
        let above = vec2(words[2u * z + 2u], words[2u * z + 3u]);
        if is_cube {
            cases[z] = corners(layer, above, local);
            own += table[cases[z]].x;
        }
    }
    partial[local] = own;
    for (var by = 1u; by < GROUP; by *= 2u) {
        workgroupBarrier();
        var more = 0u;
        if local >= by {
            more = partial[local - by];
        }
        workgroupBarrier();
        partial[local] += more;
    }
    if !is_cube {
        return;
    }
    var out = 3u * (first + partial[local] - own);
    for (var z = 0u; z < CUBES; z++) {
        let row = table[cases[z]];
        for (var i = 0u; i < 3u * row.x; i++) {
            let edge = table[EDGES + (row[1u + i / 8u] >> (4u * (i % 8u)) & 15u)];
            let number = vertex(vec3(x, y, z) + edge.yzw, edge.x);
            if number == NONE {
                atomicAdd(&tally.torn, 1u);
            }
            triangles[out + i] = number;
        }
        out += 3u * row.x;
    }
}
