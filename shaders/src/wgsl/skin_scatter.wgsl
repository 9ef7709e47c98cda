//# use skin.wgsl
// Moves each pair to the list of its brick, in any order.

@group(0) @binding(2) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;
// Number of pairs of a place still to come.
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> entries: array<u32>;

@compute @workgroup_size(64)
fn skin_scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = number_of(group, groups) * GROUP + local;
    let count = atomicLoad(&tally.pairs);
    // After an overflow the pairs that fitted are useless.
    if i >= count || count > tally.most_pairs {
        return;
    }
    let pair = pairs[i];
    let left = atomicSub(&counts[pair.x], 1u);
    entries[places[pair.x].x + left - 1u] = pair.y;
}
