//# use runs.wgsl
// Rays of the pairs with a deformable: one workgroup for a cluster and one target.

@compute @workgroup_size(64)
fn emit_clusters(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    emit_of_run(group.y * groups.x + group.x, local, GROUP);
}
