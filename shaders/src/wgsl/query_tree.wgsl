//# use query.wgsl
// Full trace of a rigid target by ray queries; replaces `trace_tree.wgsl`.

@compute @workgroup_size(64)
fn query_tree(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = entry(lists.list[TREE], group, groups, local);
    if i == NONE {
        return;
    }
    let ray = rays[i];
    let c = aim(ray);
    var found = nothing();
    if c.some {
        found = trace_by_query(ray, c, Part(true, 0u, 0u));
    }
    hits[i] = found;
}
