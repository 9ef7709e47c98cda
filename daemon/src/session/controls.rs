//! What the supervisor can change while the loop runs: gains, limits, surfaces, the log level, and
//! a reloaded configuration.
//!
//! Every change takes the path that the recorder sees, so a session with changes can be replayed.
//! Lines for the live view go to a list, because the supervisor must not wait for a lock.

use std::collections::VecDeque;

use crossbeam::channel::{Sender, TrySendError};
use hapticd_protocol::event::{self, Event};
use hapticd_protocol::reply::ErrorCode;
use hapticd_protocol::text::Text;

use crate::reload::Reloaded;
use crate::service::Service;
use hapticd_collision::command::{Request, SceneCommand};
use hapticd_collision::deformable::FIRST_ID;
use hapticd_collision::deformable::Surface;
use hapticd_ipc::{Answer, Refusal};
use hapticd_loop::limits::ConfiguredOwner;
use hapticd_monitor::log::LogLevel;

/// Time that the loop may need to take a reload's limits, ns of rounds. After that the reload
/// counts as not taken.
const LOOP_PATIENCE_NS: u64 = 2_000_000_000;
/// Longest time that a single round counts, ns: while the process was stopped, so was the loop.
const LONGEST_ROUND_NS: u64 = 50_000_000;

/// The channels through which the supervisor changes a running session.
pub(super) struct Controls {
    /// The configured limits and the measured gains.
    pub(super) configured: ConfiguredOwner,
    requests: Sender<Request>,
    log: Option<LogLevel>,
    /// Reloads whose limits the loop has not kept in a tick yet, oldest first.
    reloading: VecDeque<Reloading>,
    /// Surfaces for which the collision thread's queue has had no room yet, oldest first.
    surfaces: VecDeque<SceneCommand>,
    /// Surfaces of soft bodies, which go to their thread.
    deformable: Sender<Surface>,
}

/// A reload whose limits no tick has kept yet.
pub(super) struct Reloading {
    /// Version of the limits that a tick must keep.
    version: u64,
    changes: Vec<String>,
    tokens: Vec<u64>,
    waited_ns: u64,
    looked_ns: Option<u64>,
}

/// Outcome of a reload.
pub(super) struct ReloadOutcome {
    /// Tokens of the clients that requested it.
    pub(super) tokens: Vec<u64>,
    /// `Ok(false)` means that the file is unchanged.
    pub(super) result: Result<bool, Refusal>,
}

impl Controls {
    /// Nothing has been changed yet.
    pub(super) fn new(
        configured: ConfiguredOwner,
        requests: Sender<Request>,
        deformable: Sender<Surface>,
        log: Option<LogLevel>,
    ) -> Self {
        Controls {
            configured,
            requests,
            log,
            reloading: VecDeque::new(),
            surfaces: VecDeque::new(),
            deformable,
        }
    }

    /// Hands on what a reading of the configuration found. Gives what came of it if that is known
    /// at once; else [`settle`](Self::settle) does, when a tick has kept the new limits. `tokens`:
    /// of the clients that asked for it.
    pub(super) fn reload(
        &mut self,
        read: Result<Option<Reloaded>, String>,
        tokens: Vec<u64>,
        news: &mut Vec<String>,
    ) -> Option<ReloadOutcome> {
        let result = match found(read, news) {
            Ok(Some(new)) => {
                self.take_over(new, tokens);
                return None;
            }
            Ok(None) => Ok(false),
            Err(why) => Err(Refusal::text(ErrorCode::ConfigRefused, why)),
        };
        Some(ReloadOutcome { tokens, result })
    }

    fn take_over(&mut self, new: Reloaded, tokens: Vec<u64>) {
        set_level(self.log.as_ref(), &new);
        let version = self
            .configured
            .set_limits(new.limits, !new.surfaces.is_empty());
        let commands = new.surfaces.iter().map(|(id, material)| {
            let (id, material) = (*id, *material);
            SceneCommand::Surface { id, material }
        });
        self.surfaces.extend(commands);
        self.send_surfaces();
        self.reloading.push_back(Reloading {
            version,
            changes: new.changes,
            tokens,
            waited_ns: 0,
            looked_ns: None,
        });
    }

    /// Returns the outcome of the oldest reload, once a tick has kept its limits or none did within
    /// the bound. Called in every round.
    pub(super) fn settle(&mut self, now_ns: u64, news: &mut Vec<String>) -> Option<ReloadOutcome> {
        let oldest = self.reloading.front_mut()?;
        if self.configured.is_taken(oldest.version) {
            let Reloading {
                changes, tokens, ..
            } = self.reloading.pop_front()?;
            tell_reloaded(&changes, news);
            return Some(ReloadOutcome {
                tokens,
                result: Ok(true),
            });
        }
        let round_ns = now_ns.saturating_sub(oldest.looked_ns.replace(now_ns).unwrap_or(now_ns));
        oldest.waited_ns += round_ns.min(LONGEST_ROUND_NS);
        if oldest.waited_ns < LOOP_PATIENCE_NS {
            return None;
        }
        let Reloading { tokens, .. } = self.reloading.pop_front()?;
        let why = format!(
            "the configuration was read, but the haptic loop has not taken its limits for {} ms; they apply once it runs",
            LOOP_PATIENCE_NS / 1_000_000
        );
        tell(news, why.clone());
        Some(ReloadOutcome {
            tokens,
            result: Err(Refusal::text(ErrorCode::Internal, why)),
        })
    }

    /// Sends as many surfaces to the collision thread as its queue takes. They use the path of the
    /// clients' commands, so that they are recorded.
    pub(super) fn send_surfaces(&mut self) {
        while let Some(command) = self.surfaces.pop_front() {
            if let SceneCommand::Surface { id, material } = &command
                && *id >= FIRST_ID
            {
                // Without soft bodies nothing receives this, and no such body is concerned.
                if let Err(TrySendError::Full(_)) = self.deformable.try_send((*id, *material)) {
                    self.surfaces.push_front(command);
                    return;
                }
                continue;
            }
            let token = None;
            if let Err(error) = self.requests.try_send(Request { command, token }) {
                self.surfaces.push_front(error.into_inner().command);
                return;
            }
        }
    }
}

/// Returns the result of a reading of the configuration and reports an error in it. `Ok(None)`
/// means that the file is unchanged.
pub(super) fn found(
    read: Result<Option<Reloaded>, String>,
    news: &mut Vec<String>,
) -> Result<Option<Reloaded>, String> {
    read.inspect_err(|why| {
        tell(
            news,
            format!("configuration not reloaded, the old one stays: {why}"),
        );
    })
}

/// Reports the changes of a reload.
pub(super) fn tell_reloaded(changes: &[String], news: &mut Vec<String>) {
    if changes.is_empty() {
        let what = "configuration reloaded: nothing changed";
        tracing::info!("{what}");
        news.push(what.to_owned());
    } else {
        let what = format!("configuration reloaded: {}", changes.join(", "));
        tracing::info!("{what}");
        news.push(what);
    }
}

/// Applies the log level of a reload.
pub(super) fn set_level(log: Option<&LogLevel>, new: &Reloaded) {
    if let (Some(log), Some(level)) = (log, new.log_level) {
        log.set(level);
    }
}

/// Sends the outcome of a reload to the clients, and answers those that requested it.
pub(super) fn tell_clients(outcome: ReloadOutcome, service: Option<&Service>) {
    let Some(service) = service else {
        return;
    };
    let event = match &outcome.result {
        Ok(false) => None,
        Ok(true) => Some(Event::ConfigReloaded(event::ConfigReloaded {})),
        Err(why) => Some(Event::ConfigRefused(event::ConfigRefused {
            detail: Text::lossy(&why.detail),
        })),
    };
    for token in outcome.tokens {
        let answer = match &outcome.result {
            Ok(_) => Answer::Done,
            Err(why) => Answer::Refused(why.clone()),
        };
        service.answer(token, answer);
    }
    if let Some(event) = event {
        service.event(event);
    }
}

fn tell(news: &mut Vec<String>, what: String) {
    tracing::warn!("{what}");
    news.push(what);
}

#[cfg(test)]
mod tests;
