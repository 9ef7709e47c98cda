//# use emit.wgsl
//# use triangles.wgsl
// Which points of a cluster send a ray to one target, of which or from which the clusters are
// looked after because it deforms (Lehericey 2016, chapter 4, section 4.1).

// Two kinds of rows in one buffer, for adapters with eight of them: runs, and behind them the boxes
// of the clusters near by.
struct Row {
    // Of a run: source, target, first of its boxes, how many. Of a box: lowest corner as bits,
    // cluster.
    a: vec4<u32>,
    // Of a run: first of the points in `cluster_points`, how many. Of a box: highest corner as
    // bits, 1 if it is to be traced in full.
    b: vec4<u32>,
}

@group(0) @binding(15) var<storage, read> rows: array<Row>;
@group(0) @binding(16) var<storage, read> cluster_points: array<u32>;

// The box of a cluster among those near by, which are in order; NONE if it is not there.
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

// Looks after every `stride`th point of run number `i`, from its point number `begin` on; after
// none of a run beyond the last.
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
        // Criterion C1, by cluster; one way through the tree of a rigid target finds them all.
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
        // Criterion C2; what lies in a cluster that is not near any more is out of reach.
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
