//# use append.wgsl
//# use world.wgsl
//# use objects.wgsl
//# use places.wgsl
// What the two ways to find the rays that are due have in common.

@group(0) @binding(9) var<storage, read> records: array<Record>;

// How far outside of a target's box a point may be and still get an answer.
fn reach(source: Object, goal: Object) -> f32 {
    return max(settings.prediction, source.half_thickness + goal.half_thickness);
}
