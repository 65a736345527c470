"""Results as columns of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from .._troupe import Function, Type
from ..errors import InvalidSignature
from .functions import LoadedFunction, OnError

def column_type(function: Function, type: Type, kinds: Mapping[str, Any], struct: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    """Returns the type that an engine has for a result. Raises `InvalidSignature` if there is none.

    :param kinds: the engine's types for kinds of C: ``bool``, ``int8`` to ``uint64``, ``float``, ``double`` and ``string``. 128-bit
        integers have no Arrow type.
    :param struct: returns the engine's type for named members.
    """
    kind = "string" if type.kind == "wide string" else type.kind
    if kind in kinds:
        return kinds[kind]
    if kind == "enum" and type.element is not None:
        return column_type(function, type.element, kinds, struct)
    if kind == "struct" and type.members and all(name for name, _, _ in type.members):
        return struct([(name, column_type(function, member, kinds, struct)) for name, member, _ in type.members])
    remedy = "call it with troupe.Host or as a Dask array"
    raise InvalidSignature(f"{function.name}: the result {type.name} is no Arrow column; {remedy}", subject=function.name, remedy=remedy)


_integers = [f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)]


def arrow_type(function: Function, type: Type) -> Any:
    """Returns the `pyarrow.DataType` of a result. Raises `InvalidSignature` if there is none."""
    import pyarrow

    kinds = {"bool": "bool_", "float": "float32", "double": "float64", "string": "string"} | {name: name for name in _integers}
    return column_type(function, type, {kind: getattr(pyarrow, name)() for kind, name in kinds.items()}, pyarrow.struct)


def arrow_results(
    loaded: LoadedFunction, columns: Sequence[Any], on_error: OnError, types: Sequence[Any], engine: str
) -> list[Any]:
    """Returns the results of `LoadedFunction.map` as Arrow arrays of the types."""
    return [_arrow_array(result, type) for result, type in zip(loaded.map(columns, on_error, engine), types, strict=True)]


def _arrow_array(result: Any, type: Any) -> Any:
    """Returns a result of `Function.map` as an Arrow array of a type, which has the same values."""
    import pyarrow

    if not isinstance(result, numpy.ndarray):
        return _cast(result, type)
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
    return _cast(pyarrow.array(values, mask=nulls), type)


def _cast(array: Any, type: Any) -> Any:
    return array if array.type == type else array.cast(type)


def struct_array(names: Sequence[str], arrays: Sequence[Any]) -> Any:
    """Returns several results as one column of structs. A row is null in all results, and then the struct is null."""
    import pyarrow

    nulls = numpy.logical_and.reduce([array.is_null().to_numpy(zero_copy_only=False) for array in arrays])
    return pyarrow.StructArray.from_arrays(arrays, list(names), mask=pyarrow.array(nulls))
