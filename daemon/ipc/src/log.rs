//! Clients in the log: who came, who left and why. Rate-limited: a program that connects in a loop
//! must not fill a disk.

use std::collections::BTreeMap;

use hapticd_sys::clock::now_ns;

use hapticd_protocol::reply::Refused;

use super::{ClientId, GoneWhy, Role};
use crate::limit_names::release_command;
use hapticd_loop::line_limit::Limit;

/// Clients in a minute that get separate lines.
const MAX_LINES_PER_MINUTE: u64 = 30;
/// Changes of arms' limits in a minute that get separate lines.
const MAX_LIMITS: u64 = 30;

/// State of the log of clients.
#[derive(Debug)]
pub(super) struct ClientLog {
    limit: Limit,
    /// Limit for changes of limits.
    limits: Limit,
    /// Clients whose arrival was logged, with their names.
    known: BTreeMap<ClientId, String>,
}

impl Default for ClientLog {
    fn default() -> Self {
        ClientLog {
            limit: Limit::new(MAX_LINES_PER_MINUTE),
            limits: Limit::new(MAX_LIMITS),
            known: BTreeMap::new(),
        }
    }
}

impl ClientLog {
    pub(super) fn came(
        &mut self,
        client: ClientId,
        name: &str,
        technician: bool,
        (pid, uid): (i32, u32),
    ) {
        if !self.limit.admit(now_ns()) {
            return;
        }
        self.known.insert(client, name.to_owned());
        let (client, role) = (
            client.0,
            if technician {
                "technician"
            } else {
                "application"
            },
        );
        let event = "client_came";
        tracing::info!(
            client,
            event,
            name,
            pid,
            uid,
            "{role} `{name}` connected (process {pid} of user {uid})"
        );
    }

    pub(super) fn went(&mut self, client: ClientId, why: GoneWhy) {
        let Some(name) = self.known.remove(&client) else {
            return;
        };
        let (client, name, event) = (client.0, name.as_str(), "client_went");
        match why {
            GoneWhy::Goodbye => tracing::info!(client, event, name, "`{name}` said goodbye"),
            GoneWhy::Closed => tracing::info!(client, event, name, "`{name}` closed its socket"),
            GoneWhy::ProcessEnded => {
                tracing::info!(client, event, name, "the process of `{name}` ended");
            }
            GoneWhy::Expelled(why) => {
                tracing::warn!(client, event, name, "`{name}` cut off: {why}");
            }
            GoneWhy::ShuttingDown => {
                tracing::debug!(client, event, name, "`{name}` cut off: daemon stopping");
            }
        }
    }

    /// Logs a client that was refused: too many clients, another version, no hello.
    pub(super) fn refused(&mut self, (pid, uid): (i32, u32), why: &Refused) {
        if self.limit.admit(now_ns()) {
            let event = "client_refused";
            tracing::warn!(
                event,
                pid,
                uid,
                "a client (process {pid} of user {uid}) was refused: {why}"
            );
        }
    }

    pub(super) fn silent(&self, client: ClientId) {
        if let Some(name) = self.known.get(&client) {
            let (client, name, event) = (client.0, name.as_str(), "client_silent");
            tracing::warn!(
                client,
                event,
                name,
                "`{name}` is silent: the force of its bodies ramps to zero until it speaks, and its effects end"
            );
        }
    }

    /// Logs that a client tightened or released limits of an arm, given by name and index.
    /// `changed` lists the limits, with both numbers.
    pub(super) fn limits(
        &mut self,
        (client, role, name): (ClientId, Role, &str),
        (arm, index): (&str, u8),
        is_release: bool,
        changed: &str,
    ) {
        if !self.limits.admit(now_ns()) {
            return;
        }
        let client = client.0;
        let role = match role {
            Role::Technician => "technician",
            Role::App => "application",
        };
        if is_release {
            let event = "limits_released";
            tracing::info!(
                arm,
                client,
                event,
                name,
                "{role} `{name}` released limits: {changed}"
            );
        } else {
            let (event, undo) = ("limits_tightened", release_command(arm, index));
            tracing::warn!(
                arm,
                client,
                event,
                name,
                "{role} `{name}` tightened limits: {changed}; `{undo}` undoes it"
            );
        }
    }

    /// Logs how many more there were, once their minute is over.
    pub(super) fn minute(&mut self, now_ns: u64) {
        if let Some(count) = self.limit.ended(now_ns) {
            let event = "clients_more";
            tracing::warn!(event, count, "{count} more connected in the last minute");
        }
        if let Some(count) = self.limits.ended(now_ns) {
            let event = "limits_more";
            tracing::warn!(
                event,
                count,
                "clients changed limits {count} more times in the last minute"
            );
        }
    }
}
