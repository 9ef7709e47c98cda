//! Replies of the daemon: one for each request, with the request's id.

use crate::{
    frame::messages,
    request::BodyKind,
    text::{Name, Text},
    wire::{Limit, List, Pose, codes, record},
};

/// Maximum number of bodies in one [`Bodies`] reply. Ask again from `skipped + count` for the rest.
pub const BODIES_PER_PAGE: usize = 16;
/// Length of a detail text on the wire, in bytes.
pub const DETAIL_BYTES: usize = 256;

codes! {
    /// Reason why a connection was refused.
    pub enum RefusalReason: u16, "a reason of refusal" {
        /// The first message was not a hello of this protocol.
        NotHello = 1,
        /// The major versions differ. Both are in the message.
        VersionMismatch = 2,
        /// The socket has as many clients as the daemon allows: `limit`.
        TooManyClients = 3,
        /// This user may not use this socket.
        NotPermitted = 4,
        /// The daemon is shutting down.
        ShuttingDown = 5,
    }
}

codes! {
    /// Reason why a request was not carried out.
    pub enum ErrorCode: u16, "an error code" {
        /// The bytes are not a request; the client's fault.
        Malformed = 1,
        /// Only the technician's socket takes this request.
        TechnicianOnly = 2,
        /// There is no arm with index `number`; `limit` is how many there are.
        NoSuchArm = 3,
        /// There is no body `number`.
        NoSuchBody = 4,
        /// This client may not move or remove body `number`. It belongs to another client or to the
        /// configuration, another client is moving it, or forces move it; the detail says which.
        NotPermitted = 5,
        /// Body `number` is static: no client can move it.
        StaticBody = 6,
        /// The client sent more than `limit` messages per second.
        TooManyMessages = 7,
        /// This client already has `number` bodies, which is its limit.
        TooManyBodies = 8,
        /// `number` bytes of mesh, and `limit` are allowed. It is this mesh, or all of this
        /// client's together. If there is a detail: the body would need `number` bytes of memory,
        /// and `limit` are left.
        MeshTooLarge = 9,
        /// The scene takes no more bodies: it already has `limit`. In a planar scene that is 0, and
        /// the detail says so.
        SceneFull = 10,
        /// A body with that name exists.
        NameTaken = 11,
        /// The mesh is invalid, or not suitable for a solid body; the detail says why.
        InvalidMesh = 12,
        /// The descriptor is not a sealed memory file.
        InvalidDescriptor = 13,
        /// A number is out of range: it is `number`, at most `limit` is allowed. The detail names
        /// the number, and its minimum if it is below that.
        OutOfRange = 14,
        /// The daemon is busy with earlier requests: try again.
        Busy = 15,
        /// The daemon is shutting down.
        ShuttingDown = 16,
        /// The daemon could not do it (out of memory or descriptors); the daemon's fault.
        Internal = 17,
        /// A second hello, or another request out of order.
        OutOfOrder = 18,
        /// The configuration was refused; the detail says why.
        ConfigRefused = 19,
        /// Body `number` is deformable: no client can move or remove it. It is soft, a cloth, of a
        /// crowd or implicit.
        DeformableBody = 20,
        /// Body `number` is shown by its pose or its skin: it has no surface block.
        NoSurface = 21,
        /// Body `number` has no skin.
        NoSkin = 22,
        /// Body `number` is shown by its surface or its skin: it has no constant shape.
        NoShape = 23,
        /// One of the limits is `number` and must be at least `limit`, both rounded. The detail has
        /// the exact values.
        LimitsRefused = 24,
        /// The scene cannot hold such a dynamic body. It has no mass or no inside, or it would
        /// start inside another body; the detail says which.
        InvalidBody = 25,
        /// This client has no effect `number`: it never had, or the effect has ended.
        NoSuchEffect = 26,
        /// The arm has as many effects as it can: `limit`. Or the configuration allows none: then
        /// `limit` is 0.
        TooManyEffects = 27,
    }
}

codes! {
    /// Kind of a descriptor in a [`Subscribed`] reply, and of a block.
    pub enum BlockKind: u16, "a kind of block" {
        /// [`ArmState`](crate::block::ArmState).
        State = 1,
        /// [`Contacts`](crate::block::Contacts).
        Contacts = 2,
        /// [`Bodies`](crate::block::Bodies).
        Bodies = 3,
        /// The wake-up socket.
        Wake = 4,
        /// Surface of a deformable body ([`SurfaceHeader`](crate::block::SurfaceHeader)). Occurs
        /// only in a block's header: a client does not subscribe to it but opens it
        /// ([`OpenSurface`](crate::request::OpenSurface)).
        Surface = 5,
        /// Skin of an implicit body ([`SkinHeader`](crate::block::SkinHeader)). It is opened like a
        /// surface ([`OpenSkin`](crate::request::OpenSkin)).
        Skin = 6,
        /// [`NeedleState`](crate::block::NeedleState).
        Needle = 7,
    }
}

record! {
    /// Description of an arm.
    pub struct ArmInfo {
        /// Name in the configuration.
        name: Name,
        /// Pose of the base in the world.
        world_from_base: Pose,
        /// World metres per device metre.
        scale: f64,
        /// Centre of the workspace in the base frame, m.
        workspace_center_m: [f64; 3],
        /// Half of each edge of the workspace, m.
        workspace_half_extents_m: [f64; 3],
        /// Largest force allowed now, N. It is the strictest of arm, configuration and clients, as
        /// the loop applies it.
        peak_force_n: Limit,
        /// Largest force that may be held indefinitely, N; as it is now.
        continuous_force_n: Limit,
        /// Largest torque allowed now, N m; 0 if the arm has no torque.
        peak_torque_nm: Limit,
        /// Radius of a spherical tool, m; 0 for a mesh.
        tool_radius_m: f64,
        /// Nominal period of the loop, ns.
        period_ns: u64,
        /// Number of measured degrees of freedom.
        sensed_dof: u8,
        /// Number of actuated degrees of freedom.
        actuated_dof: u8,
        /// Index of the arm in every message and block.
        index: u8,
        /// Whether the arm is attached.
        attached: bool,
    } reserved 4
}

record! {
    /// Description of a body.
    pub struct BodyInfo {
        /// Name of the body.
        name: Name,
        /// Identity of the body; never reused.
        body: u32,
        /// Number of triangles of its mesh or of its surface.
        triangles: u32,
        /// Whether it may move, and whether it keeps its shape.
        kind: BodyKind,
        /// Whether the asking client added it.
        owned: bool,
    } reserved 6
}

record! {
    /// Description of one descriptor of a [`Subscribed`] reply.
    pub struct BlockInfo {
        /// Kind of the block.
        kind: BlockKind,
        /// Index of the arm that the block belongs to.
        arm: u16,
    } reserved 4
}

messages! {
    /// A reply from the daemon.
    pub enum Reply {
        /// The connection is accepted.
        Welcome = 0x8101 => {
            /// `HAPTICD` and a zero byte: [`MAGIC`](crate::MAGIC).
            magic: u64,
            /// The daemon's major version, the same as the client's.
            major: u16,
            /// The daemon's minor version; both sides use the lower one.
            minor: u16,
            /// Number of this client.
            client: u32,
            /// The client must send some request at least this often, ms. Otherwise it counts as
            /// silent, and the force of its bodies ramps to zero.
            lease_ms: u32,
            /// Maximum number of requests per second.
            messages_per_s: u32,
            /// Maximum number of bodies of one client.
            max_bodies: u32,
            /// Whether this is the technician's socket.
            technician: bool,
        } reserved 3

        /// The connection is refused; the daemon closes it after this message.
        Refused = 0x8102 => {
            /// Reason for the refusal.
            reason: RefusalReason,
            /// The daemon's major version.
            major: u16,
            /// The daemon's minor version.
            minor: u16,
            /// The client's major version, as the daemon understood it.
            client_major: u16,
            /// The client's minor version.
            client_minor: u16,
            /// The limit, if the reason has one.
            limit: u16,
        } reserved 4

        /// The request was carried out.
        Done = 0x8103 => {} reserved 8

        /// The request was not carried out.
        Error = 0x8104 => {
            /// Number that belongs to the code.
            number: u64,
            /// Limit that belongs to the code.
            limit: u64,
            /// A sentence for people; may be empty.
            detail: Text<DETAIL_BYTES>,
            /// Reason for the error.
            code: ErrorCode,
            /// Kind of the request; 0 when it was not understood.
            request: u16,
        } reserved 4

        /// All arms.
        Arms = 0x8105 => {
            /// The arms in the order of their indices.
            arms: List<ArmInfo, { crate::MAX_ARMS }>,
        } reserved 0

        /// One page of bodies.
        Bodies = 0x8106 => {
            /// Number of bodies in all.
            total: u32,
            /// Number of bodies that were skipped before these.
            skipped: u32,
            /// The bodies of this page.
            bodies: List<BodyInfo, BODIES_PER_PAGE>,
        } reserved 0

        /// The requested blocks: one descriptor for each, in this order.
        Subscribed = 0x8107, descriptors [one for each blocks] => {
            /// Descriptions of the descriptors.
            blocks: List<BlockInfo, 5>,
        } reserved 0

        /// The body is in the scene.
        BodyAdded = 0x8108 => {
            /// Identity of the body.
            body: u32,
            /// Number of triangles of its mesh after cleaning.
            triangles: u32,
        } reserved 0

        /// The daemon's state. Carries one descriptor: a sealed memory file with JSON text.
        Status = 0x8109, descriptors [1] => {
            /// Length of the text in bytes.
            bytes: u64,
        } reserved 0

        /// The requested surface. Carries one descriptor: its block.
        Surface = 0x810a, descriptors [1] => {
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// The requested skin. Carries one descriptor: its block.
        Skin = 0x810b, descriptors [1] => {
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// The requested shape. Carries one descriptor: a sealed memory file with its mesh in the
        /// body's frame ([`mesh`](crate::mesh), coordinates of 4 bytes). All clients that ask get
        /// the same file.
        Shape = 0x810c, descriptors [1] => {
            /// Identity of the body, or the number that stands for the tool.
            body: u32,
        } reserved 4

        /// The limits that an arm's governor applies now, in the order of
        /// [`TightenLimits`](crate::request::TightenLimits). Each is the strictest of arm,
        /// configuration and clients, as a tick of the loop has applied it. A request that no tick
        /// has applied yet is not included.
        Limits = 0x810d => {
            /// Largest force magnitude, N. Lower than requested if the continuous limit does not
            /// allow that peak.
            peak_force_n: Limit,
            /// Largest force that may be held indefinitely (root mean square), N.
            continuous_force_n: Limit,
            /// Largest torque magnitude, N m; 0 if the arm has no torque. Lower than requested if
            /// the continuous limit does not allow that peak.
            peak_torque_nm: Limit,
            /// Largest torque that may be held indefinitely (root mean square), N m; 0 if the arm
            /// has no torque.
            continuous_torque_nm: Limit,
            /// Largest rate of change of force, N/s.
            slew_n_per_s: Limit,
            /// Largest rate of change of torque, N m/s.
            slew_nm_per_s: Limit,
            /// Tool speed above which force is cut, m/s.
            velocity_m_s: Limit,
            /// Tool turning speed above which force is cut, rad/s.
            angular_velocity_rad_s: Limit,
            /// Index of the arm.
            arm: u8,
        } reserved 7

        /// The effect runs from the next tick on.
        EffectSet = 0x810e => {
            /// Force that all effects of the arm make together at most, N.
            most_force_n: f64,
            /// Identity of the effect; never reused.
            effect: u32,
        } reserved 4
    }
}

impl ErrorCode {
    /// Returns true if a detail of this code, when present, replaces the general text. The general
    /// text would repeat the detail, or name a different cause.
    const fn detail_replaces_text(self) -> bool {
        matches!(
            self,
            Self::NotPermitted
                | Self::StaticBody
                | Self::OutOfRange
                | Self::SceneFull
                | Self::MeshTooLarge
                | Self::DeformableBody
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
        if code.detail_replaces_text() && !detail.as_str().is_empty() {
            return write!(f, "{detail}");
        }
        match code {
            ErrorCode::Malformed => write!(f, "malformed request"),
            ErrorCode::TechnicianOnly => {
                write!(f, "only the technician's socket takes this request")
            }
            ErrorCode::NoSuchArm => write!(f, "there is no arm {number}; there are {limit}"),
            ErrorCode::NoSuchBody => write!(f, "there is no body {number}"),
            ErrorCode::NotPermitted => write!(
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
            ErrorCode::InvalidMesh => write!(f, "invalid mesh"),
            ErrorCode::InvalidDescriptor => write!(f, "the descriptor is not a sealed memory file"),
            ErrorCode::OutOfRange => write!(f, "{number} is out of range, at most {limit}"),
            ErrorCode::Busy => write!(f, "the daemon is busy, try again"),
            ErrorCode::ShuttingDown => write!(f, "the daemon is shutting down"),
            ErrorCode::Internal => write!(f, "the daemon could not do it"),
            ErrorCode::OutOfOrder => write!(f, "request out of order"),
            ErrorCode::ConfigRefused => write!(f, "the configuration was refused"),
            ErrorCode::DeformableBody => write!(
                f,
                "body {number} is deformable: clients neither move nor remove it"
            ),
            ErrorCode::NoSurface => write!(f, "body {number} has no surface"),
            ErrorCode::NoSkin => write!(f, "body {number} has no skin"),
            ErrorCode::NoShape => write!(f, "body {number} has no constant shape"),
            ErrorCode::LimitsRefused => write!(f, "these limits cannot be kept"),
            ErrorCode::InvalidBody => write!(f, "invalid dynamic body"),
            ErrorCode::NoSuchEffect => write!(f, "this client has no effect {number}"),
            ErrorCode::TooManyEffects if *limit == 0 => {
                write!(
                    f,
                    "the configuration allows no effects: `ipc.max_effect_force_n` is 0"
                )
            }
            ErrorCode::TooManyEffects => write!(f, "the arm already has its {limit} effects"),
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
        match self.reason {
            RefusalReason::NotHello => write!(
                f,
                "the first message is not a `Hello` of this protocol, or one of its fields is not \
                 allowed"
            ),
            RefusalReason::VersionMismatch => {
                let what_to_do = if self.client_major < self.major {
                    "build the client again with the client library of the daemon's release"
                } else {
                    "install the release of hapticd that the client was built for"
                };
                write!(
                    f,
                    "the client speaks protocol {}.{} and the daemon {}.{}, which differ in the \
                     major version: {what_to_do}",
                    self.client_major, self.client_minor, self.major, self.minor
                )
            }
            RefusalReason::TooManyClients => {
                write!(f, "all {} places for clients are taken", self.limit)
            }
            RefusalReason::NotPermitted => write!(f, "this user may not use this socket"),
            RefusalReason::ShuttingDown => write!(f, "the daemon is shutting down"),
        }
    }
}
