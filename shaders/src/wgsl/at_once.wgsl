//# use lists.wgsl
//# use by_tree.wgsl
//# use by_basic.wgsl
//# use by_walk.wgsl
// For comparison, in place of `append.wgsl`: a ray that is due is traced on the spot, by whatever
// algorithm that is.

@group(0) @binding(7) var<storage, read_write> hits: array<Hits>;
@group(0) @binding(10) var<storage, read_write> counters: Counters;
@group(0) @binding(14) var<storage, read_write> rays: array<Ray>;

fn append(list: u32, ray: Ray) {
    let i = atomicAdd(&counters.list[list].count, 1u);
    if i >= counters.list[list].capacity {
        return;
    }
    // What comes after the traces is the same for all, hence the lists.
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
