"""Writes the surface of the first soft body or cloth, or the first skin, as an OBJ file."""

import sys
from typing import Callable, TypeVar

import hapticd

T = TypeVar("T")


def first(read: Callable[[], T]) -> T:
    """Reads until there is a frame."""
    while True:
        try:
            return read()
        except (hapticd.NotYet, hapticd.Torn):
            continue


path = sys.argv[1] if len(sys.argv) > 1 else "surface.obj"
with hapticd.connect("soft surface", patience_s=5.0) as client:
    for body in client.list_bodies():
        if body.kind is hapticd.BodyKind.IMPLICIT:
            frame = first(client.skin(body.body).read)
            points, triangles = frame.points, frame.triangles
            break
        if body.kind in (hapticd.BodyKind.SOFT, hapticd.BodyKind.CLOTH):
            surface = client.surface(body.body)
            points, triangles = first(surface.read).points, surface.triangles
            break
    else:
        sys.exit("the scene has nothing soft: try config/cloth.toml or config/coil.toml")
    with open(path, "w") as file:
        for x, y, z in points.tolist():
            file.write(f"v {x} {y} {z}\n")
        for a, b, c in triangles.tolist():
            file.write(f"f {a + 1} {b + 1} {c + 1}\n")
    print(f"{body.name}: {len(points)} points, {len(triangles)} triangles in {path}")
