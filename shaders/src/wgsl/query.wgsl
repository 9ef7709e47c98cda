//# enable wgpu_ray_query
//# use entries.wgsl
//# use clusters.wgsl
//# use world.wgsl
// Full traces by the adapter's ray queries: the adapter finds the boxes of triangles that the line
// may hit, and the triangles are tested as everywhere else.
//
// So what is hit, where, and which of two hits at the same place counts do not depend on the
// adapter. The adapter tests all objects in the world with its own arithmetic; the boxes exceed
// their triangles by more than its error (`boxes.wgsl`).

@group(0) @binding(10) var structure: acceleration_structure;

// An instance has one of eight mask bits, by its object's number: most other objects are skipped at
// once.
const BITS: u32 = 8u;
// Longer than any scene, m, so that the adapter's arithmetic does not overflow.
const LONGEST: f32 = 1e5;

// The part of a target to test: all of it, or the triangles of one cluster, in `members`.
struct Part {
    all: bool,
    first: u32,
    count: u32,
}

fn belongs(part: Part, triangle: u32) -> bool {
    if part.all {
        return true;
    }
    for (var k = 0u; k < part.count; k++) {
        if members[part.first + k] == triangle {
            return true;
        }
    }
    return false;
}

// Queries the boxes on one side of the line's origin.
fn ask(ray: Ray, c: Aim, part: Part, o: vec3<f32>, d: vec3<f32>, length: f32, found: ptr<function, Hits>) {
    let goal = objects[ray.target_];
    var query: ray_query;
    rayQueryInitialize(&query, structure, RayDesc(RAY_FLAG_NONE, 1u << (ray.target_ % BITS), 0.0, length, o, d));
    // No hit is confirmed: every box is reported, in any order.
    while rayQueryProceed(&query) {
        let candidate = rayQueryGetCandidateIntersection(&query);
        let triangle = candidate.primitive_index;
        // Ignore the boxes of other objects.
        if candidate.instance_custom_data == ray.target_ && triangle < goal.triangles && belongs(part, triangle) {
            look(c, goal, triangle, found);
        }
    }
}

fn trace_by_query(ray: Ray, c: Aim, part: Part) -> Hits {
    var found = nothing();
    let source = objects[ray.source];
    let x = points[source.first_point + ray.point].x;
    let n = normals[source.first_point + ray.point].n;
    let o = put(source, x);
    let d = turn(source.q, select(-n, n, (source.flags & SHEET) != 0u));
    ask(ray, c, part, o, d, min(c.ahead, LONGEST), &found);
    ask(ray, c, part, o, -d, min(c.behind, LONGEST), &found);
    return found;
}
