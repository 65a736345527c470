"""Random columns of every library come back from functions that return their argument, by every way to call them.

Plain Python says what is right: `expected` converts one value, and has no code in common with the package.
"""

from __future__ import annotations

import decimal
import math
import os
import random
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, NamedTuple

import dask
import dask.array
import dask.dataframe
import duckdb
import nanoarrow
import numpy
import pandas
import polars
import pyarrow
import pytest

import troupe
import troupe.polars  # noqa: F401
from troupe.dask import map_blocks, map_partitions
from troupe.duckdb import register

COLUMNS = 2000
THREADS = 4

# The types of the functions: kind and size in bits.
TARGETS = {
    "int8_t": ("i", 8), "int16_t": ("i", 16), "int32_t": ("i", 32), "int64_t": ("i", 64),
    "uint8_t": ("u", 8), "uint16_t": ("u", 16), "uint32_t": ("u", 32), "uint64_t": ("u", 64),
    "float": ("f", 32), "double": ("f", 64), "bool": ("b", 1), "text": ("t", 0),
}  # fmt: skip
# The members of the struct.
MEMBERS = {"is_open": "bool", "key": "int32_t", "value": "double", "size": "uint8_t"}

NULL = None


class Refused(Exception):
    """The value is of the right kind, and the type cannot hold it."""


class OtherKind(Exception):
    """The value is no number for numbers, or no text for texts."""


def expected(value: Any, target: str) -> Any:
    """Returns the value that a function of a type returns for a value."""
    if target == "item":
        if NULL in value.values():
            raise Refused
        return {name: expected(value[name], type) for name, type in MEMBERS.items()}
    kind, bits = TARGETS[target]
    if kind == "t":
        if not isinstance(value, str):
            raise OtherKind
        if "\0" in value:
            raise Refused
        return value
    if isinstance(value, str):
        raise OtherKind
    if kind == "b":
        if isinstance(value, float):
            raise OtherKind
        if value not in (0, 1):
            raise Refused
        return bool(value)
    if kind in "iu":
        if isinstance(value, float) and not value.is_integer():
            raise Refused
        if isinstance(value, decimal.Decimal) and value != value.to_integral_value():
            raise Refused
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if kind == "i" else (0, 2**bits - 1)
        if not low <= int(value) <= high:
            raise Refused
        return int(value)
    if isinstance(value, bool):
        raise OtherKind
    if isinstance(value, int) or isinstance(value, decimal.Decimal) and value == value.to_integral_value():
        digits = 53 if bits == 64 else 24
        number = abs(int(value))
        while number and number % 2 == 0:
            number //= 2
        if number >= 2**digits:
            raise Refused
    number = float(value)
    if bits == 64:
        return number
    with numpy.errstate(over="ignore"):
        narrow = float(numpy.float32(number))
    if math.isinf(narrow) and not math.isinf(number):
        raise Refused
    return narrow


def is_same(left: Any, right: Any) -> bool:
    """Whether two values are the same, NaN and the signs of zeros included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(is_same(left[name], right[name]) for name in left)
    if isinstance(left, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right) or math.isnan(left) and math.isnan(right)
    return bool(left == right)


class Draw(NamedTuple):
    """A column of a library, and its values in Python."""

    producer: str
    column: Any
    values: list[Any]
    target: str
    is_typed: bool
    """Whether the library knows the type of the elements, also of none."""


INTEGERS = [0, 1, 2, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, 65535, 65536, 2**24, 2**24 + 1, 2**31 - 1, 2**31, -(2**31),
            2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**62 + 2**40, 2**63 - 1, -(2**63), 2**63, 2**64 - 1]  # fmt: skip
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.1, 1.5, 255.0, 256.0, 2.0**24 + 1, 2.0**31, 2.0**53, 2.0**63, -(2.0**63), 1e300, 5e-324,
          math.inf, -math.inf, math.nan]  # fmt: skip
TEXTS = ["", "a", "ä", "日本語", "😀", "x" * 12, "x" * 13, "long " * 30, "1", "nan", "None"]
NUMPY = {"i": ["i1", "i2", "i4", "i8"], "u": ["u1", "u2", "u4", "u8"], "f": ["f2", "f4", "f8"], "b": ["?"]}


def draw(source: random.Random) -> Draw:
    """Draws the type of a function, a type of elements, values, nulls, and the library that has them."""
    target = source.choice(list(TARGETS))
    kind = "t" if target == "text" else source.choice("iiuuffb")
    if source.random() < 0.03:
        kind = source.choice("tifb")
    count = source.choice([0, 1, 2, 3, 5, 8, 17, 64, 65])
    is_small = source.random() < 0.5
    dtype = "" if kind == "t" else source.choice(NUMPY[kind])
    values = [draw_value(source, kind, dtype, is_small) for _ in range(count)]
    if source.random() < 0.5:
        share = source.choice([0.2, 0.5, 1])
        values = [NULL if source.random() < share else value for value in values]
    producer = source.choice([name for name, (kinds, has_nulls, _) in PRODUCERS.items()
                              if kind in kinds and (has_nulls or NULL not in values)])  # fmt: skip
    _, _, make = PRODUCERS[producer]
    column, values = make(source, values, kind, dtype)
    return Draw(producer, column, values, target, not producer.startswith(("list", "object", "pandas object")))


def draw_value(source: random.Random, kind: str, dtype: str, is_small: bool) -> Any:
    if kind == "t":
        return source.choice(TEXTS)
    if kind == "b":
        return source.random() < 0.5
    if kind == "f":
        with numpy.errstate(over="ignore"):
            return float(numpy.dtype(dtype).type(source.choice([1.0, 2.0, 0.0, 3.0] if is_small else FLOATS)))
    limits = numpy.iinfo(dtype)
    return source.choice([value for value in ([0, 1, 2, 5] if is_small else INTEGERS) if limits.min <= value <= limits.max])


Made = tuple[Any, list[Any]]


def numpy_array(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    if kind == "t":
        return numpy.array(values, f"U{max(map(len, values), default=0) + 1}"), values
    return laid_out(source, numpy.array(values, dtype)), values


def laid_out(source: random.Random, array: Any) -> Any:
    """Returns an array with other strides or another byte order, and the same elements."""
    shape = source.choice(["plain", "strided", "reversed", "swapped"])
    if shape == "strided":
        wide = numpy.zeros(2 * len(array) + 1, array.dtype)
        wide[1::2] = array
        return wide[1::2]
    if shape == "reversed":
        return array[::-1].copy()[::-1]
    return array.astype(array.dtype.newbyteorder(">")) if shape == "swapped" else array


def masked_array(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    mask = [value is NULL for value in values]
    garbage = {"i": numpy.iinfo(dtype).max if kind == "i" else 0, "u": 0, "f": math.nan, "b": True}[kind]
    return numpy.ma.MaskedArray(numpy.array([garbage if is_null else value for value, is_null in zip(values, mask, strict=True)], dtype),
                                mask), values  # fmt: skip


def object_array(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    array = numpy.empty(len(values), object)
    array[:] = [source.choice([None, math.nan, pandas.NA]) if value is NULL else value for value in values]
    # In a column of objects NaN is missing.
    return array, [NULL if isinstance(value, float) and math.isnan(value) else value for value in values]


def string_array(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    return numpy.array(values, numpy.dtypes.StringDType(na_object=None)), values


def plain_list(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    return list(values), values


def pandas_numpy(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    series = pandas.Series(numpy.array(values, dtype))
    return series.sample(frac=1, random_state=1).sort_index() if source.random() < 0.3 else series, values


def pandas_object(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    array, values = object_array(source, values, kind, dtype)
    return pandas.Series(array, dtype=object), values


def pandas_nullable(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    if kind == "f":
        values = [NULL if value is not NULL and math.isnan(value) else value for value in values]
        dtype = source.choice(["Float32", "Float64"]) if dtype == "f2" else {"f4": "Float32", "f8": "Float64"}[dtype]
    else:
        dtype = "boolean" if kind == "b" else ("Int" if kind == "i" else "UInt") + str(8 * int(dtype[1]))
    return pandas.Series(values, dtype=dtype), values


def pandas_arrow(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    return pandas.Series(pandas.arrays.ArrowExtensionArray(arrow(values, kind, dtype))), values


def pandas_text(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    return pandas.Series(values, dtype=source.choice(["str", "string", "string[python]", "category"]) if values else "str"), values


def arrow_type(kind: str, dtype: str) -> Any:
    return pyarrow.string() if kind == "t" else pyarrow.from_numpy_dtype(numpy.dtype(dtype))


def arrow(values: list[Any], kind: str, dtype: str) -> Any:
    if dtype == "f2":
        values = [value if value is NULL else numpy.float16(value) for value in values]
    return pyarrow.array(values, arrow_type(kind, dtype))


def sliced(source: random.Random, values: list[Any], kind: str, dtype: str) -> Any:
    """Returns an array that begins within its buffers."""
    before = values[: source.choice([0, 1, 3])]
    return arrow(before + values, kind, dtype).slice(len(before))


def arrow_array(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    return sliced(source, values, kind, dtype), values


def arrow_chunks(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    cut = source.randint(0, len(values))
    chunks = [sliced(source, values[:cut], kind, dtype), sliced(source, values[cut:], kind, dtype)]
    return pyarrow.chunked_array(chunks, arrow_type(kind, dtype)), values


def arrow_dictionary(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    before = values[: source.choice([0, 1, 3])]
    return arrow(before + values, kind, dtype).dictionary_encode().slice(len(before)), values


def arrow_runs(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    doubled = [value for value in values for _ in range(2)]
    array = pyarrow.compute.run_end_encode(arrow(doubled, kind, dtype))
    cut = min(1, len(doubled))
    return array.slice(cut), doubled[cut:]


def arrow_text(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    type = source.choice([pyarrow.large_string(), pyarrow.string_view(), pyarrow.string()])
    before = [NULL, "before the slice"][: source.randint(0, 2)]
    return pyarrow.array(before + values, type).slice(len(before)), values


def arrow_decimal(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    scale = source.choice([0, 0, 2])
    numbers = [value if value is NULL else decimal.Decimal(value) for value in values]
    if scale and source.random() < 0.5:
        # Their digits are integers above 2**53, which no double has.
        numbers = [value if value is NULL or source.random() < 0.5 else decimal.Decimal("90071992547410.01") for value in numbers]
    elif scale:
        numbers = [value if value is NULL or source.random() < 0.8 else value + decimal.Decimal("0.25") for value in numbers]
    types = [pyarrow.decimal128(18, scale), pyarrow.decimal128(20, scale), pyarrow.decimal128(30, scale)]
    types.append(pyarrow.decimal256(50, scale))
    largest = max((abs(value) for value in numbers if value is not NULL), default=0)
    return pyarrow.array(numbers, source.choice([type for type in types if largest < 10 ** (type.precision - scale)])), numbers


def polars_series(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    types = {
        "i1": polars.Int8, "i2": polars.Int16, "i4": polars.Int32, "i8": polars.Int64, "u1": polars.UInt8, "u2": polars.UInt16,
        "u4": polars.UInt32, "u8": polars.UInt64, "f2": polars.Float32, "f4": polars.Float32, "f8": polars.Float64, "?": polars.Boolean,
        "": source.choice([polars.String, polars.Categorical]),
    }  # fmt: skip
    cut = source.randint(0, len(values))
    series = polars.Series("x", values[:cut], types[dtype])
    series.append(polars.Series("x", values[cut:], types[dtype]))
    return series, values


def nano(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    array = sliced(source, values, kind, dtype)
    return nanoarrow.Array(array) if source.random() < 0.5 else nanoarrow.c_array(array), values


class Capsules:
    """An array of a producer that has capsules alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.array.__arrow_c_array__(requested_schema)


class DeviceCapsules:
    """An array of a producer that has capsules of any device alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_device_array__(self, requested_schema: Any = None, **options: Any) -> Any:
        return self.array.__arrow_c_device_array__(requested_schema, **options)


def capsules(source: random.Random, values: list[Any], kind: str, dtype: str) -> Made:
    return source.choice([Capsules, DeviceCapsules])(sliced(source, values, kind, dtype)), values


# The kinds of elements that a producer takes, and whether it has nulls.
PRODUCERS: dict[str, tuple[str, bool, Callable[[random.Random, list[Any], str, str], Made]]] = {
    "numpy": ("iufbt", False, numpy_array), "masked array": ("iufb", True, masked_array), "object array": ("iufbt", True, object_array),
    "string array": ("t", True, string_array), "list": ("iufbt", True, plain_list), "pandas": ("iufb", False, pandas_numpy),
    "pandas object": ("iufbt", True, pandas_object), "pandas nullable": ("iufb", True, pandas_nullable),
    "pandas arrow": ("iufbt", True, pandas_arrow), "pandas text": ("t", True, pandas_text), "pyarrow": ("iufbt", True, arrow_array),
    "pyarrow chunks": ("iufbt", True, arrow_chunks), "pyarrow dictionary": ("iufbt", True, arrow_dictionary),
    "pyarrow runs": ("iubt", True, arrow_runs), "pyarrow text": ("t", True, arrow_text), "pyarrow decimal": ("iu", True, arrow_decimal),
    "polars": ("iufbt", True, polars_series), "nanoarrow": ("iufbt", True, nano), "capsules": ("iufbt", True, capsules),
}  # fmt: skip


def draw_structs(source: random.Random) -> Draw:
    """Draws a column of structs, whose members have any order and types of their own."""
    count = source.choice([0, 1, 2, 3, 5, 8, 65])
    is_small = source.random() < 0.7
    dtypes = {
        name: source.choice([dtype for kind in ("bi" if type == "bool" else "iuf") for dtype in NUMPY[kind] if dtype != "f2"])
        for name, type in source.sample(list(MEMBERS.items()), len(MEMBERS))
    }  # fmt: skip
    kinds = {name: numpy.dtype(dtype).kind for name, dtype in dtypes.items()}
    rows: list[Any] = [
        {name: draw_value(source, kinds[name], dtype, is_small) for name, dtype in dtypes.items()} for _ in range(count)
    ]  # fmt: skip
    for row in rows:
        if kinds["is_open"] == "i" and source.random() < 0.9:
            row["is_open"] = source.choice([0, 1])
    producer = source.choice(list(STRUCT_PRODUCERS))
    has_nulls, has_null_members, make = STRUCT_PRODUCERS[producer]
    if has_nulls and source.random() < 0.5:
        share = source.choice([0.2, 0.5, 1])
        rows = [NULL if source.random() < share else row for row in rows]
    if has_null_members and source.random() < 0.2:
        rows = [row if row is NULL or source.random() < 0.8 else row | {source.choice(list(MEMBERS)): NULL} for row in rows]
    return Draw(producer, make(source, rows, dtypes), rows, "item", producer != "list")


def garbage(dtype: str) -> Any:
    """Returns a value for a member of a null struct, which nobody may read."""
    kind = numpy.dtype(dtype).kind
    return math.nan if kind == "f" else kind == "b" or int(numpy.iinfo(dtype).max)


def members(rows: list[Any], name: str, dtype: str) -> list[Any]:
    return [garbage(dtype) if row is NULL else row[name] for row in rows]


def structured(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    array = numpy.empty(len(rows), numpy.dtype(list(dtypes.items()), align=source.random() < 0.5))
    for name, dtype in dtypes.items():
        array[name] = members(rows, name, dtype)
    return laid_out(source, array)


def masked_structs(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    array = numpy.ma.MaskedArray(structured(source, rows, dtypes))
    array[[row is NULL for row in rows]] = numpy.ma.masked
    return array


def arrow_structs(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    before = [*rows[:1], NULL][: source.choice([0, 1, 2])]
    rows = before + rows
    children = [sliced(source, members(rows, name, dtype), numpy.dtype(dtype).kind, dtype) for name, dtype in dtypes.items()]
    mask = pyarrow.array([row is NULL for row in rows], pyarrow.bool_())
    return pyarrow.StructArray.from_arrays(children, list(dtypes), mask=mask).slice(len(before))


def arrow_struct_chunks(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    cut = source.randint(0, len(rows))
    return pyarrow.chunked_array([arrow_structs(source, rows[:cut], dtypes), arrow_structs(source, rows[cut:], dtypes)])


def struct_capsules(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    return source.choice([Capsules, DeviceCapsules, nanoarrow.Array])(arrow_structs(source, rows, dtypes))


def frame_of_pandas(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    columns = {name: [row[name] for row in rows] for name in dtypes}
    return pandas.DataFrame({
        name: (pandas_arrow if NULL in values else source.choice([pandas_numpy, pandas_arrow]))(
            source, values, numpy.dtype(dtypes[name]).kind, dtypes[name])[0]
        for name, values in columns.items()
    })  # fmt: skip


def polars_structs(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    return polars.Series("x", polars.from_arrow(arrow_struct_chunks(source, rows, dtypes)))


def frame_of_polars(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    return polars.DataFrame({
        name: polars_series(source, [row[name] for row in rows], numpy.dtype(dtype).kind, dtype)[0]
        for name, dtype in dtypes.items()
    })  # fmt: skip


def list_of_structs(source: random.Random, rows: list[Any], dtypes: dict[str, str]) -> Any:
    """Returns dictionaries, and tuples, whose members go by position."""
    return [row if row is NULL or source.random() < 0.5 else tuple(row[name] for name in MEMBERS) for row in rows]


# Whether the structs may be null, and their members.
STRUCT_PRODUCERS: dict[str, tuple[bool, bool, Callable[[random.Random, list[Any], dict[str, str]], Any]]] = {
    "numpy structs": (False, False, structured), "masked structs": (True, False, masked_structs),
    "pyarrow": (True, True, arrow_structs), "pyarrow chunks": (True, True, arrow_struct_chunks),
    "capsules": (True, True, struct_capsules), "polars": (True, True, polars_structs),
    "frame of pandas": (False, True, frame_of_pandas), "frame of polars": (False, True, frame_of_polars),
    "list": (True, True, list_of_structs),
}  # fmt: skip


class Subject:
    """The functions, and the directory of their plugin for the engines."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.host = troupe.Host(directory)
        self.connections = threading.local()

    def connection(self) -> duckdb.DuckDBPyConnection:
        """Returns the connection of this thread, which has the functions under both values of `on_error`."""
        if not hasattr(self.connections, "value"):
            self.connections.value = duckdb.connect()
            for target in (*TARGETS, "item"):
                register(self.connections.value, self.host.functions[f"same_{target}"], name=f"{target}_raise")
                register(self.connections.value, self.host.functions[f"same_{target}"], name=f"{target}_null", on_error="null")
        return self.connections.value


@pytest.fixture(scope="module")
def subject(directory_of: Callable[[str], Path]) -> Iterator[Subject]:
    subject = Subject(directory_of("engines/plugins/same.c"))
    # Dask would convert objects to texts.
    with dask.config.set({"dataframe.convert-string": False}):
        yield subject
    subject.host.close()


def to_list(result: Any) -> list[Any]:
    if isinstance(result, pandas.Series):
        is_null = result.isna() if not isinstance(result.dtype, numpy.dtype) else numpy.zeros(len(result), bool)
        if hasattr(result.dtype, "pyarrow_dtype"):
            return pyarrow.array(result.array).to_pylist()
        return [NULL if missing else value for value, missing in zip(result.tolist(), is_null, strict=True)]
    if isinstance(result, polars.Series):
        return result.to_list()
    return result.to_pylist() if hasattr(result, "to_pylist") else result.tolist()


def to_structs(result: Any) -> list[Any]:
    """Returns the structs as dictionaries. A frame and a masked array have a null in each member of a null."""
    if isinstance(result, pandas.DataFrame):
        values: Any = zip(*(to_list(result[name]) for name in MEMBERS), strict=True)
    else:
        values = to_list(result)
    rows = [value if value is NULL or isinstance(value, dict) else dict(zip(MEMBERS, value, strict=True)) for value in values]
    return [NULL if row is NULL or all(member is NULL for member in row.values()) else row for row in rows]


def outcome(make: Callable[[], Any], target: str) -> Any:
    """Returns the values of a result, or the code of an error."""
    try:
        return to_structs(make()) if target == "item" else to_list(make())
    except troupe.Error as error:
        return error.code
    except (polars.exceptions.ComputeError, duckdb.Error) as error:
        assert "same_" in str(error), error
        return "invalidData"


def check(drawn: Draw, result: Any, wanted: Any, way: str) -> None:
    is_right = result == wanted if isinstance(wanted, str) or isinstance(result, str) else len(result) == len(wanted) and all(
        map(is_same, result, wanted))  # fmt: skip
    assert is_right, f"{way} of {drawn.target} over {drawn.producer} {drawn.values!r}: {result!r}, not {wanted!r}"


def right_answers(drawn: Draw) -> tuple[Any, Any]:
    """Returns what plain Python says: the values or the code of the error, for both values of `on_error`."""
    strict: Any = []
    lenient: Any = []
    for value in drawn.values:
        if value is NULL:
            strict.append(NULL)
            lenient.append(NULL)
            continue
        try:
            number = expected(value, drawn.target)
        except OtherKind:
            return "invalidData", "invalidData"
        except Refused:
            strict.append(Refused)
            lenient.append(NULL)
        else:
            strict.append(number)
            lenient.append(number)
    return "invalidData" if Refused in strict else strict, lenient


def ways(drawn: Draw, subject: Subject, on_error: Literal["raise", "null"]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Returns the ways to call the function over the column."""
    name, column = f"same_{drawn.target}", drawn.column
    function = subject.host.functions[name]
    yield "map", lambda: function.map(column, on_error=on_error)
    if drawn.producer == "numpy" and column.dtype.kind in "iufb" and function.ufunc is not None and on_error == "raise":
        yield "call", lambda: function(column)
        if column.dtype == function.signature.parameters[0].type.dtype:
            yield "ufunc", lambda: function.ufunc(column)
    if drawn.producer in ("numpy", "masked array", "object array", "numpy structs", "masked structs") and len(column) > 0:
        array = dask.array.from_array(column, chunks=max(1, len(column) // 2))
        yield "map_blocks", lambda: map_blocks(name, array, plugins=subject.directory, on_error=on_error).compute(scheduler="sync")
    is_pandas, is_struct = drawn.producer.startswith("pandas"), drawn.target == "item"
    if (is_pandas or is_struct and drawn.producer == "pyarrow") and len(column) > 0:
        source = column if is_pandas else pandas.Series(pandas.arrays.ArrowExtensionArray(column))
        series = dask.dataframe.from_pandas(source.to_frame("x"), npartitions=2).x
        options: Any = {"plugins": subject.directory, "on_error": on_error}
        yield "map_partitions", lambda: map_partitions(name, series, **options).compute(scheduler="sync")
    if drawn.producer == "polars":
        frame = polars.DataFrame({"x": column})
        expression = polars.col("x").troupe.call(function, on_error=on_error)
        yield "Polars", lambda: frame.select(expression).to_series()
        yield "Polars, lazy", lambda: frame.lazy().select(expression).collect().to_series()
    if drawn.producer in ("pyarrow", "pyarrow chunks", "pyarrow text", "polars") and "f2" not in str(column):
        table = pyarrow.table({"x": pyarrow.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else column})
        if not any(pyarrow.types.is_float16(field.type) for field in table.schema):
            connection = subject.connection()
            query = f"SELECT {drawn.target}_{on_error}(x) AS y FROM table_of_x"
            yield "DuckDB", lambda: connection.register("table_of_x", table).sql(query).to_arrow_table()["y"]


def check_draw(subject: Subject, drawn: Draw) -> None:
    strict, lenient = right_answers(drawn)
    if all(value is NULL for value in drawn.values):
        # A typed column of another kind is refused, although no value is.
        for way, make in ways(drawn, subject, "raise"):
            result = outcome(make, drawn.target)
            assert result == drawn.values or result == "invalidData" and drawn.is_typed, f"{way} of {drawn}: {result}"
        return
    for way, make in ways(drawn, subject, "raise"):
        check(drawn, outcome(make, drawn.target), strict, way)
    for way, make in ways(drawn, subject, "null"):
        check(drawn, outcome(make, drawn.target), lenient, f"{way} with on_error='null'")
    function = subject.host.functions[f"same_{drawn.target}"]
    for value in drawn.values:
        if value is not NULL:
            try:
                single: Any = function(value)
                single = single._asdict() if drawn.target == "item" else single
            except troupe.Error as error:
                single = error.code
            try:
                wanted = expected(value, drawn.target)
            except (Refused, OtherKind):
                wanted = "invalidData"
            assert single == wanted if isinstance(wanted, str) else is_same(single, wanted), f"{drawn.target}({value!r}): {single!r}"


@pytest.mark.parametrize(("draw", "count"), [(draw, COLUMNS), (draw_structs, COLUMNS // 4)])
def test_columns_of_every_library_agree_with_plain_python(
    subject: Subject, draw: Callable[[random.Random], Draw], count: int
) -> None:
    base = int(os.environ.get("TROUPE_SEED", "37"))
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(lambda seed: check_draw(subject, draw(random.Random(seed))), range(base * count, (base + 1) * count)):
            pass


# A column, the type of the function, and what the function returns for the column that the remedy makes; None if the remedy's
# conversion fails, since the column has a value that the type does not hold.
REMEDIES: list[tuple[Any, str, list[Any] | None]] = [
    (numpy.array([1.0, math.nan]), "int64_t", [1, NULL]), (pandas.Series([1.0, math.nan]), "int64_t", [1, NULL]),
    (polars.Series([1.0, math.nan]), "int64_t", [1, NULL]), (pyarrow.array([1.0, math.nan]), "int64_t", [1, NULL]),
    (numpy.array(["1", "2"]), "int64_t", [1, 2]), (numpy.array(["1", "x"]), "int64_t", None),
    (pandas.Series(["1", "2"]), "int64_t", [1, 2]), (pandas.Series(["1", "x"]), "double", None),
    (polars.Series(["1", "2"]), "uint8_t", [1, 2]), (polars.Series(["1", "300"]), "uint8_t", None),
    (pyarrow.array(["1", "2"]), "double", [1.0, 2.0]), (pyarrow.array(["1.5"]), "int64_t", None),
    (numpy.array([True]), "double", [1.0]), (pandas.Series([True]), "double", [1.0]), (polars.Series([True]), "double", [1.0]),
    (pyarrow.array([True]), "double", [1.0]), (numpy.array([1, 2]), "text", ["1", "2"]), (pandas.Series([1, 2]), "text", ["1", "2"]),
    (polars.Series([1, None]), "text", ["1", NULL]), (pyarrow.array([1, None]), "text", ["1", NULL]),
    (numpy.array(["2026-01-01", "NaT"], "M8[D]"), "int64_t", [1767225600000, NULL]),
    (numpy.array([5, 7], "m8[s]"), "int64_t", [5, 7]),
    (pandas.Series(pandas.to_datetime(["2026-01-01", None])).astype("M8[us]"), "int64_t", [1767225600000000, NULL]),
    (pandas.Series(pandas.to_datetime(["2026-01-01 00:00:00.0001"])).astype("M8[us]"), "int64_t", [1767225600000100]),
    (polars.Series([None]).cast(polars.Date), "int64_t", [NULL]), (polars.Series([5]).cast(polars.Duration("ms")), "int64_t", [5]),
    (pyarrow.array([1, None], pyarrow.date32()), "int64_t", [86400000, NULL]),
    (pyarrow.array([1], pyarrow.time32("s")), "int64_t", [1000000000]), (pyarrow.array([1], pyarrow.duration("s")), "int64_t", [1]),
    (pyarrow.array([1, None], pyarrow.timestamp("us")), "int64_t", [1, NULL]),
]  # fmt: skip


@pytest.mark.parametrize(("column", "target", "answer"), REMEDIES)
def test_remedies_name_a_conversion_that_checks(subject: Subject, column: Any, target: str, answer: list[Any] | None) -> None:
    function = subject.host.functions[f"same_{target}"]
    with pytest.raises(troupe.InvalidData) as caught:
        function.map(column)
    conversion = re.split("convert it with |a null: ", caught.value.remedy)[1]
    names = {"column": column, "numpy": numpy, "pandas": pandas, "polars": polars, "pyarrow": pyarrow}
    if answer is not None:
        assert to_list(function.map(eval(conversion, names))) == answer
        return
    with pytest.raises((ValueError, TypeError, polars.exceptions.PolarsError)):
        eval(conversion, names)


# As REMEDIES, with an expression of SQL for the column.
SQL_REMEDIES: list[tuple[str, str, list[Any] | None]] = [
    ("unnest([1::DOUBLE, 'nan'])", "int64_t", [1, NULL]), ("unnest([1::FLOAT, 'nan'])", "uint8_t", [1, NULL]),
    ("unnest(['1.5', NULL])", "double", [1.5, NULL]), ("unnest(['1.5', 'x'])", "double", None), ("true", "double", [1.0]),
    ("unnest([1, NULL])", "text", ["1", NULL]), ("DATE '1970-01-02'", "int64_t", [86400 * 10**9]),
    ("TIMESTAMP '1970-01-01 00:00:00.000001'", "int64_t", [1000]), ("TIME '00:00:01'", "int64_t", [10**9]),
    ("TIMESTAMP '3000-01-01'", "int64_t", None),
]  # fmt: skip


@pytest.mark.parametrize(("column", "target", "answer"), SQL_REMEDIES)
def test_remedies_in_duckdb_are_its_own(subject: Subject, column: str, target: str, answer: list[Any] | None) -> None:
    connection, table = subject.connection(), f"(SELECT {column} AS column_of_table)"

    def query(expression: str) -> list[Any]:
        rows = connection.sql(f"SELECT {target}_raise({expression}) FROM {table}").fetchall()
        return [value for (value,) in rows]

    with pytest.raises(duckdb.Error) as caught:
        query("column_of_table")
    conversion = re.split("convert it with |a null: ", str(caught.value).splitlines()[0])[1].replace("column", "column_of_table")
    if answer is None:
        with pytest.raises(duckdb.Error, match="Conversion Error"):
            query(conversion)
    else:
        assert query(conversion) == answer


def test_duckdb_has_no_conversion_of_text_to_integers_that_checks(subject: Subject) -> None:
    with pytest.raises(duckdb.Error, match="pass a column of that type"):
        subject.connection().sql("SELECT int64_t_raise('1.5')").fetchall()


# As REMEDIES, for columns of Dask.
DASK_REMEDIES: list[tuple[Any, str, list[Any] | None]] = [
    (dask.array.from_array(numpy.array([1.0, math.nan])), "int64_t", [1, NULL]),
    (dask.array.from_array(numpy.array(["1", "2"])), "int64_t", [1, 2]), (dask.array.from_array(numpy.array(["1", "x"])), "int64_t", None),
    (dask.array.from_array(numpy.array([True])), "double", [1.0]), (dask.array.from_array(numpy.array([1, 2])), "text", ["1", "2"]),
    (dask.dataframe.from_pandas(pandas.Series([1.0, math.nan])), "int64_t", [1, NULL]),
    (dask.dataframe.from_pandas(pandas.Series(["1", "2"])), "int64_t", [1, 2]),
    (dask.dataframe.from_pandas(pandas.Series(["1", "x"])), "double", None),
    (dask.dataframe.from_pandas(pandas.Series([True])), "double", [1.0]),
    (dask.dataframe.from_pandas(pandas.Series([1, 2])), "text", ["1", "2"]),
    (dask.dataframe.from_pandas(pandas.Series(pandas.to_datetime(["2026-01-01", None])).astype("M8[us]")), "int64_t",
     [1767225600000000, NULL]),
    (dask.dataframe.from_pandas(pandas.Series(pandas.to_timedelta(["5s"])).astype("m8[us]")), "int64_t", [5000000]),
]  # fmt: skip


@pytest.mark.parametrize(("column", "target", "answer"), DASK_REMEDIES)
def test_remedies_in_dask_are_its_own(subject: Subject, column: Any, target: str, answer: list[Any] | None) -> None:
    def compute(column: Any) -> list[Any]:
        apply = map_blocks if isinstance(column, dask.array.Array) else map_partitions
        return to_list(apply(f"same_{target}", column, plugins=subject.directory, on_error="null").compute())

    def fail(column: Any) -> str:
        apply = map_blocks if isinstance(column, dask.array.Array) else map_partitions
        with pytest.raises(troupe.InvalidData) as caught:
            apply(f"same_{target}", column, plugins=subject.directory).compute()
        return caught.value.remedy

    conversion = re.split("convert it with |a null: ", fail(column))[1]
    names = {"column": column, "dask": dask}
    if answer is not None:
        assert compute(eval(conversion, names)) == answer
        return
    with pytest.raises((ValueError, TypeError)):
        eval(conversion, names).compute()


@pytest.mark.parametrize(
    ("column", "target", "answer"),
    [([1.0, math.nan], "int64_t", [1, NULL]), (["1", "300"], "uint8_t", None), ([True], "double", [1.0]), ([5], "text", ["5"])],
)
def test_remedies_in_polars_are_expressions(subject: Subject, column: list[Any], target: str, answer: list[Any] | None) -> None:
    frame = polars.LazyFrame({"x": column})

    def query(expression: polars.Expr) -> list[Any]:
        call = expression.troupe.call(f"same_{target}", plugins=subject.directory)  # type: ignore[attr-defined]
        return frame.select(call).collect().to_series().to_list()

    with pytest.raises((troupe.InvalidData, polars.exceptions.PolarsError)) as caught:
        query(polars.col("x"))
    conversion = re.split("convert it with |a null: ", str(caught.value).splitlines()[0])[1]
    expression = eval(conversion, {"column": polars.col("x"), "polars": polars})
    if answer is not None:
        assert query(expression) == answer
        return
    with pytest.raises(polars.exceptions.PolarsError):
        query(expression)


@pytest.mark.parametrize("column", [numpy.array([0.5]), pandas.Series([0.5]), polars.Series([0.5]), pyarrow.array([0.5])])
def test_no_remedy_makes_booleans_of_fractions(subject: Subject, column: Any) -> None:
    with pytest.raises(troupe.InvalidData) as caught:
        subject.host.functions["same_bool"].map(column)
    assert caught.value.remedy == "pass booleans, or integers that are 0 or 1"


# Spark has no other types of numbers.
SPARK = {"i1": "tinyint", "i2": "smallint", "i4": "int", "i8": "bigint", "f4": "float", "f8": "double", "?": "boolean", "": "string"}
SPARK_COLUMNS = 100


def test_columns_of_spark_agree_with_plain_python(spark: Any, subject: Subject) -> None:
    """Frames with many columns, since a job of Spark takes a fraction of a second."""
    from troupe.spark import udf

    source = random.Random(int(os.environ.get("TROUPE_SEED", "37")))
    fields, columns, functions, answers = [], [], [], []
    functions_by_target = {target: udf(f"same_{target}", plugins=subject.directory, on_error="null") for target in TARGETS}
    count = 40
    while len(columns) < SPARK_COLUMNS:
        target = source.choice(list(TARGETS))
        kind = "t" if target == "text" else source.choice("iiffb")
        dtype = "" if kind == "t" else source.choice([name for name in NUMPY[kind] if name in SPARK])
        values = [NULL if source.random() < 0.2 else draw_value(source, kind, dtype, False) for _ in range(count)]
        _, lenient = right_answers(Draw("Spark", None, values, target, True))
        if lenient == "invalidData":
            continue
        fields.append(f"c{len(columns)} {SPARK[dtype]}")
        columns.append(arrow(values, kind, dtype).to_pylist())
        functions.append(functions_by_target[target](f"c{len(functions)}").alias(f"r{len(functions)}"))
        answers.append(Draw("Spark", None, lenient, target, True))
    frame = spark.createDataFrame(list(zip(*columns, strict=True)), ", ".join(fields)).repartition(2)
    rows = frame.select(*fields_of(fields), *functions).collect()
    for index, answer in enumerate(answers):
        # The rows come in any order, with their values.
        wanted = {repr(value): result for value, result in zip(columns[index], answer.values, strict=True)}
        for row in rows:
            value, result = row[f"c{index}"], row[f"r{index}"]
            result = int(result) if isinstance(result, decimal.Decimal) else result
            check(answer, [result], [wanted[repr(value)]], f"Spark with {value!r}")


def fields_of(fields: list[str]) -> list[str]:
    return [field.split()[0] for field in fields]


@pytest.mark.parametrize(
    ("column", "target", "answer"),
    [
        ("explode(array(1D, double('NaN')))", "int64_t", [1, NULL]), ("'12'", "int64_t", [12]), ("'1.5'", "int64_t", None),
        ("'1.5'", "double", [1.5]), ("'x'", "double", None), ("true", "double", [1.0]), ("5", "text", ["5"]),
        ("DATE '1970-01-02'", "int64_t", [86400 * 10**6]), ("TIMESTAMP '1970-01-01 00:00:00.000001'", "int64_t", [1]),
    ],
)  # fmt: skip
def test_remedies_in_spark_are_its_own(spark: Any, subject: Subject, column: str, target: str, answer: list[Any] | None) -> None:
    from pyspark.sql import functions

    from troupe.spark import udf

    function = udf(f"same_{target}", plugins=subject.directory)
    frame = spark.sql(f"SELECT {column} AS x")
    with pytest.raises(Exception, match="InvalidData") as caught:
        frame.select(function(frame.x)).collect()
    (remedy,) = re.findall("(?:convert it with |a null: )(.*)", str(caught.value))[:1]
    conversion, _, option = remedy.partition(" and ")
    names = {"column": frame.x} | {name: getattr(functions, name) for name in ("lit", "nanvl", "unix_micros")}
    result = frame.select(function(eval(conversion, names)))
    options = {"spark.sql.session.timeZone": "UTC"} | ({option: "true"} if option else {})
    for name, value in options.items():
        spark.conf.set(name, value)
    try:
        if answer is not None:
            assert [value for (value,) in result.collect()] == answer
            return
        with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
            result.collect()
    finally:
        for name in options:
            spark.conf.unset(name)
