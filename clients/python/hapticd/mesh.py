"""Meshes in sealed memory files: how a body's shape goes to the daemon and comes from it."""

from __future__ import annotations

import fcntl
import os
import struct
from array import array
from typing import Iterable, NamedTuple, Sequence

from ._layout import MESH_HEADER_BYTES, MESH_MAGIC, MESH_SEALS, MESH_VERSION
from .errors import BlockError

_F_ADD_SEALS = 1033


class Mesh(NamedTuple):
    """A triangle mesh in the body's frame."""

    positions: Sequence[Sequence[float]]
    """Vertices: x, y, z, m."""
    triangles: Sequence[Sequence[int]]
    """Indices of three vertices each, counter-clockwise seen from outside."""


def box(size_m: Sequence[float]) -> Mesh:
    """A closed box about the origin with these edges, m."""
    x, y, z = (0.5 * edge for edge in size_m)
    corners = [(sx * x, sy * y, sz * z) for sz in (-1, 1) for sy in (-1, 1) for sx in (-1, 1)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(corners, triangles)


def _flat(rows: Iterable[Sequence[float]], code: str, what: str) -> "array[float]":
    flat: "array[float]" = array(code)
    for row in rows:
        if len(row) != 3:
            raise ValueError(f"{what} have 3 numbers each, not {len(row)}")
        flat.extend(row)
    return flat


def encode(mesh: Mesh) -> bytes:
    """The content of a mesh file, with coordinates of 8 bytes."""
    positions = _flat(mesh.positions, "d", "vertices")
    triangles = _flat(mesh.triangles, "I", "triangles")
    header = struct.pack(
        "<QIIIIQ",
        MESH_MAGIC,
        MESH_VERSION,
        8,
        len(positions) // 3,
        len(triangles) // 3,
        0,
    )
    return header + positions.tobytes() + triangles.tobytes()


def decode(data: bytes) -> Mesh:
    """Reads the content of a mesh file. Raises `BlockError` for anything else."""
    if len(data) < MESH_HEADER_BYTES:
        raise BlockError("not a mesh file")
    magic, version, width, vertices, triangles, _ = struct.unpack_from("<QIIIIQ", data)
    if magic != MESH_MAGIC or version != MESH_VERSION or width not in (4, 8):
        raise BlockError(f"not a mesh file of version {MESH_VERSION}")
    end = MESH_HEADER_BYTES + 3 * width * vertices
    first = (end + 7) // 8 * 8
    if first + 12 * triangles != len(data):
        raise BlockError(f"{vertices} vertices and {triangles} triangles, {len(data)} bytes")
    positions = array("f" if width == 4 else "d", data[MESH_HEADER_BYTES:end])
    indices = array("I", data[first:])
    if triangles and max(indices) >= vertices:
        raise BlockError(f"a triangle has vertex {max(indices)}, and there are {vertices}")
    return Mesh(
        list(zip(positions[0::3], positions[1::3], positions[2::3])),
        list(zip(indices[0::3], indices[1::3], indices[2::3])),
    )


def sealed_file(data: bytes) -> int:
    """A sealed memory file with these bytes, as the daemon takes it; the caller closes it."""
    descriptor = os.memfd_create("hapticd-mesh", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(data)
        fcntl.fcntl(descriptor, _F_ADD_SEALS, MESH_SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
