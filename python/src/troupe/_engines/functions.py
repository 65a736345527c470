"""Functions of plugins in tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal
from uuid import UUID

import numpy

from .. import _troupe
from .._troupe import Function, Host, Parameter
from ..conversions import in_engine
from ..errors import InvalidArgument, InvalidSignature, NotRegistered, Usage
from .hosts import PathLike, Plugins

OnError = Literal["raise", "null"]


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

    def __reduce__(self) -> tuple[type[LoadedFunction], tuple[Function]]:
        return LoadedFunction, (self.function,)

    def map(self, columns: Sequence[Any], on_error: OnError, engine: str) -> tuple[Any, ...]:
        """Returns the results for all rows. Columns of exactly the types of the parameters are a call of the ufunc, which costs a
        fraction of the time that `Function.map` needs to examine its arguments: as long as the function takes for the 2,048 rows of
        DuckDB.

        :param engine: the library in whose terms errors say how to convert a column.
        """
        if self.ufunc is not None and len(columns) == len(self.dtypes):
            exact = list(map(_as_exact, columns, self.dtypes))
            if all(column is not None for column in exact):
                with numpy.errstate(all="ignore"):
                    return (self.ufunc(*exact),)
        with in_engine(engine):
            results = self.function.map(*columns, on_error=on_error)
        return tuple(results) if self.has_record else (results,)


def _as_exact(column: Any, dtype: numpy.dtype[Any] | None) -> Any:
    """Returns a column that needs no conversion, since it has the memory of a type, as an array or number; None for any other."""
    if dtype is None:
        return None
    kind = type(column)
    if kind is numpy.ndarray or kind is dtype.type:
        return column if column.dtype == dtype else None
    if kind.__module__ != "pyarrow.lib" or dtype.kind not in "iuf":
        return None
    import pyarrow

    is_exact = isinstance(column, (pyarrow.Array, pyarrow.ChunkedArray)) and column.null_count == 0
    return column.to_numpy() if is_exact and column.type == pyarrow.from_numpy_dtype(dtype) else None


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
        process = self.plugins.process_host
        running = process.running
        loaded = None if running is None else running.functions.get(self.name)
        if loaded is not None:
            return loaded
        with process.lock:
            self.plugins.check_directory(self.plugin)
            running = self.plugins.running()
            loaded = running.functions.get(self.name)
            if loaded is not None:
                return loaded
            try:
                loaded = running.functions[self.name] = LoadedFunction(_find_function(running.host, self.name))
                return loaded
            except NotRegistered as error:
                failure = error
        raise self.plugins.fault(self.plugin) or failure from None

    def token(self) -> tuple[str, str]:
        """Returns the cache key for Dask: the key of the plugins and the function's name."""
        return self.plugins.key, self.name


def loaded_function(function: Function | str | UUID, plugins: PathLike | None) -> LoadedFunction:
    """Returns a function for an engine in this process: a function of a host, or the one with a name or UUID in a directory.

    Raises `Usage`, and as `PluginFunction.with_name`.
    """
    if isinstance(function, Function):
        if plugins is not None:
            remedy = "pass a name with plugins, or the function alone"
            raise Usage(f"{function.name}: is a function, which has its plugins; {remedy}", subject=function.name, remedy=remedy)
        check_results(function)
        return LoadedFunction(function)
    if plugins is None:
        remedy = "pass the directory as plugins, or a function of a troupe.Host"
        raise Usage(f"{function}: has no plugins to be looked up in; {remedy}", subject=str(function), remedy=remedy)
    return PluginFunction.with_name(Plugins.in_directory(plugins), function).load_function()


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


def check_columns(loaded: LoadedFunction) -> None:
    """Raises `InvalidSignature` for a function that takes no column, or something else besides."""
    function = loaded.function
    if not loaded.parameters:
        remedy = "call it with troupe.Host"
        raise InvalidSignature(f"{function.name}: takes no argument and so no column; {remedy}", subject=function.name, remedy=remedy)
    for parameter in loaded.parameters:
        check_column(function, parameter)


def check_column(function: Function, parameter: Parameter) -> None:
    """Raises `InvalidSignature` for a parameter that has one value for all rows: a buffer, a callback or another pointer."""
    type = parameter.type
    if type.kind == "reference" and type.is_constant and type.element is not None:
        type = type.element
    if parameter.passing == "buffer" or type.dtype is None and type.kind not in ("string", "wide string"):
        subject, remedy = f"{function.name}: {parameter.name}", "pass one value for all rows, or call the function with troupe.Host"
        raise InvalidSignature(f"{subject}: takes no column but {parameter.type.name}; {remedy}", subject=subject, remedy=remedy)
