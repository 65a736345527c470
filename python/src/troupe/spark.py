"""Functions and transforms of plugins in Spark.

A function takes columns as Arrow batches, and transforms take the items of an RDD::

    from pyspark.sql import SparkSession
    from troupe.spark import udf

    spark = SparkSession.builder.getOrCreate()
    hypot = udf("hypot", plugins="plugins")
    spark.range(10).select(hypot("id", "id")).show()

``plugins`` is a directory that each machine has under the same path, or a `PluginDirectory`, which ships the files. The driver reads
the types of the results from the signature of the function, without a call. Each Python worker starts one host at its first task, after
Spark has forked the worker, and the host ends with the process. The host has the hashes of the driver's plugins as pins. A missing
plugin is an error with the machine, the id and the expected hash; another content is an error with both hashes.

If a Python worker ends, Spark runs its task again, so a function must depend on its arguments alone. In local mode Spark does that only
if the master allows failures, as ``local[2, 4]`` does.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow
from pyspark import SparkFiles
from pyspark.sql import types as sql
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined,unused-ignore]

from ._engines import arrow, functions, pins
from ._engines.functions import OnError, PluginFunction
from ._engines.hosts import PathLike, Plugins, plugins_of
from ._engines.pipes import Pipe
from .errors import InvalidArgument, Unavailable

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["PluginDirectory", "map_in_arrow", "pipe", "udf"]

# The archives of shipped plugins by their keys. Executors fetch an archive when they start, so it stays until the driver ends.
_archives: dict[str, tempfile.TemporaryDirectory[str]] = {}
_archives_lock = threading.Lock()


class PluginDirectory:
    """The plugins of a directory, for machines that do not have it.

    Pass it as ``plugins``::

        plugins = PluginDirectory(spark, "plugins", isolate=True)
        hypot = udf("hypot", plugins=plugins)

    The constructor adds one file with all plugins that a host can load to the session, with ``SparkContext.addFile``, and with
    ``SparkSession.addArtifacts`` in Spark Connect. Each executor unpacks it once, beside its other files. Tasks carry the SHA-256
    hashes of the plugins, and the hosts refuse a file that was changed afterwards. An adoption file ships without its library,
    unless that is in the same directory; the library of the worker must have the same content. Other libraries that a plugin links
    do not ship.

    :param session: the session whose jobs use the plugins.
    :param directory: the directory of the plugins.
    :param options: the options of `troupe.Host`, such as ``settings`` or ``isolate``, for the driver and all workers.

    Raises `Unreadable` for a directory that cannot be read, and `Unavailable` for one without plugins.
    """

    def __init__(self, session: SparkSession, directory: PathLike, **options: Any) -> None:
        path = os.path.abspath(directory)
        files, pinned = pins.shipped_files(path)
        self.plugins = Plugins.of_files(None, pinned, options)
        self.plugins.process_host.add_shipped(path)
        name = _archive_name(self.plugins.key)
        with _archives_lock:
            if self.plugins.key not in _archives:
                work = tempfile.TemporaryDirectory(prefix="troupe-")
                _write_archive(Path(work.name, name), files)
                _archives[self.plugins.key] = work
            archive = os.path.join(_archives[self.plugins.key].name, name)
        if type(session).__module__.startswith("pyspark.sql.connect"):
            # Equal contents may be added again.
            session.addArtifacts(archive, file=True)
        elif not any(url.rpartition("/")[2] == name for url in session.sparkContext.listFiles):
            # Spark fails all jobs of a session that has two files of one name.
            session.sparkContext.addFile(archive)


def _write_archive(path: Path, files: Mapping[str, bytes]) -> None:
    """Writes an archive with a fixed date, so that equal files are equal archives."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


def _archive_name(key: str) -> str:
    return f"troupe-{key}.zip"


def _unpack(plugins: Plugins) -> None:
    """Unpacks shipped plugins on this machine, unless another process has done it."""
    if plugins.directory is not None or plugins.process_host.shipped:
        return
    archive_path = Path(SparkFiles.get(_archive_name(plugins.key)))
    directory = archive_path.with_suffix("")
    if not directory.exists():
        if not archive_path.exists():
            subject, remedy = f"plugins on {socket.gethostname()}", "create the PluginDirectory with the session of the job"
            raise Unavailable(f"{subject}: {archive_path} is missing; {remedy}", subject=subject, remedy=remedy)
        with zipfile.ZipFile(archive_path) as archive:
            files = {os.path.basename(name): archive.read(name) for name in archive.namelist()}
        work = tempfile.mkdtemp(prefix="troupe-", dir=archive_path.parent)
        pins.write_files(Path(work, "plugins"), files)
        try:
            os.rename(Path(work, "plugins"), directory)
        except OSError:
            # Another process was faster. The hashes of its files are checked, too.
            if not directory.exists():
                raise
        shutil.rmtree(work)
    plugins.process_host.add_shipped(str(directory))


class _Columns:
    """A function of plugins as a function of Arrow arrays."""

    def __init__(self, plugin_function: PluginFunction, on_error: OnError) -> None:
        self.plugin_function = plugin_function
        self.on_error = on_error
        loaded = plugin_function.load_function()
        functions.check_columns(loaded)
        self.types = [_signed(arrow.arrow_type(loaded.function, type)) for type in loaded.types]

    def __call__(self, columns: Sequence[Any]) -> list[Any]:
        _unpack(self.plugin_function.plugins)
        loaded = self.plugin_function.load_function()
        return arrow.arrow_results(loaded, columns, self.on_error, self.types, "spark")


def _signed(type: Any) -> Any:
    """Returns the type of Spark for a result: it has no unsigned integers."""
    if pyarrow.types.is_struct(type):
        return pyarrow.struct([(field.name, _signed(field.type)) for field in type])
    larger = {
        pyarrow.uint8(): pyarrow.int16(), pyarrow.uint16(): pyarrow.int32(), pyarrow.uint32(): pyarrow.int64(),
        pyarrow.uint64(): pyarrow.decimal128(20, 0),
    }  # fmt: skip
    return larger.get(type, type)


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


def udf(function: str | UUID, *, plugins: PathLike | PluginDirectory, on_error: OnError = "raise") -> Callable[..., Any]:
    """Returns a function of plugins as a user-defined function for columns of Spark.

    :param function: the name or the UUID.
    :param plugins: a directory that all machines have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing row, which fails the job, or make the row ``"null"``: one that the
        function refuses, or whose value cannot be passed. All other failures fail the job.

    Call the result with one column for each parameter, or register it for SQL with ``spark.udf.register``. Rows with a null are null,
    and the function is not called for them. A NaN is a number.

    The type is that of the function's result. Spark has no unsigned integers: they become the next larger type, and ``uint64_t`` a
    decimal of 20 digits. A number of a column that the parameter cannot hold exactly is `InvalidData`. A struct is a struct, and
    several results are one with the names of the results in `Function.map`.

    The function gets an Arrow batch in one call of C, without copies of columns that have the types of the parameters. The driver starts
    a host and loads the plugin; it reads all files of the directory once, and again after a change of one.

    Raises the errors of `Host.function`, and `InvalidSignature` for a parameter or result that is no column, such as a buffer. The tasks
    raise the errors of `Function.map`, and those of the plugin: Spark shows them in a ``PythonException``.
    """
    functions.check_on_error(str(function), on_error)
    plugin_function = PluginFunction.with_name(plugins_of(plugins), function)
    columns = _Columns(plugin_function, on_error)
    loaded = plugin_function.load_function()
    names = list(loaded.names) if loaded.has_record else None

    def call(*arrays: pyarrow.Array) -> pyarrow.Array:
        results = columns(arrays)
        return results[0] if names is None else arrow.struct_array(names, results)

    call.__name__ = loaded.function.name
    fields = None if names is None else list(zip(names, columns.types, strict=True))
    type = columns.types[0] if fields is None else pyarrow.struct(fields)
    column_function: Callable[..., Any] = arrow_udf(call, _spark_type(type))
    return column_function


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
    does not have, has already, or keeps twice.
    """
    functions.check_on_error(str(function), on_error)
    plugin_function = PluginFunction.with_name(plugins_of(plugins), function)
    task = _Columns(plugin_function, on_error)
    loaded = plugin_function.load_function()
    functions.check_arguments(loaded, columns, ())
    kept = frame.columns if keep is None else list(keep)
    for name in (*columns, *kept):
        if not isinstance(name, str):
            remedy = "pass the names of columns, and add constants with withColumn"
            raise InvalidArgument(f"columns: expected a name, got {type(name).__name__}; {remedy}", subject="columns", remedy=remedy)
        if name not in frame.columns:
            remedy = f"pass one of {', '.join(frame.columns)}"
            raise InvalidArgument(f"{name}: is no column of the frame; {remedy}", subject=name, remedy=remedy)
    for name, number in Counter(kept).items():
        if number > 1:
            remedy = "name each column once in keep, and rename equal columns of the frame with toDF"
            raise InvalidArgument(f"{name}: is kept {number} times; {remedy}", subject=name, remedy=remedy)
    names = list(loaded.names) if loaded.has_record else [loaded.function.name]
    is_case_sensitive = frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    existing = {name if is_case_sensitive else name.casefold() for name in kept}
    for name in names:
        if (name if is_case_sensitive else name.casefold()) in existing:
            remedy = "rename it with withColumnRenamed, or do not keep it"
            raise InvalidArgument(f"{name}: is a column of the frame already; {remedy}", subject=name, remedy=remedy)
    count = len(kept)
    sent = list(dict.fromkeys([*kept, *columns]))
    indexes = [sent.index(name) for name in columns]
    frame = frame.select(*(frame[_quoted(name)] for name in sent))
    kept_fields = frame.schema.fields[:count]
    fields = [sql.StructField(name, _spark_type(type)) for name, type in zip(names, task.types, strict=True)]

    def add_columns(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            results = task([batch.column(index) for index in indexes])
            yield pyarrow.RecordBatch.from_arrays([*batch.columns[:count], *results], [*kept, *names])

    # mapInArrow looks up the columns by their names without quotes, so they get names without special characters.
    renamed = frame.toDF(*(f"column{index}" for index in range(len(sent))))
    return renamed.mapInArrow(add_columns, sql.StructType([*kept_fields, *fields]))


def _quoted(name: str) -> str:
    """Returns the name of a column for Spark, which reads ``a.b`` as the member of a struct."""
    return f"`{name.replace('`', '``')}`"


def pipe(
    rdd: RDD[Any], *, tags: str | UUID | Iterable[str | UUID], plugins: PathLike | PluginDirectory, on_error: OnError = "raise"
) -> RDD[Any]:
    """Passes each item of an RDD through the transforms that have all tags, in the order of their registrations.

    :param rdd: an RDD of bytes, each an input of its own, or None.
    :param tags: the tags, or one tag; a tag in the form of a UUID is the UUID of a factory. Call `pipe` again for another order.
    :param plugins: a directory that all machines have, or a `PluginDirectory`.
    :param on_error: ``"raise"`` the error of the first failing item, which fails the job, or make an item that a transform refuses
        ``"null"``: None.

    Returns an RDD of bytes with the partitions of the RDD; None stays None. Each item has transforms of its own, so that the result does
    not depend on the partitions. A task holds one item and its output in memory.

    Raises `NotRegistered` if no factory has the tags, `InvalidSignature` if one makes no transforms, and `InvalidArgument` for a frame;
    Spark Connect has no RDDs. The tasks raise the errors of the plugins, and `InvalidData` for an item that is no bytes.
    """
    # A frame has an attribute for any name of a column.
    if not hasattr(type(rdd), "mapPartitions"):
        remedy = "pass frame.rdd.map(lambda row: row[0]) of a session without Spark Connect, which has no RDDs"
        raise InvalidArgument(f"pipe: expected an RDD, got a {type(rdd).__name__}; {remedy}", subject="pipe", remedy=remedy)
    found = Pipe.with_tags(plugins_of(plugins), tags, on_error)

    def run(items: Iterable[Any]) -> Iterator[bytes | None]:
        _unpack(found.plugins)
        return found(items)

    return rdd.mapPartitions(run, preservesPartitioning=True)
