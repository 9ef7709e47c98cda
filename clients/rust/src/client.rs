//! The connection: requests, their answers, and the events in between.

mod arms;

use crate::{ConnectError, RequestError, Skin, Subscription, Surface, path::default_socket};
use hapticd_protocol::{
    event::Event,
    frame::{Header, MAX_MESSAGE, Message},
    mesh::{Mesh, Precision},
    reply::{self, ArmInfo, BodyInfo, Limits, Reply, Welcome},
    request::{self, BodyKind, BodyTarget, MAX_TARGETS, Request},
    text::Name,
    wire::{DecodeError, Limit, List, NonNegative, Pose},
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

/// Default time that an answer may take; see [`Client::set_timeout`].
const TIMEOUT: Duration = Duration::from_secs(10);
/// Additional time to wait for a new body, for each of its triangles. 2,000,000 triangles took more
/// than 10 s on a busy machine; they get 50 s.
const TIMEOUT_PER_TRIANGLE: Duration = Duration::from_micros(20);

/// Longest status text that is read, bytes.
const MAX_STATUS_BYTES: u64 = 16 << 20;
/// Longest shape that is read, bytes: about 40 million triangles.
const MAX_SHAPE_BYTES: u64 = 1 << 30;

/// A body to add.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec<'a> {
    /// Name, unique in the scene; 1 to 63 bytes on one line.
    pub name: &'a str,
    /// Whether the body may move. Only static, kinematic and dynamic bodies can be added; the
    /// others come from the configuration.
    pub kind: BodyKind,
    /// If true, the mesh must be closed and oriented outward. If false, an open sheet is allowed.
    pub solid: bool,
    /// Initial pose.
    pub world_from_body: Pose,
    /// Contact stiffness, N/m.
    pub stiffness_n_per_m: f64,
    /// Contact damping, N s/m.
    pub damping_n_s_per_m: f64,
    /// Coulomb's friction coefficient.
    pub friction: f64,
    /// Coefficient of restitution between this body and others, 0 to 1.
    pub restitution: f64,
    /// Density of a dynamic body, kg/m³; ignored for other kinds.
    pub density_kg_m3: f64,
}

/// What [`Client::poll`] returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    /// An event from the daemon.
    Event(Event),
    /// A request that was posted without waiting was refused.
    Refused(reply::Error),
}

/// A packet that arrived: id, bytes, descriptors.
type Packet = (u64, Vec<u8>, Vec<OwnedFd>);

/// A connection to the daemon. Not `Clone`: use one per thread.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    welcome: Welcome,
    next_id: u64,
    /// When a packet was last sent.
    sent_ns: u64,
    timeout: Duration,
    notifications: VecDeque<Notification>,
    posted: VecDeque<u64>,
}

/// Returns a name that can be sent.
fn name_of(name: &str) -> Result<Name, RequestError> {
    Name::new(name).map_err(|problem| RequestError::Invalid {
        field: "name",
        problem: problem.to_owned(),
    })
}

/// Returns the request that moves several bodies.
fn batch(targets: &[BodyTarget]) -> Result<request::SetBodyPoses, RequestError> {
    if targets.len() > MAX_TARGETS {
        return Err(RequestError::Invalid {
            field: "targets",
            problem: format!("{} of them; at most {MAX_TARGETS} fit", targets.len()),
        });
    }
    let targets = List(targets.to_vec());
    Ok(request::SetBodyPoses { targets })
}

impl Client {
    /// Connects to the daemon at the [default socket](default_socket). Technicians see `name`.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub fn connect(name: &str) -> Result<Self, ConnectError> {
        Self::connect_to(&default_socket()?, name)
    }

    /// Connects to the daemon at `path` if it runs as this process's user or as root.
    ///
    /// # Errors
    /// [`ConnectError`]. Nothing is sent to a daemon of another user
    /// ([`ConnectError::UntrustedPeer`]).
    pub fn connect_to(path: &Path, name: &str) -> Result<Self, ConnectError> {
        let name = Name::new(name).map_err(ConnectError::InvalidName)?;
        Self::greet(trusted(path, folder::user())?, name)
    }

    /// Like [`connect_to`](Self::connect_to), but tries again every 20 ms, for at most `patience`,
    /// while no process listens there, or one that ends at once. For a daemon that is starting or
    /// restarting.
    ///
    /// # Errors
    /// [`ConnectError`]; a refusal ends the attempts at once.
    pub fn connect_until(
        path: &Path,
        name: &str,
        patience: Duration,
    ) -> Result<Self, ConnectError> {
        let end_ns =
            now_ns().saturating_add(u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX));
        loop {
            match Self::connect_to(path, name) {
                // Also a daemon that is just ending: its socket still took the connection.
                Err(
                    ConnectError::NoDaemon { .. }
                    | ConnectError::Handshake(RequestError::Disconnected),
                ) if now_ns() < end_ns => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                result => return result,
            }
        }
    }

    /// Performs the handshake on an existing connection, such as an inherited one.
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
            sent_ns: 0,
            timeout: TIMEOUT,
            notifications: VecDeque::new(),
            posted: VecDeque::new(),
        };
        // A daemon that accepts no client says so and closes before it has seen the hello. So the
        // answer may be waiting although the hello cannot be sent, and it may have no id.
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

    /// Returns the daemon's welcome: its version and this client's limits.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Sets how long a request may wait for its answer; the default is 10 s.
    /// [`add_body`](Client::add_body) waits 20 us longer for each triangle.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Returns all arms, by index.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn arms(&mut self) -> Result<Vec<ArmInfo>, RequestError> {
        match self.ask(request::ListArms {})? {
            (Reply::Arms(arms), _) => Ok(arms.arms.0),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Returns all limits in force on arm `arm` that clients can tighten. Each is the strictest of
    /// arm, configuration and clients, as a tick of the loop has applied it. Forces are in N,
    /// torques in N m, their slew rates in N/s and N m/s, speeds in m/s and rad/s.
    ///
    /// # Errors
    /// [`RequestError`]. The daemon refuses with [`NoSuchArm`](reply::ErrorCode::NoSuchArm) if the
    /// arm does not exist, and for [`ALL_ARMS`](crate::ALL_ARMS).
    /// [`Malformed`](RequestError::Malformed) if the answer is about another arm.
    pub fn limits(&mut self, arm: u8) -> Result<Limits, RequestError> {
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

    /// Returns all bodies in the scene.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn bodies(&mut self) -> Result<Vec<BodyInfo>, RequestError> {
        let mut all: Vec<BodyInfo> = Vec::new();
        loop {
            let skip = u32::try_from(all.len()).unwrap_or(u32::MAX);
            match self.ask(request::ListBodies { skip })? {
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

    /// Maps blocks of arm `arm`; `topics` is a sum of bits of [`topic`](crate::topic). It may be
    /// called again and then maps again.
    ///
    /// # Errors
    /// [`RequestError`]; [`Block`](RequestError::Block) if a block is invalid.
    pub fn subscribe(&mut self, arm: u8, topics: u8) -> Result<Subscription, RequestError> {
        match self.ask(request::Subscribe { arm, topics })? {
            (Reply::Subscribed(reply), fds) => Subscription::new(&reply.blocks.0, fds),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Maps the surface of a deformable body (`kind` soft, cloth or crowd in
    /// [`bodies`](Self::bodies)). It may be called again and then maps again.
    ///
    /// # Errors
    /// [`RequestError`]. The daemon refuses with [`NoSurface`](reply::ErrorCode::NoSurface) for a
    /// body that is shown by its pose. [`Block`](RequestError::Block) if the block is invalid.
    pub fn surface(&mut self, body: u32) -> Result<Surface, RequestError> {
        match self.ask(request::OpenSurface { body })? {
            // Decoding has checked that there is one descriptor.
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

    /// Maps the skin of an implicit body (`kind` implicit in [`bodies`](Self::bodies)). It may be
    /// called again and then maps again.
    ///
    /// # Errors
    /// [`RequestError`]. The daemon refuses with [`NoSkin`](reply::ErrorCode::NoSkin) for a body
    /// without a skin. The other errors are those of [`surface`](Self::surface).
    pub fn skin(&mut self, body: u32) -> Result<Skin, RequestError> {
        match self.ask(request::OpenSkin { body })? {
            // Decoding has checked that there is one descriptor.
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

    /// Returns the mesh of a body that is shown by its pose, in the body's frame, no matter which
    /// client added it. For an arm's tool use [`tool_id`](crate::tool_id); its pose is
    /// [`world_from_proxy`](crate::ArmState::world_from_proxy). Coordinates have the precision of
    /// `f32`. A ball is triangulated as well. The mesh never changes: ask once.
    ///
    /// # Errors
    /// [`RequestError`]. The daemon refuses with [`NoShape`](reply::ErrorCode::NoShape) for a body
    /// that is shown by its surface or its skin. [`Block`](RequestError::Block) if the file is
    /// invalid.
    pub fn shape(&mut self, body: u32) -> Result<Mesh, RequestError> {
        let unusable = |problem: String| RequestError::Block(format!("shape of {body}: {problem}"));
        match self.ask(request::OpenShape { body })? {
            // Decoding has checked that there is one descriptor.
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

    /// Adds a body and returns its identity. The body stays until it is removed or this client
    /// disconnects.
    ///
    /// # Errors
    /// [`RequestError`]. A refusal has a code, numbers and often a sentence (the mesh is not
    /// closed, the name is taken). [`RequestError::BodyPending`] if the daemon was too slow: it
    /// continues, and the body may appear in the list of bodies later.
    pub fn add_body(&mut self, spec: &BodySpec<'_>, mesh: &Mesh) -> Result<u32, RequestError> {
        let name = name_of(spec.name)?;
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
            .saturating_add(TIMEOUT_PER_TRIANGLE.saturating_mul(triangles));
        let before = std::mem::replace(&mut self.timeout, timeout);
        let sent = self.send(&message.into(), &[file.as_fd()]);
        let answer = sent.map(|id| self.answer(id));
        self.timeout = before;
        let answer = answer?.map_err(|error| match error {
            RequestError::Timeout(waited) => RequestError::BodyPending {
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

    /// Adds a body with the mesh of one that a client has added: `of`. Nothing is read or indexed
    /// again. `spec.solid` is ignored: it is solid if the other one is.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn add_instance(&mut self, spec: &BodySpec<'_>, of: u32) -> Result<u32, RequestError> {
        let message = request::AddInstance {
            name: name_of(spec.name)?,
            world_from_body: spec.world_from_body,
            stiffness_n_per_m: NonNegative(spec.stiffness_n_per_m),
            damping_n_s_per_m: NonNegative(spec.damping_n_s_per_m),
            friction: NonNegative(spec.friction),
            restitution: NonNegative(spec.restitution),
            density_kg_m3: NonNegative(spec.density_kg_m3),
            of,
            kind: spec.kind,
        };
        match self.ask(message)? {
            (Reply::BodyAdded(added), _) => Ok(added.body),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Removes a body that this client added.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn remove_body(&mut self, body: u32) -> Result<(), RequestError> {
        self.done(request::RemoveBody { body })
    }

    /// Moves a kinematic body towards a pose, no faster than `speed_m_s`. The command holds for
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

    /// Like [`set_body_pose`](Self::set_body_pose), but does not wait for the answer; suitable for
    /// every frame. A refusal arrives as [`Notification::Refused`].
    ///
    /// # Errors
    /// [`RequestError::Disconnected`]; [`RequestError::Timeout`] if the daemon does not read
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

    /// Moves several kinematic bodies at once, each as [`set_body_pose`](Self::set_body_pose) does:
    /// one message, and all targets are taken in the same turn. If one is refused, none is taken.
    ///
    /// # Errors
    /// [`RequestError`]; [`Invalid`](RequestError::Invalid) for more than [`MAX_TARGETS`] (nothing
    /// was sent).
    pub fn set_body_poses(&mut self, targets: &[BodyTarget]) -> Result<(), RequestError> {
        self.done(batch(targets)?)
    }

    /// Like [`set_body_poses`](Self::set_body_poses), but does not wait for the answer; suitable
    /// for every frame. A refusal arrives as [`Notification::Refused`].
    ///
    /// # Errors
    /// As for [`post_body_pose`](Self::post_body_pose), and for too many targets.
    pub fn post_body_poses(&mut self, targets: &[BodyTarget]) -> Result<(), RequestError> {
        self.post(&batch(targets)?.into())
    }

    /// Changes the surface of a body that this client added: stiffness, N/m, damping, N s/m, and
    /// Coulomb's friction coefficient. The force follows without a step.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn set_material(
        &mut self,
        body: u32,
        stiffness_n_per_m: f64,
        damping_n_s_per_m: f64,
        friction: f64,
    ) -> Result<(), RequestError> {
        self.done(request::SetMaterial {
            stiffness_n_per_m: NonNegative(stiffness_n_per_m),
            damping_n_s_per_m: NonNegative(damping_n_s_per_m),
            friction: NonNegative(friction),
            body,
        })
    }

    /// Places a kinematic or dynamic body that this client added elsewhere at once. It does not go
    /// there, so it sweeps no tool; its velocity and its target end. Returns when it is there.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn teleport_body(&mut self, body: u32, world_from_body: Pose) -> Result<(), RequestError> {
        self.done(request::TeleportBody {
            world_from_body,
            body,
        })
    }

    /// Gives a dynamic body that this client added an impulse at a point, N s and N m s, or a
    /// velocity, m/s and rad/s, once; all in the world. A velocity ignores the point. Returns when
    /// the scene has it.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn push_body(&mut self, push: request::PushBody) -> Result<(), RequestError> {
        self.done(push)
    }

    /// Stops a kinematic body where it is.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn halt_body(&mut self, body: u32) -> Result<(), RequestError> {
        self.done(request::HaltBody { body })
    }

    /// Tightens the force limits of an arm (or of [`ALL_ARMS`](crate::ALL_ARMS)), in N and N m; it
    /// cannot loosen one. Returns when a tick of the loop has applied them. For other limits send a
    /// [`TightenLimits`](request::TightenLimits) with [`request`](Self::request).
    /// [`limits`](Self::limits) returns all that are in force.
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

    /// Technician's socket: undoes everything that clients have tightened on an arm (or on
    /// [`ALL_ARMS`](crate::ALL_ARMS)). Returns when the configuration's limits are in force again.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn release_limits(&mut self, arm: u8) -> Result<(), RequestError> {
        self.done(request::ReleaseLimits { arm })
    }

    /// Technician's socket: clears latched faults of an arm (or of [`ALL_ARMS`](crate::ALL_ARMS)).
    /// If the cause persists, the fault returns.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn clear_fault(&mut self, arm: u8) -> Result<(), RequestError> {
        self.done(request::ClearFault { arm })
    }

    /// Technician's socket: makes the daemon reload its configuration. Returns when the new limits
    /// are in force.
    ///
    /// # Errors
    /// [`RequestError`]. The daemon refuses a configuration that is wrong or looser; the old one
    /// stays in force.
    pub fn reload(&mut self) -> Result<(), RequestError> {
        self.done(request::Reload {})
    }

    /// Renews every lease of this client. The request is posted without waiting.
    ///
    /// # Errors
    /// As for [`post_body_pose`](Self::post_body_pose).
    pub fn renew_leases(&mut self, lease_ms: u32) -> Result<(), RequestError> {
        self.post(&request::RenewLeases { lease_ms }.into())
    }

    /// Tells the daemon whether the application has the user's focus. Without focus its bodies
    /// produce no force.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn set_focus(&mut self, focused: bool) -> Result<(), RequestError> {
        self.done(request::SetFocus { focused })
    }

    /// Technician's socket: returns the daemon's state as JSON text.
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

    /// Sends any request that is answered with [`Done`](reply::Done), and waits for the answer.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn request(&mut self, message: impl Into<Request>) -> Result<(), RequestError> {
        self.done(message)
    }

    /// Sends any request with the files that belong to it, waits for the answer and returns it with
    /// its own files. A refusal is an answer: [`Reply::Error`]. For what no other function says.
    ///
    /// # Errors
    /// [`RequestError`], but never [`Refused`](RequestError::Refused).
    pub fn exchange(
        &mut self,
        message: &Request,
        files: &[BorrowedFd<'_>],
    ) -> Result<(Reply, Vec<OwnedFd>), RequestError> {
        let expected = self.send(message, files)?;
        self.answer(expected)
    }

    /// Returns the next notification. Waits for it at most `timeout`; zero means not at all.
    ///
    /// # Errors
    /// [`RequestError::Disconnected`] when the daemon is gone and no notification is queued.
    pub fn poll(&mut self, timeout: Duration) -> Result<Option<Notification>, RequestError> {
        let end_ns = now_ns().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX));
        loop {
            if let Some(notification) = self.notifications.pop_front() {
                return Ok(Some(notification));
            }
            match self.take()? {
                Some((id, packet, fds)) => self.note(id, &packet, fds.len())?,
                None if now_ns() >= end_ns => return Ok(None),
                None => self.wait_until(end_ns)?,
            }
        }
    }

    /// Like [`poll`](Self::poll), and renews this client's leases when it has sent nothing for half
    /// of the time in which the daemon must hear from it
    /// ([`Welcome::lease_ms`](reply::Welcome)). Call it in every frame: an application that hangs
    /// then loses its force. No thread renews for it.
    ///
    /// # Errors
    /// As for [`poll`](Self::poll).
    pub fn poll_renewing(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<Notification>, RequestError> {
        let end_ns = now_ns().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX));
        let half_ns = u64::from(self.welcome.lease_ms.max(2)) * 500_000;
        loop {
            if now_ns().saturating_sub(self.sent_ns) >= half_ns {
                let before = std::mem::replace(&mut self.timeout, Duration::ZERO);
                let renewed = self.renew_leases(self.welcome.lease_ms);
                self.timeout = before;
                match renewed {
                    // The daemon takes nothing now, and the next turn tries again; or it is gone,
                    // and `poll` says so behind what is queued.
                    Ok(()) | Err(RequestError::Timeout(_) | RequestError::Disconnected) => {}
                    Err(error) => return Err(error),
                }
            }
            let rest_ns = end_ns.saturating_sub(now_ns());
            let turn = Duration::from_nanos(rest_ns.min(half_ns));
            match self.poll(turn)? {
                None if rest_ns > half_ns => {}
                result => return Ok(result),
            }
        }
    }

    /// Leaves in good order.
    pub fn close(self) {
        // It does not matter whether it arrives: closing the socket says the same.
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
                Ok(()) => {
                    self.sent_ns = now_ns();
                    return Ok(id);
                }
                Err(SendError::WouldBlock | SendError::Exhausted(_)) if now_ns() < end_ns => {
                    // The daemon is behind: take what it has sent to free its queue, then wait a
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
        // Take answers to earlier posts here, so that neither queue fills up.
        while let Some((id, packet, fds)) = self.take()? {
            self.note(id, &packet, fds.len())?;
        }
        let id = self.send(message, &[])?;
        self.posted.push_back(id);
        Ok(())
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

    /// Files a packet that is not the awaited answer.
    fn note(&mut self, id: u64, packet: &[u8], fds: usize) -> Result<(), RequestError> {
        if id == 0 {
            self.notifications
                .push_back(Notification::Event(Event::decode(packet, fds)?.1));
            return Ok(());
        }
        // The answer to a request that timed out may still arrive; only posted requests are
        // reported.
        if let Some(index) = self.posted.iter().position(|posted| *posted == id) {
            self.posted.remove(index);
            if let Reply::Error(error) = Reply::decode(packet, fds)?.1 {
                self.notifications.push_back(Notification::Refused(error));
            }
        }
        Ok(())
    }

    /// Returns the next packet, or `None` if there is none.
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

/// Connects to `path` if the listener runs as user `us` or as root. The kernel reports which user
/// called `listen`, so the owner of the folder cannot impersonate another user.
fn trusted(path: &Path, us: u32) -> Result<Connection, ConnectError> {
    let no_daemon = |source| ConnectError::NoDaemon {
        path: path.to_owned(),
        source,
    };
    let connection = Connection::connect(path).map_err(no_daemon)?;
    let owner = connection.peer().map_err(no_daemon)?.uid;
    if owner != us && owner != 0 {
        let path = path.to_owned();
        return Err(ConnectError::UntrustedPeer { path, owner, us });
    }
    Ok(connection)
}

/// For an application's poll loop: readable when there may be [notifications](Client::poll).
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
        // Every user trusts root; to all others this listener is a stranger.
        match trusted(&path, us + 1) {
            Ok(_) => assert_eq!(us, 0),
            Err(ConnectError::UntrustedPeer { owner, us: we, .. }) => {
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
