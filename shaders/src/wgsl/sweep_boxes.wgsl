//# use layout.wgsl
// Triangles of two bodies that may come near each other while one follows a screw: the swept box of
// every triangle of one is tested against the tree of the other. Never too few: `midphase.rs`
// derives the bounds.

const GROUP: u32 = 64u;
// Parts of a motion, so that each arc is close to its chord.
const PARTS: u32 = 4u;

// One query: A moves, B is static, both relative to their middles, in B's axes.
struct Sweep {
    // A's frame to B's at the start, after each part of the motion, and at the end: rows of the
    // rotation, each with its component of the translation.
    poses: array<array<vec4<f32>, 3>, PARTS + 1u>,
    // Angular velocity of the screw, per step.
    omega: vec3<f32>,
    reach: f32,
    // Velocity of the point at B's middle, per step.
    velocity: vec3<f32>,
    first_box: u32,
    boxes: u32,
    first_node: u32,
    nodes: u32,
    pad: u32,
}

// Box of a triangle.
struct Box {
    low: vec3<f32>,
    triangle: u32,
    high: vec3<f32>,
    pad: u32,
}

struct Candidate {
    query: u32,
    a: u32,
    b: u32,
    pad: u32,
}

// Number of candidates of all queries, including those that did not fit.
struct Tally {
    count: atomic<u32>,
    capacity: u32,
    jobs: u32,
    pad: u32,
}

@group(0) @binding(0) var<storage, read> sweeps: array<Sweep>;
// For each workgroup: the query, and the first of its boxes.
@group(0) @binding(1) var<storage, read> jobs: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> boxes: array<Box>;
@group(0) @binding(3) var<storage, read> nodes: array<Node>;
@group(0) @binding(4) var<storage, read_write> tally: Tally;
// Number of candidates by query, including those that did not fit.
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> candidates: array<Candidate>;

// Thirty-two roundings.
const ROUNDING: f32 = 1.9073486e-6;

fn sum(x: vec3<f32>) -> f32 {
    return abs(x.x) + abs(x.y) + abs(x.z);
}

fn turned(rows: array<vec4<f32>, 3>, x: vec3<f32>) -> vec3<f32> {
    return vec3(dot(rows[0].xyz, x), dot(rows[1].xyz, x), dot(rows[2].xyz, x));
}

fn spread(rows: array<vec4<f32>, 3>, x: vec3<f32>) -> vec3<f32> {
    return vec3(dot(abs(rows[0].xyz), x), dot(abs(rows[1].xyz), x), dot(abs(rows[2].xyz), x));
}

@compute @workgroup_size(64)
fn sweep_boxes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let job = group.y * groups.x + group.x;
    if job >= tally.jobs {
        return;
    }
    let query = jobs[job].x;
    let sweep = sweeps[query];
    let own = jobs[job].y + local;
    if own >= sweep.boxes {
        return;
    }
    let box = boxes[sweep.first_box + own];
    let centre = 0.5 * (box.low + box.high);
    let half = 0.5 * (box.high - box.low);
    var low = vec3(3e38);
    var high = vec3(-3e38);
    var shift = 0.0;
    for (var k = 0u; k <= PARTS; k++) {
        let rows = sweep.poses[k];
        let by = vec3(rows[0].w, rows[1].w, rows[2].w);
        let at = turned(rows, centre) + by;
        let wide = spread(rows, half);
        low = min(low, at - wide);
        high = max(high, at + wide);
        shift = max(shift, sum(by));
    }
    // Maximum deviation of a point from its chord.
    let size = shift + sum(box.low) + sum(box.high);
    let turn = sum(sweep.omega);
    let swing = sum(sweep.velocity) + turn * size;
    let first = turned(sweep.poses[0], centre)
        + vec3(sweep.poses[0][0].w, sweep.poses[0][1].w, sweep.poses[0][2].w);
    let bend = length(cross(sweep.omega, cross(sweep.omega, first) + sweep.velocity));
    let bow = (0.126 * (bend + turn * turn * length(half)) + ROUNDING * turn * swing)
        / f32(PARTS * PARTS);
    let margin = sweep.reach + bow + ROUNDING * (size + sweep.reach + bow) + 1e-30;
    low -= margin;
    high += margin;
    var at = 0u;
    while at < sweep.nodes {
        let node = nodes[sweep.first_node + at];
        if all(low <= node.high) && all(high >= node.low) {
            if node.leaf != 0u {
                atomicAdd(&counts[query], 1u);
                let i = atomicAdd(&tally.count, 1u);
                if i < tally.capacity {
                    candidates[i] = Candidate(query, box.triangle, node.leaf >> 3u, 0u);
                }
            }
            at++;
        } else {
            at = max(at + 1u, node.skip);
        }
    }
}
