"""Functions and transforms of plugins in Spark."""

import base64
import hashlib
import math
import os
import shutil
import socket
import sys
import time
import uuid
from pathlib import Path

import numpy
import pyarrow
import pytest
from pyspark import SparkFiles, cloudpickle
from pyspark.errors import PythonException
from pyspark.sql import functions as F
from pyspark.sql import types as sql

import troupe
from troupe._engines.functions import PluginFunction
from troupe._engines.hosts import Plugins, process_host
from troupe.spark import PluginDirectory, _unpack, map_in_arrow, pipe, udf

# The workers cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ROOT = uuid.UUID("5a3b1e00-0000-4000-8000-000000000015")


@pytest.fixture(scope="module")
def frame(spark):
    """Numbers with a null, in two partitions."""
    rows = [(float(index), None if index == 2 else 10.0 + index, index) for index in range(6)]
    return spark.createDataFrame(rows, "x double, y double, n int").repartition(2).sortWithinPartitions("n").cache()


def column(frame, expression):
    """Returns the values of an expression, in the order of n."""
    return [row.value for row in sorted(frame.select("n", expression.alias("value")).collect())]


def test_a_function_of_columns_has_the_type_of_its_signature(frame, examples):
    hypot = udf("hypot", plugins=examples)
    assert frame.select(hypot("x", "y")).schema == sql.StructType([sql.StructField("hypot(x, y)", sql.DoubleType())])
    expected = [None if index == 2 else float(numpy.hypot(index, 10.0 + index)) for index in range(6)]
    assert column(frame, hypot("x", "y")) == expected
    assert column(frame, hypot("x", F.lit(3.0)))[4] == 5


def test_types_are_known_without_a_call(spark, fragile, tmp_path):
    plugins = PluginDirectory(spark, fragile, settings={"org.example.fragile": {"marker": str(tmp_path / "marker")}})
    # A call with this number ends the process.
    frame = spark.range(1).select(F.lit(-1.0).alias("x"))
    assert map_in_arrow(frame, "fragile", "x", "x", plugins=plugins).dtypes == [("x", "double"), ("fragile", "double")]
    assert frame.select(udf("fragile", plugins=plugins)("x", "x").alias("f")).dtypes == [("f", "double")]
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "type", "value"),
    [
        ("half", ["5.0f"], sql.FloatType(), 2.5), ("is_odd", ["3"], sql.BooleanType(), True),
        ("add_int8", ["100", "27"], sql.ByteType(), 127), ("add_int64", ["2", "3L"], sql.LongType(), 5),
        ("add_uint64", ["9223372036854775807L", "2"], sql.DecimalType(20, 0), 2**63 + 1), ("shout", ["'abc'"], sql.StringType(), "ABC"),
        ("length", ["'abc'"], sql.DecimalType(20, 0), 3), ("color", ["5"], sql.LongType(), 1),
    ],
)  # fmt: skip
def test_types_of_spark_and_of_c(spark, samples, name, arguments, type, value):
    frame = spark.range(1).select(udf(name, plugins=samples)(*map(F.expr, arguments)).alias("value"))
    assert frame.schema["value"].dataType == type
    assert frame.collect()[0].value == value


def test_functions_have_names_and_uuids(frame, samples):
    for name in ("root", ROOT, str(ROOT)):
        assert column(frame, udf(name, plugins=samples)("n")) == [0, 1, 1, 1, 2, 2]


def test_a_function_can_be_registered_for_sql(spark, examples):
    spark.udf.register("plugin_hypot", udf("hypot", plugins=examples))
    assert spark.sql("select plugin_hypot(3.0d, 4.0d) as value").collect()[0].value == 5


def test_several_results_and_structs_are_structs(spark, frame, samples):
    split = udf("split", plugins=samples)
    result = frame.select("n", split(F.col("x") + 0.5).alias("value"))
    assert result.schema["value"].dataType.simpleString() == "struct<return_:double,whole:int>"
    assert [tuple(row.value) for row in sorted(result.collect())][:2] == [(0.5, 0), (0.5, 1)]
    mirror = udf("mirror", plugins=samples)
    result = frame.where("n = 1").select(mirror(F.struct("x", (F.col("x") + 1).alias("y"))).alias("value"))
    assert result.schema["value"].dataType.simpleString() == "struct<x:double,y:double>"
    assert tuple(result.collect()[0].value) == (2, 1)


def test_results_are_further_columns_of_a_frame(frame, samples, examples):
    result = map_in_arrow(frame, "hypot", "x", "y", plugins=examples)
    assert result.columns == ["x", "y", "n", "hypot"]
    rows = sorted(result.collect(), key=lambda row: row.n)
    assert rows[2].hypot is None and rows[3].hypot == numpy.hypot(3, 13)
    assert map_in_arrow(frame, "split", "x", plugins=samples).columns == ["x", "y", "n", "return_", "whole"]
    kept = map_in_arrow(frame, "hypot", "y", "x", plugins=examples, keep=["n", "x"])
    assert kept.columns == ["n", "x", "hypot"]
    assert sorted(tuple(row) for row in kept.collect()) == [(row.n, row.x, row.hypot) for row in rows]
    renamed = frame.withColumnRenamed("x", "hypot")
    only = map_in_arrow(renamed, "hypot", "hypot", "y", plugins=examples, keep=[]).toDF("value").collect()
    assert {row.value for row in only} == {row.hypot for row in rows}


def test_columns_may_have_any_name(spark, frame, samples):
    names = ["a.b", "a`b", "n"]
    rows = sorted(map_in_arrow(frame.toDF(*names), "area", "a.b", "a`b", plugins=samples).collect(), key=lambda row: row.n)
    assert rows[1].asDict() == {"a.b": 1.0, "a`b": 11.0, "n": 1, "area": 11.0}
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        result = map_in_arrow(frame.withColumnRenamed("n", "Area"), "area", "x", "y", plugins=samples, keep=["Area"])
        assert sorted(result.select("Area", "area").collect())[1] == (1, 11.0)
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_a_failing_row_fails_the_job_or_is_null(frame, samples):
    values = F.col("n") - 1
    with pytest.raises(PythonException, match="ReportedFailure"):
        column(frame, udf("root", plugins=samples)(values))
    assert column(frame, udf("root", plugins=samples, on_error="null")(values)) == [None, 0, 1, 1, 1, 2]
    negative = frame.withColumn("n", values)
    result = map_in_arrow(negative, "root", "n", plugins=samples, on_error="null")
    assert [row.root for row in sorted(result.collect(), key=lambda row: row.n)] == [None, 0, 1, 1, 1, 2]


def test_integers_out_of_range_fail_the_job(spark, samples):
    with pytest.raises(PythonException, match="InvalidData"):
        spark.range(300).select(udf("add_int8", plugins=samples)("id", F.lit(0))).collect()


def test_a_nan_is_a_number_and_decimals_are_exact(spark, samples, examples):
    frame = spark.sql("select double('nan') as x, double('infinity') as y, cast(9007199254740993 as decimal(20, 2)) as d")
    row = frame.select(
        udf("hypot", plugins=examples, on_error="null")("x", "x").alias("nan"), udf("hypot", plugins=examples)("x", "y").alias("infinity"),
        udf("add_int64", plugins=samples)("d", F.lit(0)).alias("decimal"),
    ).collect()[0]  # fmt: skip
    assert math.isnan(row.nan) and row.infinity == math.inf and row.decimal == 2**53 + 1
    fraction = spark.sql("select cast(1.5 as decimal(20, 2)) as d")
    with pytest.raises(PythonException, match="InvalidData"):
        fraction.select(udf("add_int64", plugins=samples)("d", F.lit(0))).collect()
    result = map_in_arrow(frame.union(frame), "add_int8", "d", "d", plugins=samples, on_error="null")
    assert [row.add_int8 for row in result.collect()] == [None, None]


def test_other_types_are_converted_or_refused(spark, samples):
    frame = spark.sql("select 3S as small, true as flag, date'2026-01-01' as day, cast(null as int) as missing")
    area = udf("area", plugins=samples)
    assert frame.select(area("small", "missing").alias("a"), area("small", "small").alias("b")).collect()[0].asDict() == {"a": None, "b": 9}
    assert frame.where("flag = false").select(area("small", "small")).collect() == []
    with pytest.raises(PythonException, match="InvalidData"):
        frame.select(udf("area", plugins=samples, on_error="null")("day", "small")).collect()


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (lambda frame, plugins: udf("missing", plugins=plugins), troupe.NotRegistered, "notRegistered"),
        (lambda frame, plugins: udf(3, plugins=plugins), troupe.Usage, "usage"),
        (lambda frame, plugins: udf("sum", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda frame, plugins: udf("apply", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda frame, plugins: udf("store_new", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda frame, plugins: udf("store_count", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda frame, plugins: udf("conjugate", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda frame, plugins: udf("area", plugins=plugins, on_error="skip"), troupe.InvalidArgument, "invalidArgument"),
        (lambda frame, plugins: udf("area", plugins=plugins / "other"), troupe.Unreadable, "unreadable"),
        (lambda frame, plugins: map_in_arrow(frame, "area", "x", plugins=plugins), troupe.Usage, "usage"),
        (lambda frame, plugins: map_in_arrow(frame, "area", "x", "z", plugins=plugins), troupe.InvalidArgument, "invalidArgument"),
        (
            lambda frame, plugins: map_in_arrow(frame, "area", "x", "y", plugins=plugins, keep=["x", "x"]),
            troupe.InvalidArgument, "invalidArgument",
        ),
        (
            lambda frame, plugins: map_in_arrow(frame.withColumnRenamed("n", "Area"), "area", "x", "y", plugins=plugins),
            troupe.InvalidArgument, "invalidArgument",
        ),
        (
            lambda frame, plugins: map_in_arrow(frame, "area", "x", "y", plugins=plugins, keep=["z"]),
            troupe.InvalidArgument, "invalidArgument",
        ),
        (
            lambda frame, plugins: map_in_arrow(frame.withColumnRenamed("y", "area"), "area", "x", "n", plugins=plugins),
            troupe.InvalidArgument, "invalidArgument",
        ),
    ],
)  # fmt: skip
def test_wrong_arguments_are_errors_of_the_driver(frame, samples, call, kind, code):
    with pytest.raises(kind) as caught:
        call(frame, samples)
    error = caught.value
    assert (error.code, bool(error.subject), bool(error.remedy)) == (code, True, True)
    assert str(error).startswith(error.subject) and str(error).endswith(error.remedy)


def test_items_go_through_the_transforms_with_the_tags(spark, examples):
    items = [b"a", b"bcd", b"", None, bytes(range(256))]
    encoded = pipe(spark.sparkContext.parallelize(items, 2), tags=["base64", "base64-encode"], plugins=examples)
    expected = [None if item is None else base64.b64encode(item) for item in items]
    assert [item and item.replace(b"\n", b"") for item in encoded.collect()] == expected
    assert pipe(encoded, tags="base64-decode", plugins=examples).collect() == items


def test_a_failing_item_fails_the_job_or_is_none(spark, examples):
    rdd = spark.sparkContext.parallelize([b"ZmlsZXM=", b"!", b"ZmlsZXM="], 1)
    with pytest.raises(PythonException):
        pipe(rdd, tags="base64-decode", plugins=examples).collect()
    assert pipe(rdd, tags="base64-decode", plugins=examples, on_error="null").collect() == [b"files", None, b"files"]
    with pytest.raises(troupe.NotRegistered):
        pipe(rdd, tags="no-such-tag", plugins=examples)


def test_items_of_another_type_fail_the_job(spark, examples):
    with pytest.raises(PythonException, match="InvalidData.*str"):
        pipe(spark.sparkContext.parallelize(["a"], 1), tags="base64-decode", plugins=examples, on_error="null").collect()


def test_a_worker_that_dies_is_no_null(spark, mortal):
    plugins = PluginDirectory(spark, mortal, isolate=True)
    frame = spark.sql("select -1d as x")
    with pytest.raises(PythonException, match="Crashed|Unavailable"):
        frame.select(udf("survive", plugins=plugins, on_error="null")("x")).collect()


def processes(frame, key):
    """Returns of each task the process, the number of hosts that it started for a key, and whether its parent, the daemon that
    forks, has loaded the library."""

    def state(batches):
        for _ in batches:
            pass
        parent = Path(f"/proc/{os.getppid()}")
        columns = {
            "process": os.getpid(), "starts": process_host(key).start_count,
            "is_daemon": b"pyspark.daemon" in (parent / "cmdline").read_bytes(),
            "has_library": b"libTroupe" in (parent / "maps").read_bytes(),
        }  # fmt: skip
        yield pyarrow.RecordBatch.from_pylist([columns])

    return frame.mapInArrow(state, "process long, starts long, is_daemon boolean, has_library boolean").collect()


def test_the_host_starts_after_the_fork_and_once_for_each_process(frame, samples):
    column(frame, udf("area", plugins=samples)("x", "y"))
    column(frame, udf("root", plugins=samples)("n"))
    found = processes(frame, Plugins.in_directory(samples).key)
    assert {row.starts for row in found} | {0} == {0, 1} and os.getpid() not in {row.process for row in found}
    assert all(row.is_daemon and not row.has_library for row in found)


def test_shipped_plugins_need_no_directory_of_the_machines(spark, frame, changeable):
    plugins = PluginDirectory(spark, changeable)
    area = udf("area", plugins=plugins)
    shutil.rmtree(changeable)
    assert column(frame, area("x", F.lit(2.0))) == [0, 2, 4, 6, 8, 10]
    other = PluginDirectory.__new__(PluginDirectory)
    other.plugins = Plugins(None, plugins.plugins.pins, plugins.plugins.options, "another key")
    unknown = PluginFunction(other.plugins, "area", "org.example.samples")
    with pytest.raises(PythonException, match=f"plugins on {socket.gethostname()}"):
        spark.sparkContext.parallelize([0], 1).map(lambda item: (_unpack(unknown.plugins), item)).collect()


def test_a_directory_can_be_shipped_twice(spark, frame, changeable):
    for _ in range(2):
        plugins = PluginDirectory(spark, changeable, settings={"org.example.samples": {"shipped": "twice"}})
        # Archives have the time of their files in steps of two seconds.
        time.sleep(2.1)
        assert column(frame, udf("area", plugins=plugins)("x", F.lit(2.0))) == [0, 2, 4, 6, 8, 10]


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def replace(path):
    """Replaces a file by one that a host can load as well, and returns the hash. The loader ignores bytes behind the end."""
    content = Path(path).read_bytes() + b"x"
    os.unlink(path)
    Path(path).write_bytes(content)
    os.chmod(path, 0o700)
    return hashlib.sha256(content).hexdigest()


def test_another_content_on_a_machine_is_an_error_with_both_hashes(frame, changeable):
    area = udf("area", plugins=changeable)
    expected = digest(changeable / "samples.so")
    found = replace(changeable / "samples.so")
    with pytest.raises(PythonException) as caught:
        column(frame, area("x", "y"))
    text = str(caught.value)
    assert f"org.example.samples on {socket.gethostname()}" in text and expected in text and found in text


def test_a_missing_plugin_on_a_machine_is_an_error_with_its_hash(frame, changeable):
    area = udf("area", plugins=changeable)
    expected = digest(changeable / "samples.so")
    (changeable / "samples.so").unlink()
    with pytest.raises(PythonException) as caught:
        column(frame, area("x", "y"))
    assert f"org.example.samples on {socket.gethostname()}" in str(caught.value) and expected in str(caught.value)


def test_a_file_that_is_swapped_after_shipping_is_refused(spark, frame, changeable):
    plugins = PluginDirectory(spark, changeable, settings={"org.example.samples": {"to be": "swapped"}})
    area = udf("area", plugins=plugins)
    key = plugins.plugins.key

    def swap(items):
        # The first process of the machine unpacks, and all others find its directory.
        directory = Path(SparkFiles.getRootDirectory(), f"troupe-{key}")
        _unpack(plugins.plugins)
        yield replace(directory / "samples.so")

    (found,) = spark.sparkContext.parallelize([0], 1).mapPartitions(swap).collect()
    with pytest.raises(PythonException) as caught:
        column(frame, area("x", "y"))
    text = str(caught.value)
    assert digest(changeable / "samples.so") in text and found in text


def test_a_killed_python_worker_is_replaced_and_the_result_is_the_same(spark, fragile, tmp_path):
    random = numpy.random.default_rng(1)
    x, y = random.random(40_000), random.random(40_000)
    x[25_500] = -1
    rows = list(zip(range(len(x)), x.tolist(), y.tolist(), strict=True))
    table = spark.createDataFrame(rows, "i long, x double, y double")
    table = table.repartitionByRange(4, "i").sortWithinPartitions("i").cache()

    def result(plugins):
        rows = table.select("i", udf("fragile", plugins=plugins)("x", "y").alias("value")).toArrow().sort_by("i")
        return rows["value"].combine_chunks().to_numpy().tobytes()

    undisturbed = result(fragile)
    assert undisturbed == numpy.hypot(x, y).tobytes()
    marker = tmp_path / "marker"
    plugins = PluginDirectory(spark, fragile, settings={"org.example.fragile": {"marker": str(marker)}})
    assert result(plugins) == undisturbed
    # The daemon may not have collected the process that was killed.
    status = Path("/proc", marker.read_text(), "status")
    assert not status.exists() or "State:\tZ" in status.read_text()
