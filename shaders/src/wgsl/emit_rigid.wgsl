//# use emit.wgsl
// Which points of a rigid pair send a ray: one group for a chunk of a source's points and one target (Lehericey 2016, chapter 3, section 1.2).

struct Chunk {
    source: u32,
    target_: u32,
    // First point, local.
    first: u32,
    // The pair has moved, or is new: 1. Otherwise what is known is walked on from: 0.
    full: u32,
}

// Points of a chunk.
const CHUNK: u32 = 256u;

@group(0) @binding(5) var<storage, read> nodes: array<Node>;
@group(0) @binding(6) var<storage, read> chunks: array<Chunk>;

@compute @workgroup_size(64)
fn emit_rigid(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = group.y * groups.x + group.x;
    if i >= settings.chunks {
        return;
    }
    let chunk = chunks[i];
    let source = objects[chunk.source];
    let goal = objects[chunk.target_];
    let end = min(chunk.first + CHUNK, source.points);
    if chunk.full == 0u {
        // Criterion C2: only what was met, or near, in the step before.
        for (var p = chunk.first + local; p < end; p += GROUP) {
            for (var half = 0u; half < 2u; half++) {
                let record = records[source.first_record + 2u * p + half];
                if (record.bits & CLASS_BITS) != NOTHING && record.target_ == chunk.target_ {
                    append(WALK, Ray(chunk.source, p, chunk.target_, record.triangle));
                }
            }
        }
        return;
    }
    // Criterion C1: only what is within reach of the target's box.
    let back = conjugate(goal.q);
    let q = compose(back, source.q);
    let shift = turn(back, source.t - goal.t);
    let margin = reach(source, goal);
    let low = nodes[goal.first_node].low - margin;
    let high = nodes[goal.first_node].high + margin;
    let list = select(TREE, BASIC, (settings.flags & BY_BASIC) != 0u);
    for (var p = chunk.first + local; p < end; p += GROUP) {
        let x = turn(q, points[source.first_point + p].x) + shift;
        if all(x >= low) && all(x <= high) {
            append(list, Ray(chunk.source, p, chunk.target_, NONE));
        }
    }
}
