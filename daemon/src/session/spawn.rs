//! Starts the threads of a session, a function a thread, each with its half of the channels.
//!
//! The order matters. Clients can connect before an arm is there to be reported. Whatever the loop
//! watches runs before its first tick. The calling thread, the supervisor, raises its own priority
//! only when the threads with priorities of their own run: what it starts afterwards does not
//! inherit it.

mod arms;
mod clients;
mod haptic;
mod rights;
mod scene;
mod scribe;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hapticd_config as config;

use self::scribe::ScribeInputs;
use super::news::{Copies, Present};
use super::prepare::Prepared;
use super::reading::Reading;
use super::running::{Running, Supervision};
use super::sentry::Brake;
use super::shown::ViewThread;
use super::stop::Threads;
use super::wire::Channels;
use super::{Options, SessionError};
use crate::service::Service;
use crate::session_setup::SessionSetup;

/// What every thread is started with.
pub(super) struct Spawner<'a> {
    pub(super) config: &'a config::Config,
    pub(super) brake: &'a Arc<Brake>,
    /// Loop period.
    pub(super) period_ns: u64,
}

impl Spawner<'_> {
    /// Starts all threads, the loop's first tick last. Gives what runs, and what the supervisor
    /// works with.
    ///
    /// # Errors
    /// A thread that cannot be made; clients' sockets that must be there and cannot.
    pub(super) fn spawn(
        &self,
        mut setup: SessionSetup,
        mut prepared: Prepared,
        channels: Channels,
        options: Options,
    ) -> Result<(Running, Supervision), SessionError> {
        let (mut signs, live) = (channels.supervisor.signs, channels.supervisor.live);
        let mut clients = self.clients(&mut setup, channels.service, options.require_ipc)?;
        signs.ipc = clients.service.as_ref().map(Service::heartbeat);
        let inputs = ScribeInputs::of(&mut setup, prepared.checker, options.sink);
        let arms = setup.arms.iter();
        let specs = arms.map(|a| (a.spec.clone(), a.coupling)).collect();

        // After the sockets: who reads that an arm is there can connect.
        let arms = self.arms(setup.arms, channels.arms)?;
        let skin = self.skin(
            setup.deformable.as_ref(),
            channels.skin,
            clients.writers.skins,
            &mut prepared.gpus,
        )?;
        let deformable = match setup.deformable.zip(channels.deformable) {
            Some((scene, mut half)) => {
                // Where nobody takes the implicit bodies' states, nobody is to copy them.
                half.skins = half.skins.filter(|_| skin.is_some());
                let (surfaces, supervisor) = (clients.writers.surfaces, prepared.gpus.contacts);
                Some(self.deformable(scene, half, surfaces, supervisor)?)
            }
            None => None,
        };
        let planner = self.planner(channels.planner)?;
        let janitor = self.janitor(channels.janitor)?;
        let (collision, raised) =
            self.collision(setup.collider, channels.collision, prepared.gpus.mid_phase)?;
        let supervisor = self.gpu_supervisor(prepared.gpus.ends)?;

        // Process-wide steps here; the loop's own on its thread.
        let (granted, latency_hold) = self.process_rights();
        let guard = self.guard(&signs);
        let longest = guard.longest();
        let haptic = self.haptic(setup.core, channels.haptic, guard, clients.publisher)?;
        let granted = self.thread_rights(granted, &haptic, &raised, clients.service.as_mut());
        let realtime = rights::tell(&granted, &live);

        let scribe = self.scribe(channels.scribe, inputs, realtime)?;
        let reading = Reading::start(options.reload)?;
        let (shown, frames) = ViewThread::start(options.view)?;
        let signs = Arc::new(signs);
        let present = Present {
            deformable: deformable.is_some(),
            skin: skin.is_some(),
        };
        let copies = Copies {
            status: channels.news.status,
            frames,
            view_every: options.view_every,
        };
        let news = self.news(signs.clone(), present, channels.news.live, copies)?;

        signs.supervisor.fetch_add(1, Ordering::Relaxed);
        let running = Running {
            threads: Threads {
                haptic: haptic.begin(),
                arms,
                collision,
                planner,
                janitor,
                deformable,
                skin,
                supervisor,
                gpu: prepared.gpu_threads,
                scribe,
                news,
            },
            service: clients.service,
            signs,
            live,
            shown,
            longest,
            latency_hold,
            _tissue: setup.tissue,
        };
        let supervision = Supervision {
            duration_s: options.duration_s,
            reading,
            controls: channels.supervisor.controls,
            specs,
            period_ns: self.period_ns,
        };
        Ok((running, supervision))
    }
}
