//# use lists.wgsl
//# use by_tree.wgsl
//# use by_basic.wgsl
//# use by_walk.wgsl
// For comparison, in place of `append.wgsl`: traces a ray that is due at once, with any of the
// algorithms.

@group(0) @binding(7) var<storage, read_write> hits: array<Hits>;
@group(0) @binding(10) var<storage, read_write> counters: Counters;
@group(0) @binding(14) var<storage, read_write> rays: array<Ray>;

fn append(list: u32, ray: Ray) {
    let i = atomicAdd(&counters.list[list].count, 1u);
    if i >= counters.list[list].capacity {
        return;
    }
    // The lists are still filled, since the passes after the traces are the same for all launch
    // methods.
    let at = counters.list[list].first + i;
    rays[at] = ray;
    if list == TREE {
        hits[at] = through_tree(ray);
    } else if list == BASIC {
        hits[at] = over_triangles(ray);
    } else {
        hits[at] = along_surface(ray);
    }
}
