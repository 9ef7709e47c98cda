/* Adds a box that swings to and fro where the arm can push it, and says when it is touched. */
#include <hapticd.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static const double corners[8][3] = {
    {-0.015, -0.015, -0.015}, {0.015, -0.015, -0.015}, {-0.015, 0.015, -0.015},
    {0.015, 0.015, -0.015},   {-0.015, -0.015, 0.015}, {0.015, -0.015, 0.015},
    {-0.015, 0.015, 0.015},   {0.015, 0.015, 0.015}};
static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

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
    hd_pose_command goal = HD_INIT(hd_pose_command);
    hd_body_spec spec = HD_INIT(hd_body_spec);
    hd_pose where = {{0.0, 0.0, 0.02}, {0.0, 0.0, 0.0, 1.0}}; /* Where the hand is. */
    spec.kind = HD_BODY_KINEMATIC, spec.solid = 1, spec.world_from_body = where;
    spec.name = "box", spec.name_length = 3;
    spec.positions_m = corners[0], spec.vertex_count = 8;
    spec.triangles = faces[0], spec.triangle_count = 12;
    spec.stiffness_n_per_m = 1000.0, spec.damping_n_s_per_m = 1.0, spec.friction = 0.3;
    if (hd_connect(HD_ABI_VERSION, HD_TEXT("push a box"), &client, &error) != HD_OK ||
        hd_subscribe(client, 0, HD_TOPIC_CONTACTS | HD_TOPIC_EVENTS, &arm, &error) != HD_OK ||
        hd_add_body(client, &spec, &goal.body, &error) != HD_OK)
        return failed();
    goal.world_from_body = where, goal.speed_m_s = 0.2;
    goal.lease_ms = 200; /* If this program stops, the box stops when the lease is over. */
    hd_event event = HD_INIT(hd_event);
    hd_contacts contacts = HD_INIT(hd_contacts);
    int touched = 0;
    int64_t start_ns = hd_now_ns();
    for (double s = 0.0; s < seconds; s = 1e-9 * (double)(hd_now_ns() - start_ns)) {
        /* A frame of the application: events first, which also renews the leases. */
        int32_t status;
        while ((status = hd_client_poll(client, 0, &event, &error)) == HD_EVENT)
            printf("event %#x of body %u\n", (unsigned)event.kind, (unsigned)event.body);
        goal.world_from_body.position_m[0] = 0.05 * sin(s);
        if (status == HD_OK)
            status = hd_post_body_pose(client, &goal, &error);
        if (status != HD_OK && status != HD_WOULD_WAIT) /* Busy: the next frame's pose will do. */
            return hd_subscription_free(arm), failed();
        if (hd_read_contacts(arm, &contacts) == HD_OK) {
            int touches = 0;
            for (uint32_t k = 0; k < contacts.count; k++)
                touches |= contacts.contacts[k].body == goal.body;
            if (touches != touched)
                puts((touched = touches) ? "touched" : "released");
        }
        poll(NULL, 0, 16);
    }
    hd_subscription_free(arm);
    hd_client_free(client);
    return 0;
}
