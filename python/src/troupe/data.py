"""Plugins, registrations and events as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal
from uuid import UUID

from .errors import Error

State = Literal["admitted", "loaded", "active", "draining", "retired", "rejected", "quarantined"]
Lifetime = Literal["transient", "singleton", "scoped"]


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
    """The number of registrations, or None if it is not known."""
    fault: Error | None = None
    """The reason why the plugin is rejected or quarantined."""


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
    """Whether it is a plain C function, which `Host.functions` contains."""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True)
class Event:
    """A change of a plugin's state."""

    plugin: Plugin
    """The plugin in its new state."""
    previous: State | None
    """The state before, or None for a plugin that was found."""
