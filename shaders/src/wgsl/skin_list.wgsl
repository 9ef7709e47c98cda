//# use skin.wgsl
// Bricks that a ball reaches, in the order of their places.

@group(0) @binding(2) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> slots: array<u32>;

@compute @workgroup_size(64)
fn skin_list(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let place = number_of(group, groups) * GROUP + local;
    if place >= grid.places {
        return;
    }
    let slot = places[place].y;
    if places[place + 1u].y > slot && slot < tally.most_bricks {
        slots[slot] = place;
    }
}
