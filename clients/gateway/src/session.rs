//! One WebSocket and its client of the daemon.
//!
//! A single thread, one wait: for the browser, the daemon, and the next value that is due. Nothing
//! of the browser's is read while a packet for the daemon waits, and no value is sent while the
//! browser has not taken the one before. When the session ends, its client of the daemon is closed
//! first.

use crate::{
    daemon::{Daemon, Packet, Received},
    limits::{
        FAREWELL, HELLO, MAX_FRAME_BYTES, MAX_OUTGOING_BYTES, MAX_WAITING, MAX_WAITING_SHAPES,
        PING, READ_BUDGET_BYTES, SILENCE,
    },
    stream::Stream,
    views::{Rates, Views},
};
use hapticd_protocol::{
    frame::{HEADER_BYTES, Header, MAX_MESSAGE, Message as _},
    gateway::{
        GATEWAY_REQUESTS_PER_S, GatewayMessage, GatewayRequest, MAX_PUSH_HZ, SetPushRates,
        ShapeFile,
    },
    reply::{self, ErrorCode, Reply},
    request::{AddBody, Hello},
    text::Text,
    wire::DecodeError,
};
use hapticd_sys::{
    sealed_file,
    wake::{Interest, Ready, wait},
};
use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
    time::{Duration, Instant},
};
use tungstenite::{
    Bytes, Error, Message, Utf8Bytes, WebSocket,
    error::{CapacityError, ProtocolError},
    protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
};

/// Longest shape that is sent, bytes.
const MAX_SHAPE_BYTES: u64 = MAX_OUTGOING_BYTES as u64 / 2;
/// Packets of the daemon that are taken before the browser has its turn.
const PACKETS_PER_TURN: usize = 64;
/// Longest reason that a close frame holds, bytes.
const MAX_REASON_BYTES: usize = 123;

/// How a session ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The browser closed, or is gone.
    Gone,
    /// The gateway closes, with a code of RFC 6455 and a sentence.
    Close(u16, String),
}

impl End {
    fn close(code: u16, reason: impl Into<String>) -> Self {
        Self::Close(code, reason.into())
    }
}

/// What waits to be sent, in order.
#[derive(Debug)]
enum Outgoing {
    Message(Vec<u8>),
    /// A shape; read when it is its turn.
    Shape(u32, OwnedFd),
}

/// Requests within a second.
#[derive(Debug)]
struct Rate {
    since: Instant,
    requests: u32,
}

/// What a request's rate allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    Yes,
    No,
    Never,
}

impl Rate {
    /// Counts a request. As the daemon does, it closes a client that goes on all the same.
    fn count(&mut self, now: Instant) -> Allowed {
        if now.duration_since(self.since) >= Duration::from_secs(1) {
            self.since = now;
            self.requests = 0;
        }
        self.requests += 1;
        if self.requests <= GATEWAY_REQUESTS_PER_S {
            Allowed::Yes
        } else if self.requests <= 2 * GATEWAY_REQUESTS_PER_S {
            Allowed::No
        } else {
            Allowed::Never
        }
    }
}

/// One client.
#[derive(Debug)]
pub struct Session {
    socket: WebSocket<Stream>,
    path: PathBuf,
    daemon: Option<Daemon>,
    views: Views,
    /// A packet for which the daemon had no capacity.
    held: Option<Packet>,
    queue: VecDeque<Outgoing>,
    /// Whether bytes wait for the browser.
    blocked: bool,
    /// What is said to the browser when the queue is empty.
    ending: Option<End>,
    rate: Rate,
    began: Instant,
    heard: Instant,
    pinged: Instant,
}

impl Session {
    /// Takes a stream behind its upgrade, with the bytes that came with that; `path` is the
    /// daemon's socket.
    pub fn new(stream: Stream, read: Vec<u8>, path: PathBuf) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(16 << 10)
            .write_buffer_size(0)
            .max_write_buffer_size(MAX_OUTGOING_BYTES)
            .max_message_size(Some(MAX_FRAME_BYTES))
            .max_frame_size(Some(MAX_FRAME_BYTES));
        let now = Instant::now();
        Self {
            socket: WebSocket::from_partially_read(stream, read, Role::Server, Some(config)),
            path,
            daemon: None,
            views: Views::default(),
            held: None,
            queue: VecDeque::new(),
            blocked: false,
            ending: None,
            rate: Rate {
                since: now,
                requests: 0,
            },
            began: now,
            heard: now,
            pinged: now,
        }
    }

    /// Runs until one side is gone. Returns why it ended. `place` is dropped when the client of the
    /// daemon is closed: another may come while this one is told why it ends.
    pub fn run(mut self, place: impl Sized) -> End {
        let end = loop {
            if let Err(end) = self.turn() {
                break end;
            }
        };
        // First of all: the daemon lets go of what this client held.
        self.daemon = None;
        drop(place);
        self.farewell(&end);
        end
    }

    /// One turn: everything that is there, then a wait.
    fn turn(&mut self) -> Result<(), End> {
        let now = Instant::now();
        self.read(now)?;
        self.take_packets()?;
        self.drain()?;
        self.push(now)?;
        if self.queue.is_empty()
            && !self.blocked
            && let Some(end) = self.ending.take()
        {
            return Err(end);
        }
        self.keep_alive(now)?;
        self.wait()
    }

    /// Takes what the browser sent.
    fn read(&mut self, now: Instant) -> Result<(), End> {
        self.socket.get_mut().set_budget(READ_BUDGET_BYTES);
        while self.held.is_none() {
            match self.socket.read() {
                Ok(message) => self.take(message, now)?,
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(end_of(&error)),
            }
        }
        // A part of a long message counts, too.
        if self.socket.get_ref().budget() < READ_BUDGET_BYTES {
            self.heard = now;
        }
        Ok(())
    }

    fn take(&mut self, message: Message, now: Instant) -> Result<(), End> {
        let packet = match message {
            // Nothing is begun any more.
            Message::Binary(_) if self.ending.is_some() => return Ok(()),
            Message::Binary(packet) => packet,
            Message::Close(_) => return Err(End::Gone),
            Message::Text(_) => return Err(End::close(1003, "messages are binary frames")),
            Message::Pong(_) => return Ok(()),
            Message::Ping(_) | Message::Frame(_) => Bytes::new(),
        };
        let is_ping = packet.is_empty();
        let (kind, id) = (kind_of(&packet), Header::id_of(&packet));
        match self.rate.count(now) {
            Allowed::Yes if is_ping => Ok(()),
            Allowed::Yes => self.request(&packet, kind, id),
            Allowed::No if is_ping => Ok(()),
            Allowed::No => {
                let limit = u64::from(GATEWAY_REQUESTS_PER_S);
                self.refuse(kind, id, ErrorCode::TooManyMessages, (limit + 1, limit), "");
                Ok(())
            }
            Allowed::Never => {
                let limit = 2 * GATEWAY_REQUESTS_PER_S;
                Err(End::close(
                    1008,
                    format!("more than {limit} messages a second"),
                ))
            }
        }
    }

    /// Carries out a request of the gateway's own, and sends any other on to the daemon.
    fn request(&mut self, packet: &[u8], kind: u16, id: u64) -> Result<(), End> {
        if self.daemon.is_none() {
            if kind != Hello::KIND {
                return Err(End::close(1008, "the first message must be `Hello`"));
            }
            self.daemon = Some(self.connect()?);
        }
        if kind >> 8 == SetPushRates::KIND >> 8 {
            self.set_rates(packet, kind, id);
            return Ok(());
        }
        let (packet, mesh) = match kind {
            AddBody::KIND => split(packet),
            _ => (packet, None),
        };
        if packet.len() > MAX_MESSAGE {
            let reason = format!(
                "a message of {} bytes, {MAX_MESSAGE} are allowed",
                packet.len()
            );
            return Err(End::close(1009, reason));
        }
        let file = match mesh.map(|bytes| sealed_file::create_sealed("hapticd-mesh", bytes)) {
            None => None,
            Some(Ok(file)) => Some(file),
            Some(Err(error)) => {
                self.refuse(
                    kind,
                    id,
                    ErrorCode::Internal,
                    (0, 0),
                    &format!("gateway: {error}"),
                );
                return Ok(());
            }
        };
        let packet = Packet {
            bytes: packet.to_vec(),
            file,
        };
        self.send_on(packet)
    }

    fn connect(&self) -> Result<Daemon, End> {
        Daemon::connect(&self.path).map_err(|error| End::close(1011, error.to_string()))
    }

    fn set_rates(&mut self, packet: &[u8], kind: u16, id: u64) {
        let rates = match GatewayRequest::decode(packet, 0) {
            Ok((_, GatewayRequest::SetPushRates(rates))) => rates,
            Err(error) => return self.refuse_malformed(kind, id, error),
        };
        let highest = rates.state_hz.max(rates.surface_hz);
        if highest > MAX_PUSH_HZ {
            let numbers = (u64::from(highest), u64::from(MAX_PUSH_HZ));
            let detail = format!("{highest} Hz of values, {MAX_PUSH_HZ} are allowed");
            return self.refuse(kind, id, ErrorCode::OutOfRange, numbers, &detail);
        }
        let (state_hz, surface_hz) = (rates.state_hz, rates.surface_hz);
        let rates = Rates {
            state_hz,
            surface_hz,
        };
        self.views.set_rates(rates, Instant::now());
        self.answer(id, reply::Done {}.into());
    }

    fn refuse_malformed(&mut self, kind: u16, id: u64, error: DecodeError) {
        self.refuse(kind, id, ErrorCode::Malformed, (0, 0), &error.to_string());
    }

    fn refuse(&mut self, kind: u16, id: u64, code: ErrorCode, numbers: (u64, u64), detail: &str) {
        let error = reply::Error {
            number: numbers.0,
            limit: numbers.1,
            detail: Text::lossy(detail),
            code,
            request: kind,
        };
        self.answer(id, error.into());
    }

    fn answer(&mut self, id: u64, reply: Reply) {
        self.queue.push_back(Outgoing::Message(reply.encode(id)));
    }

    fn send_on(&mut self, packet: Packet) -> Result<(), End> {
        let Some(daemon) = &self.daemon else {
            return Ok(());
        };
        match daemon.send(&packet) {
            Ok(true) => {}
            Ok(false) => self.held = Some(packet),
            Err(reason) => return Err(End::close(1011, reason)),
        }
        Ok(())
    }

    /// Takes what the daemon sent, and sends what it had no capacity for.
    fn take_packets(&mut self) -> Result<(), End> {
        if let Some(packet) = self.held.take() {
            self.send_on(packet)?;
        }
        for _ in 0..PACKETS_PER_TURN {
            let Some(daemon) = &self.daemon else {
                return Ok(());
            };
            match daemon.receive() {
                Received::Nothing => return Ok(()),
                Received::Packet(bytes, files) => self.take_packet(bytes, files)?,
                Received::Ended(reason) => {
                    self.daemon = None;
                    self.ending = self.ending.take().or(Some(End::close(1011, reason)));
                }
            }
        }
        Ok(())
    }

    /// Queues a packet for the browser as it is, and what its descriptors hold behind it.
    fn take_packet(&mut self, bytes: Vec<u8>, files: Vec<OwnedFd>) -> Result<(), End> {
        let decoded = (!files.is_empty()).then(|| Reply::decode(&bytes, files.len()));
        self.queue.push_back(Outgoing::Message(bytes));
        let failed = |why: String| End::close(1011, why);
        let mut files = files.into_iter();
        match decoded {
            None => {}
            Some(Ok((_, Reply::Subscribed(subscribed)))) => {
                for (block, file) in subscribed.blocks.0.iter().zip(files) {
                    self.views
                        .subscribe(block.kind, block.arm, file)
                        .map_err(failed)?;
                }
            }
            Some(Ok((_, reply))) => {
                // Decoding has checked that there is one descriptor.
                let Some(file) = files.next() else {
                    return Ok(());
                };
                match reply {
                    Reply::Surface(surface) => {
                        let triangles = self.views.open_surface(surface.body, file);
                        self.queue
                            .push_back(Outgoing::Message(triangles.map_err(failed)?));
                    }
                    Reply::Skin(skin) => self.views.open_skin(skin.body, file).map_err(failed)?,
                    Reply::Shape(shape) => self.queue.push_back(Outgoing::Shape(shape.body, file)),
                    _ => {}
                }
            }
            Some(Err(error)) => return Err(failed(format!("the daemon's answer: {error}"))),
        }
        Ok(())
    }

    /// Sends what waits, as far as the browser takes it.
    fn drain(&mut self) -> Result<(), End> {
        if self.blocked {
            self.flush()?;
        }
        while !self.blocked {
            let message = match self.queue.pop_front() {
                None => return Ok(()),
                Some(Outgoing::Message(bytes)) => bytes,
                Some(Outgoing::Shape(body, file)) => shape_message(body, &file)?,
            };
            self.send(Message::binary(message))?;
        }
        let is_shape = |waiting: &&Outgoing| matches!(waiting, Outgoing::Shape(..));
        let shapes = self.queue.iter().filter(is_shape).count();
        if self.queue.len() - shapes > MAX_WAITING || shapes > MAX_WAITING_SHAPES {
            let reason = format!("{} messages wait that are not read", self.queue.len());
            return Err(End::close(1013, reason));
        }
        Ok(())
    }

    /// Sends the values that are due.
    fn push(&mut self, now: Instant) -> Result<(), End> {
        loop {
            let blocked = self.blocked || !self.queue.is_empty();
            let due = self.views.take_due(now, blocked);
            match due.map_err(|why| End::close(1011, why))? {
                None => return Ok(()),
                Some(message) => self.send(Message::binary(message))?,
            }
        }
    }

    fn send(&mut self, message: Message) -> Result<(), End> {
        match self.socket.write(message) {
            Ok(()) => self.flush(),
            // What was not written is kept, and goes first.
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                self.blocked = true;
                Ok(())
            }
            Err(error) => Err(end_of(&error)),
        }
    }

    fn flush(&mut self) -> Result<(), End> {
        match self.socket.flush() {
            Ok(()) => {
                self.blocked = false;
                Ok(())
            }
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                self.blocked = true;
                Ok(())
            }
            Err(error) => Err(end_of(&error)),
        }
    }

    /// Pings, and gives up on a browser of which nothing comes. Pings are none of the daemon's
    /// business: a page that hangs answers them.
    fn keep_alive(&mut self, now: Instant) -> Result<(), End> {
        if self.daemon.is_none() && self.ending.is_none() && now >= self.began + HELLO {
            return Err(End::close(1008, "no `Hello` came in time"));
        }
        if now >= self.heard + SILENCE {
            let seconds = SILENCE.as_secs();
            return Err(End::close(
                1001,
                format!("nothing was heard for {seconds} s"),
            ));
        }
        if now >= self.pinged + PING {
            self.pinged = now;
            if !self.blocked {
                self.send(Message::Ping(Bytes::new()))?;
            }
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), End> {
        let now = Instant::now();
        let mut until = (self.pinged + PING).min(self.heard + SILENCE);
        if self.daemon.is_none() && self.ending.is_none() {
            until = until.min(self.began + HELLO);
        }
        until = self.views.next_due().map_or(until, |due| due.min(until));
        let mut rest = until.saturating_duration_since(now);
        let is_ready = self.queue.is_empty() && !self.blocked && self.ending.is_some();
        if is_ready || (self.held.is_none() && self.socket.get_ref().is_exhausted()) {
            rest = Duration::ZERO;
        }
        let browser = match (self.held.is_none(), self.blocked) {
            (true, false) => Interest::Read,
            (true, true) => Interest::ReadWrite,
            (false, true) => Interest::Write,
            (false, false) => Interest::End,
        };
        let mut items = vec![(self.socket.get_ref().as_fd(), browser)];
        if let Some(daemon) = &self.daemon {
            let interest = match self.held {
                None => Interest::Read,
                Some(_) => Interest::ReadWrite,
            };
            items.push((daemon.as_fd(), interest));
        }
        let ready: Vec<Ready> =
            wait(&items, Some(rest)).map_err(|error| End::close(1011, error.to_string()))?;
        // Nothing is read while a packet waits for the daemon, so only the wait tells of the end.
        let ended = ready.first().is_some_and(|browser| browser.ended);
        if ended && self.held.is_some() {
            return Err(End::Gone);
        }
        Ok(())
    }

    /// Tells the browser why, if it still listens.
    fn farewell(&mut self, end: &End) {
        let deadline = Instant::now() + FAREWELL;
        let closed = match end {
            End::Gone => self.socket.flush(),
            End::Close(code, reason) => self.socket.close(Some(CloseFrame {
                code: CloseCode::from(*code),
                reason: Utf8Bytes::from(shortened(reason)),
            })),
        };
        let mut pending = closed;
        while let Err(Error::Io(error)) = &pending {
            let more = error.kind() == io::ErrorKind::WouldBlock
                && self
                    .socket
                    .get_ref()
                    .wait(Interest::Write, deadline)
                    .is_ok();
            if !more {
                break;
            }
            pending = self.socket.flush();
        }
        self.socket.get_mut().finish(deadline);
        self.listen_until(deadline);
    }

    /// Reads on until the browser has closed too: a socket that is closed with unread bytes resets
    /// the connection, and the last words with it.
    fn listen_until(&mut self, deadline: Instant) {
        let stream = self.socket.get_mut();
        stream.set_budget(MAX_FRAME_BYTES);
        let mut buffer = [0; 4096];
        while matches!(stream.read_until(&mut buffer, deadline), Ok(count) if count > 0) {}
    }
}

/// Kind of a message; 0 for what is shorter than a header.
fn kind_of(packet: &[u8]) -> u16 {
    match packet {
        [low, high, ..] if packet.len() >= HEADER_BYTES => u16::from_le_bytes([*low, *high]),
        _ => 0,
    }
}

/// Splits a frame into the message, with the length in its header, and what follows. Where the
/// length cannot be, all of it is the message, and the daemon says so.
fn split(frame: &[u8]) -> (&[u8], Option<&[u8]>) {
    let length = frame.get(4..8).and_then(|bytes| bytes.try_into().ok());
    let length = usize::try_from(length.map_or(0, u32::from_le_bytes)).unwrap_or(usize::MAX);
    match frame.split_at_checked(length) {
        Some((packet, file)) if (HEADER_BYTES..=MAX_MESSAGE).contains(&length) => {
            (packet, Some(file))
        }
        _ => (frame, None),
    }
}

fn shape_message(body: u32, file: &OwnedFd) -> Result<Vec<u8>, End> {
    let content = sealed_file::read_sealed(file, MAX_SHAPE_BYTES)
        .map_err(|error| End::close(1011, format!("shape of {body}: {error}")))?;
    let bytes = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut message = GatewayMessage::from(ShapeFile { body, bytes }).encode(0);
    message.extend_from_slice(&content);
    Ok(message)
}

/// How a session ends where the WebSocket's layer found an error.
fn end_of(error: &Error) -> End {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => End::close(
            1009,
            format!("a frame of {size} bytes, {max_size} are allowed"),
        ),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)
        | Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_) => End::Gone,
        Error::Utf8(_) => End::close(1007, error.to_string()),
        _ => End::close(1002, error.to_string()),
    }
}

/// Cuts a reason to what a close frame holds.
fn shortened(reason: &str) -> &str {
    let mut end = reason.len().min(MAX_REASON_BYTES);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    &reason[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_its_requests_and_then_as_many_refusals() {
        let start = Instant::now();
        let mut rate = Rate {
            since: start,
            requests: 0,
        };
        for second in 0..2 {
            let now = start + Duration::from_millis(1000 * second + 10);
            for count in 1..=2 * GATEWAY_REQUESTS_PER_S + 1 {
                let expected = match count.cmp(&(GATEWAY_REQUESTS_PER_S + 1)) {
                    std::cmp::Ordering::Less => Allowed::Yes,
                    _ if count <= 2 * GATEWAY_REQUESTS_PER_S => Allowed::No,
                    _ => Allowed::Never,
                };
                assert_eq!(rate.count(now), expected, "{count} in second {second}");
            }
        }
    }

    #[test]
    fn only_a_possible_length_splits_a_frame() {
        let mut frame = vec![0; 40];
        for (length, split_at) in [(16, Some(16)), (40, Some(40)), (15, None), (41, None)] {
            frame[4] = length;
            let (packet, file) = split(&frame);
            assert_eq!(file.map(|_| packet.len()), split_at, "{length}");
            assert_eq!(packet.len() + file.map_or(0, <[u8]>::len), 40);
        }
        assert_eq!(split(&frame[..6]), (&frame[..6], None));
    }

    #[test]
    fn reasons_are_cut_between_letters() {
        assert_eq!(shortened("short"), "short");
        let long = "é".repeat(100);
        assert_eq!(shortened(&long).len(), 122);
    }
}
