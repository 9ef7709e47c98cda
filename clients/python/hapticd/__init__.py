"""hapticd from Python: reads the state of haptic arms, and adds bodies that they can touch.

    import hapticd

    with hapticd.connect("my application") as client:
        arm = client.subscribe(0)
        state = arm.state()
        print(state.world_from_proxy.translation_m, state.force_n)

All messages and events are classes of `hapticd.messages`. A client is used by one thread at a time.

Only the standard library is needed; with numpy, vectors are numpy arrays. `Client` waits for
answers and has no threads; `hapticd.aio` is the same for asyncio. Reading a state copies it out of
memory that only the daemon writes. Lengths are in metres, forces in newtons, frames right-handed
with z up. A client that moves bodies calls `Client.poll` in every frame, or its force fades.
"""

from __future__ import annotations

import os

from . import aio, mesh, messages
from .messages import (
    ALL_ARMS,
    ArmEnergy,
    ArmInfo,
    ArmState,
    BodyInfo,
    BodyKind,
    BodyState,
    BodyTarget,
    Contact,
    ErrorCode,
    Flag,
    GovernorState,
    Limits,
    MAX_TARGETS,
    NeedleHold,
    NeedlePhase,
    NeedleState,
    Topic,
)
from ._words import Message, Pose, Vector
from .blocks import Bodies, Contacts, Wake
from .client import Client, Notification, Subscription, default_socket, tool_id
from .errors import (
    BlockError,
    BodyPending,
    Closed,
    ConnectError,
    DecodeError,
    Disconnected,
    HapticdError,
    NoDaemon,
    NotYet,
    Refusal,
    RequestRefused,
    TimedOut,
    Torn,
    WouldWait,
    error_text,
    force_off_text,
)
from .mesh import Mesh
from .surfaces import Skin, SkinFrame, Surface, SurfaceFrame

__all__ = [
    "aio",
    "ALL_ARMS",
    "ArmEnergy",
    "ArmInfo",
    "ArmState",
    "BlockError",
    "Bodies",
    "BodyInfo",
    "BodyKind",
    "BodyPending",
    "BodyState",
    "BodyTarget",
    "Client",
    "Closed",
    "connect",
    "ConnectError",
    "Contact",
    "Contacts",
    "DecodeError",
    "default_socket",
    "Disconnected",
    "error_text",
    "ErrorCode",
    "Flag",
    "force_off_text",
    "GovernorState",
    "HapticdError",
    "Limits",
    "MAX_TARGETS",
    "Mesh",
    "mesh",
    "Message",
    "messages",
    "NeedleHold",
    "NeedlePhase",
    "NeedleState",
    "NoDaemon",
    "Notification",
    "NotYet",
    "Pose",
    "Refusal",
    "RequestRefused",
    "Skin",
    "SkinFrame",
    "Subscription",
    "Surface",
    "SurfaceFrame",
    "TimedOut",
    "tool_id",
    "Topic",
    "Torn",
    "Vector",
    "Wake",
    "WouldWait",
]
__version__ = "0.1.0"


def connect(
    name: str,
    path: str | os.PathLike[str] | None = None,
    timeout_s: float = 10.0,
    patience_s: float = 0.0,
) -> Client:
    """Connects to the daemon at `path`, or where it is by default; see `Client`."""
    return Client(name, path, timeout_s, patience_s)
