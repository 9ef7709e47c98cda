// Goes on when the daemon is started again: connects and subscribes again. Uses no exceptions.
#include <hapticd.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

// Runs until the daemon goes or the time is over.
static hapticd::result<void> session(hapticd::client &client, std::int64_t end_ns) {
    auto arm = client.try_subscribe(0, HD_TOPIC_STATE | HD_TOPIC_WAKE);
    if (!arm)
        return hapticd::unexpected(arm.error());
    std::puts("connected");
    while (hd_now_ns() < end_ns) {
        (void)arm->wait_tick(50);
        const auto event = client.try_poll(); // Renews the leases; says when the daemon is gone.
        if (!event)
            return hapticd::unexpected(event.error());
    }
    return {};
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
    const std::int64_t end_ns = hd_now_ns() + static_cast<std::int64_t>(1e9 * seconds);
    while (hd_now_ns() < end_ns) {
        auto client = hapticd::client::try_connect("reconnect");
        if (!client) {
            // Draw the last state, or nothing, until it is back.
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            continue;
        }
        const auto ended = session(*client, end_ns);
        if (!ended)
            std::printf("%s\n", ended.error().message());
    }
}
