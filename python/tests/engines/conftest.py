"""Plugins and states of the tests of Dask and Spark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The engines start processes that inherit these. Spark else takes the first Python of the PATH.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


@pytest.fixture(scope="session", autouse=True)
def user_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Gives all hosts, also those of other processes, a cache and a quarantine of the tests' own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="session")
def examples(example_plugins: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with example plugins alone."""
    directory = tmp_path_factory.mktemp("examples")
    for name in ("base64.so", "geometry.so", "libc.troupe.json", "math.troupe.json"):
        shutil.copy2(example_plugins / name, directory)
    return directory


@pytest.fixture(scope="session")
def directory_of(built: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns a new directory with one built plugin."""

    def directory_of(source: str) -> Path:
        directory = tmp_path_factory.mktemp(Path(source).stem)
        shutil.copy2(built(source), directory)
        return directory

    return directory_of


@pytest.fixture(scope="session")
def samples(directory_of: Callable[[str], Path]) -> Path:
    """A directory with functions of every kind of parameter."""
    return directory_of("plugins/samples.c")


@pytest.fixture(scope="session")
def fragile(directory_of: Callable[[str], Path]) -> Path:
    """A directory with a function that ends its process once."""
    return directory_of("engines/plugins/fragile.c")


@pytest.fixture(scope="session")
def mortal(directory_of: Callable[[str], Path]) -> Path:
    """A directory with a function that ends its process for a negative number."""
    return directory_of("engines/plugins/mortal.c")


@pytest.fixture(scope="session")
def segments(directory_of: Callable[[str], Path]) -> Path:
    """A directory with functions that return a struct of structs."""
    return directory_of("engines/plugins/segment.c")


@pytest.fixture(scope="session")
def meeting(directory_of: Callable[[str], Path]) -> Path:
    """A directory with a function whose calls wait for each other."""
    return directory_of("engines/plugins/meeting.c")


@pytest.fixture
def adopted(tmp_path: Path) -> Callable[[Path], Path]:
    """Returns a directory with an adoption file for a new library `twice.so` in a directory."""

    def adopt(libraries: Path) -> Path:
        (tmp_path / "twice.c").write_text("double twice(double x) { return 2 * x; }")
        libraries.mkdir()
        subprocess.run(["cc", "-shared", "-fPIC", "-o", libraries / "twice.so", tmp_path / "twice.c"], check=True)
        (libraries / "twice.so").chmod(0o755)
        directory = tmp_path / "adopted"
        directory.mkdir(exist_ok=True)
        manifest = directory / "twice.troupe.json"
        library = "./twice.so" if libraries == directory else str(libraries / "twice.so")
        manifest.write_text(
            f'{{"id": "org.example.twice", "name": "Twice", "version": "1.0.0", "library": "{library}", "functions": [{{"uuid":'
            ' "2ce00000-0000-4000-8000-000000000001", "name": "twice", "symbol": "twice", "signature": "double (double x)"}]}')  # fmt: skip
        manifest.chmod(0o644)
        return directory

    return adopt


@pytest.fixture(scope="session")
def racy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a file that adopts a library which only one thread may use: its function returns a number by way of a variable."""
    directory = tmp_path_factory.mktemp("racy")
    source = "static volatile double kept; double racy(double x) { kept = x; for (volatile int i = 0; i < 500; i++) {} return kept; }"
    (directory / "racy.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", directory / "libracy.so", directory / "racy.c"], check=True)
    (directory / "libracy.so").chmod(0o755)
    manifest = directory / "racy.troupe.json"
    manifest.write_text(
        '{"id": "org.example.racy", "name": "Racy", "version": "1.0.0", "library": "./libracy.so", "functions": [{"uuid":'
        ' "2acd0000-0000-4000-8000-000000000001", "name": "racy", "symbol": "racy", "signature": "double (double x)"}]}')  # fmt: skip
    manifest.chmod(0o644)
    return directory


@pytest.fixture
def changeable(built: Callable[[str], Path], tmp_path: Path) -> Path:
    """A directory with the plugin of samples.c, for a test that changes it."""
    directory = tmp_path / "changeable"
    directory.mkdir()
    shutil.copy2(built("plugins/samples.c"), directory)
    return directory


@pytest.fixture(scope="session")
def spark(user_directories: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with two Python workers, which runs a failing task four times."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2, 4]").appName("troupe")
    options = {
        "spark.ui.enabled": "false", "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")), "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }  # fmt: skip
    session = builder.config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
