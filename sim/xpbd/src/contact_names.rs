//! Keys by which a contact of one step is recognised in the next. No allocation.

use super::contact::{Contact, ContactPoint};

/// Returns two keys of a contact. The first includes the exact place on the first side, the second
/// that on the second side.
pub(super) fn keys(contact: &Contact) -> [u64; 2] {
    // FNV-1a over words. A collision of keys only gives a worse warm start.
    let name = |words: &[u64]| {
        (words.iter()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| {
            (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
        })
    };
    let owner = |point: &ContactPoint| match point {
        ContactPoint::Particle(id) => [0, u64::from(id.0)],
        ContactPoint::Vertex { deformable, .. } | ContactPoint::Triangle { deformable, .. } => {
            [1, u64::from(deformable.0)]
        }
        ContactPoint::Body { body, .. } => [2, u64::from(body.0)],
        ContactPoint::World(_) => [3, 0],
    };
    let place = |point: &ContactPoint| match point {
        ContactPoint::Particle(_) => [0; 3],
        ContactPoint::Vertex { vertex, .. } => [1, u64::from(*vertex), 0],
        ContactPoint::Body { local: p, .. } | ContactPoint::World(p) => {
            [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()]
        }
        ContactPoint::Triangle {
            vertices: [a, b, c],
            weights,
            ..
        } => [
            u64::from(*a) << 32 | u64::from(*b),
            u64::from(*c) ^ weights[0].to_bits().rotate_left(7),
            weights[1].to_bits(),
        ],
    };
    let ([ka, ia], [kb, ib]) = (owner(&contact.a), owner(&contact.b));
    let ([x, y, z], [u, v, w]) = (place(&contact.a), place(&contact.b));
    [
        name(&[1, ka, ia, kb, ib, x, y, z]),
        name(&[2, ka, ia, kb, ib, u, v, w]),
    ]
}
