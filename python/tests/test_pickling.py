"""Functions, results and data that are pickled for other processes."""

import copy
import enum
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy
import pytest

import troupe

# Python warns of a fork of a process with threads, which is what some tests are about.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

OPTIONS = {"quarantine": False, "log": lambda level, plugin, text: None}


def in_new_process(program, value=None):
    """Runs a program with a pickled `value` in a process without a host. Returns its lines, or the text of its error."""
    start = "import os, pickle, sys, numpy, troupe\nvalue = pickle.load(sys.stdin.buffer)\n"
    run = subprocess.run(
        [sys.executable, "-c", start + program], input=pickle.dumps(value), capture_output=True, timeout=60, check=False
    )
    return run.stderr.decode() if run.returncode else run.stdout.decode().splitlines()


def replace(path, content):
    """Replaces a file as an installation does, since processes have mapped it."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.chmod(0o755)
    new.replace(path)


def in_fork(work):
    """Returns what a function prints as text in a child of `os.fork`, which is killed after 20 seconds."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            text = repr(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writable, text.encode())
        os._exit(0)
    os.close(writable)
    with open(readable, "rb") as output:
        text = output.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return text


@pytest.fixture
def samples(plugins, state):
    with troupe.Host(plugins("plugins/samples.c"), **state | OPTIONS) as host:
        yield host


def test_a_function_is_the_same_after_a_round_trip_in_one_process(samples):
    area = samples.functions["area"]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(area, protocol)) is area
    assert copy.copy(area) is area
    assert copy.deepcopy([area])[0] is area
    assert pickle.loads(pickle.dumps(area.map)) == area.map
    assert pickle.loads(pickle.dumps(area.ufunc)) is area.ufunc
    assert copy.deepcopy(area.ufunc)(2.0, 3.0) == 6


def test_round_trips_in_one_process_start_no_host(samples):
    count = len(troupe._troupe.open_hosts)
    area = samples.functions["area"]
    ufunc = area.ufunc
    assert pickle.loads(pickle.dumps(ufunc)) is ufunc
    assert pickle.loads(pickle.dumps(area)) is area
    pickled = pickle.dumps([area, area.map, ufunc])
    # The ufunc alone keeps the plugin loaded.
    del area
    assert pickle.loads(pickle.dumps(ufunc))(3, 4) == 12
    del ufunc
    area, map, ufunc = pickle.loads(pickled)
    assert area(3, 4) == 12 and map == area.map and ufunc is area.ufunc
    samples.refresh()
    del area, map, ufunc
    assert pickle.loads(pickled)[0](3, 4) == 12
    assert len(troupe._troupe.open_hosts) == count


def test_a_host_that_has_another_content_by_now_does_not_unpickle(samples, plugins):
    pickled = pickle.dumps(samples.functions["area"])
    path = plugins() / "samples.so"
    replace(path, path.read_bytes() + b"another content")
    samples.refresh()
    with pytest.raises(troupe.Error, match="has the SHA-256") as failure:
        pickle.loads(pickled)(3, 4)
    assert failure.value.code == "unpinned"


def test_a_function_works_in_another_process(samples):
    area, shout = samples.functions["area"], samples.functions["5a3b1e00-0000-4000-8000-00000000000d"]
    program = """
area, map, ufunc, shout, add = value
print(area(3, 4.5), map([1.0, 2.0], 3), ufunc.outer([1.0], [2.0, 3.0]), shout("abc"), add is numpy.add)
# The functions of one host have one host there, also after a second round trip.
again = pickle.loads(pickle.dumps(area))
print(again is area, len(troupe._troupe.open_hosts))
"""
    lines = in_new_process(program, (area, area.map, area.ufunc, shout, numpy.add))
    assert lines == ["13.5 [3. 6.] [[2. 3.]] ABC True", "True 1"]


def test_a_function_carries_the_options_of_its_host(plugins, state, monkeypatch):
    directory = plugins("plugins/samples.c")
    monkeypatch.chdir(directory.parent)
    with troupe.Host([], files=["plugins/samples.so"], isolate={"all": "deadline:20"}, **state | OPTIONS) as host:
        area = host.functions["area"]
        monkeypatch.chdir("/")
        program = """
(host,) = troupe._troupe.open_hosts.values()
print(value(3, 4.5), [(worker.plugins, worker.process not in (None, os.getpid())) for worker in host.workers()])
"""
        assert in_new_process(program, area) == ["13.5 [(('org.example.samples',), True)]"]


def test_an_option_that_cannot_be_pickled_is_named(plugins, state):
    class Unpicklable(str):
        def __reduce__(self):
            raise TypeError("no")

    with troupe.Host(plugins("plugins/samples.c"), settings={"org.example.other": {"key": Unpicklable()}}, **state | OPTIONS) as host:
        with pytest.raises(troupe.InvalidArgument, match="options: cannot be pickled: no; start the host with"):
            pickle.dumps(host.functions["area"])


@pytest.mark.parametrize("use", ["value(3, 4.5)", "value.map([3.0], 4)", "value.signature", "value.ufunc"])
def test_a_process_without_the_plugin_names_the_file_and_the_remedy_at_the_use(samples, plugins, use):
    area = samples.functions["area"]
    pickled = pickle.dumps(area)
    path = plugins() / "samples.so"
    hash = sha256(path.read_bytes()).hexdigest()
    path.unlink()
    error = in_new_process(f"value = pickle.loads(value)\nprint(value)\n{use}", pickled)
    assert error.endswith("or ship it with a PluginDirectory of troupe.dask or troupe.spark\n")
    assert f"troupe.errors.Unavailable: org.example.samples on {os.uname().nodename}: {path} cannot be read" in error
    assert hash in error


def test_a_process_with_another_content_names_both_hashes(samples, plugins):
    pickled = pickle.dumps(samples.functions["area"])
    path = plugins() / "samples.so"
    contents = [path.read_bytes(), path.read_bytes() + b"another content"]
    replace(path, contents[1])
    hashes = [sha256(content).hexdigest() for content in contents]
    error = in_new_process("pickle.loads(value)(3, 4.5)", pickled)
    assert f"{path} has the SHA-256 {hashes[1]}, and {hashes[0]} is expected; install the same file there, or ship it with" in error


def test_a_function_cannot_be_pickled_without_the_file_that_its_host_loaded(plugins, state, built):
    directory = plugins("plugins/samples.c")
    with troupe.Host(directory, **state | OPTIONS) as host:
        area = host.functions["area"]
        replace(directory / "samples.so", built("plugins/samples.c").read_bytes())
        with pytest.raises(troupe.Unavailable, match="the file of org.example.samples has changed; call Host.refresh"):
            pickle.dumps(area)
        host.refresh()
        pickle.dumps(host.functions["area"])
        half = host.functions["half"]
        host.retire("org.example.samples")
        with pytest.raises(troupe.Unavailable, match="half: cannot be pickled, since its plugin is retired; call Host.refresh"):
            pickle.dumps(half)
        assert half(3) == 1.5
    with pytest.raises(troupe.Unavailable, match="area: cannot be pickled, since its host is closed; pickle the function while"):
        pickle.dumps(area)


def test_a_function_can_be_pickled_after_a_reload_of_its_plugin_alone(plugins, state):
    directory = plugins("plugins/samples.c", "engines/plugins/segment.c")
    with troupe.Host(directory, **state | OPTIONS) as host:
        ids = {Path(plugin.path).stem: plugin.id for plugin in host.plugins}
        names = {item.plugin: item.name for item in host.registrations if item.is_function}
        for path in directory.glob("*.so"):
            replace(path, path.read_bytes() + b"another content")
        assert host.reload("org.example.samples")
        assert in_new_process("print(value(3, 4.5))", host.functions["area"]) == ["13.5"]
        other = host.functions[names[ids["segment"]]]
        with pytest.raises(troupe.Unavailable, match=f"the file of {ids['segment']} has changed; call Host.refresh"):
            pickle.dumps(other)
        host.refresh()
        pickle.dumps(host.functions[other.name])


def test_an_adopted_library_is_pinned(racy, state):
    with troupe.Host(racy, **state | OPTIONS) as host:
        function = host.functions["racy"]
        assert in_new_process("print(value(2.5))", function) == ["2.5"]
        pickled = pickle.dumps(function)
        (library,) = {plugin.library for plugin in host.plugins}
    replace(Path(library), Path(library).read_bytes() + b"another content")
    assert f"{library} has the SHA-256" in in_new_process("pickle.loads(value)(2.5)", pickled)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_functions_work_in_pools_of_processes(samples, method):
    half, area = samples.functions["half"], samples.functions["area"]
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map_async(half, range(5)).get(timeout=60) == [0, 0.5, 1, 1.5, 2]
        assert pool.starmap_async(area.map, [([1.0, 2.0], 3)] * 2).get(timeout=60)[1].tolist() == [3, 6]
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        assert list(executor.map(area, [1, 2], [3, 4], timeout=60)) == [3, 8]


def test_a_pool_of_forked_processes_reports_the_remedy(samples):
    half = samples.functions["half"]
    pickle.dumps(half)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        with pytest.raises(troupe.Unavailable, match=r'start the process with multiprocessing\.get_context\("spawn"\)$'):
            pool.map_async(half, range(5)).get(timeout=60)


def test_a_pool_does_not_wait_for_a_function_whose_plugin_is_missing(samples, plugins):
    half = samples.functions["half"]
    pickle.dumps(half)
    (plugins() / "samples.so").unlink()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with pytest.raises(troupe.Unavailable, match=r"samples\.so cannot be read"):
            pool.map_async(half, range(3)).get(timeout=60)


def test_a_forked_process_refuses_hosts_and_workers_at_once(plugins, state):
    directory = plugins("plugins/samples.c")
    remedy = 'start the process with multiprocessing.get_context("spawn")'
    with troupe.Host(directory, **state | OPTIONS) as host, troupe.Host(directory, isolate=True, **state | OPTIONS) as isolated:
        area, far = host.functions["area"], isolated.functions["area"]
        far(1, 2)
        assert in_fork(lambda: area(3, 4.5)) == "13.5"
        uses = [
            lambda: host.functions["half"], lambda: host.plugins, lambda: host.registrations, lambda: host.refresh(),
            lambda: host.resolve(tags=["x"]), lambda: host.scope(), lambda: host.events(), lambda: host.on_event(print),
            lambda: isolated.workers(), lambda: pickle.dumps(area), lambda: host.__enter__(),
        ]  # fmt: skip
        for use in uses:
            assert in_fork(use) == f"InvalidArgument: the host belongs to the process that forked; {remedy}"
        new = f"Unavailable: the host cannot start in a fork of a process with a host; {remedy}"
        assert in_fork(lambda: troupe.Host(directory)) == new
        assert in_fork(lambda: troupe.Host(directory, isolate=True, probe=False)) == new
        for use in (lambda: far(3, 4.5), lambda: far.map([3.0], 4)):
            assert in_fork(use).startswith("Unavailable: area: its worker belongs to the process from which this one was forked;")


def test_a_fork_of_a_process_without_a_host_may_start_one(built):
    program = f"""
if os.fork() == 0:
    with troupe.Host(files=[{str(built("plugins/samples.c"))!r}], cache=False, quarantine=False) as host:
        print(host.functions["area"](3, 4.5), flush=True)
    os._exit(0)
print(os.wait()[1])
"""
    assert in_new_process(program) == ["13.5", "0"]


def test_structs_and_several_results_are_pickled_without_the_plugin(samples):
    for value in (
        samples.functions["mirror"]((1, 2)),
        samples.functions["split"](2.5),
        samples.functions["swap"](1, 2),
        samples.functions["grow"](("abc", [1, 2, 3])),
    ):
        for copied in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
            assert repr(copied) == repr(value)
            assert type(copied) is type(value)
    point = samples.functions["mirror"]((1, 2))
    assert in_new_process("print(value, value.x, value._replace(y=7.0))", point) == ["point(x=2.0, y=1.0) 2.0 point(x=2.0, y=7.0)"]
    program = "again = pickle.loads(pickle.dumps(value)); print(type(again) is type(value), len(troupe._troupe.open_hosts))"
    assert in_new_process(program, point) == ["True 0"]


def test_members_of_enumerations_are_pickled_without_the_plugin(samples):
    color = samples.functions["color"]
    blue = color.signature.result.enumeration.BLUE
    for copied in (pickle.loads(pickle.dumps(blue)), copy.deepcopy(blue), copy.copy(blue)):
        assert copied is blue
    assert color(pickle.loads(pickle.dumps(blue))) is color(blue)
    assert isinstance(blue, enum.IntEnum)
    program = "print(value.name, int(value), pickle.loads(pickle.dumps(value)) is value, list(type(value).__members__))"
    assert in_new_process(program, blue) == ["BLUE 5 True ['RED', 'GREEN', 'BLUE']"]


def test_data_of_hosts_is_pickled(examples):
    values = [*examples.plugins, *examples.registrations, troupe.Event(examples.plugins[0], "admitted")]
    values.append(troupe.Worker("x", ("x",), None, 0, 0, 0, None, None, None, "closed", ("files",)))
    for copied in (pickle.loads(pickle.dumps(values)), copy.deepcopy(values)):
        assert [repr(value) for value in copied] == [repr(value) for value in values]
    registration = pickle.loads(pickle.dumps(examples.registrations[0]))
    assert registration == examples.registrations[0]
    with pytest.raises(TypeError):
        registration.metadata["key"] = "value"


def test_objects_of_one_process_name_the_reason_and_the_remedy(samples, examples):
    area = samples.functions["area"]
    (encoder,) = examples.resolve(tags=["base64-encode"])
    with samples.functions["store_new"](7) as handle, samples.events() as events, samples.scope() as scope:
        objects = {
            "Reference": handle, "EventStream": events, "Scope": scope, "Host": samples, "Signature": area.signature,
            "Type": area.signature.result, "Parameter": area.signature.parameters[0], "Transform": encoder,
            "Listener": samples.on_event(print),
        }  # fmt: skip
        for name, value in objects.items():
            with pytest.raises(TypeError, match=rf"^troupe\.{name}: cannot be pickled, since it .*; [a-z]") as failure:
                pickle.dumps(value)
            assert failure.value.remedy in str(failure.value)
        objects["Listener"].close()
