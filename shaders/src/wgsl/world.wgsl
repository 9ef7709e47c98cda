//# use layout.wgsl
//# use lines.wgsl
// Transform from an object's frame to the world.

fn put(object: Object, x: vec3<f32>) -> vec3<f32> {
    return turn(object.q, x) + object.t;
}
