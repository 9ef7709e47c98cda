//# use emit.wgsl
//# use triangles.wgsl
// Selects the points of a cluster that emit a ray to one target, if the source or the target
// deforms (Lehericey 2016, chapter 4, section 4.1).

// Two kinds of rows share one buffer, for adapters with only eight: runs, followed by the boxes of
// the nearby clusters.
struct Row {
    // For a run: source, target, first of its boxes, number of boxes. For a box: lowest corner as
    // bits, cluster.
    a: vec4<u32>,
    // For a run: first of the points in `cluster_points`, number of points. For a box: highest
    // corner as bits, 1 to trace in full.
    b: vec4<u32>,
}

@group(0) @binding(15) var<storage, read> rows: array<Row>;
@group(0) @binding(16) var<storage, read> cluster_points: array<u32>;

// Row of a cluster among the nearby ones, which are sorted; NONE if it is not among them.
fn find(first: u32, count: u32, cluster: u32) -> u32 {
    var low = first;
    var high = first + count;
    while low < high {
        let middle = low + (high - low) / 2u;
        if rows[middle].a.w < cluster {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return select(NONE, low, low < first + count && rows[low].a.w == cluster);
}

// Handles every `stride`th point of run number `i`, from its point number `begin` on. Does nothing
// after the last run.
fn emit_of_run(i: u32, begin: u32, stride: u32) {
    if i >= settings.runs {
        return;
    }
    let run = rows[i];
    let source = objects[run.a.x];
    let goal = objects[run.a.y];
    let first = run.a.z;
    let count = min(run.a.w, arrayLength(&rows));
    let margin = reach(source, goal);
    let by_basic = (goal.flags & DEFORMABLE) != 0u || (settings.flags & BY_BASIC) != 0u;
    for (var k = begin; k < min(run.b.y, arrayLength(&cluster_points)); k += stride) {
        let p = cluster_points[run.b.x + k];
        let x = put(source, points[source.first_point + p].x);
        // Criterion C1, by cluster; one traversal of a rigid target's tree covers all clusters.
        var by_tree = false;
        for (var n = first; n < first + count; n++) {
            let row = rows[n];
            let low = bitcast<vec3<f32>>(row.a.xyz) - margin;
            let high = bitcast<vec3<f32>>(row.b.xyz) + margin;
            if row.b.w == 0u || by_tree || !(all(x >= low) && all(x <= high)) {
                continue;
            }
            if by_basic {
                append(BASIC, Ray(run.a.x, p, run.a.y, row.a.w));
            } else {
                append(TREE, Ray(run.a.x, p, run.a.y, NONE));
                by_tree = true;
            }
        }
        if by_tree {
            continue;
        }
        // Criterion C2; a hit in a cluster that is no longer near is out of reach.
        for (var half = 0u; half < 2u; half++) {
            let record = records[source.first_record + 2u * p + half];
            if (record.bits & CLASS_BITS) == NOTHING || record.target_ != run.a.y {
                continue;
            }
            let at = find(first, count, triangles[goal.first_triangle + record.triangle].cluster);
            if at != NONE && rows[at].b.w == 0u {
                append(WALK, Ray(run.a.x, p, run.a.y, record.triangle));
            }
        }
    }
}
