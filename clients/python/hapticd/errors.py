"""What may go wrong, and whose fault it is."""

from __future__ import annotations

from ._layout import FORCE_OFF_REASON, Error, ErrorCode, Refused as RefusedMessage
from ._words import DecodeError

__all__ = [
    "BlockError",
    "ConnectError",
    "DecodeError",
    "Disconnected",
    "HapticdError",
    "NoDaemon",
    "NotYet",
    "RequestRefused",
    "TimedOut",
    "Torn",
    "force_off_text",
]


class HapticdError(Exception):
    """Everything that this package raises, but for wrong arguments (`ValueError`)."""


class ConnectError(HapticdError):
    """There is no daemon, it is another user's, or it refused the connection."""

    def __init__(self, text: str, refused: RefusedMessage | None = None) -> None:
        super().__init__(text)
        self.refused = refused
        """What the daemon said, if it answered."""


class NoDaemon(ConnectError):
    """No process listens there."""


class Disconnected(HapticdError):
    """The daemon has closed the connection. Blocks keep their last value; connect again."""


class TimedOut(HapticdError):
    """No answer came in time; it may still come and is then dropped."""


class RequestRefused(HapticdError):
    """The daemon understood the request and refused it."""

    def __init__(self, error: Error) -> None:
        self.code: ErrorCode = error.code
        self.number: int = error.number
        self.limit: int = error.limit
        self.detail: str = error.detail
        self.request: int = error.request
        what = error.detail or f"number {error.number}, limit {error.limit}"
        super().__init__(f"{error.code.name}: {what}")


class BlockError(HapticdError):
    """A shared block is not what was asked for; the daemon's fault."""


class NotYet(HapticdError):
    """Nothing was published yet: the first tick is still to come."""


class Torn(HapticdError):
    """The daemon wrote during every attempt to read. Keep the value that you have."""


def force_off_text(code: int) -> str:
    """Says why force is off or reduced: `ArmState.reason`, `ForceOff.reason`."""
    return FORCE_OFF_REASON.get(code, "a cause that this version does not know")
