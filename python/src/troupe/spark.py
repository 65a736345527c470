"""Functions and transforms of plugins in Spark.

A function takes columns as Arrow batches, and transforms take the items of an RDD::

    from pyspark.sql import SparkSession
    from troupe.spark import udf

    spark = SparkSession.builder.getOrCreate()
    hypot = udf("hypot", plugins="plugins")
    spark.range(10).select(hypot("id", "id")).show()

``plugins`` is a directory that each machine has under the same path, or a `PluginDirectory`, which ships the files. The driver reads
the types of the results from the signature of the function, without a call. Each Python worker starts one host at its first task, after
Spark has forked the worker, and the host ends with the process. The host has the hashes of the driver's plugins as pins: a worker
without a plugin, or with another content of it, raises an error with the name of the machine, the id of the plugin and both hashes.

Spark runs the task of a Python worker that ends again, so a function must depend on its arguments alone. In local mode it does that
only if the master allows failures, as ``local[2, 4]`` does.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow
from pyspark import RDD, SparkFiles
from pyspark.sql import types as sql
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined,unused-ignore]

from . import _engines
from ._engines import Kernel, OnError, PathLike, Pipe, Plugins, Target
from .errors import InvalidArgument, InvalidData, InvalidSignature, Unavailable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["PluginDirectory", "map_in_arrow", "pipe", "udf"]

# Executors fetch a file from the driver when they start, so that the files stay until the driver ends.
_packs: list[tempfile.TemporaryDirectory[str]] = []


class PluginDirectory:
    """The plugins of a directory, for machines that do not have it.

    Pass it as ``plugins``::

        plugins = PluginDirectory(spark, "plugins", isolate=True)
        hypot = udf("hypot", plugins=plugins)

    The constructor adds one file with all plugins that a host can load to the session, as ``SparkContext.addFile`` does. Each executor
    unpacks it once, beside its other files. Tasks carry the SHA-256 hashes of the plugins, and the hosts refuse a file that was changed
    afterwards. An adoption file ships without its library, unless that is in the same directory; the library of the worker must have
    the same content. Other libraries that a plugin links do not ship.

    :param session: the session whose jobs use the plugins.
    :param directory: the directory of the plugins.
    :param options: the options of `troupe.Host`, such as ``settings`` or ``isolate``, for the driver and all workers.

    Raises `Unreadable` for a directory that cannot be read, and `Unavailable` for one without plugins.
    """

    def __init__(self, session: SparkSession, directory: PathLike, **options: Any) -> None:
        path = os.path.abspath(directory)
        files, pinned = _engines.shipped_files(path)
        self.plugins = Plugins.make(None, pinned, options)
        """The hashes and options, which tasks carry."""
        _engines.add_shipped(self.plugins.key, path)
        _packs.append(tempfile.TemporaryDirectory(prefix="troupe-"))
        pack = Path(_packs[-1].name, _pack_name(self.plugins.key))
        with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        session.sparkContext.addFile(str(pack))


def _pack_name(key: str) -> str:
    return f"troupe-{key}.zip"


def _plugins(plugins: PathLike | PluginDirectory) -> Plugins:
    return plugins.plugins if isinstance(plugins, PluginDirectory) else Plugins.at(plugins)


def _unpack(plugins: Plugins) -> None:
    """Unpacks shipped plugins on this machine, unless another process has done it."""
    if plugins.directory is not None or _engines.is_shipped(plugins.key):
        return
    pack = Path(SparkFiles.get(_pack_name(plugins.key)))
    directory = pack.with_suffix("")
    if not directory.exists():
        if not pack.exists():
            subject, remedy = f"plugins on {socket.gethostname()}", "create the PluginDirectory with the session of the job"
            raise Unavailable(f"{subject}: {pack} is missing; {remedy}", subject=subject, remedy=remedy)
        with zipfile.ZipFile(pack) as archive:
            files = {os.path.basename(name): archive.read(name) for name in archive.namelist()}
        folder = tempfile.mkdtemp(prefix="troupe-", dir=pack.parent)
        _engines.write_files(Path(folder, "plugins"), files)
        try:
            os.rename(Path(folder, "plugins"), directory)
        except OSError:
            # Another process was faster. The hashes of its files are checked, too.
            if not directory.exists():
                raise
        shutil.rmtree(folder)
    _engines.add_shipped(plugins.key, str(directory))


class _Columns:
    """A function of plugins as a function of Arrow arrays."""

    def __init__(self, target: Target, on_error: OnError) -> None:
        self.target = target
        self.on_error = on_error
        kernel = target.kernel()
        if not kernel.parameters:
            remedy = "call it with troupe.Host"
            raise InvalidSignature(f"{target.name}: takes no argument and so no column; {remedy}", subject=target.name, remedy=remedy)
        for parameter in kernel.parameters:
            _engines.check_column(kernel.function, parameter)
        self.types = [_signed(_engines.arrow_type(kernel.function, type)) for type in kernel.types]

    def __call__(self, columns: Sequence[Any]) -> list[Any]:
        _unpack(self.target.plugins)
        kernel = self.target.kernel()
        values = [_fitting(kernel, index, column) for index, column in enumerate(columns)]
        return _engines.arrow_results(kernel, values, self.on_error, self.types)


def _signed(type: Any) -> Any:
    """Returns the type of Spark for a result: it has no unsigned integers."""
    if pyarrow.types.is_struct(type):
        return pyarrow.struct([(field.name, _signed(field.type)) for field in type])
    larger = {
        pyarrow.uint8(): pyarrow.int16(), pyarrow.uint16(): pyarrow.int32(), pyarrow.uint32(): pyarrow.int64(),
        pyarrow.uint64(): pyarrow.decimal128(20, 0),
    }  # fmt: skip
    return larger.get(type, type)


def _fitting(kernel: Kernel, index: int, column: Any) -> Any:
    """Returns a column of integers in the integer type of the parameter. Raises `InvalidData` if it cannot hold a value."""
    dtype = kernel.dtypes[index] if index < len(kernel.dtypes) else None
    if dtype is None or dtype.kind not in "iu" or not (pyarrow.types.is_integer(column.type) or pyarrow.types.is_decimal(column.type)):
        return column
    type = pyarrow.from_numpy_dtype(dtype)
    try:
        return column if column.type == type else column.cast(type)
    except pyarrow.ArrowInvalid as error:
        subject, remedy = f"{kernel.function.name}: {kernel.parameters[index].name}", "pass numbers in its range"
        raise InvalidData(f"{subject}: {type} cannot hold a number: {error}; {remedy}", subject=subject, remedy=remedy) from None


def _spark_type(type: Any) -> sql.DataType:
    """Returns the type of Spark for one of Arrow."""
    if pyarrow.types.is_struct(type):
        return sql.StructType([sql.StructField(field.name, _spark_type(field.type)) for field in type])
    if pyarrow.types.is_decimal(type):
        return sql.DecimalType(type.precision, type.scale)
    types: dict[Any, Callable[[], sql.DataType]] = {
        pyarrow.bool_(): sql.BooleanType, pyarrow.int8(): sql.ByteType, pyarrow.int16(): sql.ShortType,
        pyarrow.int32(): sql.IntegerType, pyarrow.int64(): sql.LongType, pyarrow.float32(): sql.FloatType,
        pyarrow.float64(): sql.DoubleType, pyarrow.string(): sql.StringType,
    }  # fmt: skip
    return types[type]()


def _check_on_error(function: str | UUID, on_error: object) -> None:
    if on_error not in ("raise", "null"):
        remedy = "pass 'raise' or 'null'"
        raise InvalidArgument(f"{function}: on_error is {on_error!r}; {remedy}", subject=str(function), remedy=remedy)


def udf(function: str | UUID, *, plugins: PathLike | PluginDirectory, on_error: OnError = "raise") -> Callable[..., Any]:
    """Returns a function of plugins as a user-defined function for columns of Spark.

    :param function: the name or the UUID.
    :param plugins: a directory that all machines have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing row, which fails the job, or make the row ``"null"``.

    Call the result with one column for each parameter, or register it for SQL with ``spark.udf.register``. Rows with a null are null,
    and the function is not called for them. A NaN is a number.

    The type is that of the function's result. Spark has no unsigned integers: they become the next larger type, and ``uint64_t`` a
    decimal of 20 digits. Integers of a column are converted to the type of the parameter, which raises `InvalidData` for a number that
    the type cannot hold. A struct is a struct, and several results are one with the names of the results in `Function.map`.

    The function gets an Arrow batch in one call of C, without copies of columns that have the types of the parameters. The driver starts
    a host and loads the plugin; it reads all files of the directory once, and again after a change of one.

    Raises the errors of `Host.function`, and `InvalidSignature` for a parameter or result that is no column, such as a buffer. The tasks
    raise the errors of `Function.map`, and those of the plugin: Spark shows them in a ``PythonException``.
    """
    _check_on_error(function, on_error)
    target = Target.find(_plugins(plugins), function)
    columns = _Columns(target, on_error)
    kernel = target.kernel()
    names = list(kernel.names) if kernel.has_record else None

    def call(*arrays: pyarrow.Array) -> pyarrow.Array:
        results = columns(arrays)
        return results[0] if names is None else pyarrow.StructArray.from_arrays(results, names)

    call.__name__ = kernel.function.name
    fields = None if names is None else list(zip(names, columns.types, strict=True))
    type = columns.types[0] if fields is None else pyarrow.struct(fields)
    made: Callable[..., Any] = arrow_udf(call, _spark_type(type))
    return made


def map_in_arrow(
    frame: DataFrame, function: str | UUID, *columns: str, plugins: PathLike | PluginDirectory, on_error: OnError = "raise",
    keep: Iterable[str] | None = None,
) -> DataFrame:
    """Returns a frame with the results of a function of plugins as further columns.

    :param frame: the frame.
    :param function: the name or the UUID.
    :param columns: the name of one column for each parameter.
    :param plugins: a directory that all machines have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing row, which fails the job, or make the row ``"null"``.
    :param keep: the names of the frame's columns in the result, by default all.

    One result is a column with the name of the function, and several are columns with the names of the results in `Function.map`.
    The kept columns go to the Python worker and back. With few of them this takes less time than `udf`, for which Spark stores the
    rows until their results arrive. Types, nulls and errors are those of `udf`. Raises `InvalidArgument` for a column that the frame
    does not have, or has already.
    """
    _check_on_error(function, on_error)
    target = Target.find(_plugins(plugins), function)
    task = _Columns(target, on_error)
    kernel = target.kernel()
    _engines.check_arguments(kernel, columns, (), on_error)
    kept = frame.columns if keep is None else list(keep)
    for name in (*columns, *kept):
        if name not in frame.columns:
            remedy = f"pass one of {', '.join(frame.columns)}"
            raise InvalidArgument(f"{name}: is no column of the frame; {remedy}", subject=name, remedy=remedy)
    names = list(kernel.names) if kernel.has_record else [kernel.function.name]
    for name in names:
        if name in kept:
            remedy = "rename it with withColumnRenamed, or do not keep it"
            raise InvalidArgument(f"{name}: is a column of the frame already; {remedy}", subject=name, remedy=remedy)
    count = len(kept)
    sent = list(dict.fromkeys([*kept, *columns]))
    indexes = [sent.index(name) for name in columns]
    frame = frame.select(*(frame[name] for name in sent))
    fields = [sql.StructField(name, _spark_type(type)) for name, type in zip(names, task.types, strict=True)]

    def add_columns(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            results = task([batch.column(index) for index in indexes])
            yield pyarrow.RecordBatch.from_arrays([*batch.columns[:count], *results], [*kept, *names])

    return frame.mapInArrow(add_columns, sql.StructType([*frame.schema.fields[:count], *fields]))


def pipe(
    rdd: RDD[Any], *, tags: str | UUID | Iterable[str | UUID], plugins: PathLike | PluginDirectory, on_error: OnError = "raise"
) -> RDD[Any]:
    """Passes each item of an RDD through the transforms that have all tags, in the order of their registrations.

    :param rdd: an RDD of bytes, each an input of its own, or None.
    :param tags: the tags, or one tag; a tag in the form of a UUID is the UUID of a factory. Call `pipe` again for another order.
    :param plugins: a directory that all machines have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing item, which fails the job, or make the item ``"null"``: None.

    Returns an RDD of bytes with the partitions of the RDD; None stays None. Each item has transforms of its own, so that the result does
    not depend on the partitions. A task holds one item and its output in memory.

    Raises `NotRegistered` if no factory has the tags, and `InvalidSignature` if one makes no transforms. The tasks raise the errors of
    the plugins.
    """
    found = Pipe.find(_plugins(plugins), tags, on_error)

    def run(items: Iterable[Any]) -> Iterator[bytes | None]:
        _unpack(found.plugins)
        return found(items)

    return rdd.mapPartitions(run, preservesPartitioning=True)
