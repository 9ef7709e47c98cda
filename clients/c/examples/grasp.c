/* Holds what the tool touches for a second and a half, and says how hard it pulled. For a scene
 * with bodies that forces move: `hapticd run config/blocks.toml`. */
#include <hapticd.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static hd_client *client;
static hd_error error = HD_INIT(hd_error);

static int failed(void) {
    fprintf(stderr, "%s\n", error.message);
    hd_client_free(client);
    return 1;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 10.0;
    hd_subscription *arm = NULL;
    if (hd_connect(HD_ABI_VERSION, HD_TEXT("grasp"), &client, &error) != HD_OK ||
        hd_subscribe(client, 0, HD_TOPIC_STATE | HD_TOPIC_CONTACT_EVENTS, &arm, &error) != HD_OK)
        return failed();
    hd_event event = HD_INIT(hd_event);
    hd_arm_state state = HD_INIT(hd_arm_state);
    uint32_t held = 0;
    double since = 0.0, most_n = 0.0;
    int64_t start_ns = hd_now_ns();
    for (double s = 0.0; s < seconds; s = 1e-9 * (double)(hd_now_ns() - start_ns)) {
        int32_t status;
        while ((status = hd_client_poll(client, 0, &event, &error)) == HD_EVENT) {
            if (event.kind == HD_EVENT_TOUCHED && !held) {
                /* What presses most. A table is no body to hold: no harm. */
                if (hd_grasp_body(client, 0, 0, &error) != HD_OK)
                    return hd_subscription_free(arm), failed();
            } else if (event.kind == HD_EVENT_GRASPED) {
                held = event.body, since = s, most_n = 0.0;
                printf("holds body %u\n", (unsigned)held);
            } else if (event.kind == HD_EVENT_LET_GO && event.body) {
                held = 0;
                printf("let go of body %u: at most %.2f N\n", (unsigned)event.body, most_n);
            }
        }
        if (held && s - since > 1.5 && status == HD_OK) /* It keeps the hand's velocity. */
            status = hd_release_body(client, 0, &error);
        if (status != HD_OK)
            return hd_subscription_free(arm), failed();
        if (hd_read_state(arm, &state) == HD_OK) {
            const double *f = state.force_n;
            most_n = fmax(most_n, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
        }
        poll(NULL, 0, 8);
    }
    hd_subscription_free(arm);
    hd_client_free(client);
    return 0;
}
