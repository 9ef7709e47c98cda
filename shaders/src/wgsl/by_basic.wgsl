//# use trace.wgsl
//# use clusters.wgsl
// Full trace of a deformable target: every triangle of it, or of one of its clusters (Lehericey
// 2016, chapters 3 and 4).

fn over_triangles(ray: Ray) -> Hits {
    let c = aim(ray);
    let goal = objects[ray.target_];
    var found = nothing();
    if c.some && ray.start == NONE {
        for (var triangle = 0u; triangle < goal.triangles; triangle++) {
            look(c, goal, triangle, &found);
        }
    } else if c.some && ray.start < goal.clusters {
        let cluster = clusters[goal.first_cluster + ray.start];
        for (var k = 0u; k < min(cluster.y, goal.triangles); k++) {
            look(c, goal, members[cluster.x + k], &found);
        }
    }
    return found;
}
