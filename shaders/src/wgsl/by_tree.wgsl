//# use trace.wgsl
//# use nodes.wgsl
// Full trace of a rigid target through its tree of boxes: one way through for both rays (Lehericey
// 2016, chapter 3, section 1.1.1).

fn through_tree(ray: Ray) -> Hits {
    let c = aim(ray);
    let goal = objects[ray.target_];
    var found = nothing();
    var at = select(goal.nodes, 0u, c.some);
    while at < goal.nodes {
        let node = nodes[goal.first_node + at];
        // What is farther than what is known already does not count.
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
            // Always forward: not even a broken tree is gone round for ever.
            at = max(at + 1u, node.skip);
        }
    }
    return found;
}
