//! The connection: requests and their answers, and the news in between.

use crate::{ConnectError, RequestError, Skin, Subscription, Surface, path::default_socket};
use hapticd_protocol::{
    MAJOR, MINOR_LIMITS, MINOR_SAFETY, MINOR_SHAPES, MINOR_SKINS, MINOR_SURFACES,
    event::Event,
    frame::{Header, MAX_MESSAGE, Message},
    mesh::{Mesh, Precision},
    reply::{self, ArmInfo, BodyInfo, Limits, Reply, Welcome},
    request::{self, BodyKind, Request},
    text::Name,
    wire::{DecodeError, Limit, NonNegative, Pose},
};
use hapticd_sys::{
    clock::now_ns,
    folder, sealed_file,
    socket::{Connection, ReceiveError, SendError},
    wake::{Interest, wait},
};
use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
    time::Duration,
};

/// How long an answer may take unless [`Client::set_timeout`] says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);
/// For how much longer a body is waited for, for each of its triangles: 2,000,000 of them took more
/// than 10 s on a busy machine, and have 50 s.
const TIMEOUT_A_TRIANGLE: Duration = Duration::from_micros(20);

/// Longest status text that is read.
const MAX_STATUS_BYTES: u64 = 16 << 20;
/// Longest shape that is read: 40 million triangles or so.
const MAX_SHAPE_BYTES: u64 = 1 << 30;

/// A body to add.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec<'a> {
    /// Unique in the scene; 1 to 63 bytes on one line.
    pub name: &'a str,
    /// May it move. Neither soft nor cloth: those are the configuration's.
    pub kind: BodyKind,
    /// True: its mesh must be closed and oriented outward. False: an open sheet is welcome.
    pub solid: bool,
    /// Where it starts.
    pub world_from_body: Pose,
    /// Contact stiffness, N/m.
    pub stiffness_n_per_m: f64,
    /// Contact damping, N s/m.
    pub damping_n_s_per_m: f64,
    /// Coulomb's friction coefficient.
    pub friction: f64,
    /// Coefficient of restitution between this body and others, 0 to 1.
    pub restitution: f64,
    /// Density of a dynamic body, kg/m³; of no meaning for others.
    pub density_kg_m3: f64,
}

/// What [`Client::poll`] finds.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Something happened.
    Event(Event),
    /// A request that was posted, not waited for, was refused.
    Refused(reply::Error),
}

/// What arrived: its id, its bytes, its descriptors.
type Packet = (u64, Vec<u8>, Vec<OwnedFd>);

/// A connection to the daemon. Not `Clone`; use one for each thread that wants one.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    welcome: Welcome,
    next_id: u64,
    timeout: Duration,
    news: VecDeque<News>,
    posted: VecDeque<u64>,
}

impl Client {
    /// Connects to the daemon at the [default socket](default_socket). `name` is what technicians
    /// will see.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub fn connect(name: &str) -> Result<Self, ConnectError> {
        Self::connect_to(&default_socket()?, name)
    }

    /// Connects to the daemon at `path`, if that runs as our user or as root.
    ///
    /// # Errors
    /// [`ConnectError`]; nothing is sent to a daemon of another user ([`ConnectError::Stranger`]).
    pub fn connect_to(path: &Path, name: &str) -> Result<Self, ConnectError> {
        let name = Name::new(name).map_err(ConnectError::Name)?;
        Self::greet(trusted(path, folder::user())?, name)
    }

    /// As [`connect_to`](Self::connect_to), but tries again every 20 ms while nobody listens there,
    /// for at most `patience`: for a daemon that is starting, or starting again.
    ///
    /// # Errors
    /// [`ConnectError`]; a refusal ends it at once.
    pub fn connect_until(
        path: &Path,
        name: &str,
        patience: Duration,
    ) -> Result<Self, ConnectError> {
        let end_ns =
            now_ns().saturating_add(u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX));
        loop {
            match Self::connect_to(path, name) {
                Err(ConnectError::NoDaemon { .. }) if now_ns() < end_ns => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                result => return result,
            }
        }
    }

    /// Says hello on a connection that exists already, such as one that was inherited.
    ///
    /// # Errors
    /// [`ConnectError::Refused`], [`ConnectError::Handshake`].
    pub fn greet(connection: Connection, name: Name) -> Result<Self, ConnectError> {
        let nobody = Welcome {
            magic: 0,
            major: 0,
            minor: 0,
            client: 0,
            lease_ms: 0,
            messages_per_s: 0,
            max_bodies: 0,
            technician: false,
        };
        let mut client = Self {
            connection,
            welcome: nobody,
            next_id: 1,
            timeout: TIMEOUT,
            news: VecDeque::new(),
            posted: VecDeque::new(),
        };
        // A daemon that takes nobody in says so and closes before it has seen our hello, so a hello
        // that cannot be sent may have its answer waiting, and the answer may have no id.
        match client.send(&request::Hello::new(name).into(), &[]) {
            Ok(_) | Err(RequestError::Disconnected) => {}
            Err(error) => return Err(error.into()),
        }
        let end_ns = client.deadline();
        loop {
            match client.take()? {
                Some((_, packet, fds)) => {
                    return match Reply::decode(&packet, fds.len())
                        .map_err(RequestError::from)?
                        .1
                    {
                        Reply::Welcome(welcome) => {
                            client.welcome = welcome;
                            Ok(client)
                        }
                        Reply::Refused(refused) => Err(ConnectError::Refused(refused)),
                        other => Err(ConnectError::Handshake(RequestError::unexpected(&other))),
                    };
                }
                None if now_ns() >= end_ns => {
                    return Err(RequestError::Timeout(client.timeout).into());
                }
                None => client.wait_until(end_ns).map_err(RequestError::from)?,
            }
        }
    }

    /// What the daemon said at the start: its version, this client's limits.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// How long a request may wait for its answer: 10 s unless this says otherwise.
    /// [`add_body`](Client::add_body) waits 20 us longer for each triangle.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// All arms, by index.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn arms(&mut self) -> Result<Vec<ArmInfo>, RequestError> {
        match self.ask(request::ListArms {})? {
            (Reply::Arms(arms), _) => Ok(arms.arms.0),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// The limits that are in force on arm `arm`, all that clients can tighten. Each is the
    /// strictest of arm, configuration and clients, as a tick of the loop has kept it. Forces are
    /// in N, torques in N m, their slew in N/s and N m/s, speeds in m/s and rad/s.
    ///
    /// # Errors
    /// [`RequestError`]: refused with [`NoSuchArm`](reply::ErrorCode::NoSuchArm) where there is no
    /// such arm, and for [`ALL_ARMS`](crate::ALL_ARMS);
    /// [`Unsupported`](RequestError::Unsupported) by a daemon that cannot tell them;
    /// [`Malformed`](RequestError::Malformed) when the answer is about another arm.
    pub fn limits(&mut self, arm: u8) -> Result<Limits, RequestError> {
        self.supports("limits in force", MINOR_LIMITS)?;
        match self.ask(request::GetLimits { arm })? {
            (Reply::Limits(limits), _) if limits.arm == arm => Ok(limits),
            (Reply::Limits(limits), _) => Err(RequestError::Malformed(DecodeError::Value {
                field: "arm",
                value: f64::from(limits.arm),
                must: "the arm that was asked for",
            })),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// All bodies in the scene.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn bodies(&mut self) -> Result<Vec<BodyInfo>, RequestError> {
        let mut all: Vec<BodyInfo> = Vec::new();
        loop {
            let first = u32::try_from(all.len()).unwrap_or(u32::MAX);
            match self.ask(request::ListBodies { first })? {
                (Reply::Bodies(page), _) => {
                    let done = page.bodies.0.is_empty();
                    all.extend(page.bodies.0);
                    if done || all.len() >= page.total as usize {
                        return Ok(all);
                    }
                }
                (other, _) => return Err(RequestError::unexpected(&other)),
            }
        }
    }

    /// Maps blocks of arm `arm`; `wants` is a sum of [`want`](crate::want)'s bits. Once more is
    /// allowed and maps again.
    ///
    /// # Errors
    /// [`RequestError`]; [`Block`](RequestError::Block) when a block is not what it should be.
    pub fn subscribe(&mut self, arm: u8, wants: u8) -> Result<Subscription, RequestError> {
        match self.ask(request::Subscribe { arm, wants })? {
            (Reply::Subscribed(reply), fds) => Subscription::new(&reply.blocks.0, fds),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Maps the surface of a deformable body (`kind` soft, cloth or crowd in
    /// [`bodies`](Self::bodies)). Once more is allowed and maps again.
    ///
    /// # Errors
    /// [`RequestError`]: refused with [`NoSurface`](reply::ErrorCode::NoSurface) for a body that is
    /// shown by its pose; [`Unsupported`](RequestError::Unsupported) by a daemon that has no such
    /// bodies; [`Block`](RequestError::Block) when the block is not what it should be.
    pub fn surface(&mut self, body: u32) -> Result<Surface, RequestError> {
        self.supports("surfaces", MINOR_SURFACES)?;
        match self.ask(request::OpenSurface { body })? {
            // Decoding checked that there is one descriptor.
            (Reply::Surface(surface), fds) => match fds.into_iter().next() {
                Some(fd) if surface.body == body => Surface::open(fd, body),
                _ => Err(RequestError::Block(format!(
                    "asked for body {body}, got body {}",
                    surface.body
                ))),
            },
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Maps the skin of an implicit body (`kind` implicit in [`bodies`](Self::bodies)). Once more
    /// is allowed and maps again.
    ///
    /// # Errors
    /// [`RequestError`]: refused with [`NoSkin`](reply::ErrorCode::NoSkin) for a body that is shown
    /// otherwise; else as for [`surface`](Self::surface).
    pub fn skin(&mut self, body: u32) -> Result<Skin, RequestError> {
        self.supports("skins", MINOR_SKINS)?;
        match self.ask(request::OpenSkin { body })? {
            // Decoding checked that there is one descriptor.
            (Reply::Skin(skin), fds) => match fds.into_iter().next() {
                Some(fd) if skin.body == body => Skin::open(fd, body),
                _ => Err(RequestError::Block(format!(
                    "asked for body {body}, got body {}",
                    skin.body
                ))),
            },
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// The mesh of a body that is shown by its pose, in its own frame, whoever added it; or of an
    /// arm's tool ([`tool_of_arm`](crate::tool_of_arm)), of which the pose is
    /// [`world_from_proxy`](crate::ArmState::world_from_proxy). Coordinates have the precision of
    /// `f32`; a ball comes as triangles, too. It never changes: ask once.
    ///
    /// # Errors
    /// [`RequestError`]: refused with [`NoShape`](reply::ErrorCode::NoShape) for a body that is
    /// shown by its surface; [`Unsupported`](RequestError::Unsupported) by a daemon that gives no
    /// shapes; [`Block`](RequestError::Block) when the file is not what it should be.
    pub fn shape(&mut self, body: u32) -> Result<Mesh, RequestError> {
        self.supports("shapes", MINOR_SHAPES)?;
        let unusable = |problem: String| RequestError::Block(format!("shape of {body}: {problem}"));
        match self.ask(request::OpenShape { body })? {
            // Decoding checked that there is one descriptor.
            (Reply::Shape(shape), fds) => match fds.first() {
                Some(fd) if shape.body == body => {
                    let bytes = sealed_file::read_sealed(fd, MAX_SHAPE_BYTES)
                        .map_err(|error| unusable(error.to_string()))?;
                    Mesh::decode(&bytes).map_err(|error| unusable(error.to_string()))
                }
                _ => Err(unusable(format!("got that of body {}", shape.body))),
            },
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Refuses here what the daemon is too old for: it would take the request for garbage.
    fn supports(&self, what: &'static str, needs: u16) -> Result<(), RequestError> {
        let daemon = self.welcome.minor;
        if daemon >= needs {
            return Ok(());
        }
        Err(RequestError::Unsupported {
            what,
            major: MAJOR,
            needs,
            daemon,
        })
    }

    /// Adds a body and gives its identity. It stays until it is removed or this client goes.
    ///
    /// # Errors
    /// [`RequestError`]: refused with a code, the numbers and often a sentence (the mesh is not
    /// closed, the name is taken). [`RequestError::BodyMayCome`] when the daemon was too slow: it
    /// goes on, and the body may be in the list of bodies later.
    pub fn add_body(&mut self, spec: &BodySpec<'_>, mesh: &Mesh) -> Result<u32, RequestError> {
        let name = Name::new(spec.name).map_err(|problem| RequestError::Invalid {
            field: "name",
            problem: problem.to_owned(),
        })?;
        let bytes = mesh
            .encode(Precision::Double)
            .map_err(|error| RequestError::Invalid {
                field: "mesh",
                problem: error.to_string(),
            })?;
        let file = sealed_file::create_sealed("hapticd-mesh", &bytes).map_err(|error| {
            RequestError::Invalid {
                field: "mesh",
                problem: error.to_string(),
            }
        })?;
        let message = request::AddBody {
            name,
            world_from_body: spec.world_from_body,
            stiffness_n_per_m: NonNegative(spec.stiffness_n_per_m),
            damping_n_s_per_m: NonNegative(spec.damping_n_s_per_m),
            friction: NonNegative(spec.friction),
            restitution: NonNegative(spec.restitution),
            density_kg_m3: NonNegative(spec.density_kg_m3),
            kind: spec.kind,
            solid: spec.solid,
        };
        let triangles = u32::try_from(mesh.triangles.len()).unwrap_or(u32::MAX);
        let timeout = self
            .timeout
            .saturating_add(TIMEOUT_A_TRIANGLE.saturating_mul(triangles));
        let before = std::mem::replace(&mut self.timeout, timeout);
        let sent = self.send(&message.into(), &[file.as_fd()]);
        let answer = sent.map(|id| self.answer(id));
        self.timeout = before;
        let answer = answer?.map_err(|error| match error {
            RequestError::Timeout(waited) => RequestError::BodyMayCome {
                name: spec.name.to_owned(),
                waited,
            },
            other => other,
        });
        match answer? {
            (Reply::BodyAdded(added), _) => Ok(added.body),
            (Reply::Error(error), _) => Err(RequestError::Refused(Box::new(error))),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Removes a body that this client has added.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn remove_body(&mut self, body: u32) -> Result<(), RequestError> {
        self.done(request::RemoveBody { body })
    }

    /// Sends a kinematic body somewhere, no faster than `speed_m_s`, and holds the command for
    /// `lease_ms`.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn set_body_pose(
        &mut self,
        body: u32,
        world_from_body: Pose,
        speed_m_s: f64,
        lease_ms: u32,
    ) -> Result<(), RequestError> {
        let speed_m_s = NonNegative(speed_m_s);
        self.done(request::SetBodyPose {
            world_from_body,
            speed_m_s,
            body,
            lease_ms,
        })
    }

    /// As [`set_body_pose`](Self::set_body_pose) without waiting for the answer: for every frame. A
    /// refusal comes as [`News::Refused`].
    ///
    /// # Errors
    /// [`RequestError::Disconnected`]; [`RequestError::Timeout`] when the daemon does not read
    /// (nothing was sent).
    pub fn post_body_pose(
        &mut self,
        body: u32,
        world_from_body: Pose,
        speed_m_s: f64,
        lease_ms: u32,
    ) -> Result<(), RequestError> {
        let speed_m_s = NonNegative(speed_m_s);
        self.post(
            &request::SetBodyPose {
                world_from_body,
                speed_m_s,
                body,
                lease_ms,
            }
            .into(),
        )
    }

    /// Stops a kinematic body where it is.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn halt_body(&mut self, body: u32) -> Result<(), RequestError> {
        self.done(request::HaltBody { body })
    }

    /// Tightens the force limits of an arm (or of [`ALL_ARMS`](crate::ALL_ARMS)), in N and N m;
    /// nothing here can loosen one. Returns when a tick of the loop has kept them. For other limits
    /// send a [`TightenLimits`](request::TightenLimits) with [`request`](Self::request);
    /// [`limits`](Self::limits) gives all that are in force.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn tighten_force(
        &mut self,
        arm: u8,
        peak_force_n: f64,
        peak_torque_nm: f64,
    ) -> Result<(), RequestError> {
        self.done(request::TightenLimits {
            peak_force_n: Limit(peak_force_n),
            continuous_force_n: Limit::NONE,
            peak_torque_nm: Limit(peak_torque_nm),
            continuous_torque_nm: Limit::NONE,
            slew_n_per_s: Limit::NONE,
            slew_nm_per_s: Limit::NONE,
            velocity_m_s: Limit::NONE,
            angular_velocity_rad_s: Limit::NONE,
            arm,
        })
    }

    /// Technician's socket: undoes whatever clients have tightened on an arm (or on
    /// [`ALL_ARMS`](crate::ALL_ARMS)), and returns when the configuration's limits are in force
    /// again.
    ///
    /// # Errors
    /// [`RequestError`]; [`Unsupported`](RequestError::Unsupported) by a daemon that cannot undo
    /// them.
    pub fn release_limits(&mut self, arm: u8) -> Result<(), RequestError> {
        self.supports("releases of limits", MINOR_SAFETY)?;
        self.done(request::ReleaseLimits { arm })
    }

    /// Technician's socket: clears latched faults of an arm (or of [`ALL_ARMS`](crate::ALL_ARMS)).
    /// A cause that still holds comes back.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn clear_fault(&mut self, arm: u8) -> Result<(), RequestError> {
        self.done(request::ClearFault { arm })
    }

    /// Technician's socket: lets the daemon read its configuration again, and returns when the new
    /// limits are in force.
    ///
    /// # Errors
    /// [`RequestError`]; the daemon refuses a configuration that is wrong or looser, and the old
    /// one stays.
    pub fn reload(&mut self) -> Result<(), RequestError> {
        self.done(request::Reload {})
    }

    /// Renews every lease of this client. Posted, not waited for.
    ///
    /// # Errors
    /// As [`post_body_pose`](Self::post_body_pose).
    pub fn renew(&mut self, lease_ms: u32) -> Result<(), RequestError> {
        self.post(&request::Renew { lease_ms }.into())
    }

    /// Says whether the application has the user's attention. Without it its bodies make no force.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn set_focus(&mut self, focused: bool) -> Result<(), RequestError> {
        self.done(request::SetFocus { focused })
    }

    /// Technician's socket: the daemon's state as JSON text.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn status(&mut self) -> Result<String, RequestError> {
        match self.ask(request::GetStatus {})? {
            (Reply::Status(_), fds) => {
                let text = fds
                    .first()
                    .ok_or_else(|| "no descriptor".to_owned())
                    .and_then(|fd| {
                        sealed_file::read_sealed(fd, MAX_STATUS_BYTES)
                            .map_err(|error| error.to_string())
                    })
                    .and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
                text.map_err(RequestError::Block)
            }
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Any request that is answered by "done".
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn request(&mut self, message: impl Into<Request>) -> Result<(), RequestError> {
        self.done(message)
    }

    /// The next piece of news, waiting for it no longer than `timeout` (zero: not at all).
    ///
    /// # Errors
    /// [`RequestError::Disconnected`] once there is no more news from a daemon that is gone.
    pub fn poll(&mut self, timeout: Duration) -> Result<Option<News>, RequestError> {
        let end_ns = now_ns().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX));
        loop {
            if let Some(news) = self.news.pop_front() {
                return Ok(Some(news));
            }
            match self.take()? {
                Some((id, packet, fds)) => self.note(id, &packet, fds.len())?,
                None if now_ns() >= end_ns => return Ok(None),
                None => self.wait_until(end_ns)?,
            }
        }
    }

    /// Leaves in good order.
    pub fn close(self) {
        // Whether it arrives does not matter: closing the socket says the same.
        let _ = self
            .connection
            .send(&Request::from(request::Goodbye {}).encode(0), &[]);
    }

    fn done(&mut self, message: impl Into<Request>) -> Result<(), RequestError> {
        match self.ask(message)? {
            (Reply::Done(_), _) => Ok(()),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    fn ask(&mut self, message: impl Into<Request>) -> Result<(Reply, Vec<OwnedFd>), RequestError> {
        match self.exchange(&message.into(), &[])? {
            (Reply::Error(error), _) => Err(RequestError::Refused(Box::new(error))),
            answer => Ok(answer),
        }
    }

    fn send(&mut self, message: &Request, fds: &[BorrowedFd<'_>]) -> Result<u64, RequestError> {
        let id = self.next_id;
        self.next_id += 1;
        let packet = message.encode(id);
        let end_ns = self.deadline();
        loop {
            match self.connection.send(&packet, fds) {
                Ok(()) => return Ok(id),
                Err(SendError::WouldBlock | SendError::Exhausted(_)) if now_ns() < end_ns => {
                    // The daemon is behind: make room by taking what it has sent, then wait a
                    // moment.
                    if let Some((id, packet, fds)) = self.take()? {
                        self.note(id, &packet, fds.len())?;
                    }
                    std::thread::sleep(Duration::from_micros(200));
                }
                Err(SendError::WouldBlock) => return Err(RequestError::Timeout(self.timeout)),
                Err(SendError::Exhausted(error)) => return Err(error.into()),
                Err(SendError::Closed) => return Err(RequestError::Disconnected),
                Err(SendError::System(error)) => return Err(error.into()),
                Err(error @ SendError::Impossible { .. }) => {
                    return Err(RequestError::Invalid {
                        field: "message",
                        problem: error.to_string(),
                    });
                }
            }
        }
    }

    fn post(&mut self, message: &Request) -> Result<(), RequestError> {
        // Answers to earlier posts are taken here, so that neither queue fills.
        while let Some((id, packet, fds)) = self.take()? {
            self.note(id, &packet, fds.len())?;
        }
        let id = self.send(message, &[])?;
        self.posted.push_back(id);
        Ok(())
    }

    fn exchange(
        &mut self,
        message: &Request,
        fds: &[BorrowedFd<'_>],
    ) -> Result<(Reply, Vec<OwnedFd>), RequestError> {
        let expected = self.send(message, fds)?;
        self.answer(expected)
    }

    /// Waits for the answer to this request.
    fn answer(&mut self, expected: u64) -> Result<(Reply, Vec<OwnedFd>), RequestError> {
        let end_ns = self.deadline();
        loop {
            match self.take()? {
                Some((id, packet, fds)) if id == expected => {
                    return Ok((Reply::decode(&packet, fds.len())?.1, fds));
                }
                Some((id, packet, fds)) => self.note(id, &packet, fds.len())?,
                None if now_ns() >= end_ns => return Err(RequestError::Timeout(self.timeout)),
                None => self.wait_until(end_ns)?,
            }
        }
    }

    /// Files what is not the answer that somebody waits for.
    fn note(&mut self, id: u64, packet: &[u8], fds: usize) -> Result<(), RequestError> {
        if id == 0 {
            self.news
                .push_back(News::Event(Event::decode(packet, fds)?.1));
            return Ok(());
        }
        // An answer that timed out before may still come; only posted requests are reported.
        if let Some(index) = self.posted.iter().position(|posted| *posted == id) {
            self.posted.remove(index);
            if let Reply::Error(error) = Reply::decode(packet, fds)?.1 {
                self.news.push_back(News::Refused(error));
            }
        }
        Ok(())
    }

    /// The next packet, if there is one.
    fn take(&mut self) -> Result<Option<Packet>, RequestError> {
        let mut packet = vec![0; MAX_MESSAGE];
        match self.connection.receive(&mut packet) {
            Ok(received) => {
                packet.truncate(received.length);
                Ok(Some((Header::id_of(&packet), packet, received.fds)))
            }
            Err(ReceiveError::WouldBlock) => Ok(None),
            Err(ReceiveError::Closed) => Err(RequestError::Disconnected),
            Err(ReceiveError::Oversize { limit }) => {
                let declared = u32::try_from(limit).unwrap_or(u32::MAX);
                Err(RequestError::Malformed(DecodeError::Length {
                    declared,
                    actual: limit,
                }))
            }
            Err(ReceiveError::Exhausted(error) | ReceiveError::System(error)) => Err(error.into()),
        }
    }

    fn deadline(&self) -> u64 {
        now_ns().saturating_add(u64::try_from(self.timeout.as_nanos()).unwrap_or(u64::MAX))
    }

    fn wait_until(&self, end_ns: u64) -> io::Result<()> {
        let rest = Duration::from_nanos(end_ns.saturating_sub(now_ns()));
        wait(&[(self.connection.as_fd(), Interest::Read)], Some(rest)).map(|_| ())
    }
}

/// A connection to what listens at `path`, if that is `us` or root. The kernel says who called
/// `listen`, so whoever owns the folder cannot pass for somebody else.
fn trusted(path: &Path, us: u32) -> Result<Connection, ConnectError> {
    let no_daemon = |source| ConnectError::NoDaemon {
        path: path.to_owned(),
        source,
    };
    let connection = Connection::connect(path).map_err(no_daemon)?;
    let owner = connection.peer().map_err(no_daemon)?.uid;
    if owner != us && owner != 0 {
        let path = path.to_owned();
        return Err(ConnectError::Stranger { path, owner, us });
    }
    Ok(connection)
}

/// For an application's own poll loop: readable when there may be [news](Client::poll).
impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_sys::socket::Listener;

    #[test]
    fn nothing_is_said_to_a_strangers_socket() {
        let folder = std::env::temp_dir().join(format!("hapticd-whose-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("app.sock");
        let listener = Listener::bind(&path, 0o600).unwrap();
        let us = folder::user();
        trusted(&path, us).unwrap();
        assert!(listener.accept().unwrap().is_some());
        // Root is trusted by everybody; to all others this listener is a stranger's.
        match trusted(&path, us + 1) {
            Ok(_) => assert_eq!(us, 0),
            Err(ConnectError::Stranger { owner, us: we, .. }) => {
                assert_eq!((owner, we), (us, us + 1));
            }
            Err(other) => panic!("{other}"),
        }
        let heard = listener.accept().unwrap().unwrap();
        let nothing = heard.receive(&mut [0; 64]);
        assert!(matches!(nothing, Err(ReceiveError::Closed)), "{nothing:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
