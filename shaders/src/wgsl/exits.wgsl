//# use objects.wgsl
//# use lists.wgsl
//# use lines.wgsl
// Exits of the inner rays of deformable volumes from their own object: a walk from the last exit,
// or a search of the whole surface if the walk fails.

@group(0) @binding(4) var<storage, read_write> normals: array<Normal>;
@group(0) @binding(5) var<storage, read> triangles: array<Triangle>;
@group(0) @binding(6) var<storage, read> neighbours: array<Neighbours>;
// Triangle of the exit, by point.
@group(0) @binding(7) var<storage, read_write> exits: array<u32>;

// Maximum number of triangles that a walk visits.
const STEPS: u32 = 16u;

fn meeting(object: Object, line: Line, triangle: u32) -> Meeting {
    let v = triangles[object.first_triangle + triangle].v;
    let first = object.first_point;
    return meet(line, points[first + v.x].x, points[first + v.y].x, points[first + v.z].x);
}

@compute @workgroup_size(64)
fn find_exits(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = invocation(group, groups, local);
    if i >= settings.points {
        return;
    }
    let object = objects[owner(i)];
    if (object.flags & (DEFORMABLE | SHEET)) != DEFORMABLE {
        return;
    }
    let p = i - object.first_point;
    let line = Line(points[i].x, -normals[i].n);
    // A point without triangles has no normal and never exits.
    var exit = 0.0;
    var at = NONE;
    let some = dot(line.d, line.d) > 0.5;
    var triangle = exits[i];
    for (var left = select(0u, STEPS, some); left > 0u && triangle < object.triangles; left--) {
        let m = meeting(object, line, triangle);
        let way = edge(m);
        if !m.some {
            break;
        }
        if way == 3u {
            if m.t > 0.0 && m.outward {
                exit = m.t;
                at = triangle;
            }
            break;
        }
        triangle = neighbours[object.first_triangle + triangle].across[way];
    }
    if at == NONE && some {
        var nearest = FAR;
        var outward = false;
        for (var t = 0u; t < object.triangles; t++) {
            let m = meeting(object, line, t);
            let own = any(triangles[object.first_triangle + t].v == vec3(p));
            if !own && m.some && edge(m) == 3u && m.t >= 0.0 && m.t < nearest {
                nearest = m.t;
                outward = m.outward && m.t > 0.0;
                at = t;
            }
        }
        exit = select(0.0, nearest, outward);
        at = select(NONE, at, outward);
    }
    normals[i].exit = exit;
    exits[i] = at;
}
