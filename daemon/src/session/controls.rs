//! What the supervisor can change while the loop runs: gains, limits, surfaces, the log's level,
//! and the configuration that is read again.
//!
//! Every change goes the way that the recorder sees, so that a session in which something was
//! changed replays. What is to be shown of it goes to a list, for the supervisor must wait for no
//! lock.

use std::collections::VecDeque;

use crossbeam::channel::{Sender, TrySendError};
use hapticd_protocol::event::{self, Event};
use hapticd_protocol::reply::ErrorCode;
use hapticd_protocol::text::Text;

use crate::reload::Reloaded;
use crate::service::{NO_ANSWER, Service};
use hapticd_collision::collider::{Request, SceneCommand};
use hapticd_collision::deformable::FIRST_ID;
use hapticd_collision::deformable::Surface;
use hapticd_ipc::{Answer, Refusal};
use hapticd_loop::limits::ConfiguredOwner;
use hapticd_monitor::log::LogLevel;

/// How long the loop may take to take a reload's limits before it counts as one that does not, ns
/// of rounds.
const LOOP_PATIENCE_NS: u64 = 2_000_000_000;
/// A longer pause between two rounds counts as this much: while the process was stopped the loop
/// was, too.
const LONGEST_ROUND_NS: u64 = 50_000_000;

/// What can be changed while the loop runs, and the way there.
pub(super) struct Controls {
    /// The configuration's limits and the measured gains.
    pub(super) configured: ConfiguredOwner,
    pub(super) requests: Sender<Request>,
    pub(super) log: Option<LogLevel>,
    /// Reloads whose limits the loop has not kept in a tick yet, oldest first.
    pub(super) reloading: VecDeque<Reloading>,
    /// Surfaces for which the collision thread's queue has had no room yet, oldest first.
    pub(super) surfaces: VecDeque<SceneCommand>,
    /// Surfaces of soft bodies, which go to their thread.
    pub(super) soft: Sender<Surface>,
}

/// A reload on its way into the loop.
pub(super) struct Reloading {
    /// To be kept by a tick.
    version: u64,
    changes: Vec<String>,
    tokens: Vec<u64>,
    waited_ns: u64,
    looked_ns: Option<u64>,
}

/// What came of a reload.
pub(super) struct ReloadOutcome {
    /// Of the clients that asked for it.
    pub(super) tokens: Vec<u64>,
    /// `Ok(false)`: the file is as it was.
    pub(super) result: Result<bool, Refusal>,
}

impl Controls {
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

    /// What came of the oldest reload, if a tick has kept its limits or none did within the bound.
    /// Called in every round.
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
            "the configuration was read, but the haptic loop has not taken its limits for {} ms; it does when it runs again",
            LOOP_PATIENCE_NS / 1_000_000
        );
        tell(news, why.clone());
        Some(ReloadOutcome {
            tokens,
            result: Err(Refusal::text(ErrorCode::Internal, why)),
        })
    }

    /// Sends surfaces to the collision thread, as many as its queue has room for. They go the way
    /// of the clients' commands, so that they are recorded.
    pub(super) fn send_surfaces(&mut self) {
        while let Some(command) = self.surfaces.pop_front() {
            if let SceneCommand::Surface { id, material } = &command
                && *id >= FIRST_ID
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

/// What a reading of the configuration found. Tells what is wrong with it; `Ok(None)`: the file is
/// as it was.
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

/// Tells what a reload has changed.
pub(super) fn tell_reloaded(changes: &[String], news: &mut Vec<String>) {
    if changes.is_empty() {
        let what = "configuration reloaded: nothing changed";
        tracing::info!("{what}");
        news.push(what.to_owned());
    } else {
        tell(
            news,
            format!("configuration reloaded: {}", changes.join(", ")),
        );
    }
}

/// Puts a reloaded level of the log into force.
pub(super) fn set_level(log: Option<&LogLevel>, new: &Reloaded) {
    if let (Some(log), Some(level)) = (log, new.log_level) {
        log.set(level);
    }
}

/// Tells the clients what came of a reload, and answers those that asked for it.
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
