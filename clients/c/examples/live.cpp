// Prints the tool, the force and the contacts of the first arm, ten times a second.
#include <hapticd.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) try {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
    const std::int64_t end_ns = hd_now_ns() + static_cast<std::int64_t>(1e9 * seconds);
    hapticd::client client("live", {}, 5000);
    auto arm = client.subscribe(0, HD_TOPIC_STATE | HD_TOPIC_CONTACTS | HD_TOPIC_WAKE);
    std::uint64_t printed = 0;
    while (hd_now_ns() < end_ns) {
        const auto state = arm.wait_tick(printed + 99, 1000); // Sleeps until a hundred ticks later.
        if (arm.status() == HD_GONE)
            break;
        if (!state) {
            std::puts(hd_status_text(arm.status()));
            continue;
        }
        printed = state->tick;
        const auto contacts = arm.read_contacts();
        const double *p = state->world_from_proxy.position_m, *f = state->force_n;
        std::printf("tool %7.2f %7.2f %7.2f mm   force %6.3f N (%s)   %u contacts\n", 1e3 * p[0],
                    1e3 * p[1], 1e3 * p[2], std::hypot(f[0], f[1], f[2]),
                    state->reason != 0 ? hd_reason_text(state->reason) : "on",
                    contacts ? contacts->count : 0);
    }
} catch (const hapticd::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
