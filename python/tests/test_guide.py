"""Runs the programs of the guide to hosts in Python and of the package's README, and compares the shown output."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).parents[2]
GUIDE = REPOSITORY / "Documentation" / "CTroupe.docc" / "HostInPython.md"


def test_the_programs_of_the_guide_print_the_shown_output(tmp_path, example_plugins):
    (tmp_path / "plugins").mkdir()
    for name in ("geometry.so", "base64.so"):
        shutil.copy(pathlib.Path(example_plugins) / name, tmp_path / "plugins")
    # Each program is followed by the command that runs it, and by its output.
    pattern = r"Write\s`(\w+\.py)`:\n\n```python\n(.*?)```\n\n```sh\npython (\S+)\n```\n\nprints\n\n```\n(.*?)```"
    programs = re.findall(pattern, GUIDE.read_text(), flags=re.DOTALL)
    assert len(programs) == 7
    for name, source, command, shown in programs:
        assert command == name
        assert run_program(source, tmp_path) == shown


def test_the_program_of_the_readme_prints_the_shown_output(tmp_path, example_plugins):
    (tmp_path / "plugins").mkdir()
    shutil.copy(pathlib.Path(example_plugins) / "geometry.so", tmp_path / "plugins")
    (source,) = re.findall(r"```python\n(.*?)```", (REPOSITORY / "python" / "README.md").read_text(), flags=re.DOTALL)
    assert run_program(source, tmp_path).splitlines() == re.findall(r"\)  # (.*)", source)


def run_program(source, directory):
    """Runs a program in a directory, and returns its output."""
    environment = os.environ | {"XDG_CACHE_HOME": str(directory / "cache")}
    (directory / "program.py").write_text(source)
    run = subprocess.run(
        [sys.executable, "program.py"], cwd=directory, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.stderr == ""
    return run.stdout
