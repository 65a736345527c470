"""Functions of plugins in Polars.

Importing this module registers the namespace ``troupe`` of expressions::

    import polars
    import troupe.polars

    frame.with_columns(radius=polars.col("x").troupe.call("hypot", polars.col("y"), plugins="plugins"))

The expressions work in eager and lazy frames, in groups and windows, and with the streaming engine. Polars knows their types from the
signatures of the functions, without a call. The function gets the memory of a column in one call of C, without copies of columns that
have the types of the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import polars

from ._engines import arrow, functions
from ._engines.functions import OnError
from ._engines.hosts import PathLike
from ._troupe import Function

__all__ = ["Expressions"]

_types = {
    "bool": polars.Boolean, "int8": polars.Int8, "int16": polars.Int16, "int32": polars.Int32, "int64": polars.Int64,
    "uint8": polars.UInt8, "uint16": polars.UInt16, "uint32": polars.UInt32, "uint64": polars.UInt64, "float": polars.Float32,
    "double": polars.Float64, "string": polars.String,
}  # fmt: skip


@polars.api.register_expr_namespace("troupe")
class Expressions:
    """The methods of ``polars.col("x").troupe``."""

    def __init__(self, column: polars.Expr) -> None:
        self._column = column

    def call(
        self, function: str | UUID | Function, *arguments: Any, plugins: PathLike | None = None, on_error: OnError = "raise"
    ) -> polars.Expr:
        """Calls a function of a plugin for all rows. The expression is the first argument.

        :param function: the name or the UUID of a function in `plugins`, or a function of a `troupe.Host`.
        :param arguments: one argument for each further parameter: an expression, the name of a column, or a number for all rows; a text
            for all rows is ``polars.lit("text")``. A buffer is a NumPy array or bytes, one for all rows.
        :param plugins: the directory of the plugins. This process starts one host for it, and another one after a change of its files.
        :param on_error: ``"raise"`` the error of the first failing row, or make the row ``"null"``: one that the function refuses, or
            whose value cannot be passed.

        Rows with a null are null, and the function is not called for them. A NaN is a number. A number that the parameter cannot hold
        exactly is `InvalidData`, whatever the column's type. A struct is a struct, and several results are one with the names of the
        results in `Function.map`.

        Raises the errors of `Host.function`, `Usage` for another number of arguments, and `InvalidSignature` for a parameter or result
        that is no column. The query raises the errors of `Function.map`, and those of the plugin.
        """
        loaded = functions.loaded_function(function, plugins)
        functions.check_on_error(loaded.function.name, on_error)
        values = (self._column, *arguments)
        wholes = {
            index: value for index, (value, parameter) in enumerate(zip(values, loaded.parameters, strict=False))
            if parameter.passing == "buffer" and not isinstance(value, polars.Expr)
        }  # fmt: skip
        functions.check_arguments(loaded, values, [index for index in range(len(values)) if index not in wholes])
        types = [arrow.column_type(loaded.function, type, _types, _struct) for type in loaded.types]
        dtype = _struct(list(zip(loaded.names, types, strict=True))) if loaded.has_record else types[0]

        def compute(series: Sequence[polars.Series]) -> polars.Series:
            columns = iter(series)
            arguments = [wholes[index] if index in wholes else next(columns) for index in range(len(values))]
            results = loaded.map(arguments, on_error, "polars")
            if not loaded.has_record:
                return polars.Series(results[0], dtype=dtype)
            members = [polars.Series(result, dtype=type).alias(name) for name, result, type in zip(loaded.names, results, types, strict=True)]
            # A row is null in all results, and then the struct is null.
            is_null = polars.all_horizontal(polars.all().is_null())
            return polars.DataFrame(members).select(polars.when(~is_null).then(polars.struct(polars.all()))).to_series()

        columns = [
            value if isinstance(value, (str, polars.Expr)) else polars.lit(value)
            for index, value in enumerate(values) if index not in wholes
        ]  # fmt: skip
        return polars.map_batches(columns, compute, return_dtype=dtype, is_elementwise=True)


def _struct(members: list[tuple[str, Any]]) -> polars.Struct:
    return polars.Struct([polars.Field(name, type) for name, type in members])
