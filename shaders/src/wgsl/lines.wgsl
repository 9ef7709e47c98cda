// Intersection of a line with a triangle or a box: the same operations in the same order as in the
// CPU twin's `line.rs`.

const EDGE: f32 = 1e-5;
const PARALLEL: f32 = 1e-7;
// Stands for infinity: WGSL lets an implementation assume that infinities and NaN do not occur.
const FAR: f32 = 1e30;

struct Line {
    o: vec3<f32>,
    d: vec3<f32>,
}

struct Meeting {
    t: f32,
    u: f32,
    v: f32,
    // The line passes from the inner side of the triangle to the outer side.
    outward: bool,
    // False if there is no intersection.
    some: bool,
}

// Tests the bits: a comparison with NaN may be optimised away.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn meet(line: Line, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> Meeting {
    let e1 = b - a;
    let e2 = c - a;
    let p = cross(line.d, e2);
    let det = dot(e1, p);
    let scale = dot(e1, e1) * dot(e2, e2);
    let some = det * det > PARALLEL * PARALLEL * scale;
    let inv = 1.0 / select(1.0, det, some);
    let s = line.o - a;
    let q = cross(s, e1);
    let u = dot(s, p) * inv;
    let v = dot(line.d, q) * inv;
    let t = dot(e2, q) * inv;
    return Meeting(t, u, v, det < 0.0, some && finite(det) && finite(u + v + t));
}

// Edge that a walk crosses from here; 3 if inside (Lehericey 2016, algorithm 2).
fn edge(at: Meeting) -> u32 {
    if at.u < -EDGE {
        return 0u;
    }
    if at.v < -EDGE {
        return 1u;
    }
    if at.u + at.v > 1.0 + EDGE {
        return 2u;
    }
    return 3u;
}

// True if the line hits a box between `low_t` and `high_t`.
//
// The box is enlarged slightly: by the tolerance of an intersection outside its triangle, and by
// the rounding of the line. A line parallel to a side of the box is handled separately, because 0
// times infinity is undefined here.
fn within(line: Line, low: vec3<f32>, high: vec3<f32>, low_t: f32, high_t: f32) -> bool {
    let pad = 2.0 * EDGE * (high - low) + 5e-7 * (abs(low) + abs(high) + abs(line.o));
    let below = low - pad - line.o;
    let above = high + pad - line.o;
    let along = abs(line.d) < vec3(1e-20);
    let inverse = 1.0 / select(line.d, vec3(1.0), along);
    let a = below * inverse;
    let b = above * inverse;
    let inside = below <= vec3(0.0) & above >= vec3(0.0);
    let enter = select(min(a, b), select(vec3(FAR), vec3(-FAR), inside), along);
    let leave = select(max(a, b), select(vec3(-FAR), vec3(FAR), inside), along);
    let first = max(max(enter.x, enter.y), max(enter.z, low_t));
    let last = min(min(leave.x, leave.y), min(leave.z, high_t));
    return first <= last + 1e-6 * (abs(first) + abs(last));
}

fn conjugate(q: vec4<f32>) -> vec4<f32> {
    return vec4(-q.xyz, q.w);
}

// Rotation `b`, then `a`.
fn compose(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

fn turn(q: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    let c = 2.0 * cross(q.xyz, x);
    return x + q.w * c + cross(q.xyz, c);
}
