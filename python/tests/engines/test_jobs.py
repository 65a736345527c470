"""The jobs of the benchmark, with little data."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

JOBS = Path(__file__).parents[2] / "benchmarks" / "jobs.py"


@pytest.mark.parametrize("engine, jobs, killed", [("dask", 6, 2), ("spark", 9, 3), ("polars", 3, 0), ("duckdb", 3, 0)])
def test_jobs_have_the_results_of_the_engine(engine, jobs, killed, user_directories, example_plugins):
    sizes = ["--rows", "8000", "--files", "5", "--size", "5000", "--rounds", "0"]
    environment = os.environ | {"TROUPE_EXAMPLES": str(example_plugins)}
    command = [sys.executable, JOBS, *sizes, engine]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[-1] == f"all results are equal; {killed} processes were killed"
    assert len([line for line in lines if line.split()[1].lower() == engine]) == jobs
