//# use answers.wgsl
// The second round: among the answers at the same distance, the one with the lowest target and
// triangle.

@compute @workgroup_size(64)
fn settle_ties(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let job = job_of(invocation(group, groups, local));
    if !job.some {
        return;
    }
    let found = hits[job.at];
    if is_answer(job, found.ahead) && is_nearest(place_of(job, 0u), found.ahead) {
        atomicMin(&places[place_of(job, 0u)].winner, rank(job, found.ahead));
    }
    if is_answer(job, found.behind) && is_nearest(place_of(job, 1u), found.behind) {
        atomicMin(&places[place_of(job, 1u)].winner, rank(job, found.behind));
    }
}
