"""Conversions of columns to the type of a parameter, for the remedies of errors.

They fail where they would change a value: `astype`, which makes integers of NaN, is not among them. The tests execute each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Conversions:
    """What users of a library write to convert `column`; "" where the library has no conversion that checks.

    Placeholders are the parameter's type in NumPy (``{numpy}``) and Polars (``{polars}``), and the casts that turn times of Arrow into
    integers (``{casts}``).
    """

    text: str
    """Numbers to texts."""
    integers: str
    """Texts to integers."""
    times: str
    """Times to integers, in the unit of the column if the expression names none."""
    nulls: str
    """NaN to nulls."""
    doubles: str | None = None
    """Texts to floating-point numbers, if not as `integers`."""
    booleans: str | None = None
    """Booleans to numbers, if not as `integers`."""


def _arrow(column: str) -> Conversions:
    is_nan = f"pyarrow.compute.is_nan({column})"
    return Conversions(
        text=f"{column}.cast('string')", integers=f"{column}.cast('{{numpy}}')", times=f"{column}{{casts}}",
        nulls=f"pyarrow.compute.if_else({is_nan}, None, {column})",
    )  # fmt: skip


_libraries = {
    "numpy": Conversions(
        text="column.astype(str)", integers="column.astype('{numpy}')", times="pyarrow.array(column){casts}",
        nulls="numpy.ma.masked_invalid(column)",
    ),
    "pandas": Conversions(
        text="column.astype('string')", integers="pandas.to_numeric(column)", booleans="column.astype('{numpy}')",
        times="pyarrow.array(column, from_pandas=True){casts}", nulls="column.astype('Int64')",
    ),
    "polars": Conversions(
        text="column.cast(polars.String)", integers="column.cast(polars.{polars})", times="column.to_physical()",
        nulls="column.fill_nan(None)",
    ),
    "pyarrow": _arrow("column"),
    # A producer of Arrow's capsules, which has no other methods.
    "arrow": _arrow("pyarrow.array(column)"),
    "list": Conversions(
        text="list(map(str, column))", integers="numpy.array(column).astype('{numpy}')", times="pyarrow.array(column){casts}",
        nulls="numpy.ma.masked_invalid(column)",
    ),
    # A cast of texts to integers rounds fractions in DuckDB.
    "duckdb": Conversions(
        text="CAST(column AS VARCHAR)", integers="", doubles="CAST(column AS DOUBLE)", booleans="CAST(column AS TINYINT)",
        times="epoch_ns(column)", nulls="nullif(column, 'nan')",
    ),
    # Without ANSI, a cast of other texts is null.
    "spark": Conversions(
        text="column.cast('string')", integers="column.cast('bigint') and spark.sql.ansi.enabled",
        doubles="column.cast('double') and spark.sql.ansi.enabled", booleans="column.cast('int')",
        times="unix_micros(column.cast('timestamp'))", nulls="nanvl(column, lit(None))",
    ),
    # Times that are missing become numbers in NumPy.
    "dask.array": Conversions(
        text="column.astype(str)", integers="column.astype('{numpy}')", times="", nulls="dask.array.ma.masked_invalid(column)",
    ),
    "dask.dataframe": Conversions(
        text="column.astype('string')", integers="dask.dataframe.to_numeric(column)", booleans="column.astype('{numpy}')",
        times="column.astype('int64[pyarrow]')", nulls="column.astype('Int64')",
    ),
}  # fmt: skip

_engine: ContextVar[str | None] = ContextVar("engine", default=None)


@contextmanager
def in_engine(engine: str) -> Iterator[None]:
    """Names the library whose columns a call has, where an engine passes them as those of another one."""
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)


def conversions_for(library: str) -> Conversions:
    """Returns the conversions of columns that come from a library, or from the engine that makes the call."""
    return _libraries[_engine.get() or library]
