"""Compares calls from Python with ctypes, cffi and NumPy, and checks the goals. `make python-bench` runs it.

Each pair is measured in turns in the same run, and the least time of several rounds counts, so that other work of the machine has
little effect on the ratios.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import cffi  # type: ignore[import-untyped]
import numpy

import troupe

repository = Path(os.environ["TROUPE_REPOSITORY"])
rows = int(os.environ.get("TROUPE_ROWS", "10_000_000"))

AREA = """
__attribute__((noinline)) double area(double width, double height) { return width * height; }
"""

VECTORISED = """
static void area_rows(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  (void)data;
  if (steps[0] == sizeof(double) && steps[1] == sizeof(double) && steps[2] == sizeof(double)) {
    const double *width = (const double *)args[0], *height = (const double *)args[1];
    double *result = (double *)args[2];
    for (intptr_t row = 0; row < dimensions[0]; row++) result[row] = width[row] * height[row];
    return;
  }
  for (intptr_t row = 0; row < dimensions[0]; row++)
    *(double *)(args[2] + row * steps[2]) = area(*(double *)(args[0] + row * steps[0]), *(double *)(args[1] + row * steps[1]));
}
"""

PLUGIN = """
#include <troupe.h>
TROUPE_PLUGIN("org.example.bench", "Bench", "1.0.0")
%s
static const troupe_factory factories[] = {
  TROUPE_FACTORY("be9c0000-0000-4000-8000-000000000001", "area", TROUPE_NO_TAGS, double, area, (double width, double height)),
  TROUPE_MAP_FACTORY("be9c0000-0000-4000-8000-000000000002", "vectorized", TROUPE_NO_TAGS, area_rows, double, area,
                     (double width, double height))};
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_status status = registrar->register_factory(registrar, &factories[0]);
  return status == TROUPE_OK ? registrar->register_factory(registrar, &factories[1]) : status;
}
"""

UFUNC = """
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>
%s
/* Called through a pointer, as the function of a plugin is: else the compiler would make a loop of multiplications. */
static double (*volatile function)(double, double) = area;
static void call_rows(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data) {
  double (*body)(double, double) = function;
  char *left = args[0], *right = args[1], *result = args[2];
  for (npy_intp row = 0; row < dimensions[0]; row++, left += steps[0], right += steps[1], result += steps[2])
    *(double *)result = body(*(double *)left, *(double *)right);
}
static PyUFuncGenericFunction loops[] = {call_rows}, vectorized_loops[] = {area_rows};
static char types[] = {NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE};
static void *data[] = {NULL};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "bench_ufunc", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_bench_ufunc(void) {
  import_array();
  import_umath();
  PyObject *module = PyModule_Create(&definition);
  PyModule_AddObject(module, "area", PyUFunc_FromFuncAndData(loops, data, types, 1, 2, 1, PyUFunc_None, "area", "", 0));
  PyModule_AddObject(module, "vectorized",
                     PyUFunc_FromFuncAndData(vectorized_loops, data, types, 1, 2, 1, PyUFunc_None, "vectorized", "", 0));
  return module;
}
"""

def compile(source: Path, target: Path, *options: str) -> Path:
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", target, source, *options], check=True)
    return target


def load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_ufuncs(directory: Path) -> ModuleType:
    source = directory / "ufunc.c"
    source.write_text(UFUNC % (AREA + VECTORISED))
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    path = compile(
        source, directory / f"bench_ufunc{suffix}", f"-I{sysconfig.get_path('include')}", f"-I{numpy.get_include()}"
    )
    return load("bench_ufunc", path)


def make_plugin(directory: Path) -> Path:
    source = directory / "plugin.c"
    source.write_text(PLUGIN % (AREA + VECTORISED))
    return compile(source, directory / "plugin.so", f"-I{repository / 'include'}")


def make_cffi(directory: Path) -> Any:
    builder = cffi.FFI()
    builder.cdef("double area(double width, double height);")
    builder.set_source("bench_cffi", AREA, extra_compile_args=["-O2"])
    return load("bench_cffi", Path(builder.compile(tmpdir=str(directory)))).lib


def make_ctypes(directory: Path) -> Any:
    source = directory / "area.c"
    source.write_text(AREA)
    function = ctypes.CDLL(str(compile(source, directory / "area.so"))).area
    function.argtypes = [ctypes.c_double, ctypes.c_double]
    function.restype = ctypes.c_double
    return function


def least(works: dict[str, Callable[[], object]], number: int, rounds: int) -> dict[str, float]:
    """Returns the least time of one call of each work, in seconds."""
    timers = {name: timeit.Timer(work) for name, work in works.items()}
    times: dict[str, float] = {}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name] = min(times.get(name, 1e9), timer.timeit(number) / number)
    return times


def expression_times(namespaces: dict[str, Any], rounds: int = 40, number: int = 50_000) -> dict[str, float]:
    """Returns the least time of `area(3, 4.5)` with each function, without the time of a loop around a lambda."""
    times: dict[str, float] = {}
    timers = {name: timeit.Timer("area(3, 4.5)", globals={"area": function}) for name, function in namespaces.items()}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name] = min(times.get(name, 1e9), timer.timeit(number) / number)
    return times


failures: list[str] = []


def compare(label: str, ratio: float, limit: float, *, at_least: bool = False) -> None:
    passed = ratio >= limit if at_least else ratio <= limit
    print(f"  {label:<58} {ratio:6.2f}  {'at least' if at_least else 'at most'} {limit}  {'' if passed else 'MISSED'}")
    if not passed:
        failures.append(label)


def bench_calls(area: troupe.Function, directory: Path) -> None:
    keeping = area
    times = expression_times({"troupe": area, "cffi": make_cffi(directory).area, "ctypes": make_ctypes(directory)})
    keeping.releases_gil = False
    kept = expression_times({"troupe": keeping})["troupe"]
    keeping.releases_gil = True
    print("area(3, 4.5), ns per call")
    for name, time in (*times.items(), ("troupe, keeping the GIL", kept)):
        print(f"  {name:<58} {time * 1e9:6.1f}")
    compare("troupe / cffi in API mode", times["troupe"] / times["cffi"], 1.3)


def bench_columns(area: troupe.Function, vectorized: troupe.Function, directory: Path) -> None:
    random = numpy.random.default_rng(1)
    left, right = random.random(rows), random.random(rows)
    out = numpy.zeros(rows)
    ufuncs = make_ufuncs(directory)
    works: dict[str, Callable[[], object]] = {
        "a ufunc in C": lambda: ufuncs.area(left, right, out=out),
        "map": lambda: area.map(left, right, out=out),
        "map on two threads": lambda: area.map(left, right, out=out, threads=2),
        "the function's own ufunc": lambda: area(left, right, out=out),
        "a ufunc in C with a vectorized body": lambda: ufuncs.vectorized(left, right, out=out),
        "map of a vectorized body": lambda: vectorized.map(left, right, out=out),
    }
    times = least(works, 1, 40)
    print(f"{rows:,} rows of double (double, double), ns per row")
    for name, time in times.items():
        print(f"  {name:<58} {time / rows * 1e9:6.2f}")
    compare("map, ns per row", times["map"] / rows * 1e9, 5)
    compare("map / a ufunc in C", times["map"] / times["a ufunc in C"], 1.5)
    compare(
        "map of a vectorized body / a ufunc in C with it",
        times["map of a vectorized body"] / times["a ufunc in C with a vectorized body"],
        1.1,
    )
    compare("map on one thread / on two threads", times["map"] / times["map on two threads"], 1.8, at_least=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with troupe.Host(files=[make_plugin(directory)], cache=False, quarantine=False) as host:
            area = host.functions["area"]
            bench_calls(area, directory)
            bench_columns(area, host.functions["vectorized"], directory)
    print("missed: " + ", ".join(failures) if failures else "all goals are met")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
