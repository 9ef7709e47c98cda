// Holds what the tool touches for a second and a half, and says how hard it pulled. For a scene
// with bodies that forces move: `hapticd run config/blocks.toml`.
#include <hapticd.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char **argv) try {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
    hapticd::client client("grasp", {}, 5000);
    auto arm = client.subscribe(0, HD_TOPIC_STATE | HD_TOPIC_CONTACT_EVENTS);
    std::uint32_t held = 0;
    double since = 0.0, most_n = 0.0;
    const std::int64_t start_ns = hd_now_ns();
    for (double s = 0.0; s < seconds; s = 1e-9 * static_cast<double>(hd_now_ns() - start_ns)) {
        while (const auto event = client.poll()) {
            if (event->kind == HD_EVENT_TOUCHED && !held) {
                client.grasp_body(0); // What presses most. A table is no body to hold: no harm.
            } else if (event->kind == HD_EVENT_GRASPED) {
                held = event->body;
                since = s;
                most_n = 0.0;
                std::printf("holds body %u\n", held);
            } else if (event->kind == HD_EVENT_LET_GO && event->body) {
                held = 0;
                std::printf("let go of body %u: at most %.2f N\n", event->body, most_n);
            }
        }
        if (held && s - since > 1.5)
            client.release_body(0); // It keeps the velocity of the hand.
        if (const auto state = arm.read_state()) {
            const double *f = state->force_n;
            most_n = std::max(most_n, std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
} catch (const hapticd::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
