//# use skin.wgsl
// Layers of a brick's nodes as bits, in rows of eight; and its own edges, by the bits of their
// lower nodes.

// Mask of a layer's nodes without the last along an axis, which the next brick owns.
const OWN: vec2<u32> = vec2(0x7f7f7f7fu, 0x007f7f7fu);

// Edges along an axis that are cut, in one layer; along z, to the layer above.
fn cut(layer: vec2<u32>, above: vec2<u32>, axis: u32) -> vec2<u32> {
    var other = above;
    if axis == 0u {
        other = layer >> vec2(1u);
    } else if axis == 1u {
        other = vec2(layer.x >> 8u | layer.y << 24u, layer.y >> 8u);
    }
    return (layer ^ other) & OWN;
}

fn ones(bits: vec2<u32>) -> u32 {
    return countOneBits(bits.x) + countOneBits(bits.y);
}

fn is_set(bits: vec2<u32>, bit: u32) -> bool {
    return (bits[bit / 32u] >> (bit % 32u) & 1u) == 1u;
}

// Bits below the given one.
fn below(bits: vec2<u32>, bit: u32) -> vec2<u32> {
    let mask = (1u << (bit % 32u)) - 1u;
    return select(vec2(bits.x & mask, 0u), vec2(bits.x, bits.y & mask), bit >= 32u);
}

// One bit per corner of the cube above a node, in the table's order.
fn corners(layer: vec2<u32>, above: vec2<u32>, bit: u32) -> u32 {
    var case_ = 0u;
    for (var k = 0u; k < 2u; k++) {
        let bits = select(layer, above, k == 1u);
        let here = bits[bit / 32u] >> (bit % 32u);
        let next = bits[(bit + 8u) / 32u] >> ((bit + 8u) % 32u);
        // Corners are numbered in a ring: back along x.
        case_ |= (here & 3u | (next & 1u) << 3u | (next & 2u) << 1u) << (4u * k);
    }
    return case_;
}
