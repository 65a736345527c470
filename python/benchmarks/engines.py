"""Compares functions of plugins in Dask and Spark with the engines' own functions. `make bench-engines` runs it.

The works of a table run in turns, and the medians of several rounds count. Each work computes `hypot` for 10,000,000 rows in memory and
the sum of the results, so that a worker sends one number.

A line with a missed goal names the same ratio of the engine alone: of NumPy's ufunc in Dask, or of a Spark function that returns its first
column. Such a goal has a lower limit. The program fails if a ratio is beyond its limit, which is the goal if there is no other.
"""

from __future__ import annotations

import itertools
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import dask.array
import distributed
import numpy
import pandas
import pyarrow
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import arrow_udf, pandas_udf, udf  # type: ignore[attr-defined,unused-ignore]

import troupe.dask
import troupe.spark

PLUGINS = os.environ["TROUPE_EXAMPLES"]
rows = int(os.environ.get("TROUPE_ROWS", "10_000_000"))

Works = dict[str, Callable[[], object]]


def row_function(x: float, y: float) -> float:
    return math.hypot(x, y)


def of_rows(x: Any, y: Any) -> Any:
    return numpy.array([row_function(*row) for row in zip(x.tolist(), y.tolist(), strict=True)])


class Times:
    """The times of works that run in turns, in seconds."""

    def __init__(self, works: Works, rounds: int, divisor: int = 1) -> None:
        """Runs the works. The order changes with each round, and a first round is not counted."""
        self.values: dict[str, list[float]] = {name: [] for name in works}
        for number in range(rounds + 1):
            for name in list(works)[:: 1 if number % 2 else -1]:
                start = time.perf_counter()
                works[name]()
                if number > 0:
                    self.values[name].append((time.perf_counter() - start) / divisor)

    def ratio(self, left: str, right: str) -> float:
        """Returns the median of the ratios of the rounds."""
        return statistics.median(one / other for one, other in zip(self.values[left], self.values[right], strict=True))

    def show(self, title: str, unit: float = 1e3, name: str = "ms") -> None:
        print(f"{title}, {name}", flush=True)
        for label, values in self.values.items():
            print(f"  {label:<72} {statistics.median(values) * unit:6.0f}", flush=True)


missed: list[str] = []
failures: list[str] = []


def compare(
    label: str, ratio: float, goal: float | None = None, *, limit: float | None = None, engine: tuple[str, float] | None = None,
    at_least: bool = True,
) -> None:
    """Prints a ratio, and compares it with a goal.

    :param limit: the accepted ratio, by default the goal.
    :param engine: the name and the ratio of work that the engine does alone, which bounds the ratio.
    """
    remark = ""
    if goal is not None:
        remark = f"goal: at {'least' if at_least else 'most'} {goal}"
        if not _is_met(ratio, goal, at_least):
            missed.append(label)
            remark += ", missed"
            if engine is not None:
                remark += f"; {engine[0]}: {engine[1]:.2f}"
            limit = goal if limit is None else limit
            remark += f"; limit: {limit}"
            if not _is_met(ratio, limit, at_least):
                failures.append(label)
                remark += ", BEYOND THE LIMIT"
    print(f"  {label:<72} {ratio:6.2f}  {remark}".rstrip(), flush=True)


def _is_met(ratio: float, goal: float, at_least: bool) -> bool:
    return ratio >= goal if at_least else ratio <= goal


# Dask


def bench_dask() -> None:
    jobs, parts = 20, 4
    with ExitStack() as stack:
        works: Works = {}
        single: Works = {}
        tiny: Works = {}
        for count in (1, 2):
            cluster = stack.enter_context(
                distributed.LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0"
                )
            )
            client = stack.enter_context(distributed.Client(cluster, set_as_default=False))  # type: ignore[no-untyped-call]
            # Five columns; the block of a part has the rows of all of them, so that no row moves between the workers.
            columns = client.persist(dask.array.random.default_rng(1).random((5, rows), chunks=(5, rows // parts)))
            client.compute(columns.sum()).result()
            held = {len(keys) for keys in client.has_what().values()}
            assert max(held) <= parts // count + 1, held
            vectors = [client.persist(columns[index]) for index in range(5)]
            client.gather(client.compute([vector.sum() for vector in vectors]))
            pairs = list(itertools.permutations(vectors, 2))
            kinds: dict[str, Callable[[Any, Any], Any]] = {
                "plugin": lambda x, y: troupe.dask.map_blocks("hypot", x, y, plugins=PLUGINS),
                "NumPy's ufunc": dask.array.hypot,
            }
            if count == 2:
                kinds["row function"] = lambda x, y: dask.array.map_blocks(of_rows, x, y, dtype=float)
            for kind, call in kinds.items():
                sums = [call(*pair).sum() for pair in pairs]
                label = f"{kind}, {count} process{'es' if count > 1 else ''}"
                works[label] = lambda client=client, sums=sums: client.gather(client.compute(sums))  # type: ignore[misc]
                single[label] = lambda client=client, sums=sums: client.compute(sums[0]).result()  # type: ignore[misc]
            if count == 1:
                blocks = client.persist(dask.array.ones(20_000, chunks=10))
                client.compute(blocks.sum()).result()
                for kind, array in (
                    ("plugin", troupe.dask.map_blocks("hypot", blocks, blocks, plugins=PLUGINS)),
                    ("NumPy's ufunc", dask.array.map_blocks(numpy.hypot, blocks, blocks, dtype=float)),
                ):
                    tiny[kind] = lambda client=client, array=array: client.compute(array).result()  # type: ignore[misc]
                tasks = blocks.numblocks[0]
        times = Times(works, 7, jobs)
        single.pop("row function, 2 processes")
        latencies = Times(single, 21)
        overheads = Times(tiny, 31, tasks)
    times.show(f"Dask, hypot and sum of {rows:,} rows in {parts} blocks, {jobs} jobs at once, time per job")
    two = "plugin, 2 processes"
    # The scheduler shares the two cores with the workers, so that NumPy's ufunc gains no more from the second process.
    numpy_gain = times.ratio("NumPy's ufunc, 1 process", "NumPy's ufunc, 2 processes")
    gain = times.ratio("plugin, 1 process", two)
    compare("two processes, speed over one process", gain, 1.8, limit=1.5, engine=("NumPy's ufunc", numpy_gain))
    compare("the same of NumPy's ufunc", numpy_gain)
    compare("two processes, speed over a Python row function in two processes", times.ratio("row function, 2 processes", two), 5)
    compare("two processes, speed over NumPy's ufunc in two processes", times.ratio("NumPy's ufunc, 2 processes", two), 0.9)
    compare("one process, speed over NumPy's ufunc in one process", times.ratio("NumPy's ufunc, 1 process", "plugin, 1 process"))
    latencies.show("the same, one job at a time")
    for kind in ("plugin", "NumPy's ufunc"):
        compare(f"{kind}: two processes, speed over one process", latencies.ratio(f"{kind}, 1 process", f"{kind}, 2 processes"))
    overheads.show(f"Dask, {tasks:,} blocks of 10 elements in one process, time per task", 1e6, "µs")
    percent = 100 * (overheads.ratio("plugin", "NumPy's ufunc") - 1)
    compare("overhead per task, in per cent of a task of NumPy's ufunc", percent, 5, at_least=False)


# Spark


def bench_spark(directory: str) -> None:
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false", "spark.driver.memory": "4g", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": directory, "spark.ui.showConsoleProgress": "false",
    }  # fmt: skip
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.range(0, rows, 1, 2).select(F.rand(1).alias("x"), F.rand(2).alias("y")).cache()
    frame.count()

    # Spark passes a batch of 10,000 rows as two Series of pandas, and NumPy computes it in one call.
    @pandas_udf("double")  # type: ignore[call-overload,untyped-decorator,unused-ignore]
    def of_pandas(x: pandas.Series, y: pandas.Series) -> pandas.Series:
        return numpy.hypot(x, y)

    @arrow_udf("double")  # type: ignore[untyped-decorator,unused-ignore]
    def of_arrow(x: pyarrow.Array, y: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(numpy.hypot(x.to_numpy(), y.to_numpy()))

    @arrow_udf("double")  # type: ignore[untyped-decorator,unused-ignore]
    def first(x: pyarrow.Array, y: pyarrow.Array) -> pyarrow.Array:
        return x

    def map_first(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield pyarrow.RecordBatch.from_arrays([batch.column(0)], ["hypot"])

    def map_numpy(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            x, y = (column.to_numpy() for column in batch.columns)
            yield pyarrow.RecordBatch.from_arrays([pyarrow.array(numpy.hypot(x, y))], ["hypot"])

    functions: dict[str, Any] = {
        "troupe.spark.udf": troupe.spark.udf("hypot", plugins=PLUGINS),
        "pandas UDF with numpy.hypot": of_pandas,
        "Arrow UDF with numpy.hypot": of_arrow,
        "Arrow UDF that returns its first column": first,
        "row UDF, pickled": udf(row_function, "double", useArrow=False),
        "row UDF, Arrow": udf(row_function, "double", useArrow=True),
    }

    def total(result: Any) -> None:
        # A new frame each time: Spark keeps the results of the stages of one.
        result.agg(F.sum("hypot")).collect()

    works: Works = {
        name: lambda function=function: total(frame.select(function("x", "y").alias("hypot")))  # type: ignore[misc]
        for name, function in functions.items()
    }
    works["troupe.spark.map_in_arrow(keep=[])"] = lambda: total(
        troupe.spark.map_in_arrow(frame, "hypot", "x", "y", plugins=PLUGINS, keep=[])
    )
    works["mapInArrow with numpy.hypot"] = lambda: total(frame.mapInArrow(map_numpy, "hypot double"))
    works["mapInArrow that returns its first column"] = lambda: total(frame.mapInArrow(map_first, "hypot double"))
    times = Times(works, 7)
    spark.stop()
    times.show(f"Spark local[2], hypot and sum of {rows:,} rows in 2 partitions")
    pickled, pandas_function = "row UDF, pickled", "pandas UDF with numpy.hypot"
    floors = {is_map: f"{'mapInArrow' if is_map else 'Arrow UDF'} that returns its first column" for is_map in (True, False)}
    for name in ("troupe.spark.udf", "troupe.spark.map_in_arrow(keep=[])"):
        is_map = "map" in name
        # `udf` has no goal: Spark stores the rows of a UDF until their results arrive.
        for label, other, goal, limit in (
            ("the pandas UDF", pandas_function, 1.2, None), ("a row UDF, pickled", pickled, 5, 3),
            ("a row UDF, Arrow", "row UDF, Arrow", None, None),
        ):  # fmt: skip
            compare(
                f"{name}, speed over {label}", times.ratio(other, name), goal if is_map else None, limit=limit,
                engine=(floors[is_map], times.ratio(other, floors[is_map])),
            )  # fmt: skip
        other = "mapInArrow with numpy.hypot" if is_map else "Arrow UDF with numpy.hypot"
        compare(f"{name}, speed over {other}", times.ratio(other, name))
    for row in (pickled, pandas_function):
        for floor in floors.values():
            compare(f"{floor}, speed over {row}", times.ratio(row, floor))


def main() -> int:
    wanted = sys.argv[1:] or ["dask", "spark"]
    if "dask" in wanted:
        bench_dask()
    if "spark" in wanted:
        with tempfile.TemporaryDirectory() as directory:
            bench_spark(directory)
    print("missed goals: " + "; ".join(missed) if missed else "all goals are met")
    if failures:
        print("beyond the limit: " + "; ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    sys.exit(main())
