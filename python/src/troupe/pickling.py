"""Functions in other processes.

A pickled function is a `Reference` to it: where its host found plugins, the hashes of their files, and the name of the function.
The process that unpickles it starts one host for all functions of the first host. The hashes are its pins, so that it loads no other
content than the first host has::

    function ──pickle──► Reference ──unpickle──┬──► the same function, in its own process
                                               ├──► the function of this process's host
                                               └──► MissingFunction, whose use raises the reason
"""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._engines.pins import PinnedFile, file_hash, missing_file, other_content, pinned_host, pins_text
from ._troupe import Function, FunctionPointer, Host, function_pointer
from .errors import Error, InvalidArgument, Unavailable

# The hosts that unpickling has started, and those of pickled functions, by their keys.
_hosts: dict[str, Host] = {}
_own_hosts: weakref.WeakValueDictionary[str, Host] = weakref.WeakValueDictionary()
_lock = threading.RLock()
# The functions that this process has pickled or unpickled, by the host's key and the function's. A ufunc alone keeps the pointer.
_pointers: weakref.WeakValueDictionary[tuple[str, str], FunctionPointer] = weakref.WeakValueDictionary()


def _forget() -> None:
    """The hosts belong to the parent, and a thread that the child lacks may hold the lock."""
    global _lock
    _lock = threading.RLock()
    _hosts.clear()
    _own_hosts.clear()
    _pointers.clear()


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
    def of_host(host: Host, options: Mapping[str, Any], directory: str) -> HostReference:
        """Returns the reference to a host with options, whose paths are relative to a directory. Reads the files of its plugins."""
        pinned = [
            PinnedFile(plugin.id, path, file_hash(path))
            for plugin in host.plugins
            if plugin.id is not None and plugin.state in ("admitted", "loaded", "active")
            for path in [os.path.join(directory, path) for path in (plugin.path, plugin.library) if path is not None]
        ]
        directories, files = (_absolute(options[name], directory) for name in ("directories", "files"))
        rest = {name: value for name, value in options.items() if name not in ("directories", "files") and value is not None}
        for name in ("cache", "probe", "quarantine"):
            if name in rest and not isinstance(rest[name], bool):
                (rest[name],) = _absolute([rest[name]], directory)
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
                options = pickle.loads(self.options)
                host = _hosts[self.key] = pinned_host(self.directories, pins_text(self.pinned), files=self.files, **options)
            return host

    def fault(self, plugin: str) -> Error | None:
        """Returns the reason why the host of this process lacks a plugin, or None if it has the same files of it."""
        remedy = "install the same file there, or ship it with a PluginDirectory of troupe.dask or troupe.spark"
        for file in self.pinned:
            if file.plugin != plugin:
                continue
            try:
                found = file._replace(hash=file_hash(file.path))
            except OSError as error:
                return missing_file(plugin, f"{file.path} cannot be read ({error.strerror})", file.hash, remedy)
            if found != file:
                return other_content(found, file.hash, remedy)
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
        function = self._own_function()
        if function is None:
            host = self.host.host()
            try:
                function = host.function(self.key)
            except Error as error:
                raise self.host.fault(self.plugin) or error from None
            _pointers[self.host.key, self.key] = function_pointer(function)
        return function

    def _own_function(self) -> Function | None:
        """Returns the function of the host that has pickled it, if this is its process and the host has the same plugins still."""
        host = _own_hosts.get(self.host.key)
        try:
            function = None if host is None else host.function(self.key)
            return None if function is None or function.__reduce__()[1][0] != self.host.key else function
        except Error:
            return None

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
    pointer = _pointers.get((host_key, key))
    if pointer is not None:
        return pointer.function()
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
    function: Function, key: str, host: Host | None, options: Mapping[str, Any], directory: str, scan_times: Mapping[str | None, int]
) -> tuple[str, str, bytes]:
    """Returns the arguments with which `load_function` finds a function.

    :param scan_times: the times in nanoseconds when the host had last begun to read the files of plugins before it looked up the
        function, by the ids of plugins, and by None for all others.

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
        reference = Reference(HostReference.of_host(host, options, directory), plugin, name, key)
        files = [file for file in reference.host.pinned if file.plugin == plugin]
        is_same = bool(files) and all(os.stat(file.path).st_ctime_ns < scan_times.get(plugin, scan_times[None]) for file in files)
    except OSError:
        is_same = False
    if not is_same:
        remedy = "call Host.refresh, and look the function up again"
        problem = f"the file of {plugin} has changed"
        raise Unavailable(f"{name}: cannot be pickled, since {problem}; {remedy}", subject=name, remedy=remedy)
    _own_hosts[reference.host.key] = host
    return reference.parts()


def remember(parts: tuple[str, str, bytes], pointer: FunctionPointer) -> None:
    """Lets `load_function` find a function of this process."""
    _pointers[parts[:2]] = pointer


def _absolute(paths: Iterable[Any], directory: str) -> tuple[str, ...]:
    return tuple(os.path.join(directory, os.fsdecode(path)) for path in paths)
