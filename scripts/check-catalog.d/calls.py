"""Runs the calls to copy of a catalog, and compares their output with the first example of each registration. Of structs, arrays, bytes
and null, it compares the output of the command and of Python: C prints their number of values, and Swift a description. Builds the calls
of registrations without examples.

usage: calls.py SITE PLUGINS TROUPE
The directory of TROUPE is on the PATH of the calls. The interpreter of this script has the package `troupe`.
"""

import ast
import base64
import html.parser
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Calls(html.parser.HTMLParser):
    """Collects the code, by its label, and the first example of each registration of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, dict[str, str]] = {}
        self.item: dict[str, str] = {}
        self.label = ""
        self.texts: list[str] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "h3" and given.get("id"):
            self.item, self.label = self.items.setdefault(given["id"] or "", {}), "Name"
        if tag in ("pre", "div") and given.get("aria-label"):
            self.label = (given["aria-label"] or "").split(" of ")[0].split(":")[0]
        if tag == "code":
            self.texts = []

    def handle_data(self, data: str) -> None:
        if self.texts is not None:
            self.texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag != "code" or self.texts is None:
            return
        text = "".join(self.texts)
        # The columns of the first row.
        label = "Result" if self.label == "Examples" and "Examples" in self.item else self.label
        self.item.setdefault(label, text)
        self.texts = None


def run(language: str, code: str, runs: bool, directory: pathlib.Path, environment: dict[str, str]) -> str:
    """Builds a program as its first line says. Runs it and returns its output, unless it is only built."""
    suffix = {"Command": "sh", "C": "c", "Swift": "swift", "Python": "py"}[language]
    (directory / f"main.{suffix}").write_text(code)
    if language == "Command":
        command = f"sh {'' if runs else '-n'} main.sh"
    elif language == "Python":
        command = f"{sys.executable} {'' if runs else '-m py_compile'} main.py"
    else:
        command = code.splitlines()[0].removeprefix("// ") + (" && ./main" if runs else "")
    result = subprocess.run(["sh", "-c", command], cwd=directory, env=environment, capture_output=True, timeout=120)
    if result.returncode != 0 or result.stderr:
        raise ValueError(f"ends with {result.returncode}: {result.stderr.decode()[:2000]}")
    return result.stdout.decode()


class Structs(ast.NodeTransformer):
    """Replaces each named tuple, such as div_t(quot=3, rem=1), by a dictionary."""

    def visit_Call(self, node: ast.Call) -> ast.Dict:
        self.generic_visit(node)
        return ast.Dict([ast.Constant(member.arg) for member in node.keywords], [member.value for member in node.keywords])


def in_json(value: object) -> object:
    """Returns a value of Python as JSON has it."""
    match value:
        case bytes():
            return {"base64": base64.b64encode(value).decode()}
        case complex():
            return [value.real, value.imag]
        case list() | tuple():
            return [in_json(element) for element in value]
        case dict():
            return {name: in_json(member) for name, member in value.items()}
    return value


def is_equal(value: object, other: object) -> bool:
    """Returns whether two values of JSON are equal, except for the last digits of numbers with a fraction."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(value, other, rel_tol=1e-12)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(is_equal, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(is_equal(value[name], other[name]) for name in value)
    return type(value) is type(other) and value == other


def check(language: str, printed: str, expected: object, is_transform: bool) -> None:
    """Raises an error if a program has printed another result."""
    if is_transform:
        value: object = ast.literal_eval(printed).decode() if language == "Python" else printed
    elif isinstance(expected, str):
        value = printed.removesuffix("\n")
    elif isinstance(expected, bool):
        value = printed.strip().lower() == "true"
    elif isinstance(expected, (int, float)):
        value = float(printed)
    elif language == "Command":
        # The command prints nothing for a function without a result.
        value = json.loads(printed or "null")
    elif language == "Python":
        value = in_json(ast.literal_eval(Structs().visit(ast.parse(printed.strip(), mode="eval"))))
    else:
        value = expected if printed.strip() else printed
    if not is_equal(value, expected):
        raise ValueError(f"prints {printed!r} instead of {expected!r}")


def main(site: str, plugins: str, troupe: str) -> int:
    count, faults = 0, 0
    environment = os.environ | {"PATH": f"{pathlib.Path(troupe).resolve().parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        shutil.copytree(plugins, directory / "plugins")
        for page in sorted(pathlib.Path(site).glob("plugins/*.html")):
            calls = Calls()
            calls.feed(page.read_text())
            for anchor, item in calls.items.items():
                languages = [name for name in ("Command", "C", "Swift", "Python") if name in item]
                for language in languages:
                    count += 1
                    try:
                        printed = run(language, item[language], "Examples" in item, directory, environment)
                        if "Examples" in item:
                            check(language, printed, json.loads(item["Result"]), anchor.startswith("transform-"))
                    except (ValueError, SyntaxError, subprocess.TimeoutExpired) as error:
                        faults += 1
                        print(f"{page.name}#{anchor}: {language}: {error}\n{item.get(language)}\n")
    print(f"{count} calls checked, {faults} faults")
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
