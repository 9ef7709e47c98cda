//# use emit.wgsl
//# use nodes.wgsl
// Selects the points of a rigid pair that emit a ray (Lehericey 2016, chapter 3, section 1.2).

struct Chunk {
    source: u32,
    target_: u32,
    // First point, local.
    first: u32,
    // 1: the pair has moved, or is new. 0: walk on from remembered hits.
    full: u32,
}

// Points per chunk.
const CHUNK: u32 = 256u;

@group(0) @binding(6) var<storage, read> chunks: array<Chunk>;

// Handles every `stride`th point of chunk number `i`, from its point number `begin` on. Does
// nothing after the last chunk.
fn emit_of_chunk(i: u32, begin: u32, stride: u32) {
    if i >= settings.chunks {
        return;
    }
    let chunk = chunks[i];
    let source = objects[chunk.source];
    let goal = objects[chunk.target_];
    let end = min(chunk.first + CHUNK, source.points);
    if chunk.full == 0u {
        // Criterion C2: only points that were in contact, or near it, in the previous step.
        for (var p = chunk.first + begin; p < end; p += stride) {
            for (var half = 0u; half < 2u; half++) {
                let record = records[source.first_record + 2u * p + half];
                if (record.bits & CLASS_BITS) != NOTHING && record.target_ == chunk.target_ {
                    append(WALK, Ray(chunk.source, p, chunk.target_, record.triangle));
                }
            }
        }
        return;
    }
    // Criterion C1: only points within reach of the target's box.
    let back = conjugate(goal.q);
    let q = compose(back, source.q);
    let shift = turn(back, source.t - goal.t);
    let margin = reach(source, goal);
    let low = nodes[goal.first_node].low - margin;
    let high = nodes[goal.first_node].high + margin;
    let list = select(TREE, BASIC, (settings.flags & BY_BASIC) != 0u);
    for (var p = chunk.first + begin; p < end; p += stride) {
        let x = turn(q, points[source.first_point + p].x) + shift;
        if all(x >= low) && all(x <= high) {
            append(list, Ray(chunk.source, p, chunk.target_, NONE));
        }
    }
}
