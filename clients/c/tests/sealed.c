/*
 * Reads in a process that may make no system call but read, write and exit: the kernel kills it
 * otherwise.
 *
 *     sealed SOCKET           ends with 0
 *     sealed SOCKET planted   makes a system call of the library's, and is killed
 */
#include <hapticd.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static hd_client *client;
static hd_subscription *arm;
static hd_surface *surface;
static float *points;
static hd_counts counts;

static void open_surface(void) {
    hd_body_info body = HD_INIT(hd_body_info);
    uint32_t count = 0;
    hd_bodies_refresh(client, &count, NULL);
    for (uint32_t k = 0; k < count && surface == NULL; k++)
        if (hd_body_at(client, k, &body) == HD_OK && body.kind == HD_BODY_CLOTH)
            hd_open_surface(client, body.body, &surface, NULL);
    if (hd_surface_counts(surface, &counts) != HD_OK)
        exit(3);
    points = calloc(counts.points, sizeof(float[3]));
}

int main(int argc, char **argv) {
    hd_connect_options options = HD_INIT(hd_connect_options);
    hd_error error = HD_INIT(hd_error);
    hd_arm_state state = HD_INIT(hd_arm_state);
    hd_contacts contacts = HD_INIT(hd_contacts);
    hd_bodies bodies = HD_INIT(hd_bodies);
    hd_welcome welcome = HD_INIT(hd_welcome);
    hd_limits limits = HD_INIT(hd_limits);
    hd_pose pose;
    int bad = 0;
    if (argc < 2)
        return 2;
    options.abi_version = HD_ABI_VERSION, options.name = "sealed", options.name_length = 6;
    options.socket = argv[1], options.socket_length = strlen(argv[1]), options.patience_ms = -1;
    if (hd_connect_with(&options, &client, &error) != HD_OK ||
        hd_subscribe(client, 0, HD_TOPIC_ALL, &arm, &error) != HD_OK ||
        hd_wait_tick(arm, 0, -1, &state) != HD_OK)
        return fprintf(stderr, "%s\n", error.message), 3;
    open_surface();
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return perror("seccomp"), 3;
    if (argc > 2)
        hd_wake_clear(arm);
    /* All that the header calls real-time safe, but for hd_now_ns: where the kernel's clock is a
     * slow one, reading it is a system call. */
    for (int k = 0; k < 2000; k++) {
        int32_t statuses[] = {hd_read_state(arm, &state), hd_read_contacts(arm, &contacts),
                              hd_read_bodies(arm, &bodies)};
        for (int s = 0; s < 3; s++)
            bad |= statuses[s] != HD_OK && statuses[s] != HD_BUSY;
        int32_t read = hd_surface_read(surface, points, counts.points, NULL);
        bad |= read != HD_OK && read != HD_BUSY && read != HD_NOT_YET;
        bad |= hd_state_version(arm) == 0 || hd_wake_fd(arm) < 0 || hd_client_fd(client) < 0;
        bad |= hd_predict_pose(&state, state.time_ns, &pose) < 0;
        bad |= hd_predict_proxy(&state, state.time_ns, &pose) < 0;
        bad |= hd_client_welcome(client, &welcome) != HD_OK || hd_limits_leave(&limits) != HD_OK;
        bad |= hd_abi_version() != HD_ABI_VERSION || hd_status_text(bad)[0] == 0;
        bad |= hd_version_string()[0] == 0 || hd_governor_text(1)[0] == 0;
        bad |= hd_body_kind_text(1)[0] == 0;
        (void)hd_surface_version(surface);
    }
    syscall(SYS_exit, bad);
    return 3;
}
