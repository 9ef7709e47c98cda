//# use lists.wgsl
//# use world.wgsl
//# use objects.wgsl
//# use places.wgsl
// After the rays, for each point: keeps its answers, detects crossings of a sheet, and makes its
// contacts, as in the CPU twin's `commit.rs`.

struct Contact {
    x: vec3<f32>,
    depth: f32,
    n: vec3<f32>,
    source: u32,
    point: u32,
    target_: u32,
    triangle: u32,
    t: f32,
    uv: vec2<f32>,
    pad: vec2<u32>,
}

const OUTWARD: u32 = 0x80000000u;

@group(0) @binding(5) var<storage, read> triangles: array<Triangle>;
@group(0) @binding(8) var<storage, read_write> places: array<Place>;
@group(0) @binding(9) var<storage, read_write> records: array<Record>;
@group(0) @binding(10) var<storage, read_write> counters: Counters;
@group(0) @binding(11) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(12) var<storage, read> points_before: array<Point>;

// Answer of one side; `bits` is NOTHING if there is none.
struct Answer {
    target_: u32,
    triangle: u32,
    bits: u32,
    t: f32,
    uv: vec2<f32>,
}

fn class_in(bits: u32) -> u32 {
    return bits & CLASS_BITS;
}

// Removes an answer, and resets the place for the next step.
fn take(place: u32) -> Answer {
    let some = atomicLoad(&places[place].nearest) != NONE;
    atomicStore(&places[place].nearest, NONE);
    atomicStore(&places[place].winner, NONE);
    let bits = select(NOTHING, places[place].bits, some);
    return Answer(
        places[place].target_,
        places[place].triangle,
        bits,
        places[place].t,
        vec2(places[place].u, places[place].v),
    );
}

fn now(object: u32, point: u32) -> vec3<f32> {
    return put(objects[object], points[objects[object].first_point + point].x);
}

fn before(object: u32, point: u32) -> vec3<f32> {
    return put(objects[settings.objects + object], points_before[objects[object].first_point + point].x);
}

// Six times the signed volume of the tetrahedron of a point and a triangle: positive above.
fn height(x: vec3<f32>, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> f32 {
    return dot(x - a, cross(b - a, c - a));
}

// Tolerance of a crossing outside a triangle, in barycentric coordinates: neighbours leave no gap,
// and the motion in a step is not a straight line.
const ROOM: f32 = 0.1;

// True if the previous step left the point on the wrong side of this part of the sheet: of the
// triangle with these corners, or of one that touches it.
fn was_inverted(old: Record, goal: u32, v: vec3<u32>) -> bool {
    if old.target_ != goal || (old.bits & INVERTED) == 0u {
        return false;
    }
    let w = triangles[objects[goal].first_triangle + old.triangle].v;
    return any(v == w.xxx) || any(v == w.yyy) || any(v == w.zzz);
}

// True if a point is on the wrong side of the triangle that it hit: it crossed the triangle in this
// step, or earlier without returning. A point that passes around the edge of a fold also changes
// sides of the plane, so the place of crossing must be in the triangle.
fn wrong_side(source: u32, point: u32, answer: Answer) -> bool {
    let goal = answer.target_;
    let v = triangles[objects[goal].first_triangle + answer.triangle].v;
    let x1 = now(source, point);
    let a1 = now(goal, v.x);
    let b1 = now(goal, v.y);
    let c1 = now(goal, v.z);
    let x0 = before(source, point);
    let a0 = before(goal, v.x);
    let b0 = before(goal, v.y);
    let c0 = before(goal, v.z);
    let is = height(x1, a1, b1, c1);
    let was = height(x0, a0, b0, c0);
    let place = objects[source].first_record + 2u * point;
    let inverted = was_inverted(records[place], goal, v) || was_inverted(records[place + 1u], goal, v);
    if (is >= 0.0) == (was >= 0.0) {
        return inverted;
    }
    if inverted {
        return false;
    }
    let s = was / (was - is);
    let x = mix(x0, x1, s);
    let a = mix(a0, a1, s);
    let b = mix(b0, b1, s);
    let c = mix(c0, c1, s);
    let n = cross(b - a, c - a);
    let parts = vec3(
        dot(cross(b - a, x - a), n),
        dot(cross(c - b, x - b), n),
        dot(cross(a - c, x - c), n),
    ) / dot(n, n);
    return finite(parts.x + parts.y + parts.z) && all(parts >= vec3(-ROOM));
}

fn contact(source: u32, point: u32, answer: Answer) -> Contact {
    let a = objects[source];
    let b = objects[answer.target_];
    let x = now(source, point);
    let v = triangles[b.first_triangle + answer.triangle].v;
    let p = now(answer.target_, v.x);
    let q = now(answer.target_, v.y);
    let r = now(answer.target_, v.z);
    let across = cross(q - p, r - p);
    let normal = across / length(across);
    let met = p + (q - p) * answer.uv.x + (r - p) * answer.uv.y;
    var n = normal;
    if (b.flags & SHEET) != 0u {
        var front = (answer.bits & OUTWARD) != 0u;
        if (a.flags & SHEET) != 0u {
            front = (height(x, p, q, r) >= 0.0) != ((answer.bits & INVERTED) != 0u);
        }
        n = select(-normal, normal, front);
    }
    var depth = a.half_thickness + b.half_thickness - dot(x - met, n);
    if !finite(depth) || !finite(n.x + n.y + n.z) {
        // The triangle has collapsed since the ray hit it: its normal is unknown.
        n = vec3(0.0, 0.0, 1.0);
        depth = 0.0;
    }
    return Contact(
        x, depth, n, source, point, answer.target_, answer.triangle, answer.t, answer.uv, vec2(0u),
    );
}

// Records an answer in its place, and makes its contact; a prediction goes to the list of near
// points.
fn keep(source: u32, point: u32, half: u32, answer: Answer, inverted: bool) {
    let place = objects[source].first_record + 2u * point + half;
    if class_in(answer.bits) == NOTHING {
        records[place] = Record(NONE, NONE, NOTHING, 0.0);
        return;
    }
    var kept = answer;
    if inverted {
        kept.bits = (kept.bits & ~CLASS_BITS) | COLLISION | INVERTED;
    }
    records[place] = Record(kept.triangle, kept.target_, kept.bits & ~OUTWARD, kept.t);
    let list = select(NEAR, CONTACTS, class_in(kept.bits) == COLLISION);
    let i = atomicAdd(&counters.list[list].count, 1u);
    if i < counters.list[list].capacity {
        contacts[counters.list[list].first + i] = contact(source, point, kept);
    }
}

@compute @workgroup_size(64)
fn keep_answers(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = invocation(group, groups, local);
    if i >= settings.points {
        return;
    }
    let source = owner(i);
    let point = i - objects[source].first_point;
    let place = objects[source].first_record + 2u * point;
    var ahead = take(place);
    var behind = take(place + 1u);
    let sheet = (objects[source].flags & SHEET) != 0u;
    if !sheet {
        // One answer: a collision ahead comes first, then the answer behind.
        if class_in(ahead.bits) != COLLISION && class_in(behind.bits) != NOTHING {
            ahead = behind;
        }
        behind.bits = NOTHING;
    } else if (ahead.bits & behind.bits & INNER_SIDE) != 0u && class_in(ahead.bits) != NOTHING
        && class_in(behind.bits) != NOTHING && ahead.target_ == behind.target_ {
        // Inside a solid: exits by the shorter path, since the two would push against each other.
        if abs(ahead.t) <= abs(behind.t) {
            behind.bits = NOTHING;
        } else {
            ahead.bits = NOTHING;
        }
    }
    // Both are tested before either is written: the old records show what was inverted already.
    let look = sheet && (settings.flags & INVERSIONS) != 0u;
    let first = look && turned_over(source, point, ahead);
    let second = look && turned_over(source, point, behind);
    keep(source, point, 0u, ahead, first);
    keep(source, point, 1u, behind, second);
}

fn turned_over(source: u32, point: u32, answer: Answer) -> bool {
    return class_in(answer.bits) != NOTHING && (objects[answer.target_].flags & SHEET) != 0u
        && wrong_side(source, point, answer);
}
