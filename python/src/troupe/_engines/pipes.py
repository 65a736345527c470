"""Transforms of plugins in tasks."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from .._troupe import Host, Instance, Transform
from ..data import Registration
from ..errors import InvalidData, InvalidSignature, NotRegistered, ReportedFailure, Unavailable
from .functions import OnError, check_on_error
from .hosts import Plugins


class Pipe:
    """The transforms with some tags, for tasks."""

    __slots__ = ("on_error", "plugins", "stages", "tags")

    def __init__(self, plugins: Plugins, tags: tuple[str, ...], stages: tuple[tuple[str, str], ...], on_error: OnError) -> None:
        self.plugins = plugins
        self.tags = tags
        self.stages = stages
        """The ids of the plugins and the names of their factories, in the order of the client's host."""
        self.on_error = on_error

    def __reduce__(self) -> tuple[type[Pipe], tuple[Plugins, tuple[str, ...], tuple[tuple[str, str], ...], OnError]]:
        return Pipe, (self.plugins, self.tags, self.stages, self.on_error)

    @staticmethod
    def with_tags(plugins: Plugins, tags: str | UUID | Iterable[str | UUID], on_error: OnError) -> Pipe:
        """Returns the transforms that have all tags. Raises `NotRegistered` if there are none."""
        check_on_error("pipe", on_error)
        texts = tuple(str(tag) for tag in ([tags] if isinstance(tags, (str, UUID)) else tags))
        if not texts:
            remedy = "pass the tags of transforms"
            raise NotRegistered(f"tags: none is given; {remedy}", subject="tags", remedy=remedy)
        host = plugins.host()
        instances = host.resolve(tags=texts)
        if not instances and host.refresh():
            instances = host.resolve(tags=texts)
        subject = f"tags {', '.join(texts)}"
        if not instances:
            remedy = "pass tags of transforms in the directory"
            raise NotRegistered(f"{subject}: no factory has them; {remedy}", subject=subject, remedy=remedy)
        for instance in instances:
            if not isinstance(instance, Transform):
                remedy = "pass tags that only transforms have"
                problem = f"the factory {instance.registration.name} makes no transforms"
                raise InvalidSignature(f"{subject}: {problem}; {remedy}", subject=subject, remedy=remedy)
        return Pipe(plugins, texts, _stages(instances), on_error)

    def checked_host(self) -> Host:
        """Returns the host of this process. Raises the reason if it has other transforms than the client's.

        Thread-safe; blocks other first uses while plugins load.
        """
        process = self.plugins.process_host
        running = process.running
        if running is not None and self.tags in running.checked_pipes:
            return running.host
        with process.lock:
            for plugin, _ in self.stages:
                self.plugins.check_directory(plugin)
            running = self.plugins.running()
            if not (has_stages := self._has_stages(running.host)):
                # The files may be there by now. Other threads use the host, so it stays open.
                running.host.refresh()
                has_stages = self._has_stages(running.host)
            if has_stages:
                running.checked_pipes.add(self.tags)
                return running.host
        for plugin, _ in self.stages:
            fault = self.plugins.fault(plugin)
            if fault is not None:
                raise fault
        subject = f"plugins on {socket.gethostname()}"
        remedy = "restart the worker" if self.plugins.directory is None else "install the client's plugins there"
        raise Unavailable(f"{subject}: have other transforms than the client; {remedy}", subject=subject, remedy=remedy)

    def _has_stages(self, host: Host) -> bool:
        return _stages(host.resolve(tags=self.tags)) == self.stages

    def __call__(self, items: Iterable[Any]) -> Iterator[bytes | None]:
        """Returns the output of the transforms for each item, which is an input of its own."""
        host = self.checked_host()
        stages: list[Transform] = []
        for item in items:
            if item is None:
                yield None
                continue
            data = _octets(item)
            if not stages or not all([stage.reset() for stage in stages]):
                stages = host.resolve(tags=self.tags)
            try:
                for stage in stages:
                    data = stage(data)
            except ReportedFailure:
                if self.on_error == "raise":
                    raise
                yield None
            else:
                yield data


def _octets(item: Any) -> Any:
    """Returns an item that has bytes. Raises `InvalidData` for any other."""
    try:
        return item if type(item) is bytes else memoryview(item)
    except TypeError:
        kind = type(item).__name__
        remedy = "encode the items with map(str.encode)" if isinstance(item, str) else "pass items of bytes, or None"
        raise InvalidData(f"pipe: expected bytes, got an item of the type {kind}; {remedy}", subject="pipe", remedy=remedy) from None


def _stages(instances: Iterable[Instance]) -> tuple[tuple[str, str], ...]:
    registrations: list[Registration] = [instance.registration for instance in instances]
    return tuple((item.plugin, item.name) for item in registrations)
