// Writes the surface of the first soft body or cloth, or the first skin, as an OBJ file.
#include <hapticd.hpp>

#include <cstdio>

static void write(const char *path, const char *name, const hapticd::point *points,
                  std::size_t point_count, const hapticd::triangle *triangles,
                  std::size_t triangle_count) {
    std::FILE *file = std::fopen(path, "w");
    if (file == nullptr)
        return std::perror(path);
    for (std::size_t k = 0; k < point_count; k++)
        std::fprintf(file, "v %g %g %g\n", static_cast<double>(points[k][0]),
                     static_cast<double>(points[k][1]), static_cast<double>(points[k][2]));
    for (std::size_t k = 0; k < triangle_count; k++)
        std::fprintf(file, "f %u %u %u\n", triangles[k][0] + 1, triangles[k][1] + 1,
                     triangles[k][2] + 1);
    std::fclose(file);
    std::printf("%s: %zu points, %zu triangles in %s\n", name, point_count, triangle_count, path);
}

// Reads until there is a frame.
template <typename Mesh> static void first(Mesh &mesh) {
    std::int32_t status;
    do
        status = mesh.read();
    while (status == HD_NOT_YET || status == HD_BUSY);
    if (status != HD_OK)
        throw hapticd::error(hapticd::failure(status));
}

int main(int argc, char **argv) try {
    const char *path = argc > 1 ? argv[1] : "surface.obj";
    hapticd::client client("soft surface", {}, 5000);
    for (const auto &body : client.bodies()) {
        if (body.kind == HD_BODY_IMPLICIT) {
            auto skin = client.open_skin(body.body);
            first(skin);
            write(path, body.name, skin.points(), skin.frame().points, skin.triangles(),
                  skin.frame().triangles);
            return 0;
        }
        if (body.kind == HD_BODY_SOFT || body.kind == HD_BODY_CLOTH) {
            auto surface = client.open_surface(body.body);
            first(surface);
            write(path, body.name, surface.points().data(), surface.points().size(),
                  surface.triangles().data(), surface.triangles().size());
            return 0;
        }
    }
    std::fprintf(stderr, "the scene has nothing soft: try config/cloth.toml or config/coil.toml\n");
    return 1;
} catch (const hapticd::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
