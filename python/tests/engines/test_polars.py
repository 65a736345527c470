"""Functions of plugins in Polars."""

import decimal
import math
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor

import numpy
import polars
import pytest

import troupe
import troupe.polars

ROOT = uuid.UUID("5a3b1e00-0000-4000-8000-000000000015")
x, y = polars.col("x"), polars.col("y")


@pytest.fixture
def frame():
    return polars.DataFrame({"g": ["a", "b", "a", "b"], "x": [3.0, None, 5.0, 8.0], "y": [4, 4, 12, None]})


@pytest.fixture(scope="module")
def functions(samples):
    with troupe.Host([samples]) as host:
        yield host.functions


def call(column, name, plugins, *arguments, dtype=None, **options):
    """Returns the values of a function for one column, whose type is that of the expression."""
    frame = polars.LazyFrame({"x": column} if dtype is None else {"x": polars.Series(column, dtype=dtype)})
    frame = frame.select(x.troupe.call(name, *arguments, plugins=plugins, **options).alias("value"))
    computed = frame.collect()
    assert computed.schema == frame.collect_schema()
    return computed["value"].to_list()


def test_columns_and_numbers_are_arguments(frame, examples):
    hypot = x.troupe.call("hypot", y, plugins=examples)
    assert frame.select(hypot)["x"].to_list() == [5, None, 13, None]
    assert frame.select(x.troupe.call("hypot", "y", plugins=examples))["x"].to_list() == [5, None, 13, None]
    assert frame.select(x.troupe.call("hypot", 4, plugins=examples))["x"].to_list() == [5, None, math.hypot(5, 4), math.hypot(8, 4)]
    assert frame.select(polars.lit(3.0).troupe.call("hypot", y, plugins=examples)).to_series().to_list()[:2] == [5, 5]
    assert frame.select(polars.lit(3).troupe.call("hypot", 4, plugins=examples)).item() == 5
    assert frame.select(x.troupe.call("hypot", None, plugins=examples))["x"].to_list() == [None] * 4


def test_lazy_frames_know_the_type_without_a_call(fragile, tmp_path):
    with troupe.Host([fragile], settings={"org.example.fragile": {"marker": str(tmp_path / "marker")}}) as host:
        # A call with this number ends the process.
        frame = polars.LazyFrame({"x": [-1.0]}).with_columns(f=x.troupe.call(host.functions["fragile"], x))
        assert frame.collect_schema() == {"x": polars.Float64, "f": polars.Float64}
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_groups_windows_filters_and_engines_give_equal_values(frame, examples, engine):
    hypot = x.troupe.call("hypot", y, plugins=examples)
    lazy = frame.lazy().with_columns(h=hypot).filter(polars.col("h") > 6).select("h")
    assert lazy.collect(engine=engine)["h"].to_list() == [13]
    groups = frame.lazy().group_by("g").agg(total=hypot.sum(), single=x.troupe.call("hypot", 4, plugins=examples).count()).sort("g")
    assert groups.collect(engine=engine).rows() == [("a", 18, 2), ("b", 0, 1)]
    assert frame.lazy().select(hypot.sum().over("g")).collect(engine=engine)["x"].to_list() == [18, 0, 18, 0]
    assert frame.lazy().select(hypot.over("g")).collect(engine=engine)["x"].to_list() == [5, None, 13, None]


@pytest.mark.parametrize(
    ("dtype", "column"),
    [
        (polars.Int8, [1, None, -3]), (polars.UInt8, [255, 0, None]), (polars.Int64, [2**53, None]), (polars.UInt64, [2**53]),
        (polars.Float32, [1.5, None, math.inf]), (polars.Float64, [math.nan, None]),
        (polars.Decimal(20, 2), [decimal.Decimal("1.5"), None]),
        (polars.Null, [None, None]), (polars.Float64, []), (polars.Float64, [2.0]),
    ],
    ids=str,
)  # fmt: skip
def test_numbers_of_each_type_are_passed_by_value(samples, dtype, column):
    found = call(column, "area", samples, 2, dtype=dtype)
    assert [repr(item) for item in found] == [repr(None if item is None else 2 * float(item)) for item in column]


@pytest.mark.parametrize(
    ("dtype", "column", "name"),
    [
        (polars.Int64, [1, 2**53 + 1], "area"), (polars.Int64, [1, 200], "add_int8"), (polars.Int16, [1, -1], "add_uint64"),
        (polars.Float64, [1, 1.5], "add_int64"), (polars.Float64, [1, math.nan], "add_int64"),
        (polars.Decimal(20, 1), [decimal.Decimal(1), decimal.Decimal("0.5")], "add_int64"),
    ],
    ids=str,
)  # fmt: skip
def test_numbers_that_do_not_fit_are_errors_or_null(samples, dtype, column, name):
    # The row is one of the batch that Polars passes.
    with pytest.raises(troupe.InvalidData, match=r"row \d+: \w+: .* cannot hold"):
        call(column, name, samples, 1, dtype=dtype)
    assert call(column, name, samples, 1, dtype=dtype, on_error="null") == [2 if name != "area" else 1, None]


@pytest.mark.parametrize(
    "dtype", [polars.Date, polars.Datetime, polars.Boolean, polars.String, polars.List(polars.Float64), polars.Binary], ids=str
)
@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_other_types_are_refused(samples, dtype, on_error):
    column = {polars.Boolean: [True], polars.String: ["1"], polars.Binary: [b"1"], polars.List(polars.Float64): [[1.0]]}.get(dtype)
    series = polars.Series("x", [0], dtype=polars.Int32).cast(dtype) if column is None else polars.Series("x", column, dtype=dtype)
    with pytest.raises(troupe.InvalidData) as caught:
        series.to_frame().select(x.troupe.call("area", 2, plugins=samples, on_error=on_error))
    # Polars makes another exception of the same class, with the expression behind the message.
    assert str(caught.value).startswith("area: ") and caught.value.code == "invalidData"


@pytest.mark.parametrize("dtype", [polars.String, polars.Categorical, polars.Enum(["a", "bcd"])], ids=str)
def test_texts_of_each_type(samples, dtype):
    assert call(["a", None, "bcd"], "length", samples, dtype=dtype) == [1, None, 3]
    assert call(["a", None, "bcd"], "shout", samples, dtype=dtype) == ["A", None, "BCD"]
    assert call([None], "shout", samples, dtype=dtype) == [None]


def test_structs_and_several_results_are_structs(samples, segments):
    assert call([{"y": 2.0, "x": 1.0}, None], "mirror", samples) == [{"x": 2, "y": 1}, None]
    assert call([1.5, None], "split", samples) == [{"return_": 0.5, "whole": 1}, None]
    (row,) = call([1.0], "segment_with_length", segments)
    assert row == {"return_": {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 4}}, "length": 2}


def test_a_buffer_is_the_same_for_all_rows(samples):
    assert call([1.0, 2.0], "scaled", samples, numpy.array([1.0, 2.0])) == [3, 6]


def test_chunks_and_slices(samples):
    parts = [polars.Series("x", [1.0, None, 3.0])[1:], polars.Series("x", [4.0]), polars.Series("x", [], dtype=polars.Float64)]
    series = polars.concat(parts, rechunk=False)
    assert series.n_chunks() > 1
    assert series.to_frame().select(x.troupe.call("area", 2, plugins=samples))["x"].to_list() == [None, 6, 8]
    assert series.to_frame()[1:].reverse().select(x.troupe.call("area", x, plugins=samples))["x"].to_list() == [16, 9]


def test_functions_have_names_uuids_and_hosts(samples, functions):
    for function, plugins in (("root", samples), (ROOT, samples), (str(ROOT), samples), (functions["root"], None)):
        assert call([4, 9], function, plugins) == [2, 3]


def test_a_lazy_frame_can_be_sent_to_another_process(samples, functions):
    program = "import io, sys, polars; print(polars.LazyFrame.deserialize(io.BytesIO(sys.stdin.buffer.read())).collect()['x'].to_list())"
    for function, plugins in (("root", samples), (functions["root"], None)):
        frame = polars.LazyFrame({"x": [4, None, -1]}).select(x.troupe.call(function, plugins=plugins, on_error="null"))
        run = subprocess.run([sys.executable, "-c", program], input=frame.serialize(), capture_output=True, check=True)
        assert run.stdout.decode().strip() == "[2, None, None]"


def test_a_refused_row_raises_or_is_null(samples):
    with pytest.raises(troupe.ReportedFailure, match=r"root: row \d+: the function failed: EDOM"):
        call([4, -1], "root", samples)
    assert call([4, -1, None, 9], "root", samples, on_error="null") == [2, None, None, 3]


def test_a_worker_that_dies_is_an_error(mortal):
    with troupe.Host([mortal], isolate=True) as host, pytest.raises(troupe.Crashed):
        call([1.0, -1.0], host.functions["survive"], None, on_error="null")


def test_queries_on_several_threads_give_equal_values(examples):
    frame = polars.DataFrame({"x": numpy.arange(20_000.0)}).lazy()
    query = frame.select(*(x.troupe.call("hypot", float(index), plugins=examples).alias(str(index)) for index in range(8)))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: query.collect(), range(8)))
    for result in results:
        for index in range(8):
            assert (result[str(index)].to_numpy() == numpy.hypot(numpy.arange(20_000.0), index)).all()


def test_a_function_that_is_not_thread_safe_computes_on_one_thread_at_a_time(racy):
    numbers = numpy.arange(20_000.0)
    query = polars.LazyFrame({"x": numbers}).select(*(x.troupe.call("racy", plugins=racy).alias(str(index)) for index in range(4)))
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: query.collect(), range(4)):
            assert all((result[str(index)].to_numpy() == numbers).all() for index in range(4))


@pytest.mark.parametrize(
    ("make", "kind", "code"),
    [
        (lambda plugins: x.troupe.call("missing", plugins=plugins), troupe.NotRegistered, "notRegistered"),
        (lambda plugins: x.troupe.call("area", 1), troupe.Usage, "usage"),
        (lambda plugins: x.troupe.call(3, plugins=plugins), troupe.Usage, "usage"),
        (lambda plugins: x.troupe.call("area", plugins=plugins), troupe.Usage, "usage"),
        (lambda plugins: x.troupe.call("area", 1, plugins=plugins, on_error="skip"), troupe.InvalidArgument, "invalidArgument"),
        (lambda plugins: x.troupe.call("area", 1, plugins=plugins / "other"), troupe.Unreadable, "unreadable"),
        (lambda plugins: x.troupe.call("sum", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda plugins: x.troupe.call("store_new", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda plugins: x.troupe.call("conjugate", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_errors_of_the_expression(samples, make, kind, code):
    with pytest.raises(kind) as caught:
        make(samples)
    error = caught.value
    assert (error.code, bool(error.subject), bool(error.remedy)) == (code, True, True)


def test_errors_of_a_function_name_it(functions):
    with pytest.raises(troupe.InvalidArgument) as caught:
        x.troupe.call(functions["area"], 1, on_error="skip")
    assert caught.value.subject == "area"


def test_a_function_has_its_plugins(samples, functions):
    with pytest.raises(troupe.Usage):
        x.troupe.call(functions["area"], 1, plugins=samples)


def test_a_null_row_of_several_results_is_a_null_struct(samples):
    frame = polars.DataFrame({"x": [1.5, None]})
    result = frame.select(polars.col("x").troupe.call("split", plugins=samples)).to_series()
    assert result.null_count() == 1 and result.to_list() == [{"return_": 0.5, "whole": 1}, None]
