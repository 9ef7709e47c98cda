# Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p hapticd-protocol
"""Messages, codes and blocks of the protocol, as the daemon's own crate declares them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import ClassVar

from ._words import F64, U16, U32, U64, Message, Pose, Record, Vector, Words, pose, vector

MAJOR = 3
"""Major version of the protocol."""
MINOR = 0
"""Minor version of the protocol."""
MAGIC = 19214280642543944
"""First word of a hello, a welcome and a block."""
MAX_MESSAGE = 4096
"""Largest message, header included, bytes."""
HEADER_BYTES = 16
"""Length of a message's header, bytes."""
MAX_ARMS = 8
"""Most arms of a daemon."""
MAX_BODIES = 64
"""Most rigid bodies in a scene."""
MAX_CONTACTS = 32
"""Most contacts in an arm's block."""
ALL_ARMS = 255
"""Stands for all arms where a field takes an arm."""
MAX_TARGETS = 56
"""Most bodies that one message moves."""
EFFECTS_PER_ARM = 8
"""Most effects of an arm at the same time."""
MAX_LEASE_MS = 10000
"""Longest lease that any daemon grants, ms."""
MAX_COORDINATE_M = 10000
"""Largest coordinate of a pose or a mesh, m."""
SEQUENCE_WORD = 8
"""Index of a block's sequence."""
PAYLOAD_WORD = 9
"""Index of the first word of a block's payload."""
RELEASE_NS = 20000000
"""Time without contact after which a tool counts as released, ns."""
MESH_MAGIC = 5211585392227139912
"""First word of a mesh file."""
MESH_VERSION = 1
"""Version of the mesh format."""
MESH_HEADER_BYTES = 32
"""Offset of a mesh file's vertices, bytes."""
MESH_SEALS = 14
"""Seals that a mesh file must have: F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE."""
BLOCK_SEALS = 23
"""Seals of a block: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE."""
MAX_PUSH_HZ = 120
"""Highest rate at which the gateway sends the values of one block, Hz."""
GATEWAY_REQUESTS_PER_S = 500
"""Requests that the gateway passes on for one client within a second."""
MAX_INLINE_MESH_BYTES = 268435456
"""Longest mesh file behind an `AddBody` through the gateway, bytes."""


class BodyKind(IntEnum):
    """Whether a body may move, and whether it keeps its shape."""

    STATIC = 0
    """It never moves."""

    KINEMATIC = 1
    """A client moves it."""

    DYNAMIC = 2
    """Forces move it: gravity, contacts, and the tools that touch it."""

    SOFT = 3
    """Forces move and deform it. It comes from the configuration: clients cannot add, move or
    remove it."""

    CLOTH = 4
    """A sheet that forces move and deform; otherwise like a soft body."""

    CROWD = 5
    """One of a crowd of loose rigid bodies: forces move it like a dynamic body, and it is shown
    by its surface like a soft one."""

    IMPLICIT = 6
    """Spheres that forces move, under an implicit surface that blends over them: a strand, a
    fluid, a springy solid. Shown by its skin."""


BODY_KIND_TEXT: dict[int, str] = {
    0: "It never moves.",
    1: "A client moves it.",
    2: "Forces move it: gravity, contacts, and the tools that touch it.",
    3: "Forces move and deform it. It comes from the configuration: clients cannot add, move or remove it.",
    4: "A sheet that forces move and deform; otherwise like a soft body.",
    5: "One of a crowd of loose rigid bodies: forces move it like a dynamic body, and it is shown by its surface like a soft one.",
    6: "Spheres that forces move, under an implicit surface that blends over them: a strand, a fluid, a springy solid. Shown by its skin.",
}
"""What each BodyKind means."""


class PushMode(IntEnum):
    """What a `PushBody` does to a body."""

    IMPULSE = 0
    """It adds an impulse: a kick."""

    VELOCITY = 1
    """It sets the velocity."""


PUSH_MODE_TEXT: dict[int, str] = {
    0: "It adds an impulse: a kick.",
    1: "It sets the velocity.",
}
"""What each PushMode means."""


class EffectKind(IntEnum):
    """Law of an effect's force; `docs/design/effects.md` has the formulas."""

    CONSTANT = 0
    """A force along the axis."""

    RAMP = 1
    """A force along the axis that goes from `magnitude_n` to `second_n` over the duration, which
    must be finite."""

    PERIODIC = 2
    """A vibration along the axis: `second_n` is its offset."""

    SPRING = 3
    """A pull to a point, a line or a plane beyond `dead_band_m`: guidance. `coefficient` is its
    stiffness, N/m."""

    DAMPER = 4
    """A force against the velocity within `range_m` of the shape: a viscous field. `coefficient`
    is its damping, N s/m."""

    FRICTION = 5
    """A force of `magnitude_n` against any motion within `range_m` of the shape. `coefficient`
    is the stiffness with which it holds the hand at rest, N/m."""

    INERTIA = 6
    """A mass of `coefficient` kg at the hand."""

    MAGNET = 7
    """A pull to the shape of at most `magnitude_n` within `range_m`. `coefficient` is its
    stiffness, N/m."""

    BARRIER = 8
    """A region that the hand is pushed out of: the ball or cylinder of radius `range_m`, or the
    side of the plane that the axis points away from. `coefficient` is its stiffness, N/m."""


EFFECT_KIND_TEXT: dict[int, str] = {
    0: "A force along the axis.",
    1: "A force along the axis that goes from `magnitude_n` to `second_n` over the duration, which must be finite.",
    2: "A vibration along the axis: `second_n` is its offset.",
    3: "A pull to a point, a line or a plane beyond `dead_band_m`: guidance. `coefficient` is its stiffness, N/m.",
    4: "A force against the velocity within `range_m` of the shape: a viscous field. `coefficient` is its damping, N s/m.",
    5: "A force of `magnitude_n` against any motion within `range_m` of the shape. `coefficient` is the stiffness with which it holds the hand at rest, N/m.",
    6: "A mass of `coefficient` kg at the hand.",
    7: "A pull to the shape of at most `magnitude_n` within `range_m`. `coefficient` is its stiffness, N/m.",
    8: "A region that the hand is pushed out of: the ball or cylinder of radius `range_m`, or the side of the plane that the axis points away from. `coefficient` is its stiffness, N/m.",
}
"""What each EffectKind means."""


class Waveform(IntEnum):
    """Form of a vibration."""

    SINE = 0
    """`sin(2 pi p)`, `p` in periods."""

    TRIANGLE = 1
    """From 0 up to 1, down to -1, back to 0."""

    SQUARE = 2
    """1 in the first half, -1 in the second."""

    SAW_UP = 3
    """From -1 up to 1."""

    SAW_DOWN = 4
    """From 1 down to -1."""


WAVEFORM_TEXT: dict[int, str] = {
    0: "`sin(2 pi p)`, `p` in periods.",
    1: "From 0 up to 1, down to -1, back to 0.",
    2: "1 in the first half, -1 in the second.",
    3: "From -1 up to 1.",
    4: "From 1 down to -1.",
}
"""What each Waveform means."""


class EffectShape(IntEnum):
    """Where an effect is."""

    POINT = 0
    """The place."""

    LINE = 1
    """The line through the place along the axis."""

    PLANE = 2
    """The plane through the place, with the axis as its normal."""


EFFECT_SHAPE_TEXT: dict[int, str] = {
    0: "The place.",
    1: "The line through the place along the axis.",
    2: "The plane through the place, with the axis as its normal.",
}
"""What each EffectShape means."""


class RefusalReason(IntEnum):
    """Reason why a connection was refused."""

    NOT_HELLO = 1
    """The first message was not a hello of this protocol."""

    VERSION_MISMATCH = 2
    """The major versions differ. Both are in the message."""

    TOO_MANY_CLIENTS = 3
    """The socket has as many clients as the daemon allows: `limit`."""

    NOT_PERMITTED = 4
    """This user may not use this socket."""

    SHUTTING_DOWN = 5
    """The daemon is shutting down."""


REFUSAL_REASON_TEXT: dict[int, str] = {
    1: "The first message was not a hello of this protocol.",
    2: "The major versions differ. Both are in the message.",
    3: "The socket has as many clients as the daemon allows: `limit`.",
    4: "This user may not use this socket.",
    5: "The daemon is shutting down.",
}
"""What each RefusalReason means."""


class ErrorCode(IntEnum):
    """Reason why a request was not carried out."""

    MALFORMED = 1
    """The bytes are not a request; the client's fault."""

    TECHNICIAN_ONLY = 2
    """Only the technician's socket takes this request."""

    NO_SUCH_ARM = 3
    """There is no arm with index `number`; `limit` is how many there are."""

    NO_SUCH_BODY = 4
    """There is no body `number`."""

    NOT_PERMITTED = 5
    """This client may not move or remove body `number`. It belongs to another client or to the
    configuration, another client is moving it, or forces move it; the detail says which."""

    STATIC_BODY = 6
    """Body `number` is static: no client can move it."""

    TOO_MANY_MESSAGES = 7
    """The client sent more than `limit` messages per second."""

    TOO_MANY_BODIES = 8
    """This client already has `number` bodies, which is its limit."""

    MESH_TOO_LARGE = 9
    """`number` bytes of mesh, and `limit` are allowed. It is this mesh, or all of this client's
    together. If there is a detail: the body would need `number` bytes of memory, and `limit` are
    left."""

    SCENE_FULL = 10
    """The scene takes no more bodies: it already has `limit`. In a planar scene that is 0, and
    the detail says so."""

    NAME_TAKEN = 11
    """A body with that name exists."""

    INVALID_MESH = 12
    """The mesh is invalid, or not suitable for a solid body; the detail says why."""

    INVALID_DESCRIPTOR = 13
    """The descriptor is not a sealed memory file."""

    OUT_OF_RANGE = 14
    """A number is out of range: it is `number`, at most `limit` is allowed. The detail names the
    number, and its minimum if it is below that."""

    BUSY = 15
    """The daemon is busy with earlier requests: try again."""

    SHUTTING_DOWN = 16
    """The daemon is shutting down."""

    INTERNAL = 17
    """The daemon could not do it (out of memory or descriptors); the daemon's fault."""

    OUT_OF_ORDER = 18
    """A second hello, or another request out of order."""

    CONFIG_REFUSED = 19
    """The configuration was refused; the detail says why."""

    DEFORMABLE_BODY = 20
    """Body `number` is deformable: no client can move or remove it. It is soft, a cloth, of a
    crowd or implicit."""

    NO_SURFACE = 21
    """Body `number` is shown by its pose or its skin: it has no surface block."""

    NO_SKIN = 22
    """Body `number` has no skin."""

    NO_SHAPE = 23
    """Body `number` is shown by its surface or its skin: it has no constant shape."""

    LIMITS_REFUSED = 24
    """One of the limits is `number` and must be at least `limit`, both rounded. The detail has
    the exact values."""

    INVALID_BODY = 25
    """The scene cannot hold such a dynamic body. It has no mass or no inside, or it would start
    inside another body; the detail says which."""

    NO_SUCH_EFFECT = 26
    """This client has no effect `number`: it never had, or the effect has ended."""

    TOO_MANY_EFFECTS = 27
    """The arm has as many effects as it can: `limit`. Or the configuration allows none: then
    `limit` is 0."""


ERROR_CODE_TEXT: dict[int, str] = {
    1: "The bytes are not a request; the client's fault.",
    2: "Only the technician's socket takes this request.",
    3: "There is no arm with index `number`; `limit` is how many there are.",
    4: "There is no body `number`.",
    5: "This client may not move or remove body `number`. It belongs to another client or to the configuration, another client is moving it, or forces move it; the detail says which.",
    6: "Body `number` is static: no client can move it.",
    7: "The client sent more than `limit` messages per second.",
    8: "This client already has `number` bodies, which is its limit.",
    9: "`number` bytes of mesh, and `limit` are allowed. It is this mesh, or all of this client's together. If there is a detail: the body would need `number` bytes of memory, and `limit` are left.",
    10: "The scene takes no more bodies: it already has `limit`. In a planar scene that is 0, and the detail says so.",
    11: "A body with that name exists.",
    12: "The mesh is invalid, or not suitable for a solid body; the detail says why.",
    13: "The descriptor is not a sealed memory file.",
    14: "A number is out of range: it is `number`, at most `limit` is allowed. The detail names the number, and its minimum if it is below that.",
    15: "The daemon is busy with earlier requests: try again.",
    16: "The daemon is shutting down.",
    17: "The daemon could not do it (out of memory or descriptors); the daemon's fault.",
    18: "A second hello, or another request out of order.",
    19: "The configuration was refused; the detail says why.",
    20: "Body `number` is deformable: no client can move or remove it. It is soft, a cloth, of a crowd or implicit.",
    21: "Body `number` is shown by its pose or its skin: it has no surface block.",
    22: "Body `number` has no skin.",
    23: "Body `number` is shown by its surface or its skin: it has no constant shape.",
    24: "One of the limits is `number` and must be at least `limit`, both rounded. The detail has the exact values.",
    25: "The scene cannot hold such a dynamic body. It has no mass or no inside, or it would start inside another body; the detail says which.",
    26: "This client has no effect `number`: it never had, or the effect has ended.",
    27: "The arm has as many effects as it can: `limit`. Or the configuration allows none: then `limit` is 0.",
}
"""What each ErrorCode means."""


class BlockKind(IntEnum):
    """Kind of a descriptor in a `Subscribed` reply, and of a block."""

    STATE = 1
    """`ArmState`."""

    CONTACTS = 2
    """`Contacts`."""

    BODIES = 3
    """`Bodies`."""

    WAKE = 4
    """The wake-up socket."""

    SURFACE = 5
    """Surface of a deformable body (`SurfaceHeader`). Occurs only in a block's header: a client
    does not subscribe to it but opens it (`OpenSurface`)."""

    SKIN = 6
    """Skin of an implicit body (`SkinHeader`). It is opened like a surface (`OpenSkin`)."""

    NEEDLE = 7
    """`NeedleState`."""


BLOCK_KIND_TEXT: dict[int, str] = {
    1: "`ArmState`.",
    2: "`Contacts`.",
    3: "`Bodies`.",
    4: "The wake-up socket.",
    5: "Surface of a deformable body (`SurfaceHeader`). Occurs only in a block's header: a client does not subscribe to it but opens it (`OpenSurface`).",
    6: "Skin of an implicit body (`SkinHeader`). It is opened like a surface (`OpenSkin`).",
    7: "`NeedleState`.",
}
"""What each BlockKind means."""


class RemovalReason(IntEnum):
    """Reason why a body was removed."""

    REQUESTED = 0
    """Its client removed it."""

    CLIENT_GONE = 1
    """Its client has disconnected."""

    CONFIGURATION = 2
    """The configuration no longer contains it."""


REMOVAL_REASON_TEXT: dict[int, str] = {
    0: "Its client removed it.",
    1: "Its client has disconnected.",
    2: "The configuration no longer contains it.",
}
"""What each RemovalReason means."""


class EffectEnd(IntEnum):
    """Reason why an effect ended that its client did not stop."""

    FINISHED = 0
    """Its duration is over."""

    CLIENT_SILENT = 1
    """The client was silent for longer than its lease."""


EFFECT_END_TEXT: dict[int, str] = {
    0: "Its duration is over.",
    1: "The client was silent for longer than its lease.",
}
"""What each EffectEnd means."""


class LetGoReason(IntEnum):
    """Reason why an arm let go of a body, or did not take one."""

    ORDERED = 0
    """A request, or the arm's button."""

    NOTHING_THERE = 1
    """There was nothing to take: the tool touches no dynamic body, or the one that was named is
    out of reach or too fast."""

    BODY_GONE = 2
    """The body has gone."""

    BODY_SILENT = 3
    """The client of the body is silent, or out of focus."""

    ARM_LOST = 4
    """The arm was lost, or its tool was placed elsewhere."""

    STRETCHED = 5
    """The body was caught somewhere: for 100 ms the hand pulled three times as hard as the arm
    can."""

    CLIENTS_UNSERVED = 6
    """Clients were not served for a while."""

    HOLDER_GONE = 7
    """The client that held it is gone, silent or out of focus."""


LET_GO_REASON_TEXT: dict[int, str] = {
    0: "A request, or the arm's button.",
    1: "There was nothing to take: the tool touches no dynamic body, or the one that was named is out of reach or too fast.",
    2: "The body has gone.",
    3: "The client of the body is silent, or out of focus.",
    4: "The arm was lost, or its tool was placed elsewhere.",
    5: "The body was caught somewhere: for 100 ms the hand pulled three times as hard as the arm can.",
    6: "Clients were not served for a while.",
    7: "The client that held it is gone, silent or out of focus.",
}
"""What each LetGoReason means."""


class GovernorState(IntEnum):
    """State of the safety governor between off and on."""

    DISENGAGED = 0
    """Off in good order: no force is requested."""

    WAITING_SMALL_FORCE = 1
    """Waits until the wanted force is small, then ramps."""

    RAMPING = 2
    """Force is rising."""

    ACTIVE = 3
    """Full authority."""

    FADING = 4
    """Force is falling to zero."""

    FAULT = 5
    """Off because of a fault."""


GOVERNOR_STATE_TEXT: dict[int, str] = {
    0: "Off in good order: no force is requested.",
    1: "Waits until the wanted force is small, then ramps.",
    2: "Force is rising.",
    3: "Full authority.",
    4: "Force is falling to zero.",
    5: "Off because of a fault.",
}
"""What each GovernorState means."""


FORCE_OFF_REASON: dict[int, str] = {
    0: "none",
    1: "emergency stop",
    2: "device lost",
    3: "device reports a fault",
    4: "device not calibrated",
    5: "safety switch open",
    6: "wanted force is not finite",
    7: "device sample is not valid",
    8: "velocity limit exceeded",
    9: "loop stalled",
    10: "client lost",
    11: "stopped by the supervisor",
    32: "device sample too old",
    33: "no pose for the joints that were read",
    34: "contact data too old",
    35: "lease expired",
    36: "oscillation",
    37: "device too hot",
    38: "force not enabled",
    39: "shutting down",
    40: "clients are not served",
}
"""Reason why force is off or reduced."""


class NeedlePhase(IntEnum):
    """State of a needle."""

    ABSENT = 0
    """The arm has no needle."""

    FREE = 1
    """Outside the tissue, or not known to have come from outside."""

    TOUCHING = 2
    """The tip dents the surface."""

    INSERTED = 3
    """In the tissue."""


NEEDLE_PHASE_TEXT: dict[int, str] = {
    0: "The arm has no needle.",
    1: "Outside the tissue, or not known to have come from outside.",
    2: "The tip dents the surface.",
    3: "In the tissue.",
}
"""What each NeedlePhase means."""


class NeedleHold(IntEnum):
    """What holds the tip of a needle."""

    FRICTION = 0
    """Friction of the shaft and the cutting force."""

    LAYER = 1
    """The surface of a layer: `held_by` counts layers from the top, from 0."""

    MEMBRANE = 2
    """The surface of a structure that can be pierced: `held_by` counts structures from 0, in the
    order of the configuration."""

    BONE = 3
    """A structure that cannot be pierced; counted likewise."""

    BORDER = 4
    """The side of the tissue."""

    HUB = 5
    """The hub is at the surface: all of the needle is in."""


NEEDLE_HOLD_TEXT: dict[int, str] = {
    0: "Friction of the shaft and the cutting force.",
    1: "The surface of a layer: `held_by` counts layers from the top, from 0.",
    2: "The surface of a structure that can be pierced: `held_by` counts structures from 0, in the order of the configuration.",
    3: "A structure that cannot be pierced; counted likewise.",
    4: "The side of the tissue.",
    5: "The hub is at the surface: all of the needle is in.",
}
"""What each NeedleHold means."""


class Topic(IntFlag):
    """Bits of `Subscribe::topics`; add those that are requested."""

    STATE = 1
    """The arm's state block."""

    CONTACTS = 2
    """The arm's contacts block."""

    BODIES = 4
    """The block of all bodies' poses; the same for every arm."""

    WAKE = 8
    """A descriptor that becomes readable when the arm's state is new: a socket with small
    datagrams that the client reads and discards."""

    EVENTS = 16
    """`Event`s on the control socket."""

    CONTACT_EVENTS = 32
    """The news of contacts and buttons on the control socket: `Touched`, `Released`, `Ghost`,
    `Solid`, `ButtonPressed` and `ButtonReleased` of all arms. They are no part of `EVENTS`."""

    NEEDLE = 64
    """The block of the needle at the arm's tool."""

    ALL = 127
    """All of the above."""


class Flag(IntFlag):
    """Bits of `ArmState::flags`."""

    ATTACHED = 1
    """The arm is attached and its pose is known."""

    TOUCHING = 2
    """The tool touches something."""

    STARVED = 4
    """The certificate or the tick's pair budget held the tool back in this tick."""

    STALE = 8
    """The contact data are older than the limit."""

    STOPPING = 16
    """The daemon is shutting down."""

    INSIDE = 32
    """The tool is inside a body, or overlaps it. No force of that body is rendered until the
    tool is out."""

    CLUTCHED = 64
    """A clutch holds the tool: the hand moves without force."""

    DRIVEN = 128
    """The hand is outside of the bubble and drives the arm's frame."""


class SkinFlag(IntFlag):
    """Bits of `SkinFrameHeader::flags`."""

    CLIPPED = 1
    """The surface extends beyond the box of its cubes and is cut off there."""

    COARSE = 2
    """Cubes are larger than the configuration asks for: time or capacity did not suffice for
    more triangles."""

    FAULTY = 4
    """The mesh's own check found faults (`faults`)."""

    SMALL = 8
    """Primitives are smaller than a cube and may be invisible."""

    UNCONTROLLED = 16
    """Primitives blend that must not: too many were in one place even for creases."""

    CREASED = 32
    """Parts that must not blend meet in a crease, where the configuration asks for a separate
    surface around each. In cubes of this size, "blends with"is not an equivalence relation, as
    where a strand folds tightly. The mesh is closed, and lies where the hand feels it."""


@dataclass(slots=True)
class BodyTarget(Record):
    """Where a body is to go: the fields of `SetBodyPose`."""

    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("world_from_body", "pose"),
        ("speed_m_s", "positive"),
        ("body", "u32"),
        ("lease_ms", "u32"),
    )
    RESERVED: ClassVar[int] = 0

    world_from_body: Pose
    """Target pose."""

    speed_m_s: float
    """Maximum speed of any point of the body, m/s."""

    body: int
    """Identity of the body."""

    lease_ms: int
    """Time for which the command holds, ms."""


@dataclass(slots=True)
class ArmInfo(Record):
    """Description of an arm."""

    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("world_from_base", "pose"),
        ("scale", "f64"),
        ("workspace_center_m", "f64*3"),
        ("workspace_half_extents_m", "f64*3"),
        ("peak_force_n", "limit"),
        ("continuous_force_n", "limit"),
        ("peak_torque_nm", "limit"),
        ("tool_radius_m", "f64"),
        ("period_ns", "u64"),
        ("sensed_dof", "u8"),
        ("actuated_dof", "u8"),
        ("index", "u8"),
        ("attached", "bool"),
    )
    RESERVED: ClassVar[int] = 4

    name: str
    """Name in the configuration."""

    world_from_base: Pose
    """Pose of the base in the world."""

    scale: float
    """World metres per device metre."""

    workspace_center_m: Vector
    """Centre of the workspace in the base frame, m."""

    workspace_half_extents_m: Vector
    """Half of each edge of the workspace, m."""

    peak_force_n: float
    """Largest force allowed now, N. It is the strictest of arm, configuration and clients, as
    the loop applies it."""

    continuous_force_n: float
    """Largest force that may be held indefinitely, N; as it is now."""

    peak_torque_nm: float
    """Largest torque allowed now, N m; 0 if the arm has no torque."""

    tool_radius_m: float
    """Radius of a spherical tool, m; 0 for a mesh."""

    period_ns: int
    """Nominal period of the loop, ns."""

    sensed_dof: int
    """Number of measured degrees of freedom."""

    actuated_dof: int
    """Number of actuated degrees of freedom."""

    index: int
    """Index of the arm in every message and block."""

    attached: bool
    """Whether the arm is attached."""


@dataclass(slots=True)
class BodyInfo(Record):
    """Description of a body."""

    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("body", "u32"),
        ("triangles", "u32"),
        ("kind", "code:u8:BodyKind"),
        ("owned", "bool"),
    )
    RESERVED: ClassVar[int] = 6

    name: str
    """Name of the body."""

    body: int
    """Identity of the body; never reused."""

    triangles: int
    """Number of triangles of its mesh or of its surface."""

    kind: BodyKind
    """Whether it may move, and whether it keeps its shape."""

    owned: bool
    """Whether the asking client added it."""


@dataclass(slots=True)
class BlockInfo(Record):
    """Description of one descriptor of a `Subscribed` reply."""

    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("kind", "code:u16:BlockKind"),
        ("arm", "u16"),
    )
    RESERVED: ClassVar[int] = 4

    kind: BlockKind
    """Kind of the block."""

    arm: int
    """Index of the arm that the block belongs to."""


@dataclass(slots=True)
class Hello(Message):
    """The first message of a connection. Answered by `Welcome` or `Refused`."""

    KIND: ClassVar[int] = 0x0101
    ANSWERS: ClassVar[tuple[str, ...]] = ("Welcome", "Refused")
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("magic", "u64"),
        ("major", "u16"),
        ("minor", "u16"),
        ("features", "u32"),
        ("name", "name"),
    )
    RESERVED: ClassVar[int] = 0

    magic: int
    """`HAPTICD` and a zero byte: `MAGIC`."""

    major: int
    """The client's major version."""

    minor: int
    """The client's minor version."""

    features: int
    """Must be zero."""

    name: str
    """Name that the client gives itself."""


@dataclass(slots=True)
class ListArms(Message):
    """Asks for the arms. Answered by `Arms`."""

    KIND: ClassVar[int] = 0x0102
    ANSWERS: ClassVar[tuple[str, ...]] = ("Arms",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class ListBodies(Message):
    """Asks for the bodies from index `skip` on. Answered by `Bodies`."""

    KIND: ClassVar[int] = 0x0103
    ANSWERS: ClassVar[tuple[str, ...]] = ("Bodies",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("skip", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    skip: int
    """Number of bodies to skip."""


@dataclass(slots=True)
class Subscribe(Message):
    """Asks for shared blocks. Answered by `Subscribed` with their descriptors."""

    KIND: ClassVar[int] = 0x0104
    ANSWERS: ClassVar[tuple[str, ...]] = ("Subscribed",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
        ("topics", "u8"),
    )
    RESERVED: ClassVar[int] = 6

    arm: int
    """Index of the arm."""

    topics: int
    """A sum of bits of `topic`."""


@dataclass(slots=True)
class SetBodyPose(Message):
    """Moves a kinematic body towards a pose. It moves no faster than `speed_m_s`. Continuous
    collision detection stops it at the tools; it never passes through one. When the lease ends
    without another command, the body stops where it is. The request is refused for a static body
    (`StaticBody`), a dynamic one (`NotPermitted`) and a deformable one (`DeformableBody`). A
    pose out of the plane of a planar scene is `OutOfRange`; the body then continues as before."""

    KIND: ClassVar[int] = 0x0105
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("world_from_body", "pose"),
        ("speed_m_s", "positive"),
        ("body", "u32"),
        ("lease_ms", "u32"),
    )
    RESERVED: ClassVar[int] = 0

    world_from_body: Pose
    """Target pose."""

    speed_m_s: float
    """Maximum speed of any point of the body, m/s."""

    body: int
    """Identity of the body."""

    lease_ms: int
    """Time for which the command holds, ms: 1 to `MAX_LEASE_MS`, or less if the daemon's
    configuration says so. The refusal's `limit` is the longest one allowed."""


@dataclass(slots=True)
class AddBody(Message):
    """Adds a body. Carries one descriptor: its mesh as a sealed memory file (`mesh`). Answered
    by `BodyAdded`. The body is removed when its client disconnects."""

    KIND: ClassVar[int] = 0x0106
    ANSWERS: ClassVar[tuple[str, ...]] = ("BodyAdded",)
    DESCRIPTORS: ClassVar[int | str] = 1
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("world_from_body", "pose"),
        ("stiffness_n_per_m", "positive"),
        ("damping_n_s_per_m", "positive"),
        ("friction", "positive"),
        ("restitution", "positive"),
        ("density_kg_m3", "positive"),
        ("kind", "code:u8:BodyKind"),
        ("solid", "bool"),
    )
    RESERVED: ClassVar[int] = 6

    name: str
    """Name, unique in the scene."""

    world_from_body: Pose
    """Initial pose."""

    stiffness_n_per_m: float
    """Contact stiffness, N/m."""

    damping_n_s_per_m: float
    """Contact damping, N s/m."""

    friction: float
    """Coulomb's friction coefficient."""

    restitution: float
    """Coefficient of restitution between this body and others."""

    density_kg_m3: float
    """Density of a dynamic body, kg/m³. Ignored for other kinds."""

    kind: BodyKind
    """Whether the body may move. Only static, kinematic and dynamic bodies can be added."""

    solid: bool
    """If true, the mesh must be closed and oriented. If false, an open sheet is allowed."""


@dataclass(slots=True)
class RemoveBody(Message):
    """Removes a body that this client added."""

    KIND: ClassVar[int] = 0x0107
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class HaltBody(Message):
    """Stops a kinematic body where it is and gives up the lease on it. It is refused for bodies
    of another kind, as `SetBodyPose` is."""

    KIND: ClassVar[int] = 0x0108
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class TightenLimits(Message):
    """Tightens limits of an arm's governor. A limit looser than the one in force changes
    nothing, so no client can raise its own force or another client's. A tightened limit outlives
    its client: it holds until a technician releases it (`ReleaseLimits`) or the daemon ends.
    Answered by `Done` when a tick of the loop has applied it: the force follows within the slew
    limit. Limits that cannot be kept are refused (`LimitsRefused`), and nothing changes."""

    KIND: ClassVar[int] = 0x0109
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("peak_force_n", "limit"),
        ("continuous_force_n", "limit"),
        ("peak_torque_nm", "limit"),
        ("continuous_torque_nm", "limit"),
        ("slew_n_per_s", "limit"),
        ("slew_nm_per_s", "limit"),
        ("velocity_m_s", "limit"),
        ("angular_velocity_rad_s", "limit"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    peak_force_n: float
    """Force magnitude, N."""

    continuous_force_n: float
    """Force that may be held indefinitely, N."""

    peak_torque_nm: float
    """Torque magnitude, N m."""

    continuous_torque_nm: float
    """Torque that may be held indefinitely, N m."""

    slew_n_per_s: float
    """Rate of change of force, N/s."""

    slew_nm_per_s: float
    """Rate of change of torque, N m/s."""

    velocity_m_s: float
    """Tool speed above which force is cut, m/s."""

    angular_velocity_rad_s: float
    """Tool turning speed above which force is cut, rad/s."""

    arm: int
    """Index of the arm, or `ALL_ARMS`."""


@dataclass(slots=True)
class RenewLeases(Message):
    """Keep-alive: renews every lease of this client for `lease_ms`. Any request shows that a
    client is alive; this one does nothing else."""

    KIND: ClassVar[int] = 0x010a
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("lease_ms", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    lease_ms: int
    """Length of the renewed leases, ms: 1 to `MAX_LEASE_MS`, or less if the daemon's
    configuration says so. The refusal's `limit` is the longest one allowed."""


@dataclass(slots=True)
class SetFocus(Message):
    """Tells that the application gained or lost the user's focus. Without focus, this client's
    bodies produce no force."""

    KIND: ClassVar[int] = 0x010b
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("focused", "bool"),
    )
    RESERVED: ClassVar[int] = 7

    focused: bool
    """Whether the application has focus. A new connection starts with it."""


@dataclass(slots=True)
class Goodbye(Message):
    """The last message of a connection that ends in good order."""

    KIND: ClassVar[int] = 0x010c
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class OpenSurface(Message):
    """Asks for the block of a deformable body's surface (`block`). Answered by `Surface` with
    its descriptor."""

    KIND: ClassVar[int] = 0x010d
    ANSWERS: ClassVar[tuple[str, ...]] = ("Surface",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body: soft, cloth or of a crowd."""


@dataclass(slots=True)
class OpenSkin(Message):
    """Asks for the block of an implicit body's skin (`block`). Answered by `Skin` with its
    descriptor."""

    KIND: ClassVar[int] = 0x010e
    ANSWERS: ClassVar[tuple[str, ...]] = ("Skin",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of an implicit body."""


@dataclass(slots=True)
class OpenShape(Message):
    """Asks for the shape of a body that is shown by its pose, or of an arm's tool. Answered by
    `Shape` with a descriptor."""

    KIND: ClassVar[int] = 0x010f
    ANSWERS: ClassVar[tuple[str, ...]] = ("Shape",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body: static, kinematic or dynamic, no matter which client added it.
    `u32::MAX - k` stands for the tool of arm `k`."""


@dataclass(slots=True)
class GetLimits(Message):
    """Asks for all limits in force on an arm that `TightenLimits` can tighten. Answered by
    `Limits`."""

    KIND: ClassVar[int] = 0x0110
    ANSWERS: ClassVar[tuple[str, ...]] = ("Limits",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    arm: int
    """Index of one arm; `ALL_ARMS` is refused."""


@dataclass(slots=True)
class SetBodyPoses(Message):
    """Moves several kinematic bodies at once, each as `SetBodyPose` does. It counts as one
    message, and all its targets are taken in the same turn. If one of them is refused, none is
    taken: `number` of the error or its detail names the body."""

    KIND: ClassVar[int] = 0x0111
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("targets", "list:BodyTarget:56"),
    )
    RESERVED: ClassVar[int] = 0

    targets: list[BodyTarget] = field(default_factory=list)
    """The bodies and their targets; of two for one body the last one holds."""


@dataclass(slots=True)
class SetMaterial(Message):
    """Changes the surface of a body that this client added. The force follows without a step:
    the stiffness glides over some 10 ms, and a spring that is stretched keeps its energy.
    Answered when the scene has the new surface; its restitution stays. It is refused for bodies
    of others (`NotPermitted`)."""

    KIND: ClassVar[int] = 0x0112
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("stiffness_n_per_m", "positive"),
        ("damping_n_s_per_m", "positive"),
        ("friction", "positive"),
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    stiffness_n_per_m: float
    """Contact stiffness, N/m. The arm renders no more than it can render stably."""

    damping_n_s_per_m: float
    """Contact damping, N s/m."""

    friction: float
    """Coulomb's friction coefficient."""

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class AddInstance(Message):
    """Adds a body with the mesh of one that a client has added; it carries no descriptor, and
    the mesh is neither read nor indexed again. Otherwise as `AddBody`; it is solid if the other
    one is. The mesh stays as long as one of its bodies does, and counts once for a client that
    owns several. The bodies of the configuration are refused (`NoShape`)."""

    KIND: ClassVar[int] = 0x0113
    ANSWERS: ClassVar[tuple[str, ...]] = ("BodyAdded",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("world_from_body", "pose"),
        ("stiffness_n_per_m", "positive"),
        ("damping_n_s_per_m", "positive"),
        ("friction", "positive"),
        ("restitution", "positive"),
        ("density_kg_m3", "positive"),
        ("of", "u32"),
        ("kind", "code:u8:BodyKind"),
    )
    RESERVED: ClassVar[int] = 3

    name: str
    """Name, unique in the scene."""

    world_from_body: Pose
    """Initial pose."""

    stiffness_n_per_m: float
    """Contact stiffness, N/m."""

    damping_n_s_per_m: float
    """Contact damping, N s/m."""

    friction: float
    """Coulomb's friction coefficient."""

    restitution: float
    """Coefficient of restitution between this body and others."""

    density_kg_m3: float
    """Density of a dynamic body, kg/m³. Ignored for other kinds."""

    of: int
    """Identity of the body with the mesh, no matter which client added it."""

    kind: BodyKind
    """Whether the body may move. Only static, kinematic and dynamic bodies can be added."""


@dataclass(slots=True)
class SetEffect(Message):
    """Begins an effect: a force that an arm makes in addition to what contact makes. Or it gives
    a running effect of this client other numbers; its time goes on. Lengths and directions are
    the world's; newtons, stiffness, damping and mass are what the hand feels. Answered by
    `EffectSet`. An effect ends when its duration is over, when it is stopped, and with its
    client: also when that is silent for longer than its lease. While the client is out of focus
    the effect makes no force. All effects of an arm make at most `most_force_n` of the answer
    together, and never more than contact leaves of the arm's limits. Fields that a kind does not
    name are ignored."""

    KIND: ClassVar[int] = 0x0114
    ANSWERS: ClassVar[tuple[str, ...]] = ("EffectSet",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("place_m", "f64*3"),
        ("axis", "f64*3"),
        ("magnitude_n", "f64"),
        ("second_n", "f64"),
        ("coefficient", "positive"),
        ("frequency_hz", "positive"),
        ("phase", "f64"),
        ("dead_band_m", "positive"),
        ("range_m", "limit"),
        ("cap_n", "positive"),
        ("delay_s", "positive"),
        ("duration_s", "limit"),
        ("attack_s", "positive"),
        ("attack_level", "positive"),
        ("fade_s", "positive"),
        ("fade_level", "positive"),
        ("effect", "u32"),
        ("arm", "u8"),
        ("kind", "code:u8:EffectKind"),
        ("waveform", "code:u8:Waveform"),
        ("shape", "code:u8:EffectShape"),
    )
    RESERVED: ClassVar[int] = 0

    place_m: Vector
    """A point of the shape, m, world."""

    axis: Vector
    """Direction of the force, or of the line or the normal, world; of any length but 0."""

    magnitude_n: float
    """Force, amplitude, largest pull of a magnet, or friction, N; the first force of a ramp."""

    second_n: float
    """Last force of a ramp, offset of a vibration, N."""

    coefficient: float
    """Stiffness (N/m), damping (N s/m) or mass (kg). The arm renders no more than it can render
    stably."""

    frequency_hz: float
    """Frequency of a vibration, Hz: at most 400, less than half of the loop's rate."""

    phase: float
    """Phase of a vibration at its start, periods."""

    dead_band_m: float
    """Distance up to which a spring does not pull, m."""

    range_m: float
    """Reach of a magnet or a field, radius of a barrier, m; infinite: everywhere. A magnet and a
    barrier that is no plane must have a finite one."""

    cap_n: float
    """The force is never longer, N."""

    delay_s: float
    """Time from the request to the first force, s."""

    duration_s: float
    """Time from the first force to the end, s; infinite: until it is stopped."""

    attack_s: float
    """Time in which a constant, ramped or periodic force goes from `attack_level` to the whole,
    s."""

    attack_level: float
    """Share of such a force at its start."""

    fade_s: float
    """Time before the end in which such a force goes to `fade_level`, s."""

    fade_level: float
    """Share of such a force at its end."""

    effect: int
    """Identity of a running effect of this client, or 0 for a new one."""

    arm: int
    """Index of the arm; that of a running effect stays."""

    kind: EffectKind
    """The law."""

    waveform: Waveform
    """Form of a vibration."""

    shape: EffectShape
    """Where spring, magnet, barrier, and the field of damper and friction are."""


@dataclass(slots=True)
class StopEffect(Message):
    """Ends an effect of this client: its force goes to zero within 20 ms. One that has ended
    already is no error."""

    KIND: ClassVar[int] = 0x0115
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("effect", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    effect: int
    """Identity of the effect."""


@dataclass(slots=True)
class GraspBody(Message):
    """Lets an arm hold a dynamic body of any client or of the configuration: the one that `body`
    names, or with 0 the one that presses the tool most. The body follows the hand on a spring,
    at the pose that it has now; the hand feels its weight, its inertia and what it touches. To
    the tool that holds it it is no obstacle. Answered by `Done` when the order is on its way;
    the events `Grasped` and `LetGo` say what came of it. The newest request for an arm holds,
    whichever client sent it. A grasp ends with its client: also when that is silent for longer
    than its lease, or out of focus."""

    KIND: ClassVar[int] = 0x0116
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 3

    body: int
    """Identity of the body, or 0."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class ReleaseBody(Message):
    """Lets an arm let go of what this client let it hold; the body keeps its velocity. An arm
    that holds nothing is no error."""

    KIND: ClassVar[int] = 0x0117
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class SetWorkspace(Message):
    """Says where an arm works: where its base is in the world, how its motions are scaled, and a
    bubble around the hand. An application sends it once, or for each picture with a base that
    rides on its camera. The frame goes to that pose smoothly, no faster than `max_speed_m_s`,
    and never jumps; to the tool it is a moving hand. The scale changes while the tool touches
    and holds nothing, and the tool then goes to where the mapping puts it. What clutch and
    bubble have added stays unless `recentre` says otherwise. Outside of the bubble the hand
    drives the frame outwards (`docs/design/workspace.md` has the law). Answered by `Done` when
    the order is on its way. The newest request for an arm holds, whichever client sent it. When
    its client ends, is silent for longer than its lease or out of focus, the frame stays where
    it is and the bubble ends."""

    KIND: ClassVar[int] = 0x0118
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("world_from_base", "pose"),
        ("scale", "positive"),
        ("max_speed_m_s", "positive"),
        ("bubble_center_m", "f64*3"),
        ("bubble_radius_m", "positive"),
        ("bubble_width_m", "positive"),
        ("bubble_speed_m_s", "positive"),
        ("bubble_stiffness_n_per_m", "positive"),
        ("bubble_cap_n", "positive"),
        ("arm", "u8"),
        ("recentre", "bool"),
    )
    RESERVED: ClassVar[int] = 6

    world_from_base: Pose
    """Pose of the arm's base in the world."""

    scale: float
    """World metres per device metre."""

    max_speed_m_s: float
    """Largest speed of the tool that the frame's motion makes, m/s in the world."""

    bubble_center_m: Vector
    """Centre of the bubble, m at the device, base frame."""

    bubble_radius_m: float
    """Radius of the bubble, m at the device; 0: no bubble."""

    bubble_width_m: float
    """Depth outside of the bubble at which the frame moves at full speed, m at the device; at
    least 0.001 with a bubble."""

    bubble_speed_m_s: float
    """That speed, m/s in the world."""

    bubble_stiffness_n_per_m: float
    """Stiffness with which the bubble pulls the hand back, N/m at the device. It shares what the
    arm renders stably with the effects."""

    bubble_cap_n: float
    """Most of that force, N. It is one of the arm's effects (`SetEffect`): they share
    `max_effect_force_n`."""

    arm: int
    """Index of the arm."""

    recentre: bool
    """What clutch and bubble have added goes back to zero, as the frame moves."""


@dataclass(slots=True)
class SetClutch(Message):
    """Engages the clutch of an arm, or disengages what this client has engaged. While it is
    engaged the hand moves freely, without force, and the tool stands where it is; the force goes
    within 20 ms. Afterwards the tool goes on from there, and the force comes back within 200 ms.
    An arm may have a button that does the same (`clutch_button`). It ends with its client, as a
    mapping does."""

    KIND: ClassVar[int] = 0x0119
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
        ("engaged", "bool"),
    )
    RESERVED: ClassVar[int] = 6

    arm: int
    """Index of the arm."""

    engaged: bool
    """Whether the clutch is engaged."""


@dataclass(slots=True)
class TeleportBody(Message):
    """Places a kinematic or dynamic body that this client added elsewhere at once. It does not
    go there: to tools it is another body, which makes no force and stops nothing until the tool
    is proven clear of it (`Ghost`). The force on a tool that touched it fades as if it had been
    removed, and an arm that held it lets go. Its velocity ends; its target and lease end also if
    the place is refused. In a scene with dynamic bodies the place must be free of them, for a
    dynamic body of all bodies (`InvalidBody`). Answered when the body is there. A static body is
    refused (`StaticBody`)."""

    KIND: ClassVar[int] = 0x011a
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("world_from_body", "pose"),
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    world_from_body: Pose
    """Its pose from now on."""

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class PushBody(Message):
    """Gives a dynamic body that this client added an impulse or a velocity, once. It shows some
    ticks later; a sleeping body wakes. Answered when the scene has it. Refused if the velocity
    would change by more than `MAX_PUSH_M_S` or `MAX_PUSH_RAD_S` (`OutOfRange`), for a body that
    is not dynamic and in a scene of first order (`NotPermitted`)."""

    KIND: ClassVar[int] = 0x011b
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("linear", "f64*3"),
        ("angular", "f64*3"),
        ("point_m", "f64*3"),
        ("body", "u32"),
        ("mode", "code:u8:PushMode"),
    )
    RESERVED: ClassVar[int] = 3

    linear: Vector
    """Impulse, N s, or velocity of the centre of mass, m/s; world."""

    angular: Vector
    """Angular impulse, N m s, in addition to that of the impulse at its point; or angular
    velocity, rad/s; world."""

    point_m: Vector
    """Point at which the impulse acts, m, world; ignored for a velocity."""

    body: int
    """Identity of the body."""

    mode: PushMode
    """Impulse or velocity."""


@dataclass(slots=True)
class GetStatus(Message):
    """Technician: asks for the daemon's state. Answered by `Status`."""

    KIND: ClassVar[int] = 0x0201
    ANSWERS: ClassVar[tuple[str, ...]] = ("Status",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class Reload(Message):
    """Technician: reloads the configuration. Answered by `Done` when a tick of the loop has
    applied its limits."""

    KIND: ClassVar[int] = 0x0202
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class Shutdown(Message):
    """Technician: shuts the daemon down in order."""

    KIND: ClassVar[int] = 0x0203
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class ClearFault(Message):
    """Technician: clears a latched fault of an arm, such as an emergency stop. Answered by
    `Done` when a tick of the loop has applied it. If the cause persists, the fault returns."""

    KIND: ClassVar[int] = 0x0204
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    arm: int
    """Index of the arm, or `ALL_ARMS`."""


@dataclass(slots=True)
class ReleaseLimits(Message):
    """Technician: undoes everything that clients have tightened on an arm (`TightenLimits`). The
    limits of the configuration, as last reloaded, hold again. The force rises within the slew
    limit. Answered by `Done` when a tick of the loop has applied them."""

    KIND: ClassVar[int] = 0x0205
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    arm: int
    """Index of the arm, or `ALL_ARMS`."""


REQUESTS: dict[int, type[Message]] = {
    0x0101: Hello,
    0x0102: ListArms,
    0x0103: ListBodies,
    0x0104: Subscribe,
    0x0105: SetBodyPose,
    0x0106: AddBody,
    0x0107: RemoveBody,
    0x0108: HaltBody,
    0x0109: TightenLimits,
    0x010a: RenewLeases,
    0x010b: SetFocus,
    0x010c: Goodbye,
    0x010d: OpenSurface,
    0x010e: OpenSkin,
    0x010f: OpenShape,
    0x0110: GetLimits,
    0x0111: SetBodyPoses,
    0x0112: SetMaterial,
    0x0113: AddInstance,
    0x0114: SetEffect,
    0x0115: StopEffect,
    0x0116: GraspBody,
    0x0117: ReleaseBody,
    0x0118: SetWorkspace,
    0x0119: SetClutch,
    0x011a: TeleportBody,
    0x011b: PushBody,
    0x0201: GetStatus,
    0x0202: Reload,
    0x0203: Shutdown,
    0x0204: ClearFault,
    0x0205: ReleaseLimits,
}


@dataclass(slots=True)
class Welcome(Message):
    """The connection is accepted."""

    KIND: ClassVar[int] = 0x8101
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("magic", "u64"),
        ("major", "u16"),
        ("minor", "u16"),
        ("client", "u32"),
        ("lease_ms", "u32"),
        ("messages_per_s", "u32"),
        ("max_bodies", "u32"),
        ("technician", "bool"),
    )
    RESERVED: ClassVar[int] = 3

    magic: int
    """`HAPTICD` and a zero byte: `MAGIC`."""

    major: int
    """The daemon's major version, the same as the client's."""

    minor: int
    """The daemon's minor version; both sides use the lower one."""

    client: int
    """Number of this client."""

    lease_ms: int
    """The client must send some request at least this often, ms. Otherwise it counts as silent,
    and the force of its bodies ramps to zero."""

    messages_per_s: int
    """Maximum number of requests per second."""

    max_bodies: int
    """Maximum number of bodies of one client."""

    technician: bool
    """Whether this is the technician's socket."""


@dataclass(slots=True)
class Refused(Message):
    """The connection is refused; the daemon closes it after this message."""

    KIND: ClassVar[int] = 0x8102
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("reason", "code:u16:RefusalReason"),
        ("major", "u16"),
        ("minor", "u16"),
        ("client_major", "u16"),
        ("client_minor", "u16"),
        ("limit", "u16"),
    )
    RESERVED: ClassVar[int] = 4

    reason: RefusalReason
    """Reason for the refusal."""

    major: int
    """The daemon's major version."""

    minor: int
    """The daemon's minor version."""

    client_major: int
    """The client's major version, as the daemon understood it."""

    client_minor: int
    """The client's minor version."""

    limit: int
    """The limit, if the reason has one."""


@dataclass(slots=True)
class Done(Message):
    """The request was carried out."""

    KIND: ClassVar[int] = 0x8103
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class Error(Message):
    """The request was not carried out."""

    KIND: ClassVar[int] = 0x8104
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("number", "u64"),
        ("limit", "u64"),
        ("detail", "text:256"),
        ("code", "code:u16:ErrorCode"),
        ("request", "u16"),
    )
    RESERVED: ClassVar[int] = 4

    number: int
    """Number that belongs to the code."""

    limit: int
    """Limit that belongs to the code."""

    detail: str
    """A sentence for people; may be empty."""

    code: ErrorCode
    """Reason for the error."""

    request: int
    """Kind of the request; 0 when it was not understood."""


@dataclass(slots=True)
class Arms(Message):
    """All arms."""

    KIND: ClassVar[int] = 0x8105
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arms", "list:ArmInfo:8"),
    )
    RESERVED: ClassVar[int] = 0

    arms: list[ArmInfo] = field(default_factory=list)
    """The arms in the order of their indices."""


@dataclass(slots=True)
class Bodies(Message):
    """One page of bodies."""

    KIND: ClassVar[int] = 0x8106
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("total", "u32"),
        ("skipped", "u32"),
        ("bodies", "list:BodyInfo:16"),
    )
    RESERVED: ClassVar[int] = 0

    total: int
    """Number of bodies in all."""

    skipped: int
    """Number of bodies that were skipped before these."""

    bodies: list[BodyInfo] = field(default_factory=list)
    """The bodies of this page."""


@dataclass(slots=True)
class Subscribed(Message):
    """The requested blocks: one descriptor for each, in this order."""

    KIND: ClassVar[int] = 0x8107
    DESCRIPTORS: ClassVar[int | str] = "blocks"
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("blocks", "list:BlockInfo:5"),
    )
    RESERVED: ClassVar[int] = 0

    blocks: list[BlockInfo] = field(default_factory=list)
    """Descriptions of the descriptors."""


@dataclass(slots=True)
class BodyAdded(Message):
    """The body is in the scene."""

    KIND: ClassVar[int] = 0x8108
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
        ("triangles", "u32"),
    )
    RESERVED: ClassVar[int] = 0

    body: int
    """Identity of the body."""

    triangles: int
    """Number of triangles of its mesh after cleaning."""


@dataclass(slots=True)
class Status(Message):
    """The daemon's state. Carries one descriptor: a sealed memory file with JSON text."""

    KIND: ClassVar[int] = 0x8109
    DESCRIPTORS: ClassVar[int | str] = 1
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("bytes", "u64"),
    )
    RESERVED: ClassVar[int] = 0

    bytes: int
    """Length of the text in bytes."""


@dataclass(slots=True)
class Surface(Message):
    """The requested surface. Carries one descriptor: its block."""

    KIND: ClassVar[int] = 0x810a
    DESCRIPTORS: ClassVar[int | str] = 1
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class Skin(Message):
    """The requested skin. Carries one descriptor: its block."""

    KIND: ClassVar[int] = 0x810b
    DESCRIPTORS: ClassVar[int | str] = 1
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class Shape(Message):
    """The requested shape. Carries one descriptor: a sealed memory file with its mesh in the
    body's frame (`mesh`, coordinates of 4 bytes). All clients that ask get the same file."""

    KIND: ClassVar[int] = 0x810c
    DESCRIPTORS: ClassVar[int | str] = 1
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body, or the number that stands for the tool."""


@dataclass(slots=True)
class Limits(Message):
    """The limits that an arm's governor applies now, in the order of `TightenLimits`. Each is
    the strictest of arm, configuration and clients, as a tick of the loop has applied it. A
    request that no tick has applied yet is not included."""

    KIND: ClassVar[int] = 0x810d
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("peak_force_n", "limit"),
        ("continuous_force_n", "limit"),
        ("peak_torque_nm", "limit"),
        ("continuous_torque_nm", "limit"),
        ("slew_n_per_s", "limit"),
        ("slew_nm_per_s", "limit"),
        ("velocity_m_s", "limit"),
        ("angular_velocity_rad_s", "limit"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    peak_force_n: float
    """Largest force magnitude, N. Lower than requested if the continuous limit does not allow
    that peak."""

    continuous_force_n: float
    """Largest force that may be held indefinitely (root mean square), N."""

    peak_torque_nm: float
    """Largest torque magnitude, N m; 0 if the arm has no torque. Lower than requested if the
    continuous limit does not allow that peak."""

    continuous_torque_nm: float
    """Largest torque that may be held indefinitely (root mean square), N m; 0 if the arm has no
    torque."""

    slew_n_per_s: float
    """Largest rate of change of force, N/s."""

    slew_nm_per_s: float
    """Largest rate of change of torque, N m/s."""

    velocity_m_s: float
    """Tool speed above which force is cut, m/s."""

    angular_velocity_rad_s: float
    """Tool turning speed above which force is cut, rad/s."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class EffectSet(Message):
    """The effect runs from the next tick on."""

    KIND: ClassVar[int] = 0x810e
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("most_force_n", "f64"),
        ("effect", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    most_force_n: float
    """Force that all effects of the arm make together at most, N."""

    effect: int
    """Identity of the effect; never reused."""


REPLIES: dict[int, type[Message]] = {
    0x8101: Welcome,
    0x8102: Refused,
    0x8103: Done,
    0x8104: Error,
    0x8105: Arms,
    0x8106: Bodies,
    0x8107: Subscribed,
    0x8108: BodyAdded,
    0x8109: Status,
    0x810a: Surface,
    0x810b: Skin,
    0x810c: Shape,
    0x810d: Limits,
    0x810e: EffectSet,
}


@dataclass(slots=True)
class BodyJoined(Message):
    """A body joined the scene."""

    KIND: ClassVar[int] = 0x8201
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("body", "u32"),
        ("kind", "code:u8:BodyKind"),
    )
    RESERVED: ClassVar[int] = 3

    name: str
    """Name of the body."""

    body: int
    """Identity of the body."""

    kind: BodyKind
    """Whether the body may move, and whether it keeps its shape."""


@dataclass(slots=True)
class BodyLeft(Message):
    """A body left the scene."""

    KIND: ClassVar[int] = 0x8202
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
        ("reason", "code:u8:RemovalReason"),
    )
    RESERVED: ClassVar[int] = 3

    body: int
    """Identity of the body."""

    reason: RemovalReason
    """Reason for the removal."""


@dataclass(slots=True)
class ArmAttached(Message):
    """An arm was attached."""

    KIND: ClassVar[int] = 0x8203
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class ArmLost(Message):
    """An arm was unplugged or failed."""

    KIND: ClassVar[int] = 0x8204
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class ForceOff(Message):
    """The force of an arm went off, or was off already and now is for another reason. Only the
    first is counted in `ArmState::force_offs`."""

    KIND: ClassVar[int] = 0x8205
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("arm", "u8"),
        ("reason", "u8"),
    )
    RESERVED: ClassVar[int] = 6

    tick: int
    """Tick that saw the cause."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    arm: int
    """Index of the arm."""

    reason: int
    """Code of the cause (`force_off_text`)."""


@dataclass(slots=True)
class ForceOn(Message):
    """The force of an arm is back at full authority."""

    KIND: ClassVar[int] = 0x8206
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    tick: int
    """Tick in which that happened."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class LeaseExpired(Message):
    """A lease expired: the body stopped where it was."""

    KIND: ClassVar[int] = 0x8207
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body."""


@dataclass(slots=True)
class ClientSilent(Message):
    """This client sent nothing for the length of its lease. The force of its bodies ramps to
    zero until it sends a request again."""

    KIND: ClassVar[int] = 0x8208
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("silent_ms", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    silent_ms: int
    """How long the client had been silent, ms."""


@dataclass(slots=True)
class RecordingStopped(Message):
    """The recording stopped."""

    KIND: ClassVar[int] = 0x8209
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("detail", "text:256"),
    )
    RESERVED: ClassVar[int] = 0

    detail: str
    """Reason, in words."""


@dataclass(slots=True)
class ConfigReloaded(Message):
    """The configuration was reloaded and is in force."""

    KIND: ClassVar[int] = 0x820a
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class ConfigRefused(Message):
    """The reloaded configuration was refused; the old one stays in force."""

    KIND: ClassVar[int] = 0x820b
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("detail", "text:256"),
    )
    RESERVED: ClassVar[int] = 0

    detail: str
    """The first errors, in words."""


@dataclass(slots=True)
class ShuttingDown(Message):
    """The daemon is shutting down; force ramps to zero now."""

    KIND: ClassVar[int] = 0x820c
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
    )
    RESERVED: ClassVar[int] = 8


@dataclass(slots=True)
class EventsLost(Message):
    """Events are missing at this place in the stream: this client, or the daemon, read too
    slowly."""

    KIND: ClassVar[int] = 0x820d
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("count", "u64"),
    )
    RESERVED: ClassVar[int] = 0

    count: int
    """Number of missing events."""


@dataclass(slots=True)
class Touched(Message):
    """A tool touched a body: the first tick in which the body held it back. Sent with
    `CONTACT_EVENTS`, as all up to `ButtonReleased`."""

    KIND: ClassVar[int] = 0x820e
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("body", "u32"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 3

    tick: int
    """That tick."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    body: int
    """Identity of the body. For the tool of arm `k` it is `u32::MAX - k`."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class Released(Message):
    """A tool no longer touches a body: nothing of it has held the tool back for `RELEASE_NS`, or
    the body is gone."""

    KIND: ClassVar[int] = 0x820f
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("last_touch_ns", "u64"),
        ("body", "u32"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 3

    tick: int
    """Tick in which that was known."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    last_touch_ns: int
    """Time of the last tick in which the body held the tool back, ns."""

    body: int
    """Identity of the body, as in `Touched`."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class Ghost(Message):
    """A tool is inside a body, or overlaps it. The body is not solid to it and exerts no force
    until the tool has moved out."""

    KIND: ClassVar[int] = 0x8210
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("body", "u32"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 3

    tick: int
    """Tick in which that was known."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    body: int
    """Identity of the body, as in `Touched`."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class Solid(Message):
    """A tool has moved out of a body, which is solid to it from now on; or the body is gone."""

    KIND: ClassVar[int] = 0x8211
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("body", "u32"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 3

    tick: int
    """Tick in which that was known."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    body: int
    """Identity of the body, as in `Touched`."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class ButtonPressed(Message):
    """A button of an arm was pressed."""

    KIND: ClassVar[int] = 0x8212
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("arm", "u8"),
        ("button", "u8"),
    )
    RESERVED: ClassVar[int] = 6

    tick: int
    """Tick that saw it."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    arm: int
    """Index of the arm."""

    button: int
    """Number of the button, from 0: the bit in `ArmState::buttons`."""


@dataclass(slots=True)
class ButtonReleased(Message):
    """A button of an arm was released, or the arm was lost."""

    KIND: ClassVar[int] = 0x8213
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("arm", "u8"),
        ("button", "u8"),
    )
    RESERVED: ClassVar[int] = 6

    tick: int
    """Tick that saw it."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    arm: int
    """Index of the arm."""

    button: int
    """Number of the button, as in `ButtonPressed`."""


@dataclass(slots=True)
class EffectEnded(Message):
    """An effect of this client has ended. Sent with `EVENTS`, to that client alone."""

    KIND: ClassVar[int] = 0x8214
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("effect", "u32"),
        ("reason", "code:u8:EffectEnd"),
    )
    RESERVED: ClassVar[int] = 3

    effect: int
    """Identity of the effect."""

    reason: EffectEnd
    """Reason for the end."""


@dataclass(slots=True)
class Grasped(Message):
    """An arm holds a dynamic body: by a request (`GraspBody`), or by its button. Sent with
    `CONTACT_EVENTS`."""

    KIND: ClassVar[int] = 0x8215
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("body", "u32"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 3

    tick: int
    """Tick in which the arm took it."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    body: int
    """Identity of the body."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class LetGo(Message):
    """An arm let go of a body, which keeps its velocity; or there was none to take. Sent with
    `CONTACT_EVENTS`."""

    KIND: ClassVar[int] = 0x8216
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("body", "u32"),
        ("arm", "u8"),
        ("reason", "code:u8:LetGoReason"),
    )
    RESERVED: ClassVar[int] = 2

    tick: int
    """Tick in which that happened."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    body: int
    """Identity of the body; 0 if there was none."""

    arm: int
    """Index of the arm."""

    reason: LetGoReason
    """Reason."""


@dataclass(slots=True)
class ClutchEngaged(Message):
    """The clutch of an arm holds its tool: by a request (`SetClutch`), or by its button. Sent
    with `CONTACT_EVENTS`."""

    KIND: ClassVar[int] = 0x8217
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    tick: int
    """Tick in which it was engaged."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    arm: int
    """Index of the arm."""


@dataclass(slots=True)
class ClutchReleased(Message):
    """The clutch of an arm no longer holds its tool. Sent with `CONTACT_EVENTS`."""

    KIND: ClassVar[int] = 0x8218
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("tick", "u64"),
        ("time_ns", "u64"),
        ("arm", "u8"),
    )
    RESERVED: ClassVar[int] = 7

    tick: int
    """Tick in which it was disengaged."""

    time_ns: int
    """Time of that tick, ns on the daemon's monotonic clock."""

    arm: int
    """Index of the arm."""


EVENTS: dict[int, type[Message]] = {
    0x8201: BodyJoined,
    0x8202: BodyLeft,
    0x8203: ArmAttached,
    0x8204: ArmLost,
    0x8205: ForceOff,
    0x8206: ForceOn,
    0x8207: LeaseExpired,
    0x8208: ClientSilent,
    0x8209: RecordingStopped,
    0x820a: ConfigReloaded,
    0x820b: ConfigRefused,
    0x820c: ShuttingDown,
    0x820d: EventsLost,
    0x820e: Touched,
    0x820f: Released,
    0x8210: Ghost,
    0x8211: Solid,
    0x8212: ButtonPressed,
    0x8213: ButtonReleased,
    0x8214: EffectEnded,
    0x8215: Grasped,
    0x8216: LetGo,
    0x8217: ClutchEngaged,
    0x8218: ClutchReleased,
}


@dataclass(slots=True)
class SetPushRates(Message):
    """Sets how often values of the subscribed and opened blocks are sent. It holds for all of
    them, also those that come later, and replaces the rates before. A new connection has 0. It
    is no sign of life: the daemon does not hear of it."""

    KIND: ClassVar[int] = 0x0301
    ANSWERS: ClassVar[tuple[str, ...]] = ("Done",)
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("state_hz", "u32"),
        ("surface_hz", "u32"),
    )
    RESERVED: ClassVar[int] = 0

    state_hz: int
    """Values of each state, contacts and bodies block, Hz; 0 for none."""

    surface_hz: int
    """Values of each surface and skin, Hz; 0 for none."""


GATEWAY_REQUESTS: dict[int, type[Message]] = {
    0x0301: SetPushRates,
}


@dataclass(slots=True)
class BlockValue(Message):
    """The newest value of a block. `words` words follow: the payload's fixed words, then the
    elements or rows that the value has. Triangles of a surface come once, in `SurfaceTriangles`."""

    KIND: ClassVar[int] = 0x8301
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("version", "u64"),
        ("skipped", "u64"),
        ("body", "u32"),
        ("words", "u32"),
        ("kind", "code:u16:BlockKind"),
        ("arm", "u16"),
    )
    RESERVED: ClassVar[int] = 4

    version: int
    """How often the block was published until this value."""

    skipped: int
    """Number of values so far that were due and not sent, since the client had not yet read what
    was sent before."""

    body: int
    """Identity of the body of a surface or a skin; 0 for the other blocks."""

    words: int
    """Number of words that follow."""

    kind: BlockKind
    """Kind of the block."""

    arm: int
    """Index of the arm that the block belongs to."""


@dataclass(slots=True)
class SurfaceTriangles(Message):
    """The triangles of a surface. It comes once, before the surface's first value. Three `u32`
    indices of points for each triangle follow."""

    KIND: ClassVar[int] = 0x8302
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
        ("points", "u32"),
        ("triangles", "u32"),
    )
    RESERVED: ClassVar[int] = 4

    body: int
    """Identity of the body."""

    points: int
    """Number of points."""

    triangles: int
    """Number of triangles that follow."""


@dataclass(slots=True)
class ShapeFile(Message):
    """The mesh file of a `Shape`, right behind that reply. `bytes` bytes follow."""

    KIND: ClassVar[int] = 0x8303
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("body", "u32"),
        ("bytes", "u32"),
    )
    RESERVED: ClassVar[int] = 0

    body: int
    """Identity of the body, or the number that stands for the tool."""

    bytes: int
    """Length of the file that follows."""


GATEWAY_MESSAGES: dict[int, type[Message]] = {
    0x8301: BlockValue,
    0x8302: SurfaceTriangles,
    0x8303: ShapeFile,
}


class SkinCounts(Words):
    """Size of a frame, or capacity of a slot."""

    WORDS: ClassVar[int] = 1
    NAMES: ClassVar[tuple[str, ...]] = (
        "points",
        "triangles",
    )
    __slots__ = ()

    @property
    def points(self) -> int:
        """Number of points."""
        return int(U32(self.data, 0)[0])

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        return int(U32(self.data, 4)[0])


class BodyHeader(Words):
    """Words 5 to 7 of the header of a surface or a skin."""

    WORDS: ClassVar[int] = 3
    NAMES: ClassVar[tuple[str, ...]] = (
        "body",
        "points",
        "triangles",
    )
    __slots__ = ()

    @property
    def body(self) -> int:
        """Identity of the body."""
        return int(U32(self.data, 0)[0])

    @property
    def points(self) -> int:
        """Number of points of a surface; capacity for points of each frame of a skin."""
        return int(U32(self.data, 8)[0])

    @property
    def triangles(self) -> int:
        """Number of triangles of a surface; capacity for triangles of each frame of a skin."""
        return int(U32(self.data, 12)[0])


class ListHeader(Words):
    """First words of the payload of contacts and bodies."""

    WORDS: ClassVar[int] = 3
    NAMES: ClassVar[tuple[str, ...]] = (
        "tick",
        "time_ns",
        "count",
    )
    __slots__ = ()

    @property
    def tick(self) -> int:
        """Number of the tick."""
        return int(U64(self.data, 0)[0])

    @property
    def time_ns(self) -> int:
        """Time of the tick, ns on the daemon's monotonic clock."""
        return int(U64(self.data, 8)[0])

    @property
    def count(self) -> int:
        """Number of elements that follow, at most the block's limit. Words behind them are zero."""
        return int(U64(self.data, 16)[0])


class SurfaceFrameHeader(Words):
    """Time of a surface's points. Words are counted from the first word of the payload."""

    WORDS: ClassVar[int] = 3
    NAMES: ClassVar[tuple[str, ...]] = (
        "tick",
        "time_ns",
        "lost_ns",
    )
    __slots__ = ()

    @property
    def tick(self) -> int:
        """Number of the step, as the simulation counts."""
        return int(U64(self.data, 0)[0])

    @property
    def time_ns(self) -> int:
        """Time of the step, ns on the daemon's monotonic clock."""
        return int(U64(self.data, 8)[0])

    @property
    def lost_ns(self) -> int:
        """Simulated time lost since the start, ns; the body is this far behind the clock."""
        return int(U64(self.data, 16)[0])


class HeaderWords(Words):
    """Words 0 to 4 of every block."""

    WORDS: ClassVar[int] = 5
    NAMES: ClassVar[tuple[str, ...]] = (
        "magic",
        "kind",
        "major",
        "minor",
        "arm",
        "words",
        "payload_words",
        "program_patch",
        "program_minor",
        "program_major",
        "created_ns",
    )
    __slots__ = ()

    @property
    def magic(self) -> int:
        """`HAPTICD` and a zero byte."""
        return int(U64(self.data, 0)[0])

    @property
    def kind(self) -> int:
        """Kind of the block."""
        return int(U16(self.data, 8)[0])

    @property
    def major(self) -> int:
        """The daemon's major version of the protocol."""
        return int(U16(self.data, 10)[0])

    @property
    def minor(self) -> int:
        """The daemon's minor version of the protocol."""
        return int(U16(self.data, 12)[0])

    @property
    def arm(self) -> int:
        """Index of the arm that the block belongs to; 0 for a block of the whole scene or of a
        body."""
        return int(U16(self.data, 14)[0])

    @property
    def words(self) -> int:
        """Number of words of the whole block."""
        return int(U32(self.data, 16)[0])

    @property
    def payload_words(self) -> int:
        """Number of words of the payload: all behind the sequence."""
        return int(U32(self.data, 20)[0])

    @property
    def program_patch(self) -> int:
        """Patch version of the daemon's program."""
        return int(U16(self.data, 24)[0])

    @property
    def program_minor(self) -> int:
        """Minor version of the daemon's program."""
        return int(U16(self.data, 26)[0])

    @property
    def program_major(self) -> int:
        """Major version of the daemon's program."""
        return int(U16(self.data, 28)[0])

    @property
    def created_ns(self) -> int:
        """Time at which the block was made, ns on the daemon's monotonic clock."""
        return int(U64(self.data, 32)[0])


class ArmEnergy(Words):
    """Energy of the spring between hand and tool since the force was last off for lack of a
    pose, J at the device."""

    WORDS: ClassVar[int] = 5
    NAMES: ClassVar[tuple[str, ...]] = (
        "given_j",
        "stored_j",
        "debt_j",
        "withheld_j",
        "gain",
    )
    __slots__ = ()

    @property
    def given_j(self) -> float:
        """Energy given to the hand; negative if taken from it."""
        return float(F64(self.data, 0)[0])

    @property
    def stored_j(self) -> float:
        """Energy stored now."""
        return float(F64(self.data, 8)[0])

    @property
    def debt_j(self) -> float:
        """Energy given beyond what bodies put in and the arm absorbs. The arm absorbs what its
        own damping and friction certainly take."""
        return float(F64(self.data, 16)[0])

    @property
    def withheld_j(self) -> float:
        """Stored energy that was removed where the passivity controller acted."""
        return float(F64(self.data, 24)[0])

    @property
    def gain(self) -> float:
        """Gain of the passivity controller; 1 where it does not act."""
        return float(F64(self.data, 32)[0])


class Contact(Words):
    """One contact. Words are counted from the first word of the contact."""

    WORDS: ClassVar[int] = 11
    NAMES: ClassVar[tuple[str, ...]] = (
        "point_m",
        "normal",
        "distance_m",
        "body",
        "force_n",
    )
    __slots__ = ()

    @property
    def point_m(self) -> Vector:
        """Point on the body's surface, world frame, m."""
        return vector(self.data, 0, 3)

    @property
    def normal(self) -> Vector:
        """Unit normal from the body to the tool, world frame."""
        return vector(self.data, 24, 3)

    @property
    def distance_m(self) -> float:
        """Distance between the surfaces along the normal, m; positive, since they never overlap."""
        return float(F64(self.data, 48)[0])

    @property
    def body(self) -> int:
        """Identity of the body. For the tool of arm `k` it is `u32::MAX - k`, which no body has."""
        return int(U32(self.data, 56)[0])

    @property
    def force_n(self) -> Vector:
        """Force of the body on the hand through the tool, N, world frame: this contact's share
        of what is sent to the arm. The shares add up to `ArmState::force_n` of the same tick
        where a contact holds the tool, unless a needle does so, too."""
        return vector(self.data, 64, 3)


class NeedleState(Words):
    """Payload of the block: the needle of an arm, world frame."""

    WORDS: ClassVar[int] = 13
    NAMES: ClassVar[tuple[str, ...]] = (
        "tick",
        "time_ns",
        "phase",
        "hold",
        "layer",
        "pierced",
        "held_by",
        "nearest",
        "depth_m",
        "axial_n",
        "lateral_n",
        "tip_m",
        "nearest_m",
        "sure_m",
        "nearest_tick",
    )
    __slots__ = ()

    @property
    def tick(self) -> int:
        """Number of the tick."""
        return int(U64(self.data, 0)[0])

    @property
    def time_ns(self) -> int:
        """Time of the tick, ns on the daemon's monotonic clock."""
        return int(U64(self.data, 8)[0])

    @property
    def phase(self) -> int:
        """Code of the `NeedlePhase`."""
        return self.data[16]

    @property
    def hold(self) -> int:
        """Code of the `NeedleHold`."""
        return self.data[17]

    @property
    def layer(self) -> int:
        """Layer that the tip is in, from the top, from 0; 0 outside of the tissue."""
        return int(U16(self.data, 18)[0])

    @property
    def pierced(self) -> int:
        """Number of surfaces pierced since the start."""
        return int(U32(self.data, 20)[0])

    @property
    def held_by(self) -> int:
        """Layer or structure that holds the tip, as `NeedleHold` says; otherwise 0."""
        return int(U32(self.data, 24)[0])

    @property
    def nearest(self) -> int:
        """Structure nearest to the end of the needle, counted from 1 in the order of the
        configuration; 0 if none is near enough to be known."""
        return int(U32(self.data, 28)[0])

    @property
    def depth_m(self) -> float:
        """Length of the tip's path in the tissue, m."""
        return float(F64(self.data, 32)[0])

    @property
    def axial_n(self) -> float:
        """Force of the tissue along the axis, N; positive pushes the needle out, negative holds
        it back."""
        return float(F64(self.data, 40)[0])

    @property
    def lateral_n(self) -> float:
        """Force across the axis, N."""
        return float(F64(self.data, 48)[0])

    @property
    def tip_m(self) -> Vector:
        """Position of the tip, m."""
        return vector(self.data, 56, 3)

    @property
    def nearest_m(self) -> float:
        """Distance of that structure from the needle's surface, m; 0 where the needle goes
        through it, and with `nearest` 0."""
        return float(F64(self.data, 80)[0])

    @property
    def sure_m(self) -> float:
        """Distance from the needle's axis up to which no structure is missed, m; 0 outside of
        the tissue."""
        return float(F64(self.data, 88)[0])

    @property
    def nearest_tick(self) -> int:
        """Tick for which `nearest` was computed: some 20 ticks back. 0: never."""
        return int(U64(self.data, 96)[0])


class BodyState(Words):
    """Pose of one body, and the force of the tools on it. Words are counted from the first word
    of the body."""

    WORDS: ClassVar[int] = 14
    NAMES: ClassVar[tuple[str, ...]] = (
        "body",
        "moving",
        "world_from_body",
        "force_n",
        "torque_nm",
    )
    __slots__ = ()

    @property
    def body(self) -> int:
        """Identity of the body."""
        return int(U32(self.data, 0)[0])

    @property
    def moving(self) -> bool:
        """True if the body has a target that it has not reached. A command shows here some ticks
        after it was answered."""
        return self.data[4] & 1 == 1

    @property
    def world_from_body(self) -> Pose:
        """Pose of the body."""
        return pose(self.data, 8)

    @property
    def force_n(self) -> Vector:
        """Force of all arms' tools on the body, N, world frame: what hands feel at their
        `Contact`s with it, the other way round."""
        return vector(self.data, 64, 3)

    @property
    def torque_nm(self) -> Vector:
        """Torque of that force about the body's origin, N m, world frame."""
        return vector(self.data, 88, 3)


class SkinFrameHeader(Words):
    """Description of a frame. Words are counted from the first word of the slot's payload."""

    WORDS: ClassVar[int] = 16
    NAMES: ClassVar[tuple[str, ...]] = (
        "counts",
        "frame",
        "tick",
        "time_ns",
        "published_ns",
        "flags",
        "coarser",
        "cell_m",
        "deviation_m",
        "faults",
        "faulty_frames",
        "skipped",
        "primitives",
        "small",
        "compute_ns",
    )
    __slots__ = ()

    @property
    def counts(self) -> SkinCounts:
        """Number of points and of triangles."""
        return SkinCounts(self.data[0 : 8])

    @property
    def frame(self) -> int:
        """Number of the frame, from 1."""
        return int(U64(self.data, 8)[0])

    @property
    def tick(self) -> int:
        """Tick of the loop after which the body had this shape."""
        return int(U64(self.data, 16)[0])

    @property
    def time_ns(self) -> int:
        """Time of that, ns on the daemon's monotonic clock."""
        return int(U64(self.data, 24)[0])

    @property
    def published_ns(self) -> int:
        """Time of publication on the same clock; the difference is the frame's age at that time."""
        return int(U64(self.data, 32)[0])

    @property
    def flags(self) -> int:
        """A sum of `skin_flag` bits."""
        return int(U32(self.data, 40)[0])

    @property
    def coarser(self) -> int:
        """Number of levels by which cubes are coarser than wanted."""
        return int(U32(self.data, 44)[0])

    @property
    def cell_m(self) -> float:
        """Edge of the cubes, m."""
        return float(F64(self.data, 48)[0])

    @property
    def deviation_m(self) -> float:
        """Largest distance found between a point of the mesh and the surface that tools feel, m."""
        return float(F64(self.data, 56)[0])

    @property
    def faults(self) -> int:
        """Faults that the mesh's own check found in this frame."""
        return int(U32(self.data, 64)[0])

    @property
    def faulty_frames(self) -> int:
        """Frames with faults so far."""
        return int(U32(self.data, 68)[0])

    @property
    def skipped(self) -> int:
        """States of the body that were supplied and never shown, so far."""
        return int(U64(self.data, 72)[0])

    @property
    def primitives(self) -> int:
        """Primitives under the skin."""
        return int(U32(self.data, 80)[0])

    @property
    def small(self) -> int:
        """How many of them may be too small to be visible."""
        return int(U32(self.data, 84)[0])

    @property
    def compute_ns(self) -> int:
        """Processor time that the mesh took, ns."""
        return int(U64(self.data, 88)[0])


class ArmState(Words):
    """Newest state of an arm. Words are counted from the first word of the payload."""

    WORDS: ClassVar[int] = 48
    NAMES: ClassVar[tuple[str, ...]] = (
        "tick",
        "time_ns",
        "world_from_device",
        "world_from_proxy",
        "linear_velocity_m_s",
        "angular_velocity_rad_s",
        "force_n",
        "torque_nm",
        "wanted_force_n",
        "wanted_torque_nm",
        "governor",
        "reason",
        "flags",
        "contacts",
        "inside_body",
        "buttons",
        "snapshot_age_ticks",
        "missed_ticks",
        "compute_ns",
        "lateness_ns",
        "input_age_ns",
        "last_force_off",
        "grasped_body",
        "last_force_off_tick",
        "force_offs",
        "energy",
    )
    __slots__ = ()

    @property
    def tick(self) -> int:
        """Number of the tick, from 1."""
        return int(U64(self.data, 0)[0])

    @property
    def time_ns(self) -> int:
        """Time of the tick, ns on `CLOCK_MONOTONIC`. That clock is the same for all processes."""
        return int(U64(self.data, 8)[0])

    @property
    def world_from_device(self) -> Pose:
        """Pose of the tool as the hand holds it."""
        return pose(self.data, 16)

    @property
    def world_from_proxy(self) -> Pose:
        """Pose of the proxy: of the tool where it is allowed to be. Applications draw this one."""
        return pose(self.data, 72)

    @property
    def linear_velocity_m_s(self) -> Vector:
        """Velocity of the hand, m/s; 0 while a clutch holds the tool."""
        return vector(self.data, 128, 3)

    @property
    def angular_velocity_rad_s(self) -> Vector:
        """Angular velocity of the hand, rad/s; 0 while a clutch holds the tool."""
        return vector(self.data, 152, 3)

    @property
    def force_n(self) -> Vector:
        """Force sent to the arm, N."""
        return vector(self.data, 176, 3)

    @property
    def torque_nm(self) -> Vector:
        """Torque sent to the arm, N m."""
        return vector(self.data, 200, 3)

    @property
    def wanted_force_n(self) -> Vector:
        """Force of the coupling before the governor, N."""
        return vector(self.data, 224, 3)

    @property
    def wanted_torque_nm(self) -> Vector:
        """Torque of the coupling before the governor, N m."""
        return vector(self.data, 248, 3)

    @property
    def governor(self) -> int:
        """Code of the `GovernorState`."""
        return self.data[272]

    @property
    def reason(self) -> int:
        """Code of the reason why force is off or reduced; 0 for no reason. `force_off_text` says
        it in words."""
        return self.data[273]

    @property
    def flags(self) -> int:
        """A sum of `flag` bits."""
        return int(U16(self.data, 274)[0])

    @property
    def contacts(self) -> int:
        """Number of contacts in this tick."""
        return int(U16(self.data, 276)[0])

    @property
    def inside_body(self) -> int:
        """Low 16 bits of the body that the tool is inside of, with `INSIDE`. The first body or
        other arm's tool; otherwise 0."""
        return int(U16(self.data, 278)[0])

    @property
    def buttons(self) -> int:
        """Buttons, one bit each, starting at bit 0; 1 means pressed."""
        return int(U32(self.data, 280)[0])

    @property
    def snapshot_age_ticks(self) -> int:
        """Age of the contact data, ticks; `u32::MAX` without any."""
        return int(U32(self.data, 284)[0])

    @property
    def missed_ticks(self) -> int:
        """Whole periods that the loop has skipped since it started."""
        return int(U64(self.data, 288)[0])

    @property
    def compute_ns(self) -> int:
        """Computation time of the newest finished tick (the one before this), ns."""
        return int(U64(self.data, 296)[0])

    @property
    def lateness_ns(self) -> int:
        """How much later than requested the loop woke for that tick, ns."""
        return int(U64(self.data, 304)[0])

    @property
    def input_age_ns(self) -> int:
        """Age of the arm's sample, ns."""
        return int(U64(self.data, 312)[0])

    @property
    def last_force_off(self) -> int:
        """Code of the newest reason why force went off; 0 before the first. It is kept when
        force is on again."""
        return self.data[320]

    @property
    def grasped_body(self) -> int:
        """Identity of the dynamic body that the arm holds; 0: none."""
        return int(U32(self.data, 324)[0])

    @property
    def last_force_off_tick(self) -> int:
        """Tick in which force went off; another reason while it is off keeps it."""
        return int(U64(self.data, 328)[0])

    @property
    def force_offs(self) -> int:
        """How often force went off since the loop started. Another reason while it is off is not
        counted."""
        return int(U64(self.data, 336)[0])

    @property
    def energy(self) -> ArmEnergy:
        """Energy of the arm's coupling."""
        return ArmEnergy(self.data[344 : 384])
