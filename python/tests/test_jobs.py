"""Jobs with libraries of the system, which `troupe adopt` has adopted as they are."""

import os
import subprocess
import sys

import pytest
from conftest import repository


@pytest.mark.parametrize("name", ["expat", "integral"])
def test_a_job_prints_what_a_program_in_c_prints(name, tmp_path):
    environment = os.environ | {
        "TROUPE": str(repository / ".build/release/troupe"),
        "PYTHON": sys.executable,
        "WORK": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    run = subprocess.run([repository / "Tests/Fixtures/jobs/run", name], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
