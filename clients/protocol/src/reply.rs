//! What the daemon answers. One reply for each request, with the request's id.

use crate::{
    frame::messages,
    request::BodyKind,
    text::{Name, Text},
    wire::{Limit, List, Pose, codes, record},
};

/// Most bodies in one [`Bodies`] reply; ask again from `first + count` for the rest.
pub const BODIES_PER_PAGE: usize = 16;
/// Bytes of a detail text on the wire.
pub const DETAIL_BYTES: usize = 256;

codes! {
    /// Why a connection was refused.
    pub enum RefusedCode: u16, "a reason of refusal" {
        /// The first message was no hello of this protocol.
        NotHello = 1,
        /// Another major version. Both are in the message.
        Version = 2,
        /// The daemon has as many clients as it takes on this socket; `limit` says how many.
        TooManyClients = 3,
        /// This user may not use this socket.
        NotPermitted = 4,
        /// The daemon is about to end.
        ShuttingDown = 5,
    }
}

codes! {
    /// Why a request was not carried out.
    pub enum ErrorCode: u16, "an error code" {
        /// The bytes are no request. The client's fault.
        Malformed = 1,
        /// Only the technician's socket takes this request.
        TechnicianOnly = 2,
        /// There is no arm with index `number`; `limit` is how many there are.
        NoSuchArm = 3,
        /// There is no body `number`.
        NoSuchBody = 4,
        /// Body `number` is not this client's to move or to remove: it is another client's or the
        /// configuration's, another client is moving it, or forces do. The detail says which.
        NotYours = 5,
        /// Body `number` is static: no client moves it.
        StaticBody = 6,
        /// More than `limit` messages a second.
        TooManyMessages = 7,
        /// This client already has `number` bodies, its limit.
        TooManyBodies = 8,
        /// The mesh, or all of this client's meshes together, have `number` bytes; `limit` are
        /// allowed. With a detail: the body would take `number` bytes of memory, and `limit` are
        /// left.
        MeshTooLarge = 9,
        /// The scene takes no more bodies: it has `limit`, or it is planar (`limit` is 0 and the
        /// detail says so).
        SceneFull = 10,
        /// A body of that name exists.
        NameTaken = 11,
        /// The mesh is not one, or not fit for a solid body; the detail says why.
        BadMesh = 12,
        /// The descriptor is not a sealed memory file.
        BadDescriptor = 13,
        /// A number is out of its range: `number`, at most `limit`. The detail says which number it
        /// is, and its least where it is below that.
        OutOfRange = 14,
        /// The daemon is busy with earlier requests: try again.
        Busy = 15,
        /// The daemon is about to end.
        ShuttingDown = 16,
        /// The daemon could not do it (out of memory or descriptors). The daemon's fault.
        Internal = 17,
        /// A second hello, or another request in a wrong place.
        OutOfOrder = 18,
        /// The configuration was not taken; the detail says why.
        ConfigRefused = 19,
        /// Body `number` is soft, cloth, of a crowd or implicit: no client moves or removes it.
        /// Since 2.1.
        Deformable = 20,
        /// Body `number` is shown by its pose or its skin: it has no block of its surface. Since
        /// 2.1.
        NoSurface = 21,
        /// Body `number` has no skin. Since 2.2.
        NoSkin = 22,
        /// Body `number` is shown by its surface or its skin: it has no shape that keeps. Since
        /// 2.2.
        NoShape = 23,
        /// The limits that were asked for cannot be kept: one is `number`, at least `limit`, both
        /// rounded; exactly in the detail. Since 2.3.
        LimitsRefused = 24,
        /// The scene cannot have such a dynamic body: no mass, no inside, or it would begin inside
        /// another one. The detail says which. Since 2.3.
        BadBody = 25,
    }
}

codes! {
    /// What a descriptor of a [`Subscribed`] reply is.
    pub enum BlockKind: u16, "a kind of block" {
        /// [`ArmState`](crate::block::ArmState).
        State = 1,
        /// [`Contacts`](crate::block::Contacts).
        Contacts = 2,
        /// [`Bodies`](crate::block::Bodies).
        Bodies = 3,
        /// The wake-up socket.
        Wake = 4,
        /// A deformable body's surface ([`SurfaceHeader`](crate::block::SurfaceHeader)): only in a
        /// block's header, for it is not subscribed to but opened
        /// ([`OpenSurface`](crate::request::OpenSurface)). Since 2.1.
        Surface = 5,
        /// An implicit body's skin ([`SkinHeader`](crate::block::SkinHeader)): opened as a surface
        /// is ([`OpenSkin`](crate::request::OpenSkin)). Since 2.2.
        Skin = 6,
    }
}

record! {
    /// One arm.
    pub struct ArmInfo {
        /// Its name in the configuration.
        name: Name,
        /// Where its base stands.
        world_from_base: Pose,
        /// World metres per device metre.
        scale: f64,
        /// Centre of its workspace in its base frame, m.
        workspace_center_m: [f64; 3],
        /// Half the edges of its workspace, m.
        workspace_half_extents_m: [f64; 3],
        /// Largest force now, N: the strictest of arm, configuration and clients, as the loop keeps
        /// it.
        peak_force_n: Limit,
        /// Largest force that it may hold for ever now, N.
        continuous_force_n: Limit,
        /// Largest torque now, N m; 0 without torque.
        peak_torque_nm: Limit,
        /// Radius of its tool if that is a sphere, 0 for a mesh, m.
        tool_radius_m: f64,
        /// Nominal period of the loop, ns.
        period_ns: u64,
        /// Degrees of freedom that are measured.
        degrees_in: u8,
        /// Degrees of freedom that are driven.
        degrees_out: u8,
        /// Its index in every message and block.
        index: u8,
        /// Whether it is there.
        attached: bool,
    } reserved 4
}

record! {
    /// One body.
    pub struct BodyInfo {
        /// Its name.
        name: Name,
        /// Its identity, never used twice.
        body: u32,
        /// Triangles of its mesh, or of its surface.
        triangles: u32,
        /// May it move, and does it keep its shape.
        kind: BodyKind,
        /// Whether the asking client has added it.
        yours: bool,
    } reserved 6
}

record! {
    /// What one descriptor of a [`Subscribed`] reply is.
    pub struct BlockInfo {
        /// Which block.
        kind: BlockKind,
        /// Whose: the arm's index.
        arm: u16,
    } reserved 4
}

messages! {
    /// An answer from the daemon.
    pub enum Reply {
        /// The connection stands.
        Welcome = 0x8101 => {
            /// [`MAGIC`](crate::MAGIC).
            magic: u64,
            /// The daemon's major version, the same as the client's.
            major: u16,
            /// The daemon's minor version; both sides use the lower one.
            minor: u16,
            /// This client's number.
            client: u32,
            /// Any request at least this often, or the client counts as silent and the force of its
            /// bodies ramps to zero, ms.
            lease_ms: u32,
            /// Most requests a second.
            messages_per_s: u32,
            /// Most bodies of one client.
            max_bodies: u32,
            /// Whether this is the technician's socket.
            technician: bool,
        } reserved 3

        /// The connection does not stand; it is closed after this.
        Refused = 0x8102 => {
            /// Why.
            code: RefusedCode,
            /// The daemon's major version.
            major: u16,
            /// The daemon's minor version.
            minor: u16,
            /// The client's major version, as it was understood.
            client_major: u16,
            /// The client's minor version.
            client_minor: u16,
            /// The limit, where the reason has one.
            limit: u16,
        } reserved 4

        /// It is done.
        Done = 0x8103 => {} reserved 8

        /// It is not done.
        Error = 0x8104 => {
            /// A number that goes with the code.
            number: u64,
            /// The limit that goes with the code.
            limit: u64,
            /// A sentence for a person, perhaps empty.
            detail: Text<DETAIL_BYTES>,
            /// Why.
            code: ErrorCode,
            /// The request's kind; 0 when it was not understood.
            request: u16,
        } reserved 4

        /// All arms.
        Arms = 0x8105 => {
            /// In the order of their indices.
            arms: List<ArmInfo, { crate::MAX_ARMS }>,
        } reserved 0

        /// Some bodies.
        Bodies = 0x8106 => {
            /// How many there are in all.
            total: u32,
            /// How many were left out before these.
            first: u32,
            /// These.
            bodies: List<BodyInfo, BODIES_PER_PAGE>,
        } reserved 0

        /// The blocks that were asked for: one descriptor for each, in this order.
        Subscribed = 0x8107, descriptors |reply| reply.blocks.0.len().min(4) as u8 => {
            /// What the descriptors are.
            blocks: List<BlockInfo, 4>,
        } reserved 0

        /// The body is in the scene.
        BodyAdded = 0x8108 => {
            /// Its identity.
            body: u32,
            /// Triangles of its mesh after cleaning.
            triangles: u32,
        } reserved 0

        /// The daemon's state. Carries one descriptor: a sealed memory file with JSON text.
        Status = 0x8109, descriptors |_| 1 => {
            /// Length of the text.
            bytes: u64,
        } reserved 0

        /// The surface that was asked for. Carries one descriptor: its block. Since 2.1.
        Surface = 0x810a, descriptors |_| 1 => {
            /// Whose.
            body: u32,
        } reserved 4

        /// The skin that was asked for. Carries one descriptor: its block. Since 2.2.
        Skin = 0x810b, descriptors |_| 1 => {
            /// Whose.
            body: u32,
        } reserved 4

        /// The shape that was asked for. Carries one descriptor: a sealed memory file with its mesh
        /// in the body's frame ([`mesh`](crate::mesh), coordinates of 4 bytes), the same file for
        /// all who ask. Since 2.2.
        Shape = 0x810c, descriptors |_| 1 => {
            /// Whose.
            body: u32,
        } reserved 4

        /// The limits that an arm's governor keeps now, in the order of
        /// [`TightenLimits`](crate::request::TightenLimits). Each is the strictest of arm,
        /// configuration and clients, as a tick of the loop has kept it: what was asked for and no
        /// tick has kept yet is not in it. Since 2.4.
        Limits = 0x810d => {
            /// Largest force magnitude, N. Lower than what was asked for where the continuous limit
            /// does not allow that peak.
            peak_force_n: Limit,
            /// Largest force that may be held for ever (root mean square), N.
            continuous_force_n: Limit,
            /// Largest torque magnitude, N m; 0 without torque. Lower than what was asked for where
            /// the continuous limit does not allow that peak.
            peak_torque_nm: Limit,
            /// Largest torque that may be held for ever (root mean square), N m; 0 without torque.
            continuous_torque_nm: Limit,
            /// Largest rate of change of force, N/s.
            slew_n_per_s: Limit,
            /// Largest rate of change of torque, N m/s.
            slew_nm_per_s: Limit,
            /// Tool speed above which force is cut, m/s.
            velocity_m_s: Limit,
            /// Tool turning speed above which force is cut, rad/s.
            angular_velocity_rad_s: Limit,
            /// The arm's index.
            arm: u8,
        } reserved 7
    }
}

impl ErrorCode {
    /// Whether a detail of this code, where there is one, says all: the general words beside it
    /// would say the same again, or name a cause that is not this one.
    const fn is_said_by_the_detail(self) -> bool {
        matches!(
            self,
            Self::NotYours
                | Self::StaticBody
                | Self::OutOfRange
                | Self::SceneFull
                | Self::MeshTooLarge
        )
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            code,
            number,
            limit,
            detail,
            ..
        } = self;
        if code.is_said_by_the_detail() && !detail.as_str().is_empty() {
            return write!(f, "{detail}");
        }
        match code {
            ErrorCode::Malformed => write!(f, "malformed request"),
            ErrorCode::TechnicianOnly => {
                write!(f, "only the technician's socket takes this request")
            }
            ErrorCode::NoSuchArm => write!(f, "there is no arm {number}; there are {limit}"),
            ErrorCode::NoSuchBody => write!(f, "there is no body {number}"),
            ErrorCode::NotYours => write!(
                f,
                "body {number} is another client's, or another client is moving it"
            ),
            ErrorCode::StaticBody => write!(f, "body {number} is static"),
            ErrorCode::TooManyMessages => write!(f, "more than {limit} messages a second"),
            ErrorCode::TooManyBodies => {
                write!(f, "this client already has {number} bodies of {limit}")
            }
            ErrorCode::MeshTooLarge => {
                write!(f, "{number} bytes of mesh, at most {limit} are allowed")
            }
            ErrorCode::SceneFull => write!(f, "the scene is full with {limit} bodies"),
            ErrorCode::NameTaken => write!(f, "a body of that name exists"),
            ErrorCode::BadMesh => write!(f, "the mesh is refused"),
            ErrorCode::BadDescriptor => write!(f, "the descriptor is not a sealed memory file"),
            ErrorCode::OutOfRange => write!(f, "{number} is out of range, at most {limit}"),
            ErrorCode::Busy => write!(f, "the daemon is busy, try again"),
            ErrorCode::ShuttingDown => write!(f, "the daemon is about to end"),
            ErrorCode::Internal => write!(f, "the daemon could not do it"),
            ErrorCode::OutOfOrder => write!(f, "a request in a wrong place"),
            ErrorCode::ConfigRefused => write!(f, "the configuration was not taken"),
            ErrorCode::Deformable => write!(
                f,
                "body {number} is the soft simulation's: no client moves or removes it"
            ),
            ErrorCode::NoSurface => write!(f, "body {number} has no block of its surface"),
            ErrorCode::NoSkin => write!(f, "body {number} has no skin"),
            ErrorCode::NoShape => write!(f, "body {number} has no shape that keeps"),
            ErrorCode::LimitsRefused => write!(f, "these limits cannot be kept"),
            ErrorCode::BadBody => write!(f, "no dynamic body can be like that"),
        }?;
        if detail.as_str().is_empty() {
            Ok(())
        } else {
            write!(f, ": {detail}")
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.code {
            RefusedCode::NotHello => write!(f, "the daemon did not understand the hello"),
            RefusedCode::Version => write!(
                f,
                "the daemon speaks version {}.{} and this client {}.{}: the first numbers must be the same",
                self.major, self.minor, self.client_major, self.client_minor
            ),
            RefusedCode::TooManyClients => write!(
                f,
                "all {} places of the daemon for clients on this socket are taken",
                self.limit
            ),
            RefusedCode::NotPermitted => write!(f, "this user may not use this socket"),
            RefusedCode::ShuttingDown => write!(f, "the daemon is about to end"),
        }
    }
}
