//! Passes commands to the sink: at once, or kept in order until it takes them.

use super::super::{Answer, ClientId, Command, Refusal, hub::Output};
use super::{File, Server};
use crate::Role;
use crate::limit_names;
use hapticd_protocol::reply::ErrorCode;
use hapticd_sys::clock::now_ns;

/// Urgent commands that may wait for the sink before clients are told to try again.
const MAX_BACKLOG: usize = 256;

impl Server {
    pub(super) fn submit(&mut self, command: Command, more: &mut Vec<Output<File>>) {
        // Commands that take force away wait only behind their own kind. A motion of a body never
        // overtakes waiting commands.
        match &command {
            Command::HaltBody { body }
            | Command::RemoveBody { body }
            | Command::Orphaned { body } => {
                self.motions.remove(body);
            }
            Command::Gone { client, bodies, .. } | Command::Silent { client, bodies } => {
                match &command {
                    Command::Gone { why, .. } => self.log.went(*client, *why),
                    _ => self.log.silent(*client),
                }
                self.motions.retain(|body, _| !bodies.contains(body));
            }
            _ => {}
        }
        let waits = command.is_urgent() && !command.is_for_the_governor();
        if !self.backlog.is_empty() && waits {
            self.keep(command);
            return;
        }
        if !self.backlog.is_empty()
            && let Command::MoveBody { body, .. } = command
        {
            self.motions.insert(body, command);
            return;
        }
        let order = match &command {
            Command::Order { token, .. } => *token,
            _ => None,
        };
        let Err(back) = self.offer(command) else {
            if let Some(token) = order {
                self.hub.answer(token, &Answer::Done, now_ns(), more);
            }
            return;
        };
        match *back {
            Command::AddBody { token, .. }
            | Command::SetMaterial { token, .. }
            | Command::PlaceBody { token, .. }
            | Command::PushBody { token, .. }
            | Command::Order {
                token: Some(token), ..
            }
            | Command::Reload { token } => {
                let answer = Answer::Refused(Refusal::new(ErrorCode::Busy, 0, 0));
                self.hub.answer(token, &answer, now_ns(), more);
            }
            Command::MoveBody { body, .. } => {
                self.motions.insert(body, *back);
            }
            urgent => self.keep(urgent),
        }
    }

    /// Hands a command to the sink, and logs the limits that it changes.
    fn offer(&mut self, command: Command) -> Result<(), Box<Command>> {
        let (client, is_release) = match &command {
            Command::TightenLimits { client, .. } => (*client, false),
            Command::ReleaseLimits { client, .. } => (*client, true),
            _ => return self.sink.submit(command),
        };
        let before = self.limits_asked();
        let taken = self.sink.submit(command);
        self.log_limits(client, is_release, &before);
        taken
    }

    /// By arm, the limits that are kept when the loop has taken all requests.
    fn limits_asked(&mut self) -> Vec<Option<[f64; 8]>> {
        let arms = self.hub.arms().iter();
        arms.map(|arm| self.sink.limits_asked(arm.index))
            .map(|limits| limits.as_ref().map(limit_names::of))
            .collect()
    }

    fn log_limits(&mut self, client: ClientId, is_release: bool, before: &[Option<[f64; 8]>]) {
        let after = self.limits_asked();
        let mut names = self.hub.names();
        let found = names.find(|(id, ..)| *id == client);
        let (role, name) = found.map_or((Role::App, None), |(_, role, name)| (role, name));
        let name = name.unwrap_or("?");
        for ((arm, before), after) in self.hub.arms().iter().zip(before).zip(after) {
            if let (Some(before), Some(after)) = (before, after)
                && let Some(changed) = limit_names::changes(before, &after)
            {
                let arm = (arm.name.as_str(), arm.index);
                self.log
                    .limits((client, role, name), arm, is_release, &changed);
            }
        }
    }

    fn keep(&mut self, command: Command) {
        self.backlog.push_back(command);
        self.hub.set_busy(self.backlog.len() >= MAX_BACKLOG);
    }

    /// Answers the requests that scene or haptic loop have carried out.
    pub(super) fn settle(&mut self, out: &mut Vec<Output<File>>) {
        let mut answers = Vec::new();
        self.settling = self.sink.settle(now_ns(), &mut answers);
        for (token, answer) in answers {
            self.hub.answer(token, &answer, now_ns(), out);
        }
        self.perform(out);
    }

    /// Offers the commands again that the sink did not take.
    pub(super) fn submit_waiting(&mut self) {
        while let Some(command) = self.backlog.pop_front() {
            if let Err(back) = self.offer(command) {
                self.backlog.push_front(*back);
                return;
            }
        }
        self.hub.set_busy(false);
        while let Some((body, command)) = self.motions.pop_first() {
            if let Err(back) = self.sink.submit(command) {
                self.motions.insert(body, *back);
                return;
            }
        }
    }
}
