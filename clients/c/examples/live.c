/* Prints the tool, the force and the contacts of the first arm, ten times a second. */
#include <hapticd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int64_t end_ns = hd_now_ns() + (int64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 10.0));
    hd_error error = HD_INIT(hd_error);
    hd_client *client = NULL;
    hd_subscription *arm = NULL;
    hd_connect_options options = HD_INIT(hd_connect_options);
    options.abi_version = HD_ABI_VERSION;
    options.name = "live";
    options.name_length = 4;
    options.patience_ms = 5000;
    uint32_t topics = HD_TOPIC_STATE | HD_TOPIC_CONTACTS | HD_TOPIC_WAKE;
    if (hd_connect_with(&options, &client, &error) != HD_OK ||
        hd_subscribe(client, 0, topics, &arm, &error) != HD_OK) {
        fprintf(stderr, "%s\n", error.message);
        hd_client_free(client);
        return 1;
    }
    hd_arm_state state = HD_INIT(hd_arm_state);
    hd_contacts contacts = HD_INIT(hd_contacts);
    while (hd_now_ns() < end_ns) {
        /* Sleeps until a hundred ticks later. */
        int32_t status = hd_wait_tick(arm, state.tick + 99, 1000, &state);
        if (status == HD_GONE)
            break;
        if (status != HD_OK) {
            printf("%s\n", hd_status_text(status));
            continue;
        }
        hd_read_contacts(arm, &contacts); /* Or the last ones. */
        const double *p = state.world_from_proxy.position_m, *f = state.force_n;
        printf("tool %7.2f %7.2f %7.2f mm   force %6.3f N (%s)   %u contacts\n", 1e3 * p[0],
               1e3 * p[1], 1e3 * p[2], sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]),
               state.reason ? hd_reason_text(state.reason) : "on", (unsigned)contacts.count);
    }
    hd_subscription_free(arm);
    hd_client_free(client);
    return 0;
}
