//# use objects.wgsl
//# use triangles.wgsl
//# use lines.wgsl
// Shared by the three traces: the line of a ray, and the nearest triangle on either side of its
// origin.

// Hit of a line on one side of its origin, with its position on the triangle. The triangle is NONE
// without a hit.
struct Hit {
    t: f32,
    // Highest bit: the line goes outward there. Next two bits: the class, once it is known
    // (`accept.wgsl`).
    triangle: u32,
    u: f32,
    v: f32,
}

struct Hits {
    ahead: Hit,
    behind: Hit,
}

const OUTWARD: u32 = 0x80000000u;
const CLASS: u32 = 29u;
const NUMBER: u32 = 0x1fffffffu;

@group(0) @binding(4) var<storage, read> normals: array<Normal>;

struct Aim {
    line: Line,
    // Range of the line that is tested: from `-behind` to `ahead`.
    behind: f32,
    ahead: f32,
    // The line's point if it belongs to the target, which then ignores its triangles at that point;
    // otherwise NONE.
    own: u32,
    // False if the point has no normal, or something is not finite: nothing is hit.
    some: bool,
}

// Range of the search, behind and ahead: `range` in the CPU twin's `accept.rs`.
fn look_range(source: Object, goal: Object, exit: f32) -> vec2<f32> {
    let from_sheet = (source.flags & SHEET) != 0u;
    let to_sheet = (goal.flags & SHEET) != 0u;
    let prediction = min(settings.prediction, FAR);
    if from_sheet && to_sheet {
        return vec2(max(prediction, source.half_thickness + goal.half_thickness));
    }
    if from_sheet {
        // From inside a solid the exit may be far away.
        return vec2(FAR);
    }
    if to_sheet {
        return vec2(max(prediction, goal.half_thickness), 0.5 * exit);
    }
    return vec2(prediction, exit);
}

// Line of a ray in the target's frame.
fn aim(ray: Ray) -> Aim {
    let source = objects[ray.source];
    let goal = objects[ray.target_];
    let at = source.first_point + ray.point;
    let normal = normals[at];
    var line = Line(points[at].x, select(-normal.n, normal.n, (source.flags & SHEET) != 0u));
    var own = ray.point;
    if ray.source != ray.target_ {
        let back = conjugate(goal.q);
        let q = compose(back, source.q);
        line = Line(turn(q, line.o) + turn(back, source.t - goal.t), turn(q, line.d));
        own = NONE;
    }
    let sound = finite(line.o.x + line.o.y + line.o.z) && finite(line.d.x + line.d.y + line.d.z);
    let range = look_range(source, goal, select(FAR, normal.exit, finite(normal.exit)));
    return Aim(line, range.x, range.y, own, sound && dot(line.d, line.d) > 0.5);
}

fn nothing() -> Hits {
    return Hits(Hit(0.0, NONE, 0.0, 0.0), Hit(0.0, NONE, 0.0, 0.0));
}

fn hit(triangle: u32, at: Meeting) -> Hit {
    return Hit(at.t, triangle | select(0u, OUTWARD, at.outward), at.u, at.v);
}

// Of two triangles at the same place the lower number counts, so the answer does not depend on the
// order.
fn nearer(t: f32, triangle: u32, old: Hit) -> bool {
    return old.triangle == NONE || t < abs(old.t) || (t == abs(old.t) && triangle < (old.triangle & NUMBER));
}

// Tests one triangle, and keeps it if it is the nearest so far on its side.
fn look(c: Aim, goal: Object, triangle: u32, found: ptr<function, Hits>) {
    let v = triangles[goal.first_triangle + triangle].v;
    if c.own != NONE && any(v == vec3(c.own)) {
        return;
    }
    let first = goal.first_point;
    let at = meet(c.line, points[first + v.x].x, points[first + v.y].x, points[first + v.z].x);
    if !at.some || edge(at) != 3u {
        return;
    }
    if at.t >= 0.0 {
        if at.t <= c.ahead && nearer(at.t, triangle, (*found).ahead) {
            (*found).ahead = hit(triangle, at);
        }
    } else if -at.t <= c.behind && nearer(-at.t, triangle, (*found).behind) {
        (*found).behind = hit(triangle, at);
    }
}
