//# use skin_bits.wgsl
// Vertices on a brick's own edges, with their normals: one workgroup per brick, one thread per
// vertex. Positions are in edges of cubes; the host adds the domain's corner in double precision.

@group(0) @binding(2) var<storage, read> balls: array<Ball>;
@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> slots: array<u32>;
@group(0) @binding(5) var<storage, read> entries: array<u32>;
@group(0) @binding(6) var<storage, read> bricks: array<SkinBrick>;
// Vertices and triangles of all earlier bricks, by slot.
@group(0) @binding(7) var<storage, read> sizes: array<vec2<u32>>;
// Position and normal.
@group(0) @binding(9) var<storage, read_write> vertices: array<f32>;

// Maximum number of vertices of a brick.
const MOST: u32 = 1029u;

// Bit of the lower node, layer and axis.
var<workgroup> edges: array<u32, MOST>;

fn potential(ball: Ball, at: vec3<f32>) -> f32 {
    let d = (at - ball.centre) * ball.per_radius;
    let v = max(1.0 - d.z * d.z - d.y * d.y - d.x * d.x, 0.0);
    return ball.amplitude * v * v;
}

@compute @workgroup_size(64)
fn skin_vertices(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = number_of(group, groups);
    if slot >= places[grid.places].y {
        return;
    }
    let first = sizes[slot].x;
    let count = sizes[slot + 1u].x - first;
    if count == 0u {
        return;
    }
    for (var z = 0u; z < CUBES; z++) {
        var at = bricks[slot].starts[z];
        let layer = vec2(bricks[slot].bits[2u * z], bricks[slot].bits[2u * z + 1u]);
        let above = vec2(bricks[slot].bits[2u * z + 2u], bricks[slot].bits[2u * z + 3u]);
        for (var axis = 0u; axis < 3u; axis++) {
            let bits = cut(layer, above, axis);
            if is_set(bits, local) {
                edges[at + ones(below(bits, local))] = local | z << 6u | axis << 9u;
            }
            at += ones(bits);
        }
    }
    workgroupBarrier();
    let place = slots[slot];
    let brick = brick_at(place) * CUBES;
    let begin = places[place].x;
    let end = places[place + 1u].x;
    for (var i = local; i < count; i += GROUP) {
        let edge = edges[i];
        let start = brick + vec3(edge & 7u, edge >> 3u & 7u, edge >> 6u & 7u);
        let axis = edge >> 9u;
        let along = vec3(select(0u, 1u, axis == 0u), select(0u, 1u, axis == 1u), select(0u, 1u, axis == 2u));
        let to = start + along;
        var a = 0.0;
        var b = 0.0;
        for (var k = begin; k < end; k++) {
            let ball = balls[entries[k]];
            a += potential(ball, vec3<f32>(start));
            b += potential(ball, vec3<f32>(to));
        }
        // Clipping puts the surface on the border node itself.
        a = select(min(a, 1.0), a, is_within(start));
        b = select(min(b, 1.0), b, is_within(to));
        var part = 0.0;
        if a != b {
            part = clamp((1.0 - a) / (b - a), 0.0, 1.0);
        }
        let at = vec3<f32>(start) + part * vec3<f32>(along);
        var sum = vec3(0.0);
        for (var k = begin; k < end; k++) {
            let ball = balls[entries[k]];
            let away = (at - ball.centre) * ball.per_radius;
            let v = max(1.0 - dot(away, away), 0.0);
            sum += (v * ball.amplitude * ball.per_radius) * away;
        }
        // Scaled by the largest component, so that no square overflows or vanishes. A zero gradient
        // has no direction; any unit vector will do.
        let most = max(max(abs(sum.x), abs(sum.y)), abs(sum.z));
        var normal = vec3(0.0, 0.0, 1.0);
        if most > 0.0 {
            normal = normalize(sum / most);
        }
        let out = 6u * (first + i);
        for (var k = 0u; k < 3u; k++) {
            vertices[out + k] = at[k];
            vertices[out + 3u + k] = normal[k];
        }
    }
}
