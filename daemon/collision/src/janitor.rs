//! The thread that frees bodies. Freeing a mesh of a million triangles takes milliseconds, which no
//! thread that answers the loop has.
//!
//! The collision thread sends every body that it releases. The janitor keeps it until no other
//! thread has any part of it (soft bodies and the recorder may, for a while), so that the janitor
//! always does the freeing.

use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use hapticd_scene::BodySpec;

/// Interval at which bodies that other threads still hold are checked again.
const RECHECK: Duration = Duration::from_millis(50);

/// Capacity of the queue to the janitor, bodies.
const CAPACITY: usize = 256;

/// The sending end for bodies to free.
pub struct Janitor {
    bodies: Sender<BodySpec>,
    /// Bodies that did not fit into the queue.
    backlog: Vec<BodySpec>,
}

/// Makes a janitor's two ends.
pub fn janitor() -> (Janitor, Receiver<BodySpec>) {
    let (bodies, received) = bounded(CAPACITY);
    let janitor = Janitor {
        bodies,
        backlog: Vec::new(),
    };
    (janitor, received)
}

impl Janitor {
    /// Releases a body. Does not wait, and frees nothing here while the thread lives.
    pub fn free(&mut self, body: BodySpec) {
        self.backlog.push(body);
        self.attend();
    }

    /// Sends the bodies that had to wait.
    pub fn attend(&mut self) {
        while let Some(body) = self.backlog.pop() {
            match self.bodies.try_send(body) {
                Ok(()) => {}
                Err(TrySendError::Full(body)) => {
                    self.backlog.push(body);
                    return;
                }
                // The session is ending.
                Err(TrySendError::Disconnected(_)) => return,
            }
        }
    }
}

/// Frees bodies until all senders are gone.
pub fn serve(bodies: &Receiver<BodySpec>) {
    let mut kept: Vec<BodySpec> = Vec::new();
    loop {
        let next = match kept.is_empty() {
            true => bodies.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => bodies.recv_timeout(RECHECK),
        };
        match next {
            // One of two copies of a body is enough.
            Ok(body) if kept.iter().any(|k| is_same(k, &body)) => {}
            Ok(body) => kept.push(body),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        kept.retain(|body| !body.shape.is_last());
    }
}

fn is_same(a: &BodySpec, b: &BodySpec) -> bool {
    Arc::ptr_eq(&a.shape.index, &b.shape.index)
}

#[cfg(test)]
mod tests {
    use hapticd_geometry::{Pose, Vec3, shapes};
    use hapticd_scene::{BodyKind, Shape};

    use super::*;

    fn body() -> BodySpec {
        BodySpec {
            name: "body".to_owned(),
            kind: BodyKind::Static,
            shape: Shape::of(shapes::cuboid(&Vec3::repeat(0.1)).unwrap()).0,
            solid: true,
            world_from_body: Pose::identity(),
            material: hapticd_proxy::Material::DEFAULT,
            restitution: 0.0,
            density_kg_m3: 1000.0,
        }
    }

    #[test]
    fn the_janitor_is_the_last_to_have_a_body() {
        let (mut janitor, received) = janitor();
        let thread = std::thread::spawn(move || serve(&received));
        let (body, others) = (body(), 3);
        let index = Arc::downgrade(&body.shape.index);
        let copies: Vec<BodySpec> = (0..others).map(|_| body.clone()).collect();
        janitor.free(body.clone());
        janitor.free(body);
        for copy in copies {
            assert!(index.strong_count() > 1, "freed while others had it");
            drop(copy);
        }
        let started = std::time::Instant::now();
        while index.strong_count() > 0 {
            assert!(started.elapsed() < Duration::from_secs(60), "never freed");
            std::thread::yield_now();
        }
        drop(janitor);
        thread.join().unwrap();
    }

    #[test]
    fn without_capacity_bodies_wait_and_none_is_lost() {
        let (mut janitor, received) = janitor();
        let (one, more) = (body(), CAPACITY + 10);
        (0..more).for_each(|_| janitor.free(one.clone()));
        let mut seen = 0;
        while seen < more {
            seen += received.try_iter().count();
            janitor.attend();
        }
        assert_eq!((seen, janitor.backlog.len()), (more, 0));
        assert!(received.is_empty());
    }
}
