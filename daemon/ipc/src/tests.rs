//! The server with real sockets, real clients of the client crate, and a sink that remembers. No
//! time is measured: every wait ends with its event.

mod contact_events;
mod descriptors;
pub(crate) mod hanging;
mod limits_in_force;
mod loop_events;
mod shapes_of_bodies;
mod skins_of_bodies;
mod surfaces_of_bodies;
mod versions;

use super::{
    Answer, BodyRecord, ClientId, Command, CommandSink, Endpoint, Expulsion, GoneWhy, Handle,
    LoopEvents, Notice, Quotas, Server, ServerSetup, blocks,
    server::StatusText,
    shapes::ShapeFile,
    skins::{self, SkinInfo, SkinWriter},
    surfaces::{self, SurfaceInfo, SurfaceWriter},
};
use crossbeam::channel::{Receiver, Sender, unbounded};
use hapticd_client::{
    ArmState, BodyKind, BodySpec, Client, ConnectError, ErrorCode, Event, Mesh, Notification, Pose,
    RequestError, topic,
};
use hapticd_devices::safety::Limits;
use hapticd_geometry::{TriMesh, Vec3, shapes};
use hapticd_loop::contact_events::ContactFeed;
use hapticd_loop::events::EventFeed;
use hapticd_protocol::{
    frame::Message,
    reply::{ArmInfo, RefusalReason, Reply},
    request::{self, Request},
    text::Name,
    wire::Limit,
};
use hapticd_proxy::tool_id;
use hapticd_sys::{
    sealed_file::create_sealed,
    socket::{Connection, ReceiveError},
    wake::{Interest, Wake, wait},
};
use std::{
    os::fd::AsFd,
    path::PathBuf,
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};

/// "For ever": a test that fails this way hangs visibly instead of racing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Quotas under which no client falls silent while a slow machine runs the test.
fn patient() -> Quotas {
    Quotas {
        lease_ms: 600_000,
        ..Quotas::default()
    }
}

/// Remembers commands, and adds bodies under rising ids.
struct Scene {
    commands: Sender<Command>,
    full: Receiver<bool>,
    is_full: bool,
    /// Limits that the loop reports for every arm.
    limits: Option<Limits>,
}

impl CommandSink for Scene {
    fn submit(&mut self, command: Command) -> Result<(), Box<Command>> {
        if let Ok(full) = self.full.try_recv() {
            self.is_full = full;
        }
        if self.is_full {
            return Err(Box::new(command));
        }
        self.commands
            .send(command)
            .map_err(|error| Box::new(error.into_inner()))
    }

    fn limits_in_force(&mut self, _: u8) -> Option<Limits> {
        self.limits
    }
}

/// The tool of arm 0.
fn tool() -> TriMesh {
    shapes::cuboid(&Vec3::new(0.01, 0.02, 0.03)).unwrap()
}

struct Fixture {
    folder: PathBuf,
    handle: Handle,
    commands: Receiver<Command>,
    set_full: Sender<bool>,
    /// Holding it blocks the server, as soon as a client has requested the status.
    gate: Arc<Mutex<()>>,
    at_gate: Receiver<()>,
    writers: blocks::BlockWriters,
    surfaces: Vec<SurfaceWriter>,
    skins: Vec<SkinWriter>,
    /// Source of the haptic loop's events.
    events: Mutex<EventFeed>,
    contact_events: Mutex<ContactFeed>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Fixture {
    fn new(name: &str, quotas: Quotas) -> Self {
        Self::with_surfaces(name, quotas, &[])
    }

    fn with_surfaces(name: &str, quotas: Quotas, infos: &[SurfaceInfo]) -> Self {
        Self::with_shown(name, quotas, infos, &[])
    }

    fn with_shown(
        name: &str,
        quotas: Quotas,
        infos: &[SurfaceInfo],
        skin_infos: &[SkinInfo],
    ) -> Self {
        Self::with_all(name, quotas, infos, skin_infos, None)
    }

    /// Makes a fixture with a loop that keeps these limits.
    fn with_limits(name: &str, limits: Limits) -> Self {
        Self::with_all(name, patient(), &[], &[], Some(limits))
    }

    fn with_all(
        name: &str,
        quotas: Quotas,
        infos: &[SurfaceInfo],
        skin_infos: &[SkinInfo],
        limits: Option<Limits>,
    ) -> Self {
        let folder =
            std::env::temp_dir().join(format!("hapticd-ipc-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let (commands_in, commands) = unbounded();
        let (set_full, full) = unbounded();
        let (writers, block_fds) = blocks::create(&[0]).unwrap();
        let (surfaces, surface_fds) = surfaces::create(infos).unwrap();
        let (skins, skin_fds) = skins::create(skin_infos).unwrap();
        let endpoint = |file: &str| Endpoint {
            path: folder.join(file),
            mode: 0o600,
        };
        let (came_to_gate, at_gate) = unbounded();
        let gate = Arc::new(Mutex::new(()));
        let held_by = gate.clone();
        let status: StatusText = Box::new(move |status| {
            let _ = came_to_gate.send(());
            drop(held_by.lock());
            let names: Vec<&str> = status
                .clients
                .iter()
                .filter_map(|client| client.name.as_deref())
                .collect();
            let (oversize, to_close) = (status.oversize, status.closer.waiting);
            format!(r#"{{"clients":{names:?},"oversize":{oversize},"to_close":{to_close}}}"#)
        });
        let (events, loop_events, _) = EventFeed::new();
        let (contact_events, loop_contacts) = ContactFeed::new();
        let (server, handle) = Server::bind(ServerSetup {
            app: endpoint("app.sock"),
            technician: endpoint("technician.sock"),
            quotas,
            arms: vec![arm()],
            bodies: (infos.iter().map(record))
                .chain(skin_infos.iter().map(skin_record))
                .collect(),
            planar: false,
            blocks: block_fds,
            surfaces: surface_fds,
            skins: skin_fds,
            shapes: vec![(tool_id(0), ShapeFile::new(&tool()).unwrap())],
            status,
            sink: Box::new(Scene {
                commands: commands_in,
                full,
                is_full: false,
                limits,
            }),
            events: LoopEvents::new(loop_events, loop_contacts),
            wake: Wake::new().unwrap(),
        })
        .unwrap();
        let thread = thread::spawn(move || server.run());
        Self {
            folder,
            handle,
            commands,
            set_full,
            gate,
            at_gate,
            writers,
            surfaces,
            skins,
            events: Mutex::new(events),
            contact_events: Mutex::new(contact_events),
            thread: Some(thread),
        }
    }

    fn client(&self, name: &str) -> Client {
        Client::connect_to(&self.folder.join("app.sock"), name).unwrap()
    }

    fn technician(&self) -> Client {
        Client::connect_to(&self.folder.join("technician.sock"), "technician").unwrap()
    }

    /// A connection that can send anything.
    fn raw(&self) -> Connection {
        Connection::connect(&self.folder.join("app.sock")).unwrap()
    }

    /// Runs `work` while the server is blocked.
    fn held<T>(&self, work: impl FnOnce() -> T) -> T {
        let technician = self.folder.join("technician.sock");
        let technician = Connection::connect(&technician).unwrap();
        while self.at_gate.try_recv().is_ok() {}
        let gate = self.gate.lock().unwrap();
        technician.send(&hello(), &[]).unwrap();
        let ask = Request::from(request::GetStatus {}).encode(2);
        technician.send(&ask, &[]).unwrap();
        self.at_gate.recv_timeout(PATIENCE).unwrap();
        let done = work();
        drop(gate);
        done
    }

    fn command(&self) -> Command {
        self.commands.recv_timeout(PATIENCE).expect("a command")
    }

    fn expect_gone(&self, client: u32) -> (GoneWhy, Vec<u32>) {
        loop {
            if let Command::Gone {
                client: ClientId(gone),
                why,
                bodies,
            } = self.command()
                && gone == client
            {
                return (why, bodies);
            }
        }
    }

    /// Answers the next addition of a body.
    fn add_next(&self, body: u32) {
        let token = loop {
            match self.command() {
                Command::AddBody { token, .. } => break token,
                // A client that requested the status and left.
                Command::Gone { bodies, .. } if bodies.is_empty() => {}
                _ => panic!("not an addition"),
            }
        };
        let answer = Answer::Added { body };
        self.handle.notify(Notice::Answer { token, answer });
    }

    /// Adds a body for a client, with all steps.
    fn add(&self, client: &mut Client, body: u32) {
        thread::scope(|scope| {
            scope.spawn(|| self.add_next(body));
            assert_eq!(client.add_body(&spec("cube"), &cube()).unwrap(), body);
        });
    }

    fn stop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.stop();
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

fn skin_record(info: &SkinInfo) -> BodyRecord {
    BodyRecord {
        body: info.id,
        name: Name::new(&info.name).unwrap(),
        kind: BodyKind::Implicit,
        triangles: info.triangles,
    }
}

fn record(info: &SurfaceInfo) -> BodyRecord {
    BodyRecord {
        body: info.id,
        name: Name::new(&info.name).unwrap(),
        kind: info.kind.wire(),
        triangles: info.triangles.len() as u32,
    }
}

fn arm() -> ArmInfo {
    ArmInfo {
        name: Name::new("arm").unwrap(),
        world_from_base: Pose::IDENTITY,
        scale: 1.0,
        workspace_center_m: [0.0; 3],
        workspace_half_extents_m: [0.1; 3],
        peak_force_n: Limit(8.0),
        continuous_force_n: Limit(3.0),
        peak_torque_nm: Limit(0.0),
        tool_radius_m: 0.005,
        period_ns: 1_000_000,
        sensed_dof: 3,
        actuated_dof: 3,
        index: 0,
        attached: true,
    }
}

fn spec(name: &str) -> BodySpec<'_> {
    BodySpec {
        name,
        kind: BodyKind::Kinematic,
        solid: true,
        world_from_body: Pose::IDENTITY,
        stiffness_n_per_m: 500.0,
        damping_n_s_per_m: 1.0,
        friction: 0.0,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

fn cube() -> Mesh {
    let mesh = shapes::cuboid(&Vec3::repeat(0.05)).unwrap();
    Mesh {
        positions: mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: mesh.triangles().to_vec(),
    }
}

fn refusal(error: RequestError) -> ErrorCode {
    match error {
        RequestError::Refused(error) => error.code,
        other => panic!("not refused: {other}"),
    }
}

/// Waits until the peer has closed, reading everything it still sends.
fn read_until_closed(connection: &Connection) -> usize {
    let mut packets = 0;
    loop {
        match connection.receive(&mut [0; 4096]) {
            Ok(_) => packets += 1,
            Err(ReceiveError::WouldBlock) => {
                wait(&[(connection.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
            }
            Err(ReceiveError::Closed) => return packets,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_client_sees_what_the_loop_writes() {
    let mut fixture = Fixture::new("state", patient());
    let mut client = fixture.client("viewer");
    assert_eq!(client.arms().unwrap(), [arm()]);
    let mut subscription = client
        .subscribe(
            0,
            topic::STATE | topic::CONTACTS | topic::BODIES | topic::WAKE,
        )
        .unwrap();
    assert_eq!(subscription.state_version(), 0);
    fixture.writers.arms[0].1.state.write(
        &ArmState {
            tick: 9,
            ..ArmState::EMPTY
        }
        .to_words(),
    );
    assert_eq!(subscription.state().unwrap().tick, 9);
    assert!(subscription.contacts().is_err(), "nothing published yet");
    assert!(
        subscription.wake().unwrap().wait(PATIENCE).unwrap(),
        "the relay rings"
    );
    assert_eq!(
        refusal(client.subscribe(1, topic::STATE).unwrap_err()),
        ErrorCode::NoSuchArm
    );
    fixture.stop();
    assert_eq!(
        subscription.state().unwrap().tick,
        9,
        "the last value stays"
    );
    assert!(matches!(client.arms(), Err(RequestError::Disconnected)));
}

#[test]
fn a_body_goes_from_the_clients_mesh_to_the_scene_and_leaves_with_the_client() {
    let fixture = Fixture::new("body", patient());
    let (mut client, mut other) = (fixture.client("app"), fixture.client("listener"));
    other.subscribe(0, topic::EVENTS).unwrap();
    fixture.add(&mut client, 7);
    let bodies = client.bodies().unwrap();
    assert_eq!(
        (bodies[0].body, bodies[0].triangles, bodies[0].owned),
        (7, 12, true)
    );
    client
        .post_body_pose(7, Pose::IDENTITY, 0.5, 10_000)
        .unwrap();
    assert!(matches!(
        fixture.command(),
        Command::MoveBody { body: 7, .. }
    ));
    let number = client.welcome().client;
    drop(client);
    assert_eq!(fixture.expect_gone(number), (GoneWhy::Closed, vec![7]));
    let mut events = Vec::new();
    while events.len() < 2 {
        if let Some(Notification::Event(event)) = other.poll(PATIENCE).unwrap() {
            events.push(event);
        }
    }
    assert!(
        matches!(&events[..], [Event::BodyJoined(joined), Event::BodyLeft(left)] if joined.body == 7 && left.body == 7)
    );
    assert_eq!(other.bodies().unwrap(), []);
}

#[test]
fn a_mesh_that_is_not_fit_is_refused_and_the_next_one_is_taken() {
    let fixture = Fixture::new(
        "mesh",
        Quotas {
            mesh_bytes: 2000,
            ..patient()
        },
    );
    let mut client = fixture.client("app");
    let mut open = cube();
    open.triangles.pop();
    let error = client.add_body(&spec("open"), &open).unwrap_err();
    assert!(error.to_string().contains("3 boundary edges"), "{error}");
    let mut large = cube();
    large.positions.resize(100, [0.0; 3]);
    assert_eq!(
        refusal(client.add_body(&spec("large"), &large).unwrap_err()),
        ErrorCode::MeshTooLarge
    );
    fixture.add(&mut client, 1);
}

#[test]
fn the_technician_gets_the_status_and_applications_do_not() {
    let fixture = Fixture::new("status", patient());
    let (mut app, mut technician) = (fixture.client("an app"), fixture.technician());
    assert_eq!(
        technician.status().unwrap(),
        r#"{"clients":["an app", "technician"],"oversize":0,"to_close":0}"#
    );
    assert_eq!(
        refusal(app.status().unwrap_err()),
        ErrorCode::TechnicianOnly
    );
    thread::scope(|scope| {
        let asking = scope.spawn(|| technician.clear_fault(0));
        let Command::ClearFault {
            token,
            arm: Some(0),
        } = fixture.command()
        else {
            panic!("not a clear of arm 0");
        };
        let answer = Answer::Done;
        fixture.handle.notify(Notice::Answer { token, answer });
        asking.join().unwrap().unwrap();
    });
}

#[test]
fn a_silent_client_is_told_of_and_comes_back_when_it_speaks() {
    let fixture = Fixture::new(
        "silent",
        Quotas {
            lease_ms: 50,
            ..patient()
        },
    );
    let mut client = fixture.client("app");
    fixture.add(&mut client, 3);
    // Sending nothing is enough.
    assert!(matches!(fixture.command(), Command::Silent { bodies, .. } if bodies == [3]));
    client.renew_leases(10_000).unwrap();
    assert!(matches!(fixture.command(), Command::Back { bodies, .. } if bodies == [3]));
}

#[test]
fn one_client_too_many_is_told_so_and_the_place_of_one_that_goes_is_free() {
    let fixture = Fixture::new(
        "many",
        Quotas {
            clients: 2,
            ..patient()
        },
    );
    let (first, second) = (fixture.client("1"), fixture.client("2"));
    let error = Client::connect_to(&fixture.folder.join("app.sock"), "3").unwrap_err();
    assert!(
        matches!(&error, ConnectError::Refused(refused) if refused.reason == RefusalReason::TooManyClients && refused.limit == 2),
        "{error}"
    );
    let number = first.welcome().client;
    first.close();
    assert_eq!(fixture.expect_gone(number).0, GoneWhy::Goodbye);
    fixture.client("3");
    drop(second);
}

#[test]
fn when_the_scene_is_full_motions_wait_and_what_takes_force_away_is_never_lost() {
    let fixture = Fixture::new("full", patient());
    let mut client = fixture.client("app");
    fixture.add(&mut client, 3);
    fixture.set_full.send(true).unwrap();
    for step in 0..50 {
        let pose = Pose {
            translation_m: [f64::from(step), 0.0, 0.0],
            ..Pose::IDENTITY
        };
        client.set_body_pose(3, pose, 1.0, 10_000).unwrap();
    }
    assert_eq!(
        refusal(client.add_body(&spec("more"), &cube()).unwrap_err()),
        ErrorCode::Busy
    );
    fixture.set_full.send(false).unwrap();
    let Command::MoveBody {
        world_from_body, ..
    } = fixture.command()
    else {
        panic!("not a motion")
    };
    assert_eq!(
        world_from_body.translation.vector.x, 49.0,
        "the newest only"
    );
    fixture.set_full.send(true).unwrap();
    client
        .set_body_pose(3, Pose::IDENTITY, 1.0, 10_000)
        .unwrap();
    let number = client.welcome().client;
    drop(client);
    fixture.set_full.send(false).unwrap();
    // Whether or not the motion got through before the end, none follows it.
    assert_eq!(fixture.expect_gone(number), (GoneWhy::Closed, vec![3]));
    assert!(fixture.commands.is_empty());
}

#[test]
fn a_daemon_that_ends_tells_its_clients_and_removes_its_sockets() {
    let mut fixture = Fixture::new("end", patient());
    let mut client = fixture.client("app");
    client.subscribe(0, topic::EVENTS).unwrap();
    fixture.add(&mut client, 3);
    fixture.stop();
    let mut last = None;
    while let Ok(Some(news)) = client.poll(PATIENCE) {
        last = Some(news);
    }
    assert!(
        matches!(
            last,
            Some(Notification::Event(
                Event::BodyLeft(_) | Event::ShuttingDown(_)
            ))
        ),
        "{last:?}"
    );
    assert_eq!(
        fixture.expect_gone(client.welcome().client),
        (GoneWhy::ShuttingDown, vec![3])
    );
    assert!(
        !fixture.folder.join("app.sock").exists()
            && !fixture.folder.join("technician.sock").exists()
    );
}

// --- hostile clients

fn hello() -> Vec<u8> {
    Request::from(request::Hello::new(Name::new("raw").unwrap())).encode(1)
}

#[test]
fn garbage_instead_of_a_hello_costs_the_connection_only() {
    let fixture = Fixture::new("garbage", patient());
    let raw = fixture.raw();
    raw.send(&[0xff; 3000], &[]).unwrap();
    assert_eq!(read_until_closed(&raw), 1, "one refusal");
    fixture.client("after").arms().unwrap();
}

#[test]
fn oversized_packets_and_unasked_descriptors_are_refused_and_nothing_leaks() {
    let fixture = Fixture::new("oversize", patient());
    let raw = fixture.raw();
    raw.send(&hello(), &[]).unwrap();
    let open_files = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut buffer = [0; 4096];
    let mut answer = || {
        wait(&[(raw.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
        let received = raw.receive(&mut buffer).unwrap();
        assert!(received.fds.is_empty());
        Reply::decode(&buffer[..received.length], 0).unwrap()
    };
    let refused = |(id, reply): (u64, Reply)| match reply {
        Reply::Error(error) => (id, error.code, error.limit, error.detail.to_string()),
        other => panic!("{other:?}"),
    };
    assert!(matches!(answer(), (1, Reply::Welcome(_))));
    let file = create_sealed("hapticd-test", b"x").unwrap();
    let list = Request::from(request::ListArms {}).encode(2);
    // One byte too long, and far too long.
    for bytes in [4097, 60_000].repeat(50) {
        raw.send(&vec![1; bytes], &[file.as_fd(); 8]).unwrap();
        let says = "a message has at most 4096 bytes and 8 descriptors".to_owned();
        assert_eq!(refused(answer()), (0, ErrorCode::Malformed, 4096, says));
        raw.send(&list, &[file.as_fd(); 8]).unwrap();
        let (id, code, ..) = refused(answer());
        assert_eq!((id, code), (2, ErrorCode::Malformed));
    }
    // Other tests of this process open and close files too; 1600 leaked ones would show.
    assert!(open_files() < 800, "{}", open_files());
    raw.send(&list, &[]).unwrap();
    assert!(matches!(answer(), (2, Reply::Arms(_))));
    let status = fixture.technician().status().unwrap();
    assert!(status.contains("\"oversize\":100"), "{status}");
}

#[test]
fn a_client_that_never_reads_is_closed_and_the_others_are_served() {
    let fixture = Fixture::new(
        "slow",
        Quotas {
            messages_per_s: 1_000_000,
            ..patient()
        },
    );
    let mut other = fixture.client("other");
    let raw = fixture.raw();
    raw.send(&hello(), &[]).unwrap();
    let list = Request::from(request::ListArms {}).encode(2);
    // Until the server closes it: first the kernel's queue fills with answers, then the server's.
    loop {
        match raw.send(&list, &[]) {
            Ok(()) => {}
            Err(hapticd_sys::socket::SendError::WouldBlock) => thread::yield_now(),
            Err(_) => break,
        }
    }
    other.arms().unwrap();
    let waiting = super::outbox::MAX_REPLIES;
    let why = Expulsion::UnreadAnswers { waiting };
    assert_eq!(fixture.expect_gone(2).0, GoneWhy::Expelled(why));
}

#[test]
fn a_flood_is_closed_and_the_others_are_served() {
    let fixture = Fixture::new(
        "flood",
        Quotas {
            messages_per_s: 100,
            ..patient()
        },
    );
    let mut other = fixture.client("other");
    let raw = fixture.raw();
    raw.send(&hello(), &[]).unwrap();
    let list = Request::from(request::ListArms {}).encode(2);
    while raw.send(&list, &[]).is_ok() {
        // Read the answers, so that the flood is the cause of closing.
        let _ = raw.receive(&mut [0; 4096]);
    }
    other.arms().unwrap();
    let why = Expulsion::Flood { per_s: 100 };
    assert_eq!(fixture.expect_gone(2).0, GoneWhy::Expelled(why));
}

#[test]
fn hundreds_of_connections_come_and_go_and_nothing_is_left() {
    let fixture = Fixture::new(
        "connections",
        Quotas {
            clients: 8,
            ..patient()
        },
    );
    for _ in 0..300 {
        let raw = loop {
            // The listener's queue may be full for a moment.
            match Connection::connect(&fixture.folder.join("app.sock")) {
                Ok(raw) => break raw,
                Err(_) => thread::yield_now(),
            }
        };
        let _ = raw.send(&hello(), &[]);
    }
    let client = Client::connect_until(&fixture.folder.join("app.sock"), "after", PATIENCE);
    // The ends of up to eight of the three hundred may not have been noticed yet.
    if let Ok(mut client) = client {
        client.arms().unwrap();
    }
}

#[test]
fn a_descriptor_without_a_mesh_is_refused() {
    let fixture = Fixture::new("descriptor", patient());
    let raw = fixture.raw();
    raw.send(&hello(), &[]).unwrap();
    let add = request::AddBody {
        name: Name::new("x").unwrap(),
        world_from_body: Pose::IDENTITY,
        stiffness_n_per_m: hapticd_protocol::wire::NonNegative(1.0),
        damping_n_s_per_m: hapticd_protocol::wire::NonNegative(1.0),
        friction: hapticd_protocol::wire::NonNegative(0.0),
        restitution: hapticd_protocol::wire::NonNegative(0.0),
        density_kg_m3: hapticd_protocol::wire::NonNegative(1000.0),
        kind: BodyKind::Static,
        solid: false,
    };
    let folder = std::fs::File::open("/").unwrap();
    let (pipe, _pipe) = std::io::pipe().unwrap();
    let mut buffer = [0; 4096];
    for fd in [folder.as_fd(), pipe.as_fd(), raw.as_fd()] {
        raw.send(&Request::from(add.clone()).encode(5), &[fd])
            .unwrap();
        loop {
            wait(&[(raw.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
            let received = raw.receive(&mut buffer).unwrap();
            let (id, reply) =
                Reply::decode(&buffer[..received.length], received.fds.len()).unwrap();
            if id == 5 {
                assert!(
                    matches!(reply, Reply::Error(error) if error.code == ErrorCode::InvalidDescriptor)
                );
                break;
            }
        }
    }
}
