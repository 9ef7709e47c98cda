//# use query.wgsl
// Full trace of a deformable target, or of one of its clusters, by ray queries; replaces
// `trace_basic.wgsl`.

@compute @workgroup_size(64)
fn query_basic(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = entry(lists.list[BASIC], group, groups, local);
    if i == NONE {
        return;
    }
    let ray = rays[i];
    let c = aim(ray);
    let goal = objects[ray.target_];
    var found = nothing();
    if c.some && ray.start == NONE {
        found = trace_by_query(ray, c, Part(true, 0u, 0u));
    } else if c.some && ray.start < goal.clusters {
        let cluster = clusters[goal.first_cluster + ray.start];
        found = trace_by_query(ray, c, Part(false, cluster.x, min(cluster.y, goal.triangles)));
    }
    hits[i] = found;
}
