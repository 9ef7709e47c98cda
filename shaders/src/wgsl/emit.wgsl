//# use append.wgsl
//# use world.wgsl
//# use objects.wgsl
//# use places.wgsl
// Shared by the two methods of finding the rays that are due.

@group(0) @binding(9) var<storage, read> records: array<Record>;

// Maximum distance of a point outside a target's box at which it can still get an answer.
fn reach(source: Object, goal: Object) -> f32 {
    return max(settings.prediction, source.half_thickness + goal.half_thickness);
}
