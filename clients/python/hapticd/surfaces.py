"""Shapes that change: the surface of a soft body, a cloth or one of a crowd, and the skin of an
implicit body. Each read is a copy of the newest frame.

Lists are rows of three: numpy arrays where numpy is installed, memory views otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, cast

from .messages import (
    PAYLOAD_WORD,
    SEQUENCE_WORD,
    BlockKind,
    BodyHeader,
    HeaderWords,
    SkinFrameHeader,
    SurfaceFrameHeader,
)
from .blocks import copied, open_block
from .errors import BlockError, Closed

try:
    import numpy
except ImportError:  # Rows are memory views then.
    numpy = None  # type: ignore[assignment]


class Rows(Protocol):
    """Rows of three numbers: a numpy array, or a memory view where numpy is not installed."""

    def __len__(self) -> int:
        """Number of rows."""

    def tolist(self) -> list[list[Any]]:
        """The rows as lists."""

__all__ = ["Rows", "Skin", "SkinFrame", "Surface", "SurfaceFrame"]


def _rows(data: bytes, start: int, count: int, code: str) -> Rows:
    """Rows of three numbers of 32 bits in a copy, without copying again."""
    if numpy is not None:
        kind = "<f4" if code == "f" else "<u4"
        return cast(Rows, numpy.frombuffer(data, kind, 3 * count, start).reshape(count, 3))
    part = memoryview(data)[start : start + 12 * count]
    return cast(Rows, part.cast("B").cast(code, (count, 3)) if count else part)


def _packed(count: int) -> int:
    """Bytes of that many rows, up to a whole word."""
    return (12 * count + 7) // 8 * 8


def _largest(indices: Rows) -> int:
    """The largest index, -1 for none."""
    if numpy is not None:
        return int(numpy.asarray(indices).max()) if len(indices) else -1
    return max((i for row in indices.tolist() for i in row), default=-1)


class SurfaceFrame(NamedTuple):
    """A surface at one moment."""

    header: SurfaceFrameHeader
    """Step, time, and how far the body is behind the clock."""
    points: Rows
    """Points in the world, m."""


class Surface:
    """The surface of a soft body, a cloth or one of a crowd."""

    def __init__(self, descriptor: int, body: int) -> None:
        self._map = open_block(descriptor, BlockKind.SURFACE, SurfaceFrameHeader.WORDS)
        first = HeaderWords.WORDS * 8
        of = BodyHeader(self._map[first : first + BodyHeader.WORDS * 8])
        if of.body != body:
            raise BlockError(f"the surface is body {of.body}'s, not body {body}'s")
        self._points = of.points
        self._end = (PAYLOAD_WORD + SurfaceFrameHeader.WORDS) * 8 + _packed(of.points)
        if self._end + _packed(of.triangles) > len(self._map):
            raise BlockError(f"{of.points} points and {of.triangles} triangles do not fit")
        data = self._map[self._end : self._end + _packed(of.triangles)]
        self.triangles = _rows(data, 0, of.triangles, "I")
        """Indices of three points each; they never change."""
        if _largest(self.triangles) >= of.points:
            raise BlockError(f"a triangle has a corner beyond {of.points} points")
        self._words = memoryview(self._map).cast("Q")

    def read(self) -> SurfaceFrame:
        """A copy of the newest points. Raises `NotYet`, and `Torn`: keep those that you have."""
        data = copied(self._map, self._words, SEQUENCE_WORD, self._end)
        first = SurfaceFrameHeader.WORDS * 8
        return SurfaceFrame(
            SurfaceFrameHeader(data[:first]), _rows(data, first, self._points, "f")
        )

    def close(self) -> None:
        """Unmaps the block."""
        self._words.release()
        self._map.close()


class SkinFrame(NamedTuple):
    """A skin at one moment: each frame has another mesh."""

    header: SkinFrameHeader
    """Counts, times, and how good the mesh is."""
    points: Rows
    """Points in the world, m."""
    normals: Rows
    """Unit normals, outward."""
    velocities: Rows
    """Velocities of the points, m/s."""
    triangles: Rows
    """Indices of three points each, counter-clockwise seen from outside."""


class Skin:
    """The skin of an implicit body."""

    def __init__(self, descriptor: int, body: int) -> None:
        self._map = open_block(descriptor, BlockKind.SKIN, 2 * SkinFrameHeader.WORDS + 1)
        first = HeaderWords.WORDS * 8
        of = BodyHeader(self._map[first : first + BodyHeader.WORDS * 8])
        if of.body != body:
            raise BlockError(f"the skin is body {of.body}'s, not body {body}'s")
        lists = 3 * _packed(of.points) + _packed(of.triangles)
        self._slot = SkinFrameHeader.WORDS + lists // 8
        self._capacity = (of.points, of.triangles)
        if (SEQUENCE_WORD + 2 * (1 + self._slot)) * 8 > len(self._map):
            raise BlockError(f"{of.points} points and {of.triangles} triangles do not fit twice")
        self._words = memoryview(self._map).cast("Q")

    def read(self) -> SkinFrame:
        """A copy of the newest frame. Raises `NotYet`, and `Torn`: keep the one that you have."""
        second = SEQUENCE_WORD + 1 + self._slot
        if self._map.closed:
            raise Closed("this block was closed")
        newest = SEQUENCE_WORD if self._words[SEQUENCE_WORD] > self._words[second] else second
        data = copied(self._map, self._words, newest, (newest + 1 + self._slot) * 8)
        at = SkinFrameHeader.WORDS * 8
        header = SkinFrameHeader(data[:at])
        points, triangles = header.counts.points, header.counts.triangles
        if points > self._capacity[0] or triangles > self._capacity[1]:
            raise BlockError(f"a frame of {points} points and {triangles} triangles")
        step = _packed(points)
        indices = _rows(data, at + 3 * step, triangles, "I")
        if _largest(indices) >= points:
            raise BlockError(f"a triangle has a corner beyond {points} points")
        lists = [_rows(data, at + k * step, points, "f") for k in range(3)]
        return SkinFrame(header, lists[0], lists[1], lists[2], indices)

    def close(self) -> None:
        """Unmaps the block."""
        self._words.release()
        self._map.close()
