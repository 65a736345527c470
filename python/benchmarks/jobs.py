"""Runs whole jobs with functions of plugins beside the engines' own ways, from files on disk to checked results. `make bench-engines`
runs it.

| job | input | steps |
|---|---|---|
| frame | Parquet files with nulls | read, `hypot` of two columns, count and sum of 100 groups |
| texts | text files | read, encode in base64, checksum |
| killed | as for frame | the same, while a worker process is killed at its first batch |

The ways of an engine run in turns, and the medians count. All ways of a job have the same result, whatever the engine. Nothing is cached
but the files, by the kernel.
"""

from __future__ import annotations

import argparse
import base64
import logging
import math
import os
import signal
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dask.bag
import dask.dataframe
import distributed
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf  # type: ignore[attr-defined,unused-ignore]

import troupe.dask
import troupe.duckdb
import troupe.polars
import troupe.spark

PLUGINS = os.environ["TROUPE_EXAMPLES"]
PARTS = 4

Groups = dict[int, tuple[int, float]]
"""The count and the sum of each group."""


def write_frames(directory: Path, rows: int) -> None:
    """Writes files with the columns `kind`, `x` and `y`; one of 20 numbers is null."""
    random = numpy.random.default_rng(1)
    for part in range(PARTS):
        count = rows // PARTS
        columns: dict[str, Any] = {"kind": pyarrow.array(random.integers(0, 100, count, "i4"))}
        for name in ("x", "y"):
            columns[name] = pyarrow.array(random.random(count), mask=random.random(count) < 0.05)
        pyarrow.parquet.write_table(pyarrow.table(columns), directory / f"{part}.parquet", row_group_size=1 << 17)


def write_texts(directory: Path, files: int, size: int) -> None:
    words = numpy.random.default_rng(2).choice([b"plugin ", b"host ", b"worker ", b"transform\n"], size // 4)
    text = b"".join(words.tolist())
    for number in range(files):
        (directory / f"{number}.txt").write_bytes((b"%d\n" % number + text)[:size])


def kill_once(marker: str) -> None:
    """Kills this process, unless one has been killed before."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def groups_of(rows: Iterable[tuple[Any, Any, Any]]) -> Groups:
    return {int(kind): (int(count), float(total)) for kind, count, total in rows}


def are_equal(left: Any, right: Any) -> bool:
    """Compares results. Sums depend on the order of the rows by some rounding."""
    if not isinstance(left, dict):
        return bool(left == right)
    return left.keys() == right.keys() and all(
        left[key][0] == right[key][0] and math.isclose(left[key][1], right[key][1], rel_tol=1e-9) for key in left
    )


class Table:
    """The jobs that ran, with their results: all ways of a job must agree, also those of different engines."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.results: dict[str, Any] = {}
        print(f"{'job':<8}{'engine':<8}{'way':<44}{'s':>7}{'own way / plugin':>18}", flush=True)

    def run(
        self, job: str, engine: str, ways: dict[str, Callable[[], Any]], expected: str | None = None,
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        """Runs the ways of a job; the first one is that of the plugin.

        :param expected: the job with the same result.
        :param prepare: runs before each way, and its time does not count.
        """
        times: dict[str, list[float]] = {way: [] for way in ways}
        # The first round starts hosts and the processes of the engine. It counts if it is the only one.
        for number in range(self.rounds + 1):
            for way in list(ways)[:: 1 if number % 2 else -1]:
                prepare()
                start = time.perf_counter()
                result = ways[way]()
                elapsed = time.perf_counter() - start
                if not are_equal(self.results.setdefault(expected or job, result), result):
                    raise SystemExit(f"{job}, {engine}, {way}: the result is {result}, and {self.results[expected or job]} is expected")
                if number > 0 or self.rounds == 0:
                    times[way].append(elapsed)
        plugin = times[next(iter(ways))]
        for way, values in times.items():
            ratio = statistics.median(one / other for one, other in zip(values, plugin, strict=True))
            print(f"{job:<8}{engine:<8}{way:<44}{statistics.median(values):7.2f}{ratio:18.2f}", flush=True)


# Dask


def of_numpy(frame: pandas.DataFrame) -> pandas.Series:
    x, y = (frame[name].to_numpy(float, na_value=numpy.nan) for name in ("x", "y"))
    return pandas.Series(numpy.hypot(x, y), frame.index)


def killing(frame: pandas.DataFrame, marker: str) -> pandas.DataFrame:
    # Dask calls it without rows for the types.
    if len(frame) and marker:
        kill_once(marker)
    return frame


def run_dask(table: Table, frames: Path, texts: Path, markers: Callable[[], str]) -> None:
    def groups(with_plugin: bool, marker: str = "") -> Groups:
        frame = dask.dataframe.read_parquet(str(frames), dtype_backend="pyarrow")
        if marker:
            frame = frame.map_partitions(killing, marker, meta=frame._meta)
        if with_plugin:
            length = troupe.dask.map_partitions("hypot", frame.x, frame.y, plugins=PLUGINS)
        else:
            length = frame.map_partitions(of_numpy, meta=(None, "f8"))
        result = frame.assign(length=length).groupby("kind").length.agg(["count", "sum"]).compute()
        return groups_of(result.itertuples())

    def checksum(with_plugin: bool) -> int:
        bag = dask.bag.from_sequence(sorted(texts.iterdir()), npartitions=PARTS).map(Path.read_bytes)
        encoded = troupe.dask.pipe(bag, tags="base64-encode", plugins=PLUGINS) if with_plugin else bag.map(base64.encodebytes)
        return int(encoded.map(zlib.crc32).sum().compute())

    with ExitStack() as stack:

        def start_cluster() -> None:
            """Replaces the cluster: one that loses many workers in a row does not always get new ones."""
            stack.close()
            # Silent about the workers that are killed.
            cluster = distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
            )
            stack.enter_context(cluster)
            stack.enter_context(distributed.Client(cluster))  # type: ignore[no-untyped-call]

        start_cluster()
        table.run("frame", "Dask", {"plugin": lambda: groups(True), "map_partitions of numpy.hypot": lambda: groups(False)})
        table.run("texts", "Dask", {"plugin": lambda: checksum(True), "map of base64.encodebytes": lambda: checksum(False)})
        killed = {
            "plugin": lambda: groups(True, markers()), "map_partitions of numpy.hypot": lambda: groups(False, markers()),
        }  # fmt: skip
        table.run("killed", "Dask", killed, "frame", start_cluster)


# Spark


def run_spark(table: Table, frames: Path, texts: Path, markers: Callable[[], str], directory: str) -> None:
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false", "spark.driver.memory": "4g", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": directory, "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": PARTS,
    }  # fmt: skip
    # A task may fail three times before its job does.
    spark = SparkSession.builder.master("local[2,4]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    plugin_function = troupe.spark.udf("hypot", plugins=PLUGINS)

    @pandas_udf("double")  # type: ignore[call-overload,untyped-decorator,unused-ignore]
    def of_pandas(x: pandas.Series, y: pandas.Series) -> pandas.Series:
        return numpy.hypot(x, y)

    def frame(marker: str = "") -> DataFrame:
        read = spark.read.parquet(str(frames))

        def kill(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
            for batch in batches:
                kill_once(marker)
                yield batch

        return read.mapInArrow(kill, read.schema) if marker else read

    def groups(lengths: DataFrame) -> Groups:
        # The pandas UDF returns NaN for a null.
        counted = lengths.withColumn("length", F.nanvl("length", F.lit(None)))
        return groups_of(counted.groupBy("kind").agg(F.count("length"), F.sum("length")).collect())

    def of_function(function: Any, marker: str = "") -> Groups:
        return groups(frame(marker).withColumn("length", function("x", "y")))

    def of_map(marker: str = "") -> Groups:
        mapped = troupe.spark.map_in_arrow(frame(marker), "hypot", "x", "y", plugins=PLUGINS, keep=["kind"])
        return groups(mapped.withColumnRenamed("hypot", "length"))

    def checksum(with_plugin: bool) -> int:
        # Python reads the files, as in Dask: binaryFiles takes some 50 ms for each.
        items = spark.sparkContext.parallelize(sorted(texts.iterdir()), PARTS).map(Path.read_bytes)
        encoded = troupe.spark.pipe(items, tags="base64-encode", plugins=PLUGINS) if with_plugin else items.map(base64.encodebytes)
        return int(encoded.map(zlib.crc32).sum())

    ways: dict[str, Callable[[], Any]] = {
        "plugin, udf": lambda: of_function(plugin_function), "plugin, map_in_arrow": of_map,
        "pandas UDF of numpy.hypot": lambda: of_function(of_pandas), "Spark's own hypot": lambda: of_function(F.hypot),
    }  # fmt: skip
    table.run("frame", "Spark", ways)
    table.run("texts", "Spark", {"plugin": lambda: checksum(True), "map of base64.encodebytes": lambda: checksum(False)})
    killed: dict[str, Callable[[], Any]] = {
        "plugin, udf": lambda: of_function(plugin_function, markers()), "plugin, map_in_arrow": lambda: of_map(markers()),
        "pandas UDF of numpy.hypot": lambda: of_function(of_pandas, markers()),
    }  # fmt: skip
    table.run("killed", "Spark", killed, "frame")
    spark.stop()


# Polars and DuckDB


def run_polars(table: Table, frames: Path) -> None:
    def of_numpy(columns: Sequence[Any]) -> Any:
        # Polars calls NumPy with the memory of the columns, and keeps their nulls.
        return numpy.hypot(columns[0], columns[1])

    def groups(length: polars.Expr) -> Groups:
        frame = polars.scan_parquet(frames / "*.parquet").with_columns(length=length)
        totals = frame.group_by("kind").agg(polars.col("length").count(), polars.col("length").sum().alias("sum"))
        return groups_of(totals.collect().iter_rows())

    x, y = polars.col("x"), polars.col("y")
    ways = {
        "plugin": lambda: groups(x.troupe.call("hypot", y, plugins=PLUGINS)),  # type: ignore[attr-defined]
        "map_batches of numpy.hypot": lambda: groups(polars.map_batches([x, y], of_numpy, return_dtype=polars.Float64)),
        "expressions": lambda: groups((x * x + y * y).sqrt()),
    }
    table.run("frame", "Polars", ways)


def run_duckdb(table: Table, frames: Path) -> None:
    with duckdb.connect() as connection:
        troupe.duckdb.register(connection, "hypot", plugins=PLUGINS)

        def of_numpy(x: pyarrow.ChunkedArray, y: pyarrow.ChunkedArray) -> pyarrow.Array:
            # Arrow makes NaN of nulls for NumPy.
            return pyarrow.array(numpy.hypot(x.to_numpy(), y.to_numpy()), from_pandas=True)

        # The stubs of DuckDB lack the names of its enumerations.
        connection.create_function(  # type: ignore[call-overload,unused-ignore]
            "of_numpy", of_numpy, ["DOUBLE", "DOUBLE"], "DOUBLE", type="arrow"
        )

        def groups(length: str) -> Groups:
            lengths = f"SELECT kind, {length} AS length FROM '{frames}/*.parquet'"
            return groups_of(connection.sql(f"SELECT kind, count(length), sum(length) FROM ({lengths}) GROUP BY kind").fetchall())

        ways = {
            "plugin": lambda: groups("hypot(x, y)"), "Arrow function of numpy.hypot": lambda: groups("of_numpy(x, y)"),
            "expressions": lambda: groups("sqrt(x * x + y * y)"),
        }  # fmt: skip
        table.run("frame", "DuckDB", ways)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows of the frame")
    parser.add_argument("--files", type=int, default=400, help="text files")
    parser.add_argument("--size", type=int, default=1 << 18, help="bytes of a text file")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds of each way behind one that is not, or 0 for that alone")
    parser.add_argument("engines", nargs="*", default=["dask", "spark", "polars", "duckdb"], help="engines, by default all")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        directories = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(4)]
        frames, texts, marks, warehouse = directories
        write_frames(frames, arguments.rows)
        write_texts(texts, arguments.files, arguments.size)
        megabytes = sum(path.stat().st_size for path in frames.iterdir()) / 1e6
        print(f"{arguments.rows:,} rows in {megabytes:.0f} MB of Parquet; {arguments.files} texts of {arguments.size:,} bytes")

        def markers() -> str:
            """Returns a file that does not exist, for one kill."""
            return str(marks / str(time.perf_counter_ns()))

        table = Table(arguments.rounds)
        if "dask" in arguments.engines:
            run_dask(table, frames, texts, markers)
        if "spark" in arguments.engines:
            run_spark(table, frames, texts, markers, str(warehouse))
        if "polars" in arguments.engines:
            run_polars(table, frames)
        if "duckdb" in arguments.engines:
            run_duckdb(table, frames)
        killed = len(list(marks.iterdir()))
    print(f"all results are equal; {killed} processes were killed")


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    main()
