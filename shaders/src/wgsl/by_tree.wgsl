//# use trace.wgsl
//# use nodes.wgsl
// Full trace of a rigid target through its tree of boxes: one traversal for both rays (Lehericey
// 2016, chapter 3, section 1.1.1).

fn through_tree(ray: Ray) -> Hits {
    let c = aim(ray);
    let goal = objects[ray.target_];
    var found = nothing();
    var at = select(goal.nodes, 0u, c.some);
    while at < goal.nodes {
        let node = nodes[goal.first_node + at];
        // Anything farther than the nearest hit so far does not count.
        let from_t = select(found.behind.t, -c.behind, found.behind.triangle == NONE);
        let to_t = select(found.ahead.t, c.ahead, found.ahead.triangle == NONE);
        if within(c.line, node.low, node.high, from_t, to_t) {
            let first = node.leaf >> 3u;
            let end = first + (node.leaf & 7u);
            for (var triangle = first; triangle < end; triangle++) {
                look(c, goal, triangle, &found);
            }
            at++;
        } else {
            // Always forward, so that even a broken tree cannot cause an endless loop.
            at = max(at + 1u, node.skip);
        }
    }
    return found;
}
