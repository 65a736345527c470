"""Hosts in the processes of an engine, such as the workers of Dask and of Spark.

The client makes a `Plugins` of a directory: the hashes of its plugins, and the options for hosts. Tasks carry it. Each process starts
one host for it at its first task, looks up each function once, and closes the host with the worker. The host has the hashes as pins, so
that it loads no other content than the client has.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import socket
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from uuid import UUID

import numpy

from . import _troupe
from ._troupe import Function, Host, Instance, Parameter, Transform, Type
from .data import Registration
from .errors import Error, InvalidArgument, InvalidSignature, NotRegistered, Unavailable, Unreadable, Usage

OnError = Literal["raise", "null"]
PathLike = str | os.PathLike[str]

# The state of this process. A forked child begins without it, since the hosts belong to the parent.
_lock = threading.RLock()
_hosts: dict[str, Host] = {}
_loaded_functions: dict[tuple[str, str], LoadedFunction] = {}
_checked_pipes: set[tuple[str, tuple[str, ...]]] = set()
# The directory of each host.
_host_directories: dict[str, str] = {}
# The number of hosts that this process has started for each key.
start_counts: dict[str, int] = {}
# The ids of the workers in this process that use a host. The last one closes it.
_users: dict[str, set[str]] = {}
# The directories of shipped plugins; the last one is in use.
_shipped: dict[str, list[str]] = {}
# The hashes of directories that this process has read.
_known_files: dict[str, KnownFiles] = {}


def _forget() -> None:
    global _lock
    _lock = threading.RLock()
    for table in (_hosts, _loaded_functions, _checked_pipes, _host_directories, start_counts, _users, _shipped, _known_files):
        table.clear()


os.register_at_fork(after_in_child=_forget)


class PinnedFile(NamedTuple):
    """A file of a plugin and its hash."""

    plugin: str
    path: str
    hash: str


FileState = tuple[int, int, int]
"""The inode, the size and the time of the last change."""


class KnownFiles(NamedTuple):
    """The plugins of a directory, and the states of files when they were read."""

    entries: dict[str, FileState]
    """The states of the directory's entries by their names."""
    pinned: dict[str, FileState]
    """The states of the plugins' files and adopted libraries by their paths."""
    files: list[PinnedFile]


def _state(status: os.stat_result) -> FileState:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _file_state(path: str) -> FileState | None:
    """Returns the state of a file, or None if it is missing."""
    try:
        return _state(os.stat(path))
    except OSError:
        return None


def _entry_states(directory: str) -> dict[str, FileState]:
    """Returns the states of a directory's entries by their names. Raises `Unreadable`."""
    states = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    states[entry.name] = _state(entry.stat())
                except OSError:
                    # A symbolic link without a target, or a file that was removed meanwhile.
                    try:
                        states[entry.name] = _state(entry.stat(follow_symlinks=False))
                    except FileNotFoundError:
                        continue
    except OSError as error:
        remedy = "give a readable directory of plugins"
        raise Unreadable(f"{directory}: {error.strerror}; {remedy}", subject=directory, remedy=remedy) from None
    return states


def pinned_files(directory: str) -> list[PinnedFile]:
    """Returns the files of the plugins in a directory with their hashes: the plugins' own files, and the libraries that they adopt.

    Starts a host with an empty pins file, which rejects each plugin and runs no plugin code. Reads every file, unless the directory and
    the adopted libraries are unchanged. Raises `Unreadable`.
    """
    entries = _entry_states(directory)
    known = _known_files.get(directory)
    if known is not None and known.entries == entries and all(_file_state(path) == state for path, state in known.pinned.items()):
        return known.files
    paths: list[tuple[str, str]] = []
    is_complete = True
    with tempfile.TemporaryDirectory() as folder:
        pins = _write(Path(folder, "pins"), b"")
        with Host(directory, pins=pins, cache=False, quarantine=False, log=lambda level, plugin, text: None) as host:
            for plugin in host.plugins:
                is_adoption = plugin.path.endswith(".troupe.json")
                if plugin.id is None or plugin.fault is None or plugin.fault.code != "unpinned":
                    # The library may be installed later, without a change of the directory.
                    is_complete &= not is_adoption
                    continue
                paths.append((plugin.id, plugin.path))
                if is_adoption:
                    paths.append((plugin.id, _adopted_library(plugin.path, str(plugin.fault))))
    files: list[PinnedFile] = []
    pinned: dict[str, FileState] = {}
    for id, path in paths:
        try:
            # The state precedes the hash: a change between both is read at the next call.
            pinned[path] = _state(os.stat(path))
            files.append(PinnedFile(id, path, file_hash(path)))
        except FileNotFoundError:
            # Removed after the host has read it.
            is_complete = False
    if is_complete:
        _known_files[directory] = KnownFiles(entries, pinned, files)
    return files


def _adopted_library(path: str, fault: str) -> str:
    """Returns the library of an adoption file from the host's message, since the host alone knows the loader's directories.

    Raises `Error` if the message names no library: without its pin the workers would accept any content.
    """
    library = re.search(r" adopts (/.*), which is not pinned; its SHA-256 is [0-9a-f]{64}", fault)
    if library is None:
        remedy = "install a wheel whose Python files and libTroupe.so have the same version"
        raise Error(f"{path}: the host's message names no library: {fault!r}; {remedy}", subject=path, remedy=remedy)
    return library[1]


def file_hash(path: str) -> str:
    """Returns the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: bytes) -> Path:
    """Writes a new file that only the user can change: the host refuses others."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    return path


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Writes shipped files into a new directory."""
    directory.mkdir(mode=0o700)
    for name, content in files.items():
        _write(directory / name, content)


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
        pins = "".join(sorted({f"{file.hash} {file.plugin}\n" for file in files}))
        parts = [os.fsencode(directory or ""), pins.encode(), pickled]
        return Plugins(directory, pins, pickled, hashlib.sha256(b"\0".join(parts)).hexdigest()[:32])

    @staticmethod
    def in_directory(path: PathLike) -> Plugins:
        """Returns the plugins of a directory that all processes have under the same path."""
        directory = os.path.abspath(path)
        return Plugins.of_files(directory, pinned_files(directory), {})

    def host(self) -> Host:
        """Returns the host of this process, and starts it at the first use.

        Thread-safe; blocks other first uses while plugins load. Raises `Unavailable` and the errors of `Host`.
        """
        host = _hosts.get(self.key)
        if host is not None:
            return host
        with _lock:
            if self.key not in _hosts:
                directory = self.location()
                with tempfile.TemporaryDirectory() as folder:
                    pins = _write(Path(folder, "pins"), self.pins.encode())
                    _hosts[self.key] = Host(directory, pins=pins, **pickle.loads(self.options))
                _host_directories[self.key] = directory
                start_counts[self.key] = start_counts.get(self.key, 0) + 1
            return _hosts[self.key]

    def location(self) -> str:
        """Returns the directory in this process. Raises `Unavailable` if the plugins are not shipped to it."""
        if self.directory is not None:
            return self.directory
        directories = _shipped.get(self.key)
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
        subject = f"{plugin} on {socket.gethostname()}"
        remedy = "restart the worker" if self.directory is None else "install the client's file there, or pass a PluginDirectory"
        hashes = " or ".join(expected)
        if not found:
            problem = f"{directory} has no file of this plugin; the expected SHA-256 is {hashes}"
            unreadable = [item for item in self.host().plugins if item.fault is not None and item.fault.code == "notPermitted"]
            if unreadable:
                problem = f"{directory} has no readable file of this plugin: {unreadable[0].fault}; the expected SHA-256 is {hashes}"
            return Unavailable(f"{subject}: {problem}; {remedy}", subject=subject, remedy=remedy)
        for file in found:
            if file.hash not in expected:
                problem = f"{file.path} has the SHA-256 {file.hash}, and {hashes} is expected"
                return Error(f"{subject}: {problem}; {remedy}", code="unpinned", subject=subject, remedy=remedy)
        faults = [item.fault for item in self.host().plugins if item.id == plugin and item.fault is not None]
        for fault in faults:
            fault.add_note(f"on {socket.gethostname()}")
        return faults[0] if faults else None

    def check_directory(self, plugin: str) -> None:
        """Raises `Unavailable` if the plugin directory is missing in this process. A host of a missing directory reports no fault."""
        if self.key not in _hosts and not os.path.isdir(self.location()):
            fault = self.fault(plugin)
            if fault is not None:
                raise fault


def add_shipped(key: str, directory: str) -> None:
    """Makes a directory the one of shipped plugins in this process."""
    with _lock:
        _shipped.setdefault(key, []).append(directory)


def is_shipped(key: str) -> bool:
    """Whether this process has a directory of shipped plugins."""
    return bool(_shipped.get(key))


def remove_shipped(key: str, directory: str, worker: str) -> None:
    """Removes a worker and its directory of shipped plugins, and closes the host if no other worker uses it."""
    with _lock:
        if directory in _shipped.get(key, []):
            _shipped[key].remove(directory)
    remove_user(key, worker)
    with _lock:
        if _host_directories.get(key) == directory:
            # The running tasks of other workers keep the host. Their next use starts one in another directory.
            _forget_host(key)


def add_user(key: str, worker: str) -> bool:
    """Counts a worker of this process as a user of a host. Returns whether it is a new one. Thread-safe."""
    if worker in _users.get(key, ()):
        return False
    with _lock:
        workers = _users.setdefault(key, set())
        is_new = worker not in workers
        workers.add(worker)
        return is_new


def remove_user(key: str, worker: str) -> None:
    """Removes a worker, and closes the host if no other worker uses it. Thread-safe."""
    with _lock:
        workers = _users.get(key, set())
        workers.discard(worker)
        host = None if workers else _forget_host(key)
    if host is not None:
        host.close()


def _forget_host(key: str) -> Host | None:
    """Removes the host of this process, and the functions and transforms that were looked up in it."""
    with _lock:
        host = _hosts.pop(key, None)
        _host_directories.pop(key, None)
        for name in [name for name in _loaded_functions if name[0] == key]:
            del _loaded_functions[name]
        _checked_pipes.difference_update({pipe for pipe in _checked_pipes if pipe[0] == key})
    return host


class ShippedPlugins:
    """The base of the classes `PluginDirectory`."""

    plugins: Plugins
    """The hashes and options, which tasks carry."""


def plugins_of(plugins: PathLike | ShippedPlugins) -> Plugins:
    """Returns the plugins of the argument ``plugins`` of a function of an adapter. Raises `Unreadable`."""
    return plugins.plugins if isinstance(plugins, ShippedPlugins) else Plugins.in_directory(plugins)


class LoadedFunction:
    """A function of this process's host, with the parts of its signature that calls need."""

    __slots__ = ("dtypes", "function", "has_record", "names", "parameters", "types", "ufunc")

    def __init__(self, function: Function) -> None:
        signature = function.signature
        self.function = function
        self.parameters = tuple(parameter for parameter in signature.parameters if parameter.takes_argument)
        outputs = signature.outputs
        self.names = tuple(_troupe.identifiers(outputs))
        """The names of several results, as `Function.map` returns them."""
        self.types = tuple(outputs.values())
        self.has_record = any(parameter.direction != "in" for parameter in signature.parameters)
        """Whether a call returns a named tuple of its results."""
        self.dtypes = tuple(parameter.type.dtype for parameter in self.parameters)
        ufunc = function.ufunc
        self.ufunc = ufunc if ufunc is not None and ufunc.nin == len(self.parameters) else None

    def map(self, columns: Sequence[Any], on_error: OnError) -> tuple[Any, ...]:
        """Returns the results for all rows. Columns of exactly the types of the parameters are a call of the ufunc, which costs a
        fraction of the time that `Function.map` needs to examine its arguments."""
        if self.ufunc is not None and all(map(_is_exact, columns, self.dtypes)):
            with numpy.errstate(all="ignore"):
                return (self.ufunc(*columns),)
        results = self.function.map(*columns, on_error=on_error)
        return tuple(results) if self.has_record else (results,)


def _is_exact(column: Any, dtype: numpy.dtype[Any] | None) -> bool:
    """Whether a column is an array or number of a type, and so needs no conversion."""
    kind = type(column)
    return dtype is not None and (kind is numpy.ndarray or kind is dtype.type) and column.dtype == dtype


class PluginFunction:
    """A function of plugins, for tasks."""

    __slots__ = ("name", "plugin", "plugins")

    def __init__(self, plugins: Plugins, name: str, plugin: str) -> None:
        self.plugins = plugins
        self.name = name
        self.plugin = plugin
        """The id of the function's plugin."""

    def __reduce__(self) -> tuple[type[PluginFunction], tuple[Plugins, str, str]]:
        return PluginFunction, (self.plugins, self.name, self.plugin)

    @staticmethod
    def with_name(plugins: Plugins, name: str | UUID) -> PluginFunction:
        """Returns the function with a name or UUID. Raises as `Host.function`, and `InvalidSignature` if its results are no columns."""
        if not isinstance(name, (str, UUID)):
            remedy = "pass the name or the UUID of a function"
            raise Usage(f"function: is {name!r}; {remedy}", subject="function", remedy=remedy)
        host, text = plugins.host(), str(name)
        _find_function(host, text)
        (plugin,) = {
            item.plugin for item in host.registrations if item.is_function and (item.name == text or str(item.uuid) == text.lower())
        }
        plugin_function = PluginFunction(plugins, text, plugin)
        check_results(plugin_function.load_function().function)
        return plugin_function

    def load_function(self) -> LoadedFunction:
        """Returns the function of this process. Raises the reason if a worker lacks the plugin, or has another content of it.

        Thread-safe; blocks other first uses while plugins load.
        """
        key = self.plugins.key, self.name
        loaded = _loaded_functions.get(key)
        if loaded is not None:
            return loaded
        with _lock:
            loaded = _loaded_functions.get(key)
            if loaded is not None:
                return loaded
            self.plugins.check_directory(self.plugin)
            host = self.plugins.host()
            try:
                function = _find_function(host, self.name)
            except NotRegistered as error:
                failure = error
            else:
                # The lock is held since the lookup, so no thread has closed the host.
                loaded = _loaded_functions[key] = LoadedFunction(function)
                return loaded
        raise self.plugins.fault(self.plugin) or failure from None

    def token(self) -> tuple[str, str]:
        """Returns the cache key for Dask: the key of the plugins and the function's name."""
        return self.plugins.key, self.name


def _find_function(host: Host, name: str) -> Function:
    """Returns a function of a host, which scans the directory again if it is missing. Raises as `Host.function`."""
    try:
        return host.function(name)
    except NotRegistered:
        # The file may be there by now. Other threads use the host, so it stays open.
        host.refresh()
        return host.function(name)


def check_results(function: Function) -> None:
    """Raises `InvalidSignature` for a function without results, or with results that are valid in one process alone."""
    signature, remedy = function.signature, "call it with troupe.Host"
    if not signature.outputs:
        raise InvalidSignature(f"{function.name}: returns nothing; {remedy}", subject=function.name, remedy=remedy)
    written = [item.name for item in signature.parameters if item.passing == "buffer" and item.direction != "in"]
    if written:
        problem = f"writes to the buffer {written[0]}, which is no column"
        raise InvalidSignature(f"{function.name}: {problem}; {remedy}", subject=function.name, remedy=remedy)
    for name, type in signature.outputs.items():
        if type.dtype is None and type.kind not in ("string", "wide string"):
            problem = f"the result {name} of type {type.name} is no column"
            raise InvalidSignature(f"{function.name}: {problem}; {remedy}", subject=function.name, remedy=remedy)


def check_on_error(subject: str, on_error: object) -> None:
    """Raises `InvalidArgument` for another value than ``"raise"`` and ``"null"``."""
    if on_error not in ("raise", "null"):
        remedy = "pass 'raise' or 'null'"
        raise InvalidArgument(f"{subject}: on_error is {on_error!r}; {remedy}", subject=subject, remedy=remedy)


def check_arguments(loaded: LoadedFunction, arguments: Sequence[Any], columns: Iterable[int]) -> None:
    """Raises an error for arguments that no task could use.

    :param columns: the indexes of the arguments that differ from row to row.
    """
    function = loaded.function
    count, expected = len(arguments), len(loaded.parameters)
    if count != expected and not (function.signature.is_variadic and count > expected):
        remedy = f"pass {expected} for {function.signature.text}"
        raise Usage(f"{function.name}: {count} arguments were passed; {remedy}", subject=function.name, remedy=remedy)
    for index in columns:
        if index < expected:
            check_column(function, loaded.parameters[index])


def check_column(function: Function, parameter: Parameter) -> None:
    """Raises `InvalidSignature` for a parameter that has one value for all rows: a buffer, a callback or another pointer."""
    type = parameter.type
    if type.kind == "pointer" and type.element is not None and type.element.members:
        type = type.element
    if parameter.passing == "buffer" or type.dtype is None and type.kind not in ("string", "wide string"):
        subject, remedy = f"{function.name}: {parameter.name}", "pass one value for all rows, or call the function with troupe.Host"
        raise InvalidSignature(f"{subject}: takes no column but {parameter.type.name}; {remedy}", subject=subject, remedy=remedy)


# 128-bit integers have no Arrow type.
_arrow_names = {
    "bool": "bool_", "float": "float32", "double": "float64", "string": "string", "wide string": "string",
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
}  # fmt: skip


def arrow_type(function: Function, type: Type) -> Any:
    """Returns the `pyarrow.DataType` of a result. Raises `InvalidSignature` if there is none."""
    import pyarrow

    if type.kind in _arrow_names:
        return getattr(pyarrow, _arrow_names[type.kind])()
    if type.kind == "enum" and type.element is not None:
        return arrow_type(function, type.element)
    if type.kind == "struct" and type.members and all(name for name, _, _ in type.members):
        return pyarrow.struct([(name, arrow_type(function, member)) for name, member, _ in type.members])
    remedy = "call it with troupe.Host or as a Dask array"
    raise InvalidSignature(f"{function.name}: the result {type.name} is no Arrow column; {remedy}", subject=function.name, remedy=remedy)


def arrow_results(loaded: LoadedFunction, columns: Sequence[Any], on_error: OnError, types: Sequence[Any]) -> list[Any]:
    """Returns the results for all rows as Arrow arrays of the types."""
    import pyarrow

    arrays = []
    for result, type in zip(loaded.map(columns, on_error), types, strict=True):
        if isinstance(result, numpy.ma.MaskedArray):
            array = pyarrow.array(result.data.tolist() if result.dtype == object else result.data, mask=numpy.ma.getmaskarray(result))
        elif isinstance(result, numpy.ndarray):
            array = pyarrow.array(result.tolist() if result.dtype == object else result)
        else:
            array = result
        arrays.append(array if array.type == type else array.cast(type))
    return arrays


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
        key = self.plugins.key, self.tags
        if key in _checked_pipes:
            return self.plugins.host()
        with _lock:
            for plugin, _ in self.stages:
                self.plugins.check_directory(plugin)
            host = self.plugins.host()
            if not (has_stages := self._has_stages(host)):
                # The files may be there by now. Other threads use the host, so it stays open.
                host.refresh()
                has_stages = self._has_stages(host)
            if has_stages:
                _checked_pipes.add(key)
                return host
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
        for item in items:
            if item is None:
                yield None
                continue
            try:
                data = item
                for stage in host.resolve(tags=self.tags):
                    data = stage(data)
            except Error:
                if self.on_error == "raise":
                    raise
                data = None
            yield data


def _stages(instances: Iterable[Instance]) -> tuple[tuple[str, str], ...]:
    registrations: list[Registration] = [instance.registration for instance in instances]
    return tuple((item.plugin, item.name) for item in registrations)


def shipped_files(directory: str) -> tuple[dict[str, bytes], list[PinnedFile]]:
    """Returns the contents of the plugins' files by their names, and the hashes of these contents.

    Libraries that a file adopts are shipped if they are in the same directory; all others must be installed on the workers.
    """
    contents: dict[str, bytes] = {}
    files: list[PinnedFile] = []
    for file in pinned_files(directory):
        name = os.path.basename(file.path)
        if os.path.realpath(os.path.dirname(file.path)) != os.path.realpath(directory):
            files.append(file)
            continue
        try:
            contents[name] = Path(file.path).read_bytes()
        except FileNotFoundError:
            # Removed after it was hashed.
            continue
        files.append(file._replace(hash=hashlib.sha256(contents[name]).hexdigest()))
    if not files:
        remedy = "give a directory with usable plugins; python -m troupe list shows the reasons"
        raise Unavailable(f"{directory}: has no plugin that a host can load; {remedy}", subject=directory, remedy=remedy)
    return contents, files

