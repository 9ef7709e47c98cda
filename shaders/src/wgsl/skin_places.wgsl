//# use skin.wgsl
// Input of the scan over places: number of balls that reach each, and whether any does.

@group(0) @binding(2) var<storage, read> counts: array<u32>;
// One more than places: the last becomes the sum.
@group(0) @binding(3) var<storage, read_write> places: array<vec2<u32>>;

@compute @workgroup_size(64)
fn skin_places(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let place = number_of(group, groups) * GROUP + local;
    if place > grid.places {
        return;
    }
    var count = 0u;
    if place < grid.places {
        count = counts[place];
    }
    places[place] = vec2(count, min(count, 1u));
}
