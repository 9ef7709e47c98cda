//! Reads the configuration again on a separate thread, because a file may be on a mount that does
//! not answer.
//!
//! There is one reading at a time. A request during a reading gets its result if the reading began
//! after the request, otherwise the result of the next reading. A reading that takes longer than
//! [`PATIENCE_NS`] is refused to everyone who waits for it. If it ends after all, its result is
//! applied.

use hapticd_sync::delivery::{NoValue, Receiver, Sender, Unsent, delivery};

use super::{SessionError, thread};
use crate::reload::{Reload, Reloaded};

/// Time after which a reading is reported as hanging to those who requested it, ns.
const PATIENCE_NS: u64 = 5_000_000_000;
/// Maximum number of technicians' requests that wait; further ones are refused.
const MAX_WAITING: usize = 64;

/// Result of a reading.
type Found = Result<Option<Reloaded>, String>;

/// Result of a reading, and the tokens of the technicians' requests that it answers.
pub(super) struct Outcome {
    pub(super) result: Found,
    pub(super) tokens: Vec<u64>,
}

struct PendingRead {
    since_ns: u64,
    tokens: Vec<u64>,
    /// True once those who requested it have been told that it hangs.
    given_up: bool,
}

/// The supervisor's end of the reading thread.
pub(super) struct Reading {
    asks: Sender<bool>,
    answers: Receiver<Found>,
    under_way: Option<PendingRead>,
    /// True if a reading was requested since the present one began.
    asked: bool,
    waiting: Vec<u64>,
}

impl Reading {
    /// Starts the thread. It ends with this value, or with the process if a file holds it. `None`
    /// means that there is no file.
    ///
    /// # Errors
    /// If the thread cannot be created.
    pub(super) fn start(read: Option<Reload>) -> Result<Self, SessionError> {
        // The thread has ordinary priority, so the supervisor must not wait for it to hand over a
        // result.
        let (asks, mut asked) = delivery::<bool>(1);
        let (mut answer, answers) = delivery(1);
        if let Some(mut read) = read {
            thread::spawn("reload", move || {
                while let Some(asked) = asked.recv() {
                    // The queue has capacity: a reading begins only after the last result was
                    // taken.
                    if let Err(Unsent::Gone(_)) = answer.send(read(asked)) {
                        return;
                    }
                }
            })?;
        }
        Ok(Reading {
            asks,
            answers,
            under_way: None,
            asked: false,
            waiting: Vec::new(),
        })
    }

    /// Requests a reading, whether the file has changed or not: for a signal, or for the
    /// technician's request with this token.
    pub(super) fn ask(&mut self, token: Option<u64>) {
        self.asked = true;
        // The next `poll` refuses the requests if there are too many.
        self.waiting.extend(token);
    }

    /// Starts a check whether the file has changed, unless a reading is under way.
    pub(super) fn look(&mut self, now_ns: u64) {
        if self.under_way.is_none() && !self.asked {
            self.begin(false, now_ns);
        }
    }

    /// Begins a requested reading and returns the result of a finished one. Never blocks.
    pub(super) fn poll(&mut self, now_ns: u64) -> Option<Outcome> {
        match self.answers.try_recv() {
            Ok(result) => {
                let tokens = self.under_way.take().map_or(Vec::new(), |u| u.tokens);
                return Some(Outcome { result, tokens });
            }
            Err(NoValue::Gone) if self.asked => {
                let why = "there is no configuration file to read again";
                return Some(self.refuse_waiting(why.to_owned()));
            }
            Err(_) => {}
        }
        if let Some(under_way) = &mut self.under_way {
            let since_ns = now_ns.saturating_sub(under_way.since_ns);
            let is_new = !under_way.given_up && since_ns > PATIENCE_NS;
            if is_new || (under_way.given_up && self.asked) || self.waiting.len() > MAX_WAITING {
                under_way.given_up |= is_new;
                let tokens = std::mem::take(&mut under_way.tokens);
                self.waiting.extend(tokens);
                let why = format!(
                    "the configuration was not read in {:.0} s: does its file system answer?",
                    since_ns as f64 * 1e-9
                );
                return Some(self.refuse_waiting(why));
            }
        } else if self.asked {
            self.begin(true, now_ns);
        }
        None
    }

    fn begin(&mut self, asked: bool, now_ns: u64) {
        if self.asks.send(asked).is_ok() {
            self.under_way = Some(PendingRead {
                since_ns: now_ns,
                tokens: std::mem::take(&mut self.waiting),
                given_up: false,
            });
            self.asked = false;
        }
    }

    fn refuse_waiting(&mut self, why: String) -> Outcome {
        self.asked = false;
        Outcome {
            result: Err(why),
            tokens: std::mem::take(&mut self.waiting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::{self, bounded};
    use std::time::Duration;

    /// Returns a reading that answers with the values that are sent, and a receiver that counts its
    /// beginnings.
    fn scripted() -> (Reading, channel::Sender<Found>, channel::Receiver<bool>) {
        let (script, lines) = bounded::<Found>(8);
        let (begun, begins) = bounded(8);
        let read: Reload = Box::new(move |asked| {
            begun.send(asked).unwrap();
            lines.recv().unwrap()
        });
        (Reading::start(Some(read)).unwrap(), script, begins)
    }

    fn outcome(reading: &mut Reading, now_ns: u64) -> Outcome {
        for _ in 0..10_000 {
            if let Some(outcome) = reading.poll(now_ns) {
                return outcome;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the reading does not answer");
    }

    #[test]
    fn a_request_during_a_reading_gets_the_next() {
        let (mut reading, script, begins) = scripted();
        reading.ask(Some(1));
        assert!(reading.poll(0).is_none());
        assert!(begins.recv().unwrap());
        reading.ask(Some(2));
        reading.ask(Some(3));
        reading.ask(None);
        script.send(Err("first".into())).unwrap();
        let first = outcome(&mut reading, 0);
        assert_eq!(
            (first.result.err().as_deref(), &*first.tokens),
            (Some("first"), &[1][..])
        );
        script.send(Ok(None)).unwrap();
        let second = outcome(&mut reading, 0);
        assert!(second.result.is_ok());
        assert_eq!(second.tokens, [2, 3]);
        assert_eq!(begins.try_iter().collect::<Vec<_>>(), [true]);
    }

    #[test]
    fn a_reading_that_hangs_is_refused_and_taken_over_when_it_ends() {
        let (mut reading, script, begins) = scripted();
        reading.ask(Some(1));
        assert!(reading.poll(0).is_none());
        begins.recv().unwrap();
        assert!(reading.poll(PATIENCE_NS).is_none());
        let refused = outcome(&mut reading, PATIENCE_NS + 1);
        assert!(
            refused
                .result
                .err()
                .unwrap()
                .contains("was not read in 5 s")
        );
        assert_eq!(refused.tokens, [1]);
        // No other request waits for it, and `look` does not begin another one.
        assert!(reading.poll(2 * PATIENCE_NS).is_none());
        reading.look(2 * PATIENCE_NS);
        reading.ask(Some(2));
        let refused = outcome(&mut reading, 3 * PATIENCE_NS);
        assert!(refused.result.err().unwrap().contains("in 15 s"));
        assert_eq!(refused.tokens, [2]);
        script.send(Err("at last".into())).unwrap();
        let late = outcome(&mut reading, 4 * PATIENCE_NS);
        assert_eq!(late.result.err().as_deref(), Some("at last"));
        assert!(late.tokens.is_empty() && begins.try_recv().is_err());
    }

    #[test]
    fn without_a_file_a_request_is_refused_and_a_look_is_not() {
        let mut reading = Reading::start(None).unwrap();
        reading.look(0);
        assert!(reading.poll(0).is_none());
        reading.ask(Some(7));
        let refused = outcome(&mut reading, 0);
        assert!(
            refused
                .result
                .err()
                .unwrap()
                .contains("no configuration file")
        );
        assert_eq!(refused.tokens, [7]);
    }
}
