"""Functions of plugins in DuckDB.

`register` makes a function of a plugin one of SQL::

    import duckdb
    from troupe.duckdb import register

    connection = duckdb.connect()
    register(connection, "hypot", plugins="plugins")
    connection.sql("SELECT hypot(x, y) FROM 'points.parquet'")

The function gets the vectors of DuckDB, up to 2,048 rows each, as Arrow arrays.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import duckdb
import pyarrow

from ._engines import arrow, functions
from ._engines.functions import OnError
from ._engines.hosts import PathLike
from ._troupe import Function

__all__ = ["register"]

_types = {
    "bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "uint8": "UTINYINT",
    "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT", "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR",
}  # fmt: skip


def register(
    connection: duckdb.DuckDBPyConnection, function: str | UUID | Function, *, name: str | None = None, plugins: PathLike | None = None,
    on_error: OnError = "raise",
) -> None:
    """Makes a function of a plugin a function of SQL in a connection.

    :param function: the name or the UUID of a function in `plugins`, or a function of a `troupe.Host`.
    :param name: the name in SQL, by default that of the function.
    :param plugins: the directory of the plugins. This process starts one host for it, and another one after a change of its files.
    :param on_error: ``"raise"`` the error of the first failing row, which fails the query, or make the row ``"null"``: one that the
        function refuses, or whose value cannot be passed.

    Rows with a NULL are NULL, and the function is not called for them. A NaN is a number. The type of the result is that of the
    signature. A struct is a ``STRUCT``, and several results are one with the names of the results in `Function.map`.

    The function takes columns of any type, so that DuckDB does not round on the way: a number that the parameter cannot hold exactly is
    `InvalidData`. It must depend on its arguments alone, since DuckDB calls it once for constants.

    Raises the errors of `Host.function`, and `InvalidSignature` for a parameter or result that is no column. The query raises the errors
    of `Function.map`, and those of the plugin, as ``duckdb.InvalidInputException`` with their message; a row is one of its vector.
    """
    loaded = functions.loaded_function(function, plugins)
    functions.check_on_error(loaded.function.name, on_error)
    functions.check_columns(loaded)
    types = [arrow.arrow_type(loaded.function, type) for type in loaded.types]
    kinds = {kind: connection.sqltype(text) for kind, text in _types.items()}
    results = [arrow.column_type(loaded.function, type, kinds, _struct) for type in loaded.types]

    def compute(*columns: Any) -> Any:
        arrays = arrow.arrow_results(loaded, columns, on_error, types, "duckdb")
        return arrow.struct_array(loaded.names, arrays) if loaded.has_record else arrays[0]

    result = _struct(list(zip(loaded.names, results, strict=True))) if loaded.has_record else results[0]
    # The stubs of DuckDB lack the names of its enumerations.
    connection.create_function(  # type: ignore[call-overload,unused-ignore]
        name or loaded.function.name, compute, None, result, type="arrow", null_handling="special"
    )


def _struct(members: list[tuple[str, Any]]) -> Any:
    return duckdb.struct_type(dict(members))
