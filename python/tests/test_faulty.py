"""Plugins that crash, hang or lie: the interpreter survives, and the plugin is quarantined."""

import os
import signal
import subprocess
import sys

import pytest

import troupe


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("faulty/crash-in-entry.c", "crashed"), ("faulty/abort.c", "crashed"), ("faulty/hang-in-entry.c", "timedOut"),
        ("faulty/exit.c", "exited"),
    ],
)  # fmt: skip
def test_a_plugin_that_fails_its_probe_is_quarantined(plugins, state, name, code):
    with troupe.Host(plugins(name, "plugins/samples.c"), probe_deadline=0.5, log=lambda *line: None, **state) as host:
        states = {plugin.id: plugin for plugin in host.plugins}
        assert host.functions["area"](3, 4.5) == 13.5
    faulty = next(plugin for id, plugin in states.items() if id != "org.example.samples")
    assert faulty.state == "quarantined"
    assert faulty.fault.code == code and faulty.fault.remedy


def test_a_later_host_keeps_the_quarantine(plugins, state):
    directory = plugins("faulty/crash-in-entry.c")
    for _ in range(2):
        with troupe.Host(directory, log=lambda *line: None, **state) as host:
            assert [plugin.state for plugin in host.plugins] == ["quarantined"]


def test_a_plugin_that_registers_others_than_in_its_probe_is_not_used(plugins, state):
    with troupe.Host(plugins("plugins/lying.c", "plugins/samples.c"), log=lambda *line: None, **state) as host:
        assert "promised" in host.functions
        with pytest.raises(troupe.Error):
            host.functions["promised"](1)
        assert host.functions["area"](1, 2) == 2


def finished(directory, state, call, options="", flags=()):
    """Calls a function of a plugin in a process of its own. Returns the ended process."""
    code = f"""
import troupe
host = troupe.Host({str(directory)!r}, cache={str(state["cache"])!r}, quarantine={str(state["quarantine"])!r}, {options})
host.functions{call}
"""
    environment = {**os.environ, "CRASH": str(int(signal.SIGSEGV))}
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


def crash(directory, state, name):
    """Returns the signal that ends a process that calls a function."""
    return -finished(directory, state, f"[{name!r}](8)").returncode


def test_a_function_with_another_type_than_its_signature_crashes_only_its_process(plugins, state):
    assert crash(plugins("plugins/mistyped.c"), state, "first") == signal.SIGSEGV


def test_a_plugin_that_crashes_two_processes_at_its_load_is_quarantined_by_the_third(plugins, state):
    directory = plugins("faulty/crash-after-probe.c")
    for _ in range(2):
        assert crash(directory, state, "crash_seven") == signal.SIGSEGV
    with troupe.Host(directory, log=lambda *line: None, **state) as host:
        assert [plugin.state for plugin in host.plugins] == ["quarantined"]


@pytest.mark.parametrize("flags", [(), ("-X", "faulthandler")])
def test_a_reported_crash_names_the_plugin_and_the_next_host_quarantines_it(plugins, tmp_path, flags):
    state = {"cache": tmp_path / "cache", "quarantine": tmp_path / "quarantine"}
    directory = plugins("healthy/crashing.c")
    ended = finished(directory, state, "['segfault']()", "reports_crashes=True", flags)
    assert ended.returncode == -signal.SIGSEGV
    report = "crashing.so: crashed with SIGSEGV, at write_nowhere (crashing.so+0x"
    assert report in ended.stderr
    assert ("Fatal Python error: Segmentation fault" in ended.stderr) == bool(flags)
    with troupe.Host(directory, log=lambda *line: None, **state) as host:
        assert [plugin.state for plugin in host.plugins] == ["quarantined"]
        assert "while the program used it, at write_nowhere" in str(host.plugins[0].fault)
