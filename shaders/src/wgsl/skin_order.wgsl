//# use skin.wgsl
// Sorts the balls of each brick by number, so that sums have the same bits every time: one
// workgroup per brick. A bitonic sort with all exchanges in the same direction: the elements
// missing to a power of two count as largest, and stay in place.

@group(0) @binding(2) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> slots: array<u32>;
@group(0) @binding(4) var<storage, read_write> entries: array<u32>;

fn exchange(a: u32, b: u32) {
    let low = entries[a];
    let high = entries[b];
    if high < low {
        entries[a] = high;
        entries[b] = low;
    }
}

@compute @workgroup_size(64)
fn skin_order(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = number_of(group, groups);
    if slot >= places[grid.places].y {
        return;
    }
    let place = slots[slot];
    let first = places[place].x;
    let count = places[place + 1u].x - first;
    var whole = 1u;
    while whole < count {
        whole *= 2u;
    }
    for (var run = 2u; run <= whole; run *= 2u) {
        let half = run / 2u;
        // Two sorted runs, the second one reversed.
        for (var i = local; i < whole / 2u; i += GROUP) {
            let start = i / half * run;
            let a = start + i % half;
            let b = start + run - 1u - i % half;
            if b < count {
                exchange(first + a, first + b);
            }
        }
        storageBarrier();
        for (var by = half / 2u; by > 0u; by /= 2u) {
            for (var i = local; i < whole / 2u; i += GROUP) {
                let a = i / by * 2u * by + i % by;
                if a + by < count {
                    exchange(first + a, first + a + by);
                }
            }
            storageBarrier();
        }
    }
}
