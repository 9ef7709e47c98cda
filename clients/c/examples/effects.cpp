// Lets the hand feel a guide, a viscous field and a vibration, one after the other.
#include <hapticd.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

static void feel(hapticd::client &client, hapticd::subscription &arm, const char *name,
                 const hd_effect &numbers, double seconds) {
    const std::uint32_t effect = client.set_effect(numbers);
    const std::int64_t end_ns = hd_now_ns() + static_cast<std::int64_t>(1e9 * seconds);
    double most_n = 0.0;
    while (hd_now_ns() < end_ns) {
        // Effects last while their client is heard: `poll` says that it is alive.
        client.poll();
        if (const auto state = arm.wait_tick(100)) {
            const double *f = state->force_n;
            most_n = std::max(most_n, std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
        }
    }
    client.stop_effect(effect);
    std::printf("%s: at most %.2f N\n", name, most_n);
}

int main(int argc, char **argv) try {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 3.0;
    hapticd::client client("effects", {}, 5000);
    auto arm = client.subscribe(0, HD_TOPIC_STATE | HD_TOPIC_WAKE);
    auto line = hapticd::make<hd_effect>();
    line.kind = HD_EFFECT_SPRING;
    line.shape = HD_SHAPE_LINE;
    line.place_m[2] = 0.05;
    line.axis[0] = 1.0;
    line.coefficient = 80.0;
    auto honey = hapticd::make<hd_effect>();
    honey.kind = HD_EFFECT_DAMPER;
    honey.axis[2] = 1.0;
    honey.coefficient = 5.0;
    honey.range_m = 0.1;
    auto buzz = hapticd::make<hd_effect>();
    buzz.kind = HD_EFFECT_PERIODIC;
    buzz.axis[2] = 1.0;
    buzz.magnitude_n = 0.5;
    buzz.frequency_hz = 80.0;
    buzz.attack_s = 0.2;
    feel(client, arm, "a line to follow", line, seconds);
    feel(client, arm, "honey within 10 cm", honey, seconds);
    feel(client, arm, "a buzz", buzz, seconds);
} catch (const hapticd::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
