// Adds a box that swings to and fro where the arm can push it, and says when it is touched.
#include <hapticd.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

static hapticd::mesh box(double half) {
    hapticd::mesh made;
    for (int k = 0; k < 8; k++)
        made.positions_m.push_back(
            {k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half});
    made.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    return made;
}

int main(int argc, char **argv) try {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
    hapticd::client client("push a box", {}, 5000);
    auto arm = client.subscribe(0, HD_TOPIC_CONTACTS | HD_TOPIC_EVENTS);
    auto spec = hapticd::make<hd_body_spec>();
    spec.kind = HD_BODY_KINEMATIC;
    spec.solid = 1;
    spec.world_from_body = {{0.0, 0.0, 0.02}, {0.0, 0.0, 0.0, 1.0}}; // Where the hand is.
    spec.stiffness_n_per_m = 1000.0;
    spec.damping_n_s_per_m = 1.0;
    spec.friction = 0.3;
    auto goal = hapticd::make<hd_pose_command>();
    goal.body = client.add_body("box", box(0.015), spec);
    goal.world_from_body = spec.world_from_body;
    goal.speed_m_s = 0.2;
    goal.lease_ms = 200; // If this program stops, the box stops when the lease is over.
    bool touched = false;
    const std::int64_t start_ns = hd_now_ns();
    for (double s = 0.0; s < seconds; s = 1e-9 * static_cast<double>(hd_now_ns() - start_ns)) {
        // A frame of the application: events first, which also renews the leases.
        while (const auto event = client.poll())
            std::printf("event %#x of body %u\n", event->kind, event->body);
        goal.world_from_body.position_m[0] = 0.05 * std::sin(s);
        client.post_body_pose(goal); // Where the daemon is busy the next frame's pose will do.
        if (const auto contacts = arm.read_contacts()) {
            bool touches = false;
            for (std::uint32_t k = 0; k < contacts->count; k++)
                touches |= contacts->contacts[k].body == goal.body;
            if (touches != touched)
                std::puts((touched = touches) ? "touched" : "released");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(16));
    }
} catch (const hapticd::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
