"""Hosts of plugins in Python.

A program that imports this package finds the plugins of a directory, calls their C functions, passes data through their
transforms, and replaces and retires plugins while it runs::

    import troupe

    with troupe.Host(["plugins"]) as host:
        area = host.functions["area"]
        area(3, 4.5)                        # 13.5
        area.map(widths, heights)           # NumPy or Arrow arrays, without copies
        for stage in host.resolve(tags=["text"]):
            data = stage(data)              # bytes

`Host` is the start; `Function` says which arguments functions take. Failures are exceptions of the class `Error`, with a code and a
remedy. ``python -m troupe stubs DIRECTORY`` writes the types of a directory's functions for mypy.
"""

from ._troupe import (
    ArrowArray,
    Callback,
    EventStream,
    Function,
    Host,
    Instance,
    Listener,
    Memory,
    Parameter,
    Reference,
    Scope,
    Signature,
    Transform,
    Type,
    version,
)
from .data import Event, Plugin, Registration, Worker
from .errors import (
    Ambiguous,
    Crashed,
    Error,
    InputOutput,
    InvalidArgument,
    InvalidData,
    InvalidSetting,
    InvalidSignature,
    NotPermitted,
    NotRegistered,
    ReportedFailure,
    TimedOut,
    Unavailable,
    Unreadable,
    Untrusted,
    Usage,
)
from .functions import Functions
from .streams import TransformReader, TransformWriter

__version__ = version()

Handle = Reference
"""The former name of `Reference`."""

__all__ = [
    "Ambiguous",
    "ArrowArray",
    "Callback",
    "Crashed",
    "Error",
    "Event",
    "EventStream",
    "Function",
    "Functions",
    "Handle",
    "Host",
    "InputOutput",
    "Instance",
    "InvalidArgument",
    "InvalidData",
    "InvalidSetting",
    "InvalidSignature",
    "Listener",
    "Memory",
    "NotPermitted",
    "NotRegistered",
    "Parameter",
    "Plugin",
    "Reference",
    "Registration",
    "ReportedFailure",
    "Scope",
    "Signature",
    "TimedOut",
    "Transform",
    "TransformReader",
    "TransformWriter",
    "Type",
    "Unavailable",
    "Unreadable",
    "Untrusted",
    "Usage",
    "Worker",
    "__version__",
    "version",
]
