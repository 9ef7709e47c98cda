"""Meshes in sealed memory files: how a body's shape goes to the daemon and comes from it."""

from __future__ import annotations

import fcntl
import math
import os
import struct
from array import array
from typing import Iterable, NamedTuple, Sequence

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

from .messages import MESH_HEADER_BYTES, MESH_MAGIC, MESH_SEALS, MESH_VERSION
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


def _bytes(rows: Iterable[Sequence[float]], code: str, what: str) -> tuple[int, bytes]:
    """Number of rows, and their bytes."""
    if numpy is not None:
        kind = "<f8" if code == "d" else "<u4"
        table = numpy.asarray(rows)
        if table.size and table.ndim == 2 and table.shape[1] == 3 and table.dtype.kind in "fiu":
            if code == "d" and not numpy.isfinite(table).all():
                raise ValueError(f"{what} are not finite")
            if code == "I" and (table.min() < 0 or table.max() >= 2**32):
                raise ValueError(f"{what} have indices from {table.min()} to {table.max()}")
            return len(table), numpy.ascontiguousarray(table, kind).tobytes()
    flat = _flat(rows, code, what)
    if code == "d" and not all(map(math.isfinite, flat)):
        raise ValueError(f"{what} are not finite")
    return len(flat) // 3, flat.tobytes()


def _flat(rows: Iterable[Sequence[float]], code: str, what: str) -> "array[float]":
    flat: "array[float]" = array(code)
    for row in rows:
        if len(row) != 3:
            raise ValueError(f"{what} have 3 numbers each, not {len(row)}")
        try:
            flat.extend(row)
        except (OverflowError, TypeError) as error:
            raise ValueError(f"{what}: {error}") from None
    return flat


def encode(mesh: Mesh) -> bytes:
    """The content of a mesh file, with coordinates of 8 bytes; quick for numpy arrays.

    Raises `ValueError` for rows that are not of three numbers or not finite.
    """
    vertices, positions = _bytes(mesh.positions, "d", "vertices")
    count, triangles = _bytes(mesh.triangles, "I", "triangles")
    header = struct.pack(
        "<QIIIIQ",
        MESH_MAGIC,
        MESH_VERSION,
        8,
        vertices,
        count,
        0,
    )
    return header + positions + triangles


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
