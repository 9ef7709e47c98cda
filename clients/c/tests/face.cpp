// Both faces of hapticd.hpp against a daemon: `face SOCKET` (and `face_bare`, without exceptions).
#include <hapticd.hpp>
#include <hapticd.hpp> // Twice will do, too.

#include <cstdio>
#include <cstring>
#include <type_traits>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
            return 1;                                                                              \
        }                                                                                          \
    } while (false)

static_assert(!std::is_copy_constructible<hapticd::client>::value, "handles are not copied");
static_assert(std::is_nothrow_move_constructible<hapticd::client>::value, "but moved");
static_assert(std::is_nothrow_move_assignable<hapticd::subscription>::value, "and assigned");
static_assert(!std::is_copy_constructible<hapticd::surface>::value, "handles are not copied");
static_assert(!std::is_copy_constructible<hapticd::skin>::value, "handles are not copied");

static hapticd::mesh box() {
    hapticd::mesh made;
    for (int k = 0; k < 8; k++)
        made.positions_m.push_back(
            {k & 1 ? 0.01 : -0.01, k & 2 ? 0.01 : -0.01, k & 4 ? 0.01 : -0.01});
    made.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    return made;
}

static hd_body_spec spec() {
    auto made = hapticd::make<hd_body_spec>();
    made.kind = HD_BODY_KINEMATIC;
    made.solid = 1;
    made.world_from_body = {{0.0, 0.0, 0.5}, {0.0, 0.0, 0.0, 1.0}};
    made.stiffness_n_per_m = 500.0;
    return made;
}

// Without exceptions.
static int quiet(const char *socket) {
    auto none = hapticd::client::try_connect("face", "/nowhere/app.sock");
    CHECK(!none && none.error().status() == HD_NO_DAEMON && none.error().number() == 2);
    CHECK(std::strstr(none.error().message(), "/nowhere/app.sock") != nullptr);
    auto made = hapticd::client::try_connect("face", socket, -1);
    CHECK(made);
    hapticd::client client = std::move(*made), empty;
    CHECK(client && !empty);
    CHECK(!empty.try_arms() && empty.try_arms().error().status() == HD_INVALID);
    CHECK(!empty.try_welcome() && empty.fd() == HD_INVALID);
    CHECK(client.try_welcome() && client.try_welcome()->protocol_major == 3 && client.fd() >= 0);
    CHECK(client.set_timeout_ms(60000) == HD_OK);
    auto arms = client.try_arms();
    CHECK(arms && arms->size() == 1 && (*arms)[0].index == 0);
    auto arm = client.try_subscribe(0, HD_TOPIC_ALL);
    CHECK(arm);
    auto first = arm->wait_tick(-1), second = arm->wait_tick(-1);
    CHECK(first && second && second->tick > first->tick);
    CHECK(!arm->wait_tick(UINT64_MAX, 1) && arm->status() == HD_TIMEOUT);
    CHECK(arm->state_version() > 0 && arm->wake_fd() >= 0 && arm->wake_clear() == HD_OK);
    CHECK(arm->read_contacts() || arm->status() == HD_BUSY);
    CHECK(arm->read_bodies() || arm->status() == HD_BUSY);
    CHECK(arm->read_state() || arm->status() == HD_BUSY);
    hapticd::subscription gone;
    CHECK(!gone.read_state() && gone.status() == HD_INVALID);
    auto ahead = hapticd::predict_pose(*second, second->time_ns + 1000000000);
    CHECK(ahead && ahead->held);
    CHECK(hapticd::predict_proxy(*second, second->time_ns));
    auto body = client.try_add_body("face", box(), spec());
    CHECK(body);
    auto again = client.try_add_body("face", box(), spec());
    CHECK(!again && again.error().daemon_code() == HD_CODE_NAME_TAKEN);
    auto shape = client.try_shape(*body);
    CHECK(shape && shape->triangles.size() == 12 && shape->points_m.size() == 8);
    CHECK(client.try_bodies() && client.try_bodies()->size() >= 2);
    const std::vector<std::uint8_t> zeros(8);
    auto listed = client.try_exchange(0x0102, zeros);
    CHECK(listed && listed->kind == 0x8105 && listed->body[0] == 1);
    CHECK(!client.try_exchange(0x0102, {}) && !empty.try_exchange(0x0102, zeros));
    auto limits = client.try_limits(0);
    CHECK(limits && limits->peak_force_n > 0.0);
    CHECK(client.try_tighten_limits(0, *limits));
    CHECK(!client.try_limits(9) && client.try_limits(9).error().limit() == 1);
    auto goal = hapticd::make<hd_pose_command>();
    goal.body = *body;
    goal.world_from_body = spec().world_from_body;
    goal.speed_m_s = 0.1;
    goal.lease_ms = 100;
    CHECK(client.try_set_body_pose(goal) && client.try_post_body_pose(goal));
    CHECK(client.try_halt_body(*body) && client.try_renew_leases(100));
    CHECK(client.try_set_focus(false) && client.try_set_focus(true));
    for (auto event = client.try_poll(-1);; event = client.try_poll(-1)) {
        CHECK(event && *event);
        if ((*event)->kind == HD_EVENT_BODY_JOINED && (*event)->body == *body)
            break;
    }
    CHECK(client.try_remove_body(*body));
    auto refused = client.try_remove_body(*body);
    CHECK(!refused && refused.error().daemon_code() == HD_CODE_NO_SUCH_BODY);
    CHECK(!client.try_release_limits(0) && !client.try_clear_fault(0) && !client.try_reload());
    CHECK(!client.try_shutdown() && !client.try_status_json());
    const auto bodies = client.try_bodies();
    CHECK(bodies);
    for (const auto &info : *bodies) {
        if (info.kind != HD_BODY_CLOTH)
            continue;
        auto cloth = client.try_surface(info.body);
        CHECK(cloth && cloth->triangles().size() == info.triangles);
        std::int32_t status;
        do
            status = cloth->read();
        while (status == HD_NOT_YET || status == HD_BUSY);
        CHECK(status == HD_OK && cloth->frame().time_ns > 0 && cloth->version() > 0);
        CHECK(!client.try_skin(info.body));
    }
    return 0;
}

#if defined(HAPTICD_EXCEPTIONS)
static int loud(const char *socket, const std::string &technician) {
    int thrown = 0;
    try {
        hapticd::client none("face", "/nowhere/app.sock");
    } catch (const hapticd::error &error) {
        thrown += error.status() == HD_NO_DAEMON && std::strstr(error.what(), "/nowhere/");
    }
    hapticd::client client("loud", socket, -1);
    CHECK(client.arms().size() == 1 && client.welcome().client > 0);
    auto arm = client.subscribe(0, HD_TOPIC_STATE | HD_TOPIC_WAKE);
    CHECK(arm.wait_tick(-1));
    try {
        client.remove_body(999);
    } catch (const hapticd::error &error) {
        thrown += error.daemon_code() == HD_CODE_NO_SUCH_BODY && error.number() == 999;
    }
    try {
        (void)hapticd::client().bodies();
    } catch (const std::runtime_error &error) {
        thrown += 1;
    }
    CHECK(thrown == 3);
    const auto body = client.add_body("loud", box(), spec());
    CHECK(client.shape_of(body).triangles.size() == 12);
    CHECK(client.exchange(0x0102, std::vector<std::uint8_t>(8)).body_length == 232);
    client.set_focus(true);
    client.halt_body(body);
    client.renew_leases(100);
    client.tighten_limits(0, client.limits(0));
    client.remove_body(body);
    CHECK(!client.poll());
    hapticd::client chief("chief", technician, -1);
    chief.release_limits(HD_ALL_ARMS);
    chief.clear_fault(HD_ALL_ARMS);
    CHECK(chief.status_json().front() == '{');
    return 0;
}
#endif

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    int failed = quiet(argv[1]);
#if defined(HAPTICD_EXCEPTIONS)
    if (failed == 0)
        failed = loud(argv[1], argv[2]);
#endif
    if (failed == 0)
        std::puts("both faces");
    return failed;
}
