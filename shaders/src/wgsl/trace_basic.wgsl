//# use entries.wgsl
//# use by_basic.wgsl
// Stage three for the list of the basic algorithm: one ray per invocation.

@compute @workgroup_size(64)
fn trace_basic(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = entry(lists.list[BASIC], group, groups, local);
    if i == NONE {
        return;
    }
    hits[i] = over_triangles(rays[i]);
}
