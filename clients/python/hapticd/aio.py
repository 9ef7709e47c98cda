"""The same client for asyncio: requests answer in microseconds, waiting is the event loop's.

    async with hapticd.aio.connect("my application") as client:
        arm = client.subscribe(0, hapticd.Topic.STATE | hapticd.Topic.WAKE)
        while await hapticd.aio.tick(arm):
            print(arm.state().force_n)

Requests are those of `hapticd.Client` and are not awaited: each waits for its answer, which takes
microseconds, but for `add_body` with a large mesh. Call that one in an executor.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .client import Client, Notification, Subscription


_WAITING: set[int] = set()


@asynccontextmanager
async def connect(
    name: str,
    path: str | os.PathLike[str] | None = None,
    timeout_s: float = 10.0,
    patience_s: float = 0.0,
) -> AsyncIterator[Client]:
    """Connects to the daemon at `path`, or where it is by default; closes at the end."""
    client = Client(name, path, timeout_s, patience_s)
    try:
        yield client
    finally:
        client.close()


async def _readable(descriptor: int, timeout_s: float | None) -> bool:
    """Waits until a descriptor can be read; returns whether it can."""
    loop = asyncio.get_running_loop()
    # A second waiter would take the first one's place, unseen.
    if descriptor in _WAITING:
        raise RuntimeError("another task waits for this already: subscribe or connect once for each")
    ready = asyncio.Event()
    _WAITING.add(descriptor)
    loop.add_reader(descriptor, ready.set)
    try:
        await asyncio.wait_for(ready.wait(), timeout_s)
        return True
    except asyncio.TimeoutError:
        return False
    finally:
        loop.remove_reader(descriptor)
        _WAITING.discard(descriptor)


async def tick(subscription: Subscription, timeout_s: float | None = 1.0) -> bool:
    """Waits until the arm's state is new; `False` if it did not come in time.

    Raises `Disconnected` when the daemon is gone.
    """
    wake = subscription.wake
    return await _readable(wake.fileno(), timeout_s) and wake.clear()


async def events(client: Client) -> AsyncIterator[Notification]:
    """All events, and refusals of what was posted, for ever. Renews leases as `Client.poll` does.

    Raises `Disconnected` when the daemon is gone.
    """
    half_s = 0.5e-3 * client.welcome.lease_ms
    while True:
        message = client.poll(0.0)
        if message is not None:
            yield message
        else:
            await _readable(client.fileno(), half_s)
