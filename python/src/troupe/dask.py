"""Functions and transforms of plugins in Dask.

A function takes blocks of Dask arrays or partitions of Dask frames, and transforms take the items of a bag::

    import dask.array
    from troupe.dask import map_blocks

    x, y = dask.array.random.random((2, 10_000_000))
    map_blocks("hypot", x, y, plugins="plugins").sum().compute()

``plugins`` is a directory that each worker has under the same path, or a `PluginDirectory`, which ships the files. The client reads the
types of the results from the signature of the function, without a call. Each worker process starts one host at its first task, and
closes it with the worker; several workers in one process share it. The host has the hashes of the client's plugins as pins. A missing
plugin is an error with the machine, the id and the expected hash; another content is an error with both hashes.

If a worker ends, Dask runs its tasks again on another worker, so a function must depend on its arguments alone.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import dask.array
import dask.bag
import numpy
from dask.tokenize import tokenize
from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from ._engines import arrow, functions, pins
from ._engines.functions import LoadedFunction, OnError, PluginFunction
from ._engines.hosts import PathLike, Plugins, plugins_of, process_host
from ._engines.pipes import Pipe
from .errors import InvalidData, Usage

__all__ = ["PluginDirectory", "map_blocks", "map_partitions", "pipe"]


class PluginDirectory(WorkerPlugin):
    """The plugins of a directory, for workers that do not have it.

    Register it, and pass it as ``plugins``::

        plugins = PluginDirectory("plugins", isolate=True)
        client.register_plugin(plugins)
        map_blocks("hypot", x, y, plugins=plugins)

    The object has the contents of all plugins that a host can load, and their SHA-256 hashes. Each worker writes the files into its
    local directory. The hosts refuse a file that was changed afterwards. An adoption file ships without its library, unless that is
    in the same directory; the library of the worker must have the same content. Other libraries that a plugin links do not ship.

    :param directory: the directory of the plugins.
    :param options: the options of `troupe.Host`, such as ``settings`` or ``isolate``, for the client and all workers.

    Raises `Unreadable` for a directory that cannot be read, and `Unavailable` for one without plugins.
    """

    def __init__(self, directory: PathLike, **options: Any) -> None:
        path = os.path.abspath(directory)
        self._files, pinned = pins.shipped_files(path)
        self.plugins = Plugins.of_files(None, pinned, options)
        self.name = f"troupe-{self.plugins.key}"
        self._directory = ""
        # The client uses its own directory, and so do tasks in the client's process.
        self.plugins.process_host.add_shipped(path)

    def setup(self, worker: Any) -> None:
        """Writes the files of the plugins into the worker's local directory."""
        self._directory = os.path.join(tempfile.mkdtemp(prefix="troupe-", dir=worker.local_directory), "plugins")
        pins.write_files(Path(self._directory), self._files)
        self.plugins.process_host.add_shipped(self._directory)
        self.plugins.process_host.add_user(worker.id)

    def teardown(self, worker: Any) -> None:
        """Removes the files, and closes the host unless other workers in the process use it."""
        self.plugins.process_host.remove_shipped(self._directory, worker.id)
        shutil.rmtree(os.path.dirname(self._directory), ignore_errors=True)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_directory": ""}


class _User(WorkerPlugin):
    """A worker that uses the host of its process. The end of the last one closes the host."""

    def __init__(self, key: str) -> None:
        self.key = key

    def teardown(self, worker: Any) -> None:
        process_host(self.key).remove_user(worker.id)


def _count_worker(key: str) -> None:
    """Counts the worker that runs this task as a user of a host. Hosts of the other schedulers end with the process."""
    try:
        worker = get_worker()
    except ValueError:
        return
    if process_host(key).add_user(worker.id):
        worker.plugins[f"troupe-host-{key}"] = _User(key)


class _Map:
    """A function of plugins as a function of blocks."""

    __slots__ = ("is_masked", "on_error", "plugin_function")

    def __init__(self, plugin_function: PluginFunction, on_error: OnError, is_masked: bool) -> None:
        self.plugin_function = plugin_function
        self.on_error = on_error
        self.is_masked = is_masked
        """True if the result may have nulls: a masked array, or a Series of Arrow."""

    def __reduce__(self) -> tuple[type[_Map], tuple[PluginFunction, OnError, bool]]:
        return type(self), (self.plugin_function, self.on_error, self.is_masked)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return type(self).__name__, *self.plugin_function.token(), self.on_error, self.is_masked

    @property
    def __name__(self) -> str:
        return self.plugin_function.name


class _Blocks(_Map):
    """A function of plugins as a function of NumPy arrays."""

    __slots__ = ()

    def __call__(self, *arguments: Any) -> Any:
        _count_worker(self.plugin_function.plugins.key)
        loaded = self.plugin_function.load_function()
        results = loaded.map(arguments, self.on_error, "dask.array")
        result = results[0] if len(results) == 1 else _structured(loaded, results)
        if self.is_masked and not isinstance(result, numpy.ma.MaskedArray):
            return numpy.ma.MaskedArray(result, numpy.zeros(numpy.shape(result), bool))
        return result if isinstance(result, numpy.ndarray) else numpy.asarray(result)


def _structured(loaded: LoadedFunction, results: Sequence[Any]) -> Any:
    """Returns several results as one structured array."""
    dtype = numpy.dtype([(name, type.dtype or numpy.dtype(object)) for name, type in zip(loaded.names, loaded.types, strict=True)])
    array = numpy.empty(numpy.shape(results[0]), dtype)
    for name, result in zip(loaded.names, results, strict=True):
        array[name] = numpy.ma.getdata(result)
    if not isinstance(results[0], numpy.ma.MaskedArray):
        return array
    # A row is null in all results or in none.
    masked = numpy.ma.MaskedArray(array)
    masked[numpy.ma.getmaskarray(results[0])] = numpy.ma.masked
    return masked


def map_blocks(
    function: str | UUID, *arrays: Any, plugins: PathLike | PluginDirectory, on_error: OnError = "raise"
) -> dask.array.Array:
    """Calls a function of plugins for all elements of Dask arrays, which are broadcast.

    :param function: the name or the UUID.
    :param arrays: one argument for each parameter: Dask arrays, NumPy arrays, or single values. A buffer is a NumPy array or bytes,
        one for all elements.
    :param plugins: a directory that all workers have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing element, or make the element ``"null"``, which masks it: one that the
        function refuses, or that cannot be passed. All other failures are errors of the task.

    Returns a Dask array with the type of the function's result, and with the chunks of ``x + y``. The result is masked if an
    argument is, or if ``on_error`` is ``"null"``. Several results are a structured array, whose fields have the names of the
    results in `Function.map`. Texts are an array of objects.

    The function runs in the tasks, never here, and without the GIL. Functions with `Function.is_thread_safe` compute on several
    threads of a worker at once, and calls of others wait for each other. A task costs a few microseconds more than that of a NumPy
    ufunc. The client starts a host and loads the plugin; it reads all files of the directory once, and again after a change of one.

    Raises the errors of `Host.function`, `Usage` for another number of arguments, `InvalidData` for arrays of another kind than the
    parameters, such as dates for numbers, and `InvalidSignature` for a result that is no array, such as a handle. The tasks raise
    the errors of `Function.map`, and those of the plugin.
    """
    functions.check_on_error(str(function), on_error)
    plugin_function = PluginFunction.with_name(plugins_of(plugins), function)
    loaded = plugin_function.load_function()
    values = [
        _prepared(value, loaded.dtypes[index] if index < len(loaded.dtypes) else None, index < len(loaded.parameters)
                  and loaded.parameters[index].passing == "buffer")
        for index, value in enumerate(arrays)
    ]  # fmt: skip
    blocks = [index for index, value in enumerate(values) if isinstance(value, dask.array.Array)]
    functions.check_arguments(loaded, values, blocks)
    if not blocks:
        remedy = "pass a Dask array, or call Function.map"
        raise Usage(f"{loaded.function.name}: no argument is an array; {remedy}", subject=loaded.function.name, remedy=remedy)
    is_masked = on_error == "null" or any(isinstance(values[index]._meta, numpy.ma.MaskedArray) for index in blocks)
    call = _Blocks(plugin_function, on_error, is_masked)
    # No rows: this checks and converts types, and calls no function.
    empty = call(*(value._meta.reshape(-1)[:0] if index in blocks else value for index, value in enumerate(values)))
    dimensions = max(values[index].ndim for index in blocks)
    pairs = ((value, tuple(range(value.ndim))[::-1] if index in blocks else None) for index, value in enumerate(values))
    try:
        result: dask.array.Array = dask.array.blockwise(
            call, tuple(range(dimensions))[::-1], *itertools.chain.from_iterable(pairs), dtype=empty.dtype,
            meta=empty.reshape((0,) * dimensions) if dimensions else numpy.empty((), empty.dtype)[()],
            name=f"{loaded.function.name}-{tokenize(call, *values)}",
        )  # fmt: skip
        return result
    except ValueError as error:
        remedy = "pass arrays that NumPy can broadcast"
        raise InvalidData(
            f"{loaded.function.name}: {str(error).rstrip('.')}; {remedy}", subject=loaded.function.name, remedy=remedy
        ) from None


def _prepared(value: Any, dtype: numpy.dtype[Any] | None, is_buffer: bool) -> Any:
    """Returns an argument as a Dask array, or as a single value of the parameter's type if that loses nothing."""
    if is_buffer or isinstance(value, dask.array.Array):
        return value
    if isinstance(value, (list, tuple)) or isinstance(value, numpy.ndarray) and value.ndim > 0:
        return dask.array.asanyarray(value)
    if dtype is not None and dtype.kind in "iuf" and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            with numpy.errstate(over="ignore"):
                number = dtype.type(value)
        except OverflowError:
            return value
        # NumPy compares as floating-point numbers. A comparison with NaN is false, and the call then converts it.
        if number.item() == value and (isinstance(value, int) or dtype.kind == "f"):
            return number
    return value


_FRAMES = "dask.dataframe"


class _Partitions(_Map):
    """A function of plugins as a function of the partitions of frames."""

    __slots__ = ()

    def __call__(self, *arguments: Any) -> Any:
        import pandas

        _count_worker(self.plugin_function.plugins.key)
        loaded = self.plugin_function.load_function()
        values, index = _columns(loaded, arguments)
        # A call of arrays that have the types of the parameters is the cheapest. `Function.map` reads all other columns.
        values = [
            value.to_numpy() if isinstance(value, pandas.Series) and isinstance(value.dtype, numpy.dtype) else value for value in values
        ]
        if self.is_masked:
            types = [arrow.arrow_type(loaded.function, type) for type in loaded.types]
            results = arrow.arrow_results(loaded, values, self.on_error, types, _FRAMES)
            columns = [pandas.Series(pandas.arrays.ArrowExtensionArray(array), index=index) for array in _flat(results)]
        else:
            columns = [pandas.Series(array, index=index, copy=False) for array in _flat(loaded.map(values, self.on_error, _FRAMES))]
        names = _column_names(loaded)
        if len(names) == 1 and loaded.types[0].kind != "struct":
            return columns[0].rename(loaded.function.name)
        return pandas.DataFrame(dict(zip(names, columns, strict=True)), index=index, copy=False)


def _columns(loaded: LoadedFunction, arguments: Iterable[Any]) -> tuple[list[Any], Any]:
    """Returns the columns of frames and the other arguments in order, and the index that the columns share."""
    import pandas

    values: list[Any] = []
    index: Any = None
    for argument in arguments:
        if not isinstance(argument, (pandas.Series, pandas.DataFrame)):
            values.append(argument)
            continue
        if index is not None and not index.equals(argument.index):
            subject, remedy = loaded.function.name, "join the frames before the call"
            raise InvalidData(f"{subject}: the indexes of two columns differ; {remedy}", subject=subject, remedy=remedy)
        index = argument.index
        is_series = isinstance(argument, pandas.Series)
        # Several columns may have one name, so they go by position.
        values += [argument] if is_series else [argument.iloc[:, position] for position in range(argument.shape[1])]
    return values, index


def _flat(results: Iterable[Any]) -> list[Any]:
    """Returns the results with the members of structs in place of the structs."""
    columns: list[Any] = []
    for result in results:
        if isinstance(result, numpy.ndarray):
            columns += [result] if result.dtype.names is None else _flat(result[name] for name in result.dtype.names)
        else:
            columns += _flat(result.flatten()) if result.type.num_fields else [result]
    return columns


def _column_names(loaded: LoadedFunction) -> list[str]:
    """Returns the names of the columns of a frame: those of the results, and of the members of structs, such as ``position.x``."""

    def names(name: str, type: Any) -> list[str]:
        if type.kind != "struct":
            return [name]
        prefix = f"{name}." if name else ""
        return [part for member, inner, _ in type.members for part in names(prefix + member, inner)]

    # The struct that is the only result gives no prefix.
    only_struct = len(loaded.types) == 1 and loaded.types[0].kind == "struct"
    results = [""] if only_struct else loaded.names
    return [part for name, type in zip(results, loaded.types, strict=True) for part in names(name, type)]


def map_partitions(function: str | UUID, *columns: Any, plugins: PathLike | PluginDirectory, on_error: OnError = "raise") -> Any:
    """Calls a function of plugins for all rows of Dask series, or of the columns of Dask frames.

    :param function: the name or the UUID.
    :param columns: one argument for each parameter: a Dask series, or a single value for all rows. A Dask frame stands for its columns
        in their order.
    :param plugins: a directory that all workers have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing row, or make the row ``"null"``: one that the function refuses, or whose
        value cannot be passed. All other failures are errors of the task.

    Returns a Dask series with the name of the function, or a Dask frame if the function has several results or returns a struct. Structs
    become a column for each member, such as ``position.x`` for a struct in a struct. The index and the divisions are those of the
    columns, which must have the same partitions and the same index.

    The types are those of NumPy if all columns are numbers of NumPy and ``on_error`` is ``"raise"``, and else, and for texts, those of
    Arrow. The function is not called for rows with a null, and the result there is null. A NaN of a floating-point type is a number.

    Threads, cost and errors are those of `map_blocks`. `InvalidSignature` is also raised for a result that is no column.
    """
    import dask.dataframe
    import pandas

    functions.check_on_error(str(function), on_error)
    plugin_function = PluginFunction.with_name(plugins_of(plugins), function)
    loaded = plugin_function.load_function()
    name = loaded.function.name
    for position, column in enumerate(columns):
        if isinstance(column, (pandas.Series, pandas.DataFrame, pandas.Index)):
            kind, remedy = type(column).__name__, "convert it with dask.dataframe.from_pandas"
            raise Usage(f"{name}: argument {position + 1} is a {kind} of pandas, not of Dask; {remedy}", subject=name, remedy=remedy)
    is_frame = [isinstance(column, (dask.dataframe.DataFrame, dask.dataframe.Series)) for column in columns]
    empty = [column._meta if frame else column for column, frame in zip(columns, is_frame, strict=True)]
    values, index = _columns(loaded, empty)
    series = [position for position, value in enumerate(values) if isinstance(value, pandas.Series)]
    functions.check_arguments(loaded, values, series)
    if index is None:
        remedy = "pass a Dask series, or call Function.map"
        raise Usage(f"{loaded.function.name}: no argument is a series; {remedy}", subject=loaded.function.name, remedy=remedy)
    types_of_series = [values[position].dtype for position in series]
    may_be_null = any(not isinstance(dtype, numpy.dtype) or dtype.kind not in "biufc" for dtype in types_of_series)
    is_masked = on_error == "null" or may_be_null or any("string" in type.kind for type in loaded.types)
    for result in loaded.types:
        if is_masked or result.kind != "complex":
            # Raises an error for a result that is no column.
            arrow.arrow_type(loaded.function, result)
    call = _Partitions(plugin_function, on_error, is_masked)
    counts = [column.npartitions for column, frame in zip(columns, is_frame, strict=True) if frame]
    if len(set(counts)) > 1:
        remedy = "repartition the columns, or take them from one frame"
        raise InvalidData(f"{name}: the columns have {counts} partitions; {remedy}", subject=name, remedy=remedy)
    first = is_frame.index(True)
    if first > 0:
        # The first argument of Dask is a frame.
        call = _Rotated(plugin_function, on_error, is_masked, first)
        columns = columns[first:] + columns[:first]
        empty = empty[first:] + empty[:first]
    return dask.dataframe.map_partitions(
        call, *columns, meta=call(*empty), enforce_metadata=False, transform_divisions=False
    )


class _Rotated(_Partitions):
    """A function whose first arguments come last."""

    __slots__ = ("first",)

    def __init__(self, plugin_function: PluginFunction, on_error: OnError, is_masked: bool, first: int) -> None:
        super().__init__(plugin_function, on_error, is_masked)
        self.first = first

    def __reduce__(self) -> Any:
        return type(self), (self.plugin_function, self.on_error, self.is_masked, self.first)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return *super().__dask_tokenize__(), self.first

    def __call__(self, *arguments: Any) -> Any:
        return super().__call__(*arguments[-self.first :], *arguments[: -self.first])


class _Items:
    """A pipe of transforms as a function of the partitions of a bag."""

    __slots__ = ("pipe",)

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe

    def __reduce__(self) -> Any:
        return _Items, (self.pipe,)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "pipe", self.pipe.plugins.key, self.pipe.tags, self.pipe.on_error

    def __call__(self, items: Iterable[Any]) -> list[bytes | None]:
        _count_worker(self.pipe.plugins.key)
        return list(self.pipe(items))


def pipe(
    bag: dask.bag.Bag, *, tags: str | UUID | Iterable[str | UUID], plugins: PathLike | PluginDirectory, on_error: OnError = "raise"
) -> dask.bag.Bag:
    """Passes each item of a Dask bag through the transforms that have all tags, in the order of their registrations.

    :param bag: a bag of bytes, each an input of its own, or None.
    :param tags: the tags, or one tag; a tag in the form of a UUID is the UUID of a factory. Call `pipe` again for another order.
    :param plugins: a directory that all workers have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing item, or make an item that a transform refuses ``"null"``: None.

    Returns a bag of bytes with the partitions of the bag; None stays None. Each item has transforms of its own, so that the result does
    not depend on the partitions. A task holds the outputs of a partition in memory.

    Raises `NotRegistered` if no factory has the tags, and `InvalidSignature` if one makes no transforms. The tasks raise the errors of
    the plugins, and `InvalidData` for an item that is no bytes.
    """
    result: dask.bag.Bag = bag.map_partitions(_Items(Pipe.with_tags(plugins_of(plugins), tags, on_error)))
    return result
