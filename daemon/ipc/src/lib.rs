//! Clients: the control sockets, what each client may do, and the blocks that they read.
//!
//! ```text
//!  sockets ──packets──> Server ──> Hub (pure: rights, quotas, leases, ownership) ──Command──> CommandSink (collision, loop, supervisor)
//!                         │  <── Notice (answers, events) ── Handle::notify, from any thread that is not real-time
//!                         └── meshes ──> importer thread ──> bodies ready for the scene
//!  haptic loop ──BlockPublisher──> sealed blocks ──────────────────────────────────────────> clients, without the server
//!  simulation of deformables ──SurfaceWriter──> sealed blocks ─────────────────────────────> the same
//! ```
//!
//! * One thread polls the two sockets and all connections ([`Server::run`]); a second one turns
//!   clients' meshes into bodies. Neither is real-time, and the haptic loop never waits for either:
//!   it writes its blocks and knows nothing of clients.
//! * [`hub::Hub`] decides everything and does no I/O: packets, descriptors (of any type) and the
//!   time go in, replies and [`Command`]s come out. It is tested in virtual time without a socket.
//! * **Rights by socket**: applications may add bodies, move what is theirs and *tighten* limits;
//!   the technician may also reload, release what was tightened, clear faults and shut down. Every
//!   client has quotas ([`Quotas`]) and every command that can make force has a lease.
//! * **Whatever a client does** - garbage, floods, wrong descriptors, not reading, dying - costs
//!   that client its connection at most.
//!
//! # Death, silence, shutdown
//!
//! | what happens | how it is seen | what follows |
//! |---|---|---|
//! | the process dies, or closes the socket | hang-up of the socket, pidfd | [`Command::Gone`] at once: at the next tick its bodies are out of the loop, and the force of an arm that touched one is zero |
//! | it says nothing (stopped, breakpoint, hang) | no packet for its lease | [`Command::Silent`]: at the next tick the force of its bodies begins to fade (reason 35); [`Command::Back`] when it speaks: force waits until little is wanted, then ramps |
//! | a pose command is not repeated | the command's lease | [`Command::HaltBody`]: the body stops where it is |
//! | it loses the user's attention | it says so | [`Command::Focus`]: its bodies make no force |
//! | the daemon ends | - | clients are told, then the connections close |

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
pub use import::describe;
pub use loop_events::LoopEvents;
pub use server::{
    ClientStatus, Handle, LimitsStatus, Server, ServerSetup, ServerStatus, SetupError, StatusText,
};
pub use sockets::{Endpoint, SocketError, folder_of};

use hapticd_devices::safety::Limits;
use hapticd_geometry::Pose;
use hapticd_protocol::{
    event::{Event, RemovedCode},
    reply::ErrorCode,
    request::{BodyKind, MAX_LEASE_MS, TightenLimits},
    text::Name,
};
use hapticd_scene::{AddError, BodySpec, CommandError};

/// A client's number. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u32);

/// Through which socket a client came.
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
    /// Its socket closed without a word: it died, or did not care.
    Closed,
    /// Its process ended (seen by pidfd), though somebody still holds its socket.
    ProcessEnded,
    /// It was closed for what it did.
    Expelled(Expulsion),
    /// The daemon ends.
    ShuttingDown,
}

/// For what a client was closed. It is told so where its socket takes that, and the log says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Expulsion {
    /// Its first message was no hello that this daemon takes.
    #[error("its hello was refused")]
    NoHello,
    /// It went on sending while its messages were refused.
    #[error("it sent more than {per_s} messages a second, and then {per_s} more that were refused")]
    Flood {
        /// Messages in a second that it may send.
        per_s: u32,
    },
    /// It does not read.
    #[error("it has not read {waiting} answers, and no more may wait")]
    UnreadAnswers {
        /// How many wait.
        waiting: usize,
    },
    /// It passes descriptors that hang.
    #[error("{open} descriptors that it passed are not closed yet, and {limit} may be")]
    OpenDescriptors {
        /// How many are open.
        open: usize,
        /// How many may be.
        limit: usize,
    },
}

impl Expulsion {
    /// What the client is told, for a request that is not carried out any more.
    fn refusal(self) -> Refusal {
        let (code, number, limit) = match self {
            Expulsion::NoHello => (ErrorCode::OutOfOrder, 0, 0),
            Expulsion::Flood { per_s } => (ErrorCode::TooManyMessages, 0, u64::from(per_s)),
            Expulsion::UnreadAnswers { waiting } => {
                (ErrorCode::TooManyMessages, waiting as u64, waiting as u64)
            }
            Expulsion::OpenDescriptors { open, limit } => {
                (ErrorCode::BadDescriptor, open as u64, limit as u64)
            }
        };
        let detail = format!("the client is closed: {self}");
        Refusal {
            number,
            limit,
            ..Refusal::text(code, detail)
        }
    }
}

/// What clients want of the rest of the daemon.
#[derive(Clone)]
pub enum Command {
    /// Add a body for a client, then [`Notice::Answer`] with its identity or the refusal.
    AddBody {
        /// Goes back with the answer.
        token: u64,
        /// Whose body it will be.
        client: ClientId,
        /// The body, its mesh indexed.
        spec: Box<BodySpec>,
    },
    /// Remove a body. No answer.
    RemoveBody {
        /// Which.
        body: u32,
    },
    /// Send a kinematic body somewhere. No answer; [`HaltBody`](Self::HaltBody) follows when the
    /// lease ends.
    MoveBody {
        /// Who moves it.
        client: ClientId,
        /// Which.
        body: u32,
        /// Where to.
        world_from_body: Pose,
        /// No point of it faster than this.
        speed_m_s: f64,
        /// Until when the command holds, daemon's monotonic clock.
        lease_until_ns: u64,
    },
    /// Let a body stop where it is. No answer.
    HaltBody {
        /// Which.
        body: u32,
    },
    /// Tighten the governor's limits; looser values change nothing. Answer when a tick has kept
    /// them.
    TightenLimits {
        /// Goes back with the answer.
        token: u64,
        /// Whose wish it is.
        client: ClientId,
        /// One arm, or all.
        arm: Option<usize>,
        /// The limits, infinite where there is no wish.
        limits: TightenLimits,
    },
    /// A client gained or lost the user's attention: without it these bodies make no force.
    Focus {
        /// Who.
        client: ClientId,
        /// Whether it has it.
        focused: bool,
        /// Its bodies.
        bodies: Vec<u32>,
    },
    /// A client fell silent: force of these bodies ramps to zero.
    Silent {
        /// Who.
        client: ClientId,
        /// Its bodies, and those it was moving.
        bodies: Vec<u32>,
    },
    /// A silent client speaks again: force may return, with a ramp.
    Back {
        /// Who.
        client: ClientId,
        /// Its bodies.
        bodies: Vec<u32>,
    },
    /// A client is gone: the loop is to forget these bodies at its next tick, and they are to be
    /// removed.
    Gone {
        /// Who.
        client: ClientId,
        /// Why.
        why: GoneWhy,
        /// Its bodies.
        bodies: Vec<u32>,
    },
    /// A body came into the scene after its client had gone: the same for this one.
    Orphaned {
        /// Which.
        body: u32,
    },
    /// Read the configuration again, then [`Notice::Answer`].
    Reload {
        /// Goes back with the answer.
        token: u64,
    },
    /// End in order. No answer.
    Shutdown,
    /// Undo what clients have tightened. Answer when a tick has kept that.
    ReleaseLimits {
        /// Goes back with the answer.
        token: u64,
        /// Asked for it.
        client: ClientId,
        /// One arm, or all.
        arm: Option<usize>,
    },
    /// Clear latched faults. Answer when a tick has taken it.
    ClearFault {
        /// Goes back with the answer.
        token: u64,
        /// One arm, or all.
        arm: Option<usize>,
    },
}

impl Command {
    /// Commands that take force away. They are never lost: when the sink is full they are kept and
    /// offered again.
    pub fn is_urgent(&self) -> bool {
        !matches!(
            self,
            Self::AddBody { .. } | Self::MoveBody { .. } | Self::Reload { .. }
        )
    }

    /// Commands about limits and faults. They go to the loop by a way of their own, so there always
    /// is room for them, and they wait behind nothing.
    pub fn is_for_the_governor(&self) -> bool {
        matches!(
            self,
            Self::TightenLimits { .. } | Self::ReleaseLimits { .. } | Self::ClearFault { .. }
        )
    }
}

/// Where commands go. Called on the server's thread; must not block.
pub trait CommandSink: Send {
    /// Takes a command, or gives it back when there is no room now.
    ///
    /// # Errors
    /// The command itself, boxed. Urgent ones are offered again; for others the client is told to
    /// try again.
    fn submit(&mut self, command: Command) -> Result<(), Box<Command>>;

    /// Appends the answers that are due to commands about limits and faults, with their tokens.
    /// True: others still wait for the haptic loop, and this is to be called again in a
    /// millisecond.
    fn settle(&mut self, now_ns: u64, answers: &mut Vec<(u64, Answer)>) -> bool {
        let _ = (now_ns, answers);
        false
    }

    /// The limits that an arm's governor keeps now; `None` where that is not known.
    fn limits_in_force(&mut self, arm: u8) -> Option<Limits> {
        let _ = arm;
        None
    }

    /// The limits that arm and configuration allow now, so those without any client's; `None` where
    /// that is not known.
    fn limits_configured(&mut self, arm: u8) -> Option<Limits> {
        let _ = arm;
        None
    }

    /// The limits that an arm's governor keeps once the loop has taken all that was asked for;
    /// `None` where that is not known.
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

/// What came of a command with a token.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The body is in the scene.
    Added {
        /// Its identity.
        body: u32,
    },
    /// It is done.
    Done,
    /// It is not done.
    Refused(Refusal),
}

/// Why a request is not carried out, as the client will read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Why.
    pub code: ErrorCode,
    /// The number that goes with the code.
    pub number: u64,
    /// The limit that goes with the code.
    pub limit: u64,
    /// A sentence, perhaps empty.
    pub detail: String,
}

impl Refusal {
    /// With numbers and no sentence.
    pub fn new(code: ErrorCode, number: u64, limit: u64) -> Self {
        Self {
            code,
            number,
            limit,
            detail: String::new(),
        }
    }

    /// With a sentence and no numbers.
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
            AddError::OpenSolid { .. } => ErrorCode::BadMesh,
            AddError::BadPose(_) | AddError::BadMaterial { .. } => ErrorCode::OutOfRange,
            AddError::Dynamics { .. } => ErrorCode::BadBody,
            // A kind that is newer than this list.
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
            CommandError::Dynamic(body) => (ErrorCode::NotYours, *body),
            CommandError::BadTarget(body) => (ErrorCode::OutOfRange, *body),
            // A kind that is newer than this list.
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

/// A body as the clients see it.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyRecord {
    /// Its identity.
    pub body: u32,
    /// Its name.
    pub name: Name,
    /// May it move, and does it keep its shape.
    pub kind: BodyKind,
    /// Triangles of its mesh, or of its surface.
    pub triangles: u32,
}

/// What the rest of the daemon tells the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// What came of a command with a token.
    Answer {
        /// The command's.
        token: u64,
        /// What came of it.
        answer: Answer,
    },
    /// Something for all who listen. `ArmAttached` and `ArmLost` are also remembered for those who
    /// list the arms.
    Event(Event),
    /// A body that no client added is in the scene.
    BodyJoined(BodyRecord),
    /// A body that no client removed is gone.
    BodyLeft {
        /// Which.
        body: u32,
        /// Why.
        why: RemovedCode,
    },
}

/// What one client may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Clients at once, on both sockets together.
    pub clients: usize,
    /// Messages in a second, and at most so many at once. Twice that at a stretch and the client is
    /// closed.
    pub messages_per_s: u32,
    /// Bodies of one client.
    pub bodies: usize,
    /// Bytes of all mesh files of one client.
    pub mesh_bytes: u64,
    /// Bytes that the bodies of all clients take in memory; one client may use half of it. 0: a
    /// quarter of what the machine has.
    pub memory_bytes: u64,
    /// A client with bodies that says nothing for this long is silent, ms.
    pub lease_ms: u32,
    /// The longest time that a client may ask for instead, ms.
    pub max_lease_ms: u32,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            clients: 16,
            messages_per_s: 2000,
            bodies: 32,
            mesh_bytes: 256 << 20,
            memory_bytes: 0,
            lease_ms: 200,
            max_lease_ms: MAX_LEASE_MS,
        }
    }
}

#[cfg(test)]
mod tests;
