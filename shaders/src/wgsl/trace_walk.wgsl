//# use entries.wgsl
//# use by_walk.wgsl
// Stage three for the list of the walk: one ray per invocation.

@compute @workgroup_size(64)
fn trace_walk(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = entry(lists.list[WALK], group, groups, local);
    if i == NONE {
        return;
    }
    hits[i] = along_surface(rays[i]);
}
