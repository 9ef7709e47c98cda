//! Memory cost of clients' bodies. It is estimated from the two counts in a mesh's header before
//! anything large is allocated, and reserved. It is free again when the last part of the body is,
//! whichever thread frees it: the ledger checks whether the body's mesh still exists.
//!
//! A body is more than its mesh: adjacency, boxes for the queries and for the checker, a copy for
//! other clients and, where there are deformable bodies, one for rays. All of it is locked in
//! memory where the daemon may lock. So the total ([`Cost`]) counts against a quota, not the length
//! of a file. That is at most 12 bytes per byte of a mesh in single precision. With rays the
//! estimate is up to 13.

use std::sync::{Arc, Weak};

use hapticd_ccd::MeshIndex;
use hapticd_protocol::reply::ErrorCode;
use hapticd_sys::machine_memory;

use super::{ClientId, Refusal};

/// Memory of a mesh, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// As long as the body exists.
    pub resident: u64,
    /// Maximum while it is being imported.
    pub peak: u64,
}

impl Cost {
    /// Estimates the cost of a mesh with this many vertices and triangles; `soft` includes rays. An
    /// upper bound for usual meshes: trees that are no more than half unbalanced, surfaces of any
    /// kind.
    #[must_use]
    pub fn of(vertices: u32, triangles: u32, deformable: bool) -> Self {
        let (v, t) = (u64::from(vertices), u64::from(triangles));
        // Euler: V - E + F is at most 2 per connected piece, and 0 or less with handles; on a
        // closed surface E is 3/2 F.
        let e = (3 * t).min((v + t).max(3 * t / 2 + 1));
        let mesh = 24 * v + 12 * t;
        // Owners of vertices, sides of triangles, edges.
        let adjacency = 4 * v + 12 * t + 16 * e;
        // Two boxes of 32 bytes per triangle, and its owned features; vertices in single precision
        // and the ends of four edges of each; a point of each piece (three vertices or more).
        let index = (16 + 16 + 8) * v + (2 * 32 + 1) * t;
        let shown = 12 * v + 12 * t;
        // A bit per vertex and a number per piece; triangles in order, half a box of 16 bytes for
        // each.
        let checked = 2 * v + (4 + 8) * t;
        // Points, normals, exits and clusters; corners, neighbours, a box of 16 bytes per triangle.
        // Usually it is half a box, which leaves 12 more bytes where neighbours are far apart.
        let rays = if deformable {
            38 * v + (12 + 6 + 16) * t
        } else {
            0
        };
        let resident = mesh + adjacency + index + shown + checked + rays + FIXED_BYTES;
        // The file, its numbers twice, sorted sides, and the corners and moments from which the
        // tree is built.
        let transient = 84 * v + 400 * t;
        Self {
            resident,
            peak: resident + transient,
        }
    }
}

/// Cost of a body without triangles.
const FIXED_BYTES: u64 = 4096;

/// Memory of one body, with its client.
#[derive(Debug)]
struct Entry {
    client: ClientId,
    bytes: u64,
    body: Weak<MeshIndex>,
}

/// Memory use of all clients.
#[derive(Debug)]
pub struct Ledger {
    total: u64,
    entries: Vec<Entry>,
}

impl Ledger {
    /// Makes a ledger: all clients together may use `total` bytes, and one of them half of that. 0
    /// means a quarter of the machine's memory for this process.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self {
            total: match total {
                0 => machine_memory::total_bytes() / 4,
                some => some,
            },
            entries: Vec::new(),
        }
    }

    /// Bytes that all clients together may use.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of all existing bodies.
    pub fn used(&mut self) -> u64 {
        self.entries.retain(|e| e.body.strong_count() > 0);
        self.entries.iter().map(|e| e.bytes).sum()
    }

    /// Reserves memory that [`Ledger::check`] found to be available for this body.
    pub fn note(&mut self, client: ClientId, cost: Cost, body: &Arc<MeshIndex>) {
        self.entries.push(Entry {
            client,
            bytes: cost.resident,
            body: Arc::downgrade(body),
        });
    }

    /// Checks that there is memory for a mesh of this client.
    ///
    /// # Errors
    /// [`ErrorCode::MeshTooLarge`] with the bytes that it needs and those that are left: to this
    /// client, to all, or on the machine.
    pub fn check(&mut self, client: ClientId, cost: Cost) -> Result<(), Refusal> {
        self.check_of(client, cost, machine_memory::available_bytes())
    }

    fn check_of(&mut self, client: ClientId, cost: Cost, available: u64) -> Result<(), Refusal> {
        let all = self.used();
        let own = self.entries.iter().filter(|e| e.client == client);
        let own: u64 = own.map(|e| e.bytes).sum();
        let (own_left, all_left) = (
            (self.total / 2).saturating_sub(own),
            self.total.saturating_sub(all),
        );
        // Other processes see the same available memory, so some of it is left to them.
        let here = available - available / 8;
        let resident = "of memory, with everything built from its mesh";
        let peak = "of memory while its mesh is read";
        for (needs, what, left, whose) in [
            (cost.resident, resident, own_left, "to one client"),
            (cost.resident, resident, all_left, "to all clients"),
            (cost.peak, peak, here, "on this machine"),
        ] {
            if needs > left {
                return Err(Refusal {
                    code: ErrorCode::MeshTooLarge,
                    number: needs,
                    limit: left,
                    detail: format!(
                        "the body needs {} MB {what}; {} MB are left {whose} \
                         ([ipc] memory_mb: {} MB)",
                        needs.div_ceil(1 << 20),
                        left >> 20,
                        self.total >> 20
                    ),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Vec3;

    const A: ClientId = ClientId(1);
    const B: ClientId = ClientId(2);
    const MB: u64 = 1 << 20;

    fn cost(resident: u64) -> Cost {
        Cost {
            resident,
            peak: 2 * resident,
        }
    }

    fn body() -> Arc<MeshIndex> {
        Arc::new(MeshIndex::point(Vec3::zeros()))
    }

    #[test]
    fn memory_counts_by_client_until_its_body_is_gone() {
        let mut ledger = Ledger::new(100 * MB);
        let reserve = |ledger: &mut Ledger, client, mb| {
            ledger.check_of(client, cost(mb * MB), u64::MAX)?;
            let body = body();
            ledger.note(client, cost(mb * MB), &body);
            Ok::<_, Refusal>(body)
        };
        let first = reserve(&mut ledger, A, 30).unwrap();
        let refused = reserve(&mut ledger, A, 21).unwrap_err();
        assert_eq!(
            (refused.code, refused.number, refused.limit),
            (ErrorCode::MeshTooLarge, 21 * MB, 20 * MB)
        );
        assert!(refused.detail.contains("one client"), "{}", refused.detail);
        let second = reserve(&mut ledger, A, 20).unwrap();
        let third = reserve(&mut ledger, B, 45).unwrap();
        let refused = reserve(&mut ledger, B, 6).unwrap_err();
        assert!(refused.detail.contains("one client"), "{}", refused.detail);
        let refused = reserve(&mut ledger, ClientId(3), 6).unwrap_err();
        assert_eq!((refused.number, refused.limit), (6 * MB, 5 * MB));
        assert!(refused.detail.contains("all clients"), "{}", refused.detail);
        drop(first);
        assert_eq!(ledger.used(), 65 * MB);
        drop(reserve(&mut ledger, ClientId(3), 6).unwrap());
        drop((second, third));
        assert_eq!(ledger.used(), 0);
    }

    #[test]
    fn memory_that_the_machine_lacks_is_refused_early() {
        let mut ledger = Ledger::new(1000 * MB);
        let refused = ledger.check_of(A, cost(100 * MB), 160 * MB).unwrap_err();
        assert_eq!((refused.number, refused.limit), (200 * MB, 140 * MB));
        assert!(refused.detail.contains("machine"), "{}", refused.detail);
        assert!(ledger.check_of(A, cost(100 * MB), 240 * MB).is_ok());
        // Default: a share of what the machine has.
        let default = Ledger::new(0).total();
        assert!(default > 0 && default <= machine_memory::total_bytes() / 4);
    }

    #[test]
    fn the_largest_counts_do_not_overflow() {
        let cost = Cost::of(u32::MAX, u32::MAX, true);
        assert!(cost.resident > 1 << 40 && cost.peak > cost.resident);
        assert!(Ledger::new(0).check(A, cost).is_err());
    }
}
