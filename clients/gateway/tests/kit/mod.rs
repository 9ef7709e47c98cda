//! A client of the gateway that says what it likes, as no browser would.
#![allow(dead_code, missing_docs)]

use hapticd_gateway::{Server, Settings, token::Token};
use hapticd_protocol::{
    event::Event,
    frame::{HEADER_BYTES, Header, Message as _},
    gateway::{BlockValue, GatewayMessage, GatewayRequest},
    reply::{self, Reply},
    request::{self, Request},
    text::Name,
};
use hapticd_sys::{
    sealed_file::read_sealed,
    socket::{Connection, Listener, ReceiveError},
    wake::{Interest, Wake, wait},
};
use rustls::ServerConfig;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::JoinHandle,
    time::Duration,
};
use tungstenite::{
    Error, Message, WebSocket,
    protocol::{Role, WebSocketConfig},
};

/// A hang becomes a failure.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

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
    pub fn over(stream: S, upgrade: &Upgrade) -> Self {
        Self::try_over(stream, upgrade).unwrap_or_else(|head| panic!("{head}"))
    }

    /// Returns the head of the answer where it is a refusal.
    pub fn try_over(mut stream: S, upgrade: &Upgrade) -> Result<Self, String> {
        stream.write_all(upgrade.text().as_bytes()).unwrap();
        let head = head(&mut stream);
        if !head.starts_with("HTTP/1.1 101 ") {
            return Err(head);
        }
        assert!(
            head.contains("Sec-WebSocket-Protocol: hapticd.v1\r\n"),
            "{head}"
        );
        assert!(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
        assert!(!head.contains("token."), "{head}");
        let config = WebSocketConfig::default()
            .max_frame_size(None)
            .max_message_size(None);
        Ok(Self {
            socket: WebSocket::from_raw_socket(stream, Role::Client, Some(config)),
            next_id: 1,
            aside: Vec::new(),
        })
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

/// What the scripted daemon of [`Fake`] has heard.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Number of the connection, from 0.
    pub client: usize,
    pub packet: Vec<u8>,
    /// Contents of the files that came with it.
    pub files: Vec<Vec<u8>>,
}

/// What happened at the scripted daemon, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    Came(usize),
    Heard(Heard),
    Left(usize),
}

type Answer = dyn Fn(&[u8]) -> Vec<(Vec<u8>, Vec<OwnedFd>)> + Send + Sync;

/// A daemon that answers as it is told, and a gateway before it, both in this process.
pub struct Fake {
    pub address: SocketAddr,
    pub token: Token,
    pub happened: Receiver<Happened>,
    stop: Arc<Wake>,
    threads: Vec<JoinHandle<()>>,
    folder: PathBuf,
}

impl Fake {
    /// A daemon that says `Welcome` and `Done`.
    pub fn new(name: &str) -> Self {
        Self::with(name, |_| Vec::new())
    }

    /// Answers by `answer`, where that has something to say.
    pub fn with(
        name: &str,
        answer: impl Fn(&[u8]) -> Vec<(Vec<u8>, Vec<OwnedFd>)> + Send + Sync + 'static,
    ) -> Self {
        Self::start(name, None, Arc::new(answer))
    }

    pub fn start(name: &str, tls: Option<Arc<ServerConfig>>, answer: Arc<Answer>) -> Self {
        let folder =
            std::env::temp_dir().join(format!("hapticd-fake-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let socket = folder.join("app.sock");
        let listener = Listener::bind(&socket, 0o600).unwrap();
        let (stop, token) = (Arc::new(Wake::new().unwrap()), Token::random().unwrap());
        let server = Server::start(Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            socket,
            names: Vec::new(),
            origins: vec!["https://app.example".to_owned()],
            tls,
            token: token.clone(),
        })
        .unwrap();
        let address = server.address();
        let (tell, happened) = channel();
        let (ends, stops) = (stop.clone(), stop.clone());
        let threads = vec![
            std::thread::spawn(move || fake_daemon(&listener, &answer, &tell, &stops)),
            std::thread::spawn(move || server.serve(&ends).unwrap()),
        ];
        Self {
            address,
            token,
            happened,
            stop,
            threads,
            folder,
        }
    }

    pub fn upgrade(&self) -> Upgrade {
        Upgrade::new(self.address, self.token.text())
    }

    pub fn client(&self) -> Client {
        Client::greet(self.address, self.token.text())
    }

    pub fn next(&self) -> Happened {
        self.happened.recv_timeout(PATIENCE).unwrap()
    }

    /// Returns the next packet of a client that is not its hello.
    pub fn heard(&self) -> Heard {
        loop {
            match self.next() {
                Happened::Heard(heard) if !heard.packet.starts_with(&[0x01, 0x01]) => return heard,
                Happened::Heard(_) | Happened::Came(_) => {}
                Happened::Left(client) => panic!("client {client} left"),
            }
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.stop.signal();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() && !std::thread::panicking() {
                panic!("a thread of the scripted daemon has panicked");
            }
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn fake_daemon(listener: &Listener, answer: &Arc<Answer>, tell: &Sender<Happened>, stop: &Wake) {
    let mut clients: Vec<Option<Connection>> = Vec::new();
    loop {
        let mut items = vec![
            (stop.as_fd(), Interest::Read),
            (listener.as_fd(), Interest::Read),
        ];
        items.extend(
            clients
                .iter()
                .flatten()
                .map(|client| (client.as_fd(), Interest::Read)),
        );
        if wait(&items, Some(PATIENCE)).unwrap()[0].readable {
            return;
        }
        while let Some(client) = listener.accept().unwrap() {
            // A test that has seen enough listens no more.
            let _ = tell.send(Happened::Came(clients.len()));
            clients.push(Some(client));
        }
        for index in 0..clients.len() {
            if let Some(client) = &clients[index]
                && !fake_client(index, client, answer, tell)
            {
                clients[index] = None;
                let _ = tell.send(Happened::Left(index));
            }
        }
    }
}

/// Takes what is there; returns false at its end.
fn fake_client(
    index: usize,
    client: &Connection,
    answer: &Arc<Answer>,
    tell: &Sender<Happened>,
) -> bool {
    let mut buffer = vec![0; 4096];
    loop {
        let (packet, files) = match client.receive(&mut buffer) {
            Ok(received) => (buffer[..received.length].to_vec(), received.fds),
            Err(ReceiveError::WouldBlock) => return true,
            Err(_) => return false,
        };
        let files = files
            .iter()
            .map(|file| read_sealed(file, 1 << 30).unwrap())
            .collect();
        let (kind, id) = (
            u16::from_le_bytes(packet.first_chunk().copied().unwrap_or_default()),
            Header::id_of(&packet),
        );
        let mut answers = answer(&packet);
        let _ = tell.send(Happened::Heard(Heard {
            client: index,
            packet,
            files,
        }));
        if answers.is_empty() {
            let reply: Reply = match kind {
                request::Hello::KIND => reply::Welcome {
                    magic: hapticd_protocol::MAGIC,
                    major: hapticd_protocol::MAJOR,
                    minor: hapticd_protocol::MINOR,
                    client: 1,
                    lease_ms: 200,
                    messages_per_s: 2000,
                    max_bodies: 16,
                    technician: false,
                }
                .into(),
                _ => reply::Done {}.into(),
            };
            answers.push((reply.encode(id), Vec::new()));
        }
        for (bytes, files) in answers {
            let files: Vec<_> = files.iter().map(AsFd::as_fd).collect();
            // A client that reads too slowly is none of this daemon's concern.
            let _ = client.send(&bytes, &files);
        }
    }
}

/// A cable between a client and a gateway that can be cut: nothing goes through any more, and no
/// end is told.
pub struct Proxy {
    pub address: SocketAddr,
    is_cut: Arc<AtomicBool>,
}

impl Proxy {
    /// One connection to `target`.
    pub fn new(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = is_cut.clone();
        // Ends with the process: the sockets stay open, as those of a cut cable.
        std::thread::spawn(move || {
            let (near, _) = listener.accept().unwrap();
            let far = connect(target);
            let (back, forth) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            let cut_back = cut.clone();
            std::thread::spawn(move || forward(forth, back, &cut_back));
            forward(near, far, &cut);
        });
        Self { address, is_cut }
    }

    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut buffer = [0; 4096];
    loop {
        match from.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            // Lost on the way.
            Ok(_) if is_cut.load(Ordering::SeqCst) => {}
            Ok(count) => {
                if to.write_all(&buffer[..count]).is_err() {
                    return;
                }
            }
        }
    }
}
