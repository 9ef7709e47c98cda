//! Keeps a [`VisibleScene`] up to date: an ordinary client that asks once for what is constant,
//! reads blocks for what changes, and reconnects when the daemon has ended.
//!
//! It owns nothing in the daemon and holds no lease, so the daemon does not depend on how often, or
//! whether, it is called. A step makes no request while no body or arm comes or goes; it reads
//! shared memory. It never fails: problems are reported in [`VisibleScene::link`].

use crate::{
    history::Sample,
    model::{Creases, Model},
    scene::{Link, VisibleArm, VisibleBody, VisibleScene, isometry},
};
use hapticd_client::{
    BodyInfo, BodyKind, Client, Event, Notification, RequestError, Skin, SkinFrame,
    SkinFrameHeader, Subscription, Surface, force_off_text, skin_flag, tool_id, topic,
};
use nalgebra::Isometry3;
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Delay after a failure before the next attempt, s.
const RETRY_S: f64 = 0.5;
/// Time that the daemon may take for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Period of reading the blocks.
const READ_PERIOD: Duration = Duration::from_millis(3);
/// Number of reads for each copy that is handed out; a copy has all samples of the last seconds.
const READS_PER_COPY: u32 = 3;
/// Period of reading the surfaces, s: about the time of one picture.
const SURFACE_PERIOD_S: f64 = 0.015;

/// State that belongs to one connection.
struct Connection {
    client: Client,
    arms: Vec<Subscription>,
    surfaces: HashMap<u32, (Surface, u64)>,
    skins: HashMap<u32, (Skin, u64)>,
    /// Creases of the bodies of crowds, by identity.
    creases: HashMap<u32, Creases>,
}

/// A client that keeps a [`VisibleScene`] up to date.
pub struct Feed {
    socket: PathBuf,
    scene: VisibleScene,
    connection: Option<Connection>,
    try_at_s: f64,
    surfaces_at_s: f64,
    points: Vec<[f32; 3]>,
    skin: SkinFrame,
}

impl Feed {
    /// Returns a feed for the daemon at this socket, running now or later.
    pub fn new(socket: PathBuf) -> Self {
        Self {
            socket,
            scene: VisibleScene::default(),
            connection: None,
            try_at_s: f64::NEG_INFINITY,
            surfaces_at_s: f64::NEG_INFINITY,
            points: Vec::new(),
            skin: SkinFrame::default(),
        }
    }

    /// Returns what is known of the scene.
    pub fn scene(&self) -> &VisibleScene {
        &self.scene
    }

    /// Reads what is new. Connects if there is no connection, but not immediately after a failure.
    /// `now_s` is any monotonic clock.
    pub fn step(&mut self, now_s: f64) {
        let result = match self.connection.take() {
            Some(mut connection) => self.read(&mut connection, now_s).map(|()| connection),
            None if now_s < self.try_at_s => return,
            None => self.connect().and_then(|mut connection| {
                self.read(&mut connection, now_s)?;
                Ok(connection)
            }),
        };
        match result {
            Ok(connection) => {
                self.connection = Some(connection);
                self.scene.link = Link::Up;
            }
            Err(why) => {
                self.try_at_s = now_s + RETRY_S;
                self.scene.link = match &self.scene.link {
                    Link::Waiting(_) => Link::Waiting(why),
                    Link::Up => {
                        self.scene.tell(format!("connection lost: {why}"));
                        Link::Lost(why)
                    }
                    // The first reason says more than that no daemon listens now.
                    Link::Lost(first) => Link::Lost(first.clone()),
                };
            }
        }
    }

    fn connect(&mut self) -> Result<Connection, String> {
        let mut client =
            Client::connect_to(&self.socket, "hapticd-view").map_err(|error| error.to_string())?;
        client.set_timeout(PATIENCE);
        let infos = client.arms().map_err(text)?;
        let mut arms = Vec::new();
        let mut subscriptions = Vec::new();
        for info in infos {
            let topics = topic::STATE | topic::CONTACTS | topic::BODIES | topic::EVENTS;
            subscriptions.push(client.subscribe(info.index, topics).map_err(text)?);
            arms.push(VisibleArm {
                tool: tool(&mut client, info.index, info.tool_radius_m)?,
                info,
                state: None,
                contacts: Vec::new(),
                inside: None,
                history: Default::default(),
            });
        }
        let mut connection = Connection {
            client,
            arms: subscriptions,
            surfaces: HashMap::new(),
            skins: HashMap::new(),
            creases: HashMap::new(),
        };
        // A new daemon does not know the old one's bodies, and may reuse their numbers.
        self.scene.bodies.clear();
        self.list(&mut connection)?;
        self.scene.arms = arms;
        self.scene.connections += 1;
        if self.scene.connections > 1 {
            self.scene.tell("connected again".to_owned());
        }
        Ok(connection)
    }

    /// Updates the bodies from the daemon's list.
    fn list(&mut self, connection: &mut Connection) -> Result<(), String> {
        let infos = connection.client.bodies().map_err(text)?;
        let there = |id: u32| infos.iter().any(|info| info.body == id);
        self.scene.bodies.retain(|body| there(body.id));
        connection.surfaces.retain(|id, _| there(*id));
        connection.skins.retain(|id, _| there(*id));
        connection.creases.retain(|id, _| there(*id));
        for info in &infos {
            if !self.scene.bodies.iter().any(|body| body.id == info.body) {
                self.scene.bodies.extend(open(connection, info)?);
            }
        }
        self.scene.bodies.sort_by_key(|body| body.id);
        Ok(())
    }

    fn read(&mut self, connection: &mut Connection, now_s: f64) -> Result<(), String> {
        let mut changed = false;
        while let Some(notification) = connection.client.poll(Duration::ZERO).map_err(text)? {
            changed |= self.record(&notification);
        }
        if changed {
            self.list(connection)?;
        }
        let bodies = &self.scene.bodies;
        for (arm, blocks) in self.scene.arms.iter_mut().zip(&connection.arms) {
            if let Ok(state) = blocks.state() {
                arm.inside = state.has(hapticd_client::flag::INSIDE).then(|| {
                    let named = bodies.iter().find(|b| b.id as u16 == state.inside_body);
                    named.map_or_else(|| "another tool".to_owned(), |b| b.name.clone())
                });
                arm.history.push(Sample::of(&state));
                arm.info.attached = state.has(hapticd_client::flag::ATTACHED);
                arm.state = Some(state);
            }
            if let Ok(contacts) = blocks.contacts() {
                arm.contacts.clear();
                arm.contacts.extend_from_slice(contacts.as_slice());
            }
        }
        // The block of bodies is the same for every arm.
        if let Some(Ok(poses)) = connection.arms.first().map(Subscription::bodies) {
            for pose in poses.as_slice() {
                let body = self
                    .scene
                    .bodies
                    .iter_mut()
                    .find(|body| body.id == pose.body);
                if let (Some(body), Some(at)) = (body, isometry(&pose.world_from_body)) {
                    body.world_from_body = Some(at);
                }
            }
        }
        if now_s >= self.surfaces_at_s {
            self.surfaces_at_s = now_s + SURFACE_PERIOD_S;
            self.bend(connection);
        }
        Ok(())
    }

    /// Updates the models of deformable bodies from their surfaces.
    fn bend(&mut self, connection: &mut Connection) {
        for body in &mut self.scene.bodies {
            if let Some((skin, shown)) = connection.skins.get_mut(&body.id) {
                let version = skin.version();
                if version != *shown && skin.read(&mut self.skin).is_ok() {
                    *shown = version;
                    let (points, normals) = (&self.skin.points, &self.skin.normals);
                    Arc::make_mut(&mut body.model).replace(points, normals, &self.skin.triangles);
                    body.note = skin_note(&self.skin.header);
                    body.world_from_body = Some(Isometry3::identity());
                }
            }
            let Some((surface, shown)) = connection.surfaces.get_mut(&body.id) else {
                continue;
            };
            let version = surface.version();
            // A torn read is transient: keep the previous points.
            if version == *shown || surface.read(&mut self.points).is_err() {
                continue;
            }
            *shown = version;
            let (model, triangles) = (Arc::make_mut(&mut body.model), surface.triangles());
            if body.kind == BodyKind::Crowd {
                // The body keeps its shape, and so its edges.
                let creases = connection.creases.entry(body.id);
                let creases = creases.or_insert_with(|| Creases::of(&self.points, triangles));
                model.crease(creases, &self.points);
            } else {
                model.bend(&self.points, triangles);
            }
            body.world_from_body = Some(Isometry3::identity());
        }
    }

    /// Returns the name of an arm for messages.
    fn arm(&self, index: u8) -> String {
        let arm = self.scene.arms.iter().find(|arm| arm.info.index == index);
        arm.map_or_else(
            || "an arm".to_owned(),
            |arm| format!("arm {}", arm.info.name),
        )
    }

    /// Records a notification; returns true if bodies came or went.
    fn record(&mut self, notification: &Notification) -> bool {
        let line = match notification {
            Notification::Event(Event::BodyJoined(joined)) => {
                format!("body {} joined", joined.name)
            }
            Notification::Event(Event::BodyLeft(left)) => {
                let name = self.scene.bodies.iter().find(|body| body.id == left.body);
                format!("body {} left", name.map_or("?", |body| &body.name))
            }
            Notification::Event(Event::ArmAttached(event)) => {
                format!("{} is there", self.arm(event.arm))
            }
            Notification::Event(Event::ArmLost(event)) => {
                format!("{} was lost", self.arm(event.arm))
            }
            Notification::Event(Event::ForceOff(event)) => {
                let why = force_off_text(event.reason);
                format!("force of {} off: {why}", self.arm(event.arm))
            }
            Notification::Event(Event::ForceOn(event)) => {
                format!("force of {} on", self.arm(event.arm))
            }
            Notification::Event(Event::ConfigReloaded(_)) => "configuration read again".to_owned(),
            Notification::Event(Event::ConfigRefused(_)) => "configuration refused".to_owned(),
            Notification::Event(Event::ShuttingDown(_)) => "the daemon ends".to_owned(),
            Notification::Event(Event::RecordingStopped(_)) => "the recording stopped".to_owned(),
            Notification::Event(Event::LeaseExpired(_) | Event::ClientSilent(_))
            | Notification::Refused(_) => {
                return false;
            }
            // It does not listen for these.
            Notification::Event(
                Event::Touched(_)
                | Event::Released(_)
                | Event::Ghost(_)
                | Event::Solid(_)
                | Event::ButtonPressed(_)
                | Event::ButtonReleased(_)
                | Event::Grasped(_)
                | Event::LetGo(_)
                | Event::ClutchEngaged(_)
                | Event::ClutchReleased(_)
                | Event::EffectEnded(_),
            ) => return false,
            // The lost events may have been about bodies.
            Notification::Event(Event::EventsLost(_)) => return true,
        };
        self.scene.tell(line);
        matches!(
            notification,
            Notification::Event(Event::BodyJoined(_) | Event::BodyLeft(_))
        )
    }
}

/// Describes a skin: its size, resolution, time and faults.
fn skin_note(header: &SkinFrameHeader) -> String {
    let flags = [
        (skin_flag::COARSE, "coarser than wanted"),
        (skin_flag::CLIPPED, "cut off"),
        (skin_flag::SMALL, "parts too small to see"),
        (skin_flag::FAULTY, "FAULTY"),
        (skin_flag::CREASED, "creased"),
        (skin_flag::UNCONTROLLED, "blended all over"),
    ];
    let flags = flags.iter().filter(|(bit, _)| header.flags & bit != 0);
    let flags: String = flags.map(|(_, text)| format!(", {text}")).collect();
    format!(
        "{} triangles, cubes of {:.2} mm, {:.1} ms{flags}",
        header.counts.triangles,
        header.cell_m * 1e3,
        header.compute_ns as f64 * 1e-6,
    )
}

fn text(error: RequestError) -> String {
    error.to_string()
}

/// Returns true if the daemon understood the request and refused it: a body left between the list
/// and the request, or it does not have the requested item.
fn refused(error: &RequestError) -> bool {
    matches!(error, RequestError::Refused(_))
}

/// Returns the model of a tool; a ball of its radius if the daemon does not provide the shape.
fn tool(client: &mut Client, arm: u8, radius_m: f64) -> Result<Arc<Model>, String> {
    match client.shape(tool_id(arm)) {
        Ok(mesh) => Ok(Arc::new(model(&mesh))),
        Err(error) if refused(&error) => {
            let ball = Model::ball();
            let radius_m = if radius_m > 0.0 { radius_m } else { 0.005 } as f32;
            let points = ball
                .vertices()
                .iter()
                .map(|v| v.position.map(|x| x * radius_m));
            let points: Vec<[f32; 3]> = points.collect();
            Ok(Arc::new(Model::smooth(
                &points,
                ball.indices().as_chunks().0,
            )))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn model(mesh: &hapticd_client::Mesh) -> Model {
    let points: Vec<[f32; 3]> = mesh.positions.iter().map(|p| p.map(|x| x as f32)).collect();
    Model::creased(&points, &mesh.triangles)
}

/// Opens a body with its shape or its surface; `None` if it has left in the meantime.
fn open(connection: &mut Connection, info: &BodyInfo) -> Result<Option<VisibleBody>, String> {
    let client = &mut connection.client;
    let model = if info.kind.has_surface() {
        client.surface(info.body).map(|surface| {
            let model = Model::smooth(&[], surface.triangles());
            connection.surfaces.insert(info.body, (surface, 0));
            model
        })
    } else if info.kind.has_skin() {
        client.skin(info.body).map(|skin| {
            connection.skins.insert(info.body, (skin, 0));
            Model::smooth(&[], &[])
        })
    } else {
        client.shape(info.body).map(|mesh| model(&mesh))
    };
    match model {
        Ok(model) => Ok(Some(VisibleBody {
            id: info.body,
            name: info.name.to_string(),
            kind: info.kind,
            model: Arc::new(model),
            world_from_body: None,
            note: String::new(),
        })),
        Err(error) if refused(&error) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// A [`Feed`] on a separate thread, so that a daemon that does not answer delays no picture.
pub struct Follower {
    scene: Arc<Mutex<VisibleScene>>,
    stop: Arc<AtomicBool>,
}

impl Follower {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(socket: PathBuf) -> std::io::Result<Self> {
        let scene = Arc::new(Mutex::new(VisibleScene::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let (shown, stopped) = (Arc::clone(&scene), Arc::clone(&stop));
        std::thread::Builder::new()
            .name("feed".to_owned())
            .spawn(move || {
                let mut feed = Feed::new(socket);
                let start = Instant::now();
                let mut reads = 0u32;
                while !stopped.load(Ordering::Relaxed) {
                    feed.step(start.elapsed().as_secs_f64());
                    if reads.is_multiple_of(READS_PER_COPY) {
                        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                        shown.clone_from(feed.scene());
                    }
                    reads = reads.wrapping_add(1);
                    std::thread::sleep(READ_PERIOD);
                }
            })?;
        Ok(Self { scene, stop })
    }

    /// Returns a copy of what is known.
    pub fn scene(&self) -> VisibleScene {
        self.scene
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Follower {
    /// Ends the thread without waiting for it: a daemon that does not answer must not keep a window
    /// from closing.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
