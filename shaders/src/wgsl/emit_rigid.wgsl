//# use rigid.wgsl
// Rays of rigid pairs: one workgroup for a chunk of a source's points and one target.

@compute @workgroup_size(64)
fn emit_rigid(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    emit_of_chunk(group.y * groups.x + group.x, local, GROUP);
}
