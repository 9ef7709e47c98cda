//# use skin.wgsl
// Neighbours of a brick.

@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> slots: array<u32>;

// Slot of the brick that is one further along each axis with a set bit; `NONE` if no ball reaches
// it, or it is outside the domain.
fn beside(brick: vec3<u32>, bits: u32) -> u32 {
    let at = brick + (vec3(bits) >> vec3(0u, 1u, 2u) & vec3(1u));
    if any(at >= grid.bricks) {
        return NONE;
    }
    let place = place_number(at);
    let slot = places[place].y;
    return select(NONE, slot, places[place + 1u].y > slot);
}
