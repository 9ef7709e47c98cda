//# use skin.wgsl
// Signs of a brick's nodes: one workgroup per brick, one thread per row of eight nodes. Bricks that
// bounds of the sum exclude are not sampled. The sign of a node is taken from the one brick in
// which it is not on a far side: so neighbours never disagree, whatever the rounding (`skin_join`).

@group(0) @binding(2) var<storage, read> balls: array<Ball>;
@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> slots: array<u32>;
@group(0) @binding(5) var<storage, read> entries: array<u32>;
// Two words per layer.
@group(0) @binding(6) var<storage, read_write> signs: array<u32>;

// Lower and upper bounds of the sum, and the size of its terms.
var<workgroup> bounds: array<vec3<f32>, GROUP>;
var<workgroup> centres: array<vec4<f32>, GROUP>;
var<workgroup> amplitudes: array<f32, GROUP>;
var<workgroup> rows: array<u32, GROUP>;

// Half a unit of single-precision rounding.
const ROUNDING: f32 = 5.9604645e-8;

fn bound(ball: Ball, low: vec3<f32>) -> vec3<f32> {
    let a = low - ball.centre;
    let b = ball.centre - low - f32(CUBES);
    let outside = max(max(a, b), vec3(0.0)) * ball.per_radius;
    let across = max(abs(a), abs(b)) * ball.per_radius;
    let near = max(1.0 - dot(outside, outside), 0.0);
    let far = max(1.0 - dot(across, across), 0.0);
    let high = ball.amplitude * near * near;
    let deep = ball.amplitude * far * far;
    return vec3(min(high, deep), max(high, deep), abs(high));
}

@compute @workgroup_size(64)
fn skin_signs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = number_of(group, groups);
    if slot >= places[grid.places].y {
        return;
    }
    let place = slots[slot];
    let first = places[place].x;
    let end = places[place + 1u].x;
    let node = brick_at(place) * CUBES;
    let low = vec3<f32>(node);
    var own = vec3(0.0);
    for (var i = first + local; i < end; i += GROUP) {
        own += bound(balls[entries[i]], low);
    }
    bounds[local] = own;
    for (var by = GROUP / 2u; by > 0u; by /= 2u) {
        workgroupBarrier();
        if local < by {
            bounds[local] += bounds[local + by];
        }
    }
    let whole = workgroupUniformLoad(&bounds[0]);
    // Margin for rounding in the sums at nodes and in these bounds.
    let room = 2e-4 + f32(end - first + 16u) * ROUNDING * whole.z;
    let touches = any(node == vec3(0u)) || any(node + CUBES >= grid.cells);
    let outside = whole.y <= 1.0 - room;
    let inside = whole.x >= 1.0 + room && !touches;
    if outside || inside {
        if local < 16u {
            signs[slot * 16u + local] = select(0u, 0xffffffffu, inside);
        }
        return;
    }
    let row = vec2(local % 8u, local / 8u);
    let y = f32(node.y + row.x);
    let z = f32(node.z + row.y);
    let x = vec4(low.x) + vec4(0.0, 1.0, 2.0, 3.0);
    var near = vec4(0.0);
    var far = vec4(0.0);
    for (var start = first; start < end; start += GROUP) {
        workgroupBarrier();
        if start + local < end {
            let ball = balls[entries[start + local]];
            centres[local] = vec4(ball.centre, ball.per_radius);
            amplitudes[local] = ball.amplitude;
        }
        workgroupBarrier();
        for (var k = 0u; k < min(GROUP, end - start); k++) {
            let ball = centres[k];
            let by_z = (z - ball.z) * ball.w;
            let by_y = (y - ball.y) * ball.w;
            let left = 1.0 - by_z * by_z - by_y * by_y;
            if left > 0.0 {
                let a = (x - ball.x) * ball.w;
                let b = (x + 4.0 - ball.x) * ball.w;
                let v = max(left - a * a, vec4(0.0));
                let w = max(left - b * b, vec4(0.0));
                near += amplitudes[k] * v * v;
                far += amplitudes[k] * w * w;
            }
        }
    }
    var bits = 0u;
    var clipped = 0u;
    for (var i = 0u; i < 8u; i++) {
        let sum = select(far[i % 4u], near[i % 4u], i < 4u);
        if sum > 1.0 {
            let at = node + vec3(i, row);
            if is_within(at) {
                bits |= 1u << i;
            } else {
                // The last nodes belong to the next brick, except at the domain's end.
                let last = vec3(i, row) == vec3(CUBES);
                let is_own = (!last | (at == grid.cells)) & (at <= grid.cells);
                clipped += select(0u, 1u, all(is_own));
            }
        }
    }
    rows[local] = bits;
    if clipped > 0u {
        atomicAdd(&tally.clipped, clipped);
    }
    workgroupBarrier();
    if local < 16u {
        let i = 4u * local;
        signs[slot * 16u + local] = rows[i] | rows[i + 1u] << 8u | rows[i + 2u] << 16u | rows[i + 3u] << 24u;
    }
    if local == 0u {
        atomicAdd(&tally.sampled, 1u);
    }
}
