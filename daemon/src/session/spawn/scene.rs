//! The threads that know the scene: collision with its planner and janitor, deformable bodies,
//! skins, and the GPU supervisor.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam::channel;
use hapticd_collision::backend::SupervisedGpus;
use hapticd_collision::collider::urgency::Urgency;
use hapticd_collision::collider::{self, Collider};
use hapticd_collision::gpu_supervisor::{self, Supervised, UserEnd};
use hapticd_collision::skin::LargeFrames;
use hapticd_collision::{backend, deformable, janitor, planner, skin};
use hapticd_deformable::DeformableScene;
use hapticd_ipc::skins::SkinWriter;
use hapticd_ipc::surfaces::SurfaceWriter;
use hapticd_scene::BodySpec;
use hapticd_sync::delivery::delivery;
use hapticd_sys::realtime::{self, Step};

use super::Spawner;
use crate::priority;
use crate::session::stop::GpuSupervisor;
use crate::session::wire::{CollisionHalf, DeformableHalf, SkinHalf};
use crate::session::{SessionError, thread};

impl Spawner<'_> {
    /// Starts the skin thread where there are implicit bodies and somebody to show them to. A GPU
    /// that it opens joins `gpus`.
    pub(super) fn skin(
        &self,
        scene: Option<&DeformableScene>,
        half: Option<SkinHalf>,
        writers: Vec<SkinWriter>,
        gpus: &mut SupervisedGpus,
    ) -> Result<Option<JoinHandle<()>>, SessionError> {
        let (Some(scene), Some(half), false) = (scene, half, writers.is_empty()) else {
            return Ok(None);
        };
        let period = Duration::from_secs(1) / self.config.skin.rate_hz.max(1);
        let (large, line) = backend::choose_skins(self.config.skin.gpu);
        tracing::info!("{line}");
        let large = large.map(|skins| LargeFrames {
            skins,
            supervisor: gpus.add_skins(),
        });
        let links = skin::Links {
            updates: half.updates,
            bodies: skin::bodies(scene, writers, period),
            large,
            period,
            state: half.state,
        };
        let stop = self.brake.stop.clone();
        thread::spawn("skin", move || skin::run(links, &stop)).map(Some)
    }

    /// Starts the thread of deformable bodies. `supervisor`: where a new GPU comes from.
    pub(super) fn deformable(
        &self,
        scene: DeformableScene,
        half: DeformableHalf,
        surfaces: Vec<SurfaceWriter>,
        supervisor: Option<UserEnd<DeformableScene>>,
    ) -> Result<JoinHandle<()>, SessionError> {
        let links = deformable::Links {
            queries: half.queries,
            answers: half.answers,
            used: half.used,
            requests: half.requests,
            bodies: half.bodies,
            log: Some(half.log),
            log_lost: Arc::new(AtomicU64::new(0)),
            state: half.state,
            surfaces,
            skins: half.skins,
            period_ns: self.period_ns,
            supervisor,
        };
        let stop = self.brake.stop.clone();
        thread::spawn("soft", move || {
            deformable::run(scene, links, &stop);
        })
    }

    /// Starts the planner's thread; it ends with the collision thread.
    pub(super) fn planner(&self, ends: planner::Ends) -> Result<JoinHandle<()>, SessionError> {
        thread::spawn("planner", move || planner::serve(ends))
    }

    /// Starts the janitor's thread; it ends with the collision thread.
    pub(super) fn janitor(
        &self,
        bodies: channel::Receiver<BodySpec>,
    ) -> Result<JoinHandle<()>, SessionError> {
        thread::spawn("janitor", move || janitor::serve(&bodies))
    }

    /// Starts the collision thread. Also returns where it reports, once, the refused priority.
    /// `supervisor`: where a new GPU comes from.
    pub(super) fn collision(
        &self,
        collider: Collider,
        half: CollisionHalf,
        supervisor: Option<UserEnd<Collider>>,
    ) -> Result<(JoinHandle<()>, Receiver<Option<Step>>), SessionError> {
        let mut links = collider::Links {
            pair_capacity: half.pair_capacity,
            queries: half.queries,
            snapshots: half.snapshots,
            used: half.used,
            requests: half.requests,
            replies: half.replies,
            deformable: half.deformable,
            log: Some(half.log),
            log_lost: Arc::new(AtomicU64::new(0)),
            near: half.near,
            broad: half.broad,
            supervisor,
            planner: half.planner,
            janitor: half.janitor,
            urgency: Urgency::none(),
        };
        let (raised_in, raised_out) = channel();
        let (stop, beat) = (self.brake.stop.clone(), half.beat);
        let of_loop = self.config.haptic_loop.rt_priority;
        let thread = thread::spawn("collision", move || {
            // For as long as it is ordinary.
            let what = "collision thread niceness";
            let raised = realtime::priority::raise(what, priority::NICENESS);
            let sliced = realtime::priority::ask_for_short_slices(priority::SLICE_US);
            links.urgency = Urgency::ask(priority::below_loop(of_loop, priority::COLLISION));
            let urgent = links.urgency.is_granted();
            tracing::debug!(urgent, "{raised}; {sliced}");
            // The supervisor reads it once; if it is gone there is nobody to tell.
            let _ = raised_in.send((!urgent && !raised.is_granted()).then_some(raised));
            collider::run(collider, links, &stop, &beat);
        })?;
        Ok((thread, raised_out))
    }

    /// Starts the GPU supervisor if there is a GPU to watch.
    pub(super) fn gpu_supervisor(
        &self,
        ends: Vec<Box<dyn Supervised>>,
    ) -> Result<Option<GpuSupervisor>, SessionError> {
        if ends.is_empty() {
            return Ok(None);
        }
        let (stop, stopped) = delivery(1);
        let thread = thread::spawn("gpu-supervisor", move || gpu_supervisor::run(ends, stopped))?;
        Ok(Some((thread, stop)))
    }
}
