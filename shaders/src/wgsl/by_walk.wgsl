//# use trace.wgsl
// Walk over the target's surface from the triangle that the line met before (Lehericey 2016,
// algorithms 1 to 3).

@group(0) @binding(11) var<storage, read> neighbours: array<Neighbours>;

fn along_surface(ray: Ray) -> Hits {
    let c = aim(ray);
    let goal = objects[ray.target_];
    var found = nothing();
    var triangle = ray.start;
    // The walk has no memory: one that looks at more triangles than there are goes round.
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
            // On its own surface a walk may end at a triangle of the point itself, which is no
            // answer.
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
