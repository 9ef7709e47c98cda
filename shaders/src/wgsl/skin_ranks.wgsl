//# use skin_scan.wgsl
// Replaces the items by the sums of all before them.

@group(0) @binding(2) var<storage, read_write> items: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> sums: array<vec2<u32>>;

@compute @workgroup_size(64)
fn skin_ranks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group.y * groups.x + group.x;
    let first = (block * GROUP + local) * EACH;
    let end = min(first + EACH, scan.items);
    var own = vec2(0u);
    for (var i = first; i < end; i++) {
        own += items[i];
    }
    let here = before(local, own);
    if block >= scan.blocks {
        return;
    }
    var next = sums[block] + here;
    for (var i = first; i < end; i++) {
        let item = items[i];
        items[i] = next;
        next += item;
    }
}
