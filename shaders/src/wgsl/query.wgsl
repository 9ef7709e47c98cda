//# enable wgpu_ray_query
//# use trace.wgsl
//# use clusters.wgsl
//# use world.wgsl
// Full traces by the adapter's ray queries: it finds triangles that the line may meet, and what counts is decided by the same test as everywhere.
//
// The adapter goes through all objects in the world, in numbers of its own; `look` computes in the target's frame. Near an edge the two may
// disagree on which side the line passes, so `look` is asked about the triangles around, too: what is met by its rules is not lost there.

@group(0) @binding(10) var structure: acceleration_structure;
@group(0) @binding(11) var<storage, read> neighbours: array<Neighbours>;

// An instance has one of eight bits, by its object's number: most objects that are not meant are left out at once.
const BITS: u32 = 8u;
// Triangles that are passed to get from the one that the adapter names to the one that the line passes through.
const AROUND: u32 = 8u;
// Farther than any scene reaches, m: nothing of the adapter's is to overflow.
const LONGEST: f32 = 1e5;

// What is looked at of a target: all of it, or the triangles of one cluster, in `members`.
struct Part {
    all: bool,
    first: u32,
    count: u32,
}

// The triangle at or next to `near` that the line passes through by our own numbers; NONE past a border and where it runs along a triangle.
fn settle(c: Aim, goal: Object, near: u32) -> u32 {
    var triangle = near;
    for (var left = AROUND; left > 0u && triangle < goal.triangles; left--) {
        let v = triangles[goal.first_triangle + triangle].v;
        let first = goal.first_point;
        let at = meet(c.line, points[first + v.x].x, points[first + v.y].x, points[first + v.z].x);
        if !at.some {
            return NONE;
        }
        let way = edge(at);
        if way == 3u {
            return triangle;
        }
        triangle = neighbours[goal.first_triangle + triangle].across[way];
    }
    return NONE;
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

fn look_in(c: Aim, goal: Object, part: Part, triangle: u32, found: ptr<function, Hits>) {
    if triangle < goal.triangles && belongs(part, triangle) {
        look(c, goal, triangle, found);
    }
}

// Asks for the triangles on one side of the line's origin.
fn ask(ray: Ray, c: Aim, part: Part, o: vec3<f32>, d: vec3<f32>, length: f32, found: ptr<function, Hits>) {
    let goal = objects[ray.target_];
    var query: ray_query;
    rayQueryInitialize(&query, structure, RayDesc(RAY_FLAG_FORCE_NO_OPAQUE, 1u << (ray.target_ % BITS), 0.0, length, o, d));
    // No triangle is confirmed, so each that the line meets comes up once and the order does not matter.
    while rayQueryProceed(&query) {
        let candidate = rayQueryGetCandidateIntersection(&query);
        if candidate.instance_custom_data != ray.target_ || candidate.primitive_index >= goal.triangles {
            continue;
        }
        look_in(c, goal, part, candidate.primitive_index, found);
        let triangle = settle(c, goal, candidate.primitive_index);
        if triangle != NONE {
            look_in(c, goal, part, triangle, found);
            // A line along an edge is in both triangles, and the other may be the one that is in this part.
            let across = neighbours[goal.first_triangle + triangle].across;
            look_in(c, goal, part, across.x, found);
            look_in(c, goal, part, across.y, found);
            look_in(c, goal, part, across.z, found);
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
    // What is met at the origin itself must be met in spite of the adapter's rounding: both ways begin a little behind it and end a little late.
    let shift = 1e-6 + 4e-6 * (length(x) + length(source.t) + length(objects[ray.target_].t));
    ask(ray, c, part, o - shift * d, d, min(1.0001 * c.ahead, LONGEST) + 2.0 * shift, &found);
    ask(ray, c, part, o + shift * d, -d, min(1.0001 * c.behind, LONGEST) + 2.0 * shift, &found);
    return found;
}
