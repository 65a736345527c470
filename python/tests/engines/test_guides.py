"""Runs the programs of the guides of the engines, and compares the shown output."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GUIDES = Path(os.environ["TROUPE_REPOSITORY"], "Documentation/CTroupe.docc")
# Each program is followed by the command that runs it, and by its output.
PATTERN = r"Write `(\w+\.py)`:\n\n```python\n(.*?)```\n\n```sh\npython (\S+)\n```\n\nprints\n\n```\n(.*?)```"


@pytest.mark.parametrize(("guide", "count"), [("WithDask.md", 4), ("WithDuckDB.md", 1), ("WithPolars.md", 1), ("WithSpark.md", 2)])
def test_the_programs_of_the_guide_print_the_shown_output(example_plugins, tmp_path, guide, count):
    (tmp_path / "plugins").mkdir()
    for name in ("geometry.so", "base64.so"):
        shutil.copy(example_plugins / name, tmp_path / "plugins")
    text = re.sub(r"Write\s+`", "Write `", (GUIDES / guide).read_text())
    programs = re.findall(PATTERN, text, flags=re.DOTALL)
    assert len(programs) == count
    for name, source, command, shown in programs:
        assert command == name
        (tmp_path / name).write_text(source)
        # Dask and Spark write their logs to standard error.
        run = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert (run.returncode, run.stdout) == (0, shown), run.stderr
