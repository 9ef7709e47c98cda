//! Commands on their way to the sink: at once, or kept in order until it takes them.

use super::super::{Answer, Command, Refusal, hub::Output};
use super::{File, Server};
use hapticd_protocol::reply::ErrorCode;
use hapticd_sys::clock::now_ns;

/// Urgent commands that may wait for the sink before clients are told to try again.
const MAX_BACKLOG: usize = 256;

impl Server {
    pub(super) fn submit(&mut self, command: Command, more: &mut Vec<Output<File>>) {
        // What takes force away waits behind nothing but its own kind; a motion of a body never overtakes what waits.
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
        let Err(back) = self.sink.submit(command) else {
            return;
        };
        match *back {
            Command::AddBody { token, .. } | Command::Reload { token } => {
                let answer = Answer::Refused(Refusal::new(ErrorCode::Busy, 0, 0));
                self.hub.answer(token, &answer, now_ns(), more);
            }
            Command::MoveBody { body, .. } => {
                self.motions.insert(body, *back);
            }
            urgent => self.keep(urgent),
        }
    }

    fn keep(&mut self, command: Command) {
        self.backlog.push_back(command);
        self.hub.set_busy(self.backlog.len() >= MAX_BACKLOG);
    }

    /// Answers what the haptic loop has put into force.
    pub(super) fn settle(&mut self, out: &mut Vec<Output<File>>) {
        let mut answers = Vec::new();
        self.settling = self.sink.settle(now_ns(), &mut answers);
        for (token, answer) in answers {
            self.hub.answer(token, &answer, now_ns(), out);
        }
        self.perform(out);
    }

    /// Offers again what the sink did not take.
    pub(super) fn submit_waiting(&mut self) {
        while let Some(command) = self.backlog.pop_front() {
            if let Err(back) = self.sink.submit(command) {
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
