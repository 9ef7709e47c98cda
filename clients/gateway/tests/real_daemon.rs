//! The gateway's program between clients and a real daemon, in real time. `HAPTICD` is the daemon's
//! program; `clients/gateway/check` runs these tests, one after the other, and nothing else does.
#![allow(clippy::print_stdout)]

mod kit;

use hapticd_client::{ArmState, BodyState, Contact, NeedleState, topic};
use hapticd_protocol::{
    frame::Message as _,
    gateway::{GATEWAY_REQUESTS_PER_S, GatewayMessage},
    mesh::{Mesh, Precision},
    reply::{BlockKind, ErrorCode, Reply},
    request::{self, BodyKind, Request},
    wire::{NonNegative, Pose},
};
use hapticd_sys::clock::now_ns;
use kit::{Came, Client, PATIENCE, Proxy, Upgrade, name};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Ends a program that was started here.
struct Program(Child);

impl Program {
    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &id])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            self.signal("TERM");
            let _ = self.0.wait();
        }
    }
}

/// A daemon of its own, and a gateway before it.
struct Bench {
    address: SocketAddr,
    token: String,
    socket: PathBuf,
    gateway: Program,
    _daemon: Program,
    folder: PathBuf,
}

impl Bench {
    /// With a configuration of `config/`.
    fn new(name: &str, configuration: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
        let folder = folder(name);
        Self::start(folder, &root.join(configuration))
    }

    /// With a hand that comes down, again and again, and nothing to press on.
    fn pressing(name: &str) -> Self {
        let folder = folder(name);
        std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
        std::fs::write(folder.join("hand.toml"), HAND).unwrap();
        let scene = folder.join("scene.toml");
        Self::start(folder, &scene)
    }

    fn start(folder: PathBuf, configuration: &Path) -> Self {
        let hapticd = std::env::var_os("HAPTICD").expect("HAPTICD is the daemon's program");
        let log = File::create(folder.join("daemon.log")).unwrap();
        let daemon = Command::new(hapticd)
            .arg("run")
            .arg(configuration)
            .arg("--plain")
            .env("XDG_RUNTIME_DIR", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut daemon = Program(daemon);
        let socket = folder.join("hapticd/app.sock");
        let end = Instant::now() + PATIENCE;
        while !socket.exists() {
            let log = || std::fs::read_to_string(folder.join("daemon.log"));
            assert!(daemon.0.try_wait().unwrap().is_none(), "{:?}", log());
            assert!(Instant::now() < end, "{:?}", log());
            std::thread::yield_now();
        }
        let log = File::create(folder.join("gateway.log")).unwrap();
        let (gateway, address, token) = gateway(&socket, log);
        Self {
            address,
            token,
            socket,
            gateway,
            _daemon: daemon,
            folder,
        }
    }

    fn client(&self) -> Client {
        Client::greet(self.address, &self.token)
    }

    /// A client of the daemon itself.
    fn direct(&self, name: &str) -> hapticd_client::Client {
        hapticd_client::Client::connect_until(&self.socket, name, PATIENCE).unwrap()
    }

    fn gateway_log(&self) -> String {
        std::fs::read_to_string(self.folder.join("gateway.log")).unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

const SCENE: &str = "
[[arm]]
name = \"right\"
kind = \"simulated\"
intention = \"hand.toml\"
tool = { kind = \"sphere\", radius_m = 0.005 }

[[body]]
name = \"far\"
kind = \"static\"
shape = { kind = \"cuboid\", size_m = [0.02, 0.02, 0.02] }
position_m = [0.3, 0.3, 0.0]
";
/// It comes back: a plate that was put around it is solid to it only then.
const HAND: &str = "
kind = \"press\"
from = [0.0, 0.0, 0.06]
depth_m = 0.07
move_s = 1.0
hold_s = 10.0
";

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("hapticd-gateway-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    folder
}

/// Starts the gateway's program; returns it with its address and token.
fn gateway(socket: &Path, log: File) -> (Program, SocketAddr, String) {
    let gateway = Command::new(env!("CARGO_BIN_EXE_hapticd-gateway"))
        .args(["--listen", "127.0.0.1:0", "--socket"])
        .arg(socket)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut gateway = Program(gateway);
    let mut lines = BufReader::new(gateway.0.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let (url, token) = first.split_once("/#token=").unwrap();
    let address = url.strip_prefix("http://").unwrap().parse().unwrap();
    // The second line says that the file is written.
    lines.next().unwrap().unwrap();
    let file = std::fs::read_to_string(socket.with_file_name("gateway.token")).unwrap();
    assert_eq!(file, format!("ws://{address}/v1\n{token}\n"));
    (gateway, address, token.to_owned())
}

fn state(words: &[u64]) -> ArmState {
    ArmState::from_words(words.try_into().unwrap())
}

/// A plate whose upper side is at height 0.
fn plate(id: u64) -> Vec<u8> {
    let positions = (0..8)
        .map(|corner: u32| {
            let side = |bit: u32, half: f64| if corner & bit == 0 { -half } else { half };
            [side(1, 0.05), side(2, 0.05), side(4, 0.01) - 0.01]
        })
        .collect();
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let mesh = Mesh {
        positions,
        triangles,
    };
    let packet = Request::from(request::AddBody {
        name: name("plate"),
        world_from_body: Pose::IDENTITY,
        stiffness_n_per_m: NonNegative(500.0),
        damping_n_s_per_m: NonNegative(1.0),
        friction: NonNegative(0.3),
        restitution: NonNegative(0.0),
        density_kg_m3: NonNegative(1000.0),
        kind: BodyKind::Kinematic,
        solid: true,
    })
    .encode(id);
    [packet, mesh.encode(Precision::Double).unwrap()].concat()
}

fn size(force: [f64; 3]) -> f64 {
    force.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// Adds the plate and sends signs of life until the arm presses on it with a newton.
fn press(client: &mut Client) {
    client.send_bytes(plate(1000));
    let added = client.answer(1000);
    assert!(matches!(added, Reply::BodyAdded(_)), "{added:?}");
    let topics = topic::STATE;
    assert!(matches!(
        client.ask(request::Subscribe { arm: 0, topics }),
        Reply::Subscribed(_)
    ));
    assert!(matches!(client.set_rates(50, 0), Reply::Done(_)));
    let end = Instant::now() + PATIENCE;
    loop {
        let (value, words) = client.value();
        client.send(request::RenewLeases { lease_ms: 200 });
        if value.kind == BlockKind::State && size(state(&words).force_n) > 1.0 {
            return;
        }
        assert!(Instant::now() < end, "no force");
    }
}

/// Looks at the arm until its force is exactly zero. Returns how long after `since_ns` that was.
fn zero_after(watcher: &hapticd_client::Subscription, since_ns: u64) -> Duration {
    let end = Instant::now() + PATIENCE;
    loop {
        let Ok(state) = watcher.state() else {
            continue;
        };
        if state.time_ns >= since_ns && state.force_n == [0.0; 3] {
            return Duration::from_nanos(state.time_ns - since_ns);
        }
        assert!(Instant::now() < end, "force stays: {state:?}");
        std::thread::yield_now();
    }
}

/// `ipc.max_lease_ms`: the force of an application that hangs may stay on no longer. It asked for
/// 200 ms, and the fade takes 50.
const LONGEST: Duration = Duration::from_secs(1);

fn report(what: &str, after: Duration) {
    println!("{what}: force was zero after {} ms", after.as_millis());
    assert!(after <= LONGEST, "{after:?}");
}

#[test]
fn the_state_comes_at_the_rate_that_was_asked_for() {
    let bench = Bench::new("state", "demo.toml");
    let mut client = bench.client();
    let arms = client.ask(request::ListArms {});
    assert!(
        matches!(&arms, Reply::Arms(arms) if arms.arms.0.len() == 1),
        "{arms:?}"
    );
    let subscribed = client.ask(request::Subscribe {
        arm: 0,
        topics: topic::ALL,
    });
    let Reply::Subscribed(subscribed) = subscribed else {
        panic!("{subscribed:?}")
    };
    let kinds: Vec<_> = subscribed.blocks.0.iter().map(|block| block.kind).collect();
    assert_eq!(
        kinds,
        [
            BlockKind::State,
            BlockKind::Contacts,
            BlockKind::Bodies,
            BlockKind::Wake,
            BlockKind::Needle
        ]
    );
    assert!(matches!(client.set_rates(50, 0), Reply::Done(_)));
    let mut ticks = Vec::new();
    let mut lists = 0;
    while ticks.len() < 50 {
        let (value, words) = client.value();
        match value.kind {
            BlockKind::State => ticks.push(state(&words).tick),
            BlockKind::Needle => assert_eq!(words.len(), NeedleState::WORDS),
            kind => {
                let element = match kind {
                    BlockKind::Contacts => Contact::WORDS,
                    _ => BodyState::WORDS,
                };
                assert_eq!(words.len(), 3 + element * words[2] as usize);
                lists += 1;
            }
        }
    }
    assert!(ticks.windows(2).all(|two| two[0] < two[1]), "{ticks:?}");
    // A tick is a millisecond, and no value comes earlier than half a period after the one before.
    assert!(ticks[49] - ticks[0] >= 49 * 10, "{ticks:?}");
    assert!(lists > 0);
}

#[test]
fn a_cut_cable_leaves_no_force_after_the_lease() {
    let bench = Bench::pressing("cable");
    let proxy = Proxy::new(bench.address);
    let upgrade = Upgrade::new(bench.address, &bench.token);
    let mut client = Client::upgrade(proxy.address, &upgrade);
    client.ask(request::Hello::new(name("cable")));
    press(&mut client);
    let watcher = bench.direct("watcher").subscribe(0, topic::STATE).unwrap();
    proxy.cut();
    let cut_ns = now_ns();
    report("cut cable", zero_after(&watcher, cut_ns));
    // Neither end knows: no socket was closed.
    assert!(!bench.gateway_log().contains("gone"));
}

#[test]
fn a_page_that_hangs_leaves_no_force_after_the_lease() {
    let bench = Bench::pressing("hangs");
    let mut client = bench.client();
    press(&mut client);
    let watcher = bench.direct("watcher").subscribe(0, topic::STATE).unwrap();
    let hung_ns = now_ns();
    // It still reads and answers pings, as a browser does for a page that computes; and it asks
    // the gateway for other rates, which is no sign of life.
    let mut zero = None;
    while zero.is_none() {
        let _ = client.set_rates(50, 0);
        client
            .socket
            .send(tungstenite::Message::Ping(Default::default()))
            .unwrap();
        let (value, words) = client.value();
        let state = state(&words);
        if value.kind == BlockKind::State && state.force_n == [0.0; 3] && state.time_ns > hung_ns {
            zero = Some(Duration::from_nanos(state.time_ns - hung_ns));
        }
        assert!(now_ns() < hung_ns + 60_000_000_000, "force stays");
    }
    report("hung page", zero.unwrap());
    assert_eq!(watcher.state().unwrap().force_n, [0.0; 3]);
}

#[test]
fn a_page_or_gateway_that_dies_leaves_no_force() {
    for what in ["page", "gateway"] {
        let bench = Bench::pressing(what);
        let mut client = bench.client();
        press(&mut client);
        let watcher = bench.direct("watcher").subscribe(0, topic::STATE).unwrap();
        let died_ns = now_ns();
        if what == "page" {
            drop(client);
        } else {
            bench.gateway.signal("KILL");
        }
        report(&format!("{what} dies"), zero_after(&watcher, died_ns));
    }
}

#[test]
fn refusals_of_the_daemon_come_through_with_code_numbers_and_text() {
    let bench = Bench::new("refusals", "demo.toml");
    let mut client = bench.client();
    let refused = |reply: Reply| match reply {
        Reply::Error(error) => error,
        other => panic!("not refused: {other:?}"),
    };
    let error = refused(client.ask(request::Hello::new(name("again"))));
    assert_eq!(error.code, ErrorCode::OutOfOrder);
    let error = refused(client.ask(request::GetStatus {}));
    assert_eq!(error.code, ErrorCode::TechnicianOnly);
    let error = refused(client.ask(request::Shutdown {}));
    assert_eq!(error.code, ErrorCode::TechnicianOnly);
    let error = refused(client.ask(request::RemoveBody { body: 4711 }));
    assert_eq!((error.code, error.number), (ErrorCode::NoSuchBody, 4711));
    let error = refused(client.ask(request::RenewLeases { lease_ms: 5000 }));
    assert_eq!(
        (error.code, error.number, error.limit),
        (ErrorCode::OutOfRange, 5000, 1000)
    );
    assert!(!error.detail.as_str().is_empty());
    // A mesh that is none; one without its bytes; a kind that only the gateway has.
    let mut damaged = plate(500);
    damaged[184] = 0;
    client.send_bytes(damaged);
    assert_eq!(refused(client.answer(500)).code, ErrorCode::InvalidMesh);
    client.send_bytes(plate(501)[..184].to_vec());
    assert_eq!(refused(client.answer(501)).code, ErrorCode::InvalidMesh);
    client.send_bytes(plate(502));
    assert!(matches!(client.answer(502), Reply::BodyAdded(_)));
}

/// On its own sockets the daemon has no message of the gateway.
#[test]
fn the_daemon_refuses_the_gateways_kinds_as_unknown() {
    use hapticd_protocol::gateway::{GatewayRequest, SetPushRates};
    use hapticd_sys::{
        socket::{Connection, ReceiveError},
        wake::{Interest, wait},
    };
    use std::os::fd::AsFd;
    let bench = Bench::new("kinds", "demo.toml");
    for socket in ["app.sock", "technician.sock"] {
        let connection = Connection::connect(&bench.socket.with_file_name(socket)).unwrap();
        let answer = || {
            let mut buffer = [0; 4096];
            loop {
                match connection.receive(&mut buffer) {
                    Ok(received) => {
                        return Reply::decode(&buffer[..received.length], 0).unwrap();
                    }
                    Err(ReceiveError::WouldBlock) => {
                        wait(&[(connection.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        };
        let hello = Request::from(request::Hello::new(name("kinds")));
        connection.send(&hello.encode(1), &[]).unwrap();
        assert!(matches!(answer(), (1, Reply::Welcome(_))));
        let rates = GatewayRequest::from(SetPushRates {
            state_hz: 1,
            surface_hz: 0,
        });
        for (id, kind) in [(2, 0x0301_u16), (3, 0x03ff), (4, 0x8301)] {
            let mut packet = rates.encode(id);
            packet[..2].copy_from_slice(&kind.to_le_bytes());
            connection.send(&packet, &[]).unwrap();
            let (answered, Reply::Error(error)) = answer() else {
                panic!("not refused")
            };
            assert_eq!((answered, error.code), (id, ErrorCode::Malformed));
            assert_eq!(error.request, kind);
        }
    }
}

#[test]
fn shapes_surfaces_and_skins_come_inline() {
    let bench = Bench::new("shapes", "demo.toml");
    let mut client = bench.client();
    let tool = hapticd_client::tool_id(0);
    let own = bench.direct("own").shape(tool).unwrap();
    assert!(matches!(
        client.ask(request::OpenShape { body: tool }),
        Reply::Shape(_)
    ));
    let Came::Pushed(GatewayMessage::ShapeFile(head), bytes) = client.next() else {
        panic!("no shape")
    };
    assert_eq!((head.body, head.bytes as usize), (tool, bytes.len()));
    assert_eq!(Mesh::decode(&bytes).unwrap(), own);
    for (configuration, kind) in [
        ("cloth.toml", BlockKind::Surface),
        ("coil.toml", BlockKind::Skin),
    ] {
        let bench = Bench::new(configuration, configuration);
        let mut client = bench.client();
        let mut direct = bench.direct("own");
        let bodies = direct.bodies().unwrap();
        let is_it = |body: &&hapticd_client::BodyInfo| match kind {
            BlockKind::Surface => body.kind.has_surface(),
            _ => body.kind.has_skin(),
        };
        let body = bodies.iter().find(is_it).unwrap().body;
        if kind == BlockKind::Surface {
            let own = direct.surface(body).unwrap();
            client.ask(request::OpenSurface { body });
            let Came::Pushed(GatewayMessage::SurfaceTriangles(head), bytes) = client.next() else {
                panic!("no triangles")
            };
            assert_eq!(head.points as usize, own.points());
            let corners = own
                .triangles()
                .iter()
                .flatten()
                .flat_map(|corner| corner.to_le_bytes());
            assert!(corners.eq(bytes));
        } else {
            client.ask(request::OpenSkin { body });
        }
        client.set_rates(0, 30);
        let (first, _) = client.value();
        let (later, words) = client.value();
        assert_eq!((first.kind, first.body, later.body), (kind, body, body));
        assert!(later.version > first.version && words.len() > 100);
    }
}

#[test]
fn the_token_file_goes_with_the_gateway_and_each_start_has_its_own_token() {
    let mut bench = Bench::new("token", "demo.toml");
    let file = bench.socket.with_file_name("gateway.token");
    bench.gateway.signal("TERM");
    assert!(bench.gateway.0.wait().unwrap().success());
    assert!(!file.exists());
    let log = File::create(bench.folder.join("again.log")).unwrap();
    let (gateway, address, token) = gateway(&bench.socket, log);
    assert_ne!(token, bench.token);
    let old = kit::exchange(address, &Upgrade::new(address, &bench.token).text());
    assert!(old.starts_with("HTTP/1.1 401 "), "{old}");
    drop(Client::greet(address, &token));
    bench.gateway = gateway;
}

/// A generator that gives the same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// A message that is whole, damaged or made up.
fn strange(random: &mut Random) -> Vec<u8> {
    let body = random.below(4) as u32;
    let mut bytes = match random.below(9) {
        0 => plate(1),
        1 => Request::from(request::Subscribe {
            arm: body as u8,
            topics: 31,
        })
        .encode(2),
        2 => Request::from(request::OpenShape {
            body: body.wrapping_sub(1),
        })
        .encode(3),
        3 => Request::from(request::ListBodies { skip: body }).encode(4),
        4 => Request::from(request::HaltBody { body }).encode(5),
        5 => Request::from(request::SetFocus { focused: body > 1 }).encode(6),
        6 => Request::from(request::OpenSurface { body }).encode(7),
        7 => Request::from(request::RemoveBody { body }).encode(8),
        _ => (0..random.below(300))
            .map(|_| random.below(256) as u8)
            .collect(),
    };
    for _ in 0..random.below(4) {
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
    }
    if random.below(20) == 0 {
        bytes.truncate(random.below(bytes.len() + 1));
    }
    bytes
}

/// One thread of the flood: connects, sends until it is closed, and connects again.
fn flood(address: SocketAddr, token: &str, seed: u64, messages: usize) -> usize {
    let mut random = Random(seed);
    let (mut sent, mut closed) = (0, 0);
    while sent < messages {
        let upgrade = Upgrade::new(address, token);
        let mut client = match Client::try_over(kit::connect(address), &upgrade) {
            Ok(client) => client,
            // The gateway has not seen yet that clients before this one have left.
            Err(refusal) => {
                assert!(refusal.starts_with("HTTP/1.1 503 "), "{refusal}");
                continue;
            }
        };
        client.send(request::Hello::new(name("flood")));
        client.socket.get_ref().set_nonblocking(true).unwrap();
        for _ in 0..2 * GATEWAY_REQUESTS_PER_S {
            sent += 1;
            let message = tungstenite::Message::binary(strange(&mut random));
            let is_open = |result: Result<(), tungstenite::Error>| match result {
                Ok(()) => true,
                Err(tungstenite::Error::Io(error)) => {
                    error.kind() == std::io::ErrorKind::WouldBlock
                }
                Err(_) => false,
            };
            let open = is_open(client.socket.send(message));
            // Reads now and then only.
            let read = random.below(3) > 0 || is_open(client.socket.read().map(|_| ()));
            if !open || !read {
                break;
            }
        }
        closed += 1;
    }
    closed
}

#[test]
fn a_hundred_thousand_strange_messages_cost_no_period() {
    const THREADS: usize = 4;
    let messages = 100_000 / THREADS;
    let bench = Bench::new("flood", "demo.toml");
    let watcher = bench.direct("watcher").subscribe(0, topic::STATE).unwrap();
    let end = Instant::now() + PATIENCE;
    while watcher.state_version() < 1000 {
        assert!(Instant::now() < end);
        std::thread::yield_now();
    }
    let start = watcher.state().unwrap();
    let closed: usize = std::thread::scope(|scope| {
        let (address, token) = (bench.address, &bench.token);
        let threads: Vec<_> = (0..THREADS)
            .map(|seed| scope.spawn(move || flood(address, token, 7 + seed as u64, messages)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    let flooded = watcher.state().unwrap();
    let ticks = flooded.tick - start.tick;
    // The same time without.
    while watcher.state().map_or(0, |state| state.tick) < flooded.tick + ticks {
        std::thread::sleep(Duration::from_millis(10));
    }
    let quiet = watcher.state().unwrap();
    let (with, without) = (
        flooded.missed_ticks - start.missed_ticks,
        quiet.missed_ticks - flooded.missed_ticks,
    );
    println!(
        "100000 messages in {ticks} ticks over {closed} connections: {with} periods missed, \
         {without} in as many ticks without"
    );
    let log = bench.gateway_log();
    assert!(!log.contains("panicked"), "{log}");
    // Both serve on.
    let mut client = bench.client();
    assert!(matches!(client.ask(request::ListArms {}), Reply::Arms(_)));
    // What a shared machine costs by itself differs from second to second: one tick in a hundred.
    assert!(
        with <= without + ticks / 100,
        "{with} missed, {without} without"
    );
}
