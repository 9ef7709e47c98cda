//# use layout.wgsl
//# use settings.wgsl
// Objects of a scene and their points.

// Current objects, followed by those of the previous step.
@group(0) @binding(2) var<storage, read> objects: array<Object>;
@group(0) @binding(3) var<storage, read> points: array<Point>;

// Object of a point: the last that starts at or before it.
fn owner(point: u32) -> u32 {
    var low = 0u;
    var high = settings.objects;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if objects[middle].first_point <= point {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
