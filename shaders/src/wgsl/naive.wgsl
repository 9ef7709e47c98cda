//# for comparison
//# use at_once.wgsl for append.wgsl
//# use rigid.wgsl
//# use runs.wgsl
// Stages two and three in one kernel with branches, against which the pipeline of Lehericey 2016
// (chapter 3, section 1) is measured. One invocation for each point of each pair decides what is
// due, and does it. Not used by the daemon.

// Workgroups per chunk.
const PARTS_OF_CHUNK: u32 = CHUNK / GROUP;

@compute @workgroup_size(64)
fn trace_at_once(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = group.y * groups.x + group.x;
    let rigid = settings.chunks * PARTS_OF_CHUNK;
    if i < rigid {
        emit_of_chunk(i / PARTS_OF_CHUNK, i % PARTS_OF_CHUNK * GROUP + local, CHUNK);
    } else {
        // If a cluster has more points than a workgroup has invocations, some handle two.
        emit_of_run(i - rigid, local, GROUP);
    }
}
