"""References and memory of many calls."""

import gc
import sys
import tracemalloc
import weakref

import numpy
import pyarrow
import pytest

import troupe


def operations(shared):
    functions = shared.functions
    area, shout, mirror, apply = (functions[name] for name in ("area", "shout", "mirror", "apply"))
    values = numpy.arange(8.0)
    arrow = pyarrow.array([1.0, None, 2.0])
    mirrored = numpy.zeros(4, mirror.signature.result.dtype)

    def fail():
        with pytest.raises(troupe.InvalidData):
            area("a", 1)

    def fail_in_callback():
        with pytest.raises(ZeroDivisionError):
            apply(lambda x: 1 / 0, 1)

    return {
        "numbers": lambda: area(3, 4.5),
        "names": lambda: area(width=3, height=4.5),
        "text": lambda: shout("text"),
        "struct": lambda: mirror({"x": 1, "y": 2}),
        "buffer": lambda: functions["sum"](values) if False else area.map(values, 2),
        "arrow": lambda: area.map(arrow, 2),
        "structs": lambda: mirror.map(mirrored),
        "ufunc": lambda: area(values, 2),
        "new ufunc": lambda: functions["area"].ufunc(values, 1),
        "callback": lambda: apply(abs, -3),
        "handle": lambda: functions["store_new"](3),
        "look-up": lambda: functions["area"],
        "refusal": fail,
        "failing callback": fail_in_callback,
        "plugins": lambda: shared.plugins,
        "workers": lambda: shared.workers(),
    }


NAMES = [
    "numbers", "names", "text", "struct", "buffer", "arrow", "structs", "ufunc", "new ufunc", "callback", "handle", "look-up",
    "refusal", "failing callback", "plugins", "workers",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_calls_leave_nothing(shared, name):
    operation = operations(shared)[name]
    rounds = 10_000 if name in ("numbers", "names", "text", "struct", "callback", "ufunc") else 1_000
    for _ in range(rounds // 10):
        operation()
    gc.collect()
    blocks = sys.getallocatedblocks()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(rounds):
        operation()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert sys.getallocatedblocks() - blocks < rounds // 20
    assert after - before < 20 * rounds // 10 + 4_000


def test_a_call_keeps_no_reference_to_its_arguments(shared):
    text, values, callback = "a text of its own", numpy.arange(3.0), lambda x: x
    counts = [sys.getrefcount(item) for item in (text, values, callback)]
    for _ in range(100):
        shared.functions["shout"](text)
        shared.functions["sum"](values)
        shared.functions["area"].map(values, values)
        shared.functions["apply"](callback, 1)
    assert [sys.getrefcount(item) for item in (text, values, callback)] == counts


def test_the_memory_of_the_process_does_not_grow(shared):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    shout, values = shared.functions["shout"], numpy.zeros(1000)
    for _ in range(2_000):
        shout("x" * 50)
        shared.functions["area"].map(values, values, on_error="null")
    start = resident()
    for _ in range(20_000):
        shout("x" * 50)
    for _ in range(5_000):
        shared.functions["area"].map(values, values, on_error="null")
    assert resident() - start < 4_000_000


def test_a_host_that_its_own_log_refers_to_is_released(plugins, state):
    hosts = []
    host = troupe.Host(plugins("plugins/samples.c"), log=lambda *line: hosts, log_level=0, **state)
    hosts.append(host)
    store = host.functions["store_new"](1)
    reference = weakref.ref(host)
    del host, hosts
    gc.collect()
    assert reference() is None
    store.close()
