//# use answers.wgsl
// The third round: the winner writes the answer. Two rays can win only with the same triangle, and
// then write the same.

fn claim(job: Job, half: u32, hit: Hit) {
    let place = place_of(job, half);
    if !is_answer(job, hit) || !is_nearest(place, hit) || atomicLoad(&places[place].winner) != rank(job, hit) {
        return;
    }
    let from_sheet = (objects[job.ray.source].flags & SHEET) != 0u;
    let to_sheet = (objects[job.ray.target_].flags & SHEET) != 0u;
    // Inner side of a solid: both rays of a sheet's point can hit it from inside, of a volume's
    // point only the ray ahead counts.
    let outward = (hit.triangle & OUTWARD) != 0u;
    let inner = !to_sheet && outward == (half == 0u) && (from_sheet || half == 0u);
    places[place].target_ = job.ray.target_;
    places[place].triangle = hit.triangle & NUMBER;
    // The crossing direction is kept in the highest bit, next to the record's bits, for the
    // contact.
    places[place].bits = class_of(hit) | select(0u, INNER_SIDE, inner) | (hit.triangle & OUTWARD);
    places[place].t = hit.t;
    places[place].u = hit.u;
    places[place].v = hit.v;
}

@compute @workgroup_size(64)
fn claim_places(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let job = job_of(invocation(group, groups, local));
    if !job.some {
        return;
    }
    let found = hits[job.at];
    claim(job, 0u, found.ahead);
    claim(job, 1u, found.behind);
}
