//! What the supervisor can change while the loop runs: gains, limits, surfaces, the log's level, and the configuration that is read again.
//!
//! Every change goes the way that the recorder sees, so that a session in which something was changed replays.

use std::collections::VecDeque;
use std::sync::Mutex;

use crossbeam::channel::{Sender, TrySendError};
use hapticd_devices::safety::Limits;
use hapticd_protocol::event::{self, Event};
use hapticd_protocol::text::Text;
use hapticd_sync::latest;

use crate::collision::{Request, SceneCommand};
use crate::haptic::thread::Tuning;
use crate::log::LogLevel;
use crate::reload::Reloaded;
use crate::scene::FIRST_SOFT_ID;
use crate::scribe::Live;
use crate::service::{NO_ANSWER, Service};
use crate::soft::Surface;

/// What can be changed while the loop runs, and the way there.
pub(super) struct Controls {
    pub(super) tuning: latest::Writer<Tuning>,
    pub(super) requests: Sender<Request>,
    pub(super) log: Option<LogLevel>,
    /// The configuration's limits.
    pub(super) base: Limits,
    /// The tightest that applications want.
    pub(super) apps: Option<Limits>,
    /// Surfaces for which the collision thread's queue has had no room yet, oldest first.
    pub(super) surfaces: VecDeque<SceneCommand>,
    /// Surfaces of soft bodies, which go to their thread.
    pub(super) soft: Sender<Surface>,
}

impl Controls {
    /// See [`take_over`].
    pub(super) fn take_over(
        &mut self,
        read: Result<Option<Reloaded>, String>,
        live: &Mutex<Live>,
    ) -> Result<bool, String> {
        take_over(read, live, |new| {
            set_level(self.log.as_ref(), new);
            self.base = new.limits;
            self.tighten();
            let commands = new.surfaces.iter().map(|(id, material)| {
                let (id, material) = (*id, *material);
                SceneCommand::Surface { id, material }
            });
            self.surfaces.extend(commands);
            self.send_surfaces();
        })
    }

    /// Sends the strictest of the configuration's and the applications' limits to the loop.
    pub(super) fn tighten(&mut self) {
        let limits = self
            .apps
            .map_or(self.base, |apps| self.base.tightened(&apps));
        self.tuning.edit(|t| {
            t.version += 1;
            t.limits = Some(limits);
        });
    }

    /// Sends surfaces to the collision thread, as many as its queue has room for. They go the way of the clients' commands, so that
    /// they are recorded.
    pub(super) fn send_surfaces(&mut self) {
        while let Some(command) = self.surfaces.pop_front() {
            if let SceneCommand::Surface { id, material } = &command
                && *id >= FIRST_SOFT_ID
            {
                // Nobody receives where there are no soft bodies, and then nobody is meant.
                if let Err(TrySendError::Full(_)) = self.soft.try_send((*id, *material)) {
                    self.surfaces.push_front(command);
                    return;
                }
                continue;
            }
            let token = NO_ANSWER;
            if let Err(error) = self.requests.try_send(Request { command, token }) {
                self.surfaces.push_front(error.into_inner().command);
                return;
            }
        }
    }
}

/// Hands what a configuration that was read again changes to `change`. Says what came of it;
/// `Ok(false)`: the file is as it was.
pub(super) fn take_over(
    read: Result<Option<Reloaded>, String>,
    live: &Mutex<Live>,
    change: impl FnOnce(&Reloaded),
) -> Result<bool, String> {
    match read {
        Ok(None) => Ok(false),
        Ok(Some(reloaded)) => {
            change(&reloaded);
            tell(
                live,
                if reloaded.changes.is_empty() {
                    "configuration reloaded: nothing changed".into()
                } else {
                    format!("configuration reloaded: {}", reloaded.changes.join(", "))
                },
            );
            Ok(true)
        }
        Err(why) => {
            tell(
                live,
                format!("configuration not reloaded, the old one stays: {why}"),
            );
            Err(why)
        }
    }
}

/// Puts a reloaded level of the log into force.
pub(super) fn set_level(log: Option<&LogLevel>, new: &Reloaded) {
    if let (Some(log), Some(level)) = (log, new.log_level) {
        log.set(level);
    }
}

/// Tells the clients what came of a reload.
pub(super) fn tell_clients(result: &Result<bool, String>, service: Option<&Service>) {
    let event = match result {
        Ok(false) => return,
        Ok(true) => Event::ConfigReloaded(event::ConfigReloaded {}),
        Err(why) => Event::ConfigRefused(event::ConfigRefused {
            detail: Text::lossy(why),
        }),
    };
    if let Some(service) = service {
        service.event(event);
    }
}

fn tell(live: &Mutex<Live>, what: String) {
    tracing::warn!("{what}");
    if let Ok(mut live) = live.lock() {
        live.events.push_back(what);
    }
}
