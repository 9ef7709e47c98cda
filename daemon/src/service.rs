//! Between the clients' server and the rest of the daemon: sets it up, carries its commands out, tells it what happened.
//!
//! Commands that concern the scene go straight from the server's thread to the collision thread (`Dispatch`); those that concern the
//! daemon wait for the supervisor's next round. Nothing here is real-time, and the haptic loop waits for none of it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crossbeam::channel::{Receiver, Sender, TrySendError};
use hapticd_config as config;
use hapticd_devices::safety::{ForceOffReason, GovernorState, Limits};
use hapticd_geometry::TriMesh;
use hapticd_haptics::{MAX_ARMS, Material};
use hapticd_protocol::event::{self, Event};
use hapticd_protocol::place;
use hapticd_protocol::reply::{ArmInfo, ErrorCode};
use hapticd_protocol::request::BodyKind as WireKind;
use hapticd_protocol::text::{Name, Text};
use hapticd_protocol::wire::{Limit, Pose as WirePose};
use hapticd_sync::ring;
use hapticd_sys::folder;
use hapticd_world::{BodyInfo, BodyKind};

use crate::broad::PlanarFacts;
use crate::collision::{Request, SceneCommand, SceneReply};
use crate::haptic::core::ArmFrame;
use crate::haptic::record::TickRecord;
use crate::ipc::publish::BlockPublisher;
use crate::ipc::shapes::ShapeFile;
use crate::ipc::skins::{self, SkinInfo, SkinWriter};
use crate::ipc::surfaces::{self, SurfaceInfo, SurfaceWriter, SurfacesError};
use crate::ipc::{
    Answer, BodyRecord, Command, CommandSink, Endpoint, Handle, Notice, Quotas, Refusal, Server,
    ServerSetup, SetupError, blocks, tightened,
};
use crate::recording::message::NeedleMessage;
use crate::rig::RigArm;
use crate::scribe::Live;
use hapticd_devices::arm::ArmSpec;

/// What the supervisor must do for a client.
pub enum Wish {
    /// Read the configuration again, then answer.
    Reload(u64),
    /// End in order.
    Shutdown,
    /// Clear latched faults.
    ClearFault(Option<usize>),
    /// These limits are the tightest that applications want now, for all arms.
    Limits(Limits),
}

/// What bodies are shown through, in the order in which they were announced.
#[derive(Debug, Default)]
pub struct Writers {
    /// For who simulates them.
    pub surfaces: Vec<SurfaceWriter>,
    /// For the skin thread.
    pub skins: Vec<SkinWriter>,
}

/// Surface of a body that must make no force: an application that is silent or out of focus.
const FORCELESS: Material = Material {
    stiffness_n_per_m: 0.0,
    damping_n_s_per_m: 0.0,
    friction: 0.0,
};

/// Takes commands on the server's thread and passes them on without blocking.
struct Dispatch {
    requests: Sender<Request>,
    /// To the haptic loop: bodies that it is to forget.
    gone: ring::Producer<u32>,
    wishes: Sender<Wish>,
    limits: Limits,
    /// Surfaces of the clients' bodies, to give them back.
    surfaces: HashMap<u32, Material>,
    /// Surfaces of bodies under way to the scene, by token.
    coming: Arc<Mutex<HashMap<u64, Material>>>,
    /// Bodies that were added, with their surface; filled by [`Service::relay`].
    added: Receiver<(u32, Material)>,
}

/// Tokens of commands whose answer nobody waits for.
pub const NO_ANSWER: u64 = 0;

impl Dispatch {
    fn scene(&self, command: SceneCommand, token: u64) -> Result<(), SceneCommand> {
        self.requests
            .try_send(Request { command, token })
            .map_err(|e| match e {
                TrySendError::Full(r) | TrySendError::Disconnected(r) => r.command,
            })
    }

    /// Takes a body out of the scene: the loop learns it from the next answers.
    fn remove(&mut self, id: u32) -> bool {
        self.surfaces.remove(&id);
        self.scene(SceneCommand::Remove { id }, NO_ANSWER).is_ok()
    }

    /// The same for a body whose client is gone, but from the loop at its next tick: nobody answers for its force any more.
    fn forget(&mut self, id: u32) -> bool {
        self.gone.push(id).is_ok() && self.remove(id)
    }

    fn surfaces(&mut self, bodies: &[u32], on: bool) -> bool {
        while let Ok((body, material)) = self.added.try_recv() {
            self.surfaces.insert(body, material);
        }
        bodies.iter().all(|id| {
            let Some(own) = self.surfaces.get(id) else {
                return true;
            };
            let material = if on { *own } else { FORCELESS };
            self.scene(SceneCommand::Surface { id: *id, material }, NO_ANSWER)
                .is_ok()
        })
    }
}

impl CommandSink for Dispatch {
    fn submit(&mut self, command: Command) -> Result<(), Box<Command>> {
        let done = match &command {
            Command::AddBody { token, spec, .. } => {
                let material = spec.material;
                let sent = self.scene(SceneCommand::Add(spec.clone()), *token).is_ok();
                if sent && let Ok(mut coming) = self.coming.lock() {
                    coming.insert(*token, material);
                }
                sent
            }
            Command::RemoveBody { body } => self.remove(*body),
            Command::MoveBody {
                body,
                world_from_body,
                speed_m_s,
                ..
            } => self
                .scene(
                    SceneCommand::Target {
                        id: *body,
                        world_from_body: *world_from_body,
                        speed_m_s: *speed_m_s,
                    },
                    NO_ANSWER,
                )
                .is_ok(),
            Command::HaltBody { body } => self
                .scene(SceneCommand::Halt { id: *body }, NO_ANSWER)
                .is_ok(),
            Command::TightenLimits { limits, .. } => {
                // One set of limits for all arms: the strictest that anybody asked for.
                self.limits = tightened(&self.limits, limits);
                self.wishes.try_send(Wish::Limits(self.limits)).is_ok()
            }
            Command::Focus {
                focused, bodies, ..
            } => self.surfaces(bodies, *focused),
            Command::Silent { bodies, .. } => self.surfaces(bodies, false),
            Command::Back { bodies, .. } => self.surfaces(bodies, true),
            Command::Gone { bodies, .. } => bodies.iter().all(|id| self.forget(*id)),
            Command::Orphaned { body } => self.forget(*body),
            Command::Reload { token } => self.wishes.try_send(Wish::Reload(*token)).is_ok(),
            Command::Shutdown => self.wishes.try_send(Wish::Shutdown).is_ok(),
            Command::ClearFault { arm } => self.wishes.try_send(Wish::ClearFault(*arm)).is_ok(),
        };
        // Urgent commands are offered again; doing part of one twice does no harm.
        if done { Ok(()) } else { Err(Box::new(command)) }
    }
}

/// What clients are told of an arm.
#[derive(Clone, Debug)]
pub struct ArmFacts {
    name: String,
    spec: ArmSpec,
    frame: ArmFrame,
    tool_radius_m: f64,
}

impl ArmFacts {
    /// Of an arm of the rig.
    pub fn of(arm: &RigArm) -> Self {
        ArmFacts {
            name: arm.name.clone(),
            spec: arm.spec.clone(),
            frame: arm.frame,
            tool_radius_m: arm.tool_radius_m,
        }
    }
}

/// The running server and what it needs from the supervisor.
pub struct Service {
    handle: Handle,
    thread: std::thread::JoinHandle<std::io::Result<()>>,
    replies: Receiver<(u64, SceneReply)>,
    coming: Arc<Mutex<HashMap<u64, Material>>>,
    added: Sender<(u32, Material)>,
    /// What clients want of the supervisor.
    pub wishes: Receiver<Wish>,
    last: TickRecord,
    events_told: u64,
}

impl Service {
    #[allow(clippy::too_many_arguments)]
    /// Binds the sockets and starts the server's thread. Also gives what the loop publishes through, and what the surfaces of the deformable
    /// bodies and the skins are published through, in the order of `surfaces` and `skins`. `shapes`: of the rigid bodies
    /// and the tools, by identity.
    pub fn start(
        config: &config::Config,
        arms: &[ArmFacts],
        bodies: &[BodyInfo],
        limits: &Limits,
        period_ns: u64,
        requests: Sender<Request>,
        gone: ring::Producer<u32>,
        replies: Receiver<(u64, SceneReply)>,
        live: Arc<Mutex<Live>>,
        (surfaces, skins): (&[SurfaceInfo], &[SkinInfo]),
        shapes: &[(u32, Cow<'_, TriMesh>)],
    ) -> Result<(Self, BlockPublisher, Writers), SetupError> {
        let (surface_writers, surface_fds) = surfaces::create(surfaces)?;
        let (skin_writers, skin_fds) = skins::create(skins)?;
        let ids = surfaces.iter().map(|surface| surface.id);
        let mut ids = ids.chain(skins.iter().map(|skin| skin.id));
        if let Some(id) = ids.find(|id| bodies.iter().any(|body| body.id == *id)) {
            return Err(SurfacesError::IdTaken { id }.into());
        }
        let indices: Vec<u8> = (0..arms.len().min(MAX_ARMS) as u8).collect();
        let (writers, fds) =
            blocks::create(&indices).map_err(|e| SetupError::System(std::io::Error::other(e)))?;
        let mut frames = [None; MAX_ARMS];
        for (frame, arm) in frames.iter_mut().zip(arms) {
            *frame = Some(arm.frame);
        }
        let stale_ticks = (config.safety.stale_contact_ms * 1e6 / period_ns as f64) as u32;
        let publisher = BlockPublisher::new(writers, frames, stale_ticks);
        let (wishes_in, wishes) = crossbeam::channel::bounded(64);
        let (added_in, added) = crossbeam::channel::bounded(256);
        let coming = Arc::new(Mutex::new(HashMap::new()));
        let sink = Dispatch {
            requests,
            gone,
            wishes: wishes_in,
            limits: *limits,
            surfaces: HashMap::new(),
            coming: coming.clone(),
            added,
        };
        let default = place::of_daemon(|name| std::env::var_os(name), folder::user()).folder;
        let endpoint = |given: &Option<PathBuf>, name| Endpoint {
            path: given.clone().unwrap_or_else(|| default.join(name)),
            mode: 0o600,
        };
        let (server, handle) = Server::bind(ServerSetup {
            app: endpoint(&config.ipc.app_socket, place::APP_SOCKET),
            technician: endpoint(&config.ipc.technician_socket, place::TECHNICIAN_SOCKET),
            quotas: Quotas {
                clients: config.ipc.max_clients as usize,
                mesh_bytes: config.ipc.max_mesh_bytes,
                memory_bytes: u64::from(config.ipc.memory_mb) << 20,
                lease_ms: config.ipc.lease_ms,
                ..Quotas::default()
            },
            arms: arms
                .iter()
                .zip(0u8..)
                .map(|(arm, index)| arm_info(arm, index, limits, period_ns))
                .collect(),
            bodies: bodies
                .iter()
                .map(body_record)
                .chain(surfaces.iter().map(surface_record))
                .chain(skins.iter().map(skin_record))
                .collect(),
            blocks: fds,
            surfaces: surface_fds,
            skins: skin_fds,
            shapes: shape_files(shapes)?,
            status: Box::new(move |server| status_json(server, &live)),
            sink: Box::new(sink),
        })?;
        let thread = std::thread::Builder::new()
            .name("ipc".into())
            .spawn(move || server.run())?;
        let service = Service {
            handle,
            thread,
            replies,
            coming,
            added: added_in,
            wishes,
            last: TickRecord::new(),
            events_told: 0,
        };
        let writers = Writers {
            surfaces: surface_writers,
            skins: skin_writers,
        };
        Ok((service, publisher, writers))
    }

    /// Passes answers of the collision thread and changes of the loop's state on to the server. Called a few dozen times a second.
    pub fn relay(&mut self, live: &Live) {
        while let Ok((token, reply)) = self.replies.try_recv() {
            let surface = self.coming.lock().ok().and_then(|mut c| c.remove(&token));
            let answer = match reply {
                SceneReply::Added(body) => {
                    if let Some(material) = surface {
                        // A full queue only means that this body keeps its surface when its client falls silent; it still stops.
                        let _ = self.added.try_send((body, material));
                    }
                    Answer::Added { body }
                }
                SceneReply::Done => Answer::Done,
                SceneReply::AddRefused(error) => Answer::Refused(Refusal::from(&error)),
                SceneReply::Refused(error) => {
                    Answer::Refused(Refusal::text(ErrorCode::Internal, error.to_string()))
                }
            };
            if token != NO_ANSWER {
                self.answer(token, answer);
            }
        }
        let record = &live.record;
        for (arm, (now, before)) in (0u8..).zip(record.arms.iter().zip(&self.last.arms)) {
            if now.attached != before.attached {
                self.event(if now.attached {
                    Event::ArmAttached(event::ArmAttached { arm })
                } else {
                    Event::ArmLost(event::ArmLost { arm })
                });
            }
            let (tick, time_ns) = (record.tick, record.now_ns);
            if now.reason != before.reason && ForceOffReason::from_code(now.reason).is_some() {
                self.event(Event::ForceOff(event::ForceOff {
                    tick,
                    time_ns,
                    arm,
                    reason: now.reason,
                }));
            }
            let active = GovernorState::Active as u8;
            if now.state == active && before.state != active {
                self.event(Event::ForceOn(event::ForceOn { tick, time_ns, arm }));
            }
        }
        self.last = *record;
        for event in live
            .events
            .iter()
            .filter(|e| e.contains("recording stopped"))
        {
            if self.events_told == 0 {
                self.events_told = 1;
                self.event(Event::RecordingStopped(event::RecordingStopped {
                    detail: Text::lossy(event),
                }));
            }
        }
    }

    /// Tells all clients.
    pub fn event(&self, event: Event) {
        self.handle.notify(Notice::Event(event));
    }

    /// Answers a command.
    pub fn answer(&self, token: u64, answer: Answer) {
        self.handle.notify(Notice::Answer { token, answer });
    }

    /// The server's sign of life.
    pub fn heartbeat(&self) -> u64 {
        self.handle.heartbeat()
    }

    /// Whether its thread ended by itself.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Tells the clients, closes, removes the sockets.
    pub fn stop(self) {
        self.event(Event::ShuttingDown(event::ShuttingDown {}));
        self.handle.stop();
        match self.thread.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the server of the clients ended badly"),
            Err(_) => tracing::error!("the server of the clients died"),
        }
    }
}

fn shape_files(shapes: &[(u32, Cow<'_, TriMesh>)]) -> Result<Vec<(u32, ShapeFile)>, SetupError> {
    let file = |(id, mesh): &(u32, Cow<'_, TriMesh>)| {
        let made = ShapeFile::new(mesh).map_err(|source| SetupError::Shape { id: *id, source });
        made.map(|file| (*id, file))
    };
    shapes.iter().map(file).collect()
}

fn name(text: &str) -> Name {
    // The configuration checks names; a longer one would be cut for the clients.
    let cut: String = text.chars().filter(|c| !c.is_control()).take(15).collect();
    Name::new(text)
        .or_else(|_| Name::new(&cut))
        .unwrap_or_else(|_| unnamed())
}

fn unnamed() -> Name {
    Name::new("unnamed").unwrap_or_else(|_| unreachable!("seven letters are a name"))
}

fn arm_info(arm: &ArmFacts, index: u8, limits: &Limits, period_ns: u64) -> ArmInfo {
    let limits = limits.tightened_by_arm(&arm.spec);
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
        peak_force_n: Limit(limits.peak_force_n),
        continuous_force_n: Limit(limits.continuous_force_n),
        peak_torque_nm: Limit(limits.peak_torque_nm),
        tool_radius_m: arm.tool_radius_m,
        period_ns,
        degrees_in: arm.spec.degrees_in,
        degrees_out: arm.spec.degrees_out,
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

/// The technician's status: the report so far, the arms' state, the clients.
fn status_json(server: &crate::ipc::ServerStatus, live: &Mutex<Live>) -> String {
    let Ok(live) = live.lock() else {
        return "{}".into();
    };
    let arms: Vec<_> = live
        .record
        .arms
        .iter()
        .enumerate()
        .filter(|(_, a)| a.attached || a.sample.sequence > 0)
        .map(|(i, a)| {
            serde_json::json!({
                "arm": i,
                "attached": a.attached,
                "device_position_m": <[f64; 3]>::from(a.world_from_device.translation.vector),
                "proxy_position_m": <[f64; 3]>::from(a.world_from_proxy.translation.vector),
                "force_n": <[f64; 3]>::from(a.sent.force_n),
                "torque_nm": <[f64; 3]>::from(a.sent.torque_nm),
                "state": a.state,
                "force_off": ForceOffReason::from_code(a.reason).map(|r| r.to_string()),
                "contacts": a.contacts,
                "starved": a.starved,
                "snapshot_age_ticks": a.snapshot_age,
                "near_by_gpu": a.midphase.bodies,
                "near_gpu_us": a.midphase.took_ns as f64 * 1e-3,
                "soft_age_ticks": (a.soft_age != u32::MAX).then_some(a.soft_age),
                "tracked": a.tracked,
                "needle": NeedleMessage::of(&a.insertion),
                "stiffness_n_per_m": a.gains.stiffness_n_per_m,
            })
        })
        .collect();
    let clients: Vec<_> = server
        .clients
        .iter()
        .map(|c| serde_json::json!({ "client": c.client, "technician": c.technician, "name": c.name }))
        .collect();
    serde_json::json!({
        "tick": live.record.tick,
        "arms": arms,
        "clients": clients,
        "soft": live.soft,
        "skin": live.skin,
        "near": live.near,
        "broad_phase": live.broad,
        "planar": live.record.measures.as_ref().map(PlanarFacts::from),
        "needles": live.needles,
        "refused_connections": server.refused,
        "oversize_messages": server.oversize,
        "report": live.report,
        "events": live.events,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ipc::surfaces::SurfaceKind;
    use crate::ipc::{ClientId, GoneWhy};
    use hapticd_client::Client;

    /// A service with two bodies of identities 1 and 2 in the scene, and its folder.
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
            key: hapticd_haptics::tool_key(0, id),
        });
        let (requests, _) = crossbeam::channel::bounded(1);
        let (_, replies) = crossbeam::channel::bounded(1);
        let (gone, _) = ring::ring(1);
        let started = Service::start(
            &config,
            &[],
            &bodies,
            &Limits::default(),
            1_000_000,
            requests,
            gone,
            replies,
            Arc::new(Mutex::new(Live::new())),
            (surfaces, &[]),
            &[],
        );
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
        let mut client = Client::connect_to(&folder.join(place::APP_SOCKET), "test").unwrap();
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
        let (requests, scene) = crossbeam::channel::bounded(1);
        let (gone, mut to_loop) = ring::ring(8);
        let (wishes, _wishes) = crossbeam::channel::bounded(1);
        let (_added, added) = crossbeam::channel::bounded(1);
        let mut dispatch = Dispatch {
            requests,
            gone,
            wishes,
            limits: Limits::default(),
            surfaces: HashMap::new(),
            coming: Arc::default(),
            added,
        };
        let command = Command::Gone {
            client: ClientId(1),
            why: GoneWhy::ProcessEnded,
            bodies: vec![5, 6],
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
        // The scene's queue has room for one at a time; the loop hears of both at once.
        let back = *dispatch.submit(command).unwrap_err();
        let mut forgotten: Vec<u32> = std::iter::from_fn(|| to_loop.pop()).collect();
        assert_eq!(forgotten, [5, 6]);
        take();
        let back = *dispatch.submit(back).unwrap_err();
        take();
        // Once more, with room enough: what is done twice does no harm.
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
        forgotten.extend(std::iter::from_fn(|| to_loop.pop()));
        assert!(dispatch.submit(Command::Orphaned { body: 7 }).is_ok());
        take();
        // A body that its client removes on purpose is the scene's business alone.
        assert!(dispatch.submit(Command::RemoveBody { body: 8 }).is_ok());
        take();
        forgotten.extend(std::iter::from_fn(|| to_loop.pop()));
        forgotten.dedup();
        removed.dedup();
        assert_eq!(
            (forgotten, removed),
            (vec![5, 6, 5, 6, 7], vec![5, 6, 7, 8])
        );
    }
}
