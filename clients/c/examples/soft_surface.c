/* Writes the surface of the first soft body or cloth, or the first skin, as an OBJ file. */
#include <hapticd.h>
#include <stdio.h>
#include <stdlib.h>

static float *points;
static uint32_t *corners;
static hd_counts counts;

static void make_room(void) {
    points = calloc(counts.points, sizeof(float[3]));
    corners = calloc(counts.triangles, sizeof(uint32_t[3]));
    if (!points || !corners)
        exit(1);
}

/* Reads until there is a frame. */
static int32_t read_skin(hd_client *client, uint32_t body, hd_error *error) {
    hd_skin *skin = NULL;
    int32_t status = hd_open_skin(client, body, &skin, error);
    if (status != HD_OK)
        return status;
    hd_skin_capacity(skin, &counts);
    make_room();
    hd_skin_buffers to = HD_INIT(hd_skin_buffers);
    to.points_m = points, to.triangles = corners;
    to.point_capacity = counts.points, to.triangle_capacity = counts.triangles;
    hd_skin_frame frame = HD_INIT(hd_skin_frame);
    do
        status = hd_skin_read(skin, &to, &frame);
    while (status == HD_NOT_YET || status == HD_BUSY);
    counts.points = frame.points, counts.triangles = frame.triangles;
    hd_skin_free(skin);
    return status;
}

static int32_t read_surface(hd_client *client, uint32_t body, hd_error *error) {
    hd_surface *surface = NULL;
    int32_t status = hd_open_surface(client, body, &surface, error);
    if (status != HD_OK)
        return status;
    hd_surface_counts(surface, &counts);
    make_room();
    hd_surface_triangles(surface, corners, counts.triangles); /* They never change. */
    do
        status = hd_surface_read(surface, points, counts.points, NULL);
    while (status == HD_NOT_YET || status == HD_BUSY);
    hd_surface_free(surface);
    return status;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "surface.obj";
    hd_error error = HD_INIT(hd_error);
    hd_client *client = NULL;
    hd_body_info body = HD_INIT(hd_body_info);
    uint32_t count = 0;
    int32_t status = hd_connect(HD_ABI_VERSION, HD_TEXT("soft surface"), &client, &error);
    if (status == HD_OK)
        status = hd_bodies_refresh(client, &count, &error);
    for (uint32_t k = 0; status == HD_OK && k < count && !points; k++) {
        status = hd_body_at(client, k, &body);
        if (body.kind == HD_BODY_IMPLICIT)
            status = read_skin(client, body.body, &error);
        else if (body.kind == HD_BODY_SOFT || body.kind == HD_BODY_CLOTH)
            status = read_surface(client, body.body, &error);
    }
    hd_client_free(client);
    FILE *file = status == HD_OK && points ? fopen(path, "w") : NULL;
    if (!file)
        return fprintf(stderr, "no surface: %s\n", error.message), 1;
    for (uint32_t k = 0; k < counts.points; k++)
        fprintf(file, "v %g %g %g\n", points[3 * k], points[3 * k + 1], points[3 * k + 2]);
    for (uint32_t k = 0; k < counts.triangles; k++)
        fprintf(file, "f %u %u %u\n", corners[3 * k] + 1, corners[3 * k + 1] + 1,
                corners[3 * k + 2] + 1);
    printf("%s: %u points, %u triangles in %s\n", body.name, counts.points, counts.triangles, path);
    free(points), free(corners);
    return fclose(file) != 0;
}
