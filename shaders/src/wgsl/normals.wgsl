//# use objects.wgsl
//# use lists.wgsl
// Normals of the deformables' points at their current positions: unit length, weighted by the
// angles of their triangles, as in the CPU twin's `shape.rs`.

@group(0) @binding(4) var<storage, read_write> normals: array<Normal>;
@group(0) @binding(5) var<storage, read> triangles: array<Triangle>;
// For each point of the scene the start of its triangles in the same list, then their end, then the
// triangles, with local indices.
@group(0) @binding(6) var<storage, read> around: array<u32>;

const PI: f32 = 3.14159265;

// Angle of a vector with nonnegative `y`. WGSL's own function may be off by thousands of roundings.
fn angle(y: f32, x: f32) -> f32 {
    let width = abs(x);
    let r = min(width, y) / max(width, y);
    let far = r > 0.41421356;
    let s = select(r, (r - 1.0) / (r + 1.0), far);
    let z = s * s;
    let tail = ((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1;
    let eighth = tail * z * s + s + select(0.0, PI / 4.0, far);
    let quarter = select(eighth, PI / 2.0 - eighth, y > width);
    return select(quarter, PI - quarter, x < 0.0);
}

@compute @workgroup_size(64)
fn update_normals(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = invocation(group, groups, local);
    if i >= settings.points {
        return;
    }
    let object = objects[owner(i)];
    if (object.flags & DEFORMABLE) == 0u {
        return;
    }
    let first = object.first_point;
    let p = i - first;
    var sum = vec3(0.0);
    for (var k = around[i]; k < min(around[i + 1u], arrayLength(&around)); k++) {
        let v = triangles[object.first_triangle + around[k]].v;
        // The corners after this one, in order.
        let next = select(select(v.x, v.z, v.y == p), v.y, v.x == p);
        let last = select(select(v.y, v.x, v.y == p), v.z, v.x == p);
        let o = points[i].x;
        let a = points[first + next].x - o;
        let b = points[first + last].x - o;
        let n = cross(a, b);
        let sine = length(n);
        if sine > 0.0 {
            sum += n * (angle(sine, dot(a, b)) / sine);
        }
    }
    let size = length(sum);
    normals[i].n = select(vec3(0.0), sum / size, size > 0.0);
}
