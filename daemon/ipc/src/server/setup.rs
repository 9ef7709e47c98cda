//! What a server needs, what it tells, and why there is none.

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
use std::io;

/// A client's entry in the [`ServerStatus`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientStatus {
    /// Its number.
    pub client: u32,
    /// Whether it came through the technician's socket.
    pub technician: bool,
    /// What it calls itself; `None` before its hello.
    pub name: Option<String>,
}

/// An arm's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitsStatus {
    /// What its governor keeps.
    pub in_force: Limits,
    /// What arm and configuration allow: without what clients tightened.
    pub configured: Limits,
}

/// What the server knows, for the status text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerStatus {
    /// Who is connected.
    pub clients: Vec<ClientStatus>,
    /// By arm; `None` where the haptic loop has not said it.
    pub limits: Vec<Option<LimitsStatus>>,
    /// Connections that were not taken since the start.
    pub refused: u64,
    /// Messages since the start that were lost because they were longer than any, or had more
    /// descriptors.
    pub oversize: u64,
    /// What clients passed, and what of it is closed.
    pub closer: CloserStats,
}

/// Writes the daemon's state as JSON text, for the technician. Called on the server's thread.
pub type StatusText = Box<dyn FnMut(&ServerStatus) -> String + Send>;

/// What a server needs.
pub struct ServerSetup {
    /// Where applications connect.
    pub app: Endpoint,
    /// Where technicians connect.
    pub technician: Endpoint,
    /// What a client may use.
    pub quotas: Quotas,
    /// The arms.
    pub arms: Vec<ArmInfo>,
    /// The bodies that are there from the start, deformable ones too.
    pub bodies: Vec<BodyRecord>,
    /// Whether the scene lies in the plane z = 0.
    pub planar: bool,
    /// The blocks to hand out.
    pub blocks: BlockFds,
    /// The surfaces to hand out: one for each deformable body.
    pub surfaces: SurfaceFds,
    /// The skins to hand out: one for each implicit body.
    pub skins: SkinFds,
    /// The shapes to hand out: of the rigid bodies among those, and of the tools, by identity.
    pub shapes: Vec<(u32, ShapeFile)>,
    /// Writes the status.
    pub status: StatusText,
    /// Takes the commands.
    pub sink: Box<dyn CommandSink>,
    /// What happens in the haptic loop.
    pub events: LoopEvents,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A socket.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The surface of a deformable body.
    #[error(transparent)]
    Surface(#[from] SurfacesError),
    /// The skin of an implicit body.
    #[error(transparent)]
    Skin(#[from] SkinsError),
    /// The shape of a rigid body or of a tool.
    #[error("the shape of body {id} cannot be shown to clients: {source}")]
    Shape {
        /// The body, or the tool.
        id: u32,
        /// Why.
        source: ShapeFileError,
    },
    /// The system refused something else.
    #[error("cannot set up the server: {0}")]
    System(#[from] io::Error),
}
