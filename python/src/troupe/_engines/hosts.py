"""One host for each set of plugins and process.

`Plugins` is the value that tasks carry: where the plugins are, the hashes that they must have, and the options of hosts. Equal values
have one key, and `ProcessHost` is what a process has for a key::

    no host ──open──► RunningHost: the host, and all that was looked up in it ──close, detach──► no host
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .._troupe import Host
from ..errors import Error, InvalidArgument, Unavailable, Unreadable
from .pins import PinnedFile, missing_file, other_content, pinned_files, pinned_host, pins_text

if TYPE_CHECKING:
    from .functions import LoadedFunction

PathLike = str | os.PathLike[str]


class RunningHost:
    """A host with the functions and transforms that were looked up in it, which are dropped together with it."""

    __slots__ = ("checked_pipes", "directory", "functions", "host")

    def __init__(self, host: Host, directory: str) -> None:
        self.host = host
        self.directory = directory
        self.functions: dict[str, LoadedFunction] = {}
        self.checked_pipes: set[tuple[str, ...]] = set()
        """The tags whose transforms are those of the client."""


class ProcessHost:
    """The host of this process for the plugins with one key, and the workers that use it.

    The first use starts the host. Several workers of an engine may share a process, as threads of Dask's client do; the end of the last
    one closes the host. Shipped plugins are in a directory of each worker. The host uses the latest one; if its worker ends first, the
    running tasks of the others keep the host, and their next use starts another one in a remaining directory.

    Thread-safe. Hold `lock` for steps that no end of a worker may interrupt, such as a look-up and its storing.
    """

    __slots__ = ("lock", "running", "shipped", "start_count", "users")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.running: RunningHost | None = None
        self.users: set[str] = set()
        """The ids of the workers."""
        self.shipped: list[str] = []
        """The directories of shipped plugins. The last one is in use."""
        self.start_count = 0
        """The number of hosts that this process has started."""

    def open(self, plugins: Plugins) -> RunningHost:
        """Returns the host, and starts it at the first use. Blocks other first uses meanwhile."""
        running = self.running
        if running is not None:
            return running
        with self.lock:
            if self.running is None:
                directory = plugins.location()
                self.running = RunningHost(pinned_host(directory, plugins.pins, **pickle.loads(plugins.options)), directory)
                self.start_count += 1
            return self.running

    def add_user(self, worker: str) -> bool:
        """Counts a worker as a user of the host. Returns whether it is a new one."""
        if worker in self.users:
            return False
        with self.lock:
            is_new = worker not in self.users
            self.users.add(worker)
            return is_new

    def remove_user(self, worker: str) -> None:
        """Removes a worker, and closes the host if no other worker uses it."""
        with self.lock:
            self.users.discard(worker)
            if self.users or self.running is None:
                return
            host, self.running = self.running.host, None
        host.close()

    def add_shipped(self, directory: str) -> None:
        """Makes a directory the one of shipped plugins."""
        with self.lock:
            self.shipped.append(directory)

    def remove_shipped(self, directory: str, worker: str) -> None:
        """Removes a worker and its directory of shipped plugins."""
        with self.lock:
            if directory in self.shipped:
                self.shipped.remove(directory)
        self.remove_user(worker)
        with self.lock:
            if self.running is not None and self.running.directory == directory:
                self.running = None


# A forked child begins without hosts, since those belong to the parent, and their locks may be held by threads that it lacks.
_hosts: dict[str, ProcessHost] = {}
os.register_at_fork(after_in_child=_hosts.clear)


def process_host(key: str) -> ProcessHost:
    """Returns the host of this process for a key."""
    # One step for the interpreter, so that two threads get one object.
    return _hosts.get(key) or _hosts.setdefault(key, ProcessHost())


class Plugins:
    """The plugins of a directory, the hashes that they must have in each process, and the options of hosts."""

    __slots__ = ("directory", "key", "options", "pins")

    def __init__(self, directory: str | None, pins: str, options: bytes, key: str) -> None:
        self.directory = directory
        """The directory in all processes, or None for plugins that are shipped."""
        self.pins = pins
        self.options = options
        self.key = key

    def __reduce__(self) -> tuple[type[Plugins], tuple[str | None, str, bytes, str]]:
        return Plugins, (self.directory, self.pins, self.options, self.key)

    @staticmethod
    def of_files(directory: str | None, files: Iterable[PinnedFile], options: Mapping[str, Any]) -> Plugins:
        """Returns the plugins of a directory of all processes, or of shipped files if the directory is None."""
        for name in ("directories", "files", "pins"):
            if name in options:
                remedy = "remove the option; the adapter sets it"
                raise InvalidArgument(f"{name}: is no option of shipped plugins; {remedy}", subject=name, remedy=remedy)
        try:
            pickled = pickle.dumps(dict(sorted(options.items())))
        except Exception as error:
            remedy = "pass options that pickle accepts"
            raise InvalidArgument(f"options: cannot be sent to workers: {error}; {remedy}", subject="options", remedy=remedy) from None
        pins = pins_text(files)
        parts = [os.fsencode(directory or ""), pins.encode(), pickled]
        return Plugins(directory, pins, pickled, hashlib.sha256(b"\0".join(parts)).hexdigest()[:32])

    @staticmethod
    def in_directory(path: PathLike) -> Plugins:
        """Returns the plugins of a directory that all processes have under the same path."""
        directory = os.path.abspath(path)
        return Plugins.of_files(directory, pinned_files(directory), {})

    @property
    def process_host(self) -> ProcessHost:
        return process_host(self.key)

    def running(self) -> RunningHost:
        """Returns the running host of this process, and starts it at the first use.

        Thread-safe; blocks other first uses while plugins load. Raises `Unavailable` and the errors of `Host`.
        """
        return process_host(self.key).open(self)

    def host(self) -> Host:
        """Returns the host of this process as `running` does."""
        return self.running().host

    def location(self) -> str:
        """Returns the directory in this process. Raises `Unavailable` if the plugins are not shipped to it."""
        if self.directory is not None:
            return self.directory
        directories = self.process_host.shipped
        if not directories:
            subject, remedy = f"plugins on {socket.gethostname()}", "register the PluginDirectory with the client"
            raise Unavailable(f"{subject}: are not shipped to this worker; {remedy}", subject=subject, remedy=remedy)
        return directories[-1]

    def fault(self, plugin: str) -> Error | None:
        """Returns the reason why the host of this process has no usable plugin with an id, or None if it has.

        Reads every file of the directory, unless it is unchanged. Raises the errors of `location`.
        """
        directory = self.location()
        expected = [line[:64] for line in self.pins.splitlines() if line[65:] == plugin]
        try:
            found = [file for file in pinned_files(directory) if file.plugin == plugin]
        except Unreadable as error:
            if os.path.isdir(directory):
                error.add_note(f"on {socket.gethostname()}")
                return error
            found = []
        remedy = "restart the worker" if self.directory is None else "install the client's file there, or pass a PluginDirectory"
        hashes = " or ".join(expected)
        if not found:
            problem = f"{directory} has no file of this plugin"
            unreadable = [item for item in self.host().plugins if item.fault is not None and item.fault.code == "notPermitted"]
            if unreadable:
                problem = f"{directory} has no readable file of this plugin: {unreadable[0].fault}"
            return missing_file(plugin, problem, hashes, remedy)
        for file in found:
            if file.hash not in expected:
                return other_content(file, hashes, remedy)
        faults = [item.fault for item in self.host().plugins if item.id == plugin and item.fault is not None]
        for fault in faults:
            fault.add_note(f"on {socket.gethostname()}")
        return faults[0] if faults else None

    def check_directory(self, plugin: str) -> None:
        """Raises `Unavailable` if the plugin directory is missing in this process. A host of a missing directory reports no fault."""
        if self.process_host.running is None and not os.path.isdir(self.location()):
            fault = self.fault(plugin)
            if fault is not None:
                raise fault


class ShippedPlugins(Protocol):
    """What the classes `PluginDirectory` have in common."""

    plugins: Plugins
    """The hashes and options, which tasks carry."""


def plugins_of(plugins: PathLike | ShippedPlugins) -> Plugins:
    """Returns the plugins of the argument ``plugins`` of a function of an adapter. Raises `Unreadable`."""
    return Plugins.in_directory(plugins) if isinstance(plugins, (str, os.PathLike)) else plugins.plugins
