/*
 * hapticd.h - reads the state of haptic arms from the hapticd daemon, and adds bodies that they can
 * touch. Link with -lhapticd (pkg-config hapticd, or the CMake target hapticd::hapticd).
 *
 *     hd_error error = HD_INIT(hd_error);
 *     hd_client *client = NULL;
 *     hd_subscription *arm = NULL;
 *     hd_arm_state state = HD_INIT(hd_arm_state);
 *     if (hd_connect(HD_ABI_VERSION, HD_TEXT("my program"), &client, &error) != HD_OK ||
 *         hd_subscribe(client, 0, HD_TOPIC_STATE | HD_TOPIC_WAKE, &arm, &error) != HD_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *     else
 *         while (hd_wait_tick(arm, state.tick, 1000, &state) == HD_OK)
 *             draw(&state.world_from_proxy);
 *     hd_subscription_free(arm);
 *     hd_client_free(client);
 *
 * UNITS AND FRAMES. Metres, newtons, newton metres, radians, seconds; names say so. Frames are
 * right-handed, z up. `world_from_body` maps points of the body's frame to the world: p_world =
 * rotation * p_body + position. Quaternions are x, y, z, w. Times are ns on CLOCK_MONOTONIC, which
 * is the same for all processes (hd_now_ns).
 *
 * RESULTS. Functions that may fail return a status: HD_OK (0) or more for done, less than 0 for not
 * done. Outputs are written only when it is done, unless a function says otherwise. Many take an
 * `hd_error *` last, which may be NULL: it is the caller's memory, written only when the status is
 * less than 0.
 *
 * STRUCTS THAT GROW begin with `struct_size`: set it with HD_INIT, as above, or a call returns
 * HD_INVALID. A library that knows more fields than the program writes only those that the program
 * knows; fields that the library does not know become 0.
 *
 * MEMORY. Buffers and structs are the caller's, at any alignment; the library keeps no pointer to
 * them. A count says how many elements (of three numbers each) a buffer holds. Strings go in as
 * pointer and length (UTF-8, without a NUL); they come out in arrays and end with a NUL. Returned
 * `const char *` are constant for the life of the process; never free one. Each handle has one
 * `_free`, which takes NULL. A subscription, surface, skin or shape outlives its client.
 *
 * THREADS. A client is for one thread at a time; a second one gets HD_IN_USE. Functions that take a
 * `const hd_subscription *` may be called by any number of threads at once. A surface, skin or
 * shape is for one thread at a time (HD_IN_USE). No handle may be freed while another thread uses
 * it. The library has no threads of its own, calls nothing back, handles no signal, sets no locale and
 * prints nothing (but see PANICS). A signal that the program handles does not end a wait early.
 *
 * REAL TIME. "Real-time safe" functions take bounded time, allocate nothing, take no lock and make
 * no system call. All others may do all of that.
 *
 * FORK. In a forked child, handles of its parent may not be used or freed: call exec or _exit. All
 * descriptors are closed by exec.
 *
 * PANICS. A mistake in the library prints a line on stderr and ends the call, not the process, with
 * HD_PANIC. The handle then takes nothing but its `_free`.
 *
 * WHEN THE DAEMON IS GONE, calls return HD_GONE. Blocks keep their last value. Free the handles and
 * connect again: identities are new.
 */
#ifndef HAPTICD_H
#define HAPTICD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface: major * 65536 + minor. Programs built for another major version are
 * refused when they connect. Minor versions append. Independent of the daemon's version. */
#define HD_ABI_VERSION 0x00010000u

/* Initialises a struct that grows: hd_error error = HD_INIT(hd_error); */
#ifdef __cplusplus
#define HD_INIT(type) ::hd_init_<type>()
#else
#define HD_INIT(type) {.struct_size = (uint32_t)sizeof(type)}
#endif

/* Passes a string literal as pointer and length. */
#define HD_TEXT(literal) ("" literal), (sizeof(literal) - 1)

/* ---- Status ---- */

#define HD_OK 0
#define HD_EVENT 1              /* hd_client_poll: an event was written */
#define HD_HELD 1               /* hd_predict_*: the pose is held, not extrapolated to that time */
#define HD_INVALID (-1)         /* the caller's fault: NULL, a length, a size, no UTF-8, a value */
#define HD_NOT_SUBSCRIBED (-2)  /* this block was not subscribed to */
#define HD_NOT_YET (-3)         /* nothing was published yet: try again later */
#define HD_BUSY (-4)            /* the writer was met at each attempt: keep the last value */
#define HD_GONE (-5)            /* the daemon has closed the connection */
#define HD_TIMEOUT (-6)         /* no answer, or no tick, in time */
#define HD_REFUSED (-7)         /* the daemon refused the request: `daemon_code`, number, limit */
#define HD_NO_DAEMON (-8)       /* no daemon listens there */
#define HD_UNTRUSTED (-9)       /* what listens there belongs to another user: nothing was sent */
#define HD_NOT_ADMITTED (-10)   /* the daemon refused the connection: `number` is HD_ADMISSION_* */
#define HD_MALFORMED (-11)      /* the daemon's answer is not understood; the daemon's fault */
#define HD_BLOCK (-12)          /* a shared block is not usable; the daemon's fault */
#define HD_SYSTEM (-13)         /* the system refused: `number` is errno */
#define HD_PENDING (-14)        /* the body was not added in time and may still come */
#define HD_VERSION (-15)        /* the program was built for another major version */
#define HD_CAPACITY (-16)       /* a buffer is too small: `number` needed, `limit` given */
#define HD_IN_USE (-17)         /* another thread is using this handle; the caller's fault */
#define HD_WOULD_WAIT (-18)     /* the daemon takes nothing now; nothing was sent */
#define HD_PANIC (-19)          /* a mistake in the library; the handle takes nothing but _free */

/* ---- Codes and limits of the protocol. Compare; do not switch without a default: daemons of a
 * later minor version may send others. ---- */

#define HD_MAX_BODIES 64u
#define HD_MAX_CONTACTS 32u
#define HD_EFFECTS_PER_ARM 8u
#define HD_MAX_TARGETS 56u
#define HD_ALL_ARMS 255u                                  /* where a function says so */
#define HD_TOOL(arm) (UINT32_MAX - (uint32_t)(arm))       /* an arm's tool, where a body is named */

/* What hd_subscribe asks for; a sum. */
#define HD_TOPIC_STATE 1u
#define HD_TOPIC_CONTACTS 2u
#define HD_TOPIC_BODIES 4u
#define HD_TOPIC_WAKE 8u
#define HD_TOPIC_EVENTS 16u
#define HD_TOPIC_CONTACT_EVENTS 32u /* HD_EVENT_TOUCHED and what follows it */
#define HD_TOPIC_NEEDLE 64u
#define HD_TOPIC_ALL 127u

/* hd_arm_state.flags; a sum. */
#define HD_FLAG_ATTACHED 1u  /* the arm is attached and its pose is known */
#define HD_FLAG_TOUCHING 2u  /* the tool touches something */
#define HD_FLAG_STARVED 4u   /* the certificate or the tick's budget held the tool back */
#define HD_FLAG_STALE 8u     /* the contact data are older than the limit */
#define HD_FLAG_STOPPING 16u /* the daemon is shutting down */
#define HD_FLAG_INSIDE 32u   /* the tool is inside a body, or overlaps it */
#define HD_FLAG_CLUTCHED 64u /* a clutch holds the tool: the hand moves without force */
#define HD_FLAG_DRIVEN 128u  /* the hand is outside of the bubble and drives the arm's frame */

/* hd_arm_state.governor. */
#define HD_GOVERNOR_DISENGAGED 0u
#define HD_GOVERNOR_WAITING_SMALL_FORCE 1u
#define HD_GOVERNOR_RAMPING 2u
#define HD_GOVERNOR_ACTIVE 3u
#define HD_GOVERNOR_FADING 4u
#define HD_GOVERNOR_FAULT 5u

/* Kinds of bodies. Only the first three can be added. */
#define HD_BODY_STATIC 0u
#define HD_BODY_KINEMATIC 1u /* a client moves it */
#define HD_BODY_DYNAMIC 2u   /* forces move it */
#define HD_BODY_SOFT 3u      /* shown by its surface, like the next two */
#define HD_BODY_CLOTH 4u
#define HD_BODY_CROWD 5u
#define HD_BODY_IMPLICIT 6u  /* shown by its skin */

/* hd_event.kind. */
#define HD_EVENT_POST_REFUSED 1u /* a posted request was refused: `daemon_code` and its numbers */
#define HD_EVENT_BODY_JOINED 0x8201u
#define HD_EVENT_BODY_LEFT 0x8202u /* `reason` is HD_REMOVAL_* */
#define HD_EVENT_ARM_ATTACHED 0x8203u
#define HD_EVENT_ARM_LOST 0x8204u
#define HD_EVENT_FORCE_OFF 0x8205u /* `reason`: hd_reason_text */
#define HD_EVENT_FORCE_ON 0x8206u
#define HD_EVENT_LEASE_EXPIRED 0x8207u
#define HD_EVENT_CLIENT_SILENT 0x8208u /* `count`: for how long, ms */
#define HD_EVENT_RECORDING_STOPPED 0x8209u
#define HD_EVENT_CONFIG_RELOADED 0x820au
#define HD_EVENT_CONFIG_REFUSED 0x820bu
#define HD_EVENT_SHUTTING_DOWN 0x820cu
#define HD_EVENT_EVENTS_LOST 0x820du /* `count`: how many */
#define HD_EVENT_TOUCHED 0x820eu  /* a body held the tool back, and did not before */
#define HD_EVENT_RELEASED 0x820fu /* it has not for 20 ms, since `last_touch_ns` */
#define HD_EVENT_GHOST 0x8210u    /* the tool is inside a body, which makes no force */
#define HD_EVENT_SOLID 0x8211u    /* the tool is out of it */
#define HD_EVENT_BUTTON_PRESSED 0x8212u
#define HD_EVENT_BUTTON_RELEASED 0x8213u
#define HD_EVENT_EFFECT_ENDED 0x8214u /* `number`: which; `reason` is HD_EFFECT_END_* */
#define HD_EVENT_GRASPED 0x8215u /* `arm` holds `body` */
#define HD_EVENT_LET_GO 0x8216u  /* it does not any more; `reason` is HD_LET_GO_* */
#define HD_EVENT_CLUTCH_ENGAGED 0x8217u  /* the clutch of `arm` holds its tool */
#define HD_EVENT_CLUTCH_RELEASED 0x8218u /* it does not any more */

/* hd_needle.phase. */
#define HD_NEEDLE_ABSENT 0u
#define HD_NEEDLE_FREE 1u
#define HD_NEEDLE_TOUCHING 2u /* the tip dents the surface */
#define HD_NEEDLE_INSERTED 3u

/* hd_needle.hold: what holds the tip. */
#define HD_HOLD_FRICTION 0u
#define HD_HOLD_LAYER 1u    /* the surface of layer `held_by`, from the top, from 0 */
#define HD_HOLD_MEMBRANE 2u /* structure `held_by`, which can be pierced, from 0 */
#define HD_HOLD_BONE 3u     /* structure `held_by`, which cannot */
#define HD_HOLD_BORDER 4u   /* the side of the tissue */
#define HD_HOLD_HUB 5u      /* all of the needle is in */

/* Why an effect ended that was not stopped. */
#define HD_EFFECT_END_FINISHED 0u
#define HD_EFFECT_END_CLIENT_SILENT 1u

/* Why an arm let go of a body. */
#define HD_LET_GO_ORDERED 0u
#define HD_LET_GO_NOTHING_THERE 1u /* there was none to take; `body` is 0 */
#define HD_LET_GO_BODY_GONE 2u
#define HD_LET_GO_BODY_SILENT 3u   /* the client of the body is silent, or out of focus */
#define HD_LET_GO_ARM_LOST 4u
#define HD_LET_GO_STRETCHED 5u     /* the body was caught, and the hand pulled on */
#define HD_LET_GO_CLIENTS_UNSERVED 6u
#define HD_LET_GO_HOLDER_GONE 7u   /* its client is gone, silent or out of focus */

/* hd_effect.kind; docs/design/effects.md has the laws. */
#define HD_EFFECT_CONSTANT 0u
#define HD_EFFECT_RAMP 1u
#define HD_EFFECT_PERIODIC 2u
#define HD_EFFECT_SPRING 3u   /* a pull to the shape: guidance */
#define HD_EFFECT_DAMPER 4u   /* a viscous field */
#define HD_EFFECT_FRICTION 5u
#define HD_EFFECT_INERTIA 6u
#define HD_EFFECT_MAGNET 7u
#define HD_EFFECT_BARRIER 8u  /* a forbidden region */

/* hd_effect.waveform. */
#define HD_WAVE_SINE 0u
#define HD_WAVE_TRIANGLE 1u
#define HD_WAVE_SQUARE 2u
#define HD_WAVE_SAW_UP 3u
#define HD_WAVE_SAW_DOWN 4u

/* hd_effect.shape. */
#define HD_SHAPE_POINT 0u
#define HD_SHAPE_LINE 1u  /* through the place along the axis */
#define HD_SHAPE_PLANE 2u /* its normal is the axis */

/* hd_push.mode. */
#define HD_PUSH_IMPULSE 0u  /* adds to the velocity */
#define HD_PUSH_VELOCITY 1u /* sets it */

#define HD_REMOVAL_REQUESTED 0u
#define HD_REMOVAL_CLIENT_GONE 1u
#define HD_REMOVAL_CONFIGURATION 2u

/* Why the daemon did not admit a client (HD_NOT_ADMITTED). */
#define HD_ADMISSION_NOT_HELLO 1u
#define HD_ADMISSION_VERSION_MISMATCH 2u
#define HD_ADMISSION_TOO_MANY_CLIENTS 3u
#define HD_ADMISSION_NOT_PERMITTED 4u
#define HD_ADMISSION_SHUTTING_DOWN 5u

/* hd_error.daemon_code: why the daemon refused a request. */
#define HD_CODE_MALFORMED 1u
#define HD_CODE_TECHNICIAN_ONLY 2u
#define HD_CODE_NO_SUCH_ARM 3u
#define HD_CODE_NO_SUCH_BODY 4u
#define HD_CODE_NOT_PERMITTED 5u
#define HD_CODE_STATIC_BODY 6u
#define HD_CODE_TOO_MANY_MESSAGES 7u
#define HD_CODE_TOO_MANY_BODIES 8u
#define HD_CODE_MESH_TOO_LARGE 9u
#define HD_CODE_SCENE_FULL 10u
#define HD_CODE_NAME_TAKEN 11u
#define HD_CODE_INVALID_MESH 12u
#define HD_CODE_INVALID_DESCRIPTOR 13u
#define HD_CODE_OUT_OF_RANGE 14u
#define HD_CODE_BUSY 15u
#define HD_CODE_SHUTTING_DOWN 16u
#define HD_CODE_INTERNAL 17u
#define HD_CODE_OUT_OF_ORDER 18u
#define HD_CODE_CONFIG_REFUSED 19u
#define HD_CODE_DEFORMABLE_BODY 20u
#define HD_CODE_NO_SURFACE 21u
#define HD_CODE_NO_SKIN 22u
#define HD_CODE_NO_SHAPE 23u
#define HD_CODE_LIMITS_REFUSED 24u
#define HD_CODE_INVALID_BODY 25u
#define HD_CODE_NO_SUCH_EFFECT 26u
#define HD_CODE_TOO_MANY_EFFECTS 27u

/* hd_skin_frame.flags; a sum. */
#define HD_SKIN_CLIPPED 1u      /* cut off at the box of its cubes */
#define HD_SKIN_COARSE 2u       /* cubes are larger than asked for */
#define HD_SKIN_FAULTY 4u       /* the mesh's own check found faults */
#define HD_SKIN_SMALL 8u        /* primitives smaller than a cube may be invisible */
#define HD_SKIN_UNCONTROLLED 16u /* primitives blend that must not */
#define HD_SKIN_CREASED 32u     /* parts that must not blend meet in a crease */

/* ---- Structs ---- */

typedef struct hd_client hd_client;             /* a connection */
typedef struct hd_subscription hd_subscription; /* the shared blocks of an arm */
typedef struct hd_shape hd_shape;               /* the constant mesh of a body or a tool */
typedef struct hd_surface hd_surface;           /* the surface of a body that yields */
typedef struct hd_skin hd_skin;                 /* the skin of an implicit body */

typedef struct hd_error {
    uint32_t struct_size;
    int32_t status;       /* the status that was returned */
    uint32_t daemon_code; /* HD_CODE_*, where the daemon refused a request; else 0 */
    uint32_t reserved;
    uint64_t number;      /* what it says of the status or the code; else 0 */
    uint64_t limit;       /* the limit that belongs to `number`; else 0 */
    char message[320];    /* a sentence for people */
} hd_error;

/* A rigid transform. The quaternion has length 1 within 1e-3. Does not grow. */
typedef struct hd_pose {
    double position_m[3];
    double rotation_xyzw[4];
} hd_pose;

/* How to connect. */
typedef struct hd_connect_options {
    uint32_t struct_size;
    uint32_t abi_version;  /* HD_ABI_VERSION */
    const char *name;      /* 1 to 63 bytes on one line; technicians see it */
    size_t name_length;
    const char *socket;    /* path of the socket; NULL for the default one */
    size_t socket_length;
    int32_t patience_ms;   /* how long to wait for a daemon that is starting; below 0: for ever */
    int32_t timeout_ms;    /* as hd_client_set_timeout_ms; 0 for 10 s. The hello has 10 s */
} hd_connect_options;

typedef struct hd_welcome {
    uint32_t struct_size;
    uint32_t client;         /* number of this client */
    uint32_t protocol_major; /* the daemon's version of the protocol */
    uint32_t protocol_minor;
    uint32_t lease_ms;       /* the daemon must hear from a client with bodies this often */
    uint32_t messages_per_s; /* most messages a second */
    uint32_t max_bodies;     /* most bodies of one client */
    uint32_t technician;     /* 1 on the technician's socket, else 0 */
} hd_welcome;

typedef struct hd_arm_info {
    uint32_t struct_size;
    uint32_t index;            /* of the arm, in all calls */
    char name[64];
    hd_pose world_from_base;
    double scale;              /* world metres per device metre */
    double workspace_center_m[3];       /* in the base's frame */
    double workspace_half_extents_m[3];
    double peak_force_n;       /* largest force now; infinite for no limit, as in the next two */
    double continuous_force_n;
    double peak_torque_nm;
    double tool_radius_m;      /* of a ball; 0 for a mesh */
    uint64_t period_ns;        /* nominal period of the loop */
    uint32_t sensed_dof;
    uint32_t actuated_dof;
    uint32_t attached;         /* 0 or 1 */
    uint32_t reserved;
} hd_arm_info;

typedef struct hd_body_info {
    uint32_t struct_size;
    uint32_t body;      /* identity; never used again */
    char name[64];
    uint32_t triangles; /* of its mesh or surface; the most that a frame of its skin may have */
    uint32_t kind;      /* HD_BODY_* */
    uint32_t owned;     /* 1 if this client added it, else 0 */
    uint32_t reserved;
} hd_body_info;

/* Limits of an arm's governor. Infinite: no limit. */
typedef struct hd_limits {
    uint32_t struct_size;
    uint32_t arm;                  /* written by hd_get_limits; hd_tighten_limits ignores it */
    double peak_force_n;
    double continuous_force_n;     /* that may be held for ever (root mean square) */
    double peak_torque_nm;
    double continuous_torque_nm;
    double slew_n_per_s;
    double slew_nm_per_s;
    double velocity_m_s;           /* above which force is cut */
    double angular_velocity_rad_s;
} hd_limits;

/* The newest state of an arm: world frame; wrenches act on the hand, at the tool's origin. */
typedef struct hd_arm_state {
    uint32_t struct_size;
    uint32_t flags;             /* HD_FLAG_*, a sum */
    uint64_t tick;              /* number of the tick, from 1 */
    int64_t time_ns;            /* time of the tick */
    hd_pose world_from_device;  /* the tool as the hand holds it */
    hd_pose world_from_proxy;   /* the tool where it may be: draw this one */
    double linear_velocity_m_s[3];     /* of the hand (not of the proxy), at the tool's origin */
    double angular_velocity_rad_s[3];  /* of the hand */
    double force_n[3];          /* sent to the arm */
    double torque_nm[3];
    double wanted_force_n[3];   /* of the coupling, before the governor */
    double wanted_torque_nm[3];
    uint32_t governor;          /* HD_GOVERNOR_* */
    uint32_t reason;            /* why force is off or reduced, 0 for none: hd_reason_text */
    uint32_t contacts;          /* number of contacts in this tick */
    uint32_t inside_body;       /* low 16 bits of the body around the tool (HD_FLAG_INSIDE) */
    uint32_t buttons;           /* a bit each, from bit 0; 1: pressed */
    uint32_t snapshot_age_ticks; /* age of the contact data; UINT32_MAX without any */
    uint64_t missed_ticks;      /* whole periods that the loop has skipped */
    int64_t compute_ns;         /* computation time of the tick before this one */
    int64_t lateness_ns;        /* how late the loop woke for it */
    int64_t input_age_ns;       /* age of the arm's sample */
    uint32_t last_force_off;    /* newest reason why force went off; 0 before the first */
    uint32_t grasped_body;      /* dynamic body that the arm holds; 0: none */
    uint64_t last_force_off_tick;
    uint64_t force_offs;        /* how often force went off */
    double energy_given_j;      /* energy of the coupling, at the device: given to the hand */
    double energy_stored_j;
    double energy_debt_j;       /* given beyond what bodies put in and the arm absorbs */
    double energy_withheld_j;   /* removed by the passivity controller */
    double energy_gain;         /* of that controller; 1 where it does not act */
} hd_arm_state;

/* A contact. Does not grow. */
typedef struct hd_contact {
    double point_m[3];  /* on the body's surface */
    double normal[3];   /* unit, from the body to the tool */
    double distance_m;  /* between the surfaces; above 0 */
    double force_n[3];  /* of the body on the hand; all add up to the state's force_n */
    uint32_t body;      /* HD_TOOL(k) for the tool of arm k */
    uint32_t reserved;
} hd_contact;

typedef struct hd_contacts {
    uint32_t struct_size;
    uint32_t count;
    uint64_t tick;
    int64_t time_ns;
    hd_contact contacts[HD_MAX_CONTACTS]; /* the first `count`; the others are 0 */
} hd_contacts;

/* A rigid body in a tick. Does not grow. */
typedef struct hd_body_state {
    uint32_t body;
    uint32_t moving;      /* 1 if it has a target that it has not reached, else 0 */
    hd_pose world_from_body;
    double force_n[3];    /* of all arms' tools on it */
    double torque_nm[3];  /* about its origin */
} hd_body_state;

typedef struct hd_bodies {
    uint32_t struct_size;
    uint32_t count;
    uint64_t tick;
    int64_t time_ns;
    hd_body_state bodies[HD_MAX_BODIES]; /* the first `count`; the others are 0 */
} hd_bodies;

/* The needle at an arm's tool. */
typedef struct hd_needle {
    uint32_t struct_size;
    uint32_t phase;     /* HD_NEEDLE_* */
    uint64_t tick;
    int64_t time_ns;
    uint32_t hold;      /* HD_HOLD_* */
    uint32_t held_by;
    uint32_t pierced;   /* surfaces, since the start */
    uint32_t layer;     /* that the tip is in, from the top, from 0; 0 outside */
    double depth_m;     /* length of the tip's path in the tissue */
    double axial_n;     /* force of the tissue along the axis; above 0 it pushes the needle out */
    double lateral_n;   /* across the axis */
    double tip_m[3];
    uint32_t nearest;   /* structure nearest to the needle's end, from 1; 0: none is known */
    uint32_t reserved;
    double nearest_m;   /* its distance from the needle's surface */
    double sure_m;      /* distance from the axis up to which none is missed; 0 outside */
    uint64_t nearest_tick; /* tick for which these were computed; 0: never */
} hd_needle;

/* Moves a kinematic body: towards the pose, no point of it faster than the speed (at most 20 m/s).
 * When the lease ends without another command the body stops. */
typedef struct hd_pose_command {
    uint32_t struct_size;
    uint32_t body;
    hd_pose world_from_body;
    double speed_m_s;
    uint32_t lease_ms; /* 1 to ipc.max_lease_ms of the daemon's configuration (1000) */
    uint32_t reserved;
} hd_pose_command;

/* One of several bodies to move, as hd_pose_command does. Does not grow. */
typedef struct hd_body_target {
    hd_pose world_from_body;
    double speed_m_s;
    uint32_t body;
    uint32_t lease_ms;
} hd_body_target;

/* The surface of a body. */
typedef struct hd_material {
    uint32_t struct_size;
    uint32_t reserved;
    double stiffness_n_per_m; /* 1 to 100,000; the arm renders what it can render stably */
    double damping_n_s_per_m; /* 0 to 1000 */
    double friction;          /* Coulomb's coefficient, 0 to 2 */
} hd_material;

/* A force in addition to contact. Lengths and directions are the world's; newtons, stiffness,
 * damping and mass are what the hand feels. What a kind does not read is ignored. */
typedef struct hd_effect {
    uint32_t struct_size;
    uint32_t arm;
    uint32_t kind;       /* HD_EFFECT_* */
    uint32_t waveform;   /* HD_WAVE_* */
    uint32_t shape;      /* HD_SHAPE_* */
    uint32_t reserved;
    double place_m[3];   /* a point of the shape */
    double axis[3];      /* of the force, the line or the normal; of any length but 0 */
    double magnitude_n;  /* force, amplitude, largest pull, friction; first force of a ramp */
    double second_n;     /* last force of a ramp, offset of a vibration */
    double coefficient;  /* N/m, N s/m or kg */
    double frequency_hz; /* 0 to 400 */
    double phase;        /* periods, -1 to 1 */
    double dead_band_m;  /* a spring does not pull up to here */
    double range_m;      /* reach of a magnet or field, radius of a barrier; 0: everywhere */
    double cap_n;        /* the force is never longer; 0: 100 N */
    double delay_s;
    double duration_s;   /* 0: until it is stopped */
    double attack_s;     /* a driven force goes from `attack_level` (0 to 1) to the whole */
    double attack_level;
    double fade_s;       /* and to `fade_level` before its end */
    double fade_level;
} hd_effect;

/* Where an arm works: a hand at s (m at the device) holds the tool at base * (scale * s), plus what
 * clutch and bubble have added. docs/design/workspace.md has the laws. hd_arm_info has the pose and
 * the scale of the configuration. */
typedef struct hd_workspace {
    uint32_t struct_size;
    uint32_t arm;
    uint32_t recentre;               /* 1: what clutch and bubble have added goes back to zero */
    uint32_t reserved;
    hd_pose world_from_base;
    double scale;                    /* world metres per device metre, 0.01 to 100 */
    double max_speed_m_s;            /* of the tool, by the frame's motion: 0.001 to 20 */
    double bubble_center_m[3];       /* m at the device, base frame */
    double bubble_radius_m;          /* m at the device; 0: no bubble */
    double bubble_width_m;           /* depth outside at full speed; 0.001 or more with a bubble */
    double bubble_speed_m_s;         /* that speed, in the world */
    double bubble_stiffness_n_per_m; /* pulls the hand back; at the device */
    double bubble_cap_n;             /* most of that force */
} hd_workspace;

/* What a dynamic body is given, once; in the world. */
typedef struct hd_push {
    uint32_t struct_size;
    uint32_t body;
    uint32_t mode;     /* HD_PUSH_* */
    uint32_t reserved;
    double linear[3];  /* impulse, N s, or velocity of the centre of mass, m/s */
    double angular[3]; /* impulse beyond that of `linear` at its point, N m s, or velocity, rad/s */
    double point_m[3]; /* where the impulse acts; ignored for a velocity */
} hd_push;

/* A body to add. Coordinates are in the body's frame, m. */
typedef struct hd_body_spec {
    uint32_t struct_size;
    uint32_t kind;              /* HD_BODY_STATIC, _KINEMATIC or _DYNAMIC */
    const char *name;           /* unique in the scene; 1 to 63 bytes on one line */
    size_t name_length;
    const double *positions_m;  /* three for each vertex */
    size_t vertex_count;
    const uint32_t *triangles;  /* three indices of vertices for each; counter-clockwise outside */
    size_t triangle_count;
    hd_pose world_from_body;
    double stiffness_n_per_m;   /* 1 to 100,000 */
    double damping_n_s_per_m;   /* 0 to 1000 */
    double friction;            /* Coulomb's coefficient, 0 to 2 */
    double restitution;         /* 0 to 1 */
    double density_kg_m3;       /* of a dynamic body, 1 to 30,000; otherwise 0 will do */
    uint32_t solid;             /* 1: closed and oriented outward; 0: an open sheet is allowed */
    uint32_t reserved;
} hd_body_spec;

/* A request of the protocol as bytes, for hd_exchange. */
typedef struct hd_request {
    uint32_t struct_size;
    uint32_t kind;       /* docs/protocol.md has the kinds and their bodies */
    const uint8_t *body; /* little-endian and packed, without the header */
    size_t body_length;
    const uint8_t *file; /* what goes with AddBody: a mesh in the protocol's format; else NULL */
    size_t file_length;
} hd_request;

/* The reply to such a request. */
typedef struct hd_answer {
    uint32_t struct_size;
    uint32_t kind;        /* of the reply */
    uint32_t descriptors; /* how many came with it; the library has closed them */
    uint32_t body_length; /* bytes of `body` that are the reply's; the others are 0 */
    uint8_t body[4080];   /* as in hd_request */
} hd_answer;

/* News from the daemon. Fields that the kind does not have are 0. */
typedef struct hd_event {
    uint32_t struct_size;
    uint32_t kind;        /* HD_EVENT_* */
    uint32_t arm;
    uint32_t body;
    uint32_t body_kind;   /* HD_BODY_* of a body that joined */
    uint32_t reason;
    uint64_t tick;
    int64_t time_ns;
    int64_t last_touch_ns; /* of HD_EVENT_RELEASED */
    uint64_t count;
    uint32_t daemon_code; /* HD_CODE_* of a refusal */
    uint32_t button;      /* from 0, the bit of hd_arm_state.buttons */
    uint64_t number;      /* of a refusal, or of an effect */
    uint64_t limit;
    char text[256];       /* name of a body that joined, or a sentence */
} hd_event;

/* Counts of a mesh. Does not grow. */
typedef struct hd_counts {
    uint32_t points;
    uint32_t triangles;
} hd_counts;

/* When the points of a surface were there. */
typedef struct hd_surface_frame {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t tick;    /* of the simulation of deformables */
    int64_t time_ns;
    int64_t lost_ns;  /* simulated time lost since the start */
} hd_surface_frame;

/* Where hd_skin_read writes: three floats for a point, three indices for a triangle. NULL: not
 * wanted. */
typedef struct hd_skin_buffers {
    uint32_t struct_size;
    uint32_t reserved;
    float *points_m;         /* world frame */
    float *normals;          /* unit, outward */
    float *velocities_m_s;
    uint32_t *triangles;     /* valid indices of points; counter-clockwise seen from outside */
    size_t point_capacity;   /* of each of the first three */
    size_t triangle_capacity;
} hd_skin_buffers;

/* A frame of a skin. */
typedef struct hd_skin_frame {
    uint32_t struct_size;
    uint32_t flags;         /* HD_SKIN_*, a sum */
    uint32_t points;        /* how many were written */
    uint32_t triangles;
    uint64_t frame;         /* number, from 1 */
    uint64_t tick;          /* after which the body had this shape */
    int64_t time_ns;        /* of that */
    int64_t published_ns;
    double cell_m;          /* edge of the cubes */
    double deviation_m;     /* largest distance found from the surface that tools feel */
    uint32_t coarser;       /* levels by which cubes are coarser than wanted */
    uint32_t faults;        /* found by the mesh's own check, in this frame */
    uint32_t faulty_frames; /* so far */
    uint32_t primitives;
    uint32_t small_primitives;
    uint32_t reserved;
    uint64_t skipped;       /* states of the body that were never shown */
    int64_t compute_ns;     /* processor time that the mesh took */
} hd_skin_frame;

/* ---- Library. Any thread, always. ---- */

uint32_t hd_abi_version(void);          /* real-time safe */
const char *hd_version_string(void);    /* of the library, such as "0.1.0"; real-time safe */
int64_t hd_now_ns(void);                /* CLOCK_MONOTONIC, ns; real-time safe */
/* Words for people, in English. Unknown numbers have words, too. */
const char *hd_status_text(int32_t status);      /* real-time safe */
const char *hd_governor_text(uint32_t governor); /* real-time safe */
const char *hd_reason_text(uint32_t reason);     /* why force is off; allocates at its first call */
const char *hd_body_kind_text(uint32_t kind);    /* real-time safe */

/* ---- Connection ---- */

/* Connects to the default socket: $HAPTICD_SOCKET, or the first of $XDG_RUNTIME_DIR/hapticd,
 * /tmp/hapticd-UID, $HOME/.hapticd, /run/hapticd that has one. `*client` is NULL if it fails.
 * HD_NO_DAEMON, and HD_GONE from one that is just ending, are worth another try. Another thread
 * must not call setenv meanwhile. */
int32_t hd_connect(uint32_t abi_version, const char *name, size_t name_length, hd_client **client,
                   hd_error *error);
/* The same, with a socket and times of the caller's choice. */
int32_t hd_connect_with(const hd_connect_options *options, hd_client **client, hd_error *error);
/* Leaves in good order. Bodies that this client added go with it. */
void hd_client_free(hd_client *client);
/* What the daemon said at the start. Real-time safe. */
int32_t hd_client_welcome(const hd_client *client, hd_welcome *welcome);
/* How long a request may wait for its answer: 10 s at first; below 0 for ever. hd_add_body waits
 * 20 us longer for each triangle. */
int32_t hd_client_set_timeout_ms(hd_client *client, int32_t timeout_ms);
/* For the program's own poll, select or epoll: readable when hd_client_poll may have something.
 * The client's: do not read, write or close it. Less than 0 is a status. Real-time safe. */
int32_t hd_client_fd(const hd_client *client);
/* The next event: HD_EVENT, or HD_OK for none within `timeout_ms` (0: does not wait; below 0: waits
 * for ever). Renews this client's leases when half of hd_welcome.lease_ms is over, so call it in
 * every frame: nothing else keeps an application's force, and one that hangs loses it. Events come
 * after hd_subscribe with HD_TOPIC_EVENTS; they are kept in memory until they are polled. */
int32_t hd_client_poll(hd_client *client, int32_t timeout_ms, hd_event *event, hd_error *error);

/* ---- Arms and bodies ---- */

/* Asks for the arms; hd_arm_at then gives each, index 0 to count - 1. */
int32_t hd_arms_refresh(hd_client *client, uint32_t *count, hd_error *error);
int32_t hd_arm_at(const hd_client *client, uint32_t index, hd_arm_info *info);
/* Asks for the bodies; hd_body_at then gives each. */
int32_t hd_bodies_refresh(hd_client *client, uint32_t *count, hd_error *error);
int32_t hd_body_at(const hd_client *client, uint32_t index, hd_body_info *info);

/* Makes all limits infinite: what hd_tighten_limits leaves as it is. (HD_INIT makes them 0: no
 * force.) Real-time safe, any thread. */
int32_t hd_limits_leave(hd_limits *limits);
/* All limits in force on an arm, as the loop keeps them. */
int32_t hd_get_limits(hd_client *client, uint32_t arm, hd_limits *limits, hd_error *error);
/* Tightens limits of an arm or HD_ALL_ARMS. A NaN leaves that one, and so does a looser value.
 * Returns when a tick has kept them. They outlive this client: only a technician releases them. */
int32_t hd_tighten_limits(hd_client *client, uint32_t arm, const hd_limits *limits,
                          hd_error *error);

/* ---- State ---- */

/* Maps blocks of an arm; `topics` is a sum of HD_TOPIC_*. May be called again; the newest
 * subscription to an arm has its wake-up line. `*subscription` is NULL if it fails. */
int32_t hd_subscribe(hd_client *client, uint32_t arm, uint32_t topics,
                     hd_subscription **subscription, hd_error *error);
void hd_subscription_free(hd_subscription *subscription);
/* Copies the newest value: HD_OK, HD_NOT_YET, HD_BUSY, HD_NOT_SUBSCRIBED or HD_INVALID. Real-time
 * safe, any number of threads. Keeps giving the last value when the daemon is gone. */
int32_t hd_read_state(const hd_subscription *subscription, hd_arm_state *state);
int32_t hd_read_contacts(const hd_subscription *subscription, hd_contacts *contacts);
int32_t hd_read_bodies(const hd_subscription *subscription, hd_bodies *bodies);
int32_t hd_read_needle(const hd_subscription *subscription, hd_needle *needle);
/* How often the state was published; 0 before the first time and without a state. One load: the
 * cheap way to see whether there is a new one. Real-time safe, any number of threads. */
uint64_t hd_state_version(const hd_subscription *subscription);
/* Waits until the tick is above `after_tick` (0: for the first), and copies that state. HD_TIMEOUT
 * after `timeout_ms` (0: does not wait; below 0: waits for ever); HD_GONE when the daemon is gone
 * or a later subscription took the wake-up line. Needs HD_TOPIC_STATE and HD_TOPIC_WAKE. Several
 * threads may wait; a ring wakes one of them. */
int32_t hd_wait_tick(const hd_subscription *subscription, uint64_t after_tick, int32_t timeout_ms,
                     hd_arm_state *state);
/* For the program's own poll, select or epoll: readable when the state is new. The subscription's:
 * do not read, write or close it. Less than 0 is a status. Real-time safe. */
int32_t hd_wake_fd(const hd_subscription *subscription);
/* Makes that descriptor unreadable again: HD_OK, or HD_GONE. Call it before reading the state. */
int32_t hd_wake_clear(const hd_subscription *subscription);

/* Where the tool will be at `time_ns` (such as the time at which a frame is shown), from one state:
 *     position = position + v dt;   rotation = exp(w dt) * rotation   (world frame)
 * with the hand's velocities v and w, and dt = time_ns - state->time_ns, cut to 0..50 ms. HD_HELD
 * where it was cut, or the arm is not attached. hd_predict_pose moves world_from_device.
 * hd_predict_proxy moves world_from_proxy in free space, and holds it (HD_HELD) while it touches,
 * is inside a body or is held back: the state does not say how it will slide. Real-time safe, any
 * thread. */
int32_t hd_predict_pose(const hd_arm_state *state, int64_t time_ns, hd_pose *pose);
int32_t hd_predict_proxy(const hd_arm_state *state, int64_t time_ns, hd_pose *pose);

/* ---- Commands. Each waits for the daemon's answer, but for those that say otherwise. ---- */

int32_t hd_set_body_pose(hd_client *client, const hd_pose_command *command, hd_error *error);
/* Does not wait: HD_WOULD_WAIT if the daemon takes nothing (nothing was sent). A refusal comes as
 * HD_EVENT_POST_REFUSED. For every frame. */
int32_t hd_post_body_pose(hd_client *client, const hd_pose_command *command, hd_error *error);
/* Several bodies with one message, at most HD_MAX_TARGETS: all of them, or none if one is refused.
 * hd_post_body_poses does not wait, as hd_post_body_pose. */
int32_t hd_set_body_poses(hd_client *client, const hd_body_target *targets, size_t count,
                          hd_error *error);
int32_t hd_post_body_poses(hd_client *client, const hd_body_target *targets, size_t count,
                           hd_error *error);
int32_t hd_halt_body(hd_client *client, uint32_t body, hd_error *error);
/* Adds a body and writes its identity. Copies name and mesh. HD_PENDING: it may still come, in the
 * list of bodies and as HD_EVENT_BODY_JOINED. */
int32_t hd_add_body(hd_client *client, const hd_body_spec *spec, uint32_t *body, hd_error *error);
/* Adds a body with the mesh of body `of`, which a client added: no mesh is copied, read or indexed.
 * The spec's mesh may be NULL; the body is solid if the other one is. */
int32_t hd_add_instance(hd_client *client, const hd_body_spec *spec, uint32_t of, uint32_t *body,
                        hd_error *error);
/* Changes the surface of a body of this client. The force follows without a step. */
int32_t hd_set_material(hd_client *client, uint32_t body, const hd_material *material,
                        hd_error *error);
int32_t hd_remove_body(hd_client *client, uint32_t body, hd_error *error);
/* Begins an effect and writes its identity (`*effect` is 0), or gives running effect `*effect` of
 * this client these numbers. It lasts as long as the client is heard: hd_client_poll renews. */
int32_t hd_set_effect(hd_client *client, const hd_effect *numbers, uint32_t *effect,
                      hd_error *error);
/* Ends an effect within 20 ms. HD_OK also if it has ended. */
int32_t hd_stop_effect(hd_client *client, uint32_t effect, hd_error *error);
/* Lets an arm hold a dynamic body: the one that is named, or with 0 the one that presses its tool
 * most. HD_EVENT_GRASPED and HD_EVENT_LET_GO say what came of it. It lasts as long as the client is
 * heard. */
int32_t hd_grasp_body(hd_client *client, uint32_t arm, uint32_t body, hd_error *error);
/* Lets an arm let go; the body keeps its velocity. HD_OK also if it holds nothing. */
int32_t hd_release_body(hd_client *client, uint32_t arm, hd_error *error);
/* Says where an arm works: the frame goes there smoothly and never jumps. Send it once, or for each
 * picture with a base that rides on a camera. When the client ends, the frame stays where it is and
 * the bubble ends. */
int32_t hd_set_workspace(hd_client *client, const hd_workspace *numbers, hd_error *error);
/* Engages an arm's clutch (1), or disengages what this client has engaged (0): the hand moves
 * without force, and the tool stands. HD_EVENT_CLUTCH_ENGAGED and _RELEASED tell of it. */
int32_t hd_set_clutch(hd_client *client, uint32_t arm, uint32_t engaged, hd_error *error);
/* Places a kinematic or dynamic body of this client elsewhere at once. It sweeps no tool; its
 * velocity and its target end. The place must be free (HD_CODE_INVALID_BODY). */
int32_t hd_teleport_body(hd_client *client, uint32_t body, const hd_pose *world_from_body,
                         hd_error *error);
/* Gives a dynamic body of this client an impulse or a velocity, once. */
int32_t hd_push_body(hd_client *client, const hd_push *push, hd_error *error);
/* Whether the application has the user's focus (1 or 0). Without it its bodies make no force. */
int32_t hd_set_focus(hd_client *client, uint32_t focused, hd_error *error);
/* Renews all leases of this client. Does not wait, as hd_post_body_pose. */
int32_t hd_renew_leases(hd_client *client, uint32_t lease_ms, hd_error *error);

/* Sends any request of the protocol and waits for its reply: for what no other function says, such
 * as one page of the bodies, or a mesh that is a file already. HD_INVALID for what is no request;
 * hd_client_free says goodbye. A refusal is HD_REFUSED, as for every command. */
int32_t hd_exchange(hd_client *client, const hd_request *request, hd_answer *answer,
                    hd_error *error);

/* The technician's socket only (technician.sock); others get HD_CODE_TECHNICIAN_ONLY. */
int32_t hd_release_limits(hd_client *client, uint32_t arm, hd_error *error); /* or HD_ALL_ARMS */
int32_t hd_clear_fault(hd_client *client, uint32_t arm, hd_error *error);    /* or HD_ALL_ARMS */
int32_t hd_reload(hd_client *client, hd_error *error);
int32_t hd_shutdown(hd_client *client, hd_error *error);
/* The daemon's state as JSON, ending with a NUL. `*length` is its length without the NUL, also with
 * HD_CAPACITY: give `capacity` more than that and ask again (the text may grow meanwhile). `buffer`
 * may be NULL with a capacity of 0. */
int32_t hd_status_json(hd_client *client, char *buffer, size_t capacity, size_t *length,
                       hd_error *error);

/* ---- Shapes: the constant mesh of a static, kinematic or dynamic body, or of a tool (HD_TOOL), in
 * its own frame. Ask once. ---- */

int32_t hd_open_shape(hd_client *client, uint32_t body, hd_shape **shape, hd_error *error);
int32_t hd_shape_counts(const hd_shape *shape, hd_counts *counts);
/* Copies all points (x, y, z, m) or triangles (three indices). HD_CAPACITY if there are more. */
int32_t hd_shape_points(const hd_shape *shape, float *xyz, size_t capacity);
int32_t hd_shape_triangles(const hd_shape *shape, uint32_t *indices, size_t capacity);
void hd_shape_free(hd_shape *shape);

/* ---- Surfaces of soft bodies, cloth and bodies of a crowd: only the points move ---- */

int32_t hd_open_surface(hd_client *client, uint32_t body, hd_surface **surface, hd_error *error);
int32_t hd_surface_counts(const hd_surface *surface, hd_counts *counts);
int32_t hd_surface_triangles(const hd_surface *surface, uint32_t *indices, size_t capacity);
/* How often the points were published; 0 before the first time. Real-time safe. */
uint64_t hd_surface_version(const hd_surface *surface);
/* Copies the newest points (x, y, z, m, world frame). HD_NOT_YET; HD_BUSY (keep the last);
 * HD_CAPACITY if `capacity` is less than the number of points. `frame` may be NULL. Real-time
 * safe. */
int32_t hd_surface_read(hd_surface *surface, float *xyz, size_t capacity, hd_surface_frame *frame);
void hd_surface_free(hd_surface *surface);

/* ---- Skins of implicit bodies: another mesh in each frame ---- */

int32_t hd_open_skin(hd_client *client, uint32_t body, hd_skin **skin, hd_error *error);
/* The most points and triangles that a frame may have. */
int32_t hd_skin_capacity(const hd_skin *skin, hd_counts *counts);
/* How many frames were published. Real-time safe. */
uint64_t hd_skin_version(const hd_skin *skin);
/* Copies the newest frame. HD_NOT_YET; HD_BUSY (keep the last); HD_CAPACITY: `frame` is written and
 * has the counts that are needed. Makes no system call, but allocates when a frame is larger than
 * all before. */
int32_t hd_skin_read(hd_skin *skin, const hd_skin_buffers *buffers, hd_skin_frame *frame);
void hd_skin_free(hd_skin *skin);

#ifdef __cplusplus
}
/* Of HD_INIT. */
template <typename Struct> inline Struct hd_init_() {
    Struct value = Struct();
    value.struct_size = static_cast<uint32_t>(sizeof(Struct));
    return value;
}
#endif
#endif
