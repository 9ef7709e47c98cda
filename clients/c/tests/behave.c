/*
 * The library against a real daemon: every function, and every status that a daemon can provoke.
 *
 *     behave FOLDER PID         the folder of the daemon's sockets, and the daemon, which is killed
 *     behave FOLDER PID skins   what implicit bodies have; the daemon is shut down
 *
 * Needs a library with the feature `panic-entry`, and a daemon with config/cloth.toml; for skins
 * one with config/coil.toml. Run under the address and undefined-behaviour sanitizers.
 */
#include <hapticd.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Of the feature `panic-entry`. */
int32_t hd_test_panic(void);
int32_t hd_test_panic_client(hd_client *client, hd_error *error);
int32_t hd_test_panic_subscription(const hd_subscription *subscription);

static hd_error error = HD_INIT(hd_error);
static char app_socket[256], technician_socket[256];
static pid_t daemon_pid;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition,            \
                    error.message);                                                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Compares a status, and says both. */
#define STATUS(call, expected)                                                                     \
    do {                                                                                           \
        int32_t got_ = (call);                                                                     \
        if (got_ != (expected)) {                                                                  \
            fprintf(stderr, "%s:%d: %s is %d (%s), not %s; %s\n", __FILE__, __LINE__, #call, got_, \
                    hd_status_text(got_), #expected, error.message);                               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A call whose error says the same status, with words. */
#define FAILS(call, expected)                                                                      \
    do {                                                                                           \
        memset(error.message, 0, sizeof error.message);                                            \
        error.status = 0;                                                                          \
        STATUS(call, expected);                                                                    \
        CHECK(error.status == (expected) && error.message[0] != 0);                                \
    } while (0)

static hd_client *connect_as(const char *name, const char *socket) {
    hd_connect_options options = HD_INIT(hd_connect_options);
    hd_client *client = NULL;
    options.abi_version = HD_ABI_VERSION;
    options.name = name, options.name_length = strlen(name);
    options.socket = socket, options.socket_length = strlen(socket);
    options.patience_ms = -1;
    STATUS(hd_connect_with(&options, &client, &error), HD_OK);
    CHECK(client != NULL);
    return client;
}

/* Polls until an event of this kind comes; others are passed over. */
static hd_event await(hd_client *client, uint32_t kind) {
    hd_event event = HD_INIT(hd_event);
    do
        STATUS(hd_client_poll(client, -1, &event, &error), HD_EVENT);
    while (event.kind != kind);
    return event;
}

static const double corners[8][3] = {{-.01, -.01, -.01}, {.01, -.01, -.01}, {-.01, .01, -.01},
                                     {.01, .01, -.01},   {-.01, -.01, .01}, {.01, -.01, .01},
                                     {-.01, .01, .01},   {.01, .01, .01}};
static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static hd_body_spec box(const char *name) {
    hd_body_spec spec = HD_INIT(hd_body_spec);
    spec.kind = HD_BODY_KINEMATIC, spec.solid = 1;
    spec.name = name, spec.name_length = strlen(name);
    spec.positions_m = corners[0], spec.vertex_count = 8;
    spec.triangles = faces[0], spec.triangle_count = 12;
    spec.world_from_body.position_m[2] = 0.5, spec.world_from_body.rotation_xyzw[3] = 1.0;
    spec.stiffness_n_per_m = 500.0, spec.damping_n_s_per_m = 1.0;
    return spec;
}

static void library(void) {
    CHECK(hd_abi_version() == HD_ABI_VERSION);
    CHECK(strchr(hd_version_string(), '.') != NULL);
    CHECK(hd_now_ns() > 0);
    CHECK(strcmp(hd_governor_text(HD_GOVERNOR_ACTIVE), "active") == 0);
    CHECK(strcmp(hd_body_kind_text(HD_BODY_CLOTH), "cloth") == 0);
    CHECK(strcmp(hd_reason_text(1), "emergency stop") == 0);
    CHECK(strstr(hd_reason_text(UINT32_MAX), "does not know") != NULL);
    CHECK(strstr(hd_status_text(INT32_MIN), "does not know") != NULL);
    hd_limits limits = HD_INIT(hd_limits);
    STATUS(hd_limits_leave(&limits), HD_OK);
    CHECK(isinf(limits.peak_force_n) && isinf(limits.angular_velocity_rad_s));
    STATUS(hd_limits_leave(NULL), HD_INVALID);
    STATUS(hd_test_panic(), HD_PANIC);
}

static void connecting(void) {
    hd_client *client = (hd_client *)&client;
    FAILS(hd_connect(0x00020000u, HD_TEXT("old"), &client, &error), HD_VERSION);
    CHECK(client == NULL && error.number == 0x00020000u && error.limit == HD_ABI_VERSION);
    FAILS(hd_connect(0, HD_TEXT("none"), &client, &error), HD_VERSION);
    FAILS(hd_connect(HD_ABI_VERSION, NULL, 0, &client, &error), HD_INVALID);
    FAILS(hd_connect(HD_ABI_VERSION, NULL, 4, &client, &error), HD_INVALID);
    FAILS(hd_connect(HD_ABI_VERSION, "x", (size_t)-1, &client, &error), HD_INVALID);
    FAILS(hd_connect(HD_ABI_VERSION, HD_TEXT("a\nb"), &client, &error), HD_INVALID);
    FAILS(hd_connect(HD_ABI_VERSION, HD_TEXT("a\0b"), &client, &error), HD_INVALID);
    FAILS(hd_connect(HD_ABI_VERSION, HD_TEXT("a\xff"), &client, &error), HD_INVALID);
    FAILS(hd_connect(HD_ABI_VERSION, HD_TEXT("test"), NULL, &error), HD_INVALID);
    FAILS(hd_connect_with(NULL, &client, &error), HD_INVALID);
    hd_connect_options options = HD_INIT(hd_connect_options);
    options.abi_version = HD_ABI_VERSION, options.name = "test", options.name_length = 4;
    options.socket = "/nowhere/app.sock", options.socket_length = 17;
    FAILS(hd_connect_with(&options, &client, &error), HD_NO_DAEMON);
    CHECK(error.number == ENOENT && strstr(error.message, "/nowhere/app.sock") != NULL);
    options.patience_ms = 50;
    int64_t start_ns = hd_now_ns();
    FAILS(hd_connect_with(&options, &client, &error), HD_NO_DAEMON);
    CHECK(hd_now_ns() - start_ns >= 50000000);
    options.socket_length = (size_t)-1;
    FAILS(hd_connect_with(&options, &client, &error), HD_INVALID);
    options.socket = "a\0b", options.socket_length = 3, options.patience_ms = 0;
    FAILS(hd_connect_with(&options, &client, &error), HD_NO_DAEMON);
    /* A struct without a size is refused. */
    options.struct_size = 0;
    FAILS(hd_connect_with(&options, &client, &error), HD_INVALID);
    options.struct_size = UINT32_MAX;
    FAILS(hd_connect_with(&options, &client, &error), HD_INVALID);
    /* All places for clients are taken. */
    hd_client *all[200] = {0};
    int count = 0;
    int32_t status = HD_OK;
    options = (hd_connect_options)HD_INIT(hd_connect_options);
    options.abi_version = HD_ABI_VERSION, options.name = "test", options.name_length = 4;
    options.socket = app_socket, options.socket_length = strlen(app_socket);
    options.patience_ms = -1;
    while (count < 200 && (status = hd_connect_with(&options, &all[count], &error)) == HD_OK)
        count++;
    CHECK(status == HD_NOT_ADMITTED && count >= 1);
    CHECK(error.number == HD_ADMISSION_TOO_MANY_CLIENTS && error.limit == (uint64_t)count);
    while (count > 0)
        hd_client_free(all[--count]);
    hd_client_free(NULL);
    hd_subscription_free(NULL), hd_shape_free(NULL), hd_surface_free(NULL), hd_skin_free(NULL);
}

/* The error struct of a program that was built before, or after, this library. */
static void errors_of_every_size(hd_client *client) {
    struct {
        hd_error error;
        char behind[64];
    } longer;
    memset(&longer, 0x55, sizeof longer);
    longer.error.struct_size = sizeof longer;
    STATUS(hd_halt_body(client, 999, &longer.error), HD_REFUSED);
    CHECK(longer.error.daemon_code == HD_CODE_NO_SUCH_BODY && longer.error.number == 999);
    CHECK(longer.behind[0] == 0 && longer.behind[63] == 0);
    size_t cut = offsetof(hd_error, message) + 8;
    memset(&longer, 0x55, sizeof longer);
    longer.error.struct_size = (uint32_t)cut;
    STATUS(hd_halt_body(client, 999, &longer.error), HD_REFUSED);
    CHECK(strlen(longer.error.message) == 7 && longer.error.message[8] == 0x55);
    longer.error.struct_size = 8;
    STATUS(hd_halt_body(client, 999, &longer.error), HD_REFUSED);
    CHECK(longer.error.status == HD_REFUSED);
    longer.error.struct_size = 0;
    STATUS(hd_halt_body(client, 999, &longer.error), HD_REFUSED);
    STATUS(hd_halt_body(client, 999, NULL), HD_REFUSED);
    /* At any alignment. */
    char memory[sizeof(hd_error) + 1];
    uint32_t size = sizeof(hd_error);
    memcpy(memory + 1, &size, sizeof size);
    STATUS(hd_halt_body(client, 999, (hd_error *)(void *)(memory + 1)), HD_REFUSED);
    int32_t status = 0;
    memcpy(&status, memory + 1 + offsetof(hd_error, status), sizeof status);
    CHECK(status == HD_REFUSED);
}

static void lists(hd_client *client) {
    hd_welcome welcome = HD_INIT(hd_welcome);
    STATUS(hd_client_welcome(client, &welcome), HD_OK);
    CHECK(welcome.protocol_major == 3 && welcome.lease_ms > 0 && welcome.technician == 0);
    STATUS(hd_client_welcome(client, NULL), HD_INVALID);
    STATUS(hd_client_welcome(NULL, &welcome), HD_INVALID);
    hd_arm_info arm = HD_INIT(hd_arm_info);
    uint32_t count = 0;
    STATUS(hd_arm_at(client, 0, &arm), HD_INVALID); /* Not asked for yet. */
    STATUS(hd_arms_refresh(client, &count, &error), HD_OK);
    CHECK(count == 1);
    STATUS(hd_arm_at(client, 0, &arm), HD_OK);
    CHECK(arm.index == 0 && arm.attached <= 1 && arm.name[0] != 0 && arm.period_ns > 0);
    STATUS(hd_arm_at(client, 1, &arm), HD_INVALID);
    STATUS(hd_arm_at(client, UINT32_MAX, &arm), HD_INVALID);
    FAILS(hd_arms_refresh(client, NULL, &error), HD_INVALID);
    FAILS(hd_arms_refresh(NULL, &count, &error), HD_INVALID);
    hd_limits limits = HD_INIT(hd_limits);
    STATUS(hd_get_limits(client, 0, &limits, &error), HD_OK);
    CHECK(limits.peak_force_n > 0.0);
    FAILS(hd_get_limits(client, 1, &limits, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NO_SUCH_ARM && error.number == 1 && error.limit == 1);
    FAILS(hd_get_limits(client, 256, &limits, &error), HD_INVALID);
    FAILS(hd_get_limits(client, 0, NULL, &error), HD_INVALID);
    double before_n = limits.peak_force_n;
    STATUS(hd_limits_leave(&limits), HD_OK);
    limits.peak_force_n = 0.75 * before_n, limits.velocity_m_s = NAN;
    STATUS(hd_tighten_limits(client, 0, &limits, &error), HD_OK);
    STATUS(hd_get_limits(client, 0, &limits, &error), HD_OK);
    CHECK(limits.peak_force_n <= 0.75 * before_n && limits.velocity_m_s > 0.0);
    limits.peak_force_n = -1.0;
    FAILS(hd_tighten_limits(client, 0, &limits, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_MALFORMED);
    /* A shorter struct must not tighten what it does not have to 0. */
    limits.struct_size -= 8;
    FAILS(hd_tighten_limits(client, 0, &limits, &error), HD_INVALID);
    FAILS(hd_release_limits(client, 0, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_TECHNICIAN_ONLY);
}

static void technician(void) {
    hd_client *client = connect_as("technician", technician_socket);
    hd_welcome welcome = HD_INIT(hd_welcome);
    STATUS(hd_client_welcome(client, &welcome), HD_OK);
    CHECK(welcome.technician == 1);
    STATUS(hd_release_limits(client, HD_ALL_ARMS, &error), HD_OK);
    STATUS(hd_clear_fault(client, 0, &error), HD_OK);
    STATUS(hd_reload(client, &error), HD_OK);
    size_t length = 0;
    FAILS(hd_status_json(client, NULL, 0, &length, &error), HD_CAPACITY);
    CHECK(length > 100 && error.number == length + 1 && error.limit == 0);
    size_t capacity = length + 4096;
    char *text = malloc(capacity);
    CHECK(text != NULL);
    STATUS(hd_status_json(client, text, capacity, &length, &error), HD_OK);
    CHECK(text[0] == '{' && strlen(text) == length);
    FAILS(hd_status_json(client, text, length / 2, &length, &error), HD_CAPACITY);
    FAILS(hd_status_json(client, text, capacity, NULL, &error), HD_INVALID);
    free(text);
    hd_client_free(client);
}

static void state(hd_client *client) {
    hd_subscription *arm = NULL, *partly = NULL;
    FAILS(hd_subscribe(client, 7, HD_TOPIC_STATE, &arm, &error), HD_REFUSED);
    CHECK(arm == NULL && error.daemon_code == HD_CODE_NO_SUCH_ARM);
    FAILS(hd_subscribe(client, 256, HD_TOPIC_STATE, &arm, &error), HD_INVALID);
    FAILS(hd_subscribe(client, 0, 256, &arm, &error), HD_INVALID);
    FAILS(hd_subscribe(client, 0, HD_TOPIC_STATE, NULL, &error), HD_INVALID);
    STATUS(hd_subscribe(client, 0, HD_TOPIC_STATE, &partly, &error), HD_OK);
    STATUS(hd_subscribe(client, 0, HD_TOPIC_ALL, &arm, &error), HD_OK);
    hd_arm_state now = HD_INIT(hd_arm_state), later = HD_INIT(hd_arm_state);
    hd_contacts contacts = HD_INIT(hd_contacts);
    hd_bodies bodies = HD_INIT(hd_bodies);
    STATUS(hd_wait_tick(arm, 0, -1, &now), HD_OK);
    STATUS(hd_wait_tick(arm, now.tick, -1, &later), HD_OK);
    CHECK(later.tick > now.tick && later.time_ns > now.time_ns && hd_state_version(arm) > 0);
    STATUS(hd_wait_tick(arm, UINT64_MAX, 5, &later), HD_TIMEOUT);
    STATUS(hd_wait_tick(arm, UINT64_MAX, 0, &later), HD_TIMEOUT);
    STATUS(hd_wait_tick(arm, 0, 0, NULL), HD_INVALID);
    STATUS(hd_wait_tick(NULL, 0, 0, &now), HD_INVALID);
    STATUS(hd_wait_tick(partly, 0, 0, &now), HD_NOT_SUBSCRIBED);
    /* A write may be met now and then. */
    while (hd_read_state(arm, &now) == HD_BUSY)
        ;
    while (hd_read_contacts(arm, &contacts) == HD_BUSY)
        ;
    while (hd_read_bodies(arm, &bodies) == HD_BUSY)
        ;
    hd_needle needle = HD_INIT(hd_needle);
    while (hd_read_needle(arm, &needle) == HD_BUSY)
        ;
    CHECK(needle.tick > 0 && needle.phase == HD_NEEDLE_ABSENT);
    STATUS(hd_read_needle(partly, &needle), HD_NOT_SUBSCRIBED);
    /* The forces at the contacts are what the hand feels in the same tick. */
    for (int agreed = 0; !agreed;) {
        if (hd_read_state(arm, &now) != HD_OK || hd_read_contacts(arm, &contacts) != HD_OK ||
            now.tick != contacts.tick)
            continue;
        for (int axis = 0; axis < 3 && contacts.count > 0; axis++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < contacts.count; k++)
                sum += contacts.contacts[k].force_n[axis];
            CHECK(sum == 0.0 || fabs(sum - now.force_n[axis]) < 1e-9);
        }
        agreed = 1;
    }
    CHECK(now.tick > 0 && contacts.tick > 0 && bodies.tick > 0);
    const double *q = now.world_from_proxy.rotation_xyzw;
    CHECK(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-9);
    STATUS(hd_read_contacts(partly, &contacts), HD_NOT_SUBSCRIBED);
    STATUS(hd_read_bodies(partly, &bodies), HD_NOT_SUBSCRIBED);
    STATUS(hd_wake_fd(partly), HD_NOT_SUBSCRIBED);
    STATUS(hd_wake_clear(partly), HD_NOT_SUBSCRIBED);
    STATUS(hd_read_state(NULL, &now), HD_INVALID);
    STATUS(hd_read_state(arm, NULL), HD_INVALID);
    CHECK(hd_state_version(NULL) == 0);
    struct pollfd ring = {hd_wake_fd(arm), POLLIN, 0};
    CHECK(ring.fd >= 0 && poll(&ring, 1, -1) == 1);
    CHECK((fcntl(ring.fd, F_GETFD) & FD_CLOEXEC) != 0);
    STATUS(hd_wake_clear(arm), HD_OK);
    /* Structs of other versions. */
    struct {
        hd_arm_state state;
        char behind[64];
    } longer;
    memset(&longer, 0x55, sizeof longer);
    longer.state.struct_size = sizeof longer;
    STATUS(hd_wait_tick(arm, 0, -1, &longer.state), HD_OK);
    CHECK(longer.state.struct_size == sizeof longer && longer.behind[0] == 0);
    memset(&longer, 0x55, sizeof longer);
    longer.state.struct_size = sizeof(hd_arm_state) - 4;
    STATUS(hd_wait_tick(arm, 0, -1, &longer.state), HD_OK);
    CHECK(longer.state.tick > 0 && ((unsigned char *)&longer)[sizeof(hd_arm_state) - 1] == 0x55);
    longer.state.struct_size = 3;
    STATUS(hd_read_state(arm, &longer.state), HD_INVALID);
    /* Prediction. */
    hd_pose pose;
    now.flags = HD_FLAG_ATTACHED;
    for (int k = 0; k < 3; k++)
        now.linear_velocity_m_s[k] = 1.0, now.angular_velocity_rad_s[k] = 0.0;
    STATUS(hd_predict_pose(&now, now.time_ns + 10000000, &pose), HD_OK);
    CHECK(fabs(pose.position_m[0] - now.world_from_device.position_m[0] - 0.01) < 1e-12);
    STATUS(hd_predict_proxy(&now, now.time_ns + 10000000, &pose), HD_OK);
    STATUS(hd_predict_pose(&now, INT64_MAX, &pose), HD_HELD);
    CHECK(fabs(pose.position_m[0] - now.world_from_device.position_m[0] - 0.05) < 1e-12);
    STATUS(hd_predict_pose(&now, INT64_MIN, &pose), HD_HELD);
    now.flags |= HD_FLAG_TOUCHING;
    STATUS(hd_predict_proxy(&now, now.time_ns + 10000000, &pose), HD_HELD);
    CHECK(pose.position_m[0] == now.world_from_proxy.position_m[0]);
    STATUS(hd_predict_pose(NULL, 0, &pose), HD_INVALID);
    STATUS(hd_predict_proxy(&now, 0, NULL), HD_INVALID);
    /* A later subscription takes the wake-up line. */
    hd_subscription *next = NULL;
    STATUS(hd_subscribe(client, 0, HD_TOPIC_WAKE | HD_TOPIC_STATE, &next, &error), HD_OK);
    STATUS(hd_wait_tick(arm, UINT64_MAX, -1, &now), HD_GONE);
    int32_t cleared;
    while ((cleared = hd_wake_clear(arm)) == HD_OK)
        ;
    STATUS(cleared, HD_GONE);
    STATUS(hd_wait_tick(next, 0, -1, &now), HD_OK);
    STATUS(hd_test_panic_subscription(next), HD_PANIC);
    STATUS(hd_read_state(next, &now), HD_PANIC);
    STATUS(hd_wait_tick(next, 0, -1, &now), HD_PANIC);
    hd_subscription_free(arm), hd_subscription_free(next), hd_subscription_free(partly);
}

/* An instance of a body, another surface, and a message for both. */
static void several(hd_client *client, const hd_body_spec *spec, uint32_t body) {
    hd_body_spec second = *spec;
    uint32_t twin = 0, none = 0;
    second.name = "twin", second.name_length = 4;
    second.positions_m = NULL, second.vertex_count = 0;
    second.triangles = NULL, second.triangle_count = 0;
    second.world_from_body.position_m[1] += 0.2;
    STATUS(hd_add_instance(client, &second, body, &twin, &error), HD_OK);
    CHECK(twin != body && twin != 0);
    FAILS(hd_add_instance(client, &second, body, &none, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NAME_TAKEN);
    FAILS(hd_add_instance(client, &second, 999, &none, &error), HD_REFUSED);
    FAILS(hd_add_instance(client, &second, body, NULL, &error), HD_INVALID);
    FAILS(hd_add_instance(client, NULL, body, &none, &error), HD_INVALID);
    hd_material soft = HD_INIT(hd_material);
    soft.stiffness_n_per_m = 100.0, soft.damping_n_s_per_m = 1.0, soft.friction = 0.2;
    STATUS(hd_set_material(client, twin, &soft, &error), HD_OK);
    soft.friction = 3.0;
    FAILS(hd_set_material(client, twin, &soft, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_OUT_OF_RANGE);
    FAILS(hd_set_material(client, twin, NULL, &error), HD_INVALID);
    hd_effect buzz = HD_INIT(hd_effect);
    uint32_t effect = 0;
    buzz.kind = HD_EFFECT_PERIODIC, buzz.axis[2] = 1.0;
    buzz.magnitude_n = 0.3, buzz.frequency_hz = 80.0;
    STATUS(hd_set_effect(client, &buzz, &effect, &error), HD_OK);
    CHECK(effect != 0);
    uint32_t same = effect;
    buzz.frequency_hz = 120.0;
    STATUS(hd_set_effect(client, &buzz, &same, &error), HD_OK);
    CHECK(same == effect);
    buzz.frequency_hz = 1e4;
    FAILS(hd_set_effect(client, &buzz, &same, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_OUT_OF_RANGE && error.limit == 400);
    buzz.frequency_hz = 80.0, same = effect + 1;
    FAILS(hd_set_effect(client, &buzz, &same, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NO_SUCH_EFFECT && error.number == effect + 1);
    STATUS(hd_stop_effect(client, effect, &error), HD_OK);
    STATUS(hd_stop_effect(client, effect, &error), HD_OK);
    buzz.duration_s = 0.05, effect = 0;
    STATUS(hd_set_effect(client, &buzz, &effect, &error), HD_OK);
    hd_event ended = await(client, HD_EVENT_EFFECT_ENDED);
    CHECK(ended.number == effect && ended.reason == HD_EFFECT_END_FINISHED);
    buzz.kind = 9;
    FAILS(hd_set_effect(client, &buzz, &effect, &error), HD_INVALID);
    buzz.kind = HD_EFFECT_PERIODIC;
    FAILS(hd_set_effect(client, &buzz, NULL, &error), HD_INVALID);
    FAILS(hd_set_effect(client, NULL, &effect, &error), HD_INVALID);
    hd_pose there = second.world_from_body;
    STATUS(hd_teleport_body(client, twin, &there, &error), HD_OK);
    FAILS(hd_teleport_body(client, twin, NULL, &error), HD_INVALID);
    hd_push kick = HD_INIT(hd_push);
    kick.body = twin;
    FAILS(hd_push_body(client, &kick, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NOT_PERMITTED && error.number == twin);
    kick.mode = 2;
    FAILS(hd_push_body(client, &kick, &error), HD_INVALID);
    FAILS(hd_push_body(client, NULL, &error), HD_INVALID);
    hd_body_target both[2] = {{spec->world_from_body, 0.5, body, 500},
                              {second.world_from_body, 0.5, twin, 500}};
    STATUS(hd_set_body_poses(client, both, 2, &error), HD_OK);
    STATUS(hd_set_body_poses(client, NULL, 0, &error), HD_OK);
    STATUS(hd_post_body_poses(client, both, 2, &error), HD_OK);
    both[1].body = 999;
    FAILS(hd_set_body_poses(client, both, 2, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NO_SUCH_BODY && error.number == 999);
    FAILS(hd_set_body_poses(client, NULL, 2, &error), HD_INVALID);
    FAILS(hd_set_body_poses(client, both, SIZE_MAX, &error), HD_INVALID);
    hd_body_target many[HD_MAX_TARGETS + 1] = {{spec->world_from_body, 0.5, body, 500}};
    FAILS(hd_set_body_poses(client, many, HD_MAX_TARGETS + 1, &error), HD_INVALID);
    STATUS(hd_halt_body(client, body, &error), HD_OK);
    STATUS(hd_remove_body(client, twin, &error), HD_OK);
    CHECK(await(client, HD_EVENT_BODY_LEFT).body == twin);
}

/* The frame of an arm, and its clutch: with a client that hears the news of contacts. */
static void workspaces(void) {
    hd_client *client = connect_as("mover", app_socket);
    hd_subscription *news = NULL;
    STATUS(hd_subscribe(client, 0, HD_TOPIC_CONTACT_EVENTS, &news, &error), HD_OK);
    hd_workspace frame = HD_INIT(hd_workspace);
    hd_arm_info right = HD_INIT(hd_arm_info);
    uint32_t arms = 0;
    STATUS(hd_arms_refresh(client, &arms, &error), HD_OK);
    STATUS(hd_arm_at(client, 0, &right), HD_OK);
    frame.world_from_base = right.world_from_base, frame.scale = right.scale;
    frame.max_speed_m_s = 0.5;
    STATUS(hd_set_workspace(client, &frame, &error), HD_OK);
    frame.scale = 0.0;
    FAILS(hd_set_workspace(client, &frame, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_OUT_OF_RANGE && error.limit == 100);
    frame.recentre = 2;
    FAILS(hd_set_workspace(client, &frame, &error), HD_INVALID);
    FAILS(hd_set_workspace(client, NULL, &error), HD_INVALID);
    STATUS(hd_set_clutch(client, 0, 1, &error), HD_OK);
    hd_event clutched = await(client, HD_EVENT_CLUTCH_ENGAGED);
    CHECK(clutched.arm == 0 && clutched.tick > 0);
    STATUS(hd_set_clutch(client, 0, 0, &error), HD_OK);
    await(client, HD_EVENT_CLUTCH_RELEASED);
    FAILS(hd_set_clutch(client, 0, 2, &error), HD_INVALID);
    hd_subscription_free(news);
    hd_client_free(client);
}

static void bodies(hd_client *client) {
    uint32_t body = 0, count = 0;
    hd_subscription *scene = NULL;
    STATUS(hd_subscribe(client, 0, HD_TOPIC_BODIES | HD_TOPIC_EVENTS, &scene, &error), HD_OK);
    hd_body_spec spec = box("cup");
    STATUS(hd_add_body(client, &spec, &body, &error), HD_OK);
    hd_event joined = await(client, HD_EVENT_BODY_JOINED);
    CHECK(joined.body == body && strcmp(joined.text, "cup") == 0);
    CHECK(joined.body_kind == HD_BODY_KINEMATIC);
    FAILS(hd_add_body(client, &spec, &body, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NAME_TAKEN);
    hd_body_spec wrong = box("wrong");
    wrong.triangle_count = 11;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_INVALID_MESH);
    wrong.triangle_count = 0, wrong.vertex_count = 0;
    wrong.positions_m = NULL, wrong.triangles = NULL;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_REFUSED);
    wrong.vertex_count = 8;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_INVALID);
    size_t counts[] = {SIZE_MAX, SIZE_MAX / 24 + 1, SIZE_MAX / 2, (size_t)UINT32_MAX + 1};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        wrong = box("wrong"), wrong.vertex_count = counts[k];
        FAILS(hd_add_body(client, &wrong, &count, &error), HD_INVALID);
        CHECK(error.number == counts[k]);
        wrong = box("wrong"), wrong.triangle_count = counts[k];
        FAILS(hd_add_body(client, &wrong, &count, &error), HD_INVALID);
    }
    wrong = box("wrong"), wrong.kind = 7;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_INVALID);
    wrong = box("wrong"), wrong.kind = HD_BODY_CLOTH;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_OUT_OF_RANGE);
    wrong = box("wrong"), wrong.solid = 2;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_INVALID);
    wrong = box("wrong"), wrong.name_length = 64, wrong.name = error.message;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_INVALID);
    wrong = box("wrong"), wrong.friction = NAN;
    FAILS(hd_add_body(client, &wrong, &count, &error), HD_REFUSED);
    FAILS(hd_add_body(client, &spec, NULL, &error), HD_INVALID);
    FAILS(hd_add_body(client, NULL, &count, &error), HD_INVALID);
    STATUS(hd_bodies_refresh(client, &count, &error), HD_OK);
    hd_body_info info = HD_INIT(hd_body_info);
    uint32_t owned = 0;
    for (uint32_t k = 0; k < count; k++) {
        STATUS(hd_body_at(client, k, &info), HD_OK);
        owned += info.owned;
        CHECK(info.owned == (info.body == body));
    }
    CHECK(owned == 1);
    STATUS(hd_body_at(client, count, &info), HD_INVALID);
    STATUS(hd_body_at(client, 0, NULL), HD_INVALID);
    hd_pose_command command = HD_INIT(hd_pose_command);
    command.body = body, command.speed_m_s = 0.5, command.lease_ms = 500;
    command.world_from_body = spec.world_from_body;
    command.world_from_body.position_m[0] = 0.01;
    STATUS(hd_set_body_pose(client, &command, &error), HD_OK);
    hd_bodies poses = HD_INIT(hd_bodies);
    for (int arrived = 0; !arrived;) {
        STATUS(hd_renew_leases(client, 500, &error), HD_OK);
        hd_event ignored = HD_INIT(hd_event);
        CHECK(hd_client_poll(client, 1, &ignored, &error) >= 0);
        if (hd_read_bodies(scene, &poses) == HD_OK)
            for (uint32_t k = 0; k < poses.count; k++)
                arrived |= poses.bodies[k].body == body &&
                           fabs(poses.bodies[k].world_from_body.position_m[0] - 0.01) < 1e-9;
    }
    STATUS(hd_halt_body(client, body, &error), HD_OK);
    several(client, &spec, body);
    command.lease_ms = 0;
    FAILS(hd_set_body_pose(client, &command, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_OUT_OF_RANGE && error.number == 0);
    command.lease_ms = 100, command.world_from_body.rotation_xyzw[3] = 2.0;
    FAILS(hd_set_body_pose(client, &command, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_MALFORMED);
    FAILS(hd_set_body_pose(client, NULL, &error), HD_INVALID);
    STATUS(hd_post_body_pose(client, &command, &error), HD_OK);
    hd_event refused = await(client, HD_EVENT_POST_REFUSED);
    CHECK(refused.daemon_code == HD_CODE_MALFORMED && refused.text[0] != 0);
    FAILS(hd_post_body_pose(client, NULL, &error), HD_INVALID);
    STATUS(hd_set_focus(client, 0, &error), HD_OK);
    STATUS(hd_set_focus(client, 1, &error), HD_OK);
    FAILS(hd_set_focus(client, 2, &error), HD_INVALID);
    /* A lease that ends. */
    command.lease_ms = 10, command.world_from_body = spec.world_from_body;
    STATUS(hd_set_body_pose(client, &command, &error), HD_OK);
    STATUS(hd_halt_body(client, body, &error), HD_OK);
    STATUS(hd_remove_body(client, body, &error), HD_OK);
    hd_event left = await(client, HD_EVENT_BODY_LEFT);
    CHECK(left.body == body && left.reason == HD_REMOVAL_REQUESTED);
    FAILS(hd_remove_body(client, body, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NO_SUCH_BODY && error.number == body);
    hd_subscription_free(scene);
}

/* Requests as bytes: what is no request of the protocol is not sent. */
static void exchanging(hd_client *client) {
    static const uint8_t zeros[5000] = {0};
    const uint8_t no_body[8] = {0xe7, 0x03}; /* body 999 */
    hd_request request = HD_INIT(hd_request);
    hd_answer answer = HD_INIT(hd_answer);
    request.kind = 0x0102, request.body = zeros, request.body_length = 8; /* ListArms */
    STATUS(hd_exchange(client, &request, &answer, &error), HD_OK);
    CHECK(answer.kind == 0x8105 && answer.descriptors == 0 && answer.body[0] == 1);
    CHECK(answer.body_length == 8 + 224 && answer.body[answer.body_length] == 0);
    request.file = zeros, request.file_length = 8;
    FAILS(hd_exchange(client, &request, &answer, &error), HD_INVALID);
    request.file = NULL, request.file_length = 0, request.body_length = 7;
    FAILS(hd_exchange(client, &request, &answer, &error), HD_INVALID);
    CHECK(error.number == 0x0102);
    request.body_length = 4081;
    FAILS(hd_exchange(client, &request, &answer, &error), HD_INVALID);
    CHECK(error.number == 4081 && error.limit == 4080);
    request.body_length = 8;
    const uint32_t kinds[] = {0, 0x8105, 0x10102, 0x010c}; /* The last is Goodbye. */
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        request.kind = kinds[k];
        FAILS(hd_exchange(client, &request, &answer, &error), HD_INVALID);
        CHECK(error.number == kinds[k]);
    }
    request.kind = 0x0107, request.body = no_body; /* RemoveBody */
    FAILS(hd_exchange(client, &request, &answer, &error), HD_REFUSED);
    CHECK(error.daemon_code == HD_CODE_NO_SUCH_BODY && error.number == 999);
    FAILS(hd_exchange(client, &request, NULL, &error), HD_INVALID);
    FAILS(hd_exchange(client, NULL, &answer, &error), HD_INVALID);
    FAILS(hd_exchange(NULL, &request, &answer, &error), HD_INVALID);
    request.body = NULL;
    FAILS(hd_exchange(client, &request, &answer, &error), HD_INVALID);
}

static void meshes(hd_client *client) {
    uint32_t count = 0, cloth = 0;
    hd_body_info info = HD_INIT(hd_body_info);
    STATUS(hd_bodies_refresh(client, &count, &error), HD_OK);
    for (uint32_t k = 0; k < count && cloth == 0; k++) {
        STATUS(hd_body_at(client, k, &info), HD_OK);
        cloth = info.kind == HD_BODY_CLOTH ? info.body : 0;
    }
    CHECK(cloth != 0);
    hd_surface *surface = NULL;
    hd_skin *skin = NULL;
    hd_shape *shape = NULL;
    hd_counts counts = {0, 0};
    FAILS(hd_open_skin(client, cloth, &skin, &error), HD_REFUSED);
    CHECK(skin == NULL && error.daemon_code == HD_CODE_NO_SKIN);
    FAILS(hd_open_shape(client, cloth, &shape, &error), HD_REFUSED);
    CHECK(shape == NULL && error.daemon_code == HD_CODE_NO_SHAPE);
    FAILS(hd_open_surface(client, cloth, NULL, &error), HD_INVALID);
    STATUS(hd_open_surface(client, cloth, &surface, &error), HD_OK);
    STATUS(hd_surface_counts(surface, &counts), HD_OK);
    CHECK(counts.triangles == info.triangles && counts.points > 100);
    /* Buffers of exactly that size: the sanitizer sees a byte more. */
    float *xyz = malloc(counts.points * sizeof(float[3]));
    uint32_t *indices = malloc(counts.triangles * sizeof(uint32_t[3]));
    CHECK(xyz != NULL && indices != NULL);
    STATUS(hd_surface_triangles(surface, indices, counts.triangles), HD_OK);
    for (size_t k = 0; k < 3 * (size_t)counts.triangles; k++)
        CHECK(indices[k] < counts.points);
    STATUS(hd_surface_triangles(surface, indices, counts.triangles - 1), HD_CAPACITY);
    hd_surface_frame frame = HD_INIT(hd_surface_frame);
    int32_t status;
    do
        status = hd_surface_read(surface, xyz, counts.points, &frame);
    while (status == HD_NOT_YET || status == HD_BUSY);
    STATUS(status, HD_OK);
    CHECK(frame.time_ns > 0 && hd_surface_version(surface) > 0);
    for (size_t k = 0; k < 3 * (size_t)counts.points; k++)
        CHECK(isfinite(xyz[k]));
    STATUS(hd_surface_read(surface, xyz, counts.points - 1, &frame), HD_CAPACITY);
    STATUS(hd_surface_read(surface, NULL, counts.points, &frame), HD_INVALID);
    frame.struct_size = 0;
    STATUS(hd_surface_read(surface, xyz, counts.points, &frame), HD_INVALID);
    STATUS(hd_surface_read(NULL, xyz, 1, NULL), HD_INVALID);
    CHECK(hd_surface_version(NULL) == 0 && hd_skin_version(NULL) == 0);
    STATUS(hd_surface_counts(surface, NULL), HD_INVALID);
    free(xyz), free(indices);
    hd_surface_free(surface);
    STATUS(hd_open_shape(client, HD_TOOL(0), &shape, &error), HD_OK);
    STATUS(hd_shape_counts(shape, &counts), HD_OK);
    CHECK(counts.points > 0 && counts.triangles > 0);
    xyz = malloc(counts.points * sizeof(float[3]));
    indices = malloc(counts.triangles * sizeof(uint32_t[3]));
    CHECK(xyz != NULL && indices != NULL);
    STATUS(hd_shape_points(shape, xyz, counts.points), HD_OK);
    STATUS(hd_shape_triangles(shape, indices, counts.triangles), HD_OK);
    STATUS(hd_shape_points(shape, xyz, counts.points - 1), HD_CAPACITY);
    STATUS(hd_shape_points(shape, NULL, counts.points), HD_INVALID);
    STATUS(hd_shape_triangles(NULL, indices, counts.triangles), HD_INVALID);
    free(xyz), free(indices);
    hd_shape_free(shape);
    FAILS(hd_open_surface(client, 12345, &surface, &error), HD_REFUSED);
    CHECK(surface == NULL && error.number == 12345);
}

static void *poll_for_ever(void *client) {
    hd_event event = HD_INIT(hd_event);
    int32_t status;
    do /* The other thread's short calls may be met. */
        status = hd_client_poll(client, -1, &event, NULL);
    while (status == HD_IN_USE);
    return (void *)(intptr_t)status;
}

static void another_thread(void) {
    hd_client *client = connect_as("shared", app_socket), *other = connect_as("other", app_socket);
    hd_subscription *events = NULL;
    STATUS(hd_subscribe(client, HD_ALL_ARMS, HD_TOPIC_EVENTS, &events, &error), HD_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, poll_for_ever, client) == 0);
    hd_welcome welcome = HD_INIT(hd_welcome);
    int32_t status;
    do
        status = hd_client_welcome(client, &welcome);
    while (status == HD_OK);
    STATUS(status, HD_IN_USE);
    FAILS(hd_set_focus(client, 1, &error), HD_IN_USE);
    hd_body_spec spec = box("wakes the thread");
    uint32_t body = 0;
    STATUS(hd_add_body(other, &spec, &body, &error), HD_OK);
    void *result = NULL;
    CHECK(pthread_join(thread, &result) == 0 && (intptr_t)result == HD_EVENT);
    STATUS(hd_client_welcome(client, &welcome), HD_OK);
    /* A panic poisons its handle and no other. */
    FAILS(hd_test_panic_client(client, &error), HD_PANIC);
    CHECK(strstr(error.message, "a planted mistake") != NULL);
    FAILS(hd_set_focus(client, 1, &error), HD_PANIC);
    STATUS(hd_client_fd(client), HD_PANIC);
    STATUS(hd_set_focus(other, 1, &error), HD_OK);
    hd_subscription_free(events);
    hd_client_free(client), hd_client_free(other);
}

static volatile sig_atomic_t interrupted;
static void interrupt(int number) {
    (void)number;
    interrupted++;
}

/* Signals do not end a wait early. */
static void signals(hd_client *client) {
    hd_subscription *arm = NULL;
    STATUS(hd_subscribe(client, 0, HD_TOPIC_STATE | HD_TOPIC_WAKE, &arm, &error), HD_OK);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt; /* Without SA_RESTART. */
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    hd_arm_state state = HD_INIT(hd_arm_state);
    hd_event event = HD_INIT(hd_event);
    int64_t start_ns = hd_now_ns();
    STATUS(hd_wait_tick(arm, UINT64_MAX, 100, &state), HD_TIMEOUT);
    CHECK(hd_now_ns() - start_ns >= 100000000);
    /* Events of others may come. */
    while (hd_client_poll(client, 0, &event, &error) == HD_EVENT)
        ;
    start_ns = hd_now_ns();
    STATUS(hd_client_poll(client, 100, &event, &error), HD_OK);
    CHECK(hd_now_ns() - start_ns >= 100000000);
    uint32_t count = 0;
    for (int k = 0; k < 100; k++)
        STATUS(hd_arms_refresh(client, &count, &error), HD_OK);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(interrupted > 0);
    hd_subscription_free(arm);
}

/* A daemon that does nothing holds nobody up for longer than was said. */
static void stopped(void) {
    hd_client *client = connect_as("patient", app_socket);
    hd_body_spec spec = box("patient"), late = box("late");
    hd_pose_command command = HD_INIT(hd_pose_command);
    uint32_t count = 0;
    STATUS(hd_add_body(client, &spec, &command.body, &error), HD_OK);
    STATUS(hd_client_set_timeout_ms(client, 50), HD_OK);
    command.world_from_body = spec.world_from_body, command.speed_m_s = 0.1;
    command.lease_ms = 100;
    CHECK(kill(daemon_pid, SIGSTOP) == 0);
    int32_t status;
    FAILS(hd_add_body(client, &late, &count, &error), HD_PENDING);
    do
        status = hd_post_body_pose(client, &command, &error);
    while (status == HD_OK);
    STATUS(status, HD_WOULD_WAIT);
    FAILS(hd_arms_refresh(client, &count, &error), HD_TIMEOUT);
    hd_event event = HD_INIT(hd_event);
    STATUS(hd_client_poll(client, 300, &event, &error), HD_OK); /* Its renewals would wait. */
    CHECK(kill(daemon_pid, SIGCONT) == 0);
    hd_client_free(client);
}

static void *wait_for_ever(void *arm) {
    hd_arm_state state = HD_INIT(hd_arm_state);
    int32_t status = hd_wait_tick(arm, UINT64_MAX, -1, &state);
    return (void *)(intptr_t)status;
}

/* The daemon is killed while threads wait for it. */
static void killed(void) {
    hd_client *client = connect_as("survivor", app_socket), *polls = connect_as("p", app_socket);
    hd_subscription *arm = NULL;
    hd_arm_state state = HD_INIT(hd_arm_state);
    STATUS(hd_subscribe(client, 0, HD_TOPIC_STATE | HD_TOPIC_WAKE, &arm, &error), HD_OK);
    STATUS(hd_wait_tick(arm, 0, -1, &state), HD_OK);
    STATUS(hd_client_set_timeout_ms(client, -1), HD_OK);
    pthread_t waits, asks;
    CHECK(pthread_create(&waits, NULL, wait_for_ever, arm) == 0);
    CHECK(pthread_create(&asks, NULL, poll_for_ever, polls) == 0);
    CHECK(kill(daemon_pid, SIGKILL) == 0);
    void *result = NULL;
    CHECK(pthread_join(waits, &result) == 0 && (intptr_t)result == HD_GONE);
    CHECK(pthread_join(asks, &result) == 0 && (intptr_t)result == HD_GONE);
    hd_event event = HD_INIT(hd_event);
    hd_limits limits = HD_INIT(hd_limits);
    hd_pose_command command = HD_INIT(hd_pose_command);
    hd_body_spec spec = box("after");
    hd_subscription *none = NULL;
    hd_surface *surface = NULL;
    hd_skin *skin = NULL;
    hd_shape *shape = NULL;
    uint32_t count = 0;
    size_t length = 0;
    for (int again = 0; again < 2; again++) {
        FAILS(hd_client_poll(client, -1, &event, &error), HD_GONE);
        FAILS(hd_arms_refresh(client, &count, &error), HD_GONE);
        FAILS(hd_bodies_refresh(client, &count, &error), HD_GONE);
        FAILS(hd_get_limits(client, 0, &limits, &error), HD_GONE);
        FAILS(hd_tighten_limits(client, 0, &limits, &error), HD_GONE);
        FAILS(hd_subscribe(client, 0, HD_TOPIC_STATE, &none, &error), HD_GONE);
        FAILS(hd_set_body_pose(client, &command, &error), HD_GONE);
        FAILS(hd_post_body_pose(client, &command, &error), HD_GONE);
        FAILS(hd_halt_body(client, 1, &error), HD_GONE);
        FAILS(hd_add_body(client, &spec, &count, &error), HD_GONE);
        FAILS(hd_remove_body(client, 1, &error), HD_GONE);
        FAILS(hd_set_focus(client, 1, &error), HD_GONE);
        FAILS(hd_renew_leases(client, 100, &error), HD_GONE);
        FAILS(hd_release_limits(client, 0, &error), HD_GONE);
        FAILS(hd_clear_fault(client, 0, &error), HD_GONE);
        FAILS(hd_reload(client, &error), HD_GONE);
        FAILS(hd_shutdown(client, &error), HD_GONE);
        FAILS(hd_status_json(client, NULL, 0, &length, &error), HD_GONE);
        FAILS(hd_open_shape(client, 1, &shape, &error), HD_GONE);
        FAILS(hd_open_surface(client, 1, &surface, &error), HD_GONE);
        FAILS(hd_open_skin(client, 1, &skin, &error), HD_GONE);
        STATUS(hd_wait_tick(arm, UINT64_MAX, -1, &state), HD_GONE);
        STATUS(hd_wake_clear(arm), HD_GONE);
    }
    CHECK(hd_client_fd(client) >= 0);
    hd_client_free(client), hd_client_free(polls);
    /* The last state stays, also without the client. A daemon killed inside a write leaves none. */
    int32_t last = hd_read_state(arm, &state);
    CHECK((last == HD_OK && state.tick > 0) || last == HD_BUSY);
    hd_subscription_free(arm);
    hd_connect_options options = HD_INIT(hd_connect_options);
    options.abi_version = HD_ABI_VERSION, options.name = "late", options.name_length = 4;
    options.socket = app_socket, options.socket_length = strlen(app_socket);
    int32_t status;
    do /* While the kernel ends the daemon its socket still takes connections. */
        status = hd_connect_with(&options, &client, &error);
    while (status == HD_GONE);
    STATUS(status, HD_NO_DAEMON);
    CHECK(client == NULL && error.number == ECONNREFUSED);
}

static void skins(void) {
    hd_client *client = connect_as("skins", app_socket);
    uint32_t count = 0, coil = 0;
    hd_body_info info = HD_INIT(hd_body_info);
    STATUS(hd_bodies_refresh(client, &count, &error), HD_OK);
    for (uint32_t k = 0; k < count && coil == 0; k++) {
        STATUS(hd_body_at(client, k, &info), HD_OK);
        coil = info.kind == HD_BODY_IMPLICIT ? info.body : 0;
    }
    CHECK(coil != 0);
    hd_skin *skin = NULL;
    hd_counts most = {0, 0};
    STATUS(hd_open_skin(client, coil, &skin, &error), HD_OK);
    STATUS(hd_skin_capacity(skin, &most), HD_OK);
    STATUS(hd_skin_capacity(skin, NULL), HD_INVALID);
    CHECK(most.points > 0 && most.triangles == info.triangles);
    hd_skin_buffers to = HD_INIT(hd_skin_buffers);
    hd_skin_frame frame = HD_INIT(hd_skin_frame);
    int32_t status;
    do /* Nothing is wanted but the header. */
        status = hd_skin_read(skin, &to, &frame);
    while (status == HD_NOT_YET || status == HD_BUSY);
    STATUS(status, HD_OK);
    CHECK(frame.points > 0 && frame.triangles > 0 && frame.cell_m > 0.0 && frame.time_ns > 0);
    CHECK(hd_skin_version(skin) > 0);
    to.point_capacity = most.points, to.triangle_capacity = most.triangles;
    to.points_m = malloc(most.points * sizeof(float[3]));
    to.normals = malloc(most.points * sizeof(float[3]));
    to.velocities_m_s = malloc(most.points * sizeof(float[3]));
    to.triangles = malloc(most.triangles * sizeof(uint32_t[3]));
    CHECK(to.points_m && to.normals && to.velocities_m_s && to.triangles);
    while ((status = hd_skin_read(skin, &to, &frame)) == HD_BUSY)
        ;
    STATUS(status, HD_OK);
    for (size_t k = 0; k < 3 * (size_t)frame.points; k++)
        CHECK(isfinite(to.points_m[k]) && fabs(to.normals[k]) < 1.0001 &&
              isfinite(to.velocities_m_s[k]));
    for (size_t k = 0; k < 3 * (size_t)frame.triangles; k++)
        CHECK(to.triangles[k] < frame.points);
    to.triangle_capacity = 1;
    while ((status = hd_skin_read(skin, &to, &frame)) == HD_BUSY)
        ;
    STATUS(status, HD_CAPACITY);
    CHECK(frame.triangles > 1);
    to.triangle_capacity = most.triangles, to.point_capacity = 1;
    while ((status = hd_skin_read(skin, &to, &frame)) == HD_BUSY)
        ;
    STATUS(status, HD_CAPACITY);
    STATUS(hd_skin_read(skin, NULL, &frame), HD_INVALID);
    STATUS(hd_skin_read(skin, &to, NULL), HD_INVALID);
    STATUS(hd_skin_read(NULL, &to, &frame), HD_INVALID);
    free(to.points_m), free(to.normals), free(to.velocities_m_s), free(to.triangles);
    hd_subscription *events = NULL;
    STATUS(hd_subscribe(client, 0, HD_TOPIC_EVENTS, &events, &error), HD_OK);
    hd_client *chief = connect_as("chief", technician_socket);
    STATUS(hd_shutdown(chief, &error), HD_OK);
    await(client, HD_EVENT_SHUTTING_DOWN);
    hd_event event = HD_INIT(hd_event);
    do
        status = hd_client_poll(client, -1, &event, &error);
    while (status == HD_EVENT);
    STATUS(status, HD_GONE);
    /* What was mapped stays. */
    to = (hd_skin_buffers)HD_INIT(hd_skin_buffers);
    status = hd_skin_read(skin, &to, &frame);
    CHECK(status == HD_OK || status == HD_BUSY);
    hd_skin_free(skin), hd_subscription_free(events);
    hd_client_free(client), hd_client_free(chief);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    snprintf(app_socket, sizeof app_socket, "%s/app.sock", argv[1]);
    snprintf(technician_socket, sizeof technician_socket, "%s/technician.sock", argv[1]);
    daemon_pid = (pid_t)atol(argv[2]);
    if (argc > 3) {
        skins();
        puts("skins");
        return 0;
    }
    library();
    connecting();
    hd_client *client = connect_as("behave", app_socket);
    CHECK((fcntl(hd_client_fd(client), F_GETFD) & FD_CLOEXEC) != 0);
    errors_of_every_size(client);
    lists(client);
    technician();
    state(client);
    bodies(client);
    workspaces();
    exchanging(client);
    meshes(client);
    signals(client);
    another_thread();
    hd_client_free(client);
    stopped();
    killed();
    puts("every function, every status");
    return 0;
}
