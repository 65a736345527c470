"""Functions in other processes.

A pickled function is a `Reference` to it: where its host found plugins, the hashes of their files, and the name of the function.
The process that unpickles it starts one host for all functions of the first host. The hashes are its pins, so that it loads no other
content than the first host has::

    function ──pickle──► Reference ──unpickle──┬──► the same function, in its own process
                                               ├──► the function of this process's host
                                               └──► MissingFunction, whose use raises the reason
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import socket
import tempfile
import threading
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ._engines.pins import PinnedFile, file_hash, write_file
from ._troupe import Function, Host
from .errors import Error, InvalidArgument, Unavailable

_hosts: dict[str, Host] = {}
_lock = threading.RLock()
# The functions that this process has pickled or unpickled, by the host's key and the function's.
_functions: weakref.WeakValueDictionary[tuple[str, str], Function] = weakref.WeakValueDictionary()


def _forget() -> None:
    """The hosts belong to the parent, and a thread that the child lacks may hold the lock."""
    global _lock
    _lock = threading.RLock()
    _hosts.clear()
    _functions.clear()


os.register_at_fork(after_in_child=_forget)


class HostReference(NamedTuple):
    """The plugins of a host, and its options."""

    key: str
    """The hash of all else."""
    directories: tuple[str, ...]
    files: tuple[str, ...]
    pinned: tuple[PinnedFile, ...]
    options: bytes

    @staticmethod
    def of_host(host: Host, options: Mapping[str, Any], folder: str) -> HostReference:
        """Returns the reference to a host with options, whose paths are relative to a folder. Reads the files of its plugins."""
        pinned = [
            PinnedFile(plugin.id, path, _hash(path, os.stat(path).st_ino, os.stat(path).st_ctime_ns))
            for plugin in host.plugins
            if plugin.id is not None and plugin.state in ("admitted", "loaded", "active")
            for path in [os.path.join(folder, path) for path in (plugin.path, plugin.library) if path is not None]
        ]
        directories, files = (_absolute(options[name], folder) for name in ("directories", "files"))
        rest = {name: value for name, value in options.items() if name not in ("directories", "files") and value is not None}
        for name in ("cache", "probe", "quarantine"):
            if name in rest and not isinstance(rest[name], bool):
                (rest[name],) = _absolute([rest[name]], folder)
        try:
            pickled = pickle.dumps(rest)
        except Exception as error:
            remedy = "start the host with options that pickle accepts"
            raise InvalidArgument(f"options: cannot be pickled: {error}; {remedy}", subject="options", remedy=remedy) from None
        key = hashlib.sha256(repr((directories, files, sorted(pinned), pickled)).encode("utf-8", "surrogateescape")).hexdigest()
        return HostReference(key, directories, files, tuple(pinned), pickled)

    def host(self) -> Host:
        """Returns the host of this process, and starts it at the first use. Raises the errors of `Host`."""
        with _lock:
            host = _hosts.get(self.key)
            if host is None or host.closed:
                pins = "".join(sorted({f"{file.hash} {file.plugin}\n" for file in self.pinned}))
                with tempfile.TemporaryDirectory() as folder:
                    path = write_file(Path(folder, "pins"), pins.encode())
                    host = Host(self.directories, files=self.files, pins=path, **pickle.loads(self.options))
                _hosts[self.key] = host
            return host

    def fault(self, plugin: str) -> Error | None:
        """Returns the reason why the host of this process lacks a plugin, or None if it has the same files of it."""
        subject = f"{plugin} on {socket.gethostname()}"
        remedy = "install the same file there, or ship it with a PluginDirectory of troupe.dask or troupe.spark"
        for file in self.pinned:
            if file.plugin != plugin:
                continue
            try:
                found = file_hash(file.path)
            except OSError as error:
                problem = f"{file.path} cannot be read ({error.strerror}), and its expected SHA-256 is {file.hash}"
                return Unavailable(f"{subject}: {problem}; {remedy}", subject=subject, remedy=remedy)
            if found != file.hash:
                problem = f"{file.path} has the SHA-256 {found}, and {file.hash} is expected"
                return Error(f"{subject}: {problem}; {remedy}", code="unpinned", subject=subject, remedy=remedy)
        return next((item.fault for item in self.host().plugins if item.id == plugin and item.fault is not None), None)


class Reference(NamedTuple):
    """A function of the plugins of a host."""

    host: HostReference
    plugin: str
    name: str
    key: str
    """The name or the UUID with which the function was looked up."""

    def function(self) -> Function:
        """Returns the function of this process. Raises the reason if it lacks the plugin, or has another content of it."""
        host = self.host.host()
        try:
            function = host.function(self.key)
        except Error as error:
            raise self.host.fault(self.plugin) or error from None
        _functions[self.host.key, self.key] = function
        return function

    def parts(self) -> tuple[str, str, bytes]:
        """Returns the arguments of `load_function`: what finds a function that the process has, and all else in one piece."""
        return self.host.key, self.key, pickle.dumps(self)


class MissingFunction:
    """A function whose plugin this process cannot use. Each use raises the reason, or finds the plugin by then.

    Unpickling raises nothing: a process of `multiprocessing.Pool` that cannot unpickle a task ends, and the pool waits forever.
    """

    def __init__(self, reference: Reference) -> None:
        self._reference = reference

    def __reduce__(self) -> tuple[Any, ...]:
        return load_function, self._reference.parts()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._reference.function()(*arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._reference.function(), name)

    def __repr__(self) -> str:
        return f"<troupe.Function {self._reference.name}: not available in this process>"


def load_function(host_key: str, key: str, pickled: bytes) -> Function | MissingFunction:
    """Unpickles a function."""
    known = _functions.get((host_key, key))
    if known is not None:
        return known
    reference: Reference = pickle.loads(pickled)
    try:
        return reference.function()
    except Error:
        return MissingFunction(reference)


def load_ufunc(host_key: str, key: str, pickled: bytes) -> Any:
    """Unpickles the ufunc of a function."""
    function = load_function(host_key, key, pickled)
    # A call of the function with arrays is one of its ufunc.
    return function if isinstance(function, MissingFunction) else function.ufunc


def refer(
    function: Function, key: str, host: Host | None, options: Mapping[str, Any], folder: str, scan_time: int
) -> tuple[str, str, bytes]:
    """Returns the arguments with which `load_function` finds a function.

    :param scan_time: the time in nanoseconds when the host had last begun to scan its plugins before it looked up the function.

    Raises `Unavailable` if the host is closed, or does not have the function any more.
    """
    name = function.name
    if host is None or host.closed:
        remedy = "pickle the function while its host is open"
        raise Unavailable(f"{name}: cannot be pickled, since its host is closed; {remedy}", subject=name, remedy=remedy)
    found = [item for item in host.registrations if item.is_function and (item.name == key or str(item.uuid) == key.lower())]
    plugins = {item.plugin for item in found}
    if len(plugins) != 1:
        problem = "several functions have its name" if plugins else "its plugin is retired"
        remedy = "look the function up by its UUID" if plugins else "call Host.refresh, and look the function up again"
        raise Unavailable(f"{name}: cannot be pickled, since {problem}; {remedy}", subject=name, remedy=remedy)
    (plugin,) = plugins
    try:
        reference = Reference(HostReference.of_host(host, options, folder), plugin, name, key)
        files = [file for file in reference.host.pinned if file.plugin == plugin]
        is_same = bool(files) and all(os.stat(file.path).st_ctime_ns < scan_time for file in files)
    except OSError:
        is_same = False
    if not is_same:
        remedy = "call Host.refresh, and look the function up again"
        problem = f"the file of {plugin} has changed"
        raise Unavailable(f"{name}: cannot be pickled, since {problem}; {remedy}", subject=name, remedy=remedy)
    _functions[reference.host.key, key] = function
    return reference.parts()


def _absolute(paths: Iterable[Any], folder: str) -> tuple[str, ...]:
    return tuple(os.path.join(folder, os.fsdecode(path)) for path in paths)


@functools.lru_cache(maxsize=1024)
def _hash(path: str, inode: int, time: int) -> str:
    """Returns the SHA-256 of a file, which is read again after a change."""
    return file_hash(path)
