//# use layout.wgsl
//# use lists.wgsl
//# use world.wgsl
//# use settings.wgsl
//# use places.wgsl
// What the passes that emit rays have in common.

@group(0) @binding(2) var<storage, read> objects: array<Object>;
@group(0) @binding(3) var<storage, read> points: array<Point>;
@group(0) @binding(4) var<storage, read_write> rays: array<Ray>;
@group(0) @binding(9) var<storage, read> records: array<Record>;
@group(0) @binding(10) var<storage, read_write> counters: Counters;

fn append(list: u32, ray: Ray) {
    let i = atomicAdd(&counters.list[list].count, 1u);
    if i < counters.list[list].capacity {
        rays[counters.list[list].first + i] = ray;
    }
}

// How far outside of a target's box a point may be and still get an answer.
fn reach(source: Object, goal: Object) -> f32 {
    return max(settings.prediction, source.half_thickness + goal.half_thickness);
}
