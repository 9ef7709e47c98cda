/* Lets the hand feel a guide, a viscous field and a vibration, one after the other. */
#include <hapticd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static hd_client *client;
static hd_subscription *arm;
static hd_error error = HD_INIT(hd_error);

/* Ends the program where a call failed. */
static void check(int32_t status) {
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static void feel(const char *name, const hd_effect *numbers, double seconds) {
    uint32_t effect = 0; /* a new one */
    check(hd_set_effect(client, numbers, &effect, &error));
    int64_t end_ns = hd_now_ns() + (int64_t)(1e9 * seconds);
    double most_n = 0.0;
    hd_arm_state state = HD_INIT(hd_arm_state);
    while (hd_now_ns() < end_ns) {
        /* Effects last while their client is heard: hd_client_poll says that it is alive. */
        hd_event event = HD_INIT(hd_event);
        check(hd_client_poll(client, 0, &event, &error));
        const double *f = state.force_n;
        if (hd_wait_tick(arm, state.tick, 100, &state) == HD_OK)
            most_n = fmax(most_n, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    check(hd_stop_effect(client, effect, &error));
    printf("%s: at most %.2f N\n", name, most_n);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 3.0;
    hd_connect_options options = HD_INIT(hd_connect_options);
    options.abi_version = HD_ABI_VERSION;
    options.name = "effects";
    options.name_length = 7;
    options.patience_ms = 5000;
    check(hd_connect_with(&options, &client, &error));
    check(hd_subscribe(client, 0, HD_TOPIC_STATE | HD_TOPIC_WAKE, &arm, &error));

    hd_effect line = HD_INIT(hd_effect), honey = HD_INIT(hd_effect), buzz = HD_INIT(hd_effect);
    line.kind = HD_EFFECT_SPRING;
    line.shape = HD_SHAPE_LINE;
    line.place_m[2] = 0.05;
    line.axis[0] = 1.0;
    line.coefficient = 80.0;
    honey.kind = HD_EFFECT_DAMPER;
    honey.axis[2] = 1.0;
    honey.coefficient = 5.0;
    honey.range_m = 0.1;
    buzz.kind = HD_EFFECT_PERIODIC;
    buzz.axis[2] = 1.0;
    buzz.magnitude_n = 0.5;
    buzz.frequency_hz = 80.0;
    buzz.attack_s = 0.2;
    feel("a line to follow", &line, seconds);
    feel("honey within 10 cm", &honey, seconds);
    feel("a buzz", &buzz, seconds);
    hd_subscription_free(arm);
    hd_client_free(client);
    return 0;
}
