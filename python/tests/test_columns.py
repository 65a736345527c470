"""Calls over columns: NumPy and Arrow arrays."""

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
