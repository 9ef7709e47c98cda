//# use layout.wgsl
// Of each side of each point the answer that counts, found among rays that do not know of each
// other.
//
// First the nearest (`nearest`, the bits of a length, which are ordered like it), then of those at
// the same distance the lowest triangle (`winner`, counted over the whole scene, so that targets
// are ordered by number as well), then the answer itself. There are no atomic floats and no atomics
// of 64 bits, hence in three passes.

struct Place {
    nearest: atomic<u32>,
    winner: atomic<u32>,
    target_: u32,
    triangle: u32,
    bits: u32,
    t: f32,
    u: f32,
    v: f32,
}

struct Record {
    triangle: u32,
    target_: u32,
    bits: u32,
    t: f32,
}

const NOTHING: u32 = 0u;
const COLLISION: u32 = 1u;
const PREDICTION: u32 = 2u;
const CLASS_BITS: u32 = 3u;
const INNER_SIDE: u32 = 4u;
const INVERTED: u32 = 8u;
