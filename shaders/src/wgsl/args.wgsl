//# use lists.wgsl
// Workgroup counts of the next passes, from the lists' counts: the host need not know them.

// Maximum number of workgroups in one dimension, on every adapter.
const SIDE: u32 = 65535u;

@group(0) @binding(0) var<storage, read> lists: Lists;
// For each list of rays, and for all three together.
@group(0) @binding(1) var<storage, read_write> args: array<vec4<u32>, TRACES + 1u>;

@compute @workgroup_size(64)
fn build_args(@builtin(local_invocation_index) i: u32) {
    if i > TRACES {
        return;
    }
    var count = 0u;
    for (var k = 0u; k < TRACES; k++) {
        count += select(0u, entries(lists.list[k]), i == k || i == TRACES);
    }
    let groups = count / GROUP + select(0u, 1u, count % GROUP != 0u);
    let rows = max((groups + SIDE - 1u) / SIDE, 1u);
    args[i] = vec4((groups + rows - 1u) / rows, rows, 1u, 0u);
}
