"""Plugins that crash, hang or lie: the interpreter survives, and the plugin is quarantined."""

import os
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


def test_a_crash_of_a_call_ends_its_process_and_quarantines_the_plugin(plugins, state):
    directory = plugins("plugins/mistyped.c")
    code = f"""
import troupe
host = troupe.Host({str(directory)!r}, cache={str(state["cache"])!r}, quarantine={str(state["quarantine"])!r})
host.functions["first"](8)
"""
    crashed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert crashed.returncode != 0
    with troupe.Host(directory, log=lambda *line: None, **state) as host:
        assert [plugin.state for plugin in host.plugins] in (["quarantined"], ["admitted"], ["loaded"])


def test_a_crash_at_load_quarantines_the_plugin_for_the_next_process(plugins, state):
    directory = plugins("faulty/crash-after-probe.c")
    code = f"""
import troupe
host = troupe.Host({str(directory)!r}, cache={str(state["cache"])!r}, quarantine={str(state["quarantine"])!r})
host.functions["crash_seven"]
"""
    crashed = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, env={**os.environ, "CRASH": "11"})
    assert crashed.returncode == -11
    with troupe.Host(directory, log=lambda *line: None, **state) as host:
        assert [plugin.state for plugin in host.plugins] == ["quarantined"]
