//# use skin_bits.wgsl
//# use skin_around.wgsl
// Completes each brick with the signs of shared nodes from the bricks that own them, and counts its
// vertices and triangles.

@group(0) @binding(2) var<storage, read> signs: array<u32>;
@group(0) @binding(5) var<storage, read_write> bricks: array<SkinBrick>;
// Vertices and triangles, by slot.
@group(0) @binding(6) var<storage, read_write> sizes: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> table: array<vec4<u32>>;

var<workgroup> around: array<u32, 8>;
var<workgroup> rows: array<u32, GROUP>;
var<workgroup> words: array<u32, 16>;
var<workgroup> layers: array<u32, 7>;
var<workgroup> triangles: atomic<u32>;

fn row_of(slot: u32, y: u32, z: u32) -> u32 {
    if slot == NONE {
        return 0u;
    }
    return signs[slot * 16u + 2u * z + y / 4u] >> (8u * (y % 4u)) & 0xffu;
}

@compute @workgroup_size(64)
fn skin_join(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = number_of(group, groups);
    if slot >= places[grid.places].y {
        return;
    }
    if local < 8u {
        around[local] = beside(brick_at(slots[slot]), local);
    }
    workgroupBarrier();
    let y = local % 8u;
    let z = local / 8u;
    let over = select(0u, 2u, y == CUBES) | select(0u, 4u, z == CUBES);
    let low = row_of(around[over], y % CUBES, z % CUBES);
    let high = row_of(around[over | 1u], y % CUBES, z % CUBES);
    rows[local] = (low & 0x7fu) | (high & 1u) << 7u;
    workgroupBarrier();
    if local < 16u {
        let i = 4u * local;
        let word = rows[i] | rows[i + 1u] << 8u | rows[i + 2u] << 16u | rows[i + 3u] << 24u;
        words[local] = word;
        bricks[slot].bits[local] = word;
    }
    workgroupBarrier();
    if local < CUBES {
        let layer = vec2(words[2u * local], words[2u * local + 1u]);
        let above = vec2(words[2u * local + 2u], words[2u * local + 3u]);
        var count = 0u;
        for (var axis = 0u; axis < 3u; axis++) {
            count += ones(cut(layer, above, axis));
        }
        layers[local] = count;
    }
    var own = 0u;
    if local % 8u < CUBES && local / 8u < CUBES {
        for (var k = 0u; k < CUBES; k++) {
            let layer = vec2(words[2u * k], words[2u * k + 1u]);
            let above = vec2(words[2u * k + 2u], words[2u * k + 3u]);
            own += table[corners(layer, above, local)].x;
        }
    }
    if own > 0u {
        atomicAdd(&triangles, own);
    }
    workgroupBarrier();
    if local == 0u {
        var vertices = 0u;
        for (var k = 0u; k < CUBES; k++) {
            bricks[slot].starts[k] = vertices;
            vertices += layers[k];
        }
        let count = atomicLoad(&triangles);
        sizes[slot] = vec2(vertices, count);
        if vertices + count > 0u {
            atomicAdd(&tally.with_surface, 1u);
        }
    }
}
