// @ts-check
// Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p hapticd-protocol
/**
 * Messages, codes and blocks of the protocol, as the daemon's own crate declares them.
 * Integers of 64 bits are `bigint`; a pose is seven numbers: x, y, z in m, then a quaternion
 * x, y, z, w.
 * @module
 */

/** @typedef {[number, number, number, number, number, number, number]} Pose */

/** Major version of the protocol. */
export const MAJOR = 3;

/** Minor version of the protocol. */
export const MINOR = 0;

/** First word of a hello, a welcome and a block. */
export const MAGIC = 19214280642543944n;

/** Largest message, header included, bytes. */
export const MAX_MESSAGE = 4096;

/** Length of a message's header, bytes. */
export const HEADER_BYTES = 16;

/** Most arms of a daemon. */
export const MAX_ARMS = 8;

/** Most rigid bodies in a scene. */
export const MAX_BODIES = 64;

/** Most contacts in an arm's block. */
export const MAX_CONTACTS = 32;

/** Stands for all arms where a field takes an arm. */
export const ALL_ARMS = 255;

/** Most bodies that one message moves. */
export const MAX_TARGETS = 56;

/** Most effects of an arm at the same time. */
export const EFFECTS_PER_ARM = 8;

/** Longest lease that any daemon grants, ms. */
export const MAX_LEASE_MS = 10000;

/** Largest coordinate of a pose or a mesh, m. */
export const MAX_COORDINATE_M = 10000;

/** Index of a block's sequence. */
export const SEQUENCE_WORD = 8;

/** Index of the first word of a block's payload. */
export const PAYLOAD_WORD = 9;

/** Time without contact after which a tool counts as released, ns. */
export const RELEASE_NS = 20000000;

/** First word of a mesh file. */
export const MESH_MAGIC = 5211585392227139912n;

/** Version of the mesh format. */
export const MESH_VERSION = 1;

/** Offset of a mesh file's vertices, bytes. */
export const MESH_HEADER_BYTES = 32;

/** Seals that a mesh file must have: F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE. */
export const MESH_SEALS = 14;

/** Seals of a block: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE. */
export const BLOCK_SEALS = 23;

/** Highest rate at which the gateway sends the values of one block, Hz. */
export const MAX_PUSH_HZ = 120;

/** Requests that the gateway passes on for one client within a second. */
export const GATEWAY_REQUESTS_PER_S = 500;

/** Longest mesh file behind an `AddBody` through the gateway, bytes. */
export const MAX_INLINE_MESH_BYTES = 268435456;

/** Whether a body may move, and whether it keeps its shape. */
export const BodyKind = /** @type {const} */ ({
  /** It never moves. */
  Static: 0,
  /** A client moves it. */
  Kinematic: 1,
  /** Forces move it: gravity, contacts, and the tools that touch it. */
  Dynamic: 2,
  /**
   * Forces move and deform it. It comes from the configuration: clients cannot add, move or
   * remove it.
   */
  Soft: 3,
  /** A sheet that forces move and deform; otherwise like a soft body. */
  Cloth: 4,
  /**
   * One of a crowd of loose rigid bodies: forces move it like a dynamic body, and it is shown
   * by its surface like a soft one.
   */
  Crowd: 5,
  /**
   * Spheres that forces move, under an implicit surface that blends over them: a strand, a
   * fluid, a springy solid. Shown by its skin.
   */
  Implicit: 6,
});

/** What a `PushBody` does to a body. */
export const PushMode = /** @type {const} */ ({
  /** It adds an impulse: a kick. */
  Impulse: 0,
  /** It sets the velocity. */
  Velocity: 1,
});

/** Law of an effect's force; `docs/design/effects.md` has the formulas. */
export const EffectKind = /** @type {const} */ ({
  /** A force along the axis. */
  Constant: 0,
  /**
   * A force along the axis that goes from `magnitude_n` to `second_n` over the duration, which
   * must be finite.
   */
  Ramp: 1,
  /** A vibration along the axis: `second_n` is its offset. */
  Periodic: 2,
  /**
   * A pull to a point, a line or a plane beyond `dead_band_m`: guidance. `coefficient` is its
   * stiffness, N/m.
   */
  Spring: 3,
  /**
   * A force against the velocity within `range_m` of the shape: a viscous field. `coefficient`
   * is its damping, N s/m.
   */
  Damper: 4,
  /**
   * A force of `magnitude_n` against any motion within `range_m` of the shape. `coefficient` is
   * the stiffness with which it holds the hand at rest, N/m.
   */
  Friction: 5,
  /** A mass of `coefficient` kg at the hand. */
  Inertia: 6,
  /**
   * A pull to the shape of at most `magnitude_n` within `range_m`. `coefficient` is its
   * stiffness, N/m.
   */
  Magnet: 7,
  /**
   * A region that the hand is pushed out of: the ball or cylinder of radius `range_m`, or the
   * side of the plane that the axis points away from. `coefficient` is its stiffness, N/m.
   */
  Barrier: 8,
});

/** Form of a vibration. */
export const Waveform = /** @type {const} */ ({
  /** `sin(2 pi p)`, `p` in periods. */
  Sine: 0,
  /** From 0 up to 1, down to -1, back to 0. */
  Triangle: 1,
  /** 1 in the first half, -1 in the second. */
  Square: 2,
  /** From -1 up to 1. */
  SawUp: 3,
  /** From 1 down to -1. */
  SawDown: 4,
});

/** Where an effect is. */
export const EffectShape = /** @type {const} */ ({
  /** The place. */
  Point: 0,
  /** The line through the place along the axis. */
  Line: 1,
  /** The plane through the place, with the axis as its normal. */
  Plane: 2,
});

/** Reason why a connection was refused. */
export const RefusalReason = /** @type {const} */ ({
  /** The first message was not a hello of this protocol. */
  NotHello: 1,
  /** The major versions differ. Both are in the message. */
  VersionMismatch: 2,
  /** The socket has as many clients as the daemon allows: `limit`. */
  TooManyClients: 3,
  /** This user may not use this socket. */
  NotPermitted: 4,
  /** The daemon is shutting down. */
  ShuttingDown: 5,
});

/** Reason why a request was not carried out. */
export const ErrorCode = /** @type {const} */ ({
  /** The bytes are not a request; the client's fault. */
  Malformed: 1,
  /** Only the technician's socket takes this request. */
  TechnicianOnly: 2,
  /** There is no arm with index `number`; `limit` is how many there are. */
  NoSuchArm: 3,
  /** There is no body `number`. */
  NoSuchBody: 4,
  /**
   * This client may not move or remove body `number`. It belongs to another client or to the
   * configuration, another client is moving it, or forces move it; the detail says which.
   */
  NotPermitted: 5,
  /** Body `number` is static: no client can move it. */
  StaticBody: 6,
  /** The client sent more than `limit` messages per second. */
  TooManyMessages: 7,
  /** This client already has `number` bodies, which is its limit. */
  TooManyBodies: 8,
  /**
   * `number` bytes of mesh, and `limit` are allowed. It is this mesh, or all of this client's
   * together. If there is a detail: the body would need `number` bytes of memory, and `limit`
   * are left.
   */
  MeshTooLarge: 9,
  /**
   * The scene takes no more bodies: it already has `limit`. In a planar scene that is 0, and
   * the detail says so.
   */
  SceneFull: 10,
  /** A body with that name exists. */
  NameTaken: 11,
  /** The mesh is invalid, or not suitable for a solid body; the detail says why. */
  InvalidMesh: 12,
  /** The descriptor is not a sealed memory file. */
  InvalidDescriptor: 13,
  /**
   * A number is out of range: it is `number`, at most `limit` is allowed. The detail names the
   * number, and its minimum if it is below that.
   */
  OutOfRange: 14,
  /** The daemon is busy with earlier requests: try again. */
  Busy: 15,
  /** The daemon is shutting down. */
  ShuttingDown: 16,
  /** The daemon could not do it (out of memory or descriptors); the daemon's fault. */
  Internal: 17,
  /** A second hello, or another request out of order. */
  OutOfOrder: 18,
  /** The configuration was refused; the detail says why. */
  ConfigRefused: 19,
  /**
   * Body `number` is deformable: no client can move or remove it. It is soft, a cloth, of a
   * crowd or implicit.
   */
  DeformableBody: 20,
  /** Body `number` is shown by its pose or its skin: it has no surface block. */
  NoSurface: 21,
  /** Body `number` has no skin. */
  NoSkin: 22,
  /** Body `number` is shown by its surface or its skin: it has no constant shape. */
  NoShape: 23,
  /**
   * One of the limits is `number` and must be at least `limit`, both rounded. The detail has
   * the exact values.
   */
  LimitsRefused: 24,
  /**
   * The scene cannot hold such a dynamic body. It has no mass or no inside, or it would start
   * inside another body; the detail says which.
   */
  InvalidBody: 25,
  /** This client has no effect `number`: it never had, or the effect has ended. */
  NoSuchEffect: 26,
  /**
   * The arm has as many effects as it can: `limit`. Or the configuration allows none: then
   * `limit` is 0.
   */
  TooManyEffects: 27,
});

/** Kind of a descriptor in a `Subscribed` reply, and of a block. */
export const BlockKind = /** @type {const} */ ({
  /** `ArmState`. */
  State: 1,
  /** `Contacts`. */
  Contacts: 2,
  /** `Bodies`. */
  Bodies: 3,
  /** The wake-up socket. */
  Wake: 4,
  /**
   * Surface of a deformable body (`SurfaceHeader`). Occurs only in a block's header: a client
   * does not subscribe to it but opens it (`OpenSurface`).
   */
  Surface: 5,
  /** Skin of an implicit body (`SkinHeader`). It is opened like a surface (`OpenSkin`). */
  Skin: 6,
  /** `NeedleState`. */
  Needle: 7,
});

/** Reason why a body was removed. */
export const RemovalReason = /** @type {const} */ ({
  /** Its client removed it. */
  Requested: 0,
  /** Its client has disconnected. */
  ClientGone: 1,
  /** The configuration no longer contains it. */
  Configuration: 2,
});

/** Reason why an effect ended that its client did not stop. */
export const EffectEnd = /** @type {const} */ ({
  /** Its duration is over. */
  Finished: 0,
  /** The client was silent for longer than its lease. */
  ClientSilent: 1,
});

/** Reason why an arm let go of a body, or did not take one. */
export const LetGoReason = /** @type {const} */ ({
  /** A request, or the arm's button. */
  Ordered: 0,
  /**
   * There was nothing to take: the tool touches no dynamic body, or the one that was named is
   * out of reach or too fast.
   */
  NothingThere: 1,
  /** The body has gone. */
  BodyGone: 2,
  /** The client of the body is silent, or out of focus. */
  BodySilent: 3,
  /** The arm was lost, or its tool was placed elsewhere. */
  ArmLost: 4,
  /**
   * The body was caught somewhere: for 100 ms the hand pulled three times as hard as the arm
   * can.
   */
  Stretched: 5,
  /** Clients were not served for a while. */
  ClientsUnserved: 6,
  /** The client that held it is gone, silent or out of focus. */
  HolderGone: 7,
});

/** State of the safety governor between off and on. */
export const GovernorState = /** @type {const} */ ({
  /** Off in good order: no force is requested. */
  Disengaged: 0,
  /** Waits until the wanted force is small, then ramps. */
  WaitingSmallForce: 1,
  /** Force is rising. */
  Ramping: 2,
  /** Full authority. */
  Active: 3,
  /** Force is falling to zero. */
  Fading: 4,
  /** Off because of a fault. */
  Fault: 5,
});

/** Reason why force is off or reduced. */
/** @type {Record<number, string>} */
export const ForceOffReason = {
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
};

/** State of a needle. */
export const NeedlePhase = /** @type {const} */ ({
  /** The arm has no needle. */
  Absent: 0,
  /** Outside the tissue, or not known to have come from outside. */
  Free: 1,
  /** The tip dents the surface. */
  Touching: 2,
  /** In the tissue. */
  Inserted: 3,
});

/** What holds the tip of a needle. */
export const NeedleHold = /** @type {const} */ ({
  /** Friction of the shaft and the cutting force. */
  Friction: 0,
  /** The surface of a layer: `held_by` counts layers from the top, from 0. */
  Layer: 1,
  /**
   * The surface of a structure that can be pierced: `held_by` counts structures from 0, in the
   * order of the configuration.
   */
  Membrane: 2,
  /** A structure that cannot be pierced; counted likewise. */
  Bone: 3,
  /** The side of the tissue. */
  Border: 4,
  /** The hub is at the surface: all of the needle is in. */
  Hub: 5,
});

/** Bits of `Subscribe::topics`; add those that are requested. */
export const topic = /** @type {const} */ ({
  /** The arm's state block. */
  STATE: 1,
  /** The arm's contacts block. */
  CONTACTS: 2,
  /** The block of all bodies' poses; the same for every arm. */
  BODIES: 4,
  /**
   * A descriptor that becomes readable when the arm's state is new: a socket with small
   * datagrams that the client reads and discards.
   */
  WAKE: 8,
  /** `Event`s on the control socket. */
  EVENTS: 16,
  /**
   * The news of contacts and buttons on the control socket: `Touched`, `Released`, `Ghost`,
   * `Solid`, `ButtonPressed` and `ButtonReleased` of all arms. They are no part of `EVENTS`.
   */
  CONTACT_EVENTS: 32,
  /** The block of the needle at the arm's tool. */
  NEEDLE: 64,
  /** All of the above. */
  ALL: 127,
});

/** Bits of `ArmState::flags`. */
export const flag = /** @type {const} */ ({
  /** The arm is attached and its pose is known. */
  ATTACHED: 1,
  /** The tool touches something. */
  TOUCHING: 2,
  /** The certificate or the tick's pair budget held the tool back in this tick. */
  STARVED: 4,
  /** The contact data are older than the limit. */
  STALE: 8,
  /** The daemon is shutting down. */
  STOPPING: 16,
  /**
   * The tool is inside a body, or overlaps it. No force of that body is rendered until the tool
   * is out.
   */
  INSIDE: 32,
  /** A clutch holds the tool: the hand moves without force. */
  CLUTCHED: 64,
  /** The hand is outside of the bubble and drives the arm's frame. */
  DRIVEN: 128,
});

/** Bits of `SkinFrameHeader::flags`. */
export const skin_flag = /** @type {const} */ ({
  /** The surface extends beyond the box of its cubes and is cut off there. */
  CLIPPED: 1,
  /**
   * Cubes are larger than the configuration asks for: time or capacity did not suffice for more
   * triangles.
   */
  COARSE: 2,
  /** The mesh's own check found faults (`faults`). */
  FAULTY: 4,
  /** Primitives are smaller than a cube and may be invisible. */
  SMALL: 8,
  /** Primitives blend that must not: too many were in one place even for creases. */
  UNCONTROLLED: 16,
  /**
   * Parts that must not blend meet in a crease, where the configuration asks for a separate
   * surface around each. In cubes of this size, "blends with" is not an equivalence relation,
   * as where a strand folds tightly. The mesh is closed, and lies where the hand feels it.
   */
  CREASED: 32,
});

/**
 * Where a body is to go: the fields of `SetBodyPose`.
 * @typedef {object} BodyTarget
 * @property {Pose} world_from_body Target pose.
 * @property {number} speed_m_s Maximum speed of any point of the body, m/s.
 * @property {number} body Identity of the body.
 * @property {number} lease_ms Time for which the command holds, ms.
 */

/**
 * Description of an arm.
 * @typedef {object} ArmInfo
 * @property {string} name Name in the configuration.
 * @property {Pose} world_from_base Pose of the base in the world.
 * @property {number} scale World metres per device metre.
 * @property {number[]} workspace_center_m Centre of the workspace in the base frame, m.
 * @property {number[]} workspace_half_extents_m Half of each edge of the workspace, m.
 * @property {number} peak_force_n Largest force allowed now, N. It is the strictest of arm, configuration and clients, as the loop applies it.
 * @property {number} continuous_force_n Largest force that may be held indefinitely, N; as it is now.
 * @property {number} peak_torque_nm Largest torque allowed now, N m; 0 if the arm has no torque.
 * @property {number} tool_radius_m Radius of a spherical tool, m; 0 for a mesh.
 * @property {bigint} period_ns Nominal period of the loop, ns.
 * @property {number} sensed_dof Number of measured degrees of freedom.
 * @property {number} actuated_dof Number of actuated degrees of freedom.
 * @property {number} index Index of the arm in every message and block.
 * @property {boolean} attached Whether the arm is attached.
 */

/**
 * Description of a body.
 * @typedef {object} BodyInfo
 * @property {string} name Name of the body.
 * @property {number} body Identity of the body; never reused.
 * @property {number} triangles Number of triangles of its mesh or of its surface.
 * @property {number} kind Whether it may move, and whether it keeps its shape.
 * @property {boolean} owned Whether the asking client added it.
 */

/**
 * Description of one descriptor of a `Subscribed` reply.
 * @typedef {object} BlockInfo
 * @property {number} kind Kind of the block.
 * @property {number} arm Index of the arm that the block belongs to.
 */

/**
 * The first message of a connection. Answered by `Welcome` or `Refused`.
 * @typedef {object} Hello
 * @property {bigint} magic `HAPTICD` and a zero byte: `MAGIC`.
 * @property {number} major The client's major version.
 * @property {number} minor The client's minor version.
 * @property {number} features Must be zero.
 * @property {string} name Name that the client gives itself.
 */

/**
 * Asks for the arms. Answered by `Arms`.
 * @typedef {Record<string, never>} ListArms
 */

/**
 * Asks for the bodies from index `skip` on. Answered by `Bodies`.
 * @typedef {object} ListBodies
 * @property {number} skip Number of bodies to skip.
 */

/**
 * Asks for shared blocks. Answered by `Subscribed` with their descriptors.
 * @typedef {object} Subscribe
 * @property {number} arm Index of the arm.
 * @property {number} topics A sum of bits of `topic`.
 */

/**
 * Moves a kinematic body towards a pose. It moves no faster than `speed_m_s`. Continuous
 * collision detection stops it at the tools; it never passes through one. When the lease ends
 * without another command, the body stops where it is. The request is refused for a static body
 * (`StaticBody`), a dynamic one (`NotPermitted`) and a deformable one (`DeformableBody`). A
 * pose out of the plane of a planar scene is `OutOfRange`; the body then continues as before.
 * @typedef {object} SetBodyPose
 * @property {Pose} world_from_body Target pose.
 * @property {number} speed_m_s Maximum speed of any point of the body, m/s.
 * @property {number} body Identity of the body.
 * @property {number} lease_ms Time for which the command holds, ms: 1 to `MAX_LEASE_MS`, or less if the daemon's configuration says so. The refusal's `limit` is the longest one allowed.
 */

/**
 * Adds a body. Carries one descriptor: its mesh as a sealed memory file (`mesh`). Answered by
 * `BodyAdded`. The body is removed when its client disconnects.
 * @typedef {object} AddBody
 * @property {string} name Name, unique in the scene.
 * @property {Pose} world_from_body Initial pose.
 * @property {number} stiffness_n_per_m Contact stiffness, N/m.
 * @property {number} damping_n_s_per_m Contact damping, N s/m.
 * @property {number} friction Coulomb's friction coefficient.
 * @property {number} restitution Coefficient of restitution between this body and others.
 * @property {number} density_kg_m3 Density of a dynamic body, kg/m³. Ignored for other kinds.
 * @property {number} kind Whether the body may move. Only static, kinematic and dynamic bodies can be added.
 * @property {boolean} solid If true, the mesh must be closed and oriented. If false, an open sheet is allowed.
 */

/**
 * Removes a body that this client added.
 * @typedef {object} RemoveBody
 * @property {number} body Identity of the body.
 */

/**
 * Stops a kinematic body where it is and gives up the lease on it. It is refused for bodies of
 * another kind, as `SetBodyPose` is.
 * @typedef {object} HaltBody
 * @property {number} body Identity of the body.
 */

/**
 * Tightens limits of an arm's governor. A limit looser than the one in force changes nothing,
 * so no client can raise its own force or another client's. A tightened limit outlives its
 * client: it holds until a technician releases it (`ReleaseLimits`) or the daemon ends.
 * Answered by `Done` when a tick of the loop has applied it: the force follows within the slew
 * limit. Limits that cannot be kept are refused (`LimitsRefused`), and nothing changes.
 * @typedef {object} TightenLimits
 * @property {number} peak_force_n Force magnitude, N.
 * @property {number} continuous_force_n Force that may be held indefinitely, N.
 * @property {number} peak_torque_nm Torque magnitude, N m.
 * @property {number} continuous_torque_nm Torque that may be held indefinitely, N m.
 * @property {number} slew_n_per_s Rate of change of force, N/s.
 * @property {number} slew_nm_per_s Rate of change of torque, N m/s.
 * @property {number} velocity_m_s Tool speed above which force is cut, m/s.
 * @property {number} angular_velocity_rad_s Tool turning speed above which force is cut, rad/s.
 * @property {number} arm Index of the arm, or `ALL_ARMS`.
 */

/**
 * Keep-alive: renews every lease of this client for `lease_ms`. Any request shows that a client
 * is alive; this one does nothing else.
 * @typedef {object} RenewLeases
 * @property {number} lease_ms Length of the renewed leases, ms: 1 to `MAX_LEASE_MS`, or less if the daemon's configuration says so. The refusal's `limit` is the longest one allowed.
 */

/**
 * Tells that the application gained or lost the user's focus. Without focus, this client's
 * bodies produce no force.
 * @typedef {object} SetFocus
 * @property {boolean} focused Whether the application has focus. A new connection starts with it.
 */

/**
 * The last message of a connection that ends in good order.
 * @typedef {Record<string, never>} Goodbye
 */

/**
 * Asks for the block of a deformable body's surface (`block`). Answered by `Surface` with its
 * descriptor.
 * @typedef {object} OpenSurface
 * @property {number} body Identity of the body: soft, cloth or of a crowd.
 */

/**
 * Asks for the block of an implicit body's skin (`block`). Answered by `Skin` with its
 * descriptor.
 * @typedef {object} OpenSkin
 * @property {number} body Identity of an implicit body.
 */

/**
 * Asks for the shape of a body that is shown by its pose, or of an arm's tool. Answered by
 * `Shape` with a descriptor.
 * @typedef {object} OpenShape
 * @property {number} body Identity of the body: static, kinematic or dynamic, no matter which client added it. `u32::MAX - k` stands for the tool of arm `k`.
 */

/**
 * Asks for all limits in force on an arm that `TightenLimits` can tighten. Answered by
 * `Limits`.
 * @typedef {object} GetLimits
 * @property {number} arm Index of one arm; `ALL_ARMS` is refused.
 */

/**
 * Moves several kinematic bodies at once, each as `SetBodyPose` does. It counts as one message,
 * and all its targets are taken in the same turn. If one of them is refused, none is taken:
 * `number` of the error or its detail names the body.
 * @typedef {object} SetBodyPoses
 * @property {BodyTarget[]} targets The bodies and their targets; of two for one body the last one holds.
 */

/**
 * Changes the surface of a body that this client added. The force follows without a step: the
 * stiffness glides over some 10 ms, and a spring that is stretched keeps its energy. Answered
 * when the scene has the new surface; its restitution stays. It is refused for bodies of others
 * (`NotPermitted`).
 * @typedef {object} SetMaterial
 * @property {number} stiffness_n_per_m Contact stiffness, N/m. The arm renders no more than it can render stably.
 * @property {number} damping_n_s_per_m Contact damping, N s/m.
 * @property {number} friction Coulomb's friction coefficient.
 * @property {number} body Identity of the body.
 */

/**
 * Adds a body with the mesh of one that a client has added; it carries no descriptor, and the
 * mesh is neither read nor indexed again. Otherwise as `AddBody`; it is solid if the other one
 * is. The mesh stays as long as one of its bodies does, and counts once for a client that owns
 * several. The bodies of the configuration are refused (`NoShape`).
 * @typedef {object} AddInstance
 * @property {string} name Name, unique in the scene.
 * @property {Pose} world_from_body Initial pose.
 * @property {number} stiffness_n_per_m Contact stiffness, N/m.
 * @property {number} damping_n_s_per_m Contact damping, N s/m.
 * @property {number} friction Coulomb's friction coefficient.
 * @property {number} restitution Coefficient of restitution between this body and others.
 * @property {number} density_kg_m3 Density of a dynamic body, kg/m³. Ignored for other kinds.
 * @property {number} of Identity of the body with the mesh, no matter which client added it.
 * @property {number} kind Whether the body may move. Only static, kinematic and dynamic bodies can be added.
 */

/**
 * Begins an effect: a force that an arm makes in addition to what contact makes. Or it gives a
 * running effect of this client other numbers; its time goes on. Lengths and directions are the
 * world's; newtons, stiffness, damping and mass are what the hand feels. Answered by
 * `EffectSet`. An effect ends when its duration is over, when it is stopped, and with its
 * client: also when that is silent for longer than its lease. While the client is out of focus
 * the effect makes no force. All effects of an arm make at most `most_force_n` of the answer
 * together, and never more than contact leaves of the arm's limits. Fields that a kind does not
 * name are ignored.
 * @typedef {object} SetEffect
 * @property {number[]} place_m A point of the shape, m, world.
 * @property {number[]} axis Direction of the force, or of the line or the normal, world; of any length but 0.
 * @property {number} magnitude_n Force, amplitude, largest pull of a magnet, or friction, N; the first force of a ramp.
 * @property {number} second_n Last force of a ramp, offset of a vibration, N.
 * @property {number} coefficient Stiffness (N/m), damping (N s/m) or mass (kg). The arm renders no more than it can render stably.
 * @property {number} frequency_hz Frequency of a vibration, Hz: at most 400, less than half of the loop's rate.
 * @property {number} phase Phase of a vibration at its start, periods.
 * @property {number} dead_band_m Distance up to which a spring does not pull, m.
 * @property {number} range_m Reach of a magnet or a field, radius of a barrier, m; infinite: everywhere. A magnet and a barrier that is no plane must have a finite one.
 * @property {number} cap_n The force is never longer, N.
 * @property {number} delay_s Time from the request to the first force, s.
 * @property {number} duration_s Time from the first force to the end, s; infinite: until it is stopped.
 * @property {number} attack_s Time in which a constant, ramped or periodic force goes from `attack_level` to the whole, s.
 * @property {number} attack_level Share of such a force at its start.
 * @property {number} fade_s Time before the end in which such a force goes to `fade_level`, s.
 * @property {number} fade_level Share of such a force at its end.
 * @property {number} effect Identity of a running effect of this client, or 0 for a new one.
 * @property {number} arm Index of the arm; that of a running effect stays.
 * @property {number} kind The law.
 * @property {number} waveform Form of a vibration.
 * @property {number} shape Where spring, magnet, barrier, and the field of damper and friction are.
 */

/**
 * Ends an effect of this client: its force goes to zero within 20 ms. One that has ended
 * already is no error.
 * @typedef {object} StopEffect
 * @property {number} effect Identity of the effect.
 */

/**
 * Lets an arm hold a dynamic body of any client or of the configuration: the one that `body`
 * names, or with 0 the one that presses the tool most. The body follows the hand on a spring,
 * at the pose that it has now; the hand feels its weight, its inertia and what it touches. To
 * the tool that holds it it is no obstacle. Answered by `Done` when the order is on its way;
 * the events `Grasped` and `LetGo` say what came of it. The newest request for an arm holds,
 * whichever client sent it. A grasp ends with its client: also when that is silent for longer
 * than its lease, or out of focus.
 * @typedef {object} GraspBody
 * @property {number} body Identity of the body, or 0.
 * @property {number} arm Index of the arm.
 */

/**
 * Lets an arm let go of what this client let it hold; the body keeps its velocity. An arm that
 * holds nothing is no error.
 * @typedef {object} ReleaseBody
 * @property {number} arm Index of the arm.
 */

/**
 * Says where an arm works: where its base is in the world, how its motions are scaled, and a
 * bubble around the hand. An application sends it once, or for each picture with a base that
 * rides on its camera. The frame goes to that pose smoothly, no faster than `max_speed_m_s`,
 * and never jumps; to the tool it is a moving hand. The scale changes while the tool touches
 * and holds nothing, and the tool then goes to where the mapping puts it. What clutch and
 * bubble have added stays unless `recentre` says otherwise. Outside of the bubble the hand
 * drives the frame outwards (`docs/design/workspace.md` has the law). Answered by `Done` when
 * the order is on its way. The newest request for an arm holds, whichever client sent it. When
 * its client ends, is silent for longer than its lease or out of focus, the frame stays where
 * it is and the bubble ends.
 * @typedef {object} SetWorkspace
 * @property {Pose} world_from_base Pose of the arm's base in the world.
 * @property {number} scale World metres per device metre.
 * @property {number} max_speed_m_s Largest speed of the tool that the frame's motion makes, m/s in the world.
 * @property {number[]} bubble_center_m Centre of the bubble, m at the device, base frame.
 * @property {number} bubble_radius_m Radius of the bubble, m at the device; 0: no bubble.
 * @property {number} bubble_width_m Depth outside of the bubble at which the frame moves at full speed, m at the device; at least 0.001 with a bubble.
 * @property {number} bubble_speed_m_s That speed, m/s in the world.
 * @property {number} bubble_stiffness_n_per_m Stiffness with which the bubble pulls the hand back, N/m at the device. It shares what the arm renders stably with the effects.
 * @property {number} bubble_cap_n Most of that force, N. It is one of the arm's effects (`SetEffect`): they share `max_effect_force_n`.
 * @property {number} arm Index of the arm.
 * @property {boolean} recentre What clutch and bubble have added goes back to zero, as the frame moves.
 */

/**
 * Engages the clutch of an arm, or disengages what this client has engaged. While it is engaged
 * the hand moves freely, without force, and the tool stands where it is; the force goes within
 * 20 ms. Afterwards the tool goes on from there, and the force comes back within 200 ms. An arm
 * may have a button that does the same (`clutch_button`). It ends with its client, as a mapping
 * does.
 * @typedef {object} SetClutch
 * @property {number} arm Index of the arm.
 * @property {boolean} engaged Whether the clutch is engaged.
 */

/**
 * Places a kinematic or dynamic body that this client added elsewhere at once. It does not go
 * there: to tools it is another body, which makes no force and stops nothing until the tool is
 * proven clear of it (`Ghost`). The force on a tool that touched it fades as if it had been
 * removed, and an arm that held it lets go. Its velocity ends; its target and lease end also if
 * the place is refused. In a scene with dynamic bodies the place must be free of them, for a
 * dynamic body of all bodies (`InvalidBody`). Answered when the body is there. A static body is
 * refused (`StaticBody`).
 * @typedef {object} TeleportBody
 * @property {Pose} world_from_body Its pose from now on.
 * @property {number} body Identity of the body.
 */

/**
 * Gives a dynamic body that this client added an impulse or a velocity, once. It shows some
 * ticks later; a sleeping body wakes. Answered when the scene has it. Refused if the velocity
 * would change by more than `MAX_PUSH_M_S` or `MAX_PUSH_RAD_S` (`OutOfRange`), for a body that
 * is not dynamic and in a scene of first order (`NotPermitted`).
 * @typedef {object} PushBody
 * @property {number[]} linear Impulse, N s, or velocity of the centre of mass, m/s; world.
 * @property {number[]} angular Angular impulse, N m s, in addition to that of the impulse at its point; or angular velocity, rad/s; world.
 * @property {number[]} point_m Point at which the impulse acts, m, world; ignored for a velocity.
 * @property {number} body Identity of the body.
 * @property {number} mode Impulse or velocity.
 */

/**
 * Technician: asks for the daemon's state. Answered by `Status`.
 * @typedef {Record<string, never>} GetStatus
 */

/**
 * Technician: reloads the configuration. Answered by `Done` when a tick of the loop has applied
 * its limits.
 * @typedef {Record<string, never>} Reload
 */

/**
 * Technician: shuts the daemon down in order.
 * @typedef {Record<string, never>} Shutdown
 */

/**
 * Technician: clears a latched fault of an arm, such as an emergency stop. Answered by `Done`
 * when a tick of the loop has applied it. If the cause persists, the fault returns.
 * @typedef {object} ClearFault
 * @property {number} arm Index of the arm, or `ALL_ARMS`.
 */

/**
 * Technician: undoes everything that clients have tightened on an arm (`TightenLimits`). The
 * limits of the configuration, as last reloaded, hold again. The force rises within the slew
 * limit. Answered by `Done` when a tick of the loop has applied them.
 * @typedef {object} ReleaseLimits
 * @property {number} arm Index of the arm, or `ALL_ARMS`.
 */

/**
 * The connection is accepted.
 * @typedef {object} Welcome
 * @property {bigint} magic `HAPTICD` and a zero byte: `MAGIC`.
 * @property {number} major The daemon's major version, the same as the client's.
 * @property {number} minor The daemon's minor version; both sides use the lower one.
 * @property {number} client Number of this client.
 * @property {number} lease_ms The client must send some request at least this often, ms. Otherwise it counts as silent, and the force of its bodies ramps to zero.
 * @property {number} messages_per_s Maximum number of requests per second.
 * @property {number} max_bodies Maximum number of bodies of one client.
 * @property {boolean} technician Whether this is the technician's socket.
 */

/**
 * The connection is refused; the daemon closes it after this message.
 * @typedef {object} Refused
 * @property {number} reason Reason for the refusal.
 * @property {number} major The daemon's major version.
 * @property {number} minor The daemon's minor version.
 * @property {number} client_major The client's major version, as the daemon understood it.
 * @property {number} client_minor The client's minor version.
 * @property {number} limit The limit, if the reason has one.
 */

/**
 * The request was carried out.
 * @typedef {Record<string, never>} Done
 */

/**
 * The request was not carried out.
 * @typedef {object} Error
 * @property {bigint} number Number that belongs to the code.
 * @property {bigint} limit Limit that belongs to the code.
 * @property {string} detail A sentence for people; may be empty.
 * @property {number} code Reason for the error.
 * @property {number} request Kind of the request; 0 when it was not understood.
 */

/**
 * All arms.
 * @typedef {object} Arms
 * @property {ArmInfo[]} arms The arms in the order of their indices.
 */

/**
 * One page of bodies.
 * @typedef {object} Bodies
 * @property {number} total Number of bodies in all.
 * @property {number} skipped Number of bodies that were skipped before these.
 * @property {BodyInfo[]} bodies The bodies of this page.
 */

/**
 * The requested blocks: one descriptor for each, in this order.
 * @typedef {object} Subscribed
 * @property {BlockInfo[]} blocks Descriptions of the descriptors.
 */

/**
 * The body is in the scene.
 * @typedef {object} BodyAdded
 * @property {number} body Identity of the body.
 * @property {number} triangles Number of triangles of its mesh after cleaning.
 */

/**
 * The daemon's state. Carries one descriptor: a sealed memory file with JSON text.
 * @typedef {object} Status
 * @property {bigint} bytes Length of the text in bytes.
 */

/**
 * The requested surface. Carries one descriptor: its block.
 * @typedef {object} Surface
 * @property {number} body Identity of the body.
 */

/**
 * The requested skin. Carries one descriptor: its block.
 * @typedef {object} Skin
 * @property {number} body Identity of the body.
 */

/**
 * The requested shape. Carries one descriptor: a sealed memory file with its mesh in the body's
 * frame (`mesh`, coordinates of 4 bytes). All clients that ask get the same file.
 * @typedef {object} Shape
 * @property {number} body Identity of the body, or the number that stands for the tool.
 */

/**
 * The limits that an arm's governor applies now, in the order of `TightenLimits`. Each is the
 * strictest of arm, configuration and clients, as a tick of the loop has applied it. A request
 * that no tick has applied yet is not included.
 * @typedef {object} Limits
 * @property {number} peak_force_n Largest force magnitude, N. Lower than requested if the continuous limit does not allow that peak.
 * @property {number} continuous_force_n Largest force that may be held indefinitely (root mean square), N.
 * @property {number} peak_torque_nm Largest torque magnitude, N m; 0 if the arm has no torque. Lower than requested if the continuous limit does not allow that peak.
 * @property {number} continuous_torque_nm Largest torque that may be held indefinitely (root mean square), N m; 0 if the arm has no torque.
 * @property {number} slew_n_per_s Largest rate of change of force, N/s.
 * @property {number} slew_nm_per_s Largest rate of change of torque, N m/s.
 * @property {number} velocity_m_s Tool speed above which force is cut, m/s.
 * @property {number} angular_velocity_rad_s Tool turning speed above which force is cut, rad/s.
 * @property {number} arm Index of the arm.
 */

/**
 * The effect runs from the next tick on.
 * @typedef {object} EffectSet
 * @property {number} most_force_n Force that all effects of the arm make together at most, N.
 * @property {number} effect Identity of the effect; never reused.
 */

/**
 * A body joined the scene.
 * @typedef {object} BodyJoined
 * @property {string} name Name of the body.
 * @property {number} body Identity of the body.
 * @property {number} kind Whether the body may move, and whether it keeps its shape.
 */

/**
 * A body left the scene.
 * @typedef {object} BodyLeft
 * @property {number} body Identity of the body.
 * @property {number} reason Reason for the removal.
 */

/**
 * An arm was attached.
 * @typedef {object} ArmAttached
 * @property {number} arm Index of the arm.
 */

/**
 * An arm was unplugged or failed.
 * @typedef {object} ArmLost
 * @property {number} arm Index of the arm.
 */

/**
 * The force of an arm went off, or was off already and now is for another reason. Only the
 * first is counted in `ArmState::force_offs`.
 * @typedef {object} ForceOff
 * @property {bigint} tick Tick that saw the cause.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} arm Index of the arm.
 * @property {number} reason Code of the cause (`force_off_text`).
 */

/**
 * The force of an arm is back at full authority.
 * @typedef {object} ForceOn
 * @property {bigint} tick Tick in which that happened.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} arm Index of the arm.
 */

/**
 * A lease expired: the body stopped where it was.
 * @typedef {object} LeaseExpired
 * @property {number} body Identity of the body.
 */

/**
 * This client sent nothing for the length of its lease. The force of its bodies ramps to zero
 * until it sends a request again.
 * @typedef {object} ClientSilent
 * @property {number} silent_ms How long the client had been silent, ms.
 */

/**
 * The recording stopped.
 * @typedef {object} RecordingStopped
 * @property {string} detail Reason, in words.
 */

/**
 * The configuration was reloaded and is in force.
 * @typedef {Record<string, never>} ConfigReloaded
 */

/**
 * The reloaded configuration was refused; the old one stays in force.
 * @typedef {object} ConfigRefused
 * @property {string} detail The first errors, in words.
 */

/**
 * The daemon is shutting down; force ramps to zero now.
 * @typedef {Record<string, never>} ShuttingDown
 */

/**
 * Events are missing at this place in the stream: this client, or the daemon, read too slowly.
 * @typedef {object} EventsLost
 * @property {bigint} count Number of missing events.
 */

/**
 * A tool touched a body: the first tick in which the body held it back. Sent with
 * `CONTACT_EVENTS`, as all up to `ButtonReleased`.
 * @typedef {object} Touched
 * @property {bigint} tick That tick.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} body Identity of the body. For the tool of arm `k` it is `u32::MAX - k`.
 * @property {number} arm Index of the arm.
 */

/**
 * A tool no longer touches a body: nothing of it has held the tool back for `RELEASE_NS`, or
 * the body is gone.
 * @typedef {object} Released
 * @property {bigint} tick Tick in which that was known.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {bigint} last_touch_ns Time of the last tick in which the body held the tool back, ns.
 * @property {number} body Identity of the body, as in `Touched`.
 * @property {number} arm Index of the arm.
 */

/**
 * A tool is inside a body, or overlaps it. The body is not solid to it and exerts no force
 * until the tool has moved out.
 * @typedef {object} Ghost
 * @property {bigint} tick Tick in which that was known.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} body Identity of the body, as in `Touched`.
 * @property {number} arm Index of the arm.
 */

/**
 * A tool has moved out of a body, which is solid to it from now on; or the body is gone.
 * @typedef {object} Solid
 * @property {bigint} tick Tick in which that was known.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} body Identity of the body, as in `Touched`.
 * @property {number} arm Index of the arm.
 */

/**
 * A button of an arm was pressed.
 * @typedef {object} ButtonPressed
 * @property {bigint} tick Tick that saw it.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} arm Index of the arm.
 * @property {number} button Number of the button, from 0: the bit in `ArmState::buttons`.
 */

/**
 * A button of an arm was released, or the arm was lost.
 * @typedef {object} ButtonReleased
 * @property {bigint} tick Tick that saw it.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} arm Index of the arm.
 * @property {number} button Number of the button, as in `ButtonPressed`.
 */

/**
 * An effect of this client has ended. Sent with `EVENTS`, to that client alone.
 * @typedef {object} EffectEnded
 * @property {number} effect Identity of the effect.
 * @property {number} reason Reason for the end.
 */

/**
 * An arm holds a dynamic body: by a request (`GraspBody`), or by its button. Sent with
 * `CONTACT_EVENTS`.
 * @typedef {object} Grasped
 * @property {bigint} tick Tick in which the arm took it.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} body Identity of the body.
 * @property {number} arm Index of the arm.
 */

/**
 * An arm let go of a body, which keeps its velocity; or there was none to take. Sent with
 * `CONTACT_EVENTS`.
 * @typedef {object} LetGo
 * @property {bigint} tick Tick in which that happened.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} body Identity of the body; 0 if there was none.
 * @property {number} arm Index of the arm.
 * @property {number} reason Reason.
 */

/**
 * The clutch of an arm holds its tool: by a request (`SetClutch`), or by its button. Sent with
 * `CONTACT_EVENTS`.
 * @typedef {object} ClutchEngaged
 * @property {bigint} tick Tick in which it was engaged.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} arm Index of the arm.
 */

/**
 * The clutch of an arm no longer holds its tool. Sent with `CONTACT_EVENTS`.
 * @typedef {object} ClutchReleased
 * @property {bigint} tick Tick in which it was disengaged.
 * @property {bigint} time_ns Time of that tick, ns on the daemon's monotonic clock.
 * @property {number} arm Index of the arm.
 */

/**
 * Sets how often values of the subscribed and opened blocks are sent. It holds for all of them,
 * also those that come later, and replaces the rates before. A new connection has 0. It is no
 * sign of life: the daemon does not hear of it.
 * @typedef {object} SetPushRates
 * @property {number} state_hz Values of each state, contacts and bodies block, Hz; 0 for none.
 * @property {number} surface_hz Values of each surface and skin, Hz; 0 for none.
 */

/**
 * The newest value of a block. `words` words follow: the payload's fixed words, then the
 * elements or rows that the value has. Triangles of a surface come once, in `SurfaceTriangles`.
 * @typedef {object} BlockValue
 * @property {bigint} version How often the block was published until this value.
 * @property {bigint} skipped Number of values so far that were due and not sent, since the client had not yet read what was sent before.
 * @property {number} body Identity of the body of a surface or a skin; 0 for the other blocks.
 * @property {number} words Number of words that follow.
 * @property {number} kind Kind of the block.
 * @property {number} arm Index of the arm that the block belongs to.
 */

/**
 * The triangles of a surface. It comes once, before the surface's first value. Three `u32`
 * indices of points for each triangle follow.
 * @typedef {object} SurfaceTriangles
 * @property {number} body Identity of the body.
 * @property {number} points Number of points.
 * @property {number} triangles Number of triangles that follow.
 */

/**
 * The mesh file of a `Shape`, right behind that reply. `bytes` bytes follow.
 * @typedef {object} ShapeFile
 * @property {number} body Identity of the body, or the number that stands for the tool.
 * @property {number} bytes Length of the file that follows.
 */

/** Structures within messages. */
export const RECORDS = /** @type {const} */ ({
  BodyTarget: {
    fields: [
      ["world_from_body", "pose"],
      ["speed_m_s", "positive"],
      ["body", "u32"],
      ["lease_ms", "u32"],
    ],
    reserved: 0,
  },
  ArmInfo: {
    fields: [
      ["name", "name"],
      ["world_from_base", "pose"],
      ["scale", "f64"],
      ["workspace_center_m", "f64*3"],
      ["workspace_half_extents_m", "f64*3"],
      ["peak_force_n", "limit"],
      ["continuous_force_n", "limit"],
      ["peak_torque_nm", "limit"],
      ["tool_radius_m", "f64"],
      ["period_ns", "u64"],
      ["sensed_dof", "u8"],
      ["actuated_dof", "u8"],
      ["index", "u8"],
      ["attached", "bool"],
    ],
    reserved: 4,
  },
  BodyInfo: {
    fields: [
      ["name", "name"],
      ["body", "u32"],
      ["triangles", "u32"],
      ["kind", "code:u8:BodyKind"],
      ["owned", "bool"],
    ],
    reserved: 6,
  },
  BlockInfo: {
    fields: [
      ["kind", "code:u16:BlockKind"],
      ["arm", "u16"],
    ],
    reserved: 4,
  },
});

/**
 * From client to daemon.
 * @typedef {object} RequestsFields
 * @property {Hello} Hello
 * @property {ListArms} ListArms
 * @property {ListBodies} ListBodies
 * @property {Subscribe} Subscribe
 * @property {SetBodyPose} SetBodyPose
 * @property {AddBody} AddBody
 * @property {RemoveBody} RemoveBody
 * @property {HaltBody} HaltBody
 * @property {TightenLimits} TightenLimits
 * @property {RenewLeases} RenewLeases
 * @property {SetFocus} SetFocus
 * @property {Goodbye} Goodbye
 * @property {OpenSurface} OpenSurface
 * @property {OpenSkin} OpenSkin
 * @property {OpenShape} OpenShape
 * @property {GetLimits} GetLimits
 * @property {SetBodyPoses} SetBodyPoses
 * @property {SetMaterial} SetMaterial
 * @property {AddInstance} AddInstance
 * @property {SetEffect} SetEffect
 * @property {StopEffect} StopEffect
 * @property {GraspBody} GraspBody
 * @property {ReleaseBody} ReleaseBody
 * @property {SetWorkspace} SetWorkspace
 * @property {SetClutch} SetClutch
 * @property {TeleportBody} TeleportBody
 * @property {PushBody} PushBody
 * @property {GetStatus} GetStatus
 * @property {Reload} Reload
 * @property {Shutdown} Shutdown
 * @property {ClearFault} ClearFault
 * @property {ReleaseLimits} ReleaseLimits
 */

/** From client to daemon. */
export const REQUESTS = /** @type {const} */ ({
  Hello: {
    kind: 0x0101,
    descriptors: 0,
    answers: ["Welcome", "Refused"],
    fields: [
      ["magic", "u64"],
      ["major", "u16"],
      ["minor", "u16"],
      ["features", "u32"],
      ["name", "name"],
    ],
    reserved: 0,
  },
  ListArms: {
    kind: 0x0102,
    descriptors: 0,
    answers: ["Arms"],
    fields: [
    ],
    reserved: 8,
  },
  ListBodies: {
    kind: 0x0103,
    descriptors: 0,
    answers: ["Bodies"],
    fields: [
      ["skip", "u32"],
    ],
    reserved: 4,
  },
  Subscribe: {
    kind: 0x0104,
    descriptors: 0,
    answers: ["Subscribed"],
    fields: [
      ["arm", "u8"],
      ["topics", "u8"],
    ],
    reserved: 6,
  },
  SetBodyPose: {
    kind: 0x0105,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["world_from_body", "pose"],
      ["speed_m_s", "positive"],
      ["body", "u32"],
      ["lease_ms", "u32"],
    ],
    reserved: 0,
  },
  AddBody: {
    kind: 0x0106,
    descriptors: 1,
    answers: ["BodyAdded"],
    fields: [
      ["name", "name"],
      ["world_from_body", "pose"],
      ["stiffness_n_per_m", "positive"],
      ["damping_n_s_per_m", "positive"],
      ["friction", "positive"],
      ["restitution", "positive"],
      ["density_kg_m3", "positive"],
      ["kind", "code:u8:BodyKind"],
      ["solid", "bool"],
    ],
    reserved: 6,
  },
  RemoveBody: {
    kind: 0x0107,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  HaltBody: {
    kind: 0x0108,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  TightenLimits: {
    kind: 0x0109,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["peak_force_n", "limit"],
      ["continuous_force_n", "limit"],
      ["peak_torque_nm", "limit"],
      ["continuous_torque_nm", "limit"],
      ["slew_n_per_s", "limit"],
      ["slew_nm_per_s", "limit"],
      ["velocity_m_s", "limit"],
      ["angular_velocity_rad_s", "limit"],
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  RenewLeases: {
    kind: 0x010a,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["lease_ms", "u32"],
    ],
    reserved: 4,
  },
  SetFocus: {
    kind: 0x010b,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["focused", "bool"],
    ],
    reserved: 7,
  },
  Goodbye: {
    kind: 0x010c,
    descriptors: 0,
    fields: [
    ],
    reserved: 8,
  },
  OpenSurface: {
    kind: 0x010d,
    descriptors: 0,
    answers: ["Surface"],
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  OpenSkin: {
    kind: 0x010e,
    descriptors: 0,
    answers: ["Skin"],
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  OpenShape: {
    kind: 0x010f,
    descriptors: 0,
    answers: ["Shape"],
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  GetLimits: {
    kind: 0x0110,
    descriptors: 0,
    answers: ["Limits"],
    fields: [
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  SetBodyPoses: {
    kind: 0x0111,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["targets", "list:BodyTarget:56"],
    ],
    reserved: 0,
  },
  SetMaterial: {
    kind: 0x0112,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["stiffness_n_per_m", "positive"],
      ["damping_n_s_per_m", "positive"],
      ["friction", "positive"],
      ["body", "u32"],
    ],
    reserved: 4,
  },
  AddInstance: {
    kind: 0x0113,
    descriptors: 0,
    answers: ["BodyAdded"],
    fields: [
      ["name", "name"],
      ["world_from_body", "pose"],
      ["stiffness_n_per_m", "positive"],
      ["damping_n_s_per_m", "positive"],
      ["friction", "positive"],
      ["restitution", "positive"],
      ["density_kg_m3", "positive"],
      ["of", "u32"],
      ["kind", "code:u8:BodyKind"],
    ],
    reserved: 3,
  },
  SetEffect: {
    kind: 0x0114,
    descriptors: 0,
    answers: ["EffectSet"],
    fields: [
      ["place_m", "f64*3"],
      ["axis", "f64*3"],
      ["magnitude_n", "f64"],
      ["second_n", "f64"],
      ["coefficient", "positive"],
      ["frequency_hz", "positive"],
      ["phase", "f64"],
      ["dead_band_m", "positive"],
      ["range_m", "limit"],
      ["cap_n", "positive"],
      ["delay_s", "positive"],
      ["duration_s", "limit"],
      ["attack_s", "positive"],
      ["attack_level", "positive"],
      ["fade_s", "positive"],
      ["fade_level", "positive"],
      ["effect", "u32"],
      ["arm", "u8"],
      ["kind", "code:u8:EffectKind"],
      ["waveform", "code:u8:Waveform"],
      ["shape", "code:u8:EffectShape"],
    ],
    reserved: 0,
  },
  StopEffect: {
    kind: 0x0115,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["effect", "u32"],
    ],
    reserved: 4,
  },
  GraspBody: {
    kind: 0x0116,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["body", "u32"],
      ["arm", "u8"],
    ],
    reserved: 3,
  },
  ReleaseBody: {
    kind: 0x0117,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  SetWorkspace: {
    kind: 0x0118,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["world_from_base", "pose"],
      ["scale", "positive"],
      ["max_speed_m_s", "positive"],
      ["bubble_center_m", "f64*3"],
      ["bubble_radius_m", "positive"],
      ["bubble_width_m", "positive"],
      ["bubble_speed_m_s", "positive"],
      ["bubble_stiffness_n_per_m", "positive"],
      ["bubble_cap_n", "positive"],
      ["arm", "u8"],
      ["recentre", "bool"],
    ],
    reserved: 6,
  },
  SetClutch: {
    kind: 0x0119,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["arm", "u8"],
      ["engaged", "bool"],
    ],
    reserved: 6,
  },
  TeleportBody: {
    kind: 0x011a,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["world_from_body", "pose"],
      ["body", "u32"],
    ],
    reserved: 4,
  },
  PushBody: {
    kind: 0x011b,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["linear", "f64*3"],
      ["angular", "f64*3"],
      ["point_m", "f64*3"],
      ["body", "u32"],
      ["mode", "code:u8:PushMode"],
    ],
    reserved: 3,
  },
  GetStatus: {
    kind: 0x0201,
    descriptors: 0,
    answers: ["Status"],
    fields: [
    ],
    reserved: 8,
  },
  Reload: {
    kind: 0x0202,
    descriptors: 0,
    answers: ["Done"],
    fields: [
    ],
    reserved: 8,
  },
  Shutdown: {
    kind: 0x0203,
    descriptors: 0,
    answers: ["Done"],
    fields: [
    ],
    reserved: 8,
  },
  ClearFault: {
    kind: 0x0204,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  ReleaseLimits: {
    kind: 0x0205,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["arm", "u8"],
    ],
    reserved: 7,
  },
});

/**
 * From daemon to client, with the id of a request.
 * @typedef {object} RepliesFields
 * @property {Welcome} Welcome
 * @property {Refused} Refused
 * @property {Done} Done
 * @property {Error} Error
 * @property {Arms} Arms
 * @property {Bodies} Bodies
 * @property {Subscribed} Subscribed
 * @property {BodyAdded} BodyAdded
 * @property {Status} Status
 * @property {Surface} Surface
 * @property {Skin} Skin
 * @property {Shape} Shape
 * @property {Limits} Limits
 * @property {EffectSet} EffectSet
 */

/** From daemon to client, with the id of a request. */
export const REPLIES = /** @type {const} */ ({
  Welcome: {
    kind: 0x8101,
    descriptors: 0,
    fields: [
      ["magic", "u64"],
      ["major", "u16"],
      ["minor", "u16"],
      ["client", "u32"],
      ["lease_ms", "u32"],
      ["messages_per_s", "u32"],
      ["max_bodies", "u32"],
      ["technician", "bool"],
    ],
    reserved: 3,
  },
  Refused: {
    kind: 0x8102,
    descriptors: 0,
    fields: [
      ["reason", "code:u16:RefusalReason"],
      ["major", "u16"],
      ["minor", "u16"],
      ["client_major", "u16"],
      ["client_minor", "u16"],
      ["limit", "u16"],
    ],
    reserved: 4,
  },
  Done: {
    kind: 0x8103,
    descriptors: 0,
    fields: [
    ],
    reserved: 8,
  },
  Error: {
    kind: 0x8104,
    descriptors: 0,
    fields: [
      ["number", "u64"],
      ["limit", "u64"],
      ["detail", "text:256"],
      ["code", "code:u16:ErrorCode"],
      ["request", "u16"],
    ],
    reserved: 4,
  },
  Arms: {
    kind: 0x8105,
    descriptors: 0,
    fields: [
      ["arms", "list:ArmInfo:8"],
    ],
    reserved: 0,
  },
  Bodies: {
    kind: 0x8106,
    descriptors: 0,
    fields: [
      ["total", "u32"],
      ["skipped", "u32"],
      ["bodies", "list:BodyInfo:16"],
    ],
    reserved: 0,
  },
  Subscribed: {
    kind: 0x8107,
    descriptors: "blocks",
    fields: [
      ["blocks", "list:BlockInfo:5"],
    ],
    reserved: 0,
  },
  BodyAdded: {
    kind: 0x8108,
    descriptors: 0,
    fields: [
      ["body", "u32"],
      ["triangles", "u32"],
    ],
    reserved: 0,
  },
  Status: {
    kind: 0x8109,
    descriptors: 1,
    fields: [
      ["bytes", "u64"],
    ],
    reserved: 0,
  },
  Surface: {
    kind: 0x810a,
    descriptors: 1,
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  Skin: {
    kind: 0x810b,
    descriptors: 1,
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  Shape: {
    kind: 0x810c,
    descriptors: 1,
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  Limits: {
    kind: 0x810d,
    descriptors: 0,
    fields: [
      ["peak_force_n", "limit"],
      ["continuous_force_n", "limit"],
      ["peak_torque_nm", "limit"],
      ["continuous_torque_nm", "limit"],
      ["slew_n_per_s", "limit"],
      ["slew_nm_per_s", "limit"],
      ["velocity_m_s", "limit"],
      ["angular_velocity_rad_s", "limit"],
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  EffectSet: {
    kind: 0x810e,
    descriptors: 0,
    fields: [
      ["most_force_n", "f64"],
      ["effect", "u32"],
    ],
    reserved: 4,
  },
});

/**
 * From daemon to client, with id 0.
 * @typedef {object} EventsFields
 * @property {BodyJoined} BodyJoined
 * @property {BodyLeft} BodyLeft
 * @property {ArmAttached} ArmAttached
 * @property {ArmLost} ArmLost
 * @property {ForceOff} ForceOff
 * @property {ForceOn} ForceOn
 * @property {LeaseExpired} LeaseExpired
 * @property {ClientSilent} ClientSilent
 * @property {RecordingStopped} RecordingStopped
 * @property {ConfigReloaded} ConfigReloaded
 * @property {ConfigRefused} ConfigRefused
 * @property {ShuttingDown} ShuttingDown
 * @property {EventsLost} EventsLost
 * @property {Touched} Touched
 * @property {Released} Released
 * @property {Ghost} Ghost
 * @property {Solid} Solid
 * @property {ButtonPressed} ButtonPressed
 * @property {ButtonReleased} ButtonReleased
 * @property {EffectEnded} EffectEnded
 * @property {Grasped} Grasped
 * @property {LetGo} LetGo
 * @property {ClutchEngaged} ClutchEngaged
 * @property {ClutchReleased} ClutchReleased
 */

/** From daemon to client, with id 0. */
export const EVENTS = /** @type {const} */ ({
  BodyJoined: {
    kind: 0x8201,
    descriptors: 0,
    fields: [
      ["name", "name"],
      ["body", "u32"],
      ["kind", "code:u8:BodyKind"],
    ],
    reserved: 3,
  },
  BodyLeft: {
    kind: 0x8202,
    descriptors: 0,
    fields: [
      ["body", "u32"],
      ["reason", "code:u8:RemovalReason"],
    ],
    reserved: 3,
  },
  ArmAttached: {
    kind: 0x8203,
    descriptors: 0,
    fields: [
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  ArmLost: {
    kind: 0x8204,
    descriptors: 0,
    fields: [
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  ForceOff: {
    kind: 0x8205,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["arm", "u8"],
      ["reason", "u8"],
    ],
    reserved: 6,
  },
  ForceOn: {
    kind: 0x8206,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  LeaseExpired: {
    kind: 0x8207,
    descriptors: 0,
    fields: [
      ["body", "u32"],
    ],
    reserved: 4,
  },
  ClientSilent: {
    kind: 0x8208,
    descriptors: 0,
    fields: [
      ["silent_ms", "u32"],
    ],
    reserved: 4,
  },
  RecordingStopped: {
    kind: 0x8209,
    descriptors: 0,
    fields: [
      ["detail", "text:256"],
    ],
    reserved: 0,
  },
  ConfigReloaded: {
    kind: 0x820a,
    descriptors: 0,
    fields: [
    ],
    reserved: 8,
  },
  ConfigRefused: {
    kind: 0x820b,
    descriptors: 0,
    fields: [
      ["detail", "text:256"],
    ],
    reserved: 0,
  },
  ShuttingDown: {
    kind: 0x820c,
    descriptors: 0,
    fields: [
    ],
    reserved: 8,
  },
  EventsLost: {
    kind: 0x820d,
    descriptors: 0,
    fields: [
      ["count", "u64"],
    ],
    reserved: 0,
  },
  Touched: {
    kind: 0x820e,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["body", "u32"],
      ["arm", "u8"],
    ],
    reserved: 3,
  },
  Released: {
    kind: 0x820f,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["last_touch_ns", "u64"],
      ["body", "u32"],
      ["arm", "u8"],
    ],
    reserved: 3,
  },
  Ghost: {
    kind: 0x8210,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["body", "u32"],
      ["arm", "u8"],
    ],
    reserved: 3,
  },
  Solid: {
    kind: 0x8211,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["body", "u32"],
      ["arm", "u8"],
    ],
    reserved: 3,
  },
  ButtonPressed: {
    kind: 0x8212,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["arm", "u8"],
      ["button", "u8"],
    ],
    reserved: 6,
  },
  ButtonReleased: {
    kind: 0x8213,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["arm", "u8"],
      ["button", "u8"],
    ],
    reserved: 6,
  },
  EffectEnded: {
    kind: 0x8214,
    descriptors: 0,
    fields: [
      ["effect", "u32"],
      ["reason", "code:u8:EffectEnd"],
    ],
    reserved: 3,
  },
  Grasped: {
    kind: 0x8215,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["body", "u32"],
      ["arm", "u8"],
    ],
    reserved: 3,
  },
  LetGo: {
    kind: 0x8216,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["body", "u32"],
      ["arm", "u8"],
      ["reason", "code:u8:LetGoReason"],
    ],
    reserved: 2,
  },
  ClutchEngaged: {
    kind: 0x8217,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["arm", "u8"],
    ],
    reserved: 7,
  },
  ClutchReleased: {
    kind: 0x8218,
    descriptors: 0,
    fields: [
      ["tick", "u64"],
      ["time_ns", "u64"],
      ["arm", "u8"],
    ],
    reserved: 7,
  },
});

/**
 * From client to gateway.
 * @typedef {object} GatewayRequestsFields
 * @property {SetPushRates} SetPushRates
 */

/** From client to gateway. */
export const GATEWAY_REQUESTS = /** @type {const} */ ({
  SetPushRates: {
    kind: 0x0301,
    descriptors: 0,
    answers: ["Done"],
    fields: [
      ["state_hz", "u32"],
      ["surface_hz", "u32"],
    ],
    reserved: 0,
  },
});

/**
 * From gateway to client, with id 0.
 * @typedef {object} GatewayMessagesFields
 * @property {BlockValue} BlockValue
 * @property {SurfaceTriangles} SurfaceTriangles
 * @property {ShapeFile} ShapeFile
 */

/** From gateway to client, with id 0. */
export const GATEWAY_MESSAGES = /** @type {const} */ ({
  BlockValue: {
    kind: 0x8301,
    descriptors: 0,
    fields: [
      ["version", "u64"],
      ["skipped", "u64"],
      ["body", "u32"],
      ["words", "u32"],
      ["kind", "code:u16:BlockKind"],
      ["arm", "u16"],
    ],
    reserved: 4,
  },
  SurfaceTriangles: {
    kind: 0x8302,
    descriptors: 0,
    fields: [
      ["body", "u32"],
      ["points", "u32"],
      ["triangles", "u32"],
    ],
    reserved: 4,
  },
  ShapeFile: {
    kind: 0x8303,
    descriptors: 0,
    fields: [
      ["body", "u32"],
      ["bytes", "u32"],
    ],
    reserved: 0,
  },
});

/**
 * Words 0 to 4 of every block.
 * @typedef {object} HeaderWords
 * @property {bigint} magic `HAPTICD` and a zero byte.
 * @property {number} kind Kind of the block.
 * @property {number} major The daemon's major version of the protocol.
 * @property {number} minor The daemon's minor version of the protocol.
 * @property {number} arm Index of the arm that the block belongs to; 0 for a block of the whole scene or of a body.
 * @property {number} words Number of words of the whole block.
 * @property {number} payload_words Number of words of the payload: all behind the sequence.
 * @property {number} program_patch Patch version of the daemon's program.
 * @property {number} program_minor Minor version of the daemon's program.
 * @property {number} program_major Major version of the daemon's program.
 * @property {bigint} created_ns Time at which the block was made, ns on the daemon's monotonic clock.
 */

/**
 * Words 5 to 7 of the header of a surface or a skin.
 * @typedef {object} BodyHeader
 * @property {number} body Identity of the body.
 * @property {number} points Number of points of a surface; capacity for points of each frame of a skin.
 * @property {number} triangles Number of triangles of a surface; capacity for triangles of each frame of a skin.
 */

/**
 * Newest state of an arm. Words are counted from the first word of the payload.
 * @typedef {object} ArmState
 * @property {bigint} tick Number of the tick, from 1.
 * @property {bigint} time_ns Time of the tick, ns on `CLOCK_MONOTONIC`. That clock is the same for all processes.
 * @property {Pose} world_from_device Pose of the tool as the hand holds it.
 * @property {Pose} world_from_proxy Pose of the proxy: of the tool where it is allowed to be. Applications draw this one.
 * @property {number[]} linear_velocity_m_s Velocity of the hand, m/s; 0 while a clutch holds the tool.
 * @property {number[]} angular_velocity_rad_s Angular velocity of the hand, rad/s; 0 while a clutch holds the tool.
 * @property {number[]} force_n Force sent to the arm, N.
 * @property {number[]} torque_nm Torque sent to the arm, N m.
 * @property {number[]} wanted_force_n Force of the coupling before the governor, N.
 * @property {number[]} wanted_torque_nm Torque of the coupling before the governor, N m.
 * @property {number} governor Code of the `GovernorState`.
 * @property {number} reason Code of the reason why force is off or reduced; 0 for no reason. `force_off_text` says it in words.
 * @property {number} flags A sum of `flag` bits.
 * @property {number} contacts Number of contacts in this tick.
 * @property {number} inside_body Low 16 bits of the body that the tool is inside of, with `INSIDE`. The first body or other arm's tool; otherwise 0.
 * @property {number} buttons Buttons, one bit each, starting at bit 0; 1 means pressed.
 * @property {number} snapshot_age_ticks Age of the contact data, ticks; `u32::MAX` without any.
 * @property {bigint} missed_ticks Whole periods that the loop has skipped since it started.
 * @property {bigint} compute_ns Computation time of the newest finished tick (the one before this), ns.
 * @property {bigint} lateness_ns How much later than requested the loop woke for that tick, ns.
 * @property {bigint} input_age_ns Age of the arm's sample, ns.
 * @property {number} last_force_off Code of the newest reason why force went off; 0 before the first. It is kept when force is on again.
 * @property {number} grasped_body Identity of the dynamic body that the arm holds; 0: none.
 * @property {bigint} last_force_off_tick Tick in which force went off; another reason while it is off keeps it.
 * @property {bigint} force_offs How often force went off since the loop started. Another reason while it is off is not counted.
 * @property {ArmEnergy} energy Energy of the arm's coupling.
 */

/**
 * Energy of the spring between hand and tool since the force was last off for lack of a pose, J
 * at the device.
 * @typedef {object} ArmEnergy
 * @property {number} given_j Energy given to the hand; negative if taken from it.
 * @property {number} stored_j Energy stored now.
 * @property {number} debt_j Energy given beyond what bodies put in and the arm absorbs. The arm absorbs what its own damping and friction certainly take.
 * @property {number} withheld_j Stored energy that was removed where the passivity controller acted.
 * @property {number} gain Gain of the passivity controller; 1 where it does not act.
 */

/**
 * First words of the payload of contacts and bodies.
 * @typedef {object} ListHeader
 * @property {bigint} tick Number of the tick.
 * @property {bigint} time_ns Time of the tick, ns on the daemon's monotonic clock.
 * @property {bigint} count Number of elements that follow, at most the block's limit. Words behind them are zero.
 */

/**
 * One contact. Words are counted from the first word of the contact.
 * @typedef {object} Contact
 * @property {number[]} point_m Point on the body's surface, world frame, m.
 * @property {number[]} normal Unit normal from the body to the tool, world frame.
 * @property {number} distance_m Distance between the surfaces along the normal, m; positive, since they never overlap.
 * @property {number} body Identity of the body. For the tool of arm `k` it is `u32::MAX - k`, which no body has.
 * @property {number[]} force_n Force of the body on the hand through the tool, N, world frame: this contact's share of what is sent to the arm. The shares add up to `ArmState::force_n` of the same tick where a contact holds the tool, unless a needle does so, too.
 */

/**
 * Pose of one body, and the force of the tools on it. Words are counted from the first word of
 * the body.
 * @typedef {object} BodyState
 * @property {number} body Identity of the body.
 * @property {boolean} moving True if the body has a target that it has not reached. A command shows here some ticks after it was answered.
 * @property {Pose} world_from_body Pose of the body.
 * @property {number[]} force_n Force of all arms' tools on the body, N, world frame: what hands feel at their `Contact`s with it, the other way round.
 * @property {number[]} torque_nm Torque of that force about the body's origin, N m, world frame.
 */

/**
 * Payload of the block: the needle of an arm, world frame.
 * @typedef {object} NeedleState
 * @property {bigint} tick Number of the tick.
 * @property {bigint} time_ns Time of the tick, ns on the daemon's monotonic clock.
 * @property {number} phase Code of the `NeedlePhase`.
 * @property {number} hold Code of the `NeedleHold`.
 * @property {number} layer Layer that the tip is in, from the top, from 0; 0 outside of the tissue.
 * @property {number} pierced Number of surfaces pierced since the start.
 * @property {number} held_by Layer or structure that holds the tip, as `NeedleHold` says; otherwise 0.
 * @property {number} nearest Structure nearest to the end of the needle, counted from 1 in the order of the configuration; 0 if none is near enough to be known.
 * @property {number} depth_m Length of the tip's path in the tissue, m.
 * @property {number} axial_n Force of the tissue along the axis, N; positive pushes the needle out, negative holds it back.
 * @property {number} lateral_n Force across the axis, N.
 * @property {number[]} tip_m Position of the tip, m.
 * @property {number} nearest_m Distance of that structure from the needle's surface, m; 0 where the needle goes through it, and with `nearest` 0.
 * @property {number} sure_m Distance from the needle's axis up to which no structure is missed, m; 0 outside of the tissue.
 * @property {bigint} nearest_tick Tick for which `nearest` was computed: some 20 ticks back. 0: never.
 */

/**
 * Time of a surface's points. Words are counted from the first word of the payload.
 * @typedef {object} SurfaceFrameHeader
 * @property {bigint} tick Number of the step, as the simulation counts.
 * @property {bigint} time_ns Time of the step, ns on the daemon's monotonic clock.
 * @property {bigint} lost_ns Simulated time lost since the start, ns; the body is this far behind the clock.
 */

/**
 * Description of a frame. Words are counted from the first word of the slot's payload.
 * @typedef {object} SkinFrameHeader
 * @property {SkinCounts} counts Number of points and of triangles.
 * @property {bigint} frame Number of the frame, from 1.
 * @property {bigint} tick Tick of the loop after which the body had this shape.
 * @property {bigint} time_ns Time of that, ns on the daemon's monotonic clock.
 * @property {bigint} published_ns Time of publication on the same clock; the difference is the frame's age at that time.
 * @property {number} flags A sum of `skin_flag` bits.
 * @property {number} coarser Number of levels by which cubes are coarser than wanted.
 * @property {number} cell_m Edge of the cubes, m.
 * @property {number} deviation_m Largest distance found between a point of the mesh and the surface that tools feel, m.
 * @property {number} faults Faults that the mesh's own check found in this frame.
 * @property {number} faulty_frames Frames with faults so far.
 * @property {bigint} skipped States of the body that were supplied and never shown, so far.
 * @property {number} primitives Primitives under the skin.
 * @property {number} small How many of them may be too small to be visible.
 * @property {bigint} compute_ns Processor time that the mesh took, ns.
 */

/**
 * Size of a frame, or capacity of a slot.
 * @typedef {object} SkinCounts
 * @property {number} points Number of points.
 * @property {number} triangles Number of triangles.
 */

/** Values at fixed places: name, word, bit, type. */
export const WORDS = {
  HeaderWords: {
    words: 5,
    fields: [
      ["magic", 0, 0, "u64"],
      ["kind", 1, 0, "u16"],
      ["major", 1, 16, "u16"],
      ["minor", 1, 32, "u16"],
      ["arm", 1, 48, "u16"],
      ["words", 2, 0, "u32"],
      ["payload_words", 2, 32, "u32"],
      ["program_patch", 3, 0, "u16"],
      ["program_minor", 3, 16, "u16"],
      ["program_major", 3, 32, "u16"],
      ["created_ns", 4, 0, "u64"],
    ],
  },
  BodyHeader: {
    words: 3,
    fields: [
      ["body", 0, 0, "u32"],
      ["points", 1, 0, "u32"],
      ["triangles", 1, 32, "u32"],
    ],
  },
  ArmState: {
    words: 48,
    fields: [
      ["tick", 0, 0, "u64"],
      ["time_ns", 1, 0, "u64"],
      ["world_from_device", 2, 0, "pose"],
      ["world_from_proxy", 9, 0, "pose"],
      ["linear_velocity_m_s", 16, 0, "f64*3"],
      ["angular_velocity_rad_s", 19, 0, "f64*3"],
      ["force_n", 22, 0, "f64*3"],
      ["torque_nm", 25, 0, "f64*3"],
      ["wanted_force_n", 28, 0, "f64*3"],
      ["wanted_torque_nm", 31, 0, "f64*3"],
      ["governor", 34, 0, "u8"],
      ["reason", 34, 8, "u8"],
      ["flags", 34, 16, "u16"],
      ["contacts", 34, 32, "u16"],
      ["inside_body", 34, 48, "u16"],
      ["buttons", 35, 0, "u32"],
      ["snapshot_age_ticks", 35, 32, "u32"],
      ["missed_ticks", 36, 0, "u64"],
      ["compute_ns", 37, 0, "u64"],
      ["lateness_ns", 38, 0, "u64"],
      ["input_age_ns", 39, 0, "u64"],
      ["last_force_off", 40, 0, "u8"],
      ["grasped_body", 40, 32, "u32"],
      ["last_force_off_tick", 41, 0, "u64"],
      ["force_offs", 42, 0, "u64"],
      ["energy", 43, 0, "words:ArmEnergy"],
    ],
  },
  ArmEnergy: {
    words: 5,
    fields: [
      ["given_j", 0, 0, "f64"],
      ["stored_j", 1, 0, "f64"],
      ["debt_j", 2, 0, "f64"],
      ["withheld_j", 3, 0, "f64"],
      ["gain", 4, 0, "f64"],
    ],
  },
  ListHeader: {
    words: 3,
    fields: [
      ["tick", 0, 0, "u64"],
      ["time_ns", 1, 0, "u64"],
      ["count", 2, 0, "u64"],
    ],
  },
  Contact: {
    words: 11,
    fields: [
      ["point_m", 0, 0, "f64*3"],
      ["normal", 3, 0, "f64*3"],
      ["distance_m", 6, 0, "f64"],
      ["body", 7, 0, "u32"],
      ["force_n", 8, 0, "f64*3"],
    ],
  },
  BodyState: {
    words: 14,
    fields: [
      ["body", 0, 0, "u32"],
      ["moving", 0, 32, "bool"],
      ["world_from_body", 1, 0, "pose"],
      ["force_n", 8, 0, "f64*3"],
      ["torque_nm", 11, 0, "f64*3"],
    ],
  },
  NeedleState: {
    words: 13,
    fields: [
      ["tick", 0, 0, "u64"],
      ["time_ns", 1, 0, "u64"],
      ["phase", 2, 0, "u8"],
      ["hold", 2, 8, "u8"],
      ["layer", 2, 16, "u16"],
      ["pierced", 2, 32, "u32"],
      ["held_by", 3, 0, "u32"],
      ["nearest", 3, 32, "u32"],
      ["depth_m", 4, 0, "f64"],
      ["axial_n", 5, 0, "f64"],
      ["lateral_n", 6, 0, "f64"],
      ["tip_m", 7, 0, "f64*3"],
      ["nearest_m", 10, 0, "f64"],
      ["sure_m", 11, 0, "f64"],
      ["nearest_tick", 12, 0, "u64"],
    ],
  },
  SurfaceFrameHeader: {
    words: 3,
    fields: [
      ["tick", 0, 0, "u64"],
      ["time_ns", 1, 0, "u64"],
      ["lost_ns", 2, 0, "u64"],
    ],
  },
  SkinFrameHeader: {
    words: 16,
    fields: [
      ["counts", 0, 0, "words:SkinCounts"],
      ["frame", 1, 0, "u64"],
      ["tick", 2, 0, "u64"],
      ["time_ns", 3, 0, "u64"],
      ["published_ns", 4, 0, "u64"],
      ["flags", 5, 0, "u32"],
      ["coarser", 5, 32, "u32"],
      ["cell_m", 6, 0, "f64"],
      ["deviation_m", 7, 0, "f64"],
      ["faults", 8, 0, "u32"],
      ["faulty_frames", 8, 32, "u32"],
      ["skipped", 9, 0, "u64"],
      ["primitives", 10, 0, "u32"],
      ["small", 10, 32, "u32"],
      ["compute_ns", 11, 0, "u64"],
    ],
  },
  SkinCounts: {
    words: 1,
    fields: [
      ["points", 0, 0, "u32"],
      ["triangles", 0, 32, "u32"],
    ],
  },
};

/** Payloads of blocks by kind. */
export const BLOCKS = {
  1: { name: "State", payload: "ArmState" },
  2: { name: "Contacts", payload: "ListHeader", list: { of: "Contact", max: 32 } },
  3: { name: "Bodies", payload: "ListHeader", list: { of: "BodyState", max: 64 } },
  7: { name: "Needle", payload: "NeedleState" },
  5: { name: "Surface", payload: "SurfaceFrameHeader", rows: [["points", "f32"], ["triangles", "u32"]] },
  6: { name: "Skin", payload: "SkinFrameHeader", rows: [["points", "f32"], ["normals", "f32"], ["velocities", "f32"], ["triangles", "u32"]] },
};
