"""Plugins, registrations, workers and events as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal
from uuid import UUID

from .errors import Error

State = Literal["admitted", "loaded", "active", "draining", "retired", "rejected", "quarantined"]
Lifetime = Literal["transient", "singleton", "scoped"]
Circuit = Literal["closed", "open", "half open"]


@dataclass(frozen=True)
class Plugin:
    """A plugin as it was when the host was asked."""

    path: str
    id: str | None
    """The id, the name, the version and the language are None if the manifest could not be read."""
    name: str | None
    version: str | None
    language: str | None
    state: State
    registration_count: int | None
    """None if it is unknown."""
    fault: Error | None = None
    """The reason why the plugin is rejected or quarantined."""
    library: str | None = None
    """For a file that adopts a library, the path of the library without links, if it was found."""


@dataclass(frozen=True)
class Registration:
    """A factory or function that a plugin registered."""

    plugin: str
    name: str
    signature: str
    uuid: UUID | None = None
    contract: str | None = None
    lifetime: Lifetime = "transient"
    is_function: bool = False
    """True if it is a plain C function, which `Host.functions` contains."""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    # Views of dictionaries cannot be pickled.
    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"metadata": dict(self.metadata)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, metadata=MappingProxyType(state["metadata"]))

    @property
    def description(self) -> str:
        """The description for users, or an empty text. Its first sentence is a summary."""
        return self.metadata.get("description", "")

    @property
    def parameter_texts(self) -> dict[str, str]:
        """The descriptions of the parameters by name."""
        prefix = "parameter."
        return {key.removeprefix(prefix): text for key, text in self.metadata.items() if key.startswith(prefix)}

    @property
    def examples(self) -> dict[str, str]:
        """The results of examples by their arguments: a result is JSON, the arguments are the elements of a JSON array."""
        prefix, suffix = "example(", ")"
        return {
            key[len(prefix) : -len(suffix)]: result
            for key, result in self.metadata.items()
            if key.startswith(prefix) and key.endswith(suffix)
        }


@dataclass(frozen=True)
class Worker:
    """A worker, the process of isolated plugins, as it was when the host was asked."""

    name: str
    """The group of the policy, or the id of the only plugin."""
    plugins: tuple[str, ...]
    """The ids of its plugins."""
    process: int | None
    """PID, or None if no process runs."""
    calls: int
    """Includes the call that loads the plugins."""
    failures: int
    """Calls that ended without a result and without an error of the plugin."""
    restarts: int
    """Processes after the first."""
    median_ns: int | None
    """The duration in nanoseconds that half of the calls did not exceed, with an error of an eighth; None before the first call."""
    p99_ns: int | None
    """The duration that 99 of 100 calls did not exceed."""
    memory: int | None
    """The resident memory of the process in bytes, or None if none runs."""
    circuit: Circuit
    """True if the worker may be started: it may not while the circuit is ``open``, a time that begins when it ended too often."""
    enforced: tuple[str, ...]
    """The layers of the policy in force, such as ``files``, sorted."""


@dataclass(frozen=True)
class Event:
    """A change of a plugin's state."""

    plugin: Plugin
    """The plugin in its new state."""
    previous: State | None
    """The state before, or None for a plugin that was found."""
