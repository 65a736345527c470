"""Plugins and states of the tests of Dask and Spark."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
def samples(built: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with functions of every kind of parameter."""
    directory = tmp_path_factory.mktemp("samples")
    shutil.copy2(built("plugins/samples.c"), directory)
    return directory


@pytest.fixture(scope="session")
def fragile(built: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a function that ends its process once."""
    directory = tmp_path_factory.mktemp("fragile")
    shutil.copy2(built("engines/plugins/fragile.c"), directory)
    return directory


@pytest.fixture
def changeable(built: Callable[[str], Path], tmp_path: Path) -> Path:
    """A directory with the plugin of samples.c, for a test that changes it."""
    directory = tmp_path / "changeable"
    directory.mkdir()
    shutil.copy2(built("plugins/samples.c"), directory)
    return directory
