//# use skin.wgsl
// Layers of a brick's nodes, a bit for each in rows of eight; and its own edges, by the bits of
// their lower nodes.

// All nodes of a layer but the last along an axis, by which bricks overlap.
const OWN: vec2<u32> = vec2(0x7f7f7f7fu, 0x007f7f7fu);

// On both sides of each edge along an axis, in one layer; along z with the layer above.
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

// Those before a bit.
fn below(bits: vec2<u32>, bit: u32) -> vec2<u32> {
    let mask = (1u << (bit % 32u)) - 1u;
    return select(vec2(bits.x & mask, 0u), vec2(bits.x, bits.y & mask), bit >= 32u);
}

// A bit for each corner of the cube above a node, in the table's order.
fn corners(layer: vec2<u32>, above: vec2<u32>, bit: u32) -> u32 {
    var case_ = 0u;
    for (var k = 0u; k < 2u; k++) {
        let bits = select(layer, above, k == 1u);
        let here = bits[bit / 32u] >> (bit % 32u);
        let next = bits[(bit + 8u) / 32u] >> ((bit + 8u) % 32u);
        // The numbering goes round: back along x.
        case_ |= (here & 3u | (next & 1u) << 3u | (next & 2u) << 1u) << (4u * k);
    }
    return case_;
}
