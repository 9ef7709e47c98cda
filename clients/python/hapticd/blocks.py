"""Shared blocks: each read is a copy of the newest value, without a message or a system call.

A copy never changes; a view of the shared memory could be torn at any moment, so there is none.
Only the daemon can write, and nobody can resize: the seals are checked.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import platform
import select
import socket
from typing import Callable, Generic, NamedTuple, TypeVar

from .messages import (
    BLOCK_SEALS,
    MAGIC,
    MAJOR,
    MAX_BODIES,
    MAX_CONTACTS,
    PAYLOAD_WORD,
    SEQUENCE_WORD,
    ArmState,
    BlockKind,
    BodyState,
    Contact,
    HeaderWords,
    ListHeader,
    NeedleState,
)
from ._words import Words
from .errors import BlockError, Closed, Disconnected, NotYet, Torn

_F_GET_SEALS = 1034
_ATTEMPTS = 64


class Contacts(NamedTuple):
    """Contacts of an arm in one tick."""

    tick: int
    time_ns: int
    contacts: list[Contact]


class Bodies(NamedTuple):
    """Poses of all rigid bodies in one tick."""

    tick: int
    time_ns: int
    bodies: list[BodyState]


T = TypeVar("T")


def open_block(descriptor: int, kind: BlockKind, words: int) -> mmap.mmap:
    """Maps a block and checks its seals and header; closes the descriptor in any case."""
    try:
        if platform.machine() not in ("x86_64", "AMD64"):
            # Others may reorder loads, which Python cannot prevent.
            raise BlockError(f"blocks are read on x86-64 only, not on {platform.machine()}")
        seals = fcntl.fcntl(descriptor, _F_GET_SEALS)
        if seals & BLOCK_SEALS != BLOCK_SEALS:
            raise BlockError(f"the block's seals are {seals:#x}, not {BLOCK_SEALS:#x}")
        mapped = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
    except OSError as error:
        # A mapping holds a descriptor of its own.
        why = "too many open files" if error.errno == errno.EMFILE else error.strerror
        raise BlockError(f"the block cannot be mapped: {why}") from None
    finally:
        os.close(descriptor)
    size = len(mapped)
    if size < (PAYLOAD_WORD + words) * 8 or size % 8:
        raise BlockError(f"the block has {size} bytes, and {(PAYLOAD_WORD + words) * 8} are read")
    header = HeaderWords(mapped[: HeaderWords.WORDS * 8])
    if header.magic != MAGIC:
        raise BlockError("not a block of this protocol")
    if header.major != MAJOR:
        raise BlockError(f"the block is of version {header.major}, this package reads {MAJOR}")
    if header.kind != kind:
        raise BlockError(f"the block is of kind {header.kind}, not {kind.value}")
    if header.words * 8 != size:
        raise BlockError(f"the block says {header.words} words and has {size // 8}")
    return mapped


def copied(mapped: mmap.mmap, words: memoryview, sequence: int, end: int) -> bytes:
    """A copy of the bytes up to `end` that this word's sequence guards."""
    if mapped.closed:
        raise Closed("this block was closed")
    for _ in range(_ATTEMPTS):
        before = words[sequence]
        if before & 1:
            # The writer may have lost its processor in the middle: let it go on.
            os.sched_yield()
            continue
        if before == 0:
            raise NotYet("nothing was published yet")
        data = mapped[(sequence + 1) * 8 : end]
        if words[sequence] == before:
            return data
    raise Torn(f"the daemon wrote during {_ATTEMPTS} attempts to read")


class Block(Generic[T]):
    """A block of the daemon, mapped for reading. Any thread may read it."""

    def __init__(self, descriptor: int, kind: BlockKind, words: int, of: Callable[[bytes], T]) -> None:
        """Maps and checks the block; closes the descriptor in any case."""
        self._map = open_block(descriptor, kind, words)
        self._end = (PAYLOAD_WORD + words) * 8
        self._words = memoryview(self._map).cast("Q")
        self._of = of

    @property
    def version(self) -> int:
        """How often a value was published; 0 before the first."""
        if self._map.closed:
            raise Closed("this block was closed")
        return self._words[SEQUENCE_WORD] // 2

    def read(self) -> T:
        """A copy of the newest value.

        Raises `NotYet` before the first, and (rarely) `Torn`: keep the value that you have.
        """
        return self._of(copied(self._map, self._words, SEQUENCE_WORD, self._end))

    def close(self) -> None:
        """Unmaps the block."""
        self._words.release()
        self._map.close()


def _listed(data: bytes, of: type[Words], limit: int) -> tuple[int, int, list[bytes]]:
    first = ListHeader.WORDS * 8
    header = ListHeader(data[:first])
    size = of.WORDS * 8
    count = min(header.count, limit)
    parts = [data[first + k * size : first + (k + 1) * size] for k in range(count)]
    return header.tick, header.time_ns, parts


def _contacts(data: bytes) -> Contacts:
    tick, time_ns, parts = _listed(data, Contact, MAX_CONTACTS)
    return Contacts(tick, time_ns, [Contact(part) for part in parts])


def _bodies(data: bytes) -> Bodies:
    tick, time_ns, parts = _listed(data, BodyState, MAX_BODIES)
    return Bodies(tick, time_ns, [BodyState(part) for part in parts])


def state_block(descriptor: int) -> Block[ArmState]:
    """Maps the block of an arm's state."""
    return Block(descriptor, BlockKind.STATE, ArmState.WORDS, ArmState)


def contacts_block(descriptor: int) -> Block[Contacts]:
    """Maps the block of an arm's contacts."""
    words = ListHeader.WORDS + MAX_CONTACTS * Contact.WORDS
    return Block(descriptor, BlockKind.CONTACTS, words, _contacts)


def bodies_block(descriptor: int) -> Block[Bodies]:
    """Maps the block of all bodies' poses and of the forces on them."""
    words = ListHeader.WORDS + MAX_BODIES * BodyState.WORDS
    return Block(descriptor, BlockKind.BODIES, words, _bodies)


def needle_block(descriptor: int) -> Block[NeedleState]:
    """Maps the block of the needle at an arm's tool."""
    return Block(descriptor, BlockKind.NEEDLE, NeedleState.WORDS, NeedleState)


def wait_for(descriptor: int, events: int, timeout_s: float | None) -> None:
    """Waits until one of these events of `select.poll`, at most that long."""
    poll = select.poll()
    poll.register(descriptor, events)
    # The system counts milliseconds in 31 bits; a longer wait is asked for again.
    poll.poll(None if timeout_s is None else min(max(0.0, timeout_s * 1e3), 1e9))


class Wake:
    """A socket that is readable when the arm's state is new."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(False)

    def __del__(self) -> None:
        self.close()

    def fileno(self) -> int:
        """For a poll loop; empty it with `clear`."""
        number = self._socket.fileno()
        if number < 0:
            raise Closed("this wake-up line was closed")
        return number

    def clear(self) -> bool:
        """Takes what was rung so far; returns whether it was.

        Raises `Disconnected` where the daemon is gone, or a later subscription to this arm has
        replaced the line.
        """
        self.fileno()
        rang = False
        while True:
            try:
                if not self._socket.recv(64):
                    raise Disconnected(
                        "the wake-up line has ended: the daemon is gone, or a later subscription "
                        "to this arm has replaced it"
                    )
            except BlockingIOError:
                return rang
            except OSError as error:
                raise Disconnected(f"the wake-up line has ended: {error}") from None
            rang = True

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until the state is new, at most `timeout_s`; returns whether it is."""
        wait_for(self.fileno(), select.POLLIN, timeout_s)
        return self.clear()

    def close(self) -> None:
        """Closes the line."""
        self._socket.close()
