/*
 * What the runners of the conformance script share: the table, what an answer says, and the
 * comparison. conformance.c sends the requests by hapticd.h, conformance.cpp by hapticd.hpp.
 *
 *     conformance PART SOCKET CONFIGURATION FOLDER
 *
 * FOLDER has the files that a step puts in the place of the daemon's CONFIGURATION.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a value is; KEPT: `text` is the name of a number that was kept. */
enum { NUMBER, TEXT, KEPT };

/* A field of a request or of an answer. In `keeps` of a step: what of an answer is kept as what. */
struct value {
    const char *path;
    int kind;
    double number;
    const char *text;
};

struct step {
    const char *request;
    const struct value *fields;
    size_t field_count;
    const char *answer; /* NULL: none */
    const struct value *gives;
    size_t give_count;
    const struct value *keeps;
    size_t keep_count;
    const unsigned char *file; /* a mesh */
    size_t file_length;
    unsigned descriptors;
    const char *replace; /* the file that becomes the configuration first */
};

struct part {
    const char *name;
    const struct step *steps;
    size_t count;
};

#include "script.h"

/* A field of the answer that came. */
struct fact {
    char path[48];
    int kind;
    double number;
    char text[sizeof((hd_error *)0)->message];
};

/* A connection in the middle of a part. */
struct run {
    const struct step *step;
    char where[160];
    const char *answer;
    unsigned descriptors;
    struct fact facts[400];
    size_t fact_count;
    struct fact kept[16];
    size_t kept_count;
    hd_error error;
};

static void fail(const struct run *run, const char *why, const char *what) {
    fprintf(stderr, "%s: %s: %s (%s)\n", run->where, why, what, run->error.message);
    exit(1);
}

/* ---- A step's fields ---- */

static const struct value *field(const struct run *run, const char *path) {
    for (size_t k = 0; k < run->step->field_count; k++)
        if (strcmp(run->step->fields[k].path, path) == 0)
            return &run->step->fields[k];
    fail(run, "no such field", path);
    return NULL;
}

static double kept(const struct run *run, const char *name) {
    for (size_t k = 0; k < run->kept_count; k++)
        if (strcmp(run->kept[k].path, name) == 0)
            return run->kept[k].number;
    fail(run, "nothing was kept as", name);
    return 0.0;
}

static double number_at(const struct run *run, const char *prefix, const char *name) {
    char path[96];
    snprintf(path, sizeof path, "%s%s", prefix, name);
    const struct value *found = field(run, path);
    if (found->kind == TEXT)
        fail(run, "a text is no number", path);
    return found->kind == KEPT ? kept(run, found->text) : found->number;
}

static double number(const struct run *run, const char *name) { return number_at(run, "", name); }

static uint32_t whole_at(const struct run *run, const char *prefix, const char *name) {
    double value = number_at(run, prefix, name);
    if (value < 0.0 || value > UINT32_MAX || floor(value) != value)
        fail(run, "no whole number", name);
    return (uint32_t)value;
}

static uint32_t whole(const struct run *run, const char *name) { return whole_at(run, "", name); }

static const char *text(const struct run *run, const char *name) {
    const struct value *found = field(run, name);
    if (found->kind != TEXT)
        fail(run, "a number is no text", name);
    return found->text;
}

static hd_pose pose_of(const struct run *run, const char *prefix, const char *of) {
    hd_pose pose;
    char name[32];
    for (int k = 0; k < 7; k++) {
        snprintf(name, sizeof name, "%s.%d", of, k);
        double *to = k < 3 ? &pose.position_m[k] : &pose.rotation_xyzw[k - 3];
        *to = number_at(run, prefix, name);
    }
    return pose;
}

static hd_pose pose_at(const struct run *run, const char *prefix) {
    return pose_of(run, prefix, "world_from_body");
}

static hd_pose_command pose_command(const struct run *run) {
    hd_pose_command command = HD_INIT(hd_pose_command);
    command.world_from_body = pose_at(run, "");
    command.speed_m_s = number(run, "speed_m_s");
    command.body = whole(run, "body");
    command.lease_ms = whole(run, "lease_ms");
    return command;
}

static hd_body_target target_at(const struct run *run, unsigned index) {
    hd_body_target target;
    char prefix[24];
    snprintf(prefix, sizeof prefix, "targets.%u.", index);
    target.world_from_body = pose_at(run, prefix);
    target.speed_m_s = number_at(run, prefix, "speed_m_s");
    target.body = whole_at(run, prefix, "body");
    target.lease_ms = whole_at(run, prefix, "lease_ms");
    return target;
}

static hd_material material(const struct run *run) {
    hd_material made = HD_INIT(hd_material);
    made.stiffness_n_per_m = number(run, "stiffness_n_per_m");
    made.damping_n_s_per_m = number(run, "damping_n_s_per_m");
    made.friction = number(run, "friction");
    return made;
}

/* A triple: its numbers stand at their index. */
static void triple(const struct run *run, const char *name, double *to) {
    char prefix[48];
    const char *const places[3] = {"0", "1", "2"};
    snprintf(prefix, sizeof prefix, "%s.", name);
    for (size_t k = 0; k < 3; k++)
        to[k] = number_at(run, prefix, places[k]);
}

static hd_effect effect_numbers(const struct run *run) {
    hd_effect made = HD_INIT(hd_effect);
    made.arm = whole(run, "arm");
    made.kind = whole(run, "kind");
    made.waveform = whole(run, "waveform");
    made.shape = whole(run, "shape");
    triple(run, "place_m", made.place_m);
    triple(run, "axis", made.axis);
    made.magnitude_n = number(run, "magnitude_n");
    made.second_n = number(run, "second_n");
    made.coefficient = number(run, "coefficient");
    made.frequency_hz = number(run, "frequency_hz");
    made.phase = number(run, "phase");
    made.dead_band_m = number(run, "dead_band_m");
    made.range_m = number(run, "range_m");
    made.cap_n = number(run, "cap_n");
    made.delay_s = number(run, "delay_s");
    made.duration_s = number(run, "duration_s");
    made.attack_s = number(run, "attack_s");
    made.attack_level = number(run, "attack_level");
    made.fade_s = number(run, "fade_s");
    made.fade_level = number(run, "fade_level");
    return made;
}

static hd_workspace workspace_numbers(const struct run *run) {
    hd_workspace made = HD_INIT(hd_workspace);
    made.arm = whole(run, "arm");
    made.recentre = whole(run, "recentre");
    made.world_from_base = pose_of(run, "", "world_from_base");
    made.scale = number(run, "scale");
    made.max_speed_m_s = number(run, "max_speed_m_s");
    triple(run, "bubble_center_m", made.bubble_center_m);
    made.bubble_radius_m = number(run, "bubble_radius_m");
    made.bubble_width_m = number(run, "bubble_width_m");
    made.bubble_speed_m_s = number(run, "bubble_speed_m_s");
    made.bubble_stiffness_n_per_m = number(run, "bubble_stiffness_n_per_m");
    made.bubble_cap_n = number(run, "bubble_cap_n");
    return made;
}

static hd_push push_numbers(const struct run *run) {
    hd_push made = HD_INIT(hd_push);
    made.body = whole(run, "body");
    made.mode = whole(run, "mode");
    triple(run, "linear", made.linear);
    triple(run, "angular", made.angular);
    triple(run, "point_m", made.point_m);
    return made;
}

static hd_limits limits_to_tighten(const struct run *run) {
    hd_limits made = HD_INIT(hd_limits);
    made.peak_force_n = number(run, "peak_force_n");
    made.continuous_force_n = number(run, "continuous_force_n");
    made.peak_torque_nm = number(run, "peak_torque_nm");
    made.continuous_torque_nm = number(run, "continuous_torque_nm");
    made.slew_n_per_s = number(run, "slew_n_per_s");
    made.slew_nm_per_s = number(run, "slew_nm_per_s");
    made.velocity_m_s = number(run, "velocity_m_s");
    made.angular_velocity_rad_s = number(run, "angular_velocity_rad_s");
    return made;
}

/* Of AddBody and AddInstance; without the mesh. */
static hd_body_spec body_spec(const struct run *run, int is_instance) {
    hd_body_spec spec = HD_INIT(hd_body_spec);
    spec.name = text(run, "name");
    spec.name_length = strlen(spec.name);
    spec.kind = whole(run, "kind");
    spec.world_from_body = pose_at(run, "");
    spec.stiffness_n_per_m = number(run, "stiffness_n_per_m");
    spec.damping_n_s_per_m = number(run, "damping_n_s_per_m");
    spec.friction = number(run, "friction");
    spec.restitution = number(run, "restitution");
    spec.density_kg_m3 = number(run, "density_kg_m3");
    spec.solid = is_instance ? 0 : whole(run, "solid");
    return spec;
}

/* ---- Bytes, for hd_exchange ---- */

struct bytes {
    unsigned char data[512];
    size_t length;
};

static void put(struct bytes *to, uint64_t value, unsigned count) {
    for (unsigned k = 0; k < count; k++)
        to->data[to->length++] = (unsigned char)(value >> (8 * k));
}

static void put_number(struct bytes *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(to, bits, 8);
}

static void put_name(struct bytes *to, const char *name) {
    size_t length = strlen(name);
    memset(to->data + to->length, 0, 64);
    memcpy(to->data + to->length, name, length);
    to->length += 64;
}

static uint32_t word(const unsigned char *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static struct bytes hello_body(const struct run *run) {
    struct bytes body = {{0}, 0};
    put(&body, strtoull(text(run, "magic"), NULL, 10), 8);
    put(&body, whole(run, "major"), 2);
    put(&body, whole(run, "minor"), 2);
    put(&body, whole(run, "features"), 4);
    put_name(&body, text(run, "name"));
    return body;
}

/* Of AddBody, for a file that is no mesh. */
static struct bytes add_body_body(const struct run *run) {
    hd_body_spec spec = body_spec(run, 0);
    struct bytes body = {{0}, 0};
    put_name(&body, spec.name);
    for (int k = 0; k < 3; k++)
        put_number(&body, spec.world_from_body.position_m[k]);
    for (int k = 0; k < 4; k++)
        put_number(&body, spec.world_from_body.rotation_xyzw[k]);
    put_number(&body, spec.stiffness_n_per_m);
    put_number(&body, spec.damping_n_s_per_m);
    put_number(&body, spec.friction);
    put_number(&body, spec.restitution);
    put_number(&body, spec.density_kg_m3);
    put(&body, spec.kind, 1);
    put(&body, spec.solid, 1);
    put(&body, 0, 6);
    return body;
}

/* A body of 8 bytes: small fields packed into one number, then zeros. */
static struct bytes short_body(uint64_t value) {
    struct bytes body = {{0}, 0};
    put(&body, value, 8);
    return body;
}

/* Counts of a mesh file; 0 where hd_body_spec cannot say what is in it. */
static hd_counts mesh_counts(const struct step *step) {
    hd_counts counts = {0, 0}, none = {0, 0};
    if (step->file_length < 32 || word(step->file + 12) != 8)
        return none;
    counts.points = word(step->file + 16);
    counts.triangles = word(step->file + 20);
    size_t length = 32 + (size_t)counts.points * 24 + (size_t)counts.triangles * 12;
    return length == step->file_length ? counts : none;
}

/* Copies vertices and triangles out of a mesh file. */
static void copy_mesh(const struct step *step, hd_counts counts, double *xyz, uint32_t *corners) {
    memcpy(xyz, step->file + 32, (size_t)counts.points * 24);
    memcpy(corners, step->file + 32 + (size_t)counts.points * 24, (size_t)counts.triangles * 12);
}

/* ---- What an answer says ---- */

static struct fact *new_fact(struct run *run, const char *form, va_list arguments) {
    if (run->fact_count == sizeof run->facts / sizeof run->facts[0])
        fail(run, "too long an answer", run->step->request);
    struct fact *fact = &run->facts[run->fact_count++];
    vsnprintf(fact->path, sizeof fact->path, form, arguments);
    return fact;
}

static void say(struct run *run, double value, const char *form, ...) {
    va_list arguments;
    va_start(arguments, form);
    struct fact *fact = new_fact(run, form, arguments);
    va_end(arguments);
    fact->kind = NUMBER;
    fact->number = value;
}

static void say_text(struct run *run, const char *value, const char *form, ...) {
    va_list arguments;
    va_start(arguments, form);
    struct fact *fact = new_fact(run, form, arguments);
    va_end(arguments);
    fact->kind = TEXT;
    snprintf(fact->text, sizeof fact->text, "%s", value);
}

/* Files the outcome of a call; returns whether the daemon carried it out. */
static int done(struct run *run, int32_t status, const char *answer) {
    if (status == HD_OK) {
        run->answer = answer;
        return 1;
    }
    if (status != HD_REFUSED)
        fail(run, "it cannot be sent", hd_status_text(status));
    run->answer = "Error";
    say(run, run->error.daemon_code, "code");
    say(run, (double)run->error.number, "number");
    say(run, (double)run->error.limit, "limit");
    say_text(run, run->error.message, "detail");
    return 0;
}

static void say_arm(struct run *run, unsigned k, const hd_arm_info *arm) {
    say_text(run, arm->name, "arms.%u.name", k);
    say(run, arm->index, "arms.%u.index", k);
    say(run, arm->sensed_dof, "arms.%u.sensed_dof", k);
    say(run, arm->actuated_dof, "arms.%u.actuated_dof", k);
    say(run, arm->scale, "arms.%u.scale", k);
    say(run, arm->tool_radius_m, "arms.%u.tool_radius_m", k);
}

static void say_body(struct run *run, unsigned k, const hd_body_info *body) {
    say_text(run, body->name, "bodies.%u.name", k);
    say(run, body->body, "bodies.%u.body", k);
    say(run, body->kind, "bodies.%u.kind", k);
    say(run, body->owned, "bodies.%u.owned", k);
    say(run, body->triangles, "bodies.%u.triangles", k);
}

/* One page of the bodies, as bytes. */
static void say_page(struct run *run, const hd_answer *answer) {
    say(run, word(answer->body), "total");
    say(run, word(answer->body + 4), "skipped");
    for (unsigned k = 0; k < word(answer->body + 8); k++) {
        const unsigned char *from = answer->body + 16 + 80 * k;
        hd_body_info body = HD_INIT(hd_body_info);
        memcpy(body.name, from, sizeof body.name);
        body.body = word(from + 64);
        body.triangles = word(from + 68);
        body.kind = from[72];
        body.owned = from[73];
        say_body(run, k, &body);
    }
}

static void say_blocks(struct run *run, const hd_answer *answer) {
    for (unsigned k = 0; k < word(answer->body); k++) {
        say(run, word(answer->body + 8 + 8 * k) & 0xffff, "blocks.%u.kind", k);
        say(run, word(answer->body + 8 + 8 * k) >> 16, "blocks.%u.arm", k);
    }
    run->descriptors = answer->descriptors;
}

static void say_limits(struct run *run, const hd_limits *limits) {
    say(run, limits->arm, "arm");
    say(run, limits->peak_force_n, "peak_force_n");
    say(run, limits->continuous_force_n, "continuous_force_n");
    say(run, limits->peak_torque_nm, "peak_torque_nm");
    say(run, limits->continuous_torque_nm, "continuous_torque_nm");
    say(run, limits->slew_n_per_s, "slew_n_per_s");
    say(run, limits->slew_nm_per_s, "slew_nm_per_s");
    say(run, limits->velocity_m_s, "velocity_m_s");
    say(run, limits->angular_velocity_rad_s, "angular_velocity_rad_s");
}

/* A body that was opened: what its descriptor holds has triangles. */
static void say_opened(struct run *run, uint32_t body, uint32_t triangles) {
    say(run, body, "body");
    run->descriptors = triangles > 0;
}

/* The refusal of a posted request is that of the same request which waited. */
static void say_refused(struct run *run, const hd_event *event) {
    if (event->daemon_code != run->facts[0].number || event->number != run->facts[1].number ||
        event->limit != run->facts[2].number)
        fail(run, "another refusal", event->text);
}

/* ---- The comparison ---- */

static const struct fact *fact_at(const struct run *run, const char *path) {
    for (size_t k = 0; k < run->fact_count; k++)
        if (strcmp(run->facts[k].path, path) == 0)
            return &run->facts[k];
    fail(run, "the answer has no", path);
    return NULL;
}

static void compare(const struct run *run, const struct value *expected) {
    const struct fact *found = fact_at(run, expected->path);
    char what[512];
    if (expected->kind == TEXT) {
        snprintf(what, sizeof what, "%s is \"%.200s\", not \"%.200s\"", expected->path, found->text,
                 expected->text);
        /* A refusal's sentence has the daemon's detail in it. */
        int is_equal = strcmp(expected->path, "detail") == 0
                           ? strstr(found->text, expected->text) != NULL
                           : strcmp(found->text, expected->text) == 0;
        if (found->kind != TEXT || !is_equal)
            fail(run, "another answer", what);
        return;
    }
    double wanted = expected->kind == KEPT ? kept(run, expected->text) : expected->number;
    snprintf(what, sizeof what, "%s is %.17g, not %.17g", expected->path, found->number, wanted);
    if (found->kind != NUMBER || found->number != wanted)
        fail(run, "another answer", what);
}

static void compare_all(struct run *run) {
    const struct step *step = run->step;
    char what[160];
    if (strcmp(run->answer, step->answer) != 0) {
        snprintf(what, sizeof what, "%s, not %s", run->answer, step->answer);
        fail(run, "another answer", what);
    }
    if (run->descriptors != step->descriptors) {
        snprintf(what, sizeof what, "%u, not %u", run->descriptors, step->descriptors);
        fail(run, "another number of descriptors", what);
    }
    for (size_t k = 0; k < step->give_count; k++)
        compare(run, &step->gives[k]);
    for (size_t k = 0; k < step->keep_count; k++) {
        if (run->kept_count == sizeof run->kept / sizeof run->kept[0])
            fail(run, "too much is kept", step->keeps[k].text);
        struct fact *to = &run->kept[run->kept_count++];
        *to = *fact_at(run, step->keeps[k].path);
        snprintf(to->path, sizeof to->path, "%s", step->keeps[k].text);
    }
}

/* ---- A part ---- */

static const struct part *part_of(const char *name) {
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (strcmp(parts[k].name, name) == 0)
            return &parts[k];
    fprintf(stderr, "there is no part %s\n", name);
    exit(2);
}

/* Puts a file in the place of the configuration. */
static void replace(const struct run *run, const char *folder, const char *configuration) {
    char path[512], buffer[4096];
    snprintf(path, sizeof path, "%s/%s", folder, run->step->replace);
    FILE *from = fopen(path, "rb"), *to = fopen(configuration, "wb");
    if (from == NULL || to == NULL)
        fail(run, "it cannot be copied", path);
    size_t length = fread(buffer, 1, sizeof buffer, from);
    if (length == sizeof buffer || fwrite(buffer, 1, length, to) != length)
        fail(run, "it cannot be copied", path);
    fclose(from);
    if (fclose(to) != 0)
        fail(run, "it cannot be copied", path);
}

/* Each sends its request and says what was answered; a runner defines them. */
static void hello(struct run *run);
static void list_arms(struct run *run);
static void list_bodies(struct run *run);
static void subscribe(struct run *run);
static void set_body_pose(struct run *run);
static void add_body(struct run *run);
static void remove_body(struct run *run);
static void halt_body(struct run *run);
static void tighten_limits(struct run *run);
static void renew_leases(struct run *run);
static void set_focus(struct run *run);
static void open_surface(struct run *run);
static void open_skin(struct run *run);
static void open_shape(struct run *run);
static void get_limits(struct run *run);
static void set_body_poses(struct run *run);
static void set_material(struct run *run);
static void add_instance(struct run *run);
static void set_effect(struct run *run);
static void stop_effect(struct run *run);
static void grasp_body(struct run *run);
static void release_body(struct run *run);
static void set_workspace(struct run *run);
static void set_clutch(struct run *run);
static void teleport_body(struct run *run);
static void push_body(struct run *run);
static void get_status(struct run *run);
static void reload(struct run *run);
static void end(struct run *run);
static void clear_fault(struct run *run);
static void release_limits(struct run *run);

static const struct {
    const char *name;
    void (*send)(struct run *run);
} requests[] = {
    {"Hello", hello}, {"ListArms", list_arms}, {"ListBodies", list_bodies},
    {"Subscribe", subscribe}, {"SetBodyPose", set_body_pose}, {"AddBody", add_body},
    {"RemoveBody", remove_body}, {"HaltBody", halt_body}, {"TightenLimits", tighten_limits},
    {"RenewLeases", renew_leases}, {"SetFocus", set_focus}, {"OpenSurface", open_surface},
    {"OpenSkin", open_skin}, {"OpenShape", open_shape}, {"GetLimits", get_limits},
    {"SetBodyPoses", set_body_poses}, {"SetMaterial", set_material},
    {"AddInstance", add_instance}, {"SetEffect", set_effect}, {"StopEffect", stop_effect},
    {"GraspBody", grasp_body}, {"ReleaseBody", release_body},
    {"SetWorkspace", set_workspace}, {"SetClutch", set_clutch},
    {"TeleportBody", teleport_body}, {"PushBody", push_body},
    {"GetStatus", get_status}, {"Reload", reload},
    {"Shutdown", end}, {"ClearFault", clear_fault}, {"ReleaseLimits", release_limits},
};

static void perform(struct run *run) {
    for (size_t k = 0; k < sizeof requests / sizeof requests[0]; k++)
        if (strcmp(requests[k].name, run->step->request) == 0) {
            requests[k].send(run);
            return;
        }
    fail(run, "this client cannot send", run->step->request);
}

/* Begins a step. */
static void begin(struct run *run, const struct part *part, size_t index) {
    run->step = &part->steps[index];
    run->answer = "nothing";
    run->descriptors = 0;
    run->fact_count = 0;
    run->error.message[0] = 0;
    snprintf(run->where, sizeof run->where, "%s, %u: %s", part->name, (unsigned)index,
             run->step->request);
}

/* Sends all steps of a part, and compares their answers. */
static void play(struct run *run, char **arguments) {
    const struct part *part = part_of(arguments[1]);
    for (size_t k = 0; k < part->count; k++) {
        begin(run, part, k);
        if (run->step->replace != NULL)
            replace(run, arguments[4], arguments[3]);
        if (run->step->answer == NULL)
            continue; /* Goodbye: leaving says it. */
        perform(run);
        compare_all(run);
    }
    printf("%s: %u steps\n", part->name, (unsigned)part->count);
}
