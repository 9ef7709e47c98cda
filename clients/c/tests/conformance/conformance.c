/* The conformance script by hapticd.h; conformance.h has what its runners share. */
#include <hapticd.h>

#include "conformance.h"

static hd_client *client;

static int32_t exchange(struct run *run, uint32_t kind, struct bytes body, hd_answer *answer) {
    hd_request request = HD_INIT(hd_request);
    request.kind = kind;
    request.body = body.data;
    request.body_length = body.length;
    request.file = run->step->file;
    request.file_length = run->step->file_length;
    return hd_exchange(client, &request, answer, &run->error);
}

static void list_arms(struct run *run) {
    uint32_t count = 0;
    if (!done(run, hd_arms_refresh(client, &count, &run->error), "Arms"))
        return;
    for (uint32_t k = 0; k < count; k++) {
        hd_arm_info arm = HD_INIT(hd_arm_info);
        if (hd_arm_at(client, k, &arm) != HD_OK)
            fail(run, "no arm", "hd_arm_at");
        say_arm(run, k, &arm);
    }
}

static void list_bodies(struct run *run) {
    if (whole(run, "skip") > 0) {
        hd_answer answer = HD_INIT(hd_answer);
        struct bytes body = short_body(whole(run, "skip"));
        if (done(run, exchange(run, REQUEST_ListBodies, body, &answer), "Bodies"))
            say_page(run, &answer);
        return;
    }
    uint32_t count = 0;
    if (!done(run, hd_bodies_refresh(client, &count, &run->error), "Bodies"))
        return;
    say(run, count, "total");
    say(run, 0, "skipped");
    for (uint32_t k = 0; k < count; k++) {
        hd_body_info body = HD_INIT(hd_body_info);
        if (hd_body_at(client, k, &body) != HD_OK)
            fail(run, "no body", "hd_body_at");
        say_body(run, k, &body);
    }
}

/* Both ways: one says which blocks there are, the other maps them. */
static void subscribe(struct run *run) {
    hd_answer answer = HD_INIT(hd_answer);
    hd_subscription *subscription = NULL;
    uint32_t arm = whole(run, "arm"), topics = whole(run, "topics");
    int32_t mapped = hd_subscribe(client, arm, topics, &subscription, &run->error);
    struct bytes body = short_body(arm | topics << 8);
    int32_t status = exchange(run, REQUEST_Subscribe, body, &answer);
    if (status != mapped)
        fail(run, "another status", "hd_subscribe");
    if (!done(run, status, "Subscribed"))
        return;
    say_blocks(run, &answer);
    hd_arm_state state = HD_INIT(hd_arm_state);
    hd_contacts contacts = HD_INIT(hd_contacts);
    hd_bodies bodies = HD_INIT(hd_bodies);
    hd_needle needle = HD_INIT(hd_needle);
    unsigned blocks = hd_read_state(subscription, &state) != HD_NOT_SUBSCRIBED;
    blocks += hd_read_contacts(subscription, &contacts) != HD_NOT_SUBSCRIBED;
    blocks += hd_read_bodies(subscription, &bodies) != HD_NOT_SUBSCRIBED;
    blocks += hd_read_needle(subscription, &needle) != HD_NOT_SUBSCRIBED;
    blocks += hd_wake_fd(subscription) != HD_NOT_SUBSCRIBED;
    if (blocks != answer.descriptors)
        fail(run, "other blocks", "hd_subscribe");
    hd_subscription_free(subscription);
}

static void get_limits(struct run *run) {
    hd_limits limits = HD_INIT(hd_limits);
    if (done(run, hd_get_limits(client, whole(run, "arm"), &limits, &run->error), "Limits"))
        say_limits(run, &limits);
}

static void set_body_pose(struct run *run) {
    hd_pose_command command = pose_command(run);
    done(run, hd_set_body_pose(client, &command, &run->error), "Done");
}

static void set_body_poses(struct run *run) {
    hd_body_target targets[HD_MAX_TARGETS];
    uint32_t count = whole(run, "targets");
    for (uint32_t k = 0; k < count; k++)
        targets[k] = target_at(run, k);
    done(run, hd_set_body_poses(client, targets, count, &run->error), "Done");
}

static void halt_body(struct run *run) {
    done(run, hd_halt_body(client, whole(run, "body"), &run->error), "Done");
}

/* The answer's triangles are those of the list. */
static void say_added(struct run *run, uint32_t body) {
    uint32_t count = 0;
    hd_body_info info = HD_INIT(hd_body_info);
    if (hd_bodies_refresh(client, &count, &run->error) != HD_OK)
        fail(run, "no list", "hd_bodies_refresh");
    for (uint32_t k = 0; k < count && info.body != body; k++)
        hd_body_at(client, k, &info);
    if (info.body != body)
        fail(run, "not in the list", "hd_body_at");
    say(run, body, "body");
    say(run, info.triangles, "triangles");
}

static void add_body(struct run *run) {
    hd_counts counts = mesh_counts(run->step);
    hd_body_spec spec = body_spec(run, 0);
    hd_answer answer = HD_INIT(hd_answer);
    double positions[3 * 16];
    uint32_t triangles[3 * 16], body = 0;
    int32_t status;
    if (counts.points == 0) {
        status = exchange(run, REQUEST_AddBody, add_body_body(run), &answer);
        body = word(answer.body);
    } else {
        copy_mesh(run->step, counts, positions, triangles);
        spec.positions_m = positions;
        spec.vertex_count = counts.points;
        spec.triangles = triangles;
        spec.triangle_count = counts.triangles;
        status = hd_add_body(client, &spec, &body, &run->error);
    }
    if (done(run, status, "BodyAdded"))
        say_added(run, body);
}

static void add_instance(struct run *run) {
    hd_body_spec spec = body_spec(run, 1);
    uint32_t body = 0, of = whole(run, "of");
    if (done(run, hd_add_instance(client, &spec, of, &body, &run->error), "BodyAdded"))
        say_added(run, body);
}

static void set_material(struct run *run) {
    hd_material made = material(run);
    done(run, hd_set_material(client, whole(run, "body"), &made, &run->error), "Done");
}

static void set_effect(struct run *run) {
    hd_effect numbers = effect_numbers(run);
    uint32_t effect = whole(run, "effect");
    if (done(run, hd_set_effect(client, &numbers, &effect, &run->error), "EffectSet"))
        say(run, effect, "effect");
}

static void stop_effect(struct run *run) {
    done(run, hd_stop_effect(client, whole(run, "effect"), &run->error), "Done");
}

static void grasp_body(struct run *run) {
    done(run, hd_grasp_body(client, whole(run, "arm"), whole(run, "body"), &run->error), "Done");
}

static void release_body(struct run *run) {
    done(run, hd_release_body(client, whole(run, "arm"), &run->error), "Done");
}

static void set_workspace(struct run *run) {
    hd_workspace numbers = workspace_numbers(run);
    done(run, hd_set_workspace(client, &numbers, &run->error), "Done");
}

static void set_clutch(struct run *run) {
    uint32_t arm = whole(run, "arm"), engaged = whole(run, "engaged");
    done(run, hd_set_clutch(client, arm, engaged, &run->error), "Done");
}

static void teleport_body(struct run *run) {
    hd_pose pose = pose_at(run, "");
    done(run, hd_teleport_body(client, whole(run, "body"), &pose, &run->error), "Done");
}

static void push_body(struct run *run) {
    hd_push push = push_numbers(run);
    done(run, hd_push_body(client, &push, &run->error), "Done");
}

static void remove_body(struct run *run) {
    done(run, hd_remove_body(client, whole(run, "body"), &run->error), "Done");
}

static void open_shape(struct run *run) {
    hd_shape *shape = NULL;
    hd_counts counts = {0, 0};
    uint32_t body = whole(run, "body");
    if (!done(run, hd_open_shape(client, body, &shape, &run->error), "Shape"))
        return;
    hd_shape_counts(shape, &counts);
    say_opened(run, body, counts.triangles);
    hd_shape_free(shape);
}

static void open_surface(struct run *run) {
    hd_surface *surface = NULL;
    hd_counts counts = {0, 0};
    uint32_t body = whole(run, "body");
    if (!done(run, hd_open_surface(client, body, &surface, &run->error), "Surface"))
        return;
    hd_surface_counts(surface, &counts);
    say_opened(run, body, counts.triangles);
    hd_surface_free(surface);
}

static void open_skin(struct run *run) {
    hd_skin *skin = NULL;
    hd_counts counts = {0, 0};
    uint32_t body = whole(run, "body");
    if (!done(run, hd_open_skin(client, body, &skin, &run->error), "Skin"))
        return;
    hd_skin_capacity(skin, &counts);
    say_opened(run, body, counts.triangles);
    hd_skin_free(skin);
}

/* Both ways: one waits for the answer, of the other a refusal comes as an event. */
static void renew_leases(struct run *run) {
    hd_answer answer = HD_INIT(hd_answer);
    hd_event event = HD_INIT(hd_event);
    uint32_t lease_ms = whole(run, "lease_ms");
    struct bytes body = short_body(lease_ms);
    int is_done = done(run, exchange(run, REQUEST_RenewLeases, body, &answer), "Done");
    if (hd_renew_leases(client, lease_ms, &run->error) != HD_OK)
        fail(run, "not posted", "hd_renew_leases");
    if (is_done)
        return;
    do
        if (hd_client_poll(client, -1, &event, &run->error) != HD_EVENT)
            fail(run, "no event", "hd_client_poll");
    while (event.kind != HD_EVENT_POST_REFUSED);
    say_refused(run, &event);
}

static void set_focus(struct run *run) {
    done(run, hd_set_focus(client, whole(run, "focused"), &run->error), "Done");
}

static void tighten_limits(struct run *run) {
    hd_limits limits = limits_to_tighten(run);
    done(run, hd_tighten_limits(client, whole(run, "arm"), &limits, &run->error), "Done");
}

static void get_status(struct run *run) {
    static char json[1 << 20];
    size_t length = 0;
    if (!done(run, hd_status_json(client, json, sizeof json, &length, &run->error), "Status"))
        return;
    say(run, (double)length, "bytes");
    run->descriptors = json[0] == '{' && strlen(json) == length;
}

static void reload(struct run *run) { done(run, hd_reload(client, &run->error), "Done"); }

static void end(struct run *run) { done(run, hd_shutdown(client, &run->error), "Done"); }

static void clear_fault(struct run *run) {
    done(run, hd_clear_fault(client, whole(run, "arm"), &run->error), "Done");
}

static void release_limits(struct run *run) {
    done(run, hd_release_limits(client, whole(run, "arm"), &run->error), "Done");
}

static void hello(struct run *run) {
    hd_answer answer = HD_INIT(hd_answer);
    done(run, exchange(run, REQUEST_Hello, hello_body(run), &answer), "Welcome");
}

int main(int count, char **arguments) {
    static struct run run;
    hd_connect_options options = HD_INIT(hd_connect_options);
    if (count != 5)
        return 2;
    run.error.struct_size = sizeof run.error;
    options.abi_version = HD_ABI_VERSION;
    options.name = "conformance";
    options.name_length = strlen(options.name);
    options.socket = arguments[2];
    options.socket_length = strlen(arguments[2]);
    options.patience_ms = -1;
    if (hd_connect_with(&options, &client, &run.error) != HD_OK)
        fail(&run, "no connection", arguments[2]);
    play(&run, arguments);
    hd_client_free(client);
    return 0;
}
