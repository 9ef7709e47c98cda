/* Goes on when the daemon is started again: connects and subscribes again. */
#include <hapticd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs until the daemon goes or the time is over. */
static int32_t session(hd_client *client, int64_t end_ns, hd_error *error) {
    hd_subscription *arm = NULL;
    hd_event event = HD_INIT(hd_event);
    hd_arm_state state = HD_INIT(hd_arm_state);
    int32_t status = hd_subscribe(client, 0, HD_TOPIC_STATE | HD_TOPIC_WAKE, &arm, error);
    if (status == HD_OK)
        printf("connected\n");
    while (status >= 0 && hd_now_ns() < end_ns) {
        hd_wait_tick(arm, state.tick, 50, &state);
        status = hd_client_poll(client, 0, &event, error); /* Renews; says when it is gone. */
    }
    hd_subscription_free(arm);
    return status;
}

int main(int argc, char **argv) {
    int64_t end_ns = hd_now_ns() + (int64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 10.0));
    while (hd_now_ns() < end_ns) {
        hd_error error = HD_INIT(hd_error);
        hd_client *client = NULL;
        int32_t status = hd_connect(HD_ABI_VERSION, HD_TEXT("reconnect"), &client, &error);
        if (status == HD_OK)
            status = session(client, end_ns, &error);
        hd_client_free(client);
        if (status == HD_NO_DAEMON)
            poll(NULL, 0, 100); /* Draw the last state, or nothing, until it is back. */
        else if (status < 0)
            printf("%s\n", error.message);
    }
    return 0;
}
