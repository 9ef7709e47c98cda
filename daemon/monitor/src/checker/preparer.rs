//! Large shapes are made ready for the check on a thread of their own. A mesh of millions of
//! triangles takes seconds; the thread that checks does not wait for it.
//!
//! A shape that is not ready is not guessed: ticks in which it is solid count as not checked.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_audit::Solid;
use hapticd_geometry::TriMesh;
use hapticd_proxy::BodyKey;

/// A shape of at most so many triangles is made ready at once: that takes some milliseconds.
const AT_ONCE: usize = 10_000;
/// Most shapes that wait. Each holds its mesh, also after its body was removed.
const WAITING: usize = 8;

/// The checker's end.
pub struct Preparer {
    orders: Sender<(BodyKey, Arc<TriMesh>)>,
    ready: Receiver<(BodyKey, Solid)>,
}

/// The end of the thread that makes them ready.
pub struct Ends {
    orders: Receiver<(BodyKey, Arc<TriMesh>)>,
    ready: Sender<(BodyKey, Solid)>,
}

/// Both ends.
pub fn preparer() -> (Preparer, Ends) {
    let (orders, ordered) = bounded(WAITING);
    let (made, ready) = bounded(WAITING);
    let ends = Ends {
        orders: ordered,
        ready: made,
    };
    (Preparer { orders, ready }, ends)
}

impl Preparer {
    /// The shape itself, if it is small or too much waits already; otherwise it comes later.
    pub fn prepare(&self, key: BodyKey, mesh: &Arc<TriMesh>) -> Option<Solid> {
        let later =
            mesh.triangles().len() > AT_ONCE && self.orders.try_send((key, mesh.clone())).is_ok();
        (!later).then(|| Solid::of(mesh.clone()))
    }

    /// What has become ready. Does not wait.
    pub fn ready(&self) -> impl Iterator<Item = (BodyKey, Solid)> {
        self.ready.try_iter()
    }
}

impl Ends {
    /// Waits for a shape and makes it ready. False once the checker is gone.
    pub fn serve_one(&self) -> bool {
        let made = |(key, mesh)| self.ready.send((key, Solid::of(mesh))).is_ok();
        self.orders.recv().is_ok_and(made)
    }
}
