"""Functions of plugins in DuckDB."""

import math
import uuid
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy
import pyarrow
import pytest

import troupe
from troupe.duckdb import register

ROOT = uuid.UUID("5a3b1e00-0000-4000-8000-000000000015")


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def functions(samples):
    with troupe.Host([samples]) as host:
        yield host.functions


def values(connection, text):
    return [row[0] for row in connection.execute(f"SELECT {text}").fetchall()]


def test_a_function_has_the_type_of_its_signature(connection, examples):
    register(connection, "hypot", name="plugin_hypot", plugins=examples)
    relation = connection.sql("SELECT plugin_hypot(x, y) AS h FROM (VALUES (3, 4.0), (NULL, 4), (5, 12)) AS points(x, y)")
    assert relation.types == ["DOUBLE"] and relation.fetchall() == [(5,), (None,), (13,)]
    assert values(connection, "plugin_hypot(3, 4)") == [5] and values(connection, "plugin_hypot(3, NULL)") == [None]
    assert values(connection, "plugin_hypot(x, 1) FROM (SELECT 1 AS x WHERE false)") == []


@pytest.mark.parametrize(
    ("name", "arguments", "type", "value"),
    [
        ("half", "5.0::FLOAT", "FLOAT", 2.5), ("is_odd", "3", "BOOLEAN", True), ("add_int8", "100, 27", "TINYINT", 127),
        ("add_int64", "2, 3", "BIGINT", 5), ("add_uint64", "9223372036854775807, 2", "UBIGINT", 2**63 + 1),
        ("shout", "'abc'", "VARCHAR", "ABC"),
        ("length", "'abc'", "UBIGINT", 3), ("length", "'abc'::ENUM('abc', 'd')", "UBIGINT", 3),
        ("split", "1.5", "STRUCT(return_ DOUBLE, whole INTEGER)", {"return_": 0.5, "whole": 1}),
        ("mirror", "{'y': 2.0, 'x': 1.0}", "STRUCT(x DOUBLE, y DOUBLE)", {"x": 2, "y": 1}), ("shout", "NULL", "VARCHAR", None),
    ],
)  # fmt: skip
def test_types_of_duckdb_and_of_c(connection, samples, name, arguments, type, value):
    register(connection, name, name="f", plugins=samples)
    relation = connection.sql(f"SELECT f({arguments})")
    assert relation.types == [type] and relation.fetchall() == [(value,)]


@pytest.mark.parametrize(
    "type",
    [
        "TINYINT", "UTINYINT", "SMALLINT", "UINTEGER", "BIGINT", "UBIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(4, 1)",
        "DECIMAL(30, 2)",
    ],
)  # fmt: skip
def test_numbers_of_each_type_are_passed_by_value(connection, samples, type):
    register(connection, "area", name="f", plugins=samples)
    text = f"f(x::{type}, 2) FROM (VALUES (3, 0), (NULL, 1), (100, 2)) AS t(x, i) ORDER BY i"
    assert values(connection, text) == [6, None, 200]


@pytest.mark.parametrize(
    ("name", "number", "good"),
    [
        ("area", "9007199254740993", 1), ("area", "9007199254740993::HUGEINT", None), ("area", "9007199254740993.0", 1),
        ("add_int8", "200", 2), ("add_uint64", "-1", 2), ("add_int64", "1.5", 2), ("add_int64", "'nan'::DOUBLE", 2),
    ],
)  # fmt: skip
def test_numbers_that_do_not_fit_are_errors_or_null(connection, samples, name, number, good):
    register(connection, name, name="f", plugins=samples)
    with pytest.raises(duckdb.InvalidInputException, match="InvalidData"):
        connection.execute(f"SELECT f(x, 1) FROM (VALUES (1), ({number})) AS t(x)").fetchall()
    if good is not None:
        register(connection, name, name="g", plugins=samples, on_error="null")
        assert values(connection, f"g(x, 1) FROM (VALUES (1), ({number})) AS t(x)") == [good, None]


@pytest.mark.parametrize("value", ["DATE '2026-01-01'", "TRUE", "'1'", "[1.0]", "'1'::BLOB", "uuid()", "{'x': 1}", "INTERVAL 1 DAY"])
@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_other_types_are_refused(connection, samples, value, on_error):
    register(connection, "area", name="f", plugins=samples, on_error=on_error)
    with pytest.raises(duckdb.InvalidInputException, match="InvalidData"):
        connection.execute(f"SELECT f({value}, 2)").fetchall()


def test_nan_is_a_number_and_null_is_null(connection, samples):
    register(connection, "area", plugins=samples, on_error="null")
    found = values(connection, "area(x, 1) FROM (VALUES ('nan'::DOUBLE), (NULL), ('inf'::DOUBLE)) AS t(x)")
    assert math.isnan(found[0]) and found[1:] == [None, math.inf]


def test_many_rows_of_an_arrow_table(connection, examples):
    register(connection, "hypot", name="f", plugins=examples)
    x = numpy.arange(100_000.0)
    table = pyarrow.table({"x": pyarrow.array(x, mask=x % 7 == 0), "i": numpy.arange(100_000)})
    connection.register("numbers", table)
    found = connection.execute("SELECT f(x, 1) AS h FROM numbers ORDER BY i").fetchall()
    assert [row[0] for row in found] == [None if number % 7 == 0 else numpy.hypot(number, 1) for number in x]
    assert values(connection, "count(*) FROM numbers WHERE f(x, 1) > 99990")[0] == sum(i % 7 != 0 for i in range(99_990, 100_000))


def test_functions_have_names_uuids_and_hosts(connection, samples, functions):
    for index, (function, plugins) in enumerate((("root", samples), (ROOT, samples), (str(ROOT), samples), (functions["root"], None))):
        register(connection, function, name=f"f{index}", plugins=plugins)
        assert values(connection, f"f{index}(9)") == [3]
    register(connection, functions["root"])
    assert values(connection, "root(9)") == [3]


def test_a_refused_row_fails_the_query_or_is_null(connection, samples):
    register(connection, "root", name="f", plugins=samples)
    register(connection, "root", name="g", plugins=samples, on_error="null")
    rows = "FROM (VALUES (4), (-1), (NULL), (9)) AS t(x)"
    with pytest.raises(duckdb.InvalidInputException, match="ReportedFailure: root: row 1"):
        connection.execute(f"SELECT f(x) {rows}").fetchall()
    assert values(connection, f"g(x) {rows}") == [2, None, None, 3]


def test_another_number_of_arguments_fails_the_query(connection, samples):
    register(connection, "area", plugins=samples)
    for arguments in ("1", "1, 2, 3"):
        with pytest.raises(duckdb.InvalidInputException, match="Usage"):
            connection.execute(f"SELECT area({arguments})").fetchall()


def test_a_worker_that_dies_is_an_error(connection, mortal):
    with troupe.Host([mortal], isolate=True) as host:
        register(connection, host.functions["survive"], on_error="null")
        with pytest.raises(duckdb.InvalidInputException, match="Crashed"):
            connection.execute("SELECT survive(-x) FROM (VALUES (1.0), (2.0)) AS t(x)").fetchall()


def test_queries_on_several_threads_give_equal_values(connection, examples):
    register(connection, "hypot", name="f", plugins=examples)

    def total(index):
        with connection.cursor() as cursor:
            return cursor.execute(f"SELECT sum(f(range, {index})) FROM range(20000)").fetchone()[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(total, range(8)))
    assert numpy.allclose(found, [numpy.hypot(numpy.arange(20_000.0), index).sum() for index in range(8)])


def test_a_function_that_is_not_thread_safe_computes_on_one_thread_at_a_time(connection, racy):
    register(connection, "racy", plugins=racy)

    def wrong(_):
        with connection.cursor() as cursor:
            return cursor.execute("SELECT count(*) FROM range(20000) WHERE racy(range) <> range").fetchone()[0]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(wrong, range(4))) == [0] * 4


@pytest.mark.parametrize(
    ("make", "kind", "code"),
    [
        (lambda c, plugins: register(c, "missing", plugins=plugins), troupe.NotRegistered, "notRegistered"),
        (lambda c, plugins: register(c, "area"), troupe.Usage, "usage"),
        (lambda c, plugins: register(c, 3, plugins=plugins), troupe.Usage, "usage"),
        (lambda c, plugins: register(c, "area", plugins=plugins, on_error="skip"), troupe.InvalidArgument, "invalidArgument"),
        (lambda c, plugins: register(c, "area", plugins=plugins / "other"), troupe.Unreadable, "unreadable"),
        (lambda c, plugins: register(c, "sum", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda c, plugins: register(c, "apply", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda c, plugins: register(c, "store_new", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
        (lambda c, plugins: register(c, "conjugate", plugins=plugins), troupe.InvalidSignature, "invalidSignature"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_errors_of_the_registration(connection, samples, make, kind, code):
    with pytest.raises(kind) as caught:
        make(connection, samples)
    error = caught.value
    assert (error.code, bool(error.subject), bool(error.remedy)) == (code, True, True)


def test_errors_of_a_function_name_it(connection, functions):
    with pytest.raises(troupe.InvalidArgument) as caught:
        register(connection, functions["area"], on_error="skip")
    assert caught.value.subject == "area"
    register(connection, functions["area"])
    with pytest.raises(duckdb.Error, match="area: 3 arguments were passed; pass "):
        connection.sql("SELECT area(1::DOUBLE, 2::DOUBLE, 3::DOUBLE)").fetchall()


def test_a_null_row_of_several_results_is_a_null_struct(samples):
    connection = duckdb.connect()
    register(connection, "split", plugins=samples)
    rows = connection.sql("SELECT split(x) IS NULL FROM (VALUES (1.5), (NULL)) AS t(x)").fetchall()
    assert rows == [(False,), (True,)]
