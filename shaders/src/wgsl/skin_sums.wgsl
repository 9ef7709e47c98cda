//# use skin_scan.wgsl
// Sum of each block of items.

@group(0) @binding(2) var<storage, read> items: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec2<u32>>;

@compute @workgroup_size(64)
fn skin_sums(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group.y * groups.x + group.x;
    let first = (block * GROUP + local) * EACH;
    var own = vec2(0u);
    for (var i = first; i < min(first + EACH, scan.items); i++) {
        own += items[i];
    }
    let all = before(local, own) + own;
    if local == GROUP - 1u && block < scan.blocks {
        sums[block] = all;
    }
}
