// Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p hapticd-protocol
// Messages, codes and blocks of the protocol, as the daemon's own crate declares them.
using System.Collections.Generic;

namespace Hapticd
{
    /// <summary>Numbers that both sides know.</summary>
    public static class Protocol
    {
        /// <summary>Major version of the protocol.</summary>
        public const int Major = 3;

        /// <summary>Minor version of the protocol.</summary>
        public const int Minor = 0;

        /// <summary>First word of a hello, a welcome and a block.</summary>
        public const ulong Magic = 19214280642543944;

        /// <summary>Largest message, header included, bytes.</summary>
        public const int MaxMessage = 4096;

        /// <summary>Length of a message's header, bytes.</summary>
        public const int HeaderBytes = 16;

        /// <summary>Most arms of a daemon.</summary>
        public const int MaxArms = 8;

        /// <summary>Most rigid bodies in a scene.</summary>
        public const int MaxBodies = 64;

        /// <summary>Most contacts in an arm's block.</summary>
        public const int MaxContacts = 32;

        /// <summary>Stands for all arms where a field takes an arm.</summary>
        public const int AllArms = 255;

        /// <summary>Most bodies that one message moves.</summary>
        public const int MaxTargets = 56;

        /// <summary>Most effects of an arm at the same time.</summary>
        public const int EffectsPerArm = 8;

        /// <summary>Longest lease that any daemon grants, ms.</summary>
        public const int MaxLeaseMs = 10000;

        /// <summary>Largest coordinate of a pose or a mesh, m.</summary>
        public const int MaxCoordinateM = 10000;

        /// <summary>Index of a block's sequence.</summary>
        public const int SequenceWord = 8;

        /// <summary>Index of the first word of a block's payload.</summary>
        public const int PayloadWord = 9;

        /// <summary>Time without contact after which a tool counts as released, ns.</summary>
        public const int ReleaseNs = 20000000;

        /// <summary>First word of a mesh file.</summary>
        public const ulong MeshMagic = 5211585392227139912;

        /// <summary>Version of the mesh format.</summary>
        public const int MeshVersion = 1;

        /// <summary>Offset of a mesh file's vertices, bytes.</summary>
        public const int MeshHeaderBytes = 32;

        /// <summary>Seals that a mesh file must have: F_SEAL_SHRINK, F_SEAL_GROW,
        /// F_SEAL_WRITE.</summary>
        public const int MeshSeals = 14;

        /// <summary>Seals of a block: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW,
        /// F_SEAL_FUTURE_WRITE.</summary>
        public const int BlockSeals = 23;

        /// <summary>Highest rate at which the gateway sends the values of one block, Hz.</summary>
        public const int MaxPushHz = 120;

        /// <summary>Requests that the gateway passes on for one client within a second.</summary>
        public const int GatewayRequestsPerS = 500;

        /// <summary>Longest mesh file behind an `AddBody` through the gateway, bytes.</summary>
        public const int MaxInlineMeshBytes = 268435456;
    }

    /// <summary>Whether a body may move, and whether it keeps its shape.</summary>
    public enum BodyKind : byte
    {
        /// <summary>It never moves.</summary>
        Static = 0,

        /// <summary>A client moves it.</summary>
        Kinematic = 1,

        /// <summary>Forces move it: gravity, contacts, and the tools that touch it.</summary>
        Dynamic = 2,

        /// <summary>Forces move and deform it. It comes from the configuration: clients cannot add,
        /// move or remove it.</summary>
        Soft = 3,

        /// <summary>A sheet that forces move and deform; otherwise like a soft body.</summary>
        Cloth = 4,

        /// <summary>One of a crowd of loose rigid bodies: forces move it like a dynamic body, and
        /// it is shown by its surface like a soft one.</summary>
        Crowd = 5,

        /// <summary>Spheres that forces move, under an implicit surface that blends over them: a
        /// strand, a fluid, a springy solid. Shown by its skin.</summary>
        Implicit = 6,
    }

    /// <summary>What a `PushBody` does to a body.</summary>
    public enum PushMode : byte
    {
        /// <summary>It adds an impulse: a kick.</summary>
        Impulse = 0,

        /// <summary>It sets the velocity.</summary>
        Velocity = 1,
    }

    /// <summary>Law of an effect's force; `docs/design/effects.md` has the formulas.</summary>
    public enum EffectKind : byte
    {
        /// <summary>A force along the axis.</summary>
        Constant = 0,

        /// <summary>A force along the axis that goes from `magnitude_n` to `second_n` over the
        /// duration, which must be finite.</summary>
        Ramp = 1,

        /// <summary>A vibration along the axis: `second_n` is its offset.</summary>
        Periodic = 2,

        /// <summary>A pull to a point, a line or a plane beyond `dead_band_m`: guidance.
        /// `coefficient` is its stiffness, N/m.</summary>
        Spring = 3,

        /// <summary>A force against the velocity within `range_m` of the shape: a viscous field.
        /// `coefficient` is its damping, N s/m.</summary>
        Damper = 4,

        /// <summary>A force of `magnitude_n` against any motion within `range_m` of the shape.
        /// `coefficient` is the stiffness with which it holds the hand at rest, N/m.</summary>
        Friction = 5,

        /// <summary>A mass of `coefficient` kg at the hand.</summary>
        Inertia = 6,

        /// <summary>A pull to the shape of at most `magnitude_n` within `range_m`. `coefficient` is
        /// its stiffness, N/m.</summary>
        Magnet = 7,

        /// <summary>A region that the hand is pushed out of: the ball or cylinder of radius
        /// `range_m`, or the side of the plane that the axis points away from. `coefficient` is its
        /// stiffness, N/m.</summary>
        Barrier = 8,
    }

    /// <summary>Form of a vibration.</summary>
    public enum Waveform : byte
    {
        /// <summary>`sin(2 pi p)`, `p` in periods.</summary>
        Sine = 0,

        /// <summary>From 0 up to 1, down to -1, back to 0.</summary>
        Triangle = 1,

        /// <summary>1 in the first half, -1 in the second.</summary>
        Square = 2,

        /// <summary>From -1 up to 1.</summary>
        SawUp = 3,

        /// <summary>From 1 down to -1.</summary>
        SawDown = 4,
    }

    /// <summary>Where an effect is.</summary>
    public enum EffectShape : byte
    {
        /// <summary>The place.</summary>
        Point = 0,

        /// <summary>The line through the place along the axis.</summary>
        Line = 1,

        /// <summary>The plane through the place, with the axis as its normal.</summary>
        Plane = 2,
    }

    /// <summary>Reason why a connection was refused.</summary>
    public enum RefusalReason : ushort
    {
        /// <summary>The first message was not a hello of this protocol.</summary>
        NotHello = 1,

        /// <summary>The major versions differ. Both are in the message.</summary>
        VersionMismatch = 2,

        /// <summary>The socket has as many clients as the daemon allows: `limit`.</summary>
        TooManyClients = 3,

        /// <summary>This user may not use this socket.</summary>
        NotPermitted = 4,

        /// <summary>The daemon is shutting down.</summary>
        ShuttingDown = 5,
    }

    /// <summary>Reason why a request was not carried out.</summary>
    public enum ErrorCode : ushort
    {
        /// <summary>The bytes are not a request; the client's fault.</summary>
        Malformed = 1,

        /// <summary>Only the technician's socket takes this request.</summary>
        TechnicianOnly = 2,

        /// <summary>There is no arm with index `number`; `limit` is how many there are.</summary>
        NoSuchArm = 3,

        /// <summary>There is no body `number`.</summary>
        NoSuchBody = 4,

        /// <summary>This client may not move or remove body `number`. It belongs to another client
        /// or to the configuration, another client is moving it, or forces move it; the detail says
        /// which.</summary>
        NotPermitted = 5,

        /// <summary>Body `number` is static: no client can move it.</summary>
        StaticBody = 6,

        /// <summary>The client sent more than `limit` messages per second.</summary>
        TooManyMessages = 7,

        /// <summary>This client already has `number` bodies, which is its limit.</summary>
        TooManyBodies = 8,

        /// <summary>`number` bytes of mesh, and `limit` are allowed. It is this mesh, or all of
        /// this client's together. If there is a detail: the body would need `number` bytes of
        /// memory, and `limit` are left.</summary>
        MeshTooLarge = 9,

        /// <summary>The scene takes no more bodies: it already has `limit`. In a planar scene that
        /// is 0, and the detail says so.</summary>
        SceneFull = 10,

        /// <summary>A body with that name exists.</summary>
        NameTaken = 11,

        /// <summary>The mesh is invalid, or not suitable for a solid body; the detail says
        /// why.</summary>
        InvalidMesh = 12,

        /// <summary>The descriptor is not a sealed memory file.</summary>
        InvalidDescriptor = 13,

        /// <summary>A number is out of range: it is `number`, at most `limit` is allowed. The
        /// detail names the number, and its minimum if it is below that.</summary>
        OutOfRange = 14,

        /// <summary>The daemon is busy with earlier requests: try again.</summary>
        Busy = 15,

        /// <summary>The daemon is shutting down.</summary>
        ShuttingDown = 16,

        /// <summary>The daemon could not do it (out of memory or descriptors); the daemon's
        /// fault.</summary>
        Internal = 17,

        /// <summary>A second hello, or another request out of order.</summary>
        OutOfOrder = 18,

        /// <summary>The configuration was refused; the detail says why.</summary>
        ConfigRefused = 19,

        /// <summary>Body `number` is deformable: no client can move or remove it. It is soft, a
        /// cloth, of a crowd or implicit.</summary>
        DeformableBody = 20,

        /// <summary>Body `number` is shown by its pose or its skin: it has no surface
        /// block.</summary>
        NoSurface = 21,

        /// <summary>Body `number` has no skin.</summary>
        NoSkin = 22,

        /// <summary>Body `number` is shown by its surface or its skin: it has no constant
        /// shape.</summary>
        NoShape = 23,

        /// <summary>One of the limits is `number` and must be at least `limit`, both rounded. The
        /// detail has the exact values.</summary>
        LimitsRefused = 24,

        /// <summary>The scene cannot hold such a dynamic body. It has no mass or no inside, or it
        /// would start inside another body; the detail says which.</summary>
        InvalidBody = 25,

        /// <summary>This client has no effect `number`: it never had, or the effect has
        /// ended.</summary>
        NoSuchEffect = 26,

        /// <summary>The arm has as many effects as it can: `limit`. Or the configuration allows
        /// none: then `limit` is 0.</summary>
        TooManyEffects = 27,
    }

    /// <summary>Kind of a descriptor in a `Subscribed` reply, and of a block.</summary>
    public enum BlockKind : ushort
    {
        /// <summary>`ArmState`.</summary>
        State = 1,

        /// <summary>`Contacts`.</summary>
        Contacts = 2,

        /// <summary>`Bodies`.</summary>
        Bodies = 3,

        /// <summary>The wake-up socket.</summary>
        Wake = 4,

        /// <summary>Surface of a deformable body (`SurfaceHeader`). Occurs only in a block's
        /// header: a client does not subscribe to it but opens it (`OpenSurface`).</summary>
        Surface = 5,

        /// <summary>Skin of an implicit body (`SkinHeader`). It is opened like a surface
        /// (`OpenSkin`).</summary>
        Skin = 6,

        /// <summary>`NeedleState`.</summary>
        Needle = 7,
    }

    /// <summary>Reason why a body was removed.</summary>
    public enum RemovalReason : byte
    {
        /// <summary>Its client removed it.</summary>
        Requested = 0,

        /// <summary>Its client has disconnected.</summary>
        ClientGone = 1,

        /// <summary>The configuration no longer contains it.</summary>
        Configuration = 2,
    }

    /// <summary>Reason why an effect ended that its client did not stop.</summary>
    public enum EffectEnd : byte
    {
        /// <summary>Its duration is over.</summary>
        Finished = 0,

        /// <summary>The client was silent for longer than its lease.</summary>
        ClientSilent = 1,
    }

    /// <summary>Reason why an arm let go of a body, or did not take one.</summary>
    public enum LetGoReason : byte
    {
        /// <summary>A request, or the arm's button.</summary>
        Ordered = 0,

        /// <summary>There was nothing to take: the tool touches no dynamic body, or the one that
        /// was named is out of reach or too fast.</summary>
        NothingThere = 1,

        /// <summary>The body has gone.</summary>
        BodyGone = 2,

        /// <summary>The client of the body is silent, or out of focus.</summary>
        BodySilent = 3,

        /// <summary>The arm was lost, or its tool was placed elsewhere.</summary>
        ArmLost = 4,

        /// <summary>The body was caught somewhere: for 100 ms the hand pulled three times as hard
        /// as the arm can.</summary>
        Stretched = 5,

        /// <summary>Clients were not served for a while.</summary>
        ClientsUnserved = 6,

        /// <summary>The client that held it is gone, silent or out of focus.</summary>
        HolderGone = 7,
    }

    /// <summary>State of the safety governor between off and on.</summary>
    public enum GovernorState : byte
    {
        /// <summary>Off in good order: no force is requested.</summary>
        Disengaged = 0,

        /// <summary>Waits until the wanted force is small, then ramps.</summary>
        WaitingSmallForce = 1,

        /// <summary>Force is rising.</summary>
        Ramping = 2,

        /// <summary>Full authority.</summary>
        Active = 3,

        /// <summary>Force is falling to zero.</summary>
        Fading = 4,

        /// <summary>Off because of a fault.</summary>
        Fault = 5,
    }

    /// <summary>Reason why force is off or reduced.</summary>
    public static class ForceOffReason
    {
        /// <summary>Says what a code means; null for one of a newer version.</summary>
        public static string Text(int code)
        {
            switch (code)
            {
                case 0: return "none";
                case 1: return "emergency stop";
                case 2: return "device lost";
                case 3: return "device reports a fault";
                case 4: return "device not calibrated";
                case 5: return "safety switch open";
                case 6: return "wanted force is not finite";
                case 7: return "device sample is not valid";
                case 8: return "velocity limit exceeded";
                case 9: return "loop stalled";
                case 10: return "client lost";
                case 11: return "stopped by the supervisor";
                case 32: return "device sample too old";
                case 33: return "no pose for the joints that were read";
                case 34: return "contact data too old";
                case 35: return "lease expired";
                case 36: return "oscillation";
                case 37: return "device too hot";
                case 38: return "force not enabled";
                case 39: return "shutting down";
                case 40: return "clients are not served";
                default: return null;
            }
        }
    }

    /// <summary>State of a needle.</summary>
    public enum NeedlePhase : byte
    {
        /// <summary>The arm has no needle.</summary>
        Absent = 0,

        /// <summary>Outside the tissue, or not known to have come from outside.</summary>
        Free = 1,

        /// <summary>The tip dents the surface.</summary>
        Touching = 2,

        /// <summary>In the tissue.</summary>
        Inserted = 3,
    }

    /// <summary>What holds the tip of a needle.</summary>
    public enum NeedleHold : byte
    {
        /// <summary>Friction of the shaft and the cutting force.</summary>
        Friction = 0,

        /// <summary>The surface of a layer: `held_by` counts layers from the top, from 0.</summary>
        Layer = 1,

        /// <summary>The surface of a structure that can be pierced: `held_by` counts structures
        /// from 0, in the order of the configuration.</summary>
        Membrane = 2,

        /// <summary>A structure that cannot be pierced; counted likewise.</summary>
        Bone = 3,

        /// <summary>The side of the tissue.</summary>
        Border = 4,

        /// <summary>The hub is at the surface: all of the needle is in.</summary>
        Hub = 5,
    }

    /// <summary>Bits of `Subscribe::topics`; add those that are requested.</summary>
    [System.Flags]
    public enum Topic : byte
    {
        /// <summary>Nothing.</summary>
        None = 0,

        /// <summary>The arm's state block.</summary>
        State = 1,

        /// <summary>The arm's contacts block.</summary>
        Contacts = 2,

        /// <summary>The block of all bodies' poses; the same for every arm.</summary>
        Bodies = 4,

        /// <summary>A descriptor that becomes readable when the arm's state is new: a socket with
        /// small datagrams that the client reads and discards.</summary>
        Wake = 8,

        /// <summary>`Event`s on the control socket.</summary>
        Events = 16,

        /// <summary>The news of contacts and buttons on the control socket: `Touched`, `Released`,
        /// `Ghost`, `Solid`, `ButtonPressed` and `ButtonReleased` of all arms. They are no part of
        /// `EVENTS`.</summary>
        ContactEvents = 32,

        /// <summary>The block of the needle at the arm's tool.</summary>
        Needle = 64,

        /// <summary>All of the above.</summary>
        All = 127,
    }

    /// <summary>Bits of `ArmState::flags`.</summary>
    [System.Flags]
    public enum Flag : ushort
    {
        /// <summary>Nothing.</summary>
        None = 0,

        /// <summary>The arm is attached and its pose is known.</summary>
        Attached = 1,

        /// <summary>The tool touches something.</summary>
        Touching = 2,

        /// <summary>The certificate or the tick's pair budget held the tool back in this
        /// tick.</summary>
        Starved = 4,

        /// <summary>The contact data are older than the limit.</summary>
        Stale = 8,

        /// <summary>The daemon is shutting down.</summary>
        Stopping = 16,

        /// <summary>The tool is inside a body, or overlaps it. No force of that body is rendered
        /// until the tool is out.</summary>
        Inside = 32,

        /// <summary>A clutch holds the tool: the hand moves without force.</summary>
        Clutched = 64,

        /// <summary>The hand is outside of the bubble and drives the arm's frame.</summary>
        Driven = 128,
    }

    /// <summary>Bits of `SkinFrameHeader::flags`.</summary>
    [System.Flags]
    public enum SkinFlag : uint
    {
        /// <summary>Nothing.</summary>
        None = 0,

        /// <summary>The surface extends beyond the box of its cubes and is cut off there.</summary>
        Clipped = 1,

        /// <summary>Cubes are larger than the configuration asks for: time or capacity did not
        /// suffice for more triangles.</summary>
        Coarse = 2,

        /// <summary>The mesh's own check found faults (`faults`).</summary>
        Faulty = 4,

        /// <summary>Primitives are smaller than a cube and may be invisible.</summary>
        Small = 8,

        /// <summary>Primitives blend that must not: too many were in one place even for
        /// creases.</summary>
        Uncontrolled = 16,

        /// <summary>Parts that must not blend meet in a crease, where the configuration asks for a
        /// separate surface around each. In cubes of this size, "blends with" is not an equivalence
        /// relation, as where a strand folds tightly. The mesh is closed, and lies where the hand
        /// feels it.</summary>
        Creased = 32,
    }

    /// <summary>Where a body is to go: the fields of `SetBodyPose`.</summary>
    public struct BodyTarget
    {
        /// <summary>Target pose.</summary>
        public Pose3d WorldFromBody;

        /// <summary>Maximum speed of any point of the body, m/s.</summary>
        public double SpeedMPerS;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Time for which the command holds, ms.</summary>
        public uint LeaseMs;

        internal void Write(PacketWriter output)
        {
            output.Pose(WorldFromBody);
            output.F64(SpeedMPerS);
            output.U32(Body);
            output.U32(LeaseMs);
        }

        internal void Read(PacketReader input)
        {
            WorldFromBody = input.Pose("world_from_body");
            SpeedMPerS = input.NonNegative("speed_m_s");
            Body = input.U32("body");
            LeaseMs = input.U32("lease_ms");
        }
    }

    /// <summary>Description of an arm.</summary>
    public struct ArmInfo
    {
        /// <summary>Name in the configuration.</summary>
        public string Name;

        /// <summary>Pose of the base in the world.</summary>
        public Pose3d WorldFromBase;

        /// <summary>World metres per device metre.</summary>
        public double Scale;

        /// <summary>Centre of the workspace in the base frame, m.</summary>
        public Vector3d WorkspaceCenterM;

        /// <summary>Half of each edge of the workspace, m.</summary>
        public Vector3d WorkspaceHalfExtentsM;

        /// <summary>Largest force allowed now, N. It is the strictest of arm, configuration and
        /// clients, as the loop applies it.</summary>
        public double PeakForceN;

        /// <summary>Largest force that may be held indefinitely, N; as it is now.</summary>
        public double ContinuousForceN;

        /// <summary>Largest torque allowed now, N m; 0 if the arm has no torque.</summary>
        public double PeakTorqueNm;

        /// <summary>Radius of a spherical tool, m; 0 for a mesh.</summary>
        public double ToolRadiusM;

        /// <summary>Nominal period of the loop, ns.</summary>
        public ulong PeriodNs;

        /// <summary>Number of measured degrees of freedom.</summary>
        public byte SensedDof;

        /// <summary>Number of actuated degrees of freedom.</summary>
        public byte ActuatedDof;

        /// <summary>Index of the arm in every message and block.</summary>
        public byte Index;

        /// <summary>Whether the arm is attached.</summary>
        public bool Attached;

        internal void Write(PacketWriter output)
        {
            output.Text(Name, 64, "name");
            output.Pose(WorldFromBase);
            output.F64(Scale);
            output.Vector(WorkspaceCenterM);
            output.Vector(WorkspaceHalfExtentsM);
            output.F64(PeakForceN);
            output.F64(ContinuousForceN);
            output.F64(PeakTorqueNm);
            output.F64(ToolRadiusM);
            output.U64(PeriodNs);
            output.U8(SensedDof);
            output.U8(ActuatedDof);
            output.U8(Index);
            output.Bool(Attached);
            output.Zeros(4);
        }

        internal void Read(PacketReader input)
        {
            Name = input.Text(64, "name");
            WorldFromBase = input.Pose("world_from_base");
            Scale = input.Finite("scale");
            WorkspaceCenterM = input.Vector("workspace_center_m");
            WorkspaceHalfExtentsM = input.Vector("workspace_half_extents_m");
            PeakForceN = input.Limit("peak_force_n");
            ContinuousForceN = input.Limit("continuous_force_n");
            PeakTorqueNm = input.Limit("peak_torque_nm");
            ToolRadiusM = input.Finite("tool_radius_m");
            PeriodNs = input.U64("period_ns");
            SensedDof = input.U8("sensed_dof");
            ActuatedDof = input.U8("actuated_dof");
            Index = input.U8("index");
            Attached = input.Bool("attached");
            input.Zeros(4);
        }
    }

    /// <summary>Description of a body.</summary>
    public struct BodyInfo
    {
        /// <summary>Name of the body.</summary>
        public string Name;

        /// <summary>Identity of the body; never reused.</summary>
        public uint Body;

        /// <summary>Number of triangles of its mesh or of its surface.</summary>
        public uint Triangles;

        /// <summary>Whether it may move, and whether it keeps its shape.</summary>
        public BodyKind Kind;

        /// <summary>Whether the asking client added it.</summary>
        public bool Owned;

        internal void Write(PacketWriter output)
        {
            output.Text(Name, 64, "name");
            output.U32(Body);
            output.U32(Triangles);
            output.U8((byte)Kind);
            output.Bool(Owned);
            output.Zeros(6);
        }

        internal void Read(PacketReader input)
        {
            Name = input.Text(64, "name");
            Body = input.U32("body");
            Triangles = input.U32("triangles");
            Kind = (BodyKind)input.U8("kind");
            Owned = input.Bool("owned");
            input.Zeros(6);
        }
    }

    /// <summary>Description of one descriptor of a `Subscribed` reply.</summary>
    public struct BlockInfo
    {
        /// <summary>Kind of the block.</summary>
        public BlockKind Kind;

        /// <summary>Index of the arm that the block belongs to.</summary>
        public ushort Arm;

        internal void Write(PacketWriter output)
        {
            output.U16((ushort)Kind);
            output.U16(Arm);
            output.Zeros(4);
        }

        internal void Read(PacketReader input)
        {
            Kind = (BlockKind)input.U16("kind");
            Arm = input.U16("arm");
            input.Zeros(4);
        }
    }

    /// <summary>Words 0 to 4 of every block.</summary>
    public struct HeaderWords
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 5;

        /// <summary>`HAPTICD` and a zero byte.</summary>
        public ulong Magic;

        /// <summary>Kind of the block.</summary>
        public BlockKind Kind;

        /// <summary>The daemon's major version of the protocol.</summary>
        public ushort Major;

        /// <summary>The daemon's minor version of the protocol.</summary>
        public ushort Minor;

        /// <summary>Index of the arm that the block belongs to; 0 for a block of the whole scene or
        /// of a body.</summary>
        public ushort Arm;

        /// <summary>Number of words of the whole block.</summary>
        public uint Words;

        /// <summary>Number of words of the payload: all behind the sequence.</summary>
        public uint PayloadWords;

        /// <summary>Patch version of the daemon's program.</summary>
        public ushort ProgramPatch;

        /// <summary>Minor version of the daemon's program.</summary>
        public ushort ProgramMinor;

        /// <summary>Major version of the daemon's program.</summary>
        public ushort ProgramMajor;

        /// <summary>Time at which the block was made, ns on the daemon's monotonic clock.</summary>
        public ulong CreatedNs;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static HeaderWords Read(byte[] data, int at)
        {
            HeaderWords value;
            value.Magic = Word.U64(data, at);
            value.Kind = (BlockKind)Word.U16(data, at + 8);
            value.Major = Word.U16(data, at + 10);
            value.Minor = Word.U16(data, at + 12);
            value.Arm = Word.U16(data, at + 14);
            value.Words = Word.U32(data, at + 16);
            value.PayloadWords = Word.U32(data, at + 20);
            value.ProgramPatch = Word.U16(data, at + 24);
            value.ProgramMinor = Word.U16(data, at + 26);
            value.ProgramMajor = Word.U16(data, at + 28);
            value.CreatedNs = Word.U64(data, at + 32);
            return value;
        }
    }

    /// <summary>Words 5 to 7 of the header of a surface or a skin.</summary>
    public struct BodyHeader
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 3;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of points of a surface; capacity for points of each frame of a
        /// skin.</summary>
        public uint Points;

        /// <summary>Number of triangles of a surface; capacity for triangles of each frame of a
        /// skin.</summary>
        public uint Triangles;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static BodyHeader Read(byte[] data, int at)
        {
            BodyHeader value;
            value.Body = Word.U32(data, at);
            value.Points = Word.U32(data, at + 8);
            value.Triangles = Word.U32(data, at + 12);
            return value;
        }
    }

    /// <summary>Newest state of an arm. Words are counted from the first word of the
    /// payload.</summary>
    public struct ArmState
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 48;

        /// <summary>Number of the tick, from 1.</summary>
        public ulong Tick;

        /// <summary>Time of the tick, ns on `CLOCK_MONOTONIC`. That clock is the same for all
        /// processes.</summary>
        public ulong TimeNs;

        /// <summary>Pose of the tool as the hand holds it.</summary>
        public Pose3d WorldFromDevice;

        /// <summary>Pose of the proxy: of the tool where it is allowed to be. Applications draw
        /// this one.</summary>
        public Pose3d WorldFromProxy;

        /// <summary>Velocity of the hand, m/s; 0 while a clutch holds the tool.</summary>
        public Vector3d LinearVelocityMPerS;

        /// <summary>Angular velocity of the hand, rad/s; 0 while a clutch holds the tool.</summary>
        public Vector3d AngularVelocityRadPerS;

        /// <summary>Force sent to the arm, N.</summary>
        public Vector3d ForceN;

        /// <summary>Torque sent to the arm, N m.</summary>
        public Vector3d TorqueNm;

        /// <summary>Force of the coupling before the governor, N.</summary>
        public Vector3d WantedForceN;

        /// <summary>Torque of the coupling before the governor, N m.</summary>
        public Vector3d WantedTorqueNm;

        /// <summary>Code of the `GovernorState`.</summary>
        public GovernorState Governor;

        /// <summary>Code of the reason why force is off or reduced; 0 for no reason.
        /// `force_off_text` says it in words.</summary>
        public byte Reason;

        /// <summary>A sum of `flag` bits.</summary>
        public Flag Flags;

        /// <summary>Number of contacts in this tick.</summary>
        public ushort Contacts;

        /// <summary>Low 16 bits of the body that the tool is inside of, with `INSIDE`. The first
        /// body or other arm's tool; otherwise 0.</summary>
        public ushort InsideBody;

        /// <summary>Buttons, one bit each, starting at bit 0; 1 means pressed.</summary>
        public uint Buttons;

        /// <summary>Age of the contact data, ticks; `u32::MAX` without any.</summary>
        public uint SnapshotAgeTicks;

        /// <summary>Whole periods that the loop has skipped since it started.</summary>
        public ulong MissedTicks;

        /// <summary>Computation time of the newest finished tick (the one before this),
        /// ns.</summary>
        public ulong ComputeNs;

        /// <summary>How much later than requested the loop woke for that tick, ns.</summary>
        public ulong LatenessNs;

        /// <summary>Age of the arm's sample, ns.</summary>
        public ulong InputAgeNs;

        /// <summary>Code of the newest reason why force went off; 0 before the first. It is kept
        /// when force is on again.</summary>
        public byte LastForceOff;

        /// <summary>Identity of the dynamic body that the arm holds; 0: none.</summary>
        public uint GraspedBody;

        /// <summary>Tick in which force went off; another reason while it is off keeps
        /// it.</summary>
        public ulong LastForceOffTick;

        /// <summary>How often force went off since the loop started. Another reason while it is off
        /// is not counted.</summary>
        public ulong ForceOffs;

        /// <summary>Energy of the arm's coupling.</summary>
        public ArmEnergy Energy;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static ArmState Read(byte[] data, int at)
        {
            ArmState value;
            value.Tick = Word.U64(data, at);
            value.TimeNs = Word.U64(data, at + 8);
            value.WorldFromDevice = Word.Pose(data, at + 16);
            value.WorldFromProxy = Word.Pose(data, at + 72);
            value.LinearVelocityMPerS = Word.Vector(data, at + 128);
            value.AngularVelocityRadPerS = Word.Vector(data, at + 152);
            value.ForceN = Word.Vector(data, at + 176);
            value.TorqueNm = Word.Vector(data, at + 200);
            value.WantedForceN = Word.Vector(data, at + 224);
            value.WantedTorqueNm = Word.Vector(data, at + 248);
            value.Governor = (GovernorState)Word.U8(data, at + 272);
            value.Reason = Word.U8(data, at + 273);
            value.Flags = (Flag)Word.U16(data, at + 274);
            value.Contacts = Word.U16(data, at + 276);
            value.InsideBody = Word.U16(data, at + 278);
            value.Buttons = Word.U32(data, at + 280);
            value.SnapshotAgeTicks = Word.U32(data, at + 284);
            value.MissedTicks = Word.U64(data, at + 288);
            value.ComputeNs = Word.U64(data, at + 296);
            value.LatenessNs = Word.U64(data, at + 304);
            value.InputAgeNs = Word.U64(data, at + 312);
            value.LastForceOff = Word.U8(data, at + 320);
            value.GraspedBody = Word.U32(data, at + 324);
            value.LastForceOffTick = Word.U64(data, at + 328);
            value.ForceOffs = Word.U64(data, at + 336);
            value.Energy = ArmEnergy.Read(data, at + 344);
            return value;
        }
    }

    /// <summary>Energy of the spring between hand and tool since the force was last off for lack of
    /// a pose, J at the device.</summary>
    public struct ArmEnergy
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 5;

        /// <summary>Energy given to the hand; negative if taken from it.</summary>
        public double GivenJ;

        /// <summary>Energy stored now.</summary>
        public double StoredJ;

        /// <summary>Energy given beyond what bodies put in and the arm absorbs. The arm absorbs
        /// what its own damping and friction certainly take.</summary>
        public double DebtJ;

        /// <summary>Stored energy that was removed where the passivity controller acted.</summary>
        public double WithheldJ;

        /// <summary>Gain of the passivity controller; 1 where it does not act.</summary>
        public double Gain;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static ArmEnergy Read(byte[] data, int at)
        {
            ArmEnergy value;
            value.GivenJ = Word.F64(data, at);
            value.StoredJ = Word.F64(data, at + 8);
            value.DebtJ = Word.F64(data, at + 16);
            value.WithheldJ = Word.F64(data, at + 24);
            value.Gain = Word.F64(data, at + 32);
            return value;
        }
    }

    /// <summary>First words of the payload of contacts and bodies.</summary>
    public struct ListHeader
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 3;

        /// <summary>Number of the tick.</summary>
        public ulong Tick;

        /// <summary>Time of the tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Number of elements that follow, at most the block's limit. Words behind them
        /// are zero.</summary>
        public ulong Count;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static ListHeader Read(byte[] data, int at)
        {
            ListHeader value;
            value.Tick = Word.U64(data, at);
            value.TimeNs = Word.U64(data, at + 8);
            value.Count = Word.U64(data, at + 16);
            return value;
        }
    }

    /// <summary>One contact. Words are counted from the first word of the contact.</summary>
    public struct Contact
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 11;

        /// <summary>Point on the body's surface, world frame, m.</summary>
        public Vector3d PointM;

        /// <summary>Unit normal from the body to the tool, world frame.</summary>
        public Vector3d Normal;

        /// <summary>Distance between the surfaces along the normal, m; positive, since they never
        /// overlap.</summary>
        public double DistanceM;

        /// <summary>Identity of the body. For the tool of arm `k` it is `u32::MAX - k`, which no
        /// body has.</summary>
        public uint Body;

        /// <summary>Force of the body on the hand through the tool, N, world frame: this contact's
        /// share of what is sent to the arm. The shares add up to `ArmState::force_n` of the same
        /// tick where a contact holds the tool, unless a needle does so, too.</summary>
        public Vector3d ForceN;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static Contact Read(byte[] data, int at)
        {
            Contact value;
            value.PointM = Word.Vector(data, at);
            value.Normal = Word.Vector(data, at + 24);
            value.DistanceM = Word.F64(data, at + 48);
            value.Body = Word.U32(data, at + 56);
            value.ForceN = Word.Vector(data, at + 64);
            return value;
        }
    }

    /// <summary>Pose of one body, and the force of the tools on it. Words are counted from the
    /// first word of the body.</summary>
    public struct BodyState
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 14;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>True if the body has a target that it has not reached. A command shows here
        /// some ticks after it was answered.</summary>
        public bool Moving;

        /// <summary>Pose of the body.</summary>
        public Pose3d WorldFromBody;

        /// <summary>Force of all arms' tools on the body, N, world frame: what hands feel at their
        /// `Contact`s with it, the other way round.</summary>
        public Vector3d ForceN;

        /// <summary>Torque of that force about the body's origin, N m, world frame.</summary>
        public Vector3d TorqueNm;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static BodyState Read(byte[] data, int at)
        {
            BodyState value;
            value.Body = Word.U32(data, at);
            value.Moving = (data[at + 4] & 1) == 1;
            value.WorldFromBody = Word.Pose(data, at + 8);
            value.ForceN = Word.Vector(data, at + 64);
            value.TorqueNm = Word.Vector(data, at + 88);
            return value;
        }
    }

    /// <summary>Payload of the block: the needle of an arm, world frame.</summary>
    public struct NeedleState
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 13;

        /// <summary>Number of the tick.</summary>
        public ulong Tick;

        /// <summary>Time of the tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Code of the `NeedlePhase`.</summary>
        public NeedlePhase Phase;

        /// <summary>Code of the `NeedleHold`.</summary>
        public NeedleHold Hold;

        /// <summary>Layer that the tip is in, from the top, from 0; 0 outside of the
        /// tissue.</summary>
        public ushort Layer;

        /// <summary>Number of surfaces pierced since the start.</summary>
        public uint Pierced;

        /// <summary>Layer or structure that holds the tip, as `NeedleHold` says; otherwise
        /// 0.</summary>
        public uint HeldBy;

        /// <summary>Structure nearest to the end of the needle, counted from 1 in the order of the
        /// configuration; 0 if none is near enough to be known.</summary>
        public uint Nearest;

        /// <summary>Length of the tip's path in the tissue, m.</summary>
        public double DepthM;

        /// <summary>Force of the tissue along the axis, N; positive pushes the needle out, negative
        /// holds it back.</summary>
        public double AxialN;

        /// <summary>Force across the axis, N.</summary>
        public double LateralN;

        /// <summary>Position of the tip, m.</summary>
        public Vector3d TipM;

        /// <summary>Distance of that structure from the needle's surface, m; 0 where the needle
        /// goes through it, and with `nearest` 0.</summary>
        public double NearestM;

        /// <summary>Distance from the needle's axis up to which no structure is missed, m; 0
        /// outside of the tissue.</summary>
        public double SureM;

        /// <summary>Tick for which `nearest` was computed: some 20 ticks back. 0: never.</summary>
        public ulong NearestTick;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static NeedleState Read(byte[] data, int at)
        {
            NeedleState value;
            value.Tick = Word.U64(data, at);
            value.TimeNs = Word.U64(data, at + 8);
            value.Phase = (NeedlePhase)Word.U8(data, at + 16);
            value.Hold = (NeedleHold)Word.U8(data, at + 17);
            value.Layer = Word.U16(data, at + 18);
            value.Pierced = Word.U32(data, at + 20);
            value.HeldBy = Word.U32(data, at + 24);
            value.Nearest = Word.U32(data, at + 28);
            value.DepthM = Word.F64(data, at + 32);
            value.AxialN = Word.F64(data, at + 40);
            value.LateralN = Word.F64(data, at + 48);
            value.TipM = Word.Vector(data, at + 56);
            value.NearestM = Word.F64(data, at + 80);
            value.SureM = Word.F64(data, at + 88);
            value.NearestTick = Word.U64(data, at + 96);
            return value;
        }
    }

    /// <summary>Time of a surface's points. Words are counted from the first word of the
    /// payload.</summary>
    public struct SurfaceFrameHeader
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 3;

        /// <summary>Number of the step, as the simulation counts.</summary>
        public ulong Tick;

        /// <summary>Time of the step, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Simulated time lost since the start, ns; the body is this far behind the
        /// clock.</summary>
        public ulong LostNs;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static SurfaceFrameHeader Read(byte[] data, int at)
        {
            SurfaceFrameHeader value;
            value.Tick = Word.U64(data, at);
            value.TimeNs = Word.U64(data, at + 8);
            value.LostNs = Word.U64(data, at + 16);
            return value;
        }
    }

    /// <summary>Description of a frame. Words are counted from the first word of the slot's
    /// payload.</summary>
    public struct SkinFrameHeader
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 16;

        /// <summary>Number of points and of triangles.</summary>
        public SkinCounts Counts;

        /// <summary>Number of the frame, from 1.</summary>
        public ulong Frame;

        /// <summary>Tick of the loop after which the body had this shape.</summary>
        public ulong Tick;

        /// <summary>Time of that, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Time of publication on the same clock; the difference is the frame's age at
        /// that time.</summary>
        public ulong PublishedNs;

        /// <summary>A sum of `skin_flag` bits.</summary>
        public SkinFlag Flags;

        /// <summary>Number of levels by which cubes are coarser than wanted.</summary>
        public uint Coarser;

        /// <summary>Edge of the cubes, m.</summary>
        public double CellM;

        /// <summary>Largest distance found between a point of the mesh and the surface that tools
        /// feel, m.</summary>
        public double DeviationM;

        /// <summary>Faults that the mesh's own check found in this frame.</summary>
        public uint Faults;

        /// <summary>Frames with faults so far.</summary>
        public uint FaultyFrames;

        /// <summary>States of the body that were supplied and never shown, so far.</summary>
        public ulong Skipped;

        /// <summary>Primitives under the skin.</summary>
        public uint Primitives;

        /// <summary>How many of them may be too small to be visible.</summary>
        public uint Small;

        /// <summary>Processor time that the mesh took, ns.</summary>
        public ulong ComputeNs;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static SkinFrameHeader Read(byte[] data, int at)
        {
            SkinFrameHeader value;
            value.Counts = SkinCounts.Read(data, at);
            value.Frame = Word.U64(data, at + 8);
            value.Tick = Word.U64(data, at + 16);
            value.TimeNs = Word.U64(data, at + 24);
            value.PublishedNs = Word.U64(data, at + 32);
            value.Flags = (SkinFlag)Word.U32(data, at + 40);
            value.Coarser = Word.U32(data, at + 44);
            value.CellM = Word.F64(data, at + 48);
            value.DeviationM = Word.F64(data, at + 56);
            value.Faults = Word.U32(data, at + 64);
            value.FaultyFrames = Word.U32(data, at + 68);
            value.Skipped = Word.U64(data, at + 72);
            value.Primitives = Word.U32(data, at + 80);
            value.Small = Word.U32(data, at + 84);
            value.ComputeNs = Word.U64(data, at + 88);
            return value;
        }
    }

    /// <summary>Size of a frame, or capacity of a slot.</summary>
    public struct SkinCounts
    {
        /// <summary>Number of words.</summary>
        public const int WordCount = 1;

        /// <summary>Number of points.</summary>
        public uint Points;

        /// <summary>Number of triangles.</summary>
        public uint Triangles;

        /// <summary>Reads it from `WordCount` words that begin at this byte.</summary>
        public static SkinCounts Read(byte[] data, int at)
        {
            SkinCounts value;
            value.Points = Word.U32(data, at);
            value.Triangles = Word.U32(data, at + 4);
            return value;
        }
    }
}

namespace Hapticd.Messages
{
    /// <summary>Makes messages of what came.</summary>
    internal static class Incoming
    {
        /// <summary>Returns an empty message of this kind, or null.</summary>
        internal static Message Create(ushort kind)
        {
            switch (kind)
            {
                case 0x8101: return new Welcome();
                case 0x8102: return new Refused();
                case 0x8103: return new Done();
                case 0x8104: return new Error();
                case 0x8105: return new Arms();
                case 0x8106: return new Bodies();
                case 0x8107: return new Subscribed();
                case 0x8108: return new BodyAdded();
                case 0x8109: return new Status();
                case 0x810a: return new Surface();
                case 0x810b: return new Skin();
                case 0x810c: return new Shape();
                case 0x810d: return new Limits();
                case 0x810e: return new EffectSet();
                case 0x8201: return new BodyJoined();
                case 0x8202: return new BodyLeft();
                case 0x8203: return new ArmAttached();
                case 0x8204: return new ArmLost();
                case 0x8205: return new ForceOff();
                case 0x8206: return new ForceOn();
                case 0x8207: return new LeaseExpired();
                case 0x8208: return new ClientSilent();
                case 0x8209: return new RecordingStopped();
                case 0x820a: return new ConfigReloaded();
                case 0x820b: return new ConfigRefused();
                case 0x820c: return new ShuttingDown();
                case 0x820d: return new EventsLost();
                case 0x820e: return new Touched();
                case 0x820f: return new Released();
                case 0x8210: return new Ghost();
                case 0x8211: return new Solid();
                case 0x8212: return new ButtonPressed();
                case 0x8213: return new ButtonReleased();
                case 0x8214: return new EffectEnded();
                case 0x8215: return new Grasped();
                case 0x8216: return new LetGo();
                case 0x8217: return new ClutchEngaged();
                case 0x8218: return new ClutchReleased();
                case 0x8301: return new BlockValue();
                case 0x8302: return new SurfaceTriangles();
                case 0x8303: return new ShapeFile();
                default: return null;
            }
        }
    }

    /// <summary>The first message of a connection. Answered by `Welcome` or `Refused`.</summary>
    public sealed class Hello : Request<Welcome>
    {
        /// <summary>`HAPTICD` and a zero byte: `MAGIC`.</summary>
        public ulong Magic;

        /// <summary>The client's major version.</summary>
        public ushort Major;

        /// <summary>The client's minor version.</summary>
        public ushort Minor;

        /// <summary>Must be zero.</summary>
        public uint Features;

        /// <summary>Name that the client gives itself.</summary>
        public string Name;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0101; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Magic);
            output.U16(Major);
            output.U16(Minor);
            output.U32(Features);
            output.Text(Name, 64, "name");
        }

        internal override void Read(PacketReader input)
        {
            Magic = input.U64("magic");
            Major = input.U16("major");
            Minor = input.U16("minor");
            Features = input.U32("features");
            Name = input.Text(64, "name");
        }
    }

    /// <summary>Asks for the arms. Answered by `Arms`.</summary>
    public sealed class ListArms : Request<Arms>
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0102; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>Asks for the bodies from index `skip` on. Answered by `Bodies`.</summary>
    public sealed class ListBodies : Request<Bodies>
    {
        /// <summary>Number of bodies to skip.</summary>
        public uint Skip;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0103; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Skip);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Skip = input.U32("skip");
            input.Zeros(4);
        }
    }

    /// <summary>Asks for shared blocks. Answered by `Subscribed` with their descriptors.</summary>
    public sealed class Subscribe : Request<Subscribed>
    {
        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>A sum of bits of `topic`.</summary>
        public Topic Topics;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0104; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.U8((byte)Topics);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            Topics = (Topic)input.U8("topics");
            input.Zeros(6);
        }
    }

    /// <summary>Moves a kinematic body towards a pose. It moves no faster than `speed_m_s`.
    /// Continuous collision detection stops it at the tools; it never passes through one. When the
    /// lease ends without another command, the body stops where it is. The request is refused for a
    /// static body (`StaticBody`), a dynamic one (`NotPermitted`) and a deformable one
    /// (`DeformableBody`). A pose out of the plane of a planar scene is `OutOfRange`; the body then
    /// continues as before.</summary>
    public sealed class SetBodyPose : Request<Done>
    {
        /// <summary>Target pose.</summary>
        public Pose3d WorldFromBody;

        /// <summary>Maximum speed of any point of the body, m/s.</summary>
        public double SpeedMPerS;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Time for which the command holds, ms: 1 to `MAX_LEASE_MS`, or less if the
        /// daemon's configuration says so. The refusal's `limit` is the longest one
        /// allowed.</summary>
        public uint LeaseMs;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0105; } }

        internal override void Write(PacketWriter output)
        {
            output.Pose(WorldFromBody);
            output.F64(SpeedMPerS);
            output.U32(Body);
            output.U32(LeaseMs);
        }

        internal override void Read(PacketReader input)
        {
            WorldFromBody = input.Pose("world_from_body");
            SpeedMPerS = input.NonNegative("speed_m_s");
            Body = input.U32("body");
            LeaseMs = input.U32("lease_ms");
        }
    }

    /// <summary>Adds a body. Carries one descriptor: its mesh as a sealed memory file (`mesh`).
    /// Answered by `BodyAdded`. The body is removed when its client disconnects.</summary>
    public sealed class AddBody : Request<BodyAdded>
    {
        /// <summary>Name, unique in the scene.</summary>
        public string Name;

        /// <summary>Initial pose.</summary>
        public Pose3d WorldFromBody;

        /// <summary>Contact stiffness, N/m.</summary>
        public double StiffnessNPerM;

        /// <summary>Contact damping, N s/m.</summary>
        public double DampingNSPerM;

        /// <summary>Coulomb's friction coefficient.</summary>
        public double Friction;

        /// <summary>Coefficient of restitution between this body and others.</summary>
        public double Restitution;

        /// <summary>Density of a dynamic body, kg/m³. Ignored for other kinds.</summary>
        public double DensityKgM3;

        /// <summary>Whether the body may move. Only static, kinematic and dynamic bodies can be
        /// added.</summary>
        public BodyKind Kind;

        /// <summary>If true, the mesh must be closed and oriented. If false, an open sheet is
        /// allowed.</summary>
        public bool Solid;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0106; } }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public override int WireDescriptors { get { return 1; } }

        internal override void Write(PacketWriter output)
        {
            output.Text(Name, 64, "name");
            output.Pose(WorldFromBody);
            output.F64(StiffnessNPerM);
            output.F64(DampingNSPerM);
            output.F64(Friction);
            output.F64(Restitution);
            output.F64(DensityKgM3);
            output.U8((byte)Kind);
            output.Bool(Solid);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            Name = input.Text(64, "name");
            WorldFromBody = input.Pose("world_from_body");
            StiffnessNPerM = input.NonNegative("stiffness_n_per_m");
            DampingNSPerM = input.NonNegative("damping_n_s_per_m");
            Friction = input.NonNegative("friction");
            Restitution = input.NonNegative("restitution");
            DensityKgM3 = input.NonNegative("density_kg_m3");
            Kind = (BodyKind)input.U8("kind");
            Solid = input.Bool("solid");
            input.Zeros(6);
        }
    }

    /// <summary>Removes a body that this client added.</summary>
    public sealed class RemoveBody : Request<Done>
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0107; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Stops a kinematic body where it is and gives up the lease on it. It is refused for
    /// bodies of another kind, as `SetBodyPose` is.</summary>
    public sealed class HaltBody : Request<Done>
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0108; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Tightens limits of an arm's governor. A limit looser than the one in force changes
    /// nothing, so no client can raise its own force or another client's. A tightened limit
    /// outlives its client: it holds until a technician releases it (`ReleaseLimits`) or the daemon
    /// ends. Answered by `Done` when a tick of the loop has applied it: the force follows within
    /// the slew limit. Limits that cannot be kept are refused (`LimitsRefused`), and nothing
    /// changes.</summary>
    public sealed class TightenLimits : Request<Done>
    {
        /// <summary>Force magnitude, N.</summary>
        public double PeakForceN;

        /// <summary>Force that may be held indefinitely, N.</summary>
        public double ContinuousForceN;

        /// <summary>Torque magnitude, N m.</summary>
        public double PeakTorqueNm;

        /// <summary>Torque that may be held indefinitely, N m.</summary>
        public double ContinuousTorqueNm;

        /// <summary>Rate of change of force, N/s.</summary>
        public double SlewNPerS;

        /// <summary>Rate of change of torque, N m/s.</summary>
        public double SlewNmPerS;

        /// <summary>Tool speed above which force is cut, m/s.</summary>
        public double VelocityMPerS;

        /// <summary>Tool turning speed above which force is cut, rad/s.</summary>
        public double AngularVelocityRadPerS;

        /// <summary>Index of the arm, or `ALL_ARMS`.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0109; } }

        internal override void Write(PacketWriter output)
        {
            output.F64(PeakForceN);
            output.F64(ContinuousForceN);
            output.F64(PeakTorqueNm);
            output.F64(ContinuousTorqueNm);
            output.F64(SlewNPerS);
            output.F64(SlewNmPerS);
            output.F64(VelocityMPerS);
            output.F64(AngularVelocityRadPerS);
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            PeakForceN = input.Limit("peak_force_n");
            ContinuousForceN = input.Limit("continuous_force_n");
            PeakTorqueNm = input.Limit("peak_torque_nm");
            ContinuousTorqueNm = input.Limit("continuous_torque_nm");
            SlewNPerS = input.Limit("slew_n_per_s");
            SlewNmPerS = input.Limit("slew_nm_per_s");
            VelocityMPerS = input.Limit("velocity_m_s");
            AngularVelocityRadPerS = input.Limit("angular_velocity_rad_s");
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>Keep-alive: renews every lease of this client for `lease_ms`. Any request shows
    /// that a client is alive; this one does nothing else.</summary>
    public sealed class RenewLeases : Request<Done>
    {
        /// <summary>Length of the renewed leases, ms: 1 to `MAX_LEASE_MS`, or less if the daemon's
        /// configuration says so. The refusal's `limit` is the longest one allowed.</summary>
        public uint LeaseMs;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x010a; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(LeaseMs);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            LeaseMs = input.U32("lease_ms");
            input.Zeros(4);
        }
    }

    /// <summary>Tells that the application gained or lost the user's focus. Without focus, this
    /// client's bodies produce no force.</summary>
    public sealed class SetFocus : Request<Done>
    {
        /// <summary>Whether the application has focus. A new connection starts with it.</summary>
        public bool Focused;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x010b; } }

        internal override void Write(PacketWriter output)
        {
            output.Bool(Focused);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Focused = input.Bool("focused");
            input.Zeros(7);
        }
    }

    /// <summary>The last message of a connection that ends in good order.</summary>
    public sealed class Goodbye : Message
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x010c; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>Asks for the block of a deformable body's surface (`block`). Answered by `Surface`
    /// with its descriptor.</summary>
    public sealed class OpenSurface : Request<Surface>
    {
        /// <summary>Identity of the body: soft, cloth or of a crowd.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x010d; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Asks for the block of an implicit body's skin (`block`). Answered by `Skin` with
    /// its descriptor.</summary>
    public sealed class OpenSkin : Request<Skin>
    {
        /// <summary>Identity of an implicit body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x010e; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Asks for the shape of a body that is shown by its pose, or of an arm's tool.
    /// Answered by `Shape` with a descriptor.</summary>
    public sealed class OpenShape : Request<Shape>
    {
        /// <summary>Identity of the body: static, kinematic or dynamic, no matter which client
        /// added it. `u32::MAX - k` stands for the tool of arm `k`.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x010f; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Asks for all limits in force on an arm that `TightenLimits` can tighten. Answered
    /// by `Limits`.</summary>
    public sealed class GetLimits : Request<Limits>
    {
        /// <summary>Index of one arm; `ALL_ARMS` is refused.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0110; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>Moves several kinematic bodies at once, each as `SetBodyPose` does. It counts as
    /// one message, and all its targets are taken in the same turn. If one of them is refused, none
    /// is taken: `number` of the error or its detail names the body.</summary>
    public sealed class SetBodyPoses : Request<Done>
    {
        /// <summary>The bodies and their targets; of two for one body the last one holds.</summary>
        public readonly List<BodyTarget> Targets = new List<BodyTarget>();

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0111; } }

        internal override void Write(PacketWriter output)
        {
            output.Count(Targets.Count, 56, "targets");
            foreach (var item in Targets) item.Write(output);
        }

        internal override void Read(PacketReader input)
        {
            Targets.Clear();
            for (var left = input.Count(56, "targets"); left > 0; left--)
            {
                var item = new BodyTarget();
                item.Read(input);
                Targets.Add(item);
            }
        }
    }

    /// <summary>Changes the surface of a body that this client added. The force follows without a
    /// step: the stiffness glides over some 10 ms, and a spring that is stretched keeps its energy.
    /// Answered when the scene has the new surface; its restitution stays. It is refused for bodies
    /// of others (`NotPermitted`).</summary>
    public sealed class SetMaterial : Request<Done>
    {
        /// <summary>Contact stiffness, N/m. The arm renders no more than it can render
        /// stably.</summary>
        public double StiffnessNPerM;

        /// <summary>Contact damping, N s/m.</summary>
        public double DampingNSPerM;

        /// <summary>Coulomb's friction coefficient.</summary>
        public double Friction;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0112; } }

        internal override void Write(PacketWriter output)
        {
            output.F64(StiffnessNPerM);
            output.F64(DampingNSPerM);
            output.F64(Friction);
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            StiffnessNPerM = input.NonNegative("stiffness_n_per_m");
            DampingNSPerM = input.NonNegative("damping_n_s_per_m");
            Friction = input.NonNegative("friction");
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Adds a body with the mesh of one that a client has added; it carries no descriptor,
    /// and the mesh is neither read nor indexed again. Otherwise as `AddBody`; it is solid if the
    /// other one is. The mesh stays as long as one of its bodies does, and counts once for a client
    /// that owns several. The bodies of the configuration are refused (`NoShape`).</summary>
    public sealed class AddInstance : Request<BodyAdded>
    {
        /// <summary>Name, unique in the scene.</summary>
        public string Name;

        /// <summary>Initial pose.</summary>
        public Pose3d WorldFromBody;

        /// <summary>Contact stiffness, N/m.</summary>
        public double StiffnessNPerM;

        /// <summary>Contact damping, N s/m.</summary>
        public double DampingNSPerM;

        /// <summary>Coulomb's friction coefficient.</summary>
        public double Friction;

        /// <summary>Coefficient of restitution between this body and others.</summary>
        public double Restitution;

        /// <summary>Density of a dynamic body, kg/m³. Ignored for other kinds.</summary>
        public double DensityKgM3;

        /// <summary>Identity of the body with the mesh, no matter which client added it.</summary>
        public uint Of;

        /// <summary>Whether the body may move. Only static, kinematic and dynamic bodies can be
        /// added.</summary>
        public BodyKind Kind;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0113; } }

        internal override void Write(PacketWriter output)
        {
            output.Text(Name, 64, "name");
            output.Pose(WorldFromBody);
            output.F64(StiffnessNPerM);
            output.F64(DampingNSPerM);
            output.F64(Friction);
            output.F64(Restitution);
            output.F64(DensityKgM3);
            output.U32(Of);
            output.U8((byte)Kind);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Name = input.Text(64, "name");
            WorldFromBody = input.Pose("world_from_body");
            StiffnessNPerM = input.NonNegative("stiffness_n_per_m");
            DampingNSPerM = input.NonNegative("damping_n_s_per_m");
            Friction = input.NonNegative("friction");
            Restitution = input.NonNegative("restitution");
            DensityKgM3 = input.NonNegative("density_kg_m3");
            Of = input.U32("of");
            Kind = (BodyKind)input.U8("kind");
            input.Zeros(3);
        }
    }

    /// <summary>Begins an effect: a force that an arm makes in addition to what contact makes. Or
    /// it gives a running effect of this client other numbers; its time goes on. Lengths and
    /// directions are the world's; newtons, stiffness, damping and mass are what the hand feels.
    /// Answered by `EffectSet`. An effect ends when its duration is over, when it is stopped, and
    /// with its client: also when that is silent for longer than its lease. While the client is out
    /// of focus the effect makes no force. All effects of an arm make at most `most_force_n` of the
    /// answer together, and never more than contact leaves of the arm's limits. Fields that a kind
    /// does not name are ignored.</summary>
    public sealed class SetEffect : Request<EffectSet>
    {
        /// <summary>A point of the shape, m, world.</summary>
        public Vector3d PlaceM;

        /// <summary>Direction of the force, or of the line or the normal, world; of any length but
        /// 0.</summary>
        public Vector3d Axis;

        /// <summary>Force, amplitude, largest pull of a magnet, or friction, N; the first force of
        /// a ramp.</summary>
        public double MagnitudeN;

        /// <summary>Last force of a ramp, offset of a vibration, N.</summary>
        public double SecondN;

        /// <summary>Stiffness (N/m), damping (N s/m) or mass (kg). The arm renders no more than it
        /// can render stably.</summary>
        public double Coefficient;

        /// <summary>Frequency of a vibration, Hz: at most 400, less than half of the loop's
        /// rate.</summary>
        public double FrequencyHz;

        /// <summary>Phase of a vibration at its start, periods.</summary>
        public double Phase;

        /// <summary>Distance up to which a spring does not pull, m.</summary>
        public double DeadBandM;

        /// <summary>Reach of a magnet or a field, radius of a barrier, m; infinite: everywhere. A
        /// magnet and a barrier that is no plane must have a finite one.</summary>
        public double RangeM;

        /// <summary>The force is never longer, N.</summary>
        public double CapN;

        /// <summary>Time from the request to the first force, s.</summary>
        public double DelayS;

        /// <summary>Time from the first force to the end, s; infinite: until it is
        /// stopped.</summary>
        public double DurationS;

        /// <summary>Time in which a constant, ramped or periodic force goes from `attack_level` to
        /// the whole, s.</summary>
        public double AttackS;

        /// <summary>Share of such a force at its start.</summary>
        public double AttackLevel;

        /// <summary>Time before the end in which such a force goes to `fade_level`, s.</summary>
        public double FadeS;

        /// <summary>Share of such a force at its end.</summary>
        public double FadeLevel;

        /// <summary>Identity of a running effect of this client, or 0 for a new one.</summary>
        public uint Effect;

        /// <summary>Index of the arm; that of a running effect stays.</summary>
        public byte Arm;

        /// <summary>The law.</summary>
        public EffectKind Kind;

        /// <summary>Form of a vibration.</summary>
        public Waveform Waveform;

        /// <summary>Where spring, magnet, barrier, and the field of damper and friction
        /// are.</summary>
        public EffectShape Shape;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0114; } }

        internal override void Write(PacketWriter output)
        {
            output.Vector(PlaceM);
            output.Vector(Axis);
            output.F64(MagnitudeN);
            output.F64(SecondN);
            output.F64(Coefficient);
            output.F64(FrequencyHz);
            output.F64(Phase);
            output.F64(DeadBandM);
            output.F64(RangeM);
            output.F64(CapN);
            output.F64(DelayS);
            output.F64(DurationS);
            output.F64(AttackS);
            output.F64(AttackLevel);
            output.F64(FadeS);
            output.F64(FadeLevel);
            output.U32(Effect);
            output.U8(Arm);
            output.U8((byte)Kind);
            output.U8((byte)Waveform);
            output.U8((byte)Shape);
        }

        internal override void Read(PacketReader input)
        {
            PlaceM = input.Vector("place_m");
            Axis = input.Vector("axis");
            MagnitudeN = input.Finite("magnitude_n");
            SecondN = input.Finite("second_n");
            Coefficient = input.NonNegative("coefficient");
            FrequencyHz = input.NonNegative("frequency_hz");
            Phase = input.Finite("phase");
            DeadBandM = input.NonNegative("dead_band_m");
            RangeM = input.Limit("range_m");
            CapN = input.NonNegative("cap_n");
            DelayS = input.NonNegative("delay_s");
            DurationS = input.Limit("duration_s");
            AttackS = input.NonNegative("attack_s");
            AttackLevel = input.NonNegative("attack_level");
            FadeS = input.NonNegative("fade_s");
            FadeLevel = input.NonNegative("fade_level");
            Effect = input.U32("effect");
            Arm = input.U8("arm");
            Kind = (EffectKind)input.U8("kind");
            Waveform = (Waveform)input.U8("waveform");
            Shape = (EffectShape)input.U8("shape");
        }
    }

    /// <summary>Ends an effect of this client: its force goes to zero within 20 ms. One that has
    /// ended already is no error.</summary>
    public sealed class StopEffect : Request<Done>
    {
        /// <summary>Identity of the effect.</summary>
        public uint Effect;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0115; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Effect);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Effect = input.U32("effect");
            input.Zeros(4);
        }
    }

    /// <summary>Lets an arm hold a dynamic body of any client or of the configuration: the one that
    /// `body` names, or with 0 the one that presses the tool most. The body follows the hand on a
    /// spring, at the pose that it has now; the hand feels its weight, its inertia and what it
    /// touches. To the tool that holds it it is no obstacle. Answered by `Done` when the order is
    /// on its way; the events `Grasped` and `LetGo` say what came of it. The newest request for an
    /// arm holds, whichever client sent it. A grasp ends with its client: also when that is silent
    /// for longer than its lease, or out of focus.</summary>
    public sealed class GraspBody : Request<Done>
    {
        /// <summary>Identity of the body, or 0.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0116; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.U8(Arm);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            Arm = input.U8("arm");
            input.Zeros(3);
        }
    }

    /// <summary>Lets an arm let go of what this client let it hold; the body keeps its velocity. An
    /// arm that holds nothing is no error.</summary>
    public sealed class ReleaseBody : Request<Done>
    {
        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0117; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>Says where an arm works: where its base is in the world, how its motions are
    /// scaled, and a bubble around the hand. An application sends it once, or for each picture with
    /// a base that rides on its camera. The frame goes to that pose smoothly, no faster than
    /// `max_speed_m_s`, and never jumps; to the tool it is a moving hand. The scale changes while
    /// the tool touches and holds nothing, and the tool then goes to where the mapping puts it.
    /// What clutch and bubble have added stays unless `recentre` says otherwise. Outside of the
    /// bubble the hand drives the frame outwards (`docs/design/workspace.md` has the law). Answered
    /// by `Done` when the order is on its way. The newest request for an arm holds, whichever
    /// client sent it. When its client ends, is silent for longer than its lease or out of focus,
    /// the frame stays where it is and the bubble ends.</summary>
    public sealed class SetWorkspace : Request<Done>
    {
        /// <summary>Pose of the arm's base in the world.</summary>
        public Pose3d WorldFromBase;

        /// <summary>World metres per device metre.</summary>
        public double Scale;

        /// <summary>Largest speed of the tool that the frame's motion makes, m/s in the
        /// world.</summary>
        public double MaxSpeedMPerS;

        /// <summary>Centre of the bubble, m at the device, base frame.</summary>
        public Vector3d BubbleCenterM;

        /// <summary>Radius of the bubble, m at the device; 0: no bubble.</summary>
        public double BubbleRadiusM;

        /// <summary>Depth outside of the bubble at which the frame moves at full speed, m at the
        /// device; at least 0.001 with a bubble.</summary>
        public double BubbleWidthM;

        /// <summary>That speed, m/s in the world.</summary>
        public double BubbleSpeedMPerS;

        /// <summary>Stiffness with which the bubble pulls the hand back, N/m at the device. It
        /// shares what the arm renders stably with the effects.</summary>
        public double BubbleStiffnessNPerM;

        /// <summary>Most of that force, N. It is one of the arm's effects (`SetEffect`): they share
        /// `max_effect_force_n`.</summary>
        public double BubbleCapN;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>What clutch and bubble have added goes back to zero, as the frame
        /// moves.</summary>
        public bool Recentre;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0118; } }

        internal override void Write(PacketWriter output)
        {
            output.Pose(WorldFromBase);
            output.F64(Scale);
            output.F64(MaxSpeedMPerS);
            output.Vector(BubbleCenterM);
            output.F64(BubbleRadiusM);
            output.F64(BubbleWidthM);
            output.F64(BubbleSpeedMPerS);
            output.F64(BubbleStiffnessNPerM);
            output.F64(BubbleCapN);
            output.U8(Arm);
            output.Bool(Recentre);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            WorldFromBase = input.Pose("world_from_base");
            Scale = input.NonNegative("scale");
            MaxSpeedMPerS = input.NonNegative("max_speed_m_s");
            BubbleCenterM = input.Vector("bubble_center_m");
            BubbleRadiusM = input.NonNegative("bubble_radius_m");
            BubbleWidthM = input.NonNegative("bubble_width_m");
            BubbleSpeedMPerS = input.NonNegative("bubble_speed_m_s");
            BubbleStiffnessNPerM = input.NonNegative("bubble_stiffness_n_per_m");
            BubbleCapN = input.NonNegative("bubble_cap_n");
            Arm = input.U8("arm");
            Recentre = input.Bool("recentre");
            input.Zeros(6);
        }
    }

    /// <summary>Engages the clutch of an arm, or disengages what this client has engaged. While it
    /// is engaged the hand moves freely, without force, and the tool stands where it is; the force
    /// goes within 20 ms. Afterwards the tool goes on from there, and the force comes back within
    /// 200 ms. An arm may have a button that does the same (`clutch_button`). It ends with its
    /// client, as a mapping does.</summary>
    public sealed class SetClutch : Request<Done>
    {
        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Whether the clutch is engaged.</summary>
        public bool Engaged;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0119; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Bool(Engaged);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            Engaged = input.Bool("engaged");
            input.Zeros(6);
        }
    }

    /// <summary>Places a kinematic or dynamic body that this client added elsewhere at once. It
    /// does not go there: to tools it is another body, which makes no force and stops nothing until
    /// the tool is proven clear of it (`Ghost`). The force on a tool that touched it fades as if it
    /// had been removed, and an arm that held it lets go. Its velocity ends; its target and lease
    /// end also if the place is refused. In a scene with dynamic bodies the place must be free of
    /// them, for a dynamic body of all bodies (`InvalidBody`). Answered when the body is there. A
    /// static body is refused (`StaticBody`).</summary>
    public sealed class TeleportBody : Request<Done>
    {
        /// <summary>Its pose from now on.</summary>
        public Pose3d WorldFromBody;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x011a; } }

        internal override void Write(PacketWriter output)
        {
            output.Pose(WorldFromBody);
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            WorldFromBody = input.Pose("world_from_body");
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>Gives a dynamic body that this client added an impulse or a velocity, once. It
    /// shows some ticks later; a sleeping body wakes. Answered when the scene has it. Refused if
    /// the velocity would change by more than `MAX_PUSH_M_S` or `MAX_PUSH_RAD_S` (`OutOfRange`),
    /// for a body that is not dynamic and in a scene of first order (`NotPermitted`).</summary>
    public sealed class PushBody : Request<Done>
    {
        /// <summary>Impulse, N s, or velocity of the centre of mass, m/s; world.</summary>
        public Vector3d Linear;

        /// <summary>Angular impulse, N m s, in addition to that of the impulse at its point; or
        /// angular velocity, rad/s; world.</summary>
        public Vector3d Angular;

        /// <summary>Point at which the impulse acts, m, world; ignored for a velocity.</summary>
        public Vector3d PointM;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Impulse or velocity.</summary>
        public PushMode Mode;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x011b; } }

        internal override void Write(PacketWriter output)
        {
            output.Vector(Linear);
            output.Vector(Angular);
            output.Vector(PointM);
            output.U32(Body);
            output.U8((byte)Mode);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Linear = input.Vector("linear");
            Angular = input.Vector("angular");
            PointM = input.Vector("point_m");
            Body = input.U32("body");
            Mode = (PushMode)input.U8("mode");
            input.Zeros(3);
        }
    }

    /// <summary>Technician: asks for the daemon's state. Answered by `Status`.</summary>
    public sealed class GetStatus : Request<Status>
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0201; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>Technician: reloads the configuration. Answered by `Done` when a tick of the loop
    /// has applied its limits.</summary>
    public sealed class Reload : Request<Done>
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0202; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>Technician: shuts the daemon down in order.</summary>
    public sealed class Shutdown : Request<Done>
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0203; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>Technician: clears a latched fault of an arm, such as an emergency stop. Answered
    /// by `Done` when a tick of the loop has applied it. If the cause persists, the fault
    /// returns.</summary>
    public sealed class ClearFault : Request<Done>
    {
        /// <summary>Index of the arm, or `ALL_ARMS`.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0204; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>Technician: undoes everything that clients have tightened on an arm
    /// (`TightenLimits`). The limits of the configuration, as last reloaded, hold again. The force
    /// rises within the slew limit. Answered by `Done` when a tick of the loop has applied
    /// them.</summary>
    public sealed class ReleaseLimits : Request<Done>
    {
        /// <summary>Index of the arm, or `ALL_ARMS`.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0205; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>The connection is accepted.</summary>
    public sealed class Welcome : Message
    {
        /// <summary>`HAPTICD` and a zero byte: `MAGIC`.</summary>
        public ulong Magic;

        /// <summary>The daemon's major version, the same as the client's.</summary>
        public ushort Major;

        /// <summary>The daemon's minor version; both sides use the lower one.</summary>
        public ushort Minor;

        /// <summary>Number of this client.</summary>
        public uint Client;

        /// <summary>The client must send some request at least this often, ms. Otherwise it counts
        /// as silent, and the force of its bodies ramps to zero.</summary>
        public uint LeaseMs;

        /// <summary>Maximum number of requests per second.</summary>
        public uint MessagesPerS;

        /// <summary>Maximum number of bodies of one client.</summary>
        public uint MaxBodies;

        /// <summary>Whether this is the technician's socket.</summary>
        public bool Technician;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8101; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Magic);
            output.U16(Major);
            output.U16(Minor);
            output.U32(Client);
            output.U32(LeaseMs);
            output.U32(MessagesPerS);
            output.U32(MaxBodies);
            output.Bool(Technician);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Magic = input.U64("magic");
            Major = input.U16("major");
            Minor = input.U16("minor");
            Client = input.U32("client");
            LeaseMs = input.U32("lease_ms");
            MessagesPerS = input.U32("messages_per_s");
            MaxBodies = input.U32("max_bodies");
            Technician = input.Bool("technician");
            input.Zeros(3);
        }
    }

    /// <summary>The connection is refused; the daemon closes it after this message.</summary>
    public sealed class Refused : Message
    {
        /// <summary>Reason for the refusal.</summary>
        public RefusalReason Reason;

        /// <summary>The daemon's major version.</summary>
        public ushort Major;

        /// <summary>The daemon's minor version.</summary>
        public ushort Minor;

        /// <summary>The client's major version, as the daemon understood it.</summary>
        public ushort ClientMajor;

        /// <summary>The client's minor version.</summary>
        public ushort ClientMinor;

        /// <summary>The limit, if the reason has one.</summary>
        public ushort Limit;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8102; } }

        internal override void Write(PacketWriter output)
        {
            output.U16((ushort)Reason);
            output.U16(Major);
            output.U16(Minor);
            output.U16(ClientMajor);
            output.U16(ClientMinor);
            output.U16(Limit);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Reason = (RefusalReason)input.U16("reason");
            Major = input.U16("major");
            Minor = input.U16("minor");
            ClientMajor = input.U16("client_major");
            ClientMinor = input.U16("client_minor");
            Limit = input.U16("limit");
            input.Zeros(4);
        }
    }

    /// <summary>The request was carried out.</summary>
    public sealed class Done : Message
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8103; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>The request was not carried out.</summary>
    public sealed class Error : Message
    {
        /// <summary>Number that belongs to the code.</summary>
        public ulong Number;

        /// <summary>Limit that belongs to the code.</summary>
        public ulong Limit;

        /// <summary>A sentence for people; may be empty.</summary>
        public string Detail;

        /// <summary>Reason for the error.</summary>
        public ErrorCode Code;

        /// <summary>Kind of the request; 0 when it was not understood.</summary>
        public ushort Request;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8104; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Number);
            output.U64(Limit);
            output.Text(Detail, 256, "detail");
            output.U16((ushort)Code);
            output.U16(Request);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Number = input.U64("number");
            Limit = input.U64("limit");
            Detail = input.Text(256, "detail");
            Code = (ErrorCode)input.U16("code");
            Request = input.U16("request");
            input.Zeros(4);
        }
    }

    /// <summary>All arms.</summary>
    public sealed class Arms : Message
    {
        /// <summary>The arms in the order of their indices.</summary>
        public readonly List<ArmInfo> Items = new List<ArmInfo>();

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8105; } }

        internal override void Write(PacketWriter output)
        {
            output.Count(Items.Count, 8, "arms");
            foreach (var item in Items) item.Write(output);
        }

        internal override void Read(PacketReader input)
        {
            Items.Clear();
            for (var left = input.Count(8, "arms"); left > 0; left--)
            {
                var item = new ArmInfo();
                item.Read(input);
                Items.Add(item);
            }
        }
    }

    /// <summary>One page of bodies.</summary>
    public sealed class Bodies : Message
    {
        /// <summary>Number of bodies in all.</summary>
        public uint Total;

        /// <summary>Number of bodies that were skipped before these.</summary>
        public uint Skipped;

        /// <summary>The bodies of this page.</summary>
        public readonly List<BodyInfo> Items = new List<BodyInfo>();

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8106; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Total);
            output.U32(Skipped);
            output.Count(Items.Count, 16, "bodies");
            foreach (var item in Items) item.Write(output);
        }

        internal override void Read(PacketReader input)
        {
            Total = input.U32("total");
            Skipped = input.U32("skipped");
            Items.Clear();
            for (var left = input.Count(16, "bodies"); left > 0; left--)
            {
                var item = new BodyInfo();
                item.Read(input);
                Items.Add(item);
            }
        }
    }

    /// <summary>The requested blocks: one descriptor for each, in this order.</summary>
    public sealed class Subscribed : Message
    {
        /// <summary>Descriptions of the descriptors.</summary>
        public readonly List<BlockInfo> Blocks = new List<BlockInfo>();

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8107; } }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public override int WireDescriptors { get { return Blocks.Count; } }

        internal override void Write(PacketWriter output)
        {
            output.Count(Blocks.Count, 5, "blocks");
            foreach (var item in Blocks) item.Write(output);
        }

        internal override void Read(PacketReader input)
        {
            Blocks.Clear();
            for (var left = input.Count(5, "blocks"); left > 0; left--)
            {
                var item = new BlockInfo();
                item.Read(input);
                Blocks.Add(item);
            }
        }
    }

    /// <summary>The body is in the scene.</summary>
    public sealed class BodyAdded : Message
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of triangles of its mesh after cleaning.</summary>
        public uint Triangles;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8108; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.U32(Triangles);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            Triangles = input.U32("triangles");
        }
    }

    /// <summary>The daemon's state. Carries one descriptor: a sealed memory file with JSON
    /// text.</summary>
    public sealed class Status : Message
    {
        /// <summary>Length of the text in bytes.</summary>
        public ulong Bytes;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8109; } }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public override int WireDescriptors { get { return 1; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Bytes);
        }

        internal override void Read(PacketReader input)
        {
            Bytes = input.U64("bytes");
        }
    }

    /// <summary>The requested surface. Carries one descriptor: its block.</summary>
    public sealed class Surface : Message
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x810a; } }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public override int WireDescriptors { get { return 1; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>The requested skin. Carries one descriptor: its block.</summary>
    public sealed class Skin : Message
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x810b; } }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public override int WireDescriptors { get { return 1; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>The requested shape. Carries one descriptor: a sealed memory file with its mesh in
    /// the body's frame (`mesh`, coordinates of 4 bytes). All clients that ask get the same
    /// file.</summary>
    public sealed class Shape : Message
    {
        /// <summary>Identity of the body, or the number that stands for the tool.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x810c; } }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public override int WireDescriptors { get { return 1; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>The limits that an arm's governor applies now, in the order of `TightenLimits`.
    /// Each is the strictest of arm, configuration and clients, as a tick of the loop has applied
    /// it. A request that no tick has applied yet is not included.</summary>
    public sealed class Limits : Message
    {
        /// <summary>Largest force magnitude, N. Lower than requested if the continuous limit does
        /// not allow that peak.</summary>
        public double PeakForceN;

        /// <summary>Largest force that may be held indefinitely (root mean square), N.</summary>
        public double ContinuousForceN;

        /// <summary>Largest torque magnitude, N m; 0 if the arm has no torque. Lower than requested
        /// if the continuous limit does not allow that peak.</summary>
        public double PeakTorqueNm;

        /// <summary>Largest torque that may be held indefinitely (root mean square), N m; 0 if the
        /// arm has no torque.</summary>
        public double ContinuousTorqueNm;

        /// <summary>Largest rate of change of force, N/s.</summary>
        public double SlewNPerS;

        /// <summary>Largest rate of change of torque, N m/s.</summary>
        public double SlewNmPerS;

        /// <summary>Tool speed above which force is cut, m/s.</summary>
        public double VelocityMPerS;

        /// <summary>Tool turning speed above which force is cut, rad/s.</summary>
        public double AngularVelocityRadPerS;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x810d; } }

        internal override void Write(PacketWriter output)
        {
            output.F64(PeakForceN);
            output.F64(ContinuousForceN);
            output.F64(PeakTorqueNm);
            output.F64(ContinuousTorqueNm);
            output.F64(SlewNPerS);
            output.F64(SlewNmPerS);
            output.F64(VelocityMPerS);
            output.F64(AngularVelocityRadPerS);
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            PeakForceN = input.Limit("peak_force_n");
            ContinuousForceN = input.Limit("continuous_force_n");
            PeakTorqueNm = input.Limit("peak_torque_nm");
            ContinuousTorqueNm = input.Limit("continuous_torque_nm");
            SlewNPerS = input.Limit("slew_n_per_s");
            SlewNmPerS = input.Limit("slew_nm_per_s");
            VelocityMPerS = input.Limit("velocity_m_s");
            AngularVelocityRadPerS = input.Limit("angular_velocity_rad_s");
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>The effect runs from the next tick on.</summary>
    public sealed class EffectSet : Message
    {
        /// <summary>Force that all effects of the arm make together at most, N.</summary>
        public double MostForceN;

        /// <summary>Identity of the effect; never reused.</summary>
        public uint Effect;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x810e; } }

        internal override void Write(PacketWriter output)
        {
            output.F64(MostForceN);
            output.U32(Effect);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            MostForceN = input.Finite("most_force_n");
            Effect = input.U32("effect");
            input.Zeros(4);
        }
    }

    /// <summary>A body joined the scene.</summary>
    public sealed class BodyJoined : Message
    {
        /// <summary>Name of the body.</summary>
        public string Name;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Whether the body may move, and whether it keeps its shape.</summary>
        public BodyKind Kind;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8201; } }

        internal override void Write(PacketWriter output)
        {
            output.Text(Name, 64, "name");
            output.U32(Body);
            output.U8((byte)Kind);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Name = input.Text(64, "name");
            Body = input.U32("body");
            Kind = (BodyKind)input.U8("kind");
            input.Zeros(3);
        }
    }

    /// <summary>A body left the scene.</summary>
    public sealed class BodyLeft : Message
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Reason for the removal.</summary>
        public RemovalReason Reason;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8202; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.U8((byte)Reason);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            Reason = (RemovalReason)input.U8("reason");
            input.Zeros(3);
        }
    }

    /// <summary>An arm was attached.</summary>
    public sealed class ArmAttached : Message
    {
        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8203; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>An arm was unplugged or failed.</summary>
    public sealed class ArmLost : Message
    {
        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8204; } }

        internal override void Write(PacketWriter output)
        {
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>The force of an arm went off, or was off already and now is for another reason.
    /// Only the first is counted in `ArmState::force_offs`.</summary>
    public sealed class ForceOff : Message
    {
        /// <summary>Tick that saw the cause.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Code of the cause (`force_off_text`).</summary>
        public byte Reason;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8205; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U8(Arm);
            output.U8(Reason);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Arm = input.U8("arm");
            Reason = input.U8("reason");
            input.Zeros(6);
        }
    }

    /// <summary>The force of an arm is back at full authority.</summary>
    public sealed class ForceOn : Message
    {
        /// <summary>Tick in which that happened.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8206; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>A lease expired: the body stopped where it was.</summary>
    public sealed class LeaseExpired : Message
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8207; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            input.Zeros(4);
        }
    }

    /// <summary>This client sent nothing for the length of its lease. The force of its bodies ramps
    /// to zero until it sends a request again.</summary>
    public sealed class ClientSilent : Message
    {
        /// <summary>How long the client had been silent, ms.</summary>
        public uint SilentMs;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8208; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(SilentMs);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            SilentMs = input.U32("silent_ms");
            input.Zeros(4);
        }
    }

    /// <summary>The recording stopped.</summary>
    public sealed class RecordingStopped : Message
    {
        /// <summary>Reason, in words.</summary>
        public string Detail;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8209; } }

        internal override void Write(PacketWriter output)
        {
            output.Text(Detail, 256, "detail");
        }

        internal override void Read(PacketReader input)
        {
            Detail = input.Text(256, "detail");
        }
    }

    /// <summary>The configuration was reloaded and is in force.</summary>
    public sealed class ConfigReloaded : Message
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x820a; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>The reloaded configuration was refused; the old one stays in force.</summary>
    public sealed class ConfigRefused : Message
    {
        /// <summary>The first errors, in words.</summary>
        public string Detail;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x820b; } }

        internal override void Write(PacketWriter output)
        {
            output.Text(Detail, 256, "detail");
        }

        internal override void Read(PacketReader input)
        {
            Detail = input.Text(256, "detail");
        }
    }

    /// <summary>The daemon is shutting down; force ramps to zero now.</summary>
    public sealed class ShuttingDown : Message
    {
        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x820c; } }

        internal override void Write(PacketWriter output)
        {
            output.Zeros(8);
        }

        internal override void Read(PacketReader input)
        {
            input.Zeros(8);
        }
    }

    /// <summary>Events are missing at this place in the stream: this client, or the daemon, read
    /// too slowly.</summary>
    public sealed class EventsLost : Message
    {
        /// <summary>Number of missing events.</summary>
        public ulong Count;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x820d; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Count);
        }

        internal override void Read(PacketReader input)
        {
            Count = input.U64("count");
        }
    }

    /// <summary>A tool touched a body: the first tick in which the body held it back. Sent with
    /// `CONTACT_EVENTS`, as all up to `ButtonReleased`.</summary>
    public sealed class Touched : Message
    {
        /// <summary>That tick.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Identity of the body. For the tool of arm `k` it is `u32::MAX - k`.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x820e; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U32(Body);
            output.U8(Arm);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Body = input.U32("body");
            Arm = input.U8("arm");
            input.Zeros(3);
        }
    }

    /// <summary>A tool no longer touches a body: nothing of it has held the tool back for
    /// `RELEASE_NS`, or the body is gone.</summary>
    public sealed class Released : Message
    {
        /// <summary>Tick in which that was known.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Time of the last tick in which the body held the tool back, ns.</summary>
        public ulong LastTouchNs;

        /// <summary>Identity of the body, as in `Touched`.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x820f; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U64(LastTouchNs);
            output.U32(Body);
            output.U8(Arm);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            LastTouchNs = input.U64("last_touch_ns");
            Body = input.U32("body");
            Arm = input.U8("arm");
            input.Zeros(3);
        }
    }

    /// <summary>A tool is inside a body, or overlaps it. The body is not solid to it and exerts no
    /// force until the tool has moved out.</summary>
    public sealed class Ghost : Message
    {
        /// <summary>Tick in which that was known.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Identity of the body, as in `Touched`.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8210; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U32(Body);
            output.U8(Arm);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Body = input.U32("body");
            Arm = input.U8("arm");
            input.Zeros(3);
        }
    }

    /// <summary>A tool has moved out of a body, which is solid to it from now on; or the body is
    /// gone.</summary>
    public sealed class Solid : Message
    {
        /// <summary>Tick in which that was known.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Identity of the body, as in `Touched`.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8211; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U32(Body);
            output.U8(Arm);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Body = input.U32("body");
            Arm = input.U8("arm");
            input.Zeros(3);
        }
    }

    /// <summary>A button of an arm was pressed.</summary>
    public sealed class ButtonPressed : Message
    {
        /// <summary>Tick that saw it.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of the button, from 0: the bit in `ArmState::buttons`.</summary>
        public byte Button;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8212; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U8(Arm);
            output.U8(Button);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Arm = input.U8("arm");
            Button = input.U8("button");
            input.Zeros(6);
        }
    }

    /// <summary>A button of an arm was released, or the arm was lost.</summary>
    public sealed class ButtonReleased : Message
    {
        /// <summary>Tick that saw it.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of the button, as in `ButtonPressed`.</summary>
        public byte Button;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8213; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U8(Arm);
            output.U8(Button);
            output.Zeros(6);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Arm = input.U8("arm");
            Button = input.U8("button");
            input.Zeros(6);
        }
    }

    /// <summary>An effect of this client has ended. Sent with `EVENTS`, to that client
    /// alone.</summary>
    public sealed class EffectEnded : Message
    {
        /// <summary>Identity of the effect.</summary>
        public uint Effect;

        /// <summary>Reason for the end.</summary>
        public EffectEnd Reason;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8214; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Effect);
            output.U8((byte)Reason);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Effect = input.U32("effect");
            Reason = (EffectEnd)input.U8("reason");
            input.Zeros(3);
        }
    }

    /// <summary>An arm holds a dynamic body: by a request (`GraspBody`), or by its button. Sent
    /// with `CONTACT_EVENTS`.</summary>
    public sealed class Grasped : Message
    {
        /// <summary>Tick in which the arm took it.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8215; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U32(Body);
            output.U8(Arm);
            output.Zeros(3);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Body = input.U32("body");
            Arm = input.U8("arm");
            input.Zeros(3);
        }
    }

    /// <summary>An arm let go of a body, which keeps its velocity; or there was none to take. Sent
    /// with `CONTACT_EVENTS`.</summary>
    public sealed class LetGo : Message
    {
        /// <summary>Tick in which that happened.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Identity of the body; 0 if there was none.</summary>
        public uint Body;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Reason.</summary>
        public LetGoReason Reason;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8216; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U32(Body);
            output.U8(Arm);
            output.U8((byte)Reason);
            output.Zeros(2);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Body = input.U32("body");
            Arm = input.U8("arm");
            Reason = (LetGoReason)input.U8("reason");
            input.Zeros(2);
        }
    }

    /// <summary>The clutch of an arm holds its tool: by a request (`SetClutch`), or by its button.
    /// Sent with `CONTACT_EVENTS`.</summary>
    public sealed class ClutchEngaged : Message
    {
        /// <summary>Tick in which it was engaged.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8217; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>The clutch of an arm no longer holds its tool. Sent with
    /// `CONTACT_EVENTS`.</summary>
    public sealed class ClutchReleased : Message
    {
        /// <summary>Tick in which it was disengaged.</summary>
        public ulong Tick;

        /// <summary>Time of that tick, ns on the daemon's monotonic clock.</summary>
        public ulong TimeNs;

        /// <summary>Index of the arm.</summary>
        public byte Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8218; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Tick);
            output.U64(TimeNs);
            output.U8(Arm);
            output.Zeros(7);
        }

        internal override void Read(PacketReader input)
        {
            Tick = input.U64("tick");
            TimeNs = input.U64("time_ns");
            Arm = input.U8("arm");
            input.Zeros(7);
        }
    }

    /// <summary>Sets how often values of the subscribed and opened blocks are sent. It holds for
    /// all of them, also those that come later, and replaces the rates before. A new connection has
    /// 0. It is no sign of life: the daemon does not hear of it.</summary>
    public sealed class SetPushRates : Request<Done>
    {
        /// <summary>Values of each state, contacts and bodies block, Hz; 0 for none.</summary>
        public uint StateHz;

        /// <summary>Values of each surface and skin, Hz; 0 for none.</summary>
        public uint SurfaceHz;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x0301; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(StateHz);
            output.U32(SurfaceHz);
        }

        internal override void Read(PacketReader input)
        {
            StateHz = input.U32("state_hz");
            SurfaceHz = input.U32("surface_hz");
        }
    }

    /// <summary>The newest value of a block. `words` words follow: the payload's fixed words, then
    /// the elements or rows that the value has. Triangles of a surface come once, in
    /// `SurfaceTriangles`.</summary>
    public sealed class BlockValue : Message
    {
        /// <summary>How often the block was published until this value.</summary>
        public ulong Version;

        /// <summary>Number of values so far that were due and not sent, since the client had not
        /// yet read what was sent before.</summary>
        public ulong Skipped;

        /// <summary>Identity of the body of a surface or a skin; 0 for the other blocks.</summary>
        public uint Body;

        /// <summary>Number of words that follow.</summary>
        public uint Words;

        /// <summary>Kind of the block.</summary>
        public BlockKind Kind;

        /// <summary>Index of the arm that the block belongs to.</summary>
        public ushort Arm;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8301; } }

        internal override void Write(PacketWriter output)
        {
            output.U64(Version);
            output.U64(Skipped);
            output.U32(Body);
            output.U32(Words);
            output.U16((ushort)Kind);
            output.U16(Arm);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Version = input.U64("version");
            Skipped = input.U64("skipped");
            Body = input.U32("body");
            Words = input.U32("words");
            Kind = (BlockKind)input.U16("kind");
            Arm = input.U16("arm");
            input.Zeros(4);
        }
    }

    /// <summary>The triangles of a surface. It comes once, before the surface's first value. Three
    /// `u32` indices of points for each triangle follow.</summary>
    public sealed class SurfaceTriangles : Message
    {
        /// <summary>Identity of the body.</summary>
        public uint Body;

        /// <summary>Number of points.</summary>
        public uint Points;

        /// <summary>Number of triangles that follow.</summary>
        public uint Triangles;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8302; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.U32(Points);
            output.U32(Triangles);
            output.Zeros(4);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            Points = input.U32("points");
            Triangles = input.U32("triangles");
            input.Zeros(4);
        }
    }

    /// <summary>The mesh file of a `Shape`, right behind that reply. `bytes` bytes
    /// follow.</summary>
    public sealed class ShapeFile : Message
    {
        /// <summary>Identity of the body, or the number that stands for the tool.</summary>
        public uint Body;

        /// <summary>Length of the file that follows.</summary>
        public uint Bytes;

        /// <summary>Number of this kind of message.</summary>
        public override ushort WireKind { get { return 0x8303; } }

        internal override void Write(PacketWriter output)
        {
            output.U32(Body);
            output.U32(Bytes);
        }

        internal override void Read(PacketReader input)
        {
            Body = input.U32("body");
            Bytes = input.U32("bytes");
        }
    }
}
