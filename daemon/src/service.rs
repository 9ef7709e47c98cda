//! Connects the clients' server to the rest of the daemon: sets it up, carries out its commands,
//! and reports events to it.
//!
//! Commands for the scene go straight from the server's thread to the collision thread, and its
//! replies straight back (`Dispatch`). Commands about force, or about the end of the run, go
//! straight to the loop. A reload waits for the next round of the supervisor. Nothing here is
//! real-time, and the haptic loop waits for none of it.

mod dispatch;
pub mod status;

use std::borrow::Cow;
use std::path::PathBuf;

use hapticd_config as config;
use hapticd_devices::safety::Limits;
use hapticd_geometry::TriMesh;
use hapticd_protocol::event::{self, Event};
use hapticd_protocol::reply::ArmInfo;
use hapticd_protocol::request::BodyKind as WireKind;
use hapticd_protocol::socket_folder;
use hapticd_protocol::text::{NAME_BYTES, Name, Text};
use hapticd_protocol::wire::{Limit, Pose as WirePose};
use hapticd_proxy::MAX_ARMS;
use hapticd_scene::{BodyInfo, BodyKind};
use hapticd_sync::{delivery, latest, ring};
use hapticd_sys::{descriptors::raise_limit, folder, realtime::Step, wake::Wake};

use crate::priority;
use crate::session_setup::SessionArm;
pub(crate) use dispatch::Dispatch;
use hapticd_collision::command::SceneReply;
use hapticd_collision::requests::SceneRequests;
use hapticd_devices::arm::ArmSpec;
use hapticd_ipc as ipc;
use hapticd_ipc::publish::{BlockPublisher, NearestStructures};
use hapticd_ipc::restrictions::RestrictionQueue;
use hapticd_ipc::shapes::ShapeFile;
use hapticd_ipc::skins::{self, SkinInfo, SkinWriter};
use hapticd_ipc::surfaces::{self, SurfaceInfo, SurfaceWriter, SurfacesError};
use hapticd_ipc::{
    Answer, BodyRecord, Endpoint, Handle, LoopEvents, Notice, Quotas, Refusal, Server, ServerSetup,
    SetupError, blocks,
};
use hapticd_loop::contact_events::ContactEvent;
use hapticd_loop::core::ArmFrame;
use hapticd_loop::events::LoopEvent;
use hapticd_loop::limits::RestrictionsOwner;
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::BodyOrder;
use hapticd_loop::watchdog::Beat;
use hapticd_monitor::scribe::Live;
use hapticd_scene_setup as scene_setup;

/// Request of a client to the supervisor.
pub enum SupervisorRequest {
    /// Reload the configuration, then answer with this token.
    Reload(u64),
}

/// Requests the orderly end, as a signal does; the loop is the first to receive it. Never blocks.
pub type RequestStop = Box<dyn Fn() + Send>;

/// Writers that publish the shapes of bodies, in the order in which the bodies were announced.
#[derive(Debug, Default)]
pub struct Writers {
    /// For what watches the needles.
    pub near: Option<latest::Writer<NearestStructures>>,
    /// For the threads that simulate the bodies.
    pub surfaces: Vec<SurfaceWriter>,
    /// For the skin thread.
    pub skins: Vec<SkinWriter>,
}

/// Description of an arm for clients.
#[derive(Clone, Debug)]
pub struct ArmSummary {
    name: String,
    spec: ArmSpec,
    frame: ArmFrame,
    tool_radius_m: f64,
}

impl ArmSummary {
    /// Returns the description of an arm of the session.
    pub fn of(arm: &SessionArm) -> Self {
        ArmSummary {
            name: arm.name.clone(),
            spec: arm.spec.clone(),
            frame: arm.frame,
            tool_radius_m: arm.tool_radius_m,
        }
    }
}

/// The server's half of the session's channels. Its thread waits only for its sockets.
pub(crate) struct Links {
    /// Straight to the haptic loop: what clients restrict.
    pub(crate) restrictions: RestrictionsOwner,
    /// Straight to the haptic loop: bodies that it is to forget or to silence.
    pub(crate) gone: ring::Producer<BodyOrder>,
    /// Straight to the haptic loop: effects, grasps.
    pub(crate) orders: ring::Producer<LoopOrder>,
    /// To the collision thread and back.
    pub(crate) requests: SceneRequests,
    /// The collision thread wakes the server through it.
    pub(crate) wake: Wake,
    /// The newest status.
    pub(crate) live: latest::Reader<Live>,
    /// What happened in the loop.
    pub(crate) events: ring::Consumer<LoopEvent>,
    /// What was touched, and which buttons were pressed.
    pub(crate) contact_events: ring::Consumer<ContactEvent>,
}

/// What clients are told of the session when they connect.
#[derive(Clone, Copy)]
pub(crate) struct Announced<'a> {
    /// The arms.
    pub(crate) arms: &'a [ArmSummary],
    /// The rigid bodies.
    pub(crate) bodies: &'a [BodyInfo],
    /// Deformable bodies and needles.
    pub(crate) surfaces: &'a [SurfaceInfo],
    /// Implicit bodies.
    pub(crate) skins: &'a [SkinInfo],
    /// Shapes of rigid bodies and tools, by id.
    pub(crate) shapes: &'a [(u32, Cow<'a, TriMesh>)],
    /// Loop period.
    pub(crate) period_ns: u64,
}

impl Announced<'_> {
    fn arm_infos(&self) -> Vec<ArmInfo> {
        self.arms
            .iter()
            .zip(0u8..)
            .map(|(arm, index)| arm_info(arm, index, self.period_ns))
            .collect()
    }

    /// In the order in which clients are told: rigid bodies, surfaces, skins.
    fn body_records(&self) -> Vec<BodyRecord> {
        self.bodies
            .iter()
            .map(body_record)
            .chain(self.surfaces.iter().map(surface_record))
            .chain(self.skins.iter().map(skin_record))
            .collect()
    }
}

type ServerThread = std::thread::JoinHandle<std::io::Result<()>>;

/// The running server and what it needs from the supervisor.
pub struct Service {
    handle: Handle,
    thread: ServerThread,
    /// Requests of clients to the supervisor.
    pub supervisor_requests: delivery::Receiver<SupervisorRequest>,
    told_recording_stopped: bool,
    /// The priority that was refused to the server's thread.
    refused: Option<Step>,
}

impl Service {
    /// Binds the sockets and starts the server's thread. Also gives what the loop publishes
    /// through, and what the surfaces of the deformable bodies and the skins are published through,
    /// in the order in which they were announced.
    ///
    /// # Errors
    /// Sockets, memory or a thread that cannot be had; two bodies of one identity.
    pub(crate) fn start(
        config: &config::Config,
        announced: &Announced<'_>,
        links: Links,
        end: RequestStop,
    ) -> Result<(Self, BlockPublisher, Writers), SetupError> {
        let Announced {
            arms,
            surfaces,
            skins,
            period_ns,
            ..
        } = *announced;
        let (surface_writers, surface_fds) = surfaces::create(surfaces)?;
        let (skin_writers, skin_fds) = skins::create(skins)?;
        let ids = surfaces.iter().map(|surface| surface.id);
        let mut ids = ids.chain(skins.iter().map(|skin| skin.id));
        if let Some(id) = ids.find(|id| announced.bodies.iter().any(|body| body.id == *id)) {
            return Err(SurfacesError::IdTaken { id }.into());
        }
        let indices: Vec<u8> = (0..arms.len().min(MAX_ARMS) as u8).collect();
        let (writers, fds) =
            blocks::create(&indices).map_err(|e| SetupError::System(std::io::Error::other(e)))?;
        let mut frames = [None; MAX_ARMS];
        for (frame, arm) in frames.iter_mut().zip(arms) {
            *frame = Some(arm.frame);
        }
        let stale_ns = Limits::from(&config.safety).stale_contact_ns;
        let stale_ticks = u32::try_from(stale_ns / period_ns).unwrap_or(u32::MAX);
        let (near, near_out) = latest::latest(NearestStructures::default());
        let publisher = BlockPublisher::new(writers, frames, stale_ticks).with_near(near_out);
        // The server has a lower priority than the supervisor, which must not wait for it to hand
        // over a request.
        let (wishes_in, supervisor_requests) = delivery::delivery(64);
        let sink = Dispatch {
            requests: links.requests,
            gone: links.gone,
            orders: links.orders,
            supervisor_requests: wishes_in,
            end,
            restrictions: RestrictionQueue::new(links.restrictions),
            silent: Default::default(),
            silenced: Default::default(),
        };
        // Before the descriptor closer reads the limit.
        if let Err(error) = raise_limit() {
            tracing::warn!(%error, "the soft limit on descriptors stays as it is");
        }
        let [app, technician] = endpoints(&config.ipc)?;
        let sockets = format!("{}, {}", app.path.display(), technician.path.display());
        let mut live = links.live;
        let (server, handle) = Server::bind(ServerSetup {
            app,
            technician,
            quotas: Quotas::from(&config.ipc),
            arms: announced.arm_infos(),
            bodies: announced.body_records(),
            planar: scene_setup::planar::has_plane(config),
            blocks: fds,
            surfaces: surface_fds,
            skins: skin_fds,
            shapes: shape_files(announced.shapes)?,
            status: Box::new(move |server| status::json(server, live.read().0)),
            sink: Box::new(sink),
            events: LoopEvents::new(links.events, links.contact_events),
            wake: links.wake,
        })?;
        tracing::info!("sockets: {sockets}");
        let (thread, refused) = start_thread(server, config.haptic_loop.rt_priority)?;
        let service = Service {
            handle,
            thread,
            supervisor_requests,
            told_recording_stopped: false,
            refused,
        };
        let writers = Writers {
            near: Some(near),
            surfaces: surface_writers,
            skins: skin_writers,
        };
        Ok((service, publisher, writers))
    }

    /// Tells the clients, once, that the recording has stopped. Called a few dozen times a second.
    pub fn tell_recording_stopped(&mut self, live: &Live) {
        if self.told_recording_stopped {
            return;
        }
        let mut lines = live.events.iter();
        if let Some(line) = lines.find(|line| line.contains("recording stopped")) {
            self.told_recording_stopped = true;
            self.event(Event::RecordingStopped(event::RecordingStopped {
                detail: Text::lossy(line),
            }));
        }
    }

    /// Sends an event to all clients.
    pub fn event(&self, event: Event) {
        self.handle.notify(Notice::Event(event));
    }

    /// Answers a command.
    pub fn answer(&self, token: u64, answer: Answer) {
        self.handle.notify(Notice::Answer { token, answer });
    }

    /// Takes the priority that was refused to the server's thread; `None` after the first call.
    pub fn take_refused(&mut self) -> Option<Step> {
        self.refused.take()
    }

    /// Returns the heartbeat of the server.
    pub fn heartbeat(&self) -> Beat {
        self.handle.heartbeat()
    }

    /// Returns whether the server's thread has ended unexpectedly.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Notifies the clients, closes their connections and removes the sockets.
    pub fn stop(self) {
        // The server notifies the clients, once.
        self.handle.stop();
        match self.thread.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the client server failed"),
            Err(_) => tracing::error!("the client server panicked"),
        }
    }
}

/// Converts a reply of the collision thread for the server.
fn answer(reply: SceneReply) -> Answer {
    match reply {
        SceneReply::Added(body) => Answer::Added { body },
        SceneReply::Done => Answer::Done,
        SceneReply::AddRefused(error) => Answer::Refused(Refusal::from(&error)),
        SceneReply::Refused(error) => Answer::Refused(Refusal::from(&error)),
    }
}

/// Returns the applications' and the technician's socket: those of the configuration, else in the
/// first folder that is safe. It is looked for once, so that each warning comes once.
fn endpoints(keys: &config::Ipc) -> Result<[Endpoint; 2], SetupError> {
    let given = [&keys.app_socket, &keys.technician_socket];
    let names = [socket_folder::APP_SOCKET, socket_folder::TECHNICIAN_SOCKET];
    let folder = if given.iter().any(|path| path.is_none()) {
        let folders = socket_folder::of_daemon(|name| std::env::var_os(name), folder::user());
        ipc::folder_of(&folders)?
    } else {
        PathBuf::new()
    };
    Ok([0, 1].map(|i| Endpoint {
        path: given[i].clone().unwrap_or_else(|| folder.join(names[i])),
        mode: 0o600,
    }))
}

/// Starts the server's thread. Also returns the refused priority.
fn start_thread(server: Server, of_loop: u32) -> std::io::Result<(ServerThread, Option<Step>)> {
    let (tell, told) = std::sync::mpsc::channel();
    let thread = std::thread::Builder::new()
        .name("ipc".into())
        .spawn(move || {
            let refused = priority::request(of_loop, priority::IPC, "client thread niceness");
            // If nobody wants to know there is nobody to tell.
            let _ = tell.send(refused);
            server.run()
        })?;
    // It says so before anything else.
    Ok((thread, told.recv().ok().flatten()))
}

fn shape_files(shapes: &[(u32, Cow<'_, TriMesh>)]) -> Result<Vec<(u32, ShapeFile)>, SetupError> {
    let file = |(id, mesh): &(u32, Cow<'_, TriMesh>)| {
        let made = ShapeFile::new(mesh).map_err(|source| SetupError::Shape { id: *id, source });
        made.map(|file| (*id, file))
    };
    shapes.iter().map(file).collect()
}

/// The configuration admits only names that fit. Any other ends with a mark where it was cut.
fn name(text: &str) -> Name {
    let is_cut = || {
        let mut cut: String = text.chars().filter(|c| !c.is_control()).collect();
        cut.truncate(cut.floor_char_boundary(NAME_BYTES - 1 - "…".len()));
        Name::new(&(cut + "…"))
    };
    Name::new(text)
        .or_else(|_| is_cut())
        .unwrap_or_else(|_| unnamed())
}

fn unnamed() -> Name {
    Name::new("unnamed").unwrap_or_else(|_| unreachable!("seven letters are a name"))
}

pub(crate) fn arm_info(arm: &ArmSummary, index: u8, period_ns: u64) -> ArmInfo {
    let (t, q) = (
        arm.frame.world_from_base.translation.vector,
        arm.frame.world_from_base.rotation.coords,
    );
    ArmInfo {
        name: name(&arm.name),
        world_from_base: WirePose {
            translation_m: [t.x, t.y, t.z],
            rotation_xyzw: [q.x, q.y, q.z, q.w],
        },
        scale: arm.frame.scale,
        workspace_center_m: arm.spec.workspace.center.into(),
        workspace_half_extents_m: arm.spec.workspace.half_extents.into(),
        // The server asks the loop for the limits in each answer.
        peak_force_n: Limit(0.0),
        continuous_force_n: Limit(0.0),
        peak_torque_nm: Limit(0.0),
        tool_radius_m: arm.tool_radius_m,
        period_ns,
        sensed_dof: arm.spec.degrees_in,
        actuated_dof: arm.spec.degrees_out,
        index,
        attached: false,
    }
}

fn body_record(info: &BodyInfo) -> BodyRecord {
    BodyRecord {
        body: info.id,
        name: name(&info.name),
        kind: match info.kind {
            BodyKind::Static => WireKind::Static,
            BodyKind::Kinematic => WireKind::Kinematic,
            BodyKind::Dynamic => WireKind::Dynamic,
        },
        triangles: u32::try_from(info.triangles).unwrap_or(u32::MAX),
    }
}

fn surface_record(info: &SurfaceInfo) -> BodyRecord {
    BodyRecord {
        body: info.id,
        name: name(&info.name),
        kind: info.kind.wire(),
        triangles: u32::try_from(info.triangles.len()).unwrap_or(u32::MAX),
    }
}

fn skin_record(info: &SkinInfo) -> BodyRecord {
    BodyRecord {
        body: info.id,
        name: name(&info.name),
        kind: WireKind::Implicit,
        triangles: info.triangles,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::{Receiver, bounded};
    use hapticd_client::Client;
    use hapticd_collision::command::{Request, SceneCommand};
    use hapticd_collision::requests::{self, ReplySender};
    use hapticd_ipc::surfaces::SurfaceKind;
    use hapticd_ipc::{ClientId, Command, CommandSink, GoneWhy};
    use hapticd_loop::record::Silencing;

    /// Returns both ends of the requests and of their replies; `capacity`: of the requests.
    pub(super) fn scene_requests(
        capacity: usize,
    ) -> ((SceneRequests, ReplySender), Receiver<Request>) {
        let (sender, receiver) = bounded(capacity);
        (requests::requests(sender, Wake::new().unwrap()), receiver)
    }

    /// Returns the restrictions of a loop without arms.
    fn restrictions() -> RestrictionsOwner {
        let core = hapticd_loop::core::LoopCore::new([const { None }; MAX_ARMS], 1_000_000, 0.0);
        hapticd_loop::limits::link(&core.unwrap(), Limits::default()).2
    }

    /// Starts a service with two bodies, ids 1 and 2, in the scene. Returns it with its folder.
    fn start(
        name: &str,
        surfaces: &[SurfaceInfo],
    ) -> (PathBuf, Result<(Service, Vec<SurfaceWriter>), SetupError>) {
        let process = std::process::id();
        let folder = std::env::temp_dir().join(format!("hapticd-service-{process}-{name}"));
        let text = format!(
            "[ipc]\napp_socket = \"{0}/app.sock\"\ntechnician_socket = \"{0}/technician.sock\"\n",
            folder.display()
        );
        let context = config::Context::new("", |_| None);
        let config = config::parse("test", &text, &context).unwrap().config;
        let bodies = [1, 2].map(|id| BodyInfo {
            id,
            name: format!("body {id}"),
            kind: BodyKind::Static,
            initial: hapticd_geometry::Pose::identity(),
            triangles: 12,
            key: hapticd_proxy::tool_key(0, id),
        });
        let ((requests, _), _) = scene_requests(1);
        let (gone, _) = ring::ring(1);
        let announced = Announced {
            arms: &[],
            bodies: &bodies,
            surfaces,
            skins: &[],
            shapes: &[],
            period_ns: 1_000_000,
        };
        let links = Links {
            orders: ring::ring(1).0,
            restrictions: restrictions(),
            gone,
            requests,
            wake: Wake::new().unwrap(),
            live: latest::latest(Live::new()).1,
            events: ring::ring(1).1,
            contact_events: ring::ring(1).1,
        };
        let started = Service::start(&config, &announced, links, Box::new(|| {}));
        let started = started.map(|(service, _, writers)| (service, writers.surfaces));
        (folder, started)
    }

    fn surface(id: u32, name: &str, kind: SurfaceKind) -> SurfaceInfo {
        SurfaceInfo {
            id,
            name: name.to_owned(),
            kind,
            points: 3,
            triangles: vec![[0, 1, 2]],
        }
    }

    #[test]
    fn clients_find_the_deformable_bodies_behind_the_others_and_read_their_surfaces() {
        let infos = [
            surface(1 << 30, "pad", SurfaceKind::Soft),
            surface(1 << 31, "flag", SurfaceKind::Cloth),
        ];
        let (folder, started) = start("surfaces", &infos);
        let (service, mut writers) = started.unwrap();
        assert_eq!(
            writers.iter().map(SurfaceWriter::id).collect::<Vec<_>>(),
            [1 << 30, 1 << 31]
        );
        let mut client =
            Client::connect_to(&folder.join(socket_folder::APP_SOCKET), "test").unwrap();
        let found: Vec<_> = client
            .bodies()
            .unwrap()
            .iter()
            .map(|b| (b.body, b.name.to_string(), b.kind, b.triangles))
            .collect();
        let expected = [
            (1, "body 1", WireKind::Static, 12),
            (2, "body 2", WireKind::Static, 12),
            (1 << 30, "pad", WireKind::Soft, 1),
            (1 << 31, "flag", WireKind::Cloth, 1),
        ];
        assert_eq!(
            found,
            expected.map(|(id, n, k, t)| (id, n.to_owned(), k, t))
        );
        let mut flag = client.surface(1 << 31).unwrap();
        let written = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        writers[1].write(5, 6, written.into_iter()).unwrap();
        let mut points = Vec::new();
        assert_eq!(flag.read(&mut points).unwrap().tick, 5);
        assert_eq!(points, written);
        service.stop();
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_deformable_body_with_the_identity_of_another_body_is_refused_before_anybody_can_connect() {
        let (folder, started) = start("taken", &[surface(2, "pad", SurfaceKind::Soft)]);
        let error = started.err().unwrap();
        assert!(
            matches!(error, SetupError::Surface(SurfacesError::IdTaken { id: 2 })),
            "{error}"
        );
        assert!(!folder.exists());
    }

    #[test]
    fn the_bodies_of_a_gone_client_go_from_loop_and_scene_and_a_full_queue_is_asked_again() {
        let ((requests, _), scene) = scene_requests(1);
        let (gone, mut to_loop) = ring::ring(8);
        let mut dispatch = Dispatch::of(requests, gone, restrictions());
        let command = Command::Gone {
            client: ClientId(1),
            why: GoneWhy::ProcessEnded,
            bodies: vec![5, 6],
        };
        let mut forgotten_now = || -> Vec<u32> {
            let orders = std::iter::from_fn(|| to_loop.pop());
            let forgotten = orders.filter_map(|order| match order {
                BodyOrder::Forget(body) => Some(body),
                BodyOrder::Silence(_) => None,
            });
            forgotten.collect()
        };
        let mut removed = Vec::new();
        let mut take = || {
            while let Ok(request) = scene.try_recv() {
                match request.command {
                    SceneCommand::Remove { id } => removed.push(id),
                    _ => panic!("only removed"),
                }
            }
        };
        // The queue of the scene has a capacity of one, but the loop hears of both bodies at once.
        let back = *dispatch.submit(command).unwrap_err();
        let mut forgotten = forgotten_now();
        assert_eq!(forgotten, [5, 6]);
        take();
        let back = *dispatch.submit(back).unwrap_err();
        take();
        // Once more, with enough capacity: doing a part twice does no harm.
        let Command::Gone { client, why, .. } = back else {
            panic!("the same command")
        };
        let bodies = vec![6];
        assert!(
            dispatch
                .submit(Command::Gone {
                    client,
                    why,
                    bodies
                })
                .is_ok()
        );
        take();
        forgotten.extend(forgotten_now());
        assert!(dispatch.submit(Command::Orphaned { body: 7 }).is_ok());
        take();
        // The loop is not told of a body that its client removes on purpose.
        assert!(dispatch.submit(Command::RemoveBody { body: 8 }).is_ok());
        take();
        forgotten.extend(forgotten_now());
        forgotten.dedup();
        removed.dedup();
        assert_eq!(
            (forgotten, removed),
            (vec![5, 6, 5, 6, 7], vec![5, 6, 7, 8])
        );
    }

    #[test]
    fn a_body_makes_force_again_when_no_reason_is_left() {
        let ((requests, _), _scene) = scene_requests(8);
        let (gone, mut to_loop) = ring::ring(2);
        let mut dispatch = Dispatch::of(requests, gone, restrictions());
        let [client, other] = [ClientId(1), ClientId(2)];
        let bodies = || vec![5];
        let focus = |focused| Command::Focus {
            client,
            focused,
            bodies: bodies(),
        };
        let silent = |client, bodies| Command::Silent { client, bodies };
        let back = |client| Command::Back {
            client,
            bodies: Vec::new(),
        };
        let went = Command::Gone {
            client: other,
            why: GoneWhy::Closed,
            bodies: Vec::new(),
        };
        let steps = [
            (focus(false), vec![(5, true)]),
            (silent(client, bodies()), vec![]),
            // The client speaks again, but is still out of focus.
            (back(client), vec![]),
            (focus(true), vec![(5, false)]),
            // A body of another client makes force again when the client that moved it goes.
            (silent(client, bodies()), vec![(5, true)]),
            (silent(other, vec![5, 9]), vec![(9, true)]),
            (back(client), vec![]),
            (went, vec![(5, false), (9, false)]),
        ];
        for (step, (command, expected)) in steps.into_iter().enumerate() {
            assert!(dispatch.submit(command).is_ok(), "step {step}");
            let orders = std::iter::from_fn(|| to_loop.pop());
            let told: Vec<_> = orders
                .map(|order| match order {
                    BodyOrder::Silence(Silencing { body, silent }) => (body, silent),
                    BodyOrder::Forget(body) => panic!("body {body} is not gone"),
                })
                .collect();
            assert_eq!(told, expected, "step {step}");
        }
        // A command that met a full ring is offered again; nothing is lost or sent twice.
        let refused = dispatch.submit(silent(client, vec![1, 2, 3])).unwrap_err();
        assert_eq!(std::iter::from_fn(|| to_loop.pop()).count(), 2);
        assert!(dispatch.submit(*refused).is_ok());
        assert_eq!(std::iter::from_fn(|| to_loop.pop()).count(), 1);
    }
}
