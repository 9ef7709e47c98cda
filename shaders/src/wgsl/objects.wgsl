//# use layout.wgsl
//# use settings.wgsl
// The objects of a scene and their points.

// The objects now, and behind them the objects a step ago.
@group(0) @binding(2) var<storage, read> objects: array<Object>;
@group(0) @binding(3) var<storage, read> points: array<Point>;

// The object of a point: the last that begins at it or before.
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
