//! Prepares large shapes for the check on a separate thread. A mesh of millions of triangles takes
//! seconds, and the checking thread does not wait for it.
//!
//! The checker does not guess a shape that is not ready: ticks in which it is solid count as not
//! checked.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_audit::Solid;
use hapticd_geometry::TriMesh;
use hapticd_proxy::BodyKey;

/// Number of triangles up to which a shape is prepared at once; that takes some milliseconds.
const INLINE_TRIANGLES_MAX: usize = 10_000;
/// Maximum number of shapes that wait. Each holds its mesh, even after its body was removed.
const MAX_WAITING: usize = 8;

/// The checker's end of the queues.
pub struct Preparer {
    orders: Sender<(BodyKey, Arc<TriMesh>)>,
    ready: Receiver<(BodyKey, Solid)>,
}

/// The preparing thread's end of the queues.
pub struct WorkerEnd {
    orders: Receiver<(BodyKey, Arc<TriMesh>)>,
    ready: Sender<(BodyKey, Solid)>,
}

/// Creates both ends.
pub fn preparer() -> (Preparer, WorkerEnd) {
    let (orders, ordered) = bounded(MAX_WAITING);
    let (made, ready) = bounded(MAX_WAITING);
    let ends = WorkerEnd {
        orders: ordered,
        ready: made,
    };
    (Preparer { orders, ready }, ends)
}

impl Preparer {
    /// Returns the prepared shape if it is small or the queue is full. Otherwise queues it for the
    /// other thread and returns `None`.
    pub fn prepare(&self, key: BodyKey, mesh: &Arc<TriMesh>) -> Option<Solid> {
        let later = mesh.triangles().len() > INLINE_TRIANGLES_MAX
            && self.orders.try_send((key, mesh.clone())).is_ok();
        (!later).then(|| Solid::of(mesh.clone()))
    }

    /// Returns the shapes that have become ready. Does not wait.
    pub fn ready(&self) -> impl Iterator<Item = (BodyKey, Solid)> {
        self.ready.try_iter()
    }
}

impl WorkerEnd {
    /// Waits for a shape and prepares it. Returns false once the checker is gone.
    pub fn serve_one(&self) -> bool {
        let made = |(key, mesh)| self.ready.send((key, Solid::of(mesh))).is_ok();
        self.orders.recv().is_ok_and(made)
    }
}
