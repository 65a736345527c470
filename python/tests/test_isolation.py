"""Plugins in workers: the interpreter survives their crashes, and they do only what their policy grants."""

import asyncio
import errno
import os
import signal
import threading

import numpy
import pytest

import troupe

ID = "org.example.functions"


@pytest.fixture
def isolated(plugins, state):
    """Returns a function that starts a host with the plugin of isolation/functions.c."""
    hosts = []

    def start(isolate):
        hosts.append(troupe.Host(plugins("isolation/functions.c"), isolate=isolate, log=lambda *line: None, **state))
        return hosts[-1]

    yield start
    for host in hosts:
        host.close()


def test_an_isolated_plugin_runs_in_a_worker(isolated):
    host = isolated(True)
    assert host.functions["area"](3, 4.5) == 13.5
    assert host.functions["joined"]("a", "b") == "ab"
    (worker,) = host.workers()
    assert isinstance(worker, troupe.Worker)
    assert (worker.name, worker.plugins, worker.circuit) == (ID, (ID,), "closed")
    assert worker.process not in (None, os.getpid())
    assert worker.calls >= 2 and (worker.failures, worker.restarts) == (0, 0)
    assert 0 < worker.median_ns <= worker.p99_ns and worker.memory > 0
    assert {"limits", "privileges"} <= set(worker.enforced)


@pytest.mark.parametrize(
    ("isolate", "count", "result"),
    [
        (None, 0, 0), (False, 0, 0), ({}, 0, 0), ({ID: False, "all": True}, 0, 0), ({"org.example.other": True}, 0, 0),
        ("", 1, -errno.EACCES), ({ID: True}, 1, -errno.EACCES), ({ID: ""}, 1, -errno.EACCES), ({"all": ""}, 1, -errno.EACCES),
        ("read:/etc,memory:2G", 1, 0), ({ID: "read:/etc", "all": ""}, 1, 0), ({ID: True, "all": False}, 1, -errno.EACCES),
    ],
)  # fmt: skip
def test_a_policy_is_for_one_plugin_or_for_all(isolated, isolate, count, result):
    host = isolated(isolate)
    assert host.functions["read_file"]("/etc/passwd") == result
    assert len(host.workers()) == count


@pytest.mark.parametrize(
    ("how", "kind", "code"),
    [
        ("crash", troupe.Crashed, "crashed"), ("_exit", troupe.Error, "exited"), ("trace", PermissionError, "notPermitted"),
        ("hang", TimeoutError, "timedOut"),
    ],
)  # fmt: skip
def test_the_end_of_a_worker_is_an_exception(isolated, how, kind, code):
    host = isolated("deadline:2" if how == "hang" else True)
    with pytest.raises(kind) as caught:
        host.functions["misbehave"](how)
    assert isinstance(caught.value, troupe.Error) and (caught.value.code, caught.value.subject) == (code, "misbehave")
    assert host.workers()[0].failures == 1
    if how != "hang":
        assert host.functions["area"](3, 4.5) == 13.5
        assert host.workers()[0].restarts == 1


def test_a_worker_that_keeps_ending_is_not_started_for_a_time(isolated):
    host = isolated(True)
    for _ in range(6):
        with pytest.raises(troupe.Crashed):
            host.functions["misbehave"]("crash")
    with pytest.raises(troupe.Unavailable):
        host.functions["area"](3, 4.5)
    (worker,) = host.workers()
    assert (worker.circuit, worker.process, worker.memory, worker.failures) == ("open", None, None, 6)


def test_functions_of_workers_map_columns_and_call_back(isolated):
    functions = isolated(True).functions
    area = functions["area"]
    assert area.map(numpy.array([1.0, 2.0]), 10).tolist() == [10, 20]
    assert functions["sum"]([1.0, 2.0]) == 3 and functions["sum"](numpy.ones(100_000)) == 100_000
    counts = numpy.array([1, 2], numpy.int32)
    assert functions["count_up"](counts).values.tolist() == [2, 3] and counts.tolist() == [2, 3]
    mirror_all = functions["mirror_all"]
    points = numpy.array([(1, 2), (3, 4)], mirror_all.signature.parameters[0].type.dtype)
    mirror_all(points)
    assert points.tolist() == [(2, 1), (4, 3)]
    assert functions["call_back"](lambda value: 10 * value, 4) == 90
    with pytest.raises(ZeroDivisionError):
        functions["call_back"](lambda value: value // 0, 4)
    # They have no address in this process.
    assert area.ufunc is None
    with pytest.raises(troupe.Unavailable):
        area.address
    with pytest.raises(troupe.InvalidData):
        area(numpy.array([1.0, 2.0]), 10)


def test_a_crash_in_a_transform_is_an_exception(isolated):
    host = isolated(True)
    (stage,) = host.resolve(tags="pass", args=[0])
    assert stage.feed(b"xyz") == b"xyz"
    with pytest.raises(troupe.Crashed):
        stage.feed(b"crash")


class Hanging:
    """A host whose plugin can be called without an answer, and that says when it has begun."""

    def __init__(self, directory, state):
        self.actions = []
        self.host = troupe.Host(directory, isolate="deadline:600", log=self.write, log_level=0, **state)

    def write(self, level, plugin, text):
        if text == "hanging":
            self.actions.pop()()

    def check(self, restarts=1):
        """The worker is not to blame, and the next call starts it again."""
        assert self.host.functions["area"](3, 4.5) == 13.5
        (worker,) = self.host.workers()
        assert (worker.circuit, worker.failures, worker.restarts) == ("closed", 0, restarts)
        self.host.close()


def test_a_signal_interrupts_a_call_in_a_worker(plugins, state):
    hanging = Hanging(plugins("isolation/functions.c"), state)
    # A process that is started in the background ignores the signal.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        hanging.actions.append(lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            hanging.host.functions["misbehave"]("say and hang")
    finally:
        signal.signal(signal.SIGINT, former)
    hanging.check()


def test_a_signal_whose_handler_returns_does_not_interrupt_a_call(plugins, state):
    hanging = Hanging(plugins("isolation/functions.c"), state)
    received = []

    def handle(number, frame):
        received.append(number)
        if len(received) == 2:
            raise TimeoutError("twice")
        os.kill(os.getpid(), signal.SIGUSR1)

    former = signal.signal(signal.SIGUSR1, handle)
    try:
        hanging.actions.append(lambda: os.kill(os.getpid(), signal.SIGUSR1))
        with pytest.raises(TimeoutError, match="twice"):
            hanging.host.functions["misbehave"]("say and hang")
    finally:
        signal.signal(signal.SIGUSR1, former)
    assert len(received) == 2
    hanging.check()


def test_the_cancellation_of_a_coroutine_ends_the_call_and_its_worker(plugins, state):
    hanging = Hanging(plugins("isolation/functions.c"), state)

    async def run():
        loop = asyncio.get_running_loop()
        for _ in range(5):
            task = asyncio.ensure_future(hanging.host.functions["misbehave"].call_async("say and hang"))
            hanging.actions.append(lambda task=task: loop.call_soon_threadsafe(task.cancel))
            with pytest.raises(asyncio.CancelledError):
                await task
            # A call on the same thread of the executor is another one, which the end of the worker does not concern.
            assert await hanging.host.functions["area"].call_async(3, 4) == 12

    # The event loop waits for the threads of its executor at the end.
    asyncio.run(run())
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("asyncio")]
    hanging.check(restarts=5)


@pytest.mark.parametrize("isolate", [3, b"", ["all"], {3: True}, {ID: None}, {ID: 3}])
def test_another_value_for_isolate_is_refused(tmp_path, isolate):
    with pytest.raises(troupe.InvalidArgument) as caught:
        troupe.Host(tmp_path, isolate=isolate)
    assert caught.value.subject == "isolate" and repr(isolate) in str(caught.value) and caught.value.remedy


def test_a_malformed_policy_is_refused(tmp_path):
    for isolate, plugin in (({ID: "memory:many"}, ID), ("memory:many", "all plugins")):
        with pytest.raises(troupe.InvalidArgument) as caught:
            troupe.Host(tmp_path, isolate=isolate)
        message = str(caught.value)
        assert "memory: expected a size" in message and 'got "many"' in message and plugin in message and caught.value.remedy
    with pytest.raises(troupe.InvalidArgument):
        troupe.Host(tmp_path, isolate={"": True})


def test_workers_end_with_their_host_and_its_functions(isolated):
    host = isolated(True)
    area = host.functions["area"]
    process = host.workers()[0].process
    host.close()
    assert area(3, 4.5) == 13.5 and host.workers()[0].process == process
    del area
    assert host.workers() == []
