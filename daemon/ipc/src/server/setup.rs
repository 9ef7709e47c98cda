//! The server's set-up, its status, and its set-up errors.

use super::super::{
    BodyRecord, CommandSink, Quotas,
    blocks::BlockFds,
    descriptor_closer::CloserStats,
    loop_events::LoopEvents,
    shapes::{ShapeFile, ShapeFileError},
    skins::{SkinFds, SkinsError},
    sockets::{Endpoint, SocketError},
    surfaces::{SurfaceFds, SurfacesError},
};
use hapticd_devices::safety::Limits;
use hapticd_protocol::reply::ArmInfo;
use hapticd_sys::wake::Wake;
use std::io;

/// A client's entry in the [`ServerStatus`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientStatus {
    /// Number of the client.
    pub client: u32,
    /// Whether it came through the technician's socket.
    pub technician: bool,
    /// Name that it gave in its hello; `None` before.
    pub name: Option<String>,
}

/// An arm's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitsStatus {
    /// Limits that its governor keeps.
    pub in_force: Limits,
    /// Limits that arm and configuration allow, without what clients tightened.
    pub configured: Limits,
}

/// The server's state, for the status text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerStatus {
    /// Connected clients.
    pub clients: Vec<ClientStatus>,
    /// By arm; `None` where the haptic loop has not reported them.
    pub limits: Vec<Option<LimitsStatus>>,
    /// Connections refused since the start.
    pub refused: u64,
    /// Messages lost since the start because they were too long or had too many descriptors.
    pub oversize: u64,
    /// Descriptors that clients passed, and how many are closed.
    pub closer: CloserStats,
}

/// Writes the daemon's state as JSON text, for the technician. Called on the server's thread.
pub type StatusText = Box<dyn FnMut(&ServerStatus) -> String + Send>;

/// Everything that a server needs.
pub struct ServerSetup {
    /// Socket for applications.
    pub app: Endpoint,
    /// Socket for technicians.
    pub technician: Endpoint,
    /// Quotas of each client.
    pub quotas: Quotas,
    /// The arms.
    pub arms: Vec<ArmInfo>,
    /// The bodies that exist from the start, including deformable ones.
    pub bodies: Vec<BodyRecord>,
    /// Whether the scene lies in the plane z = 0.
    pub planar: bool,
    /// The blocks to hand out.
    pub blocks: BlockFds,
    /// The surfaces to hand out: one for each deformable body.
    pub surfaces: SurfaceFds,
    /// The skins to hand out: one for each implicit body.
    pub skins: SkinFds,
    /// The shapes to hand out, by id: of the rigid bodies in `bodies`, and of the tools.
    pub shapes: Vec<(u32, ShapeFile)>,
    /// Writes the status text.
    pub status: StatusText,
    /// Receives the commands.
    pub sink: Box<dyn CommandSink>,
    /// The haptic loop's events.
    pub events: LoopEvents,
    /// Wakes the server's thread, for one that hands it something.
    pub wake: Wake,
}

/// Why the server could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A socket could not be made.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The surface of a deformable body could not be made.
    #[error(transparent)]
    Surface(#[from] SurfacesError),
    /// The skin of an implicit body could not be made.
    #[error(transparent)]
    Skin(#[from] SkinsError),
    /// The shape of a rigid body or of a tool could not be made.
    #[error("the shape of body {id} cannot be shown to clients: {source}")]
    Shape {
        /// Id of the body or the tool.
        id: u32,
        /// Why it could not be made.
        source: ShapeFileError,
    },
    /// The system refused something else.
    #[error("cannot set up the server: {0}")]
    System(#[from] io::Error),
}
