"""Functions and transforms of plugins in Dask."""

import base64
import decimal
import hashlib
import os
import pickle
import shutil
import socket
import threading
import time
import uuid
import warnings
from pathlib import Path

import dask
import dask.array
import dask.bag
import dask.dataframe
import numpy
import pandas
import pyarrow
import pytest
from distributed import Client, LocalCluster

import troupe
from troupe._engines import functions, pins
from troupe._engines.functions import PluginFunction
from troupe._engines.hosts import Plugins, process_host
from troupe._engines.pipes import Pipe
from troupe.dask import PluginDirectory, map_blocks, map_partitions, pipe

ROOT = uuid.UUID("5a3b1e00-0000-4000-8000-000000000015")


@pytest.fixture(scope="module")
def cluster(user_directories):
    """A client of two worker processes."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(autouse=True)
def threads(request):
    """The scheduler of tests without a cluster."""
    with dask.config.set(scheduler=None if "cluster" in request.fixturenames else "threads"):
        yield


def numbers(*shape, seed=1):
    return numpy.random.default_rng(seed).random(shape)


# Arrays

def test_arrays_without_dimensions_are_mapped(examples, segments):
    three, four = (dask.array.from_array(numpy.array(value)) for value in (3.0, 4.0))
    assert map_blocks("hypotenuse", three, four, plugins=examples).compute() == 5
    assert map_blocks("compass", three, plugins=examples).compute() == "north"



def test_blocks_are_mapped_and_equal_one_call(examples):
    x, y = numbers(40, 30), numbers(40, 30, seed=2)
    result = map_blocks("hypot", dask.array.from_array(x, (7, 11)), dask.array.from_array(y, (20, 30)), plugins=examples)
    assert (result.compute() == numpy.hypot(x, y)).all()


def test_type_and_chunks_are_known_without_a_call(fragile, tmp_path):
    plugins = PluginDirectory(fragile, settings={"org.example.fragile": {"marker": str(tmp_path / "marker")}})
    # A call with this element ends the process.
    result = map_blocks("fragile", dask.array.full((10, 4), -1.0, chunks=(5, 2)), dask.array.ones(4, chunks=4), plugins=plugins)
    assert (result.dtype, result.shape, result.chunks) == (numpy.float64, (10, 4), ((5, 5), (2, 2)))
    assert type(result._meta) is numpy.ndarray and result._meta.shape == (0, 0)
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    ("name", "value", "dtype"),
    [("half", "f4", "f4"), ("is_odd", "i4", "?"), ("root", "i4", "i4"), ("shout", "U3", object), ("conjugate", "c16", "c16")],
)
def test_the_type_is_that_of_the_signature(samples, name, value, dtype):
    result = map_blocks(name, dask.array.from_array(numpy.array([1, 4, 9]).astype(value), 2), plugins=samples)
    assert result.dtype == dtype and result.compute().dtype == dtype


def test_functions_have_names_and_uuids(samples):
    x = dask.array.arange(9, dtype="i4", chunks=4)
    for name in ("root", ROOT, str(ROOT), str(ROOT).upper()):
        assert map_blocks(name, x, plugins=samples).compute().tolist() == [0, 1, 1, 1, 2, 2, 2, 2, 2]


def test_arrays_and_single_values_are_broadcast(examples):
    x, y = numbers(6, 4), numbers(4)
    blocks, row = dask.array.from_array(x, (2, 3)), dask.array.from_array(y, 2)
    for arguments, expected in (
        ((blocks, row), numpy.hypot(x, y)), ((row, blocks), numpy.hypot(y, x)), ((blocks, 2), numpy.hypot(x, 2)),
        ((2.5, blocks), numpy.hypot(2.5, x)), ((blocks, y), numpy.hypot(x, y)), ((blocks, list(y)), numpy.hypot(x, y)),
        ((blocks, blocks[:, :1]), numpy.hypot(x, x[:, :1])), ((blocks[0, 0], row), numpy.hypot(x[0, 0], y)),
        ((blocks[0, 0], numpy.float64(3)), numpy.hypot(x[0, 0], 3)),
        ((blocks.astype("f4"), 1), numpy.hypot(x.astype("f4").astype(float), 1)),
        ((x, blocks), numpy.hypot(x, x)), ((blocks, float("nan")), numpy.hypot(x, numpy.nan)),
    ):  # fmt: skip
        result = map_blocks("hypot", *arguments, plugins=examples)
        assert result.shape == numpy.shape(expected)
        numpy.testing.assert_array_equal(result.compute(), expected)


def test_a_number_that_a_float_cannot_hold_is_refused_without_a_warning(directory_of):
    plugins = directory_of("engines/plugins/same.c")
    x = dask.array.ones(2, chunks=1, dtype="f4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in (1e300, -1e300, 2**127 * 2):
            with pytest.raises(troupe.InvalidData):
                map_blocks("add_float", x, number, plugins=plugins).compute()
        assert map_blocks("add_float", x, numpy.inf, plugins=plugins).compute().tolist() == [numpy.inf] * 2


def test_masked_elements_stay_masked(examples):
    x = numpy.ma.MaskedArray(numbers(10), numpy.arange(10) % 3 == 0)
    result = map_blocks("hypot", dask.array.from_array(x, 4), 1, plugins=examples)
    assert isinstance(result._meta, numpy.ma.MaskedArray)
    computed = result.compute()
    assert (computed.mask == x.mask).all() and (computed.compressed() == numpy.hypot(x.compressed(), 1)).all()


def test_a_failing_element_raises_or_is_masked(samples):
    x = dask.array.from_array(numpy.array([4, -1, 9], "i4"), 2)
    with pytest.raises(troupe.ReportedFailure):
        map_blocks("root", x, plugins=samples).compute()
    result = map_blocks("root", x, plugins=samples, on_error="null")
    assert isinstance(result._meta, numpy.ma.MaskedArray)
    assert result.compute().tolist() == [2, None, 3]
    assert isinstance(result[2:].compute(), numpy.ma.MaskedArray)


def test_several_results_are_a_structured_array(samples):
    result = map_blocks("split", dask.array.from_array(numpy.array([[1.5], [2.25]]), 1), plugins=samples)
    assert result.dtype == numpy.dtype([("return_", "f8"), ("whole", "i4")])
    assert result.compute().tolist() == [[(0.5, 1)], [(0.25, 2)]]
    assert result["whole"].compute().tolist() == [[1], [2]]
    masked = dask.array.from_array(numpy.ma.MaskedArray([1.5, 2.25], [False, True]), 1)
    assert map_blocks("split", masked, plugins=samples).compute().tolist() == [(0.5, 1), (None, None)]


def test_structs_are_structured_arrays(samples):
    points = numpy.array([(1, 2), (3, 4)], [("x", "f8"), ("y", "f8")])
    result = map_blocks("mirror", dask.array.from_array(points, 1), plugins=samples)
    assert result.dtype.names == ("x", "y") and result.compute().tolist() == [(2, 1), (4, 3)]


def test_a_buffer_is_the_same_for_all_elements(samples):
    result = map_blocks("scaled", dask.array.from_array(numpy.array([1.0, 2.0]), 1), numpy.array([1.0, 2.0]), plugins=samples)
    assert result.compute().tolist() == [3, 6]


def test_equal_calls_have_equal_keys(examples):
    x = dask.array.ones(4, chunks=2)
    name = map_blocks("hypot", x, 1, plugins=examples).name
    assert name == map_blocks("hypot", x, 1, plugins=examples).name
    assert name != map_blocks("hypot", x, 2, plugins=examples).name
    assert name != map_blocks("hypot", x, 1, plugins=examples, on_error="null").name
    assert name != map_blocks("hypotenuse", x, 1, plugins=examples).name


def test_threads_call_a_function_at_once(meeting):
    # Each call waits in C until both run. A call that held the GIL would return False.
    x = dask.array.full(2, 2, dtype="i4", chunks=1)
    with dask.config.set(num_workers=2):
        assert map_blocks("meet", x, plugins=meeting).compute().tolist() == [True, True]


def test_threads_call_a_function_that_is_not_thread_safe_one_after_the_other(racy):
    x = dask.array.arange(40_000, chunks=2_500, dtype=float)
    with dask.config.set(num_workers=4):
        assert (map_blocks("racy", x, plugins=racy).compute() == numpy.arange(40_000)).all()
        assert (map_partitions("racy", x.to_dask_dataframe(), plugins=racy, on_error="null").compute() == numpy.arange(40_000)).all()


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (lambda x, plugins: map_blocks("missing", x, plugins=plugins), troupe.NotRegistered, "notRegistered"),
        (lambda x, plugins: map_blocks(3, x, plugins=plugins), troupe.Usage, "usage"),
        (lambda x, plugins: map_blocks("area", x, plugins=plugins), troupe.Usage, "usage"),
        (lambda x, plugins: map_blocks("area", 1, 2, plugins=plugins), troupe.Usage, "usage"),
        (lambda x, plugins: map_blocks("area", x, x[:2], plugins=plugins), troupe.InvalidData, "invalidData"),
        (lambda x, plugins: map_blocks("area", x, x * 1j, plugins=plugins), troupe.InvalidData, "invalidData"),
        (lambda x, plugins: map_blocks("area", x, x, plugins=plugins, on_error="skip"), troupe.InvalidArgument, "invalidArgument"),
        (lambda x, plugins: map_blocks("area", x, x, plugins=plugins / "other"), troupe.Unreadable, "unreadable"),
        (lambda x, plugins: map_blocks("sum", x, plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda x, plugins: map_blocks("negate", x, plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda x, plugins: map_blocks("multiples", x, plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda x, plugins: map_blocks("store_new", x, plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda x, plugins: map_blocks("apply", x, x, plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda x, plugins: PluginDirectory(plugins, pins="pins"), troupe.InvalidArgument, "invalidArgument"),
        (lambda x, plugins: PluginDirectory(plugins, log=lambda *line: None), troupe.InvalidArgument, "invalidArgument"),
        (lambda x, plugins: PluginDirectory(Path(__file__).parent), troupe.Unavailable, "unavailable"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_errors_of_the_client(samples, call, kind, code):
    with pytest.raises(kind) as caught:
        call(dask.array.arange(3, dtype=float, chunks=2), samples)
    error = caught.value
    assert (error.code, bool(error.subject), bool(error.remedy)) == (code, True, True)
    assert str(error).startswith(error.subject) and str(error).endswith(error.remedy)


# Frames


@pytest.fixture
def frame():
    table = pandas.DataFrame({"x": numbers(20), "y": numbers(20, seed=2), "n": numpy.arange(20, dtype="i4")}, index=range(100, 120))
    return dask.dataframe.from_pandas(table, npartitions=3)


def test_series_are_mapped_with_their_index(examples, frame):
    result = map_partitions("hypot", frame.x, frame.y, plugins=examples)
    assert (result.dtype, result.name, result.divisions) == (numpy.float64, "hypot", frame.divisions)
    table = frame.compute()
    pandas.testing.assert_series_equal(result.compute(), numpy.hypot(table.x, table.y).rename("hypot"))
    pandas.testing.assert_series_equal(map_partitions("hypot", frame[["x", "y"]], plugins=examples).compute(), result.compute())


def test_single_values_may_come_first(examples, frame):
    table = frame.compute()
    for arguments, expected in (((2.5, frame.y), numpy.hypot(2.5, table.y)), ((frame.y, 2.5), numpy.hypot(table.y, 2.5))):
        assert (map_partitions("hypot", *arguments, plugins=examples).compute() == expected).all()
    result = map_partitions("fma", 2.0, frame.x, frame.y, plugins=examples).compute()
    assert numpy.allclose(result, 2 * table.x + table.y)


def test_several_results_and_structs_are_frames(samples, examples, frame):
    result = map_partitions("split", frame.x * 10, plugins=samples)
    assert dict(result.dtypes) == {"return_": numpy.float64, "whole": numpy.int32}
    assert numpy.allclose(result.return_.compute() + result.whole.compute(), frame.x.compute() * 10)
    result = map_partitions("div", frame.n, 3, plugins=examples)
    assert dict(result.dtypes) == {"quot": numpy.int32, "rem": numpy.int32}
    assert result.rem.compute().tolist() == [number % 3 for number in range(20)]


@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_structs_in_structs_are_columns_with_the_path_of_the_member(segments, frame, on_error):
    x = frame.x.compute()
    result = map_partitions("segment", frame.x, plugins=segments, on_error=on_error)
    assert list(result.columns) == ["a.x", "a.y", "b.x", "b.y"]
    for offset, name in enumerate(result.columns):
        assert numpy.allclose(result[name].compute().astype(float), x + offset)
    result = map_partitions("segment_with_length", frame.x, plugins=segments, on_error=on_error)
    assert list(result.columns) == ["return_.a.x", "return_.a.y", "return_.b.x", "return_.b.y", "length"]
    assert list(result.compute().columns) == list(result.columns)


@pytest.mark.parametrize("dtype", ["Float64", pandas.ArrowDtype(pyarrow.float64())])
def test_nulls_of_series_stay_null(examples, dtype):
    table = pandas.Series([3.0, None, 5.0], dtype=dtype).to_frame("x")
    result = map_partitions("hypot", dask.dataframe.from_pandas(table, npartitions=2).x, 4.0, plugins=examples)
    assert result.dtype == pandas.ArrowDtype(pyarrow.float64())
    assert result.compute().array.__arrow_array__().to_pylist() == [5.0, None, numpy.hypot(5, 4)]


def test_texts_are_columns_of_arrow(samples, examples):
    words = dask.dataframe.from_pandas(pandas.DataFrame({"word": ["a", None, "ccc", "d"]}), npartitions=2).word
    assert map_partitions("length", words, plugins=samples).compute().array.__arrow_array__().to_pylist() == [1, None, 3, 1]
    shouted = map_partitions("shout", words, plugins=samples)
    assert shouted.dtype == pandas.ArrowDtype(pyarrow.string())
    assert shouted.compute().array.__arrow_array__().to_pylist() == ["A", None, "CCC", "D"]
    degrees = dask.dataframe.from_pandas(pandas.DataFrame({"degrees": [90.0, numpy.inf]}), npartitions=2).degrees
    assert map_partitions("compass", degrees, plugins=examples).compute().array.__arrow_array__().to_pylist() == ["east", None]


def test_a_failing_row_raises_or_is_null(samples):
    series = dask.dataframe.from_pandas(pandas.DataFrame({"n": numpy.array([4, -1, 9], "i4")}), npartitions=2).n
    with pytest.raises(troupe.ReportedFailure):
        map_partitions("root", series, plugins=samples).compute()
    result = map_partitions("root", series, plugins=samples, on_error="null")
    assert result.dtype == pandas.ArrowDtype(pyarrow.int32())
    assert result.compute().array.__arrow_array__().to_pylist() == [2, None, 3]


def values(series):
    """Returns the values of a Dask series of Arrow; a null is None, and a NaN is the text "nan"."""
    computed = series.compute()
    assert computed.dtype == series.dtype
    return ["nan" if item != item else item for item in computed.array.__arrow_array__().to_pylist()]


def test_a_nan_is_a_number_and_a_null_is_a_null_whatever_the_other_columns_are(examples):
    table = pandas.DataFrame({
        "number": [numpy.nan, 3.0, numpy.nan, 5.0], "single": numpy.array([4, 4, numpy.nan, 12], "f4"),
        "nullable": pandas.array([4.0, 4.0, None, 12.0], "Float64"),
        "arrow": pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.array([4, 4, None, numpy.nan]))),
    })  # fmt: skip
    frame = dask.dataframe.from_pandas(table, npartitions=2)
    for on_error in ("raise", "null"):
        assert values(map_partitions("hypot", frame.number, frame.nullable, plugins=examples, on_error=on_error)) == ["nan", 5, None, 13]
        assert values(map_partitions("hypot", frame.number, frame.arrow, plugins=examples, on_error=on_error)) == ["nan", 5, None, "nan"]
    result = map_partitions("hypot", frame.number, frame.single, plugins=examples, on_error="null")
    assert values(result) == ["nan", 5, "nan", 13] and result.isna().sum().compute() == 0
    infinite = dask.dataframe.from_pandas(pandas.DataFrame({"x": [numpy.inf]}), npartitions=1).x
    assert values(map_partitions("hypot", infinite, numpy.nan, plugins=examples, on_error="null")) == [numpy.inf]


@pytest.mark.parametrize("index", [[7, 7, 1, 1], ["d", "c", "b", "a"], pandas.date_range("2026-01-01", periods=4, freq="h")])
@pytest.mark.parametrize(
    "column",
    [
        pandas.array([1, 2, None, 4], "Int8"), pandas.array([1, 2, 3, 4], "uint8"), pandas.array([1.0, None, 2.5, 3.0], "Float32"),
        numpy.array([1.5, numpy.nan, 0, 2], "f4"),
        pandas.array([1.0, None, 2.0, 3.0], pandas.ArrowDtype(pyarrow.float32())), numpy.array([None, None, None, None], object),
        pandas.Categorical([1.5, 2.5, None, 1.5]), numpy.array([1, 2.5, None, 3], object),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_each_type_of_a_column_gives_the_values_of_single_calls(samples, column, index, on_error):
    table = pandas.DataFrame({"x": pandas.Series(column, index=index)})
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dask.dataframe.from_pandas(table, npartitions=3, sort=False)
    result = map_partitions("area", frame.x, 2, plugins=samples, on_error=on_error)
    computed = result.compute()
    assert computed.dtype == result.dtype and computed.index.equals(table.index)
    has_nan_for_null = column.dtype in (object, "category")
    is_missing = [item is None or item is pandas.NA or has_nan_for_null and item != item for item in column]
    expected = [None if missing else float(item) * 2 for item, missing in zip(column, is_missing, strict=True)]
    found = computed.array.__arrow_array__().to_pylist() if isinstance(computed.dtype, pandas.ArrowDtype) else computed.tolist()
    assert len(found) == len(expected) and all(a == b or a != a and b != b for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("on_error", ["raise", "null"])
@pytest.mark.parametrize(
    "column",
    [
        pandas.array([True, None], "boolean"), numpy.array([True, False]), pandas.date_range("2026-01-01", periods=2), numpy.array([1j, 2]),
        pandas.array(["1", "2"], pandas.ArrowDtype(pyarrow.string())), numpy.array([1, 2], "m8[s]"),
    ],
    ids=lambda column: str(column.dtype),
)  # fmt: skip
def test_columns_of_other_kinds_are_refused(samples, column, on_error):
    frame = dask.dataframe.from_pandas(pandas.DataFrame({"x": column}), npartitions=1)
    with pytest.raises(troupe.InvalidData) as caught:
        map_partitions("area", frame.x, 2, plugins=samples, on_error=on_error).compute()
    assert caught.value.subject and caught.value.remedy


@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_the_type_of_a_partition_does_not_depend_on_its_rows(samples, on_error):
    table = pandas.DataFrame({"word": pandas.array([None, None, "x", None], pandas.ArrowDtype(pyarrow.string()))})
    frame = dask.dataframe.from_pandas(table, npartitions=2)
    for part in (frame, frame[frame.word == "none"], frame[frame.word == "x"]):
        result = map_partitions("shout", part.word, plugins=samples, on_error=on_error)
        for computed in (result.compute(), *dask.compute(*result.to_delayed())):
            assert computed.dtype == result.dtype == pandas.ArrowDtype(pyarrow.string())


@pytest.mark.parametrize(("name", "value"), [("add_int64", 2**53 + 1), ("add_uint64", 2**64 - 1)])
@pytest.mark.parametrize("kind", [pyarrow.decimal128(20, 0), pyarrow.decimal256(40, 3), object])
def test_decimals_are_exact_integers(samples, name, value, kind):
    dtype = kind if kind is object else pandas.ArrowDtype(kind)
    table = pandas.DataFrame({"n": pandas.Series([decimal.Decimal(value), decimal.Decimal(1)], dtype=dtype)})
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dask.dataframe.from_pandas(table, npartitions=1)
    assert values(map_partitions(name, frame.n, 0, plugins=samples)) == [value, 1]
    with pytest.raises(troupe.InvalidData):
        map_partitions("add_int8", frame.n, 0, plugins=samples).compute()
    assert values(map_partitions("add_int8", frame.n, 0, plugins=samples, on_error="null")) == [None, 1]


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes", "distributed"])
def test_schedulers_give_equal_values(samples, request, scheduler):
    client = request.getfixturevalue("cluster") if scheduler == "distributed" else None
    table = pandas.DataFrame({"x": pandas.array([4, None, -1, 9, 16, None, None], "Int32"), "word": list("abcdefg")}, index=list("qqrstuv"))
    frame = dask.dataframe.from_pandas(table, npartitions=4, sort=False)
    # A partition without rows, one with one row, and one with nulls alone.
    frame = frame[frame.word != "e"]
    jobs = {
        "frame": map_partitions("root", frame.x, plugins=samples, on_error="null"),
        "text": map_partitions("shout", frame.word, plugins=samples),
        "array": map_blocks("root", dask.array.from_array(numpy.array([4, -1, 9], "i4"), (1,)), plugins=samples, on_error="null"),
        "object": map_blocks("length", dask.array.from_array(numpy.array(["a", None, "bcd"], object), 1), plugins=samples),
        "refused": map_partitions("root", frame.x, plugins=samples),
    }  # fmt: skip
    run = lambda job: job.compute(scheduler=client if client is not None else scheduler)  # noqa: E731
    found = run(jobs["frame"])
    assert found.array.__arrow_array__().to_pylist() == [2, None, None, 3, None, None] and list(found.index) == list("qqrsuv")
    assert run(jobs["text"]).tolist() == list("ABCDFG")
    assert run(jobs["array"]).tolist() == [2, None, 3] and run(jobs["object"]).tolist() == [1, None, 3]
    with pytest.raises(troupe.ReportedFailure) as caught:
        run(jobs["refused"])
    assert "EDOM" in str(caught.value) and caught.value.remedy


def test_inexact_numbers_are_refused(samples):
    for value in (2**53 + 1, decimal.Decimal(2**53 + 1)):
        with pytest.raises(troupe.InvalidData):
            map_blocks("area", dask.array.ones(2), value, plugins=samples).compute()
    x = dask.array.from_array(numpy.array([2**53 + 1]))
    with pytest.raises(troupe.InvalidData):
        map_blocks("area", x, 1, plugins=samples).compute()


def test_columns_with_other_indexes_are_refused(examples, frame):
    table = frame.compute()
    other = dask.dataframe.from_pandas(table.set_index(table.index + 1), npartitions=3)
    with pytest.raises(troupe.InvalidData):
        map_partitions("hypot", frame.x, other.y, plugins=examples).compute()


def test_wrong_columns_are_errors_of_the_client(samples, frame):
    for call, kind in (
        (lambda: map_partitions("area", frame.x, plugins=samples), troupe.Usage),
        (lambda: map_partitions("area", 1, 2, plugins=samples), troupe.Usage),
        (lambda: map_partitions("area", pandas.Series([1.0]), 2, plugins=samples), troupe.Usage),
        (lambda: map_partitions("area", frame.x, pandas.Series([1.0]), plugins=samples), troupe.Usage),
        (lambda: map_partitions("area", pandas.DataFrame({"x": [1.0]}), frame.x, plugins=samples), troupe.Usage),
        (lambda: map_partitions("sum", frame.x, plugins=samples), troupe.InvalidSignature),
        (lambda: map_partitions("grow", frame.x, plugins=samples), troupe.InvalidSignature),
        (lambda: map_partitions("area", frame.x, frame.x.astype("datetime64[ns]"), plugins=samples), troupe.InvalidData),
        (lambda: map_partitions("area", frame.x, frame.y, plugins=samples, on_error=None), troupe.InvalidArgument),
        (lambda: map_partitions("area", frame.x, frame.y.repartition(npartitions=1), plugins=samples), troupe.InvalidData),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.subject and caught.value.remedy


# Bags


def test_items_go_through_the_transforms_with_the_tags(examples):
    items = [b"a", b"bcd", b"", None, bytes(range(256))]
    bag = dask.bag.from_sequence(items, npartitions=2)
    encoded = pipe(bag, tags=["base64", "base64-encode"], plugins=examples)
    expected = [None if item is None else base64.b64encode(item) for item in items]
    assert [item and item.replace(b"\n", b"") for item in encoded.compute(scheduler="threads")] == expected
    decoded = pipe(encoded, tags="base64-decode", plugins=examples)
    assert decoded.compute(scheduler="threads") == items


def test_a_failing_item_raises_or_is_none(examples):
    bag = dask.bag.from_sequence([b"ZmlsZXM=", b"!", b"ZmlsZXM="], npartitions=1)
    with pytest.raises(troupe.ReportedFailure):
        pipe(bag, tags="base64-decode", plugins=examples).compute(scheduler="threads")
    result = pipe(bag, tags="base64-decode", plugins=examples, on_error="null")
    assert result.compute(scheduler="threads") == [b"files", None, b"files"]


@pytest.mark.parametrize("on_error", ["raise", "null"])
@pytest.mark.parametrize(("item", "kind", "remedy"), [("text", "str", "map(str.encode)"), (3, "int", "bytes"), ([b"a"], "list", "bytes")])
def test_items_of_another_type_are_errors(examples, item, kind, remedy, on_error):
    result = pipe(dask.bag.from_sequence([b"ZmlsZXM=", item], npartitions=1), tags="base64-decode", plugins=examples, on_error=on_error)
    with pytest.raises(troupe.InvalidData) as caught:
        result.compute(scheduler="threads")
    assert kind in str(caught.value) and remedy in caught.value.remedy


def test_items_may_be_any_buffer(examples):
    bag = dask.bag.from_sequence([bytearray(b"ZmlsZXM="), memoryview(b"ZmlsZXM="), numpy.frombuffer(b"ZmlsZXM=", "u1")], npartitions=1)
    assert pipe(bag, tags="base64-decode", plugins=examples).compute(scheduler="threads") == [b"files"] * 3


@pytest.mark.parametrize("tags", ["no-such-tag", [], ["base64-encode", "base64-decode"]])
def test_tags_of_no_transform_are_an_error(examples, tags):
    with pytest.raises(troupe.NotRegistered):
        pipe(dask.bag.from_sequence([b"a"]), tags=tags, plugins=examples)


# Failures that are no refusal of a row


def test_a_worker_that_dies_or_may_not_start_is_an_error_and_no_null(mortal):
    plugins = PluginDirectory(mortal, isolate=True)
    good = dask.array.ones(2, chunks=2)
    call = lambda x: map_blocks("survive", x, plugins=plugins, on_error="null").compute()  # noqa: E731
    assert call(good).tolist() == [1, 1]
    kind = troupe.Crashed
    while kind is troupe.Crashed:
        # The circuit of a worker that ends too often opens.
        with pytest.raises((troupe.Crashed, troupe.Unavailable)) as caught:
            call(-good)
        kind = type(caught.value)
    items = good.to_dask_dataframe()
    for job in (lambda: call(good), lambda: map_partitions("survive", items, plugins=plugins, on_error="null").compute()):
        with pytest.raises(troupe.Unavailable) as caught:
            job()
        assert caught.value.code == "unavailable"


# Processes


def workers_run(client, function, **keywords):
    """Returns the results of a function in each worker process."""
    return list(client.run(function, **keywords).values())


def test_a_worker_process_has_one_host_for_a_directory(cluster, samples):
    x = dask.array.arange(40, dtype=float, chunks=1)
    map_blocks("area", x, 2, plugins=samples).compute()
    map_blocks("half", x.astype("f4"), plugins=samples).compute()
    map_partitions("area", x.to_dask_dataframe(), 2, plugins=samples).compute()
    plugins = Plugins.in_directory(samples)

    def starts(key):
        return os.getpid(), process_host(key).start_count

    found = workers_run(cluster, starts, key=plugins.key)
    assert len({process for process, _ in found} | {os.getpid()}) == 3
    assert [count for _, count in found] == [1, 1]


def test_shipped_plugins_need_no_directory_of_the_workers(cluster, changeable):
    plugins = PluginDirectory(changeable, settings={"org.example.samples": {"any": "value"}})
    cluster.register_plugin(plugins)
    result = map_blocks("area", dask.array.arange(8, dtype=float, chunks=2), 2, plugins=plugins)
    shutil.rmtree(changeable)
    assert result.compute().tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_a_library_beside_its_adoption_file_ships(cluster, adopted, tmp_path):
    directory = adopted(tmp_path / "adopted")
    plugins = PluginDirectory(directory)
    cluster.register_plugin(plugins)
    result = map_blocks("twice", dask.array.arange(4, dtype=float, chunks=2), plugins=plugins)
    shutil.rmtree(directory)
    assert result.compute().tolist() == [0, 2, 4, 6]


def test_a_task_is_small(examples):
    x = dask.array.ones(2, chunks=1)
    graph = dict(map_blocks("hypot", x, x, plugins=PluginDirectory(examples)).__dask_graph__())
    assert max(len(pickle.dumps(task)) for task in graph.values()) < 2500


def test_unregistered_plugins_are_an_error(cluster, changeable):
    plugins = PluginDirectory(changeable, settings={"org.example.samples": {"not": "registered"}})
    with pytest.raises(troupe.Unavailable) as caught:
        map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=plugins).compute()
    assert socket.gethostname() in caught.value.subject


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def other_content(path):
    """Replaces a file by one that a host can load as well, and returns the two hashes."""
    before = digest(path)
    content = Path(path).read_bytes()
    os.unlink(path)
    # The loader ignores bytes behind the end of a library.
    Path(path).write_bytes(content + b"x")
    os.chmod(path, 0o755)
    return before, digest(path)


def test_another_content_on_a_worker_is_an_error_with_both_hashes(cluster, changeable):
    result = map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=changeable)
    expected, found = other_content(changeable / "samples.so")
    with pytest.raises(troupe.Error) as caught:
        result.compute()
    error = caught.value
    assert (error.code, error.subject) == ("unpinned", f"org.example.samples on {socket.gethostname()}")
    assert expected in str(error) and found in str(error) and error.remedy
    # A graph of the new content runs.
    assert map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=changeable).compute().tolist() == [2, 2]


def test_a_file_that_is_rewritten_in_place_is_read_again(changeable):
    path = changeable / "samples.so"
    key, status = Plugins.in_directory(changeable).key, path.stat()
    with open(path, "r+b") as file:
        # A byte of the ELF header that no loader reads.
        file.seek(15)
        file.write(b"x")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Plugins.in_directory(changeable).key != key


@pytest.mark.parametrize("removes_directory", [False, True])
def test_a_missing_plugin_on_a_worker_is_an_error_with_its_hash(cluster, changeable, removes_directory):
    result = map_blocks("area", dask.array.ones(2, chunks=2), 2, plugins=changeable)
    expected = digest(changeable / "samples.so")
    content = (changeable / "samples.so").read_bytes()
    (changeable / "samples.so").unlink()
    if removes_directory:
        changeable.rmdir()
    with pytest.raises(troupe.Unavailable) as caught:
        result.compute()
    assert caught.value.subject == f"org.example.samples on {socket.gethostname()}"
    assert expected in str(caught.value) and caught.value.remedy
    # The same graph runs when the plugin is there.
    changeable.mkdir(exist_ok=True)
    (changeable / "samples.so").write_bytes(content)
    (changeable / "samples.so").chmod(0o755)
    assert result.compute().tolist() == [2, 2]


def test_a_missing_transform_on_a_worker_is_an_error(cluster, example_plugins, tmp_path):
    shutil.copy2(example_plugins / "base64.so", tmp_path)
    result = pipe(dask.bag.from_sequence([b"a"]), tags="base64-encode", plugins=tmp_path)
    expected = digest(tmp_path / "base64.so")
    (tmp_path / "base64.so").unlink()
    with pytest.raises(troupe.Unavailable) as caught:
        result.compute(scheduler=cluster)
    assert caught.value.subject == f"org.example.base64 on {socket.gethostname()}" and expected in str(caught.value)


def test_a_file_that_is_swapped_after_shipping_is_refused(cluster, changeable):
    plugins = PluginDirectory(changeable, settings={"org.example.samples": {"to be": "swapped"}})
    cluster.register_plugin(plugins)

    def swap(key):
        # The worker has the module of this test by value.
        path = os.path.join(process_host(key).shipped[-1], "samples.so")
        content = open(path, "rb").read()
        os.unlink(path)
        open(path, "wb").write(content + b"x")
        os.chmod(path, 0o600)
        return hashlib.sha256(content + b"x").hexdigest()

    (found,) = set(workers_run(cluster, swap, key=plugins.plugins.key))
    with pytest.raises(troupe.Error) as caught:
        map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=plugins).compute()
    assert caught.value.code == "unpinned" and digest(changeable / "samples.so") in str(caught.value) and found in str(caught.value)
    assert caught.value.remedy == "restart the worker"


def test_options_reach_the_workers(cluster, changeable):
    plugins = PluginDirectory(changeable, isolate="memory:1G")
    cluster.register_plugin(plugins)
    assert map_blocks("area", dask.array.ones(4, chunks=1), 2, plugins=plugins).compute().tolist() == [2, 2, 2, 2]

    def names(key):
        running = process_host(key).running
        return [] if running is None else [worker.name for worker in running.host.workers()]

    found = workers_run(cluster, names, key=plugins.plugins.key)
    assert ["org.example.samples"] in found and all(name == "org.example.samples" for names in found for name in names)


def test_the_host_is_closed_with_the_worker(changeable, tmp_path):
    """A worker process writes the end of its plugins into a file."""
    shipped = PluginDirectory(changeable)
    plugins = {"path": changeable, "shipped": shipped}
    keys = {"path": Plugins.in_directory(changeable).key, "shipped": shipped.plugins.key}

    def record(key, path):
        def write(event):
            with open(path, "a") as file:
                file.write(f"{event.plugin.state}\n")

        # Kept by the module, which lives as long as the process.
        pins.test_listener = [*getattr(pins, "test_listener", ()), process_host(key).running.host.on_event(write)]

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.register_plugin(shipped)
        for name, key in keys.items():
            map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=plugins[name]).compute()
            client.run(record, key=key, path=str(tmp_path / name))
        (directory,) = client.run(lambda key: process_host(key).shipped[-1], key=shipped.plugins.key).values()
        assert Path(directory).is_dir()
    for name in keys:
        assert "retired" in (tmp_path / name).read_text()
    assert not Path(directory).exists()


def test_workers_in_the_process_of_the_client_share_its_host(changeable):
    plugins = PluginDirectory(changeable)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.register_plugin(plugins)
        assert map_blocks("area", dask.array.ones(4, chunks=1), 2, plugins=plugins).compute().tolist() == [2, 2, 2, 2]
        host = process_host(plugins.plugins.key).running.host
    assert host.closed and process_host(plugins.plugins.key).running is None
    # The client starts another host.
    assert map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=plugins).compute(scheduler="threads").tolist() == [2, 2]


def test_a_killed_worker_is_replaced_and_the_result_is_the_same(fragile, tmp_path):
    x, y = numbers(40_000), numbers(40_000, seed=2)
    x[25_500] = -1
    blocks = [dask.array.from_array(array, 1000) for array in (x, y)]
    undisturbed = map_blocks("fragile", *blocks, plugins=fragile).compute(scheduler="threads")
    marker = tmp_path / "marker"
    plugins = PluginDirectory(fragile, settings={"org.example.fragile": {"marker": str(marker)}})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.register_plugin(plugins)
        before = {worker["pid"] for worker in workers_run(client, lambda: {"pid": os.getpid()})}
        result = map_blocks("fragile", *blocks, plugins=plugins).compute()
        client.wait_for_workers(2)
        after = {worker["pid"] for worker in workers_run(client, lambda: {"pid": os.getpid()})}
    assert marker.exists() and len(before - after) == 1
    assert result.tobytes() == undisturbed.tobytes()


def process_key(plugins):
    """Returns the key of plugins after the end of their host, as in a new worker process."""
    key = plugins.key
    process_host(key).remove_user("")
    assert process_host(key).running is None
    return key


def test_a_missing_plugin_leaves_the_host_open_for_other_threads(changeable, example_plugins):
    shutil.copy2(example_plugins / "base64.so", changeable)
    plugins = Plugins.in_directory(changeable)
    area = PluginFunction.with_name(plugins, "area")
    encode = Pipe.with_tags(plugins, "base64-encode", "raise")
    key = process_key(plugins)
    content = (changeable / "samples.so").read_bytes()
    (changeable / "samples.so").unlink()
    items = encode([b"a", b"b", b"c"])
    assert next(items).strip() == b"YQ=="
    host = process_host(key).running.host
    with pytest.raises(troupe.Unavailable):
        area.load_function()
    assert process_host(key).running.host is host and not host.closed
    assert next(items).strip() == b"Yg=="
    (changeable / "samples.so").write_bytes(content)
    (changeable / "samples.so").chmod(0o755)
    # The client and the tasks find the file again.
    PluginFunction.with_name(plugins, "area")
    assert area.load_function().function(2.0, 3.0) == 6
    assert process_host(key).running.host is host and next(items).strip() == b"Yw=="


def test_missing_transforms_leave_the_host_open_for_other_threads(changeable, example_plugins):
    shutil.copy2(example_plugins / "base64.so", changeable)
    plugins = Plugins.in_directory(changeable)
    area = PluginFunction.with_name(plugins, "area")
    encode = Pipe.with_tags(plugins, "base64-encode", "raise")
    key = process_key(plugins)
    (changeable / "base64.so").unlink()
    area.load_function()
    host = process_host(key).running.host
    with pytest.raises(troupe.Unavailable):
        list(encode([b"a"]))
    assert process_host(key).running.host is host and not host.closed
    shutil.copy2(example_plugins / "base64.so", changeable)
    Pipe.with_tags(plugins, "base64-encode", "raise")
    assert [item.strip() for item in encode([b"a"])] == [b"YQ=="]


def test_a_function_of_a_closed_host_is_not_kept(samples, monkeypatch):
    plugins = Plugins.in_directory(samples)
    area = PluginFunction.with_name(plugins, "area")
    key = process_key(plugins)
    threads = []

    class Interrupted(functions.LoadedFunction):
        def __init__(self, function):
            # Another thread closes the host between the lookup and the end of it.
            threads.append(threading.Thread(target=process_host(key).remove_user, args=("",)))
            threads[0].start()
            threads[0].join(0.5)
            super().__init__(function)

    monkeypatch.setattr(functions, "LoadedFunction", Interrupted)
    area.load_function()
    threads[0].join()
    assert process_host(key).running is None


def test_a_change_of_an_adopted_library_elsewhere_is_found(adopted, tmp_path):
    directory = adopted(tmp_path / "libraries")
    library = tmp_path / "libraries/twice.so"
    plugins = Plugins.in_directory(directory)
    expected, found = other_content(library)
    fault = plugins.fault("org.example.twice")
    assert fault.code == "unpinned" and expected in str(fault) and found in str(fault)
    assert found in Plugins.in_directory(directory).pins
    assert map_blocks("twice", dask.array.ones(2, chunks=1), plugins=directory).compute().tolist() == [2, 2]


def test_an_adopted_library_that_is_installed_later_is_found(adopted, tmp_path):
    directory = adopted(tmp_path / "libraries")
    (tmp_path / "libraries").rename(tmp_path / "elsewhere")
    with pytest.raises(troupe.NotRegistered):
        map_blocks("twice", dask.array.ones(2, chunks=1), plugins=directory)
    (tmp_path / "elsewhere").rename(tmp_path / "libraries")
    assert map_blocks("twice", dask.array.ones(2, chunks=1), plugins=directory).compute().tolist() == [2, 2]


def test_a_dangling_link_is_no_fault_of_the_directory(changeable):
    (changeable / "dangling.so").symlink_to("missing.so")
    (changeable / "loop.so").symlink_to("loop.so")
    assert map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=changeable).compute().tolist() == [2, 2]


def test_a_file_that_is_removed_while_the_directory_is_read_is_skipped(changeable, example_plugins, monkeypatch):
    shutil.copy2(example_plugins / "base64.so", changeable)
    read = pins.file_hash

    def file_hash(path):
        if path.endswith("base64.so"):
            os.unlink(path)
        return read(path)

    monkeypatch.setattr(pins, "file_hash", file_hash)
    assert [file.plugin for file in pins.pinned_files(str(changeable))] == ["org.example.samples"]


@pytest.mark.parametrize("is_shipped", [False, True])
@pytest.mark.parametrize("ended", [0, 1])
def test_the_end_of_one_of_two_workers_in_a_process_leaves_the_host_open(changeable, is_shipped, ended):
    plugins = PluginDirectory(changeable) if is_shipped else changeable
    key = plugins.plugins.key if is_shipped else Plugins.in_directory(changeable).key
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        if is_shipped:
            client.register_plugin(plugins)
        result = map_blocks("area", dask.array.arange(8, dtype=float, chunks=1), 2, plugins=plugins)
        # A worker starts the host.
        process_host(key).running.host.close()
        process_host(key).running = None
        addresses = [worker.address for worker in cluster.workers.values()]
        client.gather([client.submit(result.compute, scheduler="sync", workers=[address], pure=False) for address in addresses])
        host = process_host(key).running.host
        worker = list(cluster.workers.values())[ended]
        client.retire_workers([worker.address], close_workers=True)
        for _ in range(300):
            if worker.status.name == "closed":
                break
            time.sleep(0.1)
        assert worker.status.name == "closed" and not host.closed
        assert result.compute().tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
        host = process_host(key).running.host
    assert host.closed and process_host(key).running is None


def test_a_fork_has_no_host(samples):
    map_blocks("area", dask.array.ones(2, chunks=1), 2, plugins=samples).compute()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"none" if process_host(Plugins.in_directory(samples).key).running is None else b"some")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 10) == b"none"
    os.close(reader)
    os.close(writer)


def test_the_processes_scheduler_starts_hosts_of_its_own(samples):
    x = dask.array.arange(4, dtype=float, chunks=2)
    assert map_blocks("area", x, 2, plugins=samples).compute(scheduler="processes", num_workers=2).tolist() == [0, 2, 4, 6]
