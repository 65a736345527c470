"""Calls with Python values."""

import asyncio
import dataclasses
import enum
import inspect
import math
import threading
import time
from array import array
from pathlib import Path

import numpy
import pytest

import troupe


def test_numbers_are_arguments_and_results(shared):
    area = shared.functions["area"]
    assert area(3, 4.5) == 13.5
    assert type(area(3, 4)) is float
    assert shared.functions["add_int8"](100, 27) == 127
    assert shared.functions["add_uint64"](2**64 - 2, 1) == 2**64 - 1
    assert shared.functions["is_odd"](3) is True
    assert shared.functions["half"](3) == 1.5
    assert math.isnan(area(math.nan, 1))
    assert area(numpy.float64(3), numpy.int32(2)) == 6
    assert shared.functions["add_int64"](numpy.int8(3), True) == 4


def test_arguments_have_names(shared):
    area = shared.functions["area"]
    assert area(height=2, width=5) == 10
    assert area(5, height=2) == 10
    with pytest.raises(troupe.Usage, match='no parameter is named "depth"; use a name of '):
        area(1, depth=2)
    with pytest.raises(troupe.Usage, match='no parameter is named "heigth"; did you mean "height"[?]$'):
        area(1, heigth=2)
    with pytest.raises(troupe.Usage, match="given twice"):
        area(1, width=2)
    with pytest.raises(TypeError):
        area(1)
    with pytest.raises(troupe.Usage):
        area(1, 2, 3)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_int8", (128, 0)), ("add_uint64", (-1, 0)), ("add_uint64", (2**64, 0)), ("is_odd", (2**31,)), ("add_int64", (1.5, 0)),
        ("area", ("3", 4)), ("area", (2**53 + 1, 1)), ("half", (1e300,)), ("area", (None, 1)), ("area", (object(), 1)),
        ("length", (3,)), ("length", ("a\0b",)), ("sum", ([1, "a"],)), ("sum", (1,)), ("mirror", ({"x": 1},)),
        ("mirror", ({"x": 1, "y": 2, "z": 3},)), ("mirror", ((1, 2, 3),)), ("color", ("PINK",)),
        ("area", (b"7", 2)), ("area", (2, bytearray(b"7"))), ("area", (memoryview(b"7"), 2)), ("area", (array("d", [7]), 2)),
        ("area", (True, 2)), ("area", (numpy.True_, 2)), ("area", (7 + 0j, 2)), ("area", ({7}, 2)), ("area", (numpy.str_("7"), 2)),
        ("area", (numpy.bytes_(b"7"), 2)), ("scaled", (numpy.array([7.0]), [1.0])), ("is_odd", (b"1",)), ("color", (b"R",)),
        ("twice", (b"7",)), ("conjugate", (b"7",)), ("split", (b"7",)), ("swap", (b"1", 2)), ("mirror", ((b"7", 2),)),
        ("sum", (b"7",)), ("sum", ([b"7"],)), ("sum", (memoryview(bytearray(8)),)), ("negate", (bytearray(8),)),
        ("apply", (lambda x: b"7", 1)),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(shared, name, arguments):
    with pytest.raises(troupe.InvalidData) as caught:
        shared.functions[name](*arguments)
    assert caught.value.code == "invalidData"
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, TypeError)


def test_a_string_may_be_none(shared):
    assert shared.functions["shout"]("grüße") == "GRüßE"
    assert shared.functions["shout"](None) is None
    assert shared.functions["shout"](Path("a/b")) == "A/B"
    assert shared.functions["shout"]("") == ""
    assert shared.functions["length"](None) == 99


def test_a_struct_is_a_dataclass_a_dictionary_a_tuple_or_a_row(shared):
    @dataclasses.dataclass
    class Point:
        x: float
        y: float

    class Attributes:
        x, y = 1.0, 2.0

    mirror = shared.functions["mirror"]
    row = numpy.array([(1, 2)], dtype=[("x", "f8"), ("y", "f8")])[0]
    for argument in (Point(1, 2), {"y": 2, "x": 1}, (1, 2), row, Attributes(), mirror((2, 1))):
        assert mirror(argument) == (2, 1)
    assert mirror((1, 2))._fields == ("x", "y")
    assert mirror((1, 2)).x == 2
    assert shared.functions["norm"](Point(3, 4)) == 5
    assert shared.functions["norm"](row) == pytest.approx(5**0.5)


def test_an_enumeration_is_a_member_a_name_or_a_number(shared):
    color = shared.functions["color"]
    assert color(0) is color.signature.result.enumeration.RED
    assert isinstance(color("BLUE"), enum.IntEnum)
    assert color("BLUE").name == "GREEN"
    assert color(color.signature.result.enumeration.BLUE).name == "GREEN"
    assert color(7) == 7


def test_outputs_return_as_a_named_tuple(shared):
    assert shared.functions["split"](2.5) == (0.5, 2)
    assert shared.functions["split"](2.5)._fields == ("return_", "whole")
    assert shared.functions["swap"](1, 2) == (2, 1)
    assert shared.functions["swap"](1, 2)._fields == ("a", "b")


def test_rarer_types_are_converted(shared):
    assert shared.functions["conjugate"](1 + 2j) == 1 - 2j
    assert shared.functions["conjugate"](3) == 3
    assert shared.functions["conjugate"].map(numpy.array([1j, 2])).tolist() == [-1j, 2]
    assert shared.functions["twice"](1.5) == 3
    assert shared.functions["twice"].map([1.5, 2]).dtype == numpy.longdouble
    result = shared.functions["multiples"](3, 4)
    assert result.return_ == 3 and result.values.tolist() == [0, 3, 6, 9] and result.values.dtype == numpy.int32
    grow = shared.functions["grow"]
    assert grow({"name": "label", "sizes": [1, 2, 3]})._asdict() | {"sizes": None} == {"name": "Label", "sizes": None}
    assert list(grow(("label", [1, 2, 3])).sizes) == [2, 3, 4]
    rows = numpy.array([(b"label", [1, 2, 3])], grow.signature.result.dtype)
    assert grow(rows[0]).name == "Label"
    assert grow.map(rows)["sizes"].tolist() == [[2, 3, 4]]
    number = shared.functions["next_number"]
    assert number({"i": 41}).i == 42
    with pytest.raises(troupe.InvalidData, match='has no member "I"; give '):
        number({"I": 41})
    assert number(number({"i": 41})).i == 43
    assert shared.functions["write_bytes"](6).bytes == b"xxx"
    assert shared.functions["sum_further"](3, 1, 2, 3) == 6


def test_a_failure_has_the_reason(shared):
    assert shared.functions["root"](9) == 3
    with pytest.raises(troupe.ReportedFailure) as caught:
        shared.functions["root"](-1)
    assert caught.value.code == "reportedFailure" and isinstance(caught.value, (troupe.Unavailable, troupe.InvalidData))
    assert "Numerical argument out of domain" in str(caught.value)


def test_a_buffer_is_passed_without_a_copy(shared):
    values = numpy.arange(4.0)
    assert shared.functions["address_of"](values) == values.ctypes.data
    assert shared.functions["sum"](values) == 6
    assert shared.functions["sum"](memoryview(values)[1:]) == 6
    assert shared.functions["sum"]([1, 2, 3]) == 6
    assert shared.functions["sum"](values[::-1]) == 6
    assert shared.functions["sum"](numpy.arange(3, dtype="i4")) == 3
    assert shared.functions["sum"]([]) == 0
    for data in (b"abc", bytearray(b"abc"), memoryview(b"abc"), "abc", numpy.zeros(3, "u1")):
        assert shared.functions["count_bytes"](data) == 3
    assert shared.functions["count_bytes"](numpy.zeros(3)) == 24


def test_a_function_writes_to_a_buffer_in_place(shared):
    values = numpy.arange(3.0)
    shared.functions["negate"](values)
    assert values.tolist() == [0, -1, -2]
    data = bytearray(8)
    shared.functions["negate"](memoryview(data).cast("d"))
    assert data[7] == 0x80


def test_a_buffer_that_cannot_be_written_is_refused(shared):
    values = numpy.arange(3.0)
    values.flags.writeable = False
    for wrong in (values, bytes(8), numpy.arange(3), numpy.arange(6.0)[::2]):
        with pytest.raises(troupe.InvalidData):
            shared.functions["negate"](wrong)
    assert values.tolist() == [0, 1, 2]


def test_a_callback_is_any_callable(shared):
    assert shared.functions["apply"](math.sqrt, 16) == 4
    assert shared.functions["apply"](lambda x: int(x), 2.5) == 2
    seen = []
    assert shared.functions["for_each"](3, lambda index, context: seen.append((index, context)) or 2, None) == 6
    assert seen == [(0, None), (1, None), (2, None)]


def test_a_function_of_a_plugin_is_a_callback(examples):
    numbers = numpy.array([3, -1, 2], "i4")
    examples.functions["qsort"](numbers, "int32", examples.functions["compare_int32"])
    assert numbers.tolist() == [-1, 2, 3]


def test_an_exception_of_a_callback_ends_the_call(shared):
    calls = []

    def fail(index, context):
        calls.append(index)
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        shared.functions["for_each"](1000, fail, None)
    assert calls == [0]
    with pytest.raises(troupe.InvalidData, match="the result of the callback: a value of type str cannot be passed as double"):
        shared.functions["apply"](lambda x: "text", 1)


def test_a_handle_is_released_once(shared):
    count = shared.functions["store_count"]
    with shared.functions["store_new"](7) as store:
        assert count() == 1
        assert shared.functions["store_value"](store) == 7
        assert isinstance(store, troupe.Handle) and store.address
    assert count() == 0
    with pytest.raises(troupe.InvalidData):
        shared.functions["store_value"](store)
    store.close()
    with pytest.raises(troupe.Unavailable):
        shared.functions["store_new"](-1)
    store = shared.functions["store_new"](1)
    del store
    assert count() == 0


def test_another_thread_runs_during_a_call(shared):
    pause = shared.functions["pause_for"]
    assert pause.releases_gil
    done = []
    thread = threading.Thread(target=lambda: done.append(pause(200)))
    start = time.monotonic()
    thread.start()
    others = 0
    while not done:
        others += 1
        time.sleep(0.001)
    assert done == [0] and others > 20
    assert time.monotonic() - start < 5
    thread.join()


def test_a_ufunc_releases_the_gil_for_few_elements(built, state):
    with troupe.Host(files=[built("engines/plugins/meeting.c")], **state) as host:
        meet = host.functions["meet"].ufunc
        results = []
        # Each call waits in C until both run.
        threads = [threading.Thread(target=lambda: results.append(meet(numpy.array([2], "i4")))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [result.tolist() for result in results] == [[True], [True]]


def test_the_gil_may_be_kept(shared):
    area = shared.functions["area"]
    area.releases_gil = False
    assert area(2, 3) == 6 and not area.releases_gil


def test_calls_run_asynchronously(shared):
    async def run():
        start = time.monotonic()
        results = await asyncio.gather(*[shared.functions["pause_for"].call_async(100) for _ in range(4)])
        return results, time.monotonic() - start

    results, duration = asyncio.run(run())
    assert results == [0, 0, 0, 0]
    assert duration < 0.35
    assert asyncio.run(shared.functions["area"].call_async(width=2, height=3)) == 6


def test_a_signature_is_data(shared):
    scaled = shared.functions["scaled"]
    signature = scaled.signature
    assert signature.result.kind == "double"
    assert [parameter.name for parameter in signature.parameters] == ["x", "values", "count"]
    assert [parameter.passing for parameter in signature.parameters] == ["value", "buffer", "value"]
    assert [parameter.takes_argument for parameter in signature.parameters] == [True, True, False]
    assert signature.parameters[1].length_parameter == 2
    assert signature.text == str(signature)
    point = shared.functions["mirror"].signature.result
    assert [(name, type.kind, offset) for name, type, offset in point.members] == [("x", "double", 0), ("y", "double", 8)]
    assert point.dtype == numpy.dtype([("x", "f8"), ("y", "f8")])
    assert shared.functions["color"].signature.result.enumerators == {"RED": 0, "GREEN": 1, "BLUE": 5}
    assert shared.functions["root"].signature.can_fail


def test_help_shows_the_parameters(shared):
    area = shared.functions["area"]
    assert str(inspect.signature(area)) == "(width: float, height: float) -> float"
    assert area.__doc__.startswith("area(width: float, height: float) -> float")
    assert area.__name__ == "area"
    assert "double (double width, double height)" in repr(area)
    assert "The C functions" not in troupe.Function.__name__
    for name, parameters in {
        "sum": "(values: 'NDArray[float64] | Sequence[float]') -> float",
        "scaled": "(x: float, values: 'NDArray[float64] | Sequence[float]') -> float",
        "count_bytes": "(bytes: 'bytes | Sequence[int]') -> int",
    }.items():
        assert str(inspect.signature(shared.functions[name])) == parameters


def test_the_address_is_that_of_the_function(shared):
    import ctypes

    area = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(shared.functions["area"].address)
    assert area(3, 4.5) == 13.5
