//# use lists.wgsl
//# use trace.wgsl
// The lists as stage two left them, with room for what each ray meets.

// A uniform and not a storage buffer: adapters with eight of the latter per stage are to do.
@group(0) @binding(1) var<uniform> lists: Lists;
@group(0) @binding(6) var<storage, read> rays: array<Ray>;
@group(0) @binding(7) var<storage, read_write> hits: array<Hits>;

// Where this invocation's ray of a list is; NONE beyond the last.
fn entry(list: List, group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    let number = invocation(group, groups, local);
    return select(NONE, list.first + number, number < entries(list));
}
