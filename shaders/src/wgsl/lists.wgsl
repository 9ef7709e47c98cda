// Lists filled by appending: the count continues beyond the capacity, so that the reader learns how
// much capacity was missing.

const GROUP: u32 = 64u;
// The order is that of the lists on the Rust side (`traces.rs`).
const TREE: u32 = 0u;
const BASIC: u32 = 1u;
const WALK: u32 = 2u;
const CONTACTS: u32 = 3u;
// In the same buffer as the contacts.
const NEAR: u32 = 4u;
const LISTS: u32 = 5u;
// The three lists of rays share one buffer, each starting at its `first`.
const TRACES: u32 = 3u;

struct List {
    count: u32,
    capacity: u32,
    first: u32,
    pad: u32,
}

struct Lists {
    list: array<List, LISTS>,
}

// The same structure for passes that append.
struct Counter {
    count: atomic<u32>,
    capacity: u32,
    first: u32,
    pad: u32,
}

struct Counters {
    list: array<Counter, LISTS>,
}

// Number of entries present in a list.
fn entries(list: List) -> u32 {
    return min(list.count, list.capacity);
}

// Number of this invocation in a dispatch of two dimensions (`args.wgsl`).
fn invocation(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * GROUP + local;
}
