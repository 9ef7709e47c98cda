"""What may go wrong, and whose fault it is."""

from __future__ import annotations

from typing import NamedTuple

from .messages import (
    ERROR_CODE_TEXT,
    FORCE_OFF_REASON,
    REFUSAL_REASON_TEXT,
    Error,
    ErrorCode,
    RefusalReason,
    Refused as RefusedMessage,
)
from ._words import DecodeError, HapticdError

__all__ = [
    "BlockError",
    "BodyPending",
    "Closed",
    "ConnectError",
    "DecodeError",
    "Disconnected",
    "HapticdError",
    "NoDaemon",
    "NotYet",
    "Refusal",
    "RequestRefused",
    "TimedOut",
    "Torn",
    "WouldWait",
    "error_text",
    "force_off_text",
]


def error_text(error: Error) -> str:
    """A sentence that says what a daemon's error means, with its numbers."""
    text = ERROR_CODE_TEXT.get(error.code, "an error that this version does not know")
    text = text.replace("`number`", str(error.number)).replace("`limit`", str(error.limit))
    return f"{error.code.name}: {error.detail or text.partition('. ')[0].rstrip('.')}"


class ConnectError(HapticdError):
    """There is no daemon, it is another user's, or it refused the connection."""

    def __init__(self, text: str, refused: RefusedMessage | None = None) -> None:
        super().__init__(text)
        self.refused = refused
        """What the daemon said, if it answered."""


class NoDaemon(ConnectError):
    """No process listens there, or it ends while it is spoken to."""


class Disconnected(HapticdError):
    """The daemon has closed the connection. Blocks keep their last value; connect again."""

    def __init__(self, text: str, error: Error | None = None) -> None:
        super().__init__(f"{text}: {error_text(error)}" if error else text)
        self.error = error
        """What the daemon said last, if it said why."""


class Closed(HapticdError):
    """This client, subscription or block was closed; the application's fault."""


class TimedOut(HapticdError):
    """No answer came in time; it may still come and is then dropped."""


class BodyPending(TimedOut):
    """The daemon did not add a body in time and may still do so: `Client.poll` then returns the
    `BodyAdded` with its identity."""


class WouldWait(HapticdError):
    """The daemon takes nothing now, and this call does not wait: try again in the next frame."""


class RequestRefused(HapticdError):
    """The daemon understood the request and refused it."""

    def __init__(self, error: Error) -> None:
        self.code: ErrorCode = error.code
        self.number: int = error.number
        self.limit: int = error.limit
        self.detail: str = error.detail
        self.request: int = error.request
        super().__init__(error_text(error))


class Refusal(NamedTuple):
    """A refused request of those that were posted."""

    post: int
    """What `post_body_pose` returned."""
    error: Error
    """Why; `error_text` has a sentence."""


class BlockError(HapticdError):
    """A shared block is not what was asked for; the daemon's fault."""


class NotYet(HapticdError):
    """Nothing was published yet: the first tick is still to come."""


class Torn(HapticdError):
    """The daemon wrote during every attempt to read. Keep the value that you have."""


def refusal_text(refused: RefusedMessage) -> str:
    """A sentence that says why a connection was refused, and what to do."""
    if refused.reason is RefusalReason.VERSION_MISMATCH:
        theirs = (refused.major, refused.minor)
        ours = (refused.client_major, refused.client_minor)
        which = "this package" if ours < theirs else "the daemon"
        return (
            f"the daemon speaks version {theirs[0]}.{theirs[1]}, this package "
            f"{ours[0]}.{ours[1]}: update {which}"
        )
    text = REFUSAL_REASON_TEXT[refused.reason].partition(". ")[0].rstrip(".")
    text = text.replace("`limit`", str(refused.limit))
    return f"the daemon refused the connection: {text}"


def force_off_text(code: int) -> str:
    """Says why force is off or reduced: `ArmState.reason`, `ForceOff.reason`."""
    return FORCE_OFF_REASON.get(code, "a cause that this version does not know")
