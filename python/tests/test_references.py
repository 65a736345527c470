"""References to structs in C, memory for pointers, and callbacks that a program keeps."""

import array
import dataclasses
import gc
import subprocess
import sys

import numpy
import pytest

import troupe

PAIR = numpy.dtype([("x", "i4"), ("y", "i4")])


@pytest.fixture(scope="module")
def functions(built, state):
    with troupe.Host(files=[built("plugins/pointers.c")], **state) as host:
        yield host.functions


def test_members_are_read_and_written_where_they_are(functions):
    first = functions["node_new"](None, 1)
    second = functions["node_new"](first, 2)
    assert isinstance(second, troupe.Reference) and troupe.Handle is troupe.Reference
    assert (second["value"], second.value, second["next.value"], len(second)) == (2, 2, 1, 3)
    second["next.value"] = 40
    second.name = "second"
    assert first.value == 40 and second.name == "second"
    assert second.next.address == first.address and first.next is None
    assert functions["node_sum"](second) == 42
    assert functions["node_sum"](None) == 0
    assert second[""]._fields == ("value", "name", "next")
    assert f"struct node {hex(second.address)}: value=2, name='second', next={hex(first.address)}" in repr(second)
    with pytest.raises(troupe.InvalidData, match="has no member"):
        second["previous"]
    with pytest.raises(AttributeError):
        _ = second.previous
    with pytest.raises(AttributeError):
        second.previous = 1
    with pytest.raises(troupe.InvalidData, match="is null"):
        second["next.next.value"]
    with pytest.raises(troupe.InvalidData):
        second.value = "seven"
    with pytest.raises(TypeError):
        second[0]
    second.close()
    with pytest.raises(troupe.InvalidData, match="closed"):
        second["value"]
    assert repr(second) == "<troupe.Reference closed>"


def test_a_constant_struct_is_an_array_a_dataclass_a_dictionary_or_a_row(functions):
    @dataclasses.dataclass
    class Pair:
        x: int
        y: int

    pairs_sum = functions["pairs_sum"]
    rows = numpy.array([(1, 2), (3, 4)], PAIR)
    assert pairs_sum(rows, 2) == 10
    assert pairs_sum(rows[1], 1) == 7
    assert pairs_sum([{"x": 1, "y": 2}, Pair(3, 4)], 2) == 10
    for one in (Pair(1, 2), {"x": 1, "y": 2}, (1, 2), [1, 2]):
        assert pairs_sum(one, 1) == 3
    with pytest.raises(troupe.InvalidData, match="expected elements of struct pair"):
        pairs_sum(rows.astype([("x", "i8"), ("y", "i8")]), 2)
    # What the function may have written comes back, and an array is written in place.
    swapped = functions["pair_swap"]({"x": 1, "y": 2})
    assert swapped.result == 2 and swapped.pair == (2, 1)
    functions["pair_swap"](rows)
    assert rows[0].tolist() == (2, 1)


def test_a_plain_pointer_takes_memory_that_fits(functions):
    total, set_all = functions["total"], functions["set_all"]
    values = numpy.arange(4.0)
    assert total(values, 4) == 6 and total(array.array("d", [1, 2]), 2) == 3 and total([1, 2], 2) == 3
    set_all(values, 2, 7)
    assert values.tolist() == [7, 7, 2, 3]
    assert list(set_all([0, 0], 2, 5)) == [5, 5]
    parts = functions["split"](2.5, [0], [0])
    assert parts.result == 1 and list(parts.whole) == [2] and list(parts.rest) == [0.5]
    unnamed = functions["split_unnamed"](2.5, [0], [0])
    assert unnamed.result == 1 and list(unnamed.argument2) == [2] and list(unnamed.argument3) == [0.5]
    for wrong, message in {
        "dtype": (values.astype("f4"), "expected elements of double, which are float64 in NumPy, got float32"),
        "order": (values.astype(">f8"), "got >f8"),
        "strides": (values[::2], r"expected contiguous elements, got strides of \(16,\) bytes for elements of 8"),
        "scalar": (1.5, "a value of type float cannot be passed"),
        "text": ("1.5", "a value of type str cannot be passed"),
    }.values():
        with pytest.raises(troupe.InvalidData, match=message):
            total(wrong, 1)
    values.flags.writeable = False
    assert total(values, 4) == 19
    with pytest.raises(troupe.InvalidData, match="the buffer is read-only"):
        set_all(values, 2, 0)
    assert values.tolist() == [7, 7, 2, 3]


def test_bytes_and_texts_are_passed_if_they_are_constant(functions):
    checksum = functions["checksum"]
    for data in ("abc", b"abc", bytearray(b"abc"), numpy.frombuffer(b"abc", "u1"), memoryview(b"abc")):
        assert checksum(data, 3) == 294
    buffer = bytearray(3)
    functions["fill"](buffer, 2)
    assert buffer == b"ZZ\0"
    assert functions["fill"]({"bytes": 3}, 3) == b"ZZZ"
    text = bytearray(b"hallo\0")
    functions["first_letter"](text)
    assert text == b"Qallo\0"
    with pytest.raises(troupe.InvalidData, match="pass a bytearray or troupe.Memory"):
        functions["first_letter"]("hallo")
    for name, arguments in {"first_letter": (b"hallo",), "fill": (b"abc", 3)}.items():
        with pytest.raises(troupe.InvalidData, match="read-only"):
            functions[name](*arguments)
    assert functions["letters"](["a", None, "bcd"], 3) == 104


def test_memory_has_one_address_for_all_calls(functions):
    numbers = troupe.Memory("double", 3)
    functions["set_all"](numbers, 3, 1.5)
    assert len(numbers) == 3 and numbers[-1] == 1.5 and functions["total"](numbers, 3) == 4.5
    numbers[1] = 4
    view = numpy.asarray(numbers)
    assert view.tolist() == [1.5, 4, 1.5] and view.ctypes.data == numbers.address
    view[0] = 0
    assert numbers["[0]"] == 0
    with pytest.raises(IndexError):
        numbers[3]
    pairs = troupe.Memory("struct pair { int32_t x, y; }", 2)
    pairs["[1].y"] = 7
    assert numpy.asarray(pairs).tolist() == [(0, 0), (0, 7)] and pairs["[1].y"] == 7
    assert functions["pairs_sum"](pairs, 2) == 7
    one = troupe.Memory("struct pair { int32_t x, y; }")
    one.x, one["y"] = 1, 2
    assert functions["pair_swap"](one) == 2 and (one.x, one.y) == (2, 1) and one[0] == (2, 1)
    with pytest.raises(troupe.InvalidData):
        functions["total"](one, 1)
    with pytest.raises(troupe.InvalidSignature):
        troupe.Memory("struct missing")
    for count in (0, -1, 1.5):
        with pytest.raises(troupe.InvalidArgument):
            troupe.Memory("int", count)
    # A view keeps the memory.
    numbers.close()
    del numbers
    gc.collect()
    assert view.tolist() == [0, 4, 1.5]


def test_a_kept_callback_is_called_until_its_end(functions, capfd, monkeypatch):
    failures = []
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: failures.append(failure.exc_value))
    keep, call_kept = functions["keep"], functions["call_kept"]
    for signature in (keep, keep.signature.parameters[0], "int32_t (int32_t number)"):
        callback = troupe.Callback(signature, lambda number: 3 * number)
        keep(callback)
        gc.collect()
        assert call_kept(14, "now") == 42
    failing = troupe.Callback(keep, lambda number: 1 // number)
    keep(failing)
    with pytest.raises(troupe.Unavailable):
        call_kept(0, "now")
    assert [type(failure) for failure in failures] == [ZeroDivisionError]
    assert call_kept(1, "now") == 1
    failing.close()
    assert call_kept(1, "late") == 0
    # A callable in line ends with the call.
    keep(lambda number: number)
    assert call_kept(1, "late") == 0
    assert "keep the callback" in capfd.readouterr().err
    with pytest.raises(troupe.InvalidArgument, match="has 0 parameters that are callbacks"):
        troupe.Callback(call_kept, print)
    with pytest.raises(troupe.InvalidSignature):
        troupe.Callback("int (", print)
    with pytest.raises(TypeError):
        troupe.Callback(keep, 7)


def test_the_end_of_the_interpreter_with_a_kept_callback(built, state):
    program = f"""
import troupe
host = troupe.Host(files=[{str(built("plugins/pointers.c"))!r}], cache={str(state["cache"])!r}, quarantine=False)
callback = troupe.Callback(host.functions["keep"], lambda number: 2 * number)
host.functions["keep"](callback)
print(host.functions["call_kept"](21, "now"))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "42\n", "")
