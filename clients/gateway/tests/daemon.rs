//! The gateway's program between a client and a real daemon, in real time. `HAPTICD` is the daemon's
//! program; `clients/gateway/check` runs these tests, and nothing else does.

#![allow(unused_imports, dead_code)]
mod kit;

use hapticd_protocol::{
    block::ArmState,
    event::Event,
    frame::Message as _,
    gateway::GatewayMessage,
    mesh::{Mesh, Precision},
    reply::{BlockKind, ErrorCode, Reply},
    request::{self, BodyKind, topic},
    text::Name,
    wire::{NonNegative, Pose},
};
use kit::{Came, Client, PATIENCE};
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Instant,
};

/// Ends a program that was started here.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// A daemon of its own, and a gateway before it.
struct Rig {
    address: SocketAddr,
    token: String,
    socket: PathBuf,
    gateway: Program,
    daemon: Program,
    folder: PathBuf,
}

impl Rig {
    fn new(name: &str, configuration: &str) -> Self {
        let hapticd = std::env::var_os("HAPTICD").expect("HAPTICD is the daemon's program");
        let folder = std::env::temp_dir().join(format!("hapticd-gw-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let daemon = Command::new(hapticd)
            .arg("run")
            .arg(root.join("config").join(configuration))
            .arg("--plain")
            .env("XDG_RUNTIME_DIR", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let daemon = Program(daemon);
        let socket = folder.join("hapticd/app.sock");
        let end = Instant::now() + PATIENCE;
        while std::os::unix::net::UnixStream::connect(&socket).is_err() && !socket.exists() {
            assert!(
                Instant::now() < end,
                "no daemon: {}",
                folder.join("log").display()
            );
            std::thread::yield_now();
        }
        let (gateway, address, token) = gateway(&socket);
        Self {
            address,
            token,
            socket,
            gateway,
            daemon,
            folder,
        }
    }

    fn client(&self) -> Client {
        Client::greet(self.address, &self.token)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Starts the gateway's program; returns it with its address and token.
fn gateway(socket: &Path) -> (Program, SocketAddr, String) {
    let mut gateway = Command::new(env!("CARGO_BIN_EXE_hapticd-gateway"))
        .args(["--listen", "127.0.0.1:0", "--socket"])
        .arg(socket)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(gateway.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let (url, token) = first.split_once("/#token=").unwrap();
    let address = url.strip_prefix("http://").unwrap().parse().unwrap();
    // The second line says that the file is written.
    lines.next().unwrap().unwrap();
    let file = std::fs::read_to_string(socket.with_file_name("gateway.token")).unwrap();
    assert_eq!(file, format!("ws://{address}/v1\n{token}\n"));
    (Program(gateway), address, token.to_owned())
}

fn state(words: &[u64]) -> ArmState {
    ArmState::from_words(words.try_into().unwrap())
}

#[test]
#[ignore = "clients/gateway/check runs it"]
fn the_state_comes_at_the_rate_that_was_asked_for() {
    let rig = Rig::new("state", "demo.toml");
    let mut client = rig.client();
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
            BlockKind::Wake
        ]
    );
    assert!(matches!(client.set_rates(50, 0), Reply::Done(_)));
    let mut ticks = Vec::new();
    let mut lists = 0;
    while ticks.len() < 50 {
        let (value, words) = client.value();
        match value.kind {
            BlockKind::State => ticks.push(state(&words).tick),
            _ => {
                assert_eq!(words.len(), 3 + 8 * words[2] as usize);
                lists += 1;
            }
        }
    }
    assert!(ticks.windows(2).all(|two| two[0] < two[1]), "{ticks:?}");
    // A tick is a millisecond, and no value comes earlier than half a period after the one before.
    assert!(ticks[49] - ticks[0] >= 49 * 10, "{ticks:?}");
    assert!(lists > 0);
}
