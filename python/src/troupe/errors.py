"""Exceptions with the codes, subjects and remedies of Troupe."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A failure of a host, a plugin or a call.

    ``str(error)`` is one line for the user: ``SUBJECT: PROBLEM; REMEDY``. Frequent codes have a subclass of their own, which also
    is the built-in exception that Python programs expect: `NotRegistered` is a `KeyError`.
    """

    code: str = "internalError"
    """The reason as one word, such as ``notRegistered``. Codes are stable."""
    subject: str
    """The thing that has the problem, such as a path; empty if the message is a whole sentence."""
    remedy: str
    """An imperative, such as ``build the plugin again``; empty if there is none."""

    def __init__(self, message: str, *, code: str | None = None, subject: str = "", remedy: str = "") -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.subject = subject
        self.remedy = remedy

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (str(self), self.code, self.subject, self.remedy)


class NotRegistered(Error, KeyError):
    """No function has the name or UUID."""

    code = "notRegistered"


class Ambiguous(Error, LookupError):
    """Several functions have the name. Use the UUID."""

    code = "ambiguous"


class Usage(Error, TypeError):
    """The number or the names of the arguments are wrong."""

    code = "usage"


class InvalidData(Error, ValueError, TypeError):
    """An argument does not fit its parameter."""

    code = "invalidData"


class InvalidArgument(Error, ValueError):
    """An option or an argument of a factory is invalid, or a transform is used after its end."""

    code = "invalidArgument"


class InvalidSignature(Error, TypeError):
    """A function has another type than the caller needs."""

    code = "invalidSignature"


class InvalidSetting(Error, ValueError):
    """A plugin does not accept its configuration."""

    code = "invalidSetting"


class Unavailable(Error, RuntimeError):
    """A factory makes no instance, a worker is not started for a time, or another thread closes the host during the call."""

    code = "unavailable"


class ReportedFailure(Unavailable, InvalidData):
    """A function reports that it failed, in the way that its signature names, or a transform refuses its input.

    No other failure has this class: an argument that does not fit, a worker that ends, a deadline and a policy have classes of their own.
    """

    code = "reportedFailure"


class Unreadable(Error, OSError):
    """A file cannot be read."""

    code = "unreadable"


class InputOutput(Error, OSError):
    """Reading or writing fails."""

    code = "inputOutput"


class Untrusted(Error, PermissionError):
    """Another user may change a file, so that the host does not load it."""

    code = "untrusted"


class NotPermitted(Error, PermissionError):
    """A plugin in a worker made a system call that its policy forbids, or the kernel lacks a layer that the policy requires."""

    code = "notPermitted"


class Crashed(Error, RuntimeError):
    """A plugin crashed, in its probe, in its worker or in an earlier process."""

    code = "crashed"


class TimedOut(Error, TimeoutError):
    """A plugin did not end its probe, or a call in its worker, in time."""

    code = "timedOut"


_classes: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (
        NotRegistered, Ambiguous, Usage, InvalidData, InvalidArgument, InvalidSignature, InvalidSetting, Unavailable,
        ReportedFailure, Unreadable, InputOutput, Untrusted, NotPermitted, Crashed, TimedOut,
    )
}  # fmt: skip


def _make(message: str, code: str, subject: str, remedy: str) -> Error:
    return _classes.get(code, Error)(message, code=code, subject=subject, remedy=remedy)
