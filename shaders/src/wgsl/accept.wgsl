//# use answers.wgsl
// Classification of hits: the four elementary tests, as in the CPU twin's `accept.rs`. Also the
// first round: the nearest answer of each place.

// `slope`: cosine between the line and the target's normal. `alone`: not both rays of the point hit
// the target from inside.
fn accept(source: Object, goal: Object, exit: f32, hit: Hit, slope: f32, alone: bool) -> u32 {
    let from_sheet = (source.flags & SHEET) != 0u;
    let to_sheet = (goal.flags & SHEET) != 0u;
    let ahead = hit.t >= 0.0;
    let outward = (hit.triangle & OUTWARD) != 0u;
    let size = abs(hit.t);
    var thickness = 0.0;
    if !from_sheet && !to_sheet {
        // Leaves the target ahead of the point; followed backward, enters it. The limit is just
        // short of the own exit: a soft body tested against itself finds that exit as well.
        if outward && ahead && size < 0.9999 * exit {
            return COLLISION;
        }
        return select(NOTHING, PREDICTION, outward && !ahead && size <= settings.prediction);
    } else if !from_sheet {
        if ahead {
            return select(NOTHING, COLLISION, size <= 0.5 * exit);
        }
        thickness = goal.half_thickness;
    } else if !to_sheet {
        thickness = source.half_thickness;
        if outward == ahead {
            // Next to an edge, a ray may slip in through rounding: the far side is then no contact
            // as deep as the ray is long.
            let touches = abs(hit.t * slope) < thickness;
            return select(NOTHING, COLLISION, !alone || touches);
        }
    } else {
        thickness = source.half_thickness + goal.half_thickness;
    }
    // By the re-projected length: a solver places points at that distance.
    if abs(hit.t * slope) < thickness {
        return COLLISION;
    }
    return select(NOTHING, PREDICTION, size <= settings.prediction);
}

// True if both rays of a point hit the inner side.
fn encloses(found: Hits) -> bool {
    let some = found.ahead.triangle != NONE && found.behind.triangle != NONE;
    return some && (found.ahead.triangle & OUTWARD) != 0u && (found.behind.triangle & OUTWARD) == 0u;
}

fn classified(job: Job, c: Aim, hit: Hit, alone: bool) -> u32 {
    if hit.triangle == NONE {
        return NONE;
    }
    let source = objects[job.ray.source];
    let goal = objects[job.ray.target_];
    let number = hit.triangle & NUMBER;
    let v = triangles[goal.first_triangle + number].v;
    let a = points[goal.first_point + v.x].x;
    let n = cross(points[goal.first_point + v.y].x - a, points[goal.first_point + v.z].x - a);
    let slope = dot(c.line.d, n) / length(n);
    let written = normals[source.first_point + job.ray.point].exit;
    let exit = select(FAR, written, finite(written));
    return number | (hit.triangle & OUTWARD) | (accept(source, goal, exit, hit, slope, alone) << CLASS);
}

@compute @workgroup_size(64)
fn accept_hits(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let job = job_of(invocation(group, groups, local));
    if !job.some {
        return;
    }
    let c = aim(job.ray);
    var found = hits[job.at];
    let alone = job.whole && !encloses(found);
    found.ahead.triangle = classified(job, c, found.ahead, alone);
    found.behind.triangle = classified(job, c, found.behind, alone);
    hits[job.at] = found;
    if is_answer(job, found.ahead) {
        atomicMin(&places[place_of(job, 0u)].nearest, bitcast<u32>(abs(found.ahead.t)));
    }
    if is_answer(job, found.behind) {
        atomicMin(&places[place_of(job, 1u)].nearest, bitcast<u32>(abs(found.behind.t)));
    }
}
