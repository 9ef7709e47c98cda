//# use lines.wgsl
//# use layout.wgsl
//# use lists.wgsl
// Boxes of all triangles in the format of ray queries: six numbers each, in the frame of the
// points.

@group(0) @binding(0) var<storage, read> points: array<Point>;
// Points of each triangle, numbered over the whole scene.
@group(0) @binding(1) var<storage, read> corners: array<vec4<u32>>;
// As bits: NaN cannot be written as a number.
@group(0) @binding(2) var<storage, read_write> triangle_boxes: array<u32>;

// Possible error of a line's position after a change to a frame some metres away, m.
const FRAME: f32 = 4e-6;
// A box that begins with this value is left out.
const NAN: u32 = 0x7fc00000u;

@compute @workgroup_size(64)
fn find_boxes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = invocation(group, groups, local);
    if i >= arrayLength(&corners) {
        return;
    }
    let v = corners[i];
    let a = points[v.x].x;
    let b = points[v.y].x;
    let c = points[v.z].x;
    let low = min(a, min(b, c));
    let high = max(a, max(b, c));
    // As in `within`.
    let pad = 2.0 * EDGE * (high - low) + 1e-6 * (abs(low) + abs(high)) + FRAME;
    let from_x = bitcast<vec3<u32>>(low - pad);
    let to_x = bitcast<vec3<u32>>(high + pad);
    // Each coordinate separately: `min` of NaN and a number may return the number.
    let sum = abs(a) + abs(b) + abs(c);
    let sound = finite(sum.x) && finite(sum.y) && finite(sum.z);
    for (var k = 0u; k < 3u; k++) {
        triangle_boxes[6u * i + k] = select(NAN, from_x[k], sound);
        triangle_boxes[6u * i + 3u + k] = select(NAN, to_x[k], sound);
    }
}
