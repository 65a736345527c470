"""Plugins and hosts for the tests."""

import json
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import troupe

repository = Path(os.environ["TROUPE_REPOSITORY"])
here = Path(__file__).parent


def compile_plugin(source: Path, target: Path) -> Path:
    """Compiles a plugin in C as an author does."""
    return compile_library(source, target, "-fvisibility=hidden", f"-I{repository}/include", "-lm")


def compile_library(source: Path, target: Path, *options: str) -> Path:
    subprocess.run(["cc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-o", target, source, *options], check=True)
    return target


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Has SIGINT raise `KeyboardInterrupt` also in a job of the background, which ignores the signal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the compiled plugin of a source, such as `plugins/samples.c` or `faulty/abort.c` of the repository's fixtures."""
    directory = tmp_path_factory.mktemp("built")
    known: dict[str, Path] = {}

    def build(name: str) -> Path:
        source = here / name if (here / name).exists() else repository / "Tests/Fixtures" / name
        if name not in known:
            known[name] = compile_plugin(source, directory / f"{source.stem}.so")
        return known[name]

    return build


@pytest.fixture
def plugins(tmp_path: Path, built: Callable[[str], Path]) -> Callable[..., Path]:
    """Returns a new directory with copies of plugins."""

    def fill(*names: str) -> Path:
        directory = tmp_path / "plugins"
        directory.mkdir(exist_ok=True)
        for name in names:
            shutil.copy2(built(name), directory)
        return directory

    return fill


@pytest.fixture(scope="session")
def racy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the adopted library `plugins/racy.c`, which is not thread-safe."""
    directory = tmp_path_factory.mktemp("racy")
    compile_library(here / "plugins/racy.c", directory / "libracy.so")
    signatures = {
        "racy": "double (double value)",
        "racy_text": "const char *(const char *text)",
        "racy_callback": "double (double (*callback)(double value), double value)",
        "slow": "double (double value)",
        "slow_with_rule": "int64_t (int64_t value) error(negative)",
    }
    functions = [
        {"uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, name)), "name": name, "symbol": name, "signature": signature}
        for name, signature in signatures.items()
    ]
    manifest = {
        "id": "org.example.racy", "name": "Racy", "version": "1.0.0", "library": "./libracy.so", "functions": functions,
    }  # fmt: skip
    (directory / "racy.troupe.json").write_text(json.dumps(manifest))
    return directory


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The options for a cache and a quarantine of the tests' own."""
    return {"cache": tmp_path_factory.mktemp("cache"), "quarantine": tmp_path_factory.mktemp("quarantine")}


@pytest.fixture(scope="session")
def shared(built: Callable[[str], Path], state: dict[str, Path]) -> Iterator[troupe.Host]:
    """A host with the functions of samples.c, for tests that do not change it."""
    with troupe.Host(files=[built("plugins/samples.c")], **state) as host:
        yield host


@pytest.fixture(scope="session")
def example_plugins() -> Path:
    """The directory of the example plugins."""
    return Path(os.environ["TROUPE_EXAMPLES"])


@pytest.fixture(scope="session")
def examples(state: dict[str, Path], example_plugins: Path) -> Iterator[troupe.Host]:
    """A host with the example plugins."""
    with troupe.Host(example_plugins, **state) as host:
        yield host
