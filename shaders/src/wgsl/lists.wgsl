// Lists that are filled by appending: the count goes on past the capacity, so that whoever reads it
// learns how much room was missing.

const GROUP: u32 = 64u;
// Fixed by the order of `Lists` on the Rust side.
const TREE: u32 = 0u;
const BASIC: u32 = 1u;
const WALK: u32 = 2u;
const CONTACTS: u32 = 3u;
// In one buffer, too.
const NEAR: u32 = 4u;
const LISTS: u32 = 5u;
// The three lists of rays are in one buffer, each from its `first` on.
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

// The same, for those who append.
struct Counter {
    count: atomic<u32>,
    capacity: u32,
    first: u32,
    pad: u32,
}

struct Counters {
    list: array<Counter, LISTS>,
}

// How many entries of a list are there.
fn entries(list: List) -> u32 {
    return min(list.count, list.capacity);
}

// The number of this invocation, in a dispatch that is folded in two dimensions (`args.wgsl`).
fn invocation(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * GROUP + local;
}
