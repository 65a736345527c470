"""Runs the programs of the guide to hosts in Python, and compares the shown output."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

GUIDE = pathlib.Path(__file__).parents[2] / "Documentation" / "CTroupe.docc" / "HostInPython.md"


def test_the_programs_of_the_guide_print_the_shown_output(tmp_path, example_plugins):
    (tmp_path / "plugins").mkdir()
    for name in ("geometry.so", "base64.so"):
        shutil.copy(pathlib.Path(example_plugins) / name, tmp_path / "plugins")
    # Each program is followed by the command that runs it, and by its output.
    pattern = r"Write\s`(\w+\.py)`:\n\n```python\n(.*?)```\n\n```sh\npython (\S+)\n```\n\nprints\n\n```\n(.*?)```"
    programs = re.findall(pattern, GUIDE.read_text(), flags=re.DOTALL)
    assert len(programs) == 5
    for name, source, command, shown in programs:
        assert command == name
        (tmp_path / name).write_text(source)
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        run = subprocess.run(
            [sys.executable, name], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert (run.stderr, run.stdout) == ("", shown)
