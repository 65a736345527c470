"""Functions of an adopted library that is not thread-safe, on several threads."""

import asyncio
import json
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import troupe


@pytest.fixture(params=[None, True], ids=["here", "worker"])
def host(racy, state, request):
    with troupe.Host(racy, isolate=request.param, **state) as host:
        yield host


def race(function, count=4):
    """Calls a function with 0 to `count` - 1, each on a thread of its own. Returns the results."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, range(count)))


def test_calls_on_several_threads_take_turns(host):
    racy, text = host.functions["racy"], host.functions["racy_text"]
    assert not racy.is_thread_safe

    def call(thread):
        numbers = range(1000 * thread, 1000 * thread + 50)
        return [racy(number) for number in numbers] == [racy(value=number) for number in numbers] == list(numbers) and [
            text(str(number)) for number in numbers
        ] == [str(number) for number in numbers]

    assert race(call) == [True] * 4


def test_columns_on_several_threads_take_turns(host):
    racy, text = host.functions["racy"], host.functions["racy_text"]
    numbers = numpy.arange(200.0).reshape(4, 50)

    def call(thread):
        row = numbers[thread]
        texts = [str(number) for number in row]
        results = [racy.map(row)] + ([] if racy.ufunc is None else [racy.ufunc(row), racy(row)])
        return all((result == row).all() for result in results) and list(text.map(texts)) == texts

    assert race(call) == [True] * 4
    with pytest.raises(troupe.InvalidArgument):
        racy.map(numbers[0], threads=2)


def test_coroutines_take_turns(host):
    async def call():
        return await asyncio.gather(*(host.functions["racy"].call_async(number) for number in range(100)))

    assert asyncio.run(call()) == list(range(100))


def test_a_callback_calls_the_library_again(host):
    racy, call_back = host.functions["racy"], host.functions["racy_callback"]
    # The library adds the number that the inner call has left.
    assert race(lambda thread: call_back(lambda value: racy(value + 1) - 1, thread)) == [1, 3, 5, 7]


def test_a_function_that_is_not_thread_safe_has_no_address_and_always_releases_the_gil(racy, state):
    with troupe.Host(racy, **state) as host:
        function = host.functions["racy"]
        with pytest.raises(troupe.Unavailable, match="one thread at a time"):
            function.address
        # As a callback it is called through Python.
        assert host.functions["racy_callback"](function, 3) == 6
        function.releases_gil = False
        assert function.releases_gil and function(2) == 2


@pytest.mark.parametrize("name", ["slow", "slow_with_rule"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_ends_a_map_between_two_rows(racy, state, tmp_path, name, threads):
    # All rows would take 100 seconds.
    numbers = numpy.arange(100_000, dtype="float64" if name == "slow" else "int64")
    results = numpy.full_like(numbers, -1)
    manifest = json.loads((racy / "racy.troupe.json").read_text()) | {"library": str(racy / "libracy.so"), "threads": "any"}
    (tmp_path / "racy.troupe.json").write_text(json.dumps(manifest))
    with troupe.Host(tmp_path, **state) as host:
        with pytest.raises(KeyboardInterrupt):
            host.functions[name].map(numbers, out=results, threads=threads)
        assert results[0] == 0 and results[-1] == -1
        # The interruption is over.
        assert host.functions[name].map(numbers[1:3]).tolist() == [1, 2]


def test_a_signal_ends_a_map_in_a_worker(racy, state):
    numbers = numpy.arange(100_000.0)
    with troupe.Host(racy, isolate=True, **state) as host:
        function = host.functions["slow"]
        function.map(numbers[1:3])
        previous = signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with pytest.raises(KeyboardInterrupt):
                function.map(numbers[1:])
        finally:
            signal.signal(signal.SIGALRM, previous)
        assert function.map(numbers[1:3]).tolist() == [1, 2]
