"""The connection: requests, their answers, and the events in between.

No threads and no callbacks. A client is used by one thread at a time.
"""

from __future__ import annotations

import math
import os
import select
import socket
import stat
import struct
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Sequence, TypeVar, Union

from . import mesh as meshes
from .messages import (
    EVENTS,
    MAGIC,
    MAJOR,
    MAX_ARMS,
    MAX_MESSAGE,
    MINOR,
    REPLIES,
    AddBody,
    AddInstance,
    ArmInfo,
    Arms,
    BlockKind,
    Bodies as BodiesPage,
    BodyAdded,
    BodyInfo,
    BodyKind,
    BodyTarget,
    Done,
    EffectKind,
    EffectSet,
    EffectShape,
    Error,
    GetLimits,
    GetStatus,
    Goodbye,
    GraspBody,
    HaltBody,
    Hello,
    Limits,
    ListArms,
    ListBodies,
    OpenShape,
    OpenSkin,
    OpenSurface,
    PushBody,
    PushMode,
    Refused,
    ReleaseBody,
    RemoveBody,
    RenewLeases,
    NeedleState,
    SetBodyPose,
    SetBodyPoses,
    SetClutch,
    SetEffect,
    SetFocus,
    SetMaterial,
    SetWorkspace,
    StopEffect,
    Subscribe,
    Subscribed,
    TeleportBody,
    TightenLimits,
    Topic,
    Waveform,
    Welcome,
)
from ._words import DecodeError, Message, Pose, decode
from .blocks import (
    Block,
    Bodies,
    Contacts,
    Wake,
    bodies_block,
    contacts_block,
    needle_block,
    state_block,
    wait_for,
)
from .surfaces import Skin, Surface
from .errors import (
    BlockError,
    BodyPending,
    Closed,
    ConnectError,
    Disconnected,
    HapticdError,
    NoDaemon,
    Refusal,
    RequestRefused,
    TimedOut,
    WouldWait,
    refusal_text,
)
from .messages import ArmState

M = TypeVar("M", bound=Message)

_MAX_DESCRIPTORS = 8
_MAX_SHAPE_BYTES = 1 << 30
_MAX_STATUS_BYTES = 16 << 20
# A large mesh is read and indexed before the answer.
_TIMEOUT_PER_TRIANGLE_S = 20e-6

Notification = Union[Message, Refusal]
"""What `Client.poll` returns: an event, the `BodyAdded` of a body that came late, or a refusal."""


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
        self._needle: Block[NeedleState] | None = None
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
        """The newest poses of all rigid bodies, and the forces of the tools on them."""
        return _subscribed(self._bodies, "bodies").read()

    def needle(self) -> NeedleState:
        """The newest state of the needle at the arm's tool."""
        return _subscribed(self._needle, "needle").read()

    def close(self) -> None:
        """Unmaps the blocks and closes the wake-up line."""
        for part in (self._state, self._contacts, self._bodies, self._needle, self._wake):
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
        path: str | os.PathLike[str] | None = None,
        timeout_s: float = 10.0,
        patience_s: float = 0.0,
    ) -> None:
        """Connects and says hello. Technicians see the name.

        Tries again for `patience_s` while there is no daemon, for one that is starting. Raises
        `ConnectError`; nothing is said to a daemon of another user.
        """
        self.timeout_s = timeout_s
        """How long an answer may take, s."""
        self._notifications: deque[Notification] = deque()
        self._posted: set[int] = set()
        self._wakes: weakref.WeakSet[Wake] = weakref.WeakSet()
        self._used = threading.Lock()
        self._process = os.getpid()
        self._last_error: Error | None = None
        self._next = 1
        self._sent_s = time.monotonic()
        end_s = time.monotonic() + patience_s
        while True:
            try:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            except OSError as error:
                raise ConnectError(f"no socket can be made: {error}") from None
            try:
                self.path = os.fspath(path) if path else default_socket()
                self._reach()
                self._greet(name)
                return
            except NoDaemon:
                self._socket.close()
                if time.monotonic() >= end_s:
                    raise
                time.sleep(0.02)
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
            try:
                number = self._send(hello)
            except Disconnected:
                number = 0  # A daemon that refuses before it listens: its answer is there.
            reply, descriptors = self._answer(number, self.timeout_s)
        except Disconnected as error:
            raise NoDaemon(f"{self.path}: the daemon ended before it answered: {error}") from None
        except (TimedOut, DecodeError) as error:
            raise ConnectError(f"{self.path}: the hello was not answered: {error}") from None
        _close(descriptors)
        if isinstance(reply, Refused):
            raise ConnectError(refusal_text(reply), reply)
        if not isinstance(reply, Welcome):
            raise ConnectError(f"the hello was answered by {type(reply).__name__}")
        self.welcome = reply
        """Versions, limits and this client's number."""

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One thread of one process at a time: others would take each other's answers."""
        if os.getpid() != self._process:
            raise RuntimeError("this client is another process's: connect after the fork")
        if self._socket.fileno() < 0:
            raise Closed("this client was closed")
        if not self._used.acquire(blocking=False):
            raise RuntimeError("another thread is using this client: connect once for each")
        try:
            yield
        finally:
            self._used.release()

    def __enter__(self) -> Client:
        if self._socket.fileno() < 0:
            raise Closed("this client was closed")
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
        for wake in list(self._wakes):
            wake.close()
        # A forked process may not say goodbye for its parent.
        if self._socket.fileno() >= 0 and os.getpid() == self._process:
            try:
                self._socket.send(Goodbye().packet(0))
            except OSError:
                pass  # Closing says the same.
        self._socket.close()

    def fileno(self) -> int:
        """For a poll loop: readable when `poll` may have something."""
        number = self._socket.fileno()
        if number < 0:
            raise Closed("this client was closed")
        return number

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
                elif block.kind is BlockKind.NEEDLE:
                    result._needle = needle_block(descriptor)
                elif block.kind is BlockKind.WAKE:
                    result._wake = Wake(descriptor)
                    self._wakes.add(result._wake)
                else:
                    os.close(descriptor)
        finally:
            _close(descriptors)
        return result

    def shape(self, body: int) -> meshes.Mesh:
        """The mesh of a body that is shown by its pose, or of an arm's tool (`tool_id`)."""
        return meshes.decode(_content(self._descriptor(OpenShape(body=body)), _MAX_SHAPE_BYTES))

    def status(self) -> str:
        """The daemon's state as JSON; only on the technician's socket (`technician.sock`)."""
        return _content(self._descriptor(GetStatus()), _MAX_STATUS_BYTES).decode()

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
        timeout_s: float | None = None,
    ) -> int:
        """Adds a body and returns its identity. It goes when this client does.

        Waits until the mesh is read and indexed: seconds for a million triangles, which are given
        20 us each beyond `Client.timeout_s` unless `timeout_s` is. Raises `BodyPending` after that.
        Meshes of numpy arrays are sent quickest. While it is being encoded the daemon hears nothing
        from this client: add large bodies first.
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
        request.to_bytes()  # Wrong values are found before a large mesh is encoded.
        descriptor = meshes.sealed_file(meshes.encode(mesh))
        if timeout_s is None:
            timeout_s = self.timeout_s + len(mesh.triangles) * _TIMEOUT_PER_TRIANGLE_S
        try:
            reply, descriptors = self._exchange(request, [descriptor], timeout_s)
        except TimedOut as error:
            self._posted.add(self._next - 1)
            raise BodyPending(f"body `{name}` may still be added: {error}") from None
        finally:
            os.close(descriptor)
        _close(descriptors)
        if not isinstance(reply, BodyAdded):
            raise DecodeError(f"`AddBody` was answered by {type(reply).__name__}")
        return reply.body

    def add_instance(
        self,
        name: str,
        of: int,
        pose: Pose = Pose(),
        kind: BodyKind = BodyKind.KINEMATIC,
        stiffness_n_per_m: float = 1000.0,
        damping_n_s_per_m: float = 1.0,
        friction: float = 0.3,
        restitution: float = 0.0,
        density_kg_m3: float = 1000.0,
    ) -> int:
        """Adds a body with the mesh of body `of`, which a client added, and returns its identity.

        Nothing is sent, read or indexed again; it is solid if the other one is.
        """
        request = AddInstance(
            name=name,
            world_from_body=pose,
            stiffness_n_per_m=stiffness_n_per_m,
            damping_n_s_per_m=damping_n_s_per_m,
            friction=friction,
            restitution=restitution,
            density_kg_m3=density_kg_m3,
            of=of,
            kind=kind,
        )
        return self.request(request, BodyAdded).body

    def remove_body(self, body: int) -> None:
        """Removes a body that this client added."""
        self.request(RemoveBody(body=body), Done)

    def set_body_pose(self, body: int, pose: Pose, speed_m_s: float, lease_ms: int) -> None:
        """Moves a kinematic body towards a pose, no faster than this, for this long."""
        self.request(_move(body, pose, speed_m_s, lease_ms), Done)

    def post_body_pose(self, body: int, pose: Pose, speed_m_s: float, lease_ms: int) -> int:
        """Like `set_body_pose` without waiting. Returns a number; `poll` returns a refusal with it.

        Raises `WouldWait` where the daemon takes nothing now.
        """
        with self._alone():
            self._drain()
            number = self._send(_move(body, pose, speed_m_s, lease_ms), waits=False)
            self._posted.add(number)
            return number

    def set_body_poses(self, targets: Sequence[BodyTarget]) -> None:
        """Moves several kinematic bodies at once, at most `MAX_TARGETS`, each as `set_body_pose`.

        It is one message. If one target is refused, none is taken.
        """
        self.request(_moves(targets), Done)

    def post_body_poses(self, targets: Sequence[BodyTarget]) -> int:
        """Like `set_body_poses` without waiting, as `post_body_pose` does."""
        with self._alone():
            self._drain()
            number = self._send(_moves(targets), waits=False)
            self._posted.add(number)
            return number

    def set_material(
        self, body: int, stiffness_n_per_m: float, damping_n_s_per_m: float, friction: float
    ) -> None:
        """Changes the surface of a body that this client added; the force follows without a step."""
        self.request(
            SetMaterial(
                stiffness_n_per_m=stiffness_n_per_m,
                damping_n_s_per_m=damping_n_s_per_m,
                friction=friction,
                body=body,
            ),
            Done,
        )

    def set_effect(
        self,
        arm: int,
        kind: EffectKind,
        *,
        magnitude_n: float = 0.0,
        second_n: float = 0.0,
        coefficient: float = 0.0,
        axis: Sequence[float] = (0.0, 0.0, 1.0),
        place_m: Sequence[float] = (0.0, 0.0, 0.0),
        shape: EffectShape = EffectShape.POINT,
        range_m: float = math.inf,
        dead_band_m: float = 0.0,
        frequency_hz: float = 0.0,
        phase: float = 0.0,
        waveform: Waveform = Waveform.SINE,
        cap_n: float = 100.0,
        delay_s: float = 0.0,
        duration_s: float = math.inf,
        attack_s: float = 0.0,
        attack_level: float = 0.0,
        fade_s: float = 0.0,
        fade_level: float = 0.0,
        effect: int = 0,
    ) -> int:
        """Begins an effect, a force in addition to contact, and returns its identity.

        With the identity of a running effect as `effect` it gives that one these numbers. An effect
        lasts as long as this client is heard: `poll` or any request.
        """
        request = SetEffect(
            place_m=tuple(place_m),
            axis=tuple(axis),
            magnitude_n=magnitude_n,
            second_n=second_n,
            coefficient=coefficient,
            frequency_hz=frequency_hz,
            phase=phase,
            dead_band_m=dead_band_m,
            range_m=range_m,
            cap_n=cap_n,
            delay_s=delay_s,
            duration_s=duration_s,
            attack_s=attack_s,
            attack_level=attack_level,
            fade_s=fade_s,
            fade_level=fade_level,
            effect=effect,
            arm=arm,
            kind=kind,
            waveform=waveform,
            shape=shape,
        )
        return self.request(request, EffectSet).effect

    def stop_effect(self, effect: int) -> None:
        """Ends an effect within 20 ms. One that has ended is no error."""
        self.request(StopEffect(effect=effect), Done)

    def grasp_body(self, arm: int, body: int = 0) -> None:
        """Lets an arm hold a dynamic body: this one, or with 0 the one that presses its tool most.

        The hand feels its weight and what it touches. The events `Grasped` and `LetGo`
        (`Topic.CONTACT_EVENTS`) say what came of it. It lasts as long as this client is heard.
        """
        self.request(GraspBody(body=body, arm=arm), Done)

    def release_body(self, arm: int) -> None:
        """Lets an arm let go; the body keeps its velocity. One that holds nothing is no error."""
        self.request(ReleaseBody(arm=arm), Done)

    def set_workspace(
        self,
        arm: int,
        world_from_base: Pose,
        *,
        scale: float = 1.0,
        max_speed_m_s: float = 0.5,
        bubble_center_m: Sequence[float] = (0.0, 0.0, 0.0),
        bubble_radius_m: float = 0.0,
        bubble_width_m: float = 0.02,
        bubble_speed_m_s: float = 0.2,
        bubble_stiffness_n_per_m: float = 100.0,
        bubble_cap_n: float = 1.0,
        recentre: bool = False,
    ) -> None:
        """Says where an arm works: the pose of its base, and world metres per device metre.

        The frame goes there smoothly, no faster than `max_speed_m_s`. Without a radius there is no
        bubble. `arms` has pose and scale of the configuration. When this client ends, the frame
        stays where it is and the bubble ends.
        """
        request = SetWorkspace(
            world_from_base=world_from_base,
            scale=scale,
            max_speed_m_s=max_speed_m_s,
            bubble_center_m=tuple(bubble_center_m),
            bubble_radius_m=bubble_radius_m,
            bubble_width_m=bubble_width_m,
            bubble_speed_m_s=bubble_speed_m_s,
            bubble_stiffness_n_per_m=bubble_stiffness_n_per_m,
            bubble_cap_n=bubble_cap_n,
            arm=arm,
            recentre=recentre,
        )
        self.request(request, Done)

    def set_clutch(self, arm: int, engaged: bool) -> None:
        """Engages the clutch of an arm, or disengages what this client has engaged.

        Meanwhile the hand moves without force and the tool stands. The events `ClutchEngaged` and
        `ClutchReleased` (`Topic.CONTACT_EVENTS`) tell of it.
        """
        self.request(SetClutch(arm=arm, engaged=engaged), Done)

    def teleport_body(self, body: int, pose: Pose) -> None:
        """Places a kinematic or dynamic body that this client added elsewhere at once.

        It does not go there, so it sweeps no tool. Its velocity and its target end.
        """
        self.request(TeleportBody(world_from_body=pose, body=body), Done)

    def push_body(
        self,
        body: int,
        linear: Sequence[float] = (0.0, 0.0, 0.0),
        angular: Sequence[float] = (0.0, 0.0, 0.0),
        point: Sequence[float] | None = None,
        velocity: bool = False,
    ) -> None:
        """Gives a dynamic body that this client added an impulse or a velocity, once.

        An impulse has N s and N m s, and acts at `point`, m; a velocity has m/s and rad/s, and no
        point. All are in the world.
        """
        if point is None and not velocity and any(linear):
            raise ValueError("an impulse acts at a point: give `point`")
        request = PushBody(
            linear=tuple(linear),
            angular=tuple(angular),
            point_m=(0.0, 0.0, 0.0) if point is None else tuple(point),
            body=body,
            mode=PushMode.VELOCITY if velocity else PushMode.IMPULSE,
        )
        self.request(request, Done)

    def halt_body(self, body: int) -> None:
        """Stops a kinematic body where it is and gives up the lease on it."""
        self.request(HaltBody(body=body), Done)

    def renew_leases(self, lease_ms: int) -> None:
        """Renews every lease of this client."""
        self.request(RenewLeases(lease_ms=lease_ms), Done)

    def set_focus(self, focused: bool) -> None:
        """Tells whether the application has the user's focus; without it its bodies make no force."""
        self.request(SetFocus(focused=focused), Done)

    def tighten_limits(
        self,
        arm: int,
        *,
        peak_force_n: float = math.inf,
        continuous_force_n: float = math.inf,
        peak_torque_nm: float = math.inf,
        continuous_torque_nm: float = math.inf,
        slew_n_per_s: float = math.inf,
        slew_nm_per_s: float = math.inf,
        velocity_m_s: float = math.inf,
        angular_velocity_rad_s: float = math.inf,
    ) -> None:
        """Lowers limits of an arm, or of all (`ALL_ARMS`); what is not given stays.

        They outlive this client: only a technician releases them.
        """
        self.request(
            TightenLimits(
                peak_force_n=peak_force_n,
                continuous_force_n=continuous_force_n,
                peak_torque_nm=peak_torque_nm,
                continuous_torque_nm=continuous_torque_nm,
                slew_n_per_s=slew_n_per_s,
                slew_nm_per_s=slew_nm_per_s,
                velocity_m_s=velocity_m_s,
                angular_velocity_rad_s=angular_velocity_rad_s,
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

    def poll(self, timeout_s: float = 0.0) -> Notification | None:
        """The next event, late `BodyAdded` or `Refusal` of a post; `None` if there is none.

        Waits at most `timeout_s`. Renews this client's leases itself when half of the time in
        which the daemon must hear from it is over, so call it in every frame. No thread does it:
        an application that hangs loses its force.
        """
        with self._alone():
            end_s = time.monotonic() + timeout_s
            half_s = 0.5e-3 * self.welcome.lease_ms
            while True:
                self._drain()
                if time.monotonic() - self._sent_s > half_s:
                    renewal = RenewLeases(lease_ms=self.welcome.lease_ms)
                    try:
                        self._posted.add(self._send(renewal, waits=False))
                    except WouldWait:
                        pass  # The next call tries again.
                if self._notifications:
                    return self._notifications.popleft()
                left_s = end_s - time.monotonic()
                if left_s <= 0.0:
                    return None
                wait_for(self._socket.fileno(), select.POLLIN, min(left_s, half_s))

    # The socket.

    def _send(
        self, message: Message, descriptors: Sequence[int] = (), waits: bool = True
    ) -> int:
        number = self._next
        packet = message.packet(number)
        if len(packet) > MAX_MESSAGE:
            raise ValueError(f"the message has {len(packet)} bytes, at most {MAX_MESSAGE} are sent")
        end_s = time.monotonic() + self.timeout_s
        while True:
            try:
                if descriptors:
                    socket.send_fds(self._socket, [packet], list(descriptors))
                else:
                    self._socket.send(packet)
                break
            except BlockingIOError:
                if not waits:
                    raise WouldWait("the daemon takes nothing now") from None
                if time.monotonic() > end_s:
                    raise TimedOut(f"the daemon took nothing for {self.timeout_s:g} s") from None
                # The daemon is behind: take what it has sent, then wait.
                self._drain()
                wait_for(self._socket.fileno(), select.POLLIN | select.POLLOUT, 0.001)
            except OSError as error:
                raise self._gone(str(error)) from None
        self._next += 1
        self._sent_s = time.monotonic()
        return number

    def _exchange(
        self,
        message: Message,
        descriptors: Sequence[int] = (),
        timeout_s: float | None = None,
    ) -> tuple[Message, list[int]]:
        with self._alone():
            number = self._send(message, descriptors)
            reply, received = self._answer(
                number, self.timeout_s if timeout_s is None else timeout_s
            )
        if isinstance(reply, Error):
            _close(received)
            raise RequestRefused(reply)
        return reply, received

    def _answer(self, number: int, timeout_s: float) -> tuple[Message, list[int]]:
        end_s = time.monotonic() + timeout_s
        while True:
            packet = self._take()
            if packet is None:
                left_s = end_s - time.monotonic()
                if left_s <= 0.0:
                    raise TimedOut(f"no answer within {timeout_s:g} s")
                wait_for(self._socket.fileno(), select.POLLIN, left_s)
                continue
            data, descriptors = packet
            # A refusal may come without the hello's id.
            if _id_of(data) == number or _kind_of(data) == Refused.KIND:
                try:
                    return decode(REPLIES, data, len(descriptors))[1], descriptors
                except DecodeError:
                    _close(descriptors)
                    raise
            self._note(data, descriptors)

    def _drain(self) -> None:
        """Files everything that has arrived."""
        while (packet := self._take()) is not None:
            self._note(*packet)

    def _note(self, data: bytes, descriptors: list[int]) -> None:
        """Files a packet that is not the awaited answer."""
        _close(descriptors)
        if _id_of(data) == 0 and _kind_of(data) in EVENTS:
            event = decode(EVENTS, data, len(descriptors))[1]
            self._notifications.append(event)
            return
        number, reply = decode(REPLIES, data, len(descriptors))
        posted = number in self._posted
        self._posted.discard(number)
        if isinstance(reply, Error):
            self._last_error = reply
            if posted or number == 0:
                self._notifications.append(Refusal(number, reply))
        elif isinstance(reply, BodyAdded) and posted:
            self._notifications.append(reply)

    def _gone(self, why: str) -> Disconnected:
        """The daemon is gone; what it said before is still there."""
        try:
            while True:
                data, descriptors, _, _ = socket.recv_fds(
                    self._socket, MAX_MESSAGE, _MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
                )
                if not data:
                    break
                self._note(data, descriptors)
        except (OSError, DecodeError):
            pass
        said = self._last_error
        is_reason = said is not None and said.detail.startswith("connection closed")
        return Disconnected(f"the connection is closed ({why})", said if is_reason else None)

    def _take(self) -> tuple[bytes, list[int]] | None:
        try:
            data, descriptors, flags, _ = socket.recv_fds(
                self._socket, MAX_MESSAGE + 1, _MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
        except BlockingIOError:
            return None
        except OSError as error:
            raise self._gone(str(error)) from None
        if flags & socket.MSG_CTRUNC:
            _close(descriptors)
            raise HapticdError("descriptors were lost: this process has too many open files")
        if not data:
            _close(descriptors)
            raise self._gone("the daemon ended, or ended it")
        return data, descriptors


def _move(body: int, pose: Pose, speed_m_s: float, lease_ms: int) -> SetBodyPose:
    return SetBodyPose(world_from_body=pose, speed_m_s=speed_m_s, body=body, lease_ms=lease_ms)


def _moves(targets: Sequence[BodyTarget]) -> SetBodyPoses:
    return SetBodyPoses(targets=list(targets))


def _content(descriptor: int, limit: int) -> bytes:
    """The content of a file that came with an answer; closes it."""
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise BlockError(f"a file of {size} bytes is too large: at most {limit} are read")
        file.seek(0)
        return file.read(size)


def _kind_of(data: bytes) -> int:
    return int(struct.unpack_from("<H", data)[0]) if len(data) >= 2 else 0


def _id_of(data: bytes) -> int:
    return int(struct.unpack_from("<Q", data, 8)[0]) if len(data) >= 16 else 0


def _close(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def tool_id(arm: int) -> int:
    """The identity of an arm's tool, for `Client.shape` and in `Contact.body`."""
    if not 0 <= arm < MAX_ARMS:
        raise ValueError(f"there is no arm {arm}: they count from 0 to {MAX_ARMS - 1}")
    return 2**32 - 1 - arm
