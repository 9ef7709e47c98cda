"""The connection: requests, their answers, and the events in between.

No threads and no callbacks. A client is used by one thread at a time.
"""

from __future__ import annotations

import os
import select
import socket
import stat
import struct
import time
from collections import deque
from types import TracebackType
from typing import Sequence, TypeVar

from . import mesh as meshes
from ._layout import (
    ALL_ARMS,
    EVENTS,
    MAGIC,
    MAJOR,
    MAX_MESSAGE,
    MINOR,
    REPLIES,
    AddBody,
    ArmInfo,
    Arms,
    BlockKind,
    Bodies as BodiesPage,
    BodyAdded,
    BodyInfo,
    BodyKind,
    Done,
    Error,
    GetLimits,
    Goodbye,
    HaltBody,
    Hello,
    Limits,
    ListArms,
    ListBodies,
    OpenShape,
    OpenSkin,
    OpenSurface,
    Refused,
    RemoveBody,
    RenewLeases,
    SetBodyPose,
    SetFocus,
    Subscribe,
    Subscribed,
    TightenLimits,
    Topic,
    Welcome,
)
from ._words import DecodeError, Message, Pose, decode
from .blocks import Block, Bodies, Contacts, Wake, bodies_block, contacts_block, state_block
from .surfaces import Skin, Surface
from .errors import (
    BlockError,
    ConnectError,
    Disconnected,
    NoDaemon,
    RequestRefused,
    TimedOut,
)
from ._layout import ArmState

M = TypeVar("M", bound=Message)

_MAX_DESCRIPTORS = 8
_MAX_SHAPE_BYTES = 1 << 30


def default_socket() -> str:
    """The first of the places where the daemon's socket may be, as docs/protocol.md says."""
    named = os.environ.get("HAPTICD_SOCKET")
    if named:
        return named
    user = os.getuid()
    folders = []
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        folders.append(os.path.join(runtime, "hapticd"))
    home = os.environ.get("HOME")
    rest = [f"/tmp/hapticd-{user}"] + ([os.path.join(home, ".hapticd")] if home else [])
    folders += ["/run/hapticd", *rest] if user == 0 else [*rest, "/run/hapticd"]
    for folder in folders:
        path = os.path.join(folder, "app.sock")
        if not os.path.exists(path):
            continue
        if folder.startswith("/tmp/"):
            # Anybody can create a folder there.
            found = os.lstat(folder)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & 0o22:
                raise ConnectError(f"no daemon of ours: {folder} is not a folder of user {user} alone")
        return path
    raise NoDaemon(f"no daemon: no socket in {', '.join(folders)}; is it running?")


class Subscription:
    """The blocks of one arm. Reading needs no daemon: the last value stays when it is gone."""

    def __init__(self) -> None:
        self._state: Block[ArmState] | None = None
        self._contacts: Block[Contacts] | None = None
        self._bodies: Block[Bodies] | None = None
        self._wake: Wake | None = None

    @property
    def wake(self) -> Wake:
        """Rings when the arm's state is new."""
        if self._wake is None:
            raise ValueError("the wake-up line was not subscribed to: add Topic.WAKE")
        return self._wake

    def state(self) -> ArmState:
        """The arm's newest state."""
        return _subscribed(self._state, "state").read()

    def state_version(self) -> int:
        """How often the state was published: tells cheaply whether there is a new one."""
        return _subscribed(self._state, "state").version

    def contacts(self) -> Contacts:
        """The arm's newest contacts."""
        return _subscribed(self._contacts, "contacts").read()

    def bodies(self) -> Bodies:
        """The newest poses of all rigid bodies."""
        return _subscribed(self._bodies, "bodies").read()

    def close(self) -> None:
        """Unmaps the blocks and closes the wake-up line."""
        for part in (self._state, self._contacts, self._bodies, self._wake):
            if part is not None:
                part.close()


T = TypeVar("T")


def _subscribed(block: Block[T] | None, name: str) -> Block[T]:
    if block is None:
        raise ValueError(f"{name} was not subscribed to")
    return block


class Client:
    """A connection to the daemon."""

    def __init__(
        self,
        name: str,
        path: str | None = None,
        timeout_s: float = 10.0,
        patience_s: float = 0.0,
    ) -> None:
        """Connects and says hello. Technicians see the name.

        Tries again for `patience_s` while there is no daemon, for one that is starting. Raises
        `ConnectError`; nothing is said to a daemon of another user.
        """
        self.timeout_s = timeout_s
        """How long an answer may take, s."""
        self._notifications: deque[Message] = deque()
        self._posted: set[int] = set()
        self._wakes: list[Wake] = []
        self._next = 1
        self._sent_s = time.monotonic()
        end_s = time.monotonic() + patience_s
        while True:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                self.path = path or default_socket()
                self._reach()
                break
            except NoDaemon:
                self._socket.close()
                if time.monotonic() >= end_s:
                    raise
                time.sleep(0.02)
            except BaseException:
                self._socket.close()
                raise
        try:
            self._greet(name)
        except BaseException:
            self._socket.close()
            raise

    def _reach(self) -> None:
        """Connects to a daemon of this user or of root."""
        try:
            self._socket.connect(self.path)
        except OSError as error:
            raise NoDaemon(f"no daemon at {self.path}: {error}; is it running?") from None
        form = struct.Struct("iII")
        credentials = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, form.size)
        _, owner, _ = form.unpack(credentials)
        if owner not in (0, os.getuid()):
            raise ConnectError(f"{self.path} is a socket of user {owner}, neither ours nor root's")
        self._socket.setblocking(False)

    def _greet(self, name: str) -> None:
        """Says hello and takes the welcome."""
        hello = Hello(magic=MAGIC, major=MAJOR, minor=MINOR, features=0, name=name)
        try:
            number = self._send(hello)
        except Disconnected:
            number = 0  # A daemon that refuses before it listens: its answer is there.
        reply, _ = self._answer(number)
        if isinstance(reply, Refused):
            raise ConnectError(f"the daemon refused the connection: {reply.reason.name}", reply)
        if not isinstance(reply, Welcome):
            raise ConnectError(f"the hello was answered by {type(reply).__name__}")
        self.welcome = reply
        """Versions, limits and this client's number."""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leaves in good order. Its bodies go; blocks that were mapped keep their last value."""
        for wake in self._wakes:
            wake.close()
        if self._socket.fileno() < 0:
            return
        try:
            self._socket.send(Goodbye().packet(0))
        except OSError:
            pass  # Closing says the same.
        self._socket.close()

    def fileno(self) -> int:
        """For a poll loop: readable when `poll` may have something."""
        return self._socket.fileno()

    # Requests.

    def arms(self) -> list[ArmInfo]:
        """The arms in the order of their indices."""
        return self.request(ListArms(), Arms).arms

    def list_bodies(self) -> list[BodyInfo]:
        """All bodies of the scene."""
        bodies: list[BodyInfo] = []
        while True:
            page = self.request(ListBodies(skip=len(bodies)), BodiesPage)
            bodies += page.bodies
            if not page.bodies or len(bodies) >= page.total:
                return bodies

    def limits(self, arm: int) -> Limits:
        """All limits in force on an arm."""
        return self.request(GetLimits(arm=arm), Limits)

    def subscribe(self, arm: int, topics: Topic = Topic.STATE) -> Subscription:
        """Asks for blocks of an arm, its wake-up line, or events."""
        reply, descriptors = self._exchange(Subscribe(arm=arm, topics=int(topics)))
        result = Subscription()
        try:
            if not isinstance(reply, Subscribed):
                raise DecodeError(f"`Subscribe` was answered by {type(reply).__name__}")
            for block in reply.blocks:
                if not descriptors:
                    raise DecodeError("a block without a descriptor")
                descriptor = descriptors.pop(0)
                if block.kind is BlockKind.STATE:
                    result._state = state_block(descriptor)
                elif block.kind is BlockKind.CONTACTS:
                    result._contacts = contacts_block(descriptor)
                elif block.kind is BlockKind.BODIES:
                    result._bodies = bodies_block(descriptor)
                elif block.kind is BlockKind.WAKE:
                    result._wake = Wake(descriptor)
                    self._wakes.append(result._wake)
                else:
                    os.close(descriptor)
        finally:
            _close(descriptors)
        return result

    def shape(self, body: int) -> meshes.Mesh:
        """The mesh of a body that is shown by its pose, or of an arm's tool (`tool_id`)."""
        with os.fdopen(self._descriptor(OpenShape(body=body)), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _MAX_SHAPE_BYTES:
                raise BlockError(f"a shape of {size} bytes is too large")
            file.seek(0)
            return meshes.decode(file.read(size))

    def surface(self, body: int) -> Surface:
        """The surface of a soft body, a cloth or one of a crowd."""
        return Surface(self._descriptor(OpenSurface(body=body)), body)

    def skin(self, body: int) -> Skin:
        """The skin of an implicit body."""
        return Skin(self._descriptor(OpenSkin(body=body)), body)

    def _descriptor(self, message: Message) -> int:
        """The one descriptor that comes with the answer."""
        reply, descriptors = self._exchange(message)
        if type(reply).__name__ not in message.ANSWERS or len(descriptors) != 1:
            _close(descriptors)
            raise DecodeError(f"`{type(message).__name__}` was answered by {type(reply).__name__}")
        return descriptors[0]

    def add_body(
        self,
        name: str,
        mesh: meshes.Mesh,
        pose: Pose = Pose(),
        kind: BodyKind = BodyKind.KINEMATIC,
        solid: bool = True,
        stiffness_n_per_m: float = 1000.0,
        damping_n_s_per_m: float = 1.0,
        friction: float = 0.3,
        restitution: float = 0.0,
        density_kg_m3: float = 1000.0,
    ) -> int:
        """Adds a body and returns its identity. It goes when this client does.

        Waits until the mesh is read and indexed: up to seconds for a large one.
        """
        request = AddBody(
            name=name,
            world_from_body=pose,
            stiffness_n_per_m=stiffness_n_per_m,
            damping_n_s_per_m=damping_n_s_per_m,
            friction=friction,
            restitution=restitution,
            density_kg_m3=density_kg_m3,
            kind=kind,
            solid=solid,
        )
        descriptor = meshes.sealed_file(meshes.encode(mesh))
        try:
            reply, descriptors = self._exchange(request, [descriptor])
        finally:
            os.close(descriptor)
        _close(descriptors)
        if not isinstance(reply, BodyAdded):
            raise DecodeError(f"`AddBody` was answered by {type(reply).__name__}")
        return reply.body

    def remove_body(self, body: int) -> None:
        """Removes a body that this client added."""
        self.request(RemoveBody(body=body), Done)

    def set_body_pose(self, body: int, pose: Pose, speed_m_s: float, lease_ms: int) -> None:
        """Moves a kinematic body towards a pose, no faster than this, for this long."""
        self.request(_move(body, pose, speed_m_s, lease_ms), Done)

    def post_body_pose(self, body: int, pose: Pose, speed_m_s: float, lease_ms: int) -> None:
        """Like `set_body_pose` without waiting; `poll` returns a refusal as an `Error`."""
        self._posted.add(self._send(_move(body, pose, speed_m_s, lease_ms)))

    def halt_body(self, body: int) -> None:
        """Stops a kinematic body where it is and gives up the lease on it."""
        self.request(HaltBody(body=body), Done)

    def renew_leases(self, lease_ms: int) -> None:
        """Renews every lease of this client."""
        self.request(RenewLeases(lease_ms=lease_ms), Done)

    def set_focus(self, focused: bool) -> None:
        """Tells whether the application has the user's focus; without it its bodies make no force."""
        self.request(SetFocus(focused=focused), Done)

    def tighten_force(self, peak_n: float, continuous_n: float = float("inf"), arm: int = ALL_ARMS) -> None:
        """Lowers the force limits of an arm; only a technician releases them."""
        none = float("inf")
        self.request(
            TightenLimits(
                peak_force_n=peak_n,
                continuous_force_n=continuous_n,
                peak_torque_nm=none,
                continuous_torque_nm=none,
                slew_n_per_s=none,
                slew_nm_per_s=none,
                velocity_m_s=none,
                angular_velocity_rad_s=none,
                arm=arm,
            ),
            Done,
        )

    def request(self, message: Message, answer: type[M]) -> M:
        """Sends any request without descriptors and waits for this kind of reply.

        Raises `RequestRefused`, `TimedOut`, `Disconnected`.
        """
        reply, descriptors = self._exchange(message)
        _close(descriptors)
        if not isinstance(reply, answer):
            raise DecodeError(f"`{type(message).__name__}` was answered by {type(reply).__name__}")
        return reply

    # What comes unasked.

    def poll(self, timeout_s: float = 0.0) -> Message | None:
        """The next event, or the `Error` of a request that was posted; `None` if there is none.

        Waits at most `timeout_s`. Renews this client's leases itself when half of the time in
        which the daemon must hear from it is over, so call it in every frame. No thread does it:
        an application that hangs loses its force.
        """
        end_s = time.monotonic() + timeout_s
        while True:
            half_s = 0.5e-3 * self.welcome.lease_ms
            if time.monotonic() - self._sent_s > half_s:
                self._posted.add(self._send(RenewLeases(lease_ms=self.welcome.lease_ms)))
            if self._notifications:
                return self._notifications.popleft()
            packet = self._take()
            if packet is not None:
                self._note(*packet)
                continue
            left_s = end_s - time.monotonic()
            if left_s <= 0.0:
                return None
            self._wait(min(left_s, half_s), for_writing=False)

    # The socket.

    def _send(self, message: Message, descriptors: Sequence[int] = ()) -> int:
        number = self._next
        packet = message.packet(number)
        if len(packet) > MAX_MESSAGE:
            raise ValueError(f"the message has {len(packet)} bytes, and at most {MAX_MESSAGE} are sent")
        end_s = time.monotonic() + self.timeout_s
        while True:
            try:
                if descriptors:
                    socket.send_fds(self._socket, [packet], list(descriptors))
                else:
                    self._socket.send(packet)
                break
            except BlockingIOError:
                # The daemon is behind: take what it has sent, then wait.
                arrived = self._take()
                if arrived is not None:
                    self._note(*arrived)
                elif time.monotonic() > end_s:
                    raise TimedOut(f"the daemon took nothing for {self.timeout_s:g} s") from None
                else:
                    self._wait(0.001, for_writing=True)
            except (BrokenPipeError, ConnectionResetError, OSError) as error:
                raise Disconnected(f"the daemon has closed the connection: {error}") from None
        self._next += 1
        self._sent_s = time.monotonic()
        return number

    def _exchange(
        self, message: Message, descriptors: Sequence[int] = ()
    ) -> tuple[Message, list[int]]:
        number = self._send(message, descriptors)
        reply, received = self._answer(number)
        if isinstance(reply, Error):
            _close(received)
            raise RequestRefused(reply)
        return reply, received

    def _answer(self, number: int) -> tuple[Message, list[int]]:
        end_s = time.monotonic() + self.timeout_s
        while True:
            packet = self._take()
            if packet is None:
                left_s = end_s - time.monotonic()
                if left_s <= 0.0:
                    raise TimedOut(f"no answer within {self.timeout_s:g} s")
                self._wait(left_s, for_writing=False)
                continue
            data, descriptors = packet
            kind, = struct.unpack_from("<H", data) if len(data) >= 2 else (0,)
            # A refusal may come without the hello's id.
            if kind in REPLIES and (_id_of(data) == number or kind == Refused.KIND):
                try:
                    return decode(REPLIES, data, len(descriptors))[1], descriptors
                except DecodeError:
                    _close(descriptors)
                    raise
            self._note(data, descriptors)

    def _note(self, data: bytes, descriptors: list[int]) -> None:
        """Files a packet that nobody waits for."""
        _close(descriptors)
        kind, = struct.unpack_from("<H", data) if len(data) >= 2 else (0,)
        if kind in EVENTS:
            self._notifications.append(decode(EVENTS, data, len(descriptors))[1])
        elif kind in REPLIES:
            number, reply = decode(REPLIES, data, len(descriptors))
            posted = number in self._posted
            self._posted.discard(number)
            if isinstance(reply, Error) and (posted or number == 0):
                self._notifications.append(reply)

    def _take(self) -> tuple[bytes, list[int]] | None:
        try:
            data, descriptors, flags, _ = socket.recv_fds(
                self._socket, MAX_MESSAGE + 1, _MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
        except BlockingIOError:
            return None
        except OSError as error:
            raise Disconnected(f"the daemon has closed the connection: {error}") from None
        if not data:
            _close(descriptors)
            raise Disconnected("the daemon has closed the connection")
        return data, descriptors

    def _wait(self, timeout_s: float, for_writing: bool) -> None:
        poll = select.poll()
        poll.register(self._socket, select.POLLIN | (select.POLLOUT if for_writing else 0))
        poll.poll(timeout_s * 1e3)


def _move(body: int, pose: Pose, speed_m_s: float, lease_ms: int) -> SetBodyPose:
    return SetBodyPose(world_from_body=pose, speed_m_s=speed_m_s, body=body, lease_ms=lease_ms)


def _id_of(data: bytes) -> int:
    return int(struct.unpack_from("<Q", data, 8)[0]) if len(data) >= 16 else 0


def _close(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def tool_id(arm: int) -> int:
    """The identity of an arm's tool, for `Client.shape` and in `Contact.body`."""
    return 2**32 - 1 - arm
