"""Results as columns of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from .._troupe import Function, Type
from ..errors import InvalidSignature
from .functions import LoadedFunction, OnError

# 128-bit integers have no Arrow type.
_arrow_names = {
    "bool": "bool_", "float": "float32", "double": "float64", "string": "string", "wide string": "string",
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
}  # fmt: skip


def arrow_type(function: Function, type: Type) -> Any:
    """Returns the `pyarrow.DataType` of a result. Raises `InvalidSignature` if there is none."""
    import pyarrow

    if type.kind in _arrow_names:
        return getattr(pyarrow, _arrow_names[type.kind])()
    if type.kind == "enum" and type.element is not None:
        return arrow_type(function, type.element)
    if type.kind == "struct" and type.members and all(name for name, _, _ in type.members):
        return pyarrow.struct([(name, arrow_type(function, member)) for name, member, _ in type.members])
    remedy = "call it with troupe.Host or as a Dask array"
    raise InvalidSignature(f"{function.name}: the result {type.name} is no Arrow column; {remedy}", subject=function.name, remedy=remedy)


def arrow_results(loaded: LoadedFunction, columns: Sequence[Any], on_error: OnError, types: Sequence[Any]) -> list[Any]:
    """Returns the results for all rows as Arrow arrays of the types."""
    return [_arrow_array(result, type) for result, type in zip(loaded.map(columns, on_error), types, strict=True)]


def _arrow_array(result: Any, type: Any) -> Any:
    """Returns a result of `Function.map` as an Arrow array of a type, which has the same values."""
    import pyarrow

    if not isinstance(result, numpy.ndarray):
        return result if result.type == type else result.cast(type)
    values: Any = numpy.ma.getdata(result)
    nulls: Any = None
    if isinstance(result, numpy.ma.MaskedArray):
        nulls = numpy.ma.getmaskarray(result)
        while nulls.dtype.names:
            # A row is null in all members or in none.
            nulls = nulls[nulls.dtype.names[0]]
    if values.dtype.names:
        members = [_arrow_array(values[field.name], field.type) for field in type]
        return pyarrow.StructArray.from_arrays(members, fields=list(type), mask=None if nulls is None else pyarrow.array(nulls))
    if values.dtype == object:
        return pyarrow.array(values.tolist(), type, mask=nulls)
    return pyarrow.array(values, mask=nulls).cast(type)
