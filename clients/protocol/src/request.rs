//! What a client says to the daemon. Every request is answered with one
//! [`Reply`](crate::reply::Reply) of the same id.
//!
//! Kinds `0x01..` are for everybody, kinds `0x02..` for the technician's socket only.

use crate::{
    frame::messages,
    text::Name,
    wire::{Limit, NonNegative, Pose, codes},
};

/// Stands for every arm where an arm's index is asked for.
pub const ALL_ARMS: u8 = 255;

/// Longest lease that any daemon gives, ms. Longer ones would leave force standing without
/// anyone to look after it. A daemon's configuration may allow less, and by default allows a second
/// (`ipc.max_lease_ms`). A client learns it from the refusal of a longer one
/// ([`OutOfRange`](crate::reply::ErrorCode::OutOfRange)): its `limit` is what is allowed, ms.
pub const MAX_LEASE_MS: u32 = 10_000;

/// What to subscribe to: a sum of these.
pub mod want {
    /// The arm's state block.
    pub const STATE: u8 = 1;
    /// The arm's contact block.
    pub const CONTACTS: u8 = 2;
    /// The block of all bodies' poses (the same whichever arm).
    pub const BODIES: u8 = 4;
    /// A descriptor that becomes readable when the arm's state is new: a socket from which small
    /// datagrams are read and thrown away.
    pub const WAKE: u8 = 8;
    /// [`Event`](crate::event::Event)s on the control socket.
    pub const EVENTS: u8 = 16;
    /// All that exist.
    pub const ALL: u8 = 31;
}

codes! {
    /// Whether a body may move, and whether it keeps its shape.
    pub enum BodyKind: u8, "0 (static), 1 (kinematic), 2 (dynamic), 3 (soft), 4 (cloth), 5 (crowd) or 6 (implicit)" {
        /// Never moves.
        Static = 0,
        /// The client moves it.
        Kinematic = 1,
        /// Forces move it: gravity, contacts, and the tools that touch it.
        Dynamic = 2,
        /// Forces move and deform it. The configuration's: no client adds, moves or removes one.
        /// Since 2.1.
        Soft = 3,
        /// A sheet: as soft. Since 2.1.
        Cloth = 4,
        /// One of a crowd of loose rigid bodies: moved by forces as a dynamic one, shown as a soft
        /// one. Since 2.1.
        Crowd = 5,
        /// Spheres that forces move, under an implicit surface that blends over them: a strand, a
        /// fluid, a springy solid. Shown by its skin. Since 2.2.
        Implicit = 6,
    }
}

impl BodyKind {
    /// Whether such a body is shown by its surface ([`OpenSurface`]) and not by its pose.
    pub const fn has_surface(self) -> bool {
        matches!(self, Self::Soft | Self::Cloth | Self::Crowd)
    }

    /// Whether such a body is shown by its skin ([`OpenSkin`]) and not by its pose.
    pub const fn has_skin(self) -> bool {
        matches!(self, Self::Implicit)
    }

    /// Whether the soft simulation moves it, and so no client.
    pub const fn is_simulated(self) -> bool {
        self.has_surface() || self.has_skin()
    }

    /// The minor version that it came with: to clients of an earlier one there is no such body.
    pub const fn since(self) -> u16 {
        match self {
            Self::Static | Self::Kinematic | Self::Dynamic => 0,
            Self::Soft | Self::Cloth | Self::Crowd => crate::MINOR_SURFACES,
            Self::Implicit => crate::MINOR_SKINS,
        }
    }

    /// As a person writes it, also in the configuration.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Kinematic => "kinematic",
            Self::Dynamic => "dynamic",
            Self::Soft => "soft",
            Self::Cloth => "cloth",
            Self::Crowd => "crowd",
            Self::Implicit => "implicit",
        }
    }
}

messages! {
    /// A message from a client.
    pub enum Request {
        /// The first message of a connection. Answered by [`Welcome`](crate::reply::Welcome) or
        /// [`Refused`](crate::reply::Refused).
        Hello = 0x0101 => {
            /// [`MAGIC`](crate::MAGIC).
            magic: u64,
            /// The client's major version.
            major: u16,
            /// The client's minor version.
            minor: u16,
            /// Zero.
            features: u32,
            /// What the client calls itself.
            name: Name,
        } reserved 0

        /// Asks for the arms. Answered by [`Arms`](crate::reply::Arms).
        ListArms = 0x0102 => {} reserved 8

        /// Asks for the bodies from index `first` on. Answered by [`Bodies`](crate::reply::Bodies).
        ListBodies = 0x0103 => {
            /// How many to leave out.
            first: u32,
        } reserved 4

        /// Asks for shared blocks. Answered by [`Subscribed`](crate::reply::Subscribed) with their
        /// descriptors.
        Subscribe = 0x0104 => {
            /// The arm's index.
            arm: u8,
            /// A sum of [`want`]'s bits.
            wants: u8,
        } reserved 6

        /// Sends a kinematic body somewhere. It goes there no faster than `speed_m_s` and is
        /// stopped by the tools' continuous collision detection, never carried through one. When
        /// the lease ends without another command, the body stops where it is. A static body is
        /// refused ([`StaticBody`](crate::reply::ErrorCode::StaticBody)), and so are a dynamic one
        /// ([`NotYours`](crate::reply::ErrorCode::NotYours)) and one of the soft simulation
        /// ([`Deformable`](crate::reply::ErrorCode::Deformable)). A pose out of the plane of a
        /// planar scene is [`OutOfRange`](crate::reply::ErrorCode::OutOfRange), and the body goes
        /// on as before.
        SetBodyPose = 0x0105 => {
            /// Where to.
            world_from_body: Pose,
            /// No point of it faster than this, m/s.
            speed_m_s: NonNegative,
            /// Which body.
            body: u32,
            /// For how long the command holds, ms: 1 to [`MAX_LEASE_MS`], or to less where the
            /// daemon's configuration says so. The refusal's `limit` is what it allows.
            lease_ms: u32,
        } reserved 0

        /// Adds a body. Carries one descriptor: its mesh as a sealed memory file
        /// ([`mesh`](crate::mesh)). Answered by [`BodyAdded`](crate::reply::BodyAdded). The body
        /// goes when its client goes.
        AddBody = 0x0106, descriptors |_| 1 => {
            /// Unique in the scene.
            name: Name,
            /// Where it starts.
            world_from_body: Pose,
            /// Contact stiffness, N/m: 1 to 100,000.
            stiffness_n_per_m: NonNegative,
            /// Contact damping, N s/m: at most 1000.
            damping_n_s_per_m: NonNegative,
            /// Coulomb's friction coefficient, at most 2.
            friction: NonNegative,
            /// Coefficient of restitution between this body and others, 0 to 1.
            restitution: NonNegative,
            /// Density of a dynamic body, kg/m³: 1 to 30,000; of no meaning for others.
            density_kg_m3: NonNegative,
            /// May it move. Not soft, not cloth.
            kind: BodyKind,
            /// True: its mesh must be closed and oriented. False: an open sheet is welcome.
            solid: bool,
        } reserved 6

        /// Removes a body that this client has added.
        RemoveBody = 0x0107 => {
            /// Which body.
            body: u32,
        } reserved 4

        /// Stops a kinematic body where it is and gives up the lease on it. Refused for a body of
        /// another kind as [`SetBodyPose`] is.
        HaltBody = 0x0108 => {
            /// Which body.
            body: u32,
        } reserved 4

        /// Tightens limits of an arm's governor. A limit that is looser than the one in force
        /// changes nothing, so no client can give itself or another one more force. Outlives its
        /// client: holds until a technician releases it ([`ReleaseLimits`]) or the daemon ends.
        /// Answered by [`Done`](crate::reply::Done) when a tick of the loop has kept it: the force
        /// follows within the slew limit. Limits that cannot be kept are refused
        /// ([`LimitsRefused`](crate::reply::ErrorCode::LimitsRefused)) and nothing changes.
        TightenLimits = 0x0109 => {
            /// Force magnitude, N.
            peak_force_n: Limit,
            /// Force that may be held for ever, N.
            continuous_force_n: Limit,
            /// Torque magnitude, N m.
            peak_torque_nm: Limit,
            /// Torque that may be held for ever, N m.
            continuous_torque_nm: Limit,
            /// Rate of change of force, N/s.
            slew_n_per_s: Limit,
            /// Rate of change of torque, N m/s.
            slew_nm_per_s: Limit,
            /// Tool speed above which force is cut, m/s.
            velocity_m_s: Limit,
            /// Tool turning speed above which force is cut, rad/s.
            angular_velocity_rad_s: Limit,
            /// The arm's index, or [`ALL_ARMS`].
            arm: u8,
        } reserved 7

        /// "I am alive": renews every lease of this client for `lease_ms`. Any request shows that a
        /// client is alive; this one does nothing else.
        Renew = 0x010a => {
            /// For how long, ms: 1 to [`MAX_LEASE_MS`], or to less where the daemon's configuration
            /// says so. The refusal's `limit` is what it allows.
            lease_ms: u32,
        } reserved 4

        /// The application gained or lost the user's attention. Without it, this client's bodies
        /// make no force.
        SetFocus = 0x010b => {
            /// Whether it has it. A new connection has.
            focused: bool,
        } reserved 7

        /// The last message of a connection: the client leaves in good order.
        Goodbye = 0x010c => {} reserved 8

        /// Asks for the block of a deformable body's surface ([`block`](crate::block)). Answered by
        /// [`Surface`](crate::reply::Surface) with its descriptor. Since 2.1.
        OpenSurface = 0x010d => {
            /// Which body: soft, cloth or of a crowd.
            body: u32,
        } reserved 4

        /// Asks for the block of an implicit body's skin ([`block`](crate::block)). Answered by
        /// [`Skin`](crate::reply::Skin) with its descriptor. Since 2.2.
        OpenSkin = 0x010e => {
            /// Which body: implicit.
            body: u32,
        } reserved 4

        /// Asks for the shape of a body that is shown by its pose, or of an arm's tool. Answered by
        /// [`Shape`](crate::reply::Shape) with a descriptor. Since 2.2.
        OpenShape = 0x010f => {
            /// Which body: static, kinematic or dynamic, whoever added it; `u32::MAX - k` for the
            /// tool of arm `k`.
            body: u32,
        } reserved 4

        /// Asks for the limits that are in force on an arm, all that [`TightenLimits`] can tighten.
        /// Answered by [`Limits`](crate::reply::Limits). Since 2.4.
        GetLimits = 0x0110 => {
            /// The arm's index: one arm, never [`ALL_ARMS`].
            arm: u8,
        } reserved 7

        /// Technician: asks for the daemon's state. Answered by [`Status`](crate::reply::Status).
        GetStatus = 0x0201 => {} reserved 8

        /// Technician: reads the configuration again. Answered by [`Done`](crate::reply::Done) when
        /// a tick of the loop has kept its limits.
        Reload = 0x0202 => {} reserved 8

        /// Technician: ends the daemon in order.
        Shutdown = 0x0203 => {} reserved 8

        /// Technician: clears a latched fault (an emergency stop, say) of an arm. Answered by
        /// [`Done`](crate::reply::Done) when a tick of the loop has taken it; a cause that still
        /// holds comes back.
        ClearFault = 0x0204 => {
            /// The arm's index, or [`ALL_ARMS`].
            arm: u8,
        } reserved 7

        /// Technician: undoes whatever clients have tightened on an arm ([`TightenLimits`]). The
        /// configuration's limits hold again, as they were reloaded last; the force rises within
        /// the slew limit. Answered by [`Done`](crate::reply::Done) when a tick of the loop has
        /// kept them. Since 2.3.
        ReleaseLimits = 0x0205 => {
            /// The arm's index, or [`ALL_ARMS`].
            arm: u8,
        } reserved 7
    }
}

impl Hello {
    /// A hello of this version.
    pub fn new(name: Name) -> Self {
        Self {
            magic: crate::MAGIC,
            major: crate::MAJOR,
            minor: crate::MINOR,
            features: 0,
            name,
        }
    }
}

impl Request {
    /// Whether only the technician's socket takes this request.
    pub fn is_for_technicians(&self) -> bool {
        matches!(
            self,
            Self::GetStatus(_)
                | Self::Reload(_)
                | Self::Shutdown(_)
                | Self::ClearFault(_)
                | Self::ReleaseLimits(_)
        )
    }
}
