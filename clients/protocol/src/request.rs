//! Requests from a client to the daemon. The daemon answers every request with one
//! [`Reply`](crate::reply::Reply) of the same id.
//!
//! Kinds `0x01..` are for all clients, kinds `0x02..` only for clients on the technician's socket.

use crate::{
    frame::messages,
    text::Name,
    wire::{Limit, List, NonNegative, Pose, codes, flags, record},
};

/// Stands for all arms in fields that take an arm's index.
pub const ALL_ARMS: u8 = 255;

/// Highest speed of any point of a body that a client moves, m/s. A tool moves at a metre or two a
/// second; more is a mistake of units.
pub const MAX_SPEED_M_S: f64 = 20.0;

/// Longest lease that any daemon grants, ms. A longer one would leave a force standing with no one
/// in control of it. A daemon's configuration may allow less; its default is one second
/// (`ipc.max_lease_ms`). A client learns the limit in ms from the refusal of a longer lease:
/// `limit` of [`OutOfRange`](crate::reply::ErrorCode::OutOfRange).
pub const MAX_LEASE_MS: u32 = 10_000;

/// Most effects of an arm at the same time, all clients together.
pub const EFFECTS_PER_ARM: usize = 8;

/// Largest force that any daemon takes for an effect, N.
pub const MAX_EFFECT_FORCE_N: f64 = 100.0;

/// Largest radius, border and distance of a bubble's centre from the arm's base, m at the device.
pub const MAX_BUBBLE_M: f64 = 10.0;

/// Largest velocity that a [`PushBody`] gives to a body, and largest change of velocity by its
/// impulse, m/s.
pub const MAX_PUSH_M_S: f64 = 100.0;

/// Same for the angular velocity, rad/s.
pub const MAX_PUSH_RAD_S: f64 = 1000.0;

/// Most bodies that one [`SetBodyPoses`] moves.
pub const MAX_TARGETS: usize = 56;

flags! {
    /// Bits of [`Subscribe::topics`](crate::request::Subscribe::topics); add those that are
    /// requested.
    pub mod topic: u8 {
        /// The arm's state block.
        STATE = 1,
        /// The arm's contacts block.
        CONTACTS = 2,
        /// The block of all bodies' poses; the same for every arm.
        BODIES = 4,
        /// A descriptor that becomes readable when the arm's state is new: a socket with small
        /// datagrams that the client reads and discards.
        WAKE = 8,
        /// [`Event`](crate::event::Event)s on the control socket.
        EVENTS = 16,
        /// The news of contacts and buttons on the control socket:
        /// [`Touched`](crate::event::Touched), [`Released`](crate::event::Released),
        /// [`Ghost`](crate::event::Ghost), [`Solid`](crate::event::Solid),
        /// [`ButtonPressed`](crate::event::ButtonPressed) and
        /// [`ButtonReleased`](crate::event::ButtonReleased) of all arms. They are no part of
        /// `EVENTS`.
        CONTACT_EVENTS = 32,
        /// The block of the needle at the arm's tool.
        NEEDLE = 64,
        /// All of the above.
        ALL = 127,
    }
}

codes! {
    /// Whether a body may move, and whether it keeps its shape.
    pub enum BodyKind: u8, "0 (static), 1 (kinematic), 2 (dynamic), 3 (soft), 4 (cloth), 5 (crowd) or 6 (implicit)" {
        /// It never moves.
        Static = 0,
        /// A client moves it.
        Kinematic = 1,
        /// Forces move it: gravity, contacts, and the tools that touch it.
        Dynamic = 2,
        /// Forces move and deform it. It comes from the configuration: clients cannot add, move or
        /// remove it.
        Soft = 3,
        /// A sheet that forces move and deform; otherwise like a soft body.
        Cloth = 4,
        /// One of a crowd of loose rigid bodies: forces move it like a dynamic body, and it is
        /// shown by its surface like a soft one.
        Crowd = 5,
        /// Spheres that forces move, under an implicit surface that blends over them: a strand, a
        /// fluid, a springy solid. Shown by its skin.
        Implicit = 6,
    }
}

record! {
    /// Where a body is to go: the fields of [`SetBodyPose`].
    pub struct BodyTarget {
        /// Target pose.
        world_from_body: Pose,
        /// Maximum speed of any point of the body, m/s.
        speed_m_s: NonNegative = 0.0..=MAX_SPEED_M_S,
        /// Identity of the body.
        body: u32,
        /// Time for which the command holds, ms.
        lease_ms: u32 = 1.0..=MAX_LEASE_MS as f64,
    } reserved 0
}

codes! {
    /// What a [`PushBody`] does to a body.
    pub enum PushMode: u8, "0 (impulse) or 1 (velocity)" {
        /// It adds an impulse: a kick.
        Impulse = 0,
        /// It sets the velocity.
        Velocity = 1,
    }
}

codes! {
    /// Law of an effect's force; `docs/design/effects.md` has the formulas.
    pub enum EffectKind: u8, "0 (constant) to 8 (barrier)" {
        /// A force along the axis.
        Constant = 0,
        /// A force along the axis that goes from `magnitude_n` to `second_n` over the duration,
        /// which must be finite.
        Ramp = 1,
        /// A vibration along the axis: `second_n` is its offset.
        Periodic = 2,
        /// A pull to a point, a line or a plane beyond `dead_band_m`: guidance. `coefficient` is
        /// its stiffness, N/m.
        Spring = 3,
        /// A force against the velocity within `range_m` of the shape: a viscous field.
        /// `coefficient` is its damping, N s/m.
        Damper = 4,
        /// A force of `magnitude_n` against any motion within `range_m` of the shape. `coefficient`
        /// is the stiffness with which it holds the hand at rest, N/m.
        Friction = 5,
        /// A mass of `coefficient` kg at the hand.
        Inertia = 6,
        /// A pull to the shape of at most `magnitude_n` within `range_m`. `coefficient` is its
        /// stiffness, N/m.
        Magnet = 7,
        /// A region that the hand is pushed out of: the ball or cylinder of radius `range_m`, or
        /// the side of the plane that the axis points away from. `coefficient` is its stiffness,
        /// N/m.
        Barrier = 8,
    }
}

codes! {
    /// Form of a vibration.
    pub enum Waveform: u8, "0 (sine), 1 (triangle), 2 (square), 3 (saw up) or 4 (saw down)" {
        /// `sin(2 pi p)`, `p` in periods.
        Sine = 0,
        /// From 0 up to 1, down to -1, back to 0.
        Triangle = 1,
        /// 1 in the first half, -1 in the second.
        Square = 2,
        /// From -1 up to 1.
        SawUp = 3,
        /// From 1 down to -1.
        SawDown = 4,
    }
}

codes! {
    /// Where an effect is.
    pub enum EffectShape: u8, "0 (point), 1 (line) or 2 (plane)" {
        /// The place.
        Point = 0,
        /// The line through the place along the axis.
        Line = 1,
        /// The plane through the place, with the axis as its normal.
        Plane = 2,
    }
}

impl BodyKind {
    /// Returns true if such a body is shown by its surface ([`OpenSurface`]) and not by its pose.
    pub const fn has_surface(self) -> bool {
        matches!(self, Self::Soft | Self::Cloth | Self::Crowd)
    }

    /// Returns true if such a body is shown by its skin ([`OpenSkin`]) and not by its pose.
    pub const fn has_skin(self) -> bool {
        matches!(self, Self::Implicit)
    }

    /// Returns true if the simulation of deformables moves it; clients then cannot.
    pub const fn is_simulated(self) -> bool {
        self.has_surface() || self.has_skin()
    }

    /// Returns the name of this kind for people; the configuration uses the same.
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
    /// A request from a client.
    pub enum Request {
        /// The first message of a connection. Answered by [`Welcome`](crate::reply::Welcome) or
        /// [`Refused`](crate::reply::Refused).
        Hello = 0x0101 -> Welcome | Refused => {
            /// `HAPTICD` and a zero byte: [`MAGIC`](crate::MAGIC).
            magic: u64,
            /// The client's major version.
            major: u16,
            /// The client's minor version.
            minor: u16,
            /// Must be zero.
            features: u32,
            /// Name that the client gives itself.
            name: Name,
        } reserved 0

        /// Asks for the arms. Answered by [`Arms`](crate::reply::Arms).
        ListArms = 0x0102 -> Arms => {} reserved 8

        /// Asks for the bodies from index `skip` on. Answered by [`Bodies`](crate::reply::Bodies).
        ListBodies = 0x0103 -> Bodies => {
            /// Number of bodies to skip.
            skip: u32,
        } reserved 4

        /// Asks for shared blocks. Answered by [`Subscribed`](crate::reply::Subscribed) with their
        /// descriptors.
        Subscribe = 0x0104 -> Subscribed => {
            /// Index of the arm.
            arm: u8,
            /// A sum of bits of [`topic`].
            topics: u8,
        } reserved 6

        /// Moves a kinematic body towards a pose. It moves no faster than `speed_m_s`. Continuous
        /// collision detection stops it at the tools; it never passes through one. When the lease
        /// ends without another command, the body stops where it is. The request is refused for a
        /// static body ([`StaticBody`](crate::reply::ErrorCode::StaticBody)), a dynamic one
        /// ([`NotPermitted`](crate::reply::ErrorCode::NotPermitted)) and a deformable one
        /// ([`DeformableBody`](crate::reply::ErrorCode::DeformableBody)). A pose out of the plane
        /// of a planar scene is [`OutOfRange`](crate::reply::ErrorCode::OutOfRange); the body then
        /// continues as before.
        SetBodyPose = 0x0105 -> Done => {
            /// Target pose.
            world_from_body: Pose,
            /// Maximum speed of any point of the body, m/s.
            speed_m_s: NonNegative = 0.0..=MAX_SPEED_M_S,
            /// Identity of the body.
            body: u32,
            /// Time for which the command holds, ms: 1 to [`MAX_LEASE_MS`], or less if the daemon's
            /// configuration says so. The refusal's `limit` is the longest one allowed.
            lease_ms: u32 = 1.0..=MAX_LEASE_MS as f64,
        } reserved 0

        /// Adds a body. Carries one descriptor: its mesh as a sealed memory file
        /// ([`mesh`](crate::mesh)). Answered by [`BodyAdded`](crate::reply::BodyAdded). The body is
        /// removed when its client disconnects.
        AddBody = 0x0106 -> BodyAdded, descriptors [1] => {
            /// Name, unique in the scene.
            name: Name,
            /// Initial pose.
            world_from_body: Pose,
            /// Contact stiffness, N/m.
            stiffness_n_per_m: NonNegative = 1.0..=100_000.0,
            /// Contact damping, N s/m.
            damping_n_s_per_m: NonNegative = 0.0..=1000.0,
            /// Coulomb's friction coefficient.
            friction: NonNegative = 0.0..=2.0,
            /// Coefficient of restitution between this body and others.
            restitution: NonNegative = 0.0..=1.0,
            /// Density of a dynamic body, kg/m³. Ignored for other kinds.
            density_kg_m3: NonNegative = 1.0..=30_000.0,
            /// Whether the body may move. Only static, kinematic and dynamic bodies can be added.
            kind: BodyKind,
            /// If true, the mesh must be closed and oriented. If false, an open sheet is allowed.
            solid: bool,
        } reserved 6

        /// Removes a body that this client added.
        RemoveBody = 0x0107 -> Done => {
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// Stops a kinematic body where it is and gives up the lease on it. It is refused for
        /// bodies of another kind, as [`SetBodyPose`] is.
        HaltBody = 0x0108 -> Done => {
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// Tightens limits of an arm's governor. A limit looser than the one in force changes
        /// nothing, so no client can raise its own force or another client's. A tightened limit
        /// outlives its client: it holds until a technician releases it ([`ReleaseLimits`]) or the
        /// daemon ends. Answered by [`Done`](crate::reply::Done) when a tick of the loop has
        /// applied it: the force follows within the slew limit. Limits that cannot be kept are
        /// refused ([`LimitsRefused`](crate::reply::ErrorCode::LimitsRefused)), and nothing
        /// changes.
        TightenLimits = 0x0109 -> Done => {
            /// Force magnitude, N.
            peak_force_n: Limit,
            /// Force that may be held indefinitely, N.
            continuous_force_n: Limit,
            /// Torque magnitude, N m.
            peak_torque_nm: Limit,
            /// Torque that may be held indefinitely, N m.
            continuous_torque_nm: Limit,
            /// Rate of change of force, N/s.
            slew_n_per_s: Limit,
            /// Rate of change of torque, N m/s.
            slew_nm_per_s: Limit,
            /// Tool speed above which force is cut, m/s.
            velocity_m_s: Limit,
            /// Tool turning speed above which force is cut, rad/s.
            angular_velocity_rad_s: Limit,
            /// Index of the arm, or [`ALL_ARMS`].
            arm: u8,
        } reserved 7

        /// Keep-alive: renews every lease of this client for `lease_ms`. Any request shows that a
        /// client is alive; this one does nothing else.
        RenewLeases = 0x010a -> Done => {
            /// Length of the renewed leases, ms: 1 to [`MAX_LEASE_MS`], or less if the daemon's
            /// configuration says so. The refusal's `limit` is the longest one allowed.
            lease_ms: u32 = 1.0..=MAX_LEASE_MS as f64,
        } reserved 4

        /// Tells that the application gained or lost the user's focus. Without focus, this client's
        /// bodies produce no force.
        SetFocus = 0x010b -> Done => {
            /// Whether the application has focus. A new connection starts with it.
            focused: bool,
        } reserved 7

        /// The last message of a connection that ends in good order.
        Goodbye = 0x010c => {} reserved 8

        /// Asks for the block of a deformable body's surface ([`block`](crate::block)). Answered by
        /// [`Surface`](crate::reply::Surface) with its descriptor.
        OpenSurface = 0x010d -> Surface => {
            /// Identity of the body: soft, cloth or of a crowd.
            body: u32,
        } reserved 4

        /// Asks for the block of an implicit body's skin ([`block`](crate::block)). Answered by
        /// [`Skin`](crate::reply::Skin) with its descriptor.
        OpenSkin = 0x010e -> Skin => {
            /// Identity of an implicit body.
            body: u32,
        } reserved 4

        /// Asks for the shape of a body that is shown by its pose, or of an arm's tool. Answered by
        /// [`Shape`](crate::reply::Shape) with a descriptor.
        OpenShape = 0x010f -> Shape => {
            /// Identity of the body: static, kinematic or dynamic, no matter which client added it.
            /// `u32::MAX - k` stands for the tool of arm `k`.
            body: u32,
        } reserved 4

        /// Asks for all limits in force on an arm that [`TightenLimits`] can tighten. Answered by
        /// [`Limits`](crate::reply::Limits).
        GetLimits = 0x0110 -> Limits => {
            /// Index of one arm; [`ALL_ARMS`] is refused.
            arm: u8,
        } reserved 7

        /// Moves several kinematic bodies at once, each as [`SetBodyPose`] does. It counts as one
        /// message, and all its targets are taken in the same turn. If one of them is refused, none
        /// is taken: `number` of the error or its detail names the body.
        SetBodyPoses = 0x0111 -> Done => {
            /// The bodies and their targets; of two for one body the last one holds.
            targets: List<BodyTarget, MAX_TARGETS>,
        } reserved 0

        /// Changes the surface of a body that this client added. The force follows without a step:
        /// the stiffness glides over some 10 ms, and a spring that is stretched keeps its energy.
        /// Answered when the scene has the new surface; its restitution stays. It is refused for
        /// bodies of others ([`NotPermitted`](crate::reply::ErrorCode::NotPermitted)).
        SetMaterial = 0x0112 -> Done => {
            /// Contact stiffness, N/m. The arm renders no more than it can render stably.
            stiffness_n_per_m: NonNegative = 1.0..=100_000.0,
            /// Contact damping, N s/m.
            damping_n_s_per_m: NonNegative = 0.0..=1000.0,
            /// Coulomb's friction coefficient.
            friction: NonNegative = 0.0..=2.0,
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// Adds a body with the mesh of one that a client has added; it carries no descriptor, and
        /// the mesh is neither read nor indexed again. Otherwise as [`AddBody`]; it is solid if the
        /// other one is. The mesh stays as long as one of its bodies does, and counts once for a
        /// client that owns several. The bodies of the configuration are refused
        /// ([`NoShape`](crate::reply::ErrorCode::NoShape)).
        AddInstance = 0x0113 -> BodyAdded => {
            /// Name, unique in the scene.
            name: Name,
            /// Initial pose.
            world_from_body: Pose,
            /// Contact stiffness, N/m.
            stiffness_n_per_m: NonNegative = 1.0..=100_000.0,
            /// Contact damping, N s/m.
            damping_n_s_per_m: NonNegative = 0.0..=1000.0,
            /// Coulomb's friction coefficient.
            friction: NonNegative = 0.0..=2.0,
            /// Coefficient of restitution between this body and others.
            restitution: NonNegative = 0.0..=1.0,
            /// Density of a dynamic body, kg/m³. Ignored for other kinds.
            density_kg_m3: NonNegative = 1.0..=30_000.0,
            /// Identity of the body with the mesh, no matter which client added it.
            of: u32,
            /// Whether the body may move. Only static, kinematic and dynamic bodies can be added.
            kind: BodyKind,
        } reserved 3

        /// Begins an effect: a force that an arm makes in addition to what contact makes. Or it
        /// gives a running effect of this client other numbers; its time goes on. Lengths and
        /// directions are the world's; newtons, stiffness, damping and mass are what the hand
        /// feels. Answered by [`EffectSet`](crate::reply::EffectSet). An effect ends when its
        /// duration is over, when it is stopped, and with its client: also when that is silent for
        /// longer than its lease. While the client is out of focus the effect makes no force. All
        /// effects of an arm make at most `most_force_n` of the answer together, and never more
        /// than contact leaves of the arm's limits. Fields that a kind does not name are ignored.
        SetEffect = 0x0114 -> EffectSet => {
            /// A point of the shape, m, world.
            place_m: [f64; 3] = -1e4..=1e4,
            /// Direction of the force, or of the line or the normal, world; of any length but 0.
            axis: [f64; 3],
            /// Force, amplitude, largest pull of a magnet, or friction, N; the first force of a
            /// ramp.
            magnitude_n: f64 = -MAX_EFFECT_FORCE_N..=MAX_EFFECT_FORCE_N,
            /// Last force of a ramp, offset of a vibration, N.
            second_n: f64 = -MAX_EFFECT_FORCE_N..=MAX_EFFECT_FORCE_N,
            /// Stiffness (N/m), damping (N s/m) or mass (kg). The arm renders no more than it can
            /// render stably.
            coefficient: NonNegative = 0.0..=100_000.0,
            /// Frequency of a vibration, Hz: at most 400, less than half of the loop's rate.
            frequency_hz: NonNegative = 0.0..=400.0,
            /// Phase of a vibration at its start, periods.
            phase: f64 = -1.0..=1.0,
            /// Distance up to which a spring does not pull, m.
            dead_band_m: NonNegative = 0.0..=1e4,
            /// Reach of a magnet or a field, radius of a barrier, m; infinite: everywhere. A magnet
            /// and a barrier that is no plane must have a finite one.
            range_m: Limit,
            /// The force is never longer, N.
            cap_n: NonNegative = 0.0..=MAX_EFFECT_FORCE_N,
            /// Time from the request to the first force, s.
            delay_s: NonNegative = 0.0..=3600.0,
            /// Time from the first force to the end, s; infinite: until it is stopped.
            duration_s: Limit,
            /// Time in which a constant, ramped or periodic force goes from `attack_level` to the
            /// whole, s.
            attack_s: NonNegative = 0.0..=3600.0,
            /// Share of such a force at its start.
            attack_level: NonNegative = 0.0..=1.0,
            /// Time before the end in which such a force goes to `fade_level`, s.
            fade_s: NonNegative = 0.0..=3600.0,
            /// Share of such a force at its end.
            fade_level: NonNegative = 0.0..=1.0,
            /// Identity of a running effect of this client, or 0 for a new one.
            effect: u32,
            /// Index of the arm; that of a running effect stays.
            arm: u8,
            /// The law.
            kind: EffectKind,
            /// Form of a vibration.
            waveform: Waveform,
            /// Where spring, magnet, barrier, and the field of damper and friction are.
            shape: EffectShape,
        } reserved 0

        /// Ends an effect of this client: its force goes to zero within 20 ms. One that has ended
        /// already is no error.
        StopEffect = 0x0115 -> Done => {
            /// Identity of the effect.
            effect: u32,
        } reserved 4

        /// Lets an arm hold a dynamic body of any client or of the configuration: the one that
        /// `body` names, or with 0 the one that presses the tool most. The body follows the hand on
        /// a spring, at the pose that it has now; the hand feels its weight, its inertia and what
        /// it touches. To the tool that holds it it is no obstacle. Answered by
        /// [`Done`](crate::reply::Done) when the order is on its way; the events
        /// [`Grasped`](crate::event::Grasped) and [`LetGo`](crate::event::LetGo) say what came of
        /// it. The newest request for an arm holds, whichever client sent it. A grasp ends with its
        /// client: also when that is silent for longer than its lease, or out of focus.
        GraspBody = 0x0116 -> Done => {
            /// Identity of the body, or 0.
            body: u32,
            /// Index of the arm.
            arm: u8,
        } reserved 3

        /// Lets an arm let go of what this client let it hold; the body keeps its velocity. An arm
        /// that holds nothing is no error.
        ReleaseBody = 0x0117 -> Done => {
            /// Index of the arm.
            arm: u8,
        } reserved 7

        /// Says where an arm works: where its base is in the world, how its motions are scaled, and
        /// a bubble around the hand. An application sends it once, or for each picture with a base
        /// that rides on its camera. The frame goes to that pose smoothly, no faster than
        /// `max_speed_m_s`, and never jumps; to the tool it is a moving hand. The scale changes
        /// while the tool touches and holds nothing, and the tool then goes to where the mapping
        /// puts it. What clutch and bubble have added stays unless `recentre` says otherwise.
        /// Outside of the bubble the hand drives the frame outwards (`docs/design/workspace.md`
        /// has the law). Answered by [`Done`](crate::reply::Done) when the order is on its way.
        /// The newest request for an arm holds, whichever client sent it. When its client ends, is
        /// silent for longer than its lease or out of focus, the frame stays where it is and the
        /// bubble ends.
        SetWorkspace = 0x0118 -> Done => {
            /// Pose of the arm's base in the world.
            world_from_base: Pose,
            /// World metres per device metre.
            scale: NonNegative = 0.01..=100.0,
            /// Largest speed of the tool that the frame's motion makes, m/s in the world.
            max_speed_m_s: NonNegative = 0.001..=MAX_SPEED_M_S,
            /// Centre of the bubble, m at the device, base frame.
            bubble_center_m: [f64; 3] = -MAX_BUBBLE_M..=MAX_BUBBLE_M,
            /// Radius of the bubble, m at the device; 0: no bubble.
            bubble_radius_m: NonNegative = 0.0..=MAX_BUBBLE_M,
            /// Depth outside of the bubble at which the frame moves at full speed, m at the device;
            /// at least 0.001 with a bubble.
            bubble_width_m: NonNegative = 0.0..=MAX_BUBBLE_M,
            /// That speed, m/s in the world.
            bubble_speed_m_s: NonNegative = 0.0..=MAX_SPEED_M_S,
            /// Stiffness with which the bubble pulls the hand back, N/m at the device. It shares
            /// what the arm renders stably with the effects.
            bubble_stiffness_n_per_m: NonNegative = 0.0..=10_000.0,
            /// Most of that force, N. It is one of the arm's effects
            /// ([`SetEffect`]): they share `max_effect_force_n`.
            bubble_cap_n: NonNegative = 0.0..=MAX_EFFECT_FORCE_N,
            /// Index of the arm.
            arm: u8,
            /// What clutch and bubble have added goes back to zero, as the frame moves.
            recentre: bool,
        } reserved 6

        /// Engages the clutch of an arm, or disengages what this client has engaged. While it is
        /// engaged the hand moves freely, without force, and the tool stands where it is; the force
        /// goes within 20 ms. Afterwards the tool goes on from there, and the force comes back
        /// within 200 ms. An arm may have a button that does the same (`clutch_button`). It ends
        /// with its client, as a mapping does.
        SetClutch = 0x0119 -> Done => {
            /// Index of the arm.
            arm: u8,
            /// Whether the clutch is engaged.
            engaged: bool,
        } reserved 6

        /// Places a kinematic or dynamic body that this client added elsewhere at once. It does not
        /// go there: to tools it is another body, which makes no force and stops nothing until the
        /// tool is proven clear of it ([`Ghost`](crate::event::Ghost)). The force on a tool that
        /// touched it fades as if it had been removed, and an arm that held it lets go. Its
        /// velocity ends; its target and lease end also if the place is refused. In a scene with
        /// dynamic bodies the place must be free of them, for a dynamic body of all bodies
        /// ([`InvalidBody`](crate::reply::ErrorCode::InvalidBody)). Answered when the body is
        /// there. A static body is refused ([`StaticBody`](crate::reply::ErrorCode::StaticBody)).
        TeleportBody = 0x011a -> Done => {
            /// Its pose from now on.
            world_from_body: Pose,
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// Gives a dynamic body that this client added an impulse or a velocity, once. It shows
        /// some ticks later; a sleeping body wakes. Answered when the scene has it. Refused if the
        /// velocity would change by more than [`MAX_PUSH_M_S`] or [`MAX_PUSH_RAD_S`]
        /// ([`OutOfRange`](crate::reply::ErrorCode::OutOfRange)), for a body that is not dynamic
        /// and in a scene of first order
        /// ([`NotPermitted`](crate::reply::ErrorCode::NotPermitted)).
        PushBody = 0x011b -> Done => {
            /// Impulse, N s, or velocity of the centre of mass, m/s; world.
            linear: [f64; 3],
            /// Angular impulse, N m s, in addition to that of the impulse at its point; or angular
            /// velocity, rad/s; world.
            angular: [f64; 3],
            /// Point at which the impulse acts, m, world; ignored for a velocity.
            point_m: [f64; 3] = -1e4..=1e4,
            /// Identity of the body.
            body: u32,
            /// Impulse or velocity.
            mode: PushMode,
        } reserved 3

        /// Technician: asks for the daemon's state. Answered by [`Status`](crate::reply::Status).
        GetStatus = 0x0201 -> Status => {} reserved 8

        /// Technician: reloads the configuration. Answered by [`Done`](crate::reply::Done) when a
        /// tick of the loop has applied its limits.
        Reload = 0x0202 -> Done => {} reserved 8

        /// Technician: shuts the daemon down in order.
        Shutdown = 0x0203 -> Done => {} reserved 8

        /// Technician: clears a latched fault of an arm, such as an emergency stop. Answered by
        /// [`Done`](crate::reply::Done) when a tick of the loop has applied it. If the cause
        /// persists, the fault returns.
        ClearFault = 0x0204 -> Done => {
            /// Index of the arm, or [`ALL_ARMS`].
            arm: u8,
        } reserved 7

        /// Technician: undoes everything that clients have tightened on an arm ([`TightenLimits`]).
        /// The limits of the configuration, as last reloaded, hold again. The force rises within
        /// the slew limit. Answered by [`Done`](crate::reply::Done) when a tick of the loop has
        /// applied them.
        ReleaseLimits = 0x0205 -> Done => {
            /// Index of the arm, or [`ALL_ARMS`].
            arm: u8,
        } reserved 7
    }
}

impl Hello {
    /// Returns a hello of this version.
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
    /// Returns true if only the technician's socket takes this request.
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
