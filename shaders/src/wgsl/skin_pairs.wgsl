//# use skin.wgsl
// Pairs of a ball and a brick that it reaches: one workgroup per ball. The pairs come in any order;
// `skin_order` sorts them.

@group(0) @binding(2) var<storage, read> balls: array<Ball>;
// By place.
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
// Place and ball.
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2<u32>>;

@compute @workgroup_size(64)
fn skin_pairs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = number_of(group, groups);
    if number >= grid.balls {
        return;
    }
    let ball = balls[number];
    let low = unpacked(ball.low);
    let size = unpacked(ball.high) - low + vec3(1u);
    let count = size.x * size.y * size.z;
    for (var i = local; i < count; i += GROUP) {
        let row = i / size.x;
        let brick = low + vec3(i % size.x, row % size.y, row / size.y);
        let start = vec3<f32>(brick * CUBES);
        let away = ball.centre - clamp(ball.centre, start, start + f32(CUBES));
        if dot(away, away) <= ball.reach * ball.reach {
            let place = place_number(brick);
            atomicAdd(&counts[place], 1u);
            let at = atomicAdd(&tally.pairs, 1u);
            if at < tally.most_pairs {
                pairs[at] = vec2(place, number);
            }
        }
    }
}
