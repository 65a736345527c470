"""The command `python -m troupe`."""

import os
import re
import subprocess
import sys

examples = os.environ["TROUPE_EXAMPLES"]

PROGRAM = """
from typing import TYPE_CHECKING, cast, reveal_type

import numpy
import numpy.typing
import troupe

if TYPE_CHECKING:
    import plugins

with troupe.Host(["plugins"]) as host:
    functions = cast("plugins.Functions", host.functions)
    area: float = functions["area"](3, 4.5)
    areas: numpy.typing.NDArray[numpy.float64] = functions["area"](numpy.arange(3.0), 4.5)
    quotient: int = functions["div"](numerator=17, denominator=5).quot
    point: str | None = functions["compass"](90)
    crc: int = functions["crc32"](b"123456789", 9)
    functions["f5e07a66-2458-483c-8415-8bead275f039"](1, 2)
    other: troupe.Function = functions["another"]
"""

WRONG = """
    functions["area"]("a", 1)
    functions["area"](1)
    whole: int = functions["area"](1, 2)
    functions["div"](1.5, 2)
    functions["compass"](degrees="north")
"""


def command(*arguments, check=True):
    return subprocess.run([sys.executable, "-m", "troupe", *arguments], capture_output=True, text=True, check=check)


def errors(directory, text):
    """Returns the lines of a program in which mypy finds errors."""
    (directory / "program.py").write_text(text)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "program.py", "plugins.pyi"], cwd=directory,
        capture_output=True, text=True,
    )  # fmt: skip
    faulty = re.findall(r"^(\S+):(\d+): error", checked.stdout, flags=re.MULTILINE)
    assert all(file == "program.py" for file, _ in faulty), checked.stdout
    assert bool(faulty) == (checked.returncode != 0), checked.stdout
    return sorted({int(line) for _, line in faulty})


def test_stubs_pass_mypy_and_report_wrong_calls(tmp_path):
    (tmp_path / "plugins.pyi").write_text(command("stubs", examples).stdout)
    first = PROGRAM.count("\n") + 2
    assert errors(tmp_path, PROGRAM + WRONG) == list(range(first, first + 5))


def test_stubs_of_all_kinds_of_parameters_pass_mypy(tmp_path, plugins):
    (tmp_path / "plugins.pyi").write_text(command("stubs", str(plugins("plugins/samples.c"))).stdout)
    program = """
from typing import TYPE_CHECKING
import troupe
if TYPE_CHECKING:
    import plugins

def use(functions: "plugins.Functions") -> None:
    x: float = functions["mirror"]((1, 2)).x
    y: float = functions["mirror"]({"x": 1, "y": 2}).y
    whole: int = functions["split"](2.5).whole
    part: float = functions["split"](2.5).return_
    functions["apply"](lambda x: x + 1, 2.0)
    functions["sum"]([1, 2, 3])
    functions["color"]("RED")
    store = functions["store_new"](3)
    functions["store_value"](store)
"""
    assert errors(tmp_path, program) == []


def test_the_list_has_plugins_and_functions():
    text = command("list", examples).stdout
    assert "org.example.geometry 1.0.0" in text and "  area  double (double width, double height)" in text


def test_an_unknown_command_is_an_error():
    assert command("frobnicate", check=False).returncode == 2
