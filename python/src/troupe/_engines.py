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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
_kernels: dict[tuple[str, str], Kernel] = {}
_checked_pipes: set[tuple[str, tuple[str, ...]]] = set()
# Functions that are called with the key of each host that this process starts.
start_hooks: list[Callable[[str], None]] = []
# The directories of shipped plugins; the last one is in use.
_shipped: dict[str, list[str]] = {}
# The hashes of directories that this process has read, with the state of their files.
_known_files: dict[str, tuple[tuple[tuple[str, int, int, int], ...], list[PinnedFile]]] = {}


def _forget() -> None:
    global _lock
    _lock = threading.RLock()
    for table in (_hosts, _kernels, _checked_pipes, _shipped, _known_files):
        table.clear()


os.register_at_fork(after_in_child=_forget)


class PinnedFile(NamedTuple):
    """A file of a plugin and its hash."""

    plugin: str
    path: str
    hash: str


def pinned_files(directory: str) -> list[PinnedFile]:
    """Returns the files of the plugins in a directory with their hashes: the plugins' own files, and the libraries that they adopt.

    A host without pins for any plugin rejects each with the hash of its file. It runs no plugin code and no probe.
    """
    try:
        with os.scandir(directory) as entries:
            found = [(entry.name, entry.stat()) for entry in entries]
    except OSError as error:
        remedy = "give a readable directory of plugins"
        raise Unreadable(f"{directory}: {error.strerror}; {remedy}", subject=directory, remedy=remedy) from None
    state = tuple(sorted((name, status.st_ino, status.st_size, status.st_mtime_ns) for name, status in found))
    known = _known_files.get(directory)
    if known is not None and known[0] == state:
        return known[1]
    files = []
    with tempfile.TemporaryDirectory() as folder:
        pins = _write(Path(folder, "pins"), b"")
        with Host(directory, pins=pins, cache=False, quarantine=False, log=lambda level, plugin, text: None) as host:
            for plugin in host.plugins:
                if plugin.id is None or plugin.fault is None or plugin.fault.code != "unpinned":
                    continue
                files.append(PinnedFile(plugin.id, plugin.path, file_hash(plugin.path)))
                # The host names the library of an adoption file, since it alone knows the loader's directories.
                library = re.search(r" is (/.*), which is not pinned; its SHA-256 is ([0-9a-f]{64})", str(plugin.fault))
                if library is not None:
                    files.append(PinnedFile(plugin.id, library[1], library[2]))
    _known_files[directory] = state, files
    return files


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
    def make(directory: str | None, files: Iterable[PinnedFile], options: Mapping[str, Any]) -> Plugins:
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
    def at(path: PathLike) -> Plugins:
        """Returns the plugins of a directory that all processes have under the same path."""
        directory = os.path.abspath(path)
        return Plugins.make(directory, pinned_files(directory), {})

    def host(self) -> Host:
        """Returns the host of this process, and starts it at the first use."""
        host = _hosts.get(self.key)
        if host is not None:
            return host
        with _lock:
            if self.key not in _hosts:
                with tempfile.TemporaryDirectory() as folder:
                    pins = _write(Path(folder, "pins"), self.pins.encode())
                    _hosts[self.key] = Host(self.location(), pins=pins, **pickle.loads(self.options))
                for hook in start_hooks:
                    hook(self.key)
            return _hosts[self.key]

    def location(self) -> str:
        """Returns the directory in this process."""
        if self.directory is not None:
            return self.directory
        directories = _shipped.get(self.key)
        if not directories:
            subject, remedy = f"plugins on {socket.gethostname()}", "register the PluginDirectory with the client"
            raise Unavailable(f"{subject}: are not shipped to this worker; {remedy}", subject=subject, remedy=remedy)
        return directories[-1]

    def fault(self, plugin: str) -> Error | None:
        """Returns the reason why the host of this process has no usable plugin with an id, or None if it has."""
        directory = self.location()
        expected = [line[:64] for line in self.pins.splitlines() if line[65:] == plugin]
        try:
            found = [file for file in pinned_files(directory) if file.plugin == plugin]
        except Unreadable:
            found = []
        subject = f"{plugin} on {socket.gethostname()}"
        remedy = "install the client's file there, or ship the plugins with the tasks"
        hashes = " or ".join(expected)
        if not found:
            problem = f"{directory} has no file of this plugin; the expected SHA-256 is {hashes}"
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
        """Raises the reason if the directory is missing in this process, of which the host of an empty directory would know nothing."""
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


def remove_shipped(key: str, directory: str) -> None:
    """Closes the host of shipped plugins, and removes a directory of them."""
    with _lock:
        close(key)
        if directory in _shipped.get(key, []):
            _shipped[key].remove(directory)


def close(key: str) -> None:
    """Closes the host of this process. The next use starts another one."""
    with _lock:
        host = _hosts.pop(key, None)
        for name in [name for name in _kernels if name[0] == key]:
            del _kernels[name]
        _checked_pipes.difference_update({pipe for pipe in _checked_pipes if pipe[0] == key})
    if host is not None:
        host.close()


class Kernel:
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


class Target:
    """A function of plugins, for tasks."""

    __slots__ = ("name", "plugin", "plugins")

    def __init__(self, plugins: Plugins, name: str, plugin: str) -> None:
        self.plugins = plugins
        self.name = name
        self.plugin = plugin
        """The id of the function's plugin."""

    def __reduce__(self) -> tuple[type[Target], tuple[Plugins, str, str]]:
        return Target, (self.plugins, self.name, self.plugin)

    @staticmethod
    def find(plugins: Plugins, name: str | UUID) -> Target:
        """Returns the function with a name or UUID. Raises as `Host.function`, and `InvalidSignature` if its results are no columns."""
        if not isinstance(name, (str, UUID)):
            remedy = "pass the name or the UUID of a function"
            raise Usage(f"function: is {name!r}; {remedy}", subject="function", remedy=remedy)
        host, text = plugins.host(), str(name)
        host.function(text)
        (plugin,) = {
            item.plugin for item in host.registrations if item.is_function and (item.name == text or str(item.uuid) == text.lower())
        }
        target = Target(plugins, text, plugin)
        check_results(target.kernel().function)
        return target

    def kernel(self) -> Kernel:
        """Returns the function of this process. Raises the reason if a worker lacks the plugin, or has another content of it."""
        key = self.plugins.key, self.name
        kernel = _kernels.get(key)
        if kernel is None:
            self.plugins.check_directory(self.plugin)
            try:
                function = self.plugins.host().function(self.name)
            except NotRegistered as error:
                fault = self.plugins.fault(self.plugin) or error
                # The next task scans the directory again.
                close(self.plugins.key)
                raise fault from None
            with _lock:
                kernel = _kernels.setdefault(key, Kernel(function))
        return kernel

    def token(self) -> tuple[str, str]:
        """Returns texts that differ if the results may."""
        return self.plugins.key, self.name


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


def check_arguments(kernel: Kernel, arguments: Sequence[Any], columns: Iterable[int], on_error: object) -> None:
    """Raises an error for arguments that no task could use.

    :param columns: the indexes of the arguments that differ from row to row.
    """
    function = kernel.function
    if on_error not in ("raise", "null"):
        remedy = "pass 'raise' or 'null'"
        raise InvalidArgument(f"{function.name}: on_error is {on_error!r}; {remedy}", subject=function.name, remedy=remedy)
    count, expected = len(arguments), len(kernel.parameters)
    if count != expected and not (function.signature.is_variadic and count > expected):
        remedy = f"pass {expected} for {function.signature.text}"
        raise Usage(f"{function.name}: {count} arguments were passed; {remedy}", subject=function.name, remedy=remedy)
    for index in columns:
        if index < expected:
            check_column(function, kernel.parameters[index])


def check_column(function: Function, parameter: Parameter) -> None:
    """Raises `InvalidSignature` for a parameter that has one value for all rows: a buffer, a callback or another pointer."""
    type = parameter.type
    if type.kind == "pointer" and type.element is not None and type.element.members:
        type = type.element
    if parameter.passing == "buffer" or type.dtype is None and type.kind not in ("string", "wide string"):
        subject, remedy = f"{function.name}: {parameter.name}", "pass one value for all rows, or call the function with troupe.Host"
        raise InvalidSignature(f"{subject}: takes no column but {parameter.type.name}; {remedy}", subject=subject, remedy=remedy)


# Arrow and Python have no other integers.
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


def arrow_results(kernel: Kernel, columns: Sequence[Any], on_error: OnError, types: Sequence[Any]) -> list[Any]:
    """Returns the results for all rows as Arrow arrays of the types."""
    import pyarrow

    arrays = []
    for result, type in zip(kernel.map(columns, on_error), types, strict=True):
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
    def find(plugins: Plugins, tags: str | UUID | Iterable[str | UUID], on_error: OnError) -> Pipe:
        """Returns the transforms that have all tags. Raises `NotRegistered` if there are none."""
        if on_error not in ("raise", "null"):
            remedy = "pass 'raise' or 'null'"
            raise InvalidArgument(f"pipe: on_error is {on_error!r}; {remedy}", subject="pipe", remedy=remedy)
        texts = tuple(str(tag) for tag in ([tags] if isinstance(tags, (str, UUID)) else tags))
        instances = plugins.host().resolve(tags=texts)
        subject = f"tags {', '.join(texts)}" if texts else "tags"
        if not instances or not texts:
            remedy = "pass tags of transforms in the directory"
            raise NotRegistered(f"{subject}: no factory has them; {remedy}", subject=subject, remedy=remedy)
        for instance in instances:
            if not isinstance(instance, Transform):
                remedy = "pass tags that only transforms have"
                problem = f"the factory {instance.registration.name} makes no transforms"
                raise InvalidSignature(f"{subject}: {problem}; {remedy}", subject=subject, remedy=remedy)
        return Pipe(plugins, texts, _stages(instances), on_error)

    def check(self) -> None:
        """Raises the reason if this process has other transforms than the client."""
        key = self.plugins.key, self.tags
        if key in _checked_pipes:
            return
        for plugin, _ in self.stages:
            self.plugins.check_directory(plugin)
        if _stages(self.plugins.host().resolve(tags=self.tags)) != self.stages:
            faults = [self.plugins.fault(plugin) for plugin, _ in self.stages]
            close(self.plugins.key)
            subject, remedy = f"plugins on {socket.gethostname()}", "install the client's plugins there"
            raise next(
                (fault for fault in faults if fault is not None),
                Unavailable(f"{subject}: have other transforms than the client; {remedy}", subject=subject, remedy=remedy),
            )
        _checked_pipes.add(key)

    def __call__(self, items: Iterable[Any]) -> Iterator[bytes | None]:
        """Returns the output of the transforms for each item, which is an input of its own."""
        self.check()
        host = self.plugins.host()
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
        contents[name] = Path(file.path).read_bytes()
        files.append(file._replace(hash=hashlib.sha256(contents[name]).hexdigest()))
    if not files:
        remedy = "give a directory with usable plugins; python -m troupe list shows the reasons"
        raise Unavailable(f"{directory}: has no plugin that a host can load; {remedy}", subject=directory, remedy=remedy)
    return contents, files

