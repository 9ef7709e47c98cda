//! Requests of the clients' server to the collision thread, and the replies straight back.
//!
//! The collision thread never waits for the server: [`ReplySender`] is wait-free except for one
//! system call that wakes the server. No reply is lost, because the server asks for no more than
//! the queue of replies holds ([`MAX_AWAITED`]). A request beyond that is not sent, and its client
//! is told to try again.

use crossbeam::channel::Sender;
use hapticd_sync::delivery;
use hapticd_sys::wake::Wake;

use crate::command::{Request, SceneCommand, SceneReply};

/// Most replies that the server awaits at a time: the capacity of their queue.
pub const MAX_AWAITED: usize = 256;

/// Makes both ends of the replies to `requests`. `wake` wakes the server's thread. Allocates once.
pub fn requests(requests: Sender<Request>, wake: Wake) -> (SceneRequests, ReplySender) {
    let (replies_in, replies) = delivery::delivery(MAX_AWAITED);
    let requests = SceneRequests {
        requests,
        replies,
        awaited: 0,
    };
    (requests, ReplySender::new(replies_in, wake))
}

/// The server's end: sends requests and takes the replies. Never waits.
pub struct SceneRequests {
    requests: Sender<Request>,
    replies: delivery::Receiver<(u64, SceneReply)>,
    /// Replies that are to come, or have come and were not taken: at most [`MAX_AWAITED`].
    awaited: usize,
}

impl SceneRequests {
    /// Sends a command that gets no reply.
    ///
    /// # Errors
    /// The command, if the queue of requests is full or the collision thread is gone.
    pub fn post(&self, command: SceneCommand) -> Result<(), SceneCommand> {
        self.send(command, None)
    }

    /// Sends a command. Its reply carries this token.
    ///
    /// # Errors
    /// The command, if [`MAX_AWAITED`] replies are awaited, the queue of requests is full, or the
    /// collision thread is gone.
    pub fn ask(&mut self, command: SceneCommand, token: u64) -> Result<(), SceneCommand> {
        if self.awaited >= MAX_AWAITED {
            return Err(command);
        }
        self.send(command, Some(token))?;
        self.awaited += 1;
        Ok(())
    }

    fn send(&self, command: SceneCommand, token: Option<u64>) -> Result<(), SceneCommand> {
        self.requests
            .try_send(Request { command, token })
            .map_err(|unsent| unsent.into_inner().command)
    }

    /// Takes the oldest reply with its token, if one has come.
    pub fn next_reply(&mut self) -> Option<(u64, SceneReply)> {
        let reply = self.replies.try_recv().ok()?;
        self.awaited = self.awaited.saturating_sub(1);
        Some(reply)
    }
}

/// The collision thread's end.
pub struct ReplySender {
    replies: delivery::Sender<(u64, SceneReply)>,
    wake: Wake,
}

impl ReplySender {
    /// Makes a sender of this queue, which wakes the receiver through `wake`.
    pub fn new(replies: delivery::Sender<(u64, SceneReply)>, wake: Wake) -> Self {
        ReplySender { replies, wake }
    }

    /// Sends the reply to a request, if its sender awaits one. Does not wait.
    pub fn send(&mut self, token: Option<u64>, reply: SceneReply) {
        let Some(token) = token else { return };
        // Cannot be full: `SceneRequests` awaits no more than the queue holds. If the server is
        // gone, so are its clients.
        if self.replies.send((token, reply)).is_ok() {
            self.wake.signal();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::bounded;

    const HALT: SceneCommand = SceneCommand::Halt { id: 7 };

    #[test]
    fn a_reply_comes_back_with_its_token_and_wakes() {
        let (sender, served) = bounded(2);
        let wake = Wake::new().unwrap();
        let (mut requests, mut replies) = requests(sender, wake.try_clone().unwrap());
        requests.ask(HALT, 5).unwrap_or_else(|_| panic!("sent"));
        replies.send(served.recv().unwrap().token, SceneReply::Done);
        assert!(wake.clear());
        assert_eq!(requests.next_reply(), Some((5, SceneReply::Done)));
        // No client waits for a reply to this one.
        requests.post(HALT).unwrap_or_else(|_| panic!("sent"));
        replies.send(served.recv().unwrap().token, SceneReply::Done);
        assert!(!wake.clear());
        assert_eq!(requests.next_reply(), None);
        drop(requests);
        // The collision thread outlives the server.
        replies.send(Some(6), SceneReply::Done);
        assert!(!wake.clear());
    }

    #[test]
    fn no_more_is_asked_than_replies_have_a_place_for() {
        let (sender, served) = bounded(2 * MAX_AWAITED);
        let (mut requests, mut replies) = requests(sender, Wake::new().unwrap());
        for token in 0..MAX_AWAITED as u64 {
            assert!(requests.ask(HALT, token).is_ok());
        }
        // Also once they have come: the queue is full of them.
        for _ in 0..2 {
            assert!(requests.ask(HALT, 1000).is_err());
            for request in served.try_iter() {
                replies.send(request.token, SceneReply::Done);
            }
        }
        assert!(requests.post(HALT).is_ok(), "needs no reply");
        assert_eq!(requests.next_reply().map(|(token, _)| token), Some(0));
        assert!(requests.ask(HALT, 1000).is_ok());
        assert!(requests.ask(HALT, 1001).is_err());
        for request in served.try_iter() {
            replies.send(request.token, SceneReply::Done);
        }
        let tokens: Vec<u64> = std::iter::from_fn(|| requests.next_reply())
            .map(|(token, _)| token)
            .collect();
        let expected: Vec<u64> = (1..MAX_AWAITED as u64).chain([1000]).collect();
        assert_eq!(tokens, expected, "none is lost");
    }

    #[test]
    fn a_request_that_is_not_sent_awaits_no_reply() {
        let (sender, served) = bounded(1);
        let (mut requests, _replies) = requests(sender, Wake::new().unwrap());
        assert!(requests.ask(HALT, 0).is_ok());
        for token in 0..2 * MAX_AWAITED as u64 {
            assert!(requests.ask(HALT, token).is_err());
        }
        drop(served.recv());
        assert!(requests.ask(HALT, 1).is_ok());
    }
}
