"""How fields become bytes and back: what `messages` is made of.

Everything is little-endian and checked: a message whose bytes are not as its layout says is
refused with `DecodeError`, which says what is wrong.
"""

from __future__ import annotations

import math
import struct
import sys
from typing import Any, Callable, ClassVar, NamedTuple, Sequence, TypeVar, Union

try:
    import numpy
except ImportError:  # Vectors are tuples then.
    numpy = None  # type: ignore[assignment]

Vector = Union["numpy.ndarray[Any, Any]", Sequence[float]]
"""Three numbers (or as many as the field has): a numpy array where numpy is installed."""

U16 = struct.Struct("<H").unpack_from
U32 = struct.Struct("<I").unpack_from
U64 = struct.Struct("<Q").unpack_from
F64 = struct.Struct("<d").unpack_from

MAX_MESSAGE = 4096
MAX_COORDINATE_M = 1e4
QUATERNION_TOLERANCE = 1e-3


class HapticdError(Exception):
    """Everything that this package raises, but for wrong arguments (`ValueError`, `TypeError`)."""


class DecodeError(HapticdError):
    """Bytes that are no message; the sender's fault."""


class Pose(NamedTuple):
    """A rigid transform, such as `world_from_body`."""

    translation_m: Vector = (0.0, 0.0, 0.0)
    """Origin of the inner frame in the outer frame, m."""
    rotation_xyzw: Vector = (0.0, 0.0, 0.0, 1.0)
    """Unit quaternion: rotation of the inner frame in the outer one."""


def vector(data: bytes, offset: int, count: int) -> Vector:
    """Numbers in a copied block: a read-only numpy view of the copy, or a tuple."""
    if numpy is not None:
        return numpy.frombuffer(data, "<f8", count, offset)
    return struct.unpack_from(f"<{count}d", data, offset)


def pose(data: bytes, offset: int) -> Pose:
    """A pose in a copied block."""
    return Pose(vector(data, offset, 3), vector(data, offset + 24, 4))


class Words:
    """Values at fixed places of a copy of a block. The copy never changes."""

    WORDS: ClassVar[int]
    NAMES: ClassVar[tuple[str, ...]]
    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        if len(data) != self.WORDS * 8:
            raise DecodeError(f"{type(self).__name__} has {self.WORDS * 8} bytes, not {len(data)}")
        self.data = data

    def as_dict(self) -> dict[str, Any]:
        """All values by name."""
        return {name: getattr(self, name) for name in self.NAMES}

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({values})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.data == other.data  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.data)


class _Input:
    """Bytes that are read from the front."""

    __slots__ = ("data", "at")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int, name: str) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise DecodeError(f"the body has {len(self.data)} bytes, and `{name}` ends at {end}")
        taken = self.data[self.at : end]
        self.at = end
        return taken


_Put = Callable[[Any, str], bytes]
_Take = Callable[[_Input, str], Any]


def _number(form: str, check: Callable[[Any], bool], must: str) -> tuple[_Put, _Take]:
    code = struct.Struct("<" + form)

    def put(value: Any, name: str) -> bytes:
        try:
            if check(value):
                return code.pack(value)
        except (struct.error, TypeError) as error:
            raise ValueError(f"`{name}` is {value!r}: {error}") from None
        raise ValueError(f"`{name}` is {value:g}, and must be {must}")

    def take(data: _Input, name: str) -> Any:
        (value,) = code.unpack(data.take(code.size, name))
        if not check(value):
            raise DecodeError(f"`{name}` is {value!r}, and must be {must}")
        return value

    return put, take


def _anything(_: Any) -> bool:
    return True


_NUMBERS = {
    "u8": _number("B", _anything, ""),
    "u16": _number("H", _anything, ""),
    "u32": _number("I", _anything, ""),
    "u64": _number("Q", _anything, ""),
    "f64": _number("d", math.isfinite, "finite"),
    "positive": _number("d", lambda value: bool(0.0 <= value < math.inf), "finite, 0 or more"),
    "limit": _number("d", lambda value: bool(value >= 0.0), "0 or more, or infinite for no limit"),
}


def _put_bool(value: Any, name: str) -> bytes:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise TypeError(f"`{name}` is {value!r}, and must be True or False")
    return b"\1" if value else b"\0"


def _take_bool(data: _Input, name: str) -> bool:
    byte = data.take(1, name)[0]
    if byte > 1:
        raise DecodeError(f"`{name}` is {byte}, and must be 0 or 1")
    return byte == 1


def _put_pose(value: Any, name: str) -> bytes:
    try:
        translation, rotation = value
        counts = len(translation), len(rotation)
        # Not `float`, which would take texts.
        finite = all(math.isfinite(number) for number in (*translation, *rotation))
    except TypeError as error:
        raise TypeError(f"`{name}` must be a Pose of 3 and 4 numbers: {error}") from None
    if counts != (3, 4):
        raise ValueError(f"`{name}` has {counts[0]} and {counts[1]} numbers, and must have 3 and 4")
    numbers = tuple(float(number) for number in (*translation, *rotation))
    why = "not finite" if not finite else _not_a_pose(numbers)
    if why:
        raise ValueError(f"`{name}` is {why}")
    return struct.pack("<7d", *numbers)


def _length(numbers: Sequence[float]) -> float:
    # Not `hypot` or `sum`, which round otherwise: this is what the daemon computes.
    x, y, z, w = numbers[3:]
    return math.sqrt(x * x + y * y + z * z + w * w)


def _not_a_pose(numbers: Sequence[float]) -> str | None:
    """Why seven finite numbers are no pose."""
    if max(abs(number) for number in numbers[:3]) > MAX_COORDINATE_M:
        return f"not within {MAX_COORDINATE_M:g} m of the origin"
    length = _length(numbers)
    if not abs(length - 1.0) <= QUATERNION_TOLERANCE:
        return f"no rotation: its quaternion has length {length:g}, and must have 1"
    return None


def _take_pose(data: _Input, name: str) -> Pose:
    numbers = struct.unpack("<7d", data.take(56, name))
    if not all(math.isfinite(number) for number in numbers):
        raise DecodeError(f"`{name}` is not finite")
    why = _not_a_pose(numbers)
    if why:
        raise DecodeError(f"`{name}` is {why}")
    length = _length(numbers)
    # One that is normalised stays unchanged, so that a pose that is passed on reads the same.
    if abs(length - 1.0) > 8.0 * sys.float_info.epsilon:
        numbers = (*numbers[:3], *(part / length for part in numbers[3:]))
    return Pose(numbers[:3], numbers[3:])


_REORDERS = set("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _is_control(character: str) -> bool:
    code = ord(character)
    return code < 32 or 127 <= code < 160


def _text(size: int, is_name: bool) -> tuple[_Put, _Take]:
    def problem(text: str) -> str | None:
        allowed = "" if is_name else "\n"
        if any(_is_control(c) and c not in allowed for c in text):
            return "control characters"
        if is_name and not text:
            return "empty"
        if is_name and not _REORDERS.isdisjoint(text):
            return "characters that break or reorder lines"
        return None

    def put(value: Any, name: str) -> bytes:
        if not isinstance(value, str):
            raise TypeError(f"`{name}` is {value!r}, and must be a text")
        data = value.encode()
        why = problem(value) or (f"longer than {size - 1} bytes" if len(data) >= size else None)
        if why:
            raise ValueError(f"`{name}` is not a text: {why}")
        return data.ljust(size, b"\0")

    def take(data: _Input, name: str) -> str:
        text, end, padding = data.take(size, name).partition(b"\0")
        if not end:
            raise DecodeError(f"`{name}` is not a text: no zero ends it")
        if padding.strip(b"\0"):
            raise DecodeError(f"`{name}` is not a text: bytes behind the end are not zero")
        try:
            result = text.decode()
        except UnicodeDecodeError:
            raise DecodeError(f"`{name}` is not a text: not UTF-8") from None
        why = problem(result)
        if why:
            raise DecodeError(f"`{name}` is not a text: {why}")
        return result

    return put, take


def _array(element: tuple[_Put, _Take], count: int) -> tuple[_Put, _Take]:
    def put(value: Any, name: str) -> bytes:
        if len(value) != count:
            raise ValueError(f"`{name}` has {len(value)} numbers, and must have {count}")
        return b"".join(element[0](float(number), name) for number in value)

    def take(data: _Input, name: str) -> tuple[Any, ...]:
        return tuple(element[1](data, name) for _ in range(count))

    return put, take


def _code(number: tuple[_Put, _Take], of: Callable[[int], Any], name: str) -> tuple[_Put, _Take]:
    def put(value: Any, field: str) -> bytes:
        return number[0](int(value), field)

    def take(data: _Input, field: str) -> Any:
        value = number[1](data, field)
        try:
            return of(value)
        except ValueError:
            raise DecodeError(f"`{field}` is {value}, which is no {name}") from None

    return put, take


def _list(of: type[Record], count: int) -> tuple[_Put, _Take]:
    def put(value: Any, name: str) -> bytes:
        if len(value) > count:
            raise ValueError(f"`{name}` has {len(value)} elements, and at most {count} are sent")
        return struct.pack("<II", len(value), 0) + b"".join(item.to_bytes() for item in value)

    def take(data: _Input, name: str) -> list[Any]:
        actual, reserved = struct.unpack("<II", data.take(8, name))
        if reserved:
            raise DecodeError("reserved bytes are not zero")
        if actual > count:
            raise DecodeError(f"`{name}` has {actual} elements, and at most {count} are allowed")
        return [of._take(data) for _ in range(actual)]

    return put, take


def _codec(spec: str) -> tuple[_Put, _Take]:
    """Returns the codec of a field's type, as `messages` writes it."""
    from . import messages

    kind, _, rest = spec.partition(":")
    if "*" in kind:
        of, _, count = kind.partition("*")
        return _array(_NUMBERS[of], int(count))
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    if kind == "bool":
        return _put_bool, _take_bool
    if kind == "pose":
        return _put_pose, _take_pose
    if kind == "name":
        return _text(64, True)
    if kind == "text":
        return _text(int(rest), False)
    of, _, count = rest.partition(":")
    if kind == "code":
        return _code(_NUMBERS[of], getattr(messages, count), count)
    assert kind == "list", spec
    return _list(getattr(messages, of), int(count))


_Self = TypeVar("_Self", bound="Record")


class Record:
    """A structure of a message: fields one behind the other, then zero bytes."""

    FIELDS: ClassVar[tuple[tuple[str, str], ...]]
    RESERVED: ClassVar[int]
    __slots__ = ()

    @classmethod
    def _codecs(cls) -> list[tuple[str, _Put, _Take]]:
        known = _CODECS.get(cls)
        if known is None:
            known = [(name, *_codec(spec)) for name, spec in cls.FIELDS]
            _CODECS[cls] = known
        return known

    def to_bytes(self) -> bytes:
        """The bytes. Raises `ValueError` for a value that cannot be sent, with its name."""
        parts = [put(getattr(self, name), name) for name, put, _ in self._codecs()]
        return b"".join(parts) + bytes(self.RESERVED)

    @classmethod
    def _take(cls: type[_Self], data: _Input) -> _Self:
        values = [take(data, name) for name, _, take in cls._codecs()]
        if data.take(cls.RESERVED, "reserved").strip(b"\0"):
            raise DecodeError("reserved bytes are not zero")
        return cls(*values)


_CODECS: dict[type[Record], list[tuple[str, _Put, _Take]]] = {}


class Message(Record):
    """A message: a header of 16 bytes and a body."""

    KIND: ClassVar[int]
    ANSWERS: ClassVar[tuple[str, ...]] = ()
    DESCRIPTORS: ClassVar[int | str] = 0
    """How many come with it, or the list that has one for each element."""
    __slots__ = ()

    def descriptors(self) -> int:
        """How many descriptors come with it."""
        count = self.DESCRIPTORS
        return count if isinstance(count, int) else len(getattr(self, count))

    def packet(self, number: int) -> bytes:
        """The whole packet with this id."""
        body = self.to_bytes()
        size = 16 + len(body)
        return struct.pack("<HBBIQ", self.KIND, self.descriptors(), 0, size, number) + body


_M = TypeVar("_M", bound=Message)


def decode(
    kinds: dict[int, type[Message]], packet: bytes, descriptors: int
) -> tuple[int, Message]:
    """Reads a packet that came with that many descriptors; returns its id and the message."""
    if len(packet) < 16:
        raise DecodeError(f"{len(packet)} bytes are no message: a header has 16")
    kind, declared, reserved, length, number = struct.unpack_from("<HBBIQ", packet)
    if reserved:
        raise DecodeError("reserved bytes are not zero")
    if length != len(packet) or length > MAX_MESSAGE:
        raise DecodeError(f"the header says {length} bytes and {len(packet)} arrived")
    if declared != descriptors:
        raise DecodeError(f"the header says {declared} descriptors and {descriptors} arrived")
    of = kinds.get(kind)
    if of is None:
        raise DecodeError(f"there is no message of kind {kind:#06x} here")
    data = _Input(packet[16:])
    message = of._take(data)
    if data.at != len(data.data):
        raise DecodeError(f"{len(data.data) - data.at} bytes too many behind the last field")
    if message.descriptors() != descriptors:
        raise DecodeError(
            f"{of.__name__} takes {message.descriptors()} descriptors; {descriptors} arrived"
        )
    return number, message
