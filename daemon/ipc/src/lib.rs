//! Clients: the control sockets, the rights of each client, and the blocks that they read.
//!
//! ```text
//!  sockets ──packets──> Server ──> Hub (pure: rights, quotas, leases, ownership) ──Command──> CommandSink (collision, loop, supervisor)
//!                         │  <── CommandSink::settle: answers of collision thread and loop
//!                         │  <── Notice (answers of the supervisor, events) ── Handle::notify, from any thread that is not real-time
//!                         └── meshes ──> importer thread ──> bodies ready for the scene
//!  haptic loop ──BlockPublisher──> sealed blocks ──────────────────────────────────────────> clients, without the server
//!  simulation of deformables ──SurfaceWriter──> sealed blocks ─────────────────────────────> the same
//! ```
//!
//! * One thread polls the two sockets and all connections ([`Server::run`]); a second one turns
//!   clients' meshes into bodies. Neither is real-time, and the haptic loop never waits for either:
//!   it writes its blocks and does not know the clients.
//! * [`hub::Hub`] decides everything and does no I/O: packets, descriptors (of any type) and the
//!   time go in, replies and [`Command`]s come out. It is tested in virtual time without a socket.
//! * **Rights by socket**: applications may add bodies, move their own and *tighten* limits. The
//!   technician may also reload, release tightened limits, clear faults and shut down. Every client
//!   has quotas ([`Quotas`]) and every command that can make force has a lease.
//! * **Whatever a client does** - garbage, floods, wrong descriptors, not reading, dying - costs
//!   that client its connection at most.
//!
//! # Death, silence, shutdown
//!
//! | event | how it is detected | consequence |
//! |---|---|---|
//! | the process dies, or closes the socket | hang-up of the socket, pidfd | [`Command::Gone`] at once: at the next tick its bodies are out of the loop, and the force of an arm that touched one is zero |
//! | it sends nothing (stopped, breakpoint, hang) | no packet for its lease | [`Command::Silent`]: at the next tick the force of its bodies begins to fade (reason 35); [`Command::Back`] when it sends again: force waits until little is wanted, then ramps |
//! | a pose command is not repeated | the command's lease | [`Command::HaltBody`]: the body stops where it is |
//! | it loses the user's attention | it reports that | [`Command::Focus`]: its bodies make no force |
//! | the daemon ends | - | clients are notified, then the connections close |

pub mod blocks;
mod descriptor_closer;
pub mod hub;
mod import;
pub mod limit_names;
mod log;
mod loop_events;
pub mod memory_quota;
mod outbox;
pub mod publish;
pub mod restrictions;
mod server;
pub mod shapes;
pub mod skins;
mod sockets;
pub mod surfaces;

pub use descriptor_closer::CloserStats;
pub use loop_events::LoopEvents;
pub use server::{
    ClientStatus, Handle, LimitsStatus, Server, ServerSetup, ServerStatus, SetupError, StatusText,
};
pub use sockets::{Endpoint, SocketError, folder_of};

use hapticd_config::{Ipc, Tabular};
use hapticd_devices::safety::Limits;
use hapticd_geometry::Pose;
use hapticd_loop::orders::LoopOrder;
use hapticd_protocol::{
    event::{Event, RemovalReason},
    reply::ErrorCode,
    request::{BodyKind, MAX_LEASE_MS, TightenLimits},
    text::Name,
};
use hapticd_scene::{AddError, BodyPush, BodySpec, CommandError};

/// Number of a client. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u32);

/// The socket through which a client came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An application.
    App,
    /// A technician.
    Technician,
}

/// Why a client is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoneWhy {
    /// It said goodbye.
    Goodbye,
    /// Its socket closed without a goodbye, for instance by its death.
    Closed,
    /// Its process ended (detected by pidfd), though another process still holds its socket.
    ProcessEnded,
    /// It was closed because of its behaviour.
    Expelled(Expulsion),
    /// The daemon is ending.
    ShuttingDown,
}

/// Why the daemon closed a client. The client receives the reason if its socket accepts that, and
/// the log states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Expulsion {
    /// Its first message was not a hello that this daemon accepts.
    #[error("its hello was refused")]
    NoHello,
    /// It continued to send while its messages were refused.
    #[error("it sent more than {per_s} messages a second, and then {per_s} more that were refused")]
    Flood {
        /// Messages that it may send in a second.
        per_s: u32,
    },
    /// It does not read its answers.
    #[error("it left {waiting} answers unread, the maximum")]
    UnreadAnswers {
        /// Number of waiting answers.
        waiting: usize,
    },
    /// It passes descriptors that hang.
    #[error("{open} descriptors that it passed are not closed; {limit} are allowed")]
    OpenDescriptors {
        /// Number of open descriptors.
        open: usize,
        /// Largest allowed number.
        limit: usize,
    },
}

impl Expulsion {
    /// The client's answer to a request that is no longer carried out.
    fn refusal(self) -> Refusal {
        let (code, number, limit) = match self {
            Expulsion::NoHello => (ErrorCode::OutOfOrder, 0, 0),
            Expulsion::Flood { per_s } => (ErrorCode::TooManyMessages, 0, u64::from(per_s)),
            Expulsion::UnreadAnswers { waiting } => {
                (ErrorCode::TooManyMessages, waiting as u64, waiting as u64)
            }
            Expulsion::OpenDescriptors { open, limit } => {
                (ErrorCode::InvalidDescriptor, open as u64, limit as u64)
            }
        };
        let detail = format!("connection closed: {self}");
        Refusal {
            number,
            limit,
            ..Refusal::text(code, detail)
        }
    }
}

/// A request of clients to the rest of the daemon.
#[derive(Clone)]
pub enum Command {
    /// Add a body for a client. Answered by [`CommandSink::settle`] with the body's id or the
    /// refusal.
    AddBody {
        /// Returned with the answer.
        token: u64,
        /// The future owner of the body.
        client: ClientId,
        /// The body, its mesh indexed.
        spec: Box<BodySpec>,
    },
    /// Remove a body. No answer.
    RemoveBody {
        /// Id of the body.
        body: u32,
    },
    /// Move a kinematic body to a target pose. No answer; [`HaltBody`](Self::HaltBody) follows when
    /// the lease ends.
    MoveBody {
        /// The client that moves it.
        client: ClientId,
        /// Id of the body.
        body: u32,
        /// Target pose.
        world_from_body: Pose,
        /// Maximum speed of any point of the body.
        speed_m_s: f64,
        /// End of the command's lease, daemon's monotonic clock.
        lease_until_ns: u64,
    },
    /// Give a body another surface. Answered by [`CommandSink::settle`] once the scene has it.
    SetMaterial {
        /// Returned with the answer.
        token: u64,
        /// Id of the body.
        body: u32,
        /// The surface.
        material: hapticd_proxy::Material,
    },
    /// Place a body elsewhere at once. Answered by [`CommandSink::settle`] once it is there, or
    /// with the refusal.
    PlaceBody {
        /// Returned with the answer.
        token: u64,
        /// Id of the body.
        body: u32,
        /// Its pose from then on.
        world_from_body: Pose,
    },
    /// Give a dynamic body an impulse or a velocity. Answered by [`CommandSink::settle`] once the
    /// scene has it, or with the refusal.
    PushBody {
        /// Returned with the answer.
        token: u64,
        /// Id of the body.
        body: u32,
        /// What it gets.
        push: BodyPush,
    },
    /// An order to the loop: an effect, a grasp. Answered, if it has a token, when the loop's queue
    /// has it.
    Order {
        /// Returned with the answer.
        token: Option<u64>,
        /// What is to be done.
        order: LoopOrder,
    },
    /// Stop a body where it is. No answer.
    HaltBody {
        /// Id of the body.
        body: u32,
    },
    /// Tighten the governor's limits; looser values change nothing. Answered when a tick has kept
    /// them.
    TightenLimits {
        /// Returned with the answer.
        token: u64,
        /// The requesting client.
        client: ClientId,
        /// One arm, or all.
        arm: Option<usize>,
        /// The limits, infinite where none is requested.
        limits: TightenLimits,
    },
    /// A client gained or lost the user's attention: without it these bodies make no force.
    Focus {
        /// The client.
        client: ClientId,
        /// Whether the client has the user's attention.
        focused: bool,
        /// Its bodies.
        bodies: Vec<u32>,
    },
    /// A client fell silent: the force of these bodies ramps to zero.
    Silent {
        /// The client.
        client: ClientId,
        /// Its bodies, and those that it was moving.
        bodies: Vec<u32>,
    },
    /// A silent client sends again: force may return, with a ramp.
    Back {
        /// The client.
        client: ClientId,
        /// Its bodies.
        bodies: Vec<u32>,
    },
    /// A client is gone: the loop must drop these bodies at its next tick, and they must be
    /// removed.
    Gone {
        /// The client.
        client: ClientId,
        /// Why it is gone.
        why: GoneWhy,
        /// Its bodies.
        bodies: Vec<u32>,
    },
    /// A body came into the scene after its client had gone: treat it as with [`Gone`](Self::Gone).
    Orphaned {
        /// Id of the body.
        body: u32,
    },
    /// Read the configuration again. Answered by [`Notice::Answer`].
    Reload {
        /// Returned with the answer.
        token: u64,
    },
    /// End in order. No answer.
    Shutdown,
    /// Undo what clients have tightened. Answered when a tick has kept that.
    ReleaseLimits {
        /// Returned with the answer.
        token: u64,
        /// The requesting client.
        client: ClientId,
        /// One arm, or all.
        arm: Option<usize>,
    },
    /// Clear latched faults. Answered when a tick has taken it.
    ClearFault {
        /// Returned with the answer.
        token: u64,
        /// One arm, or all.
        arm: Option<usize>,
    },
}

impl Command {
    /// Whether the command takes force away. Such commands are never lost: when the sink is full
    /// they are kept and offered again.
    pub fn is_urgent(&self) -> bool {
        !matches!(
            self,
            Self::AddBody { .. }
                | Self::MoveBody { .. }
                | Self::SetMaterial { .. }
                | Self::PlaceBody { .. }
                | Self::PushBody { .. }
                | Self::Order { token: Some(_), .. }
                | Self::Reload { .. }
        )
    }

    /// Whether the command concerns limits or faults. Such commands go to the loop on a separate
    /// path, so there is always capacity for them, and they wait behind nothing.
    pub fn is_for_the_governor(&self) -> bool {
        matches!(
            self,
            Self::TightenLimits { .. } | Self::ReleaseLimits { .. } | Self::ClearFault { .. }
        )
    }
}

/// Receiver of commands. Called on the server's thread; must not block.
pub trait CommandSink: Send {
    /// Takes a command, or returns it if there is no capacity now.
    ///
    /// # Errors
    /// The command itself, boxed. Urgent commands are offered again; for others the client is told
    /// to try again.
    fn submit(&mut self, command: Command) -> Result<(), Box<Command>>;

    /// Appends the answers that are due, with the tokens of their commands. Called in each round of
    /// the server; what brings an answer wakes it. Returns true if commands about limits or faults
    /// still wait for the haptic loop, which wakes nobody: then call this again in a millisecond.
    fn settle(&mut self, now_ns: u64, answers: &mut Vec<(u64, Answer)>) -> bool {
        let _ = (now_ns, answers);
        false
    }

    /// The limits that an arm's governor keeps now; `None` if unknown.
    fn limits_in_force(&mut self, arm: u8) -> Option<Limits> {
        let _ = arm;
        None
    }

    /// The limits that arm and configuration allow now, without any client's; `None` if unknown.
    fn limits_configured(&mut self, arm: u8) -> Option<Limits> {
        let _ = arm;
        None
    }

    /// The limits that an arm's governor will keep once the loop has taken all requests; `None` if
    /// unknown.
    fn limits_asked(&mut self, arm: u8) -> Option<Limits> {
        let _ = arm;
        None
    }
}

impl CommandSink for crossbeam::channel::Sender<Command> {
    fn submit(&mut self, command: Command) -> Result<(), Box<Command>> {
        self.try_send(command)
            .map_err(|error| Box::new(error.into_inner()))
    }
}

/// Result of a command with a token.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The body is in the scene.
    Added {
        /// Id of the body.
        body: u32,
    },
    /// The command was carried out.
    Done,
    /// The command was not carried out.
    Refused(Refusal),
}

/// Why a request is refused, as the client will read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Code of the refusal.
    pub code: ErrorCode,
    /// The number that goes with the code.
    pub number: u64,
    /// The limit that goes with the code.
    pub limit: u64,
    /// A sentence for people; may be empty.
    pub detail: String,
}

impl Refusal {
    /// Makes a refusal with numbers and no sentence.
    pub fn new(code: ErrorCode, number: u64, limit: u64) -> Self {
        Self {
            code,
            number,
            limit,
            detail: String::new(),
        }
    }

    /// Makes a refusal with a sentence and no numbers.
    pub fn text(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            number: 0,
            limit: 0,
            detail: detail.into(),
        }
    }
}

impl From<&AddError> for Refusal {
    fn from(error: &AddError) -> Self {
        let code = match error {
            AddError::Full | AddError::Planar(_) => ErrorCode::SceneFull,
            AddError::NameTaken(_) => ErrorCode::NameTaken,
            AddError::OpenSolid { .. } => ErrorCode::InvalidMesh,
            AddError::BadPose(_) | AddError::BadMaterial { .. } => ErrorCode::OutOfRange,
            AddError::Dynamics { .. } => ErrorCode::InvalidBody,
            // An error kind newer than this list.
            _ => ErrorCode::Internal,
        };
        let limit = if matches!(error, AddError::Full) {
            hapticd_proxy::MAX_SCENE_BODIES as u64
        } else {
            0
        };
        Self {
            code,
            number: 0,
            limit,
            detail: error.to_string(),
        }
    }
}

impl From<&CommandError> for Refusal {
    fn from(error: &CommandError) -> Self {
        let (code, body) = match error {
            CommandError::NoSuchBody(body) => (ErrorCode::NoSuchBody, *body),
            CommandError::Static(body) => (ErrorCode::StaticBody, *body),
            CommandError::Dynamic(body) => (ErrorCode::NotPermitted, *body),
            CommandError::BadTarget(body) => (ErrorCode::OutOfRange, *body),
            CommandError::NotDynamic(body)
            | CommandError::FirstOrder(body)
            | CommandError::Planar(body) => (ErrorCode::NotPermitted, *body),
            CommandError::Busy(body) => (ErrorCode::Busy, *body),
            CommandError::TooFast { value, limit, .. } => {
                return Self {
                    code: ErrorCode::OutOfRange,
                    number: *value as u64,
                    limit: *limit as u64,
                    detail: error.to_string(),
                };
            }
            // An error kind newer than this list.
            _ => (ErrorCode::Internal, 0),
        };
        Self {
            code,
            number: u64::from(body),
            limit: 0,
            detail: error.to_string(),
        }
    }
}

/// A body in the form that clients see.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyRecord {
    /// Id of the body.
    pub body: u32,
    /// Name of the body.
    pub name: Name,
    /// Whether it may move, and whether it keeps its shape.
    pub kind: BodyKind,
    /// Triangles of its mesh, or of its surface.
    pub triangles: u32,
}

/// A message from the rest of the daemon to the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// Result of a command with a token.
    Answer {
        /// Token of the command.
        token: u64,
        /// Result of the command.
        answer: Answer,
    },
    /// An event for all subscribers. `ArmAttached` and `ArmLost` are also remembered for clients
    /// that list the arms.
    Event(Event),
    /// An event for those that listen for the news of contacts and buttons.
    Contact(Event),
    /// A body that no client added is in the scene.
    BodyJoined(BodyRecord),
    /// A body that no client removed is gone.
    BodyLeft {
        /// Id of the body.
        body: u32,
        /// Why it is gone.
        reason: RemovalReason,
    },
}

/// Limits of what one client may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quotas {
    /// Clients at the same time, on both sockets together.
    pub clients: usize,
    /// Messages in a second, and largest burst. A client that sends twice that in a burst is
    /// closed.
    pub messages_per_s: u32,
    /// Bodies of one client.
    pub bodies: usize,
    /// Force that all effects of an arm make together at most, N; 0: no effects.
    pub effect_force_n: f64,
    /// Bytes of all mesh files of one client.
    pub mesh_bytes: u64,
    /// Bytes that the bodies of all clients take in memory; one client may use half of it. 0 means
    /// a quarter of the machine's memory.
    pub memory_bytes: u64,
    /// A client with bodies that sends nothing for this long is silent, ms.
    pub lease_ms: u32,
    /// The longest time that a client may request instead, ms; at most [`MAX_LEASE_MS`].
    pub max_lease_ms: u32,
}

/// What the protocol promises of the longest lease is what the configuration can allow.
const _: () = {
    let of_key = Ipc::SECTION.range("max_lease_ms");
    let of_silence = Ipc::SECTION.range("lease_ms");
    assert!(*of_key.end() == MAX_LEASE_MS as f64 && *of_silence.end() <= *of_key.end());
};

impl From<&Ipc> for Quotas {
    /// Takes the keys that are quotas; the others are the same for every configuration.
    fn from(keys: &Ipc) -> Self {
        Quotas {
            clients: keys.max_clients as usize,
            effect_force_n: keys.max_effect_force_n,
            mesh_bytes: keys.max_mesh_bytes,
            memory_bytes: u64::from(keys.memory_mb) << 20,
            lease_ms: keys.lease_ms,
            max_lease_ms: keys.max_lease_ms.max(keys.lease_ms),
            ..Quotas::default()
        }
    }
}

impl Default for Quotas {
    /// Returns the quotas of an empty configuration, but the longest lease that there is.
    fn default() -> Self {
        Self {
            clients: 16,
            messages_per_s: 2000,
            bodies: 32,
            effect_force_n: 2.0,
            mesh_bytes: 256 << 20,
            memory_bytes: 0,
            lease_ms: 200,
            max_lease_ms: MAX_LEASE_MS,
        }
    }
}

#[cfg(test)]
mod tests;
