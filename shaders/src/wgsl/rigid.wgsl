//# use emit.wgsl
//# use nodes.wgsl
// Which points of a rigid pair send a ray (Lehericey 2016, chapter 3, section 1.2).

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

@group(0) @binding(6) var<storage, read> chunks: array<Chunk>;

// Looks after every `stride`th point of chunk number `i`, from its point number `begin` on; after
// none of a chunk beyond the last.
fn emit_of_chunk(i: u32, begin: u32, stride: u32) {
    if i >= settings.chunks {
        return;
    }
    let chunk = chunks[i];
    let source = objects[chunk.source];
    let goal = objects[chunk.target_];
    let end = min(chunk.first + CHUNK, source.points);
    if chunk.full == 0u {
        // Criterion C2: only what was met, or near, in the step before.
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
    // Criterion C1: only what is within reach of the target's box.
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
