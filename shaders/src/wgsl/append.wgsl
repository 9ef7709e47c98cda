//# use layout.wgsl
//# use lists.wgsl
// Appends a ray that is due to the list of its algorithm; stage three is a separate pass.

@group(0) @binding(10) var<storage, read_write> counters: Counters;
@group(0) @binding(14) var<storage, read_write> rays: array<Ray>;

fn append(list: u32, ray: Ray) {
    let i = atomicAdd(&counters.list[list].count, 1u);
    if i < counters.list[list].capacity {
        rays[counters.list[list].first + i] = ray;
    }
}
