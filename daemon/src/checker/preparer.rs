//! Large shapes are made ready for the check beside the thread that checks: that one never stands still
//! for a mesh of millions of triangles, whose preparation takes seconds.
//!
//! What is not ready is not guessed: the ticks that it was solid in count as not checked.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_audit::Solid;
use hapticd_geometry::TriMesh;
use hapticd_haptics::BodyKey;

/// So many triangles are prepared at once, within a millisecond or a few.
const AT_ONCE: usize = 10_000;
/// So many wait at most: of bodies that went meanwhile, too, whose memory is held until then.
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
    /// Waits for a shape and makes it ready. False: nobody gives any more.
    pub fn serve_one(&self) -> bool {
        let made = |(key, mesh)| self.ready.send((key, Solid::of(mesh))).is_ok();
        self.orders.recv().is_ok_and(made)
    }
}
