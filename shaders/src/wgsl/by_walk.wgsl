//# use trace.wgsl
// Walk over the target's surface from the triangle that the line hit before (Lehericey 2016,
// algorithms 1 to 3).

@group(0) @binding(11) var<storage, read> neighbours: array<Neighbours>;

fn along_surface(ray: Ray) -> Hits {
    let c = aim(ray);
    let goal = objects[ray.target_];
    var found = nothing();
    var triangle = ray.start;
    // The walk has no memory: if it visits more triangles than exist, it runs in a circle.
    var left = select(0u, min(goal.walk_limit, goal.triangles), c.some);
    while left > 0u && triangle < goal.triangles {
        left--;
        let v = triangles[goal.first_triangle + triangle].v;
        let first = goal.first_point;
        let at = meet(c.line, points[first + v.x].x, points[first + v.y].x, points[first + v.z].x);
        if !at.some {
            break;
        }
        let way = edge(at);
        if way == 3u {
            // On its own object a walk may end at a triangle that contains the point, which is not
            // an answer.
            let own = c.own != NONE && any(v == vec3(c.own));
            if at.t >= 0.0 && !own {
                found.ahead = hit(triangle, at);
            } else if !own {
                found.behind = hit(triangle, at);
            }
            break;
        }
        triangle = neighbours[goal.first_triangle + triangle].across[way];
    }
    return found;
}
