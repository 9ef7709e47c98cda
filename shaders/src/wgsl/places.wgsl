//# use layout.wgsl
// The answer that counts for each side of each point, found among rays that do not know of each
// other.
//
// The first round finds the nearest distance (`nearest`, the bits of a length, which sort like the
// length). The second finds the lowest triangle at that distance (`winner`, numbered over the whole
// scene, so that targets are ordered by number as well). The third writes the answer itself. Three
// passes are needed because there are no atomic floats and no 64-bit atomics.

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
