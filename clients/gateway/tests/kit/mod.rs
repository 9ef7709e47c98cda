//! A client of the gateway that says what it likes, as no browser would.
#![allow(dead_code, missing_docs)]

use hapticd_protocol::{
    event::Event,
    frame::{HEADER_BYTES, Header, Message as _},
    gateway::{BlockValue, GatewayMessage, GatewayRequest},
    reply::Reply,
    request::{self, Request},
    text::Name,
};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};
use tungstenite::{Error, Message, WebSocket, protocol::Role};

/// A hang becomes a failure.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

/// A request's lines behind the first; what is `None` is left out.
#[derive(Clone)]
pub struct Upgrade {
    pub target: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    pub key: Option<String>,
    pub version: Option<String>,
    pub upgrade: Option<String>,
    pub protocols: Option<String>,
    pub more: String,
}

impl Upgrade {
    /// What a page of the gateway's own sends.
    pub fn new(address: SocketAddr, token: &str) -> Self {
        Self {
            target: "/v1".to_owned(),
            host: Some(address.to_string()),
            origin: Some(format!("http://{address}")),
            key: Some(KEY.to_owned()),
            version: Some("13".to_owned()),
            upgrade: Some("websocket".to_owned()),
            protocols: Some(format!("hapticd.v1, token.{token}")),
            more: String::new(),
        }
    }

    pub fn text(&self) -> String {
        let mut text = format!("GET {} HTTP/1.1\r\n", self.target);
        for (name, value) in [
            ("Host", &self.host),
            ("Origin", &self.origin),
            ("Sec-WebSocket-Key", &self.key),
            ("Sec-WebSocket-Version", &self.version),
            ("Upgrade", &self.upgrade),
            ("Sec-WebSocket-Protocol", &self.protocols),
        ] {
            if let Some(value) = value {
                text += &format!("{name}: {value}\r\n");
            }
        }
        if self.upgrade.is_some() {
            text += "Connection: keep-alive, Upgrade\r\n";
        }
        text + &self.more + "\r\n"
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Reads up to the empty line, byte by byte: what follows is not ours.
pub fn head(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).unwrap()
}

/// Sends bytes and returns all that is answered, until the gateway closes.
pub fn exchange(address: SocketAddr, text: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// What came in a frame.
#[derive(Debug)]
pub enum Came {
    Reply(u64, Reply),
    Event(Event),
    /// A message of the gateway and what follows it.
    Pushed(GatewayMessage, Vec<u8>),
    /// Closed, with code and reason.
    Closed(u16, String),
}

/// A connected client.
pub struct Client<S: Read + Write = TcpStream> {
    pub socket: WebSocket<S>,
    pub next_id: u64,
    /// What came while something else was waited for.
    pub aside: Vec<Came>,
}

impl Client {
    pub fn connect(address: SocketAddr, token: &str) -> Self {
        Self::upgrade(address, &Upgrade::new(address, token))
    }

    pub fn upgrade(address: SocketAddr, upgrade: &Upgrade) -> Self {
        Self::over(connect(address), upgrade)
    }

    /// Connects and says hello.
    pub fn greet(address: SocketAddr, token: &str) -> Self {
        let mut client = Self::connect(address, token);
        let welcome = client.ask(request::Hello::new(Name::new("test").unwrap()));
        assert!(matches!(welcome, Reply::Welcome(_)), "{welcome:?}");
        client
    }
}

impl<S: Read + Write> Client<S> {
    pub fn over(mut stream: S, upgrade: &Upgrade) -> Self {
        stream.write_all(upgrade.text().as_bytes()).unwrap();
        let head = head(&mut stream);
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert!(
            head.contains("Sec-WebSocket-Protocol: hapticd.v1\r\n"),
            "{head}"
        );
        assert!(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
        assert!(!head.contains("token."), "{head}");
        Self {
            socket: WebSocket::from_raw_socket(stream, Role::Client, None),
            next_id: 1,
            aside: Vec::new(),
        }
    }

    /// Sends bytes as one frame.
    pub fn send_bytes(&mut self, bytes: Vec<u8>) {
        self.socket.send(Message::binary(bytes)).unwrap();
    }

    /// Sends a request; returns its id.
    pub fn send(&mut self, request: impl Into<Request>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send_bytes(request.into().encode(id));
        id
    }

    pub fn set_rates(&mut self, state_hz: u32, surface_hz: u32) -> Reply {
        let id = self.next_id;
        self.next_id += 1;
        let rates = hapticd_protocol::gateway::SetPushRates {
            state_hz,
            surface_hz,
        };
        self.send_bytes(GatewayRequest::from(rates).encode(id));
        self.answer(id)
    }

    /// Returns what comes next, as it is decoded.
    pub fn next(&mut self) -> Came {
        loop {
            match self.socket.read() {
                Ok(Message::Binary(bytes)) => return decode(&bytes),
                Ok(Message::Close(Some(frame))) => {
                    return Came::Closed(frame.code.into(), frame.reason.to_string());
                }
                Ok(Message::Close(None)) => return Came::Closed(1005, String::new()),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(other) => panic!("{other:?}"),
                Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("nothing came")
                }
                Err(error) => return Came::Closed(1006, error.to_string()),
            }
        }
    }

    /// Returns the answer to a request; what comes before it is put aside.
    pub fn answer(&mut self, id: u64) -> Reply {
        loop {
            match self.next() {
                Came::Reply(answered, reply) if answered == id => return reply,
                Came::Closed(code, reason) => panic!("closed: {code} {reason}"),
                other => self.aside.push(other),
            }
        }
    }

    pub fn ask(&mut self, request: impl Into<Request>) -> Reply {
        let id = self.send(request);
        self.answer(id)
    }

    /// Returns the next block's value and its words.
    pub fn value(&mut self) -> (BlockValue, Vec<u64>) {
        loop {
            match self.next() {
                Came::Pushed(GatewayMessage::BlockValue(value), bytes) => {
                    let words: Vec<u64> = bytes
                        .chunks_exact(8)
                        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
                        .collect();
                    assert_eq!((words.len(), bytes.len() % 8), (value.words as usize, 0));
                    return (value, words);
                }
                Came::Closed(code, reason) => panic!("closed: {code} {reason}"),
                other => self.aside.push(other),
            }
        }
    }

    /// Reads until the gateway closes; returns code and reason.
    pub fn closed(&mut self) -> (u16, String) {
        loop {
            if let Came::Closed(code, reason) = self.next() {
                return (code, reason);
            }
        }
    }
}

fn decode(bytes: &[u8]) -> Came {
    let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    assert!(length >= HEADER_BYTES);
    let (packet, rest) = bytes.split_at(length);
    let (id, descriptors) = (Header::id_of(packet), usize::from(packet[2]));
    match u16::from_le_bytes([packet[0], packet[1]]) >> 8 {
        0x81 => {
            assert!(rest.is_empty());
            Came::Reply(id, Reply::decode(packet, descriptors).unwrap().1)
        }
        0x82 => {
            assert!(rest.is_empty() && id == 0);
            Came::Event(Event::decode(packet, descriptors).unwrap().1)
        }
        0x83 => {
            assert_eq!(id, 0);
            let message = GatewayMessage::decode(packet, descriptors).unwrap().1;
            Came::Pushed(message, rest.to_vec())
        }
        other => panic!("{other:#x}"),
    }
}
