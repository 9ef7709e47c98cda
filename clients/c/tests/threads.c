/*
 * Four threads read one subscription, one waits for ticks; run under the thread sanitizer.
 *
 *     threads SOCKET
 */
#include <hapticd.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hd_subscription *arm;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static double length(const double *q) {
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

/* Reads until it has seen a thousand ticks; each state is whole, none older than the last. */
static void *reads(void *ignored) {
    (void)ignored;
    hd_arm_state state = HD_INIT(hd_arm_state);
    hd_contacts contacts = HD_INIT(hd_contacts);
    hd_bodies bodies = HD_INIT(hd_bodies);
    uint64_t last = 0;
    for (int ticks = 0; ticks < 1000;) {
        int32_t status = hd_read_state(arm, &state);
        if (status == HD_NOT_YET || status == HD_BUSY)
            continue;
        if (status != HD_OK || hd_read_contacts(arm, &contacts) == HD_INVALID ||
            hd_read_bodies(arm, &bodies) == HD_INVALID || hd_state_version(arm) == 0)
            fail("a read failed");
        if (state.tick < last || fabs(length(state.world_from_proxy.rotation_xyzw) - 1.0) > 1e-9)
            fail("a state is torn or old");
        ticks += state.tick > last;
        last = state.tick;
    }
    return NULL;
}

static void *waits(void *ignored) {
    (void)ignored;
    hd_arm_state state = HD_INIT(hd_arm_state);
    for (int ticks = 0; ticks < 500; ticks++)
        if (hd_wait_tick(arm, state.tick, -1, &state) != HD_OK)
            fail("no tick");
    return NULL;
}

int main(int argc, char **argv) {
    hd_connect_options options = HD_INIT(hd_connect_options);
    hd_error error = HD_INIT(hd_error);
    hd_client *client = NULL;
    hd_subscription *subscription = NULL;
    if (argc != 2)
        return 2;
    options.abi_version = HD_ABI_VERSION, options.name = "threads", options.name_length = 7;
    options.socket = argv[1], options.socket_length = strlen(argv[1]), options.patience_ms = -1;
    if (hd_connect_with(&options, &client, &error) != HD_OK ||
        hd_subscribe(client, 0, HD_TOPIC_ALL, &subscription, &error) != HD_OK)
        fail(error.message);
    arm = subscription;
    pthread_t threads[6];
    for (int k = 0; k < 6; k++)
        if (pthread_create(&threads[k], NULL, k < 4 ? reads : waits, NULL) != 0)
            fail("no thread");
    for (int k = 0; k < 6; k++)
        pthread_join(threads[k], NULL);
    hd_subscription_free(subscription);
    hd_client_free(client);
    puts("4 readers saw 1000 ticks each, 2 waited for 500");
    return 0;
}
