// The conformance script by the face of hapticd.hpp that does not throw; conformance.h has what its
// runners share.
#include <hapticd.hpp>

#include "conformance.h"

static hapticd::client client;

// Files the outcome of a call; returns whether the daemon carried it out.
template <typename T>
static bool told(run *run, const hapticd::result<T> &made, const char *answer) {
    if (made)
        return done(run, HD_OK, answer) != 0;
    const hapticd::failure &why = made.error();
    run->error.daemon_code = why.daemon_code();
    run->error.number = why.number();
    run->error.limit = why.limit();
    std::snprintf(run->error.message, sizeof run->error.message, "%s", why.message());
    return done(run, why.status(), answer) != 0;
}

static hapticd::result<hd_answer> exchange(const run *run, std::uint32_t kind, const bytes &body) {
    std::vector<std::uint8_t> file(run->step->file, run->step->file + run->step->file_length);
    return client.try_exchange(kind, {body.data, body.data + body.length}, file);
}

static void list_arms(run *run) {
    const auto arms = client.try_arms();
    if (!told(run, arms, "Arms"))
        return;
    for (std::size_t k = 0; k < arms->size(); k++)
        say_arm(run, unsigned(k), &(*arms)[k]);
}

static void list_bodies(run *run) {
    const std::uint32_t skip = whole(run, "skip");
    if (skip > 0) {
        const auto page = exchange(run, REQUEST_ListBodies, short_body(skip));
        if (told(run, page, "Bodies"))
            say_page(run, &*page);
        return;
    }
    const auto bodies = client.try_bodies();
    if (!told(run, bodies, "Bodies"))
        return;
    say(run, double(bodies->size()), "total");
    say(run, 0, "skipped");
    for (std::size_t k = 0; k < bodies->size(); k++)
        say_body(run, unsigned(k), &(*bodies)[k]);
}

// Both ways: one says which blocks there are, the other maps them.
static void subscribe(run *run) {
    const std::uint32_t arm = whole(run, "arm"), topics = whole(run, "topics");
    auto mapped = client.try_subscribe(arm, topics);
    const auto answer = exchange(run, REQUEST_Subscribe, short_body(arm | topics << 8));
    if (answer.has_value() != mapped.has_value())
        fail(run, "another status", "try_subscribe");
    if (!told(run, answer, "Subscribed"))
        return;
    say_blocks(run, &*answer);
    const auto is_there = [&](bool has_value) {
        return has_value || mapped->status() != HD_NOT_SUBSCRIBED;
    };
    unsigned blocks = is_there(mapped->read_state().has_value());
    blocks += is_there(mapped->read_contacts().has_value());
    blocks += is_there(mapped->read_bodies().has_value());
    blocks += is_there(mapped->read_needle().has_value());
    blocks += mapped->wake_fd() != HD_NOT_SUBSCRIBED;
    if (blocks != answer->descriptors)
        fail(run, "other blocks", "try_subscribe");
}

static void get_limits(run *run) {
    const auto limits = client.try_limits(whole(run, "arm"));
    if (told(run, limits, "Limits"))
        say_limits(run, &*limits);
}

static void set_body_pose(run *run) {
    told(run, client.try_set_body_pose(pose_command(run)), "Done");
}

static void set_body_poses(run *run) {
    std::vector<hd_body_target> targets;
    for (std::uint32_t k = 0; k < whole(run, "targets"); k++)
        targets.push_back(target_at(run, k));
    told(run, client.try_set_body_poses(targets), "Done");
}

static void halt_body(run *run) { told(run, client.try_halt_body(whole(run, "body")), "Done"); }

// The answer's triangles are those of the list.
static void say_added(run *run, std::uint32_t body) {
    const auto bodies = client.try_bodies();
    if (!bodies)
        fail(run, "no list", bodies.error().message());
    for (const hd_body_info &info : *bodies)
        if (info.body == body) {
            say(run, body, "body");
            say(run, info.triangles, "triangles");
        }
}

static void add_body(run *run) {
    const hd_counts counts = mesh_counts(run->step);
    if (counts.points == 0) {
        const auto answer = exchange(run, REQUEST_AddBody, add_body_body(run));
        if (told(run, answer, "BodyAdded"))
            say_added(run, word(answer->body));
        return;
    }
    hapticd::mesh mesh;
    mesh.positions_m.resize(counts.points);
    mesh.triangles.resize(counts.triangles);
    copy_mesh(run->step, counts, mesh.positions_m[0].data(), mesh.triangles[0].data());
    const auto added = client.try_add_body(text(run, "name"), mesh, body_spec(run, 0));
    if (told(run, added, "BodyAdded"))
        say_added(run, *added);
}

static void add_instance(run *run) {
    const auto name = text(run, "name");
    const auto added = client.try_add_instance(name, whole(run, "of"), body_spec(run, 1));
    if (told(run, added, "BodyAdded"))
        say_added(run, *added);
}

static void set_material(run *run) {
    told(run, client.try_set_material(whole(run, "body"), material(run)), "Done");
}

static void set_effect(run *run) {
    const auto effect = client.try_set_effect(effect_numbers(run), whole(run, "effect"));
    if (told(run, effect, "EffectSet"))
        say(run, *effect, "effect");
}

static void stop_effect(run *run) {
    told(run, client.try_stop_effect(whole(run, "effect")), "Done");
}

static void grasp_body(run *run) {
    told(run, client.try_grasp_body(whole(run, "arm"), whole(run, "body")), "Done");
}

static void release_body(run *run) {
    told(run, client.try_release_body(whole(run, "arm")), "Done");
}

static void set_workspace(run *run) {
    told(run, client.try_set_workspace(workspace_numbers(run)), "Done");
}

static void set_clutch(run *run) {
    const bool engaged = whole(run, "engaged") != 0;
    told(run, client.try_set_clutch(whole(run, "arm"), engaged), "Done");
}

static void teleport_body(run *run) {
    told(run, client.try_teleport_body(whole(run, "body"), pose_at(run, "")), "Done");
}

static void push_body(run *run) {
    told(run, client.try_push_body(push_numbers(run)), "Done");
}

static void remove_body(run *run) {
    told(run, client.try_remove_body(whole(run, "body")), "Done");
}

static void open_shape(run *run) {
    const std::uint32_t body = whole(run, "body");
    const auto shape = client.try_shape(body);
    if (told(run, shape, "Shape"))
        say_opened(run, body, std::uint32_t(shape->triangles.size()));
}

static void open_surface(run *run) {
    const std::uint32_t body = whole(run, "body");
    const auto surface = client.try_surface(body);
    if (told(run, surface, "Surface"))
        say_opened(run, body, std::uint32_t(surface->triangles().size()));
}

static void open_skin(run *run) {
    const std::uint32_t body = whole(run, "body");
    const auto skin = client.try_skin(body);
    if (told(run, skin, "Skin"))
        say_opened(run, body, skin->triangles() != nullptr);
}

// Both ways: one waits for the answer, of the other a refusal comes as an event.
static void renew_leases(run *run) {
    const std::uint32_t lease_ms = whole(run, "lease_ms");
    const bool is_done =
        told(run, exchange(run, REQUEST_RenewLeases, short_body(lease_ms)), "Done");
    if (!client.try_renew_leases(lease_ms))
        fail(run, "not posted", "try_renew_leases");
    while (!is_done) {
        const auto event = client.try_poll(-1);
        if (!event || !*event)
            fail(run, "no event", "try_poll");
        if ((*event)->kind == HD_EVENT_POST_REFUSED)
            return say_refused(run, &**event);
    }
}

static void set_focus(run *run) {
    told(run, client.try_set_focus(whole(run, "focused") == 1), "Done");
}

static void tighten_limits(run *run) {
    told(run, client.try_tighten_limits(whole(run, "arm"), limits_to_tighten(run)), "Done");
}

static void get_status(run *run) {
    const auto json = client.try_status_json();
    if (!told(run, json, "Status"))
        return;
    say(run, double(json->size()), "bytes");
    run->descriptors = json->front() == '{';
}

static void reload(run *run) { told(run, client.try_reload(), "Done"); }

static void end(run *run) { told(run, client.try_shutdown(), "Done"); }

static void clear_fault(run *run) { told(run, client.try_clear_fault(whole(run, "arm")), "Done"); }

static void release_limits(run *run) {
    told(run, client.try_release_limits(whole(run, "arm")), "Done");
}

static void hello(run *run) {
    told(run, exchange(run, REQUEST_Hello, hello_body(run)), "Welcome");
}

int main(int count, char **arguments) {
    static run run;
    if (count != 5)
        return 2;
    run.error = hapticd::make<hd_error>();
    auto made = hapticd::client::try_connect("conformance", arguments[2], -1);
    if (!made)
        fail(&run, "no connection", made.error().message());
    client = std::move(*made);
    play(&run, arguments);
    client = hapticd::client();
    return 0;
}
