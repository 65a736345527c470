"""Calls over columns: NumPy and Arrow arrays."""

import decimal
import fractions
import inspect
import json
import os
import signal
import subprocess
import sys
import tracemalloc

import numpy
import pyarrow
import pytest

import troupe


def test_a_function_of_numbers_is_a_ufunc(shared):
    ufunc = shared.functions["area"].ufunc
    assert isinstance(ufunc, numpy.ufunc)
    assert (ufunc.nin, ufunc.nout, ufunc.types, ufunc.__name__) == (2, 1, ["dd->d"], "area")
    matrix = numpy.arange(6.0).reshape(2, 3)
    assert numpy.array_equal(ufunc(matrix, [1, 2, 3]), matrix * [1, 2, 3])
    out = numpy.zeros((2, 3))
    assert ufunc(matrix, 2, out=out) is out
    assert numpy.array_equal(ufunc(matrix, 2, out=numpy.zeros((2, 3)), where=matrix > 2), numpy.where(matrix > 2, matrix * 2, 0))
    assert ufunc.reduce([2, 3, 4]) == 24
    assert ufunc.accumulate([2, 3, 4]).tolist() == [2, 6, 24]
    assert ufunc.outer([1, 2], [3, 4]).tolist() == [[3, 4], [6, 8]]
    assert shared.functions["shout"].ufunc is None
    assert shared.functions["root"].ufunc is None


def test_a_ufunc_outlives_the_function_and_the_host(plugins, state):
    host = troupe.Host(plugins("plugins/samples.c"), **state)
    ufunc = host.functions["area"].ufunc
    host.close()
    del host
    assert ufunc([1, 2], 3).tolist() == [3, 6]


def test_a_call_with_arrays_is_one_of_the_ufunc(shared):
    area = shared.functions["area"]
    assert area(numpy.arange(3), 4.5).tolist() == [0, 4.5, 9]
    assert area([1, 2], [3, 4]).tolist() == [3, 8]
    assert area(width=numpy.arange(3), height=2).tolist() == [0, 2, 4]
    out = numpy.empty(2)
    assert area([1, 2], 2, out=out) is out
    assert shared.functions["is_odd"](numpy.arange(3, dtype="i4")).tolist() == [False, True, False]
    with pytest.raises(TypeError):
        shared.functions["add_int8"](numpy.array([1000]), 1)


@pytest.mark.parametrize("name", ["area", "add_int8", "add_uint64", "add_int64"])
def test_rows_agree_with_single_calls(shared, name):
    function = shared.functions[name]
    dtype = function.signature.result.dtype
    left, right = numpy.arange(10).astype(dtype), numpy.arange(10, 20).astype(dtype)
    result = function.map(left, right)
    assert result.dtype == dtype
    assert result.tolist() == [function(a, b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]


def test_random_shapes_agree_with_a_loop(shared):
    random = numpy.random.default_rng(20)
    area, add = shared.functions["area"], shared.functions["add_int64"]
    for round in range(1000):
        function = (area, add)[round % 2]
        shape = tuple(random.integers(0, 5, random.integers(0, 4)).tolist())
        columns = [random_column(random, shape, function.signature.result.dtype) for _ in range(2)]
        result = function.map(*columns, threads=1 + round % 2)
        expected_shape = numpy.broadcast_shapes(*[numpy.shape(column) for column in columns])
        assert numpy.shape(result) == expected_shape
        masks = [numpy.ma.getmaskarray(column) if isinstance(column, numpy.ma.MaskedArray) else False for column in columns]
        mask = numpy.broadcast_to(numpy.logical_or(*masks), expected_shape)
        left, right = (numpy.broadcast_to(numpy.ma.getdata(column), expected_shape) for column in columns)
        for index in numpy.ndindex(*expected_shape):
            value = result[index]
            if mask[index]:
                assert value is numpy.ma.masked
            else:
                assert value == function(left[index].item(), right[index].item())


def random_column(random, shape, dtype):
    """Returns an array that can be broadcast to a shape: with strides, reversed, with a mask, or a number."""
    kind = random.integers(0, 6)
    if kind == 0:
        return dtype.type(random.integers(0, 100)).item()
    shape = tuple(1 if random.integers(0, 4) == 0 else length for length in shape)[random.integers(0, len(shape) + 1) :]
    values = random.integers(0, 1000, [2 * length for length in shape]).astype(dtype)
    values = values[tuple(slice(None, None, 2) for _ in shape)]
    if kind == 1:
        values = values[tuple(slice(None, None, -1) for _ in shape)]
    elif kind == 2:
        values = numpy.asfortranarray(values)
    elif kind == 3:
        values = numpy.ma.MaskedArray(values, random.integers(0, 3, shape) == 0)
    elif kind == 4 and dtype == float:
        values = values.astype("f4")
    return values


def random_arrow_array(random, count):
    """Returns numbers and nulls."""
    numbers = random.integers(0, 100, count).tolist()
    return pyarrow.array([None if number % 5 == 0 else float(number) for number in numbers], pyarrow.float64())


def test_random_arrow_arrays_agree_with_a_loop(shared):
    random = numpy.random.default_rng(21)
    area = shared.functions["area"]
    for _ in range(200):
        count, start = random.integers(0, 40), random.integers(0, 20)
        left, right = (random_arrow_array(random, start + count).slice(start) for _ in range(2))
        result = area.map(left, right)
        assert isinstance(result, pyarrow.DoubleArray)
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        assert result.to_pylist() == [None if a is None or b is None else a * b for a, b in pairs]
        mixed = area.map(left, 2)
        assert mixed.to_pylist() == [None if a is None else a * 2 for a in left.to_pylist()]
        mixed = area.map(left, numpy.arange(float(count)))
        assert mixed.to_pylist() == [None if a is None else a * index for index, a in enumerate(left.to_pylist())]


def test_arrow_arrays_of_other_types(shared):
    odd = shared.functions["is_odd"].map(pyarrow.array([1, None, 2], pyarrow.int32()))
    assert odd.type == pyarrow.bool_() and odd.to_pylist() == [True, None, False]
    assert shared.functions["area"].map(pyarrow.array([1, 2], pyarrow.float32()), 2).to_pylist() == [2, 4]
    assert shared.functions["area"].map(pyarrow.chunked_array([[1.0], [2.0]]), 2).to_pylist() == [2, 4]
    texts = pyarrow.array(["a", None, "ccc"])
    assert shared.functions["length"].map(texts).to_pylist() == [1, None, 3]
    assert shared.functions["shout"].map(texts).to_pylist() == ["A", None, "CCC"]
    with pytest.raises(troupe.InvalidData):
        shared.functions["is_odd"].map(pyarrow.array([2**40]))


def test_a_result_of_arrow_has_the_memory_of_the_call(shared):
    values = pyarrow.array(numpy.arange(1000.0))
    result = shared.functions["area"].map(values, 1)
    result.validate(full=True)
    assert result.null_count == 0 and result.equals(values)


def test_columns_are_not_copied(shared):
    point = shared.functions["where"].signature.parameters[0].type.element.dtype
    points = numpy.zeros(100, point)
    start, size = points.ctypes.data, points.itemsize
    assert shared.functions["where"].map(points).tolist() == [start + size * row for row in range(100)]
    assert shared.functions["where"].map(points[::-2]).tolist() == [start + size * row for row in range(99, -1, -2)]
    assert (shared.functions["where"].map(points.reshape(10, 10).T) == (start + size * numpy.arange(100)).reshape(10, 10).T).all()
    values = numpy.arange(50.0)
    assert shared.functions["address_of"].map(values).tolist() == values.ctypes.data
    arrow = pyarrow.array(values)
    assert shared.functions["address_of"].map(arrow)[0].as_py() == arrow.buffers()[1].address


def test_a_call_allocates_nothing_for_its_columns(shared):
    left, right, out = (numpy.ones(1_000_000) for _ in range(3))
    shared.functions["area"].map(left, right, out=out)
    tracemalloc.start()
    shared.functions["area"].map(left, right, out=out)
    assert tracemalloc.get_traced_memory()[1] < 1_100_000
    tracemalloc.stop()


def test_out_is_the_memory_of_the_result(shared):
    out = numpy.zeros((3, 2))
    result = shared.functions["area"].map(numpy.arange(3.0)[:, None], [1.0, 2.0], out=out)
    assert result is out or result.base is out
    assert out.tolist() == [[0, 0], [1, 2], [2, 4]]
    strided = numpy.zeros(6)
    shared.functions["area"].map([1.0, 2.0, 3.0], 2, out=strided[::2])
    assert strided.tolist() == [2, 0, 4, 0, 6, 0]
    for wrong in (numpy.zeros(2), numpy.zeros(3, "f4"), [0, 0, 0]):
        with pytest.raises(troupe.InvalidData):
            shared.functions["area"].map([1, 2, 3], 2, out=wrong)


def test_structs_are_structured_arrays(shared):
    mirror = shared.functions["mirror"]
    points = numpy.array([(1, 2), (3, 4)], mirror.signature.result.dtype)
    result = mirror.map(points)
    assert result.dtype == points.dtype and result.tolist() == [(2, 1), (4, 3)]
    assert mirror.map([{"x": 1, "y": 2}, (3, 4)]).tolist() == [(2, 1), (4, 3)]
    packed = numpy.array([(1, 2), (3, 4)], [("x", "f4"), ("y", "f4")])
    assert mirror.map(packed).tolist() == [(2, 1), (4, 3)]
    assert shared.functions["norm"].map(points).tolist() == pytest.approx([5**0.5, 5])


def test_several_results_are_a_named_tuple_of_arrays(shared):
    result = shared.functions["split"].map(numpy.array([1.5, 2.25]))
    assert result._fields == ("return_", "whole")
    assert result.return_.tolist() == [0.5, 0.25] and result.whole.tolist() == [1, 2]
    result = shared.functions["swap"].map(numpy.arange(3, dtype="i4"), 7)
    assert result.a.tolist() == [7, 7, 7] and result.b.tolist() == [0, 1, 2]


def test_a_buffer_is_the_same_for_all_rows(shared):
    assert shared.functions["scaled"].map([1.0, 2.0], numpy.array([1.0, 2.0])).tolist() == [3, 6]


def test_texts_are_calls_of_single_rows(shared):
    assert shared.functions["length"].map(["a", "bb"]).tolist() == [1, 2]
    assert shared.functions["shout"].map(numpy.array(["a", "bb"])).tolist() == ["A", "BB"]
    assert shared.functions["shout"].map("a") == "A"


def test_failing_rows_raise_or_are_null(shared):
    root = shared.functions["root"]
    numbers = numpy.array([4, -1, 9], "i4")
    with pytest.raises(troupe.Unavailable):
        root.map(numbers)
    result = root.map(numbers, on_error="null")
    assert result.tolist() == [2, None, 3]
    assert root.map(numbers[[0, 2]], on_error="null").tolist() == [2, 3]
    assert root.map(pyarrow.array(numbers), on_error="null").to_pylist() == [2, None, 3]
    with pytest.raises(troupe.InvalidArgument):
        root.map(numbers, on_error="ignore")


def test_threads_share_the_rows(shared):
    count = 300_001
    values = numpy.arange(count, dtype=float)
    assert (shared.functions["area"].map(values, 2, threads=2) == values * 2).all()
    nulls = numpy.ma.MaskedArray(values, numpy.arange(count) % 3 == 0)
    result = shared.functions["area"].map(nulls, 2, threads=3)
    assert (result.mask == nulls.mask).all() and (result.compressed() == nulls.compressed() * 2).all()


def test_columns_of_other_types_are_refused(shared):
    for wrong in (numpy.array([1j]), numpy.array([2**60]), numpy.array(["a"]), [object()]):
        with pytest.raises((troupe.InvalidData, TypeError)):
            shared.functions["is_odd"].map(wrong)
    with pytest.raises(troupe.InvalidData, match="shape"):
        shared.functions["area"].map([1, 2], [1, 2, 3])
    with pytest.raises(troupe.Usage):
        shared.functions["area"].map([1, 2])


@pytest.mark.parametrize("ragged", [[[1, 2], [3]], [1, [2]]])
def test_lists_of_different_lengths_are_refused(shared, ragged):
    functions = shared.functions
    area, odd, total = (functions[name] for name in ("area", "is_odd", "sum"))
    for call in (
        lambda: area(ragged, 1), lambda: area([1, 2], tuple(ragged)), lambda: area.map(ragged, 1), lambda: odd(ragged),
        lambda: odd.map(ragged), lambda: total(ragged), lambda: total.map(ragged), lambda: functions["count_bytes"](ragged),
    ):  # fmt: skip
        with pytest.raises(troupe.InvalidData) as caught:
            call()
        assert caught.value.code == "invalidData" and caught.value.remedy == "pass elements of one length"
    with pytest.raises(troupe.InvalidData, match="row 1: p: struct point has 2 members, but 1 values were passed"):
        functions["mirror"].map([(1, 2), (3,)])


class Series:
    """A column that converts itself for NumPy and refuses to be a number, as one of pandas 2."""

    def __array__(self, dtype=None, copy=None):
        return numpy.array([1.0, 2.0])

    def __float__(self):
        raise TypeError("cannot convert the series to a float")


def test_the_remedy_for_a_column_in_a_single_call_is_map_or_an_array(shared):
    for column in (Series(), pyarrow.array([1.0, 2.0]), pyarrow.chunked_array([[1.0], [2.0]])):
        for name in ("split", "shout", "mirror", "sum", "negate"):
            with pytest.raises(troupe.InvalidData) as caught:
                shared.functions[name](column)
            assert "map" in caught.value.remedy and "NumPy array" in caught.value.remedy
        assert shared.functions["split"].map(column).whole.tolist() == [1, 2]
    assert shared.functions["sum"].map(Series()) == 3


def test_a_call_refuses_the_nulls_of_arrow(shared):
    area, odd = shared.functions["area"], shared.functions["is_odd"]
    column = pyarrow.table({"x": [1.0, None, 3.0]})["x"]
    for nulls in (column, column.chunk(0), pyarrow.array([1, None]), pyarrow.array([None, 1]).dictionary_encode()):
        for call in (lambda nulls: area(nulls, 2), lambda nulls: area(2, height=nulls), odd):
            with pytest.raises(troupe.InvalidData) as caught:
                call(nulls)
            assert "map" in caught.value.remedy
    assert area.map(column, 2).to_pylist() == [2, None, 6]
    assert area(column.drop_null(), 2).tolist() == [2, 6]
    assert area(column.chunk(0).slice(2), 2).tolist() == [6]


class OwnUfuncs(Series):
    """A column whose class calls ufuncs and counts nulls itself, as one of Polars."""

    def null_count(self):
        return 1

    def __array_ufunc__(self, ufunc, method, *inputs):
        return "its own result"


def test_a_column_with_its_own_ufuncs_handles_its_nulls(shared):
    assert shared.functions["area"](OwnUfuncs(), 2) == "its own result"


class ForeignArrow:
    """An Arrow array of another library, which only the capsules keep."""

    def __arrow_c_array__(self, requested_schema=None):
        return pyarrow.array([None if index % 2 else index for index in range(200_000)], pyarrow.int32()).__arrow_c_array__()


def test_nulls_of_a_converted_arrow_array_stay(shared):
    areas = shared.functions["area"].map(ForeignArrow(), 1.0)
    assert areas.null_count == 100_000 and areas[2].as_py() == 2.0 and areas[3].as_py() is None


@pytest.mark.parametrize("step", [1, -1])
def test_an_output_may_overlap_an_input(shared, step):
    area = shared.functions["area"]
    numbers = numpy.arange(6.0)
    shifted = numbers[:-1][::step]
    expected = shifted * 2
    area.map(shifted, 2.0, out=numbers[1:])
    assert list(numbers[1:]) == list(expected)
    numbers = numpy.arange(6.0)
    area.map(numbers, 2.0, out=numbers)
    assert list(numbers) == [0, 2, 4, 6, 8, 10]
    with pytest.raises(troupe.InvalidData):
        area.map(numpy.ones((3, 4)), 2.0, out=numpy.lib.stride_tricks.as_strided(numpy.zeros(4), (3, 4), (0, 8)))


def test_buffers_have_no_nulls(shared):
    total = shared.functions["sum"]
    masked = numpy.ma.MaskedArray([1.0, 2.0, 1e9], [False, False, True])
    for refused in (lambda: total(masked), lambda: total.map(masked), lambda: total.map(pyarrow.array([1.0, None]))):
        with pytest.raises(troupe.InvalidData):
            refused()
    assert total(numpy.ma.MaskedArray([1.0, 2.0])) == 3


def test_integers_that_a_double_cannot_hold_are_refused(shared):
    area = shared.functions["area"]
    for number in (2**53 + 1, -(2**53) - 1):
        for column in ([number], numpy.array([number]), pyarrow.array([number])):
            with pytest.raises(troupe.InvalidData):
                area.map(column, 1.0)
    assert list(area.map(numpy.array([2**53, 2**60]), 1.0)) == [2.0**53, 2.0**60]


@pytest.mark.parametrize("threads", [-1, 2**32, "x", None, 1.5, True])
def test_threads_are_a_number(shared, threads):
    with pytest.raises(troupe.InvalidArgument):
        shared.functions["area"].map([1.0], 2.0, threads=threads)


def test_only_hosts_are_constructed(shared):
    made = [shared.functions["area"], shared.functions["area"].signature, shared.functions["area"].signature.result, shared.events()]
    for kind in [type(object) for object in made] + [troupe.Instance, troupe.Transform, troupe.Scope, troupe.Listener, troupe.Handle]:
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            kind.__new__(kind)


def rows_of(result):
    return result.to_pylist() if hasattr(result, "to_pylist") else result.tolist()


class Capsule:
    """An array of a producer that has one method of Arrow's interface alone."""

    def __init__(self, array, method):
        self.array = array
        setattr(type(self), method, lambda self, requested_schema=None, **options: getattr(self.array, method)(requested_schema))


def capsule(array, method):
    return type("Capsule", (Capsule,), {})(array, method)


@pytest.mark.parametrize(
    ("array", "method"),
    [
        (pyarrow.array(["a", None]), "__arrow_c_array__"), (pyarrow.array(["a", None]), "__arrow_c_device_array__"),
        (pyarrow.chunked_array([["a"], [None]]), "__arrow_c_stream__"), (pyarrow.chunked_array([], pyarrow.string()), "__arrow_c_stream__"),
        (pyarrow.array(["a", None]).dictionary_encode(), "__arrow_c_array__"), (pyarrow.array(["a", None], pyarrow.string_view()), "__arrow_c_array__"),
        (pyarrow.array(["a", None], pyarrow.large_string()), "__arrow_c_array__"), (pyarrow.array([None, None]), "__arrow_c_array__"),
        (pyarrow.array(["z", "a", None]).slice(1), "__arrow_c_array__"), (pyarrow.array([b"a", None], pyarrow.binary(1)), "__arrow_c_array__"),
    ],
)  # fmt: skip
def test_every_arrow_producer_keeps_its_nulls(shared, array, method):
    column = capsule(array, method)
    expected = [None if item is None else 1 for item in array.to_pylist()]
    lengths = shared.functions["length"].map(column)
    assert lengths.type == pyarrow.uint64() and lengths.to_pylist() == expected
    assert shared.functions["shout"].map(column).type == pyarrow.string()


def test_missing_texts_are_null_rows(shared):
    length = shared.functions["length"]
    for column in (
        ["a", None], numpy.array(["a", None], object), numpy.array(["a", float("nan")], object), ["a", float("nan")],
        numpy.array(["a", None], numpy.dtypes.StringDType(na_object=None)), numpy.ma.MaskedArray(["a", "b"], [False, True]),
    ):  # fmt: skip
        result = length.map(column)
        assert isinstance(result, numpy.ma.MaskedArray) and result.tolist() == [1, None]
    assert length.map(["a", "bb"]).tolist() == [1, 2]


def test_nulls_of_numbers_stay_and_nan_is_a_number(shared):
    half = shared.functions["area"]
    for column in ([1.0, None], numpy.array([1.0, None], object), numpy.ma.MaskedArray([1.0, 2.0], [0, 1]), pyarrow.array([1.0, None])):
        assert rows_of(half.map(column, 1)) == [1.0, None]
    for column in ([1.0, numpy.nan], numpy.array([1.0, numpy.nan]), pyarrow.array([1.0, numpy.nan])):
        assert str(rows_of(half.map(column, 1, on_error="null"))) == "[1.0, nan]"


def test_fields_of_structs_go_by_name(shared):
    mirror = shared.functions["mirror"]
    swapped = numpy.array([(1, 2)], [("y", "f8"), ("x", "f8")])
    assert mirror.map(swapped).tolist() == [(1, 2)]
    assert mirror.map(swapped.astype([("y", "f4"), ("x", "i8")])).tolist() == [(1, 2)]
    assert mirror.map(swapped[0]).tolist() == (1, 2) and mirror(swapped[0]) == (1, 2)
    assert mirror.map(swapped.view(numpy.recarray)).tolist() == [(1, 2)]
    assert mirror.map(pyarrow.table({"y": [1.0], "x": [2.0]})).to_pylist() == [{"x": 1, "y": 2}]
    for names in (["lat", "lon"], ["x", "y", "z"], ["x"]):
        structs = numpy.zeros(1, [(name, "f8") for name in names])
        for column in (structs, pyarrow.table({name: [1.0] for name in names})):
            with pytest.raises(troupe.InvalidData, match=r"mirror: p: struct point has the members x, y, and the column has"):
                mirror.map(column)
        with pytest.raises(troupe.InvalidData):
            mirror(structs[0])


def test_null_members_of_structs_are_refused_and_null_structs_are_not(shared):
    norm = shared.functions["norm"]
    structs = pyarrow.StructArray.from_arrays(
        [pyarrow.array([3.0, None, 1.0]), pyarrow.array([4.0, 1.0, 2.0])], ["x", "y"], mask=pyarrow.array([False, True, False]))
    assert norm.map(structs).to_pylist() == [5, None, pytest.approx(5**0.5)]
    wrong = pyarrow.array([{"x": 3.0, "y": 4.0}, {"x": None, "y": 1.0}])
    with pytest.raises(troupe.InvalidData, match=r"norm: row 1: p\.x: expected double, got null"):
        norm.map(wrong)
    assert norm.map(wrong, on_error="null").to_pylist() == [5, None]


def test_numbers_are_converted_by_value(shared):
    odd, area = shared.functions["is_odd"], shared.functions["area"]
    for column in (
        numpy.array([1, 2]), numpy.array([1.0, 2.0]), numpy.array([1, 2], ">u8"), numpy.array([1, 2], "f2"), [decimal.Decimal(1), 2],
        pyarrow.array([1, 2], pyarrow.int64()), pyarrow.array([decimal.Decimal("1.0"), decimal.Decimal("2.0")]),
        numpy.array([fractions.Fraction(1), 2], object), numpy.array([1, 2], numpy.longdouble),
    ):  # fmt: skip
        assert rows_of(odd.map(column)) == [True, False]
    assert rows_of(area.map([fractions.Fraction(1, 4), decimal.Decimal("0.1")], 1)) == [0.25, 0.1]
    number = 2**53 + 1
    for exact in (decimal.Decimal(number), fractions.Fraction(number), numpy.longdouble(number)):
        assert shared.functions["add_int64"](exact, 0) == number
        assert rows_of(shared.functions["add_int64"].map([exact], 0)) == [number]
        with pytest.raises(troupe.InvalidData, match=r"cannot hold 9007199254740993"):
            area(exact, 1)
        with pytest.raises(troupe.InvalidData):
            area.map([exact], 1)
    for fraction in (decimal.Decimal("1.00000000000000000001"), fractions.Fraction(1, 3), decimal.Decimal("nan"), numpy.longdouble("inf")):
        with pytest.raises(troupe.InvalidData):
            shared.functions["add_int64"](fraction, 0)


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("is_odd", numpy.array([0, 2**40]), "is_odd: row 1: x: int32_t cannot hold 1099511627776; give an integer from -2147483648 to 2147483647"),
        ("is_odd", numpy.array([0.0, numpy.nan]), "is_odd: row 1: x: int32_t cannot hold nan; give an integer from -2147483648 to 2147483647, or "
         "a null: numpy.ma.masked_invalid(column)"),
        ("is_odd", [0, 1.5], "is_odd: row 1: x: int32_t cannot hold 1.5; give an integer from -2147483648 to 2147483647"),
        ("add_uint64", numpy.array([0, -1]), "add_uint64: row 1: a: uint64_t cannot hold -1; give an integer from 0 to 18446744073709551615"),
        ("half", numpy.array([0, 1e300]), "half: row 1: x: float cannot hold 1e+300; give a number that it holds"),
        ("is_odd", numpy.array([[0, 0], [0, 2**40]]), "is_odd: row (1, 1): x: int32_t cannot hold 1099511627776; give an integer from "
         "-2147483648 to 2147483647"),
        ("length", ["a", "b\0"], "length: row 1: 'b\\x00': the text contains a NUL; remove it"),
        ("root", numpy.array([4, -1]), "root: row 1: the function failed: EDOM"),
        ("length", ["a", 5], "length: row 1: argument 1 \"text\": expected const char *, got 5"),
        ("area", pyarrow.array(["1"]), "area: width: double takes no column of text; convert it with column.cast('float64')"),
        ("area", pyarrow.array([1], pyarrow.timestamp("s")), "area: width: double takes no column of timestamps; convert it "
         "with column.cast('int64')"),
        ("area", numpy.array([1j]), "area: width: double takes no column of complex128; pass a column of that type"),
        ("area", numpy.array(["2026-01-01"], "M8[D]"), "area: width: double takes no column of timestamps; convert it with "
         "pyarrow.array(column).cast('timestamp[ms]').cast('int64')"),
        ("length", numpy.array([1]), "length: text: const char * takes no column of int64; convert it with column.astype(str)"),
        ("length", pyarrow.array([1]), "length: text: const char * takes no column of int64; convert it with column.cast('string')"),
    ],
)  # fmt: skip
def test_errors_of_columns_name_the_row_and_a_remedy(shared, name, column, message):
    function = shared.functions[name]
    others = [1] * (len(function.signature.parameters) - 1)
    with pytest.raises(troupe.Error) as caught:
        function.map(column, *others)
    assert str(caught.value).startswith(message) and caught.value.remedy in str(caught.value)


def test_only_values_and_refusals_become_null(shared, plugins, state):
    functions = shared.functions
    assert functions["is_odd"].map([1, 2**40], on_error="null").tolist() == [True, None]
    assert functions["length"].map(["a", "b\0"], on_error="null").tolist() == [1, None]
    assert functions["length"].map(pyarrow.array([b"a", b"\xff"]), on_error="null").to_pylist() == [1, None]
    assert functions["root"].map([4, -1], on_error="null").tolist() == [2, None]
    for name, column in (("length", ["a", 5]), ("is_odd", ["1", 2]), ("mirror", [(1, 2), "x"]), ("is_odd", pyarrow.array(["1"]))):
        with pytest.raises(troupe.InvalidData):
            functions[name].map(column, on_error="null")

    def fail(x):
        raise LookupError("stop")

    with pytest.raises(LookupError, match="stop"):
        functions["apply"].map(fail, [1.0, 2.0], on_error="null")


def test_the_type_of_a_result_does_not_depend_on_its_data(shared):
    shout, root = shared.functions["shout"], shared.functions["root"]
    for texts in ([], [None, None], ["a"], ["a", None]):
        assert shout.map(pyarrow.array(texts, pyarrow.string())).type == pyarrow.string()
    for numbers in ([], [4], [-1]):
        assert isinstance(root.map(numpy.array(numbers, "i4"), on_error="null"), numpy.ma.MaskedArray)
        assert isinstance(root.map(numpy.array([], object)), numpy.ma.MaskedArray)


def test_values_below_nulls_are_not_examined(shared):
    odd, area = shared.functions["is_odd"], shared.functions["area"]
    large = numpy.array([1, 2**60 + 1])
    for column in (numpy.ma.MaskedArray(large, [0, 1]), pyarrow.array(large, mask=numpy.array([False, True]))):
        assert rows_of(odd.map(column)) == [True, None]
        assert rows_of(area.map(column, 1)) == [1.0, None]


def test_results_have_arrow_capsules_without_pyarrow(shared, monkeypatch):
    columns = {
        "shout": pyarrow.array(["a", None, "\u00e4"]), "mirror": pyarrow.array([{"x": 1.0, "y": 2.0}, None]),
        "is_odd": pyarrow.array(range(10), pyarrow.int32()), "grow": pyarrow.array([{"name": "ab", "sizes": [1, 2, 3]}]),
        "split": pyarrow.array([1.5, None]),
    }  # fmt: skip
    with monkeypatch.context() as context:
        # The import of pyarrow then fails.
        context.setitem(sys.modules, "pyarrow", None)
        shouted, structs, flags, labels, (areas, _) = (shared.functions[name].map(column) for name, column in columns.items())
    assert isinstance(shouted, troupe.ArrowArray) and shouted.null_count == 1 and len(shouted) == 3
    assert shouted.to_pylist() == list(shouted) == ["A", None, "\u00e4"]
    assert areas.to_numpy().tolist() == [0.5, None]
    for result, expected in (
        (shouted, ["A", None, "\u00e4"]), (areas, [0.5, None]), (structs, [{"x": 2, "y": 1}, None]), (flags, [n % 2 == 1 for n in range(10)]),
    ):  # fmt: skip
        imported = pyarrow.array(result)
        imported.validate(full=True)
        assert imported.to_pylist() == expected
    del shouted, areas, structs, flags, result
    assert imported.to_pylist() == expected
    assert labels.to_pylist()[0]["sizes"] == [2, 3, 4] and pyarrow.array(labels).to_pylist() == [{"name": b"Lb", "sizes": [2, 3, 4]}]


def test_map_has_the_named_parameters_of_its_function(shared):
    area = shared.functions["area"]
    assert str(inspect.signature(area.map)) == str(inspect.signature(area)) and area.map.__name__ == "area"
    assert area.map(height=[1.0, 2.0], width=3).tolist() == [3, 6]
    with pytest.raises(troupe.Usage):
        area.map(1, depth=2)


def test_an_output_may_be_the_memory_of_a_buffer(shared):
    values = numpy.array([1.0, 2.0, 3.0])
    assert shared.functions["scaled"].map(values, values, out=values).tolist() == [6, 12, 18]
    out = numpy.zeros(2, "i4")
    with pytest.raises(troupe.InvalidData, match="share memory"):
        shared.functions["swap"].map([1, 2], [3, 4], out=(out, out))


def test_a_consumed_column_is_refused(shared):
    column = pyarrow.array([1.0, 2.0])
    capsules, stream = column.__arrow_c_array__(), pyarrow.chunked_array([[1.0]]).__arrow_c_stream__()
    consumed = type("Consumed", (), {"__arrow_c_array__": lambda self, requested_schema=None: capsules})()
    consumed_stream = type("Consumed", (), {"__arrow_c_stream__": lambda self, requested_schema=None: stream})()
    for producer in (consumed, consumed_stream):
        assert shared.functions["area"].map(producer, 2)[0].as_py() == 2
        with pytest.raises(troupe.InvalidData, match="was consumed before"):
            shared.functions["area"].map(producer, 2)


def test_a_call_with_columns_converts_as_map_does(shared):
    area = shared.functions["area"]
    large = numpy.array([2**53 + 1, 1])
    for column in (large, pyarrow.array(large), large.tolist(), pyarrow.array(large).dictionary_encode()):
        with pytest.raises(troupe.InvalidData, match="double cannot hold 9007199254740993 exactly"):
            area(column, 1)
    assert area(numpy.ma.MaskedArray(large, [True, False]), 2).tolist() == [None, 2]
    assert area(pyarrow.array([decimal.Decimal("1.5")]), 2).tolist() == [3]


def test_decimals_are_exact(shared):
    add = shared.functions["add_int64"]
    for text, scale in (("90071992547410.01", 2), ("9007199254740993.5", 1), ("0.1", 20)):
        column = pyarrow.array([decimal.Decimal(text)], pyarrow.decimal128(38, scale))
        with pytest.raises(troupe.InvalidData):
            add.map(column, 0)
        assert shared.functions["area"].map(column, 1).to_pylist() == [float(text)]
    assert add.map(pyarrow.array([decimal.Decimal(2**63 - 1), None], pyarrow.decimal256(76, 30)), 0).to_pylist() == [2**63 - 1, None]


@pytest.fixture(scope="module")
def labels(tmp_path_factory, state):
    """A host with functions of structs with texts, which C would read behind NULL."""
    directory = tmp_path_factory.mktemp("labels")
    (directory / "labels.c").write_text("""
        #include <string.h>
        struct entry { int id; const char *label; };
        double size(struct entry entry) { return strlen(entry.label) + entry.id; }
        struct entry entry(int id, const char *label) { return (struct entry){id, label}; }
    """)
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", directory / "liblabels.so", directory / "labels.c"], check=True)
    struct = "struct entry { int id; const char *label; }; "
    functions = [
        {"uuid": "5a3b1e00-0000-4000-8000-000000000201", "name": "size", "symbol": "size", "signature": struct + "double (struct entry entry)"},
        {"uuid": "5a3b1e00-0000-4000-8000-000000000202", "name": "entry", "symbol": "entry",
         "signature": struct + "struct entry (int id, const char *label)"},
    ]  # fmt: skip
    adoption = {"id": "org.example.labels", "name": "Labels", "version": "1.0.0", "library": "./liblabels.so", "functions": functions}
    (directory / "labels.troupe.json").write_text(json.dumps(adoption))
    with troupe.Host(directory, **state) as host:
        yield host


def test_a_null_text_in_a_struct_does_not_reach_c(labels):
    size = labels.functions["size"]
    rows = [{"id": 1, "label": "abc"}, {"id": 1, "label": None}]
    for column in (rows, pyarrow.array(rows)):
        with pytest.raises(troupe.InvalidData, match=r"size: row 1: entry\.label: null is no text"):
            size.map(column)
        assert rows_of(size.map(column, on_error="null")) == [4, None]
    made = labels.functions["entry"].map(pyarrow.array([1, None]), "ab")
    assert made.to_pylist() == [{"id": 1, "label": "ab"}, None]


def test_the_numbers_of_a_call_with_arrays_are_exact(shared):
    area, half = shared.functions["area"], shared.functions["half"]
    zeros = numpy.zeros(1)
    for number in (2**53 + 1, numpy.int64(2**53 + 1), 10**400, True, numpy.timedelta64(5, "ns")):
        with pytest.raises(troupe.InvalidData):
            area(zeros, number)
        with pytest.raises(troupe.InvalidData):
            area.map(zeros, number)
    for number in (1e300, 2**24 + 1):
        with pytest.raises(troupe.InvalidData):
            half(numpy.array([0.0, number]) if isinstance(number, float) else [0, number])
    assert area(zeros, 5).tolist() == [0]


def test_times_are_no_numbers(shared):
    add = shared.functions["add_int64"]
    for time in (numpy.timedelta64(5, "ns"), numpy.datetime64("2020-01-01", "ns"), numpy.timedelta64(5)):
        for call in (lambda time: add(time, 1), lambda time: add.map([time], 1), lambda time: add.map([1, 2], time)):
            with pytest.raises(troupe.InvalidData):
                call(time)


def test_values_at_the_limits(shared):
    add, area, half = shared.functions["add_uint64"], shared.functions["area"], shared.functions["half"]
    assert add.map(range(2**63 - 1, 2**63 + 2), 0).tolist() == [2**63 - 1, 2**63, 2**63 + 1]
    for huge in (decimal.Decimal("1e400"), fractions.Fraction(10**400, 3)):
        with pytest.raises(troupe.InvalidData):
            area(huge, 1)
        with pytest.raises(troupe.InvalidData):
            area.map([huge], 1)
    assert area(decimal.Decimal("Infinity"), 1) == numpy.inf
    # The nearest double is the middle of two numbers of single precision.
    assert half(decimal.Decimal("2.000000357627868652343749998")) == numpy.float32(2.0000002384185791015625) / 2
    assert rows_of(area.map(numpy.array([decimal.Decimal("sNaN"), 1], object), 1)) == [None, 1]


def test_none_for_all_rows_is_null(shared):
    for column in ([1.0, 2.0], pyarrow.array([1.0, 2.0])):
        assert rows_of(shared.functions["area"].map(column, None)) == [None, None]
    assert shared.functions["length"].map(None).tolist() is None
    # A pointer to a struct takes NULL.
    assert shared.functions["where"].map(None) == 0


def test_a_masked_output_gets_the_nulls(shared):
    out = numpy.ma.MaskedArray([7.0, 7.0], [True, False])
    assert shared.functions["area"].map(pyarrow.array([1.0, None]), 2, out=out) is out
    assert out.tolist() == [2, None]


def test_results_of_several_dimensions_keep_their_shape(shared):
    result = shared.functions["area"].map(numpy.ones((3, 2)), pyarrow.array([1.0, None]))
    assert result.tolist() == [[1, None]] * 3


def test_array_members_of_other_types_are_converted(shared):
    grow = shared.functions["grow"]
    labels = numpy.array([("ab", [1, 2, 3])], [("name", "S4"), ("sizes", ">i8", 3)])
    assert grow.map(labels)["sizes"].tolist() == [[2, 3, 4]]
    assert grow.map([{"name": "\u00e4b", "sizes": [1, 2, 3]}])["name"].tolist() == [b"L\xa4b"]
    with pytest.raises(troupe.InvalidData):
        grow.map(numpy.array([("ab", [1, 2, 2**40])], [("name", "S4"), ("sizes", "i8", 3)]))


def test_malformed_arrow_arrays_are_refused(shared):
    area, length = shared.functions["area"], shared.functions["length"]
    wrong = (
        (length, pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, -1], pyarrow.int8()), pyarrow.array(["a", "b"]), safe=False)),
        (length, pyarrow.DictionaryArray.from_arrays(pyarrow.array([0], pyarrow.int8()), pyarrow.array([], pyarrow.string()), safe=False)),
        (shared.functions["norm"], pyarrow.table([pyarrow.array([1.0])] * 3, names=["x", "y", "x"])),
        (length, pyarrow.array([b"0123456789abcdef"], pyarrow.uuid())), (area, pyarrow.array([1], pyarrow.bool8())),
    )  # fmt: skip
    for function, column in wrong:
        with pytest.raises(troupe.InvalidData):
            function.map(column, *[1] * (len(function.signature.parameters) - 1))


def test_texts_that_utf8_does_not_have_are_refused(shared):
    with pytest.raises(troupe.InvalidData, match="row 0: .*cannot be encoded as UTF-8"):
        shared.functions["shout"].map(["\ud800", "b"])
    assert shared.functions["shout"].map(["\ud800", "b"], on_error="null").tolist() == [None, "B"]


def test_a_signal_ends_a_map_of_texts(shared):
    raised = []

    def interrupt(signal_number, frame):
        raised.append(signal_number)
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGUSR1, interrupt)
    calls = []

    def visit(index, context):
        calls.append(index)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGUSR1)
        return 0

    try:
        with pytest.raises(KeyboardInterrupt):
            shared.functions["for_each"].map([1] * 1000, visit, None)
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert raised and len(calls) < 1000
