/*
 * What a read costs, in ns: the median and the 99th percentile of calls, sixteen at a time.
 *
 *     speed SOCKET
 */
#include <hapticd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000, CALLS = 16 };

static hd_subscription *arm;
static hd_arm_state state = HD_INIT(hd_arm_state);
static hd_contacts contacts = HD_INIT(hd_contacts);
static hd_bodies bodies = HD_INIT(hd_bodies);

static void read_state(void) { hd_read_state(arm, &state); }
static void read_contacts(void) { hd_read_contacts(arm, &contacts); }
static void read_bodies(void) { hd_read_bodies(arm, &bodies); }

static int order(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void measure(const char *name, void (*call)(void)) {
    static int64_t spent[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
        int64_t start_ns = hd_now_ns();
        for (int c = 0; c < CALLS; c++)
            call();
        spent[k] = (hd_now_ns() - start_ns) / CALLS;
    }
    qsort(spent, ROUNDS, sizeof *spent, order);
    printf("%s: p50 %lld ns, p99 %lld ns\n", name, (long long)spent[ROUNDS / 2],
           (long long)spent[ROUNDS / 100 * 99]);
}

int main(int argc, char **argv) {
    hd_connect_options options = HD_INIT(hd_connect_options);
    hd_error error = HD_INIT(hd_error);
    hd_client *client = NULL;
    if (argc != 2)
        return 2;
    options.abi_version = HD_ABI_VERSION, options.name = "speed", options.name_length = 5;
    options.socket = argv[1], options.socket_length = strlen(argv[1]), options.patience_ms = -1;
    if (hd_connect_with(&options, &client, &error) != HD_OK ||
        hd_subscribe(client, 0, HD_TOPIC_ALL, &arm, &error) != HD_OK ||
        hd_wait_tick(arm, 0, -1, &state) != HD_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    measure("hd_read_state", read_state);
    measure("hd_read_contacts", read_contacts);
    measure("hd_read_bodies", read_bodies);
    hd_subscription_free(arm);
    hd_client_free(client);
    return 0;
}
