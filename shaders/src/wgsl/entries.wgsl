//# use lists.wgsl
//# use trace.wgsl
// The lists that stage two filled, with storage for each ray's hits.

// A uniform and not a storage buffer: adapters with only eight storage buffers per stage must
// suffice.
@group(0) @binding(1) var<uniform> lists: Lists;
@group(0) @binding(6) var<storage, read> rays: array<Ray>;
@group(0) @binding(7) var<storage, read_write> hits: array<Hits>;

// Index of this invocation's ray of a list; NONE after the last.
fn entry(list: List, group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    let number = invocation(group, groups, local);
    return select(NONE, list.first + number, number < entries(list));
}
