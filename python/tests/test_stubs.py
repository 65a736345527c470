"""The command `python -m troupe`."""

import ast
import os
import re
import subprocess
import sys

import troupe
from conftest import compile_plugin

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


def test_stubs_have_the_documentation_of_functions(tmp_path):
    text = command("stubs", examples).stdout
    (tmp_path / "documented.c").write_text(
        """#include <troupe.h>
        TROUPE_PLUGIN("org.example.documented", "Documented", "1.0.0")
        static int none(int x) { return x; }
        static const troupe_metadata texts[] = {
          TROUPE_DESCRIPTION("Returns \\"\\"\\" and \\\\ .\\nTwice."), TROUPE_PARAMETER("x", "Any\\n\\"number\\""),
          TROUPE_EXAMPLE("1", "\\"\\\\n\\"")};
        TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
          static const troupe_factory factory = TROUPE_FACTORY_WITH(
            texts, "d0c00000-0000-4000-8000-000000000001", "none", TROUPE_NO_TAGS, int, none, (int x));
          return registrar->register_factory(registrar, &factory);
        }"""
    )
    compile_plugin(tmp_path / "documented.c", tmp_path / "documented.so")
    hostile = command("stubs", tmp_path).stdout
    documented = docstrings(text) | docstrings(hostile)
    assert documented["Function_area"].startswith("Returns the area of a rectangle.\n\n:param height:")
    assert documented["Function_area"].endswith("(3, 4.5) = 13.5")
    assert documented["Function_none"] == (
        'Returns """ and \\ .\nTwice.\n\n:param x: Any\n"number"\n\n(1) = "\\n"'
    )
    assert documented["Function_ftell"] == "Returns the position in a file, in bytes."


def docstrings(text):
    """Returns the docstrings of the classes of a stub file."""
    classes = [item for item in ast.parse(text).body if isinstance(item, ast.ClassDef)]
    return {item.name: ast.get_docstring(item) for item in classes}


def test_a_registration_has_its_documentation(state):
    with troupe.Host(examples, **state) as host:
        area = next(item for item in host.registrations if item.name == "area")
        assert area.description == "Returns the area of a rectangle."
        assert set(area.parameter_texts) == {"width", "height"}
        assert area.examples == {"3, 4.5": "13.5"}
        with_none = next(item for item in host.registrations if not item.metadata)
        assert (with_none.description, with_none.parameter_texts, with_none.examples) == ("", {}, {})
